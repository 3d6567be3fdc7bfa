/* The queue of Michael and Scott with the memory orders that it needs, and memory that is not freed: for bench/weak.c.
 * GenMC's ms-queue-dynamic says of its compare-and-exchanges of the tail that they help (__VERIFIER_helping_CAS), and
 * is spared the executions that differ in who did. Nothing is said here. */
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  long value;
  _Atomic(struct node *) next;
};
static _Atomic(struct node *) head, tail;

static struct node *new_node(long value) {
  struct node *n = malloc(sizeof *n);
  if (!n) abort();
  n->value = value;
  atomic_init(&n->next, NULL);
  return n;
}

static void set_up(void) {
  struct node *dummy = new_node(0);
  atomic_init(&head, dummy);
  atomic_init(&tail, dummy);
}

static void enq(long value) {
  struct node *n = new_node(value), *last, *next;
  for (;;) {
    last = atomic_load_explicit(&tail, memory_order_acquire);
    next = NULL;
    if (atomic_compare_exchange_strong_explicit(&last->next, &next, n, memory_order_release, memory_order_acquire))
      break;
    atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
  }
  atomic_compare_exchange_strong_explicit(&tail, &last, n, memory_order_release, memory_order_relaxed);
}

static long deq(void) {
  for (;;) {
    struct node *first = atomic_load_explicit(&head, memory_order_acquire),
                *last = atomic_load_explicit(&tail, memory_order_acquire),
                *next = atomic_load_explicit(&first->next, memory_order_acquire);
    if (first != atomic_load_explicit(&head, memory_order_acquire)) continue;
    if (!next) return ASIF_EMPTY;
    if (first == last)
      atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
    long value = next->value;
    if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_release, memory_order_relaxed))
      return value;
  }
}

ASIF_OBJECT(queue)
ASIF_INIT(set_up)
ASIF_OP(enq, ASIF_IN(1, 4))
ASIF_OP(deq)
