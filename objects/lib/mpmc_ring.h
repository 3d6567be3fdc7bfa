/* A ring for any number of producers and consumers: each place has a count that says whose turn it is.
 *
 * After D. Vyukov's bounded MPMC queue (2010), which is not quite linearizable: while an enq that has taken a place has not
 * filled it, a deq says empty, even if a later enq is done. Here full and empty are said only where they are true, and a deq that
 * comes to a place that is being filled waits. First in, first out, at most `size` values; linearizable (specification:
 * bounded-queue(size)).
 *
 * progress   blocking: of threads that stop in the middle others may wait at the same place
 * memory     two words a place
 * time       constant, while nobody else is at the same end */
#ifndef ASIF_OBJECTS_MPMC_RING_H
#define ASIF_OBJECTS_MPMC_RING_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mpmc_ring;

struct mpmc_ring *mpmc_ring_create(size_t size);     /* 1 or more; else, or without memory, NULL */
void mpmc_ring_destroy(struct mpmc_ring *);          /* NULL, or nobody uses it any more; values in it are gone */
bool mpmc_ring_enq(struct mpmc_ring *, long value);  /* false: it was full */
bool mpmc_ring_deq(struct mpmc_ring *, long *value); /* false: it was empty */

#ifdef __cplusplus
}
#endif
#endif
