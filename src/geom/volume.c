/* The public view of overlaps. */
#include "footfall/volume.h"

#include "base/memory.h"
#include "base/report.h"
#include "geom/overlap.h"
#include "math/exact.h"

/* ---- checks --------------------------------------------------------------------------- */

static ff_status wrong(ff_report *report, const char *key, const char *what) {
  ff_report_what(report, "%s", what);
  ff_report_key(report, "%s", key);
  return FF_ERROR_INPUT;
}

static ff_status check_plane(const ff_volume_def *def, ff_report *report) {
  if (!v3_finite(def->point)) {
    return wrong(report, "point", "every number must be finite");
  }
  double square = v3_dot(def->normal, def->normal);
  if (!(square >= 1e-200 && isfinite(square))) {
    return wrong(report, "normal", "every number must be finite, and one of them not 0");
  }
  return FF_OK;
}

static ff_status check(const ff_volume_def *def, ff_report *report) {
  if (def->kind == FF_POLYHEDRON || !ff_geom_can_overlap(def->kind, FF_HALF_SPACE)) {
    return wrong(report, "shape", "must be a solid: sphere, ellipsoid, box, capsule or cylinder");
  }
  const char *bad = ff_geom_check(&(ff_geom){.kind = def->kind, .size = def->size});
  if (bad) {
    return wrong(report, "size", bad);
  }
  if (def->printed && def->kind != FF_SPHERE && def->kind != FF_ELLIPSOID) {
    return wrong(report, "printed", "equation 37 is for spheres and ellipsoids only");
  }
  return check_plane(def, report);
}

/* ---- the overlap ------------------------------------------------------------------------ */

static void write_volume(ff_volume *out, const ff_slab *slab, ff_vec3 normal, double depth) {
  ff_vec3 x = v3_orthogonal(normal), y = v3_cross(normal, x);
  ff_overlap seen = ff_overlap_seen(slab, x, y); /* in the order n, x, y */
  *out = (ff_volume){.volume = slab->volume,
                     .depth = depth,
                     .area = slab->area,
                     .centroid = slab->centroid,
                     .centroid_depth = slab->centroid_depth,
                     .J_body = ff_overlap_moments(&slab->spread)};
  v3_store(out->frame.m[0], x);
  v3_store(out->frame.m[1], y);
  v3_store(out->frame.m[2], normal);
  double(*j)[3] = seen.second;
  out->J_contact = (ff_mat3){{{j[1][1], j[1][2], 0}, {j[2][1], j[2][2], 0}, {0, 0, j[0][0]}}};
}

ff_status ff_volume_compute(ff_volume *out, const ff_volume_def *def, ff_report *report) {
  ff_status status = check(def, report);
  if (status != FF_OK) {
    return status;
  }
  ff_geom geom = {.kind = def->kind, .size = def->size};
  ff_cut cut = ff_geom_cut(&geom, def->normal, def->point);
  ff_slab slab;
  ff_geom_overlap(&geom, &cut, &slab);
  if (def->printed) {
    ff_overlap_spread_printed(&geom, &cut, &slab.spread);
  }
  write_volume(out, &slab, cut.normal, cut.depth);
  return FF_OK;
}

ff_patch ff_volume_patch(const ff_volume *volume, ff_vec3 velocity, ff_vec3 omega) {
  ff_vec3 at = v3_add(velocity, v3_cross(omega, volume->centroid));
  ff_vec3 along = m3_mul(volume->frame, at), turning = m3_mul(volume->frame, omega);
  ff_patch out = {.depth = volume->depth,
                  .depth_rate = -along.z,
                  .slip = {along.x, along.y},
                  .spin = turning.z,
                  .roll = {turning.x, turning.y}};
  out.overlap.volume = volume->volume;
  out.overlap.area = volume->area;
  out.overlap.centroid_depth = volume->centroid_depth;
  const double(*j)[3] = volume->J_contact.m;
  out.overlap.second[0][0] = j[2][2];
  out.overlap.second[1][1] = j[0][0];
  out.overlap.second[2][2] = j[1][1];
  out.overlap.second[1][2] = out.overlap.second[2][1] = j[0][1];
  return out;
}

/* ---- polyhedra ----------------------------------------------------------------------------- */

static ff_status check_polyhedron(const ff_volume_def *def, const ff_polyhedron *solid,
                                  ff_report *report) {
  if (def->printed) {
    return wrong(report, "printed", "equation 37 is for spheres and ellipsoids only");
  }
  if (solid->vertex_count < 4 || solid->face_count < 4) {
    return wrong(report, "vertices", "a solid has at least 4 vertices and 4 faces");
  }
  for (int i = 0; i < solid->vertex_count; i++) {
    if (!v3_finite(solid->vertices[i])) {
      return wrong(report, "vertices", "every number must be finite");
    }
  }
  const int *corner = solid->corners;
  for (int face = 0; face < solid->face_count; face++) {
    if (solid->face_sizes[face] < 3) {
      return wrong(report, "faces", "a face has at least 3 corners");
    }
    for (int i = 0; i < solid->face_sizes[face]; i++, corner++) {
      if (*corner < 0 || *corner >= solid->vertex_count) {
        return wrong(report, "faces", "a face has a corner that is not a vertex");
      }
    }
  }
  return check_plane(def, report);
}

/* Depth of each vertex below the plane, and the deepest; NULL: no memory. */
static double *depths_of(const ff_volume_def *def, const ff_polyhedron *solid, double *deepest) {
  double *depths = ff_alloc((size_t)solid->vertex_count, sizeof *depths);
  double size = v3_norm(def->normal);
  *deepest = -INFINITY;
  for (int i = 0; depths && i < solid->vertex_count; i++) {
    depths[i] = exact_dot_difference(def->point, solid->vertices[i], def->normal) / size;
    *deepest = fmax(*deepest, depths[i]);
  }
  return depths;
}

ff_status ff_volume_polyhedron(ff_volume *out, const ff_volume_def *def,
                               const ff_volume_solid *solid, ff_report *report) {
  ff_status status = check_polyhedron(def, solid, report);
  if (status != FF_OK) {
    return status;
  }
  double deepest, *depths = depths_of(def, solid, &deepest);
  if (!depths) {
    return FF_ERROR_MEMORY;
  }
  ff_vec3 normal = v3_unit(def->normal);
  ff_slab slab;
  ff_overlap_polyhedron(solid, depths, normal, &slab);
  write_volume(out, &slab, normal, deepest);
  ff_free(depths);
  return FF_OK;
}

int ff_volume_polyhedron_outline(const ff_volume_def *def, const ff_volume_solid *solid,
                                 ff_arc *sides, int max) {
  double deepest, *depths = depths_of(def, solid, &deepest);
  if (!depths) {
    return -1;
  }
  int count = ff_outline_polyhedron(solid, depths, v3_unit(def->normal), sides, max);
  ff_free(depths);
  return count;
}

/* A line from point on is inside of all faces. */
double ff_volume_polyhedron_thickness(const ff_volume_def *def, const ff_volume_solid *solid,
                                      ff_vec3 point) {
  ff_vec3 down = v3_neg(v3_unit(def->normal)), inside = v3(0, 0, 0);
  ff_vec3 from = v3_axpy(point, v3_dot(down, v3_sub(def->point, point)), down);
  for (int i = 0; i < solid->vertex_count; i++) {
    inside = v3_axpy(inside, 1.0 / solid->vertex_count, solid->vertices[i]);
  }
  double enter = 0, leave = INFINITY;
  const int *corner = solid->corners;
  for (int i = 0; i < solid->face_count; corner += solid->face_sizes[i++]) {
    ff_vec3 a = solid->vertices[corner[0]], b = solid->vertices[corner[1]];
    ff_vec3 out = v3_cross(v3_sub(b, a), v3_sub(solid->vertices[corner[2]], a));
    out = v3_dot(out, v3_sub(inside, a)) > 0 ? v3_neg(out) : out;
    double room = v3_dot(out, v3_sub(a, from)), speed = v3_dot(out, down);
    if (speed > 0) {
      leave = fmin(leave, room / speed);
    } else if (speed < 0) {
      enter = fmax(enter, room / speed);
    } else if (room < 0) {
      return 0;
    }
  }
  return fmax(leave - enter, 0);
}

/* ---- the patch ------------------------------------------------------------------------------- */

double ff_volume_thickness(const ff_volume_def *def, ff_vec3 point) {
  ff_geom geom = {.kind = def->kind, .size = def->size};
  ff_vec3 normal = v3_unit(def->normal);
  ff_vec3 onto = v3_axpy(point, v3_dot(normal, v3_sub(def->point, point)), normal);
  double enter, leave;
  if (!ff_geom_line(&geom, onto, v3_neg(normal), &enter, &leave)) {
    return 0;
  }
  return fmax(leave - fmax(enter, 0), 0);
}

int ff_volume_outline(const ff_volume_def *def, ff_arc *arcs, int max) {
  ff_geom geom = {.kind = def->kind, .size = def->size};
  ff_cut cut = ff_geom_cut(&geom, def->normal, def->point);
  ff_arc all[FF_ARCS_MAX];
  int count = ff_geom_outline(&geom, &cut, v3_orthogonal(cut.normal), all);
  for (int i = 0; i < count && i < max; i++) {
    arcs[i] = all[i];
  }
  return count;
}

int ff_volume_edges(const ff_volume_def *def, ff_edge *edges) {
  ff_geom geom = {.kind = def->kind, .size = def->size};
  ff_cut cut = ff_geom_cut(&geom, def->normal, def->point);
  ff_slab slab;
  ff_geom_overlap(&geom, &cut, &slab);
  ff_vec3 x = v3_orthogonal(cut.normal), y = v3_cross(cut.normal, x);
  return ff_geom_edges(&geom, &cut, &slab, x, y, edges);
}
