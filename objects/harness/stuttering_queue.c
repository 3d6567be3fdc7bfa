/* lib/stuttering_queue.h */
#include "harness.h"
#include "../lib/stuttering_queue.c"

#ifndef J
#define J 2
#endif

static struct stuttering_queue *x;

static void set_up(void) { x = stuttering_queue_create(J); }
static void enq(int v) { stuttering_queue_enq(x, v); }
static int deq(void) { return (int)stuttering_queue_deq(x); }

ASIF_OBJECT(stuttering_queue(J))
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
