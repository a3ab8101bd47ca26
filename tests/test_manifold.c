/* Contact manifolds of shapes with flat faces or straight sides: weights sum to N, gradients are
 * derivatives, and what a law stores is a continuous function of the poses. */
#include "geom/implicit.h"
#include "geom/manifold.h"
#include "geom_fixture.h"
#include "solids.h"

#include <stdlib.h>

/* ---- bodies ------------------------------------------------------------------------------- */

enum {
  BOX,
  SLAB,
  OCTAHEDRON,
  TETRAHEDRON,
  STONE,
  SPLINTER,
  CYLINDER,
  COIN,
  CAPSULE,
  PILL,
  LENS,
  CUT,
  BODIES
};
static const char *const names[BODIES] = {"box",      "slab",     "octahedron", "tetrahedron",
                                          "stone",    "splinter", "cylinder",   "coin",
                                          "capsule",  "pill",     "lens",       "cut"};

static void bodies_make(ff_arena *arena, ff_geom out[BODIES]) {
  static const ff_vec3 octahedron[6] = {{.1, 0, 0},  {-.1, 0, 0}, {0, .1, 0},
                                        {0, -.1, 0}, {0, 0, .1},  {0, 0, -.1}};
  static const ff_vec3 tetrahedron[4] = {
      {.1, .1, .1}, {-.1, -.1, .1}, {-.1, .1, -.1}, {.1, -.1, -.1}};
  static const ff_vec3 splinter[5] = {
      {.2, 0, 0}, {-.1, .02, 0}, {-.1, -.02, 0}, {-.1, 0, .01}, {-.1, 0, -.01}};
  enum { POINTS = 24 };
  ff_pose frame;
  ff_vec3 points[POINTS];
  uint64_t seed = 5;
  for (int i = 0; i < POINTS; i++) {
    points[i] = v3_scale(.1, v3_unit(random_vec(&seed, 1)));
  }
  ff_shape_def lens[2] = {solid_member(FF_SPHERE, v3(.15, 0, 0), v3(0, 0, -.1), v3(0, 0, 0)),
                          solid_member(FF_BOX, v3(.08, .07, .06), v3(0, 0, 0), v3(0, 0, 0))};
  ff_shape_def cut[3] = {solid_member(FF_ELLIPSOID, v3(.1, .08, .12), v3(0, 0, 0), v3(0, 0, 0)),
                         solid_member(FF_HALF_SPACE, v3(0, 0, 0), v3(0, 0, .04), v3(.3, 0, 0)),
                         solid_member(FF_CYLINDER, v3(.08, .1, 0), v3(.01, 0, 0), v3(.1, .4, 0))};
  out[BOX] = (ff_geom){.kind = FF_BOX, .size = {.1, .08, .06}};
  out[SLAB] = (ff_geom){.kind = FF_BOX, .size = {.12, .1, .03}};
  out[OCTAHEDRON] = solid_polyhedron(arena, octahedron, 6, &frame);
  out[TETRAHEDRON] = solid_polyhedron(arena, tetrahedron, 4, &frame);
  out[STONE] = solid_polyhedron(arena, points, POINTS, &frame);
  out[SPLINTER] = solid_polyhedron(arena, splinter, 5, &frame);
  out[CYLINDER] = (ff_geom){.kind = FF_CYLINDER, .size = {.07, .1, 0}};
  out[COIN] = (ff_geom){.kind = FF_CYLINDER, .size = {.1, .03, 0}};
  out[CAPSULE] = (ff_geom){.kind = FF_CAPSULE, .size = {.05, .08, 0}};
  out[PILL] = (ff_geom){.kind = FF_CAPSULE, .size = {.06, .03, 0}};
  out[LENS] = solid_intersection(arena, lens, 2, &frame);
  out[CUT] = solid_intersection(arena, cut, 3, &frame);
}

/* Two bodies. */
typedef struct duo {
  const ff_geom *a, *b;
  ff_pose pa, pb;
} duo;

/* Moves a along the normal until the two overlap by this depth (m). */
static bool place_at_depth(duo *at, double depth) {
  ff_distance d;
  for (int i = 0; i < 50; i++) {
    ff_distance_query(&d, at->a, &at->pa, at->b, &at->pb, INFINITY);
    if (fabs(d.gap + depth) < 1e-9) {
      return true;
    }
    at->pa.position = v3_axpy(at->pa.position, -(d.gap + depth), d.normal);
  }
  return false;
}

/* ---- a law: spring of 1e5 N/m ------------------------------------------------------------------ */

static double stored(duo at) {
  ff_manifold m;
  double sum = 0;
  ff_manifold_find(at.a, &at.pa, at.b, &at.pb, 0, &m);
  for (int i = 0; i < m.count; i++) {
    double d = greater(m.samples[i].depth, 0);
    sum += m.samples[i].weight * 0.5e5 * d * d;
  }
  return sum;
}

/* The gradient of what is stored, turns about the origin of a. */
static ff_gradient stored_gradient(duo at) {
  ff_manifold m;
  ff_gradient sum = {0};
  ff_manifold_find(at.a, &at.pa, at.b, &at.pb, 0, &m);
  for (int i = 0; i < m.count; i++) {
    const ff_sample *s = &m.samples[i];
    double d = greater(s->depth, 0), energy = 0.5e5 * d * d, force = s->weight * 1e5 * d;
    ff_vec3 shift = v3_axpy(v3_scale(force, s->d_depth.shift), energy, s->d_weight.shift);
    ff_vec3 turn = v3_axpy(v3_scale(force, s->d_depth.turn), energy, s->d_weight.turn);
    sum.shift = v3_add(sum.shift, shift);
    sum.turn = v3_add(sum.turn, v3_add(turn, v3_cross(v3_sub(s->point, at.pa.position), shift)));
  }
  return sum;
}

static ff_pose moved(ff_pose pose, double part, ff_vec3 way, ff_vec3 turn) {
  return (ff_pose){v3_axpy(pose.position, part, way),
                   q_mul(q_exp(v3_scale(part, turn)), pose.orientation)};
}

/* How far the gradient is from central differences, over its size (0.1 m for turns). */
static double gradient_error(duo at, double h) {
  ff_gradient g = stored_gradient(at);
  double worst = 0, size = v3_norm(g.shift) + v3_norm(g.turn) / .1;
  for (int k = 0; k < 6; k++) {
    ff_vec3 e = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2), none = v3(0, 0, 0);
    ff_vec3 way = k < 3 ? e : none, turn = k < 3 ? none : v3_scale(10, e);
    duo up = at, down = at;
    up.pa = moved(at.pa, h, way, turn);
    down.pa = moved(at.pa, -h, way, turn);
    double slope = (stored(up) - stored(down)) / (k < 3 ? 2 * h : 20 * h);
    double mine = k < 3 ? v3_dot(e, g.shift) : v3_dot(e, g.turn);
    worst = fmax(worst, fabs(slope - mine) / (k < 3 ? size : .1 * size));
  }
  return size > 0 ? worst : 0;
}

/* Halves a way towards where the energy changes most: what is left of a change is a leap, over the
 * energy at the ends of the way. */
static double leap_on(duo at, ff_vec3 way, ff_vec3 turn) {
  ff_pose from = at.pa;
  double low = 0, high = 1, at_low = stored(at);
  at.pa = moved(from, 1, way, turn);
  double at_high = stored(at), most = fmax(at_low, at_high);
  for (int k = 0; k < 45; k++) {
    double half = 0.5 * (low + high);
    at.pa = moved(from, half, way, turn);
    double here = stored(at);
    bool lower = fabs(here - at_low) > fabs(at_high - here);
    *(lower ? &high : &low) = half;
    *(lower ? &at_high : &at_low) = here;
    most = fmax(most, here);
  }
  return most > 0 ? fabs(at_high - at_low) / most : 0;
}

/* ---- all pairs ------------------------------------------------------------------------------ */

static int bigger(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static void test_gradient(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom bodies[BODIES];
  bodies_make(&arena, bodies);
  uint64_t seed = 9;
  enum { ROUNDS = 300 };
  for (int a = 0; a < BODIES; a++) {
    for (int b = 0; b < BODIES; b++) {
      int rounds = a >= LENS || b >= LENS ? ROUNDS / 10 : ROUNDS, count = 0;
      double errors[ROUNDS];
      for (int i = 0; i < rounds; i++) {
        duo at = {.a = &bodies[a], .b = &bodies[b], .pa = random_pose(&seed, .1)};
        at.pb = random_pose(&seed, .01);
        if (place_at_depth(&at, 4e-3 * ff_random(&seed) * ff_random(&seed))) {
          errors[count++] = gradient_error(at, 1e-8);
          if (getenv("V") && errors[count-1] > 1e-3) {
            ff_manifold m;
            ff_manifold_find(at.a, &at.pa, at.b, &at.pb, 0, &m);
            printf("  %s %s i %d err %g D %g gap %g blend %g n=%d:", names[a], names[b], i, errors[count-1], m.depth, m.gap, m.blend, m.count);
            for (int k = 0; k < m.count; k++) printf(" [%d %d %d w %g d %g]", m.samples[k].id.kind, m.samples[k].id.a, m.samples[k].id.b, m.samples[k].weight, m.samples[k].depth);
            printf("\n");
          }
        }
      }
      qsort(errors, (size_t)count, sizeof *errors, bigger);
      if (count) printf("%-12s %-12s %4d  median %.1e 90%% %.1e 99%% %.1e worst %.1e\n", names[a], names[b], count,
                    errors[count / 2], errors[count * 9 / 10], errors[count * 99 / 100],
                    errors[count - 1]);
    }
  }
  ff_arena_free(&arena);
}

static void test_leaps(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom bodies[BODIES];
  bodies_make(&arena, bodies);
  uint64_t seed = 11;
  for (int a = 0; a < BODIES; a++) {
    for (int b = 0; b < BODIES; b++) {
      int rounds = a >= LENS || b >= LENS ? 4 : 40, bad = 0;
      double worst = 0;
      for (int i = 0; i < rounds; i++) {
        duo at = {.a = &bodies[a], .b = &bodies[b], .pa = random_pose(&seed, .1)};
        at.pb = random_pose(&seed, .01);
        place_at_depth(&at, 4e-3 * ff_random(&seed) * ff_random(&seed));
        double leap = leap_on(at, random_vec(&seed, .02), random_vec(&seed, .3));
        worst = fmax(worst, leap);
        bad += leap > 1e-9;
      }
      if (bad) printf("%-12s %-12s bad %d of %d worst %g\n", names[a], names[b], bad, rounds, worst);
    }
  }
  ff_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradient), cmocka_unit_test(test_leaps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
