/* What the parts of the search share: search.c (the loop and its workers), cartesian.c (Algorithm A.1), path.c
 * (counterexamples). */
#ifndef ASIF_VERIFY_EXPLORE_H
#define ASIF_VERIFY_EXPLORE_H

#include <pthread.h>
#include <stdatomic.h>

#include "verify/recent.h"
#include "verify/search.h"
#include "verify/store.h"

struct bytes {
  VEC(unsigned char) at;
};

/* States found are not looked up at once: by the time it is their turn what the table has there is in the cache. */
enum { WAITING = 16, WAITING_SIZE = 240 };
struct waiting {
  uint64_t hash;
  uint32_t parent, set, size;
  uint32_t likely; /* the record that it will be compared with */
  unsigned char packed[WAITING_SIZE];
};

/* From which of a worker's pairs an operation can return (returns.c). */
struct return_link {
  uint32_t from, to; /* a pair that led to nothing new, and one that it leads to */
};
struct returns {
  bool asked;
  uint64_t *bits; /* a bit a reference */
  size_t words;
  VEC(struct return_link) links;
  /* the pair whose successors are being looked up: whether one is new, and the last of the others; REF_NONE */
  uint32_t parent, last;
  bool grew;
  struct rest *asking; /* successors are not stored, but looked up for this; NULL */
};

/* One of the threads that search. Each owns the states whose hash is its own. */
struct worker {
  struct explore *all;
  unsigned index;
  struct mem mem;
  struct system *system;
  struct traces traces; /* a view of its own */
  struct store store;
  pthread_t thread;
  /* what is left to expand: breadth first, the records from `next` to `level_end`; depth first, a stack */
  uint32_t next, level_end;
  VEC(uint32_t) stack;
  struct waiting *waiting;   /* a ring of WAITING */
  uint64_t waited, admitted; /* put into it, taken out of it */
  struct bytes *outbox;      /* a worker each: states found that are theirs */
  /* being expanded */
  void *from, *to;
  bool unpacked; /* `from` is that */
  bool ranked;   /* the order of the threads depended on the set */
  unsigned char *packed;
  uint32_t ref;   /* global reference of what is being expanded */
  uint32_t taken; /* the same, of this worker's own; REF_NONE once all of it is done */
  uint32_t set;
  struct cartesian *cartesian;
  struct recent *recent; /* NULL: moves are always made */
  struct returns returns;
  bool returned; /* a move of what is being expanded is a return */
  bool ended;    /* no thread of it moves, or waits for a lock */
  /* counts */
  uint64_t transitions, terminal;
  uint64_t transitions_before, terminal_before; /* ... what is taken */
  uint8_t *called;                              /* calls made, a bit each by their numbers */
  bool refused;                                 /* a call was not made (may_call) */
  bool stalls;                                  /* there was a state with may_stall */
  uint32_t lost; /* global reference of the first pair from which a move loses memory; REF_NONE */
  unsigned phase;
};

struct explore {
  struct search_options options;
  struct limits *limits;
  bool returns;   /* it is decided whether operations can return from everywhere */
  bool antichain; /* pairs whose set has another's of the same state within it are left out */
  unsigned jobs, ref_bits;
  struct worker *workers;
  pthread_barrier_t barrier;
  atomic_bool stop;
  bool unfinished; /* options.most was reached */
  bool ready;      /* the first states are there */
  uint32_t depth;
  double told; /* when progress was last reported */
  /* the first violation: which state, and by which move */
  pthread_mutex_t lock;
  enum violation violation;
  uint32_t wrong_ref;
};

/* References of all workers: the worker's number in the high bits. */
static inline uint32_t global_ref(const struct explore *x, unsigned worker, uint32_t ref) {
  return x->ref_bits ? ref | worker << (32 - x->ref_bits) : ref;
}
static inline unsigned ref_worker(const struct explore *x, uint32_t ref) {
  return x->ref_bits ? ref >> (32 - x->ref_bits) : 0;
}
static inline uint32_t ref_local(const struct explore *x, uint32_t ref) {
  return x->ref_bits ? ref & (UINT32_MAX >> x->ref_bits) : ref;
}

/* Which worker a state belongs to. */
static inline unsigned owner_of(const struct explore *x, uint64_t hash) {
  return x->jobs > 1 ? (unsigned)((hash >> 32) * x->jobs >> 32) : 0;
}

static inline struct record_view record_of(const struct explore *x, uint32_t ref) {
  return store_at(&x->workers[ref_worker(x, ref)].store, ref_local(x, ref));
}

/* A pair in a box: hash, parent, set, size, bytes. */
enum { POSTED = 20 };

/* The representative of a pair: the state in worker->packed, of the size returned, and the set; from[] is how threads
 * were put in order. */
uint32_t make_pair(struct worker *, const void *work, uint32_t *set, uint8_t *from);

/* After the events of the move, and whether the client makes it at all (ASIF_BOUND). 0: not a trace of the
 * specification. */
bool follow(struct worker *, const struct move *, uint32_t set, uint32_t *next);
/* The system is in `work` with this spec set: a new state, perhaps. */
void reached(struct worker *, const void *work, uint32_t set);
/* A pair found, with its owner: it is new, perhaps. */
void keep(struct worker *, const unsigned char *packed, uint32_t size, uint32_t set, uint64_t hash, uint32_t parent);
void wrong(struct worker *, enum violation);
/* Is the state worker->from a deadlock (stuck.c)? */
bool is_stuck(struct worker *);
/* Does no thread move there, and one wait for a signal, in one of the ways from asked->way on? Then also which threads
 * would call and wait in it, and whether the specification lets one of those return that are open then. */
bool is_asleep(struct worker *, struct stuck_asked *);
/* In that state, may a thread call an operation that waits for a lock at once, and is it open whether those that are
 * under way can return then? */
bool may_stall(struct worker *);
/* Does the specification let one of those that are open return? */
bool is_owed(const struct worker *, uint32_t set);
enum violation violation_of(enum fault);

/* A pair once more, without storing what it leads to (worker->returns.asking); its pair is anyone's. */
void expand_again(struct worker *, struct record_view, uint32_t ref);
/* Where the pair is stored, or what covers it; REF_NONE. */
uint32_t find_stored(struct worker *owner, const unsigned char *packed, uint32_t size, uint32_t set, uint64_t hash);

/* returns.c. While the search runs: an operation can return from here; the successors of another pair come now. */
void returns_mark(struct worker *, uint32_t ref);
void returns_settle(struct worker *, uint32_t parent);
static inline void returns_met(struct worker *w, uint32_t parent, uint32_t ref, bool is_new) {
  struct returns *r = &w->returns;
  if (parent != r->parent) returns_settle(w, parent);
  r->grew |= is_new;
  if (!is_new && (r->last == REF_NONE || ref > r->last)) r->last = ref;
}
void returns_ask(struct worker *, const unsigned char *packed, uint32_t size, uint32_t set, uint64_t hash);
/* When it has ended, and found nothing: a pair from which no operation can return, though one is open that might;
 * REF_NONE. */
uint32_t returns_missing(struct explore *, struct search_result *);

static inline bool has_return(const struct event *events, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (events[i].kind == EVENT_RETURN) return true;
  return false;
}

enum { PATH_MOST = 64 }; /* moves in a Cartesian path */
/* Algorithm 4.4, 4.5: the successors of worker->from by Cartesian vectors. */
struct cartesian *cartesian_new(struct mem *, const struct system *);
void cartesian_expand(struct worker *);

/* The counterexample: a real execution that ends in the violation found at x->wrong_ref. */
bool find_path(struct mem *, struct explore *, struct search_result *, struct problem *);

#endif
