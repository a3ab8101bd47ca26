/* Steps of 5 ms with rigid friction: a block slides to a stop under the stepper `quasi-rigid`, and
 * stays there. How far it came is held against v^2 / (2 mu g). */
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "footfall: 1\n"
    "stepper: {kind: quasi-rigid, step: 5e-3}\n"
    "duration: 2\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {}}}\n"
    "  block: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.1]}}, position: [0, 0, 0.05],\n"
    "          velocity: [2, 0, 0]}\n"
    "contacts:\n"
    "  - pair: [block, floor]\n"
    "    normal: {law: quasi-rigid, k: 1e6, c: 1e3}\n"
    "    friction: {law: ellipsoidal, mu: 0.3}\n";

int main(void) {
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_sim *sim = NULL;
  ff_report report = {0};
  if (ff_scene_parse(&scene, text, strlen(text), "block", NULL, 0, &report) ||
      ff_model_build(&model, scene, &report) || ff_sim_create(&sim, model) ||
      ff_sim_advance(sim, 1)) {
    fprintf(stderr, "%s: %s\n", report.key, report.what);
    return 1;
  }
  ff_body block = ff_model_body_find(model, "block");
  double stopped = ff_sim_body(sim, block).position.x;
  if (ff_sim_advance(sim, 2)) {
    return 1;
  }
  double creep = ff_sim_body(sim, block).position.x - stopped;
  double wanted = 2.0 * 2.0 / (2 * 0.3 * 9.81);
  ff_solver_info solver = ff_sim_solver(sim);
  printf("came %.4f m of %.4f m, creeps %.1e m in 1 s; %ld problems, %.1f linear solves each\n",
         stopped, wanted, creep, solver.problems,
         (double)solver.iterations / (double)solver.problems);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  return fabs(stopped - wanted) < 0.02 && fabs(creep) < 1e-9 ? 0 : 1; /* first order: v h */
}
