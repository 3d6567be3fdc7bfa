/* Asif: checks the as-if rule of concurrent objects.
 *
 * This header is what a user's code includes: for the library (C11 and C++17, docs/library.md), and for a specification
 * of one's own (C, docs/specs.md). */
#ifndef ASIF_H
#define ASIF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __cplusplus
#include <initializer_list>
#endif

/* Results (and arguments) that are no numbers. Texts of a history are ints too, just above these, each text its own:
 * code may keep, compare and return them. No number of a history is one of them. */
#define ASIF_OK (INT_MIN)        /* returned, with nothing to say */
#define ASIF_NIL (INT_MIN + 1)   /* nil, null */
#define ASIF_TRUE (INT_MIN + 2)  /* true, where the function returns an int; a bool function just returns true */
#define ASIF_FALSE (INT_MIN + 3) /* false */
#define ASIF_EMPTY (INT_MIN + 4) /* the container was empty */
#define ASIF_FULL (INT_MIN + 5)  /* the container was full */

/* The library: build a history, check it, get a verdict and what it rests on.
 *
 *   asif_history *h = asif_history_new();
 *   asif_call(h, 0, "q", "enq", ASIF_ARGS(asif_int(5)));
 *   asif_return(h, 0, asif_int(ASIF_OK));
 *   asif_answer *answer;
 *   if (asif_check(h, "queue", NULL, &answer) != ASIF_DONE) ... asif_error(h) says why ...
 *
 * No function prints or exits, and there is no state but that of the handles: a history and its answers belong to one
 * thread at a time, and different threads may use different ones at once. */
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
static inline asif_value asif_text(const char *text) {
  asif_value v = {text, strlen(text), 0};
  return v;
}

/* The arguments of a call, as the last two arguments of asif_call: ASIF_ARGS(asif_int(1), asif_text("a")), ASIF_NO_ARGS. */
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

/* Events, in the order they happened. A process is any number, and has at most one operation open; one that never returns
 * is pending: it may have taken effect or not. An object is a name, or NULL where there is only one. An event that cannot be
 * is refused, and from then on so is everything else: statuses need no looking at before that of asif_check. */
ASIF_API asif_status asif_call(asif_history *, int process, const char *object, const char *operation, const asif_value *args,
                               size_t count);
ASIF_API asif_status asif_return(asif_history *, int process, asif_value result);
ASIF_API asif_status asif_fail(asif_history *, int process); /* the open operation certainly did not happen */
ASIF_API asif_status asif_info(asif_history *, int process); /* nobody knows; the process makes no more calls */

/* Or whole operations, in any order, each with the times of its call and its return (ASIF_PENDING if it had none). Intervals
 * are closed: operations that share a moment overlap. A history is built of events or of these, not of both. */
#define ASIF_PENDING INT64_MAX
ASIF_API asif_status asif_interval(asif_history *, int process, const char *object, const char *operation, const asif_value *args,
                                   size_t count, asif_value result, int64_t start, int64_t end);

/* What a process is called in reports, instead of its number. Before its first event. */
ASIF_API asif_status asif_name_process(asif_history *, int process, const char *name);

/* Or all of it from a file or from memory, plain, gzip or zstd, in any format that `asif check` reads (docs/formats.md);
 * format is the name of one, or NULL: by content. The history must be empty. */
ASIF_API asif_status asif_read_file(asif_history *, const char *path, const char *format);
ASIF_API asif_status asif_read_bytes(asif_history *, const char *name, const void *bytes, size_t count, const char *format);

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

/* Checks the history against a specification: a name (`asif specs` lists them), a C file of one's own, or NULL to guess. No
 * events can be added afterwards, but it can be checked again, against others too. A limit reached is no failure, but the
 * verdict ASIF_UNKNOWN. On failure *answer is NULL.
 *
 * A C file (a name that ends in .c or has a slash) is compiled and runs inside the process: meanwhile there are signal handlers
 * and an interval timer of Asif's, and checks of this kind wait for each other. */
ASIF_API asif_status asif_check(asif_history *, const char *spec, const asif_options *, asif_answer **answer);
ASIF_API void asif_answer_free(asif_answer *);

typedef enum asif_verdict { ASIF_HOLDS = 0, ASIF_VIOLATED = 1, ASIF_UNKNOWN = 3 } asif_verdict;

/* The answer: it outlives the history, and what these return lives as long as the answer. */
ASIF_API asif_verdict asif_answer_verdict(const asif_answer *);
ASIF_API const char *asif_answer_reason(const asif_answer *); /* why it is not linearizable, or not known; "" if it is */
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
ASIF_API char *asif_answer_report(const asif_answer *, asif_report_kind);      /* as `asif check` prints and writes them */

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
 * The state is flat: no pointers, since it is copied and compared byte by byte. It is zeroed first, and then given to the
 * third argument of ASIF_SPEC, a function void init(struct state *), if there is one. Operations take the state and up to
 * three int or long, and return void, bool, int or long: the operation's result. The text after an operation is other
 * names for it. */

/* The operation cannot happen in this state unless `condition` is true. */
#define asif_require(condition) ((condition) ? (void)0 : asif_spec_host->cannot())
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

#define ASIF_SPEC(...) ASIF_SPEC_PICK_(__VA_ARGS__, ASIF_SPEC_WITH_INIT_, ASIF_SPEC_PLAIN_, ASIF_SPEC_PLAIN_, )(__VA_ARGS__)
#define ASIF_SPEC_OP(...) ASIF_SPEC_PICK_(__VA_ARGS__, ASIF_SPEC_OP_, ASIF_SPEC_OP_NAMED_, ASIF_SPEC_OP_PLAIN_, )(__VA_ARGS__)

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
  int signature; /* bits 0..1 result: void, bool, int, long; 2..3 how many arguments; 4..6 which are long; -1: another */
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
  _Static_assert(_Generic(&f, void (*)(asif_spec_state *): 1, default: 0), #f " must be void " #f "(" #type " *)"); \
  ASIF_SPEC_TABLE_(id, (void (*)(void))f)
#define ASIF_SPEC_TABLE_(id, f) \
  extern const struct asif_spec asif_spec_table; \
  const struct asif_spec asif_spec_table __attribute__((used, visibility("default"))) = { \
      1, #id, sizeof(asif_spec_state), f, __start_asif_spec_ops, __stop_asif_spec_ops, __start_asif_by_process, &asif_spec_host};

#define ASIF_SPEC_OP_PLAIN_(f) ASIF_SPEC_OP_NAMED_(f, "")
#define ASIF_SPEC_OP_NAMED_(f, names) \
  static const struct asif_spec_op asif_spec_op_##f = {#f " " names, (void (*)(void))f, __COUNTER__, ASIF_SPEC_SIGNATURE_(f)}; \
  static const struct asif_spec_op *const asif_spec_pointer_##f \
      __attribute__((used, section("asif_spec_ops"))) = &asif_spec_op_##f;
#define ASIF_SPEC_SIGNATURE_(f) \
  _Generic(&f, ASIF_SPEC_RETURNS_(void, 0), ASIF_SPEC_RETURNS_(bool, 1), ASIF_SPEC_RETURNS_(int, 2), \
           ASIF_SPEC_RETURNS_(long, 3), default: -1)
#define ASIF_SPEC_RETURNS_(R, r) ASIF_SPEC_TAKES_(R, r, asif_spec_state), ASIF_SPEC_TAKES_(R, r, const asif_spec_state)
#define ASIF_SPEC_TAKES_(R, r, S) \
  R (*)(S *): r, R (*)(S *, int): r + 4, R (*)(S *, long): r + 20, R (*)(S *, int, int): r + 8, R (*)(S *, long, int): r + 24, \
      R (*)(S *, int, long): r + 40, R (*)(S *, long, long): r + 56, R (*)(S *, int, int, int): r + 12, \
      R (*)(S *, long, int, int): r + 28, R (*)(S *, int, long, int): r + 44, R (*)(S *, long, long, int): r + 60, \
      R (*)(S *, int, int, long): r + 76, R (*)(S *, long, int, long): r + 92, R (*)(S *, int, long, long): r + 108, \
      R (*)(S *, long, long, long): r + 124

#endif
