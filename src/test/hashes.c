/* Sets of 128-bit hashes: see explore.h.
 *
 * Levels of growing size; a hash is in the first level in which one of the few slots it may have there was free. As
 * nothing is ever removed, a free slot on the way says that it is not in the set. Adding is a compare-and-exchange of
 * the low half, then the high half is stored, so that processes can share a set, and need no lock for it.
 *
 * A process' own set is one table that grows: there are many small ones, one after the other, and to have a fresh page
 * costs more than to fill it. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "test/explore.h"

#define LARGE ((size_t)8 << 20)

enum {
  LEVELS_MOST = 6,
  WAYS = 4 /* a line of the cache */,
  LAST_WAYS = 256 /* of the last level */,
  FIRST_BITS = 14,
  MORE_BITS = 5,
  OWN_FIRST = 256, /* slots */
  PATIENCE = 1 << 20
};

struct slot {
  _Atomic uint64_t low;  /* 0: free */
  _Atomic uint64_t high; /* the last byte: the number + 1; 0: not yet stored */
};
struct own_slot {
  uint64_t low, high; /* as above */
};
struct hashes {
  struct own_slot *own; /* or NULL: it is shared */
  size_t own_slots, own_count;
  size_t bytes; /* of its own: at most */
  unsigned levels;
  struct slot *level[LEVELS_MOST];
  _Atomic uint64_t count;
};

/* Pages are taken when they are first written. */
static void *reserve(size_t bytes, bool own) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, (own ? MAP_PRIVATE : MAP_SHARED) | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static size_t level_slots(unsigned level) { return (size_t)1 << (FIRST_BITS + MORE_BITS * level); }

/* Where address space is limited others need it too. */
static size_t allowed(size_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur / 16) return bytes;
  return (size_t)limit.rlim_cur / 16;
}

struct hashes *hashes_open(size_t wanted) {
  size_t bytes = allowed(wanted);
  struct hashes *h = reserve(sizeof *h, false);
  if (!h) return NULL;
  h->bytes = sizeof *h;
  while (h->levels < LEVELS_MOST) {
    size_t size = level_slots(h->levels) * sizeof(struct slot);
    if (h->levels && h->bytes + size > bytes) break;
    struct slot *s = reserve(size, false);
    if (!s) break;
    h->level[h->levels++] = s;
    h->bytes += size;
  }
  if (h->levels) return h;
  hashes_close(h);
  return NULL;
}

/* Large tables have pages of their own. */
static struct own_slot *new_table(size_t slots) {
  size_t bytes = slots * sizeof(struct own_slot);
  if (bytes <= LARGE) return calloc(slots, sizeof(struct own_slot));
  struct own_slot *table = reserve(bytes, true);
  if (table) madvise(table, bytes, MADV_HUGEPAGE);
  return table;
}
static void free_table(struct own_slot *table, size_t slots) {
  size_t bytes = slots * sizeof *table;
  if (bytes <= LARGE)
    free(table);
  else
    munmap(table, bytes);
}

struct hashes *hashes_open_own(size_t wanted) {
  struct hashes *h = calloc(1, sizeof *h);
  if (!h) return NULL;
  h->bytes = allowed(wanted);
  h->own_slots = OWN_FIRST;
  h->own = new_table(h->own_slots);
  if (h->own) return h;
  free(h);
  return NULL;
}

void hashes_close(struct hashes *h) {
  if (!h) return;
  if (h->own) {
    free_table(h->own, h->own_slots);
    free(h);
    return;
  }
  for (unsigned l = 0; l < h->levels; l++) munmap(h->level[l], level_slots(l) * sizeof(struct slot));
  munmap(h, sizeof *h);
}

uint64_t hashes_count(const struct hashes *h) {
  return h->own ? h->own_count : atomic_load_explicit(&h->count, memory_order_relaxed);
}

/* The high half, once it is stored. Who was to store it may have died: then it is another hash's for good. */
static uint64_t stored(struct slot *s) {
  uint64_t high;
  for (unsigned i = 0; !(high = atomic_load_explicit(&s->high, memory_order_acquire)) && i < PATIENCE; i++)
    if (i % 64 == 63) sched_yield();
  return high;
}

static int lower(struct slot *s, uint64_t high, uint64_t wanted) {
  while ((wanted & 0xff) < (high & 0xff) && !atomic_compare_exchange_weak(&s->high, &high, wanted)) {}
  return (int)(high & 0xff) - 1;
}

/* Where it is, or may be put. */
static struct own_slot *find_own(struct own_slot *table, size_t slots, uint64_t low, uint64_t high) {
  size_t i = (size_t)(high >> 8) & (slots - 1);
  while (table[i].low && (table[i].low != low || table[i].high >> 8 != high >> 8)) i = (i + 1) & (slots - 1);
  return &table[i];
}

/* It stays as it is where there is no room for more. */
static void grow_own(struct hashes *h) {
  size_t slots = h->own_slots * 2;
  struct own_slot *table = slots * sizeof *table > h->bytes ? NULL : new_table(slots);
  if (!table) return;
  for (size_t i = 0; i < h->own_slots; i++)
    if (h->own[i].low) *find_own(table, slots, h->own[i].low, h->own[i].high) = h->own[i];
  free_table(h->own, h->own_slots);
  h->own = table;
  h->own_slots = slots;
}

static int add_own(struct hashes *h, uint64_t low, uint64_t high) {
  struct own_slot *s = find_own(h->own, h->own_slots, low, high);
  if (s->low) {
    int before = (int)(s->high & 0xff) - 1;
    if (s->high > high) s->high = high;
    return before;
  }
  if ((h->own_count + 1) * 2 > h->own_slots) {
    grow_own(h);
    s = find_own(h->own, h->own_slots, low, high);
  }
  if ((h->own_count + 1) * 8 > h->own_slots * 7) return HASH_FULL;
  *s = (struct own_slot){low, high};
  h->own_count++;
  return HASH_NEW;
}

int hashes_add(struct hashes *h, struct hash hash, unsigned number) {
  uint64_t low = hash.low ? hash.low : 1,
           high = hash.high << 8 | ((number < HASH_NUMBER_MOST ? number : HASH_NUMBER_MOST) + 1);
  if (h->own) return add_own(h, low, high);
  for (unsigned l = 0; l < h->levels; l++) {
    size_t slots = level_slots(l), first = (hash.high >> 8) % slots / WAYS * WAYS,
           ways = l + 1 < h->levels ? WAYS : LAST_WAYS;
    for (size_t w = 0; w < ways; w++) {
      struct slot *s = &h->level[l][(first + w) % slots];
      uint64_t there = atomic_load_explicit(&s->low, memory_order_relaxed);
      if (!there && atomic_compare_exchange_strong(&s->low, &there, low)) {
        atomic_store_explicit(&s->high, high, memory_order_release);
        atomic_fetch_add_explicit(&h->count, 1, memory_order_relaxed);
        return HASH_NEW;
      }
      if (there != low) continue;
      uint64_t other = stored(s);
      if (other >> 8 == high >> 8) return lower(s, other, high);
    }
  }
  return HASH_FULL;
}
