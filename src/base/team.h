/* Thread team: parallel loops of one caller.
 *
 * The items of a loop are independent. The loop is cut into chunks of a size that the caller
 * chooses, and each chunk is run in order by one thread, so results do not depend on the number of
 * threads. */
#ifndef FF_BASE_TEAM_H
#define FF_BASE_TEAM_H

#include "footfall/status.h"

typedef struct ff_team ff_team;

enum { FF_TEAM_MOST = 64 };

/* A team of 1 to FF_TEAM_MOST threads, the caller included. FF_ERROR_MEMORY: a thread could not be
 * started. */
ff_status ff_team_create(ff_team **out, int threads);
void ff_team_destroy(ff_team *team); /* NULL is allowed */

/* Body of a loop: items first .. end - 1. */
typedef void ff_team_body(void *context, int first, int end);

/* Parallel for over 0 .. count - 1 in chunks of `chunk` items. Returns when all are done; serial if
 * team is NULL. */
void ff_team_for(ff_team *team, ff_team_body *part, void *context, int count, int chunk);

#endif
