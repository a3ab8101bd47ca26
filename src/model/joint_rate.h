/* Rates of the joints of robots, against the step of explicit integration. */
#ifndef FF_MODEL_JOINT_RATE_H
#define FF_MODEL_JOINT_RATE_H

#include "model/state.h"

typedef struct ff_joint_rate {
  const ff_model_robot *robot; /* NULL: no joint is evaluated explicitly */
  const ff_model_joint *joint;
  double rate; /* 1/s */
  bool driven; /* fast because of its drive alone; else also by its own springs and losses */
} ff_joint_rate;

/* The fastest joint of those that are evaluated at the start of a step or in its stages. Its rate
 * is the largest root of s^2 + m d s + m k with the inverse inertia m = (H^-1)_kk that it moves
 * with all other joints free, and k and d of its drive, spring, stops, damping and dry friction at
 * rest; with limits also of the limit of speed and the safety controller. state NULL: the initial
 * configuration and the drives of the scene. Allocates: not for use in a step. */
ff_joint_rate ff_fastest_joint(const ff_model *model, const ff_state *state, bool limits);

#endif
