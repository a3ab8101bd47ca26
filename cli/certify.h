/* Comparison of a run with one of half the step. */
#ifndef FF_CLI_CERTIFY_H
#define FF_CLI_CERTIFY_H

#include "cli.h"

/* Runs the scene twice, as it is and with half the step (`adaptive`: a tenth of rtol), and compares
 * the positions of all moved bodies at 200 instants. The finding has the largest difference
 * relative to its limit, 0.01 of the way and the size of the body; it is a failure if above. */
ff_status ff_cli_certify(ff_finding *out, const char *path, const ff_cli_list *overrides,
                         ff_report *report);

#endif
