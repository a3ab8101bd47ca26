/* footfall impact --fit: parameters of a normal law from measured restitutions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "impact.h"
#include "table.h"

/* "alpha" or "alpha=LOW:HIGH"; the name is cut off in `text`. */
static ff_status impact_fit_read_vary(char *text, ff_impact_fit_vary *out, ff_report *report) {
  char *equals = strchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
  *out = (ff_impact_fit_vary){text, NAN, NAN};
  bool good = !equals;
  if (colon) {
    *equals = *colon = '\0';
    good = ff_number_read(equals + 1, &out->low) && ff_number_read(colon + 1, &out->high);
  }
  if (good) {
    return FF_OK;
  }
  *report = (ff_report){0};
  snprintf(report->key, sizeof report->key, "--vary %.100s", text);
  snprintf(report->what, sizeof report->what, "expected PARAM or PARAM=LOW:HIGH");
  return FF_ERROR_INPUT;
}

static char *impact_fit_copy(const char *text) {
  char *copy = ff_cli_alloc((int)strlen(text) + 1, 1);
  return strcpy(copy, text);
}

/* Names before the equals signs of the settings. */
static char **impact_fit_names(const ff_cli_list *settings) {
  char **names = ff_cli_alloc(settings->count + 1, sizeof *names);
  for (int i = 0; i < settings->count; i++) {
    names[i] = impact_fit_copy(settings->items[i]);
    names[i][strcspn(names[i], "=")] = '\0';
  }
  return names;
}

static void impact_fit_free(char **texts, int count) {
  for (int i = 0; i < count; i++) {
    free(texts[i]);
  }
  free(texts);
}

/* ---- printing -------------------------------------------------------------------------------- */

static void impact_fit_tabulate(const ff_impact_data *data, const ff_impact_fit *fit,
                                ff_cli_table *table) {
  static const char *const names[] = {"speed", "restitution", "computed", "difference"};
  for (int i = 0; i < 4; i++) {
    ff_cli_table_column(table, names[i]);
  }
  for (int i = 0; i < data->count; i++) {
    double e = data->restitution[i], computed = ff_impact_fit_computed(fit)[i];
    ff_cli_table_add(table, (double[]){data->speed[i], e, computed, e - computed});
  }
}

static void impact_fit_print(const ff_cli_impact_fit *given, double mass, bool noise,
                             const ff_impact_fit *fit, const ff_cli_table *table) {
  ff_fit_outcome o = ff_impact_fit_outcome(fit);
  const char *idle = ff_impact_fit_idle(fit, 0);
  printf("fit        %s: %ld impacts, law %s, mass %g kg%s\n", given->data, o.residuals, o.law,
         mass, isnan(given->mass) ? " (default)" : "");
  ff_fit_print_estimates(&o, NULL, stdout);
  for (int i = 0; idle; idle = ff_impact_fit_idle(fit, ++i)) {
    printf("  %-20s has no effect on restitution\n", idle);
  }
  printf("error      %.4g %s rms\n", o.rms, noise ? "x noise" : "of restitution");
  if (isfinite(o.aicc)) {
    printf("criteria   AICc %.6g, BIC %.6g\n\n", o.aicc, o.bic);
  } else {
    printf("criteria   BIC %.6g (AICc needs more impacts)\n\n", o.bic);
  }
  ff_cli_table_text(table, stdout);
}

static void impact_fit_write_column(const ff_cli_table *table, int column, const char *key,
                                    ff_json *json) {
  double *values = ff_cli_alloc(table->rows + 1, sizeof *values);
  for (int i = 0; i < table->rows; i++) {
    values[i] = table->cells[i * table->columns + column];
  }
  ff_json_numbers(json, key, values, table->rows);
  free(values);
}

/* In the form of `footfall fit --json`, with the impacts as one trajectory over speed. */
static void impact_fit_write(const ff_cli_impact_fit *given, double mass, const ff_impact_fit *fit,
                             const ff_cli_table *table, FILE *out) {
  ff_fit_outcome o = ff_impact_fit_outcome(fit);
  ff_law_params params = ff_impact_fit_params(fit);
  ff_json json = {.out = out};
  ff_json_open(&json, NULL, '{');
  ff_json_text(&json, "fit", given->data);
  ff_json_text(&json, "best", o.law);
  ff_json_number(&json, "mass", mass);
  ff_json_number(&json, "gravity", given->gravity);
  ff_json_open(&json, "values", '{');
  for (int i = 0; i < given->law->params_count; i++) {
    const char *name = given->law->params[i].name;
    ff_json_number(&json, name, ff_law_params_get(given->law, &params, name));
  }
  ff_json_close(&json, '}');
  ff_json_open(&json, "without_effect", '[');
  for (int i = 0; ff_impact_fit_idle(fit, i); i++) {
    ff_json_text(&json, NULL, ff_impact_fit_idle(fit, i));
  }
  ff_json_close(&json, ']');
  ff_json_open(&json, "laws", '[');
  ff_fit_write_outcome(&o, NULL, &json);
  ff_json_close(&json, ']');
  ff_json_text(&json, "axis", "speed (m/s)");
  ff_json_open(&json, "trajectories", '[');
  ff_json_open(&json, NULL, '{');
  ff_json_text(&json, "name", given->data);
  ff_json_flag(&json, "held_out", false);
  ff_json_numbers(&json, "rms", &o.rms, 1);
  impact_fit_write_column(table, 0, "time", &json);
  ff_json_open(&json, "curves", '[');
  ff_json_open(&json, NULL, '{');
  ff_json_text(&json, "label", "restitution");
  impact_fit_write_column(table, 1, "measured", &json);
  ff_json_open(&json, "computed", '[');
  impact_fit_write_column(table, 2, NULL, &json);
  ff_json_close(&json, ']');
  ff_json_close(&json, '}');
  ff_json_close(&json, ']');
  ff_json_close(&json, '}');
  ff_json_close(&json, ']');
  ff_json_close(&json, '}');
}

static ff_status impact_fit_page(const ff_cli_impact_fit *given, double mass,
                                 const ff_impact_fit *fit, const ff_cli_table *table,
                                 ff_report *report) {
  char *data = NULL;
  size_t size;
  FILE *memory = open_memstream(&data, &size);
  if (!memory) {
    return FF_ERROR_MEMORY;
  }
  impact_fit_write(given, mass, fit, table, memory);
  fclose(memory);
  ff_status status = ff_cli_write_template("cli/fit_page.html", data, given->page, report);
  free(data);
  return status;
}

/* ---- the fit --------------------------------------------------------------------------------- */

static ff_status impact_fit_solve(const ff_cli_impact_fit *given, double mass,
                                  const ff_impact_data *data, ff_impact_fit **fit,
                                  ff_report *report) {
  char **names = impact_fit_names(given->settings);
  char **texts = ff_cli_alloc(given->vary->count + 1, sizeof *texts);
  ff_impact_fit_vary *vary = ff_cli_alloc(given->vary->count + 1, sizeof *vary);
  ff_status status = FF_OK;
  for (int i = 0; i < given->vary->count && status == FF_OK; i++) {
    texts[i] = impact_fit_copy(given->vary->items[i]);
    status = impact_fit_read_vary(texts[i], &vary[i], report);
  }
  ff_impact_fit_def def = {.law = given->law,
                           .params = given->params,
                           .vary = vary,
                           .vary_count = given->vary->count,
                           .given = (const char *const *)names,
                           .given_count = given->settings->count,
                           .mass = mass,
                           .gravity = given->gravity,
                           .count = data->count,
                           .speed = data->speed,
                           .restitution = data->restitution,
                           .noise = data->noise};
  status = status == FF_OK ? ff_impact_fit_solve(fit, &def, report) : status;
  impact_fit_free(names, given->settings->count);
  impact_fit_free(texts, given->vary->count);
  free(vary);
  return status;
}

static ff_status impact_fit_check_page(const ff_cli_impact_fit *given, ff_report *report) {
  ff_cli_list written = {0}, read = {0};
  if (!given->page) {
    return FF_OK;
  }
  ff_cli_list_add(&written, given->page);
  ff_cli_list_add(&read, given->data);
  ff_status status = ff_cli_check_outputs(&written, &read, report);
  ff_cli_list_free(&written);
  ff_cli_list_free(&read);
  return status;
}

int ff_cli_fit_impacts(const ff_cli_impact_fit *given) {
  double mass = isnan(given->mass) ? 1 : given->mass;
  ff_impact_data data = {0};
  ff_impact_fit *fit = NULL;
  ff_cli_table table = {0};
  ff_report report = {0};
  ff_status status = impact_fit_check_page(given, &report);
  status = status == FF_OK ? ff_impact_data_read(&data, given->data, &report) : status;
  if (status != FF_OK) {
    return ff_cli_fail_reading(status, &report);
  }
  status = impact_fit_solve(given, mass, &data, &fit, &report);
  if (status == FF_OK) {
    impact_fit_tabulate(&data, fit, &table);
    status = given->page ? impact_fit_page(given, mass, fit, &table, &report) : FF_OK;
  }
  if (status == FF_OK && given->csv) {
    ff_cli_table_csv(&table, stdout);
  } else if (status == FF_OK && given->json) {
    impact_fit_write(given, mass, fit, &table, stdout);
  } else if (status == FF_OK) {
    impact_fit_print(given, mass, data.noise != NULL, fit, &table);
  }
  ff_cli_table_free(&table);
  ff_impact_fit_destroy(&fit);
  ff_impact_data_free(&data);
  return status == FF_OK ? FF_EXIT_GOOD : ff_cli_fail(status, &report);
}
