/* Thread team: parallel loops of one caller.
 *
 * The items of a loop are independent. The loop is cut into chunks of a size that the caller
 * chooses, and each chunk is run in order by one thread, so results do not depend on the number of
 * threads. */
#ifndef FF_BASE_TEAM_H
#define FF_BASE_TEAM_H

#include "footfall/status.h"

#include <stddef.h>

typedef struct ff_team ff_team;

enum { FF_TEAM_MOST = 64 };

/* A team of 1 to FF_TEAM_MOST threads, the caller included. FF_ERROR_MEMORY: a thread could not be
 * started. */
ff_status ff_team_create(ff_team **out, int threads);
void ff_team_destroy(ff_team *team); /* NULL is allowed */

/* Between these the other threads wait for loops without falling asleep, and yield the processor
 * now and then: for many short loops one after the other, as in a time step. team may be NULL. */
void ff_team_begin(ff_team *team);
void ff_team_end(ff_team *team);

/* Body of a loop: items first .. end - 1. */
typedef void ff_team_body(void *context, int first, int end);

/* Parallel for over 0 .. count - 1 in chunks of `chunk` items. Returns when all are done; serial if
 * team is NULL. */
void ff_team_for(ff_team *team, ff_team_body *part, void *context, int count, int chunk);

/* memcpy, shared. */
void ff_team_copy(ff_team *team, void *to, const void *from, size_t bytes);

#endif
