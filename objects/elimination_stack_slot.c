/* A stack with elimination and one slot, with its linearization points marked: see elimination_stack.c.
 *
 * A push that lost the race for the top offers its node in the slot; a pop takes a node that is offered. The exchange by
 * which it does is the point of both, first of the push and then of the pop: the node stands for the push (ASIF_LIN_FOR), and has the number of
 * its thread for that. Memory is collected. */
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
  int val, who;
  struct node *next;
};
static _Atomic(struct node *) top, slot;

static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  n->who = asif_thread();
  for (;;) {
    struct node *t = atomic_load(&top), *none = NULL, *offered = n;
    n->next = t;
    if (atomic_compare_exchange_strong(&top, &t, n)) {
      ASIF_LIN();
      return;
    }
    if (!atomic_compare_exchange_strong(&slot, &none, n)) continue;
    asif_yield();
    if (!atomic_compare_exchange_strong(&slot, &offered, NULL)) return; /* a pop has taken it */
  }
}

static int pop(void) {
  for (;;) {
    struct node *n = atomic_load(&slot);
    if (n) {
      int pusher = n->who;
      (void)pusher; /* where the mark is nothing */
      if (atomic_compare_exchange_strong(&slot, &n, NULL)) {
        ASIF_LIN_FOR(pusher);
        ASIF_LIN();
        return n->val;
      }
    }
    struct node *t = atomic_load(&top);
    if (!t) {
      ASIF_LIN();
      return ASIF_EMPTY;
    }
    struct node *next = t->next;
    if (atomic_compare_exchange_strong(&top, &t, next)) {
      ASIF_LIN();
      return t->val;
    }
  }
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, VALUES))
ASIF_OP(pop)
ASIF_BOUND(SIZE)
