/* Wing and Gong's bounded queue: the unbounded one folded into an array, with the generation of each item beside it.
 *
 * J. M. Wing and C. Gong, Testing and Verifying Concurrent Objects (1993), section 6.4. First in, first out, at most `size`
 * values; linearizable; any number of threads. An item and its generation share one word: values are ints.
 *
 * enq waits while the queue is full, deq while it is empty; so do theirs.
 *
 * progress   blocking: enq and deq wait for each other
 * memory     a word a place
 * time       enq up to `size` steps; deq as many as there were enqs, as in the paper. For work there is mpmc_ring.h. */
#ifndef ASIF_OBJECTS_WING_GONG_BOUNDED_QUEUE_H
#define ASIF_OBJECTS_WING_GONG_BOUNDED_QUEUE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wing_gong_bounded_queue;

struct wing_gong_bounded_queue *wing_gong_bounded_queue_create(uint32_t size); /* 1 or more; else, or without memory, NULL */
void wing_gong_bounded_queue_destroy(struct wing_gong_bounded_queue *);        /* NULL, or nobody uses it any more */
void wing_gong_bounded_queue_enq(struct wing_gong_bounded_queue *, int value); /* waits for room */
int wing_gong_bounded_queue_deq(struct wing_gong_bounded_queue *);             /* waits for a value */

#ifdef __cplusplus
}
#endif
#endif
