/* Contact detection: where the contact points of the pairs in the list are, and which touch.
 *
 * Pairs are independent but for the pool that new points come from: ff_pair_find works on many at
 * once (base/team.h), and leaves those that need more points or the shared list of edges pending,
 * for a second, serial pass in the order of the list. Results do not depend on who finds them. */
#ifndef FF_STEP_DETECTION_H
#define FF_STEP_DETECTION_H

#include "model/state.h"

enum { FF_PAIRS_CHUNK = 64 }; /* body pairs that one thread takes at a time */

/* Fastest that each body of a crowd comes towards or leaves one that is near: ff_crowd_motion.kick.
 * Bodies must be up to date. */
void ff_kicks_find(const ff_model *model, ff_state *state);

/* How fast others may make the bodies of a pair of a crowd approach within the step, m/s. */
static inline double ff_pair_kick(const ff_state *state, const ff_meet *meet) {
  return state->crowd[meet->a].kick + state->crowd[meet->b].kick;
}

/* How far apart shapes still are of interest, m. `adaptive` watches the depth of points that may
 * touch in its step, midpoint-implicit contacts those that may touch before the end of the step,
 * others want only what overlaps. */
double ff_pair_margin(const ff_model *model, const ff_state *state, const ff_meet *meet,
                      const ff_near *near);

/* Are the bounding spheres of a pair of shapes further apart than a margin? */
bool ff_pair_is_apart(const ff_model *model, const ff_state *state, const ff_meet *meet,
                      const ff_near *near, double margin);

/* Finds the points of a pair of shapes, which must have been opened (step/samples.h), and which of
 * them touch. near->clear: all are open. alone: no other pair is worked on; else the pair may
 * become pending. */
void ff_pair_find(const ff_model *model, ff_state *state, ff_near *near, double margin, bool alone);

/* Contact points of all pairs and their relative motion, from bodies that are up to date; the
 * forces that the points show stay. */
void ff_contacts_find(const ff_model *model, ff_state *state);

#endif
