/* Contacts of a quasi-rigid step: who takes part, and what is told of it afterwards. */
#include "math/vec.h"
#include "step/quasi_rigid.h"

/* ---- gathering ------------------------------------------------------------------------- */

/* How much nearer the two can come in the step, whatever their direction. */
static double reach(const ff_quasi *quasi, const ff_quasi_body *a, const ff_quasi_body *b) {
  double sum = 0;
  const ff_quasi_body *pair[2] = {a, b};
  for (int s = 0; s < 2; s++) {
    double bound = quasi->model->bodies[pair[s]->id].bound;
    sum += v3_norm(pair[s]->end.velocity) + v3_norm(pair[s]->v0);
    sum += isfinite(bound) ? bound * v3_norm(pair[s]->end.omega) : 0;
  }
  return quasi->h * quasi->widen * sum;
}

/* Mass that friction's projection weighs speeds with: that of the pair. */
static double weight_of(const ff_model *model, int a, int b) {
  return 1 / (model->bodies[a].inv_mass + model->bodies[b].inv_mass);
}

static bool add_contact(ff_quasi *quasi, const ff_meet *meet, int near, const ff_touch *touch) {
  const ff_near *n = &quasi->state->nears[near];
  const ff_binding *binding = &quasi->model->bindings[n->binding];
  if (quasi->contact_count == quasi->contact_capacity) {
    return false;
  }
  ff_quasi_contact *contact = &quasi->contacts[quasi->contact_count++];
  int point = n->first_point + touch->feature;
  double c = binding->layer.damping, slope = quasi->h * binding->layer.stiffness + c;
  *contact = (ff_quasi_contact){.point = point,
                                .near = near,
                                .a = meet->a,
                                .b = meet->b,
                                .layer = &binding->layer,
                                .cone = &binding->cone,
                                .relaxed = c * quasi->state->points[point].deflection / slope,
                                .weight = weight_of(quasi->model, meet->a, meet->b),
                                .touch = *touch};
  const ff_point *p = &quasi->state->points[point];
  const double before[3] = {p->force_t[0], p->force_t[1], v3_dot(p->moment, p->normal)};
  for (int i = 0; i < 3; i++) {
    double e = binding->cone.e[i];
    contact->before[i] = e > 0 ? quasi->h * before[i] / e : 0;
  }
  return true;
}

/* Points of a pair of shapes at the end of the step. */
static int touches_of(const ff_quasi *quasi, const ff_near *near, double margin, ff_touch *out) {
  const ff_model_shape *a = &quasi->model->shapes[near->shape_a];
  const ff_model_shape *b = &quasi->model->shapes[near->shape_b];
  ff_pose pose_a = pose_mul(quasi->bodies[a->body].end.pose, a->pose);
  ff_pose pose_b = pose_mul(quasi->bodies[b->body].end.pose, b->pose);
  return ff_geom_touch(&a->geom, &pose_a, &b->geom, &pose_b, margin, out);
}

static bool gather_near(ff_quasi *quasi, const ff_meet *meet, int near) {
  ff_touch touches[FF_TOUCH_MAX];
  double margin = reach(quasi, &quasi->bodies[meet->a], &quasi->bodies[meet->b]);
  int count = touches_of(quasi, &quasi->state->nears[near], margin, touches);
  for (int i = 0; i < count; i++) {
    if (!add_contact(quasi, meet, near, &touches[i])) {
      return false;
    }
  }
  return true;
}

/* Free bodies that touch form an island: the lowest slot among them names it. */
static void find_islands(ff_quasi *quasi) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int k = 0; k < quasi->contact_count; k++) {
      ff_quasi_body *a = &quasi->bodies[quasi->contacts[k].a];
      ff_quasi_body *b = &quasi->bodies[quasi->contacts[k].b];
      bool both = quasi->model->bodies[a->id].slot >= 0 && quasi->model->bodies[b->id].slot >= 0;
      if (both && a->island != b->island) {
        a->island = b->island = a->island < b->island ? a->island : b->island;
        changed = true;
      }
    }
  }
  for (int k = 0; k < quasi->contact_count; k++) {
    ff_quasi_contact *contact = &quasi->contacts[k];
    bool a_free = quasi->model->bodies[contact->a].slot >= 0;
    contact->island = quasi->bodies[a_free ? contact->a : contact->b].island;
  }
}

bool ff_quasi_gather(ff_quasi *quasi) {
  quasi->contact_count = 0;
  for (int m = 0; m < quasi->state->meet_count; m++) {
    const ff_meet *meet = &quasi->state->meets[m];
    for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
      if (!gather_near(quasi, meet, n)) {
        return false;
      }
    }
  }
  for (int i = 0; i < quasi->model->body_count; i++) {
    quasi->bodies[i].island = quasi->model->bodies[i].slot;
  }
  find_islands(quasi);
  return true;
}

bool ff_quasi_missed(const ff_quasi *quasi) {
  int next = 0; /* contacts come in the order of their points */
  for (int n = 0; n < quasi->state->near_count; n++) {
    const ff_near *near = &quasi->state->nears[n];
    ff_touch touches[FF_TOUCH_MAX];
    int count = touches_of(quasi, near, 0, touches);
    for (int i = 0; i < count; i++) {
      int point = near->first_point + touches[i].feature;
      while (next < quasi->contact_count && quasi->contacts[next].point < point) {
        next++;
      }
      if (next == quasi->contact_count || quasi->contacts[next].point != point) {
        return true;
      }
    }
  }
  return false;
}

/* A pose on the straight way from start to end. */
static ff_pose on_the_way(const ff_quasi_body *body, double share) {
  ff_vec3 path = v3_sub(body->end.pose.position, body->x);
  return (ff_pose){v3_axpy(body->x, share, path), body->end.pose.orientation};
}

static bool near_is_skipped(const ff_quasi *quasi, const ff_near *near) {
  const ff_model_shape *a = &quasi->model->shapes[near->shape_a];
  const ff_model_shape *b = &quasi->model->shapes[near->shape_b];
  const ff_quasi_body *body_a = &quasi->bodies[a->body], *body_b = &quasi->bodies[b->body];
  double stride = ff_geom_thickness(&a->geom) + ff_geom_thickness(&b->geom);
  ff_vec3 path_a = v3_sub(body_a->end.pose.position, body_a->x);
  ff_vec3 path_b = v3_sub(body_b->end.pose.position, body_b->x);
  int looks = (int)fmin(v3_norm(v3_sub(path_a, path_b)) / (0.5 * stride), 10000);
  ff_touch first[FF_TOUCH_MAX], last[FF_TOUCH_MAX];
  bool meets = false;
  for (int k = 1; k <= looks && !meets; k++) {
    double share = k / (looks + 1.0);
    ff_pose pose_a = pose_mul(on_the_way(body_a, share), a->pose);
    ff_pose pose_b = pose_mul(on_the_way(body_b, share), b->pose);
    meets = ff_geom_touch(&a->geom, &pose_a, &b->geom, &pose_b, 0, first) > 0;
  }
  /* Past each other, or so far in that they would part on the other side. */
  return meets &&
         (touches_of(quasi, near, 0, last) == 0 || v3_dot(first[0].normal, last[0].normal) < 0.5);
}

bool ff_quasi_skipped(const ff_quasi *quasi) {
  for (int n = 0; n < quasi->state->near_count; n++) {
    if (near_is_skipped(quasi, &quasi->state->nears[n])) {
      return true;
    }
  }
  return false;
}

/* ---- booking ------------------------------------------------------------------------------- */

static void show(const ff_quasi *quasi, const ff_quasi_contact *contact, ff_point *point) {
  const ff_touch *touch = &contact->touch;
  double spin, h = quasi->h;
  ff_vec3 slip = ff_quasi_slip(quasi, contact, false, &spin), moment;
  ff_vec3 impulse = ff_quasi_impulse(contact, &moment), t2 = v3_cross(touch->normal, touch->t1);
  ff_vec3 turning =
      v3_sub(quasi->bodies[contact->a].end.omega, quasi->bodies[contact->b].end.omega);
  double used = sqrt(contact->p[0] * contact->p[0] + contact->p[1] * contact->p[1] +
                     contact->p[2] * contact->p[2]);
  double p_n = contact->p_ns + contact->p_nr;
  point->point = touch->point;
  point->normal = touch->normal;
  point->t1 = touch->t1;
  point->t2 = t2;
  point->patch = (ff_patch){.depth = touch->depth,
                            .depth_rate = -v3_dot(touch->normal, slip),
                            .slip = {v3_dot(touch->t1, slip), v3_dot(t2, slip)},
                            .spin = spin,
                            .roll = {v3_dot(touch->t1, turning), v3_dot(t2, turning)},
                            .curvature = {touch->curvature[0], touch->curvature[1]}};
  point->known = true;
  point->touching = p_n > 0 || touch->depth > 0;
  point->force_n = p_n / h;
  point->force_core = contact->p_nr / h;
  point->force_t[0] = contact->cone->e[0] * contact->p[0] / h;
  point->force_t[1] = contact->cone->e[1] * contact->p[1] / h;
  point->force = v3_scale(1 / h, impulse);
  point->moment = v3_scale(1 / h, moment);
  bool sticks = used < (1 - 1e-9) * contact->cone->mu * p_n;
  point->mode = !point->touching ? FF_OPEN : sticks ? FF_STICK : FF_SLIP;
}

/* What impulses on the way from the old to the new velocity take from the kinetic energy is
 * impulse times the mean of both: exact for translation. */
static void book_losses(const ff_quasi *quasi, const ff_quasi_contact *contact, double *ledger) {
  double spin[2];
  ff_vec3 before = ff_quasi_slip(quasi, contact, true, &spin[0]);
  ff_vec3 mean = v3_scale(0.5, v3_add(before, ff_quasi_slip(quasi, contact, false, &spin[1])));
  const ff_touch *touch = &contact->touch;
  const double *e = contact->cone->e;
  ff_vec3 t2 = v3_cross(touch->normal, touch->t1);
  double slid =
      e[0] * contact->p[0] * v3_dot(touch->t1, mean) + e[1] * contact->p[1] * v3_dot(t2, mean);
  ledger[FF_Y_LOST + FF_LOST_SLIP] -= slid;
  ledger[FF_Y_LOST + FF_LOST_SPIN] -= e[2] * contact->p[2] * 0.5 * (spin[0] + spin[1]);
  ledger[FF_Y_LOST + FF_LOST_IMPACT] -= contact->p_nr * v3_dot(touch->normal, mean);
}

/* What bodies that are not free bring into the system: impulse, its moment, and work. */
static void book_outside(const ff_quasi *quasi, const ff_quasi_contact *contact, double *ledger) {
  const ff_quasi_body *a = &quasi->bodies[contact->a], *b = &quasi->bodies[contact->b];
  bool a_free = quasi->model->bodies[a->id].slot >= 0,
       b_free = quasi->model->bodies[b->id].slot >= 0;
  if (a_free && b_free) {
    return;
  }
  const ff_quasi_body *pushed = a_free ? a : b, *pusher = a_free ? b : a;
  double sign = a_free ? 1 : -1;
  ff_vec3 moment, impulse = v3_scale(sign, ff_quasi_impulse(contact, &moment));
  moment = v3_scale(sign, moment);
  ff_vec3 arm = v3_sub(contact->touch.point, pushed->end.pose.position);
  ff_vec3 angular = v3_add(v3_cross(v3_add(pushed->x, arm), impulse), moment);
  double *to = ledger + FF_Y_IMPULSE;
  v3_store(to, v3_add(v3_load(to), impulse));
  to = ledger + FF_Y_ANGULAR;
  v3_store(to, v3_add(v3_load(to), angular));
  ff_vec3 lever = v3_sub(contact->touch.point, pusher->end.pose.position);
  ff_vec3 speed = v3_add(pusher->end.velocity, v3_cross(pusher->end.omega, lever));
  ledger[FF_Y_WORK] += v3_dot(impulse, speed) + v3_dot(moment, pusher->end.omega);
}

/* The layer after the step: pressed as deep as the bodies are, or let go and recovering. */
static void settle_layer(const ff_quasi *quasi, const ff_layer *layer, double pressed,
                         ff_point *point, double *ledger) {
  double k = layer->stiffness, c = layer->damping, before = point->deflection;
  double relaxed = c * before / (quasi->h * k + c), energy = point->energy_n;
  point->deflection = fmax(pressed, relaxed);
  point->energy_n = 0.5 * k * point->deflection * point->deflection;
  double rate = (point->deflection - before) / quasi->h;
  double lost = pressed > relaxed ? quasi->h * c * rate * rate : energy - point->energy_n;
  lost = c > 0 ? lost : 0; /* without a damper it is the step that loses */
  ledger[FF_Y_LOST + FF_LOST_NORMAL] += lost;
}

/* Points that took no part are open; their layers go on recovering. */
static void release(ff_point *point) {
  point->known = true;
  point->touching = false;
  point->force_n = point->force_core = point->force_t[0] = point->force_t[1] = 0;
  point->force = point->moment = v3(0, 0, 0);
  point->mode = FF_OPEN;
  point->patch = (ff_patch){.depth = fmin(point->patch.depth, 0)};
}

void ff_quasi_book(ff_quasi *quasi) {
  ff_state *state = quasi->state;
  double *ledger = ff_state_ledger(state);
  int next = 0; /* contacts come in the order of their points */
  for (int n = 0; n < state->near_count; n++) {
    const ff_layer *layer = &quasi->model->bindings[state->nears[n].binding].layer;
    int end = state->nears[n].first_point + state->nears[n].point_count;
    for (int i = state->nears[n].first_point; i < end; i++) {
      ff_point *point = &state->points[i];
      if (next < quasi->contact_count && quasi->contacts[next].point == i) {
        const ff_quasi_contact *contact = &quasi->contacts[next++];
        show(quasi, contact, point);
        book_losses(quasi, contact, ledger);
        book_outside(quasi, contact, ledger);
      } else {
        release(point);
      }
      settle_layer(quasi, layer, point->touching ? point->patch.depth : 0, point, ledger);
    }
  }
}
