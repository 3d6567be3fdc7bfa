/* Concurrency Kit's stack (libck-dev), unmodified: ck_stack_batch_pop_mpmc exchanges the head without a new generation, so that a
 * ck_stack_pop_mpmc that was under way takes the stack for the one it has seen (ABA).
 *
 * Its nodes must stay nodes for as long as there are threads. With compiler builtins instead of inline assembly, which hooks
 * cannot see; these lack the 16-byte compare-and-exchange, which is therefore added. */
#include <asif.h>
#include <stdlib.h>

#define CK_USE_CC_BUILTINS 1
#include <ck_pr.h>

#define CK_F_PR_CAS_PTR_2_VALUE
static inline bool ck_pr_cas_ptr_2_value(void *target, void *expected, void *update, void *seen) {
  __int128 old = *(__int128 *)expected;
  bool done = __atomic_compare_exchange_n((__int128 *)target, &old, *(__int128 *)update, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  *(__int128 *)seen = old;
  return done;
}
#include <ck_stack.h>

struct item {
  ck_stack_entry_t entry; /* first: an entry is its item */
  int value;
};
static ck_stack_t stack __attribute__((aligned(16)));

static void push(int v) {
  struct item *i = malloc(sizeof *i);
  i->value = v;
  ck_stack_push_mpmc(&stack, &i->entry);
}

static int pop(void) {
  struct item *i = (struct item *)ck_stack_pop_mpmc(&stack);
  if (!i) return ASIF_EMPTY;
  int v = i->value;
  free(i);
  return v;
}

/* All values, as the digits of a number, the top first. */
static int pop_all(void) {
  struct item *i = (struct item *)ck_stack_batch_pop_mpmc(&stack);
  int all = 0;
  while (i) {
    struct item *next = (struct item *)i->entry.next;
    all = all * 10 + i->value;
    free(i);
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
ASIF_OP(pop_all)
ASIF_INIT(two)
ASIF_TYPE_STABLE()
