/* An impact by brute force: fixed small steps of the classical Runge-Kutta method, and events
 * landed on by shortening the last step. Knows nothing of the closed forms it is held against. */
#ifndef FF_TESTS_IMPACT_REFERENCE_H
#define FF_TESTS_IMPACT_REFERENCE_H

#include "testing.h"

typedef struct motion {
  double mass;
  double (*force)(const struct motion *motion, double x, double v);
  double k, n, b, alpha; /* as the force needs them */
  double t, x, v, work;  /* the state; work: of the force, taken from the body */
} motion;

static inline double hunt_crossley_force(const motion *m, double x, double v) {
  return m->k * pow(fmax(x, 0.0), m->n) * (1.0 + 1.5 * m->alpha * v);
}

static inline double linear_force(const motion *m, double x, double v) {
  return m->k * x + m->b * v;
}

static inline motion motion_step(motion m, double h) {
  double x = 0, v = 0, w = 0, kx = 0, kv = 0, kw = 0;
  const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  for (int i = 0; i < 4; i++) {
    double xi = m.x + at[i] * h * kx, vi = m.v + at[i] * h * kv;
    double force = m.force(&m, xi, vi);
    kx = vi, kv = -force / m.mass, kw = force * vi;
    x += weight[i] * kx, v += weight[i] * kv, w += weight[i] * kw;
  }
  m.t += h, m.x += h / 6 * x, m.v += h / 6 * v, m.work += h / 6 * w;
  return m;
}

/* What ends a stretch: depth or velocity or force or its rate comes to zero from above. */
static inline double until_out(const motion *m) {
  return m->x;
}
static inline double until_deepest(const motion *m) {
  return m->v;
}
static inline double until_no_force(const motion *m) {
  return m->force(m, m->x, m->v);
}
/* Force rate over k x^(n-1), from the chain rule. */
static inline double until_peak_hunt_crossley(const motion *m) {
  double a = 1.5 * m->alpha, f = m->force(m, m->x, m->v);
  return m->n * m->v * (1.0 + a * m->v) - a * m->x * f / m->mass;
}
static inline double until_peak_linear(const motion *m) {
  return m->k * m->v - m->b * m->force(m, m->x, m->v) / m->mass;
}

static inline motion motion_run(motion m, double h, double (*until)(const motion *)) {
  motion next = motion_step(m, h);
  while (until(&next) > 0.0) {
    m = next;
    next = motion_step(m, h);
  }
  /* Regula falsi would stall; bisection of the last step cannot. */
  double low = 0.0, high = h;
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (low + high);
    motion there = motion_step(m, middle);
    *(until(&there) > 0.0 ? &low : &high) = middle;
  }
  return motion_step(m, high);
}

#endif
