/* Contact geometry for the quasi-rigid stepper: the only file that calls src/geom. Points, depths,
 * normals and their derivatives.
 */
#ifndef FF_STEP_QUASI_CONTACT_GEOMETRY_H
#define FF_STEP_QUASI_CONTACT_GEOMETRY_H

#include "step/quasi/problem.h"

#define QUASI_LIGHT 1e-7 /* law units: samples of less weight bear nothing */

/* ---- queries ---------------------------------------------------------------------------- */

/* Contact points of a pair of shapes with depth > -margin, with the bodies at these poses; in
 * order of feature. Returns their number. */
int ff_quasi_touches(const quasi_problem *problem, const ff_near *pair, const ff_pose *body_a,
                     const ff_pose *body_b, double margin, ff_touch out[FF_TOUCH_MAX]);
/* The same with the bodies at their ends. */
int ff_quasi_touches_at_end(const quasi_problem *problem, const ff_near *pair, double margin,
                            ff_touch out[FF_TOUCH_MAX]);
/* The same with the bodies at their starts. */
int ff_quasi_touches_at_start(const quasi_problem *problem, const ff_near *pair, double margin,
                              ff_touch out[FF_TOUCH_MAX]);
/* Evaluates the sample of a touch, by its id, at these poses. */
void ff_quasi_evaluate_features(const quasi_problem *problem, const ff_near *pair,
                                const ff_pose *body_a, const ff_pose *body_b, ff_touch *touch);
/* The touch of a contact among those of its pair, by feature; NULL: none. */
const ff_touch *ff_quasi_find_touch(const quasi_problem *problem, const quasi_contact *contact,
                                    const ff_touch *touches, int count);
/* Are contacts of a pair samples with ids, which are constant while a step is solved? Else they are
 * numbered points. */
bool ff_quasi_pair_has_samples(const quasi_problem *problem, const ff_near *pair);
/* m, bound on how much two bodies approach in the step. */
double ff_quasi_approach(const quasi_problem *problem, const quasi_body *a, const quasi_body *b);

/* ---- a contact during the step ---------------------------------------------------------- */

/* Ties a contact to the points of both bodies in its touch, which is that of the end of free flight
 * or that of the feature poses. */
void ff_quasi_fix_contact(const quasi_problem *problem, quasi_contact *contact, bool at_free_end);
/* Ties a contact, touch being that of the start of the step, to the points of both bodies and the
 * normal there for the whole step. */
void ff_quasi_tie_at_start(const quasi_problem *problem, quasi_contact *contact);
/* Axis of b that t1 follows. Different tangents: x of its body frame, or y where x is nearly
 * normal. Equal tangents, and half-spaces: the axis of the step before (0: none) while it serves,
 * else the touch's t1: an axis computed anew in every step would change in its last bit, and a body
 * at rest could not repeat its step. */
ff_vec3 ff_quasi_tangent_axis(const quasi_problem *problem, const quasi_contact *contact,
                              ff_vec3 before, ff_quat b);
/* Geometry and layer impulse of all contacts of a pair of shapes at the ends of their bodies. */
void ff_quasi_evaluate_contacts(const quasi_problem *problem, quasi_contact *contacts, int count);
/* The touch of a contact with its bodies at these poses. False: the feature is not there, and out
 * is that of the end. */
bool ff_quasi_touch_at(const quasi_problem *problem, const quasi_contact *contact,
                       const ff_pose *at_a, const ff_pose *at_b, ff_touch *out);
/* The touch of a contact at the start of the step. False: it was not there. */
bool ff_quasi_touch_at_start(const quasi_problem *problem, const quasi_contact *contact,
                             ff_touch *out);
/* t1 of a normal: the tangent axis, in world axes, projected on the tangent plane. */
ff_vec3 ff_quasi_tangent(const quasi_contact *contact, ff_quat b, ff_vec3 normal);
/* Relative rounding error of depths. */
double ff_quasi_geometry_noise(const quasi_problem *problem, const quasi_contact *contact);

/* ---- derivatives ------------------------------------------------------------------------ */

/* Derivatives (slope) of all contacts of a pair of shapes by the pose of body a. */
void ff_quasi_geometry_slopes(const quasi_problem *problem, quasi_contact *contacts, int count);
/* Is the depth rate minus the normal velocity? Else the derivative of the depth must be that of
 * slope. */
bool ff_quasi_depth_follows_normal(const quasi_problem *problem, const quasi_contact *contact);

#endif
