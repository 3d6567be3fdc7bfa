/* Michael and Scott's queue without the second look at head in deq: the next node was read before it was protected, and may be
 * gone.
 *
 * Expected: use after free. */
#define NO_CHECK
#include "../ms_queue.c"
