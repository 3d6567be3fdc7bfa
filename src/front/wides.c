/* The table of large numbers (wides.h): blocks that never move, the next as large as all before it, so that reading
 * takes no lock; and a hash table, behind a lock, that finds a number's entry. */
#include "front/wides.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/hash.h"

enum { FIRST = 64, BLOCKS = 32 };

struct wides {
  pthread_mutex_t lock;
  struct mem *mem;                   /* guarded anew whenever something is allocated, under the lock */
  _Atomic(int64_t *) blocks[BLOCKS]; /* FIRST numbers, then 64, 128, ... */
  uint64_t count;
  uint64_t *table; /* 1 + an entry's number; 0: free */
  uint64_t mask;
};

struct wides *wides_new(struct mem *mem) {
  struct wides *t = mem_zero(mem, 1, sizeof *t);
  pthread_mutex_init(&t->lock, NULL);
  t->mem = mem_child(mem);
  t->mask = 2 * FIRST - 1;
  t->table = mem_zero(t->mem, t->mask + 1, sizeof *t->table);
  t->mem->parent = NULL; /* closed with mem, but failures are caught in try_to_add */
  return t;
}

/* Entry n is in block b, which begins with entry *from. */
static unsigned block_of(uint64_t n, uint64_t *from) {
  unsigned b = n < FIRST ? 0 : 64 - (unsigned)__builtin_clzll(n / FIRST);
  *from = b ? (uint64_t)FIRST << (b - 1) : 0;
  return b;
}

static int64_t entry(const struct wides *t, uint64_t n) {
  uint64_t from;
  unsigned b = block_of(n, &from);
  return atomic_load_explicit(&t->blocks[b], memory_order_acquire)[n - from];
}

static uint64_t *slot_of(const struct wides *t, int64_t number) {
  for (uint64_t at = hash_bytes(&number, sizeof number) & t->mask;; at = (at + 1) & t->mask)
    if (!t->table[at] || entry(t, t->table[at] - 1) == number) return &t->table[at];
}

static void grow(struct wides *t) {
  uint64_t mask = 2 * t->mask + 1, *table = mem_zero(t->mem, mask + 1, sizeof *t->table);
  mem_free(t->mem, t->table);
  t->table = table;
  t->mask = mask;
  for (uint64_t i = 0; i < t->count; i++) *slot_of(t, entry(t, i)) = i + 1;
}

static void add(struct wides *t, int64_t number) {
  uint64_t from;
  unsigned b = block_of(t->count, &from);
  if (!atomic_load_explicit(&t->blocks[b], memory_order_relaxed))
    atomic_store_explicit(&t->blocks[b], mem_zero(t->mem, from ? from : FIRST, sizeof(int64_t)), memory_order_release);
  if (2 * t->count > t->mask) grow(t);
  atomic_load_explicit(&t->blocks[b], memory_order_relaxed)[t->count - from] = number;
  *slot_of(t, number) = ++t->count;
}

/* False: there is no memory for it. */
static bool try_to_add(struct wides *t, int64_t number) {
  if (t->count >> 32 || MEM_GUARD(t->mem)) return false;
  add(t, number);
  return true;
}

word wides_put(struct wides *t, int64_t number) {
  pthread_mutex_lock(&t->lock);
  word w = WORD_UNINITIALISED;
  if (*slot_of(t, number) || try_to_add(t, number)) w = WORD_WIDE + (word)(*slot_of(t, number) - 1);
  pthread_mutex_unlock(&t->lock);
  return w;
}

int64_t wides_get(const struct wides *t, word w) { return entry(t, (uint64_t)(w - WORD_WIDE)); }
