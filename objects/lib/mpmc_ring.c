/* A ring for any number of threads (mpmc_ring.h). tail and head count the enqs and the deqs that have taken a place: the n-th enq
 * has place n % size. Its turn is 2 * (n / size) when it may be filled, and one more when it may be emptied.
 *
 * AS_PUBLISHED, where a place that is being filled is empty, and NO_TURNS, where nobody looks, are for harness/bugs/. */
#include "mpmc_ring.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "inside/common.h"

struct place {
  atomic_size_t turn;
  long value;
};
struct mpmc_ring {
  _Alignas(CACHE_LINE) atomic_size_t tail;
  _Alignas(CACHE_LINE) atomic_size_t head;
  _Alignas(CACHE_LINE) size_t size;
  struct place place[];
};

struct mpmc_ring *mpmc_ring_create(size_t size) {
  struct mpmc_ring *q = alloc_aligned(sizeof *q, size, sizeof(struct place));
  if (!q) return NULL;
  atomic_init(&q->tail, 0);
  atomic_init(&q->head, 0);
  q->size = size;
  for (size_t i = 0; i < size; i++) atomic_init(&q->place[i].turn, 0);
  return q;
}

void mpmc_ring_destroy(struct mpmc_ring *q) { free(q); }

static bool is_turn(struct place *p, size_t turn) {
#ifdef NO_TURNS
  (void)p, (void)turn;
  return true;
#else
  return atomic_load_explicit(&p->turn, memory_order_acquire) == turn;
#endif
}

/* Where it is not the turn of the place, the queue is full if there are as many as fit between head and the tail that was read:
 * both only grow, so that at the read of head tail was still the same. Else somebody is at the place, or tail was old. */
bool mpmc_ring_enq(struct mpmc_ring *q, long value) {
  for (;;) {
    size_t tail = atomic_load(&q->tail), turn = 2 * (tail / q->size);
    struct place *p = &q->place[tail % q->size];
    if (is_turn(p, turn)) {
#ifdef NO_TURNS
      if (tail - atomic_load(&q->head) >= q->size) return false;
#endif
      if (!atomic_compare_exchange_strong(&q->tail, &tail, tail + 1)) continue;
      p->value = value;
      atomic_store_explicit(&p->turn, turn + 1, memory_order_release);
      return true;
    }
    if (tail - atomic_load(&q->head) == q->size) return false;
    if (tail == atomic_load(&q->tail)) wait_a_moment();
  }
}

bool mpmc_ring_deq(struct mpmc_ring *q, long *value) {
  for (;;) {
    size_t head = atomic_load(&q->head), turn = 2 * (head / q->size) + 1;
    struct place *p = &q->place[head % q->size];
    if (is_turn(p, turn)) {
#ifdef NO_TURNS
      if (head == atomic_load(&q->tail)) return false;
#endif
      if (!atomic_compare_exchange_strong(&q->head, &head, head + 1)) continue;
      *value = p->value;
      atomic_store_explicit(&p->turn, turn + 1, memory_order_release);
      return true;
    }
#ifdef AS_PUBLISHED
    if (head == atomic_load(&q->head)) return false;
#else
    if (head == atomic_load(&q->tail)) return false;
#endif
    if (head == atomic_load(&q->head)) wait_a_moment();
  }
}
