/* Inside the block systems of blocks.h. */
#ifndef FF_SOLVE_BLOCKS_ROOM_H
#define FF_SOLVE_BLOCKS_ROOM_H

#include "base/arena.h"
#include "solve/blocks.h"
#include "solve/six.h"

enum {
  FF_BLOCKS_PARTS = 8,  /* of a matrix that threads share, */
  FF_BLOCKS_SHARED = 64 /* if it has so many nodes */
};

/* A large matrix in parts that know nothing of each other, and the top: what these leave behind.
 * Branches of the tree of elimination are such parts. */
typedef struct ff_blocks_parts {
  long orders;                    /* of which it is, and of which positions: */
  int first, last;                /* the matrix's */
  int *part;                      /* of each position; FF_BLOCKS_PARTS: the top */
  int start[FF_BLOCKS_PARTS + 2]; /* of each: its positions, in their order */
  int *position;
  int *all;       /* every position, for matrices that are not split */
  int *parent;    /* for a while: of each position the next that it reaches; */
  double *weight; /* how much work it is, with all that is eliminated before it for it */
  /* entries that reach the top from parts */
  int *reach_start; /* of each position of the top, as it stands in the list; two more */
  int *reach_from;  /* of each of its entries: the earlier position, */
  int *reach;       /* and which of the entries of that which are not empty it is */
  bool reached;     /* these are set */
} ff_blocks_parts;

/* Positions are places in the order of elimination. */
struct ff_blocks {
  ff_arena arena;
  ff_blocks_limits limits;
  /* the graph, as given */
  int node_count, edge_count, row_count;
  int *size, *row; /* of each node */
  int *edge;       /* pairs */
  int known_nodes; /* of the graph that is in order; -1: none */
  int known_edges;
  long orders; /* that were found */
  int *known_size, *known_edge;
  /* its order */
  int *place;                      /* position of each node */
  int *node_at;                    /* node at each position */
  int *start;                      /* of each position: its entries; one more */
  int *later;                      /* of each entry: the later position it reaches */
  size_t *diagonal;                /* of each position: its own block in values */
  size_t *upper, *lower;           /* of each entry: its two blocks */
  bool *empty;                     /* the same: nothing stands there, and they are not even zero */
  int *open_count;                 /* of each position: its entries that are not empty, */
  int *open;                       /* which stand here, from its start on */
  int *waiting, *last_waiting;     /* of each position: the first place among the open, and the
                                    * last, of an entry that reaches it and waits there; -1: none */
  int *next_waiting, *whose;       /* of each such place: the next, and the position it is of */
  double *size_upper, *size_lower; /* squares, in units, where products may be negligible */
  double *units;                   /* of each row: its own, and that of its unknown; */
  double *squares, *inverses;      /* of these, for that */
  double *unit_row;                /* for a while */
  double *values;
  int *pivot;      /* of each row */
  int first, last; /* positions of the matrix now */
  ff_six_take *six;
  int *spot; /* of each position: an entry that reaches it, for a while; of each part of its own */
  int *work; /* for the ordering */
  int work_size;
  ff_blocks_parts parts;
};

static inline int ff_blocks_size_at(const ff_blocks *b, int position) {
  return b->size[b->node_at[position]];
}

/* The entry of position i that reaches a later one. */
int ff_blocks_entry(const ff_blocks *b, int i, int later);
/* From now on something stands in the blocks of an entry of position i. */
void ff_blocks_open(ff_blocks *b, int i, int e);

/* Finds the parts of the matrix now, unless they are known. */
void ff_blocks_split(ff_blocks *b);
/* Entries that reach the top from parts, as they are now. */
void ff_blocks_find_reach(ff_blocks *b);
/* Has the matrix now parts? Else all of it is the top. */
static inline bool ff_blocks_is_split(const ff_blocks *b) {
  return b->last - b->first + 1 >= FF_BLOCKS_SHARED;
}
/* Of a part, or the top: its positions, and how many. */
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
