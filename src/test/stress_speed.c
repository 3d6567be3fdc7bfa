/* Throughput and latency of the operations, for 1, 2, ... threads, so that implementations can be compared under
 * different loads (Wing and Gong 1993, section 9). Throughput is counted without any recording; latencies are taken in
 * a second run. */
#include <string.h>

#include "test/stress.h"

struct measuring {
  struct mem *mem;
  const struct object *object;
  const struct stress_build *build;
  const struct stress_options *options;
  struct stress_area *area;
  int area_fd;
  struct stress_plan plan;
  double seconds, tick; /* ns */
  struct stress_speeds *out;
  struct problem *why;
};

static bool run(struct measuring *m, unsigned threads, enum stress_kind kind, bool *measured) {
  struct stress_process p;
  *measured = false;
  stress_plan_measure(&m->plan, m->area, threads, kind, m->seconds);
  if (!stress_start(&p, m->area, m->area_fd, m->build, m->why)) return false;
  enum stress_end end = stress_wait(&p, m->area, m->seconds + 2, m->options->interrupted);
  stress_kill(&p);
  stress_said(m->mem, &p);
  *measured = end == STRESS_ENDED;
  if (end == STRESS_STALLED) m->out->failed = "operations did not return";
  if (end == STRESS_DIED) m->out->failed = "the process that ran the object ended badly";
  return true;
}

/* The middle of a bucket, in units of the clock (stress_child.c: bucket_of). */
static double bucket_value(unsigned b) {
  if (b < 16) return b;
  unsigned power = b / 16 + 3;
  return ((double)(b % 16) + 16.5) * (double)((uint64_t)1 << (power - 4));
}

static double percentile(const struct stress_latency *l, double part) {
  uint64_t seen = 0;
  for (unsigned b = 0; b < STRESS_BUCKETS; b++)
    if ((double)(seen += l->bucket[b]) >= part * (double)l->count) return bucket_value(b);
  return 0;
}

static void merge(struct stress_latency *to, const struct stress_latency *l) {
  for (unsigned b = 0; b < STRESS_BUCKETS; b++) to->bucket[b] += l->bucket[b];
  to->count += l->count;
  if (l->most > to->most) to->most = l->most;
}

static void add_one(struct measuring *m, unsigned threads, unsigned op, double per_second,
                    const struct stress_latency *l) {
  struct stress_speed s = {.threads = threads,
                           .op = op,
                           .throughput = per_second,
                           .median = percentile(l, 0.5) * m->tick,
                           .high = percentile(l, 0.99) * m->tick,
                           .most = (double)l->most * m->tick};
  vec_push(m->mem, &m->out->list, s);
}

/* Each operation, and all together. */
static void add(struct measuring *m, unsigned threads, const uint64_t *calls, double seconds) {
  struct stress_latency all = {0};
  uint64_t sum = 0;
  for (unsigned i = 0; i < m->object->op_count; i++) {
    struct stress_latency one = {0};
    for (unsigned t = 0; t < threads; t++) merge(&one, &m->area->latency[t][i]);
    merge(&all, &one);
    sum += calls[i];
    add_one(m, threads, i, (double)calls[i] / seconds, &one);
  }
  add_one(m, threads, m->object->op_count, (double)sum / seconds, &all);
}

static double lasted(struct stress_area *a) { return (double)(atomic_load(&a->ended) - atomic_load(&a->began)) / 1e9; }

static void count_calls(struct measuring *m, unsigned threads, uint64_t *calls) {
  for (unsigned i = 0; i < m->object->op_count; i++) {
    calls[i] = 0;
    for (unsigned t = 0; t < threads; t++) calls[i] += m->area->thread[t].calls[i];
  }
}

/* How long a unit of the clock is. */
static double tick_length(bool ticks) {
#if defined(__x86_64__)
  if (ticks) {
    double from = clock_seconds(), now;
    uint64_t start = __builtin_ia32_rdtsc();
    do now = clock_seconds();
    while (now - from < 0.01);
    return (now - from) * 1e9 / (double)(__builtin_ia32_rdtsc() - start);
  }
#endif
  (void)ticks;
  return 1;
}

static bool measure(struct measuring *m, unsigned most) {
  for (unsigned threads = 1; threads <= most; threads++) {
    uint64_t calls[STRESS_OPS];
    bool measured;
    if (m->options->interrupted && *m->options->interrupted) return true;
    if (!run(m, threads, STRESS_THROUGHPUT, &measured)) return false;
    if (!measured) return true;
    double seconds = lasted(m->area);
    count_calls(m, threads, calls);
    if (!run(m, threads, STRESS_LATENCY, &measured)) return false;
    if (!measured || seconds <= 0) return true;
    if (threads == 1) m->out->recording = (double)m->area->recording * m->tick;
    add(m, threads, calls, seconds);
  }
  return true;
}

bool stress_measure(struct mem *mem, const struct object *o, const struct stress_build *build,
                    const struct stress_options *options, bool fed, double seconds, struct stress_speeds *out,
                    struct problem *why) {
  unsigned most = stress_threads_most(options, o);
  struct measuring m = {
      .mem = mem, .object = o, .build = build, .options = options, .seconds = seconds, .out = out, .why = why};
  memset(out, 0, sizeof *out);
  m.area = stress_area_new(most, STRESS_CALLS_MOST, &m.area_fd, why);
  if (!m.area) return false;
  m.plan = (struct stress_plan){.mem = mem, .object = o, .options = options, .fed = fed, .random = options->seed};
  stress_area_describe(mem, m.area, o);
  m.tick = tick_length(m.area->ticks);
  bool good = measure(&m, most);
  stress_area_free(m.area, most, STRESS_CALLS_MOST, m.area_fd);
  return good;
}
