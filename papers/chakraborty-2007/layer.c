/* The compliant layer along the surface, and objects that are intersections of convex inequalities,
 * both of the abstract. */
#include "chakraborty.h"

#include <math.h>

enum { STEPS = 2 };

typedef struct layer_part {
  double error[STEPS]; /* 1, of the tangential deflection, steps h and h/2 */
  double end;          /* 1, at rest, of the load over the stiffness */
  double cut[2];       /* m, of the height: a disc that another shape cuts off, with and without the
                        * core */
} layer_part;

static const double stiffness_t = 8000, load = 2; /* N/m, N */

/* Largest error of the deflection under a load on a critically damped spring in parallel with its
 * damper, relative to the final one. */
static double shear(ff_reproduction *study, double step, double *end) {
  static const char *const channels[] = {"body.ball.position.x"};
  const char *const set[] = {ff_reproduction_text(study, "stepper.step=%.17g", step)};
  const ff_trace *trace =
      ff_reproduction_run(study, &(ff_trial){.scene = "papers/chakraborty-2007/tangent.yaml",
                                             .set = set,
                                             .set_count = 1,
                                             .as_given = true,
                                             .channels = channels,
                                             .channel_count = 1,
                                             .samples = 401});
  double rate = sqrt(stiffness_t), worst = 0; /* 1/s, of 1 kg */
  for (long i = 0; i < trace->rows; i++) {
    double t = trace->time[i], found = trace->channels[0][i] * stiffness_t / load;
    worst = fmax(worst, fabs(found - 1 + (1 + rate * t) * exp(-rate * t)));
    *end = fabs(found - 1);
  }
  return worst;
}

/* Largest difference of the height of example 1's disc, if it is cut off above its centre. */
static double cut(ff_reproduction *study, double max_deflection) {
  static const char *const channels[] = {"body.disc.position.z"};
  const char *const set[] = {
      ff_reproduction_text(study, "contacts.0.normal.max_deflection=%g", max_deflection),
      "bodies.disc.shape={intersection: {members: [{sphere: {radius: 1}}, {ellipsoid: {axes: [3, "
      "3, "
      "2]}, position: [0, 0, -1.5]}]}}"};
  const ff_trace *trace[2];
  for (int i = 0; i < 2; i++) {
    trace[i] = ff_reproduction_run(study, &(ff_trial){.scene = "scenes/disc-on-layer.yaml",
                                                      .set = set,
                                                      .set_count = 1 + i,
                                                      .channels = channels,
                                                      .channel_count = 1,
                                                      .samples = 501});
  }
  double worst = 0;
  for (long i = 0; i < trace[0]->rows; i++) {
    worst = fmax(worst, fabs(trace[0]->channels[0][i] - trace[1]->channels[0][i]));
  }
  return worst;
}

static void *compute_part(ff_reproduction *study) {
  layer_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  double step = ff_reproduction_step(study, CHAKRABORTY_STEP);
  for (int i = 0; i < STEPS; i++) {
    part->error[i] = shear(study, step / (1 << i), &part->end);
  }
  part->cut[0] = cut(study, 0.05);
  part->cut[1] = cut(study, 1);
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const layer_part *part = computed;
  double factor = part->error[1] / part->error[0];
  ff_reproduction_judge(
      study, "tangential-layer",
      ff_reproduction_text(
          study,
          "deflection off the exact one by %.2g at a step of 0.1 ms, %.3f times as "
          "much at half the step; at rest by %.1g",
          part->error[0], factor, part->end),
      factor, part->end);
  ff_reproduction_judge(study, "intersection",
                        ff_reproduction_text(study,
                                             "height differs by %.1g m with the core, %.1g m "
                                             "without",
                                             part->cut[0], part->cut[1]),
                        part->cut[0], part->cut[1]);
}

const ff_paper_part chakraborty_layer = {.compute = compute_part, .report = report_part};
