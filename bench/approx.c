/* make bench-approx: see approx.h.
 *
 *   bench-approx BUILD [fig6] [fig7] [long] [table1] [monitor]   all by default
 *
 * Written to bench/results when all run: approx.tsv with a row an experiment, approx-fig6.tsv, approx-fig7.tsv, approx-long.tsv and
 * approx-table1.tsv with a plot each, and the rows of BUILD/bench-monitor, if it is there. */
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

void bench_object_open(struct bench_object *o, const char *file, const char *flag) {
  struct problem why = {""};
  struct image *image;
  struct compiled compiled;
  char *inputs[] = {(char *)file, NULL}, *flags[] = {(char *)flag, NULL};
  mem_open(&o->mem, NULL);
  struct object_options options = {.inputs = inputs, .flags = flags, .spec = "queue", .directory = compile_directory(&o->mem, &why)};
  if (!options.directory || !object_open(&o->mem, &options, &image, &compiled, &o->object, &why)) give_up(why.text);
  compile_remove(options.directory);
  struct run_options run = {.races = true, .type_stable = o->object.type_stable};
  if (!run_open(image, o->object.run_ops, o->object.op_count, o->object.init, &run, &why)) give_up(why.text);
}

void bench_client(struct bench_object *o, struct client *c, unsigned enqs, unsigned deqs) {
  struct text t;
  struct problem why = {""};
  text_open(&t, &o->mem);
  for (unsigned i = 1; i <= enqs; i++) text_printf(&t, "%senq(%u)", i > 1 ? " | " : "", i);
  for (unsigned i = 1; i <= deqs; i++) text_printf(&t, "%sdeq()", enqs || i > 1 ? " | " : "");
  if (!client_parse(&o->mem, &o->object, text_string(&t), c, &why)) give_up(why.text);
}

FILE *bench_table(const char *name, const char *about, const char *header) {
  char path[200];
  if (!bench_writes) return NULL;
  snprintf(path, sizeof path, "bench/results/%s.tsv", name);
  FILE *f = fopen(path, "w");
  if (!f) give_up("bench/results cannot be written to");
  write_machine(f);
  fprintf(f, "%s\n%s\n", about, header);
  return f;
}

/* What monitoring and recording cost a program: the rows of another benchmark. */
static bool bench_monitor(const char *build, FILE *all) {
  char program[400], out[400], line[1000];
  long kb = 0;
  snprintf(program, sizeof program, "%s/bench-monitor", build);
  snprintf(out, sizeof out, "%s/monitor.tsv", bench_folder);
  if (access(program, X_OK)) return true;
  char *argv[] = {program, NULL};
  printf("Monitors and recorders in programs:\n");
  run_program(argv, out, 0, &kb);
  FILE *f = fopen(out, "r");
  while (f && fgets(line, sizeof line, f)) {
    printf("  %s", line);
    if (all && *line != '#') fprintf(all, "monitor\t%s", line);
  }
  if (f) fclose(f);
  printf("\n");
  return true;
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
  FILE *all = bench_table("approx", "the experiments of Bouajjani et al. 2015, section 9; the tables are in approx-*.tsv; rows of `monitor` have columns of their own",
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
