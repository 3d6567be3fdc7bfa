/* The tapes of a recorder or monitor, and the order of what is on them.
 *
 * A thread writes its operations on a tape of its own (include/asif.h): a ring of records that only it writes and only
 * the taker reads. Logical time is one counter, `now`. A call puts its record on the tape, marks the tape open, and
 * then reads s = now. A return takes t = now++: no two returns have the same. So
 *
 *   A returned before B was called   iff   t_A < s_B. (1)
 *
 * If A's return happens before B's call, B reads what A's increment wrote or something later, so s_B > t_A. If s_B >
 * t_A, B has read the value of an increment that is A's or follows it in the one order of all increments, which
 * synchronises: A's return happens before B's call.
 *
 * The taker gives the events to a sink in an order that has the same precedence: for t = 0, 1, 2, ... first the calls
 * with s == t that it has not given yet, then the return with time t. By (1) the return of A is given before the call
 * of B iff t_A < s_B. For that, when it gives return t, it must know of every operation with s <= t, also of those that
 * have not returned:
 *
 *   The taker reads T = now, then makes a barrier, then looks at the tapes' states. Every operation with s < T is then
 * on its tape, as a whole record or as the open one. (2)
 *
 * With the barrier of membarrier(2) every thread of the process passes a full fence between the taker's read of T and
 * its reading of the states. A thread that passes it before it marks its tape open reads `now` after it, and so reads
 * at least T: s >= T. A thread that passes it after has marked its tape open before: the taker sees that, or something
 * later of the same tape. Where there is no membarrier the mark is a sequentially consistent exchange, and `now` and
 * the states are read so: if the taker does not see the mark, its read is before the mark in the one order of all
 * these, so its read of T is before the call's read of now, and s >= T again.
 *
 * The same holds of tapes that are new, since a tape is in the list of tapes before it is used, and the list is read
 * after the barrier.
 *
 * So all returns below T can be given, up to the first that has taken its time and has not written its record yet, and
 * up to a call that has not written its s yet and may have any from its thread's previous return on: holes, which close
 * when their threads go on.
 *
 * An operation that was seen open and then turns out not to be followed (one_in) leaves no record; its serial is gone
 * from the tape, and it is dropped. If its record is written over while the taker reads it, then by the next operation
 * of that tape, which was marked after the taker looked: its s is T or more by the argument of (2), and it waits for
 * the next round.
 *
 * Times are 32 bits of `now`: all that is not given yet lies within the tapes, and so close together. */
#ifndef ASIF_LIB_DECK_H
#define ASIF_LIB_DECK_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "asif.h"
#include "base/text.h"

enum { DECK_LINE = 64, DECK_WINDOW = 1024, DECK_NOBODY = UINT16_MAX, DECK_LANES_MOST = 16384 };

/* A tape with what of it is the library's. */
struct tape {
  _Alignas(DECK_LINE) struct asif_tape front;
  _Alignas(DECK_LINE) _Atomic uint32_t tail; /* records before it are taken, and their places free */
  struct deck *deck;
  struct tape *next;  /* of all tapes, the newest first */
  struct tape *spare; /* of those ended */
  uint64_t *masks;    /* for a group of 64 lanes that begins with this one; else NULL */
  char *name;         /* or NULL */
  uint32_t number;    /* 0, 1, ... */
  uint64_t owner;     /* the thread that it was given to last (deck.c) */
  uint64_t former;    /* an owner that ended it, and may believe that it is still its own; 0: none */
  bool ended;         /* it is in the list of those ended */
};

/* A tape as the taker knows it. */
struct lane {
  const struct asif_record_ *records; /* the tape's */
  uint32_t mask;
  uint32_t taken; /* records given to the sink */
  uint64_t seen;  /* its state, this round */
  struct tape *tape;
  uint32_t serial;             /* of the operation whose call is given */
  bool called;                 /* the call of the next record is given */
  uint32_t process;            /* the sink's name for who makes the calls */
  struct asif_record_ copy[2]; /* of the open operation */
};

struct deck {
  _Alignas(DECK_LINE) _Atomic uint64_t now;
  _Alignas(DECK_LINE) pthread_mutex_t taking; /* who has it is the taker */
  void (*round)(struct deck *);               /* gives the sink what there is; by the taker */
  void (*after)(struct deck *);               /* by whoever has just been the taker, and is no more; or NULL */
  pid_t process;                              /* that made it: no other records */
  uint32_t ring;                              /* records of a tape */
  uint32_t one_in;                            /* of the tapes */
  uint64_t seed;
  bool fenced;
  bool inline_; /* threads take, at every quarter of a tape */

  pthread_mutex_t registry; /* of what follows, but for the list's head */
  _Atomic(struct tape *) tapes;
  struct tape *spare;
  uint32_t tape_count;
  asif_status status;
  _Atomic bool failed; /* status is not ASIF_DONE */
  struct problem error;

  pthread_t thread; /* in the background */
  bool has_thread;
  sem_t wake;
  _Atomic bool asleep, stop;
  int milliseconds;

  /* The taker's. */
  struct lane *lanes;
  uint32_t lane_count;
  uint32_t given;   /* the next time */
  uint16_t *owner;  /* by time in the window: the lane that returned then, or DECK_NOBODY */
  uint64_t **masks; /* a group of 64 lanes each; by time: which of them called then */
};

extern bool deck_fences; /* tests set it: as if there were no membarrier */
struct deck_options {
  size_t bytes; /* of a tape; 0: as many as are usual */
  int milliseconds;
  asif_taker taker;
  bool polled; /* ASIF_POLLED is a taker too */
  uint32_t one_in;
};
/* False if there is no memory. Options that have no meaning are a failure of the deck, which then has usual ones. */
bool deck_open(struct deck *, const struct deck_options *);
bool deck_start(struct deck *); /* the background thread, where there is to be one */
void deck_stop(struct deck *);
void deck_free(struct deck *);
/* NULL if there are too many or no memory, which is a failure of the deck, or in a forked process. */
asif_tape *deck_tape(struct deck *, const char *name);
/* The first failure stays. Operations may be on no tape from then on. Whoever returns what follows from them does so
 * after `failed` is set, and a taker who reads the time of that return reads `failed` as set: a taker who finds it not
 * set after a round has begun has been given all that happened. */
void deck_fail(struct deck *, asif_status, const char *, ...) __attribute__((format(printf, 3, 4)));
asif_status deck_status(struct deck *);
bool deck_forked(const struct deck *);
/* Takes what is there now; wait: all that has returned when it is called, and else only if nobody else is taking. */
void deck_take(struct deck *, bool wait);
/* Begins a round: reads the time, makes the barrier, finds new tapes and reads their states; returns how many times
 * there are to give. */
uint32_t deck_look(struct deck *);
void deck_release(struct deck *); /* ends it: what was taken is free */
void deck_discard(struct deck *); /* instead of all rounds from now on: nothing is given any more, and there is room */

/* Where events go. What gives them is compiled into each sink's own function, with its functions in it. */
#define DECK_INLINE static inline __attribute__((always_inline))
struct sink {
  void (*call)(void *to, struct lane *, const struct asif_record_ *, const struct asif_record_ *more);
  void (*ret)(void *to, struct lane *, const struct asif_record_ *);
  void (*drop)(void *to, struct lane *); /* the operation called is not followed after all */
};

DECK_INLINE const struct asif_record_ *lane_record(const struct lane *l, uint32_t i) {
  return &l->records[i & l->mask];
}
DECK_INLINE unsigned record_args(uint64_t what) { return what >> 16 & 3; }
/* The operation's number as the call had it, with ASIF_IN_ and ASIF_OUT_. */
DECK_INLINE unsigned record_operation(uint64_t what) { return (what & 0xffff) | (what >> 21 & 3) << 16; }
DECK_INLINE uint32_t record_step(uint64_t what) { return record_args(what) > 1 ? 2 : 1; }

DECK_INLINE void lane_copy_record(struct lane *l, uint32_t at) {
  const struct asif_record_ *r = lane_record(l, at), *more = lane_record(l, at + 1);
  l->copy[0].what = __atomic_load_n(&r->what, __ATOMIC_ACQUIRE);
  l->copy[0].arg = __atomic_load_n(&r->arg, __ATOMIC_ACQUIRE);
  if (record_args(l->copy[0].what) < 2) return;
  l->copy[1].arg = __atomic_load_n(&more->arg, __ATOMIC_ACQUIRE);
  l->copy[1].result = __atomic_load_n(&more->result, __ATOMIC_ACQUIRE);
}

/* Copies the operation that was seen open, at this record; false if it has ended and left no record. */
DECK_INLINE bool lane_copy(struct lane *l, uint32_t at) {
  lane_copy_record(l, at);
  uint64_t state = __atomic_load_n(&l->tape->front.state, __ATOMIC_ACQUIRE);
  if (state == l->seen) return true;
  if ((uint32_t)(state >> 32) == at || ((lane_record(l, at)->end ^ l->seen >> 1) & 0x7fffffff)) return false;
  lane_copy_record(l, at); /* it is whole now, and stays */
  return true;
}

/* Drops the operation whose call was given if it is on the tape no more. */
DECK_INLINE void lane_drop(struct lane *l, const struct sink *sink, void *to) {
  if (!l->called) return;
  bool whole = l->taken != (uint32_t)(l->seen >> 32);
  uint32_t serial =
      whole ? (uint32_t)lane_record(l, l->taken)->end & 0x7fffffff : (uint32_t)(l->seen >> 1) & 0x7fffffff;
  if (serial == l->serial && (whole || (l->seen & 1))) return;
  sink->drop(to, l);
  l->called = false;
}

/* Marks where in the window of n times this lane calls and returns; how many of these times are known as far as it is
 * concerned. */
DECK_INLINE uint32_t lane_mark(struct deck *d, struct lane *l, uint32_t n) {
  uint32_t index = (uint32_t)(l - d->lanes), at = l->taken, complete = (uint32_t)(l->seen >> 32), first = 0,
           given = d->given;
  uint64_t *mask = d->masks[index >> 6], bit = (uint64_t)1 << (index & 63);
  uint16_t *owner = d->owner;
  bool called = l->called;
  for (; at != complete; called = false) {
    const struct asif_record_ *r = lane_record(l, at);
    uint64_t what = __atomic_load_n(&r->what, __ATOMIC_RELAXED);
    uint32_t call = (uint32_t)(what >> 32) - given, ret = (uint32_t)(r->end >> 32) - given;
    if (!called && call < n) mask[call] |= bit;
    if (ret >= n) return n;
    owner[ret] = (uint16_t)index;
    first = ret + 1;
    at += record_step(what);
  }
  if (!(l->seen & 1) || called || !lane_copy(l, at)) return n;
  if (!(l->copy[0].what & ASIF_TIMED_)) return first;
  uint32_t call = (uint32_t)(l->copy[0].what >> 32) - given;
  if (call < n) mask[call] |= bit;
  return n;
}

DECK_INLINE void lane_call(struct lane *l, const struct sink *sink, void *to) {
  bool open = l->taken == (uint32_t)(l->seen >> 32);
  const struct asif_record_ *r = open ? &l->copy[0] : lane_record(l, l->taken);
  sink->call(to, l, r, open ? &l->copy[1] : lane_record(l, l->taken + 1));
  l->called = true;
  l->serial = open ? (uint32_t)(l->seen >> 1) & 0x7fffffff : (uint32_t)r->end & 0x7fffffff;
}

DECK_INLINE void deck_calls(struct lane *lanes, uint64_t mask, const struct sink *sink, void *to) {
  for (; mask; mask &= mask - 1) lane_call(&lanes[__builtin_ctzll(mask)], sink, to);
}

/* Gives a window of n times, up to the first hole; how many. */
DECK_INLINE uint32_t deck_window(struct deck *d, uint32_t n, const struct sink *sink, void *to) {
  uint32_t last = 0, known = n, groups = (d->lane_count + 63) / 64;
  struct lane *lanes = d->lanes;
  uint16_t *owner = d->owner;
  uint64_t *first = d->masks[0];
  for (uint32_t i = 0; i < d->lane_count; i++) {
    lane_drop(&lanes[i], sink, to);
    uint32_t until = lane_mark(d, &lanes[i], n);
    if (until < known) known = until;
  }
  while (last < known && owner[last] != DECK_NOBODY) last++;
  for (uint32_t time = 0; time < last; time++) {
    deck_calls(lanes, first[time], sink, to);
    for (uint32_t g = 1; g < groups; g++) deck_calls(lanes + g * 64, d->masks[g][time], sink, to);
    struct lane *l = &lanes[owner[time]];
    const struct asif_record_ *r = lane_record(l, l->taken);
    sink->ret(to, l, r);
    l->called = false;
    l->taken += record_step(r->what);
  }
  memset(owner, 0xff, n * sizeof *owner);
  for (uint32_t g = 0; g < groups; g++) memset(d->masks[g], 0, n * sizeof **d->masks);
  d->given += last;
  return last;
}

/* A round of the taker's. */
DECK_INLINE void deck_give(struct deck *d, const struct sink *sink, void *to) {
  uint32_t left = deck_look(d);
  while (left) {
    uint32_t n = left < DECK_WINDOW ? left : DECK_WINDOW, given = deck_window(d, n, sink, to);
    left -= given;
    if (given < n) break;
  }
  deck_release(d);
}

/* The end: the operations that are open, and have not been given. */
DECK_INLINE void deck_give_open(struct deck *d, const struct sink *sink, void *to) {
  for (uint32_t i = 0; i < d->lane_count; i++) {
    struct lane *l = &d->lanes[i];
    lane_drop(l, sink, to);
    if (!l->called && (l->seen & 1) && l->taken == (uint32_t)(l->seen >> 32) && lane_copy(l, l->taken))
      lane_call(l, sink, to);
  }
}

#endif
