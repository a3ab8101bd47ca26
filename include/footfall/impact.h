/* Impacts: one body hitting a fixed one. In closed form where available, by simulation for any
 * normal law, and inverse design: parameters for a desired impact.
 *
 *   ff_hunt_crossley_impact given = ff_hunt_crossley_impact_default();
 *   given.mass = 1, given.k = 1e6, given.alpha = 0.4, given.speed = 1;
 *   ff_impact impact;
 *   ff_impact_hunt_crossley(&impact, &given, &report);
 *
 * Depth and velocity are positive into the fixed body; time starts at touch. All functions are
 * pure. Closed forms exclude gravity. Formulas and their derivation: src/law/impact_hunt_crossley.c
 * and src/law/impact_linear.c, after [Marhefka96].
 */
#ifndef FOOTFALL_IMPACT_H
#define FOOTFALL_IMPACT_H

#include "footfall/api.h"
#include "footfall/law.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Results of an impact. */
typedef struct ff_impact {
  double restitution;        /* 1, speed out over speed in */
  double speed_out;          /* m/s, away from the fixed body */
  double energy_lost;        /* J, area of the force-depth loop */
  double depth_max;          /* m */
  double time_depth_max;     /* s */
  double force_max;          /* N, largest force */
  double time_force_max;     /* s */
  double depth_force_max;    /* m, at the largest force */
  double velocity_force_max; /* m/s, there */
  double duration;           /* s, from touch to the end of the force */
  double time_clear;         /* s, depth back at zero: later than duration under a clamp */
} ff_impact;

/* ---- Hunt-Crossley: force = k depth^n (1 + 3/2 alpha velocity) ------------------------------- */

typedef struct ff_hunt_crossley_impact {
  double mass;              /* kg, > 0 */
  double k;                 /* N/m^n, > 0 */
  double n;                 /* 1, >= 1 */
  double alpha;             /* s/m, >= 0 */
  double alpha_restitution; /* s/m, >= 0, on the way out; NAN: the same as alpha */
  double speed;             /* m/s, > 0, at the touch */
} ff_hunt_crossley_impact;

/* The law's defaults: n = 1.5, alpha = 0, alpha_restitution as alpha; mass, k and speed must be
 * given. */
FF_API ff_hunt_crossley_impact ff_hunt_crossley_impact_default(void);

/* All results of an impact. FF_ERROR_INPUT: the report (may be NULL) names the parameter. */
FF_API ff_status ff_impact_hunt_crossley(ff_impact *out, const ff_hunt_crossley_impact *given,
                                         ff_report *report);

/* Restitution as a function of alpha * speed alone, independent of mass, k and n. */
FF_API double ff_impact_restitution(double alpha_speed);
/* The same with a different damping in restitution (alpha * speed in, alpha_restitution * speed
 * in). */
FF_API double ff_impact_restitution_split(double alpha_speed, double alpha_restitution_speed);

/* Depth at a velocity of the impact, speed >= velocity >= -speed_out; NAN outside. */
FF_API double ff_impact_depth(const ff_hunt_crossley_impact *given, double velocity);
/* The same on the phase-plane contour through any state; NAN where the contour has no
 * such velocity in contact. speed is not used. */
FF_API double ff_impact_contour(const ff_hunt_crossley_impact *given, double depth0,
                                double velocity0, double velocity);

/* -2 / (3 alpha), m/s: bound on the separation velocity. -INFINITY for alpha = 0. */
FF_API double ff_impact_limit_velocity(double alpha);
/* Is the force tensile at this velocity? Only beyond the limit, which no impact reaches. */
FF_API bool ff_impact_sticks(double alpha, double velocity);

/* ---- linear: force = k depth + b velocity ---------------------------------------------------- */

typedef struct ff_linear_impact {
  double mass;  /* kg, > 0 */
  double k;     /* N/m, > 0 */
  double b;     /* N s/m, >= 0 */
  double speed; /* m/s, > 0, at the touch */
  bool clamp;   /* no tension: the force ends where it would start to pull */
} ff_linear_impact;

/* b = 0, clamped; mass, k and speed must be given. */
FF_API ff_linear_impact ff_linear_impact_default(void);

/* All results of an impact. Without clamp and with b^2 >= 4 k mass the body never separates:
 * FF_ERROR_INPUT with key "b". */
FF_API ff_status ff_impact_linear(ff_impact *out, const ff_linear_impact *given, ff_report *report);

/* ---- any normal law, by simulation ----------------------------------------------------------- */

/* Integrates mass x'' = mass gravity - force from touch until the depth is zero again, to about
 * 1e-11. params must be resolved. gravity (m/s^2) acts into the fixed body. Under gravity a body
 * may stay in contact: then restitution and speed_out are 0, duration and time_clear INFINITY, and
 * energy_lost is that dissipated until rest. A body that creeps back without end is FF_ERROR_INPUT.
 * duration is NAN where a clamped force vanishes so slowly that its end is lost in rounding
 * (linear, damping ratio above about 2000). */
FF_API ff_status ff_impact_simulate(ff_impact *out, const ff_law *law, const ff_law_params *params,
                                    double mass, double speed, double gravity, ff_report *report);

/* ---- design: parameters for a desired impact ------------------------------------------------- */

/* alpha for a restitution, in (0, 1], at the speed. */
FF_API ff_status ff_impact_design_alpha(double *alpha, double restitution, double speed,
                                        ff_report *report);
/* k for a largest depth or force; given->k is not used. */
FF_API ff_status ff_impact_design_k_depth(double *k, const ff_hunt_crossley_impact *given,
                                          double depth, ff_report *report);
FF_API ff_status ff_impact_design_k_force(double *k, const ff_hunt_crossley_impact *given,
                                          double force, ff_report *report);

#ifdef __cplusplus
}
#endif
#endif
