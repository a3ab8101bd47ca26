/* Joint models: transform and motion subspace of each kind [Featherstone08 sec. 4.4]. */
#include "math/elementary.h"
#include "tree/tree.h"

static const struct {
  const char *name;
  int q_count, v_count;
} kinds[FF_JOINT_KIND_COUNT] = {
    [FF_JOINT_FIXED] = {"fixed", 0, 0},           [FF_JOINT_REVOLUTE] = {"revolute", 1, 1},
    [FF_JOINT_CONTINUOUS] = {"continuous", 1, 1}, [FF_JOINT_PRISMATIC] = {"prismatic", 1, 1},
    [FF_JOINT_UNIVERSAL] = {"universal", 2, 2},   [FF_JOINT_PLANAR] = {"planar", 3, 3},
    [FF_JOINT_SPHERICAL] = {"spherical", 4, 3},   [FF_JOINT_FREE] = {"free", 7, 6},
};

const char *ff_joint_kind_name(ff_joint_kind kind) {
  return (unsigned)kind < FF_JOINT_KIND_COUNT ? kinds[kind].name : "?";
}

const char *ff_joint_axis_name(ff_joint_kind kind, int k) {
  static const char *const planar[] = {"-x", "-y", "-angle"}, *const two[] = {"-1", "-2"};
  static const char *const six[] = {"-rx", "-ry", "-rz", "-x", "-y", "-z"};
  if ((unsigned)kind >= FF_JOINT_KIND_COUNT || k < 0 || k >= kinds[kind].v_count) {
    return "?";
  }
  switch (kind) {
    case FF_JOINT_UNIVERSAL: return two[k];
    case FF_JOINT_PLANAR: return planar[k];
    case FF_JOINT_SPHERICAL:
    case FF_JOINT_FREE: return six[k];
    default: return "";
  }
}

int ff_joint_q_count(ff_joint_kind kind) {
  return kinds[kind].q_count;
}

int ff_joint_v_count(ff_joint_kind kind) {
  return kinds[kind].v_count;
}

bool ff_joint_one_axis(ff_joint_kind kind) {
  return kinds[kind].q_count == 1;
}

/* ---- transform ------------------------------------------------------------------------------- */

/* Rotation about a unit axis. */
static ff_quat axis_rotation(ff_vec3 axis, double angle) {
  double s, c;
  ff_sincos(0.5 * angle, &s, &c);
  return (ff_quat){c, s * axis.x, s * axis.y, s * axis.z};
}

/* Normalised: integration leaves quaternions slightly off unit length. */
static ff_quat joint_quaternion(const double *q) {
  return q_unit((ff_quat){q[0], q[1], q[2], q[3]});
}

ff_pose ff_joint_pose(const ff_joint_def *joint, const double *q) {
  ff_pose pose = {{0, 0, 0}, {1, 0, 0, 0}};
  switch (joint->kind) {
    case FF_JOINT_REVOLUTE:
    case FF_JOINT_CONTINUOUS: pose.orientation = axis_rotation(joint->axis, q[0]); break;
    case FF_JOINT_PRISMATIC: pose.position = v3_scale(q[0], joint->axis); break;
    case FF_JOINT_UNIVERSAL:
      pose.orientation = q_mul(axis_rotation(joint->axis, q[0]), axis_rotation(joint->axis2, q[1]));
      break;
    case FF_JOINT_PLANAR: {
      ff_vec3 y = v3_cross(joint->axis, joint->axis2);
      pose.position = v3_axpy(v3_scale(q[0], joint->axis2), q[1], y);
      pose.orientation = axis_rotation(joint->axis, q[2]);
      break;
    }
    case FF_JOINT_SPHERICAL: pose.orientation = joint_quaternion(q); break;
    case FF_JOINT_FREE:
      pose.position = v3_load(q);
      pose.orientation = joint_quaternion(q + 3);
      break;
    case FF_JOINT_FIXED:
    case FF_JOINT_KIND_COUNT: break;
  }
  return pose;
}

/* ---- motion subspace ------------------------------------------------------------------------- */

static ff_sv rotation_column(ff_vec3 axis) {
  return (ff_sv){axis, {0, 0, 0}};
}

static ff_sv translation_column(ff_vec3 axis) {
  return (ff_sv){{0, 0, 0}, axis};
}

/* The first axis, seen from the link, depends on the second angle. */
static void universal_columns(const ff_joint_def *joint, const double *q, const double *v,
                              const ff_mat3 *turn, ff_sv *s, ff_sv *s_ring) {
  ff_vec3 first = q_unrotate(axis_rotation(joint->axis2, q[1]), joint->axis);
  s[0] = rotation_column(m3_mul(*turn, first));
  s[1] = rotation_column(m3_mul(*turn, joint->axis2));
  s_ring[0] = rotation_column(v3_scale(-v[1], v3_cross(s[1].a, s[0].a)));
}

/* The translation axes stay in the plane of the parent while the link rotates. */
static void planar_columns(const ff_joint_def *joint, const double *q, const double *v,
                           const ff_mat3 *turn, ff_sv *s, ff_sv *s_ring) {
  ff_quat back = axis_rotation(joint->axis, -q[2]);
  ff_vec3 y = v3_cross(joint->axis, joint->axis2);
  s[0] = translation_column(m3_mul(*turn, q_rotate(back, joint->axis2)));
  s[1] = translation_column(m3_mul(*turn, q_rotate(back, y)));
  s[2] = rotation_column(m3_mul(*turn, joint->axis));
  s_ring[0] = translation_column(v3_scale(-v[2], v3_cross(s[2].a, s[0].l)));
  s_ring[1] = translation_column(v3_scale(-v[2], v3_cross(s[2].a, s[1].l)));
}

/* Rotation about the three axes of the link, and translation along them if `slides`. */
static void free_columns(const ff_mat3 *turn, ff_sv *s, bool slides) {
  for (int k = 0; k < 3; k++) {
    ff_vec3 axis = v3(turn->m[0][k], turn->m[1][k], turn->m[2][k]);
    s[k] = rotation_column(axis);
    if (slides) {
      s[3 + k] = translation_column(axis);
    }
  }
}

void ff_joint_columns(const ff_joint_def *joint, const double *q, const double *v,
                      const ff_mat3 *turn, ff_sv *s, ff_sv *s_ring) {
  switch (joint->kind) {
    case FF_JOINT_REVOLUTE:
    case FF_JOINT_CONTINUOUS: s[0] = rotation_column(m3_mul(*turn, joint->axis)); break;
    case FF_JOINT_PRISMATIC: s[0] = translation_column(m3_mul(*turn, joint->axis)); break;
    case FF_JOINT_UNIVERSAL: universal_columns(joint, q, v, turn, s, s_ring); break;
    case FF_JOINT_PLANAR: planar_columns(joint, q, v, turn, s, s_ring); break;
    case FF_JOINT_SPHERICAL: free_columns(turn, s, false); break;
    case FF_JOINT_FREE: free_columns(turn, s, true); break;
    case FF_JOINT_FIXED:
    case FF_JOINT_KIND_COUNT: break;
  }
}
