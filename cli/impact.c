/* footfall impact LAW: one body of a given mass hits a fixed one, over impact speeds; or, with
 * --solve, the parameter for a desired impact. */
#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "impact.h"
#include "table.h"

enum { SPEEDS_MAX = 1000000 };
enum { MASS = 256, SPEED, GRAVITY, CSV, EXACT, SOLVE, RESTITUTION, DEPTH, FORCE, FIT, VARY };

typedef struct impact_job {
  const char *law_name, *solve;
  const ff_law *law;
  ff_law_params params;
  ff_cli_list settings; /* "k=1e4" */
  double mass, gravity; /* kg, m/s^2 */
  double restitution, depth, force;
  double *speeds;
  int speed_count;
  bool csv, json, exact;
  const char *fit, *report; /* files */
  ff_cli_list vary;         /* "alpha" or "alpha=0.01:1" */
} impact_job;

/* ---- arguments ------------------------------------------------------------------------------- */

static double impact_read_number(struct argp_state *state, const char *option, const char *text) {
  double value;
  if (!ff_number_read(text, &value)) {
    argp_error(state, "--%s: '%s' is not a number", option, text);
  }
  return value;
}

static void impact_add_speed(impact_job *job, double speed) {
  job->speeds[job->speed_count++] = speed;
}

/* "A:B:N", N speeds from A to B. */
static bool impact_add_range(impact_job *job, char *text, int capacity) {
  char *second = strchr(text, ':'), *third = second ? strchr(second + 1, ':') : NULL;
  double from, to, count;
  if (!third) {
    return false;
  }
  *second++ = *third++ = '\0';
  if (!ff_number_read(text, &from) || !ff_number_read(second, &to) ||
      !ff_number_read(third, &count) || count != floor(count) || count < 1 || count > capacity) {
    return false;
  }
  for (int i = 0; i < (int)count; i++) {
    impact_add_speed(job, i == 0                ? from
                          : i == (int)count - 1 ? to
                                                : from + (to - from) * i / (count - 1));
  }
  return true;
}

/* "V1,V2,..." where each may also be a range "A:B:N". */
static void impact_read_speeds(impact_job *job, struct argp_state *state, const char *text) {
  char *copy = strdup(text), *rest = copy;
  free(job->speeds);
  job->speeds = ff_cli_alloc(SPEEDS_MAX, sizeof *job->speeds);
  job->speed_count = 0;
  if (!copy) {
    exit(ff_cli_fail(FF_ERROR_MEMORY, NULL));
  }
  for (char *item; (item = strsep(&rest, ","));) {
    int capacity = SPEEDS_MAX - job->speed_count;
    double value;
    if (capacity > 0 && ff_number_read(item, &value)) {
      impact_add_speed(job, value);
    } else if (!impact_add_range(job, item, capacity)) {
      argp_error(state, "--speed: expected V1,V2,... or A:B:N with N from 1 to %d, got '%s'",
                 SPEEDS_MAX, text);
    }
  }
  free(copy);
}

static void impact_take_word(impact_job *job, struct argp_state *state, const char *word) {
  if (job->csv && strcmp(word, "-") == 0) {
    return; /* `--csv -`: the standard output, which is the default */
  }
  if (job->law_name) {
    argp_error(state, "one law at a time");
  }
  job->law_name = word;
}

static void impact_check_usage(impact_job *job, struct argp_state *state) {
  bool alpha = job->solve && strcmp(job->solve, "alpha") == 0;
  if (job->solve && !alpha && strcmp(job->solve, "k") != 0) {
    argp_error(state, "--solve: alpha or k, got '%s'", job->solve);
  }
  if (!job->law_name && !job->solve) {
    argp_error(state, "no law given: `footfall laws` lists them");
  }
  if (!job->fit && (job->vary.count > 0 || job->report)) {
    argp_error(state, "--vary and --report belong to --fit");
  }
  if (job->csv && job->json) {
    argp_error(state, "either --csv or --json");
  }
  if (job->fit) {
    if (job->solve || job->exact || job->speed_count > 0) {
      argp_error(state, "--fit takes neither --speed, --solve nor --closed-form");
    }
    return;
  }
  if (job->speed_count == 0) {
    argp_error(state, "--speed is missing");
  }
  if (isnan(job->mass) && !alpha) {
    argp_error(state, "--mass is missing");
  }
  if (alpha && isnan(job->restitution)) {
    argp_error(state, "--solve alpha needs --restitution");
  }
  if (job->solve && !alpha && isnan(job->depth) == isnan(job->force)) {
    argp_error(state, "--solve k needs either --depth or --force");
  }
  if (job->solve && (job->gravity != 0 || job->exact)) {
    argp_error(state, "--solve takes neither --gravity nor --closed-form");
  }
}

static error_t impact_parse(int key, char *value, struct argp_state *state) {
  impact_job *job = state->input;
  switch (key) {
    case MASS: job->mass = impact_read_number(state, "mass", value); return 0;
    case SPEED: impact_read_speeds(job, state, value); return 0;
    case GRAVITY: job->gravity = impact_read_number(state, "gravity", value); return 0;
    case RESTITUTION: job->restitution = impact_read_number(state, "restitution", value); return 0;
    case DEPTH: job->depth = impact_read_number(state, "depth", value); return 0;
    case FORCE: job->force = impact_read_number(state, "force", value); return 0;
    case SOLVE: job->solve = value; return 0;
    case EXACT: job->exact = true; return 0;
    case FIT: job->fit = value; return 0;
    case VARY: ff_cli_list_add(&job->vary, value); return 0;
    case 'r': job->report = value; return 0;
    case CSV: job->csv = true; return 0;
    case 'j': job->json = true; return 0;
    case 's': ff_cli_list_add(&job->settings, value); return 0;
    case ARGP_KEY_ARG: impact_take_word(job, state, value); return 0;
    case ARGP_KEY_END: impact_check_usage(job, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"mass", MASS, "KG", 0, "mass of the body", 0},
    {"speed", SPEED, "LIST", 0, "impact speeds in m/s: V1,V2,... or A:B:N", 0},
    {"gravity", GRAVITY, "M/S2", 0, "gravity into the fixed body (default 0)", 0},
    {"set", 's', "PARAM=VALUE", 0, "set a parameter of the law; may be repeated", 0},
    {"closed-form", EXACT, NULL, 0, "also print the exact values (linear, hunt-crossley)", 0},
    {"csv", CSV, NULL, 0, "print as CSV with all digits", 0},
    {"json", 'j', NULL, 0, "print as JSON", 0},
    {0, 0, NULL, 0, "Design (hunt-crossley):", 1},
    {"solve", SOLVE, "PARAM", 0, "find alpha or k for a desired impact", 1},
    {"restitution", RESTITUTION, "E", 0, "desired restitution, for alpha", 1},
    {"depth", DEPTH, "M", 0, "desired largest depth, for k", 1},
    {"force", FORCE, "N", 0, "desired largest force, for k", 1},
    {0, 0, NULL, 0, "Fit to measured restitutions:", 2},
    {"fit", FIT, "FILE.csv", 0, "columns speed and restitution (and noise)", 2},
    {"vary", VARY, "PARAM[=LOW:HIGH]", 0,
     "a parameter to fit; may be repeated (default: all that are not set and have an effect)", 2},
    {"report", 'r', "FILE.html", 0, "with --fit: write a page", 2},
    {0},
};

static const struct argp parser = {
    .options = options,
    .parser = impact_parse,
    .args_doc = "[LAW]",
    .doc = "Simulates one body hitting a fixed one under a normal law and prints, in SI units, "
           "speed, restitution, largest depth and force, the time of the largest force, the "
           "duration and the energy lost. A body that stays in contact has an infinite duration.\v"
           "Examples:\n"
           "  footfall impact hunt-crossley --mass 1 --speed .1:2:9 -s k=1e4 -s alpha=1\n"
           "  footfall impact linear --mass 1 --speed 1 -s k=1e4 -s b=60 --closed-form\n"
           "  footfall impact --solve alpha --restitution 0.7 --speed 1\n"
           "  footfall impact --fit drops.csv hunt-crossley\n"
           "  footfall impact --solve k --force 200 --mass 1 --speed 1 -s n=1 -s "
           "alpha=0.4\n" FF_CLI_EXITS};

/* ---- law ------------------------------------------------------------------------------------- */

static ff_status impact_find_law(impact_job *job, ff_report *report) {
  const char *names[64];
  int count = 0;
  for (int i = 0; i < ff_law_count() && count < 64; i++) {
    if (ff_law_at(i)->kind == FF_LAW_NORMAL) {
      names[count++] = ff_law_at(i)->name;
    }
  }
  if (!job->law_name) {
    job->law_name = "hunt-crossley";
  }
  job->law = ff_law_find(FF_LAW_NORMAL, job->law_name);
  return job->law ? FF_OK : ff_report_unknown(report, "normal law", job->law_name, names, count);
}

/* One "param=value". */
static ff_status impact_apply_setting(impact_job *job, const char *setting, ff_report *report) {
  const char *equals = strchr(setting, '=');
  char name[64];
  double value;
  *report = (ff_report){0};
  if (!equals || equals == setting || (size_t)(equals - setting) >= sizeof name) {
    snprintf(report->key, sizeof report->key, "--set %.100s", setting);
    snprintf(report->what, sizeof report->what, "expected PARAM=VALUE");
    return FF_ERROR_INPUT;
  }
  snprintf(name, sizeof name, "%.*s", (int)(equals - setting), setting);
  if (strcmp(equals + 1, "true") == 0 || strcmp(equals + 1, "false") == 0) {
    value = equals[1] == 't';
  } else if (!ff_number_read(equals + 1, &value)) {
    snprintf(report->key, sizeof report->key, "%s", name);
    snprintf(report->what, sizeof report->what, "'%.100s' is not a number", equals + 1);
    return FF_ERROR_INPUT;
  }
  return ff_law_params_set(job->law, &job->params, name, value, report);
}

static ff_status impact_set_params(impact_job *job, ff_report *report) {
  ff_law_params_default(job->law, &job->params);
  ff_status status = FF_OK;
  for (int i = 0; i < job->settings.count && status == FF_OK; i++) {
    status = impact_apply_setting(job, job->settings.items[i], report);
  }
  return status;
}

static double impact_param(const impact_job *job, const char *name) {
  return ff_law_params_get(job->law, &job->params, name);
}

/* ---- impacts --------------------------------------------------------------------------------- */

static ff_hunt_crossley_impact impact_hunt_crossley(const impact_job *job, double speed) {
  return (ff_hunt_crossley_impact){
      .mass = job->mass,
      .k = impact_param(job, "k"),
      .n = impact_param(job, "n"),
      .alpha = isnan(impact_param(job, "alpha")) ? 0 : impact_param(job, "alpha"),
      .alpha_restitution = impact_param(job, "alpha_restitution"),
      .speed = speed};
}

static bool impact_has_closed_form(const impact_job *job) {
  return job->gravity == 0 &&
         (strcmp(job->law->name, "linear") == 0 || strcmp(job->law->name, "hunt-crossley") == 0);
}

static ff_status impact_closed_form(const impact_job *job, double speed, ff_impact *out,
                                    ff_report *report) {
  if (strcmp(job->law->name, "linear") == 0) {
    ff_linear_impact given = {job->mass, impact_param(job, "k"), impact_param(job, "b"), speed,
                              impact_param(job, "clamp") != 0};
    return ff_impact_linear(out, &given, report);
  }
  ff_hunt_crossley_impact given = impact_hunt_crossley(job, speed);
  return ff_impact_hunt_crossley(out, &given, report);
}

enum { VALUES = 6 };

static void impact_values(const ff_impact *impact, double *values) {
  const double all[VALUES] = {impact->restitution,    impact->depth_max, impact->force_max,
                              impact->time_force_max, impact->duration,  impact->energy_lost};
  memcpy(values, all, sizeof all);
}

static ff_status impact_add_row(const impact_job *job, double speed, ff_cli_table *table,
                                ff_report *report) {
  double row[1 + 2 * VALUES] = {speed};
  ff_impact exact, found;
  ff_status status = FF_OK;
  /* A closed form also detects impacts without end. */
  if (impact_has_closed_form(job)) {
    status = impact_closed_form(job, speed, &exact, report);
    if (status == FF_OK) {
      impact_values(&exact, row + 1 + VALUES);
    }
  }
  if (status == FF_OK) {
    status =
        ff_impact_simulate(&found, job->law, &job->params, job->mass, speed, job->gravity, report);
  }
  if (status == FF_OK) {
    impact_values(&found, row + 1);
    ff_cli_table_add(table, row);
  }
  return status;
}

static ff_status impact_simulate(impact_job *job, ff_cli_table *table, ff_report *report) {
  static const char *const names[] = {"speed",
                                      "restitution",
                                      "depth_max",
                                      "force_max",
                                      "time_force_max",
                                      "duration",
                                      "energy_lost",
                                      "restitution_exact",
                                      "depth_max_exact",
                                      "force_max_exact",
                                      "time_force_max_exact",
                                      "duration_exact",
                                      "energy_lost_exact"};
  if (job->exact && !impact_has_closed_form(job)) {
    *report = (ff_report){.key = "--closed-form"};
    snprintf(report->what, sizeof report->what,
             "only linear and hunt-crossley without gravity have a closed form");
    return FF_ERROR_INPUT;
  }
  for (int i = 0; i < (job->exact ? 1 + 2 * VALUES : 1 + VALUES); i++) {
    ff_cli_table_column(table, names[i]);
  }
  ff_status status = ff_law_params_resolve(job->law, &job->params, NULL, report);
  for (int i = 0; i < job->speed_count && status == FF_OK; i++) {
    status = impact_add_row(job, job->speeds[i], table, report);
  }
  return status;
}

/* ---- design ---------------------------------------------------------------------------------- */

static ff_status impact_solve(impact_job *job, ff_cli_table *table, ff_report *report) {
  if (strcmp(job->law->name, "hunt-crossley") != 0) {
    *report = (ff_report){.key = "--solve"};
    snprintf(report->what, sizeof report->what, "only hunt-crossley can be solved for, not '%s'",
             job->law->name);
    return FF_ERROR_INPUT;
  }
  ff_cli_table_column(table, "speed");
  ff_cli_table_column(table, job->solve);
  ff_status status = FF_OK;
  for (int i = 0; i < job->speed_count && status == FF_OK; i++) {
    double row[2] = {job->speeds[i], NAN};
    ff_hunt_crossley_impact given = impact_hunt_crossley(job, row[0]);
    if (strcmp(job->solve, "alpha") == 0) {
      status = ff_impact_design_alpha(&row[1], job->restitution, row[0], report);
    } else if (!isnan(job->depth)) {
      status = ff_impact_design_k_depth(&row[1], &given, job->depth, report);
    } else {
      status = ff_impact_design_k_force(&row[1], &given, job->force, report);
    }
    ff_cli_table_add(table, row);
  }
  return status;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void impact_print_json(const impact_job *job, const ff_cli_table *table) {
  ff_json json = {.out = stdout};
  ff_json_open(&json, NULL, '{');
  ff_json_text(&json, "law", job->law->name);
  ff_json_number(&json, "mass", job->mass);
  ff_json_number(&json, "gravity", job->gravity);
  ff_json_open(&json, "parameters", '{');
  for (int i = 0; i < job->law->params_count; i++) {
    ff_json_number(&json, job->law->params[i].name, impact_param(job, job->law->params[i].name));
  }
  ff_json_close(&json, '}');
  ff_cli_table_json(table, &json, job->solve ? "solutions" : "impacts");
  ff_json_close(&json, '}');
}

static void impact_print(const impact_job *job, const ff_cli_table *table) {
  if (job->json) {
    impact_print_json(job, table);
  } else if (job->csv) {
    ff_cli_table_csv(table, stdout);
  } else {
    ff_cli_table_text(table, stdout);
  }
}

static int impact_fit(const impact_job *job) {
  ff_cli_impact_fit given = {.law = job->law,
                             .params = &job->params,
                             .settings = &job->settings,
                             .vary = &job->vary,
                             .mass = job->mass,
                             .gravity = job->gravity,
                             .data = job->fit,
                             .page = job->report,
                             .csv = job->csv,
                             .json = job->json};
  return ff_cli_fit_impacts(&given);
}

static ff_status impact_tabulate(impact_job *job, ff_report *report) {
  ff_cli_table table = {0};
  ff_status status =
      job->solve ? impact_solve(job, &table, report) : impact_simulate(job, &table, report);
  if (status == FF_OK) {
    impact_print(job, &table);
  }
  ff_cli_table_free(&table);
  return status;
}

int ff_cli_impact(int argc, char **argv) {
  impact_job job = {.mass = NAN, .restitution = NAN, .depth = NAN, .force = NAN};
  ff_report report = {0};
  ff_cli_parse(&parser, argc, argv, &job);
  ff_status status = impact_find_law(&job, &report);
  if (status == FF_OK) {
    status = impact_set_params(&job, &report);
  }
  int code = FF_EXIT_GOOD;
  if (status == FF_OK && job.fit) {
    code = impact_fit(&job);
  } else {
    status = status == FF_OK ? impact_tabulate(&job, &report) : status;
    code = status == FF_OK ? FF_EXIT_GOOD : ff_cli_fail(status, &report);
  }
  ff_cli_list_free(&job.settings);
  ff_cli_list_free(&job.vary);
  free(job.speeds);
  return code;
}
