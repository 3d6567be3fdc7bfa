/* Treiber's stack, for memory that is collected: popped nodes are not freed.
 *
 * R. K. Treiber, Systems Programming: Coping with Parallelism (1986).
 *
 * Linearization points: the compare-and-exchange that succeeds; of a pop that returns empty, the access that saw no node.
 *
 * PUSH_CAS and POP_CAS are for bugs/b3_push.c and bugs/b3_pop.c. */
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 3
#endif
#ifndef VALUES
#define VALUES 2
#endif
#ifndef PUSH_CAS
#define PUSH_CAS atomic_compare_exchange_strong
#endif
#ifndef POP_CAS
#define POP_CAS atomic_compare_exchange_strong
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
  while (!PUSH_CAS(&top, &n->next, n)) ;
}

static int pop(void) {
  struct node *t = atomic_load(&top), *next;
  do {
    if (!t) return ASIF_EMPTY;
    next = t->next;
  } while (!POP_CAS(&top, &t, next));
  return t->val;
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, VALUES))
ASIF_OP(pop)
ASIF_BOUND(SIZE)
