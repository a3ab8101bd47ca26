/* Normal force of a midpoint-implicit contact: the discrete gradient of the energy of its law
 * (step/midpoint_contact.h), and its solution with the force's own effect on the normal velocity.
 */
#ifndef FF_STEP_MIDPOINT_LAW_H
#define FF_STEP_MIDPOINT_LAW_H

#include "math/vec.h"
#include "step/forces.h"

#include <math.h>

/* Where edges that are nearly parallel cross, the depth of a sample changes by FLEETING times the
 * approach of the bodies or more. If that is more than a share of the depth in half a step, its
 * energy cannot be continued to the ends of the step: the elastic force is that of the evaluation,
 * which together with that of the other samples is the gradient of what they all store. */
#define FF_MIDPOINT_FLEETING 10
#define FF_MIDPOINT_FAR      0.1
/* Changes below this share of a depth leave few digits for a quotient of energies. */
#define FF_MIDPOINT_FLAT 1e-5
enum { FF_MIDPOINT_NEWTONS = 60 }; /* most iterations for one normal force */

/* A contact point as the normal law sees it throughout a step. */
typedef struct ff_midpoint_law {
  const ff_binding *binding;
  bool pulls;          /* the normal law may */
  bool plain;          /* weight and pace are 1 */
  bool discrete;       /* by the discrete gradient that the law has itself */
  bool fleeting;       /* depth and weight change too fast to be continued over half a step */
  double weight;       /* law units */
  double pace;         /* 1, of the depth over the normal velocity */
  double weight_slope; /* 1/m, of the weight with the depth, about the depth of the evaluation: */
  double weight_depth; /* m */
  double weight_most;  /* law units, bound of the weight at other depths */
  double depth;        /* m, at the start of the step */
  double energy;       /* J, stored there */
} ff_midpoint_law;

/* Has it a bristle, whose memory keeps what a solver leaves of the slip? */
static inline bool ff_binding_has_bristles(const ff_binding *binding) {
  return binding->held && binding->friction->memory_count > 0;
}

/* Of a contact point in the middle of the step; leaves its patch in patch. */
ff_midpoint_law ff_midpoint_law_of(const ff_model *model, const ff_near *near,
                                   const ff_point *point, double half, ff_patch *patch);
/* The same as crowds are solved: by the law's own discrete gradient, and with a bound of the
 * weight.
 */
ff_midpoint_law ff_midpoint_crowd_law_of(const ff_model *model, const ff_state *state,
                                         const ff_near *near, const ff_point *point, double half,
                                         ff_patch *patch);

/* Weight at a depth, by its slope. */
static inline double ff_midpoint_weight(const ff_midpoint_law *of, double depth) {
  return lesser(of->weight_most,
                greater(0, of->weight + of->weight_slope * (depth - of->weight_depth)));
}

/* Depth that a friction law sees if the middle of the step is at a depth: the mean of both ends, as
 * far as they touch, so that a contact that touches at one end only has friction, too. */
static inline double ff_midpoint_friction_depth(const ff_midpoint_law *of, double middle) {
  double end = 2 * middle - of->depth;
  return of->discrete ? 0.5 * (greater(0, of->depth) + greater(0, end)) : middle;
}

/* V: energy stored at a depth. */
static inline double ff_midpoint_energy(const ff_midpoint_law *of, ff_patch *patch, double depth) {
  ff_normal there = {0};
  double middle = patch->depth;
  if (depth > 0) {
    patch->depth = depth;
    of->binding->normal->normal(&of->binding->normal_params, patch, &there);
    patch->depth = middle;
  }
  return ff_midpoint_weight(of, depth) * there.energy;
}

/* Is the weight at a depth within its bounds? */
static inline bool ff_midpoint_weight_is_linear(const ff_midpoint_law *of, double depth) {
  double weight = ff_midpoint_weight(of, depth);
  return weight > 0 && weight < of->weight_most;
}

/* Does a law that has a discrete gradient itself give that of the sample? Not where the weight
 * reaches a bound within the step. */
static inline bool ff_midpoint_is_discrete(const ff_midpoint_law *of, double end) {
  return of->discrete && (of->plain || (ff_midpoint_weight_is_linear(of, of->depth) &&
                                        ff_midpoint_weight_is_linear(of, end)));
}

/* The normal force (N) if the contact closes at this rate (m/s, along push): the discrete gradient
 * of the energy, and the rest as it is in the middle. Leaves depth and rate of the middle in the
 * patch, the law's answer there in normal, and the stored part of the force (N) in elastic. */
static inline double ff_midpoint_force(const ff_midpoint_law *of, double half, double rate,
                                       ff_patch *patch, ff_normal *normal, double *elastic) {
  const ff_law *law = of->binding->normal;
  rate *= of->pace;
  patch->depth_rate = rate;
  *normal = (ff_normal){0};
  if (of->binding->overlaps) {
    law->normal(&of->binding->normal_params, patch, normal);
    *elastic = normal->elastic;
    return normal->force;
  }
  double middle = of->fleeting ? of->weight_depth : of->depth + half * rate;
  double end = of->fleeting ? of->depth : middle + half * rate;
  patch->depth = middle;
  bool discrete = ff_midpoint_is_discrete(of, end);
  if (discrete || middle > 0) {
    if (discrete) {
      law->gradient(&of->binding->normal_params, patch, of->depth, end, normal);
    } else {
      law->normal(&of->binding->normal_params, patch, normal);
    }
    if (!of->plain) {
      double more = of->weight_slope * normal->energy;
      ff_normal_weigh(normal, ff_midpoint_weight(of, middle), of->pace);
      normal->elastic += of->pace * more;
      normal->force += of->pace * more;
      normal->d_depth = of->fleeting ? 0 : normal->d_depth;
    }
  }
  bool flat = discrete || of->fleeting || fabs(end - of->depth) <= FF_MIDPOINT_FLAT * fabs(middle);
  *elastic = flat
                 ? normal->elastic
                 : of->pace * (ff_midpoint_energy(of, patch, end) - of->energy) / (end - of->depth);
  double force = *elastic + (normal->force - normal->elastic);
  return of->pulls || force > 0 ? force : 0;
}

/* Normal force whose own effect on the rate is counted in: f = F(rate - own f), F rising, own
 * (m/s/N) half the step over the effective mass; to a relative accuracy `exact`, which Newton's
 * method has after a step from where f is off by `near` of it. */
static inline double ff_midpoint_normal(const ff_midpoint_law *of, double half, double own,
                                        double rate, double guess, double exact, double near,
                                        ff_patch *patch, ff_normal *normal, double *elastic) {
  double low = of->pulls ? -INFINITY : 0, high = INFINITY, f = greater(low, guess);
  for (int i = 0; i < FF_MIDPOINT_NEWTONS; i++) {
    double gap = ff_midpoint_force(of, half, rate - own * f, patch, normal, elastic) - f;
    *(gap > 0 ? &low : &high) = f;
    bool narrow = !isinf(high) && !(high - low > exact * high);
    double slope = normal->d_rate + half * normal->d_depth;
    double next = f + gap / (1 + own * greater(0, slope));
    if (fabs(gap) <= near * fabs(f) || narrow) { /* the last step of Newton's method is free */
      return narrow ? f : greater(low, lesser(high, next));
    }
    bool inside = next > low && next < high;
    f = inside || isinf(low) || isinf(high) ? greater(low, lesser(high, next)) : 0.5 * (low + high);
  }
  return f;
}

#endif
