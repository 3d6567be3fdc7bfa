/* `asif test`: clients, exploration, what was found, shrinking, replay, stress. */
#ifndef ASIF_TEST_TEST_H
#define ASIF_TEST_TEST_H

#include "base/limits.h"
#include "check/check.h"
#include "history/history.h"
#include "run/run.h"
#include "spec/spec.h"

/* Compiling (compile.c): from what the user gave to a shared object.
 *
 * Sources are compiled with the hooks, objects and archives are taken as they are; all are linked with --wrap. */
struct compile_options {
  char *const *inputs; /* .c .cc .cpp .cxx .o .a; NULL-terminated */
  char *const *flags;  /* for the compiler; NULL-terminated; or NULL */
  bool hooks;          /* false: for stress: no --wrap; without `perturb` compiled as it would ship (-O2, no hooks) */
  bool perturb;        /* for stress: sources are compiled with -fsanitize=thread, but linked without it: the support has the hooks */
  const char *support; /* for stress: C text that is compiled by the C compiler with -O2 -fPIC (and -fsanitize=, if sanitize),
                        * and linked too; it defines asif_host_*: sources are compiled with -DASIF_HOSTED here as well. Or NULL */
  const char *sanitize; /* for stress: "thread", "address": -fsanitize= for compiling and linking; or NULL */
  const struct spec *spec; /* where no file has a harness: functions with the names of its operations are one; or NULL */
  const char *directory;   /* where to put everything (compile_directory made it, and compile_remove will remove it); NULL: a new one */
};
char *compile_directory(struct mem *, struct problem *); /* a temporary one; NULL with the problem */
void compile_remove(const char *directory);              /* with all that is in it */
/* The path of the shared object, in a temporary directory that compile_close removes. The compiler's words go to stderr. */
struct compiled {
  char *directory, *object;
  bool own; /* the directory was made here */
  char **warnings; /* what the hooks cannot see: "a.o: function f has inline assembly: lock cmpxchg" */
  size_t warning_count;
};
bool compile(struct mem *, const struct compile_options *, struct compiled *, struct problem *);
void compile_close(struct compiled *);
/* What must be wrapped: the names, NULL-terminated (wrapped.c). */
extern const char *const wrapped_names[];

/* What is tested: the object as its harness tells it (object.c). */
struct argument_range {
  long low, high;
};
struct object_op {
  struct image_op run;
  unsigned method; /* of spec.ops */
  unsigned arg_count;
  struct argument_range in[CALL_ARGS];
};
struct object_role {
  const char *name;
  long threads; /* or ASIF_REST */
  uint64_t ops; /* bit o: may call ops[o] */
};
struct object {
  const char *file;
  const char *spec_name; /* as written */
  struct spec spec;
  bool self; /* the object run sequentially is its own specification */
  struct object_op *ops;
  unsigned op_count;
  struct object_role *roles;
  unsigned role_count;
  void (*init)(void);
  long bound; /* -1: none */
  bool type_stable;
};

/* Exploring (explore.h is the inside).
 *
 * An explorer runs one client under one schedule after another. After each run that counts it gives the run to `visit`. */
enum strategy { EXPLORE_BOUNDED, EXPLORE_DPOR, EXPLORE_PCT, EXPLORE_UNIFORM, EXPLORE_ALL /* every schedule: for comparison */ };
enum bound_by { BOUND_DELAYS, BOUND_PREEMPTIONS, BOUND_ROUNDS };

struct explore_options {
  enum strategy strategy;
  enum bound_by bound_by;
  unsigned bound; /* iterative: 0, 1, ... bound; of EXPLORE_BOUNDED */
  bool cache;     /* happens-before caching */
  unsigned depth; /* of PCT: D */
  uint64_t seed, runs_most; /* random: how many; 0: no end but the limits */
};
enum visit { VISIT_ON, VISIT_STOP };
struct explore_counts {
  uint64_t schedules; /* executed to the end */
  uint64_t cut;       /* given up in the middle: redundant, or cached */
  uint64_t steps;
  uint64_t traces;    /* distinct happens-before traces, where counted (cache, DPOR, count_traces) */
  bool complete;      /* every schedule there is, was (up to equivalence) */
  unsigned bound;     /* the largest bound finished */
};
/* What of a search is done by which worker: a search is divided by its first choices. */
struct share {
  unsigned worker, workers;
};
bool explore(struct mem *, const struct client *, const struct explore_options *, const struct share *, struct limits *,
             enum visit (*visit)(void *, const struct run *), void *context, struct explore_counts *, struct problem *);

/* A finding: a run that shows it. */
struct finding {
  enum found found;
  char *said;
  struct client client;
  struct choice *choices; /* all of them */
  size_t count;
  struct history *history;      /* bound */
  struct check_result result;   /* of the history, where it is what is wrong */
};

#endif
