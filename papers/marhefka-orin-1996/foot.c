/* The foot of a walking machine, Sec. 5 and Fig. 8. */
#include "marhefka.h"

#include <math.h>
#include <stdio.h>

enum { HEIGHT, SPEED, GROUND, FOOT_CHANNELS, SAMPLES = 1401, ALPHAS = 3 };

static const double place = 0.1, lift = 0.6; /* s, ends of placement and support */
static const double load = 1000;             /* N, not in the paper */
static const double rest = 0.05;             /* m, height of the foot's origin at the touch */
static const double alphas[ALPHAS] = {0.25, 0.5, 1};

typedef struct foot_part {
  const ff_trace *trace; /* of the scene as it is, without the clamp */
  const ff_trace *check; /* verification by fixed steps of another method */
  const ff_trace *round; /* the foot that slides */
  double depth_placed;   /* m, at 0.1 s */
  double force_loaded;   /* N, at 0.6 s */
  double ripple[ALPHAS]; /* N, largest distance from the load between 0.5 and 0.6 s, by alpha */
  double touch_force[2]; /* N, after 1 µs and 0.1 µs */
  double lift_jump;      /* factor of the largest change after 0.6 s per halving of the interval */
  double force_min;      /* N, of samples after 0.6 s */
  double load_limit;     /* N, up to which the force stays outward */
  double over_min;       /* N, smallest force when a load of 1500 N is lifted */
  double split_min;      /* N, the same with less damping in restitution */
  long touches;
} foot_part;

/* ---- computing ------------------------------------------------------------------------------- */

static const ff_trace *walk(ff_reproduction *study, const char *const *set, int count, double span,
                            bool replay) {
  static const char *const channels[] = {"body.foot.position.z", "body.foot.velocity.z",
                                         "contact.foot:ground.force.n"};
  return ff_reproduction_run(study, &(ff_trial){.scene = "scenes/walking-foot.yaml",
                                                .set = set,
                                                .set_count = count,
                                                .channels = channels,
                                                .channel_count = FOOT_CHANNELS,
                                                .span = span,
                                                .samples = span > 0 ? 2 : SAMPLES,
                                                .replay = replay});
}

static long row_at(const ff_trace *trace, double t) {
  return lround(t / trace->time[trace->rows - 1] * (double)(trace->rows - 1));
}

static double least_force(const ff_trace *trace, double from) {
  double least = INFINITY;
  for (long i = row_at(trace, from); i < trace->rows; i++) {
    least = fmin(least, trace->channels[GROUND][i]);
  }
  return least;
}

static double ripple(ff_reproduction *study, double alpha) {
  const char *const set[] = {ff_reproduction_text(study, "contacts.0.normal.alpha=%g", alpha)};
  const ff_trace *trace = walk(study, set, 1, 0, false);
  double most = 0;
  for (long i = row_at(trace, 0.5); i <= row_at(trace, 0.6); i++) {
    most = fmax(most, fabs(trace->channels[GROUND][i] - load));
  }
  return most;
}

static const ff_trace *lift_from(ff_reproduction *study, double from_load,
                                 double alpha_restitution) {
  const char *const set[] = {
      "contacts.0.normal.clamp=false",
      ff_reproduction_text(study, "drives.leg.phases.1.force=%.17g", from_load),
      ff_reproduction_text(study, "contacts.0.normal.alpha_restitution=%.17g", alpha_restitution)};
  return walk(study, set, 3, 0, false);
}

/* Excess of the lift-off speed over the limit -2/(3 alpha). The leg pulls increasingly, so that the
 * foot is fastest when it leaves: above 0 the force was tensile before. */
static double too_fast(ff_reproduction *study, double from_load) {
  const ff_event *event = ff_trace_event(lift_from(study, from_load, 0.5), FF_EVENT_LIFT);
  return event ? event->speed + ff_impact_limit_velocity(0.5) : (double)NAN;
}

static double find_limit(ff_reproduction *study) {
  double low = 1000, high = 1500, at_low = too_fast(study, low), at_high = too_fast(study, high);
  double here = NAN;
  for (int i = 0; i < 12; i++) {
    double before = here;
    here = low - at_low * (high - low) / (at_high - at_low);
    if (fabs(here - before) < 1e-6) {
      break;
    }
    double at = too_fast(study, here);
    *(at < 0 ? &low : &high) = here;
    *(at < 0 ? &at_low : &at_high) = at;
  }
  return here;
}

/* The paper's future work: tangential forces. */
static const ff_trace *slide(ff_reproduction *study) {
  static const char *const channels[] = {"body.foot.velocity.x", "contact.foot:ground.force.x",
                                         "contact.foot:ground.force.n"};
  return ff_reproduction_run(study, &(ff_trial){.scene = "scenes/walking-foot-sphere.yaml",
                                                .channels = channels,
                                                .channel_count = FOOT_CHANNELS,
                                                .samples = SAMPLES,
                                                .replay = true});
}

static void report_numbers(ff_reproduction *study, const foot_part *part, const ff_event *off) {
  ff_reproduction_number(study, "foot.force_max", off->peak_force, "N");
  ff_reproduction_number(study, "foot.time_force_max", off->peak_time, "s");
  ff_reproduction_number(study, "foot.depth_placed", part->depth_placed, "m");
  ff_reproduction_number(study, "foot.force_loaded", part->force_loaded, "N");
  ff_reproduction_number(study, "foot.lift_time", off->time, "s");
  ff_reproduction_number(study, "foot.lift_velocity", -off->speed, "m/s");
  ff_reproduction_number(study, "foot.load_limit", part->load_limit, "N");
}

static void *compute_part(ff_reproduction *study) {
  foot_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  const char *const free_law[] = {"contacts.0.normal.clamp=false"};
  const char *const fixed[] = {"contacts.0.normal.clamp=false",
                               study->quick ? "stepper={kind: rk4, step: 1e-4}"
                                            : "stepper={kind: rk4, step: 1e-5}"};
  part->trace = walk(study, free_law, 1, 0, true);
  part->check = walk(study, fixed, 2, 0, false);
  part->depth_placed = rest - part->trace->channels[HEIGHT][row_at(part->trace, place)];
  part->force_loaded = part->trace->channels[GROUND][row_at(part->trace, lift)];
  part->force_min = least_force(part->trace, lift);
  for (int i = 0; i < 2; i++) {
    const ff_trace *start = walk(study, NULL, 0, i == 0 ? 1e-6 : 1e-7, false);
    part->touch_force[i] = start->channels[GROUND][start->rows - 1];
  }
  long from = row_at(part->trace, lift);
  part->lift_jump =
      ff_smoothness_of(part->trace->channels[GROUND] + from, part->trace->rows - from).jump;
  for (int i = 0; i < ALPHAS; i++) {
    part->ripple[i] = ripple(study, alphas[i]);
  }
  part->load_limit = find_limit(study);
  part->round = slide(study);
  part->over_min = least_force(lift_from(study, 1500, 0.5), lift);
  part->split_min = least_force(lift_from(study, 1500, 0.1), lift);
  for (int i = 0; i < part->trace->event_count; i++) {
    part->touches += part->trace->events[i].kind == FF_EVENT_TOUCH;
  }
  const ff_event *off = ff_trace_event(part->trace, FF_EVENT_LIFT);
  if (off) {
    report_numbers(study, part, off);
  }
  return part;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void report_placing(ff_reproduction *study, const foot_part *part, const ff_event *off) {
  ff_reproduction_judge(study, "foot-tracking",
                        ff_reproduction_text(study, "x = %.10f m at 0.1 s", part->depth_placed),
                        0.1 - part->depth_placed);
  ff_reproduction_judge(
      study, "foot-peak",
      ff_reproduction_text(study, "%.5f N at %.9f s", off->peak_force, off->peak_time),
      off->peak_force / load);
  ff_reproduction_judge(study, "foot-continuous",
                        ff_reproduction_text(study, "%.3f N after 1 µs, %.4f N after 0.1 µs",
                                             part->touch_force[0], part->touch_force[1]),
                        part->touch_force[1] / part->touch_force[0]);
  ff_reproduction_judge(
      study, "foot-stays",
      ff_reproduction_text(study, "%ld touch-down, lift-off at %.9f s", part->touches, off->time),
      (double)part->touches, off->time);
}

static void report_damping(ff_reproduction *study, const foot_part *part, const ff_event *off) {
  ff_reproduction_judge(
      study, "foot-damped",
      ff_reproduction_text(study, "F = %.5f N at 0.6 s, load 1000 N", part->force_loaded),
      fabs(part->force_loaded - load) / (off->peak_force - load));
  const double *r = part->ripple;
  ff_reproduction_judge(study, "foot-alpha",
                        ff_reproduction_text(study,
                                             "ripple after 0.5 s: %.3g, %.3g, %.3g N for α = "
                                             "0.25, 0.5, 1",
                                             r[0], r[1], r[2]),
                        fmax(r[1] / r[0], r[2] / r[1]));
}

static void report_lifting(ff_reproduction *study, const foot_part *part, const ff_event *off) {
  double limit = ff_impact_limit_velocity(0.5);
  ff_reproduction_judge(study, "foot-outward",
                        ff_reproduction_text(study,
                                             "smallest %.2g N; leaves at %.7f m/s, limit %.4f m/s; "
                                             "with half the interval changes are %.3f times as "
                                             "large",
                                             part->force_min, -off->speed, limit, part->lift_jump),
                        part->force_min, off->speed / -limit, part->lift_jump);
  ff_reproduction_judge(study, "foot-outward-limit",
                        ff_reproduction_text(study, "up to %.1f N; %.0f N at a load of 1500 N",
                                             part->load_limit, part->over_min),
                        part->load_limit, part->over_min);
  ff_reproduction_judge(study, "split-no-sticking",
                        ff_reproduction_text(study,
                                             "1500 N lifted: smallest force %.2g N with α_r = "
                                             "0.1, %.0f N with 0.5",
                                             part->split_min, part->over_min),
                        part->split_min);
}

static void report_part(ff_reproduction *study, const void *computed) {
  const foot_part *part = computed;
  static const ff_event never = {0};
  const ff_event *off = ff_trace_event(part->trace, FF_EVENT_LIFT);
  off = off ? off : &never;
  report_placing(study, part, off);
  report_damping(study, part, off);
  report_lifting(study, part, off);
}

/* ---- figure ---------------------------------------------------------------------------------- */

/* Desired motion of the leg: a parabola, nothing while it bears weight, a ramp. */
static void desired(const foot_part *part, double *position, double *velocity) {
  const ff_trace *trace = part->trace;
  double from = rest - trace->channels[HEIGHT][row_at(trace, lift)];
  for (long i = 0; i < trace->rows; i++) {
    double t = trace->time[i];
    bool placing = t <= place, lifting = t >= lift;
    position[i] = placing ? 2 * t - 10 * t * t : lifting ? from - 2 * (t - lift) : (double)NAN;
    velocity[i] = placing ? 2 - 20 * t : lifting ? -2 : (double)NAN;
  }
}

/* Depth and its rate of a run. */
static void depths(const ff_trace *trace, double *depth, double *rate) {
  for (long i = 0; i < trace->rows; i++) {
    depth[i] = rest - trace->channels[HEIGHT][i];
    rate[i] = -trace->channels[SPEED][i];
  }
}

typedef struct curve {
  const char *name;
  ff_curve_style style;
  const double *time, *values;
  long rows, stride;
} curve;

static void show_plot(ff_reproduction *study, const char *title, ff_axis y, const curve *curves,
                      int count) {
  ff_page_plot(study->page, title, (ff_axis){"time", "s", false}, y);
  for (int i = 0; i < count; i++) {
    ff_cloud cloud = {0};
    ff_cloud_add_run(study, &cloud, curves[i].time, curves[i].values, curves[i].rows,
                     curves[i].stride);
    ff_page_curve(study->page, curves[i].name, curves[i].style, cloud.x, cloud.y, cloud.count);
  }
}

/* Replay with two panels, and the energy ledger. */
static void show_replay(ff_reproduction *study, const ff_trace *trace, const char *const *panels) {
  if (trace->run.id > 0) {
    ff_page_replay(study->page, trace->run);
    ff_page_panel(study->page, NULL, &panels[0], 1);
    ff_page_panel(study->page, NULL, &panels[1], 1);
    ff_page_ledger(study->page, trace->run);
  }
}

static void show_slide(ff_reproduction *study, const foot_part *part) {
  double slip = part->round->energy.lost[FF_LOST_SLIP];
  ff_page_section(study->page, "Beyond the paper: a foot that slides");
  ff_page_text(study->page,
               "Tangential effects are future work in Sec. 6. Here the foot comes down while it "
               "still swings forward, with the same normal law and dry friction: it slides, "
               "sticks, is dragged along by the hip until it slides again, and is lifted. Sliding "
               "takes %.2f J, the normal damping %.2f J.",
               slip, part->round->energy.lost[FF_LOST_NORMAL]);
  ff_reproduction_number(study, "foot-sphere.lost_slip", slip, "J");
  show_replay(study, part->round,
              (const char *[]){"contact.foot:ground.force.x", "contact.foot:ground.slip"});
}

static void show_part(ff_reproduction *study, const void *computed) {
  const foot_part *part = computed;
  ff_page *page = study->page;
  long n = part->trace->rows;
  double *x_d = ff_reproduction_alloc(study, n, sizeof *x_d);
  double *v_d = ff_reproduction_alloc(study, n, sizeof *v_d);
  double *x = ff_reproduction_alloc(study, n, sizeof *x);
  double *v = ff_reproduction_alloc(study, n, sizeof *v);
  double *x2 = ff_reproduction_alloc(study, n, sizeof *x2);
  double *v2 = ff_reproduction_alloc(study, n, sizeof *v2);
  const double *t = part->trace->time;
  desired(part, x_d, v_d);
  depths(part->trace, x, v);
  depths(part->check, x2, v2);
  ff_page_section(page, "Foot contact (Fig. 8)");
  ff_page_text(page,
               "m = 25 kg, α = 0.5 s/m, k = 50 kN/m, K_p = 20 kN/m, n = 1; placement until "
               "0.1 s, %g N until 0.6 s, then lift; no gravity. There is no closed form here: "
               "markers are the same scene by fixed steps of the classical Runge–Kutta "
               "method.",
               load);
  show_plot(study, "Fig. 8: position", (ff_axis){"depth of the foot", "m", false},
            (const curve[]){{"desired", FF_CURVE_DASH, t, x_d, n, 1},
                            {"actual", FF_CURVE_LINE, t, x, n, 1},
                            {"fixed steps", FF_CURVE_MARKERS, part->check->time, x2, n, 40}},
            3);
  show_plot(study, "Fig. 8: velocity", (ff_axis){"velocity into the ground", "m/s", false},
            (const curve[]){{"desired", FF_CURVE_DASH, t, v_d, n, 1},
                            {"actual", FF_CURVE_LINE, t, v, n, 1},
                            {"fixed steps", FF_CURVE_MARKERS, part->check->time, v2, n, 40}},
            3);
  show_plot(study, "Fig. 8: ground force", (ff_axis){"force on the foot", "N", false},
            (const curve[]){{"ground", FF_CURVE_LINE, t, part->trace->channels[GROUND], n, 1},
                            {"fixed steps", FF_CURVE_MARKERS, part->check->time,
                             part->check->channels[GROUND], n, 40}},
            2);
  show_replay(study, part->trace,
              (const char *[]){"contact.foot:ground.force.n", "contact.foot:ground.depth"});
  show_slide(study, part);
}

const ff_paper_part marhefka_foot = {
    .compute = compute_part, .report = report_part, .show = show_part};
