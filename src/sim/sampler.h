/* Samples between the ends of steps. */
#ifndef FF_SIM_SAMPLER_H
#define FF_SIM_SAMPLER_H

#include "base/keep.h"
#include "footfall/sim.h"

#include <stdatomic.h>

/* Lists what later samples depend on (base/keep.h). */
void ff_sampler_keep(ff_sampler *sampler, ff_keep *keep);
/* Before a step of the sampler's sim that will end at `end`, or earlier: stores what a sample
 * inside the step will need. */
void ff_sampler_before_step(ff_sampler *sampler, double end);

/* Steps end with FF_CANCELLED before they begin as soon as the flag is set: unlike one that is
 * cancelled on its way, such a sim goes on to the bit. */
void ff_sim_watch_stop(ff_sim *sim, const atomic_bool *stop);

#endif
