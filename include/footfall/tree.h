/* Trees of links and joints: kinematics, dynamics and inverse kinematics, usable alone.
 *
 *   ff_tree_build(&tree, links, count, &report);      immutable, may be shared by threads
 *   ff_tree_work_create(&work, tree);                 one for each thread
 *   ff_tree_update(work, q, v);                       kinematics of a state,
 *   ff_tree_forward_dynamics(work, tau, g, NULL, a);  used by all other calls
 *
 * Links are numbered 1 .. count, a parent before its children; 0 is the ground. A link's frame is
 * the frame of its joint: at q = 0 both poses are the joint's `frame`.
 *
 * kind         q                           v (generalised velocity)
 * fixed        -                           -
 * revolute     angle                       its rate; the same for continuous (no limits)
 * prismatic    distance along axis         its rate
 * universal    angle about axis, then      their rates
 *              about axis2 (rotated with it)
 * planar       x, y, angle about axis z    their rates
 * spherical    unit quaternion (w,x,y,z)   angular velocity, link axes
 * free         position, then quaternion   angular velocity, then velocity of the link's origin;
 *                                          both in link axes
 *
 * Only build and create allocate.
 */
#ifndef FOOTFALL_TREE_H
#define FOOTFALL_TREE_H

#include "footfall/api.h"
#include "footfall/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- description ----------------------------------------------------------------------------- */

typedef enum ff_joint_kind {
  FF_JOINT_FIXED,
  FF_JOINT_REVOLUTE,
  FF_JOINT_CONTINUOUS,
  FF_JOINT_PRISMATIC,
  FF_JOINT_UNIVERSAL,
  FF_JOINT_PLANAR,
  FF_JOINT_SPHERICAL,
  FF_JOINT_FREE,
  FF_JOINT_KIND_COUNT
} ff_joint_kind;

/* "revolute", ...: the name in files and messages. */
FF_API const char *ff_joint_kind_name(ff_joint_kind kind);

/* "" for joints with one axis; else the suffix of the k-th number in v: "-x", "-y", "-angle"
 * (planar), "-1", "-2" (universal), "-rx", ... "-x", ... (spherical, free). */
FF_API const char *ff_joint_axis_name(ff_joint_kind kind, int k);

/* Units with m for distances and rad for angles: N m s/rad or N s/m, and so on. */
typedef struct ff_joint_def {
  ff_joint_kind kind;
  ff_pose frame;            /* at q = 0, in the frame of the parent link */
  ff_vec3 axis;             /* joint frame, need not be unit; planar: normal of the plane */
  ff_vec3 axis2;            /* universal: the second axis; planar: direction of x */
  double armature;          /* kg m^2 or kg, inertia of a geared rotor, on each coordinate */
  double damping;           /* N m s/rad, on each coordinate */
  double friction;          /* N m, dry, on each coordinate */
  double friction_speed;    /* rad/s, speed of regularisation: dry friction is reached beyond about
                               this speed */
  double stiffness, rest;   /* N m/rad, rad: a spring; one-axis joints */
  double lower, upper;      /* rad; infinite: none; one-axis joints */
  double limit_stiffness;   /* N m/rad of the stop beyond a limit; 0: no stop */
  double limit_dissipation; /* s/rad, Hunt-Crossley damping of the stop */
} ff_joint_def;

typedef struct ff_link_def {
  const char *name; /* for messages; may be NULL */
  int parent;       /* 0: the ground */
  ff_joint_def joint;
  /* Mimic joint: it has no coordinates of its own and moves with those of the link `follows`,
   * exactly. Both have one axis; 0: not a mimic joint. */
  int follows;
  double factor, offset; /* its angle (or distance) is factor q + offset */
  double mass;           /* kg */
  ff_vec3 com;           /* m, link frame */
  ff_mat3 inertia;       /* kg m^2 about the centre of mass, link axes */
} ff_link_def;

/* A massless link fixed to the ground, without limits, springs or losses; factor 1. */
FF_API ff_link_def ff_link_def_default(void);

/* ---- creation -------------------------------------------------------------------------------- */

typedef struct ff_tree ff_tree;
typedef struct ff_tree_work ff_tree_work;

/* links[0] is link 1. Checks everything; every moving joint must carry mass. */
FF_API ff_status ff_tree_build(ff_tree **out, const ff_link_def *links, int count,
                               ff_report *report);
FF_API void ff_tree_destroy(ff_tree **tree);
/* The tree must outlive it. */
FF_API ff_status ff_tree_work_create(ff_tree_work **out, const ff_tree *tree);
FF_API void ff_tree_work_destroy(ff_tree_work **work);

FF_API int ff_tree_link_count(const ff_tree *tree);
FF_API int ff_tree_q_count(const ff_tree *tree); /* numbers in q */
FF_API int ff_tree_v_count(const ff_tree *tree); /* numbers in v, a, tau */
FF_API double ff_tree_mass(const ff_tree *tree); /* kg */

typedef struct ff_link_info {
  const char *name;
  int parent;
  ff_joint_kind kind;
  int q_at, q_count; /* its part of q; of a mimic joint, that of the other */
  int v_at, v_count; /* its part of v; of a mimic joint, that of the other */
  int follows; /* link whose coordinate moves it, chains of mimic joints resolved; 0: its own */
  double factor, offset;
} ff_link_info;

FF_API ff_link_info ff_tree_link(const ff_tree *tree, int link);

/* ---- coordinates ----------------------------------------------------------------------------- */

/* All joints at zero, quaternions at identity. */
FF_API void ff_tree_neutral(const ff_tree *tree, double *q);
/* dq/dt for velocity v. */
FF_API void ff_tree_q_rate(const ff_tree *tree, const double *q, const double *v, double *dq);
/* Integrates q with constant velocity v over time h, along arcs; quaternions stay unit. */
FF_API void ff_tree_q_move(const ff_tree *tree, double *q, const double *v, double h);
/* Normalises quaternions. */
FF_API void ff_tree_q_tidy(const ff_tree *tree, double *q);

/* ---- kinematics ------------------------------------------------------------------------------ */

/* Poses and velocities of all links; v NULL: at rest. */
FF_API void ff_tree_update(ff_tree_work *work, const double *q, const double *v);

FF_API ff_pose ff_tree_pose(const ff_tree_work *work, int link);     /* of the link frame, world */
FF_API ff_vec3 ff_tree_velocity(const ff_tree_work *work, int link); /* m/s, of its origin, world */
FF_API ff_vec3 ff_tree_omega(const ff_tree_work *work, int link);    /* rad/s, world */

/* Jacobian of a point (m, world) fixed to the link: 6 x v_count numbers, row by row; angular
 * velocity first, then velocity, in world axes. */
FF_API void ff_tree_jacobian(const ff_tree_work *work, int link, ff_vec3 point, double *jacobian);
/* Time derivative of the Jacobian. */
FF_API void ff_tree_jacobian_rate(const ff_tree_work *work, int link, ff_vec3 point, double *rate);

/* ---- dynamics -------------------------------------------------------------------------------- */

/* External wrench on a link. */
typedef struct ff_tree_wrench {
  ff_vec3 force;  /* N, world */
  ff_vec3 torque; /* N m about the origin of the link frame, world */
} ff_tree_wrench;

/* tau for acceleration a (NULL: zero). wrenches: one per link, or NULL. */
FF_API void ff_tree_inverse_dynamics(ff_tree_work *work, const double *a, ff_vec3 gravity,
                                     const ff_tree_wrench *wrenches, double *tau);
/* Acceleration under tau, in time linear in the number of links (cubic in v_count with mimic
 * joints). a and tau may be the same array. False if the tree's inertia is not positive definite:
 * then a is not set. */
FF_API bool ff_tree_forward_dynamics(ff_tree_work *work, const double *tau, ff_vec3 gravity,
                                     const ff_tree_wrench *wrenches, double *a);
/* Wrench of the ground on the tree through its joints in the last forward dynamics: force, and
 * torque about the world's origin (world axes). */
FF_API ff_tree_wrench ff_tree_ground_wrench(const ff_tree_work *work);
/* v_count numbers that ff_tree_forward_dynamics adds to the diagonal of H; initially 0. For a force
 * -k a that depends on the acceleration, as in implicit steps, this is k. */
FF_API double *ff_tree_added_inertia(ff_tree_work *work);
/* Joint-space inertia H, v_count x v_count, symmetric, both triangles filled. */
FF_API void ff_tree_inertia(ff_tree_work *work, double *inertia);
/* A matrix C with C v the Coriolis and centrifugal forces and skew-symmetric dH/dt - 2 C. */
FF_API void ff_tree_coriolis(ff_tree_work *work, double *coriolis);

/* In place: the lower triangle of H becomes L with H = L^T L; branch-induced zeros are skipped.
 * False if H is not positive definite. */
FF_API bool ff_tree_factor(const ff_tree *tree, double *inertia);
/* x := H^-1 x with the L of ff_tree_factor. */
FF_API void ff_tree_solve(const ff_tree *tree, const double *factor, double *x);

/* Passive loads of all joints: springs, stops, damping and dry friction. */
typedef struct ff_joint_loads {
  double stored; /* J, in springs and stops */
  double lost;   /* W, in damping, friction and stops */
} ff_joint_loads;

/* Adds the passive forces at state q, v to tau. */
FF_API ff_joint_loads ff_tree_joint_loads(const ff_tree *tree, const double *q, const double *v,
                                          double *tau);

/* Resistance of each coordinate by damping and dry friction at velocities v: their force is
 * -resistance v. v_count numbers. */
FF_API void ff_tree_resistance(const ff_tree *tree, const double *v, double *resistance);

/* ---- whole tree ------------------------------------------------------------------------------ */

typedef struct ff_tree_motion {
  ff_vec3 com;      /* m, centre of mass, world */
  ff_vec3 velocity; /* m/s, of the centre of mass */
  ff_vec3 linear;   /* kg m/s */
  ff_vec3 angular;  /* kg m^2/s about the centre of mass */
  double kinetic;   /* J, rotors included */
  double gravity;   /* J, 0 with the centre of mass at the origin */
} ff_tree_motion;

FF_API ff_tree_motion ff_tree_whole(const ff_tree_work *work, ff_vec3 gravity);

/* Point of the plane through `origin` with unit `normal` about which a wrench (force, and torque
 * about the world origin) has no moment along the plane: the centre of pressure of contact forces.
 * NAN: no normal force. */
FF_API ff_vec3 ff_center_of_pressure(ff_vec3 force, ff_vec3 torque, ff_vec3 origin, ff_vec3 normal);
/* Zero-moment point on the same plane: centre of pressure of the ground force that the acceleration
 * a requires. Agrees with the centre of pressure when only the ground acts on the tree. */
FF_API ff_vec3 ff_tree_zero_moment_point(ff_tree_work *work, const double *a, ff_vec3 gravity,
                                         ff_vec3 origin, ff_vec3 normal);

/* ---- inverse kinematics ---------------------------------------------------------------------- */

/* Target of inverse kinematics: a point of a link at a place. */
typedef struct ff_reach_def {
  int link;           /* the link to move */
  ff_vec3 point;      /* m, of that link, in its frame */
  ff_pose target;     /* desired position of the point and orientation of the link, world */
  bool position_only; /* the orientation is free */
  int root;           /* only joints between this link and `link` move; 0: all from the ground */
  double length;      /* m, an error of 1 rad counts as much as one of this length */
  double tolerance;   /* m, error at which the iteration ends */
  int most;           /* iterations */
} ff_reach_def;

FF_API ff_reach_def ff_reach_def_default(void); /* length 0.1, tolerance 1e-10, 200 iterations */

typedef struct ff_reach_info {
  bool reached;
  int iterations;
  double position_error; /* m */
  double angle_error;    /* rad */
} ff_reach_info;

/* Damped least squares from q, within the limits of the joints; q becomes the best configuration
 * found, and the work is updated to it. */
FF_API ff_reach_info ff_tree_reach(ff_tree_work *work, const ff_reach_def *def, double *q);

/* Six-axis leg: hip yaw (z), roll (x) and pitch (y) with intersecting axes, knee pitch, ankle pitch
 * and roll with intersecting axes. Straight down with all angles zero; x is forward, and a positive
 * knee angle moves the heel back. */
typedef struct ff_leg {
  double thigh, shank; /* m, hip to knee, knee to ankle */
} ff_leg;

/* Pose of the foot at the ankle, relative to the hip, for angles in the order above (rad). */
FF_API ff_pose ff_leg_pose(const ff_leg *leg, const double angles[6]);
/* The angles, with the knee bent forward, in closed form. False if the foot is out of reach (too
 * far or too near): then the angles are those of the leg stretched (folded) towards it, with the
 * orientation of the foot. */
FF_API bool ff_leg_angles(const ff_leg *leg, ff_pose foot, double angles[6]);

#ifdef __cplusplus
}
#endif
#endif
