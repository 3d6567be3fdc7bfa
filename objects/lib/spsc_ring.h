/* A ring for one producer and one consumer.
 *
 * L. Lamport, Specifying Concurrent Program Modules (1983), section 4. First in, first out, at most `size` values; linearizable
 * (specification: bounded-queue(size)), with one thread at a time that calls enq and one that calls deq. Each remembers where
 * the other was when it last looked, and looks again only when that is not enough.
 *
 * progress   wait-free
 * memory     a word a place
 * time       constant */
#ifndef ASIF_OBJECTS_SPSC_RING_H
#define ASIF_OBJECTS_SPSC_RING_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct spsc_ring;

struct spsc_ring *spsc_ring_create(size_t size);     /* 1 or more; else, or without memory, NULL */
void spsc_ring_destroy(struct spsc_ring *);          /* NULL, or nobody uses it any more; values in it are gone */
bool spsc_ring_enq(struct spsc_ring *, long value);  /* false: it was full */
bool spsc_ring_deq(struct spsc_ring *, long *value); /* false: it was empty */

#ifdef __cplusplus
}
#endif
#endif
