/* Paths of free bodies against their velocities.
 *
 * Over a step of length h a body moves by about h (v0 + v1) / 2. Methods of first order move it by
 * h v1, or through an impact by something between. The sum of the differences over all steps is an
 * error of the position that no energy shows: a body that stops comes to rest h v / 2 too early. */
#include "audit/audit.h"
#include "math/vec.h"

/* Of a change of acceleration in a step times h^2: what is not known of the position, since the
 * instant of the change in the step is not. An impact within one step, of two such changes, leaves
 * h |v1 - v0| / 4 or so. */
#define INSIDE     0.2
#define REST_STEPS 2.0 /* of gravity: slower contacts rest */

/* How far a step moves a body beyond the mean of its velocities, and how far in all. */
static void path_add(ff_path_watch *watch, const ff_body_motion *from, const ff_body_motion *to,
                     double h) {
  ff_vec3 change = v3_sub(to->velocity, from->velocity), rate = v3_scale(1 / h, change);
  double shorter = lesser(h, watch->h); /* a change is as sharp as the shorter of its steps */
  ff_vec3 jump = v3_scale(shorter * shorter, v3_sub(rate, watch->rate));
  watch->rate = rate;
  watch->h = h;
  watch->jump = v3_norm(jump);
  watch->jumps2 = v3_add(watch->jumps2, v3_mul(jump, jump));
  ff_vec3 moved = v3_sub(to->pose.position, from->pose.position);
  ff_vec3 mean = v3_scale(0.5 * h, v3_add(from->velocity, to->velocity));
  watch->lag = v3_add(watch->lag, v3_sub(moved, mean));
  watch->way += v3_norm(moved);
}

/* A contact in which a body rests decides where the body is along the normal, whatever its path. */
static void path_rest(ff_path_watch *watch, ff_vec3 normal) {
  ff_vec3 across = v3_mul(normal, normal);
  watch->lag = v3_axpy(watch->lag, -v3_dot(watch->lag, normal), normal);
  watch->jumps2.x *= greater(0, 1 - across.x);
  watch->jumps2.y *= greater(0, 1 - across.y);
  watch->jumps2.z *= greater(0, 1 - across.z);
}

/* Both bodies of a contact point that presses steadily: it neither closes nor opens faster than
 * gravity makes it, nor do its forces change by more than weights. */
static void paths_at_rest(ff_auditor *auditor, const ff_model *model, const ff_state *state,
                          const ff_meet *meet, double h) {
  double g = v3_norm(model->run.gravity);
  const int bodies[2] = {meet->a, meet->b};
  for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
    const ff_near *near = &state->nears[n];
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      const ff_point *point = &state->points[i];
      bool rests = point->force_n > 0 && fabs(point->patch.depth_rate) < REST_STEPS * h * g;
      for (int s = 0; s < 2 && rests; s++) {
        int slot = model->bodies[bodies[s]].slot;
        if (slot >= 0 && auditor->paths[slot].jump < REST_STEPS * h * h * g) {
          path_rest(&auditor->paths[slot], point->normal);
        }
      }
    }
  }
}

void ff_audit_paths(ff_auditor *auditor, const ff_model *model, const ff_state *state,
                    const ff_body_motion *before, double h) {
  for (int slot = 0; slot < model->free_count; slot++) {
    int i = model->free_bodies[slot];
    path_add(&auditor->paths[slot], &before[i], &state->bodies[i], h);
  }
  int active = ff_state_active_count(state);
  for (int m = 0; m < active; m++) {
    paths_at_rest(auditor, model, state, ff_state_active(state, m), h);
  }
}

void ff_audit_path_findings(const ff_auditor *auditor, const ff_model *model, double t,
                            ff_found_list *out) {
  for (int slot = 0; slot < model->free_count; slot++) {
    int i = model->free_bodies[slot];
    const ff_path_watch *watch = &auditor->paths[slot];
    double bound = model->bodies[i].bound;
    double lag =
        v3_norm(watch->lag) + INSIDE * sqrt(watch->jumps2.x + watch->jumps2.y + watch->jumps2.z);
    if (lag > FF_LIMIT_PATH * watch->way && lag > FF_LIMIT_PATH_SIZE * bound) {
      ff_found_add(out, FF_FINDING_PATH, i, -1, t, lag / watch->way, FF_LIMIT_PATH);
    }
  }
}
