/* The report builder: every call appends JSON to the document of a page (docs/reports.md). */
#include "io/page.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
  RUN_BYTES = 18 << 20, /* numbers of all runs: 24 MiB as base64 */
  CURVE_POINTS = 20000  /* points of one curve of a plot */
};

bool ff_page_available(ff_report *report) {
  if (ff_page_head_size == 0) {
    ff_report_what(report, "this build has no report page: install node and npm (Debian: "
                           "apt-get install npm) and build again");
  }
  return ff_page_head_size > 0;
}

ff_status ff_page_check(const char *path, ff_report *report) {
  ff_file *file = NULL;
  ff_status status =
      ff_page_available(report) ? ff_file_create(&file, path, report) : FF_ERROR_FILE;
  ff_file_abandon(file);
  return status;
}

void ff_page_fail(ff_page *page, ff_status status, const char *what) {
  if (page->status == FF_OK) {
    page->status = status;
    snprintf(page->what, sizeof page->what, "%s", what);
  }
}

ff_status ff_page_create(ff_page **out, const char *title) {
  ff_page *page = ff_alloc(1, sizeof *page);
  *out = page;
  if (!page) {
    return FF_ERROR_MEMORY;
  }
  page->budget = RUN_BYTES;
  page->titled = title != NULL;
  ff_text_json_string(&page->title, title);
  ff_text_json_string(&page->subtitle, NULL);
  return FF_OK;
}

void ff_page_destroy(ff_page **at) {
  ff_page *page = at ? *at : NULL;
  if (page) {
    *at = NULL;
    ff_text *all[] = {&page->title,  &page->subtitle, &page->sections, &page->recordings,
                      &page->series, &page->numbers,  &page->meshes,   &page->live};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
      ff_text_free(all[i]);
    }
    for (int i = 0; i < page->mesh_count; i++) {
      ff_free(page->mesh_list[i].path);
    }
    ff_free(page->mesh_list);
    ff_free(page);
  }
}

void ff_page_subtitle(ff_page *page, const char *text) {
  ff_text_free(&page->subtitle);
  ff_text_json_string(&page->subtitle, text);
}

/* ---- sections and blocks --------------------------------------------------------------------- */

/* Text that closes an open block. */
static const char *const endings[] = {[FF_PAGE_CLOSED] = "",
                                      [FF_PAGE_TABLE] = "]}",
                                      [FF_PAGE_CLAIMS] = "]}",
                                      [FF_PAGE_PLOT] = "]}",
                                      [FF_PAGE_REPLAY] = "]}"};

static void page_close_block(ff_page *page) {
  ff_text_put(&page->sections, endings[page->open]);
  page->open = FF_PAGE_CLOSED;
}

void ff_page_section(ff_page *page, const char *heading) {
  page_close_block(page);
  ff_text_put(&page->sections, page->section_count++ ? "]},{" : "{");
  ff_text_json_key(&page->sections, "heading");
  ff_text_json_string(&page->sections, heading);
  ff_text_json_key(&page->sections, "blocks");
  ff_text_put(&page->sections, "[");
  page->block_count = 0;
}

/* Starts a block: {"type":"table". The first section is optional. */
static ff_text *page_begin_block(ff_page *page, const char *type, ff_page_open open) {
  if (page->section_count == 0) {
    ff_page_section(page, NULL);
  }
  page_close_block(page);
  ff_text_put(&page->sections, page->block_count++ ? ",{" : "{");
  ff_text_json_key(&page->sections, "type");
  ff_text_json_string(&page->sections, type);
  page->open = open;
  page->item_count = 0;
  return &page->sections;
}

/* Starts an item of the open block; false (and an error) if a block of another kind is open. */
static bool page_begin_item(ff_page *page, ff_page_open wanted, const char *what) {
  if (page->open != wanted) {
    ff_page_fail(page, FF_ERROR_INPUT, what);
    return false;
  }
  if (page->item_count++ > 0) {
    ff_text_put(&page->sections, ",");
  }
  return true;
}

void ff_page_text(ff_page *page, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  char *words = length < 0 ? NULL : ff_alloc((size_t)length + 1, 1);
  if (words) {
    vsnprintf(words, (size_t)length + 1, format, again);
    ff_text *text = page_begin_block(page, "text", FF_PAGE_CLOSED);
    ff_text_json_member(text, "text", words);
    ff_text_put(text, "}");
    ff_free(words);
  } else {
    ff_page_fail(page, FF_ERROR_MEMORY, "");
  }
  va_end(again);
  va_end(args);
}

void ff_page_source(ff_page *page, const char *title, const char *source) {
  ff_text *text = page_begin_block(page, "source", FF_PAGE_CLOSED);
  ff_text_json_member(text, "title", title);
  ff_text_json_member(text, "text", source);
  ff_text_put(text, "}");
}

/* ---- tables and claims ----------------------------------------------------------------------- */

void ff_page_table(ff_page *page, const char *caption, const char *const *columns, int count) {
  ff_text *text = page_begin_block(page, "table", FF_PAGE_TABLE);
  page->columns = count;
  ff_text_json_member(text, "caption", caption);
  ff_text_json_key(text, "columns");
  ff_text_json_strings(text, columns, count);
  ff_text_json_key(text, "rows");
  ff_text_put(text, "[");
}

void ff_page_row(ff_page *page, const char *const *cells) {
  if (page_begin_item(page, FF_PAGE_TABLE, "a row outside a table")) {
    ff_text_json_strings(&page->sections, cells, page->columns);
  }
}

void ff_page_claim(ff_page *page, const ff_claim *claim) {
  static const char *const verdicts[] = {[FF_CLAIM_NOT_TESTED] = "not tested",
                                         [FF_CLAIM_HOLDS] = "holds",
                                         [FF_CLAIM_PARTLY] = "partly",
                                         [FF_CLAIM_DIFFERS] = "differs"};
  ff_text *text = &page->sections;
  if (page->open != FF_PAGE_CLAIMS) {
    page_begin_block(page, "claims", FF_PAGE_CLAIMS);
    ff_text_json_key(text, "rows");
    ff_text_put(text, "[");
  }
  page_begin_item(page, FF_PAGE_CLAIMS, "");
  ff_text_put(text, "{");
  ff_text_json_member(text, "claim", claim->claim);
  ff_text_json_member(text, "source", claim->source);
  ff_text_json_member(text, "paper", claim->paper);
  ff_text_json_member(text, "criterion", claim->criterion);
  ff_text_json_member(text, "basis", claim->basis);
  ff_text_json_member(text, "result", claim->result);
  ff_text_json_member(text, "verdict", verdicts[claim->verdict]);
  ff_text_json_member(text, "note", claim->note);
  ff_text_put(text, "}");
}

/* ---- plots ----------------------------------------------------------------------------------- */

static void page_add_axis(ff_text *text, const char *key, ff_axis axis) {
  ff_text_json_key(text, key);
  ff_text_put(text, "{");
  ff_text_json_member(text, "label", axis.label);
  ff_text_json_member(text, "unit", axis.unit);
  ff_text_json_key(text, "log");
  ff_text_put(text, axis.log ? "true}" : "false}");
}

void ff_page_plot(ff_page *page, const char *title, ff_axis x, ff_axis y) {
  ff_text *text = page_begin_block(page, "plot", FF_PAGE_PLOT);
  ff_text_json_member(text, "title", title);
  page_add_axis(text, "x", x);
  page_add_axis(text, "y", y);
  ff_text_json_key(text, "curves");
  ff_text_put(text, "[");
}

void ff_page_curve(ff_page *page, const char *name, ff_curve_style style, const double *x,
                   const double *y, long count) {
  static const char *const styles[] = {[FF_CURVE_LINE] = "line",
                                       [FF_CURVE_DASH] = "dash",
                                       [FF_CURVE_DOT] = "dot",
                                       [FF_CURVE_MARKERS] = "markers",
                                       [FF_CURVE_LINE_MARKERS] = "line-markers"};
  const double *columns[] = {x, y};
  ff_reduction reduction;
  if (!page_begin_item(page, FF_PAGE_PLOT, "a curve outside a plot")) {
    return;
  }
  if (ff_reduce_rows(&reduction, columns, 2, count, CURVE_POINTS) != FF_OK) {
    ff_page_fail(page, FF_ERROR_MEMORY, "");
    return;
  }
  ff_text *text = &page->sections;
  ff_text_put(text, "{");
  ff_text_json_member(text, "name", name);
  ff_text_json_member(text, "style", styles[style]);
  ff_text_json_member_number(text, "recorded", (double)count);
  ff_text_json_member_number(text, "kept", (double)reduction.count);
  ff_text_json_member_number(text, "x", ff_page_add_series(page, x, &reduction));
  ff_text_json_member_number(text, "y", ff_page_add_series(page, y, &reduction));
  ff_text_put(text, "}");
  ff_free(reduction.rows);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Are all values one finite number, with the same sign of zero? */
static bool page_is_constant(const double *values, const ff_reduction *reduction) {
  for (long i = 0; i < reduction->count; i++) {
    long row = reduction->rows ? reduction->rows[i] : i;
    if (!isfinite(values[row]) || memcmp(&values[row], &values[0], sizeof *values) != 0) {
      return false;
    }
  }
  return reduction->count > 0;
}

int ff_page_add_series(ff_page *page, const double *values, const ff_reduction *reduction) {
  int index = page->series_count++;
  ff_text_put(&page->series, index ? ",{" : "{");
  ff_text_json_member_number(&page->series, "count", (double)reduction->count);
  if (page_is_constant(values, reduction)) {
    ff_text_json_member_number(&page->series, "constant", values[0]);
  } else {
    char tag[96];
    snprintf(tag, sizeof tag,
             "<script type=\"application/octet-stream\" id=\"footfall-series-%d\">", index);
    ff_text_put(&page->numbers, tag);
    ff_text_base64(&page->numbers, values, reduction->rows, reduction->count);
    ff_text_put(&page->numbers, "</script>\n");
  }
  ff_text_put(&page->series, "}");
  return index;
}

/* ---- blocks about a run ---------------------------------------------------------------------- */

static ff_text *page_begin_run_block(ff_page *page, const char *type, ff_page_open open,
                                     ff_page_run run) {
  if (run.id < 1 || run.id > page->recording_count) {
    ff_page_fail(page, FF_ERROR_INPUT, "a block refers to a run that is not on the page");
  }
  ff_text *text = page_begin_block(page, type, open);
  ff_text_json_member_number(text, "recording", run.id - 1);
  return text;
}

void ff_page_replay(ff_page *page, ff_page_run run) {
  ff_text *text = page_begin_run_block(page, "replay", FF_PAGE_REPLAY, run);
  ff_text_json_key(text, "panels");
  ff_text_put(text, "[");
}

void ff_page_panel(ff_page *page, const char *x, const char *const *y, int count) {
  if (page_begin_item(page, FF_PAGE_REPLAY, "a panel outside a replay")) {
    ff_text *text = &page->sections;
    ff_text_put(text, "{");
    ff_text_json_member(text, "x", x ? x : "time");
    ff_text_json_key(text, "y");
    ff_text_json_strings(text, y, count);
    ff_text_put(text, "}");
  }
}

static void page_add_run_block(ff_page *page, const char *type, ff_page_run run) {
  ff_text_put(page_begin_run_block(page, type, FF_PAGE_CLOSED, run), "}");
}

void ff_page_results(ff_page *page, ff_page_run run) {
  page_add_run_block(page, "results", run);
}

void ff_page_ledger(ff_page *page, ff_page_run run) {
  page_add_run_block(page, "ledger", run);
}

void ff_page_events(ff_page *page, ff_page_run run) {
  page_add_run_block(page, "events", run);
}

void ff_page_laws(ff_page *page, ff_page_run run) {
  page_add_run_block(page, "laws", run);
}

void ff_page_summary(ff_page *page, ff_page_run run) {
  page_add_run_block(page, "summary", run);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void page_write_text(ff_file *file, const ff_text *text) {
  if (text->size > 0) {
    ff_file_write(file, text->bytes, text->size);
  }
}

static void page_write_words(ff_file *file, const char *words) {
  ff_file_write(file, words, strlen(words));
}

/* Writes the document and closes what is still open. */
static void page_write_document(const ff_page *page, ff_file *file) {
  page_write_words(file,
                   "<script type=\"application/json\" id=\"footfall-document\">{\"format\":1,");
  page_write_words(file, "\"version\":\"" FOOTFALL_VERSION "\",\"title\":");
  page_write_text(file, &page->title);
  page_write_words(file, ",\"subtitle\":");
  page_write_text(file, &page->subtitle);
  page_write_words(file, ",\"sections\":[");
  page_write_text(file, &page->sections);
  page_write_words(file, endings[page->open]);
  page_write_words(file, page->section_count ? "]}],\"recordings\":[" : "],\"recordings\":[");
  page_write_text(file, &page->recordings);
  page_write_words(file, "],\"series\":[");
  page_write_text(file, &page->series);
  page_write_words(file, "],\"meshes\":[");
  page_write_text(file, &page->meshes);
  page_write_words(file, page->live.size > 0 ? "],\"live\":" : "]");
  page_write_text(file, &page->live);
  page_write_words(file, "}</script>\n");
  page_write_text(file, &page->numbers);
  if (page->live.size > 0) {
    ff_file_write(file, ff_page_engine, ff_page_engine_size);
  }
}

static ff_status page_check(ff_page *page, ff_report *report) {
  const ff_text *all[] = {&page->title,  &page->subtitle, &page->sections, &page->recordings,
                          &page->series, &page->numbers,  &page->meshes,   &page->live};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i]->failed) {
      ff_page_fail(page, FF_ERROR_MEMORY, "");
    }
  }
  if (page->status == FF_ERROR_INPUT) {
    ff_report_what(report, "invalid sequence of report calls: %s", page->what);
  } else if (page->status == FF_OK && !ff_page_available(report)) {
    return FF_ERROR_FILE;
  }
  return page->status;
}

ff_status ff_page_write(ff_page *page, const char *path, ff_report *report) {
  ff_file *file;
  ff_status status = page_check(page, report);
  if (status == FF_OK) {
    status = ff_file_create(&file, path, report);
  }
  if (status != FF_OK) {
    return status;
  }
  ff_file_write(file, ff_page_head, ff_page_head_size);
  page_write_document(page, file);
  ff_file_write(file, ff_page_tail, ff_page_tail_size);
  return ff_file_commit(file, report);
}
