/* Constraints between two bodies, row by row: what must be zero, how fast it changes, and which
 * forces keep it so. Knows nothing of steps and solvers.
 */
#ifndef FF_MODEL_CONSTRAINT_H
#define FF_MODEL_CONSTRAINT_H

#include "model/model.h"

enum { FF_CONSTRAINT_ROWS = 6 }; /* most that a constraint can have */

/* A constraint where its bodies are. Row i changes at the rate
 *   along[i] . (v_a - v_b) + turn_a[i] . omega_a + turn_b[i] . omega_b
 * with the velocities of the centres of mass, and multiplier i is a force along[i] and a torque
 * turn_a[i] on a, and -along[i] and turn_b[i] on b. */
typedef struct ff_constraint_rows {
  int count;
  int places; /* the first of them are distances, m; the others cosines between directions, 1 */
  ff_vec3 along[FF_CONSTRAINT_ROWS], turn_a[FF_CONSTRAINT_ROWS], turn_b[FF_CONSTRAINT_ROWS];
  double error[FF_CONSTRAINT_ROWS]; /* m or 1: zero where the constraint holds */
  double rate[FF_CONSTRAINT_ROWS];  /* m/s or 1/s */
  double bias[FF_CONSTRAINT_ROWS];  /* m/s^2 or 1/s^2: second derivative without accelerations */
  ff_vec3 point_a, point_b;         /* m, the anchors in the world */
} ff_constraint_rows;

/* Rows that a constraint of this kind has. */
int ff_constraint_row_count(ff_constraint_kind kind);

void ff_constraint_look(const ff_model_constraint *constraint, const ff_body_motion *a,
                        const ff_body_motion *b, ff_constraint_rows *out);

/* Force on a at its anchor, and moment about it, of these multipliers. */
ff_vec3 ff_constraint_force(const ff_constraint_rows *rows, const double *multipliers,
                            ff_vec3 *moment);

/* Largest error of the places, m, and of the directions, rad. */
double ff_constraint_apart(const ff_constraint_rows *rows, double *angle);

#endif
