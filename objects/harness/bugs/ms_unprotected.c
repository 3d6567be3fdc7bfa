/* Michael and Scott's queue in which deq protects the dummy but not the node after it, whose value it reads.
 *
 * Expected: use after free or data race, with enq(1) enq(2) deq() deq() | deq(). */
#define UNPROTECTED
#include "../ms_queue.c"
