#include "geom/cone_weight.h"

#include "math/elementary.h"

#define SIGMA 1e7
#define SHALLOW                                                                                    \
  1e-3 /* slope; of steeper generators the term with SIGMA changes by less than 1e-7 */

/* Signed solid angle of the spherical triangle of unit vectors a, b, c [VanOosterom83], and its
 * derivative with each of them, added up. */
static double triangle_angle(const ff_vec3 *a, const ff_vec3 *b, const ff_vec3 *c, ff_vec3 *by_a,
                             ff_vec3 *by_b, ff_vec3 *by_c) {
  ff_vec3 bc = v3_cross(*b, *c);
  double sine = v3_dot(*a, bc);
  double cosine = 1 + v3_dot(*a, *b) + v3_dot(*b, *c) + v3_dot(*c, *a);
  if (by_a) {
    double scale = 2 / greater(sine * sine + cosine * cosine, 1e-300);
    double up = scale * cosine, down = -scale * sine;
    *by_a = v3_axpy(v3_axpy(*by_a, up, bc), down, v3_add(*b, *c));
    *by_b = v3_axpy(v3_axpy(*by_b, up, v3_cross(*c, *a)), down, v3_add(*c, *a));
    *by_c = v3_axpy(v3_axpy(*by_c, up, v3_cross(*a, *b)), down, v3_add(*a, *b));
  }
  return 2 * ff_atan2(sine, cosine);
}

/* Derivative of a function of v, g = d/dv, with what v depends on. With the normal m of the pair,
 * alpha = u.m and beta = w.m a facet has v = beta u - alpha w + alpha beta m; walls are m x e of an
 * edge of a and e x m of an edge of b. A turn of a by theta changes u and e by theta x u. */
static void add_rates(const ff_cone_vector *of, ff_vec3 g, ff_cone_rate *to) {
  ff_vec3 m = v3(0, 0, 1), u = of->of_a, w = of->of_b;
  if (of->wall) {
    to->normal = v3_add(to->normal, v3_add(v3_cross(u, g), v3_cross(g, w)));
    to->turn = v3_add(to->turn, v3_cross(u, v3_cross(g, m)));
    return;
  }
  double alpha = u.z, beta = w.z, rest_a = beta * g.z - v3_dot(g, w);
  double rest_b = alpha * g.z + v3_dot(g, u);
  ff_vec3 by_u = v3_axpy(v3_scale(beta, g), rest_a, m);
  to->turn = v3_add(to->turn, v3_cross(u, by_u));
  to->normal = v3_axpy(to->normal, rest_b, w);
  to->normal = v3_axpy(v3_axpy(to->normal, rest_a, u), alpha * beta, g);
}

/* Solid angle of the cone whose generators are stretched along z, times scale. */
static double cone_angle(const ff_cone_vector *vectors, int count, double stretch, double scale,
                         ff_cone_rate *rate) {
  ff_vec3 unit[FF_CONE_VECTORS], by[FF_CONE_VECTORS];
  double length[FF_CONE_VECTORS], sum = 0;
  for (int i = 0; i < count; i++) {
    ff_vec3 v = vectors[i].v;
    v.z *= stretch;
    length[i] = v3_norm(v);
    unit[i] = v3_scale(1 / length[i], v);
    by[i] = v3(0, 0, 0);
  }
  for (int i = 1; i + 1 < count; i++) {
    sum += rate ? triangle_angle(&unit[0], &unit[i], &unit[i + 1], &by[0], &by[i], &by[i + 1])
                : triangle_angle(&unit[0], &unit[i], &unit[i + 1], NULL, NULL, NULL);
  }
  double sign = sum < 0 ? -scale : scale;
  for (int i = 0; rate && i < count; i++) {
    ff_vec3 across = v3_axpy(by[i], -v3_dot(by[i], unit[i]), unit[i]);
    ff_vec3 g = v3_scale(sign / length[i], across);
    /* L v = v + (stretch - 1) (v.m) m */
    ff_vec3 by_v = g, v = vectors[i].v;
    by_v.z *= stretch;
    add_rates(&vectors[i], by_v, rate);
    rate->normal = v3_axpy(rate->normal, (stretch - 1) * v.z, g);
    rate->normal = v3_axpy(rate->normal, (stretch - 1) * g.z, v);
  }
  return sign * sum;
}

double ff_cone_weight(const ff_cone_vector *vectors, int count, ff_cone_rate *rate) {
  double scale = 1 / (2 * ff_pi * (1 - 1 / SIGMA));
  bool shallow = false;
  if (rate) {
    *rate = (ff_cone_rate){0};
  }
  for (int i = 0; i < count; i++) {
    ff_vec3 v = vectors[i].v;
    shallow = shallow || (!vectors[i].wall && fabs(v.z) < SHALLOW * (fabs(v.x) + fabs(v.y)));
  }
  return cone_angle(vectors, count, 1, scale, rate) +
         cone_angle(vectors, count, SIGMA, -scale / SIGMA, shallow ? rate : NULL);
}
