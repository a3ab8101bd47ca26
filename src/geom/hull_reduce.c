/* Hulls with few corners: quickhull [Barber96] that always adds the point that stands out most, and
 * stops when it has enough. Points that a face no longer sees are never looked at again, so that
 * meshes of a million points take a fraction of a second. */
#include "geom/hull.h"

#include "base/memory.h"
#include "base/report.h"
#include "math/vec.h"

#include <string.h>

/* A triangle of the hull so far. Every point outside waits at the one new face it stood out from
 * most. */
typedef struct face {
  int corner[3]; /* of the chosen, counterclockwise seen from outside */
  ff_vec3 normal;
  double offset; /* m: normal . x on the face */
  int first;     /* of the points that wait here, -1: none */
  int top;       /* the one that stands out most, */
  double height; /* m, and by how much */
  bool visible;  /* from the point that is being added */
} face;

typedef struct growth {
  const ff_vec3 *points;
  int count;
  ff_vec3 *chosen;
  int chosen_count, limit;
  int *next; /* of each point: who waits at the same face */
  face *faces;
  int face_count, face_room;
  int *owner;   /* face whose edge runs from one chosen point to another, limit x limit */
  double size;  /* m */
  double least; /* m, standing out less counts as lying in the face */
} growth;

/* Rounding of coordinates in single precision, in which most meshes are written, makes flat faces
 * uneven by some 6e-8 of the size; that is not a corner. */
static const double uneven = 1e-7;

/* ---- faces ---------------------------------------------------------------------------------- */

static double height_over(const face *f, ff_vec3 point) {
  return v3_dot(f->normal, point) - f->offset;
}

/* A face through three of the chosen. One without area sees nothing. */
static void set_growth_face(growth *g, int at, int a, int b, int c) {
  ff_vec3 p = g->chosen[a];
  ff_vec3 normal = v3_cross(v3_sub(g->chosen[b], p), v3_sub(g->chosen[c], p));
  double area = v3_norm(normal);
  face *f = &g->faces[at];
  *f = (face){.corner = {a, b, c}, .first = -1, .top = -1, .offset = INFINITY};
  if (area > 0) {
    f->normal = v3_scale(1 / area, normal);
    f->offset = v3_dot(f->normal, p);
  }
  for (int i = 0; i < 3; i++) {
    g->owner[f->corner[i] * g->limit + f->corner[(i + 1) % 3]] = at;
  }
}

/* Lets a point wait at that of the faces first .. face_count - 1 from which it stands out most. */
static void assign_point_to_face(growth *g, int point, int first) {
  int best = -1;
  double most = g->least;
  for (int i = first; i < g->face_count; i++) {
    double height = height_over(&g->faces[i], g->points[point]);
    if (height > most) {
      most = height;
      best = i;
    }
  }
  if (best >= 0) {
    face *f = &g->faces[best];
    g->next[point] = f->first;
    f->first = point;
    if (most > f->height) {
      f->height = most;
      f->top = point;
    }
  }
}

/* ---- the first four ------------------------------------------------------------------------- */

static bool comes_before(ff_vec3 a, ff_vec3 b) {
  return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/* How far a point is from the first, from a line through two, from a plane through three. */
static double apart(const growth *g, ff_vec3 point) {
  ff_vec3 from = v3_sub(point, g->chosen[0]);
  if (g->chosen_count == 1) {
    return v3_norm(from);
  }
  ff_vec3 u = v3_unit(v3_sub(g->chosen[1], g->chosen[0]));
  if (g->chosen_count == 2) {
    return v3_norm(v3_cross(from, u));
  }
  return fabs(v3_dot(from, v3_unit(v3_cross(u, v3_sub(g->chosen[2], g->chosen[0])))));
}

/* Four points that span as much as can be; false if all lie in a plane. */
static bool first_four(growth *g) {
  g->chosen[0] = g->points[0];
  for (int i = 1; i < g->count; i++) {
    g->chosen[0] = comes_before(g->points[i], g->chosen[0]) ? g->points[i] : g->chosen[0];
  }
  g->chosen_count = 1;
  while (g->chosen_count < 4) {
    int best = 0;
    double most = 0;
    for (int i = 0; i < g->count; i++) {
      double distance = apart(g, g->points[i]);
      best = distance > most ? i : best;
      most = fmax(most, distance);
    }
    if (g->chosen_count == 1) {
      g->size = most;
      g->least = uneven * most;
    }
    if (!(most > g->least)) {
      return false;
    }
    g->chosen[g->chosen_count++] = g->points[best];
  }
  return true;
}

static void first_faces(growth *g) {
  static const int corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  ff_vec3 a = g->chosen[0], n = v3_cross(v3_sub(g->chosen[1], a), v3_sub(g->chosen[2], a));
  bool inward = v3_dot(n, v3_sub(g->chosen[3], a)) > 0;
  for (int i = 0; i < 4; i++) {
    const int *c = corners[i];
    set_growth_face(g, g->face_count++, c[0], c[inward ? 2 : 1], c[inward ? 1 : 2]);
  }
  for (int i = 0; i < g->count; i++) {
    assign_point_to_face(g, i, 0);
  }
}

/* ---- one more ------------------------------------------------------------------------------- */

/* Takes away the faces that the point sees and returns those who waited there, as a chain. The
 * last ones take the empty places, so that old faces come first. */
static int remove_visible(growth *g) {
  int chain = -1;
  for (int i = 0; i < g->face_count;) {
    face *f = &g->faces[i];
    if (!f->visible) {
      i++;
      continue;
    }
    for (int p = f->first, after; p >= 0; p = after) {
      after = g->next[p];
      g->next[p] = chain;
      chain = p;
    }
    *f = g->faces[--g->face_count];
    for (int k = 0; i < g->face_count && k < 3; k++) {
      g->owner[f->corner[k] * g->limit + f->corner[(k + 1) % 3]] = i;
    }
  }
  return chain;
}

/* Edges of visible faces whose other face is not: from (first, second) of each. */
static int find_horizon(growth *g, int *edges, int room) {
  int count = 0;
  for (int i = 0; i < g->face_count; i++) {
    const face *f = &g->faces[i];
    for (int k = 0; f->visible && k < 3; k++) {
      int a = f->corner[k], b = f->corner[(k + 1) % 3];
      if (!g->faces[g->owner[b * g->limit + a]].visible && count < room) {
        edges[2 * count] = a;
        edges[2 * count + 1] = b;
        count++;
      }
    }
  }
  return count;
}

/* Adds a point: replaces the faces that it sees by faces from their outline to it. */
static void add_growth_point(growth *g, int point, int *edges) {
  for (int i = 0; i < g->face_count; i++) {
    face *f = &g->faces[i];
    f->visible = height_over(f, g->points[point]) > 0;
  }
  int horizon = find_horizon(g, edges, g->face_room);
  int chain = remove_visible(g), fresh = g->face_count, corner = g->chosen_count;
  g->chosen[g->chosen_count++] = g->points[point];
  for (int i = 0; i < horizon && g->face_count < g->face_room; i++) {
    set_growth_face(g, g->face_count++, edges[2 * i], edges[2 * i + 1], corner);
  }
  for (int p = chain, after; p >= 0; p = after) {
    after = g->next[p];
    assign_point_to_face(g, p, fresh);
  }
}

static face *highest(growth *g) {
  face *best = &g->faces[0];
  for (int i = 1; i < g->face_count; i++) {
    best = g->faces[i].height > best->height ? &g->faces[i] : best;
  }
  return best->top >= 0 ? best : NULL;
}

/* By how much the farthest of those who still wait stands out of the whole hull. */
static double left_out(const growth *g) {
  double most = 0;
  for (int i = 0; i < g->face_count; i++) {
    for (int p = g->faces[i].first; p >= 0; p = g->next[p]) {
      for (int k = 0; k < g->face_count; k++) {
        most = fmax(most, height_over(&g->faces[k], g->points[p]));
      }
    }
  }
  return most;
}

static ff_status grow(growth *g, double *error, ff_report *report) {
  if (!first_four(g)) {
    return ff_report_what(report, "the points lie in a plane: they have no convex hull");
  }
  int *edges = ff_alloc(2 * (size_t)g->face_room, sizeof *edges);
  if (!edges) {
    return FF_ERROR_MEMORY;
  }
  first_faces(g);
  for (face *f = highest(g); f && g->chosen_count < g->limit; f = highest(g)) {
    add_growth_point(g, f->top, edges);
  }
  *error = left_out(g);
  ff_free(edges);
  return FF_OK;
}

/* ---- all together -----------------------------------------------------------------------------
 */

ff_status ff_hull_reduce(ff_vec3 *out, int *out_count, int limit, const ff_vec3 *points, int count,
                         double *error, ff_report *report) {
  double left = 0;
  *out_count = 0;
  if (count < 4 || limit < 4) {
    return ff_report_what(report, "a solid has at least 4 vertices");
  }
  limit = limit < FF_POLYHEDRON_VERTICES_MAX ? limit : FF_POLYHEDRON_VERTICES_MAX;
  growth g = {.points = points, .count = count, .limit = limit, .chosen = out};
  g.face_room = 4 * limit; /* Euler: a closed hull has 2 limit - 4 */
  g.next = ff_alloc((size_t)count, sizeof *g.next);
  g.faces = ff_alloc((size_t)g.face_room, sizeof *g.faces);
  g.owner = ff_alloc((size_t)limit * (size_t)limit, sizeof *g.owner);
  ff_status status = g.next && g.faces && g.owner ? grow(&g, &left, report) : FF_ERROR_MEMORY;
  ff_arena scratch = {0};
  ff_vec3 *corners;
  if (status == FF_OK) { /* a point chosen early may lie on a face or edge of what came later */
    status = ff_hull_corners(&corners, out_count, &scratch, out, (size_t)g.chosen_count, report);
  }
  if (status == FF_OK) {
    memcpy(out, corners, (size_t)*out_count * sizeof *out);
  }
  if (error) {
    *error = left;
  }
  ff_arena_free(&scratch);
  ff_free(g.next);
  ff_free(g.faces);
  ff_free(g.owner);
  return status;
}
