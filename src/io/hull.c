/* Convex hulls by Qhull (the reentrant library). */
#include "base/memory.h"
#include "base/report.h"
#include "io/mesh.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <string.h>

/* Marks the points that are corners; returns their number. */
static int mark_corners(qhT *qh, char *is_corner) {
  vertexT *vertex;
  int count = 0;
  FORALLvertices {
    int id = qh_pointid(qh, vertex->point);
    if (id >= 0 && !is_corner[id]) {
      is_corner[id] = 1;
      count++;
    }
  }
  return count;
}

static ff_status run_qhull(double *coordinates, int count, char *is_corner, int *corners,
                           ff_report *report) {
  char said[512] = "", command[] = "qhull Pp";
  FILE *errors = fmemopen(said, sizeof said - 1, "w");
  if (!errors) {
    return FF_ERROR_MEMORY;
  }
  qhT hull;
  qh_zero(&hull, errors);
  int code = qh_new_qhull(&hull, 3, count, coordinates, False, command, NULL, errors);
  if (code == 0) {
    *corners = mark_corners(&hull, is_corner);
  }
  int left = 0, blocks = 0;
  qh_freeqhull(&hull, !qh_ALL); /* long blocks, then all short ones */
  qh_memfreeshort(&hull, &left, &blocks);
  fclose(errors);
  if (code != 0) {
    said[strcspn(said, "\n")] = 0;
    return ff_report_what(report, "the mesh has no convex hull: %.200s", said);
  }
  return FF_OK;
}

ff_status ff_hull_corners(ff_vec3 **out, int *corner_count, ff_arena *arena, const ff_vec3 *points,
                          size_t count, ff_report *report) {
  *out = NULL;
  *corner_count = 0;
  if (count > INT32_MAX / 64) {
    return ff_report_what(report, "the mesh has too many points");
  }
  /* Qhull may move what it is given. */
  double *coordinates = ff_alloc(3 * count, sizeof *coordinates);
  char *is_corner = ff_alloc(count, 1);
  ff_status status = coordinates && is_corner ? FF_OK : FF_ERROR_MEMORY;
  if (status == FF_OK) {
    for (size_t i = 0; i < count; i++) {
      coordinates[3 * i] = points[i].x;
      coordinates[3 * i + 1] = points[i].y;
      coordinates[3 * i + 2] = points[i].z;
    }
    status = run_qhull(coordinates, (int)count, is_corner, corner_count, report);
  }
  if (status == FF_OK) {
    *out = ff_arena_take(arena, (size_t)*corner_count, sizeof **out);
    status = *out ? FF_OK : FF_ERROR_MEMORY;
  }
  for (size_t i = 0, k = 0; status == FF_OK && i < count; i++) {
    if (is_corner[i]) {
      (*out)[k++] = points[i];
    }
  }
  ff_free(coordinates);
  ff_free(is_corner);
  return status;
}
