/* How forces and impulses at contact points move bodies and robots.
 *
 * Free bodies have six coordinates each (angular velocity in principal axes, then velocity of the
 * centre of mass, world), robots those of their tree. What moves as one is a mover; movers have an
 * inertia H, block by block: a mover is a block, or all of them are one if contacts are to tie them
 * together. A row J of a contact point says how fast it moves along a direction: of a against b. An
 * impulse p along it changes the velocities by H^-1 J^T p. With H = L^T L everything is said by
 * Y = L^-T J^T, one vector for each row: J_i H^-1 J_j^T = Y_i . Y_j. Rows know only the coordinates
 * on the ways from their links to the root.
 *
 *   ff_rows_begin(rows, model, state, movers, count, tied);   H of these
 *   ff_rows_add(rows, model, state, ...);                     three rows a contact
 *   ff_rows_soften(rows);
 *   ff_rows_stiffen(rows, row, weights);                      optional: H + weight J^T J
 *   ff_rows_factor(rows);                                     L and Y
 */
#ifndef FF_STEP_ROWS_H
#define FF_STEP_ROWS_H

#include "model/state.h"

/* What moves as one: a free body, or a robot. */
static inline int ff_mover_of(const ff_model *model, int body) {
  const ff_model_body *b = &model->bodies[body];
  return b->slot >= 0                           ? b->slot
         : b->robot >= 0 && ff_body_is_moved(b) ? model->free_count + b->robot
                                                : -1;
}
static inline int ff_mover_count(const ff_model *model) {
  return model->free_count + model->robot_count;
}
static inline int ff_mover_size(const ff_model *model, int mover) {
  return mover < model->free_count ? 6 : model->robots[mover - model->free_count].v_count;
}

/* Coordinates whose inertia is one matrix. */
typedef struct ff_row_block {
  int mover; /* the first, or only one */
  int first, size;
  int chain; /* number of leading coordinates that form a chain, see tree/tree.h */
  bool
      diagonal; /* factor is the diagonal of L^-1, and all there is: a free body, never stiffened */
  double *inertia; /* size x size */
  double *factor;  /* size x size: H and what stiffens it, then L */
} ff_row_block;

/* One body of a contact; of two that are in one block, both together. */
typedef struct ff_row_side {
  int block;  /* -1: it moves on its own, or not at all */
  int tip;    /* in the block: the rows are nonzero at this coordinate and its ancestors */
  int length; /* number of these coordinates */
  size_t at;  /* in jacobian and reached: three rows of `length` numbers, from the root on */
} ff_row_side;

/* A link that contacts touch, if nothing is stiffened: what its points do follows from six rows,
 * its velocity at a place and its angular velocity. */
typedef struct ff_row_link {
  int body;
  ff_vec3 place;
  ff_row_side rows[2];
} ff_row_link;
/* A contact there: how its three rows follow. */
typedef struct ff_row_mount {
  int link; /* -1: its rows are its own */
  ff_vec3 along[3], turn[3];
} ff_row_mount;

/* Rows of a contact: velocity of the point along three axes; that of the first may have a lever
 * (m), by which it counts the angular velocity, too. */
typedef struct ff_row_axes {
  ff_vec3 point, axes[3]; /* world */
  bool has_lever;
  ff_vec3 lever;
} ff_row_axes;

/* The rows of a contact point of a state: normal force, t1, t2. */
static inline ff_row_axes ff_row_axes_of(const ff_point *point) {
  return (ff_row_axes){.point = point->point,
                       .axes = {point->push, point->t1, point->t2},
                       .has_lever = point->id.kind != FF_PAIR_POINT,
                       .lever = point->lever};
}

/* Room that is wanted. */
typedef struct ff_rows_limits {
  int size;        /* coordinates */
  int contacts;    /* three rows each */
  size_t matrices; /* numbers in inertias of all blocks */
  size_t numbers;  /* in the rows */
  bool stiffens;   /* else bodies are simpler, and rows and inertias are there only once */
} ff_rows_limits;

typedef struct ff_rows {
  ff_rows_limits limits;
  int size, count;      /* coordinates, rows */
  int *parent;          /* of each coordinate, in its block, as ff_branch_factor wants them */
  int *depth;           /* of each coordinate: how many ancestors it has */
  int *first;           /* of each mover of the model: its first coordinate; -1: takes no part */
  int *home;            /* and its block */
  ff_row_block *blocks; /* at most one for each mover */
  int block_count;
  ff_row_side (*sides)[2]; /* of each contact */
  ff_row_mount (*mounts)[2];
  ff_row_link *links;
  int link_count;
  int *link_of; /* of each body: its number in links */
  double *inertia, *factor, *jacobian, *reached;
  size_t matrices_used, numbers_used;
  double *scratch;          /* of the largest robot, squared */
  ff_vec3 *columns, *turns; /* of the largest robot */
  bool tied;                /* one block, its matrices full */
} ff_rows;

ff_status ff_rows_make(ff_rows *out, const ff_model *model, ff_arena *arena, ff_rows_limits limits);
/* Room for any contacts of a state between movers that are never tied or stiffened. */
ff_rows_limits ff_rows_limits_of(const ff_model *model, const ff_state *state);

/* No rows yet, and the inertia of these movers where the state has placed them; that of robots
 * with what is added to it. tied: a contact will join two of them, or two links of a robot, and
 * stiffen them. False: no room. */
bool ff_rows_begin(ff_rows *rows, const ff_model *model, const ff_state *state, const int *movers,
                   int count, bool tied);
/* A mover becomes a block of its own. False: no room. */
bool ff_rows_join(ff_rows *rows, const ff_model *model, const ff_state *state, int mover);
/* Adds three rows of body a against body b. Movers that are new here join in, unless they are
 * tied. Returns the first; -1: no room. */
int ff_rows_add(ff_rows *rows, const ff_model *model, const ff_state *state, int a, int b,
                const ff_row_axes *at);

/* The factor becomes H again. */
void ff_rows_soften(ff_rows *rows);
/* Adds weight J^T J of the three rows of a contact. */
void ff_rows_stiffen(ff_rows *rows, int row, const double weights[3]);
/* L and Y. False: the inertia is not positive. */
bool ff_rows_factor(ff_rows *rows);

/* push += impulse J^T, of the three rows of a contact */
void ff_rows_push(const ff_rows *rows, int row, const double impulse[3], double *push);
/* A generalised impulse becomes L^-T push, ... */
void ff_rows_reach(const ff_rows *rows, double *push);
/* ... to which impulses along rows add up ... */
void ff_rows_hit(const ff_rows *rows, int row, const double impulse[3], double *reached);
/* ... and angular impulses on the links of a contact, on a and against it on b, if rows are never
 * stiffened; free bodies are left out ... */
void ff_rows_turn(const ff_rows *rows, int row, ff_vec3 impulse, double *reached);
/* ... and which tells how the speeds along the rows of a contact change, ... */
void ff_rows_speed(const ff_rows *rows, int row, const double *reached, double change[3]);
/* ... and at last all velocities: H^-1 push. */
void ff_rows_settle(const ff_rows *rows, double *reached);
/* J_i H^-1 J_j^T of the three rows of two contacts, row by row. */
void ff_rows_delassus(const ff_rows *rows, int i, int j, double ease[9]);
/* How easily an angular impulse changes the spin of a link, a (0) or b (1) of a contact, about an
 * axis, 1/(kg m^2); 0: it is not a link. */
double ff_rows_turn_mobility(const ff_rows *rows, int row, int side, ff_vec3 axis);

#endif
