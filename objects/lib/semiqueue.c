/* Wing and Gong's semiqueue (semiqueue.h).
 *
 * NO_LIMIT, where deq goes on as far as there are slots, is for harness/bugs/. */
#include "semiqueue.h"

#include "inside/common.h"
#include "inside/slots.h"

struct semiqueue {
  struct slots slots;
  long k;
  atomic_long taken; /* their num_deqd: no more than were taken out */
};

struct semiqueue *semiqueue_create(long k) {
  struct semiqueue *q = k >= 1 ? malloc(sizeof *q) : NULL;
  if (!q || !slots_open(&q->slots)) {
    free(q);
    return NULL;
  }
  q->k = k;
  atomic_init(&q->taken, 0);
  return q;
}

void semiqueue_destroy(struct semiqueue *q) {
  if (!q) return;
  slots_close(&q->slots);
  free(q);
}

bool semiqueue_enq(struct semiqueue *q, long value) { return slots_enq(&q->slots, value); }

/* One pass. Of the slots before `range` at most range - taken can still have something in them, or get it. If that is less than
 * k, what is in the next ones is among the k oldest too. */
static long pass(struct semiqueue *q) {
  long range = atomic_load(&q->slots.back);
  for (long i = 0; i < range && i < atomic_load(&q->slots.back); i++) {
    struct slot *slot = slots_at(&q->slots, i, false);
    long value = slot ? atomic_exchange(&slot->item, NOTHING) : NOTHING;
    if (value != NOTHING) {
      atomic_fetch_add(&q->taken, 1);
      return value;
    }
#ifdef NO_LIMIT
    range = LONG_MAX;
#else
    long taken = atomic_load(&q->taken);
    if (range - taken < q->k) range = taken > LONG_MAX - q->k ? LONG_MAX : taken + q->k;
#endif
  }
  return NOTHING;
}

long semiqueue_deq(struct semiqueue *q) {
  for (;; wait_a_moment()) {
    long value = pass(q);
    if (value != NOTHING) return value;
  }
}
