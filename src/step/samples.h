/* Contact points of a pair of shapes from its manifold (geom/manifold.h): the one place where
 * steppers find contact geometry. */
#ifndef FF_STEP_SAMPLES_H
#define FF_STEP_SAMPLES_H

#include "model/state.h"

/* What `adaptive` keeps of a contact point. */
typedef struct ff_sided_point {
  double kink, friction_kink; /* values of the laws' kink functions */
  double depth, rate;         /* m, m/s: of the depth at the start of the step; NAN: not found */
  double kinks[2];            /* kink and friction_kink there */
  bool closed;                /* the side on which the point stays until its next event */
} ff_sided_point;
static inline ff_sided_point *ff_sided_point_of(const ff_state *state, const ff_point *point) {
  return ff_state_own_point(state, point);
}

/* Finds the samples with depth > -margin (m) of a pair, with its bodies as they are in the state,
 * and stores each into a contact point, in a pooled state one that it may take for it. All points
 * of the pair must have been opened (depth -INFINITY); those without a sample stay so. Laws of
 * overlap have one point, with its volume.
 *
 * A sample whose feature id a point bears is stored there. Of new ids each takes over the point of
 * a sample that has vanished at the same place, with its memory, its forces of the step before and
 * its side; else a free one. A contact point of a half-space or smooth shape is found by number.
 *
 * alone: no other pair is worked on at the same time. Else false, with all points open, if the pair
 * needs more points or the list of edges of the state. */
bool ff_samples_find(const ff_model *model, ff_state *state, ff_near *near, double margin,
                     bool alone);

/* After a completed step: frees the points whose samples have vanished, and drops their memory.
 * True if any memory was not zero. */
bool ff_samples_forget(const ff_model *model, ff_state *state);

/* Does the point hold a sample now? */
static inline bool ff_point_is_found(const ff_point *point) {
  return point->patch.depth > -INFINITY;
}

/* Is the depth of the point that of a velocity along its normal, and its weight 1? */
static inline bool ff_point_is_plain(const ff_point *point) {
  return point->id.kind == FF_PAIR_POINT;
}

#endif
