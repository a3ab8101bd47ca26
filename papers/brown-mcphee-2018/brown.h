/* Parts of the reproduction of [Brown18], and shared functions. */
#ifndef FF_PAPERS_BROWN_H
#define FF_PAPERS_BROWN_H

#include "papers/paper.h"

extern const ff_paper_part brown_geometry, brown_curves, brown_force, brown_foot;

/* Overlap of the ellipsoid of semi-axes 12, 5 and 3 cm, cut to the depth d of [Brown18 eq. 1]. */
ff_volume brown_overlap(ff_reproduction *study, ff_vec3 normal, double d, bool printed);
/* A law with these parameters, resolved. */
const ff_law *brown_law(ff_reproduction *study, const char *name, ff_law_params *params,
                        const char *const *names, const double *values, int count);

#endif
