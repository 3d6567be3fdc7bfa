/* Who waits for a signal.
 *
 * A signal wakes one of those that wait when it is sent; which one is the scheduler's choice: all of them can go on,
 * and the first that does takes the signal. Those that came to wait after it cannot have it. So each signal has a
 * number, as has each arrival, and a fiber can take a signal with a higher number than its own. Of these it takes the
 * earliest, which the fewest others could have.
 *
 * Without a signal a waiter of a condition variable may wake too, as POSIX and C++ say: once in a run, and only while
 * somebody else can go on, so that those who wait for what nobody will do are found. */
#include "run/sync.h"

#include "base/hash.h"

static struct waiter {
  const void *object; /* NULL: does not wait */
  uint32_t since;
  bool woken; /* by a signal to all */
} waiters[FIBERS_MOST];
static struct {
  const void *object;
  uint32_t at;
} signals[FIBERS_MOST]; /* in the order they were sent; never more of an object than there are waiters to take them */
static unsigned signal_count;
static uint32_t now;
static unsigned spurious; /* how many woke without a signal */
enum { SPURIOUS_MOST = 1 };

void waiters_reset(void) {
  if (!now) return; /* nobody waited in the last run */
  for (unsigned i = 0; i < FIBERS_MOST; i++) waiters[i].object = NULL;
  signal_count = now = spurious = 0;
}

void waiters_add(const void *object) { waiters[current->id] = (struct waiter){.object = object, .since = ++now}; }

static bool takes(const struct waiter *w, unsigned signal) {
  return signals[signal].object == w->object && signals[signal].at > w->since;
}

bool waiters_woken(const struct fiber *f) {
  const struct waiter *w = &waiters[f->id];
  if (w->woken) return true;
  for (unsigned i = 0; i < signal_count; i++)
    if (takes(w, i)) return true;
  return false;
}

bool waiters_ready(const struct fiber *f) {
  return waiters_woken(f) || (spurious < SPURIOUS_MOST && sync_others_can(f));
}

void waiters_spurious(void) { spurious++; }

static void drop_signal(unsigned i) {
  for (signal_count--; i < signal_count; i++) signals[i] = signals[i + 1];
}

/* One left without a signal: where fewer are left than signals sent to them, a signal is lost. */
static void drop_lost(const void *object) {
  for (unsigned i = 0, before = 0; i < signal_count; i++) {
    if (signals[i].object != object) continue;
    unsigned could = 0;
    for (unsigned f = 0; f < FIBERS_MOST; f++) could += !waiters[f].woken && takes(&waiters[f], i);
    if (could > before)
      before++;
    else
      drop_signal(i--);
  }
}

bool waiters_leave(void) {
  struct waiter *w = &waiters[current->id];
  const void *object = w->object;
  bool woken = w->woken;
  for (unsigned i = 0; i < signal_count && !woken; i++) {
    if (!takes(w, i)) continue;
    drop_signal(i);
    woken = true;
  }
  *w = (struct waiter){.object = NULL};
  if (!woken) drop_lost(object);
  return woken;
}

static unsigned wake_all(const void *object) {
  unsigned count = 0;
  for (unsigned i = 0; i < FIBERS_MOST; i++) {
    if (waiters[i].object != object || waiters[i].woken) continue;
    waiters[i].woken = true;
    count++;
  }
  for (unsigned i = signal_count; i-- > 0;)
    if (signals[i].object == object) drop_signal(i), count--;
  return count;
}

unsigned waiters_asleep(const void *object) {
  unsigned count = 0;
  for (unsigned i = 0; i < FIBERS_MOST; i++) count += waiters[i].object == object && !waiters[i].woken;
  for (unsigned i = 0; i < signal_count; i++) count -= signals[i].object == object;
  return count;
}

unsigned waiters_wake(const void *object, unsigned most) {
  if (!now) return 0; /* nobody ever waited */
  if (most >= waiters_asleep(object)) return wake_all(object);
  for (unsigned i = 0; i < most; i++) {
    signals[signal_count].object = object;
    signals[signal_count++].at = ++now;
  }
  return most;
}

/* Numbers matter only by their order. */
uint64_t waiters_hash(void) {
  uint64_t h = 1 + spurious;
  for (unsigned i = 0; i < FIBERS_MOST; i++) {
    const struct waiter *w = &waiters[i];
    if (!w->object) continue;
    uint64_t earlier = 0;
    for (unsigned s = 0; s < signal_count; s++) earlier += takes(w, s);
    h = hash_mix(h ^ (uintptr_t)w->object ^ earlier << 48 ^ (uint64_t)w->woken << 60) + i;
  }
  return h;
}

const struct wait_kind signal_wait = {waiters_ready, "a signal to the condition variable", NULL,
                                      ", which nobody is left to send"};
