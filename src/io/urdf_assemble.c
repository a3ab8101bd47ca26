/* Assembles the tree: links in tree order, each with its joint. */
#include "base/report.h"
#include "io/urdf.h"
#include "math/spatial.h"
#include "model/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ff_status ff_urdf_wrong(const ff_urdf *urdf, int line, ff_report *report, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ff_report_what(report, "%s", text);
  if (report) {
    snprintf(report->file, sizeof report->file, "%s", urdf->file);
    report->line = line;
  }
  return FF_ERROR_INPUT;
}

/* Indices are in file order, except `order` and `place`. */
typedef struct assembly {
  ff_urdf *urdf;
  ff_report *report;
  ff_names links, joints;
  int *parent, *child; /* links of each joint */
  int *joint_of;       /* joint of each link; -1: none */
  int *first, *next;   /* children of a link, as joints: first, and next of a joint */
  int *order, *place;  /* link at each place of the tree, 0 ..; place of each link */
  int root;
} assembly;

static ff_status urdf_index_names(assembly *a, ff_arena *scratch) {
  const ff_urdf *u = a->urdf;
  const char **links = ff_arena_take(scratch, (size_t)u->link_count, sizeof *links);
  const char **joints = ff_arena_take(scratch, (size_t)u->joint_count, sizeof *joints);
  if (!links || !joints) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < u->link_count; i++) {
    links[i] = u->links[i].name;
  }
  for (int i = 0; i < u->joint_count; i++) {
    joints[i] = u->joints[i].name;
  }
  if (!ff_names_make(&a->links, scratch, links, u->link_count) ||
      !ff_names_make(&a->joints, scratch, joints, u->joint_count)) {
    return FF_ERROR_MEMORY;
  }
  int twin = ff_names_twin(&a->links);
  if (twin >= 0) {
    return ff_urdf_wrong(u, u->links[twin].line, a->report, "two links have the name '%.100s'",
                         links[twin]);
  }
  twin = ff_names_twin(&a->joints);
  if (twin >= 0) {
    return ff_urdf_wrong(u, u->joints[twin].line, a->report, "two joints have the name '%.100s'",
                         joints[twin]);
  }
  return FF_OK;
}

static ff_status urdf_take_arrays(assembly *a, ff_arena *scratch) {
  size_t links = (size_t)a->urdf->link_count, joints = (size_t)a->urdf->joint_count;
  int *indices = ff_arena_take(scratch, 4 * links + 3 * joints, sizeof *indices);
  if (!indices) {
    return FF_ERROR_MEMORY;
  }
  a->joint_of = indices;
  a->first = indices + links;
  a->order = indices + 2 * links;
  a->place = indices + 3 * links;
  a->parent = indices + 4 * links;
  a->child = a->parent + joints;
  a->next = a->child + joints;
  for (size_t i = 0; i < links; i++) {
    a->joint_of[i] = a->first[i] = a->place[i] = -1;
  }
  return FF_OK;
}

static ff_status urdf_find_link(assembly *a, const ff_urdf_joint *joint, const char *name,
                                int *out) {
  *out = ff_names_find(&a->links, name);
  if (*out < 0) {
    return ff_urdf_wrong(a->urdf, joint->line, a->report,
                         "joint '%.100s': there is no link '%.100s'", joint->name, name);
  }
  return FF_OK;
}

/* Joints are traversed backwards, so that children are listed in file order. */
static ff_status urdf_connect_joints(assembly *a) {
  const ff_urdf *u = a->urdf;
  for (int i = u->joint_count - 1; i >= 0; i--) {
    const ff_urdf_joint *joint = &u->joints[i];
    ff_status status = urdf_find_link(a, joint, joint->parent, &a->parent[i]);
    status = status == FF_OK ? urdf_find_link(a, joint, joint->child, &a->child[i]) : status;
    if (status != FF_OK) {
      return status;
    }
    if (a->joint_of[a->child[i]] >= 0) {
      return ff_urdf_wrong(u, u->joints[a->joint_of[a->child[i]]].line, a->report,
                           "link '%.100s' is the child of two joints, '%.60s' and '%.60s'",
                           joint->child, joint->name, u->joints[a->joint_of[a->child[i]]].name);
    }
    a->joint_of[a->child[i]] = i;
    a->next[i] = a->first[a->parent[i]];
    a->first[a->parent[i]] = i;
  }
  return FF_OK;
}

static ff_status urdf_find_root(assembly *a) {
  const ff_urdf *u = a->urdf;
  a->root = -1;
  for (int i = 0; i < u->link_count; i++) {
    if (a->joint_of[i] < 0) {
      if (a->root >= 0) {
        return ff_urdf_wrong(u, u->links[i].line, a->report,
                             "link '%.100s' is detached: no joint connects it to '%.100s'",
                             u->links[i].name, u->links[a->root].name);
      }
      a->root = i;
    }
  }
  if (a->root < 0) {
    return u->link_count == 0
               ? ff_urdf_wrong(u, 1, a->report, "the robot has no links")
               : ff_urdf_wrong(u, u->joints[0].line, a->report, "the joints form a cycle");
  }
  return FF_OK;
}

/* Depth-first without recursion: to the first child, else to the next sibling of the nearest
 * ancestor that has one. */
static ff_status urdf_sort_links(assembly *a) {
  const ff_urdf *u = a->urdf;
  int count = 0, at = a->root;
  while (at >= 0) {
    a->place[at] = count;
    a->order[count++] = at;
    int joint = a->first[at];
    while (joint < 0 && at != a->root) {
      joint = a->next[a->joint_of[at]];
      at = a->parent[a->joint_of[at]];
    }
    at = joint >= 0 ? a->child[joint] : -1;
  }
  for (int i = 0; count < u->link_count && i < u->link_count; i++) {
    if (a->place[i] < 0) {
      return ff_urdf_wrong(u, u->joints[a->joint_of[i]].line, a->report,
                           "joint '%.100s' is part of a cycle", u->joints[a->joint_of[i]].name);
    }
  }
  return FF_OK;
}

/* Inertia in link axes: R I R^T. */
static void urdf_set_mass(ff_link_def *to, const ff_urdf_link *from) {
  to->name = from->name;
  to->mass = from->mass;
  to->com = from->origin.position;
  to->inertia = m3_congruent(m3_transpose(q_matrix(from->origin.orientation)), from->inertia);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < i; j++) {
      to->inertia.m[i][j] = to->inertia.m[j][i];
    }
  }
}

/* Ignores ineffective limits. */
static ff_status urdf_check_limits(const assembly *a, const ff_urdf_joint *joint,
                                   ff_joint_def *def) {
  bool needs = def->kind == FF_JOINT_REVOLUTE || def->kind == FF_JOINT_PRISMATIC;
  if (needs && !joint->limited) {
    return ff_urdf_note(a->urdf, joint->line, "joint '%.80s' should have a <limit>", joint->name);
  }
  if (def->lower <= def->upper) {
    return FF_OK;
  }
  ff_status status =
      ff_urdf_note(a->urdf, joint->line,
                   "joint '%.80s': the lower limit %g is above the upper limit %g: ignored",
                   joint->name, def->lower, def->upper);
  def->lower = -INFINITY;
  def->upper = INFINITY;
  return status;
}

static ff_status urdf_set_joint(assembly *a, ff_robot_link *to, int at) {
  const ff_urdf_joint *joint = &a->urdf->joints[at];
  to->def.joint = joint->def;
  if (!joint->has_axis2) {
    double length = v3_norm(joint->def.axis);
    to->def.joint.axis2 = v3_orthogonal(length > 0 ? v3_unit(joint->def.axis) : v3(0, 0, 1));
  }
  to->def.parent = a->place[a->parent[at]] + 1;
  to->joint_name = joint->name;
  to->effort = joint->effort;
  to->speed = joint->speed;
  to->soft_lower = joint->soft_lower;
  to->soft_upper = joint->soft_upper;
  to->safety_position = joint->safety_position;
  to->safety_speed = joint->safety_speed;
  to->def.factor = joint->mimic_factor;
  to->def.offset = joint->mimic_offset;
  if (joint->mimic) {
    int other = ff_names_find(&a->joints, joint->mimic);
    if (other < 0 || other == at) {
      return ff_urdf_note(a->urdf, joint->line,
                          "joint '%.80s' mimics '%.80s', which is not another joint: ignored",
                          joint->name, joint->mimic);
    }
    to->def.follows = a->place[a->child[other]] + 1;
  }
  return urdf_check_limits(a, joint, &to->def.joint);
}

/* ---- immovable joints ------------------------------------------------------------------------ */

static bool urdf_has_one_axis(const ff_robot_link *link) {
  ff_joint_kind kind = link->def.joint.kind;
  return kind == FF_JOINT_REVOLUTE || kind == FF_JOINT_CONTINUOUS || kind == FF_JOINT_PRISMATIC;
}

/* Fixes a joint with one axis at position q. */
static void urdf_fix_joint(ff_robot_link *link, double q) {
  ff_joint_def *joint = &link->def.joint;
  if (q != 0 && v3_norm(joint->axis) > 0) {
    ff_vec3 way = v3_scale(q, v3_unit(joint->axis));
    bool slides = joint->kind == FF_JOINT_PRISMATIC;
    ff_pose moved = {slides ? way : v3(0, 0, 0), slides ? q_identity() : q_exp(way)};
    joint->frame = pose_mul(joint->frame, moved);
  }
  joint->kind = FF_JOINT_FIXED;
  link->def.follows = 0;
}

/* Fixes joints that move no mass: they have no dynamics. */
static ff_status urdf_fix_massless(const assembly *a, ff_robot *robot, ff_arena *scratch) {
  bool *bears = ff_arena_take(scratch, (size_t)robot->link_count + 1, sizeof *bears);
  ff_status status = bears ? FF_OK : FF_ERROR_MEMORY;
  for (int i = robot->link_count; status == FF_OK && i > 1; i--) {
    ff_robot_link *link = &robot->links[i];
    const ff_mat3 *inertia = &link->def.inertia;
    double weight = link->def.mass + inertia->m[0][0] + inertia->m[1][1] + inertia->m[2][2];
    bears[i] = bears[i] || weight > 0;
    bears[link->def.parent] = bears[link->def.parent] || bears[i];
    if (!bears[i] && link->def.joint.kind != FF_JOINT_FIXED) {
      urdf_fix_joint(link, 0);
      status = ff_urdf_note(a->urdf, link->line,
                            "link '%.80s' and the links it carries have no mass: joint "
                            "'%.80s' is treated as fixed",
                            link->def.name, link->joint_name);
    }
  }
  return status;
}

enum { MIMIC_DEPTH = 100 };

/* Checks that chains of mimic joints end at a joint that does not mimic. */
static ff_status urdf_check_mimics(const assembly *a, const ff_robot *robot) {
  for (int i = 1; i <= robot->link_count; i++) {
    int steps = 0;
    for (int k = i; robot->links[k].def.follows > 0; k = robot->links[k].def.follows) {
      if (++steps > MIMIC_DEPTH) {
        return ff_urdf_wrong(a->urdf, robot->links[i].line, a->report,
                             "joint '%.100s' mimics others in a cycle, or more than %d deep",
                             robot->links[i].joint_name, MIMIC_DEPTH);
      }
    }
  }
  return FF_OK;
}

/* Fixes joints that mimic an immovable joint. */
static ff_status urdf_fix_mimics(const assembly *a, ff_robot *robot) {
  ff_status status = FF_OK;
  bool again = true;
  while (again && status == FF_OK) {
    again = false;
    for (int i = 1; status == FF_OK && i <= robot->link_count; i++) {
      ff_robot_link *link = &robot->links[i];
      const ff_robot_link *other = &robot->links[link->def.follows];
      if (link->def.follows == 0 || (urdf_has_one_axis(link) && urdf_has_one_axis(other))) {
        continue;
      }
      bool still = urdf_has_one_axis(link) && other->def.joint.kind == FF_JOINT_FIXED;
      status = ff_urdf_note(a->urdf, link->line, "joint '%.80s' mimics '%.80s', which is %s: %s",
                            link->joint_name, other->joint_name,
                            ff_joint_kind_name(other->def.joint.kind),
                            still ? "treated as fixed" : "ignored");
      if (still) {
        urdf_fix_joint(link, link->def.offset);
      }
      link->def.follows = 0;
      again = true;
    }
  }
  return status;
}

static ff_status urdf_fill_links(assembly *a, ff_robot *robot) {
  const ff_urdf *u = a->urdf;
  robot->link_count = u->link_count;
  robot->links = ff_arena_take(&robot->arena, (size_t)u->link_count + 1, sizeof *robot->links);
  if (!robot->links) {
    return FF_ERROR_MEMORY;
  }
  for (int k = 0; k < u->link_count; k++) {
    int i = a->order[k];
    ff_robot_link *to = &robot->links[k + 1];
    *to = (ff_robot_link){.def = ff_link_def_default(),
                          .joint_name = "",
                          .line = u->links[i].line,
                          .effort = INFINITY,
                          .speed = INFINITY,
                          .soft_lower = -INFINITY,
                          .soft_upper = INFINITY};
    urdf_set_mass(&to->def, &u->links[i]);
    if (a->joint_of[i] >= 0) {
      ff_status status = urdf_set_joint(a, to, a->joint_of[i]);
      if (status != FF_OK) {
        return status;
      }
    }
  }
  return FF_OK;
}

/* The root floats if it, or a link fixed to it, has mass; "world" is the ground. */
static ff_status urdf_find_floating(ff_robot *robot, ff_arena *scratch) {
  bool *rigid = ff_arena_take(scratch, (size_t)robot->link_count + 1, sizeof *rigid);
  if (!rigid) {
    return FF_ERROR_MEMORY;
  }
  double mass = 0;
  for (int i = 1; i <= robot->link_count; i++) {
    const ff_link_def *def = &robot->links[i].def;
    rigid[i] = i == 1 || (def->joint.kind == FF_JOINT_FIXED && rigid[def->parent]);
    mass += rigid[i] ? def->mass : 0;
  }
  robot->floats = mass > 0 && strcmp(robot->links[1].def.name, "world") != 0;
  return FF_OK;
}

static ff_status urdf_fill_shapes(const assembly *a, ff_robot *robot) {
  const ff_urdf *u = a->urdf;
  robot->shapes = ff_arena_take(&robot->arena, (size_t)u->shape_count, sizeof *robot->shapes);
  if (!robot->shapes) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < u->shape_count; i++) {
    robot->shapes[i] = u->shapes[i].shape;
    robot->shapes[i].link = a->place[u->shapes[i].link] + 1;
  }
  robot->shape_count = u->shape_count;
  return FF_OK;
}

ff_status ff_urdf_assemble(ff_robot *robot, ff_urdf *urdf, ff_report *report) {
  assembly a = {.urdf = urdf, .report = report};
  ff_arena scratch = {0};
  ff_status status = urdf_index_names(&a, &scratch);
  status = status == FF_OK ? urdf_take_arrays(&a, &scratch) : status;
  status = status == FF_OK ? urdf_connect_joints(&a) : status;
  status = status == FF_OK ? urdf_find_root(&a) : status;
  status = status == FF_OK ? urdf_sort_links(&a) : status;
  status = status == FF_OK ? urdf_fill_links(&a, robot) : status;
  status = status == FF_OK ? urdf_check_mimics(&a, robot) : status;
  status = status == FF_OK ? urdf_fix_massless(&a, robot, &scratch) : status;
  status = status == FF_OK ? urdf_fix_mimics(&a, robot) : status;
  status = status == FF_OK ? urdf_find_floating(robot, &scratch) : status;
  status = status == FF_OK ? urdf_fill_shapes(&a, robot) : status;
  status = status == FF_OK ? ff_urdf_fill_visuals(robot, urdf, a.place) : status;
  ff_arena_free(&scratch);
  return status;
}
