/* Results of a fit: text, JSON, page. */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

enum { PAGE_TRAJECTORIES = 40, SHOWN = 40 };

/* ---- text ------------------------------------------------------------------------------------ */

static void fit_print_estimate(const ff_fit *fit, const ff_fit_estimate *e, FILE *out) {
  char where[120] = "";
  if (e->trajectory >= 0) {
    snprintf(where, sizeof where, " (%.100s)", ff_fit_trajectory_name(fit, e->trajectory));
  }
  ff_cli_say(out, "  %-20s %-12.6g", e->name, e->value);
  if (isnan(e->interval[0]) && !e->at_bound) {
    ff_cli_say(out, " given");
  } else if (e->at_bound) {
    ff_cli_say(out, " AT A BOUND of %g .. %g", e->bound[0], e->bound[1]);
  } else {
    ff_cli_say(out, " 95 %%: %.6g .. %.6g", e->interval[0], e->interval[1]);
  }
  if (isfinite(e->clustered[0])) {
    ff_cli_say(out, "; by trajectory: %.6g .. %.6g", e->clustered[0], e->clustered[1]);
  }
  ff_cli_say(out, "%s%s\n", e->unclear ? "  NOT DETERMINED by the data" : "", where);
}

static void fit_print_warnings(const ff_fit_outcome *o, FILE *out) {
  for (int i = 0; i < o->estimate_count; i++) {
    for (int k = 0; k < i; k++) {
      double r = o->correlations[i * o->estimate_count + k];
      if (fabs(r) > 0.95) {
        ff_cli_say(out, "  %s and %s are correlated by %.3f: the data fix a combination of them\n",
                   o->estimates[k].name, o->estimates[i].name, r);
      }
    }
  }
  if (o->flat_deviation > 0.25) {
    ff_cli_say(out, "  flat direction (deviation %.3g of the bounds):", o->flat_deviation);
    for (int i = 0; i < o->estimate_count; i++) {
      if (fabs(o->flat[i]) > 0.2) {
        ff_cli_say(out, " %+.2f %s", o->flat[i], o->estimates[i].name);
      }
    }
    ff_cli_say(out, "\n");
  }
  if (!o->converged) {
    ff_cli_say(out, "  the search stopped at its limit of evaluations\n");
  }
}

void ff_fit_print_estimates(const ff_fit_outcome *o, const ff_fit *fit, FILE *out) {
  int shown = o->estimate_count < SHOWN ? o->estimate_count : SHOWN;
  for (int i = 0; i < shown; i++) {
    fit_print_estimate(fit, &o->estimates[i], out);
  }
  if (shown < o->estimate_count) {
    ff_cli_say(out, "  and %d more, of single trajectories\n", o->estimate_count - shown);
  }
  fit_print_warnings(o, out);
}

/* "1.2 +- 0.1", without the deviation if it is unknown. */
static void fit_mean_text(char text[64], double mean, double error) {
  if (isnan(mean)) {
    snprintf(text, 64, "-");
  } else if (isnan(error)) {
    snprintf(text, 64, "%.4g", mean);
  } else {
    snprintf(text, 64, "%.4g +- %.2g", mean, error);
  }
}

static void fit_print_law(const ff_fit *fit, int law, FILE *out) {
  char text[64];
  ff_fit_outcome o = ff_fit_outcome_of(fit, law);
  ff_cli_say(out, "\nlaw        %s\n", o.law);
  ff_fit_print_estimates(&o, fit, out);
  ff_cli_say(out, "error      %.4g x noise fitted", o.rms);
  if (isfinite(o.crossed)) {
    fit_mean_text(text, o.crossed, o.crossed_error);
    ff_cli_say(out, ", %s cross-validated", text);
  }
  if (isfinite(o.held_out)) {
    fit_mean_text(text, o.held_out, o.held_out_error);
    ff_cli_say(out, ", %s held out", text);
  }
  if (isnan(o.aicc)) {
    ff_cli_say(out, "\n");
    return;
  }
  ff_cli_say(out, "\ncriteria   AICc %.6g, BIC %.6g (%ld residuals, %d estimates)\n", o.aicc, o.bic,
             o.residuals, o.free);
}

/* Mean difference of the errors of two laws over the trajectories that judge them. */
static void fit_difference(const ff_fit *fit, int a, int b, double *mean, double *error,
                           int *count) {
  bool held = isfinite(ff_fit_outcome_of(fit, a).held_out);
  double sum = 0, square = 0;
  *count = 0;
  for (int pass = 0; pass < 2; pass++) {
    *count = 0;
    for (int i = 0; i < ff_fit_trajectory_count(fit); i++) {
      if (ff_fit_trajectory_held_out(fit, i) == held) {
        double d = ff_fit_trajectory_rms(fit, a, i) - ff_fit_trajectory_rms(fit, b, i);
        sum += pass == 0 ? d : 0;
        square += pass == 1 ? (d - *mean) * (d - *mean) : 0;
        ++*count;
      }
    }
    *mean = *count > 0 ? sum / *count : NAN;
  }
  *error = *count > 1 ? sqrt(square / (*count - 1) / *count) : NAN;
}

/* Law with the least error on data that it was not fitted to; by AICc if there is none. */
static int fit_best(const ff_fit *fit) {
  int best = 0;
  for (int i = 1; i < ff_fit_law_count(fit); i++) {
    ff_fit_outcome a = ff_fit_outcome_of(fit, i), b = ff_fit_outcome_of(fit, best);
    bool less = isfinite(b.held_out)  ? a.held_out < b.held_out
                : isfinite(b.crossed) ? a.crossed < b.crossed
                                      : a.aicc < b.aicc;
    best = less ? i : best;
  }
  return best;
}

static void fit_print_comparison(const ff_fit *fit, FILE *out) {
  int best = fit_best(fit);
  ff_fit_outcome o = ff_fit_outcome_of(fit, best);
  const char *by = isfinite(o.held_out)  ? "error on held-out trajectories"
                   : isfinite(o.crossed) ? "cross-validated error"
                                         : "AICc (no data were held out)";
  ff_cli_say(out, "\nbest       %s, by %s\n", o.law, by);
  for (int i = 0; i < ff_fit_law_count(fit); i++) {
    double mean, error;
    int count;
    if (i != best) {
      fit_difference(fit, i, best, &mean, &error, &count);
      double more = ff_fit_outcome_of(fit, i).aicc - o.aicc;
      ff_cli_say(out, "  %-20s is worse by %.3g", ff_fit_outcome_of(fit, i).law, mean);
      if (count > 1) {
        ff_cli_say(out, " +- %.2g over %d trajectories%s", error, count,
                   fabs(mean) < 2 * error ? " (not significant)" : "");
      }
      if (isfinite(more)) {
        ff_cli_say(out, "; AICc %+.4g", more);
      }
      ff_cli_say(out, "\n");
    }
  }
}

/* A line for each law, fitted and held out, and for each published figure. */
static void fit_print_errors(const ff_fit *fit, FILE *out) {
  char text[64];
  int count = ff_fit_error_count(fit);
  ff_cli_say(out, "\n%-44s", "errors");
  for (int e = 0; e < count; e++) {
    ff_fit_error error = ff_fit_error_of(fit, 0, e);
    snprintf(text, sizeof text, "%.30s%s%.20s%s", error.name, error.unit[0] ? " (" : "", error.unit,
             error.unit[0] ? ")" : "");
    ff_cli_say(out, "  %-22s", text);
  }
  for (int i = 0; i < ff_fit_law_count(fit); i++) {
    for (int held = 0; held < 2; held++) {
      if (held && isnan(ff_fit_error_of(fit, i, 0).held_out)) {
        continue;
      }
      ff_cli_say(out, "\n  %-31.31s %-10s", ff_fit_outcome_of(fit, i).law,
                 held ? "held out" : "fitted");
      for (int e = 0; e < count; e++) {
        ff_fit_error error = ff_fit_error_of(fit, i, e);
        fit_mean_text(text, held ? error.held_out : error.fitted,
                      held ? error.held_out_error : error.fitted_error);
        ff_cli_say(out, "  %-22s", text);
      }
    }
  }
  for (int i = 0; ff_fit_published_of(fit, i).name; i++) {
    ff_fit_published figure = ff_fit_published_of(fit, i);
    ff_cli_say(out, "\n  %-31.31s %-10s", figure.name, "published");
    for (int e = 0; e < count; e++) {
      fit_mean_text(text, figure.values[e], NAN);
      ff_cli_say(out, "  %-22s", text);
    }
  }
  ff_cli_say(out, "\n");
}

void ff_fit_print(const ff_fit *fit, FILE *out) {
  int held = 0, count = ff_fit_trajectory_count(fit);
  for (int i = 0; i < count; i++) {
    held += ff_fit_trajectory_held_out(fit, i);
  }
  ff_cli_say(out, "fit        %s: %d trajector%s", ff_fit_name(fit), count,
             count == 1 ? "y" : "ies");
  ff_cli_say(out, held > 0 ? ", %d of them held out\n" : ", none held out\n", held);
  for (int i = 0; i < ff_fit_law_count(fit); i++) {
    fit_print_law(fit, i, out);
  }
  if (ff_fit_law_count(fit) > 1) {
    fit_print_comparison(fit, out);
  }
  if (ff_fit_error_count(fit) > 0) {
    fit_print_errors(fit, out);
  }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void fit_write_estimate(const ff_fit *fit, const ff_fit_estimate *e, ff_json *json) {
  ff_json_open(json, NULL, '{');
  ff_json_text(json, "name", e->name);
  if (e->trajectory >= 0) {
    ff_json_text(json, "trajectory", ff_fit_trajectory_name(fit, e->trajectory));
  }
  ff_json_number(json, "value", e->value);
  ff_json_numbers(json, "interval", e->interval, 2);
  ff_json_numbers(json, "interval_by_trajectory", e->clustered, 2);
  ff_json_numbers(json, "bounds", e->bound, 2);
  ff_json_flag(json, "at_bound", e->at_bound);
  ff_json_flag(json, "not_determined", e->unclear);
  ff_json_close(json, '}');
}

void ff_fit_write_outcome(const ff_fit_outcome *outcome, const ff_fit *fit, ff_json *json) {
  ff_fit_outcome o = *outcome;
  ff_json_open(json, NULL, '{');
  ff_json_text(json, "law", o.law);
  ff_json_flag(json, "converged", o.converged);
  ff_json_whole(json, "evaluations", o.evaluations);
  ff_json_whole(json, "starts_agreeing", o.starts_agreeing);
  ff_json_whole(json, "residuals", o.residuals);
  ff_json_whole(json, "estimates", o.free);
  ff_json_number(json, "sum", o.sum);
  ff_json_number(json, "rms", o.rms);
  ff_json_number(json, "aicc", o.aicc);
  ff_json_number(json, "bic", o.bic);
  ff_json_number(json, "held_out", o.held_out);
  ff_json_number(json, "held_out_error", o.held_out_error);
  ff_json_number(json, "cross_validated", o.crossed);
  ff_json_number(json, "cross_validated_error", o.crossed_error);
  ff_json_open(json, "parameters", '[');
  for (int i = 0; i < o.estimate_count; i++) {
    fit_write_estimate(fit, &o.estimates[i], json);
  }
  ff_json_close(json, ']');
  ff_json_open(json, "correlations", '[');
  for (int i = 0; i < o.estimate_count; i++) {
    ff_json_numbers(json, NULL, o.correlations + (size_t)i * (size_t)o.estimate_count,
                    o.estimate_count);
  }
  ff_json_close(json, ']');
  ff_json_numbers(json, "flat_direction", o.flat, o.flat ? o.estimate_count : 0);
  ff_json_number(json, "flat_deviation", o.flat_deviation);
  ff_json_close(json, '}');
}

static void fit_write_strided(const char *key, const double *values, int stride, long rows,
                              ff_json *json) {
  double *copy = ff_cli_alloc((int)rows + 1, sizeof *copy);
  for (long i = 0; i < rows; i++) {
    copy[i] = values ? values[i * stride] : 0;
  }
  ff_json_numbers(json, key, copy, (int)rows);
  free(copy);
}

/* Errors in units of the user of all laws, and published figures. */
static void fit_write_errors(const ff_fit *fit, ff_json *json) {
  ff_json_open(json, "errors", '[');
  for (int e = 0; e < ff_fit_error_count(fit); e++) {
    ff_fit_error first = ff_fit_error_of(fit, 0, e);
    ff_json_open(json, NULL, '{');
    ff_json_text(json, "name", first.name);
    ff_json_text(json, "unit", first.unit);
    ff_json_open(json, "laws", '[');
    for (int i = 0; i < ff_fit_law_count(fit); i++) {
      ff_fit_error error = ff_fit_error_of(fit, i, e);
      ff_json_open(json, NULL, '{');
      ff_json_text(json, "law", ff_fit_outcome_of(fit, i).law);
      ff_json_number(json, "fitted", error.fitted);
      ff_json_number(json, "fitted_error", error.fitted_error);
      ff_json_number(json, "held_out", error.held_out);
      ff_json_number(json, "held_out_error", error.held_out_error);
      ff_json_close(json, '}');
    }
    ff_json_close(json, ']');
    ff_json_open(json, "published", '[');
    for (int i = 0; ff_fit_published_of(fit, i).name; i++) {
      ff_fit_published figure = ff_fit_published_of(fit, i);
      ff_json_open(json, NULL, '{');
      ff_json_text(json, "name", figure.name);
      ff_json_text(json, "source", figure.source);
      ff_json_number(json, "value", figure.values[e]);
      ff_json_close(json, '}');
    }
    ff_json_close(json, ']');
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
}

static void fit_write_trajectory(const ff_fit *fit, int trajectory, bool curves, ff_json *json) {
  int laws = ff_fit_law_count(fit);
  ff_json_open(json, NULL, '{');
  ff_json_text(json, "name", ff_fit_trajectory_name(fit, trajectory));
  ff_json_flag(json, "held_out", ff_fit_trajectory_held_out(fit, trajectory));
  double *rms = ff_cli_alloc(laws, sizeof *rms);
  for (int i = 0; i < laws; i++) {
    rms[i] = ff_fit_trajectory_rms(fit, i, trajectory);
  }
  ff_json_numbers(json, "rms", rms, laws);
  free(rms);
  if (curves) {
    ff_fit_curve first = ff_fit_curve_of(fit, 0, trajectory, 0);
    fit_write_strided("time", first.time, 1, first.rows, json);
    ff_json_open(json, "curves", '[');
    for (int c = 0; c < ff_fit_curve_count(fit); c++) {
      ff_fit_curve curve = ff_fit_curve_of(fit, 0, trajectory, c);
      ff_json_open(json, NULL, '{');
      ff_json_text(json, "label", curve.label);
      fit_write_strided("measured", curve.measured, curve.measured_stride, curve.rows, json);
      ff_json_open(json, "computed", '[');
      for (int i = 0; i < laws; i++) {
        ff_fit_curve own = ff_fit_curve_of(fit, i, trajectory, c);
        fit_write_strided(NULL, own.computed, own.computed_stride, own.rows, json);
      }
      ff_json_close(json, ']');
      ff_json_close(json, '}');
    }
    ff_json_close(json, ']');
  }
  ff_json_close(json, '}');
}

void ff_fit_write(const ff_fit *fit, ff_json *json, int curves) {
  ff_json_text(json, "fit", ff_fit_name(fit));
  ff_json_text(json, "best", ff_fit_outcome_of(fit, fit_best(fit)).law);
  ff_json_open(json, "laws", '[');
  for (int i = 0; i < ff_fit_law_count(fit); i++) {
    ff_fit_outcome outcome = ff_fit_outcome_of(fit, i);
    ff_fit_write_outcome(&outcome, fit, json);
  }
  ff_json_close(json, ']');
  fit_write_errors(fit, json);
  ff_json_open(json, "trajectories", '[');
  for (int i = 0; i < ff_fit_trajectory_count(fit); i++) {
    fit_write_trajectory(fit, i, i < curves, json);
  }
  ff_json_close(json, ']');
}

/* ---- page ------------------------------------------------------------------------------------ */

ff_status ff_fit_page(const ff_fit *fit, const char *path, ff_report *report) {
  char *data = NULL;
  size_t size;
  FILE *memory = open_memstream(&data, &size);
  if (!memory) {
    return FF_ERROR_MEMORY;
  }
  ff_json json = {.out = memory};
  ff_json_open(&json, NULL, '{');
  ff_fit_write(fit, &json, PAGE_TRAJECTORIES);
  ff_json_close(&json, '}');
  fclose(memory);
  ff_status status = ff_cli_write_template("cli/fit_page.html", data, path, report);
  free(data);
  return status;
}
