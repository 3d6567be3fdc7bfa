/* make bench-test: how many schedules a second `asif test` runs, what its options cost, and how long it takes to the
 * first bug.
 *
 *   bench-test BUILD [WORD...]   rows whose cases contain any of the words, all by default
 *
 * rate    Michael and Scott's queue, 8 operations, each on a thread of its own, delay-bounded, one process. Bouajjani
 * et al., Tractable Refinement Checking for Concurrent Objects (2015), section 9, ran a million schedules a minute of
 * such a client; how many there are with n delays, their f(n), stands beside ours. Ours are more: their points were
 * annotations in Scal's queue, ours are all atomic accesses, and without looking for races, which they did not do
 * either, all accesses. Not every one must be run: see src/test/alike.h cost    the same with one option changed, or
 * with code that a runtime has more work with (bench/ms_queue_with.c) traces  one schedule of each happens-before trace
 * (--dpor), beside a search that gives up where such a trace has been (--all), and one that leaves nothing out; the
 * last may end at its time limit, and the figures are then where it stopped. ends    clients of which every schedule is
 * explored: one process' CPU seconds. bug     time to the first bug; then its
 * token is run REPEATS times, and must do the same each time (schedules of real threads have none)
 *
 * schedules: all of them; run: those that were executed. a second: schedules, of the CPU time.
 * cpu_seconds: of the processes that run the code, without the compiler; of stress, of the whole command. seconds: of
 * the whole command, by the clock, with the compiler, shrinking and telling. Medians of RUNS runs (RATE_RUNS of the
 * rate's), or one of more than SLOW_SECONDS.
 *
 * Written to bench/results/test.tsv when all rows run. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"

enum { RUNS = 3, RATE_RUNS = 9, SLOW_SECONDS = 20, REPEATS = 100, ARGS_MOST = 30, BUG_SECONDS = 10 };
#define RATE (100 * 1e6 / 60) /* schedules a second: 100 times theirs */

static const char eight[] = "enq(1) | deq() | enq(2) | deq() | enq(1) | deq() | enq(2) | deq()",
                  four[] = "enq(1) | enq(2) | deq() | deq()", two[] = "enq(1) deq() | enq(2) deq()",
                  six[] = "push(1) | push(1) | push(2) | pop() | pop() | pop()",
                  seqlock[] = "write(1) write(2) | read() read() | read() read()";
static const char queue[] = "objects/ms_queue.c", queue_with[] = "bench/ms_queue_with.c";

enum kind { KIND_RATE, KIND_COST, KIND_TRACES, KIND_ENDS, KIND_BUG };
struct row {
  enum kind kind;
  const char *name, *file, *client;
  const char *options; /* with spaces between; what follows -- is for the compiler */
  const char *expected;
  long theirs; /* f(n); of KIND_ENDS: CPU milliseconds, at most */
};

#define WITH_RACES "--bound 5 -j 1"
#define AS_THEIRS  WITH_RACES " --races no"
#define MS8        "MS queue, 8 threads x 1"
static const struct row rows[] = {
    {KIND_RATE, MS8, queue, eight, "--bound 1 -j 1", "none", 33},
    {KIND_RATE, MS8, queue, eight, "--bound 2 -j 1", "none", 612},
    {KIND_RATE, MS8, queue, eight, "--bound 3 -j 1", "none", 8343},
    {KIND_RATE, MS8, queue, eight, "--bound 4 -j 1", "none", 95434},
    {KIND_RATE, MS8, queue, eight, WITH_RACES, "none", 930141},
    {KIND_RATE, MS8, queue, eight, "--bound 5 -j 1 --skip no", "none", 930141},
    {KIND_RATE, MS8, queue, eight, AS_THEIRS, "none", 930141},

    {KIND_COST, MS8, queue, eight, "--bound 4 -j 1 --skip no", "none", 0}, /* first: the others are compared with it */
    {KIND_COST, MS8, queue, eight, "--bound 4 -j 1", "none", 0},
    {KIND_COST, MS8, queue, eight, "--bound 4 -j 2 --skip no", "none", 0},
    {KIND_COST, MS8, queue, eight, "--bound 4 -j 1 --skip no --races no", "none", 0},
    {KIND_COST, MS8, queue, eight, "--bound 4 -j 1 --cache yes", "none", 0},
    {KIND_COST, MS8, queue, eight, "--bound 0 --bound-by preemption --cache no -j 1", "none", 0},
    {KIND_COST, MS8, queue, eight, "--bound 0 --bound-by preemption --cache yes -j 1", "none", 0},
    {KIND_COST, MS8, queue, eight, "--random pct:3 --runs 100000 -j 1", "none", 0},
    {KIND_COST, MS8, queue, eight, "--random uniform --runs 100000 -j 1", "none", 0},
    {KIND_COST, MS8, queue_with, eight, "--bound 4 -j 1 --skip no -- -DTHREAD_LOCAL", "none", 0},
    {KIND_COST, MS8, queue_with, eight, "--bound 4 -j 1 --skip no -- -DGLOBALS", "none", 0},

    {KIND_TRACES, "MS queue, 4 threads x 1", queue, four, "--dpor -j 1", "none", 0},
    {KIND_TRACES, "MS queue, 4 threads x 1", queue, four, "--all -j 1", "none", 0},
    {KIND_TRACES, "MS queue, 4 threads x 1", queue, four, "--bound 1000 --bound-by preemption --cache no -j 1 -t 2",
     "none", 0},
    {KIND_TRACES, "MS queue, 2 threads x 2", queue, two, "--dpor -j 1", "none", 0},
    {KIND_TRACES, "MS queue, 2 threads x 2", queue, two, "--all -j 1", "none", 0},
    {KIND_TRACES, "MS queue, 2 threads x 2", queue, two, "--bound 1000 --bound-by preemption --cache no -j 1 -t 90",
     "none", 0},

    {KIND_ENDS, "Treiber's stack, 3 push, 3 pop", "objects/treiber_stack.c", six, "-j 1", "none", 200},
    {KIND_ENDS, "MS queue, all clients 3 x 2", queue, NULL, "-n 3 -o 2 -j 1", "none", 10000},
    {KIND_ENDS, "ticket lock, all clients 3 x 2", "bench/ticket_lock.c", NULL, "-n 3 -o 2 -j 1", "none", 2000},
    {KIND_ENDS, "seqlock, a writer, two readers", "bench/seqlock.c", seqlock, "-j 1", "none", 2000},

    {KIND_BUG, "Wing and Gong's wrong Deq", "objects/harness/bugs/wg_deq.c", NULL, "", "not linearizable", 0},
    {KIND_BUG, "Wing and Gong's wrong Deq", "objects/harness/bugs/wg_deq.c", NULL, "--stress", "not linearizable", 0},
    {KIND_BUG, "Treiber's stack that frees, Figure 1", "objects/treiber_stack_free.c", NULL, "", "use after free", 0},
    {KIND_BUG, "the same, with hazard.h left out", "objects/harness/bugs/treiber_free.c", NULL, "", "use after free",
     0},
    {KIND_BUG, "its ABA", "objects/bugs/b2_treiber.c", NULL, "--leaks no", "not linearizable", 0},
    {KIND_BUG, "B1, head", "objects/bugs/b1_head.c", NULL, "", "data race", 0},
    {KIND_BUG, "B1, head", "objects/bugs/b1_head.c", NULL, "--races no", "not linearizable", 0},
    {KIND_BUG, "B1, tail", "objects/bugs/b1_tail.c", NULL, "", "data race", 0},
    {KIND_BUG, "B1, tail", "objects/bugs/b1_tail.c", NULL, "--races no", "not linearizable", 0},
    {KIND_BUG, "B2, Treiber", "objects/bugs/b2_treiber.c", NULL, "", "leak", 0},
    {KIND_BUG, "B2, elimination", "objects/bugs/b2_elimination.c", NULL, "", "leak", 0},
    {KIND_BUG, "B2, elimination", "objects/bugs/b2_elimination.c", NULL, "--leaks no", "not linearizable", 0},
    {KIND_BUG, "B3, push", "objects/bugs/b3_push.c", NULL, "", "not linearizable", 0},
    {KIND_BUG, "B3, pop", "objects/bugs/b3_pop.c", NULL, "", "not linearizable", 0},
    {KIND_BUG, "B4", "objects/bugs/b4.c", NULL, "", "not linearizable", 0},
    {KIND_BUG, "B5", "objects/bugs/b5.c", NULL, "", "not linearizable", 0},
    {KIND_BUG, "B6", "objects/bugs/b6.c", NULL, "", "data race", 0},
    {KIND_BUG, "B6", "objects/bugs/b6.c", NULL, "--races no", "not linearizable", 0},
    {KIND_BUG, "B7", "objects/bugs/b7.c", NULL, "", "not linearizable", 0},
    {KIND_BUG, "data race: two-lock queue", "objects/harness/bugs/two_lock_race.c", NULL, "", "data race", 0},
    {KIND_BUG, "data race: plain flag", "objects/harness/bugs/plain_flag.c", NULL, "", "data race", 0},
    {KIND_BUG, "use after free: MS queue", "objects/harness/bugs/ms_unprotected.c", "enq(1) enq(2) deq() deq() | deq()",
     "", "use after free", 0},
    {KIND_BUG, "lost wake-up", "objects/harness/bugs/lost_wakeup.c", NULL, "", "deadlock", 0},
    {KIND_BUG, "livelock", "objects/harness/bugs/livelock.c", NULL, "", "livelock", 0},
    {KIND_BUG, "ck_stack_batch_pop_mpmc", "tests/packages/ck_stack.c", NULL, "--races no", "double free", 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

struct measured {
  bool done;
  double schedules, run, traces, cpu, seconds;
  bool unknown; /* it stopped at the time limit */
  char finding[40], token[500];
  int tried, found; /* runs; those of them that found what was expected */
  int repeated;     /* -1: there is no token */
};
static struct measured all[ROWS];
static double load; /* of the machine, when it began */
static char program[4096], folder[4096], out[4200];

/* Running. */

struct command {
  char *argv[ARGS_MOST], words[500];
};

static bool is_stress(const struct row *r) { return strstr(r->options, "--stress"); }

/* asif test FILE --client ... --json MORE... OPTIONS: the words of the options last, as some may be for the compiler.
 */
static void make_command(const struct row *r, const char *more, const char *value, struct command *c) {
  int n = 0;
  c->argv[n++] = program;
  c->argv[n++] = "test";
  c->argv[n++] = (char *)r->file;
  if (r->client && !more) c->argv[n++] = "--client", c->argv[n++] = (char *)r->client;
  if (more) c->argv[n++] = (char *)more, c->argv[n++] = (char *)value, c->argv[n++] = "--repeat", c->argv[n++] = "100";
  c->argv[n++] = "--json";
  if (!is_stress(r)) c->argv[n++] = "--memory", c->argv[n++] = "sc"; /* bench/weak.c measures the others */
  snprintf(c->words, sizeof c->words, "%s", r->options);
  for (char *w = strtok(c->words, " "); w && n < ARGS_MOST - 1; w = strtok(NULL, " ")) c->argv[n++] = w;
  c->argv[n] = NULL;
}

static void run_once(const struct row *r, struct measured *m) {
  struct command c;
  make_command(r, NULL, NULL, &c);
  double begin = clock_seconds(), cpu = run_program(c.argv, out, 0, NULL);
  char *json = read_text(out), verdict[40];
  m->seconds = clock_seconds() - begin;
  m->cpu = is_stress(r) ? cpu : number_of(json, "cpu_seconds");
  const char *rounds = strstr(json, "stress: round ");
  m->schedules = rounds ? strtod(rounds + strlen("stress: round "), NULL) : number_of(json, "schedules");
  m->run = m->schedules - number_of(json, "skipped");
  m->traces = number_of(json, "traces");
  string_of(json, "verdict", verdict, sizeof verdict);
  string_of(json, "violation", m->finding, sizeof m->finding);
  string_of(json, "replay", m->token, sizeof m->token);
  m->unknown = !strcmp(verdict, "unknown");
  if (strcmp(verdict, "violated"))
    snprintf(m->finding, sizeof m->finding, "%s", *verdict ? "none" : "error");
  else if (!*m->finding)
    snprintf(m->finding, sizeof m->finding, "not linearizable"); /* a history that was recorded */
  free(json);
}

/* How many times the token did what it stands for: all, or none is known to. */
static int repeat(const struct row *r, const struct measured *m) {
  struct command c;
  char finding[40];
  if (!*m->token) return -1;
  make_command(r, "--replay", m->token, &c);
  run_program(c.argv, out, 0, NULL);
  char *json = read_text(out);
  string_of(json, "violation", finding, sizeof finding);
  int times = strcmp(finding, m->finding) ? 0 : (int)number_of(json, "schedules");
  free(json);
  return times;
}

static int by_cpu(const void *a, const void *b) {
  double x = ((const struct measured *)a)->cpu, y = ((const struct measured *)b)->cpu;
  return x < y ? -1 : x > y;
}
static int by_seconds(const void *a, const void *b) {
  double x = ((const struct measured *)a)->seconds, y = ((const struct measured *)b)->seconds;
  return x < y ? -1 : x > y;
}

static void measure(const struct row *r, struct measured *m) {
  struct measured runs[RATE_RUNS] = {{0}};
  int n = 0, same = 0, most = r->kind == KIND_RATE ? RATE_RUNS : RUNS;
  do run_once(r, &runs[n]);
  while (runs[n++].cpu < SLOW_SECONDS && !runs[0].unknown && n < most);
  for (int i = 0; i < n; i++) same += !strcmp(runs[i].finding, r->expected);
  qsort(runs, (size_t)n, sizeof *runs, by_seconds);
  double seconds = runs[n / 2].seconds;
  qsort(runs, (size_t)n, sizeof *runs, by_cpu);
  *m = runs[n / 2];
  m->seconds = seconds;
  m->tried = n;
  m->found = same;
  m->repeated = r->kind == KIND_BUG ? repeat(r, m) : -1;
  m->done = true;
}

/* Telling. */

static const char *option_of(const struct row *r) {
  static char text[200];
  if (r->kind != KIND_BUG || !r->client) return r->options;
  snprintf(text, sizeof text, "--client '%s'", r->client);
  return text;
}

static double rate(const struct measured *m) { return m->cpu > 0 ? m->schedules / m->cpu : 0; }

/* The row that this one's cost is compared with. */
static const struct measured *plain(const struct row *r) {
  if (r->kind != KIND_COST) return NULL;
  for (int k = 0; k < ROWS; k++)
    if (rows[k].kind == KIND_COST) return all[k].done ? &all[k] : NULL;
  return NULL;
}

static bool is_right(const struct measured *m) { return m->found == m->tried; }
static bool is_as_theirs(const struct row *r) { return r->kind == KIND_RATE && !strcmp(r->options, AS_THEIRS); }

/* The bar of a row in words, "" if it has none; and is it met? */
static bool bar_of(const struct row *r, const struct measured *m, char *text, size_t room) {
  *text = 0;
  if (is_as_theirs(r)) {
    snprintf(text, room, "%.0f a second", RATE);
    return rate(m) >= RATE;
  }
  if (r->kind == KIND_ENDS) {
    snprintf(text, room, "%g CPU s", (double)r->theirs / 1000);
    return is_right(m) && !m->unknown && m->cpu * 1000 <= (double)r->theirs;
  }
  if (r->kind != KIND_BUG) return is_right(m);
  snprintf(text, room, "below %d s%s", BUG_SECONDS, is_stress(r) ? "" : ", repeats");
  return is_right(m) && m->seconds < BUG_SECONDS && (is_stress(r) || m->repeated == REPEATS);
}

static const char *said(const struct row *r, const struct measured *m) {
  char bar[60];
  bool met = bar_of(r, m, bar, sizeof bar);
  if (!is_right(m)) return "NOT FOUND IN EVERY RUN";
  return !*bar ? "" : met ? "met" : "MISSED";
}

static void print_titles(enum kind k) {
  static const char *const titles[] = {
      [KIND_RATE] = ("Schedules a second, with those that need not be run; theirs "
                     "(Bouajjani et al. 2015, section 9), all run: a million a minute"),
      [KIND_COST] = "What options and code cost: CPU a schedule, and the first is 1",
      [KIND_TRACES] = "One schedule of each happens-before trace, and without",
      [KIND_ENDS] = "Clients of which every schedule is explored: CPU seconds, one process",
      [KIND_BUG] = "Time to the first bug, and its token run 100 times"};
  static const char *const last[] = {
      [KIND_RATE] = "f(n)", [KIND_COST] = "cost", [KIND_TRACES] = "traces", [KIND_ENDS] = "", [KIND_BUG] = "repeated"};
  printf("\n%s\n%-37s %-52s %10s %10s %9s %8s %10s %9s  %s\n", titles[k], "case", "option", "schedules", "run", "CPU s",
         "s", "a second", last[k], "finding");
}

static void print_row(const struct row *r, const struct measured *m) {
  char last[30] = "", bar[60];
  const struct measured *p = plain(r);
  if (r->kind == KIND_RATE) snprintf(last, sizeof last, "%ld", r->theirs);
  if (p && rate(m) > 0) snprintf(last, sizeof last, "%.2f", rate(p) / rate(m));
  if (r->kind == KIND_TRACES && m->traces > 0) snprintf(last, sizeof last, "%.0f", m->traces);
  if (r->kind == KIND_BUG && m->repeated >= 0) snprintf(last, sizeof last, "%d", m->repeated);
  bar_of(r, m, bar, sizeof bar);
  printf("%-37s %-52s %s%*.0f %10.0f %9.4f %8.2f %10.0f %9s  %s%s%s%s%s\n", r->name, option_of(r),
         m->unknown ? ">" : "", m->unknown ? 9 : 10, m->schedules, m->run, m->cpu, m->seconds, rate(m), last,
         m->finding, *bar ? "; " : "", bar, *said(r, m) ? ": " : "", said(r, m));
  fflush(stdout);
}

static void write_results(void) {
  FILE *f = fopen("bench/results/test.tsv", "w");
  if (!f) return;
  write_machine(f);
  fprintf(f,
          "load %.1f when it began; medians of %d, of the rows with f_n of %d; cpu_seconds: of the processes that run "
          "the code (of stress: the whole "
          "command); seconds: of the whole "
          "command, by "
          "the clock, with the compiler; >: stopped there; run: schedules that had to be executed; f_n: schedules of "
          "Bouajjani et al. 2015, section 9; cost: CPU a "
          "schedule, to that "
          "of the first such row; repeated: times the token did the same\n",
          load, RUNS, RATE_RUNS);
  fputs("case\toption\tschedules\tcpu_seconds\tper_second\tfinding\trun\tseconds\ttraces\tf_"
        "n\tcost\trepeated\tbar\tmet\n",
        f);
  for (int k = 0; k < ROWS; k++) {
    const struct row *r = &rows[k];
    const struct measured *m = &all[k], *p = plain(r);
    char bar[60];
    if (!m->done) continue;
    bool met = bar_of(r, m, bar, sizeof bar);
    fprintf(f, "%s\t%s\t%s%.0f\t%.4f\t%.0f\t%s\t%.0f\t%.2f\t", r->name, option_of(r), m->unknown ? ">" : "",
            m->schedules, m->cpu, rate(m), m->finding, m->run, m->seconds);
    if (r->kind == KIND_TRACES && m->traces > 0) fprintf(f, "%.0f", m->traces);
    fputc('\t', f);
    if (r->theirs && r->kind == KIND_RATE) fprintf(f, "%ld", r->theirs);
    fputc('\t', f);
    if (p && rate(m) > 0) fprintf(f, "%.2f", rate(p) / rate(m));
    fputc('\t', f);
    if (m->repeated >= 0) fprintf(f, "%d", m->repeated);
    fprintf(f, "\t%s\t%s\n", bar, !*bar ? "" : met ? "yes" : "no");
  }
  fclose(f);
}

/* Judging. */

static bool judge(const char *what, bool (*in)(const struct row *)) {
  int count = 0, met = 0;
  char text[60];
  for (int k = 0; k < ROWS; k++) {
    if (!all[k].done || !in(&rows[k])) continue;
    count++;
    if (bar_of(&rows[k], &all[k], text, sizeof text))
      met++;
    else
      printf("      %s %s: %s in %d of %d runs, %.0f a second, %.2f s\n", rows[k].name, option_of(&rows[k]),
             rows[k].expected, all[k].found, all[k].tried, rate(&all[k]), all[k].seconds);
  }
  if (count) printf("%s  %s (%d of %d)\n", met == count ? "pass" : "FAIL", what, met, count);
  return met == count;
}
static bool is_bug(const struct row *r) { return r->kind == KIND_BUG; }
static bool is_end(const struct row *r) { return r->kind == KIND_ENDS; }
static bool is_other(const struct row *r) { return r->kind != KIND_BUG && !is_end(r) && !is_as_theirs(r); }

/* A search that explores traces of accesses alone has no more of them than one that tells orders of calls apart. */
static bool judge_traces(void) {
  int count = 0, same = 0;
  for (int k = 0; k + 1 < ROWS; k++) {
    if (rows[k].kind != KIND_TRACES || strncmp(rows[k].options, "--dpor", 6) || !all[k].done || !all[k + 1].done)
      continue;
    count++;
    same += all[k].traces > 0 && all[k].traces <= all[k + 1].traces;
  }
  if (count)
    printf("%s  --dpor runs no more traces than there are (%d of %d)\n", same == count ? "pass" : "FAIL", same, count);
  return same == count;
}

static bool have_package(const struct row *r) {
  if (strncmp(r->file, "tests/packages/", 15)) return true;
  return !system("echo '#include <ck_stack.h>' | ${CC:-cc} -E -x c - >/dev/null 2>&1");
}

int main(int argc, char **argv) {
  if (argc < 2) return fputs("usage: bench-test BUILD [WORD...]\n", stderr), 2;
  snprintf(program, sizeof program, "%s/asif", argv[1]);
  snprintf(folder, sizeof folder, "%s/bench.d", argv[1]);
  snprintf(out, sizeof out, "%s/test.out", folder);
  mkdir(folder, 0777);
  setenv("ASIF_INCLUDE", "include", 0);
  if (getloadavg(&load, 1) == 1 && load > 1) printf("the machine is busy (load %.1f): times are too long\n", load);
  int left_out = 0, before = -1;
  for (int k = 0; k < ROWS; k++) {
    if (!wanted(rows[k].name, argc - 2, argv + 2)) {
      left_out++;
      continue;
    }
    if (!have_package(&rows[k])) {
      printf("%s: not without its package (tools/deps packages)\n", rows[k].name);
      continue;
    }
    if ((int)rows[k].kind != before) print_titles(rows[k].kind);
    before = (int)rows[k].kind;
    measure(&rows[k], &all[k]);
    print_row(&rows[k], &all[k]);
  }
  if (!left_out) write_results();
  printf("\n");
  bool ok = judge("100 times their million schedules a minute, one core", is_as_theirs);
  for (int k = 0; k < ROWS; k++)
    if (all[k].done && rows[k].kind == KIND_RATE && !strcmp(rows[k].options, WITH_RACES))
      printf("      looking for races as well: %.0f times\n", rate(&all[k]) * 60 / 1e6);
  ok &= judge("every bug below 10 s, and its token repeats it 100 times of 100", is_bug);
  ok &= judge("searches that end in time", is_end);
  ok &= judge_traces();
  ok &= judge("no other finding than expected", is_other);
  return ok ? 0 : 1;
}
