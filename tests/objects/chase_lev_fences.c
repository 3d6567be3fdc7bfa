/* Chase and Lev's deque with the fences of Le, Pop, Cohen and Zappa Nardelli, Correct and Efficient Work-Stealing for
 * Weak Memory Models (2013), where the array does not grow. Each fence is a macro, so that it can be taken out. */
#include <asif.h>
#include <stdatomic.h>

#ifndef PUSH_FENCE
#define PUSH_FENCE atomic_thread_fence(memory_order_release)
#endif
#ifndef TAKE_FENCE
#define TAKE_FENCE atomic_thread_fence(memory_order_seq_cst)
#endif
#ifndef STEAL_FENCE
#define STEAL_FENCE atomic_thread_fence(memory_order_seq_cst)
#endif

enum { SIZE = 4 };
static atomic_long top, bottom, item[SIZE];

static void push(int value) {
  long b = atomic_load_explicit(&bottom, memory_order_relaxed);
  atomic_store_explicit(&item[b % SIZE], value, memory_order_relaxed);
  PUSH_FENCE;
  atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void) {
  long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&bottom, b, memory_order_relaxed);
  TAKE_FENCE;
  long t = atomic_load_explicit(&top, memory_order_relaxed);
  int value = ASIF_EMPTY;
  if (t <= b) {
    value = (int)atomic_load_explicit(&item[b % SIZE], memory_order_relaxed);
    if (t < b) return value;
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
      value = ASIF_EMPTY;
  }
  atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
  return value;
}

static int steal(void) {
  for (;;) {
    long t = atomic_load_explicit(&top, memory_order_acquire);
    STEAL_FENCE;
    long b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b) return ASIF_EMPTY;
    int value = (int)atomic_load_explicit(&item[t % SIZE], memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
      return value;
  }
}

ASIF_OBJECT(deque)
ASIF_OP_AS(push_back, push, ASIF_IN(1, 2))
ASIF_OP_AS(pop_back, take)
ASIF_OP_AS(pop_front, steal)
ASIF_ROLE(owner, 1, push, take)
ASIF_ROLE(thief, ASIF_REST, steal)
