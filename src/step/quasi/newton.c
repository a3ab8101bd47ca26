/* Semismooth Newton's method on bodies and elements.
 *
 * The equations are the rows of the bodies and, for every unknown of an element, its row if it has
 * no bound, else min((z - lower) / mass, row). A step solves them linearised (quasi_linear.c).
 *
 * Steps are judged by the kinetic energy of what the rows are off. It must become less; but in
 * the four steps after one that halved the least so far, in heaps the two, it may be as much as the
 * worst of the last few [Grippo86]. If it always might, groups of contacts would take turns for
 * ever, and the more bodies, the more groups there are. A step along the tangent of a cone leaves
 * it: friction is put back first, and taken as the step has it only if that does not serve.
 */
#include "math/vec.h"
#include "step/quasi/quasi_rigid.h"

#include <string.h>

enum {
  ITERATIONS = 40,
  HALVINGS = 8,
  HISTORY = 4,  /* places whose worst may be come back to, */
  PATIENCE = 4, /* by so many steps after one that halved the least, */
  IN_HEAPS = 2  /* or in heaps so many */
};
#define NEAR          1e-8 /* from where factors may be enough that are not of here, */
#define NEAR_IN_HEAPS 1e-6 /* in heaps, whose factors take longer than another look */
#define ENOUGH        1e-4
#define TOLERANCE     1e-12 /* of the rows, relative to what they add up */
#define UNTOUCHED     1e-14 /* the same where it starts: what is left there is left in every step */
#define BEARABLE      1e-10 /* the same, if no further step helps */

/* ---- where the unknowns are --------------------------------------------------------------- */

/* Puts bodies where x says. */
static void place_bodies(ff_quasi *quasi, int first, int end) {
  for (int i = first; i < end; i++) {
    int node = quasi->solved_nodes[i];
    const double *mine = quasi->x + ff_blocks_row(quasi->blocks, node);
    ff_quasi_body *body = ff_quasi_node(quasi, node);
    if (body) {
      ff_quasi_move(quasi, body, v3_load(mine), v3_load(mine + 3));
    } else {
      ff_quasi_move_robot(quasi, ff_quasi_robot_of(quasi, node), mine);
    }
  }
}

/* Inertia's part of the rows of bodies, and its size. */
static void start_rows(ff_quasi *quasi, int first, int end) {
  double fall = quasi->fall;
  for (int i = first; i < end; i++) {
    int node = quasi->solved_nodes[i], row = ff_blocks_row(quasi->blocks, node);
    const ff_quasi_body *body = ff_quasi_node(quasi, node);
    if (!body) {
      ff_quasi_clear_links(quasi, ff_quasi_robot_of(quasi, node));
      continue;
    }
    double mass = quasi->model->bodies[body->id].mass;
    v3_store(quasi->r + row, v3_scale(mass, v3_sub(body->end.velocity, body->v)));
    v3_store(quasi->r + row + 3, v3_sub(body->momentum, body->l));
    double size = quasi->model->bodies[body->id].bound;
    quasi->row_scale[2 * node] = mass * (v3_norm(body->end.velocity) + v3_norm(body->v) + fall);
    quasi->row_scale[2 * node + 1] =
        v3_norm(body->momentum) + v3_norm(body->l) + mass * size * fall;
  }
}

/* The elements' part. */
static void add_rows(ff_quasi *quasi, ff_quasi_element *e, int s) {
  const ff_quasi_body *body = ff_quasi_side_of(quasi, e, s);
  double *r = ff_quasi_rows_of(quasi, body), *scale = ff_quasi_scale_of(quasi, body);
  for (int i = 0; i < FF_QUASI_BODY; i++) {
    r[i] += e->f[6 * s + i];
  }
  scale[0] += e->push + e->push_noise * (1 / TOLERANCE);
  scale[1] += e->twist + e->twist_noise * (1 / TOLERANCE);
}

/* What stands in the rows of links becomes that of their robots. */
static void gather_robots(ff_quasi *quasi) {
  for (int i = 0; i < quasi->node_count; i++) {
    int node = quasi->solved_nodes[i], robot = ff_quasi_robot_of(quasi, node);
    if (robot >= 0) {
      ff_quasi_robot_rows(quasi, robot, quasi->r + ff_blocks_row(quasi->blocks, node));
    }
  }
}

/* Own rows as equations; at_bound: it says that the unknown is at its bound. */
static void find_own(ff_quasi_element *e) {
  double ease = 1 / e->mass;
  for (int i = 0; i < e->rows; i++) {
    double above = ease * (e->z[i] - e->lower[i]), f = e->f[12 + i];
    e->at_bound[i] = above < f;
    e->own[i] = lesser(f, above);
  }
}

/* Rows of some members, and how far off their own are. */
static void find_rows(ff_quasi *quasi, int first, int end) {
  ff_quasi_off out = {0, 0}, *to = &quasi->offs[first / FF_QUASI_PIECE];
  ff_quasi_whole_pairs(quasi, &first, &end);
  ff_quasi_rows(quasi, first, end);
  for (int k = first; k < end; k++) {
    ff_quasi_element *e = quasi->members[k];
    if (e->idle) {
      continue;
    }
    find_own(e);
    for (int i = 0; i < e->rows; i++) {
      double row = e->own[i];
      out.energy += 0.5 * e->mass * row * row;
      out.worst = greater(out.worst, fabs(row) / (e->size[i] + e->noise[i] * (1 / TOLERANCE)));
    }
  }
  *to = out;
}

static ff_quasi_off rows_off(ff_quasi *quasi) {
  ff_quasi_off out = {0, 0};
  int pieces = quasi->is_heap ? ff_quasi_pieces(quasi) : 1;
  for (int i = 0; i < quasi->node_count; i++) {
    int node = quasi->solved_nodes[i];
    const ff_quasi_body *body = ff_quasi_node(quasi, node);
    const double *r = quasi->r + ff_blocks_row(quasi->blocks, node);
    if (!body) {
      ff_quasi_off robot = ff_quasi_robot_off(quasi, ff_quasi_robot_of(quasi, node), r);
      out = (ff_quasi_off){out.energy + robot.energy, greater(out.worst, robot.worst)};
      continue;
    }
    ff_vec3 p = v3_load(r), l = v3_load(r + 3);
    out.energy += 0.5 * quasi->model->bodies[body->id].inv_mass * v3_dot(p, p) +
                  0.5 * v3_dot(l, m3_mul(body->inv_inertia, l));
    out.worst = greater(out.worst, v3_norm(p) / quasi->row_scale[2 * node]);
    out.worst = greater(out.worst, v3_norm(l) / quasi->row_scale[2 * node + 1]);
  }
  for (int i = 0; i < pieces; i++) {
    out.energy += quasi->offs[i].energy;
    out.worst = greater(out.worst, quasi->offs[i].worst);
  }
  return out;
}

static ff_quasi_off evaluate(ff_quasi *quasi) {
  ff_effort += 5 * quasi->member_count;
  ff_quasi_share(quasi, place_bodies, quasi->node_count);
  ff_quasi_share(quasi, find_rows, quasi->member_count);
  ff_quasi_share(quasi, start_rows, quasi->node_count);
  ff_quasi_for_sides(quasi, add_rows);
  gather_robots(quasi);
  return rows_off(quasi);
}
/* ---- the way ------------------------------------------------------------------------------------
 */

static void save_elements(ff_quasi *quasi, int first, int end) {
  for (int k = first; k < end; k++) {
    memcpy(quasi->members[k]->base, quasi->members[k]->z, sizeof quasi->members[k]->z);
  }
}

static void save(ff_quasi *quasi) {
  for (int i = 0; i < quasi->node_count; i++) {
    int node = quasi->solved_nodes[i], row = ff_blocks_row(quasi->blocks, node);
    size_t size = (size_t)ff_mover_size(quasi->model, node);
    memcpy(quasi->base + row, quasi->x + row, size * sizeof(double));
  }
  ff_quasi_share(quasi, save_elements, quasi->member_count);
}

/* What comes to rest goes on for ever smaller, until its squares are too small for a double, and
 * processors slow with them. */
static double cleared(double a) {
  return fabs(a) > 1e-100 ? a : 0;
}

static void move_elements(ff_quasi *quasi, int first, int end) {
  double t = quasi->share;
  for (int k = first; k < end; k++) {
    ff_quasi_element *e = quasi->members[k];
    for (int i = 0; i < e->rows; i++) {
      e->z[i] = cleared(e->base[i] + t * e->step[i]);
      if (t == 1 && fabs(e->z[i] - e->lower[i]) < 1e-14 * fabs(e->base[i])) {
        e->z[i] = e->lower[i]; /* it was sent there */
      }
    }
  }
}

static void go(ff_quasi *quasi, double t) {
  for (int i = 0; i < quasi->node_count; i++) {
    int node = quasi->solved_nodes[i], row = ff_blocks_row(quasi->blocks, node);
    for (int k = row; k < row + ff_mover_size(quasi->model, node); k++) {
      quasi->x[k] = cleared(quasi->base[k] + t * quasi->step[k]);
    }
  }
  quasi->share = t;
  ff_quasi_share(quasi, move_elements, quasi->member_count);
}

/* Goes along the step as far as it serves; false: nowhere, and all is as before. */
static bool search(ff_quasi *quasi, double limit, ff_quasi_off *at) {
  double t = 1;
  for (int k = 0; k < 2 * (HALVINGS + 1) && !ff_quasi_must_end(quasi);
       k++, t *= k % 2 == 0 ? 0.5 : 1) {
    go(quasi, t);
    quasi->held_in_cones = k % 2 == 0;
    ff_quasi_off there = evaluate(quasi);
    quasi->held_in_cones = false;
    if (there.energy <= (1 - ENOUGH * t) * limit) {
      *at = there;
      return true;
    }
  }
  go(quasi, 0);
  evaluate(quasi);
  return false;
}

/* One step with the factors of an earlier one; if it leads nowhere all is as before. */
static void advance_again(ff_quasi *quasi, ff_quasi_off *at) {
  save(quasi);
  go(quasi, ff_quasi_find_step_again(quasi, at->worst) ? 1 : 0);
  ff_quasi_off there = evaluate(quasi);
  if (there.energy < at->energy) {
    *at = there;
  } else {
    go(quasi, 0);
    evaluate(quasi);
  }
}

/* Along the linearised problem, with all of its factors or only nearly. */
static bool try_direction(ff_quasi *quasi, double limit, bool nearly, ff_quasi_off *at) {
  save(quasi);
  return ff_quasi_find_step(quasi, nearly, at->worst) && search(quasi, limit, at);
}

/* One step from here: the quick way, or if that leads nowhere just as the rows say. */
static bool advance(ff_quasi *quasi, double limit, ff_quasi_off *at) {
  bool nearly = quasi->is_heap;
  quasi->rest_first = true;
  if (try_direction(quasi, limit, nearly, at)) {
    return true;
  }
  quasi->rest_first = false;
  return (nearly || atomic_load(&quasi->rested)) && try_direction(quasi, limit, false, at);
}

/* J, what rows were off in the last few places; the least that halved what was least before, and
 * which of them that was. */
typedef struct descent {
  double past[HISTORY], least;
  int since, patience;
} descent;

/* J, what they may be off after the next step: n led to where they are off by this. */
static double limit_of(descent *way, int n, double at) {
  double limit = at;
  if (n == 0 || at < 0.5 * way->least) {
    way->least = at;
    way->since = n;
  }
  way->past[n % HISTORY] = at;
  for (int i = 0; n - way->since < way->patience && i < HISTORY && i <= n; i++) {
    limit = greater(limit, way->past[i]);
  }
  return limit;
}

double ff_quasi_off_by(ff_quasi *quasi) {
  return evaluate(quasi).energy;
}

bool ff_quasi_holds(ff_quasi *quasi) {
  quasi->off = evaluate(quasi).worst;
  return quasi->off <= TOLERANCE;
}

bool ff_quasi_newton(ff_quasi *quasi) {
  quasi->tries++;
  descent way = {.patience = quasi->is_heap ? IN_HEAPS : PATIENCE};
  bool slow = false; /* old factors brought it hardly nearer */
  ff_quasi_off at = evaluate(quasi);
  /* what a look before found was solved for in this step; of robots nothing is expected */
  bool trusted = quasi->looked || ff_quasi_has_robot(quasi);
  double enough = trusted ? TOLERANCE : UNTOUCHED;
  for (int n = 0; n < ITERATIONS && !(at.worst <= (n == 0 ? enough : TOLERANCE)); n++) {
    double limit = limit_of(&way, n, at.energy);
    double off = at.worst;
    bool near = off < (quasi->is_heap ? NEAR_IN_HEAPS : NEAR) &&
                (n == 0 ? quasi->tries == 1 : quasi->node_count > 1);
    if (near && !slow && ff_quasi_is_kept(quasi)) {
      advance_again(quasi, &at);
      slow = at.worst > 0.1 * off;
      continue;
    }
    slow = false;
    if (!isfinite(at.energy) || !advance(quasi, limit, &at)) {
      break;
    }
  }
  quasi->off = at.worst;
  return at.worst <= BEARABLE &&
         !ff_quasi_must_end(quasi); /* which may have ended a search early */
}
