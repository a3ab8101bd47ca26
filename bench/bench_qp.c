/* What a quadratic programme of 24 unknowns costs, as for eight contacts: mean and worst.
 *
 * A walk of 1e5 random problems, each near the one before and started from its solution; every
 * 200th is a new one altogether, as after a footfall. Each is solved three times from the same
 * start and the fastest counts, so that the worst is that of the method and not of the machine's
 * other work. The peer is one Cholesky solve of all unknowns in plain loops, measured in the same
 * run.
 */
#include "clock.h"
#include "footfall/qp.h"
#include "targets.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 24, PROBLEMS = 100000, FRESH = 200, REPEATS = 3 };

static double a[SIZE * SIZE], b[SIZE], h[SIZE * SIZE], g[SIZE], lower[SIZE], upper[SIZE];

/* In [-1, 1): xorshift64*. */
static double random_number(void) {
  static uint64_t seed = 88172645463325253ULL;
  seed ^= seed >> 12;
  seed ^= seed << 25;
  seed ^= seed >> 27;
  return (double)((seed * 0x2545F4914F6CDD1DULL) >> 11) / 4503599627370496.0 - 1;
}

/* ---- problems -------------------------------------------------------------------------------- */

/* H = A'A + lambda, g = -A'b: the paper's programme for impulses. */
static void form(double lambda) {
  for (int i = 0; i < SIZE; i++) {
    g[i] = 0;
    for (int j = 0; j < SIZE; j++) {
      h[i * SIZE + j] = i == j ? lambda : 0;
    }
  }
  for (int k = 0; k < SIZE; k++) {
    const double *row = a + k * SIZE;
    for (int i = 0; i < SIZE; i++) {
      g[i] -= row[i] * b[k];
      for (int j = 0; j < SIZE; j++) {
        h[i * SIZE + j] += row[i] * row[j];
      }
    }
  }
}

/* A new problem, or one a little further on. */
static void change(double part) {
  for (int i = 0; i < SIZE * SIZE; i++) {
    a[i] = (1 - part) * a[i] + part * random_number();
  }
  for (int i = 0; i < SIZE; i++) {
    b[i] = (1 - part) * b[i] + part * random_number();
    lower[i] = i % 3 == 2 ? 0 : -INFINITY; /* every third is a normal impulse */
    upper[i] = INFINITY;
  }
  form(0.1);
}

/* ---- the peer -------------------------------------------------------------------------------- */

static void plain_cholesky(double *x) {
  static double l[SIZE * SIZE];
  for (int i = 0; i < SIZE; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = h[i * SIZE + j];
      for (int k = 0; k < j; k++) {
        sum -= l[i * SIZE + k] * l[j * SIZE + k];
      }
      l[i * SIZE + j] = i == j ? sqrt(sum) : sum / l[j * SIZE + j];
    }
  }
  for (int i = 0; i < SIZE; i++) {
    x[i] = -g[i];
    for (int k = 0; k < i; k++) {
      x[i] -= l[i * SIZE + k] * x[k];
    }
    x[i] /= l[i * SIZE + i];
  }
  for (int i = SIZE - 1; i >= 0; i--) {
    for (int k = i + 1; k < SIZE; k++) {
      x[i] -= l[k * SIZE + i] * x[k];
    }
    x[i] /= l[i * SIZE + i];
  }
}

static double time_peer(void) {
  double x[SIZE], best = INFINITY;
  void (*volatile call)(double *) = plain_cholesky; /* cannot be left out */
  for (int i = 0; i < 2000; i++) {
    double start = now();
    call(x);
    best = fmin(best, now() - start);
  }
  return best;
}

/* ---- measuring ------------------------------------------------------------------------------- */

typedef struct tally {
  double sum, worst, residual;
  int iterations, most, failed;
} tally;

static void count(ff_qp *qp, const ff_qp_problem *problem, double *x, tally *t) {
  double start[SIZE], fastest = INFINITY;
  ff_qp_info info = {0};
  memcpy(start, x, sizeof start);
  for (int i = 0; i < REPEATS; i++) {
    memcpy(x, start, sizeof start);
    double from = now();
    info = ff_qp_solve(qp, problem, x);
    fastest = fmin(fastest, now() - from);
  }
  t->sum += fastest;
  t->worst = fmax(t->worst, fastest);
  t->residual = fmax(t->residual, info.scaled);
  t->iterations += info.iterations;
  t->most = info.iterations > t->most ? info.iterations : t->most;
  t->failed += info.outcome != FF_QP_SOLVED;
}

static void print(const char *what, const tally *t, int problems, double peer) {
  double mean = t->sum / problems;
  printf(
      "%-26s mean %6.2f us (%4.1f Cholesky)  worst %6.2f us (%4.1f mean)  iterations %.2f, most %d"
      "  residual %.1e  failed %d (none wanted: %s)\n",
      what, 1e6 * mean, mean / peer, 1e6 * t->worst, t->worst / mean,
      (double)t->iterations / problems, t->most, t->residual, t->failed, target(t->failed == 0));
}

int main(void) {
  ff_qp_def def = ff_qp_def_default();
  def.size = def.rows = SIZE;
  ff_qp *qp;
  if (ff_qp_create(&qp, &def, NULL) != FF_OK) {
    return 1;
  }
  ff_qp_problem products = {
      .size = SIZE, .hessian = h, .gradient = g, .lower = lower, .upper = upper};
  ff_qp_problem squares = {.size = SIZE,
                           .rows = SIZE,
                           .matrix = a,
                           .target = b,
                           .lambda = 0.1,
                           .lower = lower,
                           .upper = upper};
  tally warm = {0}, cold = {0}, reflected = {0};
  double x[SIZE] = {0}, y[SIZE] = {0};
  for (int i = 0; i < PROBLEMS; i++) {
    change(i % FRESH ? 0.01 : 1);
    count(qp, &products, x, &warm);
    if (i % 10 == 0) {
      double zero[SIZE] = {0};
      count(qp, &products, zero, &cold);
      count(qp, &squares, y, &reflected);
    }
  }
  double peer = time_peer();
  print("qp 24, H, warm", &warm, PROBLEMS, peer);
  print("qp 24, H, from zero", &cold, PROBLEMS / 10, peer);
  print("qp 24, A and b, warm", &reflected, PROBLEMS / 10, peer);
  ff_qp_destroy(&qp);
  return targets_end();
}
