/* Constraints in a quasi-rigid step: equations g = 0 at its end, kept by impulses along the
 * derivatives of g there [Chakraborty07, Sec. Dynamic model: "bilateral constraints"].
 *
 * Rows are g / h, so that they are speeds; directions that are off count with a length of the
 * bodies.
 *
 * Order 2: bodies move with the mean of their velocities at start and end, and half of each impulse
 * acts along the derivatives of the start. Then g = 0 speaks of the mean: of a velocity that tears
 * at the constraint the next step would make its opposite, and so on for ever. What the step leaves
 * of it, of second order, is taken away by the smallest impulses where it ends.
 */
#include "math/vec.h"
#include "step/constraints.h"
#include "step/forces.h"
#include "step/quasi_rigid.h"

#include <float.h>
#include <string.h>

#define NUDGE 1e-6 /* rad, and of the length: for derivatives */
#define NOISE 8    /* roundings in a row */

/* ---- gathering ---------------------------------------------------------------------------- */

static double length_of(const ff_model *model, const ff_model_constraint *c) {
  double length = v3_norm(c->anchor_a) + v3_norm(c->anchor_b) + c->length;
  const int bodies[2] = {c->a, c->b};
  for (int s = 0; s < 2; s++) {
    const ff_model_body *body = &model->bodies[bodies[s]];
    double inertia = fmax(body->inertia.x, fmax(body->inertia.y, body->inertia.z));
    length = fmax(length, body->mass > 0 ? sqrt(inertia / body->mass) : 0);
  }
  return length;
}

/* The impulses of the step before: force and moment along the rows of now. Those of the look before
 * are the better guess. */
static void remember(const ff_quasi *quasi, ff_quasi_joint *joint) {
  const ff_model_constraint *c = &quasi->model->constraints[joint->constraint];
  const ff_state_constraint *was = &quasi->state->constraints[joint->constraint];
  ff_constraint_rows rows;
  ff_constraint_evaluate(c, &quasi->bodies[c->a].end, &quasi->bodies[c->b].end, &rows);
  for (int i = 0; i < rows.count; i++) {
    /* directions at right angles: the axes of their moments are unit vectors, nearly orthogonal */
    joint->e.before[i] = joint->e.guess[i] =
        i < rows.places ? quasi->h * v3_dot(rows.along[i], was->force)
                        : quasi->h * v3_dot(rows.turn_a[i], was->moment) / joint->length;
  }
  if (quasi->looked) {
    memcpy(joint->e.guess, joint->e.z, sizeof joint->e.z);
  }
}

void ff_quasi_gather_joints(ff_quasi *quasi) {
  const ff_model *model = quasi->model;
  for (int k = 0; k < model->constraint_count; k++) {
    const ff_model_constraint *c = &model->constraints[k];
    ff_quasi_joint *joint = &quasi->joints[k];
    ff_quasi_element *e = &joint->e;
    e->a = c->a;
    e->b = c->b;
    e->joint = true;
    e->idle = false;
    e->rows = ff_constraint_row_count(c->kind);
    e->mass = 1 / (model->bodies[c->a].inv_mass + model->bodies[c->b].inv_mass);
    joint->constraint = k;
    joint->early = 0;
    joint->length = length_of(model, c);
    for (int i = 0; i < e->rows; i++) {
      e->lower[i] = -INFINITY;
    }
    remember(quasi, joint);
  }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void add(double *to, double s, ff_vec3 v) {
  v3_store(to, v3_axpy(v3_load(to), s, v));
}

/* What a unit of row i's impulse takes from the momenta, as far as it acts at these rows. */
static void pull(const ff_constraint_rows *rows, int i, double share, double *f) {
  add(f, -share, rows->along[i]);
  add(f + 3, -share, rows->turn_a[i]);
  add(f + 6, share, rows->along[i]);
  add(f + 9, -share, rows->turn_b[i]);
}

static void pull_at_both(const ff_quasi_joint *joint, const ff_constraint_rows *end, int i,
                         double impulse, double *f) {
  pull(end, i, (1 - joint->early) * impulse, f);
  if (joint->early > 0) {
    pull(&joint->start, i, joint->early * impulse, f);
  }
}

void ff_quasi_joint_look_back(const ff_quasi *quasi, ff_quasi_joint *joint, double theta) {
  const ff_quasi_body *pair[2] = {&quasi->bodies[joint->e.a], &quasi->bodies[joint->e.b]};
  ff_body_motion start[2];
  for (int s = 0; s < 2; s++) {
    start[s] = (ff_body_motion){
        .pose = {pair[s]->x, pair[s]->q}, .velocity = pair[s]->v0, .omega = pair[s]->w0};
  }
  joint->early = 1 - theta;
  ff_constraint_evaluate(&quasi->model->constraints[joint->constraint], &start[0], &start[1],
                         &joint->start);
}

/* f with the bodies there. */
static void rows_at(const ff_quasi *quasi, const ff_quasi_joint *joint, const ff_body_motion *a,
                    const ff_body_motion *b, double *f, ff_constraint_rows *rows) {
  const ff_quasi_element *e = &joint->e;
  ff_constraint_evaluate(&quasi->model->constraints[joint->constraint], a, b, rows);
  memset(f, 0, FF_QUASI_ROWS * sizeof *f);
  for (int i = 0; i < e->rows; i++) {
    double length = i < rows->places ? 1 : joint->length;
    pull_at_both(joint, rows, i, length * e->z[i], f);
    f[12 + i] = length * rows->error[i] / quasi->h;
  }
}

/* What the rows add up, and how much of it is rounding. */
static void find_sizes(const ff_quasi *quasi, ff_quasi_joint *joint,
                       const ff_constraint_rows *rows) {
  ff_quasi_element *e = &joint->e;
  const ff_quasi_body *pair[2] = {&quasi->bodies[e->a], &quasi->bodies[e->b]};
  double sum = 0, far = joint->length, speed = quasi->fall;
  for (int s = 0; s < 2; s++) {
    speed += v3_norm(pair[s]->v0) + v3_norm(pair[s]->end.velocity) +
             joint->length * v3_norm(pair[s]->end.omega);
    far = fmax(far, v3_norm(pair[s]->end.pose.position));
  }
  double noise = NOISE * DBL_EPSILON * (far + joint->length) / quasi->h;
  for (int i = 0; i < rows->count; i++) {
    sum += fabs(e->z[i]);
    e->size[i] = speed;
    e->noise[i] = noise;
  }
  e->push = sum;
  e->twist = joint->length * sum;
  e->push_noise = e->twist_noise = 0;
}

/* Columns of a body: its pose nudged, and how its unknowns move the pose. */
static void find_columns(const ff_quasi *quasi, ff_quasi_joint *joint, int side,
                         ff_quasi_matrix j) {
  ff_quasi_element *e = &joint->e;
  const ff_quasi_body *pair[2] = {&quasi->bodies[e->a], &quasi->bodies[e->b]};
  double by_turn[3][FF_QUASI_ROWS];
  for (int k = 0; k < FF_QUASI_BODY; k++) {
    ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    double f[2][FF_QUASI_ROWS], step = k < 3 ? NUDGE * joint->length : NUDGE;
    for (int way = 0; way < 2; way++) {
      ff_body_motion ends[2] = {pair[0]->end, pair[1]->end};
      ff_vec3 by = v3_scale(way == 0 ? step : -step, axis);
      ff_pose *pose = &ends[side].pose;
      if (k < 3) {
        pose->position = v3_add(pose->position, by);
      } else {
        pose->orientation = q_mul(q_exp(by), pose->orientation);
      }
      ff_constraint_rows rows;
      rows_at(quasi, joint, &ends[0], &ends[1], f[way], &rows);
    }
    for (int i = 0; i < 12 + e->rows; i++) {
      double slope = (f[0][i] - f[1][i]) / (2 * step);
      if (k < 3) {
        j[i][6 * side + k] = quasi->h * pair[side]->theta * slope;
      } else {
        by_turn[k - 3][i] = slope;
      }
    }
  }
  const ff_mat3 *turned = &pair[side]->turned;
  for (int i = 0; i < 12 + e->rows; i++) {
    for (int k = 0; k < 3; k++) {
      j[i][6 * side + 3 + k] = by_turn[0][i] * turned->m[0][k] + by_turn[1][i] * turned->m[1][k] +
                               by_turn[2][i] * turned->m[2][k];
    }
  }
}

void ff_quasi_joint_rows(const ff_quasi *quasi, ff_quasi_joint *joint, ff_quasi_matrix j) {
  ff_quasi_element *e = &joint->e;
  ff_constraint_rows rows;
  rows_at(quasi, joint, &quasi->bodies[e->a].end, &quasi->bodies[e->b].end, e->f, &rows);
  find_sizes(quasi, joint, &rows);
  if (!j) {
    return;
  }
  memset(j, 0, sizeof(ff_quasi_matrix));
  for (int s = 0; s < 2; s++) {
    if (quasi->bodies[s == 0 ? e->a : e->b].solved) {
      find_columns(quasi, joint, s, j);
    }
  }
  for (int i = 0; i < e->rows; i++) { /* rows of bodies are linear in the impulses */
    double length = i < rows.places ? 1 : joint->length, f[12] = {0};
    pull_at_both(joint, &rows, i, length, f);
    for (int k = 0; k < 12; k++) {
      j[k][12 + i] = f[k];
    }
  }
}

/* ---- booking -----------------------------------------------------------------------------------
 */

/* What bodies that are not free bring into the system: impulse, its moment, and work. */
static void book_outside(const ff_quasi *quasi, const ff_quasi_joint *joint,
                         const ff_constraint_rows *rows, const double *z, bool start) {
  const ff_quasi_body *a = &quasi->bodies[joint->e.a], *b = &quasi->bodies[joint->e.b];
  if (a->node >= 0 && b->node >= 0) {
    return;
  }
  const ff_quasi_body *pushed = a->node >= 0 ? a : b, *by = a->node >= 0 ? b : a;
  double share = start ? joint->early : 1 - joint->early, *ledger = quasi->booked;
  share *= a->node >= 0 ? 1 : -1;
  ff_vec3 moment, impulse = v3_scale(share, ff_constraint_force(rows, z, &moment));
  moment = v3_scale(share, moment);
  ff_vec3 at = a->node >= 0 ? rows->point_a : rows->point_b;
  /* the arm is that of the rows, at a body that the ledger still has on its way */
  ff_vec3 arm = v3_sub(at, start ? pushed->x : pushed->end.pose.position);
  ff_vec3 angular = v3_add(v3_cross(v3_add(ff_quasi_pivot(quasi, pushed), arm), impulse), moment);
  double *to = ledger + FF_Y_IMPULSE;
  v3_store(to, v3_add(v3_load(to), impulse));
  to = ledger + FF_Y_ANGULAR;
  v3_store(to, v3_add(v3_load(to), angular));
  ff_vec3 lever = v3_sub(at, start ? by->x : by->end.pose.position);
  ff_vec3 v = v3_scale(0.5, v3_add(by->v0, by->end.velocity));
  ff_vec3 w = v3_scale(0.5, v3_add(by->w0, by->end.omega));
  ledger[FF_Y_WORK] += v3_dot(impulse, v3_add(v, v3_cross(w, lever))) + v3_dot(moment, w);
}

/* What the impulses take from the kinetic energy: they do no work, so it is the step that takes it.
 */
static void book_step(const ff_quasi *quasi, const ff_quasi_element *e,
                      const ff_constraint_rows *rows, const double *z, double share) {
  ff_vec3 v[2], w[2];
  for (int s = 0; s < 2; s++) {
    const ff_quasi_body *body = &quasi->bodies[s == 0 ? e->a : e->b];
    v[s] = v3_scale(0.5, v3_add(body->v0, body->end.velocity));
    w[s] = v3_scale(0.5, v3_add(body->w0, body->end.omega));
  }
  double *lost = quasi->booked + FF_Y_LOST;
  for (int i = 0; i < e->rows; i++) {
    lost[FF_LOST_STEP] -= share * z[i] *
                          (v3_dot(rows->along[i], v3_sub(v[0], v[1])) +
                           v3_dot(rows->turn_a[i], w[0]) + v3_dot(rows->turn_b[i], w[1]));
  }
}

void ff_quasi_book_joints(const ff_quasi *quasi) {
  for (int k = 0; k < quasi->model->constraint_count; k++) {
    const ff_quasi_joint *joint = &quasi->joints[k];
    const ff_quasi_element *e = &joint->e;
    ff_state_constraint *to = &quasi->state->constraints[k];
    ff_constraint_rows rows;
    double z[FF_QUASI_OWN];
    ff_constraint_evaluate(&quasi->model->constraints[k], &quasi->bodies[e->a].end,
                           &quasi->bodies[e->b].end, &rows);
    for (int i = 0; i < e->rows; i++) {
      z[i] = (i < rows.places ? 1 : joint->length) * e->z[i];
    }
    ff_vec3 moment, impulse = ff_constraint_force(&rows, z, &moment);
    to->error = ff_constraint_errors(&rows, &to->angle);
    to->force = v3_scale(1 / quasi->h, impulse);
    to->moment = v3_scale(1 / quasi->h, moment);
    book_outside(quasi, joint, &rows, z, false);
    book_step(quasi, e, &rows, z, 1 - joint->early);
    if (joint->early > 0) {
      book_outside(quasi, joint, &joint->start, z, true);
      book_step(quasi, e, &joint->start, z, joint->early);
    }
  }
}

/* ---- velocities of the end ------------------------------------------------------------------ */

/* Did all that hangs together take a step of order 2? */
static bool is_second(const ff_quasi *quasi, const ff_model_cluster *cluster) {
  for (int k = 0; k < cluster->count; k++) {
    if (!(quasi->joints[quasi->model->constraint_order[cluster->first + k]].early > 0)) {
      return false;
    }
  }
  return true;
}

/* Impulses that are in constraint_x act in this step, too. */
static void show_calming(const ff_quasi *quasi, const ff_model_cluster *cluster) {
  const double *impulses = quasi->state->constraint_x;
  for (int k = 0; k < cluster->count; k++) {
    int index = quasi->model->constraint_order[cluster->first + k];
    const ff_constraint_rows *rows = &quasi->state->constraint_rows[index];
    ff_state_constraint *to = &quasi->state->constraints[index];
    ff_vec3 moment, impulse = ff_constraint_force(rows, impulses, &moment);
    to->force = v3_axpy(to->force, 1 / quasi->h, impulse);
    to->moment = v3_axpy(to->moment, 1 / quasi->h, moment);
    impulses += rows->count;
  }
}

void ff_quasi_calm_joints(const ff_quasi *quasi, double t) {
  const ff_model *model = quasi->model;
  bool calmed = false;
  for (int i = 0; i < model->cluster_count; i++) {
    if (is_second(quasi, &model->clusters[i])) {
      quasi->booked[FF_Y_LOST + FF_LOST_STEP] +=
          ff_constraints_calm(model, quasi->state, &model->clusters[i], quasi->state->y);
      show_calming(quasi, &model->clusters[i]);
      calmed = true;
    }
  }
  if (calmed) {
    ff_bodies_update(model, quasi->state, t, quasi->state->y);
  }
}
