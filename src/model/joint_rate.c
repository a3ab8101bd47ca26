#include "model/joint_rate.h"

#include "base/memory.h"
#include "footfall/sim.h"
#include "tree/tree.h"

#include <math.h>
#include <string.h>

/* Largest absolute value of a root of s^2 + damping s + stiffness, 1/s. */
static double largest_root(double stiffness, double damping) {
  double square = 0.25 * damping * damping - stiffness;
  return square > 0 ? 0.5 * damping + sqrt(square) : sqrt(stiffness);
}

/* Damping with dry friction at rest, and stiffness, of joints themselves. */
static void joint_own_gains(const ff_tree *tree, double *damping, double *stiffness) {
  memset(stiffness, 0, (size_t)tree->v_count * sizeof *stiffness);
  ff_tree_resistance(tree, stiffness, damping); /* at rest */
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    if (!link->idle && ff_joint_one_axis(link->joint.kind)) {
      stiffness[link->v_at] +=
          link->factor * link->factor * (link->joint.stiffness + link->joint.limit_stiffness);
    }
  }
}

/* inertia: H, which becomes its factor; column, damping, stiffness: workspaces of the size of v.
 * explicitly: all joints are evaluated explicitly, not only drives that ask for it. */
static void find_fastest_of(const ff_model_robot *robot, ff_tree_work *work,
                            const ff_state_order *orders, bool explicitly, bool limits,
                            double *inertia, ff_joint_rate *fastest) {
  size_t n = (size_t)robot->v_count;
  double *column = inertia + n * n, *damping = column + n, *stiffness = damping + n;
  ff_tree_inertia(work, inertia);
  if (!ff_tree_factor(robot->tree, inertia)) {
    return;
  }
  joint_own_gains(robot->tree, damping, stiffness);
  for (int k = 0; k < robot->joint_count; k++) {
    const ff_model_joint *joint = &robot->joints[k];
    if (joint->follows || !(explicitly || joint->explicit_drive)) {
      continue;
    }
    bool ordered = orders && orders[k].given;
    double drive = ordered ? orders[k].order.stiffness : joint->stiffness;
    double servo = ordered ? orders[k].order.damping : joint->damping;
    memset(column, 0, n * sizeof *column);
    column[joint->v_at] = 1;
    ff_tree_solve(robot->tree, inertia, column);
    double moved = column[joint->v_at];
    double by_drive = largest_root(moved * drive, moved * servo);
    servo = limits ? fmax(servo, joint->safety_speed) : servo;
    double rate = explicitly ? largest_root(moved * (drive + stiffness[joint->v_at]),
                                            moved * (servo + damping[joint->v_at]))
                             : by_drive;
    if (rate > fastest->rate) {
      *fastest = (ff_joint_rate){robot, joint, rate, by_drive > 0.5 * rate};
    }
  }
}

/* The tree in the initial configuration. NULL: no memory. */
static ff_tree_work *joint_rate_start(const ff_model_robot *robot) {
  ff_tree_work *work = NULL;
  if (ff_tree_work_create(&work, robot->tree) == FF_OK) {
    ff_tree_update(work, robot->start_q, NULL);
  }
  return work;
}

ff_joint_rate ff_fastest_joint(const ff_model *model, const ff_state *state, bool limits) {
  const ff_stepper_info *stepper = model->stepper;
  bool explicitly = stepper->contacts == FF_CONTACTS_BY_FORCE && !stepper->midpoint_contacts;
  ff_joint_rate fastest = {0};
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    size_t n = (size_t)robot->v_count;
    double *numbers = ff_alloc(n * n + 3 * n + 1, sizeof *numbers);
    ff_tree_work *start = state ? NULL : joint_rate_start(robot);
    ff_tree_work *work = state ? state->robots[r].work : start;
    const ff_state_order *orders = state ? state->robots[r].orders : NULL;
    if (numbers && work) {
      find_fastest_of(robot, work, orders, explicitly, limits, numbers, &fastest);
    }
    ff_tree_work_destroy(&start);
    ff_free(numbers);
  }
  return fastest;
}

double ff_model_joint_step(const ff_model *model, bool limits, ff_joint_id *fastest) {
  ff_joint_rate found = model ? ff_fastest_joint(model, NULL, limits) : (ff_joint_rate){0};
  if (fastest) {
    *fastest = (ff_joint_id){0};
  }
  if (fastest && found.joint) {
    *fastest =
        ff_model_joint_at(model, ff_model_robot_at(model, (int)(found.robot - model->robots) + 1),
                          (int)(found.joint - found.robot->joints) + 1);
  }
  return found.joint ? 1 / found.rate : INFINITY;
}
