/* Reports of fits. */
#ifndef FF_CLI_FIT_H
#define FF_CLI_FIT_H

#include "cli.h"
#include "json.h"

/* Result of all laws, as text for a terminal. */
void ff_fit_print(const ff_fit *fit, FILE *out);
/* The same as entries of an open JSON object; curves: with measured and computed values of at most
 * this many trajectories. */
void ff_fit_write(const ff_fit *fit, ff_json *json, int curves);
/* The page; exact is the JSON text of the result. */
ff_status ff_fit_page(const ff_fit *fit, const char *path, ff_report *report);

#endif
