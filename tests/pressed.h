/* What two pressed bodies store, and how it changes with their poses. */
#ifndef FF_TESTS_PRESSED_H
#define FF_TESTS_PRESSED_H

#include "geom/press.h"
#include "geom_fixture.h"

/* A law that stores depth^5/2. */
typedef struct stored {
  ff_vec3 about;
  double energy;
  ff_vec3 force, moment;
  int count;
} stored;

static inline double stored_energy(void *context, double depth) {
  (void)context;
  return pow(depth, 2.5);
}

static inline void store(void *context, const ff_press *press) {
  stored *to = context;
  if (press->idle) {
    return;
  }
  double energy = pow(press->depth, 2.5), force = 2.5 * pow(press->depth, 1.5);
  ff_vec3 push = v3_scale(press->push * force, press->normal);
  push = v3_axpy(push, energy, press->pull);
  ff_vec3 moment = v3_axpy(v3_scale(force, press->couple), energy, press->swing);
  ff_vec3 arm = v3_sub(press->point, to->about);
  assert_true(press->depth > 0 && press->share >= 0 && press->slot < FF_PRESS_SLOTS);
  to->energy += press->share * energy;
  to->force = v3_add(to->force, push);
  to->moment = v3_add(to->moment, v3_add(v3_cross(arm, push), moment));
  to->count++;
}

static inline stored stored_in(const ff_geom *a, ff_pose pose_a, const ff_geom *b, ff_pose pose_b) {
  stored out = {.about = pose_a.position};
  const ff_press_to to = {store, stored_energy, &out};
  ff_geom_press(a, &pose_a, b, &pose_b, 0, &to);
  return out;
}

static inline ff_pose moved(ff_pose pose, double part, ff_vec3 way, ff_vec3 turn) {
  return (ff_pose){v3_axpy(pose.position, part, way),
                   q_mul(q_exp(v3_scale(part, turn)), pose.orientation)};
}

/* How far force and moment on a, scaled by a length (1/m), are from the slope of the energy, over
 * their size; `step` (m, rad) of the differences. */
static inline double slope_off(const ff_geom *a, ff_pose pa, const ff_geom *b, ff_pose pb,
                               double step, double scale) {
  stored at = stored_in(a, pa, b, pb);
  double size = v3_norm(at.force) + scale * v3_norm(at.moment), worst = 0;
  for (int k = 0; k < 6 && at.energy > 0; k++) {
    ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2), none = v3(0, 0, 0);
    ff_vec3 way = k < 3 ? axis : none, turn = k < 3 ? none : axis;
    double up = stored_in(a, moved(pa, step, way, turn), b, pb).energy;
    double down = stored_in(a, moved(pa, -step, way, turn), b, pb).energy;
    double force = v3_dot(axis, k < 3 ? at.force : at.moment);
    worst = fmax(worst, (k < 3 ? 1 : scale) * fabs((down - up) / (2 * step) - force));
  }
  return at.energy > 0 ? worst / size : 0;
}

/* Halves a way towards where the energy changes most: what is left of a change is a leap, told
 * over the energy at the ends of the way. */
static inline double leap_on(const ff_geom *a, ff_pose pa, const ff_geom *b, ff_pose pb,
                             ff_vec3 way, ff_vec3 turn) {
  double low = 0, high = 1, at_low = stored_in(a, pa, b, pb).energy;
  double at_high = stored_in(a, moved(pa, 1, way, turn), b, pb).energy;
  double most = fmax(at_low, at_high);
  for (int k = 0; k < 45; k++) {
    double half = 0.5 * (low + high), at = stored_in(a, moved(pa, half, way, turn), b, pb).energy;
    bool lower = fabs(at - at_low) > fabs(at_high - at);
    *(lower ? &high : &low) = half;
    *(lower ? &at_high : &at_low) = at;
  }
  return most > 0 ? fabs(at_high - at_low) / most : 0;
}

#endif
