/* Treiber's stack with the memory orders that it needs, and memory that is not freed: for bench/weak.c. */
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
  struct node *t = atomic_load_explicit(&top, memory_order_acquire);
  while (t && !atomic_compare_exchange_strong_explicit(&top, &t, t->next, memory_order_acquire, memory_order_acquire)) {
  }
  return t ? t->value : ASIF_EMPTY;
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 4))
ASIF_OP(pop)
