/* Recordings in a page: channels, and pairs with their laws. */
#include "io/page.h"

#include "base/memory.h"
#include "footfall/sim.h"
#include "model/scene.h"

#include <string.h>

enum { PAIRS_SHOWN = 256 };

/* ---- channels -------------------------------------------------------------------------------- */

static bool column_varies(const double *column, long rows) {
  for (long i = 1; i < rows; i++) {
    if (memcmp(&column[i], &column[0], sizeof *column) != 0) {
      return true;
    }
  }
  return false;
}

/* Reduces to two thirds of the remaining budget, so that several runs can share a page. Constant
 * channels cost nothing. */
static ff_status page_reduce_run(ff_reduction *out, ff_page *page, const double *const *columns,
                                 int count, long rows) {
  const double **varying = ff_alloc((size_t)count, sizeof *varying);
  int varying_count = 0;
  if (!varying) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < count; i++) {
    if (column_varies(columns[i], rows)) {
      varying[varying_count++] = columns[i];
    }
  }
  double row_bytes = 8.0 * (varying_count ? varying_count : 1);
  long limit = (long)(page->budget * 2 / 3 / row_bytes);
  ff_status status = ff_reduce_rows(out, varying, varying_count, rows, limit);
  page->budget -= status == FF_OK ? row_bytes * (double)out->count : 0;
  ff_free(varying);
  return status;
}

static ff_status page_add_channels(ff_page *page, ff_text *text, const ff_recording *recording) {
  const ff_recording_info *info = ff_recording_about(recording);
  const double **columns = ff_alloc((size_t)info->count, sizeof *columns);
  if (!columns) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < info->count; i++) {
    columns[i] = ff_recording_column(recording, i);
  }
  long rows = ff_recording_rows(recording);
  ff_reduction reduction = {.count = rows, .stretches = rows};
  ff_status status = page->without_channels
                         ? FF_OK
                         : page_reduce_run(&reduction, page, columns, info->count, rows);
  if (status == FF_OK) {
    ff_text_json_member_number(text, "recorded", (double)rows);
    ff_text_json_member_number(text, "stretches", (double)reduction.stretches);
    ff_text_json_key(text, "channels");
    for (int i = 0; i < info->count; i++) {
      ff_text_put(text, i ? ",{" : "[{");
      ff_text_json_member(text, "name", info->names[i]);
      ff_text_json_member(text, "unit", info->units[i]);
      if (!page->without_channels) {
        int series = ff_page_add_series(page, columns[i], &reduction);
        ff_text_json_member_number(text, "series", series);
      }
      ff_text_put(text, "}");
    }
    ff_text_put(text, info->count ? "]" : "[]");
    ff_free(reduction.rows);
  }
  ff_free(columns);
  return status;
}

/* ---- laws ------------------------------------------------------------------------------------ */

static void page_add_law(ff_text *text, const char *key, const ff_law *law,
                         const ff_law_params *params) {
  ff_text_json_key(text, key);
  if (!law) {
    ff_text_put(text, "null");
    return;
  }
  ff_text_put(text, "{");
  ff_text_json_member(text, "name", law->name);
  ff_text_json_member(text, "summary", law->summary);
  ff_text_json_member(text, "citation", law->citation);
  ff_text_json_key(text, "parameters");
  ff_text_put(text, "[");
  for (int i = 0; i < law->params_count; i++) {
    const ff_param *param = &law->params[i];
    ff_text_put(text, i ? ",{" : "{");
    ff_text_json_member(text, "name", param->name);
    ff_text_json_member(text, "symbol", param->symbol);
    ff_text_json_member(text, "unit", param->unit);
    ff_text_json_member(text, "meaning", param->meaning);
    ff_text_json_member_number(text, "value", ff_law_params_get(law, params, param->name));
    ff_text_put(text, "}");
  }
  ff_text_put(text, "]}");
}

/* Slope of the friction cone: the first friction coefficient of a law; else 0. */
static double page_friction_slope(const ff_law *law, const ff_law_params *params) {
  for (int i = 0; law && i < law->params_count; i++) {
    if (strncmp(law->params[i].name, "mu", 2) == 0) {
      return ff_law_params_get(law, params, law->params[i].name);
    }
  }
  return 0;
}

static void page_add_pairs(ff_text *text, const ff_model *model) {
  int count = ff_model_pair_count(model);
  ff_text_json_member_number(text, "pair_count", count);
  ff_text_json_key(text, "pairs");
  ff_text_put(text, "[");
  for (int i = 0; i < count && i < PAIRS_SHOWN; i++) {
    ff_pair_info pair = ff_model_pair_info(model, i);
    unsigned traits = pair.normal->traits(&pair.normal_params);
    ff_text_put(text, i ? ",{" : "{");
    ff_text_json_member(text, "a", ff_model_body_name(model, pair.a));
    ff_text_json_member(text, "b", ff_model_body_name(model, pair.b));
    ff_text_json_member_number(text, "mu",
                               page_friction_slope(pair.friction, &pair.friction_params));
    ff_text_json_key(text, "patch");
    ff_text_put(text, traits & FF_LAW_WANTS_OVERLAP ? "true" : "false");
    page_add_law(text, "normal", pair.normal, &pair.normal_params);
    page_add_law(text, "friction", pair.friction, &pair.friction_params);
    ff_text_put(text, "}");
  }
  ff_text_put(text, "]");
}

/* ---- run ------------------------------------------------------------------------------------- */

/* Data from the scene in the recording. A scene that cannot be read (of another version, or without
 * the files of its robots) is skipped, the page says why, and only channels are shown; lack of
 * memory is the only failure. */
static ff_status page_add_scene(ff_page *page, ff_text *text, const ff_recording_info *info) {
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  const char *file = info->file[0] ? info->file : "scene";
  ff_report report = {0};
  ff_status status =
      ff_scene_parse(&scene, info->scene, strlen(info->scene), file, NULL, 0, &report);
  if (status == FF_OK) {
    ff_text_json_member(text, "title", scene->name);
    if (!page->titled) {
      ff_text_free(&page->title);
      ff_text_json_string(&page->title, scene->name);
      page->titled = true;
    }
    ff_text_json_member(text, "stepper", scene->run.stepper.kind);
    if (!page->without_bodies) {
      status = ff_page_add_bodies(page, text, scene);
      ff_page_add_look(text, scene);
    }
  }
  if (status == FF_OK) {
    status = ff_model_build(&model, scene, &report);
  }
  if (status == FF_OK) {
    ff_page_add_constraints(text, model);
    page_add_pairs(text, model);
  } else {
    char why[1024];
    ff_report_text(&report, why, sizeof why);
    ff_text_json_member(text, "scene_error", why);
  }
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  return status == FF_ERROR_MEMORY ? status : FF_OK;
}

ff_status ff_page_add_run(ff_page_run *out, ff_page *page, const ff_recording *recording) {
  const ff_recording_info *info = ff_recording_about(recording);
  ff_text text = {0};
  *out = (ff_page_run){0};
  ff_text_put(&text, page->recording_count ? ",{" : "{");
  ff_text_json_member(&text, "summary", info->summary);
  ff_status status = info->scene[0] ? page_add_scene(page, &text, info) : FF_OK;
  if (status == FF_OK) {
    status = page_add_channels(page, &text, recording);
  }
  ff_text_put(&text, "}");
  if (status == FF_OK && text.failed) {
    status = FF_ERROR_MEMORY;
  }
  if (status == FF_OK) {
    ff_text_add(&page->recordings, text.bytes, text.size);
    *out = (ff_page_run){++page->recording_count};
  } else {
    ff_page_fail(page, status, "");
  }
  ff_text_free(&text);
  return status;
}

ff_status ff_page_show_run(ff_page *page, const ff_recording *recording) {
  ff_page_run run;
  ff_status status = ff_page_add_run(&run, page, recording);
  if (status != FF_OK) {
    return status;
  }
  const char *scene = ff_recording_about(recording)->scene;
  ff_page_section(page, "Result");
  ff_page_results(page, run);
  ff_page_section(page, "Replay and plots");
  ff_page_replay(page, run);
  ff_page_section(page, "Energy");
  ff_page_ledger(page, run);
  ff_page_section(page, "Contact events");
  ff_page_events(page, run);
  ff_page_section(page, "Contact laws");
  ff_page_laws(page, run);
  ff_page_section(page, "Summary");
  ff_page_summary(page, run);
  if (scene[0]) {
    ff_page_source(page, "Scene", scene);
  }
  return FF_OK;
}
