/* Which freed blocks an allocation may get again: those whose address somebody may still have.
 *
 * A block whose address nobody has is like one never used before: the two differ in the number of the address, and no
 * program can depend on that but by looking at numbers, which is not explored anyway. So when a block is freed it is
 * decided whether somebody may have its address. If so it goes to the list of its size, and each later allocation of
 * that size may get it: that is what an ABA needs. If not it is never used again. Nobody can come to have an address
 * that nobody has, so it need not be asked again.
 *
 * Who may have it:
 *
 * - a thread other than the one that frees, if it has *seen* the address in an operation (of a thread that the code
 *   created: ever), by allocating the block or by reading a word, and the end of that operation does not come before
 *   the free. What an operation has in registers and on its stack is gone when it has returned;
 * - memory: a word in a global, in thread-local storage, in a block that is not freed or may be used again; or a word
 *   that was one of these until another thread wrote something else there, or freed what it was in, and that does not
 *   come before the free: in another order of the same steps it is still there.
 *
 * The thread that frees may still have the address in variables of its own. These do not count: it knows that the block
 * is not there any more, to look at such a pointer is undefined (C11 6.2.4), and what it does to the block is found as
 * a use after free. Should it write the address to memory after all, whoever reads it there reads the address of a
 * block that nobody was thought to have: `run.reads_freed` tells, and the search begins anew with every freed block in
 * its list (run_options.reuse_all). The same if it compares such an address with memory, in a compare-and-exchange; or
 * if it accesses the block, where that is allowed (ASIF_TYPE_STABLE).
 *
 * A test (a client of one thread with one call) that has joined every thread it has started is alone: whatever others
 * did comes before what it does, and all memory is its own, as its variables are. It gets fresh blocks, what it frees
 * is not used again, and that it reads the address of such a block means nothing. So the code of a test framework,
 * which runs before the test and after it, makes no choices.
 *
 * A word is an address if it points into the block, to its end or less than its alignment beyond its beginning, with
 * anything in the upper 16 bits, shifted up by up to 16 bits with anything below, or shifted down by up to 4. Code may
 * have other forms: an exclusive or, an index. So now and then a run in which a block was not listed is made again with
 * the blocks at other distances from each other: if anything is read or written then that is not the same, but for
 * addresses of the same blocks, there is such a form, and it is as if a freed address had been read.
 *
 * For a search that leaves out orders of steps that do not matter (dpor.c), the answer must not depend on such an
 * order. Let a thread D use an old address of p to find out that p was allocated again, in an execution in which C
 * frees p, B gets p again and shows it to D. Up to there it is the same as one in which B gets a fresh block. In any
 * order of that one's steps D sees the address in an operation whose return does not come before the free, or it is in
 * memory until D does: so p is listed, and the free does not commute with B's allocation. "Comes before" is therefore
 * by happens-before, of the steps as they were taken, and not by the order of this run. A free that is not listed
 * commutes with allocations. */
#include <assert.h>

#include "run/heap_parts.h"

enum {
  SIGHTS_MOST = 1 << 16,  /* of a run: with more everything is listed */
  FINDS_LOG = 8,          /* places where sights are found again */
  AFTER_MOST = 64,        /* steps that are followed */
  SCANNED_MOST = 1 << 18, /* bytes: with more memory there every block is listed */
  SHIFTS_UP = 16,         /* bits */
  SHIFTS_DOWN = 4
};
#define NO_CALL      UINT32_MAX
#define ERASED       (UINT32_MAX - 1)
#define ADDRESS_BITS (((uintptr_t)1 << 48) - 1)

/* What fills a block before anything is written to it: in no form the address of one. */
#define NEVER_WRITTEN (UINTPTR_MAX / 0xff * RUN_FRESH)

bool heap_sights;

/* A thread has the address of a block in an operation, of this life of the block or one before; or it has erased it
 * from memory. Added only: so a state of a run is how many there are. */
struct sight {
  const struct block *block;
  uint32_t call; /* of the client, NO_CALL, or ERASED */
  uint32_t step; /* of ERASED: with the thread's first step from here on it has happened */
  uint8_t fiber;
};
static struct sight sights[SIGHTS_MOST];
static uint32_t finds[1 << FINDS_LOG]; /* where a sight is, if it is one of this run */
uint32_t heap_sight_count;

/* The forms of an address, other than itself, that a word can be. An address has 47 bits. */
static inline bool is_shifted_down(uintptr_t word) { return word < (heap_base + heap_span) >> 1; }
static inline bool has_upper_bits(uintptr_t word) { return word >> 47; }

/* The step an operation returned with, and one more; 0: it has not. */
static size_t returned_at(unsigned fiber, uint32_t call) {
  for (size_t i = run.moment_count; i-- > 0;) {
    const struct moment *m = &run.moments[i];
    if (m->fiber == fiber && m->call == call && m->is_return) return (size_t)m->step + 1;
  }
  return 0;
}

static __attribute__((noinline)) void add_sight(const struct fiber *f, struct sight s, uint32_t *find) {
  bool ends = f->endings || threads_keys; /* code may run when the thread ends: that is not the call's */
  if (ends && s.call != NO_CALL && returned_at(f->id, s.call)) s.call = NO_CALL;
  *find = heap_sight_count;
  sights[heap_sight_count++] = s;
}

static inline void knows(const struct fiber *f, const struct block *b) {
  uint32_t call = f->start ? NO_CALL : f->current_call;
  uint32_t *find = &finds[(((uintptr_t)b >> 5) + f->id) * 0x9e3779b97f4a7c15u >> (64 - FINDS_LOG)];
  const struct sight *was = &sights[*find];
  if (LIKELY(*find < heap_sight_count && was->block == b && was->call == call && was->fiber == f->id)) return;
  if (f->id == FIBER_MAIN || heap_sight_count == SIGHTS_MOST) return;
  add_sight(f, (struct sight){.block = b, .call = call, .fiber = f->id}, find);
}
void heap_knows(const struct fiber *f, const struct block *b) { knows(f, b); }

/* Bytes beyond the beginning of a block that its address may point to: its end, or what an alignment leaves free for
 * marks. */
static uintptr_t reach(const struct block *b) {
  uintptr_t bytes = (uintptr_t)b->units * GRANULE, marks = ((uintptr_t)1 << b->align_log) - 1;
  return bytes > marks ? bytes : marks;
}

/* The block that an address outside of all blocks points to. */
static __attribute__((noinline)) struct block *block_beside(uintptr_t address) {
  struct block *b = address % GRANULE == 0 && heap_owns(address - 1) ? heap_block(address - 1) : NULL;
  for (unsigned by = 5; by < AREA_BITS && !b; by++) {
    b = heap_block(address >> by << by);
    if (b && address - b->address > reach(b)) b = NULL;
  }
  return b;
}
static inline struct block *block_of(uintptr_t address) {
  struct block *b = heap_block(address);
  return LIKELY(b != NULL) ? b : block_beside(address);
}

bool heap_alone(const struct fiber *f) {
  const struct client *c = run.client;
  if (f->id || c->threads != 1 || c->first[1] - c->first[0] != 1) return false;
  for (unsigned other = 1; other < run.fibers; other++)
    if (!threads_joined(other)) return false;
  return true;
}

static void erase(const struct fiber *f, const struct block *b, size_t step) {
  if (f->id == FIBER_MAIN || heap_sight_count == SIGHTS_MOST || (b->freed && !b->listed)) return;
  sights[heap_sight_count++] = (struct sight){b, ERASED, (uint32_t)step, f->id};
}

enum { SEEN = -1 };
/* step: of one that erases the address, as in struct sight; SEEN: it is read. */
static inline void see(const struct fiber *f, uintptr_t address, ptrdiff_t step) {
  struct block *b = block_of(address);
  if (!b) return;
  if (step != SEEN) {
    erase(f, b, (size_t)step);
    return;
  }
  if (b->freed && !b->listed && f->id != FIBER_MAIN && !(b->free_by == f->id && heap_alone(f))) run.reads_freed = true;
  knows(f, b);
}

static __attribute__((noinline)) void see_forms(const struct fiber *f, uintptr_t word, ptrdiff_t step) {
  for (unsigned by = 1; by <= SHIFTS_DOWN && is_shifted_down(word); by++)
    if (heap_owns(word << by)) see(f, word << by, step);
  if (!has_upper_bits(word)) return;
  if (heap_owns(word & ADDRESS_BITS)) see(f, word & ADDRESS_BITS, step);
  for (unsigned by = 1; by <= SHIFTS_UP; by++)
    if (heap_owns(word >> by)) see(f, word >> by, step);
}

static inline void sight(const struct fiber *f, uintptr_t word, ptrdiff_t step) {
  if (UNLIKELY(!f)) return;
  if (LIKELY(heap_owns(word)))
    see(f, word, step);
  else if (is_shifted_down(word) || has_upper_bits(word))
    see_forms(f, word, step);
}
void heap_sight_of(const struct fiber *f, uint64_t word) { sight(f, word, SEEN); }

bool run_reads_freed(void) { return run.reads_freed; }

void heap_sight(uint64_t word) { sight(current, word, SEEN); }

void heap_erased(uint64_t word) { sight(current, word, (ptrdiff_t)run.count - 1); }

/* The same of all words that are read there. */
__attribute__((no_sanitize("address"))) void heap_sight_range(uintptr_t at, size_t size) {
  for (size_t done = 0; done + 8 <= size; done += 8) {
    uint64_t word;
    __builtin_memcpy(&word, (const char *)at + done, sizeof word);
    if (word >= HEAP_WORDS) heap_sight(word);
  }
}

/* All words there are about to be written over. Within an ASIF_ATOMIC that is part of the step. */
__attribute__((no_sanitize("address"))) void heap_erased_range(uintptr_t at, size_t size) {
  uintptr_t end = (at + size + 7) & ~(uintptr_t)7;
  for (at &= ~(uintptr_t)7; at < end && current; at += 8) {
    uint64_t word;
    __builtin_memcpy(&word, (const char *)at, sizeof word);
    if (UNLIKELY(word >= HEAP_WORDS) && word != NEVER_WRITTEN)
      sight(current, word, (ptrdiff_t)run.count - footprint_open);
  }
}

/* What comes after what. */

struct access_after {
  uintptr_t at;
  uint32_t size;
  bool writes;
  const uintptr_t *words; /* of an ASIF_ATOMIC block: its footprint in place of the rest; otherwise NULL */
  size_t count;
};

/* What of a step others can conflict with. */
static bool access_of(const struct step *s, struct access_after *to) {
  bool object = s->kind >= POINT_LOCK && s->kind <= POINT_WAKE;
  if (s->kind == POINT_BLOCK) {
    *to = (struct access_after){0};
    if (s->place) to->words = footprint_words((uint32_t)s->place, &to->count);
    return s->place;
  }
  if (s->kind > POINT_UPDATE && !object) return false;
  *to = (struct access_after){.at = s->address,
                              .size = s->size && !object ? s->size : 1,
                              .writes = (object && !(s->flags & STEP_FAILED)) || s->kind == POINT_WRITE ||
                                        s->flags & STEP_WROTE};
  return true;
}
static bool accesses_conflict(const struct access_after *a, const struct access_after *b) {
  if (a->words || b->words) {
    const struct access_after *block = a->words ? a : b, *other = a->words ? b : a;
    for (size_t i = 0; i < block->count; i++) {
      struct access_after word = {.at = block->words[i] & ~(uintptr_t)FOOTPRINT_WRITES,
                                  .size = 8,
                                  .writes = block->words[i] & FOOTPRINT_WRITES};
      if (accesses_conflict(other, &word)) return true;
    }
    return false;
  }
  return a->at < b->at + b->size && b->at < a->at + a->size && (a->writes || b->writes);
}

/* Does the step happen before what the thread does now? If in doubt it does not. That an operation is called after
 * another has returned orders nothing here: the search may leave it open. */
static bool comes_before(size_t step, unsigned thread) {
  struct access_after after[AFTER_MOST], now;
  unsigned count = 0;
  uint64_t fibers_after = (uint64_t)1 << scheduler.steps[step].fiber;
  if (access_of(&scheduler.steps[step], &now)) after[count++] = now;
  for (size_t i = step + 1; i < run.count; i++) {
    const struct step *s = &scheduler.steps[i];
    bool has = access_of(s, &now), is_after = fibers_after >> s->fiber & 1;
    for (unsigned k = 0; k < count && has && !is_after; k++) is_after = accesses_conflict(&after[k], &now);
    if (!is_after) continue;
    if (s->fiber == thread) return true;
    fibers_after |= (uint64_t)1 << s->fiber;
    if (has && count < AFTER_MOST) after[count++] = now;
  }
  return false;
}

static bool has_forgotten(const struct sight *s) {
  for (size_t i = s->step; s->call == ERASED && i < run.count; i++)
    if (scheduler.steps[i].fiber == s->fiber) return comes_before(i, current->id);
  if (s->call == ERASED) return false;
  size_t returned = s->call == NO_CALL ? 0 : returned_at(s->fiber, s->call);
  return returned && comes_before(returned - 1, current->id);
}

/* Memory. */

struct scan {
  uintptr_t low, span; /* addresses looked for */
  size_t left;         /* bytes that may still be looked at */
};

static inline bool is_in(const struct scan *s, uintptr_t word) { return word - s->low <= s->span; }

/* All addresses of the heap have their highest bit in the same place: a word can be one by one shift only. */
static bool is_form(const struct scan *s, uintptr_t word) {
  assert(__builtin_clzl(heap_base) == __builtin_clzl(heap_base + heap_span));
  if (word < HEAP_WORDS) return false;
  int by = __builtin_clzl(heap_base) - __builtin_clzl(word);
  if (by > 0 && by <= SHIFTS_UP && is_in(s, word >> by)) return true;
  if (by < 0 && -by <= SHIFTS_DOWN && is_in(s, word << -by)) return true;
  return is_in(s, word & ADDRESS_BITS);
}
static inline bool is_address(const struct scan *s, uintptr_t word) {
  return is_in(s, word) || ((is_shifted_down(word) || has_upper_bits(word)) && is_form(s, word));
}

/* Of the code's memory, which is read as it is, red zones of sanitizers included. True if there is too much, too. */
__attribute__((no_sanitize("address"))) static bool has_address(struct scan *s, uintptr_t at, size_t size) {
  if (size > s->left) return true;
  s->left -= size;
  const uintptr_t *word = (const uintptr_t *)((at + 7) & ~(uintptr_t)7), *end = (const uintptr_t *)(at + size);
  for (; word + 1 <= end; word++)
    if (UNLIKELY(*word >= HEAP_WORDS) && *word != NEVER_WRITTEN && is_address(s, *word)) return true;
  return false;
}

static bool threads_have(struct scan *s) {
  size_t count;
  for (unsigned f = 0; f < FIBERS_MOST; f++) {
    const struct fiber *fiber = &fibers[f];
    void **values = threads_values(f, &count);
    if (count && has_address(s, (uintptr_t)values, count * sizeof *values)) return true;
    if (fiber->tls_used && has_address(s, (uintptr_t)fiber->tls, fiber->tls_size)) return true;
    if (f < run.fibers && fiber->start &&
        (is_address(s, (uintptr_t)fiber->argument) || (fiber->ended && is_address(s, (uintptr_t)fiber->result))))
      return true;
  }
  return false;
}

static bool blocks_have(struct scan *s, const struct block *but) {
  for (unsigned i = 0; i < AREAS; i++) {
    const struct area *a = &heap_areas[i];
    for (uint32_t k = 1; k <= a->count; k++) {
      const struct block *b = &a->blocks[k];
      if (b == but || (b->freed && !b->listed)) continue;
      if (has_address(s, b->address, (size_t)b->units * GRANULE)) return true;
    }
  }
  return false;
}

static bool memory_has(const struct block *b) {
  struct scan s = {b->address, reach(b), SCANNED_MOST};
  const struct image_range *ranges;
  size_t count = image_ranges(&ranges);
  for (size_t i = 0; i < count; i++)
    if (has_address(&s, ranges[i].low, ranges[i].high - ranges[i].low)) return true;
  return threads_have(&s) || blocks_have(&s, b);
}

/* Forms of addresses that are not known. */

bool heap_doubts, heap_scatters;

/* Blocks that were not listed, by where they are allocated and freed: some of the first, and from then on few. */
static void count_doubt(const struct block *b, uintptr_t pc) {
  enum { SITES = 64, OFTEN = 512, LARGE = (64 << 10) / GRANULE };
  static uint32_t counts[SITES];
  if (b->units > LARGE) return; /* what records accesses takes long for it, and nobody counts on such an address */
  uint32_t n = ++counts[(b->alloc_pc * 3 + pc) % SITES];
  if (!(n & (n - 1)) || n % OFTEN == 0) heap_doubts = true;
}

static bool place_in(uintptr_t address, unsigned form, uint64_t *to) {
  const struct block *b = heap_owns(address) ? block_of(address) : NULL;
  if (b) *to = ((uint64_t)b->number << 32 | (address - b->address)) * 0x9e3779b97f4a7c15u + form + 1;
  return b != NULL;
}

uint64_t heap_place(uint64_t word) {
  uint64_t place = word;
  if (word < HEAP_WORDS || place_in(word, 0, &place)) return place;
  for (unsigned by = 1; by <= SHIFTS_DOWN && is_shifted_down(word); by++)
    if (place_in(word << by, by, &place)) return place;
  if (!has_upper_bits(word)) return word;
  if (place_in(word & ADDRESS_BITS, 5, &place)) return place ^ word >> 48;
  for (unsigned by = 1; by <= SHIFTS_UP; by++)
    if (place_in(word >> by, 5 + by, &place)) return place ^ (word & (((uint64_t)1 << by) - 1));
  return word;
}

static bool may_be_had(const struct block *b) {
  if (heap_sight_count == SIGHTS_MOST) return true;
  uint64_t erased_by = 0; /* of what a thread has erased the last is enough: what it erased earlier comes before it */
  for (uint32_t i = heap_sight_count; i-- > 0;) {
    const struct sight *s = &sights[i];
    if (s->block != b || s->fiber == current->id) continue;
    if (s->call == ERASED && erased_by >> s->fiber & 1) continue;
    if (s->call == ERASED) erased_by |= (uint64_t)1 << s->fiber;
    if (!has_forgotten(s)) return true;
  }
  return memory_has(b);
}

bool heap_held(const struct block *b, uintptr_t pc) {
  if (!heap_sights) return true;
  if (run.finishing || heap_alone(current)) return false;
  if (may_be_had(b)) return true;
  count_doubt(b, pc);
  heap_erased_range(b->address, b->size); /* what is in it is nowhere any more */
  return false;
}
