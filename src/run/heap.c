/* The allocator: deterministic, its reuse of freed blocks a choice, its blocks guarded.
 *
 * A fixed order in which freed blocks come back would hide ABA: a block of the right size may be any that was freed and
 * whose address somebody may still have (heap_held.c), or a fresh one, and each is a choice of the schedule. For the
 * order of steps a list of such blocks is one more shared place: who takes a fresh block has read it, who takes one of
 * the list or puts one there has written it. Where the image frees nothing there is nothing to choose, and an
 * allocation is not a point. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/heap_parts.h"
#include "run/names.h"

enum {
  FRESH = RUN_FRESH,
  LISTS_LOG = 10,     /* lists of freed blocks, hashed by size and alignment */
  CHOICES_MOST = 254, /* freed blocks to choose from: a choice is a byte */
  PAGE = 4096,
  MUCH = 8 << 20, /* bytes of an area: from then on blocks that nobody has the address of are used again */
  COPIED_MOST =
      4 * PAGE /* a loading area up to this size is restored as a whole, a larger one by the pages that were written */
};

#define NO_MACHINE ((size_t)1 << 46) /* has so much: an allocation of more fails everywhere */

struct area heap_areas[AREAS];
uint32_t *heap_map;

struct list {
  uintptr_t key; /* heap_list; 0: none */
  struct block *first;
  unsigned count;
};
static struct {
  bool open, frees;
  bool own_new; /* the image has an operator new or delete of its own: what it makes may be freed by the other */
  uint32_t numbered, numbered_loading;
  uint64_t used;                /* bit f: the area of fiber f was used in this run */
  uint64_t versions;            /* how many there were, of all areas */
  uint64_t layout;              /* the version of all areas together */
  uint64_t kept_layout;         /* that of the last state in which it was kept (kept.c) */
  const char *kept_areas;       /* there */
  struct extent extents[AREAS]; /* of the areas, as they are in this layout: */
  size_t extent_count;
  uint64_t extents_layout;
  struct list lists[1 << LISTS_LOG];
  uint16_t listed[1 << LISTS_LOG]; /* the lists in use */
  unsigned list_count;
  /* As it was after loading. */
  char *kept;
  size_t kept_size;
  uint32_t kept_blocks;
  uint32_t *dirty; /* the pages that were ever written since; NULL: all are restored */
  size_t dirty_count;
  struct {
    struct block *block, was;
  } * log; /* blocks of the loading area that this run freed or took again */
  size_t log_count, log_room;
} heap;

/* Where the map and the descriptions are; see memory.c. */
#define MAP_AT    ((uintptr_t)0x6a0000000000)
#define BLOCKS_AT ((uintptr_t)0x6b0000000000)

static void heap_open(void) {
  const size_t map = AREA_SIZE / GRANULE * sizeof *heap_map, descriptions = sizeof(struct block) * BLOCKS_MOST;
  heap_map = (uint32_t *)MAP_AT;
  for (unsigned i = 0; i < AREAS; i++) {
    struct area *a = &heap_areas[i];
    a->memory = (struct growing){.at = heap_base + i * AREA_SIZE, .most = AREA_SIZE};
    a->map = (struct growing){.at = MAP_AT + i * map, .most = map};
    a->descriptions = (struct growing){.at = BLOCKS_AT + i * descriptions, .most = descriptions};
    a->start = a->next = a->memory.at; /* it has no memory yet: nothing is looked up */
  }
  heap.open = true;
  heap.frees = true;
}

static void area_open(struct area *a) {
  size_t i = (size_t)(a - heap_areas);
  /* Areas begin at different places of their pages: else all of them would want the same few lines of the cache. */
  a->start = a->next = a->memory.at + i % 16 * 256;
  a->blocks = (struct block *)a->descriptions.at + i % 16 * 4;
}

static inline void area_changes(struct area *a) { a->version = heap.layout = ++heap.versions; }
static inline void block_changes(const struct block *b) { area_changes(&heap_areas[b->area]); }

/* Freed blocks. */

/* Key of what orders a free before the allocation that takes the block again. In the red zone: nobody else's. */
static uintptr_t order_key(const struct block *b) { return b->address - 8; }

static struct list *list_of(uint32_t units, uint8_t align_log) {
  uintptr_t key = heap_list(units, align_log);
  size_t i = (key >> 3) * 0x9e3779b97f4a7c15 >> (64 - LISTS_LOG);
  for (; heap.lists[i].key != key; i = (i + 1) % (1 << LISTS_LOG)) {
    if (heap.lists[i].key) continue;
    if (heap.list_count == (1 << LISTS_LOG) - 1)
      run_found(FOUND_UNSUPPORTED, "%s frees blocks of more than %u different sizes: more than can be kept apart",
                fiber_name(current), heap.list_count);
    heap.lists[i].key = key;
    heap.listed[heap.list_count++] = (uint16_t)i;
    break;
  }
  return &heap.lists[i];
}

static void list_add(struct block *b) {
  struct list *l = list_of(b->units, b->align_log);
  step_wrote_same();
  if (races_wanted()) races_release(order_key(b));
  b->next = l->first;
  l->first = b;
  l->count++;
}

static struct block *list_take(struct list *l, unsigned which) {
  struct block **at = &l->first;
  while (which--) {
    block_changes(*at); /* the last of them does */
    at = &(*at)->next;
  }
  struct block *b = *at;
  *at = b->next;
  l->count--;
  return b;
}

/* A block of the loading area is about to change: it will be as it was in the next run. */
static void keep_block(struct block *b) {
  if (b->area != AREA_LOADING || b->logged || !heap.kept) return;
  if (heap.log_count == heap.log_room) {
    heap.log_room = heap.log_room ? 2 * heap.log_room : 64;
    heap.log = realloc(heap.log, heap.log_room * sizeof *heap.log);
    if (!heap.log) run_no_memory("blocks that were allocated while the code was loaded");
  }
  heap.log[heap.log_count].block = b;
  heap.log[heap.log_count++].was = *b;
  b->logged = true;
}

/* Allocating. */

void heap_full(size_t size) {
  if (!current)
    end_process("the tested code allocates %zu bytes while it is loaded: more than the %lu MB it may", size,
                (unsigned long)(AREA_SIZE >> 20));
  run_found(FOUND_UNSUPPORTED, "%s allocates %zu bytes more than the %lu MB or %u blocks that a thread may have",
            fiber_name(current), size, (unsigned long)(AREA_SIZE >> 20), BLOCKS_MOST);
}

/* Room for a block that ends there. */
static inline void area_reach(struct area *a, uintptr_t end, size_t size) {
  size_t memory = end - a->memory.at;
  enum grown grown = grow(&a->memory, memory);
  if (LIKELY(grown == GROWN)) grown = grow(&a->map, (memory / GRANULE + 1) * sizeof *heap_map);
  if (LIKELY(grown == GROWN)) grown = grow(&a->descriptions, ((size_t)a->count + 64) * sizeof *a->blocks);
  if (UNLIKELY(grown == GROWN_LIMIT)) heap_full(size);
  if (UNLIKELY(grown != GROWN)) run_no_memory("what the tested code allocates");
}

static struct block *carve(unsigned area, uint32_t units, uint8_t align_log, size_t size) {
  struct area *a = &heap_areas[area];
  if (UNLIKELY(!a->blocks)) area_open(a);
  size_t bytes = (size_t)units * GRANULE, zone = GRANULE + (bytes < 4096 ? bytes / 4 : 1024) / GRANULE * GRANULE;
  uintptr_t gap = UNLIKELY(heap_scatters) ? GRANULE * (1 + (uintptr_t)heap.numbered * 7 % 11) : 0;
  uintptr_t align = (uintptr_t)1 << align_log, at = (a->next + GRANULE + gap + align - 1) & ~(align - 1),
            end = at + bytes + zone;
  area_reach(a, end, size);
  uint32_t number = ++a->count, *map = heap_map + (a->next - heap_base) / GRANULE,
           *in = heap_map + (at - heap_base) / GRANULE;
  while (map < in) *map++ = 0;
  for (uint32_t i = 0; i < units; i++) *map++ = number;
  for (size_t i = 0; i < zone / GRANULE; i++) *map++ = 0;
  a->next = end;
  struct block *b = &a->blocks[number];
  b->address = at;
  b->units = units;
  b->align_log = align_log;
  b->area = (uint8_t)area;
  b->lives = 0;
  b->logged = false;
  b->number = ++heap.numbered;
  memset((void *)at, FRESH, bytes);
  return b;
}

uint32_t heap_displaced;

/* All others are where they would be without that: its place stays empty. */
static __attribute__((noinline)) struct block *carve_elsewhere(unsigned area, uint32_t units, uint8_t align_log,
                                                               size_t size) {
  struct block *hole = carve(area, units, align_log, size);
  hole->freed = true;
  hole->limit = 0;
  heap.numbered--;
  heap.used |= (uint64_t)1 << AREA_SPARE;
  return carve(AREA_SPARE, units, align_log, size);
}

/* Where much was allocated, a block that the thread itself freed and nobody has the address of is as good as a fresh
 * one. */
static __attribute__((noinline)) struct block *spare(uint32_t units, uint8_t align_log) {
  const struct area *a = &heap_areas[current->id];
  for (uint32_t i = a->count; i > 0; i--) {
    struct block *b = &a->blocks[i];
    if (!b->freed || b->listed || b->free_by != current->id || b->units != units || b->align_log != align_log) continue;
    if (races_wanted()) races_forget(b->address, (size_t)units * GRANULE);
    return b;
  }
  return NULL;
}

static struct block *fresh(uint32_t units, uint8_t align_log, size_t size) {
  unsigned area = current ? current->id : AREA_LOADING;
  if (current) heap.used |= (uint64_t)1 << area;
  if (UNLIKELY(heap_areas[area].next - heap_areas[area].start > MUCH) && heap_sights && current) {
    struct block *b = spare(units, align_log);
    if (b) return b;
  }
  if (UNLIKELY(heap.numbered + 1 == heap_displaced)) return carve_elsewhere(area, units, align_log, size);
  return carve(area, units, align_log, size);
}

static struct block *choose(uint32_t units, uint8_t align_log, size_t size) {
  if (!current || !heap.frees) return fresh(units, align_log, size);
  if ((run.finishing && heap_sights) || (!options.reuse_all && heap_alone(current)))
    return fresh(units, align_log, size);
  point(POINT_ALLOC, heap_list(units, align_log), 1);
  struct list *l = list_of(units, align_log);
  unsigned freed = l->count < CHOICES_MOST ? l->count : CHOICES_MOST, which = freed ? choose_block(freed + 1) : 0;
  if (which == freed) return fresh(units, align_log, size);
  struct block *b = list_take(l, which);
  step_wrote_same();
  if (!options.type_stable) step_block(b->address, (size_t)units * GRANULE);
  keep_block(b);
  if (races_wanted()) {
    races_acquire(order_key(b));
    races_forget(b->address, (size_t)units * GRANULE);
  }
  return b;
}

void *heap_take(size_t size, size_t align, enum block_kind kind, uintptr_t pc) {
  if (!heap.open) heap_open();
  if (size > NO_MACHINE || align > NO_MACHINE) return NULL;
  if (size > AREA_SIZE / 2 || align > AREA_SIZE / 2) heap_full(size);
  uint8_t align_log = 4;
  while ((size_t)1 << align_log < align) align_log++;
  struct block *b = choose(size ? (uint32_t)((size + GRANULE - 1) / GRANULE) : 1, align_log, size);
  if (current) spin_wrote(current);
  block_changes(b);
  if (heap_sights && current && b->lives) heap_erased_range(b->address, b->size); /* it may be filled anew */
  b->size = b->limit = size;
  b->kind = (uint8_t)kind;
  b->freed = b->marked = b->listed = false;
  b->lives++;
  if (heap_sights && current) heap_knows(current, b);
  b->alloc_pc = pc;
  b->alloc_by = current ? current->id : AREA_LOADING;
  b->alloc_final = run.finishing;
  b->alloc_epoch = options.type_stable && races_wanted() ? races_epoch() : 0;
  if (UNLIKELY(recording != NULL) && current) record_block(POINT_ALLOC, heap.frees, b->lives > 1, b->address, size, pc);
  return (void *)b->address;
}

/* Freeing. */

static bool deleted;

bool run_deleted(void) {
  bool was = deleted;
  deleted = false;
  return was;
}

/* The block that begins there and is to be freed; tells what is wrong if there is none. Outside of a run nobody is
 * told. */
static struct block *to_free(void *p, enum block_kind kind, size_t said, uintptr_t pc) {
  struct block *b = heap_block((uintptr_t)p);
  bool same = b && ((b->kind == kind && (!said || said == b->size)) || heap.own_new);
  bool right = same && b->address == (uintptr_t)p && !b->freed;
  if (LIKELY(right)) return b;
  if (!current) return NULL;
  if (!b || b->address != (uintptr_t)p) tell_not_a_block((uintptr_t)p, kind_freed_by(kind), pc);
  if (b->freed) tell_double_free(b, pc);
  if (b->kind != kind) tell_other_kind(b, kind, pc);
  tell_other_size(b, said, pc);
}

/* What the C library allocated itself (getline and the like) is the C library's to free; nothing else outside the
 * region can be freed. */
static void free_other(void *p, enum block_kind kind, uintptr_t pc) {
  Dl_info info;
  bool known = dladdr(p, &info);
  for (unsigned i = 0; i < FIBERS_MOST && !known; i++)
    known = (char *)p >= fibers[i].stack && (char *)p < fibers[i].stack_top;
  if (known && current) tell_not_a_block((uintptr_t)p, kind_freed_by(kind), pc);
  if (!known) free(p);
}

void heap_give(void *p, enum block_kind kind, size_t said, uintptr_t pc) {
  if (!p) return;
  if (!heap_owns((uintptr_t)p)) {
    free_other(p, kind, pc);
    return;
  }
  struct block *b = to_free(p, kind, said, pc);
  if (!b) return;
  if (current) {
    point(POINT_FREE, heap_list(b->units, b->align_log), 1);
    b = to_free(p, kind, said, pc); /* others may have gone first */
    if (kind == BLOCK_NEW || kind == BLOCK_NEW_ARRAY) deleted = true;
    if (UNLIKELY(recording != NULL)) record_block(POINT_FREE, true, false, b->address, b->size, pc);
    if (!options.type_stable) step_block(b->address, b->size);
    keep_block(b);
    if (races_wanted() && !options.type_stable) races_freed(b->address, b->size, pc);
    b->listed = heap_held(b, pc);
    if (b->listed) list_add(b);
  }
  block_changes(b);
  b->freed = true;
  b->limit = 0;
  b->free_pc = pc;
  b->free_by = current ? current->id : AREA_LOADING;
  b->free_final = run.finishing;
}

void *heap_alloc(size_t size, size_t align, uintptr_t pc) { return heap_take(size, align, BLOCK_MALLOC, pc); }
void heap_free(void *p, uintptr_t pc) { heap_give(p, BLOCK_MALLOC, 0, pc); }

size_t heap_size(const void *p) {
  const struct block *b = heap_owns((uintptr_t)p) ? heap_block((uintptr_t)p) : NULL;
  return b && b->address == (uintptr_t)p ? b->limit : 0;
}

/* Accesses. */

void heap_access(uintptr_t address, uint32_t size, bool write, bool atomic, uintptr_t pc) {
  (void)atomic;
  const struct block *b = heap_block(address);
  if (LIKELY(b && address - b->address + size <= b->limit)) return;
  if (!size || !current) return;
  if (b && b->freed && options.type_stable && address - b->address + size <= b->size) {
    run.reads_freed |= !b->listed && current->id != FIBER_MAIN;
    return;
  }
  tell_bad_access(address, size, write, pc);
}

uintptr_t heap_start(uintptr_t address) {
  const struct block *b = heap_block(address);
  return b ? b->address : address;
}

/* With ASIF_TYPE_STABLE: is this an access through a pointer from before the block was freed? Those are allowed, and
 * race with nobody. Whoever got the block in its present life knows of its allocation, which a happens-before order
 * tells; a block in its first life has no such pointers. */
bool heap_stale(uintptr_t address) {
  const struct block *b = heap_block(address);
  if (!b) return false;
  return b->freed || (b->lives > 1 && !races_knows(b->alloc_by, b->alloc_epoch));
}

/* From run to run. */

void heap_keep(bool frees) {
  if (!heap.open) heap_open();
  struct area *a = &heap_areas[AREA_LOADING];
  if (heap.kept) { /* after runs: it is as it was before them */
    heap_reset();
    if (heap.dirty) mprotect((void *)a->start, heap.kept_size, PROT_READ | PROT_WRITE);
    free(heap.dirty);
    free(heap.kept);
    heap.dirty = NULL;
    heap.dirty_count = 0;
  }
  heap.frees = frees;
  heap_sights = frees && !options.reuse_all && !options.stacks; /* stacks that are shared are not looked through */
  heap.own_new = names_define("_Znwm") || names_define("_ZdlPv");
  heap.numbered_loading = heap.numbered;
  heap.kept_blocks = a->count;
  heap.kept_size = (a->next - a->start + PAGE - 1) / PAGE * PAGE;
  if (heap.kept_size) area_reach(a, a->start + heap.kept_size, 0);
  a->next = a->start + heap.kept_size; /* pages of its own */
  heap.kept = malloc(heap.kept_size + 1);
  if (!heap.kept) run_no_memory("what the tested code allocates while it is loaded");
  memcpy(heap.kept, (void *)a->start, heap.kept_size);
  if (heap.kept_size <= COPIED_MOST) return;
  heap.dirty = malloc(heap.kept_size / PAGE * sizeof *heap.dirty);
  if (!heap.dirty || mprotect((void *)a->start, heap.kept_size, PROT_READ))
    run_no_memory("what the tested code allocates while it is loaded");
}

/* A page that was written once is restored before every run, and not protected again. */
bool heap_dirty(uintptr_t address) {
  uintptr_t at = address - heap_areas[AREA_LOADING].start;
  if (!heap.dirty || at >= heap.kept_size || heap.dirty_count == heap.kept_size / PAGE) return false;
  heap.dirty[heap.dirty_count++] = (uint32_t)(at / PAGE);
  return !mprotect((void *)(address & ~(uintptr_t)(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE);
}

static void restore_loading(void) {
  char *start = (char *)heap_areas[AREA_LOADING].start;
  if (!heap.dirty) memcpy(start, heap.kept, heap.kept_size);
  for (size_t i = 0; i < heap.dirty_count; i++)
    memcpy(start + (size_t)heap.dirty[i] * PAGE, heap.kept + (size_t)heap.dirty[i] * PAGE, PAGE);
  while (heap.log_count) {
    heap.log_count--;
    *heap.log[heap.log_count].block = heap.log[heap.log_count].was;
  }
}

void heap_reset(void) {
  if (heap.kept_size) restore_loading();
  for (uint64_t used = heap.used; used; used &= used - 1) {
    struct area *a = &heap_areas[__builtin_ctzll(used)];
    a->next = a->start;
    a->count = 0;
    area_changes(a);
  }
  heap.used = 0;
  heap_sight_count = 0;
  heap.numbered = heap.numbered_loading;
  while (heap.list_count) heap.lists[heap.listed[--heap.list_count]] = (struct list){0};
}

/* States kept in the middle of a run (kept.c): the areas in use, their blocks, the lists of freed ones. Most often no
 * block was allocated or freed since the state before: then all but the lists is as it is there. */

struct kept_heap {
  uint64_t used, layout;
  const char *areas; /* their ends: here, or in a state before */
  uint32_t numbered, list_count;
  uint32_t sights; /* heap_held.c */
};
struct area_end {
  uintptr_t next;
  uint64_t count, version;
  const char *blocks; /* and the map: here, or in a state before */
};

bool heap_can_be_put(void) { return !heap.kept_size; }

static void find_extents(void) {
  heap.extent_count = 0;
  heap.extents_layout = heap.layout;
  for (uint64_t used = heap.used; used; used &= used - 1) {
    const struct area *a = &heap_areas[__builtin_ctzll(used)];
    size_t size = (a->next - a->start + LINE - 1) & -(size_t)LINE;
    if (size) heap.extents[heap.extent_count++] = (struct extent){(void *)a->start, size};
  }
}
size_t heap_extents(const struct extent **extents) {
  if (UNLIKELY(heap.extents_layout != heap.layout)) find_extents();
  *extents = heap.extents;
  return heap.extent_count;
}

/* The map too: other runs have carved other blocks there. */
static uint32_t *map_of(const struct area *a) { return heap_map + (a->start - heap_base) / GRANULE; }
static size_t map_size(const struct area *a, uintptr_t next) { return (next - a->start) / GRANULE * sizeof *heap_map; }

static bool put_blocks(struct kept_bytes *s, struct area *a) {
  a->kept = s->at;
  a->kept_version = a->version;
  return kept_put(s, a->blocks + 1, a->count * sizeof *a->blocks) && kept_put(s, map_of(a), map_size(a, a->next));
}

static bool put_layout(struct kept_bytes *s, bool first) {
  for (uint64_t used = heap.used; used; used &= used - 1) {
    struct area *a = &heap_areas[__builtin_ctzll(used)];
    if ((first || a->kept_version != a->version) && !put_blocks(s, a)) return false;
  }
  heap.kept_areas = s->at;
  heap.kept_layout = heap.layout;
  for (uint64_t used = heap.used; used; used &= used - 1) {
    const struct area *a = &heap_areas[__builtin_ctzll(used)];
    const struct area_end end = {a->next, a->count, a->version, a->kept};
    if (!kept_put(s, &end, sizeof end)) return false;
  }
  return true;
}

static void get_area(const char **from, struct area *a) {
  struct area_end end;
  kept_get(from, &end, sizeof end);
  if (a->version == end.version) return;
  a->next = end.next;
  a->count = (uint32_t)end.count;
  a->version = a->kept_version = end.version;
  a->kept = end.blocks;
  const char *blocks = end.blocks;
  kept_get(&blocks, a->blocks + 1, a->count * sizeof *a->blocks);
  kept_get(&blocks, map_of(a), map_size(a, a->next));
}

static void get_layout(const struct kept_heap *k) {
  const char *from = k->areas;
  for (uint64_t later = heap.used & ~k->used; later; later &= later - 1) {
    struct area *a = &heap_areas[__builtin_ctzll(later)];
    a->next = a->start;
    a->count = 0;
    area_changes(a);
  }
  for (uint64_t used = k->used; used; used &= used - 1) get_area(&from, &heap_areas[__builtin_ctzll(used)]);
  heap.layout = heap.kept_layout = k->layout;
  heap.kept_areas = k->areas;
}

bool heap_put_blocks(struct kept_bytes *s, bool first) {
  return LIKELY(!first && heap.kept_layout == heap.layout) || put_layout(s, first);
}

bool heap_put(struct kept_bytes *s) {
  const struct kept_heap k = {heap.used,     heap.layout,     heap.kept_areas,
                              heap.numbered, heap.list_count, heap_sight_count};
  if (!kept_put(s, &k, sizeof k)) return false;
  for (unsigned i = 0; i < heap.list_count; i++)
    if (!kept_put(s, &heap.listed[i], sizeof heap.listed[i]) ||
        !kept_put(s, &heap.lists[heap.listed[i]], sizeof heap.lists[0]))
      return false;
  return true;
}

void heap_get(const char **from) {
  struct kept_heap k;
  kept_get(from, &k, sizeof k);
  if (UNLIKELY(k.layout != heap.layout)) get_layout(&k);
  heap.used = k.used;
  heap.numbered = k.numbered;
  heap_sight_count = k.sights;
  while (UNLIKELY(heap.list_count)) heap.lists[heap.listed[--heap.list_count]] = (struct list){0};
  heap.list_count = k.list_count;
  for (unsigned i = 0; i < heap.list_count; i++) {
    kept_get(from, &heap.listed[i], sizeof heap.listed[i]);
    kept_get(from, &heap.lists[heap.listed[i]], sizeof heap.lists[0]);
  }
}
