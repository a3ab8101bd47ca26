/* Contact Jacobian: rows of contact points, and the movers that take part. */
#include "step/rows.h"

#include "math/vec.h"
#include "tree/tree.h"

#include <string.h>

/* ---- workspace ------------------------------------------------------------------------------- */

static int widest_robot(const ff_model *model) {
  int widest = 0;
  for (int r = 0; r < model->robot_count; r++) {
    int n = model->robots[r].v_count;
    widest = n > widest ? n : widest;
  }
  return widest;
}

ff_status ff_rows_make(ff_rows *out, const ff_model *model, ff_arena *arena,
                       ff_rows_limits limits) {
  size_t n = (size_t)limits.size, movers = (size_t)ff_mover_count(model);
  size_t widest = (size_t)widest_robot(model);
  size_t bodies = model->robot_count > 0 ? (size_t)model->body_count : 0; /* only links have them */
  *out = (ff_rows){.limits = limits};
  const ff_arena_array arrays[] = {
      FF_ARRAY(out->parent, n),
      FF_ARRAY(out->depth, n),
      FF_ARRAY(out->first, movers),
      FF_ARRAY(out->home, movers),
      FF_ARRAY(out->blocks, movers),
      FF_ARRAY(out->sides, (size_t)limits.contacts),
      FF_ARRAY(out->mounts, (size_t)limits.contacts),
      FF_ARRAY(out->links, bodies),
      FF_ARRAY(out->link_of, bodies),
      FF_ARRAY(out->factor, limits.matrices),
      FF_ARRAY(out->reached, limits.numbers),
      FF_ARRAY(out->inertia, limits.stiffens ? limits.matrices : 0),
      FF_ARRAY(out->jacobian, limits.stiffens ? limits.numbers : 0),
      FF_ARRAY(out->scratch, widest * widest),
      FF_ARRAY(out->columns, widest),
      FF_ARRAY(out->turns, widest),
  };
  bool room = ff_arena_take_all(arena, arrays, sizeof arrays / sizeof *arrays);
  out->inertia = limits.stiffens ? out->inertia : out->factor;
  out->jacobian = limits.stiffens ? out->jacobian : out->reached;
  return room ? FF_OK : FF_ERROR_MEMORY;
}

/* Longest way from a coordinate to the root. */
static int deepest(const ff_model *model) {
  int most = 6;
  for (int r = 0; r < model->robot_count; r++) {
    const int *parent = model->robots[r].tree->dof_parent;
    for (int i = 0; i < model->robots[r].v_count; i++) {
      int length = 0;
      for (int k = i; k >= 0; k = parent[k]) {
        length++;
      }
      most = length > most ? length : most;
    }
  }
  return most;
}

ff_rows_limits ff_rows_limits_of(const ff_model *model, const ff_state *state) {
  ff_rows_limits out = {.contacts = state->point_capacity};
  for (int mover = 0; mover < ff_mover_count(model); mover++) {
    size_t n = (size_t)ff_mover_size(model, mover);
    out.size += (int)n;
    out.matrices += mover < model->free_count ? n : n * n;
  }
  size_t links = 0;
  for (int r = 0; r < model->robot_count; r++) {
    links += (size_t)model->robots[r].link_count;
  }
  out.numbers = ((size_t)out.contacts * 2 * 3 + links * 6) * (size_t)deepest(model);
  return out;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Moment of a unit force along row k about the end of an arm to the point. */
static ff_vec3 row_moment(const ff_row_axes *at, ff_vec3 arm, int k) {
  ff_vec3 turn = v3_cross(arm, at->axes[k]);
  return k == 0 && at->has_lever ? v3_add(turn, at->lever) : turn;
}

/* Adds with a sign what a body's point does along the axes, to three rows of a block. */
static void add_body(const ff_model_body *body, const ff_pose *pose, double sign,
                     const ff_row_axes *at, double *to, int stride) {
  ff_vec3 arm = v3_sub(at->point, pose->position);
  for (int k = 0; k < 3; k++, to += stride) {
    ff_vec3 turn = row_moment(at, arm, k);
    turn = body->round ? turn : q_unrotate(pose->orientation, turn);
    v3_store(to, v3_axpy(v3_load(to), sign, turn));
    v3_store(to + 3, v3_axpy(v3_load(to + 3), sign, at->axes[k]));
  }
}

/* Of a body that nothing stiffens: three rows as its inertia makes them, L^-T of them at once. */
static bool reach_body(ff_rows *rows, const ff_model_body *body, const ff_pose *pose, int index,
                       double sign, const ff_row_axes *at, ff_row_side *side) {
  const double *factor = rows->blocks[index].factor;
  *side = (ff_row_side){index, 5, 6, rows->numbers_used};
  rows->numbers_used += 18;
  if (rows->numbers_used > rows->limits.numbers) {
    return false;
  }
  double *to = rows->reached + side->at, ease = sign * factor[3];
  ff_vec3 arm = v3_sub(at->point, pose->position), turning = v3_scale(sign, v3_load(factor));
  for (int k = 0; k < 3; k++, to += 6) {
    ff_vec3 turn = row_moment(at, arm, k);
    turn = body->round ? turn : q_unrotate(pose->orientation, turn);
    v3_store(to, v3_mul(turning, turn));
    v3_store(to + 3, v3_scale(ease, at->axes[k]));
  }
  return true;
}

/* The last coordinate in its block that a body depends on, -1: none, and of a link the columns of a
 * point up to there. */
static int find_row_tip(const ff_rows *rows, const ff_model *model, const ff_state *state,
                        int mover, int body, ff_vec3 point) {
  int at = rows->first[mover] - rows->blocks[rows->home[mover]].first;
  if (mover < model->free_count) {
    return at + 5;
  }
  const ff_model_body *link = &model->bodies[body];
  int tip = ff_tree_point_columns(state->robots[link->robot].work, link->link, point, rows->columns,
                                  rows->turns);
  return tip < 0 ? -1 : at + tip;
}

/* Three rows of columns along axes, added with a sign from a coordinate of a robot on. */
static void add_columns(const ff_rows *rows, const ff_model *model, int robot, const ff_vec3 *from,
                        double sign, const ff_vec3 axes[3], int tip, const ff_row_side *side) {
  int first = rows->first[model->free_count + robot], n = side->length;
  int at = first - rows->blocks[side->block].first;
  const int *parent = model->robots[robot].tree->dof_parent;
  for (int i = tip - at; i >= 0; i = parent[i]) {
    double *entry = rows->jacobian + side->at + rows->depth[first + i];
    for (int k = 0; k < 3; k++) {
      entry[k * n] += sign * v3_dot(axes[k], from[i]);
    }
  }
}

/* Room for three rows up to a coordinate of a block. */
static bool open_side(ff_rows *rows, ff_row_side *side, int block, int tip) {
  const ff_row_block *of = &rows->blocks[block];
  *side = (ff_row_side){block, tip, rows->depth[of->first + tip] + 1, rows->numbers_used};
  size_t numbers = 3 * (size_t)side->length;
  if (rows->numbers_used + numbers > rows->limits.numbers) {
    return false;
  }
  memset(rows->jacobian + side->at, 0, numbers * sizeof(double));
  rows->numbers_used += numbers;
  return true;
}

/* The six rows of a link. Returns its number, one more than its place; 0: no room; -1: none. */
static int find_row_link(ff_rows *rows, const ff_model *model, const ff_state *state, int mover,
                         int body) {
  static const ff_vec3 world[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (rows->link_of[body] > 0) {
    return rows->link_of[body];
  }
  ff_row_link *link = &rows->links[rows->link_count];
  int block = rows->home[mover], robot = model->bodies[body].robot;
  *link = (ff_row_link){.body = body, .place = state->bodies[body].pose.position};
  int tip = find_row_tip(rows, model, state, mover, body, link->place);
  if (tip < 0) {
    return -1;
  }
  for (int k = 0; k < 2; k++) {
    if (!open_side(rows, &link->rows[k], block, tip)) {
      return 0;
    }
    add_columns(rows, model, robot, k == 0 ? rows->columns : rows->turns, 1, world, tip,
                &link->rows[k]);
  }
  return rows->link_of[body] = ++rows->link_count;
}

/* Rows of a link's point from those of the link. */
static bool mount(ff_rows *rows, const ff_model *model, const ff_state *state, int body,
                  double sign, const ff_row_axes *at, ff_row_side *side, ff_row_mount *to) {
  int number = find_row_link(rows, model, state, ff_mover_of(model, body), body);
  if (number <= 0) {
    return number < 0;
  }
  const ff_row_link *link = &rows->links[number - 1];
  to->link = number - 1;
  for (int k = 0; k < 3; k++) {
    to->along[k] = v3_scale(sign, at->axes[k]);
    to->turn[k] = v3_cross(v3_sub(at->point, link->place), to->along[k]);
  }
  if (at->has_lever) {
    to->turn[0] = v3_axpy(to->turn[0], sign, at->lever);
  }
  *side = link->rows[0];
  side->at = rows->numbers_used;
  rows->numbers_used += 3 * (size_t)side->length;
  return rows->numbers_used <= rows->limits.numbers;
}

/* Three rows of their own, or added to those of the contact's other side in the same block. */
static bool add_row_side(ff_rows *rows, const ff_model *model, const ff_state *state, int body,
                         double sign, const ff_row_axes *at, ff_row_side *side) {
  int mover = ff_mover_of(model, body), block = rows->home[mover];
  if (rows->blocks[block].diagonal) {
    return reach_body(rows, &model->bodies[body], &state->bodies[body].pose, block, sign, at, side);
  }
  int tip = find_row_tip(rows, model, state, mover, body, at->point);
  if (tip < 0) {
    return true;
  }
  int end = rows->tied ? rows->blocks[block].size - 1 : tip;
  if (side->block < 0 && !open_side(rows, side, block, end)) {
    return false;
  }
  if (mover < model->free_count) {
    add_body(&model->bodies[body], &state->bodies[body].pose, sign, at,
             rows->jacobian + side->at + rows->depth[rows->first[mover]], side->length);
  } else {
    const ff_vec3 lever[3] = {at->lever};
    int robot = model->bodies[body].robot;
    add_columns(rows, model, robot, rows->columns, sign, at->axes, tip, side);
    if (at->has_lever) {
      add_columns(rows, model, robot, rows->turns, sign, lever, tip, side);
    }
  }
  return true;
}

int ff_rows_add(ff_rows *rows, const ff_model *model, const ff_state *state, int a, int b,
                const ff_row_axes *at) {
  int row = rows->count, contact = row / 3;
  if (contact >= rows->limits.contacts) {
    return -1;
  }
  ff_row_side *sides = rows->sides[contact];
  ff_row_mount *mounts = rows->mounts[contact];
  sides[0].block = sides[1].block = mounts[0].link = mounts[1].link = -1;
  const int bodies[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    int mover = ff_mover_of(model, bodies[k]);
    if (mover < 0) {
      continue;
    }
    if (rows->first[mover] < 0 && !ff_rows_join(rows, model, state, mover)) {
      return -1;
    }
    double sign = k == 0 ? 1 : -1;
    ff_row_side *side = &sides[rows->tied ? 0 : k];
    bool mounted = mover >= model->free_count && !rows->limits.stiffens;
    if (!(mounted ? mount(rows, model, state, bodies[k], sign, at, side, &mounts[k])
                  : add_row_side(rows, model, state, bodies[k], sign, at, side))) {
      return -1;
    }
  }
  rows->count += 3;
  return row;
}
