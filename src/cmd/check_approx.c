/* asif check --approx K: a history monitored while it is read.
 *
 *   read, event by event -> bind -> the monitor of its object -> at the first violation: confirm what shows it ->
 * report */
#include "cmd/check_approx.h"

#include <string.h>
#include <unistd.h>

#include "approx/stream.h"
#include "evidence/evidence.h"
#include "report/report.h"

struct monitoring {
  const struct args *args;
  struct limits limits;
  double cpu;
  struct stream_options options;
  struct spec spec;
  struct stream stream;
  struct violation violation;
  struct check_result result;
  struct problem why;
  char reason[300], method[60], seen[80];
};

bool approx_options(const struct args *a) {
  static const char *const alone[] = {"method", "jobs", "witness", "no-explain", "map", "initial"};
  bool bad = false;
  if (!arg_flag(a, "approx")) {
    const char *name = arg_flag(a, "formula") ? "formula" : arg_flag(a, "grammar") ? "grammar" : NULL;
    if (name) usage_error(a, "--%s says what a monitor looks for: it goes with --approx K", name);
    return !name;
  }
  for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
    if (arg_flag(a, alone[i])) {
      usage_error(a, "--%s does not go with --approx, which keeps no history to decide", alone[i]);
      return false;
    }
  if (arg_flag(a, "formula") && arg_flag(a, "grammar")) {
    usage_error(a, "--formula or --grammar: one of them");
    return false;
  }
  arg_number(a, "approx", 0, 0, APPROX_K_MOST, &bad);
  return !bad;
}

/* Code of the user's that crashed says nothing, neither good nor bad. */
static bool no_fault(struct monitoring *j) {
  const char *fault = spec_user_fault(&j->stream.spec);
  if (fault) problem_set(&j->why, "%s", fault);
  return !fault;
}

/* Reads to the end, to a violation, or to a limit. False with the problem. */
static bool monitor_input(struct monitoring *j, struct mem *m, const char *path) {
  const char *format = arg_value(j->args, "format"), *spec = arg_value(j->args, "spec");
  if (spec && !spec_load(spec, &j->spec, m, &j->why)) return false;
  if (spec) j->options.spec = &j->spec;
  if (!stream_open(&j->stream, m, &j->options, strcmp(path, "-") ? path : "<stdin>", &j->why)) return false;
  struct input in;
  if (!input_open(&in, m, path, &j->why)) return false;
  if (!stream_read(&j->stream, &in, format ? format_named(format) : NULL, &j->why)) return false;
  return no_fault(j);
}

/* What shows the violation, which the exact checker confirms. Most often that is a few operations, but not always:
 * limits are kept. */
static bool confirm(struct monitoring *j, struct mem *m) {
  return stream_violation(&j->stream, m, &j->violation, &j->why) && no_fault(j);
}

static void set_result(struct monitoring *j, enum verdict verdict) {
  if (verdict == VERDICT_VIOLATED)
    j->result = j->violation.result;
  else
    j->result = (struct check_result){.verdict = verdict, .culprit = UINT32_MAX};
  snprintf(j->seen, sizeof j->seen,
           j->stream.violated ? "a violation seen at k = %u is not confirmed" : "no violation seen at k = %u",
           j->options.k);
  snprintf(j->method, sizeof j->method, "monitored at k = %u", j->options.k);
  j->result.method = j->method;
  j->result.reason = verdict == VERDICT_VIOLATED ? j->violation.said : "";
  if (verdict != VERDICT_UNKNOWN) return;
  snprintf(j->reason, sizeof j->reason, "%s after %.1f s; %s until then, in %llu operations",
           limit_told((enum limit)j->limits.reached), limits_elapsed(&j->limits), j->seen,
           (unsigned long long)j->stream.operations);
  j->result.reason = j->reason;
}

/* Everything that is written. False if something could not be. */
static bool write_answers(struct monitoring *j, struct mem *own, const char *path) {
  const struct stream *s = &j->stream;
  const struct history *h = s->history;
  const char *evidence = output_path(j->args, own, "evidence");
  bool violated = j->result.verdict == VERDICT_VIOLATED;
  struct monitored m = {.k = j->options.k,
                        .file = strcmp(path, "-") ? path : "<stdin>",
                        .seen = j->seen,
                        .operations = s->operations,
                        .events = s->events,
                        .pending = s->pending,
                        .line = s->line,
                        .intervals = stream_length(s),
                        .bytes = stream_bytes(s),
                        .held = stream_held(s),
                        .kind = stream_kind(s),
                        .said = j->violation.said,
                        .counted = j->violation.counted};
  struct text blind;
  text_open(&blind, own);
  stream_blind(s, &blind);
  m.blind = text_string(&blind);
  if (h) {
    m.format = h->format;
    m.failed = h->failed;
    m.skipped = h->skipped;
    m.processes = names_count(h->processes);
    m.objects = names_count(h->objects);
  }
  struct spec spec = s->spec;
  if (violated) spec.processes = j->violation.history->processes;
  struct report report = {.command = "check",
                          .history = violated ? j->violation.history : NULL,
                          .spec = spec.name ? &spec : NULL,
                          .result = &j->result,
                          .monitored = &m,
                          .seconds = limits_elapsed(&j->limits),
                          .cpu_seconds = clock_cpu_seconds() - j->cpu,
                          .peak_rss_kb = peak_rss_kb(),
                          .color = isatty(STDOUT_FILENO),
                          .width = terminal_columns()};
  struct text t;
  text_open(&t, own);
  if (!violated) evidence = NULL;
  report.evidence = writable_path(evidence);
  bool good = write_reports(j->args, own, &report, report_svg, &t);
  if (evidence) good &= file_written(evidence_write(evidence, report.history, &spec, &j->result, &j->why), &j->why);
  return good;
}

/* After the reading: the answer is written. */
static int answer(struct monitoring *j, struct mem *own, const char *path, enum verdict verdict) {
  set_result(j, verdict);
  return status_of_output(status_of_verdict(verdict), write_answers(j, own, path));
}

int check_approx(const struct args *a, const char *path, double seconds, size_t bytes) {
  struct mem m, own;
  bool bad = false;
  volatile int status = EXIT_USAGE;
  struct monitoring *j;
  mem_open(&own, NULL);
  if (MEM_GUARD(&own)) {
    mem_close(&own);
    return answer_lost(a);
  }
  j = mem_zero(&own, 1, sizeof *j);
  j->args = a;
  j->cpu = clock_cpu_seconds();
  j->options.k = (unsigned)arg_number(a, "approx", 0, 0, APPROX_K_MOST, &bad);
  j->options.formula = arg_value(a, "formula");
  j->options.grammar = arg_value(a, "grammar");
  limits_start(&j->limits, seconds, bytes);
  j->limits.interrupted = &interrupted;
  mem_open(&m, &j->limits);
  volatile enum verdict verdict = VERDICT_UNKNOWN;
  volatile bool good = true;
  if (!MEM_GUARD(&m)) {
    good = monitor_input(j, &m, path);
    bool seen = good && j->stream.violated, shown = seen && confirm(j, &m);
    if (seen && !shown)
      good = j->limits.reached; /* else it is an error, which was said */
    else
      verdict = shown ? VERDICT_VIOLATED : VERDICT_HOLDS;
  }
  if (answer_printed(a)) {
    status = answer_lost(a);
  } else if (good) {
    m.limits = NULL; /* what is left to do is small, and is done */
    status = answer(j, &own, path, verdict);
  } else {
    say_error("%s", j->why.text);
    status = j->violation.blamed ? EXIT_USAGE : status_of_problem(&j->why);
    tell_junit(a, path, status, j->why.text);
  }
  spec_user_close(&j->stream.spec);
  mem_close(&m);
  mem_close(&own);
  return status;
}
