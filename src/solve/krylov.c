#include "solve/krylov.h"

#include "base/arena.h"
#include "base/memory.h"
#include "math/elementary.h"

#include <math.h>
#include <string.h>

enum { MOST = 12 };

struct ff_krylov {
  ff_arena arena;
  double *v[MOST + 1];     /* most_rows each: Krylov basis, orthonormal in the weighted norm; */
  double *z[MOST];         /* preconditioned basis */
  double h[MOST][MOST];    /* Hessenberg matrix by columns, reduced to triangular form */
  double c[MOST], s[MOST]; /* by these Givens rotations, */
  double g[MOST + 1]; /* and the right-hand side with it; the last entry is the residual norm */
};

ff_status ff_krylov_create(ff_krylov **out, int most_rows) {
  *out = NULL;
  ff_krylov *k = ff_alloc(1, sizeof *k);
  if (!k) {
    return FF_ERROR_MEMORY;
  }
  bool complete = true;
  for (int i = 0; i < 2 * MOST + 1 && complete; i++) {
    double *vector = ff_arena_take(&k->arena, (size_t)most_rows, sizeof *vector);
    *(i <= MOST ? &k->v[i] : &k->z[i - MOST - 1]) = vector;
    complete = vector != NULL;
  }
  if (!complete) {
    ff_krylov_destroy(k);
    return FF_ERROR_MEMORY;
  }
  *out = k;
  return FF_OK;
}

void ff_krylov_destroy(ff_krylov *krylov) {
  if (krylov) {
    ff_arena_free(&krylov->arena);
    ff_free(krylov);
  }
}

static double weighted_dot(const ff_krylov_problem *of, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < of->size; i++) {
    sum += of->weights[i] * a[i] * b[i];
  }
  return sum;
}

static void vector_add_scaled(const ff_krylov_problem *of, double *to, double share,
                              const double *a) {
  for (int i = 0; i < of->size; i++) {
    to[i] += share * a[i];
  }
}

static void vector_set_scaled(const ff_krylov_problem *of, double *to, double scale,
                              const double *a) {
  for (int i = 0; i < of->size; i++) {
    to[i] = scale * a[i];
  }
}

/* Arnoldi step: basis vector n + 1 from A M^-1 v_n, orthogonalised by modified Gram-Schmidt.
 * Returns its norm. */
static double arnoldi_step(ff_krylov *k, const ff_krylov_problem *of, int n) {
  double *to = k->v[n + 1];
  memcpy(k->z[n], k->v[n], (size_t)of->size * sizeof(double));
  of->divide(of->context, k->z[n]);
  of->times(of->context, k->z[n], to);
  for (int i = 0; i <= n; i++) {
    k->h[n][i] = weighted_dot(of, to, k->v[i]);
    vector_add_scaled(of, to, -k->h[n][i], k->v[i]);
  }
  double left = sqrt(weighted_dot(of, to, to));
  if (left > 0) {
    vector_set_scaled(of, to, 1 / left, to);
  }
  return left;
}

/* Applies the Givens rotations to column n, and one more to eliminate its subdiagonal entry. False:
 * the column is zero or not finite. */
static bool givens_rotate(ff_krylov *k, int n, double below) {
  double *h = k->h[n];
  for (int i = 0; i < n; i++) {
    double here = h[i], next = h[i + 1];
    h[i] = k->c[i] * here + k->s[i] * next;
    h[i + 1] = k->c[i] * next - k->s[i] * here;
  }
  double length = ff_hypot(h[n], below);
  k->c[n] = h[n] / length;
  k->s[n] = below / length;
  h[n] = length;
  k->g[n + 1] = -k->s[n] * k->g[n];
  k->g[n] *= k->c[n];
  return length > 0;
}

/* x: the minimal-residual combination of n directions. */
static void gmres_combine(ff_krylov *k, const ff_krylov_problem *of, int n, double *x) {
  double y[MOST];
  for (int i = n - 1; i >= 0; i--) {
    y[i] = k->g[i];
    for (int j = i + 1; j < n; j++) {
      y[i] -= k->h[j][i] * y[j];
    }
    y[i] /= k->h[i][i];
  }
  memset(x, 0, (size_t)of->size * sizeof(double));
  for (int i = 0; i < n; i++) {
    vector_add_scaled(of, x, y[i], k->z[i]);
  }
}

bool ff_krylov_solve(ff_krylov *k, const ff_krylov_problem *problem, double *x, double tolerance) {
  double size = sqrt(weighted_dot(problem, x, x));
  if (!(size > 0)) {
    return size == 0;
  }
  vector_set_scaled(problem, k->v[0], 1 / size, x);
  k->g[0] = size;
  int n = 0;
  for (; n < MOST && fabs(k->g[n]) > tolerance * size; n++) {
    if (!givens_rotate(k, n, arnoldi_step(k, problem, n))) {
      return false;
    }
  }
  if (!(fabs(k->g[n]) <= tolerance * size)) {
    return false;
  }
  gmres_combine(k, problem, n, x);
  return true;
}
