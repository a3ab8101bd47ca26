#include "model/track.h"

#include "math/vec.h"

/* ---- splines --------------------------------------------------------------------------------- */

static const double *spline_row(const double *values, int width, int i) {
  return values + (size_t)i * (size_t)(width + 1);
}

/* Thomas algorithm for h0 b0 + 2 (h0 + h1) b1 + h1 b2 = 6 (s1 - s0), s the slopes, with b = 0 at
 * both ends. */
void ff_track_bends(const double *values, int rows, int width, double *bends, double *work) {
  for (int k = 0; k < width; k++) {
    bends[k] = bends[(size_t)(rows - 1) * (size_t)width + (size_t)k] = 0;
  }
  work[0] = 0;
  for (int i = 1; i + 1 < rows; i++) {
    const double *r0 = spline_row(values, width, i - 1), *r1 = spline_row(values, width, i);
    const double *r2 = spline_row(values, width, i + 1);
    double h0 = r1[0] - r0[0], h1 = r2[0] - r1[0];
    double pivot = 2 * (h0 + h1) - h0 * work[i - 1];
    double *bend = bends + (size_t)i * (size_t)width;
    work[i] = h1 / pivot;
    for (int k = 0; k < width; k++) {
      double jump = (r2[k + 1] - r1[k + 1]) / h1 - (r1[k + 1] - r0[k + 1]) / h0;
      bend[k] = (6 * jump - h0 * bend[k - width]) / pivot;
    }
  }
  for (int i = rows - 2; i > 0; i--) {
    double *bend = bends + (size_t)i * (size_t)width;
    for (int k = 0; k < width; k++) {
      bend[k] -= work[i] * bend[k + width];
    }
  }
}

/* First row of the interval of t; the first or last interval outside. */
static int spline_interval(const double *values, int rows, int width, double t) {
  int low = 0, high = rows - 1;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (spline_row(values, width, middle)[0] <= t) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

void ff_track_spline(const double *values, const double *bends, int rows, int width, double t,
                     double *value, double *rate, double *bend) {
  int i = spline_interval(values, rows, width, t);
  const double *r0 = spline_row(values, width, i), *r1 = spline_row(values, width, i + 1);
  const double *b0 = bends + (size_t)i * (size_t)width, *b1 = b0 + width;
  double h = r1[0] - r0[0], first = values[0], last = spline_row(values, width, rows - 1)[0];
  double at = lesser(greater(t, first), last), beyond = t - at;
  double u = (at - r0[0]) / h, w = 1 - u;
  for (int k = 0; k < width; k++) {
    double rise = h * h / 6 * ((w * w * w - w) * b0[k] + (u * u * u - u) * b1[k]);
    double turn = h / 6 * ((3 * u * u - 1) * b1[k] - (3 * w * w - 1) * b0[k]);
    rate[k] = (r1[k + 1] - r0[k + 1]) / h + turn;
    value[k] = w * r0[k + 1] + u * r1[k + 1] + rise + beyond * rate[k];
    bend[k] = beyond == 0 ? w * b0[k] + u * b1[k] : 0;
  }
}

/* ---- poses ----------------------------------------------------------------------------------- */

bool ff_track_align(double *values, int rows) {
  for (int i = 0; i < rows; i++) {
    double *q = values + (size_t)i * (FF_TRACK_WIDTH + 1) + 4, *before = q - FF_TRACK_WIDTH - 1;
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(norm > 0)) {
      return false;
    }
    double dot = 1;
    if (i > 0) {
      dot = q[0] * before[0] + q[1] * before[1] + q[2] * before[2] + q[3] * before[3];
    }
    for (int k = 0; k < 4; k++) {
      q[k] = (dot < 0 ? -q[k] : q[k]) / norm;
    }
  }
  return true;
}

/* Vector part of 2 a b* / n. */
static ff_vec3 track_turn(ff_quat a, ff_quat b, double n) {
  ff_quat product = q_mul(a, q_conj(b));
  return v3_scale(2 / n, v3(product.x, product.y, product.z));
}

/* With p(t) the spline of the quaternion and q = p / |p|:
 *   omega = 2 Im(p' p*) / |p|^2,   alpha = 2 Im(p'' p*) / |p|^2 - 2 (p . p') / |p|^2 omega. */
ff_track_point ff_track_at(const ff_track *track, double t) {
  double x[FF_TRACK_WIDTH], v[FF_TRACK_WIDTH], a[FF_TRACK_WIDTH];
  ff_track_spline(track->poses.values, track->bends, track->poses.rows, FF_TRACK_WIDTH, t, x, v, a);
  ff_quat p = {x[3], x[4], x[5], x[6]}, dp = {v[3], v[4], v[5], v[6]};
  ff_quat ddp = {a[3], a[4], a[5], a[6]};
  double n = p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z;
  double slope = p.w * dp.w + p.x * dp.x + p.y * dp.y + p.z * dp.z;
  ff_track_point out = {.pose = {v3_load(x), q_unit(p)},
                        .velocity = v3_load(v),
                        .omega = track_turn(dp, p, n),
                        .acceleration = v3_load(a)};
  out.angular = v3_axpy(track_turn(ddp, p, n), -2 * slope / n, out.omega);
  return out;
}
