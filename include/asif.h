/* Asif: checks the as-if rule of concurrent objects.
 *
 * This header is what a user's code includes: for the library (docs/library.md), for a specification of one's own
 * (C, docs/specs.md), and to say what a concurrent object is (docs/harness.md). C99 or later, C++11 or later, GCC or
 * Clang. */
#ifndef ASIF_H
#define ASIF_H

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __cplusplus
#include <initializer_list>
#define ASIF_THREAD_LOCAL_ thread_local
#elif __STDC_VERSION__ >= 201112L
#define ASIF_THREAD_LOCAL_ _Thread_local
#else
#define ASIF_THREAD_LOCAL_ __thread
#endif

/* Results (and arguments) that are no numbers. Texts of a history are ints too, just above these, each text its own:
 * code may keep, compare and return them. No number of a history is one of them. */
#define ASIF_OK    (INT_MIN)     /* returned, with nothing to say */
#define ASIF_NIL   (INT_MIN + 1) /* nil, null */
#define ASIF_TRUE  (INT_MIN + 2) /* true, where the function returns an int; a bool function just returns true */
#define ASIF_FALSE (INT_MIN + 3) /* false */
#define ASIF_EMPTY (INT_MIN + 4) /* the container was empty */
#define ASIF_FULL  (INT_MIN + 5) /* the container was full */
#define ASIF_ABORT ASIF_FALSE    /* of a steal: it lost a race and gave up (work-stealing-deque) */

/* The library: build a history, check it, get a verdict and what it rests on.
 *
 *   asif_history *h = asif_history_new();
 *   asif_call(h, 0, "q", "enq", ASIF_ARGS(asif_int(5)));
 *   asif_return(h, 0, asif_int(ASIF_OK));
 *   asif_answer *answer;
 *   if (asif_check(h, "queue", NULL, &answer) != ASIF_DONE) ... asif_error(h) says why ...
 *
 * No function prints or exits, and there is no state but that of the handles: a history and its answers belong to one
 * thread at a time, and different threads may use different ones at once. Every function takes NULL where a call that
 * failed left it, and for every other pointer too: it does nothing, and its status, verdict or NULL says so. */
#define ASIF_VERSION_MAJOR 0
#define ASIF_VERSION_MINOR 1
#define ASIF_API           __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct asif_history asif_history;
typedef struct asif_answer asif_answer;

typedef enum asif_status {
  ASIF_DONE,
  ASIF_BAD_INPUT, /* an event that cannot be, a file that cannot be read, an unknown name: asif_error says which */
  ASIF_NO_MEMORY,
  ASIF_INTERNAL /* a mistake in Asif: an answer that its own evidence does not support is never given */
} asif_status;

/* What operations are called with and return: a number, one of ASIF_OK ... ASIF_FULL, or a text. */
typedef struct asif_value {
  const char *text; /* NULL for a number */
  size_t length;
  int64_t number;
} asif_value;
#define ASIF_ANY (INT_MIN + 6) /* the result of an operation that took effect, but was not observed */

static inline asif_value asif_int(int64_t number) {
  asif_value v = {NULL, 0, number};
  return v;
}
static inline asif_value asif_text(const char *text) { /* NULL: ASIF_NIL */
  asif_value v = {text, text ? strlen(text) : 0, text ? 0 : ASIF_NIL};
  return v;
}

/* The arguments of a call, as the last two arguments of asif_call: ASIF_ARGS(asif_int(1), asif_text("a")),
 * ASIF_NO_ARGS. */
#ifdef __cplusplus
#define ASIF_ARGS(...) \
  std::initializer_list<asif_value>({__VA_ARGS__}).begin(), std::initializer_list<asif_value>({__VA_ARGS__}).size()
#else
#define ASIF_ARGS(...) (const asif_value[]){__VA_ARGS__}, sizeof((const asif_value[]){__VA_ARGS__}) / sizeof(asif_value)
#endif
#define ASIF_NO_ARGS NULL, 0

/* "0.1": of the library that runs. */
ASIF_API const char *asif_version(void);

/* An empty history; NULL if there is no memory (which every function here then takes, and answers ASIF_NO_MEMORY). */
ASIF_API asif_history *asif_history_new(void);
ASIF_API void asif_history_free(asif_history *);

/* Events, in the order they happened. A process is any number, and has at most one operation open; one that never
 * returns is pending: it may have taken effect or not. An object is a name, or NULL where there is only one. An event
 * that cannot be is refused, and from then on so is everything else: statuses need no looking at before that of
 * asif_check. */
ASIF_API asif_status asif_call(asif_history *, int process, const char *object, const char *operation,
                               const asif_value *args, size_t count);
ASIF_API asif_status asif_return(asif_history *, int process, asif_value result);
ASIF_API asif_status asif_fail(asif_history *, int process); /* the open operation certainly did not happen */
ASIF_API asif_status asif_info(asif_history *, int process); /* nobody knows; the process makes no more calls */

/* Or whole operations, in any order, each with the times of its call and its return (ASIF_PENDING if it had none).
 * Intervals are closed: operations that share a moment overlap, but for those of one process, which does one thing at a
 * time: of two that share more than a moment the history is refused by asif_check. A history is built of events or of
 * these, not of both. */
#define ASIF_PENDING INT64_MAX
ASIF_API asif_status asif_interval(asif_history *, int process, const char *object, const char *operation,
                                   const asif_value *args, size_t count, asif_value result, int64_t start, int64_t end);

/* What a process is called in reports, instead of its number. Before its first event. */
ASIF_API asif_status asif_name_process(asif_history *, int process, const char *name);

/* Or all of it from a file or from memory, plain, gzip or zstd, in any format that `asif check` reads
 * (docs/formats.md); format is the name of one, or NULL: by content. The history must be empty. */
ASIF_API asif_status asif_read_file(asif_history *, const char *path, const char *format);
ASIF_API asif_status asif_read_bytes(asif_history *, const char *name, const void *bytes, size_t count,
                                     const char *format);

/* What the latest failure on this history was; "" if there was none. */
ASIF_API const char *asif_error(const asif_history *);

/* All zero is the default, and so is NULL for the struct. */
typedef struct asif_options {
  const char *method;   /* "auto", "fast", "search", "wing-gong", as --method of `asif check`; NULL: auto */
  int jobs;             /* threads for independent parts; 0 and 1: none but the caller's */
  double seconds;       /* time limit, 0 for none */
  size_t bytes;         /* memory limit, 0 for none */
  int no_explain;       /* 1: do not look for the smallest wrong part */
  const char *evidence; /* file to write what the verdict rests on, for `asif replay`; NULL: none */
} asif_options;

/* Checks the history against a specification: a name (`asif specs` lists them), a C file of one's own, or NULL to
 * guess. No events can be added afterwards, but it can be checked again, against others too. A limit reached is no
 * failure, but the verdict ASIF_UNKNOWN. On failure *answer is NULL, but for one: if all that failed is writing the
 * evidence, the answer is there, and the status is ASIF_BAD_INPUT.
 *
 * A C file (a name that ends in .c or has a slash) is compiled and runs inside the process: meanwhile there are signal
 * handlers and an interval timer of Asif's, and checks of this kind wait for each other. */
ASIF_API asif_status asif_check(asif_history *, const char *spec, const asif_options *, asif_answer **answer);
ASIF_API void asif_answer_free(asif_answer *);

typedef enum asif_verdict { ASIF_HOLDS = 0, ASIF_VIOLATED = 1, ASIF_UNKNOWN = 3 } asif_verdict;

/* The answer: it outlives the history, and what these return lives as long as the answer. Of NULL the verdict is
 * ASIF_UNKNOWN. */
ASIF_API asif_verdict asif_answer_verdict(const asif_answer *);
/* Why it is not linearizable, or not known; "" if it is. */
ASIF_API const char *asif_answer_reason(const asif_answer *);
ASIF_API const char *asif_answer_method(const asif_answer *); /* what decided: "fast queue monitor" */
/* Operations are numbered 0, 1, ... by their calls; those that failed are not there. */
ASIF_API size_t asif_answer_operations(const asif_answer *);
/* Linearizable: the operations in an order that explains them (pending ones that did not take effect are absent). */
ASIF_API const uint32_t *asif_answer_order(const asif_answer *, size_t *count);
/* Not linearizable: the smallest part that already is not. */
ASIF_API const uint32_t *asif_answer_core(const asif_answer *, size_t *count);

/* Texts to keep: the caller frees them with free(). NULL if there is no memory, or no such operation or kind. */
typedef enum asif_report_kind {
  ASIF_REPORT_TEXT,
  ASIF_REPORT_JSON,
  ASIF_REPORT_HTML,
  ASIF_REPORT_SVG,
  ASIF_REPORT_JUNIT
} asif_report_kind;
ASIF_API char *asif_answer_operation(const asif_answer *, uint32_t operation); /* "A: Enq(5) -> ok" */
ASIF_API char *asif_answer_report(const asif_answer *, asif_report_kind); /* as `asif check` prints and writes them */

/* Recording and monitoring a program while it runs: calls around the operations, from any thread (docs/library.md).
 *
 *   asif_recorder *r = asif_recorder_open("run.asif", NULL);
 *   int enq = asif_recorder_operation(r, "q", "enq"), deq = asif_recorder_operation(r, "q", "deq");
 *   ... in each thread:
 *   asif_tape *t = asif_recorder_thread(r, NULL);
 *   asif_recorder_call1(t, enq, 5);
 *   enqueue(q, 5);
 *   asif_recorder_return(t, ASIF_OK);
 *   ... at the end: if (asif_recorder_close(r, &why) != ASIF_DONE) ...
 *
 * A tape is a thread's own end of a recorder or monitor: it belongs to one thread at a time, and its functions wait for
 * nobody while there is room on it. NULL takes all of its calls and does nothing. Values are numbers and ASIF_OK ...
 * ASIF_ANY.
 *
 * A child of fork is not recorded or monitored: there the calls do nothing, and closing only frees. */
typedef struct asif_tape asif_tape;
typedef struct asif_recorder asif_recorder;
typedef struct asif_monitor asif_monitor;

/* Who takes from the tapes what is on them, to write it or to look at it. A thread whose tape is full, in all three,
 * does it itself or waits for who does: nothing is lost. */
typedef enum asif_taker {
  ASIF_BACKGROUND, /* a thread of the library's */
  ASIF_INLINE,     /* the threads themselves, one at a time, each time a quarter of a tape is full */
  ASIF_POLLED      /* who calls asif_monitor_poll */
} asif_taker;

/* All zero is the default, and so is NULL for the struct. */
typedef struct asif_recorder_options {
  const char *object_type; /* "queue": what the file says the object is; NULL: nothing */
  asif_taker taker;        /* ASIF_BACKGROUND or ASIF_INLINE */
  size_t bytes;            /* memory of a tape, 8 KiB to 512 MiB; 0: 256 KiB */
  int milliseconds;        /* the background thread writes what there is at least this often; 0: 100 */
} asif_recorder_options;

/* Creates the file. Returns NULL only if memory runs out. If the file cannot be written, or an option has an invalid
 * value, the recorder reports that and records nothing. */
ASIF_API asif_recorder *asif_recorder_open(const char *path, const asif_recorder_options *);
/* The number of an operation, for the calls; -1 if memory runs out. The object may be NULL if there is only one. */
ASIF_API int asif_recorder_operation(asif_recorder *, const char *object, const char *operation);
/* A tape for the calling thread. The name is what the history calls it; NULL: a number. NULL if there is no memory, or
 * if too many have one: then the recorder has failed. */
ASIF_API asif_tape *asif_recorder_thread(asif_recorder *, const char *name);
/* What is on the tapes now is written when it returns. Not for signal handlers, as asif_monitor_poll. */
ASIF_API asif_status asif_recorder_flush(asif_recorder *);
/* ASIF_DONE while all is well; else what the first failure was: a write that failed, a call while another was open.
 * From then on nothing is written: what is in the file is a history up to there. */
ASIF_API asif_status asif_recorder_status(asif_recorder *);
ASIF_API const char *asif_recorder_error(asif_recorder *);
/* Writes the rest and frees recorder and tapes: nobody uses them any more. Operations still open are pending. The
 * status is that of all of the recording; the text is what asif_recorder_error would say, to be freed with free();
 * NULL: not wanted. */
ASIF_API asif_status asif_recorder_close(asif_recorder *, char **error);

typedef struct asif_monitor_options {
  asif_taker taker;
  void (*violated)(asif_monitor *,
                   void *user); /* called once, at the first violation, by the thread that saw it; or NULL */
  void *user;
  size_t bytes;     /* memory of a tape, 8 KiB to 512 MiB; 0: 256 KiB */
  int milliseconds; /* the background thread looks at least this often; 0: 100 */
  int one_in; /* n: one in n values is followed, chosen at random, and the others cost next to nothing; 0 and 1: all.
               * Queues and stacks only, whose values do not touch each other: still no false alarms, but violations may
               * be missed */
} asif_monitor_options;

/* Watches for executions whose approximation A_k is not one of the specification's: never a false alarm, constant
 * memory. Returns NULL only if memory runs out; asif_monitor_status tells whether the specification has a monitor. k is
 * 0 to 8; 2 finds nearly all violations. */
ASIF_API asif_monitor *asif_monitor_new(const char *spec, int k, const asif_monitor_options *);
ASIF_API int asif_monitor_operation(asif_monitor *,
                                    const char *operation); /* -1: the specification has none of this name */
/* A tape for the calling thread. NULL if there is no memory, or if too many have one: then the monitor has failed. */
ASIF_API asif_tape *asif_monitor_thread(asif_monitor *);
/* Looks at what is on the tapes now. Waits for threads that are within a call or return on theirs: not for signal
 * handlers. */
ASIF_API asif_verdict asif_monitor_poll(asif_monitor *);
/* ASIF_VIOLATED, or ASIF_UNKNOWN: no violation seen. Does not look, and may be asked at any time by any thread. */
ASIF_API asif_verdict asif_monitor_verdict(const asif_monitor *);
ASIF_API uint64_t asif_monitor_events(asif_monitor *); /* calls and returns looked at */
/* ASIF_DONE while all is well; else monitoring has ended, for the reason asif_monitor_error gives. */
ASIF_API asif_status asif_monitor_status(asif_monitor *);
ASIF_API const char *asif_monitor_error(asif_monitor *);
/* After a violation, and until asif_monitor_free: in a sentence what was seen; the operations that show it, which are
 * not linearizable by themselves; their intervals, [0, k], as far as A_k tells them apart (an operation is before
 * another if its interval ends before the other's begins); and what it rests on as a file, for `asif replay`. */
ASIF_API const char *asif_monitor_said(const asif_monitor *);          /* "" before */
ASIF_API const asif_answer *asif_monitor_answer(const asif_monitor *); /* NULL before */
ASIF_API asif_status asif_monitor_interval(const asif_monitor *, uint32_t operation, int *from, int *to);
ASIF_API asif_status asif_monitor_evidence(asif_monitor *, const char *path);
ASIF_API void asif_monitor_free(asif_monitor *); /* and its tapes: nobody uses them any more */

/* The thread needs its tape no more: another may get it. Ending it again does nothing. */
ASIF_API void asif_tape_end(asif_tape *);

/* What follows is how the calls reach the library; of it only the functions at its end are for use.
 *
 * An operation is a record on the tape. It is there, with its state `open`, before the logical time of its call is
 * read; and its return takes a time that no other has. */
struct asif_record_ {
  uint64_t what; /* 0..15 operation, 16..17 arguments, 18 has its time, 19..20 how it ended, 21..22 the operation's bits
                  * 16..17, 32..63 time of the call */
  uint64_t end;  /* 0..30 serial, 32..63 time of the return */
  int64_t arg, result; /* the second and third arguments have a record of their own, which follows */
};
enum { ASIF_TIMED_ = 1 << 18, ASIF_FAILED_ = 1 << 19, ASIF_LOST_ = 1 << 20, ASIF_IN_ = 1 << 16, ASIF_OUT_ = 1 << 17 };
struct asif_tape {
  uint64_t state; /* 0 open, 1..31 serial, 32..63 records */
  uint64_t *now;
  struct asif_record_ *records;
  uint32_t mask, count, limit, serial;
  uint32_t
      open; /* 0, or of the open operation: 1 it has a record, 2 it is not followed, 4 its result tells whether it is */
  uint32_t step;   /* records it has */
  uint32_t fenced; /* the call needs a fence: who takes cannot make one for all threads */
  uint32_t one_in; /* followed values: those whose hash is a multiple; 0 for all */
  uint64_t seed;
};
ASIF_API void asif_tape_room_(asif_tape *);
ASIF_API void asif_tape_wrong_(asif_tape *);

static inline bool asif_tape_skips_(const asif_tape *t, int64_t number) {
  uint64_t x = ((uint64_t)number ^ t->seed) * 0x9e3779b97f4a7c15u;
  return (x >> 32) * t->one_in >> 32 != 0 && !(number >= ASIF_OK && number <= ASIF_ANY);
}

static inline void asif_tape_call_(asif_tape *t, int operation, unsigned args, int64_t a, int64_t b, int64_t c) {
  if (!t || __builtin_expect(t->open | (unsigned)operation >> 18, 0)) {
    if (t) asif_tape_wrong_(t);
    return;
  }
  if (t->one_in && (operation & ASIF_IN_) && asif_tape_skips_(t, a)) {
    t->open = 2;
    return;
  }
  if (__builtin_expect((int32_t)(t->limit - t->count) <= 0, 0)) asif_tape_room_(t);
  struct asif_record_ *r = &t->records[t->count & t->mask];
  uint64_t what = (uint64_t)(operation & 0xffff) | (uint64_t)args << 16 | (uint64_t)(operation >> 16) << 21;
  uint64_t state = (uint64_t)t->count << 32 | (uint64_t)(t->serial = (t->serial + 1) & 0x7fffffff) << 1 | 1;
  __atomic_store_n(&r->arg, a, __ATOMIC_RELEASE);
  if (args > 1) {
    struct asif_record_ *more = &t->records[(t->count + 1) & t->mask];
    __atomic_store_n(&more->arg, b, __ATOMIC_RELEASE);
    __atomic_store_n(&more->result, c, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&r->what, what, __ATOMIC_RELEASE);
  t->open = t->one_in && (operation & ASIF_OUT_) ? 5 : 1;
  t->step = args > 1 ? 2 : 1;
  if (t->fenced)
    (void)__atomic_exchange_n(&t->state, state, __ATOMIC_SEQ_CST);
  else
    __atomic_store_n(&t->state, state, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  uint64_t now = __atomic_load_n(t->now, __ATOMIC_SEQ_CST);
  __atomic_store_n(&r->what, what | ASIF_TIMED_ | now << 32, __ATOMIC_RELAXED);
}

static inline void asif_tape_return_(asif_tape *t, int64_t result, unsigned how) {
  if (!t) return;
  if (__builtin_expect(t->open != 1, 0)) {
    bool skipped = t->open == 2 || (t->open == 5 && !how && asif_tape_skips_(t, result));
    if (!t->open) asif_tape_wrong_(t);
    if (t->open == 5 && skipped)
      __atomic_store_n(&t->state, (uint64_t)t->count << 32 | (uint64_t)t->serial << 1, __ATOMIC_RELEASE);
    if (skipped) t->open = 0;
    if (!t->open) return;
  }
  struct asif_record_ *r = &t->records[t->count & t->mask];
  r->result = result;
  if (how) __atomic_store_n(&r->what, r->what | how, __ATOMIC_RELAXED);
  r->end = __atomic_fetch_add(t->now, 1, __ATOMIC_SEQ_CST) << 32 | t->serial;
  t->count += t->step;
  t->open = 0;
  __atomic_store_n(&t->state, (uint64_t)t->count << 32 | (uint64_t)t->serial << 1, __ATOMIC_RELEASE);
}

/* The operation is about to begin: with no arguments, one, two or three. */
static inline void asif_recorder_call(asif_tape *t, int operation) { asif_tape_call_(t, operation, 0, 0, 0, 0); }
static inline void asif_recorder_call1(asif_tape *t, int operation, int64_t a) {
  asif_tape_call_(t, operation, 1, a, 0, 0);
}
static inline void asif_recorder_call2(asif_tape *t, int operation, int64_t a, int64_t b) {
  asif_tape_call_(t, operation, 2, a, b, 0);
}
static inline void asif_recorder_call3(asif_tape *t, int operation, int64_t a, int64_t b, int64_t c) {
  asif_tape_call_(t, operation, 3, a, b, c);
}
/* It has returned: a number, or ASIF_OK where there is nothing to say. */
static inline void asif_recorder_return(asif_tape *t, int64_t result) { asif_tape_return_(t, result, 0); }
/* It certainly did not happen; nobody knows whether it did. The thread may go on either way. */
static inline void asif_recorder_fail(asif_tape *t) { asif_tape_return_(t, ASIF_OK, ASIF_FAILED_); }
static inline void asif_recorder_info(asif_tape *t) { asif_tape_return_(t, ASIF_OK, ASIF_LOST_); }

static inline void asif_monitor_call(asif_tape *t, int operation) { asif_tape_call_(t, operation, 0, 0, 0, 0); }
static inline void asif_monitor_call1(asif_tape *t, int operation, int64_t a) {
  asif_tape_call_(t, operation, 1, a, 0, 0);
}
static inline void asif_monitor_call2(asif_tape *t, int operation, int64_t a, int64_t b) {
  asif_tape_call_(t, operation, 2, a, b, 0);
}
static inline void asif_monitor_call3(asif_tape *t, int operation, int64_t a, int64_t b, int64_t c) {
  asif_tape_call_(t, operation, 3, a, b, c);
}
static inline void asif_monitor_return(asif_tape *t, int64_t result) { asif_tape_return_(t, result, 0); }
static inline void asif_monitor_fail(asif_tape *t) { asif_tape_return_(t, ASIF_OK, ASIF_FAILED_); }
static inline void asif_monitor_info(asif_tape *t) { asif_tape_return_(t, ASIF_OK, ASIF_LOST_); }

#ifdef __cplusplus
}
#endif

/* A specification of your own: a sequential implementation in C, given to `asif check --spec FILE.c`.
 *
 *   #include <asif.h>
 *
 *   struct state { int count; int item[64]; };
 *
 *   static void enq(struct state *s, int v) { asif_require(s->count < 64); s->item[s->count++] = v; }
 *   static int deq(struct state *s) { ... return ASIF_EMPTY; ... }
 *
 *   ASIF_SPEC(my_queue, struct state)
 *   ASIF_SPEC_OP(enq)
 *   ASIF_SPEC_OP(deq, "dequeue pop")
 *
 * The state is flat: no pointers, since it is copied and compared byte by byte. It is zeroed first, and then given to
 * the third argument of ASIF_SPEC, a function void init(struct state *), if there is one. Operations take the state and
 * up to three int or long, and return void, bool, int or long: the operation's result. The text after an operation is
 * other names for it. */

/* The operation cannot happen in this state unless `condition` is true. In the object itself (docs/harness.md): clients
 * call it only where it is; an ordinary program that does otherwise is stopped. */
#define asif_require(condition) ((condition) ? (void)0 : asif_spec_host ? asif_spec_host->cannot() : ASIF_CANNOT_())
/* One of 0 .. n-1: every one is tried. */
#define asif_choose(n) (asif_spec_host->choose(n))
/* Sets the operation's result, whatever the function then returns. */
#define asif_result(r) (asif_spec_host->result(r))
/* The calling process: 0, 1, ... */
#define asif_process() \
  (__extension__({ \
    static const char asif_by_process_ __attribute__((used, section("asif_by_process"))) = 1; \
    asif_spec_host->process; \
  }))

#define ASIF_SPEC(...) \
  ASIF_SPEC_PICK_(__VA_ARGS__, ASIF_SPEC_WITH_INIT_, ASIF_SPEC_PLAIN_, ASIF_SPEC_PLAIN_, )(__VA_ARGS__)
#define ASIF_SPEC_OP(...) \
  ASIF_SPEC_PICK_(__VA_ARGS__, ASIF_SPEC_OP_, ASIF_SPEC_OP_NAMED_, ASIF_SPEC_OP_PLAIN_, )(__VA_ARGS__)

/* What follows is how the macros reach Asif; it is not for use.
 *
 * Operations are found through pointers in a linker section. Not the structs themselves: compilers pad those apart. */

struct asif_spec_host {
  int (*choose)(int);
  void (*cannot)(void);
  void (*result)(long);
  int process;
};
static const struct asif_spec_host *asif_spec_host __attribute__((unused));

struct asif_spec_op {
  const char *names;
  void (*function)(void);
  int place;     /* among the operations of the file: the section may be in another order */
  int signature; /* bits 0..1 result: void, bool, int, long; 2..3 how many arguments; 4..6 which are long; -1: another
                  */
};

struct asif_spec {
  int version;
  const char *name;
  size_t size;
  void (*init)(void);
  const struct asif_spec_op *const *begin, *const *end;
  const char *by_process;             /* not NULL if any operation asks for the process */
  const struct asif_spec_host **host; /* where the functions find theirs */
};

extern const struct asif_spec_op *const __start_asif_spec_ops[] __attribute__((weak, visibility("hidden")));
extern const struct asif_spec_op *const __stop_asif_spec_ops[] __attribute__((weak, visibility("hidden")));
extern const char __start_asif_by_process[] __attribute__((weak, visibility("hidden")));

#define ASIF_SPEC_PICK_(a, b, c, chosen, ...) chosen
#define ASIF_SPEC_PLAIN_(id, type) \
  typedef type asif_spec_state; \
  ASIF_SPEC_TABLE_(id, NULL)
#define ASIF_SPEC_WITH_INIT_(id, type, f) \
  typedef type asif_spec_state; \
  ASIF_SPEC_CHECK_INIT_(f, #f " must be void " #f "(" #type " *)"); \
  ASIF_SPEC_TABLE_(id, (void (*)(void))f)
#define ASIF_SPEC_TABLE_(id, f) \
  ASIF_SPEC_EXTERN_ const struct asif_spec asif_spec_table __attribute__((visibility("default"))); \
  const struct asif_spec asif_spec_table __attribute__((used)) = {1, \
                                                                  #id, \
                                                                  sizeof(asif_spec_state), \
                                                                  f, \
                                                                  __start_asif_spec_ops, \
                                                                  __stop_asif_spec_ops, \
                                                                  __start_asif_by_process, \
                                                                  &asif_spec_host};

#define ASIF_SPEC_OP_PLAIN_(f) ASIF_SPEC_OP_NAMED_(f, "")
#define ASIF_SPEC_OP_NAMED_(f, names) \
  static const struct asif_spec_op asif_spec_op_##f = {#f " " names, (void (*)(void))f, __COUNTER__, \
                                                       ASIF_SPEC_SIGNATURE_(f)}; \
  static const struct asif_spec_op *const asif_spec_pointer_##f __attribute__((used, section("asif_spec_ops"))) = \
      &asif_spec_op_##f;
#ifdef __cplusplus
#define ASIF_SPEC_EXTERN_              extern "C"
#define ASIF_SPEC_SIGNATURE_(f)        asif_spec_signature_<asif_spec_state>(f)
#define ASIF_SPEC_CHECK_INIT_(f, text) static_assert(asif_spec_signature_<asif_spec_state>(f) == 0, text)
#else
#define ASIF_SPEC_EXTERN_ extern
#define ASIF_SPEC_CHECK_INIT_(f, text) \
  __extension__ _Static_assert(_Generic(&f, void (*)(asif_spec_state *) : 1, default : 0), text)
#define ASIF_SPEC_SIGNATURE_(f) \
  (__extension__ _Generic(&f, ASIF_SPEC_RETURNS_(void, 0), ASIF_SPEC_RETURNS_(bool, 1), ASIF_SPEC_RETURNS_(int, 2), \
                          ASIF_SPEC_RETURNS_(long, 3), default \
                          : -1))
#define ASIF_SPEC_RETURNS_(R, r) ASIF_SPEC_TAKES_(R, r, asif_spec_state), ASIF_SPEC_TAKES_(R, r, const asif_spec_state)
#define ASIF_SPEC_TAKES_(R, r, S) \
  R(*) \
  (S *) \
      : r, R(*)(S *, int) \
      : r + 4, \
        R(*)(S *, long) \
      : r + 20, \
        R(*)(S *, int, int) \
      : r + 8, \
        R(*)(S *, long, int) \
      : r + 24, \
        R(*)(S *, int, long) \
      : r + 40, \
        R(*)(S *, long, long) \
      : r + 56, \
        R(*)(S *, int, int, int) \
      : r + 12, \
        R(*)(S *, long, int, int) \
      : r + 28, \
        R(*)(S *, int, long, int) \
      : r + 44, \
        R(*)(S *, long, long, int) \
      : r + 60, \
        R(*)(S *, int, int, long) \
      : r + 76, \
        R(*)(S *, long, int, long) \
      : r + 92, \
        R(*)(S *, int, long, long) : r + 108, R(*)(S *, long, long, long) : r + 124
#endif

/* What an object is: a few lines at the end of the file that has its code (docs/harness.md).
 *
 *   ASIF_OBJECT(stack)             the specification it must behave as: one of `asif specs`, or the file's own
 * ASIF_SPEC ASIF_OP(push, ASIF_IN(1, 3))   clients call push(1), push(2), push(3) ASIF_OP_AS(pop, take)          take()
 * is what the specification calls pop ASIF_INIT(f)                   void f(void) runs once, before the threads
 *   ASIF_ROLE(writer, 1, write)    one thread calls nothing but write;
 *   ASIF_ROLE(reader, ASIF_REST, read)   all others call nothing but read
 *   ASIF_FINAL(deq)                an operation that is called when all threads have ended, until it returns empty;
 *   ASIF_FINAL(f)                  or void f(void), which runs then
 *   ASIF_SPSC(enq, deq)            one thread calls enq and one deq; ASIF_MPSC: one deq, all others enq; ASIF_SPMC
 *   ASIF_BOUND(4)                  clients make no call that would bring more than 4 things inside
 *   ASIF_TYPE_STABLE()             freed memory may be read: it stays a node of the same kind
 *   ASIF_ACTION(push, "top: t, A => top: n, n{val: e, next: t}, <e> . A")
 *                                  what a step may do that other threads see, for asif prove (docs/prove.md)
 *   ASIF_EFFECT(push(v), "A => <v> . A")
 *                                  what an operation does to the contents: a specification of one's own (docs/specs.md)
 *
 *   ASIF_TEST(name) { ... }        a test of its own, instead of ASIF_OBJECT: it starts threads, and asserts
 *
 * An operation takes up to three int or long, with an ASIF_IN(low, high) for each (1 to 2 if there is none), and
 * returns void, bool, int or long. No semicolon follows these lines: what they stand for is complete. */
#define ASIF_OBJECT(...)      ASIF_OBJECT_(__COUNTER__, #__VA_ARGS__, __VA_ARGS__)
#define ASIF_OP(...)          ASIF_OP_(__COUNTER__, __VA_ARGS__, {0, 0})
#define ASIF_OP_AS(name, ...) ASIF_OP_AS_(__COUNTER__, #name, __VA_ARGS__, {0, 0})
#define ASIF_IN(low, high) \
  { (low), (high) }
#define ASIF_INIT(f)         ASIF_INIT_(__COUNTER__, f)
#define ASIF_FINAL(f)        ASIF_FINAL_(__COUNTER__, f)
#define ASIF_TEST(name)      ASIF_TEST_(__COUNTER__, name)
#define ASIF_ROLE(name, ...) ASIF_ROLE_(__COUNTER__, #name, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
#define ASIF_REST            (-1)
/* A queue's roles: a single producer or consumer (S), or any number of them (M). */
#define ASIF_SPSC(put, get)     ASIF_ROLE(producer, 1, put) ASIF_ROLE(consumer, 1, get)
#define ASIF_MPSC(put, get)     ASIF_ROLE(producer, ASIF_REST, put) ASIF_ROLE(consumer, 1, get)
#define ASIF_SPMC(put, get)     ASIF_ROLE(producer, 1, put) ASIF_ROLE(consumer, ASIF_REST, get)
#define ASIF_BOUND(n)           ASIF_PLAIN_(__COUNTER__, ASIF_ENTRY_BOUND, n)
#define ASIF_ACTION(name, text) ASIF_ASSERT_(sizeof("" text) > 1, #name ": an action is a text");
#define ASIF_EFFECT(op, text)   ASIF_EFFECT_(__COUNTER__, #op, text)
#define ASIF_TYPE_STABLE()      ASIF_PLAIN_(__COUNTER__, ASIF_ENTRY_TYPE_STABLE, 1)

/* Inside the operations:
 *
 *   ASIF_LIN();             the shared access just made was where the running operation took effect
 *   ASIF_LIN_FOR(op);       it was where an operation op of another thread did
 *   ASIF_ATOMIC { ... }     one indivisible step. It may be left by return or goto; a break or continue that is not of
 * a loop inside it leaves the block, and only that. asif_thread()           the calling thread: 0, 1, ... asif_yield()
 * a good moment for another thread
 *
 * In a program of one's own the first two are nothing, and an ASIF_ATOMIC runs under the one lock there is for all of
 * them: indivisible among themselves, not for code outside. Where Asif runs the program (ASIF_HOSTED) it is told. */
#define ASIF_ATOMIC ASIF_ATOMIC_(__COUNTER__)
#ifdef ASIF_HOSTED
#define ASIF_LIN()       asif_host_lin(NULL)
#define ASIF_LIN_FOR(op) asif_host_lin(#op)
#define asif_thread()    asif_host_thread()
#define asif_yield()     asif_host_yield()
#define ASIF_CANNOT_()   asif_host_cannot()
#else
#define ASIF_CANNOT_()   __builtin_trap()
#define ASIF_LIN()       ((void)0)
#define ASIF_LIN_FOR(op) ((void)0)
#endif

/* For containers of pointers: asif_pointer(v), 0 <= v < 64, points to 16 bytes of its own that may be read and written,
 * and asif_number gives v back; of NULL ASIF_EMPTY, of any other pointer -1. */
static char asif_payloads_[64][16] __attribute__((unused, aligned(64)));
static inline void *asif_pointer(int v) { return v >= 0 && v < 64 ? (void *)asif_payloads_[v] : NULL; }
static inline int asif_number(const void *p) {
  uintptr_t at = (uintptr_t)p - (uintptr_t)asif_payloads_;
  if (!p) return ASIF_EMPTY;
  return at < sizeof asif_payloads_ && at % 16 == 0 ? (int)(at / 16) : -1;
}

/* What follows is how the lines reach Asif. Each is an entry, found through a pointer in a linker section. */
enum asif_entry_kind {
  ASIF_ENTRY_OBJECT,
  ASIF_ENTRY_OP,
  ASIF_ENTRY_INIT,
  ASIF_ENTRY_ROLE,
  ASIF_ENTRY_BOUND,
  ASIF_ENTRY_TYPE_STABLE,
  ASIF_ENTRY_EFFECT,
  ASIF_ENTRY_FINAL,
  ASIF_ENTRY_TEST
};
struct asif_range {
  long low, high;
};
struct asif_entry {
  int version; /* of this struct: 1 */
  enum asif_entry_kind kind;
  const char *file;
  int line, place;  /* place: entries of one file in the order they are written */
  const char *name; /* object: "bounded_queue(2 * 4)", macros expanded; op: as the specification says; role; effect: the
                       operation; else "" */
  const char
      *written; /* object: macros not expanded; op, init, final, test: the function's name; effect: its text; else "" */
  void (*function)(void); /* op, init, final, test: to be called as its signature says */
  int signature;          /* bits 0..1 result: void, bool, int, long; 2..3 how many arguments; 4..6 which are long */
  const struct asif_range *in; /* op: what the first in_count arguments are taken from; the others from 1 to 2 */
  int in_count;
  long number;                /* role: threads, or ASIF_REST; bound */
  void (*functions[8])(void); /* role: up to the first NULL */
};
#ifdef __cplusplus
extern "C" {
#endif
extern const struct asif_entry *const __start_asif_harness[] __attribute__((weak, visibility("hidden")));
extern const struct asif_entry *const __stop_asif_harness[] __attribute__((weak, visibility("hidden")));

#ifdef ASIF_HOSTED
void asif_host_lin(const char *operation);
int asif_host_thread(void);
void asif_host_yield(void);
void asif_host_atomic(int enter);
void asif_host_cannot(void) __attribute__((noreturn)); /* asif_require refuses the call */
static inline int asif_atomic_enter_(void) {
  asif_host_atomic(1);
  return 3;
}
static inline void asif_atomic_leave_(int *state) {
  if (*state & 2) asif_host_atomic(0);
}
#else
/* Whose lock it is: a thread is known by the address of its errno. */
extern uintptr_t asif_atomic_owner_;
__attribute__((weak)) uintptr_t asif_atomic_owner_ = 0;

/* Bit 0: the block is still to be run. Bit 1: the lock was taken here, and not by a block around this one. */
static inline int asif_atomic_enter_(void) {
  uintptr_t self = (uintptr_t)&errno, owner = __atomic_load_n(&asif_atomic_owner_, __ATOMIC_RELAXED);
  if (owner == self) return 1;
  for (owner = 0;
       !__atomic_compare_exchange_n(&asif_atomic_owner_, &owner, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
       owner = 0)
    sched_yield();
  return 3;
}
static inline void asif_atomic_leave_(int *state) {
  if (*state & 2) __atomic_store_n(&asif_atomic_owner_, 0, __ATOMIC_RELEASE);
}

/* Threads are counted as they ask, in each file that asks. */
static inline int asif_thread(void) {
  static int count;
  static ASIF_THREAD_LOCAL_ int number; /* 0: not asked yet */
  if (!number) number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  return number - 1;
}
static inline void asif_yield(void) { sched_yield(); }
#endif
#ifdef __cplusplus
}
#endif

#define ASIF_ATOMIC_(n) ASIF_ATOMIC_N_(n)
#define ASIF_ATOMIC_N_(n) \
  for (int asif_atomic_##n __attribute__((cleanup(asif_atomic_leave_))) = asif_atomic_enter_(); asif_atomic_##n & 1; \
       asif_atomic_##n &= ~1)

/* n is expanded on the way to the macros that end in N_. */
#define ASIF_OBJECT_(n, written, ...) ASIF_OBJECT_N_(n, written, #__VA_ARGS__)
#define ASIF_OBJECT_N_(n, written, text) \
  ASIF_ENTRY_(n, ASIF_ENTRY_OBJECT, text, written, NULL, 0, NULL, 0, 0, ASIF_NO_FUNCTIONS_)
#define ASIF_OP_(n, f, ...)          ASIF_OP_N_(n, #f, f, __VA_ARGS__)
#define ASIF_OP_AS_(n, name, f, ...) ASIF_OP_N_(n, name, f, __VA_ARGS__)
#define ASIF_OP_N_(n, name, f, ...) \
  static const struct asif_range asif_ranges_##n[] = {__VA_ARGS__}; \
  ASIF_ASSERT_(ASIF_SIGNATURE_(f) >= 0, \
               #f ": an operation takes up to three int or long, no pointers, and returns void, bool, int or long"); \
  ASIF_ASSERT_(ASIF_SIGNATURE_(f) < 0 || \
                   (size_t)(ASIF_SIGNATURE_(f) >> 2 & 3) >= sizeof asif_ranges_##n / sizeof(struct asif_range) - 1, \
               #f ": there are more ASIF_IN than arguments"); \
  ASIF_ENTRY_(n, ASIF_ENTRY_OP, name, #f, (void (*)(void))f, ASIF_SIGNATURE_(f), asif_ranges_##n, \
              (int)(sizeof asif_ranges_##n / sizeof(struct asif_range)) - 1, 0, ASIF_NO_FUNCTIONS_)
#define ASIF_INIT_(n, f) ASIF_INIT_N_(n, f)
#define ASIF_INIT_N_(n, f) \
  ASIF_ASSERT_(ASIF_SIGNATURE_(f) == 0, #f ": must be void " #f "(void)"); \
  ASIF_ENTRY_(n, ASIF_ENTRY_INIT, "", #f, (void (*)(void))f, 0, NULL, 0, 0, ASIF_NO_FUNCTIONS_)
#define ASIF_FINAL_(n, f) ASIF_FINAL_N_(n, f)
#define ASIF_FINAL_N_(n, f) \
  ASIF_ASSERT_(ASIF_SIGNATURE_(f) >= 0 && ASIF_SIGNATURE_(f) < 4, \
               #f ": takes no arguments, and returns nothing or a number"); \
  ASIF_ENTRY_(n, ASIF_ENTRY_FINAL, "", #f, (void (*)(void))f, ASIF_SIGNATURE_(f), NULL, 0, 0, ASIF_NO_FUNCTIONS_)
#define ASIF_TEST_(n, name) ASIF_TEST_N_(n, name)
#define ASIF_TEST_N_(n, name) \
  static void asif_test_##name(void); \
  ASIF_ENTRY_(n, ASIF_ENTRY_TEST, #name, #name, asif_test_##name, 0, NULL, 0, 0, ASIF_NO_FUNCTIONS_) \
  static void asif_test_##name(void)
#define ASIF_ROLE_(n, ...) ASIF_ROLE_N_(n, __VA_ARGS__)
#define ASIF_ROLE_N_(n, name, count, a, b, c, d, e, f, g, h, end, ...) \
  ASIF_ASSERT_(!ASIF_IS_INT_(a), "ASIF_ROLE: " name " has no operations"); \
  ASIF_ASSERT_(ASIF_IS_INT_(end), "ASIF_ROLE: " name " has more than eight operations"); \
  ASIF_ENTRY_(n, ASIF_ENTRY_ROLE, name, "", NULL, 0, NULL, 0, count, \
              ASIF_BRACES_((void (*)(void))a, (void (*)(void))b, (void (*)(void))c, (void (*)(void))d, \
                           (void (*)(void))e, (void (*)(void))f, (void (*)(void))g, (void (*)(void))h))
#define ASIF_EFFECT_(n, op, text) ASIF_EFFECT_N_(n, op, text)
#define ASIF_EFFECT_N_(n, op, text) \
  ASIF_ASSERT_(sizeof("" text) > 1, op ": an effect is a text"); \
  ASIF_ENTRY_(n, ASIF_ENTRY_EFFECT, op, text, NULL, 0, NULL, 0, 0, ASIF_NO_FUNCTIONS_)
#define ASIF_PLAIN_(n, kind, number)   ASIF_PLAIN_N_(n, kind, number)
#define ASIF_PLAIN_N_(n, kind, number) ASIF_ENTRY_(n, kind, "", "", NULL, 0, NULL, 0, number, ASIF_NO_FUNCTIONS_)

#define ASIF_NO_FUNCTIONS_ \
  { NULL }
#define ASIF_BRACES_(...) \
  { __VA_ARGS__ }
#define ASIF_ENTRY_(n, kind, ...) ASIF_ENTRY_N_(n, kind, __VA_ARGS__)
#define ASIF_ENTRY_N_(n, kind, ...) \
  static const struct asif_entry asif_entry_##n = {1, kind, __FILE__, __LINE__, n, __VA_ARGS__}; \
  static const struct asif_entry *const asif_entry_pointer_##n __attribute__((used, section("asif_harness"))) = \
      &asif_entry_##n;

#ifdef __cplusplus
#define ASIF_ASSERT_(condition, text) static_assert(condition, text)
#define ASIF_SIGNATURE_(f)            asif_signature_(f)
#define ASIF_IS_INT_(x)               asif_is_int_(x)
template <class T> struct asif_type_ {
  enum { result = -1, argument = -1 };
};
template <> struct asif_type_<void> {
  enum { result = 0, argument = -1 };
};
template <> struct asif_type_<bool> {
  enum { result = 1, argument = -1 };
};
template <> struct asif_type_<int> {
  enum { result = 2, argument = 0 };
};
template <> struct asif_type_<long> {
  enum { result = 3, argument = 1 };
};
/* Of a list of arguments; C++11 has no loops in constant expressions. */
template <class... A> struct asif_arguments_ {
  enum { count = 0, longs = 0, wrong = 0 };
};
template <class T, class... A> struct asif_arguments_<T, A...> {
  enum {
    count = 1 + (int)asif_arguments_<A...>::count,
    wrong = (int)asif_type_<T>::argument < 0 || (int)asif_arguments_<A...>::wrong || count > 3,
    longs = wrong ? 0 : (int)asif_type_<T>::argument | (int)asif_arguments_<A...>::longs << 1
  };
};
template <class R, class... A> constexpr int asif_signature_(R (*)(A...)) {
  return (int)asif_type_<R>::result < 0 || asif_arguments_<A...>::wrong
             ? -1
             : (int)asif_type_<R>::result + 4 * (int)asif_arguments_<A...>::count +
                   16 * (int)asif_arguments_<A...>::longs;
}
/* Operations of a specification: the state first, by pointer or reference. */
template <class S, class R, class... A> constexpr int asif_spec_signature_(R (*)(S *, A...)) {
  return asif_signature_((R(*)(A...))0);
}
template <class S, class R, class... A> constexpr int asif_spec_signature_(R (*)(const S *, A...)) {
  return asif_signature_((R(*)(A...))0);
}
template <class S, class R, class... A> constexpr int asif_spec_signature_(R (*)(S &, A...)) {
  return asif_signature_((R(*)(A...))0);
}
template <class S, class R, class... A> constexpr int asif_spec_signature_(R (*)(const S &, A...)) {
  return asif_signature_((R(*)(A...))0);
}
template <class S, class F> constexpr int asif_spec_signature_(F) { return -1; }
constexpr bool asif_is_int_(int) { return true; }
template <class T> constexpr bool asif_is_int_(T *) { return false; }
#else
#define ASIF_ASSERT_(condition, text) __extension__ _Static_assert(condition, text)
#define ASIF_IS_INT_(x)               (__extension__ _Generic((x), int : 1, default : 0))
#define ASIF_SIGNATURE_(f) \
  (__extension__ _Generic(&f, ASIF_RETURNS_(void, 0), ASIF_RETURNS_(bool, 1), ASIF_RETURNS_(int, 2), \
                          ASIF_RETURNS_(long, 3), default \
                          : -1))
#define ASIF_RETURNS_(R, r) \
  R(*) \
  (void) \
      : r, R(*)(int) \
      : r + 4, \
        R(*)(long) \
      : r + 20, \
        R(*)(int, int) \
      : r + 8, \
        R(*)(long, int) \
      : r + 24, \
        R(*)(int, long) \
      : r + 40, \
        R(*)(long, long) \
      : r + 56, \
        R(*)(int, int, int) \
      : r + 12, \
        R(*)(long, int, int) \
      : r + 28, \
        R(*)(int, long, int) \
      : r + 44, \
        R(*)(long, long, int) \
      : r + 60, \
        R(*)(int, int, long) \
      : r + 76, \
        R(*)(long, int, long) : r + 92, R(*)(int, long, long) : r + 108, R(*)(long, long, long) : r + 124
#endif

#endif
