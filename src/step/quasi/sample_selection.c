/* Sample selection: samples of the manifold of two shapes with features (geom/manifold.h) that take
 * part in a quasi-rigid step.
 *
 * The list of samples, with their weights, is that of the manifold where the bodies start, or where
 * the previous pass of the step ended, and is constant while the step is solved: Newton's method
 * evaluates the same feature pairs at every iterate. A step that ends where another list holds is
 * solved again with that list, if the weight of a place changes by more than RESELECT; where lists
 * alternate, the last one stays, since they differ in weights of samples at nearly the same depth.
 *
 * A point of the state belongs to a feature pair and keeps its layer as long as that touches. A new
 * feature pair inherits the layer of one that vanished at nearly the same place, or starts as deep
 * as it was at the start of the step. */
#include "geom/facets.h"
#include "math/vec.h"
#include "step/quasi/contact_geometry.h"
#include "step/quasi/step.h"

#define INHERIT    1e-2 /* of a body's size: a vanished sample this close hands over its layer */
#define SAME_PLACE 1e-2 /* of a body's size: weights of samples this close count together */
#define SAME_DEPTH 1e-7 /* of a body's size: change of a depth by prisms that turn in a step */
#define MISSED     0.4 /* law units: weight of a place that must not be missed; the audit has 0.5 */
#define RESELECT   0.25 /* law units: change of the weight of a place that matters */

enum {
  SAMPLE_RESELECTIONS = 3, /* times samples are selected anew in a step, */
  CROWD_RESELECTIONS = 2   /* and those of large islands */
};

/* Samples of a pair and the slots of their points. */
typedef struct sample_slots {
  const ff_near *pair;
  const ff_point *points;
  const ff_layer_point *layers; /* of the same points */
  double size;                  /* m, of body a */
  ff_touch list[FF_TOUCH_MAX];
  int count;
  int slot[FF_TOUCH_MAX];   /* of each sample; -1: none yet */
  bool fresh[FF_TOUCH_MAX]; /* no point's state is inherited */
  bool used[FF_TOUCH_MAX];  /* of each slot */
} sample_slots;

static void take_slot(sample_slots *of, int sample, int slot) {
  of->slot[sample] = slot;
  if (slot >= 0) {
    of->used[slot] = true;
  }
}

/* The slot of the same feature pair; -1: none. */
static int own_slot(const sample_slots *of, const ff_touch *sample) {
  for (int k = 0; k < of->pair->point_count; k++) {
    const ff_point *point = &of->points[k];
    if (!of->used[k] && (point->touching || !of->layers[k].loose) &&
        ff_feature_pair_equal(point->id, sample->id)) {
      return k;
    }
  }
  return -1;
}

/* The slot of the nearest touching point whose feature pair vanished; -1: none is near. */
static int vanished_slot(const sample_slots *of, const ff_touch *sample) {
  double nearest = INHERIT * of->size;
  int slot = -1;
  for (int k = 0; k < of->pair->point_count; k++) {
    double way = v3_norm(v3_sub(of->points[k].point, sample->point));
    if (!of->used[k] && of->points[k].touching && way < nearest) {
      nearest = way;
      slot = k;
    }
  }
  return slot;
}

/* A slot without state, else any; -1: all are used. */
static int free_slot(const sample_slots *of) {
  int spare = -1;
  for (int k = 0; k < of->pair->point_count; k++) {
    if (!of->used[k] && (of->layers[k].loose || !of->points[k].known)) {
      return k;
    }
    spare = spare < 0 && !of->used[k] ? k : spare;
  }
  return spare;
}

static void assign_slots(sample_slots *of) {
  for (int i = 0; i < of->count; i++) {
    take_slot(of, i, own_slot(of, &of->list[i]));
  }
  for (int i = 0; i < of->count; i++) {
    if (of->slot[i] < 0) {
      take_slot(of, i, vanished_slot(of, &of->list[i]));
    }
  }
  for (int i = 0; i < of->count; i++) {
    of->fresh[i] = of->slot[i] < 0;
    if (of->fresh[i]) {
      take_slot(of, i, free_slot(of));
    }
  }
}

/* m, >= 0: overlap of a pair at the start of the step. A feature pair that does not face the other
 * shape there may seem deeper. */
static double depth_at_start(const quasi_problem *problem, const ff_near *pair,
                             const ff_pose start[2]) {
  ff_touch touches[FF_TOUCH_MAX];
  double deepest = 0;
  int count = ff_quasi_touches(problem, pair, &start[0], &start[1], 0, touches);
  for (int i = 0; i < count; i++) {
    deepest = greater(deepest, touches[i].depth);
  }
  return deepest;
}

/* Weight of all samples near a place. */
static double weight_near(const ff_touch *touches, int count, ff_vec3 place, double close) {
  double sum = 0;
  for (int i = 0; i < count; i++) {
    sum += v3_norm(v3_sub(touches[i].point, place)) < close ? touches[i].weight : 0;
  }
  return sum;
}

/* Adds samples that pressed in the previous pass where the list has less than half of their weight:
 * the list of one pass leads to the other's, and both places must push. */
static void keep_pressed(const quasi_step *step, sample_slots *of) {
  int listed = of->count;
  for (int k = 0; k < of->pair->point_count && of->count < of->pair->point_count; k++) {
    const quasi_pass_result *result = &step->results[of->pair->first_point + k];
    if (result->pass == step->pass && result->pressed &&
        weight_near(of->list, listed, result->touch.point, SAME_PLACE * of->size) <
            0.5 * result->touch.weight) {
      of->list[of->count++] = result->touch;
    }
  }
}

bool ff_quasi_select_samples(quasi_step *step, const ff_meet *meet, int n, double margin) {
  const quasi_problem *problem = &step->problem;
  const ff_near *pair = &problem->state->nears[n];
  const quasi_body *a = &problem->bodies[meet->a], *b = &problem->bodies[meet->b];
  const ff_pose start[2] = {a->start.pose, b->start.pose};
  sample_slots of;
  of.pair = pair;
  of.points = &problem->state->points[pair->first_point];
  of.layers = ff_state_layer_point(problem->state, of.points);
  of.size = problem->model->bodies[meet->a].bound;
  of.count = ff_quasi_touches(problem, pair, &a->feature_pose, &b->feature_pose, margin, of.list);
  bool at_free_end = of.count == 0; /* apart there: what free flight leads to */
  if (at_free_end) {
    of.count = ff_quasi_touches(problem, pair, &a->end.pose, &b->end.pose, margin, of.list);
  }
  for (int k = 0; k < pair->point_count; k++) {
    of.used[k] = false;
  }
  for (int i = 0; i < of.count && !step->prisms_fixed; i++) {
    of.list[i].spin[0] = of.list[i].spin[1] = NAN;
  }
  if (step->reselections > 1) {
    keep_pressed(step, &of);
  }
  assign_slots(&of);
  double deepest = NAN; /* not known yet */
  for (int slot = 0; slot < pair->point_count; slot++) {
    const ff_point *was = &of.points[slot];
    for (int i = 0; i < of.count; i++) {
      if (of.slot[i] != slot) {
        continue;
      }
      double start_depth = was->patch.depth;
      if (of.fresh[i] || !was->touching || !ff_feature_pair_equal(was->id, of.list[i].id)) {
        ff_touch at_start = of.list[i];
        deepest = isnan(deepest) ? depth_at_start(problem, pair, start) : deepest;
        ff_quasi_evaluate_features(problem, pair, &start[0], &start[1], &at_start);
        start_depth = lesser(at_start.depth, deepest);
      }
      /* so is a layer that recovers, and is found compressed deeper */
      bool fresh = of.fresh[i] || (!was->touching && start_depth > of.layers[slot].deflection);
      if (!ff_quasi_add_fixed_contact(step, meet, n, &of.list[i], slot,
                                      fresh ? -1 : pair->first_point + slot,
                                      greater(start_depth, 0), start_depth, at_free_end)) {
        return false;
      }
    }
  }
  return true;
}

/* ---- check at the end ------------------------------------------------------------------- */

/* Have prisms of cylinders turned so much in the step that depths are others? */
static bool prisms_turned(const quasi_problem *problem, const quasi_contact *first, int known) {
  const ff_near *pair = &problem->state->nears[first->pair];
  double same = SAME_DEPTH * problem->model->bodies[first->e.a].bound;
  for (int c = 0; c < known; c++) {
    ff_touch now = first[c].touch;
    if (now.id.a < FF_TURNED_PRISM && now.id.b < FF_TURNED_PRISM) {
      continue;
    }
    now.spin[0] = now.spin[1] = NAN;
    ff_quasi_evaluate_features(problem, pair, &problem->bodies[first->e.a].end.pose,
                               &problem->bodies[first->e.b].end.pose, &now);
    if (greater(now.depth, first[c].touch.depth) > 0 &&
        fabs(now.depth - first[c].touch.depth) > same) {
      return true;
    }
  }
  return false;
}

/* first: the first of the `known` contacts of a pair. last: only if that matters much. */
static bool pair_samples_changed(const quasi_problem *problem, const quasi_contact *first,
                                 int known, bool last) {
  ff_touch now[FF_TOUCH_MAX], solved[FF_TOUCH_MAX], touching[FF_TOUCH_MAX];
  const ff_near *pair = &problem->state->nears[first->pair];
  double close = SAME_PLACE * problem->model->bodies[first->e.a].bound;
  int count = ff_quasi_touches_at_end(problem, pair, 0, now), touching_count = 0;
  for (int c = 0; c < known; c++) {
    solved[c] = first[c].touch;
    if (first[c].touch.depth > 0 || first[c].p_ns > 0 || first[c].e.z[0] > 0) {
      touching[touching_count++] = first[c].touch;
    }
  }
  for (int i = 0; i < count; i++) {
    double weight = weight_near(now, count, now[i].point, close);
    double change = weight - weight_near(solved, known, now[i].point, close);
    if (weight - weight_near(touching, touching_count, now[i].point, close) > MISSED ||
        (!last && fabs(change) > RESELECT)) {
      return true;
    }
  }
  return !last && prisms_turned(problem, first, known);
}

bool ff_quasi_samples_changed(const quasi_problem *problem, int reselections) {
  for (int k = 0; k < problem->contact_count;) {
    const quasi_contact *first = &problem->contacts[k];
    int known = quasi_pair_size(problem, first);
    k += known;
    bool crowd = first->in_middle; /* what it lacks matters, and not for ever */
    bool last = crowd || reselections >= SAMPLE_RESELECTIONS;
    if (first->fixed && !(crowd && reselections >= CROWD_RESELECTIONS) &&
        pair_samples_changed(problem, first, known, last)) {
      return true;
    }
  }
  return false;
}

bool ff_quasi_has_prisms(const quasi_problem *problem) {
  for (int c = 0; c < problem->contact_count; c++) {
    const ff_feature_pair id = problem->contacts[c].touch.id;
    if (id.a >= FF_TURNED_PRISM || id.b >= FF_TURNED_PRISM) {
      return true;
    }
  }
  return false;
}
