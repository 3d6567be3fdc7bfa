/* Treiber's stack with its linearization points, but for pops that return empty, and its actions: what a step may do that other threads
 * see, for asif prove. See treiber_stack.c.
 *
 * The popped node keeps its value; of its next no more is said. PRECISE says that it keeps its next too: true, and more than is needed. */
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 3
#endif
#ifndef VALUES
#define VALUES 2
#endif

struct node {
  int val;
  struct node *next;
};
static _Atomic(struct node *) top;

static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  n->next = atomic_load(&top);
  while (!atomic_compare_exchange_strong(&top, &n->next, n)) ;
  ASIF_LIN();
}

static int pop(void) {
  struct node *t = atomic_load(&top), *next;
  do {
    if (!t) return ASIF_EMPTY;
    next = t->next;
  } while (!atomic_compare_exchange_strong(&top, &t, next));
  ASIF_LIN();
  return t->val;
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, VALUES))
ASIF_OP(pop)
ASIF_BOUND(SIZE)

ASIF_ACTION(push, "top: t, A => top: n, n{val: e, next: t}, <e> . A")
#ifdef PRECISE
ASIF_ACTION(pop, "top: t, t{val: e, next: n}, <e> . A => top: n, t{val: e, next: n}, A")
#else
ASIF_ACTION(pop, "top: t, t{val: e, next: n}, <e> . A => top: n, t{val: e}, A")
#endif
