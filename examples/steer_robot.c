/* A robot from a scene, steered from C: a double pendulum is caught by a controller that swings its
 * joints into place and holds them there.
 *   steer_robot [scenes/double-pendulum.yaml] */
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>

enum { JOINTS = 2 };

/* Called every 5 ms. The drive itself acts at every step. */
static void steer(void *context, ff_sim *sim) {
  const double *targets = context;
  const ff_model *model = ff_sim_model(sim);
  ff_robot_id robot = ff_model_robot_at(model, 1);
  double t = fmin(ff_sim_time(sim), 1);
  for (int joint = 1; joint <= JOINTS; joint++) {
    ff_joint_order order = {.target = t * targets[joint - 1] + (1 - t) * (joint == 1 ? 2 : 1),
                            .stiffness = 400,
                            .damping = 40};
    ff_sim_order(sim, ff_model_joint_at(model, robot, joint), &order);
  }
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "scenes/double-pendulum.yaml";
  double targets[JOINTS] = {0.5, -0.5}, q[JOINTS], v[JOINTS];
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_sim *sim = NULL;
  ff_report report = {0};
  const char *set[] = {"gravity=[0, 0, 0]"};
  if (ff_scene_load(&scene, path, set, 1, &report) || ff_model_build(&model, scene, &report) ||
      ff_sim_create(&sim, model)) {
    char text[1000];
    ff_report_text(&report, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return 1;
  }
  if (ff_sim_on_control(sim, 5e-3, steer, targets) || ff_sim_advance(sim, 3)) {
    return 1;
  }
  ff_robot_id robot = ff_model_robot_at(model, 1);
  ff_sim_robot(sim, robot, q, v);
  ff_energy energy = ff_sim_energy(sim);
  double off = 0;
  for (int i = 0; i < JOINTS; i++) {
    ff_joint_id joint = ff_model_joint_at(model, robot, i + 1);
    printf("%s: %.6f rad, wanted %.6f\n", ff_model_joint_name(model, joint), q[i], targets[i]);
    off = fmax(off, fabs(q[i] - targets[i]));
  }
  printf("energy out of nowhere: %.1e J\n", energy.residual);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  return off < 1e-6 ? 0 : 1;
}
