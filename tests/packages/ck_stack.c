/* Concurrency Kit's stack (libck-dev), unmodified, with its inline assembly: ck_stack_batch_pop_mpmc exchanges the head without a new
 * generation, so that a ck_stack_pop_mpmc that was under way takes the stack for the one it has seen (ABA). Without pop_all
 * (-DNO_BATCH) the generation saves it.
 *
 * Its nodes must stay nodes for as long as there are threads. KIND: mpmc, upmc. The second has no generation: it is for nodes that do not come
 * back (-DKEEP). */
#include <asif.h>
#include <stdlib.h>

#include <ck_stack.h>

#ifndef KIND
#define KIND mpmc
#endif
#define CALL_(name, kind) ck_stack_##name##_##kind
#define CALL(name, kind)  CALL_(name, kind)

struct item {
  ck_stack_entry_t entry; /* first: an entry is its item */
  int value;
};
static ck_stack_t stack __attribute__((aligned(16)));

static void push(int v) {
  struct item *i = malloc(sizeof *i);
  i->value = v;
  CALL(push, KIND)(&stack, &i->entry);
}

static int pop(void) {
  struct item *i = (struct item *)CALL(pop, KIND)(&stack);
  if (!i) return ASIF_EMPTY;
  int v = i->value;
#ifndef KEEP
  free(i);
#endif
  return v;
}

/* All values, as the digits of a number, the top first. */
static int pop_all(void) {
  struct item *i = (struct item *)CALL(batch_pop, KIND)(&stack);
  int all = 0;
  while (i) {
    struct item *next = (struct item *)i->entry.next;
    all = all * 10 + i->value;
#ifndef KEEP
    free(i);
#endif
    i = next;
  }
  return all;
}

static void two(void) {
  ck_stack_init(&stack);
  push(1);
  push(2);
}

struct state {
  int count, value[8];
};
static void spec_two(struct state *s) { *s = (struct state){2, {1, 2}}; }
static void spec_push(struct state *s, int v) {
  asif_require(s->count < 8);
  s->value[s->count++] = v;
}
static int spec_pop(struct state *s) {
  if (!s->count) return ASIF_EMPTY;
  int v = s->value[--s->count];
  s->value[s->count] = 0;
  return v;
}
static int spec_pop_all(struct state *s) {
  int all = 0;
  while (s->count) all = all * 10 + spec_pop(s);
  return all;
}

ASIF_SPEC(batch_stack, struct state, spec_two)
ASIF_SPEC_OP(spec_push, "push")
ASIF_SPEC_OP(spec_pop, "pop")
ASIF_SPEC_OP(spec_pop_all, "pop_all")

ASIF_OBJECT(batch_stack)
ASIF_OP(push, ASIF_IN(3, 3))
ASIF_OP(pop)
#ifndef NO_BATCH
ASIF_OP(pop_all)
#endif
ASIF_INIT(two)
ASIF_TYPE_STABLE()
