/* lib/herlihy_wing_queue.h: what try_deq promises. */
#include "harness.h"
#include "../lib/herlihy_wing_queue.c"

static struct herlihy_wing_queue *x;

static void set_up(void) { x = herlihy_wing_queue_create(64); }
static void enq(int v) { herlihy_wing_queue_enq(x, v); }
static int try_deq(void) {
  long v;
  return herlihy_wing_queue_try_deq(x, &v) ? (int)v : ASIF_EMPTY;
}

ASIF_OBJECT(weak_queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP_AS(deq, try_deq)
ASIF_INIT(set_up)
