/* Michael and Scott's non-blocking queue with its linearization points, but for deqs that return empty, and its actions for asif prove. See
 * ms_queue.c. */
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
    if (h != atomic_load(&head)) continue;
    if (h == t) {
      if (!next) return ASIF_EMPTY;
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

ASIF_ACTION(link, "tail: t | t{next: NULL}, A => t{next: n}, n{val: e, next: NULL}, A . <e>")
ASIF_ACTION(swing, "t{next: n} | tail: t, n != NULL => tail: n")
ASIF_ACTION(deq, "tail: t, h{next: n}, n{val: e}, h != t | head: h, <e> . A => head: n, A")
