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
#include "math/pairs.h"
#include "math/vec.h"
#include "step/micro_macro.h"
#include "tree/tree.h"

#include <string.h>

/* Below this share of the squared mean diagonal lambda is too small for A^T A in double
 * precision. */
#define TOO_SMALL 1e-10

static double mu_static(const ff_micro *micro, const ff_micro_contact *contact) {
  return micro->model->run.stepper.no_sticking ? 0 : contact->grip->mu_static;
}

/* ---- the programme --------------------------------------------------------------------------- */

/* Three unknowns of a point that sticks, one of a point that slides. */
static int unknowns_of(const ff_micro_contact *contact) {
  return !contact->hard ? 0 : contact->slides ? 1 : 3;
}

/* Places of the unknowns. Returns how many; -1: too many. */
static int number(ff_micro *micro) {
  int count = 0;
  for (int k = 0; k < micro->member_count; k++) {
    micro->members[k].unknown = count;
    count += unknowns_of(&micro->members[k]);
    if (count > micro->unknown_limit) {
      return -1;
    }
  }
  return count;
}

/* What impulses of one contact do to the speeds of another: a block of A. at and across say where
 * in `ease` a speed (of `on`) and an impulse (of `by`) go on. */
static void fill_block(ff_micro *micro, int n, const ff_micro_contact *on,
                       const ff_micro_contact *by, const double *ease, int at, int across) {
  double *to = micro->columns + by->unknown * n + on->unknown;
  for (int i = 0; i < unknowns_of(on); i++) {
    const double *row = ease + i * at;
    if (by->slides) { /* [Sugihara03 eq. 26] */
      double friction = by->slip[0] * row[across] + by->slip[1] * row[2 * across];
      to[i] = row[0] - by->mu * friction;
      continue;
    }
    to[i] = row[0];
    to[n + i] = row[across];
    to[2 * n + i] = row[2 * across];
  }
}

/* A by columns. */
static void fill_columns(ff_micro *micro, int n) {
  for (int j = 0; j < micro->member_count; j++) {
    const ff_micro_contact *b = &micro->members[j];
    for (int i = 0; i <= j && b->hard; i++) {
      const ff_micro_contact *a = &micro->members[i];
      double ease[9];
      if (a->hard) {
        ff_rows_ease(&micro->rows, a->row, b->row, ease);
        fill_block(micro, n, a, b, ease, 3, 1);
        fill_block(micro, n, b, a, ease, 1, 3);
      }
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

/* v: from what there is without these impulses to what shall be [Sugihara03 eq. 25, 29]. The
 * impulses of the step before are where the search begins. */
static void fill_target(ff_micro *micro) {
  for (int k = 0; k < micro->member_count; k++) {
    const ff_micro_contact *contact = &micro->members[k];
    const double *before = micro->state->points[contact->point].impulse;
    for (int i = 0; i < unknowns_of(contact); i++) {
      int at = contact->unknown + i;
      micro->target[at] = (i == 0 ? bounce(micro, contact) : 0) - contact->end[i];
      micro->lower[at] = i == 0 ? 0 : -INFINITY;
      micro->x[at] = i == 0 ? fmax(before[0], 0) : before[i];
    }
  }
}

/* A^T A + lambda, its lower half, and -A^T v. */
static void fill_hessian(ff_micro *micro, int n, double lambda) {
  for (int i = 0; i < n; i++) {
    const double *column = micro->columns + (size_t)i * (size_t)n;
    for (int j = 0; j <= i; j++) {
      micro->hessian[i * n + j] = ff_dot(column, micro->columns + (size_t)j * (size_t)n, n);
    }
    micro->hessian[i * n + i] += lambda;
    micro->gradient[i] = -ff_dot(column, micro->target, n);
  }
}

static double mean_diagonal(const ff_micro *micro, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += micro->columns[i * n + i];
  }
  return sum / n;
}

static bool all_press(const ff_micro *micro, int n, const double *x) {
  for (int i = 0; i < n; i++) {
    if (micro->lower[i] == 0 && !(x[i] > 0)) {
      return false;
    }
  }
  return true;
}

/* While every point presses, before and after, no bound counts and the programme is a linear
 * system. False: it is not, or the system has no such solution; x may then be anything. */
static bool solve_freely(ff_micro *micro, int n) {
  size_t bytes = (size_t)n * sizeof(double);
  if (!all_press(micro, n, micro->x)) {
    return false;
  }
  memcpy(micro->factor, micro->hessian, (size_t)n * bytes);
  if (!ff_branch_factor(micro->chain, n, micro->factor)) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    micro->x[i] = -micro->gradient[i];
  }
  ff_branch_down(micro->chain, n, micro->factor, micro->x);
  ff_branch_up(micro->chain, n, micro->factor, micro->x);
  return all_press(micro, n, micro->x);
}

/* One try of a programme from where x is. */
static bool search(ff_micro *micro, const ff_qp_problem *problem) {
  ff_qp_info found = ff_qp_solve(micro->qp, problem, micro->x);
  bool good = found.outcome == FF_QP_SOLVED || found.outcome == FF_QP_INACCURATE;
  micro->info->iterations += found.iterations;
  micro->info->most = found.iterations > micro->info->most ? found.iterations : micro->info->most;
  micro->info->residual = fmax(micro->info->residual, good ? found.scaled : 0);
  return good;
}

/* Solves for x; from a cold start if the warm one does not lead there within the cap. */
static bool minimise(ff_micro *micro, int n) {
  const ff_stepper_def *def = &micro->model->run.stepper;
  double unit = mean_diagonal(micro, n) * mean_diagonal(micro, n);
  double lambda = isnan(def->lambda) ? def->lambda_relative * unit : def->lambda;
  ff_qp_problem problem = {.size = n, .lower = micro->lower};
  if (lambda > TOO_SMALL * unit) {
    fill_hessian(micro, n, lambda);
    if (solve_freely(micro, n)) {
      micro->info->iterations++;
      return true;
    }
    problem.hessian = micro->hessian;
    problem.gradient = micro->gradient;
  } else {
    fill_matrix(micro, n);
    problem.rows = n;
    problem.matrix = micro->hessian;
    problem.target = micro->target;
    problem.lambda = lambda;
  }
  if (search(micro, &problem)) {
    return true;
  }
  micro->info->fallbacks++;
  memset(micro->x, 0, (size_t)n * sizeof *micro->x);
  return search(micro, &problem);
}

/* From unknowns to impulses, and what they do. */
static void hit(ff_micro *micro) {
  for (int k = 0; k < micro->member_count; k++) {
    ff_micro_contact *contact = &micro->members[k];
    const double *x = micro->x + contact->unknown;
    if (!contact->hard) {
      continue;
    }
    contact->impulse[0] = x[0];
    for (int i = 0; i < 2; i++) {
      contact->impulse[1 + i] = contact->slides ? -contact->mu * contact->slip[i] * x[0] : x[1 + i];
    }
    ff_rows_hit(&micro->rows, contact->row, contact->impulse, micro->reached);
  }
}

ff_status ff_macro_solve(ff_micro *micro) {
  int n = number(micro);
  micro->unknowns = n;
  if (n < 0) {
    return FF_ERROR_CAPACITY;
  }
  if (n == 0) {
    return FF_OK;
  }
  micro->info->problems++;
  fill_columns(micro, n);
  fill_target(micro);
  if (!minimise(micro, n)) {
    return FF_ERROR_STEP;
  }
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
    double less[3] = {0};
    for (int i = 0; i < 2; i++) { /* [Sugihara03 eq. 36] */
      double friction = -contact->mu * contact->slip[i] * contact->impulse[0];
      less[1 + i] = friction - contact->impulse[1 + i];
      contact->impulse[1 + i] = friction;
    }
    ff_rows_hit(&micro->rows, contact->row, less, micro->reached);
  }
  return changed;
}
