/* lib/elimination_stack.h */
#include "harness.h"
#include "../lib/hazard.c"
#include "../lib/elimination_stack.c"

#ifndef SLOTS
#define SLOTS 1
#endif

static struct elimination_stack *x;

static void set_up(void) { x = elimination_stack_create(hazard_create(RECORDS, BATCH), SLOTS); }
static void push(int v) { elimination_stack_push(x, v); }
static int pop(void) {
  long v;
  return elimination_stack_pop(x, &v) ? (int)v : ASIF_EMPTY;
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, VALUES))
ASIF_OP(pop)
ASIF_INIT(set_up)
