/* Each press is a contact of its own to the normal law, with its share of energy and force. Those
 * next to one corner have one point between them, where their forces act together: it carries the
 * friction, its memory and what is told of the contact.
 */
#include "step/presses.h"

#include "geom/press.h"
#include "math/vec.h"
#include "step/forces.h"
#include "step/frame.h"

/* What the presses of one point come to. */
typedef struct sum {
  ff_vec3 force, place; /* N; N m, points times forces */
  double weight;        /* N, of the points in place */
  ff_vec3 moment;       /* N m about the origin, of held forces */
  ff_normal normal;     /* all together */
} sum;

typedef struct pair {
  const ff_model *model;
  ff_state *state;
  const ff_meet *meet;
  const ff_near *near;
  const ff_binding *binding;
  double *ledger;
  sum sums[FF_PRESS_SLOTS];
} pair;

/* The deepest press is where a point is as long as nothing pushes. */
static void name(ff_point *point, const ff_press *press) {
  point->point = press->point;
  point->normal = press->normal;
  point->patch.depth = press->depth;
  point->patch.curvature[0] = point->patch.curvature[1] = INFINITY;
}

/* What the law stores at a depth. */
static double energy_at(void *context, double depth) {
  const pair *p = context;
  ff_patch patch = {.depth = depth, .curvature = {INFINITY, INFINITY}};
  ff_normal normal = {0};
  p->binding->normal->normal(&p->binding->normal_params, &patch, &normal);
  return normal.energy;
}

static void add_up(sum *to, const ff_press *press, const ff_normal *normal) {
  double weight = press->push * fabs(normal->force);
  to->force = v3_axpy(to->force, press->push * normal->force, press->normal);
  to->place = v3_axpy(to->place, weight, press->point);
  to->weight += weight;
  to->normal.force += press->push * normal->force;
  to->normal.elastic += press->push * normal->elastic;
  to->normal.energy += press->share * normal->energy;
  to->normal.d_depth += press->push * normal->d_depth;
  to->normal.d_rate += press->push * normal->d_rate;
}

/* Places wander and shares change as the bodies move: what then is stored elsewhere, couple, pull
 * and swing work. */
static void add_press(void *context, const ff_press *press) {
  pair *p = context;
  ff_point *point = &p->state->points[p->near->first_point + press->slot];
  if (press->depth > point->patch.depth) {
    name(point, press);
  }
  if (!(press->depth > 0) || press->idle) {
    return;
  }
  point->touching = true;
  ff_point here = {.point = press->point, .normal = press->normal};
  here.patch.depth = press->depth;
  here.patch.curvature[0] = here.patch.curvature[1] = INFINITY;
  ff_contact_bodies bodies = ff_contact_look(p->state, p->meet, &here);
  ff_vec3 turning = v3_sub(p->state->bodies[p->meet->a].omega, p->state->bodies[p->meet->b].omega);
  double rate = press->push * here.patch.depth_rate - v3_dot(press->couple, turning);
  here.patch.depth_rate = press->push > 0 ? rate / press->push : 0;
  ff_normal normal = {0};
  p->binding->normal->normal(&p->binding->normal_params, &here.patch, &normal);
  add_up(&p->sums[press->slot], press, &normal);
  if (p->ledger) {
    p->ledger[FF_Y_LOST + FF_LOST_NORMAL] += (normal.force - normal.elastic) * rate;
    p->ledger[FF_Y_UNPAID] += p->binding->normal_unpaid ? normal.elastic * rate : 0;
  }
  ff_vec3 force = v3_scale(press->push * normal.force, press->normal);
  ff_vec3 moment = v3_scale(normal.force, press->couple);
  ff_contact_push(p->model, p->state, &bodies, press->point,
                  v3_axpy(force, normal.energy, press->pull),
                  v3_axpy(moment, normal.energy, press->swing), p->ledger);
}

/* The point between the presses, which friction acts at. */
static void place(pair *p, ff_point *point, const sum *of) {
  if (of->weight > 0 && v3_norm(of->force) > 0) {
    point->point = v3_scale(1 / of->weight, of->place);
    point->normal = v3_scale(of->normal.force < 0 ? -1 : 1, v3_unit(of->force));
  }
  point->t1 = v3_orthogonal(point->normal);
  point->t2 = v3_cross(point->normal, point->t1);
  if (point->touching && p->model->memory_count > 0 && ff_frame_wanders(p->model, p->near)) {
    ff_frame_carry(p->model, p->state, p->near, point);
  }
}

static void finish(pair *p, ff_point *point, const sum *of, const double *memory,
                   double *memory_rate) {
  place(p, point, of);
  ff_contact_bodies bodies = ff_contact_look(p->state, p->meet, point);
  if (!point->touching) {
    return;
  }
  double depth = point->patch.depth;
  point->patch.depth = greater(FF_AT_SURFACE, depth);
  point->force_n = of->normal.force;
  point->energy_n = of->normal.energy;
  point->normal_unpaid = p->binding->normal_unpaid;
  point->force = v3(0, 0, 0); /* of friction alone, to begin with */
  ff_contact_rub(p->model, p->state, p->near, point, &bodies, &of->normal, memory, memory_rate,
                 p->ledger);
  ff_contact_push(p->model, p->state, &bodies, point->point, point->force, point->moment,
                  p->ledger);
  point->force = v3_add(point->force, of->force);
  point->patch.depth = depth;
}

/* ---- held contacts ----------------------------------------------------------------------------
 */

/* A held point has one force, along one normal: that of its presses together. They store what the
 * law does at the depth of the deepest times a weight, and push as if that depth went at a pace: so
 * energy and force are right at the start, and it is held as the depth changes. What presses have
 * beside forces at the point, being small, acts as it is. */
static void add_held(void *context, const ff_press *press) {
  pair *p = context;
  ff_point *point = &p->state->points[p->near->first_point + press->slot];
  if (press->idle) {
    return;
  }
  if (press->depth > point->patch.depth) {
    name(point, press);
  }
  if (!(press->depth > 0)) {
    return;
  }
  ff_point here = {.point = press->point, .normal = press->normal};
  here.patch.depth = press->depth;
  here.patch.curvature[0] = here.patch.curvature[1] = INFINITY;
  ff_contact_bodies bodies = ff_contact_look(p->state, p->meet, &here);
  here.patch.depth_rate = 0;
  ff_normal normal = {0};
  p->binding->normal->normal(&p->binding->normal_params, &here.patch, &normal);
  sum *to = &p->sums[press->slot];
  add_up(to, press, &normal);
  ff_vec3 force = v3_scale(press->push * normal.force, press->normal);
  to->moment = v3_add(to->moment, v3_cross(press->point, force));
  ff_vec3 moment = v3_scale(normal.force, press->couple);
  ff_contact_push(p->model, p->state, &bodies, press->point, v3_scale(normal.energy, press->pull),
                  v3_axpy(moment, normal.energy, press->swing), p->ledger);
}

/* All presses of the point, over the deepest. */
static void weigh(const pair *p, ff_point *point, const sum *of) {
  ff_patch patch = {.depth = point->patch.depth, .curvature = {INFINITY, INFINITY}};
  ff_normal normal = {0};
  point->weight = point->pace = 1;
  if (patch.depth > 0) {
    p->binding->normal->normal(&p->binding->normal_params, &patch, &normal);
  }
  if (normal.force != 0) {
    double force = v3_norm(of->force) / fabs(normal.force);
    bool stores = normal.energy > 0 && of->normal.energy > 0;
    point->weight = stores ? of->normal.energy / normal.energy : force;
    point->pace = force / point->weight;
  }
}

/* What forces at several places have beside their sum at the point. */
static void twist(const pair *p, ff_point *point, const sum *of) {
  if (of->weight > 0) {
    ff_contact_bodies bodies = ff_contact_look(p->state, p->meet, point);
    ff_vec3 rest = v3_sub(of->moment, v3_cross(point->point, of->force));
    ff_contact_push(p->model, p->state, &bodies, point->point, v3(0, 0, 0), rest, p->ledger);
  }
}

static pair pair_of(const ff_model *model, ff_state *state, const ff_meet *meet,
                    const ff_near *near, double *ledger) {
  return (pair){.model = model,
                .state = state,
                .meet = meet,
                .near = near,
                .binding = &model->bindings[near->binding],
                .ledger = ledger};
}

static void look(pair *p, double margin, void (*fn)(void *context, const ff_press *press)) {
  const ff_model *model = p->model;
  const ff_model_shape *a = &model->shapes[p->near->shape_a], *b = &model->shapes[p->near->shape_b];
  ff_pose room_a, room_b;
  const ff_pose *pose_a = ff_shape_at(a, &p->state->bodies[a->body].pose, &room_a);
  const ff_pose *pose_b = ff_shape_at(b, &p->state->bodies[b->body].pose, &room_b);
  const ff_press_to to = {fn, energy_at, p};
  ff_geom_press(&a->geom, pose_a, &b->geom, pose_b, margin, &to);
}

void ff_presses_place(const ff_model *model, ff_state *state, const ff_meet *meet,
                      const ff_near *near, double margin, double *ledger) {
  pair p = pair_of(model, state, meet, near, ledger);
  look(&p, margin, add_held);
  for (int i = 0; i < near->point_count; i++) {
    ff_point *point = &state->points[near->first_point + i];
    if (point->patch.depth > -INFINITY) {
      point->touching = point->patch.depth > 0 || state->middle;
      place(&p, point, &p.sums[i]);
      weigh(&p, point, &p.sums[i]);
      point->energy_n = p.sums[i].normal.energy;
      twist(&p, point, &p.sums[i]);
    }
  }
}

/* ---- all others -------------------------------------------------------------------------------
 */

void ff_presses_push(const ff_model *model, ff_state *state, const ff_meet *meet,
                     const ff_near *near, const double *memory, double *memory_rate,
                     double *ledger) {
  pair p = pair_of(model, state, meet, near, ledger);
  look(&p, state->frozen ? INFINITY : 0, add_press);
  size_t width = (size_t)model->memory_count;
  for (int i = 0; i < near->point_count; i++) {
    ff_point *point = &state->points[near->first_point + i];
    if (point->patch.depth > -INFINITY) {
      finish(&p, point, &p.sums[i], memory + (size_t)i * width,
             memory_rate ? memory_rate + (size_t)i * width : NULL);
    }
  }
}
