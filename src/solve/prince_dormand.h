/* The Runge-Kutta pair RK8(7)13M [Prince81, Table 2]: order 8, error estimate of order 7.
 *
 * ARKODE's own pair of this order, Fehlberg 7(8), takes its estimate from stages at only two
 * instants and is blind to how rates change with time in between: in an impact, where depth
 * grows almost like time itself, it lets errors of 1e-9 pass at a tolerance of 1e-12.
 */
#ifndef FF_SOLVE_PRINCE_DORMAND_H
#define FF_SOLVE_PRINCE_DORMAND_H

#include <stdio.h> /* arkode_butcher.h needs FILE */

#include <arkode/arkode_butcher.h>

/* NULL when memory is out; free with ARKodeButcherTable_Free. */
ARKodeButcherTable ff_prince_dormand(void);

#endif
