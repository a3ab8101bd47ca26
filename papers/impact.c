/* One impact under any normal law. */
#include "papers/paper.h"

#include <stdio.h>
#include <string.h>

/* Sets "name=value name=value ...". */
static ff_status set_all(const ff_law *law, ff_law_params *params, const char *settings,
                         ff_report *report) {
  char name[64], value[64];
  int length = 0;
  ff_status status = FF_OK;
  while (status == FF_OK && sscanf(settings, " %63[^= ]=%63s%n", name, value, &length) == 2) {
    double number;
    status = ff_number_read(value, &number) ? ff_law_params_set(law, params, name, number, report)
                                            : FF_ERROR_INPUT;
    settings += length;
  }
  return settings[strspn(settings, " ")] ? FF_ERROR_INPUT : status;
}

ff_impact ff_reproduction_impact(ff_reproduction *study, const char *name, const char *settings,
                                 double mass, double speed, double gravity) {
  const ff_law *law;
  ff_law_params params;
  ff_impact impact = {0};
  ff_report report = {0};
  ff_status status = ff_law_lookup(&law, FF_LAW_NORMAL, name, &report);
  if (status == FF_OK) {
    ff_law_params_default(law, &params);
    status = set_all(law, &params, settings, &report);
  }
  if (status == FF_OK) {
    status = ff_law_params_resolve(law, &params, NULL, &report);
  }
  if (status == FF_OK) {
    status = ff_impact_simulate(&impact, law, &params, mass, speed, gravity, &report);
  }
  if (status != FF_OK) {
    study->fail(study->context, status, &report);
  }
  return impact;
}
