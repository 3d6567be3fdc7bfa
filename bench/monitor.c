/* What recording and monitoring cost a program: Michael and Scott's queue and Treiber's stack under real threads,
 * without and with a monitor of A_2; a loop without and with the recorder; and how fast a monitor takes events that are
 * in memory already.
 *
 *   bench-monitor [-o MOST_OPERATIONS] [-r REPEATS] [-w NANOSECONDS]
 *
 * writes rows to standard output: object, threads, operations, work, mode, CPU and elapsed time of an operation (the
 * library's own threads are in both), and their ratios to the mode `none`. work: every thread works that many
 * nanoseconds after each operation, as programs do; 0: threads do nothing but operations. It is 0, 100 and 500 in turn,
 * or what -w says. Times are medians; making monitors, recorders and threads is not in them. */
#include <asif.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../objects/lib/hazard.h"
#include "../objects/lib/ms_queue.h"
#include "../objects/lib/treiber_stack.h"

enum { THREADS_MOST = 8, K = 2, REPEATS_MOST = 1000 };
enum object { QUEUE, STACK, LOOP, OBJECTS };
enum mode { NONE, INLINE, BACKGROUND, ONE_IN_16, ONE_IN_64, RECORD, RECORD_INLINE, MODES };
static const char *const object_names[] = {"ms_queue", "treiber_stack", "loop"};
static const char *const mode_names[] = {"none",      "inline", "background",   "one in 16",
                                         "one in 64", "record", "record inline"};

static struct {
  enum object object;
  enum mode mode;
  int threads;
  long operations; /* of all threads */
  struct hazard *hazard;
  struct ms_queue *queue;
  struct treiber_stack *stack;
  asif_monitor *monitor;
  asif_recorder *recorder;
  int in, out;
  pthread_barrier_t start;
  long nanoseconds, work; /* the same in iterations */
} run;

struct thread {
  pthread_t id;
  int number;
  asif_tape *tape;
  double cpu; /* of its own */
};

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The same code for all modes: how fast so small a loop is depends on where it lies. */
static __attribute__((noinline)) void work_on(void) {
  for (long i = 0; i < run.work; i++) __asm__ volatile("");
}
static inline void work(void) {
  if (run.work) work_on();
}

/* How many iterations take that long. */
static void set_work(long nanoseconds) {
  enum { TRIED = 20000000 };
  run.nanoseconds = nanoseconds;
  run.work = TRIED;
  double t = seconds(CLOCK_THREAD_CPUTIME_ID);
  work();
  run.work = (long)((double)nanoseconds * 1e-9 * TRIED / (seconds(CLOCK_THREAD_CPUTIME_ID) - t));
}

static inline long add(long v) {
  if (run.object == QUEUE) return ms_queue_enq(run.queue, v);
  if (run.object == STACK) return treiber_stack_push(run.stack, v);
  __asm__ volatile("");
  return 1;
}

static inline int64_t take(long v) {
  if (run.object == LOOP) {
    __asm__ volatile("");
    return v;
  }
  bool got = run.object == QUEUE ? ms_queue_deq(run.queue, &v) : treiber_stack_pop(run.stack, &v);
  return got ? v : ASIF_EMPTY;
}

static inline void operate(asif_tape *tape, long from, long to, bool told) {
  for (long v = from; v < to; v++) {
    if (told) asif_monitor_call1(tape, run.in, v);
    add(v);
    if (told) asif_monitor_return(tape, ASIF_OK);
    work();
    if (told) asif_monitor_call(tape, run.out);
    int64_t got = take(v);
    if (told) asif_monitor_return(tape, got);
    work();
  }
}

static void *body(void *of) {
  struct thread *t = of;
  long each = run.operations / run.threads / 2, from = t->number * each;
  pthread_barrier_wait(&run.start);
  double before = seconds(CLOCK_THREAD_CPUTIME_ID);
  if (t->tape)
    operate(t->tape, from, from + each, true);
  else
    operate(NULL, from, from + each, false);
  t->cpu = seconds(CLOCK_THREAD_CPUTIME_ID) - before;
  return NULL;
}

static void fail(const char *what, const char *why) {
  fprintf(stderr, "bench-monitor: %s: %s\n", what, why);
  exit(1);
}

static void open_run(void) {
  run.hazard = hazard_create(0, 0);
  run.queue = ms_queue_create(run.hazard);
  run.stack = treiber_stack_create(run.hazard);
  run.monitor = NULL;
  run.recorder = NULL;
  if (run.mode >= RECORD) {
    asif_recorder_options options = {.taker = run.mode == RECORD ? ASIF_BACKGROUND : ASIF_INLINE};
    run.recorder = asif_recorder_open("/tmp/asif-bench-monitor.asif", &options);
    run.in = asif_recorder_operation(run.recorder, "q", "enq");
    run.out = asif_recorder_operation(run.recorder, "q", "deq");
  } else if (run.mode != NONE) {
    asif_monitor_options options = {.taker = run.mode == BACKGROUND ? ASIF_BACKGROUND : ASIF_INLINE,
                                    .one_in = run.mode == ONE_IN_16   ? 16
                                              : run.mode == ONE_IN_64 ? 64
                                                                      : 0};
    run.monitor = asif_monitor_new(run.object == STACK ? "stack" : "queue", K, &options);
    if (asif_monitor_status(run.monitor)) fail("the monitor", asif_monitor_error(run.monitor));
    run.in = asif_monitor_operation(run.monitor, run.object == STACK ? "push" : "enq");
    run.out = asif_monitor_operation(run.monitor, run.object == STACK ? "pop" : "deq");
  }
}

static void close_run(void) {
  char *why = NULL;
  if (run.recorder && asif_recorder_close(run.recorder, &why)) fail("the recorder", why ? why : "");
  if (run.recorder) unlink("/tmp/asif-bench-monitor.asif");
  if (run.monitor && asif_monitor_verdict(run.monitor) == ASIF_VIOLATED)
    fail("a violation", asif_monitor_said(run.monitor));
  if (run.monitor && asif_monitor_status(run.monitor)) fail("the monitor", asif_monitor_error(run.monitor));
  asif_monitor_free(run.monitor);
  ms_queue_destroy(run.queue);
  treiber_stack_destroy(run.stack);
  hazard_destroy(run.hazard);
}

struct cost {
  double cpu, wall, own; /* ns an operation; own: of the threads that make the calls */
};

static struct cost measure_once(void) {
  struct thread threads[THREADS_MOST];
  open_run();
  pthread_barrier_init(&run.start, NULL, (unsigned)run.threads + 1);
  for (int i = 0; i < run.threads; i++) {
    threads[i] = (struct thread){.number = i, .tape = NULL, .cpu = 0};
    if (run.monitor) threads[i].tape = asif_monitor_thread(run.monitor);
    if (run.recorder) threads[i].tape = asif_recorder_thread(run.recorder, NULL);
    if (pthread_create(&threads[i].id, NULL, body, &threads[i])) fail("threads", "cannot be made");
  }
  double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC), own = 0;
  pthread_barrier_wait(&run.start);
  for (int i = 0; i < run.threads; i++) {
    pthread_join(threads[i].id, NULL);
    own += threads[i].cpu;
  }
  if (run.monitor) asif_monitor_poll(run.monitor);
  if (run.recorder) asif_recorder_flush(run.recorder);
  double n = (double)(run.operations / run.threads / 2 * 2 * run.threads) * 1e-9;
  struct cost c = {(seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) / n, (seconds(CLOCK_MONOTONIC) - wall) / n, own / n};
  close_run();
  pthread_barrier_destroy(&run.start);
  return c;
}

static int by_number(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *at, int n) {
  qsort(at, (size_t)n, sizeof *at, by_number);
  return at[n / 2];
}

/* Modes in turn, so that what else the machine does strikes all of them. */
static void measure(const enum mode *modes, int count, int repeats, struct cost *to) {
  static double cpu[MODES][REPEATS_MOST], wall[MODES][REPEATS_MOST], own[MODES][REPEATS_MOST];
  for (int r = 0; r < repeats; r++)
    for (int m = 0; m < count; m++) {
      run.mode = modes[m];
      struct cost c = measure_once();
      cpu[m][r] = c.cpu;
      wall[m][r] = c.wall;
      own[m][r] = c.own;
    }
  for (int m = 0; m < count; m++)
    to[m] = (struct cost){median(cpu[m], repeats), median(wall[m], repeats), median(own[m], repeats)};
}

static void row(enum mode mode, const struct cost *c, const struct cost *none) {
  printf("%s\t%d\t%ld\t%ld\t%s\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\n", object_names[run.object], run.threads, run.operations,
         run.nanoseconds, mode_names[mode], c->cpu, c->wall, c->own, c->cpu / none->cpu, c->wall / none->wall);
  fflush(stdout);
}

static void measure_monitors(long operations, long nanoseconds, int repeats) {
  static const enum mode modes[] = {NONE, INLINE, BACKGROUND, ONE_IN_16, ONE_IN_64};
  enum { COUNT = sizeof modes / sizeof *modes };
  double cpu[COUNT] = {0}, wall[COUNT] = {0};
  int n = 0;
  run.operations = operations;
  set_work(nanoseconds);
  for (run.object = QUEUE; run.object <= STACK; run.object++)
    for (run.threads = 1; run.threads <= THREADS_MOST; run.threads *= 2, n++) {
      struct cost c[COUNT];
      measure(modes, COUNT, repeats, c);
      for (int m = 0; m < COUNT; m++) {
        row(modes[m], &c[m], &c[0]);
        cpu[m] += log(c[m].cpu / c[0].cpu);
        wall[m] += log(c[m].wall / c[0].wall);
      }
    }
  for (int m = 1; m < COUNT; m++)
    printf("# %ld operations, %ld ns of work after each, %s: %.2f of the CPU time, %.2f of the elapsed time (geometric "
           "means)\n",
           operations, nanoseconds, mode_names[modes[m]], exp(cpu[m] / n), exp(wall[m] / n));
}

static void measure_recorder(long operations, int repeats) {
  static const enum mode modes[] = {NONE, RECORD, RECORD_INLINE};
  run.operations = operations;
  set_work(0);
  run.object = LOOP;
  for (run.threads = 1; run.threads <= THREADS_MOST; run.threads *= 2) {
    struct cost c[3];
    measure(modes, 3, repeats, c);
    for (int m = 0; m < 3; m++) row(modes[m], &c[m], &c[0]);
    for (int m = 1; m < 3; m++)
      printf(
          "# %d threads, %s: %.1f ns of CPU time more an operation in all, %.1f ns in the threads that are recorded\n",
          run.threads, mode_names[modes[m]], c[m].cpu - c[0].cpu, c[m].own - c[0].own);
  }
}

/* Tapes are filled, and then the monitor is asked. */
static void measure_events(const char *spec, const char *in, const char *out, int repeats) {
  enum { PAIRS = 400000, TAPES = 4 };
  double rate[REPEATS_MOST];
  for (int r = 0; r < repeats; r++) {
    asif_monitor_options options = {.taker = ASIF_POLLED, .bytes = (size_t)64 << 20};
    asif_monitor *m = asif_monitor_new(spec, K, &options);
    if (asif_monitor_status(m)) fail(spec, asif_monitor_error(m));
    int push = asif_monitor_operation(m, in), pop = asif_monitor_operation(m, out);
    asif_tape *tape[TAPES];
    for (int i = 0; i < TAPES; i++) tape[i] = asif_monitor_thread(m);
    for (long v = 0; v < PAIRS; v++) {
      asif_monitor_call1(tape[v % TAPES], push, v);
      asif_monitor_return(tape[v % TAPES], ASIF_OK);
      asif_monitor_call(tape[(v + 1) % TAPES], pop);
      asif_monitor_return(tape[(v + 1) % TAPES], v);
    }
    uint64_t before = asif_monitor_events(m);
    double cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
    asif_monitor_poll(m);
    rate[r] = (double)(asif_monitor_events(m) - before) / (seconds(CLOCK_THREAD_CPUTIME_ID) - cpu) * 1e-6;
    asif_monitor_free(m);
  }
  printf("# %s: %.1f million events a second on one core, from memory\n", spec, median(rate, repeats));
}

int main(int argc, char **argv) {
  long most = 10000000, nanoseconds = -1;
  int repeats = 3;
  for (int o; (o = getopt(argc, argv, "o:r:w:")) >= 0;) {
    if (o == 'o') most = atol(optarg);
    if (o == 'r') repeats = atoi(optarg);
    if (o == 'w') nanoseconds = atol(optarg);
    if (o == '?') return 2;
  }
  if (repeats < 1 || repeats > REPEATS_MOST / 20) return fail("-r", "1 to 50"), 2;
  long first = nanoseconds < 0 ? 0 : nanoseconds, with_work = most < 300000 ? most : 300000;
  printf("object\tthreads\toperations\twork_ns\tmode\tcpu_ns_per_op\twall_ns_per_op\town_cpu_ns_per_op\tratio\twall_"
         "ratio\n");
  measure_monitors(10000, first, repeats * 20 + 1);
  if (most > 10000) measure_monitors(most, first, repeats);
  if (nanoseconds < 0) {
    measure_monitors(with_work, 100, repeats);
    measure_monitors(with_work, 500, repeats);
  }
  measure_recorder(most < 2000000 ? most : 2000000, repeats);
  measure_events("queue", "enq", "deq", repeats);
  measure_events("stack", "push", "pop", repeats);
  return 0;
}
