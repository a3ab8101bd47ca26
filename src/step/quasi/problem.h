/* The quasi-rigid step as a mixed nonlinear complementarity problem (NCP): its data.
 *
 * Unknowns: of each free body its velocity v and angular momentum L at the end of the step; of each
 * contact the core impulse p_nr and the friction impulse in units of its ellipsoid,
 * P = (p_t / e_t, p_o / e_o, p_r / e_r); of each bilateral constraint an impulse per condition; of
 * each robot its generalised velocity u at the end. Poses at the end follow from the velocities and
 * the contact geometry from the poses, by the closest points of the two shapes there. So everything
 * is taken at the end of the step, as in [Chakraborty07 eq. 14, 15], but without their unknowns for
 * points, deflection and slip speed.
 *
 * The problem is assembled from elements, as in finite elements: an element (contact or bilateral
 * constraint) joins two bodies, has up to six unknowns with as many rows, and adds to the rows of
 * its bodies. A new kind of element fills in f and its Jacobian; the solver needs nothing else.
 *
 * A node is a free body or a robot: a block of unknowns. To an element the link of a robot is a
 * body with six unknowns, velocity and angular velocity; the link's Jacobian maps what elements add
 * there to the robot (robot_dynamics.c).
 *
 * During a solve the lists and parameters here are constant (const quasi_problem *). A solve writes
 * the iterate only: the ends of bodies, and impulses, rows and derivatives of elements.
 */
#ifndef FF_STEP_QUASI_PROBLEM_H
#define FF_STEP_QUASI_PROBLEM_H

#include "geom/geom.h"
#include "math/vec.h"
#include "model/state.h"
#include "step/rows.h"

enum {
  QUASI_DOF = 6,     /* unknowns of a free body: v, L */
  QUASI_OWN_MAX = 6, /* most unknowns of an element */
  QUASI_ROWS_MAX = 2 * QUASI_DOF + QUASI_OWN_MAX,
  QUASI_LARGE = 64, /* bodies from which an island is large: parallel, approximate factors */
  QUASI_CHUNK = 32  /* bodies or elements per chunk of parallel work */
};

/* Where in the step geometry is evaluated. */
typedef enum quasi_time { QUASI_START, QUASI_MIDDLE, QUASI_END } quasi_time;

/* ---- bodies ----------------------------------------------------------------------------- */

/* A body during the step. The end of a body that is not free is given. */
typedef struct quasi_body {
  int id;                  /* in the model */
  int node;                /* its node (mover, see rows.h); -1: its motion is not an unknown */
  struct quasi_link *link; /* NULL: not a link, or one that fixed joints hold to the world */
  bool solved;             /* its unknowns are part of the island being solved */
  int column;              /* of its first unknown in Krylov vectors */
  ff_body_motion start;
  ff_vec3 l0;             /* kg m^2/s, at the start */
  double theta;           /* 1: moves with the velocity of the end; 1/2: with the mean velocity */
  ff_vec3 v_free, l_free; /* m/s, kg m^2/s: at the end of free flight */
  /* at the end, by the current unknowns: */
  ff_body_motion end;
  ff_vec3 l;                 /* kg m^2/s; of a link: rad/s, its angular velocity */
  ff_mat3 inv_inertia;       /* 1/(kg m^2), world; 0 if it is not free; of a link: 1 */
  ff_mat3 rotation_jacobian; /* rad/(kg m^2/s): rotation of the end by l */
  ff_pose feature_pose;      /* where feature pairs are selected: the start, or an earlier end */
  ff_pose free_end;          /* end of free flight, for which contacts were selected */
  bool moved;                /* end may differ from free_end */
  ff_pose middle;            /* between start and free_end; of bodies of crowds only */
  ff_vec3 previous_v, previous_l; /* m/s, kg m^2/s: solution of the previous pass */
} quasi_body;

/* ---- elements --------------------------------------------------------------------------- */

/* Key of a factorisation that an element took part in. */
typedef struct quasi_factor_key {
  long factor;         /* number of the factorisation; 0: not reusable */
  int nodes, elements; /* of the island */
  bool approximate;    /* factors with dropped products */
  int id;              /* of the point or constraint */
  int active_set;      /* which complementarity rows are at their bound, and more (bit mask) */
} quasi_factor_key;

/* A contact or a bilateral constraint. Rows 0..5 belong to body a, 6..11 to b, 12.. to the element;
 * columns alike. */
typedef struct quasi_element {
  int a, b;                          /* bodies */
  bool is_constraint;                /* a quasi_constraint; else a quasi_contact */
  int rows;                          /* unknowns of its own */
  bool idle;                         /* no force: its rows are zero, no Jacobian */
  bool shares_load;                  /* there are other contacts of the same two shapes */
  double mass;                       /* kg, effective: scales impulses to speeds */
  double lower[QUASI_OWN_MAX];       /* N s, bounds of its unknowns: 0; -INFINITY: an equation */
  double z[QUASI_OWN_MAX];           /* N s, its unknowns */
  double z_before[QUASI_OWN_MAX];    /* N s, in the step before */
  double z_predicted[QUASI_OWN_MAX]; /* N s, warm start */
  double f[QUASI_ROWS_MAX];          /* N s, N m s in the rows of bodies; own rows in m/s */
  double force_scale, moment_scale;  /* N s, N m s: magnitude of the terms of f */
  double force_noise, moment_noise;  /* N s, N m s: rounding error in them */
  double row_scale[QUASI_OWN_MAX];   /* m/s: magnitude of the terms of its own rows */
  double row_noise[QUASI_OWN_MAX];   /* m/s: rounding error in them */
  double equation[QUASI_OWN_MAX];    /* m/s: min((z - lower) / mass, f), or f if unbounded */
  bool at_bound[QUASI_OWN_MAX];      /* the first of these two is the smaller one */
  double z_base[QUASI_OWN_MAX];      /* N s: where the line search starts, */
  double dz[QUASI_OWN_MAX];          /* its direction, */
  double z_saved[QUASI_OWN_MAX];     /* and the last solution of a continuation */
  double inverse[QUASI_OWN_MAX][QUASI_OWN_MAX];     /* of its own block of the Jacobian */
  double reduced[QUASI_OWN_MAX][2 * QUASI_DOF];     /* inverse times its bodies' columns */
  double offset[QUASI_OWN_MAX];                     /* inverse times equation */
  double own_columns[2 * QUASI_DOF][QUASI_OWN_MAX]; /* columns of z in its bodies' rows */
  int schur[2]; /* indices of its Schur contributions to a and b */
  quasi_factor_key key;
} quasi_element;

/* Jacobian of f with respect to the unknowns of a, of b, and of the element. */
typedef double quasi_jacobian[QUASI_ROWS_MAX][QUASI_ROWS_MAX];

/* State of a contact's compliant layer in a step (layer.c). Of two layers: a's first. */
typedef struct quasi_layer {
  double depth_start;      /* m, depth at the start; order 2 only */
  double deflection_start; /* m */
  double relaxed;          /* m, deflection at which it stops to push */
  double slope[2];         /* N s/m, impulse by deflection */
  double damped[2];        /* N s, impulse that the damper takes off */
  /* tangential: */
  bool coupled;            /* with the normal deflection */
  double compliance[2][2]; /* m/(N s) */
  double shear_start[2];   /* m */
  double shear_damped[2];  /* N s, impulse that the damper adds */
  double coupling[2];      /* N s/m, tangential impulse by depth */
  double pull[2];          /* 1, normal impulse by tangential impulse */
} quasi_layer;

/* Projection of y = P - rho w onto the friction ball. */
typedef struct quasi_projection {
  double y[3], length, radius; /* N s */
  bool slips;                  /* y is outside of the ball */
  bool turned;       /* order 2: w is turned half way to the slip direction of the start */
  double turn[3][3]; /* 1, then: its derivative by the slip of the end */
} quasi_projection;

/* Derivative of a contact's geometry by translations, or by rotations, of body a (columns). */
typedef struct quasi_geometry_slope {
  ff_vec3 depth;
  ff_mat3 point, normal;
  bool normal_turns; /* else normal is zero and not set */
} quasi_geometry_slope;

/* A contact point. Unknowns: p_nr, and with friction P. */
typedef struct quasi_contact {
  quasi_element e;      /* first */
  int point;            /* in the state */
  int inherits;         /* index of the point whose state this contact inherits; -1: new contact, */
  double initial_depth; /* m: whose layer starts with this deflection */
  double core_depth;    /* m, depth that its core allows at the end of the step */
  int pair;             /* of shapes, in the state's nears */
  const ff_layer *layer;
  const ff_cone *cone;
  quasi_layer layer_state;
  double layer_theta;         /* theta that layer_state is for */
  double friction_mass;       /* kg, rho: scales slip to impulses in the projection */
  double friction_compliance; /* 1, regularisation of friction: adds this share of P - P_before */
  ff_vec3 tangent_axis;       /* t1 is this axis, in b's frame, projected on the tangent plane */
  double depth_free;          /* m, at the end of free flight */
  bool carried_over;          /* not evaluated at the end of free flight: touch is of the start */
  ff_touch touch;             /* geometry at the end, by the current unknowns */
  ff_touch touch_start;       /* geometry at the start; order 2 */
  bool in_middle;             /* crowd.c solves it: touch_start is of the middle of the step, where
                               * all of its impulse acts */
  bool at_start;              /* it is set */
  double start_share;         /* 1, share of its impulses that acts there; order 2 */
  double rate;                /* 1/s, see ff_quasi_contact_rate; order 2 */
  bool resolved;              /* the step is short enough for that */
  double damping;             /* N s/(m/s), of an unresolved layer: impulse by the closing speed */
  bool slid_at_start;         /* it slipped there, */
  double slip_start[3];       /* 1, in this direction, in units of the ellipsoid */
  bool in_crowd;              /* its island is solved by crowd.c */
  double p_ns;                /* N s, impulse of the layer */
  double p_ns_slope;          /* N s/m, its derivative by depth, */
  double p_ns_damping;        /* N s/(m/s), and by the closing speed of the end */
  /* of the last residual, unless idle: */
  ff_vec3 impulse, moment; /* N s, N m s about the point, on a */
  ff_vec3 slip;            /* m/s, velocity of a relative to b; with friction only, as */
  quasi_projection projection;
  quasi_geometry_slope slope[2]; /* by translations, by rotations of a */
  ff_pose slope_at[2];           /* poses of a and b that finite differences belong to */
  bool has_slope;                /* finite differences are set */
  ff_layer weighted_layer;       /* the layer times the sample's weight, if that is not 1 */
  /* What its sample pushes a with beside the impulses (push_by_gradients): */
  ff_vec3 gradient_force;  /* N; 0: nothing */
  ff_vec3 gradient_moment; /* N m about gradient_point */
  ff_vec3 gradient_point;  /* m */
  bool fixed;              /* its id (touch.id) is constant over the step: sample_selection.c */
  bool tied; /* explicit geometry: evaluated at on_a, on_b and normal_local of the start */
  /* These, and a pair as a whole (FF_PAIR_WHOLE) of finite shapes, whose witness points may jump,
   * are tied to: */
  ff_vec3 on_a, on_b;   /* m, body frames: the two points */
  ff_vec3 normal_local; /* unit, frame of b */
} quasi_contact;

/* A bilateral constraint. Unknowns: an impulse for each condition. */
typedef struct quasi_constraint {
  quasi_element e;               /* first */
  int constraint;                /* in the model */
  double length;                 /* m, lever that turns angular errors into distances */
  double start_share;            /* share of its impulses that acts at the start: order 2 */
  double ahead;                  /* s, with links in order 2: rows are g + ahead g' */
  ff_constraint_rows rows_start; /* there */
} quasi_constraint;

/* ---- the problem ------------------------------------------------------------------------ */

typedef struct quasi_problem {
  const ff_model *model;
  ff_state *state;
  double h;             /* s, length of the step */
  double gravity_dv;    /* m/s, change of velocity by gravity in the step */
  double theta;         /* of the bodies of the island that is being solved */
  double margin_factor; /* contacts within this multiple of the motion in the step take part */
  quasi_body *bodies;   /* body_count */
  quasi_contact *contacts;
  int contact_count, contact_capacity;
  quasi_constraint *constraints;             /* constraint_count */
  struct quasi_robot *robots;                /* robot_count */
  struct quasi_link_column *link_columns[2]; /* scratch: Jacobian columns of two links */
  /* islands: runs of nodes and of elements, indexed by the island's lowest node */
  quasi_element **elements;        /* sorted by island: contacts, then constraints */
  int *nodes;                      /* node_limit, sorted by island */
  int *first_node, *first_element; /* node_limit + 2 */
  int *parent;                     /* node_limit: union-find forest, roots are the lowest nodes */
  int node_limit;                  /* free bodies and robots */
  int island_limit;                /* node_limit, or 0: nothing to solve */
  bool has_crowd;                  /* one of them is solved by crowd.c */
  bool *is_crowd;                  /* node_limit, by the island's lowest node */
  int grouped_contacts; /* contact_count of these islands, if the pairs are the same; -1: none */
  /* the island that is being solved: */
  const int *solved_nodes;
  int node_count;
  quasi_element **members;
  int member_count;
  bool is_large;          /* parallel work, approximate factors */
  double friction_factor; /* share of the friction coefficients; 1 but in the friction homotopy */
  bool project_friction;  /* residuals first scale friction outside of its cone back to it */
} quasi_problem;

/* Are crowds solved as exactly as other islands? Else to quasi_accuracy. */
static inline bool quasi_is_exact(const ff_model *model) {
  return model->run.stepper.accuracy == 0;
}
#define QUASI_ACCURACY                                                                             \
  1e-3 /* of crowds, unless the scene has another; where exact: of its start                       \
        */
static inline double quasi_accuracy(const ff_model *model) {
  double accuracy = model->run.stepper.accuracy;
  return accuracy > 0 ? accuracy : QUASI_ACCURACY;
}

/* The body of a node; NULL: it is a robot. */
static inline quasi_body *quasi_node_body(const quasi_problem *problem, int node) {
  const ff_model *model = problem->model;
  return node < model->free_count ? &problem->bodies[model->free_bodies[node]] : NULL;
}
/* The robot of a node; < 0: it is a free body. */
static inline int quasi_node_robot(const quasi_problem *problem, int node) {
  return node - problem->model->free_count;
}
/* Is a robot in the island that is being solved? Nodes are sorted, robots last. */
static inline bool quasi_has_robot(const quasi_problem *problem) {
  return quasi_node_robot(problem, problem->solved_nodes[problem->node_count - 1]) >= 0;
}
/* Body a (s = 0) or b (s = 1) of an element. */
static inline const quasi_body *quasi_side(const quasi_problem *problem, const quasi_element *e,
                                           int s) {
  return &problem->bodies[s == 0 ? e->a : e->b];
}
/* The contact of an element; NULL: it is a constraint. */
static inline quasi_contact *quasi_contact_of(quasi_element *e) {
  return e->is_constraint ? NULL : (quasi_contact *)e;
}
/* Number of contacts from this one on that belong to its pair of shapes. */
static inline int quasi_pair_size(const quasi_problem *problem, const quasi_contact *contact) {
  const quasi_contact *end = problem->contacts + problem->contact_count, *next = contact + 1;
  while (next < end && next->pair == contact->pair) {
    next++;
  }
  return (int)(next - contact);
}

/* Index of a coordinate of a robot in vectors and blocks: leaves before roots, so that elimination
 * leaves no fill between branches [Featherstone08 sec. 6.5]. */
static inline int quasi_robot_index(const ff_model_robot *robot, int k) {
  return robot->v_count - 1 - k;
}

static inline bool quasi_has_core(const quasi_contact *contact) {
  return isfinite(contact->layer->max_deflection);
}
/* Does the core bear a load, by more than rounding? */
static inline bool quasi_core_bears(const quasi_problem *problem, const quasi_contact *contact) {
  double z = contact->e.z[0], gap = contact->core_depth - contact->touch.depth;
  return z > 1e-9 * contact->p_ns && z * problem->h > contact->e.mass * gap;
}
/* Centre of a body at a time of the step. */
static inline ff_vec3 quasi_centre(const quasi_body *body, quasi_time at) {
  return at == QUASI_START ? body->start.pose.position
         : at == QUASI_END ? body->end.pose.position
                           : body->middle.position;
}
/* The time that touch_start is of. */
static inline quasi_time quasi_early(const quasi_contact *contact) {
  return contact->in_middle ? QUASI_MIDDLE : QUASI_START;
}
/* From the centre of a body to the contact, at the end or where touch_start is. */
static inline ff_vec3 quasi_arm(const quasi_contact *contact, const quasi_body *body, bool start) {
  return start ? v3_sub(contact->touch_start.point, quasi_centre(body, quasi_early(contact)))
               : v3_sub(contact->touch.point, body->end.pose.position);
}
/* Velocity of a body at the contact, at the end or at the start. */
static inline ff_vec3 quasi_velocity(const quasi_contact *contact, const quasi_body *body,
                                     bool start) {
  const ff_body_motion *motion = start ? &body->start : &body->end;
  return v3_add(motion->velocity, v3_cross(motion->omega, quasi_arm(contact, body, start)));
}
/* Velocity of a relative to b at the contact, and angular velocity about the normal, at the end. */
static inline ff_vec3 quasi_slip(const quasi_problem *problem, const quasi_contact *contact,
                                 double *spin) {
  const quasi_body *a = &problem->bodies[contact->e.a], *b = &problem->bodies[contact->e.b];
  *spin = v3_dot(contact->touch.normal, v3_sub(a->end.omega, b->end.omega));
  return v3_sub(quasi_velocity(contact, a, false), quasi_velocity(contact, b, false));
}
/* Impulse on a and moment about the point, in the frame of the touch at the end or at the start. */
static inline ff_vec3 quasi_impulse(const quasi_contact *contact, const ff_touch *touch,
                                    ff_vec3 *moment) {
  const double *e = contact->cone->e, *p = contact->e.z + 1;
  ff_vec3 out = v3_scale(contact->p_ns + contact->e.z[0], touch->normal);
  out = v3_axpy(out, e[0] * p[0], touch->t1);
  out = v3_axpy(out, e[1] * p[1], v3_cross(touch->normal, touch->t1));
  *moment = v3_scale(e[2] * p[2], touch->normal);
  return out;
}
/* Point at which an impulse must act so that x x m v changes by its moment in the step as taken:
 * with x1 = x0 + h ((1 - theta) v0 + theta v1) and m (v1 - v0) = p the change is
 * (x0 + (1 - theta) h v0) x p. */
static inline ff_vec3 quasi_pivot(const quasi_problem *problem, const quasi_body *body) {
  return v3_axpy(body->start.pose.position, (1 - body->theta) * problem->h, body->start.velocity);
}

#endif
