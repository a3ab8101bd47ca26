/* How the time of a step of `quasi-rigid` grows with the number of bodies: ellipsoids that fall
 * into a box with a floor and four walls and become a heap in it, as high as it is wide. All of its
 * lengths grow with the cube root of the number of bodies, so that their neighbours are as many in
 * a large heap as in a small one. Timed is the pile from its first step to most of a second after
 * all have come together, when many contacts change between stick and slip in every step, but not
 * until it rests; and its fall and the heap apart from each other. Machines are noisy, and runs of
 * the same pile are the same bit by bit: of each step the quickest of a few runs counts. Sizes are
 * compared with the smallest; the slope in a plot with two logarithmic axes is what counts. That of
 * the whole, on one thread for each processor as `footfall run` has it, is judged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "footfall/footfall.h"
#include "targets.h"

/* What is timed: from a first step to before a last. */
enum { ALL, FALL, HEAP, PARTS };
enum { STEPS = 300, FALLS = 120, RUNS = 3 };
static const int FIRST[PARTS] = {0, 0, FALLS}, LAST[PARTS] = {STEPS, FALLS, STEPS};
static const char *const NAMES[PARTS] = {"all", "fall", "heap"};

static const double STEP = 4e-3;  /* s */
static const double TARGET = 1.2; /* power of the number of bodies */

static void need(ff_status status) {
  if (status != FF_OK) {
    fprintf(stderr, "bench_pile: %s\n", ff_status_text(status));
    exit(1);
  }
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

/* A half-space: all that is beyond a point against a direction. */
static void add_plane(ff_scene *scene, const char *name, ff_vec3 at, ff_quat turn) {
  ff_body body;
  ff_shape shape;
  ff_body_def def = ff_body_def_default();
  def.name = name;
  def.kind = FF_BODY_FIXED;
  def.position = at;
  def.orientation = turn;
  ff_shape_def solid = ff_shape_def_default();
  solid.kind = FF_HALF_SPACE;
  need(ff_scene_add_body(&body, scene, &def));
  need(ff_scene_add_shape(&shape, scene, body, &solid));
}

static void add_box(ff_scene *scene, double width) {
  const double h = sqrt(0.5), far = width / 2;
  add_plane(scene, "floor", (ff_vec3){0, 0, 0}, (ff_quat){1, 0, 0, 0});
  add_plane(scene, "west", (ff_vec3){-far, 0, 0}, (ff_quat){h, 0, h, 0});
  add_plane(scene, "east", (ff_vec3){far, 0, 0}, (ff_quat){h, 0, -h, 0});
  add_plane(scene, "south", (ff_vec3){0, -far, 0}, (ff_quat){h, -h, 0, 0});
  add_plane(scene, "north", (ff_vec3){0, far, 0}, (ff_quat){h, h, 0, 0});
}

static void add_bodies(ff_scene *scene, int count) {
  const double apart = 0.265; /* m, no two reach farther */
  unsigned long seed = 1;
  int side = (int)round(cbrt(count));
  add_box(scene, apart * side + 0.02);
  ff_shape_def solid = ff_shape_def_default();
  solid.kind = FF_ELLIPSOID;
  solid.size = (ff_vec3){0.13, 0.1, 0.08};
  for (int i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "e%d", i);
    ff_body body;
    ff_shape shape;
    ff_body_def def = ff_body_def_default();
    def.name = name;
    def.mass = 1;
    double x = i % side - 0.5 * (side - 1), y = i / side % side - 0.5 * (side - 1);
    def.position = (ff_vec3){apart * x + 0.004 * draw(&seed), apart * y + 0.004 * draw(&seed),
                             0.14 + apart * (i / (side * side))};
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
  ff_scene_destroy(&scene);
  return model;
}

typedef struct timing {
  double time[STEPS];       /* s, of each step, */
  double iterations[STEPS]; /* and its linear problems */
  int contacts;
} timing;

/* One more run, on as many threads. */
static void run(const ff_model *model, int threads, timing *best) {
  ff_sim *sim;
  need(ff_sim_create(&sim, model));
  need(ff_sim_set_threads(sim, threads));
  for (int i = 0; i < STEPS; i++) {
    long before = ff_sim_solver(sim).iterations;
    double start = now();
    need(ff_sim_step(sim));
    best->time[i] = fmin(best->time[i], now() - start);
    best->iterations[i] = (double)(ff_sim_solver(sim).iterations - before);
  }
  best->contacts = ff_sim_contact_count(sim);
  ff_sim_destroy(&sim);
}

static timing quickest(int count, int threads) {
  ff_model *model = pile(count);
  timing out;
  for (int i = 0; i < STEPS; i++) {
    out.time[i] = INFINITY;
  }
  for (int i = 0; i < RUNS; i++) {
    run(model, threads, &out);
  }
  ff_model_destroy(&model);
  return out;
}

/* Of the steps of a part. */
static double mean(const double *of, int part) {
  double sum = 0;
  for (int i = FIRST[part]; i < LAST[part]; i++) {
    sum += of[i];
  }
  return sum / (LAST[part] - FIRST[part]);
}

/* All sizes on so many threads. */
static void grow(int threads, bool judged) {
  static const int counts[] = {50, 100, 200, 400, 800};
  double first[PARTS], power[PARTS] = {0};
  for (int i = 0; i < 5; i++) {
    timing all = quickest(counts[i], threads);
    printf("heap of %3d ellipsoids, %4d contacts, %d thread%s", counts[i], all.contacts, threads,
           threads == 1 ? " " : "s");
    for (int k = 0; k < PARTS; k++) {
      double step = mean(all.time, k);
      first[k] = i == 0 ? step : first[k];
      power[k] = i == 0 ? 0 : log(step / first[k]) / log((double)counts[i] / counts[0]);
      printf("   %s %7.2f ms (%4.1f)", NAMES[k], 1e3 * step, mean(all.iterations, k));
    }
    printf("\n");
    fflush(stdout);
  }
  printf("a step (and its iterations) grows with the power");
  for (int k = 0; k < PARTS; k++) {
    printf("  %s %.2f", NAMES[k], power[k]);
  }
  if (judged) {
    printf("   (of all at most %.2f wanted: %s)", TARGET, target(power[ALL] <= TARGET));
  }
  printf("\n");
}

int main(void) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  grow(1, processors == 1);
  if (processors > 1) {
    grow(processors < 8 ? (int)processors : 8, true);
  }
  return targets_end();
}
