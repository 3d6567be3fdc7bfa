/* From a C file to a verdict: the whole of `asif verify`.
 *
 *   read (front/) -> operations bound to the specification, threads to what they call -> machine -> search -> the wrong
 * execution, made again from the start, as a history and as a schedule; the history is checked by the checker of
 * recorded histories (check/) */
#ifndef ASIF_VERIFY_VERIFY_H
#define ASIF_VERIFY_VERIFY_H

#include "front/program.h"
#include "history/schedule.h"
#include "verify/counted.h"
#include "verify/machine.h"
#include "verify/reference.h"
#include "verify/search.h"

enum leaks { LEAKS_NO, LEAKS_IF_FREED /* if the code frees memory */, LEAKS_YES };

struct verify_options {
  const char *path;
  const char *spec;          /* --spec: a name, a C file, "self"; NULL: what the file says */
  const char *against;       /* --against: a C file with another object that is the specification; or NULL */
  struct unit *against_unit; /* the same, read already; or NULL */
  char *const *cc_args;      /* for the preprocessor and the compiler, NULL-terminated; or NULL */
  unsigned threads;
  unsigned ops;  /* operations a thread performs; OPS_FOREVER */
  int64_t bound; /* the specification's state has at most so many elements; -1: what the file says */
  enum steps steps;
  bool points; /* by the marked linearization points */
  bool approx; /* the approximation A_k of histories (counted.h), not spec sets */
  unsigned k;
  bool weak_fails;
  bool malloc_fails;
  bool check_orders; /* operands are evaluated in one order where it is found not to matter (front/conflicts.h) */
  bool races;        /* data races are violations, where they can be looked for */
  enum leaks leaks;  /* is memory that is lost a violation, where it can be looked for? */
  enum memory_model memory;
  bool sc_as_acq_rel; /* machine_options.sc_as_acq_rel */
  bool tracks_all;    /* machine_options.tracks begins with all that may be needed: nobody would search again */
  /* Progress or a formula is asked for (live.h): calls are moves of their own, and no specification is needed; NULL:
   * not. */
  const struct live_asked *live;
  enum volatile_order volatiles;
  unsigned recursion;
  bool only_read; /* compile and load nothing: a source that needs a compiler, or a specification in C, is a problem */
  struct search_options search;
};

/* --against: the other object. */
struct against {
  struct unit *unit;
  struct program *program;
  struct spec_op *ops; /* of the spec that gives it names */
  struct reference_parts parts;
  struct reference *reference; /* NULL: there is none */
};

/* Everything that is known about the object, once it is read. */
struct subject {
  struct mem *mem;
  const struct verify_options *options;
  struct unit *unit;
  struct program *program;
  struct spec spec;
  struct values *values;
  struct spec_numbers numbers;
  int *spec_op; /* of each operation of the program: that of the specification */
  struct client_thread *client;
  unsigned threads;
  unsigned groups;
  const char **group_names; /* of roles; "" if there are none */
  int64_t bound;
  struct specsets *sets;
  struct counted *counted; /* NULL: spec sets */
  struct against against;
  struct system *machine;
  struct machine_options machine_options;
  const struct program *own; /* the specification of the file's own (own.c), or NULL */
  unsigned data;             /* c_values.h: numbers that are arguments */
  const char *refused;       /* why the object is not searched: what is not modelled; or NULL */
  const char *not_symmetric; /* why threads are not interchangeable, or NULL */
};

struct verified {
  struct search_result search;
  /* What was violated: "not linearizable", "undefined behaviour", "assertion", "endless loop", "trap", "deadlock", "no
   * return", "leak", "points", "does not refine", "not lock-free" and its like, "formula"; or NULL. */
  const char *kind;
  struct history *history;   /* violated: of the execution, bound; else NULL */
  struct check_result check; /* ... decided, where the history is what is wrong */
  bool checked;
  struct schedule schedule; /* the interleaving; of a violation before the threads start there are no lines */
  const char *reason;       /* a sentence, or NULL */
  struct place fault;       /* of a violation before the threads start, where at_start */
  bool at_start;
  VEC(const char *) notes; /* what was assumed */
  size_t bad_prefix;       /* a formula is false after so many moves, whatever follows: only these are told; or 0 */
  size_t loop_count;       /* liveness: so many moves at the end of the path are repeated for ever */
};

/* Reads the object. False with the problem (bad input). */
bool subject_open(struct mem *, const struct verify_options *, struct subject *, struct problem *);
/* The same of what is read already; NULL: it could not be. */
bool subject_again(struct subject *, struct problem *);  /* makes it anew, after FAULT_UNORDERED */
bool subject_number(struct subject *, struct problem *); /* ... after FAULT_NUMBERS */
bool subject_make(struct mem *, struct unit *, const struct verify_options *, struct subject *, struct problem *);
void subject_close(struct subject *);
/* A machine that forgets nothing (machine_options.forget). */
void subject_remember(struct subject *);
/* One with more room in a state (machine_options.room), after FAULT_ROOM. */
void subject_grow(struct subject *, unsigned room);
/* Chooses how memory behaves, by the options and what the program is. */
void subject_remodel(struct subject *);
/* The same machine, after FAULT_TRACKS. */
void subject_track(struct subject *);
/* What a history that the specification does not allow is called. */
const char *trace_kind(const struct subject *);
/* The kind of violation that a fault is. */
const char *fault_kind(enum fault);
/* no_return.c: after these moves an operation is open, and none of those that are can return, whatever threads call
 * from there on: VIOLATED. UNKNOWN: there is too much to go through. */
enum verdict subject_stuck(const struct subject *, const struct path_move *, size_t count, struct stuck_asked *);
/* asleep.c: after these moves no thread moves, and an operation waits for a signal: VIOLATED if it has missed that;
 * HOLDS if it waits by design, or none does. */
enum verdict subject_asleep(struct mem *, const struct subject *, const struct path_move *, size_t count,
                            struct stuck_asked *);
/* resume.c: what a checkpoint is of: the options in words, and a hash of all that was read; and as flags, what is not
 * forgotten; and the program's conflicts. */
void subject_identify(struct subject *, struct search_identity *);
unsigned subject_flags(const struct subject *);
const char *subject_orders(const struct subject *); /* which operands were found to conflict */
/* Makes the subject as it was for options.resume. False with the problem if that is of something else. */
bool subject_resume(struct subject *, const struct search_options *, struct problem *);
/* Searches. False with the problem only for internal errors. */
bool verify(struct subject *, struct limits *, struct verified *, struct problem *);
/* The execution as a history and a schedule; also of a path read from evidence. */
bool explain_path(struct subject *, const struct path_move *, size_t count, struct verified *, struct problem *);
void schedule_open(const struct subject *, struct schedule *); /* without lines */
/* In parts, for liveness (live.h): was the initialisation wrong? Then that is the answer. The answer where a move is a
 * fault; what was assumed. */
bool start_fails(struct subject *, struct verified *);
void explain_fault(struct subject *, struct verified *, const struct move *);
void note_assumptions(struct subject *, struct verified *);
/* True if data races are looked for: not by reductions that leave out states, or where a step is not an access. */
static inline bool subject_looks_for_races(const struct verify_options *o) {
  enum reduce how = o->search.reduce;
  bool all = how == REDUCE_BEST || how == REDUCE_NONE || how == REDUCE_SYM1 || how == REDUCE_SYM;
  return o->races && all && o->steps == STEPS_SHARED && !o->live && !o->against && !o->approx;
}
/* True if memory that is lost is looked for. */
static inline bool subject_looks_for_leaks(const struct verify_options *o, const struct unit *u) {
  enum reduce how = o->search.reduce;
  bool all = how == REDUCE_BEST || how == REDUCE_NONE || how == REDUCE_SYM1 || how == REDUCE_SYM;
  bool wanted = o->leaks == LEAKS_YES || (o->leaks == LEAKS_IF_FREED && unit_frees(u));
  return wanted && all && !o->live && !o->against && !o->approx;
}
bool uses_weak(const struct program *); /* atomic_compare_exchange_weak */
void note(struct subject *, struct verified *, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* memory.c: --memory. */
/* How the machine's memory behaves, and what of the program it does not model (subject.refused). */
enum memory_model memory_of(struct subject *);
/* verify's search of a subject whose memory that is. */
typedef bool memory_search(struct subject *, struct limits *, struct verified *, struct problem *);
bool memory_decide(struct subject *, struct limits *, struct verified *, memory_search *, struct problem *);
void memory_note(struct subject *, struct verified *);

/* subject.c, in parts: self.c */
/* The specification the object is by itself: its operations, one at a time. */
bool spec_of_object(struct mem *, const struct program *, unsigned threads, const struct machine_options *,
                    machine_result *, void *self, struct spec *, struct problem *);
/* against.c: reads the other object; binds an operation to the other's; and when the client is known makes it the
 * specification. */
bool against_read(struct subject *, struct problem *);
bool against_bind(struct subject *, uint32_t op, struct problem *);
void against_finish(struct subject *);
void against_remember(struct subject *); /* a reference that forgets nothing */
/* After a search: false with the problem if something is wrong with the other object. *again: it is to be searched
 * anew. */
bool against_sound(struct subject *, bool *again, struct problem *);
/* The other object does not have the history found: looked for once more. */
bool against_confirm(struct subject *, struct verified *, struct problem *);
/* The specification that ASIF_SPEC in the file defines (own.c). */
bool spec_of_file(struct subject *, struct problem *);
/* What the object came to by itself that is beyond what is modelled, or NULL: operations may then have outcomes that
 * are not known. */
const char *spec_of_object_limit(const struct spec *);
/* A result of the C function as the specification's operation has it. */
value result_of(const struct subject *, const struct spec_op *, enum result_of, word result);
value result_value(const struct subject *, const struct program_op *, word result);

const char *fault_name(enum fault);

#endif
