/* Walking robot: legs, joint angles, and trunk position for a given centre of mass. */
#include "control/walk.h"

#include "base/report.h"
#include "math/elementary.h"
#include "tree/tree.h"

#include <string.h>

/* Iteration of the trunk position ends when the centre of mass is within this, m, or after
 * BALANCE_ROUNDS rounds. */
#define NEAR 1e-13
enum { BALANCE_ROUNDS = 60 };
/* Tolerance on straight legs and on axes along x, y, z. */
#define STRAIGHT 1e-9

/* ---- legs ------------------------------------------------------------------------------------ */

static bool is_same_joint_vector(ff_vec3 a, ff_vec3 b) {
  return v3_norm(v3_sub(a, b)) < STRAIGHT;
}

static ff_status leg_report(ff_report *report, const char *key, const char *what) {
  ff_report_what(report, "%s", what);
  ff_report_key(report, "%s", key);
  ff_report_expected(report, "six revolute axes from the trunk to the foot: yaw z, roll x, pitch y "
                             "in one point, knee y straight below, ankle y straight below, roll x");
  return FF_ERROR_INPUT;
}

/* Links of the leg that ends with this foot; false if it does not have six axes. */
static bool leg_collect_links(const ff_tree *tree, int foot, ff_walk_leg *leg) {
  int link = foot;
  for (int k = 5; k >= 0; k--) {
    if (link <= 1 || link >= tree->count || !ff_joint_one_axis(tree->links[link].joint.kind) ||
        tree->links[link].joint.kind == FF_JOINT_PRISMATIC) {
      return false;
    }
    leg->link[k] = link;
    leg->q_at[k] = tree->links[link].q_at;
    link = tree->links[link].parent;
  }
  return link == 1;
}

static ff_status leg_find(const ff_walk *walk, int foot, const char *key, ff_walk_leg *leg,
                          ff_report *report) {
  const ff_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1}, none = {0, 0, 0};
  const ff_vec3 axes[6] = {z, x, y, y, y, x};
  const ff_tree *tree = walk->def.tree;
  if (!leg_collect_links(tree, foot, leg)) {
    return leg_report(report, key, "is not the end of a six-axis leg");
  }
  for (int k = 0; k < 6; k++) {
    const ff_joint_def *joint = &tree->links[leg->link[k]].joint;
    ff_vec3 at = joint->frame.position, turned = q_log(joint->frame.orientation);
    bool below = is_same_joint_vector(v3(at.x, at.y, 0), none) && at.z < 0;
    bool placed = k == 0 || (k == 3 || k == 4 ? below : is_same_joint_vector(at, none));
    if (!is_same_joint_vector(joint->axis, axes[k]) || !is_same_joint_vector(turned, none) ||
        !placed) {
      return leg_report(report, key, "has a leg of a different kind");
    }
  }
  leg->hip = tree->links[leg->link[0]].joint.frame.position;
  leg->leg.thigh = -tree->links[leg->link[3]].joint.frame.position.z;
  leg->leg.shank = -tree->links[leg->link[4]].joint.frame.position.z;
  return FF_OK;
}

ff_status ff_walk_find_legs(ff_walk *walk, ff_report *report) {
  const ff_tree *tree = walk->def.tree;
  if (tree->count < 2 || tree->links[1].joint.kind != FF_JOINT_FREE) {
    return leg_report(report, "tree", "link 1 must be the trunk, on a free joint");
  }
  ff_status status = leg_find(walk, walk->def.left_foot, "left_foot", &walk->legs[0], report);
  if (status == FF_OK) {
    status = leg_find(walk, walk->def.right_foot, "right_foot", &walk->legs[1], report);
  }
  /* Both legs hang on the trunk and have six links: two feet on one leg share its first link. */
  if (status == FF_OK && walk->legs[0].link[0] == walk->legs[1].link[0]) {
    return leg_report(report, "right_foot", "has the same leg as the left foot");
  }
  return status;
}

int ff_walk_limit_exceeded(const ff_walk *walk, const double *q) {
  const ff_tree *tree = walk->def.tree;
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    if (ff_joint_one_axis(link->joint.kind) &&
        (q[link->q_at] < link->joint.lower || q[link->q_at] > link->joint.upper)) {
      return i;
    }
  }
  return 0;
}

/* ---- angles ---------------------------------------------------------------------------------- */

ff_walk_config ff_walk_solve(const ff_walk *walk, ff_pose trunk, const ff_walk_foot feet[2]) {
  ff_walk_config config = {.trunk = trunk, .short_of = -1};
  for (int f = 0; f < 2; f++) {
    const ff_walk_leg *leg = &walk->legs[f];
    ff_vec3 hip = pose_point(trunk, leg->hip);
    ff_pose foot = {q_unrotate(trunk.orientation, v3_sub(feet[f].pose.position, hip)),
                    q_mul(q_conj(trunk.orientation), feet[f].pose.orientation)};
    if (!ff_leg_angles(&leg->leg, foot, config.angles[f])) {
      config.short_of = f;
    }
  }
  return config;
}

void ff_walk_write(const ff_walk *walk, const ff_walk_config *config, double *q) {
  const ff_tree *tree = walk->def.tree;
  memcpy(q, walk->posture, (size_t)tree->q_count * sizeof *q);
  double *root = q + tree->links[1].q_at;
  /* the root's joint may have its own frame */
  ff_pose frame = tree->links[1].joint.frame;
  ff_quat back = q_conj(frame.orientation), turn = q_mul(back, config->trunk.orientation);
  v3_store(root, q_rotate(back, v3_sub(config->trunk.position, frame.position)));
  root[3] = turn.w, root[4] = turn.x, root[5] = turn.y, root[6] = turn.z;
  for (int f = 0; f < 2; f++) {
    for (int k = 0; k < 6; k++) {
      q[walk->legs[f].q_at[k]] = config->angles[f][k];
    }
  }
}

void ff_walk_rates(const ff_walk *walk, const ff_walk_config *from, const ff_walk_config *to,
                   double time, double *v) {
  const ff_tree *tree = walk->def.tree;
  memset(v, 0, (size_t)tree->v_count * sizeof *v);
  double *root = v + tree->links[1].v_at;
  ff_quat start = from->trunk.orientation;
  ff_vec3 turned = q_log(q_mul(q_conj(start), to->trunk.orientation));
  ff_vec3 moved = v3_sub(to->trunk.position, from->trunk.position);
  ff_quat middle = q_mul(start, q_exp(v3_scale(0.5, turned)));
  v3_store(root, v3_scale(1 / time, turned));
  v3_store(root + 3, v3_scale(1 / time, q_unrotate(middle, moved)));
  for (int f = 0; f < 2; f++) { /* other joints keep the posture */
    for (int k = 0; k < 6; k++) {
      v[tree->links[walk->legs[f].link[k]].v_at] = (to->angles[f][k] - from->angles[f][k]) / time;
    }
  }
}

/* ---- balance --------------------------------------------------------------------------------- */

/* Broyden update [Broyden65]: the gain for which the last move of the trunk would have been exact.
 */
static void gain_broyden_update(ff_mat3 *gain, ff_vec3 moved, ff_vec3 gained) {
  ff_vec3 wrong = v3_sub(moved, m3_mul(*gain, gained)), row = m3_tmul(*gain, moved);
  double whole = v3_dot(row, gained);
  if (whole > 0.1 * v3_dot(moved, moved)) { /* else too small for an update */
    double w[3], r[3];
    v3_store(w, v3_scale(1 / whole, wrong));
    v3_store(r, row);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        gain->m[i][j] += w[i] * r[j];
      }
    }
  }
}

/* Trunk and arms are most of the mass: moving the trunk by the error of the centre of mass leaves a
 * fraction of it, and the fraction changes little from sample to sample. */
ff_walk_config ff_walk_balance(const ff_walk *walk, ff_tree_work *work, ff_vec3 com, double time,
                               ff_vec3 trunk, ff_mat3 *gain, double *q) {
  ff_walk_foot feet[2];
  double yaw = ff_walk_feet(walk, time, feet);
  ff_pose pose = {trunk, {ff_cos(0.5 * yaw), 0, 0, ff_sin(0.5 * yaw)}};
  ff_vec3 moved = {0, 0, 0}, before = {0, 0, 0};
  for (int round = 0;; round++) {
    ff_walk_config config = ff_walk_solve(walk, pose, feet);
    ff_walk_write(walk, &config, q);
    ff_tree_update(work, q, NULL);
    ff_vec3 missing = v3_sub(com, ff_tree_whole(work, v3(0, 0, 0)).com);
    if (v3_norm(missing) < NEAR || round == BALANCE_ROUNDS) {
      return config;
    }
    if (round > 0) {
      gain_broyden_update(gain, moved, v3_sub(before, missing));
    }
    moved = m3_mul(*gain, missing);
    before = missing;
    pose.position = v3_add(pose.position, moved);
  }
}
