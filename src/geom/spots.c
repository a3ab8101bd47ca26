#include "geom/spots.h"

#include "geom/slopes.h"
#include "math/vec.h"

/* Faces that are named with a corner only tell where it went in. */
bool ff_spot_is_same(const ff_spot *s, const ff_spot *t) {
  if (s->kind != t->kind) {
    return false;
  }
  switch (s->kind) {
    case FF_SPOT_CORNER_A: return s->a[0] == t->a[0];
    case FF_SPOT_CORNER_B: return s->b[0] == t->b[0];
    default:
      return s->a[0] == t->a[0] && s->a[1] == t->a[1] && s->b[0] == t->b[0] && s->b[1] == t->b[1];
  }
}

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
    return dome(ff_flat_middle(flat), flat->normal, flat->rim, blunt, normal);
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

/* How the dome wanders as its body turns: m/rad, column j about world axis j. */
static ff_mat3 dome_wander(ff_vec3 axis, double radius, double blunt, ff_vec3 normal) {
  double lean = v3_dot(normal, axis), e = blunt / radius;
  ff_vec3 down = v3_axpy(v3_neg(normal), lean, axis);
  double root = sqrt(v3_dot(down, down) + e * e), scale = radius / (sqrt(1 + e * e) - e);
  ff_mat3 out;
  for (int k = 0; k < 3; k++) {
    ff_vec3 turned = v3_cross(v3(k == 0, k == 1, k == 2), axis);
    ff_vec3 change = v3_axpy(v3_scale(lean, turned), v3_dot(normal, turned), axis);
    double longer = v3_dot(down, change) / root / root; /* root, of itself */
    ff_vec3 at = v3_axpy(v3_axpy(change, -longer, down), e * e * longer, normal);
    m3_set_column(&out, k, v3_scale(scale / root, at));
  }
  return out;
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

static bool tip_slopes(const ff_flat *part, int corner, const ff_flat *face, const ff_touch *touch,
                       double blunt, ff_vec3 origin, ff_touch_slopes *out) {
  bool domed = corner < 0 || (part->radius > 0 && part->sharp);
  ff_vec3 at = corner < 0 ? ff_flat_middle(part) : part->at[corner];
  double radius = corner < 0 ? part->rim : part->radius;
  ff_bend flat = {v3_orthogonal(face->normal), 0, 0};
  ff_mat3 wander;
  if (domed) {
    wander = dome_wander(part->normal, radius, blunt, face->normal);
  }
  return ff_slopes_of_tip(out, touch, origin, touch->spot.kind == FF_SPOT_TIP_A, at, &flat,
                          domed ? &wander : NULL);
}

/* ---- edges across edges ------------------------------------------------------------------------
 *
 * Where the distance of a point of one from the other has its least, next to where they cross as
 * seen along the normal. Straight edges have one such place; a rim has two on what crosses it, each
 * on its half of it. */

typedef struct edge {
  bool round;
  ff_vec3 at;    /* m, where it begins, or the middle of a rim */
  ff_vec3 along; /* m, to where it ends; unit, the axis of a rim */
  double radius; /* m, of a rim */
} edge;

static edge edge_of(const ff_flat *flat, int i) {
  if (flat->round) {
    return (edge){true, ff_flat_middle(flat), flat->normal, flat->rim};
  }
  return (edge){false, flat->at[i], v3_sub(flat->at[(i + 1) % flat->count], flat->at[i]), 0};
}

/* The point of an edge, or of the line that it is on, that is nearest to another; t: how far along
 * it is, 0 of a rim. way: unit, along the edge there; bent: by how much faster than the other it
 * goes if that moves along it. */
static ff_vec3 foot(const edge *of, ff_vec3 from, double *t, ff_vec3 *way, double *bent) {
  ff_vec3 off = v3_sub(from, of->at);
  if (!of->round) {
    *t = v3_dot(off, of->along) / v3_dot(of->along, of->along);
    *way = v3_unit(of->along);
    *bent = 1;
    return v3_axpy(of->at, *t, of->along);
  }
  ff_vec3 out = v3_axpy(off, -v3_dot(off, of->along), of->along);
  double distance = v3_norm(out);
  *t = 0;
  *way = v3_scale(1 / distance, v3_cross(of->along, out));
  *bent = of->radius / distance;
  return v3_axpy(of->at, of->radius / distance, out);
}

/* Which way from the middle of a rim the half is on which another edge crosses it for the first or
 * the second time. False: it does not. */
static bool half_of(const edge *rim, const edge *other, bool second, ff_vec3 *out) {
  ff_vec3 way = other->round ? v3_cross(rim->along, v3_sub(other->at, rim->at)) : other->along;
  way = v3_axpy(way, -v3_dot(way, rim->along), rim->along);
  double length = v3_norm(way);
  *out = v3_scale((second ? 1 : -1) / length, way);
  return length > 0;
}

/* Half a rim: its middle is out, at a right angle to which it goes along. */
typedef struct half_rim {
  const edge *rim, *other;
  ff_vec3 out, along;
} half_rim;

/* Half the slope of the square of the distance from the other edge at an angle, and its slope. */
static double slope_at(const half_rim *h, double angle, ff_vec3 *at, ff_vec3 *on, double *t,
                       double *rise) {
  double c = cos(angle), s = sin(angle), radius = h->rim->radius, bent;
  ff_vec3 away = v3_add(v3_scale(c, h->out), v3_scale(s, h->along)), way;
  ff_vec3 along = v3_sub(v3_scale(c, h->along), v3_scale(s, h->out));
  *at = v3_axpy(h->rim->at, radius, away);
  *on = foot(h->other, *at, t, &way, &bent);
  ff_vec3 apart = v3_sub(*at, *on);
  double with = v3_dot(way, along);
  *rise = radius - v3_dot(apart, away) - bent * radius * with * with;
  return v3_dot(apart, along);
}

/* Newton's method where that rises, and halves of what is left elsewhere; false: on this half there
 * is no least distance, but at an end of it. */
static bool cross_rim(const edge *rim, const edge *other, bool second, ff_vec3 *at, ff_vec3 *on,
                      double *t) {
  half_rim h = {.rim = rim, .other = other};
  if (!half_of(rim, other, second, &h.out)) {
    return false;
  }
  h.along = v3_cross(rim->along, h.out);
  double low = -0.5 * ff_pi, high = 0.5 * ff_pi, angle = 0, rise;
  for (int k = 0; k < 60; k++) {
    double slope = slope_at(&h, angle, at, on, t, &rise), next = angle - slope / rise;
    low = slope < 0 ? angle : low;
    high = slope < 0 ? high : angle;
    next = rise > 0 && next > low && next < high ? next : 0.5 * (low + high);
    bool settled = fabs(next - angle) < 1e-15;
    angle = next;
    if (settled) {
      break;
    }
  }
  slope_at(&h, angle, at, on, t, &rise);
  return rise > 0 && fabs(angle) < 0.5 * ff_pi - 1e-6;
}

/* Straight edges; false: they are parallel, and corners say it all. */
static bool cross_straight(const edge *a, const edge *b, ff_vec3 *n, double *s, double *t) {
  *n = v3_cross(a->along, b->along);
  double square = v3_dot(*n, *n);
  if (!(square > 1e-4 * v3_dot(a->along, a->along) * v3_dot(b->along, b->along))) {
    return false;
  }
  ff_vec3 apart = v3_sub(b->at, a->at);
  *s = v3_dot(v3_cross(apart, b->along), *n) / square;
  *t = v3_dot(v3_cross(apart, a->along), *n) / square;
  return true;
}

static ff_vec3 foot_within(const edge *of, ff_vec3 from) {
  double t, bent;
  ff_vec3 way, on = foot(of, from, &t, &way, &bent);
  return of->round ? on : v3_axpy(of->at, fmax(0, fmin(1, t)), of->along);
}

/* Two points of edges and the normal there. s, t: how far along they are. False: there is none. */
static bool cross(const edge *a, const edge *b, const ff_spot *spot, ff_vec3 *on_a, ff_vec3 *on_b,
                  ff_vec3 *n, double *s, double *t) {
  *s = *t = 0.5;
  if (!a->round && !b->round) {
    bool crosses = cross_straight(a, b, n, s, t);
    *on_a = v3_axpy(a->at, *s, a->along);
    *on_b = v3_axpy(b->at, *t, b->along);
    return crosses;
  }
  bool crosses = a->round ? cross_rim(a, b, spot->a[1], on_a, on_b, t)
                          : cross_rim(b, a, spot->b[1], on_b, on_a, s);
  *n = v3_sub(*on_a, *on_b);
  return crosses;
}

/* Where two edges touch, or are nearest. */
typedef struct meeting {
  edge a, b;
  ff_vec3 on_a, on_b, n;
  bool crosses, beside;
  bool within; /* beside one another, they were taken where they end */
} meeting;

/* Lines that do not cross, or beside one of the edges, are not where these touch; looked at again,
 * they may have been. Then edges are where they are nearest. */
static meeting meet(const ff_flat *a, const ff_flat *b, const ff_spot *spot, ff_vec3 toward) {
  meeting m = {.a = edge_of(a, spot->a[1]), .b = edge_of(b, spot->b[1])};
  double s, t;
  m.crosses = cross(&m.a, &m.b, spot, &m.on_a, &m.on_b, &m.n, &s, &t);
  m.n = m.crosses ? v3_scale(v3_dot(m.n, toward) < 0 ? -1 : 1, v3_unit(m.n)) : toward;
  m.beside = !m.crosses || !(s >= 0 && s <= 1 && t >= 0 && t <= 1);
  m.within = m.beside && v3_dot(m.n, v3_sub(m.on_a, m.on_b)) > 0;
  if (m.within) {
    m.on_b = foot_within(&m.b, foot_within(&m.a, m.on_a));
    m.on_a = foot_within(&m.a, m.on_b);
    m.n = v3_unit(v3_sub(m.on_a, m.on_b));
  }
  return m;
}

static bool place_crossing(const ff_flat *a, const ff_flat *b, const ff_spot *spot, ff_vec3 toward,
                           ff_touch *out, ff_vec3 *at, bool *beside) {
  meeting m = meet(a, b, spot, toward);
  *beside = m.beside;
  double depth = a->radius + b->radius - v3_dot(m.n, v3_sub(m.on_a, m.on_b));
  *at = v3_axpy(m.on_b, b->radius, m.n);
  *out = touch_at(m.n, depth, v3_axpy(*at, -0.5 * depth, m.n), spot);
  out->turns = FF_TURNS_WITH_BOTH;
  out->edge_a = m.a.along;
  bool against = v3_dot(v3_cross(m.a.along, m.b.along), m.n) < 0;
  out->edge_b = v3_scale(against ? -1 : 1, m.b.along);
  return v3_finite(m.n);
}

/* As an edge goes on from a point of it. */
static ff_line line_at(const edge *of, ff_vec3 at) {
  ff_vec3 out = v3_sub(at, of->at);
  if (!of->round) {
    return (ff_line){at, v3_unit(of->along), {0, 0, 0}};
  }
  return (ff_line){at, v3_scale(1 / of->radius, v3_cross(of->along, out)),
                   v3_scale(-1 / (of->radius * of->radius), out)};
}

static bool is_end(const edge *of, ff_vec3 at) {
  double t = v3_dot(v3_sub(at, of->at), of->along) / v3_dot(of->along, of->along);
  return !of->round && (t <= 1e-12 || t >= 1 - 1e-12);
}

static bool crossing_slopes(const ff_flat *a, const ff_flat *b, const ff_touch *touch,
                            ff_vec3 origin, ff_touch_slopes *out) {
  meeting m = meet(a, b, &touch->spot, touch->normal);
  if (m.crosses && !m.within) {
    ff_line line_a = line_at(&m.a, m.on_a), line_b = line_at(&m.b, m.on_b);
    return ff_slopes_of_lines(out, touch, origin, &line_a, &line_b);
  }
  bool end_a = is_end(&m.a, m.on_a), end_b = is_end(&m.b, m.on_b);
  const edge *other = end_a ? &m.b : &m.a;
  if (!m.within || !(end_a || end_b) || other->round) {
    return false;
  }
  ff_vec3 along = end_a && end_b ? v3(0, 0, 0) : v3_unit(other->along);
  return ff_slopes_of_ends(out, touch, origin, end_a, end_a ? m.on_a : m.on_b, along,
                           v3_norm(v3_sub(m.on_a, m.on_b)));
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

static bool end_slopes(const ff_flat *part, int end, const ff_flat *other, const ff_touch *touch,
                       ff_vec3 origin, ff_touch_slopes *out) {
  ff_vec3 from = v3_sub(part->at[end], other->at[0]);
  double distance = v3_norm(v3_axpy(from, -v3_dot(from, other->normal), other->normal));
  return ff_slopes_of_ends(out, touch, origin, touch->spot.kind == FF_SPOT_END_A, part->at[end],
                           other->normal, distance);
}

/* ---- all between two sides
 * --------------------------------------------------------------------- */

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

bool ff_spot_slopes(const ff_flat *a, const ff_flat *b, const ff_touch *touch, double blunt,
                    ff_vec3 origin, ff_touch_slopes *out) {
  const ff_spot *spot = &touch->spot;
  switch (spot->kind) {
    case FF_SPOT_TIP_A: return tip_slopes(a, spot->a[1], b, touch, blunt, origin, out);
    case FF_SPOT_TIP_B: return tip_slopes(b, spot->b[1], a, touch, blunt, origin, out);
    case FF_SPOT_CROSSING: return crossing_slopes(a, b, touch, origin, out);
    case FF_SPOT_END_A: return end_slopes(a, spot->a[1], b, touch, origin, out);
    case FF_SPOT_END_B: return end_slopes(b, spot->b[1], a, touch, origin, out);
    default: return false;
  }
}

/* ---- corners beside anything
 * ---------------------------------------------------------------------- */

/* A corner, m, and how far (m) and which way it is out of the other shape, both in world axes. */
static double out_of_other(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                           const ff_pose *pose_b, const ff_spot *spot, ff_vec3 *corner, ff_vec3 *n,
                           ff_bend *bend) {
  bool of_a = spot->kind == FF_SPOT_CORNER_A;
  const ff_pose *pose = of_a ? pose_b : pose_a;
  *corner = of_a ? pose_point(*pose_a, ff_flat_corner(a, spot->a[0]))
                 : pose_point(*pose_b, ff_flat_corner(b, spot->b[0]));
  ff_vec3 local = q_unrotate(pose->orientation, v3_sub(*corner, pose->position)), away;
  double gap = ff_geom_from(of_a ? b : a, local, of_a ? spot->b[0] : spot->a[0], &away, bend);
  *n = q_rotate(pose->orientation, away);
  if (bend) {
    bend->along = q_rotate(pose->orientation, bend->along);
  }
  return gap;
}

void ff_spot_place_corner(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                          const ff_pose *pose_b, const ff_spot *spot, ff_touch *out) {
  bool of_a = spot->kind == FF_SPOT_CORNER_A;
  const ff_geom *from = of_a ? a : b;
  ff_vec3 corner, n;
  double gap = out_of_other(a, pose_a, b, pose_b, spot, &corner, &n, NULL);
  ff_vec3 on = v3_axpy(corner, -gap, n);
  double depth = (from->kind == FF_CAPSULE ? from->size.x : 0) - gap;
  *out = touch_at(v3_scale(of_a ? 1 : -1, n), depth, v3_axpy(on, -0.5 * depth, n), spot);
}

bool ff_spot_corner_slopes(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                           const ff_pose *pose_b, const ff_touch *touch, ff_touch_slopes *out) {
  ff_vec3 corner, n;
  ff_bend bend;
  out_of_other(a, pose_a, b, pose_b, &touch->spot, &corner, &n, &bend);
  return ff_slopes_of_tip(out, touch, pose_a->position, touch->spot.kind == FF_SPOT_CORNER_A,
                          corner, &bend, NULL);
}
