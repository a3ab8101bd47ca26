/* How far a point is from a solid. */
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

/* Of a face; height: over its plane. */
static ff_vec3 off_face(const ff_hull *hull, int face, ff_vec3 point, double height) {
  const int *corners = hull->corners + hull->face_start[face];
  int count = hull->face_size[face];
  ff_vec3 n = hull->normal[face], best = v3_scale(height, n);
  double least = INFINITY;
  for (int i = 0; i < count; i++) {
    ff_vec3 p = hull->vertices[corners[i]];
    ff_vec3 edge = v3_sub(hull->vertices[corners[(i + 1) % count]], p), from = v3_sub(point, p);
    if (v3_dot(v3_cross(edge, n), from) > 0) { /* beyond it */
      double along = fmax(0, fmin(1, v3_dot(from, edge) / v3_dot(edge, edge)));
      ff_vec3 off = v3_axpy(from, -along, edge);
      double square = v3_dot(off, off);
      best = square < least ? off : best;
      least = fmin(least, square);
    }
  }
  return best;
}

/* The nearest point is on a face that the point is over; if it is straight over the one that it is
 * highest over, on that. */
static ff_vec3 off_hull(const ff_hull *hull, ff_vec3 point) {
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
  ff_vec3 best = off_face(hull, highest, point, most);
  double least = v3_dot(best, best);
  for (int f = 0; f < hull->face_count && least > most * most * (1 + 1e-14); f++) {
    double height = v3_dot(hull->normal[f], point) - hull->offset[f];
    if (f != highest && height > 0 && height * height < least) {
      ff_vec3 off = off_face(hull, f, point, height);
      double square = v3_dot(off, off);
      best = square < least ? off : best;
      least = fmin(least, square);
    }
  }
  return best;
}

static ff_vec3 off(const ff_geom *geom, ff_vec3 point) {
  switch (geom->kind) {
    case FF_BOX:
      return v3(beyond(point.x, geom->size.x), beyond(point.y, geom->size.y),
                beyond(point.z, geom->size.z));
    case FF_POLYHEDRON: return off_hull(geom->hull, point);
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

double ff_geom_from(const ff_geom *geom, ff_vec3 point, int face, ff_vec3 *out) {
  ff_vec3 away = off(geom, point);
  double distance = v3_norm(away);
  if (distance > 0) {
    *out = v3_scale(1 / distance, away);
    return distance;
  }
  return over(geom, point, face, out);
}
