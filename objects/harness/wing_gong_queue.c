/* lib/wing_gong_queue.h */
#include "harness.h"
#include "../lib/wing_gong_queue.c"

static struct wing_gong_queue *x;

static void set_up(void) { x = wing_gong_queue_create(); }
static void enq(int v) { wing_gong_queue_enq(x, v); }
static int deq(void) { return (int)wing_gong_queue_deq(x); }

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
