/* Papers: their claims, and the results of their reproduction.
 *
 * A paper is a folder with a table of claims, scenes and C files that use public headers only, and
 * one line of registry.c. `footfall paper KEY` runs its parts: compute, then judge the claims, then
 * add figures to the page of the report. How to add one: docs/papers.md.
 *
 * Nothing here returns a failure: a failed run or allocation ends the reproduction through
 * study->fail, which does not return.
 */
#ifndef FF_PAPERS_PAPER_H
#define FF_PAPERS_PAPER_H

#include <math.h>
#include <stdint.h>

#include "footfall/footfall.h"
#include "footfall/page.h"

typedef struct ff_reproduction ff_reproduction;

/* Column of the user's data: its name in the header, and the allowed range. */
typedef struct ff_data_column {
  const char *name;
  double min, max;
  bool open; /* min itself is not allowed */
} ff_data_column;

/* Part of a paper: one or several figures, and their claims. Each function may be NULL. */
typedef struct ff_paper_part {
  void *(*compute)(ff_reproduction *study); /* its result is passed to the others */
  void (*report)(ff_reproduction *study, const void *computed);
  void (*show)(ff_reproduction *study, const void *computed);
} ff_paper_part;

/* ---- claims ---------------------------------------------------------------------------------- */

/* A measured quantity, and the range in which it speaks for the claim. */
typedef struct ff_criterion {
  const char *what; /* "largest difference of e from Eq. 4" */
  const char *unit;
  double low, high; /* met from low to high, both included */
} ff_criterion;

#define FF_AT_MOST(what, limit, unit)                                                              \
  { what, unit, -INFINITY, limit }
#define FF_AT_LEAST(what, limit, unit)                                                             \
  { what, unit, limit, INFINITY }
#define FF_BETWEEN(what, least, most, unit)                                                        \
  { what, unit, least, most }
#define FF_EXACTLY(what, value, unit)                                                              \
  { what, unit, value, value }

enum { FF_CRITERIA = 6 };

/* A claim and what decides on it, fixed before anything runs. Its criteria are judged together: if
 * all are met the claim holds, if some are met it holds in part, if none is it differs. Without
 * criteria it is not tested, and the note gives the reason. */
typedef struct ff_paper_claim {
  const char *key;    /* identifier, unique in the paper: "no-sticking" */
  const char *claim;  /* as text */
  const char *source; /* reference: "Sec. 4.1" */
  const char *paper;  /* what the paper states, with unit */
  ff_criterion criteria[FF_CRITERIA];
  /* Source of the criteria, which starts with one of: "paper:" (its words, figures or numbers),
   * "derivation:", "convergence:" (refinement), "rounding:" (exact up to the solution's
   * tolerance), "reading:" (accuracy of a printed figure), "chosen:". */
  const char *basis;
  /* Expected verdict where it is not "holds": an erratum, for instance. */
  ff_claim_verdict known;
  const char *note;
} ff_paper_claim;

typedef struct ff_paper {
  const char *key;      /* its folder, and its name on the command line: "marhefka-orin-1996" */
  const char *citation; /* key of docs/bibliography.md */
  const char *authors, *title;
  int year;
  const char *summary;               /* one line: the scope of the reproduction */
  const ff_paper_claim *claims;      /* in the order of the page, then one without key */
  const ff_data_column *data;        /* x and y of the data it accepts (`--data`); NULL: none */
  const char *introduction;          /* of the page, before the claims */
  const ff_paper_part *const *parts; /* in the order of the page, then NULL */
  const char *errata;                /* and open points */
  const char *const *scenes;         /* shown at the end, then NULL */
} ff_paper;

int ff_paper_count(void);
const ff_paper *ff_paper_at(int index);
const ff_paper *ff_paper_find(const char *key); /* NULL: unknown */

/* ---- outcomes -------------------------------------------------------------------------------- */

/* What became of a claim. */
typedef struct ff_outcome {
  const ff_paper_claim *claim;
  double values[FF_CRITERIA]; /* measured, in the units of the criteria */
  const char *found;          /* as text, with units; NULL: not judged yet */
  ff_claim_verdict verdict;
} ff_outcome;

/* Judges a claim by the measured values, one for each of its criteria. found: the result as text;
 * NULL: the values. Every claim must be judged once. */
#define ff_reproduction_judge(study, key, found, ...)                                              \
  ff_reproduction_judge_values(study, key, found, (const double[]){__VA_ARGS__},                   \
                               (int)(sizeof(const double[]){__VA_ARGS__} / sizeof(double)))
void ff_reproduction_judge_values(ff_reproduction *study, const char *key, const char *found,
                                  const double *values, int count);
/* A claim without criteria, or with criteria that cannot be judged here. found may be NULL. */
void ff_reproduction_leave(ff_reproduction *study, const char *key, const char *found);
/* Is the verdict neither "holds" nor the expected one? */
bool ff_outcome_surprises(const ff_outcome *outcome);
int ff_claim_criteria(const ff_paper_claim *claim); /* their number */
/* "e at 1 m/s >= 0.5; ...", for reports. */
const char *ff_claim_criterion_text(ff_reproduction *study, const ff_paper_claim *claim);

/* A number that is not a claim, for JSON output: "fig4.alpha0.4.force_max". */
typedef struct ff_quantity {
  const char *key;
  double value;
  const char *unit;
} ff_quantity;

void ff_reproduction_number(ff_reproduction *study, const char *key, double value,
                            const char *unit);

/* ---- runs ------------------------------------------------------------------------------------ */

/* A scene to run. Scenes are files of the source tree, built into the program. */
typedef struct ff_trial {
  const char *scene; /* "scenes/walking-foot.yaml", "papers/KEY/impact.yaml" */
  const char *const *set;
  int set_count; /* overrides, "path=value" */
  const char *const *channels;
  int channel_count;
  double span;  /* s, samples are evenly spaced from 0 to here; 0: to the scene's duration */
  long samples; /* including both ends; at least 2 */
  bool replay;  /* also add it to the page as a run */
  const char *const *kept; /* globs of the channels of the replay; NULL: all */
  int kept_count;
  bool may_fail; /* a failed step is a finding: samples end there */
  bool as_given; /* samples and step belong to the claim or are varied by the caller */
  void (*watch)(void *context, const ff_sim *sim, long row); /* called at each sample; NULL: none */
  void *context;
} ff_trial;

/* Result of a run. Owned by the study. */
typedef struct ff_trace {
  long rows;
  const double *time;            /* s */
  const double *const *channels; /* in the requested order, rows values each */
  const ff_event *events;        /* until the end of the scene */
  int event_count;
  ff_audit audit;
  ff_solver_info solver;
  ff_energy energy; /* at the end */
  ff_page_run run;  /* id 0 unless a replay was requested and is available */
} ff_trace;

const ff_trace *ff_reproduction_run(ff_reproduction *study, const ff_trial *trial);
/* One impact by ff_impact_simulate; settings as in "k=1e4 n=1 alpha=0.4". */
ff_impact ff_reproduction_impact(ff_reproduction *study, const char *law, const char *settings,
                                 double mass, double speed, double gravity);
/* The last event of a kind; NULL: none. */
const ff_event *ff_trace_event(const ff_trace *trace, ff_event_kind kind);
/* A step of a claim that holds for any step: multiplied by the variation's factor. */
double ff_reproduction_step(const ff_reproduction *study, double step);
/* A number of samples, likewise; odd. */
long ff_reproduction_samples(const ff_reproduction *study, long samples);
/* Random number from 0 to 1, from the variation's seed. */
double ff_reproduction_random(ff_reproduction *study);
/* Text of a scene, for ff_page_source. */
const char *ff_reproduction_scene(ff_reproduction *study, const char *path);

/* Result of a part; computed at the first call. */
void *ff_reproduction_part(ff_reproduction *study, const ff_paper_part *part);

/* ---- utilities ------------------------------------------------------------------------------- */

/* printf into a text that lives as long as the study. */
const char *ff_reproduction_text(ff_reproduction *study, const char *format, ...) FF_PAGE_PRINTF;
/* Zeroed memory that lives as long as the study. */
void *ff_reproduction_alloc(ff_reproduction *study, long count, size_t size);
/* A list of `count` with capacity for one more; doubles, and old blocks are freed with the study.
 */
void *ff_reproduction_grow(ff_reproduction *study, void *list, long count, size_t size);

/* Judgement of continuity and smoothness of evenly spaced samples by refinement: the factor by
 * which the largest change between neighbours, and the largest change of their slope, shrinks if
 * the interval is halved: 0.5 where the first (second) derivative is bounded, 0.71 where it grows
 * as the root of time, 1 at a jump (kink). */
typedef struct ff_smoothness {
  double jump, kink;
} ff_smoothness;

ff_smoothness ff_smoothness_of(const double *values, long count);

/* Points of several runs as one curve, with gaps between runs. */
typedef struct ff_cloud {
  double *x, *y;
  long count;
} ff_cloud;

void ff_cloud_add(ff_reproduction *study, ff_cloud *cloud, double x, double y);
/* Every stride-th of the points, then a gap. */
void ff_cloud_add_run(ff_reproduction *study, ff_cloud *cloud, const double *x, const double *y,
                      long count, long stride);

/* ---- user data ------------------------------------------------------------------------------- */

/* One file of `--data`. */
typedef struct ff_data {
  const char *name; /* the file's, without folder */
  ff_cloud points;  /* at least one */
} ff_data;

/* Reads a CSV with a header of the paper's two columns into study->data. Empty lines and those that
 * start with # are ignored. On failure the report names the error and its line. */
ff_status ff_reproduction_read(ff_reproduction *study, const ff_paper *paper, const char *path,
                               ff_report *report);

/* ---- tables ---------------------------------------------------------------------------------- */

enum { FF_SHEET_COLUMNS = 8 };

/* A table that is on the page and printed after the claims. */
typedef struct ff_sheet {
  const char *caption;
  int columns, rows;
  const char **cells; /* the header's, then those of each row */
} ff_sheet;

/* Cells are stored by address: literals or ff_reproduction_text. */
void ff_reproduction_table(ff_reproduction *study, const char *caption, const char *const *columns,
                           int count);
void ff_reproduction_row(ff_reproduction *study, const char *const *cells);

/* ---- reproduction, for the command line ------------------------------------------------------ */

/* How a reproduction departs from the usual one. No verdict may depend on it. */
typedef struct ff_variation {
  const char *name;
  double sampling; /* factor on the number of samples of a run; 0: 1 */
  double step;     /* factor on steps, fixed or (by the tolerance) controlled; 0: 1 */
  uint64_t seed;   /* of drawn numbers */
} ff_variation;

typedef void (*ff_reproduction_fail)(void *context, ff_status status, const ff_report *report);

struct ff_reproduction {
  const ff_paper *paper;
  ff_page *page;
  bool quick;                /* coarser figures, same claims */
  bool replays;              /* the page is requested, with its runs */
  const char *scratch;       /* folder for temporary files of a run */
  ff_reproduction_fail fail; /* must not return */
  void *context;             /* of fail */
  ff_variation variation;    /* 0: none */

  ff_data *data;        /* the user's data, read before the reproduction starts */
  ff_outcome *outcomes; /* one for each claim of the paper, in its order */
  ff_quantity *numbers;
  ff_sheet *sheets;
  struct ff_computed *computed; /* results of the parts so far */
  int data_count, outcome_count, number_count, sheet_count, computed_count;
  uint64_t random;
  struct ff_kept *kept; /* all memory that lives as long as the study */
};

/* page, quick, replays, scratch, fail and context must be set. */
void ff_reproduction_reproduce(ff_reproduction *study, const ff_paper *paper);
void ff_reproduction_free(ff_reproduction *study);

/* ---- built-in files (generated by cmake/embed.cmake) ----------------------------------------- */

typedef struct ff_builtin {
  const char *path, *text;
} ff_builtin;

extern const ff_builtin ff_builtins[];
extern const int ff_builtin_count;

#endif
