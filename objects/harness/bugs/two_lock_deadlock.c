/* The two-lock queue in which each end takes the other's lock too, one after the other: enq and deq in opposite orders.
 *
 * Expected: deadlock. */
#define LOCKS_BOTH
#include "../two_lock_queue.c"
