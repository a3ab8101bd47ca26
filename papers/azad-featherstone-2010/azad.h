/* Parts of the reproduction of [Azad10], and shared functions. */
#ifndef FF_PAPERS_AZAD_H
#define FF_PAPERS_AZAD_H

#include "papers/paper.h"

/* The sphere and the ground of Secs. 2.2 and 4. */
#define AZAD_K    8.5e6 /* N/m^1.5 */
#define AZAD_D    3.1e3 /* N s/m^1.5 */
#define AZAD_MASS .154  /* kg */

/* A factor per halving of the sample interval that is nearer to a root's 0.71 than to a jump's 1.
 */
#define AZAD_CONTINUOUS 0.85

extern const ff_paper_claim azad_claims[];
extern const ff_paper_part azad_impact;    /* restitution over speed, Figs. 2 and 3 */
extern const ff_paper_part azad_materials; /* Fig. 4 */
extern const ff_paper_part azad_fit;    /* restitution as a curve of one number; the user's data */
extern const ff_paper_part azad_loops;  /* one impact in detail, Figs. 6 and 7 */
extern const ff_paper_part azad_bounce; /* the bouncing sphere, Figs. 8 to 11 */
extern const ff_paper_part azad_roll;   /* the rolling sphere, Figs. 13 to 16 */
extern const ff_paper_part azad_ground; /* the ground that recovers, Fig. 5; Eqs. 19 to 27 */

/* Result of azad_fit. */
typedef struct fit_part fit_part;
/* The user's data, and the model fitted to them, as curves of the current plot. */
void fit_mark(ff_reproduction *study, const fit_part *part);
/* D at which a mass has this restitution at 1 m/s. */
double fit_damping(const fit_part *part, double stiffness, double mass, double restitution);

#endif
