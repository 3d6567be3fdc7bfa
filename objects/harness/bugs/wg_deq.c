/* The wrong Deq of Wing and Gong, section 3.2.2: the range of the search is read again in every round. A slot that was passed
 * because its enq had not stored yet is filled, a later enq fills the next one, and that is taken first.
 *
 * Expected: not linearizable. */
#define READS_BACK_AGAIN
#include "../wing_gong_queue.c"
