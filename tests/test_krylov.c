/* GMRES: any matrix with the help of one that is near it. */
#include "base/memory.h"
#include "solve/krylov.h"
#include "testing.h"

#include <string.h>

enum { SIZE = 60 };

typedef struct matrices {
  double a[SIZE][SIZE];
  double near[SIZE]; /* its diagonal, or that of another */
  int divisions;
} matrices;

static void times(void *context, const double *x, double *out) {
  const matrices *m = context;
  for (int i = 0; i < SIZE; i++) {
    out[i] = 0;
    for (int k = 0; k < SIZE; k++) {
      out[i] += m->a[i][k] * x[k];
    }
  }
}

static void divide(void *context, double *x) {
  matrices *m = context;
  m->divisions++;
  for (int i = 0; i < SIZE; i++) {
    x[i] /= m->near[i];
  }
}

/* Rows of very different units, and off the diagonal this share of it, in all. */
static void draw(matrices *m, double off, uint64_t *seed, double weights[SIZE]) {
  m->divisions = 0;
  for (int i = 0; i < SIZE; i++) {
    double unit = i % 2 == 0 ? 1 : 1e3;
    weights[i] = 1 / (unit * unit);
    for (int k = 0; k < SIZE; k++) {
      m->a[i][k] = unit * (i == k ? 1 : ff_random_in(seed, -off, off) / sqrt(SIZE));
    }
    m->near[i] = unit;
  }
}

static ff_krylov_problem pose(matrices *m, const double *weights) {
  return (ff_krylov_problem){
      .context = m, .size = SIZE, .weights = weights, .times = times, .divide = divide};
}

static void solves_to_the_tolerance_and_no_further(void **state) {
  (void)state;
  static matrices m;
  uint64_t seed = 5;
  ff_krylov *krylov;
  assert_int_equal(ff_krylov_create(&krylov, SIZE), FF_OK);
  static const double tolerances[] = {0.3, 1e-2, 1e-4, 1e-6};
  int before = 0;
  for (int t = 0; t < 4; t++) {
    double weights[SIZE], x[SIZE], b[SIZE], back[SIZE], off = 0, size = 0;
    seed = 5; /* the same for each */
    draw(&m, 0.4, &seed, weights);
    for (int i = 0; i < SIZE; i++) {
      b[i] = x[i] = ff_random_in(&seed, -1, 1) / sqrt(weights[i]);
    }
    ff_krylov_problem problem = pose(&m, weights);
    long allocated = ff_alloc_count();
    assert_true(ff_krylov_solve(krylov, &problem, x, tolerances[t]));
    assert_int_equal(ff_alloc_count(), allocated);
    times(&m, x, back);
    for (int i = 0; i < SIZE; i++) {
      off += weights[i] * (back[i] - b[i]) * (back[i] - b[i]);
      size += weights[i] * b[i] * b[i];
    }
    assert_true(sqrt(off / size) <= tolerances[t] * (1 + 1e-9));
    assert_true(m.divisions > before);
    before = m.divisions;
  }
  ff_krylov_destroy(krylov);
}

static void right_factors_take_one_direction(void **state) {
  (void)state;
  static matrices m;
  uint64_t seed = 7;
  ff_krylov *krylov;
  double weights[SIZE], x[SIZE];
  assert_int_equal(ff_krylov_create(&krylov, SIZE), FF_OK);
  draw(&m, 0, &seed, weights);
  for (int i = 0; i < SIZE; i++) {
    x[i] = m.near[i] * i;
  }
  ff_krylov_problem problem = pose(&m, weights);
  assert_true(ff_krylov_solve(krylov, &problem, x, 1e-12));
  assert_int_equal(m.divisions, 1);
  for (int i = 0; i < SIZE; i++) {
    assert_close(x[i], i, 1e-12 * SIZE);
  }
  ff_krylov_destroy(krylov);
}

/* What is too far off, or not finite, leaves the right side as it was; nothing has nothing to do.
 */
static void says_when_it_fails(void **state) {
  (void)state;
  static matrices m;
  uint64_t seed = 9;
  ff_krylov *krylov;
  double weights[SIZE], x[SIZE], b[SIZE];
  assert_int_equal(ff_krylov_create(&krylov, SIZE), FF_OK);
  draw(&m, 0.4, &seed, weights);
  ff_krylov_problem problem = pose(&m, weights);
  memset(x, 0, sizeof x);
  assert_true(ff_krylov_solve(krylov, &problem, x, 1e-6));
  assert_int_equal(m.divisions, 0);
  for (int i = 0; i < SIZE; i++) {
    b[i] = x[i] = i;
    m.near[i] = i % 3 == 0 ? -1e-3 : 1e3 * i;
  }
  assert_false(ff_krylov_solve(krylov, &problem, x, 1e-10));
  assert_memory_equal(x, b, sizeof x);
  m.a[3][3] = NAN;
  assert_false(ff_krylov_solve(krylov, &problem, x, 0.5));
  assert_memory_equal(x, b, sizeof x);
  ff_krylov_destroy(krylov);
}

static void memory_may_fail(void **state) {
  (void)state;
  ff_krylov *krylov = NULL;
  long n = 0;
  do {
    ff_alloc_fail_at(++n);
  } while (ff_krylov_create(&krylov, SIZE) != FF_OK && n < 100);
  ff_alloc_fail_at(0);
  assert_true(n > 1 && n < 100);
  ff_krylov_destroy(krylov);
  ff_krylov_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solves_to_the_tolerance_and_no_further),
      cmocka_unit_test(right_factors_take_one_direction),
      cmocka_unit_test(says_when_it_fails),
      cmocka_unit_test(memory_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
