/* Sets of gaps: see gaps.h. */
#include "check/gaps.h"

#include <string.h>

void gaps_open(struct gaps *g, struct mem *m, uint32_t count) {
  g->levels = 0;
  for (uint32_t n = count ? count : 1;;) {
    uint32_t words = (n + 63) / 64;
    uint64_t *level = mem_alloc(m, words * sizeof *level);
    memset(level, 0xff, words * sizeof *level);
    if (n % 64) level[words - 1] = ((uint64_t)1 << n % 64) - 1;
    g->words[g->levels] = words;
    g->level[g->levels++] = level;
    if (words == 1) return;
    n = words;
  }
}

void gaps_close(struct gaps *g, struct mem *m) {
  for (int i = 0; i < g->levels; i++) mem_free(m, g->level[i]);
}

uint32_t gaps_next(const struct gaps *g, uint32_t from) {
  int up = 0;
  for (uint32_t at = from;; up++) { /* up until something is left to the right ... */
    if (up == g->levels || at >> 6 >= g->words[up]) return UINT32_MAX;
    uint64_t word = g->level[up][at >> 6] & ~(uint64_t)0 << (at & 63);
    if (word) {
      uint32_t found = (at & ~63u) | (uint32_t)__builtin_ctzll(word);
      while (up-- > 0) found = found << 6 | (uint32_t)__builtin_ctzll(g->level[up][found]); /* ... and down to it */
      return found;
    }
    at = (at >> 6) + 1;
  }
}

void gaps_remove(struct gaps *g, uint32_t from, uint32_t to) {
  for (uint32_t at = gaps_next(g, from); at < to; at = gaps_next(g, at)) {
    uint32_t word = at >> 6, end = to - (word << 6);
    uint64_t mask = ~(uint64_t)0 << (at & 63);
    if (end < 64) mask &= ((uint64_t)1 << end) - 1;
    g->level[0][word] &= ~mask;
    for (int up = 1; up < g->levels && !g->level[up - 1][word]; up++) {
      g->level[up][word >> 6] &= ~((uint64_t)1 << (word & 63));
      word >>= 6;
    }
  }
}
