/* A k-FIFO queue whose enq does not make sure that head has not moved past its segment: the value is lost.
 *
 * Expected: not linearizable. */
#define NO_COMMIT
#define K 1
#include "../k_fifo_queue.c"
