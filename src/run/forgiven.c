/* Races that are not reported: the code says that they are harmless (annotations.c), or the user does (suppressions).
 *
 * A forgiven access is a point, as a relaxed atomic one is, so that two of them are interleaved in every way. One that
 * races with an access which is not forgiven is interleaved only where that one's thread stops anyway: so where such a
 * race was seen, not everything was tried, and the search is not complete. The races seen are kept, for the report. */
#include <stdlib.h>
#include <string.h>

#include "run/runtime.h"

enum { RANGES_MOST = 1024 };

bool forgiving;
static uint32_t depth[FIBERS_MOST]; /* how many such regions each fiber is in */
static uint64_t inside;             /* fibers in one */
static struct image_range ranges[RANGES_MOST];
static size_t range_count, loaded_count; /* loaded: made before the runs */
static struct forgiven_race races[FORGIVEN_MOST];
static size_t race_count;

/* What is simple knows of no such accesses. */
static void update(void) {
  forgiving = inside || range_count || options.suppressed_count;
  if (forgiving && options.races && current) races_use_clocks();
}

void forgive_reset(void) {
  memset(depth, 0, sizeof depth);
  inside = 0;
  range_count = loaded_count;
  forgiving = range_count || options.suppressed_count;
}

/* After loading. */
void forgive_open(void) {
  loaded_count = range_count;
  race_count = 0;
  forgive_reset();
}

void forgive_begin(void) {
  if (!current || depth[current->id]++) return;
  inside |= (uint64_t)1 << current->id;
  update();
}

void forgive_end(void) {
  if (!current || !depth[current->id] || --depth[current->id]) return;
  inside &= ~((uint64_t)1 << current->id);
  update();
}

void forgive_range(uintptr_t low, size_t size) {
  for (size_t i = 0; i < range_count; i++)
    if (ranges[i].low <= low && low + size <= ranges[i].high) return;
  if (range_count == RANGES_MOST) {
    if (current) run_found(FOUND_UNSUPPORTED, "more than %d places have races that are called benign", RANGES_MOST);
    return;
  }
  ranges[range_count++] = (struct image_range){low, low + size};
  update();
}

/* The variable is gone. */
void forgive_forget(uintptr_t address, size_t size) {
  size_t kept = 0;
  for (size_t i = 0; i < range_count; i++)
    if (i < loaded_count || ranges[i].low - address >= size) ranges[kept++] = ranges[i];
  range_count = kept;
}

static bool in_range(uintptr_t address, size_t size) {
  for (size_t i = 0; i < range_count; i++)
    if (address < ranges[i].high && ranges[i].low < address + size) return true;
  return false;
}

static int by_address(const void *a, const void *b) {
  uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
  return (x > y) - (x < y);
}
static bool is_suppressed(uintptr_t pc) {
  return options.suppressed_count &&
         bsearch(&pc, options.suppressed, options.suppressed_count, sizeof pc, by_address) != NULL;
}

bool is_forgiven(const struct fiber *f, uintptr_t address, size_t size, uintptr_t pc) {
  return inside >> f->id & 1 || in_range(address, size) || is_suppressed(pc);
}

void forgive_race(uintptr_t address, size_t size, uintptr_t one, uintptr_t other) {
  if (!(one & other & PC_FORGIVEN)) run.forgiven = true; /* one of them is not a point */
  one &= PC_ONLY;
  other &= PC_ONLY;
  struct forgiven_race r = {.pc = {one < other ? one : other, one < other ? other : one}};
  r.by = is_suppressed(one) || is_suppressed(other) ? FORGIVEN_SUPPRESSED
         : in_range(address, size)                  ? FORGIVEN_BENIGN
                                                    : FORGIVEN_IGNORED;
  for (size_t i = 0; i < race_count; i++)
    if (!memcmp(races[i].pc, r.pc, sizeof r.pc)) return;
  if (race_count < FORGIVEN_MOST) races[race_count++] = r;
}

void run_volatile_race(uintptr_t pc[2]) {
  if (run.volatile_race[0]) memcpy(pc, run.volatile_race, sizeof run.volatile_race);
}

size_t run_forgiven(const struct forgiven_race **at) {
  *at = races;
  return race_count;
}
