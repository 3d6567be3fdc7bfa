/* Operations of one process that touch, against the definition: intervals overlap if they touch, but for those of one
 * process. */
#include <limits.h>
#include <string.h>

#include "brute.h"
#include "check/check.h"
#include "evidence/evidence.h"
#include "history/format.h"
#include "history/intervals.h"
#include "test.h"

enum { OPERATIONS = 7 };

/* What may be seen at a coarse clock: times are few, and no process overlaps itself. */
static struct history *coarse_history(struct mem *m, struct spec *spec, uint64_t *seed) {
  struct random_options options = {OPERATIONS, random_next(seed) & 1, true, false, random_next(seed) % 4 == 0, false,
                                   0};
  bool *precedes;
  struct history *fine = random_history(m, spec, seed, &options, &precedes), *h = history_new(m, "coarse");
  int64_t tick = 2 + (int64_t)(random_next(seed) % 4);
  h->values = fine->values;
  h->processes = fine->processes;
  h->objects = fine->objects;
  h->in_turn = true;
  for (size_t i = 0; i < fine->ops.count; i++) {
    const struct op *o = &fine->ops.at[i];
    history_interval(h, o->process, 0, o->method, o->arg, OP_ARGS, o->result, fine->call_time[i] / tick,
                     op_pending(o) ? INT64_MAX : fine->ret_time[i] / tick, (uint32_t)i);
  }
  history_finish(h);
  return h;
}

static bool *known_order(struct mem *m, const struct history *h) {
  size_t n = h->ops.count;
  bool *precedes = mem_zero(m, n * n + 1, sizeof *precedes);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      precedes[i * n + j] = !op_pending(&h->ops.at[i]) && (h->ret_time[i] < h->call_time[j] ||
                                                           (h->ops.at[i].process == h->ops.at[j].process && i < j));
  return precedes;
}

static void compare(const char *name, long count) {
  volatile long good = 0, bad = 0, tied = 0, unknown = 0, touching = 0;
  for (volatile long i = 0; i < count; i++) {
    uint64_t seed = (uint64_t)i * 2654435761u + 29;
    struct mem m;
    struct spec spec;
    struct problem why;
    struct limits limits;
    struct check_options options = {i % 3 ? METHOD_AUTO : METHOD_SEARCH, 1, i % 2};
    struct check_result r;
    limits_start(&limits, 0, 0);
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    CHECKF(spec_named(name, &spec, &why), "%s", why.text);
    struct history *h = coarse_history(&m, &spec, &seed);
    uint32_t a, b;
    if (history_overlap(h, &m, &a, &b)) { /* it would be refused */
      mem_close(&m);
      continue;
    }
    enum verdict want = brute_linearizable(h, &spec, known_order(&m, h)) ? VERDICT_HOLDS : VERDICT_VIOLATED;
    *(want == VERDICT_HOLDS ? &good : &bad) += 1;
    tied += h->tied;
    touching += h->touches;
    CHECKF(h->tied || (brute_linearizable(h, &spec, NULL) ? VERDICT_HOLDS : VERDICT_VIOLATED) == want,
           "%s: history %ld: the order of the events is not that of the times", name, i);
    struct history *answered = h;
    CHECKF(check_touching(&m, &answered, &spec, &options, &limits, &r, &why), "%s: history %ld: %s", name, i, why.text);
    unknown += r.verdict == VERDICT_UNKNOWN;
    if (r.verdict != want) {
      fprintf(stderr, "%s: history %ld: %d, not %d\n", name, i, (int)r.verdict, (int)want);
      history_dump(h, &spec);
      test_fail(__FILE__, __LINE__, "what touches is judged in another way than by definition");
    }
    CHECK(!history_overlap(answered, &m, &a, &b));
    mem_close(&m);
  }
  fprintf(stderr, "%s: %ld linearizable, %ld not; %ld touch, %ld are tied, %ld unknown\n", name, good, bad, touching,
          tied, unknown);
  CHECK(good > count / 100 && bad > count / 100 && touching > count / 20 && tied > count / 500);
  CHECK(!unknown);
}

TEST(touching_operations_of_queues) { compare("queue", 20000); }
TEST(touching_operations_of_registers) { compare("cas-register", 20000); }
TEST(touching_operations_of_locks) { compare("lock", 20000); }
TEST(touching_operations_of_producers) { compare("producer-fifo", 20000); }
TEST(touching_operations_of_maps) { compare("map", 20000); }

static void (*init_of_register)(const struct spec *, struct outcomes *);
static struct limits *limits_to_reach;
static long inits, inits_most;

/* What is decided from then on stops where it looks at the limits. */
static void init_within_a_limit(const struct spec *spec, struct outcomes *out) {
  if (++inits > inits_most) limits_reach(limits_to_reach, LIMIT_TIME);
  init_of_register(spec, out);
}

/* The history after so many writes that a search looks at the limits before it comes to it. */
static struct history *after_writes(struct mem *m, struct spec *spec, uint64_t *seed) {
  enum { WRITES = 200 };
  struct history *late = coarse_history(m, spec, seed), *h = history_new(m, "late");
  const struct op *write = NULL;
  h->values = late->values;
  h->processes = late->processes;
  h->objects = late->objects;
  h->in_turn = true;
  for (size_t i = 0; i < late->ops.count && !write; i++)
    if (!strncmp(spec->ops[late->ops.at[i].method].names, "write", 5) && !op_pending(&late->ops.at[i]))
      write = &late->ops.at[i];
  for (int i = 0; write && i < WRITES; i++)
    history_interval(h, write->process, 0, write->method, write->arg, OP_ARGS, write->result, 3 * i - 4 * WRITES,
                     3 * i + 1 - 4 * WRITES, (uint32_t)i);
  for (size_t i = 0; i < late->ops.count; i++) {
    const struct op *o = &late->ops.at[i];
    history_interval(h, o->process, 0, o->method, o->arg, OP_ARGS, o->result, late->call_time[i],
                     op_pending(o) ? INT64_MAX : late->ret_time[i], (uint32_t)(WRITES + i));
  }
  history_finish(h);
  return h;
}

/* Of a reading that a limit ended, what is told is still there afterwards. */
TEST(touching_operations_undecided_by_a_limit_are_told) {
  volatile uint64_t seed = 29;
  volatile long told = 0;
  for (volatile int found = 0; found < 3;) {
    struct mem m;
    struct spec spec;
    struct problem why;
    struct limits limits;
    struct check_options options = {METHOD_SEARCH, 1, false};
    struct check_result r;
    uint64_t next = seed;
    limits_start(&limits, 0, 0);
    mem_open(&m, &limits);
    if (MEM_GUARD(&m)) abort();
    CHECKF(spec_named("cas-register", &spec, &why), "%s", why.text);
    struct history *h = after_writes(&m, &spec, &next), *answered = h;
    seed = next;
    init_of_register = spec.init;
    spec.init = init_within_a_limit;
    limits_to_reach = &limits;
    inits = 0;
    inits_most = LONG_MAX;
    CHECKF(check_history(&m, h, &spec, &options, &limits, &r, &why), "%s", why.text);
    if (h->tied && r.verdict == VERDICT_VIOLATED) {
      found++;
      inits_most = inits;
      inits = 0;
      CHECKF(check_touching(&m, &answered, &spec, &options, &limits, &r, &why), "%s", why.text);
      told += r.verdict == VERDICT_UNKNOWN;
      if (r.verdict == VERDICT_UNKNOWN)
        CHECKF(!strcmp(r.method, "search") && strstr(r.reason, "the time limit was reached"), "%s: %s", r.method,
               r.reason);
    }
    mem_close(&m);
  }
  CHECK(told);
}
