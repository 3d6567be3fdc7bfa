/* A set of gaps that only shrinks, with the next one at or after a given gap: a tree of 64-bit words, each bit saying
 * whether anything is left below it. Small enough to stay in the processor's cache where a union-find would not. */
#ifndef ASIF_CHECK_GAPS_H
#define ASIF_CHECK_GAPS_H

#include <stdint.h>

#include "base/mem.h"

struct gaps {
  uint64_t *level[6]; /* level[0]: a bit a gap; above: a bit a word */
  uint32_t words[6];
  int levels;
};

void gaps_open(struct gaps *, struct mem *, uint32_t count); /* all of 0 .. count-1 */
void gaps_close(struct gaps *, struct mem *);
uint32_t gaps_next(const struct gaps *, uint32_t from);      /* the first at or after it; UINT32_MAX if none */
void gaps_remove(struct gaps *, uint32_t from, uint32_t to); /* those in from .. to-1 */

/* Asks for what gaps_next and gaps_remove will look at first. */
static inline void gaps_fetch(const struct gaps *g, uint32_t a, uint32_t b) {
  if (a >> 6 < g->words[0]) __builtin_prefetch(&g->level[0][a >> 6], 1);
  if (b >> 6 < g->words[0]) __builtin_prefetch(&g->level[0][b >> 6], 1);
}

#endif
