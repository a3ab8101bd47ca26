/* footfall check ROBOT.urdf: the tree, masses, inertias, and warnings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "say.h"

enum { DEEPEST = 24 }; /* levels of indentation */

typedef struct robot_job {
  const char *path;
  ff_robot *robot;
  int *depth;         /* of each link */
  char problem[1600]; /* why it cannot be simulated; "" otherwise */
} robot_job;

static double total_mass(const ff_robot *robot) {
  double mass = 0;
  for (int i = 1; i <= ff_robot_link_count(robot); i++) {
    mass += ff_robot_link_info(robot, i).def.mass;
  }
  return mass;
}

static int moving_joints(const ff_robot *robot) {
  int count = 0;
  for (int i = 1; i <= ff_robot_link_count(robot); i++) {
    count += ff_robot_link_info(robot, i).def.joint.kind != FF_JOINT_FIXED;
  }
  return count;
}

/* Tries to build its tree. */
static void try_tree(robot_job *job) {
  ff_joint_kind root = ff_robot_def_of(job->robot, "robot").root;
  ff_tree *tree = NULL;
  ff_report report;
  memset(&report, 0, sizeof report);
  if (ff_robot_tree(&tree, job->robot, root, &report) != FF_OK) {
    ff_report_text(&report, job->problem, sizeof job->problem);
  }
  ff_tree_destroy(&tree);
}

/* ---- text output ----------------------------------------------------------------------------- */

static void robot_print_joint(const ff_robot *robot, const ff_robot_link *link) {
  static const char *const ways[FF_JOINT_KIND_COUNT] = {[FF_JOINT_REVOLUTE] = "about",
                                                        [FF_JOINT_CONTINUOUS] = "about",
                                                        [FF_JOINT_PRISMATIC] = "along",
                                                        [FF_JOINT_UNIVERSAL] = "about",
                                                        [FF_JOINT_PLANAR] = "across"};
  const ff_joint_def *joint = &link->def.joint;
  ff_cli_say(stdout, "  by %s '%s'", ff_joint_kind_name(joint->kind), link->joint_name);
  bool axis = joint->kind != FF_JOINT_FIXED && joint->kind != FF_JOINT_FREE &&
              joint->kind != FF_JOINT_SPHERICAL;
  if (axis) {
    ff_cli_say(stdout, " %s (%.4g, %.4g, %.4g)", ways[joint->kind], joint->axis.x, joint->axis.y,
               joint->axis.z);
  }
  if (isfinite(joint->lower) && axis) {
    ff_cli_say(stdout, ", %.4g to %.4g", joint->lower, joint->upper);
  }
  if (isfinite(link->effort) && axis) {
    ff_cli_say(stdout, ", effort %.4g, speed %.4g", link->effort, link->speed);
  }
  if (link->def.follows > 0) {
    ff_cli_say(stdout, ", mimics '%s' times %.4g plus %.4g",
               ff_robot_link_info(robot, link->def.follows).joint_name, link->def.factor,
               link->def.offset);
  }
}

static void robot_print_link(const robot_job *job, int i) {
  ff_robot_link link = ff_robot_link_info(job->robot, i);
  int depth = job->depth[i] < DEEPEST ? job->depth[i] : DEEPEST;
  ff_cli_say(stdout, "  %*s%s", 2 * depth, "", link.def.name);
  if (i > 1) {
    robot_print_joint(job->robot, &link);
  }
  ff_cli_say(stdout, "\n");
  if (link.def.mass > 0) {
    const ff_mat3 *m = &link.def.inertia;
    ff_cli_say(stdout, "  %*s  mass %.6g kg at (%.4g, %.4g, %.4g) m\n", 2 * depth, "",
               link.def.mass, link.def.com.x, link.def.com.y, link.def.com.z);
    ff_cli_say(
        stdout, "  %*s  inertia xx %.4g, yy %.4g, zz %.4g, xy %.4g, xz %.4g, yz %.4g kg m^2\n",
        2 * depth, "", m->m[0][0], m->m[1][1], m->m[2][2], m->m[0][1], m->m[0][2], m->m[1][2]);
  }
}

static void robot_print_solid(const ff_robot_shape *shape) {
  ff_vec3 size = shape->size;
  switch (shape->kind) {
    case FF_SPHERE: ff_cli_say(stdout, "sphere, radius %.4g m\n", size.x); break;
    case FF_BOX:
      ff_cli_say(stdout, "box, %.4g x %.4g x %.4g m\n", 2 * size.x, 2 * size.y, 2 * size.z);
      break;
    case FF_CYLINDER:
      ff_cli_say(stdout, "cylinder, radius %.4g m, height %.4g m\n", size.x, 2 * size.y);
      break;
    default:
      ff_cli_say(stdout, "%s, radius %.4g m, length %.4g m\n", ff_shape_kind_name(shape->kind),
                 size.x, 2 * size.y);
  }
}

static void robot_print_shapes(const ff_robot *robot) {
  ff_cli_say(stdout, "\ncollision shapes\n");
  for (int i = 0; i < ff_robot_shape_count(robot); i++) {
    ff_robot_shape shape = ff_robot_shape_info(robot, i);
    ff_cli_say(stdout, "  %s: ", ff_robot_link_info(robot, shape.link).def.name);
    if (shape.mesh) {
      ff_cli_say(stdout, "mesh %s, hull of %d vertices", shape.file, shape.corner_count);
      if (shape.error > 0) {
        ff_cli_say(stdout, " within %.2g m", shape.error);
      }
      ff_cli_say(stdout, ", box %.4g x %.4g x %.4g m\n", 2 * shape.size.x, 2 * shape.size.y,
                 2 * shape.size.z);
    } else {
      robot_print_solid(&shape);
    }
  }
}

static void robot_print_text(const robot_job *job) {
  const ff_robot *robot = job->robot;
  ff_cli_say(stdout, "robot        %s\n", ff_robot_name(robot));
  ff_cli_say(stdout, "links        %d, with %d moving joints\n", ff_robot_link_count(robot),
             moving_joints(robot));
  ff_cli_say(stdout, "mass         %.6g kg\n", total_mass(robot));
  ff_cli_say(stdout, "base         %s\n",
             ff_robot_def_of(robot, "robot").root == FF_JOINT_FREE ? "free"
                                                                   : "fixed to the ground");
  ff_cli_say(stdout, "\ntree\n");
  for (int i = 1; i <= ff_robot_link_count(robot); i++) {
    robot_print_link(job, i);
  }
  if (ff_robot_shape_count(robot) > 0) {
    robot_print_shapes(robot);
  }
  ff_cli_say(stdout, "\nwarnings\n");
  for (int i = 0; i < ff_robot_note_count(robot); i++) {
    ff_cli_say(stdout, "  %s\n", ff_robot_note(robot, i));
  }
  if (job->problem[0]) {
    ff_cli_say(stdout, "  cannot be simulated: %s\n", job->problem);
  }
  if (ff_robot_note_count(robot) == 0 && !job->problem[0]) {
    ff_cli_say(stdout, "  none\n");
  }
}

/* ---- JSON output ----------------------------------------------------------------------------- */

static void robot_json_link(ff_json *json, const robot_job *job, int i) {
  ff_robot_link link = ff_robot_link_info(job->robot, i);
  const ff_joint_def *joint = &link.def.joint;
  ff_json_open(json, NULL, '{');
  ff_json_text(json, "name", link.def.name);
  ff_json_text(json, "parent",
               link.def.parent ? ff_robot_link_info(job->robot, link.def.parent).def.name : NULL);
  ff_json_number(json, "mass", link.def.mass);
  ff_json_numbers(json, "com", (const double[]){link.def.com.x, link.def.com.y, link.def.com.z}, 3);
  ff_json_numbers(json, "inertia", &link.def.inertia.m[0][0], 9);
  ff_json_text(json, "joint", link.joint_name);
  ff_json_text(json, "kind", ff_joint_kind_name(joint->kind));
  ff_json_numbers(json, "axis", (const double[]){joint->axis.x, joint->axis.y, joint->axis.z}, 3);
  ff_json_number(json, "lower", joint->lower);
  ff_json_number(json, "upper", joint->upper);
  ff_json_number(json, "effort", link.effort);
  ff_json_number(json, "speed", link.speed);
  if (link.def.follows > 0) {
    ff_json_text(json, "mimics", ff_robot_link_info(job->robot, link.def.follows).joint_name);
    ff_json_number(json, "factor", link.def.factor);
    ff_json_number(json, "offset", link.def.offset);
  }
  ff_json_close(json, '}');
}

static void robot_print_json(const robot_job *job) {
  ff_json json = {.out = stdout};
  ff_json_open(&json, NULL, '{');
  ff_json_text(&json, "robot", ff_robot_name(job->robot));
  ff_json_number(&json, "mass", total_mass(job->robot));
  ff_json_open(&json, "links", '[');
  for (int i = 1; i <= ff_robot_link_count(job->robot); i++) {
    robot_json_link(&json, job, i);
  }
  ff_json_close(&json, ']');
  ff_json_open(&json, "notes", '[');
  for (int i = 0; i < ff_robot_note_count(job->robot); i++) {
    ff_json_text(&json, NULL, ff_robot_note(job->robot, i));
  }
  ff_json_close(&json, ']');
  ff_json_text(&json, "problem", job->problem);
  ff_json_close(&json, '}');
}

int ff_cli_check_robot(const char *path, const char *root, bool skip_meshes, ff_cli_form as) {
  robot_job job = {.path = path};
  ff_report report;
  memset(&report, 0, sizeof report);
  ff_status status = (skip_meshes ? ff_robot_load_without_missing : ff_robot_load)(&job.robot, path,
                                                                                   root, &report);
  if (status != FF_OK) {
    return ff_cli_fail_reading(status, &report);
  }
  if (as == FF_CLI_SCENE) {
    int code = ff_cli_check_scene(job.robot, path, skip_meshes);
    ff_robot_destroy(&job.robot);
    return code;
  }
  int count = ff_robot_link_count(job.robot);
  job.depth = ff_cli_alloc(count + 1, sizeof *job.depth);
  for (int i = 1; i <= count; i++) {
    int parent = ff_robot_link_info(job.robot, i).def.parent;
    job.depth[i] = parent > 0 ? job.depth[parent] + 1 : 0;
  }
  try_tree(&job);
  (as == FF_CLI_JSON ? robot_print_json : robot_print_text)(&job);
  free(job.depth);
  ff_robot_destroy(&job.robot);
  return FF_EXIT_GOOD;
}
