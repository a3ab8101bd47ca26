#include "geom/spots.h"

#include "math/vec.h"

static ff_touch touch_at(ff_vec3 normal, double depth, ff_vec3 point, const ff_spot *spot) {
  return (ff_touch){.point = point,
                    .normal = normal,
                    .depth = depth,
                    .curvature = {INFINITY, INFINITY},
                    .spot = *spot};
}

/* ---- corners on faces ------------------------------------------------------------------------ */

/* A disc with this centre, outward normal and radius, a little domed (0: not at all), on a plane
 * with this normal: the deepest point, level with the plane that touches the dome. Of a flat disc
 * it leaps to the other side of the rim as that rocks through the level; of a dome it goes there
 * through the middle. With t the sine of the tilt, blunt = e r, the dome is deeper than the centre
 * by r (sqrt(t^2 + e^2) - e) / (sqrt(1 + e^2) - e), and touches where the slope of this in t,
 * instead of r, is the distance from the axis. */
static ff_vec3 dome(ff_vec3 centre, ff_vec3 axis, double radius, double blunt, ff_vec3 normal) {
  ff_vec3 down = v3_axpy(v3_neg(normal), v3_dot(normal, axis), axis);
  double square = v3_dot(down, down), e = blunt / radius, root = sqrt(square + e * e);
  double scale = radius / (sqrt(1 + e * e) - e);
  ff_vec3 at = v3_axpy(centre, scale / root, down);
  return v3_axpy(at, scale * (e - e * e / root), normal);
}

/* The end of a line, a corner of a face or (-1) its dome, where it touches a plane with this
 * outward normal. */
static ff_vec3 tip(const ff_flat *flat, int corner, ff_vec3 normal, double blunt) {
  if (corner < 0) {
    ff_vec3 centre = v3_scale(0.5, v3_add(flat->at[0], flat->at[flat->count / 2]));
    return dome(centre, flat->normal, flat->rim, blunt, normal);
  }
  ff_vec3 at = flat->at[corner];
  if (flat->radius == 0) {
    return at;
  }
  if (!flat->sharp) {
    return v3_axpy(at, -flat->radius, normal);
  }
  if (blunt > 0) {
    return dome(at, flat->normal, flat->radius, blunt, normal);
  }
  ff_vec3 across = v3_axpy(normal, -v3_dot(normal, flat->normal), flat->normal);
  return v3_axpy(at, -flat->radius / v3_norm(across), across);
}

/* A tip of one body on the face of the other. */
static void place_tip(const ff_flat *part, int corner, const ff_flat *face, const ff_spot *spot,
                      double blunt, ff_touch *out, ff_vec3 *at) {
  bool of_a = spot->kind == FF_SPOT_TIP_A;
  *at = tip(part, corner, face->normal, blunt);
  double depth = -v3_dot(face->normal, v3_sub(*at, face->at[0]));
  ff_vec3 middle = v3_axpy(*at, 0.5 * depth, face->normal);
  *out = touch_at(v3_scale(of_a ? 1 : -1, face->normal), depth, middle, spot);
  out->turns = of_a ? FF_TURNS_WITH_B : FF_TURNS_WITH_A;
}

/* ---- edges across edges ------------------------------------------------------------------------
 */

static bool place_crossing(const ff_flat *a, const ff_flat *b, const ff_spot *spot, ff_vec3 toward,
                           ff_touch *out, ff_vec3 *at, bool *beside) {
  int i = spot->a[1], k = spot->b[1];
  ff_vec3 p = a->at[i], q = b->at[k];
  ff_vec3 u = v3_sub(a->at[(i + 1) % a->count], p), w = v3_sub(b->at[(k + 1) % b->count], q);
  ff_vec3 n = v3_cross(u, w);
  double square = v3_dot(n, n);
  if (!(square > 1e-4 * v3_dot(u, u) * v3_dot(w, w))) {
    return false; /* parallel: corners say it all */
  }
  ff_vec3 apart = v3_sub(q, p);
  double s = v3_dot(v3_cross(apart, w), n) / square, t = v3_dot(v3_cross(apart, u), n) / square;
  double sense = v3_dot(n, toward) < 0 ? -1 : 1;
  n = v3_scale(sense / sqrt(square), n);
  *beside = !(s >= 0 && s <= 1 && t >= 0 && t <= 1);
  double depth = a->radius + b->radius + v3_dot(n, apart);
  *at = v3_axpy(v3_axpy(q, t, w), b->radius, n);
  *out = touch_at(n, depth, v3_axpy(*at, -0.5 * depth, n), spot);
  out->turns = FF_TURNS_WITH_BOTH;
  out->edge_a = u;
  out->edge_b = v3_scale(sense, w);
  return true;
}

/* ---- lines along lines --------------------------------------------------------------------------
 */

/* An end of a line beside another line. */
static bool place_end(const ff_flat *part, int end, const ff_flat *other, const ff_spot *spot,
                      ff_touch *out, ff_vec3 *at) {
  ff_vec3 from = v3_sub(part->at[end], other->at[0]);
  ff_vec3 off = v3_axpy(from, -v3_dot(from, other->normal), other->normal);
  double distance = v3_norm(off);
  if (!(distance > 0)) {
    return false;
  }
  ff_vec3 n = v3_scale(1 / distance, off);
  double depth = part->radius + other->radius - distance;
  ff_vec3 point = v3_axpy(part->at[end], -part->radius + 0.5 * depth, n);
  *at = part->at[end];
  *out = touch_at(v3_scale(spot->kind == FF_SPOT_END_A ? 1 : -1, n), depth, point, spot);
  out->curvature[0] = 1 / part->radius + 1 / other->radius;
  out->curvature[1] = 0;
  return true;
}

bool ff_spot_place(const ff_flat *a, const ff_flat *b, const ff_spot *spot, double blunt,
                   ff_vec3 toward, ff_touch *out, ff_vec3 *at, bool *beside) {
  *beside = false;
  switch (spot->kind) {
    case FF_SPOT_TIP_A: place_tip(a, spot->a[1], b, spot, blunt, out, at); return true;
    case FF_SPOT_TIP_B: place_tip(b, spot->b[1], a, spot, blunt, out, at); return true;
    case FF_SPOT_CROSSING: return place_crossing(a, b, spot, toward, out, at, beside);
    case FF_SPOT_END_A: return place_end(a, spot->a[1], b, spot, out, at);
    case FF_SPOT_END_B: return place_end(b, spot->b[1], a, spot, out, at);
    default: return false;
  }
}
