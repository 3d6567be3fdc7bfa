/* The optimistic set without its second way along the list: what it has found may be removed by the time it is locked.
 *
 * Expected: leak or not linearizable. */
#define NOT_VALIDATED
#include "../optimistic_set.c"
