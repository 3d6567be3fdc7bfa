/* An unbounded priority queue: deq takes the least value.
 *
 * J. Linden and B. Jonsson, A Skiplist-Based Concurrent Priority Queue with Minimal Memory Contention (2013), without the upper
 * levels of the skip list: a sorted list, of which deq takes the first value by marking the link to it. Unlike the queues of
 * Lotan and Shavit and of Sundell and Tsigas it is linearizable as it is; any number of threads. Equal values leave in the order
 * they came.
 *
 * progress   lock-free
 * memory     a node for each value, and for a few that were taken out; freed through hazard pointers
 * time       deq constant; insert as many steps as there are smaller or equal values inside */
#ifndef ASIF_OBJECTS_PRIORITY_QUEUE_H
#define ASIF_OBJECTS_PRIORITY_QUEUE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hazard; /* hazard.h */
struct priority_queue;

struct priority_queue *priority_queue_create(struct hazard *);   /* NULL if there is no memory */
void priority_queue_destroy(struct priority_queue *);            /* NULL, or nobody uses it any more; values in it are gone */
bool priority_queue_insert(struct priority_queue *, long value); /* false: there is no memory, and nothing happened */
bool priority_queue_deq(struct priority_queue *, long *value);   /* false: it was empty */

#ifdef __cplusplus
}
#endif
#endif
