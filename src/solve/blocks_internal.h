/* Internals of the block systems of blocks.h. */
#ifndef FF_SOLVE_BLOCKS_INTERNAL_H
#define FF_SOLVE_BLOCKS_INTERNAL_H

#include "base/arena.h"
#include "solve/blocks.h"
#include "solve/six.h"

enum {
  FF_BLOCKS_PARTS = 8,  /* of a matrix shared by threads, */
  FF_BLOCKS_SHARED = 64 /* if it has at least this many nodes */
};

/* Partition of a large matrix: independent parts (branches of the elimination tree) and the top,
 * their common ancestors. */
typedef struct ff_blocks_parts {
  long orders;                    /* ordering and positions for which it is valid: */
  int first, last;                /* of the submatrix */
  int *part;                      /* of each position; FF_BLOCKS_PARTS: the top */
  int start[FF_BLOCKS_PARTS + 2]; /* first position of each part, in order */
  int *position;
  int *all;       /* all positions, for matrices that are not split */
  int *parent;    /* scratch: elimination tree parent of each position; */
  double *weight; /* work of its subtree */
  /* entries that reach the top from parts */
  int *reach_start; /* of each top position, by its index in the list; two more */
  int *reach_from;  /* of each such entry: the earlier position, */
  int *reach;       /* and its index among that position's nonzero entries */
  bool reached;     /* the reach lists are set */
} ff_blocks_parts;

/* A position is a place in the elimination order. */
struct ff_blocks {
  ff_arena arena;
  ff_blocks_limits limits;
  /* graph, as given */
  int node_count, edge_count, row_count;
  int *size, *row; /* of each node */
  int *edge;       /* pairs */
  int known_nodes; /* the graph of the current order; -1: none */
  int known_edges;
  long orders; /* orderings computed */
  int *known_size, *known_edge;
  /* elimination order */
  int *place;                  /* position of each node */
  int *node_at;                /* node at each position */
  int *start;                  /* first entry of each position; one more */
  int *later;                  /* of each entry: the later position it reaches */
  size_t *diagonal;            /* of each position: offset of its diagonal block in values */
  size_t *upper, *lower;       /* of each entry: offsets of its two blocks */
  bool *empty;                 /* of each entry: its blocks are structurally zero and not stored */
  int *open_count;             /* of each position: number of its nonzero entries, */
  int *open;                   /* listed here from its start on */
  int *waiting, *last_waiting; /* queue of updates of each position: first and last place among the
                                  nonzero entries; -1: none */
  int *next_waiting,
      *whose; /* of each queued place: the next one, and the position it belongs to */
  double *size_upper, *size_lower; /* squared norms in units, for skipping negligible products */
  double *units;                   /* of each row: unit of the row, unit of its unknown; */
  double *squares, *inverses;      /* squared, and squared inverses */
  double *unit_row;                /* scratch */
  double *values;
  int *pivot;      /* of each row */
  int first, last; /* selected submatrix */
  ff_six_product *six;
  int *spot; /* cache: entry that reaches each position; one set per part */
  int *work; /* scratch of the ordering */
  int work_size;
  ff_blocks_parts parts;
};

static inline int ff_blocks_size_at(const ff_blocks *b, int position) {
  return b->size[b->node_at[position]];
}

/* Entry of position i that reaches a later position. */
int ff_blocks_entry(const ff_blocks *b, int i, int later);
/* Marks an entry of position i as nonzero. */
void ff_blocks_open(ff_blocks *b, int i, int e);

/* Finds the partition of the selected submatrix, unless it is known. */
void ff_blocks_split(ff_blocks *b);
/* Lists the entries that reach the top from parts. */
void ff_blocks_find_reach(ff_blocks *b);
/* Is the selected submatrix split? Else all of it is the top. */
static inline bool ff_blocks_is_split(const ff_blocks *b) {
  return b->last - b->first + 1 >= FF_BLOCKS_SHARED;
}
/* Positions of a part, or of the top, and their number. */
static inline const int *ff_blocks_part(const ff_blocks *b, int part, int *count) {
  const ff_blocks_parts *parts = &b->parts;
  if (!ff_blocks_is_split(b)) {
    *count = b->last - b->first + 1;
    return parts->all + b->first;
  }
  *count = parts->start[part + 1] - parts->start[part];
  return parts->position + parts->start[part];
}

#endif
