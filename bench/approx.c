/* make bench-approx: see approx.h.
 *
 *   bench-approx BUILD [fig6] [fig7] [long] [table1] [monitor]   all by default
 *
 * Written to bench/results when all run: approx.tsv with a row a bar, approx-fig6.tsv, approx-fig7.tsv, approx-long.tsv
 * and approx-table1.tsv with a plot each, and approx-monitor.tsv with the rows of BUILD/bench-monitor, if it is there.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "approx.h"
#include "history/value.h"

const char *bench_asif, *bench_folder;
bool bench_writes;

static _Noreturn void give_up(const char *what) {
  fprintf(stderr, "bench-approx: %s\n", what);
  exit(1);
}

void bench_object_open(struct bench_object *o, const char *file, const char *flag, const char *spec) {
  struct problem why = {.text = ""};
  struct image *image;
  struct compiled compiled;
  char *inputs[] = {(char *)file, NULL}, *flags[] = {(char *)flag, NULL};
  mem_open(&o->mem, NULL);
  struct object_options options = {
      .inputs = inputs, .flags = flags, .spec = spec, .directory = compile_directory(&o->mem, &why)};
  if (!options.directory || !object_open(&o->mem, &options, &image, &compiled, &o->object, &why)) give_up(why.text);
  compile_remove(options.directory);
  struct run_options run = {.races = true, .type_stable = o->object.type_stable};
  if (!run_open(image, o->object.run_ops, o->object.op_count, o->object.init, &run, &why)) give_up(why.text);
}

void bench_client(struct bench_object *o, struct client *c, unsigned pushes, unsigned pops) {
  struct text t;
  struct problem why = {.text = ""};
  bool stack = !strcmp(o->object.spec.name, "stack");
  text_open(&t, &o->mem);
  for (unsigned i = 1; i <= pushes; i++) text_printf(&t, "%s%s(%u)", i > 1 ? " | " : "", stack ? "push" : "enq", i);
  for (unsigned i = 1; i <= pops; i++) text_printf(&t, "%s%s()", pushes || i > 1 ? " | " : "", stack ? "pop" : "deq");
  if (!client_parse(&o->mem, &o->object, text_string(&t), c, &why)) give_up(why.text);
}

FILE *bench_table(const char *name, const char *about, const char *header) {
  char path[200];
  if (!bench_writes) return NULL;
  snprintf(path, sizeof path, "bench/results/%s.tsv", name);
  FILE *f = fopen(path, "w");
  if (!f) give_up("bench/results cannot be written to");
  write_machine(f);
  fprintf(f, "%s\n", about);
  if (header) fprintf(f, "%s\n", header);
  return f;
}

/* Bars among what bench-monitor says in the end. */
static bool say_bar(const char *line, FILE *all) {
  char name[20], mode[20];
  double x;
  int threads;
  if (sscanf(line, "# %19[a-z]: %lf million events", name, &x) == 2) {
    if (all)
      fprintf(all, "monitor\tA_2 of a %s on one core, from memory\t%.1f\tM events/s\t20\t%s\n", name, x,
              x >= 20 ? "yes" : "no");
    return x >= 20;
  }
  if (sscanf(line, "# %d threads, %19[a-z ]: %*f ns of CPU time more an operation in all, %lf ns", &threads, mode,
             &x) == 3 &&
      !strcmp(mode, "record")) {
    if (all)
      fprintf(all, "recorder\tan operation, %d threads: time of their own\t%.1f\tns\t30\t%s\n", threads, x,
              x < 30 ? "yes" : "no");
    return x < 30;
  }
  return true;
}

/* What monitoring and recording cost a program: the rows of another benchmark. */
static bool bench_monitor(const char *build, FILE *all) {
  char program[400], out[400], line[1000];
  long kb = 0;
  bool good = true;
  snprintf(program, sizeof program, "%s/bench-monitor", build);
  snprintf(out, sizeof out, "%s/monitor.tsv", bench_folder);
  if (access(program, X_OK)) return true;
  char *argv[] = {program, NULL};
  printf("Monitors and recorders in programs:\n");
  run_program(argv, out, 0, &kb);
  FILE *f = fopen(out, "r");
  FILE *rows = bench_table("approx-monitor",
                           "Michael and Scott's queue and Treiber's stack in a program with real threads, without a "
                           "monitor and with one of A_2: all values "
                           "followed inline or by a background thread, or one in 16 or 64 of them; the recorder around "
                           "a loop that does nothing; medians of 3",
                           NULL);
  while (f && fgets(line, sizeof line, f)) {
    printf("  %s", line);
    if (rows) fputs(line, rows);
    good &= say_bar(line, all);
  }
  if (f) fclose(f);
  if (rows) fclose(rows);
  printf("\n");
  return good;
}

int main(int argc, char **argv) {
  static char asif[400], folder[] = "/tmp/asif-bench-XXXXXX";
  if (argc < 2) give_up("usage: bench-approx BUILD [fig6] [fig7] [long] [table1] [monitor]");
  snprintf(asif, sizeof asif, "%s/asif", argv[1]);
  bench_asif = asif;
  bench_folder = mkdtemp(folder);
  if (!bench_folder) give_up("no temporary folder can be made");
  bench_writes = argc == 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  mkdir("bench/results", 0777);
  FILE *all =
      bench_table("approx", "the experiments of Bouajjani et al. 2015, section 9; the tables are in approx-*.tsv",
                  "experiment\twhat\tfigure\tunit\tbar\tmet");
  bool good = true;
  if (wanted("table1", argc - 2, argv + 2)) good &= bench_bugs(all);
  if (wanted("fig6", argc - 2, argv + 2)) good &= bench_cover(all);
  if (wanted("fig7", argc - 2, argv + 2)) good &= bench_cost(all);
  if (wanted("long", argc - 2, argv + 2)) good &= bench_long(all);
  if (wanted("monitor", argc - 2, argv + 2)) good &= bench_monitor(argv[1], all);
  if (all) fclose(all);
  compile_remove(folder);
  return good ? 0 : 1;
}
