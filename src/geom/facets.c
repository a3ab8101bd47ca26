#include "geom/facets.h"

#include "geom/hull.h"
#include "geom/manifold_parts.h"
#include "geom/parts.h"
#include "geom/shape.h"
#include "math/elementary.h"
#include "math/spatial.h"

#define CORE_CAPSULE 0.25 /* of the radius: that of the capsule whose distances are taken */
#define DIAGONAL     0.70710678118654752440

bool ff_geom_has_facets(ff_shape_kind kind) {
  return ff_shapes[kind]->facets != FF_FACETS_NONE;
}

bool ff_facets_are_inside(ff_shape_kind kind) {
  return ff_shapes[kind]->facets == FF_FACETS_PRISM || ff_shapes[kind]->facets == FF_FACETS_RIMS;
}

bool ff_geom_is_faceted(const ff_geom *geom) {
  return ff_geom_has_facets(geom->kind) && (geom->kind != FF_INTERSECTION || geom->parts->facets);
}

static double least3(ff_vec3 s) {
  return lesser(s.x, lesser(s.y, s.z));
}

bool ff_facets_turn(ff_shape_kind kind) {
  return ff_shapes[kind]->facets == FF_FACETS_PRISM;
}

static ff_geom hull_geom(const ff_hull *hull) {
  return (ff_geom){.kind = FF_POLYHEDRON, .hull = hull};
}

/* The prism in a cylinder, the pyramid in a cone. */
static ff_geom prism_of(const ff_geom *geom) {
  double half = DIAGONAL * geom->size.x;
  return geom->hull ? hull_geom(geom->hull)
                    : (ff_geom){.kind = FF_BOX, .size = {half, half, geom->size.y}};
}

double ff_cone_incentre(const ff_geom *cone, double *inside) {
  double r = cone->size.x, h = cone->size.y;
  *inside = r * h / (r + sqrt(r * r + h * h));
  return *inside - 0.25 * h;
}

void ff_cone_erode(ff_geom *io, ff_pose *pose, double by) {
  double inside, middle = ff_cone_incentre(io, &inside), part = by / inside;
  io->size = v3_scale(1 - part, io->size);
  pose->position = v3_axpy(pose->position, part * middle, q_axis_z(pose->orientation));
}

/* Least margin of a core with this half thickness. */
static double margin_of(const ff_geom *geom, double half) {
  return (ff_geom_is_round_sided(geom->kind) ? FF_ROUND_MARGIN : FF_CORE_MARGIN) * half;
}

double ff_facets_margin(const ff_geom *geom, bool sharp, double *reach) {
  *reach = geom->kind == FF_INTERSECTION ? geom->parts->bound : 0;
  if (sharp) {
    return 0;
  }
  const ff_hull *hull = geom->hull;
  if (geom->kind == FF_INTERSECTION) {
    hull = geom->parts->facets;
    *reach = 2 * geom->parts->bound;
    return hull->inner_depth;
  }
  if (hull) { /* of a cone: its tip is within the bound of the core's middle */
    *reach = hull->inner_reach;
    if (geom->kind == FF_CONE) {
      *reach = greater(*reach, 2 * ff_geom_bound(geom) * hull->inner_depth / hull->inside);
    }
    return hull->inner_depth;
  }
  if (geom->kind == FF_CAPSULE) {
    *reach = geom->size.x;
    return FF_CORE_MARGIN * geom->size.x;
  }
  ff_geom box = geom->kind == FF_CYLINDER ? prism_of(geom) : *geom;
  double margin = margin_of(geom, least3(box.size));
  *reach = 1.75 * margin; /* the diagonal of a cube */
  return margin;
}

bool ff_facets_core(ff_geom *out, ff_pose *pose_out, double *lack, const ff_geom *geom,
                    const ff_pose *pose, bool sharp) {
  double reach;
  *pose_out = *pose;
  *lack = 0;
  *out = *geom;
  switch (geom->kind) {
    case FF_BOX:
    case FF_CYLINDER: {
      double margin = ff_facets_margin(geom, sharp, &reach);
      bool box = geom->kind == FF_BOX;
      out->size = v3_sub(geom->size, v3(margin, margin, box ? margin : 0));
      return true;
    }
    case FF_CONE: ff_cone_erode(out, pose_out, ff_facets_margin(geom, sharp, &reach)); return true;
    case FF_CAPSULE: *lack = out->size.x = CORE_CAPSULE * geom->size.x; return true;
    case FF_POLYHEDRON:
      *out = sharp ? *geom : hull_geom(geom->hull->inner);
      return geom->hull->inner != NULL;
    case FF_INTERSECTION:
      if (!geom->parts->facets) {
        return false;
      }
      *out = hull_geom(sharp ? geom->parts->facets : geom->parts->facets->inner);
      *pose_out = pose_mul(*pose, geom->parts->facets_pose);
      return true;
    default: return false;
  }
}

/* rad: angles between contact and axis up to which the prism is fixed in the body, and from which
 * on it is turned. In between the weights go from one prism to the other; solved steps take them
 * for constant, so that a body that rocks through a narrow range within a step gains energy. At
 * small angles the edge towards the contact goes round the axis in a few steps, and feature pairs
 * of two finite shapes with it: these have a larger lower limit. On a half-space corners have no
 * other feature, and the fixed prism is shallower than the rim by 0.3 of the radius times the
 * angle: there the lower limit is small. */
typedef struct tilt_range {
  double fixed_up_to, turned_from;
} tilt_range;
static const tilt_range pair_tilts = {0.005, 0.03}, plane_tilts = {0.001, 0.02};

/* The direction e square to the axis z that is towards the contact, and f = z x e. With n' the part
 * of n across z, e turns about z by (f.dn - (n.z) f.dz) / |n'|, with the sign of e along n'; the
 * axis of a turns with it by dz = dw x z, so that f.dz = -dw.e, and its prism by dw.z less than
 * that in the body. */
static int find_prisms(ff_facets out[2], const ff_geom *geom, const ff_pose *pose, bool of_a,
                       const tilt_range *tilts, ff_vec3 n, const ff_mat3 rate[2], bool all,
                       double *spin) {
  ff_vec3 z = q_axis_z(pose->orientation);
  double along = v3_dot(n, z), sign = of_a ? -1 : 1, step_rate;
  ff_vec3 across = v3_axpy(n, -along, z);
  double sine = v3_norm(across), per = 1 / greater(sine, 1e-300);
  double range = tilts->turned_from - tilts->fixed_up_to;
  double share = ff_smooth_step((sine - tilts->fixed_up_to) / range, &step_rate);
  ff_geom prism = prism_of(geom), core = prism;
  if (geom->hull) {
    core.hull = geom->hull->inner;
  } else {
    double margin = margin_of(geom, least3(prism.size));
    core.size = v3_sub(prism.size, v3(margin, margin, margin));
  }
  /* of the sine, -along / sine (z.dn + n.dz); the axis of b rests */
  ff_vec3 by_shift = m3_tmul(rate[0], z), by_turn = m3_tmul(rate[1], z);
  by_turn = of_a ? v3_add(by_turn, v3_cross(z, n)) : by_turn;
  double slope = -along * per * step_rate / range;
  ff_gradient d_share = {v3_scale(slope, by_shift), v3_scale(slope, by_turn)};
  ff_facets both = {
      .geom = prism, .core = core, .pose = *pose, .axis = z, .centre = pose->position};
  int count = 0;
  if (share < 1 || all) {
    out[count] = both;
    out[count].share = 1 - share;
    out[count].d_share = (ff_gradient){v3_neg(d_share.shift), v3_neg(d_share.turn)};
    count++;
  }
  bool turned = isnan(*spin);
  if (share > 0 || !turned || (all && sine > 1e-9)) {
    ff_facets *to = &out[count++];
    ff_vec3 e = v3_scale(sign * per, across), f = v3_cross(z, e);
    if (turned) {
      ff_vec3 local = q_unrotate(pose->orientation, e);
      *spin = ff_atan2(local.y, local.x) - 0.25 * ff_pi;
    }
    *to = both;
    to->share = share;
    to->d_share = d_share;
    to->first_id = FF_TURNED_PRISM;
    to->turned = turned;
    to->pose.orientation = q_mul(pose->orientation, q_exp(v3(0, 0, *spin)));
    to->spin.shift = v3_scale(sign * per, m3_tmul(rate[0], f));
    to->spin.turn = v3_scale(sign * per, m3_tmul(rate[1], f));
    if (of_a) {
      to->spin.turn = v3_sub(v3_axpy(to->spin.turn, -per * along, e), z);
    }
  }
  return count;
}

/* Vertices i at the bottom and S + i at the top; faces i of the side, then bottom and top; edges i
 * of the bottom, S + i of the top, 2 S + i upright. */
static void rim_topology(ff_rim_prism *to) {
  enum { S = FF_RIM_SIDES };
  for (int i = 0; i < S; i++) {
    int next = (i + 1) % S, last = (i + S - 1) % S;
    to->edges[i] = (ff_hull_edge){{i, next}, {i, S}};
    to->edges[S + i] = (ff_hull_edge){{S + i, S + next}, {S + 1, i}};
    to->edges[2 * S + i] = (ff_hull_edge){{i, S + i}, {last, i}};
    const int side[4] = {i, 2 * S + next, S + i, 2 * S + i},
              corners[4] = {i, next, S + next, S + i};
    const int ring[2][3] = {{i, last, S}, {i, S + 1, last}};
    const int ring_edge[2][3] = {{2 * S + i, last, i}, {S + i, S + last, 2 * S + i}};
    for (int k = 0; k < 4; k++) {
      to->side[4 * i + k] = side[k];
      to->corners[4 * i + k] = corners[k];
    }
    for (int k = 0; k < 6; k++) {
      to->ring[3 * (k / 3 * S + i) + k % 3] = ring[k / 3][k % 3];
      to->ring_edge[3 * (k / 3 * S + i) + k % 3] = ring_edge[k / 3][k % 3];
    }
    to->side[4 * S + i] = i;
    to->side[5 * S + i] = S + i;
    to->corners[4 * S + i] = S - 1 - i;
    to->corners[5 * S + i] = S + i;
  }
  for (int f = 0; f < S + 2; f++) {
    to->face_size[f] = f < S ? 4 : S;
    to->face_start[f] = f < S ? 4 * f : (4 + f - S) * S;
  }
  to->face_start[S + 2] = 6 * S;
  for (int v = 0; v <= 2 * S; v++) {
    to->ring_start[v] = 3 * v;
  }
}

static void rim_hull(const ff_rim_prism *topology, ff_hull *to, ff_vec3 *vertices, ff_vec3 *way,
                     ff_vec3 *normal, double *offset, double radius, double half) {
  enum { S = FF_RIM_SIDES };
  static const double turn = 2 * ff_pi / S;
  for (int i = 0; i < S; i++) {
    double at = turn * i;
    vertices[i] = v3(radius * ff_cos(at), radius * ff_sin(at), -half);
    vertices[S + i] = v3(vertices[i].x, vertices[i].y, half);
    way[i] = v3(-ff_cos(at) / ff_cos(0.5 * turn), -ff_sin(at) / ff_cos(0.5 * turn), 1);
    way[S + i] = v3(way[i].x, way[i].y, -1);
    normal[i] = v3(ff_cos(at + 0.5 * turn), ff_sin(at + 0.5 * turn), 0);
    offset[i] = radius * ff_cos(0.5 * turn);
  }
  normal[S] = v3(0, 0, -1);
  normal[S + 1] = v3(0, 0, 1);
  offset[S] = offset[S + 1] = half;
  *to = (ff_hull){.vertices = vertices,
                  .vertex_count = 2 * S,
                  .corners = topology->corners,
                  .face_size = topology->face_size,
                  .face_start = topology->face_start,
                  .normal = normal,
                  .offset = offset,
                  .face_count = S + 2,
                  .edges = topology->edges,
                  .edge_count = 3 * S,
                  .bound = sqrt(radius * radius + half * half),
                  .inside = lesser(offset[0], half),
                  .way = way};
  to->way_until = to->inside;
  to->topology = (ff_topology){2 * S,
                               3 * S,
                               S + 2,
                               topology->edges,
                               topology->face_start,
                               topology->side,
                               topology->ring_start,
                               topology->ring,
                               topology->ring_edge};
}

void ff_facets_rim(ff_facets *out, ff_rim_prism *room, const ff_geom *cylinder,
                   const ff_pose *pose) {
  double r = cylinder->size.x, h = cylinder->size.y;
  double margin = margin_of(cylinder, least3(prism_of(cylinder).size));
  rim_topology(room);
  rim_hull(room, &room->of.hull, room->of.vertices, room->of.way, room->of.normal, room->of.offset,
           r, h);
  rim_hull(room, &room->core.hull, room->core.vertices, room->core.way, room->core.normal,
           room->core.offset, r - margin, h - margin);
  *out = (ff_facets){.geom = hull_geom(&room->of.hull),
                     .core = hull_geom(&room->core.hull),
                     .pose = *pose,
                     .first_id = FF_RIM_PRISM,
                     .share = 1,
                     .axis = q_axis_z(pose->orientation),
                     .centre = pose->position};
}

int ff_facets_find(ff_facets out[2], const ff_geom *geom, const ff_pose *pose, bool of_a,
                   bool sharp, ff_vec3 normal, const ff_mat3 normal_rate[2], bool all,
                   double *spin) {
  if (ff_facets_turn(geom->kind)) {
    return find_prisms(out, geom, pose, of_a, &pair_tilts, normal, normal_rate, all, spin);
  }
  ff_pose core_pose;
  out[0] = (ff_facets){.geom = *geom, .pose = *pose, .share = 1, .centre = pose->position};
  ff_facets_core(&out[0].core, &core_pose, &out[0].core_radius, geom, pose, sharp);
  if (geom->kind == FF_CAPSULE) {
    out[0].radius = geom->size.x;
    out[0].axis = q_axis_z(pose->orientation);
  } else if (geom->kind == FF_INTERSECTION) {
    out[0].geom = hull_geom(geom->parts->facets);
    out[0].pose = core_pose;
  }
  return 1;
}

int ff_facets_on_plane(ff_facets out[2], const ff_geom *geom, const ff_pose *pose, ff_vec3 normal,
                       bool all, double *spin) {
  static const ff_mat3 fixed[2];
  if (ff_facets_turn(geom->kind)) {
    return find_prisms(out, geom, pose, true, &plane_tilts, normal, fixed, all, spin);
  }
  return ff_facets_find(out, geom, pose, true, true, normal, fixed, all, spin);
}

bool ff_facets_have_rim(const ff_geom *geom, const ff_facets *of) {
  return geom->kind == FF_CYLINDER && of->first_id == 0;
}

const ff_facets *ff_facets_with_id(const ff_facets facets[2], int count, const ff_facets *rim,
                                   int id) {
  int first = id < FF_TURNED_PRISM ? 0 : FF_TURNED_PRISM;
  return id >= FF_RIM_PRISM                          ? rim
         : count == 2 && facets[1].first_id == first ? &facets[1]
                                                     : &facets[0];
}

ff_vec3 ff_facets_vertex(const ff_facets *of, int v) {
  ff_vec3 s = of->geom.size, at = v3(v & 1 ? s.x : -s.x, v & 2 ? s.y : -s.y, v & 4 ? s.z : -s.z);
  if (of->geom.kind == FF_POLYHEDRON) {
    at = of->geom.hull->vertices[v];
  } else if (of->geom.kind == FF_CAPSULE) {
    at = v3(0, 0, v ? s.y : -s.y);
  }
  return pose_point(of->pose, at);
}

/* ---- derivatives of the normal ------------------------------------------------------------------
 *
 * Let W be the radii of curvature of a surface: as its outward normal changes by dm, the point that
 * is farthest along it moves over the surface by W dm; W is 0 at vertices, infinite on faces and
 * along edges. With u the displacement of the point of a that is nearest, g the distance and dw the
 * turn of a,
 *   (g + W_a + W_b) dn = u + W_a (dw x n)
 * across n: the least squares of g |dn - u / g|^2, of W_b dn and of W_a (dn - dw x n), found one
 * direction after another [recursive least squares].
 */

#define LEVEL 1e-9 /* of the size; rad: what is lower, or tilts, by less is level */

/* Directions across the normal in which a surface is curved, with radii of curvature. */
typedef struct surface_bend {
  ff_vec3 along[2];
  double radius[2]; /* m; INFINITY: flat */
  int count;
} surface_bend;

static void bend_flat(surface_bend *out, ff_vec3 n) {
  out->along[0] = v3_orthogonal(n);
  out->along[1] = v3_cross(n, out->along[0]);
  out->radius[0] = out->radius[1] = INFINITY;
  out->count = 2;
}

/* Of the vertices that are level with the farthest: one, a line, or a face. */
static void bend_polytope(surface_bend *out, const ff_geom *geom, ff_quat q, ff_vec3 m) {
  ff_vec3 d = q_unrotate(q, m), first = ff_geom_support(geom, d), line = v3(0, 0, 0),
          s = geom->size;
  double size = ff_geom_bound(geom), high = v3_dot(d, first) - LEVEL * size, length = 0, wide = 0;
  int count = geom->kind == FF_BOX ? 8 : geom->hull->vertex_count;
  for (int pass = 0; pass < 2; pass++) {
    for (int v = 0; v < count; v++) {
      ff_vec3 at = geom->kind == FF_BOX
                       ? v3(v & 1 ? s.x : -s.x, v & 2 ? s.y : -s.y, v & 4 ? s.z : -s.z)
                       : geom->hull->vertices[v];
      ff_vec3 off = v3_sub(at, first);
      if (v3_dot(d, at) > high && pass == 0 && v3_norm(off) > length) {
        length = v3_norm(off);
        line = v3_scale(1 / length, off);
      } else if (v3_dot(d, at) > high && pass == 1) {
        wide = greater(wide, v3_norm(v3_cross(line, off)));
      }
    }
  }
  if (wide > 1e-6 * length) {
    bend_flat(out, m);
  } else if (length > 0) {
    out->along[0] = q_rotate(q, line);
    out->radius[0] = INFINITY;
    out->count = 1;
  }
}

/* Of a cone at the outward normal m, where it is at this point (world): the rim, a line of its
 * side, or the tip, where it is not curved. */
static void bend_cone(surface_bend *out, const ff_geom *geom, const ff_pose *pose, ff_vec3 m,
                      ff_vec3 at) {
  ff_vec3 z = q_axis_z(pose->orientation), side = v3_cross(z, m);
  double r = geom->size.x, h = geom->size.y, along = v3_dot(z, m), sine = v3_norm(side);
  double steep = (h * along - r * sine) / sqrt(h * h + r * r); /* > 0: the tip */
  if (sine < LEVEL && along < 0) {
    bend_flat(out, m);
  } else if (fabs(steep) < LEVEL) {
    ff_vec3 off = v3_sub(at, pose->position), e = v3_scale(1 / sine, side);
    out->along[0] = e;
    out->radius[0] = v3_norm(v3_axpy(off, -v3_dot(off, z), z)) / sine;
    out->along[1] = v3_cross(e, m);
    out->radius[1] = INFINITY;
    out->count = 2;
  } else if (steep < 0) {
    out->along[0] = v3_scale(1 / sine, side);
    out->radius[0] = r / sine;
    out->count = 1;
  }
}

/* Of a core at the outward normal m, and at a point (m, world). */
static surface_bend bend_of(const ff_geom *geom, const ff_pose *pose, ff_vec3 m, ff_vec3 at) {
  surface_bend out = {.count = 0};
  ff_vec3 z = q_axis_z(pose->orientation), side = v3_cross(z, m);
  double sine = v3_norm(side);
  bool lies = fabs(v3_dot(z, m)) < LEVEL;
  if (geom->kind == FF_BOX || geom->kind == FF_POLYHEDRON) {
    bend_polytope(&out, geom, pose->orientation, m);
  } else if (geom->kind == FF_CONE) {
    bend_cone(&out, geom, pose, m, at);
  } else if (geom->kind == FF_CYLINDER && sine < LEVEL) {
    bend_flat(&out, m);
  } else if (geom->kind == FF_CYLINDER) {
    out.along[0] = v3_scale(1 / sine, side);
    out.radius[0] = geom->size.x / sine;
    out.count = 1;
  }
  if ((geom->kind == FF_CYLINDER || geom->kind == FF_CAPSULE) && lies && out.count < 2) {
    out.along[out.count] = z;
    out.radius[out.count++] = INFINITY;
  }
  return out;
}

/* Changes of the normal as the point of a that is nearest moves by apart[k], and a turns by
 * turn[k]. */
static void normal_changes(ff_vec3 *out, int count, const ff_vec3 *apart, const ff_vec3 *turn,
                           ff_vec3 n, double gap, const surface_bend bend[2]) {
  ff_mat3 spread = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; /* covariance, times g */
  double per = 1 / greater(gap, 1e-12);
  for (int k = 0; k < count; k++) {
    out[k] = v3_scale(per, v3_axpy(apart[k], -v3_dot(apart[k], n), n));
  }
  for (int of = 0; of < 2; of++) {
    for (int i = 0; i < bend[of].count; i++) {
      ff_vec3 e = bend[of].along[i];
      e = v3_axpy(e, -v3_dot(e, n), n);
      ff_vec3 se = m3_mul(spread, e);
      double doubt = v3_dot(e, se);
      if (!(doubt > 1e-12)) {
        continue; /* known already: faces on faces, parallel edges */
      }
      ff_vec3 gain = v3_scale(1 / (1 / (bend[of].radius[i] * per) + doubt), se);
      for (int k = 0; k < count; k++) {
        double turned = of == 1 ? v3_dot(e, v3_cross(turn[k], n)) : 0;
        out[k] = v3_axpy(out[k], turned - v3_dot(e, out[k]), gain);
      }
      m3_outer_add(&spread, -1, gain, se);
    }
  }
}

void ff_core_normal_rates(const ff_distance *at, double gap, const ff_geom *a,
                          const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                          ff_vec3 origin, ff_mat3 rate[2]) {
  ff_vec3 n = at->normal, change[6], apart[6], turn[6];
  const surface_bend bend[2] = {bend_of(b, pose_b, n, at->on_b),
                                bend_of(a, pose_a, v3_neg(n), at->on_a)};
  ff_vec3 core_point = a->kind == FF_CAPSULE ? v3_axpy(at->on_a, a->size.x, n) : at->on_a;
  for (int k = 0; k < 6; k++) {
    ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    turn[k] = k < 3 ? v3(0, 0, 0) : axis;
    apart[k] = k < 3 ? axis : v3_cross(axis, v3_sub(core_point, origin));
  }
  normal_changes(change, 6, apart, turn, n, gap, bend);
  for (int k = 0; k < 6; k++) {
    m3_set_column(&rate[k / 3], k % 3, change[k]);
  }
}

ff_vec3 ff_core_normal_rate_apart(const ff_distance *at, double gap, const ff_geom *a,
                                  const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                                  ff_vec3 apart) {
  const surface_bend bend[2] = {bend_of(b, pose_b, at->normal, at->on_b),
                                bend_of(a, pose_a, v3_neg(at->normal), at->on_a)};
  const ff_vec3 none = {0, 0, 0};
  ff_vec3 out;
  normal_changes(&out, 1, &apart, &none, at->normal, gap, bend);
  return out;
}
