/* Room for rows: how much, and where from. */
#include "step/rows.h"

#include "tree/tree.h"

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
