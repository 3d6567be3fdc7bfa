/* asif verify: is this C object linearizable, for a few threads, whatever they do?
 *
 *   read -> search -> (the wrong execution made again and checked) -> report */
#include <string.h>
#include <unistd.h>

#include "cmd/sources.h"
#include "cmd/verify_job.h"
#include "history/format.h"
#include "verify/schedule.h"

static const struct opt opts[] = {
    {"spec", 's', "SPEC", "@specs",
     "what the object must do: a name (`asif specs`), a file my.c, or self: what its operations do one at\n"
     "a time; default: what ASIF_OBJECT in the file says"},
    {"against", 0, "FILE.c", "@files", "what the object must do: what another object can do, called as this one is"},
    {"threads", 'n', "N", NULL, "threads (default: 2)"},
    {"ops", 'o', "N", NULL,
     "operations each thread performs, or forever (default: 1; with --progress and --ltl forever)"},
    {"bound", 'b', "N", NULL,
     "no calls that would grow the specification's state past N elements (default: ASIF_BOUND)"},
    {"points", 0, NULL, NULL, "verify by the marked linearization points (ASIF_LIN)"},
    {"approx", 0, "K", NULL,
     "count operations by interval instead of following the specification: sees the violations that\n"
     "show within the last K intervals (docs/approx.md), never says linearizable"},
    {"progress", 0, "CONDITION", "deadlock-free|obstruction-free|lock-free|wait-free",
     "do operations return in the end? See docs/progress.md"},
    {"ltl", 0, "FORMULA", NULL, "is this formula true of all executions? As '[](call(read) -> <>return(read))'"},
    {"fair", 0, "HOW", "none|weak|strong", "... of those that are fair to threads (default: none)"},
    {"reduce", 'r', "HOW", "best|none|sym1|sym|por|both|tau",
     "best: the fastest; none, sym1, sym, por, both: Algorithms 4.1 to 4.5 of Liu et al. 2013;\n"
     "tau: the 2009 paper's"},
    {"search", 0, "ORDER", "breadth|depth", "breadth first finds the shortest counterexample (default)"},
    {"steps", 0, "STEPS", "shared|statement", "a step is one shared access (default), or one statement"},
    {"weak", 0, NULL, NULL, "atomic_compare_exchange_weak also fails without a reason"},
    {"malloc-fails", 0, NULL, NULL,
     "malloc, calloc, realloc and their kin also fail, each time that an operation calls one"},
    {"races", 0, "WHETHER", "yes|no",
     "two threads access a variable at a time, one writes, one not atomically: a violation (default), or\n"
     "no matter, for models whose plain accesses stand for atomic ones"},
    {"leaks", 0, "HOW", "yes|no|auto",
     "memory that nobody can reach and nobody freed is a violation, where nothing else is wrong (default: auto,\n"
     "if the code frees memory)"},
    {"memory", 0, "MODEL", MEMORY_MODELS,
     "how memory behaves: sequentially consistent (default), as on x86, or as C11's memory orders allow"},
    {"volatile", 0, "ORDER", VOLATILE_ORDERS,
     "what a volatile access of an aligned word is: an atomic one of this order (default: relaxed, and a note where\n"
     "two of them race)"},
    {"recursion", 0, "N", NULL, "how deep functions may call themselves (default: 8)"},
    {"no-deadlock", 0, NULL, NULL,
     "operations that can never return are no violation: deadlocks, locks never released"},
    {"compile-commands", 0, "FILE", "@files",
     "take each file's -I, -D, -U, -std, -include and -isystem from this compile_commands.json"},
    {"dump", 0, "WHAT", "ast|steps", "print the syntax tree, or the steps, and stop"},
    {"jobs", 'j', "N", NULL, "threads that search (default: one a core)"},
    {"json", 0, NULL, NULL, "print one JSON object instead of text"},
    {"html", 0, "FILE", "@files", "write a page with the counterexample"},
    {"junit", 0, "FILE", "@files", "write a JUnit report"},
    {"svg", 0, "FILE", "@files", "write a picture of the counterexample's history"},
    {"evidence", 'e', "FILE", "@files", "write what the verdict rests on, for `asif replay`"},
    {"history", 0, "FILE", "@files",
     "write the counterexample's history, in the format of the file's name (default: wing-gong)"},
    {"time-limit", 't', "TIME", NULL, "give up after this long: 10, 0.5, 5m; the verdict is then unknown"},
    {"memory-limit", 0, "SIZE", NULL, "give up beyond this much memory: 500M, 2G"},
    {"states-limit", 0, "N", NULL, "give up once N states are stored; unlike a time, the same on every machine"},
    {"checkpoint", 0, "FILE", "@files",
     "where a limit or Ctrl-C leaves what was reached (default: after 10 s Ctrl-C leaves it in\n"
     "asif-verify.checkpoint)"},
    {"resume", 0, "FILE", "@files", "go on from such a file; it is also where the next one is left"},
    {"quiet", 'q', NULL, NULL, "print the verdict line only"},
    {NULL, 0, NULL, NULL, NULL},
};

static enum reduce reduction(const char *name) {
  enum reduce r = REDUCE_BEST;
  while (name && strcmp(reduce_name(r), name)) r++; /* one of them: the option's choices */
  return r;
}

static void show_progress(void *self, uint64_t states, uint64_t transitions, uint32_t depth, size_t bytes) {
  const struct limits *l = self;
  double seconds = limits_elapsed(l);
  fprintf(stderr, "\r%.1f M states, %.2f M/s, %.1f M moves, depth %u, %zu MB, %.0f s  ", (double)states / 1e6,
          (double)states / 1e6 / (seconds > 0 ? seconds : 1), (double)transitions / 1e6, depth, bytes >> 20, seconds);
  fflush(stderr);
}

static void read_checkpoint(const struct args *a, struct search_options *o) {
  o->checkpoint = arg_value(a, "checkpoint");
  o->resume = arg_value(a, "resume");
  if (!o->checkpoint) o->checkpoint = o->resume;
  if (o->checkpoint) return;
  o->checkpoint = "asif-verify.checkpoint";
  o->checkpoint_after = 10;
}

static void say_checkpoint(const struct search_result *r) {
  if (r->checkpoint)
    say_error("what was reached is in %s: the same command with --resume %s goes on", r->checkpoint, r->checkpoint);
  if (r->checkpoint_problem.text[0]) say_error("%s: what was reached is lost", r->checkpoint_problem.text);
}

/* What there is not of an approximation. */
static bool approx_alone(const struct args *a) {
  static const char *const others[] = {"against", "points", "checkpoint", "resume"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (arg_value(a, others[i])) return usage_error(a, "--approx and --%s exclude each other", others[i]), false;
  const char *reduce = arg_value(a, "reduce");
  if (reduce && !strcmp(reduce, "tau"))
    return usage_error(a, "--approx and --reduce tau exclude each other: it makes returns early"), false;
  return true;
}

/* What there is not of memory that is not sequentially consistent. */
static bool memory_alone(const struct args *a) {
  static const char *const others[] = {"against", "points", "approx", "progress", "ltl", "checkpoint", "resume"};
  const char *model = arg_value(a, "memory"), *reduce = arg_value(a, "reduce"), *steps = arg_value(a, "steps"),
             *races = arg_value(a, "races");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (arg_value(a, others[i]))
      return usage_error(a, "--memory %s and --%s exclude each other", model, others[i]), false;
  if (reduce && (!strcmp(reduce, "por") || !strcmp(reduce, "both") || !strcmp(reduce, "tau")))
    return usage_error(a, "--memory %s and --reduce %s exclude each other: it is for sequentially consistent memory",
                       model, reduce),
           false;
  if (steps && !strcmp(steps, "statement"))
    return usage_error(a, "--memory %s and --steps statement exclude each other", model), false;
  if (races && !strcmp(races, "no"))
    return usage_error(a,
                       "--memory %s and --races no exclude each other: what plain accesses see is defined only "
                       "without races",
                       model),
           false;
  return true;
}

static bool read_options(const struct args *a, struct verify_job *j) {
  bool bad = false;
  struct verify_options *o = &j->options;
  const char *ops = arg_value(a, "ops"), *steps = arg_value(a, "steps"), *order = arg_value(a, "search");
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  j->args = a;
  j->cpu = clock_cpu_seconds();
  o->path = a->at[0];
  o->cc_args = sources_arguments(a);
  if (!o->cc_args) return false;
  o->spec = arg_value(a, "spec");
  o->against = arg_value(a, "against");
  o->threads = (unsigned)arg_number(a, "threads", 2, 1, THREADS_MOST - 1, &bad);
  o->ops = ops && !strcmp(ops, "forever") ? OPS_FOREVER : (unsigned)arg_number(a, "ops", 1, 1, 1000, &bad);
  o->bound = arg_number(a, "bound", -1, 0, 1000000, &bad);
  o->steps = steps && !strcmp(steps, "statement") ? STEPS_STATEMENT : STEPS_SHARED;
  o->points = arg_flag(a, "points");
  o->approx = arg_value(a, "approx") != NULL;
  o->k = (unsigned)arg_number(a, "approx", 0, 0, COUNTINGS_K_MOST, &bad);
  o->weak_fails = arg_flag(a, "weak");
  o->malloc_fails = arg_flag(a, "malloc-fails");
  o->check_orders = true;
  o->races = !arg_value(a, "races") || strcmp(arg_value(a, "races"), "no");
  const char *leaks = arg_value(a, "leaks");
  o->leaks = !leaks || !strcmp(leaks, "auto") ? LEAKS_IF_FREED : !strcmp(leaks, "yes") ? LEAKS_YES : LEAKS_NO;
  memory_model_read(arg_value(a, "memory"), &o->memory); /* one of them: the option's choices */
  o->volatiles = volatile_order_read(arg_value(a, "volatile"));
  o->recursion = (unsigned)arg_number(a, "recursion", 0, 1, 1000, &bad);
  o->search.reduce = reduction(arg_value(a, "reduce"));
  o->search.depth_first = order && !strcmp(order, "depth");
  o->search.jobs = (unsigned)arg_number(a, "jobs", cores > 0 ? cores : 1, 1, 64, &bad);
  o->search.deadlocks = !arg_flag(a, "no-deadlock");
  if (o->against && (o->spec || o->points || o->bound >= 0)) {
    usage_error(a, "--against and --%s exclude each other", o->spec ? "spec" : o->points ? "points" : "bound");
    return false;
  }
  if (o->approx && !approx_alone(a)) return false;
  if (o->memory != MEMORY_SC && !memory_alone(a)) return false;
  read_checkpoint(a, &o->search);
  if (o->memory != MEMORY_SC) o->search.checkpoint = NULL;
  j->seconds = arg_seconds(a, "time-limit", 0, &bad);
  j->bytes = arg_bytes(a, "memory-limit", 0, &bad);
  j->states = (unsigned long long)arg_number(a, "states-limit", 0, 1, INT64_MAX, &bad);
  return !bad && live_options(a, &j->live, o);
}

void verify_put_client(const struct subject *s, struct text *t) {
  text_printf(t, "%u thread%s, ", s->threads, s->threads == 1 ? "" : "s");
  if (s->options->ops == OPS_FOREVER)
    text_add(t, "any number of operations");
  else
    text_printf(t, "%u operation%s each", s->options->ops, s->options->ops == 1 ? "" : "s");
  if (s->bound >= 0) text_printf(t, ", at most %lld element%s", (long long)s->bound, s->bound == 1 ? "" : "s");
  if (s->options->malloc_fails) text_add(t, ", allocations may fail");
  if (s->options->memory != MEMORY_SC) text_printf(t, ", %s", memory_model_title(s->options->memory));
  if (s->unit && s->unit->harness.has_final) text_add(t, ", without ASIF_FINAL");
}

/* "push(1..2), pop()", for each role of threads. */
static void put_calls(const struct subject *s, struct text *t) {
  for (unsigned g = 0; g < s->groups; g++) {
    const struct client_thread *c = NULL;
    unsigned threads = 0;
    for (unsigned i = 0; i < s->threads; i++)
      if (s->client[i].group == g) c = &s->client[i], threads++;
    if (!c) continue;
    if (t->count) text_add(t, "; ");
    if (*s->group_names[g]) text_printf(t, "%u %s: ", threads, s->group_names[g]);
    for (unsigned i = 0; i < c->call_count; i++) {
      const struct program_op *op = &s->program->ops[c->calls[i].op];
      if (i && c->calls[i - 1].op == c->calls[i].op) continue;
      text_printf(t, "%s%s(", i ? ", " : "", op->function);
      for (unsigned a = 0; a < op->params; a++) {
        text_printf(t, "%s%lld", a ? ", " : "", (long long)op->low[a]);
        if (op->high[a] > op->low[a]) text_printf(t, "..%lld", (long long)op->high[a]);
      }
      text_char(t, ')');
    }
  }
}

static const struct schedule_line *fault_line(const struct verified *v, struct schedule_line *start) {
  const struct schedule *s = &v->schedule;
  if (v->search.violation != VIOLATION_FAULT && v->search.violation != VIOLATION_POINTS) return NULL;
  const struct schedule_line *last = s->lines.count ? &s->lines.at[s->lines.count - 1] : NULL;
  if (!v->at_start) return last && last->kind == SCHEDULE_FAULT ? last : NULL;
  *start = (struct schedule_line){
      .kind = SCHEDULE_FAULT, .file = v->fault.file, .line = v->fault.line, .column = v->fault.col, .text = v->reason};
  return start;
}

static char *method_of(const struct verify_job *j, struct mem *m) {
  const struct verify_options *o = &j->options;
  struct text t;
  if (o->live) return mem_string(m, "loops of the state graph", 24);
  text_open(&t, m);
  text_printf(&t, "%s-first search%s%s", o->search.depth_first ? "depth" : "breadth",
              o->approx   ? " of countings"
              : o->points ? " by linearization points"
                          : "",
              o->steps == STEPS_STATEMENT ? ", a statement a step" : "");
  return t.at;
}

static char *limit_reason(const struct search_result *r, struct mem *m) {
  struct text t;
  text_open(&t, m);
  text_printf(&t, "%s at depth %u", limit_told(r->limit), r->depth);
  return t.at;
}

static char *words(struct mem *m, const struct subject *s, void (*put)(const struct subject *, struct text *)) {
  struct text t;
  text_open(&t, m);
  put(s, &t);
  return t.count ? t.at : mem_string(m, "", 0);
}

/* A compiler that preprocessed the file is the only process that may have been started. */
static char *members(const struct verify_job *j, struct mem *m) {
  struct text t;
  text_open(&t, m);
  text_printf(&t, ",\"search_cpu_seconds\":%.6f,\"compiler_cpu_seconds\":%.6f", j->search_cpu,
              clock_children_cpu_seconds());
  if (j->options.malloc_fails) text_add(&t, ",\"malloc_fails\":true");
  if (j->options.approx) text_printf(&t, ",\"k\":%u", j->options.k);
  return t.at;
}

static char *unseen(const struct verify_options *o, struct mem *m) {
  struct text t;
  text_open(&t, m);
  text_printf(&t, "no violation seen at k = %u", o->k);
  return t.at;
}

void verify_gather(const struct verify_job *j, struct mem *m, struct verify_facts *f) {
  const struct subject *s = &j->subject;
  const struct verified *v = &j->answer;
  const struct search_result *r = &v->search;
  f->result = v->check;
  f->result.verdict = r->verdict;
  f->result.method = method_of(j, m);
  f->result.reason = (char *)v->reason;
  if (!v->checked) f->result.culprit = UINT32_MAX;
  if (!v->reason && r->verdict == VERDICT_UNKNOWN) f->result.reason = limit_reason(r, m);
  f->execution = (struct execution){.file = j->options.path,
                                    .client = words(m, s, verify_put_client),
                                    .calls = words(m, s, put_calls),
                                    .threads = s->threads,
                                    .operations = s->options->ops,
                                    .bound = s->bound,
                                    .memory = memory_model_name(s->options->memory),
                                    .reduce = reduce_name(s->options->search.reduce),
                                    .states = r->states,
                                    .transitions = r->transitions,
                                    .about = r->about,
                                    .depth = r->depth,
                                    .spec_sets = r->spec_sets,
                                    .bytes_per_state = (double)r->bytes / (double)(r->states ? r->states : 1),
                                    .violation = r->verdict == VERDICT_VIOLATED ? v->kind : NULL,
                                    .refines = s->options->against,
                                    .schedule = &v->schedule,
                                    .fault = fault_line(v, &f->start),
                                    .notes = v->notes.at,
                                    .note_count = v->notes.count,
                                    .members = members(j, m)};
  f->report = (struct report){.command = "verify",
                              .history = r->verdict == VERDICT_VIOLATED ? v->history : NULL,
                              .spec = s->spec.name ? &s->spec : NULL,
                              .result = &f->result,
                              .execution = &f->execution,
                              .seconds = limits_elapsed(&j->limits),
                              .cpu_seconds = clock_cpu_seconds() - j->cpu,
                              .peak_rss_kb = peak_rss_kb(),
                              .color = isatty(STDOUT_FILENO),
                              .width = terminal_columns()};
  if (j->options.approx) f->execution.unseen = unseen(&j->options, m);
  if (!j->options.live) return;
  live_facts(&j->live, v, &f->endless);
  f->execution.endless = &f->endless;
  f->report.history = NULL;
}

void verify_svg(const struct report *r, struct text *t) {
  struct report drawn = *r;
  struct check_result c = whole_result(t->mem, r);
  drawn.result = &c;
  report_svg(&drawn, t);
}

/* The counterexample as a history of its own. */
static bool write_history(const char *path, const struct history *h) {
  struct problem why;
  if (!path || !h) return true;
  const struct format *format = format_for_path(path);
  return file_written(history_write(h, path, format && format->write ? format : &format_wing_gong, &why), &why);
}

static bool write_answers(const struct verify_job *j, struct mem *m, struct report *r) {
  const struct args *a = j->args;
  const char *evidence = r->result->verdict == VERDICT_UNKNOWN ? NULL : arg_value(a, "evidence");
  struct text t;
  struct problem why;
  text_open(&t, m);
  r->evidence = writable_path(evidence);
  bool good = write_reports(a, m, r, verify_svg, &t);
  if (evidence) good &= file_written(schedule_write(evidence, &j->subject, &j->answer, &why), &why);
  return write_history(arg_value(a, "history"), r->history) && good;
}

/* --dump */
static int dump(const struct verify_job *j, struct mem *m, const char *what) {
  struct text t;
  struct problem why;
  text_open(&t, m);
  if (!strcmp(what, "ast")) {
    struct unit *u = front_read(m, j->options.path, j->options.cc_args, &why);
    if (!u) return problem_status(&why);
    ast_print(u, &t);
  } else {
    struct subject s;
    bool read = subject_open(m, &j->options, &s, &why);
    if (read) program_print(s.program, &t);
    subject_close(&s);
    if (!read) return problem_status(&why);
  }
  return write_stdout(text_string(&t), t.count) ? EXIT_HOLDS : EXIT_USAGE;
}

static int write_all(void *self, struct mem *m) {
  struct verify_job *j = self;
  struct verify_facts *facts = mem_zero(m, 1, sizeof *facts);
  verify_gather(j, m, facts);
  return status_of_output(status_of_verdict(j->answer.search.verdict), write_answers(j, m, &facts->report));
}

static int answer(struct verify_job *j, struct mem *m) { return answer_apart(j->args, m, write_all, j); }

/* A limit reached before there was anything to search, or while the counterexample was explained. */
static void cut_short(struct verify_job *j, bool read) {
  j->answer = (struct verified){.search = {.verdict = VERDICT_UNKNOWN, .limit = (enum limit)j->limits.reached}};
  if (read) return;
  j->answer.reason = "the object could not be read within the limits";
  j->subject = (struct subject){.options = &j->options, .threads = j->options.threads, .bound = j->options.bound};
}

/* False with the exit status if there is nothing to answer. */
static bool decide(struct verify_job *j, struct mem *m, int *status) {
  struct problem why;
  const char *what = arg_value(j->args, "dump");
  volatile bool read = false;
  volatile double begun = 0;
  if (MEM_GUARD(m)) {
    if (read) j->search_cpu = clock_cpu_seconds() - begun;
    cut_short(j, read);
    return true;
  }
  if (what) {
    *status = dump(j, m, what);
    return false;
  }
  read = subject_open(m, &j->options, &j->subject, &why);
  bool (*decided)(struct subject *, struct limits *, struct verified *, struct problem *) =
      j->options.live ? live_verify : verify;
  begun = clock_cpu_seconds();
  bool done = read && decided(&j->subject, &j->limits, &j->answer, &why);
  j->search_cpu = clock_cpu_seconds() - begun;
  if (done) return true;
  *status = problem_status(&why);
  return false;
}

static int verify_file(struct verify_job *j) {
  struct mem m;
  int status;
  limits_start(&j->limits, j->seconds, j->bytes);
  j->limits.states = j->states;
  j->limits.interrupted = &interrupted;
  if (isatty(STDERR_FILENO)) {
    j->options.search.progress = show_progress;
    j->options.search.progress_self = &j->limits;
  }
  mem_open(&m, &j->limits);
  if (decide(j, &m, &status)) {
    say_checkpoint(&j->answer.search);
    status = answer(j, &m);
  }
  subject_close(&j->subject);
  mem_close(&m);
  return status;
}

static int run(const struct args *a) {
  struct verify_job j = {0};
  if (!read_options(a, &j)) return EXIT_USAGE;
  handle_interrupts();
  return verify_file(&j);
}

const struct command command_verify = {
    .name = "verify",
    .usage = "FILE.c... [--spec SPEC] [--threads N] [--ops N|forever] [-- COMPILER ARGUMENTS]",
    .summary = "model-check a C object for a few threads, exhaustively",
    .details = "FILE.c... is the object as it ships, with a few lines at the end that say what it is\n"
               "(docs/harness.md); none are needed where functions have the names of the specification's\n"
               "operations and --spec is given. A few threads call its operations, with every argument the\n"
               "harness allows, and their accesses to shared memory are interleaved in every way. If no\n"
               "execution is wrong, none was left out. If one is, a shortest one is shown, step by step, with\n"
               "the lines of the source. Undefined behaviour, failed assertions, deadlocks and operations that can\n"
               "never return are wrong too.\n"
               "\n"
               "Memory is sequentially consistent, unless --memory says otherwise. Start small: two threads with\n"
               "two operations each, then three; states multiply with each. What was assumed is printed above\n"
               "the verdict.\n"
               "\n"
               "With --progress or --ltl it is decided instead whether operations return in the end, or whether a\n"
               "formula over calls and returns is true of all executions; threads then never stop calling, unless\n"
               "--ops says so. A violation is a schedule and a loop that is repeated for ever; there are no\n"
               "--svg and --history of it.\n"
               "\n"
               "With --approx K histories are approximated: what is kept of one are counts of operations, by\n"
               "interval, for the last K intervals (A_k of Bouajjani et al. 2015, section 9.3). What it reports is\n"
               "a violation, confirmed as all are; where it reports none there may be one that needs a greater K.\n"
               "\n"
               "Exit status: 0 linearizable, or what was asked for, 1 violated, 2 bad usage or C that is not\n"
               "read, 3 unknown (a limit was reached), 4 internal error.\n"
               "\n"
               "Examples:\n"
               "  asif verify stack.c --ops 2                   the specification is in the file\n"
               "  asif verify stack.c --spec stack -n 3         ... or is named\n"
               "  asif verify stack.c --spec self               are its operations atomic?\n"
               "  asif verify queue.c --against locked.c        does it do only what the other does?\n"
               "  asif verify queue.c -o forever --bound 2      any number of operations\n"
               "  asif verify queue.c -o 3 --approx 1           what shows within one interval\n"
               "  asif verify queue.c --progress lock-free      do operations return, whoever stops?\n"
               "  asif verify reg.c --ltl '[](call(read) -> <>return(read))' --fair weak\n"
               "  asif verify queue.c -n 3 --html out.html -- -DSIZE=2 -Iinclude\n"
               "  asif verify queue.c --evidence why.txt; asif replay why.txt\n",
    .opts = opts,
    .least = 1,
    .most = -1,
    .run = run,
};
