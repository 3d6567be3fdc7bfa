/* asif prove: is this C object linearizable, for any number of threads? */
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "prove/prove.h"

static const struct opt opts[] = {
    {"spec", 's', "SPEC", "stack|queue|set|multiset", "what the object must do; default: what ASIF_OBJECT in the file says"},
    {"level", 'l', "LEVEL", "ms|nu|full", "ms: memory safety; nu: and results; full: and exactly one linearization point (default)"},
    {"points", 0, "WHICH", "marked|found", "linearization points: those marked with ASIF_LIN, or found by trying; default: marked, if there are any"},
    {"recursion", 0, "N", NULL, "how deep functions may call themselves (default: 8)"},
    {"time-limit", 't', "TIME", NULL, "give up after this long: 10, 0.5, 5m; the verdict is then unknown"},
    {"memory-limit", 0, "SIZE", NULL, "give up beyond this much memory: 500M, 2G"},
    {"quiet", 'q', NULL, NULL, "print the verdict line only"},
    {NULL, 0, NULL, NULL, NULL},
};

static void say_proof(const struct proved *d, struct text *t) {
  text_add(t, "linearization points:\n");
  prove_tell_points(d, t);
  text_add(t, "what a thread may do while another is in the middle of an operation:\n");
  prove_tell_actions(d, t);
  text_add(t, "memory between operations is one of:\n");
  prove_tell_memory(d, t);
  text_add(t, "assumed: sequential consistency; malloc succeeds");
  text_add(t, !strcmp(d->spec.name, "set") || !strcmp(d->spec.name, "multiset") ? "; arguments lie between INT_MIN and INT_MAX, exclusive\n" : "\n");
}

static int say(const struct args *a, const struct proved *d, double seconds, struct mem *m) {
  static const char *const proved[] = {"memory safe", "linearizable at level nu", "linearizable"};
  struct text t;
  struct prove_counts c = prove_counts(d);
  bool holds = d->verdict == VERDICT_HOLDS;
  text_open(&t, m);
  if (!arg_flag(a, "quiet")) {
    if (holds) say_proof(d, &t);
    else prove_tell_failure(d, &t);
  }
  text_printf(&t, "verdict: %s (any number of threads; %s, %llu views, %llu actions, %.2f s, %ld MB)\n",
              holds ? proved[d->level] : "unknown", d->spec.name, (unsigned long long)c.views, (unsigned long long)c.actions, seconds,
              peak_rss_kb() / 1024);
  return write_stdout(text_string(&t), t.count) ? status_of_verdict(d->verdict) : EXIT_USAGE;
}

static bool read_options(const struct args *a, struct prove_options *o, double *seconds, size_t *bytes) {
  bool bad = false;
  const char *level = arg_value(a, "level"), *points = arg_value(a, "points");
  *o = (struct prove_options){.path = a->at[0], .cc_args = a->at + 1, .spec = arg_value(a, "spec")};
  o->level = !level || !strcmp(level, "full") ? LEVEL_FULL : !strcmp(level, "nu") ? LEVEL_NU : LEVEL_MS;
  o->points = !points ? POINTS_AUTO : !strcmp(points, "marked") ? POINTS_MARKED : POINTS_FOUND;
  o->recursion = (unsigned)arg_number(a, "recursion", 0, 1, 1000, &bad);
  *seconds = arg_seconds(a, "time-limit", 0, &bad);
  *bytes = arg_bytes(a, "memory-limit", 0, &bad);
  return !bad;
}

static int say_limit(const struct limits *l) {
  char line[200];
  int count = snprintf(line, sizeof line, "verdict: unknown (the %s was reached after %.2f s)\n", limit_name((enum limit)l->reached), limits_elapsed(l));
  return write_stdout(line, (size_t)count) ? EXIT_UNKNOWN : EXIT_USAGE;
}

static int run(const struct args *a) {
  struct prove_options o;
  double seconds;
  size_t bytes;
  if (!read_options(a, &o, &seconds, &bytes)) return EXIT_USAGE;
  handle_interrupts();
  struct limits limits;
  struct mem m;
  struct proved d;
  struct problem why;
  limits_start(&limits, seconds, bytes);
  limits.interrupted = &interrupted;
  mem_open(&m, &limits);
  int status;
  if (MEM_GUARD(&m)) status = say_limit(&limits);
  else if (prove(&m, &o, &d, &why)) status = say(a, &d, limits_elapsed(&limits), &m);
  else {
    say_error("%s", why.text);
    status = EXIT_USAGE;
  }
  mem_close(&m);
  return status;
}

const struct command command_prove = {
    .name = "prove",
    .usage = "FILE.c [--spec SPEC] [--level ms|nu|full] [-- COMPILER ARGUMENTS]",
    .summary = "prove a C object linearizable for any number of threads",
    .details = "FILE.c is the object as it ships, with the lines at its end that verify reads too\n"
               "(docs/harness.md). What one thread knows of the shared memory is followed symbolically, while\n"
               "any number of others do what their operations can do; no invariants, actions or linearization\n"
               "points need be given. The object is a linked list: a stack, a queue, a set or a multiset.\n"
               "\n"
               "Exit status: 0 proved, 2 bad usage or C that is not read, 3 not proved, or a limit was reached.\n"
               "\n"
               "Examples:\n"
               "  asif prove stack.c                      the specification is in the file\n"
               "  asif prove queue.c --spec queue --level ms   memory safety only\n",
    .opts = opts,
    .least = 1,
    .most = -1,
    .run = run,
};
