/* How much work was done, counted where it may become much.
 *
 * Who must come to an end in bounded time compares the count before and after; a clock would end
 * the same work here and there in different places. Units are about a tenth of a microsecond.
 */
#ifndef FF_BASE_EFFORT_H
#define FF_BASE_EFFORT_H

/* Of this thread, since it began. */
extern _Thread_local long ff_effort;

#endif
