/* Fits: parameters of scenes and of measurements from measured trajectories.
 *
 *   ff_fit_load(&fit, "fit.yaml", &report);
 *   ff_fit_solve(fit, threads, NULL, &report);
 *   ff_fit_outcome outcome = ff_fit_outcome_of(fit, 0);
 *
 * The file is described in docs/fits.md. Results do not depend on the number of threads.
 */
#ifndef FOOTFALL_FIT_H
#define FOOTFALL_FIT_H

#include "footfall/api.h"
#include "footfall/law.h"
#include "footfall/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ff_fit ff_fit;

/* Reads the file, its scene and all data, and computes every trajectory once at the initial
 * parameters, so that mistakes are found here. */
FF_API ff_status ff_fit_load(ff_fit **out, const char *path, ff_report *report);
FF_API void ff_fit_destroy(ff_fit **fit);

/* What a fit is doing. */
typedef struct ff_fit_progress {
  const char *law;
  int law_number, law_count; /* from 1 */
  const char *stage;         /* "samples", "search", "intervals", "cross-validation" or
                              * "all trajectories" */
  int evaluations;           /* runs of all trajectories for this law, those for derivatives too */
  double error;              /* root mean square of the last, in units of the noise; NAN: none */
} ff_fit_progress;

/* Before ff_fit_solve: `watch` is called after every evaluation, on the thread of ff_fit_solve. */
FF_API void ff_fit_watch(ff_fit *fit, void (*watch)(void *context, const ff_fit_progress *progress),
                         void *context);

/* Fits every law. stop (may be NULL): a value other than 0 ends it with FF_CANCELLED. */
FF_API ff_status ff_fit_solve(ff_fit *fit, int threads, const volatile int *stop,
                              ff_report *report);

FF_API const char *ff_fit_name(const ff_fit *fit);
FF_API int ff_fit_law_count(const ff_fit *fit);
FF_API int ff_fit_trajectory_count(const ff_fit *fit);
FF_API const char *ff_fit_trajectory_name(const ff_fit *fit, int trajectory);
FF_API bool ff_fit_trajectory_held_out(const ff_fit *fit, int trajectory);

/* One estimated number. Intervals are of 95 %, from the curvature at the minimum and the scatter of
 * the residuals. */
typedef struct ff_fit_estimate {
  const char *name;
  int trajectory; /* that it belongs to; -1: all */
  double value;
  double bound[2];     /* given */
  double interval[2];  /* if residuals are independent of each other */
  double clustered[2]; /* if only trajectories are; NAN with fewer than 8 */
  bool at_bound;       /* the search ended at a bound */
  bool unclear;        /* the interval is as wide as the bounds: the data do not tell */
} ff_fit_estimate;

/* Result for one law. Errors are root mean squares of (measured - computed) / noise. */
typedef struct ff_fit_outcome {
  const char *law;
  bool converged;
  int evaluations;       /* runs of all trajectories */
  int starts_agreeing;   /* starts that ended within 1 % of the best sum */
  long residuals;        /* numbers compared, in the fit */
  int free;              /* estimated numbers */
  double sum;            /* of squared residuals after the loss, in the fit */
  double rms;            /* of the fitted trajectories */
  double aicc, bic;      /* of independent normal residuals; lower is better */
  double held_out;       /* rms of the held-out trajectories; NAN: none */
  double held_out_error; /* its standard error over trajectories */
  double crossed;        /* rms of cross-validation; NAN: none */
  double crossed_error;  /* its standard error over trajectories */
  const ff_fit_estimate *estimates;
  int estimate_count;
  const double *correlations; /* estimate_count^2 */
  const double *flat;         /* unit direction that the data fix least, in units of the bounds */
  double flat_deviation;      /* standard deviation along it, in the same units */
} ff_fit_outcome;

FF_API ff_fit_outcome ff_fit_outcome_of(const ff_fit *fit, int law);

/* Error of one trajectory: root mean square of (measured - computed) / noise. */
FF_API double ff_fit_trajectory_rms(const ff_fit *fit, int law, int trajectory);

/* Errors in units of the user (`errors` of the file): means over trajectories and the standard
 * errors of these means. NAN: no such trajectories. */
typedef struct ff_fit_error {
  const char *name, *unit;
  double fitted, fitted_error;
  double held_out, held_out_error;
} ff_fit_error;

FF_API int ff_fit_error_count(const ff_fit *fit);
FF_API ff_fit_error ff_fit_error_of(const ff_fit *fit, int law, int error);
FF_API double ff_fit_trajectory_error(const ff_fit *fit, int law, int error, int trajectory);

/* Figures that others have published for the same data (`published` of the file). */
typedef struct ff_fit_published {
  const char *name; /* NULL: no such index */
  const char *source;
  const double *values; /* of each error; NAN: unknown */
} ff_fit_published;

FF_API ff_fit_published ff_fit_published_of(const ff_fit *fit, int index);

/* Before ff_fit_solve: keeps these laws only, in the order of the file; FF_ERROR_INPUT if one is
 * unknown. Takes all values as they start instead of fitting them, but those of single
 * trajectories. */
FF_API ff_status ff_fit_choose_laws(ff_fit *fit, const char *const *names, int count,
                                    ff_report *report);
FF_API void ff_fit_keep_values(ff_fit *fit);

/* Measured and computed values of one compared quantity on one trajectory. Value of row i is
 * measured[i * measured_stride]. */
typedef struct ff_fit_curve {
  const char *label; /* column, or "rotation x": part of the rotation vector from the measured to
                      * the computed orientation, rad, world */
  const char *unit;
  long rows;
  const double *time;     /* s since the start of the trajectory */
  const double *measured; /* NAN: missing; NULL: of a rotation, 0 */
  int measured_stride;
  const double *computed; /* by the measurement model */
  int computed_stride;
  double noise;
} ff_fit_curve;

FF_API int ff_fit_curve_count(const ff_fit *fit); /* of every trajectory */
FF_API ff_fit_curve ff_fit_curve_of(const ff_fit *fit, int law, int trajectory, int curve);

/* ---- restitution curves ---------------------------------------------------------------------- */

/* Parameters of a normal law from measured restitutions, by simulated impacts on a fixed body. */
typedef struct ff_impact_fit ff_impact_fit;

typedef struct ff_impact_fit_vary {
  const char *name;
  double low, high; /* bounds; both NAN: a tenth to ten times the default, or 1e-6 to 1e10 */
} ff_impact_fit_vary;

typedef struct ff_impact_fit_def {
  const ff_law *law;
  const ff_law_params *params;    /* values of parameters that are not fitted; unresolved */
  const ff_impact_fit_vary *vary; /* fitted parameters */
  int vary_count;                 /* 0: every real one not in `given` that has an effect, but none
                                   * that follows from others */
  const char *const *given;       /* names of parameters whose values are known */
  int given_count;
  double mass;               /* kg */
  double gravity;            /* m/s^2, into the fixed body */
  int count;                 /* measured impacts */
  const double *speed;       /* m/s */
  const double *restitution; /* 1 */
  const double *noise;       /* 1, standard deviation of each restitution; NULL: all alike */
} ff_impact_fit_def;

/* Multi-start bounded least squares. FF_ERROR_INPUT: the report (may be NULL) says what is wrong:
 * unknown names, no parameter with an effect, a law without a force formula. */
FF_API ff_status ff_impact_fit_solve(ff_impact_fit **out, const ff_impact_fit_def *def,
                                     ff_report *report);
FF_API void ff_impact_fit_destroy(ff_impact_fit **fit);

/* rms, sum and intervals are in units of the noise, or of restitution without noise. */
FF_API ff_fit_outcome ff_impact_fit_outcome(const ff_impact_fit *fit);
/* Computed restitutions, as many as measured. */
FF_API const double *ff_impact_fit_computed(const ff_impact_fit *fit);
/* Parameters at the minimum, not resolved. */
FF_API ff_law_params ff_impact_fit_params(const ff_impact_fit *fit);
/* Parameters that were not given and have no effect on these restitutions: name i, or NULL. */
FF_API const char *ff_impact_fit_idle(const ff_impact_fit *fit, int index);

/* Measured restitutions from a table (.csv, .sto, ...; .gz too). Columns `speed` or `v` (m/s) and
 * `restitution` or `e`, else the first two; `noise` or `sigma` if there is one. */
typedef struct ff_impact_data {
  int count;
  double *speed, *restitution, *noise; /* noise NULL: no such column */
} ff_impact_data;

FF_API ff_status ff_impact_data_read(ff_impact_data *out, const char *path, ff_report *report);
FF_API void ff_impact_data_free(ff_impact_data *data);

#ifdef __cplusplus
}
#endif
#endif
