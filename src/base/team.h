/* Threads that share the work of one caller.
 *
 * Work is a run of items that know nothing of each other. It is cut into pieces of a size that the
 * caller names, so that results do not depend on how many threads there are: each piece is done by
 * one of them, from its first item to its last, as it would be by one thread alone.
 */
#ifndef FF_BASE_TEAM_H
#define FF_BASE_TEAM_H

#include "footfall/status.h"

typedef struct ff_team ff_team;

enum { FF_TEAM_MOST = 64 };

/* As many threads as said, 1 to FF_TEAM_MOST; the caller is one of them. FF_ERROR_MEMORY: there are
 * no more to be had. */
ff_status ff_team_create(ff_team **out, int threads);
void ff_team_destroy(ff_team *team); /* NULL is fine */

/* Does items first .. end - 1. */
typedef void ff_team_part(void *context, int first, int end);

/* Does items 0 .. count - 1 in pieces of so many, the last of what is left, and returns when all is
 * done. No team (NULL): the caller does them, one after the other. */
void ff_team_share(ff_team *team, ff_team_part *part, void *context, int count, int piece);

#endif
