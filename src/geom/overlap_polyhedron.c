/* Convex polyhedra below a plane, by clipping.
 *
 * What is below is cut into tetrahedra that all have the deepest vertex as their tip: one for
 * each triangle of each clipped face, and one for each side of the section. All positions are
 * relative to that vertex, and all volumes are positive, so that a thin overlap is as exact as
 * a thick one.
 */
#include "geom/overlap.h"

#include "geom/hull.h"

typedef struct heap {
  double volume, area;
  ff_vec3 centroid; /* from the deepest vertex */
  ff_mat3 second;   /* about the centroid */
} heap;

static void add_outer(ff_mat3 *to, double weight, ff_vec3 v) {
  const double a[3] = {v.x, v.y, v.z};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      to->m[i][j] += weight * a[i] * a[j];
    }
  }
}

/* The tetrahedron of the deepest vertex and three points. Its own second moments are a
 * twentieth of its volume times those of its corners about its centroid. */
static void add_tetrahedron(heap *sum, ff_vec3 a, ff_vec3 b, ff_vec3 c) {
  double volume = fabs(v3_dot(a, v3_cross(b, c))) / 6;
  if (!(volume > 0)) {
    return;
  }
  ff_vec3 centre = v3_scale(0.25, v3_add(a, v3_add(b, c)));
  ff_vec3 apart = v3_sub(centre, sum->centroid);
  double total = sum->volume + volume, share = volume / total;
  add_outer(&sum->second, volume / 20, centre); /* the corner at 0 */
  add_outer(&sum->second, volume / 20, v3_sub(a, centre));
  add_outer(&sum->second, volume / 20, v3_sub(b, centre));
  add_outer(&sum->second, volume / 20, v3_sub(c, centre));
  add_outer(&sum->second, sum->volume * share, apart);
  sum->centroid = v3_axpy(sum->centroid, share, apart);
  sum->volume = total;
}

/* What clipping has met so far on its way around a face and from face to face. */
typedef struct clipper {
  const ff_polyhedron *solid;
  const double *depths;
  int deepest;
  heap sum;
  ff_vec3 first, last; /* points of the face's part below */
  int count;
  ff_vec3 hub; /* some point of the section's outline */
  bool has_hub;
} clipper;

static void add_corner(clipper *clip, ff_vec3 at) {
  if (clip->count == 0) {
    clip->first = at;
  } else if (clip->count > 1) {
    add_tetrahedron(&clip->sum, clip->first, clip->last, at);
  }
  clip->last = at;
  clip->count++;
}

static ff_vec3 vertex_from_deepest(const clipper *clip, int vertex) {
  return v3_sub(clip->solid->vertices[vertex], clip->solid->vertices[clip->deepest]);
}

/* Where the edge from a vertex below to one above meets the plane. */
static ff_vec3 crossing(const clipper *clip, int below, int above) {
  double part = clip->depths[below] / (clip->depths[below] - clip->depths[above]);
  ff_vec3 edge = v3_sub(clip->solid->vertices[above], clip->solid->vertices[below]);
  return v3_axpy(vertex_from_deepest(clip, below), part, edge);
}

/* The side that the section has in common with a face. */
static void add_side(clipper *clip, const ff_vec3 ends[2]) {
  if (!clip->has_hub) {
    clip->hub = ends[0];
    clip->has_hub = true;
    return;
  }
  ff_vec3 u = v3_sub(ends[0], clip->hub), v = v3_sub(ends[1], clip->hub);
  clip->sum.area += 0.5 * v3_norm(v3_cross(u, v));
  add_tetrahedron(&clip->sum, clip->hub, ends[0], ends[1]);
}

static void add_face(clipper *clip, const int *corners, int size) {
  ff_vec3 ends[2];
  int crossings = 0;
  clip->count = 0;
  for (int i = 0; i < size; i++) {
    int a = corners[i], b = corners[(i + 1) % size];
    bool a_below = clip->depths[a] > 0, b_below = clip->depths[b] > 0;
    if (a_below) {
      add_corner(clip, vertex_from_deepest(clip, a));
    }
    if (a_below != b_below && crossings < 2) {
      ends[crossings] = a_below ? crossing(clip, a, b) : crossing(clip, b, a);
      add_corner(clip, ends[crossings++]);
    }
  }
  if (crossings == 2) {
    add_side(clip, ends);
  }
}

void ff_overlap_polyhedron(const ff_polyhedron *solid, const double *depths, ff_vec3 normal,
                           ff_slab *out) {
  clipper clip = {.solid = solid, .depths = depths};
  for (int i = 1; i < solid->vertex_count; i++) {
    clip.deepest = depths[i] > depths[clip.deepest] ? i : clip.deepest;
  }
  const int *corners = solid->corners;
  for (int i = 0; i < solid->face_count; i++) {
    add_face(&clip, corners, solid->face_sizes[i]);
    corners += solid->face_sizes[i];
  }
  *out = (ff_slab){.volume = clip.sum.volume, .area = clip.sum.area};
  out->centroid = v3_add(solid->vertices[clip.deepest], clip.sum.centroid);
  if (clip.sum.volume > 0) {
    out->centroid_depth = depths[clip.deepest] - v3_dot(normal, clip.sum.centroid);
    out->spread = ff_overlap_flat(&clip.sum.second, normal);
    out->rise = m3_mul(clip.sum.second, normal);
  }
}

/* ---- the section ------------------------------------------------------------------------- */

/* Place of a direction around the normal, growing with its angle from 0 to 4. */
static double around(double x, double y) {
  double size = fabs(x) + fabs(y), part = size > 0 ? y / size : 0;
  return x < 0 ? 2 - part : part < 0 ? 4 + part : part;
}

/* The side in which a face meets the plane, in a pair of ends; false if it does not. */
static bool find_clip_side(const clipper *clip, const int *corners, int size, ff_vec3 ends[2]) {
  int crossings = 0;
  for (int i = 0; i < size && crossings < 2; i++) {
    int a = corners[i], b = corners[(i + 1) % size];
    bool a_below = clip->depths[a] > 0, b_below = clip->depths[b] > 0;
    if (a_below != b_below) {
      ends[crossings++] = a_below ? crossing(clip, a, b) : crossing(clip, b, a);
    }
  }
  return crossings == 2;
}

/* Puts a side where it belongs in the order of angles, about the hub. */
static void insert(ff_arc *out, int count, ff_arc side, ff_vec3 hub, ff_vec3 x, ff_vec3 y) {
  ff_vec3 from = v3_sub(side.start, hub);
  double place = around(v3_dot(x, from), v3_dot(y, from));
  int i = count;
  for (; i > 0; i--) {
    ff_vec3 other = v3_sub(out[i - 1].start, hub);
    if (around(v3_dot(x, other), v3_dot(y, other)) <= place) {
      break;
    }
    out[i] = out[i - 1];
  }
  out[i] = side;
}

int ff_outline_polyhedron(const ff_polyhedron *solid, const double *depths, ff_vec3 normal,
                          ff_arc *out, int max) {
  clipper clip = {.solid = solid, .depths = depths};
  ff_vec3 ends[2], hub = v3(0, 0, 0), origin = solid->vertices[0];
  ff_vec3 x = v3_orthogonal(normal), y = v3_cross(normal, x);
  int count = 0;
  const int *corners = solid->corners;
  for (int i = 0; i < solid->face_count; corners += solid->face_sizes[i++]) {
    if (find_clip_side(&clip, corners, solid->face_sizes[i], ends)) {
      hub = v3_add(hub, v3_add(ends[0], ends[1]));
      count++;
    }
  }
  hub = count > 0 ? v3_axpy(origin, 0.5 / count, hub) : origin;
  corners = solid->corners;
  for (int i = 0, n = 0; i < solid->face_count && n < max; corners += solid->face_sizes[i++]) {
    if (find_clip_side(&clip, corners, solid->face_sizes[i], ends)) {
      ff_vec3 a = v3_add(origin, ends[0]), b = v3_add(origin, ends[1]);
      bool forward = v3_dot(normal, v3_cross(v3_sub(a, hub), v3_sub(b, hub))) >= 0;
      ff_arc side = forward ? (ff_arc){.start = a, .p = v3_sub(b, a)}
                            : (ff_arc){.start = b, .p = v3_sub(a, b)};
      insert(out, n++, side, hub, x, y);
    }
  }
  return count;
}

/* ---- boxes --------------------------------------------------------------------------------- */

static const int box_corners[24] = {0, 1, 3, 2, 4, 5, 7, 6, 0, 1, 5, 4,
                                    2, 3, 7, 6, 0, 2, 6, 4, 1, 3, 7, 5};
static const int box_sizes[6] = {4, 4, 4, 4, 4, 4};

/* Corner: bit i set on the positive side of axis i. How deep it is follows from how much higher
 * than the deepest corner it is, which is a sum of positive terms. */
static void box_vertices(const ff_geom *geom, const ff_cut *cut, ff_vec3 vertices[8],
                         double depths[8]) {
  const double s[3] = {geom->size.x, geom->size.y, geom->size.z};
  const double n[3] = {cut->normal.x, cut->normal.y, cut->normal.z};
  for (int i = 0; i < 8; i++) {
    double at[3], higher = 0;
    for (int k = 0; k < 3; k++) {
      bool positive = i >> k & 1;
      at[k] = positive ? s[k] : -s[k];
      higher += positive == (n[k] > 0) ? 2 * s[k] * fabs(n[k]) : 0;
    }
    vertices[i] = v3_load(at);
    depths[i] = cut->depth - higher;
  }
}

void ff_overlap_box(const ff_geom *geom, const ff_cut *cut, ff_slab *out) {
  ff_vec3 vertices[8];
  double depths[8];
  box_vertices(geom, cut, vertices, depths);
  ff_polyhedron box = {vertices, 8, box_corners, box_sizes, 6};
  ff_overlap_polyhedron(&box, depths, cut->normal, out);
}

int ff_outline_box(const ff_geom *geom, const ff_cut *cut, ff_vec3 t1, ff_arc out[FF_ARCS_MAX]) {
  (void)t1;
  ff_vec3 vertices[8];
  double depths[8];
  box_vertices(geom, cut, vertices, depths);
  ff_polyhedron box = {vertices, 8, box_corners, box_sizes, 6};
  return ff_outline_polyhedron(&box, depths, cut->normal, out, FF_ARCS_MAX);
}

/* ---- hulls ---------------------------------------------------------------------------------- */

static int lowest_vertex(const ff_hull *hull, ff_vec3 normal) {
  int lowest = 0;
  double least = INFINITY;
  for (int i = 0; i < hull->vertex_count; i++) {
    double height = v3_dot(normal, hull->vertices[i]);
    if (height < least) {
      least = height;
      lowest = i;
    }
  }
  return lowest;
}

ff_vec3 ff_hull_lowest(const ff_hull *hull, ff_vec3 normal) {
  return hull->vertices[lowest_vertex(hull, normal)];
}

static ff_polyhedron hull_depths(const ff_geom *geom, const ff_cut *cut,
                                 double depths[FF_POLYHEDRON_VERTICES_MAX]) {
  const ff_hull *h = geom->hull;
  ff_vec3 lowest = ff_hull_lowest(h, cut->normal);
  for (int i = 0; i < h->vertex_count; i++) {
    depths[i] = cut->depth - v3_dot(cut->normal, v3_sub(h->vertices[i], lowest));
  }
  return (ff_polyhedron){h->vertices, h->vertex_count, h->corners, h->face_size, h->face_count};
}

void ff_overlap_hull(const ff_geom *geom, const ff_cut *cut, ff_slab *out) {
  double depths[FF_POLYHEDRON_VERTICES_MAX];
  ff_polyhedron solid = hull_depths(geom, cut, depths);
  ff_overlap_polyhedron(&solid, depths, cut->normal, out);
}

int ff_outline_hull(const ff_geom *geom, const ff_cut *cut, ff_vec3 t1, ff_arc out[FF_ARCS_MAX]) {
  (void)t1;
  double depths[FF_POLYHEDRON_VERTICES_MAX];
  ff_polyhedron solid = hull_depths(geom, cut, depths);
  return ff_outline_polyhedron(&solid, depths, cut->normal, out, FF_ARCS_MAX);
}
