/* Manifold selection between shapes with edges: which feature pairs take part in a quasi-rigid
 * step.
 *
 * Geometry gives the manifold of two shapes at a pose, reduced: of neighbouring points the deepest,
 * of those between two faces the outermost. A step that is solved for such a manifold often ends
 * where the manifold is another, and one that is solved for that ends where it is the first again.
 * Both are right: the bodies overlap in both places, and both must push. So feature pairs that
 * pressed stay for as long as they overlap, and a step is accepted if all points of the manifold of
 * its end were solved for and all that push are there.
 *
 * A point of the state belongs to a feature pair and keeps its state as long as this touches. A new
 * feature pair gets a point of its own, or that of one which it follows. The deflection of its
 * layer is the depth of the feature pair at the start of the step.
 */
#include "math/vec.h"
#include "step/quasi/contact_geometry.h"
#include "step/quasi/step.h"

#include <string.h>

#define FOLLOWS 0.05 /* of a body's size: a feature pair this close takes the place of another */
enum { SAMPLE_RESELECTIONS = 3 }; /* times samples of polyhedra are selected anew in a step */

#define SAME 1e-3 /* of that: two points this close are one */

/* ---- feature pairs and points ----------------------------------------------------------- */

/* A feature pair that touches, or may. */
typedef struct feature_choice {
  ff_touch touch;
  bool at_free_end;  /* touch is of the end of free flight; else of the feature poses */
  int slot;          /* its point, among those of the pair; -1: none yet */
  int inherits;      /* the point whose state it inherits, among these; unless */
  bool fresh;        /* it is new: */
  double deflection; /* m, then of its layer at the start */
} feature_choice;

typedef struct manifold_choice {
  const ff_near *pair;
  const ff_point *points;            /* of the pair */
  ff_pose start[2], seen[2], end[2]; /* start of the step, feature poses, end of free flight */
  double size;                       /* m */
  feature_choice list[FF_TOUCH_MAX];
  int count;
  bool used[FF_TOUCH_MAX]; /* points that are assigned */
} manifold_choice;

/* Have two touches the same features, or the same point and normal? */
static bool is_same_point(const manifold_choice *of, const ff_touch *s, const ff_touch *t) {
  return (ff_quasi_has_features(s) && ff_quasi_same_features(&s->spot, &t->spot)) ||
         (v3_norm(v3_sub(s->point, t->point)) < SAME * of->size &&
          v3_dot(s->normal, t->normal) > 0.99);
}

/* Entry for one more feature pair: a free one, or that of the shallowest. NULL: all touch. */
static feature_choice *new_choice(manifold_choice *of) {
  if (of->count < of->pair->point_count) {
    return &of->list[of->count++];
  }
  feature_choice *worst = NULL;
  for (int i = 0; i < of->count; i++) {
    feature_choice *it = &of->list[i];
    bool shallow = ff_quasi_has_features(&it->touch) && !(it->touch.depth > 0);
    worst = shallow && (!worst || it->touch.depth < worst->touch.depth) ? it : worst;
  }
  if (worst && worst->slot >= 0) {
    of->used[worst->slot] = false;
  }
  return worst;
}

/* Assigns a point; -1: none yet. */
static void assign_point(manifold_choice *of, feature_choice *it, int slot) {
  it->slot = slot;
  if (slot >= 0) {
    of->used[slot] = true;
  }
}

static void add_choice(manifold_choice *of, const ff_touch *touch, bool at_free_end, int slot) {
  feature_choice *to = new_choice(of);
  if (to) {
    *to = (feature_choice){.touch = *touch, .at_free_end = at_free_end};
    assign_point(of, to, slot);
  }
}

/* A feature pair at the start of the step. False: it did not touch. */
static bool evaluate_at_start(const quasi_problem *problem, const manifold_choice *of,
                              ff_touch *touch) {
  return ff_quasi_evaluate_features(problem, of->pair, &of->start[0], &of->start[1], touch);
}

/* The free point that has these features already, touching or not; -1: none. */
static int find_own_point(const manifold_choice *of, const ff_touch *touch, bool touching) {
  for (int k = 0; k < of->pair->point_count; k++) {
    const ff_point *point = &of->points[k];
    if (!of->used[k] && point->touching == touching && !point->loose &&
        ff_quasi_same_features(&point->spot, &touch->spot)) {
      return k;
    }
  }
  return -1;
}

/* The closest free point that touched at the start, within FOLLOWS; -1: none. */
static int find_followed_point(const manifold_choice *of, ff_vec3 start) {
  double nearest = FOLLOWS * of->size;
  int slot = -1;
  for (int k = 0; k < of->pair->point_count; k++) {
    double way = v3_norm(v3_sub(of->points[k].point, start));
    if (of->points[k].touching && !of->used[k] && way < nearest) {
      nearest = way;
      slot = k;
    }
  }
  return slot;
}

/* Any free point, preferably one whose layer has recovered; -1: none. */
static int find_spare_point(const manifold_choice *of, int wish) {
  int best = -1, most = 0;
  for (int k = 0; k < of->pair->point_count; k++) {
    int good = of->used[k] ? 0 : of->points[k].touching ? 1 : !of->points[k].loose ? 2 : 3;
    if (good > most || (good == most && k == wish && good > 0)) {
      most = good;
      best = k;
    }
  }
  return best;
}

/* Points of touches without features, by number; of feature pairs that have one; and of those that
 * follow another. */
static void assign_known(const quasi_problem *problem, manifold_choice *of) {
  for (int pass = 0; pass < 3; pass++) {
    for (int i = 0; i < of->count; i++) {
      feature_choice *it = &of->list[i];
      if (it->slot >= 0 || (pass == 0 && ff_quasi_has_features(&it->touch))) {
        continue;
      }
      ff_touch start = it->touch;
      if (pass == 2) {
        evaluate_at_start(problem, of, &start);
      }
      assign_point(of, it,
                   pass == 0   ? it->touch.feature
                   : pass == 1 ? find_own_point(of, &it->touch, true)
                               : find_followed_point(of, start.point));
    }
  }
}

/* Points of the remaining, new feature pairs. Their layers may still recover from an earlier
 * contact. */
static void assign_spare(const quasi_problem *problem, manifold_choice *of) {
  for (int i = 0; i < of->count; i++) {
    feature_choice *it = &of->list[i];
    if (it->slot < 0) {
      ff_touch start = it->touch;
      int own = find_own_point(of, &it->touch, false);
      it->fresh = true;
      it->deflection = evaluate_at_start(problem, of, &start) ? greater(start.depth, 0) : 0;
      it->deflection =
          own < 0 ? it->deflection : greater(it->deflection, of->points[own].deflection);
      assign_point(of, it, own < 0 ? find_spare_point(of, it->touch.feature) : own);
    }
  }
}

/* ---- selection -------------------------------------------------------------------------- */

/* Is a touch chosen already? only: by its features, not by its point. */
static bool is_chosen(const manifold_choice *of, const ff_touch *touch, bool only) {
  for (int i = 0; i < of->count; i++) {
    const ff_touch *it = &of->list[i].touch;
    if (only ? ff_quasi_same_features(&it->spot, &touch->spot) : is_same_point(of, it, touch)) {
      return true;
    }
  }
  return false;
}

/* The manifold at the feature poses. */
static void choose_manifold(const quasi_problem *problem, manifold_choice *of, double margin) {
  ff_touch touches[FF_TOUCH_MAX];
  int count = ff_quasi_touches(problem, of->pair, &of->seen[0], &of->seen[1], margin, touches);
  for (int i = 0; i < count; i++) {
    bool far = false; /* a shallower copy of a feature pair */
    for (int k = 0; k < count; k++) {
      far = far || (ff_quasi_has_features(&touches[i]) && touches[k].depth > touches[i].depth &&
                    ff_quasi_same_features(&touches[i].spot, &touches[k].spot));
    }
    if (!far) {
      add_choice(of, &touches[i], false, -1);
    }
  }
}

/* Feature pairs that pressed in the step before, or in the previous pass, and still overlap. */
static void choose_pressed(const quasi_step *step, manifold_choice *of) {
  const quasi_problem *problem = &step->problem;
  for (int k = 0; k < of->pair->point_count; k++) {
    const quasi_pass_result *result = &step->results[of->pair->first_point + k];
    const ff_point *point = &of->points[k];
    ff_touch touch = {.spot = point->spot, .normal = point->normal};
    bool pressed = point->touching && point->force_n > 0 && !of->used[k];
    if (step->reselections > 0) {
      touch = result->touch;
      pressed = result->pass == step->pass && result->pressed;
    }
    touch.feature = -1; /* not one of the present manifold */
    if (pressed && ff_quasi_has_features(&touch) &&
        ff_quasi_evaluate_features(problem, of->pair, &of->seen[0], &of->seen[1], &touch) &&
        touch.depth > 0 && !is_chosen(of, &touch, step->reselections > 1)) {
      add_choice(of, &touch, false, find_own_point(of, &touch, true));
    }
  }
}

/* Does a chosen feature pair reach this touch at the end of free flight? Two contacts in the same
 * point would share their load arbitrarily. */
static bool is_chosen_at_end(const quasi_problem *problem, const manifold_choice *of,
                             const ff_pose end[2], int seen, const ff_touch *touch) {
  for (int i = 0; i < seen; i++) {
    ff_touch now = of->list[i].touch;
    if (ff_quasi_has_features(&now)) {
      ff_quasi_evaluate_features(problem, of->pair, &end[0], &end[1], &now);
      if (is_same_point(of, &now, touch)) {
        return true;
      }
    }
  }
  return false;
}

/* A touch without features, so deep is the overlap at the end of free flight: superseded if its
 * number is taken, or if features are known, since contact will keep the bodies from there. */
static bool is_superseded(const manifold_choice *of, const ff_touch *touch, int seen) {
  bool out = !ff_quasi_has_features(touch) && of->used[touch->feature];
  for (int k = 0; k < seen; k++) {
    out = out || (ff_quasi_has_features(&of->list[k].touch) && touch->spot.kind == FF_SPOT_NONE);
  }
  return out;
}

/* What the manifold at the end of free flight adds. */
static void choose_at_free_end(const quasi_problem *problem, manifold_choice *of,
                               const ff_pose end[2], double margin) {
  ff_touch touches[FF_TOUCH_MAX];
  int count = ff_quasi_touches(problem, of->pair, &end[0], &end[1], margin, touches);
  int seen = of->count;
  for (int i = 0; i < count; i++) {
    bool known = is_chosen_at_end(problem, of, end, seen, &touches[i]) ||
                 is_superseded(of, &touches[i], seen);
    for (int k = 0; k < seen; k++) {
      known = known || of->list[k].touch.feature == touches[i].feature;
    }
    if (!known) {
      add_choice(of, &touches[i], true, -1);
    }
  }
}

/* m, depth at the start of a touch without features, as a point of a over a plane of b. */
static double depth_of_point_at_start(const manifold_choice *of, const feature_choice *it) {
  const ff_pose *at = it->at_free_end ? of->end : of->seen;
  const ff_touch *touch = &it->touch;
  ff_vec3 apart[2], n = q_unrotate(at[1].orientation, touch->normal);
  for (int s = 0; s < 2; s++) {
    double out = (s == 0 ? -0.5 : 0.5) * touch->depth;
    ff_vec3 on = v3_sub(v3_axpy(touch->point, out, touch->normal), at[s].position);
    apart[s] = pose_point(of->start[s], q_unrotate(at[s].orientation, on));
  }
  return -v3_dot(q_rotate(of->start[1].orientation, n), v3_sub(apart[0], apart[1]));
}

/* State that touches without features inherit: of their own point, if it is still close, else of
 * the closest free one. Their numbers change with the reference face. Of new ones the depth at the
 * start is known. */
static void inherit_numbered(manifold_choice *of) {
  for (int i = 0; i < of->count; i++) {
    feature_choice *it = &of->list[i];
    it->inherits = it->slot;
    if (ff_quasi_has_features(&it->touch)) {
      continue;
    }
    const ff_point *own = &of->points[it->slot];
    bool stays = own->touching && v3_norm(v3_sub(own->point, it->touch.point)) < FOLLOWS * of->size;
    if (!stays) {
      it->inherits = find_followed_point(of, it->touch.point);
      it->fresh = it->inherits < 0;
      double left = own->touching ? 0 : own->deflection; /* recovering */
      it->deflection = it->fresh ? greater(depth_of_point_at_start(of, it), left) : 0;
    }
  }
}

bool ff_quasi_select_manifold(quasi_step *step, const ff_meet *meet, int n, double margin) {
  const quasi_problem *problem = &step->problem;
  const ff_near *pair = &problem->state->nears[n];
  const quasi_body *a = &problem->bodies[meet->a], *b = &problem->bodies[meet->b];
  const ff_pose end[2] = {a->end.pose, b->end.pose};
  manifold_choice of = {.pair = pair,
                        .points = &problem->state->points[pair->first_point],
                        .start = {{a->x0, a->q0}, {b->x0, b->q0}},
                        .seen = {a->feature_pose, b->feature_pose},
                        .end = {end[0], end[1]},
                        .size = problem->model->bodies[meet->a].bound};
  choose_manifold(problem, &of, margin);
  int seen = of.count;
  assign_known(problem, &of);
  choose_pressed(step, &of);
  if (step->reselections == 0 || seen == 0) {
    choose_at_free_end(problem, &of, end, margin);
    assign_known(problem, &of);
  }
  assign_spare(problem, &of);
  inherit_numbered(&of);
  for (int slot = 0; slot < pair->point_count; slot++) {
    for (int i = 0; i < of.count; i++) {
      const feature_choice *it = &of.list[i];
      if (it->slot == slot &&
          !ff_quasi_add_fixed_contact(step, meet, n, &it->touch, slot,
                                      it->fresh ? -1 : pair->first_point + it->inherits,
                                      it->deflection, it->at_free_end)) {
        return false;
      }
    }
  }
  return true;
}

/* ---- check at the end ------------------------------------------------------------------- */

/* Do depth or normal of a contact differ from those of a touch? Feature pairs of the same depth may
 * have normals that differ by the angle of two nearly parallel faces, which sticking friction
 * tolerates. */
static bool contact_differs(const quasi_contact *contact, const ff_touch *now) {
  const double *p = contact->e.z + 1;
  double used = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  bool slips = used > (1 - 1e-3) * contact->cone->mu * (contact->p_ns + contact->e.z[0]);
  double turned = v3_norm(v3_sub(now->normal, contact->touch.normal));
  double deeper = fabs(now->depth - contact->touch.depth);
  return !(deeper <= 1e-8 * fabs(contact->touch.depth) && turned <= (slips ? 1e-9 : 1e-2));
}

/* Was a touch at the end solved for? */
static bool touch_is_solved(const quasi_problem *problem, const quasi_contact *first, int known,
                            const ff_touch *now) {
  const ff_near *pair = &problem->state->nears[first->pair];
  double close = SAME * problem->model->bodies[first->e.a].bound;
  for (int c = 0; c < known; c++) {
    const ff_touch *touch = &first[c].touch;
    bool same = ff_quasi_has_features(now) ? ff_quasi_same_features(&touch->spot, &now->spot) ||
                                                 (ff_quasi_has_features(touch) &&
                                                  v3_norm(v3_sub(touch->point, now->point)) < close)
                                           : first[c].point == pair->first_point + now->feature;
    if (same && !contact_differs(&first[c], now)) {
      return true;
    }
  }
  return false;
}

/* Is a contact that pushes absent from the manifold? Without lasting features it is identified by
 * its number. */
static bool pushes_nowhere(const quasi_problem *problem, const quasi_contact *contact,
                           const ff_touch *touches, int count) {
  ff_touch touch = contact->touch;
  bool numbered = touch.spot.kind == FF_SPOT_NONE;
  for (int i = 0; i < count; i++) {
    numbered = numbered || (!ff_quasi_has_features(&touch) && touches[i].spot.kind == FF_SPOT_NONE);
    if (ff_quasi_has_features(&touch) && ff_quasi_same_features(&touches[i].spot, &touch.spot)) {
      return false;
    }
  }
  if (numbered) {
    const ff_touch *found = ff_quasi_find_touch(problem, contact, touches, count);
    return !found || found->spot.kind != touch.spot.kind;
  }
  const ff_pose *a = &problem->bodies[contact->e.a].end.pose;
  const ff_pose *b = &problem->bodies[contact->e.b].end.pose;
  return !ff_quasi_evaluate_features(problem, &problem->state->nears[contact->pair], a, b, &touch);
}

static bool pair_changed(const quasi_problem *problem, const quasi_contact *first, int known) {
  ff_touch touches[FF_TOUCH_MAX];
  const ff_near *pair = &problem->state->nears[first->pair];
  int count = ff_quasi_touches(problem, pair, &problem->bodies[first->e.a].end.pose,
                               &problem->bodies[first->e.b].end.pose, 0, touches);
  for (int i = 0; i < count; i++) {
    if (!touch_is_solved(problem, first, known, &touches[i])) {
      return true;
    }
  }
  for (int c = 0; c < known; c++) {
    bool pushes = first[c].p_ns > 0 || first[c].e.z[0] > 0;
    if (pushes && pushes_nowhere(problem, &first[c], touches, count)) {
      return true;
    }
  }
  return false;
}

bool ff_quasi_manifold_changed(const quasi_problem *problem, int reselections) {
  for (int k = 0; k < problem->contact_count;) {
    const quasi_contact *first = &problem->contacts[k];
    int known = quasi_pair_size(problem, first);
    k += known;
    bool samples = first->touch.id.kind != FF_PAIR_NONE;
    if (samples
            ? ff_quasi_samples_changed(problem, first, known, reselections >= SAMPLE_RESELECTIONS)
            : first->fixed && pair_changed(problem, first, known)) {
      return true;
    }
  }
  return false;
}
