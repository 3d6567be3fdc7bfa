/* Locks for readers and writers: pthread_rwlock_*.
 *
 * A reader goes in whenever no writer is in: those that wait have no precedence. */
#include <errno.h>
#include <string.h>

#include "run/sync.h"

enum { SIZE = 4, EACH_MOST = 15 };

/* In the place of pthread_rwlock_t; zeros are what its initialiser says, and what it may say beyond is not looked at.
 */
struct rwlock {
  uint32_t writer;               /* as sync_self says */
  uint32_t readers;              /* locks held, all together */
  uint8_t each[FIBERS_MOST / 2]; /* by each fiber: four bits */
  uint32_t destroyed;
};
#define DESTROYED 0xdeadc0deu
_Static_assert(sizeof(struct rwlock) <= offsetof(pthread_rwlock_t, __data.__flags), "it must have room");

static unsigned held_by(const struct rwlock *l, uint32_t self) {
  return self - 1 < FIBERS_MOST ? l->each[(self - 1) / 2] >> (self - 1) % 2 * 4 & 15 : 0;
}

static void count_reader(struct rwlock *l, uint32_t self, int by) {
  l->readers += (uint32_t)by;
  if (self - 1 < FIBERS_MOST)
    l->each[(self - 1) / 2] = (uint8_t)(l->each[(self - 1) / 2] + by * (1 << (self - 1) % 2 * 4));
}

static bool readable(const struct fiber *f) {
  const struct rwlock *l = f->waits_for;
  return !l->writer || l->destroyed;
}
static bool writable(const struct fiber *f) {
  const struct rwlock *l = f->waits_for;
  return (!l->writer && !l->readers) || l->destroyed;
}
static uint32_t writer(const void *l) { return ((const struct rwlock *)l)->writer; }
/* The writer, or one of the readers. */
static uint32_t holder(const void *lock) {
  const struct rwlock *l = lock;
  if (l->writer || !l->readers) return l->writer;
  for (uint32_t self = 1; self <= FIBERS_MOST; self++)
    if (held_by(l, self)) return self;
  return FIBERS_MOST + 1;
}
const struct wait_kind read_wait = {readable, "the lock for reading", writer, ""};
const struct wait_kind write_wait = {writable, "the lock for writing", holder, ""};

static void check(const struct rwlock *l, const char *does, uintptr_t pc) {
  if (LIKELY(!l->destroyed)) return;
  sync_misuse(pc, l, "%s %s %s, which %s", fiber_name(current), does, sync_name("the read-write lock", l),
              l->destroyed == DESTROYED ? "is destroyed" : "was never initialised");
}

static int taken(struct rwlock *l, bool write, uintptr_t pc) {
  if (write) {
    l->writer = sync_self();
  } else {
    if (held_by(l, sync_self()) == EACH_MOST) return EAGAIN;
    count_reader(l, sync_self(), 1);
  }
  sync_taken(l);
  sync_record(write ? POINT_LOCK : TOLD_READ_LOCK, l, SIZE, false, pc);
  return 0;
}

static int lock(struct rwlock *l, bool write, uintptr_t pc) {
  if (l->writer == sync_self()) return EDEADLK;
  if (current) sync_point_when(POINT_LOCK, l, SIZE, write ? writable : readable, pc);
  check(l, "locks", pc);
  return taken(l, write, pc);
}

static bool busy(const struct rwlock *l, bool write) { return l->writer || (write && l->readers); }

static int try_lock(struct rwlock *l, bool write, uintptr_t pc, void **slot) {
  sync_point(POINT_LOCK, l, SIZE, pc);
  check(l, "locks", pc);
  if (!busy(l, write)) return taken(l, write, pc);
  sync_record(POINT_LOCK, l, SIZE, true, pc);
  if (!current) return EBUSY;
  step_failed();
  spin_read_at(current, pc, (uintptr_t)l, l->writer + ((uint64_t)l->readers << 32), slot);
  return EBUSY;
}

/* Can go on at any time: that its time is over before the lock is free is one of the things that may happen. */
static int lock_until(struct rwlock *l, bool write, clockid_t clock, const struct timespec *when, uintptr_t pc) {
  uint64_t until;
  if (!time_until(clock, when, &until)) return EINVAL;
  if (l->writer == sync_self()) return EDEADLK;
  if (busy(l, write)) sync_others_first();
  sync_point_timed(POINT_LOCK, l, SIZE, pc);
  sync_check(l, SIZE, pc);
  check(l, "locks", pc);
  if (!busy(l, write)) return taken(l, write, pc);
  sync_record(POINT_LOCK, l, SIZE, true, pc);
  sync_timed_out(until);
  return ETIMEDOUT;
}

WRAPPED int WRAP(pthread_rwlock_init)(pthread_rwlock_t *l, const pthread_rwlockattr_t *attributes) {
  (void)attributes;
  sync_check(l, sizeof *l, CALLER);
  memset(l, 0, sizeof *l);
  if (current) spin_wrote(current);
  return 0;
}

WRAPPED int WRAP(pthread_rwlock_destroy)(pthread_rwlock_t *lock) {
  struct rwlock *l = (struct rwlock *)lock;
  sync_point(POINT_LOCK, l, SIZE, CALLER);
  check(l, "destroys", CALLER);
  if (busy(l, true))
    sync_misuse(CALLER, l, "%s destroys %s, which %s has locked", fiber_name(current),
                sync_name("the read-write lock", l), fiber_name(sync_fiber(holder(l))));
  l->destroyed = DESTROYED;
  sync_taken(l);
  sync_record(TOLD_DESTROY, l, SIZE, false, CALLER);
  return 0;
}

WRAPPED int WRAP(pthread_rwlock_rdlock)(pthread_rwlock_t *l) {
  int result = lock((struct rwlock *)l, false, CALLER);
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(pthread_rwlock_wrlock)(pthread_rwlock_t *l) {
  int result = lock((struct rwlock *)l, true, CALLER);
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(pthread_rwlock_tryrdlock)(pthread_rwlock_t *l) {
  int result = try_lock((struct rwlock *)l, false, CALLER, SPIN_SLOT);
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(pthread_rwlock_trywrlock)(pthread_rwlock_t *l) {
  int result = try_lock((struct rwlock *)l, true, CALLER, SPIN_SLOT);
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(pthread_rwlock_timedrdlock)(pthread_rwlock_t *l, const struct timespec *when) {
  return lock_until((struct rwlock *)l, false, CLOCK_REALTIME, when, CALLER);
}

WRAPPED int WRAP(pthread_rwlock_timedwrlock)(pthread_rwlock_t *l, const struct timespec *when) {
  return lock_until((struct rwlock *)l, true, CLOCK_REALTIME, when, CALLER);
}

WRAPPED int WRAP(pthread_rwlock_clockrdlock)(pthread_rwlock_t *l, clockid_t clock, const struct timespec *when) {
  return lock_until((struct rwlock *)l, false, clock, when, CALLER);
}

WRAPPED int WRAP(pthread_rwlock_clockwrlock)(pthread_rwlock_t *l, clockid_t clock, const struct timespec *when) {
  return lock_until((struct rwlock *)l, true, clock, when, CALLER);
}

WRAPPED int WRAP(pthread_rwlock_unlock)(pthread_rwlock_t *lock) {
  struct rwlock *l = (struct rwlock *)lock;
  sync_point(POINT_UNLOCK, l, SIZE, CALLER);
  check(l, "unlocks", CALLER);
  uint32_t self = sync_self();
  if (l->writer == self) {
    l->writer = 0;
  } else if (l->readers && (held_by(l, self) || self > FIBERS_MOST)) {
    count_reader(l, self, -1);
  } else {
    sync_misuse(CALLER, l, "%s unlocks %s, which it has not locked", fiber_name(current),
                sync_name("the read-write lock", l));
  }
  sync_given(l);
  sync_record(POINT_UNLOCK, l, SIZE, false, CALLER);
  SPIN_LAND(CALLER, 0);
  return 0;
}
