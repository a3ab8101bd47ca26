/* Forces of two polyhedra that are pressed into one another: geom/press.h. */
#ifndef FF_STEP_PRESSES_H
#define FF_STEP_PRESSES_H

#include "model/state.h"

/* Laws and forces of a pair of shapes; memory and memory_rate (may be NULL) are those of its first
 * point, ledger may be NULL. */
void ff_presses_push(const ff_model *model, ff_state *state, const ff_meet *meet,
                     const ff_near *near, const double *memory, double *memory_rate,
                     double *ledger);

/* Where the points of a pair are whose contacts are held, with their weights and what they store:
 * those that are apart by less than the margin (m), too. What acts beside them pushes. */
void ff_presses_place(const ff_model *model, ff_state *state, const ff_meet *meet,
                      const ff_near *near, double margin, double *ledger);

#endif
