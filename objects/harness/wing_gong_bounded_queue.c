/* lib/wing_gong_bounded_queue.h. Clients do not fill it: who waits for room might wait for ever. */
#include "harness.h"
#include "../lib/wing_gong_bounded_queue.c"

#ifndef SIZE
#define SIZE 2
#endif

static struct wing_gong_bounded_queue *x;

static void set_up(void) { x = wing_gong_bounded_queue_create(SIZE); }
static void enq(int v) { wing_gong_bounded_queue_enq(x, v); }
static int deq(void) { return (int)wing_gong_bounded_queue_deq(x); }

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
ASIF_BOUND(SIZE)
