/* Compilation of a scene into a model: sequence of passes, and run settings. */
#include "model/build.h"

#include "base/checksum.h"
#include "base/memory.h"
#include "base/report.h"
#include "math/vec.h"
#include "model/table.h"

#include <stdlib.h>
#include <string.h>

void *ff_build_take(ff_build *build, int count, size_t size) {
  return ff_arena_take(&build->model->arena, (size_t)count, size);
}

int ff_build_find_body(ff_build *build, const char *name, const char *key) {
  int found = name ? ff_names_find(&build->body_names, name) : -1;
  if (found < 0) {
    ff_report_unknown(build->report, "body", name ? name : "", build->body_names.names,
                      build->body_names.count);
    ff_report_key(build->report, "%s", key);
  }
  return found;
}

ff_status ff_build_table(ff_build *build, ff_table *to, const ff_table *from, int width,
                         const char *key) {
  *to = *from;
  to->width = width;
  if (from->rows == 0) {
    return FF_OK;
  }
  const char *wrong = ff_table_check(from, width);
  if (wrong) {
    ff_report_what(build->report, "%s", wrong);
    ff_report_key(build->report, "%s", key);
    return FF_ERROR_INPUT;
  }
  size_t count = (size_t)from->rows * (size_t)(width + 1);
  double *values = ff_arena_take(&build->model->arena, count, sizeof *values);
  if (!values) {
    return FF_ERROR_MEMORY;
  }
  memcpy(values, from->values, count * sizeof *values);
  to->values = values;
  return FF_OK;
}

/* ---- run ------------------------------------------------------------------------------------- */

/* Limits of a run: beyond them it would never end, or a step would no longer advance time. */
#define STEPS_MAX   1e12
#define SAMPLES_MAX 1e9

static ff_status build_check_number(ff_build *build, const char *key, double value,
                                    bool zero_allowed, bool infinity_allowed) {
  bool low = zero_allowed ? value >= 0 : value > 0;
  if (low && (infinity_allowed || isfinite(value))) {
    return FF_OK;
  }
  if (isnan(value)) {
    ff_report_what(build->report, "must be given");
  } else {
    ff_report_what(build->report, "must be %s%s, got %g",
                   zero_allowed ? "at least 0" : "greater than 0",
                   infinity_allowed ? "" : " and finite", value);
  }
  ff_report_key(build->report, "%s", key);
  return FF_ERROR_INPUT;
}

ff_status ff_build_check_count(ff_build *build, const char *key, double every, double limit,
                               const char *what) {
  double count = build->model->run.duration / every;
  if (count <= limit) {
    return FF_OK;
  }
  ff_report_what(build->report,
                 "too small for a duration of %g s: %.3g %s, at most %.0e are allowed",
                 build->model->run.duration, count, what, limit);
  ff_report_key(build->report, "%s", key);
  return FF_ERROR_INPUT;
}

/* 0: a sample at every step. */
static ff_status check_record(ff_build *build) {
  double every = build->model->run.record_every;
  ff_status status = build_check_number(build, "record.every", every, true, false);
  bool spaced = status == FF_OK && every > 0;
  return spaced ? ff_build_check_count(build, "record.every", every, SAMPLES_MAX, "samples")
                : status;
}

/* The stepper that the scene names, or one that fits the scene; `auto` takes no step. */
static ff_status build_find_stepper(ff_build *build) {
  const char *kind = build->scene->run.stepper.kind;
  build->model->stepper_reason = "";
  if (kind && strcmp(kind, "auto") == 0) {
    kind = ff_choose_stepper(build->scene, &build->model->run.stepper.step,
                             &build->model->stepper_reason);
  }
  build->model->stepper = ff_stepper_find(kind);
  if (build->model->stepper) {
    build->model->run.stepper.kind = build->model->stepper->name;
    return FF_OK;
  }
  const char *names[FF_STEPPERS_MAX];
  int count = ff_stepper_all_names(names);
  ff_report_unknown(build->report, "stepper", kind ? kind : "", names, count);
  ff_report_key(build->report, "stepper.kind");
  return FF_ERROR_INPUT;
}

static ff_status build_find_micro_form(ff_build *build) {
  static const char *const forms[] = {"implicit", "literal", "conventional"};
  const char *micro = build->scene->run.stepper.micro;
  for (int i = 0; i < 3; i++) {
    if (micro && strcmp(micro, forms[i]) == 0) {
      build->model->run.stepper.micro = forms[i];
      build->model->micro = (ff_micro_form)i;
      return FF_OK;
    }
  }
  ff_report_unknown(build->report, "form", micro ? micro : "", forms, 3);
  ff_report_key(build->report, "stepper.micro");
  return FF_ERROR_INPUT;
}

static ff_status build_check_micro_macro(ff_build *build) {
  const ff_stepper_def *def = &build->model->run.stepper;
  ff_status status = build_find_micro_form(build);
  if (status == FF_OK && !isnan(def->lambda)) {
    status = build_check_number(build, "stepper.lambda", def->lambda, true, false);
  }
  status = status == FF_OK ? build_check_number(build, "stepper.lambda-relative",
                                                def->lambda_relative, true, false)
                           : status;
  status = status == FF_OK
               ? build_check_number(build, "stepper.slip-speed", def->slip_speed, true, false)
               : status;
  if (status == FF_OK && (def->passes < 0 || def->passes > 10)) {
    status = ff_report_what(build->report, "must be from 0 to 10, got %d", def->passes);
    ff_report_key(build->report, "stepper.passes");
  }
  return status;
}

static ff_status check_tolerances(ff_build *build) {
  const ff_stepper_def *def = &build->model->run.stepper;
  ff_status status = build_check_number(build, "stepper.rtol", def->rtol, false, false);
  if (status == FF_OK && (def->rtol < 1e-14 || def->rtol > 0.1)) {
    status = ff_report_what(build->report, "must be between 1e-14 and 0.1, got %g", def->rtol);
    ff_report_key(build->report, "stepper.rtol");
  }
  if (status == FF_OK) {
    status = build_check_number(build, "stepper.atol", def->atol, false, false);
  }
  status = status == FF_OK
               ? build_check_number(build, "stepper.max-step", def->max_step, false, true)
               : status;
  return status == FF_OK
             ? ff_build_check_count(build, "stepper.max-step", def->max_step, STEPS_MAX, "steps")
             : status;
}

static ff_status check_step(ff_build *build) {
  double step = build->model->run.stepper.step;
  if (isnan(step)) {
    ff_report_what(build->report, "must be given, in s: the stepper %s has fixed steps",
                   build->model->run.stepper.kind);
    ff_report_key(build->report, "stepper.step");
    return FF_ERROR_INPUT;
  }
  ff_status status = build_check_number(build, "stepper.step", step, false, false);
  return status == FF_OK ? ff_build_check_count(build, "stepper.step", step, STEPS_MAX, "steps")
                         : status;
}

static ff_status check_order(ff_build *build) {
  int order = build->model->run.stepper.order;
  if (order == 1 || order == 2) {
    return FF_OK;
  }
  ff_report_what(build->report, "must be 1 or 2, got %d", order);
  ff_report_key(build->report, "stepper.order");
  return FF_ERROR_INPUT;
}

static ff_status check_accuracy(ff_build *build) {
  double *accuracy = &build->model->run.stepper.accuracy;
  *accuracy = isnan(*accuracy) ? build->model->stepper->crowd_accuracy : *accuracy;
  if (*accuracy == 0 || (*accuracy >= 1e-9 && *accuracy <= 0.1)) {
    return FF_OK;
  }
  ff_report_what(build->report, "must be `exact`, or between 1e-9 and 0.1, got %g", *accuracy);
  ff_report_key(build->report, "stepper.accuracy");
  return FF_ERROR_INPUT;
}

static ff_status check_sleep(ff_build *build) {
  const ff_stepper_def *def = &build->model->run.stepper;
  ff_status status = build_check_number(build, "stepper.sleep", def->sleep, true, false);
  return status == FF_OK
             ? build_check_number(build, "stepper.sleep-speed", def->sleep_speed, true, false)
             : status;
}

/* Checks what the stepper reads; its row of the table says which keys. */
static ff_status check_stepper_keys(ff_build *build) {
  static const struct {
    const char *key; /* one of them stands for those that are checked with it */
    ff_status (*check)(ff_build *build);
  } checks[] = {{"rtol", check_tolerances},   {"order", check_order},
                {"accuracy", check_accuracy}, {"sleep", check_sleep},
                {"step", check_step},         {"micro", build_check_micro_macro}};
  ff_status status = FF_OK;
  for (size_t i = 0; status == FF_OK && i < sizeof checks / sizeof *checks; i++) {
    if (ff_stepper_takes(build->model->stepper, checks[i].key)) {
      status = checks[i].check(build);
    }
  }
  return status;
}

static ff_status build_copy_channels(ff_build *build) {
  ff_run_def *run = &build->model->run;
  const char **channels = ff_build_take(build, run->channel_count, sizeof *channels);
  if (!channels) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < run->channel_count; i++) {
    const char *glob = build->scene->run.channels[i];
    channels[i] = ff_arena_text(&build->model->arena, glob, strlen(glob));
    if (!channels[i]) {
      return FF_ERROR_MEMORY;
    }
  }
  run->channels = channels;
  return FF_OK;
}

ff_status ff_build_run(ff_build *build) {
  ff_run_def *run = &build->model->run;
  *run = build->scene->run;
  if (!v3_finite(run->gravity)) {
    ff_report_what(build->report, "every number must be finite");
    ff_report_key(build->report, "gravity");
    return FF_ERROR_INPUT;
  }
  ff_status status = build_check_number(build, "duration", run->duration, false, false);
  status = status == FF_OK ? build_find_stepper(build) : status;
  status = status == FF_OK ? check_stepper_keys(build) : status;
  status = status == FF_OK ? check_record(build) : status;
  if (status == FF_OK && isnan(run->energy_tolerance)) {
    run->energy_tolerance = build->model->stepper->energy_tolerance;
  }
  status = status == FF_OK ? build_check_number(build, "audit.energy-tolerance",
                                                run->energy_tolerance, false, true)
                           : status;
  if (status == FF_OK &&
      (run->contact_capacity < 0 || run->contact_capacity > FF_SCENE_CONTACTS_MAX)) {
    status = ff_report_what(build->report, "must be from 0 to %d, got %d", FF_SCENE_CONTACTS_MAX,
                            run->contact_capacity);
    ff_report_key(build->report, "capacity.contacts");
  }
  return status == FF_OK ? build_copy_channels(build) : status;
}

/* ---- breakpoints ----------------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Appends a table's times to the list; only counts them if the list is NULL. */
static void add_table_breakpoints(const ff_table *table, double offset, double *list, int *count) {
  for (int i = 0; table->rows > 1 && i < table->rows; i++) {
    if (list) {
      list[*count] = offset + ff_table_time(table, i);
    }
    ++*count;
  }
}

static int collect_breakpoints(const ff_model *model, double *list) {
  int count = 0;
  for (int i = 0; i < model->force_count; i++) {
    add_table_breakpoints(&model->forces[i].def.force, 0, list, &count);
    add_table_breakpoints(&model->forces[i].def.torque, 0, list, &count);
  }
  for (int i = 0; i < model->body_count; i++) {
    const ff_motion *motion = model->bodies[i].motion;
    if (motion) {
      add_table_breakpoints(&motion->velocity, 0, list, &count);
      add_table_breakpoints(&motion->rate, 0, list, &count);
    }
  }
  for (int i = 0; i < model->robot_count; i++) {
    for (int k = 0; k < model->robots[i].joint_count; k++) {
      add_table_breakpoints(&model->robots[i].joints[k].target, 0, list, &count);
      add_table_breakpoints(&model->robots[i].joints[k].torque, 0, list, &count);
    }
  }
  for (int i = 0; i < model->drive_count; i++) {
    const ff_model_drive *drive = &model->drives[i];
    for (int k = 0; k < drive->phase_count; k++) {
      double start = ff_drive_phase_start(drive, k);
      add_table_breakpoints(&drive->phases[k].velocity, start, list, &count);
      add_table_breakpoints(&drive->phases[k].force, start, list, &count);
      if (isfinite(drive->phases[k].until)) {
        if (list) {
          list[count] = drive->phases[k].until;
        }
        count++;
      }
    }
  }
  return count;
}

ff_status ff_build_knots(ff_build *build) {
  ff_model *model = build->model;
  int count = collect_breakpoints(model, NULL);
  double *breakpoints = ff_build_take(build, count, sizeof *breakpoints);
  if (!breakpoints) {
    return FF_ERROR_MEMORY;
  }
  collect_breakpoints(model, breakpoints);
  qsort(breakpoints, (size_t)count, sizeof *breakpoints, compare_times);
  model->breakpoints = breakpoints;
  model->breakpoint_count = count;
  return FF_OK;
}

/* ---- model ----------------------------------------------------------------------------------- */

/* A chosen stepper that evaluates force laws gets a step that resolves them, of the form 1, 2 or 5
 * times a power of ten. */
static void choose_step(const ff_build *build) {
  ff_model *model = build->model;
  double stable = ff_model_stable_step(model);
  if (!model->stepper_reason[0] || !isnan(build->scene->run.stepper.step) ||
      !ff_stepper_resolves(model->stepper)) {
    return;
  }
  static const double steps[] = {1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 5e-6, 2e-6, 1e-6};
  size_t i = 0;
  while (i + 1 < sizeof steps / sizeof *steps && steps[i] > stable) {
    i++;
  }
  model->run.stepper.step = steps[i];
}

/* Checksum of all that ids refer to. */
static unsigned model_mark(const ff_model *model) {
  const int counts[] = {model->body_count, model->shape_count, model->robot_count,
                        model->constraint_count};
  uint64_t sum = ff_checksum(0, counts, sizeof counts);
  for (int i = 0; i < model->body_count; i++) {
    const ff_model_body *body = &model->bodies[i];
    sum = ff_checksum(sum, body->name, strlen(body->name) + 1);
    sum = ff_checksum(sum, &body->shape_count, sizeof body->shape_count);
  }
  for (int r = 0; r < model->robot_count; r++) {
    for (int k = 0; k < model->robots[r].joint_count; k++) {
      const char *name = model->robots[r].joints[k].name;
      sum = ff_checksum(sum, name, strlen(name) + 1);
    }
  }
  for (int i = 0; i < model->constraint_count; i++) {
    const char *name = model->constraints[i].name ? model->constraints[i].name : "";
    sum = ff_checksum(sum, name, strlen(name) + 1);
  }
  return (unsigned)(sum ^ (sum >> 32)) | 1;
}

ff_status ff_model_build(ff_model **out, const ff_scene *scene, ff_report *report) {
  static ff_status (*const parts[])(ff_build *) = {
      ff_build_run,    ff_build_bodies,      ff_build_robots, ff_build_contacts,
      ff_build_seams,  ff_build_loads,       ff_build_forces, ff_build_drives,
      ff_build_guides, ff_build_constraints, ff_build_knots,
  };
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  if (!scene) {
    return ff_report_what(report, "there is no scene");
  }
  ff_build build = {.scene = scene, .report = report};
  build.model = ff_alloc(1, sizeof *build.model);
  ff_status status = build.model ? FF_OK : FF_ERROR_MEMORY;
  for (size_t i = 0; status == FF_OK && i < sizeof parts / sizeof *parts; i++) {
    status = parts[i](&build);
  }
  ff_arena_free(&build.scratch);
  if (status == FF_OK) {
    build.model->midpoint = ff_model_is_midpoint(build.model);
    build.model->mark = model_mark(build.model);
    choose_step(&build);
    *out = build.model;
    return FF_OK;
  }
  ff_model_destroy(&build.model);
  if (status == FF_ERROR_INPUT) {
    ff_scene_locate(scene, report);
  } else {
    ff_report_what(report, "%s", ff_status_text(status));
  }
  return status;
}

void ff_model_destroy(ff_model **at) {
  ff_model *model = at ? *at : NULL;
  if (model) {
    *at = NULL;
    for (int i = 0; i < model->robot_count; i++) {
      ff_tree *tree = model->robots[i].tree;
      ff_tree_destroy(&tree);
    }
    ff_arena_free(&model->arena);
    ff_free(model);
  }
}
