/* footfall check ROBOT.urdf --scene: a scene to start from, in which the robot stands on a floor
 * with every joint held by a servo. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct stance {
  const ff_robot *robot;
  ff_tree *tree;
  ff_tree_work *work;
  double *q;
  double mass;   /* kg */
  double height; /* m, of the root link above the lowest point */
  bool touches;  /* it has shapes */
} stance;

static const double gravity = 9.81; /* m/s^2 */

/* ---- posture --------------------------------------------------------------------------------- */

static ff_vec3 turned(ff_quat q, ff_vec3 v) {
  ff_vec3 t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z),
               2 * (q.x * v.y - q.y * v.x)};
  return (ff_vec3){v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
                   v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

/* Place in q of a joint of one axis that moves by itself; -1: it is none. */
static int own_place(const stance *s, int link) {
  ff_link_info info = ff_tree_link(s->tree, link);
  return info.follows == 0 && info.q_count == 1 ? info.q_at : -1;
}

/* Its axis in the posture that the work is in, world. */
static ff_vec3 axis_of(const stance *s, int link) {
  ff_vec3 axis = ff_robot_link_info(s->robot, link).def.joint.axis;
  ff_vec3 world = turned(ff_tree_pose(s->work, link).orientation, axis);
  double length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
  return (ff_vec3){world.x / length, world.y / length, world.z / length};
}

static double within(const ff_joint_def *joint, double q) {
  return fmin(fmax(q, joint->lower), joint->upper);
}

/* A joint that turns about the same axis as one that must bend takes half of it back, so that what
 * is beyond stays below: thigh and ankle of a knee. */
static void straighten(const stance *s, int link, int bent, double angle) {
  ff_robot_link other = ff_robot_link_info(s->robot, link);
  int at = own_place(s, link);
  if (at >= 0 && other.def.joint.kind != FF_JOINT_PRISMATIC) {
    ff_vec3 a = axis_of(s, bent), b = axis_of(s, link);
    double along = a.x * b.x + a.y * b.y + a.z * b.z;
    if (fabs(along) > 0.99) {
      s->q[at] = within(&other.def.joint, -angle / 2 * along);
    }
  }
}

/* Joints that cannot be at zero bend by a fifth of their range from the nearer end; the next ones
 * up and down that turn about the same axis straighten the limb again. */
static void choose_posture(stance *s) {
  int count = ff_robot_link_count(s->robot);
  ff_tree_neutral(s->tree, s->q);
  ff_tree_update(s->work, s->q, NULL);
  for (int i = 2; i <= count; i++) {
    ff_link_def def = ff_robot_link_info(s->robot, i).def;
    int at = own_place(s, i);
    double range = def.joint.upper - def.joint.lower;
    if (at < 0 || !isfinite(range) || (def.joint.lower <= 0 && def.joint.upper >= 0)) {
      continue;
    }
    s->q[at] = def.joint.lower > 0 ? def.joint.lower + range / 5 : def.joint.upper - range / 5;
    if (def.joint.kind == FF_JOINT_REVOLUTE) {
      straighten(s, def.parent, i, s->q[at]);
      for (int child = i + 1; child <= count; child++) {
        if (ff_tree_link(s->tree, child).parent == i) {
          straighten(s, child, i, s->q[at]);
        }
      }
    }
  }
  ff_tree_update(s->work, s->q, NULL);
}

/* ---- where the floor is ---------------------------------------------------------------------- */

static double height_of(ff_pose link, ff_vec3 point) {
  return link.position.z + turned(link.orientation, point).z;
}

/* Height of the lowest point of a shape whose link is there. */
static double lowest(const ff_robot_shape *shape, ff_pose link) {
  if (shape->kind == FF_POLYHEDRON) {
    double low = INFINITY;
    for (int i = 0; i < shape->corner_count; i++) {
      low = fmin(low, height_of(link, shape->corners[i]));
    }
    return low;
  }
  double up[3]; /* how much each axis of the shape points up */
  for (int k = 0; k < 3; k++) {
    ff_vec3 axis = {k == 0, k == 1, k == 2};
    up[k] = fabs(turned(link.orientation, turned(shape->pose.orientation, axis)).z);
  }
  double middle = height_of(link, shape->pose.position);
  ff_vec3 size = shape->size;
  switch (shape->kind) {
    case FF_SPHERE: return middle - size.x;
    case FF_CAPSULE: return middle - size.x - size.y * up[2];
    case FF_CYLINDER: return middle - size.y * up[2] - size.x * hypot(up[0], up[1]);
    default: return middle - size.x * up[0] - size.y * up[1] - size.z * up[2];
  }
}

static void find_floor(stance *s) {
  double low = INFINITY;
  for (int i = 0; i < ff_robot_shape_count(s->robot); i++) {
    ff_robot_shape shape = ff_robot_shape_info(s->robot, i);
    low = fmin(low, lowest(&shape, ff_tree_pose(s->work, shape.link)));
  }
  s->touches = isfinite(low);
  s->height = s->touches ? -low : 0;
}

/* ---- the scene ------------------------------------------------------------------------------- */

/* A length that gains are made from: how high the robot stands, or about a metre for none. */
static double length_of(const stance *s) {
  return s->height > 0 ? s->height : 1;
}

static void print_joints(const stance *s) {
  bool first = true;
  for (int i = 2; i <= ff_robot_link_count(s->robot); i++) {
    int at = own_place(s, i);
    if (at >= 0 && s->q[at] != 0) {
      printf("%s      \"%s\": {position: %.4g}\n", first ? "    joints:\n" : "",
             ff_robot_link_info(s->robot, i).joint_name, s->q[at]);
      first = false;
    }
  }
}

/* The floor gives way by about a millimetre. */
static void print_contact(const stance *s) {
  double k = 3000 * s->mass;
  printf("bodies:\n  floor: {fixed: true, shape: {half-space: {}}}\n");
  printf("contacts:\n  - pair: [robot, floor]\n");
  printf("    normal: {law: hunt-crossley, k: %.3g, n: 1, alpha: 0.5}\n", k);
  printf("    friction: {law: bristle-clutch, K: %.3g, D: %.3g, mu: 0.8}\n", k, k / 100);
}

static void print_scene(const stance *s, const char *path, bool floats) {
  double stiffness = 4 * s->mass * gravity * length_of(s);
  printf("# %s on a floor, every joint held by a servo: a scene to start from.\n",
         ff_robot_name(s->robot));
  printf("footfall: 1\nstepper: {kind: symplectic-euler, step: 1e-3}\nduration: 2\n");
  printf("robots:\n  robot:\n    urdf: \"%s\"\n", path);
  if (floats) {
    printf("    position: [0, 0, %.6g]   # its lowest point touches the floor\n", s->height);
  }
  printf("    servo: {stiffness: %.3g, damping: %.3g}\n", stiffness,
         0.3 * stiffness * sqrt(length_of(s) / gravity));
  print_joints(s);
  if (s->touches) {
    print_contact(s);
  }
}

int ff_cli_check_scene(const ff_robot *robot, const char *path) {
  stance s = {.robot = robot};
  ff_report report;
  memset(&report, 0, sizeof report);
  ff_joint_kind root = ff_robot_def_of(robot, "robot").root;
  ff_status status = ff_robot_tree(&s.tree, robot, root, &report);
  status = status == FF_OK ? ff_tree_work_create(&s.work, s.tree) : status;
  if (status == FF_OK) {
    s.q = ff_cli_alloc(ff_tree_q_count(s.tree) + 1, sizeof *s.q);
    s.mass = ff_tree_mass(s.tree);
    choose_posture(&s);
    find_floor(&s);
    print_scene(&s, path, root == FF_JOINT_FREE);
  }
  free(s.q);
  ff_tree_work_destroy(s.work);
  ff_tree_destroy(s.tree);
  return status == FF_OK ? FF_EXIT_GOOD : ff_cli_fail(status, &report);
}
