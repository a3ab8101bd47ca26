#include "geom/core_distance.h"

#include "geom/facets.h"
#include "geom/shape.h"
#include "math/spatial.h"
#include "math/vec.h"

/* ---- erosion ----------------------------------------------------------------------------------
 */

/* Along the ways of its vertices (geom/hull.h), then towards the origin. */
static void erode_hull(ff_eroded_hull *out, const ff_hull *core, double by) {
  double along = lesser(by, core->way_until), inside = core->inside - along;
  double scale = 1 - (by - along) / inside;
  out->hull = *core;
  out->hull.vertices = out->vertices;
  out->hull.offset = out->offset;
  for (int v = 0; v < core->vertex_count; v++) {
    out->vertices[v] = v3_scale(scale, v3_axpy(core->vertices[v], along, core->way[v]));
  }
  for (int f = 0; f < core->face_count; f++) {
    out->offset[f] = scale * (core->offset[f] - along);
  }
  out->hull.bound *= scale; /* at most */
  out->hull.inside = scale * inside;
}

static void erode_core(ff_geom *io, ff_pose *pose, double by, ff_eroded_hull *room) {
  if (io->kind == FF_POLYHEDRON) {
    erode_hull(room, io->hull, by);
    io->hull = &room->hull;
  } else if (io->kind == FF_CONE) {
    ff_cone_erode(io, pose, by);
  } else {
    io->size = v3_sub(io->size, v3(by, by, io->kind == FF_BOX ? by : 0));
  }
}

/* Velocity, per m of erosion, of the support point of a core. On faces and edges normal to the
 * direction, where the support point is not unique, it is that of one of their vertices. */
static ff_vec3 erosion_velocity(const ff_geom *least, double by, const ff_pose *pose,
                                ff_vec3 outward) {
  ff_vec3 d = q_unrotate(pose->orientation, outward), out;
  if (least->kind == FF_POLYHEDRON) {
    const ff_hull *hull = least->hull;
    double along = lesser(by, hull->way_until), most = -INFINITY;
    int best = 0;
    for (int v = 0; v < hull->vertex_count; v++) {
      double far = v3_dot(d, v3_axpy(hull->vertices[v], along, hull->way[v]));
      best = far > most ? v : best;
      most = greater(most, far);
    }
    out = by < hull->way_until ? hull->way[best]
                               : v3_scale(-1 / (hull->inside - along),
                                          v3_axpy(hull->vertices[best], along, hull->way[best]));
  } else if (least->kind == FF_BOX) {
    out = v3(-ff_side_of(d.x), -ff_side_of(d.y), -ff_side_of(d.z));
  } else if (least->kind == FF_CONE) { /* towards its incentre */
    double inside, middle = ff_cone_incentre(least, &inside);
    out = v3_scale(1 / inside, v3_sub(v3(0, 0, middle), ff_geom_support(least, d)));
  } else { /* cylinder */
    double across = greater(sqrt(d.x * d.x + d.y * d.y), 1e-300);
    out = v3(-d.x / across, -d.y / across, -ff_side_of(d.z));
  }
  return q_rotate(pose->orientation, out);
}

/* ---- query ------------------------------------------------------------------------------------
 */

/* r, and -dr / dg_0. */
static double margin_at(double least, double growth, double delta, double *rate) {
  double past = delta - 0.5 * least, r = least;
  *rate = 0;
  if (past > 0.5 * least) {
    r = 4.0 / 3 * delta;
    *rate = 4.0 / 3;
  } else if (past > 0) {
    r = least + 4.0 / 3 * past * past / least;
    *rate = 8.0 / 3 * past / least;
  }
  if (r >= growth * least) {
    r = growth * least;
    *rate = 0;
  }
  return r;
}

void ff_core_distance_query(ff_core_distance *out, ff_cores of, double beyond) {
  double least = of.margin[0] + of.margin[1];
  out->of = of;
  ff_distance_query(&out->at, &of.least[0], &of.pose[0], &of.least[1], &of.pose[1], beyond);
  out->gap = out->gap_0 = out->at.gap + of.radius;
  out->margin = margin_at(least, of.growth, least - out->gap_0, &out->follow);
  out->core[0] = of.least[0], out->pose[0] = of.pose[0];
  out->core[1] = of.least[1], out->pose[1] = of.pose[1];
  if (out->margin > least) {
    out->normal_0 = out->at.normal;
    out->on_a_0 = out->at.on_a;
    for (int k = 0; k < 2; k++) {
      if (of.margin[k] > 0) {
        double by = (out->margin / least - 1) * of.margin[k];
        erode_core(&out->core[k], &out->pose[k], by, of.room[k]);
      }
    }
    ff_distance_query(&out->at, &out->core[0], &out->pose[0], &out->core[1], &out->pose[1],
                      INFINITY);
    out->gap = out->at.gap + of.radius;
  }
  out->blend = 1 - 4 * out->gap / out->margin;
  if (of.growth > 1 && out->margin < of.growth * least) { /* 0 but for rounding, or less */
    out->blend = lesser(out->blend, 0);
  }
}

/* dn / dr, by the relative velocity of the points that are nearest. */
static ff_vec3 normal_rate_by_margin(const ff_core_distance *at, bool features) {
  const ff_cores *of = &at->of;
  ff_vec3 apart = {0, 0, 0}, n = at->at.normal;
  double least = of->margin[0] + of->margin[1];
  for (int k = 0; k < 2; k++) {
    if (of->margin[k] > 0) {
      double share = of->margin[k] / least, by = (at->margin / least - 1) * of->margin[k];
      ff_vec3 way = erosion_velocity(&of->least[k], by, &of->pose[k], k ? n : v3_neg(n));
      apart = v3_axpy(apart, k ? -share : share, way);
    }
  }
  return features ? ff_normal_rate_apart(&at->at, apart)
                  : ff_core_normal_rate_apart(&at->at, at->gap, &at->core[0], &at->pose[0],
                                              &at->core[1], &at->pose[1], apart);
}

void ff_core_distance_normal_rates(const ff_core_distance *at, ff_vec3 origin, ff_mat3 rate[2]) {
  bool features = at->of.radius == 0 && ff_normal_rates(&at->at, origin, &rate[0], &rate[1]);
  if (!features) {
    ff_core_normal_rates(&at->at, at->gap, &at->core[0], &at->pose[0], &at->core[1], &at->pose[1],
                         origin, rate);
  }
  if (at->follow > 0) {
    ff_vec3 by_gap = v3_scale(-at->follow, normal_rate_by_margin(at, features));
    m3_outer_add(&rate[0], 1, by_gap, at->normal_0);
    m3_outer_add(&rate[1], 1, by_gap, v3_cross(v3_sub(at->on_a_0, origin), at->normal_0));
  }
}
