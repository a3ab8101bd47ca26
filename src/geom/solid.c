#include "geom/solid.h"

#include "geom/touch.h"

void ff_solid_of(ff_solid *out, const ff_geom *geom) {
  out->hull = geom->kind == FF_POLYHEDRON ? geom->hull : NULL;
  if (out->hull) {
    out->vertex_count = geom->hull->vertex_count;
    out->edge_count = geom->hull->edge_count;
    out->face_count = geom->hull->face_count;
    return;
  }
  out->vertex_count = 8;
  out->edge_count = 12;
  out->face_count = 6;
  out->size = geom->size;
  for (int k = 0; k < 8; k++) {
    out->corner[k] = v3(k & 1 ? geom->size.x : -geom->size.x, k & 2 ? geom->size.y : -geom->size.y,
                        k & 4 ? geom->size.z : -geom->size.z);
  }
}

double ff_solid_core(ff_solid *out, const ff_geom *geom) {
  if (geom->kind == FF_POLYHEDRON && !geom->hull->core) {
    ff_solid_of(out, geom);
    return 0;
  }
  ff_geom small;
  double by = ff_geom_core_margin(geom, INFINITY);
  ff_geom_erode(&small, geom, by);
  ff_solid_of(out, &small);
  return by;
}

void ff_solid_edge(const ff_solid *of, int k, int ends[2]) {
  if (of->hull) {
    ends[0] = of->hull->edges[k].vertex[0];
    ends[1] = of->hull->edges[k].vertex[1];
    return;
  }
  static const int first[12] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};
  ends[0] = first[k];
  ends[1] = first[k] | 1 << k / 4;
}
