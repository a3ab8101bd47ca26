/* Small worlds that several tests run. */
#ifndef FF_TESTS_WORLDS_H
#define FF_TESTS_WORLDS_H

#include "footfall/footfall.h"
#include "testing.h"

/* A scene, its model and a sim, made and freed together. */
typedef struct world {
  ff_scene *scene;
  ff_model *model;
  ff_sim *sim;
} world;

static inline void world_start(world *w) {
  ff_report report = {0};
  ff_status status = ff_model_build(&w->model, w->scene, &report);
  if (status != FF_OK) {
    char text[1024];
    ff_report_text(&report, text, sizeof text);
    print_error("%s\n", text);
  }
  assert_int_equal(status, FF_OK);
  assert_int_equal(ff_sim_create(&w->sim, w->model), FF_OK);
}

static inline void world_end(world *w) {
  ff_sim_destroy(&w->sim);
  ff_model_destroy(&w->model);
  ff_scene_destroy(&w->scene);
  *w = (world){0};
}

static inline ff_status world_advance(world *w, double t) {
  return ff_sim_advance(w->sim, t);
}

/* An empty scene with this gravity and stepper. */
static inline ff_scene *scene_of_order(double gravity, const char *stepper, double step,
                                       int order) {
  ff_scene *scene;
  assert_int_equal(ff_scene_create(&scene), FF_OK);
  ff_run_def run = ff_run_def_default();
  run.gravity = (ff_vec3){0, 0, -gravity};
  run.stepper.kind = stepper;
  run.stepper.step = step;
  run.stepper.order = order;
  run.stepper.rtol = 1e-12;
  run.stepper.atol = 1e-14;
  assert_int_equal(ff_scene_set_run(scene, &run), FF_OK);
  return scene;
}

static inline ff_scene *scene_new(double gravity, const char *stepper, double step) {
  return scene_of_order(gravity, stepper, step, ff_run_def_default().stepper.order);
}

static inline void scene_set_rtol(ff_scene *scene, const char *stepper, double gravity,
                                  double rtol) {
  ff_run_def run = ff_run_def_default();
  run.gravity = (ff_vec3){0, 0, -gravity};
  run.stepper.kind = stepper;
  run.stepper.rtol = rtol;
  run.stepper.atol = rtol * 1e-2;
  assert_int_equal(ff_scene_set_run(scene, &run), FF_OK);
}

/* A body of one shape. */
static inline ff_body scene_solid(ff_scene *scene, const ff_body_def *def, ff_shape_kind kind,
                                  ff_vec3 size) {
  ff_body body;
  ff_shape shape;
  assert_int_equal(ff_scene_add_body(&body, scene, def), FF_OK);
  ff_shape_def solid = ff_shape_def_default();
  solid.kind = kind;
  solid.size = size;
  assert_int_equal(ff_scene_add_shape(&shape, scene, body, &solid), FF_OK);
  return body;
}

static inline ff_body scene_floor(ff_scene *scene, const char *name) {
  ff_body_def def = ff_body_def_default();
  def.name = name;
  def.kind = FF_BODY_FIXED;
  return scene_solid(scene, &def, FF_HALF_SPACE, (ff_vec3){0, 0, 0});
}

/* A ball of 1 kg and radius 0.1 m whose bottom is at this height, moving with vz. */
static inline ff_body scene_ball(ff_scene *scene, double height, double vz) {
  ff_body_def def = ff_body_def_default();
  def.name = "ball";
  def.mass = 1;
  def.position = (ff_vec3){0, 0, 0.1 + height};
  def.velocity = (ff_vec3){0, 0, vz};
  return scene_solid(scene, &def, FF_SPHERE, (ff_vec3){0.1, 0, 0});
}

static inline void scene_hunt_crossley(ff_scene *scene, const char *a, const char *b, double k,
                                       double n, double alpha, double mu) {
  static const char *names[3] = {"k", "n", "alpha"};
  static const char *mu_name[1] = {"mu_static"};
  double values[3] = {k, n, alpha};
  ff_contact_def def = ff_contact_def_default();
  def.a = a;
  def.b = b;
  def.normal = (ff_law_choice){"hunt-crossley", names, values, 3};
  if (mu > 0) {
    def.friction = (ff_law_choice){"coulomb", mu_name, &mu, 1};
  }
  assert_int_equal(ff_scene_add_contact(scene, &def), FF_OK);
}

/* Two bodies, "a" and "b", about to collide off centre without friction or damping. */
static inline void scene_collision(ff_scene *scene, ff_shape_kind kind_a, ff_vec3 size_a,
                                   ff_shape_kind kind_b, ff_vec3 size_b) {
  ff_body_def def = ff_body_def_default();
  def.name = "a";
  def.mass = 1;
  def.position = (ff_vec3){-0.5, 0.03, 0.02};
  def.velocity = (ff_vec3){1, 0, 0};
  def.omega = (ff_vec3){1, 2, 3};
  scene_solid(scene, &def, kind_a, size_a);
  def.name = "b";
  def.mass = 2;
  def.position = (ff_vec3){0.5, 0, 0};
  def.velocity = (ff_vec3){-1, 0, 0};
  def.omega = (ff_vec3){-2, 1, 0};
  scene_solid(scene, &def, kind_b, size_b);
  scene_hunt_crossley(scene, "a", "b", 1e5, 1.5, 0, 0);
}

/* ---- laws alone -------------------------------------------------------------------------- */

static inline const ff_law *law_with(const char *name, ff_law_params *params,
                                     const char *const *names, const double *values, int count) {
  const ff_law *law = ff_law_find(FF_LAW_ANY, name);
  assert_non_null(law);
  ff_law_params_default(law, params);
  for (int i = 0; i < count; i++) {
    assert_int_equal(ff_law_params_set(law, params, names[i], values[i], NULL), FF_OK);
  }
  assert_int_equal(ff_law_params_resolve(law, params, NULL, NULL), FF_OK);
  return law;
}

#endif
