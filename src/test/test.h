/* `asif test`: clients, exploration, what was found, shrinking, replay, stress. */
#ifndef ASIF_TEST_TEST_H
#define ASIF_TEST_TEST_H

#include <sys/types.h>

#include "asif.h"
#include "base/limits.h"
#include "check/check.h"
#include "history/history.h"
#include "history/schedule.h"
#include "run/run.h"
#include "spec/spec.h"

/* Compiling (compile.c): from what the user gave to a shared object.
 *
 * Sources are compiled with the hooks, objects and archives are taken as they are; all are linked with --wrap. */
struct compile_options {
  char *const *inputs;  /* .c .cc .cpp .cxx .o .a; NULL-terminated */
  char *const *flags;   /* for the compiler; NULL-terminated; or NULL */
  char *const *program; /* what main is called with, after its name; NULL-terminated: the test is main. Or NULL */
  bool hooks;           /* false: for stress: no --wrap; without `perturb` compiled as it would ship (-O2, no hooks) */
  bool perturb; /* for stress: sources are compiled with -fsanitize=thread, but linked without it: the support has the
                   hooks */
  const char *support;  /* for stress: C text that is compiled by the C compiler with -O2 -fPIC (and -fsanitize=, if
                         * sanitize),  and linked too; it defines asif_host_*: sources are compiled with -DASIF_HOSTED
                         * here as well. Or NULL */
  const char *sanitize; /* for stress: "thread", "address": -fsanitize= for compiling and linking; or NULL */
  const struct spec
      *spec;             /* where no file has a harness: functions with the names of its operations are one; or NULL */
  const char *directory; /* where to put everything (compile_directory made it, and compile_remove will remove it);
                            NULL: a new one */
};
char *compile_directory(struct mem *, struct problem *); /* a temporary one; NULL with the problem */
void compile_remove(const char *directory);              /* with all that is in it */
/* The path of the shared object, in a temporary directory that compile_close removes. The compiler's words go to
 * stderr. */
struct compiled {
  char *directory, *object;
  bool own;        /* the directory was made here */
  char **objects;  /* of the inputs, one each, NULL-terminated: those made of sources, and those given */
  char **warnings; /* what the hooks cannot see: "a.o: function f has inline assembly: lock cmpxchg" */
  size_t warning_count;
  char *unscanned;        /* why code without hooks was not looked for, so that not all may have been seen; or NULL */
  struct linked *without; /* members of archives that were linked, and have no hooks (compile.h) */
  size_t without_count;
  uintptr_t code_low, code_high; /* where the code of the inputs is in the object; equal: not known */
};
bool compile(struct mem *, const struct compile_options *, struct compiled *, struct problem *);
void compile_close(struct compiled *);
/* What must be wrapped: the names, NULL-terminated (wrapped.c). */
extern const char *const wrapped_names[];
extern const char *const library_names[]; /* those of them that are not, if the files define them */

/* What is tested: the object as its harness tells it (object.c). */
struct argument_range {
  long low, high;
};
struct object_op {
  struct image_op run;
  unsigned method; /* of spec.ops */
  unsigned arg_count;
  unsigned data; /* spec/c_values.h: numbers that are arguments of some operation */
  struct argument_range in[CALL_ARGS];
};
struct object_role {
  const char *name;
  long threads; /* or ASIF_REST */
  uint64_t ops; /* bit o: may call ops[o] */
  const char *file;
  int line;
};
struct object {
  const char *file;
  const char *spec_name; /* as written */
  struct spec spec;      /* where self, without functions: self_spec adds them */
  bool self;             /* the object run sequentially is its own specification */
  bool own_spec;         /* the specification is defined in the object's files: ASIF_SPEC, ASIF_EFFECT */
  struct spec bounded;   /* what `bound` is a bound of: spec, or where that is the object itself, what ASIF_OBJECT says;
                            else without a name */
  struct object_op *ops;
  struct image_op *run_ops; /* the same, for run_open */
  unsigned op_count;
  struct object_role *roles;
  unsigned role_count;
  void (*init)(void);
  bool tests;           /* ASIF_TEST: the operations are tests, run one a client; nothing is specified */
  unsigned drains;      /* 1 if the operation after the last, ops[op_count], drains it when all threads have ended */
  void (*finish)(void); /* runs then, after that; or NULL */
  long bound;           /* -1: none */
  bool plain_values;    /* values that are taken out say nothing of what was done before they were put in */
  bool type_stable;
  bool asks_thread;  /* it uses asif_thread(): threads are not alike */
  bool knows_thread; /* it uses that, or anything else that tells threads apart */
  enum {
    FREES_NOTHING,
    FREES_DELETED,
    FREES
  } frees; /* does it free memory? FREES_DELETED: it has `delete` in it, which may never
            * be run (destructors, what is done when a constructor throws) */
};
/* What the harness says of how the object is run. */
struct run_options;
void object_run_options(const struct object *, struct run_options *);
/* What the harness is read from: its entries, and of the shared object that has them the path. */
struct object_source {
  const struct asif_entry *const *entries;
  size_t count;
  const char *object;    /* of a specification in the file (ASIF_SPEC) a copy of it is loaded */
  const char *directory; /* where the copy goes */
  const char *own_spec;  /* the name of that specification, or NULL */
  const char *file;      /* for messages */
};
/* spec is that of --spec: a name, the path of a C file, "self", or NULL. given: that, loaded already, or NULL. */
bool object_read(struct mem *, const struct object_source *, const char *spec, const struct spec *given,
                 struct object *, struct problem *);
void object_close(struct object *);
/* Everything from the files to the object: compiles, loads into this process, reads the harness. */
struct object_options {
  char *const *inputs, *const *flags;
  char *const *program; /* as of compile_options */
  const char *spec;
  const char *directory; /* temporary, of compile_directory */
  void (*compiled)(
      void *self); /* called when the files are compiled: from here on the code's constructors run; or NULL */
  void *self;
};
bool object_open(struct mem *, const struct object_options *, struct image **, struct compiled *, struct object *,
                 struct problem *);
/* The result of the C function as the specification's operation has it; numbers are in values. */
value object_result(const struct spec *, const struct object_op *, struct values *, long result);

/* --spec self (self.c): a specification whose states are sequences of calls, run one after the other with
 * run_sequential. After run_open, in the process that runs. */
void self_spec(struct mem *, const struct object *, struct spec *);
const char *self_fault(const struct spec *); /* as spec_user_fault */

/* Is there a libdw (debug_info.c)? ASIF_LIBDW in the environment names another than the system's. */
bool debug_library(void);

/* Clients (clients.c). */
struct client_options {
  unsigned threads, ops; /* at most so many threads, and operations of each */
};
/* All clients up to that size and up to renaming threads that are alike, smallest first: fewer operations, then fewer
 * threads. Calls that would bring more than object.bound things inside, in some order, are not made. */
struct client_source {
  const struct object *object;
  struct client_options size;
  const struct client *one;  /* instead: only this one; or NULL */
  const struct client *list; /* instead: these; or NULL */
  size_t count;
  struct client_memory *memory; /* zeroed, of several processes that make the same clients: what one has found out about
                                 * which exceed the bound, the others need not; or NULL */
};
enum { CLIENT_MEMORY = 1 << 22 };
struct client_memory {
  _Atomic uint8_t at[CLIENT_MEMORY]; /* in the order in which it is asked, which is the same in all */
};
struct clients;
struct clients *clients_open(struct mem *, const struct client_source *,
                             struct problem *); /* NULL with the problem: there are none */
/* Calls `use` with one after the other and its number, from 0 on, until that is false: how many it was called with. The
 * client lasts as long as the call. */
typedef bool client_user(void *self, uint64_t number, const struct client *);
uint64_t clients_each(struct clients *, client_user *use, void *self);
uint64_t clients_count(struct clients *, uint64_t most);                             /* how many there are, or `most` */
bool clients_find(struct clients *, uint64_t number, struct mem *, struct client *); /* that one, copied */
/* Counting them in a process beside the search, where there are many (counting.c). */
enum { CLIENTS_COUNTED = 1024 }; /* so many are counted before the search begins */
struct client_total {
  _Atomic uint64_t all, seen; /* all: 0: not known, but more than `seen` */
};
pid_t counting_start(const struct client_source *,
                     struct client_total *shared); /* -1: there is no need to, or no process */
void counting_end(pid_t);
/* 'push(1) pop() | pop()' */
bool client_parse(struct mem *, const struct object *, const char *text, struct client *, struct problem *);
void client_print(const struct object *, const struct client *, struct text *);
size_t client_calls(const struct client *);                    /* in all */
bool threads_alike(const struct client *, unsigned, unsigned); /* do two threads make the same calls? */
/* May it be asked for: in no order of its calls more than object.bound things are inside, and no thread misuses the
 * object? */
bool client_allowed(struct mem *scratch, const struct object *, const struct client *);
void client_copy(struct mem *, const struct client *, struct client *);

/* Short histories, decided fast (linear.c). */
enum { LINEAR_MOST = 24 }; /* operations */
struct linear;
struct linear *linear_new(struct mem *, const struct object *, const struct spec *);
bool linear_can(const struct object *, const struct run *); /* is it short enough? */
bool linear_holds(struct linear *, const struct run *);
/* Whenever the operations were called: in an order in which before[i], a set, comes before operation i, as they are
 * numbered by their calls. Gives the order, and of how many; those that did not return need not be in it. */
bool linear_order(struct linear *, const struct run *, const uint64_t *before, uint8_t *order, unsigned *count);
/* Then, of a container: the operations that put in what operation n took out; none: it took nothing. */
uint64_t linear_put_by(const struct linear *, unsigned n);
void linear_forget(struct linear *); /* the next run's client is another, though it may be at the same address */

/* Runs as A_k knows them (watch.c). */
struct watch;
struct watch *watch_new(struct mem *, const struct object *, const struct spec *, unsigned k);
bool watch_holds(struct watch *,
                 const struct run *); /* false: A_k of its history is a violation, hence the history is */
void watch_forget(struct watch *);    /* as linear_forget */

/* Judging runs (judge.c): each distinct history is checked once. */
struct judge;
struct hashes;
struct hashes *judge_set(void); /* for the histories seen, of several processes forked since; NULL: no memory */
struct judge *judge_new(struct mem *, const struct object *, struct hashes *seen); /* NULL: every history is judged */
/* Histories are monitored by A_k instead; those in which operations wait for ever are checked all the same. */
void judge_approx(struct judge *, unsigned k);
/* Is something wrong with the run: did the runtime find something, or is its history not linearizable? JUDGED_NOT: with
 * the problem. A history judged before is not judged again: it was good. */
enum judged { JUDGED_GOOD, JUDGED_WRONG, JUDGED_NOT };
enum judged judge_run(struct judge *, const struct run *, struct problem *);
/* What is wrong with the last run, which was judged so, and a sentence ("": there is none). */
enum found judge_found(const struct judge *);
/* Is it for the judge to say, and not the runtime? */
static inline bool found_by_judge(enum found f) {
  return f == FOUND_HISTORY || f == FOUND_ORDERS || f == FOUND_UNPUBLISHED;
}
const char *judge_said(const struct judge *, const struct run *);
void judge_forget(struct judge *); /* the next run's client is another, though it may be at the same address */
uint64_t
judge_waiting(const struct judge *); /* histories where operations wait for ever, as they do with nothing concurrent */
/* The run's history, bound to the specification (whose values are then the history's). */
struct history *judge_history(struct mem *, const struct object *, struct spec *, const struct run *);
void judge_name(const struct object *, const struct run *,
                struct history *); /* operations are called as the user does */

/* At the end of the last run, which this is, operations wait: whatever is called, none of them can return
 * (no_return.c). False: one can, or it is not known. */
bool no_return(struct mem *, const struct object *, const struct run *);

/* Exploring (explore.h is the inside).
 *
 * An explorer runs one client under one schedule after another. After each run that counts it gives the run to `visit`.
 */
struct explorer;
struct strategy {
  const char *option;    /* of asif test: --OPTION asks for it */
  const char *worded_by; /* the option whose value tells several apart that share an option; NULL: it is the only one */
  const char *word;      /* that value; without one, the first in the table is meant */
  const char *method;    /* its name in reports */
  const char *schedules; /* in reports: what was explored, where nothing was left out that it looks at */
  const char *unit[2];   /* what the bound counts: one, many; NULL: it has no bound */
  bool counts_writes;    /* ... and besides, under a weak memory model, stale loads and early stores */
  bool random;           /* takes a seed and a number of runs */
  bool has_depth;        /* its word is followed by :D, explore_options.depth */
  bool may_cache;        /* explore_options.cache is for it, */
  bool caches;           /* ... and is the default */
  bool may_skip;         /* explore_options.skip is for it */
  void (*explore)(struct explorer *);
};
enum {
  EXPLORE_DPOR,
  EXPLORE_DELAYS,
  EXPLORE_PREEMPTIONS,
  EXPLORE_ROUNDS,
  EXPLORE_PCT,
  EXPLORE_UNIFORM,
  EXPLORE_ALL, /* every schedule: for comparison */
  STRATEGIES
};
extern const struct strategy strategies[STRATEGIES]; /* strategies.c */

struct explore_options {
  const struct strategy *strategy;
  unsigned bound; /* iterative: 0, 1, ... bound; of strategies with a unit; there is no less than one round */
  bool cache;     /* happens-before caching */
  bool
      skip; /* do not run a schedule that is known to have the trace of another; of delays, without caching (alike.h) */
  bool block;               /* threads halt after an iteration that changed nothing (run/pure.c); of DPOR */
  bool orders;              /* the order of calls and returns is tried by itself (orders.c); of DPOR */
  bool weak;                /* runs are under a weak memory model: calls and returns have no order of their own */
  bool alike;               /* the code does not know its threads: of those with equal calls, and `orders`; of DPOR */
  bool count_traces;        /* count distinct happens-before traces; DPOR and caching do so anyway */
  unsigned depth;           /* of PCT: D */
  uint64_t seed, runs_most; /* random: how many; 0: no end but the limits */
  uint64_t steps_most; /* of all runs together, one more a run, and skipped schedules: then the exploration ends; 0: no
                          limit */
};
enum visit { VISIT_ON, VISIT_STOP };
struct explore_counts {
  uint64_t schedules; /* executed to the end, or skipped */
  uint64_t skipped;   /* not executed, as another has the same trace */
  uint64_t
      orders;   /* of schedules: for another order of calls and returns, of a trace that was; most follow from that */
  uint64_t cut; /* given up in the middle: redundant, cached, or beyond the rounds; or refused by asif_require */
  uint64_t redundant; /* of these, of DPOR: all who could go on sleep */
  uint64_t halted;    /* ... all who have not ended halt (run/pure.c) */
  uint64_t steps;
  uint64_t traces; /* distinct happens-before traces, where counted (cache, DPOR, count_traces) */
  bool complete;   /* every schedule there is, was (up to equivalence) */
  bool spent;      /* it ended with steps_most */
  unsigned bound;  /* the largest bound finished */
};
/* What of a search is done by which worker: a search is divided by its first choices. */
struct hashes;
struct share {
  unsigned worker, workers;
  _Atomic uint64_t
      *next; /* shared by the workers and 0 at first: a part is taken by who comes first; NULL: they take turns */
  struct hashes *states;  /* shared: of caching; NULL: one's own */
  struct hashes *traces;  /* shared: distinct traces are counted once; NULL: one's own */
  _Atomic uint64_t *left; /* shared: so many schedules may still be executed; NULL: no limit */
  struct choice *choices; /* shared: what is being run, for when the worker dies; room for CHOICES_SHOWN; or NULL */
  _Atomic uint32_t *choice_count;
};
#define CHOICES_SHOWN 4096
/* A share of NULL: everything. True if the search went as far as it should, limits included; false: internal error. */
bool explore(const struct client *, const struct explore_options *, const struct share *, struct limits *,
             enum visit (*visit)(void *, const struct run *), void *context, struct explore_counts *, struct problem *);

/* A finding: a run that shows it. */
struct finding {
  enum found found;
  char *said;
  char *shown; /* the same as it is shown, with the names of the source; NULL: as it is said */
  struct client client;
  struct choice *choices; /* all of them */
  size_t count;
  struct history *history;    /* bound; NULL where `died` */
  struct check_result result; /* of the history, where it is what is wrong */
  uint64_t key;               /* kind and places: findings with the same one are the same mistake */
  uint64_t results;           /* a hash of the calls and returns, in their order */
  bool died;                  /* it ended the process that ran it, and does so again: nothing more is known of it */
};
uint64_t finding_key(const struct run *, const struct object *); /* of the run that has just been made */
/* The same of the finding, run again; 0: it cannot be. */
uint64_t finding_key_again(struct image *, const struct object *, const struct run_options *, const struct finding *);
/* Does its schedule, run again, give the same history? False with the problem if not: the code depends on something
 * that is not part of it, and nothing that was seen is known to be so. */
bool finding_repeats(struct image *, const struct object *, const struct run_options *, const struct finding *,
                     struct problem *);
/* Did the process end by a signal that no mistake in its code raises? */
bool killed_from_outside(int status);
bool ended_by_machine(int status); /* so, or a run had no memory left: that is no mistake in the code */
/* Runs the finding's schedule in a process of its own. If that dies, it is one that died: what it says and is, is set.
 */
bool finding_dies(struct mem *, struct image *, const struct object *, const struct run_options *,
                  const struct limits *, struct finding *);

/* All clients, one after the other, each explored (search.c). */
struct searched;
/* How one of a list of clients is explored, and what came of it: shared by the processes. */
struct search_task {
  struct explore_options how;
  bool done;      /* explored to the end, or to steps_most; */
  bool spent;     /* ... the latter */
  bool complete;  /* every schedule */
  bool cannot;    /* there were runs that could not be run under a scheduler */
  bool refused;   /* no run counted */
  unsigned bound; /* the largest bound finished */
  uint64_t steps;
};
struct search_options {
  struct explore_options explore;
  struct search_task *tasks; /* of client_source.list, in shared memory; or NULL */
  struct hashes *histories;  /* those of judge_set, where several searches have them in common; NULL: its own */
  bool automatic;            /* DPOR where the client is small, else delays, more and more */
  bool keep_going;           /* when something was found too */
  bool approx;               /* histories are monitored by A_k, not checked */
  unsigned k;
  bool memory_open;      /* run.memory is to be another where the code asks for it, or the search cannot be with it: it
                          * ends as soon as that is known, to be done again (struct searched: weaker, beyond) */
  bool leaks_if_deleted; /* with run.leaks: a leak counts only where some run of the search deletes anything */
  uint64_t schedules_most; /* executed, of all clients together; 0: no limit */
  struct run_options run;
  struct coverage *coverage; /* what is reached is noted there; or NULL */
  unsigned jobs;
  void (*progress)(void *self, const struct searched *); /* about ten times a second; or NULL */
  void *progress_self;
};
struct searched {
  enum verdict verdict; /* VERDICT_UNKNOWN: a limit was reached */
  enum limit limit;
  struct finding finding; /* where violated; its history and result are made by finding_explain */
  struct finding *others; /* with keep_going */
  size_t other_count;
  bool too_many;            /* ... there are more */
  char *unsupported;        /* where unknown: what in some run could not be run under a scheduler; or NULL */
  uintptr_t unsupported_pc; /* and where; 0: not known */
  uint64_t clients, done;   /* so many there are; explored to the end */
  bool uncounted;           /* there are more clients: nobody has counted them all */
  uint64_t schedules, cut, redundant, halted, orders, skipped, steps, traces, histories; /* see explore_counts */
  uint64_t waiting;   /* histories with operations that wait for ever, as they do with nothing concurrent too */
  uint64_t refused;   /* clients of which no run counted: asif_require refused a call in each */
  bool complete;      /* every schedule of every client that was done */
  unsigned bound;     /* else, where delays and the like were bounded: up to so many, in each client that was done */
  bool long_runs;     /* some were given up for having too many steps */
  bool shares_stacks; /* see struct run: then not all was seen */
  bool reads_freed;   /* the same */
  bool wide;          /* the same */
  bool weaker;        /* the same */
  bool beyond;        /* the same: then `unsupported` says why, unless a run was only too long */
  struct races_seen {
    struct forgiven_race forgiven[FORGIVEN_MOST]; /* races that are not to be reported */
    size_t count;
    bool incomplete;            /* ... and for which not everything was tried */
    bool volatiles;             /* there are volatile accesses, */
    uintptr_t volatile_race[2]; /* ... and where two of them race, in code; 0: nowhere */
  } seen;
  bool deleted; /* with leaks_if_deleted: some run deleted something; */
  bool leaks;   /* ... and there is a leak, which did not count */
  struct finding leak;
  struct larger_tried {           /* of a search without an end (anytime.c): clients beyond the size asked for */
    uint64_t clients;             /* of which these were explored, */
    uint64_t complete;            /* ... these in full, */
    uint64_t bounded;             /* ... and these with a bound that was reached: */
    unsigned bound;               /* the least of those, in delays or preemptions */
    unsigned threads, ops, calls; /* the most of a client; ops: of one thread */
    char *unsupported;            /* of those alone: what could not be run; or NULL */
  } larger;
  const char *left;   /* several tests: of which not every schedule was run; or NULL */
  double cpu_seconds; /* of the processes that ran the code */
  long peak_kb;       /* their memory, together */
};
/* False with the problem: an internal error, or a specification of the user's that goes wrong. */
bool search_clients(struct mem *, struct image *, const struct client_source *, const struct search_options *,
                    struct limits *, struct searched *, struct problem *);
void races_add(struct races_seen *to, const struct races_seen *);
void *share_memory(size_t bytes); /* zeroed, for this process and those forked from it; NULL: there is none */
/* How a client is explored where nobody says how. */
struct explore_options explore_automatic(const struct search_options *, const struct object *, const struct client *);
/* The default (anytime.c): the clients of the source in full, and others that are larger under few delays and
 * preemptions, by turns. It ends when all of the former are done, and some of the latter; or, where it is to go on,
 * with the limits. */
bool search_anytime(struct mem *, struct image *, const struct client_source *, const struct search_options *,
                    bool goes_on, struct limits *, struct searched *, struct problem *);
/* Runs the finding again, and tells it: its history, checked, and step by step. In a process where nothing else ran. */
bool finding_explain(struct mem *, struct image *, const struct object *, const struct run_options *, struct finding *,
                     struct spec *bound, struct schedule *, struct problem *);

#endif
