/* Condition variables: pthread_cond_*, cnd_*.
 *
 * A wait is four steps: it comes to wait, it gives up the mutex, it takes a signal, it takes the mutex. A signal
 * between the first two does what it would after both, since nobody else can have the mutex meanwhile.
 *
 * Who waits is known to waiters.c; here is the clock, and whether it was destroyed.
 */
#include <errno.h>
#include <string.h>
#include <threads.h>

#include "run/sync.h"

enum { SIZE = 4 };

/* In the place of pthread_cond_t; zeros are what its initialiser says. */
struct condition {
  uint32_t destroyed; /* DESTROYED: so it is */
  clockid_t clock;    /* CLOCK_REALTIME is 0 */
};
#define DESTROYED 0xdeadc0deu
_Static_assert(sizeof(struct condition) <= sizeof(pthread_cond_t), "it must have room");

static void check(const struct condition *c, const char *does, uintptr_t pc) {
  if (LIKELY(!c->destroyed)) return;
  sync_misuse(pc, c, "%s %s %s, which %s", fiber_name(current), does, sync_name("the condition variable", c),
              c->destroyed == DESTROYED ? "is destroyed" : "was never initialised");
}

/* until: NULL to wait for ever. */
static int wait_for_signal(struct condition *c, pthread_mutex_t *m, const uint64_t *until, uintptr_t pc) {
  if (!current) sync_unsupported("pthread_cond_wait", "there is no other thread");
  sync_point(POINT_WAIT, c, SIZE, pc);
  check(c, "waits for", pc);
  final_waits();
  if (scheduler.mode == MODE_QUIET) sync_unsupported("pthread_cond_wait", "no other thread can run meanwhile");
  waiters_add(c);
  sync_changed();
  sync_record(POINT_WAIT, c, SIZE, false, pc);
  mutex_release(m, pc);
  /* It may be destroyed, and its memory gone, as soon as all have been woken: it is not looked at any more. */
  current->pc = pc;
  if (until) {
    sync_others_first();
    sync_point_timed(POINT_WAIT, c, SIZE, pc);
  } else {
    sync_others_first();
    point_when(POINT_WAIT, (uintptr_t)c, SIZE, waiters_ready, c);
  }
  bool woken = waiters_leave();
  sync_taken(c);
  sync_record(woken ? TOLD_WOKEN : until ? TOLD_TIMED_OUT : TOLD_STIRRED, c, SIZE, false, pc);
  if (!woken && until)
    sync_timed_out(*until);
  else if (!woken)
    waiters_spurious();
  mutex_take(m, pc);
  return woken || !until ? 0 : ETIMEDOUT;
}

static int wait_until(struct condition *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *when,
                      uintptr_t pc) {
  uint64_t until;
  if (!time_until(clock, when, &until)) return EINVAL;
  return wait_for_signal(c, m, &until, pc);
}

static void wake(struct condition *c, unsigned most, uintptr_t pc) {
  sync_point(POINT_WAKE, c, SIZE, pc);
  check(c, "signals", pc);
  unsigned woken = waiters_wake(c, most);
  /* With nobody to wake nothing changes, but the order with one who comes to wait matters all the same. */
  if (woken)
    sync_given(c);
  else if (current)
    step_wrote_same();
  sync_record(POINT_WAKE, c, SIZE, !woken, pc);
}

static void initialise(struct condition *c, clockid_t clock, uintptr_t pc) {
  sync_check(c, sizeof *c, pc);
  memset(c, 0, sizeof(pthread_cond_t));
  c->clock = clock;
  if (current) spin_wrote(current);
}

static void destroy(struct condition *c, uintptr_t pc) {
  sync_point(POINT_WAKE, c, SIZE, pc);
  check(c, "destroys", pc);
  if (current && waiters_asleep(c))
    sync_misuse(pc, c, "%s destroys %s, and %u still wait for it", fiber_name(current),
                sync_name("the condition variable", c), waiters_asleep(c));
  c->destroyed = DESTROYED;
  sync_taken(c);
  sync_record(TOLD_DESTROY, c, SIZE, false, pc);
}

WRAPPED int WRAP(pthread_cond_init)(pthread_cond_t *c, const pthread_condattr_t *attributes) {
  clockid_t clock = CLOCK_REALTIME;
  if (attributes) pthread_condattr_getclock(attributes, &clock);
  initialise((struct condition *)c, clock, CALLER);
  return 0;
}

WRAPPED int WRAP(pthread_cond_destroy)(pthread_cond_t *c) {
  destroy((struct condition *)c, CALLER);
  return 0;
}

WRAPPED int WRAP(pthread_cond_wait)(pthread_cond_t *c, pthread_mutex_t *m) {
  int result = wait_for_signal((struct condition *)c, m, NULL, CALLER);
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(pthread_cond_timedwait)(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *when) {
  int result = wait_until((struct condition *)c, m, ((struct condition *)c)->clock, when, CALLER);
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(pthread_cond_clockwait)(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                         const struct timespec *when) {
  int result = wait_until((struct condition *)c, m, clock, when, CALLER);
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(pthread_cond_signal)(pthread_cond_t *c) {
  wake((struct condition *)c, 1, CALLER);
  SPIN_LAND(CALLER, 0);
  return 0;
}

WRAPPED int WRAP(pthread_cond_broadcast)(pthread_cond_t *c) {
  wake((struct condition *)c, FIBERS_MOST, CALLER);
  SPIN_LAND(CALLER, 0);
  return 0;
}

/* C11. */

_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "they are the same");

static int c11(int error) { return !error ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error; }

WRAPPED int WRAP(cnd_init)(cnd_t *c) {
  initialise((struct condition *)c, CLOCK_REALTIME, CALLER);
  return thrd_success;
}

WRAPPED void WRAP(cnd_destroy)(cnd_t *c) { destroy((struct condition *)c, CALLER); }

WRAPPED int WRAP(cnd_wait)(cnd_t *c, mtx_t *m) {
  int result = c11(wait_for_signal((struct condition *)c, (pthread_mutex_t *)m, NULL, CALLER));
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(cnd_timedwait)(cnd_t *c, mtx_t *m, const struct timespec *when) {
  int result = c11(wait_until((struct condition *)c, (pthread_mutex_t *)m, CLOCK_REALTIME, when, CALLER));
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(cnd_signal)(cnd_t *c) {
  wake((struct condition *)c, 1, CALLER);
  SPIN_LAND(CALLER, 0);
  return thrd_success;
}

WRAPPED int WRAP(cnd_broadcast)(cnd_t *c) {
  wake((struct condition *)c, FIBERS_MOST, CALLER);
  SPIN_LAND(CALLER, 0);
  return thrd_success;
}
