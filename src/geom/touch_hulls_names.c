/* Which of the spots that two rounded boxes or polyhedra have in common become points of contact,
 * and under which names: the same from step to step, so that what a point remembers is its own. */
#include "geom/touch_hulls.h"

#define TWINS 0.1 /* of the radii: spots nearer than this never touch both */

/* A name of a point: a corner of the smaller face as it is seen, and a direction outwards from it.
 */
typedef struct name {
  int slot;
  double x, y, out_x, out_y;
} name;

/* A corner may be cut off by the other face, so that there are two where it was: it has two names,
 * each nearly across one of its edges, as long as there are enough of them. A corner that has one
 * only looks not in the very middle between its edges: where it is cut off evenly, the two would be
 * as good as one another. */
#define ASIDE  0.05
#define MIDDLE 0.45

static void unit_across(const ff_core_view *of, int i, double sign, double *x, double *y) {
  int k = (i + 1) % of->count;
  double ex = of->x[k] - of->x[i], ey = of->y[k] - of->y[i], length = sqrt(ex * ex + ey * ey);
  *x = length > 0 ? sign * ey / length : 0;
  *y = length > 0 ? -sign * ex / length : 0;
}

static int find_names(const ff_cores *m, name out[FF_TOUCH_MAX]) {
  bool b = ff_flat_area(&m->face_b) < 0.999 * ff_flat_area(&m->face_a);
  const ff_flat *face = b ? &m->face_b : &m->face_a;
  double sign = b ? 1 : -1; /* a's is seen from behind */
  bool used[FF_TOUCH_MAX] = {false};
  ff_core_view seen;
  ff_core_see(&seen, m, face);
  for (int i = 0; i < seen.count; i++) {
    used[face->slot[i] < 0 ? 0 : face->slot[i]] |= face->slot[i] >= 0;
  }
  int count = 0;
  for (int i = 0, spare = 0; i < seen.count; i++) {
    if (face->slot[i] < 0) {
      continue;
    }
    while (spare < FF_TOUCH_MAX && used[spare]) {
      spare++;
    }
    double x, y, before_x, before_y, share = spare < FF_TOUCH_MAX ? ASIDE : MIDDLE;
    unit_across(&seen, (i + seen.count - 1) % seen.count, sign, &before_x, &before_y);
    unit_across(&seen, i, sign, &x, &y);
    out[count++] = (name){face->slot[i], seen.x[i], seen.y[i], share * before_x + (1 - share) * x,
                          share * before_y + (1 - share) * y};
    if (spare < FF_TOUCH_MAX) {
      out[count++] = (name){spare++, seen.x[i], seen.y[i], (1 - share) * before_x + share * x,
                            (1 - share) * before_y + share * y};
    }
  }
  return count;
}

static double outward(const name *of, const ff_core_spot *spot) {
  return of->out_x * (spot->x - of->x) + of->out_y * (spot->y - of->y);
}

/* Is a name's spot another's, whose corner is nearer to it, or whose turn is earlier? */
static bool is_lent(const ff_cores *m, const name *names, int count, const int *chosen, int i) {
  const ff_core_spot *mine = &m->list[chosen[i]];
  double slack = FF_CORE_SLACK * m->size,
         way = ff_core_between(names[i].x - mine->x, names[i].y - mine->y);
  for (int k = 0; k < count; k++) {
    const ff_core_spot *other = &m->list[chosen[k]];
    double its =
        ff_core_between(names[k].x - mine->x, names[k].y - mine->y) + (k < i ? -slack : slack);
    if (k != i && ff_core_between(other->x - mine->x, other->y - mine->y) <= slack && its < way) {
      return true;
    }
  }
  return false;
}

/* Of the spots within the radius of one the nearest to touching: where one gives way to another
 * they then are as deep. Corners of a core that were one in the body are one here, too, also when
 * they are as deep as each other. */
static int deepest_beside(const ff_cores *m, int spot) {
  double radii = m->a.radius + m->b.radius, slack = FF_CORE_SLACK * m->size;
  int best = spot;
  for (int k = 0; k < m->count; k++) {
    double apart = ff_core_between(m->list[k].x - m->list[spot].x, m->list[k].y - m->list[spot].y);
    double deeper = m->list[best].at.gap - m->list[k].at.gap;
    bool alike = k < best && m->list[k].spot.kind == m->list[best].spot.kind;
    bool twin = alike && apart <= TWINS * radii && fabs(deeper) <= slack;
    best = (apart <= radii && deeper > slack) || twin ? k : best;
  }
  return best;
}

/* Of names that have nothing that touches, or only another's, the one that is nearest to a spot;
 * -1: there is none. */
static int free_name(const ff_cores *m, const name *names, int count, const int *chosen, int spot) {
  int best = -1;
  for (int i = 0; i < count; i++) {
    bool touches = m->list[chosen[i]].at.gap < m->a.radius + m->b.radius;
    bool better =
        best < 0 || outward(&names[i], &m->list[spot]) > outward(&names[best], &m->list[spot]);
    if (better && (!touches || is_lent(m, names, count, chosen, i))) {
      best = i;
    }
  }
  return best;
}

/* For each name the spot that is farthest out its way. If nobody has the one where the bodies are
 * nearest, and touch, a name that can do without its own gets that: it would sink in unseen. */
static void choose(const ff_cores *m, const name *names, int count, int nearest, int *chosen) {
  bool seen = m->list[nearest].at.gap >= m->a.radius + m->b.radius;
  for (int i = 0; i < count; i++) {
    chosen[i] = 0;
    for (int k = 1; k < m->count; k++) {
      double more = outward(&names[i], &m->list[k]) - outward(&names[i], &m->list[chosen[i]]);
      chosen[i] = more > FF_CORE_SLACK * m->size ? k : chosen[i];
    }
    chosen[i] = deepest_beside(m, chosen[i]);
    seen = seen || m->list[chosen[i]].at.gap <= m->list[nearest].at.gap + FF_CORE_SLACK * m->size;
  }
  int to = seen ? -1 : free_name(m, names, count, chosen, nearest);
  if (to >= 0) {
    chosen[to] = nearest;
  }
}

int ff_cores_put(const ff_cores *m, int nearest, double margin, ff_touch *out) {
  name names[FF_TOUCH_MAX];
  int chosen[FF_TOUCH_MAX], holder[FF_TOUCH_MAX], count = 0, named = find_names(m, names);
  choose(m, names, named, nearest, chosen);
  for (int slot = 0; slot < FF_TOUCH_MAX; slot++) {
    holder[slot] = -1;
  }
  for (int i = 0; i < named; i++) {
    holder[names[i].slot] = is_lent(m, names, named, chosen, i) ? -1 : chosen[i];
  }
  for (int slot = 0; slot < FF_TOUCH_MAX; slot++) {
    const ff_core_spot *from = &m->list[holder[slot] >= 0 ? holder[slot] : nearest];
    ff_touch touch = ff_core_touch(&m->a, &m->b, &from->spot, &from->at);
    touch.feature = slot;
    touch.depth -= holder[slot] >= 0 ? 0 : 4 * m->size;
    if (isinf(margin) || touch.depth > -margin) {
      out[count++] = touch;
    }
  }
  return count;
}
