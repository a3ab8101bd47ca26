#include "geom/slopes.h"

#include "math/spatial.h"

static const ff_mat3 one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/* ---- a point on a side ------------------------------------------------------------------------
 *
 * Let x be the point, n the way out of the other body, g how far x is out of it, and N how n turns
 * with x: dg = n.dx, dn = N dx. The touch is at x + k n, with k less by half of what g is more, and
 * so moves by (1 - n n^T / 2 + k N) dx. That is what the other body sees. If a is the other one,
 * what x does as seen from there is the reverse of what a does, and all goes along with a. */

static bool finite3(const ff_mat3 *m) {
  double sum = 0;
  for (int i = 0; i < 9; i++) {
    sum += m->m[i / 3][i % 3];
  }
  return isfinite(sum);
}

bool ff_slopes_of_tip(ff_touch_slopes *out, const ff_touch *touch, ff_vec3 origin, bool of_a,
                      ff_vec3 at, const ff_bend *bend, const ff_mat3 *wander) {
  ff_vec3 n = touch->normal, arm = v3_sub(at, origin), across = v3_cross(n, bend->along);
  double k = (of_a ? 1 : -1) * v3_dot(n, v3_sub(touch->point, at));
  ff_mat3 turn = {{{0}}};
  m3_outer_add(&turn, bend->along_it, bend->along, bend->along);
  m3_outer_add(&turn, bend->across, across, across);
  ff_mat3 follow = m3_add(one, m3_scale(k, turn));
  m3_outer_add(&follow, -0.5, n, n);
  ff_mat3 moves = m3_skew(v3_neg(arm)); /* the point, as its body turns */
  moves = wander ? m3_add(moves, *wander) : moves;
  out->normal[0] = turn;
  out->normal[1] = m3_product(turn, moves);
  out->point[0] = follow;
  out->point[1] = m3_product(follow, moves);
  if (!of_a) {
    out->normal[1] = m3_sub(out->normal[1], m3_skew(n));
    out->point[0] = m3_sub(one, out->point[0]);
    out->point[1] = m3_sub(m3_skew(v3_sub(origin, touch->point)), out->point[1]);
  }
  return finite3(&out->normal[0]) && finite3(&out->normal[1]) && finite3(&out->point[1]);
}

bool ff_slopes_of_ends(ff_touch_slopes *out, const ff_touch *touch, ff_vec3 origin, bool of_a,
                       ff_vec3 at, ff_vec3 along, double distance) {
  bool end = v3_dot(along, along) == 0;
  ff_bend bend = {end ? v3_orthogonal(touch->normal) : along, end ? 1 / distance : 0, 1 / distance};
  return ff_slopes_of_tip(out, touch, origin, of_a, at, &bend, NULL);
}

/* ---- lines that cross
 * -----------------------------------------------------------------------------
 *
 * With r from b to a, across both lines u and w, which bend by p and q. If a moves by d there and
 * turns by t, the nearest points go on along the lines by s and z, so that r stays across both:
 *   u.(d + s u - z w) + (t x u + s p).r = 0
 *   w.(d + s u - z w) + z q.r = 0
 * The normal is that of both lines. */

typedef struct crossing {
  ff_vec3 u, w, p, q, r, n;
  double sine; /* of their angle; < 0: n is against u x w */
  double uu, ww, uw, det;
} crossing;

static void column_of(ff_touch_slopes *out, const crossing *x, int k, ff_vec3 d, ff_vec3 turn,
                      double middle) {
  ff_vec3 du = v3_cross(turn, x->u);
  double f = -v3_dot(x->u, d) - v3_dot(du, x->r), g = -v3_dot(x->w, d);
  double s = (x->ww * f - x->uw * g) / x->det, z = (x->uw * f - x->uu * g) / x->det;
  ff_vec3 on_a = v3_axpy(d, s, x->u), on_b = v3_scale(z, x->w);
  ff_vec3 change = v3_add(v3_cross(v3_axpy(du, s, x->p), x->w), v3_cross(x->u, v3_scale(z, x->q)));
  ff_vec3 dn = v3_scale(1 / x->sine, v3_axpy(change, -v3_dot(change, x->n), x->n));
  ff_vec3 point = v3_axpy(v3_scale(0.5, v3_add(on_a, on_b)), middle, dn);
  m3_set_column(&out->point[k / 3], k % 3, point);
  m3_set_column(&out->normal[k / 3], k % 3, dn);
}

bool ff_slopes_of_lines(ff_touch_slopes *out, const ff_touch *touch, ff_vec3 origin,
                        const ff_line *a, const ff_line *b) {
  crossing x = {.u = a->along,
                .w = b->along,
                .p = a->bend,
                .q = b->bend,
                .r = v3_sub(a->at, b->at),
                .n = touch->normal};
  x.sine = v3_dot(v3_cross(x.u, x.w), x.n);
  x.uu = 1 + v3_dot(x.p, x.r);
  x.ww = 1 - v3_dot(x.q, x.r);
  x.uw = v3_dot(x.u, x.w);
  x.det = x.uu * x.ww - x.uw * x.uw;
  if (!(x.sine * x.sine > 1e-4 && x.det > 1e-4)) {
    return false;
  }
  ff_vec3 half = v3_scale(0.5, v3_add(a->at, b->at)), arm = v3_sub(a->at, origin);
  double middle = v3_dot(x.n, v3_sub(touch->point, half));
  for (int k = 0; k < 6; k++) {
    ff_vec3 axis = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    column_of(out, &x, k, k < 3 ? axis : v3_cross(axis, arm), k < 3 ? v3(0, 0, 0) : axis, middle);
  }
  return true;
}
