/* asif test: does the user's own compiled code break under some schedule?
 *
 *   compile -> load -> clients -> explore, judging every run -> (the wrong run made again) -> report
 *
 * All of it happens in a child process: the user's code runs there, and whatever becomes of it, this process is left to
 * say so and to remove the temporary files. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/sources.h"
#include "cmd/test_job.h"
#include "cmd/test_stress.h"
#include "report/report.h"
#include "test/evidence.h"

static const struct opt opts[] = {
    {"spec", 's', "SPEC", "@specs",
     "what the object must do: a name (`asif specs`), a file my.c, or self: what its operations do one at "
     "a time; default: what ASIF_OBJECT in the files says"},
    {"threads", 'n', "N", NULL, "clients of up to N threads (default: 3)"},
    {"ops", 'o', "N", NULL, "with up to N operations each (default: 2)"},
    {"client", 'c', "CALLS", NULL, "only this client: 'push(1) pop() | pop()' is two threads"},
    {"main", 0, NULL, NULL,
     "the files are a program, such as unit tests: main is the test, and fails if it returns a status other than "
     "0. What follows -- is then for the program, and what follows a second -- for the compiler"},
    {"dpor", 0, NULL, NULL,
     "every schedule, up to the order of independent steps (default where a client makes up to 8 calls)"},
    {"bound", 'b', "N", NULL,
     "schedules with 0, 1, ... N delays (see --bound-by; default where a client makes more calls: more and more)"},
    {"bound-by", 0, "WHAT", "delay|preemption|rounds",
     "what --bound counts: delays of the thread whose turn it is (default), preemptions, or rounds of turns"},
    {"cache", 0, "HOW", "yes|no",
     "end a run where an equivalent schedule has been explored: for --bound (default: no) and --all (default: yes)"},
    {"skip", 0, "HOW", "yes|no",
     "do not run a schedule with delays that is known to differ from another only in the order of independent "
     "steps (default: yes)"},
    {"loops", 0, "HOW", "block|explore",
     "for --dpor: halt a thread after an iteration of a loop that changed nothing (default), or explore "
     "everything"},
    {"reuse", 0, "BLOCKS", "held|all",
     "which freed blocks an allocation may get again: those whose address another thread or memory may still "
     "have (default), or all"},
    {"random", 0, "HOW", NULL, "random schedules: pct:D (priorities, for bugs of depth D) or uniform"},
    {"runs", 0, "N", NULL, "with --random: that many schedules of each client (default: 10000)"},
    {"seed", 0, "N", NULL,
     "with --random, the same seed gives the same schedules; with --stress, the same calls (default: 1)"},
    {"all", 0, NULL, NULL,
     "every schedule, without the reduction of --dpor; with --cache no, with nothing left out: for comparison"},
    {"monitor", 0, "approx:K", NULL,
     "monitor histories by A_k instead of checking them: sees the violations that show within the last K "
     "intervals (docs/approx.md), never says linearizable; with --stress too"},
    {"races", 0, "HOW", "yes|no", "look for data races; without, plain accesses are interleaved too (default: yes)"},
    {"memory", 0, "MODEL", MEMORY_MODELS,
     "how memory behaves: sc, sequentially consistent; tso, as on x86; c11, as the code's memory orders say (default: "
     "c11 if one is weaker than seq_cst, otherwise sc)"},
    {"c11-release-sequences", 0, NULL, NULL,
     "under C11's memory, a later store of the same thread continues a release sequence, as in C11 and no longer in "
     "C++20"},
    {"published", 0, "HOW", "yes|no",
     "with --memory c11, a container orders what was done before a value was put in before what is done with "
     "it "
     "when it was taken out; no: values are only values (default: yes)"},
    {"fix", 0, "TIME", NULL,
     "of a violation under a weak memory model: look so long for the smallest set of memory orders and fences that "
     "repairs it; no: do not (default: 10, and no with --quiet)"},
    {"relax", 0, NULL, NULL,
     "which memory orders could be weaker with all clients still right: one table a file; with --memory c11"},
    {"volatile", 0, "ORDER", VOLATILE_ORDERS,
     "what a volatile access of an aligned word is: an atomic one of this order (default: relaxed, and a note where "
     "two of them race)"},
    {"suppressions", 0, "FILE", "@files",
     "do not report the races that this file names, in the thread sanitizer's format: race:FUNCTION, file:PATH"},
    {"leaks", 0, "HOW", "yes|no|auto",
     "memory that cannot be reached at the end is a violation (default: auto, if the code frees any itself)"},
    {"steps", 0, "N", NULL, "give up a run after that many steps (default: 20000)"},
    {"keep-going", 'k', NULL, NULL, "go on after a violation, and list all that differ in kind or place"},
    {"jobs", 'j', "N", NULL, "processes that explore (default: one a core)"},
    {"json", 0, NULL, NULL, "print one JSON object instead of text"},
    {"html", 0, "FILE", "@files", "write a page with the violation"},
    {"junit", 0, "FILE", "@files", "write a JUnit report"},
    {"svg", 0, "FILE", "@files", "write a picture of the violation's history"},
    {"evidence", 'e', "FILE", "@files",
     "write the evidence for the verdict, for `asif replay`; with --stress, of a history that is wrong"},
    {"compile-commands", 0, "FILE", "@files",
     "take the files' -I, -D, -U, -std, -include and -isystem from this compile_commands.json; they must\n"
     "be the same for all"},
    {"time-limit", 't', "TIME", NULL,
     "search no longer than this: 10, 0.5, 5m; what was asked for and not done makes the verdict unknown"},
    {"memory-limit", 0, "SIZE", NULL, "give up beyond this much memory: 500M, 2G"},
    {"schedules-limit", 0, "N", NULL,
     "give up after that many schedules, of all clients together; unlike a time, the same on every machine"},
    {"stats", 0, NULL, NULL, "a note says how many runs came to their end, and why others were given up"},
    {"quiet", 'q', NULL, NULL, "print the verdict line only"},
    {"replay", 0, "TOKEN", NULL, "repeat a violation: the token is what its report ends with"},
    {"debug", 0, "HOW", "gdb|lldb|self",
     "... under this debugger, which stops before anything has run; self: in this process, for another one"},
    STRESS_OPTIONS,
    {NULL, 0, NULL, NULL, NULL},
};

enum { DEFAULT_THREADS = 3, DEFAULT_OPS = 2, DEFAULT_RUNS = 10000 };
#define DEFAULT_SECONDS 10.0
#define FIX_SECONDS     10.0
#define SHRINK_LEAST    0.3 /* seconds for shrinking, where the time limit leaves less */
enum { SHRINK_STEPS = 8000000, CONSISTENTLY_MOST = 200000 };

/* Options. */

static bool exclude(const struct args *a, const char *x, const char *y) {
  if (!arg_flag(a, x) || !arg_flag(a, y)) return true;
  usage_error(a, "--%s and --%s exclude each other", x, y);
  return false;
}

/* True if the option that tells strategies apart says this one. pct:D: what follows the word is its depth. */
static bool is_said(const char *said, const struct strategy *s) {
  size_t length = strlen(s->word);
  return !strncmp(said, s->word, length) && said[length] == (s->has_depth ? ':' : '\0');
}

/* The strategy that the options ask for; NULL: none, or one that there is not. */
static const struct strategy *asked_strategy(const struct args *a) {
  for (const struct strategy *s = strategies; s < strategies + STRATEGIES; s++) {
    if (!arg_flag(a, s->option)) continue;
    const char *said = s->worded_by ? arg_value(a, s->worded_by) : NULL;
    if (!said || is_said(said, s)) return s;
  }
  return NULL;
}

static bool read_strategy(const struct args *a, struct test_job *j, bool *bad) {
  struct explore_options *o = &j->options.explore;
  const char *random = arg_value(a, "random"), *cache = arg_value(a, "cache"), *skip = arg_value(a, "skip"),
             *loops = arg_value(a, "loops");
  j->options.automatic = true;
  for (int i = 0; i < STRATEGIES; i++) {
    j->options.automatic &= !arg_flag(a, strategies[i].option);
    for (int k = 0; k < i; k++)
      if (strcmp(strategies[k].option, strategies[i].option) && !exclude(a, strategies[k].option, strategies[i].option))
        return false;
  }
  const struct strategy *s = j->options.automatic ? &strategies[EXPLORE_DPOR] : asked_strategy(a);
  const char *depth = s && s->has_depth ? strchr(random, ':') + 1 : NULL;
  char *end = NULL;
  long d = depth ? strtol(depth, &end, 10) : 0;
  if (!s || (depth && (d < 1 || d > 100 || *end)))
    return usage_error(a, "--random %s: pct:D with a D from 1 to 100, or uniform", random), false;
  *o = (struct explore_options){.strategy = s,
                                .cache = cache ? !strcmp(cache, "yes") : s->caches,
                                .skip = !skip || !strcmp(skip, "yes"),
                                .block = !loops || !strcmp(loops, "block"),
                                .orders = !arg_flag(a, "monitor"), /* A_k may see less of more order */
                                .depth = (unsigned)d};
  o->bound = (unsigned)arg_number(a, "bound", 0, 0, 1000, bad);
  o->seed = (uint64_t)arg_number(a, "seed", 1, 0, INT64_MAX, bad);
  o->runs_most = (uint64_t)arg_number(a, "runs", DEFAULT_RUNS, 1, INT64_MAX, bad);
  if (arg_flag(a, "bound-by") && !s->unit[0]) return usage_error(a, "--bound-by needs --bound N"), false;
  if (cache && !s->may_cache) return usage_error(a, "--cache needs --bound N or --all"), false;
  if (skip && ((!s->may_skip && !j->options.automatic) || o->cache))
    return usage_error(a, "--skip is for --bound N of delays, without --cache yes"), false;
  if (loops && s != &strategies[EXPLORE_DPOR]) return usage_error(a, "--loops is for --dpor"), false;
  if ((arg_flag(a, "seed") || arg_flag(a, "runs")) && !s->random)
    return usage_error(a, "--%s needs --random", arg_flag(a, "seed") ? "seed" : "runs"), false;
  return true;
}

/* Files first, then what is for the compiler: it begins with a dash. */
/* With --main what follows -- is for the program, and what follows another one for the compiler. */
static void read_program(const struct args *a, struct test_job *j) {
  int end = a->own;
  while (end < a->count && strcmp(a->at[end], "--")) end++;
  j->program = a->at + a->own;
  j->flags = a->at + end + (end < a->count);
  a->at[end] = NULL;
}

static bool same_flags(const struct flag_list *a, const struct flag_list *b) {
  bool same = a->list.count == b->list.count;
  for (size_t i = 0; same && i < a->list.count; i++) same = !strcmp(a->list.at[i], b->list.at[i]);
  return same;
}

/* --compile-commands: all files are compiled with one set of flags. */
static bool read_commands(const struct args *a, struct test_job *j, int files) {
  struct flag_list all = {{NULL, 0, 0}};
  if (!arg_value(a, "compile-commands")) return true;
  for (int i = 0; i < files; i++) {
    struct flag_list one = {{NULL, 0, 0}};
    if (!sources_flags(a, j->inputs[i], &one)) return false;
    if (i && !same_flags(&all, &one))
      return usage_error(a, "--compile-commands: %s and %s have different flags: test compiles all files with the same",
                         j->inputs[0], j->inputs[i]),
             false;
    all = one;
  }
  for (char *const *f = j->flags; *f; f++) vec_push(a->mem, &all.list, *f);
  vec_push(a->mem, &all.list, NULL);
  j->flags = all.list.at;
  return true;
}

static bool read_inputs(const struct args *a, struct test_job *j) {
  int files = 0;
  while (files < a->count && a->at[files][0] != '-') files++;
  if (arg_flag(a, "main")) files = a->own;
  if (!files) return usage_error(a, "no file to test: usage: asif test %s", a->command->usage), false;
  j->inputs = calloc((size_t)files + 1, sizeof *j->inputs);
  if (!j->inputs) return say_error("out of memory"), false;
  memcpy(j->inputs, a->at, (size_t)files * sizeof *j->inputs);
  j->flags = a->at + files;
  if (arg_flag(a, "main")) read_program(a, j);
  return read_commands(a, j, files);
}

/* Is memory to be as the code's orders ask for? So it is where nobody says how, and nothing excludes it. */
static void open_memory(const struct args *a, struct test_job *j) {
  const char *reuse = arg_value(a, "reuse");
  if (arg_flag(a, "memory") || arg_flag(a, "replay") || j->options.run.memory != MEMORY_SC) return;
  if (arg_flag(a, "monitor")) j->sc_because = "--monitor";
  if (!j->options.run.races) j->sc_because = "--races no";
  if (reuse && !strcmp(reuse, "held")) j->sc_because = "--reuse held";
  j->options.memory_open = !j->sc_because;
}

/* What a weak memory model does not go with. */
static bool memory_fits(const struct args *a, const struct test_job *j) {
  const char *model = memory_model_name(j->options.run.memory), *reuse = arg_value(a, "reuse"), *what = NULL;
  if (arg_flag(a, "replay")) what = "--replay: the token says what memory was";
  if (arg_flag(a, "monitor")) what = "--monitor: which call came after which return is no part of an execution there";
  if (!j->options.run.races) what = "--races no: what a plain access reads is not known if it races";
  if (reuse && !strcmp(reuse, "held"))
    what = "--reuse held: an old value that is read may be the address of any freed block";
  if (what) usage_error(a, "--memory %s does not go with %s", model, what);
  return !what;
}

/* --fix and --relax. */
static bool read_orders(const struct args *a, struct test_job *j, bool *bad) {
  const char *fix = arg_value(a, "fix"), *memory = arg_value(a, "memory");
  bool no = fix ? !strcmp(fix, "no") : arg_flag(a, "quiet");
  j->fix_seconds = no ? 0 : arg_seconds(a, "fix", FIX_SECONDS, bad);
  j->relax = arg_flag(a, "relax");
  if (!j->relax) return true;
  if (memory && j->options.run.memory != MEMORY_C11) return usage_error(a, "--relax needs --memory c11"), false;
  j->options.run.memory = MEMORY_C11;
  static const char *const others[] = {"replay", "keep-going", "bound", "random", "all"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (!exclude(a, "relax", others[i])) return false;
  j->sized = true; /* it needs clients that are explored in full */
  return true;
}

static bool read_options(const struct args *a, struct test_job *j) {
  bool bad = false;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const char *races = arg_value(a, "races"), *reuse = arg_value(a, "reuse");
  j->args = a;
  j->cpu = clock_cpu_seconds();
  j->size.threads = (unsigned)arg_number(a, "threads", 0, 1, FIBERS_MOST - 2, &bad);
  j->size.ops = (unsigned)arg_number(a, "ops", DEFAULT_OPS, 1, 1000, &bad);
  j->sized = arg_flag(a, "threads") || arg_flag(a, "ops") || arg_flag(a, "client") || arg_flag(a, "runs");
  j->limited = arg_flag(a, "time-limit");
  j->options.keep_going = arg_flag(a, "keep-going");
  j->options.jobs = (unsigned)arg_number(a, "jobs", cores > 0 ? cores : 1, 1, 64, &bad);
  j->options.run.races = !races || !strcmp(races, "yes");
  j->options.run.steps_most = (size_t)arg_number(a, "steps", 0, 10, 10000000, &bad);
  j->options.run.reuse_all = reuse && !strcmp(reuse, "all");
  j->options.run.volatiles = volatile_order_read(arg_value(a, "volatile"));
  memory_model_read(arg_value(a, "memory"), &j->options.run.memory);
  if (!read_orders(a, j, &bad)) return false;
  j->options.run.own_sequences = arg_flag(a, "c11-release-sequences");
  if (j->options.run.own_sequences && arg_flag(a, "memory") && j->options.run.memory != MEMORY_C11)
    return usage_error(a, "--c11-release-sequences is for --memory c11"), false;
  bool weak = j->options.run.memory != MEMORY_SC;
  if (weak && !memory_fits(a, j)) return false;
  j->options.run.reuse_all |= weak; /* a stale value may be the address of a freed block */
  open_memory(a, j);
  j->leaks = arg_value(a, "leaks");
  j->repeats = (uint64_t)arg_number(a, "repeat", 1, 1, INT64_MAX, &bad);
  j->seconds = arg_seconds(a, "time-limit", 0, &bad);
  j->bytes = arg_bytes(a, "memory-limit", 0, &bad);
  j->options.schedules_most = (uint64_t)arg_number(a, "schedules-limit", 0, 1, INT64_MAX, &bad);
  j->options.run.bytes_most = j->bytes / j->options.jobs;
  if (!read_monitor(a, &j->options.approx, &j->options.k) || !exclude(a, "replay", "monitor")) return false;
  if (!exclude(a, "client", "threads") || !exclude(a, "client", "ops") || !exclude(a, "replay", "keep-going"))
    return false;
  return read_strategy(a, j, &bad) && !bad && read_inputs(a, j);
}

/* The child. */

static void show_progress(void *self, const struct searched *s) {
  const struct limits *l = self;
  double seconds = limits_elapsed(l);
  fprintf(stderr, "\r%llu of %s%llu clients, %.2f M schedules, %.2f M/s, ", (unsigned long long)s->done,
          s->uncounted ? "more than " : "", (unsigned long long)s->clients, (double)s->schedules / 1e6,
          (double)s->schedules / 1e6 / (seconds > 0 ? seconds : 1));
  if (s->histories) fprintf(stderr, "%llu histories, ", (unsigned long long)s->histories);
  fprintf(stderr, "%.0f s  ", seconds);
  fflush(stderr);
}

/* As many threads as asked for, or as the roles need. */
static void default_threads(struct test_job *j) {
  unsigned fixed = 0;
  bool rest = !j->object.role_count;
  for (unsigned r = 0; r < j->object.role_count; r++) {
    rest |= j->object.roles[r].threads == ASIF_REST;
    fixed += j->object.roles[r].threads == ASIF_REST ? 0 : (unsigned)j->object.roles[r].threads;
  }
  if (j->size.threads) return;
  j->size.threads = !rest ? fixed : fixed + 1 > DEFAULT_THREADS ? fixed + 1 : DEFAULT_THREADS;
}

static bool make_clients(struct test_job *j, struct mem *m, struct problem *why) {
  const char *one = arg_value(j->args, "client");
  if (j->object.tests && (arg_flag(j->args, "threads") || arg_flag(j->args, "ops"))) {
    problem_set(why, "--threads and --ops are for clients of an object: tests (ASIF_TEST) start threads of their own");
    return false;
  }
  if (j->object.tests) j->size.threads = j->size.ops = 1;
  default_threads(j);
  j->clients = (struct client_source){.object = &j->object, .size = j->size};
  if (!one) return true;
  struct client *c = mem_zero(m, 1, sizeof *c);
  j->clients.one = c;
  return client_parse(m, &j->object, one, c, why);
}

/* Without a limit of the user's, and without a size, it takes as long as one waits gladly; what was reached is then the
 * answer. */
static void settle(struct test_job *j) {
  if (j->answer.verdict != VERDICT_UNKNOWN || j->answer.limit != LIMIT_TIME || j->answer.unsupported || j->limited ||
      j->sized || j->object.tests || !j->answer.done)
    return;
  j->answer.verdict = VERDICT_HOLDS;
}

/* The same again and again: the same choices lead to the same. */
static bool repeat_exactly(const struct test_job *j, struct problem *why) {
  const struct finding *f = &j->answer.finding;
  struct mem m;
  mem_open_beside(&m, j->mem);
  for (uint64_t i = 1; i < j->repeats; i++) {
    struct finding again = *f;
    if (!replay(&m, j->image, &j->object, &j->options.run, &again, why)) return mem_close(&m), false;
    if (again.found != f->found || again.count != f->count ||
        memcmp(again.choices, f->choices, f->count * sizeof *f->choices)) {
      problem_set(why,
                  "the %llu. time it did something else: does the code depend on what is no part of it, as the time or "
                  "a random number?",
                  (unsigned long long)i + 1);
      return mem_close(&m), false;
    }
    mem_close(&m);
  }
  return true;
}

/* The run of a token. */
static bool repeat(struct test_job *j, const char *token, struct problem *why) {
  struct finding *f = &j->answer.finding;
  uint32_t checksum;
  if (!replay_parse(&j->own, &j->object, token, &j->options.run, f, &checksum, why)) return false;
  j->changed = checksum != code_checksum(&j->own, j->compiled.object);
  object_run_options(&j->object, &j->options.run);
  struct searched *s = &j->answer;
  s->clients = s->done = s->histories = 1;
  s->schedules = j->repeats;
  if (!arg_flag(j->args, "debug") && finding_dies(&j->own, j->image, &j->object, &j->options.run, &j->limits, f))
    return s->verdict = VERDICT_VIOLATED, true;
  if (!replay(&j->own, j->image, &j->object, &j->options.run, f, why)) {
    if (j->changed)
      problem_set(why, "--replay: the code has changed since the token was made, and cannot do the same again");
    return false;
  }
  if (!repeat_exactly(j, why)) return false;
  s->verdict = f->found ? VERDICT_VIOLATED : VERDICT_HOLDS;
  s->steps = f->count;
  return true;
}

/* How a finding is run again. Where it is not known beforehand whether leaks count, they hide nothing else. */
static struct run_options options_for(const struct test_job *j, const struct finding *f) {
  struct run_options o = j->options.run;
  if (j->options.leaks_if_deleted) o.leaks = f->found == FOUND_LEAK;
  return o;
}

/* Makes a finding smaller. What it is must stay: not only its kind, but where it is. */
static bool shrink(struct test_job *j, uint64_t steps, struct finding *f, struct problem *why) {
  double left = j->limits.seconds - limits_elapsed(&j->limits);
  struct shrink_limits limits = {.steps = steps,
                                 .seconds = !j->limited           ? 0
                                            : left < SHRINK_LEAST ? SHRINK_LEAST
                                                                  : left,
                                 .interrupted = &interrupted};
  struct finding first = *f;
  struct run_options how = options_for(j, f);
  if (!finding_shrink(&j->own, j->image, &j->object, &how, &limits, f, why)) return false;
  if (j->options.keep_going && f->found != FOUND_HISTORY &&
      finding_key_again(j->image, &j->object, &how, f) != first.key)
    *f = first;
  return true;
}

/* Runs it again, and tells it. */
static bool tell(struct test_job *j, struct finding *f, struct spec *spec, struct schedule *schedule,
                 const char **token, struct problem *why) {
  struct run_options how = options_for(j, f);
  if (!f->died && !finding_explain(&j->own, j->image, &j->object, &how, f, spec, schedule, why)) return false;
  *token = replay_token(&j->own, &j->object, &how, f, code_checksum(&j->own, j->compiled.object));
  return true;
}

/* The same but for the numbers in it? */
static bool same_words(const char *a, const char *b) {
  static const char digits[] = "0123456789";
  for (;; a++, b++) {
    a += strspn(a, digits);
    b += strspn(b, digits);
    if (*a != *b) return false;
    if (!*a) return true;
  }
}

/* Histories that are wrong in the same way are the same mistake, as far as anybody can tell. */
static bool is_listed(const struct test_job *j, const struct finding *f) {
  if (f->found != FOUND_HISTORY) return false;
  const struct finding *first = &j->answer.finding;
  bool listed = first->found == f->found && same_words(reason_of(first), reason_of(f));
  for (size_t i = 0; i < j->other_count; i++) {
    const struct finding *o = j->others[i].finding;
    listed |= o->found == f->found && same_words(reason_of(o), reason_of(f));
  }
  return listed;
}

static bool tell_others(struct test_job *j, struct problem *why) {
  struct searched *s = &j->answer;
  j->others = mem_zero(&j->own, s->other_count + 1, sizeof *j->others);
  for (size_t i = 0; i < s->other_count; i++) {
    struct finding *f = &s->others[i];
    struct test_other *o = &j->others[j->other_count];
    if (!f->died && !shrink(j, SHRINK_STEPS / 4, f, why)) return false;
    if (!tell(j, f, &o->spec, &o->schedule, &o->token, why)) return false;
    o->finding = f;
    if (!is_listed(j, f)) j->other_count++;
  }
  return true;
}

/* A finding is made smaller, run again, and told. */
static bool tell_finding(struct test_job *j, bool smaller, struct problem *why) {
  struct finding *f = &j->answer.finding;
  struct run_options how = options_for(j, f);
  *j->phase = PHASE_TELL;
  if (smaller && !f->died && !finding_repeats(j->image, &j->object, &how, f, why)) return false;
  if (smaller && !f->died && !shrink(j, SHRINK_STEPS, f, why)) return false;
  return tell(j, f, &j->spec, &j->schedule, &j->token, why) && tell_others(j, why);
}

/* Puts the place in the source before what could not be run, and names of C++ as they are written; a sentence that
 * names its place itself has no address. */
static char *with_place(struct test_job *j, const char *said, uintptr_t pc) {
  struct place at;
  struct text t;
  uintptr_t offset = pc - image_base(j->image) - 1;
  names_demangle(&j->own, (const char **const[]){&said}, 1);
  char *plain = mem_string(&j->own, said, strlen(said));
  if (!pc || !places_find(&j->own, j->compiled.object, &offset, 1, &at) || !at.line) return plain;
  text_open(&t, &j->own);
  text_printf(&t, "%s:%u: %s", at.file, (unsigned)at.line, plain);
  return t.at;
}
static void place_unsupported(struct test_job *j) {
  struct searched *s = &j->answer;
  if (s->unsupported) s->unsupported = with_place(j, s->unsupported, s->unsupported_pc);
}

static void set_memory(const struct test_job *j, struct run_options *o, enum memory_model memory) {
  const char *reuse = arg_value(j->args, "reuse");
  o->memory = memory;
  o->reuse_all = memory != MEMORY_SC || (reuse && !strcmp(reuse, "all"));
}

/* Memory is as the code asks for, and then, if it does what weak models are not for, sequentially consistent. */
static bool must_change_memory(struct test_job *j) {
  struct run_options *o = &j->options.run;
  const struct searched *s = &j->answer;
  if (!j->options.memory_open || !(o->memory == MEMORY_SC ? s->weaker : s->beyond)) return false;
  j->options.memory_open = o->memory == MEMORY_SC;
  set_memory(j, o, j->options.memory_open ? MEMORY_C11 : MEMORY_SC);
  if (o->memory != MEMORY_SC) return true;
  j->sc_because = s->unsupported          ? with_place(j, s->unsupported, s->unsupported_pc)
                  : s->larger.unsupported ? with_place(j, s->larger.unsupported, 0)
                                          : "a run with more than 4096 atomic accesses (updates count twice)";
  return true;
}

/* Was the search given up, since it did not look at all that it must? Then it does from now on. */
static bool must_search_again(struct test_job *j) {
  struct run_options *o = &j->options.run;
  if (j->answer.verdict == VERDICT_VIOLATED) return false;
  if (must_change_memory(j)) return true;
  if (j->answer.reads_freed && !o->reuse_all) return o->reuse_all = true;
  if (j->answer.shares_stacks && o->races && !o->stacks) return o->stacks = true;
  return false;
}

/* The clock of a limit begins with what it limits: loading the code, whose constructors may hang, and then the search.
 * What the compiler takes is not theirs. */
static void begin_loading(void *self) {
  struct test_job *j = self;
  *j->phase = PHASE_LOAD;
  limits_time(&j->limits, j->seconds);
}
static void begin_search(struct test_job *j) {
  *j->phase = PHASE_RUN;
  bool limited = j->limited || j->sized || j->options.schedules_most; /* by what is asked for */
  limits_time(&j->limits, limited ? j->seconds : DEFAULT_SECONDS);
}

/* Where nobody says which clients, or how they are explored, there is always more to try. */
static bool search(struct test_job *j, struct mem *m, struct problem *why) {
  if (!j->anytime) return search_clients(m, j->image, &j->clients, &j->options, &j->limits, &j->answer, why);
  return search_anytime(m, j->image, &j->clients, &j->options, j->limited, &j->limits, &j->answer, why);
}

/* What is wrong where memory is sequentially consistent too is easier to understand there. So the client in which
 * something was found is searched once more. */
static bool search_consistently(struct test_job *j, struct mem *m, struct problem *why) {
  struct searched s, *answer = &j->answer;
  struct search_options o = j->options;
  struct client_source one = {.object = &j->object, .one = &answer->finding.client};
  if (answer->verdict != VERDICT_VIOLATED || !o.memory_open || o.run.memory == MEMORY_SC || o.keep_going) return true;
  set_memory(j, &o.run, MEMORY_SC);
  o.memory_open = false;
  o.coverage = NULL;
  o.progress = NULL;
  if (!o.schedules_most || o.schedules_most > CONSISTENTLY_MOST) o.schedules_most = CONSISTENTLY_MOST;
  if (!search_clients(m, j->image, &one, &o, &j->limits, &s, why)) return false;
  answer->cpu_seconds += s.cpu_seconds;
  if (s.verdict != VERDICT_VIOLATED) return true;
  answer->finding = s.finding;
  answer->schedules += s.schedules;
  answer->histories += s.histories;
  j->options.run = o.run;
  return j->told_consistently = true;
}

/* Code that may access freed memory: its plain accesses are steps, and no weak model has these. */
static bool type_stable_fits(struct test_job *j, struct problem *why) {
  const char *model = memory_model_name(j->options.run.memory);
  if (j->options.memory_open) j->sc_because = "ASIF_TYPE_STABLE";
  j->options.memory_open = false;
  if (j->options.run.memory == MEMORY_SC) return true;
  return problem_of(why, PROBLEM_UNSUPPORTED, "ASIF_TYPE_STABLE: not under --memory %s", model), false;
}

static bool explore_all(struct test_job *j, struct mem *m, struct problem *why) {
  struct object_options o = {.inputs = j->inputs,
                             .flags = j->flags,
                             .program = j->program,
                             .spec = arg_value(j->args, "spec"),
                             .directory = j->directory,
                             .compiled = begin_loading,
                             .self = j};
  if (!object_open(m, &o, &j->image, &j->compiled, &j->object, why)) return false;
  const char *published = arg_value(j->args, "published");
  j->object.plain_values = published && !strcmp(published, "no");
  *j->phase = PHASE_PREPARE;
  limits_time(&j->limits, 0);
  mem_open_beside(&j->own, m);
  if (!suppressions_read(&j->own, arg_value(j->args, "suppressions"), j->image, j->compiled.object, &j->options.run,
                         &j->suppressions, why))
    return false;
  const char *token = arg_value(j->args, "replay");
  if (token) begin_search(j);
  if (token) return repeat(j, token, why) && (j->answer.verdict == VERDICT_HOLDS || tell_finding(j, false, why));
  if (!make_clients(j, m, why)) return false;
  bool automatic = !j->leaks || !strcmp(j->leaks, "auto");
  j->options.run.leaks = automatic ? j->object.frees != FREES_NOTHING : !strcmp(j->leaks, "yes");
  j->options.leaks_if_deleted = automatic && j->object.frees == FREES_DELETED;
  object_run_options(&j->object, &j->options.run);
  if (j->options.run.type_stable && !type_stable_fits(j, why)) return false;
  j->options.coverage = coverage_open(&j->own, &j->compiled, j->image, &j->clients, j->program != NULL);
  bool several = !j->object.tests || j->object.op_count > 1; /* one test is divided among the processes */
  j->anytime = !j->sized && j->options.automatic && !j->options.approx && several;
  begin_search(j);
  if (!search(j, m, why)) return false;
  while (must_search_again(j))
    if (!search(j, m, why)) return false;
  if (!search_consistently(j, m, why)) return false;
  j->options.memory_open = false;
  j->covered = j->options.coverage && coverage_known(j->options.coverage) && j->answer.verdict != VERDICT_VIOLATED &&
               j->answer.schedules;
  if (j->covered) j->unreached_count = coverage_unreached(j->options.coverage, &j->unreached);
  coverage_close(j->options.coverage);
  place_unsupported(j);
  settle(j);
  if (j->answer.verdict == VERDICT_HOLDS && j->compiled.unscanned) { /* there may be code that nobody saw run */
    j->answer.verdict = VERDICT_UNKNOWN;
    j->answer.limit = LIMIT_NONE;
    j->answer.unsupported = j->compiled.unscanned;
  }
  if (j->relax) look_for_weaker(j);
  if (j->answer.verdict != VERDICT_VIOLATED) return true;
  if (tell_finding(j, true, why)) return look_for_fix(j), true;
  if (why->kind != PROBLEM_UNSUPPORTED) return false;
  j->answer.verdict = VERDICT_UNKNOWN; /* what was found cannot be relied on */
  j->answer.limit = LIMIT_NONE;
  j->answer.unsupported = mem_string(&j->own, why->text, strlen(why->text));
  return true;
}

/* Of whom the terminal, the parent, or both tell. */
static void on_interrupt(int sig) {
  (void)sig;
  interrupted = 1;
  commands_stop(); /* compilers */
}

/* Nothing is known of what was tested: the answer is unknown, and says why. */
static int answer_nothing(struct test_job *j, enum limit limit, const char *because) {
  object_close(&j->object);
  j->object = (struct object){.file = j->inputs[0], .bound = -1};
  j->answer = (struct searched){.verdict = VERDICT_UNKNOWN, .limit = limit, .uncounted = true};
  j->because = because;
  return test_answer(j);
}

int not_tested(const struct args *a, const char *file, const char *why) {
  struct text t;
  text_open(&t, a->mem);
  if (arg_flag(a, "json")) {
    text_add(&t, "{\"schema\":\"asif-1\",\"command\":\"test\",\"verdict\":\"unknown\",\"reason\":");
    text_printf(&t, "\"%s before anything was tested\",\"object\":", why);
    put_json(&t, file, strlen(file));
    text_add(&t, "}\n");
  } else {
    text_printf(&t, "verdict: unknown: %s before anything was tested\n", why);
  }
  write_stdout(text_string(&t), t.count);
  return EXIT_UNKNOWN;
}

static int in_child(struct test_job *j) {
  struct mem m;
  struct problem why;
  volatile int status = EXIT_UNKNOWN;
  struct sigaction hear = {.sa_handler = on_interrupt};
  hear_interrupts(&hear);
  if (isatty(STDERR_FILENO)) {
    j->options.progress = show_progress;
    j->options.progress_self = &j->limits;
  }
  mem_open(&m, &j->limits);
  j->mem = &m;
  if (arg_flag(j->args, "debug")) output_leave();
  if (MEM_GUARD(&m)) {
    output_show();
    j->answer.verdict = VERDICT_UNKNOWN;
    j->answer.limit = j->limits.reached ? (enum limit)j->limits.reached : LIMIT_NO_MEMORY;
    j->answer.uncounted |= !j->answer.clients;
    return j->object.file ? test_answer(j) : answer_nothing(j, j->answer.limit, " before anything was tested");
  }
  bool good = explore_all(j, &m, &why);
  output_show();
  if (j->options.progress) fprintf(stderr, "\r%79s\r", "");
  bool late = j->limits.seconds > 0 && limits_elapsed(&j->limits) >= j->limits.seconds;
  if (!good && interrupted && !j->object.file)
    status = answer_nothing(j, late ? LIMIT_TIME : LIMIT_INTERRUPT, " before anything was tested");
  else if (!good && why.kind == PROBLEM_SYSTEM)
    status = answer_nothing(j, LIMIT_NONE, why.text);
  else
    status = good ? test_answer(j) : problem_status(&why);
  object_close(&j->object);
  mem_close(&m);
  return status;
}

/* The parent. It ends the child, and with it all that the child has started, if that does not hear that it is over. */

static volatile sig_atomic_t told; /* to end */

static void on_told(int sig) { told = sig; }

/* The verdict stands, however the rest ended. */
static int only_said(const struct test_job *j, const char *how) {
  say_error("the process that writes the files asked for ended before they were written (%s)", how);
  return *j->status;
}

static int status_of_child(struct test_job *j, int status) {
  const char *how = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit";
  char said[200];
  if (*j->phase == PHASE_DONE) return *j->status;
  if (*j->phase == PHASE_SAID) return only_said(j, how);
  if (WIFEXITED(status) && WEXITSTATUS(status) == RUN_NO_MEMORY) /* it has said for what */
    return answer_nothing(j, LIMIT_NONE, "the process that runs the code had no memory left");
  if (*j->phase == PHASE_LOAD)
    return say_error("%s: the code ended while it was loaded, before any operation was called (%s): its constructors?",
                     j->inputs[0], how),
           EXIT_USAGE;
  snprintf(said, sizeof said,
           "the process that runs the code ended (%s): it may have written over memory that is not its own", how);
  return answer_nothing(j, LIMIT_NONE, said);
}

/* --debug: the same command in a debugger, in one process. */
static int under_debugger(const struct args *a, const struct test_job *j, const char *debugger) {
  static char self[4096];
  VEC(char *) w = {NULL, 0, 0};
  struct mem m;
  mem_open(&m, NULL);
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) return say_error("this program cannot be found in /proc/self/exe"), EXIT_USAGE;
  bool gdb = !strcmp(debugger, "gdb");
  static const char *const in_gdb[] = {
      "gdb", "-q", "-ex", "set breakpoint pending on", "-ex", "break asif_replay_begins", "-ex", "run", "--args"};
  static const char *const in_lldb[] = {"lldb", "-o", "breakpoint set --name asif_replay_begins", "-o", "run", "--"};
  size_t count = gdb ? sizeof in_gdb / sizeof *in_gdb : sizeof in_lldb / sizeof *in_lldb;
  for (size_t i = 0; i < count; i++) vec_push(&m, &w, (char *)(gdb ? in_gdb : in_lldb)[i]);
  vec_push(&m, &w, self);
  vec_push(&m, &w, "test");
  for (char **in = j->inputs; *in; in++) vec_push(&m, &w, *in);
  if (j->program) vec_push(&m, &w, "--main");
  static const char *const pass[] = {"--replay", "--spec", "--steps"};
  for (size_t i = 0; i < sizeof pass / sizeof *pass; i++) {
    const char *given = arg_value(a, pass[i] + 2);
    if (!given) continue;
    vec_push(&m, &w, (char *)pass[i]);
    vec_push(&m, &w, (char *)given);
  }
  vec_push(&m, &w, "--debug");
  vec_push(&m, &w, "self");
  vec_push(&m, &w, "--");
  for (char **word = j->program; word && *word; word++) vec_push(&m, &w, *word);
  if (j->program) vec_push(&m, &w, "--");
  for (char **f = j->flags; *f; f++) vec_push(&m, &w, *f);
  vec_push(&m, &w, NULL);
  execvp(w.at[0], w.at);
  say_error("%s cannot be run: %s", debugger, strerror(errno));
  mem_close(&m);
  return EXIT_USAGE;
}

#define GRACE 1.0 /* seconds for the child to end by itself */

/* Waits for the child, as long as it may take. */
static int wait_for_child(struct test_job *j, pid_t child, int pipe_end) {
  struct pollfd fd = {.fd = pipe_end, .events = POLLIN};
  double started = 0, since = 0;
  int status = 0, phase = PHASE_COMPILE;
  enum limit limit = LIMIT_NONE;
  while (waitpid(child, &status, WNOHANG) == 0) {
    double now = clock_seconds(), grace = *j->phase == PHASE_TELL ? 5 * GRACE : GRACE;
    if (phase < PHASE_RUN && *j->phase != phase) started = now; /* the child's clock begins again, too */
    phase = *j->phase;
    if (!since &&
        (told || (j->seconds > 0 && (phase == PHASE_LOAD || phase >= PHASE_RUN) && now > started + j->seconds))) {
      since = now;
      limit = told ? LIMIT_INTERRUPT : LIMIT_TIME;
      if (told || *j->phase < PHASE_RUN) kill(child, SIGTERM);
    }
    if (since && now > since + grace) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      if (*j->phase >= PHASE_SAID) return status_of_child(j, status);
      return answer_nothing(j, limit, ", and the code did not end by itself");
    }
    poll(&fd, 1, since ? 20 : 100); /* its end is at the other end of the pipe */
    if (fd.revents) usleep(1000);
  }
  return status_of_child(j, status);
}

static int supervise(struct test_job *j) {
  struct sigaction hear = {.sa_handler = on_told};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return say_error("no pipe can be made: %s", strerror(errno)), EXIT_UNKNOWN;
  fflush(stdout);
  fflush(stderr);
  hear_interrupts(&hear);
  pid_t parent = getpid(), child = fork();
  if (child < 0) return say_error("no process can be made: %s", strerror(errno)), EXIT_UNKNOWN;
  if (!child) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_UNKNOWN);
    close(ends[0]);
    int nothing = open("/dev/null", O_RDONLY); /* the code is not to wait for somebody to type something */
    if (nothing > 0) dup2(nothing, STDIN_FILENO), close(nothing);
    *j->status = in_child(j);
    fflush(stdout);
    *j->phase = PHASE_DONE;
    _exit(*j->status);
  }
  close(ends[1]);
  int status = wait_for_child(j, child, ends[0]);
  close(ends[0]);
  return status;
}

static int run(const struct args *a) {
  struct test_job j = {0};
  struct mem m;
  struct problem why;
  if (!stress_options_fit(a)) return EXIT_USAGE;
  if (arg_flag(a, "stress")) return read_inputs(a, &j) ? test_stress(a, j.inputs, j.flags) : EXIT_USAGE;
  if (!read_options(a, &j)) return EXIT_USAGE;
  const char *debug = arg_value(a, "debug");
  if (debug && !arg_value(a, "replay")) return usage_error(a, "--debug needs --replay TOKEN"), EXIT_USAGE;
  if (debug && strcmp(debug, "self")) return under_debugger(a, &j, debug);
  mem_open(&m, NULL);
  volatile int status = EXIT_UNKNOWN;
  j.phase = mmap(NULL, 2 * sizeof *j.phase, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  j.status = j.phase + 1;
  if (MEM_GUARD(&m)) { /* there is no folder yet */
    say_error("out of memory");
  } else if (j.phase == MAP_FAILED) {
    say_error("out of memory");
  } else if (!(j.directory = compile_directory(&m, &why))) {
    status = problem_status(&why);
  } else {
    limits_start(&j.limits, 0, j.bytes);
    j.begun = j.limits.started;
    j.limits.interrupted = &interrupted;
    status = debug ? in_child(&j) : supervise(&j);
    compile_remove(j.directory);
  }
  free(j.inputs);
  mem_close(&m);
  return status;
}

const struct command command_test = {
    .name = "test",
    .usage = "FILE... [--spec SPEC] [--threads N] [--ops N] [-- COMPILER ARGUMENTS]",
    .summary = "run compiled C or C++ under chosen schedules, to find one that breaks it",
    .details = "The files are the object as it ships: sources (.c, .cc, .cpp, .cxx), which are compiled with hooks\n"
               "at every access to memory, and objects and archives made with `asif cc`. One of them has a few\n"
               "lines that say what the object is (docs/harness.md); none are needed where functions have the\n"
               "names of the specification's operations and --spec is given.\n"
               "\n"
               "Threads call its operations, in every combination up to a size, smallest first, under every\n"
               "schedule, up to the order of independent steps. Every history is checked; data races, uses of\n"
               "freed memory, leaks, deadlocks, livelocks, failed assertions and crashes are violations too. The\n"
               "first violation is shown. Files with ASIF_TEST bodies, or --main, are tests that start threads\n"
               "themselves (docs/test.md).\n"
               "\n"
               "With --stress, threads of the system run on the cores there are and call operations at random,\n"
               "round after round; what they record is checked. Which schedules occur is up to the machine.\n"
               "\n"
               "Without --threads, --ops and --client some larger clients are tried as well, under few delays and\n"
               "preemptions: for up to 10 seconds, or for all of --time-limit. Compiling does not count. The verdict\n"
               "says how far it came. Memory is as C11 has it where the code asks for orders weaker than seq_cst\n"
               "(docs/weak-memory.md), otherwise sequentially consistent.\n"
               "\n"
               "Exit status: 0 no violation in what was run (the verdict says whether that was every schedule),\n"
               "1 violated, 2 bad usage or code that does not compile, 3 unknown (a limit was reached, or the\n"
               "code cannot be run under a scheduler), 4 internal error.\n"
               "\n"
               "Examples:\n"
               "  asif test stack.c                              the specification is in the file\n"
               "  asif test stack.c --spec stack                 ... or is named\n"
               "  asif test queue.cpp --spec self                are its operations atomic?\n"
               "  asif test queue.c -n 4 -o 1                    up to four threads, one operation each\n"
               "  asif test queue.c --client 'enq(1) deq() | deq()'\n"
               "  asif test queue.c --bound 3 --bound-by preemption\n"
               "  asif test queue.c --random pct:3 --runs 1M --seed 7\n"
               "  asif test queue.c -n 2 -o 2 --memory c11       what weak memory breaks; its fix\n"
               "  asif test queue.c -n 2 -o 2 --relax            which orders could be weaker\n"
               "  asif test queue.c --replay 1:r:a1_b:A2B:5f3a   once more; --debug gdb: and stop before it begins\n"
               "  asif test queue.c --stress -n 4 -t 1m          real threads on real cores\n"
               "  asif test queue.c --stress --throughput        how fast is it?\n"
               "  asif test queue.c --evidence why.txt; asif replay why.txt\n"
               "  asif test queue.c -- -O2 -Iinclude -DSIZE=4    for the compiler\n"
               "  CC=\"asif cc\" make && asif test harness.c queue.o pool.o\n"
               "  asif test --main test.cpp queue.o -- --filter=full -- -Iinclude   a program of its own\n",
    .opts = opts,
    .least = 1,
    .most = -1,
    .run = run,
};
