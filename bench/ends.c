/* make bench-ends: does a search of every schedule of all clients of three threads, two operations each, end?
 *
 *   bench-ends BUILD [WORD...]   objects whose files' names contain any of the words, all by default
 *
 * `asif test FILE --threads 3 --ops 2 -j 1`, of the objects that are right: the models (objects) and the library
 * (objects/harness). Objects with roles for two threads have two. One run each, and no longer than the bar by the
 * clock; of a search that has not ended by then the figures are where it stopped. cpu_seconds: of the process that runs
 * the code, without the compiler.
 *
 * Written to bench/results/ends.tsv when all rows run. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common.h"

enum { GROUPS = 2, OBJECTS_MOST = 100 };
static const struct {
  const char *name, *files;
  unsigned seconds; /* the bar */
} groups[GROUPS] = {{"models", "objects/*.c", 60}, {"library", "objects/harness/*.c", 600}};

/* Wrong on purpose: a search of them ends with what it finds. */
static const char *const wrong[] = {"objects/buggy_queue.c", "objects/treiber_stack_free.c"};

struct measured {
  const char *file;
  int group;
  char verdict[20], violation[40];
  double clients, done, schedules, cpu, seconds;
  unsigned threads;
};
static struct measured all[OBJECTS_MOST];
static int count;
static char program[4096], folder[4096], out[4200];

static bool is_wrong(const char *file) {
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (!strcmp(file, wrong[i])) return true;
  return false;
}

static void run_with(struct measured *m, unsigned threads) {
  char limit[20], number[20];
  snprintf(limit, sizeof limit, "%u", groups[m->group].seconds);
  snprintf(number, sizeof number, "%u", threads);
  m->threads = threads;
  double begin = clock_seconds();
  run_program((char *[]){program, "test", (char *)m->file, "--json", "--threads", number, "--ops", "2", "-j", "1", "-t",
                         limit, NULL},
              out, 0, NULL);
  m->seconds = clock_seconds() - begin;
  char *json = read_text(out);
  string_of(json, "verdict", m->verdict, sizeof m->verdict);
  string_of(json, "violation", m->violation, sizeof m->violation);
  m->clients = number_of(json, "clients");
  m->done = number_of(json, "clients_done");
  m->schedules = number_of(json, "schedules");
  m->cpu = number_of(json, "cpu_seconds");
  free(json);
}

static bool is_met(const struct measured *m) {
  return !strcmp(m->verdict, "holds") && m->cpu <= groups[m->group].seconds;
}

static void print_row(const struct measured *m) {
  printf("%-42s %u x 2 %8.0f of %-8.0f %12.0f %9.2f %9.2f  %s%s%s\n", m->file, m->threads, m->done, m->clients,
         m->schedules, m->cpu, m->seconds, is_met(m) ? "ends" : "DOES NOT END: ", is_met(m) ? "" : m->verdict,
         *m->violation ? m->violation : "");
  fflush(stdout);
}

static bool judge(int group) {
  int rows = 0, met = 0;
  double sum = 0;
  for (int i = 0; i < count; i++) {
    if (all[i].group != group) continue;
    rows++;
    met += is_met(&all[i]);
    sum += all[i].cpu;
  }
  if (rows)
    printf("%s  %s: %d of %d end within %u CPU seconds; all together %.1f\n", met == rows ? "pass" : "FAIL",
           groups[group].name, met, rows, groups[group].seconds, sum);
  return met == rows;
}

static void write_results(void) {
  FILE *f = fopen("bench/results/ends.tsv", "w");
  if (!f) return;
  write_machine(f);
  fputs("asif test FILE --threads THREADS --ops 2 -j 1; clients: all, and those of which every schedule was explored; "
        "cpu_seconds: of the process that runs the code; seconds: of the whole command, by the clock, with the "
        "compiler\n",
        f);
  fputs("group\tfile\tthreads\tclients\tdone\tschedules\tcpu_seconds\tseconds\tverdict\tbar\tmet\n", f);
  for (int i = 0; i < count; i++) {
    const struct measured *m = &all[i];
    fprintf(f, "%s\t%s\t%u\t%.0f\t%.0f\t%.0f\t%.2f\t%.2f\t%s\t%u CPU s\t%s\n", groups[m->group].name, m->file,
            m->threads, m->clients, m->done, m->schedules, m->cpu, m->seconds, m->verdict, groups[m->group].seconds,
            is_met(m) ? "yes" : "no");
  }
  fclose(f);
}

int main(int argc, char **argv) {
  bool left_out = false, met = true;
  if (argc < 2) return fputs("usage: bench-ends BUILD [WORD...]\n", stderr), 2;
  snprintf(program, sizeof program, "%s/asif", argv[1]);
  snprintf(folder, sizeof folder, "%s/bench.d", argv[1]);
  snprintf(out, sizeof out, "%s/ends.out", folder);
  mkdir(folder, 0777);
  setenv("ASIF_INCLUDE", "include", 0);
  printf("%-42s %-5s %8s    %-8s %12s %9s %9s\n", "object", "size", "done", "clients", "schedules", "CPU s", "s");
  for (int g = 0; g < GROUPS; g++) {
    glob_t files;
    if (glob(groups[g].files, 0, NULL, &files)) return fprintf(stderr, "no %s\n", groups[g].files), 2;
    for (size_t i = 0; i < files.gl_pathc && count < OBJECTS_MOST; i++) {
      if (is_wrong(files.gl_pathv[i])) continue;
      if (!wanted(files.gl_pathv[i], argc - 2, argv + 2)) {
        left_out = true;
        continue;
      }
      struct measured *m = &all[count++];
      m->file = files.gl_pathv[i];
      m->group = g;
      run_with(m, 3);
      if (!*m->verdict) run_with(m, 2); /* there are roles for two */
      print_row(m);
    }
  }
  for (int g = 0; g < GROUPS; g++) met &= judge(g);
  if (!left_out) write_results();
  return !met;
}
