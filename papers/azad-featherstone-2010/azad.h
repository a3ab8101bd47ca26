/* Parts of the reproduction of [Azad10]: each computes, then tells claims, then shows figures. */
#ifndef FF_PAPERS_AZAD_H
#define FF_PAPERS_AZAD_H

#include "papers/paper.h"

/* Restitution over speed, Figs. 2 and 3, and one impact in detail, Figs. 6 and 7. */
typedef struct impact_part impact_part;
impact_part *impact_compute(ff_study *study);
void impact_tell(ff_study *study, const impact_part *part);
void impact_show(ff_study *study, const impact_part *part);

/* The bouncing sphere, Figs. 8 to 11. */
typedef struct bounce_part bounce_part;
bounce_part *bounce_compute(ff_study *study);
void bounce_tell(ff_study *study, const bounce_part *part);
void bounce_show(ff_study *study, const bounce_part *part);

/* The rolling sphere, Figs. 13 to 16. */
typedef struct roll_part roll_part;
roll_part *roll_compute(ff_study *study);
void roll_tell(ff_study *study, const roll_part *part);
void roll_show(ff_study *study, const roll_part *part);

#endif
