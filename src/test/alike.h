/* Schedules that need not be run: those with the happens-before trace of another within the same bound of delays.
 *
 * A delay at a step lets others go before the thread whose turn it is. If that thread took one more step first, the
 * delay would come one step later; and if this step commutes with all the others do until the thread goes on, both
 * schedules have the same trace. So of two schedules that differ only in where one delay is, and by one step of the
 * delayed thread, the one with the earlier delay need not be run, if the other was or need not be either. It is looked
 * for the last three delays. (Sleep sets do the like for searches without a bound: Godefroid, 1996.)
 *
 *   the delay later   p0 p1 [f] | g g h h | f ...         f's step is moved over `g g h h`
 *   the delay here    p0 p1 | g g h h | [f] f ...
 *
 * When a thread is seen to wait in a loop depends on all that is written by anybody. So where one does, in what follows
 * a delay, that is not moved.
 *
 * What is moved over is known by its *footprint*: the words it touches, a bit each; where there are many words they
 * share bits, and a schedule may be run without need. Steps that wait, spin, yield, allocate or free conflict with
 * everything, and so do accesses of a thread's stack: the owner's plain ones there are not seen. Those of others that
 * are no points either (run.shares_stacks) end the skipping. All others of a step, which are plain, are ordered by
 * those that are points, or race.
 *
 * A delay before the last is moved in the same way, with those after it where they are in what the threads do: one
 * after k steps of the schedule that is known is after k - 1 where it comes before the step that is moved, and after k
 * where it comes after it.
 *
 *   known             p0 [f] | g g || h h | f ...         || the last delay: g is delayed
 *   the delay here    p0 | g g || h h | [f] f ...
 *
 * Only schedules whose delays cost all that the bound allows are skipped: the *leaves* of the tree of runs. */
#ifndef ASIF_TEST_ALIKE_H
#define ASIF_TEST_ALIKE_H

#include "test/explore.h"

/* Flags of marks: what a step does. The first two are the bits that are moved to the word's place. */
enum { TOUCHES = 1, WRITES = 2, CALLS = 4, RETURNS = 8, ANYTHING = 16, SPINS = 32 };
struct mark {
  uint8_t flags, word; /* word: the number of the bit */
};
/* The same of several steps: bits of words, and above them in `touched` the other flags. */
enum { WORDS = 60, FLAGS_SHIFT = WORDS - 2 };
struct footprint {
  uint64_t touched, written;
};

/* The bits of words: the first that are met have their own. */
struct words {
  uintptr_t at[256]; /* by hash: the word last met, */
  uint8_t bit[256];  /* and its bit */
  unsigned count;
};

/* A step of a run, as far as its children need it. */
struct taken {
  uint8_t fiber, block, blocks;
  bool yielded;     /* after the step before, others first */
  uint16_t mask;    /* the number of the set of fibers that could have taken it */
  struct mark mark; /* what it touches */
};

/* A delay on the way to a node: `fiber` goes first, instead of a step of the one that is delayed. */
struct delay {
  uint32_t step;
  uint8_t fiber, delayed;
  struct mark between, earlier; /* the step, and the one before */
  size_t goes_on;               /* the step with which the delayed one goes on, in the node's run */
  size_t later, asked; /* in leaves that deviate before this step: it may be like a delay instead of the next step; one
                        * instead of the step before may be like it */
};
enum { DELAYS = 2 }; /* that are moved, before the last */

/* What others touch from a delay on until the delayed fiber goes on: of each delay before the last, the last of them
 * first. */
struct touched {
  struct footprint since[DELAYS];
};
struct leaf {
  struct footprint last; /* the same of its own delay */
  struct touched before;
};
/* The leaves of a node are remembered under the number of the node that its delays are of, and these. */
struct family {
  uint64_t node, delays;
  size_t place; /* in the table */
};
struct known_leaf {
  uint64_t node, delays; /* the family's; the leaf's own delay too */
  struct leaf leaf;
};

/* A node of the tree of runs, while its children are gone through, later steps first. */
struct expansion {
  bool tracks; /* its leaves may be alike */
  uint64_t number;
  const struct expansion *above;
  uint32_t from; /* the step of its own delay: its run is that of the node above up to there */
  size_t asked;  /* the latest of its delays' */
  unsigned delay_count;
  struct delay delays[DELAYS];      /* on the way to it, the last first */
  struct family own, moved[DELAYS]; /* moved: with this delay a step later */
  struct delay next;                /* the one on the way to the child that is next; its delayed is NOBODY: none */
  size_t touched;                   /* into alike.touched */
  struct leaf previous;             /* the leaf looked at last, */
  size_t previous_step;             /* whose delay is at this step; */
  uint8_t previous_fiber;           /* who went first; NOBODY: there is none */
};
enum { NOBODY = 255 };

struct alike {
  struct mem *mem;
  struct words words;
  uint64_t nodes;
  struct known_leaf *leaves; /* a table; who comes later takes the place */
  size_t leaves_mask;
  VEC(struct touched) touched; /* of each node that is expanded, for each step of it: before that */
};

void alike_level(struct alike *, unsigned level); /* the bound that is begun */
struct mark alike_mark(struct alike *, const struct step *);

/* `tracks`: its leaves may be alike; `above`: the node whose child it is, or NULL. */
void alike_begin(struct alike *, struct expansion *, bool tracks, const struct expansion *above, const struct taken *,
                 uint32_t from, uint32_t count);
static inline void alike_end(struct alike *a, const struct expansion *x) { a->touched.count = x->touched; }
/* Could a delay instead of `earlier` be like one instead of `now`, which follows it? A call seldom commutes. */
static inline bool alike_may_be(struct taken earlier, struct taken now) {
  return earlier.fiber == now.fiber && earlier.mask == now.mask && !earlier.yielded && !now.yielded &&
         !(earlier.mark.flags & (ANYTHING | CALLS));
}

/* A step of the node's run at which it is deviated. */
struct now {
  size_t step;
  struct taken taken;
  struct mark before; /* what the step before touches, */
  bool asked;         /* if a delay there may be like one here; */
  bool later;         /* one here may be like one at the next step */
};
/* The child that comes next has this delay. */
static inline void alike_next(struct expansion *x, const struct now *now, uint8_t fiber) {
  x->next = (struct delay){.step = (uint32_t)now->step,
                           .fiber = fiber,
                           .delayed = now->taken.fiber,
                           .between = now->taken.mark,
                           .earlier = now->before,
                           .goes_on = SIZE_MAX,
                           .later = now->later ? SIZE_MAX : 0,
                           .asked = now->asked ? SIZE_MAX : 0};
}
/* Need the leaf with this delay not be run? `beyond`: then there are dearer schedules. */
bool alike_known(struct alike *, struct expansion *, const struct now *, uint8_t fiber, bool *beyond);
/* Remembers of a leaf that was run what is needed to know that others are like it. */
void alike_remember(struct alike *, struct expansion *, const struct now *, uint8_t fiber, const struct run *);
static inline bool alike_is_asked(const struct expansion *x, const struct now *now) {
  return now->asked || now->step < x->asked;
}

#endif
