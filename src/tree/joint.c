/* Joint models: where a joint puts its link and which ways it may move [Featherstone08 sec. 4.4].
 */
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

int ff_joint_q_count(ff_joint_kind kind) {
  return kinds[kind].q_count;
}

int ff_joint_v_count(ff_joint_kind kind) {
  return kinds[kind].v_count;
}

bool ff_joint_one_axis(ff_joint_kind kind) {
  return kinds[kind].q_count == 1;
}

static ff_sv turning(ff_vec3 axis) {
  return (ff_sv){axis, {0, 0, 0}};
}

static ff_sv sliding(ff_vec3 axis) {
  return (ff_sv){{0, 0, 0}, axis};
}

/* The first axis is seen from the link through the second angle, and turns as that one does. */
static ff_pose place_universal(const ff_joint_def *joint, const double *q, const double *v,
                               ff_sv *s, ff_sv *s_ring) {
  ff_quat second = q_exp(v3_scale(q[1], joint->axis2));
  ff_vec3 first = q_unrotate(second, joint->axis);
  s[0] = turning(first);
  s[1] = turning(joint->axis2);
  if (v) {
    s_ring[0] = turning(v3_scale(-v[1], v3_cross(joint->axis2, first)));
  }
  return (ff_pose){{0, 0, 0}, q_mul(q_exp(v3_scale(q[0], joint->axis)), second)};
}

static ff_pose place_planar(const ff_joint_def *joint, const double *q, const double *v, ff_sv *s,
                            ff_sv *s_ring) {
  ff_vec3 x = joint->axis2, y = v3_cross(joint->axis, joint->axis2);
  ff_quat turn = q_exp(v3_scale(q[2], joint->axis));
  s[0] = sliding(q_unrotate(turn, x));
  s[1] = sliding(q_unrotate(turn, y));
  s[2] = turning(joint->axis);
  if (v) {
    s_ring[0] = sliding(v3_scale(-v[2], v3_cross(joint->axis, s[0].l)));
    s_ring[1] = sliding(v3_scale(-v[2], v3_cross(joint->axis, s[1].l)));
  }
  return (ff_pose){v3_add(v3_scale(q[0], x), v3_scale(q[1], y)), turn};
}

static void free_axes(ff_sv *s, bool slides) {
  const ff_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int k = 0; k < 3; k++) {
    s[k] = turning(axes[k]);
    if (slides) {
      s[3 + k] = sliding(axes[k]);
    }
  }
}

/* A quaternion that is not quite unit still means a rotation. */
static ff_quat turn_of(const double *q) {
  return q_unit((ff_quat){q[0], q[1], q[2], q[3]});
}

static ff_pose joint_pose(const ff_joint_def *joint, const double *q, const double *v, ff_sv *s,
                          ff_sv *s_ring) {
  ff_pose pose = {{0, 0, 0}, {1, 0, 0, 0}};
  switch (joint->kind) {
    case FF_JOINT_REVOLUTE:
    case FF_JOINT_CONTINUOUS:
      s[0] = turning(joint->axis);
      pose.orientation = q_exp(v3_scale(q[0], joint->axis));
      break;
    case FF_JOINT_PRISMATIC:
      s[0] = sliding(joint->axis);
      pose.position = v3_scale(q[0], joint->axis);
      break;
    case FF_JOINT_UNIVERSAL: return place_universal(joint, q, v, s, s_ring);
    case FF_JOINT_PLANAR: return place_planar(joint, q, v, s, s_ring);
    case FF_JOINT_SPHERICAL:
      free_axes(s, false);
      pose.orientation = turn_of(q);
      break;
    case FF_JOINT_FREE:
      free_axes(s, true);
      pose.position = v3_load(q);
      pose.orientation = turn_of(q + 3);
      break;
    case FF_JOINT_FIXED:
    case FF_JOINT_KIND_COUNT: break;
  }
  return pose;
}

ff_pose ff_joint_place(const ff_tree_link_data *link, const double *q, const double *v, ff_sv *s,
                       ff_sv *s_ring) {
  for (int k = 0; k < link->v_count; k++) {
    s_ring[k] = sv_zero();
  }
  return pose_mul(link->joint.frame, joint_pose(&link->joint, q, v, s, s_ring));
}
