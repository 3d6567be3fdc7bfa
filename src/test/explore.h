/* The inside of exploring: what the strategies share.
 *
 *   strategies.c  the table of strategies
 *   explore.c     what each strategy does around a run
 *   bounded.c     all schedules within a bound of delays, preemptions or rounds; every schedule there is
 *   alike.c       which schedules within a bound need not be run
 *   dpor.c        one schedule of each happens-before trace
 *   random.c      PCT, and the uniform random walk
 *   orders.c      the histories of a happens-before trace
 *   traces.c      the happens-before order of a run: what conflicts with what, and a hash of it
 *   hashes.c      sets of 128-bit hashes, in memory that processes share */
#ifndef ASIF_TEST_EXPLORE_H
#define ASIF_TEST_EXPLORE_H

#include "test/test.h"

/* run_execute, or in tests something in its place. */
typedef const struct run *executor(const struct client *, const struct plan *, struct problem *);

struct hash {
  uint64_t low, high;
};

/* Sets of hashes (hashes.c). Several processes may use one at the same time, if it was opened before they were forked.
 */
struct hashes *hashes_open(size_t bytes);     /* no more than so many, taken as they are needed; NULL: no memory */
struct hashes *hashes_open_own(size_t bytes); /* the same, for this process alone: faster, and small if it has few */
void hashes_close(struct hashes *);
/* Each member has a small number, the lowest it was ever added with. Gives the number it had before, or HASH_NEW;
 * HASH_FULL: there is no room, it is not added. */
enum { HASH_NEW = -1, HASH_FULL = -2, HASH_NUMBER_MOST = 254 };
int hashes_add(struct hashes *, struct hash, unsigned number);
uint64_t hashes_count(const struct hashes *);

/* The happens-before order of a run (traces.c).
 *
 * Two steps are dependent if they are of the same thread, or access the same byte and one of them writes, or the
 * same mutex or the like; if one is an ASIF_ATOMIC block of which it is not known what it accesses, and the other
 * touches anything; or if one returns from an
 * operation and the other calls one, for which of these was first is the history's order. A step that frees a block, or
 * allocates it again, writes all of it; so does it the list it takes it from. Runs that order dependent steps alike are
 * the same but for the order of steps that do not matter to each other: they have the same trace. */
enum mode { MODE_READ = 1, MODE_WRITE = 2, MODE_CALL = 4, MODE_RETURN = 8 };
static inline bool modes_conflict(unsigned a, unsigned b) {
  return (a & MODE_WRITE && b & (MODE_READ | MODE_WRITE)) || (a & MODE_READ && b & MODE_WRITE) ||
         (a & MODE_CALL && b & MODE_RETURN) || (a & MODE_RETURN && b & MODE_CALL);
}
bool steps_conflict(const struct step *, const struct step *); /* of two threads */
bool steps_meet(const struct step *, const struct step *);     /* the same, but for the order of calls and returns */

/* An access of a spot: 8 bytes of memory or a part of them, a mutex, a list of freed blocks, the history. */
struct touch {
  uint32_t event, spot;
  uint32_t before; /* the touch of the same spot before this one, or 0 */
  uint8_t modes;
  struct hash shared, own; /* of the spot before this */
};
struct spot {
  uintptr_t key;
  uint32_t last;           /* touch; 0: none */
  uint8_t granule;         /* of a word: the bytes of a part of it that is a spot of its own; 8: it is one itself */
  struct hash shared, own; /* memory: reads since the last write (sum), and that; history: calls, returns (sums) */
};
struct event {
  struct step step;
  uint32_t touches;  /* its first; they go on to the next event's */
  uint32_t previous; /* the same fiber's event before, counted from 1; 0: none */
  struct hash hash;
  struct hash sum; /* of the trace before it */
  int child;       /* of POINT_START: the fiber it created; of POINT_JOIN: the one it waited for; else -1 */
};
struct trace {
  struct mem *mem;
  VEC(struct event) events;
  VEC(struct touch) touches; /* [0] is none */
  VEC(struct spot) spots;
  uint32_t *table; /* of spots: index + 1 */
  size_t table_size;
  uint32_t last[FIBERS_MOST];       /* event of each fiber, counted from 1; 0: none yet */
  uint32_t started_by[FIBERS_MOST]; /* the event that created it, counted from 1; 0: it is the client's */
  struct hash sum;
  unsigned threads; /* of the client */
  bool unhashed;    /* only what comes before what is asked for, and no hash: those of events and spots are not set */
  bool apart;       /* calls and returns do not conflict */
  bool blocks;      /* there was a step that touches everything: then each touches a spot of its own */
  bool finer;       /* since this was last set to false it was learned that accesses of a word are of parts of it */
};
void trace_open(struct trace *, struct mem *, unsigned threads);
/* Makes it the trace of these steps, of which the first `same` are known to be the same as before. Gives how many
 * really were. */
size_t trace_follow(struct trace *, const struct step *, size_t count, size_t same);
void trace_add(struct trace *, const struct step *);
void trace_cut(struct trace *, size_t count);
static inline struct hash trace_hash(const struct trace *t) { return t->sum; }
struct hash trace_of(struct mem *, const struct run *); /* of a whole run, from scratch */

/* Histories of a trace in which calls and returns do not conflict (orders.c). */
enum { ORDERS_MOST = 32 }; /* calls of a client */
struct orders;
struct orders *orders_open(struct mem *, size_t bytes); /* NULL: no memory */
void orders_close(struct orders *);
bool orders_possible(const struct client *);
/* Calls `use` with a schedule for each history of the run's trace that was not seen; of histories with the same results
 * only those are made in which no more operations could be in order. clocks: of each event, `stride` numbers: of each
 * fiber the last event before or at it, counted from 1. same: steps that are, with their clocks, as in the run given
 * last. False if `use` is, and then at once. */
typedef bool orders_user(void *self, const struct choice *, size_t count);
bool orders_each(struct orders *, const struct run *, const struct trace *, const uint32_t *clocks, size_t stride,
                 size_t same, orders_user *use, void *self);
/* In `use`: the run that the schedule leads to, though it was not made. Its number is 0; of its steps `enabled` and
 * `spun` mean nothing. */
const struct run *orders_run(struct orders *);
bool orders_met(const struct orders *, const struct run *); /* in `use`: is this the history that was to be? */

/* What all strategies need. */
struct explorer {
  struct mem *mem; /* its own, guarded */
  executor *execute;
  const struct client *client;
  struct explore_options options;
  struct share share; /* with what is shared, or one's own in its place */
  struct hashes *own_states, *own_traces;
  struct orders *orders; /* where the order of calls and returns is tried by itself; or NULL */
  struct limits *limits;
  enum visit (*visit)(void *, const struct run *);
  void *context;
  struct explore_counts *counts;
  struct problem *problem;
  struct trace trace; /* for count_traces, caching, DPOR */
  bool long_run;      /* a run did not end */
  bool stopped;       /* by the visitor, a limit, or an internal error */
  bool failed;        /* internal error */
  unsigned polls;
};

/* Runs; NULL if the exploration is over. What the chooser needs is in the plan. */
const struct run *explorer_run(struct explorer *, const struct plan *);
/* The same of a run that may turn out to be impossible: NULL then too. */
const struct run *explorer_try(struct explorer *, const struct plan *);
/* Counts a run, and shows it to the visitor. `traced`: the explorer's trace is the run's. */
void explorer_visit(struct explorer *, const struct run *, bool traced);
void explorer_skip(struct explorer *); /* counts a schedule that need not be run */
/* The choice of step i: kept where others see it if the process dies. */
static inline void explorer_show(struct explorer *e, size_t i, struct choice c) {
  if (!e->share.choices || i >= CHOICES_SHOWN) return;
  e->share.choices[i] = c;
  atomic_store_explicit(e->share.choice_count, (uint32_t)i + 1, memory_order_relaxed);
}

/* The functions of the strategies (strategies.c). */
void explore_dpor(struct explorer *);
void explore_delays(struct explorer *);
void explore_preemptions(struct explorer *);
void explore_rounds(struct explorer *);
void explore_all_schedules(struct explorer *);
void explore_pct(struct explorer *);
void explore_uniform(struct explorer *);

bool explore_with(executor *, const struct client *, const struct explore_options *, const struct share *,
                  struct limits *, enum visit (*visit)(void *, const struct run *), void *context,
                  struct explore_counts *, struct problem *);

#endif
