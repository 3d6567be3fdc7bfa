/* Michael and Scott's queue in which deq protects the dummy but not the node after it, whose value it reads.
 *
 * Expected: use after free. */
#define UNPROTECTED
#include "../ms_queue.c"
