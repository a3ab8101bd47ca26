/* Restitution as a function of one number, and fits to measured points.
 *
 * Scaling depth and time of an impact without gravity leaves one number: x = D K^-.6 m^-.4 v^.2 for
 * this model, x = alpha v for the classical one. A curve e(x) and one factor s of x = s v^power
 * therefore describe e over v completely, and a fit has one unknown. */
#include "azad.h"

#include <math.h>

enum { STEPS = 32, DECADES = 6, POINTS = STEPS * DECADES + 1, SPEEDS = 41 };

static const double lowest = -4; /* log10 of the first x */

typedef struct curve {
  double power;
  double e[POINTS];
} curve;

typedef struct fit {
  bool found;          /* false: the best factor would be 0 or infinite */
  double factor;       /* s */
  double rms, largest; /* differences of e */
} fit;

typedef struct series {
  fit ours, classical, given; /* given: with the paper's D */
  double speed[SPEEDS], e[SPEEDS];
} series;

struct fit_part {
  curve ours, classical;
  series *series; /* of study->data */
};

/* s of the paper's sphere with D = 1. */
static double unit_factor(void) {
  return pow(AZAD_K, -0.6) * pow(AZAD_MASS, -0.4);
}

/* ---- the curve ------------------------------------------------------------------------------- */

static double x_at(int i) {
  return pow(10, lowest + (double)i / STEPS);
}

static void follow(ff_reproduction *study, curve *c, const char *law, const char *unit,
                   double power) {
  c->power = power;
  for (int i = 0; i < POINTS; i++) {
    const char *settings = ff_reproduction_text(study, "%s=%.17g", unit, x_at(i));
    c->e[i] = ff_reproduction_impact(study, law, settings, 1, 1, 0).restitution;
  }
}

/* Cubic interpolation through four points; beyond the ends by the asymptotes of both models: 1 - e
 * as x, e as 1 / x. */
static double restitution(const curve *c, double x) {
  if (x <= x_at(0)) {
    return 1 - (1 - c->e[0]) * x / x_at(0);
  }
  if (x >= x_at(POINTS - 1)) {
    return c->e[POINTS - 1] * x_at(POINTS - 1) / x;
  }
  double place = (log10(x) - lowest) * STEPS;
  int i = (int)fmin(fmax(floor(place), 1), POINTS - 3);
  double t = place - i;
  const double *e = &c->e[i - 1];
  return -e[0] * t * (t - 1) * (t - 2) / 6 + e[1] * (t + 1) * (t - 1) * (t - 2) / 2 -
         e[2] * (t + 1) * t * (t - 2) / 2 + e[3] * (t + 1) * t * (t - 1) / 6;
}

double fit_damping(const fit_part *part, double stiffness, double mass, double wanted) {
  double low = lowest, high = lowest + DECADES;
  for (int i = 0; i < 60; i++) {
    double middle = (low + high) / 2;
    bool above = restitution(&part->ours, pow(10, middle)) > wanted;
    low = above ? middle : low;
    high = above ? high : middle;
  }
  return pow(10, low) * pow(stiffness, 0.6) * pow(mass, 0.4);
}

/* ---- the fit --------------------------------------------------------------------------------- */

static fit judge(const curve *c, const ff_cloud *points, double factor) {
  fit result = {.found = true, .factor = factor};
  double sum = 0;
  for (long i = 0; i < points->count; i++) {
    double off = restitution(c, factor * pow(points->x[i], c->power)) - points->y[i];
    sum += off * off;
    result.largest = fmax(result.largest, fabs(off));
  }
  result.rms = sqrt(sum / (double)points->count);
  return result;
}

/* Golden section search for the logarithm of the factor. */
static fit refine(const curve *c, const ff_cloud *points, double low, double high) {
  const double golden = (sqrt(5) - 1) / 2;
  for (int i = 0; i < 60; i++) {
    double left = high - golden * (high - low), right = low + golden * (high - low);
    bool keep_left = judge(c, points, pow(10, left)).rms < judge(c, points, pow(10, right)).rms;
    high = keep_left ? right : high;
    low = keep_left ? low : left;
  }
  return judge(c, points, pow(10, (low + high) / 2));
}

/* log10 of the lowest and highest speed. */
static void find_range(const ff_cloud *points, double *slow, double *fast) {
  *slow = INFINITY;
  *fast = -INFINITY;
  for (long i = 0; i < points->count; i++) {
    *slow = fmin(*slow, log10(points->x[i]));
    *fast = fmax(*fast, log10(points->x[i]));
  }
}

/* Least squares. The sum may have several minima: a global search comes first. */
static fit find_best(const curve *c, const ff_cloud *points) {
  double slow, fast, best = INFINITY;
  find_range(points, &slow, &fast);
  double from = lowest - c->power * fast;
  double to = lowest + DECADES - c->power * slow;
  int steps = (int)ceil(8 * (to - from)), at = 0;
  double step = (to - from) / steps;
  for (int i = 0; i <= steps; i++) {
    double rms = judge(c, points, pow(10, from + i * step)).rms;
    at = rms < best ? i : at;
    best = fmin(best, rms);
  }
  fit result = refine(c, points, from + (at - 1) * step, from + (at + 1) * step);
  result.found = at > 0 && at < steps;
  return result;
}

static void fit_series(ff_reproduction *study, fit_part *part, int index) {
  const ff_cloud *points = &study->data[index].points;
  series *one = &part->series[index];
  one->ours = find_best(&part->ours, points);
  one->classical = find_best(&part->classical, points);
  one->given = judge(&part->ours, points, AZAD_D * unit_factor());
  double slow, fast;
  find_range(points, &slow, &fast);
  for (int i = 0; i < SPEEDS; i++) {
    one->speed[i] = pow(10, slow + (fast - slow) * i / (SPEEDS - 1));
    one->e[i] = restitution(&part->ours, one->ours.factor * pow(one->speed[i], part->ours.power));
  }
  const char *name = ff_reproduction_text(study, "data%d", index + 1);
  if (one->ours.found) {
    ff_reproduction_number(study, ff_reproduction_text(study, "%s.D", name),
                           one->ours.factor / unit_factor(), "N s/m^1.5");
  }
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.rms", name), one->ours.rms, "1");
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.rms_classical", name),
                         one->classical.rms, "1");
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.rms_paper", name), one->given.rms,
                         "1");
}

static void *compute_part(ff_reproduction *study) {
  fit_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  follow(study, &part->ours, "azad-featherstone", "K=1 D", 0.2);
  if (study->data_count > 0) {
    follow(study, &part->classical, "hunt-crossley", "k=1 n=1.5 alpha", 1);
    part->series = ff_reproduction_alloc(study, study->data_count, sizeof *part->series);
  }
  for (int i = 0; i < study->data_count; i++) {
    fit_series(study, part, i);
  }
  return part;
}

/* ---- findings -------------------------------------------------------------------------------- */

static void report_part(ff_reproduction *study, const void *computed) {
  const fit_part *part = computed;
  int better = 0;
  for (int i = 0; i < study->data_count; i++) {
    better += part->series[i].ours.rms < part->series[i].classical.rms;
  }
  const char *found = study->data_count > 0
                          ? ff_reproduction_text(study,
                                                 "closer than the classical model in %d of %d "
                                                 "files of your own",
                                                 better, study->data_count)
                          : "-";
  ff_reproduction_leave(study, "experiments", found);
}

void fit_mark(ff_reproduction *study, const fit_part *part) {
  for (int i = 0; i < study->data_count; i++) {
    const ff_data *data = &study->data[i];
    ff_page_curve(study->page, data->name, FF_CURVE_MARKERS, data->points.x, data->points.y,
                  data->points.count);
    if (part->series[i].ours.found) {
      ff_page_curve(study->page, ff_reproduction_text(study, "fit to %s", data->name),
                    FF_CURVE_DASH, part->series[i].speed, part->series[i].e, SPEEDS);
    }
  }
}

static void show_table(ff_reproduction *study, const fit_part *part) {
  static const char *const columns[] = {"data",
                                        "points",
                                        "best D, N s/m^1.5",
                                        "error of e, rms",
                                        "largest",
                                        "rms with D of the paper",
                                        "rms of the classical model at its best"};
  ff_reproduction_table(study,
                        "Your data: the best D for K = 8.5e6 N/m^1.5 and m = 0.154 kg of the paper",
                        columns, sizeof columns / sizeof *columns);
  for (int i = 0; i < study->data_count; i++) {
    const series *one = &part->series[i];
    const char *d = one->ours.found
                        ? ff_reproduction_text(study, "%.5g", one->ours.factor / unit_factor())
                        : "none";
    ff_reproduction_row(
        study, (const char *[]){study->data[i].name,
                                ff_reproduction_text(study, "%ld", study->data[i].points.count), d,
                                ff_reproduction_text(study, "%.4f", one->ours.rms),
                                ff_reproduction_text(study, "%.4f", one->ours.largest),
                                ff_reproduction_text(study, "%.4f", one->given.rms),
                                ff_reproduction_text(study, "%.4f", one->classical.rms)});
  }
  ff_page_text(study->page,
               "Least squares of e with one unknown. What is fitted is D K^−0.6 m^−0.4, so for "
               "another K or m the fit is as good, with D in proportion to K^0.6 m^0.4. The "
               "classical model's unknown is α. \"None\": the points are so near 0 or 1 that "
               "no D is best.");
}

static void show_part(ff_reproduction *study, const void *computed) {
  const fit_part *part = computed;
  double *x = ff_reproduction_alloc(study, POINTS, sizeof *x);
  for (int i = 0; i < POINTS; i++) {
    x[i] = x_at(i);
  }
  ff_page_section(study->page, "One curve of restitution");
  ff_page_text(study->page, "Not in the paper: without gravity, restitution depends on "
                            "D K^−0.6 m^−0.4 v^0.2 alone.");
  ff_page_plot(study->page, "Restitution, all K, D, m and speeds",
               (ff_axis){"D K^−0.6 m^−0.4 v^0.2", "1", true}, (ff_axis){"restitution", "1", false});
  ff_page_curve(study->page, "this model", FF_CURVE_LINE, x, part->ours.e, POINTS);
  for (int i = 0; i < study->data_count; i++) {
    const ff_cloud *points = &study->data[i].points;
    double *at = ff_reproduction_alloc(study, points->count, sizeof *at);
    for (long k = 0; k < points->count; k++) {
      at[k] = part->series[i].ours.factor * pow(points->x[k], part->ours.power);
    }
    if (part->series[i].ours.found) {
      ff_page_curve(study->page,
                    ff_reproduction_text(study, "%s at its best D", study->data[i].name),
                    FF_CURVE_MARKERS, at, points->y, points->count);
    }
  }
  if (study->data_count > 0) {
    show_table(study, part);
  }
}

const ff_paper_part azad_fit = {.compute = compute_part, .report = report_part, .show = show_part};
