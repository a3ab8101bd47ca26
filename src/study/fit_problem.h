/* The least-squares problem of one law of a fit: unknowns, residuals, derivatives, search. */
#ifndef FF_STUDY_FIT_PROBLEM_H
#define FF_STUDY_FIT_PROBLEM_H

#include "base/team.h"
#include "solve/least_squares.h"
#include "study/fit.h"

/* Unknowns: shared parameters, then those of each trajectory used. All in [0, 1], linear or
 * logarithmic between the bounds. */
typedef struct ff_fit_problem {
  const ff_fit *fit;
  ff_fit *watched; /* the same, whose progress is shown; NULL: several such problems at once */
  const ff_fit_law *law;
  const int *used; /* trajectories */
  int used_count;
  long *first;         /* row of the first residual of each used trajectory, and the end */
  const double *given; /* values of the shared parameters, if they are not searched; else NULL */
  int shared, each;    /* unknowns that are shared, and of each trajectory */
  int unknowns;
  ff_team *team;
  double *computed;       /* room: as many as residuals */
  const double *x, *base; /* of the Jacobian in progress */
  double *jacobian, *residuals;
  double *scanned; /* unknowns of the scan in progress */
  double step;
  bool central;
  ff_status status;
} ff_fit_problem;

/* Unknown of a parameter on used trajectory u; -1: it is given. */
int ff_fit_column(const ff_fit_problem *problem, int parameter, int u);
/* Parameter and used trajectory (-1: all) of an unknown. */
int ff_fit_owner(const ff_fit_problem *problem, int column, int *u);
/* Values of all parameters on used trajectory u. */
void ff_fit_values(const ff_fit_problem *problem, const double *x, int u, double *values);

/* Counts unknowns and rows and takes room from the arena. */
ff_status ff_fit_open(ff_fit_problem *problem, ff_arena *arena);
/* Adds evaluations to the progress and shows it; stage NULL: the same as before, error NAN:
 * unknown. */
void ff_fit_show(ff_fit *fit, const char *stage, int evaluations, double error);
/* Callbacks of ff_least_squares; false if stopped. */
bool ff_fit_evaluate(void *problem, const double *x, double *r);
bool ff_fit_differentiate(void *problem, const double *x, const double *r, double *j);
/* Point 0 is that of the file, the others a Sobol sequence over the shared unknowns. */
void ff_fit_start(const ff_fit_problem *problem, int start, double *x);
/* Moves the unknowns of each single trajectory to the best of the samples of the fit, or leaves
 * them; the shared ones stay. */
ff_status ff_fit_scan(ff_fit_problem *problem, double *x);
/* From x to a minimum nearby. */
ff_status ff_fit_descend(ff_fit_problem *problem, double *x, ff_least_squares_result *result);
/* The best of several searches, in x, and how many agree with it. */
ff_status ff_fit_search(ff_fit_problem *problem, double *x, ff_fit_outcome *outcome);

#endif
