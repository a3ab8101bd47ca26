/* Islands: bodies and robots connected by contacts and constraints, each solved on its own.
 *
 * Methods in the order in which they pay: Newton's method from the predictor, then from free
 * flight; in small islands from perturbed guesses, for one body also from random ones; in large
 * ones and for robots the friction homotopy. Where all fail a shorter step helps.
 */
#include "base/union_find.h"
#include "math/vec.h"
#include "step/quasi/bilateral_constraints.h"
#include "step/quasi/contact_geometry.h"
#include "step/quasi/energy_accounting.h"
#include "step/quasi/impacts.h"
#include "step/quasi/layer.h"
#include "step/quasi/residual.h"
#include "step/quasi/step.h"

#include <string.h>

enum {
  PERTURBED_UNKNOWNS = 160, /* most unknowns of an island for perturbed restarts, */
  RANDOM_UNKNOWNS = 40      /* and for random starts */
};
#define COMPLIANCE     1e-4 /* regularisation of friction where contacts share loads; */
#define OF_NORMAL      0.1  /* in large islands also this share of the layer's normal compliance, */
#define COMPLIANCE_MAX 0.05 /* at most */

/* ---- grouping --------------------------------------------------------------------------- */

/* The island of an element: its lowest node. */
static int element_island(quasi_problem *problem, const quasi_element *e) {
  int a = problem->bodies[e->a].node;
  return ff_set_root(problem->parent, a >= 0 ? a : problem->bodies[e->b].node);
}

/* Element k of all: contacts, then constraints. */
static quasi_element *unsorted_element(quasi_problem *problem, int k) {
  int contacts = problem->contact_count;
  return k < contacts ? &problem->contacts[k].e : &problem->constraints[k - contacts].e;
}

static int count_elements(const quasi_problem *problem) {
  return problem->contact_count + problem->model->constraint_count;
}

/* Can a crowd hold this contact? Layers that shear are solved with their body's balance. */
static bool may_join_crowd(const quasi_problem *problem, const quasi_contact *contact) {
  const quasi_body *a = &problem->bodies[contact->e.a], *b = &problem->bodies[contact->e.b];
  return !a->link && !b->link && !contact->layer->sheared && !contact->tied;
}

/* Islands of free bodies with FF_CROWD_LEAST pairs of shapes in contact and more: crowds; of many
 * bodies those of any size. Order 1 is as published. */
static void find_crowds(quasi_problem *problem) {
  int *counts = problem->first_element; /* not in use yet */
  const ff_stepper_def *def = &problem->model->run.stepper;
  int least = ff_model_is_layer_crowd(problem->model) ? 1 : FF_CROWD_LEAST;
  problem->has_crowd = false;
  memset(problem->is_crowd, 0, (size_t)problem->node_limit * sizeof *problem->is_crowd);
  if (problem->contact_count < least || def->order != 2) {
    return;
  }
  memset(counts, 0, (size_t)problem->node_limit * sizeof *counts);
  for (int k = 0; k < problem->contact_count;
       k += quasi_pair_size(problem, &problem->contacts[k])) {
    const quasi_contact *contact = &problem->contacts[k];
    int *count = &counts[element_island(problem, &contact->e)];
    *count += may_join_crowd(problem, contact) ? 1 : -problem->contact_count;
  }
  for (int k = 0; k < problem->model->constraint_count; k++) {
    counts[element_island(problem, &problem->constraints[k].e)] -= problem->contact_count;
  }
  for (int node = 0; node < problem->node_limit; node++) {
    problem->is_crowd[node] = counts[node] >= least;
    problem->has_crowd = problem->has_crowd || problem->is_crowd[node];
  }
}

/* Graph of nodes, and the elimination order of its matrix. Crowds need none. */
static bool order_islands(quasi_step *step) {
  quasi_problem *problem = &step->problem;
  quasi_solver *solver = &step->solver;
  bool exact = quasi_is_exact(problem->model);
  ff_blocks_begin(solver->blocks);
  for (int node = 0; node < problem->node_limit; node++) {
    ff_blocks_node(solver->blocks, ff_mover_size(problem->model, node));
  }
  const quasi_element *last = NULL;
  for (int k = 0; k < count_elements(problem); k++) {
    const quasi_element *e = unsorted_element(problem, k);
    bool again = last && last->a == e->a && last->b == e->b;
    int a = problem->bodies[e->a].node, b = problem->bodies[e->b].node;
    last = e;
    if (again || a < 0 || b < 0 || a == b ||
        (!exact && problem->is_crowd[element_island(problem, e)])) {
      continue;
    }
    if (!ff_blocks_join(solver->blocks, a, b)) {
      return false;
    }
  }
  bool ordered = ff_blocks_order(solver->blocks);
  if (ff_blocks_orders(solver->blocks) != solver->orderings || problem->h != step->h_before) {
    solver->orderings = ff_blocks_orders(solver->blocks);
    solver->first_factor = solver->factors + 1;
  }
  return ordered;
}

/* Counting sort of nodes and elements by island, each in its order. */
static void sort_islands(quasi_problem *problem) {
  int n = problem->node_limit, count = count_elements(problem);
  int *nodes = problem->first_node, *elements = problem->first_element;
  memset(nodes, 0, ((size_t)n + 2) * sizeof *nodes);
  memset(elements, 0, ((size_t)n + 2) * sizeof *elements);
  for (int pass = 0; pass < 2; pass++) { /* counted two places ahead, summed, then filled in */
    for (int node = 0; node < n; node++) {
      int root = ff_set_root(problem->parent, node);
      if (pass == 0) {
        nodes[root + 2]++;
      } else {
        problem->nodes[nodes[root + 1]++] = node;
      }
    }
    for (int k = 0; k < count; k++) {
      quasi_element *e = unsorted_element(problem, k);
      int root = element_island(problem, e);
      if (pass == 0) {
        elements[root + 2]++;
      } else {
        problem->elements[elements[root + 1]++] = e;
      }
    }
    for (int i = 2; pass == 0 && i <= n; i++) {
      nodes[i] += nodes[i - 1];
      elements[i] += elements[i - 1];
    }
  }
}

bool ff_quasi_group_islands(quasi_step *step) {
  quasi_problem *problem = &step->problem;
  const ff_model *model = problem->model;
  bool idle = problem->contact_count + model->constraint_count + model->robot_count == 0;
  problem->island_limit = idle ? 0 : problem->node_limit;
  problem->has_crowd = problem->has_crowd && !idle;
  if (!idle && problem->contact_count != problem->grouped_contacts) {
    problem->grouped_contacts = -1;
    for (int node = 0; node < problem->node_limit; node++) {
      problem->parent[node] = node;
    }
    for (int k = 0; k < count_elements(problem); k++) {
      const quasi_element *e = unsorted_element(problem, k);
      int a = problem->bodies[e->a].node, b = problem->bodies[e->b].node;
      if (a >= 0 && b >= 0) {
        ff_set_unite(problem->parent, a, b);
      }
    }
    find_crowds(problem);
    if (!order_islands(step)) {
      return false;
    }
    sort_islands(problem);
    problem->grouped_contacts = problem->contact_count;
  }
  for (int k = 0; problem->has_crowd && k < problem->contact_count; k++) {
    quasi_contact *contact = &problem->contacts[k];
    contact->in_crowd = problem->is_crowd[element_island(problem, &contact->e)];
  }
  if (problem->has_crowd) {
    ff_quasi_order_crowds(step);
  }
  return true;
}

/* ---- solution of the selected island ---------------------------------------------------- */

/* Initial guess: solution of the previous pass, or predictor. */
static void warm_start(quasi_step *step) {
  quasi_problem *problem = &step->problem;
  bool predicted = step->predictor_end == problem->state->t;
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i];
    double *x = step->solver.x + ff_blocks_row(step->solver.blocks, node);
    const quasi_body *body = quasi_node_body(problem, node);
    if (!body) {
      ff_quasi_robot_guess(problem, quasi_node_robot(problem, node), true, x);
      continue;
    }
    ff_vec3 v = body->start.velocity, l = body->l0;
    if (step->repeated) {
      v = body->previous_v;
      l = body->previous_l;
    } else if (predicted) { /* free flight, and the extrapolated effect of contacts */
      const ff_predictor *gain = &step->predictor[2 * node];
      ff_vec3 dv = ff_predictor_next(&gain[0], ff_predictor_order(&gain[0]));
      ff_vec3 dl = ff_predictor_next(&gain[1], ff_predictor_order(&gain[1]));
      v = v3_axpy(body->v_free, problem->h, dv);
      l = v3_axpy(body->l_free, problem->h, dl);
    }
    v3_store(x, v);
    v3_store(x + 3, l);
  }
  for (int k = 0; k < problem->member_count; k++) {
    quasi_element *e = problem->members[k];
    memcpy(e->z, e->z_predicted, (size_t)e->rows * sizeof *e->z);
  }
}

/* Islands of order 2 that the first two guesses do not solve take order 1 instead. */
static bool solve_by_any_method(quasi_step *step) {
  quasi_problem *problem = &step->problem;
  quasi_solver *solver = &step->solver;
  warm_start(step);
  if (ff_quasi_newton(solver)) {
    return true;
  }
  ff_quasi_guess_free_flight(solver);
  if (ff_quasi_newton(solver) && !ff_quasi_is_spurious(problem)) {
    return true;
  }
  if (problem->theta < 1) {
    return false;
  }
  int unknowns = QUASI_DOF * problem->node_count;
  for (int k = 0; k < problem->member_count; k++) {
    unknowns += problem->members[k]->rows;
  }
  warm_start(step);
  if (unknowns > PERTURBED_UNKNOWNS || quasi_has_robot(problem)) {
    return ff_quasi_friction_homotopy(solver);
  }
  return ff_quasi_perturbed_restarts(solver) ||
         (problem->node_count == 1 && unknowns <= RANDOM_UNKNOWNS &&
          ff_quasi_random_starts(solver));
}

/* Marks the bodies of the island as solved, or not. */
static void mark_island(quasi_problem *problem, bool solved) {
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i], r = quasi_node_robot(problem, node);
    if (r < 0) {
      quasi_node_body(problem, node)->solved = solved;
      continue;
    }
    const ff_model_robot *robot = &problem->model->robots[r];
    for (int k = robot->first_body; k < robot->first_body + robot->link_count; k++) {
      problem->bodies[k].solved = solved && problem->bodies[k].link;
    }
  }
}

/* Makes an island the one that is solved. */
static void select_island(quasi_problem *problem, int island) {
  const int *node = problem->first_node + island, *element = problem->first_element + island;
  mark_island(problem, false);
  problem->solved_nodes = problem->nodes + node[0];
  problem->node_count = node[1] - node[0];
  problem->members = problem->elements + element[0];
  problem->member_count = element[1] - element[0];
  mark_island(problem, true);
}

/* Prepares Newton's method for the selected island. */
static void prepare_newton(quasi_step *step, int island) {
  quasi_problem *problem = &step->problem;
  quasi_solver *solver = &step->solver;
  problem->is_large =
      solver->krylov && problem->node_count >= QUASI_LARGE && !quasi_has_robot(problem);
  solver->first_schur = 2 * problem->first_element[island];
  solver->heaviest = 0;
  for (int i = 0; i < problem->node_count; i++) {
    const quasi_body *body = quasi_node_body(problem, problem->solved_nodes[i]);
    solver->heaviest = greater(solver->heaviest, body ? problem->model->bodies[body->id].mass : 0);
  }
  ff_quasi_list_sides(solver);
}

/* Regularisation of a contact's friction: 0 unless contacts share loads. A large island is solved
 * the sooner the more compliant it is. Real layers are as compliant in shear as along the normal;
 * a tenth of that suffices. Not between shapes with edges: their contacts come and go, with the
 * energy stored in them. */
static double choose_friction_compliance(const quasi_problem *problem,
                                         const quasi_contact *contact) {
  if (problem->member_count <= problem->node_count) {
    return 0;
  }
  double stiffness = problem->h * contact->layer_state.slope[0] / contact->friction_mass;
  bool soft = problem->is_large && !contact->fixed && OF_NORMAL > COMPLIANCE * stiffness;
  return soft ? lesser(OF_NORMAL / stiffness, COMPLIANCE_MAX) : COMPLIANCE;
}

/* Failure reason: the element with the largest relative residual. */
static void report_unsolved(const quasi_step *step) {
  const quasi_problem *problem = &step->problem;
  ff_trouble *failure = step->failure;
  double worst = -1;
  *failure = (ff_trouble){.kind = FF_TROUBLE_UNSOLVED, .a = -1, .b = -1};
  failure->bodies = problem->node_count;
  failure->contacts = problem->member_count;
  for (int k = 0; k < problem->member_count; k++) {
    const quasi_element *e = problem->members[k];
    for (int i = 0; i < e->rows; i++) {
      double off = e->idle ? 0 : fabs(e->equation[i]) / (e->row_scale[i] + e->row_noise[i]);
      if (off > worst) {
        worst = off;
        failure->a = e->a;
        failure->b = e->b;
      }
    }
  }
}

static void note_solved_island(quasi_step *step) {
  const quasi_solver *solver = &step->solver;
  ff_solver_info *info = step->info;
  info->problems++;
  info->iterations += solver->iterations;
  info->most = solver->iterations > info->most ? (int)solver->iterations : info->most;
  info->residual = fmax(info->residual, solver->residual);
  info->fallbacks += solver->starts > 1;
}

/* Crowd solution as the initial guess of Newton's method. */
static void start_from_crowd(quasi_step *step, int island) {
  quasi_problem *problem = &step->problem;
  ff_quasi_solve_crowd(step, island);
  for (int k = 0; k < problem->member_count; k++) {
    quasi_contact *contact = quasi_contact_of(problem->members[k]);
    contact->in_middle = false;
    ff_quasi_begin_contact(problem, contact, problem->theta);
  }
  for (int i = 0; i < problem->node_count; i++) {
    int node = problem->solved_nodes[i];
    const quasi_body *body = quasi_node_body(problem, node);
    double *x = step->solver.x + ff_blocks_row(step->solver.blocks, node);
    v3_store(x, body->end.velocity);
    v3_store(x + 3, body->l);
  }
}

/* An island of many contacts, to the accuracy of crowds. */
static bool solve_crowd_island(quasi_step *step, int island) {
  quasi_problem *problem = &step->problem;
  select_island(problem, island);
  for (int k = 0; k < problem->member_count; k++) {
    quasi_contact_of(problem->members[k])->friction_compliance = 0;
  }
  step->solver.starts = 1;
  ff_quasi_solve_crowd(step, island);
  note_solved_island(step);
  step->info->crowds++;
  return true;
}

static bool solve_selected_island(quasi_step *step, int island) {
  quasi_problem *problem = &step->problem;
  quasi_solver *solver = &step->solver;
  if (problem->is_crowd[island] && !quasi_is_exact(problem->model)) {
    return solve_crowd_island(step, island);
  }
  select_island(problem, island);
  prepare_newton(step, island);
  for (int k = 0; k < problem->member_count; k++) {
    quasi_contact *contact = quasi_contact_of(problem->members[k]);
    if (contact) {
      contact->friction_compliance = choose_friction_compliance(problem, contact);
      contact->e.shares_load = false;
      for (int m = k - 1; m <= k + 1; m += 2) {
        const quasi_contact *next =
            m >= 0 && m < problem->member_count ? quasi_contact_of(problem->members[m]) : NULL;
        contact->e.shares_load = contact->e.shares_load || (next && next->pair == contact->pair);
      }
    }
  }
  /* a solution of an earlier pass is precise; for robots nothing is extrapolated */
  bool trusted = step->repeated || quasi_has_robot(problem);
  solver->start_tolerance = trusted ? QUASI_TOLERANCE : QUASI_START_TOLERANCE;
  solver->iterations = solver->starts = 0;
  problem->friction_factor = 1;
  bool solved = ff_quasi_is_at_rest(step);
  if (!solved && problem->is_crowd[island]) {
    start_from_crowd(step, island);
    solver->iterations = 0;
    solved = ff_quasi_newton(solver);
  }
  if (!solved && !solve_by_any_method(step)) {
    report_unsolved(step);
    return false;
  }
  note_solved_island(step);
  return true;
}

/* ---- all islands ------------------------------------------------------------------------ */

/* Does free flight press a layer or a core of this island? True for crowds and if it has a
 * constraint. Impulses of all its layers there are set, which the search for impacts reads. moved:
 * bodies are no longer where contacts were evaluated. */
static bool island_is_pressed(const quasi_problem *problem, int island, bool moved) {
  int end = problem->first_element[island + 1];
  bool pressed = problem->is_crowd[island];
  for (int k = problem->first_element[island]; k < end && !problem->is_crowd[island];) {
    quasi_contact *first = quasi_contact_of(problem->elements[k]);
    if (!first) {
      return true;
    }
    int count = quasi_pair_size(problem, first);
    if (moved) {
      ff_quasi_evaluate_contacts(problem, first, count);
    }
    for (int i = 0; i < count; i++) {
      ff_quasi_layer_press(problem, &first[i]);
      pressed = pressed || first[i].carried_over || first[i].p_ns > 0 ||
                first[i].touch.depth > first[i].core_depth;
    }
    k += count;
  }
  return pressed;
}

/* Nodes are sorted: a robot would be the last. */
static bool island_has_robot(const quasi_problem *problem, int island) {
  int first = problem->first_node[island], end = problem->first_node[island + 1];
  return end > first && quasi_node_robot(problem, problem->nodes[end - 1]) >= 0;
}

/* Must an island take a step of order 1? Cores that bear a load, before the step or in its
 * solution, would ring. */
static bool island_needs_order_1(const quasi_problem *problem, int island, bool before) {
  for (int k = problem->first_element[island]; k < problem->first_element[island + 1]; k++) {
    const quasi_contact *contact = quasi_contact_of(problem->elements[k]);
    if (contact) {
      const ff_point *point = &problem->state->points[contact->point];
      if (before ? point->force_core > 0 : quasi_core_bears(problem, contact)) {
        return true;
      }
    }
  }
  return false;
}

/* Prepares an island for this theta. True: bodies moved by that. */
static bool set_island_theta(quasi_problem *problem, int island, double theta) {
  bool moved = false;
  problem->theta = theta;
  for (int i = problem->first_node[island]; i < problem->first_node[island + 1]; i++) {
    int r = quasi_node_robot(problem, problem->nodes[i]);
    if (r >= 0) {
      moved = moved || problem->robots[r].theta != theta;
      ff_quasi_set_robot_theta(problem, r, theta);
      continue;
    }
    quasi_body *body = quasi_node_body(problem, problem->nodes[i]);
    if (body->theta != theta) {
      body->theta = theta;
      ff_quasi_move_body(problem, body, body->v_free, body->l_free);
      moved = true;
    }
  }
  for (int k = problem->first_element[island]; k < problem->first_element[island + 1]; k++) {
    quasi_contact *contact = quasi_contact_of(problem->elements[k]);
    if (contact && contact->in_crowd) {
      ff_quasi_begin_crowd_contact(problem, contact, theta);
    } else if (contact) {
      ff_quasi_begin_contact(problem, contact, theta);
    } else {
      ff_quasi_begin_constraint(problem, (quasi_constraint *)problem->elements[k], theta);
    }
  }
  return moved;
}

bool ff_quasi_solve_islands(quasi_step *step) {
  quasi_problem *problem = &step->problem;
  problem->node_count = 0;
  step->moved = false;
  step->crowd.residual = 0;
  for (int island = 0; island < problem->island_limit; island++) {
    bool robot = island_has_robot(problem, island);
    if (problem->first_element[island] == problem->first_element[island + 1] && !robot) {
      continue;
    }
    /* cores that bore a load go on to, unless an impact has just stopped there */
    bool crowd = problem->is_crowd[island];
    bool second = problem->model->run.stepper.order == 2 &&
                  ((problem->state->t < step->impact_end && !crowd) ||
                   !island_needs_order_1(problem, island, true));
    if (crowd) {
      ff_quasi_place_crowd(problem, island);
    }
    bool moved = set_island_theta(problem, island, second ? 0.5 : 1);
    step->moved = step->moved || moved;
    if (!island_is_pressed(problem, island, moved) && !robot) {
      continue;
    }
    step->moved = true;
    /* by where free flight leads, then by the solution: impacts may cause others */
    bool cuts = second && !problem->has_crowd; /* in crowds impacts take whole steps */
    if (cuts && ff_quasi_impact_unresolved(step, island)) {
      return false;
    }
    bool solved = solve_selected_island(step, island);
    if (!solved && !second) {
      return false;
    }
    if (cuts && solved && ff_quasi_core_ahead(step, island)) {
      return false;
    }
    if (second && (!solved || island_needs_order_1(problem, island, false))) {
      set_island_theta(problem, island, 1);
      second = false;
      if (!solve_selected_island(step, island)) {
        return false;
      }
    }
    if (second && cuts && ff_quasi_impact_unresolved(step, island)) {
      return false;
    }
  }
  return true;
}
