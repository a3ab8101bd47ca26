/* The linear model and its weaknesses, Sec. 2. */
#include "marhefka.h"

#include <math.h>

enum { SAMPLES = 401, MASSES = 6, SPEEDS = 5, CURVE = 101 };

static const double stiffness = 1e4, damping = 60; /* N/m, N s/m: not in the paper */

typedef struct linear_part {
  const ff_trace *pulls, *clamped, *nonlinear; /* one impact of 1 kg at 1 m/s under each law */
  double jump, start;                          /* N, 1 ns after the touch: linear, nonlinear */
  double pull;                                 /* N, just before the end */
  double clamped_min, nonlinear_min;           /* N, smallest force with the clamp; nonlinear */
  double e_pulls, e_clamped;
  double masses[MASSES], by_mass[MASSES], eq4[MASSES]; /* restitution */
  double by_speed_spread;
  double nonlinear_by_speed, nonlinear_by_mass; /* spread of restitution, nonlinear */
  bool overdamped_refused;
} linear_part;

static const char *const channels[] = {"contact.body:ground.force.n"};

static const ff_trace *run(ff_reproduction *study, const char *law, double span) {
  const char *const set[] = {ff_reproduction_text(study, "contacts.0.normal=%s", law)};
  return ff_reproduction_run(study, &(ff_trial){.scene = "papers/marhefka-orin-1996/impact.yaml",
                                                .set = set,
                                                .set_count = 1,
                                                .channels = channels,
                                                .channel_count = 1,
                                                .span = span,
                                                .samples = SAMPLES});
}

static double restitution(ff_reproduction *study, double mass, double speed, bool clamp) {
  const char *settings =
      ff_reproduction_text(study, "k=%g b=%g clamp=%d", stiffness, damping, clamp ? 1 : 0);
  return ff_reproduction_impact(study, "linear", settings, mass, speed, 0).restitution;
}

/* [Marhefka96 eq. 4] */
static double eq4(double mass) {
  return exp(-damping * acos(-1.0) / sqrt(4 * mass * stiffness - damping * damping));
}

static double force_at(ff_reproduction *study, const char *law, double time) {
  const ff_trace *trace = run(study, law, time);
  return trace->channels[0][trace->rows - 1];
}

static double least(const ff_trace *trace) {
  double least = INFINITY;
  for (long i = 0; i < trace->rows; i++) {
    least = fmin(least, trace->channels[0][i]);
  }
  return least;
}

/* Spread of the nonlinear model's restitution over speeds, or over masses. */
static double nonlinear_spread(ff_reproduction *study, bool over_mass) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < SPEEDS; i++) {
    double factor = 0.01 * pow(10, i);
    double e = ff_reproduction_impact(study, "hunt-crossley", "k=1e4 n=1 alpha=0.4 clamp=0",
                                      over_mass ? factor : 1, over_mass ? 1 : factor, 0)
                   .restitution;
    low = fmin(low, e);
    high = fmax(high, e);
  }
  return high - low;
}

static void compute_restitution(ff_reproduction *study, linear_part *part) {
  for (int i = 0; i < MASSES; i++) {
    part->masses[i] = 0.25 * pow(2, i);
    part->by_mass[i] = restitution(study, part->masses[i], 1, false);
    part->eq4[i] = eq4(part->masses[i]);
  }
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < SPEEDS; i++) {
    double e = restitution(study, 1, 0.01 * pow(10, i), false);
    low = fmin(low, e);
    high = fmax(high, e);
  }
  part->by_speed_spread = high - low;
  part->nonlinear_by_speed = nonlinear_spread(study, false);
  part->nonlinear_by_mass = nonlinear_spread(study, true);
  part->e_pulls = restitution(study, 1, 1, false);
  part->e_clamped = restitution(study, 1, 1, true);
}

static void *compute_part(ff_reproduction *study) {
  linear_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  ff_linear_impact given = {1, stiffness, damping, 1, false};
  ff_impact exact = {0}, none;
  ff_impact_linear(&exact, &given, NULL);
  part->pulls = run(study, "{law: linear, k: 1e4, b: 60, clamp: false}", exact.duration);
  part->clamped = run(study, "{law: linear, k: 1e4, b: 60}", exact.duration);
  part->nonlinear = run(study, "{law: hunt-crossley, k: 1e4, n: 1, alpha: 0.4}", exact.duration);
  part->jump = force_at(study, "{law: linear, k: 1e4, b: 60}", 1e-9);
  part->start = force_at(study, "{law: hunt-crossley, k: 1e4, n: 1, alpha: 0.4}", 1e-9);
  part->pull =
      force_at(study, "{law: linear, k: 1e4, b: 60, clamp: false}", (1 - 1e-6) * exact.duration);
  part->clamped_min = least(part->clamped);
  part->nonlinear_min = least(part->nonlinear);
  compute_restitution(study, part);
  given.b = 250;
  part->overdamped_refused = ff_impact_linear(&none, &given, NULL) == FF_ERROR_INPUT;
  ff_reproduction_number(study, "linear.restitution", part->e_pulls, "1");
  ff_reproduction_number(study, "linear.restitution.clamped", part->e_clamped, "1");
  return part;
}

static double worst_of_eq4(const linear_part *part) {
  double worst = 0;
  for (int i = 0; i < MASSES; i++) {
    worst = fmax(worst, fabs(part->by_mass[i] / part->eq4[i] - 1));
  }
  return worst;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const linear_part *part = computed;
  double last = part->by_mass[MASSES - 1], off = worst_of_eq4(part);
  ff_reproduction_judge(study, "linear-jump",
                        ff_reproduction_text(study, "%.6g N after 1 ns", part->jump),
                        part->jump / damping);
  ff_reproduction_judge(
      study, "linear-tension",
      ff_reproduction_text(study, "%.4g N; b v_o = %.4g N", part->pull, damping * part->e_pulls),
      part->pull / (damping * part->e_pulls));
  ff_reproduction_judge(study, "linear-clamp",
                        ff_reproduction_text(study,
                                             "smallest force %g N; restitution rises from %.7g to "
                                             "%.8g",
                                             part->clamped_min, part->e_pulls, part->e_clamped),
                        part->clamped_min, part->e_clamped - part->e_pulls);
  ff_reproduction_judge(study, "linear-mass",
                        ff_reproduction_text(study, "%.4g at %g kg, %.4g at %g kg; Eq. 4 to %.1e",
                                             part->by_mass[0], part->masses[0], last,
                                             part->masses[MASSES - 1], off),
                        off, last - part->by_mass[0]);
  ff_reproduction_judge(
      study, "linear-speed",
      ff_reproduction_text(study, "spread %.1e from 0.01 to 100 m/s", part->by_speed_spread),
      part->by_speed_spread);
  ff_reproduction_judge(study, "linear-eq4-range",
                        part->overdamped_refused
                            ? "only for b² < 4mk; above, the body never comes off"
                            : "no restriction found",
                        off, part->overdamped_refused ? 0 : 1);
  ff_reproduction_judge(study, "overcomes",
                        ff_reproduction_text(study,
                                             "%.1e N after 1 ns, never below %.2g N; e differs by "
                                             "%.2g over speeds, by %.1e over masses",
                                             part->start, part->nonlinear_min,
                                             part->nonlinear_by_speed, part->nonlinear_by_mass),
                        part->start / damping, part->nonlinear_min, part->nonlinear_by_speed,
                        part->nonlinear_by_mass);
}

static void show_part(ff_reproduction *study, const void *computed) {
  const linear_part *part = computed;
  ff_page *page = study->page;
  ff_page_section(page, "The linear model (Sec. 2)");
  ff_page_text(page, "One impact of 1 kg at 1 m/s, k = 10 kN/m. The paper gives no numbers here: "
                     "b = 60 N s/m and α = 0.4 s/m are chosen.");
  ff_page_plot(page, "Force over time", (ff_axis){"time", "s", false},
               (ff_axis){"force on the ground", "N", false});
  ff_page_curve(page, "linear", FF_CURVE_LINE, part->pulls->time, part->pulls->channels[0],
                part->pulls->rows);
  ff_page_curve(page, "linear, tension set to zero", FF_CURVE_DASH, part->clamped->time,
                part->clamped->channels[0], SAMPLES);
  ff_page_curve(page, "nonlinear", FF_CURVE_LINE, part->nonlinear->time,
                part->nonlinear->channels[0], part->nonlinear->rows);
  double mass[CURVE], e[CURVE];
  for (int i = 0; i < CURVE; i++) {
    mass[i] = part->masses[0] + (part->masses[MASSES - 1] - part->masses[0]) * i / (CURVE - 1);
    e[i] = eq4(mass[i]);
  }
  ff_page_plot(page, "Restitution of the linear model over mass", (ff_axis){"mass", "kg", false},
               (ff_axis){"e", "1", false});
  ff_page_curve(page, "Eq. 4", FF_CURVE_LINE, mass, e, CURVE);
  ff_page_curve(page, "simulated", FF_CURVE_MARKERS, part->masses, part->by_mass, MASSES);
}

const ff_paper_part marhefka_linear = {
    .compute = compute_part, .report = report_part, .show = show_part};
