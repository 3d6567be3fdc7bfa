/* Michael and Scott's queue without the second look at head in deq: the next node was read before it was protected, and may be
 * gone.
 *
 * Expected: use after free or data race, with enq(1) enq(2) deq() deq() | deq(). */
#define NO_CHECK
#include "../ms_queue.c"
