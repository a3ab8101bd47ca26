#include "scene_trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const scene_choice choices[] = {
    {true, 1, 1e-3, 1, false},    {false, 1, 1e-3, 1, false},  {false, 4, 5e-4, 1, false},
    {true, 4, 5e-4, 1, false},    {false, 16, 2e-4, 1, false}, {true, 16, 2e-4, 1, false},
    {false, 64, 1e-4, 1, false},  {true, 1, 5e-4, 4, false},   {false, 1, 2e-4, 16, false},
    {false, 16, 1e-4, 16, false}, {false, 1, 5e-5, 1, false},
};

enum { CHOICES = sizeof choices / sizeof *choices };

static const double LEAN_MOST = 0.35; /* rad, 20 degrees */
/* A robot that tips over slowly is not down within the time of the scene: it leans by more than
 * this at the end, and by a fifth more than at three quarters of the time. */
static const double LEAN_FALLING = 0.05; /* rad */
/* Of all choices with one kind of base; some seconds on a processor of 2020. Counted, not timed, so
 * that the scene does not depend on the machine. */
static const double WORK_MOST = 2e6;

/* The text of a scene above all folders, in which the path of the robot is its absolute one: files
 * are found as from the folder of the scene. NULL: no such file, or no memory. */
static char *trial_text(scene_printer *print, const void *context, const scene_choice *choice,
                        const char *path) {
  char *text = NULL, *full = realpath(path, NULL);
  size_t size = 0;
  FILE *out = full ? open_memstream(&text, &size) : NULL;
  if (out) {
    print(context, choice, full + 1, out);
    fclose(out);
  }
  free(full);
  return text;
}

/* Angle between the vertical axis of the robot's root at the start and now, rad. */
static double trial_lean(ff_quat before, ff_quat now) {
  const ff_quat q[2] = {before, now};
  double up[2][3];
  for (int i = 0; i < 2; i++) { /* world z in the root's axes */
    up[i][0] = 2 * (q[i].x * q[i].z - q[i].w * q[i].y);
    up[i][1] = 2 * (q[i].y * q[i].z + q[i].w * q[i].x);
    up[i][2] = 1 - 2 * (q[i].x * q[i].x + q[i].y * q[i].y);
  }
  double along = up[0][0] * up[1][0] + up[0][1] * up[1][1] + up[0][2] * up[1][2];
  return acos(fmin(fmax(along, -1), 1));
}

/* The first body of the robot: the model's other body is the floor, if any. */
static ff_body trial_root(const ff_model *model) {
  int first = strcmp(ff_model_body_name(model, ff_model_body_at(model, 1)), "floor") == 0 ? 2 : 1;
  return ff_model_body_at(model, first);
}

/* Work of a step: links and contact points to evaluate. A contact point is counted twice, since it
 * is part of the solve. */
static double trial_step_work(const ff_sim *sim, const ff_model *model) {
  return ff_model_body_count(model) + 2.0 * ff_sim_contact_count(sim);
}

/* Advances to the end, or until the robot lies, the verdict is not good after a quarter of the
 * time, or the work is done. Sets `fallen`. */
static ff_status trial_advance(scene_trial *trial, ff_sim *sim, const ff_model *model,
                               double *work) {
  const double end = ff_model_run(model)->duration, early = 0.25 * end, late = 0.75 * end;
  const ff_body root = trial_root(model);
  const ff_quat upright = ff_sim_body(sim, root).orientation;
  double lean = 0, lean_late = 0;
  ff_status status = FF_OK;
  for (long n = 1; status == FF_OK && ff_sim_time(sim) < end && *work > 0; n++) {
    status = ff_sim_step(sim);
    *work -= trial_step_work(sim, model);
    if (n % 64 == 0) {
      bool good = ff_sim_audit(sim).verdict == FF_VERDICT_GOOD;
      lean = trial_lean(upright, ff_sim_body(sim, root).orientation);
      lean_late = ff_sim_time(sim) <= late ? lean : lean_late;
      if (lean > LEAN_MOST || (!good && ff_sim_time(sim) > early)) {
        break;
      }
    }
  }
  lean = trial_lean(upright, ff_sim_body(sim, root).orientation);
  bool falling = ff_sim_time(sim) >= end && lean > LEAN_FALLING && lean > 1.2 * lean_late;
  trial->fallen = lean > LEAN_MOST || falling;
  return status;
}

static void trial_run(scene_trial *trial, const ff_model *model, double *work) {
  ff_sim *sim = NULL;
  ff_finding worst = {0};
  ff_status status = ff_sim_create(&sim, model);
  if (status == FF_OK) {
    status = trial_advance(trial, sim, model, work);
    trial->time = ff_sim_time(sim);
    trial->whole = trial->time >= ff_model_run(model)->duration;
    trial->good = status == FF_OK && ff_sim_audit(sim).verdict == FF_VERDICT_GOOD;
  }
  if (status != FF_OK) {
    snprintf(trial->reason, sizeof trial->reason, "%s", ff_status_text(status));
  } else if (!trial->good && ff_sim_findings(sim, &worst, 1) > 0) {
    ff_finding_info info = ff_finding_describe(worst.kind);
    snprintf(trial->reason, sizeof trial->reason, "%s; %s", info.name, info.advice);
  } else if (trial->fallen) {
    snprintf(trial->reason, sizeof trial->reason, "the robot falls");
  }
  ff_sim_destroy(&sim);
}

static scene_trial trial_choice(scene_printer *print, const void *context, const char *path,
                                scene_choice choice, double *work) {
  scene_trial trial = {.choice = choice};
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_report report;
  memset(&report, 0, sizeof report);
  char *text = trial_text(print, context, &choice, path);
  ff_status status =
      text ? ff_scene_parse(&scene, text, strlen(text), "/scene.yaml", NULL, 0, &report)
           : FF_ERROR_MEMORY;
  status = status == FF_OK ? ff_model_build(&model, scene, &report) : status;
  if (status == FF_OK) {
    trial_run(&trial, model, work);
  } else {
    trial.whole = true;
    snprintf(trial.reason, sizeof trial.reason, "%.190s", report.what);
  }
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  free(text);
  return trial;
}

scene_trial scene_try(scene_printer *print, const void *context, const char *path, bool floats) {
  scene_trial first = {0};
  for (int fixed = 0; fixed <= floats; fixed++) {
    scene_trial trial = {0};
    double work = WORK_MOST;
    for (int i = 0; i < CHOICES && !trial.fallen && work > 0; i++) {
      scene_choice choice = choices[i];
      choice.fixed = fixed;
      trial = trial_choice(print, context, path, choice, &work);
      if (trial.good && !trial.fallen) { /* as far as the work allowed */
        return trial;
      }
      if (i == 0 && fixed == 0) {
        first = trial;
      }
    }
    first.spent = first.spent || work <= 0;
  }
  return first;
}
