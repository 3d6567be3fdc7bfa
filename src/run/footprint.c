/* What an ASIF_ATOMIC block accesses.
 *
 * A block is one step, and what it accesses is known when it was taken. Two blocks that access different memory
 * commute, and a search that leaves out orders of steps that do not matter (test/dpor.c) need not try both orders. So
 * while a block runs, every point that its code would have had outside of a block is noted here, and every plain
 * access: the *footprint*. It is made of words of 8 bytes, so a block conflicts with accesses of the whole word; that
 * is coarser than need be, and so never wrong.
 *
 * Footprints are interned: a step has the number of one (struct step, place), and steps are copied and kept from run to
 * run. A block that creates or joins threads, or touches very many words, has none: it conflicts with everything. So
 * does one in which the run ended.
 *
 * Races: in an ordinary program all blocks are under one lock, and whatever a block does comes before the next block.
 * But where two blocks commute the other order is an execution too, and may not be explored. What is a race there must
 * be found here: so only blocks that conflict are ordered, through the words that they conflict in. A block without a
 * footprint is ordered with all blocks. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "run/runtime.h"

enum {
  WORD = 8,
  RECENT = 8,           /* words that are looked at: is it there already? */
  NUMBERS_LOG = 18,     /* footprints: half as many */
  WORDS_MOST = 1 << 22, /* of all footprints */
  ROOM = 2 * FOOTPRINT_MOST
};

bool footprint_open;

/* The block that runs. A word may be there several times until it is over. */
static struct {
  uintptr_t words[ROOM];
  size_t count;
  uintptr_t last; /* what its last point accesses, */
  uint32_t size;  /* and its size; 0: there is nothing that could be written */
  bool all;
} now;

/* Footprints, by number; [0] is none. */
static struct {
  struct {
    uint32_t at, count;
  } * of;
  uintptr_t *words;
  uint32_t *table;
  uint32_t count, used;
} known;

/* Numbers. */

static int by_word(const void *a, const void *b) {
  uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
  return (x > y) - (x < y);
}

/* Sorts them, each once. Gives how many there are. */
static size_t tidy(uintptr_t *words, size_t count) {
  size_t kept = 0;
  if (count > 16) {
    qsort(words, count, sizeof *words, by_word);
  } else {
    for (size_t i = 1; i < count; i++) {
      uintptr_t word = words[i];
      size_t k = i;
      for (; k && words[k - 1] > word; k--) words[k] = words[k - 1];
      words[k] = word;
    }
  }
  for (size_t i = 0; i < count; i++)
    if (kept && !((words[kept - 1] ^ words[i]) & ~(uintptr_t)FOOTPRINT_WRITES))
      words[kept - 1] |= words[i];
    else
      words[kept++] = words[i];
  return kept;
}

static bool table_open(void) {
  if (known.table) return true;
  known.table = calloc((size_t)1 << NUMBERS_LOG, sizeof *known.table);
  known.of = calloc(((size_t)1 << (NUMBERS_LOG - 1)) + 1, sizeof *known.of);
  known.words = malloc(WORDS_MOST * sizeof *known.words);
  return known.table && known.of && known.words;
}

uint32_t footprint_number(uintptr_t *words, size_t count) {
  count = tidy(words, count);
  if (count > FOOTPRINT_MOST || !table_open()) return 0;
  uint64_t h = hash_bytes(words, count * sizeof *words);
  size_t mask = ((size_t)1 << NUMBERS_LOG) - 1, i = h & mask;
  for (uint32_t n; (n = known.table[i]) != 0; i = (i + 1) & mask)
    if (known.of[n].count == count && !memcmp(known.words + known.of[n].at, words, count * sizeof *words)) return n;
  if (known.count == (1u << (NUMBERS_LOG - 1)) || known.used + count > WORDS_MOST) return 0;
  known.table[i] = ++known.count;
  known.of[known.count].at = known.used;
  known.of[known.count].count = (uint32_t)count;
  memcpy(known.words + known.used, words, count * sizeof *words);
  known.used += (uint32_t)count;
  return known.count;
}

const uintptr_t *footprint_words(uint32_t number, size_t *count) {
  *count = known.of[number].count;
  return known.words + known.of[number].at;
}

/* Noting. */

static void touches_all(void) {
  if (now.all) return;
  now.all = true;
  if (options.races) races_block_all();
}

static void note(uintptr_t word, bool writes) {
  if (now.all) return;
  for (size_t i = now.count; i-- > 0 && now.count - i <= RECENT;)
    if (now.words[i] == word || now.words[i] == (word | FOOTPRINT_WRITES)) {
      if (!writes || now.words[i] & FOOTPRINT_WRITES) return;
      break;
    }
  if (now.count == ROOM) now.count = tidy(now.words, now.count);
  if (now.count >= ROOM - 1) {
    touches_all();
    return;
  }
  now.words[now.count++] = word | (writes ? FOOTPRINT_WRITES : 0);
  if (options.races) races_block_word(word, writes);
}

static void note_range(uintptr_t at, size_t size, bool writes) {
  uintptr_t end = at + size;
  if (size > (size_t)FOOTPRINT_MOST * WORD) touches_all();
  for (at &= ~(uintptr_t)(WORD - 1); at < end && !now.all; at += WORD) note(at, writes);
}

void footprint_wrote(void) {
  if (now.size) note_range(now.last, now.size, true);
}

/* The flag says of the last point that it wrote. */
static void settle(void) {
  struct step *s = &scheduler.steps[(ptrdiff_t)run.count - 1];
  if (s->flags & STEP_WROTE) footprint_wrote();
  s->flags &= (uint8_t)~STEP_WROTE;
}

void footprint_point(enum point_kind kind, uintptr_t address, uint32_t size) {
  bool object = kind >= POINT_LOCK && kind <= POINT_WAKE;
  settle();
  now.last = address;
  now.size = size && !(object && size > WORD) ? size : object ? WORD : 1;
  switch (kind) {
  case POINT_YIELD:
  case POINT_CALL: now.size = 0; return;
  case POINT_START:
  case POINT_JOIN:
  case POINT_BLOCK: touches_all(); return;
  case POINT_ACQUIRE:
  case POINT_RELEASE: now.last |= FOOTPRINT_STATED; break;
  case POINT_ALLOC: now.last |= FOOTPRINT_LIST; break;
  case POINT_FREE: now.last |= FOOTPRINT_LIST; return; /* only if it is written */
  default: break;
  }
  note_range(now.last, now.size, object || kind == POINT_WRITE);
}

void footprint_plain(uintptr_t address, size_t size, bool write) { note_range(address, size, write); }

void footprint_begin(void) {
  footprint_open = true;
  now.count = now.size = 0;
  now.all = false;
  if (options.races) races_block_begin();
}

bool footprint_end(void) {
  struct step *s = &scheduler.steps[(ptrdiff_t)run.count - 1];
  bool writes = now.all;
  settle();
  footprint_open = false;
  if (!now.all) now.count = tidy(now.words, now.count);
  for (size_t i = 0; i < now.count && !writes; i++) writes = now.words[i] & FOOTPRINT_WRITES;
  if (options.races) races_block_end(now.words, now.all ? 0 : now.count, now.all);
  s->place = now.all ? 0 : footprint_number(now.words, now.count);
  return writes;
}
