/* More complementarity problems from the literature, written once: as functions of complex
 * numbers, whose derivatives are then exact to rounding (a step of 1e-200 times i rounds nothing).
 */
#ifndef FF_TESTS_NCP_PUBLISHED_H
#define FF_TESTS_NCP_PUBLISHED_H

#include "ncp_problems.h"

#include <complex.h>

typedef double complex ncp_number;
typedef int (*ncp_function)(const ncp_number *x, ncp_number *f);

static int published_f(ncp_function of, int n, const double *z, double *f) {
  ncp_number x[NCP_MAX], value[NCP_MAX];
  for (int i = 0; i < n; i++) {
    x[i] = z[i];
  }
  if (of(x, value)) {
    return 1;
  }
  for (int i = 0; i < n; i++) {
    f[i] = creal(value[i]);
  }
  return 0;
}
static int published_j(ncp_function of, int n, const double *z, double *j) {
  ncp_number x[NCP_MAX], value[NCP_MAX];
  for (int i = 0; i < n; i++) {
    x[i] = z[i];
  }
  for (int k = 0; k < n; k++) {
    x[k] = z[k] + 1e-200 * I;
    if (of(x, value)) {
      return 1;
    }
    x[k] = z[k];
    for (int i = 0; i < n; i++) {
      j[i + k * n] = cimag(value[i]) * 1e200;
    }
  }
  return 0;
}
#define PUBLISHED(name, n)                                                                         \
  static int name##_f(void *context, const double *z, double *f) {                                 \
    UNUSED;                                                                                        \
    return published_f(name, n, z, f);                                                             \
  }                                                                                                \
  static int name##_j(void *context, const double *z, double *j) {                                 \
    UNUSED;                                                                                        \
    return published_j(name, n, z, j);                                                             \
  }

/* Nash-Cournot, ten firms [Harker 1988]. */
static int nash_ten(const ncp_number *x, ncp_number *f) {
  static const double c[10] = {5, 3, 8, 5, 1, 3, 7, 4, 6, 3};
  static const double b[10] = {1.2, 1, 0.9, 0.6, 1.5, 1, 0.7, 1.1, 0.95, 0.75};
  ncp_number total = 0;
  for (int i = 0; i < 10; i++) {
    total += x[i];
    if (!(creal(x[i]) > 0)) {
      return 1;
    }
  }
  ncp_number price = cpow(5000 / total, 1 / 1.2);
  for (int i = 0; i < 10; i++) {
    f[i] = c[i] + cpow(10 * x[i], 1 / b[i]) - price * (1 - x[i] / (1.2 * total));
  }
  return 0;
}
PUBLISHED(nash_ten, 10)

/* Hock and Schittkowski 34 and 66: conditions of optimality; two multipliers at the end. */
static int hs34_or_66(const ncp_number *x, ncp_number *f, double a, double b) {
  if (creal(x[0]) > 500 || creal(x[1]) > 500) {
    return 1;
  }
  ncp_number p = cexp(x[0]), q = cexp(x[1]);
  f[0] = -a + x[3] * p;
  f[1] = -x[3] + x[4] * q;
  f[2] = b - x[4];
  f[3] = x[1] - p;
  f[4] = x[2] - q;
  return 0;
}
static int hs34(const ncp_number *x, ncp_number *f) {
  return hs34_or_66(x, f, 1, 0);
}
static int hs66(const ncp_number *x, ncp_number *f) {
  return hs34_or_66(x, f, 0.8, 0.2);
}
PUBLISHED(hs34, 5)
PUBLISHED(hs66, 5)

/* Hock and Schittkowski 80 (Powell): three equations, multipliers free. */
static int hs80(const ncp_number *x, ncp_number *f) {
  ncp_number product = x[0] * x[1] * x[2] * x[3] * x[4];
  if (creal(product) > 500) {
    return 1;
  }
  ncp_number e = cexp(product), squares = -10;
  for (int i = 0; i < 5; i++) {
    ncp_number others = 1;
    for (int k = 0; k < 5; k++) {
      others *= k == i ? 1 : x[k];
    }
    f[i] = e * others + 2 * x[5] * x[i] + (i < 2 ? 3 * x[7] * x[i] * x[i] : 0);
    squares += x[i] * x[i];
  }
  f[1] += x[6] * x[2];
  f[2] += x[6] * x[1];
  f[3] -= 5 * x[6] * x[4];
  f[4] -= 5 * x[6] * x[3];
  f[5] = squares;
  f[6] = x[1] * x[2] - 5 * x[3] * x[4];
  f[7] = x[0] * x[0] * x[0] + x[1] * x[1] * x[1] + 1;
  return 0;
}
PUBLISHED(hs80, 8)

/* Colville 1, primal and dual (Hock and Schittkowski 86 and 117). */
static const double colville_e[5] = {-15, -27, -36, -18, -12}, colville_d[5] = {4, 8, 10, 6, 2};
static const double colville_b[10] = {-40, -2, -0.25, -4, -4, -1, -40, -60, 5, 1};
static const double colville_c[5][5] = {{30, -20, -10, 32, -10},
                                        {-20, 39, -6, -31, 32},
                                        {-10, -6, 10, -6, -10},
                                        {32, -31, -6, 39, -20},
                                        {-10, 32, -10, -20, 30}};
static const double colville_a[10][5] = {
    {-16, 2, 0, 1, 0},    {0, -2, 0, 0.4, 2}, {-3.5, 0, 2, 0, 0},   {0, -2, 0, -4, -1},
    {0, -9, -2, 1, -2.8}, {2, 0, -4, 0, 0},   {-1, -1, -1, -1, -1}, {-1, -2, -3, -2, -1},
    {1, 2, 3, 4, 5},      {1, 1, 1, 1, 1}};
/* Gradient of the primal's cost at y, less what the constraints give back. */
static ncp_number colville_row(const ncp_number *y, const ncp_number *back, int j) {
  ncp_number sum = colville_e[j] + 3 * colville_d[j] * y[j] * y[j];
  for (int k = 0; k < 5; k++) {
    sum += 2 * colville_c[k][j] * y[k];
  }
  for (int i = 0; i < 10; i++) {
    sum -= colville_a[i][j] * back[i];
  }
  return sum;
}
static ncp_number colville_constraint(const ncp_number *y, int i) {
  ncp_number sum = -colville_b[i];
  for (int j = 0; j < 5; j++) {
    sum += colville_a[i][j] * y[j];
  }
  return sum;
}
static int colville(const ncp_number *x, ncp_number *f) {
  for (int j = 0; j < 5; j++) {
    f[j] = colville_row(x, x + 5, j);
  }
  for (int i = 0; i < 10; i++) {
    f[5 + i] = colville_constraint(x, i);
  }
  return 0;
}
static int colville_dual(const ncp_number *x, ncp_number *f) {
  const ncp_number *y = x + 10, *u = x + 15;
  for (int i = 0; i < 10; i++) {
    f[i] = colville_constraint(u, i);
  }
  for (int j = 0; j < 5; j++) {
    f[10 + j] = 6 * colville_d[j] * y[j] * (y[j] - u[j]);
    for (int k = 0; k < 5; k++) {
      f[10 + j] += 2 * colville_c[k][j] * (y[k] - u[k]);
    }
    f[15 + j] = colville_row(y, x, j);
  }
  return 0;
}
PUBLISHED(colville, 15)
PUBLISHED(colville_dual, 20)

/* Scarf and Hansen 1973: an economy of six goods, eight activities, five households; prices,
 * levels, incomes, the first of which is the measure of all. */
static const double scarf_has[6][5] = {
    {0}, {0}, {1, 2, 1.5, 1, 2}, {3, 0.1, 2, 1, 6}, {5, 0.1, 6, 0.1, 0.1}, {0.1, 7, 0.1, 8, 0.5}};
static const double scarf_wants[6][5] = {{4, 0.4, 2, 5, 3},     {2, 4, 2, 5, 4},
                                         {3.2, 1, 1.5, 4.5, 2}, {0},
                                         {0.2, 0, 0.5, 0, 0},   {0, 0.6, 0, 0.2, 0.2}};
static const double scarf_bends[5] = {1.2, 1.6, 0.8, 0.5, 0.6};
static const double scarf_makes[6][8] = {
    {4, 4, 1.6, 1.6, 1.6, 0.9, 7, 8}, {0, 0, 6, 8, 7, 0, 0, 0},
    {4, 3.5, 0, 0, 0, 0, 0, 0},       {-5.3, -5, -2, -2, -2, -1, -4, -5},
    {-2, -1, -2, -4, -1, 0, -3, -2},  {-1, -6, -3, -1, -8, 0, -1, -8}};
/* Takes what household h buys at its income from the balances of the goods. */
static void scarf_buys(const ncp_number *price, ncp_number income, int h, ncp_number *f) {
  ncp_number spent = 0;
  for (int c = 0; c < 6; c++) {
    spent += scarf_wants[c][h] > 0 ? scarf_wants[c][h] * cpow(price[c], 1 - scarf_bends[h]) : 0;
  }
  for (int c = 0; c < 6; c++) {
    if (scarf_wants[c][h] > 0) {
      f[c] -= income / spent * scarf_wants[c][h] * cpow(price[c], -scarf_bends[h]);
    }
  }
}
static int scarf(const ncp_number *x, ncp_number *f) {
  for (int c = 0; c < 6; c++) {
    f[c] = 0;
    for (int s = 0; s < 8; s++) {
      f[c] += scarf_makes[c][s] * x[6 + s];
    }
    if (c != 3 && !(creal(x[c]) > 0)) {
      return 1;
    }
  }
  for (int s = 0; s < 8; s++) {
    f[6 + s] = 0;
    for (int c = 0; c < 6; c++) {
      f[6 + s] -= scarf_makes[c][s] * x[c];
    }
  }
  for (int h = 0; h < 5; h++) {
    f[14 + h] = x[14 + h];
    for (int c = 0; c < 6; c++) {
      f[c] += scarf_has[c][h];
      f[14 + h] -= x[c] * scarf_has[c][h];
    }
    scarf_buys(x, x[14 + h], h, f);
  }
  return 0;
}
PUBLISHED(scarf, 19)

/* Trade between three countries, costs that grow with the amounts. */
static int trade(const ncp_number *x, ncp_number *f) {
  static const double makes[3] = {9, 3, 18}, slope[3] = {1, 2, 1};
  static const double wants[3] = {42, 54, 51}, fall[3] = {3, 2, 1};
  static const double way[3][3] = {{0, 3, 9}, {3, 0, 3}, {6, 3, 0}};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      ncp_number out = x[3 * i] + x[3 * i + 1] + x[3 * i + 2], in = x[k] + x[3 + k] + x[6 + k];
      ncp_number sent = x[3 * i + k];
      f[3 * i + k] = makes[i] + slope[i] * out + 0.01 * out * out * out + way[i][k] +
                     0.05 * sent * sent - (wants[k] - fall[k] * in);
    }
  }
  return 0;
}
PUBLISHED(trade, 9)

/* Freudenstein and Roth: a dip of the merit that is no solution; Brown, nearly linear; Wood. */
static int freudenstein(const ncp_number *x, ncp_number *f) {
  f[0] = -13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1];
  f[1] = -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1];
  return 0;
}
static int brown(const ncp_number *x, ncp_number *f) {
  ncp_number sum = -11, product = 1;
  for (int i = 0; i < 10; i++) {
    sum += x[i];
    product *= x[i];
  }
  for (int i = 0; i < 10; i++) {
    f[i] = i < 9 ? x[i] + sum : product - 1;
  }
  return 0;
}
static int wood(const ncp_number *x, ncp_number *f) {
  ncp_number p = x[1] - x[0] * x[0], q = x[3] - x[2] * x[2];
  f[0] = -400 * x[0] * p - 2 * (1 - x[0]);
  f[1] = 200 * p + 20.2 * (x[1] - 1) + 19.8 * (x[3] - 1);
  f[2] = -360 * x[2] * q - 2 * (1 - x[2]);
  f[3] = 180 * q + 20.2 * (x[3] - 1) + 19.8 * (x[1] - 1);
  return 0;
}
PUBLISHED(freudenstein, 2)
PUBLISHED(brown, 10)
PUBLISHED(wood, 4)

/* Newton's steps grow without end from |x - 2| > 1.4. */
static int arctangent(const ncp_number *x, ncp_number *f) {
  f[0] = catan(x[0] - 2);
  return 0;
}
PUBLISHED(arctangent, 1)

/* Singular at its only solution, 0, in two rows of three. */
static int flat_start(const ncp_number *x, ncp_number *f) {
  f[0] = x[0] * x[0];
  f[1] = x[1] * x[1] * x[1] - x[0];
  f[2] = x[2] - x[1];
  return 0;
}
PUBLISHED(flat_start, 3)

#define FREE10                                                                                     \
  {                                                                                                \
    -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY,        \
        -INFINITY, -INFINITY                                                                       \
  }
#define OPEN20                                                                                     \
  {                                                                                                \
    INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY,      \
        INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY,  \
        INFINITY, INFINITY                                                                         \
  }
#define ALL10(v)                                                                                   \
  { v, v, v, v, v, v, v, v, v, v }
#define ALL20(v)                                                                                   \
  { v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v }

static const ncp_problem ncp_published[] = {
    {"nash-cournot of ten",
     10,
     nash_ten_f,
     nash_ten_j,
     {0},
     OPEN16,
     .start_count = 4,
     .start = {ALL10(10), ALL10(1), ALL10(0.1), ALL10(100)},
     .solution = {7.4415, 4.0978, 2.5906, 0.9354, 17.949, 4.0978, 1.3047, 5.5901, 3.2222, 1.6771},
     .known = 1e-3},
    {"hs34",
     5,
     hs34_f,
     hs34_j,
     {0},
     {100, 100, 10, INFINITY, INFINITY},
     .own_units = true,
     .start_count = 4,
     .start = {{0, 1.05, 2.9}, {0}, {1, 1, 1, 1, 1}, {5, 5, 5, 5, 5}},
     .solution = {0.83403244524795598, 2.3025850929940459, 10, 0.43429448190325176,
                  0.043429448190325182},
     .known = 1e-8},
    {"hs66",
     5,
     hs66_f,
     hs66_j,
     {0},
     {100, 100, 10, INFINITY, INFINITY},
     .own_units = true,
     .start_count = 2,
     .start = {{0, 1.05, 2.9}, {1, 1, 1, 1, 1}},
     .solution = {0.1841264879, 1.202167873, 3.327322322, 0.6654644645, 0.2},
     .known = 1e-8},
    {"hs80",
     8,
     hs80_f,
     hs80_j,
     {-2.3, -2.3, -3.2, -3.2, -3.2, -INFINITY, -INFINITY, -INFINITY},
     {2.3, 2.3, 3.2, 3.2, 3.2, INFINITY, INFINITY, INFINITY},
     .start_count = 2,
     .start = {{-2, 2, 2, -1, -1}, {-1, 1, 1, -1, -1}}},
    {"colville",
     15,
     colville_f,
     colville_j,
     {0},
     OPEN20,
     .start_count = 3,
     .start = {{0, 0, 0, 0, 1}, {0}, ALL20(1)}},
    {"colville's dual",
     20,
     colville_dual_f,
     colville_dual_j,
     {0},
     OPEN20,
     .own_units = true,
     .start_count = 3,
     .start = {{[6] = 60}, {0}, ALL20(1)}},
    {"scarf",
     19,
     scarf_f,
     scarf_j,
     {1e-5, 1e-5, 1e-5, 0, 1e-5, 1e-5, [14] = 9.1},
     {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY,
      INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, 9.1, INFINITY, INFINITY, INFINITY,
      INFINITY},
     .start_count = 2,
     .start = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9.1, 9.2, 9.6, 10.1, 8.6},
               {2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 9.1, 9.2, 9.6, 10.1, 8.6}}},
    {"trade",
     9,
     trade_f,
     trade_j,
     {0},
     OPEN16,
     .start_count = 3,
     .start = {{0}, ALL10(1), ALL10(10)}},
    {"freudenstein-roth", 2, freudenstein_f, freudenstein_j, FREE10, OPEN4, .start_count = 3,
     .start = {{0.5, -2}, {15, -2}, {0}}, .solution = {5, 4}, .known = 1e-8},
    {"freudenstein-roth, bounded",
     2,
     freudenstein_f,
     freudenstein_j,
     {0},
     OPEN4,
     .start_count = 3,
     .start = {{0.5, 2}, {15, 2}, {0}}},
    {"brown", 10, brown_f, brown_j, FREE10, OPEN16, .start_count = 3,
     .start = {ALL10(0.5), ALL10(1.5), {0}}},
    {"wood",
     4,
     wood_f,
     wood_j,
     {0},
     {0.8, 0.8, 0.8, 0.8},
     .own_units = true,
     .start_count = 2,
     .start = {{0}, {3, 3, 3, 3}}},
    {"arctangent",
     1,
     arctangent_f,
     arctangent_j,
     {0},
     OPEN4,
     .start_count = 3,
     .start = {{5}, {50}, {0}},
     .solution = {2},
     .known = 1e-8},
    {"flat",
     3,
     flat_start_f,
     flat_start_j,
     {0},
     OPEN4,
     .start_count = 2,
     .start = {{1, 1, 1}, {2, 0, 1}},
     .known = 1e-3},
};
enum { NCP_PUBLISHED = sizeof ncp_published / sizeof ncp_published[0] };

#endif
