/* What ends the code: signals, abort, assert, exit, exceptions that nobody catches; and a loop that never reaches a
 * point.
 *
 * Signals are handled on a stack of their own, and the handler leaves for good: the fiber's stack is as it was, and
 * nobody goes on with it. That works for the end of a stack too. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "run/runtime.h"
#include "run/sync.h"

#define SECONDS_MOST 2  /* of processor time within one step; looked at: */
#define TICKS        10 /* times a second */
#define BLOCKED_MOST 10 /* seconds in one system call */

static uintptr_t pc_of(const void *context) {
#if defined(__x86_64__)
  return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return ((const ucontext_t *)context)->uc_mcontext.pc;
#else
  (void)context;
  return 0;
#endif
}

/* Is its stack at an end? A function may go far beyond it at once, with a large array. */
static bool stack_is_full(const struct fiber *f, uintptr_t address, const void *context) {
  if ((uintptr_t)f->stack - address - 1 < STACK_GUARD) return true;
#if defined(__x86_64__)
  uintptr_t sp = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
  return sp < (uintptr_t)f->stack && address >= sp - 4096 && address < (uintptr_t)f->stack;
#else
  (void)context;
  return false;
#endif
}

static const char *access_of(const void *context) {
#if defined(__x86_64__)
  return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2 ? "writes to" : "reads from";
#else
  (void)context;
  return "accesses";
#endif
}

/* Where the code is: what it called may be the C library's, or Asif's. */
static uintptr_t place_in_code(const void *context) {
  uintptr_t pc = pc_of(context);
  if (image_has_code(pc)) return pc + 1; /* as a return address is: after the instruction */
  return current->pc;
}

_Noreturn static void crashed(int signal, const siginfo_t *info, const void *context) {
  const struct fiber *f = current;
  uintptr_t address = (uintptr_t)info->si_addr;
  if (signals_handled(signal))
    run_found(FOUND_UNSUPPORTED, "%s gets SIG%s, which the code handles itself: that cannot be run", fiber_name(f),
              sigabbrev_np(signal));
  found_at(place_in_code(context), signal == SIGSEGV || signal == SIGBUS ? address : 0, f, "crashes here");
  const char *who = fiber_name(f);
  switch (signal) {
  case SIGFPE: run_found(FOUND_CRASH, "%s divides by zero (SIGFPE)", who);
  case SIGILL: run_found(FOUND_CRASH, "%s runs an instruction that there is not, or a trap (SIGILL)", who);
  case SIGTRAP: run_found(FOUND_CRASH, "%s runs a trap (SIGTRAP)", who);
  case SIGABRT: run_found(FOUND_CRASH, "the C library stops %s (SIGABRT)", who);
  default: break;
  }
  if (stack_is_full(f, address, context))
    run_found(FOUND_CRASH, "the stack of %s is full: %lu KB", who, (unsigned long)STACK_SIZE >> 10);
  if (info->si_code != SEGV_MAPERR &&
      info->si_code != SEGV_ACCERR) /* an address that no memory can have: none is told */
    run_found(FOUND_CRASH, "%s accesses an address that cannot be", who);
  run_found(FOUND_CRASH, "%s %s address %#lx%s", who, access_of(context), (unsigned long)address,
            address < 4096 ? ": a null pointer" : "");
}

/* A fault where the code has no part: in the switch of stacks, but for a stack that is full; or once more on the way
 * from a crash to the end of its run. What is needed to go on has been overwritten. */
static bool is_ours(const siginfo_t *info, const void *context) {
  static uint64_t crashed_in; /* the last run that did; from 1 */
  bool again = crashed_in == scheduler.runs + 1;
  crashed_in = scheduler.runs + 1;
  if (!image_has_code(pc_of(context)) && is_own_memory((uintptr_t)info->si_addr)) return true;
#if defined(__x86_64__) && !defined(ASIF_PORTABLE_FIBERS)
  if (pc_of(context) - (uintptr_t)fiber_switch < 100 && !stack_is_full(current, (uintptr_t)info->si_addr, context))
    return true;
#endif
  return again;
}

static struct sigaction before[NSIG]; /* who else wants to know of a signal */

static void on_signal(int signal, siginfo_t *info, void *context) {
  if (signal == SIGSEGV && info->si_code == SEGV_MAPERR) {
    enum grown grown = fibers_grow((uintptr_t)info->si_addr);
    if (grown == GROWN) return;
    if (grown == GROWN_MEMORY) run_no_memory("the stack of a thread");
  }
  if (signal == SIGSEGV && info->si_code == SEGV_ACCERR) {
    uintptr_t address = (uintptr_t)info->si_addr;
    if (image_dirty(address) || heap_dirty(address)) return;
  }
  if (signal == SIGTRAP && info->si_code == TRAP_TRACE && endless_stepped(context)) return;
  if (signal == SIGTRAP && coverage_reached(pc_of(context), context)) return;
  if ((signal == SIGTRAP || signal == SIGSEGV) && unseen_reached(pc_of(context), context)) return;
  if (current && !scheduler.asks) {
    if (is_ours(info, context)) _exit(RUN_BROKEN);
    crashed(signal, info, context);
  }
  if (before[signal].sa_flags & SA_SIGINFO) { /* a specification of the user's, which is followed by others */
    before[signal].sa_sigaction(signal, info, context);
    return;
  }
  struct sigaction none = {.sa_handler = SIG_DFL}; /* Asif's own mistake */
  sigaction(signal, &none, NULL);
  if (signal == SIGABRT || info->si_code <= 0) raise(signal);
}

/* In a system call that does not return? Then the processor is right behind the instruction, or before it, where the
 * call is to be made again. */
static bool in_system_call(const void *context) {
#if defined(__x86_64__)
  const unsigned char *pc = (const unsigned char *)pc_of(context);
  return (pc[0] == 0x0f && pc[1] == 0x05) || (pc[-2] == 0x0f && pc[-1] == 0x05);
#elif defined(__aarch64__)
  const uint32_t *pc = (const uint32_t *)pc_of(context);
  return pc[0] == 0xd4000001 || pc[-1] == 0xd4000001;
#else
  (void)context;
  return false;
#endif
}

/* Each second of real time: the same for code that waits in the kernel, for what may never come. */
static void on_second(const void *context) {
  static uint64_t runs;
  static size_t count;
  static unsigned seconds;
  static clock_t used; /* of the processor, when it began to wait: hardly more since */
  if (!current || scheduler.asks || runs != scheduler.runs || count != run.count ||
      clock() - used > CLOCKS_PER_SEC / 5) {
    runs = scheduler.runs;
    count = run.count;
    seconds = 0;
    used = clock();
    return;
  }
  if ((++seconds < BLOCKED_MOST && !run.waited) || !in_system_call(context)) return;
  seconds = 0;
  run.waited++;
  found_at(current->pc, 0, current, "waits after this");
  run_found(FOUND_UNSUPPORTED, "%s waits in a system call for %d seconds, which is not under the scheduler's control",
            fiber_name(current), BLOCKED_MOST);
}

enum { SECOND = 1000000, SOON = 1000 }; /* microseconds */
static void ticks(int interval) {
  const struct timeval every = {0, interval};
  setitimer(ITIMER_VIRTUAL, &(struct itimerval){every, every}, NULL);
}
/* Where one loop that touches nothing was found there are more, and each is waited for. */
static int usual_tick(void) { return endless_found ? SECOND / TICKS / 10 : SECOND / TICKS; }

/* Has the run taken a step since the last tick? One that has not for long runs on without touching anything others can
 * see. */
static void on_tick(int signal, siginfo_t *info, void *context) {
  static uint64_t runs;
  static size_t count;
  static unsigned same; /* ticks without a step */
  (void)signal;
  if (info->si_code == SI_TIMER) {
    on_second(context);
    return;
  }
  if (!current || runs != scheduler.runs || count != run.count) {
    if (same) ticks(usual_tick());
    runs = scheduler.runs;
    count = run.count;
    same = 0;
    return;
  }
  plain_long = plain_watched = true; /* a loop of plain reads is found by itself then */
  if (same == 0 || same == TICKS) endless_look(context);
  if (++same < SECONDS_MOST * (SECOND / (unsigned)usual_tick())) return;
  if (!image_has_code(pc_of(context))) { /* what Asif is doing, it shall finish */
    ticks(SOON);
    return;
  }
  same = 0;
  ticks(usual_tick());
  run.waited++;
  found_at(pc_of(context), 0, current, "runs on here");
  run_found(FOUND_UNSUPPORTED,
            "%s runs on for %d seconds and touches nothing that others can see: whether it ever ends is not known",
            fiber_name(current), SECONDS_MOST);
}

bool crash_open(void) {
  static char *stack;
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  if (stack) return true;
  const size_t size = 64 << 10;
  stack = malloc(size);
  if (!stack) return false;
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = size}, NULL);
  /* SA_NODEFER: since the handler does not return, the signal must not stay blocked. */
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, &before[signals[i]]);
  action.sa_sigaction = on_tick;
  action.sa_flags |= SA_RESTART;
  sigaction(SIGVTALRM, &action, NULL);
  ticks(usual_tick());
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM};
  timer_t timer;
  if (!timer_create(CLOCK_MONOTONIC, &event, &timer))
    timer_settime(timer, 0, &(struct itimerspec){{1, 0}, {1, 0}}, NULL);
  return true;
}

/* Functions that do not return. */

WRAPPED _Noreturn void WRAP(abort)(void);
void WRAP(abort)(void) {
  if (!current) abort();
  found_at(CALLER, 0, current, "aborts here");
  run_found(FOUND_CRASH, "%s calls abort", fiber_name(current));
}

WRAPPED _Noreturn void WRAP(__assert_fail)(const char *, const char *, unsigned, const char *);
void WRAP(__assert_fail)(const char *condition, const char *file, unsigned line, const char *function) {
  if (!current) {
    fprintf(stderr, "%s:%u: %s: assertion %s fails\n", file, line, function ? function : "", condition);
    abort();
  }
  found_at(CALLER, 0, current, "the assertion");
  run_found(FOUND_ASSERTION, "%s:%u: assertion %s fails in %s", file, line, condition, fiber_name(current));
}

WRAPPED _Noreturn void WRAP(__stack_chk_fail)(void);
void WRAP(__stack_chk_fail)(void) {
  if (!current) abort();
  found_at(CALLER, 0, current, "found here");
  run_found(FOUND_CRASH, "%s writes beyond a variable on its stack", fiber_name(current));
}

/* What the compiler tells of an index (-fsanitize=bounds): where it is used, and the types of the array and the index.
 */
struct bounds_type {
  uint16_t kind, info; /* of an integer: 1 if signed, and twice the logarithm of its bits */
  char name[];         /* "'int [8]'" */
};
struct bounds {
  const char *file;
  uint32_t line, column;
  const struct bounds_type *array, *index;
};

WRAPPED _Noreturn void WRAP(__ubsan_handle_out_of_bounds_abort)(const struct bounds *, uintptr_t);
void WRAP(__ubsan_handle_out_of_bounds_abort)(const struct bounds *b, uintptr_t index) {
  unsigned bits = 1u << (b->index->info >> 1 & 15);
  char number[64] = "beyond the end";
  if (bits <= 64) {
    unsigned unused = 64 - bits;
    if (b->index->info & 1)
      snprintf(number, sizeof number, "%lld", (long long)((uint64_t)index << unused) >> unused);
    else
      snprintf(number, sizeof number, "%llu", (unsigned long long)index);
  }
  if (!current) {
    fprintf(stderr, "%s:%u: element %s of an array %s is accessed\n", b->file, b->line, number, b->array->name);
    abort();
  }
  found_at(CALLER, 0, current, "the access");
  run_found(FOUND_OUT_OF_BOUNDS, "%s accesses element %s of an array %s", fiber_name(current), number, b->array->name);
}

/* A program may end by itself; with a status other than 0 it has failed. */
_Noreturn static void exits(const char *name, int status, uintptr_t pc) {
  if (!current) _exit(status);
  if (host_program && !status) run_stop(RUN_WHOLE);
  found_at(pc, 0, current, "exits here");
  run_found(host_program ? FOUND_ASSERTION : FOUND_CRASH, "%s calls %s(%d)", fiber_name(current), name, status);
}
#define EXIT(name) \
  WRAPPED _Noreturn void WRAP(name)(int); \
  void WRAP(name)(int status) { exits(#name, status, CALLER); }
EXIT(exit)
EXIT(_exit)
EXIT(_Exit)
EXIT(quick_exit)

/* A second process would go on with the runs of this one. */
#define PROCESS(name) \
  WRAPPED int WRAP(name)(void); \
  int WRAP(name)(void) { sync_unsupported(#name, "another process is not part of the schedule"); }
PROCESS(fork)
PROCESS(vfork)

/* C++: the name of the class of the exception that nobody catches, as the loaded code's own library tells it. */
static const char *exception_name(void) {
  struct type_info {
    const void *methods;
    const char *name;
  };
  const struct type_info *(*type)(void) =
      (const struct type_info *(*)(void))image_function("__cxa_current_exception_type");
  const struct type_info *t = type ? type() : NULL;
  if (!t) return NULL;
  char *(*plain)(const char *, char *, size_t *, int *) =
      (char *(*)(const char *, char *, size_t *, int *))image_function("__cxa_demangle");
  char *name = plain ? plain(t->name[0] == '*' ? t->name + 1 : t->name, NULL, NULL, NULL) : NULL;
  return name ? name : t->name;
}

_Noreturn static void terminates(uintptr_t pc) {
  if (!current) abort();
  enum mode mode = scheduler.mode;
  scheduler.mode = MODE_QUIET;
  choose_again();
  const char *name = exception_name();
  scheduler.mode = mode;
  found_at(pc, 0, current, "ends here");
  if (name) run_found(FOUND_CRASH, "%s throws %s, and nobody catches it", fiber_name(current), name);
  run_found(FOUND_CRASH, "%s calls std::terminate", fiber_name(current));
}
WRAPPED _Noreturn void WRAP(_ZSt9terminatev)(void);
void WRAP(_ZSt9terminatev)(void) { terminates(CALLER); }
WRAPPED _Noreturn void WRAP(_ZN10__cxxabiv111__terminateEPFvvE)(void (*)(void));
void WRAP(_ZN10__cxxabiv111__terminateEPFvvE)(void (*handler)(void)) {
  (void)handler;
  terminates(CALLER);
}
