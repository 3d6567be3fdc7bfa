/* Runs programs that the test makes: instructions over a few locations, of any order. What was done is written down without
 * hooks. */
#include <stdatomic.h>
#include <stdint.h>

#include "program.h"

static struct {
  union {
    _Atomic uint32_t word[2];
    uint32_t plain[2];
    uint8_t byte[8];
    uint64_t both;
  } place[PLACES];
} memory;

#define QUIET __attribute__((no_sanitize("thread"), noinline))

QUIET static struct instruction fetch(struct program *p, int thread, int i) {
  p->at[thread] = i;
  p->newest = thread;
  return p->code[thread][i];
}
QUIET static int length_of(const struct program *p, int thread) { return p->length[thread]; }
QUIET static void done(struct program *p, int thread, int i, int wrote) {
  p->log[p->logged++] = (struct logged){(uint8_t)thread, (uint8_t)i, (uint8_t)wrote};
}

#define ORDERS(X) X(relaxed) X(acquire) X(release) X(acq_rel) X(seq_cst)

static int atomic_access(struct instruction in) {
  _Atomic uint32_t *at = &memory.place[in.place].word[in.half];
  uint32_t expected = in.value - 1u;
#define LOADS(order) \
  case ORDER_##order: atomic_load_explicit(at, memory_order_##order); return 0;
#define STORES(order) \
  case ORDER_##order: atomic_store_explicit(at, in.value, memory_order_##order); return 1;
#define ADDS(order) \
  case ORDER_##order: atomic_fetch_add_explicit(at, 1, memory_order_##order); return 1;
#define EXCHANGES(order) \
  case ORDER_##order: return atomic_compare_exchange_strong_explicit(at, &expected, in.value, memory_order_##order, memory_order_relaxed);
#define FENCES(order) \
  case ORDER_##order: atomic_thread_fence(memory_order_##order); return 0;
  switch (in.kind) {
  case LOAD:
    switch (in.order) { LOADS(relaxed) LOADS(acquire) LOADS(seq_cst) }
    break;
  case STORE:
    switch (in.order) { STORES(relaxed) STORES(release) STORES(seq_cst) }
    break;
  case ADD:
    switch (in.order) { ORDERS(ADDS) }
    break;
  case EXCHANGE:
    switch (in.order) { ORDERS(EXCHANGES) }
    break;
  case FENCE:
    switch (in.order) { FENCES(acquire) FENCES(release) FENCES(acq_rel) FENCES(seq_cst) }
    break;
  }
  return 0;
}

__attribute__((noinline)) static int plain_access(struct instruction in) {
  switch (in.kind) {
  case READ:
    if (in.wide) __asm__ volatile("" : : "r"(memory.place[in.place].both));
    else if (in.narrow) __asm__ volatile("" : : "r"(memory.place[in.place].byte[in.half * 4 + 1]));
    else __asm__ volatile("" : : "r"(memory.place[in.place].plain[in.half]));
    return 0;
  case WRITE:
    if (in.wide) memory.place[in.place].both = in.value;
    else if (in.narrow) memory.place[in.place].byte[in.half * 4 + 1] = in.value;
    else memory.place[in.place].plain[in.half] = in.value;
    return 1;
  }
  return 0;
}

long run_program(long program, long thread) {
  struct program *p = (struct program *)program;
  int length = length_of(p, (int)thread);
  for (int i = 0; i < length; i++) {
    struct instruction in = fetch(p, (int)thread, i);
    int wrote = in.kind == READ || in.kind == WRITE ? plain_access(in) : atomic_access(in);
    done(p, (int)thread, i, wrote);
  }
  return 0;
}
