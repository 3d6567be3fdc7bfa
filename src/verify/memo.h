/* A memo: 96 bits to 32, found in a few nanoseconds.
 *
 * Any number of threads may look while one adds: an entry is complete before it is published, and never changes; a
 * table that has become too small stays as it is beside the larger one, since someone may be looking in it. */
#ifndef ASIF_VERIFY_MEMO_H
#define ASIF_VERIFY_MEMO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

struct memo_entry {
  uint64_t a;
  uint32_t b;
  _Atomic uint32_t answer; /* + 1; 0: a free place */
};

struct memo_table {
  uint64_t mask;
  struct memo_entry at[];
};

struct memo {
  _Atomic(struct memo_table *) table;
  uint64_t count;
};

void memo_open(struct memo *, struct mem *);
void memo_add(struct memo *, struct mem *, uint64_t a, uint32_t b, uint32_t answer); /* it has no answer yet */

static inline uint64_t memo_hash(uint64_t a, uint32_t b) {
  uint64_t h = (a ^ (uint64_t)b * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

static inline bool memo_find(const struct memo *m, uint64_t a, uint32_t b, uint32_t *answer) {
  const struct memo_table *t = atomic_load_explicit(&m->table, memory_order_acquire);
  for (uint64_t i = memo_hash(a, b) & t->mask;; i = (i + 1) & t->mask) {
    uint32_t x = atomic_load_explicit(&t->at[i].answer, memory_order_acquire);
    if (!x) return false;
    if (t->at[i].a == a && t->at[i].b == b) {
      *answer = x - 1;
      return true;
    }
  }
}

/* It will be looked for soon: asks for the memory. */
static inline void memo_expect(const struct memo *m, uint64_t a, uint32_t b) {
  const struct memo_table *t = atomic_load_explicit(&m->table, memory_order_acquire);
  __builtin_prefetch(&t->at[memo_hash(a, b) & t->mask]);
}

/* Answers to questions about sets of configurations: x is a call, a result, another set or thread, as the question has
 * it. */
static inline bool memo_answered(const struct memo *m, unsigned question, uint32_t set, uint32_t x, unsigned thread,
                                 uint32_t *answer) {
  return memo_find(m, (uint64_t)set << 32 | x, question << 8 | thread, answer);
}
static inline void memo_answer(struct memo *m, struct mem *mem, unsigned question, uint32_t set, uint32_t x,
                               unsigned thread, uint32_t answer) {
  memo_add(m, mem, (uint64_t)set << 32 | x, question << 8 | thread, answer);
}

#endif
