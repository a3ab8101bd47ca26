/* What a run amounts to: peaks, impulses, distances, last touch. */
#ifndef FF_CLI_RESULTS_H
#define FF_CLI_RESULTS_H

#include "cli.h"
#include "json.h"

void ff_results_text(const ff_model *model, const ff_sim *sim, FILE *out);
/* The member "results" of the open object. */
void ff_results_json(const ff_model *model, const ff_sim *sim, ff_json *json);
/* What there was when a run failed: contacts and solver, the member "failure". */
void ff_results_failure(const ff_model *model, const ff_sim *sim, ff_json *json);
/* All kept events, the member "event_list". */
void ff_results_events(const ff_model *model, const ff_event *events, int count, ff_json *json);

#endif
