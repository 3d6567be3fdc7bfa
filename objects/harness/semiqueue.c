/* lib/semiqueue.h */
#include "harness.h"
#include "../lib/semiqueue.c"

#ifndef K
#define K 2
#endif

static struct semiqueue *x;

static void set_up(void) { x = semiqueue_create(K); }
static void enq(int v) { semiqueue_enq(x, v); }
static int deq(void) { return (int)semiqueue_deq(x); }

ASIF_OBJECT(semiqueue(K))
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
