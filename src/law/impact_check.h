/* Parameter checks of the impact functions: each names the parameter in the report. */
#ifndef FF_LAW_IMPACT_CHECK_H
#define FF_LAW_IMPACT_CHECK_H

#include "footfall/impact.h"

/* Finite and greater than zero; finite and at least min. */
ff_status ff_check_positive(const char *key, double value, ff_report *report);
ff_status ff_check_at_least(const char *key, double value, double min, ff_report *report);

/* Checks all parameters of an impact except k, which a design does not have yet. */
ff_status ff_check_hunt_crossley(const ff_hunt_crossley_impact *given, ff_report *report);

#endif
