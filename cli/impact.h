/* footfall impact --fit. */
#ifndef FF_CLI_IMPACT_H
#define FF_CLI_IMPACT_H

#include "cli.h"

typedef struct ff_cli_impact_fit {
  const ff_law *law;
  const ff_law_params *params;
  const ff_cli_list *settings; /* "k=1e4" */
  const ff_cli_list *vary;     /* "alpha" or "alpha=0.01:1" */
  double mass, gravity;        /* kg, NAN: 1; m/s^2 */
  const char *data, *page;     /* files; page may be NULL */
  bool csv, json;
} ff_cli_impact_fit;

/* Reads the data, fits, writes the page and prints the result. Returns an exit code. */
int ff_cli_fit_impacts(const ff_cli_impact_fit *given);

#endif
