/* Mutexes and spin locks: pthread_mutex_*, mtx_*, pthread_spin_*.
 *
 * The fields are those of the C library, so its static initialisers say what they say. A mutex with no owner is free.
 */
#include <errno.h>
#include <threads.h>

#include "run/sync.h"

enum { DESTROYED = -1, SIZE = 4 /* at a point: the first field stands for all */ };

static int type_of(const pthread_mutex_t *m) { return m->__data.__kind & 3; }
static uint32_t owner_of(const pthread_mutex_t *m) { return (uint32_t)m->__data.__owner; }
static bool usable(const pthread_mutex_t *m) { return (m->__data.__kind & ~0x3ff) == 0; }

/* One that cannot be used lets everybody go on, to say so. */
static bool mutex_free(const struct fiber *f) {
  const pthread_mutex_t *m = f->waits_for;
  return !owner_of(m) || !usable(m);
}
static uint32_t mutex_holder(const void *m) { return owner_of(m); }
const struct wait_kind mutex_wait = {mutex_free, "the mutex", mutex_holder, ""};

static void check(const pthread_mutex_t *m, const char *does, uintptr_t pc) {
  if (LIKELY(usable(m))) return;
  sync_misuse(pc, m, "%s %s %s, which %s", fiber_name(current), does, sync_name("the mutex", m),
              m->__data.__kind == DESTROYED ? "is destroyed" : "was never initialised");
}

static void own(pthread_mutex_t *m, uintptr_t pc) {
  m->__data.__owner = (int)sync_self();
  m->__data.__count = 1;
  sync_locked(m);
  sync_record(POINT_LOCK, m, SIZE, false, pc);
}

/* Does the owner that locks it again wait for ever? */
static bool waits_for_itself(const pthread_mutex_t *m) {
  return current && type_of(m) != PTHREAD_MUTEX_RECURSIVE && type_of(m) != PTHREAD_MUTEX_ERRORCHECK;
}

/* The owner locks again: nobody else can see that. */
static int lock_again(pthread_mutex_t *m, const uint64_t *until, uintptr_t pc) {
  sync_check(m, SIZE, pc);
  switch (type_of(m)) {
  case PTHREAD_MUTEX_RECURSIVE:
    if (m->__data.__count == UINT32_MAX) return EAGAIN;
    m->__data.__count++;
    if (current) spin_wrote(current);
    return 0;
  case PTHREAD_MUTEX_ERRORCHECK: return EDEADLK;
  default: break;
  }
  if (until) {
    sync_others_first();
    sync_point_timed(POINT_LOCK, m, SIZE, pc);
    sync_check(m, SIZE, pc);
    sync_timed_out(*until);
    return ETIMEDOUT;
  }
  sync_misuse(pc, m, "a mutex is locked that is locked already");
}

static int lock(pthread_mutex_t *m, uintptr_t pc) {
  if (owner_of(m) == sync_self() && usable(m) && !waits_for_itself(m)) return lock_again(m, NULL, pc);
  if (UNLIKELY(pure_on)) pure_locks();
  if (current) sync_point_when(POINT_LOCK, m, SIZE, mutex_free, pc);
  check(m, "locks", pc);
  own(m, pc);
  return 0;
}

/* Can go on at any time: that its time is over before the mutex is free is one of the things that may happen. */
static int lock_until(pthread_mutex_t *m, clockid_t clock, const struct timespec *when, uintptr_t pc) {
  uint64_t until;
  if (!time_until(clock, when, &until)) return EINVAL;
  if (owner_of(m) == sync_self() && usable(m)) return lock_again(m, &until, pc);
  if (owner_of(m)) sync_others_first();
  if (current) spin_tries(current);
  sync_point_timed(POINT_LOCK, m, SIZE, pc);
  sync_check(m, SIZE, pc);
  check(m, "locks", pc);
  if (owner_of(m)) {
    if (UNLIKELY(pure_on) && current) pure_taken(current, sync_fiber(owner_of(m)), &m->__data.__owner, owner_of(m));
    sync_record(POINT_LOCK, m, SIZE, true, pc);
    sync_timed_out(until);
    return ETIMEDOUT;
  }
  own(m, pc);
  return 0;
}

/* The owner of one that does not count is told that it is locked as others are: it may try in a loop, for ever. */
static int try_lock(pthread_mutex_t *m, uintptr_t pc, void **slot) {
  if (owner_of(m) == sync_self() && usable(m) && type_of(m) == PTHREAD_MUTEX_RECURSIVE) return lock_again(m, NULL, pc);
  if (current) spin_tries(current);
  if (UNLIKELY(pure_on)) pure_locks();
  sync_point(POINT_LOCK, m, SIZE, pc);
  check(m, "locks", pc);
  if (owner_of(m)) {
    sync_record(POINT_LOCK, m, SIZE, true, pc);
    if (!current) return EBUSY;
    step_failed();
    if (UNLIKELY(pure_on)) pure_taken(current, sync_fiber(owner_of(m)), &m->__data.__owner, owner_of(m));
    spin_tried(current, &m->__data.__owner);
    spin_read_at(current, pc, (uintptr_t)m, owner_of(m), slot);
    return EBUSY;
  }
  if (current) current->polling.repeats = false;
  own(m, pc);
  return 0;
}

static int unlock(pthread_mutex_t *m, uintptr_t pc, void **slot) {
  bool mine = owner_of(m) == sync_self();
  if (mine && usable(m) && m->__data.__count > 1) {
    sync_check(m, SIZE, pc);
    m->__data.__count--;
    if (current) spin_wrote(current);
    return 0;
  }
  sync_point(POINT_UNLOCK, m, SIZE, pc);
  check(m, "unlocks", pc);
  if (!mine && (type_of(m) == PTHREAD_MUTEX_RECURSIVE || type_of(m) == PTHREAD_MUTEX_ERRORCHECK)) return EPERM;
  if (!owner_of(m))
    sync_misuse(pc, m, "%s unlocks %s, which is not locked", fiber_name(current), sync_name("the mutex", m));
  if (!mine)
    sync_misuse(pc, m, "%s unlocks %s, which %s has locked", fiber_name(current), sync_name("the mutex", m),
                fiber_name(sync_fiber(owner_of(m))));
  m->__data.__owner = 0;
  m->__data.__count = 0;
  sync_unlocked(m, pc, slot);
  sync_record(POINT_UNLOCK, m, SIZE, false, pc);
  return 0;
}

void mutex_take(pthread_mutex_t *m, uintptr_t pc) { (void)lock(m, pc); }

void mutex_release(pthread_mutex_t *m, uintptr_t pc) {
  if (owner_of(m) != sync_self() || !usable(m))
    sync_misuse(pc, m, "%s waits for a condition without having locked %s", fiber_name(current),
                sync_name("the mutex", m));
  if (m->__data.__count > 1)
    sync_misuse(pc, m, "%s waits for a condition and has locked %s more than once", fiber_name(current),
                sync_name("the mutex", m));
  (void)unlock(m, pc, NULL);
}

static void initialise(pthread_mutex_t *m, int kind, uintptr_t pc) {
  sync_check(m, sizeof *m, pc);
  *m = (pthread_mutex_t){.__data = {.__kind = kind}};
  if (current) spin_wrote(current);
}

static void destroy(pthread_mutex_t *m, uintptr_t pc) {
  sync_point(POINT_LOCK, m, SIZE, pc);
  check(m, "destroys", pc);
  if (owner_of(m))
    sync_misuse(pc, m, "%s destroys %s, which %s has locked", fiber_name(current), sync_name("the mutex", m),
                fiber_name(sync_fiber(owner_of(m))));
  m->__data.__kind = DESTROYED;
  sync_taken(m);
  sync_record(TOLD_DESTROY, m, SIZE, false, pc);
}

WRAPPED int WRAP(pthread_mutex_init)(pthread_mutex_t *m, const pthread_mutexattr_t *attributes) {
  int kind = PTHREAD_MUTEX_DEFAULT;
  if (attributes) pthread_mutexattr_gettype(attributes, &kind);
  initialise(m, kind, CALLER);
  return 0;
}

WRAPPED int WRAP(pthread_mutex_destroy)(pthread_mutex_t *m) {
  destroy(m, CALLER);
  return 0;
}

WRAPPED int WRAP(pthread_mutex_lock)(pthread_mutex_t *m) {
  int result = lock(m, CALLER);
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(pthread_mutex_trylock)(pthread_mutex_t *m) {
  int result = try_lock(m, CALLER, SPIN_SLOT);
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(pthread_mutex_timedlock)(pthread_mutex_t *m, const struct timespec *when) {
  return lock_until(m, CLOCK_REALTIME, when, CALLER);
}

WRAPPED int WRAP(pthread_mutex_clocklock)(pthread_mutex_t *m, clockid_t clock, const struct timespec *when) {
  return lock_until(m, clock, when, CALLER);
}

WRAPPED int WRAP(pthread_mutex_unlock)(pthread_mutex_t *m) {
  int result = unlock(m, CALLER, SPIN_SLOT);
  SPIN_LAND(CALLER, result);
  return result;
}

/* C11. */

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "they are the same");

static int c11(int error) {
  switch (error) {
  case 0: return thrd_success;
  case EBUSY: return thrd_busy;
  case ETIMEDOUT: return thrd_timedout;
  default: return thrd_error;
  }
}

WRAPPED int WRAP(mtx_init)(mtx_t *m, int type) {
  initialise((pthread_mutex_t *)m, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL, CALLER);
  return thrd_success;
}

WRAPPED void WRAP(mtx_destroy)(mtx_t *m) { destroy((pthread_mutex_t *)m, CALLER); }

WRAPPED int WRAP(mtx_lock)(mtx_t *m) {
  int result = c11(lock((pthread_mutex_t *)m, CALLER));
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(mtx_trylock)(mtx_t *m) {
  int result = c11(try_lock((pthread_mutex_t *)m, CALLER, SPIN_SLOT));
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(mtx_timedlock)(mtx_t *m, const struct timespec *when) {
  return c11(lock_until((pthread_mutex_t *)m, CLOCK_REALTIME, when, CALLER));
}

WRAPPED int WRAP(mtx_unlock)(mtx_t *m) {
  int result = c11(unlock((pthread_mutex_t *)m, CALLER, SPIN_SLOT));
  SPIN_LAND(CALLER, result);
  return result;
}

/* Spin locks: an int, 0 if free. */

static bool spinlock_free(const struct fiber *f) { return *(const volatile int *)f->waits_for == 0; }
static uint32_t spinlock_holder(const void *s) { return *(const uint32_t *)s; }
const struct wait_kind spinlock_wait = {spinlock_free, "the spin lock", spinlock_holder, ""};

static void own_spinlock(pthread_spinlock_t *s, uintptr_t pc) {
  *s = (int)sync_self();
  sync_locked((const void *)s);
  sync_record(POINT_LOCK, (const void *)s, SIZE, false, pc);
}

WRAPPED int WRAP(pthread_spin_init)(pthread_spinlock_t *s, int shared) {
  (void)shared;
  sync_check((const void *)s, SIZE, CALLER);
  *s = 0;
  if (current) spin_wrote(current);
  return 0;
}

WRAPPED int WRAP(pthread_spin_destroy)(pthread_spinlock_t *s) {
  sync_check((const void *)s, SIZE, CALLER);
  return 0;
}

WRAPPED int WRAP(pthread_spin_lock)(pthread_spinlock_t *s) {
  if (*s == (int)sync_self() && !current)
    sync_misuse(CALLER, (const void *)s, "a spin lock is locked that is locked already");
  if (UNLIKELY(pure_on)) pure_locks();
  if (current) sync_point_when(POINT_LOCK, (const void *)s, SIZE, spinlock_free, CALLER);
  own_spinlock(s, CALLER);
  SPIN_LAND(CALLER, 0);
  return 0;
}

WRAPPED int WRAP(pthread_spin_trylock)(pthread_spinlock_t *s) {
  if (current) spin_tries(current);
  if (UNLIKELY(pure_on)) pure_locks();
  sync_point(POINT_LOCK, (const void *)s, SIZE, CALLER);
  bool failed = *s != 0;
  if (!failed) {
    if (current) current->polling.repeats = false;
    own_spinlock(s, CALLER);
  } else {
    sync_record(POINT_LOCK, (const void *)s, SIZE, true, CALLER);
    if (UNLIKELY(pure_on) && current) pure_taken(current, sync_fiber((uint32_t)*s), (const void *)s, (uint32_t)*s);
    if (current) step_failed(), spin_tried(current, s), spin_read(current, CALLER, (uintptr_t)s, (uint64_t)*s);
  }
  SPIN_LAND(CALLER, failed);
  return failed ? EBUSY : 0;
}

WRAPPED int WRAP(pthread_spin_unlock)(pthread_spinlock_t *s) {
  sync_point(POINT_UNLOCK, (const void *)s, SIZE, CALLER);
  if (!*s)
    sync_misuse(CALLER, (const void *)s, "%s unlocks %s, which is not locked", fiber_name(current),
                sync_name("the spin lock", (const void *)s));
  if (*s != (int)sync_self())
    sync_misuse(CALLER, (const void *)s, "%s unlocks %s, which %s has locked", fiber_name(current),
                sync_name("the spin lock", (const void *)s), fiber_name(sync_fiber((uint32_t)*s)));
  *s = 0;
  sync_unlocked((const void *)s, CALLER, SPIN_SLOT);
  sync_record(POINT_UNLOCK, (const void *)s, SIZE, false, CALLER);
  SPIN_LAND(CALLER, 0);
  return 0;
}
