/* Constraint rows between two bodies: error, rate, bias and Jacobian. Independent of steppers and
 * solvers. */
#ifndef FF_MODEL_CONSTRAINT_H
#define FF_MODEL_CONSTRAINT_H

#include "model/model.h"

enum { FF_CONSTRAINT_ROWS = 6 }; /* most rows of a constraint */

/* Rows of a constraint at the current state. Row i has the rate
 *   along[i] . (v_a - v_b) + turn_a[i] . omega_a + turn_b[i] . omega_b
 * with the velocities of the centres of mass; multiplier i is a force along[i] and a torque
 * turn_a[i] on a, and -along[i] and turn_b[i] on b. */
typedef struct ff_constraint_rows {
  int count;
  int places; /* the first rows are distances, m; the others cosines between directions, 1 */
  ff_vec3 along[FF_CONSTRAINT_ROWS], turn_a[FF_CONSTRAINT_ROWS], turn_b[FF_CONSTRAINT_ROWS];
  double error[FF_CONSTRAINT_ROWS]; /* m or 1: zero if the constraint is satisfied */
  double rate[FF_CONSTRAINT_ROWS];  /* m/s or 1/s */
  double bias[FF_CONSTRAINT_ROWS];  /* m/s^2 or 1/s^2: second derivative at zero accelerations */
  ff_vec3 point_a, point_b;         /* m, anchors, world */
} ff_constraint_rows;

/* Number of rows of a kind of constraint. */
int ff_constraint_row_count(ff_constraint_kind kind);

void ff_constraint_evaluate(const ff_model_constraint *constraint, const ff_body_motion *a,
                            const ff_body_motion *b, ff_constraint_rows *out);

/* Force on a at its anchor, and moment about it, for these multipliers. */
ff_vec3 ff_constraint_force(const ff_constraint_rows *rows, const double *multipliers,
                            ff_vec3 *moment);

/* Largest position error, m, and angular error, rad. */
double ff_constraint_errors(const ff_constraint_rows *rows, double *angle);

#endif
