/* Force over depth and time: Figs. 4 to 7. Only Fig. 4 gives n: n = 1. */
#include "marhefka.h"

#include <math.h>
#include <string.h>

enum { FIG4 = 4, FIG5 = 4, FIG7 = 3, PATH = 161, SAMPLES = 1001, STRIDE = 40 };

static const double fig4_alphas[FIG4] = {0.01, 0.2, 0.4, 0.6};
static const double fig5_ks[FIG5] = {10e3, 30e3, 50e3, 70e3};
static const double fig7_masses[FIG7] = {1, 10, 100};

typedef struct loop_part {
  strike fig4[FIG4], fig5[FIG5], fig7[FIG7];
  double touch[2];   /* force after 1e-6 and 1e-7 of the contact, over the largest: Fig. 4 */
  double jump, kink; /* factor of the largest change of force, and of its slope, per halving of the
                      * sample interval: 0.5 of a smooth function, 1 of a jump or kink */
  double spring;     /* largest |force - k x| over the largest force: alpha = 0.01 */
  double error;      /* largest of all impacts against closed form */
  double area_error; /* of loop areas against 1/2 m v^2 (1 - e^2) */
  double force_min;  /* over the largest */
  double poisson;    /* largest difference of Eq. 2 from Eq. 1 */
} loop_part;

/* ---- computing ------------------------------------------------------------------------------- */

static void take_in(loop_part *part, const strike *s) {
  double kinetic = 0.5 * s->given.mass *
                   (s->given.speed * s->given.speed - s->found.speed_out * s->found.speed_out);
  part->error = fmax(part->error, strike_error(s));
  part->area_error = fmax(part->area_error, fabs(s->area / kinetic - 1));
  part->force_min = fmin(part->force_min, s->force_min / s->exact.force_max);
  part->poisson = fmax(part->poisson, fabs(s->poisson - s->found.restitution));
  ff_smoothness change = ff_smoothness_of(s->trace->channels[FORCE], s->trace->rows);
  part->jump = fmax(part->jump, change.jump);
  part->kink = fmax(part->kink, change.kink);
}

static double far_from_spring(const strike *s) {
  double worst = 0;
  for (long i = 0; i < s->trace->rows; i++) {
    double spring = s->given.k * s->trace->channels[DEPTH][i];
    worst = fmax(worst, fabs(s->trace->channels[FORCE][i] - spring));
  }
  return worst / s->exact.force_max;
}

/* Force after a share of the contact, over the largest. */
static double force_at_touch(ff_reproduction *study, const strike *s, double share) {
  static const char *const channels[] = {"contact.body:ground.force.n"};
  const ff_trace *trace =
      ff_reproduction_run(study, &(ff_trial){.scene = "papers/marhefka-orin-1996/impact.yaml",
                                             .channels = channels,
                                             .channel_count = 1,
                                             .span = share * s->exact.duration,
                                             .samples = 2});
  return trace->channels[0][1] / s->exact.force_max;
}

static void *compute_part(ff_reproduction *study) {
  loop_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  part->force_min = INFINITY;
  for (int i = 0; i < FIG4; i++) {
    ff_hunt_crossley_impact given = {1, 1e4, 1, fig4_alphas[i], NAN, 1};
    part->fig4[i] = strike_make(study, given, SAMPLES);
    take_in(part, &part->fig4[i]);
    strike_report(study, &part->fig4[i],
                  ff_reproduction_text(study, "fig4.alpha%g", fig4_alphas[i]));
  }
  for (int i = 0; i < FIG5; i++) {
    ff_hunt_crossley_impact given = {50, fig5_ks[i], 1, 0.5, NAN, 1};
    part->fig5[i] = strike_make(study, given, SAMPLES);
    take_in(part, &part->fig5[i]);
    strike_report(study, &part->fig5[i], ff_reproduction_text(study, "fig5.k%g", fig5_ks[i]));
  }
  for (int i = 0; i < FIG7; i++) {
    ff_hunt_crossley_impact given = {fig7_masses[i], 25e3, 1, 0.5, NAN, 0.5};
    part->fig7[i] = strike_make(study, given, SAMPLES);
    take_in(part, &part->fig7[i]);
    strike_report(study, &part->fig7[i], ff_reproduction_text(study, "fig7.m%g", fig7_masses[i]));
  }
  part->touch[0] = force_at_touch(study, &part->fig4[2], 1e-6);
  part->touch[1] = force_at_touch(study, &part->fig4[2], 1e-7);
  part->spring = far_from_spring(&part->fig4[0]);
  return part;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void report_forces(ff_reproduction *study, const loop_part *part) {
  ff_reproduction_judge(study, "exact-impacts",
                        ff_reproduction_text(study,
                                             "e, depth, force, its time, duration and loss agree "
                                             "to %.1e",
                                             part->error),
                        part->error);
  ff_reproduction_judge(study, "poisson",
                        ff_reproduction_text(study, "P_r / P_c = v_o / v_i to %.1e", part->poisson),
                        part->poisson);
  ff_reproduction_judge(study, "continuous-at-touch",
                        ff_reproduction_text(study,
                                             "%.1e of the peak after 1e-6 of the contact, %.1e "
                                             "after 1e-7",
                                             part->touch[0], part->touch[1]),
                        part->touch[1] / part->touch[0]);
  ff_reproduction_judge(study, "smooth-in-time",
                        ff_reproduction_text(study,
                                             "smallest %.2g of the peak; with half the interval "
                                             "changes are %.3f, those of the slope %.3f times as "
                                             "large",
                                             part->force_min, part->jump, part->kink),
                        part->jump, part->kink, part->force_min);
}

static double order(double a, double b, double c, double d) { /* smallest step upwards, relative */
  return fmin(b / a, fmin(c / b, d / c)) - 1;
}

static void report_alpha(ff_reproduction *study, const loop_part *part) {
  const strike *s = part->fig4;
  ff_reproduction_judge(
      study, "loop-area",
      ff_reproduction_text(study, "equal to %.1e in all impacts", part->area_error),
      part->area_error);
  ff_reproduction_judge(study, "alpha-area",
                        ff_reproduction_text(study, "%.4g, %.4g, %.4g, %.4g J", s[0].area,
                                             s[1].area, s[2].area, s[3].area),
                        order(s[0].area, s[1].area, s[2].area, s[3].area));
  const double x[] = {s[0].found.depth_max, s[1].found.depth_max, s[2].found.depth_max,
                      s[3].found.depth_max};
  ff_reproduction_judge(study, "alpha-depth",
                        ff_reproduction_text(study, "%.4g, %.4g, %.4g, %.4g mm", 1e3 * x[0],
                                             1e3 * x[1], 1e3 * x[2], 1e3 * x[3]),
                        order(x[3], x[2], x[1], x[0]));
  ff_reproduction_judge(
      study, "small-alpha-spring",
      ff_reproduction_text(study, "force within %.2g %% of the peak from k x", 100 * part->spring),
      part->spring);
}

static double spread(const double *values, int count) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < count; i++) {
    low = fmin(low, values[i]);
    high = fmax(high, values[i]);
  }
  return (high - low) / high;
}

static void report_k(ff_reproduction *study, const loop_part *part) {
  const strike *s = part->fig5;
  double areas[FIG5], impulses[FIG5], x[FIG5];
  for (int i = 0; i < FIG5; i++) {
    areas[i] = s[i].area;
    impulses[i] = s[i].given.mass * (s[i].given.speed + s[i].found.speed_out);
    x[i] = s[i].found.depth_max;
  }
  ff_reproduction_judge(
      study, "k-area",
      ff_reproduction_text(study, "%.6f J, spread %.1e", areas[0], spread(areas, FIG5)),
      spread(areas, FIG5));
  ff_reproduction_judge(study, "k-depth",
                        ff_reproduction_text(study, "%.2f, %.2f, %.2f, %.2f mm", 1e3 * x[0],
                                             1e3 * x[1], 1e3 * x[2], 1e3 * x[3]),
                        order(x[3], x[2], x[1], x[0]));
  double taller = s[3].found.force_max / s[0].found.force_max;
  double shorter = s[0].found.duration / s[3].found.duration;
  ff_reproduction_judge(study, "k-impulsive",
                        ff_reproduction_text(study,
                                             "from 10 to 70 kN/m %.4f times higher and %.4f times "
                                             "shorter; impulse the same to %.1e",
                                             taller, shorter, spread(impulses, FIG5)),
                        fabs(taller / sqrt(7) - 1), fabs(shorter / sqrt(7) - 1),
                        spread(impulses, FIG5));
}

static void report_mass(ff_reproduction *study, const loop_part *part) {
  const strike *s = part->fig7;
  double per_mass[FIG7], x[FIG7];
  for (int i = 0; i < FIG7; i++) {
    per_mass[i] = s[i].area / s[i].given.mass;
    x[i] = s[i].found.depth_max;
  }
  ff_reproduction_judge(
      study, "mass-area",
      ff_reproduction_text(study, "%.8f J/kg, spread %.1e", per_mass[0], spread(per_mass, FIG7)),
      spread(per_mass, FIG7));
  ff_reproduction_judge(
      study, "mass-depth",
      ff_reproduction_text(study, "%.3f, %.3f, %.3f mm", 1e3 * x[0], 1e3 * x[1], 1e3 * x[2]),
      fmin(x[1] / x[0], x[2] / x[1]) - 1);
}

static void report_part(ff_reproduction *study, const void *computed) {
  const loop_part *part = computed;
  report_forces(study, part);
  report_alpha(study, part);
  report_k(study, part);
  report_mass(study, part);
}

/* ---- figures --------------------------------------------------------------------------------- */

static void show_loops(ff_reproduction *study, const char *title, const strike *s, int count,
                       const char *const *names) {
  ff_page *page = study->page;
  double v[PATH], x[PATH], f[PATH];
  ff_cloud simulated = {0};
  ff_page_plot(page, title, (ff_axis){"penetration depth", "m", false},
               (ff_axis){"contact force", "N", false});
  for (int i = 0; i < count; i++) {
    strike_path(&s[i], PATH, v, x, f);
    ff_page_curve(page, names[i], FF_CURVE_LINE, x, f, PATH);
    ff_cloud_add_run(study, &simulated, s[i].trace->channels[DEPTH], s[i].trace->channels[FORCE],
                     s[i].trace->rows, STRIDE);
  }
  ff_page_curve(page, "simulated", FF_CURVE_MARKERS, simulated.x, simulated.y, simulated.count);
}

static void show_fig6(ff_reproduction *study, const loop_part *part, const char *const *names) {
  ff_page *page = study->page;
  ff_cloud exact = {0};
  ff_page_plot(page, "Fig. 6: contact force over time, by k", (ff_axis){"time", "s", false},
               (ff_axis){"contact force", "N", false});
  for (int i = 0; i < FIG5; i++) {
    const strike *s = &part->fig5[i];
    ff_page_curve(page, names[i], FF_CURVE_LINE, s->trace->time, s->trace->channels[FORCE],
                  s->trace->rows);
    ff_cloud_add(study, &exact, 0, 0);
    ff_cloud_add(study, &exact, s->exact.time_force_max, s->exact.force_max);
    ff_cloud_add(study, &exact, s->exact.time_depth_max, strike_force(s, 0));
    ff_cloud_add(study, &exact, s->exact.duration, 0);
  }
  ff_page_curve(page, "exact: touch, peak, deepest, end", FF_CURVE_MARKERS, exact.x, exact.y,
                exact.count);
}

static void show_table(ff_reproduction *study, const loop_part *part) {
  static const char *const columns[] = {"impact", "e",           "depth (m)", "peak (N)",
                                        "at (s)", "contact (s)", "loss (J)",  "to closed form"};
  const struct {
    const char *name;
    const strike *s;
  } rows[] = {{"Fig. 4, α = 0.4", &part->fig4[2]},
              {"Figs. 5/6, k = 50 kN/m", &part->fig5[2]},
              {"Fig. 7, m = 10 kg", &part->fig7[1]}};
  ff_page_table(study->page, "Simulated numbers", columns, 8);
  for (int i = 0; i < 3; i++) {
    const ff_impact *f = &rows[i].s->found;
    ff_page_row(study->page,
                (const char *[]){rows[i].name, ff_reproduction_text(study, "%.10f", f->restitution),
                                 ff_reproduction_text(study, "%.8g", f->depth_max),
                                 ff_reproduction_text(study, "%.8g", f->force_max),
                                 ff_reproduction_text(study, "%.8g", f->time_force_max),
                                 ff_reproduction_text(study, "%.8g", f->duration),
                                 ff_reproduction_text(study, "%.8g", f->energy_lost),
                                 ff_reproduction_text(study, "%.1e", strike_error(rows[i].s))});
  }
}

static void show_part(ff_reproduction *study, const void *computed) {
  const loop_part *part = computed;
  ff_page *page = study->page;
  static const char *const alphas[] = {"α = 0.01 s/m", "α = 0.2 s/m", "α = 0.4 s/m", "α = 0.6 s/m"};
  static const char *const ks[] = {"k = 10 kN/m", "k = 30 kN/m", "k = 50 kN/m", "k = 70 kN/m"};
  static const char *const masses[] = {"m = 1 kg", "m = 10 kg", "m = 100 kg"};
  ff_page_section(page, "Impact response (Figs. 4 to 7)");
  ff_page_text(page, "Fig. 4: m = 1 kg, k = 10 kN/m, v_i = 1 m/s, n = 1. Figs. 5 and 6: m = 50 kg, "
                     "α = 0.5 s/m, v_i = 1 m/s. Fig. 7: k = 25 kN/m, α = 0.5 s/m, v_i = 0.5 m/s. "
                     "Lines over depth are exact, markers are full simulations; over time it is "
                     "the other way round.");
  show_loops(study, "Fig. 4: contact force over depth, by α", part->fig4, FIG4, alphas);
  show_loops(study, "Fig. 5: contact force over depth, by k", part->fig5, FIG5, ks);
  show_fig6(study, part, ks);
  show_loops(study, "Fig. 7: contact force over depth, by mass", part->fig7, FIG7, masses);
  show_table(study, part);
}

const ff_paper_part marhefka_loops = {
    .compute = compute_part, .report = report_part, .show = show_part};
