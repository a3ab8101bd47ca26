/* How far a shape reaches along a direction, and where. */
#include "geom/geom.h"
#include "geom/hull.h"
#include "geom/parts.h"
#include "math/vec.h"

static double side(double x) {
  return x < 0 ? -1 : 1;
}

/* The norm dual to that with exponent p, of numbers >= 0, and the share of each in it: where
 * a ball of the one touches a plane of the other. */
static double dual(double u, double v, double p, double share[2]) {
  double most = fmax(u, v), d = p / (p - 1);
  share[0] = share[1] = 0;
  if (!(most > 0)) {
    return 0;
  }
  double norm = most * pow(pow(u / most, d) + pow(v / most, d), 1 / d);
  share[0] = pow(u / norm, d - 1);
  share[1] = pow(v / norm, d - 1);
  return norm;
}

static ff_vec3 superellipsoid(const ff_geom *geom, ff_vec3 n) {
  ff_vec3 s = geom->size;
  double in[2], all[2];
  double across = dual(s.x * fabs(n.x), s.y * fabs(n.y), geom->exponents[0], in);
  dual(across, s.z * fabs(n.z), geom->exponents[1], all);
  return v3(side(n.x) * s.x * all[0] * in[0], side(n.y) * s.y * all[0] * in[1],
            side(n.z) * s.z * all[1]);
}

static ff_vec3 vertex(const ff_hull *hull, ff_vec3 n) {
  int best = 0;
  double most = v3_dot(n, hull->vertices[0]);
  for (int i = 1; i < hull->vertex_count; i++) {
    double far = v3_dot(n, hull->vertices[i]);
    if (far > most) {
      most = far;
      best = i;
    }
  }
  return hull->vertices[best];
}

ff_vec3 ff_geom_support(const ff_geom *geom, ff_vec3 n) {
  ff_vec3 s = geom->size;
  switch (geom->kind) {
    case FF_SPHERE: return v3_scale(s.x / v3_norm(n), n);
    case FF_ELLIPSOID: {
      ff_vec3 sn = v3_mul(s, n);
      return v3_scale(1 / v3_norm(sn), v3_mul(s, sn));
    }
    case FF_BOX: return v3(side(n.x) * s.x, side(n.y) * s.y, side(n.z) * s.z);
    case FF_CAPSULE: {
      ff_vec3 round = v3_scale(s.x / v3_norm(n), n);
      return v3(round.x, round.y, round.z + side(n.z) * s.y);
    }
    case FF_CYLINDER: {
      double across = sqrt(n.x * n.x + n.y * n.y), r = across > 0 ? s.x / across : 0;
      return v3(r * n.x, r * n.y, side(n.z) * s.y);
    }
    case FF_SUPERELLIPSOID: return superellipsoid(geom, n);
    case FF_POLYHEDRON: return vertex(geom->hull, n);
    case FF_INTERSECTION: return ff_parts_support(geom, n);
    case FF_HALF_SPACE:
    case FF_SHAPE_KIND_COUNT: break;
  }
  return v3(0, 0, 0);
}
