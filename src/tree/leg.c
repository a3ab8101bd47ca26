/* Closed-form inverse kinematics of a six-axis leg: yaw z, roll x, pitch y at the hip, pitch y at
 * the knee, pitch y and roll x at the ankle. Distance and direction of the hip seen from the foot
 * depend on the last three angles only; the hip angles follow from the remaining rotation. */
#include "footfall/tree.h"
#include "math/vec.h"

static ff_quat rotation_x(double angle) {
  ff_quat q = {0};
  ff_sincos(0.5 * angle, &q.x, &q.w);
  return q;
}
static ff_quat rotation_y(double angle) {
  ff_quat q = {0};
  ff_sincos(0.5 * angle, &q.y, &q.w);
  return q;
}
static ff_quat rotation_z(double angle) {
  ff_quat q = {0};
  ff_sincos(0.5 * angle, &q.z, &q.w);
  return q;
}

ff_pose ff_leg_pose(const ff_leg *leg, const double angles[6]) {
  ff_quat thigh = q_mul(rotation_z(angles[0]), q_mul(rotation_x(angles[1]), rotation_y(angles[2])));
  ff_quat shank = q_mul(thigh, rotation_y(angles[3]));
  ff_vec3 ankle = v3_add(q_rotate(thigh, v3(0, 0, -leg->thigh)), //
                         q_rotate(shank, v3(0, 0, -leg->shank)));
  return (ff_pose){ankle, q_mul(shank, q_mul(rotation_y(angles[4]), rotation_x(angles[5])))};
}

/* In (-pi, pi]. */
static double wrap_angle(double angle) {
  return angle - 2 * ff_pi * ceil((angle - ff_pi) / (2 * ff_pi));
}

bool ff_leg_angles(const ff_leg *leg, ff_pose foot, double angles[6]) {
  double a = leg->thigh, b = leg->shank;
  ff_quat foot_turn = q_unit(foot.orientation);
  /* position of the hip in the foot frame */
  ff_vec3 hip = q_unrotate(foot_turn, v3_neg(foot.position));
  double bend = (v3_dot(hip, hip) - a * a - b * b) / (2 * a * b); /* cosine of the knee */
  angles[3] = ff_acos(fmax(-1, fmin(1, bend)));
  /* roll brings the hip into the foot's xz-plane, above the sole if possible */
  double up = copysign(ff_hypot(hip.y, hip.z), hip.z);
  angles[5] = up == 0 ? 0 : ff_atan2(hip.y / up, hip.z / up);
  /* pitch aligns the direction of the hip in the shank frame with that in the foot frame */
  double sine, cosine;
  ff_sincos(angles[3], &sine, &cosine);
  double seen = ff_atan2(-a * sine, b + a * cosine);
  angles[4] = wrap_angle(seen - ff_atan2(hip.x, up));
  /* the remaining rotation is Rz Rx Ry of the hip */
  ff_quat rest = q_mul(rotation_x(-angles[5]), rotation_y(-angles[4] - angles[3]));
  ff_mat3 m = q_matrix(q_mul(foot_turn, rest));
  angles[0] = ff_atan2(-m.m[0][1], m.m[1][1]);
  angles[1] = ff_atan2(m.m[2][1], ff_hypot(m.m[0][1], m.m[1][1]));
  angles[2] = ff_atan2(-m.m[2][0], m.m[2][2]);
  return fabs(bend) <= 1;
}
