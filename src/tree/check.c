/* Checks of link definitions. */
#include "base/report.h"
#include "tree/tree.h"

static ff_status link_report(ff_report *report, int i, const ff_link_def *link, const char *key,
                             const char *what) {
  ff_report_what(report, "%s", what);
  if (link->name) {
    ff_report_key(report, "links.%s.%s", link->name, key);
  } else {
    ff_report_key(report, "links.%d.%s", i + 1, key);
  }
  return FF_ERROR_INPUT;
}

/* NULL, or the error in one of the joint's numbers (then *key is set). */
static const char *joint_numbers_error(const ff_joint_def *joint, const char **key) {
  const struct {
    const char *key;
    double value;
  } positive[] = {{"armature", joint->armature},
                  {"damping", joint->damping},
                  {"friction", joint->friction},
                  {"stiffness", joint->stiffness},
                  {"limit_stiffness", joint->limit_stiffness},
                  {"limit_dissipation", joint->limit_dissipation}};
  for (size_t i = 0; i < sizeof positive / sizeof *positive; i++) {
    *key = positive[i].key;
    if (!(positive[i].value >= 0 && isfinite(positive[i].value))) {
      return "must be finite and not negative";
    }
  }
  *key = "friction_speed";
  if (!(joint->friction_speed > 0 && isfinite(joint->friction_speed))) {
    return "must be greater than 0";
  }
  *key = "rest";
  if (!isfinite(joint->rest)) {
    return "must be finite";
  }
  *key = "lower";
  return joint->lower <= joint->upper ? NULL : "must not be above the upper limit";
}

static const char *joint_axes_error(const ff_joint_def *joint, const char **key) {
  bool two = joint->kind == FF_JOINT_UNIVERSAL || joint->kind == FF_JOINT_PLANAR;
  *key = "axis";
  if (two || ff_joint_one_axis(joint->kind)) {
    if (!v3_finite(joint->axis) || !(v3_norm(joint->axis) > 0)) {
      return "must be finite and not zero";
    }
  }
  *key = "axis2";
  if (two) {
    double length = v3_norm(joint->axis2);
    if (!(isfinite(length) && length > 0)) {
      return "must be finite and not zero";
    }
    if (v3_norm(v3_cross(v3_unit(joint->axis), v3_scale(1 / length, joint->axis2))) < 1e-6) {
      return "must not be parallel to axis";
    }
  }
  return NULL;
}

static const char *link_mass_error(const ff_link_def *link, const char **key) {
  *key = "mass";
  if (!(link->mass >= 0 && isfinite(link->mass))) {
    return "must be finite and not negative";
  }
  *key = "com";
  if (!v3_finite(link->com)) {
    return "must be finite";
  }
  *key = "inertia";
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double a = link->inertia.m[i][j], b = link->inertia.m[j][i];
      if (!isfinite(a) || fabs(a - b) > 1e-12 * (fabs(a) + fabs(b))) {
        return "must be finite and symmetric";
      }
    }
  }
  return NULL;
}

/* Mimic joints: both joints must have one axis. */
static const char *mimic_error(const ff_link_def *links, int count, int i) {
  const ff_link_def *link = &links[i];
  if (link->follows == 0) {
    return NULL;
  }
  if (link->follows < 0 || link->follows > count || link->follows == i + 1) {
    return "must be 0 or another link";
  }
  ff_joint_kind other = links[link->follows - 1].joint.kind;
  if (!ff_joint_one_axis(link->joint.kind) || (unsigned)other >= FF_JOINT_KIND_COUNT ||
      !ff_joint_one_axis(other)) {
    return "only joints with one axis can mimic each other";
  }
  return isfinite(link->factor) && isfinite(link->offset) ? NULL
                                                          : "factor and offset must be finite";
}

ff_status ff_link_check(const ff_link_def *links, int count, int i, ff_report *report) {
  const ff_link_def *link = &links[i];
  const char *key = "parent", *what = NULL;
  if (link->parent < 0 || link->parent > i) {
    return link_report(report, i, link, key, "must be 0 or an earlier link");
  }
  if ((unsigned)link->joint.kind >= FF_JOINT_KIND_COUNT) {
    return link_report(report, i, link, "kind", "is not a kind of joint");
  }
  if (!v3_finite(link->joint.frame.position) || !(q_norm(link->joint.frame.orientation) > 1e-9) ||
      !isfinite(q_norm(link->joint.frame.orientation))) {
    return link_report(report, i, link, "frame", "must be a position and a rotation");
  }
  what = joint_numbers_error(&link->joint, &key);
  what = what ? what : joint_axes_error(&link->joint, &key);
  what = what ? what : link_mass_error(link, &key);
  if (!what) {
    key = "follows";
    what = mimic_error(links, count, i);
  }
  return what ? link_report(report, i, link, key, what) : FF_OK;
}
