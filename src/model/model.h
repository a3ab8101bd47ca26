/* Internals of a model: compiled, immutable, read by steppers, audit and sim.
 *
 * Bodies are numbered 0 .. body_count-1 here (handle id - 1). The state of a free body is that of
 * its principal frame: origin at the centre of mass, axes along the principal axes of inertia, so
 * that inertia is three numbers. */
#ifndef FF_MODEL_MODEL_H
#define FF_MODEL_MODEL_H

#include "base/arena.h"
#include "footfall/robot.h"
#include "footfall/sim.h"
#include "geom/manifold.h"
#include "math/vec.h"
#include "model/steppers.h"
#include "model/track.h"

typedef struct ff_model_body {
  /* what every step reads of every body comes first, in one cache line */
  ff_body_kind kind;
  int slot;      /* index among the free bodies; -1: not free */
  bool round;    /* spherical top: three equal moments of inertia */
  bool infinite; /* has a half-space */
  bool meets;    /* collides with bodies that no force moves: is moved, or has a track */
  int top; /* symmetric top: axis of the distinct moment, 0 .. 2; -1: all equal, or all distinct */
  double mass;         /* kg; 0 if not free */
  double inv_mass;     /* 1/kg; 0 if not free */
  ff_vec3 inv_inertia; /* 1/(kg m^2) */
  double bound;        /* m, bounding sphere of its finite shapes about the principal origin */
  int first_shape, shape_count;
  int robot, link; /* of a link: its robot, and its number there (1 ..); robot -1: not a link */
  const char *name;
  ff_vec3 inertia;  /* kg m^2, principal moments */
  ff_pose frame;    /* principal frame in the body frame */
  ff_pose start;    /* principal frame in the world, t = 0 */
  ff_vec3 velocity; /* m/s, of the principal frame's origin, t = 0 */
  ff_vec3 omega;    /* rad/s, world, t = 0 */
  const double
      *ease; /* of a link: inverse inertia 6 x 6 at its centre of mass, link axes: accelerations
                (angular, then linear, in columns) under unit torques and forces; NULL: unknown */
  int rigid; /* of a link: body of the first link of its rigid group (connected by fixed joints) */
  const ff_motion *motion; /* of a prescribed body without a track; axis is unit or zero */
  const ff_track *track;   /* of a prescribed body: its motion; NULL: motion */
} ff_model_body;

/* Axis of a symmetric top in the world. */
static inline ff_vec3 ff_body_axis(const ff_model_body *body, ff_quat q) {
  return body->top == 0 ? q_axis_x(q) : (body->top == 1 ? q_axis_y(q) : q_axis_z(q));
}
/* Symmetric top: inverse inertia across its axis, 1/(kg m^2), and its difference along the axis. */
static inline double ff_body_across(const ff_model_body *body) {
  return body->top == 0 ? body->inv_inertia.y : body->inv_inertia.x;
}
static inline double ff_body_more_along(const ff_model_body *body) {
  const ff_vec3 *inv = &body->inv_inertia;
  double along = body->top == 0 ? inv->x : (body->top == 1 ? inv->y : inv->z);
  return along - ff_body_across(body);
}
/* Angular velocity of a body with this angular momentum: R I^-1 R^T L, for a unit q. */
static inline ff_vec3 ff_body_omega(const ff_model_body *body, ff_quat q, ff_vec3 momentum) {
  if (body->round) {
    return v3_scale(body->inv_inertia.x, momentum);
  }
  if (body->top >= 0) {
    ff_vec3 axis = ff_body_axis(body, q);
    double spin = ff_body_more_along(body) * v3_dot(axis, momentum);
    return v3_axpy(v3_scale(ff_body_across(body), momentum), spin, axis);
  }
  return q_rotate(q, v3_mul(body->inv_inertia, q_unrotate(q, momentum)));
}

typedef struct ff_model_shape {
  int body;
  ff_geom geom;
  ff_pose pose;     /* in the body's principal frame */
  double bound;     /* m, about pose.position; INFINITY for a half-space */
  double thickness; /* m, half its smallest extent, or a lower bound; INFINITY for a half-space */
  bool centred;     /* pose is the identity */
  int material;     /* -1: none */
  int class_index;  /* shapes of one class are treated alike by all rules */
} ff_model_shape;

/* World pose of a shape for a pose of its body: the body's own pose if the shape is centred, else
 * stored in scratch. */
static inline const ff_pose *ff_shape_at(const ff_model_shape *shape, const ff_pose *body,
                                         ff_pose *scratch) {
  if (!shape->centred) {
    *scratch = pose_mul(*body, shape->pose);
  }
  return shape->centred ? body : scratch;
}

/* How shapes of two classes collide: laws with resolved parameters. */
typedef struct ff_binding {
  const ff_law *normal, *friction;
  bool frictionless;  /* the friction law is "none" */
  bool unpaid;        /* the friction law is FF_LAW_UNPAID */
  bool normal_unpaid; /* the normal law is FF_LAW_UNPAID */
  bool held;          /* a law is FF_LAW_HELD */
  bool grips;         /* fixed steps can treat them implicitly */
  bool overlaps;      /* the normal law needs the overlap: one point per shape pair */
  bool printed_J;     /* second moments of the overlap as [Brown18 eq. 37] */
  bool edges;         /* the friction law needs the edges of the overlap */
  ff_law_params normal_given, friction_given;   /* before what is open is derived from `pair` */
  ff_law_params normal_params, friction_params; /* resolved */
  ff_layer layer; /* the laws for steppers that solve for impulses; unset under others */
  ff_cone cone;
  ff_ground ground; /* for `micro-macro` */
  ff_grip grip;
  ff_pair pair;
} ff_binding;

typedef struct ff_model_force {
  int body;
  ff_force_def def; /* point in the principal frame */
} ff_model_force;

typedef struct ff_model_drive {
  const char *name;
  int body;
  ff_vec3 axis;      /* unit, world */
  ff_vec3 reference; /* m, world */
  ff_vec3 point;     /* m, the body's origin in its principal frame */
  const ff_phase_def *phases;
  int phase_count;
} ff_model_drive;

/* Springs that pull a body along a measured motion; see ff_track_def. */
typedef struct ff_model_guide {
  int body;
  const ff_track *track;
  ff_vec3 point; /* m, the body's origin in its principal frame */
  ff_quat frame; /* principal frame -> body frame */
  double stiffness, damping, turn_stiffness, turn_damping;
} ff_model_guide;

/* Constraint between two bodies; see model/constraint.h. */
typedef struct ff_model_constraint {
  const char *name;
  ff_constraint_kind kind;
  int a, b;
  ff_vec3 anchor_a, anchor_b; /* m, principal frames */
  ff_vec3 of_a[3], of_b[3];   /* unit, principal frames: pairs of directions that stay orthogonal */
  double length;              /* m, distance */
} ff_model_constraint;

/* Constraints coupled by free bodies: their forces depend on each other. */
typedef struct ff_model_cluster {
  int first, count; /* in constraint_order */
  int rows;
} ff_model_cluster;

/* Two bodies that may collide; forces are reported on a. */
typedef struct ff_model_pair {
  int a, b;
  int binding; /* of their first shape pair that may collide */
} ff_model_pair;

/* How an axis is read from its joint's q. */
typedef enum ff_axis_form {
  FF_AXIS_PLAIN, /* factor q + offset */
  FF_AXIS_TURN,  /* component of the rotation vector of a quaternion */
  FF_AXIS_SLIDE  /* component of the position of a free joint, whose quaternion precedes it */
} ff_axis_form;

/* Axis of a joint, and its drive. The three components of a turn or slide are contiguous. */
typedef struct ff_model_joint {
  const char *name;
  bool slides; /* m and N, not rad and N m */
  ff_axis_form form;
  int part;       /* of a turn or slide: component 0 .. 2 */
  int q_at, v_at; /* in the robot's q and v; of a turn or slide q_at is that of component 0 */
  bool follows;   /* mimics another joint, and is not driven */
  double factor, offset;
  double start; /* position at t = 0 */
  double stiffness, damping, effort, speed;
  double soft_lower, soft_upper;        /* position limits of the safety controller, */
  double safety_position, safety_speed; /* and its gains, 1/s and N m s/rad; 0: none */
  ff_table target, torque; /* target has at least one row if stiffness or damping is nonzero */
  bool steady;             /* no torque table, and the target is constant */
  bool explicit_drive;     /* evaluated at the start of the step */
} ff_model_joint;

/* Position of an axis for its robot's q. */
double ff_axis_position(const ff_model_joint *joint, const double *q);

typedef struct ff_model_robot {
  const char *name;
  ff_tree *tree;
  int first_body, link_count; /* link 1 is body first_body */
  int q_at, v_at;             /* in y */
  int q_count, v_count;
  const double *start_q, *start_v;
  const ff_track *track; /* of a fixed root: its frame moves along it; NULL: it stays */
  bool self_collision;
  const ff_model_joint *joints;
  int joint_count;
  const ff_controller_def *controller; /* NULL: none. Used by the sim only */
} ff_model_robot;

/* How `micro-macro` takes the forces of elastic parts. */
typedef enum ff_micro_form {
  FF_MICRO_IMPLICIT,
  FF_MICRO_LITERAL,
  FF_MICRO_CONVENTIONAL
} ff_micro_form;

/* Classes that do not collide: a rule or the tree of a robot says so, or no rule speaks of them. */
enum { FF_APART = -1, FF_NO_RULE = -2 };

struct ff_model {
  ff_arena arena;
  unsigned mark; /* `of` in its ids */
  ff_run_def run;
  const ff_stepper_info *stepper; /* a row of model/stepper_rows.h */
  ff_micro_form micro;
  bool midpoint; /* contacts are midpoint-implicit: step/midpoint_contact.h */

  int body_count, free_count, shape_count, force_count, drive_count, guide_count;
  const ff_model_body *bodies;
  const int *free_bodies;  /* body of each free slot: free_count */
  const int *moved_bodies; /* bodies that meet others, in order: see ff_model_body.meets */
  int moved_count;
  int robot_count, robot_size; /* robots, and their total size in y */
  const ff_model_robot *robots;
  const ff_model_shape *shapes;
  double thinnest; /* m, least thickness of the finite shapes; INFINITY: there is none */
  const ff_model_force *forces;
  const ff_model_drive *drives;
  const ff_model_guide *guides;

  int class_count;
  const int *class_table;     /* binding of two classes, or below 0; class_count^2 */
  bool default_contacts;      /* there were no contact rules: laws are those of the materials */
  const char *stepper_reason; /* why the stepper was chosen; "": the scene names it */
  const bool *class_swapped;  /* true: the first class is the b of the pair; class_count^2 */
  int binding_count;
  const ff_binding *bindings;
  bool free_pairs_touch; /* two finite shapes may collide: a broad phase is needed */
  bool flat_pairs_touch; /* two with flat or straight parts may: their samples have weights */
  int memory_count;      /* history variables per contact point: most of any friction law */

  int constraint_count, cluster_count, cluster_rows; /* cluster_rows: of the largest cluster */
  const ff_model_constraint *constraints;
  const int *constraint_order; /* sorted by cluster */
  const ff_model_cluster *clusters;

  int breakpoint_count;
  const double *breakpoints; /* s, breakpoints of tables, drives and motions; sorted */

  int pair_count;
  bool pairs_of_classes; /* there are more, of the same classes of shapes */
  const ff_model_pair *pairs;
  int loaded_count;
  const int *loaded_bodies; /* links and fixed bodies that may be in contact */
  const char *const *material_names;
};

/* Step times contact frequency (rad). Above FF_COARSE_STEP a step cannot follow a contact;
 * FF_FINE_STEP resolves it well: about 15 steps in an elastic impact. */
#define FF_COARSE_STEP 1.0
#define FF_FINE_STEP   0.2

/* Does the stepper solve for impulses, so that the bindings have layers and cones? */
static inline bool ff_model_solves(const ff_model *model) {
  return model->stepper->contacts != FF_CONTACTS_BY_FORCE;
}

/* Midpoint-implicit contacts: does the stepper treat those of this model so? Friction needs it; not
 * where constraints would not feel the contact forces of the step, unless a law requires it. */
bool ff_model_is_midpoint(const ff_model *model);
static inline bool ff_model_holds(const ff_model *model, const ff_binding *binding) {
  return model->midpoint && (binding->held || binding->grips);
}

/* Least number of free bodies with midpoint-implicit contacts that may form large islands
 * (step/crowd_order.h). */
enum { FF_CROWD_BODIES = 32 };
static inline bool ff_model_is_crowd(const ff_model *model) {
  return model->midpoint && model->free_count >= FF_CROWD_BODIES;
}

/* The same of `micro-macro` in its corrected implicit form: islands of any size are then solved as
 * crowds, and contacts act before the bodies overlap (step/micro_crowd.h). */
static inline bool ff_model_is_ground_crowd(const ff_model *model) {
  const ff_stepper_def *def = &model->run.stepper;
  return model->stepper->contacts == FF_CONTACTS_BY_GROUND && def->corrections &&
         model->micro == FF_MICRO_IMPLICIT && def->accuracy > 0 &&
         model->free_count >= FF_CROWD_BODIES;
}

/* The same of `quasi-rigid` in order 2, unless islands are to be solved exactly: islands of any
 * size are then solved as crowds (step/quasi/crowd.h). With fewer bodies impacts of small islands
 * cut the steps of all, which resolves them. */
enum { FF_LAYER_CROWD_BODIES = 128 };
static inline bool ff_model_is_layer_crowd(const ff_model *model) {
  const ff_stepper_def *def = &model->run.stepper;
  return model->stepper->contacts == FF_CONTACTS_BY_LAYER && def->order == 2 && def->accuracy > 0 &&
         model->free_count >= FF_LAYER_CROWD_BODIES;
}

/* May bodies at rest sleep (step/sleep.h)? */
static inline bool ff_model_sleeps(const ff_model *model) {
  return model->run.stepper.sleep > 0 &&
         (model->midpoint || model->stepper->contacts == FF_CONTACTS_BY_GROUND ||
          model->stepper->contacts == FF_CONTACTS_BY_LAYER);
}

/* Resolves the laws from their given parameters and the pair's materials, and checks that the
 * model's stepper can run them. Keys of the report: "normal.k". */
ff_status ff_binding_resolve(ff_binding *to, const ff_model *model, ff_report *report);

/* Most contact points of a shape pair under this binding. */
static inline int ff_binding_points(const ff_binding *binding, ff_shape_kind a, ff_shape_kind b) {
  return binding->overlaps ? 1 : ff_manifold_limit(a, b);
}

/* Ids come from callers, who may have mistyped a name or mean another model. */
static inline bool ff_id_fits(const ff_model *model, int id, int count, unsigned of) {
  return model && id >= 1 && id <= count && (of == 0 || of == model->mark);
}
static inline bool ff_model_has_body(const ff_model *model, ff_body body) {
  return model && ff_id_fits(model, body.id, model->body_count, body.of);
}
/* NULL: there is none. */
static inline const ff_model_robot *ff_model_robot_of(const ff_model *model, ff_robot_id robot) {
  bool known = model && ff_id_fits(model, robot.id, model->robot_count, robot.of);
  return known ? &model->robots[robot.id - 1] : NULL;
}
static inline const ff_model_joint *ff_model_joint_of(const ff_model *model, ff_joint_id joint) {
  const ff_model_robot *robot =
      ff_model_robot_of(model, (ff_robot_id){.id = joint.robot, .of = joint.of});
  return robot && joint.id >= 1 && joint.id <= robot->joint_count ? &robot->joints[joint.id - 1]
                                                                  : NULL;
}
/* Ids of indices; a body below 0: none. */
static inline ff_body ff_body_id(const ff_model *model, int index) {
  return (ff_body){.id = index + 1, .of = index >= 0 ? model->mark : 0};
}
static inline ff_shape ff_shape_id(const ff_model *model, int index) {
  return (ff_shape){.id = index + 1, .of = model->mark};
}

/* Free bodies and movable links; links fixed to the ground do not move. */
static inline bool ff_body_is_moved(const ff_model_body *body) {
  return body->inv_mass > 0;
}

/* Is its momentum that of the system? A link that cannot move passes what pushes it to the ground,
 * which is booked with its robot. */
static inline bool ff_body_is_inside(const ff_model_body *body) {
  return ff_body_is_moved(body) || body->robot >= 0;
}

/* Track that the root of a link's robot is fixed to; NULL: none, or no link. */
static inline const ff_track *ff_body_base_track(const ff_model *model, const ff_model_body *body) {
  return body->robot >= 0 ? model->robots[body->robot].track : NULL;
}

/* Does anything from outside push bodies: forces, drives, guides? */
static inline bool ff_model_is_driven(const ff_model *model) {
  return model->force_count > 0 || model->drive_count > 0 || model->guide_count > 0;
}

/* Rigid group (see ff_model_body.rigid) that a link's group is attached to; -1: the ground. */
int ff_robot_rigid_parent(const ff_model *model, const ff_model_body *body);

/* Pose and velocity of a prescribed body at time t. */
typedef struct ff_body_motion {
  ff_pose pose;
  ff_vec3 velocity, omega; /* m/s, rad/s, world */
} ff_body_motion;

/* m/s, of a point (m, world) that moves with a body. */
static inline ff_vec3 ff_motion_velocity(const ff_body_motion *body, ff_vec3 point) {
  return v3_add(body->velocity, v3_cross(body->omega, v3_sub(point, body->pose.position)));
}

ff_body_motion ff_motion_at(const ff_model_body *body, double t);
/* Accelerations of a prescribed body, m/s^2 and rad/s^2; at a breakpoint those after it. */
void ff_motion_acceleration(const ff_model_body *body, double t, ff_vec3 *linear, ff_vec3 *angular);

/* Next breakpoint after t; INFINITY: none. */
double ff_model_next_breakpoint(const ff_model *model, double t);

/* Phase of a drive at time t (the later one at a boundary; phase_count after the last), and its
 * start time. */
int ff_drive_phase(const ff_model_drive *drive, double t);
double ff_drive_phase_start(const ff_model_drive *drive, int phase);
/* Desired position of a drive at time t, in a phase that began at the desired position start, and
 * its rate; NAN unless it is a position phase. */
double ff_drive_desired(const ff_model_drive *drive, int phase, double start, double t,
                        double *rate);

#endif
