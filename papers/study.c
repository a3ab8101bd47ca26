/* Functions shared by reproductions: memory, numbers, tables, the order of parts. */
#include "papers/paper.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

struct ff_kept {
  struct ff_kept *next;
  double capacity[];
};

void *ff_reproduction_alloc(ff_reproduction *study, long count, size_t size) {
  struct ff_kept *block = calloc(1, sizeof *block + (size_t)count * size);
  if (!block) {
    study->fail(study->context, FF_ERROR_MEMORY, NULL);
    abort(); /* fail must not return */
  }
  block->next = study->kept;
  study->kept = block;
  return block->capacity;
}

const char *ff_reproduction_text(ff_reproduction *study, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  size_t size = strlen(text) + 1;
  return memcpy(ff_reproduction_alloc(study, 1, size), text, size);
}

void *ff_reproduction_grow(ff_reproduction *study, void *list, long count, size_t size) {
  if ((count & (count - 1)) != 0) {
    return list;
  }
  void *bigger = ff_reproduction_alloc(study, count ? 2 * count : 1, size);
  if (count) {
    memcpy(bigger, list, (size_t)count * size);
  }
  return bigger;
}

/* ---- numbers ----------------------------------------------------------------------------------
 */

void ff_reproduction_number(ff_reproduction *study, const char *key, double value,
                            const char *unit) {
  study->numbers =
      ff_reproduction_grow(study, study->numbers, study->number_count, sizeof *study->numbers);
  study->numbers[study->number_count++] = (ff_quantity){key, value, unit};
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void add_cells(ff_reproduction *study, ff_sheet *sheet, const char *const *cells) {
  int count = sheet->columns * (sheet->rows + 1);
  for (int i = 0; i < sheet->columns; i++) {
    sheet->cells = ff_reproduction_grow(study, sheet->cells, count + i, sizeof *sheet->cells);
    sheet->cells[count + i] = cells[i];
  }
}

void ff_reproduction_table(ff_reproduction *study, const char *caption, const char *const *columns,
                           int count) {
  study->sheets =
      ff_reproduction_grow(study, study->sheets, study->sheet_count, sizeof *study->sheets);
  ff_sheet *sheet = &study->sheets[study->sheet_count++];
  *sheet = (ff_sheet){.caption = caption, .columns = count, .rows = -1};
  add_cells(study, sheet, columns);
  sheet->rows = 0;
  ff_page_table(study->page, caption, columns, count);
}

void ff_reproduction_row(ff_reproduction *study, const char *const *cells) {
  ff_sheet *sheet = &study->sheets[study->sheet_count - 1];
  add_cells(study, sheet, cells);
  sheet->rows++;
  ff_page_row(study->page, cells);
}

/* ---- clouds ---------------------------------------------------------------------------------- */

void ff_cloud_add(ff_reproduction *study, ff_cloud *cloud, double x, double y) {
  cloud->x = ff_reproduction_grow(study, cloud->x, cloud->count, sizeof *cloud->x);
  cloud->y = ff_reproduction_grow(study, cloud->y, cloud->count, sizeof *cloud->y);
  cloud->x[cloud->count] = x;
  cloud->y[cloud->count++] = y;
}

void ff_cloud_add_run(ff_reproduction *study, ff_cloud *cloud, const double *x, const double *y,
                      long count, long stride) {
  for (long i = 0; i < count; i += stride) {
    ff_cloud_add(study, cloud, x[i], y[i]);
  }
  ff_cloud_add(study, cloud, count > 0 ? x[count - 1] : 0, NAN);
}

/* ---- reproduction ---------------------------------------------------------------------------- */

struct ff_computed {
  const ff_paper_part *part;
  void *computed;
};

void *ff_reproduction_part(ff_reproduction *study, const ff_paper_part *part) {
  for (int i = 0; i < study->computed_count; i++) {
    if (study->computed[i].part == part) {
      return study->computed[i].computed;
    }
  }
  void *computed = part->compute ? part->compute(study) : NULL;
  study->computed =
      ff_reproduction_grow(study, study->computed, study->computed_count, sizeof *study->computed);
  study->computed[study->computed_count++] = (struct ff_computed){part, computed};
  return computed;
}

/* Runs the report or the show function of all parts. */
static void run_parts(ff_reproduction *study, bool report) {
  for (const ff_paper_part *const *part = study->paper->parts; *part; part++) {
    void (*act)(ff_reproduction *, const void *) = report ? (*part)->report : (*part)->show;
    if (act) {
      act(study, ff_reproduction_part(study, *part));
    }
  }
}

static void show_scenes(ff_reproduction *study) {
  ff_page_section(study->page, "Scenes");
  for (const char *const *scene = study->paper->scenes; *scene; scene++) {
    ff_page_source(study->page, *scene, ff_reproduction_scene(study, *scene));
  }
}

/* All claims in the order of the paper's table, when every part has judged its own. */
static void show_claims(ff_reproduction *study) {
  for (int i = 0; i < study->outcome_count; i++) {
    const ff_outcome *outcome = &study->outcomes[i];
    const ff_paper_claim *claim = outcome->claim;
    if (!outcome->found) {
      ff_report report = {0};
      snprintf(report.what, sizeof report.what, "claim '%s' was not judged", claim->key);
      study->fail(study->context, FF_ERROR_INPUT, &report);
    }
    ff_page_claim(study->page, &(ff_claim){.claim = claim->claim,
                                           .source = claim->source,
                                           .paper = claim->paper,
                                           .criterion = ff_claim_criterion_text(study, claim),
                                           .basis = claim->basis,
                                           .result = outcome->found,
                                           .verdict = outcome->verdict,
                                           .note = claim->note});
  }
}

static void start(ff_reproduction *study, const ff_paper *paper) {
  ff_variation *variation = &study->variation;
  study->paper = paper;
  variation->sampling = variation->sampling > 0 ? variation->sampling : 1;
  variation->step = variation->step > 0 ? variation->step : 1;
  study->random = variation->seed;
  while (paper->claims[study->outcome_count].key) {
    study->outcome_count++;
  }
  study->outcomes = ff_reproduction_alloc(study, study->outcome_count, sizeof *study->outcomes);
  for (int i = 0; i < study->outcome_count; i++) {
    study->outcomes[i].claim = &paper->claims[i];
  }
}

void ff_reproduction_reproduce(ff_reproduction *study, const ff_paper *paper) {
  start(study, paper);
  ff_page_subtitle(study->page, ff_reproduction_text(
                                    study, "%s, %d [%s], reproduced with Footfall %s",
                                    paper->authors, paper->year, paper->citation, ff_version()));
  for (const ff_paper_part *const *part = paper->parts; *part; part++) {
    ff_reproduction_part(study, *part);
  }
  ff_page_text(study->page, "%s", paper->introduction);
  ff_page_section(study->page, "Claims");
  run_parts(study, true);
  show_claims(study);
  ff_page_section(study->page, "Errata and open points");
  ff_page_text(study->page, "%s", paper->errata);
  run_parts(study, false);
  show_scenes(study);
}

void ff_reproduction_free(ff_reproduction *study) {
  while (study->kept) {
    struct ff_kept *next = study->kept->next;
    free(study->kept);
    study->kept = next;
  }
}
