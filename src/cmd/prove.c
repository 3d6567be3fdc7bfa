/* asif prove: is this C object linearizable, for any number of threads?
 *
 *   read -> prove -> (not proved: is there an execution of a few threads that is wrong? verify) -> report */
#include <string.h>
#include <unistd.h>

#include "cmd/sources.h"
#include "cmd/verify_job.h"
#include "prove/evidence.h"
#include "verify/schedule.h"

static const struct opt opts[] = {
    {"spec", 's', "SPEC", "stack|queue|set|multiset",
     "what the object must do; default: what ASIF_OBJECT in the file says"},
    {"level", 'l', "LEVEL", "ms|nu|full",
     "ms: memory safety; nu: and results; full: and exactly one linearization point (default)"},
    {"points", 0, "WHICH", "marked|found",
     "linearization points: those marked with ASIF_LIN, or found by trying; default: marked, if there are any"},
    {"recursion", 0, "N", NULL, "how deep functions may call themselves (default: 8)"},
    {"no-confirm", 0, NULL, NULL, "where the proof fails, do not look for a wrong execution of two or three threads"},
    {"races", 0, "WHETHER", "yes|no",
     "where the proof succeeds, look for data races of two threads (default), or take plain accesses for atomic"},
    {"json", 0, NULL, NULL, "print one JSON object instead of text"},
    {"html", 0, "FILE", "@files", "write a page: the program with what is known at each line, and memory drawn"},
    {"junit", 0, "FILE", "@files", "write a JUnit report"},
    {"evidence", 0, "FILE", "@files", "write the proof, or the wrong execution: `asif replay FILE` checks it again"},
    {"compile-commands", 0, "FILE", "@files",
     "take each file's -I, -D, -U, -std, -include and -isystem from this compile_commands.json"},
    {"time-limit", 't', "TIME", NULL, "give up after this long: 10, 0.5, 5m; the verdict is then unknown"},
    {"memory-limit", 0, "SIZE", NULL, "give up beyond this much memory: 500M, 2G"},
    {"quiet", 'q', NULL, NULL, "print the verdict line only"},
    {NULL, 0, NULL, NULL, NULL},
};

struct job {
  const struct args *args;
  struct prove_options options;
  double seconds, cpu, started;
  size_t bytes, own_bytes; /* the memory limit, and what the process takes before anything is done */
  struct mem mem;          /* of the proof */
  struct limits limits;
  struct proved proved;
  bool cut;                     /* by a limit, in the middle */
  struct verify_job confirming; /* of a failed proof: the last that was searched */
  unsigned searched;            /* so many of the clients */
  bool violated;                /* ... and found something wrong */
  bool races;                   /* they are searched for data races alone */
  unsigned without_races;       /* so many of them have none */
  bool confirms;                /* its subject and memory are open */
  struct mem confirming_mem;
  struct text confirmed; /* what was searched, in words */
  bool internal;         /* verify had an internal error */
};

static bool read_options(const struct args *a, struct job *j) {
  bool bad = false;
  struct prove_options *o = &j->options;
  const char *level = arg_value(a, "level"), *points = arg_value(a, "points");
  j->args = a;
  j->cpu = clock_cpu_seconds();
  *o = (struct prove_options){.path = a->at[0], .cc_args = sources_arguments(a), .spec = arg_value(a, "spec")};
  if (!o->cc_args) return false;
  o->level = !level || !strcmp(level, "full") ? LEVEL_FULL : !strcmp(level, "nu") ? LEVEL_NU : LEVEL_MS;
  o->points = !points ? POINTS_AUTO : !strcmp(points, "marked") ? POINTS_MARKED : POINTS_FOUND;
  o->recursion = (unsigned)arg_number(a, "recursion", 0, 1, 1000, &bad);
  j->seconds = arg_seconds(a, "time-limit", 0, &bad);
  j->bytes = arg_bytes(a, "memory-limit", 0, &bad);
  return !bad;
}

/* Confirming: small clients, searched whole, one after the other. */

static const struct client { unsigned threads, ops; } clients[] = {{2, 1}, {2, 2}, {3, 1}, {3, 2}};
enum {
  CLIENTS = sizeof clients / sizeof *clients,
  SMALL = 3 /* of them take no time */,
  CONFIRM_SECONDS = 10,
  PATIENCE = 4000000 /* compositions: some seconds */,
  RACE_CLIENTS = 2,
  RACE_STATES = 100000
};

static double elapsed(const struct job *j) { return clock_seconds() - j->started; }

/* Of so many seconds that began then, or of the time limit. */
static double time_left(const struct job *j, double began, double seconds) {
  double left = seconds - (clock_seconds() - began);
  return j->seconds > 0 && j->seconds - elapsed(j) < left ? j->seconds - elapsed(j) : left;
}

/* Of the memory limit, where so much is held: the process itself counts, as it was at the start. */
static size_t memory_left(const struct job *j, size_t held) {
  held += j->own_bytes;
  return !j->bytes ? 0 : j->bytes > held ? j->bytes - held : 1;
}

static void close_confirming(struct job *j) {
  if (!j->confirms) return;
  subject_close(&j->confirming.subject);
  mem_close(&j->confirming_mem);
  j->confirms = false;
}

/* Searches one client; false if it cannot be searched: verify does not read the file, or there was an internal error.
 */
static bool search_client(struct job *j, const struct client *c, bool points, double seconds) {
  struct verify_job *v = &j->confirming;
  struct problem why;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  close_confirming(j);
  memset(v, 0, sizeof *v);
  v->args = j->args;
  v->cpu = j->cpu;
  v->options = (struct verify_options){.path = j->options.path,
                                       .spec = j->options.spec,
                                       .cc_args = j->options.cc_args,
                                       .threads = c->threads,
                                       .ops = c->ops,
                                       .bound = -1,
                                       .recursion = j->options.recursion,
                                       .points = points,
                                       .races = j->races,
                                       .leaks = j->races ? LEAKS_NO : LEAKS_IF_FREED,
                                       .check_orders = true};
  v->options.search.jobs =
      cores > 0 && c->threads * c->ops > 4 ? (unsigned)cores : 1; /* what is small is the same each time */
  v->options.search.deadlocks = !j->races;
  v->options.search.most = j->races ? RACE_STATES : 0;
  limits_start(&v->limits, seconds, memory_left(j, j->limits.used));
  v->limits.interrupted = &interrupted;
  mem_open(&j->confirming_mem, &v->limits);
  j->confirms = true;
  if (MEM_GUARD(&j->confirming_mem)) {
    v->answer = (struct verified){.search = {.verdict = VERDICT_UNKNOWN, .limit = (enum limit)v->limits.reached}};
    return v->limits.reached != LIMIT_INTERRUPT;
  }
  if (subject_open(&j->confirming_mem, &v->options, &v->subject, &why) &&
      verify(&v->subject, &v->limits, &v->answer, &why))
    return true;
  j->internal = why.kind == PROBLEM_INTERNAL;
  if (j->internal) say_error("%s", why.text);
  why.text[strcspn(why.text, "\n")] = 0;
  text_printf(&j->confirmed, "%sit is not searched: %s", j->confirmed.count ? "; " : "", why.text);
  return false;
}

/* Of memory safety alone, that results are wrong is no violation. */
static bool is_asked(const struct job *j) {
  const char *kind = j->confirming.answer.kind;
  return j->options.level != LEVEL_MS || (strcmp(kind, "not linearizable") && strcmp(kind, "points"));
}

static void say_client(struct job *j, const struct client *c, bool points) {
  enum verdict verdict = j->confirming.answer.search.verdict;
  text_printf(&j->confirmed, "%s%u threads, %u operation%s each%s: %s", j->confirmed.count ? "; " : "", c->threads,
              c->ops, c->ops == 1 ? "" : "s", points ? ", by the points" : "",
              verdict == VERDICT_HOLDS      ? "no violation"
              : verdict == VERDICT_VIOLATED ? "a violation"
                                            : "not searched to the end");
  if (verdict == VERDICT_UNKNOWN && j->confirming.answer.search.limit != LIMIT_NONE)
    text_printf(&j->confirmed, " (%s)", limit_told(j->confirming.answer.search.limit));
}

/* True if one of the clients from..to-1 can go wrong; its search is kept open. */
static bool search_clients(struct job *j, unsigned from, unsigned to, bool points, double began) {
  for (unsigned i = from; i < to; i++) {
    double left = time_left(j, began, CONFIRM_SECONDS);
    if (left < 0.05 || !search_client(j, &clients[i], points, left)) return false;
    say_client(j, &clients[i], points);
    if (j->confirming.answer.search.verdict == VERDICT_VIOLATED && is_asked(j)) return true;
  }
  return false;
}

/* Marked points may be wrong where the object is right. */
static bool blames_points(const struct job *j) {
  bool marked = j->options.points != POINTS_FOUND && j->options.level != LEVEL_MS && j->proved.program->has_points;
  return marked && prove_fail_blames_points(j->proved.failure.kind);
}

/* Searches those up to `most` that were not searched yet; by the points too, before what may take all the time. */
static void confirm(struct job *j, unsigned most) {
  double began = clock_seconds();
  j->violated = j->searched < SMALL && search_clients(j, j->searched, SMALL, false, began);
  if (!j->violated && most == CLIENTS && blames_points(j)) j->violated = search_clients(j, 0, SMALL, true, began);
  if (!j->violated) j->violated = search_clients(j, SMALL, most, false, began);
  j->searched = most;
  if (!j->violated) close_confirming(j);
}

/* The steps of a proof are whole accesses, whether they are atomic or not, and in C a data race takes the meaning from
 * all of them. So two threads are searched for one. */
static void look_for_races(struct job *j) {
  double began = clock_seconds();
  size_t said = j->confirmed.count;
  j->races = true;
  for (unsigned i = 0; i < RACE_CLIENTS && !j->violated; i++) {
    double left = time_left(j, began, CONFIRM_SECONDS);
    if (left < 0.05 || !search_client(j, &clients[i], false, left)) break;
    const struct verified *found = &j->confirming.answer;
    j->violated = found->search.verdict == VERDICT_VIOLATED && !strcmp(found->kind, fault_kind(FAULT_RACE));
    j->without_races += found->search.verdict == VERDICT_HOLDS;
  }
  if (!j->violated) close_confirming(j);
  if (j->confirmed.count > said) j->confirmed.at[j->confirmed.count = said] = 0; /* the proof does not rest on it */
}

static void note_races(const struct job *j, struct mem *m, struct proof *p) {
  static const char *const said[RACE_CLIENTS + 1] = {
      "data races were not looked for: accesses that are not atomic are taken to be",
      "data races were looked for with 2 threads, 1 operation each",
      "data races were looked for with 2 threads, up to 2 operations each"};
  char *note = mem_string(m, said[j->without_races], strlen(said[j->without_races]));
  vec_push(m, &p->notes, note);
}

/* What is written has memory of its own: there may be none left under the limit. */

static char *finished(struct text *t) { return t->count ? t->at : mem_string(t->mem, "", 0); }

static char *reason_of(const struct job *j, struct mem *m) {
  struct text t;
  text_open(&t, m);
  if (j->cut)
    text_printf(&t, "%s", limit_told((enum limit)j->limits.reached));
  else
    text_add(&t, j->proved.failure.said);
  return finished(&t);
}

static void gather_proof(const struct job *j, struct mem *m, struct proof *p, struct check_result *c,
                         struct report *r) {
  bool holds = j->proved.verdict == VERDICT_HOLDS && !j->cut;
  *c = (struct check_result){.verdict = holds ? VERDICT_HOLDS : VERDICT_UNKNOWN,
                             .method = (char *)"views closed under steps and interference",
                             .reason = holds ? NULL : reason_of(j, m),
                             .culprit = UINT32_MAX};
  *r = (struct report){.command = "prove",
                       .spec = j->proved.spec.name ? &j->proved.spec : NULL,
                       .result = c,
                       .proof = p,
                       .seconds = elapsed(j),
                       .cpu_seconds = clock_cpu_seconds() - j->cpu,
                       .peak_rss_kb = peak_rss_kb(),
                       .color = isatty(STDOUT_FILENO),
                       .width = terminal_columns()};
  if (holds) r->evidence = writable_path(arg_value(j->args, "evidence"));
  if (j->confirmed.count) p->confirming = j->confirmed.at;
}

/* The execution that verify found, after where the proof failed. */
static bool answer_violated(const struct job *j, struct mem *m, const struct report *failed) {
  struct verify_facts *f = mem_zero(m, 1, sizeof *f);
  struct text before, more;
  text_open(&before, m);
  text_open(&more, m);
  verify_gather(&j->confirming, m, f);
  f->report.command = "prove";
  f->report.proof = failed->proof;
  f->report.seconds = failed->seconds;
  f->report.evidence = writable_path(arg_value(j->args, "evidence"));
  text_add(&more, f->execution.members);
  report_proof_members(failed, &more);
  f->execution.members = finished(&more);
  if (!arg_flag(j->args, "json") && failed->proof->sentence) {
    report_proof_failure(failed, &before);
    text_add(&before, "\nThere is an execution that is wrong:\n\n");
  }
  return write_reports(j->args, m, &f->report, verify_svg, &before);
}

/* The proof, or the execution that is wrong; of what is not known there is none. */
static bool write_evidence(const struct job *j) {
  const char *path = arg_value(j->args, "evidence");
  struct problem why;
  bool proved = j->proved.verdict == VERDICT_HOLDS && !j->cut;
  if (!path || (!j->violated && !proved)) return true;
  bool good = j->violated ? schedule_write(path, &j->confirming.subject, &j->confirming.answer, &why)
                          : prove_evidence_write(path, &j->options, &j->proved, &why);
  return file_written(good, &why);
}

static int write_all(void *self, struct mem *m) {
  const struct job *j = self;
  struct proof *p = mem_zero(m, 1, sizeof *p);
  struct check_result result;
  struct report report;
  struct text before;
  text_open(&before, m);
  prove_tell(&j->proved, &j->options, arg_value(j->args, "html") != NULL, j->violated, m, p);
  gather_proof(j, m, p, &result, &report);
  if (result.verdict == VERDICT_HOLDS && !j->violated) note_races(j, m, p);
  bool written = j->violated ? answer_violated(j, m, &report) : write_reports(j->args, m, &report, NULL, &before);
  written &= write_evidence(j);
  return status_of_output(j->internal   ? EXIT_INTERNAL
                          : j->violated ? EXIT_VIOLATED
                                        : status_of_verdict(result.verdict),
                          written);
}

static int write_proof(void *self, struct mem *m) {
  struct job *j = self;
  (void)m;
  return answer_apart(j->args, &j->mem, write_all, j);
}

static int answer(struct job *j) {
  return answer_apart(j->args, j->confirms ? &j->confirming_mem : NULL, write_proof, j);
}

/* Tries to prove it, for so long, and with so many compositions (0: any number). False if the file cannot be read. */
static bool decide(struct job *j, double seconds, unsigned patience) {
  struct problem why;
  mem_close(&j->mem);
  j->proved = (struct proved){.verdict = VERDICT_UNKNOWN};
  limits_start(&j->limits, seconds, memory_left(j, 0));
  j->limits.states = patience;
  j->limits.interrupted = &interrupted;
  mem_open(&j->mem, &j->limits);
  j->cut = false;
  if (MEM_GUARD(&j->mem)) {
    j->cut = true;
    return true;
  }
  if (prove(&j->mem, &j->options, &j->proved, &why)) return true;
  say_error("%s", why.text);
  return false;
}

/* A proof that takes long may be one of something wrong, which shows sooner in a few threads: they are looked at first,
 * then it goes on. What is long is counted, so that the answer is the same on a machine that has other work. */
static bool decide_and_confirm(struct job *j) {
  bool confirms = !arg_flag(j->args, "no-confirm");
  if (!decide(j, j->seconds, confirms ? PATIENCE : 0)) return false;
  if (j->cut && j->limits.reached == LIMIT_STATES) {
    confirm(j, SMALL);
    double left = j->seconds > 0 ? time_left(j, j->started, j->seconds) : 0;
    if (j->seconds > 0 && left < 0.001) left = 0.001; /* 0 would be any time */
    if (!j->violated && !decide(j, left, 0)) return false;
  }
  if (confirms && !j->violated && !j->cut && j->proved.verdict != VERDICT_HOLDS) confirm(j, CLIENTS);
  const char *races = arg_value(j->args, "races");
  bool looks = confirms && (!races || !strcmp(races, "yes"));
  if (looks && !j->violated && !j->cut && j->proved.verdict == VERDICT_HOLDS) look_for_races(j);
  return true;
}

/* What the process holds now. Its peak may be that of whoever started it. 0: not known. */
static size_t resident_bytes(void) {
  unsigned long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (f && fscanf(f, "%*u %lu", &pages) != 1) pages = 0;
  if (f) fclose(f);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static int run(const struct args *a) {
  struct job *j = &(struct job){.args = a, .started = clock_seconds()};
  struct mem words;
  if (!read_options(a, j)) return EXIT_USAGE;
  handle_interrupts();
  j->own_bytes = resident_bytes();
  mem_open(&j->mem, NULL);
  mem_open(&words, NULL);
  text_open(&j->confirmed, &words);
  volatile int status = EXIT_USAGE;
  if (MEM_GUARD(&words))
    status = answer_lost(a);
  else if (decide_and_confirm(j))
    status = answer(j);
  close_confirming(j);
  mem_close(&words);
  mem_close(&j->mem);
  return status;
}

const struct command command_prove = {
    .name = "prove",
    .usage = "FILE.c... [--spec SPEC] [--level ms|nu|full] [-- COMPILER ARGUMENTS]",
    .summary = "prove a C object linearizable for any number of threads",
    .details = "FILE.c is the object as it ships, with the lines at its end that verify reads too\n"
               "(docs/harness.md). What one thread knows of the shared memory is followed symbolically, while\n"
               "any number of others do what their operations can do; no invariants, actions or linearization\n"
               "points need be given. The object is a linked list: a stack, a queue, a set or a multiset.\n"
               "\n"
               "Where the proof fails, it is said at which line, what is known there, and how it may come to\n"
               "that. Then a few threads are searched as by `asif verify`, for ten seconds at most: if one of their\n"
               "executions is wrong the verdict is violated, with the execution; else it is unknown, for a proof\n"
               "that fails shows nothing. Where it succeeds two threads are searched for data races, which it does\n"
               "not exclude. What is followed, what is assumed and how it works: docs/prove.md.\n"
               "\n"
               "Exit status: 0 proved, 1 violated, 2 bad usage or C that is not read, 3 unknown (not proved, or a\n"
               "limit was reached), 4 internal error.\n"
               "\n"
               "Examples:\n"
               "  asif prove stack.c                           the specification is in the file\n"
               "  asif prove queue.c --spec queue --level ms   memory safety only\n"
               "  asif prove queue.c --points marked           by the points marked with ASIF_LIN()\n"
               "  asif prove set.c --html proof.html           what is known at each line, and memory drawn\n"
               "  asif prove stack.c --no-confirm -- -DSIZE=2 -Iinclude\n",
    .opts = opts,
    .least = 1,
    .most = -1,
    .run = run,
};
