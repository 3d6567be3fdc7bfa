/* The stack with a double compare-and-exchange, with its linearization points, but for pops that return empty, and its actions for asif
 * prove. The popped node leaves the shared memory, since it is freed. See dcas_stack.c. */
#include <asif.h>
#include <stdbool.h>
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
static struct node *top;

static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  for (bool done = false; !done;) {
    ASIF_ATOMIC { n->next = top; }
    ASIF_ATOMIC {
      if (top == n->next) {
        top = n;
        ASIF_LIN();
        done = true;
      }
    }
  }
}

static int pop(void) {
  struct node *t = NULL, *next = NULL;
  for (bool done = false; !done;) {
    ASIF_ATOMIC {
      t = top;
      if (t) next = t->next;
    }
    if (!t) return ASIF_EMPTY;
    ASIF_ATOMIC {
      if (top == t && t->next == next) {
        top = next;
        ASIF_LIN();
        done = true;
      }
    }
  }
  int v = t->val;
  free(t);
  return v;
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, VALUES))
ASIF_OP(pop)
ASIF_BOUND(SIZE)

ASIF_ACTION(push, "top: t, A => top: n, n{val: e, next: t}, <e> . A")
ASIF_ACTION(pop, "top: t, t{val: e, next: n}, <e> . A => top: n, A")
