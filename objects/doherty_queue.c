/* Doherty, Groves, Luchangco and Moir's variant of Michael and Scott's queue, for memory that is collected: deq does not look at
 * tail before it moves head, so that head may for a moment be one node past tail.
 *
 * S. Doherty, L. Groves, V. Luchangco and M. Moir, Formal Verification of a Practical Lock-Free Queue Algorithm (2004).
 *
 * Linearization points: as in ms_queue.c. With -DPOINTS they are marked, but for the read of next that finds no node: whether it is the point
 * is known only when head is read again. */
#include <asif.h>
#include <stdatomic.h>
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
  _Atomic(struct node *) next;
};
static _Atomic(struct node *) head, tail;

static void set_up(void) {
  struct node *dummy = malloc(sizeof *dummy);
  dummy->val = 0;
  atomic_init(&dummy->next, NULL);
  atomic_store(&head, dummy);
  atomic_store(&tail, dummy);
}

static void enq(int v) {
  struct node *n = malloc(sizeof *n), *t;
  n->val = v;
  atomic_init(&n->next, NULL);
  for (;;) {
    t = atomic_load(&tail);
    struct node *next = atomic_load(&t->next);
    if (t != atomic_load(&tail)) continue;
    if (next) {
      atomic_compare_exchange_strong(&tail, &t, next);
    } else if (atomic_compare_exchange_strong(&t->next, &next, n)) {
      POINT();
      break;
    }
  }
  atomic_compare_exchange_strong(&tail, &t, n);
}

static int deq(void) {
  for (;;) {
    struct node *h = atomic_load(&head);
    struct node *next = atomic_load(&h->next);
    if (h != atomic_load(&head)) continue;
    if (!next) return ASIF_EMPTY;
    int v = next->val;
    if (atomic_compare_exchange_strong(&head, &h, next)) {
      POINT();
      struct node *t = atomic_load(&tail);
      if (t == h) atomic_compare_exchange_strong(&tail, &t, next);
      return v;
    }
  }
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
ASIF_BOUND(SIZE)
