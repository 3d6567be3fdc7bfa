/* Schedules that need not be run: those with the happens-before trace of another within the same bound of delays.
 *
 * A delay at a step lets others go before the thread whose turn it is. If that thread took one more step first, the delay would come
 * one step later; and if this step commutes with all the others do until the thread goes on, both schedules have the same trace. So
 * of two schedules that differ only in where one delay is, and by one step of the delayed thread, the one with the earlier delay
 * need not be run, if the other was or need not be either. It is looked for the last delay and for the one before it. (Sleep sets
 * do the like for searches without a bound: Godefroid, 1996.)
 *
 *   the delay later   p0 p1 [f] | g g h h | f ...         f's step is moved over `g g h h`
 *   the delay here    p0 p1 | g g h h | [f] f ...
 *
 * What is moved over is known by its *footprint*: the words it touches, a bit each; where there are many words they share bits, and a
 * schedule may be run without need. Steps that wait, spin, yield, allocate or free conflict with everything,
 * and so do accesses of a thread's stack: the owner's plain ones there are not seen. Those of others that are no points either
 * (run.shares_stacks) end the skipping. All others of a step, which are plain, are ordered by those that are points, or race.
 *
 * The delay before the last is moved in the same way, with the last one where it is in what the threads do: if it was after k steps of
 * the schedule that is known, it is after k - 1 where it comes before the step that is moved, and after k where it comes after it.
 *
 *   known             p0 [f] | g g || h h | f ...         || the last delay: g is delayed
 *   the delay here    p0 | g g || h h | [f] f ... */
#ifndef ASIF_TEST_ALIKE_H
#define ASIF_TEST_ALIKE_H

#include "test/explore.h"

/* Flags of marks and footprints. TOUCHES and WRITES are the bits that are moved to the word's place. */
enum { TOUCHES = 1, WRITES = 2, CALLS = 4, RETURNS = 8, ANYTHING = 16 };

/* What a step touches. */
struct mark {
  uint8_t flags, word; /* word: the number of the bit */
};
/* The same of several. */
struct footprint {
  uint64_t touched, written;
  unsigned flags;
};

/* The bits of words: the first 64 that are met have their own. */
struct words {
  uintptr_t at[256]; /* by hash: the word last met, */
  uint8_t bit[256];  /* and its bit */
  unsigned count;
};
static inline uint8_t word_bit(struct words *w, uintptr_t address) {
  uintptr_t word = address >> 3;
  unsigned place = (unsigned)(word * 0x9e3779b97f4a7c15u >> 56);
  if (w->at[place] == word) return w->bit[place];
  if (w->at[place] || w->count == 64) return (uint8_t)(place & 63); /* its place is taken */
  w->at[place] = word;
  return w->bit[place] = (uint8_t)w->count++;
}

static inline struct mark mark_of(struct words *w, const struct step *s) {
  unsigned history = (s->flags & STEP_CALLS ? CALLS : 0) | (s->flags & STEP_RETURNS ? RETURNS : 0);
  if (s->flags & ~(STEP_CALLS | STEP_RETURNS | STEP_WROTE)) return (struct mark){ANYTHING, 0};
  if (s->kind == POINT_CALL) return (struct mark){(uint8_t)history, 0};
  if (s->kind > POINT_UPDATE || (s->address & 7) + s->size > 8 || run_in_stack(s->address)) return (struct mark){ANYTHING, 0};
  bool writes = s->kind == POINT_WRITE || s->flags & STEP_WROTE;
  return (struct mark){(uint8_t)(history | TOUCHES | (writes ? WRITES : 0)), word_bit(w, s->address)};
}

static inline void footprint_add(struct footprint *f, struct mark m) {
  f->touched |= (uint64_t)(m.flags & TOUCHES) << m.word;
  f->written |= (uint64_t)(m.flags / WRITES & 1) << m.word;
  f->flags |= m.flags;
}

static inline void footprint_join(struct footprint *f, const struct footprint *other) {
  f->touched |= other->touched;
  f->written |= other->written;
  f->flags |= other->flags;
}

/* Could the step as well be after those of the footprint? */
static inline bool commutes(struct mark m, const struct footprint *f) {
  if ((m.flags | f->flags) & ANYTHING) return false;
  if ((m.flags & CALLS && f->flags & RETURNS) || (m.flags & RETURNS && f->flags & CALLS)) return false;
  uint64_t bit = (uint64_t)(m.flags & TOUCHES) << m.word;
  return !(bit & (m.flags & WRITES ? f->touched : f->written));
}

#endif
