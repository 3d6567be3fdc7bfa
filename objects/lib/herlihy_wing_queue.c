/* Herlihy and Wing's queue (herlihy_wing_queue.h). */
#include "herlihy_wing_queue.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "inside/common.h"

#define NOTHING LONG_MIN

struct herlihy_wing_queue {
  atomic_size_t back;
  size_t length;
  atomic_long item[];
};

struct herlihy_wing_queue *herlihy_wing_queue_create(size_t length) {
  struct herlihy_wing_queue *q = alloc_array(sizeof *q, length, sizeof q->item[0]);
  if (!q) return NULL;
  atomic_init(&q->back, 0);
  q->length = length;
  for (size_t i = 0; i < length; i++) atomic_init(&q->item[i], NOTHING);
  return q;
}

void herlihy_wing_queue_destroy(struct herlihy_wing_queue *q) { free(q); }

bool herlihy_wing_queue_enq(struct herlihy_wing_queue *q, long value) {
  if (value == NOTHING) return false;
  size_t i = atomic_fetch_add(&q->back, 1);
  if (i >= q->length) return false;
  atomic_store(&q->item[i], value);
  return true;
}

bool herlihy_wing_queue_try_deq(struct herlihy_wing_queue *q, long *value) {
  size_t range = atomic_load(&q->back);
  if (range > q->length) range = q->length;
  for (size_t i = 0; i < range; i++) {
    long item = atomic_exchange(&q->item[i], NOTHING);
    if (item == NOTHING) continue;
    *value = item;
    return true;
  }
  return false;
}

long herlihy_wing_queue_deq(struct herlihy_wing_queue *q) {
  long value;
  while (!herlihy_wing_queue_try_deq(q, &value)) wait_a_moment();
  return value;
}
