/* lib/priority_queue.h */
#include "harness.h"
#ifndef LONGEST_PREFIX
#define LONGEST_PREFIX 1
#endif
#include "../lib/hazard.c"
#include "../lib/priority_queue.c"

static struct priority_queue *x;

static void set_up(void) { x = priority_queue_create(hazard_create(RECORDS, BATCH)); }
static void insert(int v) { priority_queue_insert(x, v); }
static int deq(void) {
  long v;
  return priority_queue_deq(x, &v) ? (int)v : ASIF_EMPTY;
}

ASIF_OBJECT(priority_queue)
ASIF_OP(insert, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
