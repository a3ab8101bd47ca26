/* The tangent frame of a contact whose memory outlives a turning normal.
 *
 * Memory is the tangential deflection along t1 and t2, and belongs to body b. On a half-space t1 is
 * fixed to b. On any other b the normal moves over it: its direction at the touch, and again after
 * every step, is kept in b's frame together with t1, the anchor; at another normal the frame is
 * that of the anchor after the smallest rotation that takes the anchor's normal there. On a path of
 * normals that is not a great circle such a frame turns about the normal against parallel
 * transport; memory is turned back by as much, so that frames neither create nor lose anything.
 *
 * A normal that turns by more than 30 degrees in a step belongs to another contact (of an edge, of
 * another minimum translation): its deflection is zero, and the energy of the memory is lost. */
#ifndef FF_STEP_FRAME_H
#define FF_STEP_FRAME_H

#include "model/state.h"

/* Does the frame of this pair have to be carried? */
bool ff_frame_wanders(const ff_model *model, const ff_near *near);

/* t1 and t2 of a point from its anchor; without one, anchors it where geometry has put it. */
void ff_frame_carry(const ff_model *model, const ff_state *state, const ff_near *near,
                    ff_point *point);

/* Memory of a point: zeros where its normal has turned too far. */
const double *ff_frame_memory(const ff_point *point, const double *memory);

/* Adds to the rates of the memory what turns it back. */
void ff_frame_turn_back(const ff_model *model, const ff_state *state, const ff_near *near,
                        const ff_point *point, const double *memory, double *memory_rate);

/* Between steps: anchors every point that touches where it is, which changes no memory but that of
 * points whose normal has turned too far, which is dropped; points that do not touch lose their
 * anchor. */
void ff_frame_anchor(const ff_model *model, ff_state *state);

/* Drops the anchors that the last evaluation of forces has set, which is to be repeated. */
void ff_frame_undo(ff_state *state);

/* Has some normal turned so far that its point should be anchored anew? */
bool ff_frame_leans(const ff_model *model, const ff_state *state);

#endif
