/* Linear systems of dense blocks on a sparse graph, factored without taking memory.
 *
 * Nodes are groups of unknowns (a body: six), edges say which of them know each other. The
 * matrix has a block for each node and two for each edge; it need not be symmetric, but its
 * pattern is. Elimination runs node by node in the order of approximate minimum degree [Amestoy96],
 * with row pivoting inside a node only: meant for matrices in which every node's own block
 * outweighs, as inertia does.
 *
 *   ff_blocks_begin(b);
 *   ff_blocks_node(b, 6), ...; ff_blocks_join(b, i, j), ...;
 *   ff_blocks_order(b);                    free if the graph is that of last time
 *   ff_blocks_clear(b, nodes, count);      a set of nodes that nothing joins to others
 *   add to ff_blocks_at(b, i, j) ...;
 *   ff_blocks_factor(b, 0, NULL) && (ff_blocks_solve(b, x, NULL), true);
 */
#ifndef FF_SOLVE_BLOCKS_H
#define FF_SOLVE_BLOCKS_H

#include "base/team.h"
#include "footfall/status.h"

typedef struct ff_blocks ff_blocks;

/* Most nodes, unknowns and edges; and of the factors most pairs of blocks beside the nodes' own,
 * and numbers in all. */
typedef struct ff_blocks_limits {
  int nodes, rows, edges, pairs;
  size_t numbers;
} ff_blocks_limits;

ff_status ff_blocks_create(ff_blocks **out, const ff_blocks_limits *limits);
void ff_blocks_destroy(ff_blocks *blocks); /* NULL is fine */

/* A new graph: nodes are numbered 0, 1, ... as they come. Within the limits. */
void ff_blocks_begin(ff_blocks *blocks);
int ff_blocks_node(ff_blocks *blocks, int size);
/* Two different nodes; saying it twice does no harm. False: no room. */
bool ff_blocks_join(ff_blocks *blocks, int i, int j);
/* Finds an order and the pattern of the factors. False: they have no room. */
bool ff_blocks_order(ff_blocks *blocks);

/* How many were found so far: as long as it is the same, factors keep their places. */
long ff_blocks_orders(const ff_blocks *blocks);

/* Where the unknowns of a node stand in a vector. */
int ff_blocks_row(const ff_blocks *blocks, int node);

/* Is a node eliminated before another? What stands between them stands with it: two threads may ask
 * for blocks at a time if these stand with different nodes. */
bool ff_blocks_is_before(const ff_blocks *blocks, int i, int j);

/* From now on the matrix is that of these nodes, all zero: all nodes of a connected part of the
 * graph, or one node alone. */
void ff_blocks_clear(ff_blocks *blocks, const int *nodes, int count);
/* The same, as these nodes were factored last. */
void ff_blocks_choose(ff_blocks *blocks, const int *nodes, int count);
/* The block in the rows of i and the columns of j, by rows; i = j or joined. */
double *ff_blocks_at(ff_blocks *blocks, int i, int j);
/* What rows and unknowns are measured in, for the rows of a node: two numbers each; 1 until told.
 */
double *ff_blocks_units(ff_blocks *blocks, int node);
/* Passes over products that are smaller than negligible in these units, where all nodes have six
 * rows; 0: over none. False: a node's block is singular to working precision. A team (NULL: none)
 * shares the work on large matrices; results do not depend on it. */
bool ff_blocks_factor(ff_blocks *blocks, double negligible, ff_team *team);
/* x becomes the solution in the rows of the nodes; others are left alone. */
void ff_blocks_solve(ff_blocks *blocks, double *x, ff_team *team);

#endif
