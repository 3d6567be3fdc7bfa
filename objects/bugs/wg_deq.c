/* The wrong Deq of Wing and Gong, Testing and Verifying Concurrent Objects (1993), section 3.2.2: the range of the search is read
 * again in every round. A place that was passed because its enq had not stored yet is filled, a later enq fills the next one, and
 * that is taken first. */
#define READS_BACK_AGAIN
#include "../herlihy_wing_queue.c"
