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
  double decade[DECADES];           /* restitution of this model at 1e-3 .. 10 m/s */
  double bend;                      /* slope over the highest decade against the lowest */
  double spread;                    /* of restitution among impacts with one D K^-.6 m^-.4 v^.2 */
  ff_impact fast;                   /* 1 m/s */
  const ff_trace *loop, *classical; /* 1 m/s */
} impact_part;

/* Impacts that differ in everything except D K^-.6 m^-.4 v^.2. */
static double spread_of_one_curve(ff_reproduction *study) {
  double low = INFINITY, high = 0;
  for (int i = 0; i < 5; i++) {
    double k = pow(10, 4 + i), mass = pow(10, -2 + 0.5 * i), speed = pow(10, 1 - i);
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
  part->bend = (part->decade[4] - part->decade[3]) / (part->decade[1] - part->decade[0]);
  part->spread = spread_of_one_curve(study);
  part->fast = ff_reproduction_impact(study, laws[0].law, laws[0].settings, AZAD_MASS, 1, 0);
  part->loop = follow_loop(study, "{law: azad-featherstone, K: 8.5e6, D: 3.1e3}");
  part->classical =
      follow_loop(study, "{law: hunt-crossley, k: 8.5e6, n: 1.5, alpha: 0.24313725490196078}");
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const impact_part *part = computed;
  bool falls = true;
  for (int i = 1; i < SPEEDS; i++) {
    falls = falls && part->e[0][i] < part->e[0][i - 1];
  }
  ff_reproduction_find(
      study, &(ff_outcome){.key = "restitution-falls",
                           .claim = "Restitution falls with impact speed",
                           .source = "Fig. 2",
                           .paper = "decreases",
                           .found = ff_reproduction_text(study, "%.4f at 1 mm/s, %.4f at 10 m/s",
                                                         part->decade[0], part->decade[4]),
                           .verdict = ff_verdict_of(falls)});
  bool straight = part->bend < 1.2;
  ff_reproduction_find(
      study,
      &(ff_outcome){.key = "linear-in-log-speed",
                    .claim = "Restitution is linear in the logarithm of speed",
                    .source = "Fig. 3",
                    .paper = "a straight line",
                    .found = ff_reproduction_text(study,
                                                  "the slope grows by a factor of %.2f from the "
                                                  "lowest to the highest decade",
                                                  part->bend),
                    .value = part->bend,
                    .unit = "1",
                    .verdict = straight ? FF_CLAIM_HOLDS : FF_CLAIM_PARTLY,
                    .known = FF_CLAIM_PARTLY,
                    .note = "Nearly straight over two decades, as in the figure; a gentle bend "
                            "over more."});
  ff_reproduction_find(
      study, &(ff_outcome){.key = "force-ends-first",
                           .claim = "The force reaches zero before the depth does",
                           .source = "Fig. 7",
                           .paper = "contact ends before the ground has recovered",
                           .found = ff_reproduction_text(
                               study, "force ends at %.4f ms, depth at %.4f ms",
                               1e3 * part->fast.duration, 1e3 * part->fast.time_clear),
                           .value = part->fast.time_clear - part->fast.duration,
                           .unit = "s",
                           .verdict = ff_verdict_of(part->fast.duration < part->fast.time_clear)});
  ff_reproduction_find(
      study, &(ff_outcome){.key = "one-curve",
                           .claim = "Restitution depends on D K^−0.6 m^−0.4 v^0.2 alone",
                           .source = "not in the paper",
                           .paper = "-",
                           .found = ff_reproduction_text(study,
                                                         "five impacts over four orders of "
                                                         "speed agree to %.1g",
                                                         part->spread),
                           .value = part->spread,
                           .unit = "1",
                           .verdict = ff_verdict_of(part->spread < 1e-10)});
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
