/* System calls that code makes by their number: futexes, which std::atomic::wait and much else is made of, and what
 * other wrapped functions do. The rest go to the system. */
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "run/sync.h"

enum { SIZE = 4 };

static bool futex_woken(const struct fiber *f) { return waiters_woken(f); }
const struct wait_kind futex_wait = {futex_woken, "a wake-up at", NULL, ", and nobody is left to wake it"};

static long fail(int error) {
  errno = error;
  return -1;
}

static long wait_on(uint32_t *at, uint32_t value, const uint64_t *until, uintptr_t pc, void **slot) {
  if (!current) sync_unsupported("futex", "there is no other thread");
  sync_point(POINT_WAIT, at, SIZE, pc);
  if (races_wanted()) races_atomic((uintptr_t)at, SIZE, POINT_READ, __ATOMIC_RELAXED, pc);
  if (*at != value) {
    sync_record(POINT_WAIT, at, SIZE, true, pc);
    spin_read_at(current, pc, (uintptr_t)at, *at, slot);
    return fail(EAGAIN);
  }
  final_waits();
  if (scheduler.mode == MODE_QUIET) sync_unsupported("futex", "no other thread can run meanwhile");
  waiters_add(at);
  sync_changed();
  sync_record(POINT_WAIT, at, SIZE, false, pc);
  /* The memory may be gone when it wakes: it is not looked at any more. */
  if (until) {
    sync_others_first();
    sync_point_timed(POINT_WAIT, at, SIZE, pc);
  } else {
    point_when(POINT_WAIT, (uintptr_t)at, SIZE, futex_woken, at);
  }
  bool woken = waiters_leave();
  sync_changed();
  sync_record(woken ? TOLD_WOKEN : TOLD_TIMED_OUT, at, SIZE, false, pc);
  if (woken) return 0;
  sync_timed_out(*until);
  return fail(ETIMEDOUT);
}

static long wake(const uint32_t *at, long most, uintptr_t pc) {
  if (!current) return 0;
  current->pc = pc;
  point(POINT_WAKE, (uintptr_t)at, SIZE);
  unsigned woken = waiters_wake(at, most < 0 || most > FIBERS_MOST ? FIBERS_MOST : (unsigned)most);
  if (woken)
    sync_changed();
  else
    step_wrote_same();
  sync_record(POINT_WAKE, at, SIZE, !woken, pc);
  return woken;
}

static long futex(uint32_t *at, int what, long value, const struct timespec *limit, uint32_t bits, uintptr_t pc,
                  void **slot) {
  clockid_t clock = what & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  uint64_t until;
  switch (what & FUTEX_CMD_MASK) {
  case FUTEX_WAIT: /* a limit that counts from now */
    if (limit && !time_until(CLOCK_PROCESS_CPUTIME_ID, limit, &until)) return fail(EINVAL);
    if (limit) until += time_own(pc);
    return wait_on(at, (uint32_t)value, limit ? &until : NULL, pc, slot);
  case FUTEX_WAIT_BITSET:
    if (limit && !time_until(clock, limit, &until)) return fail(EINVAL);
    if (bits != FUTEX_BITSET_MATCH_ANY) break;
    return wait_on(at, (uint32_t)value, limit ? &until : NULL, pc, slot);
  case FUTEX_WAKE_BITSET:
    if (bits != FUTEX_BITSET_MATCH_ANY) break;
    return wake(at, value, pc);
  case FUTEX_WAKE: return wake(at, value, pc);
  default: break;
  }
  char name[40];
  snprintf(name, sizeof name, "futex operation %d", what & FUTEX_CMD_MASK);
  sync_unsupported(name, "only FUTEX_WAIT and FUTEX_WAKE are, with all bits");
}

/* Every memory barrier there is: accesses happen one at a time here. */
static long membarrier(int command) { return command ? 0 : syscall(SYS_membarrier, command, 0, 0); }

WRAPPED long WRAP(syscall)(long, ...);
int WRAP(sched_yield)(void);
int WRAP(clock_gettime)(clockid_t, struct timespec *);
ssize_t WRAP(getrandom)(void *, size_t, unsigned);
int WRAP(kill)(pid_t, int);

long WRAP(syscall)(long number, ...) {
  long a[6];
  va_list args;
  va_start(args, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(args, long);
  va_end(args);
  switch (number) {
  case SYS_futex: {
    long result =
        futex((uint32_t *)a[0], (int)a[1], (int)a[2], (const struct timespec *)a[3], (uint32_t)a[5], CALLER, SPIN_SLOT);
    SPIN_LAND(CALLER, result);
    return result;
  }
  case SYS_membarrier: return membarrier((int)a[0]);
  case SYS_sched_yield: return WRAP(sched_yield)();
  case SYS_clock_gettime: return WRAP(clock_gettime)((clockid_t)a[0], (struct timespec *)a[1]);
  case SYS_getrandom: return WRAP(getrandom)((void *)a[0], (size_t)a[1], (unsigned)a[2]);
  case SYS_gettid: return (long)getpid() + (long)sync_self();
  case SYS_kill: return WRAP(kill)((pid_t)a[0], (int)a[1]);
  case SYS_tkill: return WRAP(kill)(getpid(), (int)a[1]);
  case SYS_tgkill: return WRAP(kill)((pid_t)a[0], (int)a[2]);
  case SYS_clone:
  case SYS_clone3:
#ifdef SYS_fork
  case SYS_fork:
  case SYS_vfork:
#endif
    sync_unsupported("syscall(SYS_clone, ...) or its like", "another process is not part of the schedule");
  case SYS_mmap:
  case SYS_munmap:
  case SYS_mremap:
  case SYS_mprotect:
  case SYS_madvise:
  case SYS_brk:
    maps("syscall(SYS_mmap, ...) or its like", CALLER);
    return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  default: return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
}
