/* Work on bodies and elements, shared by threads in heaps.
 *
 * Pieces of it are the same for any number of threads. What elements add to bodies is collected
 * body by body, in the order of the elements: so nobody writes where another does, and every sum
 * has its order.
 */
#include "base/team.h"
#include "step/quasi_rigid.h"

#include <string.h>

typedef struct work {
  ff_quasi *quasi;
  ff_quasi_part *part;
  ff_quasi_side *side;
} work;

static void do_piece(void *context, int first, int end) {
  const work *of = context;
  of->part(of->quasi, first, end);
}

void ff_quasi_share_in_heap(ff_quasi *quasi, ff_quasi_part *part, int count) {
  work of = {.quasi = quasi, .part = part};
  ff_team_for(*quasi->team, do_piece, &of, count, FF_QUASI_PIECE);
}

/* ---- sides of elements --------------------------------------------------------------------------
 */

/* Counts the sides of each node, or if they are counted lists them. */
static void go_through_sides(ff_quasi *quasi, bool list) {
  int *start = quasi->first_side;
  for (int k = 0; k < quasi->member_count; k++) {
    for (int s = 0; s < 2; s++) {
      ff_quasi_element *e = quasi->members[k];
      const ff_quasi_body *body = ff_quasi_side_of(quasi, e, s);
      const ff_quasi_body *other = ff_quasi_side_of(quasi, e, 1 - s);
      if (body->solved && list) {
        int place = start[body->node + 1]++;
        quasi->sides[place] = 2 * k + s;
        quasi->across[place] = other->solved ? other->column : -1;
        e->left[s] = quasi->first_left + place;
      } else if (body->solved) {
        start[body->node + 2]++;
      }
    }
  }
}

void ff_quasi_list_sides(ff_quasi *quasi) {
  int *start = quasi->first_side, nodes = quasi->node_limit;
  if (!quasi->is_heap) {
    for (int k = 0; k < quasi->member_count; k++) {
      quasi->members[k]->left[0] = quasi->first_left + 2 * k;
      quasi->members[k]->left[1] = quasi->first_left + 2 * k + 1;
    }
    return;
  }
  for (int i = 0; i < quasi->node_count; i++) {
    ff_quasi_node(quasi, quasi->solved_nodes[i])->column = FF_QUASI_BODY * i;
  }
  memset(start, 0, ((size_t)nodes + 2) * sizeof *start);
  go_through_sides(quasi, false); /* two places further on, summed, then filled in */
  for (int i = 2; i <= nodes; i++) {
    start[i] += start[i - 1];
  }
  go_through_sides(quasi, true);
}

static void do_nodes(void *context, int first, int end) {
  const work *of = context;
  ff_quasi *quasi = of->quasi;
  for (int i = first; i < end; i++) {
    int node = quasi->solved_nodes[i];
    for (int k = quasi->first_side[node]; k < quasi->first_side[node + 1]; k++) {
      ff_quasi_element *e = quasi->members[quasi->sides[k] / 2];
      if (!e->idle) {
        of->side(quasi, e, quasi->sides[k] % 2);
      }
    }
  }
}

void ff_quasi_for_sides_in_heap(ff_quasi *quasi, ff_quasi_side *side) {
  work of = {.quasi = quasi, .side = side};
  ff_team_for(*quasi->team, do_nodes, &of, quasi->node_count, FF_QUASI_PIECE);
}
