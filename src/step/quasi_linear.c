/* The linearised problem of bodies and elements.
 *
 * The unknowns of an element know only its two bodies: they are eliminated first, each element by
 * itself, and leave a system of 6 x 6 blocks on the graph of bodies that touch (solve/blocks.h).
 *
 * More contacts may stick, or rest on their cores, than a body has freedoms: there an element's own
 * matrix and its Schur complement are singular together. GIVE makes every element yield by a
 * millionth of what its change of impulse asks for. That touches the way, not the solution: it is
 * a proximal term on the impulses, and of the solutions that share a load differently the one
 * nearby is found. Constraints yield as if they held the heaviest body of all: light links may bear
 * it, and a millionth of what it takes to move them would be all of what it takes to move that.
 * Where contacts share loads, friction gives way more as long as the rows are far off: which
 * contacts stick and which slip then settles in half as many steps. So do the cores of shapes that
 * touch in several places: of four corners only three can rest on their cores, unless they are just
 * level, and impulses that are to make the fourth do so as well are millions of times too large,
 * some of them to pull.
 */
#include "math/pairs.h"
#include "math/vec.h"
#include "step/quasi_rigid.h"

#include <string.h>

#define GIVE       1e-6
#define LOOSE      0.1  /* the same of friction that shares a load, where rows are wholly off */
#define NEGLIGIBLE 2.0  /* of inertia: products that the factors of heaps are without, */
#define ROUGH      1e-3 /* which are enough as long as rows are off by more; then they */
#define TIGHT      1e-4 /* help to solve the problem to a hundred times that, or as well as this, */
#define AIM        1e-13 /* or as it takes to have rows off by no more */

/* Is the body on side s of an element one that is solved for? */
static bool is_solved(const ff_quasi *quasi, const ff_quasi_element *e, int s) {
  return ff_quasi_side_of(quasi, e, s)->solved;
}

/* ---- factors that serve again ------------------------------------------------------------------
 *
 * Where motion is smooth the matrix of a step before is nearly that of this one, and the start is
 * so near that a step with it is enough. It serves the same island with rows of the same kind.
 */

static int name_of(const ff_quasi_element *e) {
  return e->joint ? ((const ff_quasi_joint *)e)->constraint : ((const ff_quasi_contact *)e)->point;
}

static int regime_of(const ff_quasi *quasi, const ff_quasi_element *e) {
  int out = e->idle + 2 * (quasi->theta < 1);
  for (int i = 0; i < e->rows && !e->idle; i++) {
    out += e->at_bound[i] << (2 + i);
  }
  if (!e->joint) {
    const ff_quasi_contact *contact = (const ff_quasi_contact *)e;
    out += (contact->to.slips << 10) + ((contact->stiff > 0) << 11);
  }
  return out;
}

/* Factors of robots are not kept: theirs go with what stands in their links. */
static ff_quasi_kept to_keep(ff_quasi *quasi, bool nearly) {
  quasi->factors++;
  return (ff_quasi_kept){.factor = ff_quasi_has_robot(quasi) ? 0 : quasi->factors,
                         .nodes = quasi->node_count,
                         .members = quasi->member_count,
                         .nearly = nearly};
}

static void keep(const ff_quasi *quasi, ff_quasi_element *e) {
  e->kept = quasi->kept;
  e->kept.name = name_of(e);
  e->kept.regime = regime_of(quasi, e);
  for (int s = 0; s < 2; s++) {
    if (is_solved(quasi, e, s)) {
      quasi->lefts[e->left[s]].factor = e->kept.factor;
      quasi->lefts[e->left[s]].idle = e->idle;
    }
  }
}

/* Is what is left of it where it was, and nobody else wrote there? */
static bool are_left(const ff_quasi *quasi, const ff_quasi_element *e) {
  for (int s = 0; s < 2; s++) {
    if (is_solved(quasi, e, s) && quasi->lefts[e->left[s]].factor != e->kept.factor) {
      return false;
    }
  }
  return true;
}

/* A robot that touches nothing has no members, and factors of robots are never kept. */
bool ff_quasi_is_kept(const ff_quasi *quasi) {
  if (quasi->member_count == 0) {
    return false;
  }
  const ff_quasi_kept *first = &quasi->members[0]->kept;
  if (first->factor < quasi->first_factor || first->nodes != quasi->node_count ||
      first->members != quasi->member_count) {
    return false;
  }
  for (int k = 0; k < quasi->member_count; k++) {
    const ff_quasi_element *e = quasi->members[k];
    if (e->kept.factor != first->factor || e->kept.name != name_of(e) ||
        e->kept.regime != regime_of(quasi, e) || !are_left(quasi, e)) {
      return false;
    }
  }
  return true;
}
/* ---- elimination of elements ------------------------------------------------------------------
 */

static void exchange(double *a, double *b, int count) {
  for (int m = 0; m < count; m++) {
    double held = a[m];
    a[m] = b[m];
    b[m] = held;
  }
}

/* Its own matrix, and the identity; rows that say that an unknown is at its bound know nothing
 * else. */
static void fill(ff_quasi_element *e, ff_quasi_matrix j, double own[][FF_QUASI_OWN], double give,
                 double heaviest) {
  double mass = e->joint ? greater(e->mass, heaviest) : e->mass;
  for (int i = 0; i < e->rows; i++) {
    for (int k = 0; k < e->rows; k++) {
      own[i][k] = e->at_bound[i] ? 0 : j[12 + i][12 + k];
      e->inverse[i][k] = i == k;
    }
    bool firm = e->joint || (i == 0 && !e->shares);
    own[i][i] += (e->at_bound[i] ? 1 + GIVE : firm ? GIVE : give) / mass;
  }
}

/* Gauss and Jordan; false: singular. */
static bool invert(double own[][FF_QUASI_OWN], double inverse[][FF_QUASI_OWN], int n) {
  for (int k = 0; k < n; k++) {
    int at = k;
    for (int i = k + 1; i < n; i++) {
      at = fabs(own[i][k]) > fabs(own[at][k]) ? i : at;
    }
    if (!(fabs(own[at][k]) > 0)) {
      return false;
    }
    if (at != k) {
      exchange(inverse[k], inverse[at], n);
      exchange(own[k], own[at], n);
    }
    double scale = 1 / own[k][k];
    ff_scale(own[k] + k + 1, scale, n - k - 1);
    ff_scale(inverse[k], scale, n);
    for (int i = 0; i < n; i++) {
      if (i != k && own[i][k] != 0) {
        double factor = own[i][k];
        ff_take_off(own[i] + k + 1, factor, own[k] + k + 1, n - k - 1);
        ff_take_off(inverse[i], factor, inverse[k], n);
      }
    }
  }
  return true;
}

/* What is left of the element in the rows of body s and the columns of body t: a row of it stays in
 * registers. */
static void reduce_block(const ff_quasi_element *e, ff_quasi_matrix j, int s, int t,
                         double to[6][6]) {
  for (int i = 0; i < FF_QUASI_BODY; i++) {
    const double *from = j[6 * s + i] + 6 * t, *by = j[6 * s + i] + 12;
    ff_pair2 x = ff_pair2_load(from), y = ff_pair2_load(from + 2), z = ff_pair2_load(from + 4);
    for (int m = 0; m < e->rows; m++) {
      const double *row = e->reduced[m] + 6 * t;
      ff_pair2 factor = {by[m], by[m]};
      x -= factor * ff_pair2_load(row);
      y -= factor * ff_pair2_load(row + 2);
      z -= factor * ff_pair2_load(row + 4);
    }
    ff_pair2_store(to[i], x);
    ff_pair2_store(to[i] + 2, y);
    ff_pair2_store(to[i] + 4, z);
  }
}

/* Inverts its own matrix, and multiplies the columns of its bodies by that. False: singular. */
static bool divide(const ff_quasi *quasi, ff_quasi_element *e, ff_quasi_matrix j) {
  double own[FF_QUASI_OWN][FF_QUASI_OWN];
  int width = ff_quasi_width(quasi, e);
  fill(e, j, own, quasi->give, quasi->heaviest);
  if (!invert(own, e->inverse, e->rows)) {
    return false;
  }
  for (int i = 0; i < e->rows; i++) {
    memset(e->reduced[i], 0, (size_t)width * sizeof(double));
    for (int k = 0; k < e->rows; k++) {
      if (!e->at_bound[k] && e->inverse[i][k] != 0) {
        ff_take_off(e->reduced[i], -e->inverse[i][k], j[12 + k], width);
      }
    }
  }
  return true;
}

/* What its own unknowns make up for, and what of that is in the rows of its bodies. */
static void find_offset(const ff_quasi *quasi, ff_quasi_element *e) {
  for (int i = 0; i < e->rows; i++) {
    e->offset[i] = ff_dot(e->inverse[i], e->own, e->rows);
  }
  for (int s = 0; s < 2; s++) {
    for (int i = 0; is_solved(quasi, e, s) && i < FF_QUASI_BODY; i++) {
      quasi->lefts[e->left[s]].right[i] = ff_dot(e->push_by[6 * s + i], e->offset, e->rows);
    }
  }
}

/* Eliminates the unknowns of an element. */
static void eliminate(void *context, ff_quasi_element *e, ff_quasi_matrix j) {
  ff_quasi *quasi = context;
  if (!divide(quasi, e, j)) {
    atomic_store(&quasi->singular, true);
    return;
  }
  for (int s = 0; s < 2; s++) {
    if (!is_solved(quasi, e, s)) {
      continue;
    }
    ff_quasi_left *left = &quasi->lefts[e->left[s]];
    reduce_block(e, j, s, s, left->own);
    if (is_solved(quasi, e, 1 - s)) {
      reduce_block(e, j, s, 1 - s, left->other);
    }
    for (int i = 6 * s; i < 6 * s + FF_QUASI_BODY; i++) {
      memcpy(e->push_by[i], j[i] + 12, (size_t)e->rows * sizeof(double));
    }
  }
  find_offset(quasi, e);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void add_block(double from[6][6], double *to) {
  ff_take_off(to, -1, from[0], FF_QUASI_BODY * FF_QUASI_BODY);
}

/* Room in the matrix for what is left of it between its bodies, when the one that is eliminated
 * first is asked for: it stands there. */
static void open_between(ff_quasi *quasi, ff_quasi_element *e, int s) {
  const ff_quasi_body *mine = ff_quasi_side_of(quasi, e, s);
  const ff_quasi_body *other = ff_quasi_side_of(quasi, e, 1 - s);
  if (other->solved && !mine->link && !other->link &&
      ff_blocks_is_before(quasi->blocks, mine->node, other->node)) {
    quasi->lefts[e->left[s]].between = ff_blocks_at(quasi->blocks, mine->node, other->node);
    quasi->lefts[e->left[1 - s]].between = ff_blocks_at(quasi->blocks, other->node, mine->node);
  }
}

static void add_right(ff_quasi *quasi, ff_quasi_element *e, int s) {
  double *to = ff_quasi_step_of(quasi, ff_quasi_side_of(quasi, e, s));
  ff_take_off(to, -1, quasi->lefts[e->left[s]].right, FF_QUASI_BODY);
}

/* What is left of it in the rows of body s, and in what they are to make up for. */
static void add_left(ff_quasi *quasi, ff_quasi_element *e, int s) {
  const ff_quasi_body *mine = ff_quasi_side_of(quasi, e, s);
  const ff_quasi_body *other = ff_quasi_side_of(quasi, e, 1 - s);
  ff_quasi_left *left = &quasi->lefts[e->left[s]];
  if (mine->link) {
    ff_quasi_add_block(quasi, mine, mine, left->own);
  } else {
    add_block(left->own, ff_blocks_at(quasi->blocks, mine->node, mine->node));
  }
  if (other->solved && (mine->link || other->link)) {
    ff_quasi_add_block(quasi, mine, other, left->other);
  } else if (other->solved) {
    add_block(left->other, left->between);
  }
  add_right(quasi, e, s);
}

/* The elements' steps that go with those of their bodies. */
static void step_elements(ff_quasi *quasi, int first, int end) {
  for (int n = first; n < end; n++) {
    ff_quasi_element *e = quasi->members[n];
    const ff_quasi_body *pair[2] = {&quasi->bodies[e->a], &quasi->bodies[e->b]};
    const double *d[2];
    for (int s = 0; s < 2; s++) {
      d[s] = pair[s]->solved ? ff_quasi_step_of(quasi, pair[s]) : NULL;
    }
    for (int i = 0; i < e->rows; i++) {
      double step = e->idle ? 0 : -e->offset[i];
      for (int s = 0; s < 2 && !e->idle; s++) {
        step -= d[s] ? ff_dot(e->reduced[i] + 6 * s, d[s], FF_QUASI_BODY) : 0;
      }
      e->step[i] = step;
    }
  }
}

/* What the rows are off. */
static void start_right(ff_quasi *quasi) {
  for (int i = 0; i < quasi->node_count; i++) {
    int node = quasi->solved_nodes[i], row = ff_blocks_row(quasi->blocks, node);
    int size = ff_mover_size(quasi->model, node);
    for (int k = row; k < row + size; k++) {
      quasi->step[k] = -quasi->r[k];
    }
  }
}

void ff_quasi_start_block(const ff_quasi *quasi, const ff_quasi_body *body, double *block) {
  const ff_model_body *of = &quasi->model->bodies[body->id];
  double unit = of->mass * of->bound, *units = ff_blocks_units(quasi->blocks, body->node);
  for (int k = 0; k < FF_QUASI_BODY; k++) {
    block[7 * k] = k < 3 ? of->mass : 1;
    units[2 * k] = k < 3 ? of->mass : unit;
    units[2 * k + 1] = k < 3 ? 1 : unit;
  }
}

/* Inertia. */
static void start_matrix(ff_quasi *quasi) {
  for (int i = 0; i < quasi->node_count; i++) {
    int node = quasi->solved_nodes[i], robot = ff_quasi_robot_of(quasi, node);
    double *block = ff_blocks_at(quasi->blocks, node, node);
    if (robot < 0) {
      ff_quasi_start_block(quasi, ff_quasi_node(quasi, node), block);
      continue;
    }
    ff_quasi_robot_block(quasi, robot, block);
    for (int k = 0; k < 2 * ff_mover_size(quasi->model, node); k++) {
      ff_blocks_units(quasi->blocks, node)[k] = 1;
    }
    ff_quasi_clear_blocks(quasi, robot);
  }
}

/* The robots' share in what is left of elements, or of the step the links'. */
static void pass_on(ff_quasi *quasi, bool back) {
  for (int i = 0; i < quasi->node_count; i++) {
    int node = quasi->solved_nodes[i], robot = ff_quasi_robot_of(quasi, node);
    double *step = quasi->step + ff_blocks_row(quasi->blocks, node);
    if (robot >= 0 && back) {
      ff_quasi_step_links(quasi, robot, step);
    } else if (robot >= 0) {
      ff_quasi_add_links(quasi, robot, ff_blocks_at(quasi->blocks, node, node), step);
    }
  }
}

/* How well the problem of a heap is to be solved where rows are off by this. */
static double tolerance_at(double off) {
  return greater(100 * off, greater(TIGHT, lesser(AIM / off, 0.1)));
}

/* With factors as they are, or if they are only near those of the matrix as well as is needed where
 * rows are off by this. False: they are too far from them. */
static bool solve_factored(ff_quasi *quasi, bool nearly, double off) {
  if (!nearly || off > ROUGH) {
    ff_blocks_solve(quasi->blocks, quasi->step, *quasi->team);
  } else if (!ff_quasi_solve_heap(quasi, tolerance_at(off))) {
    return false;
  }
  pass_on(quasi, true);
  ff_quasi_share(quasi, step_elements, quasi->member_count);
  return true;
}

/* ---- a direction ------------------------------------------------------------------------------
 */

/* Some members, linearised, and their unknowns eliminated while they are at hand. */
static void linearise(ff_quasi *quasi, int first, int end) {
  ff_quasi_whole_pairs(quasi, &first, &end);
  for (int k = first; k < end; k++) {
    ff_quasi_element *e = quasi->members[k];
    if (quasi->rest_first && !e->idle && ff_quasi_rest_first(e)) {
      atomic_store(&quasi->rested, true);
    }
    keep(quasi, e);
  }
  ff_quasi_columns(quasi, first, end, eliminate, quasi);
}

/* The linearised problem, with the elements' unknowns eliminated. */
static bool assemble(ff_quasi *quasi) {
  ff_blocks_clear(quasi->blocks, quasi->solved_nodes, quasi->node_count);
  atomic_store_explicit(&quasi->singular, false, memory_order_relaxed);
  atomic_store_explicit(&quasi->rested, false, memory_order_relaxed);
  ff_quasi_turns(quasi);
  ff_quasi_share(quasi, linearise, quasi->member_count);
  if (atomic_load(&quasi->singular)) {
    return false;
  }
  if (quasi->node_count > 1) {
    ff_quasi_for_sides(quasi, open_between);
  }
  if (quasi->is_heap) {
    ff_quasi_add_lefts(quasi);
    return true;
  }
  start_matrix(quasi);
  start_right(quasi);
  ff_quasi_for_sides(quasi, add_left);
  pass_on(quasi, false);
  return true;
}

bool ff_quasi_find_step(ff_quasi *quasi, bool nearly, double off) {
  bool shared = quasi->member_count > quasi->node_count;
  quasi->give = shared ? greater(GIVE, LOOSE * lesser(off, 1)) : GIVE;
  quasi->kept = to_keep(quasi, nearly);
  quasi->iterations++;
  ff_effort += 10 * (quasi->member_count + quasi->node_count);
  if (assemble(quasi) && ff_blocks_factor(quasi->blocks, nearly ? NEGLIGIBLE : 0, *quasi->team) &&
      solve_factored(quasi, nearly, off)) {
    return true;
  }
  quasi->first_factor = quasi->factors + 1;
  return false;
}

static void find_offsets(ff_quasi *quasi, int first, int end) {
  for (int k = first; k < end; k++) {
    if (!quasi->members[k]->idle) {
      find_offset(quasi, quasi->members[k]);
    }
  }
}

bool ff_quasi_find_step_again(ff_quasi *quasi, double off) {
  quasi->iterations++;
  ff_blocks_choose(quasi->blocks, quasi->solved_nodes, quasi->node_count);
  ff_quasi_share(quasi, find_offsets, quasi->member_count);
  if (quasi->is_heap) {
    ff_quasi_add_rights(quasi);
  } else {
    start_right(quasi);
    ff_quasi_for_sides(quasi, add_right);
  }
  return solve_factored(quasi, quasi->members[0]->kept.nearly, off);
}
