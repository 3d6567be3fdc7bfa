/* A register of several words (lamport_register.h).
 *
 * Lamport has two numbers, one written before and one after; here it is one that is odd while a write is going on, and that also
 * keeps writers apart. The words are atomic, since a read that will be repeated may meet a write. They are written with release
 * and read with acquire: a reader that saw a word of a write then sees the number that write had set before, and the last read of
 * the number cannot come before those of the words.
 *
 * READS_ONCE is for harness/bugs/. */
#include "lamport_register.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "inside/common.h"

struct lamport_register {
  atomic_ulong version;
  size_t words;
  atomic_long word[];
};

struct lamport_register *lamport_register_create(size_t words) {
  struct lamport_register *x = alloc_array(sizeof *x, words, sizeof x->word[0]);
  if (!x) return NULL;
  atomic_init(&x->version, 0);
  x->words = words;
  for (size_t i = 0; i < words; i++) atomic_init(&x->word[i], 0);
  return x;
}

void lamport_register_destroy(struct lamport_register *x) { free(x); }

void lamport_register_write(struct lamport_register *x, const long *words) {
  unsigned long version = atomic_load_explicit(&x->version, memory_order_relaxed);
  while (version % 2 || !atomic_compare_exchange_strong_explicit(&x->version, &version, version + 1, memory_order_acquire,
                                                                 memory_order_relaxed)) {
    wait_a_moment();
    version = atomic_load_explicit(&x->version, memory_order_relaxed);
  }
  for (size_t i = 0; i < x->words; i++) atomic_store_explicit(&x->word[i], words[i], memory_order_release);
  atomic_store(&x->version, version + 2); /* seen by all before the write returns */
}

void lamport_register_read(struct lamport_register *x, long *words) {
  for (;; wait_a_moment()) {
    unsigned long version = atomic_load(&x->version);
    if (version % 2) continue;
    for (size_t i = 0; i < x->words; i++) words[i] = atomic_load_explicit(&x->word[i], memory_order_acquire);
#ifndef READS_ONCE
    if (version == atomic_load_explicit(&x->version, memory_order_relaxed))
#endif
      return;
  }
}
