/* Coordinates and forward kinematics. */
#include "math/elementary.h"
#include "tree/tree.h"

#include <string.h>

void ff_tree_neutral(const ff_tree *tree, double *q) {
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    if (!ff_link_owns(link)) {
      continue;
    }
    memset(q + link->q_at, 0, (size_t)link->q_count * sizeof *q);
    if (link->joint.kind == FF_JOINT_SPHERICAL || link->joint.kind == FF_JOINT_FREE) {
      q[link->q_at + link->q_count - 4] = 1;
    }
  }
}

/* dq/dt = 1/2 q (0, omega), omega in link axes. */
static void quaternion_rate(const double *q, const double *omega, double *dq) {
  ff_quat half = {0, 0.5 * omega[0], 0.5 * omega[1], 0.5 * omega[2]};
  ff_quat rate = q_mul((ff_quat){q[0], q[1], q[2], q[3]}, half);
  dq[0] = rate.w;
  v3_store(dq + 1, v3(rate.x, rate.y, rate.z));
}

void ff_tree_q_rate(const ff_tree *tree, const double *q, const double *v, double *dq) {
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    const double *from = q + link->q_at, *rate = v + link->v_at;
    double *to = dq + link->q_at;
    if (!ff_link_owns(link)) {
      continue;
    }
    if (link->joint.kind == FF_JOINT_SPHERICAL) {
      quaternion_rate(from, rate, to);
    } else if (link->joint.kind == FF_JOINT_FREE) {
      ff_quat turn = q_unit((ff_quat){from[3], from[4], from[5], from[6]});
      v3_store(to, q_rotate(turn, v3_load(rate + 3)));
      quaternion_rate(from + 3, rate, to + 3);
    } else {
      memcpy(to, rate, (size_t)link->q_count * sizeof *to);
    }
  }
}

static ff_quat rotate_coordinates(double *q, ff_vec3 rotation) {
  ff_quat before = q_unit((ff_quat){q[0], q[1], q[2], q[3]});
  ff_quat after = q_unit(q_mul(before, q_exp(rotation)));
  q[0] = after.w;
  v3_store(q + 1, v3(after.x, after.y, after.z));
  return before;
}

/* Displacement of a free link's origin if its centre of mass moves straight, with the velocity at
 * the end. */
static ff_vec3 origin_displacement(const ff_tree_link_data *link, const double *rate,
                                   ff_quat before, ff_quat after, double h) {
  double share = link->inertia.m > 0 ? 1 / link->inertia.m : 0;
  ff_vec3 com = v3_scale(share, link->inertia.h);
  ff_vec3 moves = v3_add(v3_load(rate + 3), v3_cross(v3_load(rate), com));
  ff_vec3 swung = v3_sub(q_rotate(before, com), q_rotate(after, com));
  return v3_axpy(swung, h, q_rotate(after, moves));
}

static void tree_integrate_q(const ff_tree *tree, double *q, const double *v, double h, bool late) {
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    const double *rate = v + link->v_at;
    double *to = q + link->q_at;
    ff_joint_kind kind = link->joint.kind;
    if (!ff_link_owns(link)) {
      continue;
    }
    if (link->hinge) {
      to[0] += h * rate[0];
    } else if (kind == FF_JOINT_SPHERICAL) {
      rotate_coordinates(to, v3_scale(h, v3_load(rate)));
    } else if (kind == FF_JOINT_FREE) {
      ff_quat before = rotate_coordinates(to + 3, v3_scale(h, v3_load(rate)));
      ff_quat after = {to[3], to[4], to[5], to[6]};
      ff_vec3 way = late ? origin_displacement(link, rate, before, after, h)
                         : v3_scale(h, q_rotate(before, v3_load(rate + 3)));
      v3_store(to, v3_add(v3_load(to), way));
    } else {
      for (int k = 0; k < link->q_count; k++) {
        to[k] += h * rate[k];
      }
    }
  }
}

void ff_tree_q_move(const ff_tree *tree, double *q, const double *v, double h) {
  tree_integrate_q(tree, q, v, h, false);
}

void ff_tree_q_arrive(const ff_tree *tree, double *q, const double *v, double h) {
  tree_integrate_q(tree, q, v, h, true);
}

void ff_tree_q_tidy(const ff_tree *tree, double *q) {
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    if (link->q_count > 3) {
      double *at = q + link->q_at + link->q_count - 4;
      ff_quat turn = q_unit((ff_quat){at[0], at[1], at[2], at[3]});
      at[0] = turn.w;
      v3_store(at + 1, v3(turn.x, turn.y, turn.z));
    }
  }
}

/* Pose of a link for a displacement and rotation in its joint. */
static void tree_place_link(ff_tree_work *work, int i, ff_vec3 moved, ff_quat turned) {
  const ff_tree_link_data *link = &work->tree->links[i];
  const ff_pose *parent = &work->pose[link->parent], *frame = &link->joint.frame;
  if (!link->parallel) {
    moved = q_rotate(frame->orientation, moved);
    turned = q_mul(frame->orientation, turned);
  }
  ff_vec3 r = v3(0, 0, 0);
  if (!link->concentric) {
    r = m3_mul(work->turn[link->parent], v3_add(frame->position, moved));
  }
  ff_quat turn = q_mul(parent->orientation, turned);
  work->r[i] = r;
  work->pose[i] = (ff_pose){v3_add(parent->position, r), turn};
  work->turn[i] = q_matrix(turn);
}

/* Velocity of a link from its parent's: v = v_parent + S q', and its bias acceleration
 * c = S_ring q' + v x S q' [Featherstone08 sec. 5.3]. */
static void tree_update_link(ff_tree_work *work, int i, const double *q) {
  const ff_tree_link_data *link = &work->tree->links[i];
  ff_sv *s = work->s + link->s_at, *ring = work->s_ring + link->s_at;
  const double *rates = work->rates + link->v_at;
  double followed = link->follows > 0 ? ff_link_q(link, q) : 0;
  q = link->follows > 0 ? &followed : q + link->q_at;
  ff_pose pose = ff_joint_pose(&link->joint, q);
  tree_place_link(work, i, pose.position, pose.orientation);
  ff_joint_columns(&link->joint, q, rates, &work->turn[i], s, ring);
  if (link->follows > 0) {
    *s = sv_axpy(sv_zero(), link->factor, *s);
  }
  ff_sv across = sv_zero(), bias = sv_zero();
  for (int k = 0; k < link->v_count; k++) {
    across = sv_axpy(across, rates[k], s[k]);
    bias = sv_axpy(bias, rates[k], ring[k]);
  }
  work->v[i] = sv_add(sv_motion_to(work->r[i], work->v[link->parent]), across);
  work->c[i] = sv_add(bias, sv_cross(work->v[i], across));
}

/* Specialisation of update_link for revolute joints. */
static void tree_update_revolute(ff_tree_work *work, int i, const double *q) {
  const ff_tree_link_data *link = &work->tree->links[i];
  ff_vec3 axis = link->joint.axis;
  double sine, cosine;
  ff_sincos(0.5 * ff_link_q(link, q), &sine, &cosine);
  tree_place_link(work, i, v3(0, 0, 0),
                  (ff_quat){cosine, sine * axis.x, sine * axis.y, sine * axis.z});
  ff_vec3 column = v3_scale(link->factor, m3_mul(work->turn[i], axis));
  ff_vec3 across = v3_scale(work->rates[link->v_at], column);
  ff_sv v = sv_motion_to(work->r[i], work->v[link->parent]);
  v.a = v3_add(v.a, across);
  work->s[link->s_at].a = column;
  work->v[i] = v;
  work->c[i] = (ff_sv){v3_cross(v.a, across), v3_cross(v.l, across)};
}

/* Inertia and momentum of a link, and its contribution to the sums over the tree. */
static inline void tree_add_link_inertia(ff_tree_work *work, int i, ff_tree_sums *sums) {
  ff_vec3 place = work->pose[i].position;
  ff_si inertia = si_rotated(&work->tree->links[i].inertia, &work->turn[i]);
  ff_sv momentum = si_mul(&inertia, work->v[i]);
  sums->moment = v3_add(sums->moment, v3_axpy(inertia.h, inertia.m, place));
  sums->momentum = sv_add(sums->momentum, sv_force_back(place, momentum));
  sums->kinetic += 0.5 * sv_dot(work->v[i], momentum);
  work->inertia[i] = inertia;
  work->momentum[i] = momentum;
}

void ff_tree_update(ff_tree_work *work, const double *q, const double *v) {
  const ff_tree *tree = work->tree;
  work->pose[0] = work->base.pose;
  work->turn[0] = q_matrix(work->pose[0].orientation);
  work->v[0] = work->base.v;
  ff_tree_sums sums = {.kinetic = 0};
  for (int k = 0; k < tree->v_count; k++) {
    work->rates[k] = v ? v[k] : 0;
  }
  for (int i = 1; i < tree->count; i++) {
    if (tree->links[i].hinge) {
      tree_update_revolute(work, i, q);
    } else {
      tree_update_link(work, i, q);
    }
    if (!tree->links[i].still) {
      tree_add_link_inertia(work, i, &sums);
    }
  }
  work->sums = sums;
}

void ff_tree_set_base(ff_tree_work *work, const ff_tree_base *base) {
  work->base = *base;
}

double ff_tree_base_power(const ff_tree_work *work, ff_tree_wrench ground, ff_sv v) {
  ff_vec3 moment = v3_sub(ground.torque, v3_cross(work->base.pose.position, ground.force));
  return v3_dot(ground.force, v.l) + v3_dot(moment, v.a);
}

static bool has_link(const ff_tree_work *work, int link) {
  return work && link >= 0 && link < work->tree->count;
}

ff_pose ff_tree_pose(const ff_tree_work *work, int link) {
  return has_link(work, link) ? work->pose[link] : (ff_pose){{NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}};
}

ff_vec3 ff_tree_velocity(const ff_tree_work *work, int link) {
  return has_link(work, link) ? work->v[link].l : v3(NAN, NAN, NAN);
}

ff_vec3 ff_tree_omega(const ff_tree_work *work, int link) {
  return has_link(work, link) ? work->v[link].a : v3(NAN, NAN, NAN);
}
