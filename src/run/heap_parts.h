/* The inside of the allocator (heap*.c).
 *
 * All blocks lie in one region at a fixed address, so that a run is repeated exactly, addresses included. Each
 * fiber has an area of its own, where fresh blocks are carved one after the other; so has what is allocated while the
 * image is loaded. Around each block is a red zone. From an address to its block it is one lookup: every 16 bytes of
 * the region have the number of their block within the area. What lies at or beyond `next` of its area is from an
 * earlier run and means nothing. */
#ifndef ASIF_RUN_HEAP_PARTS_H
#define ASIF_RUN_HEAP_PARTS_H

#include "run/runtime.h"

enum {
  GRANULE = 16,
  AREA_LOADING = FIBERS_MOST,  /* what is allocated while the image is loaded */
  AREA_SPARE = FIBER_MAIN - 1, /* of a fiber that there hardly ever is */
  BLOCKS_MOST = 1 << 24        /* of an area */
};
#define AREA_SIZE ((uintptr_t)1 << AREA_BITS)

/* How a block was made, and must be freed. */
enum block_kind { BLOCK_MALLOC, BLOCK_NEW, BLOCK_NEW_ARRAY, BLOCK_MAPPED };

struct block {
  uintptr_t address;
  size_t size, limit; /* limit: what may be accessed: size, or 0 where it is freed */
  uintptr_t alloc_pc, free_pc;
  uint32_t alloc_epoch; /* of races.c */
  uint32_t number;      /* in the order in which blocks are first allocated: for people */
  uint32_t units;       /* granules */
  uint32_t lives;       /* how often it was allocated in this run */
  uint8_t kind, align_log;
  bool freed, logged;              /* logged: of the loading area, changed in this run, and to be restored */
  uint8_t area, alloc_by, free_by; /* fibers; AREA_LOADING: none */
  bool alloc_final, free_final;    /* after all threads */
  bool marked;                     /* reached, when looking for leaks */
  bool listed;                     /* of one that is freed: it may be allocated again */
  struct block *next;              /* of one that is listed: freed before it */
};

#pragma GCC visibility push(hidden)
struct area {
  struct growing memory, map, descriptions; /* of the blocks: what is in them, heap_map, `blocks` */
  uintptr_t start, next;
  uint32_t count; /* blocks[1] .. blocks[count] */
  struct block *blocks;
  uint64_t version;      /* of its blocks and their map: another one, never used before, whenever any of them changes */
  uint64_t kept_version; /* that of the last state in which they were kept (kept.c) */
  const char *kept;      /* there */
};
extern struct area heap_areas[AREAS];
extern uint32_t *heap_map;      /* one for each granule */
extern uint32_t heap_displaced; /* the number of a block that is to be at another address than usual; 0: none */

/* The block an address is in, freed or not; NULL: in none. */
static inline struct block *heap_block(uintptr_t address) {
  uintptr_t at = address - heap_base;
  const struct area *a = &heap_areas[at >> AREA_BITS];
  if (UNLIKELY(address >= a->next)) return NULL; /* there need not be a map */
  uint32_t i = heap_map[at / GRANULE];
  return i ? &a->blocks[i] : NULL;
}

/* Whether all of it is in one block that is not freed. */
static inline __attribute__((always_inline)) bool heap_live(uintptr_t address, size_t size) {
  const struct block *b = heap_block(address);
  return b && address - b->address + size <= b->limit;
}

/* Where freed blocks of a size are kept: the address of the points of those who allocate and free them. Not memory. */
#define LISTS_BASE (heap_base - ((uintptr_t)1 << 40))
static inline uintptr_t heap_list(uint32_t units, uint8_t align_log) {
  return LISTS_BASE + ((uintptr_t)units << 8 | align_log << 3);
}

void *heap_take(size_t size, size_t align, enum block_kind, uintptr_t pc); /* NULL: more than there can be */
void heap_give(void *, enum block_kind, size_t said, uintptr_t pc);        /* said: the size, of a sized delete; or 0 */

_Noreturn void heap_full(size_t size);

/* Who may have the address of a block (heap_held.c). */
extern uint32_t heap_sight_count;
void heap_knows(const struct fiber *, const struct block *); /* it allocates it */
bool heap_alone(const struct fiber *);              /* there is nobody else who could have it, or come to have it */
bool heap_held(const struct block *, uintptr_t pc); /* of a block that is about to be freed there: may it be allocated
                                                       again? */

/* What is wrong, in a sentence (heap_tell.c). None returns. */
_Noreturn void tell_bad_access(uintptr_t address, size_t size, bool write, uintptr_t pc);
_Noreturn void tell_double_free(const struct block *, uintptr_t pc);
_Noreturn void tell_not_a_block(uintptr_t address, const char *with, uintptr_t pc);
_Noreturn void tell_other_kind(const struct block *, enum block_kind, uintptr_t pc);
_Noreturn void tell_other_size(const struct block *, size_t said, uintptr_t pc);
const char *kind_freed_by(enum block_kind); /* "free", "delete", "delete[]" */

#pragma GCC visibility pop
#endif
