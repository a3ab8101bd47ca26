/* Linear programmes in three unknowns, by the dual simplex method: cuts are added one at a time,
 * and each answer begins with the one before. */
#ifndef FF_GEOM_LP3_H
#define FF_GEOM_LP3_H

#include <stdbool.h>

enum { FF_LP3_ROWS = 64 };

/* Maximises x[2] where row[i][0..2] . x <= row[i][3] for all i. */
typedef struct ff_lp3 {
  double row[FF_LP3_ROWS][4];
  int count;
  int active[3];   /* the rows that bind */
  double share[3]; /* of each: x[2] would grow by this per unit of slack of its row */
  double x[3];
} ff_lp3;

/* No rows but walls: x[0] <= reach, -x[0] <= reach, and so on with x[1] and x[2], as many as asked
 * for. */
void ff_lp3_wall_in(ff_lp3 *p, int walls, double reach);
/* Begins with what is active, if no share is negative there, else with start, for which none may
 * be. slack: by how much a row may be broken. False: rounding leaves no answer. */
bool ff_lp3_solve(ff_lp3 *p, const int start[3], double slack);
/* The shares of what is active, after rows have changed. */
bool ff_lp3_shares(ff_lp3 *p);

#endif
