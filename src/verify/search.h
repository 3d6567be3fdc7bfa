/* The search: does every trace of the system belong to the specification? (Liu et al. 2013, section 4.)
 *
 * Reachability in the product of the system and the determinised specification (specset.h): a pair whose spec set is
 * empty is a trace the specification does not have. */
#ifndef ASIF_VERIFY_SEARCH_H
#define ASIF_VERIFY_SEARCH_H

#include "base/limits.h"
#include "check/check.h"
#include "verify/system.h"
#include "verify/traces.h"

enum reduce {
  REDUCE_BEST, /* the fastest sound combination: symmetry and antichains of pairs, and what the machine does of its own.
                * How many pairs are stored depends on the order in which they are met, so on the number of workers too
                */
  REDUCE_NONE, /* Algorithm 4.1 */
  REDUCE_SYM1, /* Algorithm 4.2 */
  REDUCE_SYM,  /* Algorithm 4.3 */
  REDUCE_POR,  /* Algorithm 4.4 with A.1: Cartesian partial order reduction */
  REDUCE_BOTH, /* Algorithm 4.5 */
  REDUCE_TAU   /* the reduction of the 2009 paper, Figures 3 and 4 */
};

const char *reduce_name(enum reduce); /* "best", "none", ... */

/* What a checkpoint is of, so that nothing else goes on from it. */
struct search_identity {
  const char *text; /* the options, in words */
  uint64_t source;  /* a hash of what is searched */
  unsigned flags;   /* what else must be as it was, and in words; the caller's business */
  const char *orders;
};

/* One move of a counterexample: the thread (in the numbering of the start, not of the representatives) and what it
 * chose. */
struct path_move {
  uint8_t thread;
  struct choices choices;
  struct move move;
};

struct stuck_asked {
  uint64_t states;              /* how many may be gone through, and after that, how many are left */
  uint64_t way;                 /* the next one to take, of those in which threads may call and wait */
  bool more;                    /* there are ways that are not taken */
  bool parked;                  /* no thread moves, and one waits for a signal */
  uint32_t calls[THREADS_MOST]; /* ... then: the number of a call that the thread would make, and wait, + 1; 0: none */
  bool owed;                    /* the specification lets one of those that are open return */
  const char *undecided;        /* why */
  bool asleep;                  /* VIOLATED: since an operation has missed its signal (asleep.c) */
};

struct search_options {
  enum reduce reduce;
  bool depth_first;
  unsigned jobs;
  uint64_t most;  /* 0; or the search is given up, unfinished, once a worker has stored that many states */
  bool anew;      /* the moves of a state met lately are made once more (recent.h): for comparing */
  bool deadlocks; /* a state where no thread can move and one waits is a violation, and so is one with an open operation
                   * from which none can return */
  /* After this execution no operation of these clients returns: is that so whatever other threads call, too? NULL: not
   * asked. UNKNOWN: not decided. */
  enum verdict (*stuck)(void *self, const struct path_move *, size_t count, struct stuck_asked *);
  void *stuck_self;
  bool first_lost;         /* it ends where memory is lost; else that is told only where nothing else is wrong */
  const char *checkpoint;  /* where a limit leaves what was reached; NULL: nowhere */
  double checkpoint_after; /* 0; or only Ctrl-C does, and after so many seconds */
  const char *resume;      /* a checkpoint to go on from; NULL */
  struct search_identity identity;
  void (*progress)(void *, uint64_t states, uint64_t transitions, uint32_t depth,
                   size_t bytes); /* now and then; or NULL */
  void *progress_self;
};

enum violation {
  VIOLATION_NONE,
  VIOLATION_TRACE /* not a trace of the specification */,
  VIOLATION_FAULT,
  VIOLATION_DEADLOCK,
  VIOLATION_NO_RETURN, /* an operation is open, and from here on none can return */
  VIOLATION_ASLEEP,    /* no thread moves, and one has missed the signal that it waits for */
  VIOLATION_POINTS,
  VIOLATION_LEAK,      /* memory can be reached no more that nobody freed (system.lost) */
  VIOLATION_NUMBERS,   /* none: to be searched again with numbers of addresses as choices (FAULT_NUMBERS) */
  VIOLATION_FORGOTTEN, /* none: to be searched again without forgetting (FAULT_FORGOTTEN) */
  VIOLATION_UNORDERED, /* none: to be searched again with every order of some operands (FAULT_UNORDERED) */
  VIOLATION_TRACKS,    /* none: to be searched again with more kept of accesses (FAULT_TRACKS) */
  VIOLATION_ROOM       /* none: to be searched again with more room in a state (FAULT_ROOM) */
};
/* True if nothing was found, and the search has to be made once more in another way. */
static inline bool violation_is_none(enum violation v) {
  return v == VIOLATION_FORGOTTEN || v == VIOLATION_UNORDERED || v == VIOLATION_ROOM || v == VIOLATION_NUMBERS ||
         v == VIOLATION_TRACKS;
}

enum { CALLS_BYTES = 65536 / 8 };

struct search_result {
  enum verdict verdict;
  enum violation violation;
  struct path_move
      *path; /* from the start; its last move is the wrong one. A real execution: it replays on the system */
  size_t path_count;
  uint64_t states, transitions, terminal; /* pairs stored, moves made, states in which all threads have stopped */
  uint32_t depth;
  uint32_t spec_sets;
  size_t bytes; /* held for states: packed bytes, table and links */
  enum limit limit;
  const char *returns_undecided; /* it holds, but whether operations can return from everywhere was not decided: why */
  bool loses;                    /* memory is lost in some execution */
  bool stalls;     /* it holds, but for operations that wait for a lock with their first access (stuck.c) */
  bool unfinished; /* given up because of options.most */
  bool about;      /* the counts depend on the order in which workers met states, or on when a limit was reached */
  bool refused;    /* some call was not made, because of the bound, or since it misuses a lock */
  uint8_t called[CALLS_BYTES];       /* calls that were made, a bit each by their numbers; since it was resumed */
  const char *checkpoint;            /* where what was reached is; NULL: nowhere */
  struct problem checkpoint_problem; /* why it could not be written; "" */
};

/* Results are owned by mem. False with the problem for an internal error or a checkpoint that does not fit. */
bool search(struct mem *, struct system *, struct traces *, const struct search_options *, struct limits *,
            struct search_result *, struct problem *);

#endif
