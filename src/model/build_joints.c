/* Joint axes of a robot: initial values, drives and limits. */
#include "base/report.h"
#include "math/vec.h"
#include "model/build.h"
#include "tree/tree.h"

#include <stdio.h>
#include <string.h>

/* Fraction of its speed limit over which the effort of a drive fades to zero. */
static const double FADE = 0.02;

double ff_axis_position(const ff_model_joint *joint, const double *q) {
  const double *at = q + joint->q_at;
  switch (joint->form) {
    case FF_AXIS_PLAIN: return joint->factor * at[0] + joint->offset;
    case FF_AXIS_SLIDE: return at[joint->part];
    case FF_AXIS_TURN: break;
  }
  double turn[3];
  v3_store(turn, q_log((ff_quat){at[0], at[1], at[2], at[3]}));
  return turn[joint->part];
}

/* ---- list ------------------------------------------------------------------------------------ */

static ff_model_joint joint_axis(const ff_robot_link *link, const ff_link_info *info, int k) {
  ff_joint_kind kind = info->kind;
  bool turns = kind == FF_JOINT_SPHERICAL || (kind == FF_JOINT_FREE && k < 3);
  ff_model_joint axis = {.q_at = info->q_at + k,
                         .v_at = info->v_at + k,
                         .part = k % 3,
                         .follows = info->follows > 0,
                         .factor = info->factor,
                         .offset = info->offset,
                         .effort = link->effort,
                         .speed = link->speed,
                         .soft_lower = link->soft_lower,
                         .soft_upper = link->soft_upper,
                         .safety_position = link->safety_position,
                         .safety_speed = link->safety_speed};
  axis.slides = kind == FF_JOINT_PRISMATIC || (kind == FF_JOINT_PLANAR && k < 2) ||
                (kind == FF_JOINT_FREE && k >= 3);
  if (turns) {
    axis.form = FF_AXIS_TURN;
    axis.q_at = info->q_at + info->q_count - 4;
  } else if (kind == FF_JOINT_FREE) {
    axis.form = FF_AXIS_SLIDE;
    axis.q_at = info->q_at;
  }
  if (axis.safety_speed == 0 && isfinite(axis.speed) && isfinite(axis.effort)) {
    axis.safety_speed = axis.effort / (FADE * axis.speed);
  }
  return axis;
}

/* All axes except those of a free root, in the order of the tree. */
static ff_status joint_list_axes(ff_build *build, const ff_scene_robot *from, ff_model_robot *to) {
  ff_model_joint *joints = ff_build_take(build, to->tree->s_count, sizeof *joints);
  if (!joints) {
    return FF_ERROR_MEMORY;
  }
  to->joints = joints;
  for (int i = 0; i < from->def.link_count; i++) {
    ff_link_info info = ff_tree_link(to->tree, i + 1);
    const ff_robot_link *link = &from->def.links[i];
    bool root = info.kind == FF_JOINT_FREE && info.parent == 0;
    for (int k = 0; !root && k < info.v_count; k++) {
      char name[300];
      int size = snprintf(name, sizeof name, "%.250s%s", link->joint_name ? link->joint_name : "",
                          ff_joint_axis_name(info.kind, k));
      ff_model_joint *axis = &joints[to->joint_count++];
      *axis = joint_axis(link, &info, k);
      axis->name = ff_arena_text(&build->model->arena, name, (size_t)size);
      if (!axis->name) {
        return FF_ERROR_MEMORY;
      }
    }
  }
  return FF_OK;
}

/* ---- settings of the scene ------------------------------------------------------------------- */

static ff_status joint_report(ff_build *build, const ff_scene_robot *robot, const char *joint,
                              const char *what) {
  ff_report_what(build->report, "%s", what);
  ff_report_key(build->report, "robots.%.60s.joints.%.100s", robot->def.name, joint);
  return FF_ERROR_INPUT;
}

/* Is this the name of the k-th axis of the link's joint? */
static bool joint_is_named(const ff_robot_link *link, int k, const char *name) {
  const char *joint = link->joint_name ? link->joint_name : "";
  size_t size = strlen(joint);
  return strncmp(name, joint, size) == 0 &&
         strcmp(name + size, ff_joint_axis_name(link->def.joint.kind, k)) == 0;
}

ff_status ff_build_rotors(ff_build *build, const ff_scene_robot *from, double *rotors) {
  int axes = from->def.link_count * FF_JOINT_DOF;
  for (int i = 0; i < axes; i++) {
    rotors[i] = NAN;
  }
  for (int i = 0, at = FF_JOINT_DOF % axes; i < from->def.joint_count; i++) {
    const ff_joint_setting *setting = &from->def.joints[i];
    if (isnan(setting->armature)) {
      continue;
    }
    if (!(setting->armature >= 0 && isfinite(setting->armature))) {
      char key[200];
      snprintf(key, sizeof key, "%.90s.armature", setting->joint);
      return joint_report(build, from, key, "rotor inertia must be finite and not negative");
    }
    for (int tried = 0; tried < axes; tried++, at = (at + 1) % axes) {
      const ff_robot_link *link = &from->def.links[at / FF_JOINT_DOF];
      int k = at % FF_JOINT_DOF;
      if (k < ff_joint_v_count(link->def.joint.kind) && joint_is_named(link, k, setting->joint)) {
        rotors[at] = setting->armature;
        break;
      }
    }
  }
  return FF_OK;
}

static ff_status joint_apply_setting(ff_build *build, const ff_scene_robot *from,
                                     const ff_joint_setting *setting, ff_model_joint *joint,
                                     double *v) {
  char key[200];
  const double numbers[] = {setting->position, setting->velocity, setting->stiffness,
                            setting->damping};
  for (int i = 0; i < 4; i++) {
    if (!isfinite(numbers[i]) || (i > 1 && numbers[i] < 0)) {
      return joint_report(build, from, setting->joint,
                          "numbers must be finite, stiffness and damping not negative");
    }
  }
  if (joint->follows) {
    return joint_report(build, from, setting->joint,
                        "mimics another joint: set the position and drive of that joint");
  }
  joint->start = setting->position;
  v[joint->v_at] = setting->velocity;
  joint->stiffness = setting->stiffness;
  joint->damping = setting->damping;
  joint->explicit_drive = setting->explicit_drive;
  ff_table target = setting->target;
  const double here[2] = {0, setting->position};
  if (target.rows == 0) {
    target = (ff_table){here, 1, 1};
  }
  snprintf(key, sizeof key, "robots.%.60s.joints.%.60s.target", from->def.name, setting->joint);
  ff_status status = ff_build_table(build, &joint->target, &target, 1, key);
  snprintf(key, sizeof key, "robots.%.60s.joints.%.60s.torque", from->def.name, setting->joint);
  status =
      status == FF_OK ? ff_build_table(build, &joint->torque, &setting->torque, 1, key) : status;
  joint->steady = status == FF_OK && joint->torque.rows == 0 && joint->target.rows == 1;
  return status;
}

static ff_status joint_apply_settings(ff_build *build, const ff_scene_robot *from,
                                      ff_model_robot *to, double *v) {
  ff_model_joint *joints = (ff_model_joint *)to->joints;
  for (int i = 0, k = 0; i < from->def.joint_count; i++) {
    const ff_joint_setting *setting = &from->def.joints[i];
    int tried = 0; /* settings are usually in tree order */
    while (tried < to->joint_count && strcmp(joints[k].name, setting->joint) != 0) {
      k = (k + 1) % to->joint_count;
      tried++;
    }
    if (tried == to->joint_count) {
      return joint_report(build, from, setting->joint,
                          "the robot has no such joint; axes of joints with several are named "
                          "JOINT-rx, JOINT-x and so on");
    }
    ff_status status = joint_apply_setting(build, from, setting, &joints[k], v);
    if (status != FF_OK) {
      return status;
    }
  }
  return FF_OK;
}

/* Coordinates of the initial positions. */
static void joint_place_axes(const ff_model_robot *robot, double *q) {
  for (int i = 0; i < robot->joint_count; i++) {
    const ff_model_joint *joint = &robot->joints[i];
    double *at = q + joint->q_at;
    if (joint->form == FF_AXIS_PLAIN && !joint->follows) {
      at[0] = joint->start;
    } else if (joint->form == FF_AXIS_SLIDE) {
      at[joint->part] = joint->start;
    } else if (joint->form == FF_AXIS_TURN && joint->part == 0) {
      ff_quat turn = q_exp(v3(joint[0].start, joint[1].start, joint[2].start));
      at[0] = turn.w;
      v3_store(at + 1, v3(turn.x, turn.y, turn.z));
    }
  }
}

ff_status ff_build_joints(ff_build *build, const ff_scene_robot *from, ff_model_robot *to,
                          double *q, double *v) {
  ff_status status = joint_list_axes(build, from, to);
  status = status == FF_OK ? joint_apply_settings(build, from, to, v) : status;
  if (status == FF_OK) {
    joint_place_axes(to, q);
  }
  return status;
}
