/* Papers: their claims, and the results of their reproduction.
 *
 * A paper is a folder with scenes and C files that use public headers only, and one line of
 * registry.c. `footfall paper KEY` runs its parts: compute, then report findings, then add figures
 * to the page of the report. How to add one: docs/papers.md.
 *
 * Nothing here returns a failure: a failed run or allocation ends the reproduction through
 * study->fail, which does not return.
 */
#ifndef FF_PAPERS_PAPER_H
#define FF_PAPERS_PAPER_H

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

typedef struct ff_paper {
  const char *key;      /* its folder, and its name on the command line: "marhefka-orin-1996" */
  const char *citation; /* key of docs/bibliography.md */
  const char *authors, *title;
  const char *summary;               /* one line: the scope of the reproduction */
  const ff_data_column *data;        /* x and y of the data it accepts (`--data`); NULL: none */
  const char *introduction;          /* of the page, before the claims */
  const ff_paper_part *const *parts; /* in the order of the page, then NULL */
  const char *errata;                /* and open points */
  const char *const *scenes;         /* shown at the end, then NULL */
} ff_paper;

int ff_paper_count(void);
const ff_paper *ff_paper_at(int index);
const ff_paper *ff_paper_find(const char *key); /* NULL: unknown */

/* ---- findings -------------------------------------------------------------------------------- */

/* A claim of the paper and its outcome. */
typedef struct ff_outcome {
  const char *key;    /* identifier, unique in the paper: "no-sticking" */
  const char *claim;  /* as text */
  const char *source; /* reference: "Sec. 4.1" */
  const char *paper;  /* the claim, with unit */
  const char *found;  /* the result, with unit */
  double value;       /* the number of `found`, in `unit` */
  const char *unit;   /* NULL: none, and `value` is not used */
  ff_claim_verdict verdict;
  /* Expected verdict where it is not "holds": an erratum, or not testable. FF_CLAIM_NOT_TESTED
   * together with a tested verdict means "should hold". */
  ff_claim_verdict known;
  const char *note;
} ff_outcome;

/* Adds it to the list and to the page. Consecutive claims share a table. */
void ff_reproduction_find(ff_reproduction *study, const ff_outcome *finding);
/* Is the verdict neither "holds" nor the expected one? */
bool ff_finding_surprises(const ff_outcome *finding);
/* holds or differs */
ff_claim_verdict ff_verdict_of(bool holds);

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

typedef void (*ff_reproduction_fail)(void *context, ff_status status, const ff_report *report);

struct ff_reproduction {
  const ff_paper *paper;
  ff_page *page;
  bool quick;                /* coarser figures, same claims */
  bool replays;              /* the page is requested, with its runs */
  const char *scratch;       /* folder for temporary files of a run */
  ff_reproduction_fail fail; /* must not return */
  void *context;             /* of fail */

  ff_data *data; /* the user's data, read before the reproduction starts */
  ff_outcome *findings;
  ff_quantity *numbers;
  ff_sheet *sheets;
  struct ff_computed *computed; /* results of the parts so far */
  int data_count, finding_count, number_count, sheet_count, computed_count;
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
