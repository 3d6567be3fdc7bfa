/* lib/treiber_stack.h */
#include "harness.h"
#include "../lib/hazard.c"
#include "../lib/treiber_stack.c"

static struct treiber_stack *x;

static void set_up(void) { x = treiber_stack_create(hazard_create(RECORDS, BATCH)); }
static void push(int v) { treiber_stack_push(x, v); }
static int pop(void) {
  long v;
  return treiber_stack_pop(x, &v) ? (int)v : ASIF_EMPTY;
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, VALUES))
ASIF_OP(pop)
ASIF_INIT(set_up)
