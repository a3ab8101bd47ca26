/* Misuses of the C interface: each gives a status, NAN, 0, "" or NULL, and changes nothing. Also of
 * ids of other models, of use after a failed step, and of destroying twice. */
#include "footfall/footfall.h"
#include "ids.h"
#include "jammed.h"
#include "scene_text.h"
#include "testing.h"

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

/* The same structure by number, other names. */
static const char other_text[] =
    "footfall: 1\n"
    "stepper: {kind: rk4, step: 1e-3}\n"
    "robots: {s: {urdf: robots/double-pendulum.urdf}}\n"
    "bodies:\n"
    "  a: {fixed: true, shape: {half-space: {}}}\n"
    "  b: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [5, 0, 0.1]}\n"
    "  c: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [7, 0, 1]}\n"
    "constraints:\n"
    "  d: {kind: distance, pair: [c, a]}\n";

static int misuses;

#define REFUSED(call)                                                                              \
  do {                                                                                             \
    misuses++;                                                                                     \
    if ((call) != FF_ERROR_INPUT) {                                                                \
      print_error("%s: accepted\n", #call);                                                        \
      fail();                                                                                      \
    }                                                                                              \
  } while (0)
/* A condition on what the call gives. */
#define GIVES(condition)                                                                           \
  do {                                                                                             \
    misuses++;                                                                                     \
    if (!(condition)) {                                                                            \
      print_error("not %s\n", #condition);                                                         \
      fail();                                                                                      \
    }                                                                                              \
  } while (0)
#define HARMLESS(call) (misuses++, (call))

static const ff_vec3 zero = {0, 0, 0};

static bool is_nan(ff_vec3 v) {
  return isnan(v.x) && isnan(v.y) && isnan(v.z);
}

static void model_without_model(void) {
  ff_model *model;
  GIVES(ff_model_build(&model, NULL, NULL) == FF_ERROR_INPUT && !model);
  REFUSED(ff_model_build(NULL, NULL, NULL));
  GIVES(ff_model_run(NULL) == NULL);
  GIVES(ff_model_stepper_reason(NULL)[0] == 0);
  GIVES(!ff_model_default_contacts(NULL));
  GIVES(ff_model_body_count(NULL) == 0);
  GIVES(ff_model_body_at(NULL, 1).id == 0);
  GIVES(ff_model_body_name(NULL, (ff_body){.id = 1})[0] == 0);
  GIVES(ff_model_body_find(NULL, "ball").id == 0);
  GIVES(isnan(ff_model_body_info(NULL, (ff_body){.id = 1}).mass));
  GIVES(ff_model_shape_count(NULL) == 0);
  GIVES(ff_model_shape_at(NULL, 1).id == 0);
  GIVES(isnan(ff_model_shape_info(NULL, (ff_shape){.id = 1}).volume));
  GIVES(ff_model_pair_count(NULL) == 0);
  GIVES(isnan(ff_model_pair_info(NULL, 0).mass));
  GIVES(ff_model_constraint_count(NULL) == 0);
  GIVES(ff_model_constraint_at(NULL, 1).id == 0);
  GIVES(ff_model_constraint_find(NULL, "rope").id == 0);
  GIVES(isnan(ff_model_constraint_info(NULL, CONSTRAINT(1)).length));
  GIVES(ff_model_robot_count(NULL) == 0);
  GIVES(ff_model_robot_at(NULL, 1).id == 0);
  GIVES(ff_model_robot_find(NULL, "r").id == 0);
  GIVES(ff_model_robot_info(NULL, ROBOT(1)).tree == NULL);
  GIVES(ff_model_joint_at(NULL, ROBOT(1), 1).id == 0);
  GIVES(ff_model_joint_find(NULL, ROBOT(1), "shoulder").id == 0);
  GIVES(ff_model_joint_name(NULL, JOINT(1, 1))[0] == 0);
  GIVES(ff_model_joint_info(NULL, JOINT(1, 1)).q_at == -1);
  GIVES(ff_model_channel_count(NULL) == 0);
  GIVES(ff_model_channel(NULL, 0).name[0] == 0);
  GIVES(ff_model_x_count(NULL) == 0);
  GIVES(ff_model_stable_step(NULL) == INFINITY);
  GIVES(ff_model_joint_step(NULL, false, NULL) == INFINITY);
}

static void sim_without_sim(void) {
  const ff_body body = {.id = 1};
  const ff_joint_order order = {0};
  const ff_body_state state = {0};
  double numbers[4] = {7, 7, 7, 7};
  int channel = 0;
  ff_sim *sim;
  GIVES(ff_sim_create(&sim, NULL) == FF_ERROR_INPUT && !sim);
  REFUSED(ff_sim_create(NULL, NULL));
  GIVES(ff_sim_model(NULL) == NULL);
  REFUSED(ff_sim_reset(NULL));
  HARMLESS(ff_sim_set_user(NULL, NULL));
  GIVES(ff_sim_user(NULL) == NULL);
  REFUSED(ff_sim_set_threads(NULL, 1));
  GIVES(isnan(ff_sim_time(NULL)));
  REFUSED(ff_sim_step(NULL));
  REFUSED(ff_sim_advance(NULL, 1));
  HARMLESS(ff_sim_cancel(NULL));
  HARMLESS(ff_sim_failure(NULL, NULL));
  GIVES(is_nan(ff_sim_body(NULL, body).position));
  REFUSED(ff_sim_set_body(NULL, body, &state));
  REFUSED(ff_sim_apply(NULL, body, zero, zero, zero));
  REFUSED(ff_sim_set_gravity(NULL, zero));
  GIVES(is_nan(ff_sim_gravity(NULL)));
  REFUSED(ff_sim_set_law(NULL, body, body, FF_LAW_NORMAL, "k", 1, NULL));
  GIVES(isnan(ff_sim_law(NULL, body, body, FF_LAW_NORMAL, "k")));
  REFUSED(ff_sim_set_mass(NULL, body, 1));
  REFUSED(ff_sim_set_gains(NULL, JOINT(1, 1), 1, 1));
  GIVES(is_nan(ff_sim_acceleration(NULL, body).linear));
  GIVES(is_nan(ff_sim_imu(NULL, body, (ff_pose){zero, {1, 0, 0, 0}}).force));
  HARMLESS(ff_sim_robot(NULL, ROBOT(1), numbers, numbers));
  REFUSED(ff_sim_set_robot(NULL, ROBOT(1), numbers, numbers));
  REFUSED(ff_sim_set_joint(NULL, JOINT(1, 1), 0, 0));
  GIVES(is_nan(ff_sim_body_load(NULL, body)));
  REFUSED(ff_sim_order(NULL, JOINT(1, 1), &order));
  REFUSED(ff_sim_on_control(NULL, 1, NULL, NULL));
  REFUSED(ff_sim_on_step(NULL, NULL, NULL));
  HARMLESS(ff_sim_on_event(NULL, NULL, NULL));
  GIVES(ff_sim_controller(NULL, ROBOT(1)) == NULL);
  GIVES(ff_sim_contact_count(NULL) == 0);
  GIVES(ff_sim_contact(NULL, 0).a.id == 0);
  GIVES(ff_sim_contacts(NULL, NULL, 4) == 0);
  GIVES(ff_sim_intrusions(NULL, NULL, 4) == 0);
  GIVES(ff_sim_ray(NULL, zero, (ff_vec3){0, 0, 1}, 1, (ff_body){0}).body.id == 0);
  GIVES(isnan(ff_sim_distance(NULL, body, body).distance));
  GIVES(isnan(ff_sim_constraint(NULL, CONSTRAINT(1)).error));
  GIVES(isnan(ff_sim_energy(NULL).residual));
  GIVES(is_nan(ff_sim_momentum(NULL).linear));
  GIVES(isnan(ff_sim_contact_residual(NULL).cone));
  GIVES(ff_sim_audit(NULL).verdict != FF_VERDICT_GOOD);
  GIVES(ff_sim_findings(NULL, NULL, 4) == 0);
  GIVES(isnan(ff_sim_solver(NULL).residual));
  GIVES(isnan(ff_sim_results(NULL).force.time));
  GIVES(isnan(ff_sim_travelled(NULL, body)));
  HARMLESS(ff_sim_read(NULL, &channel, 1, numbers));
  GIVES(isnan(numbers[0]));
  HARMLESS(ff_sim_x(NULL, numbers));
  REFUSED(ff_sim_set_x(NULL, numbers));
  assert_true(numbers[1] == 7);
}

/* Ids out of range, and ids of a model with other names. */
static void ids_of_others(ff_sim *sim, const ff_model *model, const ff_model *other) {
  const ff_joint_order order = {0};
  const ff_body bodies[] = {{.id = -5}, {.id = 99}, ff_model_body_find(other, "b")};
  const ff_robot_id robots[] = {ROBOT(-1), ROBOT(7), ff_model_robot_find(other, "s")};
  const ff_joint_id joints[] = {JOINT(1, 0), JOINT(1, 3), JOINT(0, 1), JOINT(2, 1),
                                ff_model_joint_at(other, ff_model_robot_at(other, 1), 1)};
  const ff_constraint_id constraints[] = {CONSTRAINT(0), CONSTRAINT(2),
                                          ff_model_constraint_find(other, "d")};
  const ff_shape shapes[] = {{.id = 0}, {.id = 77}, ff_model_shape_at(other, 1)};
  ff_body good = ff_model_body_find(model, "ball"), floor = ff_model_body_find(model, "floor");
  ff_body_state state = ff_sim_body(sim, good);
  double q[2] = {7, 7};
  assert_true(bodies[2].id > 0 && robots[2].id > 0 && joints[4].id > 0 && constraints[2].id > 0);
  for (int i = 0; i < 3; i++) {
    GIVES(ff_model_body_name(model, bodies[i])[0] == 0);
    GIVES(isnan(ff_model_body_info(model, bodies[i]).mass));
    GIVES(is_nan(ff_sim_body(sim, bodies[i]).position));
    REFUSED(ff_sim_set_body(sim, bodies[i], &state));
    REFUSED(ff_sim_apply(sim, bodies[i], zero, zero, zero));
    REFUSED(ff_sim_set_law(sim, bodies[i], floor, FF_LAW_NORMAL, "k", 1e4, NULL));
    REFUSED(ff_sim_set_mass(sim, bodies[i], 2));
    GIVES(is_nan(ff_sim_acceleration(sim, bodies[i]).linear));
    GIVES(is_nan(ff_sim_body_load(sim, bodies[i])));
    GIVES(isnan(ff_sim_travelled(sim, bodies[i])));
    GIVES(isnan(ff_sim_distance(sim, good, bodies[i]).distance));
    GIVES(ff_model_robot_info(model, robots[i]).tree == NULL);
    REFUSED(ff_sim_set_robot(sim, robots[i], q, NULL));
    HARMLESS(ff_sim_robot(sim, robots[i], q, q));
    GIVES(ff_sim_controller(sim, robots[i]) == NULL);
    GIVES(isnan(ff_model_constraint_info(model, constraints[i]).length));
    GIVES(isnan(ff_sim_constraint(sim, constraints[i]).error));
    GIVES(isnan(ff_model_shape_info(model, shapes[i]).volume));
  }
  assert_true(q[0] == 7 && q[1] == 7);
  for (int i = 0; i < 5; i++) {
    GIVES(ff_model_joint_name(model, joints[i])[0] == 0);
    GIVES(ff_model_joint_info(model, joints[i]).q_at == -1);
    REFUSED(ff_sim_order(sim, joints[i], &order));
    REFUSED(ff_sim_set_joint(sim, joints[i], 0, 0));
    REFUSED(ff_sim_set_gains(sim, joints[i], 1, 1));
  }
}

static void numbers_that_are_none(ff_sim *sim, const ff_model *model) {
  const ff_body ball = ff_model_body_find(model, "ball"),
                floor = ff_model_body_find(model, "floor");
  const ff_joint_id joint = ff_model_joint_at(model, ff_model_robot_at(model, 1), 1);
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    const double x = bad[i], q[2] = {x, 0};
    const ff_vec3 v = {0, x, 0};
    const ff_joint_order order = {.torque = x};
    ff_body_state state = ff_sim_body(sim, ball);
    state.velocity.y = x;
    REFUSED(ff_sim_advance(sim, x));
    REFUSED(ff_sim_set_body(sim, ball, &state));
    REFUSED(ff_sim_apply(sim, ball, zero, v, zero));
    REFUSED(ff_sim_set_gravity(sim, v));
    REFUSED(ff_sim_set_law(sim, ball, floor, FF_LAW_NORMAL, "k", x, NULL));
    REFUSED(ff_sim_set_mass(sim, ball, x));
    REFUSED(ff_sim_set_gains(sim, joint, x, 0));
    REFUSED(ff_sim_set_joint(sim, joint, x, 0));
    REFUSED(ff_sim_set_robot(sim, ff_model_robot_at(model, 1), q, NULL));
    REFUSED(ff_sim_order(sim, joint, &order));
  }
  ff_body_state state = ff_sim_body(sim, ball);
  state.orientation = (ff_quat){0, 0, 0, 0};
  REFUSED(ff_sim_set_body(sim, ball, &state));
  REFUSED(ff_sim_set_body(sim, floor, &(ff_body_state){.orientation = {1, 0, 0, 0}}));
  REFUSED(ff_sim_set_body(sim, ball, NULL));
  REFUSED(ff_sim_order(sim, joint, NULL));
  REFUSED(ff_sim_set_threads(sim, 0));
  REFUSED(ff_sim_set_threads(sim, 1000));
  REFUSED(ff_sim_set_x(sim, NULL));
}

static void objects_that_are_none(const ff_sim *sim) {
  ff_state *state;
  ff_sim *clone;
  ff_run *run;
  ff_batch *batch;
  ff_recording *recording;
  ff_robot *robot;
  ff_scene *scene;
  ff_sampler *sampler;
  ff_batch_def def = ff_batch_def_default();
  GIVES(ff_state_create(&state, NULL) == FF_ERROR_INPUT && !state);
  REFUSED(ff_state_create(NULL, sim));
  REFUSED(ff_state_save(sim, NULL));
  REFUSED(ff_state_restore(NULL, NULL));
  REFUSED(ff_state_copy(NULL, NULL));
  GIVES(isnan(ff_state_time(NULL)));
  GIVES(ff_state_size(NULL) == 0);
  GIVES(!ff_state_equal(NULL, NULL, NULL));
  GIVES(ff_state_serialise(NULL, NULL, 0) == 0);
  REFUSED(ff_state_deserialise(&state, "nothing of the kind", 19, NULL));
  REFUSED(ff_state_deserialise(&state, NULL, 0, NULL));
  REFUSED(ff_sim_clone(&clone, NULL));
  REFUSED(ff_sim_clone(NULL, sim));
  REFUSED(ff_run_create(&run, NULL, NULL, NULL));
  REFUSED(ff_run_execute(NULL, NULL));
  HARMLESS(ff_run_stop(NULL));
  GIVES(ff_run_scene(NULL) == NULL);
  GIVES(ff_run_model(NULL) == NULL);
  GIVES(ff_run_sim(NULL) == NULL);
  GIVES(ff_run_output_count(NULL) == 0);
  GIVES(ff_run_output(NULL, 0) == NULL);
  GIVES(ff_run_recording(NULL) == NULL);
  GIVES(ff_run_incomplete(NULL)[0] == 0);
  GIVES(ff_run_count(NULL).samples == 0);
  GIVES(ff_run_events(NULL, NULL) == NULL);
  REFUSED(ff_batch_create(&batch, NULL, NULL));
  REFUSED(ff_batch_create(&batch, &def, NULL));
  GIVES(ff_batch_count(NULL) == 0);
  GIVES(ff_batch_x_count(NULL) == 0);
  GIVES(ff_batch_u_count(NULL) == 0);
  GIVES(ff_batch_sim(NULL, 0) == NULL);
  REFUSED(ff_batch_reset(NULL, NULL));
  REFUSED(ff_batch_set_x(NULL, NULL));
  REFUSED(ff_batch_step(NULL, NULL, NULL));
  REFUSED(ff_batch_rollout(NULL, NULL, 1, NULL, NULL));
  HARMLESS(ff_batch_stop(NULL));
  GIVES(ff_recording_open(&recording, NULL, NULL) != FF_OK && !recording);
  GIVES(ff_recording_about(NULL) == NULL);
  GIVES(ff_recording_rows(NULL) == 0);
  GIVES(ff_recording_column(NULL, 0) == NULL);
  GIVES(ff_robot_load(&robot, NULL, NULL, NULL) != FF_OK && !robot);
  GIVES(ff_robot_load_without_missing(&robot, NULL, NULL, NULL) != FF_OK && !robot);
  GIVES(ff_robot_link_count(NULL) == 0);
  GIVES(ff_robot_name(NULL)[0] == 0);
  GIVES(ff_scene_load(&scene, NULL, NULL, 0, NULL) != FF_OK && !scene);
  GIVES(ff_scene_parse(&scene, NULL, 0, NULL, NULL, 0, NULL) != FF_OK && !scene);
  REFUSED(ff_scene_set_run(NULL, NULL));
  REFUSED(ff_scene_add_body(NULL, NULL, NULL));
  REFUSED(ff_scene_add_contact(NULL, NULL));
  REFUSED(ff_sampler_create(&sampler, NULL, NULL, 0));
  REFUSED(ff_sampler_at(NULL, 0, 0, NULL));
  REFUSED(ff_recorder_add(NULL, NULL));
  REFUSED(ff_recorder_mark(NULL, NULL));
  REFUSED(ff_recorder_close(NULL, NULL, NULL));
}

static void trees_and_laws_that_are_none(void) {
  ff_tree *tree;
  ff_tree_work *work;
  ff_law_params params = {{{0}}};
  GIVES(ff_tree_build(&tree, NULL, 1, NULL) == FF_ERROR_INPUT && !tree);
  GIVES(ff_tree_work_create(&work, NULL) == FF_ERROR_INPUT && !work);
  GIVES(ff_tree_link_count(NULL) == 0);
  GIVES(ff_tree_q_count(NULL) == 0);
  GIVES(ff_tree_v_count(NULL) == 0);
  GIVES(isnan(ff_tree_mass(NULL)));
  GIVES(ff_tree_link(NULL, 1).name[0] == 0);
  GIVES(is_nan(ff_tree_pose(NULL, 1).position));
  GIVES(is_nan(ff_tree_velocity(NULL, 1)));
  GIVES(is_nan(ff_tree_omega(NULL, 1)));
  GIVES(ff_law_at(-1) == NULL);
  GIVES(ff_law_find(FF_LAW_ANY, NULL) == NULL);
  REFUSED(ff_law_params_set(NULL, &params, "k", 1, NULL));
  GIVES(isnan(ff_law_params_get(NULL, &params, "k")));
  REFUSED(ff_law_params_set(ff_law_find(FF_LAW_ANY, "linear"), &params, NULL, 1, NULL));
  GIVES(ff_stepper_find(NULL) == NULL);
  GIVES(ff_stepper_at(-1) == NULL);
  GIVES(ff_joint_kind_name((ff_joint_kind)99)[0] == '?');
  GIVES(ff_status_text((ff_status)99)[0] != 0);
}

static void every_misuse_is_refused(void **state) {
  (void)state;
  ff_model *model, *other_model;
  ff_sim *sim = sim_of(&model, text, NULL), *other = sim_of(&other_model, other_text, NULL);
  ff_state *before, *after, *foreign;
  assert_int_equal(ff_sim_advance(sim, 0.01), FF_OK);
  assert_int_equal(ff_state_create(&before, sim), FF_OK);
  assert_int_equal(ff_state_create(&foreign, other), FF_OK);
  misuses = 0;
  model_without_model();
  sim_without_sim();
  ids_of_others(sim, model, other_model);
  numbers_that_are_none(sim, model);
  objects_that_are_none(sim);
  trees_and_laws_that_are_none();
  REFUSED(ff_state_restore(sim, foreign));
  print_message("%d misuses\n", misuses);
  assert_true(misuses >= 150);
  assert_int_equal(ff_state_create(&after, sim), FF_OK);
  assert_true(ff_state_equal(before, after, NULL));
  assert_int_equal(ff_sim_advance(sim, 0.02), FF_OK);
  ff_state_destroy(&before);
  ff_state_destroy(&after);
  ff_state_destroy(&foreign);
  end(sim, model);
  end(other, other_model);
}

/* Through the pointer's address. */
static void destroying_twice(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  ff_state *kept;
  ff_sampler *sampler;
  int channel = 0;
  assert_int_equal(ff_state_create(&kept, sim), FF_OK);
  assert_int_equal(ff_sampler_create(&sampler, sim, &channel, 1), FF_OK);
  for (int i = 0; i < 2; i++) {
    ff_sampler_destroy(&sampler);
    ff_state_destroy(&kept);
    ff_sim_destroy(&sim);
    ff_model_destroy(&model);
    assert_true(!sampler && !kept && !sim && !model);
    /* what is gone is refused, as NULL is */
    assert_int_equal(ff_sim_step(sim), FF_ERROR_INPUT);
    assert_true(isnan(ff_sim_time(sim)));
    assert_int_equal(ff_model_body_count(model), 0);
  }
  ff_sampler_destroy(NULL);
  ff_state_destroy(NULL);
  ff_sim_destroy(NULL);
  ff_model_destroy(NULL);
  ff_scene_destroy(NULL);
  ff_run_destroy(NULL);
  ff_batch_destroy(NULL);
  ff_robot_destroy(NULL);
  ff_tree_destroy(NULL);
  ff_tree_work_destroy(NULL);
  ff_recording_close(NULL);
  ff_recorder_abandon(NULL);
  ff_page_destroy(NULL);
  ff_study_destroy(NULL);
  ff_fit_destroy(NULL);
  ff_controller_destroy(NULL);
  ff_walk_destroy(NULL);
  ff_preview_destroy(NULL);
  ff_ncp_destroy(NULL);
  ff_qp_destroy(NULL);
}

/* A step that cannot be completed: the sim is as before it, and every later use gives an answer. */
static void use_after_failure(void **state) {
  (void)state;
  ff_model *model;
  ff_report why;
  ff_sim *sim = sim_of(&model, jammed(5), NULL);
  ff_body body = ff_model_body_find(model, "c0");
  ff_body_state start = ff_sim_body(sim, body);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ff_sim_step(sim), FF_ERROR_STEP);
    ff_sim_failure(sim, &why);
    assert_true(why.what[0] != 0 && ff_sim_time(sim) == 0);
    ff_body_state now = ff_sim_body(sim, body);
    assert_memory_equal(&now, &start, sizeof now);
    assert_int_equal(ff_sim_audit(sim).steps, 0);
    assert_true(ff_sim_findings(sim, NULL, 0) >= 0);
    assert_int_equal(ff_sim_reset(sim), FF_OK);
  }
  assert_int_equal(ff_sim_advance(sim, 0.01), FF_ERROR_STEP);
  end(sim, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_misuse_is_refused),
      cmocka_unit_test(destroying_twice),
      cmocka_unit_test(use_after_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
