/* Coordinates, and where everything is and how it moves. */
#include "tree/tree.h"

#include <string.h>

void ff_tree_neutral(const ff_tree *tree, double *q) {
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
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

static ff_quat turn_by(double *q, ff_vec3 rotation) {
  ff_quat before = q_unit((ff_quat){q[0], q[1], q[2], q[3]});
  ff_quat after = q_unit(q_mul(before, q_exp(rotation)));
  q[0] = after.w;
  v3_store(q + 1, v3(after.x, after.y, after.z));
  return before;
}

void ff_tree_q_move(const ff_tree *tree, double *q, const double *v, double h) {
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    const double *rate = v + link->v_at;
    double *to = q + link->q_at;
    ff_joint_kind kind = link->joint.kind;
    if (kind == FF_JOINT_SPHERICAL) {
      turn_by(to, v3_scale(h, v3_load(rate)));
    } else if (kind == FF_JOINT_FREE) {
      ff_quat before = turn_by(to + 3, v3_scale(h, v3_load(rate)));
      v3_store(to, v3_axpy(v3_load(to), h, q_rotate(before, v3_load(rate + 3))));
    } else {
      for (int k = 0; k < link->q_count; k++) {
        to[k] += h * rate[k];
      }
    }
  }
}

/* Velocity of a link from its parent's: v = X v_parent + S q', and its bias acceleration
 * c = S_ring q' + v x S q' [Featherstone08 sec. 5.3]. */
static void move_link(ff_tree_work *work, int i) {
  const ff_tree_link_data *link = &work->tree->links[i];
  ff_sv across = sv_zero(), bias = sv_zero();
  for (int k = link->v_at; k < link->v_at + link->v_count; k++) {
    across = sv_axpy(across, work->rates[k], work->s[k]);
    bias = sv_axpy(bias, work->rates[k], work->s_ring[k]);
  }
  work->v[i] = sv_add(sx_motion(&work->x[i], work->v[link->parent]), across);
  work->c[i] = sv_add(bias, sv_cross(work->v[i], across));
}

void ff_tree_update(ff_tree_work *work, const double *q, const double *v) {
  const ff_tree *tree = work->tree;
  work->pose[0] = tree->links[0].joint.frame;
  work->v[0] = sv_zero();
  for (int k = 0; k < tree->v_count; k++) {
    work->rates[k] = v ? v[k] : 0;
  }
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    ff_pose place = ff_joint_place(link, q + link->q_at, work->rates + link->v_at,
                                   work->s + link->v_at, work->s_ring + link->v_at);
    work->x[i] = sx_of_pose(place);
    work->pose[i] = pose_mul(work->pose[link->parent], place);
    move_link(work, i);
  }
}

ff_pose ff_tree_pose(const ff_tree_work *work, int link) {
  return work->pose[link];
}

ff_vec3 ff_tree_velocity(const ff_tree_work *work, int link) {
  return q_rotate(work->pose[link].orientation, work->v[link].l);
}

ff_vec3 ff_tree_omega(const ff_tree_work *work, int link) {
  return q_rotate(work->pose[link].orientation, work->v[link].a);
}
