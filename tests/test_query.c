/* Rays and distances. */
#include "footfall/footfall.h"
#include "geom/implicit.h"
#include "math/vec.h"
#include "model/model.h"
#include "scene_text.h"
#include "sim/sim.h"
#include "testing.h"

/* One body of each kind of shape, apart from each other, above a floor. */
static const char zoo[] =
    "footfall: 1\n"
    "stepper: {kind: rk4, step: 1e-3}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {}}}\n"
    "  sphere: {mass: 1, position: [0, 0, 2], shape: {sphere: {radius: 0.4}}}\n"
    "  ellipsoid: {mass: 1, position: [2, 0, 2], orientation: {axis: [1, 1, 0], angle: 0.7}, "
    "shape: {ellipsoid: {axes: [0.5, 0.3, 0.2]}}}\n"
    "  box: {mass: 1, position: [4, 0, 2], orientation: {axis: [1, 2, 3], angle: 1}, "
    "shape: {box: {size: [0.8, 0.5, 0.6]}}}\n"
    "  capsule: {mass: 1, position: [0, 2, 2], orientation: {axis: [1, 0, 0], angle: 1}, "
    "shape: {capsule: {radius: 0.2, length: 0.6}}}\n"
    "  cylinder: {mass: 1, position: [2, 2, 2], orientation: {axis: [1, 0, 1], angle: 1}, "
    "shape: {cylinder: {radius: 0.3, height: 0.5}}}\n"
    "  super: {mass: 1, position: [4, 2, 2], orientation: {axis: [0, 1, 1], angle: 1}, "
    "shape: {superellipsoid: {axes: [0.4, 0.3, 0.3], exponents: [6, 4]}}}\n"
    "  tetra: {mass: 1, position: [0, 4, 2], shape: {polyhedron: {vertices: [[0, 0, 0], "
    "[0.7, 0, 0], [0, 0.7, 0], [0, 0, 0.7]]}}}\n";

static bool is_inside(const ff_sim *sim, int shape, ff_vec3 point) {
  const ff_model_shape *s = &sim->model->shapes[shape];
  ff_pose pose = pose_mul(sim->state.bodies[s->body].pose, s->pose);
  ff_vec3 x = q_unrotate(pose.orientation, v3_sub(point, pose.position));
  return ff_geom_value(&s->geom, x, NULL) <= 0;
}

/* First of many points along the ray that is in a shape. */
static double march(const ff_sim *sim, ff_vec3 origin, ff_vec3 along, double range, double step) {
  for (double t = 0; t <= range; t += step) {
    for (int s = 0; s < sim->model->shape_count; s++) {
      if (is_inside(sim, s, v3_axpy(origin, t, along))) {
        return t;
      }
    }
  }
  return NAN;
}

static void rays_hit_what_lies_on_them(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, zoo, NULL);
  uint64_t seed = 77;
  const double range = 5, step = 2e-3;
  int hits[16] = {0}, misses = 0;
  for (int i = 0; i < 1500; i++) {
    ff_vec3 origin =
        v3(ff_random_in(&seed, -1, 5), ff_random_in(&seed, -1, 5), ff_random_in(&seed, 0.5, 4));
    ff_vec3 to =
        v3(ff_random_in(&seed, -1, 5), ff_random_in(&seed, -1, 5), ff_random_in(&seed, 1, 3));
    ff_vec3 along = v3_unit(v3_sub(to, origin));
    ff_ray_hit hit = ff_sim_ray(sim, origin, v3_scale(3, along), range, (ff_body){0});
    double marched = i % 5 == 0 ? march(sim, origin, along, range, step) : NAN;
    if (hit.body.id == 0) {
      assert_true(isnan(hit.distance) && isnan(marched));
      misses++;
      continue;
    }
    hits[hit.body.id]++;
    assert_true(!(marched < hit.distance - 1e-12)); /* nothing lies before it */
    if (!isnan(marched) && marched > hit.distance + step) {
      assert_true(marched < hit.distance + 0.2); /* marching passed over an edge */
    }
    assert_close(v3_norm(v3_sub(hit.point, v3_axpy(origin, hit.distance, along))), 0, 1e-12);
    assert_near(v3_norm(hit.normal), 1, 1e-12);
    if (hit.distance > 0) { /* on the surface: outside a little before, inside a little after */
      assert_true(v3_dot(hit.normal, along) < 1e-6);
      assert_false(is_inside(sim, hit.shape.id - 1, v3_axpy(hit.point, 1e-9, hit.normal)));
      assert_true(is_inside(sim, hit.shape.id - 1, v3_axpy(hit.point, -1e-9, hit.normal)));
    } else {
      assert_true(is_inside(sim, hit.shape.id - 1, origin));
    }
  }
  for (int b = 1; b <= ff_model_body_count(model); b++) {
    assert_true(hits[b] >= 5);
  }
  assert_true(misses > 100);
  end(sim, model);
}

static void known_rays(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, zoo, NULL);
  ff_body sphere = ff_model_body_find(model, "sphere"), none = {0};
  ff_ray_hit hit = ff_sim_ray(sim, v3(0, 0, 5), v3(0, 0, -1), INFINITY, none);
  assert_int_equal(hit.body.id, sphere.id);
  assert_near(hit.distance, 2.6, 1e-14);
  assert_near(hit.normal.z, 1, 1e-14);
  hit = ff_sim_ray(sim, v3(0, 0, 5), v3(0, 0, -2), INFINITY, sphere);
  assert_int_equal(hit.body.id, ff_model_body_find(model, "floor").id);
  assert_near(hit.distance, 5, 1e-14);
  assert_int_equal(ff_sim_ray(sim, v3(0, 0, 5), v3(0, 0, -1), 2.5, none).body.id, 0);
  assert_int_equal(ff_sim_ray(sim, v3(0, 0, 5), v3(0, 0, 1), INFINITY, none).body.id, 0);
  assert_true(ff_sim_ray(sim, v3(0, 0, 2), v3(1, 0, 0), 1, none).distance == 0);
  /* nothing to ask */
  const ff_vec3 zero = {0, 0, 0}, up = {0, 0, 1}, bad = {NAN, 0, 0};
  assert_int_equal(ff_sim_ray(sim, zero, zero, 1, none).body.id, 0);
  assert_int_equal(ff_sim_ray(sim, bad, up, 1, none).body.id, 0);
  assert_int_equal(ff_sim_ray(sim, zero, bad, 1, none).body.id, 0);
  assert_int_equal(ff_sim_ray(sim, zero, up, NAN, none).body.id, 0);
  assert_int_equal(ff_sim_ray(sim, zero, up, 1, (ff_body){.id = 99}).body.id, 0);
  assert_true(isnan(ff_sim_ray(NULL, zero, up, 1, none).distance));
  end(sim, model);
}

static void known_distances(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, zoo, NULL);
  ff_body floor = ff_model_body_find(model, "floor"), sphere = ff_model_body_find(model, "sphere");
  ff_separation apart = ff_sim_distance(sim, sphere, floor);
  assert_near(apart.distance, 1.6, 1e-14);
  assert_near(apart.normal.z, 1, 1e-14);
  assert_near(apart.on_a.z, 1.6, 1e-14);
  assert_close(apart.on_b.z, 0, 1e-14);
  ff_separation back = ff_sim_distance(sim, floor, sphere);
  assert_near(back.distance, 1.6, 1e-14);
  assert_near(back.normal.z, -1, 1e-14);
  assert_int_equal(back.shape_b.id, apart.shape_a.id);
  for (int i = 2; i <= ff_model_body_count(model); i++) {
    for (int j = 2; j < i; j++) {
      ff_separation d =
          ff_sim_distance(sim, ff_model_body_at(model, i), ff_model_body_at(model, j));
      ff_vec3 way = v3_sub(d.on_a, d.on_b);
      assert_close(v3_norm(way), d.distance, 1e-9);
      assert_close(v3_dot(way, d.normal), d.distance, 1e-9);
      ff_ray_hit hit = ff_sim_ray(sim, d.on_b, way, INFINITY, ff_model_body_at(model, j));
      if (hit.body.id == i) { /* else a third body is between them */
        assert_close(hit.distance, d.distance, 1e-6);
      }
    }
  }
  ff_body_state over = ff_sim_body(sim, sphere);
  over.position.z = 0.1;
  assert_int_equal(ff_sim_set_body(sim, sphere, &over), FF_OK);
  assert_near(ff_sim_distance(sim, sphere, floor).distance, -0.3, 1e-14);
  assert_true(isnan(ff_sim_distance(sim, sphere, sphere).distance));
  assert_true(isnan(ff_sim_distance(sim, floor, (ff_body){.id = 99}).distance));
  assert_true(isnan(ff_sim_distance(NULL, floor, sphere).distance));
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rays_hit_what_lies_on_them),
      cmocka_unit_test(known_rays),
      cmocka_unit_test(known_distances),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
