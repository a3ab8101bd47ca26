/* Standing for several lambda, Figs. 7 and 8: force of one vertex of the left sole, and load
 * distribution over its four vertices. */
#include "sugihara.h"

#include <math.h>
#include <string.h>

enum { LAMBDAS = 5, CASES = 5, VERTICES = 4, SAMPLES = 3001 };

static const double lambdas[LAMBDAS] = {0.01, 0.1, 1, 4, 7}; /* kg^-2 */
static const double settled = 1.0;                           /* s */

/* Open in the paper: whether the membrane still acts on a point beyond it, and the form of the
 * micro forces. */
typedef struct setting {
  const char *name, *exclusive, *micro;
  double slip_speed; /* m/s */
  int passes;
  const char *law; /* NULL: the membrane over a rigid floor */
} setting;

static const setting settings[CASES] = {
    {"superposed, implicit", "false", "implicit", 1e-2, 3, NULL},
    {"exclusive, implicit", "true", "implicit", 1e-2, 3, NULL},
    {"superposed, Eq. 14", "false", "literal", 1e-2, 3, NULL},
    {"exclusive, Eq. 14", "true", "literal", 1e-2, 3, NULL},
    {"exclusive, Eq. 14, one pass, ε = 1e-4 m/s", "true", "literal", 1e-4, 0, NULL},
};

/* One of the two models alone. */
static const setting macro_alone = {"macro alone", "false", "implicit", 1e-2, 3, "{law: rigid}"};
static const setting micro_alone = {"micro alone", "false", "literal",
                                    1e-2,          3,       "{law: elastic, k: 5512, c: 158}"};

typedef struct stance {
  const ff_trace *trace;
  double *force[VERTICES]; /* N, of each vertex at each sample */
  double rough;            /* 1, root mean square of its change from step to step, over the mean */
  double uneven;           /* 1, spread among vertices over the mean, mean over time */
  double breaks;           /* times that a vertex loses contact */
  double peak;             /* largest force of the first vertex over its mean */
  double load;             /* mean force of the sole over half of the weight */
  double sunk;             /* m, of the trunk from `settled` to the end */
  double depth;            /* m, of the left sole at the end */
  bool ended;
  int features[VERTICES];
  int seen;
} stance;

typedef struct stand_part {
  stance macro, micro;
  stance stances[CASES][LAMBDAS];
} stand_part;

/* Index of the sole's vertex of a contact; -1: not one of them. */
static int vertex_of(stance *s, int feature) {
  int k = 0;
  while (k < s->seen && s->features[k] != feature) {
    k++;
  }
  if (k == s->seen && k < VERTICES) {
    s->features[s->seen++] = feature;
  }
  return k < VERTICES ? k : -1;
}

static void watch(void *context, const ff_sim *sim, long row) {
  stance *s = context;
  for (int i = 0; i < ff_sim_contact_count(sim); i++) {
    ff_contact contact = ff_sim_contact(sim, i);
    int vertex = contact.point.y > 0 ? vertex_of(s, contact.feature) : -1; /* the left foot's */
    if (vertex >= 0) {
      s->force[vertex][row] = contact.force_n;
    }
  }
}

static void measure(stance *s) {
  double change = 0, mean = 0, spread = 0, load = 0, peak = 0;
  long count = 0;
  for (long i = 1; i < s->trace->rows; i++) {
    if (s->trace->time[i] < settled) {
      continue;
    }
    double step = s->force[0][i] - s->force[0][i - 1], sum = 0, squares = 0;
    for (int k = 0; k < VERTICES; k++) {
      sum += s->force[k][i];
      squares += s->force[k][i] * s->force[k][i];
    }
    double average = sum / VERTICES;
    for (int k = 0; k < VERTICES; k++) {
      s->breaks += s->force[k][i] == 0 && s->force[k][i - 1] > 0;
    }
    load += sum;
    change += step * step;
    mean += s->force[0][i];
    peak = fmax(peak, s->force[0][i]);
    spread += average > 0 ? sqrt(fmax(squares / VERTICES - average * average, 0)) / average : 0;
    count++;
  }
  const double *height = s->trace->channels[0];
  long first = (long)(settled / 3 * (SAMPLES - 1)), last = s->trace->rows - 1;
  s->rough = count > 0 && mean > 0 ? sqrt(change / (double)count) / (mean / (double)count) : NAN;
  s->uneven = count > 0 ? spread / (double)count : NAN;
  s->peak = mean > 0 ? peak / (mean / (double)count) : NAN;
  s->load = count > 0 ? load / (double)count / (0.5 * 5 * 9.81) : NAN;
  s->sunk = last > first ? height[first] - height[last] : NAN;
  s->depth = last > 0 ? s->trace->channels[1][last] : NAN;
  s->ended = s->trace->rows < SAMPLES || !(fabs(s->sunk) < 0.1);
}

static void run(ff_reproduction *study, const setting *how, double lambda, stance *out) {
  static const char *const channels[] = {"body.humanoid-trunk.position.z",
                                         "contact.humanoid-left_foot:floor.depth"};
  const char *const set[] = {
      ff_reproduction_text(study, "stepper.lambda=%g", lambda),
      ff_reproduction_text(study, "stepper.exclusive=%s", how->exclusive),
      ff_reproduction_text(study, "stepper.micro=%s", how->micro),
      ff_reproduction_text(study, "stepper.slip-speed=%g", how->slip_speed),
      ff_reproduction_text(study, "stepper.passes=%d", how->passes),
      ff_reproduction_text(study, "robots.humanoid.position=[0, 0, %.9g]",
                           0.23 + sugihara_jitter(study)),
      ff_reproduction_text(study, "contacts.0.normal=%s", how->law ? how->law : "")};
  for (int k = 0; k < VERTICES; k++) {
    out->force[k] = ff_reproduction_alloc(study, SAMPLES, sizeof(double));
  }
  out->trace =
      ff_reproduction_run(study, &(ff_trial){.scene = "papers/sugihara-nakamura-2003/stand.yaml",
                                             .set = set,
                                             .set_count = how->law ? 7 : 6,
                                             .as_given = true,
                                             .channels = channels,
                                             .channel_count = 2,
                                             .samples = SAMPLES,
                                             .may_fail = true,
                                             .watch = watch,
                                             .context = out});
  measure(out);
}

static void *compute_part(ff_reproduction *study) {
  stand_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  for (int c = 0; c < CASES; c++) {
    for (int l = 0; l < LAMBDAS; l++) {
      stance *s = &part->stances[c][l];
      run(study, &settings[c], lambdas[l], s);
      const char *name = ff_reproduction_text(study, "stand.case%d.lambda%g", c + 1, lambdas[l]);
      ff_reproduction_number(study, ff_reproduction_text(study, "%s.rough", name), s->rough, "1");
      ff_reproduction_number(study, ff_reproduction_text(study, "%s.uneven", name), s->uneven, "1");
      ff_reproduction_number(study, ff_reproduction_text(study, "%s.sunk", name), s->sunk, "m");
    }
  }
  run(study, &macro_alone, lambdas[0], &part->macro);
  run(study, &micro_alone, lambdas[0], &part->micro);
  return part;
}

/* ---- claims ---------------------------------------------------------------------------------- */

/* A claim by the number of settings that satisfy it, with their names. */
static void judge_share(ff_reproduction *study, const char *key, const bool holds[CASES]) {
  char which[400] = "";
  int count = 0;
  for (int c = 0; c < CASES; c++) {
    count += holds[c];
    if (holds[c]) {
      strcat(strcat(which, which[0] ? "; " : ""), settings[c].name);
    }
  }
  ff_reproduction_judge(study, key,
                        ff_reproduction_text(study, "in %d of %d settings%s%s", count, CASES,
                                             count ? ": " : "", which),
                        count, count);
}

/* Largest difference of the load on the left sole from half of the weight, where it stands. */
static double load_off(const stand_part *part) {
  double off = 0;
  for (int c = 0; c < CASES; c++) {
    for (int l = 0; l < LAMBDAS; l++) {
      const stance *s = &part->stances[c][l];
      off = s->ended || s->sunk > 1e-4 ? off : fmax(off, fabs(s->load - 1));
    }
  }
  return off;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const stand_part *part = computed;
  bool impulsive[CASES], smoother[CASES], uneven[CASES], sinks[CASES], soon[CASES];
  for (int c = 0; c < CASES; c++) {
    const stance *s = part->stances[c];
    impulsive[c] = s[0].peak >= 2;
    smoother[c] = !s[3].ended && s[3].rough < 0.5 * s[0].rough;
    uneven[c] = !s[3].ended && s[3].uneven < 0.5 * s[0].uneven;
    soon[c] = impulsive[c] && s[1].peak < 2 && s[1].uneven < s[0].uneven;
    sinks[c] = s[4].sunk > 2e-3 || s[4].ended;
  }
  judge_share(study, "impulsive", impulsive);
  judge_share(study, "smoother", smoother);
  judge_share(study, "uneven", uneven);
  judge_share(study, "soon", soon);
  judge_share(study, "sinks", sinks);
  ff_reproduction_judge(study, "each-alone",
                        ff_reproduction_text(study,
                                             "the micro model stands %.2f mm deep; vertices of the "
                                             "macro model lose contact %.0f times",
                                             1e3 * part->micro.depth, part->macro.breaks),
                        part->micro.depth / 5e-4, part->macro.breaks);
  const stance *own = &part->stances[0][2];
  ff_reproduction_judge(study, "both-at-once",
                        ff_reproduction_text(study,
                                             "sinks by %.3g mm in 2 s, vertices lose contact %.0f "
                                             "times",
                                             1e3 * own->sunk, own->breaks),
                        own->ended ? (double)INFINITY : own->sunk, own->breaks);
  ff_reproduction_judge(
      study, "hyperstatics",
      ff_reproduction_text(study, "load off half of the weight by %.1g", load_off(part)),
      load_off(part), part->stances[0][0].uneven, part->stances[0][3].uneven);
}

/* ---- figures --------------------------------------------------------------------------------- */

static void show_forces(ff_reproduction *study, const stand_part *part, int c) {
  for (int l = 0; l < LAMBDAS - 1; l++) {
    const stance *s = &part->stances[c][l];
    ff_page_plot(study->page,
                 ff_reproduction_text(study, "Fig. 7: λ = %g, %s", lambdas[l], settings[c].name),
                 (ff_axis){"time", "s", false},
                 (ff_axis){"normal force of one vertex", "N", false});
    ff_page_curve(study->page, "left sole, first vertex", FF_CURVE_LINE, s->trace->time,
                  s->force[0], s->trace->rows);
  }
}

/* Loads of the four vertices at one instant and as means, over their number. */
static void show_shares(ff_reproduction *study, const stand_part *part, int c) {
  double *number = ff_reproduction_alloc(study, VERTICES, sizeof *number);
  ff_page_plot(study->page, ff_reproduction_text(study, "Fig. 8: at 2 s, %s", settings[c].name),
               (ff_axis){"vertex of the left sole", "1", false},
               (ff_axis){"normal force", "N", false});
  for (int l = 0; l < LAMBDAS; l++) {
    const stance *s = &part->stances[c][l];
    double *load = ff_reproduction_alloc(study, VERTICES, sizeof *load);
    for (int k = 0; k < VERTICES; k++) {
      number[k] = k + 1;
      load[k] = s->trace->rows > 2000 ? s->force[k][2000] : NAN;
    }
    ff_page_curve(study->page, ff_reproduction_text(study, "λ = %g", lambdas[l]),
                  FF_CURVE_LINE_MARKERS, number, load, VERTICES);
  }
}

static void show_table(ff_reproduction *study, const stand_part *part) {
  static const char *const columns[] = {"setting",    "λ kg⁻²",         "roughness",
                                        "unevenness", "peak over mean", "sinks mm in 2 s"};
  ff_reproduction_table(study,
                        "Roughness: change of a vertex's force from step to step, over its mean. "
                        "Unevenness: spread among the four vertices, over their mean",
                        columns, 6);
  for (int c = 0; c < CASES; c++) {
    for (int l = 0; l < LAMBDAS; l++) {
      const stance *s = &part->stances[c][l];
      const char *cells[6] = {settings[c].name,
                              ff_reproduction_text(study, "%g", lambdas[l]),
                              ff_reproduction_text(study, "%.3g", s->rough),
                              ff_reproduction_text(study, "%.3g", s->uneven),
                              ff_reproduction_text(study, "%.3g", s->peak),
                              s->ended ? "falls"
                                       : ff_reproduction_text(study, "%.2f", 1e3 * s->sunk)};
      ff_reproduction_row(study, cells);
    }
  }
}

static void show_part(ff_reproduction *study, const void *computed) {
  const stand_part *part = computed;
  ff_page_section(study->page, "Figs. 7 and 8: standing");
  ff_page_text(
      study->page,
      "Steps of 1 ms on a rigid floor under a membrane of 0.5 mm. The paper does not state "
      "whether the membrane still acts on a point deeper than itself (superposed) or "
      "not (exclusive). Sinking at large λ belongs to the second: with the first, the "
      "membrane alone bears the robot once it is 1.1 mm deep. Chattering at λ = 0.01 needs "
      "more: friction that is cut and not solved for again, and an ε so small that points "
      "change between stick and slip. There λ = 0.1 ends it; with λ = 4 this robot sinks "
      "unevenly and falls, so that nothing becomes smooth.");
  show_forces(study, part, 4);
  show_shares(study, part, 4);
  show_shares(study, part, 0);
  show_table(study, part);
}

const ff_paper_part sugihara_stand = {
    .compute = compute_part, .report = report_part, .show = show_part};
