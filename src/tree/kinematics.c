/* Coordinates, and where everything is and how it moves. */
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
    if (!ff_link_owns(link)) {
      continue;
    }
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

/* Where a link is, and its columns of S. */
static void place_link(ff_tree_work *work, int i, const double *q) {
  const ff_tree_link_data *link = &work->tree->links[i];
  const ff_pose *parent = &work->pose[link->parent];
  const ff_pose *frame = &link->joint.frame;
  double followed;
  if (link->follows > 0) {
    followed = ff_link_q(link, q);
    q = &followed;
  } else {
    q += link->q_at;
  }
  ff_pose moved = ff_joint_pose(&link->joint, q);
  if (!link->parallel) {
    moved = (ff_pose){q_rotate(frame->orientation, moved.position),
                      q_mul(frame->orientation, moved.orientation)};
  }
  work->r[i] = m3_mul(work->turn[link->parent], v3_add(frame->position, moved.position));
  work->pose[i] = (ff_pose){v3_add(parent->position, work->r[i]),
                            q_mul(parent->orientation, moved.orientation)};
  work->turn[i] = q_matrix(work->pose[i].orientation);
  ff_sv *s = work->s + link->s_at;
  ff_joint_columns(&link->joint, q, work->rates + link->v_at, &work->turn[i], s,
                   work->s_ring + link->s_at);
  if (link->follows > 0) {
    *s = sv_axpy(sv_zero(), link->factor, *s);
  }
}

/* Velocity of a link from its parent's: v = v_parent + S q', and its bias acceleration
 * c = S_ring q' + v x S q' [Featherstone08 sec. 5.3]. */
static void move_link(ff_tree_work *work, int i) {
  const ff_tree_link_data *link = &work->tree->links[i];
  const ff_sv *s = work->s + link->s_at, *ring = work->s_ring + link->s_at;
  const double *rates = work->rates + link->v_at;
  ff_sv v = sv_motion_to(work->r[i], work->v[link->parent]);
  if (link->hinge) { /* the same without what is zero */
    ff_vec3 across = v3_scale(rates[0], s->a);
    v.a = v3_add(v.a, across);
    work->v[i] = v;
    work->c[i] = (ff_sv){v3_cross(v.a, across), v3_cross(v.l, across)};
    return;
  }
  ff_sv across = sv_zero(), bias = sv_zero();
  for (int k = 0; k < link->v_count; k++) {
    across = sv_axpy(across, rates[k], s[k]);
    bias = sv_axpy(bias, rates[k], ring[k]);
  }
  work->v[i] = sv_add(v, across);
  work->c[i] = sv_add(bias, sv_cross(work->v[i], across));
}

/* Inertia and momentum of a link, and its share of the whole. */
static void weigh_link(ff_tree_work *work, int i) {
  ff_tree_sums *sums = &work->sums;
  const ff_si *inertia = &work->inertia[i];
  ff_vec3 place = work->pose[i].position;
  work->inertia[i] = si_turned(&work->tree->links[i].inertia, &work->turn[i]);
  ff_sv momentum = work->momentum[i] = si_mul(inertia, work->v[i]);
  sums->moment = v3_add(sums->moment, v3_axpy(inertia->h, inertia->m, place));
  sums->momentum = sv_add(sums->momentum, sv_force_back(place, momentum));
  sums->kinetic += 0.5 * sv_dot(work->v[i], momentum);
}

void ff_tree_update(ff_tree_work *work, const double *q, const double *v) {
  const ff_tree *tree = work->tree;
  work->pose[0] = tree->links[0].joint.frame;
  work->turn[0] = q_matrix(work->pose[0].orientation);
  work->v[0] = sv_zero();
  work->sums = (ff_tree_sums){.kinetic = 0};
  for (int k = 0; k < tree->v_count; k++) {
    work->rates[k] = v ? v[k] : 0;
  }
  for (int i = 1; i < tree->count; i++) {
    place_link(work, i, q);
    move_link(work, i);
    weigh_link(work, i);
  }
}

ff_pose ff_tree_pose(const ff_tree_work *work, int link) {
  return work->pose[link];
}

ff_vec3 ff_tree_velocity(const ff_tree_work *work, int link) {
  return work->v[link].l;
}

ff_vec3 ff_tree_omega(const ff_tree_work *work, int link) {
  return work->v[link].a;
}
