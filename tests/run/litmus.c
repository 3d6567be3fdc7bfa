/* A litmus program, interpreted: one function a thread. */
#include <stdatomic.h>

#include "../litmus.h"

const struct litmus_program *program;
atomic_int places[LITMUS_LOCATIONS];

/* The compilers take an order that is no constant for seq_cst. */
#define EACH(order, rlx, acq, rel, ar, sc) \
  switch (order) { \
  case LITMUS_RLX: rlx; break; \
  case LITMUS_ACQ: acq; break; \
  case LITMUS_REL: rel; break; \
  case LITMUS_AR: ar; break; \
  default: sc; \
  }

static int load(atomic_int *at, unsigned order) {
  int v = 0;
  EACH(order, v = atomic_load_explicit(at, memory_order_relaxed), v = atomic_load_explicit(at, memory_order_acquire), ,
       , v = atomic_load_explicit(at, memory_order_seq_cst))
  return v;
}
static void store(atomic_int *at, int v, unsigned order) {
  EACH(order, atomic_store_explicit(at, v, memory_order_relaxed), , atomic_store_explicit(at, v, memory_order_release),
       , atomic_store_explicit(at, v, memory_order_seq_cst))
}
static int add(atomic_int *at, int v, unsigned order) {
  int old = 0;
  EACH(order, old = atomic_fetch_add_explicit(at, v, memory_order_relaxed),
       old = atomic_fetch_add_explicit(at, v, memory_order_acquire),
       old = atomic_fetch_add_explicit(at, v, memory_order_release),
       old = atomic_fetch_add_explicit(at, v, memory_order_acq_rel),
       old = atomic_fetch_add_explicit(at, v, memory_order_seq_cst))
  return old;
}
static int exchange(atomic_int *at, int v, unsigned order) {
  int old = 0;
  EACH(order, old = atomic_exchange_explicit(at, v, memory_order_relaxed),
       old = atomic_exchange_explicit(at, v, memory_order_acquire),
       old = atomic_exchange_explicit(at, v, memory_order_release),
       old = atomic_exchange_explicit(at, v, memory_order_acq_rel),
       old = atomic_exchange_explicit(at, v, memory_order_seq_cst))
  return old;
}
#define COMPARE(success) \
  EACH(failed, atomic_compare_exchange_strong_explicit(at, &old, v, success, memory_order_relaxed), \
       atomic_compare_exchange_strong_explicit(at, &old, v, success, memory_order_acquire), , , \
       atomic_compare_exchange_strong_explicit(at, &old, v, success, memory_order_seq_cst))
static int compare(atomic_int *at, int expected, int v, unsigned order, unsigned failed) {
  int old = expected;
  EACH(order, COMPARE(memory_order_relaxed), COMPARE(memory_order_acquire), COMPARE(memory_order_release),
       COMPARE(memory_order_acq_rel), COMPARE(memory_order_seq_cst))
  return old;
}
static void fence(unsigned order) {
  EACH(order, , atomic_thread_fence(memory_order_acquire), atomic_thread_fence(memory_order_release),
       atomic_thread_fence(memory_order_acq_rel), atomic_thread_fence(memory_order_seq_cst))
}

static long interpret(unsigned thread) {
  int last = 0;
  for (unsigned i = 0; i < program->length[thread]; i++) {
    const struct litmus_step *s = &program->steps[thread][i];
    atomic_int *at = &places[s->location];
    if (s->condition != LITMUS_ALWAYS && (last == s->condition_value) != (s->condition == LITMUS_IF)) continue;
    switch (s->kind) {
    case LITMUS_LOAD: last = load(at, s->order); break;
    case LITMUS_STORE: store(at, s->of_read ? last : s->value, s->order); break;
    case LITMUS_ADD: last = add(at, s->value, s->order); break;
    case LITMUS_EXCHANGE: last = exchange(at, s->value, s->order); break;
    case LITMUS_COMPARE: last = compare(at, s->expected, s->value, s->order, s->failure); break;
    default: fence(s->order);
    }
  }
  return last;
}
long litmus_0(void) { return interpret(0); }
long litmus_1(void) { return interpret(1); }
long litmus_2(void) { return interpret(2); }
long litmus_3(void) { return interpret(3); }
long litmus_4(void) { return interpret(4); }
