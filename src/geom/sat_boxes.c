/* Two boxes: separating axis test [Gottschalk96], and closest features where they are apart.
 *
 * The largest gap over 15 axes, six face normals and nine cross products of edges, is the signed
 * distance where the boxes overlap. Where they are apart it is the distance if the features it
 * belongs to meet when seen along the axis: a vertex over the face, or edges that cross. Else a
 * vertex is one of the closest features, and the other is where the clamped vertex lies.
 */
#include "geom/distance_parts.h"
#include "math/vec.h"

#define LEVEL_APART 1e-14 /* of the size: heights and gaps that differ by less are equal */
#define LEVEL_DEEP  1e-12 /* the same for witness points of overlapping boxes */
#define PARALLEL    1e-20 /* square of the sine between parallel edges */

enum { CLIPPED = 8 };

/* Indices of a box p and an axis i of it, and the two axes after that. */
static const int next_axis[5] = {0, 1, 2, 0, 1};

typedef struct box_pair {
  ff_vec3 axis[2][3]; /* unit, world, of a and b */
  double half[2][3];
  double r[2][3][3];      /* r[p][i][j]: axis i of box p times axis j of the other */
  double centre[2][3];    /* m, centre of the other box in the frame of box p */
  double gap[2][3], size; /* m, across the faces of box p */
} box_pair;

typedef struct box_witness {
  double at[3]; /* m, in the frame of box p */
  int p, axis;  /* face of box p, or edge of a */
  int edge_b;   /* edge of b, -1: face */
  double gap;
  double n[3]; /* unit, from b into a, in the frame of a; edges only */
} box_witness;

static void pair_boxes(box_pair *s, const ff_two *two) {
  ff_vec3 d = two->apart;
  s->size = two->size;
  s->axis[0][0] = q_axis_x(two->q_a), s->axis[1][0] = q_axis_x(two->q_b);
  s->axis[0][1] = q_axis_y(two->q_a), s->axis[1][1] = q_axis_y(two->q_b);
  s->axis[0][2] = q_axis_z(two->q_a), s->axis[1][2] = q_axis_z(two->q_b);
  v3_store(s->half[0], two->a->size);
  v3_store(s->half[1], two->b->size);
  for (int i = 0; i < 3; i++) {
    s->centre[0][i] = -v3_dot(d, s->axis[0][i]);
    s->centre[1][i] = v3_dot(d, s->axis[1][i]);
    for (int j = 0; j < 3; j++) {
      s->r[0][i][j] = s->r[1][j][i] = v3_dot(s->axis[0][i], s->axis[1][j]);
    }
  }
  for (int p = 0; p < 2; p++) {
    for (int i = 0; i < 3; i++) {
      const double *r = s->r[p][i], *other = s->half[!p];
      s->gap[p][i] = fabs(s->centre[p][i]) - s->half[p][i] -
                     (fabs(r[0]) * other[0] + fabs(r[1]) * other[1] + fabs(r[2]) * other[2]);
    }
  }
}

/* A vertex of the other box in the frame of box p; bit i of the vertex: positive side of axis i. */
static void other_vertex(const box_pair *s, int p, int vertex, double x[3]) {
  const double *h = s->half[!p];
  double u = vertex & 1 ? h[0] : -h[0], v = vertex & 2 ? h[1] : -h[1],
         w = vertex & 4 ? h[2] : -h[2];
  for (int i = 0; i < 3; i++) {
    const double *r = s->r[p][i];
    x[i] = s->centre[p][i] + (u * r[0] + v * r[1] + w * r[2]);
  }
}

/* Keeps the part of a polygon where x[axis] * side <= half. */
static int clip_polygon(double (*x)[3], int count, int axis, double side, double half) {
  double kept[CLIPPED][3];
  int keep = 0;
  for (int i = 0; i < count; i++) {
    const double *from = x[i], *to = x[i + 1 < count ? i + 1 : 0];
    double in = half - side * from[axis], next = half - side * to[axis];
    for (int k = 0; k < 3 && in >= 0 && keep < CLIPPED; k++) {
      kept[keep][k] = from[k];
    }
    keep += in >= 0 && keep < CLIPPED;
    if ((in < 0) != (next < 0) && keep < CLIPPED) {
      double t = in / (in - next);
      for (int k = 0; k < 3; k++) {
        kept[keep][k] = from[k] + t * (to[k] - from[k]);
      }
      keep++;
    }
  }
  for (int i = 0; i < keep; i++) {
    x[i][0] = kept[i][0], x[i][1] = kept[i][1], x[i][2] = kept[i][2];
  }
  return keep;
}

/* A point of the other box that is lowest over face w->axis of box p, within level, and over the
 * face: the lowest vertex, or the middle of what the face has in common with a lowest edge or face.
 * False: none; the point is then the lowest vertex. */
static bool lowest_over_face(const box_pair *s, box_witness *w, double level) {
  int p = w->p, k = w->axis, u = next_axis[k + 1], v = next_axis[k + 2], vertex = 0, flat = 0;
  const double *half = s->half[p];
  for (int i = 0; i < 3; i++) {
    double down = (s->centre[p][k] < 0 ? 1 : -1) * s->r[p][k][i];
    vertex |= (down > 0) << i;
    flat |= (2 * fabs(down) * s->half[!p][i] <= level) << i;
  }
  other_vertex(s, p, vertex, w->at);
  if (fabs(w->at[u]) <= half[u] && fabs(w->at[v]) <= half[v]) {
    return true;
  }
  int count = 0;
  double x[CLIPPED][3];
  other_vertex(s, p, vertex, x[count++]);
  for (int i = 0; i < 3 && count < 4; i++) { /* mirrored, in the order of a polygon */
    for (int c = count - 1; c >= 0 && flat & 1 << i; c--) {
      for (int d = 0; d < 3; d++) {
        double step = 2 * s->half[!p][i] * s->r[p][d][i];
        x[count][d] = x[c][d] + (vertex & 1 << i ? -step : step);
      }
      count++;
    }
  }
  for (int side = -1; side <= 1; side += 2) {
    count = clip_polygon(x, count, u, side, half[u]);
    count = clip_polygon(x, count, v, side, half[v]);
  }
  for (int d = 0; d < 3 && count > 0; d++) {
    w->at[d] = 0;
    for (int c = 0; c < count; c++) {
      w->at[d] += x[c][d] / count;
    }
  }
  return count > 0;
}

/* Gap across edge i of a and edge j of b. */
static box_witness edge_axis(const box_pair *s, int i, int j) {
  const double(*r)[3] = s->r[0], *t = s->centre[0], *h = s->half[0], *o = s->half[1];
  int k = next_axis[i + 1], l = next_axis[i + 2], m = next_axis[j + 1], q = next_axis[j + 2];
  double x = -r[l][j], y = r[k][j], square = x * x + y * y;
  box_witness out = {.axis = i, .edge_b = j, .gap = -INFINITY};
  if (square > PARALLEL) { /* else face normals say it all */
    double per = 1 / sqrt(square), along = t[k] * x + t[l] * y;
    per = along > 0 ? -per : per;
    out.n[k] = x *= per;
    out.n[l] = y *= per;
    out.gap = fabs(along * per) - h[k] * fabs(x) - h[l] * fabs(y) -
              o[m] * fabs(r[k][m] * x + r[l][m] * y) - o[q] * fabs(r[k][q] * x + r[l][q] * y);
  }
  return out;
}

/* The point of a's edge that is closest to b's, of those edges that face one another across n.
 * False: it is beyond the end of one of them; then at the end. */
static bool closest_on_edges(const box_pair *s, box_witness *w) {
  const double(*r)[3] = s->r[0], *n = w->n, *h = s->half[0], *o = s->half[1];
  int i = w->axis, j = w->edge_b, k = next_axis[i + 1], l = next_axis[i + 2];
  double q[3] = {s->centre[0][0], s->centre[0][1], s->centre[0][2]};
  for (int m = 0; m < 3; m++) {
    double side = n[k] * r[k][m] + n[l] * r[l][m] < 0 ? -o[m] : o[m];
    for (int d = 0; d < 3 && m != j; d++) {
      q[d] += side * r[d][m];
    }
  }
  w->at[k] = n[k] < 0 ? h[k] : -h[k];
  w->at[l] = n[l] < 0 ? h[l] : -h[l];
  double square = r[k][j] * r[k][j] + r[l][j] * r[l][j];
  double t = ((w->at[k] - q[k]) * r[k][j] + (w->at[l] - q[l]) * r[l][j]) / square;
  double at = q[i] + t * r[i][j];
  w->at[i] = fmax(-h[i], fmin(h[i], at));
  return fabs(at) <= h[i] && fabs(t) <= o[j];
}

static ff_vec3 from_frame(const box_pair *s, int p, const double x[3]) {
  return v3_axpy(v3_axpy(v3_scale(x[0], s->axis[p][0]), x[1], s->axis[p][1]), x[2], s->axis[p][2]);
}

/* Witness points: at, in the frame of box p, is a point of a if of_a, else of b. */
static void set_witness(ff_distance *out, const ff_two *two, const box_pair *s, int p,
                        const double at[3], bool of_a) {
  ff_vec3 x = from_frame(s, p, at);
  x = p == 0 ? v3_add(x, two->apart) : x;
  out->on_a = of_a ? x : v3_axpy(x, out->gap, out->normal);
  out->on_b = of_a ? v3_axpy(x, -out->gap, out->normal) : x;
}

static void set_face_witness(ff_distance *out, const ff_two *two, const box_pair *s,
                             const box_witness *w) {
  bool back = (s->centre[w->p][w->axis] < 0) != (w->p == 0);
  ff_vec3 n = s->axis[w->p][w->axis];
  out->normal = back ? v3_neg(n) : n;
  out->gap = w->gap;
  out->kind_a = w->p == 0 ? FF_FEATURE_FACE : FF_FEATURE_VERTEX;
  out->kind_b = w->p == 0 ? FF_FEATURE_VERTEX : FF_FEATURE_FACE;
  set_witness(out, two, s, w->p, w->at, w->p == 1);
}

static void set_edges(ff_distance *out, const ff_two *two, const box_pair *s,
                      const box_witness *w) {
  out->normal = from_frame(s, 0, w->n);
  out->gap = w->gap;
  out->kind_a = out->kind_b = FF_FEATURE_EDGE;
  out->edge_a = s->axis[0][w->axis];
  out->edge_b = s->axis[1][w->edge_b];
  set_witness(out, two, s, 0, w->at, true);
}

/* Vertex of one box that is closest to the other, by clamping its coordinates. */
static box_witness closest_vertex(const box_pair *s) {
  double least = INFINITY;
  box_witness out = {.edge_b = -1};
  for (int p = 0; p < 2; p++) {
    for (int vertex = 0; vertex < 8; vertex++) {
      double x[3], square = 0;
      other_vertex(s, p, vertex, x);
      for (int i = 0; i < 3; i++) {
        double over = greater(0, fabs(x[i]) - s->half[p][i]);
        square += over * over;
      }
      if (square < least) {
        least = square;
        out = (box_witness){.at = {x[0], x[1], x[2]}, .p = p, .edge_b = -1};
      }
    }
  }
  out.gap = sqrt(least);
  return out;
}

static void set_vertex(ff_distance *out, const ff_two *two, const box_pair *s, box_witness *w) {
  double n[3];
  int clamped = 0, along = 0;
  for (int i = 0; i < 3; i++) {
    double over = fmax(0, fabs(w->at[i]) - s->half[w->p][i]);
    clamped += over > 0;
    w->axis = over > 0 ? i : w->axis;
    along = over > 0 ? along : i;
    n[i] = copysign(over / w->gap, w->p == 0 ? -w->at[i] : w->at[i]);
  }
  ff_feature_kind kind = clamped == 3 ? FF_FEATURE_VERTEX : FF_FEATURE_EDGE;
  if (clamped == 1) {
    set_face_witness(out, two, s, w);
    return;
  }
  out->normal = from_frame(s, w->p, n);
  out->gap = w->gap;
  out->kind_a = w->p == 0 ? kind : FF_FEATURE_VERTEX;
  out->kind_b = w->p == 0 ? FF_FEATURE_VERTEX : kind;
  *(w->p == 0 ? &out->edge_a : &out->edge_b) = s->axis[w->p][along];
  set_witness(out, two, s, w->p, w->at, w->p == 1);
}

void ff_sat_boxes(ff_distance *out, const ff_two *two, double beyond) {
  box_pair s;
  pair_boxes(&s, two);
  double level = LEVEL_APART * two->size;
  box_witness face = {.edge_b = -1, .gap = s.gap[0][0]}, edges[9];
  for (int k = 1; k < 6; k++) { /* of equal gaps the first */
    if (s.gap[k / 3][k % 3] > face.gap + level) {
      face = (box_witness){.p = k / 3, .axis = k % 3, .edge_b = -1, .gap = s.gap[k / 3][k % 3]};
    }
  }
  out->settled = true;
  if (face.gap > 0 && (lowest_over_face(&s, &face, level) || face.gap > beyond)) {
    set_face_witness(out, two, &s, &face);
    return;
  }
  int best = 0;
  for (int k = 0; k < 9; k++) {
    edges[k] = edge_axis(&s, k / 3, k % 3);
    best = edges[k].gap > edges[best].gap ? k : best;
  }
  double most = greater(face.gap, edges[best].gap);
  for (int k = 0; k < 9 && most > level; k++) { /* apart */
    if (edges[k].gap >= most - level && closest_on_edges(&s, &edges[k])) {
      set_edges(out, two, &s, &edges[k]);
      return;
    }
  }
  if (most > level) {
    box_witness vertex = closest_vertex(&s);
    set_vertex(out, two, &s, &vertex);
  } else if (edges[best].gap > face.gap + level) {
    closest_on_edges(&s, &edges[best]);
    set_edges(out, two, &s, &edges[best]);
  } else {
    lowest_over_face(&s, &face, LEVEL_DEEP * two->size);
    set_face_witness(out, two, &s, &face);
  }
}
