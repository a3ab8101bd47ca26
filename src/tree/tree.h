/* Inside of a tree and of its workspace.
 *
 * Everything about link i is written in the coordinates of link i, as in [Featherstone08]; the
 * ground is link 0. Symbols of the book: lambda(i) parent, X transform from parent to link,
 * S motion subspace, v velocity, c bias acceleration, I inertia.
 */
#ifndef FF_TREE_TREE_H
#define FF_TREE_TREE_H

#include "footfall/tree.h"
#include "math/spatial.h"

enum { FF_JOINT_DOF = 6 }; /* most coordinates of a joint */

typedef struct ff_tree_link_data {
  const char *name;
  int parent;
  int q_at, q_count, v_at, v_count;
  ff_joint_def joint; /* axes unit; planar: axis2 at right angles to axis */
  ff_si inertia;
} ff_tree_link_data;

struct ff_tree {
  int count;            /* links, ground included: 0 .. count - 1 */
  int q_count, v_count; /* numbers in q and v */
  double mass;          /* kg */
  ff_tree_link_data *links;
  int *dof_parent;  /* of each coordinate, -1: none; [Featherstone08 sec. 6.4] */
  double *armature; /* of each coordinate */
  char *names;
};

/* A full 6 x 6 matrix [aa al; la ll]. */
typedef struct ff_sm {
  ff_mat3 aa, al, la, ll;
} ff_sm;

struct ff_tree_work {
  const ff_tree *tree;
  /* from ff_tree_update; arrays of count links, or of v_count where said */
  double *rates; /* v_count: the generalised velocity */
  ff_sx *x;      /* parent -> link */
  ff_pose *pose; /* world */
  ff_sv *v;      /* spatial velocity */
  ff_sv *c;      /* acceleration at rest joints: v x S q' + S_ring q' */
  ff_sv *s;      /* v_count: columns of the motion subspaces */
  ff_sv *s_ring; /* v_count: their rates seen from the link */
  /* of the algorithms */
  ff_sv *a, *f;     /* acceleration, force or bias force */
  ff_si *ic;        /* composite inertia */
  ff_sa *ia;        /* articulated inertia */
  ff_sm *b;         /* of ff_tree_coriolis */
  ff_sv *u;         /* v_count: U = I^A S */
  double *d;        /* FF_JOINT_DOF for each v: factor of D = S^T U */
  double *rest;     /* v_count: u = tau - S^T p */
  double *jacobian; /* 6 v_count */
  double *added;    /* v_count, to the diagonal of H in forward dynamics */
  void *block;      /* holds all of these */
};

/* Where a joint with coordinates q puts its link in the frame of the parent, the columns of S
 * and, at rates v (may be NULL), of its rate. */
ff_pose ff_joint_place(const ff_tree_link_data *link, const double *q, const double *v, ff_sv *s,
                       ff_sv *s_ring);
/* Checks the i-th description; the report's key is "links.<name>.<what>". */
ff_status ff_link_check(const ff_link_def *link, int i, ff_report *report);
/* Numbers in q and v of a joint. */
int ff_joint_q_count(ff_joint_kind kind);
int ff_joint_v_count(ff_joint_kind kind);
bool ff_joint_one_axis(ff_joint_kind kind);

/* A wrench from outside in link coordinates. */
static inline ff_sv ff_wrench_seen(const ff_tree_work *work, int link, const ff_tree_wrench *w) {
  ff_quat q = work->pose[link].orientation;
  return (ff_sv){q_unrotate(q, w->torque), q_unrotate(q, w->force)};
}

#endif
