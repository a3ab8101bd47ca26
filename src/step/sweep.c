#include "step/sweep.h"

#include "base/team.h"
#include "geom/distance.h"
#include "math/vec.h"
#include "step/candidates.h"
#include "step/forces.h"
#include "step/rotation.h"

#include <stdatomic.h>

enum { LOOKS = 100 };  /* most distance queries for one pair */
#define ROOM      0.25 /* of the sum of half thicknesses: deeper is too deep for one step */
#define LANDING   1e-4 /* of the room: how near the touch a cut step ends */
#define LEAST_CUT 0.02 /* of the time in which the room is crossed: the shortest cut */
/* Step times frequency (rad) with which a stepper follows an impact: Runge-Kutta methods and
 * midpoint-implicit contacts, which pass over touch and release; symplectic Euler, whose energy
 * swings by half of it; implicit, whose restitution exp(-pi/2 of it) is then above 0.99. */
#define FOLLOW          0.02
#define FOLLOW_EXPLICIT 0.015
#define FOLLOW_IMPLICIT 0.005
#define SHORTEST                                                                                   \
  1e-5 /* of a step that is not cut: no cut is shorter, or a run might have no end                 \
        */
/* An impact is followed until it is slower than this share of what makes one fast: bodies leave
 * slower than they came, and what is left must not be passed over. */
#define FOLLOWED 0.1
/* Of a step that is not cut: the shortest cut for an impact of a midpoint-implicit contact among
 * many bodies, which keeps its energy without being followed, and which all others wait for. */
#define LEAST_IN_CROWD 0.1
#define GRAZING        0.01 /* of the bound of the closing speed: it is taken for at least this */

/* How fast points of a body can move. */
typedef struct pace {
  double flight; /* m/s, of the centre of mass, with what forces may add in the step */
  double spin;   /* rad/s */
} pace;

static pace body_pace(const ff_model *model, const ff_state *state, int id, double h) {
  const ff_body_motion *motion = &state->bodies[id];
  pace out = {v3_norm(motion->velocity), v3_norm(motion->omega)};
  if (model->bodies[id].kind == FF_BODY_PRESCRIBED) {
    ff_body_motion after = ff_motion_at(&model->bodies[id], state->t + h);
    out.flight = greater(out.flight, v3_norm(after.velocity));
    out.spin = greater(out.spin, v3_norm(after.omega));
  } else if (ff_body_is_moved(&model->bodies[id])) {
    double force = v3_norm(state->wrenches[id].force);
    out.flight += h * (v3_norm(model->run.gravity) + model->bodies[id].inv_mass * force);
  }
  const ff_track *track = ff_body_base_track(model, &model->bodies[id]);
  if (track) { /* what the base adds in the step */
    ff_track_point now = ff_track_at(track, state->t), after = ff_track_at(track, state->t + h);
    double turned = v3_norm(v3_sub(after.omega, now.omega));
    double arm = v3_norm(v3_sub(motion->pose.position, now.pose.position));
    out.flight += v3_norm(v3_sub(after.velocity, now.velocity)) + arm * turned;
    out.spin += turned;
  }
  return out;
}

/* ---- free motion ------------------------------------------------------------------------------
 */

/* Motion of a link that keeps its velocities: a screw. */
static ff_pose screw(const ff_body_motion *from, double time) {
  double spin = v3_norm(from->omega), angle = spin * time;
  /* integrals of cos and sin over the time; series where they cancel */
  double sine = angle < 1e-4 ? time : ff_sin(angle) / spin;
  double cosine = angle < 1e-4 ? 0.5 * time * time : (1 - ff_cos(angle)) / (spin * spin);
  double along = spin > 0 ? v3_dot(from->omega, from->velocity) / (spin * spin) : 0;
  ff_vec3 axial = v3_scale(along, from->omega);
  ff_vec3 across = v3_sub(from->velocity, axial);
  ff_vec3 way = v3_axpy(v3_scale(time, axial), sine, across);
  way = v3_axpy(way, cosine, v3_cross(from->omega, across));
  return (ff_pose){v3_add(from->pose.position, way),
                   q_unit(q_mul(q_exp(v3_scale(time, from->omega)), from->pose.orientation))};
}

/* A body a time (s) after the start of the step, if no contact acts. */
static ff_body_motion motion_after(const ff_model *model, const ff_state *state, int id,
                                   double time) {
  const ff_model_body *body = &model->bodies[id];
  ff_body_motion out = state->bodies[id];
  if (body->kind == FF_BODY_PRESCRIBED) {
    return ff_motion_at(body, state->t + time);
  }
  if (body->robot >= 0) {
    out.pose = screw(&state->bodies[id], time);
    out.velocity = q_rotate(q_exp(v3_scale(time, out.omega)), out.velocity);
  } else if (body->slot >= 0) {
    ff_vec3 g = model->run.gravity, momentum = v3_load(ff_state_body(state, body->slot) + FF_Y_L);
    ff_vec3 way = v3_axpy(v3_scale(time, out.velocity), 0.5 * time * time, g);
    out.pose.position = v3_add(out.pose.position, way);
    out.pose.orientation = ff_rotate_freely(body, out.pose.orientation, momentum, time);
    out.velocity = v3_axpy(out.velocity, time, g);
    out.omega = ff_body_omega(body, out.pose.orientation, momentum);
  }
  return out;
}

/* ---- one pair of shapes -----------------------------------------------------------------------
 */

typedef struct swept {
  const ff_model *model;
  const ff_state *state;
  const ff_model_shape *a, *b;
  double room;     /* m, deeper is too deep for one step */
  double speed;    /* m/s, bound of the speed of the surfaces against each other */
  double spinning; /* m/s, its part that is due to the spins */
  double other; /* m/s, bound of its other part, where directions change within the step; else 0 */
  double spin;  /* rad/s, of the one that spins faster */
  bool staged;  /* a Runge-Kutta method turns them */
  double h;     /* s, of the step to come */
  double whole; /* s, of a step that is not cut: what is fast does not depend on what is left */
} swept;

/* The pair at a time within the step. */
typedef struct look {
  double gap;     /* m */
  double closing; /* m/s, bound of what the gap can lose in a second from here on */
  double rate;    /* m/s, what it loses now */
  ff_vec3 point, normal;
} look;

/* Distance to a half-space: the support point of a. */
static void plane_distance(ff_distance *out, const ff_geom *a, const ff_pose *at_a,
                           const ff_pose *at_b) {
  ff_vec3 n = q_rotate(at_b->orientation, v3(0, 0, 1));
  ff_vec3 lowest = ff_geom_support(a, q_unrotate(at_a->orientation, v3_neg(n)));
  out->normal = n;
  out->on_a = pose_point(*at_a, lowest);
  out->gap = v3_dot(n, v3_sub(out->on_a, at_b->position));
  out->on_b = v3_axpy(out->on_a, -out->gap, n);
}

static look look_at(const swept *pair, double time) {
  ff_body_motion a = motion_after(pair->model, pair->state, pair->a->body, time);
  ff_body_motion b = motion_after(pair->model, pair->state, pair->b->body, time);
  ff_pose room_a, room_b;
  const ff_pose *at_a = ff_shape_at(pair->a, &a.pose, &room_a);
  const ff_pose *at_b = ff_shape_at(pair->b, &b.pose, &room_b);
  ff_distance found;
  if (pair->b->geom.kind == FF_HALF_SPACE) {
    plane_distance(&found, &pair->a->geom, at_a, at_b);
  } else {
    ff_distance_query(&found, &pair->a->geom, at_a, &pair->b->geom, at_b,
                      pair->speed * (pair->h - time));
  }
  ff_vec3 points = v3_sub(ff_motion_velocity(&a, found.on_a), ff_motion_velocity(&b, found.on_b));
  double flight = -v3_dot(found.normal, v3_sub(a.velocity, b.velocity));
  double pull = pair->h * v3_norm(pair->model->run.gravity);
  return (look){.gap = found.gap,
                .closing = pair->spinning + greater(flight + pull, pair->other),
                .rate = -v3_dot(found.normal, points),
                .point = v3_scale(0.5, v3_add(found.on_a, found.on_b)),
                .normal = found.normal};
}

/* By how much (s) the touch may come sooner since Runge-Kutta methods turn bodies by an angle that
 * is off by angle^3 / 24 (second order, others less); at most so much that most of the way is
 * left. */
static double turning_error(const swept *pair, double time) {
  double angle = pair->spin * time, off = angle * angle * angle / 12;
  return time * lesser(0.75, angle > 0 ? off / angle : 0);
}

/* Until when (s) the gap stays above a level (m), by conservative advancement; INFINITY: for all of
 * the step. */
static double sweep_until(const swept *pair, look now, double level) {
  double time = 0, landing = LANDING * pair->room;
  for (int i = 0; i < LOOKS && now.gap - level > landing; i++) {
    if (!(now.gap - level < now.closing * (pair->h - time))) {
      return INFINITY;
    }
    time += (now.gap - level - 0.5 * landing) / now.closing;
    now = look_at(pair, time);
  }
  return pair->staged ? time - turning_error(pair, time) : time;
}

/* Room of two shapes, m. */
static double room_of(const ff_model_shape *a, const ff_model_shape *b) {
  return ROOM * (a->thickness + (isfinite(b->thickness) ? b->thickness : a->thickness));
}

/* How far a shape's surface is from the centre of its body at most, m. */
static double arm_of(const ff_model_shape *shape) {
  return v3_norm(shape->pose.position) + shape->bound;
}

/* Are the bounding spheres too far apart to meet? */
static bool stay_apart(const swept *pair) {
  if (pair->b->geom.kind == FF_HALF_SPACE) {
    return false;
  }
  ff_vec3 a = pose_point(pair->state->bodies[pair->a->body].pose, pair->a->pose.position);
  ff_vec3 b = pose_point(pair->state->bodies[pair->b->body].pose, pair->b->pose.position);
  double way = pair->speed * pair->h;
  return v3_norm(v3_sub(a, b)) > pair->a->bound + pair->b->bound + way;
}

/* ---- touching pairs ---------------------------------------------------------------------------
 */

/* The largest speed (m/s) that a touching point may bring in or get from its force within h; -1: no
 * point of the pair touches. */
static double impact_speed(const ff_model *model, const ff_state *state, const ff_near *near,
                           double h) {
  double most = -1;
  ff_vec3 force = v3(0, 0, 0);
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    const ff_point *point = &state->points[i];
    if (point->touching) {
      /* depths of samples on nearly parallel edges change faster than their bodies move */
      most = greater(most, fabs(point->patch.depth_rate) / greater(1, point->pace));
      force = v3_add(force, point->force);
    }
  }
  double ease = model->bodies[model->shapes[near->shape_a].body].inv_mass +
                model->bodies[model->shapes[near->shape_b].body].inv_mass;
  return most < 0 ? most : most + h * ease * v3_norm(force);
}

/* Is the impact of a touching pair followed, of which `inside` is what impact_speed says? Notes it.
 */
static bool follows_impact(const swept *pair, const ff_near *near, double inside) {
  const ff_point *points = pair->state->points + near->first_point;
  bool followed = inside * pair->whole > pair->room;
  for (int i = 0; i < near->point_count && !followed; i++) {
    double rate = fabs(points[i].patch.depth_rate) / greater(1, points[i].pace);
    followed =
        points[i].touching && points[i].followed && rate * pair->whole > FOLLOWED * pair->room;
  }
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    ff_point *point = &pair->state->points[i];
    point->followed = followed && point->touching;
  }
  return followed;
}

/* Step that follows a contact of this frequency (rad/s), s. */
static double sweep_follow(const ff_model *model, double frequency) {
  bool implicit = model->stepper->contacts == FF_CONTACTS_BY_GROUND;
  bool first = model->stepper->order == 1 && !model->midpoint;
  return (implicit ? FOLLOW_IMPLICIT : first ? FOLLOW_EXPLICIT : FOLLOW) / frequency;
}

/* The step that follows the impact of a touching pair, s. */
static double impact_step(const ff_model *model, const ff_state *state, const ff_meet *meet,
                          const ff_near *near) {
  double fastest = 0;
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    const ff_point *point = &state->points[i];
    if (point->touching) {
      fastest = greater(fastest, ff_contact_frequency(model, state, meet, near, point));
    }
  }
  return sweep_follow(model, fastest);
}

/* Do contacts act before the bodies overlap, so that no step has to end at a touch? */
static bool acts_ahead(const ff_model *model) {
  return model->stepper->contacts == FF_CONTACTS_BY_LAYER || ff_model_is_ground_crowd(model);
}

/* Does the step have to follow the force of the law through an impact? */
static bool follows_law(const ff_model *model, const ff_near *near) {
  return model->stepper->fixed_step && !acts_ahead(model) &&
         model->bindings[near->binding].normal->normal;
}

static double sweep_touching(const swept *pair, const ff_meet *meet, const ff_near *near,
                             double inside) {
  double h = pair->h;
  if (follows_law(pair->model, near) && follows_impact(pair, near, inside)) {
    bool held =
        pair->state->crowd && ff_model_holds(pair->model, &pair->model->bindings[near->binding]);
    double least = held ? LEAST_IN_CROWD * pair->whole : 0;
    h = lesser(h, greater(least, impact_step(pair->model, pair->state, meet, near)));
  }
  if (pair->speed * pair->whole >
      pair->room) { /* what touches may still pass through, or turn through */
    look now = look_at(pair, 0);
    h = lesser(h, sweep_until(pair, now, lesser(now.gap, 0) - pair->room));
  }
  return h;
}

/* A pair that is about to touch. Steps that follow a law come from outside; others, which act only
 * on what they find inside, have to get there first. */
static double sweep_landed(const swept *pair, look now, const ff_meet *meet, const ff_near *near) {
  double crossing = (now.gap + LANDING * pair->room) / greater(now.rate, GRAZING * pair->speed);
  double least = LEAST_CUT * pair->room / pair->speed;
  if (acts_ahead(pair->model)) {
    return sweep_until(pair, now, -pair->room);
  }
  if (!follows_law(pair->model, near)) {
    return greater(crossing, least);
  }
  const ff_point at = {.point = now.point,
                       .normal = now.normal,
                       .patch = {.depth_rate = now.rate},
                       .weight = 1,
                       .pace = 1};
  double fastest = ff_contact_frequency(pair->model, pair->state, meet, near, &at);
  return greater(crossing, fastest > 0 ? sweep_follow(pair->model, fastest) : least);
}

static double sweep_open(const swept *pair, const ff_meet *meet, const ff_near *near) {
  if (!(pair->speed * pair->whole > pair->room) || stay_apart(pair)) {
    return INFINITY;
  }
  look now = look_at(pair, 0);
  return now.gap > 2 * LANDING * pair->room ? sweep_until(pair, now, 0)
                                            : sweep_landed(pair, now, meet, near);
}

/* ---- all pairs --------------------------------------------------------------------------------
 */

/* Shortens h for one pair of shapes. */
static double sweep_pair(const ff_work *work, const ff_meet *meet, const ff_near *near, pace a,
                         pace b, double h, double whole) {
  const ff_model *model = work->model;
  const ff_state *state = work->state;
  bool floor = model->shapes[near->shape_b].geom.kind == FF_HALF_SPACE;
  if (floor && model->stepper->contacts == FF_CONTACTS_BY_LAYER) {
    return h; /* contacts of the end of the step: nothing gets through */
  }
  swept pair = {.model = model,
                .state = state,
                .a = &model->shapes[near->shape_a],
                .b = &model->shapes[near->shape_b],
                .spin = greater(a.spin, b.spin),
                .staged = ff_stepper_of(model)->staged && model->stepper->fixed_step,
                .h = h,
                .whole = whole};
  ff_vec3 flight = v3_sub(state->bodies[meet->a].velocity, state->bodies[meet->b].velocity);
  bool bends = model->bodies[meet->a].robot >= 0 || model->bodies[meet->b].robot >= 0 ||
               model->bodies[meet->a].kind == FF_BODY_PRESCRIBED ||
               model->bodies[meet->b].kind == FF_BODY_PRESCRIBED;
  pair.room = room_of(pair.a, pair.b);
  pair.spinning = a.spin > 0 ? a.spin * arm_of(pair.a) : 0;
  if (b.spin > 0) { /* of a half-space what passes under a */
    ff_vec3 arm =
        v3_sub(state->bodies[meet->a].pose.position, state->bodies[meet->b].pose.position);
    pair.spinning += b.spin * (floor ? v3_norm(arm) + arm_of(pair.a) : arm_of(pair.b));
  }
  pair.other = bends ? a.flight + b.flight : 0;
  double falling = v3_norm(flight) + 2 * whole * v3_norm(model->run.gravity);
  pair.speed = pair.spinning + greater(pair.other, falling);
  double inside = impact_speed(model, state, near, whole);
  double cut =
      inside >= 0 ? sweep_touching(&pair, meet, near, inside) : sweep_open(&pair, meet, near);
  return lesser(h, greater(SHORTEST * whole, cut));
}

/* Could a body leave within h what the list of pairs covers? */
static bool leaves_list(const ff_work *work, double h) {
  const ff_model *model = work->model;
  for (int i = 0; i < model->body_count; i++) {
    if (model->bodies[i].kind != FF_BODY_FIXED && model->bodies[i].shape_count > 0) {
      ff_body_motion after = motion_after(model, work->state, i, h);
      if (ff_candidates_left(work->state, i, &after.pose)) {
        return true;
      }
    }
  }
  return false;
}

/* Does any body or contact point ask for a look at the pairs? */
typedef struct alarm_job {
  const ff_model *model;
  const ff_state *state;
  double h;
  atomic_bool found;
} alarm_job;

/* Points whose impact is followed. */
static void look_for_followed(void *context, int first, int end) {
  alarm_job *job = context;
  bool followed = false;
  for (int i = first; i < end && !followed; i++) {
    followed = job->state->points[i].followed;
  }
  if (followed) {
    atomic_store_explicit(&job->found, true, memory_order_relaxed);
  }
}

/* Bodies so fast that they could cross the room of a thin one within h. */
static void look_for_fast(void *context, int first, int end) {
  alarm_job *job = context;
  for (int i = first; i < end; i++) {
    const ff_model_body *body = &job->model->bodies[i];
    if (body->kind == FF_BODY_FIXED || body->shape_count == 0) {
      continue;
    }
    pace own = body_pace(job->model, job->state, i, job->h);
    double swing = own.spin > 0 ? own.spin * (body->infinite ? INFINITY : body->bound) : 0;
    if (job->h * (own.flight + swing) > ROOM * job->model->thinnest) {
      atomic_store_explicit(&job->found, true, memory_order_relaxed);
      return;
    }
  }
}

ff_status ff_sweep_step(ff_work *work, double *h) {
  const ff_model *model = work->model;
  ff_state *state = work->state;
  double whole = model->stepper->fixed_step ? greater(*h, model->run.stepper.step) : *h;
  alarm_job job = {.model = model, .state = state, .h = whole};
  ff_team_for(state->team, look_for_fast, &job, model->body_count, FF_BODIES_CHUNK);
  ff_team_for(state->team, look_for_followed, &job, state->point_count, FF_NEARS_CHUNK);
  if (!atomic_load(&job.found)) {
    return FF_OK;
  }
  if (model->stepper->fixed_step && leaves_list(work, *h)) {
    state->listed = false;
    ff_status status = ff_stepper_of(model)->refresh(work);
    if (status != FF_OK) {
      return status;
    }
  }
  for (int m = 0; m < state->meet_count; m++) {
    const ff_meet *meet = &state->meets[m];
    pace a = body_pace(model, state, meet->a, whole), b = body_pace(model, state, meet->b, whole);
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      *h = sweep_pair(work, meet, &state->nears[n], a, b, *h, whole);
    }
  }
  return FF_OK;
}
