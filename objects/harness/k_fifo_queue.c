/* lib/k_fifo_queue.h. There are as many segments as keep it from being full. */
#include "harness.h"
#include "../lib/k_fifo_queue.c"

#ifndef K
#define K 2
#endif
#ifndef SEGMENTS
#define SEGMENTS 4
#endif

static struct k_fifo_queue *x;

static void set_up(void) { x = k_fifo_queue_create(K, SEGMENTS); }
static void enq(int v) { k_fifo_queue_enq(x, v); }
static int deq(void) {
  int v;
  return k_fifo_queue_deq(x, &v) ? v : ASIF_EMPTY;
}

ASIF_OBJECT(k_fifo(K))
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
ASIF_BOUND((SEGMENTS - 1) * K)
