/* Macro impulses: of rigid parts, by a quadratic programme.
 *
 * Of a point that sticks all three impulses are unknown and its velocity shall become 0; of one
 * that slides the normal impulse is unknown, friction follows it, and its normal velocity shall
 * become 0; both bounce with e. So many unknowns, so many equations A x = v [Sugihara03 eq. 32].
 * Four corners of a foot are more than enough to hold it: A is singular, and the impulses are
 * those that minimise
 *
 *   |A x - v|^2 / 2 + lambda |x|^2 / 2   with normal impulses >= 0   [Sugihara03 eq. 33]
 */
#include "math/vec.h"
#include "solve/qp.h"
#include "step/micro_macro.h"

#include <string.h>

/* Below this share of the squared mean diagonal lambda is too small for A^T A in double
 * precision. */
#define TOO_SMALL 1e-10

static double mu_static(const ff_micro *micro, const ff_micro_contact *contact) {
  return micro->model->run.stepper.no_sticking ? 0 : contact->grip->mu_static;
}

/* ---- the programme --------------------------------------------------------------------------- */

/* Unknowns: three of a point that sticks, one of a point that slides. Returns how many; -1: too
 * many. */
static int number(ff_micro *micro) {
  int count = 0;
  for (int k = 0; k < micro->member_count; k++) {
    const ff_micro_contact *contact = &micro->members[k];
    int own = !contact->hard ? 0 : contact->slides ? 1 : 3;
    if (count + own > micro->unknown_limit) {
      return -1;
    }
    for (int i = 0; i < own; i++) {
      micro->unknown_of[count] = k;
      micro->unknown_row[count++] = contact->row + i;
    }
  }
  return count;
}

/* Change of the speed along a row by one unit of an unknown. */
static double response(const ff_micro *micro, int row, int unknown) {
  const ff_micro_contact *by = &micro->members[micro->unknown_of[unknown]];
  double sum = ff_rows_ease(&micro->rows, row, micro->unknown_row[unknown]);
  for (int i = 0; i < 2 && by->slides; i++) { /* [Sugihara03 eq. 26] */
    sum -= by->mu * by->slip[i] * ff_rows_ease(&micro->rows, row, by->row + 1 + i);
  }
  return sum;
}

/* A by columns; where it is symmetric, from one half of it. */
static void fill_columns(ff_micro *micro, int n) {
  for (int j = 0; j < n; j++) {
    bool slides = micro->members[micro->unknown_of[j]].slides;
    for (int i = 0; i < n; i++) {
      bool twin = i < j && !slides && !micro->members[micro->unknown_of[i]].slides;
      micro->columns[j * n + i] =
          twin ? micro->columns[i * n + j] : response(micro, micro->unknown_row[i], j);
    }
  }
}

/* The same by rows, for a programme that wants A itself. */
static void fill_matrix(ff_micro *micro, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      micro->hessian[i * n + j] = micro->columns[j * n + i];
    }
  }
}

/* Speed at which a point shall leave [Sugihara03 eq. 29]: none if it came no faster than gravity
 * makes it in two steps, or rest would never come. */
static double bounce(const ff_micro *micro, const ff_micro_contact *contact) {
  double came = -contact->speed[0], slow = 2 * micro->h * v3_norm(micro->model->run.gravity);
  return came > slow ? contact->ground->restitution * came : 0;
}

/* v: from what there is without these impulses to what shall be [Sugihara03 eq. 25, 29]. */
static void fill_target(ff_micro *micro, int n) {
  for (int i = 0; i < n; i++) {
    const ff_micro_contact *contact = &micro->members[micro->unknown_of[i]];
    int axis = micro->unknown_row[i] - contact->row;
    double free =
        contact->speed[axis] + ff_rows_speed(&micro->rows, micro->unknown_row[i], micro->reached);
    micro->target[i] = (axis == 0 ? bounce(micro, contact) : 0) - free;
    micro->lower[i] = axis == 0 ? 0 : -INFINITY;
    micro->x[i] = micro->state->points[contact->point].impulse[axis];
    if (axis == 0) {
      micro->x[i] = fmax(micro->x[i], 0);
    }
  }
}

/* A^T A + lambda, its lower half, and -A^T v. */
static void fill_hessian(ff_micro *micro, int n, double lambda) {
  for (int i = 0; i < n; i++) {
    const double *column = micro->columns + (size_t)i * (size_t)n;
    for (int j = 0; j <= i; j++) {
      micro->hessian[i * n + j] = ff_qp_dot(column, micro->columns + (size_t)j * (size_t)n, n);
    }
    micro->hessian[i * n + i] += lambda;
    micro->gradient[i] = -ff_qp_dot(column, micro->target, n);
  }
}

static double mean_diagonal(const ff_micro *micro, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += micro->columns[i * n + i];
  }
  return sum / n;
}

/* Solves for x; from a cold start if the warm one does not lead there within the cap. */
static bool minimise(ff_micro *micro, int n) {
  const ff_stepper_def *def = &micro->model->run.stepper;
  double unit = mean_diagonal(micro, n) * mean_diagonal(micro, n);
  double lambda = isnan(def->lambda) ? def->lambda_relative * unit : def->lambda;
  ff_qp_problem problem = {.size = n, .lower = micro->lower};
  if (lambda > TOO_SMALL * unit) {
    fill_hessian(micro, n, lambda);
    problem.hessian = micro->hessian;
    problem.gradient = micro->gradient;
  } else {
    fill_matrix(micro, n);
    problem.rows = n;
    problem.matrix = micro->hessian;
    problem.target = micro->target;
    problem.lambda = lambda;
  }
  ff_qp_outcome outcome = ff_qp_solve(micro->qp, &problem, micro->x).outcome;
  if (outcome != FF_QP_SOLVED && outcome != FF_QP_INACCURATE) {
    memset(micro->x, 0, (size_t)n * sizeof *micro->x);
    outcome = ff_qp_solve(micro->qp, &problem, micro->x).outcome;
  }
  return outcome == FF_QP_SOLVED || outcome == FF_QP_INACCURATE;
}

/* From unknowns to impulses. */
static void take(ff_micro *micro, int n) {
  for (int i = 0; i < n; i++) {
    ff_micro_contact *contact = &micro->members[micro->unknown_of[i]];
    int axis = micro->unknown_row[i] - contact->row;
    contact->impulse[axis] = micro->x[i];
    for (int k = 0; k < 2 && contact->slides; k++) {
      contact->impulse[1 + k] = -contact->mu * contact->slip[k] * micro->x[i];
    }
  }
}

static void hit(ff_micro *micro) {
  for (int k = 0; k < micro->member_count; k++) {
    const ff_micro_contact *contact = &micro->members[k];
    for (int i = 0; i < 3 && contact->hard; i++) {
      ff_rows_hit(&micro->rows, contact->row + i, contact->impulse[i], micro->reached);
    }
  }
}

ff_status ff_macro_solve(ff_micro *micro) {
  int n = number(micro);
  if (n < 0) {
    return FF_ERROR_CAPACITY;
  }
  if (n == 0) {
    return FF_OK;
  }
  fill_columns(micro, n);
  fill_target(micro, n);
  if (!minimise(micro, n)) {
    return FF_ERROR_STEP;
  }
  take(micro, n);
  hit(micro);
  return FF_OK;
}

/* ---- stick and slip -------------------------------------------------------------------------
 *
 * Of several corners of a foot the programme shares friction evenly, whatever weighs on them: one
 * may exceed what it can bear while the foot as a whole does not. So a point that is torn first
 * gets all that static friction can be, and the others take over; only if it then really
 * moves is its friction kinetic. */

/* A point that was torn moves if it goes faster than this, and than twice what it crept. */
#define MOVES 1e-5 /* m/s */

static double along_slip(const ff_micro_contact *contact) {
  return contact->end[1] * contact->slip[0] + contact->end[2] * contact->slip[1];
}

/* Is friction more than static friction can be? [Sugihara03 eq. 35] */
static bool is_torn(const ff_micro *micro, const ff_micro_contact *contact) {
  double friction = hypot(contact->impulse[1], contact->impulse[2]);
  return contact->hard && !contact->slides &&
         friction > mu_static(micro, contact) * contact->impulse[0];
}

/* Does kinetic friction turn the slip around? It may stop it, no more. */
static bool is_turned(const ff_micro *micro, const ff_micro_contact *contact) {
  return contact->hard && contact->slides && !contact->holds && contact->impulse[0] > 0 &&
         along_slip(contact) < 0 && !micro->model->run.stepper.no_sticking;
}

static bool is_moved(const ff_micro_contact *contact) {
  return contact->hard && contact->holds && along_slip(contact) > 2 * contact->crept + MOVES;
}

/* Sliding starts against the friction that was asked for. */
static void tear(ff_micro_contact *contact, double mu) {
  double friction = hypot(contact->impulse[1], contact->impulse[2]);
  contact->slides = true;
  contact->mu = mu;
  contact->slip[0] = -contact->impulse[1] / friction;
  contact->slip[1] = -contact->impulse[2] / friction;
}

static bool revise(const ff_micro *micro, ff_micro_contact *contact) {
  if (is_torn(micro, contact)) {
    contact->holds = !micro->model->run.stepper.no_sticking;
    tear(contact, contact->holds ? contact->grip->mu_static : contact->grip->mu_kinetic);
    contact->crept = fabs(along_slip(contact));
  } else if (is_moved(contact)) {
    contact->holds = false;
    contact->mu = contact->grip->mu_kinetic;
  } else if (is_turned(micro, contact)) {
    contact->slides = false;
  } else {
    return false;
  }
  contact->turns++;
  return true;
}

bool ff_macro_revise(ff_micro *micro) {
  bool changed = false;
  for (int k = 0; k < micro->member_count; k++) {
    ff_micro_contact *contact = &micro->members[k];
    changed = (contact->turns < 3 && revise(micro, contact)) || changed;
  }
  return changed;
}

bool ff_macro_modify(ff_micro *micro) {
  bool changed = false;
  for (int k = 0; k < micro->member_count; k++) {
    ff_micro_contact *contact = &micro->members[k];
    if (!is_torn(micro, contact)) {
      continue;
    }
    tear(contact, contact->grip->mu_kinetic);
    changed = true;
    for (int i = 0; i < 2; i++) { /* [Sugihara03 eq. 36] */
      double friction = -contact->mu * contact->slip[i] * contact->impulse[0];
      double less = friction - contact->impulse[1 + i];
      ff_rows_hit(&micro->rows, contact->row + 1 + i, less, micro->reached);
      contact->impulse[1 + i] = friction;
    }
  }
  return changed;
}
