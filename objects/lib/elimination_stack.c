/* A stack with elimination (elimination_stack.h).
 *
 * A push that waits in a slot keeps its node protected: a node that a pop has taken from there must not come back, as the node of
 * another push in the same slot, before the first push has looked. Else the first would take the
 * other's node back as its own, and the other return as if a pop had come, before its value is anywhere. */
#include "elimination_stack.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "hazard.h"
#include "inside/common.h"

struct node {
  struct hazard_node retired;
  long value;
  struct node *next;
};
struct elimination_stack {
  _Atomic(struct node *) top;
  struct hazard *hazard;
  unsigned slots;
  _Atomic(struct node *) slot[];
};

struct elimination_stack *elimination_stack_create(struct hazard *hazard, unsigned slots) {
  struct elimination_stack *s = hazard ? alloc_array(sizeof *s, slots ? slots : 1, sizeof s->slot[0]) : NULL;
  if (!s) return NULL;
  atomic_init(&s->top, NULL);
  for (unsigned i = 0; i < slots; i++) atomic_init(&s->slot[i], NULL);
  s->hazard = hazard;
  s->slots = slots;
  return s;
}

void elimination_stack_destroy(struct elimination_stack *s) {
  if (!s) return;
  for (struct node *n = atomic_load(&s->top), *next; n; n = next) {
    next = n->next;
    free(n);
  }
  free(s);
}

/* Waits for a pop in one of the slots; true if one came. */
static bool offer(struct elimination_stack *s, struct node *n, unsigned at) {
  struct node *none = NULL, *offered = n;
  if (!atomic_compare_exchange_strong(&s->slot[at], &none, n)) return false;
  wait_a_moment();
  return !atomic_compare_exchange_strong(&s->slot[at], &offered, NULL);
}

bool elimination_stack_push(struct elimination_stack *s, long value) {
  struct node *n = malloc(sizeof *n), *t;
  if (!n) return false;
  n->value = value;
  n->next = t = atomic_load_explicit(&s->top, memory_order_relaxed);
  if (atomic_compare_exchange_strong(&s->top, &t, n)) return true;

  struct hazard_record *r = hazard_enter(s->hazard);
  hazard_set(r, 0, n); /* nobody else has it yet: no need to look again */
  for (unsigned at = thread_hint();; at++) {
    if (s->slots && offer(s, n, at % s->slots)) break;
    n->next = t = atomic_load_explicit(&s->top, memory_order_relaxed);
    if (atomic_compare_exchange_strong(&s->top, &t, n)) break;
  }
  hazard_leave(r);
  return true;
}

static struct node *take(struct elimination_stack *s, struct hazard_record *r) {
  for (unsigned at = thread_hint();; at++) {
    struct node *t = atomic_load(&s->top);
    if (!t) return NULL;
    hazard_set(r, 0, t);
    if (t != atomic_load(&s->top)) continue;
    struct node *next = t->next;
    if (atomic_compare_exchange_strong(&s->top, &t, next)) return t;
    if (!s->slots) continue;
    _Atomic(struct node *) *slot = &s->slot[at % s->slots];
    struct node *offered = atomic_load(slot);
    if (offered && atomic_compare_exchange_strong(slot, &offered, NULL)) return offered;
  }
}

bool elimination_stack_pop(struct elimination_stack *s, long *value) {
  struct hazard_record *r = hazard_enter(s->hazard);
  struct node *n = take(s, r);
  if (n) {
    *value = n->value;
    hazard_retire(r, &n->retired, free);
  }
  hazard_leave(r);
  return n != NULL;
}
