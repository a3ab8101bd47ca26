/* Papers: what each of them claims, and what Footfall finds.
 *
 * A paper is a folder with scenes and C files that use public headers only, and one line of
 * registry.c. `footfall paper KEY` lets its parts compute, then tell their findings, then add
 * their figures to the page of the report. How to add one: docs/papers.md.
 *
 * Nothing here returns a failure: a run that cannot be made or memory that is not there ends the
 * reproduction through study->fail, which does not come back.
 */
#ifndef FF_PAPERS_PAPER_H
#define FF_PAPERS_PAPER_H

#include "footfall/footfall.h"
#include "footfall/page.h"

typedef struct ff_study ff_study;

/* A column of the user's data: its name in the header, and what its numbers may be. */
typedef struct ff_data_column {
  const char *name;
  double min, max;
  bool open; /* min itself is not allowed */
} ff_data_column;

/* A part of a paper: a figure or a few, and the claims that go with them. Each may lack any. */
typedef struct ff_paper_part {
  void *(*compute)(ff_study *study); /* what it computes is given to the others */
  void (*tell)(ff_study *study, const void *computed);
  void (*show)(ff_study *study, const void *computed);
} ff_paper_part;

typedef struct ff_paper {
  const char *key;      /* its folder, and its name on the command line: "marhefka-orin-1996" */
  const char *citation; /* key of docs/bibliography.md */
  const char *authors, *title;
  const char *summary;        /* one line: what is reproduced */
  const ff_data_column *data; /* x and y of the data it takes (`--data`); NULL: it takes none */
  const char *introduction;   /* of the page, before the claims */
  const ff_paper_part *const *parts; /* in the order of the page, then NULL */
  const char *errata;                /* and what is left open */
  const char *const *scenes;         /* shown at the end, then NULL */
} ff_paper;

int ff_paper_count(void);
const ff_paper *ff_paper_at(int index);
const ff_paper *ff_paper_find(const char *key); /* NULL: unknown */

/* ---- findings ------------------------------------------------------------------------ */

/* A claim of the paper and what came of it. */
typedef struct ff_finding {
  const char *key;    /* for machines, unique in the paper: "no-sticking" */
  const char *claim;  /* in words */
  const char *source; /* where it stands: "Sec. 4.1" */
  const char *paper;  /* what it says, with unit */
  const char *found;  /* what was found, with unit */
  double value;       /* the number behind `found`, in `unit` */
  const char *unit;   /* NULL: there is none, and `value` means nothing */
  ff_claim_verdict verdict;
  /* The verdict that is known to be right where it is not "holds": an erratum, something that
   * cannot be tested. FF_CLAIM_NOT_TESTED together with a tested verdict means "should hold". */
  ff_claim_verdict known;
  const char *note;
} ff_finding;

/* Adds it to the list and to the page. Claims that follow one another share a table. */
void ff_study_find(ff_study *study, const ff_finding *finding);
/* Is the verdict neither "holds" nor the one that is known? */
bool ff_finding_surprises(const ff_finding *finding);
/* holds or differs */
ff_claim_verdict ff_verdict_of(bool holds);

/* A number for machines that is no claim: "fig4.alpha0.4.force_max". */
typedef struct ff_quantity {
  const char *key;
  double value;
  const char *unit;
} ff_quantity;

void ff_study_number(ff_study *study, const char *key, double value, const char *unit);

/* ---- runs ------------------------------------------------------------------------------ */

/* A scene to be run. Scenes are files of the source tree, built into the program. */
typedef struct ff_trial {
  const char *scene; /* "scenes/walking-foot.yaml", "papers/KEY/impact.yaml" */
  const char *const *set;
  int set_count; /* overrides, "path=value" */
  const char *const *channels;
  int channel_count;
  double span;             /* s, samples lie evenly from 0 to here; 0: to the scene's duration */
  long samples;            /* with both ends; at least 2 */
  bool replay;             /* also make it a run of the page */
  const char *const *kept; /* globs of the channels that the replay has; NULL: all */
  int kept_count;
  bool may_fail; /* a step that cannot be completed is a finding: samples end there */
  void (*watch)(void *context, const ff_sim *sim, long row); /* at each sample; NULL: nobody */
  void *context;
} ff_trial;

/* What came of it. Owned by the study. */
typedef struct ff_trace {
  long rows;
  const double *time;            /* s */
  const double *const *channels; /* as asked for, rows values each */
  const ff_event *events;        /* until the end of the scene */
  int event_count;
  ff_audit audit;
  ff_solver_info solver;
  ff_energy energy; /* at the end */
  ff_page_run run;  /* id 0 unless replay was asked for and can be had */
} ff_trace;

const ff_trace *ff_study_run(ff_study *study, const ff_trial *trial);
/* One impact by ff_impact_simulate; settings as in "k=1e4 n=1 alpha=0.4". */
ff_impact ff_study_impact(ff_study *study, const char *law, const char *settings, double mass,
                          double speed, double gravity);
/* The last event of a kind; NULL: none. */
const ff_event *ff_trace_event(const ff_trace *trace, ff_event_kind kind);
/* Text of a scene, for ff_page_source. */
const char *ff_study_scene(ff_study *study, const char *path);

/* What a part has computed; it does so now if nobody asked before. */
void *ff_study_part(ff_study *study, const ff_paper_part *part);

/* ---- help -------------------------------------------------------------------------------- */

/* printf into a text that lives as long as the study. */
const char *ff_study_text(ff_study *study, const char *format, ...) FF_PAGE_PRINTF;
/* Zeroed memory that lives as long as the study. */
void *ff_study_alloc(ff_study *study, long count, size_t size);
/* A list of `count` with room for one more; it doubles, and what it outgrew goes with the study. */
void *ff_study_grow(ff_study *study, void *list, long count, size_t size);

/* Points of many runs as one curve, a gap between runs. */
typedef struct ff_cloud {
  double *x, *y;
  long count;
} ff_cloud;

void ff_cloud_add(ff_study *study, ff_cloud *cloud, double x, double y);
/* Every stride-th of the points, then a gap. */
void ff_cloud_add_run(ff_study *study, ff_cloud *cloud, const double *x, const double *y,
                      long count, long stride);

/* ---- the user's data -------------------------------------------------------------------- */

/* One file of `--data`. */
typedef struct ff_data {
  const char *name; /* the file's, without folder */
  ff_cloud points;  /* at least one */
} ff_data;

/* Reads a CSV with a header of the paper's two columns into study->data. Empty lines and those
 * that start with # do not count. Otherwise the report says what is wrong in which line. */
ff_status ff_study_read(ff_study *study, const ff_paper *paper, const char *path,
                        ff_report *report);

/* ---- tables ------------------------------------------------------------------------------- */

enum { FF_SHEET_COLUMNS = 8 };

/* A table that stands on the page and is printed after the claims. */
typedef struct ff_sheet {
  const char *caption;
  int columns, rows;
  const char **cells; /* the header's, then those of each row */
} ff_sheet;

/* Cells are kept by address: literals or ff_study_text. */
void ff_study_table(ff_study *study, const char *caption, const char *const *columns, int count);
void ff_study_row(ff_study *study, const char *const *cells);

/* ---- a reproduction as a whole: for the command line ---------------------------------------- */

typedef void (*ff_study_fail)(void *context, ff_status status, const ff_report *report);

struct ff_study {
  const ff_paper *paper;
  ff_page *page;
  bool quick;          /* coarser figures, same claims */
  bool replays;        /* the page is wanted, with its runs */
  const char *scratch; /* folder for files that a run needs; they are gone after it */
  ff_study_fail fail;  /* must not return */
  void *context;       /* of fail */

  ff_data *data; /* of the user's, read before the reproduction starts */
  ff_finding *findings;
  ff_quantity *numbers;
  ff_sheet *sheets;
  struct ff_computed *computed; /* what the parts have computed so far */
  int data_count, finding_count, number_count, sheet_count, computed_count;
  struct ff_kept *kept; /* all that lives as long as the study */
};

/* page, quick, replays, scratch, fail and context must be set. */
void ff_study_reproduce(ff_study *study, const ff_paper *paper);
void ff_study_free(ff_study *study);

/* ---- files that are built in (made by cmake/embed.cmake) ------------------------------------- */

typedef struct ff_builtin {
  const char *path, *text;
} ff_builtin;

extern const ff_builtin ff_builtins[];
extern const int ff_builtin_count;

#endif
