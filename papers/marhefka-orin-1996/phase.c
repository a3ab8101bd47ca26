/* The phase plane and restitution: Eqs. 5 to 22, Figs. 2 and 3. */
#include "marhefka.h"

#include <math.h>

enum {
  IMPACTS = 7,
  PULLS = 4,
  ALPHAS = 10,
  PATH = 161,
  SPEEDS = 101,  /* of the exact curves of Fig. 3 */
  COMBINED = 27, /* masses, stiffnesses and exponents, drawn together */
};

static const double fig2_mass = 50, fig2_k = 5e4, fig2_alpha = 0.4;
static const double fig2_speeds[IMPACTS] = {0.5, 1, 1.5, 2, 3, 4, 5};
/* Pulled apart faster than the limit: velocity at 0.1 m. */
static const double fig2_pulls[PULLS] = {-2, -2.5, -3, -4};
static const double fig2_pull_depth = 0.1;
static const double fig3_alphas[ALPHAS] = {.01, .02, .04, .06, .1, .15, .2, .3, .4, .5};
static const double fig3_top = 5; /* m/s */

typedef struct phase_part {
  strike impacts[IMPACTS];
  const ff_trace *pulls[PULLS];
  double pull_end[PULLS];       /* m/s, at the surface */
  double fig3_error;            /* largest difference of e to the exact one */
  ff_cloud fig3;                /* simulated */
  double same_low, same_high;   /* e over all combinations of m, k, n at alpha v = 0.5 */
  double split_low, split_high; /* the same with a different alpha in restitution */
  double path_error;            /* depth of the simulated path to eq. 19, relative to the deepest */
  double eq13_error;            /* eq. 13 along it, relative to its largest term */
  double eq19_most;             /* largest second radicand of eq. 19 along the paths */
  double fastest;               /* largest of |v| over the limit in all impacts */
  double force_min;             /* over the largest force, in all impacts */
  double limit_gap[3];          /* 1 - v_o / limit at 10, 100 and 1000 m/s */
} phase_part;

/* ---- computing ------------------------------------------------------------------------------- */

static ff_hunt_crossley_impact fig2_given(double speed) {
  return (ff_hunt_crossley_impact){fig2_mass, fig2_k, 1, fig2_alpha, NAN, speed};
}

static const ff_trace *pull(ff_reproduction *study, double velocity, double span, long samples) {
  static const char *const channels[] = {
      "contact.body:ground.depth", "contact.body:ground.depth_rate", "contact.body:ground.force.n"};
  const char *const set[] = {
      ff_reproduction_text(study, "bodies.body.mass=%.17g", fig2_mass),
      ff_reproduction_text(study, "bodies.body.position=[0, 0, %.17g]", 0.1 - fig2_pull_depth),
      ff_reproduction_text(study, "bodies.body.velocity=[0, 0, %.17g]", -velocity),
      ff_reproduction_text(study, "contacts.0.normal.k=%.17g", fig2_k),
      "duration=0.1",
  };
  return ff_reproduction_run(study, &(ff_trial){.scene = "papers/marhefka-orin-1996/impact.yaml",
                                                .set = set,
                                                .set_count = sizeof set / sizeof *set,
                                                .channels = channels,
                                                .channel_count = STRIKE_CHANNELS,
                                                .span = span,
                                                .samples = samples});
}

/* [Marhefka96 eq. 13]: left side minus right side over the largest term. */
static double eq13(const strike *s, double x, double v) {
  double K = -s->given.k / s->given.mass, L = 1.5 * s->given.alpha * K, vi = s->given.speed;
  double left = L * v - K * log(fabs(K + L * v));
  double right =
      L * L * pow(x, s->given.n + 1) / (s->given.n + 1) + L * vi - K * log(fabs(K + L * vi));
  return fabs(left - right) / fmax(fabs(left), fabs(right));
}

/* [Marhefka96 eq. 19], second radicand */
static double eq19_second(const strike *s, double v) {
  double a = 3 * s->given.alpha;
  return a * (v - s->given.speed) + 2 * log(fabs((2 + a * s->given.speed) / (2 + a * v)));
}

static void compare_path(phase_part *part, const strike *s) {
  double limit = ff_impact_limit_velocity(s->given.alpha);
  for (long i = 1; i < s->trace->rows - 1; i++) {
    double x = s->trace->channels[DEPTH][i], v = s->trace->channels[RATE][i];
    double off = fabs(ff_impact_depth(&s->given, v) - x) / s->exact.depth_max;
    part->path_error = fmax(part->path_error, off);
    part->eq19_most = fmax(part->eq19_most, eq19_second(s, v));
    part->eq13_error = fmax(part->eq13_error, eq13(s, x, v));
    part->fastest = fmax(part->fastest, v / limit);
  }
  part->force_min = fmin(part->force_min, s->force_min / s->exact.force_max);
}

static double restitution(ff_reproduction *study, const ff_hunt_crossley_impact *g) {
  double back = isnan(g->alpha_restitution) ? g->alpha : g->alpha_restitution;
  const char *settings =
      ff_reproduction_text(study, "k=%.17g n=%.17g alpha=%.17g alpha_restitution=%.17g clamp=0",
                           g->k, g->n, g->alpha, back);
  return ff_reproduction_impact(study, "hunt-crossley", settings, g->mass, g->speed, 0).restitution;
}

static void compute_fig3(ff_reproduction *study, phase_part *part) {
  int speeds = study->quick ? 5 : 21;
  for (int a = 0; a < ALPHAS; a++) {
    for (int i = 1; i <= speeds; i++) {
      double v = fig3_top * i / speeds;
      ff_hunt_crossley_impact given = {1, 1e4, 1, fig3_alphas[a], NAN, v};
      double e = restitution(study, &given);
      part->fig3_error =
          fmax(part->fig3_error, fabs(e - ff_impact_restitution(fig3_alphas[a] * v)));
      ff_cloud_add(study, &part->fig3, v, e);
    }
    ff_cloud_add(study, &part->fig3, fig3_top, NAN);
  }
}

static double drawn(ff_reproduction *study, double low, double high) { /* evenly in the logarithm */
  return low * pow(high / low, ff_reproduction_random(study));
}

/* Restitution of drawn masses (0.01 to 1000 kg), stiffnesses (1e3 to 1e8) and exponents (1 to 3).
 */
static void combine(ff_reproduction *study, double alpha_restitution, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int i = 0; i < COMBINED; i++) {
    ff_hunt_crossley_impact given = {.mass = drawn(study, 0.01, 1000),
                                     .k = drawn(study, 1e3, 1e8),
                                     .n = drawn(study, 1, 3),
                                     .alpha = 0.25,
                                     .alpha_restitution = alpha_restitution,
                                     .speed = 2};
    double e = restitution(study, &given);
    *low = fmin(*low, e);
    *high = fmax(*high, e);
  }
}

static void compute_limit(ff_reproduction *study, phase_part *part) {
  for (int i = 0; i < 3; i++) {
    double v = pow(10, 1 + i);
    ff_hunt_crossley_impact given = fig2_given(v);
    part->limit_gap[i] = 1 + restitution(study, &given) * v / ff_impact_limit_velocity(fig2_alpha);
  }
}

static void *compute_part(ff_reproduction *study) {
  phase_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  part->force_min = INFINITY;
  part->eq19_most = -INFINITY;
  for (int i = 0; i < IMPACTS; i++) {
    part->impacts[i] = strike_make(study, fig2_given(fig2_speeds[i]), study->quick ? 51 : 201);
    compare_path(part, &part->impacts[i]);
  }
  for (int i = 0; i < PULLS; i++) {
    /* First to find its end, then with samples up to there. */
    const ff_trace *whole = pull(study, fig2_pulls[i], 0, 2);
    const ff_event *lift = ff_trace_event(whole, FF_EVENT_LIFT);
    part->pull_end[i] = lift ? -lift->speed : (double)NAN;
    part->pulls[i] = pull(study, fig2_pulls[i], lift ? lift->time : 0, 41);
  }
  compute_fig3(study, part);
  compute_limit(study, part);
  combine(study, NAN, &part->same_low, &part->same_high);
  combine(study, 0.05, &part->split_low, &part->split_high);
  return part;
}

/* ---- claims ---------------------------------------------------------------------------------- */

/* Error of eq. 16's Lambda in eq. 15, over its largest term, worst over several alpha v. */
static double eq16_error(void) {
  double worst = 0;
  for (double s = 0.01; s < 0.5; s += 0.07) {
    /* K = -1, v_i = 1 */
    double L = -3 * s * (2 - s) / (2 * (2 - 3 * s + 3 * s * s - s * s * s));
    double v = -(1 - s), K = -1;
    double left = L * v - K * (L * v / K - pow(L * v / K, 2) / 2 + pow(L * v / K, 3) / 3);
    double right = L - K * (L / K - pow(L / K, 2) / 2 + pow(L / K, 3) / 3);
    worst = fmax(worst, fabs(left - right) / fabs(left));
  }
  return worst;
}

/* [Marhefka96 eq. 19], first radicand, m^2 */
static double eq19_first(void) {
  return -2 * fig2_mass * 2 / (9 * fig2_k * fig2_alpha * fig2_alpha);
}

static void report_equations(ff_reproduction *study, const phase_part *part) {
  ff_reproduction_judge(
      study, "eq13",
      ff_reproduction_text(study, "simulated paths fulfil it to %.1e", part->eq13_error),
      part->eq13_error);
  ff_reproduction_judge(study, "eq16", ff_reproduction_text(study, "to %.1e", eq16_error()),
                        eq16_error());
  ff_reproduction_judge(study, "eq19-printed",
                        ff_reproduction_text(study,
                                             "radicands %.3g and at most %.3g on the simulated "
                                             "paths: no real root for n = 1",
                                             eq19_first(), part->eq19_most),
                        eq19_first(), part->eq19_most);
  ff_reproduction_judge(study, "eq19",
                        ff_reproduction_text(study, "simulated depth agrees to %.1e of the largest",
                                             part->path_error),
                        part->path_error);
}

static double law_force(double depth, double rate) {
  const ff_law *law = ff_law_find(FF_LAW_NORMAL, "hunt-crossley");
  ff_law_params params;
  ff_law_params_default(law, &params);
  ff_law_params_set(law, &params, "k", fig2_k, NULL);
  ff_law_params_set(law, &params, "n", 1, NULL);
  ff_law_params_set(law, &params, "alpha", fig2_alpha, NULL);
  ff_law_params_set(law, &params, "clamp", 0, NULL);
  ff_law_params_resolve(law, &params, NULL, NULL);
  ff_patch patch = {.depth = depth, .depth_rate = rate};
  ff_normal normal;
  ff_law_normal(law, &params, &patch, &normal);
  return normal.force;
}

/* The velocity at which the law's force changes sign, by bisection. */
static double sticky_from(void) {
  double low = -10, high = 0;
  for (int i = 0; i < 60; i++) {
    double middle = (low + high) / 2;
    *(law_force(0.01, middle) < 0 ? &low : &high) = middle;
  }
  return (low + high) / 2;
}

static void report_sticking(ff_reproduction *study, const phase_part *part) {
  double limit = ff_impact_limit_velocity(fig2_alpha), from = sticky_from();
  double first = part->pulls[1]->channels[FORCE][0];
  ff_reproduction_judge(study, "sticky-region",
                        ff_reproduction_text(study, "changes sign at %.6f m/s", from),
                        fabs(from / limit - 1));
  ff_reproduction_judge(study, "no-sticking",
                        ff_reproduction_text(study,
                                             "at most %.4f of the limit; smallest force %.2g of "
                                             "the largest",
                                             part->fastest, part->force_min),
                        part->fastest, part->force_min);
  ff_reproduction_judge(study, "sticking-when-pulled",
                        ff_reproduction_text(study, "%.5g N at −2.5 m/s and 0.1 m deep", first),
                        first, part->force_min);
}

static void report_contours(ff_reproduction *study, const phase_part *part) {
  double limit = ff_impact_limit_velocity(fig2_alpha), ratio = 0, least = INFINITY;
  for (int i = 0; i < PULLS; i++) {
    ratio = fmax(ratio, part->pull_end[i] / fig2_pulls[i]);
    least = fmin(least, part->pull_end[i] / limit);
  }
  double y = 1 + 1.5 * fig2_alpha * 10; /* at 10 m/s */
  ff_reproduction_judge(
      study, "limit-velocity",
      ff_reproduction_text(study, "short of it by %.1e, %.1e, %.1e at 10, 100, 1000 m/s",
                           part->limit_gap[0], part->limit_gap[1], part->limit_gap[2]),
      part->limit_gap[0] / (y * exp(-y)), part->limit_gap[2]);
  ff_reproduction_judge(study, "pulled-dissipates",
                        ff_reproduction_text(study,
                                             "from 2, 2.5, 3, 4 to %.4g, %.4g, %.4g, %.4g m/s",
                                             -part->pull_end[0], -part->pull_end[1],
                                             -part->pull_end[2], -part->pull_end[3]),
                        ratio, least);
}

static void report_linear_range(ff_reproduction *study) {
  double worst = 0;
  for (double s = 1e-4; s < 0.02; s *= 2) {
    worst = fmax(worst, fabs(ff_impact_restitution(s) - (1 - s)) / (s * s));
  }
  ff_reproduction_judge(
      study, "eq5", ff_reproduction_text(study, "the difference is at most %.4f (α v_i)²", worst),
      worst);
}

/* Neighbours along a curve of Fig. 3 and from one curve to the next where e does not fall. */
static int count_rises(const ff_cloud *cloud) {
  long each = cloud->count / ALPHAS; /* with the gap */
  int count = 0;
  for (long i = 0; i < cloud->count; i++) {
    count += (i + 1) % each != 0 && cloud->y[i + 1] >= cloud->y[i];
    count += i + each < cloud->count && cloud->y[i + each] >= cloud->y[i];
  }
  return count;
}

/* Does -de/ds fall with s = alpha v, on a fine grid of Fig. 3's range? */
static int count_steeper(void) {
  double before = INFINITY;
  int count = 0;
  for (double s = 0.025; s < 2.5; s += 0.025) {
    double slope = ff_impact_restitution(s - 0.0125) - ff_impact_restitution(s + 0.0125);
    count += slope >= before;
    before = slope;
  }
  return count;
}

static void report_restitution(ff_reproduction *study, const phase_part *part) {
  report_linear_range(study);
  int rises = count_rises(&part->fig3);
  ff_reproduction_judge(study, "restitution-falls",
                        ff_reproduction_text(study,
                                             "%d rises among the simulated points of Fig. 3; "
                                             "exact curve to %.1e",
                                             rises, part->fig3_error),
                        rises, part->fig3_error);
  double early = (1 - ff_impact_restitution(0.01)) / 0.01;
  double late = (ff_impact_restitution(2.4) - ff_impact_restitution(2.5)) / 0.1;
  ff_reproduction_judge(study, "levels-out",
                        ff_reproduction_text(study,
                                             "slope −%.3f α at rest, −%.3f α at α v = 2.5, where "
                                             "e = %.4f",
                                             early, late, ff_impact_restitution(2.5)),
                        count_steeper(), ff_impact_restitution(2.5));
  double spread = part->same_high - part->same_low;
  ff_reproduction_judge(study, "independence",
                        ff_reproduction_text(study,
                                             "e = %.9f, spread %.1e over 27 drawn combinations",
                                             part->same_low, spread),
                        spread);
  ff_reproduction_number(study, "restitution.at0.5", part->same_low, "1");
}

static void report_future(ff_reproduction *study, const phase_part *part) {
  double spread = part->split_high - part->split_low;
  double exact = ff_impact_restitution_split(0.5, 0.1);
  ff_reproduction_judge(study, "split-damping",
                        ff_reproduction_text(study,
                                             "e = %.9f, spread %.1e over m, k, n; closed form %.9f",
                                             part->split_low, spread, exact),
                        spread, fabs(part->split_low - exact));
}

static void report_part(ff_reproduction *study, const void *computed) {
  const phase_part *part = computed;
  report_equations(study, part);
  report_sticking(study, part);
  report_contours(study, part);
  report_restitution(study, part);
  report_future(study, part);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* The exact contour through the start of a pull, until it meets the surface. */
static void add_pull_contour(ff_reproduction *study, ff_cloud *inside, ff_cloud *outside,
                             double start, double end) {
  ff_hunt_crossley_impact given = fig2_given(1);
  for (int side = 0; side < 2; side++) {
    ff_cloud *cloud = side ? outside : inside;
    double last = 0;
    for (int i = 0; i < PATH; i++) {
      double part = sin(acos(-1.0) / 2 * i / (PATH - 1));
      double v = start + (end - start) * part;
      last = fmax(ff_impact_contour(&given, fig2_pull_depth, start, v), 0);
      ff_cloud_add(study, cloud, side ? -last : last, v);
    }
    ff_cloud_add(study, cloud, last, NAN);
  }
}

static void show_fig2(ff_reproduction *study, const phase_part *part) {
  ff_page *page = study->page;
  ff_cloud impacts = {0}, pulls = {0}, outside = {0}, simulated = {0};
  double v[PATH], x[PATH], f[PATH];
  for (int i = 0; i < IMPACTS; i++) {
    const strike *s = &part->impacts[i];
    strike_path(s, PATH, v, x, f);
    ff_cloud_add_run(study, &impacts, x, v, PATH, 1);
    for (int j = 0; j < PATH; j++) {
      x[j] = -x[j];
    }
    ff_cloud_add_run(study, &outside, x, v, PATH, 1);
    long stride = (s->trace->rows - 1) / 12;
    ff_cloud_add_run(study, &simulated, s->trace->channels[DEPTH] + 1, s->trace->channels[RATE] + 1,
                     s->trace->rows - 2, stride);
  }
  for (int i = 0; i < PULLS; i++) {
    add_pull_contour(study, &pulls, &outside, fig2_pulls[i], part->pull_end[i]);
    ff_cloud_add_run(study, &simulated, part->pulls[i]->channels[DEPTH],
                     part->pulls[i]->channels[RATE], part->pulls[i]->rows - 1, 4);
  }
  double limit = ff_impact_limit_velocity(fig2_alpha);
  ff_page_plot(page, "Fig. 2: phase diagram", (ff_axis){"penetration", "m", false},
               (ff_axis){"penetration velocity", "m/s", false});
  ff_page_curve(page, "exact, impacts", FF_CURVE_LINE, impacts.x, impacts.y, impacts.count);
  ff_page_curve(page, "exact, pulled apart", FF_CURVE_LINE, pulls.x, pulls.y, pulls.count);
  ff_page_curve(page, "Eq. 8 outside contact", FF_CURVE_DOT, outside.x, outside.y, outside.count);
  ff_page_curve(page, "−2/(3α)", FF_CURVE_DASH, (const double[]){-0.15, 0.15},
                (const double[]){limit, limit}, 2);
  ff_page_curve(page, "simulated", FF_CURVE_MARKERS, simulated.x, simulated.y, simulated.count);
}

static void show_fig3(ff_reproduction *study, const phase_part *part) {
  ff_page *page = study->page;
  double v[SPEEDS], e[SPEEDS];
  ff_page_plot(page, "Fig. 3: restitution over impact speed",
               (ff_axis){"impact speed", "m/s", false}, (ff_axis){"e", "1", false});
  for (int a = 0; a < ALPHAS; a++) {
    for (int i = 0; i < SPEEDS; i++) {
      v[i] = fig3_top * i / (SPEEDS - 1);
      e[i] = ff_impact_restitution(fig3_alphas[a] * v[i]);
    }
    ff_page_curve(page, ff_reproduction_text(study, "α = %g s/m", fig3_alphas[a]), FF_CURVE_LINE, v,
                  e, SPEEDS);
  }
  ff_page_curve(page, "simulated", FF_CURVE_MARKERS, part->fig3.x, part->fig3.y, part->fig3.count);
}

static void show_part(ff_reproduction *study, const void *computed) {
  const phase_part *part = computed;
  ff_page *page = study->page;
  ff_page_section(page, "Phase diagram and restitution (Figs. 2 and 3)");
  ff_page_text(page, "Fig. 2: m = 50 kg, k = 50 kN/m, n = 1, α = 0.4 s/m; impacts at 0.5 to 5 m/s, "
                     "and bodies pulled apart at 2 to 4 m/s from 0.1 m deep. Lines are Eq. 19 with "
                     "one root; markers are full simulations under Eq. 6 without a clamp.");
  ff_page_text(page, "Fig. 3: restitution depends on α v_i alone. Lines are the closed form, "
                     "markers simulated impacts of 1 kg with k = 10 kN/m and n = 1.");
  show_fig2(study, part);
  show_fig3(study, part);
}

const ff_paper_part marhefka_phase = {
    .compute = compute_part, .report = report_part, .show = show_part};
