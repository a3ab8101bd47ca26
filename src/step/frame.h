/* The tangent frame of a contact whose memory must outlive a turning normal.
 *
 * Memory lies along t1 and t2 and belongs to body b. On a half-space t1 is fixed to b and there
 * is nothing to do. On a curved b the normal wanders over it: t1 is then what is left of an axis
 * fixed to b, chosen at the touch and again after every step, when it is taken off its part along
 * the normal. Such a frame turns about the normal against parallel transport over b; memory is
 * turned back by as much, so that frames neither create nor lose anything.
 */
#ifndef FF_STEP_FRAME_H
#define FF_STEP_FRAME_H

#include "model/state.h"

/* Does the frame of this pair have to be carried? */
bool ff_frame_wanders(const ff_model *model, const ff_near *near);

/* t1 and t2 of a point from its axis; without one, takes the t1 that geometry gave as axis. */
void ff_frame_carry(const ff_model *model, const ff_state *state, const ff_near *near,
                    ff_point *point);

/* Adds to the rates of the memory what turns it back. */
void ff_frame_turn_back(const ff_model *model, const ff_state *state, const ff_near *near,
                        const ff_point *point, const double *memory, double *memory_rate);

/* Between steps: the present t1 as the new axis of every point that touches, which changes no
 * memory; points that do not touch forget theirs. */
void ff_frame_anchor(const ff_model *model, ff_state *state);

/* After a fixed step: has the normal turned by more than 30 degrees in it? Then it is that of
 * another contact, and what the memory holds has no place in it. */
bool ff_frame_jumped(const ff_model *model, const ff_state *state, const ff_near *near,
                     const ff_point *point);

/* Has some axis come so near its normal that it should be chosen anew? */
bool ff_frame_leans(const ff_model *model, const ff_state *state);

#endif
