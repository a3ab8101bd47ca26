/* A study in memory. See footfall/study.h and docs/studies.md. */
#ifndef FF_STUDY_STUDY_H
#define FF_STUDY_STUDY_H

#include "base/arena.h"
#include "footfall/study.h"
#include "study/document.h"
#include "study/expression.h"

enum {
  FF_STUDY_PARAMETERS_MAX = 64,
  FF_STUDY_PATHS_MAX = 16,
  FF_STUDY_MEASURES_MAX = 256,
  FF_STUDY_VALUES_MAX = 100000
};
#define FF_STUDY_RUNS_MAX 1000000000L

/* ---- parameters ------------------------------------------------------------------------------ */

typedef enum ff_vary_kind {
  FF_VARY_VALUES, /* one of a list */
  FF_VARY_RANGE,  /* from .. to: count equal levels, or continuous if count is 0 */
  FF_VARY_LOG_RANGE,
  FF_VARY_NORMAL,     /* a: mean, b: standard deviation */
  FF_VARY_LOG_NORMAL, /* a: median, b: standard deviation of the logarithm */
  FF_VARY_TRIANGULAR  /* a: least, b: mode, c: largest */
} ff_vary_kind;

typedef struct ff_vary {
  const char *name;
  const char *paths[FF_STUDY_PATHS_MAX]; /* keys of the scene that get the value */
  int path_count;
  ff_vary_kind kind;
  double a, b, c;
  int count;           /* values of a list, levels of a range; 0: continuous */
  const char **values; /* of a list, as YAML text */
} ff_vary;

/* The parameter's value where its cumulative distribution is u in [0, 1). */
double ff_vary_quantile(const ff_vary *vary, double u);
/* Level i of a list (its index) or range with levels. */
double ff_vary_level(const ff_vary *vary, long level);

/* ---- design ---------------------------------------------------------------------------------- */

typedef enum ff_design_kind {
  FF_DESIGN_GRID,            /* all combinations; the last parameter changes fastest */
  FF_DESIGN_RANDOM,          /* independent samples */
  FF_DESIGN_LATIN_HYPERCUBE, /* each parameter takes each of `samples` strata once */
  FF_DESIGN_SOBOL,           /* Sobol sequence with a random digital shift */
  FF_DESIGN_SALTELLI         /* matrices A, B and A_B^i for variance-based sensitivity indices */
} ff_design_kind;

typedef struct ff_design {
  ff_design_kind kind;
  long samples;
  uint64_t seed;
} ff_design;

enum { FF_SOBOL_DIMENSIONS = 21 };

/* Coordinate of a run in [0, 1) (not for grids). */
double ff_design_coordinate(const ff_design *design, int parameters, long run, int parameter);

/* ---- measures -------------------------------------------------------------------------------- */

typedef enum ff_take {
  FF_TAKE_END,
  FF_TAKE_START,
  FF_TAKE_MAX,
  FF_TAKE_MIN,
  FF_TAKE_LARGEST, /* max |x| */
  FF_TAKE_MEAN,    /* over time */
  FF_TAKE_RMS,
  FF_TAKE_INTEGRAL,
  FF_TAKE_TIME_OF_MAX,
  FF_TAKE_TIME_OF_MIN,
  FF_TAKE_TIME_ABOVE, /* first time that it rises to `value` */
  FF_TAKE_TIME_BELOW, /* first time that it falls to `value` */
  FF_TAKE_AT,         /* at `time`, or at an event */
  FF_TAKE_KINDS
} ff_take;

typedef struct ff_measure {
  const char *name, *unit;
  const char *channel; /* NULL: an expression */
  ff_take take;
  double from, to;          /* s, window of time */
  double time, value;       /* s, of FF_TAKE_AT; threshold */
  bool at_event;            /* FF_TAKE_AT: at the event below */
  ff_event_kind event;      /* touch or lift */
  const char *body[2];      /* of the pair; NULL: any */
  int number;               /* the n-th such event, from 1 */
  ff_expression expression; /* of earlier measures and the parameters */
} ff_measure;

/* ---- study ----------------------------------------------------------------------------------- */

struct ff_study {
  ff_arena arena;
  ff_document document;
  uint64_t fingerprint;
  ff_vary *varies;
  int vary_count;
  ff_design design;
  long runs;
  ff_measure *measures;
  int measure_count;
};

/* The value and its text; as ff_study_parameter. */
double ff_study_value(const ff_study *study, long run, int parameter, char *text);

/* Builds the model of a run. On failure both are NULL. */
ff_status ff_study_build(const ff_study *study, long run, ff_scene **scene, ff_model **model,
                         ff_report *report);

#endif
