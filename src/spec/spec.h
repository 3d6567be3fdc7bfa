/* Sequential specifications.
 *
 * A specification says what an object does when its operations happen one at a time. Its states are flat bytes;
 * `step` gives every outcome of an operation in a state: none where the operation cannot happen (a precondition,
 * or a result it cannot give), several where it is nondeterministic. Everything that decides goes through this
 * one struct of functions. */
#ifndef ASIF_SPEC_SPEC_H
#define ASIF_SPEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "history/history.h"

/* What an operation's arguments and result are, for reading histories and for messages. */
enum result_kind {
  RESULT_NONE,        /* Ok(): whatever a format reports is ignored */
  RESULT_BOOL,        /* V_TRUE or V_FALSE */
  RESULT_VALUE,       /* a value of the container; V_EMPTY (nil, null, empty) where there was none */
  RESULT_CONTENT,     /* a value, and nil is one of them (register, map): V_NIL for none */
  RESULT_INT,         /* an integer */
  RESULT_NONE_FULL,   /* Ok() (V_NONE) or V_FULL */
  RESULT_VALUE_ABORT, /* as RESULT_VALUE; V_FALSE, printed as abort: it gave up, and found out nothing */
  RESULT_OLD, /* as RESULT_CONTENT, of an operation that changes something: where nothing is said it is unknown */
  RESULT_ANY  /* of a user's int function: V_NONE where there was none, nil is V_EMPTY */
};

/* When an operation is known to leave the state as it is, whatever the state. */
enum pure { PURE_NEVER, PURE_ALWAYS, PURE_IF_FALSE, PURE_IF_EMPTY, PURE_IF_FULL };

/* What the arguments of an operation must be. */
enum arg_kind { ARG_ANY, ARG_INT };

struct spec_op {
  const char
      *names; /* "enq enqueue push add offer": the first is its name, the others are aliases; matched without case */
  uint8_t args, args_most; /* how many arguments it takes, fewest and most */
  uint8_t result;          /* enum result_kind */
  uint8_t pure;            /* enum pure */
  value echo;       /* result of a completion that only echoes the call (Jepsen's :ok): V_NONE, V_TRUE, V_UNKNOWN */
  uint8_t arg_kind; /* enum arg_kind */
};

/* A state: `size` bytes at `at`, 8-byte aligned. */
struct state {
  const void *at;
  uint32_t size;
};

/* Where step puts outcomes: the states one after the other, 8-aligned. */
struct outcome {
  uint32_t offset, size; /* the successor, in outcomes.bytes */
  value result;
};
struct outcomes {
  struct mem *mem;
  VEC(unsigned char) bytes;
  VEC(struct outcome) list;
};
void outcomes_open(struct outcomes *, struct mem *);
void outcomes_clear(struct outcomes *);
/* Adds a successor of `size` bytes with this result and returns where to write it (valid until the next add). The
 * state given to step must not lie in the same outcomes: adding may move them. */
void *outcomes_add(struct outcomes *, value result, uint32_t size);
static inline struct state outcomes_state(const struct outcomes *o, size_t i) {
  return (struct state){o->bytes.at + o->list.at[i].offset, o->list.at[i].size};
}
/* May the operation have returned this result? A result not observed matches any. */
static inline bool result_matches(const struct op *o, value result) {
  return o->result == V_UNKNOWN || o->result == result;
}

/* What an operation of a one-value object (register, a map's key) does with the value: which argument it sets it to,
 * and which it compares with it; -1 for none. CELL_MIXES: it makes a value of the one there. CELL_CLEARS: it sets it to
 * nil. Reads return it. */
enum { CELL_MIXES = -2, CELL_CLEARS = -3 };
struct spec_cell {
  int8_t sets, compares;
};

/* What an object is, as far as code outside src/spec may care: which monitor, grammar, generator or sentence fits it.
 * The file of a built-in specification sets it and the traits below; a user's own specification is FAMILY_OWN whatever
 * its name. Nobody compares names. */
enum spec_family {
  FAMILY_OWN,
  FAMILY_REGISTER,
  FAMILY_COUNTER,
  FAMILY_STACK,
  FAMILY_QUEUE,
  FAMILY_DEQUE,
  FAMILY_PRIORITY_QUEUE,
  FAMILY_SET,
  FAMILY_MULTISET,
  FAMILY_MAP,
  FAMILY_SEMIQUEUE,
  FAMILY_K_FIFO,
  FAMILY_STUTTERING_QUEUE,
  FAMILY_PRODUCER_FIFO,
  FAMILY_LOCK,
  FAMILY_RW_LOCK,
  FAMILY_SEMAPHORE,
  FAMILY_SNZI,
  FAMILY_MAILBOX,
  FAMILY_BAG,
  FAMILY_WORK_STEALING,
  FAMILY_LATCH,
  FAMILY_ONCE,
  FAMILY_UPGRADE_LOCK,
  FAMILY_HASH_MAP,
  FAMILY_ORDERED_MAP,
  FAMILIES
};

/* An object that values are put into and taken out of again. Operation m is bit m. */
struct spec_container {
  uint32_t puts;             /* insertions: put in arg[0], where they succeed (V_NONE) */
  uint32_t takes;            /* removals: return a value that is inside, or nothing (op_finds_nothing) */
  const char *done, *undone; /* what happens to a value: "enqueued", "dequeued" */
};

/* Adds numbers that are too large for a value in place to the table that they belong to. */
struct spec_numbers {
  const struct values *to;
  value (*add)(void *self, int64_t);
  void *self;
};

struct spec {
  const char *name;    /* "bounded-queue" */
  const char *aliases; /* "bqueue" other names, separated by blanks; "" for none */
  const char *summary; /* one line */
  const char *param;   /* what its parameter means ("capacity"), or NULL if it has none */
  uint32_t k;          /* the parameter's value; spec_named("bounded-queue(4)") makes a copy with k = 4 */
  const struct spec_op *ops;
  unsigned op_count;
  enum spec_family family;
  const struct spec_container *container; /* or NULL */
  bool weak;                              /* of a container: some removal may return empty at any time, and where it
                                             is bounded an insertion full */
  uint8_t loose, exact;  /* where weak: the removal that may return empty at any time, and one that is the same but
                            returns empty only where nothing is inside, for draining; equal: there is none */
  bool bounded;          /* of a container: holds at most k values, an insertion may return full */
  bool greatest_first;   /* of a priority queue: else the least */
  bool keyed;            /* operations with different arg[0] do not affect each other: a history splits by key */
  bool data_independent; /* removing every operation on some values (arguments and results) keeps a linearizable history
                            so */
  bool by_process;       /* what an operation does depends on the process that calls it (locks, per-producer order) */
  uint32_t always;     /* operations (bit m for ops[m]) that can happen in every state, with the one result they have */
  uint32_t overwrites; /* of those, the ones that lead to the same state from every state (of one key, where keyed) */
  const struct spec_cell *cell;       /* of an object that is one value: an operation each; else NULL */
  const struct values *values;        /* the bound history's values (texts, order); set by spec_bind */
  const struct spec_numbers *numbers; /* NULL: a result that is a large number, and of no operation, is V_UNKNOWN */
  const struct names *processes;      /* the bound history's, for naming them; or NULL */
  void *user;                         /* of a specification of the user's own */
  const char *source;                 /* of such a one: its file; else NULL */

  void (*init)(const struct spec *, struct outcomes *); /* adds every initial state (result V_NONE) */
  void (*step)(const struct spec *, struct state, const struct op *, struct outcomes *);
  void (*print)(const struct spec *, struct state, struct text *); /* the state in words: "[5 7]" */
  /* How many elements the state holds, of what may grow without end; NULL where nothing does. */
  uint32_t (*elements)(const struct spec *, struct state);
  /* Where by_process: adds the state with process p called to[p] instead (result V_NONE), `to` being a permutation;
   * NULL if it cannot be told. */
  void (*rename)(const struct spec *, struct state, const uint8_t *to, struct outcomes *);

  /* Of a lock: adds the state as it would be if only this process held what it does (result V_NONE). What cannot happen
   * there the process can never do as things are, whatever the others do: release what it has not acquired, or wait
   * for itself. NULL where operations do not depend on what their process has done. */
  void (*alone)(const struct spec *, struct state, uint32_t process, struct outcomes *);

  /* A mutable machine for running one long sequential history in time near linear; NULL where step is good enough
   * (small states). Deterministic specifications only. Independent of `step`, so each checks the other. */
  void *(*machine_new)(const struct spec *, struct mem *);
  bool (*machine_apply)(void *machine, const struct op *); /* false: not allowed here (result does not match) */
};

/* The initial value of register and cas-register: nil, or their parameter. */
#define SPEC_NIL UINT32_MAX
static inline value spec_initial(const struct spec *s) {
  return s->k == SPEC_NIL ? V_NIL : value_of_small((int32_t)s->k);
}

/* Sets of operations, as in `always`: a user's own specification may have more than there are bits, and is in none. */
static inline uint32_t spec_op_bit(unsigned m) { return m < 32 ? 1u << m : 0; }
static inline bool spec_op_in(uint32_t ops, unsigned m) { return m < 32 && ops >> m & 1; }
/* True for the family's own specification: not weak, not bounded. */
static inline bool spec_is_plain(const struct spec *s, enum spec_family family) {
  return s->family == family && !s->weak && !s->bounded;
}
/* How often a container may return a value that was put in once. */
static inline uint32_t spec_times(const struct spec *s) { return s->family == FAMILY_STUTTERING_QUEUE ? s->k : 1; }
/* True for an object that is one value, some operation of which compares it with an argument. */
bool spec_compares(const struct spec *);
/* True if the name is this specification's (not an alias): for formulas, which say whom they are for. */
bool spec_called(const struct spec *, const char *name);
/* Tells the specification which operations will be called (bit m for ops[m]); it may choose a simpler state. */
void spec_use_only(struct spec *, uint32_t ops);

extern const struct spec *const specs[]; /* NULL-terminated: every built-in one */

/* "queue", "bounded-queue(4)", an alias, without case; fills *out. */
bool spec_named(const char *, struct spec *out, struct problem *);
/* Name of operation m of the spec (the first of its names); len is its length. */
const char *spec_op_name(const struct spec *, unsigned m, size_t *len);
int spec_op_find(const struct spec *, const char *name, size_t len); /* by name or alias, -1 if none */
void spec_list_ops(const struct spec *, struct text *);              /* push, pop */
const char *spec_result_word(unsigned kind);                         /* of RESULT_BOOL: "true or false" */

/* Makes a history one of this specification: method names to operations, arguments and results to their canonical
 * values ([k v] taken apart, 1 to true, nil to empty, echoes ignored). In place. The problem names the line. */
bool spec_bind(struct spec *, struct history *, struct problem *);

/* What the object held when the history began, from a file: operations that put it there are added before all others.
 * Before the history is bound. */
bool spec_initial_contents(const struct spec *, struct history *, const char *path, struct problem *);

/* The same for one event at a time, where the history is never whole. Words for results (empty, true) are data from the
 * first call on that has them as an argument. */
struct bound_call {
  uint16_t method;    /* of spec.ops */
  value arg[OP_ARGS]; /* canonical */
  value called;       /* the first argument as it was written */
  value told;         /* a result that was written as an argument of the call (`pop 5`), or V_NONE */
};
struct binder;
/* Sets spec.values. echoes: as of a history. The source is for messages. */
struct binder *spec_binder(struct mem *, struct spec *, struct values *, bool echoes, const char *source);
void spec_binder_echoes(struct binder *, bool echoes); /* what is known of it may change while a history is read */
/* The operation of this name; -1 with the problem if there is none. To be asked once a name, not once a call. */
int spec_bind_method(struct binder *, const char *name, size_t len, uint32_t line, struct problem *);
/* Absent arguments are V_NONE. */
bool spec_bind_call(struct binder *, uint16_t method, const value arg[OP_ARGS], uint32_t line, struct bound_call *,
                    struct problem *);
/* The result becomes canonical in place. */
bool spec_bind_return(struct binder *, const struct bound_call *, value *result, uint32_t line, struct problem *);

/* Guesses a specification from the object type and the method names used; NULL if several fit or none. */
const struct spec *spec_guess(const struct history *, struct problem *);
/* Of the beginning of a history: would the guess be the same, or none at all, whatever operations follow? */
bool spec_guess_settled(const struct history *);

/* Did a removal find nothing: was it empty, or did it give up? */
static inline bool op_finds_nothing(const struct spec *s, const struct op *o) {
  return o->result == V_EMPTY || (o->result == V_FALSE && s->ops[o->method].result == RESULT_VALUE_ABORT);
}

/* Is it known, from operation and result alone, that this operation leaves any state as it is? */
static inline bool op_pure(const struct spec *s, const struct op *o) {
  switch (s->ops[o->method].pure) {
  case PURE_ALWAYS: return true;
  case PURE_IF_FALSE: return o->result == V_FALSE;
  case PURE_IF_EMPTY: return op_finds_nothing(s, o);
  case PURE_IF_FULL: return o->result == V_FULL;
  default: return false;
  }
}

/* Independence. In a container, a set or an object that is one value, the operations on some values can be left out of
 * a linearizable history, all of them at once, and it stays linearizable. These say which values an operation is on (at
 * most two: a cas), or ON_ANY where a result that was not seen would tell; and which operations depend on values they
 * are not on. */
enum { ON_ANY = -1 };
int op_values(const struct spec *, const struct op *, value on[2]);
/* True if it depends on values it is not on, so that none can be left out: a cas that failed says what the value is
 * not, an append goes on from whatever is there, an insertion that found no room says how many are inside. */
bool op_ties(const struct spec *, const struct op *);
/* True if values can be left out of histories of this specification at all. */
static inline bool spec_independent(const struct spec *s) { return s->data_independent || s->cell || s->container; }

/* A specification of the user's own: a sequential implementation in C (include/asif.h), compiled and loaded (user.c).
 * Its functions run in this process, on one thread at a time. args: more for the compiler, NULL-terminated; or NULL. */
bool spec_from_c(const char *path, char *const *args, struct spec *out, struct mem *, struct problem *);
/* The same of what dlopen has loaded already, and spec_user_close will close; the path is for messages. */
bool spec_from_loaded(void *loaded, const char *path, struct spec *out, struct mem *, struct problem *);
/* The folder of asif.h: told by ASIF_INCLUDE, or beside the folder of this program, installed or in its build tree; or
 * NULL. */
const char *include_folder(struct mem *);
/* What --spec takes: the path of a C file, or else a name. */
bool spec_is_file(const char *name_or_path); /* true if it is one in C: loading it compiles and runs it */
bool spec_load_named(const char *name_or_path, struct spec *out,
                     struct problem *); /* one in C is PROBLEM_UNSUPPORTED */
bool spec_load(const char *name_or_path, struct spec *out, struct mem *, struct problem *);
/* If the user's code crashed or did not end: what happened, for the user. Its steps then have no outcomes, so a verdict
 * says nothing: ask after deciding. NULL for every other specification. */
const char *spec_user_fault(const struct spec *);
/* In a process forked since it was loaded, which has no timers of its parent's: steps that do not end are noticed here
 * too. */
void spec_user_forked(void);
/* Unloads the user's code; the specification's names stay until its mem is closed. Nothing to do for every other one.
 */
void spec_user_close(struct spec *);

/* "Enq(5)" and "Enq(5) -> ok" for messages. */
void op_print_call(const struct spec *, const struct history *, const struct op *, struct text *);
void op_print(const struct spec *, const struct history *, const struct op *, struct text *);

#endif
