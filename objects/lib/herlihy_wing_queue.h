/* Herlihy and Wing's queue: an array, of which enq takes the next place and then fills it.
 *
 * M. P. Herlihy and J. M. Wing, Linearizability: A Correctness Condition for Concurrent Objects (1990), section 4.2. First in,
 * first out; linearizable; any number of threads. Values are any long but LONG_MIN. Their array has no end; this one has `length`
 * places, and each is used once: for a known number of values. (wing_gong_queue.h has no such limit.)
 *
 * deq waits while the queue is empty; try_deq looks at each place once, and may find nothing though the queue was never empty
 * (specification: weak-queue).
 *
 * progress   enq is wait-free; deq waits
 * memory     a word a place
 * time       enq constant; deq as many steps as there were enqs */
#ifndef ASIF_OBJECTS_HERLIHY_WING_QUEUE_H
#define ASIF_OBJECTS_HERLIHY_WING_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct herlihy_wing_queue;

struct herlihy_wing_queue *herlihy_wing_queue_create(size_t length);       /* 1 or more; else, or without memory, NULL */
void herlihy_wing_queue_destroy(struct herlihy_wing_queue *);              /* NULL, or nobody uses it any more; values in it are gone */
bool herlihy_wing_queue_enq(struct herlihy_wing_queue *, long value);      /* false: every place was used, or the value is LONG_MIN; nothing happened */
long herlihy_wing_queue_deq(struct herlihy_wing_queue *);                  /* waits for a value */
bool herlihy_wing_queue_try_deq(struct herlihy_wing_queue *, long *value); /* false: found nothing */

#ifdef __cplusplus
}
#endif
#endif
