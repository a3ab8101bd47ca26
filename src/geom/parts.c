#include "geom/parts.h"

#include "base/report.h"
#include "geom/implicit.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/vec.h"

#include <string.h>

enum {
  SEARCH_ROUNDS = 600,  /* each cuts a seventh off what is left: far more than needed */
  COARSE = 12,          /* fields along the edge of a face of the cube of directions */
  FINE = 24,            /* the same, for the answer */
  LEVELS = 5,           /* and how often a field with a kink is cut */
  BARRIER_ROUNDS = 120, /* Newton steps of a support point in all */
  ACTIVE_MAX = 3        /* rules that a corner lies on */
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
static moments weigh(const ff_geom *whole, ff_vec3 from, int cells, int levels) {
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
  for (int k = 0; k < 6 * 64; k++) { /* short rays tell: it is no less than this but for corners */
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
  /* Roughly at first, to look again from the middle. */
  moments sum = weigh(&whole, inside, COARSE, 0);
  inside = v3_axpy(inside, 1 / sum.volume, sum.first);
  sum = weigh(&whole, inside, FINE, LEVELS);
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
 */

/* Lagrange multiplier of a rule on the way: how much it holds x back. */
static double pull(double t, const ff_rule *rule) {
  return 1 / (t * -rule->value);
}

/* A Newton step of t u.x + sum log(-value); false when it cannot be told. */
static bool barrier_step(const ff_geom *geom, ff_vec3 u, double t, ff_vec3 x, ff_vec3 *step) {
  double h[9] = {0}, g[3] = {t * u.x, t * u.y, t * u.z};
  for (int k = 0; k < geom->parts->rule_count; k++) {
    ff_rule at;
    ff_geom_rule(geom, k, x, &at);
    double per = 1 / -at.value;
    const double s[3] = {at.slope.x, at.slope.y, at.slope.z};
    for (int i = 0; i < 9; i++) {
      h[i] += per * (at.bend.m[i / 3][i % 3] + per * s[i / 3] * s[i % 3]);
    }
    for (int i = 0; i < 3; i++) {
      g[i] -= per * s[i];
    }
  }
  if (!dense_solve(3, h, 3, g, 1, 1e-300)) {
    return false;
  }
  *step = v3_load(g);
  return v3_finite(*step);
}

/* Follows the central path from the origin to the support point, as near as barriers get. */
static ff_vec3 central_path(const ff_geom *geom, ff_vec3 u, double *t) {
  ff_vec3 x = v3(0, 0, 0), step;
  double size = geom->parts->bound, last = 1e10 / size;
  *t = 1 / size;
  for (int round = 0; round < BARRIER_ROUNDS && barrier_step(geom, u, *t, x, &step); round++) {
    double share = 1;
    ff_vec3 next = v3_add(x, step);
    while (share > 1e-6 && !(ff_geom_value(geom, next, NULL) < 0)) {
      share *= 0.5;
      next = v3_axpy(x, share, step);
    }
    if (share <= 1e-6) {
      break;
    }
    x = share == 1 ? next : v3_axpy(x, 0.9 * share, step);
    double slack = -ff_geom_value(geom, x, NULL);
    if (share == 1 && v3_norm(step) < fmax(0.3 * slack, 1e-3 / *t)) {
      if (*t >= last) {
        break;
      }
      *t = fmin(*t * 30, last);
    }
  }
  return x;
}

/* The rules that hold x back; of more than ACTIVE_MAX the strongest. */
static int active_rules(const ff_geom *geom, ff_vec3 x, double t, int rules[], double pulls[]) {
  int count = 0;
  for (int k = 0; k < geom->parts->rule_count; k++) {
    ff_rule at;
    ff_geom_rule(geom, k, x, &at);
    double mine = pull(t, &at);
    int weakest = 0;
    for (int i = 1; i < count; i++) {
      weakest = pulls[i] < pulls[weakest] ? i : weakest;
    }
    int place = count < ACTIVE_MAX ? count : weakest;
    if (mine > 1e-6 && (place == count || mine > pulls[place])) {
      rules[place] = k;
      pulls[place] = mine;
      count += place == count;
    }
  }
  return count;
}

/* Newton's method on u = sum pull slope, value = 0 for the rules that hold x back. What is flat
 * along the surface stays where it is. */
static ff_vec3 polish(const ff_geom *geom, ff_vec3 u, double t, ff_vec3 from) {
  int rules[ACTIVE_MAX];
  double pulls[ACTIVE_MAX], size = geom->parts->bound;
  int count = active_rules(geom, from, t, rules, pulls), n = 3 + count;
  ff_vec3 x = from;
  for (int round = 0; round < 8 && count > 0; round++) {
    double a[36] = {0}, b[6] = {u.x, u.y, u.z};
    for (int k = 0; k < count; k++) {
      ff_rule at;
      ff_geom_rule(geom, rules[k], x, &at);
      const double s[3] = {at.slope.x, at.slope.y, at.slope.z};
      for (int i = 0; i < 3; i++) {
        b[i] -= pulls[k] * s[i];
        a[6 * i + 3 + k] = a[6 * (3 + k) + i] = s[i];
        for (int j = 0; j < 3; j++) {
          a[6 * i + j] += pulls[k] * at.bend.m[i][j];
        }
      }
      b[3 + k] = -at.value;
    }
    for (int i = 0; i < 3; i++) {
      a[7 * i] += 1e-9 / size;
    }
    if (!dense_solve(n, a, 6, b, 1, 1e-16)) {
      break;
    }
    x = v3_add(x, v3_load(b));
    for (int k = 0; k < count; k++) {
      pulls[k] += b[3 + k];
    }
    if (v3_norm(v3_load(b)) < 1e-15 * size) {
      break;
    }
  }
  bool near = v3_norm(v3_sub(x, from)) < 1e-3 * size; /* not if it went astray */
  return near && ff_geom_value(geom, x, NULL) < 1e-12 * size ? x : from;
}

/* The support point of a member that is inside all others is that of the whole. */
static bool member_support(const ff_geom *geom, ff_vec3 u, ff_vec3 *out) {
  const ff_parts *parts = geom->parts;
  for (int i = 0; i < parts->count; i++) {
    ff_quat q = parts->poses[i].orientation;
    if (parts->geoms[i].kind != FF_HALF_SPACE) {
      ff_vec3 far = ff_geom_support(&parts->geoms[i], q_unrotate(q, u));
      *out = v3_add(parts->poses[i].position, q_rotate(q, far));
      if (ff_geom_value(geom, *out, NULL) < 1e-14 * parts->bound) {
        return true;
      }
    }
  }
  return false;
}

ff_vec3 ff_parts_support(const ff_geom *geom, ff_vec3 direction) {
  double t;
  ff_vec3 u = v3_unit(direction), x;
  if (!member_support(geom, u, &x)) {
    x = central_path(geom, u, &t);
    x = polish(geom, u, t, x);
  }
  return x;
}
