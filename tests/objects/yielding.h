/* Included before an object (-include) so that it is often interrupted: some of its accesses to atomics and
 * locks first give way to another thread. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static inline void give_way(void) {
  static _Thread_local unsigned x;
  if (!x) x = (unsigned)(size_t)&x >> 4 | 1;
  x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  if (x % 4 == 0) sched_yield();
}

#undef atomic_load
#undef atomic_store
#undef atomic_exchange
#undef atomic_fetch_add
#undef atomic_compare_exchange_strong
#define atomic_load(p) (give_way(), atomic_load_explicit(p, memory_order_seq_cst))
#define atomic_store(p, v) (give_way(), atomic_store_explicit(p, v, memory_order_seq_cst))
#define atomic_exchange(p, v) (give_way(), atomic_exchange_explicit(p, v, memory_order_seq_cst))
#define atomic_fetch_add(p, v) (give_way(), atomic_fetch_add_explicit(p, v, memory_order_seq_cst))
#define atomic_compare_exchange_strong(p, e, d) \
  (give_way(), atomic_compare_exchange_strong_explicit(p, e, d, memory_order_seq_cst, memory_order_seq_cst))
#define pthread_mutex_lock(m) (give_way(), pthread_mutex_lock(m))
