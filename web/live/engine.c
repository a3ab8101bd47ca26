/* The engine behind a live page: one scene, run as a whole or in parts. Called by worker.js and by
 * test.mjs. Files of the scene are in Emscripten's file system, in memory. */
#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#else
#define EMSCRIPTEN_KEEPALIVE /* an ordinary build compiles it, too, to see that it still can */
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "footfall/footfall.h"
#include "footfall/page.h"
#include "footfall/run.h"

#include "io/page.h"
#include "io/recorder.h"
#include "json.h"
#include "math/vec.h"
#include "model/scene.h"
#include "summary.h"

/* What HDF5 reads and writes natively is not in the engine. */
const ff_recorder_format ff_recorder_hdf5 = {.ending = ".h5-not-in-a-page"};
ff_status ff_recording_read_hdf5(ff_recording *recording, const char *path, ff_report *report) {
  (void)recording;
  return ff_recording_bad(report, path, "HDF5 cannot be read in a page");
}
/* The page of the document is the one that is already open. */
const unsigned char ff_page_head[] = "\n", ff_page_tail[] = "\n";
const unsigned long ff_page_head_size = 1, ff_page_tail_size = 1;
const unsigned char ff_page_engine[] = {0};
const unsigned long ff_page_engine_size = 0;

/* Of the program's summary and of the C library, not in Emscripten's. */
void *ff_cli_alloc(int count, size_t size) {
  return calloc((size_t)count, size);
}
#ifdef __EMSCRIPTEN__
ssize_t getrandom(void *to, size_t size, unsigned flags) {
  (void)flags;
  return getentropy(to, size) == 0 ? (ssize_t)size : -1;
}
#endif

static struct {
  ff_scene *scene;
  ff_run *run;
  char *summary;
  char error[4096];
} live;

static ff_status live_fail(ff_status status, const ff_report *report) {
  if (report->what[0]) {
    ff_report_text(report, live.error, sizeof live.error);
  } else {
    snprintf(live.error, sizeof live.error, "%s", ff_status_text(status));
  }
  return status;
}

static const char *live_summarise(void *context, const ff_run *run) {
  ff_run_counts counts = ff_run_count(run);
  ff_summary summary = {.scene = ff_scene_file(ff_run_scene(run)),
                        .model = ff_run_model(run),
                        .sim = ff_run_sim(live.run),
                        .touches = counts.touches,
                        .lifts = counts.lifts,
                        .samples = counts.samples,
                        .channels = counts.channels,
                        .incomplete = ff_run_incomplete(run),
                        .wall = NAN};
  summary.events = ff_run_events(run, &summary.event_count);
  free(live.summary);
  live.summary = NULL;
  size_t size;
  FILE *out = open_memstream(&live.summary, &size);
  (void)context;
  if (out) {
    ff_summary_json(&summary, out);
    fclose(out);
  }
  return live.summary;
}

EMSCRIPTEN_KEEPALIVE void live_close(void) {
  ff_run_destroy(&live.run);
  ff_scene_destroy(&live.scene);
}

/* What was wrong in the last call. */
EMSCRIPTEN_KEEPALIVE const char *live_error(void) {
  return live.error;
}

/* Loads a scene and prepares its run. sets: overrides, one a line. output: a .csv file, or "" to
 * keep the samples in memory. */
EMSCRIPTEN_KEEPALIVE int live_open(const char *path, char *sets, const char *output) {
  const char *overrides[256];
  int count = 0;
  for (char *line = strtok(sets, "\n"); line && count < 256; line = strtok(NULL, "\n")) {
    overrides[count++] = line;
  }
  live_close();
  ff_report report = {0};
  ff_status status = ff_scene_load(&live.scene, path, overrides, count, &report);
  if (status == FF_OK) {
    ff_run_options options = ff_run_options_default();
    options.outputs = &output;
    options.output_count = output[0] != '\0';
    options.keep = output[0] == '\0';
    options.summarise = live_summarise;
    status = ff_run_create(&live.run, live.scene, &options, &report);
  }
  return status == FF_OK ? 0 : (int)live_fail(status, &report);
}

/* Samples up to time t, s. */
EMSCRIPTEN_KEEPALIVE int live_advance(double t) {
  ff_report report = {0};
  ff_status status = ff_run_advance(live.run, t, &report);
  return status == FF_OK ? 0 : (int)live_fail(status, &report);
}

/* Runs to the end, or, after live_stop, ends where it is. */
EMSCRIPTEN_KEEPALIVE int live_execute(void) {
  ff_report report = {0};
  ff_status status = ff_run_execute(live.run, &report);
  return status == FF_OK ? 0 : (int)live_fail(status, &report);
}

/* The run ends at its next step, as a run that was stopped. */
EMSCRIPTEN_KEEPALIVE void live_stop(void) {
  ff_run_stop(live.run);
}

/* ---- what can be changed --------------------------------------------------------------------- */

static void live_describe_params(ff_json *json, const ff_law *law, const ff_law_choice *choice) {
  ff_json_open(json, "params", '[');
  for (int i = 0; i < law->params_count; i++) {
    const ff_param *param = &law->params[i];
    double value = param->fallback;
    bool given = false;
    for (int k = 0; choice && k < choice->count; k++) {
      if (strcmp(choice->names[k], param->name) == 0) {
        value = choice->values[k];
        given = true;
      }
    }
    ff_json_open(json, NULL, '{');
    ff_json_text(json, "name", param->name);
    ff_json_text(json, "symbol", param->symbol);
    ff_json_text(json, "unit", param->unit);
    ff_json_text(json, "meaning", param->meaning);
    ff_json_number(json, "value", value);
    ff_json_number(json, "min", param->min);
    ff_json_number(json, "max", param->max);
    ff_json_flag(json, "given", given);
    ff_json_flag(json, "required", isnan(param->fallback) && !param->otherwise);
    ff_json_flag(json, "flag", param->kind == FF_PARAM_FLAG);
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
}

static void live_describe_choice(ff_json *json, const char *key, ff_law_kind kind,
                                 const ff_law_choice *choice) {
  const ff_law *law = choice->law ? ff_law_find(kind, choice->law) : NULL;
  if (law) {
    ff_json_open(json, key, '{');
    ff_json_text(json, "law", law->name);
    live_describe_params(json, law, choice);
    ff_json_close(json, '}');
  }
}

/* Does the stepper run the law, as far as its parameters do not matter? */
static bool live_stepper_runs(const ff_stepper_info *stepper, const ff_law *law) {
  ff_law_params params;
  ff_law_params_default(law, &params);
  switch (stepper->contacts) {
    case FF_CONTACTS_BY_LAYER: return law->layer || law->cone;
    case FF_CONTACTS_BY_GROUND: return law->ground || law->grip;
    case FF_CONTACTS_BY_FORCE: break;
  }
  return !law->traits || !(law->traits(&params) & FF_LAW_CORE);
}

static void live_describe_laws(ff_json *json) {
  ff_json_open(json, "laws", '[');
  for (int i = 0; i < ff_law_count(); i++) {
    const ff_law *law = ff_law_at(i);
    ff_json_open(json, NULL, '{');
    ff_json_text(json, "name", law->name);
    ff_json_text(json, "kind", law->kind == FF_LAW_NORMAL ? "normal" : "friction");
    live_describe_params(json, law, NULL);
    ff_json_open(json, "steppers", '[');
    for (int k = 0; k < ff_stepper_count(); k++) {
      if (live_stepper_runs(ff_stepper_at(k), law)) {
        ff_json_text(json, NULL, ff_stepper_at(k)->name);
      }
    }
    ff_json_close(json, ']');
    ff_json_close(json, '}');
  }
  ff_json_close(json, ']');
}

/* Contact rules with their laws, sliders that the scene marks, laws and steppers there are: JSON.
 */
EMSCRIPTEN_KEEPALIVE const char *live_about(void) {
  static char *text;
  free(text);
  text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  ff_json json = {.out = out};
  const ff_run_def *run = ff_model_run(ff_run_model(live.run));
  ff_json_open(&json, NULL, '{');
  ff_json_number(&json, "duration", run->duration);
  ff_json_text(&json, "stepper", run->stepper.kind);
  ff_json_number(&json, "step", run->stepper.step);
  ff_json_open(&json, "steppers", '[');
  for (int i = 0; i < ff_stepper_count(); i++) {
    ff_json_text(&json, NULL, ff_stepper_at(i)->name);
  }
  ff_json_close(&json, ']');
  ff_json_open(&json, "contacts", '[');
  for (int i = 0; i < live.scene->contact_count; i++) {
    const ff_contact_def *def = &live.scene->contacts[i];
    ff_json_open(&json, NULL, '{');
    ff_json_text(&json, "a", def->a);
    ff_json_text(&json, "b", def->b);
    live_describe_choice(&json, "normal", FF_LAW_NORMAL, &def->normal);
    live_describe_choice(&json, "friction", FF_LAW_FRICTION, &def->friction);
    ff_json_close(&json, '}');
  }
  ff_json_close(&json, ']');
  ff_json_open(&json, "sliders", '[');
  for (int i = 0; i < live.scene->look.slider_count; i++) {
    const ff_scene_slider *slider = &live.scene->look.sliders[i];
    ff_json_open(&json, NULL, '{');
    ff_json_text(&json, "title", slider->title);
    ff_json_text(&json, "path", slider->path);
    ff_json_text(&json, "unit", slider->unit);
    ff_json_number(&json, "from", slider->from);
    ff_json_number(&json, "to", slider->to);
    ff_json_number(&json, "value", slider->value);
    ff_json_close(&json, '}');
  }
  ff_json_close(&json, ']');
  live_describe_laws(&json);
  ff_json_close(&json, '}');
  fclose(out);
  return text;
}

/* Writes the document of the run's report, as it stands in a page, without the numbers of channels,
 * which live_column gives. bodies: with bodies and meshes, which do not change from run to run. */
EMSCRIPTEN_KEEPALIVE int live_document(const char *path, int bodies) {
  const ff_recording *recording = ff_run_recording(live.run);
  ff_report report = {0};
  ff_page *page = NULL;
  ff_status status = ff_page_create(&page, NULL);
  if (status == FF_OK) {
    page->without_channels = true;
    page->without_bodies = !bodies;
    status = ff_page_show_run(page, recording);
  }
  if (status == FF_OK) {
    status = ff_page_write(page, path, &report);
  }
  ff_page_destroy(&page);
  return status == FF_OK ? 0 : (int)live_fail(status, &report);
}

/* ---- samples while it runs ------------------------------------------------------------------- */

/* s that a whole run takes. */
EMSCRIPTEN_KEEPALIVE double live_duration(void) {
  return ff_model_run(ff_run_model(live.run))->duration;
}
/* Samples so far. */
EMSCRIPTEN_KEEPALIVE int live_rows(void) {
  return (int)ff_recording_rows(ff_run_recording(live.run));
}
EMSCRIPTEN_KEEPALIVE int live_channels(void) {
  return ff_recording_about(ff_run_recording(live.run))->count;
}
EMSCRIPTEN_KEEPALIVE const char *live_channel(int channel) {
  return ff_recording_about(ff_run_recording(live.run))->names[channel];
}
/* Values of a channel, one for each sample; valid until the run goes on. */
EMSCRIPTEN_KEEPALIVE const double *live_column(int channel) {
  return ff_recording_column(ff_run_recording(live.run), channel);
}

/* ---- forces by hand -------------------------------------------------------------------------- */

/* Number of a body; 0: none of this name. */
EMSCRIPTEN_KEEPALIVE int live_body(const char *name) {
  return ff_model_body_find(ff_run_model(live.run), name).id;
}

/* Force on a body at a point of it (m, body frame), N, world, until it is set again. */
EMSCRIPTEN_KEEPALIVE int live_push(int body, double px, double py, double pz, double fx, double fy,
                                   double fz) {
  return (int)ff_sim_apply(ff_run_sim(live.run), (ff_body){.id = body}, (ff_vec3){px, py, pz},
                           (ff_vec3){fx, fy, fz}, (ff_vec3){0});
}

/* A spring from the point of a body (m, body frame) to a target (m, world): natural frequency of
 * 2 Hz and critical damping for the mass of all that moves with it. */
EMSCRIPTEN_KEEPALIVE int live_pull(int body, double px, double py, double pz, double tx, double ty,
                                   double tz, double mass) {
  const double omega = 2 * 3.14159265358979 * 2; /* rad/s */
  ff_body_state at = ff_sim_body(ff_run_sim(live.run), (ff_body){.id = body});
  ff_vec3 arm = q_rotate(at.orientation, (ff_vec3){px, py, pz});
  ff_vec3 gap = v3_sub((ff_vec3){tx, ty, tz}, v3_add(at.position, arm));
  ff_vec3 speed = v3_add(at.velocity, v3_cross(at.omega, arm));
  ff_vec3 force = v3_sub(v3_scale(mass * omega * omega, gap), v3_scale(2 * mass * omega, speed));
  return live_push(body, px, py, pz, force.x, force.y, force.z);
}

/* kg; of a robot's link: of the whole robot. */
EMSCRIPTEN_KEEPALIVE double live_mass(int body) {
  const ff_model *model = ff_run_model(live.run);
  double mass = ff_model_body_info(model, (ff_body){.id = body}).mass;
  for (int r = 1; r <= ff_model_robot_count(model); r++) {
    ff_robot_info robot = ff_model_robot_info(model, ff_model_robot_at(model, r));
    int last = robot.first.id + ff_tree_link_count(robot.tree) - 1;
    if (body >= robot.first.id && body <= last) {
      mass = 0;
      for (int i = robot.first.id; i <= last; i++) {
        double one = ff_model_body_info(model, (ff_body){.id = i}).mass;
        mass += isfinite(one) ? one : 0;
      }
    }
  }
  return isfinite(mass) ? mass : 0;
}
