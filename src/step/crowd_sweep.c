#include "step/crowd_sweep.h"

#include "math/vec.h"

#include <math.h>

#define STRICT 0.1
#define STILL  0.2 /* of the change that ends the sweeps: not worth solving for */

/* One colour of an island. */
typedef struct colour_job {
  const ff_crowd_sweeps *sweeps;
  int first;    /* in the order */
  double still; /* N or N s */
} colour_job;

static void sweep_chunk(void *context, int first, int end) {
  const colour_job *job = context;
  const ff_crowd_sweeps *sweeps = job->sweeps;
  sweeps->chunks[first / FF_CROWD_CHUNK] =
      sweeps->solve(sweeps->context, job->first + first, job->first + end, job->still);
}

int ff_crowd_sweep(const ff_crowd_sweeps *sweeps, const ff_crowd_island *island, double *residual) {
  const int *start = sweeps->order->colour_start + island->colours;
  double change = INFINITY, most = 0, settled = sweeps->settled;
  int turn = 0;
  for (; turn < sweeps->most && change > settled * most; turn++) {
    double still = STILL * settled * most;
    bool strict = false;
    change = most = 0;
    for (int k = 0; k < FF_CROWD_COLOURS && start[k] < island->count; k++) {
      bool serial = k == FF_CROWD_COLOURS - 1; /* these may share bodies */
      int count = start[k + 1] - start[k];
      colour_job job = {sweeps, island->first + start[k], still};
      ff_team_for(serial ? NULL : sweeps->team, sweep_chunk, &job, count, FF_CROWD_CHUNK);
      for (int i = 0; i * FF_CROWD_CHUNK < count; i++) {
        change = greater(change, sweeps->chunks[i].change);
        most = greater(most, sweeps->chunks[i].most);
        strict = strict || sweeps->chunks[i].strict;
      }
    }
    settled = strict ? STRICT * sweeps->settled : sweeps->settled;
  }
  *residual = most > 0 ? change / most : 0;
  return turn;
}
