/* The Runge-Kutta pair RK8(7)13M [Prince81, Table 2]: order 8, error estimate of order 7.
 *
 * ARKODE's own pair of this order, Fehlberg 7(8), bases its estimate on stages at only two instants
 * and does not detect changes of the rates with time in between: in an impact, where depth grows
 * almost linearly in time, it accepts errors of 1e-9 at a tolerance of 1e-12. */
#ifndef FF_SOLVE_PRINCE_DORMAND_H
#define FF_SOLVE_PRINCE_DORMAND_H

#include <stdio.h> /* arkode_butcher.h needs FILE */

#include <arkode/arkode_butcher.h>

/* NULL if out of memory; free with ARKodeButcherTable_Free. */
ARKodeButcherTable ff_prince_dormand(void);

#endif
