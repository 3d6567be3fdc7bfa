/* A memo: see memo.h. */
#include "verify/memo.h"

static struct memo_table *table_new(struct mem *m, uint64_t mask) {
  struct memo_table *t = mem_zero(m, 1, sizeof *t + (mask + 1) * sizeof *t->at);
  t->mask = mask;
  return t;
}

void memo_open(struct memo *memo, struct mem *m) {
  memo->count = 0;
  atomic_store_explicit(&memo->table, table_new(m, 255), memory_order_release);
}

static void put(struct memo_table *t, uint64_t a, uint32_t b, uint32_t answer) {
  uint64_t i = memo_hash(a, b) & t->mask;
  while (atomic_load_explicit(&t->at[i].answer, memory_order_relaxed)) i = (i + 1) & t->mask;
  t->at[i].a = a;
  t->at[i].b = b;
  atomic_store_explicit(&t->at[i].answer, answer + 1, memory_order_release);
}

static void grow(struct memo *memo, struct mem *m, const struct memo_table *old) {
  struct memo_table *t = table_new(m, old->mask * 2 + 1);
  for (uint64_t i = 0; i <= old->mask; i++) {
    uint32_t x = atomic_load_explicit(&old->at[i].answer, memory_order_relaxed);
    if (x) put(t, old->at[i].a, old->at[i].b, x - 1);
  }
  atomic_store_explicit(&memo->table, t, memory_order_release);
}

void memo_add(struct memo *memo, struct mem *m, uint64_t a, uint32_t b, uint32_t answer) {
  struct memo_table *t = atomic_load_explicit(&memo->table, memory_order_relaxed);
  if ((memo->count + 1) * 3 > t->mask * 2) {
    grow(memo, m, t);
    t = atomic_load_explicit(&memo->table, memory_order_relaxed);
  }
  put(t, a, b, answer);
  memo->count++;
}
