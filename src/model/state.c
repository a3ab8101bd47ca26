#include "model/state.h"

#include "math/vec.h"
#include "tree/tree.h"

#include <limits.h>
#include <string.h>

/* Contact points with the finite shapes after shape i that may collide with it, at most a dozen
 * neighbours. Counted by bounding spheres, which overlap more often than long and thin shapes
 * touch. */
static double state_points_beside(const ff_model *model, int i) {
  enum { DOZEN = 12 };
  const ff_model_shape *a = &model->shapes[i];
  int most = 0, partners = 0;
  for (int j = i + 1; partners < DOZEN && j < model->shape_count; j++) {
    const ff_model_shape *b = &model->shapes[j];
    int binding = model->class_table[a->class_index * model->class_count + b->class_index];
    bool moved = model->bodies[a->body].meets || model->bodies[b->body].meets;
    if (binding >= 0 && moved && a->body != b->body && b->geom.kind != FF_HALF_SPACE) {
      int points = ff_binding_points(&model->bindings[binding], a->geom.kind, b->geom.kind);
      most = points > most ? points : most;
      partners++;
    }
  }
  return (double)partners * most;
}

/* Capacity for contact points: all features of all shapes on every half-space, and between free
 * shapes a dozen points per shape, or more for shapes with many points. */
static double state_point_capacity(const ff_model *model) {
  double count = model->free_pairs_touch ? 16 : 1;
  int floors = 0;
  for (int i = 0; i < model->shape_count; i++) {
    floors += model->shapes[i].geom.kind == FF_HALF_SPACE;
  }
  for (int i = 0; i < model->shape_count; i++) {
    ff_shape_kind kind = model->shapes[i].geom.kind;
    if (kind != FF_HALF_SPACE) {
      count += (double)floors * ff_manifold_limit(kind, FF_HALF_SPACE);
      count += model->free_pairs_touch ? fmax(12, state_points_beside(model, i)) : 0;
    }
  }
  return count;
}

static ff_status state_make_broad(ff_state *out, const ff_model *model) {
  if (!model->free_pairs_touch) {
    return FF_OK;
  }
  for (int i = 0; i < model->body_count; i++) {
    if (model->bodies[i].bound > 0) {
      out->finite_bodies[out->finite_count++] = i;
    }
  }
  return ff_broad_create(&out->broad, out->finite_count);
}

static ff_status state_make_robots(ff_state *out, const ff_model *model, ff_arena *arena) {
  out->robots = ff_arena_take(arena, (size_t)model->robot_count, sizeof *out->robots);
  if (!out->robots) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < model->robot_count; i++) {
    const ff_model_robot *robot = &model->robots[i];
    ff_state_robot *to = &out->robots[i];
    size_t n = (size_t)robot->v_count;
    double *buffer = ff_arena_take(arena, 7 * n + 1, sizeof *buffer);
    to->placed = ff_arena_take(arena, (size_t)robot->q_count + n + 1, sizeof *to->placed);
    to->wrenches = ff_arena_take(arena, (size_t)robot->link_count, sizeof *to->wrenches);
    to->orders = ff_arena_take(arena, (size_t)robot->joint_count, sizeof *to->orders);
    if (!buffer || !to->placed || !to->wrenches || !to->orders ||
        ff_tree_work_create(&to->work, robot->tree) != FF_OK) {
      return FF_ERROR_MEMORY;
    }
    out->robot_count++;
    to->tau = buffer;
    to->servo = buffer + n;
    to->a = buffer + 2 * n;
    to->resist = buffer + 3 * n;
    to->stiffness = buffer + 4 * n;
    to->damping = buffer + 5 * n;
    to->path = buffer + 6 * n;
  }
  return FF_OK;
}

ff_status ff_state_make(ff_state *out, const ff_model *model, ff_arena *arena) {
  *out = (ff_state){0};
  double points =
      model->run.contact_capacity > 0 ? model->run.contact_capacity : state_point_capacity(model);
  double numbers = FF_Y_BODY * (double)model->free_count + model->robot_size +
                   model->memory_count * points + FF_Y_LEDGER;
  if (points > 1e8 || numbers > INT_MAX) {
    return FF_ERROR_MEMORY;
  }
  out->point_capacity = out->near_capacity = out->meet_capacity = (int)points;
  out->memory_at = FF_Y_BODY * model->free_count + model->robot_size;
  out->ledger_at = out->memory_at + model->memory_count * out->point_capacity;
  out->size = out->ledger_at + FF_Y_LEDGER;

  size_t n = (size_t)points;
  size_t bodies = (size_t)model->body_count, drives = (size_t)model->drive_count;
  size_t constraints = (size_t)model->constraint_count, rows = (size_t)model->cluster_rows;
  const struct {
    void **to;
    size_t count, size;
  } buffers[] = {
      {(void **)&out->y, (size_t)out->size, sizeof(double)},
      {(void **)&out->bodies, bodies, sizeof(ff_body_motion)},
      {(void **)&out->wrenches, bodies, sizeof(ff_wrench)},
      {(void **)&out->applied, bodies, sizeof(ff_applied)},
      {(void **)&out->drive_force, drives, sizeof(double)},
      {(void **)&out->drive_phase, drives, sizeof(int)},
      {(void **)&out->drive_start, drives, sizeof(double)},
      {(void **)&out->constraints, constraints, sizeof(ff_state_constraint)},
      {(void **)&out->constraint_rows, constraints, sizeof(ff_constraint_rows)},
      {(void **)&out->constraint_matrix, rows * rows, sizeof(double)},
      {(void **)&out->constraint_x, 3 * rows, sizeof(double)},
      {(void **)&out->constraint_pivots, 2 * rows, sizeof(int)},
      {(void **)&out->meets, n, sizeof(ff_meet)},
      {(void **)&out->old_meets, n, sizeof(ff_meet)},
      {(void **)&out->nears, n, sizeof(ff_near)},
      {(void **)&out->old_nears, n, sizeof(ff_near)},
      {(void **)&out->points, n, sizeof(ff_point)},
      {(void **)&out->old_points, n, sizeof(ff_point)},
      {(void **)&out->old_memory, n * (size_t)model->memory_count, sizeof(double)},
      {(void **)&out->edges, FF_EDGES_MAX, sizeof(ff_edge)},
      {(void **)&out->listed_at, bodies, sizeof(ff_vec3)},
      {(void **)&out->reach, bodies, sizeof(double)},
      {(void **)&out->wish, bodies, sizeof(double)},
      {(void **)&out->broad_pairs, n, sizeof(ff_broad_pair)},
      {(void **)&out->finite_bodies, bodies, sizeof(int)},
      {(void **)&out->centres, bodies, sizeof(ff_vec3)},
      {(void **)&out->radii, bodies, sizeof(double)},
  };
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    void *buffer = ff_arena_take(arena, buffers[i].count, buffers[i].size);
    if (!buffer) {
      return FF_ERROR_MEMORY;
    }
    memcpy(buffers[i].to, &buffer, sizeof buffer);
  }
  ff_status status = state_make_robots(out, model, arena);
  return status == FF_OK ? state_make_broad(out, model) : status;
}

void ff_state_free(ff_state *state) {
  for (int i = 0; i < state->robot_count; i++) {
    ff_tree_work_destroy(state->robots[i].work);
  }
  state->robot_count = 0;
  ff_broad_destroy(state->broad);
  state->broad = NULL;
}

void ff_state_reset(ff_state *state, const ff_model *model) {
  memset(state->y, 0, (size_t)state->size * sizeof *state->y);
  state->t = 0;
  state->meet_count = state->floor_meets = state->near_count = state->point_count = 0;
  state->listed = false;
  state->evaluations = 0;
  state->applied_count = 0;
  for (int i = 0; i < model->body_count; i++) {
    const ff_model_body *body = &model->bodies[i];
    state->bodies[i] = ff_motion_at(body, 0.0);
    if (body->slot < 0) {
      continue;
    }
    double *y = ff_state_body(state, body->slot);
    ff_quat q = body->start.orientation;
    ff_vec3 spin = q_unrotate(q, body->omega);
    v3_store(y + FF_Y_X, body->start.position);
    y[FF_Y_Q] = q.w;
    v3_store(y + FF_Y_Q + 1, v3(q.x, q.y, q.z));
    v3_store(y + FF_Y_V, body->velocity);
    v3_store(y + FF_Y_L, q_rotate(q, v3_mul(body->inertia, spin)));
  }
  for (int i = 0; i < model->robot_count; i++) {
    const ff_model_robot *robot = &model->robots[i];
    state->robots[i].placed[0] = NAN;
    memset(state->robots[i].orders, 0, (size_t)robot->joint_count * sizeof(ff_state_order));
    memcpy(state->y + robot->q_at, robot->start_q, (size_t)robot->q_count * sizeof(double));
    memcpy(state->y + robot->v_at, robot->start_v, (size_t)robot->v_count * sizeof(double));
  }
  for (int i = 0; i < model->drive_count; i++) {
    state->drive_phase[i] = -1;
  }
  ff_state_enter_phases(state, model);
}

static void state_keep_robots(ff_state *state, const ff_model *model, ff_keep *keep) {
  for (int i = 0; i < model->robot_count; i++) {
    const ff_model_robot *robot = &model->robots[i];
    ff_state_robot *own = &state->robots[i];
    ff_keep_numbers(keep, "robot.load", own->tau, robot->v_count);
    ff_keep_numbers(keep, "robot.drive", own->servo, robot->v_count);
    ff_keep_numbers(keep, "robot.stiffness", own->stiffness, robot->v_count);
    ff_keep_numbers(keep, "robot.damping", own->damping, robot->v_count);
    ff_keep_numbers(keep, "robot.placed", own->placed, robot->q_count + robot->v_count);
    ff_keep_block(keep, "robot.order", own->orders, robot->joint_count, sizeof *own->orders);
    ff_keep_numbers(keep, "robot.stored", &own->stored, 1);
    ff_tree_work_keep(own->work, keep);
  }
}

static void state_keep_pairs(ff_state *state, ff_keep *keep) {
  ff_keep_count(keep, "contact.body_pairs", &state->meet_count, state->meet_capacity);
  ff_keep_count(keep, "contact.floor_pairs", &state->floor_meets, state->meet_count);
  ff_keep_count(keep, "contact.shape_pairs", &state->near_count, state->near_capacity);
  ff_keep_count(keep, "contact.points", &state->point_count, state->point_capacity);
  if (keep->bad) {
    return;
  }
  ff_keep_block(keep, "contact.body_pair", state->meets, state->meet_count, sizeof *state->meets);
  ff_keep_block(keep, "contact.shape_pair", state->nears, state->near_count, sizeof *state->nears);
  ff_keep_block(keep, "contact.point", state->points, state->point_count, sizeof *state->points);
  for (int i = 0; i < state->point_count && keep->mode == FF_KEEP_LOAD; i++) {
    ff_patch *patch = &state->points[i].patch;
    patch->edges = patch->edges ? state->edges : NULL;
  }
}

void ff_state_keep(ff_state *state, const ff_model *model, ff_keep *keep) {
  ff_keep_numbers(keep, "time", &state->t, 1);
  ff_keep_numbers(keep, "y", state->y, state->size);
  ff_keep_block(keep, "body.motion", state->bodies, model->body_count, sizeof *state->bodies);
  ff_keep_block(keep, "body.wrench", state->wrenches, model->body_count, sizeof *state->wrenches);
  ff_keep_count(keep, "applied.bodies", &state->applied_count, model->body_count);
  if (state->applied_count > 0) {
    ff_keep_block(keep, "applied", state->applied, model->body_count, sizeof *state->applied);
  }
  ff_keep_numbers(keep, "drive.force", state->drive_force, model->drive_count);
  ff_keep_ints(keep, "drive.phase", state->drive_phase, model->drive_count);
  ff_keep_numbers(keep, "drive.start", state->drive_start, model->drive_count);
  ff_keep_block(keep, "constraint", state->constraints, model->constraint_count,
                sizeof *state->constraints);
  ff_keep_block(keep, "listed_at", state->listed_at, model->body_count, sizeof *state->listed_at);
  ff_keep_numbers(keep, "skin", state->reach, model->body_count);
  ff_keep_numbers(keep, "next_skin", state->wish, model->body_count);
  ff_keep_block(keep, "listed", &state->listed, 1, sizeof state->listed);
  ff_keep_numbers(keep, "contact.stiffness", &state->stiffness, 1);
  ff_keep_numbers(keep, "contact.damping", &state->damping, 1);
  ff_keep_block(keep, "evaluations", &state->evaluations, 1, sizeof state->evaluations);
  state_keep_robots(state, model, keep);
  state_keep_pairs(state, keep);
}

/* Position of a drive's point along its axis. */
static double state_drive_position(const ff_state *state, const ff_model *model,
                                   const ff_model_drive *drive) {
  const double *y = ff_state_body(state, model->bodies[drive->body].slot);
  ff_quat q = q_unit((ff_quat){y[FF_Y_Q], y[FF_Y_Q + 1], y[FF_Y_Q + 2], y[FF_Y_Q + 3]});
  ff_vec3 origin = v3_add(v3(y[0], y[1], y[2]), q_rotate(q, drive->point));
  return v3_dot(drive->axis, v3_sub(origin, drive->reference));
}

void ff_state_enter_phases(ff_state *state, const ff_model *model) {
  for (int i = 0; i < model->drive_count; i++) {
    const ff_model_drive *drive = &model->drives[i];
    int phase = ff_drive_phase(drive, state->t);
    if (phase != state->drive_phase[i]) {
      double start = phase < drive->phase_count ? drive->phases[phase].start : 0;
      state->drive_phase[i] = phase;
      state->drive_start[i] = isnan(start) ? state_drive_position(state, model, drive) : start;
    }
  }
}

int ff_near_touch(const ff_model *model, const ff_near *near, const ff_pose *body_a,
                  const ff_pose *body_b, double margin, ff_touch out[FF_TOUCH_MAX]) {
  const ff_model_shape *a = &model->shapes[near->shape_a], *b = &model->shapes[near->shape_b];
  ff_pose room_a, room_b;
  const ff_pose *at_a = ff_shape_at(a, body_a, &room_a), *at_b = ff_shape_at(b, body_b, &room_b);
  double round = model->bindings[near->binding].round;
  return ff_geom_is_blunt(&a->geom, &b->geom, round)
             ? ff_geom_touch_blunt(&a->geom, at_a, at_b, round, margin, out)
             : ff_geom_touch(&a->geom, at_a, &b->geom, at_b, margin, out);
}
