/* Wing and Gong's stuttering queue: first in, first out, but the oldest value may be returned up to j times.
 *
 * J. M. Wing and C. Gong, Testing and Verifying Concurrent Objects (1993), section 8, corrected (see stuttering_queue.c).
 * Linearizable (specification: stuttering-queue(j)); any number of threads. Values are any long but LONG_MIN. It is for work that
 * may be done more than once: up to j deqs that come together take the same value instead of waiting for each other.
 *
 * deq waits while there is nothing.
 *
 * progress   enq is wait-free where memory is; deq waits
 * memory     a slot for each enq there ever was
 * time       enq constant; deq as many steps as there were enqs, as in the paper */
#ifndef ASIF_OBJECTS_STUTTERING_QUEUE_H
#define ASIF_OBJECTS_STUTTERING_QUEUE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct stuttering_queue;

struct stuttering_queue *stuttering_queue_create(int j);          /* 1 or more; else, or without memory, NULL */
void stuttering_queue_destroy(struct stuttering_queue *);         /* NULL, or nobody uses it any more; values in it are gone */
bool stuttering_queue_enq(struct stuttering_queue *, long value); /* false: there is no memory, or the value is LONG_MIN; nothing happened */
long stuttering_queue_deq(struct stuttering_queue *);             /* waits for a value */

#ifdef __cplusplus
}
#endif
#endif
