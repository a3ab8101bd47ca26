/* Passive joint loads: springs, stops, damping and dry friction. */
#include "tree/tree.h"

#include <string.h>

/* Joint stop with penetration p and rate p': k p (1 + alpha p'), never pulling [Hunt75]. Returns
 * the force against p and accounts the dissipated power. */
static double joint_stop_force(const ff_joint_def *joint, double p, double rate,
                               ff_joint_loads *loads) {
  double elastic = joint->limit_stiffness * p;
  double force = fmax(0, elastic * (1 + joint->limit_dissipation * rate));
  loads->stored += 0.5 * elastic * p;
  loads->lost += (force - elastic) * rate;
  return force;
}

double ff_joint_elastic_load(const ff_joint_def *joint, double q, double v, ff_joint_loads *loads) {
  double stretch = q - joint->rest;
  double tau = -joint->stiffness * stretch;
  loads->stored += 0.5 * joint->stiffness * stretch * stretch;
  if (joint->limit_stiffness > 0 && q > joint->upper) {
    tau -= joint_stop_force(joint, q - joint->upper, v, loads);
  } else if (joint->limit_stiffness > 0 && q < joint->lower) {
    tau += joint_stop_force(joint, joint->lower - q, -v, loads);
  }
  return tau;
}

/* Damping and dry friction, regularised so that integrators can follow it. */
static double joint_resistance(const ff_joint_def *joint, double v) {
  double slow = joint->friction_speed;
  return joint->friction > 0 ? joint->damping + joint->friction / sqrt(v * v + slow * slow)
                             : joint->damping;
}

void ff_tree_resistance(const ff_tree *tree, const double *v, double *out) {
  memset(out, 0, (size_t)tree->v_count * sizeof *out);
  for (int i = 1; tree->resists && i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    double share = link->factor * link->factor;
    for (int k = link->v_at; k < link->v_at + link->v_count; k++) {
      out[k] += share * joint_resistance(&link->joint, link->factor * v[k]);
    }
  }
}

ff_joint_loads ff_tree_joint_loads(const ff_tree *tree, const double *q, const double *v,
                                   double *tau) {
  ff_joint_loads loads = {0, 0};
  for (int i = 1; i < tree->count; i++) {
    const ff_tree_link_data *link = &tree->links[i];
    const ff_joint_def *joint = &link->joint;
    if (link->idle) {
      continue;
    }
    for (int k = link->v_at; k < link->v_at + link->v_count; k++) {
      double rate = link->factor * v[k], resist = joint_resistance(joint, rate);
      tau[k] -= link->factor * resist * rate;
      loads.lost += resist * rate * rate;
    }
    if (ff_joint_one_axis(joint->kind)) {
      tau[link->v_at] += link->factor * ff_joint_elastic_load(joint, ff_link_q(link, q),
                                                              ff_link_rate(link, v), &loads);
    }
  }
  return loads;
}
