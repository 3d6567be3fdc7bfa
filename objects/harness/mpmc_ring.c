/* lib/mpmc_ring.h */
#include "harness.h"
#include "../lib/mpmc_ring.c"

#ifndef SIZE
#define SIZE 1
#endif

static struct mpmc_ring *x;

static void set_up(void) { x = mpmc_ring_create(SIZE); }
static int enq(int v) { return mpmc_ring_enq(x, v) ? ASIF_OK : ASIF_FULL; }
static int deq(void) {
  long v;
  return mpmc_ring_deq(x, &v) ? (int)v : ASIF_EMPTY;
}

ASIF_OBJECT(bounded_queue(SIZE))
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
