/* Contact points of smooth shapes: one, where two shapes are closest or deepest.
 *
 * A ball at a solid: the distance from a point, less a radius. The distance of a body from a point
 * grows at the speed at which the point leaves the nearest place of the body, along the line to it;
 * so the depth rate is minus the normal velocity. Other pairs: the distance query. */
#include "geom/distance.h"
#include "geom/implicit.h"
#include "geom/manifold_parts.h"

/* The place of a solid nearest to a point, seen in the solid's frame. */
typedef struct nearest {
  ff_vec3 at;     /* on the surface */
  ff_vec3 normal; /* unit, out of the solid, towards or through the point */
  double gap;     /* < 0: the point is inside */
  double curvature[2];
} nearest;

/* The contact point of a ball by what was found for its centre. */
static int collide_ball(const nearest *near, double radius, const ff_pose *pose_b, double margin,
                        ff_sample *out) {
  double depth = radius - near->gap;
  if (!(depth > -margin)) {
    return 0;
  }
  ff_vec3 normal = q_rotate(pose_b->orientation, near->normal);
  ff_vec3 on_b = pose_point(*pose_b, near->at);
  ff_sample_point(out, 0, v3_axpy(on_b, -0.5 * depth, normal), normal, v3_orthogonal(normal),
                  depth);
  out->curvature[0] = near->curvature[0] + 1.0 / radius;
  out->curvature[1] = near->curvature[1] + 1.0 / radius;
  return 1;
}

/* ---- ball on ball --------------------------------------------------------------------- */

int ff_collide_spheres(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                       const ff_pose *pose_b, double margin, ff_sample *out) {
  ff_vec3 apart = v3_sub(pose_a->position, pose_b->position);
  double distance = v3_norm(apart);
  double depth = a->size.x + b->size.x - distance;
  if (!(depth > -margin)) {
    return 0;
  }
  /* With the centres in one place any direction is as good as another. */
  ff_vec3 normal = distance > 0.0 ? v3_scale(1.0 / distance, apart) : v3(0.0, 0.0, 1.0);
  double curvature = 1.0 / a->size.x + 1.0 / b->size.x;
  /* The point lies on the line of centres, in the middle of the overlap. There spin adds
   * nothing to the normal velocity, so that it is minus the depth rate. */
  ff_sample_point(out, 0, v3_axpy(pose_b->position, b->size.x - 0.5 * depth, normal), normal,
                  v3_orthogonal(normal), depth);
  out->curvature[0] = out->curvature[1] = curvature;
  return 1;
}

/* ---- ball on capsule --------------------------------------------------------------------- */

static double clamp(double value, double limit) {
  return fmin(fmax(value, -limit), limit);
}

int ff_collide_sphere_capsule(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                              const ff_pose *pose_b, double margin, ff_sample *out) {
  ff_vec3 centre = q_unrotate(pose_b->orientation, v3_sub(pose_a->position, pose_b->position));
  double r = b->size.x, z = clamp(centre.z, b->size.y);
  ff_vec3 from = v3(centre.x, centre.y, centre.z - z);
  double distance = v3_norm(from);
  bool beside = fabs(centre.z) < b->size.y;
  /* On the axis every direction around it is as good as another. */
  ff_vec3 normal = distance > 0.0 ? v3_scale(1.0 / distance, from) : v3(1.0, 0.0, 0.0);
  nearest near = {.at = v3_axpy(v3(0.0, 0.0, z), r, normal),
                  .normal = normal,
                  .gap = distance - r,
                  .curvature = {1.0 / r, beside ? 0.0 : 1.0 / r}};
  return collide_ball(&near, a->size.x, pose_b, margin, out);
}

/* ---- ball on box, ball on cylinder ----------------------------------------------------------- */

/* From a point outside: where it is nearest, and along the line to it. */
static void from_outside(nearest *near, ff_vec3 at, ff_vec3 centre) {
  ff_vec3 from = v3_sub(centre, at);
  near->at = at;
  near->gap = v3_norm(from);
  near->normal = v3_scale(1.0 / near->gap, from);
}

/* Faces are flat; an edge is sharp one way, a corner both. */
int ff_collide_sphere_box(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                          const ff_pose *pose_b, double margin, ff_sample *out) {
  ff_vec3 centre = q_unrotate(pose_b->orientation, v3_sub(pose_a->position, pose_b->position));
  const double c[3] = {centre.x, centre.y, centre.z}, s[3] = {b->size.x, b->size.y, b->size.z};
  double at[3], out_of[3] = {0.0, 0.0, 0.0};
  int sharp = -1, face = 0;
  for (int i = 0; i < 3; i++) {
    at[i] = clamp(c[i], s[i]);
    sharp += at[i] != c[i];
    face = s[i] - fabs(c[i]) < s[face] - fabs(c[face]) ? i : face;
  }
  nearest near = {.curvature = {sharp > 0 ? INFINITY : 0.0, sharp > 1 ? INFINITY : 0.0}};
  if (sharp >= 0) {
    from_outside(&near, v3_load(at), centre);
  } else { /* inside: out through the nearest face */
    double sign = c[face] < 0.0 ? -1.0 : 1.0;
    out_of[face] = sign;
    at[face] = sign * s[face];
    near.at = v3_load(at);
    near.normal = v3_load(out_of);
    near.gap = fabs(c[face]) - s[face];
  }
  return collide_ball(&near, a->size.x, pose_b, margin, out);
}

int ff_collide_sphere_cylinder(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                               const ff_pose *pose_b, double margin, ff_sample *out) {
  ff_vec3 centre = q_unrotate(pose_b->orientation, v3_sub(pose_a->position, pose_b->position));
  double r = b->size.x, l = b->size.y, around = sqrt(centre.x * centre.x + centre.y * centre.y);
  ff_vec3 away = around > 0.0 ? v3(centre.x / around, centre.y / around, 0.0) : v3(1.0, 0.0, 0.0);
  double up = centre.z < 0.0 ? -1.0 : 1.0, over = fabs(centre.z) - l, beside = around - r;
  nearest near = {.curvature = {0.0, 0.0}};
  if (over > 0.0 && beside > 0.0) { /* the rim */
    from_outside(&near, v3_axpy(v3(0.0, 0.0, up * l), r, away), centre);
    near.curvature[0] = INFINITY;
    near.curvature[1] = near.normal.x * away.x + near.normal.y * away.y;
    near.curvature[1] /= r;   /* of the circle, seen along the normal */
  } else if (over > beside) { /* a cap */
    near.at = v3(centre.x, centre.y, up * l);
    near.normal = v3(0.0, 0.0, up);
    near.gap = over;
  } else { /* the side */
    near.at = v3_axpy(v3(0.0, 0.0, centre.z), r, away);
    near.normal = away;
    near.gap = beside;
    near.curvature[0] = 1.0 / r;
  }
  return collide_ball(&near, a->size.x, pose_b, margin, out);
}

/* ---- any finite shape on a smooth one
 * -------------------------------------------------------------
 *
 * One point, with the relative curvature of both surfaces there. */

/* u.H v over the slope of the rules that bound a shape at its point; INFINITY at edges. */
static void add_bend(const ff_geom *geom, const ff_pose *pose, const int *rules, int count,
                     ff_vec3 at, ff_vec3 u, ff_vec3 v, double bend[3]) {
  ff_rule rule;
  ff_geom_rule(geom, rules[0], q_unrotate(pose->orientation, v3_sub(at, pose->position)), &rule);
  ff_vec3 x = q_unrotate(pose->orientation, u), y = q_unrotate(pose->orientation, v);
  double steep = v3_norm(rule.slope);
  bend[0] += count > 1 ? INFINITY : v3_dot(x, m3_mul(rule.bend, x)) / steep;
  bend[1] += count > 1 ? 0 : v3_dot(x, m3_mul(rule.bend, y)) / steep;
  bend[2] += count > 1 ? INFINITY : v3_dot(y, m3_mul(rule.bend, y)) / steep;
}

static void curvature_of(const ff_distance *near, const ff_geom *a, const ff_pose *pose_a,
                         const ff_geom *b, const ff_pose *pose_b, double curvature[2]) {
  curvature[0] = curvature[1] = INFINITY;
  if (near->count_a != 1 || near->count_b != 1) {
    return;
  }
  double k[3] = {0, 0, 0};
  ff_vec3 u = v3_orthogonal(near->normal), v = v3_cross(near->normal, u);
  add_bend(a, pose_a, near->rules_a, near->count_a, near->on_a, u, v, k);
  add_bend(b, pose_b, near->rules_b, near->count_b, near->on_b, u, v, k);
  double half = 0.5 * (k[0] - k[2]), root = sqrt(half * half + k[1] * k[1]);
  curvature[0] = 0.5 * (k[0] + k[2]) + root;
  curvature[1] = fmax(0.5 * (k[0] + k[2]) - root, 0);
}

int ff_collide_smooth(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                      const ff_pose *pose_b, double margin, ff_sample *out) {
  double size = ff_geom_bound(a) + ff_geom_bound(b);
  ff_distance near;
  if (v3_norm(v3_sub(pose_a->position, pose_b->position)) - size > margin) {
    return 0;
  }
  ff_distance_query(&near, a, pose_a, b, pose_b, margin);
  out->normal = near.normal;
  if (!(-near.gap > -margin)) {
    return 0;
  }
  ff_sample_point(out, 0, v3_scale(0.5, v3_add(near.on_a, near.on_b)), near.normal,
                  v3_orthogonal(near.normal), -near.gap);
  curvature_of(&near, a, pose_a, b, pose_b, out->curvature);
  return 1;
}
