/* Sets of configurations: the abstract state, and for each open operation whether it has linearized.
 *
 * An open operation is in a *slot*. In a configuration it is
 *   due       it has yet to linearize;
 *   done      it has linearized;
 *   optional  it may count as linearized or not, as later suits: a pending operation that may never take effect, or
 *             one that could have linearized at some moment without changing what followed.
 * What can be done from a configuration with an operation due, or done, can be done with it optional: the one
 * with optional *dominates* both. A set keeps only configurations that no other of the set dominates.
 *
 * Pending operations that differ in nothing but their calls are of one *kind*, and have no slots: a configuration has a
 * number for each kind, how many of them have linearized. Fewer dominates. The numbers are packed into words, in fields
 * whose highest bit is always 0, so that those of a word are compared at once. */
#ifndef ASIF_CHECK_CONFIGS_H
#define ASIF_CHECK_CONFIGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

struct config {
  uint32_t state;
  uint32_t node;    /* the last entry of its log: the operations linearized so far */
  uint32_t next;    /* next configuration + 1 of the set with the same bucket */
  uint16_t dropped; /* dominated by one that came later */
  uint8_t idle;     /* made by an operation that can always happen, and no other linearized in passing: see force */
  uint8_t owes;     /* made by a pending operation that something has to observe at once: see force */
  uint64_t bits[];  /* done, then optional: `words` each; then the numbers */
};

struct configs {
  struct mem *mem;
  uint32_t words;   /* of a bit set of slots */
  uint32_t counts;  /* words of numbers */
  uint64_t highest; /* of a word of numbers: the fields' highest bits */
  size_t stride;    /* bytes of a configuration */
  unsigned char *at;
  uint32_t count, room, live;     /* live: not dropped */
  uint32_t *buckets, bucket_mask; /* by state: configuration + 1, then along `next` */
  uint32_t *exact; /* by everything: configuration + 1; open addressing, as many places; NULL until needed */
};

void configs_open(struct configs *, struct mem *, uint32_t words, uint32_t counts, uint64_t highest);
void configs_close(struct configs *);
void configs_clear(struct configs *);
static inline struct config *configs_at(const struct configs *c, uint32_t i) {
  return (struct config *)(void *)(c->at + (size_t)i * c->stride);
}
/* Adds a copy unless one of the set dominates it; drops what it dominates. Its index, or UINT32_MAX. */
uint32_t configs_add(struct configs *, const struct config *);

static inline bool bit_get(const uint64_t *b, uint32_t i) { return b[i >> 6] >> (i & 63) & 1; }
static inline void bit_set(uint64_t *b, uint32_t i) { b[i >> 6] |= (uint64_t)1 << (i & 63); }
static inline void bit_clear(uint64_t *b, uint32_t i) { b[i >> 6] &= ~((uint64_t)1 << (i & 63)); }

#endif
