/* First state of a free body from measured poses before it touches.
 *
 * The centre of mass moves on a parabola: linear least squares for its position and velocity. The
 * orientation obeys Euler's equations without torque: Gauss-Newton for orientation and angular
 * velocity. Differences of neighbouring poses would be far noisier. */
#include "base/memory.h"
#include "math/vec.h"
#include "study/fit.h"

#include <string.h>

enum { FLIGHT_ROWS_MAX = 4096, UNKNOWNS = 6 };

static ff_vec3 flight_com(const ff_flight_row *row, ff_vec3 com) {
  return v3_add(row->position, q_rotate(row->orientation, com));
}

/* Straight line through com - g t^2 / 2. */
static bool flight_line(const ff_flight_row *rows, int count, ff_vec3 com, ff_vec3 gravity,
                        ff_vec3 *x, ff_vec3 *v) {
  double n = 0, st = 0, stt = 0;
  ff_vec3 sx = {0}, stx = {0};
  for (int i = 0; i < count; i++) {
    if (isnan(rows[i].position.x) || isnan(rows[i].orientation.w)) {
      continue;
    }
    double t = rows[i].time;
    ff_vec3 at = v3_axpy(flight_com(&rows[i], com), -0.5 * t * t, gravity);
    n += 1;
    st += t;
    stt += t * t;
    sx = v3_add(sx, at);
    stx = v3_axpy(stx, t, at);
  }
  double det = n * stt - st * st;
  if (n < 2 || !(det > 0)) {
    return false;
  }
  *v = v3_scale(1 / det, v3_sub(v3_scale(n, stx), v3_scale(st, sx)));
  *x = v3_scale(1 / n, v3_axpy(sx, -st, *v));
  return true;
}

/* ---- rotation -------------------------------------------------------------------------------- */

typedef struct flight_spin {
  ff_quat q;     /* body -> world */
  ff_vec3 omega; /* rad/s, body axes */
} flight_spin;

static ff_mat3 flight_invert(ff_mat3 a) {
  ff_vec3 c0 = v3(a.m[0][0], a.m[1][0], a.m[2][0]), c1 = v3(a.m[0][1], a.m[1][1], a.m[2][1]);
  ff_vec3 c2 = v3(a.m[0][2], a.m[1][2], a.m[2][2]);
  double det = v3_dot(c0, v3_cross(c1, c2));
  ff_vec3 r[3] = {v3_scale(1 / det, v3_cross(c1, c2)), v3_scale(1 / det, v3_cross(c2, c0)),
                  v3_scale(1 / det, v3_cross(c0, c1))};
  ff_mat3 out;
  for (int i = 0; i < 3; i++) {
    v3_store(out.m[i], r[i]);
  }
  return out;
}

/* omega' = I^-1 (I omega x omega), body axes */
static ff_vec3 flight_rate(const ff_mat3 *inertia, const ff_mat3 *inverse, ff_vec3 omega) {
  return m3_mul(*inverse, v3_cross(m3_mul(*inertia, omega), omega));
}

/* Advances by h: omega by the classical Runge-Kutta method, q by the mean rate (order 2 within a
 * substep, whose angle is below 0.02 rad). */
static void flight_turn(flight_spin *spin, const ff_mat3 *inertia, const ff_mat3 *inverse,
                        double h) {
  int parts = 1 + (int)(fabs(h) * v3_norm(spin->omega) / 0.02);
  double step = h / parts;
  for (int i = 0; i < parts; i++) {
    ff_vec3 w = spin->omega, k1 = flight_rate(inertia, inverse, w);
    ff_vec3 k2 = flight_rate(inertia, inverse, v3_axpy(w, 0.5 * step, k1));
    ff_vec3 k3 = flight_rate(inertia, inverse, v3_axpy(w, 0.5 * step, k2));
    ff_vec3 k4 = flight_rate(inertia, inverse, v3_axpy(w, step, k3));
    ff_vec3 sum = v3_add(v3_add(k1, k4), v3_scale(2, v3_add(k2, k3)));
    ff_vec3 middle = v3_axpy(w, 0.5 * step, k2);
    spin->omega = v3_axpy(w, step / 6, sum);
    spin->q = q_unit(q_mul(spin->q, q_exp(v3_scale(step, middle))));
  }
}

/* Rotation vectors from predicted to measured orientations, 3 a row. */
static void flight_errors(const flight_spin *start, const ff_flight_row *rows, int count,
                          const ff_mat3 *inertia, const ff_mat3 *inverse, double *errors) {
  flight_spin spin = *start;
  double t = 0;
  for (int i = 0; i < count; i++) {
    flight_turn(&spin, inertia, inverse, rows[i].time - t);
    t = rows[i].time;
    bool there = !isnan(rows[i].orientation.w);
    ff_vec3 off = there ? q_log(q_mul(q_conj(spin.q), rows[i].orientation)) : v3(0, 0, 0);
    v3_store(errors + 3 * i, off);
  }
}

static flight_spin flight_shift(const flight_spin *from, const double *by) {
  return (flight_spin){q_unit(q_mul(from->q, q_exp(v3_load(by)))),
                       v3_add(from->omega, v3_load(by + 3))};
}

/* Solves a x = b by Gauss elimination with pivots; false: singular. */
static bool flight_solve(double a[UNKNOWNS][UNKNOWNS], double *b) {
  for (int k = 0; k < UNKNOWNS; k++) {
    int pivot = k;
    for (int i = k + 1; i < UNKNOWNS; i++) {
      pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
    }
    for (int j = 0; j < UNKNOWNS; j++) {
      double swap = a[k][j];
      a[k][j] = a[pivot][j];
      a[pivot][j] = swap;
    }
    double swap = b[k];
    b[k] = b[pivot];
    b[pivot] = swap;
    if (!(fabs(a[k][k]) > 0)) {
      return false;
    }
    for (int i = k + 1; i < UNKNOWNS; i++) {
      double factor = a[i][k] / a[k][k];
      for (int j = k; j < UNKNOWNS; j++) {
        a[i][j] -= factor * a[k][j];
      }
      b[i] -= factor * b[k];
    }
  }
  for (int k = UNKNOWNS - 1; k >= 0; k--) {
    for (int j = k + 1; j < UNKNOWNS; j++) {
      b[k] -= a[k][j] * b[j];
    }
    b[k] /= a[k][k];
  }
  return true;
}

/* One Gauss-Newton step; errors and columns: room for 3 count and 18 count numbers. */
static bool flight_improve(flight_spin *spin, const ff_flight_row *rows, int count,
                           const ff_mat3 *inertia, const ff_mat3 *inverse, double *errors,
                           double *columns) {
  double normal[UNKNOWNS][UNKNOWNS] = {{0}}, right[UNKNOWNS] = {0};
  int n = 3 * count;
  flight_errors(spin, rows, count, inertia, inverse, errors);
  for (int k = 0; k < UNKNOWNS; k++) {
    double by[UNKNOWNS] = {0}, h = k < 3 ? 1e-6 : 1e-5;
    by[k] = h;
    flight_spin moved = flight_shift(spin, by);
    double *column = columns + k * n;
    flight_errors(&moved, rows, count, inertia, inverse, column);
    for (int i = 0; i < n; i++) {
      column[i] = (errors[i] - column[i]) / h;
    }
  }
  for (int k = 0; k < UNKNOWNS; k++) {
    for (int i = 0; i < n; i++) {
      right[k] += columns[k * n + i] * errors[i];
      for (int j = 0; j < UNKNOWNS; j++) {
        normal[k][j] += columns[k * n + i] * columns[j * n + i];
      }
    }
  }
  if (!flight_solve(normal, right)) {
    return false;
  }
  *spin = flight_shift(spin, right);
  return true;
}

static bool flight_spin_of(flight_spin *out, const ff_flight_row *rows, int count,
                           const ff_mat3 *inertia) {
  enum { PASSES = 5 };
  int first = 0, next;
  while (first < count && isnan(rows[first].orientation.w)) {
    first++;
  }
  for (next = first + 1; next < count && isnan(rows[next].orientation.w);) {
    next++;
  }
  double *room = next < count ? ff_alloc((size_t)count * 21, sizeof *room) : NULL;
  if (!room) {
    return false;
  }
  double dt = rows[next].time - rows[first].time;
  ff_quat between = q_mul(q_conj(rows[first].orientation), rows[next].orientation);
  ff_mat3 inverse = flight_invert(*inertia);
  *out = (flight_spin){rows[first].orientation, v3_scale(1 / dt, q_log(between))};
  flight_turn(out, inertia, &inverse, -rows[first].time);
  bool good = true;
  for (int pass = 0; pass < PASSES && good; pass++) {
    good = flight_improve(out, rows, count, inertia, &inverse, room, room + 3 * (size_t)count);
  }
  ff_free(room);
  return good && isfinite(q_norm(out->q)) && v3_finite(out->omega);
}

bool ff_flight_state(ff_body_state *out, const ff_flight_row *rows, int count,
                     const ff_body_info *body, ff_vec3 gravity) {
  flight_spin spin;
  ff_vec3 x, v;
  if (count > FLIGHT_ROWS_MAX || !flight_line(rows, count, body->com, gravity, &x, &v) ||
      !flight_spin_of(&spin, rows, count, &body->inertia)) {
    return false;
  }
  ff_vec3 arm = q_rotate(spin.q, body->com), omega = q_rotate(spin.q, spin.omega);
  *out = (ff_body_state){.position = v3_sub(x, arm),
                         .orientation = spin.q,
                         .velocity = v3_sub(v, v3_cross(omega, arm)),
                         .omega = omega};
  return true;
}
