#include "step/drive_rate.h"

#include "base/memory.h"
#include "tree/tree.h"

#include <math.h>
#include <string.h>

/* Largest absolute value of a root of s^2 + damping s + stiffness, 1/s. */
static double largest_root(double stiffness, double damping) {
  double square = 0.25 * damping * damping - stiffness;
  return square > 0 ? 0.5 * damping + sqrt(square) : sqrt(stiffness);
}

/* inertia: H, which becomes its factor; column: a workspace of the size of v. */
static void find_fastest_of(const ff_model_robot *robot, const ff_state_robot *at, bool explicitly,
                            double *inertia, double *column, ff_drive_rate *fastest) {
  size_t n = (size_t)robot->v_count;
  ff_tree_inertia(at->work, inertia);
  if (!ff_tree_factor(robot->tree, inertia)) {
    return;
  }
  for (int k = 0; k < robot->joint_count; k++) {
    const ff_model_joint *joint = &robot->joints[k];
    if (joint->follows || !(explicitly || joint->explicit_drive)) {
      continue;
    }
    const ff_state_order *given = &at->orders[k];
    double stiffness = given->given ? given->order.stiffness : joint->stiffness;
    double damping = given->given ? given->order.damping : joint->damping;
    memset(column, 0, n * sizeof *column);
    column[joint->v_at] = 1;
    ff_tree_solve(robot->tree, inertia, column);
    double moved = column[joint->v_at], rate = largest_root(moved * stiffness, moved * damping);
    if (rate > fastest->rate) {
      *fastest = (ff_drive_rate){robot, joint, rate};
    }
  }
}

ff_drive_rate ff_fastest_drive(const ff_model *model, const ff_state *state) {
  const ff_stepper_info *stepper = model->stepper;
  bool explicitly = stepper->contacts == FF_CONTACTS_BY_FORCE && !stepper->midpoint_contacts;
  ff_drive_rate fastest = {0};
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    size_t n = (size_t)robot->v_count;
    double *numbers = ff_alloc(n * n + n + 1, sizeof *numbers);
    if (numbers) {
      find_fastest_of(robot, &state->robots[r], explicitly, numbers, numbers + n * n, &fastest);
    }
    ff_free(numbers);
  }
  return fastest;
}
