#include "geom/lp3.h"

#include "base/effort.h"
#include "math/vec.h"

enum { PIVOTS = 48 };

/* The active rows a, b, c without their ends: the cross products of each two, over the volume of
 * all three, solve what is to be solved with them. */
typedef struct corner {
  ff_vec3 bc, ca, ab;
} corner;

static corner corner_of(const ff_lp3 *p) {
  ff_vec3 a = v3_load(p->row[p->active[0]]), b = v3_load(p->row[p->active[1]]),
          c = v3_load(p->row[p->active[2]]);
  corner out = {v3_cross(b, c), v3_cross(c, a), v3_cross(a, b)};
  double per = 1 / v3_dot(a, out.bc);
  out.bc = v3_scale(per, out.bc);
  out.ca = v3_scale(per, out.ca);
  out.ab = v3_scale(per, out.ab);
  return out;
}

/* What is to be taken of each active row to make up a vector. */
static bool made_of(const corner *of, ff_vec3 to, double part[3]) {
  part[0] = v3_dot(to, of->bc);
  part[1] = v3_dot(to, of->ca);
  part[2] = v3_dot(to, of->ab);
  return isfinite(part[0]) && isfinite(part[1]) && isfinite(part[2]);
}

static void intersect_planes(ff_lp3 *p, const corner *of) {
  ff_vec3 x = v3_scale(p->row[p->active[0]][3], of->bc);
  x = v3_axpy(x, p->row[p->active[1]][3], of->ca);
  v3_store(p->x, v3_axpy(x, p->row[p->active[2]][3], of->ab));
}

/* The row that is broken most; -1: none is by more than the slack. */
static int most_broken(const ff_lp3 *p, double slack) {
  double worst = slack;
  int which = -1;
  for (int i = 0; i < p->count; i++) {
    const double *r = p->row[i];
    double over = r[0] * p->x[0] + r[1] * p->x[1] + r[2] * p->x[2] - r[3];
    if (over > worst && i != p->active[0] && i != p->active[1] && i != p->active[2]) {
      worst = over;
      which = i;
    }
  }
  return which;
}

/* Ratio test: the active row that leaves the basis first; -1: none. */
static int leaving(const ff_lp3 *p, const corner *of, int enters) {
  double part[3], least = INFINITY;
  int leaves = -1;
  if (!made_of(of, v3_load(p->row[enters]), part)) {
    return -1;
  }
  for (int k = 0; k < 3; k++) {
    double ratio = fmax(p->share[k], 0) / part[k];
    if (part[k] > 1e-14 && ratio < least) {
      least = ratio;
      leaves = k;
    }
  }
  return leaves;
}

bool ff_lp3_shares(ff_lp3 *p) {
  corner of = corner_of(p);
  return made_of(&of, v3(0, 0, 1), p->share);
}

/* From what is active, where no share may be negative. Rows that all but coincide would take turns
 * for ever over nothing but rounding: more and more of it is let pass. */
static bool pivot_on(ff_lp3 *p, double slack) {
  for (int pivot = 0; pivot < PIVOTS; pivot++) {
    ff_effort++;
    slack *= pivot < 12 ? 1 : 2;
    corner of = corner_of(p);
    if (!made_of(&of, v3(0, 0, 1), p->share)) {
      return false;
    }
    intersect_planes(p, &of);
    int enters = most_broken(p, slack);
    if (enters < 0) {
      return true;
    }
    int leaves = leaving(p, &of, enters);
    if (leaves < 0) {
      return false;
    }
    p->active[leaves] = enters;
  }
  return false;
}

void ff_lp3_wall_in(ff_lp3 *p, int walls, double reach) {
  p->count = walls;
  for (int i = 0; i < walls; i++) {
    double *row = p->row[i];
    row[0] = row[1] = row[2] = 0;
    row[i / 2] = i % 2 ? -1 : 1;
    row[3] = reach;
  }
}

bool ff_lp3_solve(ff_lp3 *p, const int start[3], double slack) {
  if (ff_lp3_shares(p) && p->share[0] >= 0 && p->share[1] >= 0 && p->share[2] >= 0 &&
      pivot_on(p, slack)) {
    return true;
  }
  for (int k = 0; k < 3; k++) {
    p->active[k] = start[k];
  }
  return pivot_on(p, slack);
}
