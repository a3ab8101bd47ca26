/* Robots of eight kinds, fixed at the base and free, in the air and in contact, under every
 * stepper, with recordings of every kind: 192 short runs. Each ends, records, and is good. Then
 * tasks: what robots are used for, under every stepper, each with what must come out. */
#include "findings.h"
#include "folder.h"
#include "footfall/footfall.h"

/* ---- robots ---------------------------------------------------------------------------------- */

#define LINK(name, mass, inertia, shape)                                                           \
  "<link name='" name "'><inertial><origin xyz='0 0 -0.05'/><mass value='" mass                    \
  "'/><inertia ixx='" inertia "' iyy='" inertia "' izz='" inertia                                  \
  "' ixy='0' ixz='0' iyz='0'/></inertial>" shape "</link>\n"
#define BALL                                                                                       \
  "<collision><origin xyz='0 0 -0.1'/><geometry><sphere radius='0.03'/></geometry></collision>"
#define BLOCK "<collision><geometry><box size='0.2 0.2 0.1'/></geometry></collision>"
#define ROD                                                                                        \
  "<collision><origin xyz='0 0 -0.05'/><geometry><cylinder radius='0.02' "                         \
  "length='0.1'/></geometry>"                                                                      \
  "</collision>"
#define JOINT(kind, name, parent, child, xyz, axis)                                                \
  "<joint name='" name "' type='" kind "'><parent link='" parent "'/><child link='" child          \
  "'/><origin xyz='" xyz "'/><axis xyz='" axis                                                     \
  "'/><limit lower='-1' upper='1' effort='50' velocity='20'/></joint>\n"

typedef struct machine {
  const char *name;
  double low; /* m, height of the base above its lowest point */
  const char *urdf;
} machine;

static const machine machines[] = {
    {"single link without shape", 0, "<robot name='r'>" LINK("base", "1", "0.01", "") "</robot>"},
    {"arm with a slider", 0.38,
     "<robot name='r'>" LINK("base", "2", "0.01", BLOCK) LINK("upper", "0.5", "0.001", ROD)
         LINK("lower", "0.4", "0.001", ROD) LINK("tool", "0.2", "0.001", BALL)
             JOINT("revolute", "shoulder", "base", "upper", "0 0 -0.05", "0 1 0")
                 JOINT("continuous", "elbow", "upper", "lower", "0 0 -0.1", "1 0 0")
                     JOINT("prismatic", "slide", "lower", "tool", "0 0 -0.1", "0 0 1") "</robot>"},
    {"quadruped", 0.13,
     "<robot name='r'>" LINK("base", "3", "0.02", BLOCK) LINK("a", "0.3", "0.001", BALL) LINK(
         "b", "0.3", "0.001", BALL) LINK("c", "0.3", "0.001", BALL) LINK("d", "0.3", "0.001", BALL)
         JOINT("revolute", "ja", "base", "a", "0.1 0.1 0", "0 1 0")
             JOINT("revolute", "jb", "base", "b", "-0.1 0.1 0", "0 1 0")
                 JOINT("revolute", "jc", "base", "c", "0.1 -0.1 0", "0 1 0")
                     JOINT("revolute", "jd", "base", "d", "-0.1 -0.1 0", "0 1 0") "</robot>"},
    {"gripper whose second finger mimics the first", 0.15,
     "<robot name='r'>" LINK("base", "1", "0.01", BLOCK) LINK("left", "0.2", "0.001", ROD)
         LINK("right", "0.2", "0.001", ROD) JOINT(
             "prismatic", "open", "base", "left",
             "0.05 0 -0.05",
             "1 0 0") "<joint name='follow' "
                      "type='prismatic'><parent link='base'/><child link='right'/><origin "
                      "xyz='-0.05 0 -0.05'/>"
                      "<axis xyz='-1 0 0'/><limit lower='-1' upper='1' effort='50' velocity='20'/>"
                      "<mimic joint='open'/></joint></robot>"},
    {"links joined rigidly, one without mass", 0.23,
     "<robot name='r'>" LINK("base", "1", "0.01", BLOCK) "<link name='frame'/>" LINK("foot", "0.5",
                                                                                     "0.001", BALL)
         JOINT("fixed", "mount", "base", "frame", "0 0 -0.05", "1 0 0")
             JOINT("fixed", "ankle", "frame", "foot", "0 0 -0.05", "1 0 0") "</robot>"},
    {"cart with a floating load", 0.13,
     "<robot name='r'>" LINK("base", "1", "0.01", BLOCK)
         LINK("load", "0.5", "0.001",
              BALL) "<joint name='loose' type='floating'><parent link='base'/><child link='load'/>"
                    "<origin xyz='0.3 0 0'/></joint></robot>"},
    /* its servo alone would act within 0.2 microseconds */
    {"finger of a gram", 0.18,
     "<robot name='r'>" LINK("base", "1", "0.01", BLOCK) LINK("finger", "0.001", "1e-7", BALL)
         JOINT("revolute", "knuckle", "base", "finger", "0 0 -0.05", "0 1 0") "</robot>"},
    {"wheel without inertia about its axle", 0.18,
     "<robot name='r'>" LINK("base", "1", "0.01",
                             BLOCK) "<link name='wheel'><inertial><mass "
                                    "value='0.1'/><inertia ixx='1e-4' iyy='0' izz='1e-4' ixy='0' "
                                    "ixz='0' iyz='0'/></inertial>" BALL
                                    "</link>" JOINT("continuous", "axle", "base", "wheel",
                                                    "0 0 -0.05", "0 1 0") "</robot>"},
};

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct setup {
  const machine *robot;
  const char *stepper;
  bool fixed, contact;
  const char *output;
} setup;

static void write_text(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  assert_true(fputs(text, out) >= 0);
  assert_int_equal(fclose(out), 0);
}

/* A law of the kind that the stepper solves. */
static const char *law_of(const char *stepper) {
  return strcmp(stepper, "micro-macro") == 0   ? "{law: elastic, k: 2e4, c: 60}"
         : strcmp(stepper, "quasi-rigid") == 0 ? "{law: quasi-rigid, k: 2e4, c: 60}"
                                               : "{law: hunt-crossley, k: 2e4, n: 1, alpha: 0.5}";
}

static void write_scene(const setup *s, const char *path) {
  char text[2048];
  snprintf(text, sizeof text,
           "footfall: 1\n"
           "stepper: {kind: %s, step: 5e-4, rtol: 1e-6}\n"
           "duration: 0.04\n"
           "record: {every: 4e-3, contacts: true}\n"
           "robots:\n"
           "  r:\n"
           "    urdf: r.urdf\n"
           "    base: %s\n"
           "    position: [0, 0, %g]\n"
           "    servo: {stiffness: 20, damping: 0.5, armature: 2.5e-4}\n"
           "bodies:\n"
           "  floor: {fixed: true, shape: {half-space: {}}}\n"
           "contacts:\n"
           "  - pair: [r, floor]\n"
           "    normal: %s\n"
           "    friction: {law: coulomb, mu_static: 0.5, mu_kinetic: 0.5}\n",
           s->stepper, s->fixed ? "fixed" : "free", s->contact ? s->robot->low - 2e-4 : 5,
           law_of(s->stepper));
  write_text(path, text);
}

static void run_setup(const setup *s) {
  char what[256];
  snprintf(what, sizeof what, "%s, base %s, %s, %s, %s", s->robot->name,
           s->fixed ? "fixed" : "free", s->contact ? "contact" : "air", s->stepper, s->output);
  write_text("r.urdf", s->robot->urdf);
  write_scene(s, "scene.yaml");
  ff_scene *scene = NULL;
  ff_run *run = NULL;
  ff_report report = {.line = 0};
  const char *outputs[] = {s->output};
  ff_run_options options = ff_run_options_default();
  options.outputs = outputs;
  options.output_count = 1;
  ff_status status = ff_scene_load(&scene, "scene.yaml", NULL, 0, &report);
  status = status == FF_OK ? ff_run_create(&run, scene, &options, &report) : status;
  status = status == FF_OK ? ff_run_execute(run, &report) : status;
  if (status != FF_OK) {
    fail_msg("%s: %s: %s", what, report.key, report.what);
  }
  assert_int_equal(ff_run_count(run).samples, 11);
  if (failures(ff_run_sim(run)) > 0) {
    print_findings(ff_run_sim(run), what);
    fail();
  }
  ff_run_destroy(&run);
  ff_scene_destroy(&scene);
}

static void every_robot_runs_under_every_stepper(void **state) {
  (void)state;
  static const char *const outputs[] = {"out.h5", "out.csv", "out.sto"};
  int count = 0;
  for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
    for (int i = 0; i < ff_stepper_count(); i++) {
      for (int k = 0; k < 4; k++) {
        setup s = {.robot = &machines[m],
                   .stepper = ff_stepper_at(i)->name,
                   .fixed = k & 1,
                   .contact = k & 2};
        /* a ground reaction (.sto) needs contacts of bodies that move */
        s.output = outputs[count++ % (s.contact && !s.fixed && s.robot->low > 0 ? 3 : 2)];
        run_setup(&s);
      }
    }
  }
  assert_int_equal(count, 4 * 8 * ff_stepper_count());
}

/* ---- tasks ----------------------------------------------------------------------------------- */

typedef struct task {
  const char *name;
  const char *urdf, *scene; /* the scene below `record`; LAW stands for the normal law */
  const char *channel;      /* read at the end */
  double value, tolerance;  /* of it, in its unit */
  bool links_constrained;   /* only where steppers have constraints on links */
} task;

static const task tasks[] = {
    /* held by friction with 2 x 8 N; friction yields by less than 0.05 mm while it takes the weight
     */
    {"two fingers hold a box",
     "<robot name='r'><link name='world'/>" LINK("left", "0.2", "0.001", BLOCK)
         LINK("right", "0.2", "0.001", BLOCK)
             JOINT("prismatic", "close_left", "world", "left", "-0.149875 0 0", "1 0 0") JOINT(
                 "prismatic", "close_right", "world", "right", "0.149875 0 0", "-1 0 0") "</robot>",
     "    joints:\n"
     "      close_left: {stiffness: 1000, damping: 50, target: 0.01}\n"
     "      close_right: {stiffness: 1000, damping: 50, target: 0.01}\n"
     "bodies:\n"
     "  box: {mass: 0.3, shape: {box: {size: [0.1, 0.1, 0.1]}}}\n"
     "contacts:\n"
     "  - pair: [box, r]\n"
     "    normal: LAW\n"
     "    friction: {law: coulomb, mu_static: 0.8}\n",
     "body.box.position.z", 0, 5e-5, false},
    /* it moves into its stop: the angle of a run with rtol 1e-8 */
    {"a pendulum lies on its stop",
     "<robot name='r'><link name='world'/>" LINK("arm", "0.5", "0.001", ROD)
         JOINT("revolute", "swing", "world", "arm", "0 0 0", "0 1 0") "</robot>",
     "    stops: {stiffness: 20, dissipation: 2}\n"
     "    joints: {swing: {position: 0.99, velocity: 1, torque: 0.5}}\n",
     "joint.r-swing.position", 1.01573560, 1e-4, false},
    /* the hand keeps the direction of the offset: sin 0.25 */
    {"a joint mimics another backwards, with an offset",
     "<robot name='r'><link name='world'/>" LINK("arm", "0.5", "0.001", ROD)
         LINK("hand", "0.2", "0.001", BALL)
             JOINT("revolute", "swing", "world", "arm", "0 0 0",
                   "0 1 0") "<joint name='copy' type='revolute'><parent link='arm'/><child "
                            "link='hand'/><origin "
                            "xyz='0 0 -0.1'/><axis xyz='0 1 0'/><limit lower='-3' upper='3' "
                            "effort='9' velocity='9'/>"
                            "<mimic joint='swing' multiplier='-1' offset='0.5'/></joint></robot>",
     "    joints: {swing: {position: 0.3, stiffness: 50, damping: 2}}\n",
     "body.r-hand.orientation.y", 0.24740395925452294, 1e-12, false},
    /* it goes on with the speed of the belt */
    {"a belt carries a robot",
     "<robot name='r'>" LINK("base", "2", "0.01", BLOCK) LINK("mast", "0.2", "0.001", "")
         JOINT("revolute", "ja", "base", "mast", "0 0 0.2", "0 1 0") "</robot>",
     "    position: [0, 0, 0.05]\n"
     "    velocity: [0.1, 0, 0]\n"
     "    servo: {stiffness: 20, damping: 0.5}\n"
     "bodies:\n"
     "  belt: {shape: {half-space: {}}, motion: {velocity: [0.1, 0, 0]}}\n"
     "contacts:\n"
     "  - pair: [r, belt]\n"
     "    normal: LAW\n"
     "    friction: {law: coulomb, mu_static: 0.5}\n",
     "body.r-base.position.x", 0.004, 1e-6, false},
    /* 1 cm of each servo at 200 N/m */
    {"fingers of one robot press on each other",
     "<robot name='r'><link name='world'/>" LINK("left", "0.2", "0.001", BALL)
         LINK("right", "0.2", "0.001", BALL)
             JOINT("prismatic", "close_left", "world", "left", "-0.02995 0 0", "1 0 0") JOINT(
                 "prismatic", "close_right", "world", "right", "0.02995 0 0", "-1 0 0") "</robot>",
     "    self-collision: true\n"
     "    servo: {stiffness: 200, damping: 20}\n"
     "    joints: {close_left: {target: 0.01}, close_right: {target: 0.01}}\n"
     "contacts:\n"
     "  - pair: [r, r]\n"
     "    normal: LAW\n",
     "contact.r-left:r-right.force.n", 2, 1e-6, false},
    {"two arms and the ground form a loop",
     "<robot name='r'><link name='world'/>" LINK("crank", "0.5", "0.001", ROD) LINK(
         "rod", "0.4", "0.001", ROD) JOINT("continuous", "ja", "world", "crank", "0 0 0", "0 1 0")
         JOINT("continuous", "jb", "crank", "rod", "0 0 -0.1", "0 1 0") "</robot>",
     "    joints: {ja: {position: 1}, jb: {position: -2}}\n"
     "bodies:\n"
     "  ground: {fixed: true}\n"
     "constraints:\n"
     "  pin: {kind: ball, pair: [r-rod, ground], at: [0, 0, -0.10806046117362795]}\n",
     "constraint.pin.error", 0, 1e-12, true},
};

/* The text with every LAW replaced. */
static void fill_law(char *out, size_t size, const char *text, const char *law) {
  size_t used = 0;
  for (const char *at; (at = strstr(text, "LAW")) != NULL; text = at + 3) {
    used += (size_t)snprintf(out + used, size - used, "%.*s%s", (int)(at - text), text, law);
    assert_true(used < size);
  }
  assert_true(used + strlen(text) < size);
  snprintf(out + used, size - used, "%s", text);
}

static void write_task(const task *t, const char *stepper) {
  char text[4096], rest[2048];
  fill_law(rest, sizeof rest, t->scene, law_of(stepper));
  snprintf(text, sizeof text,
           "footfall: 1\n"
           "stepper: {kind: %s, step: 2e-4, rtol: 1e-8}\n"
           "duration: 0.04\n"
           "record: {every: 4e-3}\n"
           "robots:\n"
           "  r:\n"
           "    urdf: r.urdf\n"
           "%s",
           stepper, rest);
  write_text("r.urdf", t->urdf);
  write_text("scene.yaml", text);
}

/* A page with all that a report shows of a run. */
static void lay_out_report(const ff_recording *recording) {
  ff_page *page = NULL;
  ff_page_run shown;
  assert_int_equal(ff_page_create(&page, "robots"), FF_OK);
  assert_int_equal(ff_page_add_run(&shown, page, recording), FF_OK);
  ff_page_results(page, shown);
  ff_page_replay(page, shown);
  ff_page_ledger(page, shown);
  ff_page_events(page, shown);
  ff_page_laws(page, shown);
  ff_page_summary(page, shown);
  ff_page_destroy(&page);
}

static double last_value(const ff_sim *sim, const char *name, const char *what) {
  const ff_model *model = ff_sim_model(sim);
  for (int i = 0; i < ff_model_channel_count(model); i++) {
    if (strcmp(ff_model_channel(model, i).name, name) == 0) {
      double value = NAN;
      ff_sim_read(sim, &i, 1, &value);
      return value;
    }
  }
  fail_msg("%s: no channel %s", what, name);
  return NAN;
}

static void run_task(const task *t, const char *stepper, const char *output) {
  char what[256];
  snprintf(what, sizeof what, "%s, %s, %s", t->name, stepper, output);
  write_task(t, stepper);
  ff_scene *scene = NULL;
  ff_run *run = NULL;
  ff_report report = {.line = 0};
  ff_run_options options = ff_run_options_default();
  options.outputs = &output;
  options.output_count = 1;
  options.keep = true;
  ff_status status = ff_scene_load(&scene, "scene.yaml", NULL, 0, &report);
  status = status == FF_OK ? ff_run_create(&run, scene, &options, &report) : status;
  status = status == FF_OK ? ff_run_execute(run, &report) : status;
  if (status != FF_OK) {
    fail_msg("%s: %s: %s", what, report.key, report.what);
  }
  lay_out_report(ff_run_recording(run));
  double value = last_value(ff_run_sim(run), t->channel, what);
  if (!(fabs(value - t->value) <= t->tolerance) || failures(ff_run_sim(run)) > 0) {
    print_findings(ff_run_sim(run), what);
    fail_msg("%s: %s is %.12g, not %.12g", what, t->channel, value, t->value);
  }
  ff_run_destroy(&run);
  ff_scene_destroy(&scene);
}

static void every_task_is_done_under_every_stepper(void **state) {
  (void)state;
  static const char *const outputs[] = {"out.h5", "out.csv"};
  int count = 0;
  for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++) {
    for (int i = 0; i < ff_stepper_count(); i++) {
      const char *stepper = ff_stepper_at(i)->name;
      if (!tasks[k].links_constrained || strcmp(stepper, "quasi-rigid") == 0) {
        run_task(&tasks[k], stepper, outputs[count++ % 2]);
      }
    }
  }
}

static int leave_folder(void **state) {
  (void)state;
  const char *const files[] = {"r.urdf", "scene.yaml", "out.h5", "out.csv", "out.sto"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    unlink(files[i]);
  }
  return remove_folder();
}

/* ---- bases of many corners --------------------------------------------------------------------
 */

/* A disc of twelve corners, 0.26 by 0.2 by 0.05 m. */
static void write_disc(const char *path) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  for (int i = 0; i < 24; i++) {
    double angle = 2 * M_PI * (i % 12) / 12 + 0.1;
    fprintf(out, "v %.9g %.9g %g\n", 0.13 * cos(angle), 0.1 * sin(angle), i < 12 ? 0.0 : 0.05);
  }
  for (int i = 1; i < 11; i++) {
    fprintf(out, "f 1 %d %d\nf 13 %d %d\n", i + 2, i + 1, i + 13, i + 14);
  }
  for (int i = 0; i < 12; i++) {
    int j = (i + 1) % 12;
    fprintf(out, "f %d %d %d\nf %d %d %d\n", i + 1, j + 1, j + 13, i + 1, j + 13, i + 13);
  }
  assert_int_equal(fclose(out), 0);
}

/* The deepest corner of each colour bears the robot. Where two are as deep, the arm of the force
 * leaps between them and `quasi-rigid` found no solution, at the first step. */
static void a_robot_stands_on_a_base_of_many_corners(void **state) {
  (void)state;
  write_disc("base.obj");
  write_text(
      "r.urdf",
      "<robot name='r'><link name='base'><inertial><origin xyz='0 0 0.025'/><mass value='0.8'/>"
      "<inertia ixx='0.0033' iyy='0.0014' izz='0.004' ixy='0' ixz='0' iyz='0'/></inertial>"
      "<collision><geometry><mesh filename='base.obj'/></geometry></collision></link>"
      "<link name='arm'><inertial><origin xyz='0.03 0.02 0.1'/><mass value='0.9'/>"
      "<inertia ixx='0.001' iyy='0.001' izz='0.0004' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<joint name='j' type='revolute'><parent link='base'/><child link='arm'/>"
      "<origin xyz='0 0 0.05'/><axis xyz='0 1 0'/>"
      "<limit lower='-2' upper='2' effort='100' velocity='3'/></joint></robot>");
  write_text("scene.yaml", "footfall: 1\n"
                           "stepper: {kind: quasi-rigid, step: 1e-3}\n"
                           "robots:\n"
                           "  r: {urdf: r.urdf, ground: 0, servo: {stiffness: 30, damping: 2}}\n"
                           "bodies:\n"
                           "  floor: {fixed: true, shape: {half-space: {}}}\n"
                           "contacts:\n"
                           "  - pair: [r, floor]\n"
                           "    normal: {law: linear, k: 1.48e4, b: 148}\n"
                           "    friction: {law: coulomb, mu_static: 0.8}\n");
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_sim *sim = NULL;
  ff_report report = {.line = 0};
  assert_int_equal(ff_scene_load(&scene, "scene.yaml", NULL, 0, &report), FF_OK);
  assert_int_equal(ff_model_build(&model, scene, &report), FF_OK);
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
  ff_body base = ff_model_body_find(model, "r-base");
  assert_true(fabs(ff_sim_body(sim, base).position.z) < 0.03);
  assert_int_equal(ff_sim_audit(sim).verdict, FF_VERDICT_GOOD);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  assert_int_equal(remove("base.obj"), 0);
}

/* ---- grasping -------------------------------------------------------------------------------- */

static const char fingers_urdf[] =
    "<robot name='r'><link name='world'/>"
    "<link name='left'><inertial><mass value='0.2'/><inertia ixx='1e-3' iyy='1e-3' izz='1e-3' "
    "ixy='0' ixz='0' iyz='0'/></inertial>"
    "<collision><geometry><box size='0.02 0.04 0.04'/></geometry></collision></link>"
    "<link name='right'><inertial><mass value='0.2'/><inertia ixx='1e-3' iyy='1e-3' izz='1e-3' "
    "ixy='0' ixz='0' iyz='0'/></inertial>"
    "<collision><geometry><box size='0.02 0.04 0.04'/></geometry></collision></link>"
    "<joint name='cl' type='prismatic'><parent link='world'/><child link='left'/>"
    "<origin xyz='-0.06 0 0.5'/><axis xyz='1 0 0'/>"
    "<limit lower='-1' upper='1' effort='500' velocity='20'/></joint>"
    "<joint name='cr' type='prismatic'><parent link='world'/><child link='right'/>"
    "<origin xyz='0.06 0 0.5'/><axis xyz='-1 0 0'/>"
    "<limit lower='-1' upper='1' effort='500' velocity='20'/></joint></robot>";

static ff_sim *grasp(const char *stepper, ff_model **model) {
  char text[1024];
  ff_scene *scene = NULL;
  ff_sim *sim = NULL;
  ff_report report = {.line = 0};
  snprintf(text, sizeof text,
           "footfall: 1\n"
           "stepper: {kind: %s, step: %s}\n"
           "bodies:\n"
           "  box: {mass: 0.3, position: [0, 0, 0.5], shape: {box: {size: [0.1, 0.1, 0.1]}}}\n"
           "robots:\n"
           "  r:\n"
           "    urdf: r.urdf\n"
           "    servo: {stiffness: 2000, damping: 60}\n"
           "    joints: {cl: {target: 0.01}, cr: {target: 0.01}}\n"
           "contacts:\n"
           "  - pair: [box, r]\n"
           "    normal: %s\n"
           "    friction: {law: coulomb, mu_static: 0.5}\n",
           stepper, strcmp(stepper, "rk4") == 0 || strcmp(stepper, "heun") == 0 ? "2e-4" : "1e-3",
           law_of(stepper));
  write_text("scene.yaml", text);
  if (ff_scene_load(&scene, "scene.yaml", NULL, 0, &report) != FF_OK ||
      ff_model_build(model, scene, &report) != FF_OK) {
    fail_msg("%s: %s: %s", stepper, report.key, report.what);
  }
  ff_scene_destroy(&scene);
  assert_int_equal(ff_sim_create(&sim, *model), FF_OK);
  return sim;
}

/* Two fingers press with 18 N each on a box of 3 N: it moves less than 1e-9 m/s. The rest of its
 * first swing is below 1e-11 m/s after 0.3 s. */
static void a_grasped_box_does_not_creep_under_any_stepper(void **state) {
  (void)state;
  write_text("r.urdf", fingers_urdf);
  for (int i = 0; i < ff_stepper_count(); i++) {
    const char *stepper = ff_stepper_at(i)->name;
    ff_model *model = NULL;
    ff_sim *sim = grasp(stepper, &model);
    ff_body box = ff_model_body_find(model, "box");
    assert_int_equal(ff_sim_advance(sim, 0.3), FF_OK);
    ff_vec3 before = ff_sim_body(sim, box).position;
    assert_int_equal(ff_sim_advance(sim, 0.4), FF_OK);
    ff_vec3 after = ff_sim_body(sim, box).position;
    double way = hypot(hypot(after.x - before.x, after.y - before.y), after.z - before.z);
    if (!(way < 1e-10) || !(fabs(after.z - 0.5) < 1e-4) || failures(sim) > 0) {
      print_findings(sim, stepper);
      fail_msg("%s: the box creeps by %g m", stepper, way);
    }
    ff_sim_destroy(&sim);
    ff_model_destroy(&model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_robot_runs_under_every_stepper, enter_folder,
                                      leave_folder),
      cmocka_unit_test_setup_teardown(a_robot_stands_on_a_base_of_many_corners, enter_folder,
                                      leave_folder),
      cmocka_unit_test_setup_teardown(a_grasped_box_does_not_creep_under_any_stepper, enter_folder,
                                      leave_folder),
      cmocka_unit_test_setup_teardown(every_task_is_done_under_every_stepper, enter_folder,
                                      leave_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
