/* A work-stealing deque whose pop takes the last value as it takes any other, without racing for it: a thief may have it too.
 *
 * Expected: not linearizable. */
#define NO_LAST_RACE
#include "../chase_lev_deque.c"
