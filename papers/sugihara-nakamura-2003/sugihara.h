/* Parts of the reproduction of [Sugihara03]: each computes, then tells claims, then shows
 * figures. */
#ifndef FF_PAPERS_SUGIHARA_H
#define FF_PAPERS_SUGIHARA_H

#include "papers/paper.h"

/* A drop of 0.05 m, Fig. 6. */
typedef struct drop_part drop_part;
drop_part *drop_compute(ff_study *study);
void drop_tell(ff_study *study, const drop_part *part);
void drop_show(ff_study *study, const drop_part *part);

/* Standing for several lambda, Figs. 7 and 8. */
typedef struct stand_part stand_part;
stand_part *stand_compute(ff_study *study);
void stand_tell(ff_study *study, const stand_part *part);
void stand_show(ff_study *study, const stand_part *part);

/* Walking with and without static friction, Fig. 9. */
typedef struct stride_part stride_part;
stride_part *stride_compute(ff_study *study);
void stride_tell(ff_study *study, const stride_part *part);
void stride_show(ff_study *study, const stride_part *part);

/* A walk, a fall and a jump, Figs. 10 to 12. */
typedef struct motions_part motions_part;
motions_part *motions_compute(ff_study *study);
void motions_tell(ff_study *study, const motions_part *part);
void motions_show(ff_study *study, const motions_part *part);

#endif
