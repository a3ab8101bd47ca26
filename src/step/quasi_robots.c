/* Robots in a quasi-rigid step.
 *
 * Unknown is the generalised velocity u of the end; it moves the joints. Of every link linear and
 * angular momentum change by the impulses on it, as those of a free body do, and what joints pass
 * on does no work where the step ends:
 *
 *   sum over links of J^T (change of momentum - impulses) + A (u - u_0) - h tau = 0
 *
 * with momenta about the centres of mass in world axes, J the Jacobians of the end, and A rotors
 * and what looking ahead adds (see robots.c: drives and resistance of joints act as at the end). So
 * these are the equations of free bodies [Chakraborty07 eq. 15] and of bilateral constraints
 * between them, seen through the joints. There are no Coriolis forces: they are how momentum looks
 * from axes that turn. Linear momentum is kept exactly, and fast spin is stable.
 *
 * In vectors and blocks its coordinates stand in reverse, leaves before roots: eliminated in that
 * order branches leave nothing behind in each other [Featherstone08 sec. 6.5].
 *
 * To its elements a link is a body with six unknowns w: velocity and angular velocity, that move it
 * by h w. What they add to its rows F and its block B becomes J^T F and J^T B J. That its velocity
 * changes as joints turn, too, is left out there: it is of the order of h times the angular
 * velocities, and the method converges by that factor a step at least.
 */
#include "math/vec.h"
#include "step/quasi_rigid.h"
#include "step/robots.h"

#include <string.h>

/* ---- life ------------------------------------------------------------------------------- */

bool ff_quasi_make_robots(ff_quasi *quasi) {
  const ff_model *model = quasi->model;
  size_t most = FF_QUASI_BODY;
  quasi->robots = ff_arena_take(&quasi->arena, (size_t)model->robot_count, sizeof *quasi->robots);
  for (int r = 0; quasi->robots && r < model->robot_count; r++) {
    const ff_model_robot *robot = &model->robots[r];
    ff_quasi_robot *to = &quasi->robots[r];
    size_t n = (size_t)robot->v_count, links = (size_t)robot->link_count;
    double *room =
        ff_arena_take(&quasi->arena, (size_t)robot->q_count + 5 * n + n * n + 1, sizeof *room);
    to->links = ff_arena_take(&quasi->arena, links, sizeof *to->links);
    to->beyond = ff_arena_take(&quasi->arena, links + 1, sizeof *to->beyond);
    to->bends = ff_arena_take(&quasi->arena, (size_t)robot->tree->s_count + 1, sizeof *to->bends);
    if (!room || !to->links || !to->beyond || !to->bends) {
      return false;
    }
    to->u = room;
    to->free = room + n;
    to->push = room + 2 * n;
    to->added = room + 3 * n;
    to->scale = room + 4 * n;
    to->factor = room + 5 * n;
    to->q = to->factor + n * n;
    most = most < (size_t)robot->tree->s_count ? (size_t)robot->tree->s_count : most;
  }
  for (int s = 0; s < 2; s++) {
    quasi->columns[s] = ff_arena_take(&quasi->arena, most, sizeof *quasi->columns[s]);
  }
  return quasi->robots && quasi->columns[0] && quasi->columns[1];
}

/* ---- where its links are --------------------------------------------------------------------
 */

static ff_quasi_body *body_of(const ff_quasi *quasi, int r, int link) {
  return &quasi->bodies[quasi->model->robots[r].first_body + link - 1];
}

/* From a link's origin to the centre of its body, where the work has it. */
static ff_vec3 arm_of(const ff_quasi *quasi, int r, int link) {
  const ff_model_body *body = &quasi->model->bodies[quasi->model->robots[r].first_body + link - 1];
  return m3_mul(quasi->state->robots[r].work->turn[link], body->frame.position);
}

/* Shows a link where the work has it. To elements it is a body with inertia 1, that turns by h
 * times its angular velocity. */
static void show_link(const ff_quasi *quasi, int r, int link) {
  const ff_tree_work *work = quasi->state->robots[r].work;
  ff_quasi_body *body = body_of(quasi, r, link);
  ff_vec3 arm = arm_of(quasi, r, link);
  ff_sv v = work->v[link];
  body->end.pose.position = v3_add(work->pose[link].position, arm);
  body->end.pose.orientation = work->pose[link].orientation;
  body->end.velocity = v3_add(v.l, v3_cross(v.a, arm));
  body->end.omega = body->momentum = v.a;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      body->inv_inertia.m[i][k] = i == k;
      body->turned.m[i][k] = i == k ? quasi->h : 0;
    }
  }
  body->strayed = true;
}

void ff_quasi_start_robot(const ff_quasi *quasi, int r, bool warm, double *x) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  const double *from = warm ? quasi->state->y + robot->v_at : quasi->robots[r].free;
  for (int k = 0; k < robot->v_count; k++) {
    x[ff_quasi_place(robot, k)] = from[k];
  }
}

/* Puts its links where `u` brings them. */
static void move(const ff_quasi *quasi, int r) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  const ff_state_robot *at = &quasi->state->robots[r];
  const ff_quasi_robot *to = &quasi->robots[r];
  memcpy(to->q, quasi->state->y + robot->q_at, (size_t)robot->q_count * sizeof *to->q);
  ff_tree_q_arrive(robot->tree, to->q, to->u, quasi->h);
  at->placed[0] = NAN;
  ff_tree_update(at->work, to->q, to->u);
  for (int i = 1; i <= robot->link_count; i++) {
    show_link(quasi, r, i);
  }
}

void ff_quasi_move_robot(const ff_quasi *quasi, int r, const double *x) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  for (int k = 0; k < robot->v_count; k++) {
    quasi->robots[r].u[k] = x[ff_quasi_place(robot, k)];
  }
  move(quasi, r);
}

/* ---- the start ------------------------------------------------------------------------------- */

/* Momentum of a link about its centre of mass; where that is, seen from its origin. */
static ff_sv momentum_of(const ff_tree_work *work, int link, ff_vec3 *com) {
  const ff_si *inertia = &work->inertia[link];
  ff_sv m = work->momentum[link];
  *com = v3_scale(inertia->m > 0 ? 1 / inertia->m : 0, inertia->h);
  return (ff_sv){v3_sub(m.a, v3_cross(*com, m.l)), m.l};
}

/* What the links' momenta would be if nothing held them. */
static void keep_momentum(const ff_quasi *quasi, int r) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  const ff_tree_work *work = quasi->state->robots[r].work;
  for (int i = 1; i <= robot->link_count; i++) {
    ff_quasi_link *link = &quasi->robots[r].links[i - 1];
    ff_vec3 com;
    link->from = sv_zero();
    if (!robot->tree->links[i].still) {
      link->from = momentum_of(work, i, &com);
      link->com = v3_add(work->pose[i].position, com);
      link->v0 = sv_motion_to(com, work->v[i]);
      double weighs = quasi->h * work->inertia[i].m;
      link->from.l = v3_axpy(link->from.l, weighs, quasi->model->run.gravity);
    }
  }
}

/* Joints, drives and inertia as they act in this step, and the velocity they lead to. */
static bool prepare(ff_quasi *quasi, int r) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  ff_state_robot *at = &quasi->state->robots[r];
  const ff_quasi_robot *to = &quasi->robots[r];
  const double *v = quasi->state->y + robot->v_at;
  size_t n = (size_t)robot->v_count;
  ff_robot_look_ahead(quasi->model, quasi->state, r, quasi->h, quasi->h);
  bool good = ff_robot_acceleration(quasi->model, quasi->state, r) != NULL;
  memcpy(to->added, ff_tree_added_inertia(at->work), n * sizeof *to->added);
  ff_robot_drop(quasi->model, quasi->state, r);
  ff_tree_inertia(at->work, to->factor);
  for (size_t k = 0; k < n; k++) {
    to->factor[k * n + k] += to->added[k];
    to->free[k] = v[k] + quasi->h * at->a[k];
    to->push[k] = quasi->h * at->tau[k];
  }
  return good && ff_tree_factor(robot->tree, to->factor);
}

/* A body that is a link, where it starts. */
static void start_link(const ff_quasi *quasi, int r, int link) {
  ff_quasi_body *body = body_of(quasi, r, link);
  body->theta = 1;
  body->end = quasi->state->bodies[body->id];
  if (body->node >= 0) {
    body->link = &quasi->robots[r].links[link - 1];
  }
}

bool ff_quasi_fly_robots(ff_quasi *quasi, double t) {
  const ff_model *model = quasi->model;
  bool good = true;
  ff_robots_load(model, quasi->state, t, quasi->state->y, NULL);
  for (int r = 0; r < model->robot_count; r++) {
    for (int i = 1; i <= model->robots[r].link_count; i++) {
      start_link(quasi, r, i);
    }
    if (quasi->h > 0) { /* the ground bears the weight of one that cannot move, too */
      keep_momentum(quasi, r);
    }
    if (quasi->h > 0 && model->robots[r].v_count > 0) {
      good = good && prepare(quasi, r);
      memcpy(quasi->robots[r].u, quasi->robots[r].free,
             (size_t)model->robots[r].v_count * sizeof(double));
      move(quasi, r);
      for (int i = 1; i <= model->robots[r].link_count; i++) {
        ff_quasi_body *body = body_of(quasi, r, i);
        body->flown = body->end.pose;
        body->strayed = false;
      }
    }
  }
  return good;
}

/* ---- rows ---------------------------------------------------------------------------------- */

void ff_quasi_clear_links(const ff_quasi *quasi, int r) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  for (int i = 0; i < robot->link_count; i++) {
    ff_quasi_link *link = &quasi->robots[r].links[i];
    const ff_wrench *wrench = &quasi->state->wrenches[robot->first_body + i];
    v3_store(link->rows, v3_scale(-quasi->h, wrench->force));
    v3_store(link->rows + 3, v3_scale(-quasi->h, wrench->torque));
    link->scale[0] = quasi->h * v3_norm(wrench->force);
    link->scale[1] = quasi->h * v3_norm(wrench->torque);
  }
}

/* What is not explained by impulses, at the link's origin; and the size of what it is made of. */
static ff_sv lacks(const ff_quasi *quasi, int r, int i) {
  const ff_tree_work *work = quasi->state->robots[r].work;
  ff_quasi_link *link = &quasi->robots[r].links[i - 1];
  ff_vec3 push = v3_load(link->rows), arm = arm_of(quasi, r, i);
  ff_sv sum = {v3_add(v3_load(link->rows + 3), v3_cross(arm, push)), push};
  link->heavy[0] = link->scale[0];
  link->heavy[1] = link->scale[1] + v3_norm(arm) * link->scale[0];
  if (!work->tree->links[i].still) {
    ff_vec3 com;
    ff_sv now = momentum_of(work, i, &com), change = sv_sub(now, link->from);
    double size = v3_norm(now.l) + v3_norm(link->from.l);
    sum = sv_add(sum, sv_force_back(com, change));
    link->heavy[0] += size;
    link->heavy[1] += v3_norm(now.a) + v3_norm(link->from.a) + v3_norm(com) * size;
  }
  return sum;
}

void ff_quasi_robot_rows(const ff_quasi *quasi, int r, double *rows) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  const ff_tree *tree = robot->tree;
  ff_tree_work *work = quasi->state->robots[r].work;
  ff_quasi_robot *to = &quasi->robots[r];
  const double *v = quasi->state->y + robot->v_at;
  for (int k = 0; k < robot->v_count; k++) {
    double carried = tree->armature[k] + to->added[k];
    rows[ff_quasi_place(robot, k)] = carried * (to->u[k] - v[k]) - to->push[k];
    to->scale[k] = carried * (fabs(to->u[k]) + fabs(v[k])) + fabs(to->push[k]);
  }
  work->f[0] = sv_zero();
  for (int i = 1; i <= robot->link_count; i++) {
    work->f[i] = lacks(quasi, r, i);
  }
  for (int i = robot->link_count; i > 0; i--) {
    const ff_tree_link_data *link = &tree->links[i];
    const double *heavy = to->links[i - 1].heavy;
    for (int k = 0; k < link->v_count; k++) {
      ff_sv s = work->s[link->s_at + k];
      rows[ff_quasi_place(robot, link->v_at + k)] += sv_dot(s, work->f[i]);
      to->scale[link->v_at + k] += v3_norm(s.l) * heavy[0] + v3_norm(s.a) * heavy[1];
    }
    work->f[link->parent] = sv_add(work->f[link->parent], sv_force_back(work->r[i], work->f[i]));
    if (link->parent > 0) {
      double *beyond = to->links[link->parent - 1].heavy;
      beyond[0] += heavy[0];
      beyond[1] += heavy[1] + v3_norm(work->r[i]) * heavy[0];
    }
  }
  to->ground = ff_tree_carried_wrench(work);
}

ff_quasi_off ff_quasi_robot_off(const ff_quasi *quasi, int r, const double *rows) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  const ff_quasi_robot *to = &quasi->robots[r];
  double *x = quasi->state->robots[r].work->rest;
  ff_quasi_off out = {0, 0};
  for (int k = 0; k < robot->v_count; k++) {
    x[k] = rows[ff_quasi_place(robot, k)];
    out.worst = fmax(out.worst, fabs(x[k]) / to->scale[k]);
  }
  ff_branch_down(robot->tree->dof_parent, robot->v_count, to->factor, x);
  for (int k = 0; k < robot->v_count; k++) {
    out.energy += 0.5 * x[k] * x[k];
  }
  return out;
}

/* ---- derivatives ------------------------------------------------------------------------------
 */

/* The columns of a body: of a link those that move it, of a free body one for each unknown. */
static int columns_of(const ff_quasi *quasi, const ff_quasi_body *body, ff_quasi_column *to) {
  int count = 0;
  if (!body->link) {
    for (; count < 6; count++) {
      to[count] = (ff_quasi_column){.at = count};
      to[count].c[count] = 1;
    }
    return count;
  }
  int r = quasi->model->bodies[body->id].robot;
  const ff_tree_work *work = quasi->state->robots[r].work;
  const ff_tree *tree = work->tree;
  for (int j = quasi->model->bodies[body->id].link; j > 0; j = tree->links[j].parent) {
    const ff_tree_link_data *link = &tree->links[j];
    ff_vec3 arm = v3_sub(body->end.pose.position, work->pose[j].position);
    for (int k = 0; k < link->v_count; k++) {
      ff_sv s = sv_motion_to(arm, work->s[link->s_at + k]);
      to[count].at = ff_quasi_place(&quasi->model->robots[r], link->v_at + k);
      v3_store(to[count].c, s.l);
      v3_store(to[count++].c + 3, s.a);
    }
  }
  return count;
}

/* to += J_s^T b J_t, to having so many columns. */
static void add_seen(double *to, int width, const ff_quasi_column *s, int s_count,
                     const ff_quasi_column *t, int t_count, double b[6][6]) {
  for (int k = 0; k < t_count; k++) {
    double moved[6];
    for (int i = 0; i < 6; i++) {
      const double *row = b[i], *c = t[k].c;
      moved[i] = row[0] * c[0] + row[1] * c[1] + row[2] * c[2] + row[3] * c[3] + row[4] * c[4] +
                 row[5] * c[5];
    }
    for (int i = 0; i < s_count; i++) {
      const double *c = s[i].c;
      to[s[i].at * width + t[k].at] += c[0] * moved[0] + c[1] * moved[1] + c[2] * moved[2] +
                                       c[3] * moved[3] + c[4] * moved[4] + c[5] * moved[5];
    }
  }
}

void ff_quasi_clear_blocks(const ff_quasi *quasi, int r) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  for (int i = 0; i < robot->link_count; i++) {
    ff_quasi_link *link = &quasi->robots[r].links[i];
    if (link->busy) {
      memset(link->block, 0, sizeof link->block);
      memset(link->step, 0, sizeof link->step);
      link->busy = false;
    }
  }
}

void ff_quasi_add_links(const ff_quasi *quasi, int r, double *block, double *right) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  ff_quasi_column *columns = quasi->columns[0];
  for (int i = 1; i <= robot->link_count; i++) {
    ff_quasi_link *link = &quasi->robots[r].links[i - 1];
    if (link->busy) {
      int count = columns_of(quasi, body_of(quasi, r, i), columns);
      add_seen(block, robot->v_count, columns, count, columns, count, link->block);
      for (int k = 0; k < count; k++) {
        for (int m = 0; m < 6; m++) {
          right[columns[k].at] += columns[k].c[m] * link->step[m];
        }
      }
    }
  }
}

void ff_quasi_add_block(const ff_quasi *quasi, const ff_quasi_body *s, const ff_quasi_body *t,
                        double block[6][6]) {
  if (s == t) { /* all that its elements do is seen through the same Jacobian */
    s->link->busy = true;
    for (int i = 0; i < 6; i++) {
      for (int k = 0; k < 6; k++) {
        s->link->block[i][k] += block[i][k];
      }
    }
    return;
  }
  int s_count = columns_of(quasi, s, quasi->columns[0]);
  int t_count = columns_of(quasi, t, quasi->columns[1]);
  add_seen(ff_blocks_at(quasi->blocks, s->node, t->node), ff_mover_size(quasi->model, t->node),
           quasi->columns[0], s_count, quasi->columns[1], t_count, block);
}

void ff_quasi_step_links(const ff_quasi *quasi, int r, const double *step) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  for (int i = 1; i <= robot->link_count; i++) {
    ff_quasi_link *link = &quasi->robots[r].links[i - 1];
    if (link->busy) {
      int count = columns_of(quasi, body_of(quasi, r, i), quasi->columns[0]);
      memset(link->step, 0, sizeof link->step);
      for (int k = 0; k < count; k++) {
        const ff_quasi_column *column = &quasi->columns[0][k];
        for (int m = 0; m < 6; m++) {
          link->step[m] += step[column->at] * column->c[m];
        }
      }
    }
  }
}

/* ---- the end --------------------------------------------------------------------------------- */

/* What the step takes from a link: as from a free body (quasi_book.c), and as its joints act where
 * the step ends, while its velocity of before is where it starts. */
static double lost_by_link(const ff_quasi *quasi, int r, int i) {
  const ff_tree_work *work = quasi->state->robots[r].work;
  const ff_quasi_link *link = &quasi->robots[r].links[i - 1];
  double mass = work->inertia[i].m;
  ff_vec3 com, weight = v3_scale(quasi->h * mass, quasi->model->run.gravity);
  ff_sv now = momentum_of(work, i, &com), v = sv_motion_to(com, work->v[i]);
  ff_vec3 way = v3_sub(v3_add(work->pose[i].position, com), link->com);
  ff_vec3 ahead = v3_axpy(way, -0.5 * quasi->h, v3_add(link->v0.l, v.l));
  double gyro = 0.5 * (v3_dot(link->from.a, v.a) - v3_dot(now.a, link->v0.a));
  ff_sv held = sv_force_back(v3_neg(com), lacks(quasi, r, i));
  return v3_dot(weight, ahead) / quasi->h - gyro -
         0.5 * sv_dot(sv_sub(link->v0, link->unbent), held);
}

/* The same of all links; the work is then where the step ends. */
static double lost_in_step(const ff_quasi *quasi, int r) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  const ff_state_robot *at = &quasi->state->robots[r];
  const ff_quasi_robot *from = &quasi->robots[r];
  double sum = 0;
  at->placed[0] = NAN;
  ff_tree_update(at->work, from->q, quasi->state->y + robot->v_at);
  for (int i = 1; i <= robot->link_count; i++) {
    ff_vec3 com;
    momentum_of(at->work, i, &com);
    from->links[i - 1].unbent = sv_motion_to(com, at->work->v[i]);
  }
  ff_tree_update(at->work, from->q, from->u);
  for (int i = 1; i <= robot->link_count; i++) {
    sum += robot->tree->links[i].still ? 0 : lost_by_link(quasi, r, i);
  }
  return sum;
}

void ff_quasi_settle_robot(const ff_quasi *quasi, int r) {
  const ff_model_robot *robot = &quasi->model->robots[r];
  ff_state_robot *at = &quasi->state->robots[r];
  const ff_quasi_robot *from = &quasi->robots[r];
  double *y = quasi->state->y;
  for (int k = 0; k < robot->v_count; k++) {
    at->a[k] = (from->u[k] - y[robot->v_at + k]) / quasi->h;
  }
  ff_tree_wrench ground = {{0, 0, 0}, {0, 0, 0}};
  if (ff_tree_link(robot->tree, 1).kind != FF_JOINT_FREE) {
    ground.force = v3_scale(1 / quasi->h, from->ground.force);
    ground.torque = v3_scale(1 / quasi->h, from->ground.torque);
  }
  ff_robot_book(quasi->model, quasi->state, r, quasi->h, quasi->h, ground);
  quasi->booked[FF_Y_LOST + FF_LOST_STEP] += lost_in_step(quasi, r);
  memcpy(y + robot->v_at, from->u, (size_t)robot->v_count * sizeof *y);
  memcpy(y + robot->q_at, from->q, (size_t)robot->q_count * sizeof *y);
}
