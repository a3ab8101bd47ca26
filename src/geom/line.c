/* Where a line is inside a shape. Shapes are convex: it is in one piece. */
#include "geom/overlap.h"

typedef struct piece {
  double from, to; /* from > to: none */
} piece;

static const piece none = {INFINITY, -INFINITY};

static piece both(piece a, piece b) {
  return (piece){fmax(a.from, b.from), fmin(a.to, b.to)};
}

static piece either(piece a, piece b) {
  return (piece){fmin(a.from, b.from), fmax(a.to, b.to)};
}

/* a t^2 + 2 b t + c <= 0, with a >= 0 */
static piece below_zero(double a, double b, double c) {
  double root = b * b - a * c;
  if (a == 0) { /* the line does not move in these coordinates */
    return c <= 0 ? (piece){-INFINITY, INFINITY} : none;
  }
  if (!(root >= 0)) {
    return none;
  }
  /* The root farther from 0 first: the other follows from the product without cancellation. */
  double far = -(b + copysign(sqrt(root), b)), near = far == 0 ? 0 : c / far;
  return (piece){fmin(far / a, near), fmax(far / a, near)};
}

/* |x + t v| <= half */
static piece within(double x, double v, double half) {
  if (v == 0) {
    return fabs(x) <= half ? (piece){-INFINITY, INFINITY} : none;
  }
  double a = (-half - x) / v, b = (half - x) / v;
  return (piece){fmin(a, b), fmax(a, b)};
}

static piece in_ball(ff_vec3 p, ff_vec3 v, double radius) {
  return below_zero(v3_dot(v, v), v3_dot(p, v), v3_dot(p, p) - radius * radius);
}

static piece in_cylinder(ff_vec3 p, ff_vec3 v, double radius, double half) {
  piece round = in_ball(v3(p.x, p.y, 0), v3(v.x, v.y, 0), radius);
  return both(round, within(p.z, v.z, half));
}

static piece in_capsule(ff_vec3 p, ff_vec3 v, double radius, double half) {
  piece ends = either(in_ball(v3(p.x, p.y, p.z - half), v, radius),
                      in_ball(v3(p.x, p.y, p.z + half), v, radius));
  piece middle = in_cylinder(p, v, radius, half);
  return middle.from <= middle.to ? either(ends, middle) : ends;
}

bool ff_geom_line(const ff_geom *geom, ff_vec3 p, ff_vec3 v, double *enter, double *leave) {
  ff_vec3 s = geom->size;
  piece in = none;
  switch (geom->kind) {
    case FF_SPHERE: in = in_ball(p, v, s.x); break;
    case FF_ELLIPSOID: {
      ff_vec3 stretch = v3(1 / s.x, 1 / s.y, 1 / s.z);
      in = in_ball(v3_mul(stretch, p), v3_mul(stretch, v), 1);
      break;
    }
    case FF_BOX:
      in = both(within(p.x, v.x, s.x), both(within(p.y, v.y, s.y), within(p.z, v.z, s.z)));
      break;
    case FF_CAPSULE: in = in_capsule(p, v, s.x, s.y); break;
    case FF_CYLINDER: in = in_cylinder(p, v, s.x, s.y); break;
    case FF_SUPERELLIPSOID:
    case FF_POLYHEDRON:
    case FF_INTERSECTION:
    case FF_HALF_SPACE:
    case FF_SHAPE_KIND_COUNT: break;
  }
  *enter = in.from;
  *leave = in.to;
  return in.from <= in.to;
}
