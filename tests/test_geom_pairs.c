/* Contact points of every two shapes: how many, where, and how they change. */
#include "geom/distance.h"
#include "geom/manifold.h"
#include "solids.h"
#include "worlds.h"

static const ff_quat level = {1, 0, 0, 0};

/* Law units of all samples that overlap. */
static double law_units(ff_geom a, ff_pose pa, ff_geom b, ff_pose pb, ff_manifold *out) {
  double sum = 0;
  if (ff_manifold_in_order(a.kind, b.kind)) {
    ff_manifold_find(&a, &pa, &b, &pb, 0, out);
  } else {
    ff_manifold_find(&b, &pb, &a, &pa, 0, out);
  }
  for (int i = 0; i < out->count; i++) {
    sum += out->samples[i].weight;
  }
  return sum;
}

/* a lies 1 um deep on the top of b (half height 0.1). */
static double lying(ff_geom a, double height, ff_vec3 at, ff_vec3 turn, ff_geom b,
                    ff_manifold *out) {
  ff_pose pa = {v3(at.x, at.y, 0.1 + height - 1e-6), q_exp(turn)}, pb = {{0, 0, 0}, level};
  double sum = law_units(a, pa, b, pb, out);
  for (int i = 0; i < out->count; i++) {
    assert_close(out->samples[i].depth, 1e-6, 1e-14);
    assert_close(fabs(out->samples[i].normal.z), 1, 1e-12);
    assert_close(out->samples[i].point.z, 0.1, 2e-6);
  }
  return sum;
}

static void test_boxes_face_on_face(void **state) {
  (void)state;
  ff_geom box = {.kind = FF_BOX, .size = {.1, .1, .1}},
          small = {.kind = FF_BOX, .size = {.05, .03, .02}};
  ff_manifold out;
  assert_close(lying(box, .1, v3(0, 0, 0), v3(0, 0, 0), box, &out), 4, 1e-9); /* aligned */
  assert_int_equal(out.count, 4);
  assert_close(lying(box, .1, v3(.05, 0, 0), v3(0, 0, 0), box, &out), 4, 1e-9);
  assert_int_equal(out.count, 4);
  assert_close(lying(box, .1, v3(.05, .08, 0), v3(0, 0, .3), box, &out), 4, 1e-9);
  assert_close(lying(box, .1, v3(0, 0, 0), v3(0, 0, ff_pi / 4), box, &out), 4, 1e-9);
  assert_int_equal(out.count, 8);
  assert_close(lying(small, .02, v3(0, 0, 0), v3(0, 0, ff_pi / 4), box, &out), 4, 1e-9);
  assert_int_equal(out.count, 4);
  assert_close(lying(small, .02, v3(.09, 0, 0), v3(0, 0, 1), box, &out), 4, 1e-9);
  /* planks that cross: no corner of one on the other */
  ff_geom plank = {.kind = FF_BOX, .size = {.5, .02, .1}};
  assert_close(lying(plank, .1, v3(0, 0, 0), v3(0, 0, ff_pi / 2), plank, &out), 4, 1e-9);
  assert_int_equal(out.count, 4);
}

static void test_lines_on_faces(void **state) {
  (void)state;
  ff_geom box = {.kind = FF_BOX, .size = {.3, .3, .1}},
          pill = {.kind = FF_CAPSULE, .size = {.05, .1, 0}};
  ff_geom can = {.kind = FF_CYLINDER, .size = {.05, .1, 0}};
  ff_vec3 down = v3(0, ff_pi / 2, 0); /* axis along x */
  ff_manifold out;
  assert_close(lying(pill, .05, v3(0, 0, 0), down, box, &out), 2, 1e-9);
  assert_close(lying(pill, .05, v3(.25, 0, 0), down, box, &out), 2, 1e-9); /* one end overhangs */
  assert_close(lying(can, .05, v3(0, 0, 0), down, box, &out), 2.02, 0.02);
  assert_int_equal(out.count, 2);
  assert_close(lying(can, .1, v3(0, 0, 0), v3(0, 0, 0), box, &out), 4, 1e-9); /* standing */
}

static void test_polyhedra_lie_like_boxes(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_pose frame;
  ff_geom hull = solid_polyhedron(&arena, solid_cube, 8, &frame),
          box = {.kind = FF_BOX, .size = {.5, .5, .1}};
  ff_manifold out;
  /* its principal frame may be turned: lay it down by its own extents */
  assert_close(lying(hull, hull.size.z, v3(.1, .1, 0), v3(0, 0, .4), box, &out), 4, 1e-9);
  ff_arena_free(&arena);
}

/* Half a ball stands on its flat side by corners on its rim that weigh four points, and on its
 * round side by one. */
static void test_dome_on_a_half_space(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_pose frame, ground = {{0, 0, 0}, level};
  ff_shape_def half[2] = {solid_member(FF_SPHERE, v3(.3, 0, 0), v3(0, 0, 0), v3(0, 0, 0)),
                          solid_member(FF_HALF_SPACE, v3(0, 0, 0), v3(0, 0, 0), v3(ff_pi, 0, 0))};
  ff_geom dome = solid_intersection(&arena, half, 2, &frame), plane = {.kind = FF_HALF_SPACE};
  ff_sample out[FF_SAMPLES_MAX];
  ff_pose flat = pose_mul((ff_pose){v3(0, 0, -1e-6), level}, frame);
  int count = contact_samples(&dome, &flat, &plane, &ground, 0, out);
  double weight = 0;
  for (int i = 0; i < count; i++) {
    weight += out[i].weight;
    assert_close(out[i].depth, 1e-6, 1e-9);
    assert_close(v3_norm(v3(out[i].point.x, out[i].point.y, 0)), .3, 1e-6);
  }
  assert_close(weight, 4, 1e-6);
  ff_pose round = pose_mul((ff_pose){v3(0, 0, .3 - 1e-6), q_exp(v3(ff_pi, 0, 0))}, frame);
  assert_int_equal(contact_samples(&dome, &round, &plane, &ground, 0, out), 1);
  assert_close(out[0].weight, 1, 1e-9);
  ff_arena_free(&arena);
}

/* Ids stay while a box slides and turns on another. */
static void test_ids_stay(void **state) {
  (void)state;
  ff_geom box = {.kind = FF_BOX, .size = {.1, .08, .05}},
          table = {.kind = FF_BOX, .size = {.5, .5, .1}};
  ff_manifold out;
  for (int i = 0; i < 200; i++) {
    lying(box, .05, v3(.001 * i, 0, 0), v3(0, 0, .03 * i), table, &out);
    assert_int_equal(out.count, 4);
    for (int k = 0; k < 4; k++) {
      assert_int_equal(out.samples[k].id.kind, FF_PAIR_VERTEX_FACE);
      assert_int_equal(out.samples[k].id.a, k);
      ff_vec3 corner = v3(k & 1 ? .1 : -.1, k & 2 ? .08 : -.08, -.05);
      ff_pose pose = {v3(.001 * i, 0, .15 - 1e-6), q_exp(v3(0, 0, .03 * i))};
      assert_close(v3_norm(v3_sub(out.samples[k].point, pose_point(pose, corner))), 0, 1e-6);
    }
  }
}

/* A hair's breadth changes no depth by more than that, however the faces lie: boxes of one size,
 * turned by half a radian, tilted by 1e-2 to 1e-6. */
static void test_depths_do_not_jump(void **state) {
  (void)state;
  ff_geom box = {.kind = FF_BOX, .size = {.1, .1, .1}};
  ff_pose under = {{0, 0, 0}, level};
  uint64_t seed = 7;
  for (int i = 0; i < 20000; i++) {
    double tilt = pow(10, -2 - i % 5);
    double height = .2 - 1e-4 * ff_random(&seed), x = ff_random_in(&seed, -tilt, tilt);
    ff_quat turn = q_mul(q_exp(v3(x, ff_random_in(&seed, -tilt, tilt), 0)), q_exp(v3(0, 0, .5)));
    ff_pose here = {v3(.02, .03, height), turn};
    ff_pose there = {v3_add(here.position, random_vec(&seed, 1e-7)),
                     q_mul(q_exp(random_vec(&seed, 1e-7)), turn)};
    ff_distance now, then;
    ff_distance_query(&now, &box, &here, &box, &under, INFINITY);
    ff_distance_query(&then, &box, &there, &box, &under, INFINITY);
    assert_close(then.gap, now.gap, 1e-6);
  }
}

/* The gap between the planes across n that touch two boxes. */
static double gap_across(const ff_geom *a, const ff_pose *pa, const ff_geom *b, const ff_pose *pb,
                         ff_vec3 n) {
  ff_vec3 far = ff_geom_support(a, q_unrotate(pa->orientation, v3_neg(n)));
  ff_vec3 near = ff_geom_support(b, q_unrotate(pb->orientation, n));
  return v3_dot(n, v3_sub(pose_point(*pa, far), pose_point(*pb, near)));
}

/* No direction has a larger gap than that found, tilted a little or turned at will. */
static void test_boxes_know_the_way_out(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int i = 0; i < 5000; i++) {
    ff_geom a = {.kind = FF_BOX, .size = v3_add(v3(.12, .12, .12), random_vec(&seed, .1))};
    ff_geom b = {.kind = FF_BOX, .size = v3_add(v3(.12, .12, .12), random_vec(&seed, .1))};
    ff_pose pa = {random_vec(&seed, .15), q_exp(random_vec(&seed, i % 2 ? 3 : pow(10, -i % 16)))};
    ff_pose pb = {v3(0, 0, 0), {1, 0, 0, 0}};
    ff_distance near;
    ff_distance_query(&near, &a, &pa, &b, &pb, INFINITY);
    assert_true(near.settled);
    assert_close(gap_across(&a, &pa, &b, &pb, near.normal), near.gap, 1e-12);
    assert_close(v3_norm(v3_sub(v3_axpy(near.on_b, near.gap, near.normal), near.on_a)), 0, 1e-9);
    for (int k = 0; k < 200; k++) { /* near it, and anywhere */
      ff_vec3 n = v3_unit(v3_axpy(random_vec(&seed, pow(10, -k % 8)), k % 9 ? 1 : 0, near.normal));
      assert_true(gap_across(&a, &pa, &b, &pb, n) < near.gap + 1e-9);
    }
  }
}

/* The rate of the gap is the normal velocity, for every pair that overlaps a little. */
static void test_rates(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom geoms[SOLIDS];
  solids_make(&arena, geoms);
  uint64_t seed = 1234;
  int checked = 0, broken = 0;
  double step = 1e-6;
  for (int i = 0; i < SOLIDS * SOLIDS * 6; i++) {
    const ff_geom *a = &geoms[i % SOLIDS], *b = &geoms[i / SOLIDS % SOLIDS];
    ff_pose pa = random_pose(&seed, .5), pb = random_pose(&seed, .2);
    ff_vec3 spin = random_vec(&seed, 1), speed = random_vec(&seed, 1);
    ff_distance near;
    ff_distance_query(&near, a, &pa, b, &pb, INFINITY);
    if (!ff_manifold_in_order(a->kind, b->kind) || !near.settled) {
      continue;
    }
    pa.position = v3_axpy(pa.position, -near.gap - .002, near.normal); /* 2 mm deep */
    ff_pose next = {v3_axpy(pa.position, step, speed),
                    q_mul(q_exp(v3_scale(step, spin)), pa.orientation)};
    ff_pose last = {v3_axpy(pa.position, -step, speed),
                    q_mul(q_exp(v3_scale(-step, spin)), pa.orientation)};
    ff_distance now, later, before;
    ff_distance_query(&now, a, &pa, b, &pb, INFINITY);
    ff_distance_query(&later, a, &next, b, &pb, INFINITY);
    ff_distance_query(&before, a, &last, b, &pb, INFINITY);
    ff_vec3 point = v3_scale(0.5, v3_add(now.on_a, now.on_b));
    ff_vec3 at = v3_add(speed, v3_cross(spin, v3_sub(point, pa.position)));
    double rate = (later.gap - before.gap) / (2 * step);
    checked++;
    broken += !(fabs(rate - v3_dot(now.normal, at)) < 1e-5);
  }
  print_message("%d of %d break the rule\n", broken, checked);
  assert_true(checked > 200);
  assert_true(broken <= checked / 50); /* where one feature gives way to another within the step */
  ff_arena_free(&arena);
}

/* The normals of contact samples turn as told, for every pair that has points: against
 * differences. */
static void test_normal_rates(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom geoms[SOLIDS];
  solids_make(&arena, geoms);
  uint64_t seed = 77;
  int checked = 0, off = 0;
  double step = 1e-6;
  for (int i = 0; i < SOLIDS * SOLIDS * 6; i++) {
    const ff_geom *a = &geoms[i % SOLIDS], *b = &geoms[i / SOLIDS % SOLIDS];
    ff_pose pa = random_pose(&seed, .5), pb = random_pose(&seed, .2);
    ff_vec3 spin = random_vec(&seed, 1), speed = random_vec(&seed, 1);
    ff_distance near;
    ff_distance_query(&near, a, &pa, b, &pb, INFINITY);
    if (!ff_manifold_in_order(a->kind, b->kind) || ff_manifold_has_features(a->kind, b->kind) ||
        !near.settled) {
      continue;
    }
    pa.position = v3_axpy(pa.position, -near.gap - .002, near.normal); /* 2 mm deep */
    ff_pose next = {v3_axpy(pa.position, step, speed),
                    q_mul(q_exp(v3_scale(step, spin)), pa.orientation)};
    ff_pose last = {v3_axpy(pa.position, -step, speed),
                    q_mul(q_exp(v3_scale(-step, spin)), pa.orientation)};
    ff_manifold now, later, before;
    ff_mat3 rate[2];
    if (ff_manifold_find(a, &pa, b, &pb, 1, &now) != 1) {
      continue;
    }
    ff_manifold_find(a, &next, b, &pb, 1, &later);
    ff_manifold_find(a, &last, b, &pb, 1, &before);
    const ff_sample *at = &now.samples[0];
    ff_sample_normal_rates(a, &pa, b, &pb, at->id, at->normal, rate);
    ff_vec3 turning = v3_add(m3_mul(rate[0], speed), m3_mul(rate[1], spin));
    ff_vec3 differences =
        v3_scale(0.5 / step, v3_sub(later.samples[0].normal, before.samples[0].normal));
    checked++;
    off += !(v3_norm(v3_sub(turning, differences)) < 1e-4 * (1 + v3_norm(turning)));
  }
  print_message("%d of %d normals turn otherwise\n", off, checked);
  assert_true(checked > 100);
  assert_true(off <= checked / 50); /* where one feature gives way to another within the step */
  ff_arena_free(&arena);
}

/* Derivatives of the nearest points against differences. */
static void test_derivatives(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom geoms[SOLIDS];
  solids_make(&arena, geoms);
  uint64_t seed = 4321;
  int checked = 0, off = 0;
  double step = 1e-6;
  for (int i = 0; i < SOLIDS * SOLIDS * 3; i++) {
    const ff_geom *a = &geoms[i % SOLIDS], *b = &geoms[i / SOLIDS % SOLIDS];
    ff_pose pa = random_pose(&seed, .7), pb = random_pose(&seed, .2);
    ff_distance at, more, less;
    ff_distance_rate rates[6];
    ff_distance_query(&at, a, &pa, b, &pb, INFINITY);
    if (!(at.gap > -.05) || !ff_distance_rates(rates, &at, a, &pa, b, &pb)) {
      continue;
    }
    for (int k = 0; k < 6; k++) {
      ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
      ff_pose up = pa, down = pa;
      if (k < 3) {
        up.position = v3_axpy(pa.position, step, axis);
        down.position = v3_axpy(pa.position, -step, axis);
      } else {
        up.orientation = q_mul(q_exp(v3_scale(step, axis)), pa.orientation);
        down.orientation = q_mul(q_exp(v3_scale(-step, axis)), pa.orientation);
      }
      ff_distance_query(&more, a, &up, b, &pb, INFINITY);
      ff_distance_query(&less, a, &down, b, &pb, INFINITY);
      checked++;
      double gap = (more.gap - less.gap) / (2 * step);
      ff_vec3 n = v3_scale(0.5 / step, v3_sub(more.normal, less.normal));
      ff_vec3 p = v3_scale(0.5 / step, v3_sub(more.on_a, less.on_a));
      double scale = 1 + v3_norm(rates[k].normal) + v3_norm(rates[k].on_a);
      off +=
          !(fabs(gap - rates[k].gap) < 1e-6 && v3_norm(v3_sub(n, rates[k].normal)) < 1e-4 * scale &&
            v3_norm(v3_sub(p, rates[k].on_a)) < 1e-4 * scale);
    }
  }
  print_message("%d of %d derivatives are off\n", off, checked);
  assert_true(checked > 300);
  assert_true(off <= checked / 50); /* a kink within the step */
  ff_arena_free(&arena);
}

/* Two bodies collide off centre without friction or damping: energy and momentum stay. They sink in
 * by centimetres; where samples fade into rim prisms or the pair as a whole depths have kinks, and
 * the error of rk4 is of first order in the step. */
static double collide(ff_shape_kind kind_a, ff_vec3 size_a, ff_shape_kind kind_b, ff_vec3 size_b) {
  bool kinks = kind_a == FF_CYLINDER && kind_b == FF_CYLINDER; /* two kinds of prisms in each */
  world w = {.scene = scene_new(0, "rk4", kinks ? 1.25e-5 : 2.5e-5)};
  scene_collision(w.scene, kind_a, size_a, kind_b, size_b);
  world_start(&w);
  assert_int_equal(world_advance(&w, 0.6), FF_OK);
  ff_audit audit = ff_sim_audit(w.sim);
  assert_true(ff_sim_body(w.sim, (ff_body){.id = 1}).velocity.x < 0.5); /* they did meet */
  assert_true(audit.momentum_residual < 1e-11 && audit.angular_residual < 1e-11);
  double off = audit.energy_residual / audit.energy_scale;
  world_end(&w);
  return off;
}

static void test_collisions_keep_energy(void **state) {
  (void)state;
  const ff_vec3 size[] = {[FF_ELLIPSOID] = {.1, .2, .15},
                          [FF_BOX] = {.1, .2, .15},
                          [FF_CAPSULE] = {.1, .15, 0},
                          [FF_CYLINDER] = {.15, .1, 0},
                          [FF_SUPERELLIPSOID] = {.1, .2, .15}};
  const ff_shape_kind kinds[] = {FF_ELLIPSOID, FF_BOX, FF_CAPSULE, FF_CYLINDER, FF_SUPERELLIPSOID};
  for (int i = 0; i < 5; i++) {
    for (int k = 0; k <= i; k++) {
      double off = collide(kinds[i], size[kinds[i]], kinds[k], size[kinds[k]]);
      print_message("%s on %s: %.1e\n", ff_shape_kind_name(kinds[i]), ff_shape_kind_name(kinds[k]),
                    off);
      assert_true(off < 1e-4);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_boxes_face_on_face),
      cmocka_unit_test(test_lines_on_faces),
      cmocka_unit_test(test_polyhedra_lie_like_boxes),
      cmocka_unit_test(test_dome_on_a_half_space),
      cmocka_unit_test(test_ids_stay),
      cmocka_unit_test(test_depths_do_not_jump),
      cmocka_unit_test(test_boxes_know_the_way_out),
      cmocka_unit_test(test_rates),
      cmocka_unit_test(test_normal_rates),
      cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_collisions_keep_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
