/* One impact without gravity: restitution, and the force over depth. */
#include "azad.h"

#include <math.h>

enum { SPEEDS = 41, LAWS = 3, DECADES = 5, LOOP = 1201 };

static const struct {
  const char *name, *law, *settings;
} laws[LAWS] = {
    {"this model", "azad-featherstone", "K=8.5e6 D=3.1e3"},
    /* lambda = 3.1e6 as alpha = lambda / (1.5 k) */
    {"classical", "hunt-crossley", "k=8.5e6 n=1.5 alpha=0.24313725490196078"},
    {"linear", "linear", "k=1.5e5 b=30"},
};

typedef struct impact_part {
  double speed[SPEEDS], e[LAWS][SPEEDS];
  double decade[DECADES]; /* restitution of this model at 1e-3 .. 10 m/s */
  double bow[2][2]; /* this model, classical: largest distance from a straight line in log speed
                     * over four decades, and over the worst two */
  double low_speed; /* ratio of 1 - e at 1e-18 m/s to that at 1e-13 m/s */
  double lowest;    /* e at 1e-18 m/s */
  double on_ground[2],
      threshold;  /* under gravity: e at 1 m/s and 1 um/s; m/s, least that bounces */
  double linear;  /* range of the linear model's e */
  double spread;  /* of restitution among impacts with one D K^-.6 m^-.4 v^.2 */
  ff_impact fast; /* 1 m/s */
  const ff_trace *loop, *classical; /* 1 m/s */
  double classical_gap;             /* s, from the end of the force to that of the depth */
} impact_part;

/* Impacts that differ in everything except D K^-.6 m^-.4 v^.2. */
static double spread_of_one_curve(ff_reproduction *study) {
  double low = INFINITY, high = 0;
  for (int i = 0; i < 5; i++) {
    double k = pow(10, 4 + 4 * ff_reproduction_random(study));
    double mass = pow(10, -2 + 2 * ff_reproduction_random(study));
    double speed = pow(10, 1 - 4 * ff_reproduction_random(study));
    double d = 0.1 * pow(k, 0.6) * pow(mass, 0.4) * pow(speed, -0.2);
    const char *settings = ff_reproduction_text(study, "K=%.17g D=%.17g", k, d);
    double e =
        ff_reproduction_impact(study, "azad-featherstone", settings, mass, speed, 0).restitution;
    low = fmin(low, e);
    high = fmax(high, e);
  }
  return high - low;
}

/* The loops of Figs. 6 and 7: the scene without gravity, at 1 m/s from the touch. */
static const ff_trace *follow_loop(ff_reproduction *study, const char *law) {
  static const char *const channels[] = {"contact.ball:floor.depth", "contact.ball:floor.force.n"};
  const char *const set[] = {
      "gravity=[0, 0, 0]", "duration=3e-3", "bodies.ball.position=[0, 0, 0.0165]",
      "bodies.ball.velocity=[0, 0, -1]", ff_reproduction_text(study, "contacts.0.normal=%s", law)};
  return ff_reproduction_run(study,
                             &(ff_trial){.scene = "papers/azad-featherstone-2010/bounce.yaml",
                                         .set = set,
                                         .set_count = sizeof set / sizeof *set,
                                         .channels = channels,
                                         .channel_count = 2,
                                         .samples = LOOP});
}

/* Largest distance of e from the chord over log speed, from one sample to another. */
static double chord(const double *e, int from, int to) {
  double worst = 0;
  for (int i = from; i <= to; i++) {
    double along = (double)(i - from) / (to - from);
    worst = fmax(worst, fabs(e[i] - e[from] - along * (e[to] - e[from])));
  }
  return worst;
}

static void find_bow(impact_part *part, int law) {
  const int two = (SPEEDS - 1) / 2; /* decades */
  part->bow[law][0] = chord(part->e[law], 0, SPEEDS - 1);
  for (int i = 0; i + two < SPEEDS; i++) {
    part->bow[law][1] = fmax(part->bow[law][1], chord(part->e[law], i, i + two));
  }
}

static double ours(ff_reproduction *study, double speed, double gravity) {
  return ff_reproduction_impact(study, laws[0].law, laws[0].settings, AZAD_MASS, speed, gravity)
      .restitution;
}

static void find_limits(ff_reproduction *study, impact_part *part) {
  part->lowest = ours(study, 1e-18, 0);
  part->low_speed = (1 - part->lowest) / (1 - ours(study, 1e-13, 0));
  part->on_ground[0] = ours(study, 1, 9.81);
  part->on_ground[1] = ours(study, 1e-6, 9.81);
  double low = 1e-6, high = 1;
  while (high > 1.001 * low) {
    double middle = sqrt(low * high);
    *(ours(study, middle, 9.81) > 0 ? &high : &low) = middle;
  }
  part->threshold = high;
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < SPEEDS; i++) {
    least = fmin(least, part->e[2][i]);
    most = fmax(most, part->e[2][i]);
  }
  part->linear = most - least;
  ff_reproduction_number(study, "restitution.threshold", part->threshold, "m/s");
}

static void *compute_part(ff_reproduction *study) {
  impact_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  for (int i = 0; i < SPEEDS; i++) {
    part->speed[i] = pow(10, -3 + 4.0 * i / (SPEEDS - 1));
    for (int k = 0; k < LAWS; k++) {
      part->e[k][i] =
          ff_reproduction_impact(study, laws[k].law, laws[k].settings, AZAD_MASS, part->speed[i], 0)
              .restitution;
    }
  }
  for (int i = 0; i < DECADES; i++) {
    part->decade[i] = part->e[0][i * (SPEEDS - 1) / (DECADES - 1)];
    ff_reproduction_number(study, ff_reproduction_text(study, "restitution.1e%d", i - 3),
                           part->decade[i], "1");
  }
  for (int k = 0; k < 2; k++) {
    find_bow(part, k);
  }
  find_limits(study, part);
  part->spread = spread_of_one_curve(study);
  part->fast = ff_reproduction_impact(study, laws[0].law, laws[0].settings, AZAD_MASS, 1, 0);
  ff_impact classical =
      ff_reproduction_impact(study, laws[1].law, laws[1].settings, AZAD_MASS, 1, 0);
  part->classical_gap = classical.time_clear - classical.duration;
  part->loop = follow_loop(study, "{law: azad-featherstone, K: 8.5e6, D: 3.1e3}");
  part->classical =
      follow_loop(study, "{law: hunt-crossley, k: 8.5e6, n: 1.5, alpha: 0.24313725490196078}");
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const impact_part *part = computed;
  int rises = 0;
  for (int i = 1; i < SPEEDS; i++) {
    rises += part->e[0][i] >= part->e[0][i - 1];
  }
  ff_reproduction_judge(study, "restitution-falls",
                        ff_reproduction_text(study, "%.4f at 1 mm/s, %.4f at 10 m/s",
                                             part->decade[0], part->decade[4]),
                        rises);
  ff_reproduction_judge(
      study, "linear-constant",
      ff_reproduction_text(study, "%.4f at all speeds, range %.1g", part->e[2][0], part->linear),
      part->linear);
  ff_reproduction_judge(study, "low-speed",
                        ff_reproduction_text(study, "%.6f at 1e-18 m/s; 1 − e falls to %.4f",
                                             part->lowest, part->low_speed),
                        part->low_speed, part->lowest);
  ff_reproduction_judge(study, "no-bounce",
                        ff_reproduction_text(study,
                                             "%.3f at 1 m/s, %g at 1 µm/s; it bounces from %.2g "
                                             "m/s on",
                                             part->on_ground[0], part->on_ground[1],
                                             part->threshold),
                        part->on_ground[1], part->on_ground[0]);
  ff_reproduction_judge(study, "linear-in-log-speed",
                        ff_reproduction_text(study,
                                             "off a line by %.3f over two decades, by %.3f over "
                                             "all four",
                                             part->bow[0][1], part->bow[0][0]),
                        part->bow[0][1], part->bow[0][0]);
  ff_reproduction_judge(study, "classical-log-speed",
                        ff_reproduction_text(study,
                                             "off a line by %.3f over two decades, by %.3f over "
                                             "all four",
                                             part->bow[1][1], part->bow[1][0]),
                        part->bow[1][1], part->bow[1][0]);
  ff_reproduction_judge(study, "force-ends-first",
                        ff_reproduction_text(study,
                                             "force ends at %.4f ms, depth at %.4f ms; classical "
                                             "%.1g ms apart",
                                             1e3 * part->fast.duration, 1e3 * part->fast.time_clear,
                                             1e3 * part->classical_gap),
                        (part->fast.time_clear - part->fast.duration) / part->fast.duration,
                        part->classical_gap / part->fast.duration);
  ff_reproduction_judge(
      study, "one-curve",
      ff_reproduction_text(study, "five drawn impacts agree to %.1g", part->spread), part->spread);
}

static void show_part(ff_reproduction *study, const void *computed) {
  const impact_part *part = computed;
  const fit_part *fit = ff_reproduction_part(study, &azad_fit);
  ff_page_section(study->page, "Figs. 2 and 3: restitution");
  ff_page_text(study->page,
               "m = 0.154 kg, no gravity. The linear model's numbers are not in the "
               "paper and are arbitrary, since its restitution does not depend on speed.");
  for (int log = 0; log < 2; log++) {
    ff_page_plot(study->page, log ? "Fig. 3" : "Fig. 2", (ff_axis){"impact speed", "m/s", log == 1},
                 (ff_axis){"restitution", "1", false});
    for (int k = 0; k < LAWS; k++) {
      ff_page_curve(study->page, laws[k].name, FF_CURVE_LINE, part->speed, part->e[k], SPEEDS);
    }
    fit_mark(study, fit);
  }
}

static void show_loops(ff_reproduction *study, const void *computed) {
  (void)computed;
  const impact_part *part = ff_reproduction_part(study, &azad_impact);
  ff_page_section(study->page, "Figs. 6 and 7: force over depth");
  const ff_trace *const loops[] = {part->classical, part->loop};
  for (int i = 0; i < 2; i++) {
    ff_page_plot(study->page, i ? "Fig. 7: this model, 1 m/s" : "Fig. 6: classical, 1 m/s",
                 (ff_axis){"depth", "m", false}, (ff_axis){"force", "N", false});
    ff_page_curve(study->page, "simulated", FF_CURVE_LINE, loops[i]->channels[0],
                  loops[i]->channels[1], loops[i]->rows);
  }
}

const ff_paper_part azad_impact = {
    .compute = compute_part, .report = report_part, .show = show_part};
const ff_paper_part azad_loops = {.show = show_loops};
