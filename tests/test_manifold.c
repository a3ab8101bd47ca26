/* Manifold of two polyhedra: weights sum to N, gradients are derivatives, the energy of a law is a
 * continuous function of the poses. */
#include "geom/manifold.h"
#include "geom_fixture.h"
#include "solids.h"

enum { FLATS = 5, STONE = 24 };

static const ff_vec3 octahedron[6] = {{.1, 0, 0},  {-.1, 0, 0}, {0, .1, 0},
                                      {0, -.1, 0}, {0, 0, .1},  {0, 0, -.1}};
static const ff_vec3 tetrahedron[4] = {
    {.1, .1, .1}, {-.1, -.1, .1}, {-.1, .1, -.1}, {.1, -.1, -.1}};

static void flats_make(ff_arena *arena, ff_geom out[FLATS]) {
  ff_pose frame;
  ff_vec3 points[STONE];
  uint64_t seed = 5;
  for (int i = 0; i < STONE; i++) {
    points[i] = v3_scale(.1, v3_unit(random_vec(&seed, 1)));
  }
  out[0] = (ff_geom){.kind = FF_BOX, .size = {.1, .08, .06}};
  out[1] = (ff_geom){.kind = FF_BOX, .size = {.12, .1, .03}};
  out[2] = solid_polyhedron(arena, octahedron, 6, &frame);
  out[3] = solid_polyhedron(arena, tetrahedron, 4, &frame);
  out[4] = solid_polyhedron(arena, points, STONE, &frame);
  for (int i = 2; i < FLATS; i++) {
    assert_int_equal(ff_geom_prepare(&out[i], INFINITY, arena), FF_OK);
  }
}

static double weight_sum(const ff_manifold *m) {
  double sum = 0;
  for (int i = 0; i < m->count; i++) {
    sum += m->samples[i].weight;
  }
  return sum;
}

/* J, of a spring of 1e5 N/m. */
static double stored(const ff_geom *a, ff_pose pa, const ff_geom *b, ff_pose pb) {
  ff_manifold m;
  double sum = 0;
  ff_manifold_find(a, &pa, b, &pb, 0, &m);
  for (int i = 0; i < m.count; i++) {
    double d = greater(m.samples[i].depth, 0);
    sum += m.samples[i].weight * 0.5e5 * d * d;
  }
  return sum;
}

/* The gradient of what is stored, turns about the origin of a. */
static ff_gradient push(const ff_geom *a, ff_pose pa, const ff_geom *b, ff_pose pb) {
  ff_manifold m;
  ff_gradient sum = {0};
  ff_manifold_find(a, &pa, b, &pb, 0, &m);
  for (int i = 0; i < m.count; i++) {
    const ff_sample *s = &m.samples[i];
    double d = greater(s->depth, 0), energy = 0.5e5 * d * d, force = s->weight * 1e5 * d;
    ff_vec3 shift = v3_axpy(v3_scale(force, s->d_depth.shift), energy, s->d_weight.shift);
    ff_vec3 turn = v3_axpy(v3_scale(force, s->d_depth.turn), energy, s->d_weight.turn);
    sum.shift = v3_add(sum.shift, shift);
    sum.turn = v3_add(sum.turn, v3_add(turn, v3_cross(v3_sub(s->point, pa.position), shift)));
  }
  return sum;
}

/* a above b along a random direction, overlapping by depth (m). */
static bool place(const ff_geom *a, const ff_geom *b, double depth, uint64_t *seed, ff_pose *pa,
                  ff_pose *pb) {
  *pa = random_pose(seed, .1);
  *pb = random_pose(seed, .01);
  ff_distance d;
  for (int i = 0; i < 50; i++) {
    ff_distance_query(&d, a, pa, b, pb, INFINITY);
    if (fabs(d.gap + depth) < 1e-9) {
      return true;
    }
    pa->position = v3_axpy(pa->position, -(d.gap + depth), d.normal);
  }
  return false;
}

static void test_weights(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom flats[FLATS];
  flats_make(&arena, flats);
  uint64_t seed = 7;
  int checked = 0, wrong = 0, most = 0;
  for (int i = 0; i < 20000; i++) {
    const ff_geom *a = &flats[i % FLATS], *b = &flats[i / FLATS % FLATS];
    ff_pose pa, pb;
    if (!place(a, b, 2e-4 * ff_random(&seed), &seed, &pa, &pb)) {
      continue;
    }
    ff_manifold m;
    ff_manifold_find(a, &pa, b, &pb, INFINITY, &m);
    checked++;
    most = m.count > most ? m.count : most;
    if (m.count < FF_SAMPLES_MAX && fabs(weight_sum(&m) - 4) > 1e-9) {
      wrong++;
      if (wrong < 5)
        print_message("%d: kinds %d %d count %d sum %.12g gap %g\n", i, a->kind, b->kind, m.count,
                      weight_sum(&m), m.gap);
    }
  }
  print_message("weights: %d checked, %d wrong, most %d\n", checked, wrong, most);
  ff_arena_free(&arena);
}

static void test_gradient(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom flats[FLATS];
  flats_make(&arena, flats);
  uint64_t seed = 9;
  int checked = 0, off[8] = {0};
  for (int i = 0; i < 5000; i++) {
    const ff_geom *a = &flats[i % FLATS], *b = &flats[i / FLATS % FLATS];
    ff_pose pa, pb;
    if (!place(a, b, 4e-3 * ff_random(&seed) * ff_random(&seed), &seed, &pa, &pb)) {
      continue;
    }
    ff_gradient g = push(a, pa, b, pb);
    double h = 1e-8, worst = 0, size = v3_norm(g.shift) + v3_norm(g.turn) / .1;
    for (int k = 0; k < 6; k++) {
      ff_vec3 e = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
      ff_pose up = pa, down = pa;
      if (k < 3) {
        up.position = v3_axpy(pa.position, h, e);
        down.position = v3_axpy(pa.position, -h, e);
      } else {
        up.orientation = q_mul(q_exp(v3_scale(10 * h, e)), pa.orientation);
        down.orientation = q_mul(q_exp(v3_scale(-10 * h, e)), pa.orientation);
      }
      double slope = (stored(a, up, b, pb) - stored(a, down, b, pb)) / (k < 3 ? 2 * h : 20 * h);
      double mine = k < 3 ? v3_dot(e, g.shift) : v3_dot(e, g.turn);
      worst = fmax(worst, fabs(slope - mine) / (k < 3 ? size : .1 * size));
    }
    checked++;
    for (int k = 0; k < 8; k++)
      off[k] += worst > pow(10, -k);
    if (worst > 1e-3) {
      ff_manifold m;
      ff_manifold_find(a, &pa, b, &pb, 0, &m);
      print_message("%d kinds %d %d worst %g count %d depth %g gap %g blend %g kind0 %d\n", i,
                    a->kind, b->kind, worst, m.count, m.depth, m.gap, m.blend,
                    m.samples[0].id.kind);
    }
  }
  print_message("gradient: %d checked; worse than 1e-k:", checked);
  for (int k = 0; k < 8; k++)
    print_message(" %d", off[k]);
  print_message("\n");
  ff_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_weights),
                                     cmocka_unit_test(test_gradient)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
