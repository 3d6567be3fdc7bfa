/* What the parts of the C machine share: machine.c, heap.c, sync.c, pack.c, arith.c. */
#ifndef ASIF_VERIFY_MACHINE_PARTS_H
#define ASIF_VERIFY_MACHINE_PARTS_H

#include <string.h>

#include "front/wides.h"
#include "verify/machine.h"

enum {
  COUNT_MOST = 64,       /* cells in one access */
  CELLS_FIRST = 512,     /* of memory in a state, besides globals */
  LOCAL_MOST = 50000000, /* instructions in one step */
  OWNER_SHARED = 255,    /* of no one thread */
};
#define LOCAL_MOST_TEXT "more than 50 million instructions"
#define REACH_ALL       UINT32_MAX       /* every cell of an object */
#define ALLOCATOR       UINT32_MAX       /* the object that stands for malloc and free in accesses, */
#define SLEEPERS        (UINT32_MAX - 1) /* and for who sleeps and is woken, */
#define ADDRESSES       (UINT32_MAX - 2) /* and for what is known of addresses */

enum life {
  LIFE_GLOBAL,
  LIFE_CONSTANT,  /* a global that never changes: has no cells in the state */
  LIFE_FORGOTTEN, /* the one object that stands for all garbage that was forgotten */
  /* of the heap, and variables; as numbers in packed states */
  LIFE_HEAP,
  LIFE_FRESH,  /* never yet in reach of another thread */
  LIFE_HOLLOW, /* garbage that is only compared: its contents are forgotten */
  LIFE_FREED,
  LIFE_LOCAL, /* a variable whose address is taken */
  LIFE_ENDED, /* ... after its scope was left */
  LIFE_AGAIN, /* as LIFE_HEAP, with type_stable: it was freed before, and pointers from then may be used (race.c) */
  LIFE_KNOWN  /* as LIFE_LOCAL, and others can know of it: where memory is not sequentially consistent (weak.h) */
};
enum { HEADS = 128 };

struct object {
  uint32_t first, count; /* its cells */
  uint32_t layout;
  uint8_t life;
  uint8_t owner; /* the only thread that can reach it, or OWNER_SHARED */
  /* Where memory is accessed as bytes (bytes.h): 1 if its cells are its bytes, and twice how many there are behind its
   * last whole cell. */
  uint16_t extra;
};

/* What was chosen of an object's address (numbers.c). */
struct known {
  uint64_t mask, bits;  /* which bits are known, and these */
  uint16_t term, value; /* one number that is made of it, and which of its values it has; TERM_NONE */
  uint16_t rank;        /* its place among those whose order was asked; 0: it was not */
  uint8_t align;        /* it is a multiple of 2 to the power of this; or ALLOC_ALIGN_UNKNOWN */
  uint8_t maker;        /* of a variable whose life has ended: the thread's number and one (places.c) */
};

static inline bool is_allocated(const struct object *o) {
  return o->life == LIFE_HEAP || o->life == LIFE_FRESH || o->life == LIFE_AGAIN;
}

struct thread {
  uint32_t pc;   /* 0 between operations */
  uint32_t left; /* operations it may still begin; not used where they go on for ever */
};

struct machine_state {
  uint32_t objects, cells; /* in use */
  /* Of a state unpacked, and of those that moves make of it (struct unpacked): which it was, 0: none; which of its
   * threads have moved; and whose shared part it has unchanged, 0: none. */
  uint64_t unpacked, shared;
  uint32_t moved; /* a bit a thread */
  struct thread threads[THREADS_MOST];
};

/* The record of a thread as digits. */
struct kept_record {
  const unsigned char *at;
  uint32_t size, objects; /* objects first named there */
  uint32_t first;         /* the first of them, in the state unpacked */
};

/* What was unpacked last. Most of what its successors are packed to is the same, and so is most of what is unpacked
 * next. */
struct unpacked {
  uint64_t number; /* of states unpacked so far: the last one's */
  /* the shared part: everything but the threads and what only they reach */
  uint64_t shared;         /* the number of the first unpacked with this one; 0: none */
  uint32_t objects, cells; /* of them; they have the same numbers in the state and packed */
  uint32_t digit_count;
  unsigned char *bytes; /* packed; in the last one there may be one digit only */
  /* the threads' records */
  bool apart; /* none names an object of another's, and each names its own once: it is the same wherever it stands */
  struct kept_record records[THREADS_MOST];
  unsigned char *digits;
};

struct machine {
  struct system system; /* first: a system is a machine */
  const struct program *program;
  struct client_thread *client;
  struct machine_options options;
  machine_result *result;
  void *result_self;
  machine_tracer *tracer;
  void *tracer_self;
  uint32_t globals, regs, cells_most, objects_most;
  uint32_t own_words;         /* of a thread, behind its registers: live also between operations */
  uint32_t own_at[OWN_COUNT]; /* which of its words each is */
  size_t registers_at, objects_at, cells_at, known_at;
  struct terms *terms;       /* options.terms */
  bool stores_places;        /* the address of a variable may be stored: another may be there later (places.c) */
  uint32_t *stop_of, *pc_of; /* instruction <-> place where threads stop */
  const struct program_op **op_at;
  word *init_registers;
  word *spare;             /* room for all cells of a state */
  struct picture *picture; /* of a long step: endless.c */
  struct machine_state *other_start;
  struct move start_move;
  struct unpacked last;
  /* pack.c */
  uint32_t named;   /* objects before this one are named by their numbers, */
  uint32_t *number; /* the others have these names in the packed state; NUMBER_NONE */
  uint32_t *met;    /* objects in the order they were met */
  uint32_t *held;   /* when it was last found in a register: pack_count */
  uint32_t *need;   /* and which of its cells that may lead to, a bit each; REACH_ALL */
  uint32_t *held_list;
  uint32_t pack_count;
  uint32_t lost;               /* of what was packed last: the first of the blocks that are lost; NO_OBJECT */
  struct unordered *unordered; /* unordered.c; NULL: the program has no I_UNORDERED */
  /* Memory that is not sequentially consistent (weak.h); NULL: it is. */
  const struct weak_model *weak;
  size_t weak_at;          /* where its part of a state is */
  bool acquires;           /* there is a fence that acquires */
  bool counts_sc;          /* views.c: seq_cst fences, or accesses, are counted */
  uint32_t *tracks_first;  /* views.c: of each layout in options.tracks */
  uint8_t *reached;        /* ... room for a bit an object */
  struct told_source told; /* of the access that is told next */
  struct mem *mem;         /* that owns the machine */
  uint8_t *races;          /* race.c: for each instruction, whether it can be in a race; NULL: none can */
  /* reach.c: for each instruction and register the cells it leads to; NULL: everything */
  uint32_t *reach;
  size_t reach_regs;
  bool plain;         /* memory is not accessed as bytes, and nothing is known of addresses */
  word one_digit[16]; /* digits.h */
  unsigned lives;     /* how many there are from LIFE_HEAP on: LIFE_AGAIN and LIFE_KNOWN only where they occur */
  struct object heads[HEADS]; /* what the smallest of these numbers stand for (digits.h) */
  unsigned char *digits;      /* of the state being packed */
  unsigned char *settled;     /* a state packed for its names alone (machine_settle) */
  unsigned char *records;     /* of threads, for ordering them */
};

/* Pointers to forgotten garbage point to the object after the globals. */
static inline bool is_forgotten(const struct machine *m, word w) {
  return word_is_pointer(w) && word_object(w) == m->globals;
}

static inline struct object *state_objects(const struct machine *m, const struct machine_state *s) {
  return (struct object *)((char *)s + m->objects_at);
}
static inline word *state_cells(const struct machine *m, const struct machine_state *s) {
  return (word *)((char *)s + m->cells_at);
}
/* Of each object; only where m->terms. */
static inline struct known *state_known(const struct machine *m, const struct machine_state *s) {
  return (struct known *)((char *)s + m->known_at);
}
static inline word *state_registers(const struct machine *m, const struct machine_state *s, unsigned thread) {
  return (word *)((char *)s + m->registers_at) + (size_t)thread * m->regs;
}

/* What a thread has of its own between operations: own_words of them. */
static inline word *state_own(const struct machine *m, const struct machine_state *s, unsigned thread) {
  return state_registers(m, s, thread) + m->regs - m->own_words;
}

void machine_copy_state(const struct machine *, const struct machine_state *from, struct machine_state *to);

#define NUMBER_NONE UINT32_MAX
/* Is the cell one of these (REACH_ALL, or a bit each)? */
static inline bool keeps_cell(uint32_t cells, uint32_t cell) {
  return cells == REACH_ALL || (cell < 31 && cells >> cell & 1);
}

/* The name of an object in the state being packed. */
static inline uint32_t name_of(const struct machine *m, uint32_t object) {
  return object < m->named ? object : m->number[object];
}

/* Notes which garbage registers of these threads (a bit each) point to, and how much of it matters: after what the
 * globals lead to has its names. */
void find_held(struct machine *, const struct machine_state *, uint32_t threads);
/* places.c. Does some instruction store the address of a variable? */
bool places_stored(struct mem *, const struct machine *);
/* Are these the addresses of two variables that may have been at one place? Then a search with terms has to say. */
bool places_asked(const struct machine *, const struct machine_state *, word, word);

/* race.c */
struct made_access {
  const struct inst *inst;
  unsigned thread;
  uint32_t object;
  int64_t from, to; /* the cells that it accesses; where the program is loose, the bytes */
  bool writes, atomic /* within ASIF_ATOMIC */;
};
void race_open(struct mem *, struct machine *);
/* True if a plain access of this instruction can be in a race. */
bool race_plainly(const struct machine *, const struct inst *);
/* True if the access races with what *thread is about to do. */
bool race_with(const struct machine *, const struct machine_state *, const struct made_access *, unsigned *thread);

void reach_open(struct mem *, struct machine *);
void pack_open(struct mem *, struct machine *);
size_t machine_pack(struct system *, const void *work, const struct ranks *, unsigned char *out, uint8_t *from);
size_t machine_pack_as(struct system *, const void *work, const uint8_t *from, unsigned char *out);
void machine_settle(struct system *, void *work, const uint8_t *from, const void *as);
void machine_unpack(struct system *, const unsigned char *packed, size_t size, void *work);

/* What is wrong with using a byte that was set in part (words.h), padding, or a number from outside; */
static inline enum fault part_fault(word w) { return (w >> 8 & 0xff) == 0xff ? FAULT_RANGE : FAULT_UNINITIALISED; }
/* ... or what was never set. */
static inline enum fault unset_fault(word w) { return w == WORD_UNINITIALISED ? FAULT_UNINITIALISED : part_fault(w); }

/* One run of a thread. */
struct run {
  struct machine *machine;
  struct machine_state *state;
  unsigned thread;
  word *r; /* its registers */
  struct choices *choices;
  struct move *move;
  const struct program_op *op;
  bool accessed;    /* the one access of the step was made */
  bool atomic;      /* within ASIF_ATOMIC, */
  unsigned before;  /* ... and so many choices were made before it */
  bool watched;     /* it begins with a call, and stops before a first access that is plain (race.c) */
  bool statement;   /* --steps statement: the statement that is this step has begun */
  uint32_t exactly; /* run so many instructions; 0: to the step's end */
};
enum ended { GO_ON, STOP, WAIT, FAULT };

/* machine.c */
/* Is the access, just made, in a race with what another thread is about to do? Cells, or bytes. */
enum ended step_race(struct run *, const struct inst *, uint32_t object, int64_t from, int64_t to, bool wrote);
enum ended step_fault(struct run *, const struct inst *, enum fault, const char *text);
enum ended step_no_room(struct run *, const struct inst *, const char *text);     /* for more memory in the state */
enum ended step_unset(struct run *, const struct inst *, word, const char *text); /* a word that is no value is used */
enum ended step_fault_at(struct run *, const struct inst *, word at, enum fault); /* at an object that is there */
enum ended step_no_cell(struct run *, const struct inst *, word at);              /* it is the address of none */
enum ended step_check_life(struct run *, const struct inst *, word at);           /* may the object be accessed? */
enum ended step_choose_one(struct run *, const struct inst *, unsigned n, unsigned *which); /* one of n, in every way */
/* Where a variable is to be: the place of an ended one, or UINT32_MAX, one of its own (places.c). */
enum ended places_choose(struct run *, const struct inst *, const struct object *asked, uint32_t *object);
/* An access to memory as it is: what it reads is the last value, what it writes is there at once. */
enum ended step_directly(struct run *, const struct inst *, word at);
enum ended step_fetch(struct run *, const struct inst *, word before, word *now); /* I_FETCH: the new value */
enum ended step_equal(struct run *, const struct inst *, word before, word expected, bool *equal); /* of an I_CAS */
bool step_publish(struct run *, const struct object *, word); /* it is stored there; false: it is forgotten garbage */
void step_record(struct run *, uint32_t object, uint32_t cell, unsigned count, bool write);
void step_trace(struct run *, const struct inst *, word at, bool own, const word *before, const word *after,
                const word *expected, unsigned count);

/* An object is about to change. */
static inline void step_changes(struct machine_state *s, const struct object *o) {
  if (o->owner == OWNER_SHARED) s->shared = 0;
}

/* Where an access is to; the object alone, where memory is accessed as bytes. */
static inline word step_address(const struct run *run, const struct inst *in) {
  if (in->flags & FLAG_GLOBAL) return word_pointer(in->a, (uint32_t)in->imm);
  word at = run->r[in->a];
  return word_is_pointer(at) && !run->machine->program->loose ? at + (in->imm << 3) : at;
}

/* The cells an access is to. Everything that can be wrong with a pointer is found here. */
static inline enum ended step_cells_at(struct run *run, const struct inst *in, word at, unsigned count, word **cells,
                                       struct object **object) {
  struct machine *m = run->machine;
  *object = NULL;
  *cells = NULL;
  if (!word_is_cell(at)) return step_no_cell(run, in, at);
  struct object *o = *object = &state_objects(m, run->state)[word_object(at)];
  if (o->life != LIFE_GLOBAL && o->life != LIFE_HEAP && o->life != LIFE_FRESH) {
    enum ended bad = step_check_life(run, in, at);
    if (bad != GO_ON) return bad;
  }
  if (word_cell(at) + count > o->count) return step_fault(run, in, FAULT_BOUNDS, NULL);
  *cells =
      (o->life == LIFE_CONSTANT ? m->program->globals[word_object(at)].init : state_cells(m, run->state) + o->first) +
      word_cell(at);
  return GO_ON;
}

#define OUTSIDE_TEXT "a time or a random number; asif_choose(n) is one of a few numbers, where that is meant"
/* outside.c: an operand is WORD_OUTSIDE. */
enum ended outside_remainder(struct run *, const struct inst *, word divisor, word *out); /* I_CHOOSE, OP_MOD */
enum ended outside_compute(struct run *, const struct inst *, word a, word b);
enum ended outside_truth(struct run *, const struct inst *, word *out); /* is it not 0? */

/* numbers.c */
/* What divides the object's address. */
uint32_t numbers_align(const struct machine *, const struct machine_state *, uint32_t object);
/* True if the object, which was freed, may be at a multiple of 2 to the power of `align`; now it is given again. */
bool numbers_may_align(const struct machine *, const struct machine_state *, uint32_t object, uint8_t align);
void numbers_allocated(const struct machine *, struct machine_state *, uint32_t object, uint8_t align);
/* An instruction that came to FAULT_ADDRESS. */
enum ended numbers_compute(struct run *, const struct inst *);
enum ended numbers_truth(struct run *, const struct inst *, word *); /* of a term: 0 or 1 in its place */

/* heap.c */
bool heap_add(struct machine *, struct machine_state *, uint32_t layout, uint64_t cells, uint8_t life, uint8_t owner,
              uint32_t *made); /* false: there is no room */
enum ended step_allocate(struct run *, const struct inst *);
enum ended step_release(struct run *, const struct inst *);

/* True if the instruction is an allocation that is a step: memory that was freed may come back, or it may fail, and be
 * tried again without end. */
static inline bool step_allocates(const struct machine *m, const struct inst *in) {
  return (m->program->frees || m->options.malloc_fails) && !(in->flags & FLAG_LOCAL);
}

/* sync.c */
enum ended step_mutex(struct run *, const struct inst *);
enum ended step_own(struct run *, const struct inst *); /* I_OWN, I_SLEEP */
enum ended step_wake(struct run *, const struct inst *);

/* real.c */
enum ended step_real(struct run *, const struct inst *); /* I_INT128, I_FLOATING, I_CONVERT */

/* endless.c */
enum { STEP_POLLS = 1 << 16 }; /* instructions between looks at the limits */
enum { STEP_LONG = 20000 };    /* instructions: what is longer is looked at */
void endless_open(struct mem *, struct machine *);
/* After n instructions of a step, the next one at pc: has the state been there before? */
bool endless_repeats(struct run *, uint32_t pc, uint32_t n);
/* True if the step cannot end from pc on, whatever the values are. */
bool endless_code(struct machine *, uint32_t pc);
/* Which instructions threads can stop before: their places in packed states are small numbers. */
bool step_may_stop(const struct machine *, const struct inst *);

/* loose.c: where memory is accessed as bytes. */
enum ended loose_access(struct run *, const struct inst *);
enum ended loose_directly(struct run *, const struct inst *); /* step_directly */
/* I_FETCH of a pointer; may a word that an I_CAS finds be exchanged? */
enum ended loose_fetch(struct run *, const struct inst *, word before, word *now);
enum ended loose_equal(struct run *, const struct inst *, word before, word expected, bool *equal);
/* What a thread with these registers is about to access: false if there is no such memory. */
bool loose_extent(const struct machine *, const struct machine_state *, const word *r, const struct inst *,
                  uint32_t *object, int64_t *from, int64_t *to);
/* True if the compare-exchange that a thread with these registers is about to make would write. */
bool loose_would_exchange(const struct machine *, const struct machine_state *, const word *r, const struct inst *);
enum ended loose_compute(struct run *, const struct inst *); /* I_GLOBAL, I_OFFSET, I_INDEX */
enum ended loose_mutex(struct run *, const struct inst *, word *at);
enum ended loose_bits(struct run *, const struct inst *); /* I_EXTRACT, I_INSERT */
enum ended loose_chunk(struct run *, const struct inst *);

/* Arithmetic on words, as C has it. */
int64_t arith_low(struct scalar, int64_t); /* the number with these low bits */
enum fault arith_unary(struct wides *, unsigned op, struct scalar, word a, word *out);
enum fault arith_cast(struct wides *, struct scalar, word a, word *out);
enum fault arith_numbers(struct wides *, unsigned op, struct scalar, word a, word b, word *out); /* no pointers */
enum fault arith_binary(const struct machine *, const struct machine_state *, unsigned op, struct scalar, word a,
                        word b, word *out);
/* as arith_binary, but signed integers wrap around */
enum fault arith_wrap(const struct machine *, const struct machine_state *, unsigned op, struct scalar, word a, word b,
                      word *out);
/* What is wrong with taking a word as a plain address that is a pointer of another kind. */
static inline enum fault not_address(word w) { return word_is_term(w) ? FAULT_ADDRESS : FAULT_POINTER; }
/* A pointer moved by `cells`; most: cells of its object, UINT32_MAX not to check. */
enum fault arith_offset(word at, int64_t cells, uint32_t most, word *out);
enum fault arith_differ(const struct machine *, const struct machine_state *, word a, word b, int64_t cells,
                        int64_t bytes, word *out);

#endif
