#include "geom/implicit.h"

#include "geom/shape.h"

bool ff_rule_is_flat(const ff_rule *rule) {
  for (int i = 0; i < 9; i++) {
    if (rule->bend.m[i / 3][i % 3] != 0) {
      return false;
    }
  }
  return true;
}

int ff_geom_rule_count(const ff_geom *geom) {
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  return ops->rules ? ops->rules : ops->rule_count(geom);
}

void ff_geom_rule(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out) {
  ff_shapes[geom->kind]->rule(geom, rule, x, out);
}

double ff_geom_value(const ff_geom *geom, ff_vec3 x, int *rule) {
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  double most = -INFINITY;
  int worst = 0;
  if (ops->largest) {
    most = ops->largest(geom, x, &worst);
  }
  for (int k = 0; !ops->largest && k < ff_geom_rule_count(geom); k++) {
    ff_rule all = {.value = 0};
    if (!ops->value) {
      ops->rule(geom, k, x, &all);
    }
    double value = ops->value ? ops->value(geom, k, x) : all.value;
    worst = value > most ? k : worst;
    most = fmax(most, value);
  }
  if (rule) {
    *rule = worst;
  }
  return most;
}

/* Planes one leaves by: the one that is met first. */
static double exit_of_faces(const ff_geom *geom, ff_vec3 from, ff_vec3 direction, int *rule) {
  double end = INFINITY;
  for (int k = 0; k < ff_geom_rule_count(geom); k++) {
    ff_rule at;
    ff_geom_rule(geom, k, from, &at);
    double rate = v3_dot(at.slope, direction);
    if (rate > 0 && -at.value / rate < end) {
      end = -at.value / rate;
      *rule = k;
    }
  }
  return end;
}

double ff_geom_exit(const ff_geom *geom, ff_vec3 from, ff_vec3 direction, int *rule) {
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  int last = 0;
  double leave = ops->exit ? ops->exit(geom, from, direction, &last)
                           : exit_of_faces(geom, from, direction, &last);
  if (rule) {
    *rule = last;
  }
  return leave;
}

/* ---- lines: shapes are convex, so that one is inside in one piece ---- */

double ff_exit_by_line(const ff_geom *geom, ff_vec3 from, ff_vec3 direction, int *rule) {
  double enter, leave;
  *rule = 0;
  ff_geom_line(geom, from, direction, &enter, &leave);
  return leave;
}

bool ff_geom_line(const ff_geom *geom, ff_vec3 point, ff_vec3 direction, double *enter,
                  double *leave) {
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  *enter = INFINITY;
  *leave = -INFINITY;
  return ops->line && ops->line(geom, point, direction, enter, leave);
}

static const ff_line_part none = {INFINITY, -INFINITY};

/* a t^2 + 2 b t + c <= 0, with a >= 0 */
static ff_line_part below_zero(double a, double b, double c) {
  double root = b * b - a * c;
  if (a == 0) { /* the line does not move in these coordinates */
    return c <= 0 ? (ff_line_part){-INFINITY, INFINITY} : none;
  }
  if (!(root >= 0)) {
    return none;
  }
  /* The root farther from 0 first: the other follows from the product without cancellation. */
  double far = -(b + copysign(sqrt(root), b)), near = far == 0 ? 0 : c / far;
  return (ff_line_part){fmin(far / a, near), fmax(far / a, near)};
}

/* |x + t v| <= half */
ff_line_part ff_line_in_slab(double x, double v, double half) {
  if (v == 0) {
    return fabs(x) <= half ? (ff_line_part){-INFINITY, INFINITY} : none;
  }
  double a = (-half - x) / v, b = (half - x) / v;
  return (ff_line_part){fmin(a, b), fmax(a, b)};
}

ff_line_part ff_line_in_ball(ff_vec3 p, ff_vec3 v, double radius) {
  return below_zero(v3_dot(v, v), v3_dot(p, v), v3_dot(p, p) - radius * radius);
}

ff_line_part ff_line_in_cylinder(ff_vec3 p, ff_vec3 v, double radius, double half) {
  ff_line_part round = ff_line_in_ball(v3(p.x, p.y, 0), v3(v.x, v.y, 0), radius);
  return ff_line_both(round, ff_line_in_slab(p.z, v.z, half));
}
