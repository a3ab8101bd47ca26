/* Work counter, for budgets that end a search after a bounded amount of work.
 *
 * Compare the count before and after. Work is counted, not timed, so results do not depend on the
 * machine. One unit is about 0.1 us. */
#ifndef FF_BASE_EFFORT_H
#define FF_BASE_EFFORT_H

/* Work done by this thread since it started. */
extern _Thread_local long ff_effort;

#endif
