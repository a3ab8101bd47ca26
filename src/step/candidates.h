/* The list of what may touch soon. */
#ifndef FF_STEP_CANDIDATES_H
#define FF_STEP_CANDIDATES_H

#include "math/vec.h"
#include "model/state.h"

/* Would a body there have left what the list covers? There must be one. */
static inline bool ff_candidates_left(const ff_state *state, int body, ff_vec3 place) {
  ff_vec3 way = v3_sub(place, state->listed_at[body]);
  return !(v3_dot(way, way) <= state->reach[body] * state->reach[body]);
}

/* Has a body moved so far since the list was made that at (t, y) a touch may be missing? */
bool ff_candidates_stale(const ff_model *model, const ff_state *state, double t, const double *y);

/* How far the next list is to reach: each body may go on for four steps of this length. One that is
 * fast does not make the others look far, or a wall that a ball flies at would be a list of all its
 * stones with all others. */
void ff_candidates_wish(const ff_model *model, ff_state *state, double step);

/* As long a list as the last one, but for motions this many times as long. */
void ff_candidates_wish_more(const ff_model *model, ff_state *state, double times);

/* Makes the list anew, good for motions up to the wish; contact points that stay keep
 * their state and memory. Bodies must be up to date (ff_bodies_update). */
ff_status ff_candidates_update(const ff_model *model, ff_state *state);

#endif
