/* A system: what is searched. The C machine (machine.c) is one; tests have others, written by hand after the papers'
 * models.
 *
 * Threads move one at a time. A move is atomic; what of it is visible are its events (calls and returns). A state is
 * worked on in a form of the system's own (`work` bytes, may be copied with memcpy) and stored packed: equal states
 * have equal bytes. */
#ifndef ASIF_VERIFY_SYSTEM_H
#define ASIF_VERIFY_SYSTEM_H

#include "front/ast.h"
#include "verify/specset.h"

/* Nondeterminism within a move: each choose() is one of several, and the search goes through all of them:
 *
 *   choices_begin(&c);
 *   do system->move(..., &c, ...); while (choices_next(&c));
 *
 * There may be very many moves: choices_next_in looks at the limits now and then. */
enum { CHOICES_MOST = 24 }; /* in one move; of more than that the first is always taken, which the machine refuses */
struct choices {
  uint8_t made, depth;          /* choose() calls recorded, and met so far in this run */
  uint32_t turns;               /* of choices_next_in */
  uint16_t taken[CHOICES_MOST]; /* which */
  uint16_t of[CHOICES_MOST];    /* of how many */
};
static inline void choices_begin(struct choices *c) { c->made = c->depth = 0, c->turns = 0; }
/* One of 0 .. n-1 (n > 0). */
static inline unsigned choose(struct choices *c, unsigned n) {
  if (n <= 1) return 0;
  if (c->depth == c->made && c->made < CHOICES_MOST) {
    c->taken[c->made] = 0;
    c->of[c->made++] = (uint16_t)n;
  }
  return c->depth < c->made ? c->taken[c->depth++] : 0;
}
static inline bool choices_next(struct choices *c) {
  c->depth = 0;
  while (c->made && c->taken[c->made - 1] + 1 == c->of[c->made - 1]) c->made--;
  if (!c->made) return false;
  c->taken[c->made - 1]++;
  return true;
}

static inline bool choices_next_in(struct mem *mem, struct choices *c) {
  enum { TURNS = 256 };
  if (++c->turns % TURNS == 0) mem_poll(mem);
  return choices_next(c);
}

/* What a move touched that others can see: for telling whether moves of different threads are independent
 * (section 4.3). */
struct access {
  uint32_t object, cell;
  bool write;
};
enum { ACCESSES_MOST = 16, EVENTS_MOST = 4 };

enum fault {
  FAULT_NONE,
  FAULT_NULL,  /* a null pointer used */
  FAULT_FREED, /* freed memory used */
  FAULT_DOUBLE_FREE,
  FAULT_BAD_FREE,      /* free of what malloc did not give */
  FAULT_BOUNDS,        /* outside an object or an array */
  FAULT_OVERFLOW,      /* of a signed integer */
  FAULT_DIVISION,      /* by zero */
  FAULT_SHIFT,         /* by too much */
  FAULT_UNINITIALISED, /* a value read that was never set */
  FAULT_POINTER,       /* what is no pointer used as one; pointers into different objects compared or subtracted */
  FAULT_ASSERTION,
  FAULT_UNLOCK,      /* of a mutex that is not locked */
  FAULT_DESTROY,     /* of a mutex that is locked */
  FAULT_UNSEQUENCED, /* two operands and one scalar, one of them writes it */
  FAULT_UNDEFINED,   /* what the text says is not defined here */
  FAULT_RACE,        /* a data race: with what another thread is about to do, */
  FAULT_CONCURRENT,  /* ... or with what one did, which nothing orders (views.c) */
  FAULT_TRAP,        /* abort() and its like */
  FAULT_ENDLESS,     /* no end of local computation */
  FAULT_ADDRESS,     /* the number of an address; moves have FAULT_RANGE instead, or */
  FAULT_PLACE,       /* whether two variables were at one place (places.c); moves have those two instead as well */
  FAULT_NUMBERS,     /* ... to be searched again, with numbers of addresses as choices (numbers.c) */
  FAULT_DISSOLVE,    /* within bytes.c: the object must be made of bytes for that */
  FAULT_RANGE,       /* a number beyond what is modelled: the tool's limit, not the program's fault */
  FAULT_FORGOTTEN,   /* what was forgotten about the state is needed after all: to be searched again, without forgetting
                      */
  FAULT_UNORDERED,   /* operands in no order conflict: to be searched again, with every order of them */
  FAULT_TRACKS,      /* what was not kept of accesses is needed: to be searched again, with that (views.c) */
  FAULT_ROOM,        /* more memory than there is room for in a state: to be searched again, with more */
  FAULT_LIMIT,       /* a limit was reached within a step (system.limits) */
  FAULT_POINTS       /* linearization points: none, or twice, in one operation */
};

struct move {
  unsigned event_count, access_count;
  struct event events[EVENTS_MOST]; /* in the order they happen */
  struct access accesses[ACCESSES_MOST];
  bool touches_all; /* there were more accesses than fit */
  enum fault fault;
  struct place place; /* of the fault */
  const char *text;   /* about the fault: what was asserted, the variable; or NULL */
  uint8_t racer;      /* FAULT_RACE: the thread that is about to make the other access */
  bool locked;        /* it WAITS for a lock, not for a condition, */
  bool parked;        /* or for a signal: nothing wrong in itself, unless no call can still bring one */
  bool guessed;       /* it made a choice that no execution may make (outside.c), */
  struct place guess; /* here */
  bool begun;         /* it WAITS, but the call that it would begin with can be made */
  uint8_t settled; /* it WAITS: so many of its choices are made; the others are part of what waits, made anew each time
                      it is tried */
  uint32_t length; /* how much of the program it ran, for `again` */
};

enum moved {
  MOVED,   /* `to` and the move are filled in */
  WAITS,   /* not now: a lock is taken, a condition does not hold */
  STOPPED, /* the thread has done all it was to do */
  FAULTED  /* undefined behaviour or a failed assertion: move.fault */
};

/* The ranks of the threads in a set (traces.h), found only where they are asked for. */
struct ranks {
  const uint8_t *(*of)(void *self, uint32_t set);
  void *self;
  uint32_t set;
};

struct system {
  unsigned threads;
  const uint8_t *group;  /* a number a thread: those of one group are interchangeable */
  size_t work;           /* bytes of a state being worked on */
  size_t packed_most;    /* bytes of a packed one at most */
  struct limits *limits; /* looked at within long steps; NULL: they are not cut short */
  bool choices_last;     /* a choice means the same in all states that are packed alike */
  bool lost; /* in what was packed last, memory can be reached no more that nobody freed; if that is asked */

  void (*start)(struct system *, void *work);
  enum moved (*move)(struct system *, const void *from, unsigned thread, struct choices *, void *to, struct move *);
  /* The same, for exactly as much of the program as such a move ran before, wherever it would end by itself: where a
   * move ends may depend on what was forgotten about the state when it was packed. NULL: as `move`. */
  enum moved (*again)(struct system *, const void *from, unsigned thread, struct choices *, uint32_t length, void *to,
                      struct move *);
  /* Packs into out, returns how many bytes. from is NULL: threads keep their places. Else threads of one group are put
   * in the order of what they are doing, equals by their ranks (NULL: none), and from[i] says which thread of `work` is
   * now thread i. */
  size_t (*pack)(struct system *, const void *work, const struct ranks *, unsigned char *out, uint8_t *from);
  void (*unpack)(struct system *, const unsigned char *packed, size_t size,
                 void *work); /* over zeros, or over another state */
  /* Packs with thread from[i] of `work` as thread i. */
  size_t (*pack_as)(struct system *, const void *work, const uint8_t *from, unsigned char *out);
  /* `work`, packed like that, is `as`, which was unpacked: whose own the objects are is said in `work` as it is in
   * `as`. Where a state was packed on the way, what one thread alone has become able to reach is that thread's own. */
  void (*settle)(struct system *, void *work, const uint8_t *from, const void *as);
  /* Would exchanging the two threads leave the state as it is? Only asked of threads of one group. */
  bool (*same)(struct system *, const void *work, unsigned thread, unsigned other);
  /* One of its own for another worker, that shares nothing that is written to; NULL: the system is searched by one
   * worker. */
  struct system *(*copy)(struct mem *, const struct system *);
};

/* A move that is `begun`, and WAITS by these choices: does it, too, with those that are not settled made in any other
 * way? Else it goes on in the end, as a lock that is waited for up to a time does. `to` is written over. */
bool waits_always(struct system *, const void *from, unsigned thread, const struct choices *, const struct move *,
                  void *to);

#endif
