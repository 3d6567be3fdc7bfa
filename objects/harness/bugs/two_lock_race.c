/* The two-lock queue with a next that is not atomic, as it is in the paper: an enq and a deq on an empty queue hold different
 * locks, and one writes it while the other reads.
 *
 * Expected: data race. */
#define PLAIN_NEXT
#include "../two_lock_queue.c"
