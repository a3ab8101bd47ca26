/* Controller: checks, plan, creation. Its control law is in controller_tick.c. */
#include "control/controller.h"

#include "base/memory.h"
#include "base/report.h"
#include "math/elementary.h"
#include "tree/tree.h"

#include <stddef.h>
#include <string.h>

ff_controller_def ff_controller_def_default(void) {
  ff_walk_def walk = ff_walk_def_default();
  walk.height = 0.225; /* leaves the legs a reserve for long steps */
  return (ff_controller_def){.balance = true,
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

static ff_status controller_report(ff_report *report, const char *key, const char *what) {
  ff_report_what(report, "%s", what);
  ff_report_key(report, "%s", key);
  return FF_ERROR_INPUT;
}

static ff_status controller_report_task(ff_report *report, int k, const char *key,
                                        const char *what) {
  ff_report_what(report, "%s", what);
  ff_report_key(report, "tasks.%d%s%s", k, key[0] ? "." : "", key);
  return FF_ERROR_INPUT;
}

static ff_status controller_check_task(const ff_controller_def *def, int k, ff_report *report) {
  const ff_task *task = &def->tasks[k];
  bool timed = task->kind != FF_TASK_WALK, deep = task->kind >= FF_TASK_SQUAT;
  if (timed && !(task->time > 0)) {
    return controller_report_task(report, k, "time", "must be greater than 0");
  }
  if (deep && !(task->depth > 0 && task->depth < 0.5 * def->walk.height)) {
    return controller_report_task(report, k, "depth",
                                  "must be greater than 0 and less than half the height");
  }
  if (task->kind == FF_TASK_JUMP && !(task->height > 0 && task->height < def->walk.height)) {
    return controller_report_task(report, k, "height",
                                  "must be greater than 0 and less than its own height");
  }
  if (deep && !def->balance) {
    return controller_report_task(report, k, "", "squat and jump need balance");
  }
  return FF_OK;
}

static ff_status controller_check_def(const ff_controller_def *def, ff_vec3 gravity,
                                      ff_report *report) {
  if (!(def->period > 0 && def->period <= 0.1)) {
    return controller_report(report, "period", "must be greater than 0 and at most 0.1 s");
  }
  if (!(gravity.z < 0) || gravity.x != 0 || gravity.y != 0) {
    return controller_report(report, "", "a controller needs gravity along -z");
  }
  ff_vec3 normal = q_rotate(def->place.orientation, v3(0, 0, 1));
  if (!v3_finite(def->place.position) || !(normal.z > 0.9)) {
    return controller_report(report, "ground", "must not be steeper than 25 deg");
  }
  if (!(def->stiffness >= 0 && def->damping >= 0)) {
    return controller_report(report, "stiffness", "stiffness and damping must be 0 or more");
  }
  for (int k = 0; k < def->task_count; k++) {
    ff_status status = controller_check_task(def, k, report);
    if (status != FF_OK) {
      return status;
    }
  }
  return FF_OK;
}

static int controller_find_link(const ff_tree *tree, const char *name) {
  for (int i = 1; name && i < tree->count; i++) {
    if (tree->links[i].name && strcmp(tree->links[i].name, name) == 0) {
      return i;
    }
  }
  return 0;
}

/* Joints outside the legs have one axis or none, and do not mimic others. */
static ff_status controller_check_tree(const ff_tree *tree, ff_report *report) {
  for (int i = 2; i < tree->count; i++) {
    if (tree->links[i].v_count > 1 || tree->links[i].follows > 0) {
      return controller_report(report, "",
                               "a controller moves joints with one axis only, and none that mimic");
    }
  }
  return FF_OK;
}

/* ---- creation -------------------------------------------------------------------------------- */

void ff_controller_destroy(ff_controller **at) {
  ff_controller *controller = at ? *at : NULL;
  if (controller) {
    *at = NULL;
    for (int k = 0; controller->walks && k < controller->def.task_count; k++) {
      ff_walk_destroy(&controller->walks[k]);
    }
    ff_whole_destroy(&controller->whole);
    ff_walk_destroy(&controller->stand);
    ff_free(controller->walks);
    ff_free(controller->tasks);
    ff_free(controller->steps);
    ff_free(controller->start);
    ff_free(controller);
  }
}

/* Own copies of tasks and steps. */
static bool controller_copy_tasks(ff_controller *controller, const ff_controller_def *def) {
  size_t steps = 0;
  for (int k = 0; k < def->task_count; k++) {
    steps += (size_t)def->tasks[k].step_count;
  }
  controller->tasks = ff_alloc((size_t)def->task_count + 1, sizeof *controller->tasks);
  controller->steps = ff_alloc(steps + 1, sizeof *controller->steps);
  controller->walks = ff_alloc((size_t)def->task_count + 1, sizeof(ff_walk *));
  if (!controller->tasks || !controller->steps || !controller->walks) {
    return false;
  }
  ff_walk_step *to = controller->steps;
  for (int k = 0; k < def->task_count; k++) {
    controller->tasks[k] = def->tasks[k];
    controller->tasks[k].steps = to;
    for (int i = 0; i < def->tasks[k].step_count; i++) {
      *to++ = def->tasks[k].steps[i];
    }
  }
  controller->def.tasks = controller->tasks;
  return true;
}

/* Plans every walk: to be followed, or only to check that it is within reach of the legs. */
static ff_status controller_plan_walks(ff_controller *controller, const ff_walk_def *walk,
                                       ff_report *report) {
  ff_status status = ff_walk_build(&controller->stand, walk, NULL, 0, report);
  for (int k = 0; status == FF_OK && k < controller->def.task_count; k++) {
    const ff_task *task = &controller->tasks[k];
    if (task->kind != FF_TASK_WALK) {
      continue;
    }
    status = ff_walk_build(&controller->walks[k], walk, task->steps, task->step_count, report);
    if (status == FF_ERROR_INPUT && report) {
      char key[sizeof report->key];
      memcpy(key, report->key, sizeof key);
      ff_report_key(report, "tasks.%d.%s", k, key);
    }
    if (status == FF_OK && controller->def.balance) {
      ff_walk_destroy(&controller->walks[k]);
      controller->walks[k] = NULL;
    }
  }
  return status;
}

/* Initial configuration: that of the walk, on its own ground. */
static void controller_set_start(ff_controller *controller) {
  const ff_tree *tree = controller->stand->def.tree;
  ff_walk_joints(controller->stand, 0, controller->start, NULL);
  ff_whole_place(&controller->whole, controller->start, controller->rest);
  ff_pose place = controller->def.place, trunk = controller->whole.trunk;
  ff_vec3 ahead = q_rotate(place.orientation, v3(1, 0, 0));
  double yaw = ff_atan2(ahead.y, ahead.x), half = 0.5 * controller->stand->def.width;
  trunk.position = v3_add(place.position, q_rotate(q_exp(v3(0, 0, yaw)), trunk.position));
  trunk.orientation = q_exp(v3(0, 0, yaw));
  ff_walk_foot feet[2];
  for (int f = 0; f < 2; f++) {
    ff_vec3 sole = pose_point(place, v3(0, f == 0 ? half : -half, 0));
    feet[f].pose.orientation = place.orientation;
    feet[f].pose.position = v3_sub(sole, q_rotate(place.orientation, controller->stand->def.sole));
    controller->sole[f] = (ff_sole){sole, yaw};
  }
  ff_walk_config config = ff_walk_solve(controller->stand, trunk, feet);
  ff_walk_write(controller->stand, &config, controller->start);
  memcpy(controller->hold, controller->start, (size_t)tree->q_count * sizeof(double));
  memcpy(controller->aim, controller->start, (size_t)tree->q_count * sizeof(double));
}

static ff_status controller_make(ff_controller *controller, const ff_tree *tree, ff_vec3 gravity,
                                 ff_report *report) {
  ff_walk_def walk = controller->def.walk;
  walk.tree = tree;
  walk.gravity = -gravity.z;
  walk.left_foot = controller_find_link(tree, controller->def.left_foot);
  walk.right_foot = controller_find_link(tree, controller->def.right_foot);
  if (controller->def.balance) {
    walk.corrections = 0; /* the zero-moment point is controlled at every tick */
  }
  ff_status status = controller_plan_walks(controller, &walk, report);
  if (status == FF_OK) {
    status = ff_whole_create(&controller->whole, controller->stand, gravity);
  }
  size_t nq = (size_t)tree->q_count, nv = (size_t)tree->v_count;
  controller->start = ff_alloc(3 * nq + nv, sizeof(double));
  if (status != FF_OK || !controller->start) {
    return status != FF_OK ? status : FF_ERROR_MEMORY;
  }
  controller->hold = controller->start + nq;
  controller->aim = controller->hold + nq;
  controller->rest = controller->aim + nq;
  controller->weight = tree->mass * walk.gravity;
  ff_controller_reset(controller);
  return FF_OK;
}

ff_status ff_controller_build(ff_controller **out, const ff_tree *tree,
                              const ff_controller_def *def, ff_vec3 gravity, ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  ff_status status = controller_check_def(def, gravity, report);
  status = status == FF_OK ? controller_check_tree(tree, report) : status;
  if (status != FF_OK) {
    return status;
  }
  ff_controller *controller = ff_alloc(1, sizeof *controller);
  if (!controller) {
    return FF_ERROR_MEMORY;
  }
  controller->def = *def;
  status = controller_copy_tasks(controller, def)
               ? controller_make(controller, tree, gravity, report)
               : FF_ERROR_MEMORY;
  if (status != FF_OK) {
    ff_controller_destroy(&controller);
    return status;
  }
  *out = controller;
  return FF_OK;
}

void ff_controller_reset(ff_controller *controller) {
  controller->ticks = 0;
  controller->mode = FF_CONTROLLER_STAND;
  controller->moves = 0;
  controller->time = controller->lift_off = controller->unloaded = controller->settle = 0;
  controller->rise = 0;
  controller->told = (ff_controller_state){.mode = FF_CONTROLLER_STAND};
  memset(controller->rest, 0,
         (size_t)ff_tree_v_count(controller->stand->def.tree) * sizeof(double));
  controller_set_start(controller);
  controller->zmp_from = controller->def.place.position;
  ff_stride_begin(controller, 0);
}

void ff_controller_keep(ff_controller *controller, ff_keep *keep) {
  const ff_tree *tree = controller->stand->def.tree;
  size_t state = offsetof(ff_controller, ticks);
  ff_keep_block(keep, "controller", (char *)controller + state, 1, sizeof *controller - state);
  ff_keep_numbers(keep, "controller.q", controller->start, 3 * tree->q_count + tree->v_count);
}

void ff_controller_start(const ff_controller *controller, double *q) {
  memcpy(q, controller->start, (size_t)ff_tree_q_count(controller->stand->def.tree) * sizeof *q);
}

double ff_controller_duration(const ff_controller *controller) {
  double sum = 0;
  for (int k = 0; k < controller->def.task_count; k++) {
    const ff_task *task = &controller->tasks[k];
    sum += task->kind == FF_TASK_WALK ? 2 * controller->stand->def.rest : task->time;
    for (int i = 0; task->kind == FF_TASK_WALK && i <= task->step_count; i++) {
      double own = i < task->step_count ? task->steps[i].duration : 0;
      sum += own > 0 ? own : controller->stand->def.step_time;
    }
    if (task->kind == FF_TASK_JUMP) { /* take-off, flight, landing */
      double up = sqrt(2 * task->height / controller->stand->def.gravity);
      sum += 2 * up + 2 * task->depth / (up * controller->stand->def.gravity) + 1;
    }
  }
  return sum;
}

ff_controller_state ff_controller_now(const ff_controller *controller) {
  return controller->told;
}
