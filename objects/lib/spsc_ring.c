/* A ring for one producer and one consumer (spsc_ring.h). head and tail count the values taken out and put in, and never go back.
 *
 * What is written to head and tail is sequentially consistent, so that all see it before the operation returns: with releases alone, two
 * threads that each put a value in a ring and then look into the other's could both find it empty.
 *
 * OFF_BY_ONE and STORES_LATE are for harness/bugs/. */
#include "spsc_ring.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "inside/common.h"

struct spsc_ring {
  _Alignas(CACHE_LINE) atomic_size_t tail; /* the producer's */
  size_t head_seen;
  _Alignas(CACHE_LINE) atomic_size_t head; /* the consumer's */
  size_t tail_seen;
  _Alignas(CACHE_LINE) size_t size;
  long item[];
};

struct spsc_ring *spsc_ring_create(size_t size) {
  struct spsc_ring *q = alloc_aligned(sizeof *q, size, sizeof(long));
  if (!q) return NULL;
  atomic_init(&q->head, 0);
  atomic_init(&q->tail, 0);
  q->head_seen = q->tail_seen = 0;
  q->size = size;
  return q;
}

void spsc_ring_destroy(struct spsc_ring *q) { free(q); }

bool spsc_ring_enq(struct spsc_ring *q, long value) {
  size_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
#ifdef OFF_BY_ONE
  const size_t room = q->size + 1;
#else
  const size_t room = q->size;
#endif
  if (tail - q->head_seen == room) {
    q->head_seen = atomic_load(&q->head);
    if (tail - q->head_seen == room) return false;
  }
#ifdef STORES_LATE
  atomic_store(&q->tail, tail + 1);
  q->item[tail % q->size] = value;
#else
  q->item[tail % q->size] = value;
  atomic_store(&q->tail, tail + 1);
#endif
  return true;
}

bool spsc_ring_deq(struct spsc_ring *q, long *value) {
  size_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
  if (head == q->tail_seen) {
    q->tail_seen = atomic_load(&q->tail);
    if (head == q->tail_seen) return false;
  }
  *value = q->item[head % q->size];
  atomic_store(&q->head, head + 1);
  return true;
}
