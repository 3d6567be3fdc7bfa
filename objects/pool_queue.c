/* Michael and Scott's queue over a pool of nodes that is made once, as in the LFDS library: nodes go back to the pool, and
 * every reference has a count beside it, against ABA.
 *
 * M. M. Michael and M. L. Scott (1996), with the counted pointers of the paper; the pool is a Treiber stack. The queue holds up
 * to CAPACITY values. The pool has a node for each, one for the dummy and SPARE for threads that are between taking a node and
 * linking it, or between unlinking it and giving it back: as many as there are threads. An enq that finds no node waits.
 *
 * Where clients never stop the counts grow for ever: COUNTS lets them start again at 0, which brings ABA back for a thread that
 * sleeps long enough.
 *
 * Linearization points: as in ms_queue.c.
 *
 * EXCEEDED and BOUND are for bugs/b7.c. */
#include <asif.h>
#include <stdatomic.h>

#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef SPARE
#define SPARE 4
#endif
#ifndef BOUND
#define BOUND CAPACITY
#endif
#ifndef EXCEEDED
#define EXCEEDED asif_yield()
#endif
#ifndef VALUES
#define VALUES 2
#endif
#ifdef COUNTS
#define COUNTED(n) (((n) + 1) % COUNTS)
#else
#define COUNTED(n) ((n) + 1)
#endif
#define POOL (CAPACITY + 1 + SPARE)

enum { NONE = -1 };
struct link {
  int node, count;
};
struct node {
  _Atomic(struct link) next;
  atomic_int val, below; /* below: in the pool */
};
static struct node nodes[POOL];
static _Atomic(struct link) head, tail, pool;

static struct link link_to(int node, struct link before) {
  struct link l = {node, COUNTED(before.count)};
  return l;
}

static int take(void) {
  struct link top = atomic_load(&pool);
  while (top.node != NONE) {
    int below = atomic_load(&nodes[top.node].below);
    if (atomic_compare_exchange_strong(&pool, &top, link_to(below, top))) break;
  }
  return top.node;
}

static void give(int node) {
  struct link top = atomic_load(&pool);
  do atomic_store(&nodes[node].below, top.node);
  while (!atomic_compare_exchange_strong(&pool, &top, link_to(node, top)));
}

static void set_up(void) {
  struct link none = {NONE, 0}, dummy = {0, 0};
  for (int i = 0; i < POOL; i++) atomic_store(&nodes[i].next, none);
  atomic_store(&head, dummy);
  atomic_store(&tail, dummy);
  atomic_store(&pool, none);
  for (int i = POOL - 1; i > 0; i--) give(i);
}

static void enq(int v) {
  int node = take();
  while (node == NONE) {
    EXCEEDED;
    node = take();
  }
  struct link old = atomic_load(&nodes[node].next);
  atomic_store(&nodes[node].val, v);
  atomic_store(&nodes[node].next, link_to(NONE, old));
  for (;;) {
    struct link last = atomic_load(&tail);
    struct link next = atomic_load(&nodes[last.node].next);
    struct link again = atomic_load(&tail);
    if (last.node != again.node || last.count != again.count) continue;
    if (next.node != NONE) {
      atomic_compare_exchange_strong(&tail, &last, link_to(next.node, last));
    } else if (atomic_compare_exchange_strong(&nodes[last.node].next, &next, link_to(node, next))) {
      atomic_compare_exchange_strong(&tail, &last, link_to(node, last));
      return;
    }
  }
}

static int deq(void) {
  for (;;) {
    struct link first = atomic_load(&head);
    struct link last = atomic_load(&tail);
    struct link next = atomic_load(&nodes[first.node].next);
    struct link again = atomic_load(&head);
    if (first.node != again.node || first.count != again.count) continue;
    if (first.node == last.node) {
      if (next.node == NONE) return ASIF_EMPTY;
      atomic_compare_exchange_strong(&tail, &last, link_to(next.node, last));
      continue;
    }
    int v = atomic_load(&nodes[next.node].val);
    if (atomic_compare_exchange_strong(&head, &first, link_to(next.node, first))) {
      give(first.node);
      return v;
    }
  }
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
ASIF_INIT(set_up)
ASIF_BOUND(BOUND)
