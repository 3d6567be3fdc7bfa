/* Sets of configurations: see configs.h. */
#include "check/configs.h"

#include <string.h>

#include "base/hash.h"

void configs_open(struct configs *c, struct mem *m, uint32_t words, uint32_t counts, uint64_t highest) {
  memset(c, 0, sizeof *c);
  c->mem = m;
  c->words = words;
  c->counts = counts;
  c->highest = highest;
  c->stride = sizeof(struct config) + (2 * words + counts) * sizeof(uint64_t);
  c->room = 16;
  c->at = mem_alloc(m, c->room * c->stride);
  c->bucket_mask = 31;
  c->buckets = mem_zero(m, c->bucket_mask + 1, sizeof *c->buckets);
}

void configs_close(struct configs *c) {
  mem_free(c->mem, c->at);
  mem_free(c->mem, c->buckets);
  mem_free(c->mem, c->exact);
}

static uint32_t bucket_of(const struct configs *c, uint32_t state) {
  return (state * 2654435761u >> 7) & c->bucket_mask;
}

static uint32_t exact_of(const struct configs *c, const struct config *x) {
  uint64_t h = x->state * 0x9e3779b97f4a7c15u + x->owes;
  for (uint32_t w = 0; w < 2 * c->words + c->counts; w++) h = (h ^ x->bits[w]) * 0xd6e8feb86659fd93u, h ^= h >> 31;
  return (uint32_t)hash_mix(h) & c->bucket_mask;
}

static void index_exactly(struct configs *c, uint32_t i) {
  uint32_t e = exact_of(c, configs_at(c, i));
  while (c->exact[e]) e = (e + 1) & c->bucket_mask;
  c->exact[e] = i + 1;
}

static void index_config(struct configs *c, uint32_t i) {
  struct config *x = configs_at(c, i);
  uint32_t *b = &c->buckets[bucket_of(c, x->state)];
  x->next = *b;
  *b = i + 1;
  if (c->exact) index_exactly(c, i);
}

static bool contains(struct configs *c, const struct config *x) {
  if (!c->exact) {
    c->exact = mem_zero(c->mem, (size_t)c->bucket_mask + 1, sizeof *c->exact);
    for (uint32_t i = 0; i < c->count; i++) index_exactly(c, i);
  }
  for (uint32_t e = exact_of(c, x); c->exact[e]; e = (e + 1) & c->bucket_mask) {
    const struct config *y = configs_at(c, c->exact[e] - 1);
    if (y->state == x->state && y->owes == x->owes &&
        !memcmp(y->bits, x->bits, (2 * c->words + c->counts) * sizeof *x->bits))
      return true;
  }
  return false;
}

void configs_clear(struct configs *c) {
  if (c->count < c->bucket_mask / 16) {
    for (uint32_t i = 0; i < c->count; i++) c->buckets[bucket_of(c, configs_at(c, i)->state)] = 0;
  } else {
    memset(c->buckets, 0, ((size_t)c->bucket_mask + 1) * sizeof *c->buckets);
  }
  mem_free(c->mem, c->exact); /* bits may have changed since: it cannot be emptied one by one */
  c->exact = NULL;
  c->count = c->live = 0;
}

static void grow(struct configs *c) {
  c->room = c->room * 2;
  c->at = mem_resize(c->mem, c->at, c->room * c->stride);
  if (c->room * 2 <= c->bucket_mask) return;
  mem_free(c->mem, c->buckets);
  mem_free(c->mem, c->exact);
  c->bucket_mask = c->bucket_mask * 2 + 1;
  c->buckets = mem_zero(c->mem, (size_t)c->bucket_mask + 1, sizeof *c->buckets);
  c->exact = NULL;
  for (uint32_t i = 0; i < c->count; i++) index_config(c, i);
}

/* Where they differ, is x optional, and are its numbers smaller? */
static inline bool dominates(const struct configs *c, const struct config *x, const struct config *y) {
  const uint64_t *a = x->bits, *b = y->bits;
  uint32_t words = c->words;
  for (uint32_t w = 0; w < words; w++)
    if (((a[w] ^ b[w]) | (a[words + w] ^ b[words + w])) & ~a[words + w]) return false;
  for (uint32_t w = 2 * words; w < 2 * words + c->counts; w++)
    if ((((b[w] | c->highest) - a[w]) & c->highest) != c->highest) return false;
  return x->owes <= y->owes;
}

/* Comparing with every configuration of the same state is quadratic where there are thousands: enough is enough. A
 * dominated one may then be kept, which costs time and nothing else. */
enum { COMPARED_MOST = 300 };

uint32_t configs_add(struct configs *c, const struct config *x) {
  uint32_t compared = 0;
  for (uint32_t i = c->buckets[bucket_of(c, x->state)]; i && compared < COMPARED_MOST; compared++) {
    struct config *y = configs_at(c, i - 1);
    i = y->next;
    if (y->state != x->state || y->dropped) continue;
    if (dominates(c, y, x)) return UINT32_MAX;
    if (dominates(c, x, y)) {
      y->dropped = 1;
      c->live--;
    }
  }
  if (compared == COMPARED_MOST && contains(c, x)) return UINT32_MAX;
  if (c->count == c->room) grow(c);
  struct config *to = configs_at(c, c->count);
  memcpy(to, x, c->stride);
  to->dropped = 0;
  index_config(c, c->count++);
  c->live++;
  return c->count - 1;
}
