/* Shapes as smooth convex inequalities.
 *
 * Every shape is where all of its rules hold: value(x) <= 0, each value convex and smooth, in m
 * and of about unit slope at the surface. A sphere has one, a cylinder three (its side and two
 * caps), a polyhedron one a face, an intersection all those of its members.
 */
#ifndef FF_GEOM_IMPLICIT_H
#define FF_GEOM_IMPLICIT_H

#include "geom/geom.h"

typedef struct ff_rule {
  double value;  /* m */
  ff_vec3 slope; /* 1 */
  ff_mat3 bend;  /* 1/m, second derivatives */
} ff_rule;

/* Is it a plane? */
bool ff_rule_is_flat(const ff_rule *rule);

int ff_geom_rule_count(const ff_geom *geom);
/* A rule, 0 .. count - 1, at a point of the shape's frame. */
void ff_geom_rule(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out);
/* The largest value of all rules, and which rule has it (may be NULL): <= 0 inside. */
double ff_geom_value(const ff_geom *geom, ff_vec3 x, int *rule);

/* How far one may go from a point inside along a direction: > 0, INFINITY if there is no end; and
 * which rule ends it (may be NULL). */
double ff_geom_exit(const ff_geom *geom, ff_vec3 from, ff_vec3 direction, int *rule);

#endif
