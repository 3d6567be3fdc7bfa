/* Treiber's stack, with memory that is not freed: for bench/weak.c. What takes out releases too, which it need not, as
 * in GenMC's treiber-stack-dynamic. */
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  long value;
  struct node *next;
};
static _Atomic(struct node *) top;

static void push(long value) {
  struct node *n = malloc(sizeof *n);
  if (!n) abort();
  n->value = value;
  n->next = atomic_load_explicit(&top, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&top, &n->next, n, memory_order_release, memory_order_relaxed)) {}
}

static long pop(void) {
  struct node *t;
  do {
    t = atomic_load_explicit(&top, memory_order_acquire);
    if (!t) return ASIF_EMPTY;
  } while (!atomic_compare_exchange_strong_explicit(&top, &t, t->next, memory_order_release, memory_order_relaxed));
  return t->value;
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 4))
ASIF_OP(pop)
