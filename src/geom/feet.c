#include "geom/feet.h"

#include "geom/implicit.h"
#include "geom/nearest.h"
#include "geom/parts.h"
#include "geom/solid.h"
#include "geom/touch.h"

#define SHARE    0.5  /* of a foot on the rim of a cap */
#define TAPER    0.1  /* of an edge: next to its ends a crossing has less share */
#define SKEW     1e-8 /* square of the sine of an angle: below it lines are parallel */
#define SAME     1e-9 /* of an energy: two ways to say the same */
#define DIAGONAL 0.70710678118654752440
#define BLUR     1e-3 /* of the size: gaps that are less are exact */
#define FEW      8    /* rules: of so few each is tried as the way out, whatever that costs */
#define SURPLUS  1e-9 /* of the size: a foot is not deeper than the pair, to rounding */

/* The part of a body that is an end: a ball or a disc, and what is about it. */
typedef struct tip {
  bool known; /* else depth is not less than it is */
  double depth;
  ff_vec3 at, out; /* m, unit, world: where it is deepest, and the way out of the other */
} tip;

typedef struct meeting {
  const ff_geom *geom[2]; /* a, b */
  ff_pose pose[2];
  ff_nearest near; /* normal, gap and points; as far as it is known */
  double size;
  double deepest; /* m, of the feet that are surely not deeper than the pair */
  bool doubt;     /* there are others */
  ff_vec3 at;     /* m, where that is */
  tip tips[2][2];
  double margin;
  bool telling;  /* else energies are summed up */
  bool idle;     /* the pair's own depth bears the load */
  double stored; /* J */
  bool touches;  /* a foot does */
  const ff_press_to *to;
} meeting;

/* One body's feet on the other. */
typedef struct visit {
  meeting *m;
  int owner;
  const ff_geom *other;
  ff_pose pose, world; /* of the owner and the other */
  double more;         /* m, that the other is larger by, since feet are inside the owner */
} visit;

static double energy_of(const meeting *m, double depth) {
  return depth > 0 ? m->to->energy(m->to->context, depth) : 0;
}

/* ---- one foot ------------------------------------------------------------------------------ */

/* The pair's own depth, as a foot. */
static ff_press whole_of(const meeting *m) {
  return (ff_press){.point = v3_scale(0.5, v3_add(m->near.on_a, m->near.on_b)),
                    .normal = m->near.normal,
                    .depth = -m->near.gap,
                    .share = 1,
                    .push = 1,
                    .slot = FF_PRESS_WHOLE};
}

/* A foot with what belongs to it as if its owner were a. No foot is deeper than the pair. */
static void put(const visit *v, ff_press foot, bool idle, bool sure) {
  meeting *m = v->m;
  double sign = v->owner ? -1 : 1;
  foot.normal = v3_scale(sign, foot.normal);
  foot.couple = v3_scale(sign, foot.couple);
  foot.pull = v3_scale(sign, foot.pull);
  foot.swing = v3_scale(sign, foot.swing);
  foot.slot += 8 * v->owner;
  foot.idle = idle || m->idle;
  if (sure && foot.depth > m->deepest) {
    m->at = foot.point;
    m->deepest = foot.depth;
  }
  m->doubt = m->doubt || !sure;
  if (foot.depth > -m->near.gap + SURPLUS * m->size) {
    ff_press whole = whole_of(m);
    foot.swing = v3_add(foot.swing, v3_cross(v3_sub(foot.point, whole.point), foot.pull));
    foot.point = whole.point;
    foot.normal = whole.normal;
    foot.depth = whole.depth;
    foot.push = foot.share;
    foot.couple = v3(0, 0, 0);
  }
  if (m->telling) {
    m->to->fn(m->to->context, &foot);
  } else if (!idle && foot.depth > 0) {
    m->stored += foot.share * energy_of(m, foot.depth);
    m->touches = true;
  }
}

/* A place (world) in the other. */
typedef struct place {
  ff_vec3 at, out; /* the way out, with the rate at which depth gets less */
  double depth;
  bool sure; /* it is not deeper than the owner, being inside, or over a face */
} place;

/* How far a place is out of a shape, both in its frame, by the rule that it is most out of; the
 * slope is the rate at which that grows. A distance for what is flat or round. */
static double outside(const ff_geom *geom, ff_vec3 x, ff_vec3 *slope);

static double outside_parts(const ff_parts *parts, ff_vec3 x, ff_vec3 *slope) {
  double most = -INFINITY;
  for (int i = 0; i < parts->count; i++) {
    ff_quat q = parts->poses[i].orientation;
    ff_vec3 mine;
    double value =
        outside(&parts->geoms[i], q_unrotate(q, v3_sub(x, parts->poses[i].position)), &mine);
    if (value > most) {
      most = value;
      *slope = q_rotate(q, mine);
    }
  }
  return most;
}

static double outside_round(double radius, ff_vec3 from, ff_vec3 *slope) {
  double far = v3_norm(from);
  *slope = far > 0 ? v3_scale(1 / far, from) : v3(0, 0, 0);
  return far - radius;
}

static double outside(const ff_geom *geom, ff_vec3 x, ff_vec3 *slope) {
  ff_vec3 s = geom->size;
  switch (geom->kind) {
    case FF_SPHERE: return outside_round(s.x, x, slope);
    case FF_CAPSULE: {
      double along = fmax(-s.y, fmin(s.y, x.z));
      return outside_round(s.x, v3(x.x, x.y, x.z - along), slope);
    }
    case FF_CYLINDER: {
      double side = outside_round(s.x, v3(x.x, x.y, 0), slope), cap = fabs(x.z) - s.y;
      *slope = cap > side ? v3(0, 0, x.z < 0 ? -1 : 1) : *slope;
      return fmax(side, cap);
    }
    case FF_INTERSECTION: return outside_parts(geom->parts, x, slope);
    default: break;
  }
  int most = 0;
  double value = ff_geom_value(geom, x, &most);
  ff_rule rule;
  ff_geom_rule(geom, most, x, &rule);
  *slope = rule.slope;
  return value;
}

static place place_at(const visit *v, ff_vec3 at) {
  ff_quat q = v->world.orientation;
  ff_vec3 local = q_unrotate(q, v3_sub(at, v->world.position)), slope, other;
  double value = outside(v->other, local, &slope), depth = v->more - value;
  bool sure = value <= 0 || depth <= 0;
  if (!sure && !v->m->telling) {
    ff_vec3 below = v3_axpy(local, -value / v3_dot(slope, slope), slope);
    sure = outside(v->other, below, &other) < SURPLUS * v->m->size;
  }
  return (place){at, q_rotate(q, slope), depth, sure};
}

/* A foot whose depth gets less by `out` as it moves. */
static ff_press foot_at(const place *at, ff_vec3 out, double share, int slot) {
  double steep = v3_norm(out);
  return (ff_press){.point = at->at,
                    .normal = steep > 1e-9 ? v3_scale(1 / steep, out) : v3(0, 0, 1),
                    .depth = at->depth,
                    .share = share,
                    .push = share * steep,
                    .slot = slot};
}

/* Is it of interest? */
static bool counts(const meeting *m, double depth) {
  return depth > 0 || (m->telling && depth > -m->margin);
}

static void put_place(const visit *v, ff_vec3 at, double share, int slot) {
  place here = place_at(v, at);
  if (counts(v->m, here.depth)) {
    put(v, foot_at(&here, here.out, share, slot), false, here.sure);
  }
}

/* ---- crossings --------------------------------------------------------------------------------
 */

/* 0 up to 0, 1 from 1 on, smooth between. */
static double ramp(double x, double *slope) {
  double y = fmax(0, fmin(1, x));
  *slope = 6 * y * (1 - y);
  return y * y * (3 - 2 * y);
}

/* Falls to 0 at both ends of [0, 1]. */
static double taper(double x, double *slope) {
  double up, down, a = ramp(x / TAPER, &up), b = ramp((1 - x) / TAPER, &down);
  *slope = (up * b - a * down) / TAPER;
  return a * b;
}

/* The place of an edge that is nearest to an axis: at s from its beginning p along w, with u along
 * the axis and d from a place on it to p,
 *   s = N / D,  N = c (u.d) - w.d,  D = 1 - c^2,  c = u.w
 * As the edge moves by v at that place and turns by r: ds = by.v + about.r. */
typedef struct crossing {
  ff_vec3 at, by, about;
  ff_vec3 turn; /* dc = turn.r */
  double s, c, skew;
} crossing;

/* False: they are parallel. */
static bool cross(crossing *out, ff_vec3 p, ff_vec3 w, ff_vec3 u, ff_vec3 d) {
  double c = v3_dot(u, w), skew = 1 - c * c, along = v3_dot(u, d);
  if (!(skew > SKEW)) {
    return false;
  }
  out->c = c;
  out->skew = skew;
  out->s = (c * along - v3_dot(w, d)) / skew;
  out->at = v3_axpy(p, out->s, w);
  out->turn = v3_cross(w, u);
  out->by = v3_scale(1 / skew, v3_sub(v3_scale(c, u), w));
  ff_vec3 about = v3_scale(along + 2 * c * out->s, out->turn); /* with v at p */
  about = v3_scale(1 / skew, v3_sub(about, v3_cross(w, d)));
  out->about = v3_add(about, v3_cross(v3_sub(p, out->at), out->by));
  return true;
}

static void put_crossing(const visit *v, ff_vec3 from, ff_vec3 to, const int slots[2]) {
  ff_vec3 way = v3_sub(to, from);
  double length = v3_norm(way), slope;
  ff_vec3 w = v3_scale(1 / length, way);
  crossing x;
  if (!cross(&x, from, w, q_axis_z(v->world.orientation), v3_sub(from, v->world.position)) ||
      !(x.s > 0 && x.s < length)) {
    return;
  }
  double full = taper(x.s / length, &slope), share = x.skew * full;
  place here = place_at(v, x.at);
  if (!counts(v->m, here.depth)) {
    return;
  }
  double slide = v3_dot(here.out, w), less = -x.skew * slope / length;
  ff_press foot = foot_at(&here, v3_axpy(here.out, slide, x.by), share, slots[x.s > 0.5 * length]);
  foot.couple = v3_scale(share * slide, x.about);
  foot.pull = v3_scale(less, x.by);
  foot.swing = v3_axpy(v3_scale(less, x.about), 2 * x.c * full, x.turn);
  put(v, foot, false, here.sure);
}

static void put_solid(visit *v, const ff_geom *geom) {
  ff_solid core;
  v->more = ff_solid_core(&core, geom);
  for (int k = 0; k < core.vertex_count; k++) {
    put_place(v, pose_point(v->pose, ff_solid_vertex(&core, k)), 1, ff_solid_slot(&core, k));
  }
  bool axis = v->other->kind == FF_CYLINDER || v->other->kind == FF_CAPSULE;
  for (int k = 0; axis && k < core.edge_count; k++) {
    int ends[2];
    ff_solid_edge(&core, k, ends);
    const int slots[2] = {ff_solid_slot(&core, ends[0]), ff_solid_slot(&core, ends[1])};
    put_crossing(v, pose_point(v->pose, ff_solid_vertex(&core, ends[0])),
                 pose_point(v->pose, ff_solid_vertex(&core, ends[1])), slots);
  }
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* Over a flat face of the other an end is as far from it as from the plane. */
static bool is_over_face(tip *out, const meeting *m, int owner, const ff_geom *part,
                         const ff_pose *pose, double skin) {
  const ff_geom *other = m->geom[!owner];
  ff_pose world = m->pose[!owner];
  ff_quat q = world.orientation;
  ff_vec3 n = q_unrotate(q, owner ? v3_neg(m->near.normal) : m->near.normal);
  ff_vec3 down = q_unrotate(pose->orientation, q_rotate(q, v3_neg(n)));
  ff_vec3 at = pose_point(*pose, ff_geom_support(part, down));
  ff_vec3 local = q_unrotate(q, v3_sub(at, world.position));
  int face = 0, rim = 0;
  double gap = ff_geom_value(other, local, &face);
  ff_rule rule;
  ff_geom_rule(other, face, local, &rule);
  if (!(gap > 0) || !ff_rule_is_flat(&rule) || !(v3_dot(rule.slope, n) > 1 - 1e-15) ||
      ff_geom_value(other, v3_axpy(local, -gap, rule.slope), &rim) > SURPLUS * m->size) {
    return false;
  }
  *out = (tip){true, skin - gap, v3_axpy(at, -gap, q_rotate(q, n)), q_rotate(q, n)};
  return true;
}

/* Of a capsule a ball, of a cylinder a disc. */
static void find_tip(meeting *m, int owner, int i) {
  const ff_geom *geom = m->geom[owner];
  tip *out = &m->tips[owner][i];
  bool ball = geom->kind == FF_CAPSULE;
  double inside = ball ? 0 : ff_geom_round(geom, INFINITY), skin = ball ? geom->size.x : inside;
  ff_geom part = {.kind = FF_CYLINDER, .size = {geom->size.x - skin, 0, 0}};
  ff_pose pose = {pose_point(m->pose[owner], v3(0, 0, (i ? 1 : -1) * (geom->size.y - inside))),
                  m->pose[owner].orientation};
  if (is_over_face(out, m, owner, &part, &pose, skin)) {
    return;
  }
  if (ball) {
    part = (ff_geom){.kind = FF_SPHERE, .size = {skin, 0, 0}};
    skin = 0;
  }
  ff_nearest near;
  ff_nearest_find(&near, &part, &pose, m->geom[!owner], &m->pose[!owner], skin + BLUR * m->size);
  *out = (tip){true, skin - near.gap, near.on_b, near.normal};
}

/* An end is not deeper than below the plane of the other between the two bodies. */
static void bound_tips(meeting *m, int owner) {
  const ff_geom *geom = m->geom[owner];
  ff_vec3 n = owner ? v3_neg(m->near.normal) : m->near.normal;
  ff_vec3 on = owner ? m->near.on_a : m->near.on_b, axis = q_axis_z(m->pose[owner].orientation);
  double lean = v3_dot(n, axis), wide = geom->size.x;
  wide *= geom->kind == FF_CAPSULE ? 1 : sqrt(fmax(0, 1 - lean * lean));
  for (int i = 0; i < 2; i++) {
    double up = v3_dot(n, v3_sub(m->pose[owner].position, on));
    m->tips[owner][i] = (tip){.depth = wide - up - (i ? 1 : -1) * geom->size.y * lean};
  }
}

/* Ends that are far are told by their depth alone. */
static void put_tip(const visit *v, int i, int slot, bool idle) {
  const tip *at = &v->m->tips[v->owner][i];
  if (counts(v->m, at->depth)) {
    ff_press foot = {.point = at->known ? at->at : v->pose.position,
                     .normal = at->known ? at->out : v3(0, 0, 1),
                     .depth = at->depth,
                     .share = 1,
                     .push = 1,
                     .slot = slot};
    put(v, foot, idle, at->known);
  }
}

static void put_capsule(const visit *v) {
  for (int i = 0; i < 2; i++) {
    tip *end = &v->m->tips[v->owner][i];
    if (!end->known && end->depth > 0) {
      find_tip(v->m, v->owner, i);
    }
    put_tip(v, i, i, false);
  }
}

/* ---- caps and cut faces ------------------------------------------------------------------------
 */

static void put_cap(const visit *v, const ff_geom *geom, int i) {
  static const double around[FF_CAP_FEET][2] = {
      {1, 0},  {DIAGONAL, DIAGONAL},   {0, 1},  {-DIAGONAL, DIAGONAL},
      {-1, 0}, {-DIAGONAL, -DIAGONAL}, {0, -1}, {DIAGONAL, -DIAGONAL}};
  double r = geom->size.x - v->more, z = (i ? 1 : -1) * (geom->size.y - v->more), stored = 0;
  place at[FF_CAP_FEET];
  for (int k = 0; k < FF_CAP_FEET; k++) {
    at[k] = place_at(v, pose_point(v->pose, v3(r * around[k][0], r * around[k][1], z)));
    stored += SHARE * energy_of(v->m, at[k].depth);
  }
  tip *end = &v->m->tips[v->owner][i];
  bool leans = energy_of(v->m, end->depth) > (1 + SAME) * stored;
  if (leans && !end->known) {
    find_tip(v->m, v->owner, i);
    leans = energy_of(v->m, end->depth) > (1 + SAME) * stored;
  }
  if (leans) {
    put_tip(v, i, 4 * i, false);
  }
  for (int k = 0; k < FF_CAP_FEET; k++) {
    if (counts(v->m, at[k].depth)) {
      put(v, foot_at(&at[k], at[k].out, SHARE, 4 * i + k / 2), leans, at[k].sure);
    }
  }
}

static void put_cuts(visit *v, const ff_parts *parts) {
  v->more = parts->core ? parts->core_depth : 0;
  for (int k = 0; k < parts->foot_count; k++) {
    put_place(v, pose_point(v->pose, parts->feet[k]), SHARE, k / 2 % 8);
  }
}

/* ---- all of them ------------------------------------------------------------------------------
 */

static void put_feet(meeting *m, int owner) {
  const ff_geom *geom = m->geom[owner];
  visit v = {.m = m,
             .owner = owner,
             .other = m->geom[!owner],
             .pose = m->pose[owner],
             .world = m->pose[!owner]};
  switch (geom->kind) {
    case FF_BOX:
    case FF_POLYHEDRON: put_solid(&v, geom); break;
    case FF_CAPSULE: put_capsule(&v); break;
    case FF_CYLINDER:
      v.more = ff_geom_round(geom, INFINITY);
      put_cap(&v, geom, 0);
      put_cap(&v, geom, 1);
      break;
    case FF_INTERSECTION: put_cuts(&v, geom->parts); break;
    default: break;
  }
}

static bool has_feet(ff_shape_kind kind) {
  return kind == FF_CAPSULE || kind == FF_CYLINDER || kind == FF_INTERSECTION;
}

/* Two capsules have no leaps to begin with. */
bool ff_geom_has_feet(ff_shape_kind a, ff_shape_kind b) {
  return (has_feet(a) && (has_feet(b) || ff_geom_is_solid(b)) &&
          !(a == FF_CAPSULE && b == FF_CAPSULE)) ||
         (ff_geom_is_solid(a) && has_feet(b));
}

/* How far the two reach over one another along a direction from b into a: not less than D. */
static ff_nearest reach_along(const meeting *m, ff_vec3 n) {
  ff_nearest out = {.normal = n};
  ff_quat q_a = m->pose[0].orientation, q_b = m->pose[1].orientation;
  out.on_a = pose_point(m->pose[0], ff_geom_support(m->geom[0], q_unrotate(q_a, v3_neg(n))));
  out.on_b = pose_point(m->pose[1], ff_geom_support(m->geom[1], q_unrotate(q_b, n)));
  out.gap = v3_dot(n, v3_sub(out.on_a, out.on_b));
  return out;
}

/* The way out of one body by the rule that a place of the other is nearest to. */
static int way_out(const meeting *m, int of, ff_vec3 at, ff_vec3 *out, bool *flat) {
  ff_quat q = m->pose[of].orientation;
  ff_vec3 local = q_unrotate(q, v3_sub(at, m->pose[of].position));
  int nearest = 0;
  ff_geom_value(m->geom[of], local, &nearest);
  ff_rule rule;
  ff_geom_rule(m->geom[of], nearest, local, &rule);
  double steep = v3_norm(rule.slope);
  *out = q_rotate(q, steep > 0 ? v3_scale((of ? 1 : -1) / steep, rule.slope) : v3(0, 0, 1));
  *flat = ff_rule_is_flat(&rule);
  return nearest;
}

/* A face of one body has the other in front of it where that reaches farthest. */
static void put_on_face(ff_nearest *near, int of) {
  if (of) {
    near->on_b = v3_axpy(near->on_a, -near->gap, near->normal);
  } else {
    near->on_a = v3_axpy(near->on_b, near->gap, near->normal);
  }
}

/* Is the way out by a face shorter? Support points of intersections are dear. */
static void try_faces(meeting *m, int of) {
  int count = ff_geom_rule_count(m->geom[of]);
  bool dear = m->geom[0]->kind == FF_INTERSECTION || m->geom[1]->kind == FF_INTERSECTION;
  for (int k = 0; k < count && (count <= FEW || !dear); k++) {
    ff_rule rule;
    ff_geom_rule(m->geom[of], k, v3(0, 0, 0), &rule);
    if (ff_rule_is_flat(&rule)) {
      ff_vec3 n = q_rotate(m->pose[of].orientation, v3_scale(of ? 1 : -1, rule.slope));
      ff_nearest found = reach_along(m, n);
      if (found.gap > m->near.gap) {
        m->near = found;
        put_on_face(&m->near, of);
      }
    }
  }
}

/* A guess at the shortest way out: of each body, where the middle of the other is, and then where
 * that reaches in farthest. If the way out from there is the same, by a flat face, none is shorter:
 * D is not less than the depth of any place. */
static void guess(meeting *m) {
  m->near.gap = -INFINITY;
  for (int of = 0; of < 2; of++) {
    ff_vec3 n;
    bool flat;
    int before = way_out(m, of, m->pose[!of].position, &n, &flat);
    for (int k = 0; k < 3; k++) {
      ff_nearest found = reach_along(m, n);
      bool by_face = flat;
      int rule = way_out(m, of, of ? found.on_a : found.on_b, &n, &flat);
      found.settled = found.gap >= 0 || (by_face && rule == before);
      m->near = found.gap > m->near.gap ? found : m->near;
      if (found.settled) {
        m->near = found;
        put_on_face(&m->near, of);
        return;
      }
      if (rule == before) {
        break;
      }
      before = rule;
    }
  }
}

static void sum_up(meeting *m) {
  m->stored = 0;
  m->touches = m->doubt = false;
  m->deepest = -INFINITY;
  bound_tips(m, 0);
  bound_tips(m, 1);
  put_feet(m, 0);
  put_feet(m, 1);
}

/* The shortest way out, unless the guess will do: no other is shorter if a foot is as deep, nor
 * does it matter if feet store more. */
static void settle(meeting *m) {
  double most = -m->near.gap;
  if (m->deepest >= most - SURPLUS * m->size) {
    m->near.on_a = m->near.on_b = m->at;
    return;
  }
  if (m->near.settled) {
    return;
  }
  if (!m->doubt && m->touches && energy_of(m, most) <= m->stored) {
    m->near.gap = -m->deepest;
    return;
  }
  ff_nearest_find(&m->near, m->geom[0], &m->pose[0], m->geom[1], &m->pose[1],
                  fmax(m->margin, BLUR * m->size));
  try_faces(m, 0);
  try_faces(m, 1);
  sum_up(m);
}

void ff_feet_press(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double margin, const ff_press_to *to) {
  meeting m = {.geom = {a, b},
               .pose = {*pose_a, *pose_b},
               .size = ff_geom_bound(a) + ff_geom_bound(b),
               .margin = margin,
               .to = to};
  guess(&m);
  if (m.near.gap < 0) {
    sum_up(&m);
    settle(&m);
  }
  if (!(m.near.gap < 0) && !(m.near.gap < margin)) {
    return;
  }
  ff_press whole = whole_of(&m);
  m.idle = !m.touches || energy_of(&m, whole.depth) > (1 + SAME) * m.stored;
  whole.idle = !m.idle;
  m.telling = true;
  put_feet(&m, 0);
  put_feet(&m, 1);
  to->fn(to->context, &whole);
}
