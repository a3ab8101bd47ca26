/* Parts of the reproduction of [Brown18], and shared functions. */
#ifndef FF_PAPERS_BROWN_H
#define FF_PAPERS_BROWN_H

#include "papers/paper.h"

/* Relative tolerance of closed forms against quadrature that is exact for polynomials. */
#define BROWN_SAME 1e-11

extern const ff_paper_claim brown_claims[];
extern const ff_paper_part brown_geometry, brown_foundation, brown_likeness, brown_curves,
    brown_force, brown_foot;

/* Integrals over the part of an ellipsoid below a plane, by slices parallel to it. */
typedef struct brown_slices {
  double volume;     /* m^3 */
  double x, y, z;    /* m, centroid; x and y in the plane, in the volume's contact frame about its
                      * centroid; z: depth below the plane */
  double xx, yy, xy; /* m^5, of the volume about the volume's centroid */
} brown_slices;

/* The plane's normal and depth d of eq. 1 for an ellipsoid of these semi-axes. */
ff_volume_def brown_cut(ff_vec3 axes, ff_vec3 normal, double d, bool printed);
ff_volume brown_volume(ff_reproduction *study, const ff_volume_def *def);
brown_slices brown_integrate(const ff_volume_def *def, const ff_volume *about);
/* A drawn ellipsoid: semi-axes 2 to 20 cm, any normal, 0.05 to 1.95 deep. */
ff_volume_def brown_draw(ff_reproduction *study);

/* Overlap of the ellipsoid of semi-axes 12, 5 and 3 cm, cut to the depth d of [Brown18 eq. 1]. */
ff_volume brown_overlap(ff_reproduction *study, ff_vec3 normal, double d, bool printed);
/* A law with these parameters, resolved. */
const ff_law *brown_law(ff_reproduction *study, const char *name, ff_law_params *params,
                        const char *const *names, const double *values, int count);

#endif
