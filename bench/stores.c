/* make bench-stores: `asif check` on histories of stores, with operations whose outcome is unknown.
 *
 *   bench-stores BUILD [CASE...]   cases whose names contain any of the words; all by default
 *
 * Histories are generated into BUILD/bench.d once. Those that were recorded from real stores are not part of the tree:
 * where the folder STORES has them, they are measured, too, and the verdict they must have is in their name (`-bad`).
 * Three runs each, the median of the CPU time of all threads. Written to bench/results/stores.tsv when all cases run.
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"

enum { RUNS = 3, SLOW_SECONDS = 20, ROWS_MOST = 60 };

struct row {
  char name[200], history[300]; /* arguments of asif gen; "" for a file */
  char path[2000], spec[40];
  bool bad;
  double bar; /* CPU seconds */
  const char *verdict;
  double cpu;
  long kb;
};
static struct row rows[ROWS_MOST];
static size_t count;
static char program[2000], folder[2000];

static void generated(const char *spec, const char *more, double bar) {
  static const char *const kinds[] = {"", " --bad stale", " --bad cas"};
  for (int k = 0; k < 3; k++) {
    struct row *r = &rows[count++];
    snprintf(r->name, sizeof r->name, "%s %s%s", spec, more, kinds[k]);
    snprintf(r->history, sizeof r->history, "%s %s%s", spec, more, kinds[k]);
    snprintf(r->spec, sizeof r->spec, "%s", spec);
    r->bad = k > 0;
    r->bar = bar;
  }
}

static void recorded(const char *stores) {
  char pattern[2000];
  glob_t files;
  snprintf(pattern, sizeof pattern, "%s/*unknown*", stores);
  glob(pattern, 0, NULL, &files);
  snprintf(pattern, sizeof pattern, "%s/*ru-bad*", stores);
  glob(pattern, GLOB_APPEND, NULL, &files);
  snprintf(pattern, sizeof pattern, "%s/*-pending*", stores);
  glob(pattern, GLOB_APPEND, NULL, &files);
  for (size_t i = 0; i < files.gl_pathc && count < ROWS_MOST; i++) {
    struct row *r = &rows[count++];
    const char *name = strrchr(files.gl_pathv[i], '/') + 1;
    snprintf(r->name, sizeof r->name, "%s", name);
    snprintf(r->path, sizeof r->path, "%s", files.gl_pathv[i]);
    snprintf(r->spec, sizeof r->spec, "%s", strncmp(name, "cas-", 4) ? "map" : "cas-register");
    r->bad = strstr(name, "-bad") != NULL;
    r->bar = 1;
  }
}

static void prepare(struct row *r) {
  if (!*r->history) return;
  char command[5000];
  int n = snprintf(r->path, sizeof r->path, "%s/", folder);
  for (const char *c = r->history; *c && n + 30 < (int)sizeof r->path; c++) r->path[n++] = *c == ' ' ? '_' : *c;
  snprintf(r->path + n, sizeof r->path - (size_t)n, ".txt");
  if (!access(r->path, R_OK)) return;
  snprintf(command, sizeof command, "'%s' gen %s -o '%s'", program, r->history, r->path);
  if (system(command)) exit(2);
}

static bool is_met(const struct row *r) {
  return !strcmp(r->verdict, r->bad ? "not linearizable" : "linearizable") && r->cpu <= r->bar;
}

static void measure(struct row *r) {
  char out[3000], line[1000];
  prepare(r);
  snprintf(out, sizeof out, "%s/stores.out", folder);
  char *check[] = {program, "check", r->path, "--spec", r->spec, "--time-limit", "120", "--memory-limit", "4G", NULL};
  r->cpu = run_median(check, out, RUNS, SLOW_SECONDS, &r->kb);
  read_last_line(out, line, sizeof line);
  r->verdict = verdict_of(line);
  printf("%-58s %-16s %8.3f %6ld  %s\n", r->name, r->verdict, r->cpu, r->kb / 1000, is_met(r) ? "" : "NOT MET");
  fflush(stdout);
}

static void write_results(void) {
  FILE *f = fopen("bench/results/stores.tsv", "w");
  if (!f) return;
  write_machine(f);
  fprintf(f, "asif check HISTORY, CPU seconds, median of %d; cases with arguments are those of asif gen\n", RUNS);
  fputs("case\tverdict\tcpu_seconds\tpeak_rss_kb\tbar\tmet\n", f);
  for (size_t i = 0; i < count; i++)
    fprintf(f, "%s\t%s\t%.3f\t%ld\t%g CPU s\t%s\n", rows[i].name, rows[i].verdict, rows[i].cpu, rows[i].kb, rows[i].bar,
            is_met(&rows[i]) ? "yes" : "no");
  fclose(f);
}

int main(int argc, char **argv) {
  bool left_out = false, met = true;
  if (argc < 2) return fputs("usage: bench-stores BUILD [CASE...]\n", stderr), 2;
  snprintf(program, sizeof program, "%s/asif", argv[1]);
  snprintf(folder, sizeof folder, "%s/bench.d", argv[1]);
  mkdir(folder, 0777);
  generated("map", "-n 100k -t 8 --keys 10 --pending 1%", 2);
  generated("map", "-n 100k -t 8 --keys 10 --values 5 --pending 1%", 2);
  generated("map", "-n 100k -t 8 --keys 1 --pending 1%", 2);
  generated("cas-register", "-n 20k -t 8 --pending 1%", 2);
  generated("cas-register", "-n 20k -t 30 --pending 300", 1);
  if (getenv("STORES")) recorded(getenv("STORES"));
  printf("%-58s %-16s %8s %6s\n", "", "", "CPU s", "MB");
  for (size_t i = 0; i < count; i++) {
    if (!wanted(rows[i].name, argc - 2, argv + 2)) {
      left_out = true;
      continue;
    }
    measure(&rows[i]);
    met &= is_met(&rows[i]);
  }
  if (!left_out) write_results();
  return !met;
}
