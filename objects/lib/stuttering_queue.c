/* Wing and Gong's stuttering queue (stuttering_queue.h).
 *
 * As it is printed it is wrong. A deq that finds j others at a slot goes on to the next, since they take what is in it. But they
 * may have looked when there was nothing yet, and be about to go on themselves: then an enq fills the slot, a later enq the next
 * one, and the deq takes the younger value though nobody takes the older. Lemma 4.2 counts those who look at a slot as if they
 * had taken its item. Here a deq looks at a slot (hold) only when it has seen something in it: one of those j then takes it, if
 * it has not been taken.
 *
 * AS_PRINTED is for harness/bugs/. */
#include "stuttering_queue.h"

#include "inside/common.h"
#include "inside/slots.h"

struct stuttering_queue {
  struct slots slots;
  int j;
};

struct stuttering_queue *stuttering_queue_create(int j) {
  struct stuttering_queue *q = j >= 1 ? malloc(sizeof *q) : NULL;
  if (!q || !slots_open(&q->slots)) {
    free(q);
    return NULL;
  }
  q->j = j;
  return q;
}

void stuttering_queue_destroy(struct stuttering_queue *q) {
  if (!q) return;
  slots_close(&q->slots);
  free(q);
}

bool stuttering_queue_enq(struct stuttering_queue *q, long value) { return slots_enq(&q->slots, value); }

/* One more looks at the slot, unless j do: their FETCH_AND_ADD, but so that those who are too many do not count. */
static bool hold(struct slot *slot, int j) {
  int now = atomic_load(&slot->hold);
  while (now < j && !atomic_compare_exchange_weak(&slot->hold, &now, now + 1))
    ;
  return now < j;
}

/* What is in the slot, which is then cleared. */
static long look(struct stuttering_queue *q, struct slot *slot) {
#ifndef AS_PRINTED
  if (atomic_load(&slot->item) == NOTHING) return NOTHING;
#endif
  if (!hold(slot, q->j)) return NOTHING;
  long value = atomic_load(&slot->item); /* not a SWAP: others may get the same */
  if (value != NOTHING) atomic_store(&slot->item, NOTHING);
  atomic_fetch_sub(&slot->hold, 1);
  return value;
}

long stuttering_queue_deq(struct stuttering_queue *q) {
  for (;; wait_a_moment()) {
    long range = atomic_load(&q->slots.back);
    for (long i = 0; i < range; i++) {
      struct slot *slot = slots_at(&q->slots, i, false);
      long value = slot ? look(q, slot) : NOTHING;
      if (value != NOTHING) return value;
    }
  }
}
