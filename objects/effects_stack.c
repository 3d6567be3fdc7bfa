/* Treiber's stack with peek and is_empty, and a specification of its own: what each operation does to the contents (docs/specs.md).
 *
 * Linearization points: of push and pop the compare-and-exchange that succeeds; of what changes nothing, the access that saw the top.
 *
 * With -DWRONG_PEEK peek looks below the top. */
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  int val;
  struct node *next;
};
static _Atomic(struct node *) top;

static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  n->next = atomic_load(&top);
  while (!atomic_compare_exchange_strong(&top, &n->next, n)) ;
}

static int pop(void) {
  struct node *t = atomic_load(&top), *next;
  do {
    if (!t) return ASIF_EMPTY;
    next = t->next;
  } while (!atomic_compare_exchange_strong(&top, &t, next));
  return t->val;
}

static int peek(void) {
  struct node *t = atomic_load(&top);
  if (!t) return ASIF_EMPTY;
#ifdef WRONG_PEEK
  if (t->next) t = t->next;
#endif
  return t->val;
}

static bool is_empty(void) { return !atomic_load(&top); }

ASIF_OBJECT(peek_stack)
ASIF_EFFECT(push(v), "A => <v> . A")
ASIF_EFFECT(pop, "<e> . A => A, returns e")
ASIF_EFFECT(pop, "<> => <>, returns empty")
ASIF_EFFECT(peek, "<e> . A => <e> . A, returns e")
ASIF_EFFECT(peek, "<> => <>, returns empty")
ASIF_EFFECT(is_empty, "<> => <>, returns true")
ASIF_EFFECT(is_empty, "<e> . A => <e> . A, returns false")
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
ASIF_OP(peek)
ASIF_OP(is_empty)
ASIF_BOUND(3)
