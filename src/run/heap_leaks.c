/* Leaks: blocks that nobody can reach when all threads have ended.
 *
 * Whatever looks like the address of a block, or of a byte in one, counts as a reference: in the image's globals, in
 * thread-local storage, in the results of operations, and in blocks that are reached so. Pointers may carry marks: in
 * the low bits, in the upper 16, or in the lower 16 with the address above them. What was allocated while the image was
 * loaded is no leak. */
#include <stdlib.h>

#include "run/heap_parts.h"

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
  reach(word >> 16);
}

/* The image's globals are read as they are, red zones of sanitizers included. */
__attribute__((no_sanitize("address"))) static void reach_from(const void *from, size_t size) {
  const uintptr_t *at = (const uintptr_t *)(((uintptr_t)from + 7) & ~(uintptr_t)7),
                  *end = (const uintptr_t *)((uintptr_t)from + size);
  for (; at + 1 <= end; at++)
    if (*at) reach_word(*at);
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
              lost->size, fiber_name(by));
  run_found(FOUND_LEAK,
            "at the end nobody can reach %zu blocks, %zu bytes, that nobody freed; %s allocated the first of them",
            count, bytes, fiber_name(by));
}
