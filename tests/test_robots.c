/* Robots in scenes: trees move, touch, are driven, and every joule of them is accounted for. */
#include "folder.h"
#include "scene_text.h"

#include "base/memory.h"
#include "footfall/footfall.h"
#include "math/vec.h"

/* ---- motion --------------------------------------------------------------------------- */

static const char double_pendulum[] =
    "footfall: 1\n"
    "stepper: {kind: adaptive, rtol: 1e-13, atol: 1e-14}\n"
    "robots:\n"
    "  pendulum:\n"
    "    urdf: robots/double-pendulum.urdf\n"
    "    joints: {shoulder: {position: 2.0}, elbow: {position: 1.0}}\n";

static void test_double_pendulum_keeps_its_energy(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, double_pendulum, NULL);
  assert_int_equal(ff_sim_advance(sim, 100), FF_OK);
  ff_audit audit = ff_sim_audit(sim);
  /* 1e-9 of the 30 J that swing to and fro */
  assert_true(audit.energy_scale > 25);
  assert_true(audit.energy_residual < 1e-9 * audit.energy_scale);
  assert_true(audit.momentum_residual < 1e-8);
  assert_true(audit.angular_residual < 1e-8);
  end(sim, model);
}

/* One way to count is a tree's own: the sim must agree with a run of the tree alone. */
static void test_sim_agrees_with_the_tree_alone(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, double_pendulum, "stepper={kind: rk4, step: 1e-3}");
  ff_robot *robot = NULL;
  ff_tree *tree = NULL;
  ff_tree_work *work = NULL;
  const char *path = FF_SOURCE_DIR "/scenes/robots/double-pendulum.urdf";
  assert_int_equal(ff_robot_load(&robot, path, NULL, NULL), FF_OK);
  assert_int_equal(ff_robot_tree(&tree, robot, FF_JOINT_FIXED, NULL), FF_OK);
  assert_int_equal(ff_tree_work_create(&work, tree), FF_OK);
  double y[4] = {2, 1, 0, 0};
  const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  for (int i = 0; i < 500; i++) {
    double k[4] = {0}, sum[4] = {0}, stage[4], tau[2] = {0};
    for (int s = 0; s < 4; s++) {
      for (int j = 0; j < 4; j++) {
        stage[j] = y[j] + at[s] * 1e-3 * k[j];
      }
      ff_tree_update(work, stage, stage + 2);
      assert_true(ff_tree_forward_dynamics(work, tau, v3(0, 0, -9.81), NULL, k + 2));
      k[0] = stage[2];
      k[1] = stage[3];
      for (int j = 0; j < 4; j++) {
        sum[j] += weight[s] * 1e-3 * k[j];
      }
    }
    for (int j = 0; j < 4; j++) {
      y[j] += sum[j];
    }
  }
  assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
  assert_close(channel(sim, model, "joint.pendulum-shoulder.position"), y[0], 1e-11);
  assert_close(channel(sim, model, "joint.pendulum-elbow.velocity"), y[3], 1e-10);
  ff_tree_work_destroy(&work);
  ff_tree_destroy(&tree);
  ff_robot_destroy(&robot);
  end(sim, model);
}

/* Steppers converge to the same motion at their order. */
static double elbow_after(const char *stepper) {
  ff_model *model;
  ff_sim *sim = sim_of(&model, double_pendulum, stepper);
  assert_int_equal(ff_sim_advance(sim, 0.4), FF_OK);
  double q = channel(sim, model, "joint.pendulum-elbow.position");
  end(sim, model);
  return q;
}

static void test_steppers_agree(void **state) {
  (void)state;
  double q = elbow_after(NULL);
  assert_close(elbow_after("stepper={kind: rk4, step: 1e-3}"), q, 1e-9);
  double coarse = elbow_after("stepper={kind: symplectic-euler, step: 1e-3}") - q;
  double fine = elbow_after("stepper={kind: symplectic-euler, step: 5e-4}") - q;
  assert_near(coarse / fine, 2, 0.02); /* first order */
}

/* ---- a robot of one link is a body ----------------------------------------------------- */

static const char box_urdf[] =
    "<robot name='box'><link name='box'>"
    "<inertial><origin xyz='0.02 -0.01 0.03' rpy='0.3 0.2 0.1'/><mass value='2'/>"
    "<inertia ixx='0.02' iyy='0.03' izz='0.04' ixy='0.001'/></inertial>"
    "<collision><origin xyz='0.01 0 0' rpy='0 0 0.2'/><geometry><box size='0.4 0.3 0.2'/>"
    "</geometry></collision></link></robot>";

/* The link of the text above as a robot, or as a free body. */
static ff_sim *box_sim(ff_model **model, const ff_robot *robot, bool as_body) {
  ff_scene *scene = NULL;
  ff_report report = {.line = 0};
  assert_int_equal(ff_scene_create(&scene), FF_OK);
  ff_body body;
  ff_shape shape;
  ff_body_def floor = ff_body_def_default();
  floor.name = "floor";
  floor.kind = FF_BODY_FIXED;
  ff_shape_def plane = ff_shape_def_default();
  plane.kind = FF_HALF_SPACE;
  assert_int_equal(ff_scene_add_body(&body, scene, &floor), FF_OK);
  assert_int_equal(ff_scene_add_shape(&shape, scene, body, &plane), FF_OK);
  ff_robot_def def = ff_robot_def_of(robot, "box");
  def.base = (ff_pose){{0, 0, 0.3}, q_exp(v3(0.2, 0.3, 0.4))};
  def.velocity = v3(1, 0.2, -0.5);
  def.omega = v3(1, -2, 3);
  if (as_body) {
    ff_body_def b = ff_body_def_default();
    b.name = "box-box";
    b.mass = def.links[0].def.mass;
    b.com = def.links[0].def.com;
    b.inertia = def.links[0].def.inertia;
    b.position = def.base.position;
    b.orientation = def.base.orientation;
    b.velocity = def.velocity;
    b.omega = def.omega;
    ff_shape_def s = ff_shape_def_default();
    s.kind = def.shapes[0].kind;
    s.size = def.shapes[0].size;
    s.position = def.shapes[0].pose.position;
    s.orientation = def.shapes[0].pose.orientation;
    assert_int_equal(ff_scene_add_body(&body, scene, &b), FF_OK);
    assert_int_equal(ff_scene_add_shape(&shape, scene, body, &s), FF_OK);
  } else {
    assert_int_equal(ff_scene_add_robot(scene, &def), FF_OK);
  }
  const char *normal[] = {"k", "n", "alpha"}, *friction[] = {"mu_static", "mu_kinetic", "v_t"};
  const double normal_values[] = {5e4, 1.5, 0.4}, friction_values[] = {0.5, 0.4, 0.05};
  ff_contact_def contact = ff_contact_def_default();
  contact.normal = (ff_law_choice){"hunt-crossley", normal, normal_values, 3};
  contact.friction = (ff_law_choice){"coulomb", friction, friction_values, 3};
  assert_int_equal(ff_scene_add_contact(scene, &contact), FF_OK);
  ff_run_def run = ff_run_def_default();
  run.stepper.kind = "adaptive";
  assert_int_equal(ff_scene_set_run(scene, &run), FF_OK);
  assert_int_equal(ff_model_build(model, scene, &report), FF_OK);
  ff_scene_destroy(&scene);
  ff_sim *sim = NULL;
  assert_int_equal(ff_sim_create(&sim, *model), FF_OK);
  return sim;
}

static int leave_folder(void **state) {
  (void)state;
  return remove_folder();
}

static ff_robot *box_robot(void) {
  static const char path[] = "box.urdf";
  ff_robot *robot = NULL;
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(box_urdf, file);
  fclose(file);
  assert_int_equal(ff_robot_load(&robot, path, NULL, NULL), FF_OK);
  unlink(path);
  return robot;
}

/* A tumbling, bouncing, sliding box: the same motion, forces and ledger either way. */
static void test_one_link_moves_as_a_free_body(void **state) {
  (void)state;
  ff_robot *robot = box_robot();
  ff_model *models[2];
  ff_sim *sims[2];
  ff_body_state boxes[2];
  ff_energy energies[2];
  for (int i = 0; i < 2; i++) {
    sims[i] = box_sim(&models[i], robot, i == 1);
    assert_int_equal(ff_sim_advance(sims[i], 0.4), FF_OK);
    boxes[i] = ff_sim_body(sims[i], ff_model_body_find(models[i], "box-box"));
    energies[i] = ff_sim_energy(sims[i]);
    assert_true(ff_sim_audit(sims[i]).verdict == FF_VERDICT_GOOD);
    assert_true(ff_sim_audit(sims[i]).events > 4); /* it has bounced */
  }
  /* Two integrations at 1e-10 of a motion that spreads errors at each bounce. */
  assert_close(v3_norm(v3_sub(boxes[0].position, boxes[1].position)), 0, 1e-7);
  assert_close(v3_norm(v3_sub(boxes[0].omega, boxes[1].omega)), 0, 1e-5);
  assert_close(energies[0].kinetic, energies[1].kinetic, 1e-6);
  assert_close(energies[0].lost[FF_LOST_SLIP], energies[1].lost[FF_LOST_SLIP], 1e-7);
  assert_close(energies[0].lost[FF_LOST_NORMAL], energies[1].lost[FF_LOST_NORMAL], 1e-7);
  assert_close(energies[0].residual, 0, 1e-8);
  for (int i = 0; i < 2; i++) {
    end(sims[i], models[i]);
  }
  ff_robot_destroy(&robot);
}

/* ---- standing ------------------------------------------------------------------------------ */

static char *scene_text(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/scenes/%s", FF_SOURCE_DIR, name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char *text = calloc(1, 1 << 16);
  assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
  fclose(file);
  return text;
}

static void test_humanoid_stands(void **state) {
  (void)state;
  char *text = scene_text("humanoid-standing.yaml");
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 1.5), FF_OK);
  assert_int_equal(ff_sim_audit(sim).verdict, FF_VERDICT_GOOD);
  ff_body_state trunk = ff_sim_body(sim, ff_model_body_find(model, "humanoid-trunk"));
  assert_close(trunk.position.z, 0.23, 1e-3); /* it sinks in by a few tenths of a millimetre */
  assert_close(hypot(trunk.position.x, trunk.position.y), 0, 2e-3);
  assert_true(trunk.orientation.w > 0.9999);
  double pressed = channel(sim, model, "contact.humanoid-left_foot:floor.force.n") +
                   channel(sim, model, "contact.humanoid-right_foot:floor.force.n");
  assert_near(pressed, 5 * 9.81, 0.01); /* it still trembles */
  end(sim, model);
  free(text);
}

/* The same under error control: the ledger closes to the integrator's accuracy, and what the
 * ground gives is the change of momentum. */
static void test_humanoid_ledger_closes(void **state) {
  (void)state;
  char *text = scene_text("humanoid-standing.yaml");
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, "stepper={kind: adaptive, rtol: 1e-8, atol: 1e-10}");
  assert_int_equal(ff_sim_advance(sim, 0.03), FF_OK);
  ff_audit audit = ff_sim_audit(sim);
  assert_true(audit.events > 0);
  assert_true(audit.energy_residual < 1e-7 * audit.energy_scale);
  assert_true(audit.momentum_residual < 1e-8);
  assert_true(audit.angular_residual < 1e-8);
  assert_true(ff_sim_energy(sim).lost[FF_LOST_JOINT] > 0);
  end(sim, model);
  free(text);
}

/* A humanoid thrown without spin falls as a stone, in steps of any size. */
static void test_free_flight_of_steps_is_exact(void **state) {
  (void)state;
  const char text[] = "footfall: 1\n"
                      "stepper: {kind: symplectic-euler, step: 0.01}\n"
                      "robots:\n"
                      "  stone: {urdf: robots/humanoid.urdf, velocity: [1, 0, 2]}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
  ff_body_state trunk = ff_sim_body(sim, ff_model_body_find(model, "stone-trunk"));
  assert_close(trunk.position.x, 1, 1e-12);
  assert_close(trunk.position.z, 2 - 0.5 * 9.81, 1e-12);
  assert_close(ff_sim_energy(sim).residual, 0, 1e-11);
  end(sim, model);
}

/* The other robots of scenes/robots stand too, on bristles, and keep their ledger. */
static void test_quadruped_and_biped_stand(void **state) {
  (void)state;
  const struct {
    const char *scene, *trunk;
    double height;
  } robots[] = {{"quadruped-standing.yaml", "dog-trunk", 0.30},
                {"planar-biped.yaml", "biped-trunk", 0.784}};
  for (int i = 0; i < 2; i++) {
    char *text = scene_text(robots[i].scene);
    ff_model *model;
    ff_sim *sim = sim_of(&model, text, NULL);
    assert_int_equal(ff_sim_advance(sim, 0.5), FF_OK);
    assert_int_equal(ff_sim_audit(sim).verdict, FF_VERDICT_GOOD);
    ff_body_state trunk = ff_sim_body(sim, ff_model_body_find(model, robots[i].trunk));
    /* it stands: servos and ground give way by some millimetres, a fall would be centimetres */
    assert_close(trunk.position.z, robots[i].height, 5e-3);
    assert_true(trunk.orientation.w > 0.999);
    end(sim, model);
    free(text);
  }
}

/* ---- drives -------------------------------------------------------------------------------- */

static const char driven[] = "footfall: 1\n"
                             "stepper: {kind: adaptive, rtol: 1e-10}\n"
                             "robots:\n"
                             "  arm:\n"
                             "    urdf: robots/double-pendulum.urdf\n"
                             "    servo: {stiffness: 200, damping: 20}\n"
                             "    joints: {shoulder: {target: {table: [[0, 0], [0.5, 1]]}}}\n";

/* It follows its table and then holds; the work of the drives is what the arm has gained. */
static void test_servo_follows_its_table(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, driven, NULL);
  double start = ff_sim_energy(sim).gravity;
  assert_int_equal(ff_sim_advance(sim, 10), FF_OK);
  double q = channel(sim, model, "joint.arm-shoulder.position");
  double torque = channel(sim, model, "joint.arm-shoulder.torque");
  assert_close(torque, 200 * (1 - q), 1e-6); /* at rest, what is missing holds the weight */
  assert_close(q, 1, 0.15);
  ff_energy energy = ff_sim_energy(sim);
  assert_close(energy.work, energy.gravity - start, 1e-6); /* at rest again */
  assert_close(energy.residual, 0, 1e-7);
  end(sim, model);
}

/* Gains far beyond what an explicit step could follow: omega h = 100. */
static void test_stiff_servo_is_stable_in_large_steps(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, driven, "robots.arm.servo={stiffness: 1e6, damping: 1e4}");
  end(sim, model);
  const char fixed[] =
      "footfall: 1\n"
      "stepper: {kind: symplectic-euler, step: 5e-3}\n"
      "robots:\n"
      "  arm: {urdf: robots/double-pendulum.urdf, servo: {stiffness: 1e6, damping: 1e4},\n"
      "        joints: {shoulder: {position: 1.0, target: 1.001}}}\n";
  sim = sim_of(&model, fixed, NULL);
  assert_int_equal(ff_sim_advance(sim, 2), FF_OK);
  assert_close(channel(sim, model, "joint.arm-shoulder.position"), 1.001, 1e-4);
  assert_close(channel(sim, model, "joint.arm-elbow.position"), 0, 1e-4);
  end(sim, model);
}

/* Stops hold what their limits say, store, and lose as told. */
static void test_stops_are_felt_and_audited(void **state) {
  (void)state;
  const char text[] = "footfall: 1\n"
                      "stepper: {kind: adaptive, rtol: 1e-9}\n"
                      "robots:\n"
                      "  biped:\n"
                      "    urdf: robots/planar-biped.urdf\n"
                      "    stops: {stiffness: 2000, dissipation: 0.05}\n"
                      "    joints: {left_knee: {position: 0.3, velocity: -6}}\n";
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  double lowest = 1, stored = 0;
  for (int i = 1; i <= 100; i++) {
    assert_int_equal(ff_sim_advance(sim, 2e-3 * i), FF_OK);
    lowest = fmin(lowest, channel(sim, model, "joint.biped-left_knee.position"));
    stored = fmax(stored, ff_sim_energy(sim).spring_joint);
  }
  assert_true(lowest < -1e-3 && lowest > -0.1);
  assert_true(stored >= 0.5 * 2000 * lowest * lowest * (1 - 1e-12));
  assert_true(ff_sim_energy(sim).lost[FF_LOST_JOINT] > 0.1);
  assert_close(ff_sim_energy(sim).residual, 0, 1e-6);
  end(sim, model);
}

/* ---- common rules ------------------------------------------------------------------------- */

static void test_steps_allocate_nothing(void **state) {
  (void)state;
  char *text = scene_text("humanoid-standing.yaml");
  ff_model *model;
  ff_sim *sim = sim_of(&model, text, NULL);
  long before = ff_alloc_count();
  assert_int_equal(ff_sim_advance(sim, 0.02), FF_OK);
  assert_int_equal(ff_alloc_count(), before);
  end(sim, model);
  free(text);
}

/* After a reset the same run gives the same bits, velocities at the start included. */
static void test_reset_starts_anew(void **state) {
  (void)state;
  ff_model *model;
  ff_sim *sim = sim_of(&model, double_pendulum, "robots.pendulum.joints.elbow.velocity=2");
  ff_body lower = ff_model_body_find(model, "pendulum-lower");
  ff_sim_reset(sim);
  assert_true(v3_norm(ff_sim_body(sim, lower).omega) == 2);
  assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
  ff_body_state first = ff_sim_body(sim, lower);
  ff_sim_reset(sim);
  assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
  ff_body_state again = ff_sim_body(sim, lower);
  assert_memory_equal(&first, &again, sizeof first);
  end(sim, model);
}

static void test_failing_allocations_are_survived(void **state) {
  (void)state;
  ff_status status = FF_ERROR_MEMORY;
  for (long n = 1; status != FF_OK && n < 2000; n++) {
    ff_scene *scene = NULL;
    ff_model *model = NULL;
    ff_sim *sim = NULL;
    ff_alloc_fail_at(n);
    status = ff_scene_parse(&scene, driven, strlen(driven), SCENES_BESIDE, NULL, 0, NULL);
    status = status == FF_OK ? ff_model_build(&model, scene, NULL) : status;
    status = status == FF_OK ? ff_sim_create(&sim, model) : status;
    ff_alloc_fail_at(0);
    assert_true(status == FF_OK || status == FF_ERROR_MEMORY);
    ff_sim_destroy(&sim);
    ff_model_destroy(&model);
    ff_scene_destroy(&scene);
  }
  assert_int_equal(status, FF_OK);
}

/* Links of one robot touch only where it says so, and never across a joint. */
static void test_self_collision_is_chosen(void **state) {
  (void)state;
  const char text[] =
      "footfall: 1\n"
      "robots:\n"
      "  dog: {urdf: robots/quadruped.urdf, self-collision: true}\n"
      "contacts:\n"
      "  - {pair: [dog-front_left_shank, dog], normal: {law: hunt-crossley, k: 1e4, n: 1}}\n"
      "  - {pair: [dog-front_left_shank, dog-trunk], off: true}\n";
  ff_model *model = model_of(text, NULL);
  assert_int_equal(ff_model_pair_count(model), 3); /* one shank with the three others */
  ff_model_destroy(&model);
  model = model_of(text, "robots.dog.self-collision=false");
  assert_int_equal(ff_model_pair_count(model), 0);
  ff_model_destroy(&model);
}

/* ---- rotor inertia ---------------------------------------------------------------------- */

static const char pendulum_urdf[] =
    "<robot name='p'><link name='pivot'/><link name='rod'><inertial><origin xyz='0 0 -0.5'/>"
    "<mass value='2'/><inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial>"
    "</link><joint name='hinge' type='continuous'><parent link='pivot'/><child link='rod'/>"
    "<axis xyz='0 1 0'/></joint></robot>";

/* Time from one passage through the lowest point to the next but one. */
static double swing_period(ff_sim *sim, const ff_model *model) {
  double passed[3] = {0}, before = 0.01, step = 5e-3;
  int count = 0;
  for (int i = 1; count < 3 && i * step < 8; i++) {
    assert_int_equal(ff_sim_advance(sim, i * step), FF_OK);
    double q = channel(sim, model, "joint.p-hinge.position");
    if (q * before < 0) {
      passed[count++] = step * (i - 1 + before / (before - q));
    }
    before = q;
  }
  assert_int_equal(count, 3);
  return passed[2] - passed[0];
}

/* A rod of 2 kg, 0.5 m below its hinge, of 0.6 kg m^2 about it, and a rotor of 1.4 kg m^2; set in
 * the scene, of the joint or of all, and over it. */
static void test_armature_slows_a_pendulum_under_every_stepper(void **state) {
  (void)state;
  const char *const steppers[] = {
      "symplectic-euler, step: 1e-3", "rk4, step: 5e-3",        "heun, step: 5e-3", "adaptive",
      "quasi-rigid, step: 1e-3",      "micro-macro, step: 1e-3"};
  FILE *file = fopen("p.urdf", "w");
  assert_true(file && fputs(pendulum_urdf, file) >= 0 && fclose(file) == 0);
  for (int i = 0; i < 6; i++) {
    for (int over = 0; over < 2; over++) {
      char text[1024];
      snprintf(text, sizeof text,
               "footfall: 1\nstepper: {kind: %s}\nrobots:\n"
               "  p: {urdf: p.urdf, %s}\n",
               steppers[i],
               i % 2 ? "servo: {armature: 1.4}, joints: {hinge: {position: 0.01}}"
                     : "joints: {hinge: {position: 0.01, armature: 1.4}}");
      const char *const settings[] = {"robots.p.joints.hinge.armature=0"};
      ff_scene *scene = NULL;
      ff_model *model = NULL;
      ff_sim *sim = NULL;
      assert_int_equal(ff_scene_parse(&scene, text, strlen(text), "p.yaml", settings, over, NULL),
                       FF_OK);
      assert_int_equal(ff_model_build(&model, scene, NULL), FF_OK);
      ff_scene_destroy(&scene);
      assert_int_equal(ff_sim_create(&sim, model), FF_OK);
      double expected = 2 * ff_pi * sqrt((over ? 0.6 : 2.0) / (2 * 9.81 * 0.5));
      assert_close(swing_period(sim, model), expected, 2e-4 * expected);
      end(sim, model);
    }
  }
  assert_int_equal(remove("p.urdf"), 0);
}

static void refused(const char *robots, const char *key, const char *says) {
  char text[1024];
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_report report;
  memset(&report, 0, sizeof report);
  snprintf(text, sizeof text, "footfall: 1\nrobots:\n  r: {%s}\n", robots);
  ff_status status = ff_scene_parse(&scene, text, strlen(text), SCENES_BESIDE, NULL, 0, &report);
  status = status == FF_OK ? ff_model_build(&model, scene, &report) : status;
  assert_true(status == FF_ERROR_INPUT || status == FF_ERROR_FILE);
  if (!strstr(report.what, says) || strcmp(report.key, key) != 0 || report.line != 3) {
    print_error("%d: %s: %s\n", report.line, report.key, report.what);
    fail();
  }
  ff_scene_destroy(&scene);
}

static void test_bad_robots_are_refused(void **state) {
  (void)state;
  refused("base: free", "robots.r", "urdf");
  refused("urdf: robots/none.urdf", "robots.r.urdf", "not found");
  refused("urdf: ../README.md", "robots.r.urdf", "leads out");
  refused("urdf: robots/quadruped.urdf, base: loose", "robots.r.base", "loose");
  refused("urdf: robots/quadruped.urdf, joints: {knee: {position: 1}}", "robots.r.joints.knee",
          "no such joint");
  refused("urdf: robots/quadruped.urdf, servo: {stiffness: -1}", "robots.r.joints.front_left_roll",
          "negative");
  refused("urdf: robots/double-pendulum.urdf, joints: {elbow: {armature: -1}}",
          "robots.r.joints.elbow.armature", "negative");
  refused("urdf: robots/double-pendulum.urdf, joints: {elbow: {armatur: 1}}",
          "robots.r.joints.elbow.armatur", "unknown key");
  refused("urdf: robots/double-pendulum.urdf, base: free", "robots.r.links.pivot",
          "floats without mass or inertia");
  refused("urdf: robots/double-pendulum.urdf, ground: 0", "robots.r.ground",
          "a free root and shapes");
  refused("urdf: robots/quadruped.urdf, ground: low", "robots.r.ground", "low");
  refused("urdf: robots/quadruped.urdf, material: soap", "bodies.r-trunk.material", "soap");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_double_pendulum_keeps_its_energy),
      cmocka_unit_test(test_sim_agrees_with_the_tree_alone),
      cmocka_unit_test(test_steppers_agree),
      cmocka_unit_test_setup_teardown(test_one_link_moves_as_a_free_body, enter_folder,
                                      leave_folder),
      cmocka_unit_test(test_humanoid_stands),
      cmocka_unit_test(test_humanoid_ledger_closes),
      cmocka_unit_test(test_quadruped_and_biped_stand),
      cmocka_unit_test(test_free_flight_of_steps_is_exact),
      cmocka_unit_test(test_servo_follows_its_table),
      cmocka_unit_test(test_stiff_servo_is_stable_in_large_steps),
      cmocka_unit_test(test_stops_are_felt_and_audited),
      cmocka_unit_test(test_steps_allocate_nothing),
      cmocka_unit_test(test_reset_starts_anew),
      cmocka_unit_test(test_failing_allocations_are_survived),
      cmocka_unit_test(test_self_collision_is_chosen),
      cmocka_unit_test_setup_teardown(test_armature_slows_a_pendulum_under_every_stepper,
                                      enter_folder, leave_folder),
      cmocka_unit_test(test_bad_robots_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
