#include "model/constraint.h"

#include "math/vec.h"

int ff_constraint_row_count(ff_constraint_kind kind) {
  static const int counts[FF_CONSTRAINT_KIND_COUNT] = {[FF_CONSTRAINT_BALL] = 3,
                                                       [FF_CONSTRAINT_HINGE] = 5,
                                                       [FF_CONSTRAINT_WELD] = 6,
                                                       [FF_CONSTRAINT_DISTANCE] = 1};
  return counts[kind];
}

const char *ff_constraint_kind_name(ff_constraint_kind kind) {
  static const char *const names[FF_CONSTRAINT_KIND_COUNT] = {[FF_CONSTRAINT_BALL] = "ball",
                                                              [FF_CONSTRAINT_HINGE] = "hinge",
                                                              [FF_CONSTRAINT_WELD] = "weld",
                                                              [FF_CONSTRAINT_DISTANCE] =
                                                                  "distance"};
  return (int)kind >= 0 && kind < FF_CONSTRAINT_KIND_COUNT ? names[kind] : "unknown";
}

/* Relative motion of two anchors. */
typedef struct ends {
  ff_vec3 arm_a, arm_b;   /* m, from the centres of mass */
  ff_vec3 apart, parting; /* m, m/s: position and velocity of a's anchor relative to b's */
  ff_vec3 bent;           /* m/s^2: relative acceleration at zero body accelerations */
} ends;

static ends constraint_ends(const ff_model_constraint *constraint, const ff_body_motion *a,
                            const ff_body_motion *b) {
  ends out;
  out.arm_a = q_rotate(a->pose.orientation, constraint->anchor_a);
  out.arm_b = q_rotate(b->pose.orientation, constraint->anchor_b);
  ff_vec3 spin_a = v3_cross(a->omega, out.arm_a), spin_b = v3_cross(b->omega, out.arm_b);
  ff_vec3 centres = v3_sub(a->pose.position, b->pose.position);
  out.apart = v3_add(centres, v3_sub(out.arm_a, out.arm_b));
  out.parting = v3_add(v3_sub(a->velocity, b->velocity), v3_sub(spin_a, spin_b));
  out.bent = v3_sub(v3_cross(a->omega, spin_a), v3_cross(b->omega, spin_b));
  return out;
}

/* Row with a force along a direction between the anchors. */
static void constraint_add_along(ff_constraint_rows *out, const ends *at, ff_vec3 direction,
                                 double error, double bias) {
  int i = out->count++;
  out->places = out->count;
  out->along[i] = direction;
  out->turn_a[i] = v3_cross(at->arm_a, direction);
  out->turn_b[i] = v3_neg(v3_cross(at->arm_b, direction));
  out->error[i] = error;
  out->rate[i] = v3_dot(direction, at->parting);
  out->bias[i] = bias;
}

/* g = p_a - p_b */
static void constraint_add_point(ff_constraint_rows *out, const ends *at) {
  constraint_add_along(out, at, v3(1, 0, 0), at->apart.x, at->bent.x);
  constraint_add_along(out, at, v3(0, 1, 0), at->apart.y, at->bent.y);
  constraint_add_along(out, at, v3(0, 0, 1), at->apart.z, at->bent.z);
}

/* g = |p_a - p_b| - length */
static void constraint_add_distance(ff_constraint_rows *out, const ends *at, double length) {
  double distance = v3_norm(at->apart);
  ff_vec3 direction = distance > 0 ? v3_scale(1 / distance, at->apart) : v3(0, 0, 1);
  double closing = v3_dot(direction, at->parting);
  double swing = v3_dot(at->parting, at->parting) - closing * closing;
  double bias = v3_dot(direction, at->bent) + (distance > 0 ? swing / distance : 0);
  constraint_add_along(out, at, direction, distance - length, bias);
}

/* g = u . t, with u fixed to a and t to b */
static void constraint_add_orthogonal(ff_constraint_rows *out, const ff_body_motion *a,
                                      const ff_body_motion *b, ff_vec3 u_in_a, ff_vec3 t_in_b) {
  int i = out->count++;
  ff_vec3 u = q_rotate(a->pose.orientation, u_in_a), t = q_rotate(b->pose.orientation, t_in_b);
  ff_vec3 axis = v3_cross(u, t), turning = v3_sub(a->omega, b->omega);
  out->along[i] = v3(0, 0, 0);
  out->turn_a[i] = axis;
  out->turn_b[i] = v3_neg(axis);
  out->error[i] = v3_dot(u, t);
  out->rate[i] = v3_dot(axis, turning);
  ff_vec3 swept = v3_add(v3_cross(v3_cross(a->omega, u), t), v3_cross(u, v3_cross(b->omega, t)));
  out->bias[i] = v3_dot(turning, swept);
}

void ff_constraint_evaluate(const ff_model_constraint *constraint, const ff_body_motion *a,
                            const ff_body_motion *b, ff_constraint_rows *out) {
  ends at = constraint_ends(constraint, a, b);
  out->count = 0;
  out->point_a = v3_add(a->pose.position, at.arm_a);
  out->point_b = v3_add(b->pose.position, at.arm_b);
  if (constraint->kind == FF_CONSTRAINT_DISTANCE) {
    constraint_add_distance(out, &at, constraint->length);
    return;
  }
  constraint_add_point(out, &at);
  for (int k = out->count; k < ff_constraint_row_count(constraint->kind); k++) {
    constraint_add_orthogonal(out, a, b, constraint->of_a[k - 3], constraint->of_b[k - 3]);
  }
}

ff_vec3 ff_constraint_force(const ff_constraint_rows *rows, const double *multipliers,
                            ff_vec3 *moment) {
  ff_vec3 force = v3(0, 0, 0);
  *moment = v3(0, 0, 0);
  for (int i = 0; i < rows->count; i++) {
    force = v3_axpy(force, multipliers[i], rows->along[i]);
    if (i >= rows->places) {
      *moment = v3_axpy(*moment, multipliers[i], rows->turn_a[i]);
    }
  }
  return force;
}

double ff_constraint_errors(const ff_constraint_rows *rows, double *angle) {
  double apart = 0;
  *angle = 0;
  for (int i = 0; i < rows->count; i++) {
    double *to = i < rows->places ? &apart : angle;
    *to = ff_hypot(*to, rows->error[i]);
  }
  return apart;
}
