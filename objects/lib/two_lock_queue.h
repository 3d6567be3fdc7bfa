/* Michael and Scott's two-lock queue: one lock for each end.
 *
 * M. M. Michael and M. L. Scott, Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue Algorithms (1996). First
 * in, first out; linearizable; any number of threads.
 *
 * progress   blocking; an enq and a deq do not wait for each other
 * memory     a node for each value and one more, freed under the lock of the head
 * time       constant */
#ifndef ASIF_OBJECTS_TWO_LOCK_QUEUE_H
#define ASIF_OBJECTS_TWO_LOCK_QUEUE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct two_lock_queue;

struct two_lock_queue *two_lock_queue_create(void);            /* NULL if there is no memory */
void two_lock_queue_destroy(struct two_lock_queue *);          /* NULL, or nobody uses it any more; values in it are gone */
bool two_lock_queue_enq(struct two_lock_queue *, long value);  /* false: there is no memory, and nothing happened */
bool two_lock_queue_deq(struct two_lock_queue *, long *value); /* false: it was empty */

#ifdef __cplusplus
}
#endif
#endif
