/* lib/spsc_ring.h */
#include "harness.h"
#include "../lib/spsc_ring.c"

#ifndef SIZE
#define SIZE 1
#endif

static struct spsc_ring *x;

static void set_up(void) { x = spsc_ring_create(SIZE); }
static int enq(int v) { return spsc_ring_enq(x, v) ? ASIF_OK : ASIF_FULL; }
static int deq(void) {
  long v;
  return spsc_ring_deq(x, &v) ? (int)v : ASIF_EMPTY;
}

ASIF_OBJECT(bounded_queue(SIZE))
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
ASIF_ROLE(producer, 1, enq)
ASIF_ROLE(consumer, 1, deq)
