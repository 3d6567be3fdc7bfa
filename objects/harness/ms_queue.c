/* lib/ms_queue.h */
#include "harness.h"
#include "../lib/hazard.c"
#include "../lib/ms_queue.c"

static struct ms_queue *x;

static void set_up(void) { x = ms_queue_create(hazard_create(RECORDS, BATCH)); }
static void enq(int v) { ms_queue_enq(x, v); }
static int deq(void) {
  long v;
  return ms_queue_deq(x, &v) ? (int)v : ASIF_EMPTY;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
