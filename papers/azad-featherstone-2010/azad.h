/* Parts of the reproduction of [Azad10]: each computes, then tells claims, then shows figures. */
#ifndef FF_PAPERS_AZAD_H
#define FF_PAPERS_AZAD_H

#include "papers/paper.h"

/* The sphere and the ground of Secs. 2.2 and 4. */
#define AZAD_K    8.5e6 /* N/m^1.5 */
#define AZAD_D    3.1e3 /* N s/m^1.5 */
#define AZAD_MASS .154  /* kg */

/* Restitution as a curve of one number; the user's data and their best D. */
typedef struct fit_part fit_part;
fit_part *fit_compute(ff_study *study);
void fit_tell(ff_study *study, const fit_part *part);
/* The user's data, and the model fitted to them, as curves of the plot just begun. */
void fit_mark(ff_study *study, const fit_part *part);
/* D at which a mass has this restitution at 1 m/s. */
double fit_damping(const fit_part *part, double stiffness, double mass, double restitution);
void fit_show(ff_study *study, const fit_part *part);

/* The materials of Fig. 4. */
typedef struct material_part material_part;
material_part *material_compute(ff_study *study, const fit_part *fit);
void material_tell(ff_study *study);
void material_show(ff_study *study, const material_part *part, const fit_part *fit);

/* Restitution over speed, Figs. 2 and 3, and one impact in detail, Figs. 6 and 7. */
typedef struct impact_part impact_part;
impact_part *impact_compute(ff_study *study);
void impact_tell(ff_study *study, const impact_part *part);
void impact_show(ff_study *study, const impact_part *part, const fit_part *fit);
void impact_show_loops(ff_study *study, const impact_part *part);

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
