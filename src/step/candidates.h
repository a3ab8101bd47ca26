/* The list of what may touch soon. */
#ifndef FF_STEP_CANDIDATES_H
#define FF_STEP_CANDIDATES_H

#include "math/vec.h"
#include "model/state.h"

/* Would a body there have left what the list covers? There must be one. */
static inline bool ff_candidates_left(const ff_state *state, int body, ff_vec3 place) {
  ff_vec3 way = v3_sub(place, state->listed_at[body]);
  return !(4 * v3_dot(way, way) <= state->skin * state->skin);
}

/* Has a body moved so far since the list was made that at (t, y) a touch may be missing? */
bool ff_candidates_stale(const ff_model *model, const ff_state *state, double t, const double *y);

/* Makes the list anew, good for motions up to half the skin; contact points that stay keep
 * their state and memory. Bodies must be up to date (ff_bodies_update). */
ff_status ff_candidates_update(const ff_model *model, ff_state *state, double skin);

/* A sensible skin for steps of this length. */
double ff_candidates_skin(const ff_model *model, const ff_state *state, double step);

#endif
