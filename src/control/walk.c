/* Walk: planned, balanced and corrected when it is built; evaluated by interpolation. */
#include "control/walk.h"

#include "base/memory.h"
#include "base/report.h"

#include <string.h>

enum { MOST_STEPS = 100000, MOST_SAMPLES = 10000000 };

ff_walk_def ff_walk_def_default(void) {
  ff_preview_def preview = ff_preview_def_default();
  return (ff_walk_def){.sole = {0.01, 0, -0.03},
                       .sole_length = 0.1,
                       .sole_width = 0.06,
                       .height = 0.24,
                       .step_time = 0.5,
                       .double_support = 0.12,
                       .lift = 0.02,
                       .rest = 1.5,
                       .sample = preview.sample,
                       .horizon = preview.horizon,
                       .gravity = preview.gravity,
                       .corrections = 2,
                       .first = FF_WALK_LEFT};
}

/* ---- checks ---------------------------------------------------------------------------------- */

static ff_status walk_report(ff_report *report, const char *key, const char *what, double got) {
  ff_report_what(report, "%s, got %g", what, got);
  ff_report_key(report, "%s", key);
  return FF_ERROR_INPUT;
}

static ff_status walk_check_def(const ff_walk_def *def, ff_report *report) {
  const struct {
    const char *key;
    double value;
  } positive[] = {{"sole_length", def->sole_length},
                  {"sole_width", def->sole_width},
                  {"height", def->height},
                  {"step_time", def->step_time},
                  {"double_support", def->double_support},
                  {"rest", def->rest},
                  {"sample", def->sample},
                  {"horizon", def->horizon},
                  {"gravity", def->gravity}};
  for (size_t i = 0; i < sizeof positive / sizeof *positive; i++) {
    if (!(positive[i].value > 0 && isfinite(positive[i].value))) {
      return walk_report(report, positive[i].key, "must be greater than 0", positive[i].value);
    }
  }
  if (!(def->lift >= 0 && isfinite(def->lift))) {
    return walk_report(report, "lift", "must be 0 or more", def->lift);
  }
  if (!(def->width >= 0 && isfinite(def->width))) {
    return walk_report(report, "width", "must be 0 or more", def->width);
  }
  if (!v3_finite(def->sole)) {
    return walk_report(report, "sole", "must be finite", NAN);
  }
  if (def->corrections < 0 || def->corrections > 100) {
    return walk_report(report, "corrections", "must be 0 to 100", def->corrections);
  }
  if (def->first != FF_WALK_LEFT && def->first != FF_WALK_RIGHT) {
    return walk_report(report, "first", "must be left or right", (double)def->first);
  }
  return FF_OK;
}

static ff_status walk_check_steps(const ff_walk_def *def, const ff_walk_step *steps, int count,
                                  ff_report *report) {
  if (count < 0 || count > MOST_STEPS) {
    return walk_report(report, "count", "must be 0 to 100000", count);
  }
  double total = 0;
  for (int k = 0; k <= count; k++) {
    ff_walk_step step = k < count ? steps[k] : (ff_walk_step){0, 0, 0, 0};
    double time = step.duration != 0 ? step.duration : def->step_time;
    bool finite = isfinite(step.forward) && isfinite(step.side) && isfinite(step.turn);
    if (!finite || !(time > def->double_support && isfinite(time))) {
      walk_report(report, "", finite ? "must last longer than double_support" : "must be finite",
                  finite ? time : NAN);
      ff_report_key(report, "steps[%d]", k);
      return FF_ERROR_INPUT;
    }
    total += time;
  }
  total += 2 * def->rest + def->double_support;
  if (total / def->sample > MOST_SAMPLES) {
    return walk_report(report, "sample", "makes more than 10000000 samples", def->sample);
  }
  return FF_OK;
}

/* ---- creation -------------------------------------------------------------------------------- */

void ff_walk_destroy(ff_walk **at) {
  ff_walk *walk = at ? *at : NULL;
  if (walk) {
    *at = NULL;
    ff_free(walk->posture);
    ff_free(walk->phases);
    for (int i = 0; i < 3; i++) {
      ff_free(i < 2 ? walk->com[i] : NULL);
      ff_free(walk->trunk[i]);
      ff_free(walk->trunk_bend[i]);
    }
    ff_free(walk);
  }
}

/* Workspace of the construction. */
typedef struct builder {
  ff_walk *walk;
  ff_preview *preview;
  ff_tree_work *work;
  double *reference;    /* of one axis, count samples plus the preview horizon */
  double *zmp_plan[2];  /* planned zero-moment point, both axes */
  double *zmp_error[2]; /* and its error by the tree's dynamics */
  double *q, *v[2], *a;
  ff_report *report;
} builder;

static bool walk_take_samples(ff_walk *walk) {
  size_t count = (size_t)walk->count;
  bool taken = true;
  for (int i = 0; i < 3; i++) {
    walk->trunk[i] = ff_alloc(count, sizeof(double));
    walk->trunk_bend[i] = ff_alloc(count, sizeof(double));
    taken = taken && walk->trunk[i] && walk->trunk_bend[i];
  }
  for (int i = 0; i < 2; i++) {
    walk->com[i] = ff_alloc(count, sizeof(ff_pendulum));
    taken = taken && walk->com[i];
  }
  return taken;
}

/* Samples plus the preview horizon after the last. */
static int reference_length(const builder *b) {
  return b->walk->count + ff_preview_gains_of(b->preview).count + 1;
}

static bool walk_take_builder(builder *b) {
  size_t nq = (size_t)ff_tree_q_count(b->walk->def.tree);
  size_t nv = (size_t)ff_tree_v_count(b->walk->def.tree);
  size_t length = (size_t)reference_length(b);
  bool taken = (b->reference = ff_alloc(length, sizeof(double))) != NULL;
  taken = (b->q = ff_alloc(nq, sizeof(double))) && taken;
  for (int i = 0; i < 2; i++) {
    taken = (b->zmp_plan[i] = ff_alloc(length, sizeof(double))) && taken;
    taken = (b->zmp_error[i] = ff_alloc(length, sizeof(double))) && taken;
    taken = (b->v[i] = ff_alloc(nv, sizeof(double))) && taken;
  }
  taken = (b->a = ff_alloc(nv, sizeof(double))) && taken;
  return taken && ff_tree_work_create(&b->work, b->walk->def.tree) == FF_OK;
}

static void walk_free_builder(builder *b) {
  ff_preview_destroy(&b->preview);
  ff_tree_work_destroy(&b->work);
  ff_free(b->reference);
  ff_free(b->a);
  ff_free(b->q);
  for (int i = 0; i < 2; i++) {
    ff_free(b->zmp_plan[i]);
    ff_free(b->zmp_error[i]);
    ff_free(b->v[i]);
  }
}

/* ---- the centre of mass ---------------------------------------------------------------------- */

static double walk_sample_time(const builder *b, int k) {
  return b->walk->def.sample * k;
}

/* Tracks b->reference with the pendulum of one axis, from rest over its start, and adds its motion
 * to the path of the centre of mass. */
static void walk_track_reference(builder *b, int axis) {
  ff_walk *walk = b->walk;
  ff_pendulum x = {.position = b->reference[0]};
  for (int k = 0; k < walk->count; k++) {
    ff_preview_steer(b->preview, &x, b->reference + k);
    ff_pendulum *to = &walk->com[axis][k];
    to->position += x.position;
    to->velocity += x.velocity;
    to->acceleration += x.acceleration;
    to->jerk += x.jerk;
    x = ff_pendulum_after(&x, walk->def.sample);
  }
}

static void walk_track_plan(builder *b) {
  for (int k = 0; k < reference_length(b); k++) {
    double zmp[2];
    ff_walk_zmp(b->walk, walk_sample_time(b, k), zmp);
    b->zmp_plan[0][k] = zmp[0];
    b->zmp_plan[1][k] = zmp[1];
  }
  for (int axis = 0; axis < 2; axis++) {
    memcpy(b->reference, b->zmp_plan[axis], (size_t)reference_length(b) * sizeof(double));
    walk_track_reference(b, axis);
  }
}

/* ---- the trunk ------------------------------------------------------------------------------- */

static ff_vec3 walk_com_at(const ff_walk *walk, int k) {
  return v3(walk->com[0][k].position, walk->com[1][k].position, walk->def.height);
}

/* Reports which leg, and when. */
static ff_status walk_report_reach(const builder *b, int leg, double time) {
  ff_report_what(b->report,
                 "the %s foot is out of reach at %.3f s; use shorter steps or a lower height",
                 leg == FF_WALK_LEFT ? "left" : "right", time);
  ff_report_key(b->report, "steps");
  return FF_ERROR_INPUT;
}

static ff_status walk_report_limit(const builder *b, int link, double time) {
  const char *name = ff_tree_link(b->walk->def.tree, link).name;
  ff_report_what(b->report, "the joint of link %s exceeds its limits at %.3f s", name ? name : "",
                 time);
  ff_report_key(b->report, "steps");
  return FF_ERROR_INPUT;
}

/* Position of the trunk at every sample that puts the tree's centre of mass on its path. */
static ff_status walk_place_trunk(builder *b) {
  ff_walk *walk = b->walk;
  ff_vec3 above = {0, 0, -0.1 * walk->def.height}, drift = {0, 0, 0};
  ff_mat3 gain = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int k = 0; k < walk->count; k++) {
    double time = walk_sample_time(b, k);
    ff_vec3 com = walk_com_at(walk, k), start = v3_add(com, v3_add(above, drift));
    ff_walk_config config = ff_walk_balance(walk, b->work, com, time, start, &gain, b->q);
    if (config.short_of >= 0) {
      return walk_report_reach(b, config.short_of, time);
    }
    int link = ff_walk_limit_exceeded(walk, b->q);
    if (link) {
      return walk_report_limit(b, link, time);
    }
    ff_vec3 trunk = config.trunk.position;
    ff_vec3 now = v3_sub(trunk, com); /* initial guess: extrapolated from the last sample */
    drift = k > 0 ? v3_sub(now, above) : drift;
    above = now;
    walk->trunk[0][k] = trunk.x;
    walk->trunk[1][k] = trunk.y;
    walk->trunk[2][k] = trunk.z;
  }
  for (int i = 0; i < 3; i++) {
    ff_spline_fit(walk->trunk[i], walk->count, walk->def.sample, walk->trunk_bend[i], b->reference);
  }
  return FF_OK;
}

/* ---- correction ------------------------------------------------------------------------------ */

/* Zero-moment point of the tree's dynamics at a sample. */
static ff_vec3 walk_tree_zmp(builder *b, int k) {
  const ff_walk *walk = b->walk;
  int nv = ff_tree_v_count(walk->def.tree);
  double h = walk->def.sample;
  ff_walk_config at[3];
  for (int i = 0; i < 3; i++) {
    at[i] = ff_walk_config_at(walk, walk_sample_time(b, k + i - 1));
  }
  ff_walk_rates(walk, &at[0], &at[1], h, b->v[0]);
  ff_walk_rates(walk, &at[1], &at[2], h, b->v[1]);
  for (int i = 0; i < nv; i++) {
    b->a[i] = (b->v[1][i] - b->v[0][i]) / h;
    b->v[0][i] = 0.5 * (b->v[0][i] + b->v[1][i]);
  }
  ff_walk_write(walk, &at[1], b->q);
  ff_tree_update(b->work, b->q, b->v[0]);
  return ff_tree_zero_moment_point(b->work, b->a, v3(0, 0, -walk->def.gravity), v3(0, 0, 0),
                                   v3(0, 0, 1));
}

/* The pendulum has one mass, the tree many. The centre of mass is shifted by the motion of a
 * pendulum whose zero-moment point compensates the difference [Kajita03 sec. 4]. */
static void walk_correct_zmp(builder *b) {
  const ff_walk *walk = b->walk;
  for (int k = 0; k < walk->count; k++) {
    ff_vec3 zmp = walk_tree_zmp(b, k);
    b->zmp_error[0][k] = b->zmp_plan[0][k] - zmp.x;
    b->zmp_error[1][k] = b->zmp_plan[1][k] - zmp.y;
  }
  for (int axis = 0; axis < 2; axis++) { /* beyond the end the error is zero */
    memcpy(b->reference, b->zmp_error[axis], (size_t)reference_length(b) * sizeof(double));
    walk_track_reference(b, axis);
  }
}

/* ---- building -------------------------------------------------------------------------------- */

/* Copies the definition and finds the legs. */
static ff_status walk_begin(ff_walk *walk, const ff_walk_def *def, const ff_walk_step *steps,
                            int count, ff_report *report) {
  walk->def = *def;
  ff_status status = ff_walk_find_legs(walk, report);
  if (status != FF_OK) {
    return status;
  }
  size_t nq = (size_t)ff_tree_q_count(def->tree);
  walk->posture = ff_alloc(nq, sizeof(double));
  walk->phases = ff_alloc((size_t)count + 4, sizeof *walk->phases);
  if (!walk->posture || !walk->phases) {
    return FF_ERROR_MEMORY;
  }
  if (def->posture) {
    memcpy(walk->posture, def->posture, nq * sizeof(double));
  } else {
    ff_tree_neutral(def->tree, walk->posture);
  }
  walk->def.posture = walk->posture;
  if (!(def->width > 0)) {
    walk->def.width = fabs(walk->legs[0].hip.y - walk->legs[1].hip.y);
  }
  ff_walk_plan(walk, steps, count);
  walk->count = (int)ceil(walk->duration / def->sample - 1e-9) + 1;
  return walk_take_samples(walk) ? FF_OK : FF_ERROR_MEMORY;
}

/* Pendulum, trunk, and the requested number of corrections. */
static ff_status walk_make_balanced(builder *b) {
  const ff_walk_def *def = &b->walk->def;
  ff_preview_def preview = ff_preview_def_default();
  preview.sample = def->sample;
  preview.horizon = def->horizon;
  preview.height = def->height;
  preview.gravity = def->gravity;
  ff_status status = ff_preview_create(&b->preview, &preview, b->report);
  if (status == FF_OK && !walk_take_builder(b)) {
    status = FF_ERROR_MEMORY;
  }
  if (status == FF_OK) {
    walk_track_plan(b);
    status = walk_place_trunk(b);
  }
  for (int round = 0; round < def->corrections && status == FF_OK; round++) {
    walk_correct_zmp(b);
    status = walk_place_trunk(b);
  }
  return status;
}

ff_status ff_walk_build(ff_walk **out, const ff_walk_def *def, const ff_walk_step *steps, int count,
                        ff_report *report) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  ff_status status = walk_check_def(def, report);
  if (status == FF_OK) {
    status = walk_check_steps(def, steps, count, report);
  }
  if (status != FF_OK) {
    return status;
  }
  ff_walk *walk = ff_alloc(1, sizeof *walk);
  if (!walk) {
    return FF_ERROR_MEMORY;
  }
  builder b = {.walk = walk, .report = report};
  status = walk_begin(walk, def, steps, count, report);
  if (status == FF_OK) {
    status = walk_make_balanced(&b);
  }
  walk_free_builder(&b);
  if (status != FF_OK) {
    ff_walk_destroy(&walk);
    return status;
  }
  *out = walk;
  return FF_OK;
}
