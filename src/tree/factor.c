/* Sparse factorisation H = L^T L without fill-in: L inherits the branch-induced zeros of H
 * [Featherstone08 sec. 6.5]. lambda is the parent of a coordinate.
 *
 * The first coordinates form a chain, each the parent of the next: the root and the first branch,
 * or all of a full matrix. Paths through the chain need no lookup of parents. */
#include "math/pairs.h"
#include "tree/tree.h"

int ff_branch_chain(const int *lambda, int count) {
  int chain = 0;
  while (chain < count && lambda[chain] == chain - 1) {
    chain++;
  }
  return chain;
}

/* to -= by row, over coordinate j and its ancestors. */
static inline void branch_subtract_row(const int *lambda, int chain, int j, const double *row,
                                       double by, double *to) {
  for (; j >= chain; j = lambda[j]) {
    to[j] -= by * row[j];
  }
  ff_take_off(to, by, row, j + 1);
}

bool ff_branch_factor(const int *lambda, int count, double *inertia) {
  size_t n = (size_t)count;
  int chain = ff_branch_chain(lambda, count);
  for (int k = count - 1; k >= 0; k--) {
    double *row = inertia + (size_t)k * n;
    if (!(row[k] > 0)) {
      return false;
    }
    row[k] = sqrt(row[k]);
    double inverse = 1 / row[k];
    int j = lambda[k];
    for (; j >= chain; j = lambda[j]) {
      row[j] *= inverse;
    }
    ff_scale(row, inverse, j + 1);
    for (int i = lambda[k]; i >= 0; i = lambda[i]) {
      branch_subtract_row(lambda, chain, i, row, row[i], inertia + (size_t)i * n);
    }
  }
  return true;
}

void ff_branch_down(const int *lambda, int count, const double *factor, double *x) {
  int chain = ff_branch_chain(lambda, count);
  for (int i = count - 1; i >= 0; i--) {
    const double *row = factor + (size_t)i * (size_t)count;
    x[i] /= row[i];
    branch_subtract_row(lambda, chain, lambda[i], row, x[i], x);
  }
}

void ff_branch_up(const int *lambda, int count, const double *factor, double *x) {
  for (int i = 0; i < count; i++) {
    const double *row = factor + (size_t)i * (size_t)count;
    for (int j = lambda[i]; j >= 0; j = lambda[j]) {
      x[i] -= row[j] * x[j];
    }
    x[i] /= row[i];
  }
}

bool ff_tree_factor(const ff_tree *tree, double *inertia) {
  return ff_branch_factor(tree->dof_parent, tree->v_count, inertia);
}

void ff_tree_solve(const ff_tree *tree, const double *factor, double *x) {
  ff_branch_down(tree->dof_parent, tree->v_count, factor, x);
  ff_branch_up(tree->dof_parent, tree->v_count, factor, x);
}
