/* One step of a body on a half-space with all unknowns of [Chakraborty07 eq. 14, 15].
 *
 * The stepper `quasi-rigid` solves a smaller problem; this one is what it must agree with, and what
 * peers are given to solve. Body 1 is an ellipsoid (f), body 2 the half-space z < 0 (g = z), which
 * alone is flexible. Unknowns, impulses divided by h as the paper does for numerical stability:
 *   u  v (3), L (3), a_1 (3), a_2 (3), delta-bar, delta_n, delta_t, delta_o, p_t, p_o, p_r
 *   v  p_ns, p_nr, sigma
 * Of the two equations between unit vectors the components along x and y are independent. Angular
 * momentum stands for angular velocity, and how a body turns in a step is asked of the caller.
 */
#ifndef FF_BENCH_PAPER_STEP_H
#define FF_BENCH_PAPER_STEP_H

#include "footfall/types.h"

#include <math.h>
#include <string.h>

enum {
  PAPER_V = 0,
  PAPER_L = 3,
  PAPER_A1 = 6,
  PAPER_A2 = 9,
  PAPER_DBAR = 12,
  PAPER_DN = 13,
  PAPER_DT = 14,
  PAPER_DO = 15,
  PAPER_PT = 16,
  PAPER_PNS = 19, /* complementary from here on */
  PAPER_PNR = 20,
  PAPER_SIGMA = 21,
  PAPER_SIZE = 22
};

typedef struct paper_step {
  double h, mass;                /* s, kg */
  ff_vec3 axes, inv_inertia;     /* m, 1/(kg m^2): along the same body axes */
  ff_vec3 x;                     /* m, at the start */
  ff_vec3 v_free, l_free;        /* m/s, kg m^2/s: at the end if nothing touches */
  double k, c, k_t, c_t;         /* N/m, N s/m: along the normal, and across */
  double thick, mu, e[3];        /* m, 1, friction ellipsoid */
  double deflection, stretch[2]; /* m, of the layer at the start: normal, t and o */
  /* Orientation (rows: the body's axes in the world) at the end for this momentum. */
  void (*turn)(const void *context, ff_vec3 l, double out[3][3]);
  const void *context;
} paper_step;

/* Everything that follows from the unknowns. */
typedef struct paper_place {
  double r[3][3];        /* rows: body axes, world */
  ff_vec3 x, arm, omega; /* arm: from the centre to a_1 */
  ff_vec3 y;             /* arm, body frame */
  ff_vec3 raw, n;        /* gradient of f at a_1, and its unit vector */
  double length;         /* of raw */
  ff_vec3 slip;          /* m/s, of the body at a_1 */
} paper_place;

static inline ff_vec3 paper_v(const double *z) {
  return (ff_vec3){z[0], z[1], z[2]};
}
static inline double paper_dot(ff_vec3 a, ff_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline ff_vec3 paper_cross(ff_vec3 a, ff_vec3 b) {
  return (ff_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline ff_vec3 paper_axpy(ff_vec3 a, double s, ff_vec3 b) {
  return (ff_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline ff_vec3 paper_scale(double s, ff_vec3 a) {
  return (ff_vec3){s * a.x, s * a.y, s * a.z};
}

/* Into the body frame, scaled there axis by axis, and back. */
static inline ff_vec3 paper_in(double r[3][3], ff_vec3 a) {
  return (ff_vec3){paper_dot(paper_v(r[0]), a), paper_dot(paper_v(r[1]), a),
                   paper_dot(paper_v(r[2]), a)};
}
static inline ff_vec3 paper_out(double r[3][3], ff_vec3 a) {
  ff_vec3 sum = paper_scale(a.x, paper_v(r[0]));
  return paper_axpy(paper_axpy(sum, a.y, paper_v(r[1])), a.z, paper_v(r[2]));
}
static inline ff_vec3 paper_mul(ff_vec3 a, ff_vec3 b) {
  return (ff_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline ff_vec3 paper_weights(const paper_step *s) {
  return (ff_vec3){2 / (s->axes.x * s->axes.x), 2 / (s->axes.y * s->axes.y),
                   2 / (s->axes.z * s->axes.z)};
}

static inline void paper_look(const paper_step *s, const double *z, paper_place *at) {
  s->turn(s->context, paper_v(z + PAPER_L), at->r);
  at->x = paper_axpy(s->x, s->h, paper_v(z + PAPER_V));
  at->arm = paper_axpy(paper_v(z + PAPER_A1), -1, at->x);
  at->y = paper_in(at->r, at->arm);
  at->raw = paper_out(at->r, paper_mul(paper_weights(s), at->y));
  at->length = sqrt(paper_dot(at->raw, at->raw));
  at->n = paper_scale(1 / at->length, at->raw);
  ff_vec3 l = paper_in(at->r, paper_v(z + PAPER_L));
  at->omega = paper_out(at->r, paper_mul(s->inv_inertia, l));
  at->slip = paper_axpy(paper_v(z + PAPER_V), 1, paper_cross(at->omega, at->arm));
}

/* Force on the body: friction, layer and core. */
static inline ff_vec3 paper_force(const double *z) {
  return (ff_vec3){z[PAPER_PT], z[PAPER_PT + 1], z[PAPER_PNS] + z[PAPER_PNR]};
}

static inline int paper_residual(void *context, const double *z, double *f) {
  const paper_step *s = context;
  paper_place at;
  paper_look(s, z, &at);
  ff_vec3 a1 = paper_v(z + PAPER_A1), a2 = paper_v(z + PAPER_A2), force = paper_force(z);
  ff_vec3 torque = paper_cross(at.arm, force), apart = paper_axpy(a1, -1, a2);
  double gap = sqrt(paper_dot(apart, apart)), load = s->mu * force.z;
  torque.z += z[PAPER_PT + 2];
  const double v[3] = {s->v_free.x, s->v_free.y, s->v_free.z};
  const double l[3] = {s->l_free.x, s->l_free.y, s->l_free.z};
  const double p[3] = {force.x, force.y, force.z}, m[3] = {torque.x, torque.y, torque.z};
  for (int i = 0; i < 3; i++) {
    f[PAPER_V + i] = s->mass * (z[PAPER_V + i] - v[i]) / s->h - p[i];
    f[PAPER_L + i] = (z[PAPER_L + i] - l[i]) / s->h - m[i];
  }
  f[6] = apart.x + gap * at.n.x;
  f[7] = apart.y + gap * at.n.y;
  f[8] = at.n.x;
  f[9] = at.n.y;
  f[10] = 0.5 * (paper_dot(at.y, paper_mul(paper_weights(s), at.y)) / 2 - 1) * s->axes.z;
  f[11] = a2.z + z[PAPER_DBAR];
  f[12] = a2.z + z[PAPER_DN];
  f[13] = z[PAPER_PNS] - s->k * z[PAPER_DN] - s->c / s->h * (z[PAPER_DN] - s->deflection);
  for (int i = 0; i < 2; i++) {
    double d = z[PAPER_DT + i];
    f[14 + i] = z[PAPER_PT + i] - s->k_t * d - s->c_t / s->h * (d - s->stretch[i]);
  }
  const double w[3] = {at.slip.x, at.slip.y, at.omega.z};
  double used = 0;
  for (int i = 0; i < 3; i++) {
    double e2 = s->e[i] * s->e[i];
    f[16 + i] = e2 * load * w[i] + z[PAPER_PT + i] * z[PAPER_SIGMA];
    used += z[PAPER_PT + i] * z[PAPER_PT + i] / e2;
  }
  f[PAPER_PNS] = a1.z + z[PAPER_DBAR];
  f[PAPER_PNR] = s->thick - z[PAPER_DN];
  f[PAPER_SIGMA] = load * load - used;
  return 0;
}

/* How the body turns with its momentum, by central differences: rad/(kg m^2/s), by columns. */
static inline void paper_turning(const paper_step *s, ff_vec3 l, ff_vec3 out[3]) {
  double ease = fmax(s->inv_inertia.x, fmax(s->inv_inertia.y, s->inv_inertia.z));
  double step = 1e-6 / (s->h * ease);
  for (int k = 0; k < 3; k++) {
    double more[3][3], less[3][3];
    ff_vec3 d = {k == 0, k == 1, k == 2}, sum = {0, 0, 0};
    s->turn(s->context, paper_axpy(l, step, d), more);
    s->turn(s->context, paper_axpy(l, -step, d), less);
    for (int i = 0; i < 3; i++) { /* half the sum of axis x its change */
      sum = paper_axpy(sum, 0.5, paper_cross(paper_v(less[i]), paper_v(more[i])));
    }
    out[k] = paper_scale(1 / (2 * step), sum);
  }
}

/* Change of the residual when the unknowns change by dz, which turns the body by theta. */
static inline void paper_column(const paper_step *s, const double *z, const paper_place *at,
                                const double *dz, ff_vec3 theta, double *f) {
  ff_vec3 dv = paper_v(dz + PAPER_V), dl = paper_v(dz + PAPER_L), da1 = paper_v(dz + PAPER_A1);
  ff_vec3 darm = paper_axpy(da1, -s->h, dv), l = paper_v(z + PAPER_L);
  double(*r)[3] = (double(*)[3])at->r;
  ff_vec3 dy = paper_in(r, paper_axpy(darm, -1, paper_cross(theta, at->arm)));
  ff_vec3 draw =
      paper_axpy(paper_cross(theta, at->raw), 1, paper_out(r, paper_mul(paper_weights(s), dy)));
  ff_vec3 dn = paper_scale(1 / at->length, paper_axpy(draw, -paper_dot(at->n, draw), at->n));
  ff_vec3 held = paper_in(r, paper_axpy(dl, -1, paper_cross(theta, l)));
  ff_vec3 dw =
      paper_axpy(paper_cross(theta, at->omega), 1, paper_out(r, paper_mul(s->inv_inertia, held)));
  ff_vec3 dslip =
      paper_axpy(dv, 1, paper_axpy(paper_cross(dw, at->arm), 1, paper_cross(at->omega, darm)));
  ff_vec3 force = paper_force(z), dforce = paper_force(dz);
  ff_vec3 dm = paper_axpy(paper_cross(darm, force), 1, paper_cross(at->arm, dforce));
  dm.z += dz[PAPER_PT + 2];
  ff_vec3 apart = paper_axpy(paper_v(z + PAPER_A1), -1, paper_v(z + PAPER_A2));
  ff_vec3 dapart = paper_axpy(da1, -1, paper_v(dz + PAPER_A2));
  double gap = sqrt(paper_dot(apart, apart));
  double dgap = gap > 0 ? paper_dot(apart, dapart) / gap : 0;
  const double p[3] = {dforce.x, dforce.y, dforce.z}, m[3] = {dm.x, dm.y, dm.z};
  for (int i = 0; i < 3; i++) {
    f[PAPER_V + i] = s->mass * dz[PAPER_V + i] / s->h - p[i];
    f[PAPER_L + i] = dz[PAPER_L + i] / s->h - m[i];
  }
  f[6] = dapart.x + gap * dn.x + dgap * at->n.x;
  f[7] = dapart.y + gap * dn.y + dgap * at->n.y;
  f[8] = dn.x;
  f[9] = dn.y;
  f[10] = 0.5 * paper_dot(dy, paper_mul(paper_weights(s), at->y)) * s->axes.z;
  f[11] = dz[PAPER_A2 + 2] + dz[PAPER_DBAR];
  f[12] = dz[PAPER_A2 + 2] + dz[PAPER_DN];
  f[13] = dz[PAPER_PNS] - (s->k + s->c / s->h) * dz[PAPER_DN];
  for (int i = 0; i < 2; i++) {
    f[14 + i] = dz[PAPER_PT + i] - (s->k_t + s->c_t / s->h) * dz[PAPER_DT + i];
  }
  const double w[3] = {at->slip.x, at->slip.y, at->omega.z}, wd[3] = {dslip.x, dslip.y, dw.z};
  double load = s->mu * force.z, dload = s->mu * dforce.z, dused = 0;
  for (int i = 0; i < 3; i++) {
    double e2 = s->e[i] * s->e[i], pt = z[PAPER_PT + i];
    f[16 + i] = e2 * (dload * w[i] + load * wd[i]) + dz[PAPER_PT + i] * z[PAPER_SIGMA] +
                pt * dz[PAPER_SIGMA];
    dused += 2 * pt * dz[PAPER_PT + i] / e2;
  }
  f[PAPER_PNS] = da1.z + dz[PAPER_DBAR];
  f[PAPER_PNR] = -dz[PAPER_DN];
  f[PAPER_SIGMA] = 2 * load * dload - dused;
}

static inline int paper_jacobian(void *context, const double *z, double *j) {
  const paper_step *s = context;
  paper_place at;
  ff_vec3 turning[3];
  paper_look(s, z, &at);
  paper_turning(s, paper_v(z + PAPER_L), turning);
  for (int k = 0; k < PAPER_SIZE; k++) {
    double dz[PAPER_SIZE] = {0};
    dz[k] = 1;
    ff_vec3 theta = {0, 0, 0};
    theta = k >= PAPER_L && k < PAPER_A1 ? turning[k - PAPER_L] : theta;
    paper_column(s, z, &at, dz, theta, j + (size_t)k * PAPER_SIZE);
  }
  return 0;
}

/* The unknowns that go with velocities and impulses of the end: where closest points and
 * deflections are then. */
static inline void paper_fill(const paper_step *s, ff_vec3 v, ff_vec3 l, const double friction[3],
                              double layer, double core, double *z) {
  const double flat[PAPER_SIZE] = {v.x, v.y, v.z, l.x, l.y, l.z};
  memcpy(z, flat, sizeof flat);
  paper_place at;
  paper_look(s, z, &at);
  /* the lowest point of an ellipsoid: -R S^2 R^T e_z / |S R^T e_z| */
  ff_vec3 up = paper_in(at.r, (ff_vec3){0, 0, 1}), scaled = paper_mul(s->axes, up);
  double size = sqrt(paper_dot(scaled, scaled));
  ff_vec3 low = paper_out(at.r, paper_scale(-1 / size, paper_mul(s->axes, scaled)));
  ff_vec3 a1 = paper_axpy(at.x, 1, low);
  double relaxed = s->c * s->deflection / (s->h * s->k + s->c), depth = fmax(-a1.z, relaxed);
  const double a[6] = {a1.x, a1.y, a1.z, a1.x, a1.y, -depth};
  memcpy(z + PAPER_A1, a, sizeof a);
  z[PAPER_DBAR] = z[PAPER_DN] = depth;
  z[PAPER_PNS] = layer;
  z[PAPER_PNR] = core;
  paper_look(s, z, &at);
  const double w[3] = {at.slip.x, at.slip.y, at.omega.z};
  double speed = 0;
  for (int i = 0; i < 3; i++) {
    z[PAPER_PT + i] = friction[i];
    speed += s->e[i] * w[i] * s->e[i] * w[i];
  }
  z[PAPER_SIGMA] = sqrt(speed);
  for (int i = 0; i < 2; i++) {
    z[PAPER_DT + i] = (s->h * friction[i] + s->c_t * s->stretch[i]) / (s->h * s->k_t + s->c_t);
  }
}

#endif
