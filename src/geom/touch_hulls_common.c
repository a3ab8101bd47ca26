/* Corners of what the facing sides of two rounded boxes or polyhedra have in common, seen along the
 * direction in which these are nearest. */
#include "geom/touch_hulls.h"

#define NEARLY 0.966 /* cosine of 15 degrees: such normals belong to the same contact */

/* Is nothing of a core farther along a direction than an edge of it? */
static bool leaves(const ff_core *of, const int ends[2], ff_vec3 direction, double slack) {
  ff_vec3 d = ff_core_local(of, direction), from = v3_sub(ff_core_corner(of, ends[0]), of->at);
  return v3_dot(d, ff_geom_support(&of->geom, d)) <= v3_dot(direction, from) + slack;
}

/* Does a spot belong to the contact? Edges whose normal is another may be on far sides that do not
 * face one another at all. */
static bool belongs(const ff_cores *m, const ff_spot *spot, const ff_core_place *at) {
  double along = v3_dot(at->normal, m->n);
  if (spot->kind != FF_SPOT_EDGES || along > NEARLY) {
    return along > 0 && at->gap > 0;
  }
  return along > 0 && at->gap > 0 &&
         leaves(&m->a, spot->a, v3_neg(at->normal), FF_CORE_SLACK * m->size) &&
         leaves(&m->b, spot->b, at->normal, FF_CORE_SLACK * m->size);
}

static void add(ff_cores *m, ff_spot spot) {
  ff_core_spot *to = &m->list[m->count];
  if (m->count < FF_CORE_SPOTS && ff_core_find_place(&m->a, &m->b, &spot, &to->at) &&
      belongs(m, &spot, &to->at)) {
    ff_vec3 at = spot.kind == FF_SPOT_CORNER_A ? to->at.on_a : to->at.on_b;
    to->spot = spot;
    to->x = v3_dot(m->t1, at);
    to->y = v3_dot(m->t2, at);
    m->count++;
  }
}

void ff_core_see(ff_core_view *out, const ff_cores *m, const ff_flat *face) {
  out->count = face->count;
  for (int i = 0; i < face->count; i++) {
    out->x[i] = v3_dot(m->t1, face->at[i]);
    out->y[i] = v3_dot(m->t2, face->at[i]);
  }
}

/* Is the point within what is seen of a face? */
static bool covers(const ff_core_view *of, double px, double py, double slack) {
  const double *x = of->x, *y = of->y;
  double turn = 0; /* a's face is seen from behind */
  for (int i = 1; i + 1 < of->count; i++) {
    turn += (x[i] - x[0]) * (y[i + 1] - y[0]) - (x[i + 1] - x[0]) * (y[i] - y[0]);
  }
  for (int i = 0; i < of->count; i++) {
    int k = i + 1 < of->count ? i + 1 : 0;
    double ex = x[k] - x[i], ey = y[k] - y[i];
    double in = copysign(1, turn) * (ex * (py - y[i]) - ey * (px - x[i]));
    if (in < -slack * sqrt(ex * ex + ey * ey)) {
      return false;
    }
  }
  return true;
}

/* Do the sides that begin at corners i and k cross? */
static bool crosses(const ff_core_view *a, int i, const ff_core_view *b, int k, double slack) {
  int i1 = i + 1 < a->count ? i + 1 : 0, k1 = k + 1 < b->count ? k + 1 : 0;
  double ux = a->x[i1] - a->x[i], uy = a->y[i1] - a->y[i];
  double wx = b->x[k1] - b->x[k], wy = b->y[k1] - b->y[k];
  double dx = b->x[k] - a->x[i], dy = b->y[k] - a->y[i], det = ux * wy - uy * wx;
  double u = sqrt(ux * ux + uy * uy), w = sqrt(wx * wx + wy * wy);
  if (!(fabs(det) > 1e-2 * u * w)) {
    return false; /* corners say it all */
  }
  double s = (dx * wy - dy * wx) / det, t = (dx * uy - dy * ux) / det;
  return fabs(s - 0.5) <= 0.5 + slack / u && fabs(t - 0.5) <= 0.5 + slack / w;
}

/* Corners of one face that the other covers. Those that are beside it by less than both radii
 * count as long as nothing else is there that is: where edges cross, or another corner. */
static void add_corners(ff_cores *m, const ff_core_view *of, const ff_core_view *over,
                        const int *ids, int face, bool is_a, bool beside) {
  double slack = FF_CORE_SLACK * m->size, rim = m->a.radius + m->b.radius;
  int known = m->count;
  for (int i = 0; i < of->count; i++) {
    bool wanted = covers(over, of->x[i], of->y[i], slack) != beside;
    wanted = wanted && (!beside || covers(over, of->x[i], of->y[i], rim));
    for (int k = 0; wanted && beside && k < known; k++) {
      wanted = ff_core_between(m->list[k].x - of->x[i], m->list[k].y - of->y[i]) > rim;
    }
    if (wanted) {
      add(m, is_a ? (ff_spot){FF_SPOT_CORNER_A, {ids[i]}, {face}}
                  : (ff_spot){FF_SPOT_CORNER_B, {face}, {ids[i]}});
    }
  }
}

static void find_spots(ff_cores *m) {
  int of_a = ff_core_facing(&m->a, v3_neg(m->n)), of_b = ff_core_facing(&m->b, m->n);
  const int *ids_a = m->face_a.corner, *ids_b = m->face_b.corner;
  ff_core_view a, b;
  ff_core_see(&a, m, &m->face_a);
  ff_core_see(&b, m, &m->face_b);
  add_corners(m, &a, &b, ids_a, of_b, true, false);
  add_corners(m, &b, &a, ids_b, of_a, false, false);
  for (int i = 0; i < a.count; i++) {
    for (int k = 0; k < b.count; k++) {
      if (crosses(&a, i, &b, k, FF_CORE_SLACK * m->size)) {
        add(m, (ff_spot){FF_SPOT_EDGES,
                         {ids_a[i], ids_a[(i + 1) % a.count]},
                         {ids_b[k], ids_b[(k + 1) % b.count]}});
      }
    }
  }
  add_corners(m, &a, &b, ids_a, of_b, true, true);
  add_corners(m, &b, &a, ids_b, of_a, false, true);
}

int ff_cores_include(ff_cores *m, const ff_core_spot *nearest) {
  m->n = nearest->at.normal;
  m->t1 = v3_orthogonal(m->n);
  m->t2 = v3_cross(m->n, m->t1);
  find_spots(m);
  for (int k = 0; k < m->count; k++) {
    if (ff_spot_is_same(&m->list[k].spot, &nearest->spot)) {
      return k;
    }
  }
  m->count -= m->count == FF_CORE_SPOTS;
  add(m, nearest->spot);
  return m->count - 1;
}
