/* A k-FIFO queue (k_fifo_queue.h).
 *
 * head and tail are numbers of segments, which never wrap around (segment n is in place n % segments), with a version beside
 * them; a slot has its version beside its value. An enq that has put its value in the segment that is head's by now must be sure
 * that no deq, having seen the segment empty before, moves head on past it: it changes head's version, and where it cannot, takes
 * the value back (committed).
 *
 * NO_COMMIT, without that, is for harness/bugs/. */
#include "k_fifo_queue.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "inside/common.h"

#define NOTHING INT_MIN
#ifndef VERSION_BITS
#define VERSION_BITS 20 /* of head and tail */
#endif
/* Versions of one segment's head count the enqs that filled its slots while it was head: at most k, and one for each thread that
 * began before the first deq there moved tail on. So no version comes back while somebody remembers it. */
enum { K_MOST = 1 << (VERSION_BITS - 1) };

struct k_fifo_queue {
  _Atomic uint64_t head, tail; /* the number of a segment, and below it a version */
  uint32_t k, segments;
  _Atomic uint64_t slot[]; /* a version, and below it the value */
};

static uint64_t number(uint64_t end) { return end >> VERSION_BITS; }
static inline uint64_t end_with_next_version(uint64_t end) {
  const uint64_t version = ((uint64_t)1 << VERSION_BITS) - 1;
  return (end & ~version) | ((end + 1) & version);
}
static uint64_t slot_with(uint64_t old, int value) { return ((old >> 32) + 1) << 32 | (uint32_t)value; }
static int slot_value(uint64_t slot) { return (int)(uint32_t)slot; }

struct k_fifo_queue *k_fifo_queue_create(uint32_t k, uint32_t segments) {
  if (k > K_MOST || segments < 2) return NULL;
  size_t slots = (size_t)k * segments;
  struct k_fifo_queue *q = alloc_array(sizeof *q, slots, sizeof q->slot[0]);
  if (!q) return NULL;
  atomic_init(&q->head, 0);
  atomic_init(&q->tail, 0);
  q->k = k;
  q->segments = segments;
  for (size_t i = 0; i < slots; i++) atomic_init(&q->slot[i], (uint32_t)NOTHING);
  return q;
}

void k_fifo_queue_destroy(struct k_fifo_queue *q) { free(q); }

/* The first slot of the segment that has nothing in it, or that has something; *seen is what it has. NULL if there is none. */
static _Atomic uint64_t *find(struct k_fifo_queue *q, uint64_t end, bool nothing, uint64_t *seen) {
  _Atomic uint64_t *slot = &q->slot[number(end) % q->segments * q->k];
  for (uint32_t i = 0; i < q->k; i++) {
    *seen = atomic_load(&slot[i]);
    if ((slot_value(*seen) == NOTHING) == nothing) return &slot[i];
  }
  return NULL;
}

static void advance(_Atomic uint64_t *end, uint64_t seen) {
  atomic_compare_exchange_strong(end, &seen, (number(seen) + 1) << VERSION_BITS);
}

/* The value is in a slot of the segment that was tail's: is it in the queue? */
static bool committed(struct k_fifo_queue *q, uint64_t tail, _Atomic uint64_t *slot, uint64_t mine) {
#ifdef NO_COMMIT
  (void)q, (void)tail, (void)slot, (void)mine;
  return true;
#else
  if (atomic_load(slot) != mine) return true; /* somebody has taken it */
  uint64_t head = atomic_load(&q->head);
  if (number(tail) > number(head)) return true;
  if (number(tail) == number(head)) {
    uint64_t next = end_with_next_version(head);
    if (atomic_compare_exchange_strong(&q->head, &head, next)) return true;
  }
  return !atomic_compare_exchange_strong(slot, &mine, slot_with(mine, NOTHING));
#endif
}

bool k_fifo_queue_enq(struct k_fifo_queue *q, int value) {
  if (value == NOTHING) return false;
  for (;;) {
    uint64_t tail = atomic_load(&q->tail), head = atomic_load(&q->head), seen;
    _Atomic uint64_t *slot = find(q, tail, true, &seen);
    if (tail != atomic_load(&q->tail)) continue;
    if (slot) {
      uint64_t mine = slot_with(seen, value);
      if (atomic_compare_exchange_strong(slot, &seen, mine) && committed(q, tail, slot, mine)) return true;
    } else if (number(tail) - number(head) + 1 < q->segments) {
      advance(&q->tail, tail);
    } else {
      slot = find(q, head, false, &seen);
      if (head != atomic_load(&q->head)) continue;
      if (slot) return false;
      advance(&q->head, head);
    }
  }
}

bool k_fifo_queue_deq(struct k_fifo_queue *q, int *value) {
  for (;;) {
    uint64_t head = atomic_load(&q->head), seen;
    _Atomic uint64_t *slot = find(q, head, false, &seen);
    uint64_t tail = atomic_load(&q->tail);
    if (head != atomic_load(&q->head)) continue;
    if (slot) {
      if (number(head) == number(tail)) advance(&q->tail, tail); /* else those who come later might overtake for ever */
      if (!atomic_compare_exchange_strong(slot, &seen, slot_with(seen, NOTHING))) continue;
      *value = slot_value(seen);
      return true;
    }
    if (number(head) == number(tail)) {
      if (tail == atomic_load(&q->tail)) return false;
    } else {
      advance(&q->head, head);
    }
  }
}
