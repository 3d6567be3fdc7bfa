/* make bench-weak: `asif test --memory`, in executions and CPU seconds.
 *
 *   bench-weak BUILD [WORD...]   rows whose names contain any of the words, all by default
 *
 * Clients of a stack and a queue with the orders that they need, of the sizes that GenMC's and Relinche's papers have;
 * and the library with clients of two threads, two operations each. One process, at most LIMIT CPU seconds each.
 * executions: distinct ones; runs: how often the code was run for them. cpu_seconds: of the process that runs the code,
 * without the compiler.
 *
 * Written to bench/results/weak.tsv when all rows run. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common.h"

enum { LIMIT = 60, ROWS_MOST = 80 };
struct row {
  const char *file, *client; /* NULL: --threads 2 --ops 2 */
  const char *model;
  double bar; /* CPU seconds; 0: the limit */
  char verdict[20];
  double runs, executions, cpu;
};
static struct row rows[ROWS_MOST] = {
    {.file = "bench/weak_stack.c", .client = "push(1) | push(2) | push(3) | pop() | pop() | pop()", .bar = 0.16},
    {.file = "bench/weak_stack.c",
     .client = "push(1) | push(2) | push(3) | push(4) | pop() | pop() | pop() | pop()",
     .bar = 1.00},
    {.file = "bench/weak_stack.c", .client = "push(1) pop() | push(2) pop() | push(3) pop()", .bar = 1.33},
    {.file = "bench/weak_queue.c", .client = "enq(1) deq() | enq(2) deq() | enq(3) deq()", .bar = 0.21},
    {.file = "bench/weak_queue.c", .client = "enq(1) | enq(2) | deq() | deq()"},
    {.file = "bench/weak_queue.c", .client = "enq(1) | enq(2) | enq(3) | deq() | deq() | deq()", .bar = 0.65},
};
enum { CLIENTS = 6 };
static size_t count = CLIENTS;
static char program[4096], folder[4096], out[4200], limit[20];

static void run(struct row *r) {
  char *client[] = {program,
                    "test",
                    (char *)r->file,
                    "--json",
                    "--leaks",
                    "no",
                    "--memory",
                    (char *)r->model,
                    "--client",
                    (char *)r->client,
                    "-j",
                    "1",
                    "-t",
                    limit,
                    NULL};
  char *sized[] = {
      program, "test", (char *)r->file, "--json", "--memory", (char *)r->model, "--threads", "2", "--ops", "2", "-j",
      "1",     "-t",   limit,           NULL};
  run_program(r->client ? client : sized, out, 0, NULL);
  char *json = read_text(out);
  string_of(json, "verdict", r->verdict, sizeof r->verdict);
  r->runs = number_of(json, "schedules");
  r->executions = number_of(json, "histories");
  r->cpu = number_of(json, "cpu_seconds");
  free(json);
}

static bool is_met(const struct row *r) { return !strcmp(r->verdict, "holds") && (!r->bar || r->cpu <= r->bar); }

static void print(const struct row *r) {
  printf("%-46s %-4s %10.0f %10.0f %8.2f  %-8s %s\n", r->client ? r->client : r->file, r->model, r->runs, r->executions,
         r->cpu, r->verdict, is_met(r) ? "" : "NOT MET");
  fflush(stdout);
}

static void write_results(void) {
  FILE *f = fopen("bench/results/weak.tsv", "w");
  if (!f) return;
  write_machine(f);
  fprintf(f,
          "asif test FILE --memory MODEL -j 1 -t %u; bars of clients: GenMC's CPU seconds for the same, as its papers' "
          "benchmarks have them\n",
          LIMIT);
  fputs("file\tclient\tmodel\truns\texecutions\tcpu_seconds\tverdict\tbar\tmet\n", f);
  for (size_t i = 0; i < count; i++) {
    const struct row *r = &rows[i];
    fprintf(f, "%s\t%s\t%s\t%.0f\t%.0f\t%.2f\t%s\t", r->file, r->client ? r->client : "2 x 2", r->model, r->runs,
            r->executions, r->cpu, r->verdict);
    r->bar ? fprintf(f, "%.2f CPU s", r->bar) : fputs("ends", f);
    fprintf(f, "\t%s\n", is_met(r) ? "yes" : "no");
  }
  fclose(f);
}

int main(int argc, char **argv) {
  bool left_out = false, met = true;
  glob_t files;
  if (argc < 2) return fputs("usage: bench-weak BUILD [WORD...]\n", stderr), 2;
  snprintf(program, sizeof program, "%s/asif", argv[1]);
  snprintf(folder, sizeof folder, "%s/bench.d", argv[1]);
  snprintf(out, sizeof out, "%s/weak.out", folder);
  snprintf(limit, sizeof limit, "%u", LIMIT);
  mkdir(folder, 0777);
  setenv("ASIF_INCLUDE", "include", 0);
  if (glob("objects/harness/*.c", 0, NULL, &files)) return fputs("no objects/harness\n", stderr), 2;
  for (size_t i = 0; i < files.gl_pathc && count < ROWS_MOST; i++) rows[count++].file = files.gl_pathv[i];
  printf("%-46s %-4s %10s %10s %8s\n", "", "", "runs", "executions", "CPU s");
  for (size_t i = 0; i < count; i++) {
    rows[i].model = "c11";
    if (!wanted(rows[i].client ? rows[i].client : rows[i].file, argc - 2, argv + 2)) {
      left_out = true;
      continue;
    }
    run(&rows[i]);
    print(&rows[i]);
    met &= is_met(&rows[i]);
  }
  if (!left_out) write_results();
  printf("%s  weak memory\n", met ? "pass" : "FAIL");
  return !met;
}
