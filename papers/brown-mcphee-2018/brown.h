/* Parts of the reproduction of [Brown18]. Each computes, tells its claims, shows its figures. */
#ifndef FF_PAPERS_BROWN_H
#define FF_PAPERS_BROWN_H

#include "papers/paper.h"

typedef struct brown_geometry brown_geometry;
brown_geometry *geometry_compute(ff_study *study);
void geometry_tell(ff_study *study, const brown_geometry *part);
void geometry_show(ff_study *study, const brown_geometry *part);

typedef struct brown_force brown_force;
brown_force *force_compute(ff_study *study);
void force_tell(ff_study *study, const brown_force *part);
void force_show(ff_study *study, const brown_force *part);

typedef struct brown_foot brown_foot;
brown_foot *brown_foot_compute(ff_study *study);
void brown_foot_tell(ff_study *study, const brown_foot *part);
void brown_foot_show(ff_study *study, const brown_foot *part);

#endif
