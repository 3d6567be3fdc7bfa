/* Treiber's stack with its linearization points marked. See treiber_stack.c. */
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
  ASIF_LIN(); /* the exchange that succeeded */
}

static int pop(void) {
  struct node *t = atomic_load(&top);
  for (;;) {
    if (!t) {
      ASIF_LIN(); /* the access that saw no node */
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
