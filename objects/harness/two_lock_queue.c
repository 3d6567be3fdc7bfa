/* lib/two_lock_queue.h */
#include "harness.h"
#include "../lib/two_lock_queue.c"

static struct two_lock_queue *x;

static void set_up(void) { x = two_lock_queue_create(); }
static void enq(int v) { two_lock_queue_enq(x, v); }
static int deq(void) {
  long v;
  return two_lock_queue_deq(x, &v) ? (int)v : ASIF_EMPTY;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
