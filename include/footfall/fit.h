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
#include "footfall/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ff_fit ff_fit;

/* Reads the file, its scene and all data, and computes every trajectory once at the initial
 * parameters, so that mistakes are found here. */
FF_API ff_status ff_fit_load(ff_fit **out, const char *path, ff_report *report);
FF_API void ff_fit_destroy(ff_fit **fit);

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

#ifdef __cplusplus
}
#endif
#endif
