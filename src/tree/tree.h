/* Internals of a tree and its workspace.
 *
 * Quantities of link i are in world axes at the origin of link i, so that the transform between
 * links is a translation; the ground is link 0. The equations of [Featherstone08] hold in such
 * frames, also if link 0 has a prescribed motion. Symbols of the book: lambda(i) parent, S motion
 * subspace, v velocity, c bias acceleration, I inertia; r is the position of the link's origin
 * relative to its parent's.
 *
 * A link whose joint mimics another has no coordinates of its own: the other's coordinates move it,
 * through columns of S that are its own times the factor. */
#ifndef FF_TREE_TREE_H
#define FF_TREE_TREE_H

#include "base/keep.h"
#include "footfall/tree.h"
#include "math/spatial.h"

enum { FF_JOINT_DOF = 6 }; /* most coordinates of a joint */

typedef struct ff_tree_link_data {
  const char *name;
  int parent;
  int q_at, q_count, v_at, v_count; /* of a mimic joint: those of the other */
  int s_at;                         /* index of its first column of S */
  bool parallel;                    /* its joint's frame is not rotated */
  bool hinge;                       /* revolute joint */
  bool moves;                       /* carries moving links */
  bool still;      /* fixed to its parent, which includes its inertia; carries no moving link */
  bool concentric; /* its origin coincides with its parent's */
  bool idle;       /* its joint has no springs, stops or losses */
  int follows;     /* link whose coordinate moves it (mimic); 0: its own */
  double factor, offset; /* its angle is factor q + offset; 1 and 0 without mimic */
  ff_joint_def joint;    /* axes unit; planar: axis2 orthogonal to axis */
  ff_si inertia;         /* link axes; includes links fixed to it */
} ff_tree_link_data;

struct ff_tree {
  int count;            /* links, ground included: 0 .. count - 1 */
  int q_count, v_count; /* numbers in q and v */
  int s_count;          /* columns of S: v_count, and one per mimic joint */
  double mass;          /* kg */
  ff_tree_link_data *links;
  int *dof_parent;  /* parent of each coordinate, -1: none [Featherstone08 sec. 6.4]. With mimic
                       joints the previous coordinate: H is then full. */
  double *armature; /* of each coordinate */
  bool rotors;      /* some armature is nonzero */
  bool resists;     /* some joint has damping or dry friction */
  char *names;
};

/* A full 6 x 6 matrix [aa al; la ll]. */
typedef struct ff_sm {
  ff_mat3 aa, al, la, ll;
} ff_sm;

/* Sums over all links, about the world's origin. */
typedef struct ff_tree_sums {
  ff_vec3 moment; /* kg m, mass times position */
  ff_sv momentum;
  double kinetic; /* J, without armature */
} ff_tree_sums;

/* Motion of link 0, at its origin. */
typedef struct ff_tree_base {
  ff_pose pose;
  ff_sv v, a; /* spatial velocity and acceleration: a.l = v' - omega x v */
} ff_tree_base;

struct ff_tree_work {
  const ff_tree *tree;
  ff_tree_base base; /* see ff_tree_set_base */
  /* from ff_tree_update, all in one block; arrays of count links, or of v_count or s_count where
   * stated */
  double *rates;   /* v_count: the generalised velocity */
  ff_vec3 *r;      /* m, from the parent's origin */
  ff_pose *pose;   /* world */
  ff_mat3 *turn;   /* orientation as a matrix */
  ff_sv *v;        /* spatial velocity */
  ff_sv *c;        /* bias acceleration, at zero joint accelerations: v x S q' + S_ring q' */
  ff_sv *s;        /* s_count: columns of the motion subspaces */
  ff_sv *s_ring;   /* s_count: their rates in the link frame */
  ff_si *inertia;  /* of the links alone */
  ff_sv *momentum; /* of the links alone: I v */
  ff_tree_sums sums;
  /* workspace of the algorithms */
  ff_sv *a, *f;     /* acceleration, force or bias force */
  ff_sv *more;      /* forward dynamics: acceleration in addition to that at constant rates */
  ff_si *ic;        /* composite inertia */
  ff_sa *ia;        /* articulated inertia */
  ff_sm *b;         /* of ff_tree_coriolis */
  ff_sv *u;         /* v_count: U = I^A S */
  double *d;        /* FF_JOINT_DOF for each v: factor of D = S^T U */
  double *rest;     /* v_count: u = tau - S^T p */
  double *jacobian; /* 6 v_count */
  double *added;    /* v_count, added to the diagonal of H in forward dynamics */
  double *h;        /* v_count^2 with mimic joints: H and its factor */
  ff_sv ground;     /* force from the ground in the last forward dynamics */
  int stuck; /* link whose joint had no inertia to move when forward dynamics failed; 0: unknown */
  void *block; /* allocation of all of these */
};

/* ff_tree_build with rotor inertias in place of those of the joints: FF_JOINT_DOF numbers a link,
 * of its joint's axes; NAN: that of the joint. rotors NULL: all of the joints. */
ff_status ff_tree_build_rotors(ff_tree **out, const ff_link_def *links, int count,
                               const double *rotors, ff_report *report);

/* ---- another distribution of mass ----------------------------------------------------------- */

/* A tree of its own. */
ff_status ff_tree_copy(ff_tree **out, const ff_tree *from);
/* Takes the inertias of a tree of which `to` is a copy. */
void ff_tree_copy_inertia(ff_tree *to, const ff_tree *from);
/* Adds to the inertia of a link (link axes, about its origin). */
void ff_tree_add_inertia(ff_tree *tree, int link, ff_si more);
/* Continues with a copy of its tree; ff_tree_update must follow. */
void ff_tree_work_set_tree(ff_tree_work *work, const ff_tree *tree);

/* Prescribes the motion of link 0, which is at rest otherwise; ff_tree_update must follow. */
void ff_tree_set_base(ff_tree_work *work, const ff_tree_base *base);
/* Power of the ground's wrench (about the world's origin) if link 0 moves with velocity v. */
double ff_tree_base_power(const ff_tree_work *work, ff_tree_wrench ground, ff_sv v);

/* Lists what ff_tree_update sets, and the added inertia. */
void ff_tree_work_keep(ff_tree_work *work, ff_keep *keep);

/* Pose of a link relative to its joint's frame for coordinates q. */
ff_pose ff_joint_pose(const ff_joint_def *joint, const double *q);
/* Columns of S in world axes for a link of orientation `turn`, and their rates where nonzero. */
void ff_joint_columns(const ff_joint_def *joint, const double *q, const double *v,
                      const ff_mat3 *turn, ff_sv *s, ff_sv *s_ring);
/* Does S change in the link frame? */
static inline bool ff_joint_has_ring(ff_joint_kind kind) {
  return kind == FF_JOINT_UNIVERSAL || kind == FF_JOINT_PLANAR;
}
/* Checks the i-th description; the report's key is "links.<name>.<what>". */
ff_status ff_link_check(const ff_link_def *links, int count, int i, ff_report *report);
/* Numbers in q and v of a joint. */
int ff_joint_q_count(ff_joint_kind kind);
int ff_joint_v_count(ff_joint_kind kind);
bool ff_joint_one_axis(ff_joint_kind kind);

/* Does the link have coordinates of its own? */
static inline bool ff_link_owns(const ff_tree_link_data *link) {
  return link->v_count > 0 && link->follows == 0;
}
/* Angle and rate of a link with one coordinate, mimic included. */
static inline double ff_link_q(const ff_tree_link_data *link, const double *q) {
  return link->factor * q[link->q_at] + link->offset;
}
static inline double ff_link_rate(const ff_tree_link_data *link, const double *v) {
  return link->factor * v[link->v_at];
}
/* Force of spring and stops of a joint with one coordinate; adds to what is stored and lost. */
double ff_joint_elastic_load(const ff_joint_def *joint, double q, double v, ff_joint_loads *loads);
/* Acceleration of a link in the last forward dynamics, with gravity as an acceleration of the
 * ground. */
static inline ff_sv ff_link_acceleration(const ff_tree_work *work, int i) {
  return sv_add(work->a[i], work->more[i]);
}
/* Lower triangle of H, sufficient for factorisation. */
void ff_tree_inertia_below(ff_tree_work *work, double *inertia);
/* ff_tree_factor and ff_tree_solve for any parents of coordinates (-1: none; a chain gives a full
 * matrix). down: x := L^-T x; up: x := L^-1 x. */
bool ff_branch_factor(const int *parent, int count, double *inertia);
/* Length of the initial chain: coordinates before the first whose parent is not the previous one.
 */
int ff_branch_chain(const int *parent, int count);
void ff_branch_down(const int *parent, int count, const double *factor, double *x);
void ff_branch_up(const int *parent, int count, const double *factor, double *x);

/* Columns of the point Jacobian: velocity of a point of the link, and its angular velocity, per
 * coordinate, world. Sets those of the last coordinate that moves the link, which is returned (-1:
 * none), and of its ancestors. */
int ff_tree_point_columns(const ff_tree_work *work, int link, ff_vec3 point, ff_vec3 *columns,
                          ff_vec3 *turns);

/* ff_tree_q_move with the velocity at the end: free joints move the centre of mass of their link
 * straight along its velocity there. */
void ff_tree_q_arrive(const ff_tree *tree, double *q, const double *v, double h);

/* ff_tree_ground_wrench after ff_tree_inverse_dynamics. */
ff_tree_wrench ff_tree_carried_wrench(const ff_tree_work *work);

/* An external wrench as a spatial force vector. */
static inline ff_sv ff_wrench_force(const ff_tree_wrench *w) {
  return (ff_sv){w->torque, w->force};
}

#endif
