/* The C machine: a program (front/program.h) and a client, as a system to search.
 *
 * A step is one access to memory others can see, with the local computation around it. Locals are reset when they are
 * dead, objects are named in the order they are met from the globals on, and those nobody can reach vanish: states that
 * differ in nothing that matters are equal. What only one thread can reach is as good as local. */
#ifndef ASIF_VERIFY_MACHINE_H
#define ASIF_VERIFY_MACHINE_H

#include "base/memory_model.h"
#include "front/program.h"
#include "verify/system.h"

enum steps { STEPS_SHARED, STEPS_STATEMENT };
enum { OPS_FOREVER = 0 };

/* A call the client may make. */
struct client_call {
  uint16_t op;     /* of program.ops */
  uint16_t number; /* for the events: specset_call */
  word args[3];
};

/* What a thread does: any of these calls, again and again, `ops` times in all or for ever. */
struct client_thread {
  const struct client_call *calls;
  unsigned call_count;
  uint8_t group; /* threads of one group do the same */
};

/* The result of an operation as the specification knows it. */
typedef value machine_result(void *self, const struct program_op *, word result);

struct machine_options {
  enum steps steps;
  /* Calls happen with the operation's first access and returns with its last: with an earlier call or a later return
   * more operations overlap, and the history has every linearization it has so, and more. Sound for refinement of a
   * sequential specification. */
  bool fuse_events;
  bool apart; /* not fuse_events, and a call is a move that does nothing else: it can always be made (reference.h) */
  bool fuse_private;     /* an access to what only this thread can reach is local */
  unsigned ops;          /* operations a thread performs; OPS_FOREVER */
  bool type_stable;      /* freed memory may be read and written */
  bool points;           /* marks of linearization points are events */
  bool weak_fails;       /* atomic_compare_exchange_weak also fails without a reason */
  bool malloc_fails;     /* an operation's malloc, calloc and realloc may also give NULL */
  bool signals_as_locks; /* who waits for a signal waits for a lock */
  bool races;            /* data races are faults (race.c) */
  bool leaks;            /* packing says what is lost (system.lost) */
  /* Where two volatile accesses raced, as two numbers of instructions, or 0. All copies of a machine share it. */
  uint64_t *volatile_race;
  /* Numbers of addresses (numbers.c): choices, with a table that all copies share; NULL: they are beyond what is
   * modelled, or, with asks_numbers, FAULT_NUMBERS. */
  struct terms *terms;
  bool asks_numbers;
  bool guesses;      /* what a number from outside the program is compared with is a choice (outside.c) */
  uint32_t *ordered; /* an instruction that compared pointers into different objects, or 0; of all copies; or NULL */
  uint32_t *added;   /* an instruction that added to a `char *` that points to nothing, or 0; of all copies; or NULL */
  enum memory_model memory; /* how memory behaves (weak.h) */
  bool sc_as_acq_rel;       /* C11: seq_cst accesses are as acquire and release: too weak; or ordered as they run: too
                               strong */
  bool *reordered;  /* C11: seq_cst fences ran in an order that need not be theirs (views.c); of all copies; or NULL */
  uint16_t *tracks; /* C11: what was found to matter of each cell of each layout (views.c); all copies share it */
  bool forget;      /* garbage that no register points to is forgotten: see pack.c */
  unsigned room;    /* for memory in a state: each step is eight times as much; ROOM_MOST at most */
  bool grows;       /* where there is no more room the fault is FAULT_ROOM, not FAULT_RANGE, below ROOM_MOST */
};
enum { ROOM_MOST = 3 };

/* options.tracks: with nothing found yet, or with all that may be. */
uint16_t *weak_tracks(struct mem *, const struct program *, bool all);
/* A system, owned by mem. threads of them as given. */
struct system *machine_new(struct mem *, const struct program *, const struct client_thread *, unsigned threads,
                           const struct machine_options *, machine_result *, void *result_self);
/* True if a variable may be where another was whose life has ended (places.c); then threads are told apart. */
bool machine_tells_places(const struct system *);
/* Did ASIF_INIT's function fail? Then move.fault says how. */
bool machine_start_fault(struct system *, struct move *);

/* Which store an access read, where memory is not sequentially consistent, and how a store comes to memory. */
struct told_source {
  const struct inst *by; /* the store; NULL: it is not known, or it was there at the start */
  uint8_t thread;
  const struct inst *newest; /* the last store that a load does not see, and its thread; or NULL */
  uint8_t newest_thread;
  unsigned newer; /* of a load: stores after that one that it does not see; of a store: that it goes before */
  bool own, buffered,
      flushed; /* it read, or went into, the thread's buffer; a store that waited there gets to memory */
};

/* What happened within one move, for schedules: called for each access (values as words), malloc, free and event in
 * order. */
enum { TRACED_MOST = 4 }; /* cells of an access that are told */
#define NO_OBJECT UINT32_MAX
enum chosen { CHOSEN_NOTHING, CHOSEN_NUMBER, CHOSEN_ORDER };
struct trace_item {
  const struct inst *inst; /* NULL for an event */
  const struct program_op *op;
  struct event event;
  word result; /* of a return event: as the program returned it */
  const struct client_call *call;
  struct place place;                                                  /* of a return event */
  uint32_t object, cell;                                               /* NO_OBJECT: of an allocation that failed */
  word read[TRACED_MOST], written[TRACED_MOST], expected[TRACED_MOST]; /* WORD_UNINITIALISED where there is none */
  bool reads, writes;
  bool own; /* only this thread can reach it */
  /* Of an address: a number that is made of it (written[0]); that it is below that of object `cell`. */
  enum chosen chosen;
  enum fault fault; /* not FAULT_NONE: the object is there, but this access to it is the fault */
  struct told_source source;
};
typedef void machine_tracer(void *self, const struct trace_item *);
void machine_trace(struct system *, machine_tracer *, void *self); /* NULL to stop */
/* An object's name within a state being worked on: "top", "node 3"; and a word: "7", "&node 3", "null". */
void machine_print_word(struct system *, const void *work, word, struct text *);
void machine_print_cell(struct system *, const void *work, uint32_t object, uint32_t cell, struct text *);
/* The value of a cell as its type has it: null, true. */
void machine_print_value(struct system *, const void *work, uint32_t object, uint32_t cell, word, struct text *);
const char *machine_cell_name(struct system *, const void *work, uint32_t object,
                              uint32_t cell); /* "next", "[2].val"; "" for a scalar */
/* Two volatile accesses raced: these two. */
bool machine_volatile_race(const struct system *, const struct inst *accesses[2]);
/* A block that nobody can reach and nobody freed, where that is asked (machine_options.leaks); or NO_OBJECT. */
uint32_t machine_lost(struct system *, const void *work);
/* Where the thread is: its next instruction, or NULL if it is between operations. */
const struct inst *machine_at(struct system *, const void *work, unsigned thread);

#endif
