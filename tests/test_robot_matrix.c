/* Robots of six kinds, fixed at the base and free, in the air and in contact, under every stepper,
 * with recordings of every kind: 144 short runs. Each ends, records, and is good. */
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
           "    servo: {stiffness: 20, damping: 0.5}\n"
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
  assert_int_equal(count, 4 * 6 * ff_stepper_count());
}

static int leave_folder(void **state) {
  (void)state;
  const char *const files[] = {"r.urdf", "scene.yaml", "out.h5", "out.csv", "out.sto"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    unlink(files[i]);
  }
  return remove_folder();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_robot_runs_under_every_stepper, enter_folder,
                                      leave_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
