/* Parts of the reproduction of [Brown18]. Each computes, tells its claims, shows its figures. */
#ifndef FF_PAPERS_BROWN_H
#define FF_PAPERS_BROWN_H

#include "papers/paper.h"

typedef struct brown_geometry brown_geometry;
brown_geometry *geometry_compute(ff_study *study);
void geometry_tell(ff_study *study, const brown_geometry *part);
void geometry_show(ff_study *study, const brown_geometry *part);

/* Overlap of the ellipsoid of semi-axes 12, 5 and 3 cm, cut to the depth d of [Brown18 eq. 1]. */
ff_volume brown_overlap(ff_study *study, ff_vec3 normal, double d, bool printed);

typedef struct brown_force brown_force;
brown_force *force_compute(ff_study *study);
void force_tell(ff_study *study, const brown_force *part);
void force_show(ff_study *study, const brown_force *part);
/* A law with these parameters, resolved. */
const ff_law *brown_law(ff_study *study, const char *name, ff_law_params *params,
                        const char *const *names, const double *values, int count);

typedef struct brown_curves brown_curves;
brown_curves *curves_compute(ff_study *study);
void curves_show(ff_study *study, const brown_curves *part);

typedef struct brown_foot brown_foot;
brown_foot *brown_foot_compute(ff_study *study);
void brown_foot_tell(ff_study *study, const brown_foot *part);
void brown_foot_show(ff_study *study, const brown_foot *part);

#endif
