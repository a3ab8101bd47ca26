#include "step/sides.h"

#include "base/memory.h"
#include "math/vec.h"

#include <string.h>

typedef struct twist {
  ff_vec3 velocity, omega;
} twist;

/* A robot's part: its velocity, and H as factored at most once a step. */
typedef struct mover {
  double *velocity; /* v_count, and zeros up to the largest of all robots */
  double *factor;   /* v_count x v_count */
  bool factored;
} mover;

struct ff_sides {
  double half;     /* s */
  twist *bodies;   /* body_count */
  mover *robots;   /* robot_count */
  double *numbers; /* of the movers */
  double *pool;    /* rows of sides */
  double *whole;   /* 6 x the largest v_count */
  int side_size, used, most;
};

/* ---- life ------------------------------------------------------------------------------ */

ff_status ff_sides_create(ff_sides **out, const ff_model *model, const ff_state *state) {
  ff_sides *sides = *out = ff_alloc(1, sizeof *sides);
  if (!sides) {
    return FF_ERROR_MEMORY;
  }
  size_t numbers = 0, widest = 0;
  for (int r = 0; r < model->robot_count; r++) {
    size_t n = (size_t)model->robots[r].v_count;
    numbers += n * n;
    widest = n > widest ? n : widest;
  }
  numbers += widest * (size_t)model->robot_count;
  sides->side_size = 6 * (int)widest;
  sides->most = widest > 0 ? 2 * state->point_capacity : 0;
  sides->bodies = ff_alloc((size_t)model->body_count, sizeof *sides->bodies);
  sides->robots = ff_alloc((size_t)model->robot_count + 1, sizeof *sides->robots);
  sides->numbers = ff_alloc(numbers + 1, sizeof *sides->numbers);
  sides->pool = ff_alloc((size_t)sides->most * 6 * widest + 1, sizeof *sides->pool);
  sides->whole = ff_alloc(6 * widest + 1, sizeof *sides->whole);
  if (!sides->bodies || !sides->robots || !sides->numbers || !sides->pool || !sides->whole) {
    ff_sides_destroy(sides);
    *out = NULL;
    return FF_ERROR_MEMORY;
  }
  double *at = sides->numbers;
  for (int r = 0; r < model->robot_count; r++) {
    size_t n = (size_t)model->robots[r].v_count;
    sides->robots[r] = (mover){.velocity = at, .factor = at + widest};
    at += widest + n * n;
  }
  return FF_OK;
}

void ff_sides_destroy(ff_sides *sides) {
  if (sides) {
    ff_free(sides->bodies);
    ff_free(sides->robots);
    ff_free(sides->numbers);
    ff_free(sides->pool);
    ff_free(sides->whole);
    ff_free(sides);
  }
}

/* ---- velocities ------------------------------------------------------------------------ */

/* I^-1 v in the world. */
static inline ff_vec3 spin_from(const ff_model_body *body, ff_quat q, ff_vec3 v) {
  return body->round ? v3_scale(body->inv_inertia.x, v)
                     : q_rotate(q, v3_mul(body->inv_inertia, q_unrotate(q, v)));
}

void ff_sides_start(ff_sides *sides, const ff_model *model, const ff_state *state, double half) {
  sides->half = half;
  sides->used = 0;
  for (int i = 0; i < model->body_count; i++) {
    const ff_body_motion *motion = &state->bodies[i];
    const ff_model_body *body = &model->bodies[i];
    twist *middle = &sides->bodies[i];
    *middle = (twist){motion->velocity, motion->omega};
    if (body->slot >= 0) {
      const ff_wrench *wrench = &state->wrenches[i];
      ff_vec3 spin = spin_from(body, motion->pose.orientation, wrench->torque);
      ff_vec3 a = v3_axpy(model->run.gravity, body->inv_mass, wrench->force);
      middle->velocity = v3_axpy(middle->velocity, half, a);
      middle->omega = v3_axpy(middle->omega, half, spin);
    }
  }
  for (int r = 0; r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    const double *v = state->y + robot->v_at, *a = state->robots[r].a;
    sides->robots[r].factored = false;
    for (int i = 0; i < robot->v_count; i++) {
      sides->robots[r].velocity[i] = v[i] + half * a[i];
    }
  }
}

ff_body_motion ff_sides_body(const ff_sides *sides, int body) {
  return (ff_body_motion){.velocity = sides->bodies[body].velocity,
                          .omega = sides->bodies[body].omega};
}

void ff_sides_velocity(const ff_sides *sides, const ff_side *side, const ff_vec3 dirs[3],
                       double out[3]) {
  if (side->still) {
    return;
  }
  if (side->robot < 0) {
    const twist *at = &sides->bodies[side->body];
    ff_vec3 v = v3_add(at->velocity, v3_cross(at->omega, side->arm));
    for (int d = 0; d < 3; d++) {
      out[d] += side->sign * v3_dot(dirs[d], v);
    }
    return;
  }
  const double *v = sides->robots[side->robot].velocity;
  int n = sides->side_size / 6;
  for (int d = 0; d < 3; d++) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
      sum += side->row[d * n + i] * v[i];
    }
    out[d] += side->sign * sum;
  }
}

void ff_sides_push(ff_sides *sides, const ff_model *model, const ff_side *side,
                   const ff_vec3 dirs[3], const double f[3]) {
  if (!side->moved) {
    return;
  }
  double h = sides->half;
  if (side->robot < 0) {
    twist *at = &sides->bodies[side->body];
    ff_vec3 force = v3_axpy(v3_axpy(v3_scale(f[0], dirs[0]), f[1], dirs[1]), f[2], dirs[2]);
    const ff_vec3 *spin = side->spin;
    ff_vec3 turn = v3_axpy(v3_axpy(v3_scale(f[0], spin[0]), f[1], spin[1]), f[2], spin[2]);
    double push = side->sign * h * model->bodies[side->body].inv_mass;
    at->velocity = v3_axpy(at->velocity, push, force);
    at->omega = v3_axpy(at->omega, h, turn);
    return;
  }
  double *v = sides->robots[side->robot].velocity;
  int n = sides->side_size / 6;
  for (int d = 0; d < 3; d++) {
    double push = side->sign * h * f[d];
    for (int i = 0; i < n; i++) {
      v[i] += push * side->moves[d * n + i];
    }
  }
}

/* ---- sides ----------------------------------------------------------------------------- */

static void free_side(ff_side *side, const ff_model_body *body, ff_quat q, const ff_vec3 dirs[3]) {
  ff_vec3 lever[3];
  for (int d = 0; d < 3; d++) {
    lever[d] = v3_cross(side->arm, dirs[d]);
    side->spin[d] = spin_from(body, q, lever[d]);
  }
  for (int d = 0; d < 3; d++) {
    side->w[d][d] = body->inv_mass + v3_dot(lever[d], side->spin[d]);
  }
  side->w[0][1] = side->w[1][0] = v3_dot(lever[0], side->spin[1]);
  side->w[0][2] = side->w[2][0] = v3_dot(lever[0], side->spin[2]);
  side->w[1][2] = side->w[2][1] = v3_dot(lever[1], side->spin[2]);
  for (int d = 0; d < 3; d++) {
    side->spin[d] = v3_scale(side->sign, side->spin[d]);
  }
}

/* H with what drives and joints add to it in this step. False if it is not positive. */
static bool factor(mover *part, const ff_model_robot *robot, ff_tree_work *work) {
  if (!part->factored) {
    size_t n = (size_t)robot->v_count;
    ff_tree_inertia(work, part->factor);
    const double *added = ff_tree_added_inertia(work);
    for (size_t i = 0; i < n; i++) {
      part->factor[i * n + i] += added[i];
    }
    part->factored = ff_tree_factor(robot->tree, part->factor);
  }
  return part->factored;
}

static void link_side(ff_sides *sides, ff_side *side, const ff_model *model, const ff_state *state,
                      ff_vec3 point, const ff_vec3 dirs[3]) {
  const ff_model_robot *robot = &model->robots[side->robot];
  mover *part = &sides->robots[side->robot];
  ff_tree_work *work = state->robots[side->robot].work;
  int n = robot->v_count, room = sides->side_size / 6;
  double *row = sides->pool + (size_t)sides->used++ * (size_t)sides->side_size;
  double *moves = row + 3 * room;
  memset(row, 0, (size_t)sides->side_size * sizeof *row);
  memset(side->w, 0, sizeof side->w);
  side->row = row;
  side->moves = moves;
  if (!factor(part, robot, work)) { /* the step will fail for the same reason */
    return;
  }
  ff_tree_jacobian(work, model->bodies[side->body].link, point, sides->whole);
  const double *linear = sides->whole + 3 * n;
  for (int d = 0; d < 3; d++) {
    for (int i = 0; i < n; i++) {
      row[d * room + i] =
          dirs[d].x * linear[i] + dirs[d].y * linear[n + i] + dirs[d].z * linear[2 * n + i];
    }
    memcpy(moves + d * room, row + d * room, (size_t)n * sizeof *row);
    ff_tree_solve(robot->tree, part->factor, moves + d * room);
  }
  for (int d = 0; d < 3; d++) {
    for (int e = 0; e <= d; e++) {
      double sum = 0;
      for (int i = 0; i < n; i++) {
        sum += row[d * room + i] * moves[e * room + i];
      }
      side->w[d][e] = side->w[e][d] = sum;
    }
  }
}

void ff_sides_side(ff_side *out, ff_sides *sides, const ff_model *model, const ff_state *state,
                   int body, double sign, ff_vec3 point, const ff_vec3 dirs[3]) {
  const ff_model_body *b = &model->bodies[body];
  out->body = body;
  out->robot = b->robot;
  out->sign = sign;
  out->arm = v3_sub(point, state->bodies[body].pose.position);
  out->still = b->kind == FF_BODY_FIXED;
  out->moved = b->robot >= 0 || b->slot >= 0;
  if (out->robot >= 0) {
    link_side(sides, out, model, state, point, dirs);
  } else if (b->slot >= 0) {
    free_side(out, b, state->bodies[body].pose.orientation, dirs);
  } else {
    memset(out->w, 0, sizeof out->w);
  }
}
