/* Random programs for test_order.c: an operation makes the accesses that its argument says, eight bits each, the lowest first. */
#include <stdatomic.h>

enum { ACCESSES = 6 };
static _Atomic long flags[2];
static struct {
  int low, high;
} data[2]; /* two places of eight bytes, each with two variables */

static memory_order order_of(unsigned how, memory_order weak) {
  return how == 0 ? memory_order_relaxed : how == 1 ? memory_order_seq_cst : weak;
}
#define ORDERED(order, made) \
  switch (order) { \
  case memory_order_relaxed: made(memory_order_relaxed); break; \
  case memory_order_acquire: made(memory_order_acquire); break; \
  case memory_order_release: made(memory_order_release); break; \
  case memory_order_acq_rel: made(memory_order_acq_rel); break; \
  default: made(memory_order_seq_cst); \
  }
#define LOAD(order)  seen = atomic_load_explicit(flag, order)
#define STORE(order) atomic_store_explicit(flag, i + 1, order)
#define ADD(order)   seen = atomic_fetch_add_explicit(flag, 1, order)
#define SWAP(order)  seen = atomic_compare_exchange_strong_explicit(flag, &expected, i + 1, order, memory_order_relaxed)

long act(long program) {
  long seen = 0, result = 0;
  for (long i = 0; i < ACCESSES; i++, program >>= 8) {
    unsigned what = program & 7, where = program >> 3 & 1, how = program >> 5 & 3;
    int *plain = program & 16 ? &data[where].low : &data[where].high;
    _Atomic long *flag = &flags[where];
    long expected = 0;
    switch (what) {
    case 0:
    case 1: ORDERED(order_of(how, memory_order_acquire), LOAD) break;
    case 2: ORDERED(order_of(how, memory_order_release), STORE) break;
    case 3: ORDERED(order_of(how, memory_order_acq_rel), ADD) break;
    case 4: ORDERED(order_of(how, memory_order_acq_rel), SWAP) break;
    case 5:
    case 6: /* what was handed over, if the flag was set */
      if (seen) result += *plain;
      break;
    default:
      if (!seen) *plain = (int)i; /* before it is */
    }
  }
  return result;
}
