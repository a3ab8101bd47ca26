/* How impulses at contact points move bodies and robots that touch.
 *
 * Free bodies have six coordinates each (angular velocity, then velocity of the centre of mass,
 * world), robots those of their tree; together they have an inertia H. A row J of a contact point
 * says how fast it moves along a direction: of a against b. An impulse p along it changes the
 * velocities by H^-1 J^T p. With H = L^T L everything is said by Y = L^-T J^T, one vector for
 * each row: J_i H^-1 J_j^T = Y_i . Y_j.
 *
 *   ff_rows_begin(rows, model, state, movers, count, tied);   H of these
 *   ff_rows_add(rows, model, state, ...);                     three rows a contact
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

typedef struct ff_rows {
  int size, size_limit;   /* coordinates */
  int count, count_limit; /* rows */
  int *parent;            /* of each coordinate, as ff_branch_factor wants them */
  int chain;              /* so many first coordinates are a chain, see tree/tree.h */
  int *first;             /* of each mover of the model: its first coordinate */
  double *inertia;        /* size x size */
  double *factor;         /* size x size: H and what stiffens it, then L */
  int *depth;             /* of each coordinate: how many ancestors it has */
  double *jacobian;       /* count x size: along the row's path from the root on */
  double *reached;        /* the same of Y */
  int *tips;              /* count: the row counts at this coordinate and its ancestors */
  int *lengths;           /* count: how many these are */
  double *scratch;        /* size_limit^2 */
  ff_vec3 *columns;       /* size_limit */
  bool tied;              /* contacts tie branches together: all matrices are full */
} ff_rows;

/* Room for so many coordinates and rows. */
ff_status ff_rows_make(ff_rows *out, const ff_model *model, ff_arena *arena, int size_limit,
                       int count_limit);

/* No rows yet, and the inertia of these movers where the state has placed them; that of robots
 * with what is added to it. tied: a contact will join two of them, or two links of a robot. False:
 * no room. */
bool ff_rows_begin(ff_rows *rows, const ff_model *model, const ff_state *state, const int *movers,
                   int count, bool tied);
/* Adds three rows: the point of body a against that of b along the axes. Returns the first; -1: no
 * room. */
int ff_rows_add(ff_rows *rows, const ff_model *model, const ff_state *state, int a, int b,
                ff_vec3 point, const ff_vec3 axes[3]);

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
/* ... and which tells how the speeds along the rows of a contact change, ... */
void ff_rows_speed(const ff_rows *rows, int row, const double *reached, double change[3]);
/* ... and at last all velocities: H^-1 push. */
void ff_rows_settle(const ff_rows *rows, double *reached);
/* J_i H^-1 J_j^T of the three rows of two contacts, row by row. */
void ff_rows_ease(const ff_rows *rows, int i, int j, double ease[9]);

#endif
