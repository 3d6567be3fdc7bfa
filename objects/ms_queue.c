/* Michael and Scott's non-blocking queue, for memory that is collected: nodes are not freed.
 *
 * M. M. Michael and M. L. Scott, Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue Algorithms (1996). The
 * first node is a dummy; tail is the last node or the one before it.
 *
 * Where clients never stop there are infinitely many states: a thread that sleeps with an old head in its hands keeps all nodes
 * since from being collected. With UNLINKS (ms_queue_unlinked.c) it does not.
 *
 * Linearization points: enq, the exchange that links the node; deq, the exchange of head; of a deq that returns empty, the read
 * of the dummy's next, if head is then found to be still the same: it is known only afterwards.
 *
 * With -DPOINTS they are marked, but for that of a deq that returns empty. */
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 3
#endif
#ifndef VALUES
#define VALUES 2
#endif
#ifdef POINTS
#define POINT() ASIF_LIN()
#else
#define POINT() ((void)0)
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
    struct node *t = atomic_load(&tail);
    struct node *next = atomic_load(&h->next);
    if (h != atomic_load(&head)) continue;
    if (h == t) {
      if (!next) return ASIF_EMPTY;
      atomic_compare_exchange_strong(&tail, &t, next);
      continue;
    }
    int v = next->val;
    if (atomic_compare_exchange_strong(&head, &h, next)) {
      POINT();
#ifdef UNLINKS
      atomic_store(&h->next, h);
#endif
      return v;
    }
  }
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
ASIF_BOUND(SIZE)
