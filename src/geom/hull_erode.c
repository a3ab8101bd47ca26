/* The core of a hull: what is left if all its faces move inwards by the same way.
 *
 * In the dual a face n.x = d is the point n / d, and a corner of the core is a face of the hull of
 * these points: the plane m.y = c that holds them says that m / c lies on all their faces. Corners
 * where more than three faces meet come apart into several, unless the faces happen to meet in a
 * point again; small faces may be cut off altogether. */
#include "geom/hull_parts.h"

#include "base/memory.h"
#include "math/spatial.h"
#include "math/vec.h"

#define CLOSE 1e-7 /* of the size: corners nearer than this are one */
#define KEPT  0.95 /* of an edge: how much of it may vanish */

typedef struct erosion {
  const ff_hull *from;
  double by;
  ff_arena scratch;
  ff_hull_found dual;
  int *first;     /* of each corner of the core, where its faces begin in the dual */
  ff_vec3 *found; /* its place, */
  int *same;      /* the corner that it is one with, */
  int *name;      /* and the name of that */
  int vertex_count;
} erosion;

static ff_status find_dual(erosion *e) {
  int count = e->from->face_count;
  ff_vec3 *points = ff_arena_take(&e->scratch, (size_t)count, sizeof *points);
  e->dual = (ff_hull_found){
      .points = points, .count = count, .corner_room = 6 * count, .face_room = 2 * count};
  e->dual.corners = ff_arena_take(&e->scratch, 6 * (size_t)count, sizeof(int));
  e->dual.sizes = ff_arena_take(&e->scratch, 2 * (size_t)count, sizeof(int));
  if (!points || !e->dual.corners || !e->dual.sizes) {
    return FF_ERROR_MEMORY;
  }
  for (int f = 0; f < count; f++) {
    points[f] = v3_scale(1 / (e->from->offset[f] - e->by), e->from->normal[f]);
  }
  return ff_hull_find(&e->dual, NULL);
}

/* Where the faces meet that a face of the dual joins. */
static ff_vec3 meeting_of(const erosion *e, const int *faces, int count) {
  const ff_vec3 *at = e->dual.points;
  ff_vec3 sum = v3(0, 0, 0);
  double offset = 0;
  for (int i = 1; i + 1 < count; i++) {
    ff_vec3 b = v3_sub(at[faces[i]], at[faces[0]]), c = v3_sub(at[faces[i + 1]], at[faces[0]]);
    sum = v3_add(sum, v3_cross(b, c));
  }
  for (int i = 0; i < count; i++) {
    offset += v3_dot(sum, at[faces[i]]) / count;
  }
  return v3_scale(1 / offset, sum);
}

static ff_status find_corners(erosion *e) {
  size_t count = (size_t)e->dual.face_count;
  e->first = ff_arena_take(&e->scratch, count + 1, sizeof *e->first);
  e->found = ff_arena_take(&e->scratch, count, sizeof *e->found);
  e->same = ff_arena_take(&e->scratch, count, sizeof *e->same);
  e->name = ff_arena_take(&e->scratch, count, sizeof *e->name);
  if (!e->first || !e->found || !e->same || !e->name) {
    return FF_ERROR_MEMORY;
  }
  for (int k = 0; k < e->dual.face_count; k++) {
    int size = e->dual.sizes[k];
    e->first[k + 1] = e->first[k] + size;
    e->found[k] = meeting_of(e, e->dual.corners + e->first[k], size);
    e->same[k] = k;
    for (int i = 0; i < k && e->same[k] == k; i++) {
      double apart = v3_norm(v3_sub(e->found[i], e->found[k]));
      e->same[k] = e->same[i] == i && apart < CLOSE * e->from->bound ? i : k;
    }
    e->name[k] = e->same[k] == k ? e->vertex_count++ : e->name[e->same[k]];
  }
  return FF_OK;
}

/* The corners of a face, in the order in which they stand around it. Returns their number. */
static int corners_of(const erosion *e, int face, int *out) {
  ff_vec3 n = e->from->normal[face], x = v3_orthogonal(n), y = v3_cross(n, x);
  ff_vec3 middle = v3(0, 0, 0);
  int count = 0;
  for (int k = 0; k < e->dual.face_count; k++) {
    bool mine = false;
    for (int i = e->first[k]; i < e->first[k + 1]; i++) {
      mine = mine || e->dual.corners[i] == face;
    }
    for (int i = 0; i < count; i++) {
      mine = mine && out[i] != e->same[k];
    }
    if (mine) {
      out[count++] = e->same[k];
      middle = v3_add(middle, e->found[e->same[k]]);
    }
  }
  middle = v3_scale(count > 0 ? 1.0 / count : 0, middle);
  for (int i = 1; i < count; i++) {
    for (int k = i; k > 0; k--) {
      ff_vec3 this = v3_sub(e->found[out[k]], middle), last = v3_sub(e->found[out[k - 1]], middle);
      if (ff_atan2(v3_dot(y, this), v3_dot(x, this)) >=
          ff_atan2(v3_dot(y, last), v3_dot(x, last))) {
        break;
      }
      int held = out[k];
      out[k] = out[k - 1];
      out[k - 1] = held;
    }
  }
  return count;
}

/* Faces that have three corners or more, and the ends of what they are. */
static void fill_faces(ff_hull *core, const erosion *e, int *corners) {
  int *to = (int *)core->corners, at = 0;
  core->inside = INFINITY;
  for (int f = 0; f < e->from->face_count; f++) {
    int count = corners_of(e, f, corners), k = core->face_count;
    if (count < 3) {
      continue;
    }
    ((int *)core->face_start)[k] = at;
    ((int *)core->face_size)[k] = count;
    ((ff_vec3 *)core->normal)[k] = e->from->normal[f];
    ((double *)core->offset)[k] = e->from->offset[f] - e->by;
    core->inside = fmin(core->inside, core->offset[k]);
    for (int i = 0; i < count; i++) {
      to[at++] = e->name[corners[i]];
    }
    core->face_count++;
  }
  core->edge_count = at / 2;
}

/* Velocity of a corner whose faces n move inwards by 1: least squares of n.w + 1. */
static ff_vec3 corner_way(const erosion *e, int name) {
  ff_mat3 sum = {{{0}}};
  ff_vec3 right = {0, 0, 0};
  for (int k = 0; k < e->dual.face_count; k++) {
    for (int i = e->first[k]; e->name[k] == name && i < e->first[k + 1]; i++) {
      ff_vec3 n = e->from->normal[e->dual.corners[i]];
      m3_outer_add(&sum, 1, n, n);
      right = v3_sub(right, n);
    }
  }
  ff_vec3 x = v3_load(sum.m[0]), y = v3_load(sum.m[1]), z = v3_load(sum.m[2]), xy = v3_cross(x, y),
          yz = v3_cross(y, z), zx = v3_cross(z, x);
  double det = v3_dot(x, yz);
  ff_vec3 way = v3_scale(right.x / det, yz);
  return v3_axpy(v3_axpy(way, right.y / det, zx), right.z / det, xy);
}

/* Ways of the corners, and how far they stay corners: until the first edge has lost nearly all of
 * its length. */
static ff_status find_ways(const erosion *e, ff_hull *core, ff_arena *arena) {
  ff_vec3 *way = ff_arena_take(arena, (size_t)core->vertex_count, sizeof *way);
  if (!way) {
    return FF_ERROR_MEMORY;
  }
  for (int v = 0; v < core->vertex_count; v++) {
    way[v] = corner_way(e, v);
  }
  core->way_until = core->inside;
  for (int k = 0; k < core->edge_count; k++) {
    const int *end = core->edges[k].vertex;
    ff_vec3 edge = v3_sub(core->vertices[end[1]], core->vertices[end[0]]);
    double square = v3_dot(edge, edge), loss = -v3_dot(edge, v3_sub(way[end[1]], way[end[0]]));
    if (!(loss * core->way_until < KEPT * square)) {
      core->way_until = loss > 0 ? KEPT * square / loss : 0;
    }
  }
  core->way = way;
  return FF_OK;
}

static ff_status build(erosion *e, ff_hull *core, ff_arena *arena) {
  ff_status status = find_dual(e);
  status = status == FF_OK ? find_corners(e) : status;
  if (status != FF_OK) {
    return status;
  }
  int *corners = ff_arena_take(&e->scratch, (size_t)e->dual.face_count, sizeof *corners);
  core->vertex_count = e->vertex_count;
  status = ff_hull_room(core, arena, e->from->face_count, e->dual.corner_count);
  if (!corners || status != FF_OK) {
    return FF_ERROR_MEMORY;
  }
  for (int k = 0; k < e->dual.face_count; k++) {
    ((ff_vec3 *)core->vertices)[e->name[k]] = e->found[e->same[k]];
    core->bound = fmax(core->bound, v3_norm(e->found[e->same[k]]));
  }
  fill_faces(core, e, corners);
  /* Of a very long hull rounding may leave fewer faces than any solid has. */
  if (core->face_count < 4 || !ff_hull_edges(core)) {
    return FF_ERROR_INPUT;
  }
  return find_ways(e, core, arena);
}

/* The core; NULL: by is too much, or rounding has spoilt it. */
static ff_status find_core(const ff_hull *hull, double by, ff_arena *arena, ff_hull **out) {
  erosion e = {.from = hull, .by = by};
  ff_hull *core = ff_arena_take(arena, 1, sizeof *core);
  *out = NULL;
  if (!core) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = by < hull->inside ? build(&e, core, arena) : FF_ERROR_INPUT;
  ff_arena_free(&e.scratch);
  *out = status == FF_OK ? core : NULL;
  return status == FF_ERROR_MEMORY ? status : FF_OK;
}

/* A hull scaled about its origin, with the same edges and faces. */
static ff_hull *scale_hull(const ff_hull *hull, double by, ff_arena *arena) {
  ff_hull *out = ff_arena_take(arena, 1, sizeof *out);
  ff_vec3 *vertices = ff_arena_take(arena, (size_t)hull->vertex_count, sizeof *vertices);
  double *offset = ff_arena_take(arena, (size_t)hull->face_count, sizeof *offset);
  if (!out || !vertices || !offset) {
    return NULL;
  }
  *out = *hull;
  for (int v = 0; v < hull->vertex_count; v++) {
    vertices[v] = v3_scale(by, hull->vertices[v]);
  }
  for (int f = 0; f < hull->face_count; f++) {
    offset[f] = by * hull->offset[f];
  }
  out->vertices = vertices;
  out->offset = offset;
  out->bound *= by;
  out->inside *= by;
  out->way = vertices; /* not used */
  out->way_until = 0;
  return out;
}

ff_status ff_hull_erode_inner(ff_hull *hull, double part, ff_arena *arena) {
  ff_hull *inner;
  double depth = part * hull->inside;
  ff_status status = find_core(hull, depth, arena, &inner);
  if (status != FF_OK) {
    return status;
  }
  inner = inner ? inner : scale_hull(hull, 1 - part, arena);
  hull->inner = inner;
  hull->inner_depth = depth;
  hull->inner_reach = 0;
  for (int v = 0; inner && v < hull->vertex_count; v++) {
    double nearest = INFINITY;
    for (int k = 0; k < inner->vertex_count; k++) {
      ff_vec3 off = v3_sub(hull->vertices[v], inner->vertices[k]);
      nearest = lesser(nearest, v3_dot(off, off));
    }
    hull->inner_reach = greater(hull->inner_reach, sqrt(nearest));
  }
  return inner ? FF_OK : FF_ERROR_MEMORY;
}
