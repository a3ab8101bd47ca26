/* Robots of a scene: URDF file, initial configuration, joint drives. */
#include "footfall/robot.h"
#include "io/mesh.h"
#include "io/scene_reader.h"
#include "math/vec.h"
#include "tree/tree.h"

#include <stdio.h>
#include <string.h>

/* Contents of one robot's mapping. */
typedef struct robot_keys {
  ff_robot_def def;
  ff_robot_link *links; /* copies, with the scene's stops, springs and losses */
  double stop_stiffness, stop_dissipation;
  ff_joint_setting all; /* servo of the joints that are not named */
} robot_keys;

/* ---- file ------------------------------------------------------------------------------------ */

static ff_robot *robot_load(ff_reader *reader, const ff_node *node) {
  const char *urdf = NULL;
  char folder[FF_MESH_PATH_MAX], path[FF_MESH_PATH_MAX];
  ff_robot *robot = NULL;
  ff_reader_require(reader, node, "urdf");
  ff_get_text(reader, node, "urdf", &urdf);
  if (reader->status != FF_OK) {
    return NULL;
  }
  ff_reader_folder(reader, folder);
  static const char *const ways[] = {"error", "skip"};
  int missing = 0;
  ff_get_word(reader, node, "missing-meshes", "way", ways, FF_COUNT(ways), &missing);
  ff_status status = ff_mesh_find(path, urdf, folder, folder, reader->report);
  if (status == FF_OK && missing == 0) {
    status = ff_robot_load(&robot, path, folder, reader->report);
  } else if (status == FF_OK) {
    status = ff_robot_load_without_missing(&robot, path, folder, reader->report);
  } else if (reader->report) { /* located where the scene names the file */
    char what[sizeof reader->report->what];
    memcpy(what, reader->report->what, sizeof what);
    ff_reader_fail(reader, ff_reader_enter(reader, node, "urdf"), "%.400s", what);
    ff_reader_leave(reader);
  }
  if (status != FF_OK && reader->status == FF_OK) {
    reader->status = status;
  }
  return robot;
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* Spring and losses of the joint itself, which are those of its link: the URDF's are replaced. */
static void robot_read_own(ff_reader *reader, const ff_node *node, ff_joint_def *joint) {
  static const char *const spring_keys[] = {"stiffness", "rest"};
  static const char *const loss_keys[] = {"damping", "friction", "friction-speed"};
  const ff_node *spring = ff_reader_enter(reader, node, "spring");
  if (spring) {
    if (ff_reader_map(reader, spring, spring_keys, FF_COUNT(spring_keys))) {
      ff_get_number(reader, spring, "stiffness", 0, &joint->stiffness);
      ff_get_number(reader, spring, "rest", FF_ALLOW_ANGLE, &joint->rest);
    }
    ff_reader_leave(reader);
  }
  const ff_node *losses = ff_reader_enter(reader, node, "losses");
  if (losses) {
    if (ff_reader_map(reader, losses, loss_keys, FF_COUNT(loss_keys))) {
      ff_get_number(reader, losses, "damping", 0, &joint->damping);
      ff_get_number(reader, losses, "friction", 0, &joint->friction);
      ff_get_number(reader, losses, "friction-speed", FF_ALLOW_RATE, &joint->friction_speed);
    }
    ff_reader_leave(reader);
  }
}

/* The joint that has an axis of this name; NULL: none. */
static ff_joint_def *robot_find_joint(const robot_keys *keys, const char *name) {
  for (int i = 1; i < keys->def.link_count; i++) {
    ff_robot_link *link = &keys->links[i];
    size_t size = strlen(link->joint_name);
    for (int k = 0;
         strncmp(name, link->joint_name, size) == 0 && k < ff_joint_v_count(link->def.joint.kind);
         k++) {
      if (strcmp(name + size, ff_joint_axis_name(link->def.joint.kind, k)) == 0) {
        return &link->def.joint;
      }
    }
  }
  return NULL;
}

static void robot_read_setting(ff_reader *reader, const ff_node *node, const robot_keys *robot,
                               ff_joint_setting *to) {
  static const char *const keys[] = {"position", "velocity", "stiffness", "damping", "armature",
                                     "target",   "torque",   "explicit",  "spring",  "losses"};
  if (!ff_reader_map(reader, node, keys, FF_COUNT(keys))) {
    return;
  }
  ff_get_number(reader, node, "position", FF_ALLOW_ANGLE, &to->position);
  ff_get_number(reader, node, "velocity", FF_ALLOW_RATE, &to->velocity);
  ff_get_number(reader, node, "stiffness", 0, &to->stiffness);
  ff_get_number(reader, node, "damping", 0, &to->damping);
  ff_get_number(reader, node, "armature", 0, &to->armature);
  ff_get_table(reader, node, "target", FF_ALLOW_ANGLE, &to->target);
  ff_get_table(reader, node, "torque", 0, &to->torque);
  ff_get_flag(reader, node, "explicit", &to->explicit_drive);
  ff_joint_def *joint = robot_find_joint(robot, to->joint); /* others are errors of the model */
  if (joint) {
    robot_read_own(reader, node, joint);
  }
}

/* Joints that `servo` applies to: those that an actuator would hold. */
static bool robot_joint_is_held(const ff_robot_link *link) {
  switch (link->def.joint.kind) {
    case FF_JOINT_REVOLUTE:
    case FF_JOINT_CONTINUOUS:
    case FF_JOINT_PRISMATIC:
    case FF_JOINT_UNIVERSAL:
    case FF_JOINT_SPHERICAL: return link->def.follows == 0;
    default: return false;
  }
}

/* Settings by `servo` for the axes of a joint that are not named. */
static int robot_hold_joint(ff_reader *reader, const ff_node *joints, const ff_robot_link *link,
                            const ff_joint_setting *all, ff_joint_setting *list) {
  static const int axes[FF_JOINT_KIND_COUNT] = {[FF_JOINT_REVOLUTE] = 1,
                                                [FF_JOINT_CONTINUOUS] = 1,
                                                [FF_JOINT_PRISMATIC] = 1,
                                                [FF_JOINT_UNIVERSAL] = 2,
                                                [FF_JOINT_SPHERICAL] = 3};
  int count = 0;
  for (int k = 0; robot_joint_is_held(link) && k < axes[link->def.joint.kind]; k++) {
    char name[300];
    int size = snprintf(name, sizeof name, "%.250s%s", link->joint_name,
                        ff_joint_axis_name(link->def.joint.kind, k));
    const char *kept = ff_arena_text(reader->arena, name, (size_t)size);
    if (!kept) {
      ff_reader_take(reader, FF_ERROR_MEMORY);
    } else if (!(joints && ff_tree_find(joints, name))) {
      list[count] = *all;
      list[count++].joint = kept;
    }
  }
  return count;
}

/* Settings of all joint axes: those that are named, and the others by `servo`. */
static ff_joint_setting *robot_read_joints(ff_reader *reader, const ff_node *node,
                                           const ff_robot *robot, robot_keys *keys) {
  const ff_node *joints = ff_reader_enter(reader, node, "joints");
  int most = 3 * ff_robot_link_count(robot) + (joints ? joints->count : 0);
  ff_joint_setting *list = ff_arena_take(reader->arena, (size_t)most, sizeof *list);
  int count = 0;
  if (!list) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
  }
  for (int i = 1; list && i <= ff_robot_link_count(robot); i++) {
    ff_robot_link link = ff_robot_link_info(robot, i);
    count += i > 1 ? robot_hold_joint(reader, joints, &link, &keys->all, &list[count]) : 0;
  }
  if (joints && list && ff_reader_given_names(reader, joints, "joint")) {
    for (const ff_node *at = joints->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, 0);
      list[count] = keys->all;
      list[count].joint = at->key->text;
      robot_read_setting(reader, at, keys, &list[count++]);
      ff_reader_leave(reader);
    }
  }
  if (joints) {
    ff_reader_leave(reader);
  }
  keys->def.joints = list;
  keys->def.joint_count = count;
  return list;
}

static void robot_read_pair(ff_reader *reader, const ff_node *node, const char *key,
                            const char *first, double *a, const char *second, double *b) {
  const char *const keys[] = {first, second};
  const ff_node *map = ff_reader_enter(reader, node, key);
  if (!map) {
    return;
  }
  if (ff_reader_map(reader, map, keys, 2)) {
    ff_get_number(reader, map, first, 0, a);
    ff_get_number(reader, map, second, 0, b);
  }
  ff_reader_leave(reader);
}

static void robot_read_servo(ff_reader *reader, const ff_node *node, ff_joint_setting *to) {
  static const char *const keys[] = {"stiffness", "damping", "armature", "explicit"};
  const ff_node *map = ff_reader_enter(reader, node, "servo");
  if (!map) {
    return;
  }
  if (ff_reader_map(reader, map, keys, FF_COUNT(keys))) {
    ff_get_number(reader, map, "stiffness", 0, &to->stiffness);
    ff_get_number(reader, map, "damping", 0, &to->damping);
    ff_get_number(reader, map, "armature", 0, &to->armature);
    ff_get_flag(reader, map, "explicit", &to->explicit_drive);
  }
  ff_reader_leave(reader);
}

/* ---- robot ----------------------------------------------------------------------------------- */

/* Copy of the robot's links, with the scene's stops at all limits. */
static void robot_set_stops(ff_reader *reader, const ff_robot *robot, robot_keys *keys) {
  int count = ff_robot_link_count(robot);
  ff_robot_link *links = ff_arena_take(reader->arena, (size_t)count, sizeof *links);
  if (!links) {
    ff_reader_take(reader, FF_ERROR_MEMORY);
    return;
  }
  for (int i = 0; i < count; i++) {
    links[i] = ff_robot_link_info(robot, i + 1);
    links[i].def.joint.limit_stiffness = keys->stop_stiffness;
    links[i].def.joint.limit_dissipation = keys->stop_dissipation;
  }
  keys->links = links;
  keys->def.links = links;
}

/* Errors of the model in a link's body are located at the robot. */
static void robot_record_links(ff_reader *reader, const ff_node *node, const ff_robot *robot) {
  for (int i = 1; reader->status == FF_OK && i <= ff_robot_link_count(robot); i++) {
    char key[300];
    snprintf(key, sizeof key, "bodies.%.120s-%.120s", node->key->text,
             ff_robot_link_info(robot, i).def.name);
    ff_reader_take(reader, ff_scene_add_place(reader->scene, key, node->key->file, node->key->line,
                                              node->key->column));
  }
}

static void robot_read_base(ff_reader *reader, const ff_node *node, ff_robot_def *def) {
  static const char *const bases[] = {"free", "fixed"};
  int base = def->root == FF_JOINT_FREE ? 0 : 1;
  ff_get_word(reader, node, "base", "base", bases, 2, &base);
  def->root = base == 0 ? FF_JOINT_FREE : FF_JOINT_FIXED;
  ff_get_vec3(reader, node, "position", 0, &def->base.position);
  def->on_ground = ff_tree_find(node, "ground") != NULL;
  ff_get_number(reader, node, "ground", 0, &def->ground);
  ff_get_orientation(reader, node, &def->base.orientation);
  ff_get_vec3(reader, node, "velocity", 0, &def->velocity);
  ff_get_vec3(reader, node, "omega", FF_ALLOW_RATE, &def->omega);
  static const char *const replaced[] = {"position", "orientation", "ground",
                                         "velocity", "omega",       "controller"};
  if (ff_read_track(reader, node, &def->track)) {
    ff_reader_reject(reader, node, replaced, FF_COUNT(replaced), "a robot with a track");
  }
}

static void scene_read_robot(ff_reader *reader, const ff_node *node) {
  static const char *const known[] = {"urdf",   "base",     "position",       "orientation",
                                      "omega",  "velocity", "self-collision", "material",
                                      "stops",  "servo",    "joints",         "controller",
                                      "ground", "colour",   "track",          "missing-meshes"};
  if (!ff_reader_map(reader, node, known, FF_COUNT(known))) {
    return;
  }
  ff_robot *robot = robot_load(reader, node);
  if (!robot) {
    return;
  }
  for (int i = 0; i < ff_robot_file_count(robot); i++) {
    ff_reader_take(reader, ff_scene_add_read(reader->scene, ff_robot_file(robot, i)));
  }
  robot_keys keys = {.def = ff_robot_def_of(robot, node->key->text),
                     .all = ff_joint_setting_default()};
  robot_read_base(reader, node, &keys.def);
  ff_get_text(reader, node, "material", &keys.def.material);
  ff_get_colour(reader, node, &keys.def.colour);
  ff_get_flag(reader, node, "self-collision", &keys.def.self_collision);
  robot_read_pair(reader, node, "stops", "stiffness", &keys.stop_stiffness, "dissipation",
                  &keys.stop_dissipation);
  robot_read_servo(reader, node, &keys.all);
  robot_set_stops(reader, robot, &keys);
  ff_joint_setting *joints = robot_read_joints(reader, node, robot, &keys);
  ff_read_controller(reader, node, robot, &keys.def, joints);
  if (reader->status == FF_OK) {
    ff_reader_take(reader, ff_scene_add_robot(reader->scene, &keys.def));
    robot_record_links(reader, node, robot);
  }
  ff_robot_destroy(&robot);
}

void ff_read_robots(ff_reader *reader, const ff_node *root) {
  const ff_node *node = ff_reader_enter(reader, root, "robots");
  if (!node) {
    return;
  }
  if (ff_reader_names(reader, node, "robot")) {
    for (const ff_node *at = node->first; at && reader->status == FF_OK; at = at->next) {
      ff_reader_step(reader, at, 0);
      scene_read_robot(reader, at);
      ff_reader_leave(reader);
    }
  }
  ff_reader_leave(reader);
}
