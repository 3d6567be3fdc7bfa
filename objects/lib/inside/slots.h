/* The slots of Wing and Gong's unbounded queues (sections 3.2.1, 7, 8), numbered 0, 1, ...; not installed.
 *
 * Theirs are a list with a pointer to its end and a count of its slots, and FETCH_AND_ADD is one atomic instruction that takes
 * the last, appends a fresh one and counts it. No machine has that one. Here slots are in arrays, each twice as long as all
 * before it, so that the number alone says where a slot is, and FETCH_AND_ADD is the machine's. `back` counts the slots that were
 * taken; theirs is one more. Slots are not used again, and stay until the queue is destroyed. */
#ifndef ASIF_OBJECTS_SLOTS_H
#define ASIF_OBJECTS_SLOTS_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common.h"

#define NOTHING LONG_MIN /* their NULL */
enum { SLOTS_FIRST = 8, SLOTS_ARRAYS = 56 };

struct slot {
  atomic_long item;
  atomic_int hold; /* of the stuttering queue: how many look at it */
};
struct slots {
  atomic_long back;
  _Atomic(struct slot *) array[SLOTS_ARRAYS]; /* made when first needed */
};

static inline struct slot *slots_array(unsigned which) {
  long length = (long)SLOTS_FIRST << (which ? which - 1 : 0);
  struct slot *made = alloc_array(0, (size_t)length, sizeof *made);
  for (long i = 0; made && i < length; i++) {
    atomic_init(&made[i].item, NOTHING);
    atomic_init(&made[i].hold, 0);
  }
  return made;
}

static inline bool slots_open(struct slots *s) {
  atomic_init(&s->back, 0);
  atomic_init(&s->array[0], slots_array(0));
  for (int i = 1; i < SLOTS_ARRAYS; i++) atomic_init(&s->array[i], NULL);
  return atomic_load(&s->array[0]) != NULL;
}

static inline void slots_close(struct slots *s) {
  for (int i = 0; i < SLOTS_ARRAYS; i++) free(atomic_load(&s->array[i]));
}

/* Slot i; NULL if its array is not there, and is not to be made, or cannot be. A slot that is not there has nothing in it. */
static inline struct slot *slots_at(struct slots *s, long i, bool make) {
  unsigned which = i < SLOTS_FIRST ? 0 : (unsigned)(64 - __builtin_clzll((unsigned long long)i / SLOTS_FIRST));
  long begin = which ? (long)SLOTS_FIRST << (which - 1) : 0;
  struct slot *array = atomic_load_explicit(&s->array[which], memory_order_acquire);
  if (!array && make) {
    struct slot *made = slots_array(which);
    if (made && atomic_compare_exchange_strong(&s->array[which], &array, made))
      array = made;
    else
      free(made);
  }
  return array ? &array[i - begin] : NULL;
}

/* Enq, the same for all: FETCH_AND_ADD, then STORE. Without memory the slot stays empty. NOTHING cannot be put in. */
static inline bool slots_enq(struct slots *s, long value) {
  if (value == NOTHING) return false;
  struct slot *mine = slots_at(s, atomic_fetch_add(&s->back, 1), true);
  if (mine) atomic_store(&mine->item, value);
  return mine != NULL;
}

#endif
