/* Bodies that are deeper in one another than any rest would press them. */
#include "math/vec.h"
#include "sim/sim.h"

#define CORE 1e-3   /* of the layer: cores may be this deep in one another by rounding of a scene */
#define TINY 1e-9   /* of the bodies' size: overlap that is rounding */
enum { HARD = 10 }; /* times what the weight of all, or all motion, could press */

/* What there is to press bodies together: weight, and energy of motion. */
typedef struct presses {
  double weight; /* N, of everything that is free to move */
  double motion; /* J */
} presses;

static presses all_presses(const ff_sim *sim) {
  const ff_model *model = sim->model;
  double mass = 0;
  for (int slot = 0; slot < model->free_count; slot++) {
    mass += model->bodies[model->free_bodies[slot]].mass;
  }
  for (int r = 0; r < model->robot_count; r++) {
    mass += ff_tree_mass(model->robots[r].tree);
  }
  return (presses){.weight = mass * v3_norm(model->run.gravity),
                   .motion = ff_sim_energy(sim).kinetic};
}

/* Depth, core and energy of a pair of bodies. */
static ff_intrusion look(const ff_sim *sim, const ff_meet *meet) {
  const ff_state *state = &sim->state;
  ff_intrusion out = {.a = {meet->a + 1}, .b = {meet->b + 1}};
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
  presses all = all_presses(sim);
  int count = 0;
  for (int m = 0; m < sim->state.meet_count; m++) {
    const ff_meet *meet = &sim->state.meets[m];
    ff_intrusion pair = look(sim, meet);
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
