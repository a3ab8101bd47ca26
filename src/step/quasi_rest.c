/* What lies still.
 *
 * Where nothing moves any more standing still solves the step, with the impulses of the one before.
 * Then that is the answer: exactly still, and not but for rounding, so that the step ends with the
 * bits that it started from. The next one has the same answer to the last bit, as long as nobody
 * sets the state and nothing that acts knows the time: it is taken over, not looked for again.
 */
#include "step/quasi_rigid.h"

#include "math/vec.h"

#include <string.h>

#define SLOW 1e-9 /* of what gravity does in a step */

/* ---- standing still ------------------------------------------------------------------------- */

/* So slow, next to what gravity does in a step, that standing still is worth a look. */
static bool is_slow(const ff_quasi *quasi) {
  double limit = SLOW * quasi->fall;
  for (int i = 0; i < quasi->node_count; i++) {
    const ff_quasi_body *body = ff_quasi_node(quasi, quasi->solved_nodes[i]);
    if (!body) {
      return false;
    }
    double size = quasi->model->bodies[body->id].bound;
    if (!(v3_dot(body->v0, body->v0) <= limit * limit &&
          size * size * v3_dot(body->w0, body->w0) <= limit * limit)) {
      return false;
    }
  }
  return true;
}

/* As it was solved for: what forces tell of it is not the same to the last bit. */
static const double *impulse_of(const ff_quasi *quasi, const ff_quasi_contact *contact) {
  static const double none[4] = {0};
  return contact->memory < 0 ? none : quasi->state->points[contact->memory].impulse;
}

bool ff_quasi_rest(ff_quasi *quasi) {
  double scale = quasi->h / quasi->h_before;
  if (!is_slow(quasi)) {
    return false;
  }
  for (int i = 0; i < quasi->node_count; i++) {
    double *x = quasi->x + ff_blocks_row(quasi->blocks, quasi->solved_nodes[i]);
    memset(x, 0, FF_QUASI_BODY * sizeof *x);
  }
  for (int k = 0; k < quasi->member_count; k++) {
    ff_quasi_element *e = quasi->members[k];
    const double *before = e->joint ? e->before : impulse_of(quasi, (ff_quasi_contact *)e);
    for (int i = 0; i < e->rows; i++) {
      e->z[i] = e->joint ? before[i] : scale * before[i];
    }
  }
  return ff_quasi_holds(quasi);
}

/* ---- steps that change nothing -------------------------------------------------------------- */

bool ff_quasi_is_timeless(const ff_model *model) {
  bool still = model->force_count == 0 && model->drive_count == 0 && model->robot_count == 0 &&
               model->constraint_count == 0;
  for (int i = 0; i < model->body_count; i++) {
    still = still && model->bodies[i].kind != FF_BODY_PRESCRIBED;
  }
  return still;
}

static bool same_vector(ff_vec3 a, ff_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool ff_quasi_same_bodies(const ff_quasi *quasi) {
  for (int slot = 0; slot < quasi->model->free_count; slot++) {
    const ff_quasi_body *body = &quasi->bodies[quasi->model->free_bodies[slot]];
    ff_quat q = body->end.pose.orientation, was = body->q;
    if (!same_vector(body->end.velocity, body->v0) || !same_vector(body->momentum, body->l0) ||
        !same_vector(body->end.pose.position, body->x) || q.w != was.w || q.x != was.x ||
        q.y != was.y || q.z != was.z) {
      return false;
    }
  }
  return true;
}

static bool same_trend(const ff_predictor *a, const ff_predictor *b) {
  return same_vector(a->now, b->now) && same_vector(a->first, b->first) &&
         same_vector(a->second, b->second) && same_vector(a->third, b->third);
}

/* What steps read of a point. */
static bool same_point(const ff_point *a, const ff_point *b) {
  return a->known == b->known && ff_spot_is_same(&a->spot, &b->spot) &&
         a->touching == b->touching && a->patch.depth == b->patch.depth &&
         a->deflection == b->deflection && a->deflection_b == b->deflection_b &&
         a->force_core == b->force_core && same_trend(&a->trend[0], &b->trend[0]) &&
         same_trend(&a->trend[1], &b->trend[1]) && same_vector(a->shear, b->shear) &&
         same_vector(a->point, b->point) && same_vector(a->force, b->force) &&
         same_vector(a->moment, b->moment);
}

bool ff_quasi_same_points(const ff_quasi *quasi) {
  for (int i = 0; i < quasi->state->point_count; i++) {
    if (!same_point(&quasi->state->points[i], &quasi->held_points[i])) {
      return false;
    }
  }
  return true;
}
