/* Sets of 128-bit hashes: see explore.h.
 *
 * Levels of growing size; a hash is in the first level in which one of the few slots it may have there was free. As
 * nothing is ever removed, a free slot on the way says that it is not in the set. Adding is a compare-and-exchange of
 * the low half, then the high half is stored, so that processes can share a set, and need no lock for it. */
#include <sched.h>
#include <stdatomic.h>
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
  PATIENCE = 1 << 20
};

struct slot {
  _Atomic uint64_t low;  /* 0: free */
  _Atomic uint64_t high; /* the last byte: the number + 1; 0: not yet stored */
};
struct hashes {
  size_t bytes;
  unsigned levels;
  struct slot *level[LEVELS_MOST];
  _Atomic uint64_t count;
};

/* Pages are taken when they are first written. Large ones are for one process only. */
static void *reserve(size_t bytes, bool own) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, (own ? MAP_PRIVATE : MAP_SHARED) | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
  if (p == MAP_FAILED) return NULL;
  if (own && bytes > LARGE) madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

static size_t level_slots(unsigned level) { return (size_t)1 << (FIRST_BITS + MORE_BITS * level); }

/* Where address space is limited others need it too. */
static size_t allowed(size_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur / 16) return bytes;
  return (size_t)limit.rlim_cur / 16;
}

static struct hashes *open_set(size_t wanted, bool own) {
  size_t bytes = allowed(wanted);
  struct hashes *h = reserve(sizeof *h, own);
  if (!h) return NULL;
  h->bytes = sizeof *h;
  while (h->levels < LEVELS_MOST) {
    size_t size = level_slots(h->levels) * sizeof(struct slot);
    if (h->levels && h->bytes + size > bytes) break;
    struct slot *s = reserve(size, own);
    if (!s) break;
    h->level[h->levels++] = s;
    h->bytes += size;
  }
  if (h->levels) return h;
  hashes_close(h);
  return NULL;
}

struct hashes *hashes_open(size_t bytes) {
  return open_set(bytes, false);
}
struct hashes *hashes_open_own(size_t bytes) {
  return open_set(bytes, true);
}

void hashes_close(struct hashes *h) {
  if (!h) return;
  for (unsigned l = 0; l < h->levels; l++) munmap(h->level[l], level_slots(l) * sizeof(struct slot));
  munmap(h, sizeof *h);
}

uint64_t hashes_count(const struct hashes *h) { return atomic_load_explicit(&h->count, memory_order_relaxed); }

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

int hashes_add(struct hashes *h, struct hash hash, unsigned number) {
  uint64_t low = hash.low ? hash.low : 1,
           high = hash.high << 8 | ((number < HASH_NUMBER_MOST ? number : HASH_NUMBER_MOST) + 1);
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
