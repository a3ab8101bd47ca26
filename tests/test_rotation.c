/* Free rotation: balls and tops exactly, other bodies of second order; and how the end turns with
 * the momentum. */
#include "math/vec.h"
#include "step/rotation.h"
#include "testing.h"

static ff_model_body body_of(double x, double y, double z, bool round, int top) {
  return (ff_model_body){
      .inertia = {x, y, z}, .inv_inertia = {1 / x, 1 / y, 1 / z}, .round = round, .top = top};
}

/* Balls, tops about each axis, thick and thin, and a body of three moments. */
static const struct {
  double x, y, z;
  bool round;
  int top;
} bodies[] = {{0.5, 0.5, 0.5, true, -1},
              {1e-3, 0.4, 0.4, false, 0},
              {0.7, 0.4, 0.7, false, 1},
              {0.4, 0.4, 0.6, false, 2},
              {0.3, 0.4, 0.6, false, -1}};

enum { BODIES = sizeof bodies / sizeof bodies[0] };

static ff_model_body body_at(int i) {
  return body_of(bodies[i].x, bodies[i].y, bodies[i].z, bodies[i].round, bodies[i].top);
}

static const ff_vec3 momentum = {0.3, -0.5, 0.7};

static ff_quat start(void) {
  return q_unit((ff_quat){0.6, -0.3, 0.5, 0.4});
}

/* Angle between two orientations. */
static double between(ff_quat a, ff_quat b) {
  return v3_norm(q_log(q_mul(a, q_conj(b))));
}

/* The same by many small steps of Runge and Kutta's method, on q' = 1/2 omega q. */
static ff_quat rate_of(const ff_model_body *body, ff_quat q) {
  ff_vec3 w = q_rotate(q, v3_mul(body->inv_inertia, q_unrotate(q, momentum)));
  return q_mul((ff_quat){0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z}, q);
}

static ff_quat ahead(ff_quat q, double h, ff_quat rate) {
  return (ff_quat){q.w + h * rate.w, q.x + h * rate.x, q.y + h * rate.y, q.z + h * rate.z};
}

static ff_quat integrate(const ff_model_body *body, ff_quat q, double t, int steps) {
  double h = t / steps;
  for (int i = 0; i < steps; i++) {
    ff_quat k1 = rate_of(body, q), k2 = rate_of(body, ahead(q, 0.5 * h, k1));
    ff_quat k3 = rate_of(body, ahead(q, 0.5 * h, k2)), k4 = rate_of(body, ahead(q, h, k3));
    q = ahead(ahead(q, h / 6, k1), h / 3, k2);
    q = q_unit(ahead(ahead(q, h / 3, k3), h / 6, k4));
  }
  return q;
}

static void balls_and_tops_turn_exactly(void **state) {
  (void)state;
  for (int i = 0; i < BODIES - 1; i++) {
    ff_model_body body = body_at(i);
    double t = i == 1 ? 0.002 : 0.5; /* the thin one spins fast */
    ff_quat end = ff_rotate_freely(&body, start(), momentum, t);
    /* as far as 2000 steps of fourth order tell */
    assert_close(between(end, integrate(&body, start(), t, 2000)), 0, 1e-11);
  }
}

static void others_are_of_second_order(void **state) {
  (void)state;
  ff_model_body body = body_at(BODIES - 1);
  ff_quat exact = integrate(&body, start(), 0.1, 2000);
  double off[2];
  for (int k = 0; k < 2; k++) {
    ff_quat q = start();
    int steps = 8 << k;
    for (int i = 0; i < steps; i++) {
      q = ff_rotate_freely(&body, q, momentum, 0.1 / steps);
    }
    off[k] = between(q, exact);
  }
  assert_true(off[0] > 1e-9); /* or nothing would be shown */
  assert_near(off[0] / off[1], 4, 0.05);
}

static void angular_velocity_is_that_of_the_momentum(void **state) {
  (void)state;
  for (int i = 0; i < BODIES; i++) {
    ff_model_body body = body_at(i);
    ff_quat q = start();
    ff_vec3 w = q_rotate(q, v3_mul(body.inv_inertia, q_unrotate(q, momentum)));
    ff_vec3 off = v3_sub(ff_body_omega(&body, q, momentum), w);
    assert_close(v3_norm(off), 0, 1e-15 / body.inertia.x); /* a few roundings */
  }
}

/* Against central differences of the end. */
static void slope_is_how_the_end_turns(void **state) {
  (void)state;
  for (int i = 0; i < BODIES; i++) {
    ff_model_body body = body_at(i);
    double h = i == 1 ? 0.005 : 0.3, d = 1e-5;
    ff_mat3 slope = ff_rotate_slope(&body, start(), momentum, h);
    for (int j = 0; j < 3; j++) {
      ff_vec3 kick = v3(j == 0 ? d : 0, j == 1 ? d : 0, j == 2 ? d : 0);
      ff_quat more = ff_rotate_freely(&body, start(), v3_add(momentum, kick), h);
      ff_quat less = ff_rotate_freely(&body, start(), v3_sub(momentum, kick), h);
      ff_vec3 turn = v3_scale(0.5 / d, q_log(q_mul(more, q_conj(less))));
      /* third derivatives, times d^2; and rounding, over d */
      double tolerance = 2e-9;
      assert_close(slope.m[0][j], turn.x, tolerance);
      assert_close(slope.m[1][j], turn.y, tolerance);
      assert_close(slope.m[2][j], turn.z, tolerance);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(balls_and_tops_turn_exactly),
      cmocka_unit_test(others_are_of_second_order),
      cmocka_unit_test(angular_velocity_is_that_of_the_momentum),
      cmocka_unit_test(slope_is_how_the_end_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
