/* The whole way from a tilted plane to force and moment [Brown18 eq. 44, 45, 47, 50]: overlap,
 * patch and both laws, against references of 50 digits (force_reference.py). */
#include "worlds.h"

typedef struct reference {
  ff_shape_kind kind;
  ff_vec3 size, normal, point, velocity, omega;
  double printed;
  double force_n, moment_n;  /* along the unit normal */
  ff_vec3 force_t, moment_t; /* the rest */
} reference;

/* Parameters as in force_reference.py; printed comes last. */
static const char *const normal_names[] = {"k_V", "a_V", "printed"};
static const char *const friction_names[] = {"mu_s", "mu_d", "v_t", "omega_t", "printed"};

static double dot(ff_vec3 a, ff_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static ff_vec3 plus(ff_vec3 a, double factor, ff_vec3 b) {
  return (ff_vec3){a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

static ff_vec3 vector(const double *v) {
  return (ff_vec3){v[0], v[1], v[2]};
}

/* ---- each reference --------------------------------------------------------------------- */

static ff_shape_kind kind_named(const char *name) {
  for (int kind = 0; kind < FF_SHAPE_KIND_COUNT; kind++) {
    if (strcmp(ff_shape_kind_name((ff_shape_kind)kind), name) == 0) {
      return (ff_shape_kind)kind;
    }
  }
  fail_msg("no shape %s", name);
  return FF_HALF_SPACE;
}

static reference read_reference(char *line) {
  double v[24];
  char *at = strchr(line, ',');
  assert_non_null(at);
  *at++ = '\0';
  for (int i = 0; i < 24; i++) {
    v[i] = strtod(at, &at);
    at += *at == ',';
  }
  return (reference){.kind = kind_named(line),
                     .size = vector(v),
                     .normal = vector(v + 3),
                     .point = vector(v + 6),
                     .velocity = vector(v + 9),
                     .omega = vector(v + 12),
                     .printed = v[15],
                     .force_n = v[16],
                     .force_t = vector(v + 17),
                     .moment_n = v[20],
                     .moment_t = vector(v + 21)};
}

static void each_reference(void (*check)(const reference *given)) {
  FILE *in = fopen(FF_SOURCE_DIR "/tests/force_reference.csv", "r");
  assert_non_null(in);
  char line[1024];
  int cases = 0;
  assert_non_null(fgets(line, sizeof line, in)); /* the names */
  for (; fgets(line, sizeof line, in); cases++) {
    reference given = read_reference(line);
    check(&given);
  }
  fclose(in);
  assert_int_equal(cases, 48);
}

static void assert_vector(ff_vec3 actual, ff_vec3 expected, double relative) {
  ff_vec3 off = plus(actual, -1, expected);
  assert_close(sqrt(dot(off, off)), 0, relative * sqrt(dot(expected, expected)));
}

static ff_volume volume_of(const reference *given) {
  ff_volume_def def = {
      .kind = given->kind, .size = given->size, .point = given->point, .normal = given->normal};
  ff_volume volume;
  assert_int_equal(ff_volume_compute(&volume, &def, NULL), FF_OK);
  return volume;
}

/* ---- the laws by themselves ---------------------------------------------------------------- */

static void check_laws(const reference *given) {
  const double normal_values[] = {3e6, 0.4, given->printed};
  const double friction_values[] = {0.8, 0.5, 0.05, 1.5, given->printed};
  ff_law_params params[2];
  const ff_law *volumetric = law_with("volumetric", &params[0], normal_names, normal_values, 3);
  const ff_law *continuous = law_with("continuous", &params[1], friction_names, friction_values, 5);
  ff_volume volume = volume_of(given);
  ff_patch patch = ff_volume_patch(&volume, given->velocity, given->omega);
  ff_normal push = {0};
  ff_friction drag;
  ff_law_normal(volumetric, &params[0], &patch, &push);
  ff_law_friction(continuous, &params[1], &patch, &push, NULL, &drag);
  /* Each of the four parts against its own size. */
  ff_vec3 x = vector(volume.frame.m[0]), y = vector(volume.frame.m[1]), zero = {0, 0, 0};
  assert_near(push.force, given->force_n, 1e-11);
  assert_near(drag.moment[0], given->moment_n, 1e-11);
  assert_vector(plus(plus(zero, drag.force[0], x), drag.force[1], y), given->force_t, 1e-11);
  assert_vector(plus(plus(zero, push.moment[0], x), push.moment[1], y), given->moment_t, 1e-11);
  assert_true(drag.moment[1] == 0 && drag.moment[2] == 0 && drag.normal_force == 0);
}

static void laws_have_the_forces_of_fifty_digits(void **state) {
  (void)state;
  each_reference(check_laws);
}

/* ---- the same contact in a simulation ------------------------------------------------------- */

static ff_scene *scene_of(const reference *given) {
  char text[2048];
  const double *n = &given->normal.x, *p = &given->point.x;
  snprintf(text, sizeof text,
           "footfall: 1\nduration: 1\nstepper: {kind: adaptive}\nbodies:\n"
           "  floor: {fixed: true, shape: {half-space: {normal: [%.17g, %.17g, %.17g], "
           "point: [%.17g, %.17g, %.17g]}}}\n"
           "contacts:\n"
           "  - pair: [thing, floor]\n"
           "    normal: {law: volumetric, k_V: 3e6, a_V: 0.4, printed: %s}\n"
           "    friction: {law: continuous, mu_s: 0.8, mu_d: 0.5, v_t: 0.05, omega_t: 1.5, "
           "printed: %s}\n",
           n[0], n[1], n[2], p[0], p[1], p[2], given->printed != 0 ? "true" : "false",
           given->printed != 0 ? "true" : "false");
  ff_scene *scene;
  ff_report report = {0};
  if (ff_scene_parse(&scene, text, strlen(text), "test", NULL, 0, &report) != FF_OK) {
    fail_msg("%s: %s", report.key, report.what);
  }
  ff_body_def thing = ff_body_def_default();
  thing.name = "thing";
  thing.mass = 1;
  thing.velocity = given->velocity;
  thing.omega = given->omega;
  scene_solid(scene, &thing, given->kind, given->size);
  return scene;
}

static void check_sim(const reference *given) {
  world w = {.scene = scene_of(given)};
  world_start(&w);
  assert_int_equal(ff_sim_contact_count(w.sim), 1);
  ff_contact contact = ff_sim_contact(w.sim, 0);
  /* The plane is placed in the world first, with four roundings of a length as the shape is
   * long: that is all a depth can be good to, and volumes go with up to its third power. */
  ff_volume volume = volume_of(given);
  double length = fmax(given->size.x, fmax(given->size.y, given->size.z));
  double tolerance = 1e-11 + 3 * 4 * 1.1e-16 * length / volume.depth;
  ff_vec3 n = vector(volume.frame.m[2]);
  assert_vector(contact.force, plus(given->force_t, given->force_n, n), tolerance);
  assert_vector(contact.moment, plus(given->moment_t, given->moment_n, n), tolerance);
  world_end(&w);
}

static void a_simulation_has_them_too(void **state) {
  (void)state;
  each_reference(check_sim);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_have_the_forces_of_fifty_digits),
      cmocka_unit_test(a_simulation_has_them_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
