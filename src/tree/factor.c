/* H = L^T L without fill-in: L has the zeros that the branches of the tree give to H
 * [Featherstone08 sec. 6.5]. lambda is the parent of a coordinate. */
#include "tree/tree.h"

bool ff_tree_factor(const ff_tree *tree, double *inertia) {
  const int *lambda = tree->dof_parent;
  size_t n = (size_t)tree->v_count;
  for (int k = tree->v_count - 1; k >= 0; k--) {
    double *row = inertia + (size_t)k * n;
    if (!(row[k] > 0)) {
      return false;
    }
    row[k] = sqrt(row[k]);
    for (int i = lambda[k]; i >= 0; i = lambda[i]) {
      row[i] /= row[k];
    }
    for (int i = lambda[k]; i >= 0; i = lambda[i]) {
      for (int j = i; j >= 0; j = lambda[j]) {
        inertia[(size_t)i * n + (size_t)j] -= row[i] * row[j];
      }
    }
  }
  return true;
}

void ff_tree_solve(const ff_tree *tree, const double *factor, double *x) {
  const int *lambda = tree->dof_parent;
  size_t n = (size_t)tree->v_count;
  /* L^T y = x */
  for (int i = tree->v_count - 1; i >= 0; i--) {
    const double *row = factor + (size_t)i * n;
    x[i] /= row[i];
    for (int j = lambda[i]; j >= 0; j = lambda[j]) {
      x[j] -= row[j] * x[i];
    }
  }
  /* L x = y */
  for (int i = 0; i < tree->v_count; i++) {
    const double *row = factor + (size_t)i * n;
    for (int j = lambda[i]; j >= 0; j = lambda[j]) {
      x[i] -= row[j] * x[j];
    }
    x[i] /= row[i];
  }
}
