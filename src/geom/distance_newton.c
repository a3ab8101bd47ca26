#include "geom/distance.h"

#include "base/effort.h"
#include "geom/implicit.h"
#include "geom/distance_parts.h"
#include "math/dense.h"
#include "math/vec.h"

#include <string.h>

enum {
  MOST = FF_DISTANCE_RULES,
  X_A = 0,
  X_B = 3,
  N = 6,
  GAP = 9,
  PULLS = 10,
  UNKNOWNS = PULLS + 2 * MOST,
  NEWTON_ROUNDS = 30,
  TRIES = 10,
  CANDIDATES = 6
};

/* ---- one of the two ------------------------------------------------------------------------ */

/* A shape, the rules that bound it at a point, and how strongly. */
typedef struct side {
  const ff_geom *geom;
  ff_quat q;
  ff_vec3 origin;
  double sign; /* -1 for a, 1 for b: sign n = sum pull slope */
  int rules[MOST], count;
  double pull[MOST];
} side;

/* A rule in world axes. */
static void rule_at(const side *s, int rule, ff_vec3 x, ff_rule *out) {
  ff_rule local;
  ff_geom_rule(s->geom, rule, q_unrotate(s->q, v3_sub(x, s->origin)), &local);
  *out = (ff_rule){.value = local.value, .slope = q_rotate(s->q, local.slope)};
  ff_mat3 r = q_matrix(s->q);
  for (int row = 0; row < 3; row++) { /* R H R^T, a row at a time */
    ff_vec3 hr = m3_tmul(local.bend, v3(r.m[row][0], r.m[row][1], r.m[row][2]));
    v3_store(out->bend.m[row], m3_mul(r, hr));
  }
}

/* ---- which rules bound it -------------------------------------------------------------------- */

typedef struct candidate {
  int rule;
  double value;
  ff_vec3 slope;
} candidate;

/* The rules whose surfaces are next to x and face its way out. */
static int candidates_at(const side *s, ff_vec3 x, ff_vec3 n, double reach, candidate *out) {
  int count = 0;
  for (int k = 0; k < ff_geom_rule_count(s->geom); k++) {
    ff_rule at;
    rule_at(s, k, x, &at);
    if (!(at.value > -reach) || !(s->sign * v3_dot(n, at.slope) > 0)) {
      continue;
    }
    int place = count < CANDIDATES ? count++ : CANDIDATES - 1;
    if (place == CANDIDATES - 1 && count == CANDIDATES && out[place].rule >= 0 &&
        at.value <= out[place].value) {
      continue;
    }
    out[place] = (candidate){k, at.value, at.slope};
    for (; place > 0 && out[place].value > out[place - 1].value; place--) {
      candidate held = out[place];
      out[place] = out[place - 1];
      out[place - 1] = held;
    }
  }
  return count;
}

/* How well a set of rules makes up the direction u, by least squares: what is left, and the pulls.
 * INFINITY if one of them would have to push. */
static double made_up(const candidate *from, const int *set, int count, ff_vec3 u, double *pull) {
  double a[9] = {0};
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      a[i * count + j] = v3_dot(from[set[i]].slope, from[set[j]].slope);
    }
    pull[i] = v3_dot(from[set[i]].slope, u);
  }
  if (!dense_solve(count, a, count, pull, 1, 1e-9)) {
    return INFINITY;
  }
  ff_vec3 rest = u;
  for (int i = 0; i < count; i++) {
    if (!(pull[i] >= 0)) {
      return INFINITY;
    }
    rest = v3_axpy(rest, -pull[i], from[set[i]].slope);
  }
  return v3_norm(rest);
}

/* The smallest set of rules that makes up the normal well enough, else the one that does it best.
 */
static void choose_rules(side *s, ff_vec3 x, ff_vec3 n, double reach) {
  candidate from[CANDIDATES];
  for (int i = 0; i < CANDIDATES; i++) {
    from[i].rule = -1;
  }
  int count = candidates_at(s, x, n, reach, from);
  ff_vec3 u = v3_scale(s->sign, n);
  double best = INFINITY;
  s->count = 0;
  for (int set = 1; set < 1 << count; set++) {
    int members[CANDIDATES], size = 0;
    for (int i = 0; i < count; i++) {
      if (set & 1 << i) {
        members[size++] = i;
      }
    }
    double pull[MOST], left = INFINITY;
    if (size <= MOST) {
      left = made_up(from, members, size, u, pull) + 0.02 * size; /* the fewer the better */
    }
    if (left < best) {
      best = left;
      s->count = size;
      for (int i = 0; i < size; i++) {
        s->rules[i] = from[members[i]].rule;
        s->pull[i] = pull[i];
      }
    }
  }
}

/* ---- Newton's method ---------------------------------------------------------------------------
 */

typedef struct point {
  ff_vec3 a, b, n;
  double gap;
} point;

/* Residual and matrix; lengths in units of size. */
static int conditions(const side *a, const side *b, const point *p, double size, double *f,
                      double *m) {
  int count = PULLS + a->count + b->count;
  memset(m, 0, sizeof(double) * UNKNOWNS * UNKNOWNS);
  const ff_vec3 off = v3_axpy(v3_sub(p->a, p->b), -p->gap, p->n);
  v3_store(f, v3_scale(1 / size, off));
  const double n[3] = {p->n.x, p->n.y, p->n.z};
  for (int i = 0; i < 3; i++) {
    m[UNKNOWNS * i + X_A + i] = 1;
    m[UNKNOWNS * i + X_B + i] = -1;
    m[UNKNOWNS * i + N + i] = -p->gap / size;
    m[UNKNOWNS * i + GAP] = -n[i];
    m[UNKNOWNS * 9 + N + i] = n[i];
  }
  f[9] = 0.5 * (v3_dot(p->n, p->n) - 1);
  for (int which = 0, at = PULLS; which < 2; which++) {
    const side *s = which ? b : a;
    int rows = which ? 6 : 3, x = which ? X_B : X_A;
    for (int i = 0; i < 3; i++) {
      f[rows + i] = -s->sign * n[i];
      m[UNKNOWNS * (rows + i) + N + i] = -s->sign;
    }
    for (int k = 0; k < s->count; k++, at++) {
      ff_rule rule;
      rule_at(s, s->rules[k], which ? p->b : p->a, &rule);
      const double g[3] = {rule.slope.x, rule.slope.y, rule.slope.z};
      f[at] = rule.value / size;
      for (int i = 0; i < 3; i++) {
        f[rows + i] += s->pull[k] * g[i];
        m[UNKNOWNS * (rows + i) + at] = g[i];
        m[UNKNOWNS * at + x + i] = g[i];
        for (int j = 0; j < 3; j++) {
          m[UNKNOWNS * (rows + i) + x + j] += s->pull[k] * size * rule.bend.m[i][j];
        }
      }
    }
  }
  return count;
}

/* What the conditions leave open (a place along a flat or straight part) stays where it is. */
static void hold_still(double *m) {
  for (int i = 0; i < 6; i++) { /* rows of the two balances */
    m[UNKNOWNS * (3 + i) + i] += 1e-9;
  }
}

/* Minus the change of the conditions as a moves and turns, the unknowns held: a rule of a that
 * moves with it has the value f(x - shift), and its slope turns with the body. */
static void pushed(const side *a, const point *p, double size, int k, double *f) {
  ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
  ff_vec3 motion = k < 3 ? axis : v3_cross(axis, v3_sub(p->a, a->origin));
  for (int r = 0; r < a->count; r++) {
    ff_rule rule;
    rule_at(a, a->rules[r], p->a, &rule);
    f[PULLS + r] = v3_dot(rule.slope, motion) / size;
    ff_vec3 slope = m3_mul(rule.bend, motion);
    slope = k < 3 ? slope : v3_sub(slope, v3_cross(axis, rule.slope));
    v3_store(f + 3, v3_axpy(v3_load(f + 3), a->pull[r], slope));
  }
}

/* True if it converges. */
static bool solve(side *a, side *b, point *p, double size) {
  double f[UNKNOWNS], m[UNKNOWNS * UNKNOWNS], before = INFINITY;
  for (int round = 0; round < NEWTON_ROUNDS; round++) {
    int count = conditions(a, b, p, size, f, m);
    double most = 0;
    for (int i = 0; i < count; i++) {
      most = fmax(most, fabs(f[i]));
      f[i] = -f[i];
    }
    if (!(most < 10)) {
      return false;
    }
    if (most < 1e-15 || (most < 1e-12 && most > 0.5 * before)) {
      return true;
    }
    before = most;
    hold_still(m);
    ff_effort += 10;
    if (!dense_solve(count, m, UNKNOWNS, f, 1, 1e-18)) {
      return false;
    }
    double way = 0;
    for (int i = 0; i < 9; i++) {
      way = fmax(way, fabs(f[i]));
    }
    double share = way > 0.2 ? 0.2 / way : 1;
    p->a = v3_axpy(p->a, share * size, v3_load(f + X_A));
    p->b = v3_axpy(p->b, share * size, v3_load(f + X_B));
    p->n = v3_axpy(p->n, share, v3_load(f + N));
    p->gap += share * size * f[GAP];
    for (int k = 0; k < a->count; k++) {
      a->pull[k] += share * f[PULLS + k];
    }
    for (int k = 0; k < b->count; k++) {
      b->pull[k] += share * f[PULLS + a->count + k];
    }
  }
  return false;
}

/* Are the rules right? Drops one that would push, adds one that is broken; false if none was. */
static bool mend(side *s, ff_vec3 x, double size) {
  int weakest = 0;
  for (int k = 1; k < s->count; k++) {
    weakest = s->pull[k] < s->pull[weakest] ? k : weakest;
  }
  int worst = 0;
  ff_vec3 local = q_unrotate(s->q, v3_sub(x, s->origin));
  bool broken = ff_geom_value(s->geom, local, &worst) > 1e-11 * size;
  bool pushes = s->count > 1 && s->pull[weakest] < -1e-12;
  if (pushes || (broken && s->count == MOST)) {
    s->count--;
    s->rules[weakest] = s->rules[s->count];
    s->pull[weakest] = s->pull[s->count];
  }
  if (broken) {
    s->rules[s->count] = worst;
    s->pull[s->count++] = 0;
  }
  return broken || pushes;
}

/* ---- capsules --------------------------------------------------------------------------- */

static double within(double x, double half) {
  return fmin(fmax(x, -half), half);
}

/* Nearest places c_a + s x and c_b + t y of two segments, |s| <= l_a, |t| <= l_b, x and y unit. Of
 * parallel ones the middle of the part where they are side by side. */
static void nearest_of_segments(ff_vec3 apart, ff_vec3 x, double l_a, ff_vec3 y, double l_b,
                                double *s, double *t) {
  double xy = v3_dot(x, y), dx = v3_dot(apart, x), dy = v3_dot(apart, y);
  ff_vec3 across = v3_cross(x, y);
  double sine2 = v3_dot(across, across);
  if (sine2 > 1e-24) {
    *s = within((xy * dy - dx) / sine2, l_a);
  } else {
    double sign = xy > 0.0 ? 1.0 : -1.0; /* b's ends along x are at -dx -+ l_b */
    double low = fmax(-l_a, -dx - l_b), high = fmin(l_a, -dx + l_b);
    *s = within(0.5 * (low + high), l_a);
    *t = within(sign * (*s + dx), l_b);
    return;
  }
  *t = within(dy + *s * xy, l_b);
  *s = within(*t * xy - dx, l_a);
}

/* In closed form: two balls at the nearest places of the axes. */
static void capsules(ff_distance *out, const ff_two *two) {
  ff_vec3 x = q_rotate(two->q_a, v3(0, 0, 1)), y = q_rotate(two->q_b, v3(0, 0, 1));
  double s, t, r_a = two->a->size.x, r_b = two->b->size.x;
  nearest_of_segments(two->apart, x, two->a->size.y, y, two->b->size.y, &s, &t);
  ff_vec3 at_a = v3_axpy(two->apart, s, x), at_b = v3_scale(t, y), from = v3_sub(at_a, at_b);
  double distance = v3_norm(from);
  /* Axes that cross: out along the common perpendicular. */
  ff_vec3 across = v3_cross(x, y);
  ff_vec3 spare = v3_dot(across, across) > 1e-24 ? v3_unit(across) : v3_orthogonal(x);
  out->normal = distance > 0 ? v3_scale(1 / distance, from) : spare;
  out->gap = distance - r_a - r_b;
  out->on_a = v3_axpy(at_a, -r_a, out->normal);
  out->on_b = v3_axpy(at_b, r_b, out->normal);
  out->count_a = out->count_b = 1;
  out->pull_a[0] = out->pull_b[0] = 1;
}

/* ---- the answer ------------------------------------------------------------------------- */

static bool is_flat(const ff_geom *geom) {
  return geom->kind == FF_BOX || geom->kind == FF_POLYHEDRON;
}

static void take_rules(int *rules, double *pulls, int *count, const side *from) {
  *count = from->count;
  memcpy(rules, from->rules, sizeof from->rules);
  memcpy(pulls, from->pull, sizeof from->pull);
}

/* The conditions hold where a gap is smallest, too, or neither: along a ridge that bodies inside
 * one another lie across. With r the radii of curvature of both together, a push p across the
 * normal turns it by p / (r + gap), which is along p where the gap is largest. Else n becomes a
 * direction beside it that has a larger one. */
static bool is_largest(const side *a, const side *b, const point *p, double size, ff_vec3 *n) {
  double f[UNKNOWNS], m[UNKNOWNS * UNKNOWNS], columns[3 * UNKNOWNS] = {0};
  if (p->gap >= 0) {
    return true;
  }
  int count = conditions(a, b, p, size, f, m);
  for (int k = 0; k < 3; k++) {
    pushed(a, p, size, k, columns + k * count);
  }
  hold_still(m);
  if (!dense_solve(count, m, UNKNOWNS, columns, 3, 1e-18)) {
    return true;
  }
  ff_vec3 turn[3] = {v3_load(columns + N), v3_load(columns + count + N),
                     v3_load(columns + 2 * count + N)};
  ff_vec3 u = v3_orthogonal(p->n), v = v3_cross(p->n, u);
  ff_vec3 by_u = v3_axpy(v3_axpy(v3_scale(u.x, turn[0]), u.y, turn[1]), u.z, turn[2]);
  ff_vec3 by_v = v3_axpy(v3_axpy(v3_scale(v.x, turn[0]), v.y, turn[1]), v.z, turn[2]);
  double uu = v3_dot(u, by_u), uv = 0.5 * (v3_dot(u, by_v) + v3_dot(v, by_u)), vv = v3_dot(v, by_v);
  double half = 0.5 * (uu - vv), root = sqrt(half * half + uv * uv);
  double least = 0.5 * (uu + vv) - root;
  if (least * size > -1e-6) {
    return true;
  }
  double angle = 0.5 * atan2(-uv, -half); /* of the direction that belongs to it */
  ff_vec3 along = v3_axpy(v3_scale(cos(angle), u), sin(angle), v);
  *n = v3_unit(v3_axpy(p->n, 0.01, along));
  return false;
}

/* doubt: of the size, by how much what is given may be off. beside: if it is not the largest gap, a
 * direction that may have a larger one, else that of rough. */
static void polish(ff_distance *out, const ff_two *two, const ff_rough *rough, double doubt,
                   ff_vec3 *beside) {
  side a = {.geom = two->a, .q = two->q_a, .origin = two->apart, .sign = -1};
  side b = {.geom = two->b, .q = two->q_b, .sign = 1};
  double reach = fmax(100 * doubt, 1e-7) * two->size;
  choose_rules(&a, rough->on_a, rough->normal, reach);
  choose_rules(&b, rough->on_b, rough->normal, reach);
  point p = {rough->on_a, rough->on_b, rough->normal, rough->gap};
  *beside = rough->normal;
  for (int try = 0; try < TRIES && a.count > 0 && b.count > 0; try++) {
    if (!solve(&a, &b, &p, two->size)) {
      return;
    }
    bool again_a = mend(&a, p.a, two->size), again_b = mend(&b, p.b, two->size);
    if (!again_a && !again_b) {
      /* It must be the same way out, not another one that is longer. */
      out->settled =
          fabs(p.gap - rough->gap) < doubt * two->size && is_largest(&a, &b, &p, two->size, beside);
      break;
    }
  }
  if (out->settled) {
    out->normal = v3_unit(p.n);
    out->gap = p.gap;
    out->on_a = p.a;
    out->on_b = p.b;
    take_rules(out->rules_a, out->pull_a, &out->count_a, &a);
    take_rules(out->rules_b, out->pull_b, &out->count_b, &b);
  }
}

/* Rounding can tear a hole into a polytope with faces in one plane, and the way out is then sought
 * on the other side. No face of either may have a larger gap across it than what was found; if
 * one has, it is taken. Large hulls have so many faces that none is likely to be missed. */
static void check_faces(const ff_two *two, ff_rough *rough, bool *exact) {
  enum { LARGE = 64 };
  for (int which = 0; which < 2; which++) {
    const ff_geom *geom = which ? two->b : two->a;
    int count = ff_geom_rule_count(geom);
    for (int k = 0; k < count && count <= LARGE; k++) {
      ff_rule face;
      ff_geom_rule(geom, k, v3(0, 0, 0), &face);
      ff_vec3 n = which ? q_rotate(two->q_b, face.slope) : v3_neg(q_rotate(two->q_a, face.slope));
      ff_vec3 far = ff_geom_support(two->a, q_unrotate(two->q_a, v3_neg(n)));
      ff_vec3 on_a = v3_add(two->apart, q_rotate(two->q_a, far));
      ff_vec3 on_b = q_rotate(two->q_b, ff_geom_support(two->b, q_unrotate(two->q_b, n)));
      double gap = v3_dot(n, v3_sub(on_a, on_b));
      if (gap > rough->gap + 1e-9 * two->size) {
        *rough = (ff_rough){n, gap, on_a, v3_axpy(on_a, -gap, n)};
        if (which == 0) { /* the corner is b's */
          rough->on_b = on_b;
          rough->on_a = v3_axpy(on_b, gap, n);
        }
        *exact = true;
      }
    }
  }
}

/* Of two faces that lie on one another, a corner of one may not be on the other: a point that is on
 * both is wanted. */
static void meet_on_boxes(const ff_two *two, ff_rough *rough) {
  ff_vec3 x_a = q_unrotate(two->q_a, v3_sub(rough->on_a, two->apart));
  ff_vec3 x_b = q_unrotate(two->q_b, rough->on_b);
  double off = fmax(ff_geom_value(two->a, x_a, NULL), ff_geom_value(two->b, x_b, NULL));
  ff_rough better = *rough;
  if (off > 1e-9 * two->size && ff_cutting_plane(&better, two, 1e-15) < 1e-9 * two->size &&
      fabs(better.gap - rough->gap) < 1e-8 * two->size) {
    double more = rough->gap - v3_dot(rough->normal, v3_sub(better.on_a, better.on_b));
    rough->on_b = v3_axpy(better.on_b, -0.5 * more, rough->normal);
    rough->on_a = v3_axpy(rough->on_b, rough->gap, rough->normal);
  }
}

static double gap_along(const ff_two *two, ff_vec3 n) {
  return v3_dot(n, ff_two_support(two, v3_neg(n)).w);
}

/* Newton's method from better and better places. True: rough has become exact, whether or not it
 * came to an end. */
static bool settle(ff_distance *out, const ff_two *two, ff_rough *rough) {
  bool exact = false;
  ff_vec3 beside;
  polish(out, two, rough, 3 * FF_ROUGH, &beside);
  for (int try = 0; try < 4 && !out->settled; try++) {
    if (gap_along(two, beside) > gap_along(two, rough->normal) + 1e-13 * two->size) {
      rough->normal = beside;
      rough->gap = fmin(rough->gap, 0);
    } else if (exact) {
      break;
    }
    double enough = try % 2 == 0 ? 1e-8 : 1e-15, size = two->size + fabs(rough->gap);
    double left = rough->gap > 0.01 * two->size ? ff_gjk_distance(rough, two, enough) : INFINITY;
    left = left > enough * size ? ff_cutting_plane(rough, two, enough) : left;
    exact = left < 1e-11 * size;
    polish(out, two, rough, fmax(10 * left / size, 1e-10), &beside);
  }
  return exact;
}

/* What was found to rounding may be longer than a way in another direction was found to be roughly:
 * that is looked at as well. */
static void try_rivals(ff_distance *out, const ff_two *two, ff_rivals *rivals) {
  for (int i = 0; i < rivals->count && out->settled; i++) {
    ff_distance other = {.settled = false};
    if (rivals->way[i].gap > out->gap + 1e-13 * two->size) {
      settle(&other, two, &rivals->way[i]);
    }
    if (other.settled && other.gap > out->gap) {
      *out = other;
    }
  }
}

static void search(ff_distance *out, const ff_two *two, double beyond) {
  ff_rough rough;
  ff_rivals rivals;
  double far = v3_norm(two->apart);
  *out = (ff_distance){.normal = {0, 0, 1}, .gap = far - two->size, .on_a = two->apart};
  if (far > 0) {
    out->normal = v3_scale(1 / far, two->apart);
  }
  bool exact = false;
  if (out->gap > beyond) {
    return;
  }
  if (!ff_gjk_epa(&rough, two, beyond, &exact, &rivals)) {
    out->gap = 0; /* somewhere next to touching, along the line of centres */
    return;
  }
  if (two->a->kind == FF_BOX && two->b->kind == FF_BOX) {
    meet_on_boxes(two, &rough);
  } else if (!two->curved) {
    check_faces(two, &rough, &exact);
    if (!exact || rough.gap < 1e-5 * two->size) {
      exact = ff_cutting_plane(&rough, two, 1e-16) < 1e-12 * two->size;
    }
  }
  if (two->curved && !(rough.gap > beyond)) {
    exact = settle(out, two, &rough);
    try_rivals(out, two, &rivals);
  }
  if (!out->settled) {
    *out = (ff_distance){.normal = rough.normal,
                        .gap = rough.gap,
                        .on_a = rough.on_a,
                        .on_b = rough.on_b,
                        .settled = exact};
  }
}

/* The same with a and b exchanged. */
static ff_distance turned(const ff_distance *back) {
  ff_distance out = *back;
  out.normal = v3_neg(back->normal);
  out.on_a = back->on_b;
  out.on_b = back->on_a;
  out.count_a = back->count_b;
  out.count_b = back->count_a;
  memcpy(out.rules_a, back->rules_b, sizeof out.rules_a);
  memcpy(out.rules_b, back->rules_a, sizeof out.rules_b);
  memcpy(out.pull_a, back->pull_b, sizeof out.pull_a);
  memcpy(out.pull_b, back->pull_a, sizeof out.pull_b);
  return out;
}

/* One of the two orders of a pair, whichever way it is given, so that both give the same bits. */
static bool is_in_order(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                        const ff_pose *pose_b) {
  const double mine[] = {a->kind,
                         a->size.x,
                         a->size.y,
                         a->size.z,
                         pose_a->position.x,
                         pose_a->position.y,
                         pose_a->position.z,
                         pose_a->orientation.w,
                         pose_a->orientation.x,
                         pose_a->orientation.y,
                         pose_a->orientation.z};
  const double other[] = {b->kind,
                          b->size.x,
                          b->size.y,
                          b->size.z,
                          pose_b->position.x,
                          pose_b->position.y,
                          pose_b->position.z,
                          pose_b->orientation.w,
                          pose_b->orientation.x,
                          pose_b->orientation.y,
                          pose_b->orientation.z};
  for (size_t i = 0; i < sizeof mine / sizeof mine[0]; i++) {
    if (mine[i] != other[i]) {
      return mine[i] > other[i];
    }
  }
  return true;
}

void ff_distance_query(ff_distance *out, const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                     const ff_pose *pose_b, double beyond) {
  bool boxes = a->kind == FF_BOX && b->kind == FF_BOX; /* where faces of a go before those of b */
  if (!boxes && !is_in_order(a, pose_a, b, pose_b)) {
    ff_distance back;
    ff_distance_query(&back, b, pose_b, a, pose_a, beyond);
    *out = turned(&back);
    return;
  }
  ff_two two = {.a = a,
                .b = b,
                .q_a = pose_a->orientation,
                .q_b = pose_b->orientation,
                .apart = v3_sub(pose_a->position, pose_b->position),
                .size = ff_geom_bound(a) + ff_geom_bound(b),
                .curved = !is_flat(a) || !is_flat(b)};
  if (a->kind == FF_CAPSULE && b->kind == FF_CAPSULE) {
    *out = (ff_distance){.settled = true};
    capsules(out, &two);
  } else {
    search(out, &two, beyond);
  }
  out->on_a = v3_add(out->on_a, pose_b->position);
  out->on_b = v3_add(out->on_b, pose_b->position);
}

/* ---- how it changes
 * ------------------------------------------------------------------------------- */

bool ff_distance_rates(ff_distance_rate out[6], const ff_distance *at, const ff_geom *a,
                      const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b) {
  side sa = {.geom = a, .q = pose_a->orientation, .sign = -1, .count = at->count_a};
  side sb = {.geom = b, .q = pose_b->orientation, .sign = 1, .count = at->count_b};
  sa.origin = v3_sub(pose_a->position, pose_b->position);
  memcpy(sa.rules, at->rules_a, sizeof sa.rules);
  memcpy(sa.pull, at->pull_a, sizeof sa.pull);
  memcpy(sb.rules, at->rules_b, sizeof sb.rules);
  memcpy(sb.pull, at->pull_b, sizeof sb.pull);
  if (!at->settled || sa.count == 0 || sb.count == 0) {
    return false;
  }
  point p = {v3_sub(at->on_a, pose_b->position), v3_sub(at->on_b, pose_b->position), at->normal,
             at->gap};
  double size = ff_geom_bound(a) + ff_geom_bound(b);
  double f[UNKNOWNS], m[UNKNOWNS * UNKNOWNS], columns[6 * UNKNOWNS] = {0};
  int count = conditions(&sa, &sb, &p, size, f, m);
  for (int k = 0; k < 6; k++) {
    pushed(&sa, &p, size, k, columns + k * count);
  }
  if (!dense_solve(count, m, UNKNOWNS, columns, 6, 1e-11)) {
    return false;
  }
  for (int k = 0; k < 6; k++) {
    const double *mine = columns + k * count;
    out[k] = (ff_distance_rate){.gap = size * mine[GAP],
                               .normal = v3_load(mine + N),
                               .on_a = v3_scale(size, v3_load(mine + X_A)),
                               .on_b = v3_scale(size, v3_load(mine + X_B))};
  }
  return true;
}
