/* A bounded priority queue: deq takes the least value; at most `size` inside.
 *
 * A binary heap under flat combining: D. Hendler, I. Incze, N. Shavit and M. Tzafrir, Flat Combining and the
 * Synchronization-Parallelism Tradeoff (2010). A thread writes down what it wants; one of those who wait does it for all.
 * Linearizable (specification: bounded-priority-queue(size)); any number of threads, of which `records` may be waiting with their
 * wishes written down.
 *
 * progress   blocking
 * memory     a word a value, and a cache line a record
 * time       logarithmic in the number of values; who does the work for others, so for each of them */
#ifndef ASIF_OBJECTS_BOUNDED_PRIORITY_QUEUE_H
#define ASIF_OBJECTS_BOUNDED_PRIORITY_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bounded_priority_queue;

/* size 1 or more; else, or without memory, NULL. records 0: 64. */
struct bounded_priority_queue *bounded_priority_queue_create(size_t size, unsigned records);
void bounded_priority_queue_destroy(struct bounded_priority_queue *); /* NULL, or nobody uses it any more; values in it are gone */
bool bounded_priority_queue_insert(struct bounded_priority_queue *, long value); /* false: it was full */
bool bounded_priority_queue_deq(struct bounded_priority_queue *, long *value);   /* false: it was empty */

#ifdef __cplusplus
}
#endif
#endif
