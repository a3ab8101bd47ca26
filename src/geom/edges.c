/* The overlap in layers: what a law that sums over the patch sees of it.
 *
 * Integrals over a layer of what depends on the distance from one point alone, and on the
 * direction from it, are integrals along the layer's outline. So the law needs outlines only.
 *
 * The layers need not lie along the plane: any cut through the volume will do, pressed flat along
 * the normal. They are tilted so that their middles do not wander from layer to layer (the tilt
 * that height has over the patch on the mean), for otherwise a deep body that leans would be a few
 * separate islands. At last all places are moved and stretched together, by what is missing to the
 * exact centroid and second moments. */
#include "geom/overlap.h"
#include "math/elementary.h"

enum { LEVELS = 12, STEPS = 4, STEPS_FULL = 12, SIDES_MAX = 12 };

/* Gauss's rule of 12 points on (0, 1): the first half. */
static const double level_at[LEVELS / 2] = {0.0092196828766403747, 0.047941371814762572,
                                            0.11504866290284766,   0.20634102285669128,
                                            0.3160842505009099,    0.43738329574426554};
static const double level_weight[LEVELS / 2] = {0.023587668193255914, 0.053469662997659215,
                                                0.080039164271673113, 0.10158371336153296,
                                                0.1167462682691774,   0.12457352290670139};

typedef struct spot {
  double x, y, z; /* m, along t1, t2 from the centroid; z is over the plane */
} spot;

typedef struct pile {
  ff_vec3 t1, t2, up;    /* shape frame */
  ff_vec3 centroid;      /* of what is below: origin of coordinates */
  double centroid_depth; /* m, below the plane */
  ff_edge *edges;
  int count;
  double weight;    /* of the present layer */
  spot out, in;     /* where its outline goes up through the plane and comes back */
  bool above, back; /* it did */
} pile;

static spot seen(const pile *p, ff_vec3 v) {
  return (spot){v3_dot(p->t1, v), v3_dot(p->t2, v), v3_dot(p->up, v)};
}

static spot between(spot a, spot b, double part) {
  return (spot){a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), a.z + part * (b.z - a.z)};
}

/* ---- one layer --------------------------------------------------------------------------- */

static void add_edge(pile *p, spot a, spot b) {
  if (p->count < FF_EDGES_MAX) {
    p->edges[p->count++] = (ff_edge){{a.x, a.y}, {b.x - a.x, b.y - a.y}, p->weight};
  }
}

/* The part of an edge below the plane. */
static void add_below(pile *p, spot a, spot b) {
  bool a_below = a.z <= 0, b_below = b.z <= 0;
  if (a_below && b_below) {
    add_edge(p, a, b);
  } else if (a_below) {
    p->out = between(a, b, a.z / (a.z - b.z));
    p->above = true;
    add_edge(p, a, p->out);
  } else if (b_below) {
    p->in = between(a, b, a.z / (a.z - b.z));
    p->back = true;
    add_edge(p, p->in, b);
  }
}

/* An arc in straight steps: by turning on, since sines are dear. */
static void add_arc(pile *p, const ff_arc *arc) {
  spot start = seen(p, v3_sub(arc->start, p->centroid)), cp = seen(p, arc->p);
  spot cq = seen(p, arc->q);
  start.z -= p->centroid_depth;
  if (arc->turn == 0) {
    spot middle = {start.x + 0.5 * cp.x, start.y + 0.5 * cp.y, start.z + 0.5 * cp.z};
    add_below(p, start, middle);
    add_below(p, middle, (spot){start.x + cp.x, start.y + cp.y, start.z + cp.z});
    return;
  }
  bool full = fabs(arc->turn) > 6; /* then it starts at from = 0 */
  int steps = full ? STEPS_FULL : STEPS;
  double c0 = ff_cos(arc->from), s0 = ff_sin(arc->from), c = c0, s = s0;
  double turn = arc->turn / steps, dc = ff_cos(turn), ds = ff_sin(turn);
  /* Corners lie so far outside that the area is right. */
  double bulge = sqrt(fabs(turn / ds)), more = full ? bulge - 1 : 0;
  spot last = {start.x + more * cp.x, start.y + more * cp.y, start.z + more * cp.z};
  for (int i = 1; i <= steps; i++) {
    double next = c * dc - s * ds, out = i < steps || full ? bulge : 1;
    s = s * dc + c * ds;
    c = next;
    double pc = out * c - c0, qs = out * s - s0;
    spot at = {start.x + pc * cp.x + qs * cq.x, start.y + pc * cp.y + qs * cq.y,
               start.z + pc * cp.z + qs * cq.z};
    add_below(p, last, at);
    last = at;
  }
}

/* Where there are more sides than is worth while, several at a time are made one. */
static int thin(ff_arc *arcs, int count) {
  int together = (count + SIDES_MAX - 1) / SIDES_MAX, n = 0;
  for (int i = 0; together > 1 && i < count; i += together, n++) {
    ff_vec3 end = arcs[i + together < count ? i + together : 0].start;
    ff_vec3 start = arcs[i].start;
    arcs[n] = (ff_arc){.start = start, .p = v3_sub(end, start)};
  }
  return together > 1 ? n : count;
}

static void add_layer(pile *p, ff_arc *arcs, int count) {
  p->above = p->back = false;
  count = thin(arcs, count);
  for (int i = 0; i < count; i++) {
    add_arc(p, &arcs[i]);
  }
  if (p->above && p->back) {
    spot middle = between(p->out, p->in, 0.5);
    add_edge(p, p->out, middle);
    add_edge(p, middle, p->in);
  }
}

/* ---- the whole --------------------------------------------------------------------------------
 */

/* Volume, centroid and variances as the edges have them. */
typedef struct moments {
  double total, x, y, xx, xy, yy;
} moments;

/* About the centroid the integrals over triangles with their tip there are exact for polygons. */
static moments moments_of(const pile *p) {
  moments m = {0};
  for (int i = 0; i < p->count; i++) {
    const ff_edge *e = &p->edges[i];
    double x = e->at[0], y = e->at[1], dx = e->step[0], dy = e->step[1];
    double area = 0.5 * e->weight * (x * dy - y * dx), fx = x + dx, fy = y + dy;
    m.total += area;
    m.x += area * (x + fx) / 3;
    m.y += area * (y + fy) / 3;
    m.xx += area * (x * x + x * fx + fx * fx) / 6;
    m.yy += area * (y * y + y * fy + fy * fy) / 6;
    m.xy += area * (2 * (x * y + fx * fy) + x * fy + fx * y) / 12;
  }
  double per = m.total > 0 ? 1 / m.total : 0;
  m.x *= per;
  m.y *= per;
  m.xx = per * m.xx - m.x * m.x;
  m.xy = per * m.xy - m.x * m.y;
  m.yy = per * m.yy - m.y * m.y;
  return m;
}

/* The triangular root of a matrix of variances. */
typedef struct root {
  double xx, yx, yy;
} root;

static root root_of(double xx, double xy, double yy) {
  double x = sqrt(fmax(xx, 0)), yx = x > 0 ? xy / x : 0;
  return (root){x, yx, sqrt(fmax(yy - yx * yx, 0))};
}

/* Centroid to 0, variances to those of the overlap, volume to 1. */
static void match(pile *p, double s11, double s12, double s22) {
  moments m = moments_of(p);
  root is = root_of(m.xx, m.xy, m.yy), wanted = root_of(s11, s12, s22);
  double xx = is.xx > 0 ? wanted.xx / is.xx : 1, yy = is.yy > 0 ? wanted.yy / is.yy : 1;
  double yx = is.xx > 0 ? (wanted.yx - yy * is.yx) / is.xx : 0;
  double per = m.total > 0 ? 1 / (m.total * xx * yy) : 0;
  for (int i = 0; i < p->count; i++) {
    double *at = p->edges[i].at, *step = p->edges[i].step;
    double x = at[0] - m.x, y = at[1] - m.y, dx = step[0], dy = step[1];
    at[0] = xx * x;
    at[1] = yx * x + yy * y;
    step[0] = xx * dx;
    step[1] = yx * dx + yy * dy;
    p->edges[i].weight *= per;
  }
}

/* How far what is below reaches along a direction: up to where the shape does, or if that is above
 * the plane, up to where the section does. */
static double extent(const ff_geom *geom, const pile *p, const ff_arc *arcs, int count,
                     ff_vec3 direction) {
  ff_vec3 farthest = ff_geom_lowest(geom, v3_neg(direction));
  double out = v3_dot(direction, farthest);
  double over = v3_dot(p->up, v3_sub(farthest, p->centroid)) - p->centroid_depth;
  if (over <= 0 || count == 0) {
    return out;
  }
  out = -INFINITY;
  for (int i = 0; i < count; i++) {
    const ff_arc *arc = &arcs[i];
    double start = v3_dot(direction, arc->start), cp = v3_dot(direction, arc->p);
    double cq = v3_dot(direction, arc->q);
    out = fmax(out, start);
    /* The farthest point of the ellipse, if it is on this arc. */
    double angle = ff_atan2(cq, cp) - arc->from;
    angle -= 2 * ff_pi * floor(angle / (2 * ff_pi));
    if (arc->turn > 0 && angle < arc->turn) {
      out = fmax(out,
                 start - cp * ff_cos(arc->from) - cq * ff_sin(arc->from) + sqrt(cp * cp + cq * cq));
    }
  }
  return out;
}

int ff_geom_edges(const ff_geom *geom, const ff_cut *cut, const ff_slab *slab, ff_vec3 t1,
                  ff_vec3 t2, ff_edge out[FF_EDGES_MAX]) {
  if (!(slab->volume > 0)) {
    return 0;
  }
  pile p = {.t1 = t1,
            .t2 = t2,
            .up = cut->normal,
            .centroid = slab->centroid,
            .centroid_depth = slab->centroid_depth,
            .edges = out};
  double per = 1 / slab->volume;
  ff_vec3 s1 = m3_mul(slab->spread, t1), s2 = m3_mul(slab->spread, t2);
  double s11 = per * v3_dot(t1, s1), s12 = per * v3_dot(t1, s2), s22 = per * v3_dot(t2, s2);
  double c1 = per * v3_dot(t1, slab->rise), c2 = per * v3_dot(t2, slab->rise);
  double det = s11 * s22 - s12 * s12, tilt1 = 0, tilt2 = 0;
  if (det > 1e-12 * s11 * s22) {
    tilt1 = (s22 * c1 - s12 * c2) / det;
    tilt2 = (s11 * c2 - s12 * c1) / det;
  }
  ff_vec3 d = v3_unit(v3_axpy(v3_axpy(cut->normal, -tilt1, t1), -tilt2, t2));
  ff_arc arcs[FF_ARCS_MAX];
  int count = ff_geom_outline(geom, cut, t1, arcs);
  double reach = ff_geom_reach(geom, d), rise = ff_geom_rise(geom, d);
  double low = -extent(geom, &p, arcs, count, v3_neg(d)), high = extent(geom, &p, arcs, count, d);
  ff_vec3 e1 = v3_unit(v3_axpy(t1, -v3_dot(t1, d), d));
  /* Layers that the plane leaves whole change smoothly; else two short rules do better. */
  int parts = geom->kind == FF_SPHERE ? 1 : 2;
  for (int k = 0; k < parts * LEVELS; k++) {
    int j = k % LEVELS, i = j < LEVELS / 2 ? j : LEVELS - 1 - j;
    double part = k / LEVELS + (j == i ? level_at[i] : 1 - level_at[i]);
    double at = low + part * (high - low) / parts;
    p.weight = level_weight[i];
    count = ff_geom_outline(geom, &(ff_cut){d, reach + at, rise - at}, e1, arcs);
    add_layer(&p, arcs, count);
  }
  match(&p, s11, s12, s22);
  return p.count;
}
