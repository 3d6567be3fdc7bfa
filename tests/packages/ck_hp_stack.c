/* Concurrency Kit's stack under hazard pointers (libck-dev; ck_hp.c is in the library, so its source is compiled too), unmodified, with its inline
 * assembly. Nodes are freed as soon as no thread has a hazard pointer to them. */
#include <asif.h>
#include <ck_hp.h>
#include <ck_hp_stack.h>
#include <stdlib.h>

struct item {
  ck_stack_entry_t entry; /* first: an entry is its item */
  ck_hp_hazard_t hazard;
  int value;
};
enum { THREADS = 4 };
static ck_stack_t stack __attribute__((aligned(16)));
static ck_hp_t hp;
static ck_hp_record_t records[THREADS];
static void *pointers[THREADS][CK_HP_STACK_SLOTS_COUNT];

static void start(void) {
  ck_hp_init(&hp, CK_HP_STACK_SLOTS_COUNT, 1, free);
  ck_stack_init(&stack);
  for (int i = 0; i < THREADS; i++) ck_hp_register(&hp, &records[i], pointers[i]);
}
static void push(int v) {
  struct item *i = malloc(sizeof *i);
  i->value = v;
  ck_hp_stack_push_mpmc(&stack, &i->entry);
}
static int pop(void) {
  ck_hp_record_t *me = &records[asif_thread()];
  struct item *i = (struct item *)ck_hp_stack_pop_mpmc(me, &stack);
  if (!i) return ASIF_EMPTY;
  int v = i->value;
  ck_hp_clear(me);
  ck_hp_free(me, &i->hazard, i, i);
  return v;
}

ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
ASIF_INIT(start)
