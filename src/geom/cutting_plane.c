/* Between rough and exact, for what Newton's method cannot do: kinks, flats, creases.
 *
 * With d(n) the support point of the difference a - b across n, the gap g(n) = n.d(n) never exceeds
 * n.d for any other point d of the difference. So each point looked at cuts off directions that are
 * no better than known ones [Kelley60]. What the cuts leave is a linear programme in the tangent
 * plane of the best direction so far: its answer is looked at next, and is one more cut. No
 * smoothness is required. The shares of the cuts that bind in the end mix their points to one on
 * each body, along the normal.
 *
 * The largest gap lies at a corner of what the cuts leave only if it is negative. Bodies that are
 * apart are given a skin as thick as twice the gap first.
 */
#include "geom/distance_parts.h"
#include "geom/lp3.h"

#include "math/vec.h"

enum { WALLS = 4, LOOKS = 150, TURNS = 3 };
#define REACH 0.3 /* tangent of the largest turn at a time */

/* In the tangent plane of n, along u and v: for the direction n + t the gap is the third unknown,
 * and no cut allows more than its point has there. Four walls stand around: |t_1|, |t_2| <= REACH.
 */
typedef struct cuts {
  ff_lp3 p;
  ff_corner at[FF_LP3_ROWS]; /* of each row except the walls */
  ff_vec3 n, u, v;
} cuts;

static void centre_cuts(cuts *c, ff_vec3 n) {
  c->n = n;
  c->u = v3_orthogonal(n);
  c->v = v3_cross(n, c->u);
  for (int i = WALLS; i < c->p.count; i++) {
    double *row = c->p.row[i];
    row[0] = -v3_dot(c->u, c->at[i].w);
    row[1] = -v3_dot(c->v, c->at[i].w);
    row[2] = 1;
    row[3] = v3_dot(n, c->at[i].w);
  }
}

/* In the place of the loosest if all are taken. */
static int add_cut(cuts *c, ff_corner at) {
  int place = c->p.count;
  if (c->p.count < FF_LP3_ROWS) {
    c->p.count++;
  } else {
    place = WALLS;
    for (int i = WALLS; i < FF_LP3_ROWS; i++) {
      place = c->p.row[i][3] > c->p.row[place][3] ? i : place;
    }
  }
  c->at[place] = at;
  return place;
}

/* The best direction that the cuts leave next to n. The programme takes the length of n + t for 1:
 * it is repeated at its solution until that stays. */
static bool best_left(cuts *c, ff_vec3 n, int newest, double size) {
  for (int turn = 0; turn < TURNS; turn++) {
    centre_cuts(c, n);
    const double *row = c->p.row[newest];
    const int start[3] = {newest, row[0] < 0 ? 0 : 1, row[1] < 0 ? 2 : 3};
    if (!ff_lp3_solve(&c->p, start, 1e-16 * size)) {
      return false;
    }
    const double *t = c->p.x;
    n = v3_unit(v3_axpy(v3_axpy(c->n, t[0], c->u), t[1], c->v));
    if (fmax(fabs(t[0]), fabs(t[1])) < 1e-8) {
      break;
    }
  }
  centre_cuts(c, n);
  return ff_lp3_shares(&c->p);
}

/* Mixes the points of the cuts that bind; false if a wall does. */
static bool mix_cuts(const cuts *c, ff_vec3 *on_a, ff_vec3 *on_b) {
  *on_a = *on_b = v3(0, 0, 0);
  for (int k = 0; k < 3; k++) {
    int row = c->p.active[k];
    if (row >= WALLS) {
      *on_a = v3_axpy(*on_a, c->p.share[k], c->at[row].a);
      *on_b = v3_axpy(*on_b, c->p.share[k], c->at[row].b);
    } else if (c->p.share[k] > 1e-12) {
      return false;
    }
  }
  return true;
}

/* What the cuts allow at most along n, where they are centred. */
static double allowed(const cuts *c) {
  double most = INFINITY;
  for (int i = WALLS; i < c->p.count; i++) {
    most = fmin(most, c->p.row[i][3]);
  }
  return most;
}

double ff_cutting_plane(ff_rough *rough, const ff_two *given, double enough) {
  ff_two two = *given;
  two.skin = fmax(0, 2 * rough->gap);
  cuts c;
  ff_lp3_wall_in(&c.p, WALLS, REACH);
  c.p.active[0] = c.p.active[1] = c.p.active[2] = 0;
  ff_vec3 n = rough->normal, best_at = n, on_a, on_b;
  ff_corner corner = ff_two_support(&two, v3_neg(n));
  double size = two.size + two.skin, best = v3_dot(n, corner.w), left = INFINITY;
  for (int look = 0; look < LOOKS && left > enough * size; look++) {
    if (!best_left(&c, best_at, add_cut(&c, corner), size)) {
      break;
    }
    n = c.n;
    corner = ff_two_support(&two, v3_neg(n));
    double gap = v3_dot(n, corner.w), most = allowed(&c);
    if (mix_cuts(&c, &on_a, &on_b) && most - gap < left) {
      left = most - gap;
      *rough = (ff_rough){n, most + two.skin, v3_axpy(on_a, two.skin, n), on_b};
    }
    if (gap > best) {
      best = gap;
      best_at = n;
    }
  }
  return fmax(left, 0);
}
