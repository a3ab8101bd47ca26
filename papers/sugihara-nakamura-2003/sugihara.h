/* Parts of the reproduction of [Sugihara03]. */
#ifndef FF_PAPERS_SUGIHARA_H
#define FF_PAPERS_SUGIHARA_H

#include "papers/paper.h"

extern const ff_paper_claim sugihara_claims[];

/* A number of up to 1e-6 m, drawn, by which a robot starts higher: verdicts must not depend on it.
 */
double sugihara_jitter(ff_reproduction *study);

extern const ff_paper_part sugihara_drop;    /* a drop of 0.05 m, Fig. 6 */
extern const ff_paper_part sugihara_stand;   /* standing for several lambda, Figs. 7 and 8 */
extern const ff_paper_part sugihara_stride;  /* walking with and without static friction, Fig. 9 */
extern const ff_paper_part sugihara_motions; /* a walk, a fall and a jump, Figs. 10 to 12 */

#endif
