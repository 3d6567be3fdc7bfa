/* The runtime under `asif test`: the user's compiled code, run under chosen schedules.
 *
 * The code is compiled with -fsanitize=thread and linked into a shared object whose hooks (__tsan_*) and whose calls of
 * the threads library and the allocator are *wrapped* (ld --wrap): they reach the functions of this folder, all named
 * __wrap_*. Each thread of the client is a fiber of one OS thread. Just before a fiber does something others can see it
 * stops at a *point* and tells what it is about to do; a *step* is that access and all the fiber does up to its next
 * point. Who takes the next step is a choice, and the choices are the schedule: the same choices give the same run.
 *
 * The order of calls and returns is as strict as the steps allow: an operation is called with its first step and
 * returns with its last, so of all histories of the same steps the one with the fewest overlaps is recorded. What is
 * linearizable with it is linearizable with every other. */
#ifndef ASIF_RUN_RUN_H
#define ASIF_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/memory_model.h"
#include "base/text.h"
#include "base/volatile_order.h"

#define FIBERS_MOST 64
#define CALL_ARGS   3

/* The user's code, loaded: the shared object. */
struct image;

struct image_op {
  const char *name;    /* as the specification says */
  const char *written; /* the function's name */
  void (*function)(void);
  int signature; /* of include/asif.h: bits 0..1 result: void, bool, int, long; 2..3 how many arguments; 4..6 which are
                    long */
  const char *file;
  int line;
};

/* One call of a client. */
struct call {
  uint32_t op; /* index into the operations given to run_open */
  long arg[CALL_ARGS];
};
/* What the threads do: thread t makes calls[first[t]] .. calls[first[t + 1] - 1] in this order. */
struct client {
  unsigned threads;
  uint32_t *first; /* threads + 1 */
  struct call *calls;
};

/* What a fiber is about to do at a point. */
enum point_kind {
  POINT_READ,
  POINT_WRITE,
  POINT_UPDATE, /* reads and writes at once; a compare-and-exchange that failed has not STEP_WROTE */
  POINT_BLOCK,  /* an ASIF_ATOMIC block: what it accesses is its footprint, `place` */
  POINT_LOCK,   /* address: of the mutex, condition variable, semaphore, ... */
  POINT_UNLOCK,
  POINT_WAIT,
  POINT_WAKE,
  POINT_ALLOC, /* address: of the list of freed blocks of the size. It reads the list; it has STEP_WROTE only if it took
                * a freed block. So two that take fresh blocks commute, and none commutes with a free of the size, which
                * would have given it one more block to choose. Where the code frees nothing it is no point at all */
  POINT_FREE,  /* has STEP_WROTE if the block may be allocated again (heap_held.c): two of these commute but for the
                * order in which a later allocation is offered the blocks. Else it does not touch the list */
  POINT_YIELD, /* others first: touches nothing */
  POINT_START, /* creates a thread; address: of its fiber */
  POINT_JOIN,
  POINT_CALL,    /* an operation that touches nothing else */
  POINT_ACQUIRE, /* only stated by the code: whoever released at this address comes before (annotations.c) */
  POINT_RELEASE,
  /* What came of a step at one of those above: told of it, and never what a fiber is about to do. */
  TOLD_READ_LOCK, /* locked for reading */
  TOLD_DESTROY,
  TOLD_WOKEN,
  TOLD_STIRRED, /* woken without a signal */
  TOLD_TIMED_OUT,
  TOLD_FENCE /* under a weak memory model */
};

enum step_flags {
  STEP_CALLS = 1,    /* an operation is called with this step */
  STEP_RETURNS = 2,  /* and one returns */
  STEP_WROTE = 4,    /* it changed what it accessed, or may have */
  STEP_SPINS = 8,    /* after it the fiber waits in a loop for another's write (it comes back to where it was, having
                      * changed    nothing): it cannot take a step before somebody has written */
  STEP_YIELDED = 16, /* after it the default is that another goes on: a yield, or very many steps without a change */
  STEP_WAITS = 32,   /* it could be taken only when something was free, or had happened: a lock, not a try */
  STEP_OPENS = 64,   /* it gave up what nobody who waits could have had before: a mutex */
  STEP_FAILED = 128  /* a try to lock that found it taken: it only read */
};

/* A step as it was taken. */
struct step {
  uint64_t enabled;  /* the fibers that could have taken a step instead, this one included: bit f */
  uintptr_t address; /* 0: none */
  uint32_t size;
  uint8_t fiber;
  uint8_t before;        /* the fiber that took the step before this; that of step 0 is 0 */
  uint8_t kind;          /* enum point_kind */
  uint8_t flags;         /* enum step_flags */
  uint8_t block, blocks; /* Of an access under a weak memory model: which of so many writes (graph.h); 0: the newest.
                          * Of POINT_ALLOC: the block taken, and out of how many; 0: of those that may be allocated
                          * again the one freed last, and so on; the last: one never used before */
  uint64_t place : 48; /* of POINT_FREE, and of a POINT_ALLOC that took a freed block: where the block is, and `size` is
                        * its own; 0: none. Accesses of the block do not commute with it: afterwards they are a use
                        * after free. Of POINT_START: the number of the fiber it created. Of POINT_BLOCK: the number
                        * of its footprint; 0: it is not known, or is everything. Of an access under a weak memory
                        * model: the name of the write that it reads, or comes after (graph.h) */
};

/* Footprints of ASIF_ATOMIC blocks (footprint.c): words of 8 bytes in ascending order, each once. A word is its address
 * with these bits; freed blocks, and blocks allocated again, are written. Equal footprints have equal numbers, from 1
 * on, as long as the process lives. */
enum { FOOTPRINT_WRITES = 1, FOOTPRINT_MOST = 512 };
#define FOOTPRINT_LIST   ((uintptr_t)1 << 63)              /* not memory: a list of freed blocks */
#define FOOTPRINT_STATED ((uintptr_t)1 << 62)              /* ... what POINT_ACQUIRE and POINT_RELEASE state */
uint32_t footprint_number(uintptr_t *words, size_t count); /* in any order, and more than once; 0: too many */
const uintptr_t *footprint_words(uint32_t number, size_t *count);

/* A choice: whose step, and if it allocates, which block. A schedule is one choice a step. */
struct choice {
  uint8_t fiber, block;
};
enum { CHOICE_OPEN = UINT8_MAX }; /* a block that plan.choose_block is asked for, though the step is given */

/* An event of the history. */
struct moment {
  uint32_t step; /* the index of the step it happened with */
  uint32_t call; /* index into client.calls */
  uint8_t fiber;
  bool is_return;
  long result; /* of a return; 0 of a void operation */
};

/* What is wrong with a run. FOUND_HISTORY is for the callers: the runtime does not judge histories. */
enum found {
  FOUND_NOTHING,
  FOUND_HISTORY,     /* not linearizable */
  FOUND_ORDERS,      /* the same of an execution under a weak memory model, by its graph: the callers' too */
  FOUND_UNPUBLISHED, /* there: nothing orders what was done before a value was put in and what is done with it: so too
                      */
  FOUND_RACE,
  FOUND_USE_AFTER_FREE,
  FOUND_DOUBLE_FREE,
  FOUND_BAD_FREE, /* of what was never allocated */
  FOUND_OUT_OF_BOUNDS,
  FOUND_LEAK,
  FOUND_DEADLOCK,
  FOUND_LIVELOCK,
  FOUND_ASSERTION,
  FOUND_CRASH,      /* a signal, abort, an exception nobody catches, exit */
  FOUND_MISUSE,     /* of a mutex and its like: unlocked by another, destroyed while held */
  FOUND_UNSUPPORTED /* a function the runtime cannot run under a scheduler: no finding about the object, but the end */
};
const char *found_name(enum found); /* "data race", "use after free", ... */

enum run_end {
  RUN_WHOLE, /* every thread ended, or there is a finding */
  RUN_CUT,   /* the chooser said stop */
  RUN_LONG, /* more steps than allowed, and it is not known that it would never end; or it can go on like this for ever,
             * and another schedule ends it (again_circle) */
  RUN_CANNOT /* the object's asif_require refused a call: the run does not count */
};

/* What the chooser sees: asked before every step that the plan does not force. */
struct run;
enum { CHOOSE_STOP = -1 };

/* How to run: first the given choices, then the chooser's, or without one the default: the fiber that ran goes on while
 * it can, then the next one in cyclic order that can; block 0. A forced choice that is not possible is an internal
 * error, told by run_execute (the code is not deterministic). */
struct plan {
  const struct choice *choices;
  size_t count;
  int (*choose)(void *context, const struct run *,
                struct choice *); /* fills the choice; CHOOSE_STOP ends the run; else 0 */
  int (*choose_block)(void *context, const struct run *, unsigned blocks); /* NULL: 0 */
  void *context;
  /* What the caller knows, and need not be found out by comparing: after the run with this number, and no other, so
   * many of the first choices are as in its plan, and the client is its client. 0: nothing. */
  uint64_t after;
  size_t same;
};

/* Sites (sites.c): where an atomic access or a fence is in the code: the return address of its hook. */
enum site_kind { SITE_LOAD, SITE_STORE, SITE_UPDATE, SITE_EXCHANGE, SITE_FENCE }; /* EXCHANGE: compares, and may fail */
/* Another memory order than the code says, under a weak memory model. */
struct order_change {
  uintptr_t pc;
  int order, failed; /* __ATOMIC_*; failed: of one that fails; -1: as it is. Of a fence, relaxed: there is none */
  int before, after; /* a fence of this order is put in there; relaxed: none */
};
/* Those that were met; shared by processes, and zeroed at first. */
enum { SITES_MOST = 4096 };
#define SITE_WORD(kind, order, failed) (1u | (unsigned)(kind) << 8 | (unsigned)(order) << 16 | (unsigned)(failed) << 24)
struct run_sites {
  struct run_site {
    _Atomic uintptr_t pc;  /* 0: none */
    _Atomic uint32_t word; /* SITE_WORD, of the orders as the code says */
    bool failed;           /* a compare-and-exchange that did not exchange */
    bool varies;           /* its orders are not always the same */
  } at[SITES_MOST];
  bool full; /* there were more */
};

struct run_options {
  bool races; /* look for data races; accesses that are not atomic are then no points (where there is no race their
               * order does not matter). Else they are points, except those to the fiber's own stack */
  bool leaks; /* blocks that nobody can reach at the end are a finding */
  bool type_stable; /* freed memory may be read and written atomically */
  bool reuse_all;   /* every freed block may be allocated again, not only those somebody may have the address of */
  enum memory_model memory;      /* but for MEMORY_SC: with races, and without type_stable */
  bool own_sequences;            /* of MEMORY_C11: a thread's later writes continue its release sequence, as in C11 */
  bool stacks;                   /* with races: accesses of stacks are compared as others are, the owner's too */
  size_t steps_most;             /* 0: 20,000 */
  size_t bytes_most;             /* of memory, for the code and what is kept of it; 0: half of what the machine has */
  enum volatile_order volatiles; /* what a volatile access of an aligned word is; where it is not said and two race,
                                  * run.volatile_race says so */
  const uintptr_t *suppressed;   /* return addresses of hooks, sorted: races of these accesses are not reported */
  size_t suppressed_count;
  const struct order_change *changes; /* by pc: under a weak memory model */
  size_t change_count;
  struct run_sites *sites; /* where sites that are met are noted; or NULL */
  unsigned drains; /* 1 + the operation that is called when all threads have ended, until it returns empty; 0: none */
  void (*finish)(void); /* runs after that, or NULL */
};

/* Races that were not reported (forgiven.c): where the two accesses are, and why. */
enum forgiven_by { FORGIVEN_IGNORED, FORGIVEN_BENIGN, FORGIVEN_SUPPRESSED };
struct forgiven_race {
  uintptr_t pc[2];
  enum forgiven_by by;
};
enum { FORGIVEN_MOST = 8 };

/* Everything of one run, for the choosers during it and for all after it. Valid until the next. */
struct run {
  const struct client *client;
  size_t count; /* steps taken; during the run: the index of the one to choose */
  const struct step *steps;
  size_t moment_count;
  const struct moment *moments;
  uint64_t number;     /* how many runs there were, this one included */
  size_t same_moments; /* so many of the first are those of the run before, if it was of the same client; but for the
                          steps */
  enum run_end end;
  enum found found;
  const char *said; /* one sentence about what was found: "thread B reads 8 bytes freed by thread A" */
  unsigned fibers;  /* those of the client and those they created */
  bool finishing;   /* all threads have ended: what runs, or ran last, is run_options.drains and finish */
  unsigned current; /* who took the last step */
  uint64_t
      enabled; /* who can take the next; of one that ends with a finding: who could have gone on, with it or without */
  uint64_t alive;    /* after the run: who has not ended */
  uint64_t forsaken; /* of a deadlock: who waits for a mutex or another lock of the threads library that it holds
                        itself, or that its owner locked in an operation that has returned: nobody will unlock it; and
                        who goes round a loop that nobody can change, but in a data race */
  size_t repeats; /* of a livelock in which threads write: after this many steps everything was as it is at the end; 0:
                     it is another */
  size_t spun; /* the last step with STEP_SPINS, of those not taken over from the run before, counted from 1; 0: there
                  is none */
  bool shares_stacks; /* without options.stacks: in some run so far a thread accessed another's stack, other than
                       * atomically. What the owner does there with plain accesses is not seen: neither are races there,
                       * nor is it interleaved */
  bool reads_freed;   /* without options.reuse_all: in some run so far a thread read the address of a freed block that
                       * nobody was thought to have. Not every block was offered that might have mattered */
  bool weaker; /* in some run so far a thread of the client made an atomic access with an order weaker than seq_cst */
  bool beyond; /* in some run so far a thread did what the memory model is not for: run_options.memory */
  bool wide; /* in some run so far a plain access of more than a word was a point: one step, though others could come in
              * between */
  bool forgiven;              /* in some run so far there was a race that is not to be reported: not all was tried */
  bool volatiles;             /* in some run so far a volatile variable was accessed that is not on a stack */
  uintptr_t volatile_race[2]; /* where in some run so far two volatile accesses raced, or 0 */
  unsigned waited; /* runs so far that were given up since a thread waited in the kernel, or ran on without a step: each
                    * takes seconds */
  struct step
      pending[FIBERS_MOST]; /* what each fiber is about to do: kind, address, size, STEP_CALLS; enabled means nothing */
};

struct image *image_open(struct mem *, const char *shared_object, struct problem *);
/* The entries of its harness (include/asif.h), by place; none: count 0. */
const struct asif_entry *const *image_entries(const struct image *, size_t *count);
void *image_symbol(const struct image *, const char *name); /* NULL if there is none */
bool image_frees(const struct image *);        /* has a call of free, realloc or delete; true if that is not known */
bool image_calls_free(const struct image *);   /* the same of free alone */
bool image_calls_delete(const struct image *); /* ... of delete, in what may never be run, too */
bool image_reads_clocks(const struct image *); /* the same of clocks */
bool image_floats(const struct image *);       /* it changes the control words of floating point */

/* Code that has no hooks, and where in the loaded image (unseen.c): as the assembler wrote it down. */
enum unseen_kind {
  UNSEEN_NOTHING, /* harmless: nothing is recorded */
  UNSEEN_CLOCK,   /* reads a counter or a random number: runs may differ */
  UNSEEN_AMONG,   /* has a fence among other instructions: races may be found that are none */
  UNSEEN_FENCE,   /* nothing but a fence */
  UNSEEN_MEMORY   /* accesses memory, or does what cannot be told */
};
struct unseen {
  int64_t begin, end; /* of the statement's code, relative to the place of the member itself */
  int64_t words;      /* the same: "file.c:12: movl (%rax), %eax" */
  int64_t kind;
};
#define UNSEEN_SECTION "asif_unseen"
size_t image_unseen(const struct image *, const struct unseen **);
/* Functions that the source asks to have no hooks. They have them all the same. */
size_t image_marked(const struct image *, void *const **functions);
const char *unseen_words(const struct unseen *);
/* Is it a function of the language's libraries, or of Asif, and not of the code that is tested? */
bool unseen_is_foreign(const void *function);

/* Assembly that has hooks: the assembler puts calls of asif_assembly_before and asif_assembly_after around each
 * instruction that accesses memory (test/announce.h, run/assembly.c). A word says what the instruction does. */
enum announced_kind {
  ANNOUNCED_LOAD,
  ANNOUNCED_STORE,
  ANNOUNCED_UPDATE,   /* reads, then writes: at once only if locked */
  ANNOUNCED_EXCHANGE, /* compare-and-exchange: on x86-64 the zero flag says whether it exchanged */
  ANNOUNCED_MOVS,     /* string instructions: what they access follows from rsi, rdi, rcx and the direction flag */
  ANNOUNCED_STOS,
  ANNOUNCED_LODS,
  ANNOUNCED_FENCE, /* this and what follows: before only. A full fence */
  ANNOUNCED_ACQUIRE,
  ANNOUNCED_RELEASE,
  ANNOUNCED_PAUSE,
  ANNOUNCED_LINK,        /* a load-exclusive */
  ANNOUNCED_CONDITIONAL, /* a store-exclusive: the runtime says whether it stores */
  ANNOUNCED_CLEAR        /* before only: the load-exclusive is forgotten */
};
/* The size is in bytes; vectors: what of the vector registers is to be kept. */
#define ANNOUNCED_WORD(kind, size) ((unsigned)(kind) | (unsigned)(size) << 8)
#define ANNOUNCED_LOCKED           (1u << 16)
#define ANNOUNCED_REPEATED         (1u << 17) /* rcx times */
#define ANNOUNCED_XMM              (1u << 18)
#define ANNOUNCED_VECTORS          (1u << 19) /* all of them, and the floating-point registers */
#define ANNOUNCED_ACQUIRES         (1u << 20) /* this and what follows: aarch64 */
#define ANNOUNCED_RELEASES         (1u << 21)
#define ANNOUNCED_PARTS            (1u << 22)                 /* two accesses: not atomic, however small they are */
#define ANNOUNCED_EXPECTS(number)  ((unsigned)(number) << 24) /* of an exchange: the register to compare with */

/* Functions in this range of the image's file were compiled without hooks, and belong to `of`: "liba.a(b.o)". */
void image_without_hooks(struct image *, uintptr_t low, uintptr_t high, const char *of);

/* Everything a run needs, once: operations, an initialisation to run before the threads (or NULL), options. The
 * subject's globals and its heap as they are after loading are what every run begins with; init is part of every run.
 */
bool run_open(struct image *, const struct image_op *, unsigned count, void (*init)(void), const struct run_options *,
              struct problem *);
/* The call that a moment is about: the client's, or beyond those the operation that drains. At most as many of these
 * as the client has calls, and one more; as of a thread after the client's last. */
const struct call *run_call(const struct client *, uint32_t call);
static inline uint32_t run_calls_most(const struct run_options *o, const struct client *c) {
  return c->first[c->threads] + (o->drains ? c->first[c->threads] + 1 : 0);
}
const struct run *run_execute(const struct client *, const struct plan *, struct problem *); /* NULL: internal error */
/* Runs the calls one after the other in one thread, threads[i] being who asif_thread() says it is (NULL: 0), and gives
 * their results: what the object does when nothing is concurrent. False if it does not end well (found), or cannot. */
bool run_sequential(const struct call *, const uint8_t *threads, size_t count, long *results, enum found *);

/* Runs, and gives the run to `look` (NULL: it cannot be made); what the run before left is there again afterwards, but
 * for memory. */
void run_aside(const struct client *, const struct plan *, void (*look)(void *self, const struct run *), void *self);
/* Makes the last run once more with thread to[t] in the place of thread t, which makes the same calls; of a run that
 * came to its end and found nothing. True if every step and result is the same but for that: those whose addresses
 * differ are the same if they are the same place of the threads' own blocks, stacks or thread-local storage. to: of all
 * FIBERS_MOST. */
bool run_exchanged(const struct client *, const uint8_t *to);
/* After a run: a hash of all that the code can see but its stacks: globals, the heap, the thread-local storage of the
 * first so many threads, who waits for what. */
uint64_t run_memory(unsigned threads);

/* From now on with these orders (run_options.changes), and sites noted there. */
void run_orders(const struct order_change *, size_t count, struct run_sites *);

/* From now on threads halt where they have read more than was needed to come there (pure.c), after so many steps. What
 * is known from runs before is used; what is learned from now on is used after the next call. divided: there are other
 * processes that search the same client. False: it cannot be done. */
bool run_pure(bool on, size_t from, bool divided);
struct pure_learned {
  uint64_t useful; /* since then: how often a thread would have halted with what is learned */
  bool anew;       /* what was halted since then should not have been */
};
const struct pure_learned *run_pure_learned(void);
void run_pure_learns(bool on); /* from the runs from now on */

/* The status of a process that ends because what Asif keeps in its memory is broken: it cannot go on, not even to say
 * so. */
enum { RUN_BROKEN = 70 };
/* ... because there is no memory, and no run that could end instead. */
enum { RUN_NO_MEMORY = 71 };
/* ... says so and ends; "the heap of the tested code". In a run that run ends. */
_Noreturn void run_no_memory(const char *what);

/* From now on, up to the end: met[i] becomes 1 + the number of what is run (run_cover_as) when the code comes to
 * places[i], the beginning of an instruction; of several processes the lowest stays, and 0 is: never. The places are
 * sorted, and in the image; those that are `known` are not looked at. After run_open. False: it cannot be done. */
bool run_cover(const uintptr_t *places, size_t count, _Atomic uint32_t *met, const bool *known);
void run_cover_as(uint32_t number); /* at first 0 */
void run_cover_end(void);

bool run_reads_freed(void); /* struct run's, after a run that was given up too */
bool run_weaker(void);      /* the same */
/* Was something freed by `delete` in a run since this was last asked? */
bool run_deleted(void);
/* The races so far that were not reported, at most FORGIVEN_MOST. */
size_t run_forgiven(const struct forgiven_race **);
void run_volatile_race(uintptr_t pc[2]); /* where two volatile accesses raced, if they did */
/* How many runs so far did not begin at their beginning, but where they differ from the run before. */
uint64_t run_resumed(void);
/* Is the address in the stack of a thread? */
extern uintptr_t fibers_low, fibers_span; /* where the stacks are, and what lies between them */
static inline bool run_in_stack(uintptr_t address) { return address - fibers_low < fibers_span; }

/* Telling a run: with a recorder every access is told, plain ones too, with where it is in the code and the values. */
struct accessed_value {
  uint64_t low, high; /* the first 8 bytes, and those after them */
};
struct access {
  uint32_t step;       /* the step it belongs to */
  uint32_t call;       /* of client.calls: the one it belongs to; of a thread that the code created: nothing */
  uint8_t fiber, kind; /* enum point_kind */
  bool early;          /* before the first step of the call: it is told with that step */
  bool atomic, point;  /* false, false: a plain access between two points */
  bool failed;         /* a compare-and-exchange that did not exchange, a lock that was not free */
  bool again;          /* of POINT_ALLOC: the block was freed before */
  bool unknown;        /* the code crashed: what it wrote is not known, nor whether it did */
  uint32_t size;
  uintptr_t address, pc; /* address: of POINT_ALLOC and POINT_FREE, of the block. pc: in the shared object as loaded: of
                          * the access's return address */
  struct accessed_value read, wrote; /* read: not of POINT_WRITE */
  size_t noted;                      /* what recorder.note said */
  uint32_t slot; /* of the graph: of an atomic access or a fence under a weak memory model, and else any (graph.h) */
};
struct recorder {
  void (*access)(void *context, const struct access *);
  /* On the stack of the code, when it makes the access: what was written may be told to `access` only later. NULL:
   * none. */
  size_t (*note)(void *context, unsigned fiber, enum point_kind, uintptr_t address, uint32_t size);
  /* ... when it stops at a point, after so many steps; or NULL */
  void (*pause)(void *context, unsigned fiber, size_t steps, enum point_kind, uintptr_t address, uint32_t size);
  void *context;
};
/* Whom the default policy chooses for step i, given the steps before it and those enabled: see struct plan. */
unsigned step_default(const struct step *steps, size_t i, unsigned before, uint64_t enabled);
void run_record(const struct recorder *); /* for the runs from now on; NULL: none */

/* What the code prints goes nowhere (output.c), from a process's first run on, until ... */
void output_show(void);
/* ... or is kept, of the runs from here ... */
void output_keep(void);
/* ... to there: the last of it, and how much. What is printed shows again. */
size_t output_kept(char *to, size_t room);
/* A debugger's user wants to see it. */
void output_leave(void);
/* Where a finding lies: the places (pc) involved, the newest first, each with the fiber and words: "the read", "freed
 * here". */
struct found_place {
  uintptr_t pc, address;
  uint8_t fiber;
  const char *words;
};
size_t run_found_places(const struct found_place **);
/* Names an address: "top", "slots + 24", "heap block 2 + 8". False, and its number, if it has no name. */
bool run_name_address(uintptr_t, struct text *);
/* The same, of the heap with who allocated it: "heap block 2 + 8 (allocated by thread B)". */
void run_describe_address(uintptr_t, struct text *);
size_t run_described(const uintptr_t **); /* the addresses that were described last, in any run: a few */
/* The block of the heap that an address is in. */
struct run_block {
  uintptr_t start, alloc_pc;
  size_t size;
  uint32_t number, life; /* life: how often it was allocated in this run */
  bool freed, array;     /* array: made by new[] */
};
bool run_block_at(uintptr_t, struct run_block *);
/* The variable of the image that an address is in, by its symbol. */
struct run_variable {
  const char *name; /* as the linker has it */
  uintptr_t start;
  size_t size;
};
bool run_variable_at(uintptr_t, struct run_variable *);
bool run_storage_at(uintptr_t, unsigned *fiber, uintptr_t *offset); /* in the thread-local storage of a thread */
bool run_stack_at(uintptr_t, unsigned *fiber);                      /* in the stack of one */
bool run_is_code(uintptr_t pc);                                     /* of the image */
/* Bytes that nobody has written: a fresh block is filled with this. */
enum { RUN_FRESH = 0xA5 };
/* The C source of a file that must be linked into every shared object: it exports where the harness's entries are. */
extern const char image_stub[];
uintptr_t image_base(const struct image *); /* where it is loaded: pc - base is the address in the file */

#endif
