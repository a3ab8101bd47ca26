/* A rolling disc, and two colliding ellipsoids. */
#include "chakraborty.h"

#include <math.h>

enum { SIDES = 2, PER_SIDE = 6, DEPTH = SIDES * PER_SIDE, FORCE, LINEAR, ANGULAR, KINETIC, COUNT };
enum { ADAPTIVE, LAYER, CORE, RUNS };

typedef struct others_part {
  const ff_trace *roll;
  double drift;               /* 1/s, of the energy, relative */
  double slips;               /* m, deviation from its position after 10 s */
  const ff_trace *pair[RUNS]; /* two ellipsoids: adaptive, quasi-rigid, quasi-rigid on cores */
  double apart;               /* 1, of the velocities after, quasi-rigid against adaptive */
  double deepest[RUNS], linear, angular;
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

static const ff_trace *collide(ff_reproduction *study, int which, bool replay) {
  static const char *const channels[COUNT] = {"body.left.velocity.x",
                                              "body.left.velocity.y",
                                              "body.left.velocity.z",
                                              "body.left.omega.x",
                                              "body.left.omega.y",
                                              "body.left.omega.z",
                                              "body.right.velocity.x",
                                              "body.right.velocity.y",
                                              "body.right.velocity.z",
                                              "body.right.omega.x",
                                              "body.right.omega.y",
                                              "body.right.omega.z",
                                              "contact.left:right.depth",
                                              "contact.left:right.force.n",
                                              "momentum.residual.linear",
                                              "momentum.residual.angular",
                                              "energy.kinetic"};
  static const char *const set[RUNS][2] = {
      [ADAPTIVE] = {"stepper={kind: adaptive, rtol: 1e-10}", "contacts.0.friction.v_t=1e-4"},
      [LAYER] = {"stepper={kind: quasi-rigid, step: 1e-5, order: 1}",
                 "contacts.0.friction.v_t=1e-4"},
      [CORE] = {"stepper={kind: quasi-rigid, step: 1e-5, order: 1}",
                "contacts.0.normal.max_deflection=0.002"}};
  return ff_reproduction_run(study, &(ff_trial){.scene = "scenes/two-ellipsoids.yaml",
                                                .set = set[which],
                                                .set_count = 2,
                                                .channels = channels,
                                                .channel_count = COUNT,
                                                .samples = 5001,
                                                .replay = replay});
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
  for (int i = 0; i < RUNS; i++) {
    part->pair[i] = collide(study, i, i == CORE);
    for (int k = 0; k < part->pair[i]->event_count; k++) {
      const ff_event *event = &part->pair[i]->events[k];
      bool lift = event->kind == FF_EVENT_LIFT;
      part->deepest[i] = fmax(part->deepest[i], lift ? event->peak_depth : 0);
    }
  }
  solver_note(solver, "two ellipsoids", part->pair[LAYER]);
  solver_note(solver, "two ellipsoids on cores", part->pair[CORE]);
  double off = 0, size = 0;
  last = part->pair[0]->rows - 1;
  for (int k = 0; k < SIDES * PER_SIDE; k++) {
    double bound = k % PER_SIDE < 3 ? 1 : 0.1; /* m, the ellipsoids' size: of spin to speed */
    double want = part->pair[ADAPTIVE]->channels[k][last];
    off = fmax(off, bound * fabs(part->pair[LAYER]->channels[k][last] - want));
    size = fmax(size, bound * fabs(want));
  }
  part->apart = off / size;
  part->linear = part->pair[CORE]->audit.momentum_residual;
  part->angular = part->pair[CORE]->audit.angular_residual;
  ff_reproduction_number(study, "roll.drift", part->drift, "1/s");
  ff_reproduction_number(study, "pair.apart", part->apart, "1");
  ff_reproduction_number(study, "pair.deepest", part->deepest[CORE], "m");
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const others_part *part = computed;
  ff_reproduction_find(
      study, &(ff_outcome){.key = "rolling-disc",
                           .claim = "A disc that rolls on exact geometry loses no energy",
                           .source = "Sec. 1, Introduction",
                           .paper = "no loss",
                           .found = ff_reproduction_text(study,
                                                         "%.1g of its energy a second, %.1g m "
                                                         "from its place after 10 m",
                                                         part->drift, part->slips),
                           .value = part->drift,
                           .unit = "1/s",
                           .verdict = ff_verdict_of(part->drift < 1e-12 && part->slips < 1e-9)});
  ff_reproduction_find(
      study,
      &(ff_outcome){
          .key = "two-bodies",
          .claim = "Two colliding flexible bodies separate as in the continuous model",
          .source = "Sec. Compliant contact modeling",
          .paper = "general formulation",
          .found = ff_reproduction_text(study,
                                        "velocities within %.2g of those of an error-controlled "
                                        "run, at steps of 10 us",
                                        part->apart),
          .value = part->apart,
          .unit = "1",
          .verdict = ff_verdict_of(part->apart < 5e-3)});
  ff_reproduction_find(
      study,
      &(ff_outcome){.key = "two-bodies-core",
                    .claim = "With a layer of 2 mm they stop at their cores",
                    .source = "Sec. Compliant contact modeling",
                    .paper = "no penetration",
                    .found = ff_reproduction_text(
                        study,
                        "deepest %.6f mm (%.2f mm without core); momentum kept to %.1g "
                        "kg m/s, angular to %.1g kg m²/s",
                        1e3 * part->deepest[CORE], 1e3 * part->deepest[LAYER], part->linear,
                        part->angular),
                    .value = part->deepest[CORE],
                    .unit = "m",
                    .verdict = ff_verdict_of(fabs(part->deepest[CORE] - 2e-3) < 1e-9 &&
                                             part->deepest[LAYER] > 2e-3 && part->linear < 1e-12)});
}

static void show_part(ff_reproduction *study, const void *computed) {
  const others_part *part = computed;
  static const char *const names[RUNS] = {"adaptive, no core", "quasi-rigid, no core",
                                          "quasi-rigid, core at 2 mm"};
  const long first = 1000, rows = 2000; /* the contact: 0.1 to 0.3 s */
  ff_axis time = {"time", "s", false};
  ff_page_section(study->page, "Two ellipsoids");
  ff_page_plot(study->page, "Depth of the contact", time, (ff_axis){"depth", "m", false});
  for (int i = 0; i < RUNS; i++) {
    ff_page_curve(study->page, names[i], i == ADAPTIVE ? FF_CURVE_DASH : FF_CURVE_LINE,
                  part->pair[i]->time + first, part->pair[i]->channels[DEPTH] + first, rows);
  }
  ff_page_plot(study->page, "Spin of the left one", time,
               (ff_axis){"angular velocity about z", "rad/s", false});
  for (int i = 0; i < RUNS; i++) {
    ff_page_curve(study->page, names[i], i == ADAPTIVE ? FF_CURVE_DASH : FF_CURVE_LINE,
                  part->pair[i]->time + first, part->pair[i]->channels[5] + first, rows);
  }
  if (part->pair[CORE]->run.id > 0) {
    ff_page_replay(study->page, part->pair[CORE]->run);
  }
}

const ff_paper_part chakraborty_others = {
    .compute = compute_part, .report = report_part, .show = show_part};
