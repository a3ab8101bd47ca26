/* Robots from URDF: what is read, what is told, and what hostile files get. */
#include "folder.h"

#include "base/file.h"
#include "base/memory.h"
#include "footfall/robot.h"
#include "footfall/sim.h"
#include "math/vec.h"

#include <sys/stat.h>

static int make_folder(void **state) {
  return enter_folder(state) == 0 ? mkdir("in", 0700) : -1;
}

static int leave_folder(void **state) {
  (void)state;
  return system("rm -rf ./*") == 0 ? remove_folder() : -1;
}

static const char *put(const char *name, const void *bytes, size_t size) {
  static char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
  return path;
}

static ff_status load(ff_robot **out, const char *text, ff_report *report) {
  memset(report, 0, sizeof *report);
  const char *path = put("in/robot.urdf", text, strlen(text));
  return ff_robot_load(out, path, NULL, report);
}

/* Must be refused at this line, with this in the message. */
static void refused(const char *text, int line, const char *says) {
  ff_robot *robot = NULL;
  ff_report report;
  ff_status status = load(&robot, text, &report);
  assert_true(status == FF_ERROR_INPUT || status == FF_ERROR_FILE);
  assert_null(robot);
  if (!strstr(report.what, says) || report.line != line) {
    print_error("line %d: %s\n", report.line, report.what);
    fail();
  }
  assert_non_null(strstr(report.file, "robot.urdf"));
}

/* ---- good files ------------------------------------------------------------------------------ */

static ff_robot *house_robot(const char *name) {
  char path[512];
  ff_robot *robot = NULL;
  ff_report report = {.line = 0};
  snprintf(path, sizeof path, "%s/scenes/robots/%s.urdf", FF_SOURCE_DIR, name);
  assert_int_equal(ff_robot_load(&robot, path, NULL, &report), FF_OK);
  assert_int_equal(ff_robot_note_count(robot), 0);
  return robot;
}

static void test_robots_of_the_house(void **state) {
  (void)state;
  const struct {
    const char *name;
    ff_joint_kind root;
    int dofs;
    double mass;
  } robots[] = {{"double-pendulum", FF_JOINT_FIXED, 2, 2},
                {"planar-biped", FF_JOINT_FIXED, 7, 20},
                {"quadruped", FF_JOINT_FREE, 18, 13.6},
                {"humanoid", FF_JOINT_FREE, 26, 5}};
  for (int i = 0; i < 4; i++) {
    ff_robot *robot = house_robot(robots[i].name);
    ff_tree *tree = NULL;
    assert_string_equal(ff_robot_name(robot), robots[i].name);
    assert_int_equal(ff_robot_tree(&tree, robot, robots[i].root, NULL), FF_OK);
    assert_int_equal(ff_tree_v_count(tree), robots[i].dofs);
    assert_close(ff_tree_mass(tree), robots[i].mass, 1e-12);
    ff_tree_destroy(&tree);
    ff_robot_destroy(&robot);
  }
}

/* 0.48 m from sole to top of the head, feet of 0.10 m by 0.06 m, and legs that the closed form of
 * the inverse kinematics knows. */
static void test_humanoid_is_as_ordered(void **state) {
  (void)state;
  ff_robot *robot = house_robot("humanoid");
  ff_tree *tree = NULL;
  ff_tree_work *work = NULL;
  double q[32], low = 0, high = 0;
  int feet = 0, left_foot = 0;
  assert_int_equal(ff_robot_tree(&tree, robot, FF_JOINT_FREE, NULL), FF_OK);
  assert_int_equal(ff_tree_work_create(&work, tree), FF_OK);
  ff_tree_neutral(tree, q);
  ff_tree_update(work, q, NULL);
  for (int i = 0; i < ff_robot_shape_count(robot); i++) {
    ff_robot_shape shape = ff_robot_shape_info(robot, i);
    double z = pose_point(ff_tree_pose(work, shape.link), shape.pose.position).z;
    double half = shape.kind == FF_BOX ? shape.size.z : shape.size.x;
    low = fmin(low, z - half);
    high = fmax(high, z + half);
    if (strstr(ff_robot_link_info(robot, shape.link).def.name, "foot")) {
      assert_close(shape.size.x, 0.05, 1e-12);
      assert_close(shape.size.y, 0.03, 1e-12);
      left_foot = feet++ == 0 ? shape.link : left_foot;
    }
  }
  assert_int_equal(feet, 2);
  assert_close(high - low, 0.48, 1e-12);
  /* bend the left leg: the foot is where ff_leg_pose says, seen from the hip */
  const double angles[6] = {0.1, -0.2, -0.6, 1.1, -0.4, 0.2};
  const ff_leg leg = {0.10, 0.10};
  int first = ff_tree_link(tree, left_foot).q_at - 5;
  memcpy(q + first, angles, sizeof angles);
  ff_tree_update(work, q, NULL);
  ff_vec3 expected = v3_add(v3(0, 0.039, 0), ff_leg_pose(&leg, angles).position);
  assert_close(v3_norm(v3_sub(ff_tree_pose(work, left_foot).position, expected)), 0, 1e-14);
  ff_tree_work_destroy(&work);
  ff_tree_destroy(&tree);
  ff_robot_destroy(&robot);
}

static const char everything[] =
    "<robot name='all' xmlns:x='y'>\n"
    "  <material name='m'><color rgba='1 1 1 1'/></material>\n"
    "  <transmission name='t'><type>x</type></transmission>\n"
    "  <transmission name='u'/>\n"
    "  <link name='a'><visual><geometry><box size='1 1 1'/></geometry></visual></link>\n"
    "  <link name='b'>\n"
    "    <inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='2'/>\n"
    "      <inertia ixx='2' iyy='3' izz='4' ixy='0.5'/></inertial>\n"
    "    <collision><origin xyz='0 0 1'/><geometry><cylinder radius='0.1' length='2'/></geometry>\n"
    "    </collision>\n"
    "  </link>\n"
    "  <link name='c'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\n"
    "  </link>\n"
    "  <joint name='ab' type='prismatic'><parent link='a'/><child link='b'/>\n"
    "    <origin xyz='1 0 0' rpy='0 0 0'/><axis xyz='0 2 0'/>\n"
    "    <limit lower='-1' upper='2' effort='30' velocity='4'/>\n"
    "    <dynamics damping='0.5' friction='0.25'/>\n"
    "    <safety_controller soft_lower_limit='-0.9' soft_upper_limit='1.9' k_position='15' "
    "k_velocity='10'/></joint>\n"
    "  <joint name='ac' type='continuous'><parent link='a'/><child link='c'/>\n"
    "    <mimic joint='ab' multiplier='2' offset='0.5'/><calibration rising='0'/></joint>\n"
    "</robot>\n";

static void test_reads_everything(void **state) {
  (void)state;
  ff_robot *robot = NULL;
  ff_report report;
  assert_int_equal(load(&robot, everything, &report), FF_OK);
  ff_robot_link b = ff_robot_link_info(robot, 2), c = ff_robot_link_info(robot, 3);
  assert_string_equal(b.def.name, "b");
  assert_string_equal(b.joint_name, "ab");
  assert_int_equal(b.def.parent, 1);
  assert_int_equal(b.def.joint.kind, FF_JOINT_PRISMATIC);
  assert_close(b.def.com.y, 2, 0);
  assert_close(b.def.inertia.m[0][0], 3, 1e-14); /* turned by a right angle */
  assert_close(b.def.inertia.m[1][1], 2, 1e-14);
  assert_close(b.def.inertia.m[0][1], -0.5, 1e-14);
  assert_close(b.def.joint.lower, -1, 0);
  assert_close(b.def.joint.upper, 2, 0);
  assert_close(b.def.joint.damping, 0.5, 0);
  assert_close(b.def.joint.friction, 0.25, 0);
  assert_close(b.effort, 30, 0);
  assert_close(b.speed, 4, 0);
  assert_close(b.soft_lower, -0.9, 0);
  assert_close(b.soft_upper, 1.9, 0);
  assert_close(b.safety_position, 15, 0);
  assert_close(b.safety_speed, 10, 0);
  assert_int_equal(c.def.follows, 2);
  assert_close(c.def.factor, 2, 0);
  assert_int_equal(ff_robot_shape_count(robot), 1);
  ff_robot_shape shape = ff_robot_shape_info(robot, 0);
  assert_int_equal(shape.kind, FF_CYLINDER);
  assert_close(shape.size.y, 1, 0);
  assert_close(shape.pose.position.z, 1, 0);
  /* transmission, told once */
  assert_int_equal(ff_robot_note_count(robot), 1);
  assert_non_null(strstr(ff_robot_note(robot, 0), "robot.urdf:3: <transmission>"));
  ff_robot_destroy(&robot);
}

#define LINK_A "<link name='a'/>"
#define BODY(name)                                                                                 \
  "<link name='" name "'><inertial><mass value='1'/>"                                              \
  "<inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
#define JOINT(name, type, parent, child)                                                           \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child          \
  "'/></joint>"

static void test_tells_what_looks_wrong(void **state) {
  (void)state;
  static const char text[] =
      "<robot name='odd'>\n" LINK_A "\n"
      "<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='3'/></inertial></link>\n"
      "<link name='c'/>\n" BODY(
          "d") "\n"
               "<joint name='ab' type='revolute'><parent link='a'/><child link='b'/>"
               "<limit lower='1' upper='-1' effort='1' velocity='1'/></joint>\n" JOINT(
                   "bc", "continuous", "b", "c") JOINT("ad", "revolute", "a", "d") "</robot>";
  const char *const expected[] = {
      ":6: joint 'ab': the lower limit 1 is above", ":7: joint 'ad' should have a <limit>",
      ":4: link 'c' and the links it carries have no mass", ":3: link 'b' has a principal moment"};
  ff_robot *robot = NULL;
  ff_report report;
  assert_int_equal(load(&robot, text, &report), FF_OK);
  assert_int_equal(ff_robot_note_count(robot), 4);
  for (int i = 0; i < 4; i++) {
    if (!strstr(ff_robot_note(robot, i), expected[i])) {
      print_error("%s\n", ff_robot_note(robot, i));
      fail();
    }
  }
  ff_tree *tree = NULL;
  assert_int_equal(ff_robot_tree(&tree, robot, FF_JOINT_FIXED, &report), FF_OK);
  assert_int_equal(ff_tree_v_count(tree), 2);
  ff_tree_destroy(&tree);
  ff_robot_destroy(&robot);
}

/* What public files say of shapes and names without harm: spheres of radius 0 are points that
 * touch, other shapes without size or of unknown kinds touch nothing; blank lines come first. */
static void test_harmless_oddities_are_read(void **state) {
  (void)state;
  static const char text[] = "\n \n<?xml version='1.0'?>\n<robot name=''>\n<link name='a'>"
                             "<collision><geometry><sphere radius='0'/></geometry></collision>\n"
                             "<collision><geometry><box size='0 1 0'/></geometry></collision>\n"
                             "<collision><geometry><plane normal='0 0 1'/></geometry></collision>\n"
                             "<collision/></link></robot>";
  const char *const expected[] = {":5: link 'a': a <sphere> of radius 0", ":6: link 'a': a <box>",
                                  ":7: <plane>", ":7: link 'a': a <collision> without",
                                  ":8: link 'a': a <collision> without"};
  ff_robot *robot = NULL;
  ff_report report;
  assert_int_equal(load(&robot, text, &report), FF_OK);
  assert_int_equal(ff_robot_note_count(robot), 5);
  for (int i = 0; i < 5; i++) {
    assert_non_null(strstr(ff_robot_note(robot, i), expected[i]));
  }
  assert_int_equal(ff_robot_shape_count(robot), 1);
  assert_true(ff_robot_shape_info(robot, 0).size.x == 1e-3);
  ff_robot_destroy(&robot);
}

static void test_universal_joint_is_read(void **state) {
  (void)state;
  ff_robot *robot = NULL;
  ff_report report;
  assert_int_equal(load(&robot,
                        "<robot>" LINK_A BODY("b")
                            BODY("c") "<joint name='ab' type='universal'><parent link='a'/>"
                                      "<child link='b'/><axis xyz='0 0 1'/><axis2 xyz='0 1 0'/>"
                                      "</joint>" JOINT("bc", "universal", "b", "c") "</robot>",
                        &report),
                   FF_OK);
  ff_joint_def given = ff_robot_link_info(robot, 2).def.joint;
  ff_joint_def some = ff_robot_link_info(robot, 3).def.joint;
  assert_int_equal(given.kind, FF_JOINT_UNIVERSAL);
  assert_true(given.axis2.x == 0 && given.axis2.y == 1 && given.axis2.z == 0);
  assert_close(v3_dot(some.axis, some.axis2), 0, 1e-15);
  ff_tree *tree = NULL;
  assert_int_equal(ff_robot_tree(&tree, robot, FF_JOINT_FIXED, &report), FF_OK);
  assert_int_equal(ff_tree_v_count(tree), 4);
  ff_tree_destroy(&tree);
  ff_robot_destroy(&robot);
}

/* ---- files that must be refused -----------------------------------------------------------------
 */

static void test_entities_are_refused(void **state) {
  (void)state;
  refused("<?xml version='1.0'?>\n<!DOCTYPE lolz [\n<!ENTITY a 'ha'>\n<!ENTITY b '&a;&a;&a;'>]>\n"
          "<robot name='&b;'>" LINK_A "</robot>",
          2, "entities");
  refused("<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\n<robot>&x;</robot>", 1,
          "entities");
  refused("<!DOCTYPE r SYSTEM 'http://localhost/x.dtd'>\n<robot/>", 1, "entities");
  refused("<robot>\n&undefined;</robot>", 2, "undefined entity");
}

static void test_deep_nesting_is_refused(void **state) {
  (void)state;
  enum { DEEP = 100000 };
  char *text = malloc(8 * DEEP + 64);
  char *to = text + sprintf(text, "<robot>\n");
  for (int i = 0; i < DEEP; i++) {
    to += sprintf(to, "<x>");
  }
  refused(text, 2, "nested");
  free(text);
}

/* A chain of 100,000 links is deep too, and fine to read. */
static void test_long_chain_is_read(void **state) {
  (void)state;
  enum { LONG = 50000 };
  char *text = malloc(400 * (size_t)LONG);
  char *to = text + sprintf(text, "<robot>");
  for (int i = 0; i < LONG; i++) {
    to += sprintf(to, "<link name='l%d'/>", i);
    if (i > 0) {
      to += sprintf(to, JOINT("j%d", "fixed", "l%d", "l%d"), i, i - 1, i);
    }
  }
  sprintf(to, "</robot>");
  ff_robot *robot = NULL;
  ff_report report;
  assert_int_equal(load(&robot, text, &report), FF_OK);
  assert_int_equal(ff_robot_link_count(robot), LONG);
  assert_int_equal(ff_robot_link_info(robot, LONG).def.parent, LONG - 1);
  ff_robot_destroy(&robot);
  free(text);
}

/* Counts that grow without end are stopped: here more links than a robot may have. */
static void test_too_many_links_are_refused(void **state) {
  (void)state;
  enum { MANY = 100001 };
  char *text = malloc(32 * (size_t)MANY + 64);
  char *to = text + sprintf(text, "<robot>\n");
  for (int i = 0; i < MANY; i++) {
    to += sprintf(to, "<link name='l%d'/>", i);
  }
  sprintf(to, "</robot>");
  refused(text, 2, "more than 100000");
  free(text);
}

#define MIMIC(name, other, child)                                                                  \
  "<joint name='" name "' type='revolute'><parent link='a'/><child link='" child                   \
  "'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='0' velocity='1'/>"                    \
  "<mimic joint='" other "' multiplier='2' offset='0.5'/></joint>"

static void test_mimics_that_lead_nowhere(void **state) {
  (void)state;
  refused("<robot>\n" LINK_A BODY("b") "\n" BODY("c") MIMIC("ab", "ac", "b")
              MIMIC("ac", "ab", "c") "</robot>",
          2, "cycle");
  /* One that mimics a fixed joint stands at its offset, one that mimics nobody moves by itself. */
  ff_robot *robot = NULL;
  ff_report report;
  assert_int_equal(load(&robot,
                        "<robot>" LINK_A BODY("b") BODY("c") BODY("d")
                            JOINT("ab", "fixed", "a", "b") MIMIC("ac", "ab", "c")
                                MIMIC("ad", "nobody", "d") "</robot>",
                        &report),
                   FF_OK);
  ff_robot_link c = ff_robot_link_info(robot, 3), d = ff_robot_link_info(robot, 4);
  assert_int_equal(c.def.joint.kind, FF_JOINT_FIXED);
  assert_close(c.def.joint.frame.orientation.z, sin(0.25), 1e-15);
  assert_int_equal(d.def.follows, 0);
  assert_true(isinf(d.effort));                    /* 0 is no limit that anybody meant */
  assert_int_equal(ff_robot_note_count(robot), 5); /* the last: it touches nothing */
  ff_robot_destroy(&robot);
}

/* Links fixed to the root count: it floats with them, unless it is called world. */
static void test_root_floats_with_what_is_fixed_to_it(void **state) {
  (void)state;
  const char *const texts[] = {"<robot>" LINK_A BODY("b") JOINT("ab", "fixed", "a", "b") "</robot>",
                               "<robot><link name='world'/>" BODY("b")
                                   JOINT("ab", "fixed", "world", "b") "</robot>"};
  for (int i = 0; i < 2; i++) {
    ff_robot *robot = NULL;
    ff_report report;
    assert_int_equal(load(&robot, texts[i], &report), FF_OK);
    assert_int_equal(ff_robot_def_of(robot, "r").root, i == 0 ? FF_JOINT_FREE : FF_JOINT_FIXED);
    ff_robot_destroy(&robot);
  }
}

static void test_xacro_is_told_apart(void **state) {
  (void)state;
  refused("<robot>\n<link name='a'><inertial><mass value='${m}'/></inertial></link></robot>", 2,
          "run it through xacro first");
  refused(
      "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<xacro:include filename='x'/></robot>",
      2, "run it through xacro");
}

static void test_trees_that_are_none_are_refused(void **state) {
  (void)state;
  refused("<robot>\n" LINK_A BODY("b") "\n" JOINT("ab", "fixed", "a", "b") "\n" JOINT(
              "ba", "fixed", "b", "a") "</robot>",
          3, "cycle");
  refused("<robot>" LINK_A BODY("b") BODY("c") "\n" JOINT("bc", "fixed", "b", "c") "\n" JOINT(
              "cb", "fixed", "c", "b") "</robot>",
          3, "cycle");
  refused("<robot>" LINK_A BODY("b") "\n" JOINT("1", "fixed", "a",
                                                "b") "\n" JOINT("2", "fixed", "a", "b") "</robot>",
          3, "two joints");
  refused("<robot>" LINK_A "\n" BODY("b") "</robot>", 2, "detached");
  refused("<robot>" LINK_A "\n" JOINT("ab", "fixed", "a", "nowhere") "</robot>", 2, "no link");
  refused("<robot>" LINK_A "\n" LINK_A "</robot>", 2, "two links");
  refused("<robot></robot>", 1, "no link");
  refused("<scene/>", 1, "<robot>");
}

static void test_bad_values_are_refused(void **state) {
  (void)state;
  refused("<robot>" LINK_A BODY("b") "\n" JOINT("ab", "hinge", "a", "b") "</robot>", 2, "hinge");
  refused("<robot>\n<link name='a'><inertial><mass value='nan'/></inertial></link></robot>", 2,
          "finite");
  refused("<robot>\n<link name='a'><inertial><mass value='-1'/></inertial></link></robot>", 2,
          "negative");
  refused("<robot>\n<link name='a'><inertial><origin xyz='0 0'/></inertial></link></robot>", 2,
          "3 finite numbers");
  refused("<robot>\n<link name='a'><inertial><origin xyz='0 0 1e999'/></inertial></link></robot>",
          2, "3 finite numbers");
  refused("<robot>\n<link/></robot>", 2, "'name'");
  refused(
      "<robot>\n<link name='a'><collision><geometry><sphere radius='-1'/></geometry></collision>"
      "</link></robot>",
      2, "negative");
  refused("<robot>\n<joint name='j' type='fixed'/></robot>", 2, "<parent>");
  refused("<robot>\n<link name='a'", 2, "well-formed");
  refused("", 1, "well-formed");
}

/* ---- meshes
 * --------------------------------------------------------------------------------------- */

/* A cube of 2 m, its corners in a binary STL, with points inside that the hull drops. */
static size_t cube_stl(unsigned char *to, uint32_t told) {
  static const float corners[12][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                       {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1},
                                       {0, 0, 0},    {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}};
  memset(to, 0, 84 + 4 * 50);
  memcpy(to + 80, &told, 4);
  for (int face = 0; face < 4; face++) {
    memcpy(to + 84 + 50 * face + 12, corners[3 * face], sizeof corners[0] * 3);
  }
  return 84 + 4 * 50;
}

#define MESH(name)                                                                                 \
  "<robot>\n<link name='a'><collision><origin xyz='0 0 5'/>\n<geometry>"                           \
  "<mesh filename='" name "' scale='1 2 3'/></geometry></collision></link></robot>"

static void assert_cube(const char *text) {
  ff_robot *robot = NULL;
  ff_report report;
  if (load(&robot, text, &report) != FF_OK) {
    print_error("%s\n", report.what);
    fail();
  }
  ff_robot_shape shape = ff_robot_shape_info(robot, 0);
  assert_true(shape.mesh);
  assert_int_equal(shape.corner_count, 8);
  assert_close(shape.size.x, 1, 1e-6);
  assert_close(shape.size.y, 2, 1e-6);
  assert_close(shape.size.z, 3, 1e-6);
  assert_close(shape.pose.position.z, 5, 1e-6);
  assert_close(fabs(shape.corners[0].z - 5), 3, 1e-6);
  ff_robot_destroy(&robot);
}

static void test_meshes_become_hulls(void **state) {
  (void)state;
  unsigned char stl[512];
  put("in/cube.stl", stl, cube_stl(stl, 4));
  assert_cube(MESH("cube.stl"));
  assert_cube(MESH("package://in/cube.stl"));
  assert_cube(MESH("package://any/cube.stl"));
  assert_cube(MESH("model://in/cube.stl"));
  char file[1024];
  snprintf(file, sizeof file, MESH("file://%s/in/cube.stl"), folder);
  assert_cube(file);
  char text[2048] = "solid cube\n", obj[1024] = "# cube\r\n";
  for (int i = 0; i < 8; i++) {
    double x = i & 1 ? 1 : -1, y = i & 2 ? 1 : -1, z = i & 4 ? 1 : -1;
    sprintf(text + strlen(text), "  vertex %g %g %ge0\n", x, y, z);
    sprintf(obj + strlen(obj), "v %g %g %g\r\nvn 0 0 1\r\n", x, y, z);
  }
  put("in/cube.STL", text, strlen(text));
  assert_cube(MESH("cube.STL"));
  put("in/cube.obj", obj, strlen(obj));
  assert_cube(MESH("cube.obj"));
}

/* As users keep them: a package with its robots some folders down, another one beside it. */
static void test_packages_are_found(void **state) {
  (void)state;
  static const char *const folders[] = {"dog_description", "dog_description/robots",
                                        "dog_description/robots/small", "foot_description"};
  static const char robot[] = MESH("package://dog_description/cube.stl");
  static const char foot[] = MESH("package://foot_description/cube.stl");
  unsigned char stl[512];
  ff_robot *read = NULL;
  ff_report report;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(mkdir(folders[i], 0700), 0);
  }
  put("dog_description/cube.stl", stl, cube_stl(stl, 4));
  put("foot_description/cube.stl", stl, cube_stl(stl, 4));
  const char *file = put("dog_description/robots/small/a.urdf", robot, strlen(robot));
  assert_int_equal(ff_robot_load(&read, file, NULL, &report), FF_OK);
  ff_robot_destroy(&read);
  assert_int_equal(ff_robot_load(&read, file, folder, &report), FF_OK);
  ff_robot_destroy(&read);
  /* the other package is outside of this one, but inside of a root above both */
  file = put("dog_description/robots/small/b.urdf", foot, strlen(foot));
  assert_int_equal(ff_robot_load(&read, file, NULL, &report), FF_ERROR_FILE);
  assert_int_equal(ff_robot_load(&read, file, folder, &report), FF_OK);
  ff_robot_destroy(&read);
  put("package.xml", "<package/>", 10); /* or of a package that holds both */
  file = put("dog_description/robots/small/b.urdf", foot, strlen(foot));
  assert_int_equal(ff_robot_load(&read, file, NULL, &report), FF_OK);
  ff_robot_destroy(&read);
  assert_int_equal(unlink("package.xml"), 0);
}

/* A part whose mesh is missing keeps its other shapes; errors of meshes that exist remain. */
static void test_missing_meshes_may_be_left_out(void **state) {
  (void)state;
  static const char robot[] =
      "<robot name='r'><link name='a'><inertial><mass value='1'/></inertial>"
      "<collision><geometry><mesh filename='none.stl'/></geometry></collision>"
      "<collision><geometry><sphere radius='0.5'/></geometry></collision></link></robot>";
  static const char damaged[] = MESH("bad.obj");
  ff_robot *read = NULL;
  ff_report report = {.line = 0};
  const char *file = put("missing.urdf", robot, strlen(robot));
  assert_int_equal(ff_robot_load(&read, file, NULL, &report), FF_ERROR_FILE);
  assert_non_null(strstr(report.what, "missing-meshes: skip"));
  assert_int_equal(ff_robot_load_without_missing(&read, file, NULL, &report), FF_OK);
  assert_int_equal(ff_robot_shape_count(read), 1);
  assert_int_equal(ff_robot_shape_info(read, 0).kind, FF_SPHERE);
  assert_int_equal(ff_robot_note_count(read), 2); /* and the mass without inertia */
  assert_non_null(strstr(ff_robot_note(read, 0), "'none.stl' was not found: left out"));
  ff_robot_destroy(&read);
  put("bad.obj", "v 1 2\n", 6);
  file = put("damaged.urdf", damaged, strlen(damaged));
  assert_int_equal(ff_robot_load_without_missing(&read, file, NULL, &report), FF_ERROR_INPUT);
}

static void test_one_number_scales_a_mesh_in_all_directions(void **state) {
  (void)state;
  static const char robot[] = "<robot name='r'><link name='a'><collision><geometry>"
                              "<mesh filename='cube.stl' scale='2.5'/></geometry></collision>"
                              "</link></robot>";
  static const char wrong[] = "<robot name='r'><link name='a'><collision><geometry>"
                              "<mesh filename='cube.stl' scale='2 3'/></geometry></collision>"
                              "</link></robot>";
  unsigned char stl[512];
  ff_robot *read = NULL;
  ff_report report = {.line = 0};
  put("cube.stl", stl, cube_stl(stl, 4));
  const char *file = put("scaled.urdf", robot, strlen(robot));
  assert_int_equal(ff_robot_load(&read, file, NULL, &report), FF_OK);
  ff_vec3 size = ff_robot_shape_info(read, 0).size;
  assert_true(fabs(size.x / size.y - 1) < 1e-12 && fabs(size.z / size.y - 1) < 1e-12);
  ff_robot_destroy(&read);
  refused(wrong, 1, "3 finite numbers");
}

static void test_bad_meshes_are_refused(void **state) {
  (void)state;
  unsigned char stl[512];
  put("outside.stl", stl, cube_stl(stl, 4));
  refused(MESH("missing.stl"), 2, "not found");
  refused(MESH("../outside.stl"), 2, "leads out");
  refused(MESH("package://../outside.stl"), 2, "leads out");
  refused(MESH("/etc/passwd"), 2, "leads out");
  refused(MESH("http://localhost/cube.stl"), 2, "only package://");
  assert_int_equal(symlink("../outside.stl", "in/link.stl"), 0);
  refused(MESH("link.stl"), 2, "leads out");
  assert_int_equal(mkfifo("in/pipe.stl", 0600), 0);
  refused(MESH("pipe.stl"), 2, "cannot read");
  put("in/huge.stl", stl, cube_stl(stl, 0xFFFFFFFFu));
  refused(MESH("huge.stl"), 2, "header");
  put("in/empty.stl", "", 0);
  refused(MESH("empty.stl"), 2, "header");
  put("in/flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n", 32);
  refused(MESH("flat.obj"), 2, "convex hull");
  put("in/few.obj", "v 0 0 0\n", 8);
  refused(MESH("few.obj"), 2, "at least 4");
  put("in/nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nv 1 1 0\n", 34);
  refused(MESH("nan.obj"), 2, "finite");
  put("in/cube.ply", "ply", 3);
  refused(MESH("cube.ply"), 2, "STL, OBJ and COLLADA");
}

/* The cube in centimetres, one half of it moved up by a node inside a node. */
#define DAE_HALF(id, z)                                                                            \
  "<geometry id='" id "'><mesh><source id='" id "-p'><float_array count='12'>-100 -100 " z         \
  " 100 -100 " z "\n-100 100 " z " 1e2 100 " z "</float_array></source>"                           \
  "<source id='" id "-n'><float_array>5000 5000 5000</float_array></source>"                       \
  "<vertices id='" id "-v'><input semantic='POSITION' source='#" id "-p'/></vertices></mesh>"      \
  "</geometry>"
#define DAE(doctype, unit, half, node)                                                             \
  "<?xml version='1.0'?>\n" doctype "<COLLADA><asset><unit meter='" unit "'/>"                     \
  "<up_axis>Y_UP</up_axis></asset><library_geometries>" half DAE_HALF(                             \
      "high", "-300") "</library_geometries><library_visual_scenes><visual_scene><node>"           \
                      "<instance_geometry url='#low'/>" node                                       \
                      "</node></visual_scene></library_visual_scenes></COLLADA>"
#define DAE_NODE                                                                                   \
  "<node><matrix>1 0 0 0 0 1 0 0 0 0 1 500 0 0 0 1</matrix><node><rotate>0 0 1 90</rotate>"        \
  "<translate>0 0 -100</translate><instance_geometry url='#high'/></node></node>"

static void put_dae(const char *text) {
  put("in/cube.dae", text, strlen(text));
}

static void test_collada_is_read(void **state) {
  (void)state;
  put_dae(DAE("", "0.01", DAE_HALF("low", "-100"), DAE_NODE));
  assert_cube(MESH("cube.dae"));
}

/* The upper half of the cube from a library of nodes, where an instance puts it; where the library
 * itself has it is of no interest. */
static void test_collada_shows_nodes_of_libraries(void **state) {
  (void)state;
  put_dae(DAE("", "0.01", DAE_HALF("low", "-100"),
              "<node><translate>0 0 300</translate><instance_node url='#lid'/></node>"
              "</node></visual_scene></library_visual_scenes><library_nodes><node id='lid'>"
              "<translate>0 0 100</translate><node><instance_geometry url='#high'/></node></node>"
              "</library_nodes><library_visual_scenes><visual_scene><node>"));
  assert_cube(MESH("cube.dae"));
}

/* Each node shows the next twice: 2^62 times the last. */
static void test_multiplied_nodes_are_refused(void **state) {
  (void)state;
  char text[8192] = "<COLLADA><library_nodes>", *at = text + strlen(text);
  for (int i = 0; i < 62; i++) {
    at +=
        sprintf(at, "<node id='n%d'><instance_node url='#n%d'/><instance_node url='#n%d'/></node>",
                i, i + 1, i + 1);
  }
  sprintf(at, "</library_nodes><node><instance_node url='#n0'/></node></COLLADA>");
  put_dae(text);
  refused(MESH("cube.dae"), 2, "nested too deep or instantiated too often");
  put_dae("<COLLADA><node id='n'><instance_node url='#n'/></node></COLLADA>");
  refused(MESH("cube.dae"), 2, "nested too deep or instantiated too often");
}

static void test_bad_collada_is_refused(void **state) {
  (void)state;
  put_dae(DAE("<!DOCTYPE x [<!ENTITY a 'b'>]>", "0.01", DAE_HALF("low", "-100"), DAE_NODE));
  refused(MESH("cube.dae"), 2, "line 2: document types");
  put_dae(DAE("", "-1", DAE_HALF("low", "-100"), DAE_NODE));
  refused(MESH("cube.dae"), 2, "unit");
  put_dae(DAE("", "1", DAE_HALF("low", "1e999"), DAE_NODE));
  refused(MESH("cube.dae"), 2, "finite");
  put_dae(DAE("", "1", DAE_HALF("low", "up"), DAE_NODE));
  refused(MESH("cube.dae"), 2, "finite");
  put_dae(DAE("", "1", "", ""));
  refused(MESH("cube.dae"), 2, "0 points");
  put_dae(DAE("", "1", "", "<node><matrix>1 2 3</matrix></node>"));
  refused(MESH("cube.dae"), 2, "<matrix>");
  put_dae("<COLLADA>");
  refused(MESH("cube.dae"), 2, "well-formed");
}

/* A mesh shown again and again would fill the memory: it is refused before that. */
static void test_multiplied_collada_is_refused(void **state) {
  (void)state;
  enum { POINTS = 4000, TIMES = 6000 };
  char *text = calloc(1, 200 + POINTS * 6 + TIMES * 40), *at = text;
  assert_non_null(text);
  at += sprintf(at, "<COLLADA><geometry id='g'><source id='s'><float_array>");
  for (int i = 0; i < POINTS; i++) {
    at += sprintf(at, "1 2 3 ");
  }
  at += sprintf(at, "</float_array></source><input semantic='POSITION' source='#s'/></geometry>");
  for (int i = 0; i < TIMES; i++) {
    at += sprintf(at, "<instance_geometry url='#g'/>");
  }
  sprintf(at, "</COLLADA>");
  put_dae(text);
  refused(MESH("cube.dae"), 2, "too many points");
  free(text);
}

/* A tetrahedron stands on its three lower corners, not on those of the box that holds it. */
static void test_mesh_touches_as_its_hull(void **state) {
  (void)state;
  static const char tetra[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.1 0.1\n";
  put("in/tetra.obj", tetra, sizeof tetra - 1);
  ff_robot *robot = NULL;
  ff_report report;
  assert_int_equal(
      load(
          &robot,
          "<robot><link name='a'><inertial><origin xyz='0.25 0.25 0.25'/><mass value='1'/>"
          "<inertia ixx='0.04' iyy='0.04' izz='0.04'/></inertial>"
          "<collision><geometry><mesh filename='tetra.obj'/></geometry></collision></link></robot>",
          &report),
      FF_OK);
  ff_scene *scene;
  ff_model *model;
  ff_sim *sim;
  ff_robot_def def = ff_robot_def_of(robot, "t");
  def.base.position.z = -0.001;
  ff_body_def floor = ff_body_def_default();
  floor.name = "floor";
  floor.kind = FF_BODY_FIXED;
  ff_shape_def plane = ff_shape_def_default();
  plane.kind = FF_HALF_SPACE;
  ff_contact_def contact = ff_contact_def_default();
  contact.a = "t";
  contact.b = "floor";
  contact.normal.law = "hunt-crossley";
  contact.normal.names = (const char *[]){"k", "n", "alpha"};
  contact.normal.values = (const double[]){1e4, 1, 0.5};
  contact.normal.count = 3;
  ff_body body;
  ff_shape shape;
  assert_int_equal(ff_scene_create(&scene), FF_OK);
  assert_int_equal(ff_scene_add_robot(scene, &def), FF_OK);
  assert_int_equal(ff_scene_add_body(&body, scene, &floor), FF_OK);
  assert_int_equal(ff_scene_add_shape(&shape, scene, body, &plane), FF_OK);
  assert_int_equal(ff_scene_add_contact(scene, &contact), FF_OK);
  assert_int_equal(ff_model_build(&model, scene, &report), FF_OK);
  assert_int_equal(ff_sim_create(&sim, model), FF_OK);
  assert_int_equal(ff_sim_contact_count(sim), 3);
  assert_close(ff_sim_contact(sim, 0).patch.depth, 0.001, 1e-12);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  ff_robot_destroy(&robot);
}

/* ---- failures on purpose
 * ------------------------------------------------------------------------------ */

/* Every allocation and every file operation fails in turn: a status each time, no leak. */
static void test_failures_are_survived(void **state) {
  (void)state;
  unsigned char stl[512];
  put("in/cube.stl", stl, cube_stl(stl, 4));
  const char *path = put("in/robot.urdf", MESH("cube.stl"), strlen(MESH("cube.stl")));
  ff_robot *robot = NULL;
  ff_status status = FF_ERROR_MEMORY;
  int failures = 0;
  for (long n = 1; status != FF_OK && n < 1000; n++, failures++) {
    ff_report report = {.line = 0};
    ff_alloc_fail_at(n);
    status = ff_robot_load(&robot, path, NULL, &report);
    ff_alloc_fail_at(0);
    assert_true(status == FF_OK || (status == FF_ERROR_MEMORY && robot == NULL));
  }
  assert_true(failures > 10);
  ff_robot_destroy(&robot);
  for (long n = 1; n < 4; n++) {
    ff_file_fail_at(n);
    status = ff_robot_load(&robot, path, NULL, NULL);
    ff_file_fail_at(0);
    assert_true(status == FF_OK || status == FF_ERROR_FILE);
    ff_robot_destroy(&robot);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_robots_of_the_house),
      cmocka_unit_test(test_humanoid_is_as_ordered),
      cmocka_unit_test(test_reads_everything),
      cmocka_unit_test(test_tells_what_looks_wrong),
      cmocka_unit_test(test_harmless_oddities_are_read),
      cmocka_unit_test(test_universal_joint_is_read),
      cmocka_unit_test(test_entities_are_refused),
      cmocka_unit_test(test_deep_nesting_is_refused),
      cmocka_unit_test(test_long_chain_is_read),
      cmocka_unit_test(test_too_many_links_are_refused),
      cmocka_unit_test(test_mimics_that_lead_nowhere),
      cmocka_unit_test(test_root_floats_with_what_is_fixed_to_it),
      cmocka_unit_test(test_xacro_is_told_apart),
      cmocka_unit_test(test_trees_that_are_none_are_refused),
      cmocka_unit_test(test_bad_values_are_refused),
      cmocka_unit_test(test_meshes_become_hulls),
      cmocka_unit_test(test_packages_are_found),
      cmocka_unit_test(test_missing_meshes_may_be_left_out),
      cmocka_unit_test(test_one_number_scales_a_mesh_in_all_directions),
      cmocka_unit_test(test_bad_meshes_are_refused),
      cmocka_unit_test(test_mesh_touches_as_its_hull),
      cmocka_unit_test(test_collada_is_read),
      cmocka_unit_test(test_collada_shows_nodes_of_libraries),
      cmocka_unit_test(test_multiplied_nodes_are_refused),
      cmocka_unit_test(test_bad_collada_is_refused),
      cmocka_unit_test(test_multiplied_collada_is_refused),
      cmocka_unit_test(test_failures_are_survived),
  };
  return cmocka_run_group_tests(tests, make_folder, leave_folder);
}
