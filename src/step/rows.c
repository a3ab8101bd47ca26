#include "step/rows.h"

#include "math/pairs.h"
#include "math/vec.h"
#include "tree/tree.h"

#include <string.h>

/* ---- life ------------------------------------------------------------------------------- */

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
  size_t widest = (size_t)widest_robot(model), bodies = (size_t)model->body_count;
  *out = (ff_rows){.limits = limits};
  out->parent = ff_arena_take(arena, n, sizeof *out->parent);
  out->depth = ff_arena_take(arena, n, sizeof *out->depth);
  out->first = ff_arena_take(arena, movers, sizeof *out->first);
  out->home = ff_arena_take(arena, movers, sizeof *out->home);
  out->blocks = ff_arena_take(arena, movers, sizeof *out->blocks);
  out->sides = ff_arena_take(arena, (size_t)limits.contacts, sizeof *out->sides);
  out->mounts = ff_arena_take(arena, (size_t)limits.contacts, sizeof *out->mounts);
  out->links = ff_arena_take(arena, bodies, sizeof *out->links);
  out->link_of = ff_arena_take(arena, bodies, sizeof *out->link_of);
  out->factor = ff_arena_take(arena, limits.matrices, sizeof *out->factor);
  out->reached = ff_arena_take(arena, limits.numbers, sizeof *out->reached);
  out->inertia =
      limits.stiffens ? ff_arena_take(arena, limits.matrices, sizeof(double)) : out->factor;
  out->jacobian =
      limits.stiffens ? ff_arena_take(arena, limits.numbers, sizeof(double)) : out->reached;
  out->scratch = ff_arena_take(arena, widest * widest, sizeof *out->scratch);
  out->columns = ff_arena_take(arena, widest, sizeof *out->columns);
  out->turns = ff_arena_take(arena, widest, sizeof *out->turns);
  bool room = out->parent && out->depth && out->first && out->home && out->blocks && out->sides &&
              out->factor && out->reached && out->inertia && out->jacobian && out->scratch &&
              out->mounts && out->links && out->link_of && out->columns && out->turns;
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

/* ---- inertia ------------------------------------------------------------------------------ */

/* Six coordinates: moments of inertia in principal axes, then the mass. A diagonal is at once that
 * of L^-1. */
static void place_body(const ff_row_block *block, const ff_model_body *body, int at) {
  if (block->diagonal) {
    double mass = sqrt(body->inv_mass), x = sqrt(body->inv_inertia.x);
    ff_vec3 inertia =
        body->round ? v3(x, x, x) : v3(x, sqrt(body->inv_inertia.y), sqrt(body->inv_inertia.z));
    v3_store(block->factor, inertia);
    v3_store(block->factor + 3, v3(mass, mass, mass));
    return;
  }
  const double inertia[6] = {body->inertia.x, body->inertia.y, body->inertia.z,
                             body->mass,      body->mass,      body->mass};
  size_t n = (size_t)block->size;
  for (size_t i = 0; i < 6; i++) {
    block->inertia[((size_t)at + i) * (n + 1)] = inertia[i];
  }
}

static void place_robot(const ff_rows *rows, const ff_row_block *block, ff_tree_work *work,
                        int v_count, int at) {
  const double *added = ff_tree_added_inertia(work);
  size_t n = (size_t)block->size, m = (size_t)v_count;
  bool alone = block->size == v_count;
  double *from = alone ? block->inertia : rows->scratch;
  ff_tree_inertia_below(work, from);
  for (size_t i = 0; i < m; i++) {
    from[i * m + i] += added[i];
    if (!alone) {
      memcpy(block->inertia + (i + (size_t)at) * n + at, from + i * m, m * sizeof *from);
    }
  }
}

/* Branches as the trees have them; a free body is one, of six coordinates. */
static void find_parents(const ff_rows *rows, const ff_model *model, int mover, int at) {
  int size = ff_mover_size(model, mover), base = rows->first[mover] - at;
  const int *tree =
      mover < model->free_count ? NULL : model->robots[mover - model->free_count].tree->dof_parent;
  int *parents = rows->parent + base, *depth = rows->depth + base;
  for (int i = at; i < at + size; i++) {
    int parent = tree ? tree[i - at] : i - at - 1;
    parents[i] = rows->tied ? i - 1 : parent < 0 ? -1 : at + parent;
    depth[i] = parents[i] < 0 ? 0 : depth[parents[i]] + 1;
  }
}

/* The mover's place in the block. */
static void place(ff_rows *rows, const ff_model *model, const ff_state *state, int mover,
                  int block_index, int at) {
  const ff_row_block *block = &rows->blocks[block_index];
  int r = mover - model->free_count;
  rows->home[mover] = block_index;
  rows->first[mover] = block->first + at;
  if (!block->diagonal) { /* else nobody goes from coordinate to coordinate */
    find_parents(rows, model, mover, at);
  }
  if (r < 0) {
    place_body(block, &model->bodies[model->free_bodies[mover]], at);
  } else {
    place_robot(rows, block, state->robots[r].work, model->robots[r].v_count, at);
  }
}

/* A block of so many coordinates, its inertia 0. Returns its number; -1: no room. */
static int open_block(ff_rows *rows, int mover, int size, bool diagonal) {
  size_t n = (size_t)size, numbers = diagonal ? n : n * n;
  if (rows->size + size > rows->limits.size ||
      rows->matrices_used + numbers > rows->limits.matrices) {
    return -1;
  }
  ff_row_block *block = &rows->blocks[rows->block_count];
  *block = (ff_row_block){.mover = mover,
                          .first = rows->size,
                          .size = size,
                          .diagonal = diagonal,
                          .inertia = rows->inertia + rows->matrices_used,
                          .factor = rows->factor + rows->matrices_used};
  rows->size += size;
  rows->matrices_used += numbers;
  return rows->block_count++;
}

static void close_block(ff_rows *rows, int index) {
  ff_row_block *block = &rows->blocks[index];
  block->chain =
      block->diagonal ? block->size : ff_branch_chain(rows->parent + block->first, block->size);
}

/* A mover becomes a block of its own. */
static bool join(ff_rows *rows, const ff_model *model, const ff_state *state, int mover) {
  bool body = mover < model->free_count;
  int index = open_block(rows, mover, ff_mover_size(model, mover), body && !rows->limits.stiffens);
  if (index < 0) {
    return false;
  }
  if (body && rows->limits.stiffens) { /* a robot fills all of it */
    memset(rows->blocks[index].inertia, 0, 36 * sizeof(double));
  }
  place(rows, model, state, mover, index, 0);
  close_block(rows, index);
  return true;
}

bool ff_rows_begin(ff_rows *rows, const ff_model *model, const ff_state *state, const int *movers,
                   int count, bool tied) {
  rows->size = rows->count = rows->block_count = 0;
  rows->matrices_used = rows->numbers_used = 0;
  rows->tied = tied;
  for (int i = 0; i < rows->link_count; i++) {
    rows->link_of[rows->links[i].body] = 0;
  }
  rows->link_count = 0;
  memset(rows->first, -1, (size_t)ff_mover_count(model) * sizeof *rows->first);
  if (!tied) {
    bool room = true;
    for (int k = 0; k < count && room; k++) {
      room = join(rows, model, state, movers[k]);
    }
    return room;
  }
  int size = 0;
  for (int k = 0; k < count; k++) {
    size += ff_mover_size(model, movers[k]);
  }
  int index = open_block(rows, movers[0], size, false);
  if (index < 0) {
    return false;
  }
  memset(rows->blocks[index].inertia, 0, (size_t)size * (size_t)size * sizeof(double));
  for (int k = 0, at = 0; k < count; at += ff_mover_size(model, movers[k++])) {
    place(rows, model, state, movers[k], index, at);
  }
  close_block(rows, index);
  return true;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Adds with a sign what a body's point does along the axes, to three rows of a block. */
static void add_body(const ff_model_body *body, const ff_pose *pose, double sign, ff_vec3 point,
                     const ff_vec3 axes[3], double *to, int stride) {
  ff_vec3 arm = v3_sub(point, pose->position);
  for (int k = 0; k < 3; k++, to += stride) {
    ff_vec3 turn = v3_cross(arm, axes[k]);
    turn = body->round ? turn : q_unrotate(pose->orientation, turn);
    v3_store(to, v3_axpy(v3_load(to), sign, turn));
    v3_store(to + 3, v3_axpy(v3_load(to + 3), sign, axes[k]));
  }
}

/* Of a body that nothing stiffens: three rows as its inertia makes them, L^-T of them at once. */
static bool reach_body(ff_rows *rows, const ff_model_body *body, const ff_pose *pose, int index,
                       double sign, ff_vec3 point, const ff_vec3 axes[3], ff_row_side *side) {
  const double *factor = rows->blocks[index].factor;
  *side = (ff_row_side){index, 5, 6, rows->numbers_used};
  rows->numbers_used += 18;
  if (rows->numbers_used > rows->limits.numbers) {
    return false;
  }
  double *to = rows->reached + side->at, ease = sign * factor[3];
  ff_vec3 arm = v3_sub(point, pose->position), turning = v3_scale(sign, v3_load(factor));
  for (int k = 0; k < 3; k++, to += 6) {
    ff_vec3 turn = v3_cross(arm, axes[k]);
    turn = body->round ? turn : q_unrotate(pose->orientation, turn);
    v3_store(to, v3_mul(turning, turn));
    v3_store(to + 3, v3_scale(ease, axes[k]));
  }
  return true;
}

/* The last coordinate in its block that a body depends on, -1: none, and of a link the columns of a
 * point up to there. */
static int find_tip(const ff_rows *rows, const ff_model *model, const ff_state *state, int mover,
                    int body, ff_vec3 point) {
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
static int find_link(ff_rows *rows, const ff_model *model, const ff_state *state, int mover,
                     int body) {
  static const ff_vec3 world[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (rows->link_of[body] > 0) {
    return rows->link_of[body];
  }
  ff_row_link *link = &rows->links[rows->link_count];
  int block = rows->home[mover], robot = model->bodies[body].robot;
  *link = (ff_row_link){.body = body, .place = state->bodies[body].pose.position};
  int tip = find_tip(rows, model, state, mover, body, link->place);
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
                  double sign, ff_vec3 point, const ff_vec3 axes[3], ff_row_side *side,
                  ff_row_mount *to) {
  int number = find_link(rows, model, state, ff_mover_of(model, body), body);
  if (number <= 0) {
    return number < 0;
  }
  const ff_row_link *link = &rows->links[number - 1];
  to->link = number - 1;
  for (int k = 0; k < 3; k++) {
    to->along[k] = v3_scale(sign, axes[k]);
    to->turn[k] = v3_cross(v3_sub(point, link->place), to->along[k]);
  }
  *side = link->rows[0];
  side->at = rows->numbers_used;
  rows->numbers_used += 3 * (size_t)side->length;
  return rows->numbers_used <= rows->limits.numbers;
}

/* Three rows of their own, or added to those of the contact's other side in the same block. */
static bool add_side(ff_rows *rows, const ff_model *model, const ff_state *state, int body,
                     double sign, ff_vec3 point, const ff_vec3 axes[3], ff_row_side *side) {
  int mover = ff_mover_of(model, body), block = rows->home[mover];
  if (rows->blocks[block].diagonal) {
    return reach_body(rows, &model->bodies[body], &state->bodies[body].pose, block, sign, point,
                      axes, side);
  }
  int tip = find_tip(rows, model, state, mover, body, point);
  if (tip < 0) {
    return true;
  }
  int end = rows->tied ? rows->blocks[block].size - 1 : tip;
  if (side->block < 0 && !open_side(rows, side, block, end)) {
    return false;
  }
  if (mover < model->free_count) {
    add_body(&model->bodies[body], &state->bodies[body].pose, sign, point, axes,
             rows->jacobian + side->at + rows->depth[rows->first[mover]], side->length);
  } else {
    add_columns(rows, model, model->bodies[body].robot, rows->columns, sign, axes, tip, side);
  }
  return true;
}

int ff_rows_add(ff_rows *rows, const ff_model *model, const ff_state *state, int a, int b,
                ff_vec3 point, const ff_vec3 axes[3]) {
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
    if (rows->first[mover] < 0 && !join(rows, model, state, mover)) {
      return -1;
    }
    double sign = k == 0 ? 1 : -1;
    ff_row_side *side = &sides[rows->tied ? 0 : k];
    bool mounted = mover >= model->free_count && !rows->limits.stiffens;
    if (!(mounted ? mount(rows, model, state, bodies[k], sign, point, axes, side, &mounts[k])
                  : add_side(rows, model, state, bodies[k], sign, point, axes, side))) {
      return -1;
    }
  }
  rows->count += 3;
  return row;
}

/* ---- what they do ---------------------------------------------------------------------------
 */

void ff_rows_soften(ff_rows *rows) {
  if (rows->factor != rows->inertia) {
    memcpy(rows->factor, rows->inertia, rows->matrices_used * sizeof *rows->factor);
  }
}

void ff_rows_stiffen(ff_rows *rows, int row, const double weights[3]) {
  for (int s = 0; s < 2; s++) {
    const ff_row_side *side = &rows->sides[row / 3][s];
    if (side->block < 0) {
      continue;
    }
    const ff_row_block *block = &rows->blocks[side->block];
    const int *parent = rows->parent + block->first;
    const double *x = rows->jacobian + side->at, *y = x + side->length, *z = y + side->length;
    int at = side->length;
    for (int i = side->tip; i >= 0; i = parent[i]) {
      double *to = block->factor + (size_t)i * (size_t)block->size;
      int of = --at;
      double bx = weights[0] * x[at], by = weights[1] * y[at], bz = weights[2] * z[at];
      int k = i;
      for (; k >= block->chain; k = parent[k], of--) {
        to[k] += bx * x[of] + by * y[of] + bz * z[of];
      }
      for (; k >= 0; k--) {
        to[k] += bx * x[k] + by * y[k] + bz * z[k];
      }
    }
  }
}

/* L^T y = x along a path, of three rows at once. */
static void reach_path(const ff_rows *rows, const ff_row_block *block, const ff_row_side *side) {
  const int *parent = rows->parent + block->first;
  double *x = rows->reached + side->at, *y = x + side->length, *z = y + side->length;
  int at = side->length;
  for (int i = side->tip; i >= 0; i = parent[i]) {
    const double *factor = block->factor + (size_t)i * (size_t)block->size;
    int of = --at;
    double inverse = 1 / factor[i];
    double bx = x[at] * inverse, by = y[at] * inverse, bz = z[at] * inverse;
    x[at] = bx;
    y[at] = by;
    z[at] = bz;
    int k = parent[i];
    for (; k >= block->chain; k = parent[k]) {
      of--;
      x[of] -= factor[k] * bx;
      y[of] -= factor[k] * by;
      z[of] -= factor[k] * bz;
    }
    ff_take_off(x, bx, factor, k + 1);
    ff_take_off(y, by, factor, k + 1);
    ff_take_off(z, bz, factor, k + 1);
  }
}

/* Rows of a link's point: sums of those of the link. */
static void follow(const ff_rows *rows, const ff_row_mount *mount, const ff_row_side *side) {
  const ff_row_link *link = &rows->links[mount->link];
  const double *from = rows->reached + link->rows[0].at;
  const double *turn = rows->reached + link->rows[1].at;
  double *to = rows->reached + side->at;
  int n = side->length;
  for (int d = 0; d < 3; d++, to += n) {
    ff_vec3 l = mount->along[d], t = mount->turn[d];
    int k = 0;
    for (; k + 2 <= n; k += 2) {
      ff_pair2 sum = (l.x * ff_pair2_load(from + k) + l.y * ff_pair2_load(from + n + k) +
                      l.z * ff_pair2_load(from + 2 * n + k)) +
                     (t.x * ff_pair2_load(turn + k) + t.y * ff_pair2_load(turn + n + k) +
                      t.z * ff_pair2_load(turn + 2 * n + k));
      memcpy(to + k, &sum, sizeof sum);
    }
    for (; k < n; k++) {
      to[k] = (l.x * from[k] + l.y * from[n + k] + l.z * from[2 * n + k]) +
              (t.x * turn[k] + t.y * turn[n + k] + t.z * turn[2 * n + k]);
    }
  }
}

static void reach_side(const ff_rows *rows, const ff_row_mount *mount, const ff_row_side *side) {
  if (side->block < 0 || rows->blocks[side->block].diagonal) {
    return;
  }
  if (mount->link >= 0) {
    follow(rows, mount, side);
    return;
  }
  if (rows->reached != rows->jacobian) {
    memcpy(rows->reached + side->at, rows->jacobian + side->at,
           3 * (size_t)side->length * sizeof *rows->reached);
  }
  reach_path(rows, &rows->blocks[side->block], side);
}

bool ff_rows_factor(ff_rows *rows) {
  for (int i = 0; i < rows->block_count; i++) {
    const ff_row_block *block = &rows->blocks[i];
    const int *parent = rows->parent + block->first;
    if (!block->diagonal && !ff_branch_factor(parent, block->size, block->factor)) {
      return false;
    }
  }
  for (int i = 0; i < rows->link_count; i++) {
    const ff_row_link *link = &rows->links[i];
    reach_path(rows, &rows->blocks[link->rows[0].block], &link->rows[0]);
    reach_path(rows, &rows->blocks[link->rows[1].block], &link->rows[1]);
  }
  for (int i = 0; i < rows->count / 3; i++) {
    reach_side(rows, &rows->mounts[i][0], &rows->sides[i][0]);
    reach_side(rows, &rows->mounts[i][1], &rows->sides[i][1]);
  }
  return true;
}

/* to += by rows, whose numbers stand together. */
static inline void add_rows(const double *x, const double *y, const double *z, const double by[3],
                            int n, double *to) {
  int k = 0;
  for (; k + 2 <= n; k += 2) {
    ff_pair2 sum =
        ff_pair2_load(to + k) + (by[0] * ff_pair2_load(x + k) + by[1] * ff_pair2_load(y + k) +
                                 by[2] * ff_pair2_load(z + k));
    memcpy(to + k, &sum, sizeof sum);
  }
  for (; k < n; k++) {
    to[k] += by[0] * x[k] + by[1] * y[k] + by[2] * z[k];
  }
}

/* out += rows . from */
static inline void sum_rows(const double *x, const double *y, const double *z, const double *from,
                            int n, double out[3]) {
  ff_pair2 sx = {out[0], 0}, sy = {out[1], 0}, sz = {out[2], 0};
  int k = 0;
  for (; k + 2 <= n; k += 2) {
    ff_pair2 of = ff_pair2_load(from + k);
    sx += ff_pair2_load(x + k) * of;
    sy += ff_pair2_load(y + k) * of;
    sz += ff_pair2_load(z + k) * of;
  }
  if (k < n) {
    sx[0] += x[k] * from[k];
    sy[0] += y[k] * from[k];
    sz[0] += z[k] * from[k];
  }
  out[0] = sx[0] + sx[1];
  out[1] = sy[0] + sy[1];
  out[2] = sz[0] + sz[1];
}

/* to += by rows, spread out over their path. */
static void spread(const ff_rows *rows, int row, const double *values, const double by[3],
                   double *to) {
  for (int s = 0; s < 2; s++) {
    const ff_row_side *side = &rows->sides[row / 3][s];
    if (side->block < 0) {
      continue;
    }
    const ff_row_block *block = &rows->blocks[side->block];
    const double *x = values + side->at, *y = x + side->length, *z = y + side->length;
    double *into = to + block->first;
    if (block->diagonal) {
      add_rows(x, x + 6, x + 12, by, 6, into);
      continue;
    }
    const int *parent = rows->parent + block->first;
    int at = side->length, i = side->tip;
    for (; i >= block->chain; i = parent[i]) {
      at--;
      into[i] += by[0] * x[at] + by[1] * y[at] + by[2] * z[at];
    }
    add_rows(x, y, z, by, i + 1, into);
  }
}

/* Sums of rows times what is along their path. */
void ff_rows_speed(const ff_rows *rows, int row, const double *from, double out[3]) {
  out[0] = out[1] = out[2] = 0;
  for (int s = 0; s < 2; s++) {
    const ff_row_side *side = &rows->sides[row / 3][s];
    if (side->block < 0) {
      continue;
    }
    const ff_row_block *block = &rows->blocks[side->block];
    const double *x = rows->reached + side->at, *y = x + side->length, *z = y + side->length;
    const double *of = from + block->first;
    if (block->diagonal) {
      sum_rows(x, x + 6, x + 12, of, 6, out);
      continue;
    }
    const int *parent = rows->parent + block->first;
    int at = side->length, i = side->tip;
    for (; i >= block->chain; i = parent[i]) {
      double by = of[i];
      at--;
      out[0] += x[at] * by;
      out[1] += y[at] * by;
      out[2] += z[at] * by;
    }
    sum_rows(x, y, z, of, i + 1, out);
  }
}

void ff_rows_push(const ff_rows *rows, int row, const double impulse[3], double *push) {
  spread(rows, row, rows->jacobian, impulse, push);
}

void ff_rows_hit(const ff_rows *rows, int row, const double impulse[3], double *reached) {
  spread(rows, row, rows->reached, impulse, reached);
}

static void scale(const ff_row_block *block, double *x) {
  for (int i = 0; i < block->size; i++) {
    x[i] *= block->factor[i];
  }
}

void ff_rows_reach(const ff_rows *rows, double *push) {
  for (int i = 0; i < rows->block_count; i++) {
    const ff_row_block *block = &rows->blocks[i];
    if (block->diagonal) {
      scale(block, push + block->first);
    } else {
      ff_branch_down(rows->parent + block->first, block->size, block->factor, push + block->first);
    }
  }
}

void ff_rows_settle(const ff_rows *rows, double *reached) {
  for (int i = 0; i < rows->block_count; i++) {
    const ff_row_block *block = &rows->blocks[i];
    if (block->diagonal) {
      scale(block, reached + block->first);
    } else {
      ff_branch_up(rows->parent + block->first, block->size, block->factor, reached + block->first);
    }
  }
}

/* Adds products of three rows with three, over so many numbers. */
static inline void multiply(const double *a, int stride_a, const double *b, int stride_b,
                            int length, double ease[9]) {
  const double *b1 = b + stride_b, *b2 = b1 + stride_b;
  for (int k = 0; k < 3; k++, a += stride_a) {
    ff_pair2 sx = {0, 0}, sy = {0, 0}, sz = {0, 0};
    int c = 0;
    for (; c + 2 <= length; c += 2) {
      ff_pair2 both = ff_pair2_load(a + c);
      sx += both * ff_pair2_load(b + c);
      sy += both * ff_pair2_load(b1 + c);
      sz += both * ff_pair2_load(b2 + c);
    }
    if (c < length) {
      ff_pair2 last = {a[c], 0};
      sx += last * (ff_pair2){b[c], 0};
      sy += last * (ff_pair2){b1[c], 0};
      sz += last * (ff_pair2){b2[c], 0};
    }
    ease[3 * k] += sx[0] + sx[1];
    ease[3 * k + 1] += sy[0] + sy[1];
    ease[3 * k + 2] += sz[0] + sz[1];
  }
}

/* The same of three rows with themselves, of which six are enough. */
static inline void square(const double *x, int length, double ease[9]) {
  const double *y = x + length, *z = y + length;
  ff_pair2 xx = {0, 0}, xy = {0, 0}, xz = {0, 0}, yy = {0, 0}, yz = {0, 0}, zz = {0, 0};
  int c = 0;
  for (; c + 2 <= length; c += 2) {
    ff_pair2 a = ff_pair2_load(x + c), b = ff_pair2_load(y + c), d = ff_pair2_load(z + c);
    xx += a * a;
    xy += a * b;
    xz += a * d;
    yy += b * b;
    yz += b * d;
    zz += d * d;
  }
  if (c < length) {
    xx[0] += x[c] * x[c];
    xy[0] += x[c] * y[c];
    xz[0] += x[c] * z[c];
    yy[0] += y[c] * y[c];
    yz[0] += y[c] * z[c];
    zz[0] += z[c] * z[c];
  }
  const double sums[9] = {xx[0] + xx[1], xy[0] + xy[1], xz[0] + xz[1], xy[0] + xy[1], yy[0] + yy[1],
                          yz[0] + yz[1], xz[0] + xz[1], yz[0] + yz[1], zz[0] + zz[1]};
  for (int k = 0; k < 9; k++) {
    ease[k] += sums[k];
  }
}

/* Of two sides only what both depend on counts: the way from the root to where their branches
 * part. */
static void ease_sides(const ff_rows *rows, const ff_row_side *i, const ff_row_side *j,
                       double ease[9]) {
  const ff_row_block *block = &rows->blocks[i->block];
  const double *a = rows->reached + i->at, *b = rows->reached + j->at;
  if (i == j) {
    square(a, i->length, ease);
    return;
  }
  if (block->diagonal) {
    multiply(a, 6, b, 6, 6, ease);
    return;
  }
  const int *parent = rows->parent + block->first, *depth = rows->depth + block->first;
  int at = i->tip, other = j->tip;
  while (at != other) {
    *(at > other ? &at : &other) = parent[at > other ? at : other];
  }
  multiply(a, i->length, b, j->length, at < 0 ? 0 : depth[at] + 1, ease);
}

void ff_rows_ease(const ff_rows *rows, int i, int j, double ease[9]) {
  const ff_row_side *a = rows->sides[i / 3], *b = rows->sides[j / 3];
  memset(ease, 0, 9 * sizeof *ease);
  for (int s = 0; s < 4; s++) {
    const ff_row_side *one = &a[s / 2], *other = &b[s % 2];
    if (one->block >= 0 && one->block == other->block) {
      ease_sides(rows, one, other, ease);
    }
  }
}
