/* Michael and Scott's non-blocking queue with its linearization points marked: see ms_queue.c.
 *
 * One thing differs: deq returns empty as soon as it sees no node after the dummy. The original first looks whether head is
 * still the same, and if not tries again, so that its point for empty would be known only afterwards. It need not: while the
 * dummy is last, it is head. */
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
      ASIF_LIN();
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
    if (!next) {
      ASIF_LIN(); /* the read of next */
      return ASIF_EMPTY;
    }
    if (h != atomic_load(&head)) continue;
    if (h == t) {
      atomic_compare_exchange_strong(&tail, &t, next);
      continue;
    }
    int v = next->val;
    if (atomic_compare_exchange_strong(&head, &h, next)) {
      ASIF_LIN();
      return v;
    }
  }
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
ASIF_BOUND(SIZE)
