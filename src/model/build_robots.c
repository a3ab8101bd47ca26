/* Robots: trees, initial configuration, effective inertia of links. */
#include "base/report.h"
#include "model/build.h"
#include "model/links.h"
#include "model/state.h"
#include "tree/tree.h"

#include <stdio.h>
#include <string.h>

static ff_status robot_report(ff_build *build, const ff_scene_robot *robot, const char *key,
                              const char *what) {
  ff_report_what(build->report, "%s", what);
  ff_report_key(build->report, "robots.%s%s%s", robot->def.name ? robot->def.name : "",
                key[0] ? "." : "", key);
  return FF_ERROR_INPUT;
}

int ff_robot_rigid_parent(const ff_model *model, const ff_model_body *body) {
  const ff_model_robot *robot = &model->robots[body->robot];
  int first = model->bodies[body->rigid].link; /* first link of its rigid group */
  int parent = ff_tree_link(robot->tree, first).parent;
  return parent > 0 ? model->bodies[robot->first_body + parent - 1].rigid : -1;
}

/* ---- tree ------------------------------------------------------------------------------------ */

static ff_status robot_build_tree(ff_build *build, const ff_scene_robot *from, ff_model_robot *to) {
  int count = from->def.link_count;
  ff_link_def *links = ff_arena_take(&build->scratch, (size_t)count, sizeof *links);
  size_t axes = (size_t)count * FF_JOINT_DOF;
  double *rotors = ff_arena_take(&build->scratch, axes, sizeof *rotors);
  if (!links || !rotors) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < count; i++) {
    links[i] = from->def.links[i].def;
  }
  double norm = q_norm(from->def.base.orientation);
  if (!v3_finite(from->def.base.position) || !isfinite(norm) || norm == 0) {
    return robot_report(build, from, "position", "position and orientation must be finite");
  }
  links[0].joint.kind = from->def.root;
  bool carried = from->def.track.poses.rows > 0; /* then link 0 is where the track is */
  if (from->def.root != FF_JOINT_FREE &&
      !carried) { /* otherwise the free joint's q holds the pose */
    links[0].joint.frame = from->def.base;
  }
  ff_status status = ff_build_rotors(build, from, rotors);
  if (status != FF_OK) {
    return status;
  }
  status = ff_tree_build_rotors(&to->tree, links, count, rotors, build->report);
  if (status == FF_ERROR_INPUT && build->report) {
    char key[sizeof build->report->key];
    memcpy(key, build->report->key, sizeof key);
    ff_report_key(build->report, "robots.%s.%s", from->def.name, key);
  }
  return status;
}

/* ---- initial configuration ------------------------------------------------------------------- */

static ff_status robot_set_start(ff_build *build, const ff_scene_robot *from, ff_model_robot *to) {
  to->q_count = ff_tree_q_count(to->tree);
  to->v_count = ff_tree_v_count(to->tree);
  double *q = ff_build_take(build, to->q_count + to->v_count + 1, sizeof *q);
  if (!q) {
    return FF_ERROR_MEMORY;
  }
  double *v = q + to->q_count;
  to->start_q = q;
  to->start_v = v;
  ff_tree_neutral(to->tree, q);
  if (!v3_finite(from->def.velocity) || !v3_finite(from->def.omega)) {
    return robot_report(build, from, "velocity", "velocity and omega must be finite");
  }
  const ff_track *track;
  char key[128];
  snprintf(key, sizeof key, "robots.%.80s.track", from->def.name);
  ff_status status = ff_build_track(build, &track, &from->def.track, key);
  to->track = from->def.root == FF_JOINT_FREE ? NULL : track;
  if (status != FF_OK) {
    return status;
  }
  if (from->def.root == FF_JOINT_FREE) {
    ff_track_point start = {.pose = {from->def.base.position, q_unit(from->def.base.orientation)},
                            .velocity = from->def.velocity,
                            .omega = from->def.omega};
    start = track ? ff_track_at(track, 0) : start;
    ff_quat turn = start.pose.orientation;
    v3_store(q, start.pose.position);
    q[3] = turn.w;
    v3_store(q + 4, v3(turn.x, turn.y, turn.z));
    v3_store(v, q_unrotate(turn, start.omega));
    v3_store(v + 3, q_unrotate(turn, start.velocity));
  }
  return ff_build_joints(build, from, to, q, v);
}

/* Initial poses and velocities of the links. */
static void robot_place_links(ff_build *build, const ff_model_robot *robot, ff_tree_work *work) {
  if (robot->track) {
    ff_tree_base base = ff_robot_base_at(robot, 0);
    ff_tree_set_base(work, &base);
  }
  ff_tree_update(work, robot->start_q, robot->start_v);
  for (int i = 0; i < robot->link_count; i++) {
    ff_model_body *body = &build->bodies[robot->first_body + i];
    ff_pose pose = ff_tree_pose(work, i + 1);
    body->start = pose_mul(pose, body->frame);
    body->omega = ff_tree_omega(work, i + 1);
    ff_vec3 arm = v3_sub(body->start.position, pose.position);
    body->velocity = v3_add(ff_tree_velocity(work, i + 1), v3_cross(body->omega, arm));
  }
}

/* Height of the lowest point of its shapes; INFINITY: no shapes. */
static double robot_lowest_point(const ff_build *build, const ff_model_robot *robot) {
  double low = INFINITY;
  for (int i = 0; i < robot->link_count; i++) {
    const ff_model_body *body = &build->bodies[robot->first_body + i];
    for (int k = body->first_shape; k < body->first_shape + body->shape_count; k++) {
      const ff_model_shape *shape = &build->model->shapes[k];
      ff_pose pose = pose_mul(body->start, shape->pose);
      ff_vec3 down = q_unrotate(pose.orientation, v3(0, 0, -1));
      low = fmin(low, pose_point(pose, ff_geom_support(&shape->geom, down)).z);
    }
  }
  return low;
}

/* Moves the robot vertically until its lowest point is on the ground. */
static ff_status robot_put_on_ground(ff_build *build, const ff_scene_robot *from,
                                     ff_model_robot *robot, ff_tree_work *work) {
  double low = robot_lowest_point(build, robot);
  if (from->def.root != FF_JOINT_FREE || !isfinite(low)) {
    return robot_report(build, from, "ground", "needs a robot with a free root and shapes");
  }
  if (!isfinite(from->def.ground)) {
    return robot_report(build, from, "ground", "must be a finite height");
  }
  ((double *)robot->start_q)[2] += from->def.ground - low;
  robot_place_links(build, robot, work);
  return FF_OK;
}

/* Links connected by fixed joints form a rigid group, identified by its first link. */
static void robot_group_links(ff_build *build, const ff_model_robot *robot, int index) {
  for (int i = 0; i < robot->link_count; i++) {
    ff_link_info info = ff_tree_link(robot->tree, i + 1);
    ff_model_body *body = &build->bodies[robot->first_body + i];
    bool fixed = info.kind == FF_JOINT_FIXED && info.parent > 0;
    body->robot = index;
    body->link = i + 1;
    body->rigid =
        fixed ? build->bodies[robot->first_body + info.parent - 1].rigid : robot->first_body + i;
  }
}

static ff_status robot_inverse_inertias(ff_build *build, const ff_scene_robot *from,
                                        const ff_model_robot *robot) {
  double *ease = ff_build_take(build, 36 * robot->link_count, sizeof *ease);
  ff_status status = ease ? ff_links_inverse_inertias(robot, build->bodies, ease) : FF_ERROR_MEMORY;
  return status == FF_ERROR_INPUT
             ? robot_report(build, from, "joints",
                            "a joint moves links without inertia about its axis")
             : status;
}

static ff_status robot_prepare_links(ff_build *build, const ff_scene_robot *from,
                                     ff_model_robot *robot, int index) {
  ff_tree_work *work = NULL;
  ff_status status = ff_tree_work_create(&work, robot->tree);
  if (status == FF_OK) {
    robot_place_links(build, robot, work);
    status = from->def.on_ground ? robot_put_on_ground(build, from, robot, work) : FF_OK;
  }
  if (status == FF_OK) {
    robot_group_links(build, robot, index);
    status = robot_inverse_inertias(build, from, robot);
  }
  ff_tree_work_destroy(&work);
  return status;
}

/* ---- robots ---------------------------------------------------------------------------------- */

static ff_status list_moved_bodies(ff_build *build) {
  ff_model *model = build->model;
  int *list = ff_build_take(build, model->body_count, sizeof *list);
  if (!list) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < model->body_count; i++) {
    ff_model_body *body = &build->bodies[i];
    bool led = body->track || ff_body_base_track(model, body);
    body->meets = ff_body_is_moved(body) || (led && !ff_model_solves(model));
    if (body->meets) {
      list[model->moved_count++] = i;
    }
  }
  model->moved_bodies = list;
  return FF_OK;
}

/* The rest of a controller is checked where it is built. */
static ff_status robot_check_controller(ff_build *build, const ff_model_robot *robot) {
  char key[128];
  double period = robot->controller->period;
  snprintf(key, sizeof key, "robots.%.80s.controller.period", robot->name);
  return period > 0 ? ff_build_check_count(build, key, period, 1e9, "ticks of the controller")
                    : FF_OK;
}

static ff_status build_robot(ff_build *build, int index, ff_model_robot *to) {
  const ff_scene_robot *from = &build->scene->robots[index];
  if (!from->def.name || !from->def.name[0] || from->def.link_count < 1) {
    return robot_report(build, from, "", "every robot needs a name and at least one link");
  }
  to->name = ff_arena_text(&build->model->arena, from->def.name, strlen(from->def.name));
  to->first_body = from->first_body;
  to->link_count = from->def.link_count;
  to->self_collision = from->def.self_collision;
  to->controller = from->def.controller
                       ? ff_controller_def_copy(&build->model->arena, from->def.controller)
                       : NULL;
  bool copied = to->name && (to->controller || !from->def.controller);
  ff_status status = copied && to->controller ? robot_check_controller(build, to) : FF_OK;
  status = !copied ? FF_ERROR_MEMORY : status == FF_OK ? robot_build_tree(build, from, to) : status;
  status = status == FF_OK ? robot_set_start(build, from, to) : status;
  return status == FF_OK ? robot_prepare_links(build, from, to, index) : status;
}

ff_status ff_build_robots(ff_build *build) {
  ff_model *model = build->model;
  int count = build->scene->robot_count;
  ff_model_robot *robots = ff_build_take(build, count, sizeof *robots);
  if (!robots) {
    return FF_ERROR_MEMORY;
  }
  model->robots = robots;
  model->robot_count = count; /* so that their trees are freed on failure */
  ff_status status = FF_OK;
  int at = model->free_count * FF_Y_BODY;
  for (int i = 0; status == FF_OK && i < count; i++) {
    status = build_robot(build, i, &robots[i]);
    robots[i].q_at = at;
    robots[i].v_at = at + robots[i].q_count;
    at += robots[i].q_count + robots[i].v_count;
    model->robot_size += robots[i].q_count + robots[i].v_count;
  }
  return status == FF_OK ? list_moved_bodies(build) : status;
}
