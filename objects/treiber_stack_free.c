/* Treiber's stack as it must not be: pop frees the node, which another pop may be about to read.
 *
 * Figure 1 of Bouajjani et al., Tractable Refinement Checking for Concurrent Objects (2015). The read of t->next is one of
 * freed memory; where that is harmless (bugs/b2_treiber.c) the node may come back through malloc, on top of another stack, and
 * the compare-and-exchange does not notice: the ABA problem.
 *
 * Linearization points: as in treiber_stack.c, where it is right. */
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
}

static int pop(void) {
  struct node *t = atomic_load(&top), *next;
  do {
    if (!t) return ASIF_EMPTY;
    next = t->next;
  } while (!atomic_compare_exchange_strong(&top, &t, next));
  int v = t->val;
  free(t);
  return v;
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, VALUES))
ASIF_OP(pop)
ASIF_BOUND(SIZE)
