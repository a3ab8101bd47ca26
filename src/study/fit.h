/* A fit in memory. See footfall/fit.h and docs/fits.md. */
#ifndef FF_STUDY_FIT_H
#define FF_STUDY_FIT_H

#include "base/arena.h"
#include "footfall/fit.h"
#include "footfall/sim.h"
#include "study/document.h"

enum {
  FF_FIT_PARAMETERS_MAX = 64,
  FF_FIT_PATHS_MAX = 16,
  FF_FIT_ITEMS_MAX = 64,
  FF_FIT_LAWS_MAX = 32,
  FF_FIT_TRAJECTORIES_MAX = 100000,
  FF_FIT_TEXT = 512
};

typedef struct ff_fit_parameter {
  const char *name;
  const char *paths[FF_FIT_PATHS_MAX]; /* keys of the scene that get its value; may be none */
  int path_count;
  double start, low, high;
  bool log;  /* searched by its logarithm */
  bool each; /* one value for each trajectory */
} ff_fit_parameter;

/* A number, or a parameter by name. */
typedef struct ff_fit_number {
  double value;
  const char *parameter; /* NULL: the value */
} ff_fit_number;

typedef enum ff_fit_kind { FF_FIT_CHANNEL, FF_FIT_POSITION, FF_FIT_ORIENTATION } ff_fit_kind;

/* Compared quantity: measured(t) = scale computed(t + delay) + offset + noise. */
typedef struct ff_fit_item {
  ff_fit_kind kind;
  const char *of; /* channel, or body */
  const char *columns[4];
  int columns_count; /* 1, 3 or 4 (a quaternion w x y z) */
  int parts;         /* residuals in a row: 1 or 3 */
  int at;            /* first column in ff_fit_trajectory.measured */
  const char *unit;
  double noise; /* standard deviation */
  ff_fit_number scale, delay, offset[3];
  ff_fit_number frame[3]; /* rotation vector, rad: world of the scene -> axes of the measurement */
} ff_fit_item;

/* An error in units of the user: of each trajectory the mean over its rows, the root of the mean
 * square or the last of |measured - computed| over some columns, times scale, over a column. */
typedef enum ff_fit_take { FF_FIT_MEAN, FF_FIT_RMS, FF_FIT_END } ff_fit_take;

typedef struct ff_fit_error_def {
  const char *name, *unit;
  int *parts; /* residuals of a row that belong to it */
  int part_count;
  ff_fit_take take;
  double scale;
  const char *over; /* column whose first value divides it; NULL: none */
  int over_at;      /* its place in ff_fit_trajectory.divisors */
} ff_fit_error_def;

typedef struct ff_fit_published_def {
  const char *name, *source;
  double *values; /* of each error; NAN: unknown */
} ff_fit_published_def;

typedef struct ff_fit_trajectory {
  const char *name;
  const char **settings; /* "key=value" for the scene */
  int setting_count;
  long rows;
  double *time;     /* s, from 0 */
  double *measured; /* rows x fit->width */
  double *divisors; /* fit->divisor_count */
  long flight;      /* rows from which the first state is taken */
  bool held_out;
  int fold;
} ff_fit_trajectory;

typedef struct ff_fit_law {
  const char *name;
  const char **settings;
  int setting_count;
  ff_fit_parameter *parameters; /* common ones first */
  int parameter_count;
  ff_fit_outcome outcome;
  double *rms;       /* of each trajectory */
  double *errors;    /* of each trajectory: fit->error_count */
  double **computed; /* of each trajectory: rows x fit->parts, by the measurement model */
} ff_fit_law;

typedef enum ff_fit_loss {
  FF_LOSS_SQUARE,
  FF_LOSS_SOFT_L1,
  FF_LOSS_HUBER,
  FF_LOSS_CAUCHY
} ff_fit_loss;

struct ff_fit {
  ff_arena arena;
  ff_document document;
  const char *name, *source;
  ff_fit_law *laws;
  int law_count;
  ff_fit_item *items;
  int item_count, width, parts; /* columns and residuals in a row, of all items */
  ff_fit_trajectory *trajectories;
  int trajectory_count;
  const char *first_state; /* body whose first state is taken from the rows before it touches */
  double first_until;      /* s; NAN: until the touch */
  double from, to;         /* s, window that is compared */
  ff_fit_loss loss;
  double loss_scale;
  ff_fit_error_def *errors;
  int error_count, divisor_count;
  ff_fit_published_def *published;
  int published_count;
  bool fixed;  /* values stay at their start */
  int samples; /* points over the bounds that are tried first */
  int starts, folds;
  double held_out;
  double step; /* of difference quotients, in units of the bounds */
  int limit;
  const volatile int *stop;
  void (*watch)(void *context, const ff_fit_progress *progress); /* NULL: none */
  void *watch_context;
  ff_fit_progress progress;
};

/* Computes one trajectory with these values of the law's parameters: rows x fit->parts numbers, as
 * they would be measured; for an orientation the rotation vector from the measured to the computed
 * one. */
ff_status ff_fit_compute(const ff_fit *fit, const ff_fit_law *law, const ff_fit_trajectory *at,
                         const double *values, double *computed, ff_report *report);
/* Residuals after the loss, rows x fit->parts; 0 where nothing is compared. Returns how many are.
 * computed NULL: only counts. squares (may be NULL) gets the sum of squares before the loss. */
long ff_fit_residuals(const ff_fit *fit, const ff_fit_trajectory *at, const double *computed,
                      double *residuals, double *squares);

/* Errors of a trajectory in units of the user, fit->error_count, from its computed values. */
void ff_fit_take_errors(const ff_fit *fit, const ff_fit_trajectory *at, const double *computed,
                        double *errors);

/* State of a body in free flight from poses: see src/study/flight.c. */
typedef struct ff_flight_row {
  double time;
  ff_vec3 position;    /* of the body's origin; x NAN: missing */
  ff_quat orientation; /* w NAN: missing */
} ff_flight_row;
bool ff_flight_state(ff_body_state *out, const ff_flight_row *rows, int count,
                     const ff_body_info *body, ff_vec3 gravity);
/* The first state of a trajectory by its first rows. */
bool ff_fit_first_state(const ff_fit *fit, const ff_fit_law *law, const ff_fit_trajectory *at,
                        const double *values, const ff_model *model, ff_body_state *out);
/* Rows before the body touches, at the initial parameters of the first law. */
ff_status ff_fit_find_flight(ff_fit *fit, ff_fit_trajectory *at, ff_report *report);

double ff_fit_number_value(const ff_fit_law *law, const ff_fit_number *number,
                           const double *values);

#endif
