/* Springs, stops and drives of joints in the quasi-rigid step: implicit.
 *
 * In order 2 those whose motion the step resolves act with their mean force: springs and stops with
 * the discrete gradient of their energy, which conserves it, drives as in the middle of the step.
 * Others, and all in order 1, act as at the end. In order 2 these have a damper of half the step
 * times their stiffness beside them, as stiff layers have (residual.c): without it they would ring.
 */
#include "math/vec.h"
#include "step/quasi/impacts.h"
#include "step/quasi/layer.h"
#include "step/quasi/robot.h"
#include "tree/tree.h"

void ff_quasi_begin_joints(const quasi_problem *problem, int r, const double *inertia, int stride) {
  const ff_model_robot *robot = &problem->model->robots[r];
  const ff_state_robot *at = &problem->state->robots[r];
  quasi_robot *to = &problem->robots[r];
  const double *q = problem->state->y + robot->q_at, *v = problem->state->y + robot->v_at;
  double h = problem->h;
  for (int k = 0; k < robot->v_count; k++) {
    double own = inertia[k * stride];
    double rate = sqrt(at->stiffness[k] / own) + at->damping[k] / own;
    to->drive_resolved[k] = to->theta < 1 && h * rate <= QUASI_RESOLVED;
  }
  for (int i = 1; i <= robot->link_count; i++) {
    const ff_tree_link_data *link = &robot->tree->links[i];
    const ff_joint_def *joint = &link->joint;
    quasi_elastic *elastic = &to->links[i - 1].elastic;
    *elastic = (quasi_elastic){.acts = !link->idle && ff_joint_one_axis(joint->kind) &&
                                       (joint->stiffness > 0 || joint->limit_stiffness > 0)};
    if (elastic->acts) {
      double own = inertia[link->v_at * stride] / greater(link->factor * link->factor, 1e-12);
      ff_joint_loads loads = {0, 0};
      elastic->x = ff_link_q(link, q);
      elastic->force = ff_joint_elastic_load(joint, elastic->x, ff_link_rate(link, v), &loads);
      elastic->stored = loads.stored;
      elastic->lost = loads.lost;
      bool second = to->theta < 1;
      elastic->spring_resolved = second && h * sqrt(joint->stiffness / own) <= QUASI_RESOLVED;
      elastic->stop_resolved = second && h * sqrt(joint->limit_stiffness / own) <= QUASI_RESOLVED;
    }
  }
}

void ff_quasi_soften_drives(const quasi_problem *problem, int r) {
  const ff_state_robot *at = &problem->state->robots[r];
  double h = problem->h;
  for (int k = 0; k < problem->model->robots[r].v_count; k++) {
    if (problem->robots[r].drive_resolved[k]) {
      /* tau - K h/2 (v + h a / 2) - D h a / 2, in the form of ff_robot_look_ahead */
      double stiffness = at->stiffness[k];
      at->stiffness[k] = 0.5 * stiffness;
      at->damping[k] = 0.5 * at->damping[k] - 0.25 * h * stiffness;
    }
  }
}

/* Force of a stop, against its penetration p and rate at the end; its derivative by p, and J, what
 * it dissipates in the step. [Hunt75], at the mean rate */
static double stop_force(const ff_joint_def *joint, const quasi_elastic *at, double side, double h,
                         double p, double ahead, double *slope, double *lost) {
  double k = joint->limit_stiffness,
         start = side * at->x - (side > 0 ? joint->upper : -joint->lower);
  double elastic, by = 0;
  if (at->stop_resolved) {
    elastic = ff_quasi_mean_spring_force(k, start, p, &by);
  } else {
    elastic = k * greater(p + (start > 0 ? ahead : 0), 0);
    by = elastic > 0 ? k : 0;
  }
  double grows = 1 + joint->limit_dissipation * (p - start) / h;
  if (!(elastic > 0) || grows <= 0) {
    *slope = 0;
    *lost = elastic > 0 ? -elastic * (p - start) : 0;
    return 0;
  }
  *slope = by * grows + elastic * joint->limit_dissipation / h;
  *lost = elastic * (grows - 1) * (p - start);
  return elastic * grows;
}

/* Force of spring and stops with the joint at x at the end, and its derivatives by x and by the
 * rate there. */
static double elastic_force(const quasi_problem *problem, const ff_joint_def *joint,
                            const quasi_elastic *at, double theta, double x, double rate,
                            double *by_x, double *by_rate, double *lost) {
  double h = problem->h, ahead = theta < 1 ? 0.5 * h : 0, k = joint->stiffness, force;
  if (at->spring_resolved) {
    force = -k * (0.5 * (at->x + x) - joint->rest);
    *by_x = -0.5 * k;
    *by_rate = 0;
  } else {
    force = -k * (x + ahead * rate - joint->rest);
    *by_x = -k;
    *by_rate = -k * ahead;
  }
  *lost = 0;
  for (int s = 0; joint->limit_stiffness > 0 && s < 2; s++) {
    double side = s == 0 ? 1 : -1, limit = s == 0 ? joint->upper : -joint->lower, slope, paid;
    double push =
        stop_force(joint, at, side, h, side * x - limit, ahead * side * rate, &slope, &paid);
    bool damped = !at->stop_resolved && slope > 0 && side * at->x > limit;
    force -= side * push;
    *by_x -= slope;
    *by_rate -= damped ? ahead * joint->limit_stiffness : 0;
    *lost += paid;
  }
  return force;
}

void ff_quasi_joint_rows(const quasi_problem *problem, int r, double *rows, double *block) {
  const ff_model_robot *robot = &problem->model->robots[r];
  const quasi_robot *to = &problem->robots[r];
  double h = problem->h;
  for (int i = 1; i <= robot->link_count; i++) {
    const ff_tree_link_data *link = &robot->tree->links[i];
    const quasi_elastic *at = &to->links[i - 1].elastic;
    if (!at->acts) {
      continue;
    }
    int row = quasi_robot_index(robot, link->v_at);
    double by_x, by_rate, lost, f = link->factor;
    double force = elastic_force(problem, &link->joint, at, to->theta, ff_link_q(link, to->q),
                                 ff_link_rate(link, to->u), &by_x, &by_rate, &lost);
    if (rows) {
      rows[row] -= h * f * (force - at->force);
      to->scale[link->v_at] += h * fabs(f) * (fabs(force) + fabs(at->force));
    }
    if (block) {
      block[row * robot->v_count + row] -= h * f * f * (by_x * to->theta * h + by_rate);
    }
  }
}

void ff_quasi_book_joints(const quasi_problem *problem, int r, double *ledger) {
  const ff_model_robot *robot = &problem->model->robots[r];
  const quasi_robot *to = &problem->robots[r];
  const double *v = problem->state->y + robot->v_at;
  for (int i = 1; i <= robot->link_count; i++) {
    const ff_tree_link_data *link = &robot->tree->links[i];
    const quasi_elastic *at = &to->links[i - 1].elastic;
    if (!at->acts) {
      continue;
    }
    double by_x, by_rate, lost, x = ff_link_q(link, to->q), rate = ff_link_rate(link, to->u);
    double force =
        elastic_force(problem, &link->joint, at, to->theta, x, rate, &by_x, &by_rate, &lost);
    ff_joint_loads end = {0, 0};
    ff_joint_elastic_load(&link->joint, x, rate, &end);
    double work = 0.5 * problem->h * force * (rate + ff_link_rate(link, v));
    ledger[FF_Y_LOST + FF_LOST_JOINT] += lost - problem->h * at->lost;
    ledger[FF_Y_LOST + FF_LOST_STEP] -= work + (end.stored - at->stored) + lost;
  }
}
