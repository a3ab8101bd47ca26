#include "step/detection.h"

#include "base/team.h"
#include "math/vec.h"
#include "step/forces.h"
#include "step/frame.h"
#include "step/samples.h"
#include "step/sleep.h"

#define APART 1e-2 /* of the smaller shape: pairs that are nearer are looked at by `adaptive` */

/* ---- how far to look ------------------------------------------------------------------------- */

void ff_kicks_find(const ff_model *model, ff_state *state) {
  ff_crowd_motion *crowd = state->crowd;
  for (int m = 0; m < state->meet_count; m++) {
    const ff_meet *meet = &state->meets[m];
    ff_crowd_motion *a = &crowd[meet->a], *b = &crowd[meet->b];
    double speed = v3_norm(v3_sub(a->velocity, b->velocity)) + (a->turning + b->turning);
    a->kick = greater(a->kick, speed);
    b->kick = greater(b->kick, speed);
  }
  for (int i = 0; i < model->body_count; i++) {
    crowd[i].kick = ff_body_is_moved(&model->bodies[i]) ? crowd[i].kick : 0;
  }
}

/* How far a point of a body can come within a time, the pull of gravity apart. */
static double body_reach(const ff_model *model, const ff_state *state, int body, double time) {
  const ff_body_motion *motion = &state->bodies[body];
  double turning = v3_norm(motion->omega);
  return time *
         (v3_norm(motion->velocity) + (turning > 0 ? turning * model->bodies[body].bound : 0));
}

double ff_pair_margin(const ff_model *model, const ff_state *state, const ff_meet *meet,
                      const ff_near *near) {
  if (state->frozen && !isfinite(state->ahead)) {
    return INFINITY;
  }
  const ff_binding *binding = &model->bindings[near->binding];
  bool ahead = model->stepper->contacts == FF_CONTACTS_BY_GROUND &&
               (binding->ground.thickness <= 0 || ff_model_is_ground_crowd(model));
  if (!state->frozen && !ahead && (!state->middle || !ff_model_holds(model, binding))) {
    return 0;
  }
  double time = state->frozen ? state->ahead : (ahead ? 1 : 0.5) * model->run.stepper.step;
  double fall = 4 * time * time * v3_norm(model->run.gravity);
  if (state->crowd && !state->frozen) {
    return time * ff_pair_kick(state, meet) + fall;
  }
  const ff_model_shape *a = &model->shapes[near->shape_a], *b = &model->shapes[near->shape_b];
  double margin =
      body_reach(model, state, a->body, time) + body_reach(model, state, b->body, time) + fall;
  return state->frozen ? margin + APART * lesser(a->bound, b->bound) : margin;
}

bool ff_pair_is_apart(const ff_model *model, const ff_state *state, const ff_meet *meet,
                      const ff_near *near, double margin) {
  ff_vec3 apart;
  if (near->centred && state->crowd) {
    apart = v3_sub(state->crowd[meet->a].position, state->crowd[meet->b].position);
  } else if (near->centred) {
    apart = v3_sub(state->bodies[meet->a].pose.position, state->bodies[meet->b].pose.position);
  } else {
    apart =
        v3_sub(pose_point(state->bodies[meet->a].pose, model->shapes[near->shape_a].pose.position),
               pose_point(state->bodies[meet->b].pose, model->shapes[near->shape_b].pose.position));
  }
  double reach = near->reach + margin;
  return v3_dot(apart, apart) > reach * reach * (1 + 1e-12);
}

/* ---- contact points -------------------------------------------------------------------------- */

void ff_pair_find(const ff_model *model, ff_state *state, ff_near *near, double margin,
                  bool alone) {
  bool wanders = model->memory_count > 0 && ff_frame_wanders(model, near);
  bool ahead = state->middle && ff_model_holds(model, &model->bindings[near->binding]);
  near->clear = true;
  near->pending = !ff_samples_find(model, state, near, margin, alone);
  if (near->pending) {
    near->clear = false;
    return;
  }
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    ff_point *point = &state->points[i];
    if (!ff_point_is_found(point)) {
      continue;
    }
    near->clear = false;
    bool overlaps = point->patch.depth > 0;
    /* A new sample has no side yet: it has that of the point at its place, or none. */
    bool sided = state->frozen && point->known;
    point->touching = sided ? ff_sided_point_of(state, point)->closed : overlaps || ahead;
    if (wanders && point->touching) {
      ff_frame_carry(model, state, near, point);
    }
  }
}

typedef struct detection_job {
  const ff_model *model;
  ff_state *state;
  bool sparse; /* pairs that stay apart are passed over */
} detection_job;

/* The points of a pair, and their motion. */
static void find_and_follow(const detection_job *job, const ff_meet *meet, ff_near *near,
                            bool alone) {
  const ff_model *model = job->model;
  ff_state *state = job->state;
  double margin = ff_pair_margin(model, state, meet, near);
  if (job->sparse && near->clear && ff_pair_is_apart(model, state, meet, near, margin)) {
    return;
  }
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    state->points[i].touching = false;
    state->points[i].patch.depth = -INFINITY;
  }
  ff_pair_find(model, state, near, margin, alone);
  near->clear = job->sparse && near->clear;
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    if (state->points[i].touching) {
      ff_contact_motion(state, meet, &state->points[i]);
    }
  }
}

/* state->active of a body pair: 1 if it has points, or had, or touched, or sleeps. */
static void follow_pairs(void *context, int first, int end) {
  const detection_job *job = context;
  ff_state *state = job->state;
  for (int m = first; m < end; m++) {
    const ff_meet *meet = &state->meets[m];
    bool skips = ff_sleep_skips(state, meet), active = meet->touching || skips;
    for (int n = meet->first_near; n < meet->first_near + meet->near_count && !skips; n++) {
      ff_near *near = &state->nears[n];
      active = active || !near->clear; /* its forces may be of the step before */
      find_and_follow(job, meet, near, false);
      active = active || !near->clear;
    }
    state->active[m] = active;
  }
}

void ff_contacts_find(const ff_model *model, ff_state *state) {
  detection_job job = {model, state, ff_model_is_ground_crowd(model)};
  if (state->crowd) {
    ff_kicks_find(model, state);
  }
  ff_team_for(state->team, follow_pairs, &job, state->meet_count, FF_PAIRS_CHUNK);
  state->active_count = 0;
  for (int m = 0; m < state->meet_count; m++) {
    const ff_meet *meet = &state->meets[m];
    for (int n = meet->first_near; state->active[m] && n < meet->first_near + meet->near_count;
         n++) {
      if (state->nears[n].pending) {
        find_and_follow(&job, meet, &state->nears[n], true);
      }
    }
    if (state->active[m]) {
      state->active[state->active_count++] = m;
    }
  }
  if (!job.sparse) {
    state->active_count = -1;
  }
}
