/* GJK and EPA on the Minkowski difference a - b of two shapes [Gilbert88, vandenBergen01]. */
#include "geom/distance_parts.h"

#include "base/effort.h"
#include "math/vec.h"

enum { GJK_ROUNDS = 128, VERTICES = 96, FACES = 2 * VERTICES };
#define ELSEWHERE 0.9999 /* cosine of the angle within which directions are one */
#define CLOSE     1e-2 /* of the size: nearer than this a direction is not taken from a distance */

/* ---- support points of the difference ------------------------------------------------------ */

ff_corner ff_two_support(const ff_two *two, ff_vec3 n) {
  ff_effort++;
  ff_corner out;
  out.a = v3_add(two->apart, q_rotate(two->q_a, ff_geom_support(two->a, q_unrotate(two->q_a, n))));
  out.a = v3_axpy(out.a, two->skin / v3_norm(n), n);
  out.b = q_rotate(two->q_b, ff_geom_support(two->b, q_unrotate(two->q_b, v3_neg(n))));
  out.w = v3_sub(out.a, out.b);
  return out;
}

/* ---- simplices ------------------------------------------------------------------------------- */

typedef struct simplex {
  ff_corner at[4];
  double share[4]; /* of the corners in the point nearest to the origin */
  int count;
} simplex;

static void keep_corners(simplex *s, int i, int j, int k, double si, double sj, double sk) {
  const ff_corner corners[4] = {s->at[0], s->at[1], s->at[2], s->at[3]};
  const int which[3] = {i, j, k};
  const double share[3] = {si, sj, sk};
  s->count = 0;
  for (int c = 0; c < 3; c++) {
    if (which[c] >= 0) {
      s->at[s->count] = corners[which[c]];
      s->share[s->count++] = share[c];
    }
  }
}

static void closest_on_segment(simplex *s) {
  ff_vec3 edge = v3_sub(s->at[1].w, s->at[0].w);
  double t = -v3_dot(s->at[0].w, edge), whole = v3_dot(edge, edge);
  if (!(t > 0)) {
    keep_corners(s, 0, -1, -1, 1, 0, 0);
  } else if (!(t < whole)) {
    keep_corners(s, 1, -1, -1, 1, 0, 0);
  } else {
    keep_corners(s, 0, 1, -1, 1 - t / whole, t / whole, 0);
  }
}

/* By the regions of a triangle i, j, k seen from the origin. */
static void closest_on_triangle(simplex *s, int i, int j, int k) {
  ff_vec3 a = s->at[i].w, b = s->at[j].w, c = s->at[k].w;
  ff_vec3 ab = v3_sub(b, a), ac = v3_sub(c, a);
  double d1 = -v3_dot(ab, a), d2 = -v3_dot(ac, a), d3 = -v3_dot(ab, b), d4 = -v3_dot(ac, b);
  double d5 = -v3_dot(ab, c), d6 = -v3_dot(ac, c);
  double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  if (d1 <= 0 && d2 <= 0) {
    keep_corners(s, i, -1, -1, 1, 0, 0);
  } else if (d3 >= 0 && d4 <= d3) {
    keep_corners(s, j, -1, -1, 1, 0, 0);
  } else if (d6 >= 0 && d5 <= d6) {
    keep_corners(s, k, -1, -1, 1, 0, 0);
  } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    double t = d1 / (d1 - d3);
    keep_corners(s, i, j, -1, 1 - t, t, 0);
  } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    double t = d2 / (d2 - d6);
    keep_corners(s, i, k, -1, 1 - t, t, 0);
  } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    keep_corners(s, j, k, -1, 1 - t, t, 0);
  } else {
    double sum = va + vb + vc;
    keep_corners(s, i, j, k, va / sum, vb / sum, vc / sum);
  }
}

static ff_vec3 closest_on_simplex(const simplex *s) {
  ff_vec3 v = v3(0, 0, 0);
  for (int i = 0; i < s->count; i++) {
    v = v3_axpy(v, s->share[i], s->at[i].w);
  }
  return v;
}

/* Of the four triangles those that the origin is outside of; none: it is inside, and all stay. */
static void closest_on_tetrahedron(simplex *s) {
  static const int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  const simplex all = *s;
  double best = INFINITY;
  bool outside = false;
  for (int f = 0; f < 4; f++) {
    ff_vec3 a = all.at[faces[f][0]].w, b = all.at[faces[f][1]].w, c = all.at[faces[f][2]].w;
    ff_vec3 n = v3_cross(v3_sub(b, a), v3_sub(c, a));
    double origin = -v3_dot(n, a), other = v3_dot(n, v3_sub(all.at[faces[f][3]].w, a));
    if (!(origin * other > 0)) {
      simplex mine = all;
      closest_on_triangle(&mine, faces[f][0], faces[f][1], faces[f][2]);
      ff_vec3 v = closest_on_simplex(&mine);
      outside = true;
      if (v3_dot(v, v) < best) {
        best = v3_dot(v, v);
        *s = mine;
      }
    }
  }
  if (!outside) {
    for (int i = 0; i < 4; i++) {
      s->share[i] = 0.25;
    }
  }
}

static void reduce_simplex(simplex *s) {
  if (s->count == 2) {
    closest_on_segment(s);
  } else if (s->count == 3) {
    closest_on_triangle(s, 0, 1, 2);
  } else if (s->count == 4) {
    closest_on_tetrahedron(s);
  } else {
    s->share[0] = 1;
  }
}

/* ---- apart: distance ----------------------------------------------------------------------- */

static void simplex_witness(ff_rough *out, const simplex *s) {
  out->on_a = out->on_b = v3(0, 0, 0);
  for (int i = 0; i < s->count; i++) {
    out->on_a = v3_axpy(out->on_a, s->share[i], s->at[i].a);
    out->on_b = v3_axpy(out->on_b, s->share[i], s->at[i].b);
  }
}

/* Steps towards the origin until no support point is nearer by more than enough. True: they are
 * apart. left: by how much the distance can be off. */
static bool gjk_descend(ff_rough *out, const ff_two *two, simplex *s, double beyond, double enough,
                        double *left) {
  ff_vec3 v = v3_dot(two->apart, two->apart) > 0 ? two->apart : v3(1, 0, 0);
  s->at[0] = ff_two_support(two, v3_neg(v));
  s->count = 1;
  s->share[0] = 1;
  v = s->at[0].w;
  double lower = -INFINITY; /* no point is nearer than this */
  for (int round = 0; round < GJK_ROUNDS; round++) {
    double square = v3_dot(v, v);
    if (!(square > 1e-28 * two->size * two->size)) {
      return false;
    }
    ff_corner next = ff_two_support(two, v3_neg(v));
    lower = v3_dot(next.w, v) / sqrt(square);
    if (lower > beyond || square - v3_dot(next.w, v) <= 1e-15 * square) {
      break;
    }
    if (lower > 0 && sqrt(square) - lower < enough) {
      break;
    }
    bool known = false;
    for (int i = 0; i < s->count; i++) {
      ff_vec3 off = v3_sub(next.w, s->at[i].w);
      known = known || v3_dot(off, off) <= 1e-30 * two->size * two->size;
    }
    if (known) {
      break;
    }
    simplex before = *s;
    s->at[s->count++] = next;
    reduce_simplex(s);
    if (s->count == 4) {
      return false;
    }
    ff_vec3 nearer = closest_on_simplex(s);
    if (!(v3_dot(nearer, nearer) < square)) { /* rounding: no progress */
      *s = before;
      break;
    }
    v = nearer;
  }
  simplex_witness(out, s);
  out->gap = v3_norm(v);
  out->normal = v3_scale(1 / out->gap, v);
  *left = out->gap - lower;
  return lower > 0;
}

/* ---- overlapping: minimum translation by EPA --------------------------------------------------
 */

typedef struct face {
  int at[3];
  ff_vec3 normal; /* unit, outward */
  double offset;  /* of the plane from the origin */
  bool open;      /* removed */
} face;

typedef struct polytope {
  ff_corner at[VERTICES];
  int count;
  face faces[FACES];
  int face_count;
} polytope;

static bool epa_add_face(polytope *p, int i, int j, int k, double size) {
  if (p->face_count == FACES) {
    return false;
  }
  ff_vec3 a = p->at[i].w, n = v3_cross(v3_sub(p->at[j].w, a), v3_sub(p->at[k].w, a));
  double length = v3_norm(n);
  if (!(length > 1e-30 * size * size)) {
    return false;
  }
  n = v3_scale(1 / length, n);
  p->faces[p->face_count++] = (face){{i, j, k}, n, v3_dot(n, a), false};
  return true;
}

/* Makes a tetrahedron around the origin of whatever simplex the distance has ended with. */
static bool fill_up(const ff_two *two, simplex *s) {
  static const double axes[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                    {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  double tiny = 1e-9 * two->size;
  for (int k = 0; k < 6 && s->count == 1; k++) {
    s->at[1] = ff_two_support(two, v3_load(axes[k]));
    s->count += v3_norm(v3_sub(s->at[1].w, s->at[0].w)) > tiny;
  }
  for (int k = 0; k < 6 && s->count == 2; k++) {
    ff_vec3 edge = v3_unit(v3_sub(s->at[1].w, s->at[0].w));
    ff_vec3 side = v3_cross(edge, v3_load(axes[k]));
    if (v3_norm(side) > 0.1) {
      s->at[2] = ff_two_support(two, side);
      s->count += v3_norm(v3_cross(edge, v3_sub(s->at[2].w, s->at[0].w))) > tiny;
    }
  }
  for (int k = 0; k < 2 && s->count == 3; k++) {
    ff_vec3 n = v3_unit(v3_cross(v3_sub(s->at[1].w, s->at[0].w), v3_sub(s->at[2].w, s->at[0].w)));
    s->at[3] = ff_two_support(two, k ? n : v3_neg(n));
    s->count += fabs(v3_dot(n, v3_sub(s->at[3].w, s->at[0].w))) > tiny;
  }
  return s->count == 4;
}

static bool epa_start(polytope *p, const simplex *s, double size) {
  static const int faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  p->count = 4;
  p->face_count = 0;
  for (int i = 0; i < 4; i++) {
    p->at[i] = s->at[i];
  }
  ff_vec3 a = p->at[0].w;
  double sense =
      v3_dot(v3_cross(v3_sub(p->at[1].w, a), v3_sub(p->at[2].w, a)), v3_sub(p->at[3].w, a));
  for (int f = 0; f < 4; f++) {
    int j = sense < 0 ? 1 : 2, k = sense < 0 ? 2 : 1;
    if (!epa_add_face(p, faces[f][0], faces[f][j], faces[f][k], size)) {
      return false;
    }
  }
  return true;
}

static int closest_face(const polytope *p) {
  int best = -1;
  for (int f = 0; f < p->face_count; f++) {
    if (!p->faces[f].open && (best < 0 || p->faces[f].offset < p->faces[best].offset)) {
      best = f;
    }
  }
  return best;
}

/* Replaces the faces that a new corner sees by those to their rim. */
static bool epa_expand(polytope *p, ff_corner corner, double size) {
  int rim[FACES][2], rims = 0, fresh = p->count;
  if (p->count == VERTICES) {
    return false;
  }
  p->at[p->count++] = corner;
  for (int f = 0; f < p->face_count; f++) { /* faces in whose plane it lies count as seen */
    face *mine = &p->faces[f];
    if (mine->open || !(v3_dot(mine->normal, corner.w) > mine->offset - 1e-13 * size)) {
      continue;
    }
    mine->open = true;
    for (int e = 0; e < 3; e++) { /* an edge that two such faces share is not a rim */
      int i = mine->at[e], j = mine->at[(e + 1) % 3], twin = 0;
      while (twin < rims && !(rim[twin][0] == j && rim[twin][1] == i)) {
        twin++;
      }
      if (twin < rims) {
        rims--;
        rim[twin][0] = rim[rims][0];
        rim[twin][1] = rim[rims][1];
      } else if (rims < FACES) {
        rim[rims][0] = i;
        rim[rims++][1] = j;
      }
    }
  }
  int kept = 0;
  for (int f = 0; f < p->face_count; f++) {
    if (!p->faces[f].open) {
      p->faces[kept++] = p->faces[f];
    }
  }
  p->face_count = kept;
  for (int e = 0; e < rims; e++) {
    if (!epa_add_face(p, rim[e][0], rim[e][1], fresh, size)) {
      return false;
    }
  }
  return rims > 0;
}

/* The points of the two that make up the foot of the origin on a face: in it, or in another that
 * lies in the same plane. */
static void face_witness(ff_rough *out, const polytope *p, const face *best, double size) {
  ff_vec3 foot = v3_scale(best->offset, best->normal);
  double nearest = INFINITY;
  for (int f = 0; f < p->face_count; f++) {
    const face *mine = &p->faces[f];
    if (fabs(v3_dot(mine->normal, foot) - mine->offset) > 1e-12 * size) {
      continue;
    }
    simplex s = {.count = 3};
    for (int i = 0; i < 3; i++) {
      s.at[i] = p->at[mine->at[i]];
      s.at[i].w = v3_sub(s.at[i].w, foot);
    }
    closest_on_triangle(&s, 0, 1, 2);
    ff_vec3 off = closest_on_simplex(&s);
    if (v3_dot(off, off) < nearest) {
      nearest = v3_dot(off, off);
      simplex_witness(out, &s);
    }
  }
  out->normal = v3_neg(best->normal); /* the difference is pushed out along the face's normal */
  out->gap = -best->offset;
}

/* Another way than the best? */
static bool is_elsewhere(ff_vec3 n, const face *best, const ff_rivals *rivals) {
  bool beside = v3_dot(n, best->normal) > ELSEWHERE;
  for (int i = 0; i < rivals->count; i++) {
    beside = beside || v3_dot(n, rivals->way[i].normal) < -ELSEWHERE;
  }
  return !beside;
}

/* Faces in other directions that are no farther than the best may turn out to be. */
static void find_rivals(ff_rivals *out, const polytope *p, const face *best, double beyond,
                        double size) {
  for (out->count = 0; out->count < FF_RIVALS; out->count++) {
    int found = -1;
    for (int f = 0; f < p->face_count; f++) {
      const face *mine = &p->faces[f];
      double most = found < 0 ? best->offset + beyond : p->faces[found].offset;
      found = mine->offset < most && is_elsewhere(mine->normal, best, out) ? f : found;
    }
    if (found < 0) {
      return;
    }
    face_witness(&out->way[out->count], p, &p->faces[found], size);
  }
}

/* False if rounding has spoilt the polytope before it was good enough; out keeps the last estimate.
 */
static bool epa_penetration(ff_rough *out, const ff_two *two, simplex *s, double enough,
                            ff_rivals *rivals) {
  polytope p;
  if (!fill_up(two, s) || !epa_start(&p, s, two->size)) {
    return false;
  }
  for (;;) {
    face best = p.faces[closest_face(&p)];
    ff_corner corner = ff_two_support(two, best.normal);
    double beyond = v3_dot(corner.w, best.normal) - best.offset;
    face_witness(out, &p, &best, two->size);
    if (beyond <= enough * two->size || p.count == VERTICES) {
      find_rivals(rivals, &p, &best, beyond, two->size);
      return true;
    }
    if (!epa_expand(&p, corner, two->size) || p.face_count < 4) {
      return false;
    }
  }
}

static void remove_skin(ff_rough *out, double skin) {
  out->gap += skin;
  out->on_a = v3_axpy(out->on_a, skin, out->normal);
}

/* The way out of a with a skin, which is that much longer. */
static bool epa_with_skin(ff_rough *out, const ff_two *two, double skin, double enough,
                          ff_rivals *rivals) {
  ff_two thick = *two;
  thick.skin = skin;
  simplex s = {.count = 0};
  double left;
  gjk_descend(out, &thick, &s, INFINITY, 0, &left);
  bool good = epa_penetration(out, &thick, &s, enough, rivals);
  remove_skin(out, skin);
  for (int i = 0; i < rivals->count; i++) {
    remove_skin(&rivals->way[i], skin);
  }
  return good;
}

/* Next to touching, a distance has no direction to speak of: there a gets a skin. If all faces are
 * flat and are coplanar, rounding may spoil the polytope; a thicker skin rounds its
 * edges, for an answer that is good to FF_ROUGH only. */
bool ff_gjk_epa(ff_rough *out, const ff_two *two, double beyond, bool *exact, ff_rivals *rivals) {
  rivals->count = 0;
  simplex s = {.count = 0};
  double close = two->curved ? CLOSE : 1e-9, enough = two->curved ? 1e-6 * two->size : 0, left;
  *exact = !two->curved;
  if (gjk_descend(out, two, &s, beyond, enough, &left) && out->gap > close * two->size) {
    return true;
  }
  if (epa_with_skin(out, two, 2 * close * two->size, two->curved ? FF_ROUGH : 1e-13, rivals)) {
    return true;
  }
  *exact = false;
  return epa_with_skin(out, two, 5 * CLOSE * two->size, FF_ROUGH, rivals) ||
         epa_with_skin(out, two, 20 * CLOSE * two->size, FF_ROUGH, rivals);
}

double ff_gjk_distance(ff_rough *rough, const ff_two *two, double enough) {
  simplex s = {.count = 0};
  ff_rough mine;
  double left;
  if (!gjk_descend(&mine, two, &s, INFINITY, enough * (two->size + rough->gap), &left)) {
    return INFINITY;
  }
  *rough = mine;
  return left;
}
