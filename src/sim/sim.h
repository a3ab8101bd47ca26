/* Inside of a sim: state, stepper, audit and events under one roof. */
#ifndef FF_SIM_SIM_H
#define FF_SIM_SIM_H

#include "audit/audit.h"
#include "model/state.h"
#include "step/stepper.h"

struct ff_sim {
  ff_arena arena;
  const ff_model *model;
  const ff_stepper *stepper;
  ff_state state;
  ff_work work;
  ff_auditor auditor;
  long evaluations; /* of the integrators that count themselves */
  ff_event_fn on_event;
  void *event_context;
};

/* Compares the meets with what they were and tells of touch-downs and lift-offs; h: length of
 * the step that led here. */
void ff_sim_tell_events(ff_sim *sim, double h);
/* Remembers who touches, without telling: at the start. */
void ff_sim_note_contacts(ff_sim *sim);

#endif
