/* Block systems on graphs, against dense elimination. */
#include "base/memory.h"
#include "solve/blocks.h"
#include "solve/linear.h"
#include "solve/six.h"
#include "testing.h"

#include <string.h>

enum { NODES = 30, MOST_ROWS = 200 };

typedef struct problem {
  int size[NODES], row[NODES], nodes, rows, edges;
  int edge[4 * NODES][2];
  double dense[MOST_ROWS * MOST_ROWS]; /* by columns */
} problem;

static ff_blocks *make(int pairs, size_t numbers) {
  ff_blocks_limits limits = {NODES, MOST_ROWS, 4 * NODES, pairs, numbers};
  ff_blocks *blocks;
  assert_int_equal(ff_blocks_create(&blocks, &limits), FF_OK);
  return blocks;
}

/* Sizes from 1 to 6 and some edges; the graph has two parts. */
static void draw_graph(problem *p, uint64_t *seed) {
  *p = (problem){.nodes = NODES};
  for (int i = 0; i < NODES; i++) {
    p->size[i] = 1 + (int)(6 * ff_random(seed));
    p->row[i] = p->rows;
    p->rows += p->size[i];
  }
  for (int i = 0; i + 1 < NODES; i++) { /* each half hangs together */
    if (i + 1 != NODES / 2) {
      p->edge[p->edges][0] = i;
      p->edge[p->edges++][1] = i + 1;
    }
  }
  while (p->edges < 3 * NODES) {
    int i = (int)(NODES * ff_random(seed)), j = (int)(NODES * ff_random(seed));
    if (i != j && (i < NODES / 2) == (j < NODES / 2)) {
      p->edge[p->edges][0] = i;
      p->edge[p->edges++][1] = j;
    }
  }
}

static bool tell(const problem *p, ff_blocks *blocks) {
  ff_blocks_begin(blocks);
  for (int i = 0; i < p->nodes; i++) {
    assert_int_equal(ff_blocks_node(blocks, p->size[i]), i);
  }
  for (int e = 0; e < p->edges; e++) {
    assert_true(ff_blocks_join(blocks, p->edge[e][0], p->edge[e][1]));
  }
  return ff_blocks_order(blocks);
}

static void fill_block(problem *p, ff_blocks *blocks, int i, int j, double weight, uint64_t *seed) {
  double *to = ff_blocks_at(blocks, i, j);
  for (int r = 0; r < p->size[i]; r++) {
    for (int c = 0; c < p->size[j]; c++) {
      double value = ff_random_in(seed, -1, 1) + (i == j && r == c ? weight : 0);
      to[r * p->size[j] + c] += value;
      p->dense[(p->row[j] + c) * p->rows + p->row[i] + r] += value;
    }
  }
}

/* Nodes whose numbers are below the middle, or the others: no edge joins the two. */
static int half(int which, int *nodes) {
  for (int i = 0; i < NODES / 2; i++) {
    nodes[i] = which * (NODES / 2) + i;
  }
  return NODES / 2;
}

static void solve_dense(const problem *p, double *b) {
  static int start[MOST_ROWS + 1], row[MOST_ROWS * MOST_ROWS];
  for (int k = 0; k < p->rows * p->rows; k++) {
    row[k] = k % p->rows;
    start[k / p->rows] = k - k % p->rows;
  }
  start[p->rows] = p->rows * p->rows;
  ff_linear *linear;
  assert_int_equal(ff_linear_create(&linear, p->rows, start, row, false), FF_OK);
  assert_true(ff_linear_factor(linear, p->dense));
  ff_linear_solve(linear, b);
  ff_linear_destroy(linear);
}

static void agrees_with_dense(void **state) {
  (void)state;
  uint64_t seed = 3;
  ff_blocks *blocks = make(NODES * NODES, 40000);
  static problem p;
  for (int round = 0; round < 20; round++) {
    if (round % 2 == 0) { /* every other time the graph is that of before */
      draw_graph(&p, &seed);
    }
    long before = ff_alloc_count();
    assert_true(tell(&p, blocks));
    double x[MOST_ROWS], right[MOST_ROWS];
    for (int i = 0; i < p.rows; i++) {
      x[i] = right[i] = ff_random_in(&seed, -1, 1);
    }
    memset(p.dense, 0, sizeof p.dense);
    for (int which = 0; which < 2; which++) {
      int nodes[NODES], count = half(which, nodes);
      ff_blocks_clear(blocks, nodes, count);
      for (int k = 0; k < count; k++) {
        fill_block(&p, blocks, nodes[k], nodes[k], 20, &seed);
      }
      for (int e = 0; e < p.edges; e++) {
        int i = p.edge[e][0], j = p.edge[e][1];
        if ((i >= NODES / 2) == (which == 1)) {
          fill_block(&p, blocks, i, j, 0, &seed);
          fill_block(&p, blocks, j, i, 0, &seed);
        }
      }
      assert_true(ff_blocks_factor(blocks, 0, NULL));
      ff_blocks_solve(blocks, x, NULL);
    }
    assert_int_equal(ff_alloc_count(), before);
    solve_dense(&p, right);
    for (int i = 0; i < p.rows; i++) {
      assert_close(x[i], right[i], 1e-12);
    }
  }
  ff_blocks_destroy(blocks);
}

/* One node of many: as if the others were not there. */
static void one_node_alone(void **state) {
  (void)state;
  uint64_t seed = 5;
  static problem p;
  draw_graph(&p, &seed);
  ff_blocks *blocks = make(NODES * NODES, 40000);
  assert_true(tell(&p, blocks));
  for (int node = 0; node < NODES; node++) {
    ff_blocks_clear(blocks, &node, 1);
    double x[MOST_ROWS] = {0};
    for (int k = 0; k < p.size[node]; k++) {
      ff_blocks_at(blocks, node, node)[k * p.size[node] + k] = 2;
      x[p.row[node] + k] = k;
    }
    assert_true(ff_blocks_factor(blocks, 0, NULL));
    ff_blocks_solve(blocks, x, NULL);
    for (int k = 0; k < p.size[node]; k++) {
      assert_close(x[p.row[node] + k], 0.5 * k, 1e-15);
    }
  }
  ff_blocks_destroy(blocks);
}

static void singular_and_full_are_told(void **state) {
  (void)state;
  uint64_t seed = 7;
  static problem p;
  draw_graph(&p, &seed);
  ff_blocks *blocks = make(NODES * NODES, 40000);
  assert_true(tell(&p, blocks));
  int nodes[NODES], count = half(0, nodes);
  ff_blocks_clear(blocks, nodes, count);
  assert_false(ff_blocks_factor(blocks, 0, NULL));
  ff_blocks_destroy(blocks);
  blocks = make(NODES, 40000); /* fewer pairs than the graph has edges */
  assert_false(tell(&p, blocks));
  ff_blocks_destroy(blocks);
  blocks = make(NODES * NODES, 500);
  assert_false(tell(&p, blocks));
  ff_blocks_destroy(blocks);
}

/* A chain of nodes in a ring, weakly joined: what is passed over is as small as it is said to be.
 */
static void negligible_products_are_passed_over(void **state) {
  (void)state;
  ff_blocks *blocks = make(400, 20000);
  int nodes[NODES];
  double x[2][MOST_ROWS], off = 0;
  for (int pass = 0; pass < 2; pass++) {
    ff_blocks_begin(blocks);
    for (int i = 0; i < NODES; i++) {
      nodes[i] = ff_blocks_node(blocks, 6);
    }
    for (int i = 0; i < NODES; i++) {
      assert_true(ff_blocks_join(blocks, i, (i + 1) % NODES));
    }
    assert_true(ff_blocks_order(blocks));
    ff_blocks_clear(blocks, nodes, NODES);
    for (int i = 0; i < NODES; i++) {
      double *own = ff_blocks_at(blocks, i, i), *units = ff_blocks_units(blocks, i);
      double *up = ff_blocks_at(blocks, i, (i + 1) % NODES);
      double *down = ff_blocks_at(blocks, (i + 1) % NODES, i);
      for (int k = 0; k < 6; k++) {
        own[7 * k] = 1;
        up[7 * k] = down[7 * k] = 0.01 * (k + 1);
        units[2 * k] = units[2 * k + 1] = 1;
        x[pass][6 * i + k] = (i + k) % 5;
      }
    }
    assert_true(ff_blocks_factor(blocks, pass == 0 ? 0 : 1e-2, NULL));
    ff_blocks_solve(blocks, x[pass], NULL);
  }
  for (int i = 0; i < 6 * NODES; i++) {
    off = fmax(off, fabs(x[0][i] - x[1][i]));
  }
  assert_true(off > 0);    /* something was */
  assert_true(off < 0.05); /* a few times 1e-2 of numbers up to 4 */
  ff_blocks_destroy(blocks);
}

/* Whatever the processor can. */
static void products_have_the_same_bits(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int n = 0; n < 1000; n++) {
    double a[36], b[36], c[2][36];
    for (int i = 0; i < 36; i++) {
      a[i] = ff_random_in(&seed, -1, 1);
      b[i] = ff_random_in(&seed, -1, 1);
      c[0][i] = c[1][i] = ff_random_in(&seed, -1, 1);
    }
    ff_six_product_plain(c[0], a, b);
    ff_six_best()(c[1], a, b);
    assert_memory_equal(c[0], c[1], sizeof c[0]);
  }
}

/* ---- large ones, in parts --------------------------------------------------------------------
 */

enum { WIDE = 12, HIGH = 12, GRID = WIDE * HIGH, GRID_EDGES = 2 * GRID };

typedef struct grid {
  int size[GRID], row[GRID], rows;
  int edge[GRID_EDGES][2], edges;
  double own[GRID][36], between[GRID_EDGES][2][36];
} grid;

/* A net of nodes of 1 to 6 rows, whose own blocks outweigh. */
static void draw_grid(grid *g, uint64_t *seed) {
  *g = (grid){.rows = 0};
  for (int i = 0; i < GRID; i++) {
    g->size[i] = 1 + (int)(6 * ff_random(seed));
    g->row[i] = g->rows;
    g->rows += g->size[i];
    for (int k = 0; k < 36; k++) {
      bool diagonal = k < g->size[i] * g->size[i] && k % (g->size[i] + 1) == 0;
      g->own[i][k] = ff_random_in(seed, -1, 1) + (diagonal ? 20 : 0);
    }
    for (int side = 0; side < 2; side++) {
      bool inside = side == 0 ? i % WIDE + 1 < WIDE : i + WIDE < GRID;
      if (inside) {
        g->edge[g->edges][0] = i;
        g->edge[g->edges][1] = side == 0 ? i + 1 : i + WIDE;
        for (int k = 0; k < 72; k++) {
          g->between[g->edges][k / 36][k % 36] = ff_random_in(seed, -1, 1);
        }
        g->edges++;
      }
    }
  }
}

static void put(ff_blocks *blocks, const grid *g, int i, int j, const double *values) {
  memcpy(ff_blocks_at(blocks, i, j), values, (size_t)(g->size[i] * g->size[j]) * sizeof *values);
}

/* y -= a x, of one block. */
static void take(const grid *g, int i, int j, const double *a, const double *x, double *y) {
  for (int r = 0; r < g->size[i]; r++) {
    for (int c = 0; c < g->size[j]; c++) {
      y[g->row[i] + r] -= a[r * g->size[j] + c] * x[g->row[j] + c];
    }
  }
}

/* Solves it on so many threads; returns what the solution leaves of the right side. */
static double solve_grid(ff_blocks *blocks, const grid *g, int threads, double *x) {
  ff_team *team;
  int nodes[GRID];
  double left[6 * GRID], worst = 0;
  assert_int_equal(ff_team_create(&team, threads), FF_OK);
  ff_blocks_begin(blocks);
  for (int i = 0; i < GRID; i++) {
    nodes[i] = ff_blocks_node(blocks, g->size[i]);
  }
  for (int e = 0; e < g->edges; e++) {
    assert_true(ff_blocks_join(blocks, g->edge[e][0], g->edge[e][1]));
  }
  assert_true(ff_blocks_order(blocks));
  ff_blocks_clear(blocks, nodes, GRID);
  for (int i = 0; i < GRID; i++) {
    put(blocks, g, i, i, g->own[i]);
  }
  for (int e = 0; e < g->edges; e++) {
    put(blocks, g, g->edge[e][0], g->edge[e][1], g->between[e][0]);
    put(blocks, g, g->edge[e][1], g->edge[e][0], g->between[e][1]);
  }
  for (int k = 0; k < g->rows; k++) {
    x[k] = left[k] = k % 5 - 2;
  }
  assert_true(ff_blocks_factor(blocks, 0, team));
  ff_blocks_solve(blocks, x, team);
  ff_team_destroy(team);
  for (int i = 0; i < GRID; i++) {
    take(g, i, i, g->own[i], x, left);
  }
  for (int e = 0; e < g->edges; e++) {
    take(g, g->edge[e][0], g->edge[e][1], g->between[e][0], x, left);
    take(g, g->edge[e][1], g->edge[e][0], g->between[e][1], x, left);
  }
  for (int k = 0; k < g->rows; k++) {
    worst = fmax(worst, fabs(left[k]));
  }
  return worst;
}

/* One graph after the other, as islands come: parts of the last must not be taken for its own. */
static void large_ones_are_solved_in_parts(void **state) {
  (void)state;
  static grid g;
  static double x[3][6 * GRID];
  uint64_t seed = 8;
  ff_blocks_limits limits = {GRID, 6 * GRID, GRID_EDGES, GRID * GRID / 2, (size_t)36 * GRID * GRID};
  ff_blocks *blocks;
  assert_int_equal(ff_blocks_create(&blocks, &limits), FF_OK);
  for (int round = 0; round < 5; round++) {
    draw_grid(&g, &seed);
    for (int threads = 1; threads <= 3; threads++) {
      assert_true(solve_grid(blocks, &g, threads, x[threads - 1]) < 1e-12);
      assert_memory_equal(x[threads - 1], x[0], (size_t)g.rows * sizeof(double));
    }
  }
  ff_blocks_destroy(blocks);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_dense),
      cmocka_unit_test(one_node_alone),
      cmocka_unit_test(singular_and_full_are_told),
      cmocka_unit_test(negligible_products_are_passed_over),
      cmocka_unit_test(products_have_the_same_bits),
      cmocka_unit_test(large_ones_are_solved_in_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
