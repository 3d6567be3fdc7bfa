/* Signals that the code sends, and handlers that it installs.
 *
 * The signals by which crashes are noticed are the runtime's (crash.c): a handler of the code's own for one of them is
 * only written down, and a crash that it would have handled is not called one. What the code sends to its own process
 * is told before it happens, so that a process which is killed all the same was killed by somebody else.
 *
 * Which signals are blocked is a matter of the thread: each fiber has a mask of its own, and that of the process stays
 * as it is. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "run/runtime.h"
#include "run/sync.h"

static struct sigaction handlers[NSIG], loaded_handlers[NSIG]; /* as they would be; as they were after loading */
static bool any, any_loaded;
static bool own[NSIG]; /* the code has said what is to be done; otherwise it is Asif's business what is */

static uint64_t masks[FIBERS_MOST]; /* of the fibers: bit s - 1: signal s is blocked */
static bool any_mask;               /* in this run one was set */

static bool is_ours(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP ||
         signal == SIGABRT || signal == SIGVTALRM;
}

static bool is_set(const struct sigaction *a) { return a->sa_flags & SA_SIGINFO || a->sa_handler != SIG_DFL; }

void signals_open(void) {
  memcpy(loaded_handlers, handlers, sizeof handlers);
  any_loaded = any;
}

void signals_reset(void) {
  if (any_mask) memset(masks, 0, sizeof masks);
  any_mask = false;
  if (!any) return;
  memcpy(handlers, loaded_handlers, sizeof handlers);
  any = any_loaded;
}

bool signals_handled(int signal) { return any && signal > 0 && signal < NSIG && is_set(&handlers[signal]); }

WRAPPED int WRAP(sigaction)(int, const struct sigaction *, struct sigaction *);
int WRAP(sigaction)(int signal, const struct sigaction *now, struct sigaction *before) {
  if (!is_ours(signal)) {
    if (now && signal > 0 && signal < NSIG) own[signal] = true;
    return sigaction(signal, now, before);
  }
  struct sigaction *h = &handlers[signal], was = *h;
  if (now) {
    *h = *now;
    any = true;
  }
  if (before) *before = was;
  return 0;
}

/* Masks. */

void signals_fiber(const struct fiber *parent, const struct fiber *child) {
  if (any_mask) masks[child->id] = masks[parent->id];
}

static uint64_t bits_of(const sigset_t *set) {
  uint64_t bits = 0;
  for (int s = 1; s <= 64; s++) bits |= (uint64_t)(sigismember(set, s) == 1) << (s - 1);
  return bits;
}

/* Nobody can block these two. */
#define NEVER_BLOCKED ((uint64_t)1 << (SIGKILL - 1) | (uint64_t)1 << (SIGSTOP - 1))

static int set_mask(int how, const sigset_t *set, sigset_t *before) {
  uint64_t *mask = &masks[current->id], was = *mask, now = set ? bits_of(set) & ~NEVER_BLOCKED : 0;
  if (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return EINVAL;
  if (set) *mask = how == SIG_BLOCK ? was | now : how == SIG_UNBLOCK ? was & ~now : now;
  any_mask |= set != NULL;
  if (before) {
    sigemptyset(before);
    for (int s = 1; s <= 64; s++)
      if (was >> (s - 1) & 1) sigaddset(before, s);
  }
  return 0;
}

WRAPPED int WRAP(pthread_sigmask)(int, const sigset_t *, sigset_t *);
int WRAP(pthread_sigmask)(int how, const sigset_t *set, sigset_t *before) {
  return current ? set_mask(how, set, before) : pthread_sigmask(how, set, before);
}
WRAPPED int WRAP(sigprocmask)(int, const sigset_t *, sigset_t *);
int WRAP(sigprocmask)(int how, const sigset_t *set, sigset_t *before) {
  if (!current) return sigprocmask(how, set, before);
  int error = set_mask(how, set, before);
  if (error) errno = error;
  return error ? -1 : 0;
}

/* Whether a signal is waited for or has come depends on who sends it. */
#define WAITS(name, ...) \
  WRAPPED int WRAP(name)(__VA_ARGS__); \
  int WRAP(name)(__VA_ARGS__)
#define NO_WAIT(name) sync_unsupported(name, "signals are not sent to threads")
WAITS(sigpending, sigset_t *set) {
  if (current) NO_WAIT("sigpending");
  return sigpending(set);
}
WAITS(sigsuspend, const sigset_t *set) {
  if (current) NO_WAIT("sigsuspend");
  return sigsuspend(set);
}
WAITS(sigwait, const sigset_t *set, int *signal) {
  if (current) NO_WAIT("sigwait");
  return sigwait(set, signal);
}
WAITS(sigwaitinfo, const sigset_t *set, siginfo_t *info) {
  if (current) NO_WAIT("sigwaitinfo");
  return sigwaitinfo(set, info);
}
WAITS(sigtimedwait, const sigset_t *set, siginfo_t *info, const struct timespec *time) {
  if (current) NO_WAIT("sigtimedwait");
  return sigtimedwait(set, info, time);
}

typedef void handler(int);
static handler *set(int signal, handler *h) {
  struct sigaction now = {.sa_handler = h, .sa_flags = SA_RESTART}, before;
  return WRAP(sigaction)(signal, &now, &before) ? SIG_ERR : before.sa_handler;
}
WRAPPED handler *WRAP(signal)(int, handler *);
handler *WRAP(signal)(int signal, handler *h) { return set(signal, h); }
WRAPPED handler *WRAP(__sysv_signal)(int, handler *);
handler *WRAP(__sysv_signal)(int signal, handler *h) { return set(signal, h); }

/* What a signal does to a process that has no handler for it. */
static bool ends_process(int signal) {
  return signal != SIGCHLD && signal != SIGURG && signal != SIGWINCH && signal != SIGCONT;
}

/* It is about to come to this process. */
static void sent(int signal, uintptr_t pc) {
  struct sigaction now = {.sa_handler = SIG_DFL};
  if (!current) return;
  const char *name = sigabbrev_np(signal), *who = fiber_name(current);
  if (!name) name = "?";
  found_at(pc, 0, current, "sends it here");
  if (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU)
    run_found(FOUND_UNSUPPORTED, "%s stops its own process (SIG%s)", who, name);
  if (masks[current->id] >> (signal - 1) & 1)
    run_found(FOUND_UNSUPPORTED, "%s sends SIG%s, which it has blocked: signals that wait cannot be run", who, name);
  if (own[signal]) sigaction(signal, NULL, &now);
  if (is_ours(signal) ? signals_handled(signal) : is_set(&now) && now.sa_handler != SIG_IGN)
    run_found(FOUND_UNSUPPORTED, "%s sends itself SIG%s, which the code handles: that cannot be run", who, name);
  if (!is_set(&now) && ends_process(signal))
    run_found(FOUND_CRASH, "%s sends its own process SIG%s, which ends it", who, name);
}

WRAPPED int WRAP(raise)(int);
int WRAP(raise)(int signal) {
  if (signal > 0 && signal < NSIG) sent(signal, CALLER);
  return raise(signal);
}

WRAPPED int WRAP(kill)(pid_t, int);
int WRAP(kill)(pid_t pid, int signal) {
  if (signal > 0 && signal < NSIG && current) {
    if (pid != getpid() && pid != 0 && pid != -getpgrp() && pid != -1)
      sync_unsupported("kill", "another process is not part of the schedule");
    sent(signal, CALLER);
  }
  return kill(pid, signal);
}
