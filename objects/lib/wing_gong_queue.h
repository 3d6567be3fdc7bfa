/* For study; for work use ms_queue.h. The cost of each deq grows with every enq there ever was, and a deq that waits keeps a core busy.
 *
 * Wing and Gong's unbounded queue: enq takes the next slot and then fills it; deq swaps each slot with nothing until it gets
 * something.
 *
 * J. M. Wing and C. Gong, Testing and Verifying Concurrent Objects (1993), sections 3.2.1 and 6.2. First in, first out;
 * linearizable; any number of threads. Values are any long but LONG_MIN.
 *
 * deq waits while the queue is empty. try_deq looks at each slot once, and may find nothing though the queue was never empty:
 * what was put in behind it, while others took out what was before it, it does not see (specification: weak-queue).
 *
 * progress   enq is wait-free where memory is; deq waits
 * memory     a slot for each enq there ever was
 * time       enq constant; deq as many steps as there were enqs, as in the paper. For work there is ms_queue.h. */
#ifndef ASIF_OBJECTS_WING_GONG_QUEUE_H
#define ASIF_OBJECTS_WING_GONG_QUEUE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wing_gong_queue;

struct wing_gong_queue *wing_gong_queue_create(void);                /* NULL if there is no memory */
void wing_gong_queue_destroy(struct wing_gong_queue *);              /* NULL, or nobody uses it any more; values in it are gone */
bool wing_gong_queue_enq(struct wing_gong_queue *, long value);      /* false: there is no memory, or the value is LONG_MIN; nothing happened */
long wing_gong_queue_deq(struct wing_gong_queue *);                  /* waits for a value */
bool wing_gong_queue_try_deq(struct wing_gong_queue *, long *value); /* false: found nothing */

#ifdef __cplusplus
}
#endif
#endif
