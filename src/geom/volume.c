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
  if (!ff_geom_can_overlap(def->kind, FF_HALF_SPACE)) {
    return wrong(report, "shape", "must be a solid: sphere, ellipsoid, box, capsule or cylinder");
  }
  const char *bad = ff_geom_check(&(ff_geom){def->kind, def->size});
  if (bad) {
    return wrong(report, "size", bad);
  }
  if (def->printed && def->kind != FF_SPHERE && def->kind != FF_ELLIPSOID) {
    return wrong(report, "printed", "equation 37 is for spheres and ellipsoids only");
  }
  return check_plane(def, report);
}

/* ---- the overlap ------------------------------------------------------------------------ */

static void tell(ff_volume *out, const ff_slab *slab, ff_vec3 normal, double depth) {
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
  out->rise = v3(seen.rise[1], seen.rise[2], seen.rise[0]);
  out->J_contact = (ff_mat3){{{j[1][1], j[1][2], 0}, {j[2][1], j[2][2], 0}, {0, 0, j[0][0]}}};
}

ff_status ff_volume_compute(ff_volume *out, const ff_volume_def *def, ff_report *report) {
  ff_status status = check(def, report);
  if (status != FF_OK) {
    return status;
  }
  ff_geom geom = {def->kind, def->size};
  ff_cut cut = ff_geom_cut(&geom, def->normal, def->point);
  ff_slab slab;
  ff_geom_overlap(&geom, &cut, &slab);
  if (def->printed) {
    ff_overlap_spread_printed(&geom, &cut, &slab.spread);
  }
  tell(out, &slab, cut.normal, cut.depth);
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
  out.overlap.rise[0] = volume->rise.z;
  out.overlap.rise[1] = volume->rise.x;
  out.overlap.rise[2] = volume->rise.y;
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
    if (solid->face_size[face] < 3) {
      return wrong(report, "faces", "a face has at least 3 corners");
    }
    for (int i = 0; i < solid->face_size[face]; i++, corner++) {
      if (*corner < 0 || *corner >= solid->vertex_count) {
        return wrong(report, "faces", "a face has a corner that is no vertex");
      }
    }
  }
  return check_plane(def, report);
}

ff_status ff_volume_polyhedron(ff_volume *out, const ff_volume_def *def, const ff_vec3 *vertices,
                               int vertex_count, const int *corners, const int *face_sizes,
                               int face_count, ff_report *report) {
  ff_polyhedron solid = {vertices, vertex_count, corners, face_sizes, face_count};
  ff_status status = check_polyhedron(def, &solid, report);
  if (status != FF_OK) {
    return status;
  }
  double *depths = ff_alloc((size_t)vertex_count, sizeof *depths);
  if (!depths) {
    return FF_ERROR_MEMORY;
  }
  double deepest = -INFINITY, size = v3_norm(def->normal);
  for (int i = 0; i < vertex_count; i++) {
    depths[i] = exact_dot_apart(def->point, vertices[i], def->normal) / size;
    deepest = fmax(deepest, depths[i]);
  }
  ff_slab slab;
  ff_overlap_polyhedron(&solid, depths, v3_scale(1 / size, def->normal), &slab);
  tell(out, &slab, v3_scale(1 / size, def->normal), deepest);
  ff_free(depths);
  return FF_OK;
}

/* ---- the patch ------------------------------------------------------------------------------- */

double ff_volume_thickness(const ff_volume_def *def, ff_vec3 point) {
  ff_geom geom = {def->kind, def->size};
  ff_vec3 normal = v3_unit(def->normal);
  ff_vec3 onto = v3_axpy(point, v3_dot(normal, v3_sub(def->point, point)), normal);
  double enter, leave;
  if (!ff_geom_line(&geom, onto, v3_neg(normal), &enter, &leave)) {
    return 0;
  }
  return fmax(leave - fmax(enter, 0), 0);
}

int ff_volume_outline(const ff_volume_def *def, ff_vec3 *points, int count) {
  ff_geom geom = {def->kind, def->size};
  ff_cut cut = ff_geom_cut(&geom, def->normal, def->point);
  if (!(cut.depth > 0 && cut.rest > 0)) {
    return 0;
  }
  /* From the deepest point through the centre to the highest one: inside all the way. */
  ff_vec3 lowest = ff_geom_lowest(&geom, cut.normal);
  ff_vec3 hub = v3_scale((cut.rest - cut.depth) / (cut.rest + cut.depth), lowest);
  ff_vec3 x = v3_orthogonal(cut.normal), y = v3_cross(cut.normal, x);
  for (int i = 0; i < count; i++) {
    double angle = 2 * ff_pi * i / count, enter, leave;
    ff_vec3 out = v3_axpy(v3_scale(cos(angle), x), sin(angle), y);
    if (!ff_geom_line(&geom, hub, out, &enter, &leave)) {
      leave = 0; /* the section is as good as a point */
    }
    points[i] = v3_axpy(hub, fmax(leave, 0), out);
  }
  return count;
}
