/* Batches: many sims of one model, or of models of the same structure, stepped together on threads.
 *
 *   ff_batch_def def = ff_batch_def_default();
 *   def.models = &model, def.model_count = 1, def.count = 100, def.threads = 8;
 *   ff_batch_create(&batch, &def, &report);
 *   ff_batch_rollout(batch, u, steps, x, NULL);       100 trajectories
 *
 * Each sim is run by one thread at a time and results do not depend on the number of threads: they
 * are those of separate sims, to the last bit. Calls on one batch must not overlap in time, except
 * ff_batch_stop.
 */
#ifndef FOOTFALL_BATCH_H
#define FOOTFALL_BATCH_H

#include "footfall/api.h"
#include "footfall/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- state vector ---------------------------------------------------------------------------- */

/* Numbers in x: for each free body, in order, position (m), orientation (w, x, y, z), velocity
 * (m/s) and omega (rad/s), all world: 13 numbers; then q and v of each robot. Contact history,
 * clocks of controllers and the ledger are not part of x: see footfall/state.h. */
FF_API int ff_model_x_count(const ff_model *model);
/* x of a sim; ff_model_x_count numbers. */
FF_API void ff_sim_x(const ff_sim *sim, double *x);
/* Sets it, as ff_sim_set_body and ff_sim_set_robot do. */
FF_API ff_status ff_sim_set_x(ff_sim *sim, const double *x);

/* ---- inputs ---------------------------------------------------------------------------------- */

typedef enum ff_input_kind {
  FF_INPUT_TORQUE, /* N m or N: torque of a joint, in place of its drive */
  FF_INPUT_TARGET, /* rad or m: target of a joint's drive, with its gains in the scene */
  FF_INPUT_FORCE,  /* N: force on a body at its origin along a world axis */
  FF_INPUT_MOMENT  /* N m: torque on a body about a world axis */
} ff_input_kind;

/* One number of the control vector u. A joint may have a torque and a target; they add up. */
typedef struct ff_input {
  ff_input_kind kind;
  ff_joint_id joint; /* joint inputs */
  ff_body body;      /* force and moment: a free body or a movable link */
  int axis;          /* force and moment: 0 x, 1 y, 2 z */
} ff_input;

/* ---- batch ----------------------------------------------------------------------------------- */

typedef struct ff_batch ff_batch;

typedef struct ff_batch_def {
  const ff_model *const *models; /* one for all sims or one for each; must outlive the batch */
  int model_count;               /* 1 or count */
  int count;                     /* sims */
  int threads;                   /* 1 to 64 */
  double period;                 /* s, control interval; 0: one step of the stepper */
  const ff_input *inputs;        /* meaning of u, copied */
  int input_count;
} ff_batch_def;

/* One thread, one sim, no inputs, a period of one step; the models must be given. */
FF_API ff_batch_def ff_batch_def_default(void);

/* FF_ERROR_INPUT and a report (may be NULL): a number out of range, models of different structure,
 * an input that does not exist. */
FF_API ff_status ff_batch_create(ff_batch **out, const ff_batch_def *def, ff_report *report);
FF_API void ff_batch_destroy(ff_batch **batch);

FF_API int ff_batch_count(const ff_batch *batch);
FF_API int ff_batch_x_count(const ff_batch *batch); /* numbers in x of one sim */
FF_API int ff_batch_u_count(const ff_batch *batch); /* numbers in u of one sim */
/* A sim of the batch, 0 .. count - 1, to read and change between calls; NULL: out of range. */
FF_API ff_sim *ff_batch_sim(ff_batch *batch, int index);

/* Back to the initial states. which: a flag for each sim; NULL: all. */
FF_API ff_status ff_batch_reset(ff_batch *batch, const bool *which);
/* x of all sims, [count][x_count]. */
FF_API void ff_batch_x(const ff_batch *batch, double *x);
FF_API ff_status ff_batch_set_x(ff_batch *batch, const double *x);
/* Channels of all sims, out [count][channel_count]. */
FF_API void ff_batch_read(const ff_batch *batch, const int *channels, int channel_count,
                          double *out);

/* One control interval of every sim. u: [count][u_count]; NULL: inputs stay as they are. statuses
 * (may be NULL): one for each sim. A sim whose step failed rests until it is reset or its state is
 * set. Returns FF_OK, FF_CANCELLED, or the status of the first sim that failed. */
FF_API ff_status ff_batch_step(ff_batch *batch, const double *u, ff_status *statuses);
/* `steps` intervals of every sim. u: [count][steps][u_count], or NULL. x (may be NULL): state at
 * the end of each interval, [count][steps][x_count]; NAN from the interval on in which a sim
 * failed. The rest as ff_batch_step. */
FF_API ff_status ff_batch_rollout(ff_batch *batch, const double *u, int steps, double *x,
                                  ff_status *statuses);
/* Ends the current call, or else the next one, with FF_CANCELLED. For signal handlers and other
 * threads. */
FF_API void ff_batch_stop(ff_batch *batch);

#ifdef __cplusplus
}
#endif
#endif
