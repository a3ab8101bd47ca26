#include "law/impact_check.h"

#include "base/report.h"

#include <math.h>

static ff_status impact_report_range(const char *key, double value, const char *rule, double bound,
                                     ff_report *report) {
  ff_status status =
      isnan(value) ? ff_report_what(report, "must be given, %s %g", rule, bound)
                   : ff_report_what(report, "must be finite and %s %g, got %g", rule, bound, value);
  ff_report_key(report, "%s", key);
  return status;
}

ff_status ff_check_positive(const char *key, double value, ff_report *report) {
  return isfinite(value) && value > 0.0
             ? FF_OK
             : impact_report_range(key, value, "greater than", 0.0, report);
}

ff_status ff_check_at_least(const char *key, double value, double min, ff_report *report) {
  return isfinite(value) && value >= min ? FF_OK
                                         : impact_report_range(key, value, "at least", min, report);
}

ff_status ff_check_hunt_crossley(const ff_hunt_crossley_impact *given, ff_report *report) {
  ff_status status = ff_check_positive("mass", given->mass, report);
  if (status == FF_OK) {
    status = ff_check_at_least("n", given->n, 1.0, report);
  }
  if (status == FF_OK) {
    status = ff_check_at_least("alpha", given->alpha, 0.0, report);
  }
  if (status == FF_OK && !isnan(given->alpha_restitution)) {
    status = ff_check_at_least("alpha_restitution", given->alpha_restitution, 0.0, report);
  }
  if (status == FF_OK) {
    status = ff_check_positive("speed", given->speed, report);
  }
  return status;
}
