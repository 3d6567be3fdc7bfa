/* What the parts of the runtime share. Nothing outside src/run includes this.
 *
 *   fiber.c    stacks and the switch between them
 *   run.c      one run: points, choices, the default policy, calls and returns
 *   image.c    loading the shared object; its globals restored between runs; thread-local storage of each fiber
 *   hooks.c    the __tsan_* functions; host.c: asif_host_* of the harness
 *   crash.c    signals, abort, assert, exit
 *   heap.c     the allocator: reuse as a choice, use after free, out of bounds, leaks
 *   races.c    vector clocks
 *   mutex.c condition.c threads.c once.c ... time.c   the threads library under the scheduler
 *   spin.c     loops that wait for another, and runs that never end
 *
 * Exported functions are WRAP(name): the linker's --wrap=name makes the code call them instead of name. */
#ifndef ASIF_RUN_RUNTIME_H
#define ASIF_RUN_RUNTIME_H

#include "run/run.h"

#define WRAPPED    __attribute__((visibility("default"), used))
#define WRAP(name) __wrap_##name
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

struct fiber;
typedef bool ready(const struct fiber *); /* can a fiber that waits at its point go on? */

struct spin {
  uintptr_t pc, address;
  uint64_t value;
  uint64_t state;  /* hash of the fiber's stack and registers there */
  uint32_t reads, next; /* reads since the candidate; when to take a new one */
};

struct fiber {
  void *sp; /* while it does not run */
  char *stack, *stack_top;
  uint8_t id;
  bool ended, called; /* called: an operation has begun and its call is to be recorded with the next step */
  bool spinning;      /* waits in a loop until somebody writes */
  ready *ready;       /* NULL: can go on */
  const void *waits_for; /* for `ready`: the mutex, the fiber to be joined, ... */
  int error;          /* its errno */
  struct spin spin;
  char *tls;          /* its copy of the image's thread-local storage; NULL until used */
  void *(*start)(void *); /* of a thread the code created */
  void *argument, *result;
  uint32_t current_call;
};

/* The run that is going on. Outside of a run (loading, init's static constructors) current is NULL, and every wrapped function
 * does what the real one does, or the nearest thing to it; within run_sequential and init there is one fiber, and no choices. */
extern struct fiber *current;
extern struct run run;
extern struct run_options options;
extern struct fiber fibers[FIBERS_MOST];
extern const struct recorder *recording; /* NULL: no */

/* The fiber that runs is about to do this: lets others go first as the plan says, and returns when it is its turn. */
void point(enum point_kind, uintptr_t address, uint32_t size);
/* The same where it can go on only when `ready` says so: locks, joins. waits_for is for `ready`. */
void point_when(enum point_kind, uintptr_t address, uint32_t size, ready *, const void *waits_for);
/* Of a POINT_ALLOC that was just reached: which of so many blocks (1 or more). */
unsigned choose_block(unsigned blocks);
/* The step that is being taken changed something: spinning fibers wake up. */
void step_wrote(void);
/* Ends the run with a finding. The sentence is copied. Never returns to the fiber. */
_Noreturn void run_found(enum found, const char *format, ...) __attribute__((format(printf, 2, 3)));
void found_at(uintptr_t pc, uintptr_t address, const struct fiber *, const char *words); /* before run_found, newest first */
_Noreturn void run_stop(enum run_end);

#define CALLER ((uintptr_t)__builtin_return_address(0))

/* Memory accesses that are not atomic, and those that are (hooks.c calls these; so do memcpy and its like). Each checks the
 * address (heap), looks for races if asked, tells the recorder. */
void heap_reset(void);   /* before every run */
bool heap_owns(uintptr_t);
void heap_access(uintptr_t address, uint32_t size, bool write, bool atomic, uintptr_t pc); /* of an address it owns: is it a live block? */
void heap_leaks(void);   /* at the end of a run: run_found(FOUND_LEAK) if there are any */
void *heap_alloc(size_t size, size_t align, uintptr_t pc);
void heap_free(void *, uintptr_t pc);
size_t heap_size(const void *);

/* Vector clocks (races.c). Only called where options.races. */
void races_reset(void);
void races_fiber(const struct fiber *parent, const struct fiber *child); /* created: all the parent did comes before */
void races_joined(const struct fiber *by, const struct fiber *ended);
void races_access(uintptr_t address, uint32_t size, bool write, uintptr_t pc);              /* plain */
void races_atomic(uintptr_t address, uint32_t size, enum point_kind, int order, uintptr_t pc); /* order: __ATOMIC_* */
void races_fence(int order);
void races_acquire(uintptr_t object); /* a lock taken, a wait over */
void races_release(uintptr_t object); /* a lock given up, a signal sent */
void races_forget(uintptr_t address, size_t size); /* a fresh block: nothing was there before */

/* Spinning (spin.c). */
void spin_reset(struct fiber *);
/* After a read at a point, by an access with no effect; decides whether the fiber waits in a loop, and marks it. */
void spin_read(struct fiber *, uintptr_t pc, uintptr_t address, uint64_t value);
void spin_wrote(struct fiber *); /* it changed something itself, on its stack excepted: it does not wait */
/* Nobody can take a step: says what it is and ends the run (deadlock, livelock). */
_Noreturn void spin_stuck(void);

/* The threads library (threads.c and its like). */
void threads_reset(void); /* before every run: static mutexes and condition variables are as initialised */
void threads_ended(struct fiber *); /* thread-local destructors, keys */

#endif
