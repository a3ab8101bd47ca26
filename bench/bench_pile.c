/* How the time of a step of `quasi-rigid` grows with the number of bodies: ellipsoids that fall on
 * the ground and on one another, in four storeys, so that the ground covered grows with their
 * number. Timed is the whole fall, from the first touch to a heap. Each size is compared with the
 * smallest; the slope in a plot with two logarithmic axes is what counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "footfall/footfall.h"

enum { STOREYS = 4, STEPS = 100 };

static const double STEP = 4e-3;  /* s */
static const double TARGET = 1.2; /* power of the number of bodies */

static void need(ff_status status) {
  if (status != FF_OK) {
    fprintf(stderr, "bench_pile: %s\n", ff_status_text(status));
    exit(1);
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double draw(unsigned long *seed) {
  *seed = (*seed * 1103515245UL + 12345UL) % 2147483648UL;
  return (double)*seed / 2147483648.0 - 0.5;
}

static ff_quat turned(unsigned long *seed) {
  ff_quat q = {1, 0.4 * draw(seed), 0.4 * draw(seed), 4 * draw(seed)};
  double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return (ff_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

static void add_bodies(ff_scene *scene, int count) {
  ff_body body;
  ff_shape shape;
  ff_body_def floor = ff_body_def_default();
  floor.name = "floor";
  floor.kind = FF_BODY_FIXED;
  ff_shape_def solid = ff_shape_def_default();
  solid.kind = FF_HALF_SPACE;
  need(ff_scene_add_body(&body, scene, &floor));
  need(ff_scene_add_shape(&shape, scene, body, &solid));
  solid.kind = FF_ELLIPSOID;
  solid.size = (ff_vec3){0.13, 0.1, 0.08};
  unsigned long seed = 1;
  int storey = (count + STOREYS - 1) / STOREYS, side = (int)ceil(sqrt(storey));
  for (int i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "e%d", i);
    int k = i % storey;
    ff_body_def def = ff_body_def_default();
    def.name = name;
    def.mass = 1;
    def.position = (ff_vec3){0.28 * (k % side) + 0.03 * draw(&seed),
                             0.28 * (k / side) + 0.03 * draw(&seed), 0.16 + 0.31 * (i / storey)};
    def.orientation = turned(&seed);
    need(ff_scene_add_body(&body, scene, &def));
    need(ff_scene_add_shape(&shape, scene, body, &solid));
  }
}

static ff_model *pile(int count) {
  ff_scene *scene;
  ff_model *model;
  need(ff_scene_create(&scene));
  add_bodies(scene, count);
  ff_contact_def contact = ff_contact_def_default();
  contact.a = contact.b = "*";
  contact.normal.law = "quasi-rigid";
  contact.normal.names = (const char *[]){"k", "c", "max_deflection"};
  contact.normal.values = (const double[]){1e5, 300, 0.005};
  contact.normal.count = 3;
  contact.friction.law = "ellipsoidal";
  contact.friction.names = (const char *[]){"mu", "e_r"};
  contact.friction.values = (const double[]){0.5, 0.02};
  contact.friction.count = 2;
  need(ff_scene_add_contact(scene, &contact));
  ff_run_def run = ff_run_def_default();
  run.stepper.kind = "quasi-rigid";
  run.stepper.step = STEP;
  need(ff_scene_set_run(scene, &run));
  need(ff_model_build(&model, scene, NULL));
  ff_scene_destroy(scene);
  return model;
}

/* Seconds a step. */
static double fall(int count, int *contacts) {
  ff_model *model = pile(count);
  ff_sim *sim;
  need(ff_sim_create(&sim, model));
  double start = now();
  for (int i = 0; i < STEPS; i++) {
    need(ff_sim_step(sim));
  }
  double time = (now() - start) / STEPS;
  *contacts = ff_sim_contact_count(sim);
  ff_sim_destroy(sim);
  ff_model_destroy(model);
  return time;
}

int main(void) {
  static const int counts[] = {50, 100, 200, 400, 800};
  double first = 0, power = 0;
  for (int i = 0; i < 5; i++) {
    int contacts;
    double time = fall(counts[i], &contacts);
    first = i == 0 ? time : first;
    power = log(time / first) / log((double)counts[i] / counts[0]);
    printf("pile of %3d ellipsoids, %4d contacts %9.2f ms a step   ratio %6.2f\n", counts[i],
           contacts, 1e3 * time, time / first);
  }
  printf("grows with the %.2f-th power      (target %.2f: %s)\n", power, TARGET,
         power <= TARGET ? "met" : "NOT met");
  return 0;
}
