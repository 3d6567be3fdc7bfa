/* Wing and Gong's semiqueue: deq takes one of the k oldest values.
 *
 * J. M. Wing and C. Gong, Testing and Verifying Concurrent Objects (1993), section 7. Linearizable (specification: semiqueue(k));
 * any number of threads. Values are any long but LONG_MIN. With k = 1 it is a queue.
 *
 * deq waits while there is nothing.
 *
 * progress   enq is wait-free where memory is; deq waits, but goes on behind slots whose enq is not finished, up to k of them
 * memory     a slot for each enq there ever was
 * time       enq constant; deq as many steps as there were enqs, as in the paper */
#ifndef ASIF_OBJECTS_SEMIQUEUE_H
#define ASIF_OBJECTS_SEMIQUEUE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct semiqueue;

struct semiqueue *semiqueue_create(long k);         /* 1 or more; else, or without memory, NULL */
void semiqueue_destroy(struct semiqueue *);         /* NULL, or nobody uses it any more; values in it are gone */
bool semiqueue_enq(struct semiqueue *, long value); /* false: there is no memory, or the value is LONG_MIN; nothing happened */
long semiqueue_deq(struct semiqueue *);             /* waits for a value */

#ifdef __cplusplus
}
#endif
#endif
