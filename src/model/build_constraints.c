/* Constraints: bodies, anchors and directions, and clusters of coupled constraints. */
#include "base/report.h"
#include "base/union_find.h"
#include "math/vec.h"
#include "model/build.h"
#include "model/constraint.h"

#include <stdio.h>
#include <string.h>

/* Largest initial error: anchors in m, velocities relative to those of the bodies. */
#define START_TOLERANCE 1e-6
/* Most rows of a cluster, whose matrix is dense. */
enum { CLUSTER_LIMIT = 2400 };

static ff_status constraint_report(ff_build *build, const ff_constraint_def *def, const char *key,
                                   const char *what) {
  ff_report_what(build->report, "%s", what);
  ff_report_key(build->report, "constraints.%.64s.%s", def->name ? def->name : "", key);
  return FF_ERROR_INPUT;
}

static bool constraint_is_given(ff_vec3 v) {
  return !isnan(v.x);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static bool constraint_can_move(const ff_build *build, int body) {
  return ff_body_is_moved(&build->bodies[body]);
}

static ff_status constraint_take_bodies(ff_build *build, ff_model_constraint *to,
                                        const ff_constraint_def *def) {
  char key[128];
  const char *const names[2] = {def->a, def->b};
  int *const found[2] = {&to->a, &to->b};
  for (int s = 0; s < 2; s++) {
    snprintf(key, sizeof key, "constraints.%.64s.pair.%d", def->name, s);
    *found[s] = ff_build_find_body(build, names[s], key);
    if (*found[s] < 0) {
      return FF_ERROR_INPUT;
    }
    bool link = build->bodies[*found[s]].kind == FF_BODY_LINK;
    if (link && !build->model->stepper->constrains_links) {
      char able[128];
      ff_report_what(build->report, "'%s' is a link of a robot: only stepper %s can hold it",
                     names[s], ff_stepper_names(ff_stepper_constrains_links, able, sizeof able));
      ff_report_key(build->report, "%s", key);
      return FF_ERROR_INPUT;
    }
  }
  if (to->a == to->b) {
    return constraint_report(build, def, "pair", "a body cannot be constrained to itself");
  }
  if (!constraint_can_move(build, to->a) && !constraint_can_move(build, to->b)) {
    return constraint_report(build, def, "pair", "one of the two bodies must be free to move");
  }
  return FF_OK;
}

/* ---- anchors and directions ------------------------------------------------------------------ */

static ff_vec3 constraint_point_in(const ff_model_body *body, ff_vec3 world) {
  return q_unrotate(body->start.orientation, v3_sub(world, body->start.position));
}

static ff_vec3 constraint_direction_in(const ff_model_body *body, ff_vec3 world) {
  return q_unrotate(body->start.orientation, world);
}

/* From the user's body frame to the principal frame. */
static ff_vec3 constraint_to_principal(const ff_model_body *body, ff_vec3 point) {
  return q_unrotate(body->frame.orientation, v3_sub(point, body->frame.position));
}

static ff_status constraint_check_vectors(ff_build *build, const ff_constraint_def *def) {
  const struct {
    const char *key;
    ff_vec3 value;
  } vectors[] = {{"at", def->at},
                 {"anchor-a", def->anchor_a},
                 {"anchor-b", def->anchor_b},
                 {"axis", def->axis},
                 {"axis-a", def->axis_a}};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    if (constraint_is_given(vectors[i].value) && !v3_finite(vectors[i].value)) {
      return constraint_report(build, def, vectors[i].key, "every number must be finite");
    }
  }
  return FF_OK;
}

static ff_status constraint_take_anchors(ff_build *build, ff_model_constraint *to,
                                         const ff_constraint_def *def) {
  const ff_model_body *a = &build->bodies[to->a], *b = &build->bodies[to->b];
  bool by_a = constraint_is_given(def->anchor_a), by_b = constraint_is_given(def->anchor_b),
       by_at = constraint_is_given(def->at);
  bool distance = def->kind == FF_CONSTRAINT_DISTANCE;
  if (distance && by_at) {
    return constraint_report(build, def, "at",
                             "a distance constraint has two ends: give anchor-a and anchor-b");
  }
  if (by_at && (by_a || by_b)) {
    return constraint_report(build, def, "at", "give this or anchors, not both");
  }
  bool weld = def->kind == FF_CONSTRAINT_WELD;
  if (!distance && !weld && !by_at && !by_a && !by_b) {
    return constraint_report(build, def, "at", "must be given; or anchor-a, anchor-b or both");
  }
  ff_vec3 zero = v3(0, 0, 0);
  ff_vec3 anchor_a = constraint_to_principal(a, by_a ? def->anchor_a : zero);
  ff_vec3 anchor_b = constraint_to_principal(b, by_b ? def->anchor_b : zero);
  ff_vec3 world_a = pose_point(a->start, anchor_a), world_b = pose_point(b->start, anchor_b);
  ff_vec3 at = by_at ? def->at : by_b && !by_a ? world_b : world_a;
  to->anchor_a = by_a || distance ? anchor_a : constraint_point_in(a, at);
  to->anchor_b = by_b || distance ? anchor_b : constraint_point_in(b, at);
  return FF_OK;
}

/* Pairs of directions that stay orthogonal: for a hinge its axis in a and two directions across it
 * in b, for a weld each axis of a and the next one of b. */
static ff_status constraint_take_directions(ff_build *build, ff_model_constraint *to,
                                            const ff_constraint_def *def) {
  const ff_model_body *a = &build->bodies[to->a], *b = &build->bodies[to->b];
  static const ff_vec3 axes[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  for (int k = 0; def->kind == FF_CONSTRAINT_WELD && k < 3; k++) {
    to->of_a[k] = constraint_direction_in(a, axes[k]);
    to->of_b[k] = constraint_direction_in(b, axes[k + 1]);
  }
  if (def->kind != FF_CONSTRAINT_HINGE) {
    return FF_OK;
  }
  bool by_a = constraint_is_given(def->axis_a), by_world = constraint_is_given(def->axis);
  const char *key = by_a ? "axis-a" : "axis";
  if (by_a == by_world) {
    return constraint_report(build, def, "axis",
                             by_a ? "give this or axis-a, not both" : "must be given");
  }
  ff_vec3 given = by_a ? def->axis_a : def->axis;
  if (!(v3_norm(given) > 0)) {
    return constraint_report(build, def, key, "must not be zero");
  }
  ff_vec3 of_a = by_a ? q_unrotate(a->frame.orientation, given) : constraint_direction_in(a, given);
  ff_vec3 axis = v3_unit(q_rotate(a->start.orientation, of_a)), across = v3_orthogonal(axis);
  to->of_a[0] = to->of_a[1] = v3_unit(of_a);
  to->of_b[0] = constraint_direction_in(b, across);
  to->of_b[1] = constraint_direction_in(b, v3_cross(axis, across));
  return FF_OK;
}

static ff_status constraint_take_length(ff_build *build, ff_model_constraint *to,
                                        const ff_constraint_def *def) {
  if (def->kind != FF_CONSTRAINT_DISTANCE) {
    return FF_OK;
  }
  ff_vec3 a = pose_point(build->bodies[to->a].start, to->anchor_a);
  ff_vec3 b = pose_point(build->bodies[to->b].start, to->anchor_b);
  to->length = isnan(def->length) ? v3_norm(v3_sub(a, b)) : def->length;
  if (!(to->length > 0) || !isfinite(to->length)) {
    return constraint_report(build, def, "length", "must be greater than 0 and finite");
  }
  return FF_OK;
}

/* ---- initial state --------------------------------------------------------------------------- */

static ff_body_motion constraint_start_of(const ff_model_body *body) {
  bool led = body->kind == FF_BODY_PRESCRIBED || body->kind == FF_BODY_FIXED;
  return led ? ff_motion_at(body, 0) : (ff_body_motion){body->start, body->velocity, body->omega};
}

/* Rejects bodies that do not satisfy the constraint initially: the first step would correct them
 * violently. */
static ff_status constraint_check_start(ff_build *build, const ff_model_constraint *to,
                                        const ff_constraint_def *def) {
  ff_body_motion a = constraint_start_of(&build->bodies[to->a]),
                 b = constraint_start_of(&build->bodies[to->b]);
  ff_constraint_rows rows;
  ff_constraint_evaluate(to, &a, &b, &rows);
  double angle, apart = ff_constraint_errors(&rows, &angle), parting = 0;
  for (int i = 0; i < rows.count; i++) {
    parting = fmax(parting, fabs(rows.rate[i]));
  }
  if (apart > START_TOLERANCE) {
    bool distance = to->kind == FF_CONSTRAINT_DISTANCE;
    ff_report_what(build->report, "%s by %.6g m initially; move the bodies or the anchors",
                   distance ? "the distance of the anchors differs from length"
                            : "the anchors are apart",
                   apart);
    ff_report_key(build->report, "constraints.%.64s", def->name);
    return FF_ERROR_INPUT;
  }
  double speed = v3_norm(a.velocity) + v3_norm(b.velocity) + v3_norm(a.omega) + v3_norm(b.omega);
  if (parting > START_TOLERANCE * (1 + speed)) {
    ff_report_what(
        build->report,
        "the anchors separate at %.6g m/s or rad/s initially: make velocity and omega consistent",
        parting);
    ff_report_key(build->report, "constraints.%.64s", def->name);
    return FF_ERROR_INPUT;
  }
  return FF_OK;
}

static ff_status build_constraint(ff_build *build, ff_model_constraint *to,
                                  const ff_constraint_def *def) {
  static ff_status (*const parts[])(ff_build *, ff_model_constraint *,
                                    const ff_constraint_def *) = {
      constraint_take_bodies, constraint_take_anchors, constraint_take_directions,
      constraint_take_length};
  const char *name = def->name ? def->name : "";
  to->name = ff_arena_text(&build->model->arena, name, strlen(name));
  to->kind = def->kind;
  if (!to->name) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = constraint_check_vectors(build, def);
  for (size_t i = 0; status == FF_OK && i < sizeof parts / sizeof *parts; i++) {
    status = parts[i](build, to, def);
  }
  return status == FF_OK ? constraint_check_start(build, to, def) : status;
}

/* ---- clusters -------------------------------------------------------------------------------- */

static int constraint_free_body(const ff_build *build, const ff_model_constraint *constraint) {
  return constraint_can_move(build, constraint->a) ? constraint->a : constraint->b;
}

/* Cluster of each constrained body, by its root, in the order of the constraints. */
static void cluster_find(const ff_build *build, int *parents, ff_model_cluster *clusters,
                         int *cluster_of) {
  const ff_model *model = build->model;
  for (int i = 0; i < model->body_count; i++) {
    parents[i] = i;
    cluster_of[i] = -1;
  }
  for (int i = 0; i < model->constraint_count; i++) {
    const ff_model_constraint *c = &model->constraints[i];
    if (constraint_can_move(build, c->a) && constraint_can_move(build, c->b)) {
      ff_set_unite(parents, c->a, c->b);
    }
  }
  for (int i = 0; i < model->constraint_count; i++) {
    const ff_model_constraint *c = &model->constraints[i];
    int root = ff_set_root(parents, constraint_free_body(build, c));
    if (cluster_of[root] < 0) {
      cluster_of[root] = build->model->cluster_count++;
    }
    clusters[cluster_of[root]].count++;
    clusters[cluster_of[root]].rows += ff_constraint_row_count(c->kind);
  }
}

static ff_status cluster_sort_constraints(ff_build *build) {
  ff_model *model = build->model;
  int *parents = ff_arena_take(&build->scratch, (size_t)model->body_count, sizeof *parents);
  int *cluster_of = ff_arena_take(&build->scratch, (size_t)model->body_count, sizeof *cluster_of);
  ff_model_cluster *clusters = ff_build_take(build, model->constraint_count, sizeof *clusters);
  int *order = ff_build_take(build, model->constraint_count, sizeof *order);
  if (!parents || !cluster_of || !clusters || !order) {
    return FF_ERROR_MEMORY;
  }
  cluster_find(build, parents, clusters, cluster_of);
  for (int k = 0, first = 0; k < model->cluster_count; k++) {
    clusters[k].first = first;
    first += clusters[k].count;
    clusters[k].count = 0;
    model->cluster_rows =
        clusters[k].rows > model->cluster_rows ? clusters[k].rows : model->cluster_rows;
  }
  for (int i = 0; i < model->constraint_count; i++) {
    int root = ff_set_root(parents, constraint_free_body(build, &model->constraints[i]));
    ff_model_cluster *cluster = &clusters[cluster_of[root]];
    order[cluster->first + cluster->count++] = i;
  }
  model->constraint_order = order;
  model->clusters = clusters;
  if (model->cluster_rows > CLUSTER_LIMIT) {
    ff_report_what(build->report, "%d constraint rows are coupled, at most %d are allowed",
                   model->cluster_rows, CLUSTER_LIMIT);
    ff_report_key(build->report, "constraints");
    return FF_ERROR_INPUT;
  }
  return FF_OK;
}

ff_status ff_build_constraints(ff_build *build) {
  const ff_scene *scene = build->scene;
  ff_model *model = build->model;
  int count = scene->constraint_count;
  ff_model_constraint *constraints = ff_build_take(build, count, sizeof *constraints);
  if (!constraints) {
    return FF_ERROR_MEMORY;
  }
  ff_status status = FF_OK;
  for (int i = 0; status == FF_OK && i < count; i++) {
    status = build_constraint(build, &constraints[i], &scene->constraints[i]);
  }
  model->constraints = constraints;
  model->constraint_count = count;
  if (status == FF_OK && count > 0 && !model->stepper->keeps_constraints) {
    status = ff_report_what(build->report, "stepper %s does not support constraints",
                            model->stepper->name);
    ff_report_key(build->report, "constraints");
  }
  return status == FF_OK ? cluster_sort_constraints(build) : status;
}
