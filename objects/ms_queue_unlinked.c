/* Michael and Scott's non-blocking queue, in which a deq cuts off the node that it has removed: its next becomes the node itself.
 *
 * Nobody misses it: head and tail have left the node and do not come back, so that who still has it tries again, or fails to
 * link a node to it, as before. But it no longer leads to those after it, and so there are finitely many states where clients
 * never stop. See ms_queue.c. */
#define UNLINKS
#include "ms_queue.c"
