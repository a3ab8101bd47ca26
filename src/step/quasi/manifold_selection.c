/* Contacts of flat shapes in a quasi-rigid step: which of their parts take part.
 *
 * Geometry tells where two shapes touch at a pose, in a list that is not longer than it need be: of
 * places that are next to one another the deepest, of those between two faces the outermost. A step
 * that is solved for such a list often ends where the list is another, and one that is solved for
 * the other ends where it is the first again. Both are right: the bodies overlap in both places,
 * and both must push. So the list only tells where to look. Parts that were found to press stay for
 * as long as they overlap, whoever else is found, and a step is right if all places of the list of
 * its end were solved for and all that push are there.
 *
 * A point of the state belongs to a pair of parts, its spot, and goes on as long as these touch. A
 * spot that nobody knew gets a point of its own, or that of one which it follows. What such a layer
 * was pressed by before is known: how deep the spot was at the start of the step.
 */
#include "math/vec.h"
#include "step/quasi/quasi_rigid.h"

#include <string.h>

#define FOLLOWS                                                                                    \
  0.05            /* of a body's size: a spot that is nearer than this takes the place of another */
#define SAME 1e-3 /* of that: two that are nearer than this are one */

/* ---- who is flat ---------------------------------------------------------------------------- */

/* Has a shape edges, so that parts of it that touch give way to others? */
static bool has_edges(const ff_model_shape *shape) {
  switch (shape->geom.kind) {
    case FF_BOX:
    case FF_POLYHEDRON:
    case FF_CYLINDER:
    case FF_INTERSECTION:
    case FF_CAPSULE: return true; /* its ends are where lines along it begin */
    default: return false;
  }
}

/* On a half-space only the edges of a cylinder run about. */
bool ff_quasi_is_flat(const ff_quasi *quasi, const ff_near *near) {
  const ff_model_shape *a = &quasi->model->shapes[near->shape_a];
  const ff_model_shape *b = &quasi->model->shapes[near->shape_b];
  bool rim = a->geom.kind == FF_CYLINDER && b->geom.kind == FF_HALF_SPACE;
  bool cut = a->geom.kind == FF_INTERSECTION || b->geom.kind == FF_INTERSECTION;
  double round = quasi->model->bindings[near->binding].round;
  return rim ||
         (has_edges(a) && has_edges(b) && (!cut || ff_geom_is_rounded(&a->geom, &b->geom, round)));
}

/* ---- places -----------------------------------------------------------------------------------
 */

/* A place where two shapes touch, or may. */
typedef struct place {
  ff_touch touch;
  bool flown;        /* seen where free flight ends, else where the pair was seen */
  int slot;          /* its point, among those of the pair; -1: none yet */
  int memory;        /* the point that it goes on from, among these; or */
  bool fresh;        /* nobody knows it yet: */
  double deflection; /* m, what its layer was pressed by */
} place;

typedef struct places {
  const ff_near *near;
  const ff_point *points;            /* of the pair */
  ff_pose start[2], seen[2], end[2]; /* of the step, of where they were seen, and of free flight */
  double size;
  place list[FF_TOUCH_MAX];
  int count;
  bool used[FF_TOUCH_MAX]; /* points that have a place */
} places;

/* Else a touch is known by its name alone. */
static bool has_spot(const ff_touch *touch) {
  return ff_spot_lasts(&touch->spot);
}

/* Is a touch where another is? */
static bool is_same_place(const places *of, const ff_touch *s, const ff_touch *t) {
  return (has_spot(s) && ff_spot_is_same(&s->spot, &t->spot)) ||
         (v3_norm(v3_sub(s->point, t->point)) < SAME * of->size &&
          v3_dot(s->normal, t->normal) > 0.99);
}

/* Room for one more: if there is none, that of the one which is farthest from touching. NULL: all
 * touch. */
static place *room_for(places *of) {
  if (of->count < of->near->point_count) {
    return &of->list[of->count++];
  }
  place *worst = NULL;
  for (int i = 0; i < of->count; i++) {
    place *it = &of->list[i];
    bool shallow = has_spot(&it->touch) && !(it->touch.depth > 0);
    worst = shallow && (!worst || it->touch.depth < worst->touch.depth) ? it : worst;
  }
  if (worst && worst->slot >= 0) {
    of->used[worst->slot] = false;
  }
  return worst;
}

/* Gives a place its point; -1: none yet. */
static void take(places *of, place *it, int slot) {
  it->slot = slot;
  if (slot >= 0) {
    of->used[slot] = true;
  }
}

static void add_place(places *of, const ff_touch *touch, bool flown, int slot) {
  place *to = room_for(of);
  if (to) {
    *to = (place){.touch = *touch, .flown = flown};
    take(of, to, slot);
  }
}

/* A touch looked at again where the bodies start. */
static bool look_at_start(const ff_quasi *quasi, const places *of, ff_touch *touch) {
  return ff_near_look(quasi->model, of->near, &of->start[0], &of->start[1], touch);
}

/* The point that a spot has already, touching or not; -1: none. */
static int own_slot(const places *of, const ff_touch *touch, bool touching) {
  for (int k = 0; k < of->near->point_count; k++) {
    const ff_point *point = &of->points[k];
    if (!of->used[k] && point->touching == touching && !point->loose &&
        ff_spot_is_same(&point->spot, &touch->spot)) {
      return k;
    }
  }
  return -1;
}

/* That of a spot next to it, as these were where the step starts, which has gone; -1: none. */
static int followed_slot(const places *of, ff_vec3 start) {
  double nearest = FOLLOWS * of->size;
  int slot = -1;
  for (int k = 0; k < of->near->point_count; k++) {
    double way = v3_norm(v3_sub(of->points[k].point, start));
    if (of->points[k].touching && !of->used[k] && way < nearest) {
      nearest = way;
      slot = k;
    }
  }
  return slot;
}

/* Any, rather one that is at rest; -1: none. */
static int spare_slot(const places *of, int wish) {
  int best = -1, most = 0;
  for (int k = 0; k < of->near->point_count; k++) {
    int good = of->used[k] ? 0 : of->points[k].touching ? 1 : !of->points[k].loose ? 2 : 3;
    if (good > most || (good == most && k == wish && good > 0)) {
      most = good;
      best = k;
    }
  }
  return best;
}

/* Points for places that have but a name, */
static void take_named(places *of) {
  for (int i = 0; i < of->count; i++) {
    place *it = &of->list[i];
    if (it->slot < 0 && !has_spot(&it->touch)) {
      take(of, it, it->touch.feature);
    }
  }
}

/* for those that are known already, */
static void take_own(places *of) {
  for (int i = 0; i < of->count; i++) {
    place *it = &of->list[i];
    if (it->slot < 0) {
      take(of, it, own_slot(of, &it->touch, true));
    }
  }
}

/* for those that follow others, */
static void take_followed(const ff_quasi *quasi, places *of) {
  for (int i = 0; i < of->count; i++) {
    place *it = &of->list[i];
    if (it->slot < 0) {
      ff_touch start = it->touch;
      look_at_start(quasi, of, &start);
      take(of, it, followed_slot(of, start.point));
    }
  }
}

/* and for all others. A layer may still recover from when it was pressed last. */
static void take_spare(const ff_quasi *quasi, places *of) {
  for (int i = 0; i < of->count; i++) {
    place *it = &of->list[i];
    if (it->slot < 0) {
      ff_touch start = it->touch;
      int own = own_slot(of, &it->touch, false);
      it->fresh = true;
      it->deflection = look_at_start(quasi, of, &start) ? greater(start.depth, 0) : 0;
      it->deflection =
          own < 0 ? it->deflection : greater(it->deflection, of->points[own].deflection);
      take(of, it, own < 0 ? spare_slot(of, it->touch.feature) : own);
    }
  }
}

/* ---- gathering --------------------------------------------------------------------------------
 */

/* Is a touch listed already? only: its very spot, not just another in the same place. */
static bool is_listed(const places *of, const ff_touch *touch, bool only) {
  for (int i = 0; i < of->count; i++) {
    const ff_touch *it = &of->list[i].touch;
    if (only ? ff_spot_is_same(&it->spot, &touch->spot) : is_same_place(of, it, touch)) {
      return true;
    }
  }
  return false;
}

/* What geometry lists where the pair was seen. */
static void add_seen(const ff_quasi *quasi, places *of, double margin) {
  ff_touch touches[FF_TOUCH_MAX];
  int count = ff_near_touch(quasi->model, of->near, &of->seen[0], &of->seen[1], margin, touches);
  for (int i = 0; i < count; i++) {
    bool far = false; /* it stands in for a name that is nowhere */
    for (int k = 0; k < count; k++) {
      far = far || (has_spot(&touches[i]) && touches[k].depth > touches[i].depth &&
                    ff_spot_is_same(&touches[i].spot, &touches[k].spot));
    }
    if (!far) {
      add_place(of, &touches[i], false, -1);
    }
  }
}

/* Parts that pressed in the step before, or in the look before, and still overlap. */
static void add_pressed(const ff_quasi *quasi, places *of) {
  for (int k = 0; k < of->near->point_count; k++) {
    const ff_quasi_found *found = &quasi->found[of->near->first_point + k];
    const ff_point *point = &of->points[k];
    ff_touch touch = {.spot = point->spot, .normal = point->normal};
    bool pressed = point->touching && point->force_n > 0 && !of->used[k];
    if (quasi->again > 0) {
      touch = found->touch;
      pressed = found->look == quasi->looks && found->pressed;
    }
    touch.feature = -1; /* no name of now */
    if (pressed && has_spot(&touch) &&
        ff_near_look(quasi->model, of->near, &of->seen[0], &of->seen[1], &touch) &&
        touch.depth > 0 && !is_listed(of, &touch, quasi->again > 1)) {
      add_place(of, &touch, false, own_slot(of, &touch, true));
    }
  }
}

/* Is what free flight adds at the same place as one of the others gets to? Two that are one would
 * share their load in no particular way. */
static bool is_there(const ff_quasi *quasi, const places *of, const ff_pose end[2], int seen,
                     const ff_touch *touch) {
  for (int i = 0; i < seen; i++) {
    ff_touch now = of->list[i].touch;
    if (has_spot(&now)) {
      ff_near_look(quasi->model, of->near, &end[0], &end[1], &now);
      if (is_same_place(of, &now, touch)) {
        return true;
      }
    }
  }
  return false;
}

/* Can what free flight leads to, so deep that it has but a name, take part? Contact will not lead
 * there if parts are known. */
static bool is_out(const places *of, const ff_touch *touch, int seen) {
  bool out = !has_spot(touch) && of->used[touch->feature];
  for (int k = 0; k < seen; k++) {
    out = out || (has_spot(&of->list[k].touch) && touch->spot.kind == FF_SPOT_NONE);
  }
  return out;
}

/* What free flight adds, under other names. */
static void add_late(const ff_quasi *quasi, places *of, const ff_pose end[2], double margin) {
  ff_touch touches[FF_TOUCH_MAX];
  int count = ff_near_touch(quasi->model, of->near, &end[0], &end[1], margin, touches);
  int seen = of->count;
  for (int i = 0; i < count; i++) {
    bool known = is_there(quasi, of, end, seen, &touches[i]) || is_out(of, &touches[i], seen);
    for (int k = 0; k < seen; k++) {
      known = known || of->list[k].touch.feature == touches[i].feature;
    }
    if (!known) {
      add_place(of, &touches[i], true, -1);
    }
  }
}

/* m, how deep a touch without a spot was where the step starts, if it kept its place on both. */
static double depth_at_start(const places *of, const place *it) {
  const ff_pose *at = it->flown ? of->end : of->seen;
  const ff_touch *touch = &it->touch;
  ff_vec3 apart[2], n = q_unrotate(at[1].orientation, touch->normal);
  for (int s = 0; s < 2; s++) {
    double out = (s == 0 ? -0.5 : 0.5) * touch->depth;
    ff_vec3 on = v3_sub(v3_axpy(touch->point, out, touch->normal), at[s].position);
    apart[s] = pose_point(of->start[s], q_unrotate(at[s].orientation, on));
  }
  return -v3_dot(q_rotate(of->start[1].orientation, n), v3_sub(apart[0], apart[1]));
}

/* Where touches without a spot go on from: their own points, if these are still next to them, or
 * the nearest of those that have gone and were so. Names change with the face that gives them. Of
 * others it is known how deep they were. */
static void remember_named(places *of) {
  for (int i = 0; i < of->count; i++) {
    place *it = &of->list[i];
    it->memory = it->slot;
    if (has_spot(&it->touch)) {
      continue;
    }
    const ff_point *own = &of->points[it->slot];
    bool stays = own->touching && v3_norm(v3_sub(own->point, it->touch.point)) < FOLLOWS * of->size;
    if (!stays) {
      it->memory = followed_slot(of, it->touch.point);
      it->fresh = it->memory < 0;
      double left = own->touching ? 0 : own->deflection; /* as it recovers */
      it->deflection = it->fresh ? greater(depth_at_start(of, it), left) : 0;
    }
  }
}

bool ff_quasi_gather_flat(ff_quasi *quasi, const ff_meet *meet, int n, double margin) {
  const ff_near *near = &quasi->state->nears[n];
  const ff_quasi_body *a = &quasi->bodies[meet->a], *b = &quasi->bodies[meet->b];
  const ff_pose end[2] = {a->end.pose, b->end.pose};
  places of = {.near = near,
               .points = &quasi->state->points[near->first_point],
               .start = {{a->x, a->q}, {b->x, b->q}},
               .seen = {a->seen, b->seen},
               .end = {end[0], end[1]},
               .size = quasi->model->bodies[meet->a].bound};
  add_seen(quasi, &of, margin);
  int seen = of.count;
  take_named(&of);
  take_own(&of);
  take_followed(quasi, &of);
  add_pressed(quasi, &of);
  if (quasi->again == 0 || seen == 0) {
    add_late(quasi, &of, end, margin);
    take_named(&of);
    take_own(&of);
    take_followed(quasi, &of);
  }
  take_spare(quasi, &of);
  remember_named(&of);
  for (int slot = 0; slot < near->point_count; slot++) {
    for (int i = 0; i < of.count; i++) {
      const place *it = &of.list[i];
      if (it->slot == slot && !ff_quasi_add_fixed(quasi, meet, n, &it->touch, slot,
                                                  it->fresh ? -1 : near->first_point + it->memory,
                                                  it->deflection, it->flown)) {
        return false;
      }
    }
  }
  return true;
}

/* ---- where the step ends ------------------------------------------------------------------------
 */

static bool pushes(const ff_quasi_contact *contact) {
  return contact->p_ns > 0 || contact->e.z[0] > 0;
}

/* Is the contact another than what is seen now? Parts that are as deep as one another may have
 * normals that differ by as much as faces that lie on each other lean: friction that holds does not
 * mind. */
static bool is_other(const ff_quasi_contact *contact, const ff_touch *now) {
  const double *p = contact->e.z + 1;
  double used = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  bool slips = used > (1 - 1e-3) * contact->cone->mu * (contact->p_ns + contact->e.z[0]);
  double turned = v3_norm(v3_sub(now->normal, contact->touch.normal));
  double deeper = fabs(now->depth - contact->touch.depth);
  return !(deeper <= 1e-8 * fabs(contact->touch.depth) && turned <= (slips ? 1e-9 : 1e-2));
}

/* Was a touch at the end solved for? */
static bool is_solved(const ff_quasi *quasi, const ff_quasi_contact *first, int known,
                      const ff_touch *now) {
  const ff_near *near = &quasi->state->nears[first->near];
  double close = SAME * quasi->model->bodies[first->e.a].bound;
  for (int c = 0; c < known; c++) {
    const ff_touch *touch = &first[c].touch;
    bool same = has_spot(now)
                    ? ff_spot_is_same(&touch->spot, &now->spot) ||
                          (has_spot(touch) && v3_norm(v3_sub(touch->point, now->point)) < close)
                    : first[c].point == near->first_point + now->feature;
    if (same && !is_other(&first[c], now)) {
      return true;
    }
  }
  return false;
}

/* Is a contact that pushes where nothing touches? Where two are nearest they do, but points of
 * intersections beside that go by their names. */
static bool is_nowhere(const ff_quasi *quasi, const ff_quasi_contact *contact,
                       const ff_touch *touches, int count) {
  ff_touch touch = contact->touch;
  bool named = touch.spot.kind == FF_SPOT_NONE;
  for (int i = 0; i < count; i++) {
    named = named || (!has_spot(&touch) && touches[i].spot.kind == FF_SPOT_NONE);
    if (has_spot(&touch) && ff_spot_is_same(&touches[i].spot, &touch.spot)) {
      return false;
    }
  }
  if (named) {
    const ff_touch *found = ff_quasi_find_touch(quasi, contact, touches, count);
    return !found || found->spot.kind != touch.spot.kind;
  }
  const ff_pose *a = &quasi->bodies[contact->e.a].end.pose;
  const ff_pose *b = &quasi->bodies[contact->e.b].end.pose;
  return !ff_near_look(quasi->model, &quasi->state->nears[contact->near], a, b, &touch);
}

static bool is_changed(const ff_quasi *quasi, const ff_quasi_contact *first, int known) {
  ff_touch touches[FF_TOUCH_MAX];
  const ff_near *near = &quasi->state->nears[first->near];
  int count = ff_near_touch(quasi->model, near, &quasi->bodies[first->e.a].end.pose,
                            &quasi->bodies[first->e.b].end.pose, 0, touches);
  for (int i = 0; i < count; i++) {
    if (!is_solved(quasi, first, known, &touches[i])) {
      return true;
    }
  }
  for (int c = 0; c < known; c++) {
    if (pushes(&first[c]) && is_nowhere(quasi, &first[c], touches, count)) {
      return true;
    }
  }
  return false;
}

bool ff_quasi_changed(const ff_quasi *quasi) {
  for (int k = 0; k < quasi->contact_count;) {
    const ff_quasi_contact *first = &quasi->contacts[k];
    int known = ff_quasi_alike(quasi, first);
    k += known;
    if (first->fixed && is_changed(quasi, first, known)) {
      return true;
    }
  }
  return false;
}
