/* Internals of a sim: state, stepper, audit and events. */
#ifndef FF_SIM_SIM_H
#define FF_SIM_SIM_H

#include "audit/audit.h"
#include "model/state.h"
#include "sim/settings.h"
#include "step/stepper.h"

/* Periodic callback at 0, period, 2 period, ...: a controller, or the user's function. */
typedef struct ff_ticker {
  double period; /* s; 0: none */
  long ticks;    /* ticks so far */
} ff_ticker;

/* What happened so far: footfall/sim.h, ff_results. */
typedef struct ff_record {
  ff_extreme force, impulse, depth, touch;
  long events[FF_EVENT_KIND_COUNT];
} ff_record;

/* A joint limit that is reported as an event. */
typedef struct ff_stop {
  int robot, joint, link; /* all from 0; link of the tree */
  int q_at, v_at;         /* in y */
  double lower, upper;
} ff_stop;

/* Controller of a robot. */
typedef struct ff_steer {
  ff_controller *controller; /* NULL: none */
  ff_ticker ticker;
  int feet[2]; /* bodies */
  ff_joint_order *orders;
} ff_steer;

struct ff_sim {
  ff_arena arena;
  const ff_model *base; /* the given model, */
  ff_model own;         /* with gravity and settings of this sim; shares all else */
  ff_settings settings;
  const ff_model *model; /* &own */
  const ff_stepper *stepper;
  ff_state state;
  ff_work work;
  ff_auditor auditor;
  long evaluations; /* of integrators that count their own */
  ff_event_fn on_event;
  void *event_context;
  ff_record record;
  double *travel; /* m, path of each body: body_count */
  ff_stop *stops;
  int stop_count;
  bool *stopped;    /* is each at its limit? stop_count */
  ff_steer *steers; /* robot_count */
  int steer_count;
  ff_ticker ticker; /* of the user's function */
  ff_control_fn control;
  void *control_context;
  ff_body_motion *before;     /* of each body at the start of the last step: body_count */
  double last_step;           /* s, its length; 0: none since the start, or it failed */
  ff_status failed;           /* how the last step ended */
  bool ordered;               /* orders have come that the stepper has not seen */
  struct ff_sampler *sampler; /* takes a sample in the next steps; NULL: none */
  ff_control_fn on_step;      /* after each step; NULL: none */
  void *step_context;
  void *user;              /* of ff_sim_set_user */
  const atomic_bool *stop; /* set: no further step begins; NULL: never */
  uint64_t structure;      /* states of this structure fit (sim/state_object.c) */
};

/* One step, at most to limit; for ff_sim_failure its status is kept. */
ff_status ff_sim_step_to(ff_sim *sim, double limit);

/* Checksum of all that sizes and meaning of a saved state depend on. */
uint64_t ff_sim_structure(const ff_model *model, const ff_state *state);

/* Compares the body pairs with their previous state and reports touch-downs and lift-offs; h:
 * length of the last step. */
void ff_sim_report_events(ff_sim *sim, double h);
/* Initialises the contact state of body pairs and joints, without reporting events. */
void ff_sim_init_contacts(ff_sim *sim);
/* Allocates what events and results need. */
ff_status ff_sim_take_events(ff_sim *sim);

/* After positions, velocities, gravity or settings were changed: contacts and forces anew, and a
 * new ledger. */
ff_status ff_sim_take_change(ff_sim *sim);

/* From the principal frame to the frame that a scene speaks of. */
ff_body_state ff_body_state_of(const ff_model_body *body, const ff_body_motion *motion);

/* ---- steer.c: controllers of scenes, and the user's control ---------------------------------- */

ff_status ff_sim_take_controllers(ff_sim *sim);
void ff_sim_drop_controllers(ff_sim *sim);
/* Resets to their first tick. */
void ff_sim_reset_controllers(ff_sim *sim);
/* May a controller be due, or an order pending, before the next step? */
static inline bool ff_sim_is_steered(const ff_sim *sim) {
  return sim->steer_count > 0 || sim->ticker.period > 0 || sim->ordered;
}
/* Next time at which a controller is due; INFINITY: never. */
double ff_sim_next_tick(const ff_sim *sim);
/* Runs every controller that is due, then passes new joint orders to the stepper. */
ff_status ff_sim_steer(ff_sim *sim);

#endif
