/* Example 2, Figs. 6 and 7: a spinning ellipsoid falls on a layer.
 *
 * K is printed as diag(36000, 8000, 8000). In the order n, t, o of eq. 14 the normal stiffness is
 * 36000 N/m; in the order x, y, z of the half-plane z < 0 it is 8000 N/m. Both are run. */
#include "chakraborty.h"

#include <math.h>
#include <string.h>

enum {
  HEIGHT,
  VELOCITY_X,
  VELOCITY_Y,
  VELOCITY_Z,
  OMEGA_X,
  OMEGA_Y,
  OMEGA_Z,
  DEPTH,
  FORCE_N,
  FORCE_T1,
  FORCE_T2,
  MODE,
  KINETIC,
  GRAVITY,
  SPRING,
  LOST_NORMAL,
  LOST_SLIP,
  LOST_SPIN,
  LOST_IMPACT,
  QUATERNION,
  CHANNELS = QUATERNION + 4
};

enum { FLAT, TILTED, FLAT_SOFT, TILTED_SOFT, CASES };

static const double g = 9.81, mass = 1, layer = 0.005, mu = 0.4, e_r = 0.04;
static const double stiff = 36000, soft = 8000;

typedef struct throw_part {
  const char *name, *key;
  double k, k_tangent;
  bool tilted;
  fall_part fall;
  double *energy;                 /* J, of body and layer */
  double *deflection[3];          /* m: n, t, o */
  double sticks;                  /* s, no slip from then on; NAN: never */
  double spin_before, spin_after; /* rad/s, about z, around the core's impulse */
  double turning;                 /* rad/s, largest about x or y */
  double spin_off;                /* rad/s, change of the angular velocity before the touch */
  double removed;                 /* share of the energy that is gone 0.05 s after the touch */
  double torsion;                 /* share of torsional friction in what is lost from then on */
  double distance_off;            /* m, depth against the closed form of the distance */
  double rest, force_end;         /* m, N, at the end */
} throw_part;

typedef struct ellipsoid_part {
  throw_part throws[CASES];
  double softest, softest_exact; /* N/m: below it the core is reached, flat */
  const ff_trace *replays[2];
} ellipsoid_part;

/* ---- runs ------------------------------------------------------------------------------------ */

/* Samples at the end of every n-th step, n = every. */
static const ff_trace *run(ff_reproduction *study, double k, bool tilted, double until, long every,
                           bool replay) {
  double step = ff_reproduction_step(study, CHAKRABORTY_STEP);
  long steps = lround(floor(until / step / (double)every * (1 + 1e-9)));
  static const char *const channels[CHANNELS] = {"body.ellipsoid.position.z",
                                                 "body.ellipsoid.velocity.x",
                                                 "body.ellipsoid.velocity.y",
                                                 "body.ellipsoid.velocity.z",
                                                 "body.ellipsoid.omega.x",
                                                 "body.ellipsoid.omega.y",
                                                 "body.ellipsoid.omega.z",
                                                 "contact.ellipsoid:floor.depth",
                                                 "contact.ellipsoid:floor.force.n",
                                                 "contact.ellipsoid:floor.force.t1",
                                                 "contact.ellipsoid:floor.force.t2",
                                                 "contact.ellipsoid:floor.mode",
                                                 "energy.kinetic",
                                                 "energy.gravity",
                                                 "energy.spring.normal",
                                                 "energy.lost.normal",
                                                 "energy.lost.slip",
                                                 "energy.lost.spin",
                                                 "energy.lost.impact",
                                                 "body.ellipsoid.orientation.w",
                                                 "body.ellipsoid.orientation.x",
                                                 "body.ellipsoid.orientation.y",
                                                 "body.ellipsoid.orientation.z"};
  const char *const set[] = {
      ff_reproduction_text(study, "contacts.0.normal.k=%.17g", k),
      ff_reproduction_text(study, "contacts.0.normal.c=%.17g", 2 * sqrt(k)),
      ff_reproduction_text(study, "duration=%.17g", until),
      tilted ? "bodies.ellipsoid.orientation=[0.9962, 0, 0.0872, 0]"
             : "bodies.ellipsoid.orientation=[1, 0, 0, 0]",
      ff_reproduction_text(study, "stepper={kind: quasi-rigid, order: 1, step: %.17g}", step)};
  return ff_reproduction_run(study, &(ff_trial){.scene = "scenes/spinning-ellipsoid.yaml",
                                                .set = set,
                                                .set_count = 5,
                                                .as_given = true,
                                                .channels = channels,
                                                .channel_count = CHANNELS,
                                                .span = (double)(steps * every) * step,
                                                .samples = steps + 1,
                                                .replay = replay});
}

/* Deflection by eq. 14, p = h K delta + C (delta - delta before): an output of friction. */
static double *deflect(ff_reproduction *study, const fall_part *fall, const double *force,
                       double k) {
  double *out = ff_reproduction_alloc(study, fall->trace->rows, sizeof *out);
  double c = 2 * sqrt(k), h = fall->step;
  for (long i = 1; i < fall->trace->rows; i++) {
    out[i] = (h * force[i] + c * out[i - 1]) / (h * k + c);
  }
  return out;
}

/* Depth of an ellipsoid below z = 0 in closed form: |S R' z| - height of the centre. */
static double closed_depth(const ff_trace *trace, long i) {
  const double *const *c = trace->channels;
  double w = c[QUATERNION][i], x = c[QUATERNION + 1][i], y = c[QUATERNION + 2][i];
  double z = c[QUATERNION + 3][i];
  double up[3] = {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
  return hypot(hypot(0.25 * up[0], 0.005 * up[1]), 0.005 * up[2]) - c[HEIGHT][i];
}

static void look(throw_part *out) {
  const ff_trace *trace = out->fall.trace;
  const double *const *c = trace->channels;
  long last = trace->rows - 1, since = 0;
  for (long i = 0; i <= last; i++) {
    double off = hypot(hypot(c[OMEGA_X][i], c[OMEGA_Y][i]), c[OMEGA_Z][i] - c[OMEGA_Z][0]);
    out->spin_off = trace->time[i] < out->fall.touch ? fmax(out->spin_off, off) : out->spin_off;
    out->distance_off = c[FORCE_N][i] > 0
                            ? fmax(out->distance_off, fabs(closed_depth(trace, i) - c[DEPTH][i]))
                            : out->distance_off;
    out->energy[i] = c[KINETIC][i] + c[GRAVITY][i] + c[SPRING][i];
    out->turning = fmax(out->turning, fmax(fabs(c[OMEGA_X][i]), fabs(c[OMEGA_Y][i])));
    since = c[MODE][i] == FF_STICK ? since : i;
    if (fabs(trace->time[i] - out->fall.core_time) < 0.5 * out->fall.step) {
      out->spin_before = c[OMEGA_Z][i - 1];
    }
    if (fabs(trace->time[i] - out->fall.after) < 0.5 * out->fall.step) {
      out->spin_after = c[OMEGA_Z][i];
    }
  }
  long after = lround((out->fall.touch + 0.05) / out->fall.step);
  out->removed = 1 - out->energy[after] / out->energy[0];
  out->torsion =
      (c[LOST_SPIN][last] - c[LOST_SPIN][after]) / (out->energy[after] - out->energy[last]);
  out->sticks = since < last ? trace->time[since + 1] : NAN;
  out->rest = c[HEIGHT][last];
  out->force_end = c[FORCE_N][last];
}

static void throw_one(ff_reproduction *study, solver_part *solver, throw_part *out) {
  out->fall.trace = run(study, out->k, out->tilted, 1, 1, false);
  const double *const *c = out->fall.trace->channels;
  fall_take_apart(study, &out->fall, c[DEPTH], c[FORCE_N], out->k, 2 * sqrt(out->k));
  out->energy = ff_reproduction_alloc(study, out->fall.trace->rows, sizeof *out->energy);
  out->deflection[0] = (double *)c[DEPTH];
  out->deflection[1] = deflect(study, &out->fall, c[FORCE_T1], out->k_tangent);
  out->deflection[2] = deflect(study, &out->fall, c[FORCE_T2], out->k_tangent);
  look(out);
  solver_note(solver, out->name, out->fall.trace);
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.touch", out->key), out->fall.touch,
                         "s");
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.deepest", out->key),
                         out->fall.deepest, "m");
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.peak", out->key), out->fall.peak,
                         "N");
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.core_impulse", out->key),
                         out->fall.core_impulse, "N s");
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.core_time", out->key),
                         out->fall.core_time, "s");
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.sticks", out->key), out->sticks,
                         "s");
  ff_reproduction_number(study, ff_reproduction_text(study, "%s.rest", out->key), out->rest, "m");
}

/* ---- condition for reaching the core --------------------------------------------------------- */

/* Deepest point of a critically damped fall at speed v: depth'' + 2 w depth' + w^2 depth = g. */
static double damped_depth(double w, double v) {
  double a = g / (w * w), best = 0;
  for (int i = 1; i <= 4000; i++) {
    double t = i * 5e-3 / w, fade = exp(-w * t);
    best = fmax(best, a * (1 - fade * (1 + w * t)) + v * t * fade);
  }
  return best;
}

static double exact_softest(void) {
  double low = soft, high = stiff, v = sqrt(2 * g * (0.15 - 0.005));
  for (int i = 0; i < 60; i++) {
    double k = 0.5 * (low + high);
    *(damped_depth(sqrt(k / mass), v) > layer ? &low : &high) = k;
  }
  return 0.5 * (low + high);
}

static double simulated_softest(ff_reproduction *study) {
  double low = soft, high = stiff;
  while (high - low > 50) {
    double k = 0.5 * (low + high), deepest = 0;
    const ff_trace *trace = run(study, k, false, 0.2, 1, false);
    for (long i = 0; i < trace->rows; i++) {
      deepest = fmax(deepest, trace->channels[DEPTH][i]);
    }
    *(deepest > layer * (1 - 1e-6) ? &low : &high) = k;
  }
  return 0.5 * (low + high);
}

static void *compute_part(ff_reproduction *study) {
  solver_part *solver = ff_reproduction_part(study, &chakraborty_solver);
  ellipsoid_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  static const throw_part cases[CASES] = {
      [FLAT] = {.name = "example 2, flat, K = 36000", .key = "flat", .k = 36000, .k_tangent = 8000},
      [TILTED] = {.name = "example 2, tilted, K = 36000",
                  .key = "tilted",
                  .k = 36000,
                  .k_tangent = 8000,
                  .tilted = true},
      [FLAT_SOFT] = {.name = "example 2, flat, K = 8000",
                     .key = "flat_soft",
                     .k = 8000,
                     .k_tangent = 8000},
      [TILTED_SOFT] = {.name = "example 2, tilted, K = 8000",
                       .key = "tilted_soft",
                       .k = 8000,
                       .k_tangent = 8000,
                       .tilted = true}};
  memcpy(part->throws, cases, sizeof cases);
  for (int i = 0; i < CASES; i++) {
    throw_one(study, solver, &part->throws[i]);
  }
  part->softest = simulated_softest(study);
  part->softest_exact = exact_softest();
  part->replays[0] = run(study, soft, false, 1, 10, true);
  part->replays[1] = run(study, soft, true, 1, 10, true);
  ff_reproduction_number(study, "flat.softest", part->softest, "N/m");
  ff_reproduction_number(study, "flat.exact_softest", part->softest_exact, "N/m");
  return part;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void report_core(ff_reproduction *study, const throw_part *it, const char *key) {
  const fall_part *fall = &it->fall;
  bool hits = fall->core_impulse > 0;
  const char *found =
      hits ? ff_reproduction_text(study, "%.3f N s at %.4f s", fall->core_impulse, fall->core_time)
           : ff_reproduction_text(study, "none: deepest %.3f mm of 5 mm", 1e3 * fall->deepest);
  ff_reproduction_judge(study, key, found, fall->core_impulse,
                        hits ? fall->core_time : (double)INFINITY);
}

static void report_cores(ff_reproduction *study, const ellipsoid_part *part) {
  report_core(study, &part->throws[FLAT], "flat-core");
  report_core(study, &part->throws[FLAT_SOFT], "flat-core-soft");
  report_core(study, &part->throws[TILTED], "tilted-core");
  report_core(study, &part->throws[TILTED_SOFT], "tilted-core-soft");
  ff_reproduction_judge(study, "core-needs",
                        ff_reproduction_text(study, "K_nn < %.0f N/m; continuous motion: %.0f N/m",
                                             part->softest, part->softest_exact),
                        fabs(part->softest / part->softest_exact - 1), part->softest);
}

static void report_flat(ff_reproduction *study, const throw_part *it, const throw_part *hard) {
  double drop = it->spin_before - it->spin_after, step = it->fall.step;
  double steps = 1 + round((it->fall.after - it->fall.core_time) / step);
  const double inertia = 0.2 * mass * (0.25 * 0.25 + 0.005 * 0.005); /* about z */
  double sliding =
      mu * e_r * mass * g * step / inertia; /* rad/s, loss of a step under its weight */
  ff_reproduction_judge(study, "falling-spin",
                        ff_reproduction_text(study, "changes by at most %.1g rad/s",
                                             fmax(it->spin_off, hard->spin_off)),
                        fmax(it->spin_off, hard->spin_off));
  ff_reproduction_judge(study, "impact-energy",
                        ff_reproduction_text(study, "%.0f %% (K_nn = 36000 N/m), %.0f %% (8000)",
                                             100 * hard->removed, 100 * it->removed),
                        fmin(hard->removed, it->removed));
  ff_reproduction_judge(study, "spin-drop",
                        ff_reproduction_text(study,
                                             "%.3f to %.3f rad/s in %.0f steps (K_nn = 8000)",
                                             it->spin_before, it->spin_after, steps),
                        drop / (steps * sliding), steps);
  /* Up to any time t the impulse of the floor is m g t, for any layer, and friction's angular
   * impulse mu e_r times that. */
  double exact = inertia * 5 / (mu * e_r * mass * g);
  ff_reproduction_number(study, "flat.exact_sticks", exact, "s");
  for (int i = 0; i < 2; i++) {
    const throw_part *one = i == 0 ? hard : it;
    ff_reproduction_judge(study, i == 0 ? "sticks" : "sticks-soft",
                          ff_reproduction_text(study, "%.4f s; exact %.5f s", one->sticks, exact),
                          one->sticks, fabs(one->sticks - exact) / step);
  }
  ff_reproduction_judge(study, "spin-friction",
                        ff_reproduction_text(study, "%.3f (K_nn = 36000 N/m), %.3f (8000)",
                                             hard->torsion, it->torsion),
                        fmin(hard->torsion, it->torsion));
  ff_reproduction_judge(study, "rest",
                        ff_reproduction_text(study, "%.6f N of %.6f N, at %.7f m", hard->force_end,
                                             mass * g, hard->rest),
                        fabs(hard->force_end / (mass * g) - 1));
}

static void report_tilted(ff_reproduction *study, const ellipsoid_part *part) {
  const throw_part *it = &part->throws[TILTED_SOFT], *hard = &part->throws[TILTED];
  ff_reproduction_judge(
      study, "turning",
      ff_reproduction_text(study, "up to %.3g and %.3g rad/s", hard->turning, it->turning),
      fmin(it->turning, hard->turning));
  ff_reproduction_judge(
      study, "rolls", ff_reproduction_text(study, "rolls from %.4f s", hard->sticks), hard->sticks);
  ff_reproduction_judge(study, "rolls-soft",
                        ff_reproduction_text(study, "rolls from %.4f s", it->sticks), it->sticks);
  double ends = fmax(hard->sticks, it->sticks);
  bool both = !isnan(hard->sticks + it->sticks);
  ff_reproduction_judge(study, "rolls-on",
                        ff_reproduction_text(study, "no slip from %.4f s to 1 s", ends),
                        both ? ends : (double)INFINITY);
}

static void report_part(ff_reproduction *study, const void *computed) {
  const ellipsoid_part *part = computed;
  report_cores(study, part);
  report_flat(study, &part->throws[FLAT_SOFT], &part->throws[FLAT]);
  report_tilted(study, part);
  double deepest = 0, off = 0;
  for (int i = 0; i < CASES; i++) {
    deepest = fmax(deepest, part->throws[i].fall.trace->audit.contact.penetration);
    off = fmax(off, part->throws[i].distance_off);
  }
  ff_reproduction_judge(study, "no-penetration",
                        ff_reproduction_text(study, "at most %.1g m, by the audit", deepest),
                        deepest);
  ff_reproduction_judge(study, "closed-form",
                        ff_reproduction_text(study, "√(n'S²n) − h agrees to %.1g m", off), off);
}

/* ---- figures --------------------------------------------------------------------------------- */

enum { FORCES = 4 };

static void list_forces(const throw_part *it, const double *out[FORCES]) {
  out[0] = it->fall.spring;
  out[1] = it->fall.core;
  out[2] = it->fall.trace->channels[FORCE_T1];
  out[3] = it->fall.trace->channels[FORCE_T2];
}

static const char *const force_names[FORCES] = {"layer", "core", "friction t", "friction o"};

/* Clipped like the paper's plots, so that weight and friction are visible; and the impact in full.
 */
static void show_force(ff_reproduction *study, const throw_part *it, const char *title, double low,
                       double high) {
  const ff_trace *trace = it->fall.trace;
  const double *forces[FORCES];
  ff_axis time = {"time", "s", false}, axis = {"force", "N", false};
  list_forces(it, forces);
  ff_page_plot(study->page,
               ff_reproduction_text(study, "%s, cut at %.0f N and %.0f N", title, low, high), time,
               axis);
  for (int k = 0; k < FORCES; k++) {
    double *cut = ff_reproduction_alloc(study, trace->rows, sizeof *cut);
    for (long i = 0; i < trace->rows; i++) {
      cut[i] = fmin(fmax(forces[k][i], low), high);
    }
    fall_curve(study, &it->fall, force_names[k], cut);
  }
  long first = lround((it->fall.touch - 5e-3) / it->fall.step), rows = 400;
  ff_page_plot(study->page, ff_reproduction_text(study, "%s, the impact in full", title), time,
               axis);
  for (int k = 0; k < FORCES; k++) {
    ff_page_curve(study->page, force_names[k], FF_CURVE_LINE, trace->time + first,
                  forces[k] + first, rows);
  }
}

static void show_energy(ff_reproduction *study, const throw_part *it, const char *title) {
  const double *const *c = it->fall.trace->channels;
  ff_page_plot(study->page, title, (ff_axis){"time", "s", false}, (ff_axis){"energy", "J", false});
  fall_curve(study, &it->fall, "body and layer", it->energy);
  fall_curve(study, &it->fall, "kinetic", c[KINETIC]);
  fall_curve(study, &it->fall, "lost in the layer", c[LOST_NORMAL]);
  fall_curve(study, &it->fall, "lost to the core", c[LOST_IMPACT]);
  fall_curve(study, &it->fall, "lost by slip", c[LOST_SLIP]);
  fall_curve(study, &it->fall, "lost by spin", c[LOST_SPIN]);
}

static void show_motion(ff_reproduction *study, const throw_part *it, const char *position,
                        const char *linear, const char *angular) {
  const double *const *c = it->fall.trace->channels;
  ff_axis time = {"time", "s", false};
  ff_page_plot(study->page, position, time, (ff_axis){"height of the centre", "m", false});
  fall_curve(study, &it->fall, "simulated", c[HEIGHT]);
  ff_page_plot(study->page, linear, time, (ff_axis){"velocity", "m/s", false});
  static const char *const axes[] = {"x", "y", "z"};
  for (int i = 0; i < 3; i++) {
    fall_curve(study, &it->fall, axes[i], c[VELOCITY_X + i]);
  }
  ff_page_plot(study->page, angular, time, (ff_axis){"angular velocity", "rad/s", false});
  for (int i = 0; i < 3; i++) {
    fall_curve(study, &it->fall, axes[i], c[OMEGA_X + i]);
  }
}

static void show_deflection(ff_reproduction *study, const throw_part *it) {
  static const char *const names[] = {"normal", "t", "o"};
  ff_page_plot(study->page, "Fig. 7(d): spring displacements", (ff_axis){"time", "s", false},
               (ff_axis){"deflection", "m", false});
  for (int i = 0; i < 3; i++) {
    fall_curve(study, &it->fall, names[i], it->deflection[i]);
  }
}

static void show_flat(ff_reproduction *study, const throw_part *it, const char *heading) {
  ff_page_section(study->page, heading);
  show_energy(study, it, "Fig. 6(a): energy");
  show_force(study, it, "Fig. 6(b): forces", -25, 100);
  show_motion(study, it, "Fig. 6(c): position", "Fig. 6(d): velocity",
              "Fig. 6(d): angular velocity");
}

static void show_tilted(ff_reproduction *study, const throw_part *it, const char *heading) {
  ff_page_section(study->page, heading);
  show_force(study, it, "Fig. 7(a): forces", -100, 100);
  show_motion(study, it, "Fig. 7(b): position", "Fig. 7(c): velocity",
              "Fig. 7(c): angular velocity");
  show_deflection(study, it);
  show_energy(study, it, "Fig. 7(e): energy");
}

static void show_part(ff_reproduction *study, const void *computed) {
  const ellipsoid_part *part = computed;
  show_flat(study, &part->throws[FLAT_SOFT], "Fig. 6: ellipsoid, flat, K_nn = 8000 N/m");
  ff_page_text(study->page, "The impulse of the core is shown as force over the steps that bear "
                            "it.");
  if (part->replays[0]->run.id > 0) {
    ff_page_replay(study->page, part->replays[0]->run);
    ff_page_ledger(study->page, part->replays[0]->run);
  }
  show_flat(study, &part->throws[FLAT], "Fig. 6 with K_nn = 36000 N/m, as printed");
  show_tilted(study, &part->throws[TILTED_SOFT], "Fig. 7: ellipsoid, tilted, K_nn = 8000 N/m");
  ff_page_text(study->page, "Tangential displacements are outputs of eq. 14: they follow from the "
                            "friction impulses and have no feedback.");
  if (part->replays[1]->run.id > 0) {
    ff_page_replay(study->page, part->replays[1]->run);
  }
  show_tilted(study, &part->throws[TILTED], "Fig. 7 with K_nn = 36000 N/m, as printed");
}

const ff_paper_part chakraborty_ellipsoid = {
    .compute = compute_part, .report = report_part, .show = show_part};
