/* Feet at the ends of capsules, which are balls, and of cylinders, which are discs. */
#include "geom/feet_parts.h"
#include "geom/implicit.h"

#define DIAGONAL 0.70710678118654752440

/* Over a flat face of the other an end is as far from it as from the plane. */
static bool is_over_face(ff_foot_tip *out, const ff_feet *m, int owner, const ff_geom *part,
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
      ff_geom_value(other, v3_axpy(local, -gap, rule.slope), &rim) > FF_FEET_SURPLUS * m->size) {
    return false;
  }
  *out = (ff_foot_tip){true, skin - gap, v3_axpy(at, -gap, q_rotate(q, n)), q_rotate(q, n)};
  return true;
}

/* Of a capsule a ball, of a cylinder a disc. */
static void find_tip(ff_feet *m, int owner, int i) {
  const ff_geom *geom = m->geom[owner];
  ff_foot_tip *out = &m->tips[owner][i];
  bool ball = geom->kind == FF_CAPSULE;
  double inside = ball ? 0 : ff_geom_core_margin(geom, INFINITY),
         skin = ball ? geom->size.x : inside;
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
  ff_distance near;
  ff_distance_query(&near, &part, &pose, m->geom[!owner], &m->pose[!owner],
                    skin + FF_FEET_BLUR * m->size);
  *out = (ff_foot_tip){true, skin - near.gap, near.on_b, near.normal};
}

void ff_feet_bound_tips(ff_feet *m, int owner) {
  const ff_geom *geom = m->geom[owner];
  ff_vec3 n = owner ? v3_neg(m->near.normal) : m->near.normal;
  ff_vec3 on = owner ? m->near.on_a : m->near.on_b, axis = q_axis_z(m->pose[owner].orientation);
  double lean = v3_dot(n, axis), wide = geom->size.x;
  wide *= geom->kind == FF_CAPSULE ? 1 : sqrt(fmax(0, 1 - lean * lean));
  for (int i = 0; i < 2; i++) {
    double up = v3_dot(n, v3_sub(m->pose[owner].position, on));
    m->tips[owner][i] = (ff_foot_tip){.depth = wide - up - (i ? 1 : -1) * geom->size.y * lean};
  }
}

/* Ends that are far are told by their depth alone. */
static void put_tip(const ff_feet_of *v, int i, int slot, bool idle) {
  const ff_foot_tip *at = &v->m->tips[v->owner][i];
  if (ff_foot_counts(v->m, at->depth)) {
    ff_press foot = {.point = at->known ? at->at : v->pose.position,
                     .normal = at->known ? at->out : v3(0, 0, 1),
                     .depth = at->depth,
                     .share = 1,
                     .push = 1,
                     .slot = slot};
    ff_foot_put(v, foot, idle, at->known);
  }
}

void ff_feet_put_ends(const ff_feet_of *v) {
  for (int i = 0; i < 2; i++) {
    ff_foot_tip *end = &v->m->tips[v->owner][i];
    if (!end->known && end->depth > 0) {
      find_tip(v->m, v->owner, i);
    }
    put_tip(v, i, i, false);
  }
}

static void put_cap(const ff_feet_of *v, const ff_geom *geom, int i) {
  static const double around[FF_CAP_FEET][2] = {
      {1, 0},  {DIAGONAL, DIAGONAL},   {0, 1},  {-DIAGONAL, DIAGONAL},
      {-1, 0}, {-DIAGONAL, -DIAGONAL}, {0, -1}, {DIAGONAL, -DIAGONAL}};
  double r = geom->size.x - v->more, z = (i ? 1 : -1) * (geom->size.y - v->more), stored = 0;
  ff_foot_place at[FF_CAP_FEET];
  for (int k = 0; k < FF_CAP_FEET; k++) {
    at[k] = ff_foot_place_at(v, pose_point(v->pose, v3(r * around[k][0], r * around[k][1], z)));
    stored += FF_FOOT_SHARE * ff_feet_energy(v->m, at[k].depth);
  }
  ff_foot_tip *end = &v->m->tips[v->owner][i];
  bool leans = ff_feet_energy(v->m, end->depth) > (1 + FF_FEET_SAME) * stored;
  if (leans && !end->known) {
    find_tip(v->m, v->owner, i);
    leans = ff_feet_energy(v->m, end->depth) > (1 + FF_FEET_SAME) * stored;
  }
  if (leans) {
    put_tip(v, i, 4 * i, false);
  }
  for (int k = 0; k < FF_CAP_FEET; k++) {
    if (ff_foot_counts(v->m, at[k].depth)) {
      ff_foot_put(v, ff_foot_at(&at[k], at[k].out, FF_FOOT_SHARE, 4 * i + k / 2), leans,
                  at[k].sure);
    }
  }
}

void ff_feet_put_caps(ff_feet_of *v, const ff_geom *geom) {
  v->more = ff_geom_core_margin(geom, INFINITY);
  put_cap(v, geom, 0);
  put_cap(v, geom, 1);
}
