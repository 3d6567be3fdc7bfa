/* Time, sleeping and yielding.
 *
 * Time is virtual, and the same in every run of a schedule: it passes a little each time it is read, and as much as a
 * fiber sleeps or waits in vain. If it is read very often in a run, it passes faster and faster: a loop that waits for
 * a second to be over comes to its end. How long a fiber slept is its own matter until it reads the time: so sleeps do
 * not depend on each other. Reading the time is a point, since who reads it first matters; and so is to begin a sleep,
 * if the code reads clocks anywhere.
 *
 * A sleep is a yield. Something with a time limit can always take its step: that the time is over before anything else
 * happens is one of the things that may happen. Then others go first. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/select.h>
#include <sys/time.h>
#include <threads.h>
#include <unistd.h>

#include "run/sync.h"

#define SECOND     ((uint64_t)1000000000)
#define TICK       ((uint64_t)1000)
#define REALTIME   ((uint64_t)1700000000 * SECOND) /* what the clocks say when a run begins */
#define SINCE_BOOT ((uint64_t)1000 * SECOND)

enum { READINGS_EVEN = 64, TICK_DOUBLINGS = 30 };

static uint64_t now;
static uint64_t readings;           /* of the run */
static uint64_t slept[FIBERS_MOST]; /* until when, by each fiber */
static bool used;
static bool clocks; /* are read by the code, somewhere */

void time_open(bool reads_clocks) { clocks = reads_clocks; }

void time_reset(void) {
  if (!used) return;
  used = false;
  now = readings = 0;
  for (unsigned i = 0; i < FIBERS_MOST; i++) slept[i] = 0;
}

uint64_t time_hash(void) { return now; }

bool time_is_clock(uintptr_t address) { return address == (uintptr_t)&now; }

static uint64_t base_of(clockid_t clock) {
  switch (clock) {
  case CLOCK_REALTIME:
  case CLOCK_REALTIME_COARSE:
  case CLOCK_TAI: return REALTIME;
  case CLOCK_PROCESS_CPUTIME_ID:
  case CLOCK_THREAD_CPUTIME_ID: return 0;
  default: return SINCE_BOOT;
  }
}

static uint64_t own_time(void) {
  uint64_t *own = current ? &slept[current->id] : NULL;
  return own && *own > now ? *own : now;
}

uint64_t time_own(uintptr_t pc) {
  if (current && clocks) {
    current->pc = pc;
    point(POINT_READ, (uintptr_t)&now, sizeof now);
    if (UNLIKELY(recording != NULL))
      record(POINT_READ, true, true, false, (uintptr_t)&now, sizeof now, pc, (struct accessed_value){now, 0},
             (struct accessed_value){0, 0});
  }
  return own_time();
}

bool time_until(clockid_t clock, const struct timespec *when, uint64_t *until) {
  if (when->tv_nsec < 0 || (uint64_t)when->tv_nsec >= SECOND) return false;
  uint64_t at = when->tv_sec < 0                                   ? 0
                : (uint64_t)when->tv_sec > UINT64_MAX / 2 / SECOND ? UINT64_MAX / 2
                                                                   : (uint64_t)when->tv_sec * SECOND;
  at += (uint64_t)when->tv_nsec;
  *until = at > base_of(clock) ? at - base_of(clock) : 0;
  return true;
}

void time_passed(uint64_t until) {
  used = true;
  if (!current)
    now = until > now ? until : now;
  else if (slept[current->id] < until)
    slept[current->id] = until;
}

static uint64_t read_clock(uintptr_t pc) {
  used = true;
  if (current) {
    current->pc = pc;
    point(POINT_UPDATE, (uintptr_t)&now, sizeof now);
    step_wrote_same();
    spin_wrote(current); /* a loop that looks at the time does not wait for ever */
  }
  uint64_t before = now;
  uint64_t more = readings++ < READINGS_EVEN ? 0 : readings - READINGS_EVEN;
  now = own_time() + (TICK << (more < TICK_DOUBLINGS ? more : TICK_DOUBLINGS));
  if (UNLIKELY(recording != NULL) && current)
    record(POINT_UPDATE, true, true, false, (uintptr_t)&now, sizeof now, pc, (struct accessed_value){before, 0},
           (struct accessed_value){now, 0});
  return now;
}

static void yield(uintptr_t pc) {
  if (!current) return;
  current->pc = pc;
  point(POINT_YIELD, 0, 0);
  sync_record(POINT_YIELD, NULL, 0, false, pc);
}

static void sleep_for(uint64_t nanoseconds, uintptr_t pc) {
  uint64_t until = time_own(pc) + (nanoseconds > UINT64_MAX / 4 ? UINT64_MAX / 4 : nanoseconds);
  yield(pc);
  time_passed(until);
}

static uint64_t nanoseconds_of(const struct timespec *t) {
  if (t->tv_sec < 0) return 0;
  return (uint64_t)t->tv_sec > UINT64_MAX / 4 / SECOND ? UINT64_MAX / 4
                                                       : (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
}

static struct timespec as_time(uint64_t nanoseconds) {
  return (struct timespec){.tv_sec = (time_t)(nanoseconds / SECOND), .tv_nsec = (long)(nanoseconds % SECOND)};
}

WRAPPED int WRAP(clock_gettime)(clockid_t clock, struct timespec *at) {
  *at = as_time(base_of(clock) + read_clock(CALLER));
  return 0;
}

WRAPPED int WRAP(gettimeofday)(struct timeval *at, void *zone) {
  (void)zone;
  struct timespec t = as_time(REALTIME + read_clock(CALLER));
  *at = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000};
  return 0;
}

WRAPPED time_t WRAP(time)(time_t *at) {
  time_t t = (time_t)((REALTIME + read_clock(CALLER)) / SECOND);
  if (at) *at = t;
  return t;
}

WRAPPED clock_t WRAP(clock)(void) { return (clock_t)(read_clock(CALLER) / (SECOND / CLOCKS_PER_SEC)); }

WRAPPED int WRAP(timespec_get)(struct timespec *at, int base) {
  if (base != TIME_UTC) return 0;
  *at = as_time(REALTIME + read_clock(CALLER));
  return base;
}

static int sleep_until(clockid_t clock, int flags, const struct timespec *t, uintptr_t pc) {
  uint64_t until;
  if (!time_until(clock, t, &until)) return EINVAL;
  if (flags & TIMER_ABSTIME) {
    yield(pc);
    time_passed(until);
  } else {
    sleep_for(nanoseconds_of(t), pc);
  }
  return 0;
}

WRAPPED int WRAP(clock_nanosleep)(clockid_t clock, int flags, const struct timespec *t, struct timespec *left) {
  (void)left;
  int result = sleep_until(clock, flags, t, CALLER);
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(nanosleep)(const struct timespec *t, struct timespec *left) {
  (void)left;
  int error = sleep_until(CLOCK_MONOTONIC, 0, t, CALLER);
  SPIN_LAND(CALLER, error);
  if (!error) return 0;
  errno = error;
  return -1;
}

WRAPPED int WRAP(usleep)(useconds_t t) {
  sleep_for((uint64_t)t * 1000, CALLER);
  SPIN_LAND(CALLER, 0);
  return 0;
}

WRAPPED unsigned WRAP(sleep)(unsigned t) {
  sleep_for((uint64_t)t * SECOND, CALLER);
  SPIN_LAND(CALLER, 0);
  return 0;
}

/* Waiting for nothing but the time; of files, only whether they are ready now. */
WRAPPED int WRAP(poll)(struct pollfd *files, nfds_t count, int milliseconds) {
  int result = 0;
  if (count == 0 && milliseconds >= 0) {
    sleep_for((uint64_t)milliseconds * 1000000, CALLER);
  } else {
    yield(CALLER);
    result = poll(files, count, 0);
  }
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(select)(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *t) {
  int result = 0;
  if (count == 0 && t) {
    sleep_for(nanoseconds_of(&(struct timespec){.tv_sec = t->tv_sec, .tv_nsec = t->tv_usec * 1000}), CALLER);
  } else {
    yield(CALLER);
    result = select(count, in, out, other, &(struct timeval){0});
  }
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(thrd_sleep)(const struct timespec *t, struct timespec *left) {
  (void)left;
  int result = sleep_until(CLOCK_MONOTONIC, 0, t, CALLER) ? -2 : 0;
  SPIN_LAND(CALLER, result);
  return result;
}

WRAPPED int WRAP(sched_yield)(void) {
  yield(CALLER);
  SPIN_LAND(CALLER, 0);
  return 0;
}

WRAPPED int WRAP(pthread_yield)(void) {
  yield(CALLER);
  SPIN_LAND(CALLER, 0);
  return 0;
}

WRAPPED void WRAP(thrd_yield)(void) {
  yield(CALLER);
  SPIN_LAND(CALLER, 0);
}
