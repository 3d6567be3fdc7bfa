/* Wing and Gong's unbounded queue (wing_gong_queue.h).
 *
 * READS_BACK_AGAIN, the wrong Deq of section 3.2.2, is for harness/bugs/. */
#include "wing_gong_queue.h"

#include "inside/common.h"
#include "inside/slots.h"

struct wing_gong_queue {
  struct slots slots;
};

struct wing_gong_queue *wing_gong_queue_create(void) {
  struct wing_gong_queue *q = malloc(sizeof *q);
  if (q && slots_open(&q->slots)) return q;
  free(q);
  return NULL;
}

void wing_gong_queue_destroy(struct wing_gong_queue *q) {
  if (!q) return;
  slots_close(&q->slots);
  free(q);
}

bool wing_gong_queue_enq(struct wing_gong_queue *q, long value) { return slots_enq(&q->slots, value); }

bool wing_gong_queue_try_deq(struct wing_gong_queue *q, long *value) {
  long range = atomic_load(&q->slots.back);
  for (long i = 0; i < range; i++) {
    struct slot *slot = slots_at(&q->slots, i, false);
    long item = slot ? atomic_exchange(&slot->item, NOTHING) : NOTHING;
    if (item != NOTHING) {
      *value = item;
      return true;
    }
#ifdef READS_BACK_AGAIN
    range = atomic_load(&q->slots.back);
#endif
  }
  return false;
}

long wing_gong_queue_deq(struct wing_gong_queue *q) {
  long value;
  while (!wing_gong_queue_try_deq(q, &value)) wait_a_moment();
  return value;
}
