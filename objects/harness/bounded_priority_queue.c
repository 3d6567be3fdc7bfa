/* lib/bounded_priority_queue.h */
#include "harness.h"
#include "../lib/bounded_priority_queue.c"

#ifndef SIZE
#define SIZE 1
#endif

static struct bounded_priority_queue *x;

static void set_up(void) { x = bounded_priority_queue_create(SIZE, RECORDS); }
static int insert(int v) { return bounded_priority_queue_insert(x, v) ? ASIF_OK : ASIF_FULL; }
static int deq(void) {
  long v;
  return bounded_priority_queue_deq(x, &v) ? (int)v : ASIF_EMPTY;
}

ASIF_OBJECT(bounded_priority_queue(SIZE))
ASIF_OP(insert, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
