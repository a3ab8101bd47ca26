/* Manifolds on half-spaces. The normal is that of the half-space; K is bounded below by the shape
 * alone.
 *
 * Smooth shapes, capsules and boxes have points with a weight of 1, in closed form: the lowest
 * point, both ends of the axis, the corners. These are fixed to the body, or move over it along the
 * half-space, so that a depth changes by minus the normal velocity at the point.
 *
 * Other shapes have the vertices of their facets (geom/facets.h). Corners of a cylinder's prisms
 * weigh 1 each, as those of a box; others have the weights that they have on a wide face. Where a
 * shape is deeper than its facets, the weight that is missing goes to the lowest point. */
#include "geom/facets.h"
#include "geom/implicit.h"
#include "geom/manifold_parts.h"
#include "geom/overlay.h"
#include "geom/shape.h"
#include "math/elementary.h"
#include "math/spatial.h"

#define FLAT_TILT 1e-4 /* rad: tilts of flat sides of superellipsoids that are not told apart */
#define TINY      2e-5 /* of the half thickness: see ff_whole_weight */

/* ---- points in closed form ---------------------------------------------------------------------
 */

typedef struct plane {
  ff_vec3 origin, normal, t1;
} plane;

static inline plane plane_of(const ff_pose *pose) {
  return (plane){pose->position, q_axis_z(pose->orientation), q_axis_x(pose->orientation)};
}

static inline double height(const plane *ground, ff_vec3 point) {
  return v3_dot(ground->normal, v3_sub(point, ground->origin));
}

/* Appends point k of a shape, as curved in all directions, if it is within the margin; returns the
 * new count. */
static inline int add_plane_point(ff_sample *out, int count, const plane *ground, double margin,
                                  ff_vec3 point, double depth, double curvature, int k) {
  if (!(depth > -margin)) {
    return count;
  }
  ff_sample_point(&out[count], k, point, ground->normal, ground->t1, depth);
  out[count].curvature[0] = out[count].curvature[1] = curvature;
  return count + 1;
}

/* The lowest point of a ball: the sphere itself or an end of a capsule. */
static inline int add_ball(ff_sample *out, int count, const plane *ground, double margin,
                           ff_vec3 centre, double radius, int k) {
  return add_plane_point(out, count, ground, margin, v3_axpy(centre, -radius, ground->normal),
                         radius - height(ground, centre), 1.0 / radius, k);
}

int ff_collide_sphere_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                            const ff_pose *pose_b, double margin, ff_sample *out) {
  (void)b;
  plane ground = plane_of(pose_b);
  return add_ball(out, 0, &ground, margin, pose_a->position, a->size.x, 0);
}

/* Point 0 is the end at -z, point 1 the end at +z. */
int ff_collide_capsule_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                             const ff_pose *pose_b, double margin, ff_sample *out) {
  (void)b;
  plane ground = plane_of(pose_b);
  ff_vec3 half = v3_scale(a->size.y, q_axis_z(pose_a->orientation));
  ff_vec3 centre = pose_a->position;
  int count = add_ball(out, 0, &ground, margin, v3_sub(centre, half), a->size.x, 0);
  return add_ball(out, count, &ground, margin, v3_add(centre, half), a->size.x, 1);
}

/* Point: the corner, bit i set on the positive side of axis i. Lying on a face, each has the weight
 * that it has on a wide face of another shape, 1, and keeps it as the box tips: a corner is a point
 * of the body, and its force that of the law. */
int ff_collide_box_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                         const ff_pose *pose_b, double margin, ff_sample *out) {
  (void)b;
  plane ground = plane_of(pose_b);
  ff_vec3 x = v3_scale(a->size.x, q_axis_x(pose_a->orientation));
  ff_vec3 y = v3_scale(a->size.y, q_axis_y(pose_a->orientation));
  ff_vec3 z = v3_scale(a->size.z, q_axis_z(pose_a->orientation));
  int count = 0;
  for (int corner = 0; corner < 8; corner++) {
    ff_vec3 arm = v3_scale(corner & 1 ? 1.0 : -1.0, x);
    arm = v3_axpy(arm, corner & 2 ? 1.0 : -1.0, y);
    arm = v3_axpy(arm, corner & 4 ? 1.0 : -1.0, z);
    ff_vec3 point = v3_add(pose_a->position, arm);
    count = add_plane_point(out, count, &ground, margin, point, -height(&ground, point), INFINITY,
                            corner);
  }
  return count;
}

/* Principal curvatures, larger first, of the ellipsoid with semi-axes s where its outward
 * unit normal is m (shape frame). With A = diag(1/s^2) the surface is x.A x = 1, its point
 * there x = A^-1 m / w, w = |s m|, and the shape operator is w A seen in the tangent plane:
 * along u and v, which [Duff17] finds without a root. 1/s is what the other two are over all
 * three: so one division does for A. */
static void ellipsoid_curvature(ff_vec3 s, ff_vec3 m, double w, double curvature[2]) {
  double up = m.z < 0 ? -1 : 1, a = -1 / (up + m.z), b = m.x * m.y * a;
  ff_vec3 others = v3(s.y * s.z, s.z * s.x, s.x * s.y);
  ff_vec3 u = v3_mul(others, v3(1 + up * m.x * m.x * a, up * b, -up * m.x));
  ff_vec3 v = v3_mul(others, v3(b, up + m.y * m.y * a, -m.y));
  double all = s.x * others.x, scale = w / (all * all);
  double uu = scale * v3_dot(u, u), vv = scale * v3_dot(v, v), uv = scale * v3_dot(u, v);
  double half = 0.5 * (uu - vv);
  curvature[0] = 0.5 * (uu + vv) + sqrt(half * half + uv * uv);
  /* The product of the two is the Gaussian curvature, w^4 / (s.x s.y s.z)^2; dividing
   * keeps the smaller one exact where the difference would cancel. */
  curvature[1] = lesser(curvature[0], w * w * w * scale / curvature[0]);
}

int ff_collide_ellipsoid_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                               const ff_pose *pose_b, double margin, ff_sample *out) {
  (void)b;
  plane ground = plane_of(pose_b);
  /* straight down, in the shape frame */
  ff_vec3 m = v3_neg(q_unrotate(pose_a->orientation, ground.normal));
  ff_vec3 sm = v3_mul(a->size, m);
  double w = v3_norm(sm); /* from the centre down to the lowest tangent plane */
  double depth = w - height(&ground, pose_a->position);
  if (!(depth > -margin)) {
    return 0;
  }
  ff_vec3 lowest = v3_scale(1.0 / w, v3_mul(a->size, sm));
  ff_sample_point(out, 0, pose_point(*pose_a, lowest), ground.normal, ground.t1, depth);
  ellipsoid_curvature(a->size, m, w, out->curvature);
  return 1;
}

/* Principal curvatures, larger first, of the surface value = 0. */
static void rule_curvature(const ff_rule *rule, double curvature[2]) {
  double steep = v3_norm(rule->slope);
  ff_vec3 m = v3_scale(1 / steep, rule->slope), u = v3_orthogonal(m), v = v3_cross(m, u);
  double uu = v3_dot(u, m3_mul(rule->bend, u)) / steep,
         vv = v3_dot(v, m3_mul(rule->bend, v)) / steep;
  double uv = v3_dot(u, m3_mul(rule->bend, v)) / steep, half = 0.5 * (uu - vv);
  double root = sqrt(half * half + uv * uv);
  curvature[0] = 0.5 * (uu + vv) + root;
  curvature[1] = fmax(0.5 * (uu + vv) - root, 0);
}

/* (x^p + y^p)^(1/p), and how it changes with both. */
static double norm_p(double x, double y, double p, double slope[2]) {
  double most = greater(x, y),
         sum = most * ff_pow(ff_pow(x / most, p) + ff_pow(y / most, p), 1 / p);
  slope[0] = ff_pow(x / sum, p - 1);
  slope[1] = ff_pow(y / sum, p - 1);
  return sum;
}

/* The farthest point along a unit direction, and its reach. With exponents above 2 the middles of
 * the sides are flat: the point of the sharp shape leaps from side to side as it rocks. A support
 * function in which each |a d| is sqrt((a d)^2 + (a e)^2 |d|^2) belongs to a convex body that is
 * larger by less than e of its size and has no flat places; its slope is the point. */
static ff_vec3 superellipsoid_farthest(const ff_geom *geom, ff_vec3 d, double *far) {
  const double *exponents = geom->exponents;
  double e = greater(exponents[0], exponents[1]) > 2 ? FLAT_TILT : 0;
  const double size[3] = {geom->size.x, geom->size.y, geom->size.z}, way[3] = {d.x, d.y, d.z};
  double p = exponents[0] / (exponents[0] - 1), q = exponents[1] / (exponents[1] - 1);
  double reach[3], flat[2], whole[2];
  if (e == 0) {
    ff_vec3 at = ff_geom_support(geom, d);
    *far = v3_dot(at, d);
    return at;
  }
  for (int i = 0; i < 3; i++) {
    reach[i] = size[i] * sqrt(way[i] * way[i] + e * e);
  }
  double across = norm_p(reach[0], reach[1], p, flat);
  *far = norm_p(across, reach[2], q, whole);
  const double share[3] = {whole[0] * flat[0], whole[0] * flat[1], whole[1]};
  double at[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    double scale = share[i] * size[i] * size[i] / reach[i];
    at[i] += scale * way[i];
    for (int k = 0; k < 3; k++) {
      at[k] += scale * e * e * way[k];
    }
  }
  return v3_load(at);
}

int ff_collide_superellipsoid_plane(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                                    const ff_pose *pose_b, double margin, ff_sample *out) {
  (void)b;
  plane ground = plane_of(pose_b);
  double far;
  ff_vec3 down = q_unrotate(pose_a->orientation, v3_neg(ground.normal));
  ff_vec3 local = superellipsoid_farthest(a, down, &far);
  int count = add_plane_point(out, 0, &ground, margin, pose_point(*pose_a, local),
                              far - height(&ground, pose_a->position), 0, 0);
  if (count > 0) {
    ff_rule rule;
    ff_geom_rule(a, 0, local, &rule);
    rule_curvature(&rule, out->curvature);
  }
  return count;
}

/* Of an ellipsoid with C = turn S^2 turn^T the lowest point is -C n / w, w = sqrt(n.C n); when it
 * turns by phi, C changes by [phi] C - C [phi], of which the first is the shared motion. */
static void ellipsoid_wander(ff_vec3 size, ff_quat orientation, ff_vec3 normal, ff_mat3 *out) {
  ff_mat3 turn = q_matrix(orientation);
  ff_vec3 n = m3_tmul(turn, normal), sn = v3_mul(size, n), c = v3_mul(size, sn);
  double scale = 1 / v3_norm(sn), tilt = scale * scale * scale;
  ff_vec3 across = v3_cross(c, n);
  for (int j = 0; j < 3; j++) {
    ff_vec3 phi = v3(turn.m[j][0], turn.m[j][1], turn.m[j][2]);
    ff_vec3 swept = v3_mul(size, v3_mul(size, v3_cross(phi, n)));
    ff_vec3 way = v3_axpy(v3_scale(scale, swept), tilt * v3_dot(phi, across), c);
    ff_vec3 world = m3_mul(turn, way);
    out->m[0][j] = world.x;
    out->m[1][j] = world.y;
    out->m[2][j] = world.z;
  }
}

bool ff_geom_wander(const ff_geom *geom, ff_quat orientation, ff_vec3 normal, ff_mat3 *out) {
  double r = geom->size.x;
  ff_vec3 n = normal;
  switch (geom->kind) {
    case FF_SPHERE:
    case FF_CAPSULE:
      *out = (ff_mat3){{{0, r * n.z, -r * n.y}, {-r * n.z, 0, r * n.x}, {r * n.y, -r * n.x, 0}}};
      return true;
    case FF_ELLIPSOID: ellipsoid_wander(geom->size, orientation, normal, out); return true;
    case FF_BOX: *out = (ff_mat3){{{0}}}; return true; /* corners */
    default: return false;
  }
}

/* ---- vertices of facets -------------------------------------------------------------------------
 *
 * Derivatives are with turns about the origin of a until samples are finished. */

typedef struct plane_pair {
  const ff_geom *a;
  const ff_pose *pose_a;
  plane ground;
  ff_mat3 turn; /* from the frame of the half-space to the world */
  double margin;
  bool larger;     /* the shape is larger than its facets */
  ff_sample whole; /* its lowest point */
  ff_manifold *out;
} plane_pair;

static void plane_pair_init(plane_pair *out, const ff_geom *a, const ff_pose *pose_a,
                            const ff_pose *pose_b, double margin, ff_manifold *to) {
  out->a = a;
  out->pose_a = pose_a;
  out->ground = plane_of(pose_b);
  out->turn = q_matrix(pose_b->orientation);
  out->margin = margin;
  out->larger = ff_facets_are_inside(a->kind) && a->kind != FF_CYLINDER;
  out->out = to;
}

/* Depth, point and gradient of the depth at a place of the facets. A turned prism moves its
 * vertices along the half-space and across it. */
static void set_plane_depth(const plane_pair *p, const ff_facets *of, ff_vec3 place,
                            ff_sample *at) {
  ff_vec3 n = p->ground.normal, push = v3_neg(n);
  at->normal = at->along = n;
  at->t1 = p->ground.t1;
  at->depth = -height(&p->ground, place);
  at->point = v3_axpy(place, 0.5 * at->depth, n);
  at->d_depth = (ff_gradient){push, v3_cross(v3_sub(place, p->pose_a->position), push)};
  if (of->turned) {
    ff_gradient_add(&at->d_depth, v3_dot(push, v3_cross(of->axis, v3_sub(place, of->centre))),
                    of->spin);
  }
}

/* The lowest point, with a weight of 0. */
static void set_lowest(const plane_pair *p, ff_sample *out) {
  ff_vec3 down = v3_neg(p->ground.normal);
  ff_vec3 local = ff_geom_support(p->a, q_unrotate(p->pose_a->orientation, down));
  const ff_facets whole = {.turned = false};
  set_plane_depth(p, &whole, pose_point(*p->pose_a, local), out);
}

/* Appends the corners of a prism. Returns the index of the first. */
static int add_prism_corners(plane_pair *p, const ff_facets *of) {
  ff_manifold *out = p->out;
  int first = out->count;
  for (int corner = 0; corner < 8; corner++) {
    ff_sample *at = &out->samples[out->count];
    *at = (ff_sample){.id = {.kind = FF_PAIR_VERTEX_FACE, .a = (short)(corner + of->first_id)},
                      .weight = 1,
                      .curvature = {INFINITY, INFINITY}};
    set_plane_depth(p, of, ff_facets_vertex(of, corner), at);
    out->count += at->depth > -p->margin;
  }
  return first;
}

/* Appends the lower vertices of facets. Returns the index of the first. */
static int add_facet_vertices(plane_pair *p, const ff_facets *of) {
  ff_polytope body;
  ff_overlay_sample found[FF_SAMPLES_MAX];
  ff_manifold *out = p->out;
  ff_mat3 back = m3_transpose(p->turn);
  int first = out->count, limit = FF_SAMPLES_MAX - first - (p->larger ? 1 : 0);
  ff_polytope_place(&body, &of->geom, m3_product(back, q_matrix(of->pose.orientation)),
                    m3_mul(back, v3_sub(of->pose.position, p->ground.origin)));
  int count = ff_overlay_plane(&body, p->margin, limit, found);
  for (int i = 0; i < count; i++) {
    const ff_overlay_sample *from = &found[i];
    ff_sample *at = &out->samples[out->count++];
    *at = (ff_sample){.id = from->id, .curvature = {INFINITY, INFINITY}};
    at->id.a = (short)(at->id.a + of->first_id);
    at->weight = FF_LAW_UNITS_FLAT * from->weight;
    const ff_gradient d_weight = {
        v3_scale(FF_LAW_UNITS_FLAT, m3_mul(p->turn, from->d_weight_shift)),
        v3_scale(FF_LAW_UNITS_FLAT, m3_mul(p->turn, from->d_weight.turn))};
    at->d_weight = ff_gradient_about(d_weight, p->ground.origin, p->pose_a->position);
    if (of->turned) {
      ff_gradient_add(&at->d_weight, v3_dot(at->d_weight.turn, of->axis), of->spin);
    }
    set_plane_depth(p, of, ff_facets_vertex(of, from->id.a), at);
  }
  return first;
}

/* Weights of the samples from `first` on, times the share of their facets. What they leave goes to
 * the lowest point. */
static void finish_plane_samples(plane_pair *p, const ff_facets *of, int first) {
  ff_manifold *out = p->out;
  ff_whole_share share = {.raise = 1};
  ff_whole_weight rest = {.depth = p->whole.depth,
                          .tiny = TINY * ff_geom_thickness(p->a),
                          .d_depth = p->whole.d_depth,
                          .fade = 1};
  for (int i = first; p->larger && i < out->count; i++) {
    const ff_sample *at = &out->samples[i];
    ff_whole_weight_add(&rest, at->depth, at->d_depth, at->weight, at->d_weight);
  }
  if (p->larger) {
    share = ff_whole_weight_share(&rest);
  }
  ff_samples_raise(&out->samples[first], out->count - first, of->share, of->d_share, &share,
                   p->pose_a->position);
  p->whole.weight += of->share * share.left;
  ff_gradient_add(&p->whole.d_weight, share.left, of->d_share);
  ff_gradient_add(&p->whole.d_weight, of->share, share.d_left);
}

/* The lowest point, if it has a weight and is within the margin. */
static void add_lowest(plane_pair *p) {
  ff_sample *whole = &p->whole;
  if (whole->weight > 0 && whole->depth > -p->margin) {
    whole->d_weight = ff_gradient_about(whole->d_weight, p->pose_a->position, whole->point);
    whole->d_depth = ff_gradient_about(whole->d_depth, p->pose_a->position, whole->point);
    p->out->samples[p->out->count++] = *whole;
  }
}

int ff_manifold_plane(const ff_geom *a, const ff_pose *pose_a, const ff_pose *pose_b, double margin,
                      ff_manifold *out) {
  plane_pair p;
  plane_pair_init(&p, a, pose_a, pose_b, margin, out);
  *out = (ff_manifold){.normal = p.ground.normal,
                       .depth = ff_geom_bound(a) - height(&p.ground, pose_a->position),
                       .law_units = FF_LAW_UNITS_FLAT,
                       .spin = {NAN, NAN}};
  out->gap = -out->depth;
  if (!(out->depth > -margin)) {
    return 0;
  }
  p.whole = (ff_sample){.id = {.kind = FF_PAIR_WHOLE}, .curvature = {INFINITY, INFINITY}};
  if (ff_facets_are_inside(a->kind)) {
    set_lowest(&p, &p.whole);
    out->depth = p.whole.depth;
    out->gap = -out->depth;
    if (!(out->depth > -margin)) {
      return 0;
    }
  }
  if (!ff_geom_is_faceted(a)) {
    out->law_units = p.whole.weight = 1;
    add_lowest(&p);
    return out->count;
  }
  ff_facets facets[2];
  int count = ff_facets_on_plane(facets, a, pose_a, p.ground.normal, false, &out->spin[0]);
  for (int i = 0; i < count; i++) {
    bool prism = facets[i].geom.kind == FF_BOX;
    finish_plane_samples(&p, &facets[i],
                         prism ? add_prism_corners(&p, &facets[i])
                               : add_facet_vertices(&p, &facets[i]));
  }
  add_lowest(&p);
  out->depth = ff_facets_are_inside(a->kind) ? p.whole.depth : -INFINITY;
  for (int i = 0; i < out->count; i++) {
    out->depth = greater(out->depth, out->samples[i].depth);
  }
  out->gap = -out->depth;
  return out->count;
}

/* Derivatives of the point of a sample; the direction of depths is constant. */
static void plane_sample_rates(const plane_pair *p, const ff_facets *of, ff_vec3 place,
                               ff_sample_rates *to) {
  ff_vec3 n = p->ground.normal, swept = v3_cross(of->axis, v3_sub(place, of->centre));
  const double spin[3] = {of->spin.turn.x, of->spin.turn.y, of->spin.turn.z};
  for (int k = 0; k < 6; k++) {
    ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    ff_vec3 moved = k < 3 ? axis : v3_cross(axis, v3_sub(place, p->pose_a->position));
    moved = k >= 3 && of->turned ? v3_axpy(moved, spin[k - 3], swept) : moved;
    m3_set_column(&to->point[k / 3], k % 3, v3_axpy(moved, -0.5 * v3_dot(n, moved), n));
    m3_set_column(&to->along[k / 3], k % 3, v3(0, 0, 0));
  }
}

bool ff_manifold_plane_evaluate(const ff_geom *a, const ff_pose *pose_a, const ff_pose *pose_b,
                                ff_manifold *io, ff_sample_rates *rates) {
  plane_pair p;
  ff_facets facets[2];
  double spin = io->spin[0];
  plane_pair_init(&p, a, pose_a, pose_b, INFINITY, io);
  int count = ff_geom_is_faceted(a)
                  ? ff_facets_on_plane(facets, a, pose_a, p.ground.normal, true, &spin)
                  : 0;
  bool known = true;
  for (int i = 0; i < io->count; i++) {
    ff_sample *at = &io->samples[i];
    if (at->id.kind == FF_PAIR_WHOLE || count == 0) {
      set_lowest(&p, at);
      known = false;
    } else {
      const ff_facets *of = ff_facets_with_id(facets, count, NULL, at->id.a);
      ff_vec3 place = ff_facets_vertex(of, at->id.a % FF_TURNED_PRISM);
      set_plane_depth(&p, of, place, at);
      if (rates) {
        plane_sample_rates(&p, of, place, &rates[i]);
      }
    }
    at->d_depth = ff_gradient_about(at->d_depth, pose_a->position, at->point);
  }
  return known;
}
