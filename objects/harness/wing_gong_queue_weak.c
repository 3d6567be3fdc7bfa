/* lib/wing_gong_queue.h: what try_deq promises. */
#include "harness.h"
#include "../lib/wing_gong_queue.c"

static struct wing_gong_queue *x;

static void set_up(void) { x = wing_gong_queue_create(); }
static void enq(int v) { wing_gong_queue_enq(x, v); }
static int try_deq(void) {
  long v;
  return wing_gong_queue_try_deq(x, &v) ? (int)v : ASIF_EMPTY;
}

ASIF_OBJECT(weak_queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP_AS(deq, try_deq)
ASIF_INIT(set_up)
