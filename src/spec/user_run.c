/* Running a user's specification: each step calls the user's function on a copy of the state, and survives what it
 * does.
 *
 * A crash (a signal) or a loop without end (a timer) jumps back out of the function; from then on the specification has
 * a fault and its steps have no outcomes. The copy lies right before memory that cannot be touched, so that writing
 * past the state's end is a crash there and not a mystery elsewhere. A step makes no system calls.
 *
 * asif_choose is explored by running the function again for each sequence of choices: the next sequence is the last
 * with its last choice advanced, as an odometer goes.
 *
 * Signals belong to the process, so what their handlers need is here in one mutable global, `guard`; it serves one
 * thread at a time. Handlers are there while any specification is loaded, and pass on what is not theirs. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "spec/c_values.h"
#include "spec/common.h"
#include "spec/user.h"

enum { TICKS_MOST = 8, TICK_MICROSECONDS = 250000, OUTCOMES_MOST = 1 << 20 };
enum jump { CANNOT = 1, CRASHED, ENDLESS, BAD_CHOICE };

static struct {
  sigjmp_buf back;
  volatile sig_atomic_t inside; /* user code is running */
  volatile sig_atomic_t ticks;  /* of the timer, since it started */
  volatile sig_atomic_t signal; /* that ended it */
  const void *volatile address; /* that it touched */
  pthread_t thread;             /* where it runs */
  struct user *user;            /* whose */
  struct asif_spec_host host;   /* what it sees of us */
  int loaded;                   /* specifications */
  bool at_exit;
  struct sigaction before[NSIG];
  stack_t stack_before;
} guard;

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static void on_signal(int sig, siginfo_t *info, void *context) {
  (void)context;
  bool mine = guard.inside && pthread_equal(pthread_self(), guard.thread);
  if (sig == SIGALRM) {
    if (!guard.inside) return;
    if (!mine)
      pthread_kill(guard.thread, SIGALRM);
    else if (++guard.ticks >= TICKS_MOST)
      siglongjmp(guard.back, ENDLESS);
    return;
  }
  if (mine) {
    guard.signal = sig;
    guard.address = info->si_addr;
    siglongjmp(guard.back, CRASHED);
  }
  sigaction(sig, &guard.before[sig], NULL); /* not the user's: let it happen again as it would have without us */
  if (sig == SIGABRT) raise(sig);
}

/* exit() in a step would end the program with a verdict's status: the one place where the library prints and ends. */
static void on_exit_inside(void) {
  if (!guard.inside) return;
  static const char said[] = "asif: the specification called exit\n";
  if (write(STDERR_FILENO, said, sizeof said - 1) < 0) _exit(2);
  _exit(2);
}

static void start_timer(void) {
  struct itimerval every = {{0, TICK_MICROSECONDS}, {0, TICK_MICROSECONDS}};
  setitimer(ITIMER_REAL, &every, NULL);
}

void spec_user_forked(void) {
  if (guard.loaded) start_timer();
}

static void install(void) {
  if (guard.loaded++) return;
  enum { STACK = 64 * 1024 };
  static _Alignas(16) char memory[STACK];
  sigaltstack(&(stack_t){.ss_sp = memory, .ss_size = STACK}, &guard.stack_before); /* for running out of stack */
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
    sigaction(crashes[i], &action, &guard.before[crashes[i]]);
  sigaction(SIGALRM, &action, &guard.before[SIGALRM]);
  start_timer();
  if (!guard.at_exit) atexit(on_exit_inside);
  guard.at_exit = true;
}

static void uninstall(void) {
  if (--guard.loaded) return;
  struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) sigaction(crashes[i], &guard.before[crashes[i]], NULL);
  sigaction(SIGALRM, &guard.before[SIGALRM], NULL);
  sigaltstack(&guard.stack_before, NULL);
}

/* What the user's code calls. */

static void leave(enum jump why) {
  guard.inside = 0;
  siglongjmp(guard.back, (int)why);
}

static void host_cannot(void) { leave(CANNOT); }

static void host_result(long r) {
  guard.user->result = r;
  guard.user->has_result = true;
}

static int host_choose(int n) {
  struct user *u = guard.user;
  if (n < 1 || n > OUTCOMES_MOST) leave(BAD_CHOICE);
  if (u->chosen == u->choices.count) {
    guard.inside = 0; /* growing may give up and jump away */
    vec_push(u->mem, &u->choices, 0);
    vec_push(u->mem, &u->limits, n);
    guard.inside = 1;
  }
  u->limits.at[u->chosen] = n;
  return u->choices.at[u->chosen++];
}

/* The next sequence of choices; false after the last. */
static bool next_choices(struct user *u) {
  u->choices.count = u->limits.count = u->chosen;
  while (u->choices.count) {
    if (++u->choices.at[u->choices.count - 1] < u->limits.at[u->choices.count - 1]) return true;
    u->choices.count--, u->limits.count--;
  }
  return false;
}

/* Calling. One case for each signature: arguments that are int are passed as int. */

#define CALL_AS(R, to) \
  switch (o->signature >> 2) { \
  case 0: to((R(*)(void *))f)(s); break; \
  case 1: to((R(*)(void *, int))f)(s, (int)a[0]); break; \
  case 5: to((R(*)(void *, long))f)(s, a[0]); break; \
  case 2: to((R(*)(void *, int, int))f)(s, (int)a[0], (int)a[1]); break; \
  case 6: to((R(*)(void *, long, int))f)(s, a[0], (int)a[1]); break; \
  case 10: to((R(*)(void *, int, long))f)(s, (int)a[0], a[1]); break; \
  case 14: to((R(*)(void *, long, long))f)(s, a[0], a[1]); break; \
  case 3: to((R(*)(void *, int, int, int))f)(s, (int)a[0], (int)a[1], (int)a[2]); break; \
  case 7: to((R(*)(void *, long, int, int))f)(s, a[0], (int)a[1], (int)a[2]); break; \
  case 11: to((R(*)(void *, int, long, int))f)(s, (int)a[0], a[1], (int)a[2]); break; \
  case 15: to((R(*)(void *, long, long, int))f)(s, a[0], a[1], (int)a[2]); break; \
  case 19: to((R(*)(void *, int, int, long))f)(s, (int)a[0], (int)a[1], a[2]); break; \
  case 23: to((R(*)(void *, long, int, long))f)(s, a[0], (int)a[1], a[2]); break; \
  case 27: to((R(*)(void *, int, long, long))f)(s, (int)a[0], a[1], a[2]); break; \
  default: to((R(*)(void *, long, long, long))f)(s, a[0], a[1], a[2]); break; \
  }

static long call(const struct asif_spec_op *o, void *s, const long *a) {
  void (*f)(void) = o->function;
  long r = ASIF_OK;
  switch (o->signature & 3) {
  case 0: CALL_AS(void, ) break;
  case 1: {
    bool b = false;
    CALL_AS(bool, b =) r = b ? ASIF_TRUE : ASIF_FALSE;
    break;
  }
  case 2: {
    int i = 0;
    CALL_AS(int, i =) r = i;
    break;
  }
  default: CALL_AS(long, r =)
  }
  return r;
}

/* Runs one function, or init where o is NULL, on u->state. 0 if it returned, else why not. */
static enum jump run(struct user *u, const struct asif_spec_op *o, const long *args, long *result) {
  guard.user = u;
  guard.thread = pthread_self();
  guard.ticks = 0;
  u->chosen = 0;
  u->has_result = false;
  *u->table->host = &guard.host;
  int why = sigsetjmp(guard.back, 0); /* handlers block no signals, so no mask need be saved */
  if (!why) {
    guard.inside = 1;
    if (o)
      *result = call(o, u->state, args);
    else
      ((void (*)(void *))u->table->init)(u->state);
    guard.inside = 0;
    if (u->has_result) *result = u->result;
  }
  guard.inside = 0;
  return (enum jump)why;
}

/* States in words: its ints, without the zeros at the end. */
static void print_state(const unsigned char *at, size_t size, struct text *out) {
  enum { SHOWN = 64 };
  size_t n = size / sizeof(int);
  int word;
  for (; n; n--) {
    memcpy(&word, at + (n - 1) * sizeof word, sizeof word);
    if (word) break;
  }
  text_char(out, '{');
  for (size_t i = 0; i < n && i < SHOWN; i++) {
    memcpy(&word, at + i * sizeof word, sizeof word);
    text_printf(out, "%s%d", i ? " " : "", word);
  }
  if (n > SHOWN) text_add(out, " ...");
  if (size < sizeof(int) || (size % sizeof(int) && !n))
    for (size_t i = n * sizeof(int); i < size; i++) text_printf(out, "%s%d", i ? " " : "", at[i]);
  text_char(out, '}');
}

static void set_fault(struct user *u, enum jump why, const char *name, size_t len, const void *state) {
  struct text t;
  text_open(&t, u->mem);
  text_printf(&t, "%s: %.*s ", u->path, (int)len, name);
  if (why == ENDLESS) {
    text_printf(&t, "did not end within %d seconds", TICKS_MOST * TICK_MICROSECONDS / 1000000);
  } else if (why == BAD_CHOICE) {
    text_printf(&t, "called asif_choose with a number that is not 1 to %d, or has more than that many outcomes",
                OUTCOMES_MOST);
  } else {
    const unsigned char *end = u->state + u->table->size, *touched = guard.address;
    bool past = guard.signal == SIGSEGV && touched >= end && touched < end + sysconf(_SC_PAGESIZE);
    text_printf(&t, "crashed (%s%s)",
                guard.signal == SIGSEGV   ? "segmentation fault"
                : guard.signal == SIGBUS  ? "bus error"
                : guard.signal == SIGFPE  ? "arithmetic error"
                : guard.signal == SIGABRT ? "abort"
                                          : "illegal instruction",
                past ? ": it went past the end of the state" : "");
  }
  if (state) {
    text_add(&t, " in state ");
    print_state(state, u->table->size, &t);
  }
  u->fault = t.at;
}

bool user_start(struct user *u, struct problem *problem) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (u->table->size + page - 1) / page * page;
  unsigned char *memory = mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED && mprotect(memory + pages, page, PROT_NONE)) {
    munmap(memory, pages + page);
    memory = MAP_FAILED;
  }
  if (memory == MAP_FAILED) {
    problem_set(problem, "%s: no memory for its state: %s", u->path, strerror(errno));
    return false;
  }
  u->pages = memory;
  u->pages_size = pages + page;
  u->state = memory + pages - u->table->size; /* a struct's size is a multiple of its alignment */
  guard.host = (struct asif_spec_host){host_choose, host_cannot, host_result, 0};
  install();
  u->initial = mem_zero(u->mem, 1, u->table->size);
  long none;
  enum jump why = u->table->init ? run(u, NULL, NULL, &none) : 0;
  if (!why && !u->chosen) {
    memcpy(u->initial, u->state, u->table->size);
    return true;
  }
  if (why > CANNOT && why != BAD_CHOICE) {
    set_fault(u, why, "init", 4, NULL);
    problem_set(problem, "%s", u->fault);
  } else {
    problem_set(problem, "%s: init may neither require nor choose", u->path);
  }
  user_stop(u);
  return false;
}

void user_stop(struct user *u) {
  uninstall();
  munmap(u->pages, u->pages_size);
}

void user_init(const struct spec *s, struct outcomes *out) {
  const struct user *u = s->user;
  memcpy(outcomes_add(out, V_NONE, (uint32_t)u->table->size), u->initial, u->table->size);
}

/* Values and the numbers that stand for them: an entry of the values is INT_MIN plus its index. */

static long to_number(const struct spec *s, value v) {
  if (value_is_small(v)) return value_small(v);
  if (value_kind(s->values, v) == VALUE_INT) return (long)value_integer(s->values, v);
  return (long)INT_MIN + (long)(v >> 1);
}

static bool stands_for_entry(int64_t n) { return n >= INT_MIN && n < (int64_t)INT_MIN + C_TEXTS; }

/* The result n of operation m; V_UNKNOWN for a large number where none are added to the values. */
static value to_value(const struct spec *s, unsigned m, long n) {
  value v;
  int64_t number = n; /* `call` has made a number of every result */
  if (c_result(s->ops[m].result, C_NUMBER, 0, &number, &v)) return v;
  if (stands_for_entry(n)) {
    v = (value)(n - INT_MIN) << 1 | 1;
    return v >> 1 < values_count(s->values) ? v : V_UNKNOWN;
  }
  if (n >= VALUE_SMALL_MIN && n <= VALUE_SMALL_MAX) return value_of_small((int32_t)n);
  return s->numbers && s->numbers->to == s->values ? s->numbers->add(s->numbers->self, n) : V_UNKNOWN;
}

/* May the operation have returned this? Formats write success in many ways: Ok() is any of those that say nothing, and
 * true and false are 1 and 0. */
static bool agrees(const struct spec *s, const struct op *op, long n) {
  switch (op->result) {
  case V_UNKNOWN: return true;
  case V_NONE: return n == 0 || n == ASIF_NIL || n == ASIF_EMPTY || to_value(s, op->method, n) == V_NONE;
  case V_EMPTY: return n == ASIF_NIL || to_value(s, op->method, n) == V_EMPTY;
  case V_TRUE: return n == 1 || to_value(s, op->method, n) == V_TRUE;
  case V_FALSE: return n == 0 || to_value(s, op->method, n) == V_FALSE;
  default:
    return to_number(s, op->result) == n || (n == ASIF_TRUE && op->result == value_of_small(1)) ||
           (n == ASIF_FALSE && op->result == value_of_small(0));
  }
}

void user_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  struct user *u = s->user;
  if (u->fault) return;
  const struct asif_spec_op *o = u->ops[op->method];
  long args[OP_ARGS], result = ASIF_OK;
  for (int i = 0; i < OP_ARGS; i++) args[i] = op->arg[i] == V_NONE ? 0 : to_number(s, op->arg[i]);
  guard.host.process = (int)op->process;
  u->choices.count = u->limits.count = 0;
  size_t from = out->list.count, runs = 0;
  do {
    memcpy(u->state, state.at, u->table->size);
    enum jump why = run(u, o, args, &result);
    if (!why && ++runs > OUTCOMES_MOST) why = BAD_CHOICE;
    if (why > CANNOT) {
      size_t len;
      const char *name = spec_op_name(s, op->method, &len);
      out->list.count = from;
      set_fault(u, why, name, len, state.at);
      return;
    }
    if (why || !agrees(s, op, result)) continue;
    value r = op->result == V_UNKNOWN ? to_value(s, op->method, result) : op->result;
    memcpy(outcomes_add(out, r, (uint32_t)u->table->size), u->state, u->table->size);
    if (u->chosen) outcomes_distinct(out, from);
  } while (next_choices(u));
}

void user_print(const struct spec *s, struct state state, struct text *out) {
  (void)s;
  print_state(state.at, state.size, out);
}

bool user_check_op(const struct spec *s, const struct values *values, const struct op *o, const char *source,
                   struct problem *problem) {
  const struct user *u = s->user;
  for (int a = 0; a <= OP_ARGS; a++) {
    value v = a < OP_ARGS ? o->arg[a] : o->result;
    if (value_is_small(v) || value_kind(values, v) != VALUE_INT) continue;
    int64_t n = value_integer(values, v);
    bool is_int = a < OP_ARGS && !(u->ops[o->method]->signature >> (4 + a) & 1);
    if (!stands_for_entry(n) && (!is_int || (n >= INT_MIN && n <= INT_MAX))) continue;
    problem_set(problem, "%s:%u: %lld is %s", source, o->line, (long long)n,
                stands_for_entry(n) ? "a number that asif.h uses for texts" : "too large for an int: take a long");
    return false;
  }
  return true;
}

bool user_check_args(const struct spec *s, const struct history *h, struct problem *problem) {
  bool any = false;
  for (size_t i = 0; i < values_count(h->values) && !any; i++)
    any = value_kind(h->values, (value)(i << 1 | 1)) == VALUE_INT;
  for (size_t i = 0; any && i < h->ops.count; i++)
    if (!user_check_op(s, h->values, &h->ops.at[i], h->source, problem)) return false;
  return true;
}
