/* Changes of a sim between steps: robots, wrenches, gravity, callbacks, and sensors. */
#include "footfall/footfall.h"
#include "ids.h"
#include "testing.h"

static const ff_vec3 none = {0, 0, 0};

static ff_sim *open_sim(const char *name, ff_model **model) {
  char path[512];
  ff_scene *scene;
  ff_sim *sim;
  ff_report report;
  snprintf(path, sizeof path, "%s/scenes/%s.yaml", FF_SOURCE_DIR, name);
  assert_int_equal(ff_scene_load(&scene, path, NULL, 0, &report), FF_OK);
  assert_int_equal(ff_model_build(model, scene, &report), FF_OK);
  assert_int_equal(ff_sim_create(&sim, *model), FF_OK);
  ff_scene_destroy(&scene);
  return sim;
}

/* A body that floats under every stepper: m a = F, and the ledger has the work. */
static ff_sim *open_floating(const char *stepper, ff_model **model) {
  char text[512];
  ff_scene *scene;
  ff_sim *sim;
  ff_report report;
  snprintf(text, sizeof text,
           "footfall: 1\nduration: 1\ngravity: [0, 0, 0]\nstepper: {kind: %s%s}\n"
           "bodies:\n  a: {mass: 2, inertia: [1, 1, 1], shape: {sphere: {radius: 0.1}}}\n"
           "  b: {mass: 2, inertia: [1, 1, 1], shape: {sphere: {radius: 0.1}}, "
           "position: [9, 0, 0]}\n",
           stepper, ff_stepper_find(stepper)->fixed_step ? ", step: 1e-3" : "");
  assert_int_equal(ff_scene_parse(&scene, text, strlen(text), "text", NULL, 0, &report), FF_OK);
  assert_int_equal(ff_model_build(model, scene, &report), FF_OK);
  assert_int_equal(ff_sim_create(&sim, *model), FF_OK);
  ff_scene_destroy(&scene);
  return sim;
}

static void a_wrench_accelerates_its_body_under_every_stepper(void **state) {
  (void)state;
  for (int k = 0; k < ff_stepper_count(); k++) {
    ff_model *model;
    ff_sim *sim = open_floating(ff_stepper_at(k)->name, &model);
    ff_body a = ff_model_body_find(model, "a");
    const ff_vec3 force = {0, 0, 3}, torque = {0, 0, 0.5};
    assert_int_equal(ff_sim_apply(sim, a, none, force, torque), FF_OK);
    assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
    ff_body_state now = ff_sim_body(sim, a);
    assert_near(now.velocity.z, 0.15, 1e-12);
    assert_near(now.omega.z, 0.05, 1e-12);
    double kinetic = 0.5 * 2 * 0.15 * 0.15 + 0.5 * 0.05 * 0.05;
    assert_near(ff_sim_energy(sim).work, kinetic, 2e-2); /* first order: half a step of 1e-3 */
    assert_close(ff_sim_body(sim, ff_model_body_find(model, "b")).velocity.z, 0, 0);
    assert_int_equal(ff_sim_apply(sim, a, none, none, none), FF_OK);
    assert_int_equal(ff_sim_advance(sim, 0.2), FF_OK);
    assert_near(ff_sim_body(sim, a).velocity.z, 0.15, 1e-12);
    ff_sim_destroy(&sim);
    ff_model_destroy(&model);
  }
}

static void gravity_changes_and_is_part_of_the_state(void **state) {
  (void)state;
  ff_model *model;
  ff_state *before;
  ff_sim *sim = open_floating("rk4", &model);
  ff_body a = ff_model_body_find(model, "a");
  assert_int_equal(ff_state_create(&before, sim), FF_OK);
  assert_int_equal(ff_sim_set_gravity(sim, (ff_vec3){0, 0, -2}), FF_OK);
  assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
  assert_near(ff_sim_body(sim, a).velocity.z, -1, 1e-12);
  ff_imu imu = ff_sim_imu(sim, a, (ff_pose){none, {1, 0, 0, 0}});
  assert_close(imu.force.z, 0, 1e-9); /* free fall */
  assert_near(ff_sim_acceleration(sim, a).linear.z, -2, 1e-9);
  assert_true(ff_sim_audit(sim).energy_residual < 1e-9);
  assert_int_equal(ff_state_restore(sim, before), FF_OK);
  assert_true(ff_sim_gravity(sim).z == 0);
  ff_state_destroy(&before);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
}

static void a_robot_is_set_and_read_back(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = open_sim("double-pendulum", &model);
  double q[8] = {0}, v[8] = {0};
  ff_joint_info joint = ff_model_joint_info(model, JOINT(1, 1));
  assert_true(joint.q_at >= 0 && joint.v_at >= 0 && !joint.follows);
  assert_string_equal(joint.name, ff_model_joint_name(model, JOINT(1, 1)));
  assert_int_equal(ff_sim_set_joint(sim, JOINT(1, 1), 0.3, -0.2), FF_OK);
  ff_sim_robot(sim, ROBOT(1), q, v);
  assert_true(q[joint.q_at] == 0.3 && v[joint.v_at] == -0.2);
  q[joint.q_at] = 0.1;
  assert_int_equal(ff_sim_set_robot(sim, ROBOT(1), q, NULL), FF_OK);
  assert_int_equal(ff_sim_step(sim), FF_OK);
  assert_true(ff_sim_audit(sim).energy_residual < 1e-3);
  q[0] = NAN;
  assert_int_equal(ff_sim_set_robot(sim, ROBOT(1), q, v), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_set_robot(sim, ROBOT(2), q, v), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_set_joint(sim, JOINT(1, 99), 0, 0), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_set_joint(sim, JOINT(0, 1), 0, 0), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_set_joint(sim, JOINT(1, 1), INFINITY, 0), FF_ERROR_INPUT);
  assert_int_equal(ff_model_joint_info(model, JOINT(1, 99)).q_at, -1);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
}

static void a_humanoid_set_to_its_own_state_stands_on(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = open_sim("humanoid-standing", &model);
  double q[64], v[64];
  assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
  ff_sim_robot(sim, ROBOT(1), q, v);
  assert_int_equal(ff_sim_set_robot(sim, ROBOT(1), q, v), FF_OK);
  assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
  double after[64];
  ff_sim_robot(sim, ROBOT(1), after, v);
  ff_body trunk = ff_model_robot_info(model, ROBOT(1)).first;
  assert_true(ff_sim_body(sim, trunk).position.z > 0.15);
  ff_contact contacts[64];
  int count = ff_sim_contacts(sim, contacts, 64);
  assert_int_equal(count, ff_sim_contact_count(sim));
  for (int i = 0; i < count && i < 64; i++) {
    ff_contact one = ff_sim_contact(sim, i);
    assert_true(one.force_n == contacts[i].force_n && one.a.id == contacts[i].a.id);
  }
  assert_int_equal(ff_sim_contacts(sim, NULL, 0), count);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
}

static void count_step(void *context, ff_sim *sim) {
  (*(int *)context)++;
  assert_true(ff_sim_user(sim) == context);
}

static void the_step_callback_sees_every_step(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = open_floating("rk4", &model);
  int steps = 0;
  ff_sim_set_user(sim, &steps);
  assert_int_equal(ff_sim_on_step(sim, count_step, &steps), FF_OK);
  assert_int_equal(ff_sim_advance(sim, 0.01), FF_OK);
  assert_int_equal(steps, 10);
  assert_int_equal(ff_sim_on_step(sim, NULL, NULL), FF_OK);
  assert_int_equal(ff_sim_reset(sim), FF_OK);
  assert_true(ff_sim_time(sim) == 0);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
}

static void headers_and_library_have_the_same_version(void **state) {
  (void)state;
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", FF_VERSION_MAJOR, FF_VERSION_MINOR, FF_VERSION_PATCH);
  assert_string_equal(text, ff_version());
}

static void misuse_of_setters_gives_a_status(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = open_sim("bouncing-ball", &model);
  const ff_body ball = ff_model_body_find(model, "ball"), mistyped = {0};
  const ff_vec3 bad = {NAN, 0, 0}, wide = {INFINITY, 0, 0};
  for (int id = -2; id < 6; id++) {
    ff_body body = {.id = id};
    bool known = id == ball.id;
    assert_int_equal(ff_sim_apply(sim, body, none, none, none), known ? FF_OK : FF_ERROR_INPUT);
    assert_true(isnan(ff_sim_acceleration(sim, body).linear.x));
    assert_int_equal(ff_sim_set_joint(sim, JOINT(id, id), 0, 0), FF_ERROR_INPUT);
    assert_int_equal(ff_sim_set_robot(sim, ROBOT(id), NULL, NULL), FF_ERROR_INPUT);
    assert_string_equal(ff_model_joint_info(model, JOINT(id, id)).name, "");
  }
  assert_int_equal(ff_sim_apply(sim, mistyped, none, none, none), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_apply(sim, ball, bad, none, none), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_apply(sim, ball, none, wide, none), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_apply(sim, ball, none, none, bad), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_apply(NULL, ball, none, none, none), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_set_gravity(sim, bad), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_set_gravity(NULL, none), FF_ERROR_INPUT);
  assert_true(isnan(ff_sim_gravity(NULL).x));
  assert_int_equal(ff_sim_on_step(NULL, NULL, NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_reset(NULL), FF_ERROR_INPUT);
  assert_null(ff_sim_user(NULL));
  assert_int_equal(ff_sim_contacts(NULL, NULL, 3), 0);
  assert_string_equal(ff_model_joint_info(NULL, JOINT(1, 1)).name, "");
  assert_true(isnan(ff_sim_imu(NULL, ball, (ff_pose){none, {1, 0, 0, 0}}).force.x));
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wrench_accelerates_its_body_under_every_stepper),
      cmocka_unit_test(gravity_changes_and_is_part_of_the_state),
      cmocka_unit_test(a_robot_is_set_and_read_back),
      cmocka_unit_test(a_humanoid_set_to_its_own_state_stands_on),
      cmocka_unit_test(the_step_callback_sees_every_step),
      cmocka_unit_test(headers_and_library_have_the_same_version),
      cmocka_unit_test(misuse_of_setters_gives_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
