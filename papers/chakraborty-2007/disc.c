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
  double first_turn;        /* s, end of the first fall into the layer */
  double end, lost, growth; /* J: at the end; in one step at most; gained in one step at most */
  double speed_after;       /* m/s, largest after the core was hit, within it */
  double energy_after;      /* J, there */
  double leak;              /* J, mean loss of a step from there to the end */
  int turns;                /* changes of the direction of motion from there on */
} drop_part;

typedef struct disc_part {
  drop_part core, free;
  double step[STEPS], deepest[STEPS], end[STEPS], error[STEPS]; /* error: of the height, m */
  const ff_trace *replay;
  ff_smoothness smooth;       /* of the speed without core */
  ff_smoothness smooth_after; /* of the speed after the impact with the core */
} disc_part;

static const char *const channels[CHANNELS] = {
    "body.disc.position.z",       "body.disc.velocity.z", "contact.disc:floor.depth",
    "contact.disc:floor.force.n", "energy.kinetic",       "energy.gravity",
    "energy.spring.normal"};

/* span: s, 0: to the end. */
static const ff_trace *run(ff_reproduction *study, double max_deflection, double step, double span,
                           long samples, bool replay) {
  const char *const set[] = {
      ff_reproduction_text(study, "contacts.0.normal.max_deflection=%.17g", max_deflection),
      ff_reproduction_text(study, "stepper={kind: quasi-rigid, order: 1, step: %.17g}", step)};
  return ff_reproduction_run(study, &(ff_trial){.scene = "scenes/disc-on-layer.yaml",
                                                .set = set,
                                                .set_count = 2,
                                                .as_given = true,
                                                .span = span,
                                                .channels = channels,
                                                .channel_count = CHANNELS,
                                                .samples = samples,
                                                .replay = replay});
}

static drop_part take(ff_reproduction *study, double max_deflection, double step) {
  long steps = lround(floor(1 / step * (1 + 1e-9)));
  drop_part out = {
      .fall = {.trace = run(study, max_deflection, step, (double)steps * step, steps + 1, false)}};
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

/* The motion after the impact with the core. */
static void look_after(drop_part *drop) {
  const ff_trace *trace = drop->fall.trace;
  const double *speed = trace->channels[SPEED];
  long first = lround(drop->fall.after / drop->fall.step), last = trace->rows - 1;
  drop->energy_after = drop->energy[first];
  drop->leak = (drop->energy[first] - drop->energy[last]) / (double)(last - first);
  for (long i = first + 2; i <= last; i++) {
    drop->turns += speed[i] * speed[i - 1] < 0;
  }
}

/* First time at which the exact motion without core changes its direction: half a period of the
 * spring after the touch, less the time to reach the static depth. */
static double exact_turn(void) {
  double rate = sqrt(stiffness), touch = sqrt(2 * 0.5 / 9.81);
  return touch + (M_PI - atan2(9.81 * touch * rate, 9.81)) / rate;
}

/* Turns of the whole motion, and the mean loss of a step, of a disc that meets no core. */
static void look_at_all(drop_part *drop) {
  const ff_trace *trace = drop->fall.trace;
  const double *speed = trace->channels[SPEED];
  drop->leak = (drop->energy[0] - drop->end) / (double)(trace->rows - 1);
  for (long i = 2; i < trace->rows; i++) {
    bool turn = speed[i] * speed[i - 1] < 0;
    drop->first_turn = turn && drop->turns == 0 ? trace->time[i] : drop->first_turn;
    drop->turns += turn;
  }
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
  double step = ff_reproduction_step(study, CHAKRABORTY_STEP);
  part->core = take(study, core_at, step);
  part->free = take(study, no_core, step);
  part->replay = run(study, core_at, step, 0, 1001, true);
  part->smooth =
      ff_smoothness_of(part->free.fall.trace->channels[SPEED], part->free.fall.trace->rows);
  look_after(&part->core);
  look_at_all(&part->free);
  long after = lround(part->core.fall.after / part->core.fall.step) + 1;
  part->smooth_after = ff_smoothness_of(part->core.fall.trace->channels[SPEED] + after,
                                        part->core.fall.trace->rows - after);
  for (int i = 0; i < STEPS; i++) {
    part->step[i] = 4 * step / (1 << i);
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
  double steps = 1 + round((fall->after - fall->core_time) / fall->step);
  ff_reproduction_judge(study, "core-time",
                        ff_reproduction_text(study, "%.4f s; exact %.5f s", fall->core_time, exact),
                        fall->core_time, fabs(fall->core_time - exact) / fall->step);
  double share = fall->core_impulse / impulse - 1;
  ff_reproduction_judge(study, "core-impulse",
                        ff_reproduction_text(study, "%.4f N s; exact %.4f N s, %.1f %% off",
                                             fall->core_impulse, impulse, 100 * share),
                        fabs(share));
  ff_reproduction_judge(
      study, "core-stops",
      ff_reproduction_text(study, "%.3g m/s left after %.0f steps", part->core.speed_after, steps),
      part->core.speed_after, steps);
}

static void report_energy(ff_reproduction *study, const disc_part *part) {
  double after = exact_disc_at(core_at, 0.336).energy, found = part->core.energy_after;
  ff_reproduction_number(study, "disc.energy_after", found, "J");
  ff_reproduction_judge(
      study, "energy-after",
      ff_reproduction_text(study, "%.4f J of 14.715 J are left; exact %.4f J", found, after),
      fabs(found - after), 14.715 - found);
  double lost = fmax(part->core.lost, part->free.lost);
  double growth = fmax(part->core.growth, part->free.growth);
  ff_reproduction_judge(study, "euler-loss",
                        ff_reproduction_text(study, "at most %.2g J, gains %.1g J", lost, growth),
                        lost, growth);
  ff_reproduction_judge(study, "after-core",
                        ff_reproduction_text(study,
                                             "turns %d times; loses %.1e J a step on average; "
                                             "with half the interval changes are %.3f, those of "
                                             "the slope %.3f times as large",
                                             part->core.turns, part->core.leak,
                                             part->smooth_after.jump, part->smooth_after.kink),
                        part->core.turns, part->core.leak, part->smooth_after.jump,
                        part->smooth_after.kink);
}

static void report_free(ff_reproduction *study, const disc_part *part) {
  const fall_part *fall = &part->free.fall;
  ff_reproduction_judge(study, "no-core", ff_reproduction_text(study, "%g N", fall->core_peak),
                        fall->core_peak);
  ff_reproduction_judge(study, "smooth-velocity",
                        ff_reproduction_text(study,
                                             "with half the interval changes are %.3f, those of "
                                             "the slope %.3f times as large",
                                             part->smooth.jump, part->smooth.kink),
                        part->smooth.jump, part->smooth.kink);
  ff_reproduction_judge(study, "core-matters",
                        ff_reproduction_text(study, "%.3f J lost with, %.3f J without",
                                             14.715 - part->core.end, 14.715 - part->free.end),
                        (14.715 - part->core.end) / (14.715 - part->free.end));
  double late = fabs(part->free.first_turn - exact_turn()) / fall->step;
  ff_reproduction_judge(
      study, "no-core-oscillates",
      ff_reproduction_text(study,
                           "turns %d times, first at %.4f s (exact %.5f s); loses "
                           "%.1e J a step on average",
                           part->free.turns, part->free.first_turn, exact_turn(), part->free.leak),
      part->free.turns, late, part->free.leak);
  double order = log2(part->error[STEPS - 2] / part->error[STEPS - 1]);
  ff_reproduction_judge(
      study, "order",
      ff_reproduction_text(study, "order %.2f against the exact motion from %.2g to %.2g s", order,
                           part->step[STEPS - 2], part->step[STEPS - 1]),
      order);
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
