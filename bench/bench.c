/* make bench-check: how long `asif check` takes, next to what merely counting the words of the same file takes.
 *
 *   bench BUILD [CASE...]       cases whose names contain any of the words; all by default
 *
 * Histories are generated into BUILD/bench.d once. Each case runs five times, and so does `wc -w` on the same file; the
 * medians of the CPU time (user and system, all threads) and the largest peak memory count. Written to
 * bench/results/check.tsv when all cases run. Prints a table with the bar each case must clear. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"

enum { RUNS = 5, SLOW_SECONDS = 20 }; /* a case slower than that runs once */

struct bench {
  const char *name, *history;      /* case; arguments of asif gen (the specification first) */
  bool bad;                        /* the verdict it must get */
  unsigned trailing;               /* calls appended to the file that never return */
  double most_ratio, most_seconds; /* bars: times the yardstick; CPU seconds */
  long most_mb;                    /* peak memory */
  const char *base;                /* another case ... */
  double most_times;               /* ... and at most so many times its CPU time */
};

#define DISTINCT(name, spec, kind) \
  {name " 1M good", spec " -n 1M -t 16", false, 0, 4, 0, 200, NULL, 0}, \
      {name " 1M bad", spec " -n 1M -t 16 --bad " kind, true, 0, 4, 0, 200, NULL, 0}, \
      {name " 10M good", spec " -n 10M -t 16", false, 0, 0, 0, 0, name " 1M good", 12}, { \
    name " 10M bad", spec " -n 10M -t 16 --bad " kind, true, 0, 0, 0, 0, name " 1M bad", 12 \
  }

static const struct bench cases[] = {
    DISTINCT("queue", "queue", "reorder"),
    DISTINCT("stack", "stack", "reorder"),
    DISTINCT("set", "set", "lost"),
    DISTINCT("priority-queue", "priority-queue", "lost"),
    {"map 10 keys 64 threads 1M good", "map -n 1M -t 64 --keys 10", false, 0, 20, 0, 1000, NULL, 0},
    {"map 10 keys 64 threads 1M bad", "map -n 1M -t 64 --keys 10 --bad stale", true, 0, 20, 0, 1000, NULL, 0},
    {"cas-register 5 values 16 threads 10k good", "cas-register -n 10k -t 16 --values 5", false, 0, 0, 1, 0, NULL, 0},
    {"cas-register 5 values 16 threads 10k bad", "cas-register -n 10k -t 16 --values 5 --bad stale", true, 0, 0, 1, 0,
     NULL, 0},
    {"cas-register 5 values 8 threads 1M good", "cas-register -n 1M -t 8 --values 5", false, 0, 0, 0, 1000, NULL, 0},
    {"cas-register 5 values 8 threads 1M bad", "cas-register -n 1M -t 8 --values 5 --bad stale", true, 0, 0, 0, 1000,
     NULL, 0},
    {"queue 10 values 8 threads 10k good", "queue -n 10k -t 8 --values 10", false, 0, 0, 0, 0, NULL, 0},
    {"queue 10 values 8 threads 10k bad", "queue -n 10k -t 8 --values 10 --bad reorder", true, 0, 0, 0, 0, NULL, 0},
    {"queue 10 values 8 threads 10k short good", "queue -n 10k -t 8 --values 10 --size 8", false, 0, 0, 0, 0, NULL, 0},
    {"queue 10 values 8 threads 10k short bad", "queue -n 10k -t 8 --values 10 --size 8 --bad reorder", true, 0, 0, 0,
     0, NULL, 0},
    {"register 10k", "register -n 10k -t 8 --values 5", false, 0, 0, 0, 0, NULL, 0},
    {"register 10k 20 trailing", "register -n 10k -t 8 --values 5", false, 20, 0, 0, 0, "register 10k", 2},
    {"register 10k 20 unknown spread", "register -n 10k -t 8 --values 5 --pending 20", false, 0, 0, 0, 0, NULL, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

struct measured {
  bool done;
  const char *verdict;
  unsigned long operations;
  double seconds, yardstick;
  long kb;
};

static char program[2000], folder[2000];

/* The file of a case, made if it is not there. */
static void prepare(const struct bench *b, char *path, size_t room) {
  char command[10000];
  int n = snprintf(path, room, "%s/", folder);
  for (const char *c = b->history; *c && n + 30 < (int)room; c++)
    if (*c != '-' || c[1] != '-') path[n++] = *c == ' ' ? '_' : *c;
  snprintf(path + n, room - (size_t)n, "%s.txt", b->trailing ? "_trailing" : "");
  if (!access(path, R_OK)) return;
  fprintf(stderr, "generating %s\n", path);
  snprintf(command, sizeof command, "'%s' gen %s -o '%s'", program, b->history, path);
  if (system(command)) exit(2);
  FILE *f = b->trailing ? fopen(path, "a") : NULL;
  for (unsigned i = 0; f && i < b->trailing; i++)
    fprintf(f, i % 4 ? "r write(%u) T%u\n" : "r read() T%u\n", i % 4 ? 1 + i % 5 : i, i);
  if (f && fclose(f)) exit(2);
}

static void measure(const struct bench *b, struct measured *m) {
  char path[3000], spec[100], out[3000], line[1000];
  prepare(b, path, sizeof path);
  snprintf(spec, sizeof spec, "%.*s", (int)strcspn(b->history, " "), b->history);
  snprintf(out, sizeof out, "%s/out", folder);
  char *check[] = {program, "check", path, "--spec", spec, "--time-limit", "120", "--memory-limit", "4G", NULL};
  char *count[] = {"wc", "-w", path, NULL};
  m->yardstick = run_median(count, out, RUNS, SLOW_SECONDS, NULL);
  m->seconds = run_median(check, out, RUNS, SLOW_SECONDS, &m->kb);
  read_last_line(out, line, sizeof line);
  m->verdict = verdict_of(line);
  const char *n = strstr(b->history, "-n ");
  char *end;
  m->operations = n ? strtoul(n + 3, &end, 10) : 0;
  if (n) m->operations *= *end == 'M' ? 1000000 : *end == 'k' ? 1000 : 1;
  m->operations += b->trailing;
  m->done = true;
}

static const struct measured *base_of(const struct bench *b, const struct measured *all) {
  for (int i = 0; b->base && i < CASES; i++)
    if (!strcmp(cases[i].name, b->base) && all[i].done) return &all[i];
  return NULL;
}

/* Prints the bars of a case and whether it clears them. */
static bool judge(const struct bench *b, const struct measured *m, const struct measured *all) {
  const struct measured *base = base_of(b, all);
  bool pass = !strcmp(m->verdict, b->bad ? "not linearizable" : "linearizable");
  char bar[200] = "";
  int n = 0;
  if (!pass) n += snprintf(bar, sizeof bar, "wrong verdict; ");
  if (b->most_ratio > 0)
    n += snprintf(bar + n, sizeof bar - (size_t)n, "%gx wc, ", b->most_ratio),
        pass &= m->seconds <= b->most_ratio * m->yardstick;
  if (b->most_seconds > 0)
    n += snprintf(bar + n, sizeof bar - (size_t)n, "%g s, ", b->most_seconds), pass &= m->seconds <= b->most_seconds;
  if (b->most_mb)
    n += snprintf(bar + n, sizeof bar - (size_t)n, "%ld MB, ", b->most_mb), pass &= m->kb <= b->most_mb * 1000;
  if (base)
    n += snprintf(bar + n, sizeof bar - (size_t)n, "%gx %s (%.1fx), ", b->most_times, b->base,
                  m->seconds / base->seconds);
  if (base) pass &= m->seconds <= b->most_times * base->seconds;
  if (n >= 2) bar[n - 2] = 0;
  printf("%-42s %-16s %8.3f %8.3f %6.2f %7ld  %s  %s\n", b->name, m->verdict, m->seconds, m->yardstick,
         m->seconds / m->yardstick, m->kb / 1000, pass ? "pass" : "FAIL", bar);
  fflush(stdout);
  return pass;
}

static void write_results(const struct measured *all) {
  FILE *f = fopen("bench/results/check.tsv", "w");
  if (!f) return;
  write_machine(f);
  fprintf(f, "CPU seconds, median of %d; yardstick: wc -w of the same file\n", RUNS);
  fputs("case\tverdict\toperations\tcpu_seconds\tyardstick_seconds\tratio\tpeak_rss_kb\n", f);
  for (int i = 0; i < CASES; i++)
    fprintf(f, "%s\t%s\t%lu\t%.4f\t%.4f\t%.2f\t%ld\n", cases[i].name, all[i].verdict, all[i].operations, all[i].seconds,
            all[i].yardstick, all[i].seconds / all[i].yardstick, all[i].kb);
  for (int i = 0; i < CASES; i++) {
    const struct measured *base = base_of(&cases[i], all);
    if (base)
      fprintf(f, "# %s takes %.2f times as long as %s\n", cases[i].name, all[i].seconds / base->seconds, cases[i].base);
  }
  fclose(f);
}

int main(int argc, char **argv) {
  if (argc < 2) return fputs("usage: bench BUILD [CASE...]\n", stderr), 2;
  snprintf(program, sizeof program, "%s/asif", argv[1]);
  snprintf(folder, sizeof folder, "%s/bench.d", argv[1]);
  mkdir(folder, 0777);
  printf("%-42s %-16s %8s %8s %6s %7s\n", "case", "verdict", "CPU s", "wc s", "ratio", "MB");
  struct measured all[CASES] = {0};
  int failed = 0, ran = 0;
  for (int i = 0; i < CASES; i++) {
    if (!wanted(cases[i].name, argc - 2, argv + 2)) continue;
    measure(&cases[i], &all[i]);
    failed += !judge(&cases[i], &all[i], all);
    ran++;
  }
  if (ran == CASES) write_results(all);
  printf("%d of %d cases clear their bars\n", ran - failed, ran);
  return failed ? 1 : 0;
}
