/* Coloured block Gauss-Seidel sweeps over a large island (step/crowd_order.h), shared by threads.
 *
 * What a contact solves is the caller's. The sweeps end where no force changes by more than a share
 * of the largest force of the island. Results do not depend on the number of threads. */
#ifndef FF_STEP_CROWD_SWEEP_H
#define FF_STEP_CROWD_SWEEP_H

#include "base/team.h"
#include "step/crowd_order.h"

enum { FF_CROWD_CHUNK = 64 /* contacts of a colour that a thread solves at once */ };

/* Largest change of a force in a sweep, and largest force: of a chunk, then of all. */
typedef struct ff_crowd_change {
  double change, most;
  bool strict; /* a tenth of the change ends the sweeps */
} ff_crowd_change;

/* Solves the contacts at places first .. end - 1 of the order, one after another. Such whose force
 * would change by less than `still` may stay as they are. */
typedef ff_crowd_change ff_crowd_work(void *context, int first, int end, double still);

typedef struct ff_crowd_sweeps {
  const ff_crowd_order *order;
  ff_team *team; /* NULL: serial */
  ff_crowd_work *solve;
  void *context;
  ff_crowd_change *chunks; /* workspace: ff_crowd_chunks(contact_capacity) */
  double settled;          /* 1, relative change of forces that ends the sweeps */
  int most;                /* sweeps */
} ff_crowd_sweeps;

static inline size_t ff_crowd_chunks(int contact_capacity) {
  return (size_t)contact_capacity / FF_CROWD_CHUNK + 1;
}
/* Sweeps over a large island until its forces have settled. Returns how often; residual: last
 * change over the largest force. */
int ff_crowd_sweep(const ff_crowd_sweeps *sweeps, const ff_crowd_island *island, double *residual);

#endif
