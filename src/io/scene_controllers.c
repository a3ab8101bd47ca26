/* Controllers of robots: tasks, and the resulting initial configuration of the robot. */
#include "base/memory.h"
#include "footfall/robot.h"
#include "io/scene_reader.h"
#include "math/vec.h"

#include <stdio.h>
#include <string.h>

/* ---- tasks ----------------------------------------------------------------------------------- */

/* Keys of each kind. */
static const struct {
  const char *keys[6];
  int count;
} task_keys[] = {
    [FF_TASK_STAND] = {{"time"}, 1},
    [FF_TASK_WALK] = {{"count", "forward", "side", "turn", "duration", "steps"}, 6},
    [FF_TASK_SQUAT] = {{"depth", "time"}, 2},
    [FF_TASK_JUMP] = {{"height", "depth", "time"}, 3},
};

typedef struct task_list {
  ff_task *tasks;
  int count;
} task_list;

static void controller_read_step_keys(ff_reader *reader, const ff_node *node, ff_walk_step *step) {
  ff_get_number(reader, node, "forward", 0, &step->forward);
  ff_get_number(reader, node, "side", 0, &step->side);
  ff_get_number(reader, node, "turn", FF_ALLOW_ANGLE, &step->turn);
  ff_get_number(reader, node, "duration", 0, &step->duration);
}

static void controller_read_step(ff_reader *reader, const ff_node *node, void *context) {
  static const char *const keys[] = {"forward", "side", "turn", "duration"};
  ff_walk_step **to = context;
  if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    controller_read_step_keys(reader, node, *to);
    ++*to;
  }
}

/* A list of `steps`, or `count` equal ones. */
static void controller_read_walk(ff_reader *reader, const ff_node *node, ff_task *task) {
  const ff_node *list = ff_tree_find(node, "steps");
  if (list && node->count > 1) {
    ff_reader_fail(reader, node, "takes either steps or count, forward, side, turn and duration");
    return;
  }
  task->step_count = 1;
  ff_get_count(reader, node, "count", FF_SCENE_ITEMS_MAX, &task->step_count);
  task->step_count = list ? list->count : task->step_count;
  ff_walk_step *steps = ff_arena_take(reader->arena, (size_t)task->step_count + 1, sizeof *steps),
               *to = steps;
  task->steps = steps;
  if (!steps) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
  } else if (list) {
    ff_reader_each(reader, node, "steps", controller_read_step, &to);
  } else {
    controller_read_step_keys(reader, node, steps);
    for (int i = 1; i < task->step_count; i++) {
      steps[i] = steps[0];
    }
  }
}

/* {stand: 1}, {walk: {...}}, {squat: {...}} or {jump: {...}}. */
static void controller_read_task(ff_reader *reader, const ff_node *node, void *context) {
  task_list *list = context;
  const char *names[FF_COUNT(task_keys)];
  for (int k = 0; k < FF_COUNT(task_keys); k++) {
    names[k] = ff_task_kind_name((ff_task_kind)k);
  }
  if (!ff_reader_map(reader, node, names, FF_COUNT(task_keys))) {
    return;
  }
  if (node->count != 1) {
    ff_reader_fail(reader, node, "must be one of stand, walk, squat and jump");
    return;
  }
  ff_task *task = &list->tasks[list->count++];
  *task = (ff_task){.time = 1, .depth = 0.04, .height = 0.03};
  while (strcmp(names[task->kind], node->first->key->text) != 0) {
    task->kind++;
  }
  const ff_node *keys = ff_reader_enter(reader, node, names[task->kind]);
  if (keys && task->kind == FF_TASK_STAND && keys->kind == FF_NODE_SCALAR) {
    task->time = ff_read_number(reader, keys, 0);
  } else if (keys &&
             ff_reader_map(reader, keys, task_keys[task->kind].keys, task_keys[task->kind].count)) {
    ff_get_number(reader, keys, "time", 0, &task->time);
    ff_get_number(reader, keys, "depth", 0, &task->depth);
    ff_get_number(reader, keys, "height", 0, &task->height);
    if (task->kind == FF_TASK_WALK) {
      controller_read_walk(reader, keys, task);
    }
  }
  ff_reader_leave(reader);
}

static void controller_read_tasks(ff_reader *reader, const ff_node *node, ff_controller_def *def) {
  const ff_node *tasks = ff_tree_find(node, "tasks");
  task_list list = {0};
  list.tasks =
      ff_arena_take(reader->arena, (size_t)(tasks ? tasks->count : 0) + 1, sizeof *list.tasks);
  if (!list.tasks) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  ff_reader_each(reader, node, "tasks", controller_read_task, &list);
  def->tasks = list.tasks;
  def->task_count = list.count;
}

/* ---- proportions ----------------------------------------------------------------------------- */

/* The sole is the lower face of the foot's box. */
static void controller_find_sole(const ff_robot *robot, ff_controller_def *def) {
  for (int i = 0; i < ff_robot_shape_count(robot); i++) {
    ff_robot_shape shape = ff_robot_shape_info(robot, i);
    const char *link = ff_robot_link_info(robot, shape.link).def.name;
    if (!shape.mesh && shape.kind == FF_BOX && strcmp(link, def->left_foot) == 0) {
      def->walk.sole = v3_sub(shape.pose.position, v3(0, 0, shape.size.z));
      def->walk.sole_length = 2 * shape.size.x;
      def->walk.sole_width = 2 * shape.size.y;
    }
  }
}

static void controller_read_place(ff_reader *reader, const ff_node *node, ff_controller_def *def) {
  double heading = 0;
  ff_vec3 normal = {0, 0, 1};
  ff_get_vec3(reader, node, "place", 0, &def->place.position);
  ff_get_number(reader, node, "heading", FF_ALLOW_ANGLE, &heading);
  ff_get_vec3(reader, node, "ground", 0, &normal);
  double length = v3_norm(normal);
  if (!(length > 0 && isfinite(length))) {
    ff_reader_fail(reader, node, "the normal of the ground must not be [0, 0, 0]");
    return;
  }
  ff_vec3 axis = v3_cross(v3(0, 0, 1), v3_scale(1 / length, normal));
  double sine = v3_norm(axis), angle = ff_atan2(sine, normal.z);
  ff_quat tilt = sine > 0 ? q_exp(v3_scale(angle / sine, axis)) : q_identity();
  def->place.orientation = q_mul(tilt, q_exp(v3(0, 0, heading)));
}

static void controller_read_feet(ff_reader *reader, const ff_node *node, ff_controller_def *def) {
  const ff_node *feet = ff_reader_enter(reader, node, "feet");
  def->left_foot = "left_foot";
  def->right_foot = "right_foot";
  if (!feet) {
    return;
  }
  if (feet->kind != FF_NODE_LIST || feet->count != 2 || feet->first->kind != FF_NODE_SCALAR ||
      feet->first->next->kind != FF_NODE_SCALAR) {
    ff_reader_fail(reader, feet, "must be two links, [left, right]");
  } else if (ff_reader_list(reader, feet, 2)) {
    def->left_foot = feet->first->text;
    def->right_foot = feet->first->next->text;
  }
  ff_reader_leave(reader);
}

/* {position: [x, y, z], size: [length, width]} in the frame of a foot. */
static void controller_read_sole(ff_reader *reader, const ff_node *node, ff_walk_def *walk) {
  static const char *const keys[] = {"position", "size"};
  const ff_node *sole = ff_reader_enter(reader, node, "sole");
  if (!sole) {
    return;
  }
  if (ff_reader_map(reader, sole, keys, FF_COUNT(keys))) {
    double size[2] = {walk->sole_length, walk->sole_width};
    ff_get_vec3(reader, sole, "position", 0, &walk->sole);
    const ff_node *given = ff_reader_enter(reader, sole, "size");
    if (given) {
      ff_read_numbers(reader, given, 2, 0, size);
      ff_reader_leave(reader);
    }
    walk->sole_length = size[0];
    walk->sole_width = size[1];
  }
  ff_reader_leave(reader);
}

static void controller_read_keys(ff_reader *reader, const ff_node *node, ff_controller_def *def) {
  static const char *const sides[] = {"left", "right"};
  int first = (int)def->walk.first;
  controller_read_place(reader, node, def);
  ff_get_flag(reader, node, "balance", &def->balance);
  ff_get_number(reader, node, "period", 0, &def->period);
  ff_get_number(reader, node, "height", 0, &def->walk.height);
  ff_get_number(reader, node, "width", 0, &def->walk.width);
  ff_get_number(reader, node, "step-time", 0, &def->walk.step_time);
  ff_get_number(reader, node, "double-support", 0, &def->walk.double_support);
  ff_get_number(reader, node, "lift", 0, &def->walk.lift);
  ff_get_number(reader, node, "rest", 0, &def->walk.rest);
  controller_read_sole(reader, node, &def->walk);
  ff_get_number(reader, node, "sample", 0, &def->walk.sample);
  ff_get_number(reader, node, "horizon", 0, &def->walk.horizon);
  ff_get_count(reader, node, "corrections", 100, &def->walk.corrections);
  ff_get_word(reader, node, "first", "foot", sides, 2, &first);
  def->walk.first = (ff_walk_side)first;
  controller_read_tasks(reader, node, def);
}

/* ---- initial configuration ------------------------------------------------------------------- */

/* q with the joints at the scene's positions, so that arms keep theirs. */
static void controller_write_posture(const ff_tree *tree, const ff_robot *robot,
                                     const ff_robot_def *def, double *q) {
  ff_tree_neutral(tree, q);
  for (int i = 2; i <= ff_tree_link_count(tree); i++) {
    for (int k = 0; ff_tree_link(tree, i).q_count == 1 && k < def->joint_count; k++) {
      if (strcmp(def->joints[k].joint, ff_robot_link_info(robot, i).joint_name) == 0) {
        q[ff_tree_link(tree, i).q_at] = def->joints[k].position;
      }
    }
  }
}

static void controller_take_start(const ff_tree *tree, const ff_robot *robot, ff_robot_def *def,
                                  ff_joint_setting *joints, const double *q) {
  def->base.position = v3_load(q);
  def->base.orientation = (ff_quat){q[3], q[4], q[5], q[6]};
  for (int i = 2; i <= ff_tree_link_count(tree); i++) {
    for (int k = 0; ff_tree_link(tree, i).q_count == 1 && k < def->joint_count; k++) {
      if (strcmp(joints[k].joint, ff_robot_link_info(robot, i).joint_name) == 0) {
        joints[k].position = q[ff_tree_link(tree, i).q_at];
      }
    }
  }
}

/* Reports an error of the controller below the key `controller`, where the feet are a list. */
static void controller_pass_report(ff_reader *reader, const ff_node *node, const ff_report *found) {
  char key[sizeof found->key];
  memcpy(key, found->key, sizeof key);
  if (strcmp(key, "left_foot") == 0 || strcmp(key, "right_foot") == 0) {
    snprintf(key, sizeof key, "feet.%d", key[0] == 'r');
  }
  for (char *at = key; *at; at++) {
    *at = *at == '_' ? '-' : *at;
  }
  ff_reader_fail(reader, node, "%.400s", found->what);
  if (reader->report && key[0]) {
    ff_report_key(reader->report, "%.600s.%.200s", reader->path, key);
    ff_scene_locate(reader->scene, reader->report);
  }
}

/* Builds the controller once, to check it and to find the initial configuration of the robot. */
static void controller_try(ff_reader *reader, const ff_node *node, const ff_robot *robot,
                           ff_robot_def *def, ff_joint_setting *joints,
                           ff_controller_def *controller) {
  ff_tree *tree = NULL;
  ff_controller *built = NULL;
  ff_report found = {0};
  ff_status status = ff_robot_tree(&tree, robot, FF_JOINT_FREE, &found);
  size_t count = tree ? (size_t)ff_tree_q_count(tree) : 0;
  double *q = ff_arena_take(reader->arena, count + 1, sizeof *q);
  if (status == FF_OK && q) {
    controller_write_posture(tree, robot, def, q);
    controller->walk.posture = q;
    status = ff_controller_build(&built, tree, controller, reader->scene->run.gravity, &found);
    controller->walk.posture = NULL;
  }
  if (status == FF_ERROR_INPUT) {
    controller_pass_report(reader, node, &found);
  } else if (status != FF_OK || !q) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
  } else {
    ff_controller_start(built, q);
    controller_take_start(tree, robot, def, joints, q);
  }
  ff_controller_destroy(&built);
  ff_tree_destroy(&tree);
}

void ff_read_controller(ff_reader *reader, const ff_node *robot_node, const ff_robot *robot,
                        ff_robot_def *def, ff_joint_setting *joints) {
  static const char *const keys[] = {"feet",   "place",       "heading",        "ground", "balance",
                                     "period", "height",      "width",          "lift",   "rest",
                                     "sole",   "step-time",   "double-support", "first",  "tasks",
                                     "sample", "corrections", "horizon"};
  const ff_node *node = ff_reader_enter(reader, robot_node, "controller");
  if (!node) {
    return;
  }
  ff_controller_def *controller = ff_arena_take(reader->arena, 1, sizeof *controller);
  if (!controller) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
  } else if (ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    *controller = ff_controller_def_default();
    if (def->joint_count > 0) {
      controller->stiffness = joints[0].stiffness;
      controller->damping = joints[0].damping;
    }
    controller_read_feet(reader, node, controller);
    controller_find_sole(robot, controller);
    controller_read_keys(reader, node, controller);
    if (ff_tree_find(robot_node, "position") || ff_tree_find(robot_node, "orientation") ||
        ff_tree_find(robot_node, "ground")) {
      ff_reader_fail(reader, robot_node,
                     "the controller places the robot: give controller.place and heading instead");
    }
    if (reader->status == FF_OK) {
      controller_try(reader, node, robot, def, joints, controller);
    }
    def->controller = controller;
  }
  ff_reader_leave(reader);
}
