/* How touches change with the pose of a body, against differences of touches. */
#include "geom/geom.h"
#include "math/vec.h"
#include "solids.h"
#include "testing.h"

static ff_vec3 random_vector(uint64_t *seed, double size) {
  return v3(ff_random_in(seed, -size, size), ff_random_in(seed, -size, size),
            ff_random_in(seed, -size, size));
}

static ff_geom random_solid(uint64_t *seed) {
  double radius = ff_random_in(seed, 0.05, 0.2);
  ff_vec3 axes = v3(radius, ff_random_in(seed, 0.05, 0.2), ff_random_in(seed, 0.05, 0.2));
  bool round = ff_random(seed) < 0.3;
  return (ff_geom){.kind = round ? FF_SPHERE : FF_ELLIPSOID, .size = axes};
}

/* Two that lie in one another by some per cent, or are a little apart. */
static ff_touch meet(uint64_t *seed, const ff_geom *a, ff_pose *at_a, const ff_geom *b,
                     ff_pose *at_b) {
  ff_touch touch[FF_TOUCH_MAX];
  *at_b = (ff_pose){random_vector(seed, 1), q_exp(random_vector(seed, 2))};
  ff_vec3 away = v3_unit(random_vector(seed, 1));
  *at_a = (ff_pose){v3_axpy(at_b->position, 0.3, away), q_exp(random_vector(seed, 2))};
  assert_int_equal(ff_geom_touch(a, at_a, b, at_b, INFINITY, touch), 1);
  double closer = -touch[0].depth + ff_random_in(seed, -0.01, 0.02);
  at_a->position = v3_axpy(at_a->position, -closer, touch[0].normal);
  assert_int_equal(ff_geom_touch(a, at_a, b, at_b, INFINITY, touch), 1);
  return touch[0];
}

/* Shifted along world axis k, or from 3 on turned about it. */
static ff_pose moved(const ff_pose *from, int k, double by) {
  ff_pose out = *from;
  ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
  if (k < 3) {
    out.position = v3_axpy(out.position, by, axis);
  } else {
    out.orientation = q_mul(q_exp(v3_scale(by, axis)), out.orientation);
  }
  return out;
}

static void column_is(const ff_mat3 *m, int k, ff_vec3 up, ff_vec3 down, double step, double size) {
  ff_vec3 slope = v3_scale(0.5 / step, v3_sub(up, down));
  const double *expected[3] = {&slope.x, &slope.y, &slope.z};
  for (int i = 0; i < 3; i++) {
    assert_close(m->m[i][k], *expected[i], 2e-7 * size);
  }
}

/* Central differences are right to the square of the step; curvatures of 20 to 80 per metre. */
static void slopes_of_ellipsoids_are_differences(void **state) {
  (void)state;
  uint64_t seed = 11;
  const double step = 1e-6;
  for (int round = 0; round < 500; round++) {
    ff_geom a = random_solid(&seed), b = random_solid(&seed);
    if (!ff_geom_in_order(a.kind, b.kind)) {
      continue;
    }
    ff_pose at_a, at_b;
    ff_touch touch = meet(&seed, &a, &at_a, &b, &at_b), up[FF_TOUCH_MAX], down[FF_TOUCH_MAX];
    ff_touch_slopes slopes;
    assert_true(ff_geom_slopes(&a, &at_a, &b, &at_b, touch.normal, &slopes));
    for (int k = 0; k < 6; k++) {
      ff_pose more = moved(&at_a, k, step), less = moved(&at_a, k, -step);
      ff_geom_touch(&a, &more, &b, &at_b, INFINITY, up);
      ff_geom_touch(&a, &less, &b, &at_b, INFINITY, down);
      column_is(&slopes.point[k / 3], k % 3, up->point, down->point, step, 1);
      column_is(&slopes.normal[k / 3], k % 3, up->normal, down->normal, step, 20);
    }
  }
}

static void other_kinds_are_not_known(void **state) {
  (void)state;
  ff_geom a = {.kind = FF_SPHERE, .size = {1, 1, 1}}, b = {.kind = FF_BOX, .size = {1, 1, 1}};
  ff_pose at = {{0, 0, 0}, {1, 0, 0, 0}};
  ff_touch_slopes slopes;
  assert_false(ff_geom_slopes(&a, &at, &b, &at, v3(0, 0, 1), &slopes));
}

/* ---- parts of rounded shapes ----------------------------------------------------------------- */

#define ROUND 0.02

enum { SPOT_KINDS = FF_SPOT_NEAREST + 1 }; /* and one more: all, looked at from elsewhere */

typedef struct pair {
  const ff_geom *a, *b;
  ff_pose at_a, at_b;
} pair;

/* What was seen of one kind of spot: how often, where it changes smoothly, where its slopes are not
 * known, and by how many orders of two the difference came nearer as its step was halved. */
typedef struct tally {
  int seen, smooth, unknown, ordered;
  double orders;
} tally;

static bool slopes_after(const pair *p, const ff_touch *touch, int k, double by,
                         ff_touch_slopes *out) {
  ff_pose at = moved(&p->at_a, k, by);
  ff_touch there = *touch;
  ff_touch_look(p->a, &at, p->b, &p->at_b, ROUND, &there);
  return ff_touch_slopes_at(p->a, &at, p->b, &p->at_b, ROUND, &there, out);
}

static ff_vec3 column_of(const ff_mat3 *m, int k) {
  return v3(m->m[0][k], m->m[1][k], m->m[2][k]);
}

/* How far column k of s is from that of t, or if that is NULL from 0: 1/m count as 1/50 of that. */
static double apart(const ff_touch_slopes *s, const ff_touch_slopes *t, int k) {
  static const ff_touch_slopes none;
  t = t ? t : &none;
  ff_vec3 p = column_of(&s->point[k / 3], k % 3), n = column_of(&s->normal[k / 3], k % 3);
  ff_vec3 q = column_of(&t->point[k / 3], k % 3), m = column_of(&t->normal[k / 3], k % 3);
  return fmax(v3_norm(v3_sub(p, q)), v3_norm(v3_sub(n, m)) / 50);
}

static void difference(const pair *p, const ff_touch *touch, int k, double step,
                       ff_touch_slopes *out) {
  ff_touch up = *touch, down = *touch;
  ff_pose more = moved(&p->at_a, k, step), less = moved(&p->at_a, k, -step);
  ff_touch_look(p->a, &more, p->b, &p->at_b, ROUND, &up);
  ff_touch_look(p->a, &less, p->b, &p->at_b, ROUND, &down);
  double scale = 0.5 / step;
  m3_set_column(&out->point[k / 3], k % 3, v3_scale(scale, v3_sub(up.point, down.point)));
  m3_set_column(&out->normal[k / 3], k % 3, v3_scale(scale, v3_sub(up.normal, down.normal)));
}

/* Where one part gives way to another slopes leap, and differences over the place tell nothing. */
static bool is_smooth(const pair *p, const ff_touch *touch, double step, double most) {
  for (int k = 0; k < 6; k++) {
    ff_touch_slopes up, down;
    if (!slopes_after(p, touch, k, step, &up) || !slopes_after(p, touch, k, -step, &down) ||
        apart(&up, &down, k) > most) {
      return false;
    }
  }
  return true;
}

static void check_slopes(const pair *p, const ff_touch *touch, tally *to) {
  ff_touch_slopes slopes, near, far;
  to->seen++;
  if (!ff_touch_slopes_at(p->a, &p->at_a, p->b, &p->at_b, ROUND, touch, &slopes)) {
    to->unknown++;
    return;
  }
  bool smooth = is_smooth(p, touch, 1e-6, 1e-3);
  to->smooth += smooth;
  for (int k = 0; smooth && k < 6; k++) {
    difference(p, touch, k, 1e-6, &near);
    /* 1e-12 of cubes of curvatures up to 200/m, and rounding */
    double size = 1 + apart(&slopes, NULL, k);
    assert_true(apart(&slopes, &near, k) < 1e-6 * size * size * size);
  }
  bool wide = smooth && is_smooth(p, touch, 1e-3, 0.2);
  for (int k = 0; wide && k < 6; k++) {
    difference(p, touch, k, 1e-3, &far);
    difference(p, touch, k, 5e-4, &near);
    double e1 = apart(&far, &slopes, k), e2 = apart(&near, &slopes, k);
    if (e2 > 1e-8) {
      to->ordered++;
      to->orders += log2(e1 / e2);
    }
  }
}

/* Lying nearly flat on one another in one of many ways, or anyhow; in one another by less than the
 * rounding or as much apart. */
static bool lay(uint64_t *seed, pair *p) {
  ff_touch touch[FF_TOUCH_MAX];
  bool plane = p->b->kind == FF_HALF_SPACE, flat = ff_random(seed) < 0.5;
  double tilt = flat ? 0.03 : 2;
  ff_quat turned[3] = {q_identity(), q_exp(v3(ff_pi / 2, 0, 0)), q_exp(v3(0, ff_pi / 2, 0))};
  p->at_b = (ff_pose){random_vector(seed, 1), q_exp(random_vector(seed, 2))};
  ff_quat side = turned[(int)(3 * ff_random(seed))];
  ff_vec3 twist = v3(0, 0, ff_random_in(seed, -3, 3));
  side = q_mul(q_exp(random_vector(seed, tilt)), q_mul(q_exp(twist), side));
  p->at_a.orientation = q_mul(p->at_b.orientation, side);
  ff_vec3 away = flat || plane ? v3(ff_random_in(seed, -.4, .4), ff_random_in(seed, -.4, .4), 1)
                               : v3_unit(random_vector(seed, 1));
  p->at_a.position = pose_point(p->at_b, away);
  int count = ff_geom_touch_rounded(p->a, &p->at_a, p->b, &p->at_b, ROUND, INFINITY, touch);
  double deepest = -INFINITY;
  int best = 0;
  for (int i = 0; i < count; i++) {
    best = touch[i].depth > deepest ? i : best;
    deepest = fmax(deepest, touch[i].depth);
  }
  if (count == 0 || !(deepest > -2)) {
    return false;
  }
  double closer = ff_random_in(seed, -0.02, 0.03) - deepest;
  p->at_a.position = v3_axpy(p->at_a.position, -closer, touch[best].normal);
  return true;
}

static void check_pair(uint64_t *seed, pair *p, tally *to) {
  ff_touch touches[FF_TOUCH_MAX];
  if (!lay(seed, p)) {
    return;
  }
  int count = ff_geom_touch_rounded(p->a, &p->at_a, p->b, &p->at_b, ROUND, 0.05, touches);
  ff_pose strayed = {v3_add(p->at_a.position, random_vector(seed, 0.1)),
                     q_mul(q_exp(random_vector(seed, 0.2)), p->at_a.orientation)};
  pair there = *p;
  there.at_a = strayed;
  for (int i = 0; i < count; i++) {
    ff_touch touch = touches[i], gone = touches[i];
    bool lasts = touch.spot.kind != FF_SPOT_NONE;
    if (lasts && touch.depth < 0.035 &&
        ff_touch_look(p->a, &p->at_a, p->b, &p->at_b, ROUND, &touch)) {
      check_slopes(p, &touch, &to[touch.spot.kind]);
    }
    ff_touch_look(p->a, &strayed, p->b, &p->at_b, ROUND, &gone);
    if (lasts && gone.depth < 0.035 && gone.depth > -0.2) {
      check_slopes(&there, &gone, &to[SPOT_KINDS]);
    }
  }
}

/* Every kind of shape with edges on every other. If slopes were wrong by however little,
 * differences would not come nearer to them by the square of the step. */
static void slopes_between_parts_are_differences(void **state) {
  (void)state;
  ff_arena arena = {0};
  ff_geom solids[SOLIDS + 1];
  static const int edged[] = {2, 3, 4, 7, 9, 8, 10};
  tally all[SPOT_KINDS + 1] = {{0}};
  uint64_t seed = 5;
  solids_make(&arena, solids);
  solids[SOLIDS] = (ff_geom){.kind = FF_HALF_SPACE};
  for (int i = 7; i < 10; i++) {
    assert_int_equal(ff_geom_prepare(&solids[i], ROUND, &arena), FF_OK);
  }
  for (int k = 0; k < 49; k++) {
    pair p = {.a = &solids[edged[k / 7]], .b = &solids[edged[k % 7]]};
    bool cut = p.a->kind == FF_INTERSECTION || p.b->kind == FF_INTERSECTION;
    bool there = ff_geom_in_order(p.a->kind, p.b->kind) && ff_geom_is_rounded(p.a, p.b, ROUND);
    for (int i = 0; there && i < (cut ? 6 : 60); i++) {
      check_pair(&seed, &p, all);
    }
  }
  for (int kind = FF_SPOT_CORNER_A; kind <= SPOT_KINDS; kind++) {
    const tally *t = &all[kind];
    assert_true(t->seen > 10 && t->unknown <= 0.1 * t->seen);
    assert_true(t->smooth >= 0.9 * (t->seen - t->unknown)); /* domes bend sharply */
    assert_true(t->ordered > 30);
    assert_close(t->orders / t->ordered, 2, 0.01);
  }
  ff_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes_of_ellipsoids_are_differences),
      cmocka_unit_test(other_kinds_are_not_known),
      cmocka_unit_test(slopes_between_parts_are_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
