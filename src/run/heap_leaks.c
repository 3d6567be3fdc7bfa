/* Leaks: blocks that nobody can reach when all threads have ended.
 *
 * Whatever looks like the address of a block, or of a byte in one, counts as a reference: in the image's globals, in
 * thread-local storage, in the results of operations, and in blocks that are reached so. Pointers may carry marks, and
 * may be shifted: up, with something in the lower bits, or down, where these are 0. What was allocated while the image
 * was loaded is no leak.
 *
 * Code may keep an address in any other form: as the exclusive or of two, as an index. So before a leak is told the run
 * is made again with the lost block at another address, everything else where it was. If anything that can be reached
 * is another then, the block's address is in it, in whatever form: the block is reached. If nothing is, nobody has its
 * address. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "run/heap_parts.h"

enum {
  SHIFTS_UP = 16,   /* bits */
  SHIFTS_DOWN = 4,  /* blocks begin at multiples of 16 */
  AGAIN_MOST = 1000 /* runs */
};

static VEC(struct block *) reached; /* and not looked through yet */

static void reach(uintptr_t word) {
  if (!heap_owns(word)) return;
  struct block *b = heap_block(word);
  if (!b && word % GRANULE == 0 && heap_owns(word - 1)) b = heap_block(word - 1); /* the end of an array */
  if (!b || b->freed || b->marked) return;
  b->marked = true;
  if (reached.count == reached.room) {
    reached.room = reached.room ? 2 * reached.room : 256;
    reached.at = realloc(reached.at, reached.room * sizeof *reached.at);
    if (!reached.at) abort();
  }
  reached.at[reached.count++] = b;
}

static void reach_word(uintptr_t word) {
  reach(word);
  reach(word & (((uintptr_t)1 << 48) - 1));
  for (unsigned by = 1; by <= SHIFTS_UP; by++) reach(word >> by);
  for (unsigned by = 1; by <= SHIFTS_DOWN; by++) reach(word << by);
}

/* The image's globals are read as they are, red zones of sanitizers included. A word that is the same as the one before
 * it is skipped: the C++ library allocates a large block that stays as it was filled. */
__attribute__((no_sanitize("address"))) static void reach_from(const void *from, size_t size) {
  const uintptr_t *at = (const uintptr_t *)(((uintptr_t)from + 7) & ~(uintptr_t)7),
                  *end = (const uintptr_t *)((uintptr_t)from + size);
  uintptr_t last = 0;
  for (; at + 1 <= end; at++) {
    if (*at == last) continue;
    last = *at;
    if (last) reach_word(last);
  }
}

static VEC(uint32_t) hidden; /* numbers of blocks that are reached by their address in another form */

static void reach_hidden(void) {
  for (unsigned a = 0; a < AREAS && hidden.count; a++)
    for (uint32_t i = 1; i <= heap_areas[a].count; i++)
      for (size_t h = 0; h < hidden.count; h++)
        if (heap_areas[a].blocks[i].number == hidden.at[h]) reach(heap_areas[a].blocks[i].address);
}

static void reach_all(void) {
  struct area *loading = &heap_areas[AREA_LOADING];
  const struct image_range *ranges;
  size_t count = image_ranges(&ranges);
  for (size_t i = 0; i < count; i++) reach_from((const void *)ranges[i].low, ranges[i].high - ranges[i].low);
  for (unsigned f = 0; f < FIBERS_MOST; f++)
    if (fibers[f].tls_used) reach_from(fibers[f].tls, fibers[f].tls_size);
  for (unsigned f = 0; f < FIBERS_MOST; f++) {
    void **values = threads_values(f, &count);
    reach_from(values, count * sizeof *values);
  }
  for (size_t i = 0; i < run.moment_count; i++) reach_word((uintptr_t)run.moments[i].result);
  for (uint32_t i = 1; i <= loading->count; i++)
    if (!loading->blocks[i].freed && loading->blocks[i].alloc_by == AREA_LOADING) reach(loading->blocks[i].address);
  reach_hidden();
  while (reached.count) {
    const struct block *b = reached.at[--reached.count];
    reach_from((void *)b->address, b->size);
  }
}

/* The one to tell: the first that no other lost block leads to would be best; the first allocated is good enough. */
static void look(const struct area *a, struct block **lost, size_t *count, size_t *bytes) {
  for (uint32_t i = 1; i <= a->count; i++) {
    struct block *b = &a->blocks[i];
    if (b->freed || b->marked) {
      b->marked = false;
      continue;
    }
    ++*count;
    *bytes += b->size;
    if (!*lost || b->number < (*lost)->number) *lost = b;
  }
}

void heap_leaks(void) {
  struct block *lost = NULL;
  size_t count = 0, bytes = 0;
  reach_all();
  for (unsigned i = 0; i < AREAS; i++) look(&heap_areas[i], &lost, &count, &bytes);
  if (!count) return;
  const struct fiber *by = lost->alloc_by == AREA_LOADING ? NULL : &fibers[lost->alloc_by];
  found_at(lost->alloc_pc, lost->address, by ? by : &fibers[FIBER_MAIN], "allocated here");
  if (count == 1)
    run_found(FOUND_LEAK, "at the end nobody can reach a block of %zu bytes that %s allocated and nobody freed",
              lost->size, fiber_name_then(by, lost->alloc_final));
  run_found(FOUND_LEAK,
            "at the end nobody can reach %zu blocks, %zu bytes, that nobody freed; %s allocated the first of them",
            count, bytes, fiber_name_then(by, lost->alloc_final));
}

/* What can be reached: where it is and what it is. Lost: the numbers of the blocks that cannot be. */
static VEC(uint32_t) lost_blocks;

__attribute__((no_sanitize("address"))) static uint64_t hash_at(uint64_t h, const void *from, size_t size) {
  const unsigned char *at = from;
  for (size_t i = 0; i < size; i++) h = (h ^ at[i]) * 0x100000001b3;
  return hash_mix(h ^ size);
}

static uint64_t hash_reached(void) {
  const struct image_range *ranges;
  uint64_t h = 1;
  size_t count = image_ranges(&ranges);
  reach_all();
  for (size_t i = 0; i < count; i++) h = hash_at(h, (const void *)ranges[i].low, ranges[i].high - ranges[i].low);
  for (unsigned f = 0; f < FIBERS_MOST; f++) {
    if (fibers[f].tls_used) h = hash_at(h, fibers[f].tls, fibers[f].tls_size);
    void **values = threads_values(f, &count);
    h = hash_at(h, values, count * sizeof *values);
  }
  lost_blocks.count = 0;
  for (unsigned a = 0; a < AREAS; a++)
    for (uint32_t i = 1; i <= heap_areas[a].count; i++) {
      struct block *b = &heap_areas[a].blocks[i];
      if (b->freed) continue;
      if (!b->marked) {
        if (lost_blocks.count < lost_blocks.room) lost_blocks.at[lost_blocks.count++] = b->number;
        continue;
      }
      b->marked = false;
      h = hash_at(h, (const void *)b->address, b->size);
    }
  return h;
}

bool heap_leaks_stand(bool (*again)(void)) {
  unsigned runs = 0;
  hidden.count = 0;
  if (!lost_blocks.room) {
    lost_blocks.room = hidden.room = AGAIN_MOST;
    lost_blocks.at = malloc(AGAIN_MOST * sizeof *lost_blocks.at);
    hidden.at = malloc(AGAIN_MOST * sizeof *hidden.at);
    if (!lost_blocks.at || !hidden.at) abort();
  }
  for (bool more = true; more;) { /* with each block that turns out to be reached there is more to look at */
    uint64_t usual = hash_reached();
    uint32_t lost[AGAIN_MOST];
    size_t count = lost_blocks.count;
    if (!count || count == AGAIN_MOST) break;
    memcpy(lost, lost_blocks.at, count * sizeof *lost);
    more = false;
    for (size_t i = 0; i < count && !more; i++) {
      heap_displaced = lost[i];
      bool same = ++runs < AGAIN_MOST && again() && hash_reached() == usual;
      heap_displaced = 0;
      if (same) continue;
      if (runs >= AGAIN_MOST || hidden.count == AGAIN_MOST) return false;
      hidden.at[hidden.count++] = lost[i];
      more = true;
    }
    if (!more) return true;
    if (!again()) break;
  }
  return false;
}

void heap_leaks_forget(void) { hidden.count = 0; }
