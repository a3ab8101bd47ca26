/* One contact geometry: bodies come to rest on the same contact points, at the same depths and
 * under the same forces, whichever stepper brings them there. */
#include "geom/distance.h"
#include "math/vec.h"
#include "model/model.h"
#include "scene_text.h"
#include "sim/sim.h"
#include "worlds.h"

/* s, until bodies rest; and one period of a body on four law units, after which rests are compared.
 * Friction that goes with the slip lets bodies creep, under each stepper a little differently:
 * there is next to none, and they slide by some micrometres meanwhile, all alike. */
#define SETTLE 0.2
#define PERIOD 0.01

enum { POSES = 10, POINTS = 64, SOLIDS = 3 };

#define GRAVITY   9.81
#define STIFFNESS 1e5 /* N/m, of a law unit */
#define AGREE     1e-6
/* ---- rows to add to ---------------------------------------------------------------------------
 */

/* A stepper with a step (s) for which its law, a spring and a damper, comes to rest. Bodies slide a
 * little, so that the damper matters: elastic has one that does not pull back, linear and
 * quasi-rigid one that does. Rows are compared with the last rk4 above them. */
typedef struct stepper {
  const char *name;
  double step;
  const char *law;
  const char *names[2]; /* stiffness, damping */
} stepper;

static const stepper steppers[] = {
    {"rk4", 1e-4, "elastic", {"k", "c"}},     {"symplectic-euler", 1e-4, "elastic", {"k", "c"}},
    {"adaptive", NAN, "elastic", {"k", "c"}}, {"micro-macro", 5e-6, "elastic", {"k", "c"}},
    {"rk4", 1e-4, "linear", {"k", "b"}},      {"quasi-rigid", 4e-5, "quasi-rigid", {"k", "c"}},
};
static const stepper settling = {"rk4", 1e-4, "linear", {"k", "b"}};

static const ff_vec3 tetrahedron[4] = {
    {.1, 0, -.05}, {-.05, .0866, -.05}, {-.05, -.0866, -.05}, {0, 0, .12}};

/* A body on the one before it, at rest but for the pressing: at a random place in a range (m) about
 * the middle of that, and turned by a random angle in a range (rad). */
typedef struct solid {
  ff_shape_kind kind;
  ff_vec3 size;        /* a polyhedron is the tetrahedron */
  double below, above; /* m, from its origin to where it stands and to its top */
  double lies;         /* rad, its own turn about y before the others */
  double x[2], y[2], turn[2];
} solid;

typedef struct scenery {
  const char *name;
  int points;    /* that are found in all poses; 0: as many as there are */
  bool on_floor; /* as on a half-space */
  int poses;     /* 0: POSES */
  solid solids[SOLIDS];
} scenery;

#define NEVER                                                                                      \
  { 0, 0 }
#define ANY                                                                                        \
  { -3, 3 }
static const scenery sceneries[] = {
    {"crate on a table",
     4,
     true,
     0,
     {{FF_BOX, {.5, .5, .1}, .1, .1, 0, NEVER, NEVER, NEVER},
      {FF_BOX, {.1, .08, .1}, .1, .1, 0, {-.3, .3}, {-.3, .3}, ANY}}},
    {"crate at the edge of a table",
     0,
     false,
     0,
     {{FF_BOX, {.5, .5, .1}, .1, .1, 0, NEVER, NEVER, NEVER},
      {FF_BOX, {.1, .1, .1}, .1, .1, 0, {.42, .48}, {-.3, .3}, ANY}}},
    {"misaligned boxes",
     0,
     false,
     0,
     {{FF_BOX, {.12, .12, .1}, .1, .1, 0, NEVER, NEVER, NEVER},
      {FF_BOX, {.1, .1, .05}, .05, .05, 0, {-.05, .05}, {-.05, .05}, ANY},
      {FF_BOX, {.1, .1, .05}, .05, .05, 0, {-.04, .04}, {-.04, .04}, ANY}}},
    {"crossed beams",
     4,
     false,
     0,
     {{FF_BOX, {.2, .03, .03}, .03, .03, 0, NEVER, NEVER, NEVER},
      {FF_BOX, {.2, .03, .03}, .03, .03, 0, {-.02, .02}, {-.004, .004}, {.5, 1.5}}}},
    {"tetrahedron on a box",
     0,
     false,
     0,
     {{FF_BOX, {.08, .08, .1}, .1, .1, 0, NEVER, NEVER, NEVER},
      {FF_POLYHEDRON, {0, 0, 0}, .05, .12, 0, {-.03, .03}, {-.03, .03}, ANY}}},
    {"tetrahedron on a table",
     3,
     true,
     0,
     {{FF_BOX, {.5, .5, .1}, .1, .1, 0, NEVER, NEVER, NEVER},
      {FF_POLYHEDRON, {0, 0, 0}, .05, .12, 0, {-.3, .3}, {-.3, .3}, ANY}}},
    {"cylinder at the edge of a table",
     0,
     false,
     0,
     {{FF_BOX, {.5, .5, .1}, .1, .1, 0, NEVER, NEVER, NEVER},
      {FF_CYLINDER, {.1, .1, 0}, .1, .1, 0, {.42, .48}, {-.3, .3}, ANY}}},
    {"cylinder on a table",
     4,
     true,
     2,
     {{FF_BOX, {.5, .5, .1}, .1, .1, 0, NEVER, NEVER, NEVER},
      {FF_CYLINDER, {.1, .1, 0}, .1, .1, 0, {-.3, .3}, {-.3, .3}, ANY}}},
    {"cone on a table",
     4,
     true,
     2,
     {{FF_BOX, {.5, .5, .1}, .1, .1, 0, NEVER, NEVER, NEVER},
      {FF_CONE, {.1, .2, 0}, .05, .15, 0, {-.3, .3}, {-.3, .3}, ANY}}},
    {"capsule across a beam",
     2,
     false,
     0,
     {{FF_BOX, {.2, .03, .03}, .03, .03, 0, NEVER, NEVER, NEVER},
      {FF_CAPSULE,
       {.03, .12, 0},
       .03,
       .03,
       1.5707963267948966,
       {-.1, .1},
       {-.002, .002},
       {1.2, 1.9}}}},
};

/* ---- a body at rest ---------------------------------------------------------------------------
 */

typedef struct rest {
  ff_body_state bodies[SOLIDS];
  int count;
  ff_contact points[POINTS];
} rest;

static ff_body add_solid(ff_scene *scene, const ff_body_def *def, const solid *of) {
  ff_body body;
  ff_shape shape;
  ff_shape_def it = ff_shape_def_default();
  it.kind = of->kind;
  it.size = of->size;
  it.vertices = of->kind == FF_POLYHEDRON ? tetrahedron : NULL;
  it.vertex_count = of->kind == FF_POLYHEDRON ? 4 : 0;
  assert_int_equal(ff_scene_add_body(&body, scene, def), FF_OK);
  assert_int_equal(ff_scene_add_shape(&shape, scene, body, &it), FF_OK);
  return body;
}

static void add_laws(ff_scene *scene, stepper by) {
  /* a law of the slip, which does not stick: where bodies come to rest does not depend on history
   */
  static const char *friction[2] = {"mu", "v_t"};
  static const double rough[2] = {1e-9, 1e-3};
  const double values[2] = {STIFFNESS, 400};
  ff_contact_def contact = ff_contact_def_default();
  contact.a = contact.b = "*";
  contact.normal = (ff_law_choice){by.law, by.names, values, 2};
  contact.friction = (ff_law_choice){"ellipsoidal", friction, rough, 2};
  assert_int_equal(ff_scene_add_contact(scene, &contact), FF_OK);
}

static void place_bodies(rest *out, const scenery *of, uint64_t seed) {
  double top = -of->solids[0].below;
  *out = (rest){0};
  ff_vec3 at = {0, 0, 0};
  for (int i = 0; i < SOLIDS && of->solids[i].below > 0; i++) {
    const solid *it = &of->solids[i];
    double turn = ff_random_in(&seed, it->turn[0], it->turn[1]);
    at.x += ff_random_in(&seed, it->x[0], it->x[1]);
    at.y += ff_random_in(&seed, it->y[0], it->y[1]);
    at.z = top + it->below - (i == 0 ? 0 : GRAVITY / (4 * STIFFNESS));
    top = at.z + it->above;
    out->bodies[i].position = at;
    out->bodies[i].orientation = q_mul(q_exp(v3(0, 0, turn)), q_exp(v3(0, it->lies, 0)));
  }
}

/* Bodies of 1 kg, for a time (s) from where they are; the first is fixed, or a half-space. */
static void run(rest *io, const scenery *of, const stepper *by, double time, bool half_space) {
  static const char *const names[SOLIDS] = {"ground", "a", "b"};
  world w = {.scene = scene_new(GRAVITY, by->name, by->step)};
  if (isnan(by->step)) {
    scene_set_rtol(w.scene, by->name, GRAVITY, 1e-9);
  }
  ff_body bodies[SOLIDS];
  int count = 0;
  for (; count < SOLIDS && of->solids[count].below > 0; count++) {
    ff_body_def def = ff_body_def_default();
    def.name = names[count];
    def.kind = count == 0 ? FF_BODY_FIXED : FF_BODY_FREE;
    def.mass = count == 0 ? 0 : 1;
    def.position = io->bodies[count].position;
    def.orientation = io->bodies[count].orientation;
    def.velocity = io->bodies[count].velocity;
    def.omega = io->bodies[count].omega;
    if (count == 0 && half_space) {
      def.position.z += of->solids[0].above;
      bodies[count] = scene_solid(w.scene, &def, FF_HALF_SPACE, v3(0, 0, 0));
    } else {
      bodies[count] = add_solid(w.scene, &def, &of->solids[count]);
    }
  }
  add_laws(w.scene, *by);
  world_start(&w);
  assert_int_equal(world_advance(&w, time), FF_OK);
  for (int i = 1; i < count; i++) {
    io->bodies[i] = ff_sim_body(w.sim, bodies[i]);
  }
  io->count = ff_sim_contact_count(w.sim);
  assert_true(io->count <= POINTS);
  for (int i = 0; i < io->count; i++) {
    io->points[i] = ff_sim_contact(w.sim, i);
  }
  world_end(&w);
}

/* ---- what must be ------------------------------------------------------------------------------
 */

/* The point of a rest that is at a place. */
static const ff_contact *point_at(const rest *of, ff_vec3 place) {
  const ff_contact *best = &of->points[0];
  for (int i = 1; i < of->count; i++) {
    bool nearer = v3_norm(v3_sub(of->points[i].point, place)) < v3_norm(v3_sub(best->point, place));
    best = nearer ? &of->points[i] : best;
  }
  return best;
}

static double difference(const rest *one, const rest *two) {
  double worst = one->count == two->count ? 0 : INFINITY;
  for (int i = 0; i < one->count && isfinite(worst); i++) {
    const ff_contact *a = &one->points[i], *b = point_at(two, a->point);
    double depth = fabs(a->patch.depth - b->patch.depth) * 4 * STIFFNESS / GRAVITY;
    worst = fmax(worst, fmax(depth, fabs(a->force_n - b->force_n) / GRAVITY));
    worst = v3_norm(v3_sub(a->point, b->point)) < 1e-4 ? worst : INFINITY;
  }
  return worst;
}

static void tell(const rest *of) {
  for (int i = 0; i < of->count; i++) {
    const ff_contact *p = &of->points[i];
    print_message("    %.9g m, %.9g N at %.9f %.9f %.9f\n", p->patch.depth, p->force_n, p->point.x,
                  p->point.y, p->point.z);
  }
}

static int compare(const scenery *of, int pose, const char *name, const rest *first,
                   const rest *other) {
  double off = difference(first, other);
  if (off <= AGREE) {
    return 0;
  }
  print_message("%s, pose %d: %s is off by %.3g\n", of->name, pose, name, off);
  tell(first);
  print_message("    against\n");
  tell(other);
  return 1;
}

static void every_stepper_finds_the_same_rest(void **state) {
  (void)state;
  int wrong = 0;
  for (size_t s = 0; s < sizeof sceneries / sizeof *sceneries; s++) {
    const scenery *of = &sceneries[s];
    for (int pose = 0; pose < (of->poses ? of->poses : POSES); pose++) {
      uint64_t seed = 2 * (uint64_t)(s * POSES) + 2 * (uint64_t)pose + 1;
      rest settled, first, other;
      ff_random(&seed);
      place_bodies(&first, of, seed);
      run(&first, of, &settling, SETTLE, false);
      settled = first;
      for (size_t k = 0; k < sizeof steppers / sizeof *steppers; k++) {
        const stepper *by = &steppers[k];
        other = settled;
        run(&other, of, by, PERIOD, false);
        first = strcmp(by->name, "rk4") == 0 ? other : first;
        wrong += compare(of, pose, by->name, &first, &other);
        if (of->on_floor) {
          other = settled;
          run(&other, of, by, PERIOD, true);
          wrong += compare(of, pose, "half-space", &first, &other);
        }
      }
      wrong += of->points > 0 && first.count != of->points;
    }
  }
  assert_int_equal(wrong, 0);
}

/* Depth of the deepest contact of two boxes of 0.2 m that overlap by half, before the first step.
 */
static double deep_overlap(const char *kind, const char *law, const char *orientation,
                           double *minimum) {
  char text[1024];
  snprintf(text, sizeof text,
           "footfall: 1\nduration: 1\ngravity: [0, 0, 0]\nstepper: {kind: %s}\nbodies:\n"
           "  one: {fixed: true, shape: {box: {size: [0.2, 0.2, 0.2]}}}\n"
           "  two: {mass: 1, position: [0.1, 0.01, 0.02], orientation: {rpy: %s},\n"
           "    shape: {box: {size: [0.2, 0.2, 0.2]}}}\n"
           "contacts: [{pair: [one, two], normal: {%s}}]\n",
           kind, orientation, law);
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  double deepest = -INFINITY;
  for (int i = 0; i < sim->state.point_count; i++) {
    const ff_point *point = &sim->state.points[i];
    deepest = point->touching ? greater(deepest, point->patch.depth) : deepest;
  }
  const ff_model_shape *shapes = model->shapes;
  ff_distance found;
  ff_distance_query(&found, &shapes[0].geom, &model->bodies[0].start, &shapes[1].geom,
                    &model->bodies[1].start, INFINITY);
  *minimum = -found.gap;
  end(sim, model);
  return deepest;
}

static void boxes_that_overlap_by_half_have_one_depth(void **state) {
  (void)state;
  const char *const orientations[] = {"[0, 0, 0]", "[0.1, 0.2, 0.3]", "[0, 0.7, 0.4]"};
  const char *const by[5][2] = {
      {"rk4, step: 1e-4", "law: linear, k: 1e5, b: 10"},
      {"symplectic-euler, step: 1e-4", "law: linear, k: 1e5, b: 10"},
      {"adaptive", "law: linear, k: 1e5, b: 10"},
      {"quasi-rigid, step: 1e-4", "law: quasi-rigid, k: 1e5, c: 10, max_deflection: 1"},
      {"micro-macro, step: 1e-4", "law: elastic, k: 1e5, c: 10"}};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 5; i++) {
      double minimum, depth = deep_overlap(by[i][0], by[i][1], orientations[k], &minimum);
      assert_true(minimum > 0.08);
      assert_close(depth, minimum, 1e-9);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_stepper_finds_the_same_rest),
                                     cmocka_unit_test(boxes_that_overlap_by_half_have_one_depth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
