/* Islands: bodies and robots that touch or are held together, each solved by itself. */
#include "math/vec.h"
#include "step/quasi/quasi_rigid.h"

#include <string.h>

/* ---- who belongs together ----------------------------------------------------------------- */

/* The lowest node known to be connected with this one; shortens the way for the next who asks. */
static int root_of(ff_quasi *quasi, int node) {
  int root = node;
  while (quasi->island[root] != root) {
    root = quasi->island[root];
  }
  while (node != root) {
    int next = quasi->island[node];
    quasi->island[node] = root;
    node = next;
  }
  return root;
}

/* The bodies of an element belong together. False: no room. */
static bool join(ff_quasi *quasi, const ff_quasi_element *e) {
  int a = quasi->bodies[e->a].node, b = quasi->bodies[e->b].node;
  if (a < 0 || b < 0 || a == b) {
    return true;
  }
  int i = root_of(quasi, a), j = root_of(quasi, b);
  quasi->island[i < j ? j : i] = i < j ? i : j;
  return ff_blocks_join(quasi->blocks, a, b);
}

/* Bodies and robots that touch or are held together form an island: the lowest node among them
 * names it. */
static bool connect(ff_quasi *quasi) {
  ff_blocks_begin(quasi->blocks);
  for (int node = 0; node < quasi->node_limit; node++) {
    ff_blocks_node(quasi->blocks, ff_mover_size(quasi->model, node));
    quasi->island[node] = node;
  }
  const ff_quasi_element *last = NULL;
  for (int k = 0; k < quasi->contact_count; k++) {
    const ff_quasi_element *e = &quasi->contacts[k].e;
    bool again = last && last->a == e->a && last->b == e->b;
    last = e;
    if (!again && !join(quasi, e)) {
      return false;
    }
  }
  for (int k = 0; k < quasi->model->constraint_count; k++) {
    if (!join(quasi, &quasi->joints[k].e)) {
      return false;
    }
  }
  bool ordered = ff_blocks_order(quasi->blocks);
  if (ff_blocks_orders(quasi->blocks) != quasi->orders || quasi->h != quasi->h_before) {
    quasi->orders = ff_blocks_orders(quasi->blocks);
    quasi->first_factor = quasi->factors + 1;
  }
  return ordered;
}

/* Island of an element. */
static int island_of(ff_quasi *quasi, const ff_quasi_element *e) {
  int a = quasi->bodies[e->a].node;
  return root_of(quasi, a >= 0 ? a : quasi->bodies[e->b].node);
}

/* Nodes and elements by island, each in its order. */
static void sort_islands(ff_quasi *quasi) {
  int n = quasi->node_limit, *nodes = quasi->first_node, *elements = quasi->first_element;
  memset(nodes, 0, ((size_t)n + 2) * sizeof *nodes);
  memset(elements, 0, ((size_t)n + 2) * sizeof *elements);
  for (int node = 0; node < n; node++) { /* counted two places further on, summed, then filled in */
    nodes[root_of(quasi, node) + 2]++;
  }
  for (int k = 0; k < quasi->contact_count; k++) {
    elements[island_of(quasi, &quasi->contacts[k].e) + 2]++;
  }
  for (int k = 0; k < quasi->model->constraint_count; k++) {
    elements[island_of(quasi, &quasi->joints[k].e) + 2]++;
  }
  for (int i = 2; i <= n; i++) {
    nodes[i] += nodes[i - 1];
    elements[i] += elements[i - 1];
  }
  for (int node = 0; node < n; node++) {
    quasi->nodes[nodes[root_of(quasi, node) + 1]++] = node;
  }
  for (int k = 0; k < quasi->contact_count; k++) {
    ff_quasi_element *e = &quasi->contacts[k].e;
    quasi->elements[elements[island_of(quasi, e) + 1]++] = e;
  }
  for (int k = 0; k < quasi->model->constraint_count; k++) {
    ff_quasi_element *e = &quasi->joints[k].e;
    quasi->elements[elements[island_of(quasi, e) + 1]++] = e;
  }
}

bool ff_quasi_group(ff_quasi *quasi) {
  bool idle =
      quasi->contact_count + quasi->model->constraint_count + quasi->model->robot_count == 0;
  quasi->island_limit = idle ? 0 : quasi->node_limit;
  if (idle || quasi->contact_count == quasi->group_count) {
    return true;
  }
  quasi->group_count = -1;
  if (!connect(quasi)) {
    return false;
  }
  sort_islands(quasi);
  quasi->group_count = quasi->contact_count;
  return true;
}

/* ---- one after the other -------------------------------------------------------------------- */

/* Does free flight press a layer or a core of this island, or tear at a constraint? */
static bool is_pressed(const ff_quasi *quasi, int island, bool moved) {
  int end = quasi->first_element[island + 1];
  bool pressed = false;
  for (int k = quasi->first_element[island]; k < end;) {
    if (quasi->elements[k]->joint) {
      return true;
    }
    ff_quasi_contact *first = (ff_quasi_contact *)quasi->elements[k];
    int count = ff_quasi_alike(quasi, first);
    if (moved) { /* since contacts were gathered */
      ff_quasi_look(quasi, first, count);
    }
    for (int i = 0; i < count; i++) {
      ff_quasi_press(quasi, &first[i]);
      pressed = pressed || first[i].unseen || first[i].p_ns > 0 ||
                first[i].touch.depth > first[i].layer->max_deflection;
    }
    k += count;
  }
  return pressed;
}

/* Is a robot in it? Nodes come in their order: it would be the last. */
static bool has_robot(const ff_quasi *quasi, int island) {
  int first = quasi->first_node[island], end = quasi->first_node[island + 1];
  return end > first && ff_quasi_robot_of(quasi, quasi->nodes[end - 1]) >= 0;
}

/* Do cores bear a load in this island, before the step or as it was solved? They may not ring.
 * Robots have no mean velocity. */
static bool is_rigid(const ff_quasi *quasi, int island, bool before) {
  if (has_robot(quasi, island)) {
    return true;
  }
  for (int k = quasi->first_element[island]; k < quasi->first_element[island + 1]; k++) {
    if (quasi->elements[k]->joint) {
      continue;
    }
    const ff_quasi_contact *contact = (const ff_quasi_contact *)quasi->elements[k];
    double load = before ? quasi->state->points[contact->point].force_core : contact->e.z[0];
    if (load > 0) {
      return true;
    }
  }
  return false;
}

/* The bodies of an island move with the velocities of the end, or with the mean. */
static bool set_theta(ff_quasi *quasi, int island, double theta) {
  bool moved = false;
  quasi->theta = theta;
  for (int i = quasi->first_node[island]; i < quasi->first_node[island + 1]; i++) {
    ff_quasi_body *body = ff_quasi_node(quasi, quasi->nodes[i]);
    if (body && body->theta != theta) {
      body->theta = theta;
      ff_quasi_move(quasi, body, body->v, body->l);
      moved = true;
    }
  }
  for (int k = quasi->first_element[island]; k < quasi->first_element[island + 1]; k++) {
    if (quasi->elements[k]->joint) {
      ff_quasi_joint_look_back(quasi, (ff_quasi_joint *)quasi->elements[k], theta);
    } else {
      ff_quasi_look_back(quasi, (ff_quasi_contact *)quasi->elements[k], theta);
    }
  }
  return moved;
}

static bool solve_island(ff_quasi *quasi, int island) {
  bool second = quasi->model->run.stepper.order == 2 && !is_rigid(quasi, island, true);
  bool moved = set_theta(quasi, island, second ? 0.5 : 1);
  quasi->strayed = quasi->strayed || moved;
  if (!has_robot(quasi, island) && !is_pressed(quasi, island, moved)) {
    return true;
  }
  quasi->strayed = true;
  if (!ff_quasi_solve(quasi, island)) {
    return false;
  }
  if (second && is_rigid(quasi, island, false)) {
    set_theta(quasi, island, 1);
    return ff_quasi_solve(quasi, island);
  }
  return true;
}

bool ff_quasi_solve_islands(ff_quasi *quasi) {
  quasi->node_count = 0;
  quasi->strayed = false;
  for (int island = 0; island < quasi->island_limit; island++) {
    bool alone = quasi->first_element[island] == quasi->first_element[island + 1];
    if ((!alone || has_robot(quasi, island)) && !solve_island(quasi, island)) {
      return false;
    }
  }
  return true;
}
