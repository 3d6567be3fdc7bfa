/* A worker that finds no work says that it sleeps, and looks once more. Who brings work wakes a worker that says so. */
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>

#ifndef FENCE
#define FENCE
#endif
#define load(x)  atomic_load_explicit(x, memory_order_acquire)
#define store(x) atomic_store_explicit(x, 1, memory_order_release)

static atomic_int asleep, work, neither;

static void nobody(void) {
  int others = atomic_fetch_add_explicit(&neither, 1, memory_order_relaxed);
  assert(others == 0); /* the worker sleeps on, and nobody wakes it */
}

static void sleep_now(void) {
  store(&asleep);
  FENCE;
  if (!load(&work)) nobody();
}

static void bring(void) {
  store(&work);
  FENCE;
  if (!load(&asleep)) nobody();
}

ASIF_OP(sleep_now)
ASIF_OP(bring)
ASIF_ROLE(worker, 1, sleep_now)
ASIF_ROLE(boss, 1, bring)
