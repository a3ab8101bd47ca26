/* Shapes with flat places on a half-space, for solvers: flat places are domed a little, so that the
 * deepest point goes through their middle as they rock, where that of a sharp shape would jump
 * from rim to rim. */
#include "geom/touch.h"
#include "math/spatial.h"

#define BLUNT 0.1 /* of the radius of its edges: how much a rim is less deep than a sharp one */

/* m, radius of edges: as wished, within 0.1 to 50 % of the half thickness. */
static double edge_radius(const ff_geom *geom, double wish) {
  double half = ff_geom_thickness(geom);
  return greater(1e-3 * half, lesser(wish, 0.5 * half));
}

static bool is_blunt(const ff_geom *a, const ff_geom *b, double radius) {
  bool flat = a->kind == FF_CYLINDER || a->kind == FF_INTERSECTION ||
              (a->kind == FF_SUPERELLIPSOID && greater(a->exponents[0], a->exponents[1]) > 2);
  return radius > 0 && b->kind == FF_HALF_SPACE && flat;
}

/* ---- cylinders ----------------------------------------------------------------------------------
 *
 * A core with edges of the radius about it. Each cap has four corners on its rim that stay where
 * they are on the body, and its dome, see below. Of a cylinder that lies the domes of both caps are
 * the ends of the line it lies on. */

/* A disc of radius r, domed by e r, on a plane with normal n: the deepest point, level with the
 * plane that touches the dome, from the centre of the disc. With t the sine of the tilt the dome is
 * deeper than the centre by r (sqrt(t^2 + e^2) - e) / (sqrt(1 + e^2) - e), and touches where the
 * slope of this in t, instead of r, is the distance from the axis. wander: how this point moves
 * over the body as that turns, m/rad, column j about world axis j. */
static ff_vec3 dome_point(ff_vec3 axis, double radius, double blunt, ff_vec3 n, ff_mat3 *wander) {
  double lean = v3_dot(n, axis), e = blunt / radius, scale = radius / (sqrt(1 + e * e) - e);
  ff_vec3 down = v3_axpy(v3_neg(n), lean, axis);
  double root = sqrt(v3_dot(down, down) + e * e);
  for (int k = 0; k < 3; k++) {
    ff_vec3 turned = v3_cross(v3(k == 0, k == 1, k == 2), axis);
    ff_vec3 change = v3_axpy(v3_scale(lean, turned), v3_dot(n, turned), axis);
    double longer = v3_dot(down, change) / root / root; /* root, of itself */
    ff_vec3 at = v3_axpy(v3_axpy(change, -longer, down), e * e * longer, n);
    m3_set_column(wander, k, v3_scale(scale / root, at));
  }
  return v3_axpy(v3_scale(scale / root, down), scale * (e - e * e / root), n);
}

void ff_cylinder_plane_evaluate(const ff_geom *a, const ff_pose *pose_a, const ff_pose *pose_b,
                                double radius, ff_touch *io, ff_touch_slopes *slopes) {
  static const ff_vec3 rim[4] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
  double margin = edge_radius(a, radius), r = a->size.x - margin, h = a->size.y - margin;
  ff_vec3 n = q_axis_z(pose_b->orientation), axis = q_axis_z(pose_a->orientation);
  int corner = io->id.a % FF_CYLINDER_CAP;
  ff_vec3 centre = v3_axpy(pose_a->position, io->id.a < FF_CYLINDER_CAP ? -h : h, axis),
          fixed = centre;
  ff_vec3 at;
  ff_mat3 wander = {{{0}}};
  if (corner > 0) {
    at = fixed = v3_add(centre, q_rotate(pose_a->orientation, v3_scale(r, rim[corner - 1])));
  } else {
    at = v3_add(centre, dome_point(axis, r, BLUNT * margin, n, &wander));
  }
  io->normal = n;
  io->t1 = q_axis_x(pose_b->orientation);
  io->depth = margin - v3_dot(n, v3_sub(at, pose_b->position));
  io->point = v3_axpy(at, 0.5 * io->depth - margin, n);
  if (slopes) {
    for (int k = 0; k < 6; k++) {
      ff_vec3 e = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
      ff_vec3 moved =
          k < 3 ? e : v3_add(v3_cross(e, v3_sub(fixed, pose_a->position)), m3_mul(wander, e));
      m3_set_column(&slopes->point[k / 3], k % 3, v3_axpy(moved, -0.5 * v3_dot(n, moved), n));
      m3_set_column(&slopes->normal[k / 3], k % 3, v3(0, 0, 0));
    }
  }
}

/* The cap that faces the plane, or both ends of the side. */
static int cylinder_blunt(const ff_geom *a, const ff_pose *pose_a, const ff_pose *pose_b,
                          double radius, double margin, ff_touch *out) {
  double along = v3_dot(q_axis_z(pose_a->orientation), q_axis_z(pose_b->orientation));
  bool lies = !(2 * along * along > 1);
  int first = !lies && along < 0 ? FF_CYLINDER_CAP : 0, count = 0;
  for (int k = 0; k < (lies ? 2 : 5); k++) {
    ff_touch *to = &out[count];
    *to = (ff_touch){.curvature = {INFINITY, INFINITY}, .feature = -1, .weight = 1};
    to->id.kind = FF_PAIR_POINT;
    to->id.a = (short)(lies ? k * FF_CYLINDER_CAP : first + k);
    ff_cylinder_plane_evaluate(a, pose_a, pose_b, radius, to, NULL);
    count += to->depth > -margin;
  }
  return count;
}

/* ---- all of them --------------------------------------------------------------------------------
 */

int ff_geom_touch_blunt(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                        const ff_pose *pose_b, double radius, double margin,
                        ff_touch out[FF_TOUCH_MAX]) {
  if (!is_blunt(a, b, radius)) {
    return ff_geom_touch(a, pose_a, b, pose_b, margin, out);
  }
  double blunt = BLUNT * edge_radius(a, radius);
  int count = a->kind == FF_SUPERELLIPSOID
                  ? ff_touch_superellipsoid_blunt(a, pose_a, pose_b, blunt, margin, out)
              : a->kind == FF_INTERSECTION
                  ? ff_touch_intersection_blunt(a, pose_a, pose_b, blunt, margin, out)
                  : cylinder_blunt(a, pose_a, pose_b, radius, margin, out);
  for (int i = 0; i < count; i++) {
    out[i].weight = 1;
  }
  return count;
}
