/* Contacts of a step of `micro-macro`: selection of those that take part, and results per point. */
#include "base/union_find.h"
#include "math/vec.h"
#include "step/forces.h"
#include "step/micro_macro.h"
#include "step/samples.h"
#include "step/sleep.h"

#include <string.h>

#define SLOWLY 0.2 /* share of a distance within the slop in a step */

/* ---- gathering ------------------------------------------------------------------------- */

/* A motion with the velocity of the step: the mean until its end, or printed that of the end. */
static ff_body_motion led_in_step(const ff_micro *micro, ff_body_motion motion,
                                  ff_body_motion end) {
  bool mean = micro->model->run.stepper.corrections && micro->h > 0;
  double rate = mean ? 1 / micro->h : 0;
  ff_quat turn = q_mul(end.pose.orientation, q_conj(motion.pose.orientation));
  ff_vec3 way = v3_sub(end.pose.position, motion.pose.position);
  motion.velocity = mean ? v3_scale(rate, way) : end.velocity;
  motion.omega = mean ? v3_scale(rate, q_log(turn)) : end.omega;
  return motion;
}

static ff_body_motion track_motion(const ff_track *track, double t) {
  ff_track_point at = ff_track_at(track, t);
  return (ff_body_motion){at.pose, at.velocity, at.omega};
}

/* Motion of a body; of a prescribed one as it is led in the step; of a link whose root is led, with
 * that motion of the root. */
static ff_body_motion motion_in_step(const ff_micro *micro, int body) {
  const ff_model_body *b = &micro->model->bodies[body];
  const ff_track *track = ff_body_base_track(micro->model, b);
  ff_body_motion motion = micro->state->bodies[body];
  double t = micro->state->t, end = t + micro->h;
  if (b->kind == FF_BODY_PRESCRIBED) {
    return led_in_step(micro, motion, ff_motion_at(b, end));
  }
  if (track) {
    ff_body_motion root = track_motion(track, t);
    ff_body_motion led = led_in_step(micro, root, track_motion(track, end));
    ff_vec3 at = motion.pose.position;
    ff_vec3 more = v3_sub(ff_motion_velocity(&led, at), ff_motion_velocity(&root, at));
    motion.velocity = v3_add(motion.velocity, more);
    motion.omega = v3_add(motion.omega, v3_sub(led.omega, root.omega));
  }
  return motion;
}

/* Counts a contact of the mover that a body belongs to. */
static void count_share(ff_micro *micro, int body) {
  int mover = ff_mover_of(micro->model, body);
  if (mover >= 0) {
    micro->shares[mover]++;
  }
}

/* Contact memory from the step before: strain of the spring, and creep on the rigid part. The
 * deflection is stored in b's frame, the energy tells how stiff the spring was. */
static void recall_memory(const ff_micro *micro, const ff_point *point, ff_micro_contact *to) {
  const ff_micro_point *own = ff_state_micro_point(micro->state, point);
  ff_quat b = micro->state->bodies[to->b].pose.orientation;
  ff_vec3 shear = q_rotate(b, own->shear), crept = q_rotate(b, own->crept);
  double length = v3_norm(shear), root = length > 0 ? sqrt(2 * point->energy_t) / length : 0;
  to->memory[0] = root * v3_dot(point->t1, shear);
  to->memory[1] = root * v3_dot(point->t2, shear);
  to->crept[0] = v3_dot(point->t1, crept);
  to->crept[1] = v3_dot(point->t2, crept);
}

/* Velocity at a point that a prescribed motion gives a body at a time (s) beyond that in the step;
 * 0: there is none. */
static ff_vec3 prescribed_excess(const ff_micro *micro, int body, ff_vec3 point, double t) {
  const ff_model_body *b = &micro->model->bodies[body];
  const ff_track *track = ff_body_base_track(micro->model, b);
  ff_body_motion now, step;
  if (b->kind == FF_BODY_PRESCRIBED) {
    now = ff_motion_at(b, t);
    step = motion_in_step(micro, body);
  } else if (track) {
    now = track_motion(track, t);
    double start = micro->state->t;
    step = led_in_step(micro, track_motion(track, start), track_motion(track, start + micro->h));
  } else {
    return v3(0, 0, 0);
  }
  now.pose = step.pose;
  return v3_sub(ff_motion_velocity(&now, point), ff_motion_velocity(&step, point));
}

/* Velocity of a against b at a time beyond that in the step. */
static ff_vec3 contact_excess(const ff_micro *micro, const ff_micro_contact *contact, double t) {
  ff_vec3 point = micro->state->points[contact->point].point;
  return v3_sub(prescribed_excess(micro, contact->a, point, t),
                prescribed_excess(micro, contact->b, point, t));
}

/* How the speeds along the rows of a contact that already pressed have changed since the end of the
 * last step, when the velocities were the same: by the way that the bodies went. */
static void find_turning(const ff_micro *micro, const ff_point *point, ff_micro_contact *to) {
  const ff_micro_point *own = ff_state_micro_point(micro->state, point);
  ff_vec3 left = v3_sub(own->left_at, contact_excess(micro, to, micro->state->t));
  const double before[3] = {v3_dot(point->push, left), v3_dot(point->t1, left),
                            v3_dot(point->t2, left)};
  for (int k = 0; k < 3 && own->impulse[0] > 0; k++) {
    to->turning[k] = to->speed[k] - before[k];
  }
}

/* How much deeper (m) a contact may become until the end of the step. It comes to rest in the
 * middle of the slop; within the slop slowly, so that forces at rest are those of the load. */
static double room_to_rigid_part(const ff_micro_contact *contact, double slop) {
  double inside = contact->depth - contact->ground->thickness, middle = 0.5 * slop;
  if (inside < 0) {
    return middle - inside;
  }
  return SLOWLY * (middle - lesser(inside, slop)) - greater(inside - slop, 0);
}

/* May it touch before the end of the step? Rigid parts act before they are entered, and elastic
 * ones of crowds before the bodies overlap, also if others push these together in the step. */
static bool is_near_enough(const ff_micro *micro, const ff_micro_contact *contact, double pace) {
  const ff_crowd_motion *crowd = micro->state->crowd;
  double fall = 4 * micro->h * micro->h * v3_norm(micro->model->run.gravity);
  double speed = contact->early ? crowd[contact->a].kick + crowd[contact->b].kick
                                : 2 * pace * fabs(contact->speed[0]);
  double approach = micro->h * speed;
  bool ahead = isfinite(contact->room) || contact->early;
  return contact->depth > 0 || (ahead && contact->depth + approach + fall > 0);
}

/* Appends a contact, if it may act in the step. */
static bool add_micro_contact(ff_micro *micro, const ff_meet *meet, const ff_near *near,
                              int index) {
  const ff_point *point = &micro->state->points[index];
  const ff_binding *binding = &micro->model->bindings[near->binding];
  const ff_ground *ground = &binding->ground;
  ff_micro_contact *to = &micro->unsorted[micro->contact_count];
  bool corrected = micro->model->run.stepper.corrections;
  if (!ff_point_is_found(point)) {
    return false;
  }
  double force = point->weight * point->pace; /* along the normal row, over that of the ground */
  *to = (ff_micro_contact){.point = index,
                           .a = meet->a,
                           .b = meet->b,
                           .ground = ground,
                           .grip = &binding->grip,
                           .depth = point->patch.depth,
                           .per_depth = force * ground->stiffness,
                           .stiffness = force * point->pace * ground->stiffness,
                           .damper = force * point->pace * ground->damping,
                           .sticks = corrected && binding->friction->memory_count > 0,
                           .early = ff_model_is_ground_crowd(micro->model),
                           .room = INFINITY};
  if (corrected) {
    to->room = room_to_rigid_part(to, ff_micro_slop(micro->model, near)) / point->pace;
    recall_memory(micro, point, to);
  }
  ff_body_motion a = motion_in_step(micro, meet->a), b = motion_in_step(micro, meet->b);
  ff_vec3 speed =
      v3_sub(ff_motion_velocity(&a, point->point), ff_motion_velocity(&b, point->point));
  to->speed[0] = v3_dot(point->push, speed);
  to->speed[1] = v3_dot(point->t1, speed);
  to->speed[2] = v3_dot(point->t2, speed);
  if (!ff_point_is_plain(point)) {
    to->speed[0] += v3_dot(point->lever, v3_sub(a.omega, b.omega));
  }
  if (!is_near_enough(micro, to, point->pace)) {
    return false;
  }
  if (corrected) {
    find_turning(micro, point, to);
  }
  to->mobility = ff_contact_tangent_ease(micro->model, micro->state, meet, point);
  count_share(micro, meet->a);
  count_share(micro, meet->b);
  micro->contact_count++;
  return true;
}

/* Counts become starts: start[i] is where those of i begin, start[count] how many there are. */
static void counts_to_starts(int *start, int count) {
  int sum = 0;
  for (int i = 0; i <= count; i++) {
    int own = i < count ? start[i] : 0;
    start[i] = sum;
    sum += own;
  }
}

/* Contacts and movers of one island stand together, in the order they had. */
static void sort_micro_contacts(ff_micro *micro) {
  int count = ff_mover_count(micro->model);
  size_t bytes = (size_t)(count + 1) * sizeof(int);
  memset(micro->mover_start, 0, bytes);
  memset(micro->contact_start, 0, bytes);
  for (int i = 0; i < count; i++) {
    micro->island[i] = ff_set_root(micro->island, i);
    micro->mover_start[micro->island[i]]++;
  }
  for (int k = 0; k < micro->contact_count; k++) {
    ff_micro_contact *contact = &micro->unsorted[k];
    int a = ff_mover_of(micro->model, contact->a), b = ff_mover_of(micro->model, contact->b);
    contact->island = micro->island[a >= 0 ? a : b];
    micro->contact_start[contact->island]++;
  }
  counts_to_starts(micro->mover_start, count);
  counts_to_starts(micro->contact_start, count);
  for (int i = 0; i < count; i++) {
    micro->movers[micro->mover_start[micro->island[i]]++] = i;
  }
  for (int k = 0; k < micro->contact_count; k++) {
    micro->contacts[micro->contact_start[micro->unsorted[k].island]++] = micro->unsorted[k];
  }
  /* Each start has moved to the next one's. */
  memmove(micro->mover_start + 1, micro->mover_start, bytes - sizeof(int));
  memmove(micro->contact_start + 1, micro->contact_start, bytes - sizeof(int));
  micro->mover_start[0] = micro->contact_start[0] = 0;
}

void ff_micro_gather(ff_micro *micro) {
  const ff_state *state = micro->state;
  micro->contact_count = 0;
  for (int i = 0; i < ff_mover_count(micro->model); i++) {
    micro->island[i] = i;
    micro->shares[i] = 0;
  }
  int active = ff_state_active_count(state);
  for (int k = 0; k < active; k++) {
    const ff_meet *meet = ff_state_active(state, k);
    int nears = ff_sleep_skips(state, meet) ? 0 : meet->near_count;
    for (int n = meet->first_near; n < meet->first_near + nears; n++) {
      const ff_near *near = &state->nears[n];
      for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
        bool added = add_micro_contact(micro, meet, near, i);
        int a = ff_mover_of(micro->model, meet->a), b = ff_mover_of(micro->model, meet->b);
        if (added && a >= 0 && b >= 0) {
          ff_set_unite(micro->island, a, b);
        }
      }
    }
  }
  sort_micro_contacts(micro);
  ff_micro_order_crowds(micro);
}

/* ---- booking --------------------------------------------------------------------------------- */

/* Force over the step, elastic and rigid parts together: along the rows of the contact, and on a.
 */
static void total_force(const ff_micro *micro, const ff_micro_contact *contact, double f[3],
                        ff_vec3 *force, ff_vec3 *moment) {
  const ff_point *point = &micro->state->points[contact->point];
  for (int k = 0; k < 3; k++) {
    f[k] = contact->force[k] + contact->impulse[k] / micro->h;
  }
  *force = v3_scale(f[0], point->push);
  *force = v3_axpy(v3_axpy(*force, f[1], point->t1), f[2], point->t2);
  *moment = ff_point_is_plain(point) ? v3(0, 0, 0) : v3_scale(f[0], point->lever);
}

/* What the ground stores at a depth, for a sample of weight 1. */
static double ground_energy(const ff_model *model, const ff_ground *ground, double depth) {
  depth = fmax(depth, 0);
  depth = model->run.stepper.exclusive ? fmin(depth, ground->thickness) : depth;
  return 0.5 * ground->stiffness * depth * depth;
}

/* W, by which the energy of the elastic part grows: implicit, from the depth of the start to that
 * which the velocities of the end lead to; printed, as its force k d pays for it. */
static double stored_power(const ff_micro *micro, const ff_micro_contact *contact, double mean) {
  const ff_point *point = &micro->state->points[contact->point];
  if (micro->model->micro != FF_MICRO_IMPLICIT) {
    return contact->soft ? -contact->per_depth * contact->depth * mean : 0;
  }
  double end = contact->depth - micro->h * point->pace * contact->end[0];
  double more = ground_energy(micro->model, contact->ground, end) -
                ground_energy(micro->model, contact->ground, contact->depth);
  return point->weight * more / micro->h;
}

/* An impulse takes from the kinetic energy its product with the mean of the speeds before and
 * after. Of an elastic part, its damper dissipates c v^2 with the speed v that its force was
 * evaluated at; what else it takes and does not store is the step's. */
static void book_micro_losses(const ff_micro *micro, const ff_micro_contact *contact,
                              double *ledger) {
  ff_micro_form form = micro->model->micro;
  double h = micro->h, mean[3];
  for (int k = 0; k < 3; k++) {
    mean[k] = 0.5 * (contact->speed[k] + contact->end[k]);
  }
  double ahead = form == FF_MICRO_CONVENTIONAL ? 0 : h;
  double damper = contact->soft ? contact->damping - ahead * contact->stiffness : 0;
  double speed = form == FF_MICRO_IMPLICIT ? contact->end[0] : contact->speed[0];
  double damped = damper * speed * speed;
  double taken = -(contact->soft ? contact->force[0] : 0) * mean[0];
  double rubbed = 0, pushed = contact->impulse[0] / h * mean[0];
  double held = (contact->impulse[1] * mean[1] + contact->impulse[2] * mean[2]) / h;
  for (int k = 0; k < 2; k++) { /* of the elastic part: into its spring, damper and clutch */
    double stretch = ff_micro_stretch(micro, contact, k), force = contact->force[1 + k];
    double into = contact->root * (contact->memory[k] + 0.5 * h * contact->root * stretch);
    ledger[FF_Y_PAID] += into * stretch;
    ledger[FF_Y_LOST + FF_LOST_TANGENT] -= (force + into) * stretch;
    rubbed += force * (mean[1 + k] - stretch);
  }
  ledger[FF_Y_LOST + FF_LOST_NORMAL] += damped;
  ledger[FF_Y_LOST + FF_LOST_STEP] += taken - stored_power(micro, contact, mean[0]) - damped;
  bool corrected = micro->model->run.stepper.corrections, impact = corrected && contact->impact;
  ledger[FF_Y_LOST + (impact || !corrected ? FF_LOST_IMPACT : FF_LOST_STEP)] -= pushed;
  ledger[FF_Y_LOST + (impact ? FF_LOST_IMPACT : FF_LOST_SLIP)] -= held;
  ledger[FF_Y_LOST + FF_LOST_SLIP] -= rubbed;
}

void ff_micro_book(ff_micro *micro, double *ledger) {
  ff_state *state = micro->state;
  for (int k = 0; k < micro->contact_count; k++) {
    const ff_micro_contact *contact = &micro->contacts[k];
    const ff_point *point = &state->points[contact->point];
    ff_contact_bodies bodies = {.a = contact->a, .b = contact->b};
    bodies.arm_a = v3_sub(point->point, state->bodies[contact->a].pose.position);
    bodies.arm_b = v3_sub(point->point, state->bodies[contact->b].pose.position);
    ff_body_motion b = motion_in_step(micro, contact->b);
    bodies.velocity_b = ff_motion_velocity(&b, point->point);
    double f[3];
    ff_vec3 force, moment;
    total_force(micro, contact, f, &force, &moment);
    book_micro_losses(micro, contact, ledger);
    ff_contact_push(micro->model, state, &bodies, point->point, force, moment, ledger);
  }
}

/* ---- telling ----------------------------------------------------------------------------------
 */

static void clear_micro_forces(ff_point *point) {
  point->force_n = point->force_t[0] = point->force_t[1] = point->force_core = 0;
  point->force = point->moment = v3(0, 0, 0);
  point->energy_t = 0;
  point->mode = FF_OPEN;
}

static ff_mode mode_of(const ff_micro_contact *contact) {
  double slip = ff_hypot(contact->end[1], contact->end[2]);
  bool slow = contact->sticks ? !contact->slips : slip < contact->grip->v_t;
  bool held = contact->hard ? !contact->slides || contact->holds : slow;
  return !contact->hard && contact->depth <= 0 ? FF_OPEN : held ? FF_STICK : FF_SLIP;
}

static ff_vec3 sum_along_rows(const ff_point *point, const double along[3]) {
  ff_vec3 sum = v3_scale(along[0], point->push);
  return v3_axpy(v3_axpy(sum, along[1], point->t1), along[2], point->t2);
}

/* Contact memory for the next step: deflection and energy of the spring, creep on the rigid part
 * while it sticks there, and velocity. */
static void keep_memory(const ff_micro *micro, const ff_micro_contact *contact, ff_point *point,
                        ff_micro_point *own) {
  double h = micro->h, shear[3] = {0}, crept[3] = {0};
  ff_quat b = micro->state->bodies[contact->b].pose.orientation;
  bool sprung = contact->soft && contact->root > 0;
  point->energy_t = 0;
  for (int k = 0; k < 2 && sprung; k++) {
    double memory = contact->memory[k] + h * contact->root * ff_micro_stretch(micro, contact, k);
    shear[1 + k] = memory / contact->root;
    point->energy_t += 0.5 * memory * memory;
  }
  for (int k = 1; k < 3 && contact->hard && !contact->slides; k++) {
    crept[k] = contact->crept[k - 1] + h * (contact->end[k] + 0.5 * contact->turning[k]);
  }
  own->shear = q_unrotate(b, sum_along_rows(point, shear));
  own->crept = q_unrotate(b, sum_along_rows(point, crept));
  ff_vec3 excess = contact_excess(micro, contact, micro->state->t + h);
  own->left_at = v3_add(sum_along_rows(point, contact->end), excess);
}

static void clear_micro_pair(ff_state *state, const ff_near *near) {
  for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
    clear_micro_forces(&state->points[i]);
    *ff_state_micro_point(state, &state->points[i]) = (ff_micro_point){0};
  }
}

void ff_micro_show(ff_micro *micro) {
  ff_state *state = micro->state;
  int active = ff_state_active_count(state);
  for (int k = 0; k < active; k++) {
    const ff_meet *meet = ff_state_active(state, k);
    int nears = ff_sleep_skips(state, meet) ? 0 : meet->near_count;
    for (int n = meet->first_near; n < meet->first_near + nears; n++) {
      clear_micro_pair(state, &state->nears[n]);
    }
  }
  for (int k = 0; k < micro->contact_count; k++) {
    const ff_micro_contact *contact = &micro->contacts[k];
    ff_point *point = &state->points[contact->point];
    double f[3];
    total_force(micro, contact, f, &point->force, &point->moment);
    point->force_n = f[0];
    point->force_t[0] = f[1];
    point->force_t[1] = f[2];
    point->force_core = contact->impulse[0] / micro->h;
    ff_micro_point *own = ff_state_micro_point(state, point);
    own->soft_force = contact->force[0];
    memcpy(own->impulse, contact->impulse, sizeof contact->impulse);
    point->mode = mode_of(contact);
    if (micro->model->run.stepper.corrections) {
      keep_memory(micro, contact, point, own);
    }
  }
}

void ff_micro_store(const ff_model *model, ff_state *state) {
  int active = ff_state_active_count(state);
  for (int k = 0; k < active; k++) {
    const ff_meet *meet = ff_state_active(state, k);
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      const ff_near *near = &state->nears[n];
      const ff_ground *ground = &model->bindings[near->binding].ground;
      for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
        ff_point *point = &state->points[i];
        bool found = ff_point_is_found(point);
        point->energy_n =
            found ? point->weight * ground_energy(model, ground, point->patch.depth) : 0;
      }
    }
  }
}

void ff_micro_push_weights(const ff_model *model, ff_state *state, double *ledger) {
  int active = ff_state_active_count(state);
  for (int k = 0; k < active; k++) {
    const ff_meet *meet = ff_state_active(state, k);
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      const ff_near *near = &state->nears[n];
      const ff_ground *ground = &model->bindings[near->binding].ground;
      for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
        ff_point *point = &state->points[i];
        if (point->touching && !ff_point_is_plain(point) && !ff_sleep_skips(state, meet)) {
          double energy = ground_energy(model, ground, point->patch.depth);
          ff_contact_bodies bodies = ff_contact_motion(state, meet, point);
          ff_contact_push(model, state, &bodies, point->point,
                          v3_scale(-energy, point->d_weight.shift),
                          v3_scale(-energy, point->d_weight.turn), ledger);
        }
      }
    }
  }
}
