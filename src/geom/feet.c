#include "geom/feet_parts.h"
#include "geom/solid.h"

static void put_feet(ff_feet *m, int owner) {
  const ff_geom *geom = m->geom[owner];
  ff_feet_of v = {.m = m,
                  .owner = owner,
                  .other = m->geom[!owner],
                  .pose = m->pose[owner],
                  .world = m->pose[!owner]};
  switch (geom->kind) {
    case FF_BOX:
    case FF_POLYHEDRON: ff_feet_put_corners(&v, geom); break;
    case FF_CAPSULE: ff_feet_put_ends(&v); break;
    case FF_CYLINDER: ff_feet_put_caps(&v, geom); break;
    case FF_INTERSECTION: ff_feet_put_cuts(&v, geom->parts); break;
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

static void sum_up(ff_feet *m) {
  m->stored = 0;
  m->touches = m->doubt = false;
  m->deepest = -INFINITY;
  ff_feet_bound_tips(m, 0);
  ff_feet_bound_tips(m, 1);
  put_feet(m, 0);
  put_feet(m, 1);
}

/* The shortest way out, unless the guess will do: no other is shorter if a foot is as deep, nor
 * does it matter if feet store more. */
static void settle(ff_feet *m) {
  double most = -m->near.gap;
  if (m->deepest >= most - FF_FEET_SURPLUS * m->size) {
    m->near.on_a = m->near.on_b = m->at;
    return;
  }
  if (m->near.settled) {
    return;
  }
  if (!m->doubt && m->touches && ff_feet_energy(m, most) <= m->stored) {
    m->near.gap = -m->deepest;
    return;
  }
  ff_feet_find_way_out(m);
  sum_up(m);
}

void ff_feet_press(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                   double margin, const ff_press_to *to) {
  ff_feet m = {.geom = {a, b},
               .pose = {*pose_a, *pose_b},
               .size = ff_geom_bound(a) + ff_geom_bound(b),
               .margin = margin,
               .to = to};
  ff_feet_guess_way_out(&m);
  if (m.near.gap < 0) {
    sum_up(&m);
    settle(&m);
  }
  if (!(m.near.gap < 0) && !(m.near.gap < margin)) {
    return;
  }
  ff_press whole = ff_feet_whole(&m);
  m.idle = !m.touches || ff_feet_energy(&m, whole.depth) > (1 + FF_FEET_SAME) * m.stored;
  whole.idle = !m.idle;
  m.telling = true;
  put_feet(&m, 0);
  put_feet(&m, 1);
  to->fn(to->context, &whole);
}
