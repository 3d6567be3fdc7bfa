/* Treiber's stack (treiber_stack.h).
 *
 * FREES_AT_ONCE, PUBLISHES_LATE and FORGETS_TO_RETIRE are for harness/bugs/. */
#include "treiber_stack.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "hazard.h"

struct node {
  struct hazard_node retired;
  long value;
  struct node *next;
};
struct treiber_stack {
  _Atomic(struct node *) top;
  struct hazard *hazard;
};

struct treiber_stack *treiber_stack_create(struct hazard *hazard) {
  struct treiber_stack *s = hazard ? malloc(sizeof *s) : NULL;
  if (!s) return NULL;
  atomic_init(&s->top, NULL);
  s->hazard = hazard;
  return s;
}

void treiber_stack_destroy(struct treiber_stack *s) {
  if (!s) return;
  for (struct node *n = atomic_load(&s->top), *next; n; n = next) {
    next = n->next;
    free(n);
  }
  free(s);
}

bool treiber_stack_push(struct treiber_stack *s, long value) {
  struct node *n = malloc(sizeof *n);
  if (!n) return false;
  n->value = value;
  n->next = atomic_load_explicit(&s->top, memory_order_relaxed);
  while (!atomic_compare_exchange_weak(&s->top, &n->next, n))
    ;
  return true;
}

/* Neither can the node be freed while it is protected, nor can it come back to the top as another's: no ABA. */
static struct node *take(struct treiber_stack *s, struct hazard_record *r) {
  for (;;) {
    struct node *t = atomic_load(&s->top);
    if (!t) return NULL;
    hazard_set(r, 0, t);
#ifndef PUBLISHES_LATE
    if (t != atomic_load(&s->top)) continue;
#endif
    struct node *next = t->next;
    if (atomic_compare_exchange_strong(&s->top, &t, next)) return t;
  }
}

bool treiber_stack_pop(struct treiber_stack *s, long *value) {
  struct hazard_record *r = hazard_enter(s->hazard);
  struct node *t = take(s, r);
  if (t) {
    *value = t->value;
#if defined FREES_AT_ONCE
    free(t);
#elif !defined FORGETS_TO_RETIRE
    hazard_retire(r, &t->retired, free);
#endif
  }
  hazard_leave(r);
  return t != NULL;
}
