#include "geom/distance.h"

#include "base/effort.h"
#include "geom/distance_parts.h"
#include "geom/implicit.h"
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

#define BESIDE                                                                                     \
  0.999 /* cosine: at sharp edges rules lean away from the normal that they make up                \
         */

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
    if (!(at.value > -reach) || !(s->sign * v3_dot(n, at.slope) > -BESIDE)) {
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

/* The smallest set of rules that makes up the normal well enough, else the set that does it best:
 * an angle of price (rad) counts as much as a rule more. */
static void choose_rules(side *s, ff_vec3 x, ff_vec3 n, double reach, double price) {
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
      left = made_up(from, members, size, u, pull) + price * size;
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
static bool newton_solve(side *a, side *b, point *p, double size) {
  double f[UNKNOWNS], m[UNKNOWNS * UNKNOWNS], before = INFINITY, slow = INFINITY;
  for (int round = 0; round < NEWTON_ROUNDS; round++) {
    int count = conditions(a, b, p, size, f, m);
    double most = 0;
    for (int i = 0; i < count; i++) {
      most = fmax(most, fabs(f[i]));
      f[i] = -f[i];
    }
    if (!(most < 10) || (round > 7 && most > 0.5 * slow)) {
      return false; /* quadratic convergence is over in fewer */
    }
    if (most < 1e-15 || (most < 1e-12 && most > 0.5 * before)) {
      return true;
    }
    slow = round % 4 == 3 ? most : slow;
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
  double angle = 0.5 * ff_atan2(-uv, -half); /* of the direction that belongs to it */
  ff_vec3 along = v3_axpy(v3_scale(ff_cos(angle), u), ff_sin(angle), v);
  *n = v3_unit(v3_axpy(p->n, 0.01, along));
  return false;
}

void ff_distance_newton(ff_distance *out, const ff_two *two, const ff_rough *rough, double doubt,
                        double price, ff_vec3 *beside) {
  side a = {.geom = two->a, .q = two->q_a, .origin = two->apart, .sign = -1};
  side b = {.geom = two->b, .q = two->q_b, .sign = 1};
  double reach = fmax(100 * doubt, 1e-7) * two->size;
  choose_rules(&a, rough->on_a, rough->normal, reach, price);
  choose_rules(&b, rough->on_b, rough->normal, reach, price);
  point p = {rough->on_a, rough->on_b, rough->normal, rough->gap};
  *beside = rough->normal;
  for (int try = 0; try < TRIES && a.count > 0 && b.count > 0; try++) {
    if (!newton_solve(&a, &b, &p, two->size)) {
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
