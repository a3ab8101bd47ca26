/* Pilot: checks, plan, creation. Its control law is in pilot_tick.c. */
#include "control/pilot.h"

#include "base/memory.h"
#include "base/report.h"
#include "math/elementary.h"
#include "tree/tree.h"

#include <stddef.h>
#include <string.h>

ff_pilot_def ff_pilot_def_default(void) {
  ff_walk_def walk = ff_walk_def_default();
  walk.height = 0.225; /* leaves the legs a reserve for long steps */
  return (ff_pilot_def){.balance = true,
                        .period = 2e-3,
                        .place = {.orientation = {1, 0, 0, 0}},
                        .walk = walk,
                        .stiffness = 200,
                        .damping = 3};
}

const char *ff_task_kind_name(ff_task_kind kind) {
  static const char *const names[] = {"stand", "walk", "squat", "jump"};
  return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

/* ---- checks ---------------------------------------------------------------------------------- */

static ff_status pilot_report(ff_report *report, const char *key, const char *what) {
  ff_report_what(report, "%s", what);
  ff_report_key(report, "%s", key);
  return FF_ERROR_INPUT;
}

static ff_status pilot_report_task(ff_report *report, int k, const char *key, const char *what) {
  ff_report_what(report, "%s", what);
  ff_report_key(report, "tasks.%d%s%s", k, key[0] ? "." : "", key);
  return FF_ERROR_INPUT;
}

static ff_status pilot_check_task(const ff_pilot_def *def, int k, ff_report *report) {
  const ff_task *task = &def->tasks[k];
  bool timed = task->kind != FF_TASK_WALK, deep = task->kind >= FF_TASK_SQUAT;
  if (timed && !(task->time > 0)) {
    return pilot_report_task(report, k, "time", "must be greater than 0");
  }
  if (deep && !(task->depth > 0 && task->depth < 0.5 * def->walk.height)) {
    return pilot_report_task(report, k, "depth",
                             "must be greater than 0 and less than half the height");
  }
  if (task->kind == FF_TASK_JUMP && !(task->height > 0 && task->height < def->walk.height)) {
    return pilot_report_task(report, k, "height",
                             "must be greater than 0 and less than its own height");
  }
  if (deep && !def->balance) {
    return pilot_report_task(report, k, "", "squat and jump need balance");
  }
  return FF_OK;
}

static ff_status pilot_check_def(const ff_pilot_def *def, ff_vec3 gravity, ff_report *report) {
  if (!(def->period > 0 && def->period <= 0.1)) {
    return pilot_report(report, "period", "must be greater than 0 and at most 0.1 s");
  }
  if (!(gravity.z < 0) || gravity.x != 0 || gravity.y != 0) {
    return pilot_report(report, "", "a pilot needs gravity along -z");
  }
  ff_vec3 normal = q_rotate(def->place.orientation, v3(0, 0, 1));
  if (!v3_finite(def->place.position) || !(normal.z > 0.9)) {
    return pilot_report(report, "ground", "must not be steeper than 25 deg");
  }
  if (!(def->stiffness >= 0 && def->damping >= 0)) {
    return pilot_report(report, "stiffness", "stiffness and damping must be 0 or more");
  }
  for (int k = 0; k < def->task_count; k++) {
    ff_status status = pilot_check_task(def, k, report);
    if (status != FF_OK) {
      return status;
    }
  }
  return FF_OK;
}

static int pilot_find_link(const ff_tree *tree, const char *name) {
  for (int i = 1; name && i < tree->count; i++) {
    if (tree->links[i].name && strcmp(tree->links[i].name, name) == 0) {
      return i;
    }
  }
  return 0;
}

/* Joints outside the legs have one axis or none, and do not mimic others. */
static ff_status pilot_check_tree(const ff_tree *tree, ff_report *report) {
  for (int i = 2; i < tree->count; i++) {
    if (tree->links[i].v_count > 1 || tree->links[i].follows > 0) {
      return pilot_report(report, "",
                          "a pilot moves joints with one axis only, and none that mimic");
    }
  }
  return FF_OK;
}

/* ---- creation -------------------------------------------------------------------------------- */

void ff_pilot_destroy(ff_pilot **at) {
  ff_pilot *pilot = at ? *at : NULL;
  if (pilot) {
    *at = NULL;
    for (int k = 0; pilot->walks && k < pilot->def.task_count; k++) {
      ff_walk_destroy(&pilot->walks[k]);
    }
    ff_whole_destroy(&pilot->whole);
    ff_walk_destroy(&pilot->stand);
    ff_free(pilot->walks);
    ff_free(pilot->tasks);
    ff_free(pilot->steps);
    ff_free(pilot->start);
    ff_free(pilot);
  }
}

/* Own copies of tasks and steps. */
static bool pilot_copy_tasks(ff_pilot *pilot, const ff_pilot_def *def) {
  size_t steps = 0;
  for (int k = 0; k < def->task_count; k++) {
    steps += (size_t)def->tasks[k].step_count;
  }
  pilot->tasks = ff_alloc((size_t)def->task_count + 1, sizeof *pilot->tasks);
  pilot->steps = ff_alloc(steps + 1, sizeof *pilot->steps);
  pilot->walks = ff_alloc((size_t)def->task_count + 1, sizeof(ff_walk *));
  if (!pilot->tasks || !pilot->steps || !pilot->walks) {
    return false;
  }
  ff_walk_step *to = pilot->steps;
  for (int k = 0; k < def->task_count; k++) {
    pilot->tasks[k] = def->tasks[k];
    pilot->tasks[k].steps = to;
    for (int i = 0; i < def->tasks[k].step_count; i++) {
      *to++ = def->tasks[k].steps[i];
    }
  }
  pilot->def.tasks = pilot->tasks;
  return true;
}

/* Plans every walk: to be followed, or only to check that it is within reach of the legs. */
static ff_status pilot_plan_walks(ff_pilot *pilot, const ff_walk_def *walk, ff_report *report) {
  ff_status status = ff_walk_build(&pilot->stand, walk, NULL, 0, report);
  for (int k = 0; status == FF_OK && k < pilot->def.task_count; k++) {
    const ff_task *task = &pilot->tasks[k];
    if (task->kind != FF_TASK_WALK) {
      continue;
    }
    status = ff_walk_build(&pilot->walks[k], walk, task->steps, task->step_count, report);
    if (status == FF_ERROR_INPUT && report) {
      char key[sizeof report->key];
      memcpy(key, report->key, sizeof key);
      ff_report_key(report, "tasks.%d.%s", k, key);
    }
    if (status == FF_OK && pilot->def.balance) {
      ff_walk_destroy(&pilot->walks[k]);
      pilot->walks[k] = NULL;
    }
  }
  return status;
}

/* Initial configuration: that of the walk, on its own ground. */
static void pilot_set_start(ff_pilot *pilot) {
  const ff_tree *tree = pilot->stand->def.tree;
  ff_walk_joints(pilot->stand, 0, pilot->start, NULL);
  ff_whole_place(&pilot->whole, pilot->start, pilot->rest);
  ff_pose place = pilot->def.place, trunk = pilot->whole.trunk;
  ff_vec3 ahead = q_rotate(place.orientation, v3(1, 0, 0));
  double yaw = ff_atan2(ahead.y, ahead.x), half = 0.5 * pilot->stand->def.width;
  trunk.position = v3_add(place.position, q_rotate(q_exp(v3(0, 0, yaw)), trunk.position));
  trunk.orientation = q_exp(v3(0, 0, yaw));
  ff_walk_foot feet[2];
  for (int f = 0; f < 2; f++) {
    ff_vec3 sole = pose_point(place, v3(0, f == 0 ? half : -half, 0));
    feet[f].pose.orientation = place.orientation;
    feet[f].pose.position = v3_sub(sole, q_rotate(place.orientation, pilot->stand->def.sole));
    pilot->sole[f] = (ff_sole){sole, yaw};
  }
  ff_walk_config config = ff_walk_solve(pilot->stand, trunk, feet);
  ff_walk_write(pilot->stand, &config, pilot->start);
  memcpy(pilot->hold, pilot->start, (size_t)tree->q_count * sizeof(double));
  memcpy(pilot->aim, pilot->start, (size_t)tree->q_count * sizeof(double));
}

static ff_status pilot_make(ff_pilot *pilot, const ff_tree *tree, ff_vec3 gravity,
                            ff_report *report) {
  ff_walk_def walk = pilot->def.walk;
  walk.tree = tree;
  walk.gravity = -gravity.z;
  walk.left_foot = pilot_find_link(tree, pilot->def.left_foot);
  walk.right_foot = pilot_find_link(tree, pilot->def.right_foot);
  if (pilot->def.balance) {
    walk.corrections = 0; /* the zero-moment point is controlled at every tick */
  }
  ff_status status = pilot_plan_walks(pilot, &walk, report);
  if (status == FF_OK) {
    status = ff_whole_create(&pilot->whole, pilot->stand, gravity);
  }
  size_t nq = (size_t)tree->q_count, nv = (size_t)tree->v_count;
  pilot->start = ff_alloc(3 * nq + nv, sizeof(double));
  if (status != FF_OK || !pilot->start) {
    return status != FF_OK ? status : FF_ERROR_MEMORY;
  }
  pilot->hold = pilot->start + nq;
  pilot->aim = pilot->hold + nq;
  pilot->rest = pilot->aim + nq;
  pilot->weight = tree->mass * walk.gravity;
  ff_pilot_reset(pilot);
  return FF_OK;
}

ff_status ff_pilot_build(ff_pilot **out, const ff_tree *tree, const ff_pilot_def *def,
                         ff_vec3 gravity, ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  ff_status status = pilot_check_def(def, gravity, report);
  status = status == FF_OK ? pilot_check_tree(tree, report) : status;
  if (status != FF_OK) {
    return status;
  }
  ff_pilot *pilot = ff_alloc(1, sizeof *pilot);
  if (!pilot) {
    return FF_ERROR_MEMORY;
  }
  pilot->def = *def;
  status =
      pilot_copy_tasks(pilot, def) ? pilot_make(pilot, tree, gravity, report) : FF_ERROR_MEMORY;
  if (status != FF_OK) {
    ff_pilot_destroy(&pilot);
    return status;
  }
  *out = pilot;
  return FF_OK;
}

void ff_pilot_reset(ff_pilot *pilot) {
  pilot->ticks = 0;
  pilot->mode = FF_PILOT_STAND;
  pilot->moves = 0;
  pilot->time = pilot->lift_off = pilot->unloaded = pilot->settle = 0;
  pilot->rise = 0;
  pilot->told = (ff_pilot_state){.mode = FF_PILOT_STAND};
  memset(pilot->rest, 0, (size_t)ff_tree_v_count(pilot->stand->def.tree) * sizeof(double));
  pilot_set_start(pilot);
  pilot->zmp_from = pilot->def.place.position;
  ff_stride_begin(pilot, 0);
}

void ff_pilot_keep(ff_pilot *pilot, ff_keep *keep) {
  const ff_tree *tree = pilot->stand->def.tree;
  size_t state = offsetof(ff_pilot, ticks);
  ff_keep_block(keep, "pilot", (char *)pilot + state, 1, sizeof *pilot - state);
  ff_keep_numbers(keep, "pilot.q", pilot->start, 3 * tree->q_count + tree->v_count);
}

void ff_pilot_start(const ff_pilot *pilot, double *q) {
  memcpy(q, pilot->start, (size_t)ff_tree_q_count(pilot->stand->def.tree) * sizeof *q);
}

double ff_pilot_duration(const ff_pilot *pilot) {
  double sum = 0;
  for (int k = 0; k < pilot->def.task_count; k++) {
    const ff_task *task = &pilot->tasks[k];
    sum += task->kind == FF_TASK_WALK ? 2 * pilot->stand->def.rest : task->time;
    for (int i = 0; task->kind == FF_TASK_WALK && i <= task->step_count; i++) {
      double own = i < task->step_count ? task->steps[i].duration : 0;
      sum += own > 0 ? own : pilot->stand->def.step_time;
    }
    if (task->kind == FF_TASK_JUMP) { /* take-off, flight, landing */
      double up = sqrt(2 * task->height / pilot->stand->def.gravity);
      sum += 2 * up + 2 * task->depth / (up * pilot->stand->def.gravity) + 1;
    }
  }
  return sum;
}

ff_pilot_state ff_pilot_now(const ff_pilot *pilot) {
  return pilot->told;
}
