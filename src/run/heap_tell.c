/* What is wrong with an access to the heap, in a sentence, and the names of its addresses. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "run/heap_parts.h"

enum { FAR = 1 << 16 }; /* how many granules away a block may be for an address to be told by it */

const char *kind_freed_by(enum block_kind kind) {
  static const char *const by[] = {"free", "delete", "delete[]", "munmap"};
  return by[kind];
}
static const char *kind_made_by(enum block_kind kind) {
  static const char *const by[] = {"malloc or its like", "new", "new[]", "mmap"};
  return by[kind];
}

static const struct fiber *who(uint8_t fiber) { return &fibers[fiber == AREA_LOADING ? FIBER_MAIN : fiber]; }

static const char *allocator(const struct block *b) { return fiber_name_then(who(b->alloc_by), b->alloc_final); }
static const char *freer(const struct block *b) { return fiber_name_then(who(b->free_by), b->free_final); }

static void places_of(const struct block *b) {
  if (b->freed) found_at(b->free_pc, b->address, who(b->free_by), "freed here");
  found_at(b->alloc_pc, b->address, who(b->alloc_by), "allocated here");
}

static const char *bytes(size_t n) { return n == 1 ? "byte" : "bytes"; }

/* The block nearest to an address that is in none. */
static const struct block *nearest(uintptr_t address) {
  uintptr_t at = address - heap_base;
  const struct area *a = &heap_areas[at >> AREA_BITS];
  for (uintptr_t d = 1; d < FAR; d++) {
    const struct block *before = address - a->start >= d * GRANULE ? heap_block(address - d * GRANULE) : NULL;
    if (before) return before;
    const struct block *after = a->next > address + d * GRANULE ? heap_block(address + d * GRANULE) : NULL;
    if (after) return after;
  }
  return NULL;
}

/* "4 bytes past the end of", "8 bytes before", "12 bytes into" a block. */
static void position(char to[64], const struct block *b, uintptr_t address) {
  size_t n = address < b->address              ? b->address - address
             : address >= b->address + b->size ? address - b->address - b->size
                                               : 0;
  const char *where = address < b->address ? "before the beginning of" : "past the end of";
  if (address >= b->address && address < b->address + b->size)
    snprintf(to, 64, "%zu %s into", (size_t)(address - b->address), bytes(address - b->address));
  else if (n)
    snprintf(to, 64, "%zu %s %s", n, bytes(n), where);
  else
    snprintf(to, 64, "right past the end of");
}

void tell_bad_access(uintptr_t address, size_t size, bool write, uintptr_t pc) {
  const struct block *b = heap_block(address);
  const char *verb = write ? "writes" : "reads";
  char where[64];
  bool whole = b && address - b->address + size <= b->size;
  found_at(pc, address, current, write ? "the write" : "the read");
  if (!b) b = nearest(address);
  if (!b)
    run_found(FOUND_OUT_OF_BOUNDS, "%s %s %zu %s of the heap where no block is", fiber_name(current), verb, size,
              bytes(size));
  places_of(b);
  position(where, b, address);
  if (whole)
    run_found(FOUND_USE_AFTER_FREE, "%s %s %zu %s, %s a block of %zu %s that %s allocated and %s has freed",
              fiber_name(current), verb, size, bytes(size), where, b->size, bytes(b->size), allocator(b), freer(b));
  run_found(FOUND_OUT_OF_BOUNDS, "%s %s %zu %s, %s a block of %zu %s that %s allocated%s", fiber_name(current), verb,
            size, bytes(size), where, b->size, bytes(b->size), allocator(b), b->freed ? ", and that is freed" : "");
}

void tell_double_free(const struct block *b, uintptr_t pc) {
  found_at(pc, b->address, current, "freed again");
  places_of(b);
  run_found(FOUND_DOUBLE_FREE, "%s frees a block of %zu %s that %s has freed already", fiber_name(current), b->size,
            bytes(b->size), freer(b));
}

void tell_not_a_block(uintptr_t address, const char *with, uintptr_t pc) {
  const struct block *b = heap_owns(address) ? heap_block(address) : NULL;
  char where[64];
  found_at(pc, address, current, "freed here");
  if (!b) run_found(FOUND_BAD_FREE, "%s gives %s an address that is no block of the heap", fiber_name(current), with);
  places_of(b);
  position(where, b, address);
  run_found(FOUND_BAD_FREE, "%s gives %s an address %s a block of %zu %s, and not its beginning", fiber_name(current),
            with, where, b->size, bytes(b->size));
}

void tell_other_kind(const struct block *b, enum block_kind kind, uintptr_t pc) {
  found_at(pc, b->address, current, "freed here");
  places_of(b);
  run_found(FOUND_BAD_FREE, "%s frees with %s a block made by %s: %s would be right", fiber_name(current),
            kind_freed_by(kind), kind_made_by(b->kind), kind_freed_by(b->kind));
}

void tell_other_size(const struct block *b, size_t said, uintptr_t pc) {
  found_at(pc, b->address, current, "freed here");
  places_of(b);
  run_found(
      FOUND_BAD_FREE,
      "%s frees with %s, as an object of %zu %s, a block of %zu: of another type, or of a derived class without a "
      "virtual destructor",
      fiber_name(current), kind_freed_by(b->kind), said, bytes(said), b->size);
}

bool run_block_at(uintptr_t address, struct run_block *to) {
  const struct block *b = heap_owns(address) && heap_map ? heap_block(address) : NULL;
  if (!b) return false;
  *to = (struct run_block){.start = b->address,
                           .alloc_pc = b->alloc_pc,
                           .size = b->size,
                           .number = b->number,
                           .life = b->lives,
                           .freed = b->freed,
                           .array = b->kind == BLOCK_NEW_ARRAY};
  return true;
}

/* "(allocated by thread B)" */
void heap_describe_owner(uintptr_t address, struct text *to) {
  const struct block *b = heap_owns(address) && heap_map ? heap_block(address) : NULL;
  if (b) text_printf(to, " (allocated by %s)", allocator(b));
}

bool heap_describe(uintptr_t address, struct text *to) {
  if (address - LISTS_BASE < (uintptr_t)1 << 40) {
    text_printf(to, "freed blocks of %lu bytes", (unsigned long)((address - LISTS_BASE) >> 8) * GRANULE);
    return true;
  }
  if (!heap_owns(address) || !heap_map) return false;
  const struct block *b = heap_block(address);
  if (!b) {
    text_add(to, "heap, between two blocks");
    return true;
  }
  text_printf(to, "heap block %u", b->number);
  if (address > b->address) text_printf(to, " + %lu", (unsigned long)(address - b->address));
  return true;
}
