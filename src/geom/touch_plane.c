/* Solid shapes on a half-space.
 *
 * The depth of a point is its distance below the plane. For a point fixed to the
 * shape, its rate is minus the normal velocity there, by definition. For a point
 * that wanders over the shape as it turns (the lowest of an ellipsoid, of a cap's
 * rim) the wandering is along the tangent plane, parallel to the half-space's, and
 * adds nothing to the rate.
 */
#include "geom/implicit.h"
#include "geom/parts.h"
#include "geom/touch.h"
#include "math/elementary.h"

typedef struct plane {
  ff_vec3 origin;
  ff_vec3 normal;
  ff_vec3 t1;
} plane;

static inline plane plane_of(const ff_pose *pose) {
  return (plane){pose->position, q_axis_z(pose->orientation), q_axis_x(pose->orientation)};
}

static inline double height(const plane *ground, ff_vec3 point) {
  return v3_dot(ground->normal, v3_sub(point, ground->origin));
}

/* A point on the plane, written where it is to be: a copy would have to wait for it. */
static inline void set(ff_touch *to, const plane *ground, ff_vec3 point, double depth,
                       int feature) {
  *to = (ff_touch){.point = point,
                   .normal = ground->normal,
                   .t1 = ground->t1,
                   .depth = depth,
                   .feature = feature};
}

/* Appends a point if it is within reach; returns the new count. */
static inline int add_plane_touch(ff_touch *out, int count, const plane *ground, double margin,
                                  ff_touch touch) {
  if (!(touch.depth > -margin)) {
    return count;
  }
  touch.normal = ground->normal;
  touch.t1 = ground->t1;
  out[count] = touch;
  return count + 1;
}

/* The same of a point that is as round, or sharp, all about. */
static inline int add_plane_point(ff_touch *out, int count, const plane *ground, double margin,
                                  ff_vec3 point, double depth, double curvature, int feature) {
  if (!(depth > -margin)) {
    return count;
  }
  set(&out[count], ground, point, depth, feature);
  out[count].curvature[0] = out[count].curvature[1] = curvature;
  return count + 1;
}

/* The lowest point of a ball: the sphere itself or an end of a capsule. */
static inline int add_ball(ff_touch *out, int count, const plane *ground, double margin,
                           ff_vec3 centre, double radius, int feature) {
  return add_plane_point(out, count, ground, margin, v3_axpy(centre, -radius, ground->normal),
                         radius - height(ground, centre), 1.0 / radius, feature);
}

int ff_touch_sphere_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                          const ff_pose *pose_b, double margin, ff_touch *out) {
  (void)b;
  plane ground = plane_of(pose_b);
  return add_ball(out, 0, &ground, margin, pose_a->position, a->size.x, 0);
}

/* Feature 0 is the end at -z, feature 1 the end at +z. */
int ff_touch_capsule_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                           const ff_pose *pose_b, double margin, ff_touch *out) {
  (void)b;
  plane ground = plane_of(pose_b);
  ff_vec3 half = v3_scale(a->size.y, q_axis_z(pose_a->orientation));
  ff_vec3 centre = pose_a->position;
  int count = add_ball(out, 0, &ground, margin, v3_sub(centre, half), a->size.x, 0);
  return add_ball(out, count, &ground, margin, v3_add(centre, half), a->size.x, 1);
}

/* Principal curvatures, larger first, of the ellipsoid with semi-axes s where its outward
 * unit normal is m (shape frame). With A = diag(1/s^2) the surface is x.A x = 1, its point
 * there x = A^-1 m / w, w = |s m|, and the shape operator is w A seen in the tangent plane:
 * along u and v, which [Duff17] finds without a root. 1/s is what the other two are over all
 * three: so one division does for A. */
static void ellipsoid_curvature(ff_vec3 s, ff_vec3 m, double w, double curvature[2]) {
  double up = m.z < 0 ? -1 : 1, a = -1 / (up + m.z), b = m.x * m.y * a;
  ff_vec3 others = v3(s.y * s.z, s.z * s.x, s.x * s.y);
  ff_vec3 u = v3_mul(others, v3(1 + up * m.x * m.x * a, up * b, -up * m.x));
  ff_vec3 v = v3_mul(others, v3(b, up + m.y * m.y * a, -m.y));
  double all = s.x * others.x, scale = w / (all * all);
  double uu = scale * v3_dot(u, u), vv = scale * v3_dot(v, v), uv = scale * v3_dot(u, v);
  double half = 0.5 * (uu - vv);
  curvature[0] = 0.5 * (uu + vv) + sqrt(half * half + uv * uv);
  /* The product of the two is the Gaussian curvature, w^4 / (s.x s.y s.z)^2; dividing
   * keeps the smaller one exact where the difference would cancel. */
  curvature[1] = lesser(curvature[0], w * w * w * scale / curvature[0]);
}

int ff_touch_ellipsoid_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                             const ff_pose *pose_b, double margin, ff_touch *out) {
  (void)b;
  plane ground = plane_of(pose_b);
  /* straight down, in the shape frame */
  ff_vec3 m = v3_neg(q_unrotate(pose_a->orientation, ground.normal));
  ff_vec3 sm = v3_mul(a->size, m);
  double w = v3_norm(sm); /* from the centre down to the lowest tangent plane */
  double depth = w - height(&ground, pose_a->position);
  if (!(depth > -margin)) {
    return 0;
  }
  ff_vec3 lowest = v3_scale(1.0 / w, v3_mul(a->size, sm));
  set(out, &ground, pose_point(*pose_a, lowest), depth, 0);
  ellipsoid_curvature(a->size, m, w, out->curvature);
  return 1;
}

/* Of an ellipsoid with C = turn S^2 turn^T the lowest point is -C n / w, w = sqrt(n.C n); when it
 * turns by phi, C changes by [phi] C - C [phi], of which the first is the shared motion. */
static void ellipsoid_wander(ff_vec3 size, ff_quat orientation, ff_vec3 normal, ff_mat3 *out) {
  ff_mat3 turn = q_matrix(orientation);
  ff_vec3 n = m3_tmul(turn, normal), sn = v3_mul(size, n), c = v3_mul(size, sn);
  double scale = 1 / v3_norm(sn), tilt = scale * scale * scale;
  ff_vec3 across = v3_cross(c, n);
  for (int j = 0; j < 3; j++) {
    ff_vec3 phi = v3(turn.m[j][0], turn.m[j][1], turn.m[j][2]);
    ff_vec3 swept = v3_mul(size, v3_mul(size, v3_cross(phi, n)));
    ff_vec3 way = v3_axpy(v3_scale(scale, swept), tilt * v3_dot(phi, across), c);
    ff_vec3 world = m3_mul(turn, way);
    out->m[0][j] = world.x;
    out->m[1][j] = world.y;
    out->m[2][j] = world.z;
  }
}

bool ff_geom_wander(const ff_geom *geom, ff_quat orientation, ff_vec3 normal, ff_mat3 *out) {
  double r = geom->size.x;
  ff_vec3 n = normal;
  switch (geom->kind) {
    case FF_SPHERE:
    case FF_CAPSULE:
      *out = (ff_mat3){{{0, r * n.z, -r * n.y}, {-r * n.z, 0, r * n.x}, {r * n.y, -r * n.x, 0}}};
      return true;
    case FF_ELLIPSOID: ellipsoid_wander(geom->size, orientation, normal, out); return true;
    case FF_BOX: *out = (ff_mat3){{{0}}}; return true; /* corners */
    default: return false;
  }
}

/* Feature: the corner, bit i set on the positive side of axis i. */
int ff_touch_box_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                       const ff_pose *pose_b, double margin, ff_touch *out) {
  (void)b;
  plane ground = plane_of(pose_b);
  ff_vec3 x = v3_scale(a->size.x, q_axis_x(pose_a->orientation));
  ff_vec3 y = v3_scale(a->size.y, q_axis_y(pose_a->orientation));
  ff_vec3 z = v3_scale(a->size.z, q_axis_z(pose_a->orientation));
  int count = 0;
  for (int corner = 0; corner < 8; corner++) {
    ff_vec3 arm = v3_scale(corner & 1 ? 1.0 : -1.0, x);
    arm = v3_axpy(arm, corner & 2 ? 1.0 : -1.0, y);
    arm = v3_axpy(arm, corner & 4 ? 1.0 : -1.0, z);
    ff_vec3 point = v3_add(pose_a->position, arm);
    count = add_plane_point(out, count, &ground, margin, point, -height(&ground, point), INFINITY,
                            corner);
  }
  return count;
}

/* Caps at -z (features 0..3) and +z (4..7). Feature k of a cap is the rim point k times
 * 90 degrees about the axis from the deepest one.
 *
 * Points 1 and 3 wander over the rim and not along the half-space, so that each alone
 * breaks the rule that the depth rate is minus the normal velocity. Elastic forces are
 * conservative all the same. The four depths depend on the height h of the cap's centre
 * and on the tilt alone: with s the sine of the tilt they are -h + r s, -h, -h - r s, -h.
 * Points 1 and 3 are always equally deep and so carry equal forces; what their normal
 * velocities have beyond that of the cap's centre is equal and opposite, the moments
 * of the two about the line from deepest to highest point cancel, and their common power
 * is that of two forces at the centre, whose depth is theirs. */
int ff_touch_cylinder_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                            const ff_pose *pose_b, double margin, ff_touch *out) {
  (void)b;
  plane ground = plane_of(pose_b);
  ff_vec3 axis = q_axis_z(pose_a->orientation);
  double upright = v3_dot(ground.normal, axis);
  ff_vec3 down = v3_axpy(v3_neg(ground.normal), upright, axis); /* in the plane of the cap */
  double tilt = v3_norm(down);                                  /* its sine */
  if (tilt < 1e-12) { /* standing: every rim point is as deep as the other */
    down = q_axis_x(pose_a->orientation);
  } else { /* once more, since rounding is large against a small tilt */
    down = v3_scale(1.0 / tilt, down);
    down = v3_unit(v3_axpy(down, -v3_dot(down, axis), axis));
  }
  ff_vec3 side = v3_cross(axis, down);
  const ff_vec3 rim[4] = {down, side, v3_neg(down), v3_neg(side)};
  const double drop[4] = {tilt, 0.0, -tilt, 0.0};
  int count = 0;
  for (int feature = 0; feature < 8; feature++) {
    ff_vec3 centre = v3_axpy(pose_a->position, feature < 4 ? -a->size.y : a->size.y, axis);
    count =
        add_plane_point(out, count, &ground, margin, v3_axpy(centre, a->size.x, rim[feature % 4]),
                        a->size.x * drop[feature % 4] - height(&ground, centre), INFINITY, feature);
  }
  return count;
}

/* ---- shapes given by inequalities --------------------------------------------------------- */

/* Principal curvatures, larger first, of the surface value = 0. */
static void rule_curvature(const ff_rule *rule, double curvature[2]) {
  double steep = v3_norm(rule->slope);
  ff_vec3 m = v3_scale(1 / steep, rule->slope), u = v3_orthogonal(m), v = v3_cross(m, u);
  double uu = v3_dot(u, m3_mul(rule->bend, u)) / steep,
         vv = v3_dot(v, m3_mul(rule->bend, v)) / steep;
  double uv = v3_dot(u, m3_mul(rule->bend, v)) / steep, half = 0.5 * (uu - vv);
  double root = sqrt(half * half + uv * uv);
  curvature[0] = 0.5 * (uu + vv) + root;
  curvature[1] = fmax(0.5 * (uu + vv) - root, 0);
}

/* The lowest point of a shape. */
static ff_touch lowest(const ff_geom *a, const ff_pose *pose_a, const plane *ground,
                       ff_vec3 *local) {
  *local = ff_geom_support(a, q_unrotate(pose_a->orientation, v3_neg(ground->normal)));
  ff_touch touch = {.point = pose_point(*pose_a, *local)};
  touch.depth = -height(ground, touch.point);
  return touch;
}

int ff_touch_superellipsoid_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                                  const ff_pose *pose_b, double margin, ff_touch *out) {
  (void)b;
  plane ground = plane_of(pose_b);
  ff_vec3 local;
  ff_touch touch = lowest(a, pose_a, &ground, &local);
  ff_rule rule;
  ff_geom_rule(a, 0, local, &rule);
  rule_curvature(&rule, touch.curvature);
  return add_plane_touch(out, 0, &ground, margin, touch);
}

/* (x^p + y^p)^(1/p), and how it changes with both. */
static double sum_of(double x, double y, double p, double slope[2]) {
  double most = fmax(x, y), sum = most * ff_pow(ff_pow(x / most, p) + ff_pow(y / most, p), 1 / p);
  slope[0] = ff_pow(x / sum, p - 1);
  slope[1] = ff_pow(y / sum, p - 1);
  return sum;
}

/* With large exponents the middles of its sides are flat: the lowest point leaps from side to side
 * as it rocks. A support function in which each |a d| is sqrt((a d)^2 + (a e)^2 |d|^2), with e the
 * tilt that is not distinguished from level, belongs to a convex body that is larger by a little
 * and has no flat places; its slope is the point. Exponents below 2 have none to begin with. */
int ff_touch_superellipsoid_blunt(const ff_geom *a, const ff_pose *pose_a, const ff_pose *pose_b,
                                  double blunt, double margin, ff_touch *out) {
  plane ground = plane_of(pose_b);
  ff_vec3 d = q_unrotate(pose_a->orientation, v3_neg(ground.normal));
  const double size[3] = {a->size.x, a->size.y, a->size.z}, way[3] = {d.x, d.y, d.z};
  double p = a->exponents[0] / (a->exponents[0] - 1), q = a->exponents[1] / (a->exponents[1] - 1);
  double e = blunt / fmin(size[0], fmin(size[1], size[2])), reach[3], flat[2], whole[2];
  for (int i = 0; i < 3; i++) {
    reach[i] = size[i] * sqrt(way[i] * way[i] + e * e);
  }
  double across = sum_of(reach[0], reach[1], p, flat), sum = sum_of(across, reach[2], q, whole);
  const double share[3] = {whole[0] * flat[0], whole[0] * flat[1], whole[1]};
  double local[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    double scale = share[i] * size[i] * size[i] / reach[i];
    local[i] += scale * way[i];
    for (int k = 0; k < 3; k++) {
      local[k] += scale * e * e * way[k];
    }
  }
  ff_touch touch = {.point = pose_point(*pose_a, v3_load(local)),
                    .depth = sum - height(&ground, pose_a->position),
                    .curvature = {INFINITY, INFINITY}};
  return add_plane_touch(out, 0, &ground, margin, touch);
}

/* Rounded where one member alone bounds it, sharp where several do. */
static void member_curvature(const ff_geom *a, ff_vec3 local, double curvature[2]) {
  ff_rule rule;
  int on = 0, last = 0;
  for (int k = 0; k < ff_geom_rule_count(a); k++) {
    ff_geom_rule(a, k, local, &rule);
    bool touches = rule.value > -1e-9 * ff_geom_bound(a);
    on += touches;
    last = touches ? k : last;
  }
  curvature[0] = curvature[1] = INFINITY;
  if (on == 1) {
    ff_geom_rule(a, last, local, &rule);
    rule_curvature(&rule, curvature);
  }
}

/* Feature 0 is the lowest point. Where a flat face looks down, 1 to 3 are on its rim, as those of
 * a cylinder's cap; else they are far away. */
int ff_touch_intersection_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                                const ff_pose *pose_b, double margin, ff_touch *out) {
  (void)b;
  plane ground = plane_of(pose_b);
  double far = ff_geom_bound(a) - height(&ground, pose_a->position);
  if (!(far > -margin)) {
    return 0;
  }
  ff_vec3 local;
  ff_touch touch = lowest(a, pose_a, &ground, &local), rim[4];
  member_curvature(a, local, touch.curvature);
  ff_cut_face face;
  ff_parts_face(&face, a, pose_a, v3_neg(ground.normal));
  for (int k = 0; k < 4; k++) {
    rim[k] = touch;
    rim[k].feature = k;
    rim[k].depth = touch.depth - (k ? 4 * ff_geom_bound(a) : 0);
  }
  for (int k = 1; k < 4 && face.count > 0; k++) {
    rim[k].point = face.at[2 * k];
    rim[k].depth = fmin(-height(&ground, face.at[2 * k]), touch.depth);
    rim[k].curvature[0] = rim[k].curvature[1] = INFINITY;
  }
  int count = 0;
  for (int k = 0; k < 4; k++) {
    count = add_plane_touch(out, count, &ground, margin, rim[k]);
  }
  return count;
}

/* Feature 0 is the lowest point, blunt; where a flat face looks down, 1 to 3 are on its rim, where
 * they stay on the body. */
int ff_touch_intersection_blunt(const ff_geom *a, const ff_pose *pose_a, const ff_pose *pose_b,
                                double blunt, double margin, ff_touch *out) {
  plane ground = plane_of(pose_b);
  double up = height(&ground, pose_a->position), size = ff_geom_bound(a), reach;
  if (!(size - up > -margin)) {
    return 0;
  }
  ff_vec3 down = v3_neg(ground.normal), d = q_unrotate(pose_a->orientation, down);
  ff_touch touch = {.point = pose_point(*pose_a, ff_parts_smooth(a, d, blunt, &reach)),
                    .depth = reach - up,
                    .curvature = {INFINITY, INFINITY}};
  int count = add_plane_touch(out, 0, &ground, margin, touch);
  ff_cut_face face;
  ff_parts_face(&face, a, pose_a, down);
  if (face.count > 0) {
    ff_parts_face(&face, a, pose_a, face.normal);
  }
  for (int k = 1; k < 4; k++) {
    bool there = 2 * k < face.count;
    touch.point = there ? face.at[2 * k] : touch.point;
    touch.depth = there ? -height(&ground, touch.point) : reach - up - 4 * size;
    touch.feature = k;
    count = add_plane_touch(out, count, &ground, margin, touch);
  }
  return count;
}
