/* Wing and Gong's bounded queue (wing_gong_bounded_queue.h).
 *
 * Two things differ from the paper's text. Its Deq looks at the slots up to back - 1, though back is the number of the last item:
 * the last would never be found. And its Enq, where all slots are taken, goes on to ever higher numbers; here it reads back
 * again, as if it had just begun, so that numbers do not grow while it waits. */
#include "wing_gong_bounded_queue.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "inside/common.h"

#define NO_TAG UINT32_MAX /* their -1: nothing is there */

struct wing_gong_bounded_queue {
  atomic_llong back; /* the number of the last item; -1: there was none */
  uint32_t size;
  _Atomic uint64_t entry[]; /* the tag (generation) above the item */
};

static uint64_t entry(uint32_t tag, int item) { return (uint64_t)tag << 32 | (uint32_t)item; }

struct wing_gong_bounded_queue *wing_gong_bounded_queue_create(uint32_t size) {
  struct wing_gong_bounded_queue *q = alloc_array(sizeof *q, size, sizeof q->entry[0]);
  if (!q) return NULL;
  atomic_init(&q->back, -1);
  q->size = size;
  for (uint32_t i = 0; i < size; i++) atomic_init(&q->entry[i], entry(NO_TAG, 0));
  return q;
}

void wing_gong_bounded_queue_destroy(struct wing_gong_bounded_queue *q) { free(q); }

/* EXCHANGE: puts `to` in the place of an entry that has this tag; returns what was there. */
static uint64_t exchange(_Atomic uint64_t *at, uint32_t tag, uint64_t to) {
  uint64_t old = atomic_load(at);
  while (old >> 32 == tag && !atomic_compare_exchange_weak(at, &old, to))
    ;
  return old;
}

static void fetch_and_max(atomic_llong *at, long long j) {
  long long old = atomic_load(at);
  while (old < j && !atomic_compare_exchange_weak(at, &old, j))
    ;
}

void wing_gong_bounded_queue_enq(struct wing_gong_bounded_queue *q, int value) {
  for (;; wait_a_moment()) {
    long long begin = atomic_load(&q->back) + 1;
    for (long long i = begin; i < begin + q->size; i++) {
      uint64_t old = exchange(&q->entry[i % q->size], NO_TAG, entry((uint32_t)(i / q->size), value));
      if (old >> 32 != NO_TAG) continue;
      fetch_and_max(&q->back, i);
      return;
    }
  }
}

int wing_gong_bounded_queue_deq(struct wing_gong_bounded_queue *q) {
  for (;; wait_a_moment()) {
    long long range = atomic_load(&q->back);
    for (long long i = 0; i <= range; i++) {
      uint32_t tag = (uint32_t)(i / q->size);
      uint64_t old = exchange(&q->entry[i % q->size], tag, entry(NO_TAG, 0));
      if (old >> 32 == tag) return (int)(uint32_t)old;
    }
  }
}
