/* Inverse inertias of links, as parts of their robot. */
#include "model/links.h"

#include "base/arena.h"
#include "math/eigen.h"
#include "tree/tree.h"

#include <string.h>

/* Budget in link^2: each link costs a pass over all links; a thousand links of a robot with a
 * thousand, fewer of a larger one. */
enum { EASE_WORK = 1000000 };

/* Acceleration of a link, at its centre of mass and in its axes, under a wrench there. The robot is
 * at rest. */
static bool link_response(ff_tree_work *work, const ff_model_robot *robot,
                          const ff_model_body *body, ff_sv push, ff_tree_wrench *wrenches,
                          double *tau, ff_sv *out) {
  ff_mat3 turn = work->turn[body->link];
  ff_vec3 com = m3_mul(turn, body->frame.position), force = m3_mul(turn, push.l);
  ff_tree_wrench *wrench = &wrenches[body->link - 1];
  memset(tau, 0, (size_t)robot->v_count * sizeof *tau);
  wrench->force = force;
  wrench->torque = v3_add(m3_mul(turn, push.a), v3_cross(com, force));
  bool good = ff_tree_forward_dynamics(work, tau, v3(0, 0, 0), wrenches, tau);
  wrench->force = wrench->torque = v3(0, 0, 0);
  ff_sv a = ff_link_acceleration(work, body->link);
  *out = (ff_sv){m3_tmul(turn, a.a), m3_tmul(turn, v3_add(a.l, v3_cross(a.a, com)))};
  return good;
}

/* Eigenvalues of the angular or the linear block of an inverse inertia. */
static ff_vec3 inverse_inertia_eigenvalues(const ff_sv ease[6], bool angular) {
  ff_mat3 block;
  ff_quat axes;
  for (int k = 0; k < 3; k++) {
    ff_vec3 c = angular ? ease[k].a : ease[3 + k].l;
    block.m[0][k] = c.x;
    block.m[1][k] = c.y;
    block.m[2][k] = c.z;
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < i; j++) {
      block.m[i][j] = block.m[j][i] = 0.5 * (block.m[i][j] + block.m[j][i]);
    }
  }
  return ff_eigen(block, &axes);
}

/* Inverse inertia (6 x 6) of a link as part of its robot in the initial configuration: decides
 * whether a step resolves a contact. */
static bool link_inverse_inertia(ff_tree_work *work, const ff_model_robot *robot,
                                 ff_model_body *body, ff_sv ease[6], ff_tree_wrench *wrenches,
                                 double *tau) {
  const ff_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int k = 0; k < 6; k++) {
    ff_sv push = sv_zero();
    *(k < 3 ? &push.a : &push.l) = axes[k % 3];
    if (!link_response(work, robot, body, push, wrenches, tau, &ease[k])) {
      return false;
    }
  }
  ff_vec3 linear = inverse_inertia_eigenvalues(ease, false);
  double most = fmax(linear.x, fmax(linear.y, linear.z));
  body->ease = &ease[0].a.x;
  body->inv_mass = most > 0 ? most : 0; /* 0: immobile */
  body->inv_inertia = inverse_inertia_eigenvalues(ease, true);
  return true;
}

ff_status ff_links_inverse_inertias(const ff_model_robot *robot, ff_model_body *bodies,
                                    double *ease) {
  int most = EASE_WORK / robot->link_count;
  int count = robot->link_count < most ? robot->link_count : most;
  ff_arena scratch = {0};
  double *tau = ff_arena_take(&scratch, (size_t)robot->v_count + 1, sizeof *tau);
  ff_tree_wrench *wrenches = ff_arena_take(&scratch, (size_t)robot->link_count, sizeof *wrenches);
  ff_tree_work *work = NULL;
  ff_status status = tau && wrenches ? ff_tree_work_create(&work, robot->tree) : FF_ERROR_MEMORY;
  if (status == FF_OK) {
    ff_tree_update(work, robot->start_q, NULL);
  }
  for (int i = 0; i < robot->link_count && status == FF_OK; i++) {
    ff_model_body *body = &bodies[robot->first_body + i];
    if (i >= count) { /* over budget: inertia of the link alone, a lower bound */
      body->inv_mass = body->mass > 0 ? 1 / body->mass : 1;
    } else if (!link_inverse_inertia(work, robot, body, (ff_sv *)(ease + 36 * (size_t)i), wrenches,
                                     tau)) {
      status = FF_ERROR_INPUT;
    }
  }
  ff_tree_work_destroy(&work);
  ff_arena_free(&scratch);
  return status;
}

ff_tree_base ff_robot_base_at(const ff_model_robot *robot, double t) {
  ff_track_point at = ff_track_at(robot->track, t);
  ff_vec3 spatial = v3_sub(at.acceleration, v3_cross(at.omega, at.velocity));
  return (ff_tree_base){at.pose, {at.omega, at.velocity}, {at.angular, spatial}};
}
