/* Convex hulls by Qhull (the reentrant library). */
#include "geom/hull_parts.h"

#include "base/memory.h"
#include "base/report.h"
#include "math/eigen.h"
#include "math/vec.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <string.h>

/* ---- qhull ---------------------------------------------------------------------------- */

/* Marks the points that are corners. */
static void mark_corners(qhT *qh, ff_hull_found *out) {
  vertexT *vertex;
  FORALLvertices {
    int id = qh_pointid(qh, vertex->point);
    if (id >= 0 && id < out->count && !out->is_corner[id]) {
      out->is_corner[id] = 1;
      out->vertex_count++;
    }
  }
}

/* The vertices around each face; faces in one plane are one. False: more than there is room for. */
static bool list_faces(qhT *qh, ff_hull_found *out) {
  facetT *facet;
  FORALLfacets {
    setT *around = qh_facet3vertex(qh, facet);
    int size = qh_setsize(qh, around);
    bool room = out->face_count < out->face_room && out->corner_count + size <= out->corner_room;
    for (int i = 0; room && i < size; i++) {
      vertexT *vertex = SETelemt_(around, i, vertexT);
      out->corners[out->corner_count++] = qh_pointid(qh, vertex->point);
    }
    qh_settempfree(qh, &around);
    if (!room) {
      return false;
    }
    out->sizes[out->face_count++] = size;
  }
  return true;
}

static ff_status run_qhull(ff_hull_found *out, double *coordinates, ff_report *report) {
  char said[512] = "", command[] = "qhull Pp";
  FILE *errors = fmemopen(said, sizeof said - 1, "w");
  if (!errors) {
    return FF_ERROR_MEMORY;
  }
  qhT hull;
  qh_zero(&hull, errors);
  bool room = true;
  int code = qh_new_qhull(&hull, 3, out->count, coordinates, False, command, NULL, errors);
  if (code == 0 && out->is_corner) {
    mark_corners(&hull, out);
  }
  if (code == 0 && out->corners) {
    room = list_faces(&hull, out);
  }
  int left = 0, blocks = 0;
  qh_freeqhull(&hull, !qh_ALL); /* long blocks, then all short ones */
  qh_memfreeshort(&hull, &left, &blocks);
  fclose(errors);
  if (code != 0) {
    said[strcspn(said, "\n")] = 0;
    return ff_report_what(report, "the points have no convex hull: %.200s", said);
  }
  return room ? FF_OK : ff_report_what(report, "the convex hull has too many faces");
}

ff_status ff_hull_find(ff_hull_found *out, ff_report *report) {
  double *coordinates = ff_alloc(3 * (size_t)out->count, sizeof *coordinates);
  if (!coordinates) {
    return FF_ERROR_MEMORY;
  }
  for (int i = 0; i < out->count; i++) { /* Qhull may move what it is given */
    v3_store(coordinates + 3 * (size_t)i, out->points[i]);
  }
  ff_status status = run_qhull(out, coordinates, report);
  ff_free(coordinates);
  return status;
}

ff_status ff_hull_corners(ff_vec3 **out, int *corner_count, ff_arena *arena, const ff_vec3 *points,
                          size_t count, ff_report *report) {
  *out = NULL;
  *corner_count = 0;
  if (count > INT32_MAX / 64) {
    return ff_report_what(report, "there are too many points");
  }
  ff_hull_found hull = {.points = points, .count = (int)count, .is_corner = ff_alloc(count, 1)};
  ff_status status = hull.is_corner ? ff_hull_find(&hull, report) : FF_ERROR_MEMORY;
  if (status == FF_OK) {
    *corner_count = hull.vertex_count;
    *out = ff_arena_take(arena, (size_t)*corner_count, sizeof **out);
    status = *out ? FF_OK : FF_ERROR_MEMORY;
  }
  for (size_t i = 0, k = 0; status == FF_OK && i < count; i++) {
    if (hull.is_corner[i]) {
      (*out)[k++] = points[i];
    }
  }
  ff_free(hull.is_corner);
  return status;
}

/* ---- mass ------------------------------------------------------------------------------ */

static const int *face_of(const ff_hull *hull, int face) {
  return hull->corners + hull->face_start[face];
}

/* Volume, centroid, and second moments about it, from tetrahedra with their tip at a vertex; in
 * two rounds, the second about the centroid of the first. */
static ff_mat3 hull_moments(ff_hull *hull, ff_vec3 *centroid) {
  ff_mat3 second = {0};
  ff_vec3 about = hull->vertices[0];
  for (int round = 0; round < 2; round++) {
    ff_vec3 first = v3(0, 0, 0);
    second = (ff_mat3){0};
    hull->volume = 0;
    for (int f = 0; f < hull->face_count; f++) {
      const int *at = face_of(hull, f);
      ff_vec3 a = v3_sub(hull->vertices[at[0]], about);
      for (int i = 1; i + 1 < hull->face_size[f]; i++) {
        ff_vec3 b = v3_sub(hull->vertices[at[i]], about);
        ff_vec3 c = v3_sub(hull->vertices[at[i + 1]], about);
        double volume = v3_dot(a, v3_cross(b, c)) / 6;
        ff_vec3 sum = v3_add(a, v3_add(b, c));
        hull->volume += volume;
        first = v3_axpy(first, volume / 4, sum);
        const double v[4][3] = {
            {a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}, {sum.x, sum.y, sum.z}};
        for (int k = 0; k < 36;
             k++) { /* (sum of outer products of corners and of their sum) / 20 */
          int i3 = k / 4 / 3, j3 = k / 4 % 3;
          second.m[i3][j3] += volume / 20 * v[k % 4][i3] * v[k % 4][j3];
        }
      }
    }
    *centroid = v3_axpy(about, 1 / hull->volume, first);
    about = *centroid;
  }
  return second;
}

/* ---- making ------------------------------------------------------------------------------ */

ff_status ff_hull_room(ff_hull *to, ff_arena *arena, int face_count, int corner_count) {
  size_t faces = (size_t)face_count, vertices = (size_t)to->vertex_count;
  to->edge_count = corner_count / 2;
  to->vertices = ff_arena_take(arena, vertices, sizeof(ff_vec3));
  to->corners = ff_arena_take(arena, (size_t)corner_count, sizeof(int));
  to->face_size = ff_arena_take(arena, faces, sizeof(int));
  to->face_start = ff_arena_take(arena, faces, sizeof(int));
  to->normal = ff_arena_take(arena, faces, sizeof(ff_vec3));
  to->offset = ff_arena_take(arena, faces, sizeof(double));
  to->edges = ff_arena_take(arena, (size_t)to->edge_count, sizeof(ff_hull_edge));
  return to->vertices && to->corners && to->face_size && to->face_start && to->normal &&
                 to->offset && to->edges
             ? FF_OK
             : FF_ERROR_MEMORY;
}

/* Twice the area of a face as a vector along its normal. */
static ff_vec3 face_vector(const ff_hull *hull, int face) {
  const int *at = face_of(hull, face);
  ff_vec3 sum = v3(0, 0, 0), a = hull->vertices[at[0]];
  for (int i = 1; i + 1 < hull->face_size[face]; i++) {
    ff_vec3 b = v3_sub(hull->vertices[at[i]], a), c = v3_sub(hull->vertices[at[i + 1]], a);
    sum = v3_add(sum, v3_cross(b, c));
  }
  return sum;
}

/* Vertices and faces as found, faces counterclockwise seen from outside. */
static void copy_faces(ff_hull *to, const ff_hull_found *from) {
  ff_vec3 *vertices = (ff_vec3 *)to->vertices, middle = v3(0, 0, 0);
  int *corners = (int *)to->corners, *sizes = (int *)to->face_size, *starts = (int *)to->face_start;
  for (int i = 0; i < to->vertex_count; i++) {
    vertices[i] = from->points[i];
    middle = v3_axpy(middle, 1.0 / to->vertex_count, vertices[i]);
  }
  to->face_count = from->face_count;
  for (int f = 0, at = 0; f < to->face_count; f++) {
    starts[f] = at;
    sizes[f] = from->sizes[f];
    memcpy(corners + at, from->corners + at, (size_t)sizes[f] * sizeof(int));
    if (v3_dot(face_vector(to, f), v3_sub(vertices[corners[at]], middle)) < 0) {
      for (int i = 0, k = sizes[f] - 1; i < k; i++, k--) {
        int held = corners[at + i];
        corners[at + i] = corners[at + k];
        corners[at + k] = held;
      }
    }
    at += sizes[f];
  }
}

/* An edge is where a face goes from one vertex to a higher one; its other face goes back. */
bool ff_hull_edges(ff_hull *hull) {
  ff_hull_edge *edges = (ff_hull_edge *)hull->edges;
  int count = 0;
  for (int f = 0; f < hull->face_count; f++) {
    for (int i = 0; i < hull->face_size[f]; i++) {
      int a = face_of(hull, f)[i], b = face_of(hull, f)[(i + 1) % hull->face_size[f]];
      if (a < b && count < hull->edge_count) {
        edges[count++] = (ff_hull_edge){{a, b}, {f, -1}};
      }
    }
  }
  int closed = 0;
  for (int f = 0; f < hull->face_count; f++) {
    for (int i = 0; i < hull->face_size[f]; i++) {
      int a = face_of(hull, f)[i], b = face_of(hull, f)[(i + 1) % hull->face_size[f]];
      for (int e = 0; a > b && e < count; e++) {
        if (edges[e].vertex[0] == b && edges[e].vertex[1] == a && edges[e].face[1] < 0) {
          edges[e].face[1] = f;
          closed++;
        }
      }
    }
  }
  return count == hull->edge_count && closed == count;
}

static int edge_between(const ff_hull *hull, int u, int v) {
  int low = u < v ? u : v, high = u < v ? v : u, e = 0;
  while (hull->edges[e].vertex[0] != low || hull->edges[e].vertex[1] != high) {
    e++;
  }
  return e;
}

/* Adjacency of a hull whose edges are known and closed. */
static ff_status make_topology(ff_hull *hull, ff_arena *arena) {
  int faces = hull->face_count, ends = 2 * hull->edge_count;
  int *side_start = ff_arena_take(arena, (size_t)faces + 1, sizeof(int));
  int *ring_start = ff_arena_take(arena, (size_t)hull->vertex_count + 1, sizeof(int));
  int *side = ff_arena_take(arena, (size_t)ends, sizeof(int));
  int *ring = ff_arena_take(arena, (size_t)ends, sizeof(int));
  int *ring_edge = ff_arena_take(arena, (size_t)ends, sizeof(int));
  if (!side_start || !ring_start || !side || !ring || !ring_edge) {
    return FF_ERROR_MEMORY;
  }
  int *first = ring_start + 1; /* a face of each vertex, before the rings are known */
  for (int f = 0; f < faces; f++) {
    const int *at = face_of(hull, f);
    side_start[f] = hull->face_start[f];
    for (int i = 0; i < hull->face_size[f]; i++) {
      first[at[i]] = f;
      side[side_start[f] + i] = edge_between(hull, at[i], at[(i + 1) % hull->face_size[f]]);
    }
  }
  side_start[faces] = ends;
  for (int v = 0, count = 0; v < hull->vertex_count; v++) {
    int start = first[v], f = start;
    do {
      const int *at = face_of(hull, f);
      int size = hull->face_size[f], i = 0;
      while (at[i] != v) {
        i++;
      }
      int e = side[side_start[f] + (i + size - 1) % size]; /* the edge that leads to v */
      ring[count] = f;
      ring_edge[count++] = e;
      f = hull->edges[e].face[hull->edges[e].face[0] == f];
    } while (f != start && count < ends);
    ring_start[v + 1] = count;
  }
  hull->topology = (ff_topology){.vertex_count = hull->vertex_count,
                                 .edge_count = hull->edge_count,
                                 .face_count = faces,
                                 .edges = hull->edges,
                                 .side_start = side_start,
                                 .side = side,
                                 .ring_start = ring_start,
                                 .ring = ring,
                                 .ring_edge = ring_edge};
  return FF_OK;
}

/* From the frame of the definition to the principal one, then what goes with it. */
static void settle(ff_hull *hull, ff_pose *frame) {
  ff_vec3 *vertices = (ff_vec3 *)hull->vertices, *normals = (ff_vec3 *)hull->normal;
  ff_mat3 second = hull_moments(hull, &frame->position);
  ff_vec3 p = ff_eigen(second, &frame->orientation);
  hull->inertia = v3(p.y + p.z, p.z + p.x, p.x + p.y);
  for (int i = 0; i < hull->vertex_count; i++) {
    vertices[i] = q_unrotate(frame->orientation, v3_sub(vertices[i], frame->position));
    hull->bound = fmax(hull->bound, v3_norm(vertices[i]));
  }
  hull->inside = INFINITY;
  for (int f = 0; f < hull->face_count; f++) {
    normals[f] = v3_unit(face_vector(hull, f));
    double sum = 0;
    for (int i = 0; i < hull->face_size[f]; i++) {
      sum += v3_dot(normals[f], vertices[face_of(hull, f)[i]]);
    }
    ((double *)hull->offset)[f] = sum / hull->face_size[f];
    hull->inside = fmin(hull->inside, hull->offset[f]);
  }
}

static ff_status assemble(ff_hull *out, ff_pose *frame, ff_arena *arena, const ff_vec3 *corners,
                          int count, ff_report *report) {
  /* Euler: at most 2 v - 4 faces and 3 v - 6 edges, each with two ends. */
  ff_hull_found hull = {
      .points = corners, .count = count, .corner_room = 6 * count, .face_room = 2 * count};
  hull.corners = ff_alloc((size_t)hull.corner_room, sizeof(int));
  hull.sizes = ff_alloc((size_t)hull.face_room, sizeof(int));
  ff_status status = hull.corners && hull.sizes ? ff_hull_find(&hull, report) : FF_ERROR_MEMORY;
  if (status == FF_OK) {
    out->vertex_count = count;
    status = ff_hull_room(out, arena, hull.face_count, hull.corner_count);
  }
  if (status == FF_OK) {
    copy_faces(out, &hull);
    settle(out, frame);
    if (!ff_hull_edges(out) || !(out->volume > 0) || !(out->inside > 0)) {
      status = ff_report_what(report, "the points are too flat to have a convex hull");
    }
    status = status == FF_OK ? make_topology(out, arena) : status;
  }
  ff_free(hull.corners);
  ff_free(hull.sizes);
  return status;
}

ff_status ff_hull_make(ff_hull *out, ff_pose *frame, ff_arena *arena, const ff_vec3 *points,
                       int count, ff_report *report) {
  *out = (ff_hull){0};
  ff_arena scratch = {0};
  ff_vec3 *corners;
  int corner_count;
  ff_status status =
      ff_hull_corners(&corners, &corner_count, &scratch, points, (size_t)count, report);
  if (status == FF_OK && corner_count > FF_POLYHEDRON_VERTICES_MAX) {
    status = ff_report_what(report, "the convex hull has %d corners; at most %d are allowed",
                            corner_count, FF_POLYHEDRON_VERTICES_MAX);
  }
  if (status == FF_OK) {
    status = assemble(out, frame, arena, corners, corner_count, report);
  }
  ff_arena_free(&scratch);
  return status;
}

void ff_hull_place(ff_hull *hull, ff_pose frame) {
  ff_vec3 *vertices = (ff_vec3 *)hull->vertices, *normal = (ff_vec3 *)hull->normal;
  double *offset = (double *)hull->offset;
  for (int i = 0; i < hull->vertex_count; i++) {
    vertices[i] = pose_point(frame, vertices[i]);
  }
  for (int f = 0; f < hull->face_count; f++) {
    normal[f] = q_rotate(frame.orientation, normal[f]);
    offset[f] += v3_dot(normal[f], frame.position);
  }
}

double ff_hull_above(const ff_hull *hull, ff_vec3 point) {
  double most = -INFINITY;
  for (int f = 0; f < hull->face_count; f++) {
    most = fmax(most, v3_dot(hull->normal[f], point) - hull->offset[f]);
  }
  return most;
}
