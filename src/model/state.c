#include "model/state.h"

#include "math/vec.h"
#include "tree/tree.h"

#include <limits.h>
#include <string.h>

/* What of the model the pair list depends on. */
static void state_note_bodies(ff_state *out, const ff_model *model) {
  double smallest = INFINITY;
  for (int i = 0; i < model->body_count; i++) {
    const ff_model_body *body = &model->bodies[i];
    if ((body->slot >= 0 || body->robot >= 0) && body->bound > 0) {
      smallest = lesser(smallest, body->bound);
    }
    if (body->infinite) {
      out->floor_bodies[out->floor_count++] = i;
    }
    if (body->kind == FF_BODY_PRESCRIBED && body->shape_count > 0) {
      out->guided_bodies[out->guided_count++] = i;
    }
    double sway = body->kind == FF_BODY_FIXED || body->shape_count == 0 ? -1 : 0;
    for (int s = body->first_shape; sway >= 0 && s < body->first_shape + body->shape_count; s++) {
      bool finite = isfinite(model->shapes[s].bound);
      sway = greater(sway, finite ? v3_norm(model->shapes[s].pose.position) : 0);
    }
    out->sway[i] = sway;
    out->reach[i] = INFINITY;
  }
  out->least_skin = isfinite(smallest) ? 0.1 * smallest : 0;
}

static ff_status state_make_broad(ff_state *out, const ff_model *model) {
  if (!model->free_pairs_touch) {
    return FF_OK;
  }
  for (int s = 0; s < model->shape_count; s++) {
    const ff_model_shape *shape = &model->shapes[s];
    if (isfinite(shape->bound)) {
      bool moved = model->bodies[shape->body].meets;
      out->groups[out->finite_count] = moved ? shape->body : model->body_count;
      out->finite[out->finite_count++] = (ff_finite){s, shape->body};
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

/* Copies the first of an old array, if there is one. */
static void state_carry(void *to, const void *from, size_t bytes) {
  if (from && bytes > 0) {
    memcpy(to, from, bytes);
  }
}

ff_status ff_state_grow(ff_state *state, const ff_model *model, ff_list_size size) {
  double numbers = state->memory_at + (double)model->memory_count * size.points;
  if (numbers > INT_MAX) {
    return FF_ERROR_MEMORY;
  }
  ff_state grown = *state;
  grown.room = (ff_arena){0};
  grown.meet_capacity = size.meets;
  grown.near_capacity = size.nears;
  grown.point_capacity = size.points;
  grown.size = (int)numbers;
  size_t meets = (size_t)size.meets, nears = (size_t)size.nears, points = (size_t)size.points;
  int chunks =
      ff_chunks_of(model->body_count, FF_BODIES_CHUNK) + ff_chunks_of(size.nears, FF_NEARS_CHUNK);
  const ff_arena_array arrays[] = {
      FF_ARRAY(grown.y, (size_t)grown.size),
      FF_ARRAY(grown.meets, meets),
      FF_ARRAY(grown.old_meets, meets),
      FF_ARRAY(grown.active, meets),
      FF_ARRAY(grown.nears, nears),
      FF_ARRAY(grown.old_nears, nears),
      FF_ARRAY(grown.points, points),
      FF_ARRAY(grown.old_points, points),
      {&grown.own_points, points, state->own_size},
      {&grown.old_own_points, points, state->own_size},
      FF_ARRAY(grown.old_memory, points * (size_t)model->memory_count),
      FF_ARRAY(grown.sums, (size_t)chunks),
      FF_ARRAY(grown.moves, state->pooled ? points / 4 + 1 : 0),
  };
  if (!ff_arena_take_all(&grown.room, arrays, sizeof arrays / sizeof *arrays)) {
    ff_arena_free(&grown.room);
    return FF_ERROR_MEMORY;
  }
  size_t used = (size_t)(state->y ? ff_state_used(model, state) : 0);
  state_carry(grown.y, state->y, used * sizeof(double));
  state_carry(grown.meets, state->meets, (size_t)state->meet_count * sizeof(ff_meet));
  state_carry(grown.nears, state->nears, (size_t)state->near_count * sizeof(ff_near));
  state_carry(grown.points, state->points, (size_t)state->point_count * sizeof(ff_point));
  state_carry(grown.own_points, state->own_points, (size_t)state->point_count * state->own_size);
  grown.move_count = 0;
  grown.active_count = -1;
  *state = grown;
  return FF_OK;
}

void ff_state_clear_points(ff_state *state, int first, int count) {
  size_t points = (size_t)count, size = state->own_size;
  memset(&state->points[first], 0, points * sizeof *state->points);
  if (size > 0) {
    memset((char *)state->own_points + (size_t)first * size, 0, points * size);
  }
}

void ff_state_swap_points(ff_state *state) {
  ff_point *points = state->points;
  void *own_points = state->own_points;
  state->points = state->old_points;
  state->own_points = state->old_own_points;
  state->old_points = points;
  state->old_own_points = own_points;
}

void ff_state_copy_old_points(ff_state *state, int to, int from, int count) {
  size_t points = (size_t)count, size = state->own_size;
  memcpy(&state->points[to], &state->old_points[from], points * sizeof(ff_point));
  if (size > 0) {
    memcpy((char *)state->own_points + (size_t)to * size,
           (char *)state->old_own_points + (size_t)from * size, points * size);
  }
}

/* Points without a sample. */
static void state_open_points(ff_state *state, int first, int count) {
  ff_state_clear_points(state, first, count);
  for (int i = first; i < first + count; i++) {
    state->points[i].patch.depth = -INFINITY;
  }
}

/* History variables of points go elsewhere; nothing stays behind. */
static void state_move_memory(const ff_model *model, ff_state *state, const ff_point_move *move) {
  size_t bytes = (size_t)move->count * (size_t)model->memory_count * sizeof(double);
  if (bytes > 0) {
    memcpy(ff_state_memory(model, state, move->to), ff_state_memory(model, state, move->from),
           bytes);
    memset(ff_state_memory(model, state, move->from), 0, bytes);
  }
}

bool ff_state_take_points(const ff_model *model, ff_state *state, ff_near *near, int wanted) {
  enum { AT_ONCE = 4 };
  if (wanted <= near->point_count) {
    return true;
  }
  int limit =
      ff_binding_points(&model->bindings[near->binding], model->shapes[near->shape_a].geom.kind,
                        model->shapes[near->shape_b].geom.kind);
  int count = (wanted + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
  count = count < limit ? count : limit;
  if (count > state->point_capacity - state->point_count - state->lacking) {
    state->lacking += count;
    return false;
  }
  const ff_point_move move = {near->first_point, state->point_count, near->point_count};
  size_t size = state->own_size, memory = (size_t)model->memory_count;
  state_open_points(state, move.to, count);
  memset(ff_state_memory(model, state, move.to), 0, (size_t)count * memory * sizeof(double));
  if (move.count > 0) {
    memcpy(&state->points[move.to], &state->points[move.from],
           (size_t)move.count * sizeof(ff_point));
    memcpy((char *)state->own_points + (size_t)move.to * size,
           (char *)state->own_points + (size_t)move.from * size, (size_t)move.count * size);
    state_move_memory(model, state, &move);
    state_open_points(state, move.from, move.count);
    state->moves[state->move_count++] = move;
  }
  near->first_point = move.to;
  near->point_count = count;
  state->point_count += count;
  return true;
}

void ff_state_repeat_moves(const ff_model *model, ff_state *state) {
  for (int i = 0; i < state->move_count; i++) {
    state_move_memory(model, state, &state->moves[i]);
  }
}

/* Before anything is listed. */
static ff_list_size state_first_size(const ff_model *model) {
  enum { FEW = 8 };
  int limit = model->run.contact_capacity;
  return (ff_list_size){FEW, FEW, limit > 0 && limit < FEW ? limit : FEW};
}

ff_status ff_state_make(ff_state *out, const ff_model *model, size_t own_size, bool pooled,
                        ff_arena *arena) {
  *out = (ff_state){.own_size = own_size, .pooled = pooled};
  if (FF_Y_BODY * (double)model->free_count + model->robot_size + FF_Y_LEDGER > INT_MAX) {
    return FF_ERROR_MEMORY;
  }
  out->ledger_at = FF_Y_BODY * model->free_count + model->robot_size;
  out->memory_at = out->ledger_at + FF_Y_LEDGER;
  size_t bodies = (size_t)model->body_count, drives = (size_t)model->drive_count;
  size_t shapes = model->free_pairs_touch ? (size_t)model->shape_count : 0;
  size_t planes = 0;
  for (int s = 0; s < model->shape_count; s++) {
    planes += model->shapes[s].geom.kind == FF_HALF_SPACE;
  }
  size_t sleepers = ff_model_sleeps(model) ? (size_t)model->free_count : 0;
  bool crowd = ff_model_is_crowd(model) || ff_model_is_ground_crowd(model);
  size_t constraints = (size_t)model->constraint_count, rows = (size_t)model->cluster_rows;
  const ff_arena_array arrays[] = {
      FF_ARRAY(out->bodies, bodies),
      FF_ARRAY(out->wrenches, bodies),
      FF_ARRAY(out->applied, bodies),
      FF_ARRAY(out->drive_force, drives),
      FF_ARRAY(out->drive_phase, drives),
      FF_ARRAY(out->drive_start, drives),
      FF_ARRAY(out->constraints, constraints),
      FF_ARRAY(out->constraint_rows, constraints),
      FF_ARRAY(out->constraint_matrix, rows * rows),
      FF_ARRAY(out->constraint_x, 3 * rows),
      FF_ARRAY(out->constraint_pivots, 2 * rows),
      FF_ARRAY(out->edges, FF_EDGES_MAX),
      FF_ARRAY(out->listed_at, bodies),
      FF_ARRAY(out->reach, bodies),
      FF_ARRAY(out->way, bodies),
      FF_ARRAY(out->wish, bodies),
      FF_ARRAY(out->wish_way, bodies),
      FF_ARRAY(out->sway, bodies),
      FF_ARRAY(out->crowd, crowd ? bodies : 0),
      FF_ARRAY(out->sleep.still, sleepers > 0 ? bodies : 0),
      FF_ARRAY(out->sleep.rest, sleepers),
      FF_ARRAY(out->sleep.group, sleepers),
      FF_ARRAY(out->sleep.borne, sleepers),
      FF_ARRAY(out->sleep.kept, sleepers),
      FF_ARRAY(out->floor_bodies, bodies),
      FF_ARRAY(out->planes, planes),
      FF_ARRAY(out->guided_bodies, bodies),
      FF_ARRAY(out->finite, shapes),
      FF_ARRAY(out->boxes, shapes),
      FF_ARRAY(out->groups, shapes),
  };
  if (!ff_arena_take_all(arena, arrays, sizeof arrays / sizeof *arrays)) {
    return FF_ERROR_MEMORY;
  }
  out->crowd = crowd ? out->crowd : NULL;
  out->sleep.still = sleepers > 0 ? out->sleep.still : NULL;
  state_note_bodies(out, model);
  ff_status status = state_make_robots(out, model, arena);
  status = status == FF_OK ? state_make_broad(out, model) : status;
  return status == FF_OK ? ff_state_grow(out, model, state_first_size(model)) : status;
}

void ff_state_free(ff_state *state) {
  for (int i = 0; i < state->robot_count; i++) {
    ff_tree_work_destroy(&state->robots[i].work);
  }
  state->robot_count = 0;
  ff_broad_destroy(state->broad);
  state->broad = NULL;
  ff_arena_free(&state->room);
}

static void state_stay_awake(ff_state *state, const ff_model *model, int body) {
  int slot = model->bodies[body].slot;
  if (slot >= 0) {
    state->sleep.rest[slot] = -INFINITY;
  }
}

void ff_state_wake(ff_state *state, const ff_model *model) {
  ff_sleep *sleep = &state->sleep;
  for (int slot = 0; sleep->still && slot < model->free_count; slot++) {
    sleep->still[model->free_bodies[slot]] = false;
    sleep->rest[slot] = isfinite(sleep->rest[slot]) ? 0 : sleep->rest[slot];
  }
  sleep->count = 0;
}

/* All are awake; what is driven by more than contacts and gravity stays so. */
static void reset_sleep(ff_state *state, const ff_model *model) {
  double *rest = state->sleep.rest;
  if (!state->sleep.still) {
    return;
  }
  memset(rest, 0, (size_t)model->free_count * sizeof *rest);
  memset(state->sleep.group, 0, (size_t)model->free_count * sizeof *state->sleep.group);
  for (int i = 0; i < model->force_count + model->drive_count; i++) {
    bool force = i < model->force_count;
    state_stay_awake(state, model,
                     force ? model->forces[i].body : model->drives[i - model->force_count].body);
  }
  for (int i = 0; i < model->guide_count; i++) {
    state_stay_awake(state, model, model->guides[i].body);
  }
  for (int i = 0; i < model->constraint_count; i++) {
    state_stay_awake(state, model, model->constraints[i].a);
    state_stay_awake(state, model, model->constraints[i].b);
  }
  ff_state_wake(state, model);
}

void ff_state_reset(ff_state *state, const ff_model *model) {
  memset(state->y, 0, (size_t)state->size * sizeof *state->y);
  state->t = 0;
  state->meet_count = state->floor_meets = state->near_count = state->point_count = 0;
  state->listed = false;
  state->active_count = -1;
  state->lacking = state->move_count = 0;
  state->evaluations = 0;
  state->applied_count = 0;
  reset_sleep(state, model);
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
    if (robot->track) {
      ff_keep_block(keep, "robot.base", &own->work->base, 1, sizeof own->work->base);
      ff_keep_numbers(keep, "robot.placed_at", &own->placed_t, 1);
    }
  }
}

static void state_keep_sleep(ff_state *state, const ff_model *model, ff_keep *keep) {
  ff_sleep *sleep = &state->sleep;
  if (sleep->still) {
    ff_keep_block(keep, "sleep.still", sleep->still, model->body_count, sizeof *sleep->still);
    ff_keep_numbers(keep, "sleep.rest", sleep->rest, model->free_count);
    ff_keep_ints(keep, "sleep.group", sleep->group, model->free_count);
    ff_keep_count(keep, "sleep.count", &sleep->count, model->free_count);
  }
}

void ff_state_keep_size(ff_list_size *size, ff_keep *keep) {
  ff_keep_count(keep, "contact.body_pairs", &size->meets, INT_MAX);
  ff_keep_count(keep, "contact.shape_pairs", &size->nears, INT_MAX);
  ff_keep_count(keep, "contact.points", &size->points, INT_MAX);
}

static void state_keep_pairs(ff_state *state, ff_keep *keep) {
  ff_keep_count(keep, "contact.floor_pairs", &state->floor_meets, state->meet_count);
  if (keep->bad) {
    return;
  }
  ff_keep_block(keep, "contact.body_pair", state->meets, state->meet_count, sizeof *state->meets);
  ff_keep_block(keep, "contact.shape_pair", state->nears, state->near_count, sizeof *state->nears);
  ff_keep_block(keep, "contact.point", state->points, state->point_count, sizeof *state->points);
  if (state->own_size > 0) {
    ff_keep_block(keep, "contact.own_point", state->own_points, state->point_count,
                  state->own_size);
  }
  for (int i = 0; i < state->point_count && keep->mode == FF_KEEP_LOAD; i++) {
    ff_patch *patch = &state->points[i].patch;
    patch->edges = patch->edges ? state->edges : NULL;
  }
}

void ff_state_keep(ff_state *state, const ff_model *model, ff_keep *keep) {
  ff_list_size size = {state->meet_count, state->near_count, state->point_count};
  ff_state_keep_size(&size, keep);
  if (size.meets > state->meet_capacity || size.nears > state->near_capacity ||
      size.points > state->point_capacity) {
    keep->bad = true;
    return;
  }
  state->meet_count = size.meets;
  state->near_count = size.nears;
  state->point_count = size.points;
  state->lacking = state->move_count = 0;
  state->active_count = -1;
  ff_keep_numbers(keep, "time", &state->t, 1);
  ff_keep_numbers(keep, "y", state->y, ff_state_used(model, state));
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
  ff_keep_block(keep, "way", state->way, model->body_count, sizeof *state->way);
  ff_keep_numbers(keep, "next_skin", state->wish, model->body_count);
  ff_keep_block(keep, "next_way", state->wish_way, model->body_count, sizeof *state->wish_way);
  ff_keep_block(keep, "listed", &state->listed, 1, sizeof state->listed);
  ff_keep_numbers(keep, "contact.stiffness", &state->stiffness, 1);
  ff_keep_numbers(keep, "contact.damping", &state->damping, 1);
  ff_keep_block(keep, "evaluations", &state->evaluations, 1, sizeof state->evaluations);
  state_keep_sleep(state, model, keep);
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
