/* How far a point is from a solid, and how the way out turns as it moves. */
#include "geom/hull.h"
#include "geom/touch.h"

/* ---- outside: from the nearest point of the solid to it, 0 inside
 * --------------------------------- */

static double beyond(double x, double half) {
  return copysign(fmax(fabs(x) - half, 0), x);
}

static ff_vec3 off_cylinder(const ff_geom *geom, ff_vec3 point) {
  double r = sqrt(point.x * point.x + point.y * point.y);
  double share = r > geom->size.x ? 1 - geom->size.x / r : 0;
  return v3(share * point.x, share * point.y, beyond(point.z, geom->size.y));
}

/* Of a face; height: over its plane. ways: in how many directions the solid goes on from the
 * nearest point, 2 of a face, 0 of a corner; of an edge 1: along. */
static ff_vec3 off_face(const ff_hull *hull, int face, ff_vec3 point, double height, int *ways,
                        ff_vec3 *along) {
  const int *corners = hull->corners + hull->face_start[face];
  int count = hull->face_size[face];
  ff_vec3 n = hull->normal[face], best = v3_scale(height, n);
  double least = INFINITY;
  *ways = 2;
  for (int i = 0; i < count; i++) {
    ff_vec3 p = hull->vertices[corners[i]];
    ff_vec3 edge = v3_sub(hull->vertices[corners[(i + 1) % count]], p), from = v3_sub(point, p);
    if (v3_dot(v3_cross(edge, n), from) > 0) { /* beyond it */
      double share = fmax(0, fmin(1, v3_dot(from, edge) / v3_dot(edge, edge)));
      ff_vec3 off = v3_axpy(from, -share, edge);
      double square = v3_dot(off, off);
      if (square < least) {
        best = off;
        least = square;
        *ways = share > 0 && share < 1;
        *along = edge;
      }
    }
  }
  return best;
}

/* The nearest point is on a face that the point is over; if it is straight over the one that it is
 * highest over, on that. */
static ff_vec3 off_hull(const ff_hull *hull, ff_vec3 point, int *ways, ff_vec3 *along) {
  int highest = 0;
  double most = -INFINITY;
  for (int f = 0; f < hull->face_count; f++) {
    double height = v3_dot(hull->normal[f], point) - hull->offset[f];
    highest = height > most ? f : highest;
    most = fmax(most, height);
  }
  if (most <= 0) {
    return v3(0, 0, 0);
  }
  ff_vec3 best = off_face(hull, highest, point, most, ways, along);
  double least = v3_dot(best, best);
  for (int f = 0; f < hull->face_count && least > most * most * (1 + 1e-14); f++) {
    double height = v3_dot(hull->normal[f], point) - hull->offset[f];
    if (f != highest && height > 0 && height * height < least) {
      int ways_here;
      ff_vec3 along_here = *along, off = off_face(hull, f, point, height, &ways_here, &along_here);
      double square = v3_dot(off, off);
      if (square < least) {
        best = off;
        least = square;
        *ways = ways_here;
        *along = along_here;
      }
    }
  }
  return best;
}

/* ways, along: of a polyhedron. */
static ff_vec3 off(const ff_geom *geom, ff_vec3 point, int *ways, ff_vec3 *along) {
  switch (geom->kind) {
    case FF_BOX:
      return v3(beyond(point.x, geom->size.x), beyond(point.y, geom->size.y),
                beyond(point.z, geom->size.z));
    case FF_POLYHEDRON: return off_hull(geom->hull, point, ways, along);
    case FF_CYLINDER: return off_cylinder(geom, point);
    default: return v3(0, 0, 0);
  }
}

/* ---- over a face
 * --------------------------------------------------------------------------------- */

/* Faces that have a middle axis, as a cylinder's side and a capsule: away from that. */
static double over_axis(ff_vec3 away, double radius, ff_vec3 *out) {
  double distance = v3_norm(away);
  *out = distance > 0 ? v3_scale(1 / distance, away) : v3(1, 0, 0);
  return distance - radius;
}

static double over(const ff_geom *geom, ff_vec3 point, int face, ff_vec3 *out) {
  const double half[3] = {geom->size.x, geom->size.y, geom->size.z};
  double up[3] = {0, 0, 0};
  switch (geom->kind) {
    case FF_POLYHEDRON:
      *out = geom->hull->normal[face];
      return v3_dot(*out, point) - geom->hull->offset[face];
    case FF_CAPSULE:
      return over_axis(v3(point.x, point.y, beyond(point.z, geom->size.y)), geom->size.x, out);
    case FF_CYLINDER:
      if (face == 2) {
        return over_axis(v3(point.x, point.y, 0), geom->size.x, out);
      }
      *out = v3(0, 0, face ? 1 : -1);
      return v3_dot(*out, point) - geom->size.y;
    default:
      up[face / 2] = face % 2 ? 1 : -1;
      *out = v3_load(up);
      return v3_dot(*out, point) - half[face / 2];
  }
}

/* ---- how the way out turns
 * ---------------------------------------------------------------------------- */

/* About an axis of the shape, z: along it the surface is straight. */
static ff_bend bend_side(ff_vec3 point) {
  return (ff_bend){v3(0, 0, 1), 0, 1 / sqrt(point.x * point.x + point.y * point.y)};
}

/* About the rim of a cylinder: round it, and round the axis with it. */
static ff_bend bend_rim(ff_vec3 point, ff_vec3 out, double distance) {
  double r = sqrt(point.x * point.x + point.y * point.y);
  ff_vec3 round = v3(-point.y / r, point.x / r, 0);
  return (ff_bend){round, (out.x * point.x + out.y * point.y) / (r * r), 1 / distance};
}

/* About a corner, an edge or a face, which goes on from there in so many ways. */
static ff_bend bend_about(int ways, ff_vec3 along, ff_vec3 out, double distance) {
  switch (ways) {
    case 0: return (ff_bend){v3_orthogonal(out), 1 / distance, 1 / distance};
    case 1: return (ff_bend){v3_unit(along), 0, 1 / distance};
    default: return (ff_bend){v3_orthogonal(out), 0, 0};
  }
}

/* Outside of it, by away. */
static ff_bend bend_outside(const ff_geom *geom, ff_vec3 point, ff_vec3 away, ff_vec3 out, int ways,
                            ff_vec3 along) {
  double distance = v3_norm(away);
  if (geom->kind == FF_CYLINDER && (away.x != 0 || away.y != 0)) {
    return away.z == 0 ? bend_side(point) : bend_rim(point, out, distance);
  }
  if (geom->kind != FF_POLYHEDRON) {
    bool level[3] = {away.x == 0, away.y == 0, away.z == 0};
    ways = level[0] + level[1] + level[2];
    along = v3(level[0], level[1], level[2]);
  }
  return bend_about(ways, along, out, distance);
}

/* Inside, or of a capsule. */
static ff_bend bend_over(const ff_geom *geom, ff_vec3 point, int face, ff_vec3 out) {
  bool capsule = geom->kind == FF_CAPSULE;
  double end = capsule ? beyond(point.z, geom->size.y) : 0;
  if (end != 0) {
    double distance = sqrt(point.x * point.x + point.y * point.y + end * end);
    return bend_about(0, out, out, distance);
  }
  return capsule || (geom->kind == FF_CYLINDER && face == 2) ? bend_side(point)
                                                             : bend_about(2, out, out, 1);
}

double ff_geom_from(const ff_geom *geom, ff_vec3 point, int face, ff_vec3 *out, ff_bend *bend) {
  int ways = 0;
  ff_vec3 along = v3(0, 0, 0), away = off(geom, point, &ways, &along);
  double distance = v3_norm(away);
  if (distance > 0) {
    *out = v3_scale(1 / distance, away);
    if (bend) {
      *bend = bend_outside(geom, point, away, *out, ways, along);
    }
    return distance;
  }
  distance = over(geom, point, face, out);
  if (bend) {
    *bend = bend_over(geom, point, face, *out);
  }
  return distance;
}
