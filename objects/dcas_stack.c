/* A stack with a double compare-and-exchange: top and the first node's next are read and compared in one step, so that nodes
 * can be freed.
 *
 * The first example of Vafeiadis, Shape-Value Abstraction for Verifying Linearizability (2009).
 *
 * Linearization points: the blocks that set top; of a pop that returns empty, the block that saw no node. With -DPOINTS
 * they are marked. */
#include <asif.h>
#include <stdbool.h>
#include <stdlib.h>

#ifdef POINTS
#define POINT() ASIF_LIN()
#else
#define POINT() ((void)0)
#endif

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
        POINT();
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
      if (!t) POINT();
      if (t) next = t->next;
    }
    if (!t) return ASIF_EMPTY;
    ASIF_ATOMIC {
      if (top == t && t->next == next) {
        top = next;
        POINT();
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
