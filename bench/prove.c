/* bench-prove: Table 1 of Vafeiadis, Shape-Value Abstraction for Verifying Linearizability (2009), beside what `asif
 * prove` takes.
 *
 *   bench-prove BUILD [WORD]...     only rows whose algorithm contains one of the words
 *
 * Each run is a process of its own: CPU seconds with those of the preprocessor it starts, the median of five. The
 * paper's are of a 2.6 GHz Core 2 Duo, with points and actions given. Its rows about invariants that were given have no
 * counterpart: "-". */
#include <string.h>

#include "common.h"

enum { RUNS = 5, LEVELS = 3 };
static const double MOST_SECONDS = 2;
static const long MOST_KB = 64 * 1024;
static const char *const levels[LEVELS] = {"ms", "nu", "full"};

/* What is given, as a file and an argument for the preprocessor; NULL: not tried. */
enum { NOTHING, POINTS, ACTIONS, GIVEN };
static const char *const givens[GIVEN] = {"nothing", "points", "points + actions"};
struct source {
  const char *file, *argument;
};
#define SOURCES(name) \
  {"objects/" name ".c", NULL}, {"objects/" name ".c", "-DPOINTS"}, { "objects/" name "_actions.c", NULL }

static const struct row {
  const char *algorithm;
  const char *paper[LEVELS]; /* seconds, as printed in its Table 1 */
  struct source source[GIVEN];
  const char *note; /* for a row that is no algorithm of its own */
} rows[] = {
    {"DCAS stack", {"0.2", "0.2", "0.3"}, {SOURCES("dcas_stack")}, NULL},
    {"two-lock queue", {"0.8", "2.6", "3.4"}, {SOURCES("two_lock_queue")}, NULL},
    {"lock-coupling list", {"0.5", "3.2", "11.0"}, {SOURCES("lock_coupling_set")}, NULL},
    {"Treiber stack",
     {"0.4", "0.6", "1.2"},
     {{"objects/treiber_stack.c", NULL},
      {"objects/treiber_stack_points.c", NULL},
      {"objects/treiber_stack_actions.c", NULL}},
     NULL},
    {"Treiber stack, too precise action",
     {"4.9", "6.8", "9.6"},
     {[ACTIONS] = {"objects/treiber_stack_actions.c", "-DPRECISE"}},
     "steps are held against the actions; interference is of the steps"},
    {"MS queue", {"12", "23", "99"}, {SOURCES("ms_queue")}, NULL},
    {"MS queue, field deletion",
     {"12", "21", "82"},
     {{"objects/ms_queue_unlinked.c", NULL}},
     "a node that is taken out leads to itself: objects/ms_queue_unlinked.c"},
    {"MS queue, user-supplied invariant", {"10", "15", "73"}, {{NULL, NULL}}, "no invariant is given"},
    {"MS queue, both", {"10", "14", "63"}, {{NULL, NULL}}, "no invariant is given"},
    {"Doherty queue", {"17", "41", "107"}, {SOURCES("doherty_queue")}, NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };

struct total {
  double seconds;
  long most_kb;
  unsigned proved, runs;
};

static const char *said(const char *out) {
  static const char *const all[] = {"linearizable at level nu", "linearizable", "memory safe", "unknown", "violated",
                                    "not linearizable"};
  char line[2000];
  read_last_line(out, line, sizeof line);
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (!strncmp(line, "verdict: ", 9) && !strncmp(line + 9, all[i], strlen(all[i]))) return all[i];
  return "none";
}

static bool is_tried(const struct row *r) {
  for (unsigned g = 0; g < GIVEN; g++)
    if (r->source[g].file) return true;
  return false;
}

static void run_row(const char *build, const struct row *r, unsigned given, unsigned level, FILE *tsv,
                    struct total *total) {
  char program[4000], out[4000];
  const struct source *source = &r->source[given];
  if (!source->file) {
    if (is_tried(r) || given != NOTHING) return;
    printf("  %-34s %-16s %-5s %-26s %9s %7s %9s   %s\n", r->algorithm, givens[given], levels[level], "-", "-", "-",
           r->paper[level], level ? "" : r->note);
    fprintf(tsv, "%s\t%s\t%s\t-\t-\t-\t%s\n", r->algorithm, givens[given], levels[level], r->paper[level]);
    return;
  }
  snprintf(program, sizeof program, "%s/asif", build);
  snprintf(out, sizeof out, "%s/bench-prove.out", build);
  char *argv[] = {program,
                  (char *)"prove",
                  (char *)source->file,
                  (char *)"-q",
                  (char *)"--no-confirm",
                  (char *)"--level",
                  (char *)levels[level],
                  (char *)"--points",
                  (char *)(given == NOTHING ? "found" : "marked"),
                  source->argument ? (char *)"--" : NULL,
                  (char *)source->argument,
                  NULL};
  long kb = 0;
  double seconds = run_median(argv, out, RUNS, 60, &kb);
  const char *verdict = said(out);
  printf("  %-34s %-16s %-5s %-26s %9.3f %7ld %9s   %s\n", r->algorithm, givens[given], levels[level], verdict, seconds,
         kb, r->paper[level], r->note && !level ? r->note : "");
  fprintf(tsv, "%s\t%s\t%s\t%s\t%.3f\t%ld\t%s\n", r->algorithm, givens[given], levels[level], verdict, seconds, kb,
          r->paper[level]);
  if (given != NOTHING || r->note || level + 1 != LEVELS) return;
  total->runs++;
  total->proved += !strcmp(verdict, "linearizable");
  total->seconds += seconds;
  if (kb > total->most_kb) total->most_kb = kb;
}

/* What every run spends before anything is proved: the preprocessor, and reading. */
static double reading(const char *build) {
  char program[4000], out[4000];
  char *argv[] = {program,          (char *)"verify", (char *)"objects/lock_coupling_set.c",
                  (char *)"--dump", (char *)"steps",  NULL};
  snprintf(program, sizeof program, "%s/asif", build);
  snprintf(out, sizeof out, "%s/bench-prove.out", build);
  return run_median(argv, out, RUNS, 60, NULL);
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "usage: bench-prove BUILD [WORD]...\n"), 2;
  FILE *tsv = fopen("bench/results/prove.tsv", "w");
  if (!tsv) return perror("bench/results/prove.tsv"), 2;
  struct total total = {0};
  write_machine(tsv);
  fprintf(tsv, "CPU seconds of asif prove, with its preprocessor, median of %d; paper: Vafeiadis 2009, Table 1\n",
          RUNS);
  fprintf(tsv, "algorithm\tgiven\tlevel\tverdict\tcpu_seconds\tpeak_rss_kb\tpaper_seconds\n");
  printf("  %-34s %-16s %-5s %-26s %9s %7s %9s\n", "algorithm", "given", "level", "verdict", "CPU s", "KB", "paper s");
  for (unsigned i = 0; i < ROWS; i++)
    for (unsigned k = 0; wanted(rows[i].algorithm, argc - 2, argv + 2) && k < GIVEN * LEVELS; k++)
      run_row(argv[1], &rows[i], k / LEVELS, k % LEVELS, tsv, &total);
  if (fclose(tsv)) return perror("bench/results/prove.tsv"), 2;
  bool clears = total.proved == total.runs && total.seconds <= MOST_SECONDS && total.most_kb <= MOST_KB;
  printf("of each run, about %.3f s is the preprocessor and reading what it gives\n", reading(argv[1]));
  printf("%u of %u proved at level full with nothing given: %.2f CPU seconds together (bar: %.0f), %ld MB at most "
         "(bar: %ld): %s\n",
         total.proved, total.runs, total.seconds, MOST_SECONDS, total.most_kb / 1024, MOST_KB / 1024,
         clears ? "clears the bar" : "does not clear the bar");
  return clears ? 0 : 1;
}
