/* Asif: checks the as-if rule of concurrent objects.
 *
 * This header is what a user's C code includes. */
#ifndef ASIF_H
#define ASIF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Results (and arguments) that are no numbers. Texts of a history are ints too, just above these, each text its own:
 * code may keep, compare and return them. No number of a history is one of them. */
#define ASIF_OK (INT_MIN)        /* returned, with nothing to say */
#define ASIF_NIL (INT_MIN + 1)   /* nil, null */
#define ASIF_TRUE (INT_MIN + 2)  /* true, where the function returns an int; a bool function just returns true */
#define ASIF_FALSE (INT_MIN + 3) /* false */
#define ASIF_EMPTY (INT_MIN + 4) /* the container was empty */
#define ASIF_FULL (INT_MIN + 5)  /* the container was full */

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
