/* Friction summed over a patch, where every point slips in its own direction. */
#ifndef FF_LAW_PATCH_SUM_H
#define FF_LAW_PATCH_SUM_H

/* A patch by the moments of the volume over it, which is a stack of ellipses: deep as
 * (1 - rho^2)^fullness, rho from the centre to the rim, but each layer moved along a lean. */
typedef struct ff_patch_form {
  double spread[2][2]; /* m^2, variance of a straight stack about its axis, along t1 and t2 */
  double lean[2];      /* m, how far the deepest layer is off the top one */
  double fullness;     /* 0: a prism, 1/2: half a ball, 1: a paraboloid */
} ff_patch_form;

typedef struct ff_patch_sum {
  double force[2];     /* over the normal force, 1 */
  double moment;       /* over the normal force, m, about the normal */
  double d_slip[2][2]; /* s/m, d force[i] / d slip[j] */
} ff_patch_sum;

/* Curve of ff_stick_slip_at with transition speed v_t. */
ff_patch_sum ff_patch_sum_of(const ff_patch_form *form, double mu_s, double mu_d, double v_t,
                             const double slip[2], double spin);

#endif
