/* asif test --stress: real threads, real times (docs/test.md).
 *
 *   compile, as it ships and to be perturbed -> rounds -> report */
#include "cmd/test_stress.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approx/monitor.h"
#include "evidence/evidence.h"
#include "history/format.h"
#include "report/report.h"
#include "test/stress.h"

struct job {
  const struct args *args;
  char *const *inputs, *const *flags;
  struct mem *mem;
  struct limits limits;
  double cpu;
  struct stress_options options;
  struct object object;
  const char *directory;
  struct compiled hooked, compiled[2];
  struct stress_build builds[2];
  unsigned build_count;
  struct stressed answer;
  struct stress_speeds speeds;
  struct text output;
  struct problem why;
};

static bool read_options(struct job *j) {
  const struct args *a = j->args;
  struct stress_options *o = &j->options;
  bool bad = false, given = arg_value(a, "history") != NULL;
  o->threads = (unsigned)arg_number(a, "threads", 0, 1, STRESS_THREADS, &bad);
  o->ops = (unsigned)arg_number(a, "ops", 0, 1, STRESS_CALLS_MOST / 2, &bad);
  o->time = arg_seconds(a, "time", 0, &bad);
  o->rounds = (uint64_t)arg_number(a, "repeat", given ? 1 : 0, 1, INT64_MAX, &bad);
  o->seconds = arg_seconds(a, "time-limit", o->rounds ? 0 : 10, &bad);
  o->seed = (uint64_t)arg_number(a, "seed", 1, 0, INT64_MAX, &bad);
  o->hang = arg_seconds(a, "hang", 5, &bad);
  o->interrupted = &interrupted;
  if (bad || !read_monitor(a, &o->approx, &o->k)) return false;
  if (o->time > 0 && o->ops) return usage_error(a, "--time and --ops exclude each other"), false;
  if (given && (o->threads || o->ops || o->time > 0))
    return usage_error(a, "--history says itself who calls what"), false;
  return true;
}

/* The calls of a history, each process a thread. */
static bool read_calls(struct job *j, const char *path) {
  struct mem *m = j->mem;
  struct history *h = history_read(m, path, NULL, &j->why);
  struct spec spec = j->object.spec;
  if (!h || !spec_bind(&spec, h, &j->why)) return false;
  unsigned threads = names_count(h->processes);
  if (threads > STRESS_THREADS)
    return problem_set(&j->why, "%s: %u processes; at most %d", path, threads, STRESS_THREADS), false;
  struct client *c = mem_zero(m, 1, sizeof *c);
  c->threads = threads;
  c->first = mem_zero(m, threads + 1, sizeof *c->first);
  c->calls = mem_zero(m, h->ops.count + 1, sizeof *c->calls);
  uint32_t n = 0;
  for (unsigned t = 0; t < threads; t++) {
    c->first[t] = n;
    for (size_t i = 0; i < h->ops.count; i++) {
      const struct op *o = &h->ops.at[i];
      unsigned k = 0;
      if (o->process != t) continue;
      while (k < j->object.op_count && j->object.ops[k].method != o->method) k++;
      if (k == j->object.op_count) {
        size_t len;
        const char *name = spec_op_name(&spec, o->method, &len);
        return problem_set(&j->why, "%s:%" PRIu32 ": the object has no operation %.*s", path, o->line, (int)len, name),
               false;
      }
      c->calls[n].op = k;
      for (unsigned i2 = 0; i2 < j->object.ops[k].arg_count; i2++) {
        value v = o->arg[i2];
        if (value_kind(h->values, v) != VALUE_INT)
          return problem_set(&j->why, "%s:%" PRIu32 ": the object's operations take numbers", path, o->line), false;
        c->calls[n].arg[i2] = value_integer(h->values, v);
      }
      if (++n - c->first[t] > STRESS_CALLS_MOST)
        return problem_set(&j->why, "%s: more than %d calls of one process", path, STRESS_CALLS_MOST), false;
    }
  }
  c->first[threads] = n;
  j->options.calls = c;
  return true;
}

/* --- building --- */

/* Objects made by `asif cc` call the hooks. */
static bool given_objects(const struct job *j) {
  for (char *const *in = j->inputs; *in; in++) {
    const char *dot = strrchr(*in, '.');
    if (dot && (!strcmp(dot, ".o") || !strcmp(dot, ".a"))) return true;
  }
  return false;
}

static bool build(struct job *j, bool perturb, const char *sanitize, const struct spec *spec) {
  struct stress_build *b = &j->builds[j->build_count];
  struct compiled *c = &j->compiled[j->build_count];
  bool hooks = perturb || (given_objects(j) && (!sanitize || strcmp(sanitize, "thread")));
  struct compile_options o = {.inputs = j->inputs,
                              .flags = j->flags,
                              .perturb = perturb,
                              .support = stress_support(j->mem, hooks),
                              .sanitize = sanitize,
                              .spec = spec};
  if (!compile(j->mem, &o, c, &j->why)) return false;
  j->build_count++;
  b->image = c->object;
  b->perturbed = perturb;
  return !sanitize || (b->program = stress_program(j->mem, c->directory, sanitize, &j->why)) != NULL;
}

/* What the object is, from the build with the hooks: a sanitizer's cannot be loaded here, and what the object does one
 * operation at a time is found out by the runtime. */
static bool read_hooked(struct job *j, const char *spec) {
  struct object_options o = {.inputs = j->inputs, .flags = j->flags, .spec = spec};
  struct image *image;
  o.directory = j->directory = compile_directory(j->mem, &j->why);
  if (!o.directory || !object_open(j->mem, &o, &image, &j->hooked, &j->object, &j->why)) return false;
  if (!j->object.self) return true;
  struct run_options run = {.races = false};
  if (!run_open(image, j->object.run_ops, j->object.op_count, j->object.init, &run, &j->why)) return false;
  self_spec(j->mem, &j->object, &j->object.spec);
  return true;
}

static bool read_object(struct job *j, const char *spec, const struct spec *given) {
  struct stress_build *b = &j->builds[0];
  if (!stress_load(b, j->inputs[0], &j->why)) return false;
  const struct asif_spec *table = dlsym(b->loaded, "asif_spec_table");
  struct object_source source = {.object = j->compiled[0].object,
                                 .directory = j->compiled[0].directory,
                                 .own_spec = table ? table->name : NULL,
                                 .file = j->inputs[0]};
  source.entries = stress_entries(b, &source.count);
  return object_read(j->mem, &source, spec, given, &j->object, &j->why) && (!j->object.self || read_hooked(j, spec));
}

static bool build_all(struct job *j) {
  const char *sanitize = arg_value(j->args, "sanitize"), *name = arg_value(j->args, "spec");
  bool perturb = !sanitize && !arg_flag(j->args, "no-perturb"), given = name && strcmp(name, "self");
  struct spec spec;
  if (given && !spec_load(name, &spec, j->mem, &j->why)) return false;
  if (sanitize && !read_hooked(j, name)) return false;
  if (!build(j, false, sanitize, given ? &spec : NULL)) return false;
  if (!sanitize && !read_object(j, name, given ? &spec : NULL)) return false;
  if (j->object.tests) {
    problem_set(&j->why, "%s: tests (ASIF_TEST) start threads of their own: --stress is for objects", j->inputs[0]);
    return false;
  }
  if (perturb && !build(j, true, NULL, given ? &spec : NULL)) return false;
  for (unsigned i = 0; i < j->build_count; i++)
    if (!stress_open(&j->builds[i], &j->object, &j->why)) return false;
  j->options.bound = j->object.bound;
  if (j->object.drains || j->object.finish) say_error("note: what ASIF_FINAL names is not run with --stress");
  return true;
}

/* --- answering --- */

static void put_grouped_number(struct text *t, uint64_t n) {
  char digits[32];
  int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
  for (int i = 0; i < len; i++) {
    if (i && (len - i) % 3 == 0) text_char(t, ',');
    text_char(t, digits[i]);
  }
}

static void put_counted(struct text *t, uint64_t n, const char *what) {
  put_grouped_number(t, n);
  text_printf(t, " %s%s", what, n == 1 ? "" : "s");
}

/* "1,234 rounds, 56,789 operations" */
static char *searched(struct job *j) {
  struct text t;
  text_open(&t, j->mem);
  put_counted(&t, j->answer.rounds, "round");
  if (j->answer.perturbed)
    text_add(&t, ", "), put_grouped_number(&t, j->answer.perturbed), text_add(&t, " of them perturbed");
  text_add(&t, ", ");
  put_counted(&t, j->answer.operations, "operation");
  return t.at;
}

static char *client_words(struct job *j) {
  struct text t;
  text_open(&t, j->mem);
  text_printf(&t, "stress: %s%u real thread%s", j->options.threads || j->options.calls ? "" : "up to ",
              j->answer.threads, j->answer.threads == 1 ? "" : "s");
  if (j->options.bound >= 0)
    text_printf(&t, ", at most %ld element%s", j->options.bound, j->options.bound == 1 ? "" : "s");
  return t.at;
}

static char *calls_words(struct job *j) {
  struct text t;
  text_open(&t, j->mem);
  for (unsigned i = 0; i < j->object.op_count; i++) {
    const struct object_op *o = &j->object.ops[i];
    text_printf(&t, "%s%s(", i ? ", " : "", o->run.written);
    for (unsigned k = 0; k < o->arg_count; k++) {
      text_printf(&t, "%s%ld", k ? ", " : "", o->in[k].low);
      if (o->in[k].high > o->in[k].low) text_printf(&t, "..%ld", o->in[k].high);
    }
    text_char(&t, ')');
  }
  return t.count ? t.at : mem_string(j->mem, "", 0);
}

/* --- speed --- */

static const char *speed_op(const struct job *j, const struct stress_speed *s) {
  return s->op < j->object.op_count ? j->object.ops[s->op].run.written : "all";
}

static void put_time(struct text *t, double ns) {
  if (ns < 10000)
    text_printf(t, "  %8.0f ns", ns);
  else if (ns < 1e7)
    text_printf(t, "  %8.1f us", ns / 1e3);
  else
    text_printf(t, "  %8.1f ms", ns / 1e6);
}

static void put_speeds(struct job *j, struct text *t) {
  const struct stress_speeds *s = &j->speeds;
  int width = 9;
  for (unsigned i = 0; i < j->object.op_count; i++) {
    int n = (int)strlen(j->object.ops[i].run.written);
    width = n > width ? n : width;
  }
  if (s->list.count)
    text_printf(t, "threads  %-*s  calls a second       median         99 %%          most\n", width, "operation");
  for (size_t i = 0; i < s->list.count; i++) {
    const struct stress_speed *p = &s->list.at[i];
    text_printf(t, "%7u  %-*s  %14.0f", p->threads, width, speed_op(j, p), p->throughput);
    put_time(t, p->median);
    put_time(t, p->high);
    put_time(t, p->most);
    text_char(t, '\n');
  }
  if (s->list.count)
    text_printf(
        t, "Calls are counted without recording; latencies contain the %.0f ns that taking the times costs a call.\n",
        s->recording > 0 ? s->recording : 0);
  if (s->failed) text_printf(t, "Not all could be measured: %s.\n", s->failed);
  text_char(t, '\n');
}

static char *members(struct job *j) {
  struct text t;
  const struct stressed *a = &j->answer;
  text_open(&t, j->mem);
  text_printf(&t,
              ",\"complete\":false,\"rounds\":%" PRIu64 ",\"perturbed_rounds\":%" PRIu64 ",\"operations_run\":%" PRIu64
              ",\"pending\":%" PRIu64 ",\"undecided\":%" PRIu64,
              a->rounds, a->perturbed, a->operations, a->pending, a->undecided);
  if (j->options.approx) text_printf(&t, ",\"k\":%u", j->options.k);
  if (!arg_flag(j->args, "throughput")) return t.at;
  text_printf(&t, ",\"recording_ns\":%.1f,\"speed\":[", j->speeds.recording);
  for (size_t i = 0; i < j->speeds.list.count; i++) {
    const struct stress_speed *p = &j->speeds.list.at[i];
    text_printf(&t,
                "%s{\"threads\":%u,\"operation\":\"%s\",\"per_second\":%.0f,\"median_ns\":%.0f,\"p99_ns\":%.0f,\"max_"
                "ns\":%.0f}",
                i ? "," : "", p->threads, speed_op(j, p), p->throughput, p->median, p->high, p->most);
  }
  text_char(&t, ']');
  return t.at;
}

/* The facts as reports take them. */
struct facts {
  struct report report;
  struct execution execution;
  struct check_result result;
  struct schedule schedule;
  VEC(const char *) notes;
};

static void add_note(struct job *j, struct facts *f, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_note(struct job *j, struct facts *f, const char *format, ...) {
  char room[500];
  va_list list;
  va_start(list, format);
  vsnprintf(room, sizeof room, format, list);
  va_end(list);
  vec_push(j->mem, &f->notes, mem_string(j->mem, room, strlen(room)));
}

static void add_notes(struct job *j, struct facts *f) {
  const struct stressed *a = &j->answer;
  for (size_t i = 0; i < j->compiled[0].warning_count; i++) add_note(j, f, "%s", j->compiled[0].warnings[i]);
  if (a->undecided) add_note(j, f, "%" PRIu64 " histories were too large to decide", a->undecided);
  if (a->waits)
    add_note(j, f,
             "operations that waited for what nobody would bring were taken as pending; since then rounds bring in as "
             "much as they take");
  if (a->verdict == VERDICT_HOLDS)
    add_note(j, f, "what was not run was not seen: asif test without --stress tries schedules one by one");
}

static char *unseen(struct job *j) {
  struct text t;
  text_open(&t, j->mem);
  text_printf(&t, "no violation seen at k = %u", j->options.k);
  return t.at;
}

static void gather(struct job *j, struct facts *f) {
  const struct stressed *a = &j->answer;
  struct text method;
  bool history = a->found == FOUND_HISTORY;
  text_open(&method, j->mem);
  text_printf(&method, "stress: round %" PRIu64 " of %u threads", a->round, a->client.threads);
  if (j->options.approx) text_printf(&method, ", monitored by A_%u", j->options.k);
  if (history) text_printf(&method, "; %s", a->check.method);
  f->result = a->check;
  f->result.verdict = a->verdict;
  f->result.method = method.at;
  f->result.reason = a->reason;
  add_notes(j, f);
  f->execution = (struct execution){.file = j->object.file,
                                    .client = client_words(j),
                                    .calls = calls_words(j),
                                    .threads = a->threads,
                                    .operations = j->options.ops,
                                    .bound = j->options.bound,
                                    .searched = searched(j),
                                    .schedules = a->rounds,
                                    .schedule = &f->schedule,
                                    .notes = f->notes.at,
                                    .note_count = f->notes.count,
                                    .violation = a->verdict == VERDICT_VIOLATED ? found_name(a->found) : NULL,
                                    .members = members(j),
                                    .partly = true};
  if (j->options.approx) f->execution.unseen = unseen(j);
  f->report = (struct report){.command = "test",
                              .history = a->verdict == VERDICT_VIOLATED ? a->history : NULL,
                              .spec = &j->answer.spec,
                              .result = &f->result,
                              .execution = history ? NULL : &f->execution,
                              .seconds = limits_elapsed(&j->limits),
                              .cpu_seconds = clock_cpu_seconds() - j->cpu,
                              .peak_rss_kb = peak_rss_kb(),
                              .color = isatty(STDOUT_FILENO),
                              .width = terminal_columns()};
}

static bool write_answers(struct job *j, struct facts *f) {
  const struct args *a = j->args;
  struct report *r = &f->report;
  const char *evidence = arg_value(a, "evidence"), *output = arg_value(a, "output");
  struct text t;
  text_open(&t, j->mem);
  if (j->answer.found != FOUND_HISTORY) evidence = NULL;
  r->evidence = writable_path(evidence);
  if (output && !j->options.each)
    stress_put(&j->output, j->answer.history, &j->answer.spec, &j->answer.check, j->answer.round);
  bool json = arg_flag(a, "json"), quiet = arg_flag(a, "quiet");
  if (!json && output && !strcmp(output, "-"))
    text_bytes(&t, text_string(&j->output), j->output.count), text_char(&t, '\n');
  if (!json && arg_flag(a, "throughput") && !quiet) put_speeds(j, &t);
  if (!json && j->answer.said && !quiet) text_printf(&t, "%s\n", j->answer.said);
  bool good = write_reports(a, j->mem, r, report_svg, &t);
  if (output && strcmp(output, "-")) good &= write_file(output, text_string(&j->output), j->output.count);
  if (evidence)
    good &=
        file_written(evidence_write(evidence, j->answer.history, &j->answer.spec, &j->answer.check, &j->why), &j->why);
  return good;
}

/* For --output with rounds that are counted: all of them. */
static bool put_round(void *context, uint64_t round, const struct history *h, const struct spec *spec,
                      const struct check_result *r) {
  struct job *j = context;
  if (j->output.count) text_char(&j->output, '\n');
  stress_put(&j->output, h, spec, r, round);
  return true;
}

static int run(struct job *j) {
  const struct args *a = j->args;
  const char *calls = arg_value(a, "history");
  if (!build_all(j) || (calls && !read_calls(j, calls))) return problem_status(&j->why);
  if (j->options.approx && !monitor_exists(&j->object.spec)) {
    problem_set(
        &j->why,
        "--stress --monitor is for queues, stacks and their like: there is no monitor of long histories of '%s'",
        j->object.spec.name);
    return problem_status(&j->why);
  }
  text_open(&j->output, j->mem);
  if (arg_value(a, "output") && j->options.rounds) j->options.each = put_round, j->options.context = j;
  if (!stress(j->mem, &j->object, j->builds, j->build_count, &j->options, &j->answer, &j->why))
    return problem_status(&j->why);
  if (!j->answer.rounds) return not_tested(a, j->inputs[0], j->answer.reason);
  if (arg_flag(a, "throughput") && j->answer.verdict == VERDICT_HOLDS && !interrupted &&
      !stress_measure(j->mem, &j->object, &j->builds[0], &j->options, j->answer.waits, 0.2, &j->speeds, &j->why))
    return problem_status(&j->why);
  struct facts *f = mem_zero(j->mem, 1, sizeof *f);
  gather(j, f);
  return status_of_output(status_of_verdict(j->answer.verdict), write_answers(j, f));
}

bool read_monitor(const struct args *a, bool *approx, unsigned *k) {
  const char *s = arg_value(a, "monitor");
  char *end = NULL;
  if (!s) return true;
  long n = !strncmp(s, "approx:", 7) && s[7] >= '0' && s[7] <= '9' ? strtol(s + 7, &end, 10) : -1;
  if (n < 0 || n > APPROX_K_MOST || *end)
    return usage_error(a, "--monitor %s: approx:K with a K from 0 to %d", s, APPROX_K_MOST), false;
  *approx = true;
  *k = (unsigned)n;
  return true;
}

bool stress_options_fit(const struct args *a) {
  static const char *const ours[] = {"time",       "history",  "repeat", "output",
                                     "no-perturb", "sanitize", "hang",   "throughput"};
  static const char *const others[] = {"main",   "client",     "dpor",   "bound", "bound-by",        "cache",
                                       "random", "runs",       "all",    "races", "leaks",           "steps",
                                       "jobs",   "keep-going", "replay", "debug", "schedules-limit", "stats"};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (!arg_flag(a, "stress") && arg_flag(a, ours[i]) && !(arg_flag(a, "replay") && !strcmp(ours[i], "repeat")))
      return usage_error(a, "--%s needs --stress", ours[i]), false;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (arg_flag(a, "stress") && arg_flag(a, others[i]))
      return usage_error(a, "--stress and --%s exclude each other", others[i]), false;
  if (arg_flag(a, "stress") && arg_flag(a, "memory"))
    return usage_error(a, "--stress runs on this machine, and memory is as the machine has it: without --memory"),
           false;
  return true;
}

int test_stress(const struct args *a, char *const *inputs, char *const *flags) {
  struct mem m;
  struct job *j = calloc(1, sizeof *j);
  volatile int status = EXIT_USAGE;
  if (!j) return say_error("out of memory"), EXIT_UNKNOWN;
  *j = (struct job){.args = a, .inputs = inputs, .flags = flags, .mem = &m, .cpu = clock_cpu_seconds()};
  bool bad = false;
  limits_start(&j->limits, 0, arg_bytes(a, "memory-limit", 0, &bad));
  mem_open(&m, &j->limits);
  if (MEM_GUARD(&m)) {
    say_error("%s", limit_told((enum limit)j->limits.reached));
    status = *a->said;
  } else if (!bad && read_options(j)) {
    handle_interrupts();
    status = run(j);
  }
  for (size_t i = 0; i < sizeof j->compiled / sizeof *j->compiled; i++) compile_close(&j->compiled[i]);
  object_close(&j->object);
  if (j->directory) compile_remove(j->directory);
  mem_close(&m);
  free(j);
  return status;
}
