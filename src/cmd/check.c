/* asif check: is this recorded history linearizable?
 *
 *   read -> bind to the specification -> decide -> (evidence was re-validated) -> report */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "cmd/check_approx.h"
#include "cmd/cmd.h"
#include "evidence/evidence.h"
#include "history/format.h"
#include "report/report.h"
#include "spec/spec.h"

static const struct opt opts[] = {
    {"spec", 's', "SPEC", "@specs",
     "what the object must do: a name (`asif specs` lists them), one with a parameter as in bounded-queue(4),\n"
     "or a file my.c (see docs/specs.md); default: guessed from the operations"},
    {"format", 'f', "FORMAT", "@formats", "how the history is written (default: by its content)"},
    {"map", 0, "MAP", NULL,
     "the history is a log, in JSON, CSV, TSV or logfmt, and this says which field is what, as in\n"
     "op=cmd,key=k,value=v,call=start,return=end; or otel: see docs/formats.md"},
    {"initial", 0, "FILE", "@files", "what the object held when the history began: a line `key content`, or a value"},
    {"method", 'm', "METHOD", "auto|fast|search|wing-gong",
     "auto picks; fast: near-linear monitors, distinct values; search: any history; wing-gong: the paper's"},
    {"approx", 0, "K", NULL,
     "monitor the history while it is read, whatever its length, and stop at the first violation that shows in the "
     "order of the "
     "last K intervals, 0 to 8; 2 is a good choice. See docs/approx.md"},
    {"formula", 0, "FILE", "@files",
     "with --approx: look for what this counting formula says, not for what the specification's own monitor does; "
     "a file, or the name of one that comes with Asif (see docs/formulas.md)"},
    {"grammar", 0, "FILE", "@files",
     "with --approx: the same with a grammar of what may happen (see docs/grammars.md)"},
    {"jobs", 'j', "N", NULL, "threads for independent parts (default: one a core)"},
    {"witness", 'w', "FILE", "@files", "write the linearization found, as a sequential history"},
    {"evidence", 'e', "FILE", "@files", "write what the verdict rests on, for `asif replay`"},
    {"json", 0, NULL, NULL, "print one JSON object a history instead of text"},
    {"junit", 0, "FILE", "@files", "write a JUnit report with a test case a history"},
    {"svg", 0, "FILE", "@files", "write a picture of the violation, or of the beginning"},
    {"html", 0, "FILE", "@files", "write a page to look around in: one file, no network"},
    {"time-limit", 't', "TIME", NULL, "give up after this long: 10, 0.5, 5m; the verdict is then unknown"},
    {"memory-limit", 0, "SIZE", NULL, "give up beyond this much memory: 500M, 2G"},
    {"no-explain", 0, NULL, NULL, "do not look for the smallest wrong part"},
    {"quiet", 'q', NULL, NULL, "print the verdict line only"},
    {NULL, 0, NULL, NULL, NULL},
};

struct job {
  const struct args *args;
  struct check_options options;
  double seconds;
  size_t bytes;
};

static bool read_options(const struct args *a, struct job *j) {
  bool bad = false;
  const char *method = arg_value(a, "method");
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  j->args = a;
  j->options.method = !method || !strcmp(method, "auto") ? METHOD_AUTO
                      : !strcmp(method, "fast")          ? METHOD_FAST
                      : !strcmp(method, "search")        ? METHOD_SEARCH
                                                         : METHOD_WING_GONG;
  j->options.jobs = (int)arg_number(a, "jobs", cores > 0 ? cores : 1, 1, 1024, &bad);
  j->options.explain = !arg_flag(a, "no-explain");
  j->seconds = arg_seconds(a, "time-limit", 0, &bad);
  j->bytes = arg_bytes(a, "memory-limit", 0, &bad);
  return !bad;
}

/* The specification: named, in C, or guessed. */
static bool find_spec(const struct args *a, struct mem *m, const struct history *h, struct spec *spec,
                      struct problem *why) {
  const char *name = arg_value(a, "spec");
  if (!name) {
    const struct spec *guess = spec_guess(h, why);
    if (guess) *spec = *guess;
    return guess != NULL;
  }
  return spec_load(name, spec, m, why);
}

/* The witness as a sequential history: call, return, call, return. Pending operations that took effect do not return.
 */
static bool write_witness(struct mem *m, const char *path, const struct history *h, const struct check_result *r,
                          struct problem *why) {
  struct history *w = history_restrict(h, m, r->order, r->order_count);
  for (uint32_t i = 0; i < r->order_count; i++) {
    w->ops.at[i].call = 2 * i;
    w->ops.at[i].ret = 2 * i + 1;
  }
  w->events = (uint32_t)r->order_count * 2;
  const struct format *format = format_for_path(path);
  return history_write(w, path, format && format->write ? format : &format_wing_gong, why);
}

/* Everything that is written. False if something could not be. */
static bool write_answers(struct job *j, struct mem *m, struct report *report, struct problem *why) {
  const struct args *a = j->args;
  const char *witness = output_path(a, m, "witness"), *evidence = output_path(a, m, "evidence");
  const struct check_result *r = report->result;
  struct text t;
  text_open(&t, m);
  if (!report->history || r->verdict == VERDICT_UNKNOWN) evidence = NULL;
  report->evidence = writable_path(evidence);
  bool good = write_reports(a, m, report, report_svg, &t);
  if (evidence) good &= file_written(evidence_write(evidence, report->history, report->spec, r, why), why);
  if (witness && r->verdict == VERDICT_HOLDS)
    good &= file_written(write_witness(m, witness, report->history, r, why), why);
  return good;
}

/* A limit reached before there was anything to decide. */
static void unknown_result(struct limits *l, const char *doing, struct check_result *r, char *reason, size_t room) {
  memset(r, 0, sizeof *r);
  snprintf(reason, room, "%s after %.1f s, while %s", limit_told((enum limit)l->reached), limits_elapsed(l), doing);
  r->verdict = VERDICT_UNKNOWN;
  r->method = "none";
  r->reason = reason;
  r->culprit = UINT32_MAX;
}

static int check_file(struct job *j, const char *path) {
  struct limits limits;
  limits_start(&limits, j->seconds, j->bytes);
  limits.interrupted = &interrupted;
  struct mem m, own;
  struct problem why = {.text = ""};
  struct check_result result;
  struct spec spec = {0};
  struct history *volatile h = NULL;
  struct history *volatile read = NULL;
  char reason[200];
  volatile int status = EXIT_USAGE;
  const char *format = arg_value(j->args, "format");
  double cpu = clock_cpu_seconds();
  mem_open(&m, &limits);
  mem_open(&own, NULL);
  if (!MEM_GUARD(&m)) {
    const char *map = arg_value(j->args, "map");
    struct mapping *mapping = map ? mapping_new(&m, map, &why) : NULL;
    if (map && !mapping) goto problem;
    read = mapping ? history_read_mapped(&m, path, mapping, &why)
                   : history_read(&m, path, format ? format_named(format) : NULL, &why);
    if (!read) goto problem;
    const char *initial = arg_value(j->args, "initial");
    if (!find_spec(j->args, &m, read, &spec, &why)) goto problem;
    if (initial && !spec_initial_contents(&spec, read, initial, &why)) goto problem;
    if (!spec_bind(&spec, read, &why)) goto problem;
    h = read;
    struct history *answered = read;
    if (!check_touching(&m, &answered, &spec, &j->options, &limits, &result, &why)) {
      status = status_of_problem(&why);
      goto problem;
    }
    h = answered;
  } else {
    unknown_result(&limits, h ? "deciding" : "reading", &result, reason, sizeof reason);
  }
  if (!answer_printed(j->args) && !MEM_GUARD(&own)) {
    struct report report = {.command = "check",
                            .history = h,
                            .source = strcmp(path, "-") ? path : "<stdin>",
                            .spec = spec.name ? &spec : NULL,
                            .result = &result,
                            .seconds = limits_elapsed(&limits),
                            .cpu_seconds = clock_cpu_seconds() - cpu,
                            .peak_rss_kb = peak_rss_kb(),
                            .color = isatty(STDOUT_FILENO),
                            .width = terminal_columns()};
    status = status_of_verdict(result.verdict);
    status = status_of_output(status, write_answers(j, &own, &report, &why));
  } else {
    status = answer_lost(j->args);
  }
  spec_user_close(&spec);
  mem_close(&own);
  mem_close(&m);
  return status;

problem:
  say_error("%s", why.text);
  tell_junit(j->args, path, status, why.text);
  spec_user_close(&spec);
  mem_close(&own);
  mem_close(&m);
  return status;
}

/* Checks one history. */
static int check_one(struct job *j, const struct args *a, const char *path) {
  if (interrupted) {
    say_error("%s: not checked: interrupted", path);
    tell_junit(a, path, EXIT_UNKNOWN, "interrupted before it was checked");
    return EXIT_UNKNOWN;
  }
  j->args = a;
  return arg_flag(a, "approx") ? check_approx(a, path, j->seconds, j->bytes) : check_file(j, path);
}

static int run(const struct args *a) {
  static const char *const files[] = {"evidence", "witness", "svg", "html", NULL};
  struct job j = {0};
  volatile int said;
  struct args one = *a;
  one.said = &said;
  struct mem m;
  struct junit junit;
  int status = EXIT_HOLDS;
  if (!approx_options(a) || !read_options(a, &j) || !one_file_each(a, files)) return EXIT_USAGE;
  handle_interrupts();
  mem_open(&m, NULL);
  junit_open(&junit, &m, "check");
  if (arg_flag(a, "junit")) one.junit = &junit;
  for (int i = 0; i < a->count; i++) {
    one.number = a->count > 1 ? (unsigned)i + 1 : 0;
    said = EXIT_UNKNOWN;
    status = graver_status(status, check_one(&j, &one, a->at[i]));
    *a->said = graver_status(status, EXIT_UNKNOWN);
  }
  if (one.junit) status = status_of_output(status, write_cases(a, &junit));
  mem_close(&m);
  return status;
}

const struct command command_check = {
    .name = "check",
    .usage = "HISTORY... [--spec SPEC] [--method METHOD] [--approx K] [--html FILE]",
    .summary = "decide whether a recorded history is linearizable",
    .details = "HISTORY is a file, or - for standard input; gzip and zstd are unpacked. Formats are told\n"
               "apart by content: see docs/formats.md. A history is linearizable if its operations could\n"
               "have happened one at a time, each between its call and its return, with the results\n"
               "they had. The answer is a verdict with what it rests on: the order found, or the smallest\n"
               "part of the history that has none, and a sentence why.\n"
               "\n"
               "With --approx K a history of any length is monitored while it is read, also from a pipe that does\n"
               "not end, in a few megabytes. The first violation that shows in the order of the last K intervals\n"
               "ends it; that is never a false alarm. Else the verdict is `no violation seen at k = K`, for there\n"
               "may be one that only shows in what is further apart: without --approx that is decided.\n"
               "\n"
               "Of several histories each is answered in turn. JUnit has a test case for each; --html, --svg,\n"
               "--evidence and --witness FILE.x write FILE-1.x, FILE-2.x, ...; --json a line each.\n"
               "\n"
               "Exit status: 0 linearizable (or no violation seen), 1 not linearizable, 2 bad usage or input,\n"
               "3 unknown (a limit was reached), 4 internal error. Of several histories the gravest counts: 1,\n"
               "then 4, 2, 3, 0.\n"
               "\n"
               "Examples:\n"
               "  asif check history.txt                         guess the specification\n"
               "  asif check --spec cas-register jepsen.edn      a Jepsen history\n"
               "  asif check --spec map --html out.html run.json.zst\n"
               "  asif gen queue -n 1M -t 16 | asif check - --time-limit 10\n"
               "  tail -f events.log | asif check --approx 2 - --spec queue --evidence why.txt\n"
               "  asif check --approx 3 --spec lock --grammar lock run.json.zst\n",
    .opts = opts,
    .least = 1,
    .most = -1,
    .run = run,
};
