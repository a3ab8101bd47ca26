/* How deep two bodies are in one another: the shortest way out. */
#include "geom/feet_parts.h"
#include "geom/implicit.h"

#define FEW 8 /* rules: of so few each is tried as the way out, whatever that costs */

/* How far the two reach over one another along a direction from b into a: not less than D. */
static ff_distance reach_along(const ff_feet *m, ff_vec3 n) {
  ff_distance out = {.normal = n};
  ff_quat q_a = m->pose[0].orientation, q_b = m->pose[1].orientation;
  out.on_a = pose_point(m->pose[0], ff_geom_support(m->geom[0], q_unrotate(q_a, v3_neg(n))));
  out.on_b = pose_point(m->pose[1], ff_geom_support(m->geom[1], q_unrotate(q_b, n)));
  out.gap = v3_dot(n, v3_sub(out.on_a, out.on_b));
  return out;
}

/* The way out of one body by the rule that a place of the other is nearest to. */
static int way_out(const ff_feet *m, int of, ff_vec3 at, ff_vec3 *out, bool *flat) {
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
static void put_on_face(ff_distance *near, int of) {
  if (of) {
    near->on_b = v3_axpy(near->on_a, -near->gap, near->normal);
  } else {
    near->on_a = v3_axpy(near->on_b, near->gap, near->normal);
  }
}

/* Is the way out by a face shorter? Support points of intersections are dear. */
static void try_faces(ff_feet *m, int of) {
  int count = ff_geom_rule_count(m->geom[of]);
  bool dear = m->geom[0]->kind == FF_INTERSECTION || m->geom[1]->kind == FF_INTERSECTION;
  for (int k = 0; k < count && (count <= FEW || !dear); k++) {
    ff_rule rule;
    ff_geom_rule(m->geom[of], k, v3(0, 0, 0), &rule);
    if (ff_rule_is_flat(&rule)) {
      ff_vec3 n = q_rotate(m->pose[of].orientation, v3_scale(of ? 1 : -1, rule.slope));
      ff_distance found = reach_along(m, n);
      if (found.gap > m->near.gap) {
        m->near = found;
        put_on_face(&m->near, of);
      }
    }
  }
}

void ff_feet_guess_way_out(ff_feet *m) {
  m->near.gap = -INFINITY;
  for (int of = 0; of < 2; of++) {
    ff_vec3 n;
    bool flat;
    int before = way_out(m, of, m->pose[!of].position, &n, &flat);
    for (int k = 0; k < 3; k++) {
      ff_distance found = reach_along(m, n);
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

void ff_feet_find_way_out(ff_feet *m) {
  ff_distance_query(&m->near, m->geom[0], &m->pose[0], m->geom[1], &m->pose[1],
                    fmax(m->margin, FF_FEET_BLUR * m->size));
  try_faces(m, 0);
  try_faces(m, 1);
}
