/* State of a sim as an object: everything that decides its future.
 *
 *   ff_state_create(&state, sim);        holds the present state
 *   ff_sim_advance(sim, 1.0);
 *   ff_state_restore(sim, state);        back again: what follows repeats to the last bit
 *
 * Bodies, robots' q and v, contact memory, warm starts, clocks and modes of controllers, orders,
 * ledger, audit, step size of `adaptive`, wrenches and gravity set while it ran. A state fits every
 * sim of the same structure: bodies, shapes, joints and stepper of the model;
 * else calls return FF_ERROR_INPUT and change nothing. The functions of ff_sim_on_control,
 * ff_sim_on_event and ff_sim_on_step, the number of threads and user data are not part of it. See
 * docs/state.md.
 */
#ifndef FOOTFALL_STATE_H
#define FOOTFALL_STATE_H

#include "footfall/api.h"
#include "footfall/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ff_state ff_state;

/* A new state that holds the present one of the sim. */
FF_API ff_status ff_state_create(ff_state **out, const ff_sim *sim);
FF_API void ff_state_destroy(ff_state **state);

/* Sim -> state. Allocates only if there are more contacts than in any state it held before. */
FF_API ff_status ff_state_save(const ff_sim *sim, ff_state *state);
/* State -> sim, between steps. Never allocates. */
FF_API ff_status ff_state_restore(ff_sim *sim, const ff_state *state);
FF_API ff_status ff_state_copy(ff_state *to, const ff_state *from);

FF_API double ff_state_time(const ff_state *state); /* s */
FF_API size_t ff_state_size(const ff_state *state); /* bytes held */

/* Are both the same to the last bit? If not, the report (may be NULL) names the first difference:
 * key is the quantity, what gives both values. */
FF_API bool ff_state_equal(const ff_state *a, const ff_state *b, ff_report *difference);

/* As bytes, with version and checksum; for this machine and build of the library. Returns their
 * number; out (may be NULL) is written if capacity suffices. */
FF_API size_t ff_state_serialise(const ff_state *state, void *out, size_t capacity);
/* On FF_ERROR_INPUT the report (may be NULL) says why the bytes are refused: damaged, of another
 * version, or no state at all. */
FF_API ff_status ff_state_deserialise(ff_state **out, const void *bytes, size_t size,
                                      ff_report *report);

/* A second sim of the same model in the same state. It has one thread and none of the functions set
 * by ff_sim_on_*. */
FF_API ff_status ff_sim_clone(ff_sim **out, const ff_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
