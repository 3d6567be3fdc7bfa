/* Semaphores: sem_*. */
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <string.h>

#include "run/sync.h"

enum { SIZE = 4 };

/* In the place of sem_t. */
struct semaphore {
  uint32_t value, destroyed;
};
#define DESTROYED 0xdeadc0deu
_Static_assert(sizeof(struct semaphore) <= sizeof(sem_t), "it must have room");

static bool open_for(const struct fiber *f) {
  const struct semaphore *s = f->waits_for;
  return s->value || s->destroyed;
}
const struct wait_kind semaphore_wait = {open_for, "the semaphore", NULL, ", which nobody is left to post"};

static void check(const struct semaphore *s, const char *does, uintptr_t pc) {
  if (LIKELY(!s->destroyed)) return;
  sync_misuse(pc, s, "%s %s %s, which %s", fiber_name(current), does, sync_name("the semaphore", s),
              s->destroyed == DESTROYED ? "is destroyed" : "was never initialised");
}

static int fail(int error) {
  errno = error;
  return -1;
}

static void taken(struct semaphore *s, uintptr_t pc) {
  s->value--;
  sync_taken(s);
  sync_record(POINT_LOCK, s, SIZE, false, pc);
}

WRAPPED int WRAP(sem_init)(sem_t *sem, int shared, unsigned value) {
  (void)shared;
  if (value > INT_MAX) return fail(EINVAL);
  sync_check(sem, sizeof *sem, CALLER);
  *(struct semaphore *)sem = (struct semaphore){.value = value};
  if (current) spin_wrote(current);
  return 0;
}

WRAPPED int WRAP(sem_destroy)(sem_t *sem) {
  struct semaphore *s = (struct semaphore *)sem;
  sync_point(POINT_LOCK, s, SIZE, CALLER);
  check(s, "destroys", CALLER);
  s->destroyed = DESTROYED;
  sync_taken(s);
  sync_record(TOLD_DESTROY, s, SIZE, false, CALLER);
  return 0;
}

WRAPPED int WRAP(sem_wait)(sem_t *sem) {
  struct semaphore *s = (struct semaphore *)sem;
  if (current) sync_point_when(POINT_LOCK, s, SIZE, open_for, CALLER);
  check(s, "waits for", CALLER);
  if (!s->value) sync_unsupported("sem_wait", "there is no other thread to post it");
  taken(s, CALLER);
  SPIN_LAND(CALLER, 0);
  return 0;
}

WRAPPED int WRAP(sem_trywait)(sem_t *sem) {
  struct semaphore *s = (struct semaphore *)sem;
  sync_point(POINT_LOCK, s, SIZE, CALLER);
  check(s, "waits for", CALLER);
  bool failed = !s->value;
  if (!failed) {
    taken(s, CALLER);
  } else {
    sync_record(POINT_LOCK, s, SIZE, true, CALLER);
    if (current) step_failed(), spin_read(current, CALLER, (uintptr_t)s, 0);
  }
  SPIN_LAND(CALLER, failed);
  return failed ? fail(EAGAIN) : 0;
}

static int wait_until(struct semaphore *s, clockid_t clock, const struct timespec *when, uintptr_t pc) {
  uint64_t until;
  if (!time_until(clock, when, &until)) return fail(EINVAL);
  if (!s->value) sync_others_first();
  sync_point_timed(POINT_LOCK, s, SIZE, pc);
  sync_check(s, SIZE, pc);
  check(s, "waits for", pc);
  if (s->value) {
    taken(s, pc);
    return 0;
  }
  sync_record(POINT_LOCK, s, SIZE, true, pc);
  sync_timed_out(until);
  return fail(ETIMEDOUT);
}

WRAPPED int WRAP(sem_timedwait)(sem_t *s, const struct timespec *when) {
  return wait_until((struct semaphore *)s, CLOCK_REALTIME, when, CALLER);
}

WRAPPED int WRAP(sem_clockwait)(sem_t *s, clockid_t clock, const struct timespec *when) {
  return wait_until((struct semaphore *)s, clock, when, CALLER);
}

WRAPPED int WRAP(sem_post)(sem_t *sem) {
  struct semaphore *s = (struct semaphore *)sem;
  sync_point(POINT_UNLOCK, s, SIZE, CALLER);
  check(s, "posts", CALLER);
  if (s->value == INT_MAX) return fail(EOVERFLOW);
  s->value++;
  sync_given(s);
  sync_record(POINT_UNLOCK, s, SIZE, false, CALLER);
  SPIN_LAND(CALLER, 0);
  return 0;
}

WRAPPED int WRAP(sem_getvalue)(sem_t *sem, int *value) {
  struct semaphore *s = (struct semaphore *)sem;
  sync_point(POINT_READ, s, SIZE, CALLER);
  check(s, "looks at", CALLER);
  *value = (int)s->value;
  sync_record(POINT_READ, s, SIZE, false, CALLER);
  if (current) spin_read(current, CALLER, (uintptr_t)s, s->value);
  SPIN_LAND(CALLER, s->value);
  return 0;
}

WRAPPED sem_t *WRAP(sem_open)(const char *name, int flags, ...) {
  (void)name, (void)flags;
  sync_unsupported("sem_open", "a semaphore shared with other processes");
}
