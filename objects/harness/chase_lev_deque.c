/* lib/chase_lev_deque.h. With room for one value at first, so that it grows. */
#include "harness.h"
#include "../lib/chase_lev_deque.c"

static struct chase_lev_deque *x;

static void set_up(void) { x = chase_lev_deque_create(1); }
static void push(int v) { chase_lev_deque_push(x, v); }
static int pop(void) {
  long v;
  return chase_lev_deque_pop(x, &v) ? (int)v : ASIF_EMPTY;
}
static int steal(void) {
  long v;
  return chase_lev_deque_steal(x, &v) ? (int)v : ASIF_EMPTY;
}

ASIF_OBJECT(deque)
ASIF_OP_AS(push_back, push, ASIF_IN(1, VALUES))
ASIF_OP_AS(pop_back, pop)
ASIF_OP_AS(pop_front, steal)
ASIF_INIT(set_up)
ASIF_ROLE(owner, 1, push, pop)
ASIF_ROLE(thief, ASIF_REST, steal)
