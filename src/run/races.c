/* Data races, by vector clocks with the memory orders of C11 (5.1.2.4, 7.17.3), over executions that are sequentially
 * consistent.
 *
 * A fiber's clock counts its releases; an access has its fiber's clock then as its epoch, and comes before what a fiber
 * does that knows of this epoch. What a fiber knows is copied when it releases (a *message*, found by fiber and epoch),
 * and an atomic location has no clock of its own, only the epochs of the releases whose release sequences reach it. So
 * it is exact which of them a relaxed store ends: those of others; and a release costs one copy, an acquire at most one
 * join for each.
 *
 * For plain accesses each 8 bytes of memory have a cell with the last accesses, as in FastTrack (Flanagan and Freund
 * 2009), but by bytes: an access that comes after another and conflicts with all that conflicts with that one takes its
 * place. The cells are found by hashing, and those of earlier runs are told by a number in the key: nothing is cleared
 * between runs. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/weak.h"

#define LOCK_BIT   ((uint64_t)1 << 63) /* of a key: not memory but a lock or its like at this address */
#define RUN_SHIFT  44
#define RUN_MASK   (((uint64_t)1 << 63) - ((uint64_t)1 << RUN_SHIFT))
#define BIT(fiber) ((uint64_t)1 << (fiber))

enum { SLOTS = 3, SYNCS_MOST = 1 << 20, EXTRAS_MOST = 1 << 22 };

/* A plain access. Mask: which of the 8 bytes; 0: no access. */
struct slot {
  uintptr_t pc;
  uint32_t clock;
  uint8_t fiber, mask;
  bool write;
};
struct extra { /* where a cell's slots are not enough */
  struct slot slot;
  uint32_t next;
};
struct cell {
  uint64_t key; /* address / 8, the run, LOCK_BIT */
  union {
    struct {
      uint32_t sync, extra; /* lists; 0: none */
    };
    uint64_t lists;
  };
  struct slot slots[SLOTS];
};

/* An atomic location or a lock. */
struct sync {
  uintptr_t address;
  uint64_t heads;            /* fibers whose releases reach it: head a release sequence that has not ended */
  uint64_t writers, readers; /* fibers that accessed it */
  uint32_t next;             /* of the same cell */
  uint8_t mask, newest;
  bool sole;   /* who knows of the newest release knows of all of them */
  bool tagged; /* some access was forgiven, or volatile */
  struct {
    uintptr_t wrote_pc, read_pc;
    uint32_t released, wrote, read; /* clocks */
  } by[FIBERS_MOST];
};

typedef int32_t lane __attribute__((vector_size(16)));
enum { LANE = 4, FEWEST = 2 * LANE /* fibers that clocks are always kept for */ };
union clock {
  uint32_t of[FIBERS_MOST];
  lane lanes[FIBERS_MOST / LANE];
};

static struct {
  uint64_t run;   /* shifted as in a key */
  unsigned width; /* how many fibers the clocks are kept for: a multiple of LANE */
  struct cell *cells;
  unsigned log, shift; /* of the number of cells; 64 - log */
  size_t used;
  uint32_t *list; /* where the cells are that this run uses, in the order they were added */
  struct sync *syncs;
  struct extra *extras;
  uint32_t sync_count, extra_count, extra_free;
  bool stable;             /* old pointers may be used: ASIF_TYPE_STABLE */
  uint64_t known, waiting; /* fibers with a clock; with relaxed reads that an acquire fence would make use of */
} races;
static bool was_simple, simple_again; /* again: what the clocks were needed for is known, the next run can do without */
static union clock clocks[FIBERS_MOST], relaxed[FIBERS_MOST]; /* relaxed: what it would know after an acquire fence */
static uint32_t fences[FIBERS_MOST];                          /* clock of its last release fence; 0: none */
static struct {
  union clock *at; /* by clock of the release */
  size_t room;
} messages[FIBERS_MOST];

/* Clocks. */

static inline lane later(lane a, lane b) {
  lane more = a > b;
  return (a & more) | (b & ~more);
}

static inline void clock_join(union clock *to, const union clock *from) {
  to->lanes[0] = later(to->lanes[0], from->lanes[0]);
  to->lanes[1] = later(to->lanes[1], from->lanes[1]);
  for (unsigned i = FEWEST / LANE; UNLIKELY(i < races.width / LANE); i++)
    to->lanes[i] = later(to->lanes[i], from->lanes[i]);
}

static inline void clock_copy(union clock *to, const union clock *from) {
  to->lanes[0] = from->lanes[0];
  to->lanes[1] = from->lanes[1];
  for (unsigned i = FEWEST / LANE; UNLIKELY(i < races.width / LANE); i++) to->lanes[i] = from->lanes[i];
}

static void begin_clocks(size_t steps);
/* Where it was done without them so far (order.c). */
static inline void use_clocks(size_t steps) {
  if (UNLIKELY(order_simple)) begin_clocks(steps);
}

static inline bool before(unsigned me, unsigned other, uint32_t clock) { return clock <= clocks[me].of[other]; }

__attribute__((noinline)) static void more_messages(unsigned fiber) {
  size_t room = messages[fiber].room ? 2 * messages[fiber].room : 64;
  union clock *at = aligned_alloc(sizeof *at, room * sizeof *at);
  if (!at) abort();
  if (messages[fiber].room) memcpy(at, messages[fiber].at, messages[fiber].room * sizeof *at);
  free(messages[fiber].at);
  messages[fiber].at = at;
  messages[fiber].room = room;
}

/* What the fiber did so far is released, and what it does from now on is not. */
static inline uint32_t release(unsigned me) {
  uint32_t clock = clocks[me].of[me];
  if (UNLIKELY(clock >= messages[me].room)) more_messages(me);
  clock_copy(&messages[me].at[clock], &clocks[me]);
  clocks[me].of[me] = clock + 1;
  return clock;
}

static inline void learn(union clock *to, unsigned from, uint32_t clock) {
  if (clock > to->of[from]) clock_join(to, &messages[from].at[clock]);
}

static inline void learn_all(union clock *to, const struct sync *s) {
  if (!s->heads) return;
  if (LIKELY(s->sole)) {
    learn(to, s->newest, s->by[s->newest].released);
    return;
  }
  for (uint64_t rest = s->heads; rest; rest &= rest - 1) {
    unsigned from = (unsigned)__builtin_ctzll(rest);
    learn(to, from, s->by[from].released);
  }
}

/* A read of s, with an order or without. */
static inline void read_from(unsigned me, const struct sync *s, bool acquires) {
  if (acquires) {
    learn_all(&clocks[me], s);
    return;
  }
  if (!s->heads) return;
  if (!(races.waiting & BIT(me))) {
    clock_copy(&relaxed[me], &clocks[me]);
    races.waiting |= BIT(me);
  }
  learn_all(&relaxed[me], s);
}

static inline void add_head(unsigned me, struct sync *s, uint32_t clock, bool knows_all) {
  s->sole = knows_all || !(s->heads & ~BIT(me));
  s->heads |= BIT(me);
  s->by[me].released = clock;
  s->newest = (uint8_t)me;
}

/* Cells. */

static inline size_t place_of(uint64_t key) { return (key << (64 - RUN_SHIFT)) * 0x9e3779b97f4a7c15 >> races.shift; }
static inline bool of_this_run(const struct cell *c) { return !((c->key ^ races.run) & RUN_MASK); }
static inline uint64_t key_of(uintptr_t address) { return address >> 3 | races.run; }

/* NULL: there is none. */
static inline struct cell *cell_find(uint64_t key) {
  for (size_t i = place_of(key);; i = (i + 1) & (((size_t)1 << races.log) - 1)) {
    struct cell *c = &races.cells[i];
    if (LIKELY(c->key == key)) return c;
    if (!of_this_run(c)) return NULL;
  }
}

static void *reserve(size_t size) {
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) run_no_memory("what is known of accesses, to look for races");
  return p;
}

/* See memory.c. */
static struct growing syncs = {.at = 0x6c0000000000, .most = sizeof *races.syncs * SYNCS_MOST},
                      extras = {.at = 0x6c8000000000, .most = sizeof *races.extras * EXTRAS_MOST};
static void reach(struct growing *g, size_t size) {
  if (UNLIKELY(grow(g, size) != GROWN)) run_no_memory("what is known of accesses, to look for races");
}

static void cells_grow(void) {
  struct cell *old = races.cells;
  size_t count = old ? (size_t)1 << races.log : 0;
  races.log = old ? races.log + 1 : 8;
  races.shift = 64 - races.log;
  races.cells = reserve(sizeof *old << races.log);
  uint32_t *list = reserve(sizeof *list << races.log);
  for (size_t i = 0; old && i + 1 < races.used; i++) {
    const struct cell *c = &old[races.list[i]];
    size_t k = place_of(c->key);
    while (of_this_run(&races.cells[k])) k = (k + 1) & (((size_t)1 << races.log) - 1);
    races.cells[k] = *c;
    list[i] = (uint32_t)k;
  }
  if (old) {
    munmap(old, count * sizeof *old);
    munmap(races.list, count * sizeof *list);
  }
  races.list = list;
  kept_forget();
}

__attribute__((noinline)) static struct cell *cell_add(uint64_t key) {
  if (++races.used > (size_t)1 << (races.log - 1)) cells_grow();
  size_t i = place_of(key);
  while (of_this_run(&races.cells[i])) i = (i + 1) & (((size_t)1 << races.log) - 1);
  struct cell *c = &races.cells[i];
  races.list[races.used - 1] = (uint32_t)i;
  c->key = key;
  c->lists = 0;
  for (unsigned k = 0; k < SLOTS; k++) c->slots[k].mask = 0;
  return c;
}

static inline struct cell *cell_of(uint64_t key) {
  struct cell *c = cell_find(key);
  return LIKELY(c != NULL) ? c : cell_add(key);
}

__attribute__((noinline)) static struct sync *sync_add(struct cell *c, uintptr_t address, uint8_t mask) {
  if (races.sync_count + 1 >= SYNCS_MOST)
    run_found(FOUND_UNSUPPORTED, "more than %u atomic locations and locks are used", SYNCS_MOST);
  reach(&syncs, ((size_t)races.sync_count + 2) * sizeof *races.syncs);
  struct sync *s = &races.syncs[++races.sync_count];
  s->address = address;
  s->mask = mask;
  s->heads = s->writers = s->readers = 0;
  s->sole = true;
  s->tagged = false;
  s->next = c->sync;
  c->sync = races.sync_count;
  return s;
}

static inline struct sync *sync_of(struct cell *c, uintptr_t address, uint8_t mask) {
  for (uint32_t i = c->sync; i; i = races.syncs[i].next)
    if (races.syncs[i].address == address && races.syncs[i].mask == mask) return &races.syncs[i];
  return sync_add(c, address, mask);
}

/* Racing. */

struct accessed {
  uintptr_t address, pc;
  size_t size;
  uint8_t mask;
  bool write, atomic, frees, stale; /* stale: only for what it orders */
};

static void name_of(uintptr_t address, char name[200]) {
  struct mem mem;
  struct text text;
  mem_open(&mem, NULL);
  text_open(&text, &mem);
  run_describe_address(address, &text);
  snprintf(name, 200, "%s", text_string(&text));
  mem_close(&mem);
}

/* A free races with an access: it could as well have come first. That use after free was not executed. */
_Noreturn static void tell_freed(const struct accessed *a, unsigned other, uintptr_t pc, uint8_t bytes, bool write) {
  char place[200];
  uintptr_t address = (a->address & ~(uintptr_t)7) + (unsigned)__builtin_ctz(bytes);
  name_of(address, place);
  found_at(a->pc, heap_start(a->address), current, "the free, which could come first");
  found_at(pc, address, &fibers[other],
           write ? "the write, which could come after it" : "the read, which could come after it");
  run_found(
      FOUND_USE_AFTER_FREE,
      "predicted: %s %s %s, %s frees the block later in this run's order, and nothing orders the two: the free could "
      "come first",
      fiber_name(&fibers[other]), write ? "writes" : "reads", place, fiber_name(current));
}

/* mask: of the other access. In a sequential run nothing is concurrent, whoever makes the calls. */
static void tell(const struct accessed *a, unsigned other, uintptr_t pc, uint8_t mask, bool write, bool atomic) {
  char place[200];
  if (in_sequence) return;
  if (a->frees) tell_freed(a, other, pc & PC_ONLY, mask & a->mask, write);
  if (UNLIKELY((a->pc | pc) & PC_FORGIVEN)) {
    forgive_race(a->address, a->size, a->pc, pc);
    return;
  }
  name_of(a->address, place);
  found_at(a->pc & PC_ONLY, a->address, current, a->write ? "the write" : "the read");
  found_at(pc & PC_ONLY, a->address, &fibers[other], write ? "the other write" : "the other read");
  run_found(FOUND_RACE, "%zu byte%s at %s: %s %s%s, %s %s%s, and nothing orders the two", a->size,
            a->size == 1 ? "" : "s", place, fiber_name(&fibers[other]), write ? "writes" : "reads",
            atomic ? " it atomically" : "", fiber_name(current), a->write ? "writes" : "reads",
            a->atomic ? " it atomically" : "");
}

static inline void against_slot(const struct slot *s, unsigned me, const struct accessed *a) {
  if (s->mask & a->mask && (s->write || a->write) && UNLIKELY(!before(me, s->fiber, s->clock)))
    tell(a, s->fiber, s->pc, s->mask, s->write, false);
}

static inline void against_slots(const struct cell *c, unsigned me, const struct accessed *a) {
  for (unsigned i = 0; i < SLOTS && c->slots[i].mask; i++) against_slot(&c->slots[i], me, a);
  for (uint32_t i = c->extra; UNLIKELY(i != 0); i = races.extras[i].next) against_slot(&races.extras[i].slot, me, a);
}

/* A plain access against the atomic ones. */
__attribute__((noinline)) static void against_syncs(const struct cell *c, unsigned me, const struct accessed *a) {
  for (uint32_t i = c->sync; i; i = races.syncs[i].next) {
    struct sync *s = &races.syncs[i];
    if (!(s->mask & a->mask)) continue;
    for (uint64_t rest = s->writers; rest; rest &= rest - 1) {
      unsigned f = (unsigned)__builtin_ctzll(rest);
      if (!before(me, f, s->by[f].wrote)) tell(a, f, s->by[f].wrote_pc, s->mask, true, true);
    }
    for (uint64_t rest = a->write ? s->readers : 0; rest; rest &= rest - 1) {
      unsigned f = (unsigned)__builtin_ctzll(rest);
      if (!before(me, f, s->by[f].read)) tell(a, f, s->by[f].read_pc, s->mask, false, true);
    }
    /* It is written: no release sequence goes on. What was accessed comes before, and this is in its place. */
    if (a->write) s->heads = 0;
    if (a->write && !(s->mask & ~a->mask)) s->writers = s->readers = 0;
  }
}

/* Plain accesses. */

/* Is the older one not needed beside the newer, which comes after it? */
static inline bool replaced(const struct slot *s, unsigned me, const struct accessed *a) {
  if (s->mask & ~a->mask) return false;
  return a->write || (!s->write && before(me, s->fiber, s->clock));
}

static void note_extra(struct cell *c, struct slot new, unsigned me, const struct accessed *a) {
  for (uint32_t *at = &c->extra; *at;) {
    struct extra *e = &races.extras[*at];
    if (!replaced(&e->slot, me, a)) {
      at = &e->next;
    } else if (new.mask) {
      e->slot = new;
      new.mask = 0;
      at = &e->next;
    } else {
      uint32_t gone = *at;
      *at = e->next;
      e->next = races.extra_free;
      races.extra_free = gone;
    }
  }
  if (!new.mask) return;
  uint32_t i = races.extra_free;
  if (i) {
    races.extra_free = races.extras[i].next;
  } else {
    i = ++races.extra_count;
    if (i >= EXTRAS_MOST) run_found(FOUND_UNSUPPORTED, "more plain accesses than can be kept apart");
    reach(&extras, ((size_t)i + 1) * sizeof *races.extras);
  }
  races.extras[i] = (struct extra){new, c->extra};
  c->extra = i;
}

static inline void note(struct cell *c, unsigned me, const struct accessed *a) {
  struct slot new = {a->pc, clocks[me].of[me], (uint8_t)me, a->mask, a->write};
  unsigned kept = 0;
  for (unsigned i = 0; i < SLOTS && c->slots[i].mask; i++)
    if (!replaced(&c->slots[i], me, a)) c->slots[kept++] = c->slots[i];
  if (LIKELY(kept < SLOTS)) {
    c->slots[kept++] = new;
    new.mask = 0;
  }
  if (kept < SLOTS) c->slots[kept].mask = 0;
  if (UNLIKELY(c->extra || new.mask)) note_extra(c, new, me, a);
}

/* Was the same access made since the fiber's last release? Then it has been compared with everything. */
static inline bool same_slot(const struct slot *s, unsigned me, const struct accessed *a) {
  return s->fiber == me && s->mask == a->mask && s->clock == clocks[me].of[me] && s->write >= a->write;
}
static inline bool once_more(const struct cell *c, unsigned me, const struct accessed *a) {
  for (unsigned i = 0; i < SLOTS && c->slots[i].mask; i++)
    if (same_slot(&c->slots[i], me, a)) return true;
  for (uint32_t i = c->extra; UNLIKELY(i != 0); i = races.extras[i].next)
    if (same_slot(&races.extras[i].slot, me, a)) return true;
  return false;
}

static inline void access_piece(const struct accessed *a, unsigned me) {
  struct cell *c = cell_of(key_of(a->address));
  if (once_more(c, me, a)) return;
  against_slots(c, me, a);
  if (UNLIKELY(c->sync)) against_syncs(c, me, a);
  note(c, me, a);
}

/* Of the bytes from `at` in its 8: those an access of this size has. */
static inline uint8_t mask_of(uintptr_t at, size_t size) {
  return (uint8_t)(((size >= 8 ? 0x100u : 1u << size) - 1) << (at & 7));
}
/* The same, with further bits where it goes beyond them. */
static inline uint32_t wide_mask_of(uintptr_t at, uint32_t size) {
  return (size > 8 ? 0x1FF : (1u << size) - 1) << (at & 7);
}
static inline size_t piece_of(uintptr_t at, size_t size) { return size < 8 - (at & 7) ? size : 8 - (at & 7); }

/* Accesses that are allowed to be in any order: through old pointers where the harness says so, and to stacks, if their
 * owners' plain accesses are not seen. */
static inline bool unchecked(uintptr_t address) {
  if (UNLIKELY(run_in_stack(address)) && !options.stacks) return true;
  return UNLIKELY(races.stable) && heap_owns(address) && heap_stale(address);
}

__attribute__((noinline)) static void access_pieces(uintptr_t address, uint32_t size, bool write, uintptr_t pc,
                                                    unsigned me) {
  struct accessed a = {.address = address, .pc = pc, .size = size, .write = write};
  for (uintptr_t end = address + size; a.address < end; a.address += piece_of(a.address, 8)) {
    a.mask = mask_of(a.address, end - a.address);
    access_piece(&a, me);
  }
}

/* The short way: nobody else was there, and the fiber itself not in another way. */
void clocks_access(uintptr_t address, uint32_t size, bool write, uintptr_t pc) {
  if (unchecked(address)) return;
  unsigned me = current->id;
  uint32_t mask = wide_mask_of(address, size);
  struct cell *c = cell_of(key_of(address));
  struct slot *s = &c->slots[0];
  bool alone =
      !c->lists && (s->mask ? s->fiber == me && s->mask == mask && s->write <= write && !s[1].mask : mask - 1 < 0xFF);
  if (UNLIKELY(!alone)) {
    access_pieces(address, size, write, pc, me);
    return;
  }
  *s = (struct slot){pc, clocks[me].of[me], (uint8_t)me, (uint8_t)mask, write};
}

/* Each piece is only looked for: whoever accesses it from now on uses what is freed. */
void races_freed(uintptr_t address, size_t size, uintptr_t pc) {
  use_clocks(run.count);
  struct accessed a = {.address = address, .pc = pc, .size = size, .write = true, .frees = true};
  unsigned me = current->id;
  for (uintptr_t end = address + size; a.address < end; a.address += piece_of(a.address, 8)) {
    const struct cell *c = cell_find(key_of(a.address));
    if (!c) continue;
    a.mask = mask_of(a.address, end - a.address);
    against_slots(c, me, &a);
    if (c->sync) against_syncs(c, me, &a);
  }
}

void races_forget(uintptr_t address, size_t size) {
  use_clocks(run.count);
  if (weak_here()) weak_forget(address, size);
  for (uintptr_t at = address; at < address + size; at += 8) {
    struct cell *c = cell_find(key_of(at));
    if (!c) continue;
    c->sync = c->extra = 0;
    for (unsigned i = 0; i < SLOTS; i++) c->slots[i].mask = 0;
  }
  annotations_forget(address, size);
  forgive_forget(address, size);
}

void races_use_clocks(void) { use_clocks(run.count); }
void races_use_clocks_before(void) { use_clocks(run.count - 1); }

/* Atomic accesses. */

/* Accesses that are none in C, but are taken for atomic ones: forgiven and volatile ones. */
static void tell_tagged(const struct accessed *a, uintptr_t pc) {
  if ((a->pc | pc) & PC_FORGIVEN) {
    forgive_race(a->address, a->size, a->pc, pc);
  } else if (!run.volatile_race[0]) {
    run.volatile_race[0] = a->pc & PC_ONLY;
    run.volatile_race[1] = pc & PC_ONLY;
    simple_again = was_simple;
  }
}
__attribute__((noinline)) static void against_tagged(struct sync *s, unsigned me, const struct accessed *a) {
  for (uint64_t rest = s->writers & ~BIT(me); rest; rest &= rest - 1) {
    unsigned f = (unsigned)__builtin_ctzll(rest);
    if ((a->pc | s->by[f].wrote_pc) & ~PC_ONLY && !before(me, f, s->by[f].wrote)) tell_tagged(a, s->by[f].wrote_pc);
  }
  for (uint64_t rest = a->write ? s->readers & ~BIT(me) : 0; rest; rest &= rest - 1) {
    unsigned f = (unsigned)__builtin_ctzll(rest);
    if ((a->pc | s->by[f].read_pc) & ~PC_ONLY && !before(me, f, s->by[f].read)) tell_tagged(a, s->by[f].read_pc);
  }
  s->tagged |= (a->pc & ~PC_ONLY) != 0;
}
static inline bool is_tagged(const struct sync *s, uintptr_t pc) { return s->tagged || pc & ~PC_ONLY; }

/* After a write with no release: its thread's own sequence goes on (5.1.2.4 paragraph 10), and a release fence before
 * it makes it the head of one (7.17.4). */
static inline void write_relaxed(unsigned me, struct sync *s, bool updates) {
  uint32_t own = s->heads & BIT(me) ? s->by[me].released : 0, clock = fences[me] > own ? fences[me] : own;
  if (!updates) s->heads = 0;
  if (clock > own || (clock && !updates)) add_head(me, s, clock, false);
}

/* Atomic locations of other sizes that overlap: a write is one more head of each. */
__attribute__((noinline)) static void write_others(struct cell *c, const struct sync *own, unsigned me,
                                                   uint32_t released) {
  uint32_t clock = released ? released : fences[me];
  for (uint32_t i = clock ? c->sync : 0; i; i = races.syncs[i].next)
    if (&races.syncs[i] != own && races.syncs[i].mask & own->mask) add_head(me, &races.syncs[i], clock, false);
}

static inline void atomic_write(const struct accessed *a, struct cell *c, struct sync *s, unsigned me, bool updates,
                                bool acquires, uint32_t released, uint32_t clock) {
  if (!a->stale) {
    s->writers |= BIT(me);
    s->by[me].wrote = clock;
    s->by[me].wrote_pc = a->pc;
  }
  if (!released) {
    write_relaxed(me, s, updates);
  } else {
    if (!updates) s->heads = 0;
    add_head(me, s, released, acquires || !updates);
  }
  if (UNLIKELY(races.syncs[c->sync].next)) write_others(c, s, me, released);
}

static inline void atomic_read(const struct accessed *a, const struct cell *c, struct sync *s, unsigned me,
                               bool acquires) {
  if (!a->stale) {
    s->readers |= BIT(me);
    s->by[me].read = clocks[me].of[me];
    s->by[me].read_pc = a->pc;
  }
  read_from(me, s, acquires);
  if (LIKELY(!races.syncs[c->sync].next)) return;
  for (uint32_t i = c->sync; i; i = races.syncs[i].next)
    if (&races.syncs[i] != s && races.syncs[i].mask & a->mask) read_from(me, &races.syncs[i], acquires);
}

static inline struct sync *atomic_place(const struct accessed *a, struct cell **c) {
  *c = cell_of(key_of(a->address));
  return sync_of(*c, a->address, a->mask);
}

/* After what it acquires: that comes before the access itself. */
static inline void atomic_check(const struct accessed *a, const struct cell *c, unsigned me) {
  if (c->slots[0].mask && !a->stale) against_slots(c, me, a);
}

/* What it reads is learned before what it releases is copied. */
__attribute__((noinline)) static void atomic_pieces(uintptr_t address, uint32_t size, enum point_kind kind, int order,
                                                    uintptr_t pc) {
  struct accessed a = {.address = address,
                       .pc = pc,
                       .size = size,
                       .write = kind != POINT_READ,
                       .atomic = true,
                       .stale = unchecked(address)};
  bool acquires = order_acquires(order);
  unsigned me = current->id;
  uintptr_t end = address + size;
  struct cell *c;
  for (; kind != POINT_WRITE && a.address < end; a.address += piece_of(a.address, 8)) {
    a.mask = mask_of(a.address, end - a.address);
    struct sync *s = atomic_place(&a, &c);
    atomic_read(&a, c, s, me, acquires);
  }
  for (a.address = address; a.address < end; a.address += piece_of(a.address, 8)) {
    a.mask = mask_of(a.address, end - a.address);
    atomic_check(&a, cell_of(key_of(a.address)), me);
    struct sync *s = atomic_place(&a, &c);
    if (UNLIKELY(is_tagged(s, pc)) && !a.stale) against_tagged(s, me, &a);
  }
  if (kind == POINT_READ) return;
  uint32_t clock = clocks[me].of[me], released = order_releases(order) ? release(me) : 0;
  for (a.address = address; a.address < end; a.address += piece_of(a.address, 8)) {
    a.mask = mask_of(a.address, end - a.address);
    struct sync *s = atomic_place(&a, &c);
    atomic_write(&a, c, s, me, kind == POINT_UPDATE, acquires, released, clock);
  }
}

/* Is there anything plain in the cell that the fiber does not know of? */
static inline bool unknown_slots(const struct cell *c, unsigned me) {
  bool unknown = c->extra;
  for (unsigned i = 0; i < SLOTS && c->slots[i].mask; i++) unknown |= !before(me, c->slots[i].fiber, c->slots[i].clock);
  return unknown;
}

/* The short way: the location is known, and none of another size overlaps. */
void clocks_atomic(uintptr_t address, uint32_t size, enum point_kind kind, int order, uintptr_t pc) {
  unsigned me = current->id;
  struct cell *c = cell_of(key_of(address));
  struct sync *s = &races.syncs[c->sync]; /* the first is nobody's: its address is 0 */
  bool known = s->address == address && s->mask == wide_mask_of(address, size) && !s->next;
  if (UNLIKELY(!known || unchecked(address))) {
    atomic_pieces(address, size, kind, order, pc);
    return;
  }
  if (kind != POINT_WRITE) {
    read_from(me, s, order_acquires(order));
    s->readers |= BIT(me);
    s->by[me].read = clocks[me].of[me];
    s->by[me].read_pc = pc;
  }
  if (UNLIKELY(unknown_slots(c, me))) {
    const struct accessed a = {
        .address = address, .pc = pc, .size = size, .mask = s->mask, .write = kind != POINT_READ, .atomic = true};
    against_slots(c, me, &a);
  }
  if (UNLIKELY(is_tagged(s, pc))) {
    const struct accessed a = {.address = address, .pc = pc, .size = size, .write = kind != POINT_READ};
    against_tagged(s, me, &a);
  }
  if (kind == POINT_READ) return;
  bool updates = kind == POINT_UPDATE;
  s->writers |= BIT(me);
  s->by[me].wrote = clocks[me].of[me];
  s->by[me].wrote_pc = pc;
  if (!order_releases(order)) {
    write_relaxed(me, s, updates);
  } else {
    if (!updates) s->heads = 0;
    add_head(me, s, release(me), !updates || order_acquires(order));
  }
}

/* Weak memory. */

const uint32_t *clocks_now(unsigned *count) {
  use_clocks(run.count);
  *count = races.width;
  return clocks[current->id].of;
}
uint32_t clocks_fence(void) { return fences[current->id]; }
uint32_t clocks_release(void) { return release(current->id); }
const uint32_t *clocks_released(unsigned fiber, uint32_t epoch) { return messages[fiber].at[epoch].of; }

void clocks_learn(unsigned fiber, uint32_t epoch, bool acquires) {
  unsigned me = current->id;
  if (acquires) {
    learn(&clocks[me], fiber, epoch);
    return;
  }
  if (!(races.waiting & BIT(me))) {
    clock_copy(&relaxed[me], &clocks[me]);
    races.waiting |= BIT(me);
  }
  learn(&relaxed[me], fiber, epoch);
}

void clocks_place(uintptr_t address, uint32_t size, enum point_kind kind, uintptr_t pc) {
  struct accessed a = {.address = address, .pc = pc, .size = size, .write = kind != POINT_READ, .atomic = true};
  unsigned me = current->id;
  struct cell *c;
  if (unchecked(address)) return;
  for (uintptr_t end = address + size; a.address < end; a.address += piece_of(a.address, 8)) {
    a.mask = mask_of(a.address, end - a.address);
    struct sync *s = atomic_place(&a, &c);
    atomic_check(&a, c, me);
    if (kind != POINT_WRITE) {
      s->readers |= BIT(me);
      s->by[me].read = clocks[me].of[me];
      s->by[me].read_pc = pc;
    }
    if (kind == POINT_READ) continue;
    s->writers |= BIT(me);
    s->by[me].wrote = clocks[me].of[me];
    s->by[me].wrote_pc = pc;
  }
}

void races_fence(int order) {
  use_clocks(run.count);
  unsigned me = current->id;
  if (order_acquires(order) && races.waiting & BIT(me)) {
    clock_join(&clocks[me], &relaxed[me]);
    races.waiting &= ~BIT(me);
  }
  if (order_releases(order)) fences[me] = release(me);
}

/* Locks and their like: everyone who released it comes before whoever acquires it. */

void races_acquire(uintptr_t object) {
  use_clocks(run.count);
  const struct cell *c = cell_find(key_of(object) | LOCK_BIT);
  for (uint32_t i = c ? c->sync : 0; i; i = races.syncs[i].next)
    if (races.syncs[i].address == object) learn_all(&clocks[current->id], &races.syncs[i]);
  if (weak_here()) weak_event(SLOT_SYNC, 0);
}

void races_release(uintptr_t object) {
  use_clocks(run.count);
  if (weak_here()) weak_event(SLOT_SYNC, 0);
  struct sync *s = sync_of(cell_of(key_of(object) | LOCK_BIT), object, 1);
  add_head(current->id, s, release(current->id), false);
}

/* ASIF_ATOMIC blocks (footprint.c): who wrote a word comes before whoever accesses it, who read it before whoever
 * writes it; and those that touch everything come before and after all others. */

#define WROTE_BIT   ((uintptr_t)1 << 59) /* of a sync's address: released by blocks that wrote the word; that read it */
#define READ_BIT    ((uintptr_t)1 << 58)
#define EVERY_BLOCK ((uintptr_t)8) /* no memory is there: released by every block; by those that touch everything */
#define GREAT_BLOCK ((uintptr_t)16)

static inline uint64_t block_key(uintptr_t word) { return key_of(word & (((uintptr_t)1 << 47) - 1)) | LOCK_BIT; }

static void block_acquire(uintptr_t word, uintptr_t as) {
  const struct cell *c = cell_find(block_key(word));
  for (uint32_t i = c ? c->sync : 0; i; i = races.syncs[i].next)
    if (races.syncs[i].address == (word | as)) learn_all(&clocks[current->id], &races.syncs[i]);
}

static void block_release(uintptr_t word, uintptr_t as, uint32_t clock) {
  add_head(current->id, sync_of(cell_of(block_key(word)), word | as, 1), clock, false);
}

void races_block_begin(void) {
  use_clocks(run.count);
  block_acquire(GREAT_BLOCK, WROTE_BIT);
}

void races_block_word(uintptr_t word, bool writes) {
  block_acquire(word, WROTE_BIT);
  if (writes) block_acquire(word, READ_BIT);
}

void races_block_all(void) { block_acquire(EVERY_BLOCK, WROTE_BIT); }

void races_block_end(const uintptr_t *words, size_t count, bool all) {
  uint32_t clock = release(current->id);
  for (size_t i = 0; i < count; i++)
    block_release(words[i] & ~(uintptr_t)FOOTPRINT_WRITES, words[i] & FOOTPRINT_WRITES ? WROTE_BIT : READ_BIT, clock);
  block_release(EVERY_BLOCK, WROTE_BIT, clock);
  if (all) block_release(GREAT_BLOCK, WROTE_BIT, clock);
}

/* Fibers. */

static void widen(unsigned fiber) {
  while (races.width <= fiber) {
    unsigned from = races.width / LANE;
    for (uint64_t rest = races.known; rest; rest &= rest - 1) {
      unsigned f = (unsigned)__builtin_ctzll(rest);
      clocks[f].lanes[from] = relaxed[f].lanes[from] = (lane){0};
      for (uint32_t c = 0; c < clocks[f].of[f] && c < messages[f].room; c++) messages[f].at[c].lanes[from] = (lane){0};
    }
    races.width += LANE;
  }
}

static void begin_clock(const struct fiber *parent, const struct fiber *child) {
  unsigned c = child->id;
  widen(c);
  if (parent->id == FIBER_MAIN) {
    for (unsigned i = 0; i < races.width / LANE; i++) clocks[c].lanes[i] = (lane){0};
  } else {
    clock_copy(&clocks[c], &clocks[parent->id]);
    clocks[parent->id].of[parent->id]++;
  }
  clocks[c].of[c] = 1;
  fences[c] = 0;
  races.waiting &= ~BIT(c);
  races.known |= BIT(c);
}

void races_fiber(const struct fiber *parent, const struct fiber *child) {
  if (parent->id == FIBER_MAIN && order_simple) return;
  use_clocks(run.count);
  begin_clock(parent, child);
}

void races_joined(const struct fiber *by, const struct fiber *ended) {
  use_clocks(run.count);
  clock_join(&clocks[by->id], &clocks[ended->id]);
}

void races_learned(const struct fiber *by, const struct fiber *other) {
  races_joined(by, other);
  clocks[other->id].of[other->id]++; /* what it does from now on is not known */
}

uint32_t races_epoch(void) { return clocks[current->id].of[current->id]; }
bool races_knows(unsigned fiber, uint32_t epoch) { return !epoch || before(current->id, fiber, epoch); }

static void reset_clocks(void) {
  if (!races.cells) {
    cells_grow();
    races.syncs = (struct sync *)syncs.at;
    races.extras = (struct extra *)extras.at;
    reach(&syncs, sizeof *races.syncs); /* number 0 of each is looked at, though it is none */
    reach(&extras, sizeof *races.extras);
  }
  races.run = (races.run + ((uint64_t)1 << RUN_SHIFT)) & RUN_MASK;
  if (!races.run) { /* the numbers of runs begin again */
    memset(races.cells, 0, sizeof *races.cells << races.log);
    races.run = (uint64_t)1 << RUN_SHIFT;
  }
  races.used = 0;
  races.sync_count = races.extra_count = races.extra_free = 0;
  races.known = races.waiting = 0;
  races.stable = options.type_stable;
  races.width = FEWEST;
}

void races_open(bool simple, size_t steps) {
  was_simple = simple && options.races && !options.type_stable;
  if (!order_open(was_simple, steps)) was_simple = false;
}

void races_reset(void) {
  if (simple_again && !forgiving) {
    order_simple = true;
    kept_forget();
  }
  simple_again = false;
  if (order_simple)
    order_reset();
  else
    reset_clocks();
}

/* From here on the clocks say what comes before what: they are told of the steps so far. */
__attribute__((noinline)) static void begin_clocks(size_t steps) {
  order_simple = false;
  reset_clocks();
  for (unsigned t = 0; t < run.client->threads; t++) begin_clock(&fibers[FIBER_MAIN], &fibers[t]);
  order_end(steps);
  kept_forget(); /* they have no clocks */
  run_loud();
}

/* Accesses: as long as it is possible, without clocks. */

void races_access(uintptr_t address, uint32_t size, bool write, uintptr_t pc) {
  if (order_simple && order_access(address, size, write, pc)) return;
  use_clocks(run.count);
  clocks_access(address, size, write, pc);
}

void races_atomic(uintptr_t address, uint32_t size, enum point_kind kind, int order, uintptr_t pc) {
  bool small = size <= 8 && !(address & (size - 1));
  if (order_simple && small && order_atomic(address, size, kind != POINT_READ, pc)) return;
  use_clocks(run.count - 1);
  clocks_atomic(address, size, kind, order, pc);
}

/* States kept in the middle of a run (kept.c). Messages stay: those that are known of then are not written again. */

static uint64_t accessors(const struct sync *s) { return s->heads | s->writers | s->readers; }

bool races_put(struct kept_bytes *to) {
  if (order_simple) return order_put(to);
  if (!kept_put(to, &races, sizeof races)) return false;
  for (uint64_t rest = races.known; rest; rest &= rest - 1) {
    unsigned f = (unsigned)__builtin_ctzll(rest);
    if (!kept_put(to, &clocks[f], races.width * sizeof clocks[f].of[0])) return false;
    if (races.waiting & BIT(f) && !kept_put(to, &relaxed[f], races.width * sizeof relaxed[f].of[0])) return false;
  }
  if (!kept_put(to, fences, races.width * sizeof fences[0])) return false;
  for (size_t i = 0; i < races.used; i++)
    if (!kept_put(to, &races.cells[races.list[i]], sizeof races.cells[0])) return false;
  for (uint32_t i = 1; i <= races.sync_count; i++) {
    const struct sync *s = &races.syncs[i];
    if (!kept_put(to, s, offsetof(struct sync, by))) return false;
    for (uint64_t rest = accessors(s); rest; rest &= rest - 1)
      if (!kept_put(to, &s->by[__builtin_ctzll(rest)], sizeof s->by[0])) return false;
  }
  return kept_put(to, races.extras + 1, races.extra_count * sizeof races.extras[0]);
}

void races_get(const char **from) {
  if (order_simple) {
    order_get(from);
    return;
  }
  size_t used = races.used;
  kept_get(from, &races, sizeof races);
  for (uint64_t rest = races.known; rest; rest &= rest - 1) {
    unsigned f = (unsigned)__builtin_ctzll(rest);
    kept_get(from, &clocks[f], races.width * sizeof clocks[f].of[0]);
    if (races.waiting & BIT(f)) kept_get(from, &relaxed[f], races.width * sizeof relaxed[f].of[0]);
  }
  kept_get(from, fences, races.width * sizeof fences[0]);
  for (size_t i = races.used; i < used; i++) races.cells[races.list[i]].key = 0; /* added since */
  for (size_t i = 0; i < races.used; i++) kept_get(from, &races.cells[races.list[i]], sizeof races.cells[0]);
  for (uint32_t i = 1; i <= races.sync_count; i++) {
    struct sync *s = &races.syncs[i];
    kept_get(from, s, offsetof(struct sync, by));
    for (uint64_t rest = accessors(s); rest; rest &= rest - 1)
      kept_get(from, &s->by[__builtin_ctzll(rest)], sizeof s->by[0]);
  }
  kept_get(from, races.extras + 1, races.extra_count * sizeof races.extras[0]);
}
