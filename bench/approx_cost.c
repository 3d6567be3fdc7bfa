/* Figure 7: what monitoring by A_2 costs an exploration of Michael and Scott's queue and Treiber's stack, next to the
 * exact check and to enumerating linearizations; and what it costs on long histories, next to the exact check of asif
 * check.
 *
 * The paper samples executions of up to 3 preemptions: so do random schedules with 3 changes of priority (PCT), of
 * which hardly two have the same history from ten operations on. Next to it the schedules of up to 3 delays, one after
 * the other, as asif test explores them: there few operations overlap, and a run begins like the one before it; and, of
 * the queue, random schedules that choose a thread at every step: there most overlap.
 *
 * What enumerating costs goes by how many linearizations a run has. So that is told, too: here one takes some tens of
 * nanoseconds, and a run some tens of microseconds, so that a thousand are needed to be noticed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "approx.h"
#include "test/explore.h"

enum {
  K = 2,
  PREEMPTIONS = 3,
  SIDE = 10, /* at most so many pushes, and pops */
  OPS_MOST = 2 * SIDE,
  RUNS_LEAST = 1000, /* else it says little */
  RUNS_MOST = 2000,
  REPEATS = 3,
  REPEATS_MOST = 11,
  ENOUGH = 64, /* runs, to know what enumerating costs */
  SHORT_OPERATIONS = 10000,
  LONG_OPERATIONS = 10000000
};
#define ENUMERATE_SECONDS 0.2
#define SECONDS_LEAST     0.04 /* of a measurement */
#define BAR               1.3  /* of the geometric mean; the paper has 2.01 */
#define LIMIT_SECONDS     10   /* of a command on a long history */

enum way { UNMONITORED, MONITORED, CHECKED, ENUMERATED, WAYS };
enum sample { PREEMPTED, DELAYED, UNIFORM, SAMPLES };
static const char *const way_names[] = {"", "A_2", "exact", "enumerating"};
static const char *const sample_names[] = {"preemptions", "delays", "uniform"};

struct exploring {
  enum way way;
  uint64_t runs, runs_most;
  struct judge *judge;
  double until;
  uint64_t linearizations;
  bool over;
};

/* All linearizations of the history of every run, one after the other, as a monitor that enumerates them must: without
 * asking what they are. */
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
  if (x->judge) good = judge_run(x->judge, r, &why) == JUDGED_GOOD;
  if (x->way == ENUMERATED) enumerate(x, r);
  if (!good || r->found) {
    fprintf(stderr, "the object is wrong, which it is not\n");
    exit(1);
  }
  x->runs++;
  if (x->way == ENUMERATED && x->runs % ENOUGH == 0) x->over |= clock_cpu_seconds() > x->until;
  return x->runs < x->runs_most && !x->over ? VISIT_ON : VISIT_STOP;
}

struct point {
  struct bench_object *object;
  enum sample sample;
  unsigned pushes, pops;
  uint64_t runs_most, runs;
  double us[WAYS];       /* CPU microseconds a run; 0: not measured */
  double linearizations; /* a run */
  bool cut;              /* enumerating them was cut short: it takes longer than told */
};

/* CPU seconds of one exploration, from its beginning. */
static double explore_once(struct point *p, struct exploring *x) {
  struct client client;
  struct explore_options options = {.strategy = &strategies[EXPLORE_DELAYS], .bound = PREEMPTIONS};
  struct explore_counts counts = {0};
  struct problem why = {.text = ""};
  struct mem m;
  mem_open(&m, NULL);
  if (p->sample == PREEMPTED)
    options = (struct explore_options){
        .strategy = &strategies[EXPLORE_PCT], .depth = PREEMPTIONS + 1, .seed = 1, .runs_most = p->runs_most};
  if (p->sample == UNIFORM)
    options = (struct explore_options){.strategy = &strategies[EXPLORE_UNIFORM], .seed = 1, .runs_most = p->runs_most};
  bench_client(p->object, &client, p->pushes, p->pops);
  struct hashes *seen = x->way == CHECKED || x->way == MONITORED ? hashes_open_own((size_t)1 << 28) : NULL;
  if (seen) x->judge = judge_new(&m, &p->object->object, seen);
  if (x->way == MONITORED) judge_approx(x->judge, K);
  double began = clock_cpu_seconds();
  x->until = began + ENUMERATE_SECONDS;
  if (!explore(&client, &options, NULL, NULL, look, x, &counts, &why)) {
    fprintf(stderr, "%s\n", why.text);
    exit(1);
  }
  double seconds = clock_cpu_seconds() - began;
  hashes_close(seen);
  mem_close(&m);
  return seconds;
}

/* Microseconds a run: of explorations that take long enough together, as the clock may go by ticks of the system. */
static double measure(struct point *p, enum way way) {
  double seconds = 0;
  uint64_t runs = 0;
  do {
    struct exploring x = {.way = way, .runs_most = p->runs_most};
    seconds += explore_once(p, &x);
    runs += x.runs;
    p->runs = way == UNMONITORED ? x.runs : p->runs;
    if (way != ENUMERATED) continue;
    p->linearizations = (double)x.linearizations / (double)x.runs;
    p->cut = x.over && x.runs < ENOUGH;
    if (x.over) break;
  } while (seconds < SECONDS_LEAST);
  return seconds / (double)runs * 1e6;
}

static int by_number(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Ways in turn, so that what else the machine does strikes both of them; medians. */
static void measure_both(struct point *p, unsigned repeats) {
  double us[2][REPEATS_MOST];
  for (unsigned i = 0; i < repeats; i++)
    for (enum way way = UNMONITORED; way <= MONITORED; way++) us[way][i] = measure(p, way);
  for (enum way way = UNMONITORED; way <= MONITORED; way++) {
    qsort(us[way], repeats, sizeof **us, by_number);
    p->us[way] = us[way][repeats / 2];
  }
}

/* Geometric means, of all points and by operations. */
struct means {
  double sum[WAYS][OPS_MOST + 1], all[WAYS];
  unsigned count[OPS_MOST + 1], points;
  bool cut[OPS_MOST + 1];
};

static void add_point(struct means *g, const struct point *p) {
  unsigned ops = p->pushes + p->pops;
  if (p->runs < RUNS_LEAST) return;
  for (enum way way = MONITORED; way < WAYS; way++) {
    if (p->us[way] <= 0) continue;
    double ratio = log(p->us[way] / p->us[UNMONITORED]);
    g->sum[way][ops] += ratio;
    g->all[way] += ratio;
  }
  g->cut[ops] |= p->cut;
  g->count[ops]++;
  g->points++;
}

static double mean_of(const struct means *g, enum way way, unsigned ops) {
  return g->sum[way][ops] != 0 ? exp(g->sum[way][ops] / g->count[ops]) : 0;
}

static void put_point(FILE *f, const char *object, const struct point *p) {
  if (!f) return;
  fprintf(f, "%s\t%s\t%u\t%u\t%llu", object, sample_names[p->sample], p->pushes, p->pops, (unsigned long long)p->runs);
  for (enum way way = UNMONITORED; way < WAYS; way++)
    p->us[way] > 0 ? fprintf(f, "\t%.3f", p->us[way]) : fprintf(f, "\t");
  for (enum way way = MONITORED; way < WAYS; way++)
    p->us[way] > 0 ? fprintf(f, "\t%.3f", p->us[way] / p->us[UNMONITORED]) : fprintf(f, "\t");
  p->linearizations > 0 ? fprintf(f, "\t%.1f\n", p->linearizations) : fprintf(f, "\t\n");
}

static bool say_mean(const char *what, double mean, FILE *all) {
  printf("  %s: %.2f (the paper: 2.01), bar %.1f: %s\n", what, mean, BAR, mean <= BAR ? "met" : "NOT MET");
  if (all)
    fprintf(all, "figure 7\t%s (paper: 2.01)\t%.3f\ttimes\t%.1f\t%s\n", what, mean, BAR, mean <= BAR ? "yes" : "no");
  return mean <= BAR;
}

static void measure_points(struct bench_object *o, const char *name, enum sample sample, struct means *g, FILE *f) {
  bool enumerates = sample != DELAYED && !strcmp(name, "ms_queue");
  for (unsigned ops = 2; ops <= OPS_MOST; ops++) {
    for (unsigned pushes = ops > SIDE ? ops - SIDE : 1; pushes < ops && pushes <= SIDE; pushes++) {
      struct point p = {.object = o, .sample = sample, .pushes = pushes, .pops = ops - pushes, .runs_most = RUNS_MOST};
      measure_both(&p, REPEATS);
      if (sample != UNIFORM) p.us[CHECKED] = measure(&p, CHECKED); /* there it may take for ever */
      if (enumerates) p.us[ENUMERATED] = measure(&p, ENUMERATED);
      add_point(g, &p);
      put_point(f, name, &p);
    }
    printf("  %-13s %-11s %2u operations:", name, sample_names[sample], ops);
    for (enum way way = MONITORED; way < WAYS; way++)
      if (mean_of(g, way, ops) > 0)
        printf(" %s %s%.2f", way_names[way], way == ENUMERATED && g->cut[ops] ? "at least " : "", mean_of(g, way, ops));
    printf("\n");
  }
}

static void draw_points(const struct means *preempted, const struct means *uniform) {
  static struct plot plot = {.title = "Figure 7: run time to that without a monitor (Michael and Scott's queue)",
                             .x_title = "operations",
                             .y_title = "times, geometric means",
                             .series = 5,
                             .name = {"A_2, 3 preemptions", "exact, 3 preemptions", "enumerating, 3 preemptions",
                                      "A_2, any schedule", "enumerating, any schedule"}};
  for (unsigned ops = 2; ops <= OPS_MOST; ops++) {
    const unsigned x = plot.points++;
    snprintf(plot.label[x], sizeof *plot.label, "%u", ops);
    for (enum way way = MONITORED; way < WAYS; way++) plot.at[way - 1][x] = mean_of(preempted, way, ops);
    plot.at[3][x] = mean_of(uniform, MONITORED, ops);
    plot.at[4][x] = uniform->cut[ops]
                        ? 0
                        : mean_of(uniform, ENUMERATED, ops); /* beyond, it is not known how much longer it takes */
  }
  plot_write(&plot, "bench/results/approx-fig7.svg");
}

/* Few operations in all, and many. */
static bool measure_lengths(struct bench_object *o, const char *name, FILE *f, FILE *all) {
  bool met = true;
  for (long operations = SHORT_OPERATIONS; operations <= LONG_OPERATIONS;
       operations *= LONG_OPERATIONS / SHORT_OPERATIONS) {
    char what[200];
    struct point p = {
        .object = o, .sample = PREEMPTED, .pushes = SIDE, .pops = SIDE, .runs_most = (uint64_t)operations / OPS_MOST};
    unsigned repeats = operations == SHORT_OPERATIONS ? REPEATS_MOST : 1;
    measure_both(&p, repeats);
    put_point(f, name, &p);
    snprintf(what, sizeof what, "A_2 of %s, %ld operations in all, 10 x 10", name, operations);
    met &= say_mean(what, p.us[MONITORED] / p.us[UNMONITORED], all);
  }
  return met;
}

bool bench_cost(FILE *all) {
  static struct bench_object objects[2];
  static const char *const names[] = {"ms_queue", "treiber_stack"}, *const kinds[] = {"queue", "stack"};
  bool met = true;
  FILE *f = bench_table("approx-fig7",
                        "one operation a thread; preemptions: random schedules of up to 3 preemptions; delays: the "
                        "first schedules of up to 3 delays; uniform: random schedules; CPU "
                        "microseconds a schedule, medians of 3; exact: each distinct history checked once; enumerate: "
                        "all linearizations of each run's history, stopped after 0.2 s (then at "
                        "least so much); linearizations: of a run, as far as they were enumerated",
                        "object\tsample\tpushes\tpops\tschedules\tunmonitored_us\tapprox_us\texact_us\tenumerate_"
                        "us\tapprox_ratio\texact_ratio\tenumerate_ratio\tlinearizations");
  printf("Figure 7: times as long with A_2, exactly, enumerating linearizations\n");
  for (unsigned i = 0; i < 2; i++) {
    char path[100], what[200];
    snprintf(path, sizeof path, "objects/harness/%s.c", names[i]);
    bench_object_open(&objects[i], path, "-DVALUES=10", kinds[i]);
    struct means means[SAMPLES] = {{.points = 0}};
    for (enum sample sample = PREEMPTED; sample < (i ? UNIFORM : SAMPLES); sample++) {
      measure_points(&objects[i], names[i], sample, &means[sample], f);
      snprintf(what, sizeof what, "A_2 of %s, %s, times the unmonitored exploration, geometric mean", names[i],
               sample_names[sample]);
      met &= say_mean(what, exp(means[sample].all[MONITORED] / means[sample].points), all);
    }
    if (bench_writes && !i) draw_points(&means[PREEMPTED], &means[UNIFORM]);
    met &= measure_lengths(&objects[i], names[i], f, all);
  }
  if (f) fclose(f);
  printf("\n");
  return met;
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
  static struct plot plot = {.title = "Long histories of a queue: seconds",
                             .x_title = "operations",
                             .y_title = "CPU seconds",
                             .series = 3,
                             .name = {"asif check --approx 2", "asif check", "asif check --method search"}};
  char path[400], operations[20], limit[20];
  bool met = true;
  FILE *f = bench_table("approx-long",
                        "asif check --approx 2, asif check, and its general search (--method search) on histories of "
                        "asif gen queue -t 4; CPU seconds of "
                        "the whole command; empty: not decided in 10 s",
                        "operations\tapprox_seconds\tcheck_seconds\tsearch_seconds\tapprox_ns_an_operation");
  printf("Long histories: operations, seconds of check --approx 2, check, check --method search\n");
  snprintf(path, sizeof path, "%s/long.txt", bench_folder);
  snprintf(limit, sizeof limit, "%d", LIMIT_SECONDS);
  for (long n = 100; n <= 10000000; n *= 10) {
    bool known[3];
    double seconds[3];
    snprintf(operations, sizeof operations, "%ld", n);
    char *gen[] = {(char *)bench_asif, "gen", "queue", "-n", operations, "-t", "4", "-o", path, NULL};
    char *ways[3][10] = {
        {(char *)bench_asif, "check", path, "--spec", "queue", "--approx", "2", "-q", NULL},
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
      fprintf(all, "long histories\tcheck --approx 2 of %ld operations\t%.3f\tseconds\t\t%s\n", n, seconds[0],
              known[0] ? "yes" : "no");
  }
  unlink(path);
  if (f) fclose(f);
  if (bench_writes) plot_write(&plot, "bench/results/approx-long.svg");
  printf("\n");
  return met;
}
