/* footfall check ROBOT.urdf --scene: a starting scene, in which the robot stands on a floor with
 * every joint held by a servo. It is run before it is printed: with other friction, a stiffer floor
 * and shorter steps until its verdict is good, and with a fixed base if the robot tips over. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "json.h"
#include "say.h"
#include "scene_trial.h"

typedef struct stance {
  const ff_robot *robot;
  ff_robot_link *links; /* of the robot, with rotor inertia, which only matters for motion */
  ff_tree *tree;
  ff_tree_work *work;
  double *q;
  double mass;   /* kg */
  double height; /* m, of the root link above the lowest point */
  double reach;  /* m, from the root link to the farthest link */
  double lift;   /* m, of a root that is fixed to the ground, so that no shape is in the floor */
  bool stands;   /* it has a free root and shapes */
  bool skip_meshes;
} stance;

static const double gravity = 9.81; /* m/s^2 */

/* ---- tree ------------------------------------------------------------------------------------ */

/* The scene gives every joint rotor inertia, so that links without inertia of their own may be
 * moved: here any value, since only places are computed. */
static ff_status scene_build_tree(stance *s, ff_joint_kind root, ff_report *report) {
  int count = ff_robot_link_count(s->robot);
  ff_link_def *defs = ff_cli_alloc(count, sizeof *defs);
  s->links = ff_cli_alloc(count, sizeof *s->links);
  for (int i = 0; i < count; i++) {
    ff_joint_def *joint = &s->links[i].def.joint;
    s->links[i] = ff_robot_link_info(s->robot, i + 1);
    joint->armature = joint->kind == FF_JOINT_FREE ? joint->armature : 1;
    defs[i] = s->links[i].def;
  }
  defs[0].joint.kind = root;
  ff_status status = ff_tree_build(&s->tree, defs, count, report);
  free(defs);
  return status == FF_OK ? ff_tree_work_create(&s->work, s->tree) : status;
}

/* ---- posture --------------------------------------------------------------------------------- */

static ff_vec3 scene_rotated(ff_quat q, ff_vec3 v) {
  ff_vec3 t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z),
               2 * (q.x * v.y - q.y * v.x)};
  return (ff_vec3){v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
                   v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

/* Index in q of a joint with one axis that does not mimic; -1: it is not such a joint. */
static int scene_joint_q_index(const stance *s, int link) {
  ff_link_info info = ff_tree_link(s->tree, link);
  return info.follows == 0 && info.q_count == 1 ? info.q_at : -1;
}

/* Its axis in the current posture, world. */
static ff_vec3 scene_joint_axis(const stance *s, int link) {
  ff_vec3 axis = ff_robot_link_info(s->robot, link).def.joint.axis;
  ff_vec3 world = scene_rotated(ff_tree_pose(s->work, link).orientation, axis);
  double length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
  return (ff_vec3){world.x / length, world.y / length, world.z / length};
}

static double scene_clamp_to_range(const ff_joint_def *joint, double q) {
  return fmin(fmax(q, joint->lower), joint->upper);
}

/* A joint about the same axis as a bent one compensates half of its angle, so that the limb stays
 * vertical: hip and ankle of a knee. */
static void scene_compensate_bend(const stance *s, int link, int bent, double angle) {
  ff_robot_link other = ff_robot_link_info(s->robot, link);
  int at = scene_joint_q_index(s, link);
  if (at >= 0 && other.def.joint.kind != FF_JOINT_PRISMATIC) {
    ff_vec3 a = scene_joint_axis(s, bent), b = scene_joint_axis(s, link);
    double along = a.x * b.x + a.y * b.y + a.z * b.z;
    if (fabs(along) > 0.99) {
      s->q[at] = scene_clamp_to_range(&other.def.joint, -angle / 2 * along);
    }
  }
}

/* Joints whose range excludes zero bend by a fifth of their range from the nearer end; the nearest
 * joints up and down the limb about the same axis straighten it again. */
static void scene_choose_posture(stance *s) {
  int count = ff_robot_link_count(s->robot);
  ff_tree_neutral(s->tree, s->q);
  ff_tree_update(s->work, s->q, NULL);
  for (int i = 2; i <= count; i++) {
    ff_link_def def = ff_robot_link_info(s->robot, i).def;
    int at = scene_joint_q_index(s, i);
    double range = def.joint.upper - def.joint.lower;
    if (at < 0 || !isfinite(range) || (def.joint.lower <= 0 && def.joint.upper >= 0)) {
      continue;
    }
    s->q[at] = def.joint.lower > 0 ? def.joint.lower + range / 5 : def.joint.upper - range / 5;
    if (def.joint.kind == FF_JOINT_REVOLUTE) {
      scene_compensate_bend(s, def.parent, i, s->q[at]);
      for (int child = i + 1; child <= count; child++) {
        if (ff_tree_link(s->tree, child).parent == i) {
          scene_compensate_bend(s, child, i, s->q[at]);
        }
      }
    }
  }
  ff_tree_update(s->work, s->q, NULL);
}

/* ---- height of the root ---------------------------------------------------------------------- */

static int scene_list_settings(const stance *s, ff_joint_setting *list) {
  int count = 0;
  for (int i = 2; i <= ff_robot_link_count(s->robot); i++) {
    int at = scene_joint_q_index(s, i);
    if (at >= 0 && s->q[at] != 0) {
      list[count] = ff_joint_setting_default();
      list[count].joint = ff_robot_link_info(s->robot, i).joint_name;
      list[count++].position = s->q[at];
    }
  }
  return count;
}

/* Height of the root link when the robot stands on the ground in its posture. */
static ff_status scene_find_height(stance *s, ff_report *report) {
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_sim *sim = NULL;
  ff_robot_def def = ff_robot_def_of(s->robot, "robot");
  ff_joint_setting *settings = ff_cli_alloc(ff_robot_link_count(s->robot), sizeof *settings);
  def.links = s->links;
  def.joints = settings;
  def.joint_count = scene_list_settings(s, settings);
  def.on_ground = true;
  ff_status status = ff_scene_create(&scene);
  status = status == FF_OK ? ff_scene_add_robot(scene, &def) : status;
  status = status == FF_OK ? ff_model_build(&model, scene, report) : status;
  status = status == FF_OK ? ff_sim_create(&sim, model) : status;
  if (status == FF_OK) {
    ff_vec3 root = ff_sim_body(sim, (ff_body){.id = 1}).position;
    s->height = root.z;
    for (int i = 2; i <= ff_robot_link_count(s->robot); i++) {
      ff_vec3 link = ff_sim_body(sim, (ff_body){.id = i}).position;
      s->reach = fmax(s->reach, hypot(hypot(link.x - root.x, link.y - root.y), link.z - root.z));
    }
  }
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  free(settings);
  return status;
}

/* Extent of a shape below its centre, m, with this orientation. */
static double scene_shape_below(const ff_robot_shape *shape, ff_quat q) {
  ff_vec3 up = {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x),
                1 - 2 * (q.x * q.x + q.y * q.y)}; /* world z, in the shape's axes */
  ff_vec3 s = shape->size;
  switch (shape->kind) {
    case FF_SPHERE: return s.x;
    case FF_BOX: return fabs(up.x) * s.x + fabs(up.y) * s.y + fabs(up.z) * s.z;
    case FF_CAPSULE: return s.x + s.y * fabs(up.z);
    default: return s.x * hypot(up.x, up.y) + s.y * fabs(up.z); /* a cylinder */
  }
}

/* Depth of the lowest point of a robot on the ground below z = 0 in its posture. */
static double scene_find_lift(const stance *s) {
  double lowest = 0;
  for (int i = 0; i < ff_robot_shape_count(s->robot); i++) {
    ff_robot_shape shape = ff_robot_shape_info(s->robot, i);
    ff_pose link = ff_tree_pose(s->work, shape.link);
    ff_vec3 at = scene_rotated(link.orientation, shape.pose.position);
    ff_quat a = link.orientation, b = shape.pose.orientation;
    ff_quat q = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                 a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                 a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                 a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    for (int k = 0; k < shape.corner_count; k++) { /* of a mesh, in the link's frame */
      ff_vec3 corner = scene_rotated(link.orientation, shape.corners[k]);
      lowest = fmin(lowest, link.position.z + corner.z);
    }
    if (shape.corner_count == 0) {
      lowest = fmin(lowest, link.position.z + at.z - scene_shape_below(&shape, q));
    }
  }
  return -lowest;
}

/* ---- scene ----------------------------------------------------------------------------------- */

/* Length scale of the gains: the standing height of the robot; its reach, if its root is at the
 * ground; or a metre. */
static double scene_length_scale(const stance *s) {
  double height = s->height > 0.1 * s->reach ? s->height : s->reach;
  return height > 0 ? height : 1;
}

/* Gains of the servos of joints that turn, and of those that slide. They bear the weight of the
 * robot at an angle of a quarter of a radian, or a quarter of its length. */
typedef struct scene_gains {
  double stiffness, damping, armature; /* N m/rad, N m s/rad, kg m^2; or N/m, N s/m, kg */
} scene_gains;

/* Rotor inertia: what the damping brings to rest within a step, so that links that weigh next to
 * nothing (fingers, feet) do not follow the servo faster than explicit steps resolve. */
static scene_gains scene_gains_of(const stance *s, const scene_choice *choice, bool slides) {
  double length = scene_length_scale(s), scale = slides ? 1 / (length * length) : 1;
  double stiffness = 4 * s->mass * gravity * length * choice->servo * scale;
  double damping = 0.3 * stiffness * sqrt(length / gravity);
  return (scene_gains){stiffness, damping, damping * choice->step};
}

static void scene_print_gains(const scene_gains *gains, FILE *out) {
  ff_cli_say(out, "stiffness: %.3g, damping: %.3g, armature: %.3g", gains->stiffness,
             gains->damping, gains->armature);
}

/* Joints that do not start at 0, and those that slide. */
static void scene_print_joints(const stance *s, const scene_choice *choice, FILE *out) {
  const scene_gains gains = scene_gains_of(s, choice, true);
  bool first = true;
  for (int i = 2; i <= ff_robot_link_count(s->robot); i++) {
    ff_robot_link link = ff_robot_link_info(s->robot, i);
    int at = scene_joint_q_index(s, i);
    bool slides = link.def.joint.kind == FF_JOINT_PRISMATIC;
    if (at < 0 || (s->q[at] == 0 && !slides)) {
      continue;
    }
    fputs(first ? "    joints:\n      " : "      ", out);
    ff_json_quote(out, link.joint_name);
    fputs(": {", out);
    if (s->q[at] != 0) {
      ff_cli_say(out, "position: %.4g%s", s->q[at], slides ? ", " : "");
    }
    if (slides) {
      scene_print_gains(&gains, out);
    }
    fputs("}\n", out);
    first = false;
  }
}

/* The floor deflects by a few millimetres: soft enough for light feet at the step above. */
static void scene_print_contact(const stance *s, const scene_choice *choice, FILE *out) {
  double k = 2000 * s->mass * choice->stiffness;
  ff_cli_say(out, "bodies:\n  floor: {fixed: true, shape: {half-space: {}}}\n");
  ff_cli_say(out, "contacts:\n  - pair: [robot, floor]\n");
  ff_cli_say(out, "    normal: {law: hunt-crossley, k: %.3g, n: 1, alpha: 0.5}\n", k);
  if (choice->bristle) {
    ff_cli_say(out, "    friction: {law: bristle-clutch, K: %.3g, D: %.3g, mu: 0.8}\n", k, k / 100);
  } else {
    ff_cli_say(out, "    friction: {law: coulomb, mu_static: 0.8}\n");
  }
}

static void scene_print_place(const stance *s, const scene_choice *choice, FILE *out) {
  if (choice->fixed) {
    ff_cli_say(out, "    base: fixed # free, it tips over\n    position: [0, 0, %.6g]\n",
               s->height);
  } else if (s->stands) {
    ff_cli_say(out, "    ground: 0   # its lowest point touches the floor: its root is at %.6g m\n",
               s->height);
  } else if (s->lift > 0) {
    ff_cli_say(out, "    position: [0, 0, %.6g] # nothing is below the floor\n", s->lift);
  }
}

static void scene_print(const void *context, const scene_choice *choice, const char *path,
                        FILE *out) {
  const stance *s = context;
  const scene_gains gains = scene_gains_of(s, choice, false);
  ff_cli_say(out, "footfall: 1\nstepper: {kind: symplectic-euler, step: %g}\nduration: 2\n",
             choice->step);
  ff_cli_say(out, "robots:\n  robot:\n    urdf: ");
  ff_json_quote(out, path);
  fputs(s->skip_meshes ? "\n    missing-meshes: skip\n" : "\n", out);
  scene_print_place(s, choice, out);
  fputs("    servo: {", out);
  scene_print_gains(&gains, out);
  fputs("}\n", out);
  scene_print_joints(s, choice, out);
  if (ff_robot_shape_count(s->robot) > 0) {
    scene_print_contact(s, choice, out);
  }
}

/* Cuts a folder, which ends with a slash, down to what it shares with a file. */
static void scene_common_folder(char *folder, const char *file) {
  size_t same = 0;
  while (folder[same] && folder[same] == file[same]) {
    same++;
  }
  while (same > 0 && folder[same - 1] != '/') {
    same--;
  }
  folder[same] = 0;
}

/* Where the scene must be saved, since it reads no files outside its folder: the current folder if
 * all files of the robot are in it, else the one that they share, which a comment names. Returns
 * the robot's file as seen from there, in `file`. */
static const char *scene_print_folder(const ff_robot *robot, const char *path,
                                      char file[static PATH_MAX]) {
  char here[PATH_MAX], folder[PATH_MAX], other[PATH_MAX];
  if (!getcwd(here, sizeof here) || !realpath(path, file)) {
    return path;
  }
  memcpy(folder, file, strlen(file) + 1);
  strrchr(folder, '/')[1] = 0;
  for (int i = 0; i < ff_robot_file_count(robot); i++) {
    if (realpath(ff_robot_file(robot, i), other)) {
      scene_common_folder(folder, other);
    }
  }
  size_t size = strcmp(here, "/") == 0 ? 0 : strlen(here);
  if (strncmp(folder, here, size) == 0 && folder[size] == '/') {
    return file + size + 1;
  }
  ff_cli_say(stdout, "# Save it in %s: a scene reads files in its folder and below only.\n",
             folder);
  return file + strlen(folder);
}

static void scene_print_tried(const stance *s, const scene_trial *trial, const char *path) {
  fputs("# ", stdout);
  ff_json_quote(stdout, ff_robot_name(s->robot));
  puts(" on a floor, every joint held by a servo: a starting scene.");
  if (trial->good && trial->whole) {
    puts("# It was run before it was printed: its verdict is good.");
  } else if (trial->good && !trial->fallen) {
    ff_cli_say(stdout,
               "# Its first %.3g s were run before it was printed, with a good verdict. Then the "
               "work allowed to a trial ended.\n",
               trial->time);
  } else {
    ff_cli_say(stdout, "# It was run before it was printed, and its verdict is not good: %s\n",
               trial->reason);
    if (trial->spent) {
      puts("# The work allowed to trials ended before all floors, steps and servos were tried.");
    }
  }
  char file[PATH_MAX];
  const char *seen = scene_print_folder(s->robot, path, file);
  scene_print(s, &trial->choice, seen, stdout);
}

int ff_cli_check_scene(const ff_robot *robot, const char *path, bool skip_meshes) {
  ff_joint_kind root = ff_robot_def_of(robot, "robot").root;
  stance s = {.robot = robot,
              .skip_meshes = skip_meshes,
              .stands = root == FF_JOINT_FREE && ff_robot_shape_count(robot) > 0};
  ff_report report;
  memset(&report, 0, sizeof report);
  ff_status status = scene_build_tree(&s, root, &report);
  if (status == FF_OK && ff_tree_mass(s.tree) == 0) {
    snprintf(report.file, sizeof report.file, "%s", path);
    snprintf(report.what, sizeof report.what,
             "no link has a mass: give those that move an <inertial>");
    status = FF_ERROR_INPUT;
  }
  if (status == FF_OK) {
    s.q = ff_cli_alloc(ff_tree_q_count(s.tree) + 1, sizeof *s.q);
    s.mass = ff_tree_mass(s.tree);
    scene_choose_posture(&s);
    status = s.stands ? scene_find_height(&s, &report) : FF_OK;
    s.lift = s.stands ? 0 : scene_find_lift(&s);
  }
  if (status == FF_OK) {
    scene_trial trial = scene_try(scene_print, &s, path, s.stands);
    scene_print_tried(&s, &trial, path);
  }
  free(s.q);
  free(s.links);
  ff_tree_work_destroy(&s.work);
  ff_tree_destroy(&s.tree);
  return status == FF_OK ? FF_EXIT_GOOD : ff_cli_fail(status, &report);
}
