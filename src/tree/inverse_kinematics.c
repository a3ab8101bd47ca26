/* Inverse kinematics by damped least squares (Levenberg-Marquardt): damping decreases while steps
 * reduce the error and increases otherwise, so that singular configurations are passed slowly. */
#include "tree/tree.h"

#include <string.h>

ff_reach_def ff_reach_def_default(void) {
  return (ff_reach_def){
      .target = {{0, 0, 0}, {1, 0, 0, 0}}, .length = 0.1, .tolerance = 1e-10, .most = 200};
}

/* Error: length times rotation vector, then position error; in m. Returns its norm. */
static double reach_error(const ff_tree_work *work, const ff_reach_def *def, double error[6]) {
  ff_pose pose = work->pose[def->link];
  ff_quat turn = q_mul(q_unit(def->target.orientation), q_conj(pose.orientation));
  ff_vec3 angle = def->position_only ? v3(0, 0, 0) : v3_scale(def->length, q_log(q_unit(turn)));
  ff_vec3 way = v3_sub(def->target.position, pose_point(pose, def->point));
  v3_store(error, angle);
  v3_store(error + 3, way);
  return sqrt(v3_dot(angle, angle) + v3_dot(way, way));
}

/* Jacobian of reach_error, with zero columns for joints that are held. */
static void reach_jacobian(const ff_tree_work *work, const ff_reach_def *def, double *jacobian) {
  const ff_tree *tree = work->tree;
  size_t n = (size_t)tree->v_count;
  ff_vec3 point = pose_point(work->pose[def->link], def->point);
  ff_tree_jacobian(work, def->link, point, jacobian);
  for (size_t k = 0; k < 3 * n; k++) {
    jacobian[k] *= def->position_only ? 0 : def->length;
  }
  for (int i = def->root; i > 0; i = tree->links[i].parent) {
    for (int k = tree->links[i].v_at; k < tree->links[i].v_at + tree->links[i].v_count; k++) {
      for (size_t row = 0; row < 6; row++) {
        jacobian[row * n + (size_t)k] = 0;
      }
    }
  }
}

/* step = J^T (J J^T + damping 1)^-1 error */
static void reach_damped_step(const double *jacobian, size_t n, const double error[6],
                              double damping, double *step) {
  double a[6][6], x[6];
  for (size_t i = 0; i < 6; i++) {
    x[i] = error[i];
    for (size_t j = 0; j < 6; j++) {
      a[i][j] = i == j ? damping : 0;
      for (size_t k = 0; k < n; k++) {
        a[i][j] += jacobian[i * n + k] * jacobian[j * n + k];
      }
    }
  }
  m6_solve(a, x);
  for (size_t k = 0; k < n; k++) {
    step[k] = 0;
    for (size_t i = 0; i < 6; i++) {
      step[k] += jacobian[i * n + k] * x[i];
    }
  }
}

/* Scales the step of each joint so that it and the joints that mimic it stay within their limits.
 */
static void reach_clamp_step(const ff_tree *tree, const double *q, double *step) {
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    if (ff_joint_one_axis(link->joint.kind) && step[link->v_at] != 0 && link->factor != 0) {
      double from = ff_link_q(link, q), to = from + link->factor * step[link->v_at];
      double within = fmax(link->joint.lower, fmin(link->joint.upper, to));
      if (within != to) {
        step[link->v_at] = (within - from) / link->factor;
      }
    }
  }
}

ff_reach_info ff_tree_reach(ff_tree_work *work, const ff_reach_def *def, double *q) {
  const ff_tree *tree = work->tree;
  double error[6], *step = work->rest;
  double damping = 1e-3;
  ff_reach_info info = {.iterations = 0};
  if (def->link < 1 || def->link >= tree->count) {
    info.position_error = info.angle_error = NAN;
    return info;
  }
  ff_tree_update(work, q, NULL);
  double norm = reach_error(work, def, error);
  bool fresh = false;
  while (norm > def->tolerance && info.iterations < def->most && damping < 1e12) {
    info.iterations++;
    if (!fresh) {
      reach_jacobian(work, def, work->jacobian);
      fresh = true;
    }
    reach_damped_step(work->jacobian, (size_t)tree->v_count, error, damping * norm * norm + 1e-30,
                      step);
    reach_clamp_step(tree, q, step);
    /* Undo a step that does not reduce the error, and increase the damping. */
    double tried[6];
    ff_tree_q_move(tree, q, step, 1);
    ff_tree_update(work, q, NULL);
    double reached = reach_error(work, def, tried);
    if (reached < norm) {
      norm = reached;
      memcpy(error, tried, sizeof error);
      damping = fmax(damping / 10, 1e-9);
      fresh = false;
    } else {
      ff_tree_q_move(tree, q, step, -1);
      ff_tree_update(work, q, NULL);
      damping *= 10;
    }
  }
  info.reached = norm <= def->tolerance;
  info.position_error = v3_norm(v3_load(error + 3));
  info.angle_error = def->position_only ? 0 : v3_norm(v3_load(error)) / def->length;
  return info;
}
