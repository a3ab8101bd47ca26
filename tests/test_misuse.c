/* Ids that nothing has, and NULL: a status, NAN, 0 or "", never undefined behaviour. */
#include "footfall/footfall.h"
#include "ids.h"
#include "scene_text.h"
#include "worlds.h"

static const char text[] =
    "footfall: 1\n"
    "stepper: {kind: quasi-rigid, step: 1e-3}\n"
    "robots: {r: {urdf: robots/double-pendulum.urdf}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {}}}\n"
    "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [5, 0, 0.1]}\n"
    "  bob: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [7, 0, 1]}\n"
    "contacts:\n"
    "  - pair: [ball, floor]\n"
    "    normal: {law: quasi-rigid, k: 1e4, c: 20, max_deflection: 0.01}\n"
    "    friction: {law: ellipsoidal, mu: 0.4, e_r: 0.01}\n"
    "constraints:\n"
    "  rope: {kind: distance, pair: [bob, floor]}\n";

/* Around every range: below, the null id, above, far away. */
static const int wrong[] = {-2147483647 - 1, -1, 0, 1000, 2147483647};
enum { WRONG = sizeof wrong / sizeof *wrong };

static bool is_nan(ff_vec3 v) {
  return isnan(v.x) && isnan(v.y) && isnan(v.z);
}

static void a_mistyped_name_gives_nan(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  ff_body none = ff_model_body_find(model, "bal");
  assert_int_equal(none.id, 0);
  ff_body_state now = ff_sim_body(sim, none);
  assert_true(is_nan(now.position) && is_nan(now.velocity) && isnan(now.orientation.w));
  end(sim, model);
}

static void ids_of_no_body(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  ff_body_state good = ff_sim_body(sim, ff_model_body_find(model, "ball"));
  for (int i = 0; i < WRONG; i++) {
    ff_body body = {.id = wrong[i]};
    assert_true(is_nan(ff_sim_body(sim, body).position));
    assert_true(is_nan(ff_sim_body_load(sim, body)));
    assert_int_equal(ff_sim_set_body(sim, body, &good), FF_ERROR_INPUT);
    assert_string_equal(ff_model_body_name(model, body), "");
    assert_true(isnan(ff_model_body_info(model, body).mass));
    assert_string_equal(ff_model_body_info(model, body).name, "");
    assert_true(isnan(ff_model_shape_info(model, (ff_shape){.id = wrong[i]}).volume));
  }
  assert_int_equal(ff_sim_set_body(sim, ff_model_body_find(model, "ball"), NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_set_body(sim, ff_model_body_find(model, "ball"), &good), FF_OK);
  end(sim, model);
}

static void ids_of_no_robot_or_joint(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  const ff_joint_order order = {0};
  for (int i = 0; i < WRONG; i++) {
    double q[2] = {7, 7};
    ff_sim_robot(sim, ROBOT(wrong[i]), q, q);
    assert_true(q[0] == 7 && q[1] == 7);
    assert_null(ff_sim_controller(sim, ROBOT(wrong[i])));
    assert_null(ff_model_robot_info(model, ROBOT(wrong[i])).tree);
    assert_string_equal(ff_model_joint_name(model, JOINT(wrong[i], 1)), "");
    assert_string_equal(ff_model_joint_name(model, JOINT(1, wrong[i])), "");
    assert_int_equal(ff_model_joint_find(model, ROBOT(wrong[i]), "shoulder").id, 0);
    assert_int_equal(ff_sim_order(sim, JOINT(wrong[i], 1), &order), FF_ERROR_INPUT);
    assert_int_equal(ff_sim_order(sim, JOINT(1, wrong[i]), &order), FF_ERROR_INPUT);
  }
  assert_int_equal(ff_sim_order(sim, JOINT(1, 1), NULL), FF_ERROR_INPUT);
  end(sim, model);
}

static void indices_of_nothing(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  for (int i = 0; i < WRONG; i++) {
    if (wrong[i] != 0) { /* these count from 0 */
      assert_true(isnan(ff_model_pair_info(model, wrong[i]).mass));
      assert_true(isnan(ff_model_constraint_info(model, CONSTRAINT(wrong[i])).length));
      assert_true(isnan(ff_sim_constraint(sim, CONSTRAINT(wrong[i])).error));
      assert_int_equal(ff_sim_contact(sim, wrong[i]).a.id, 0);
      assert_string_equal(ff_model_channel(model, wrong[i]).name, "");
      double value = 0;
      ff_sim_read(sim, &wrong[i], 1, &value);
      assert_true(isnan(value));
      assert_null(ff_law_at(wrong[i]));
    }
  }
  assert_string_equal(ff_task_kind_name((ff_task_kind)99), "?");
  end(sim, model);
}

static void links_that_a_tree_or_robot_does_not_have(void **state) {
  (void)state;
  ff_robot *robot;
  ff_tree *tree;
  ff_tree_work *work;
  const char *path = FF_SOURCE_DIR "/scenes/robots/double-pendulum.urdf";
  assert_int_equal(ff_robot_load(&robot, path, NULL, NULL), FF_OK);
  assert_int_equal(ff_robot_tree(&tree, robot, FF_JOINT_FIXED, NULL), FF_OK);
  assert_int_equal(ff_tree_work_create(&work, tree), FF_OK);
  double q[8] = {0}, jacobian[6 * 8];
  ff_tree_update(work, q, q);
  for (int i = 0; i < WRONG; i++) {
    int link = wrong[i];
    if (link != 0) {
      assert_string_equal(ff_tree_link(tree, link).name, "");
      assert_true(is_nan(ff_tree_pose(work, link).position));
      assert_true(is_nan(ff_tree_velocity(work, link)) && is_nan(ff_tree_omega(work, link)));
      assert_string_equal(ff_robot_shape_info(robot, link).file, "");
      assert_string_equal(ff_robot_note(robot, link), "");
      assert_string_equal(ff_robot_file(robot, link), "");
      assert_string_equal(ff_robot_link_info(robot, link).joint_name, "");
    }
    ff_tree_jacobian(work, link, (ff_vec3){0, 0, 0}, jacobian);
    assert_true(jacobian[0] == 0);
    ff_tree_jacobian_rate(work, link, (ff_vec3){0, 0, 0}, jacobian);
    assert_true(jacobian[0] == 0);
    ff_reach_def reach = ff_reach_def_default();
    reach.link = link;
    assert_false(ff_tree_reach(work, &reach, q).reached);
  }
  ff_tree_work_destroy(&work);
  ff_tree_destroy(&tree);
  ff_robot_destroy(&robot);
}

static void times_that_never_come(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, NAN), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_advance(sim, INFINITY), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_advance(sim, -INFINITY), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_advance(sim, 0.01), FF_OK);
  end(sim, model);
}

static void null_is_nothing(void **state) {
  (void)state;
  ff_sim *sim;
  ff_model *model;
  ff_report report;
  int channel = 0;
  double value = 0;
  assert_int_equal(ff_model_build(&model, NULL, &report), FF_ERROR_INPUT);
  assert_int_equal(ff_model_build(&model, NULL, NULL), FF_ERROR_INPUT);
  assert_null(model);
  assert_int_equal(ff_sim_create(&sim, NULL), FF_ERROR_INPUT);
  assert_null(sim);
  assert_null(ff_model_run(NULL));
  assert_int_equal(ff_model_body_count(NULL) + ff_model_robot_count(NULL) +
                       ff_model_shape_count(NULL) + ff_model_pair_count(NULL) +
                       ff_model_constraint_count(NULL) + ff_model_channel_count(NULL),
                   0);
  assert_int_equal(ff_model_body_find(NULL, "a").id, 0);
  assert_int_equal(ff_model_robot_find(NULL, "a").id, 0);
  assert_string_equal(ff_model_body_name(NULL, (ff_body){.id = 1}), "");
  assert_true(isnan(ff_sim_time(NULL)));
  assert_int_equal(ff_sim_step(NULL), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_advance(NULL, 1), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_set_threads(NULL, 1), FF_ERROR_INPUT);
  assert_int_equal(ff_sim_on_control(NULL, 1, NULL, NULL), FF_ERROR_INPUT);
  assert_true(is_nan(ff_sim_body(NULL, (ff_body){.id = 1}).position));
  assert_true(isnan(ff_sim_energy(NULL).residual));
  assert_true(is_nan(ff_sim_momentum(NULL).linear));
  assert_true(ff_sim_audit(NULL).verdict != FF_VERDICT_GOOD);
  assert_int_equal(ff_sim_contact_count(NULL) + ff_sim_intrusions(NULL, NULL, 5), 0);
  ff_sim_read(NULL, &channel, 1, &value);
  assert_true(isnan(value));
  ff_sim_reset(NULL);
  ff_sim_cancel(NULL);
  ff_sim_on_event(NULL, NULL, NULL);
  ff_sim_failure(NULL, &report);
  ff_sim_destroy(NULL);
  ff_model_destroy(NULL);
  ff_scene_destroy(NULL);
  ff_robot_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mistyped_name_gives_nan),
      cmocka_unit_test(ids_of_no_body),
      cmocka_unit_test(ids_of_no_robot_or_joint),
      cmocka_unit_test(indices_of_nothing),
      cmocka_unit_test(links_that_a_tree_or_robot_does_not_have),
      cmocka_unit_test(times_that_never_come),
      cmocka_unit_test(null_is_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
