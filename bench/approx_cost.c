/* Figure 7: what monitoring by A_2 costs an exploration of Michael and Scott's queue, next to the exact check and to enumerating
 * linearizations; and what it costs on long histories, next to the exact check of asif check. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "approx.h"
#include "test/explore.h"

enum { K = 2, DELAYS = 3, RUNS_MOST = 20000, OPS_LEAST = 4, OPS_MOST = 20, REPEATS = 3 };
#define ENUMERATE_SECONDS 0.3
#define BAR               1.3 /* of the geometric mean; the paper has 2.01 */
#define LIMIT_SECONDS     30  /* of a command on a long history */

enum way { UNMONITORED, MONITORED, CHECKED, ENUMERATED, WAYS };

struct exploring {
  enum way way;
  uint64_t runs;
  struct watch *watch;
  struct judge *judge;
  double until;
  uint64_t linearizations;
  bool over;
};

/* All linearizations of the history, one after the other, as a monitor that enumerates them must: without asking what they are. */
struct linearizing {
  struct exploring *x;
  unsigned count;
  uint32_t before[OPS_MOST];
};

static void extend(struct linearizing *l, uint32_t done) {
  if (l->x->over) return;
  if (done == (1u << l->count) - 1) {
    if (++l->x->linearizations % 65536 == 0 && clock_cpu_seconds() > l->x->until) l->x->over = true;
    return;
  }
  for (unsigned i = 0; i < l->count; i++)
    if (!(done >> i & 1) && !(l->before[i] & ~done)) extend(l, done | 1u << i);
}

static void enumerate(struct exploring *x, const struct run *r) {
  struct linearizing l = {.x = x};
  uint32_t returned = 0;
  for (size_t i = 0; i < r->moment_count; i++) {
    const struct moment *m = &r->moments[i];
    if (m->is_return)
      returned |= 1u << m->call;
    else
      l.before[m->call] = returned;
  }
  l.count = r->client->first[r->client->threads];
  extend(&l, 0);
}

static enum visit look(void *self, const struct run *r) {
  struct exploring *x = self;
  struct problem why;
  bool good = true;
  switch (x->way) {
  case MONITORED: good = watch_holds(x->watch, r); break;
  case CHECKED: good = judge_run(x->judge, r, &why) == JUDGED_GOOD; break;
  case ENUMERATED: enumerate(x, r); break;
  default: break;
  }
  if (!good || r->found) {
    fprintf(stderr, "the queue is wrong, which it is not\n");
    exit(1);
  }
  x->runs += !x->over;
  return x->runs < RUNS_MOST && !x->over ? VISIT_ON : VISIT_STOP;
}

/* CPU seconds a run. */
static double measure(struct bench_object *o, enum way way, unsigned enqs, unsigned deqs, uint64_t *runs) {
  struct client client;
  struct explore_options options = {.strategy = EXPLORE_BOUNDED, .bound_by = BOUND_DELAYS, .bound = DELAYS};
  struct explore_counts counts = {0};
  struct exploring x = {.way = way};
  struct problem why = {""};
  struct mem m;
  mem_open(&m, NULL);
  bench_client(o, &client, enqs, deqs);
  struct hashes *seen = way == CHECKED ? hashes_open_own((size_t)1 << 28) : NULL;
  if (way == MONITORED) x.watch = watch_new(&m, &o->object, &o->object.spec, K);
  if (way == CHECKED) x.judge = judge_new(&m, &o->object, seen);
  double began = clock_cpu_seconds();
  x.until = began + ENUMERATE_SECONDS;
  if (!explore(&client, &options, NULL, NULL, look, &x, &counts, &why)) {
    fprintf(stderr, "%s\n", why.text);
    exit(1);
  }
  double seconds = clock_cpu_seconds() - began;
  hashes_close(seen);
  mem_close(&m);
  *runs = x.runs;
  return x.runs ? seconds / (double)x.runs : seconds;
}

struct point {
  unsigned enqs, deqs;
  uint64_t runs[WAYS];
  double seconds[WAYS]; /* a run */
};

static void best_of(struct bench_object *o, struct point *p, enum way way, unsigned repeats) {
  for (unsigned i = 0; i < repeats; i++) {
    double s = measure(o, way, p->enqs, p->deqs, &p->runs[way]);
    if (!i || s < p->seconds[way]) p->seconds[way] = s;
  }
}

bool bench_cost(FILE *all) {
  static struct bench_object o;
  static struct plot plot = {.title = "Figure 7: run time to that without a monitor (Michael and Scott's queue)", .x_title = "enqs x deqs",
                             .y_title = "times", .series = 3, .name = {"A_2", "exact, each history once", "enumerating linearizations"}};
  double product = 0;
  unsigned points = 0;
  bench_object_open(&o, "objects/harness/ms_queue.c", "-DVALUES=10");
  FILE *f = bench_table("approx-fig7", "Michael and Scott's queue, one operation a thread, schedules of up to 3 delays, at most 20,000; CPU microseconds a "
                        "schedule, best of 3; exact: each distinct history checked once; enumerate: all linearizations of each, stopped after 0.3 s "
                        "(then at least so much)",
                        "enqs\tdeqs\tschedules\tunmonitored_us\tapprox_us\texact_us\tenumerate_us\tapprox_ratio\texact_ratio\tenumerate_ratio");
  printf("Figure 7: enqs x deqs, schedules, us a schedule; times as long with A_2, exactly, enumerating linearizations\n");
  for (unsigned ops = OPS_LEAST; ops <= OPS_MOST; ops++) {
    struct point p = {.enqs = (ops + 1) / 2, .deqs = ops / 2};
    best_of(&o, &p, UNMONITORED, REPEATS);
    best_of(&o, &p, MONITORED, REPEATS);
    best_of(&o, &p, CHECKED, 1);
    best_of(&o, &p, ENUMERATED, 1);
    double plain = p.seconds[UNMONITORED], ratio = p.seconds[MONITORED] / plain;
    printf("  %2ux%-2u %7llu %8.3f us %8.2f %8.2f %10.1f\n", p.enqs, p.deqs, (unsigned long long)p.runs[UNMONITORED], plain * 1e6, ratio,
           p.seconds[CHECKED] / plain, p.seconds[ENUMERATED] / plain);
    if (f)
      fprintf(f, "%u\t%u\t%llu\t%.4f\t%.4f\t%.4f\t%.4f\t%.3f\t%.3f\t%.2f\n", p.enqs, p.deqs, (unsigned long long)p.runs[UNMONITORED], plain * 1e6,
              p.seconds[MONITORED] * 1e6, p.seconds[CHECKED] * 1e6, p.seconds[ENUMERATED] * 1e6, ratio, p.seconds[CHECKED] / plain,
              p.seconds[ENUMERATED] / plain);
    snprintf(plot.label[points], sizeof plot.label[points], "%ux%u", p.enqs, p.deqs);
    plot.at[0][points] = ratio;
    plot.at[1][points] = p.seconds[CHECKED] / plain;
    plot.at[2][points] = p.seconds[ENUMERATED] / plain;
    plot.points = ++points;
    product += log(ratio);
  }
  if (f) fclose(f);
  if (bench_writes) plot_write(&plot, "bench/results/approx-fig7.svg");
  double mean = exp(product / points);
  printf("  geometric mean of A_2: %.2f (the paper: 2.01), bar %.1f: %s\n\n", mean, BAR, mean <= BAR ? "met" : "NOT MET");
  if (all) fprintf(all, "figure 7\tA_2, times the unmonitored exploration, geometric mean (paper: 2.01)\t%.3f\ttimes\t%.1f\t%s\n", mean, BAR, mean <= BAR ? "yes" : "no");
  return mean <= BAR;
}

/* Long histories. */

static double time_of(char *const *argv, bool *decided) {
  char out[400], line[400];
  long kb = 0;
  snprintf(out, sizeof out, "%s/out", bench_folder);
  double seconds = run_program(argv, out, LIMIT_SECONDS, &kb);
  read_last_line(out, line, sizeof line);
  *decided = !strncmp(line, "verdict: linearizable", 21) || !strncmp(line, "verdict: no violation seen", 26);
  return seconds;
}

bool bench_long(FILE *all) {
  static struct plot plot = {.title = "Long histories of a queue: seconds", .x_title = "operations", .y_title = "CPU seconds", .series = 3,
                             .name = {"asif check --approx 2", "asif check", "asif check --method search"}};
  char path[400], operations[20], limit[20];
  bool met = true;
  FILE *f = bench_table("approx-long", "asif check --approx 2, asif check, and its general search (--method search) on histories of asif gen queue -t 4; CPU seconds of "
                        "the whole command; empty: not decided in 30 s",
                        "operations\tapprox_seconds\tcheck_seconds\tsearch_seconds\tapprox_ns_an_operation");
  printf("Long histories: operations, seconds of check --approx 2, check, check --method search\n");
  snprintf(path, sizeof path, "%s/long.txt", bench_folder);
  snprintf(limit, sizeof limit, "%d", LIMIT_SECONDS);
  for (long n = 100; n <= 10000000; n *= 10) {
    bool known[3];
    double seconds[3];
    snprintf(operations, sizeof operations, "%ld", n);
    char *gen[] = {(char *)bench_asif, "gen", "queue", "-n", operations, "-t", "4", "-o", path, NULL};
    char *ways[3][10] = {{(char *)bench_asif, "check", path, "--spec", "queue", "--approx", "2", "-q", NULL},
                         {(char *)bench_asif, "check", path, "--spec", "queue", "-q", "--time-limit", limit, NULL},
                         {(char *)bench_asif, "check", path, "--spec", "queue", "-q", "--time-limit", limit, "--method=search", NULL}};
    long kb = 0;
    run_program(gen, "/dev/null", 0, &kb);
    printf("  %9ld", n);
    for (unsigned w = 0; w < 3; w++) {
      seconds[w] = w == 2 && n > 1000000 ? 0 : time_of(ways[w], &known[w]);
      if (w == 2 && n > 1000000) known[w] = false;
      printf(known[w] ? " %9.3f" : "         -", seconds[w]);
      plot.at[w][plot.points] = known[w] ? seconds[w] : 0;
    }
    printf("\n");
    if (f) {
      fprintf(f, "%ld", n);
      for (unsigned w = 0; w < 3; w++) known[w] ? fprintf(f, "\t%.4f", seconds[w]) : fprintf(f, "\t");
      known[0] ? fprintf(f, "\t%.1f\n", seconds[0] / (double)n * 1e9) : fprintf(f, "\t\n");
    }
    met &= known[0];
    snprintf(plot.label[plot.points], sizeof plot.label[plot.points], "%ld", n);
    plot.points++;
    if (n == 10000000 && all)
      fprintf(all, "long histories\tcheck --approx 2 of %ld operations\t%.3f\tseconds\t\t%s\n", n, seconds[0], known[0] ? "yes" : "no");
  }
  unlink(path);
  if (f) fclose(f);
  if (bench_writes) plot_write(&plot, "bench/results/approx-long.svg");
  printf("\n");
  return met;
}
