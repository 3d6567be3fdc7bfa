/* asif verify: is this C object linearizable, for a few threads, whatever they do?
 *
 *   read -> search -> (the wrong execution made again and checked) -> report */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "report/report.h"
#include "verify/verify.h"

static const struct opt opts[] = {
    {"spec", 's', "SPEC", "@specs", "what the object must do: a name (`asif specs`), a file my.c, or self: what its operations do one at\n"
                                    "a time; default: what ASIF_OBJECT in the file says"},
    {"against", 0, "FILE.c", "@files", "what the object must do: what another object can do, called as this one is"},
    {"threads", 'n', "N", NULL, "threads (default: 2)"},
    {"ops", 'o', "N", NULL, "operations each thread performs, or forever (default: 1)"},
    {"bound", 'b', "N", NULL, "no calls that would grow the specification's state past N elements (default: ASIF_BOUND)"},
    {"points", 0, NULL, NULL, "verify by the marked linearization points (ASIF_LIN)"},
    {"reduce", 'r', "HOW", "best|none|sym1|sym|por|both|tau", "best: the fastest; none, sym1, sym, por, both: Algorithms 4.1 to 4.5 of Liu et al. 2013;\n"
                                                              "tau: the 2009 paper's"},
    {"search", 0, "ORDER", "breadth|depth", "breadth first finds the shortest counterexample (default)"},
    {"steps", 0, "STEPS", "shared|statement", "a step is one shared access (default), or one statement"},
    {"weak", 0, NULL, NULL, "atomic_compare_exchange_weak also fails without a reason"},
    {"recursion", 0, "N", NULL, "how deep functions may call themselves (default: 8)"},
    {"no-deadlock", 0, NULL, NULL, "threads that wait for locks for ever are no violation"},
    {"dump", 0, "WHAT", "ast|steps", "print the syntax tree, or the steps, and stop"},
    {"jobs", 'j', "N", NULL, "threads that search (default: one a core)"},
    {"json", 0, NULL, NULL, "print one JSON object instead of text"},
    {"html", 0, "FILE", "@files", "write a page with the counterexample"},
    {"history", 0, "FILE", "@files", "write the counterexample's history"},
    {"time-limit", 't', "TIME", NULL, "give up after this long: 10, 0.5, 5m; the verdict is then unknown"},
    {"memory-limit", 0, "SIZE", NULL, "give up beyond this much memory: 500M, 2G"},
    {"quiet", 'q', NULL, NULL, "print the verdict line only"},
    {NULL, 0, NULL, NULL, NULL},
};

struct job {
  const struct args *args;
  struct verify_options options;
  double seconds, cpu;
  size_t bytes;
};

static enum reduce reduction(const char *name) {
  static const char *const names[] = {[REDUCE_BEST] = "best", [REDUCE_NONE] = "none", [REDUCE_SYM1] = "sym1", [REDUCE_SYM] = "sym",
                                      [REDUCE_POR] = "por",   [REDUCE_BOTH] = "both", [REDUCE_TAU] = "tau"};
  for (unsigned i = 0; name && i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i], name)) return (enum reduce)i;
  return REDUCE_BEST;
}

static void show_progress(void *self, uint64_t states, uint64_t transitions, uint32_t depth, size_t bytes) {
  const struct limits *l = self;
  double seconds = limits_elapsed(l);
  fprintf(stderr, "\r%.1f M states, %.2f M/s, %.1f M moves, depth %u, %zu MB, %.0f s  ", (double)states / 1e6,
          (double)states / 1e6 / (seconds > 0 ? seconds : 1), (double)transitions / 1e6, depth, bytes >> 20, seconds);
  fflush(stderr);
}

static bool read_options(const struct args *a, struct job *j) {
  bool bad = false;
  struct verify_options *o = &j->options;
  const char *ops = arg_value(a, "ops"), *steps = arg_value(a, "steps"), *order = arg_value(a, "search");
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  j->args = a;
  o->path = a->at[0];
  o->cc_args = a->at + 1;
  o->spec = arg_value(a, "spec");
  o->against = arg_value(a, "against");
  o->threads = (unsigned)arg_number(a, "threads", 2, 1, THREADS_MOST - 1, &bad);
  o->ops = ops && !strcmp(ops, "forever") ? OPS_FOREVER : (unsigned)arg_number(a, "ops", 1, 1, 1000, &bad);
  o->bound = arg_number(a, "bound", -1, 0, 1000000, &bad);
  o->steps = steps && !strcmp(steps, "statement") ? STEPS_STATEMENT : STEPS_SHARED;
  o->points = arg_flag(a, "points");
  o->weak_fails = arg_flag(a, "weak");
  o->recursion = (unsigned)arg_number(a, "recursion", 0, 1, 1000, &bad);
  o->search.reduce = reduction(arg_value(a, "reduce"));
  o->search.depth_first = order && !strcmp(order, "depth");
  o->search.jobs = (unsigned)arg_number(a, "jobs", cores > 0 ? cores : 1, 1, 64, &bad);
  o->search.deadlocks = !arg_flag(a, "no-deadlock");
  if (o->against && (o->spec || o->points || o->bound >= 0)) {
    usage_error(a, "--against and --%s exclude each other", o->spec ? "spec" : o->points ? "points" : "bound");
    return false;
  }
  j->seconds = arg_seconds(a, "time-limit", 0, &bad);
  j->bytes = arg_bytes(a, "memory-limit", 0, &bad);
  for (int i = 1; i < a->count; i++)
    if (a->at[i][0] != '-') {
      usage_error(a, "too many arguments: %s", a->at[i]);
      return false;
    }
  return !bad;
}

static int columns(void) {
  struct winsize w;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : 100;
}

static int status_of(enum verdict v) {
  return v == VERDICT_HOLDS ? EXIT_HOLDS : v == VERDICT_VIOLATED ? EXIT_VIOLATED : EXIT_UNKNOWN;
}

/* "3 threads, 2 operations each" */
static void put_client(const struct subject *s, struct text *t) {
  text_printf(t, "%u thread%s, ", s->threads, s->threads == 1 ? "" : "s");
  if (s->options->ops == OPS_FOREVER)
    text_add(t, "any number of operations");
  else
    text_printf(t, "%u operation%s each", s->options->ops, s->options->ops == 1 ? "" : "s");
  if (s->bound >= 0) text_printf(t, ", at most %lld elements", (long long)s->bound);
}

static void put_verdict(const struct job *j, const struct subject *s, const struct verified *v, const struct limits *l, struct text *t) {
  const struct search_result *r = &v->search;
  text_add(t, "verdict: ");
  if (r->verdict == VERDICT_VIOLATED && (!strcmp(v->kind, "not linearizable") || !strcmp(v->kind, "does not refine")))
    text_add(t, v->kind);
  else if (r->verdict == VERDICT_VIOLATED)
    text_printf(t, "violated: %s", v->kind);
  else if (r->verdict == VERDICT_HOLDS)
    text_add(t, s->options->against ? "refines" : "linearizable");
  else
    text_printf(t, "unknown: %s", v->reason ? v->reason : "");
  if (!v->reason && r->verdict == VERDICT_UNKNOWN) text_printf(t, "the %s was reached", limit_name(r->limit));
  text_add(t, " (");
  put_client(s, t);
  text_printf(t, "; %s, %llu states of %.0f bytes, %llu moves, %.2f s, %ld MB)\n", s->spec.name, (unsigned long long)r->states,
              (double)r->bytes / (double)(r->states ? r->states : 1), (unsigned long long)r->transitions, limits_elapsed(l),
              peak_rss_kb() >> 10);
  (void)j;
}

static void put_text(const struct job *j, const struct subject *s, const struct verified *v, const struct limits *l, struct text *t) {
  if (s->not_symmetric && !arg_flag(j->args, "quiet")) text_printf(t, "threads are not interchangeable: %s\n", s->not_symmetric);
  if (v->search.verdict == VERDICT_VIOLATED) {
    struct report report = {.command = "verify", .history = v->history, .spec = &s->spec, .result = &v->check,
                            .color = isatty(STDOUT_FILENO), .width = columns()};
    if (v->checked) report_timeline(&report, t);
    text_add(t, "\nthe execution:\n");
    text_add(t, text_string(&v->schedule));
    text_printf(t, "\n%s\n\n", v->reason ? v->reason : "");
  }
  put_verdict(j, s, v, l, t);
}

static int verify_file(struct job *j) {
  struct limits limits;
  limits_start(&limits, j->seconds, j->bytes);
  limits.interrupted = &interrupted;
  struct mem m;
  struct problem why = {""};
  struct subject subject = {0};
  struct verified answer;
  volatile int status = EXIT_USAGE;
  if (isatty(STDERR_FILENO)) {
    j->options.search.progress = show_progress;
    j->options.search.progress_self = &limits;
  }
  mem_open(&m, &limits);
  if (MEM_GUARD(&m)) {
    say_error("the %s was reached while reading", limit_name((enum limit)limits.reached));
    mem_close(&m);
    return EXIT_UNKNOWN;
  }
  const char *dump = arg_value(j->args, "dump");
  struct text t;
  text_open(&t, &m);
  if (dump && !strcmp(dump, "ast")) {
    struct unit *u = front_read(&m, j->options.path, j->options.cc_args, &why);
    if (!u) goto problem;
    ast_print(u, &t);
    status = write_stdout(text_string(&t), t.count) ? EXIT_HOLDS : EXIT_USAGE;
    goto done;
  }
  if (!subject_open(&m, &j->options, &subject, &why)) goto problem;
  if (dump) {
    program_print(subject.program, &t);
    status = write_stdout(text_string(&t), t.count) ? EXIT_HOLDS : EXIT_USAGE;
    goto done;
  }
  if (!verify(&subject, &limits, &answer, &why)) {
    status = strstr(why.text, "internal error") ? EXIT_INTERNAL : EXIT_USAGE;
    goto problem;
  }
  put_text(j, &subject, &answer, &limits, &t);
  const char *out = text_string(&t);
  if (arg_flag(j->args, "quiet")) {
    const char *last = memrchr(out, '\n', t.count - 1);
    if (last) out = last + 1;
  }
  status = write_stdout(out, t.count - (size_t)(out - text_string(&t))) ? status_of(answer.search.verdict) : EXIT_USAGE;
  goto done;

problem:
  say_error("%s", why.text);
done:
  subject_close(&subject);
  mem_close(&m);
  return status;
}

static int run(const struct args *a) {
  struct job j = {0};
  if (!read_options(a, &j)) return EXIT_USAGE;
  handle_interrupts();
  return verify_file(&j);
}

const struct command command_verify = {
    .name = "verify",
    .usage = "FILE.c [--spec SPEC] [--threads N] [--ops N|forever] [-- COMPILER ARGUMENTS]",
    .summary = "model-check a C object for a few threads, exhaustively",
    .details = "FILE.c is the object as it ships, with a few lines at the end that say what it is (docs/harness.md).\n"
               "Every interleaving of the threads' accesses to shared memory is searched, with every operation and\n"
               "argument the harness allows.\n",
    .opts = opts,
    .least = 1,
    .most = -1,
    .run = run,
};
