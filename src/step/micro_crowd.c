#include "step/micro_crowd.h"

#include "math/vec.h"
#include "step/micro_macro.h"
#include "step/samples.h"
#include "step/sleep.h"

#include <math.h>
#include <string.h>

enum {
  BODIES = 10,       /* islands of more free bodies, or of FF_CROWD_LEAST contacts, are crowds */
  TURNS = 100,       /* limit of sweeps for velocities, */
  SHIFT_TURNS = 100, /* and for a position correction */
  RETURNS = 4,       /* times that a damper may be switched on again in a step */
  CONE_STEPS = 8     /* of Newton's method for friction at the limit of its cone */
};
#define SHIFTED    1e-3 /* of the largest depth: changes that end a position correction */
#define CONE_EXACT 1e-9 /* of the radius: a friction impulse */

ff_status ff_micro_create_crowd(ff_micro *micro) {
  const ff_model *model = micro->model;
  ff_micro_crowd *crowd = &micro->crowd;
  ff_arena *arena = &micro->arena;
  size_t contacts = (size_t)micro->contact_capacity, bodies = (size_t)model->free_count + 1;
  *crowd = (ff_micro_crowd){0};
  crowd->contacts = ff_arena_take(arena, contacts, sizeof *crowd->contacts);
  crowd->bodies.at = ff_arena_take(arena, bodies, sizeof *crowd->bodies.at);
  crowd->bodies.inertia = ff_arena_take(arena, bodies, sizeof *crowd->bodies.inertia);
  crowd->chunks =
      ff_arena_take(arena, ff_crowd_chunks(micro->contact_capacity), sizeof *crowd->chunks);
  bool room = crowd->contacts && crowd->bodies.at && crowd->bodies.inertia && crowd->chunks;
  return room ? ff_crowd_order_make(&crowd->order, arena, micro->contact_capacity,
                                    model->free_count, 1)
              : FF_ERROR_MEMORY;
}

/* ---- islands --------------------------------------------------------------------------------- */

/* Many contacts of free bodies, or many bodies, in the corrected implicit form. Of a model of many
 * bodies all contacts of free ones. */
static bool is_micro_crowd(const ff_micro *micro, int island) {
  const ff_model *model = micro->model;
  int first = micro->mover_start[island], end = micro->mover_start[island + 1];
  int contacts = micro->contact_start[island + 1] - micro->contact_start[island];
  bool many = contacts >= FF_CROWD_LEAST || end - first > BODIES ||
              (contacts > 0 && ff_model_is_ground_crowd(model));
  return many && model->run.stepper.corrections && model->run.stepper.accuracy > 0 &&
         model->micro == FF_MICRO_IMPLICIT && end > first &&
         micro->movers[end - 1] < model->free_count; /* movers are sorted, robots come last */
}

void ff_micro_order_crowds(ff_micro *micro) {
  ff_crowd_order *order = &micro->crowd.order;
  order->count = 0;
  for (int i = 0; i < ff_mover_count(micro->model); i++) {
    micro->in_crowd[i] = is_micro_crowd(micro, i);
    for (int k = micro->contact_start[i]; micro->in_crowd[i] && k < micro->contact_start[i + 1];
         k++) {
      const ff_micro_contact *contact = &micro->contacts[k];
      order->links[order->count++] = (ff_crowd_link){.point = k,
                                                     .a = micro->model->bodies[contact->a].slot,
                                                     .b = micro->model->bodies[contact->b].slot};
    }
  }
  ff_crowd_sort(order);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* A body that sleeps is as if it were fixed. False: it does not sleep. */
static bool hold_sleeper(ff_micro *micro, int slot) {
  ff_crowd_bodies *bodies = &micro->crowd.bodies;
  bool asleep = ff_sleep_holds_slot(micro->model, micro->state, slot);
  if (asleep) {
    bodies->at[slot].inv_mass = bodies->at[slot].inverse = 0;
    memset(bodies->inertia[slot], 0, sizeof *bodies->inertia);
  }
  return asleep;
}

/* A body under all forces but those of the contacts. */
static void load_micro_body(ff_micro *micro, int slot) {
  ff_crowd_bodies *bodies = &micro->crowd.bodies;
  const ff_state *state = micro->state;
  int id = micro->model->free_bodies[slot];
  const ff_wrench *wrench = &state->wrenches[id];
  ff_vec3 momentum = v3_load(ff_state_body(state, slot) + FF_Y_L);
  ff_vec3 torque = v3_sub(wrench->torque, v3_cross(state->bodies[id].omega, momentum));
  ff_crowd_body *to = &bodies->at[slot];
  ff_crowd_load_body(bodies, micro->model, slot, state->bodies[id].pose.orientation);
  if (hold_sleeper(micro, slot)) {
    return;
  }
  to->dv = v3_scale(micro->h, v3_axpy(micro->model->run.gravity, to->inv_mass, wrench->force));
  to->dw = v3_scale(micro->h, ff_crowd_turn(bodies, slot, torque));
}

static void load_micro_frame(ff_micro *micro, int index) {
  const ff_crowd_order *order = &micro->crowd.order;
  const ff_crowd_link *link = &order->links[order->order[index]];
  const ff_micro_contact *contact = &micro->contacts[link->point];
  const ff_state *state = micro->state;
  const ff_point *point = &state->points[contact->point];
  ff_micro_crowd_contact *c = &micro->crowd.contacts[index];
  int none = micro->model->free_count;
  *c = (ff_micro_crowd_contact){.of = link->point};
  c->has_lever = !ff_point_is_plain(point);
  c->frame =
      (ff_crowd_frame){.a = link->a >= 0 ? link->a : none,
                       .b = link->b >= 0 ? link->b : none,
                       .axes = {point->push, point->t1, point->t2},
                       .arm_a = v3_sub(point->point, state->bodies[contact->a].pose.position),
                       .arm_b = v3_sub(point->point, state->bodies[contact->b].pose.position),
                       .lever = c->has_lever ? point->lever : v3(0, 0, 0)};
  ff_crowd_load_block(&micro->crowd.bodies, &c->frame, c->w);
  c->left[0] = INFINITY;
}

static void load_elastic_part(const ff_micro *micro, const ff_micro_contact *contact,
                              ff_micro_crowd_contact *c) {
  double h = micro->h, known = 1 - contact->share;
  if (!contact->soft) {
    return;
  }
  c->spring = contact->per_depth * contact->depth;
  c->rate = h * contact->stiffness;
  c->damper = contact->damping - c->rate;
  c->grip = h * contact->resist * contact->share;
  c->limit = contact->limit;
  for (int k = 0; k < 2; k++) {
    c->stick[k] =
        -h * (contact->resist * known * contact->speed[1 + k] + contact->root * contact->memory[k]);
  }
}

static void load_rigid_part(const ff_micro *micro, const ff_micro_contact *contact,
                            ff_micro_crowd_contact *c) {
  const ff_grip *grip = contact->grip;
  bool kinetic = contact->slides || micro->model->run.stepper.no_sticking;
  c->room = contact->room;
  c->leave = ff_macro_leaving_speed(micro, contact);
  c->bounces = contact->impact && contact->ground->restitution > 0;
  c->mu = kinetic ? grip->mu_kinetic : grip->mu_static;
  for (int k = 0; k < 2; k++) {
    c->target[k] = ff_macro_sticking_slip(micro, contact, k);
  }
}

/* The impulses of the step before are where the sweeps start from. */
static void warm_start_micro(const ff_micro *micro, const ff_micro_contact *contact,
                             ff_micro_crowd_contact *c) {
  const ff_point *point = &micro->state->points[contact->point];
  const ff_micro_point *own = ff_state_micro_point(micro->state, point);
  for (int k = 0; k < 3; k++) {
    double all = micro->h * (k == 0 ? point->force_n : point->force_t[k - 1]);
    c->hit[k] = isfinite(c->room) ? own->impulse[k] : 0;
    c->soft[k] = contact->soft ? all - own->impulse[k] : 0;
  }
}

static void load_micro_contacts(void *context, int first, int end) {
  ff_micro *micro = context;
  for (int i = first; i < end; i++) {
    load_micro_frame(micro, i);
    ff_micro_crowd_contact *c = &micro->crowd.contacts[i];
    ff_micro_contact *contact = &micro->contacts[c->of];
    ff_micro_meet(micro, contact, 1);
    memcpy(c->start, contact->speed, sizeof c->start);
    load_elastic_part(micro, contact, c);
    load_rigid_part(micro, contact, c);
    warm_start_micro(micro, contact, c);
  }
}

static void load_micro_bodies(ff_micro *micro, bool forces) {
  const ff_crowd_order *order = &micro->crowd.order;
  for (int i = 0; i < order->island_count; i++) {
    int island = micro->contacts[order->links[order->order[order->islands[i].first]].point].island;
    for (int k = micro->mover_start[island]; k < micro->mover_start[island + 1]; k++) {
      int slot = micro->movers[k];
      if (forces) {
        load_micro_body(micro, slot);
      } else {
        int id = micro->model->free_bodies[slot];
        ff_crowd_load_body(&micro->crowd.bodies, micro->model, slot,
                           micro->state->bodies[id].pose.orientation);
        hold_sleeper(micro, slot);
      }
    }
  }
}

/* ---- one contact ----------------------------------------------------------------------------- */

/* Velocity of a against b at the end of the step. */
static void micro_velocity(const ff_crowd_bodies *bodies, const ff_micro_crowd_contact *c,
                           double v[3]) {
  const ff_crowd_frame *f = &c->frame;
  const ff_crowd_body *a = &bodies->at[f->a], *b = &bodies->at[f->b];
  ff_vec3 way =
      v3_add(v3_sub(a->dv, b->dv), v3_sub(v3_cross(a->dw, f->arm_a), v3_cross(b->dw, f->arm_b)));
  for (int k = 0; k < 3; k++) {
    v[k] = c->start[k] + v3_dot(f->axes[k], way);
  }
  if (c->has_lever) {
    v[0] += v3_dot(f->lever, v3_sub(a->dw, b->dw));
  }
}

/* N s, of spring and damper at the velocity v + w p; less than 0: none. */
static double elastic_normal(const ff_micro_crowd_contact *c, double h, double v, double w) {
  double damping = c->undamped ? c->rate : c->rate + c->damper;
  return h * (c->spring - damping * v) / (1 + h * damping * w);
}

/* The damper stops to act where it would make the contact pull. */
static void settle_damper(ff_micro_crowd_contact *c, double v) {
  bool pulls = c->spring - (c->rate + c->damper) * v < 0;
  if (c->damper > 0 && pulls != c->undamped && c->returns < RETURNS) {
    c->undamped = pulls;
    c->returns += pulls ? 0 : 1;
  }
}

/* Normal impulses at the normal velocity v without them. */
static void solve_micro_normal(ff_micro_crowd_contact *c, double h, double v, double out[2]) {
  double w = c->w[0];
  out[0] = out[1] = 0;
  if (c->rate > 0) {
    settle_damper(c, v);
    out[0] = greater(elastic_normal(c, h, v, w), 0);
  }
  double end = v + w * out[0];
  c->admitted = c->admitted || -h * end > c->room;
  if (end < c->leave && isfinite(c->room) && (c->admitted || !c->bounces)) {
    out[0] = c->rate > 0 ? greater(elastic_normal(c, h, c->leave, 0), 0) : 0;
    out[1] = greater((c->leave - v) / w - out[0], 0);
  }
}

/* Impulse q within the disc of this radius that minimises q.A q / 2 + b.q (a: 11 12 22); on its rim
 * -A q - b is along q: the multiplier by Newton's method for 1/|q| [More83]. True: on the rim. */
static bool minimise_in_disc(const double a[3], const double b[2], double radius, double q[2]) {
  double lambda = 0, size = 0;
  if (!(radius > 0)) {
    q[0] = q[1] = 0;
    return true;
  }
  for (int k = 0; k < CONE_STEPS; k++) {
    double xx = a[0] + lambda, yy = a[2] + lambda, scale = 1 / (xx * yy - a[1] * a[1]);
    q[0] = scale * (a[1] * b[1] - yy * b[0]);
    q[1] = scale * (a[1] * b[0] - xx * b[1]);
    double size2 = q[0] * q[0] + q[1] * q[1];
    size = sqrt(size2);
    if ((lambda == 0 && size <= radius) || fabs(size - radius) <= CONE_EXACT * radius) {
      break;
    }
    double bend = scale * (yy * q[0] * q[0] - 2 * a[1] * q[0] * q[1] + xx * q[1] * q[1]);
    lambda = greater(lambda + (size - radius) / radius * size2 / bend, 0);
  }
  for (int k = 0; k < 2 && size > radius; k++) {
    q[k] *= radius / size;
  }
  return lambda > 0;
}

/* Friction of the elastic part at the slip v, its own friction included. */
static void solve_elastic_friction(ff_micro_crowd_contact *c, const double v[2], double q[2]) {
  const double *w = c->w + 3, g = c->grip, *p = c->soft + 1;
  const double block[3] = {1 + g * w[0], g * w[1], 1 + g * w[2]};
  const double b[2] = {g * (v[0] - w[0] * p[0] - w[1] * p[1]) - c->stick[0],
                       g * (v[1] - w[1] * p[0] - w[2] * p[1]) - c->stick[1]};
  c->soft_slides = minimise_in_disc(block, b, c->limit * c->soft[0], q);
}

static void solve_rigid_friction(ff_micro_crowd_contact *c, const double v[2], double q[2]) {
  const double *w = c->w + 3, *p = c->hit + 1;
  const double b[2] = {v[0] - c->target[0] - w[0] * p[0] - w[1] * p[1],
                       v[1] - c->target[1] - w[1] * p[0] - w[2] * p[1]};
  c->hit_slides = minimise_in_disc(w, b, c->mu * c->hit[0], q);
}

/* Adds a change of friction to one of its impulses, and what it does to the velocities. */
static void change_friction(const ff_micro_crowd_contact *c, const double q[2], double impulse[3],
                            double change[3], double v[3]) {
  for (int k = 0; k < 2; k++) {
    double more = q[k] - impulse[1 + k];
    change[1 + k] += more;
    impulse[1 + k] = q[k];
    v[0] += c->w[1 + k] * more;
    v[1] += c->w[3 + k] * more;
    v[2] += c->w[4 + k] * more;
  }
}

/* Would the impulses change by less than `still` (N s) if the contact were solved again? */
static bool micro_is_settled(const ff_micro_crowd_contact *c, const double v[3], double still) {
  return fabs(v[0] - c->left[0]) <= still * c->w[0] && fabs(v[1] - c->left[1]) <= still * c->w[3] &&
         fabs(v[2] - c->left[2]) <= still * c->w[5];
}

/* Solves one contact for its own impulses while the others stay. Returns how much they changed. */
static double solve_micro_contact(ff_micro_crowd *crowd, ff_micro_crowd_contact *c, double h,
                                  double still) {
  double v[3], p[2], q[2], change[3] = {0};
  micro_velocity(&crowd->bodies, c, v);
  if (micro_is_settled(c, v, still)) {
    return 0;
  }
  double before = c->soft[0] + c->hit[0];
  solve_micro_normal(c, h, v[0] - c->w[0] * before, p);
  change[0] = p[0] + p[1] - before;
  c->soft[0] = p[0];
  c->hit[0] = p[1];
  for (int k = 0; k < 3; k++) {
    v[k] += c->w[k] * change[0];
  }
  if (c->rate > 0) {
    solve_elastic_friction(c, v + 1, q);
    change_friction(c, q, c->soft, change, v);
  }
  if (isfinite(c->room)) {
    solve_rigid_friction(c, v + 1, q);
    change_friction(c, q, c->hit, change, v);
  }
  memcpy(c->left, v, sizeof c->left);
  double most = greater(fabs(change[0]), greater(fabs(change[1]), fabs(change[2])));
  if (most > 0) {
    ff_crowd_hit(&crowd->bodies, &c->frame, change);
  }
  return most;
}

static ff_crowd_change solve_micro_contacts(void *context, int first, int end, double still) {
  ff_micro *micro = context;
  ff_crowd_change out = {0};
  for (int i = first; i < end; i++) {
    ff_micro_crowd_contact *c = &micro->crowd.contacts[i];
    out.change = greater(out.change, solve_micro_contact(&micro->crowd, c, micro->h, still));
    out.most = greater(out.most, c->soft[0] + c->hit[0]);
  }
  return out;
}

/* ---- solution -------------------------------------------------------------------------------- */

static void store_micro_contact(ff_micro *micro, const ff_micro_crowd_contact *c) {
  ff_micro_contact *contact = &micro->contacts[c->of];
  double h = micro->h;
  micro_velocity(&micro->crowd.bodies, c, contact->end);
  contact->soft = c->soft[0] > 0;
  contact->damping = c->undamped ? c->rate : c->rate + c->damper;
  contact->slips = c->soft_slides;
  contact->hard = c->hit[0] > 0;
  contact->slides = c->hit_slides;
  contact->holds =
      c->hit_slides && c->mu == contact->grip->mu_static &&
      ff_hypot(contact->end[1], contact->end[2]) < micro->model->run.stepper.slip_speed;
  for (int k = 0; k < 3; k++) {
    contact->force[k] = c->soft[k] / h;
    contact->impulse[k] = c->hit[k];
  }
}

/* N s, bound on how much the impulses of a contact would change if it were solved once more: they
 * follow its velocity, which has changed since, by at most the inverse of its Delassus block. */
static double micro_contact_residual(const ff_micro *micro, const ff_micro_crowd_contact *c) {
  const double *v = micro->contacts[c->of].end;
  double most = fabs(v[0] - c->left[0]) / c->w[0];
  most = greater(most, fabs(v[1] - c->left[1]) / c->w[3]);
  return greater(most, fabs(v[2] - c->left[2]) / c->w[5]);
}

static void store_micro_contacts(void *context, int first, int end) {
  ff_micro *micro = context;
  ff_crowd_change wrong = {0};
  for (int i = first; i < end; i++) {
    const ff_micro_crowd_contact *c = &micro->crowd.contacts[i];
    store_micro_contact(micro, c);
    wrong.change = greater(wrong.change, micro_contact_residual(micro, c));
    wrong.most = greater(wrong.most, c->soft[0] + c->hit[0]);
  }
  micro->crowd.chunks[first / FF_CROWD_CHUNK] = wrong;
}

/* Stores the solution of all crowds. */
static void store_micro_crowds(ff_micro *micro) {
  ff_micro_crowd *crowd = &micro->crowd;
  double wrong = 0, most = 0;
  int count = crowd->order.large_count;
  ff_team_for(*micro->team, store_micro_contacts, micro, count, FF_CROWD_CHUNK);
  for (int i = 0; i * FF_CROWD_CHUNK < count; i++) {
    wrong = greater(wrong, crowd->chunks[i].change);
    most = greater(most, crowd->chunks[i].most);
  }
  crowd->residual = most > 0 ? wrong / most : 0;
}

void ff_micro_solve_crowds(ff_micro *micro) {
  ff_micro_crowd *crowd = &micro->crowd;
  const ff_crowd_order *order = &crowd->order;
  const ff_crowd_sweeps sweeps = {.order = order,
                                  .team = *micro->team,
                                  .solve = solve_micro_contacts,
                                  .context = micro,
                                  .chunks = crowd->chunks,
                                  .settled = micro->model->run.stepper.accuracy,
                                  .most = TURNS};
  ff_solver_info *info = micro->info;
  load_micro_bodies(micro, true);
  ff_team_for(*micro->team, load_micro_contacts, micro, order->large_count, FF_CROWD_CHUNK);
  for (int i = 0; i < order->large_count; i++) {
    const ff_micro_crowd_contact *c = &crowd->contacts[i];
    const double p[3] = {c->soft[0] + c->hit[0], c->soft[1] + c->hit[1], c->soft[2] + c->hit[2]};
    ff_crowd_hit(&crowd->bodies, &c->frame, p);
  }
  for (int i = 0; i < order->island_count; i++) {
    double residual;
    int turns = ff_crowd_sweep(&sweeps, &order->islands[i], &residual);
    info->problems++;
    info->iterations += turns;
    info->most = turns > info->most ? turns : info->most;
    info->residual = greater(info->residual, residual);
  }
  store_micro_crowds(micro);
}

/* ---- position correction ----------------------------------------------------------------- */

/* A contact is displaced by at least what it is too deep, and where it presses not sideways. */
static ff_crowd_change shift_micro_contacts(void *context, int first, int end, double still) {
  (void)still;
  ff_micro *micro = context;
  ff_crowd_change out = {0};
  for (int i = first; i < end; i++) {
    ff_micro_crowd_contact *c = &micro->crowd.contacts[i];
    double moved[3], more[3] = {0};
    micro_velocity(&micro->crowd.bodies, c, moved);
    more[0] = greater(-c->hit[0], (-c->room - moved[0]) / c->w[0]);
    c->hit[0] += more[0];
    for (int k = 0; k < 2 && c->hit[0] > 0; k++) {
      more[1 + k] = -(moved[1 + k] + c->w[1 + k] * more[0]) / c->w[k == 0 ? 3 : 5];
    }
    ff_crowd_hit(&micro->crowd.bodies, &c->frame, more);
    out.change =
        greater(out.change, greater(c->w[0] * fabs(more[0]),
                                    greater(c->w[3] * fabs(more[1]), c->w[5] * fabs(more[2]))));
    out.most = greater(out.most, -c->room);
  }
  return out;
}

static void load_micro_shift(void *context, int first, int end) {
  ff_micro *micro = context;
  for (int i = first; i < end; i++) {
    load_micro_frame(micro, i);
    ff_micro_crowd_contact *c = &micro->crowd.contacts[i];
    c->room = micro->contacts[c->of].room;
  }
}

void ff_micro_displace_crowds(ff_micro *micro) {
  ff_micro_crowd *crowd = &micro->crowd;
  const ff_crowd_order *order = &crowd->order;
  const ff_crowd_sweeps sweeps = {.order = order,
                                  .team = *micro->team,
                                  .solve = shift_micro_contacts,
                                  .context = micro,
                                  .chunks = crowd->chunks,
                                  .settled = SHIFTED,
                                  .most = SHIFT_TURNS};
  load_micro_bodies(micro, false);
  ff_team_for(*micro->team, load_micro_shift, micro, order->large_count, FF_CROWD_CHUNK);
  for (int i = 0; i < order->island_count; i++) {
    const ff_crowd_island *island = &order->islands[i];
    double residual;
    ff_crowd_sweep(&sweeps, island, &residual);
    int of = micro->contacts[order->links[order->order[island->first]].point].island;
    for (int k = micro->mover_start[of]; k < micro->mover_start[of + 1]; k++) {
      const ff_crowd_body *body = &crowd->bodies.at[micro->movers[k]];
      ff_micro_displace_body(micro, micro->movers[k], body->dw, body->dv);
    }
  }
}
