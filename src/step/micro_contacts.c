/* Contacts of a step of `micro-macro`: who takes part, and what is told of it afterwards. */
#include "math/vec.h"
#include "step/forces.h"
#include "step/micro_macro.h"
#include "step/samples.h"

#include <string.h>

/* ---- gathering ------------------------------------------------------------------------- */

/* Motion of a body; what moves on its own goes as it will at the end. */
static ff_body_motion motion_at_end(const ff_micro *micro, int body, double t_end) {
  const ff_model_body *b = &micro->model->bodies[body];
  ff_body_motion motion = micro->state->bodies[body];
  if (b->kind == FF_BODY_PRESCRIBED) {
    ff_body_motion end = ff_motion_at(b, t_end);
    motion.velocity = end.velocity;
    motion.omega = end.omega;
  }
  return motion;
}

static void add_micro_contact(ff_micro *micro, const ff_meet *meet, const ff_near *near, int index,
                              double t_end) {
  const ff_point *point = &micro->state->points[index];
  const ff_binding *binding = &micro->model->bindings[near->binding];
  const ff_ground *ground = &binding->ground;
  ff_micro_contact *to = &micro->unsorted[micro->contact_count++];
  double force = point->weight * point->pace; /* along the normal row, over that of the ground */
  *to = (ff_micro_contact){.point = index,
                           .a = meet->a,
                           .b = meet->b,
                           .ground = ground,
                           .grip = &binding->grip,
                           .depth = point->patch.depth,
                           .per_depth = force * ground->stiffness,
                           .stiffness = force * point->pace * ground->stiffness,
                           .damper = force * point->pace * ground->damping};
  ff_body_motion a = motion_at_end(micro, meet->a, t_end), b = motion_at_end(micro, meet->b, t_end);
  ff_vec3 speed =
      v3_sub(ff_motion_velocity(&a, point->point), ff_motion_velocity(&b, point->point));
  to->speed[0] = v3_dot(point->push, speed);
  to->speed[1] = v3_dot(point->t1, speed);
  to->speed[2] = v3_dot(point->t2, speed);
  if (!ff_point_is_plain(point)) {
    to->speed[0] += v3_dot(point->lever, v3_sub(a.omega, b.omega));
  }
}

static int micro_island_root(const int *island, int mover) {
  while (island[mover] != mover) {
    mover = island[mover];
  }
  return mover;
}

/* The lower of two names an island. */
static void tie(ff_micro *micro, int a, int b) {
  if (a >= 0 && b >= 0) {
    int x = micro_island_root(micro->island, a), y = micro_island_root(micro->island, b);
    micro->island[x > y ? x : y] = x > y ? y : x;
  }
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
static void sort_by_island(ff_micro *micro) {
  int count = ff_mover_count(micro->model);
  size_t bytes = (size_t)(count + 1) * sizeof(int);
  memset(micro->mover_start, 0, bytes);
  memset(micro->contact_start, 0, bytes);
  for (int i = 0; i < count; i++) {
    micro->island[i] = micro_island_root(micro->island, i);
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

void ff_micro_gather(ff_micro *micro, double t_end) {
  const ff_state *state = micro->state;
  micro->contact_count = 0;
  for (int i = 0; i < ff_mover_count(micro->model); i++) {
    micro->island[i] = i;
  }
  for (int m = 0; m < state->meet_count; m++) {
    const ff_meet *meet = &state->meets[m];
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      const ff_near *near = &state->nears[n];
      for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
        if (state->points[i].patch.depth > 0) {
          add_micro_contact(micro, meet, near, i, t_end);
          tie(micro, ff_mover_of(micro->model, meet->a), ff_mover_of(micro->model, meet->b));
        }
      }
    }
  }
  sort_by_island(micro);
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

/* An impulse takes from the kinetic energy its product with the mean of the speeds before and
 * after. Of an elastic part, its damper dissipates c v^2 with the speed v that its force was
 * evaluated at; the rest of what force beyond k d takes is the step's: k h v is the implicit
 * spring, which no law has. What the spring stores is the residual's, if the two do not agree. */
static void book_micro_losses(const ff_micro *micro, const ff_micro_contact *contact,
                              double *ledger) {
  ff_micro_form form = micro->model->micro;
  double h = micro->h, mean[3];
  for (int k = 0; k < 3; k++) {
    mean[k] = 0.5 * (contact->speed[k] + contact->end[k]);
  }
  double spring = contact->soft ? contact->per_depth * contact->depth : 0;
  double taken = contact->soft ? -(contact->force[0] - spring) * mean[0] : 0;
  double ahead = form == FF_MICRO_CONVENTIONAL ? 0 : h;
  double damper = contact->soft ? contact->damping - ahead * contact->stiffness : 0;
  double speed = form == FF_MICRO_IMPLICIT ? contact->end[0] : contact->speed[0];
  double damped = damper * speed * speed;
  double rubbed = contact->force[1] * mean[1] + contact->force[2] * mean[2];
  rubbed += (contact->impulse[1] * mean[1] + contact->impulse[2] * mean[2]) / h;
  ledger[FF_Y_LOST + FF_LOST_NORMAL] += damped;
  ledger[FF_Y_LOST + FF_LOST_STEP] += taken - damped;
  ledger[FF_Y_LOST + FF_LOST_IMPACT] -= contact->impulse[0] / h * mean[0];
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
    ff_body_motion b = motion_at_end(micro, contact->b, state->t + micro->h);
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
  point->mode = FF_OPEN;
}

static ff_mode mode_of(const ff_micro_contact *contact) {
  double slip = ff_hypot(contact->end[1], contact->end[2]);
  bool held = contact->hard ? !contact->slides || contact->holds : slip < contact->grip->v_t;
  return held ? FF_STICK : FF_SLIP;
}

void ff_micro_show(ff_micro *micro) {
  ff_state *state = micro->state;
  for (int i = 0; i < state->point_count; i++) {
    clear_micro_forces(&state->points[i]);
    *ff_micro_point_of(state, i) = (ff_micro_point){0};
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
    ff_micro_point *own = ff_micro_point_of(state, contact->point);
    own->soft_force = contact->force[0];
    memcpy(own->impulse, contact->impulse, sizeof contact->impulse);
    point->mode = mode_of(contact);
  }
}

/* What the ground stores at a depth, for a sample of weight 1. */
static double ground_energy(const ff_model *model, const ff_ground *ground, double depth) {
  depth = fmax(depth, 0);
  depth = model->run.stepper.exclusive ? fmin(depth, ground->thickness) : depth;
  return 0.5 * ground->stiffness * depth * depth;
}

void ff_micro_store(const ff_model *model, ff_state *state) {
  for (int n = 0; n < state->near_count; n++) {
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

void ff_micro_push_weights(const ff_model *model, ff_state *state, double *ledger) {
  for (int m = 0; m < state->meet_count; m++) {
    const ff_meet *meet = &state->meets[m];
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      const ff_near *near = &state->nears[n];
      const ff_ground *ground = &model->bindings[near->binding].ground;
      for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
        ff_point *point = &state->points[i];
        if (point->touching && !ff_point_is_plain(point)) {
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
