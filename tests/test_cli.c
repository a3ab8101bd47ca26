/* The program as a user meets it: exit codes, messages, files. */
#include "folder.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "footfall/io.h"
#include "jammed.h"

static const char scene_text[] =
    "footfall: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "stepper: {kind: rk4, step: 1e-4}\n"
    "duration: 0.2\n"
    "record: {every: 1e-2, channels: [body.ball.*, energy.*]}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {half-space: {normal: [0, 0, 1]}}}\n"
    "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.11]}\n"
    "contacts:\n"
    "  - pair: [ball, floor]\n"
    "    normal: {law: hunt-crossley, k: 1e5, n: 1.5, alpha: 0.2}\n";

static void write_text(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

/* Every test starts in a new folder with one scene. */
static int enter(void **state) {
  if (enter_folder(state) != 0) {
    return -1;
  }
  write_text("ball.yaml", scene_text);
  return 0;
}

/* Counts the files that a test did not name, hidden ones too, and removes all. */
static int leave(void **state) {
  (void)state;
  static const char *const known[] = {".",      "..",       "ball.yaml", "bad.yaml",
                                      "out",    "out.csv",  "err",       "run.csv",
                                      "run.h5", "leg.urdf", "leg.yaml"};
  int strangers = 0;
  DIR *dir = opendir(".");
  for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
      found = found || strcmp(entry->d_name, known[i]) == 0;
    }
    strangers += !found;
    unlink(entry->d_name);
  }
  closedir(dir);
  return remove_folder() == 0 ? strangers : -1;
}

/* ---- running it ---------------------------------------------------------------------- */

enum { ARGS_MAX = 16 };

static pid_t start(const char *const *args, const char *out) {
  pid_t child = fork();
  if (child == 0) {
    int out_fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int err_fd = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(out_fd, 1);
    dup2(err_fd, 2);
    execv(FF_PROGRAM, (char *const *)(uintptr_t)args);
    _exit(127);
  }
  return child;
}

static int finish(pid_t child) {
  int end = 0;
  assert_int_equal(waitpid(child, &end, 0), child);
  assert_true(WIFEXITED(end)); /* not killed by a signal */
  return WEXITSTATUS(end);
}

/* Runs the program; its output is then in the files out and err. Returns the exit code. */
#define footfall(...)                                                                              \
  finish(start((const char *const[ARGS_MAX]){"footfall", __VA_ARGS__, NULL}, "out"))

static char *text_of(const char *path) {
  static char text[1 << 16];
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  text[fread(text, 1, sizeof text - 1, in)] = '\0';
  fclose(in);
  return text;
}

static void expect_text(const char *path, const char *part) {
  const char *text = text_of(path);
  if (!strstr(text, part)) {
    print_error("'%s' is not in:\n%s\n", part, text);
    fail();
  }
}

static bool exists(const char *path) {
  return access(path, F_OK) == 0;
}

/* ---- a small reader of JSON ------------------------------------------------------------- */

static const char *skip_space(const char *at) {
  while (isspace((unsigned char)*at)) {
    at++;
  }
  return at;
}

static const char *skip_string(const char *at) {
  for (at++; *at && *at != '"'; at++) {
    if ((unsigned char)*at < 0x20 || (*at == '\\' && !*++at)) {
      return "?";
    }
  }
  return *at ? at + 1 : at;
}

/* Returns what follows a value; a text that starts with "?" if it is none. */
static const char *skip_value(const char *at) {
  at = skip_space(at);
  if (*at == '"') {
    return skip_string(at);
  }
  if (*at != '{' && *at != '[') {
    size_t length = strcspn(at, ",]} \n");
    char word[64] = "";
    double value;
    if (length < sizeof word) {
      memcpy(word, at, length);
    }
    bool plain = isdigit((unsigned char)word[0]) || word[0] == '-';
    bool known = !strcmp(word, "null") || !strcmp(word, "true") || !strcmp(word, "false");
    return known || (plain && ff_number_read(word, &value)) ? at + length : "?";
  }
  char close = *at == '{' ? '}' : ']';
  at = skip_space(at + 1);
  while (*at != close) {
    if (close == '}') {
      at = *at == '"' ? skip_space(skip_string(at)) : "?";
      at = *at == ':' ? at + 1 : "?";
    }
    at = skip_space(skip_value(at));
    if (*at != ',' && *at != close) {
      return "?";
    }
    at = *at == ',' ? skip_space(at + 1) : at;
  }
  return at + 1;
}

static void expect_json(const char *text) {
  const char *end = skip_space(skip_value(text));
  if (*end != '\0') {
    print_error("not JSON:\n%s\n", text);
    fail();
  }
}

/* ---- arguments ----------------------------------------------------------------------------- */

static void every_verb_has_help(void **state) {
  (void)state;
  assert_int_equal(footfall("--help"), 0);
  char all[1 << 12];
  snprintf(all, sizeof all, "%s", text_of("out"));
  int verbs = 0;
  char *rest = strstr(all, "\n\n  ") + 2;
  for (char *line = strtok_r(rest, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char verb[32];
    if (sscanf(line, "  %31s", verb) != 1 || strcmp(verb, "footfall") == 0) {
      break;
    }
    assert_int_equal(footfall(verb, "--help"), 0);
    expect_text("out", "Usage: footfall ");
    expect_text("out", verb);
    verbs++;
  }
  assert_true(verbs >= 2);
}

static void version_is_told(void **state) {
  (void)state;
  assert_int_equal(footfall("--version"), 0);
  expect_text("out", "footfall 0.");
}

static void bad_arguments_are_bad_input(void **state) {
  (void)state;
  assert_int_equal(footfall("rnu"), 2);
  expect_text("err", "did you mean 'run'?");
  assert_int_equal(footfall(NULL), 2);
  assert_int_equal(footfall("run"), 2);
  assert_int_equal(footfall("run", "ball.yaml", "ball.yaml"), 2);
  assert_int_equal(footfall("run", "ball.yaml", "--no-such-option"), 2);
  assert_int_equal(footfall("run", "ball.yaml", "--json", "--csv", "-"), 2);
  assert_int_equal(footfall("run", "ball.yaml", "--csv", "run.h5"), 2);
  expect_text("err", "--csv: expected a name that ends in .csv, or -, got 'run.h5'");
  assert_int_equal(footfall("check"), 2);
}

/* Nobody wants to hear it after the run. */
static void a_report_that_cannot_be_written_is_told_first(void **state) {
  (void)state;
  assert_int_equal(footfall("run", "ball.yaml", "-o", "run.csv", "-r", "missing/run.html"), 1);
  assert_false(exists("run.csv"));
}

/* ---- scenes --------------------------------------------------------------------------------- */

/* A scene's names and texts may hold what would steer a terminal (U+009B, escape) or turn text
 * round (U+202E): neither messages nor tables nor JSON pass it on. */
static void names_do_not_steer_the_terminal(void **state) {
  (void)state;
  static const char *const wild[] = {"\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "\x1b", "\x7f"};
  static const char *const escaped[] = {"\\u009b", "\\u202e", "\\u2066"};
  char text[1024];
  for (int i = 1; i < 3; i++) { /* scenes are refused that hold the first */
    snprintf(text, sizeof text,
             "footfall: 1\nstepper: {kind: rk4, step: 1e-3}\nduration: 0.01\nbodies:\n"
             "  b%s: {mass: 1, shape: {sphere: {radius: 0.1}}}\n",
             wild[i]);
    write_text("bad.yaml", text);
    const char *const calls[][2] = {{"check", ""}, {"check", "--json"}, {"run", "--json"}};
    for (int k = 0; k < 3; k++) {
      assert_int_equal(calls[k][1][0] ? footfall(calls[k][0], "bad.yaml", calls[k][1])
                                      : footfall(calls[k][0], "bad.yaml"),
                       0);
      assert_null(strstr(text_of("out"), wild[i]));
      if (k < 2) {
        expect_text("out", escaped[i]);
      }
    }
    snprintf(text, sizeof text, "footfall: 1\nbodies: {b: {mass: %s}}\n", wild[i]);
    write_text("bad.yaml", text);
    assert_int_equal(footfall("check", "bad.yaml"), 2);
    assert_null(strstr(text_of("err"), wild[i]));
    expect_text("err", escaped[i]);
  }
  for (int i = 0; i < 3; i++) {
    snprintf(text, sizeof text, "<robot name='r%s'><link name='a%s'/></robot>", wild[i], wild[i]);
    write_text("leg.urdf", text);
    for (int json = 0; json < 2; json++) {
      assert_int_equal(
          json ? footfall("check", "leg.urdf", "--json") : footfall("check", "leg.urdf"), 0);
      assert_null(strstr(text_of("out"), wild[i]));
      expect_text("out", escaped[i]);
    }
  }
  for (int i = 0; i < 5; i++) { /* the user's own words, too */
    snprintf(text, sizeof text, "no-%s-such.yaml", wild[i]);
    assert_int_equal(footfall("run", text), 2);
    assert_null(strstr(text_of("err"), wild[i]));
    expect_text("err", "such.yaml");
  }
}

/* Whatever name it goes by. */
static void outputs_do_not_overwrite_inputs_or_each_other(void **state) {
  (void)state;
  write_text("leg.urdf", "<robot name='r'><link name='a'/></robot>");
  write_text("leg.yaml", "footfall: 1\nrobots: {leg: {urdf: leg.urdf}}\n");
  write_text("run.csv", scene_text);
  assert_int_equal(footfall("run", "run.csv", "-o", "./run.csv"), 2);
  expect_text("err", "would overwrite a file that is read");
  assert_int_equal(link("run.csv", "out.csv"), 0);
  assert_int_equal(footfall("run", "run.csv", "--csv", "out.csv"), 2);
  unlink("out.csv");
  assert_int_equal(symlink("run.csv", "out.csv"), 0);
  assert_int_equal(footfall("run", "run.csv", "--csv", "out.csv"), 2);
  unlink("out.csv");
  expect_text("run.csv", scene_text);
  assert_int_equal(footfall("run", "ball.yaml", "--report", "ball.yaml"), 2);
  expect_text("ball.yaml", scene_text);
  assert_int_equal(footfall("run", "leg.yaml", "--report", "leg.urdf"), 2);
  expect_text("leg.urdf", "<robot");
  assert_int_equal(footfall("run", "ball.yaml", "-o", "run.h5", "--report", "./run.h5"), 2);
  expect_text("err", "would overwrite another output");
  assert_false(exists("run.h5"));
  assert_int_equal(footfall("run", "ball.yaml", "-o", "out.csv", "--csv", "./out.csv"), 2);
  assert_int_equal(footfall("run", "ball.yaml", "--csv", "-", "--csv", "-"), 2);
  assert_int_equal(footfall("run", "ball.yaml", "-q", "-o", "run.h5"), 0);
  assert_int_equal(footfall("run", "ball.yaml", "-q", "-o", "run.h5"), 0); /* as before */
  assert_int_equal(footfall("view", "run.h5", "-o", "run.h5"), 2);
}

static void missing_scene_is_bad_input(void **state) {
  (void)state;
  assert_int_equal(footfall("run", "missing.yaml"), 2);
  expect_text("err", "missing.yaml");
  assert_int_equal(footfall("check", "missing.yaml"), 2);
  assert_int_equal(footfall("check", "missing.urdf"), 2);
}

static void bad_scene_names_the_place(void **state) {
  (void)state;
  write_text("bad.yaml",
             "footfall: 1\nbodies:\n  ball: {mass: -1, shape: {sphere: {radius: 1}}}\n");
  assert_int_equal(footfall("run", "bad.yaml", "-o", "run.csv"), 2);
  expect_text("err", "bad.yaml:3:");
  expect_text("err", "bodies.ball.mass");
  assert_false(exists("run.csv"));
  assert_int_equal(footfall("check", "bad.yaml"), 2);
  expect_text("err", "bad.yaml:3:");
}

/* Trunk, thigh, shank and foot; the knee cannot be straight. */
static const char leg_urdf[] = "<robot name='leg'>"
#define PART(name, mass, more)                                                                     \
  "<link name='" name "'><inertial><mass value='" mass "'/><inertia ixx='0.01' iyy='0.01' "        \
  "izz='0.01'/></inertial>" more "</link>"
#define HINGE(name, type, parent, child, z)                                                        \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child          \
  "'/><origin xyz='0 0 " z "'/><axis xyz='0 1 0'/>"                                                \
  "<limit lower='-2' upper='-1' effort='100' velocity='10'/></joint>"
    PART("trunk", "1", "") PART("thigh", "0.2", "") PART("shank", "0.2", "") PART(
        "foot", "0.2", "<collision><geometry><box size='0.2 0.2 0.02'/></geometry></collision>")
        HINGE("hip", "continuous", "trunk", "thigh", "0")
            HINGE("knee", "revolute", "thigh", "shank", "-0.5")
                HINGE("ankle", "continuous", "shank", "foot", "-0.5") "</robot>";

/* It stands at 2 x 0.5 m cos 0.6 and half a foot. */
static void check_prints_a_scene_to_start_from(void **state) {
  (void)state;
  write_text("leg.urdf", leg_urdf);
  assert_int_equal(footfall("check", "leg.urdf", "--scene"), 0);
  expect_text("out", "root is at 0.835336 m");
  expect_text("out", "\"hip\": {position: 0.6}");
  expect_text("out", "\"knee\": {position: -1.2}");
  expect_text("out", "\"ankle\": {position: 0.6}");
  assert_int_equal(rename("out", "leg.yaml"), 0);
  assert_int_equal(footfall("run", "leg.yaml", "--set", "duration=0.2"), 0);
  expect_text("out", "verdict    good");
}

#define BOX_LINK(name, mass, size, at)                                                             \
  "<link name='" name "'><inertial><origin xyz='" at "'/><mass value='" mass                       \
  "'/><inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial><collision>"      \
  "<origin xyz='" at "'/><geometry><box size='" size "'/></geometry></collision></link>"

/* The printed scene has been run: a post that leans over its foot gets a fixed base, an arm that
 * hangs from its mount is lifted out of the floor. Both scenes are good. */
static void a_printed_scene_has_been_tried(void **state) {
  (void)state;
  write_text("leg.urdf", "<robot name='post'>" BOX_LINK("foot", "1", "0.1 0.1 0.1", "0 0 0")
                             BOX_LINK("arm", "3", "0.6 0.05 0.05", "0.3 0 0")
                                 HINGE("shoulder", "revolute", "foot", "arm", "0.4") "</robot>");
  assert_int_equal(footfall("check", "leg.urdf", "--scene"), 0);
  expect_text("out", "base: fixed");
  expect_text("out", "its verdict is good");
  assert_int_equal(rename("out", "leg.yaml"), 0);
  assert_int_equal(footfall("run", "leg.yaml"), 0);
  write_text("leg.urdf", "<robot name='hanging'><link name='world'/>" BOX_LINK(
                             "mount", "1", "0.1 0.1 0.1", "0 0 0")
                             BOX_LINK("arm", "1", "0.05 0.05 0.5", "0 0 -0.25")
                                 HINGE("shoulder", "continuous", "mount", "arm",
                                       "-0.05") "<joint name='bolt' type='fixed'><parent "
                                                "link='world'/><child link='mount'/></joint>"
                                                "</robot>");
  assert_int_equal(footfall("check", "leg.urdf", "--scene"), 0);
  expect_text("out", "position: [0, 0, 0.55]");
  expect_text("out", "its verdict is good");
  assert_int_equal(rename("out", "leg.yaml"), 0);
  assert_int_equal(footfall("run", "leg.yaml"), 0);
}

/* Three metres high and 3 cm over the edge of its foot: it leans by some 10 degrees at the end of
 * the scene, more and more. */
static void a_robot_that_tips_slowly_is_held(void **state) {
  (void)state;
  write_text("leg.urdf", "<robot name='mast'>" BOX_LINK("foot", "1", "0.1 0.1 0.1", "0 0 0")
                             BOX_LINK("mast", "3", "0.05 0.05 5.8", "0.107 0 3")
                                 HINGE("bolt", "fixed", "foot", "mast", "0") "</robot>");
  assert_int_equal(footfall("check", "leg.urdf", "--scene"), 0);
  expect_text("out", "base: fixed # free, it tips over");
}

/* A scene reads no files outside its folder: where it must be saved is said, and its path is as
 * seen from there. */
static void a_printed_scene_says_where_to_save_it(void **state) {
  (void)state;
  write_text("leg.urdf", leg_urdf);
  assert_int_equal(mkdir("elsewhere", 0777), 0);
  assert_int_equal(footfall("check", "elsewhere/../leg.urdf", "--scene"), 0);
  expect_text("out", "urdf: \"leg.urdf\"");
  assert_int_equal(chdir("elsewhere"), 0);
  assert_int_equal(footfall("check", "../leg.urdf", "--scene"), 0);
  expect_text("out", ": a scene reads files in its folder and below only.");
  expect_text("out", "urdf: \"leg.urdf\"");
  assert_int_equal(rename("out", "../leg.yaml"), 0);
  unlink("err");
  assert_int_equal(chdir(".."), 0);
  assert_int_equal(rmdir("elsewhere"), 0);
  assert_int_equal(footfall("check", "leg.yaml"), 0);
}

/* A mesh that is missing is an error that says what to do; left out, the scene says so. */
static void a_robot_without_its_meshes_has_a_scene(void **state) {
  (void)state;
  write_text("leg.urdf",
             "<robot name='post'><link name='foot'><inertial><mass value='1'/><inertia ixx='0.1' "
             "iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><mesh "
             "filename='package://post/foot.stl'/></geometry></collision><collision><geometry><box "
             "size='1 1 1'/></geometry></collision></link></robot>");
  assert_int_equal(footfall("check", "leg.urdf"), 2);
  expect_text("err", "check --skip-meshes");
  assert_int_equal(footfall("check", "leg.urdf", "--skip-meshes"), 0);
  expect_text("out", "'package://post/foot.stl' was not found: left out");
  assert_int_equal(footfall("check", "leg.urdf", "--skip-meshes", "--scene"), 0);
  expect_text("out", "missing-meshes: skip");
  assert_int_equal(rename("out", "leg.yaml"), 0);
  assert_int_equal(footfall("run", "leg.yaml"), 0);
  assert_int_equal(footfall("run", "leg.yaml", "--set", "robots.robot.missing-meshes=error"), 2);
}

/* Its rotor inertia lets a servo turn a point mass about its own axis. */
static void a_robot_with_a_link_without_inertia_has_a_scene(void **state) {
  (void)state;
  write_text("leg.urdf", "<robot name='post'>" BOX_LINK(
                             "foot", "1", "0.4 0.4 0.1",
                             "0 0 0") "<link name='arm'><inertial><mass "
                                      "value='0.1'/></inertial></link>" HINGE(
                                          "shoulder", "revolute", "foot", "arm", "0.4") "</robot>");
  assert_int_equal(footfall("check", "leg.urdf"), 0);
  expect_text("out", "rotor inertia (armature)");
  assert_int_equal(footfall("check", "leg.urdf", "--scene"), 0);
  expect_text("out", "its verdict is good");
  assert_int_equal(rename("out", "leg.yaml"), 0);
  assert_int_equal(footfall("run", "leg.yaml", "--set", "stepper.kind=rk4"), 0);
}

/* A damper of 1200 N m s/rad on 0.37 kg m^2 under explicit steps of 1 ms: the joint is named, not
 * its contacts. */
static void a_joint_that_needs_shorter_steps_is_named(void **state) {
  (void)state;
  write_text("leg.urdf", "<robot name='post'>" BOX_LINK("foot", "1", "0.1 0.1 0.1", "0 0 0")
                             BOX_LINK("arm", "3", "0.6 0.05 0.05", "0.3 0 0")
                                 HINGE("shoulder", "revolute", "foot", "arm", "0.4") "</robot>");
  write_text("leg.yaml", "footfall: 1\n"
                         "stepper: {kind: rk4, step: 1e-3}\n"
                         "duration: 0.02\n"
                         "robots:\n"
                         "  r:\n"
                         "    urdf: leg.urdf\n"
                         "    base: fixed\n"
                         "    servo: {stiffness: 400, damping: 1200}\n"
                         "    joints: {shoulder: {target: -1.6}}\n");
  assert_int_equal(footfall("check", "leg.yaml"), 0);
  expect_text("out", "than joint 'shoulder' needs");
  assert_int_equal(footfall("run", "leg.yaml"), 1);
  expect_text("out", "joint 'shoulder' needs a step of 0.00031 s or less");
}

/* Names are the robot's own: what they hold is no part of the scene. */
static void names_do_not_break_a_printed_scene(void **state) {
  (void)state;
  write_text("leg.urdf", "<robot name='a&#10;b: c'>" PART("trunk", "1", "") PART("shank", "1", "")
                             HINGE("k&quot;nee\\x", "revolute", "trunk", "shank", "0") "</robot>");
  assert_int_equal(footfall("check", "leg.urdf", "--scene"), 0);
  expect_text("out", "# \"a\\nb: c\" on a floor");
  assert_int_equal(rename("out", "leg.yaml"), 0);
  assert_int_equal(footfall("check", "leg.yaml"), 0);
  write_text("leg.urdf", "<robot name='leg'>" PART("trunk", "1", "") PART("shank", "1", "")
                             HINGE("joint 1.0:*", "revolute", "trunk", "shank", "0") "</robot>");
  assert_int_equal(footfall("check", "leg.urdf", "--scene"), 0);
  expect_text("out", "\"joint 1.0:*\": {position: -1.2}");
  assert_int_equal(rename("out", "leg.yaml"), 0);
  assert_int_equal(footfall("check", "leg.yaml"), 0);
}

/* Without mass there are no gains and no load to choose. */
static void a_robot_without_mass_has_no_scene(void **state) {
  (void)state;
  write_text("leg.urdf", "<robot name='leg'><link name='trunk'/><link name='shank'/>" HINGE(
                             "knee", "revolute", "trunk", "shank", "0") "</robot>");
  assert_int_equal(footfall("check", "leg.urdf", "--scene"), 2);
  expect_text("err", "no link has a mass");
}

static void set_overrides_the_scene(void **state) {
  (void)state;
  assert_int_equal(footfall("run", "ball.yaml", "--set", "duration=0.05", "--json"), 0);
  expect_text("out", "\"time\": 0.05,");
  assert_int_equal(footfall("run", "ball.yaml", "--set", "bodies.ball.mas=2"), 2);
  expect_text("err", "did you mean 'mass'?");
  assert_int_equal(footfall("check", "ball.yaml", "--set", "bodies.ball.mass=2"), 0);
  expect_text("out", "mass 2 kg");
}

static void channel_that_is_not_there_is_bad_input(void **state) {
  (void)state;
  assert_int_equal(footfall("run", "ball.yaml", "--set", "record.channels=[body.bal.*]"), 2);
  expect_text("err", "'body.bal.*' matches no channel");
}

/* ---- results --------------------------------------------------------------------------------- */

static void good_run_prints_a_ledger(void **state) {
  (void)state;
  assert_int_equal(footfall("run", "ball.yaml"), 0);
  expect_text("out", "rk4, step 0.0001 s");
  expect_text("out", "2 touch-downs");
  expect_text("out", "lost.normal");
  expect_text("out", "residual");
  expect_text("out", "verdict    good");
  assert_string_equal(text_of("err"), ""); /* no bar where there is no terminal */
  assert_int_equal(footfall("run", "ball.yaml", "--quiet"), 0);
  assert_string_equal(text_of("out"), "");
}

static void under_resolved_run_fails_and_says_what_would_do(void **state) {
  (void)state;
  assert_int_equal(footfall("run", "ball.yaml", "--set", "stepper.kind=symplectic-euler", "--set",
                            "stepper.step=1e-3", "--set", "contacts.0.normal.k=1e9", "-o",
                            "run.csv"),
                   1);
  expect_text("out", "NOT good");
  expect_text("out", "under-resolved");
  expect_text("out", "use a step of");
  assert_true(exists("run.csv")); /* whole, to find out what happened */
}

/* An explicit stepper that creeps along for the sake of stability says so, and what to do. */
static void steps_short_for_stability_are_told(void **state) {
  (void)state;
  write_text("ball.yaml",
             "footfall: 1\n"
             "stepper: {kind: adaptive}\n"
             "duration: 0.1\n"
             "bodies:\n"
             "  floor: {fixed: true, shape: {half-space: {}}}\n"
             "  box: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0, 0, 0.0999]}\n"
             "forces: [{body: box, force: [1, 0, 0]}]\n"
             "contacts:\n"
             "  - pair: [box, floor]\n"
             "    normal: {law: hunt-crossley, k: 1e5, n: 1, alpha: 1}\n"
             "    friction: {law: continuous, mu_s: 0.5, v_t: 1e-3}\n");
  assert_int_equal(footfall("run", "ball.yaml"), 0);
  expect_text("out", "of them are limited by stability, not accuracy");
  expect_text("out", "symplectic-euler");
  assert_int_equal(footfall("run", "ball.yaml", "--set", "contacts.0.friction.v_t=0.1"), 0);
  assert_null(strstr(text_of("out"), "limited by stability"));
}

/* A ball that comes to roll on friction so steep that no explicit step is short enough. */
static void run_without_end_is_given_up(void **state) {
  (void)state;
  write_text("ball.yaml", "footfall: 1\n"
                          "stepper: {kind: adaptive, rtol: 1e-8}\n"
                          "duration: 0.15\n"
                          "bodies:\n"
                          "  floor: {fixed: true, shape: {half-space: {}}}\n"
                          "  ball: {mass: 1, shape: {sphere: {radius: 0.1}},\n"
                          "    position: [0, 0, 0.0999], velocity: [0.01, 0, 0]}\n"
                          "contacts:\n"
                          "  - pair: [ball, floor]\n"
                          "    normal: {law: hunt-crossley, k: 1e5, n: 1, alpha: 1}\n"
                          "    friction: {law: continuous, mu_s: 0.5, v_t: 1e-10}\n");
  assert_int_equal(footfall("run", "ball.yaml", "-q"), 1);
  expect_text("err", "the run would never end");
  expect_text("err", "symplectic-euler");
  assert_int_equal(
      footfall("run", "ball.yaml", "-q", "--set", "stepper={kind: symplectic-euler, step: 1e-4}"),
      0);
}

static void run_with_wrong_energy_fails_and_says_what_would_do(void **state) {
  (void)state;
  static const char *const args[] = {"stepper.step=1e-3", "contacts.0.normal.k=1e9"};
  assert_int_equal(footfall("run", "ball.yaml", "--set", args[0], "--set", args[1]), 1);
  expect_text("out", "NOT good");
  expect_text("out", "a step of");
  assert_int_equal(footfall("check", "ball.yaml", "--set", args[0], "--set", args[1]), 0);
  expect_text("out", "WARNING");
}

static void run_records_both_formats_alike(void **state) {
  (void)state;
  assert_int_equal(footfall("run", "ball.yaml", "-o", "run.csv", "-o", "run.h5"), 0);
  ff_recording *csv, *hdf5;
  assert_int_equal(ff_recording_open(&csv, "run.csv", NULL), FF_OK);
  assert_int_equal(ff_recording_open(&hdf5, "run.h5", NULL), FF_OK);
  const ff_recording_info *about = ff_recording_about(hdf5);
  assert_int_equal(ff_recording_rows(csv), 21); /* 0 to 0.2 s, every 0.01 s */
  assert_int_equal(ff_recording_rows(hdf5), 21);
  assert_int_equal(ff_recording_about(csv)->count, about->count);
  for (int i = 0; i < about->count; i++) {
    assert_string_equal(ff_recording_about(csv)->names[i], about->names[i]);
    assert_memory_equal(ff_recording_column(csv, i), ff_recording_column(hdf5, i),
                        21 * sizeof(double));
  }
  assert_close(ff_recording_column(csv, 0)[20], 0.2, 0);
  assert_non_null(strstr(about->scene, "hunt-crossley"));
  expect_json(about->summary);
  ff_recording_close(&csv);
  ff_recording_close(&hdf5);
}

static void csv_goes_to_the_standard_output(void **state) {
  (void)state;
  assert_int_equal(footfall("run", "ball.yaml", "--csv", "-"), 0);
  expect_text("err", "verdict"); /* the summary keeps out of the way */
  assert_int_equal(rename("out", "out.csv"), 0);
  ff_recording *csv;
  assert_int_equal(ff_recording_open(&csv, "out.csv", NULL), FF_OK);
  assert_int_equal(ff_recording_rows(csv), 21);
  ff_recording_close(&csv);
}

static void threads_are_asked_for(void **state) {
  (void)state;
  assert_int_equal(footfall("run", "ball.yaml", "--threads", "2"), 0);
  static const char *const bad[] = {"0", "65", "-1", "two", "2.5", ""};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(footfall("run", "ball.yaml", "--threads", bad[i]), 2);
    expect_text("err", "--threads: expected a number from 1 to 64");
  }
}

static void every_step_is_recorded_on_request(void **state) {
  (void)state;
  assert_int_equal(footfall("run", "ball.yaml", "--set", "record.every=0", "--set", "duration=0.01",
                            "-o", "run.csv"),
                   0);
  ff_recording *csv;
  assert_int_equal(ff_recording_open(&csv, "run.csv", NULL), FF_OK);
  assert_int_equal(ff_recording_rows(csv), 101);
  assert_close(ff_recording_column(csv, 0)[100], 0.01, 0);
  ff_recording_close(&csv);
}

static void json_is_json(void **state) {
  (void)state;
  assert_int_equal(footfall("run", "ball.yaml", "--json"), 0);
  expect_json(text_of("out"));
  expect_text("out", "\"verdict\": \"good\"");
  assert_int_equal(footfall("check", "ball.yaml", "--json", "--channels"), 0);
  expect_json(text_of("out"));
  expect_text("out", "\"body.ball.position.z\": \"m\"");
}

static void check_prints_what_a_run_would_use(void **state) {
  (void)state;
  assert_int_equal(footfall("check", "ball.yaml", "--channels"), 0);
  expect_text("out", "ball: free, mass 1 kg");
  expect_text("out", "floor: fixed");
  expect_text("out", "sphere, radius 0.1 m");
  expect_text("out", "ball:floor");
  expect_text("out", "hunt-crossley");
  expect_text("out", "given");
  expect_text("out", "default");
  expect_text("out", "stable step");
  expect_text("out", "energy.lost.slip");
}

static void check_of_several_ends_as_the_worst(void **state) {
  (void)state;
  assert_int_equal(footfall("check", "ball.yaml", "ball.yaml"), 0);
  assert_int_equal(footfall("check", "missing.yaml", "ball.yaml"), 2);
  expect_text("err", "missing.yaml");
  expect_text("out", "ball: free, mass 1 kg"); /* the next one is still looked at */
}

/* ---- failures -----------------------------------------------------------------------------------
 */

static void folder_that_is_not_there_fails_the_run(void **state) {
  (void)state;
  assert_int_equal(footfall("run", "ball.yaml", "-o", "run.csv", "-o", "no/such/run.h5"), 1);
  expect_text("err", "no/such/run.h5");
  expect_text("err", "No such file or directory");
  assert_false(exists("run.csv"));
  assert_int_equal(footfall("run", "ball.yaml", "-o", "run.txt"), 2);
  expect_text("err", ".csv, .h5");
}

static void full_output_fails_the_run(void **state) {
  (void)state;
  const char *const csv[] = {"footfall", "run", "ball.yaml", "--csv", "-", "-o", "run.h5", NULL};
  assert_int_equal(finish(start(csv, "/dev/full")), 1);
  assert_true(exists("run.h5")); /* what was computed until then */
  assert_false(exists("run.h5.part"));
  const char *const text[] = {"footfall", "run", "ball.yaml", NULL};
  assert_int_equal(finish(start(text, "/dev/full")), 1);
}

static bool has_temporary(void) {
  bool found = false;
  DIR *dir = opendir(".");
  for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
    found = found || strncmp(entry->d_name, ".footfall-", 10) == 0;
  }
  closedir(dir);
  return found;
}

/* Waits until the run has opened its files and has then computed for some time. Fails if it ends.
 */
static void wait_until_it_runs(pid_t child) {
  const struct timespec pause = {.tv_nsec = 2000000};
  clockid_t clock;
  struct timespec used;
  double opened = -1, now = 0;
  assert_int_equal(clock_getcpuclockid(child, &clock), 0);
  while (opened < 0 || now < opened + 0.1) {
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    assert_int_equal(clock_gettime(clock, &used), 0);
    now = (double)used.tv_sec + 1e-9 * (double)used.tv_nsec; /* CPU time, s */
    opened = opened < 0 && has_temporary() ? now : opened;
    nanosleep(&pause, NULL);
  }
}

static void stopped_run_leaves_what_it_recorded(void **state) {
  (void)state;
  const char *const args[] = {"footfall",     "run", "ball.yaml", "--set",
                              "duration=1e6", "-o",  "run.csv",   NULL};
  pid_t child = start(args, "out");
  wait_until_it_runs(child);
  kill(child, SIGINT);
  assert_int_equal(finish(child), 130);
  expect_text("err", "stopped at");
  expect_text("err", "samples were recorded, marked as incomplete");
  assert_true(exists("run.csv"));
  assert_false(exists("run.csv.part"));
  assert_false(has_temporary());
}

static void signal_is_heard_inside_a_step(void **state) {
  (void)state;
  write_text("bad.yaml", jammed(0));
  const char *const args[] = {"footfall", "run", "bad.yaml", "-o", "run.csv", NULL};
  pid_t child = start(args, "out");
  wait_until_it_runs(child);
  kill(child, SIGTERM);
  assert_int_equal(finish(child), 1);
  expect_text("err", "stopped at 0 s"); /* else: that the step could not be completed */
  assert_false(has_temporary());
}

static void bodies_that_start_in_one_another_are_warned_of(void **state) {
  (void)state;
  assert_int_equal(footfall("run", "ball.yaml", "-q"), 0); /* 10 mm above the floor */
  assert_string_equal(text_of("err"), "");
  const char *const sunk[] = {
      "footfall", "run", "ball.yaml", "-q", "--set", "bodies.ball.position=[0, 0, 0.07]", NULL};
  finish(start(sunk, "out"));
  expect_text("err", "WARNING: ball and floor initially overlap by 0.03 m, which stores");
  assert_int_equal(
      footfall("check", "ball.yaml", "--set", "bodies.ball.position=[0, 0, 0.07]", "--json"), 0);
  expect_text("out", "\"intrusions\": [");
  expect_text("out", "\"depth\": 0.03");
  assert_int_equal(footfall("check", "ball.yaml", "--set", "bodies.ball.position=[0, 0, 0.07]"), 0);
  expect_text("out", "WARNING      ball and floor initially overlap by 0.03 m");
}

static void step_that_is_given_up_names_its_bodies(void **state) {
  (void)state;
  write_text("bad.yaml", jammed(5));
  assert_int_equal(footfall("run", "bad.yaml", "-q"), 1);
  expect_text("err", "at 0 s: step could not be completed: ");
  expect_text("err", "no solution was found (with 5 bodies and");
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void) {
  const struct CMUnitTest tests[] = {
      in_folder(every_verb_has_help),
      in_folder(version_is_told),
      in_folder(bad_arguments_are_bad_input),
      in_folder(a_report_that_cannot_be_written_is_told_first),
      in_folder(names_do_not_steer_the_terminal),
      in_folder(outputs_do_not_overwrite_inputs_or_each_other),
      in_folder(missing_scene_is_bad_input),
      in_folder(bad_scene_names_the_place),
      in_folder(set_overrides_the_scene),
      in_folder(channel_that_is_not_there_is_bad_input),
      in_folder(good_run_prints_a_ledger),
      in_folder(under_resolved_run_fails_and_says_what_would_do),
      in_folder(steps_short_for_stability_are_told),
      in_folder(run_without_end_is_given_up),
      in_folder(run_with_wrong_energy_fails_and_says_what_would_do),
      in_folder(run_records_both_formats_alike),
      in_folder(csv_goes_to_the_standard_output),
      in_folder(threads_are_asked_for),
      in_folder(every_step_is_recorded_on_request),
      in_folder(json_is_json),
      in_folder(check_prints_what_a_run_would_use),
      in_folder(check_prints_a_scene_to_start_from),
      in_folder(names_do_not_break_a_printed_scene),
      in_folder(a_robot_without_its_meshes_has_a_scene),
      in_folder(a_robot_with_a_link_without_inertia_has_a_scene),
      in_folder(a_joint_that_needs_shorter_steps_is_named),
      in_folder(a_robot_without_mass_has_no_scene),
      in_folder(a_printed_scene_has_been_tried),
      in_folder(a_robot_that_tips_slowly_is_held),
      in_folder(a_printed_scene_says_where_to_save_it),
      in_folder(check_of_several_ends_as_the_worst),
      in_folder(folder_that_is_not_there_fails_the_run),
      in_folder(full_output_fails_the_run),
      in_folder(stopped_run_leaves_what_it_recorded),
      in_folder(signal_is_heard_inside_a_step),
      in_folder(bodies_that_start_in_one_another_are_warned_of),
      in_folder(step_that_is_given_up_names_its_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
