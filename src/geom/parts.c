#include "geom/parts.h"

#include "base/effort.h"
#include "base/report.h"
#include "geom/implicit.h"
#include "geom/lp3.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/vec.h"

#include <string.h>

enum {
  SEARCH_ROUNDS = 600,  /* each cuts a seventh off what is left: far more than needed */
  COARSE = 12,          /* fields along the edge of a face of the cube of directions */
  FINE = 24,            /* the same, for the answer */
  LEVELS = 5,           /* and how often a field with a kink is cut */
  SUPPORT_ROUNDS = 100, /* planes for a support point */
  NEWTON_ROUNDS = 12
};

/* ---- a point inside ---------------------------------------------------------------------- */

/* Looks for the point that is deepest inside all members, by the ellipsoid method: what cannot
 * hold it is cut away, half an ellipsoid at a time. Returns the largest value of all rules there.
 */
static double find_inside(const ff_geom *whole, ff_vec3 centre, double reach, ff_vec3 *out) {
  ff_vec3 x = centre;
  double best = INFINITY, square = reach * reach;
  ff_mat3 p = {{{square, 0, 0}, {0, square, 0}, {0, 0, square}}};
  for (int round = 0; round < SEARCH_ROUNDS; round++) {
    int rule = 0;
    ff_rule at;
    double value = ff_geom_value(whole, x, &rule);
    ff_geom_rule(whole, rule, x, &at);
    if (value < best) {
      best = value;
      *out = x;
    }
    ff_vec3 pg = m3_mul(p, at.slope);
    double width = sqrt(v3_dot(at.slope, pg));
    if (!(width > 1e-13 * reach)) {
      break;
    }
    pg = v3_scale(1 / width, pg);
    x = v3_axpy(x, -0.25, pg);
    const double v[3] = {pg.x, pg.y, pg.z};
    for (int k = 0; k < 9; k++) {
      p.m[k / 3][k % 3] = 9.0 / 8 * (p.m[k / 3][k % 3] - 0.5 * v[k / 3] * v[k % 3]);
    }
  }
  return best;
}

/* ---- mass ---------------------------------------------------------------------------------- */

typedef struct moments {
  double volume;
  ff_vec3 first;
  ff_mat3 second;
} moments;

/* A square of directions: a field of a face of the cube around a point inside. */
typedef struct field {
  int face;
  double a, b, half; /* middle and half side, on a face from -1 to 1 */
} field;

/* What the ray along u (unit) of length r, which stands for a solid angle, adds. */
static void add_ray(moments *sum, ff_vec3 u, double r, double angle) {
  double r3 = angle * r * r * r;
  sum->volume += r3 / 3;
  sum->first = v3_axpy(sum->first, r3 * r / 4, u);
  const double v[3] = {u.x, u.y, u.z};
  for (int k = 0; k < 9; k++) {
    sum->second.m[k / 3][k % 3] += r3 * r * r / 5 * v[k / 3] * v[k % 3];
  }
}

/* The ray through a point of a field, a and b in half sides from its middle. */
static ff_vec3 ray_at(const field *at, double a, double b, double *out) {
  double x = at->a + a * at->half, y = at->b + b * at->half, side = at->face % 2 ? 1 : -1;
  *out = sqrt(1 + x * x + y * y);
  ff_vec3 to = at->face < 2 ? v3(side, x, y) : at->face < 4 ? v3(y, side, x) : v3(x, y, side);
  return v3_scale(1 / *out, to);
}

/* Do rays through its corners and its middle all leave by the same rule? */
static bool is_smooth(const ff_geom *whole, ff_vec3 from, const field *at) {
  double out;
  int rule[5] = {0, 0, 0, 0, 0};
  for (int k = 0; k < 5; k++) {
    double a = k == 4 ? 0 : k & 1 ? 1 : -1, b = k == 4 ? 0 : k & 2 ? 1 : -1;
    ff_geom_exit(whole, from, ray_at(at, a, b, &out), &rule[k]);
    if (rule[k] != rule[0]) {
      return false;
    }
  }
  return true;
}

/* Four rays at Gauss's points; where the surface has a kink the field is cut into four first. */
static void add_field(moments *sum, const ff_geom *whole, ff_vec3 from, field at, int level) {
  bool whole_field = level == 0 || is_smooth(whole, from, &at);
  for (int k = 0; k < 4; k++) {
    double a = k & 1 ? 1 : -1, b = k & 2 ? 1 : -1, out, half = 0.5 * at.half;
    if (whole_field) {
      ff_vec3 ray = ray_at(&at, a / sqrt(3), b / sqrt(3), &out);
      double far = ff_geom_exit(whole, from, ray, NULL);
      add_ray(sum, ray, far, at.half * at.half / (out * out * out));
    } else {
      field part = {at.face, at.a + a * half, at.b + b * half, half};
      add_field(sum, whole, from, part, level - 1);
    }
  }
}

/* Moments about a point inside. */
static moments intersection_moments(const ff_geom *whole, ff_vec3 from, int cells, int levels) {
  moments sum = {0};
  double step = 1.0 / cells;
  for (int k = 0; k < 6 * cells * cells; k++) {
    int face = k / (cells * cells), i = k / cells % cells, j = k % cells;
    field at = {face, (2 * i + 1) * step - 1, (2 * j + 1) * step - 1, step};
    add_field(&sum, whole, from, at, levels);
  }
  return sum;
}

/* Second moments about the centroid. */
static ff_mat3 centred(const moments *sum, ff_vec3 centroid) {
  ff_mat3 out = sum->second;
  const double c[3] = {centroid.x, centroid.y, centroid.z};
  for (int k = 0; k < 9; k++) {
    out.m[k / 3][k % 3] -= sum->volume * c[k / 3] * c[k % 3];
  }
  return out;
}

/* ---- making -------------------------------------------------------------------------------- */

static void move_parts(ff_pose *poses, int count, ff_pose frame) {
  ff_quat back = q_conj(frame.orientation);
  for (int i = 0; i < count; i++) {
    poses[i].position = q_rotate(back, v3_sub(poses[i].position, frame.position));
    poses[i].orientation = q_unit(q_mul(back, poses[i].orientation));
  }
}

/* Half extents along the axes, and bounds from without and from within. */
static void measure(ff_parts *parts, const ff_geom *whole, ff_vec3 *extent) {
  double most[3] = {0, 0, 0};
  for (int k = 0; k < 6; k++) {
    double axis[3] = {0, 0, 0};
    axis[k / 2] = k % 2 ? 1 : -1;
    ff_vec3 u = v3_load(axis);
    most[k / 2] = fmax(most[k / 2], v3_dot(u, ff_parts_support(whole, u)));
  }
  *extent = v3_scale(1 + 1e-9, v3_load(most));
  parts->bound = v3_norm(*extent);
  for (int i = 0; i < parts->count; i++) {
    double far = v3_norm(parts->poses[i].position) + ff_geom_bound(&parts->geoms[i]);
    parts->bound = fmin(parts->bound, far);
  }
  parts->inside = INFINITY;
  for (int k = 0; k < 6 * 64; k++) { /* minimum over sampled rays: an upper bound */
    int face = k / 64;
    double a = (k / 8 % 8 + 0.5) / 4 - 1, b = (k % 8 + 0.5) / 4 - 1, side = face % 2 ? 1 : -1;
    ff_vec3 to = face < 2 ? v3(side, a, b) : face < 4 ? v3(b, side, a) : v3(a, b, side);
    parts->inside = fmin(parts->inside, ff_geom_exit(whole, v3(0, 0, 0), v3_unit(to), NULL));
  }
}

static void count_rules(ff_parts *parts, int *first_rule) {
  first_rule[0] = 0;
  for (int i = 0; i < parts->count; i++) {
    first_rule[i + 1] = first_rule[i] + ff_geom_rule_count(&parts->geoms[i]);
  }
  parts->first_rule = first_rule;
  parts->rule_count = first_rule[parts->count];
}

ff_status ff_parts_make(ff_parts *out, ff_vec3 *extent, ff_pose *frame, const ff_geom *geoms,
                        ff_pose *poses, int count, ff_arena *arena, ff_report *report) {
  *out = (ff_parts){.count = count, .geoms = geoms, .poses = poses};
  *frame = (ff_pose){{0, 0, 0}, q_identity()};
  int *first_rule = ff_arena_take(arena, (size_t)count + 1, sizeof *first_rule);
  if (!first_rule) {
    return FF_ERROR_MEMORY;
  }
  count_rules(out, first_rule);
  ff_geom whole = {.kind = FF_INTERSECTION, .parts = out};
  int smallest = 0;
  for (int i = 1; i < count; i++) {
    smallest = ff_geom_bound(&geoms[i]) < ff_geom_bound(&geoms[smallest]) ? i : smallest;
  }
  double reach = ff_geom_bound(&geoms[smallest]);
  if (!isfinite(reach)) {
    return ff_report_what(report, "at least one member must not be a half-space");
  }
  ff_vec3 inside = poses[smallest].position;
  if (!(find_inside(&whole, inside, reach, &inside) < -1e-6 * reach)) {
    return ff_report_what(report, "the members have next to nothing in common");
  }
  /* Coarse at first; refined from the centroid. */
  moments sum = intersection_moments(&whole, inside, COARSE, 0);
  inside = v3_axpy(inside, 1 / sum.volume, sum.first);
  sum = intersection_moments(&whole, inside, FINE, LEVELS);
  ff_vec3 off = v3_scale(1 / sum.volume, sum.first);
  frame->position = v3_add(inside, off);
  ff_vec3 p = ff_eigen(centred(&sum, off), &frame->orientation);
  out->volume = sum.volume;
  out->inertia = v3(p.y + p.z, p.z + p.x, p.x + p.y);
  move_parts(poses, count, *frame);
  out->bound = reach + v3_norm(poses[smallest].position);
  measure(out, &whole, extent);
  return FF_OK;
}

/* ---- support points ---------------------------------------------------------------------------
 *
 * Of a linear programme with planes that touch members, more of them where its answer x is outside:
 * across the ray to x from the origin, which is inside [Veinott67]. The rules that bind are known
 * soon; then Newton's method on u = sum pull slope, value = 0 for these rules ends it. Its answer
 * can be told to be right.
 */

enum { WALLS = 5 };

typedef struct search {
  const ff_geom *geom;
  ff_vec3 u, v, w;
  ff_lp3 p;              /* unknowns along v, w, u */
  int rule[FF_LP3_ROWS]; /* of each row except the walls */
  ff_vec3 best;          /* inside, and the farthest of all seen that are */
} search;

static void add_plane(search *s, ff_vec3 n, double offset, int rule) {
  int place = s->p.count < FF_LP3_ROWS ? s->p.count++ : WALLS;
  for (int i = WALLS; s->p.count == FF_LP3_ROWS && i < FF_LP3_ROWS; i++) { /* the loosest goes */
    const double *row = s->p.row[i], *old = s->p.row[place], *x = s->p.x;
    double slack = row[3] - row[0] * x[0] - row[1] * x[1] - row[2] * x[2];
    place = slack > old[3] - old[0] * x[0] - old[1] * x[1] - old[2] * x[2] ? i : place;
  }
  double *row = s->p.row[place];
  row[0] = v3_dot(n, s->v);
  row[1] = v3_dot(n, s->w);
  row[2] = v3_dot(n, s->u);
  row[3] = offset;
  s->rule[place] = rule;
}

/* The support point of a member that is inside all others is that of the whole. If it is not, it
 * gives a plane. */
static bool try_members(search *s, ff_vec3 *out) {
  const ff_parts *parts = s->geom->parts;
  for (int i = 0; i < parts->count; i++) {
    ff_quat q = parts->poses[i].orientation;
    if (parts->geoms[i].kind == FF_HALF_SPACE) {
      continue;
    }
    ff_vec3 far = ff_geom_support(&parts->geoms[i], q_unrotate(q, s->u));
    *out = v3_add(parts->poses[i].position, q_rotate(q, far));
    if (ff_geom_value(s->geom, *out, NULL) < 1e-14 * parts->bound) {
      return true;
    }
    int rule = 0;
    ff_geom_value(&parts->geoms[i], far, &rule);
    add_plane(s, s->u, v3_dot(s->u, *out), parts->first_rule[i] + rule);
  }
  return false;
}

/* A plane of each member that x is outside of, where the ray to it leaves that member. */
static void cut_off(search *s, ff_vec3 x) {
  const ff_parts *parts = s->geom->parts;
  double whole = 1;
  for (int i = 0; i < parts->count; i++) {
    ff_quat q = parts->poses[i].orientation;
    ff_vec3 from = q_unrotate(q, v3_neg(parts->poses[i].position)), along = q_unrotate(q, x);
    if (!(ff_geom_value(&parts->geoms[i], v3_add(from, along), NULL) > 0)) {
      continue;
    }
    int rule = 0;
    double share = ff_geom_exit(&parts->geoms[i], from, along, &rule);
    ff_rule at;
    ff_geom_rule(&parts->geoms[i], rule, v3_axpy(from, share, along), &at);
    ff_vec3 n = q_rotate(q, v3_unit(at.slope));
    add_plane(s, n, share * v3_dot(n, x), parts->first_rule[i] + rule);
    whole = fmin(whole, share);
  }
  if (whole * v3_dot(s->u, x) > v3_dot(s->u, s->best)) {
    s->best = v3_scale(whole, x);
  }
}

/* The rules that bind, each once, with how much they pull. */
static int binding(const search *s, int rules[3], double pulls[3]) {
  int count = 0;
  for (int k = 0; k < 3; k++) {
    int row = s->p.active[k], same = 0;
    if (row < WALLS || s->p.share[k] < 1e-9) {
      continue;
    }
    while (same < count && rules[same] != s->rule[row]) {
      same++;
    }
    pulls[same] = s->p.share[k] + (same < count ? pulls[same] : 0);
    rules[same] = s->rule[row];
    count += same == count;
  }
  return count;
}

/* One step; returns how long it was, INFINITY if it cannot be told. residual: how far the
 * conditions were from holding. What is flat along the surface stays where it is. */
static double support_newton_step(const search *s, const int *rules, double *pulls, int count,
                                  ff_vec3 *x, double *residual) {
  double a[36] = {0}, b[6] = {s->u.x, s->u.y, s->u.z}, size = s->geom->parts->bound;
  for (int k = 0; k < count; k++) {
    ff_rule at;
    ff_geom_rule(s->geom, rules[k], *x, &at);
    const double g[3] = {at.slope.x, at.slope.y, at.slope.z};
    for (int i = 0; i < 3; i++) {
      b[i] -= pulls[k] * g[i];
      a[6 * i + 3 + k] = a[6 * (3 + k) + i] = g[i];
      for (int j = 0; j < 3; j++) {
        a[6 * i + j] += pulls[k] * at.bend.m[i][j];
      }
    }
    b[3 + k] = -at.value;
  }
  *residual = 0;
  for (int i = 0; i < 3 + count; i++) {
    *residual = fmax(*residual, fabs(b[i]) / (i < 3 ? 1 : size));
  }
  for (int i = 0; i < 3; i++) {
    a[7 * i] += 1e-9 / size;
  }
  if (!dense_solve(3 + count, a, 6, b, 1, 1e-16)) {
    return INFINITY;
  }
  double step = v3_norm(v3_load(b)), part = step > 0.3 * size ? 0.3 * size / step : 1;
  *x = v3_axpy(*x, part, v3_load(b));
  for (int k = 0; k < count; k++) {
    pulls[k] += part * b[3 + k];
  }
  return step;
}

/* Returns how far the conditions for these rules are from holding in the end. Where a straight part
 * hardly leans to u, a step is long and the end of the part is what is looked for: it stops there.
 */
static double newton(const search *s, const int *rules, double *pulls, int count, ff_vec3 *x) {
  double residual = INFINITY, size = s->geom->parts->bound, step = 0;
  for (int round = 0; round < NEWTON_ROUNDS && count > 0; round++) {
    double before = step;
    ff_effort += 6;
    step = support_newton_step(s, rules, pulls, count, x, &residual);
    if (step > 0.3 * size || (round > 3 && step > 0.5 * before && residual > 1e-10) ||
        residual < 1e-14) {
      break;
    }
  }
  return v3_finite(*x) ? residual : INFINITY;
}

/* True: x is the support point. A rule that would push is left out, one that is broken comes in. */
static bool polish(const search *s, ff_vec3 *x) {
  int rules[3], broken = 0;
  double pulls[3], size = s->geom->parts->bound;
  int count = binding(s, rules, pulls);
  ff_vec3 y = *x;
  for (int try = 0; try < 6; try++) {
    double residual = newton(s, rules, pulls, count, &y);
    int pushes = -1;
    for (int k = 0; k < count; k++) {
      pushes = pulls[k] < -1e-12 ? k : pushes;
    }
    bool outside = ff_geom_value(s->geom, y, &broken) > 1e-13 * size;
    if (pushes < 0 && !outside) {
      *x = residual < 1e-12 ? y : *x;
      return residual < 1e-12;
    }
    if (pushes >= 0) {
      rules[pushes] = rules[--count];
      pulls[pushes] = pulls[count];
    }
    if (!isfinite(residual) || (outside && count == 3)) {
      return false;
    }
    if (outside) {
      rules[count] = broken;
      pulls[count++] = 0;
    }
  }
  return false;
}

ff_vec3 ff_parts_support(const ff_geom *geom, ff_vec3 direction) {
  search s = {.geom = geom, .u = v3_unit(direction)};
  static const int start[3] = {4, 0, 2};
  s.v = v3_orthogonal(s.u);
  s.w = v3_cross(s.u, s.v);
  ff_lp3_wall_in(&s.p, WALLS, 1.01 * geom->parts->bound);
  ff_vec3 x, sum = v3(0, 0, 0);
  double size = geom->parts->bound, height = INFINITY;
  int summed = 0;
  if (try_members(&s, &x)) {
    return x;
  }
  for (int round = 0; round < SUPPORT_ROUNDS; round++) {
    const double *t = s.p.x;
    /* Planes that all but coincide spoil a programme: it never is less far than what is inside. */
    if (!ff_lp3_solve(&s.p, start, 1e-15 * size) || !(t[2] > v3_dot(s.u, s.best) - 1e-9 * size)) {
      break;
    }
    x = v3_axpy(v3_axpy(v3_scale(t[0], s.v), t[1], s.w), t[2], s.u);
    if (ff_geom_value(geom, x, NULL) <= 1e-14 * size || polish(&s, &x)) {
      return x;
    }
    if (polish(&s, &s.best)) { /* what is free to slide is inside there */
      break;
    }
    /* On a flat face across u all answers are equally far, and their mean is in their midst. */
    summed = height - t[2] < 1e-14 * size ? summed + 1 : 1;
    sum = summed > 1 ? v3_add(sum, x) : x;
    height = t[2];
    ff_vec3 mean = v3_scale(1.0 / summed, sum);
    if (summed > 2 && ff_geom_value(geom, mean, NULL) <= 1e-14 * size) {
      return mean;
    }
    cut_off(&s, x);
  }
  return s.best;
}
