/* Friction held over a step: for laws whose memory is too stiff to be followed by the step.
 *
 * A kick of length h changes slip and memory while the friction force acts. The force that is
 * held is the law's own in the middle of the kick: then what the force takes is, to the last
 * bit, what the law stores and loses, it is stable however stiff the bristle, and a body at rest
 * stays where it is. Contacts of one body feel each other: they are solved in turns, starting
 * from the forces of the step before, until nothing changes.
 */
#ifndef FF_STEP_HOLD_H
#define FF_STEP_HOLD_H

#include "model/state.h"

typedef struct ff_hold ff_hold;

/* *out is NULL if no law of the model can be held; else the state leaves their friction to
 * ff_hold_friction. */
ff_status ff_hold_create(ff_hold **out, const ff_model *model, ff_state *state);
void ff_hold_destroy(ff_hold *hold);

/* After ff_forces_update with its rates: adds the held friction of the coming step to points,
 * wrenches and the rates of memory and ledger. */
void ff_hold_friction(ff_hold *hold, const ff_model *model, ff_state *state, double *rates);

/* A step of length h was taken: told before the ff_hold_friction that follows it. */
void ff_hold_stepped(ff_hold *hold, double h);

#endif
