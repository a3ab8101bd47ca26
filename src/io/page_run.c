/* Recordings in a page: channels, bodies with their shapes, pairs with their laws. */
#include "io/page.h"

#include "base/memory.h"
#include "footfall/sim.h"
#include "geom/implicit.h"
#include "math/vec.h"
#include "model/scene.h"

#include <string.h>

enum { PAIRS_SHOWN = 256 };

static void page_add_pose(ff_text *text, ff_vec3 position, ff_quat orientation) {
  ff_text_json_key(text, "position");
  ff_text_json_numbers(text, &(double[]){position.x, position.y, position.z}[0], 3);
  ff_text_json_key(text, "orientation");
  double turn[] = {orientation.w, orientation.x, orientation.y, orientation.z};
  ff_text_json_numbers(text, turn, 4);
}

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
  ff_reduction reduction;
  ff_status status = page_reduce_run(&reduction, page, columns, info->count, rows);
  if (status == FF_OK) {
    ff_text_json_member_number(text, "recorded", (double)rows);
    ff_text_json_member_number(text, "stretches", (double)reduction.stretches);
    ff_text_json_key(text, "channels");
    for (int i = 0; i < info->count; i++) {
      ff_text_put(text, i ? ",{" : "[{");
      ff_text_json_member(text, "name", info->names[i]);
      ff_text_json_member(text, "unit", info->units[i]);
      ff_text_json_member_number(text, "series", ff_page_add_series(page, columns[i], &reduction));
      ff_text_put(text, "}");
    }
    ff_text_put(text, info->count ? "]" : "[]");
    ff_free(reduction.rows);
  }
  ff_free(columns);
  return status;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void page_add_points(ff_text *text, const ff_vec3 *points, int count) {
  ff_text_json_key(text, "vertices");
  ff_text_put(text, "[");
  for (int i = 0; i < count; i++) {
    const double v[3] = {points[i].x, points[i].y, points[i].z};
    ff_text_put(text, i ? "," : "");
    ff_text_json_numbers(text, v, 3);
  }
  ff_text_put(text, "]");
}

/* An intersection is drawn as the convex hull of the exit points of rays from its centre. */
static void page_add_rays(ff_text *text, const ff_shape_def *def) {
  enum { AROUND = 40, DOWN = 19 };
  ff_vec3 points[AROUND * DOWN];
  ff_arena scratch = {0};
  ff_geom geom;
  ff_pose frame;
  if (ff_geom_make(&geom, &frame, &scratch, def, NULL) == FF_OK) {
    for (int k = 0; k < AROUND * DOWN; k++) {
      double around = 2 * ff_pi * (k % AROUND) / AROUND;
      double down = ff_pi * (double)(k / AROUND) / (DOWN - 1);
      ff_vec3 ray = v3(sin(down) * cos(around), sin(down) * sin(around), cos(down));
      double far = ff_geom_exit(&geom, v3(0, 0, 0), ray, NULL);
      points[k] = pose_point(frame, v3_scale(far, ray));
    }
    page_add_points(text, points, AROUND * DOWN);
  }
  ff_arena_free(&scratch);
}

/* Data of a shape beyond its sizes. */
static void page_add_form(ff_text *text, const ff_shape_def *def) {
  if (def->kind == FF_SUPERELLIPSOID) {
    ff_text_json_key(text, "exponents");
    ff_text_json_numbers(text, def->exponents, 2);
  } else if (def->kind == FF_POLYHEDRON) {
    page_add_points(text, def->vertices, def->vertex_count);
  } else if (def->kind == FF_INTERSECTION) {
    page_add_rays(text, def);
  }
}

static void page_add_shapes(ff_text *text, const ff_scene *scene, int body) {
  bool first = true;
  ff_text_json_key(text, "shapes");
  ff_text_put(text, "[");
  for (int i = 0; i < scene->shape_count; i++) {
    const ff_scene_shape *shape = &scene->shapes[i];
    if (shape->body.id == body) {
      double size[] = {shape->def.size.x, shape->def.size.y, shape->def.size.z};
      ff_text_put(text, first ? "{" : ",{");
      ff_text_json_member(text, "kind", ff_shape_kind_name(shape->def.kind));
      ff_text_json_key(text, "size");
      ff_text_json_numbers(text, size, 3);
      page_add_pose(text, shape->def.position, shape->def.orientation);
      page_add_form(text, &shape->def);
      ff_text_put(text, "}");
      first = false;
    }
  }
  ff_text_put(text, "]");
}

static void page_add_bodies(ff_text *text, const ff_scene *scene) {
  static const char *const kinds[] = {[FF_BODY_FREE] = "free",
                                      [FF_BODY_FIXED] = "fixed",
                                      [FF_BODY_PRESCRIBED] = "prescribed",
                                      [FF_BODY_LINK] = "link"};
  ff_text_json_key(text, "bodies");
  ff_text_put(text, "[");
  for (int i = 0; i < scene->body_count; i++) {
    const ff_body_def *body = &scene->bodies[i];
    ff_text_put(text, i ? ",{" : "{");
    ff_text_json_member(text, "name", body->name);
    ff_text_json_member(text, "kind", kinds[body->kind]);
    page_add_pose(text, body->position, body->orientation);
    page_add_shapes(text, scene, i + 1);
    ff_text_put(text, "}");
  }
  ff_text_put(text, "]");
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

/* Data from the scene in the recording. A scene that cannot be read (of another version) is skipped
 * and only channels are shown; lack of memory is the only failure. */
static ff_status page_add_scene(ff_page *page, ff_text *text, const ff_recording_info *info) {
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  const char *file = info->file[0] ? info->file : "scene";
  ff_status status = ff_scene_parse(&scene, info->scene, strlen(info->scene), file, NULL, 0, NULL);
  if (status == FF_OK) {
    ff_text_json_member(text, "title", scene->name);
    if (!page->titled) {
      ff_text_free(&page->title);
      ff_text_json_string(&page->title, scene->name);
      page->titled = true;
    }
    ff_text_json_member(text, "stepper", scene->run.stepper.kind);
    page_add_bodies(text, scene);
    status = ff_model_build(&model, scene, NULL);
  }
  if (status == FF_OK) {
    page_add_pairs(text, model);
  }
  ff_model_destroy(model);
  ff_scene_destroy(scene);
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
