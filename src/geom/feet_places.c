/* A foot: how deep a place of one body is in the other, and which way out. */
#include "geom/feet_parts.h"
#include "geom/implicit.h"

void ff_foot_put(const ff_feet_of *v, ff_press foot, bool idle, bool sure) {
  ff_feet *m = v->m;
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
  if (foot.depth > -m->near.gap + FF_FEET_SURPLUS * m->size) {
    ff_press whole = ff_feet_whole(m);
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
    m->stored += foot.share * ff_feet_energy(m, foot.depth);
    m->touches = true;
  }
}

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

ff_foot_place ff_foot_place_at(const ff_feet_of *v, ff_vec3 at) {
  ff_quat q = v->world.orientation;
  ff_vec3 local = q_unrotate(q, v3_sub(at, v->world.position)), slope, other;
  double value = outside(v->other, local, &slope), depth = v->more - value;
  bool sure = value <= 0 || depth <= 0;
  if (!sure && !v->m->telling) {
    ff_vec3 below = v3_axpy(local, -value / v3_dot(slope, slope), slope);
    sure = outside(v->other, below, &other) < FF_FEET_SURPLUS * v->m->size;
  }
  return (ff_foot_place){at, q_rotate(q, slope), depth, sure};
}

ff_press ff_foot_at(const ff_foot_place *at, ff_vec3 out, double share, int slot) {
  double steep = v3_norm(out);
  return (ff_press){.point = at->at,
                    .normal = steep > 1e-9 ? v3_scale(1 / steep, out) : v3(0, 0, 1),
                    .depth = at->depth,
                    .share = share,
                    .push = share * steep,
                    .slot = slot};
}

void ff_foot_put_place(const ff_feet_of *v, ff_vec3 at, double share, int slot) {
  ff_foot_place here = ff_foot_place_at(v, at);
  if (ff_foot_counts(v->m, here.depth)) {
    ff_foot_put(v, ff_foot_at(&here, here.out, share, slot), false, here.sure);
  }
}
