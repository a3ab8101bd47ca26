/* Copies of controller definitions, passed from scene to model to sim, which interprets them. */
#include "model/scene.h"

#include <string.h>

static bool controller_def_copy_text(ff_arena *arena, const char **text) {
  if (*text) {
    *text = ff_arena_text(arena, *text, strlen(*text));
    return *text != NULL;
  }
  return true;
}

static bool controller_def_copy_tasks(ff_arena *arena, ff_controller_def *def) {
  ff_task *tasks = ff_arena_take(arena, (size_t)def->task_count, sizeof *tasks);
  for (int i = 0; tasks && i < def->task_count; i++) {
    tasks[i] = def->tasks[i];
    size_t count = (size_t)tasks[i].step_count;
    ff_walk_step *steps = ff_arena_take(arena, count, sizeof *steps);
    if (!steps) {
      return false;
    }
    for (size_t k = 0; k < count; k++) {
      steps[k] = tasks[i].steps[k];
    }
    tasks[i].steps = steps;
  }
  def->tasks = tasks;
  return tasks != NULL;
}

const ff_controller_def *ff_controller_def_copy(ff_arena *arena, const ff_controller_def *def) {
  ff_controller_def *copy = ff_arena_take(arena, 1, sizeof *copy);
  if (!copy) {
    return NULL;
  }
  *copy = *def;
  copy->walk.tree = NULL;
  copy->walk.posture = NULL;
  bool copied = controller_def_copy_text(arena, &copy->left_foot) &&
                controller_def_copy_text(arena, &copy->right_foot) &&
                controller_def_copy_tasks(arena, copy);
  return copied ? copy : NULL;
}
