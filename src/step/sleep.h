/* Sleeping islands: bodies at rest that are not stepped.
 *
 * An island of free bodies that has been slower than stepper.sleep_speed for stepper.sleep seconds,
 * and that rests on what does not move, is frozen: velocities become 0, which the ledger books as
 * loss of the step. Pairs of bodies that do not move are not looked at, and keep their forces. A
 * force of anything that is awake on a body of it, or a change from outside, wakes the island in
 * the step in which it acts: that step is taken again with the island awake. Islands of bodies with
 * drives, guides, constraints or forces of the scene stay awake. */
#ifndef FF_STEP_SLEEP_H
#define FF_STEP_SLEEP_H

#include "step/stepper.h"

/* Does nothing of the pair move? Then its contacts stay as they are. */
static inline bool ff_sleep_skips(const ff_state *state, const ff_meet *meet) {
  const bool *still = state->sleep.still;
  return still && still[meet->a] && still[meet->b];
}
/* Is this body asleep? */
static inline bool ff_sleep_holds(const ff_model *model, const ff_state *state, int body) {
  int slot = model->bodies[body].slot;
  return state->sleep.still && slot >= 0 && state->sleep.still[body];
}
static inline bool ff_sleep_holds_slot(const ff_model *model, const ff_state *state, int slot) {
  return state->sleep.still && state->sleep.still[model->free_bodies[slot]];
}

/* Before a step to t_end: prescribed bodies that move are not still, bodies that a force is applied
 * to wake. True: nothing moves and nothing can. */
bool ff_sleep_begin(const ff_model *model, ff_state *state, double t_end);
/* Wakes the island of a body that is asleep. */
void ff_sleep_wake(const ff_model *model, ff_state *state, int body);
/* After a step of length h: bodies at rest fall asleep. */
void ff_sleep_end(const ff_model *model, ff_state *state, double h);

#endif
