/* What the parts of the threads library share: see runtime.h for the rest of the runtime.
 *
 * The state of a mutex and its like is in the code's own memory, in the place of the C library's: a zero initialiser
 * works, memory may be freed and used again, and every run begins with it as it is after loading. Who waits for which
 * condition variable is kept here (waiters.c). */
#ifndef ASIF_RUN_SYNC_H
#define ASIF_RUN_SYNC_H

#include <time.h>

#include "run/runtime.h"

/* Fibers within such state: 0 is nobody, so that zeros are a free mutex. */
static inline uint32_t sync_self(void) { return current ? current->id + 1u : FIBERS_MOST + 1u; }
static inline const struct fiber *sync_fiber(uint32_t self) {
  return self - 1 < FIBERS_MOST ? &fibers[self - 1] : NULL;
}

/* "the mutex top.lock"; valid until the fourth call after this one. */
const char *sync_name(const char *what, const void *object);
/* The access of an object at a point that was just reached: it must not be in freed memory. */
void sync_check(const void *object, uint32_t size, uintptr_t pc);
/* A point at an object. Outside of a run there is none. */
void sync_point(enum point_kind, const void *object, uint32_t size, uintptr_t pc);
void sync_point_when(enum point_kind, const void *object, uint32_t size, ready *, uintptr_t pc);
/* The same with a time limit: can go on at any time. That its time is over before anything else happens is one of the
 * things that may happen; then sync_timed_out. The memory is not checked. */
void sync_point_timed(enum point_kind, const void *object, uint32_t size, uintptr_t pc);
void sync_timed_out(uint64_t until);
/* True if a fiber other than this one can take a step: by itself, and not because others cannot. */
bool sync_others_can(const struct fiber *);
/* The step changed the object. */
void sync_changed(void);
/* ... by taking it: what others did before they gave it up comes before. By giving it up. */
void sync_taken(const void *object);
void sync_given(const void *object);
/* Those of a mutex; slot: SPIN_SLOT of the function the code called, or NULL. */
void sync_locked(const void *mutex);
void sync_unlocked(const void *mutex, uintptr_t pc, void **slot);
void sync_record(enum point_kind, const void *object, uint32_t size, bool failed, uintptr_t pc);
/* ... which nobody else could have had before. */
void sync_opened(const void *object);
/* The default is that another goes on after this step. */
void sync_others_first(void);
_Noreturn void sync_unsupported_at(const char *function, const char *why, uintptr_t pc);
#define sync_unsupported(function, why) sync_unsupported_at(function, why, CALLER)
_Noreturn void sync_misuse(uintptr_t pc, const void *object, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The code maps memory, or unmaps it: in a run that cannot be. Outside of one it may (files.c). */
void maps(const char *function, uintptr_t pc);

/* Waiting for a signal: condition variables, futexes (waiters.c). */
void waiters_reset(void);
void waiters_add(const void *object); /* the fiber that runs */
bool waiters_woken(const struct fiber *);
bool waiters_ready(const struct fiber *); /* ... or may wake without a signal */
void waiters_spurious(void);              /* the fiber that runs did that */
bool waiters_leave(void);                 /* the fiber that runs goes on; whether it was woken, else its time is over */
unsigned waiters_wake(const void *object, unsigned most); /* how many will wake */
unsigned waiters_asleep(const void *object);              /* how many wait and will not wake by themselves */
uint64_t waiters_hash(void);

/* Virtual time (time.c), in nanoseconds since the run began. */
void time_reset(void);
bool time_until(clockid_t, const struct timespec *, uint64_t *); /* a point in time; false: it is none */
void time_passed(uint64_t until);                                /* the fiber that runs has waited so long */
/* For the fiber that runs, without reading a clock; but where clocks are read, what they say matters: it is a point. */
uint64_t time_own(uintptr_t pc);
uint64_t time_hash(void); /* changes whenever the time is read */

/* Random numbers (random.c). */
void random_reset(void);
uint64_t random_hash(void); /* changes with every number */

/* How a fiber waits: to tell who waits for what when nobody can go on. */
struct wait_kind {
  ready *ready;
  const char *what;                 /* "the mutex" */
  uint32_t (*holder)(const void *); /* as sync_self says; NULL: nobody in particular */
  const char *nobody;               /* to be said where nobody holds it: ", which nobody is left to post" */
};
extern const struct wait_kind mutex_wait, spinlock_wait, read_wait, write_wait, semaphore_wait, barrier_wait, once_wait,
    guard_wait, join_wait, signal_wait, futex_wait, endless_wait;

/* The mutex of a condition variable. */
#include <pthread.h>
void mutex_release(pthread_mutex_t *, uintptr_t pc);
void mutex_take(pthread_mutex_t *, uintptr_t pc);

#endif
