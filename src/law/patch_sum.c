/* Sliding and spinning at once (the Contensou effect): a spinning patch slides more easily, a
 * sliding one spins more easily, since each of its points can oppose one direction only.
 *
 * Points stand on rings that carry equal parts of the pressure (Gauss's rule between them),
 * evenly around each ring, counted from the direction of slip: so the sum turns with the
 * patch. Every point takes away pressure times friction times its own speed, which is never
 * negative, and so is the whole.
 */
#include "law/patch_sum.h"

#include "law/stick_slip.h"
#include "math/vec.h"

enum { RINGS = 8, AROUND = 24, LAYERS = 3 };

/* Gauss's rule of 8 points on (0, 1). */
static const double ring_at[RINGS] = {
    0.019855071751231884, 0.10166676129318663, 0.23723379504183551, 0.40828267875217510,
    0.59171732124782490,  0.76276620495816449, 0.89833323870681337, 0.98014492824876812};
static const double ring_weight[RINGS] = {
    0.050614268145188130, 0.11119051722668724, 0.15685332293894364, 0.18134189168918099,
    0.18134189168918099,  0.15685332293894364, 0.11119051722668724, 0.050614268145188130};

/* Gauss's rule of 3 points on (0, 1), for the layers of a stack that leans. */
static const double layer_at[LAYERS] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double layer_weight[LAYERS] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

/* Root of the symmetric positive matrix, itself symmetric: semi-axes from variances. */
static void root_of(const double a[2][2], double factor, double out[2][2]) {
  double det = a[0][0] * a[1][1] - a[0][1] * a[0][1];
  double s = sqrt(det > 0 ? det : 0), trace = a[0][0] + a[1][1] + 2 * s;
  double scale = trace > 0 ? sqrt(factor / trace) : 0;
  out[0][0] = scale * (a[0][0] + s);
  out[1][1] = scale * (a[1][1] + s);
  out[0][1] = out[1][0] = scale * a[0][1];
}

typedef struct walk {
  double mu_s, mu_d, v_t;
  double slip[2], spin;
  double axes[2][2], lean[2];
  double ahead[2]; /* where the points are counted from: unit */
  double turning;  /* s/m, how fast that turns with slip across it */
} walk;

/* Points are counted from the direction of slip; where slip is next to nothing against spin, it
 * does not matter, and they are counted from the longer axis of the patch. */
static void find_ahead(walk *w, const double spread[2][2]) {
  double speed = hypot(w->slip[0], w->slip[1]);
  if (speed > 1e-6 * fabs(w->spin) * sqrt(spread[0][0] + spread[1][1])) {
    w->ahead[0] = w->slip[0] / speed;
    w->ahead[1] = w->slip[1] / speed;
    w->turning = 1 / speed;
    return;
  }
  double angle = 0.5 * atan2(2 * spread[0][1], spread[0][0] - spread[1][1]);
  w->ahead[0] = cos(angle);
  w->ahead[1] = sin(angle);
}

/* Adds one point, at (x, y) of the unit disc (turned so that its x is ahead), moved by a part
 * of the lean. */
static void add_point(ff_patch_sum *sum, const walk *w, double weight, double x, double y,
                      double part) {
  double e[2] = {w->ahead[0] * x - w->ahead[1] * y, w->ahead[1] * x + w->ahead[0] * y};
  double r[2] = {w->axes[0][0] * e[0] + w->axes[0][1] * e[1] + part * w->lean[0],
                 w->axes[1][0] * e[0] + w->axes[1][1] * e[1] + part * w->lean[1]};
  double v[2] = {w->slip[0] - w->spin * r[1], w->slip[1] + w->spin * r[0]};
  double speed = sqrt(v[0] * v[0] + v[1] * v[1]);
  ff_stick_slip c = ff_stick_slip_at(w->mu_s, w->mu_d, speed / w->v_t);
  double per_slip = weight * c.over_s / w->v_t;
  double f[2] = {-per_slip * v[0], -per_slip * v[1]};
  sum->force[0] += f[0];
  sum->force[1] += f[1];
  sum->moment += r[0] * f[1] - r[1] * f[0];

  /* How v changes with slip: at once, and because the points turn along with its direction:
   * d(ahead) = side (side . d slip) turning. */
  double along = speed > 0 ? (weight * c.d_s / w->v_t - per_slip) / (speed * speed) : 0;
  double turned[2] = {-e[1], e[0]}, side[2] = {-w->ahead[1], w->ahead[0]};
  double d[2] = {w->axes[0][0] * turned[0] + w->axes[0][1] * turned[1],
                 w->axes[1][0] * turned[0] + w->axes[1][1] * turned[1]};
  double dv[2] = {-w->turning * w->spin * d[1], w->turning * w->spin * d[0]};
  for (int j = 0; j < 2; j++) {
    double change[2] = {dv[0] * side[j] + (j == 0), dv[1] * side[j] + (j == 1)};
    double projected = along * (v[0] * change[0] + v[1] * change[1]);
    sum->d_slip[0][j] -= per_slip * change[0] + projected * v[0];
    sum->d_slip[1][j] -= per_slip * change[1] + projected * v[1];
  }
}

/* Adds the points below one place of the rim-to-centre walk: one if the stack is straight. */
static void add_column(ff_patch_sum *sum, const walk *w, double weight, double x, double y,
                       double deep, double middle) {
  if (w->lean[0] == 0 && w->lean[1] == 0) {
    add_point(sum, w, weight, x, y, 0);
    return;
  }
  for (int k = 0; k < LAYERS; k++) {
    add_point(sum, w, weight * layer_weight[k], x, y, layer_at[k] * deep - middle);
  }
}

ff_patch_sum ff_patch_sum_of(const ff_patch_form *form, double mu_s, double mu_d, double v_t,
                             const double slip[2], double spin) {
  ff_patch_sum sum = {0};
  walk w = {.mu_s = mu_s, .mu_d = mu_d, .v_t = v_t, .slip = {slip[0], slip[1]}, .spin = spin};
  double k = form->fullness;
  /* Of the pressure (1 - rho^2)^k the variance is 1 / (2 (k + 2)) of the semi-axis squared, and
   * the centroid of the stack is this part of its depth down. */
  double middle = 0.5 * (k + 1) / (2 * k + 1);
  root_of(form->spread, 2 * (k + 2), w.axes);
  /* A lean this slight is not worth its layers. */
  double lean = form->lean[0] * form->lean[0] + form->lean[1] * form->lean[1];
  if (lean > 1e-10 * (form->spread[0][0] + form->spread[1][1])) {
    w.lean[0] = form->lean[0];
    w.lean[1] = form->lean[1];
  }
  find_ahead(&w, form->spread);
  double rho[RINGS], deep[RINGS];
  for (int ring = 0; ring < RINGS; ring++) {
    /* The part u of the pressure lies outside of rho^2 = 1 - u^(1 / (k + 1)). */
    double rest = pow(ring_at[ring], 1 / (k + 1));
    rho[ring] = sqrt(1 - rest);
    deep[ring] = ring_at[ring] / rest; /* rest^k */
  }
  for (int i = 0; i < AROUND; i++) {
    double angle = 2 * ff_pi * (i + 0.5) / AROUND, c = cos(angle), s = sin(angle);
    for (int ring = 0; ring < RINGS; ring++) {
      add_column(&sum, &w, ring_weight[ring] / AROUND, rho[ring] * c, rho[ring] * s, deep[ring],
                 middle);
    }
  }
  return sum;
}
