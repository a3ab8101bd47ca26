/* Example 1, Figs. 4 and 5: a disc falls on a layer, with or without reaching the core. */
#include "chakraborty.h"

#include <math.h>
#include <stdlib.h>

enum { HEIGHT, SPEED, DEPTH, FORCE, KINETIC, GRAVITY, SPRING, CHANNELS };
enum { STEPS = 4 };

static const double core_at = 0.05, no_core = 1, stiffness = 1000;

typedef struct drop_part {
  fall_part fall;
  double *energy;           /* J, at each sample */
  double end, lost, growth; /* J: at the end; in one step at most; gained in one step at most */
  double speed_after;       /* m/s, largest after the core was hit, within it */
} drop_part;

typedef struct disc_part {
  drop_part core, free;
  double step[STEPS], deepest[STEPS], end[STEPS], error[STEPS]; /* error: of the height, m */
  const ff_trace *replay;
} disc_part;

static const char *const channels[CHANNELS] = {
    "body.disc.position.z",       "body.disc.velocity.z", "contact.disc:floor.depth",
    "contact.disc:floor.force.n", "energy.kinetic",       "energy.gravity",
    "energy.spring.normal"};

static const ff_trace *run(ff_reproduction *study, double max_deflection, double step, long samples,
                           bool replay) {
  const char *const set[] = {
      ff_reproduction_text(study, "contacts.0.normal.max_deflection=%.17g", max_deflection),
      ff_reproduction_text(study, "stepper.step=%.17g", step)};
  return ff_reproduction_run(study, &(ff_trial){.scene = "scenes/disc-on-layer.yaml",
                                                .set = set,
                                                .set_count = 2,
                                                .channels = channels,
                                                .channel_count = CHANNELS,
                                                .samples = samples,
                                                .replay = replay});
}

static drop_part take(ff_reproduction *study, double max_deflection, double step) {
  drop_part out = {
      .fall = {.trace = run(study, max_deflection, step, lround(1 / step) + 1, false)}};
  const ff_trace *trace = out.fall.trace;
  const double *const *c = trace->channels;
  fall_take_apart(study, &out.fall, c[DEPTH], c[FORCE], stiffness, 0);
  out.energy = ff_reproduction_alloc(study, trace->rows, sizeof *out.energy);
  for (long i = 0; i < trace->rows; i++) {
    out.energy[i] = c[KINETIC][i] + c[GRAVITY][i] + c[SPRING][i];
    if (i > 0 && out.fall.core[i] == 0) {
      out.lost = fmax(out.lost, out.energy[i - 1] - out.energy[i]);
      out.growth = fmax(out.growth, out.energy[i] - out.energy[i - 1]);
    }
    if (fabs(trace->time[i] - out.fall.after) < 0.5 * step) {
      out.speed_after = fabs(c[SPEED][i]);
    }
  }
  out.end = out.energy[trace->rows - 1];
  return out;
}

/* Largest error of the height against the exact motion. */
static double height_error(const ff_trace *trace, double max_deflection) {
  double worst = 0;
  for (long i = 0; i < trace->rows; i++) {
    double exact = exact_disc_at(max_deflection, trace->time[i]).height;
    worst = fmax(worst, fabs(trace->channels[HEIGHT][i] - exact));
  }
  return worst;
}

static void *compute_part(ff_reproduction *study) {
  solver_part *solver = ff_reproduction_part(study, &chakraborty_solver);
  disc_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  part->core = take(study, core_at, 1e-4);
  part->free = take(study, no_core, 1e-4);
  part->replay = run(study, core_at, 1e-4, 1001, true);
  for (int i = 0; i < STEPS; i++) {
    part->step[i] = 4e-4 / (1 << i);
    drop_part other = take(study, no_core, part->step[i]);
    part->deepest[i] = other.fall.deepest;
    part->end[i] = other.end;
    part->error[i] = height_error(other.fall.trace, no_core);
  }
  double impulse;
  solver_note(solver, "example 1, core", part->core.fall.trace);
  solver_note(solver, "example 1, no core", part->free.fall.trace);
  ff_reproduction_number(study, "disc.touch", part->core.fall.touch, "s");
  ff_reproduction_number(study, "disc.core_time", part->core.fall.core_time, "s");
  ff_reproduction_number(study, "disc.core_impulse", part->core.fall.core_impulse, "N s");
  ff_reproduction_number(study, "disc.exact_core_time", exact_disc_core(core_at, &impulse), "s");
  ff_reproduction_number(study, "disc.exact_core_impulse", impulse, "N s");
  ff_reproduction_number(study, "disc.exact_energy_after", exact_disc_at(core_at, 0.336).energy,
                         "J");
  ff_reproduction_number(study, "disc.deepest", part->free.fall.deepest, "m");
  ff_reproduction_number(study, "disc.exact_deepest", exact_disc_deepest(), "m");
  ff_reproduction_number(study, "disc.energy_end", part->free.end, "J");
  return part;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void report_core(ff_reproduction *study, const disc_part *part) {
  const fall_part *fall = &part->core.fall;
  double impulse, exact = exact_disc_core(core_at, &impulse);
  ff_reproduction_find(
      study, &(ff_outcome){.key = "core-time",
                           .claim = "The disc hits the rigid core at about 0.34 s",
                           .source = "Fig. 4(a)",
                           .paper = "about 0.34 s",
                           .found = ff_reproduction_text(study, "%.4f s; exact %.5f s",
                                                         fall->core_time, exact),
                           .value = fall->core_time,
                           .unit = "s",
                           .verdict = ff_verdict_of(fabs(fall->core_time - 0.34) < 5e-3)});
  double share = fall->core_impulse / impulse - 1;
  ff_reproduction_find(
      study,
      &(ff_outcome){.key = "core-impulse",
                    .claim = "The core's impulse is that of the continuous motion, to first order",
                    .source = "Fig. 4(a)",
                    .paper = "large impulse",
                    .found = ff_reproduction_text(study, "%.4f N s; exact %.4f N s, %.1f %% off",
                                                  fall->core_impulse, impulse, 100 * share),
                    .value = fall->core_impulse,
                    .unit = "N s",
                    .verdict = ff_verdict_of(fabs(share) < 0.01)});
  ff_reproduction_find(
      study, &(ff_outcome){.key = "core-stops",
                           .claim = "The core takes all speed at once",
                           .source = "Fig. 4(d)",
                           .paper = "velocity drops to zero",
                           .found = ff_reproduction_text(
                               study, "%.3g m/s left after %.0f steps", part->core.speed_after,
                               1 + round((fall->after - fall->core_time) / fall->step)),
                           .value = part->core.speed_after,
                           .unit = "m/s",
                           .verdict = ff_verdict_of(part->core.speed_after < 1e-6)});
}

static void report_energy(ff_reproduction *study, const disc_part *part) {
  double after = exact_disc_at(core_at, 0.336).energy, found = 0;
  const ff_trace *trace = part->core.fall.trace;
  for (long i = 0; i < trace->rows; i++) {
    found = trace->time[i] < part->core.fall.after + 1e-6 ? part->core.energy[i] : found;
  }
  ff_reproduction_number(study, "disc.energy_after", found, "J");
  ff_reproduction_find(
      study, &(ff_outcome){.key = "energy-after",
                           .claim = "The impact with the core loses energy",
                           .source = "Fig. 4(e)",
                           .paper = "loss of energy",
                           .found = ff_reproduction_text(
                               study, "%.4f J of 14.715 J are left; exact %.4f J", found, after),
                           .value = found,
                           .unit = "J",
                           .verdict = ff_verdict_of(fabs(found - after) < 1e-3)});
  double lost = fmax(part->core.lost, part->free.lost);
  double growth = fmax(part->core.growth, part->free.growth);
  ff_reproduction_find(
      study, &(ff_outcome){
                 .key = "euler-loss",
                 .claim = "Otherwise a step of 0.1 ms loses about 1e-5 J, and gains none",
                 .source = "Figs. 4(e), 5(a)",
                 .paper = "of the order 1e-5 J",
                 .found = ff_reproduction_text(study, "at most %.2g J, gains %.1g J", lost, growth),
                 .value = lost,
                 .unit = "J",
                 .verdict = ff_verdict_of(lost > 1e-6 && lost < 1e-4 && growth < 1e-10)});
}

static void report_free(ff_reproduction *study, const disc_part *part) {
  const fall_part *fall = &part->free.fall;
  ff_reproduction_find(study,
                       &(ff_outcome){.key = "no-core",
                                     .claim = "With 1 m of layer the spring bears everything",
                                     .source = "Fig. 5(b)",
                                     .paper = "no force of the core",
                                     .found = ff_reproduction_text(study, "%g N", fall->core_peak),
                                     .value = fall->core_peak,
                                     .unit = "N",
                                     .verdict = ff_verdict_of(fall->core_peak == 0)});
  double order = log2(part->error[STEPS - 2] / part->error[STEPS - 1]);
  ff_reproduction_find(
      study, &(ff_outcome){.key = "order",
                           .claim = "The method is of first order",
                           .source = "Sec. Time-stepping formulation",
                           .paper = "Euler approximation",
                           .found = ff_reproduction_text(study,
                                                         "order %.2f against the exact motion from "
                                                         "%.2g to %.2g s",
                                                         order, part->step[STEPS - 2],
                                                         part->step[STEPS - 1]),
                           .value = order,
                           .unit = "1",
                           .verdict = ff_verdict_of(fabs(order - 1) < 0.1)});
}

static void report_part(ff_reproduction *study, const void *computed) {
  const disc_part *part = computed;
  report_core(study, part);
  report_energy(study, part);
  report_free(study, part);
}

/* ---- figures --------------------------------------------------------------------------------- */

typedef enum exact_what { EXACT_HEIGHT, EXACT_SPEED, EXACT_FORCE, EXACT_ENERGY } exact_what;

static void add_exact(ff_reproduction *study, double max_deflection, exact_what what) {
  enum { POINTS = 2001 };
  double *t = ff_reproduction_alloc(study, POINTS, sizeof *t);
  double *value = ff_reproduction_alloc(study, POINTS, sizeof *value);
  for (int i = 0; i < POINTS; i++) {
    t[i] = i / (POINTS - 1.0);
    exact_disc at = exact_disc_at(max_deflection, t[i]);
    const double all[] = {at.height, at.speed, at.force, at.energy};
    value[i] = all[what];
  }
  ff_page_curve(study->page, "exact", FF_CURVE_DASH, t, value, POINTS);
}

static void show_drop(ff_reproduction *study, const drop_part *drop, double max_deflection,
                      const char *const *titles) {
  const fall_part *fall = &drop->fall;
  const double *const *c = fall->trace->channels;
  ff_axis time = {"time", "s", false};
  if (fall->core_peak > 0) {
    ff_page_plot(study->page, titles[0], time, (ff_axis){"force of the core", "N", false});
    fall_curve(study, fall, "simulated", fall->core);
  }
  const struct {
    const char *title;
    ff_axis axis;
    const double *values;
    exact_what what;
  } plots[] = {{titles[1], {"force of the layer", "N", false}, fall->spring, EXACT_FORCE},
               {titles[2], {"height of the centre", "m", false}, c[HEIGHT], EXACT_HEIGHT},
               {titles[3], {"vertical velocity", "m/s", false}, c[SPEED], EXACT_SPEED},
               {titles[4], {"energy", "J", false}, drop->energy, EXACT_ENERGY}};
  for (size_t i = 0; i < sizeof plots / sizeof *plots; i++) {
    ff_page_plot(study->page, plots[i].title, time, plots[i].axis);
    fall_curve(study, fall, "simulated", plots[i].values);
    add_exact(study, max_deflection, plots[i].what);
  }
}

static void show_steps(ff_reproduction *study, const disc_part *part) {
  static const char *const columns[] = {"step (s)", "deepest (m)", "energy at 1 s (J)",
                                        "error of the height (m)"};
  ff_reproduction_table(
      study, "Example 1 without core, steps of several sizes against the exact motion", columns, 4);
  for (int i = 0; i < STEPS; i++) {
    const char *const cells[] = {ff_reproduction_text(study, "%.2g", part->step[i]),
                                 ff_reproduction_text(study, "%.6f", part->deepest[i]),
                                 ff_reproduction_text(study, "%.4f", part->end[i]),
                                 ff_reproduction_text(study, "%.2g", part->error[i])};
    ff_reproduction_row(study, cells);
  }
  const char *const cells[] = {
      "exact", ff_reproduction_text(study, "%.6f", exact_disc_deepest()),
      ff_reproduction_text(study, "%.4f", exact_disc_at(no_core, 1).energy), "0"};
  ff_reproduction_row(study, cells);
}

static void show_part(ff_reproduction *study, const void *computed) {
  const disc_part *part = computed;
  static const char *const core[] = {"Fig. 4(a): non-penetration force", "Fig. 4(b): spring force",
                                     "Fig. 4(c): position", "Fig. 4(d): velocity",
                                     "Fig. 4(e): energy"};
  static const char *const no[] = {"", "Fig. 5(b): spring force", "Fig. 5(c): position",
                                   "Fig. 5(d): velocity", "Fig. 5(a): energy"};
  ff_page_section(study->page, "Fig. 4: a disc that hits the rigid core");
  show_drop(study, &part->core, core_at, core);
  if (part->replay->run.id > 0) {
    ff_page_replay(study->page, part->replay->run);
  }
  ff_page_section(study->page, "Fig. 5: the core out of reach");
  show_drop(study, &part->free, no_core, no);
  ff_page_text(
      study->page,
      "Backward Euler is dissipative: the energy missing at the end was lost step by step. "
      "The exact motion alternates between free flight and a harmonic oscillation.");
  show_steps(study, part);
}

const ff_paper_part chakraborty_disc = {
    .compute = compute_part, .report = report_part, .show = show_part};
