/* What the parts of the runtime share. Nothing outside src/run includes this.
 *
 * - run.c: one run: points, choices, the default policy, calls and returns
 * - again.c: the last run once more: do its leaks and addresses stand? sequential.c: calls one after another, aside
 * - footprint.c: what an ASIF_ATOMIC block accesses
 * - kept.c: states kept on the way, so that the next run need not begin at the beginning
 * - fiber.c: stacks and the switch between them
 * - endless.c: loops that touch nothing; spin.c: loops that wait for another, and runs that never end
 * - pure.c: threads halt where they have read more than they need
 * - memory.c: memory of its own
 * - image.c: loading the shared object; its globals restored between runs; thread-local storage
 * - names.c: of its variables
 * - hooks.c: the __tsan_* functions; assembly.c: those of assembly; bytes.c: memcpy and its like; formats.c: sprintf
 * and its like; host.c: asif_host_* of the harness
 * - crash.c: signals, abort, assert, exit; signals.c: signals that the code sends and handles
 * - heap*.c: the allocator: reuse as a choice, use after free, out of bounds, leaks
 * - files.c: files that the code opens; output.c: what it prints
 * - unseen.c: code without hooks: assembly, libraries
 * - weak.c: weak memory, as graphs (graph.h); axioms.c: which of them the models allow
 * - races.c: vector clocks; order.c: where they are not needed; forgiven.c: races that are not reported
 * - annotations.c: what the code says to the thread sanitizer
 * - sync.c: points at mutexes and their like; waiters.c: who waits for a signal
 * - mutex.c condition.c rwlock.c semaphore.c barrier.c once.c threads.c futex.c time.c random.c: the libraries under
 * the scheduler
 *
 * Exported functions are WRAP(name): the linker's --wrap=name makes the code call them instead of name. */
#ifndef ASIF_RUN_RUNTIME_H
#define ASIF_RUN_RUNTIME_H

#include "run/run.h"

/* What is declared here is in the program itself: it need not be looked up. */
#pragma GCC visibility push(hidden)

#define WRAPPED     __attribute__((visibility("default"), used))
#define WRAP(name)  __wrap_##name
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Of a fiber: as much as a thread has on most systems. Under the address sanitizer all of it is looked at before each
 * run. */
#ifdef __SANITIZE_ADDRESS__
#define STACK_SIZE ((uintptr_t)256 << 10)
#else
#define STACK_SIZE ((uintptr_t)8 << 20)
#endif
#define STACK_GUARD ((uintptr_t)64 << 10) /* below it: cannot be touched */
#define FIBER_MAIN  (FIBERS_MOST - 1)     /* runs init: before all others, and never a step of its own */

struct fiber;
typedef bool ready(const struct fiber *); /* can a fiber that waits at its point go on? */

/* The loop a fiber may be waiting in: a read it has come back to (spin.c). */
struct spin {
  uintptr_t pc, address; /* pc 0: none */
  uint64_t value;
  uint32_t reads, next;    /* reads since the last write of its own; when to take another candidate */
  uint32_t hits, next_hit; /* how often it came back to the candidate; when to keep the state again */
  uint64_t writes, locks;  /* those of the scheduler when the state was kept */
  uint64_t state;          /* hash of the fiber's stack and registers there */
};
/* The same, from the function the code called to where that returns, and while the run is watched. */
struct landing {
  uint64_t local; /* while the run is watched: the fiber's state and the result, after its last step */
  uint64_t result;
  size_t landed;        /* the step it was taken after */
  bool compares, lands; /* what is to be done when the function that the code called returns */
  bool plain;           /* the same, of a plain read that is no point */
  void *back;           /* to here */
};
/* The same for a loop that looks with a mutex locked, and so writes: a mutex it has come back to unlock, having changed
 * nothing else. */
enum { TRIED_MOST = 4 };
struct polling {
  uintptr_t pc, mutex;                    /* pc 0: none */
  uint32_t unlocks, next, hits, next_hit; /* as reads and so on of struct spin */
  uint64_t writes, locks, state;
  const volatile int *tried[TRIED_MOST]; /* the words of the mutexes that it has found taken since then: 0 where free */
  uint32_t tried_count;                  /* more than TRIED_MOST: and others */
  uint32_t held;                         /* mutexes */
  bool dirty;                            /* it has changed something since it last locked its first */
  bool backs_off;                        /* it has found one taken since then */
  bool
      repeats; /* it has come back to the same state, whoever has locked what, and has locked nothing by trying since */
  bool compares;
};

struct fiber {
  _Alignas(64) void *sp; /* while it does not run */
  int error;             /* its errno, while it does not run */
  uint32_t current_call;
  uintptr_t pc;               /* of the atomic access it makes: where the code is, should it crash */
  bool ended, called;         /* called: an operation has begun and its call is to be recorded with the next step */
  bool tls_used;              /* in this run */
  bool reads_plain;           /* where it spins: by plain reads */
  ready *ready;               /* NULL: can go on */
  struct tls_ending *endings; /* destructors of its thread-local objects */
  struct spin spin;
  char *stack, *stack_top; /* the lowest address, above the guard page; where it begins */
  /* From here on nothing changes between the steps of code that does not lock mutexes (kept.c). */
  struct polling polling;
  const void *waits_for; /* for `ready`: the mutex, the fiber to be joined, ... */
  /* From here on nothing changes between the steps of code that uses nothing else of the threads library, or what does
   * is not needed where a fiber has stopped. */
  _Alignas(64) uint8_t id;
  uint64_t goes_on; /* STEP_WHO of a step that follows its own */
  struct landing landing;
  char *tls; /* its copy of the image's thread-local storage; NULL: there is no room */
  size_t tls_size;
  uint32_t timeouts;      /* how often in a row its time was over, without a step of another */
  size_t timeout_step;    /* the last time */
  void *(*start)(void *); /* of a thread the code created; NULL: a thread of the client */
  void *argument, *result;
  const char *frames_end; /* the stack below this is the code's: for pure.c, aligned */
};

/* The run that is going on. Outside of a run (loading, static constructors) current is NULL, and every wrapped function
 * does what the real one does, or the nearest thing to it. While init runs current is fibers[FIBER_MAIN]: no choices,
 * no points, and nothing can race. */
extern struct fiber *current;
extern struct run run;
#define PLACES_MOST 8
struct run_words { /* of what the last run found */
  char said[512];
  struct found_place places[PLACES_MOST];
  size_t count;
};
extern struct run_words run_words;
extern bool in_sequence; /* the run is one of run_sequential (sequential.c): nothing follows the threads */
extern struct run_options options;
extern struct fiber fibers[FIBERS_MOST];
extern const struct recorder *recording; /* NULL: no */
extern bool plain_long;                  /* plain accesses go the long way: somebody records them, or: */
extern bool plain_watched; /* a step has taken long, in this run or an earlier one: does it read the same for ever? */

enum mode {
  MODE_STEPS, /* threads take steps */
  MODE_QUIET, /* no points: init, and within ASIF_ATOMIC */
  MODE_FIRST  /* a thread runs up to its first point */
};
/* What the choice of the next step needs. Bit f: fiber f. */
struct scheduler {
  uint64_t alive, waiting, spinning; /* waiting: has a `ready`; spinning: waits in a loop until somebody writes */
  uint64_t ran;                      /* the fibers that were chosen since a state was kept (kept.c) */
  size_t quick;  /* up to this step the fiber that runs goes on, whatever it does but wait: it is known that nobody else
                    is chosen */
  size_t silent; /* the same, where nobody wants to know of its accesses; else 0 */
  struct step *steps; /* there is one before the first, for what is done before */
  enum mode mode;
  uint64_t runs;      /* how many there were */
  bool asks;          /* the chooser runs, on a fiber's stack */
  uintptr_t error_at; /* errno */
  uint64_t writes;    /* how often something changed, but for mutexes that are locked and unlocked */
  uint64_t locks;     /* a hash of which are locked by whom */
  uint64_t polling;   /* bit f: if fiber f spins it does so by unlocking a mutex again and again: it need not wake when
                         another does that */
  uint64_t halted;    /* bit f: fiber f halts (pure.c); of those that spin */
  bool watched;       /* the run is long: does it come back to a state it was in? (spin.c) */
};
extern struct scheduler scheduler;

/* Only then are accesses compared: what init does comes before everything. */
static inline bool races_wanted(void) { return options.races && current && current->id != FIBER_MAIN; }

/* A step's size, fiber, before, kind and flags as one word: what was written in small pieces and is then read as a
 * whole would stop the processor for a while. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the words of a step are put together as a little endian machine has them");
_Static_assert(offsetof(struct step, size) == 16 && offsetof(struct step, fiber) == 20 &&
                   offsetof(struct step, before) == 21 && offsetof(struct step, kind) == 22 &&
                   offsetof(struct step, flags) == 23 && sizeof(struct step) == 32,
               "a step is four words");
#define STEP_WHO(fiber, before)      ((uint64_t)(fiber) << 32 | (uint64_t)(before) << 40)
#define STEP_WORD(kind, flags, size) ((uint64_t)(kind) << 48 | (uint64_t)(flags) << 56 | (size))
static inline void step_put(struct step *s, uint64_t enabled, uintptr_t address, uint64_t word) {
  static const uint64_t none;
  s->enabled = enabled;
  s->address = address;
  __builtin_memcpy((char *)s + 16, &word, sizeof word);
  __builtin_memcpy((char *)s + 24, &none, sizeof none);
}

void run_loud(void); /* from now on somebody wants to know of every access */
/* Something has changed: who takes the next step is to be asked. */
static inline void choose_again(void) { scheduler.quick = scheduler.silent = 0; }

void point_slowly(enum point_kind, uintptr_t address, uint32_t size);
/* The fiber that runs is about to do this: lets others go first as the plan says, and returns when it is its turn. */
static inline void point(enum point_kind kind, uintptr_t address, uint32_t size) {
  size_t i = run.count;
  if (UNLIKELY(i >= scheduler.quick || kind == POINT_YIELD)) {
    point_slowly(kind, address, size);
    return;
  }
  step_put(&scheduler.steps[i], scheduler.alive, address, current->goes_on | STEP_WORD(kind, 0, size));
  run.count = i + 1;
}
/* The same where it can go on only when `ready` says so: locks, joins. waits_for is for `ready`. */
void point_when(enum point_kind, uintptr_t address, uint32_t size, ready *, const void *waits_for);
/* Of a POINT_ALLOC that was just reached: which of so many blocks (1 or more). */
unsigned choose_block(unsigned blocks);
/* The step that is being taken wrote: so it does not commute with others' accesses of the same place. */
static inline void step_wrote_same(void) { scheduler.steps[(ptrdiff_t)run.count - 1].flags |= STEP_WROTE; }
/* It tried to lock what was taken. */
static inline void step_failed(void) { scheduler.steps[(ptrdiff_t)run.count - 1].flags |= STEP_FAILED; }
/* It wrote, and something changed: spinning fibers wake up. */
static inline void step_wrote(void) {
  scheduler.spinning = scheduler.halted;
  scheduler.writes++;
  step_wrote_same();
}
void footprint_plain(uintptr_t address, size_t size, bool write); /* within an ASIF_ATOMIC (footprint.c) */
/* It frees this block, or allocates it again. */
static inline void step_block(uintptr_t address, size_t size) {
  struct step *s = &scheduler.steps[(ptrdiff_t)run.count - 1];
  if (UNLIKELY(s->kind == POINT_BLOCK)) {
    footprint_plain(address, size, true);
    return;
  }
  s->place = address & (((uint64_t)1 << 48) - 1);
  s->size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}
/* The fiber that runs waits in a loop: it takes no step before somebody has written. */
static inline void fiber_spins(struct fiber *f) {
  scheduler.spinning |= (uint64_t)1 << f->id;
  choose_again();
  scheduler.steps[(ptrdiff_t)run.count - 1].flags |= STEP_SPINS;
  run.spun = run.count;
}
/* After this step the default is that others go on. */
static inline void step_yielded(void) {
  choose_again();
  scheduler.steps[(ptrdiff_t)run.count - 1].flags |= STEP_YIELDED;
}
/* A new thread, which runs up to its first point and then waits to be chosen. NULL: too many. At a POINT_START. */
struct fiber *fiber_create(void *(*start)(void *), void *argument);
_Noreturn void fiber_exit(void *result); /* ends the thread that runs: pthread_exit, thrd_exit */
/* Ends the run with a finding. The sentence is copied. Never returns to the fiber. */
/* Something waits in a place where no other thread can run: after the threads that is for ever. */
void final_waits(void);
_Noreturn void run_found(enum found, const char *format, ...) __attribute__((format(printf, 2, 3)));
void found_at(uintptr_t pc, uintptr_t address, const struct fiber *,
              const char *words); /* before run_found, newest first */
_Noreturn void run_stop(enum run_end);
/* "thread B", "the initialisation", for sentences. */
const char *fiber_name(const struct fiber *);
/* The same of what was done earlier in the run: before the threads, or, finishing, after them. */
const char *fiber_name_then(const struct fiber *, bool finishing);

/* Telling the recorder; only where `recording`. */
void record(enum point_kind, bool atomic, bool is_point, bool failed, uintptr_t address, uint32_t size, uintptr_t pc,
            struct accessed_value read, struct accessed_value wrote);
/* A plain write that is about to happen: what it writes is looked up by record_late, before anything else can. */
void record_write(bool atomic, bool is_point, uintptr_t address, uint32_t size, uintptr_t pc);
void record_late(void);
/* A block that is allocated (again: after having been freed), or about to be freed. */
void record_block(enum point_kind, bool is_point, bool again, uintptr_t address, size_t size, uintptr_t pc);

/* Memory (memory.c). */
enum grown { GROWN, GROWN_NOT, GROWN_LIMIT, GROWN_MEMORY }; /* LIMIT: no more may be; MEMORY: there is no more */
struct growing {
  uintptr_t at;
  size_t size, most; /* mapped from `at` on; what may be, a multiple of 64 KB */
};
void *reserve_at(uintptr_t at, size_t size); /* memory there if the place is free, otherwise elsewhere; NULL: none */
enum grown grow_slowly(struct growing *, size_t size);
static inline enum grown grow(struct growing *g, size_t size) { /* has so many bytes afterwards */
  return LIKELY(size <= g->size) ? GROWN : grow_slowly(g, size);
}
/* Where such memory is: nothing there is the code's. */
static inline bool is_own_memory(uintptr_t address) { return address - 0x6a0000000000 < 0x030000000000; }
/* With RUN_NO_MEMORY; prints why. */
_Noreturn void end_process(const char *why, ...) __attribute__((format(printf, 1, 2)));

/* Fibers and stacks (fiber.c). */
bool fibers_open(void);                                 /* false: no memory */
enum grown fibers_grow(uintptr_t address);              /* of a stack that is not mapped there yet */
void fiber_prepare(struct fiber *, void (*body)(void)); /* to begin at body, which never returns */
void fiber_switch(void **from, void *to);
extern bool fiber_floats;            /* fibers have their own control words of floating point */
_Noreturn void fiber_jump(void *to); /* for good */

/* The image (image.c). */
void image_keep(struct image *); /* what its globals are now, they are at the beginning of every run */
void image_restore(void);
bool image_has_code(uintptr_t pc);
/* Few globals, and it calls nothing that keeps something outside of it; locks: or only mutexes. */
bool image_is_simple(const struct image *, bool locks);
void (*image_function(const char *name))(void); /* NULL if there is none */
bool image_dirty(
    uintptr_t address); /* a write to a page that was protected to know of it: true, and it is writable now */
struct image_range {
  uintptr_t low, high;
};
size_t image_ranges(const struct image_range **); /* its globals */
void tls_reset(void);
size_t tls_size(void);
size_t tls_endings(void); /* how many destructors there were to run */
void tls_endings_set(size_t);
void tls_ended(struct fiber *); /* runs the destructors of thread-local objects, if it has any */
bool image_describe(uintptr_t, struct text *);

void host_reset(void);
extern bool host_program; /* what runs is a program (--main) */ /* host.c */
extern bool output_hidden;                                      /* output.c */
void output_hide(void);
void annotations_reset(void);                            /* annotations.c */
void annotations_forget(uintptr_t address, size_t size); /* the memory is used for something else */
void time_open(bool clocks);                             /* time.c: the code reads clocks, somewhere */
bool time_is_clock(uintptr_t address);                   /* of points where a clock is read */

/* States of a run, kept on the way (kept.c). */
struct run_marks {
  size_t row;        /* the step with which the last steps in a row of the same fiber began */
  size_t checked_at; /* the step from which on lengths are checked again */
};
void kept_open(bool possible, bool locks); /* locks: mutexes may be locked */
void kept_forget(void);                    /* at the end of this run: those there are may be gone on from no more */
size_t kept_next(const struct plan *);
void kept_add(struct fiber *stopped, const struct run_marks *);
struct fiber *kept_resume(const struct client *, const struct plan *, struct run_marks *);
/* Small pieces, mostly of whole words: not worth a call. The assembly keeps the compiler from making one of it. */
static inline void kept_copy(void *to, const void *from, size_t size) {
  typedef long long two_words __attribute__((vector_size(16), aligned(1), may_alias));
  if (__builtin_constant_p(size)) {
    __builtin_memcpy(to, from, size);
    return;
  }
  size_t done = 0;
  for (size_t large = size & -(size_t)64; done < large; done += 64) {
    const two_words *at = (const two_words *)((const char *)from + done);
    two_words *into = (two_words *)((char *)to + done), a = at[0], b = at[1], c = at[2], d = at[3];
    into[0] = a, into[1] = b, into[2] = c, into[3] = d;
    __asm__ volatile("" ::: "memory");
  }
  if (size & 32) {
    __builtin_memcpy((char *)to + done, (const char *)from + done, 32);
    done += 32;
  }
  if (size & 16) {
    __builtin_memcpy((char *)to + done, (const char *)from + done, 16);
    done += 16;
  }
  if (size & 8) {
    __builtin_memcpy((char *)to + done, (const char *)from + done, 8);
    done += 8;
  }
  if (UNLIKELY(size & 7)) __builtin_memcpy((char *)to + done, (const char *)from + done, size & 7);
}
/* Where the bytes of a state go: all states have one memory, each after the one before. */
struct kept_bytes {
  char *at, *end;
};
static inline bool kept_put(struct kept_bytes *to, const void *from, size_t size) { /* false: too much */
  if (UNLIKELY(size > (size_t)(to->end - to->at))) return false;
  kept_copy(to->at, from, size);
  to->at += size;
  return true;
}
static inline void kept_get(const char **from, void *to, size_t size) {
  kept_copy(to, *from, size);
  *from += size;
}
bool heap_can_be_put(void);
/* Which blocks there are; what is in them is for kept.c to copy. First comes what is not looked at again if it is as it
 * was in the state before; first: there is none. */
enum { LINE = 64 }; /* bytes that are copied at once */
struct extent {
  void *at;
  size_t size; /* whole lines, one or more */
};
size_t heap_extents(const struct extent **); /* where the blocks are */
bool heap_put_blocks(struct kept_bytes *, bool first);
bool heap_put(struct kept_bytes *);
void heap_get(const char **from);
bool races_put(struct kept_bytes *);
void races_get(const char **from);

/* Code without hooks (unseen.c). */
struct link_map;
void unseen_before_loading(void);            /* what is loaded now is Asif's own */
void unseen_loaded(const struct link_map *); /* the image, with the libraries it needs */
void unseen_open(struct image *);            /* from now on a run ends where it comes to such code */
/* A trap or a fault there. True: the code can go on. */
bool unseen_reached(uintptr_t pc, void *context);
const char *image_is_without(uintptr_t address); /* in code without hooks: whose; otherwise NULL */
bool image_has_without(const struct image *);

/* Which places were executed (coverage.c): a trap at one of them. True: the code can go on. */
bool coverage_reached(uintptr_t pc, void *context);

/* Signals (signals.c). */
void signals_open(void);  /* after loading: what is handled now is in every run */
void signals_reset(void); /* before every run */
void signals_fiber(const struct fiber *parent, const struct fiber *child); /* created: it blocks what the parent does */
bool signals_handled(int signal);

/* Loops that touch nothing (endless.c). */
extern bool endless_found;           /* there was one, in this run or an earlier one */
void endless_look(void *context);    /* of a signal: the code has taken no step for long */
bool endless_stepped(void *context); /* a trap after an instruction: true: it was for that */

/* Crashes (crash.c). */
bool crash_open(void); /* false: no memory */

#define CALLER ((uintptr_t)__builtin_return_address(0))

/* Memory accesses that are not atomic, and those that are (hooks.c calls these; so do memcpy and its like). Each checks
 * the address (heap), looks for races if asked, tells the recorder. */
/* After loading: what is allocated now is what every run begins with. frees: the image has a call that frees memory. */
void heap_keep(bool frees);
bool heap_dirty(uintptr_t); /* as image_dirty */
void heap_reset(void);      /* before every run */
/* All its addresses, and for good: high, where neither the system nor the sanitizers put anything. An area for each
 * fiber, and one for what is allocated while the image is loaded. */
enum { AREA_BITS = 32, AREAS = FIBERS_MOST + 1 };
static const uintptr_t heap_base = 0x7e9000000000, heap_span = (uintptr_t)AREAS << AREA_BITS;
static inline bool heap_owns(uintptr_t address) { return address - heap_base < heap_span; }
/* Names an address of the heap, or of a list of freed blocks; `whose`: with who allocated it. False: it is neither. */
bool heap_describe(uintptr_t, struct text *);
void heap_describe_owner(uintptr_t, struct text *);
void heap_access(uintptr_t address, uint32_t size, bool write, bool atomic,
                 uintptr_t pc); /* of an address it owns: is it a live block? */
void heap_leaks(void);          /* at the end of a run: run_found(FOUND_LEAK) if there are any */
/* After such a run: is it one, whatever form addresses are stored in? again: makes the same run again. */
bool heap_leaks_stand(bool (*again)(void));
void heap_leaks_forget(void); /* ... what was found out about the forms: until then heap_leaks knows it */
void *heap_alloc(size_t size, size_t align, uintptr_t pc);
void heap_free(void *, uintptr_t pc);
size_t heap_size(const void *);
uintptr_t heap_start(uintptr_t); /* of the block an address is in */
bool heap_stale(
    uintptr_t); /* with type_stable, of an address it owns: reached through a pointer from before the block was freed */
/* Of a function that accesses memory for the code (hooks.c): one plain access of so many bytes, about to be made. */
void plain_access(const void *, size_t size, bool write, uintptr_t pc, void **slot);

/* The same of an atomic access, in two halves (assembly.c): `at` is a point; then, when it was made, what it did. */
enum effect { READ_ONLY, WROTE_SAME, CHANGED };
void access_begin(enum point_kind, uintptr_t at, uint32_t size, uintptr_t pc);
void access_end(enum point_kind, uintptr_t at, uint32_t size, int order, uintptr_t pc, void **slot,
                struct accessed_value old, struct accessed_value now, enum effect);

void hooks_open(void); /* hooks.c: before the runs, by the options */

/* Addresses of blocks that threads see (heap_held.c): every word that the code reads, where that is wanted, but for
 * small ones: no form of an address is below HEAP_WORDS. */
extern bool heap_sights;
#define HEAP_WORDS (heap_base >> 4)
void heap_sight(uint64_t word);
void heap_sight_of(const struct fiber *, uint64_t word); /* given to it */
void heap_sight_range(uintptr_t at, size_t size);
void heap_erased(uint64_t word);                   /* from memory, by the current step */
void heap_erased_range(uintptr_t at, size_t size); /* what is there, before the current thread's next step */
/* In this run a block was not listed: are there forms of addresses that are not known? To be found out by making the
 * run again, with blocks at other distances from each other. */
extern bool heap_doubts, heap_scatters;
uint64_t heap_place(uint64_t word); /* of an address in a known form: which block and where in it; else the word */

/* The last run once more (again.c; and run_exchanged): do its leaks, and addresses that are not known in every form,
 * stand? */
extern bool again_runs;    /* such a run is made */
extern bool again_goes_on; /* ... beyond where the run was found never to end */
bool again_leaks(const struct client *);
bool again_circle(const struct client *); /* no schedule tried lets an operation return: it is a livelock */
bool again_addresses(const struct client *);

/* Accesses whose races are not reported (forgiven.c). */
extern bool forgiving; /* there may be some */
void forgive_open(void);
void forgive_reset(void);
void forgive_begin(void); /* the fiber that runs: all its accesses, up to the matching end */
void forgive_end(void);
void forgive_range(uintptr_t, size_t size); /* all accesses there */
void forgive_forget(uintptr_t, size_t size);
bool is_forgiven(const struct fiber *, uintptr_t address, size_t size, uintptr_t pc);
void forgive_race(uintptr_t address, size_t size, uintptr_t one, uintptr_t other);
/* Where an access is in the code, for the clocks: with what it is besides. */
#define PC_FORGIVEN ((uintptr_t)1 << 48)
#define PC_VOLATILE ((uintptr_t)1 << 49)
#define PC_ONLY     (PC_FORGIVEN - 1)

/* Races (races.c). Only called where options.races. */
void races_use_clocks(void);        /* it is not simple any more */
void races_use_clocks_before(void); /* the same, at an atomic access: the last step is still to be told to them */
void races_open(bool simple, size_t steps); /* simple: see image_is_simple */
void races_reset(void);
void races_fiber(const struct fiber *parent, const struct fiber *child); /* created: all the parent did comes before */
void races_joined(const struct fiber *by, const struct fiber *ended);
void races_learned(const struct fiber *by, const struct fiber *other);         /* all that it did so far comes before */
void races_access(uintptr_t address, uint32_t size, bool write, uintptr_t pc); /* plain */
void races_atomic(uintptr_t address, uint32_t size, enum point_kind, int order, uintptr_t pc); /* order: __ATOMIC_* */
void races_fence(int order);
void races_acquire(uintptr_t object); /* a lock taken, a wait over */
void races_release(uintptr_t object); /* a lock given up, a signal sent */
/* ASIF_ATOMIC: a block begins; it is about to access a word; it touches everything; it ends. */
void races_block_begin(void);
void races_block_word(uintptr_t word, bool writes);
void races_block_all(void);
void races_block_end(const uintptr_t *words, size_t count, bool all);
void races_forget(uintptr_t address,
                  size_t size); /* a block that was freed is allocated again: nothing was there before */
void races_freed(uintptr_t address, size_t size, uintptr_t pc); /* as a write of all of it */
uint32_t races_epoch(void);                                     /* of the fiber that runs, now */
bool races_knows(unsigned fiber, uint32_t epoch); /* does that come before what the fiber that runs does now? */
static inline bool order_acquires(int order) {
  return (1 << __ATOMIC_CONSUME | 1 << __ATOMIC_ACQUIRE | 1 << __ATOMIC_ACQ_REL | 1 << __ATOMIC_SEQ_CST) >> order & 1;
}
static inline bool order_releases(int order) {
  return (1 << __ATOMIC_RELEASE | 1 << __ATOMIC_ACQ_REL | 1 << __ATOMIC_SEQ_CST) >> order & 1;
}
/* For weak memory (weak.c), where what is released is known by who did it and when, and not by a place: what the fiber
 * that runs knows now, of so many fibers; its last release fence (0: none); it releases; it learns, at once or for an
 * acquire fence, what another released; what that was; it accesses a place, with what it acquires known and what it
 * releases not released. */
const uint32_t *clocks_now(unsigned *count);
uint32_t clocks_fence(void);
uint32_t clocks_release(void);
void clocks_learn(unsigned fiber, uint32_t epoch, bool acquires);
const uint32_t *clocks_released(unsigned fiber, uint32_t epoch);
void clocks_place(uintptr_t address, uint32_t size, enum point_kind, uintptr_t pc);
/* The clocks themselves. */
void clocks_access(uintptr_t address, uint32_t size, bool write, uintptr_t pc);
void clocks_atomic(uintptr_t address, uint32_t size, enum point_kind, int order, uintptr_t pc);

/* Races without clocks, as long as the order is simple (order.c). False: it is not, and the clocks are to be used. */
enum { ORDER_MAP_LOG = 16, ORDER_ATOMIC = 1, ORDER_PLAIN = 2 };
extern bool order_simple;
extern uint64_t
    *order_notes; /* of each step that is an atomic access: where it is in the code, and above that its order */
extern uint8_t
    order_map[1 << ORDER_MAP_LOG]; /* of places of 8 bytes, hashed: may there be such accesses? Never cleared */
extern uint32_t order_wrote[1 << ORDER_MAP_LOG]; /* of the same places: the step of the last atomic write, of this run
                                                    or an earlier one */
bool order_open(bool simple, size_t steps);
void order_reset(void);
bool order_put(struct kept_bytes *);
void order_get(const char **from);
bool order_access(uintptr_t address, uint32_t size, bool write, uintptr_t pc);
bool order_atomic(uintptr_t address, uint32_t size, bool write, uintptr_t pc);
void order_end(size_t steps); /* tells the clocks of all accesses of the first so many steps, and of all plain ones */
static inline size_t order_place(uintptr_t address) {
  return (address >> 3) * 0x9e3779b97f4a7c15u >> (64 - ORDER_MAP_LOG);
}
/* Of an atomic access that is the last step, where the order is simple. False: there is more to be done. */
static inline bool order_note(uintptr_t address, uint32_t size, enum point_kind kind, int order, uintptr_t pc) {
  size_t step = run.count - 1, place = order_place(address);
  order_notes[step] = pc | (uint64_t)order << 56;
  if (kind != POINT_READ) order_wrote[place] = (uint32_t)step;
  return LIKELY(order_map[place] == ORDER_ATOMIC && size <= 8 && !(address & (size - 1)));
}
static inline __attribute__((always_inline)) void races_step(uintptr_t address, uint32_t size, enum point_kind kind,
                                                             int order, uintptr_t pc) {
  if (order_simple && order_note(address, size, kind, order, pc)) return;
  races_atomic(address, size, kind, order, pc);
}

/* Spinning (spin.c). */
static inline void spin_reset(struct fiber *f) { /* the rest is not looked at before it is set */
  struct spin *s = &f->spin;
  s->pc = 0;
  s->reads = s->next = s->hits = s->next_hit = 0;
  f->landing.local = f->landing.landed = 0;
  f->landing.compares = f->landing.lands = f->landing.plain = false;
  f->timeouts = 0;
  f->polling.pc = 0;
  f->polling.tried_count = f->polling.held = f->polling.unlocks = f->polling.next = 0;
  f->polling.repeats = false;
}
/* It changed something itself, on its stack excepted, or did what does not come out the same again: it does not wait.
 */
static inline void spin_wrote(struct fiber *f) {
  f->spin.pc = 0;
  f->spin.reads = f->spin.next = 0;
  f->polling.dirty = true;
  f->polling.repeats = false;
}
/* It is about to try to lock one: those who poll may have locked it. */
void spin_tries(struct fiber *);
/* It tried to lock one, and found it taken: there is the word that is 0 where it is free. */
void spin_tried(struct fiber *, const volatile int *);
/* Nobody can take a step: somebody who waits in a loop, though what it had found taken is free now, goes on. */
bool spin_freed(void);
/* It locked a mutex, it unlocked one: steps that wrote. */
void spin_locked(struct fiber *, const void *mutex);
void spin_unlocked(struct fiber *, const void *mutex, uintptr_t pc, void **slot);
/* Where the function that the code called finds its return address. */
#if defined(__aarch64__)
#define SPIN_SLOT ((void **)__builtin_frame_address(0) + 1)
#else
#define SPIN_SLOT ((void **)__builtin_dwarf_cfa() - 1)
#endif
void spin_again(struct fiber *, uintptr_t pc, void **slot);
static inline void spin_candidate(struct fiber *f, uintptr_t pc, uintptr_t address, uint64_t value) {
  struct spin *s = &f->spin;
  s->pc = pc;
  s->address = address;
  s->value = value;
  s->next = 2 * s->reads;
  s->hits = s->next_hit = 0;
}
/* Where hooks of assembly return to, which save all registers above it on the stack (assembly.c). */
void assembly_returns(void);
uint64_t assembly_state(const struct fiber *); /* what a fiber has that is in no register and not on its stack */
/* After a read at a point, or an update that changed nothing: decides whether the fiber waits in a loop, and marks it.
 * slot: SPIN_SLOT of the function the code called. */
static inline void spin_read_at(struct fiber *f, uintptr_t pc, uintptr_t address, uint64_t value, void **slot) {
  struct spin *s = &f->spin;
  s->reads++;
  if (UNLIKELY(s->pc == pc && s->address == address && s->value == value)) {
    spin_again(f, pc, slot);
  } else if (UNLIKELY(s->reads >= s->next)) {
    spin_candidate(f, pc, address, value);
  }
}
/* The same of plain accesses that are no points, where they are watched. */
void spin_plain(struct fiber *, uintptr_t pc, uintptr_t address, uint32_t size, bool write, void **slot);
#define spin_read(f, pc, address, value) spin_read_at(f, pc, address, value, SPIN_SLOT)
/* At the end of every function the code calls that has a point: with what it returns, or read. */
void spin_land(uintptr_t pc, uint64_t result, void **slot);
#define SPIN_LAND(pc, result) (UNLIKELY(scheduler.watched) ? spin_land(pc, (uint64_t)(result), SPIN_SLOT) : (void)0)
#define SPIN_WATCH            2000 /* steps after which a run is watched */
void spin_watch(
    uint64_t enabled);       /* before each step from then on; ends the run if it would go on like this for ever */
extern uint64_t spin_circle; /* where run.repeats: a hash of the state that the run came back to */
/* Nobody can take a step: says what it is and ends the run (deadlock, livelock). */
_Noreturn void spin_stuck(void);

/* Iterations that changed nothing (pure.c). All of it only where pure_on. */
extern bool pure_on;
void pure_arrives(struct fiber *, enum point_kind, uint32_t size);                             /* at a point */
void pure_read(struct fiber *, uintptr_t address, uint32_t size, uint64_t low, uint64_t high); /* atomically */
void pure_plain(struct fiber *, uintptr_t address, uint32_t size, bool write);
void pure_locks(void); /* the next point is a mutex that is locked, or tried */
void pure_locked(struct fiber *, const void *mutex);
void pure_unlocked(struct fiber *, bool all, bool changed); /* all: it has locked no other */
/* It sees that a mutex is locked by the other; word: what tells so. */
void pure_taken(struct fiber *, const struct fiber *by, const void *word, uint32_t value);
void pure_wrote(int order); /* atomically, with this memory order */
void pure_block(struct fiber *, bool enter);
/* Assembly comes to a point: all its registers are on the stack, from there on. */
void pure_called(void **stack, uintptr_t address);
void pure_no_point(void); /* a function that may have been one, and is none */
void pure_stuck(void);    /* nobody can take a step, and some halt: they go on, or the run ends */
void pure_fiber(const struct fiber *);
void pure_reset(void); /* before every run, */
void pure_begin(void); /* and if it begins at its beginning */
bool pure_put(struct kept_bytes *);
void pure_get(const char **from);
/* Leads the image's calls of functions whose names begin so through what `thunk` gives. False: that cannot be. */
bool image_redirect(const char *const *begins, size_t count, uintptr_t (*thunk)(uintptr_t target));

/* What an ASIF_ATOMIC block accesses (footprint.c). */
extern bool footprint_open; /* a block runs. Then: */
void footprint_begin(void);
void footprint_point(enum point_kind, uintptr_t address, uint32_t size); /* what would be a point */
void footprint_wrote(void); /* the last of these writes what it accesses, as the flag of the step may say later */
bool footprint_end(void);   /* the step has its footprint; true if it wrote */

/* The threads library (threads.c and its like). */
void threads_reset(void); /* before every run: static mutexes and condition variables are as initialised */
void **threads_values(unsigned fiber, size_t *count); /* what it has by keys: blocks may be reached from there */
extern bool threads_keys;                             /* some thread has something by a key */
bool threads_joined(unsigned fiber);
void threads_ended(struct fiber *); /* then: the destructors of that */

#pragma GCC visibility pop
#endif
