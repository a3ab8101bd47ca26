/* What may surprise without being wrong: overlaps that no law joins, bodies that left, robots that
 * fell. Looked at now and then. */
#include "audit/audit.h"
#include "geom/distance.h"
#include "math/vec.h"

#define INTERVAL 0.02   /* s, between looks */
enum { PAIRS = 20000 }; /* most pairs of shapes that are looked at */
#define FAR    10.0     /* sizes of the scene */
#define TILTED 1.0      /* rad */

/* ---- overlaps without a law ------------------------------------------------------------------ */

/* Depth of the overlap of two shapes; <= 0: none. */
static double overlap_depth(const ff_model *model, const ff_state *state, const ff_model_shape *a,
                            const ff_model_shape *b) {
  ff_pose room_a, room_b;
  const ff_pose *at_a = ff_shape_at(a, &state->bodies[a->body].pose, &room_a);
  const ff_pose *at_b = ff_shape_at(b, &state->bodies[b->body].pose, &room_b);
  (void)model;
  if (b->geom.kind == FF_HALF_SPACE) {
    ff_vec3 normal = q_rotate(at_b->orientation, v3(0, 0, 1));
    ff_vec3 down = q_unrotate(at_a->orientation, v3_neg(normal));
    ff_vec3 lowest = pose_point(*at_a, ff_geom_support(&a->geom, down));
    return -v3_dot(normal, v3_sub(lowest, at_b->position));
  }
  if (v3_norm(v3_sub(at_a->position, at_b->position)) > a->bound + b->bound) {
    return 0;
  }
  ff_distance distance;
  ff_distance_query(&distance, &a->geom, at_a, &b->geom, at_b, 0);
  return -distance.gap;
}

/* Are two bodies held together by a constraint, or links of one robot? */
static bool are_joined(const ff_model *model, int a, int b) {
  if (model->bodies[a].robot >= 0 && model->bodies[a].robot == model->bodies[b].robot) {
    return true;
  }
  for (int i = 0; i < model->constraint_count; i++) {
    const ff_model_constraint *c = &model->constraints[i];
    if ((c->a == a && c->b == b) || (c->a == b && c->b == a)) {
      return true;
    }
  }
  return false;
}

static void note_overlap(ff_auditor *auditor, const ff_model *model, const ff_state *state, int i,
                         int j) {
  const ff_model_shape *a = &model->shapes[i], *b = &model->shapes[j];
  if (a->geom.kind == FF_HALF_SPACE) {
    const ff_model_shape *other = a;
    a = b;
    b = other;
  }
  bool moved =
      ff_body_is_moved(&model->bodies[a->body]) || ff_body_is_moved(&model->bodies[b->body]);
  if (a->body == b->body || !moved || a->geom.kind == FF_HALF_SPACE) {
    return;
  }
  double depth = overlap_depth(model, state, a, b);
  if (depth > 1e-6 * a->bound && !are_joined(model, a->body, b->body)) {
    ff_found_add(&auditor->found, FF_FINDING_NO_LAW, a->body, b->body, state->t, depth, 0);
  }
}

static void note_overlaps(ff_auditor *auditor, const ff_model *model, const ff_state *state) {
  int looked = 0;
  for (int i = 0; i < model->shape_count; i++) {
    const int *rules = &model->class_table[model->shapes[i].class_index * model->class_count];
    for (int j = i + 1; j < model->shape_count && looked < PAIRS; j++, looked++) {
      if (rules[model->shapes[j].class_index] == FF_NO_RULE) {
        note_overlap(auditor, model, state, i, j);
      }
    }
  }
}

/* ---- bodies that left ------------------------------------------------------------------------ */

/* Is the body above a half-space with which it collides? */
static bool is_above_ground(const ff_model *model, const ff_state *state, int body) {
  const ff_model_body *own = &model->bodies[body];
  for (int i = own->first_shape; i < own->first_shape + own->shape_count; i++) {
    const int *rules = &model->class_table[model->shapes[i].class_index * model->class_count];
    for (int j = 0; j < model->shape_count; j++) {
      const ff_model_shape *ground = &model->shapes[j];
      if (ground->geom.kind == FF_HALF_SPACE && rules[ground->class_index] >= 0) {
        ff_pose pose = pose_mul(state->bodies[ground->body].pose, ground->pose);
        ff_vec3 from = v3_sub(state->bodies[body].pose.position, pose.position);
        if (v3_dot(q_rotate(pose.orientation, v3(0, 0, 1)), from) > -own->bound) {
          return true;
        }
      }
    }
  }
  return false;
}

/* Farthest start of a body from the first one, m: bodies with a shape or a mass. */
static double scene_size(const ff_model *model) {
  double size = 0;
  for (int i = 0; i < model->body_count; i++) {
    const ff_model_body *body = &model->bodies[i];
    double out = v3_norm(v3_sub(body->start.position, model->bodies[0].start.position));
    size = greater(size, out + (isfinite(body->bound) ? body->bound : 0));
  }
  return size;
}

static void note_left(ff_auditor *auditor, const ff_model *model, const ff_state *state) {
  double limit = FAR * scene_size(model);
  for (int k = 0; k < model->moved_count; k++) {
    int i = model->moved_bodies[k];
    ff_vec3 from = v3_sub(state->bodies[i].pose.position, model->bodies[0].start.position);
    double away = v3_norm(from);
    if (away > limit && model->bodies[i].shape_count > 0 && !is_above_ground(model, state, i)) {
      ff_found_add(&auditor->found, FF_FINDING_LEFT, i, -1, state->t, away, limit);
    }
  }
}

/* ---- robots that fell ------------------------------------------------------------------------ */

static void note_fallen(ff_auditor *auditor, const ff_model *model, const ff_state *state) {
  double g = v3_norm(model->run.gravity);
  for (int r = 0; r < model->robot_count && g > 0; r++) {
    int base = model->robots[r].first_body;
    ff_vec3 up = v3_scale(-1 / g, model->run.gravity);
    const ff_pose *start = &model->bodies[base].start, *now = &state->bodies[base].pose;
    ff_vec3 own = q_unrotate(start->orientation, up);
    double along = v3_dot(q_rotate(now->orientation, own), up);
    double tilt = ff_acos(lesser(greater(along, -1), 1));
    bool low = v3_dot(now->position, up) < 0.5 * v3_dot(start->position, up);
    if (ff_body_is_moved(&model->bodies[base]) && tilt > TILTED && low) {
      ff_found_add(&auditor->found, FF_FINDING_FELL, base, -1, state->t, tilt, TILTED);
    }
  }
}

void ff_audit_notes(ff_auditor *auditor, const ff_model *model, const ff_state *state) {
  note_overlaps(auditor, model, state);
  note_left(auditor, model, state);
  note_fallen(auditor, model, state);
  auditor->next_notes = state->t + INTERVAL;
}
