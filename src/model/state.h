/* Dynamic state of a run, described by a model. Read by steppers and audit.
 *
 * The vector y is what integrators advance:
 *   free bodies   13 each: position (centre of mass, world), orientation (principal frame),
 *                 velocity (world), angular momentum about the centre of mass (world)
 *   robots        of each the generalised coordinates q, then the velocities v
 *   ledger        integrals over time: losses, work, external impulses
 *   memory        of the friction laws, memory_count for each contact point
 * Angular momentum, not velocity, is the unknown: without torque it is constant to the bit. */
#ifndef FF_MODEL_STATE_H
#define FF_MODEL_STATE_H

#include "base/arena.h"
#include "base/keep.h"
#include "footfall/state.h"
#include "geom/broad.h"
#include "geom/manifold.h"
#include "math/predictor.h"
#include "math/vec.h"
#include "model/constraint.h"
#include "model/model.h"

/* ff_state of footfall/state.h is a copy of all that decides the future. Inside the library the
 * name stands for what a stepper works on. */
#define ff_state ff_dynamic_state

/* Offsets into the 13 numbers of a body. */
enum { FF_Y_X = 0, FF_Y_Q = 3, FF_Y_V = 7, FF_Y_L = 10, FF_Y_BODY = 13 };
/* Offsets into the ledger. */
enum {
  FF_Y_LOST = 0,
  FF_Y_WORK = FF_LOSS_COUNT,
  FF_Y_IMPULSE = FF_Y_WORK + 1,    /* 3, N s */
  FF_Y_ANGULAR = FF_Y_IMPULSE + 3, /* 3, N m s about the world origin */
  FF_Y_PAID = FF_Y_ANGULAR + 3,    /* J, work into the storage of friction: integral of path_rate */
  FF_Y_UNPAID = FF_Y_PAID + 1,     /* J, the same for laws that are FF_LAW_UNPAID */
  FF_Y_LEDGER = FF_Y_UNPAID + 1
};

/* Contact point, as far as all steppers share it: a slot for one sample of the manifold of two
 * shapes (geom/manifold.h). Forces on a along the normal row of the contact Jacobian act at `point`
 * along `push`, with the moment `lever` times the force; the depth changes by -pace (push . v +
 * lever . omega), where v and omega are the velocity of a relative to b at the point. */
typedef struct ff_point {
  /* what is read of all points in every step comes first, in few cache lines */
  ff_feature_pair id; /* of the sample; FF_PAIR_NONE: the slot is free */
  ff_mode mode;
  bool unpaid;        /* energy_t belongs to an FF_LAW_UNPAID law */
  bool normal_unpaid; /* energy_n does */
  bool touching;      /* depth > 0 (or kept closed by `adaptive`) */
  bool known;         /* the stepper's own data of the point are valid (ff_state_own_point) */
  bool turned;        /* its normal is too far from the anchor's: memory does not count */
  bool anchored;      /* its anchor is of the last evaluation of forces */
  bool followed;      /* steps are cut to resolve its impact (step/sweep.c) */
  bool slid;          /* it opened or slid since audit/creep.c looked last */
  double force_n, force_t[2]; /* N, on a */
  double force_core;          /* N, the part of force_n that a rigid core or ground bears */
  double energy_n, energy_t;  /* J, stored */
  ff_patch patch;
  ff_vec3 force, moment;         /* N, N m about the point, on a, world */
  ff_vec3 point, normal, t1, t2; /* world */
  ff_vec3 push;                  /* unit, world: the normal, or nearly so */
  double pace;                   /* 1, rate of the depth over the normal velocity */
  double weight;                 /* law units: force and energy over those of the law */
  ff_vec3 axis, axis_normal;     /* t1 and normal of its anchor in body b's frame, see step/frame.h;
                                  * axis 0: not yet set */
  ff_vec3 lever;                 /* m, world */
  ff_gradient d_weight;          /* 1/m, 1/rad, as a moves; turn about the point */
  ff_vec3 place;                 /* m, the point in b's principal frame, where it was found last */
} ff_point;

/* `quasi-rigid`'s own data of a contact point; the audit reads them. */
typedef struct ff_layer_point {
  bool loose;                /* open, and nothing is left of the last contact */
  double prism[2];           /* rad, of prisms of cylinders that it was found with: ff_manifold */
  ff_vec3 tied[2];           /* m, of a pair as a whole: its points in the frames of both bodies */
  double deflection;         /* m, of the layer; it may still recover when contact has ended */
  double deflection_b;       /* m, the part of it that is in b's own layer */
  ff_vec3 shear, shear_rate; /* m, m/s: tangential deflection (`micro-macro` too: of its spring, in
                              * b's frame), and what of it the slip lacks; */
  double spin_rate;          /* rad/s: what the spin lacks */
  double left;       /* m, how far the bodies were from the layer at the start of a step whose force
                      * is the mean over it; INFINITY: its force is that of the end */
  double impulse[4]; /* N s, what the last step solved for: see quasi/problem.h */
  ff_predictor predictor[2]; /* of force (world), and of (moment about normal, force_core, 0) */
} ff_layer_point;

/* `micro-macro`'s own data of a contact point; the audit reads them. */
typedef struct ff_micro_point {
  double impulse[3]; /* N s, of the rigid part, along normal, t1 and t2 */
  double soft_force; /* N, elastic part of the normal force */
  ff_vec3 shear;     /* m, tangential deflection of the elastic part's spring; b's frame */
  ff_vec3 crept;     /* m, of a along b since it sticks to a rigid part; b's frame */
  ff_vec3 left_at;   /* m/s, velocity of a against b at the end of the last step, world */
} ff_micro_point;

/* Shape pair: two nearby shapes, with capacity for contact points: for all that they can have, or,
 * in a pooled state, for those they have had since they are in the list (ff_state_take_points). */
typedef struct ff_near {
  int shape_a, shape_b;
  int binding;
  int first_point, point_count;
  bool clear;    /* the last evaluation of forces found no point: all of them are open */
  bool pending;  /* its points are still to be found, see step/detection.h */
  bool centred;  /* both shapes are at the origins of their bodies */
  double reach;  /* m, sum of the radii of their bounding spheres */
  ff_vec3 apart; /* b's principal frame, unit: a direction along which the shapes were last found
                  * apart; 0: none. It saves queries and changes no result. */
} ff_near;

/* Body pair: two nearby bodies, with consecutive shape pairs. */
typedef struct ff_meet {
  int a, b;
  int first_near, near_count;
  /* the current contact, for events: */
  bool touching, on_core; /* on_core: a rigid core bears a part of the force */
  ff_mode mode;           /* it sticks if any of its points does */
  double touch_time, peak_force, peak_time, peak_depth;
  double press, impulse; /* N, N s: normal force after the last step, and its sum since the touch */
  double rate;           /* m/s, of the depth after the last step in contact */
  /* `adaptive`: at the end of its last step, N, N/s, m and m/s; and the largest inside that step,
   * NAN if it is at an end or not larger than before */
  double force, force_rate, depth, depth_rate;
  double crest_force, crest_time, crest_depth;
} ff_meet;

/* Points of a shape pair that needed more of them, and took their history variables along. */
typedef struct ff_point_move {
  int from, to, count;
} ff_point_move;

typedef struct ff_wrench {
  ff_vec3 force, torque; /* N; N m about the centre of mass; world */
} ff_wrench;

/* Wrench set from outside, which acts until it is set again. */
typedef struct ff_applied {
  ff_vec3 point;         /* m, where the force acts: in the principal frame */
  ff_vec3 force, torque; /* N, N m; world */
} ff_applied;

static inline bool ff_applied_acts(const ff_applied *applied) {
  return v3_dot(applied->force, applied->force) + v3_dot(applied->torque, applied->torque) > 0;
}

/* Order of a controller for an axis, valid until the next one. */
typedef struct ff_state_order {
  bool given;  /* else the joint's own tables apply */
  double time; /* s, time of the order: the target continues from then at its rate */
  ff_joint_order order;
} ff_state_order;

/* Force and error of a constraint. */
typedef struct ff_state_constraint {
  ff_vec3 force, moment; /* N, N m about its anchor, on a, world */
  double error, angle;   /* m, rad */
} ff_state_constraint;

/* Dynamic state of a robot. */
typedef struct ff_state_robot {
  ff_tree_work *work;
  ff_tree_wrench *wrenches; /* external wrench on each link */
  double *tau;              /* v_count: of drives and passive joint loads */
  double *servo;            /* v_count: of drives alone */
  double *a;                /* v_count: acceleration in a step */
  bool solved;              /* the contact solver has set a under all forces, and path */
  double *path;             /* v_count: then, the velocity that advances q */
  double *resist;           /* v_count: of damping and dry friction in a step */
  double *stiffness;        /* v_count: stiffness of the drives with respect to q, */
  double *damping; /* and damping with respect to v; 0 where their effort is saturated, or they are
                      explicit */
  ff_state_order *orders; /* joint_count */
  double *placed;         /* q and v for which work and bodies are valid; placed[0] NAN: none */
  double placed_t;        /* s, the same, of a robot with a track */
  double stored;          /* J, in springs and stops */
} ff_state_robot;

/* A half-space of a body. */
typedef struct ff_plane {
  int body;
  ff_vec3 point, normal; /* m, unit; world */
} ff_plane;

/* A shape with a bound, in the broad phase. */
typedef struct ff_finite {
  int shape, body;
} ff_finite;

/* Size of a pair list. */
typedef struct ff_list_size {
  int meets, nears, points;
} ff_list_size;

/* Loops over bodies and shape pairs that threads share: items of a chunk, which do not depend on
 * the number of threads, and most sums of a loop. Sums of up to a chunk are those of a plain loop.
 */
enum { FF_BODIES_CHUNK = 256, FF_NEARS_CHUNK = 256, FF_CHUNK_SUMS = 8 };
static inline int ff_chunks_of(int count, int chunk) {
  return (count + chunk - 1) / chunk;
}

/* What tests of pairs read of a body, in one cache line. */
typedef struct ff_crowd_motion {
  ff_vec3 position, velocity; /* m, m/s, world, as in ff_body_motion */
  double turning;             /* m/s, fastest that its turning moves a point of it */
  double kick; /* m/s, in the middle of a step: fastest that it comes towards or leaves
                * a body that is near; a third one that it meets in the step may set
                * that in motion as fast. 0: it is not moved */
} ff_crowd_motion;

/* Bodies at rest that are not stepped (step/sleep.h). */
typedef struct ff_sleep {
  bool *still;        /* body_count: asleep, or does not move in the step; NULL: none may sleep */
  double *rest;       /* free_count: s, so long a body has been slow; -INFINITY: may not sleep */
  int *group;         /* free_count: bodies that fell asleep together have the same */
  bool *borne, *kept; /* free_count, of a group: rests on what does not move; may not sleep */
  int count;          /* bodies asleep */
  bool woke;          /* in this step: it is to be taken again */
} ff_sleep;

typedef struct ff_state {
  double t;
  double *y; /* capacity for size numbers; ff_state_used of them are in use */
  int size, ledger_at, memory_at;
  ff_state_robot *robots; /* robot_count */
  int robot_count;

  /* derived from y and t by the last evaluation of forces */
  ff_body_motion *bodies; /* body_count: principal frames */
  ff_wrench *wrenches;    /* body_count: all except gravity */
  ff_applied *applied;    /* body_count: set from outside, */
  int applied_count;      /* and how many are not zero */
  double *drive_force;    /* drive_count, N */
  double stiffness;       /* 1/s^2, largest contact stiffness over effective mass in the step */
  ff_sleep sleep;
  double damping;        /* 1/s, largest contact damping over effective mass in the step */
  bool half_constraints; /* half of constraint forces acts at the start of a step, the rest is the
                            projection of velocities at its end */
  bool divided;          /* the step was taken in parts */
  double crowd_accuracy; /* 1, to which large islands were solved in the step; 0: there was none */
  double crowd_residual; /* 1, their forces against those of their laws at the end of the step, over
                          * the largest; computed from states and forces, not by their solver */

  /* pair list: first bodies near half-spaces, then near each other; each part sorted by body. The
   * old_ arrays are the previous list. */
  ff_meet *meets, *old_meets;
  ff_near *nears, *old_nears;
  ff_point *points, *old_points;
  void *own_points, *old_own_points; /* parallel to points: the stepper's own data of each, */
  size_t own_size;                   /* bytes; 0: it has none */
  double *old_memory;
  ff_edge *edges; /* FF_EDGES_MAX: of the current patch, for laws that need them */
  int meet_count, near_count, point_count, floor_meets;
  int *active;      /* meet_capacity: body pairs with points, or that touched, in order, */
  int active_count; /* as the last evaluation of forces found them; -1: any may be one */
  int meet_capacity, near_capacity, point_capacity;
  ff_arena room;       /* of these lists, and of y */
  ff_list_size wanted; /* by the last list that did not fit */
  bool pooled;         /* points are taken by the pairs that touch; see ff_state_take_points */
  int lacking;         /* points that there was no capacity for in the last evaluation */
  struct ff_point_move *moves; /* point_capacity / 4 + 1: since the start of the step, */
  int move_count;              /* see ff_state_repeat_moves */
  ff_pose *listed_at; /* body_count: principal frames of the bodies when the list was made */
  double *reach;      /* body_count: m, skin: how far each may stray before the list is stale, */
  ff_vec3 *way;       /* body_count: m, from the way from listed_at to listed_at + way */
  double *wish;       /* body_count: skin of the next list, */
  ff_vec3 *wish_way;  /* and way */
  double *sway;      /* body_count: m, most that a shape's origin is beside that of its body; -1: it
                      * has no shapes or is fixed */
  double least_skin; /* m */
  bool listed;       /* a pair list exists */
  int *floor_bodies; /* with half-spaces */
  int floor_count;
  ff_plane *planes;   /* those half-spaces, where they were when the list was made */
  int *guided_bodies; /* prescribed, with shapes */
  int guided_count;

  /* broad phase over the finite shapes */
  ff_broad *broad; /* NULL: no two of them may touch */
  ff_finite *finite;
  ff_box *boxes;
  int *groups; /* body; body_count for all that do not move */
  int finite_count;

  ff_crowd_motion *crowd;        /* body_count; NULL: few bodies */
  struct ff_team *team;          /* threads that share the work on it; NULL: the caller does all */
  double (*sums)[FF_CHUNK_SUMS]; /* of loops over chunks of bodies or shape pairs: of each chunk, to
                                  * be added in their order */
  bool middle;  /* evaluated at the midpoint of a step, for step/midpoint_contact.h */
  bool frozen;  /* points keep their side (closed) until changed: `adaptive` */
  double ahead; /* s, `adaptive`: pairs that cannot touch within have no samples; INFINITY: all */

  /* constraints, and workspace for the largest cluster */
  ff_state_constraint *constraints; /* constraint_count */
  ff_constraint_rows *constraint_rows;
  double *constraint_matrix; /* cluster_rows^2 */
  double *constraint_x;      /* 3 * cluster_rows */
  int *constraint_pivots;    /* 2 * cluster_rows */

  /* drives: current phase, and desired position at its start */
  int *drive_phase;
  double *drive_start;

  long evaluations;
} ff_state;

static inline double *ff_state_body(const ff_state *state, int slot) {
  return state->y + (size_t)slot * FF_Y_BODY;
}
static inline double *ff_state_memory(const ff_model *model, const ff_state *state, int point) {
  return state->y + state->memory_at + (size_t)point * (size_t)model->memory_count;
}
/* The stepper's own data of a contact point, of the type that the stepper defines. */
static inline void *ff_state_own_point(const ff_state *state, const ff_point *point) {
  return (char *)state->own_points + (size_t)(point - state->points) * state->own_size;
}
/* The same of `quasi-rigid`. */
static inline ff_layer_point *ff_state_layer_point(const ff_state *state, const ff_point *point) {
  return ff_state_own_point(state, point);
}
/* The same of `micro-macro`. */
static inline ff_micro_point *ff_state_micro_point(const ff_state *state, const ff_point *point) {
  return ff_state_own_point(state, point);
}
/* Body pairs that may have contact points or have just lost them: number k of them. */
static inline int ff_state_active_count(const ff_state *state) {
  return state->active_count < 0 ? state->meet_count : state->active_count;
}
static inline ff_meet *ff_state_active(const ff_state *state, int k) {
  return &state->meets[state->active_count < 0 ? k : state->active[k]];
}
/* All bodies are awake, and have been at rest for no time. */
void ff_state_wake(ff_state *state, const ff_model *model);
/* Contact points without a sample and without a past. */
void ff_state_clear_points(ff_state *state, int first, int count);
/* Exchanges the contact points for the old_ ones. */
void ff_state_swap_points(ff_state *state);
/* Copies contact points, with the stepper's own data, from the old_ ones. */
void ff_state_copy_old_points(ff_state *state, int to, int from, int count);
/* In a pooled state: gives a shape pair at least this many contact points, at most its limit
 * (ff_binding_points), as a block at the end of those in use. Points that it had keep their number
 * within the pair. False: there is no capacity, state->lacking says for how many; the evaluation
 * must be repeated after ff_work_reserve. */
bool ff_state_take_points(const ff_model *model, ff_state *state, ff_near *near, int wanted);
/* After y was set back to the start of the step: history variables of points that have moved since
 * then go where these are now. */
void ff_state_repeat_moves(const ff_model *model, ff_state *state);
/* Numbers of y in use: the history variables of the current points are the last of them. */
static inline int ff_state_used(const ff_model *model, const ff_state *state) {
  return state->memory_at + state->point_count * model->memory_count;
}
/* Of the history variables of the current points. */
static inline size_t ff_memory_bytes(const ff_model *model, const ff_state *state) {
  return (size_t)state->point_count * (size_t)model->memory_count * sizeof(double);
}
static inline double *ff_state_ledger(const ff_state *state) {
  return state->y + state->ledger_at;
}
/* Books an impulse from outside (N s) and its moment about the world origin (N m s). */
static inline void ff_ledger_impulse(double *ledger, ff_vec3 impulse, ff_vec3 moment) {
  v3_store(ledger + FF_Y_IMPULSE, v3_add(v3_load(ledger + FF_Y_IMPULSE), impulse));
  v3_store(ledger + FF_Y_ANGULAR, v3_add(v3_load(ledger + FF_Y_ANGULAR), moment));
}
/* Books a force and a moment (world) from outside at a point: impulses, and the work of what
 * pushes, which moves there at velocity (m/s) and omega (rad/s). */
static inline void ff_ledger_push(double *ledger, ff_vec3 point, ff_vec3 force, ff_vec3 moment,
                                  ff_vec3 velocity, ff_vec3 omega) {
  ff_ledger_impulse(ledger, force, v3_add(v3_cross(point, force), moment));
  ledger[FF_Y_WORK] += v3_dot(force, velocity) + v3_dot(moment, omega);
}

/* Allocates everything, mostly in the arena. own_size: bytes that the stepper keeps for each
 * contact point; pooled: see ff_state. */
ff_status ff_state_make(ff_state *out, const ff_model *model, size_t own_size, bool pooled,
                        ff_arena *arena);
/* Frees what is not in the arena. */
void ff_state_free(ff_state *state);
/* Initial state: bodies at their start, no contact, empty ledger, t = 0. */
void ff_state_reset(ff_state *state, const ff_model *model);
/* Moves pair lists and y to larger arrays; those before stay with the caller, who frees their arena
 * or assigns the state before. FF_ERROR_MEMORY: the state is unchanged. */
ff_status ff_state_grow(ff_state *state, const ff_model *model, ff_list_size size);
/* Size of the pair list, first in what is kept. */
void ff_state_keep_size(ff_list_size *size, ff_keep *keep);
/* Lists what decides the future. After a load the pointers of points are valid. A load needs
 * capacity for the pair list. */
void ff_state_keep(ff_state *state, const ff_model *model, ff_keep *keep);
/* Drive phases at the time of the state; initialises a new phase. */
void ff_state_enter_phases(ff_state *state, const ff_model *model);

#endif
