#include "geom/flat.h"

#include "geom/hull.h"
#include "geom/implicit.h"
#include "geom/parts.h"
#include "geom/touch.h"

enum { RIM = 8 };

static void add(ff_flat *out, const ff_pose *pose, ff_vec3 local, int slot) {
  out->at[out->count] = pose_point(*pose, local);
  out->slot[out->count++] = slot;
}

static int facing_box(ff_vec3 d) {
  const double n[3] = {d.x, d.y, d.z};
  int axis = fabs(n[0]) >= fabs(n[1]) ? 0 : 1;
  axis = fabs(n[2]) > fabs(n[axis]) ? 2 : axis;
  return 2 * axis + (n[axis] > 0);
}

/* Corner: bit i set on the positive side of axis i, as on a half-space. */
static void box_face(ff_flat *out, const ff_geom *geom, const ff_pose *pose, int face) {
  const double s[3] = {geom->size.x, geom->size.y, geom->size.z};
  int axis = face / 2, up = face % 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
  static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (int k = 0; k < 4; k++) {
    const int *step = around[up ? k : 3 - k];
    int corner = up << axis | step[0] << u | step[1] << v;
    out->corner[k] = corner;
    add(out, pose,
        v3(corner & 1 ? s[0] : -s[0], corner & 2 ? s[1] : -s[1], corner & 4 ? s[2] : -s[2]),
        corner);
  }
  double normal[3] = {0, 0, 0};
  normal[axis] = up ? 1 : -1;
  out->normal = q_rotate(pose->orientation, v3_load(normal));
}

static int facing_hull(const ff_hull *hull, ff_vec3 d) {
  int face = 0;
  for (int f = 1; f < hull->face_count; f++) {
    face = v3_dot(hull->normal[f], d) > v3_dot(hull->normal[face], d) ? f : face;
  }
  return face;
}

/* Of a face with many corners some are left out; of those of one colour the first has the name. */
static void hull_face(ff_flat *out, const ff_geom *geom, const ff_pose *pose, int face) {
  const ff_hull *hull = geom->hull;
  int size = hull->face_size[face], kept = size < FF_FLAT_MAX ? size : FF_FLAT_MAX;
  unsigned named = 0;
  for (int k = 0; k < kept; k++) {
    int vertex = hull->corners[hull->face_start[face] + k * size / kept];
    out->corner[k] = vertex;
    unsigned mark = 1u << hull->colour[vertex];
    add(out, pose, hull->vertices[vertex], named & mark ? -1 : hull->colour[vertex]);
    named |= mark;
  }
  out->normal = q_rotate(pose->orientation, hull->normal[face]);
}

/* Ends of an edge: of a box 4 axis + corner of the two other axes, as bits. */
static void edge_ends(const ff_geom *geom, int edge, ff_vec3 ends[2]) {
  if (geom->kind == FF_POLYHEDRON) {
    const int *vertex = geom->hull->edges[edge].vertex;
    ends[0] = geom->hull->vertices[vertex[0]];
    ends[1] = geom->hull->vertices[vertex[1]];
    return;
  }
  const double s[3] = {geom->size.x, geom->size.y, geom->size.z};
  int axis = edge / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (int k = 0; k < 2; k++) {
    double at[3];
    at[axis] = k ? s[axis] : -s[axis];
    at[u] = edge & 1 ? s[u] : -s[u];
    at[v] = edge & 2 ? s[v] : -s[v];
    ends[k] = v3_load(at);
  }
}

static void straight_edge(ff_flat *out, const ff_geom *geom, const ff_pose *pose, int edge) {
  ff_vec3 ends[2];
  edge_ends(geom, edge, ends);
  add(out, pose, ends[0], 0);
  add(out, pose, ends[1], 1);
  out->normal = q_rotate(pose->orientation, v3_unit(v3_sub(ends[1], ends[0])));
}

static int face_count(const ff_geom *geom) {
  return geom->kind == FF_POLYHEDRON ? geom->hull->face_count : 6;
}

ff_vec3 ff_flat_corner(const ff_geom *geom, int corner) {
  switch (geom->kind) {
    case FF_POLYHEDRON: return geom->hull->vertices[corner];
    case FF_CAPSULE: return v3(0, 0, corner ? geom->size.y : -geom->size.y);
    default:
      return v3(corner & 1 ? geom->size.x : -geom->size.x,
                corner & 2 ? geom->size.y : -geom->size.y,
                corner & 4 ? geom->size.z : -geom->size.z);
  }
}

int ff_flat_corners(const ff_geom *geom, ff_vec3 direction, double low, int *out, int limit) {
  int all = geom->kind == FF_POLYHEDRON ? geom->hull->vertex_count
            : geom->kind == FF_BOX      ? 8
            : geom->kind == FF_CAPSULE  ? 2
                                        : 0;
  double reach = geom->kind == FF_CAPSULE ? geom->size.x * v3_norm(direction) : 0;
  int count = 0;
  for (int i = 0; i < all && count < limit; i++) {
    if (v3_dot(direction, ff_flat_corner(geom, i)) + reach >= low) {
      out[count++] = i;
    }
  }
  return count;
}

/* How far a part that is no face reaches along a direction with all that it has. */
static double reach_of(const ff_geom *geom, int part, ff_vec3 d) {
  double round = geom->size.x * sqrt(d.x * d.x + d.y * d.y);
  switch (geom->kind) {
    case FF_CYLINDER:
      return round + (part == 2 ? -fabs(d.z) : (part ? 1 : -1) * d.z) * geom->size.y;
    case FF_CAPSULE: return round - fabs(d.z) * geom->size.y;
    default: break;
  }
  ff_vec3 ends[2];
  edge_ends(geom, part - face_count(geom), ends);
  return fmin(v3_dot(d, ends[0]), v3_dot(d, ends[1]));
}

int ff_flat_edges(const ff_geom *geom, ff_vec3 direction, double low, int *out, int limit) {
  bool corners = geom->kind == FF_BOX || geom->kind == FF_POLYHEDRON;
  int first = corners ? face_count(geom) : 0, count = 0;
  int all = geom->kind == FF_POLYHEDRON ? geom->hull->edge_count
            : corners                   ? 12
            : geom->kind == FF_CYLINDER ? 3
                                        : 1;
  for (int part = first; part < first + all && count < limit; part++) {
    if (reach_of(geom, part, direction) >= low) {
      out[count++] = part;
    }
  }
  return count;
}

/* The cap at -z has the names 0 to 3, the one at +z 4 to 7, from the deepest point of the rim on,
 * as on a half-space. */
static void cap(ff_flat *out, const ff_geom *geom, const ff_pose *pose, ff_vec3 d) {
  double across = sqrt(d.x * d.x + d.y * d.y), up = d.z > 0 ? 1 : -1;
  ff_vec3 x = across > 1e-9 ? v3(d.x / across, d.y / across, 0) : v3(1, 0, 0);
  ff_vec3 y = v3_scale(up, v3(-x.y, x.x, 0));
  for (int k = 0; k < RIM; k++) {
    double angle = 2 * ff_pi * k / RIM, c = cos(angle), s = sin(angle);
    ff_vec3 rim = v3_add(v3_scale(geom->size.x * c, x), v3_scale(geom->size.x * s, y));
    rim.z = up * geom->size.y;
    add(out, pose, rim, k % 2 ? -1 : k / 2 + (up > 0 ? 4 : 0));
  }
  out->normal = q_rotate(pose->orientation, v3(0, 0, up));
  out->rim = geom->size.x;
}

/* The axis, with the radius about it. */
static void line(ff_flat *out, const ff_geom *geom, const ff_pose *pose, bool sharp) {
  add(out, pose, v3(0, 0, -geom->size.y), 0);
  add(out, pose, v3(0, 0, geom->size.y), sharp ? 4 : 1);
  out->normal = q_axis_z(pose->orientation);
  out->radius = geom->size.x;
  out->sharp = sharp;
}

/* A flat rule of an intersection that faces the direction: rays from the middle of the face go to
 * its rim, the first towards the part that is deepest. */
static void cut_face(ff_flat *out, const ff_geom *geom, const ff_pose *pose, ff_vec3 d) {
  ff_vec3 at = ff_geom_support(geom, d), normal = v3(0, 0, 0);
  double size = ff_geom_bound(geom), best = 0.99;
  for (int k = 0; k < ff_geom_rule_count(geom); k++) {
    ff_rule rule;
    ff_geom_rule(geom, k, at, &rule);
    double bend = 0;
    for (int i = 0; i < 9; i++) {
      bend = fmax(bend, fabs(rule.bend.m[i / 3][i % 3]));
    }
    if (bend == 0 && rule.value > -1e-9 * size && v3_dot(rule.slope, d) > best) {
      best = v3_dot(rule.slope, d);
      normal = rule.slope;
    }
  }
  if (!(v3_dot(normal, normal) > 0)) {
    return;
  }
  ff_vec3 middle = v3_scale(1 - 1e-7, ff_geom_support(geom, normal)); /* a hair inside */
  ff_vec3 x = v3_axpy(d, -v3_dot(d, normal), normal);
  x = v3_norm(x) > 1e-9 ? v3_unit(x) : v3_orthogonal(normal);
  ff_vec3 y = v3_cross(normal, x);
  for (int k = 0; k < RIM; k++) {
    double angle = 2 * ff_pi * k / RIM;
    ff_vec3 ray = v3_add(v3_scale(cos(angle), x), v3_scale(sin(angle), y));
    ff_vec3 rim = v3_axpy(middle, ff_geom_exit(geom, middle, ray, NULL), ray);
    rim = v3_axpy(rim, v3_dot(normal, v3_sub(at, rim)), normal);
    add(out, pose, rim, k % 2 ? -1 : k / 2);
  }
  out->normal = q_rotate(pose->orientation, normal);
}

/* A flat face of a core that faces the direction within this cosine; -1: none. */
#define FACES 0.99

static int facing_cut(const ff_parts *parts, ff_vec3 d) {
  int best = -1;
  double most = FACES;
  for (int f = 0; f < parts->face_count; f++) {
    double along = v3_dot(parts->faces[f].normal, d);
    best = along > most ? f : best;
    most = fmax(most, along);
  }
  return best;
}

/* The same, with corners that stay where they are; -1: nothing. */
static void kept_face(ff_flat *out, const ff_geom *geom, const ff_pose *pose, int face) {
  for (int k = 0; face >= 0 && k < FF_CUT_CORNERS; k++) {
    add(out, pose, geom->parts->faces[face].at[k], k % 2 ? -1 : k / 2);
  }
  if (face >= 0) {
    out->normal = q_rotate(pose->orientation, geom->parts->faces[face].normal);
  }
}

/* Of a direction in the shape's frame. */
static int facing(const ff_geom *geom, ff_vec3 d) {
  switch (geom->kind) {
    case FF_BOX: return facing_box(d);
    case FF_POLYHEDRON: return facing_hull(geom->hull, d);
    case FF_CYLINDER: return 2 * d.z * d.z > 1 ? d.z > 0 : 2;
    case FF_INTERSECTION: return facing_cut(geom->parts, d);
    default: return 0;
  }
}

/* d: which way the first corner of a cap is. */
static void take(ff_flat *out, const ff_geom *geom, const ff_pose *pose, int part, ff_vec3 d) {
  out->part = part;
  out->count = 0;
  out->radius = out->rim = 0;
  out->sharp = out->round = false;
  bool corners = geom->kind == FF_BOX || geom->kind == FF_POLYHEDRON;
  if (corners && part >= face_count(geom)) {
    straight_edge(out, geom, pose, part - face_count(geom));
    return;
  }
  switch (geom->kind) {
    case FF_BOX: box_face(out, geom, pose, part); break;
    case FF_POLYHEDRON: hull_face(out, geom, pose, part); break;
    case FF_CAPSULE: line(out, geom, pose, false); break;
    case FF_CYLINDER:
      if (part < 2) {
        cap(out, geom, pose, d);
      } else {
        line(out, geom, pose, true);
      }
      break;
    case FF_INTERSECTION:
      if (geom->parts->faces) {
        kept_face(out, geom, pose, part);
      } else {
        cut_face(out, geom, pose, d);
      }
      break;
    case FF_SPHERE:
    case FF_ELLIPSOID:
    case FF_SUPERELLIPSOID:
    case FF_HALF_SPACE:
    case FF_SHAPE_KIND_COUNT: break;
  }
}

int ff_flat_facing(const ff_geom *geom, const ff_pose *pose, ff_vec3 direction) {
  return facing(geom, q_unrotate(pose->orientation, direction));
}

int ff_flat_facing_edge(const ff_geom *geom, const ff_pose *pose, ff_vec3 direction) {
  ff_vec3 d = q_unrotate(pose->orientation, direction);
  int count = geom->kind == FF_POLYHEDRON ? geom->hull->edge_count : 12, best = 0;
  double most = -INFINITY;
  for (int e = 0; e < count; e++) {
    ff_vec3 ends[2];
    edge_ends(geom, e, ends);
    double along = fmin(v3_dot(d, ends[0]), v3_dot(d, ends[1]));
    best = along > most ? e : best;
    most = fmax(most, along);
  }
  return face_count(geom) + best;
}

void ff_flat_take(ff_flat *out, const ff_geom *geom, const ff_pose *pose, int part) {
  take(out, geom, pose, part, v3(0, 0, part > 0 ? 1 : -1));
  out->round = out->rim > 0;
  if (out->round) {
    out->slot[0] = 4 - out->slot[0];
  }
}

void ff_flat_find(ff_flat *out, const ff_geom *geom, const ff_pose *pose, ff_vec3 direction) {
  ff_vec3 d = q_unrotate(pose->orientation, direction);
  take(out, geom, pose, facing(geom, d), d);
}

ff_vec3 ff_flat_middle(const ff_flat *flat) {
  return v3_scale(0.5, v3_add(flat->at[0], flat->at[flat->count / 2]));
}

double ff_flat_area(const ff_flat *flat) {
  ff_vec3 sum = v3(0, 0, 0);
  for (int i = 1; i + 1 < flat->count; i++) {
    sum = v3_add(sum,
                 v3_cross(v3_sub(flat->at[i], flat->at[0]), v3_sub(flat->at[i + 1], flat->at[0])));
  }
  return v3_norm(sum);
}

/* Across the edge that begins at a corner, out of the face. */
static ff_vec3 across(const ff_flat *flat, int corner) {
  ff_vec3 edge = v3_sub(flat->at[(corner + 1) % flat->count], flat->at[corner]);
  return v3_unit(v3_cross(edge, flat->normal));
}

/* Between the directions across its two edges, but not in the very middle: there, corners that
 * another body cuts off evenly would be as good as one another. */
ff_vec3 ff_flat_outward(const ff_flat *flat, int corner) {
  if (flat->count == 2) {
    return corner ? flat->normal : v3_neg(flat->normal);
  }
  int before = (corner + flat->count - 1) % flat->count;
  return v3_unit(
      v3_add(v3_scale(0.45, across(flat, before)), v3_scale(0.55, across(flat, corner))));
}

bool ff_flat_covers(const ff_flat *flat, ff_vec3 point, double slack) {
  if (flat->round) {
    ff_vec3 from = v3_sub(point, ff_flat_middle(flat));
    return v3_norm(v3_axpy(from, -v3_dot(from, flat->normal), flat->normal)) <= flat->rim + slack;
  }
  for (int i = 0; i < flat->count; i++) {
    if (v3_dot(across(flat, i), v3_sub(point, flat->at[i])) > slack) {
      return false;
    }
  }
  return true;
}
