/* Reports of fits. */
#ifndef FF_CLI_FIT_H
#define FF_CLI_FIT_H

#include "cli.h"
#include "json.h"

/* ff_fit_solve with its progress on a terminal; stop as there. */
ff_status ff_fit_solve_shown(ff_fit *fit, int threads, const volatile int *stop, ff_report *report);

/* Result of all laws, as text for a terminal. */
void ff_fit_print(const ff_fit *fit, FILE *out);
/* The same as entries of an open JSON object; curves: with measured and computed values of at most
 * this many trajectories. */
void ff_fit_write(const ff_fit *fit, ff_json *json, int curves);
/* Estimates and warnings of one law; one law as a JSON object. fit may be NULL if no estimate
 * belongs to a trajectory. */
void ff_fit_print_estimates(const ff_fit_outcome *o, const ff_fit *fit, FILE *out);
void ff_fit_write_outcome(const ff_fit_outcome *outcome, const ff_fit *fit, ff_json *json);
/* The page of a fit. */
ff_status ff_fit_page(const ff_fit *fit, const char *path, ff_report *report);

#endif
