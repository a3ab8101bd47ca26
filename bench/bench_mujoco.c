/* Time per step against MuJoCo: spheres resting on a plane, one and a thousand, and one rolling.
 *
 * Both engines run in this process, in turns, on the same scene: the same spheres, the same
 * plane, gravity and step, contact and friction; spheres may touch only the plane, or anything.
 * MuJoCo has its default solver settings; Footfall steps with `symplectic-euler`, as MuJoCo's
 * default integrator does, a Hunt-Crossley contact soft enough for the step, and its full
 * energy ledger. The rolling sphere has the Azad-Featherstone contact with its bristle and
 * clutch, solved implicitly. The table gives medians; the ratio is what counts. */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "footfall/footfall.h"
#include "mujoco_peer.h"
#include "targets.h"

enum { REPEATS = 15, MANY = 1000 };

static const double STEP = 1e-3;     /* s */
static const double RADIUS = 0.05;   /* m */
static const double MASS = 0.5;      /* kg */
static const double SPACING = 0.2;   /* m, between neighbours: they never meet */
static const double GRAVITY = 9.81;  /* m/s^2 */
static const double STIFFNESS = 2e4; /* N/m: step * sqrt(k/m) = 0.2, well resolved */
static const double FRICTION = 0.5;  /* 1 */
static const double ROLLING = 0.5;   /* m/s */
static const double TARGET = 0.3;    /* of MuJoCo's time */
static const double TARGET_ROLLING = 0.4;

typedef enum kind { ON_PLANE, ALL_PAIRS, ROLLS } kind;

static void give_up(const char *what) {
  fprintf(stderr, "bench_mujoco: %s\n", what);
  exit(1);
}

/* Bytes this process holds from malloc. */
static double memory_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return (double)(info.uordblks + info.hblkhd);
}

/* Where sphere i rests, on a square grid. */
static ff_vec3 place_of(int i, int count) {
  int row = (int)ceil(sqrt(count));
  return (ff_vec3){SPACING * (i % row), SPACING * (i / row), RADIUS - MASS * GRAVITY / STIFFNESS};
}

/* ---- Footfall --------------------------------------------------------------------------- */

static void need(ff_status status) {
  if (status != FF_OK) {
    give_up(ff_status_text(status));
  }
}

static void add_floor(ff_scene *scene) {
  ff_body_def floor = ff_body_def_default();
  floor.name = "floor";
  floor.kind = FF_BODY_FIXED;
  ff_body body;
  need(ff_scene_add_body(&body, scene, &floor));
  ff_shape_def plane = ff_shape_def_default();
  plane.kind = FF_HALF_SPACE;
  ff_shape shape;
  need(ff_scene_add_shape(&shape, scene, body, &plane));
}

static void add_sphere(ff_scene *scene, int i, int count, bool rolls) {
  char name[32];
  snprintf(name, sizeof name, "sphere%d", i);
  ff_body_def sphere = ff_body_def_default();
  sphere.name = name;
  sphere.mass = MASS;
  sphere.position = place_of(i, count);
  if (rolls) {
    sphere.velocity.x = ROLLING;
    sphere.omega.y = ROLLING / RADIUS;
  }
  ff_body body;
  need(ff_scene_add_body(&body, scene, &sphere));
  ff_shape_def ball = ff_shape_def_default();
  ball.size.x = RADIUS;
  ff_shape shape;
  need(ff_scene_add_shape(&shape, scene, body, &ball));
}

static void add_contact(ff_scene *scene, bool all_pairs) {
  ff_contact_def contact = ff_contact_def_default();
  contact.a = "*";
  contact.b = all_pairs ? "*" : "floor";
  contact.normal.law = "hunt-crossley";
  contact.normal.names = (const char *[]){"k", "n", "alpha"};
  contact.normal.values = (const double[]){STIFFNESS, 1, 0.5};
  contact.normal.count = 3;
  contact.friction.law = "coulomb";
  contact.friction.names = (const char *[]){"mu_static", "mu_kinetic"};
  contact.friction.values = (const double[]){FRICTION, FRICTION};
  contact.friction.count = 2;
  need(ff_scene_add_contact(scene, &contact));
}

/* As stiff a bed as STIFFNESS at the depth of rest, and the paper's ratios for the rest. */
static void add_rolling_contact(ff_scene *scene) {
  double rest = MASS * GRAVITY / STIFFNESS, k = STIFFNESS / sqrt(rest), d = 1e-3 * k;
  ff_contact_def contact = ff_contact_def_default();
  contact.a = "*";
  contact.b = "floor";
  contact.normal.law = "azad-featherstone";
  contact.normal.names = (const char *[]){"K", "D"};
  contact.normal.values = (const double[]){k, d};
  contact.normal.count = 2;
  contact.friction.law = "bristle-clutch";
  contact.friction.names = (const char *[]){"K", "D", "mu"};
  contact.friction.values = (const double[]){1.5 * k, d, FRICTION};
  contact.friction.count = 3;
  need(ff_scene_add_contact(scene, &contact));
}

static ff_model *footfall_model(int count, kind which) {
  ff_scene *scene;
  need(ff_scene_create(&scene));
  add_floor(scene);
  for (int i = 0; i < count; i++) {
    add_sphere(scene, i, count, which == ROLLS);
  }
  if (which == ROLLS) {
    add_rolling_contact(scene);
  } else {
    add_contact(scene, which == ALL_PAIRS);
  }
  ff_run_def run = ff_run_def_default();
  run.gravity = (ff_vec3){0, 0, -GRAVITY};
  run.stepper.kind = "symplectic-euler";
  run.stepper.step = STEP;
  need(ff_scene_set_run(scene, &run));
  ff_model *model;
  ff_report report = {0};
  if (ff_model_build(&model, scene, &report) != FF_OK) {
    char text[2048];
    ff_report_text(&report, text, sizeof text);
    give_up(text);
  }
  ff_scene_destroy(&scene);
  return model;
}

static double time_footfall(ff_sim *sim, int steps) {
  double start = now();
  for (int i = 0; i < steps; i++) {
    need(ff_sim_step(sim));
  }
  return (now() - start) / steps;
}

/* ---- MuJoCo ----------------------------------------------------------------------------- */

/* The same scene as MJCF. The plane's bit 2 lets every sphere touch it, bit 1 the spheres each
 * other; the sizes make room for all contacts, four friction edges each. */
static void write_mjcf(FILE *file, int count, bool all_pairs) {
  fprintf(file,
          "<mujoco><option timestep=\"%g\" gravity=\"0 0 %g\"/>"
          "<size nconmax=\"%d\" njmax=\"%d\"/><worldbody>\n"
          "<geom type=\"plane\" size=\"100 100 1\" friction=\"%g\" contype=\"2\"/>\n",
          STEP, -GRAVITY, count + 100, 4 * (count + 100), FRICTION);
  for (int i = 0; i < count; i++) {
    ff_vec3 p = place_of(i, count);
    fprintf(file,
            "<body pos=\"%g %g %g\"><freejoint/><geom type=\"sphere\" size=\"%g\" mass=\"%g\" "
            "friction=\"%g\" contype=\"1\" conaffinity=\"%d\"/></body>\n",
            p.x, p.y, RADIUS, RADIUS, MASS, FRICTION, all_pairs ? 3 : 2);
  }
  fprintf(file, "</worldbody></mujoco>\n");
}

static mjModel *mujoco_model(int count, kind which) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (!file) {
    give_up("there is no memory for MuJoCo's model");
  }
  write_mjcf(file, count, which == ALL_PAIRS);
  fclose(file);
  mjModel *model = mujoco_model_of(text);
  free(text);
  return model;
}

static double time_mujoco(const mjModel *model, mjData *data, int steps) {
  double start = now();
  for (int i = 0; i < steps; i++) {
    mj_step(model, data);
  }
  return (now() - start) / steps;
}

/* ---- the comparison --------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return values[count / 2];
}

/* What both engines hold for one scene. */
typedef struct contest {
  ff_model *model;
  ff_sim *sim;
  mjModel *mujoco;
  mjData *data;
  double bytes; /* of Footfall's model and sim */
} contest;

static contest set_up(int count, kind which) {
  contest c;
  double before = memory_in_use();
  c.model = footfall_model(count, which);
  need(ff_sim_create(&c.sim, c.model));
  c.bytes = memory_in_use() - before;
  c.mujoco = mujoco_model(count, which);
  c.data = mj_makeData(c.mujoco);
  if (which == ROLLS) {
    c.data->qvel[0] = ROLLING;
    c.data->qvel[4] = ROLLING / RADIUS;
  }
  return c;
}

static void tear_down(contest *c) {
  mj_deleteData(c->data);
  mj_deleteModel(c->mujoco);
  ff_sim_destroy(&c->sim);
  ff_model_destroy(&c->model);
}

/* Prints the case's row. */
static void compare(const char *name, int count, int steps, double most, contest *c) {
  double footfall[REPEATS];
  double mujoco[REPEATS];
  time_footfall(c->sim, steps);
  time_mujoco(c->mujoco, c->data, steps);
  for (int i = 0; i < REPEATS; i++) {
    footfall[i] = time_footfall(c->sim, steps);
    mujoco[i] = time_mujoco(c->mujoco, c->data, steps);
  }
  if (ff_sim_contact_count(c->sim) != count || c->data->ncon != count) {
    give_up("the spheres do not all stay on the plane");
  }
  double ours = 1e9 * median(footfall, REPEATS);
  double theirs = 1e9 * median(mujoco, REPEATS);
  printf("%-24s %18.0f %16.0f %8.3f %8.1f  %s\n", name, ours, theirs, ours / theirs, most,
         target(ours <= most * theirs));
}

int main(void) {
  contest one = set_up(1, ON_PLANE);
  contest many = set_up(MANY, ON_PLANE);
  contest crowd = set_up(MANY, ALL_PAIRS);
  contest rolling = set_up(1, ROLLS);
  printf("MuJoCo %s, Footfall %s, step %g s, medians of %d interleaved repeats\n",
         mj_versionString(), ff_version(), STEP, REPEATS);
  printf("%-24s %18s %16s %8s %8s\n", "case", "footfall ns/step", "mujoco ns/step", "ratio",
         "target");
  compare("1 sphere on a plane", 1, 20000, TARGET, &one);
  compare("1 sphere rolling", 1, 20000, TARGET_ROLLING, &rolling);
  compare("1000 spheres on a plane", MANY, 100, TARGET, &many);
  compare("the same, all pairs", MANY, 100, TARGET, &crowd);
  printf("memory per free body: %.0f bytes, %.0f if all pairs may touch\n",
         (many.bytes - one.bytes) / (MANY - 1), (crowd.bytes - one.bytes) / (MANY - 1));
  tear_down(&rolling);
  tear_down(&crowd);
  tear_down(&many);
  tear_down(&one);
  return targets_end();
}
