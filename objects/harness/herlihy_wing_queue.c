/* lib/herlihy_wing_queue.h */
#include "harness.h"
#include "../lib/herlihy_wing_queue.c"

#ifndef LENGTH
#define LENGTH 32
#endif

static struct herlihy_wing_queue *x;

static void set_up(void) { x = herlihy_wing_queue_create(LENGTH); }
static void enq(int v) { herlihy_wing_queue_enq(x, v); }
static int deq(void) { return (int)herlihy_wing_queue_deq(x); }

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
