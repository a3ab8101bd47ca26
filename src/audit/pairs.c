/* Overlaps of pairs, shapes that passed through each other, restitution of impacts. */
#include "audit/audit.h"
#include "base/team.h"
#include "geom/distance.h"
#include "math/vec.h"

#include <string.h>

#define GRAZING 1e-3 /* of the relative velocity, or of that of all energy: slower is no impact */
enum { BEGUN_MOST = 2 }; /* impacts that may come under watch in one step: a sample, in crowds */

/* ---- depth ----------------------------------------------------------------------------------- */

/* Deepest contact point of a shape pair, m; 0: it does not touch. */
static double near_depth(const ff_near *near, ff_point *points) {
  double deepest = 0;
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    ff_point *point = &points[i];
    if (point->touching) {
      deepest = greater(deepest, point->patch.depth);
    }
    point->slid = point->slid || !point->touching || point->mode != FF_STICK;
  }
  return deepest;
}

/* Depth that a pair of shapes may not exceed, m; INFINITY: none. Of layers over rigid cores: that
 * of the cores. */
static double depth_limit(const ff_model *model, const ff_near *near, bool cores) {
  const ff_model_shape *a = &model->shapes[near->shape_a], *b = &model->shapes[near->shape_b];
  if (cores && !ff_model_solves(model)) {
    return INFINITY;
  }
  return cores ? FF_LIMIT_RIGID * lesser(a->bound, b->bound) : lesser(a->thickness, b->thickness);
}

/* How deep rigid cores overlap, m. */
static double depth_inside(const ff_model *model, const ff_near *near, double depth) {
  return depth - model->bindings[near->binding].layer.max_deflection;
}

#define CORES_DEEP 1.001 /* of the limit: a core may lie as deep as that */

static bool is_too_deep(const ff_model *model, const ff_near *near, double depth) {
  return depth > CORES_DEEP * depth_limit(model, near, false) ||
         depth_inside(model, near, depth) > depth_limit(model, near, true);
}

static void check_depth(ff_auditor *auditor, const ff_model *model, const ff_meet *meet,
                        const ff_near *near, double depth, double t) {
  double half = depth_limit(model, near, false), limit = depth_limit(model, near, true);
  double inside = depth_inside(model, near, depth);
  if (depth > CORES_DEEP * half) {
    ff_found_add(&auditor->found, FF_FINDING_TOO_DEEP, meet->a, meet->b, t, depth, half);
  }
  if (inside > limit) {
    ff_found_add(&auditor->found, FF_FINDING_RIGID_ENTERED, meet->a, meet->b, t, inside, limit);
  }
}

/* ---- missed touches -------------------------------------------------------------------------- */

/* Motion of two bodies over a step. */
typedef struct sweep {
  const ff_body_motion *from[2], *to[2];
  double h, way; /* s; m, most that two of their points move relative to each other */
  double free;   /* m, how far the paths may differ from the interpolation */
  bool pushed;   /* something changed their relative velocity much */
} sweep;

/* Position by Hermite interpolation, orientation at the mean angular velocity. */
static ff_pose sweep_pose(const sweep *s, int which, double at) {
  const ff_body_motion *from = s->from[which], *to = s->to[which];
  double u = at, v = 1 - at, h = s->h;
  ff_vec3 x = v3_scale(v * v * (1 + 2 * u), from->pose.position);
  x = v3_axpy(x, u * u * (3 - 2 * u), to->pose.position);
  x = v3_axpy(x, u * v * v * h, from->velocity);
  x = v3_axpy(x, -u * u * v * h, to->velocity);
  ff_vec3 turn = v3_scale(0.5 * u * h, v3_add(from->omega, to->omega));
  return (ff_pose){x, q_mul(q_exp(turn), from->pose.orientation)};
}

static sweep sweep_of(const ff_model *model, const ff_state *state, const ff_body_motion *before,
                      const ff_meet *meet, double h) {
  sweep s = {.from = {&before[meet->a], &before[meet->b]},
             .to = {&state->bodies[meet->a], &state->bodies[meet->b]},
             .h = h};
  ff_vec3 moved[2];
  double turned = 0;
  for (int i = 0; i < 2; i++) {
    moved[i] = v3_sub(s.to[i]->pose.position, s.from[i]->pose.position);
    double spin = greater(v3_norm(s.from[i]->omega), v3_norm(s.to[i]->omega));
    double bound = model->bodies[i == 0 ? meet->a : meet->b].bound;
    turned += h * spin * (isfinite(bound) ? bound : 0);
  }
  s.way = v3_norm(v3_sub(moved[0], moved[1])) + turned;
  ff_vec3 came = v3_sub(s.from[0]->velocity, s.from[1]->velocity);
  ff_vec3 goes = v3_sub(s.to[0]->velocity, s.to[1]->velocity);
  double change = v3_norm(v3_sub(goes, came));
  s.free = 0.25 * h * change;
  s.pushed = change > 0.5 * v3_norm(came) + h * v3_norm(model->run.gravity) && turned < s.way / 2;
  return s;
}

/* Deepest overlap of two shapes on their way, found by steps as long as their distance allows;
 * stops where it exceeds enough. */
static double sweep_depth(const ff_model_shape *a, const ff_model_shape *b, const sweep *s,
                          double enough) {
  enum { LOOKS = 400 };
  double deepest = 0, at = 0;
  for (int look = 0; look < LOOKS && at <= 1 && deepest <= enough; look++) {
    ff_pose body_a = sweep_pose(s, 0, at), body_b = sweep_pose(s, 1, at), room_a, room_b;
    ff_distance distance;
    double left = (1 - at) * s->way;
    ff_distance_query(&distance, &a->geom, ff_shape_at(a, &body_a, &room_a), &b->geom,
                      ff_shape_at(b, &body_b, &room_b), left + enough);
    deepest = greater(deepest, -distance.gap);
    at += (greater(distance.gap, 0) + 0.25 * enough) / (1.5 * s->way);
  }
  return deepest;
}

/* Contacts that begin and end inside a step, or that are too shallow to matter, are not missed. */
static void check_missed(ff_auditor *auditor, const ff_model *model, const ff_meet *meet,
                         const ff_near *near, bool touches, const sweep *s, double t) {
  const ff_model_shape *a = &model->shapes[near->shape_a], *b = &model->shapes[near->shape_b];
  double half = lesser(a->thickness, b->thickness);
  bool finite = a->geom.kind != FF_HALF_SPACE && b->geom.kind != FF_HALF_SPACE;
  if (!finite || s->pushed || !(s->way > 0.5 * (a->thickness + b->thickness))) {
    return;
  }
  double limit = (touches || meet->touching ? half : FF_LIMIT_MISSED * half) + s->free;
  double depth = sweep_depth(a, b, s, limit);
  if (depth > limit) {
    ff_found_add(&auditor->found, FF_FINDING_MISSED, meet->a, meet->b, t, depth, limit);
  }
}

/* ---- impacts --------------------------------------------------------------------------------- */

/* Only bodies that nothing else drives. */
static bool is_left_alone(const ff_model *model, const ff_state *state, int body) {
  if (model->bodies[body].robot >= 0 || ff_applied_acts(&state->applied[body])) {
    return false;
  }
  for (int i = 0; i < model->force_count; i++) {
    if (model->forces[i].body == body) {
      return false;
    }
  }
  for (int i = 0; i < model->drive_count; i++) {
    if (model->drives[i].body == body) {
      return false;
    }
  }
  for (int i = 0; i < model->constraint_count; i++) {
    if (model->constraints[i].a == body || model->constraints[i].b == body) {
      return false;
    }
  }
  return true;
}

static bool meet_touches(const ff_state *state, const ff_meet *meet) {
  for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
    const ff_near *near = &state->nears[n];
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      if (state->points[i].touching) {
        return true;
      }
    }
  }
  return false;
}

/* Does a moved body of the two touch a third one? */
static bool others_touch(const ff_model *model, const ff_state *state, int a, int b) {
  bool moved_a = ff_body_is_moved(&model->bodies[a]), moved_b = ff_body_is_moved(&model->bodies[b]);
  for (int m = 0; m < state->meet_count; m++) {
    const ff_meet *meet = &state->meets[m];
    bool same = (meet->a == a && meet->b == b) || (meet->a == b && meet->b == a);
    bool shares =
        (moved_a && (meet->a == a || meet->b == a)) || (moved_b && (meet->a == b || meet->b == b));
    if (!same && shares && meet_touches(state, meet)) {
      return true;
    }
  }
  return false;
}

static double pair_closing_speed(const ff_body_motion *motions, int a, int b, ff_vec3 point,
                                 ff_vec3 normal) {
  const ff_body_motion *on[2] = {&motions[a], &motions[b]};
  double speed[2];
  for (int i = 0; i < 2; i++) {
    speed[i] = v3_dot(normal, ff_motion_velocity(on[i], point));
  }
  return speed[1] - speed[0];
}

static double pair_sliding_speed(const ff_body_motion *motions, int a, int b, ff_vec3 point,
                                 ff_vec3 normal) {
  ff_vec3 v =
      v3_sub(ff_motion_velocity(&motions[a], point), ff_motion_velocity(&motions[b], point));
  return v3_norm(v3_axpy(v, -v3_dot(normal, v), normal));
}

/* Restitution of spring and damper in parallel: when the spring has recovered, exp(-pi zeta / w),
 * or when their force vanishes, exp(-zeta (pi - atan(2 zeta w / (1 - 2 zeta^2))) / w), with w^2 = 1
 * - zeta^2: contacts end somewhere between. False: not known. */
static bool law_restitution(const ff_binding *binding, bool ground, double weight, double mass,
                            ff_impact_watch *out) {
  const ff_layer *layer = &binding->layer;
  if (ground && layer->stiffness == 0) {
    out->least = out->most = binding->ground.restitution;
    out->latest = 0;
    return layer->max_deflection == 0;
  }
  double k = weight * layer->stiffness, c = weight * layer->damping;
  double zeta = c / (2 * sqrt(k * mass));
  if (!(k > 0) || layer->stiffness_b > 0 || layer->sheared || layer->series || !(zeta < 0.9) ||
      (ground && c > 0)) {
    return false;
  }
  const double pi = 3.14159265358979323846;
  double w = sqrt(1 - zeta * zeta);
  if (out->approach > 0.5 * out->core * sqrt(k / mass)) { /* it may reach the core */
    return false;
  }
  out->least = ff_exp(-pi * zeta / w);
  out->most = ff_exp(-zeta / w * (pi - ff_atan2(2 * zeta * w, 1 - 2 * zeta * zeta)));
  out->latest = 2 * pi / (w * sqrt(k / mass));
  return true;
}

/* Force and stored energy of a law at one contact point. */
static ff_normal law_at(const ff_binding *binding, const ff_point *point, double depth,
                        double rate) {
  ff_normal out = {0};
  ff_patch patch = point->patch;
  patch.depth = depth;
  patch.depth_rate = rate;
  binding->normal->normal(&binding->normal_params, &patch, &out);
  out.force *= point->weight;
  out.energy *= point->weight;
  return out;
}

/* Restitution of any law with a force formula: m z'' = -f(z, z') from touch to release by the
 * midpoint rule, with 50 steps while the spring alone would take up the energy. False: not known.
 */
static bool force_restitution(const ff_binding *binding, const ff_point *point, double mass,
                              ff_impact_watch *out) {
  enum { STEPS_MOST = 2000 };
  double v = out->approach, energy = 0.5 * mass * v * v;
  if (!binding->normal->normal || binding->overlaps) {
    return false;
  }
  double deepest = 1e-9;
  while (deepest < 1 && law_at(binding, point, deepest, 0).energy < energy) {
    deepest *= 1.2;
  }
  double z = 0, u = v, h = 0.02 * deepest / v;
  int steps = 0;
  for (; steps < STEPS_MOST && z >= 0; steps++) {
    double half = z + h / 2 * u, f = law_at(binding, point, greater(z, 0), u).force;
    double u_half = u - h / 2 * f / mass;
    f = law_at(binding, point, greater(half, 0), u_half).force;
    z += h * u_half;
    u -= h * f / mass;
    if (u < 0 && f == 0) {
      break; /* the force ends before the depth does */
    }
  }
  out->least = out->most = greater(-u, 0) / v;
  out->latest = 2 * steps * h;
  return deepest < 1 && steps < STEPS_MOST;
}

/* The only contact point of a pair; NULL: it has none, or several. */
static const ff_point *only_point(const ff_state *state, const ff_meet *meet, int *binding) {
  const ff_point *only = NULL;
  int count = 0;
  for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
    const ff_near *near = &state->nears[n];
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      if (state->points[i].touching) {
        only = &state->points[i];
        *binding = near->binding;
        count++;
      }
    }
  }
  return count == 1 ? only : NULL;
}

/* Begins to watch an impact if it is central, fast and undisturbed. */
static void impact_begin(ff_auditor *auditor, const ff_model *model, const ff_state *state,
                         const ff_body_motion *before, const ff_meet *meet, double h) {
  int binding = 0;
  const ff_point *point = only_point(state, meet, &binding);
  if (!point || auditor->impact_count == FF_WATCHES || !is_left_alone(model, state, meet->a) ||
      !is_left_alone(model, state, meet->b) || others_touch(model, state, meet->a, meet->b)) {
    return;
  }
  double inverse = 0;
  const int bodies[2] = {meet->a, meet->b};
  for (int i = 0; i < 2; i++) {
    const ff_model_body *body = &model->bodies[bodies[i]];
    ff_vec3 arm = v3_sub(point->point, state->bodies[bodies[i]].pose.position);
    inverse += body->inv_mass;
    if (body->inv_mass > 0 && !(v3_norm(v3_cross(arm, point->normal)) < 1e-3 * body->bound)) {
      return;
    }
  }
  ff_impact_watch watch = {.a = meet->a, .b = meet->b, .since = state->t, .normal = point->normal};
  bool ground = model->stepper->contacts == FF_CONTACTS_BY_GROUND;
  watch.approach = pair_closing_speed(before, meet->a, meet->b, point->point, point->normal);
  watch.slide = pair_sliding_speed(before, meet->a, meet->b, point->point, point->normal);
  watch.core = !ff_model_solves(model) ? INFINITY : model->bindings[binding].layer.max_deflection;
  ff_vec3 velocity_a = before[meet->a].velocity, velocity_b = before[meet->b].velocity;
  double speed = v3_norm(v3_sub(velocity_a, velocity_b)), fall = h * v3_norm(model->run.gravity);
  double least = GRAZING * greater(speed, sqrt(2 * auditor->scale * inverse));
  bool fast = watch.approach > 10 * fall && watch.approach > least;
  if (!fast || !(inverse > 0)) {
    return;
  }
  const ff_binding *law = &model->bindings[binding];
  bool known = !ff_model_solves(model)
                   ? force_restitution(law, point, 1 / inverse, &watch)
                   : law_restitution(law, ground, point->weight, 1 / inverse, &watch);
  if (known) {
    watch.latest += state->t + 3 * h;
    auditor->impacts[auditor->impact_count++] = watch;
  }
}

/* Compares with the law; gravity changes the speed while they touch, and so does the normal of
 * bodies that slide over each other, as it turns. */
static void impact_judge(ff_auditor *auditor, const ff_model *model, const ff_impact_watch *watch,
                         double separation, double t, double h) {
  double pull = 2 * v3_norm(model->run.gravity) * (t - watch->since + h) / watch->approach;
  pull += watch->slide * watch->turned / watch->approach;
  double e = greater(separation, 0) / watch->approach;
  double off = greater(watch->least - e, e - watch->most);
  if (off > FF_LIMIT_IMPACT + pull) {
    ff_found_add(&auditor->found, FF_FINDING_IMPACT, watch->a, watch->b, t, off,
                 FF_LIMIT_IMPACT + pull);
  }
}

static void impacts_follow(ff_auditor *auditor, const ff_model *model, const ff_state *state,
                           double h) {
  int kept = 0;
  for (int i = 0; i < auditor->impact_count; i++) {
    ff_impact_watch watch = auditor->impacts[i];
    const ff_meet *meet = NULL;
    for (int m = 0; m < state->meet_count && !meet; m++) {
      bool same = state->meets[m].a == watch.a && state->meets[m].b == watch.b;
      meet = same ? &state->meets[m] : NULL;
    }
    if (!meet || others_touch(model, state, watch.a, watch.b) || meet->peak_depth > watch.core) {
      continue;
    }
    bool touches = meet_touches(state, meet);
    int binding;
    const ff_point *point = only_point(state, meet, &binding);
    if (touches && !point) { /* other shapes of the same bodies touch, too */
      continue;
    }
    watch.turned = point ? v3_norm(v3_sub(point->normal, watch.normal)) : watch.turned;
    if (touches && state->t < watch.latest) {
      auditor->impacts[kept++] = watch;
    } else if (state->t > watch.since) {
      int moved = ff_body_is_moved(&model->bodies[watch.a]) ? watch.a : watch.b;
      ff_vec3 centre = state->bodies[moved].pose.position;
      double speed =
          touches ? 0 : -pair_closing_speed(state->bodies, watch.a, watch.b, centre, watch.normal);
      impact_judge(auditor, model, &watch, speed, state->t, h);
    }
  }
  auditor->impact_count = kept;
}

/* ---- all pairs ------------------------------------------------------------------------------- */

typedef struct move_job {
  const ff_model *model;
  const ff_state *state;
  const ff_body_motion *before;
  double h;
} move_job;

static void find_largest_move(void *context, int first, int end) {
  const move_job *job = context;
  double most = 0, h = job->h;
  for (int i = first; i < end; i++) {
    const ff_model_body *body = &job->model->bodies[i];
    const ff_body_motion *from = &job->before[i], *to = &job->state->bodies[i];
    if (body->kind == FF_BODY_FIXED || body->shape_count == 0) {
      continue;
    }
    double spin = greater(v3_norm(from->omega), v3_norm(to->omega));
    double moved = v3_norm(v3_sub(to->pose.position, from->pose.position));
    most = greater(most, moved + h * spin * (isfinite(body->bound) ? body->bound : 0));
  }
  job->state->sums[first / FF_BODIES_CHUNK][0] = most;
}

/* Most that a point of a body moves in a step, m. */
static double largest_move(const ff_model *model, const ff_state *state,
                           const ff_body_motion *before, double h) {
  move_job job = {model, state, before, h};
  double most = 0;
  ff_team_for(state->team, find_largest_move, &job, model->body_count, FF_BODIES_CHUNK);
  for (int k = 0; k < ff_chunks_of(model->body_count, FF_BODIES_CHUNK); k++) {
    most = greater(most, state->sums[k][0]);
  }
  return most;
}

/* Overlaps and touches of a body pair. fast: also what passed through each other. */
static void audit_pair(ff_auditor *auditor, const ff_model *model, ff_state *state,
                       const ff_body_motion *before, const ff_meet *meet, double h, bool fast,
                       int *begun) {
  bool judged = model->stepper->fixed_step, touches = false;
  sweep s;
  if (fast) {
    s = sweep_of(model, state, before, meet, h);
  }
  for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
    const ff_near *near = &state->nears[n];
    double depth = near_depth(near, state->points);
    touches = touches || depth > 0;
    if (depth > 0) {
      check_depth(auditor, model, meet, near, depth, state->t);
    }
    if (fast) {
      check_missed(auditor, model, meet, near, depth > 0, &s, state->t);
    }
  }
  auditor->touched |= touches;
  if (judged && touches && !meet->touching && (*begun)++ < BEGUN_MOST) {
    impact_begin(auditor, model, state, before, meet, h);
  }
}

/* Of active pairs, what changes nothing but themselves. Notes in the sums of a chunk from which to
 * which pair there is more to do, and whether one touches. */
static void look_at_pairs(void *context, int first, int end) {
  const move_job *job = context;
  const ff_state *state = job->state;
  int from = end, to = first;
  bool touched = false;
  for (int m = first; m < end; m++) {
    const ff_meet *meet = ff_state_active(state, m);
    bool more = false;
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      const ff_near *near = &state->nears[n];
      double depth = near_depth(near, state->points);
      more = more || (depth > 0 && (!meet->touching || is_too_deep(job->model, near, depth)));
      touched = touched || depth > 0;
    }
    from = more && m < from ? m : from;
    to = more ? m + 1 : to;
  }
  double *sums = state->sums[first / FF_NEARS_CHUNK];
  sums[0] = from;
  sums[1] = to;
  sums[2] = touched;
}

void ff_audit_pairs(ff_auditor *auditor, const ff_model *model, ff_state *state,
                    const ff_body_motion *before, double h) {
  bool fast = 2 * largest_move(model, state, before, h) > model->thinnest;
  int begun = 0; /* impacts that were looked at in this step */
  move_job job = {model, state, before, h};
  int active = fast ? 0 : ff_state_active_count(state);
  ff_team_for(state->team, look_at_pairs, &job, active, FF_NEARS_CHUNK);
  for (int k = 0; k < ff_chunks_of(active, FF_NEARS_CHUNK); k++) {
    auditor->touched |= state->sums[k][2] > 0;
    for (int m = (int)state->sums[k][0]; m < (int)state->sums[k][1]; m++) {
      audit_pair(auditor, model, state, before, ff_state_active(state, m), h, false, &begun);
    }
  }
  for (int m = 0; fast && m < state->meet_count; m++) {
    audit_pair(auditor, model, state, before, &state->meets[m], h, true, &begun);
  }
  if (auditor->impact_count > 0) {
    impacts_follow(auditor, model, state, h);
  }
}
