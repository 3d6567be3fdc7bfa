/* make bench-verify: how long `asif verify` takes on the rows of two papers' tables, next to the papers' own figures
 * and to SPIN.
 *
 *   bench-verify BUILD [--best] [WORD...]   rows whose names contain any of the words, all by default; our own
 * reduction only
 *
 * The rows: Table 1 of Liu et al., Verifying Linearizability via Optimized Refinement Checking (2013), where each
 * process performs one operation; Table 1 of Liu et al., Model Checking Linearizability via Refinement (2009), where
 * clients never stop; and larger ones. Each with every reduction the paper has a column for, and with ours. What the
 * clients are where the papers do not say:
 *
 *   queue     values are 1 and 2, whoever enqueues: with one value no wrong order would be seen. In SPIN's model each
 * process enqueues a value of its own, always the same: that is fewer states stack     of 2009 is the counter of 2013
 *   mailbox   n deliveries; any number of checks
 *   SNZI      each process performs two operations: that includes the round of the papers, arrive and depart. In 2009
 * with two processes, four
 *
 * SPIN: models of the same algorithms, with the specification's subsets computed on the way, outside of this project
 * (../shared/peers/spin); without them, or without spin, those columns are empty. Its time is that of the search alone,
 * without making and compiling it, and the best of small and large tables. Ours is that of the whole command, -j1, with
 * what it starts: of the smallest rows most is the start of a process and reading C. So there is a second comparison,
 * search to search: ours is what the command says its search took (search_cpu_seconds), SPIN's is without what its
 * program needs to start (pan -V). What SPIN's program needs to end is in its figure, and not in ours.
 *
 * CPU seconds, user and system: the median of RUNS runs, of TINY_RUNS below TINY_SECONDS, or one run of more than
 * SLOW_SECONDS. A search ends as unknown after PAPER_SECONDS (OTHERS_SECONDS with another reduction than ours) and
 * PAPER_GB (BEYOND_SECONDS, BEYOND_GB: rows beyond the papers), SPIN after SPIN_SECONDS; then the figures are where it
 * stopped. A reduction other than ours that could not do a row is not tried on a larger one of the same object, and
 * neither is SPIN.
 *
 * Written to bench/results/verify.tsv when all rows run with all reductions. ratio, search_ratio: SPIN's seconds to
 * ours, of the whole commands and of the searches; empty where there is no SPIN model. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"

#define TINY_SECONDS 0.1
enum {
  RUNS = 3,
  TINY_RUNS = 15,
  SLOW_SECONDS = 5,
  PAPER_SECONDS = 120,
  OTHERS_SECONDS = 20,
  PAPER_GB = 4,
  BEYOND_SECONDS = 300,
  BEYOND_GB = 8,
  SPIN_SECONDS = 150,
  FOREVER = 0
};

struct object {
  const char *file, *macro, *points; /* the macro of its size; --points or NULL */
  const char *spin, *spin_macro;     /* SPIN's model, or NULL */
};
static const struct object reg = {"register.c", "K", NULL, "reg", "K"}, counter = {"counter.c", "S", NULL, "ctr", "S"},
                           points = {"counter_points.c", "S", "--points", "ctrp", "S"},
                           queue = {"ms_queue.c", "SIZE", NULL, "msq", "S"},
                           unlinked = {"ms_queue_unlinked.c", "SIZE", NULL, "msq", "S"},
                           buggy = {"buggy_queue.c", "L", NULL, NULL, NULL},
                           snzi = {"snzi.c", "NODES", NULL, NULL, NULL},
                           mailbox = {"mailbox.c", "OPERATIONS", NULL, NULL, NULL};

enum { REDUCTIONS = 5 };
struct paper {
  const char *name, *title;
  const char *reduce[REDUCTIONS]; /* best last */
};
static const struct paper liu2013 = {
    "liu-2013", "Liu et al. 2013, Table 1: one operation a process", {"none", "sym", "por", "both", "best"}};
static const struct paper liu2009 = {
    "liu-2009", "Liu et al. 2009, Table 1: clients never stop", {"none", "tau", "best"}};
static const struct paper beyond = {"beyond", "beyond the papers", {"best"}};

struct theirs {
  long states;
  double seconds; /* 0: they ran out of memory */
};
struct row {
  const struct paper *paper;
  const char *name;
  const struct object *object;
  int size, processes, ops;
  struct theirs theirs[REDUCTIONS - 1];
};

static const struct row rows[] = {
    {&liu2013, "4-valued register", &reg, 4, 3, 1, {{9338, 0.40}, {4938, 1.46}, {2443, 0.38}, {1498, 0.36}}},
    {&liu2013, "4-valued register", &reg, 4, 4, 1, {{186316, 8.96}, {36440, 26.3}, {32222, 5.22}, {7845, 4.00}}},
    {&liu2013, "4-valued register", &reg, 4, 5, 1, {{4032362, 377}, {228560, 717}, {457101, 123}, {33944, 64}}},
    {&liu2013, "4-valued register", &reg, 4, 6, 1, {{0, 0}, {1292755, 21747}, {7028550, 3935}, {134461, 1609}}},
    {&liu2013, "4-valued register", &reg, 4, 7, 1, {{0, 0}, {0, 0}, {0, 0}, {484723, 53110}}},
    {&liu2013, "3-valued register", &reg, 3, 4, 1, {{52381, 2.72}, {10764, 7.42}, {12028, 1.63}, {3114, 1.27}}},
    {&liu2013, "5-valued register", &reg, 5, 4, 1, {{507082, 22.7}, {96184, 73.5}, {71021, 12.7}, {16377, 8.66}}},
    {&liu2013, "6-valued register", &reg, 6, 4, 1, {{1160625, 49.2}, {215620, 195}, {138053, 34.9}, {30636, 19.1}}},
    {&liu2013, "7-valued register", &reg, 7, 4, 1, {{2352897, 107}, {430595, 370}, {245634, 60.8}, {52908, 31.4}}},
    {&liu2013, "counter of size 4", &counter, 4, 3, 1, {{3674, 0.31}, {669, 0.44}, {2910, 0.36}, {556, 0.30}}},
    {&liu2013, "counter of size 4", &counter, 4, 4, 1, {{124558, 7.63}, {5935, 6.93}, {101037, 11.8}, {4879, 5.59}}},
    {&liu2013, "counter of size 4", &counter, 4, 5, 1, {{5970298, 673}, {59977, 409}, {4853123, 1074}, {53115, 389}}},
    {&liu2013, "counter of size 4", &counter, 4, 6, 1, {{0, 0}, {694620, 52187}, {0, 0}, {636815, 53010}}},
    {&liu2013, "counter of size 2", &counter, 2, 5, 1, {{4569968, 490}, {49947, 351}, {3766611, 825}, {42999, 298}}},
    {&liu2013, "counter of size 3", &counter, 3, 5, 1, {{5665598, 637}, {58083, 419}, {4645898, 985}, {51932, 357}}},
    {&liu2013, "counter of size 5", &counter, 5, 5, 1, {{6002458, 659}, {60124, 398}, {4874975, 1030}, {53670, 391}}},
    {&liu2013, "counter of size 4 (points)", &points, 4, 3, 1, {{535, 0.06}, {114, 0.23}, {198, 0.11}, {62, 0.04}}},
    {&liu2013, "counter of size 4 (points)", &points, 4, 4, 1, {{9165, 0.25}, {536, 0.41}, {2796, 0.41}, {320, 0.28}}},
    {&liu2013,
     "counter of size 4 (points)",
     &points,
     4,
     5,
     1,
     {{190367, 5.40}, {2495, 9.13}, {52510, 6.74}, {877, 4.79}}},
    {&liu2013,
     "counter of size 4 (points)",
     &points,
     4,
     6,
     1,
     {{4536325, 147}, {11221, 454}, {1165367, 168}, {4488, 262}}},
    {&liu2013, "counter of size 4 (points)", &points, 4, 7, 1, {{0, 0}, {48918, 30184}, {0, 0}, {28652, 27593}}},
    {&liu2013,
     "counter of size 2 (points)",
     &points,
     2,
     5,
     1,
     {{175747, 5.08}, {2384, 8.7}, {48604, 6.3}, {875, 4.86}}},
    {&liu2013, "counter of size 3 (points)", &points, 3, 5, 1, {{189527, 5.72}, {2490, 8.5}, {52270, 6.3}, {885, 4.9}}},
    {&liu2013,
     "counter of size 5 (points)",
     &points,
     5,
     5,
     1,
     {{190367, 5.35}, {2495, 8.32}, {52510, 6.37}, {877, 4.66}}},
    {&liu2013, "queue of size 3", &queue, 3, 3, 1, {{181591, 10.2}, {31637, 14.6}, {76283, 18.6}, {15267, 8.45}}},
    {&liu2013, "queue of size 3", &queue, 3, 4, 1, {{0, 0}, {1417457, 3173}, {0, 0}, {773064, 2068}}},
    {&liu2013, "buggy queue of size 2", &buggy, 2, 3, 1, {{86736, 4.23}, {74920, 33}, {74920, 0.93}, {477, 0.36}}},
    {&liu2013, "SNZI of size 2", &snzi, 2, 2, 2, {{17629, 0.90}, {8824, 1.6}, {6406, 1.44}, {3461, 1.03}}},
    {&liu2013, "SNZI of size 3", &snzi, 3, 3, 2, {{0, 0}, {0, 0}, {0, 0}, {3524553, 5224}}},

    {&liu2009, "4-valued register", &reg, 4, 2, FOREVER, {{50893, 6.14}, {43977, 5.72}}},
    {&liu2009, "5-valued register", &reg, 5, 2, FOREVER, {{349333, 44.9}, {307155, 60.4}}},
    {&liu2009, "6-valued register", &reg, 6, 2, FOREVER, {{2062437, 297}, {1838177, 789}}},
    {&liu2009, "3-valued register with 2 readers", &reg, 3, 3, FOREVER, {{479859, 294}, {361255, 393}}},
    {&liu2009, "stack of size 12", &counter, 12, 2, FOREVER, {{540769, 138}, {395345, 65.9}}},
    {&liu2009, "stack of size 14", &counter, 14, 2, FOREVER, {{763401, 411}, {599077, 99.4}}},
    {&liu2009, "stack of size 2", &counter, 2, 3, FOREVER, {{0, 0}, {4767519, 4321}}},
    {&liu2009, "stack of size 12 (points)", &points, 12, 2, FOREVER, {{9677, 0.62}, {9677, 0.82}}},
    {&liu2009, "stack of size 14 (points)", &points, 14, 2, FOREVER, {{12963, 0.82}, {12963, 1.11}}},
    {&liu2009, "stack of size 2 (points)", &points, 2, 3, FOREVER, {{10385, 1.14}, {10385, 1.56}}},
    {&liu2009, "stack of size 2 (points)", &points, 2, 4, FOREVER, {{219471, 37.6}, {219471, 49.4}}},
    {&liu2009, "queue of size 6", &queue, 6, 2, FOREVER, {{432511, 134}, {343446, 86.2}}},
    {&liu2009, "queue of size 8", &queue, 8, 2, FOREVER, {{104582, 256}, {938542, 218}}},
    {&liu2009, "buggy queue of size 10", &buggy, 10, 2, FOREVER, {{32126, 10.9}, {32126, 6.87}}},
    {&liu2009, "buggy queue of size 20", &buggy, 20, 2, FOREVER, {{105326, 52.73}, {105326, 41.1}}},
    {&liu2009, "mailbox of 3 operations", &mailbox, 3, 2, FOREVER, {{272608, 71.6}, {120166, 27.8}}},
    {&liu2009, "mailbox of 4 operations", &mailbox, 4, 2, FOREVER, {{9928706, 2904}, {3696700, 954}}},
    {&liu2009, "SNZI of size 2", &snzi, 2, 2, 4, {{712857, 1298}, {341845, 322}}},
    {&liu2009, "SNZI of size 3", &snzi, 3, 3, 2, {{0, 0}, {8451568, 6214}}},

    {&beyond, "4-valued register", &reg, 4, 8, 1, {{0, 0}}},
    {&beyond, "4-valued register", &reg, 4, 9, 1, {{0, 0}}},
    {&beyond, "counter of size 4", &counter, 4, 7, 1, {{0, 0}}},
    {&beyond, "counter of size 4", &counter, 4, 8, 1, {{0, 0}}},
    {&beyond, "queue of size 3", &queue, 3, 5, 1, {{0, 0}}},
    {&beyond, "queue of size 6, removed nodes cut off", &unlinked, 6, 2, FOREVER, {{0, 0}}},
    {&beyond, "queue of size 2, removed nodes cut off", &unlinked, 2, 3, FOREVER, {{0, 0}}},
    {&beyond, "SNZI of size 3", &snzi, 3, 4, 1, {{0, 0}}},
};
enum { ROWS = sizeof rows / sizeof *rows };

struct ours {
  bool tried;
  const char *verdict;
  unsigned long states;
  double seconds, search, bytes; /* CPU; of these in the search; a state */
  long kb;
};
struct measured {
  bool done, spin_more; /* SPIN stopped at a limit: it needs more than ... */
  struct ours ours[REDUCTIONS];
  double spin;       /* ... these seconds; 0: no figure */
  double spin_start; /* of these: to start */
  double spin_states;
};

static struct measured all[ROWS];
static char program[2000], folder[2000], out[3000];
static char spin_models[PATH_MAX];
static bool have_spin, best_only;
static unsigned beyond_gb = BEYOND_GB;

static const char *expected(const struct row *r) { return r->object == &buggy ? "not linearizable" : "linearizable"; }
static double search_ratio(const struct measured *m, const struct ours *o) {
  return m->spin > m->spin_start ? (m->spin - m->spin_start) / o->search : 0;
}
static bool is_unknown(const struct ours *o) { return o->tried && !strcmp(o->verdict, "unknown"); }

/* Is q of the same object and client as r, and no larger? */
static bool smaller(const struct row *q, const struct row *r) {
  return q->object == r->object && q->ops == r->ops && q->processes <= r->processes && q->size <= r->size &&
         all[q - rows].done;
}

/* Has a smaller row been too much already? */
static bool hopeless_for_spin(const struct row *r) {
  for (const struct row *q = rows; q < r; q++)
    if (smaller(q, r) && all[q - rows].spin_more) return true;
  return false;
}
static bool hopeless(const struct row *r, int reduction) {
  for (const struct row *q = rows; q < r && strcmp(r->paper->reduce[reduction], "best"); q++)
    if (smaller(q, r) && q->paper == r->paper && is_unknown(&all[q - rows].ours[reduction])) return true;
  return false;
}

static const char *verdict_in(const char *json) {
  if (!strncmp(member_of(json, "verdict"), "\"holds", 6)) return "linearizable";
  if (!strncmp(member_of(json, "violation"), "\"not linearizable", 17)) return "not linearizable";
  return strncmp(member_of(json, "verdict"), "\"unknown", 8) ? "violated" : "unknown";
}

/* What the object begins with; the history and the path, which may be long, are not needed. */
static void read_beginning(const char *path, char *text, size_t room) {
  FILE *f = fopen(path, "r");
  text[f ? fread(text, 1, room - 1, f) : 0] = 0;
  if (f) fclose(f);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Shall it be run once more, after so many runs, the first of which took so long? */
static bool once_more(int runs, double seconds) {
  return runs < (seconds < TINY_SECONDS ? TINY_RUNS : seconds < SLOW_SECONDS ? RUNS : 1);
}

static double median(double *of, int count) {
  qsort(of, (size_t)count, sizeof *of, by_size);
  return of[count / 2];
}

/* The medians of the whole command's CPU seconds and of the search's. */
static void run_ours(char *const *argv, struct ours *o) {
  double whole[TINY_RUNS], search[TINY_RUNS];
  char json[4000];
  int n = 0;
  do {
    whole[n] = run_program(argv, out, 0, &o->kb);
    read_beginning(out, json, sizeof json);
    search[n] = atof(member_of(json, "search_cpu_seconds"));
    n++;
  } while (once_more(n, whole[0]));
  o->tried = true;
  o->seconds = median(whole, n);
  o->search = median(search, n);
  o->verdict = verdict_in(json);
  o->states = strtoul(member_of(json, "states"), NULL, 10);
  o->bytes = atof(member_of(json, "bytes_per_state"));
}

static void verify(const struct row *r, const char *reduce, struct ours *o) {
  bool far = r->paper == &beyond;
  char file[300], threads[20], ops[20], macro[60], time[20], memory[20];
  snprintf(file, sizeof file, "objects/%s", r->object->file);
  snprintf(threads, sizeof threads, "%d", r->processes);
  snprintf(ops, sizeof ops, "%d", r->ops);
  snprintf(macro, sizeof macro, "-D%s=%d", r->object->macro, r->size);
  snprintf(time, sizeof time, "%d", far ? BEYOND_SECONDS : strcmp(reduce, "best") ? OTHERS_SECONDS : PAPER_SECONDS);
  snprintf(memory, sizeof memory, "%uG", far ? beyond_gb : PAPER_GB);
  char *argv[] = {program,
                  "verify",
                  file,
                  "--json",
                  "--jobs",
                  "1",
                  "--threads",
                  threads,
                  "--ops",
                  r->ops == FOREVER ? "forever" : ops,
                  "--reduce",
                  (char *)reduce,
                  "--time-limit",
                  time,
                  "--memory-limit",
                  memory,
                  "--races",
                  "no", /* these are models: a plain access may stand for an atomic one */
                  r->object->points ? "--points" : "--json",
                  "--",
                  macro,
                  NULL};
  run_ours(argv, o);
}

/* SPIN's program for a search, several times: its CPU seconds. */
static double run_pan(unsigned seconds, const char *first, const char *second) {
  char pan[3000];
  double used[TINY_RUNS];
  int n = 0;
  snprintf(pan, sizeof pan, "%s/pan", folder);
  char *argv[] = {pan, (char *)first, (char *)second, NULL};
  do used[n++] = run_program(argv, out, seconds, NULL);
  while (once_more(n, used[0]));
  return median(used, n);
}

/* SPIN's search: its CPU seconds; the states; did it see all of them? */
static double search_with_spin(unsigned seconds, const char *depth, const char *table, double *states, bool *complete) {
  char line[1000];
  double used = run_pan(seconds, depth, table);
  bool ended = false, cut = false;
  FILE *f = fopen(out, "r");
  while (f && fgets(line, sizeof line, f)) {
    ended |= strstr(line, "states, stored") && sscanf(line, "%lf", states) == 1;
    cut |= strstr(line, "too small") || strstr(line, "out of memory") || strstr(line, "truncated");
  }
  if (f) fclose(f);
  *complete = ended && !cut;
  return used;
}

/* With small tables, which take no time to clear; if these do not do, with larger ones. */
static void run_spin(const struct row *r, const char *macros, struct measured *m) {
  char command[12000];
  snprintf(command, sizeof command,
           "cd '%s' && rm -f pan && spin -a %s '%s/%s.pml' >/dev/null && "
           "gcc -O2 -w -DSAFETY -DNOFAIR -DMEMLIM=8500 -I'%s' -o pan pan.c",
           folder, macros, spin_models, r->object->spin, spin_models);
  if (system(command)) return;
  static const struct {
    unsigned seconds;
    const char *depth, *table;
    double most; /* states it is good for */
  } tries[] = {{5, "-m20000", "-w20", 1e6}, {10, "-m400000", "-w20", 1e6}, {SPIN_SECONDS, "-m3000000", "-w26", 1e12}};
  bool found = false, complete;
  for (unsigned i = 0; i < 3 && !(found && m->spin_states <= tries[i - 1].most); i++) {
    double states = 0, used = search_with_spin(tries[i].seconds, tries[i].depth, tries[i].table, &states, &complete);
    if (found && (!complete || used > m->spin)) continue;
    m->spin = used;
    m->spin_states = states;
    found = complete;
  }
  m->spin_more = !found;
  m->spin_start = run_pan(5, "-V", NULL);
}

/* SPIN's figures, which do not change with what is done here, are kept in the folder. */
static void ask_spin(const struct row *r, struct measured *m) {
  if (hopeless_for_spin(r)) {
    m->spin = SPIN_SECONDS;
    m->spin_more = true;
    return;
  }
  char macros[100], path[3000];
  snprintf(macros, sizeof macros, "-DN=%d -D%s=%d%s", r->processes, r->object->spin_macro, r->size,
           r->ops == 1 ? " -DONE" : "");
  snprintf(path, sizeof path, "%s/spin %s %s", folder, r->object->spin, macros);
  FILE *f = fopen(path, "r");
  int more = 0;
  bool known = f && fscanf(f, "%lf %lf %lf %d", &m->spin, &m->spin_start, &m->spin_states, &more) == 4;
  if (f) fclose(f);
  m->spin_more = more;
  if (known) return;
  run_spin(r, macros, m);
  f = m->spin > 0 ? fopen(path, "w") : NULL;
  if (f) fprintf(f, "%.6f %.6f %.0f %d\n", m->spin, m->spin_start, m->spin_states, m->spin_more);
  if (f) fclose(f);
}

/* Their figures for a reduction; for ours, the fastest of theirs. */
static struct theirs theirs_of(const struct row *r, int reduction) {
  struct theirs best = {0, 0};
  if (r->paper->reduce[reduction] && strcmp(r->paper->reduce[reduction], "best")) return r->theirs[reduction];
  for (int i = 0; i < REDUCTIONS - 1; i++)
    if (r->theirs[i].seconds > 0 && (best.seconds <= 0 || r->theirs[i].seconds < best.seconds)) best = r->theirs[i];
  return best;
}

static const char *number(char *text, size_t room, double x, const char *more) {
  if (x <= 0) return "";
  snprintf(text, room, x < 0.1 ? "%s%.4f" : x < 1000 ? "%s%.2f" : "%s%.0f", more, x);
  return text;
}

static void print_line(const struct row *r, const struct measured *m, int i) {
  const struct ours *o = &m->ours[i];
  struct theirs t = theirs_of(r, i);
  char a[30] = "", b[30], c[30], d[30], e[30], g[30], h[30], n[10], states[30] = "";
  if (t.states) snprintf(a, sizeof a, "%ld", t.states);
  if (m->spin_states > 0) snprintf(states, sizeof states, "%.0f", m->spin_states);
  snprintf(n, sizeof n, "%d", r->processes);
  bool last = !strcmp(r->paper->reduce[i], "best");
  bool first = !i || best_only;
  printf("%-38s %2s %-5s %9s %8s ", first ? r->name : "", first ? n : "", r->paper->reduce[i], a,
         number(b, sizeof b, t.seconds, ""));
  if (!o->tried) {
    printf("%9s %8s\n", "", "");
  } else {
    const char *more = m->spin_more ? ">" : "", *ours_more = is_unknown(o) ? ">" : "";
    printf("%9lu %8s %8s %6ld %9s %8s %8s %8s  %s\n", o->states, number(c, sizeof c, o->seconds, ours_more),
           number(g, sizeof g, o->search, ours_more), o->kb / 1000, last ? states : "",
           last ? number(d, sizeof d, m->spin, more) : "",
           last && !is_unknown(o) ? number(e, sizeof e, m->spin / o->seconds, more) : "",
           last && !is_unknown(o) ? number(h, sizeof h, search_ratio(m, o), more) : "",
           strcmp(o->verdict, expected(r)) && !is_unknown(o) ? "WRONG VERDICT"
           : is_unknown(o)                                   ? "unknown"
                                                             : "");
  }
  fflush(stdout);
}

static void measure(const struct row *r, struct measured *m) {
  if (r->object->spin && have_spin) ask_spin(r, m);
  for (int i = 0; i < REDUCTIONS && r->paper->reduce[i]; i++) {
    if (best_only && strcmp(r->paper->reduce[i], "best")) continue;
    if (!hopeless(r, i)) verify(r, r->paper->reduce[i], &m->ours[i]);
    print_line(r, m, i);
  }
  m->done = true;
}

static void write_results(void) {
  FILE *f = fopen("bench/results/verify.tsv", "w");
  if (!f) return;
  write_machine(f);
  fprintf(
      f,
      "CPU seconds, median of %d below %d s, of %d below %g s; asif: whole command, -j1; SPIN: its program, without "
      "making it; search: without "
      "starting, and of asif without reading the C; ratio, search_ratio: SPIN to asif, of the whole and of the search; "
      "unknown and >: stopped there (best: %d s, %d GB; other reductions: %d s; beyond: %d s, %u GB; SPIN: %d s), or "
      "not tried\n",
      RUNS, SLOW_SECONDS, TINY_RUNS, TINY_SECONDS, PAPER_SECONDS, PAPER_GB, OTHERS_SECONDS, BEYOND_SECONDS, beyond_gb,
      SPIN_SECONDS);
  fputs("paper\trow\tprocesses\treduce\texpected\tverdict\tstates\tcpu_seconds\tpeak_rss_kb\tpaper_seconds\tspin_cpu_"
        "seconds\t"
        "ratio\tsearch_cpu_seconds\tspin_search_cpu_seconds\tsearch_ratio\n",
        f);
  for (int k = 0; k < ROWS; k++)
    for (int i = 0; i < REDUCTIONS && rows[k].paper->reduce[i]; i++) {
      const struct row *r = &rows[k];
      const struct ours *o = &all[k].ours[i];
      const char *more = all[k].spin_more ? ">" : "";
      double theirs = theirs_of(r, i).seconds;
      fprintf(f, "%s\t%s\t%d\t%s\t%s\t%s\t", r->paper->name, r->name, r->processes, r->paper->reduce[i], expected(r),
              o->tried ? o->verdict : "unknown");
      if (o->tried)
        fprintf(f, "%lu\t%.4f\t%ld\t", o->states, o->seconds, o->kb);
      else
        fputs("\t\t\t", f);
      if (theirs > 0) fprintf(f, "%g", theirs);
      fputc('\t', f);
      if (all[k].spin > 0) fprintf(f, "%s%.4f", more, all[k].spin);
      fputc('\t', f);
      bool compared = all[k].spin > 0 && o->tried && !is_unknown(o);
      if (compared) fprintf(f, "%s%.2f", more, all[k].spin / o->seconds);
      fputc('\t', f);
      if (o->tried) fprintf(f, "%.4f", o->search);
      fputc('\t', f);
      if (all[k].spin > 0) fprintf(f, "%s%.4f", more, all[k].spin - all[k].spin_start);
      fputc('\t', f);
      if (compared) fprintf(f, "%s%.2f", more, search_ratio(&all[k], o));
      fputc('\n', f);
    }
  fclose(f);
}

static const struct ours *best_of(int k) {
  int i = 0;
  while (strcmp(rows[k].paper->reduce[i], "best")) i++;
  return &all[k].ours[i];
}

/* Rows that miss a bar are named. */
static bool bar(const char *what, int rows_in, int rows_missing) {
  printf("%s  %s (%d of %d)\n", rows_missing ? "FAIL" : "pass", what, rows_in - rows_missing, rows_in);
  return !rows_missing;
}

static void miss(int k, const char *what, double figure) {
  printf("      %s, %d processes, %s: %s %.2f\n", rows[k].name, rows[k].processes, rows[k].paper->name, what, figure);
}

static bool judge_verdicts(void) {
  int in = 0, wrong = 0;
  for (int k = 0; k < ROWS; k++)
    for (int i = 0; all[k].done && i < REDUCTIONS && rows[k].paper->reduce[i]; i++) {
      const struct ours *o = &all[k].ours[i];
      bool best = !strcmp(rows[k].paper->reduce[i], "best");
      if (!o->tried || rows[k].paper == &beyond || (!best && is_unknown(o))) continue;
      in++;
      if (!strcmp(o->verdict, expected(&rows[k]))) continue;
      wrong++;
      printf("      %s, %d processes, %s, %s: %s\n", rows[k].name, rows[k].processes, rows[k].paper->name,
             rows[k].paper->reduce[i], o->verdict);
    }
  return bar("the paper's verdict on every row", in, wrong);
}

static bool judge_spin(void) {
  int many = 0, few = 0, starts = 0, slow_in = 0, slower = 0;
  for (int k = 0; k < ROWS; k++) {
    const struct ours *o = best_of(k);
    if (!all[k].done || all[k].spin <= 0 || rows[k].paper == &beyond) continue;
    double ratio = is_unknown(o) ? 0 : all[k].spin / o->seconds, search = is_unknown(o) ? 0 : search_ratio(&all[k], o);
    if (rows[k].processes >= (rows[k].ops == FOREVER ? 3 : 5)) {
      many++;
      if (search < 10) few++, miss(k, "times less than SPIN, search to search:", search);
      if (ratio < 10) starts++, miss(k, "times less than SPIN, with starting and reading C:", ratio);
    }
    if (all[k].spin >= 0.2) {
      slow_in++;
      if (ratio < 1) slower++, miss(k, "slower than SPIN:", ratio);
    }
  }
  bool ok =
      bar("at least 10 times less CPU than SPIN, search to search, 5 processes or more (3 where clients never stop)",
          many, few);
  printf("      with starting and reading C: %d of %d\n", many - starts, many);
  return bar("not slower than SPIN where it needs 0.2 s", slow_in, slower) && ok;
}

/* Michael and Scott's queue, the most states that were reached. */
static bool judge_queue(void) {
  int most = -1;
  for (int k = 0; k < ROWS; k++)
    if (all[k].done && rows[k].object == &queue && (most < 0 || best_of(k)->states > best_of(most)->states)) most = k;
  if (most < 0) return true;
  const struct ours *o = best_of(most);
  double rate = (double)o->states / o->seconds / 1e6;
  printf("      %s, %d processes: %lu states, %.2f M states/s, %.1f bytes a state\n", rows[most].name,
         rows[most].processes, o->states, rate, o->bytes);
  bool ok = bar("1 M states/s a core on the queue", 1, rate < 1);
  return bar("at most 40 bytes a state there", 1, o->bytes > 40 || o->bytes <= 0) && ok;
}

static void look_for_spin(void) {
  if (!realpath("../shared/peers/spin", spin_models))
    printf("no models for SPIN in ../shared/peers/spin: its columns are empty\n");
  else if (system("command -v spin >/dev/null 2>&1 && command -v gcc >/dev/null 2>&1"))
    printf("no spin or gcc (tools/deps bench): SPIN's columns are empty\n");
  else
    have_spin = true;
}

int main(int argc, char **argv) {
  if (argc < 2) return fputs("usage: bench-verify BUILD [--best] [WORD...]\n", stderr), 2;
  snprintf(program, sizeof program, "%s/asif", argv[1]);
  snprintf(folder, sizeof folder, "%s/bench.d", argv[1]);
  snprintf(out, sizeof out, "%s/verify.out", folder);
  mkdir(folder, 0777);
  setenv("ASIF_INCLUDE", "include", 0);
  double gb = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9;
  if (gb / 2 < BEYOND_GB) beyond_gb = gb / 2 > 1 ? (unsigned)(gb / 2) : 1;
  look_for_spin();
  int ran = 0, words = argc > 2 && !strcmp(argv[2], "--best") ? 3 : 2;
  best_only = words == 3;
  for (int k = 0; k < ROWS; k++) {
    if (!wanted(rows[k].name, argc - words, argv + words)) continue;
    if (!k || rows[k].paper != rows[k - 1].paper)
      printf("\n%s\n%-47s %18s %34s %18s %17s\n%-38s %2s %-5s %9s %8s %9s %8s %8s %6s %9s %8s %8s %8s\n",
             rows[k].paper->title, "", "theirs", "asif", "SPIN", "SPIN to asif", "row", "n", "", "states", "s",
             "states", "CPU s", "search s", "MB", "states", "CPU s", "whole", "search");
    measure(&rows[k], &all[k]);
    ran++;
  }
  if (ran == ROWS && !best_only) write_results();
  printf("\n");
  bool ok = judge_verdicts();
  ok &= judge_spin();
  ok &= judge_queue();
  return ok ? 0 : 1;
}
