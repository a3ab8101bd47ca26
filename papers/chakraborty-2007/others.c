/* A rolling disc, two flexible spheres head-on, and two colliding ellipsoids. */
#include "chakraborty.h"

#include <math.h>

enum { SIDES = 2, PER_SIDE = 6, DEPTH = SIDES * PER_SIDE, COUNT };
enum { ADAPTIVE, LAYER, CORE, LEVELS, RUNS, HALVINGS = 3 };

typedef struct others_part {
  const ff_trace *roll;
  double drift;               /* 1/s, of the energy, relative */
  double slips;               /* m, deviation from its position after 10 s */
  const ff_trace *pair[RUNS]; /* two ellipsoids: adaptive, quasi-rigid, quasi-rigid on cores, with
                               * the normals of level sets */
  double halving; /* change of the velocities after, at the second halving over the first */
  double apart;   /* 1, of the velocities after, in the limit against adaptive */
  double levels;  /* 1, of the velocities after, level sets against common normal */
  double deepest[RUNS], linear, angular;
  double head_on[HALVINGS], head_on_exact; /* restitution of the spheres, steps halved */
  double balance;                          /* kg m/s, of the spheres' momentum */
} others_part;

static const ff_trace *roll(ff_reproduction *study) {
  static const char *const channels[] = {"energy.kinetic", "energy.gravity", "energy.spring.normal",
                                         "body.disc.position.x"};
  return ff_reproduction_run(study,
                             &(ff_trial){.scene = "papers/chakraborty-2007/rolling-disc.yaml",
                                         .channels = channels,
                                         .channel_count = 4,
                                         .samples = 1001});
}

static const ff_trace *collide(ff_reproduction *study, int which, double step, bool replay) {
  static const char *const channels[COUNT] = {
      "body.left.velocity.x",    "body.left.velocity.y",  "body.left.velocity.z",
      "body.left.omega.x",       "body.left.omega.y",     "body.left.omega.z",
      "body.right.velocity.x",   "body.right.velocity.y", "body.right.velocity.z",
      "body.right.omega.x",      "body.right.omega.y",    "body.right.omega.z",
      "contact.left:right.depth"};
  static const char *const more[RUNS] = {[ADAPTIVE] = "contacts.0.friction.v_t=1e-4",
                                         [LAYER] = "contacts.0.friction.v_t=1e-4",
                                         [CORE] = "contacts.0.normal.max_deflection=0.002",
                                         [LEVELS] = "stepper.geometry=level-sets"};
  const char *const set[] = {
      which == ADAPTIVE
          ? "stepper={kind: adaptive, rtol: 1e-10}"
          : ff_reproduction_text(study, "stepper={kind: quasi-rigid, order: 1, step: %.17g}", step),
      more[which]};
  return ff_reproduction_run(study, &(ff_trial){.scene = "scenes/two-ellipsoids.yaml",
                                                .set = set,
                                                .set_count = 2,
                                                .as_given = which != ADAPTIVE,
                                                .channels = channels,
                                                .channel_count = COUNT,
                                                .samples = 5001,
                                                .replay = replay});
}

/* Distance of the velocities after two collisions, over their size; spin counts by the ellipsoids'
 * size. */
static double distance(const ff_trace *one, const ff_trace *other) {
  double off = 0, size = 0;
  for (int k = 0; k < SIDES * PER_SIDE; k++) {
    double bound = k % PER_SIDE < 3 ? 1 : 0.1; /* m */
    double a = one->channels[k][one->rows - 1], b = other->channels[k][other->rows - 1];
    off = fmax(off, bound * fabs(a - b));
    size = fmax(size, bound * fabs(b));
  }
  return off / size;
}

/* The same of the limit of a method of first order, from steps h and h/2. */
static double limit_distance(const ff_trace *coarse, const ff_trace *fine, const ff_trace *other) {
  double off = 0, size = 0;
  for (int k = 0; k < SIDES * PER_SIDE; k++) {
    double bound = k % PER_SIDE < 3 ? 1 : 0.1; /* m */
    double a = 2 * fine->channels[k][fine->rows - 1] - coarse->channels[k][coarse->rows - 1];
    double b = other->channels[k][other->rows - 1];
    off = fmax(off, bound * fabs(a - b));
    size = fmax(size, bound * fabs(b));
  }
  return off / size;
}

/* Restitution of the head-on impact of two flexible spheres. */
static double meet_head_on(ff_reproduction *study, others_part *part, double step) {
  static const char *const channels[] = {"body.left.velocity.x", "body.right.velocity.x"};
  const char *const set[] = {ff_reproduction_text(study, "stepper.step=%.17g", step)};
  const ff_trace *trace =
      ff_reproduction_run(study, &(ff_trial){.scene = "papers/chakraborty-2007/two-spheres.yaml",
                                             .set = set,
                                             .set_count = 1,
                                             .as_given = true,
                                             .channels = channels,
                                             .channel_count = 2,
                                             .samples = 2});
  double left = trace->channels[0][1], right = trace->channels[1][1];
  part->balance = fmax(part->balance, fabs(left + 2 * right)); /* 1 and 2 kg; before: 0 */
  return (right - left) / 1.5;
}

static void collide_spheres(ff_reproduction *study, others_part *part) {
  double step = ff_reproduction_step(study, 2e-5);
  for (int i = 0; i < HALVINGS; i++) {
    part->head_on[i] = meet_head_on(study, part, step / (1 << i));
  }
  /* In series: k = 6000 3000 / 9000, c likewise; reduced mass 2/3 kg. */
  ff_linear_impact given = {2.0 / 3, 2000, 4, 1.5, true};
  ff_impact exact = {0};
  ff_impact_linear(&exact, &given, NULL);
  part->head_on_exact = exact.restitution;
}

static void *compute_part(ff_reproduction *study) {
  solver_part *solver = ff_reproduction_part(study, &chakraborty_solver);
  others_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  part->roll = roll(study);
  const double *const *c = part->roll->channels;
  long last = part->roll->rows - 1;
  double first = c[0][0] + c[1][0] + c[2][0];
  part->drift = fabs(c[0][last] + c[1][last] + c[2][last] - first) / first / 10;
  part->slips = fabs(c[3][last] - 10);
  solver_note(solver, "rolling disc", part->roll);
  double step = ff_reproduction_step(study, 1e-5);
  for (int i = 0; i < RUNS; i++) {
    part->pair[i] = collide(study, i, step, i == CORE);
    for (int k = 0; k < part->pair[i]->event_count; k++) {
      const ff_event *event = &part->pair[i]->events[k];
      bool lift = event->kind == FF_EVENT_LIFT;
      part->deepest[i] = fmax(part->deepest[i], lift ? event->peak_depth : 0);
    }
  }
  solver_note(solver, "two ellipsoids", part->pair[LAYER]);
  solver_note(solver, "two ellipsoids on cores", part->pair[CORE]);
  const ff_trace *coarse = collide(study, LAYER, 2 * step, false);
  const ff_trace *fine = collide(study, LAYER, step / 2, false);
  part->halving = distance(fine, part->pair[LAYER]) / distance(part->pair[LAYER], coarse);
  part->apart = limit_distance(part->pair[LAYER], fine, part->pair[ADAPTIVE]);
  part->levels = distance(part->pair[LEVELS], part->pair[LAYER]);
  collide_spheres(study, part);
  part->linear = part->pair[CORE]->audit.momentum_residual;
  part->angular = part->pair[CORE]->audit.angular_residual;
  ff_reproduction_number(study, "roll.drift", part->drift, "1/s");
  ff_reproduction_number(study, "pair.apart", part->apart, "1");
  ff_reproduction_number(study, "pair.deepest", part->deepest[CORE], "m");
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const others_part *part = computed;
  ff_reproduction_judge(study, "rolling-disc",
                        ff_reproduction_text(study,
                                             "%.1g of its energy a second, %.1g m from its place "
                                             "after 10 m",
                                             part->drift, part->slips),
                        part->drift, part->slips);
  const double *e = part->head_on;
  ff_reproduction_judge(study, "two-flexible",
                        ff_reproduction_text(study,
                                             "e = %.6f in the limit, closed form %.6f; momentum "
                                             "kept to %.1g kg m/s",
                                             2 * e[2] - e[1], part->head_on_exact, part->balance),
                        (e[2] - e[1]) / (e[1] - e[0]), fabs(2 * e[2] - e[1] - part->head_on_exact),
                        part->balance);
  ff_reproduction_judge(study, "two-bodies",
                        ff_reproduction_text(study,
                                             "half the step changes velocities %.3f times as much "
                                             "as before; in the limit within %.1e of an "
                                             "error-controlled run",
                                             part->halving, part->apart),
                        part->halving, part->apart);
  ff_reproduction_judge(
      study, "level-sets",
      ff_reproduction_text(study, "velocities after differ by %.2g, depth by %.2g", part->levels,
                           part->deepest[LEVELS] / part->deepest[LAYER] - 1),
      part->levels);
  ff_reproduction_judge(study, "two-bodies-core",
                        ff_reproduction_text(study,
                                             "deepest %.6f mm (%.2f mm without core); momentum "
                                             "kept to %.1g kg m/s, angular to %.1g kg m²/s",
                                             1e3 * part->deepest[CORE], 1e3 * part->deepest[LAYER],
                                             part->linear, part->angular),
                        fabs(part->deepest[CORE] - 2e-3), part->deepest[LAYER], part->linear);
}

/* One channel of all runs from 0.1 to 0.3 s: the contact. */
static void show_curves(ff_reproduction *study, const others_part *part, int channel) {
  static const char *const names[RUNS] = {"adaptive, no core", "quasi-rigid, no core",
                                          "quasi-rigid, core at 2 mm",
                                          "quasi-rigid, normals of level sets"};
  for (int i = 0; i < RUNS; i++) {
    const ff_trace *trace = part->pair[i];
    long first = trace->rows / 5, rows = 2 * trace->rows / 5;
    ff_page_curve(study->page, names[i], i == ADAPTIVE ? FF_CURVE_DASH : FF_CURVE_LINE,
                  trace->time + first, trace->channels[channel] + first, rows);
  }
}

static void show_part(ff_reproduction *study, const void *computed) {
  const others_part *part = computed;
  ff_axis time = {"time", "s", false};
  ff_page_section(study->page, "Two ellipsoids");
  ff_page_text(study->page,
               "The normal is the common one of both surfaces at their deepest points. The paper's "
               "is that of the level sets of eq. 11; with geometry: level-sets the same scene uses "
               "it. Both are one where bodies touch, and on a half-space.");
  ff_page_plot(study->page, "Depth of the contact", time, (ff_axis){"depth", "m", false});
  show_curves(study, part, DEPTH);
  ff_page_plot(study->page, "Spin of the left one", time,
               (ff_axis){"angular velocity about z", "rad/s", false});
  show_curves(study, part, 5);
  if (part->pair[CORE]->run.id > 0) {
    ff_page_replay(study->page, part->pair[CORE]->run);
  }
}

const ff_paper_part chakraborty_others = {
    .compute = compute_part, .report = report_part, .show = show_part};
