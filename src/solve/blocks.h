/* Sparse block LU: dense blocks on a sparse graph, factored without allocation.
 *
 * A node is a group of unknowns (a body: six); an edge couples two nodes. The matrix has one block
 * per node and two per edge; its values may be unsymmetric, its pattern is symmetric. Nodes are
 * eliminated in approximate minimum degree order [Amestoy96], with row pivoting only inside a node:
 * intended for matrices whose diagonal blocks dominate, such as those with inertia.
 *
 *   ff_blocks_begin(b);
 *   ff_blocks_node(b, 6), ...; ff_blocks_join(b, i, j), ...;
 *   ff_blocks_order(b);                    no work if the graph has not changed
 *   ff_blocks_clear(b, nodes, count);      a set of nodes with no edges to others
 *   add to ff_blocks_at(b, i, j) ...;
 *   ff_blocks_factor(b, 0, NULL) && (ff_blocks_solve(b, x, NULL), true); */
#ifndef FF_SOLVE_BLOCKS_H
#define FF_SOLVE_BLOCKS_H

#include "base/team.h"
#include "footfall/status.h"

typedef struct ff_blocks ff_blocks;

/* Capacities: nodes, unknowns and edges; of the factors: pairs of off-diagonal blocks, and numbers
 * in total. */
typedef struct ff_blocks_limits {
  int nodes, rows, edges, pairs;
  size_t numbers;
} ff_blocks_limits;

ff_status ff_blocks_create(ff_blocks **out, const ff_blocks_limits *limits);
void ff_blocks_destroy(ff_blocks *blocks); /* NULL is allowed */

/* Starts a new graph: nodes are numbered 0, 1, ... in the order they are added, within the limits.
 */
void ff_blocks_begin(ff_blocks *blocks);
int ff_blocks_node(ff_blocks *blocks, int size);
/* Adds an edge between two different nodes; duplicates are allowed. False: capacity exceeded. */
bool ff_blocks_join(ff_blocks *blocks, int i, int j);
/* Finds the elimination order and the pattern of the factors. False: capacity exceeded. */
bool ff_blocks_order(ff_blocks *blocks);

/* Number of orderings computed so far: while it is unchanged, factors keep their storage. */
long ff_blocks_orders(const ff_blocks *blocks);

/* First row of a node in a vector. */
int ff_blocks_row(const ff_blocks *blocks, int node);

/* Is node i eliminated before node j? The blocks of an edge are stored with the earlier node: two
 * threads may request blocks concurrently if those belong to different nodes. */
bool ff_blocks_is_before(const ff_blocks *blocks, int i, int j);

/* Selects the submatrix of these nodes and sets it to zero: all nodes of a connected component, or
 * one node alone. */
void ff_blocks_clear(ff_blocks *blocks, const int *nodes, int count);
/* Selects the submatrix of these nodes with its last factors. */
void ff_blocks_choose(ff_blocks *blocks, const int *nodes, int count);
/* Block in the rows of i and the columns of j, by rows; i = j, or i and j are joined. */
double *ff_blocks_at(ff_blocks *blocks, int i, int j);
/* Units of rows and of unknowns, for the rows of a node: two numbers each, initially 1. */
double *ff_blocks_units(ff_blocks *blocks, int node);
/* LU factorisation. Products smaller than `negligible` in these units are skipped where all nodes
 * have six rows; 0: none are. False: a diagonal block is singular to working precision. A team
 * (NULL: none) shares the work on large matrices; results do not depend on it. */
bool ff_blocks_factor(ff_blocks *blocks, double negligible, ff_team *team);
/* x: right-hand side in the rows of the selected nodes, replaced by the solution; other rows are
 * unchanged. */
void ff_blocks_solve(ff_blocks *blocks, double *x, ff_team *team);

#endif
