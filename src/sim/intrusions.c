/* Detects body pairs that overlap by more than their load explains. */
#include "math/vec.h"
#include "sim/sim.h"

#define CORE 1e-3 /* fraction of the layer: overlap of cores due to rounding in a scene */
#define TINY 1e-9 /* fraction of the bodies' size: overlap due to rounding */
enum {
  HARD = 10
}; /* factor over the overlap that all weight, or all kinetic energy, could cause */

/* Load available to press bodies together: weight and kinetic energy. */
typedef struct available_load {
  double weight; /* N, of all movable bodies */
  double motion; /* J */
} available_load;

static available_load intrusion_available_load(const ff_sim *sim) {
  const ff_model *model = sim->model;
  double mass = 0;
  for (int slot = 0; slot < model->free_count; slot++) {
    mass += model->bodies[model->free_bodies[slot]].mass;
  }
  for (int r = 0; r < model->robot_count; r++) {
    mass += ff_tree_mass(model->robots[r].tree);
  }
  return (available_load){.weight = mass * v3_norm(model->run.gravity),
                          .motion = ff_sim_energy(sim).kinetic};
}

/* Depth, core overlap and energy of a body pair. */
static ff_intrusion intrusion_of_pair(const ff_sim *sim, const ff_meet *meet) {
  const ff_state *state = &sim->state;
  ff_intrusion out = {.a = ff_body_id(sim->model, meet->a), .b = ff_body_id(sim->model, meet->b)};
  bool solved = ff_stepper_uses_layers(sim->model->stepper);
  for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
    const ff_near *near = &state->nears[n];
    double layer = solved ? sim->model->bindings[near->binding].layer.max_deflection : INFINITY;
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      const ff_point *point = &state->points[i];
      if (point->touching) {
        double deeper = point->patch.depth - layer;
        out.depth = greater(out.depth, point->patch.depth);
        out.core = deeper > CORE * layer ? greater(out.core, deeper) : out.core;
        out.energy += point->energy_n;
      }
    }
  }
  return out;
}

int ff_sim_intrusions(const ff_sim *sim, ff_intrusion *out, int capacity) {
  if (!sim) {
    return 0;
  }
  const ff_model *model = sim->model;
  available_load all = intrusion_available_load(sim);
  int count = 0;
  for (int m = 0; m < sim->state.meet_count; m++) {
    const ff_meet *meet = &sim->state.meets[m];
    ff_intrusion pair = intrusion_of_pair(sim, meet);
    double size = lesser(model->bodies[meet->a].bound, model->bodies[meet->b].bound);
    bool hard = pair.energy > HARD * (all.weight * pair.depth + all.motion);
    if (pair.core > TINY * size || (hard && pair.depth > TINY * size)) {
      if (out && count < capacity) {
        out[count] = pair;
      }
      count++;
    }
  }
  return count;
}
