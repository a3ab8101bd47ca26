/* Registry of laws, parameters by name, and the guarded public calls. */
#include "base/report.h"
#include "footfall/law.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* One line per law: LAW(x) stands for the `const ff_law ff_law_x` of law_x.c. */
#define LAWS(LAW)                                                                                  \
  LAW(linear)                                                                                      \
  LAW(hunt_crossley)                                                                               \
  LAW(azad_featherstone)                                                                           \
  LAW(volumetric)                                                                                  \
  LAW(quasi_rigid)                                                                                 \
  LAW(elastic)                                                                                     \
  LAW(rigid)                                                                                       \
  LAW(membrane)                                                                                    \
  LAW(none)                                                                                        \
  LAW(coulomb)                                                                                     \
  LAW(bristle_clutch)                                                                              \
  LAW(continuous)                                                                                  \
  LAW(ellipsoidal)

#define DECLARE(name) extern const ff_law ff_law_##name;
#define ENTRY(name)   &ff_law_##name,

LAWS(DECLARE)
static const ff_law *const laws[] = {LAWS(ENTRY)};

enum { LAW_COUNT = sizeof laws / sizeof *laws, PARAMS_MAX = FF_LAW_PARAMS_SIZE / 8 };

/* ---- laws by name ---------------------------------------------------------------------------- */

int ff_law_count(void) {
  return LAW_COUNT;
}

const ff_law *ff_law_at(int index) {
  return index >= 0 && index < LAW_COUNT ? laws[index] : NULL;
}

static bool is_of_kind(const ff_law *law, ff_law_kind kind) {
  return kind == FF_LAW_ANY || law->kind == kind;
}

const ff_law *ff_law_find(ff_law_kind kind, const char *name) {
  for (int i = 0; name && i < LAW_COUNT; i++) {
    if (is_of_kind(laws[i], kind) && strcmp(laws[i]->name, name) == 0) {
      return laws[i];
    }
  }
  return NULL;
}

ff_status ff_law_lookup(const ff_law **out, ff_law_kind kind, const char *name, ff_report *report) {
  *out = ff_law_find(kind, name);
  if (*out) {
    return FF_OK;
  }
  const char *known[LAW_COUNT];
  int count = 0;
  for (int i = 0; i < LAW_COUNT; i++) {
    if (is_of_kind(laws[i], kind)) {
      known[count++] = laws[i]->name;
    }
  }
  static const char *const nouns[] = {"normal law", "friction law", "law"};
  return ff_report_unknown(report, nouns[kind], name, known, count);
}

/* ---- parameters by name ---------------------------------------------------------------------- */

/* Address of a parameter. Offsets are in bytes; the structs hold doubles only. */
static double *param_slot(const ff_param *param, ff_law_params *params) {
  assert(param->offset % sizeof(double) == 0 && param->offset < sizeof *params);
  return &params->values[param->offset / sizeof(double)];
}

static const ff_param *param_find(const ff_law *law, const char *name) {
  for (int i = 0; name && i < law->params_count; i++) {
    if (strcmp(law->params[i].name, name) == 0) {
      return &law->params[i];
    }
  }
  return NULL;
}

/* Lists every parameter of the law in the report. */
static ff_status param_unknown(const ff_law *law, const char *name, ff_report *report) {
  const char *known[PARAMS_MAX];
  for (int i = 0; i < law->params_count; i++) {
    known[i] = law->params[i].name;
  }
  ff_status status = ff_report_unknown(report, "parameter", name, known, law->params_count);
  ff_report_key(report, "%.80s", name);
  if (law->params_count == 0) {
    ff_report_expected(report, "none: the law '%s' has no parameters", law->name);
  }
  return status;
}

static ff_status param_report_range(const ff_param *param, double value, ff_report *report) {
  if (param->kind == FF_PARAM_FLAG) {
    ff_report_what(report, "must be 0 or 1, got %g", value);
  } else if (!isfinite(value)) {
    ff_report_what(report, "must be a finite number, got %g", value);
  } else if (isfinite(param->max)) {
    ff_report_what(report, "must be %s %g and at most %g, got %g",
                   param->open_min ? "greater than" : "at least", param->min, param->max, value);
  } else {
    ff_report_what(report, "must be %s %g, got %g", param->open_min ? "greater than" : "at least",
                   param->min, value);
  }
  ff_report_key(report, "%s", param->name);
  return FF_ERROR_INPUT;
}

static ff_status param_check_range(const ff_param *param, double value, ff_report *report) {
  bool good = param->kind == FF_PARAM_FLAG
                  ? value == 0 || value == 1
                  : isfinite(value) && value >= param->min && value <= param->max &&
                        !(param->open_min && value == param->min);
  return good ? FF_OK : param_report_range(param, value, report);
}

void ff_law_params_default(const ff_law *law, ff_law_params *params) {
  memset(params, 0, sizeof *params);
  for (int i = 0; i < law->params_count; i++) {
    *param_slot(&law->params[i], params) = law->params[i].fallback;
  }
}

ff_status ff_law_params_set(const ff_law *law, ff_law_params *params, const char *name,
                            double value, ff_report *report) {
  if (!law || !params) {
    return FF_ERROR_INPUT;
  }
  const ff_param *param = param_find(law, name);
  if (!param) {
    return param_unknown(law, name ? name : "", report);
  }
  ff_status status = param_check_range(param, value, report);
  if (status == FF_OK) {
    *param_slot(param, params) = value;
  }
  return status;
}

double ff_law_params_get(const ff_law *law, const ff_law_params *params, const char *name) {
  const ff_param *param = law && params ? param_find(law, name) : NULL;
  return param ? params->values[param->offset / sizeof(double)] : (double)NAN;
}

ff_status ff_law_params_resolve(const ff_law *law, ff_law_params *params, const ff_pair *pair,
                                ff_report *report) {
  static const ff_pair unknown = {NAN, NAN, NAN, NAN, NAN, NAN};

  /* Required parameters are checked before the law derives others from them. */
  for (int i = 0; i < law->params_count; i++) {
    const ff_param *param = &law->params[i];
    if (!param->otherwise && isnan(*param_slot(param, params))) {
      ff_report_what(report, "must be given (%s, in %s)", param->meaning, param->unit);
      ff_report_key(report, "%s", param->name);
      return FF_ERROR_INPUT;
    }
  }

  const char *wrong = law->derive ? law->derive(params->values, pair ? pair : &unknown) : NULL;
  if (wrong) {
    return ff_report_what(report, "%s", wrong);
  }

  /* Values from materials are checked against the same ranges. */
  for (int i = 0; i < law->params_count; i++) {
    ff_status status =
        param_check_range(&law->params[i], *param_slot(&law->params[i], params), report);
    if (status != FF_OK) {
      return status;
    }
  }
  return FF_OK;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

void ff_law_normal(const ff_law *law, const ff_law_params *params, const ff_patch *patch,
                   ff_normal *out) {
  /* Written so that a NAN depth reaches the law, and the caller. */
  if (patch->depth <= 0) {
    *out = (ff_normal){0};
  } else if (!law->normal) {
    *out = (ff_normal){NAN, NAN, NAN, NAN, NAN, {NAN, NAN}};
  } else {
    out->moment[0] = out->moment[1] = 0;
    law->normal(params->values, patch, out);
  }
}

void ff_law_friction(const ff_law *law, const ff_law_params *params, const ff_patch *patch,
                     const ff_normal *normal, const double *memory, ff_friction *out) {
  if (patch->depth <= 0) {
    *out = (ff_friction){.mode = FF_OPEN};
  } else {
    law->friction(params->values, patch, normal, memory, out);
  }
}

void ff_law_normal_forces(const ff_law *law, const ff_law_params *params, const double *depth,
                          const double *rate, double *force, int count) {
  if (law->forces) {
    law->forces(params->values, depth, rate, force, count);
    return;
  }
  for (int i = 0; i < count; i++) {
    ff_patch patch = {.depth = depth[i], .depth_rate = rate[i]};
    ff_normal normal;
    ff_law_normal(law, params, &patch, &normal);
    force[i] = normal.force;
  }
}
