/* Geometrically implicit against explicit steps: the paper's headline. Both are the stepper
 * quasi-rigid, which takes contact points and normal from the end or from the start of a step. */
#include "chakraborty.h"

#include <math.h>

enum { X, Y, Z, W, QX, QY, QZ, CHANNELS, CASES = 3, STAGES = 5 };

typedef struct course {
  const char *key, *name, *scene, *body;
  double step, size; /* s; m, by which the orientation counts */
} course;

static const course courses[CASES] = {
    {"headline-rolling", "rolling disc", "papers/chakraborty-2007/rolling-disc.yaml", "disc", 1e-2,
     1},
    {"headline-curved", "ball on ball", "papers/chakraborty-2007/ball-on-ball.yaml", "ball", 1e-3,
     0.1},
    {"headline-spin", "fast spin", "papers/chakraborty-2007/fast-spin.yaml", "body", 5e-4, 0.05},
};

/* A run's end, and its cost: solved problems and iterations, each of which queries the geometry and
 * solves a linear system. */
typedef struct arrival {
  double at[CHANNELS];
  double cost;
} arrival;

typedef struct contest {
  arrival implicit[STAGES], explicit[STAGES]; /* with steps of the course over 1, 2, 4, 8, 16 */
  double error[2][STAGES];                    /* m, from the reference: implicit, explicit */
  double same_cost;                           /* m, explicit with steps so short that it costs as
                                               * much as the implicit method at the course's step */
  double limits_apart;                        /* m, between what both converge to */
} contest;

typedef struct headline_part {
  contest all[CASES];
} headline_part;

static arrival run(ff_reproduction *study, const course *c, const char *geometry, double step) {
  static const char *const names[CHANNELS] = {"position.x",    "position.y",    "position.z",
                                              "orientation.w", "orientation.x", "orientation.y",
                                              "orientation.z"};
  const char *channels[CHANNELS];
  for (int k = 0; k < CHANNELS; k++) {
    channels[k] = ff_reproduction_text(study, "body.%s.%s", c->body, names[k]);
  }
  const char *const set[] = {ff_reproduction_text(study, "stepper.step=%.17g", step),
                             ff_reproduction_text(study, "stepper.geometry=%s", geometry)};
  const ff_trace *trace = ff_reproduction_run(study, &(ff_trial){.scene = c->scene,
                                                                 .set = set,
                                                                 .set_count = 2,
                                                                 .as_given = true,
                                                                 .channels = channels,
                                                                 .channel_count = CHANNELS,
                                                                 .samples = 2});
  arrival out = {.cost = (double)(trace->solver.problems + trace->solver.iterations)};
  for (int k = 0; k < CHANNELS; k++) {
    out.at[k] = trace->channels[k][1];
  }
  return out;
}

/* Distance of two places, with that of the orientations as chord of the unit quaternions. */
static double apart(const course *c, const double *a, const double *b) {
  double place = 0, turn = 0, back = 0;
  for (int k = 0; k < 3; k++) {
    place += (a[k] - b[k]) * (a[k] - b[k]);
  }
  for (int k = W; k < CHANNELS; k++) {
    turn += (a[k] - b[k]) * (a[k] - b[k]);
    back += (a[k] + b[k]) * (a[k] + b[k]);
  }
  return sqrt(place + 4 * c->size * c->size * fmin(turn, back));
}

/* Limit of a method of first order, from its two shortest steps. */
static void extrapolate(const arrival *runs, double out[CHANNELS]) {
  const double *fine = runs[STAGES - 1].at, *coarse = runs[STAGES - 2].at;
  double same = 0;
  for (int k = W; k < CHANNELS; k++) {
    same += fine[k] * coarse[k];
  }
  for (int k = 0; k < CHANNELS; k++) {
    out[k] = 2 * fine[k] - (k >= W && same < 0 ? -1 : 1) * coarse[k];
  }
}

static void compete(ff_reproduction *study, const course *c, contest *out) {
  double step = ff_reproduction_step(study, c->step), limit[2][CHANNELS];
  for (int i = 0; i < STAGES; i++) {
    out->implicit[i] = run(study, c, "implicit", step / (1 << i));
    out->explicit[i] = run(study, c, "explicit", step / (1 << i));
  }
  extrapolate(out->implicit, limit[0]);
  extrapolate(out->explicit, limit[1]);
  out->limits_apart = apart(c, limit[0], limit[1]);
  double share = fmin(out->explicit[0].cost / out->implicit[0].cost, 1);
  arrival dear = run(study, c, "explicit", step * share);
  for (int i = 0; i < STAGES; i++) {
    out->error[0][i] = apart(c, out->implicit[i].at, limit[0]);
    out->error[1][i] = apart(c, out->explicit[i].at, limit[0]);
  }
  out->same_cost = apart(c, dear.at, limit[0]);
}

static void *compute_part(ff_reproduction *study) {
  headline_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  for (int i = 0; i < CASES; i++) {
    compete(study, &courses[i], &part->all[i]);
  }
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const headline_part *part = computed;
  for (int i = 0; i < CASES; i++) {
    const contest *c = &part->all[i];
    ff_reproduction_judge(study, courses[i].key,
                          ff_reproduction_text(study,
                                               "error %.2g mm; explicit %.2g mm at equal step, "
                                               "%.2g mm at equal cost",
                                               1e3 * c->error[0][0], 1e3 * c->error[1][0],
                                               1e3 * c->same_cost),
                          c->error[1][0] / c->error[0][0], c->same_cost / c->error[0][0]);
  }
}

static void show_part(ff_reproduction *study, const void *computed) {
  const headline_part *part = computed;
  static const char *const columns[] = {"motion",          "step (s)", "implicit, error (m)",
                                        "explicit, error", "cost",     "explicit, cost"};
  ff_page_section(study->page, "Geometrically implicit against explicit");
  ff_page_text(study->page,
               "The explicit method solves the same step with contact points and normal of its "
               "start. Errors are those of the place at the end, orientations included, against "
               "the limit of the implicit method; cost is the number of solved problems and "
               "iterations.");
  ff_reproduction_table(study, "Error over step and cost", columns, 6);
  for (int k = 0; k < CASES; k++) {
    for (int i = 0; i < STAGES; i++) {
      const contest *c = &part->all[k];
      double step = ff_reproduction_step(study, courses[k].step) / (1 << i);
      const char *const cells[] = {courses[k].name,
                                   ff_reproduction_text(study, "%.3g", step),
                                   ff_reproduction_text(study, "%.2g", c->error[0][i]),
                                   ff_reproduction_text(study, "%.2g", c->error[1][i]),
                                   ff_reproduction_text(study, "%.0f", c->implicit[i].cost),
                                   ff_reproduction_text(study, "%.0f", c->explicit[i].cost)};
      ff_reproduction_row(study, cells);
    }
  }
}

const ff_paper_part chakraborty_headline = {
    .compute = compute_part, .report = report_part, .show = show_part};
