/* Macro impulses: of rigid parts, by a quadratic programme.
 *
 * Of a point that sticks all three impulses are unknown and its velocity shall become 0; of one
 * that slides the normal impulse is unknown, friction follows it, and its normal velocity shall
 * become 0; both bounce with e. As many equations as unknowns: A x = v [Sugihara03 eq. 32].
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

void ff_macro_ease(ff_micro *micro) {
  size_t m = (size_t)micro->rows.count;
  for (int j = 0; j < micro->member_count; j++) {
    const ff_micro_contact *b = &micro->members[j];
    for (int i = 0; i <= j && b->hard; i++) {
      const ff_micro_contact *a = &micro->members[i];
      double ease[9];
      if (!a->hard) {
        continue;
      }
      ff_rows_delassus(&micro->rows, a->row, b->row, ease);
      double *above = micro->eases + (size_t)a->row * m + b->row;
      double *below = micro->eases + (size_t)b->row * m + a->row;
      for (size_t k = 0; k < 3; k++) {
        v3_store(above + k * m, v3_load(ease + 3 * k));
        v3_store(below + k * m, v3(ease[k], ease[3 + k], ease[6 + k]));
      }
    }
  }
}

bool ff_macro_admit(ff_micro *micro) {
  bool changed = false;
  for (int k = 0; k < micro->member_count; k++) {
    ff_micro_contact *contact = &micro->members[k];
    if (!contact->hard && -micro->h * contact->end[0] > contact->room) {
      contact->hard = changed = true;
    }
  }
  return changed;
}

double ff_macro_sticking_slip(const ff_micro *micro, const ff_micro_contact *contact, int k) {
  return -contact->crept[k] / micro->h - 0.5 * contact->turning[1 + k];
}

double ff_macro_leaving_speed(const ff_micro *micro, const ff_micro_contact *contact) {
  double e = contact->ground->restitution, g = v3_norm(micro->model->run.gravity);
  if (contact->impact && e > 0) {
    return -e * contact->speed[0];
  }
  return isfinite(contact->room) ? lesser(-contact->room / micro->h, micro->h * g) : 0;
}

/* Unknowns, their bounds and v: from what there is without these impulses to what shall be
 * [Sugihara03 eq. 25, 29]. The impulses of the step before are where the search begins. Returns the
 * number of unknowns; -1: too many. */
static int lay_out_unknowns(ff_micro *micro) {
  int count = 0;
  for (int k = 0; k < micro->member_count; k++) {
    ff_micro_contact *contact = &micro->members[k];
    const double *before =
        ff_state_micro_point(micro->state, &micro->state->points[contact->point])->impulse;
    contact->unknown = count;
    if (count + unknowns_of(contact) > micro->unknown_limit) {
      return -1;
    }
    for (int i = 0; i < unknowns_of(contact); i++, count++) {
      double wanted = i == 0 ? ff_macro_leaving_speed(micro, contact)
                             : ff_macro_sticking_slip(micro, contact, i - 1);
      micro->picked[count] = contact->row + i; /* along which it acts */
      micro->target[count] = wanted - contact->end[i];
      micro->lower[count] = i == 0 ? 0 : -INFINITY;
      micro->x[count] = i == 0 ? fmax(before[0], 0) : before[i];
    }
  }
  return count;
}

/* A by columns: what each unknown does to the rows along which unknowns act. The normal impulse of
 * a point that slides brings the friction that follows it [Sugihara03 eq. 26]. */
static void fill_columns(ff_micro *micro, int n) {
  size_t m = (size_t)micro->rows.count;
  double *to = micro->columns;
  for (int j = 0; j < micro->member_count; j++) {
    const ff_micro_contact *by = &micro->members[j];
    const double *row = micro->eases + (size_t)by->row * m;
    for (int k = 0; k < unknowns_of(by); k++, row += m, to += n) {
      for (int i = 0; i < n; i++) {
        const double *at = row + micro->picked[i];
        to[i] =
            by->slides ? at[0] - by->mu * (by->slip[0] * at[m] + by->slip[1] * at[2 * m]) : at[0];
      }
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

/* Inverse mass (1/kg) that the regularisation must not hide: a heavy body on a light one makes A as
 * large as the light one is, but moves as slowly as the heavy one does. */
static double least_mobility(const ff_micro *micro, double diagonal) {
  const ff_model *model = micro->model;
  double least = diagonal;
  for (int k = 0; k < micro->member_count && micro->model->run.stepper.corrections; k++) {
    const ff_micro_contact *contact = &micro->members[k];
    const ff_model_body *a = &model->bodies[contact->a], *b = &model->bodies[contact->b];
    if (contact->hard && a->slot >= 0 && b->slot >= 0) {
      least = lesser(least, lesser(a->inv_mass, b->inv_mass));
    }
  }
  return least;
}

/* A normal impulse that is at its bound: it may not pull, and does not press. */
static bool is_bound(const ff_micro *micro, int i) {
  return micro->lower[i] == 0 && !(micro->x[i] > 0);
}

/* What is missing at x: v - A x. */
static const double *find_miss(ff_micro *micro, int n) {
  memcpy(micro->miss, micro->target, (size_t)n * sizeof *micro->miss);
  for (int i = 0; i < n; i++) {
    if (micro->x[i] != 0) {
      ff_take_off(micro->miss, micro->x[i], micro->columns + i * n, n);
    }
  }
  return micro->miss;
}

/* Minimises over the picked unknowns alone; the others are 0. Solves for the change of x, which is
 * small. False: no minimum. */
static bool solve_picked(ff_micro *micro, int n, int picked, double lambda) {
  double *y = micro->gradient; /* not in use yet */
  const double *miss = find_miss(micro, n);
  for (int i = 0; i < picked; i++) {
    int of = micro->picked[i];
    const double *column = micro->columns + of * n;
    double *row = micro->factor + i * picked;
    for (int j = 0; j <= i; j++) {
      row[j] = ff_dot(column, micro->columns + micro->picked[j] * n, n);
    }
    row[i] += lambda;
    y[i] = ff_dot(column, miss, n) - lambda * micro->x[of];
  }
  if (!ff_branch_factor(micro->chain, picked, micro->factor)) {
    return false;
  }
  ff_branch_down(micro->chain, picked, micro->factor, y);
  ff_branch_up(micro->chain, picked, micro->factor, y);
  for (int i = 0; i < picked; i++) {
    micro->x[micro->picked[i]] += y[i];
  }
  return true;
}

/* Mostly the points press that did in the step before, and no others: then the programme is a
 * linear system. False: that is not its solution; x may then be anything. */
static bool solve_as_before(ff_micro *micro, int n, double lambda) {
  int picked = 0;
  for (int i = 0; i < n; i++) {
    if (!is_bound(micro, i)) {
      micro->picked[picked++] = i;
    }
  }
  if (!solve_picked(micro, n, picked, lambda)) {
    return false;
  }
  for (int i = 0; i < picked; i++) {
    if (is_bound(micro, micro->picked[i])) {
      return false;
    }
  }
  const double *miss = find_miss(micro, n);
  for (int i = 0; i < n; i++) { /* would any of the points that do not press have to? */
    if (is_bound(micro, i) && !(ff_dot(micro->columns + i * n, miss, n) <= 0)) {
      return false;
    }
  }
  return true;
}

/* One try of a programme from where x is. */
static bool search_impulses(ff_micro *micro, const ff_qp_problem *problem) {
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
  double diagonal = 0;
  for (int i = 0; i < n; i++) {
    diagonal += micro->columns[i * n + i];
  }
  diagonal /= n;
  double least = least_mobility(micro, diagonal);
  double lambda = isnan(def->lambda) ? def->lambda_relative * least * least : def->lambda;
  ff_qp_problem problem = {.size = n, .lower = micro->lower};
  if (lambda > TOO_SMALL * (diagonal * diagonal)) {
    if (solve_as_before(micro, n, lambda)) {
      micro->info->iterations++;
      return true;
    }
    fill_hessian(micro, n, lambda);
    problem.hessian = micro->hessian;
    problem.gradient = micro->gradient;
  } else {
    for (int i = 0; i < n * n; i++) { /* A itself, by rows */
      micro->hessian[i] = micro->columns[i % n * n + i / n];
    }
    problem.rows = n;
    problem.matrix = micro->hessian;
    problem.target = micro->target;
    problem.lambda = lambda;
  }
  if (search_impulses(micro, &problem)) {
    return true;
  }
  micro->info->fallbacks++;
  memset(micro->x, 0, (size_t)n * sizeof *micro->x);
  return search_impulses(micro, &problem);
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
  int n = lay_out_unknowns(micro);
  micro->unknowns = n;
  if (n < 0) {
    return FF_ERROR_CAPACITY;
  }
  if (n == 0) {
    return FF_OK;
  }
  micro->info->problems++;
  fill_columns(micro, n);
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

/* A point that was torn moves if it goes faster than this, and than twice what it drifted. */
#define MOVES 1e-5 /* m/s */

static double along_slip(const ff_micro_contact *contact) {
  return contact->end[1] * contact->slip[0] + contact->end[2] * contact->slip[1];
}

/* Is friction more than static friction can be? [Sugihara03 eq. 35] */
static bool is_torn(const ff_micro *micro, const ff_micro_contact *contact) {
  double friction = ff_hypot(contact->impulse[1], contact->impulse[2]);
  return contact->hard && !contact->slides &&
         friction > mu_static(micro, contact) * contact->impulse[0];
}

/* Sliding starts against the friction that was asked for. */
static void tear(ff_micro_contact *contact, double mu) {
  double friction = ff_hypot(contact->impulse[1], contact->impulse[2]);
  contact->slides = true;
  contact->mu = mu;
  contact->slip[0] = -contact->impulse[1] / friction;
  contact->slip[1] = -contact->impulse[2] / friction;
}

static bool revise(const ff_micro *micro, ff_micro_contact *contact) {
  if (is_torn(micro, contact)) {
    contact->holds = !micro->model->run.stepper.no_sticking;
    tear(contact, contact->holds ? contact->grip->mu_static : contact->grip->mu_kinetic);
    contact->drift = fabs(along_slip(contact));
  } else if (contact->hard && contact->holds &&
             along_slip(contact) > 2 * contact->drift + MOVES) { /* it moves */
    contact->holds = false;
    contact->mu = contact->grip->mu_kinetic;
  } else if (contact->hard && contact->slides && !contact->holds && contact->impulse[0] > 0 &&
             along_slip(contact) < 0 && !micro->model->run.stepper.no_sticking) {
    contact->slides = false; /* kinetic friction may stop the slip, not turn it around */
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
