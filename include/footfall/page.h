/* Reports: one HTML file with text, tables, claims, plots and replays.
 *
 * A report is data; the page that displays it is built in. The file needs no network and no other
 * file.
 *
 *   ff_page *page;
 *   ff_page_create(&page, "Restitution over impact speed");
 *   ff_page_section(page, "Fig. 4");
 *   ff_page_text(page, "Mass %g kg on a fixed half-space.", mass);
 *   ff_page_plot(page, "Restitution", (ff_axis){"impact speed", "m/s"}, (ff_axis){"e", "1"});
 *   ff_page_curve(page, "exact", FF_CURVE_LINE, speed, exact, n);
 *   ff_page_curve(page, "paper", FF_CURVE_MARKERS, paper_speed, paper_e, m);
 *   ff_page_claim(page, &(ff_claim){.claim = "e falls with speed", .paper = "0.88",
 *                                   .result = "0.8801", .verdict = FF_CLAIM_HOLDS});
 *   status = ff_page_write(page, "report.html", &report);
 *   ff_page_destroy(&page);
 *
 * Calls that add to a page return nothing: the first failure (memory, a row outside a table) is
 * kept, and ff_page_write returns it and writes nothing. All text is copied and displayed
 * literally; NULL is empty.
 */
#ifndef FOOTFALL_PAGE_H
#define FOOTFALL_PAGE_H

#include "footfall/api.h"
#include "footfall/io.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FF_PAGE_PRINTF __attribute__((format(printf, 2, 3)))
#else
#define FF_PAGE_PRINTF
#endif

typedef struct ff_page ff_page;

/* False if the library was built without the page (no npm): nothing can be written, and the report
 * (may be NULL) explains how to build it. */
FF_API bool ff_page_available(ff_report *report);
/* Checks that a page can be written to this path, for use before a long run. FF_ERROR_FILE and a
 * report (may be NULL) if not. */
FF_API ff_status ff_page_check(const char *path, ff_report *report);

/* title NULL: the name of the first run's scene. */
FF_API ff_status ff_page_create(ff_page **out, const char *title);
FF_API void ff_page_destroy(ff_page **page);
/* Writes the complete file, or none. The page can be extended and written again. */
FF_API ff_status ff_page_write(ff_page *page, const char *path, ff_report *report);

/* ---- text and tables ------------------------------------------------------------------------- */

/* A line under the title. */
FF_API void ff_page_subtitle(ff_page *page, const char *text);
/* Starts a section, which contains everything up to the next. */
FF_API void ff_page_section(ff_page *page, const char *heading);
/* Plain text, formatted as by printf; an empty line starts a paragraph. */
FF_API void ff_page_text(ff_page *page, const char *format, ...) FF_PAGE_PRINTF;
/* Preformatted text (a scene), collapsed under its title. */
FF_API void ff_page_source(ff_page *page, const char *title, const char *source);

/* Starts a table; its rows follow, with as many cells as it has columns. */
FF_API void ff_page_table(ff_page *page, const char *caption, const char *const *columns,
                          int count);
FF_API void ff_page_row(ff_page *page, const char *const *cells);

typedef enum ff_claim_verdict {
  FF_CLAIM_NOT_TESTED,
  FF_CLAIM_HOLDS,
  FF_CLAIM_PARTLY,
  FF_CLAIM_DIFFERS
} ff_claim_verdict;

typedef struct ff_claim {
  const char *claim;     /* as text: "restitution at 0.5 m/s" */
  const char *source;    /* reference: "Table 2" */
  const char *paper;     /* its value in the paper, with unit */
  const char *criterion; /* what is measured, and when the claim holds; NULL: not stated */
  const char *basis;     /* where the criterion comes from; NULL: not stated */
  const char *result;    /* the reproduced value */
  ff_claim_verdict verdict;
  const char *note;
} ff_claim;

/* Consecutive claims share a table. */
FF_API void ff_page_claim(ff_page *page, const ff_claim *claim);

/* ---- plots ----------------------------------------------------------------------------------- */

typedef struct ff_axis {
  const char *label; /* "impact speed" */
  const char *unit;  /* "m/s"; "1" or NULL: none */
  bool log;
} ff_axis;

typedef enum ff_curve_style {
  FF_CURVE_LINE,
  FF_CURVE_DASH,
  FF_CURVE_DOT,
  FF_CURVE_MARKERS,
  FF_CURVE_LINE_MARKERS
} ff_curve_style;

/* Starts a plot; its curves follow. Consecutive plots are placed side by side. */
FF_API void ff_page_plot(ff_page *page, const char *title, ff_axis x, ff_axis y);
/* Points in drawing order; NAN makes a gap. */
FF_API void ff_page_curve(ff_page *page, const char *name, ff_curve_style style, const double *x,
                          const double *y, long count);

/* ---- runs ------------------------------------------------------------------------------------ */

/* A recording on the page, for the blocks below. id 0 is "none". */
typedef struct ff_page_run {
  int id;
} ff_page_run;

/* Adds a recording. A long one is reduced to samples that preserve the minimum and maximum of every
 * channel; the page states this. Bodies, shapes and laws come from the scene inside the recording;
 * without one only channels are shown. */
FF_API ff_status ff_page_add_run(ff_page_run *out, ff_page *page, const ff_recording *recording);

/* What happened, in a few numbers chosen by what did: distances, steps, forces, impulses, losses;
 * and the findings of the verdict. */
FF_API void ff_page_results(ff_page *page, ff_page_run run);
/* 3-D replay, with panels of its channels beside it. */
FF_API void ff_page_replay(ff_page *page, ff_page_run run);
/* A panel of the last replay: channels y over channel x (NULL: "time"). Without any, the page
 * chooses. */
FF_API void ff_page_panel(ff_page *page, const char *x, const char *const *y, int count);
/* Energy: a picture of its flow over the run, stacked over time, and the residual on its own scale.
 */
FF_API void ff_page_ledger(ff_page *page, ff_page_run run);
/* Touch-down, peak, lift-off and restitution of every contact. */
FF_API void ff_page_events(ff_page *page, ff_page_run run);
/* Parameters of each pair's laws with unit and citation. */
FF_API void ff_page_laws(ff_page *page, ff_page_run run);
/* Scene, version, audit verdict and residuals. */
FF_API void ff_page_summary(ff_page *page, ff_page_run run);

/* Puts the engine (WebAssembly) and the scene with the files it was read from into the page:
 * readers can then change its parameters, push its bodies and run it again. For a page of one run
 * of that scene. FF_ERROR_FILE and a report (may be NULL): this build has no engine (`./dev live`
 * builds it), or a file cannot be read. */
FF_API ff_status ff_page_live(ff_page *page, const ff_scene *scene, ff_report *report);
/* Can this build make live pages? If not, the report (may be NULL) says what to do. */
FF_API bool ff_page_live_available(ff_report *report);

/* All of the above, in sections: the report of one run. */
FF_API ff_status ff_page_show_run(ff_page *page, const ff_recording *recording);

#ifdef __cplusplus
}
#endif
#endif
