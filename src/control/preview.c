/* Preview control of the cart-table model [Kajita03], by the optimal servo of [Katayama85].
 *
 * State x = (p, v, a), input jerk u, output z = C x:
 *   x' = A x + B u,   A = [1 T T^2/2; 0 1 T; 0 0 1],   B = (T^3/6, T^2/2, T),   C = (1, 0, -h/g)
 * The sum of  weight (z - r)^2 + weight du^2  is minimal for the changes du of u given by feedback
 * of the error and of the changes of x (gains from the Riccati equation of these four states) and
 * by feedforward of the future reference. Summed over time this is u as in footfall/walk.h.
 *
 * Departure: the gains beyond the horizon are lumped on its last sample, as if the reference stayed
 * there. A pendulum at rest over its reference then stays at rest to the last digits, without an
 * initial error transient. */
#include "base/memory.h"
#include "base/report.h"
#include "footfall/walk.h"

#include <math.h>
#include <string.h>

enum { STATE = 4, ROUNDS = 100000 };
/* Relative changes of P below this are rounding. */
#define SETTLED 1e-15

struct ff_preview {
  ff_preview_gains gains;
  double arm; /* height / gravity, s^2 */
  double *ahead;
};

typedef struct system {
  double a[STATE][STATE], b[STATE], error_weight, jerk_weight;
} system;

ff_preview_def ff_preview_def_default(void) {
  return (ff_preview_def){.sample = 5e-3,
                          .horizon = 1.2,
                          .height = 0.245,
                          .gravity = 9.81,
                          .error_weight = 1,
                          .jerk_weight = 1e-6};
}

/* ---- Riccati --------------------------------------------------------------------------------- */

/* Augmented system of the error and the changes of x: [1 CA; 0 A], (CB, B). */
static system preview_augment(const ff_preview_def *def) {
  double t = def->sample, arm = def->height / def->gravity;
  system s = {
      .a = {{1, 1, t, 0.5 * t * t - arm}, {0, 1, t, 0.5 * t * t}, {0, 0, 1, t}, {0, 0, 0, 1}},
      .b = {t * t * t / 6 - arm * t, t * t * t / 6, 0.5 * t * t, t},
      .error_weight = def->error_weight,
      .jerk_weight = def->jerk_weight};
  return s;
}

/* gain = (R + B'PB)^-1 B'PA; returns R + B'PB. */
static double riccati_gain(const system *s, double p[STATE][STATE], double gain[STATE]) {
  double pb[STATE], whole = s->jerk_weight;
  for (int i = 0; i < STATE; i++) {
    pb[i] = 0;
    for (int j = 0; j < STATE; j++) {
      pb[i] += p[i][j] * s->b[j];
    }
    whole += pb[i] * s->b[i];
  }
  for (int j = 0; j < STATE; j++) {
    gain[j] = 0;
    for (int i = 0; i < STATE; i++) {
      gain[j] += pb[i] * s->a[i][j] / whole;
    }
  }
  return whole;
}

/* closed = A - B K */
static void riccati_close_loop(const system *s, const double gain[STATE],
                               double closed[STATE][STATE]) {
  for (int i = 0; i < STATE; i++) {
    for (int j = 0; j < STATE; j++) {
      closed[i][j] = s->a[i][j] - s->b[i] * gain[j];
    }
  }
}

/* One Riccati iteration, P = Q + K'RK + (A - BK)'P(A - BK): a form that keeps P symmetric and
 * positive. Returns the largest change relative to the largest entry. */
static double riccati_iterate(const system *s, double p[STATE][STATE]) {
  double gain[STATE], closed[STATE][STATE], half[STATE][STATE], change = 0, most = 0;
  riccati_gain(s, p, gain);
  riccati_close_loop(s, gain, closed);
  for (int i = 0; i < STATE; i++) {
    for (int j = 0; j < STATE; j++) {
      half[i][j] = 0;
      for (int k = 0; k < STATE; k++) {
        half[i][j] += p[i][k] * closed[k][j];
      }
    }
  }
  for (int i = 0; i < STATE; i++) {
    for (int j = 0; j <= i; j++) {
      double next = (i + j == 0 ? s->error_weight : 0) + gain[i] * s->jerk_weight * gain[j];
      for (int k = 0; k < STATE; k++) {
        next += closed[k][i] * half[k][j];
      }
      change = fmax(change, fabs(next - p[i][j]));
      most = fmax(most, fabs(next));
      p[i][j] = p[j][i] = next;
    }
  }
  return change / most;
}

/* ---- gains ----------------------------------------------------------------------------------- */

/* X = (A - BK)' X */
static void preview_propagate(double closed[STATE][STATE], double x[STATE]) {
  double next[STATE] = {0};
  for (int i = 0; i < STATE; i++) {
    for (int k = 0; k < STATE; k++) {
      next[i] += closed[k][i] * x[k];
    }
  }
  memcpy(x, next, sizeof next);
}

/* Feedforward gain of each future sample of the reference. */
static void preview_find_gains(ff_preview *preview, const system *s, double p[STATE][STATE]) {
  double gain[STATE], closed[STATE][STATE], x[STATE], sum = 0;
  double whole = riccati_gain(s, p, gain);
  riccati_close_loop(s, gain, closed);
  for (int i = 0; i < STATE; i++) {
    x[i] = -p[i][0];
  }
  preview_propagate(closed, x);
  ff_preview_gains *g = &preview->gains;
  g->integral = gain[0];
  memcpy(g->state, gain + 1, sizeof g->state);
  for (int j = 0; j < g->count; j++) {
    double own = 0;
    for (int i = 0; i < STATE; i++) {
      own += s->b[i] * x[i] / whole;
    }
    preview->ahead[j] = j == 0 ? -gain[0] : own;
    sum += preview->ahead[j];
    if (j > 0) {
      preview_propagate(closed, x);
    }
  }
  /* the gains sum to that of the position */
  g->tail = -g->state[0] - sum;
  preview->ahead[g->count - 1] += g->tail;
}

/* ---- creation -------------------------------------------------------------------------------- */

static ff_status preview_check_def(const ff_preview_def *def, ff_report *report) {
  const struct {
    const char *key;
    double value;
  } positive[] = {{"sample", def->sample},
                  {"horizon", def->horizon},
                  {"height", def->height},
                  {"gravity", def->gravity},
                  {"error_weight", def->error_weight},
                  {"jerk_weight", def->jerk_weight}};
  for (size_t i = 0; i < sizeof positive / sizeof *positive; i++) {
    if (!(positive[i].value > 0 && isfinite(positive[i].value))) {
      ff_report_what(report, "must be greater than 0, got %g", positive[i].value);
      ff_report_key(report, "%s", positive[i].key);
      return FF_ERROR_INPUT;
    }
  }
  if (def->horizon / def->sample > 1e6 || def->horizon < def->sample) {
    ff_report_what(report, "must be 1 to 1000000 samples, got %g", def->horizon / def->sample);
    ff_report_key(report, "horizon");
    return FF_ERROR_INPUT;
  }
  return FF_OK;
}

ff_status ff_preview_create(ff_preview **out, const ff_preview_def *def, ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  ff_status status = preview_check_def(def, report);
  if (status != FF_OK) {
    return status;
  }
  ff_preview *preview = ff_alloc(1, sizeof *preview);
  if (!preview) {
    return FF_ERROR_MEMORY;
  }
  preview->gains.count = (int)lround(def->horizon / def->sample);
  preview->arm = def->height / def->gravity;
  preview->ahead = ff_alloc((size_t)preview->gains.count, sizeof *preview->ahead);
  if (!preview->ahead) {
    ff_preview_destroy(&preview);
    return FF_ERROR_MEMORY;
  }
  system s = preview_augment(def);
  double p[STATE][STATE] = {{0}};
  for (int i = 0; i < STATE; i++) {
    p[i][i] = def->error_weight;
  }
  for (int round = 0; round < ROUNDS && riccati_iterate(&s, p) > SETTLED; round++) {
  }
  preview_find_gains(preview, &s, p);
  memcpy(preview->gains.riccati, p, sizeof preview->gains.riccati);
  preview->gains.residual = riccati_iterate(&s, p);
  preview->gains.ahead = preview->ahead;
  *out = preview;
  return FF_OK;
}

void ff_preview_destroy(ff_preview **at) {
  ff_preview *preview = at ? *at : NULL;
  if (preview) {
    *at = NULL;
    ff_free(preview->ahead);
    ff_free(preview);
  }
}

ff_preview_gains ff_preview_gains_of(const ff_preview *preview) {
  return preview->gains;
}

/* ---- control --------------------------------------------------------------------------------- */

void ff_preview_steer(const ff_preview *preview, ff_pendulum *pendulum, const double *reference) {
  const ff_preview_gains *g = &preview->gains;
  ff_pendulum *x = pendulum;
  x->sum += x->position - preview->arm * x->acceleration - reference[0];
  double u = -g->integral * x->sum - g->state[1] * x->velocity - g->state[2] * x->acceleration;
  /* Reference relative to the current position, since preview and position gains sum to zero. */
  for (int j = 0; j < g->count; j++) {
    u -= preview->ahead[j] * (reference[j + 1] - x->position);
  }
  x->jerk = u;
}

ff_pendulum ff_pendulum_after(const ff_pendulum *pendulum, double t) {
  ff_pendulum x = *pendulum;
  double u = x.jerk;
  x.position += t * (x.velocity + t * (0.5 * x.acceleration + t * u / 6));
  x.velocity += t * (x.acceleration + 0.5 * t * u);
  x.acceleration += t * u;
  return x;
}
