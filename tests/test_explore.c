/* Exploring schedules: every strategy against brute force on random programs (mock_run.c), then on real code. */
#include <string.h>

#include "base/hash.h"
#include "mock_run.h"
#include "test.h"
#include "test/explore.h"

enum { MANY = 1500 };                                        /* programs with more schedules are skipped */
enum cost { BOUND_DELAYS, BOUND_PREEMPTIONS, BOUND_ROUNDS }; /* as the strategies from EXPLORE_DELAYS on */

enum { OPS = MOCK_CALLS };
struct seen {
  uint64_t schedule, history;
  struct hash trace, met; /* met: without the order of calls and returns */
  uint64_t cause;         /* of a run that ended in the middle: hash of what happened before its last step */
  uint64_t met_cause;     /* the same without the order of calls and returns */
  long result[MOCK_THREADS * OPS];
  uint8_t happened[MOCK_THREADS * OPS]; /* 1: it was called, 2: it returned */
  enum found found;
  uint64_t results;                    /* what was called and returned, in any order */
  uint64_t before[MOCK_THREADS * OPS]; /* operations that returned before each was called */
  unsigned cost[3];                    /* by enum cost */
  bool crash;                          /* ended in the middle */
};
struct list {
  struct mem *mem;
  VEC(struct seen) all;
  unsigned most[3]; /* cost of any, those that were refused included */
};

static uint64_t mixed(uint64_t h, uint64_t x) { return hash_mix(h * 31 + x + 1); }

/* Calls in a row commute, and so do returns. */
static uint64_t history_of(const struct run *r) {
  uint64_t h = r->found;
  for (size_t i = 0; i < r->moment_count;) {
    uint64_t group = 0;
    bool returns = r->moments[i].is_return;
    for (; i < r->moment_count && r->moments[i].is_return == returns; i++)
      group += mixed(mixed(r->moments[i].fiber * 1000 + r->moments[i].call, returns), (uint64_t)r->moments[i].result);
    h = mixed(h, group);
  }
  return h;
}

/* By definition. */
static void costs_of(const struct run *r, unsigned cost[3]) {
  memset(cost, 0, 3 * sizeof *cost);
  for (size_t i = 0; i < r->count; i++) {
    const struct step *s = &r->steps[i];
    bool yielded = i && r->steps[i - 1].flags & STEP_YIELDED, could = i && s->enabled >> s->before & 1;
    unsigned f = yielded ? s->before + 1u : s->before;
    for (; f % 64 != s->fiber; f++) cost[BOUND_DELAYS] += s->enabled >> f % 64 & 1;
    cost[BOUND_PREEMPTIONS] += i && could && !yielded && s->fiber != s->before;
    cost[BOUND_ROUNDS] += !i || s->fiber < s->before || (s->fiber == s->before && yielded);
    cost[BOUND_DELAYS] += s->block > 0 && s->blocks;
    cost[BOUND_PREEMPTIONS] += s->block > 0 && s->blocks;
  }
}

/* The order of the operations: each has the number of its thread and which of its it is. */
static void order_of(const struct run *r, struct seen *s) {
  uint64_t returned = 0;
  unsigned called[MOCK_THREADS] = {0};
  s->results = s->found = r->found;
  for (size_t i = 0; i < r->moment_count; i++) {
    const struct moment *m = &r->moments[i];
    unsigned op = m->fiber * OPS + called[m->fiber];
    CHECK(called[m->fiber] < OPS);
    s->results += mixed(mixed(op, m->is_return), (uint64_t)m->result);
    s->happened[op] = 1 + m->is_return;
    if (m->is_return) s->result[op] = m->result;
    if (m->is_return)
      returned |= (uint64_t)1 << op, called[m->fiber]++;
    else
      s->before[op] = returned;
  }
}

static struct hash met_of(struct mem *mem, const struct run *r, uint64_t *last) {
  struct trace t;
  trace_open(&t, mem, r->client->threads);
  t.apart = true;
  trace_follow(&t, r->steps, r->count, 0);
  *last = r->count ? t.events.at[r->count - 1].hash.low : 0;
  return trace_hash(&t);
}

static struct seen look(struct mem *mem, const struct run *r) {
  struct seen s = {.schedule = 1, .history = history_of(r), .trace = trace_of(mem, r)};
  s.met = met_of(mem, r, &s.met_cause);
  order_of(r, &s);
  s.crash = r->found && r->found != FOUND_DEADLOCK && r->found != FOUND_LIVELOCK;
  if (s.crash && r->count) {
    struct trace t;
    trace_open(&t, mem, r->client->threads);
    trace_follow(&t, r->steps, r->count, 0);
    s.cause = t.events.at[r->count - 1].hash.low;
  }
  for (size_t i = 0; i < r->count; i++) s.schedule = mixed(s.schedule, r->steps[i].fiber * 256u + r->steps[i].block);
  costs_of(r, s.cost);
  return s;
}

static enum visit collect(void *self, const struct run *r) {
  struct list *l = self;
  vec_push(l->mem, &l->all, look(l->mem, r));
  return VISIT_ON;
}

/* Brute force: all schedules, by trying every choice after every sequence of choices. */
struct brute {
  struct list *list;
  struct choice choices[400];
  size_t count;
  uint64_t enabled;
  bool ended, cannot;
  bool too_many, is_long;
};

static int stop_there(void *self, const struct run *r, struct choice *c) {
  struct brute *b = self;
  (void)c;
  b->enabled = r->enabled;
  b->ended = false;
  return CHOOSE_STOP;
}

static void brute(struct brute *b) {
  if (b->too_many) return;
  struct plan plan = {.choices = b->choices, .count = b->count, .choose = stop_there, .context = b};
  struct problem problem;
  b->ended = true;
  const struct run *r = mock_execute(mock_client(), &plan, &problem);
  CHECKF(r, "%s", problem.text);
  unsigned blocks = b->count && !b->choices[b->count - 1].block ? r->steps[b->count - 1].blocks : 0;
  if (b->ended) {
    b->is_long |= r->end == RUN_LONG;
    unsigned cost[3];
    costs_of(r, cost);
    for (int by = 0; by < 3; by++)
      if (cost[by] > b->list->most[by]) b->list->most[by] = cost[by];
    if (r->end != RUN_CANNOT) collect(b->list, r);
    b->too_many |= b->list->all.count > MANY;
  } else {
    uint64_t enabled = b->enabled;
    for (unsigned f = 0; f < MOCK_THREADS; f++) {
      if (!(enabled >> f & 1)) continue;
      b->choices[b->count++] = (struct choice){(uint8_t)f, 0};
      brute(b);
      b->count--;
    }
  }
  for (unsigned k = 1; k < blocks; k++) {
    b->choices[b->count - 1].block = (uint8_t)k;
    brute(b);
  }
  if (blocks) b->choices[b->count - 1].block = 0;
}

/* Comparing. */
static int by_schedule(const void *x, const void *y) {
  const struct seen *a = x, *b = y;
  return a->schedule < b->schedule ? -1 : a->schedule > b->schedule;
}
static int by_trace(const void *x, const void *y) {
  const struct seen *a = x, *b = y;
  if (a->trace.low != b->trace.low) return a->trace.low < b->trace.low ? -1 : 1;
  return a->trace.high < b->trace.high ? -1 : a->trace.high > b->trace.high;
}
static int by_cause(const void *x, const void *y) {
  const struct seen *a = x, *b = y;
  return a->cause < b->cause ? -1 : a->cause > b->cause;
}
static int by_met(const void *x, const void *y) {
  const struct seen *a = x, *b = y;
  if (a->met.low != b->met.low) return a->met.low < b->met.low ? -1 : 1;
  return a->met.high < b->met.high ? -1 : a->met.high > b->met.high;
}
static int by_met_cause(const void *x, const void *y) {
  const struct seen *a = x, *b = y;
  return a->met_cause < b->met_cause ? -1 : a->met_cause > b->met_cause;
}
static int by_history(const void *x, const void *y) {
  const struct seen *a = x, *b = y;
  return a->history < b->history ? -1 : a->history > b->history;
}

typedef int order(const void *, const void *);
static void keep_one_each(struct list *l, order *by) {
  size_t kept = 0;
  if (l->all.count) qsort(l->all.at, l->all.count, sizeof *l->all.at, by);
  for (size_t i = 0; i < l->all.count; i++)
    if (!kept || by(&l->all.at[kept - 1], &l->all.at[i])) l->all.at[kept++] = l->all.at[i];
  l->all.count = kept;
}

static struct list copy(const struct list *from, int cost, unsigned most) {
  struct list l = {.mem = from->mem};
  for (size_t i = 0; i < from->all.count; i++)
    if (cost < 0 || from->all.at[i].cost[cost] <= most) vec_push(l.mem, &l.all, from->all.at[i]);
  return l;
}

static bool same(struct list x, struct list y, order *by) {
  struct list a = copy(&x, -1, 0), b = copy(&y, -1, 0);
  keep_one_each(&a, by);
  keep_one_each(&b, by);
  if (a.all.count != b.all.count) return false;
  for (size_t i = 0; i < a.all.count; i++)
    if (by(&a.all.at[i], &b.all.at[i])) return false;
  return true;
}

static size_t distinct(const struct list *from, order *by) {
  struct list l = copy(from, -1, 0);
  keep_one_each(&l, by);
  return l.all.count;
}

static struct list explored(struct mem *mem, const struct explore_options *o, const struct share *share,
                            struct explore_counts *counts) {
  struct list l = {.mem = mem};
  struct problem problem;
  CHECKF(explore_with(mock_execute, mock_client(), o, share, NULL, collect, &l, counts, &problem), "%s", problem.text);
  return l;
}

static unsigned number_of_programs(unsigned usually) {
  const char *n = getenv("ASIF_TEST_PROGRAMS");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  usually /= 5;
#endif
  return n ? (unsigned)atoi(n) : getenv("ASIF_LONG") ? 20 * usually : usually;
}

static uint64_t seed_given(void) {
  const char *n = getenv("ASIF_TEST_SEED");
  return n ? strtoull(n, NULL, 10) * 1000003 : 0;
}

static bool any_write; /* of the programs */
static const struct mock_program *used;

/* Checks the program with all its schedules, unless they are too many. */
static bool check_program(const struct mock_program *p, void (*check)(struct list *)) {
  struct mem mem;
  struct list list = {.mem = &mem};
  struct brute b = {.list = &list};
  mock_use(p);
  used = p;
  mem_open(&mem, NULL);
  brute(&b);
  bool good = !b.too_many && !b.is_long;
  if (good && getenv("ASIF_TEST_SHOW")) mock_print(p);
  if (good) check(&list);
  mem_close(&mem);
  return good;
}

static void each_program(unsigned count, uint64_t seed, unsigned features, unsigned length,
                         void (*check)(struct list *)) {
  struct mock_program p;
  for (unsigned done = 0; done < count;) {
    mock_random(&p, &seed, features, length);
    p.any_write = any_write;
    done += check_program(&p, check);
  }
}

/* Programs with one thing that threads do, and with all of them: how many operations a thread has at most. */
static void each_feature(void (*check)(const char *what, unsigned features, unsigned length)) {
  check("memory", 0, 5);
  check("calls", MOCK_WITH_CALLS, 5);
  check("blocks", MOCK_WITH_BLOCKS | MOCK_WITH_YIELDS, 4);
  check("blocks that allocate", MOCK_WITH_BLOCKS | MOCK_WITH_HEAP | MOCK_WITH_LOCKS, 4);
  check("blocks and parts", MOCK_WITH_BLOCKS | MOCK_WITH_PARTS, 4);
  check("locks", MOCK_WITH_LOCKS, 4);
  check("spins", MOCK_WITH_SPINS, 4);
  check("threads", MOCK_WITH_THREADS, 4);
  check("heap", MOCK_WITH_HEAP, 4);
  check("findings", MOCK_WITH_FINDINGS, 4);
  check("parts", MOCK_WITH_PARTS, 4);
  check("all", MOCK_WITH_ALL, 4);
}

static void check_all(struct list *brute_list) {
  struct explore_counts counts;
  struct list l =
      explored(brute_list->mem, &(struct explore_options){.strategy = &strategies[EXPLORE_ALL], .count_traces = true},
               NULL, &counts);
  CHECK(counts.complete && counts.schedules == l.all.count);
  CHECK(l.all.count == brute_list->all.count && same(l, *brute_list, by_schedule));
  CHECK(counts.traces == distinct(brute_list, by_trace));
  l = explored(brute_list->mem, &(struct explore_options){.strategy = &strategies[EXPLORE_ALL], .cache = true}, NULL,
               &counts);
  CHECK(counts.complete && same(l, *brute_list, by_trace) && same(l, *brute_list, by_history));
  CHECK(counts.traces == distinct(brute_list, by_trace));
}

TEST(explore_all) { each_program(number_of_programs(250), 1, MOCK_WITH_ALL, 4, check_all); }

static void check_bounds(struct list *all) {
  struct explore_counts counts;
  for (int by = 0; by < 3; by++) {
    unsigned most = all->most[by];
    for (unsigned bound = by == BOUND_ROUNDS; bound <= most + 1;
         bound = bound < 3 || bound == most + 1 ? bound + 1 : most + 1) {
      struct list within = copy(all, by, bound);
      struct explore_options o = {.strategy = &strategies[EXPLORE_DELAYS + by], .bound = bound};
      struct list l = explored(all->mem, &o, NULL, &counts);
      CHECKF(l.all.count == within.all.count, "by %d, bound %u: %zu schedules instead of %zu", by, bound, l.all.count,
             within.all.count);
      CHECK(same(l, within, by_schedule) && counts.schedules == l.all.count);
      if (counts.complete)
        CHECK(within.all.count == all->all.count);
      else
        CHECK(bound <= most && counts.bound == bound);
      for (size_t i = 1; i < l.all.count; i++)
        CHECK(l.all.at[i - 1].cost[by] <= l.all.at[i].cost[by]); /* the cheap ones first */
      o.cache = true;
      struct list cached = explored(all->mem, &o, NULL, &counts);
      CHECKF(same(cached, within, by_trace), "by %d, bound %u: caching loses a trace", by, bound);
      CHECK(same(cached, within, by_history));
      CHECK(counts.traces == distinct(&within, by_trace));
    }
  }
}

TEST(explore_bounds) { each_program(number_of_programs(120), 2 + seed_given(), MOCK_WITH_ALL, 4, check_bounds); }

/* Schedules that are not run because they are like another: they count, and no trace, history or finding is lost with
 * them. `within`: those within the bound. */
static uint64_t skipped, unskipped;
static void compare_skipping(struct mem *mem, unsigned bound, const struct list *within,
                             const struct explore_counts *whole) {
  struct explore_counts counts;
  struct explore_options o = {.strategy = &strategies[EXPLORE_DELAYS], .bound = bound, .skip = true};
  struct list l = explored(mem, &o, NULL, &counts);
  CHECKF(counts.schedules == within->all.count, "bound %u: %llu schedules instead of %zu", bound,
         (unsigned long long)counts.schedules, within->all.count);
  CHECK(counts.schedules == l.all.count + counts.skipped);
  CHECKF(counts.complete == whole->complete && counts.bound == whole->bound,
         "bound %u: complete %d not %d, bound %u not %u", bound, counts.complete, whole->complete, counts.bound,
         whole->bound);
  CHECKF(same(l, *within, by_trace), "bound %u: skipping loses a trace", bound);
  CHECK(same(l, *within, by_history) && same(l, *within, by_cause));
  skipped += counts.skipped;
  unskipped += l.all.count;
}

static void check_skipping(struct list *all) {
  struct explore_counts whole;
  unsigned most = all->most[BOUND_DELAYS];
  for (unsigned bound = 0; bound <= most + 1; bound = bound < 6 || bound == most + 1 ? bound + 1 : most + 1) {
    struct list within = copy(all, BOUND_DELAYS, bound);
    explored(all->mem, &(struct explore_options){.strategy = &strategies[EXPLORE_DELAYS], .bound = bound}, NULL,
             &whole);
    compare_skipping(all->mem, bound, &within, &whole);
  }
}

static void check_skipping_on(const char *what, unsigned features, unsigned length) {
  skipped = unskipped = 0;
  each_program(number_of_programs(100), features + 11 + seed_given(), features, length, check_skipping);
  fprintf(stderr, "%s: %llu run, %llu skipped\n", what, (unsigned long long)unskipped, (unsigned long long)skipped);
  CHECK(skipped > 0);
}

TEST(explore_skipping) { each_feature(check_skipping_on); }

/* Programs with too many schedules for brute force: with and without skipping. */
static void check_large(unsigned features, uint64_t *seed) {
  struct mem mem;
  struct mock_program p;
  struct explore_counts whole;
  mem_open(&mem, NULL);
  mock_random(&p, seed, features | MOCK_LARGE, 5);
  p.any_write = any_write;
  mock_use(&p);
  for (unsigned bound = 2; bound < 7; bound++) {
    struct list within = explored(
        &mem, &(struct explore_options){.strategy = &strategies[EXPLORE_DELAYS], .bound = bound}, NULL, &whole);
    compare_skipping(&mem, bound, &within, &whole);
    if (whole.complete || whole.schedules > 4000) break;
  }
  mem_close(&mem);
}

TEST(explore_skipping_in_large_programs) {
  uint64_t seed = 17 + seed_given();
  for (unsigned i = number_of_programs(100); i-- > 0;) check_large(i % 2 ? MOCK_WITH_CALLS : 0, &seed);
}

/* When a thread is seen to spin, all that is written matters. */
TEST(explore_skipping_past_spinning) {
  uint64_t seed = 19 + seed_given();
  any_write = true;
  each_program(number_of_programs(250), 1234 + seed, MOCK_WITH_SPINS, 3, check_skipping);
  for (unsigned i = number_of_programs(60); i-- > 0;)
    check_large(i % 2 ? MOCK_WITH_SPINS | MOCK_WITH_CALLS : MOCK_WITH_SPINS, &seed);
}

static uint64_t redundant, runs, ordered;
/* Those that ended in the middle, or the others. */
static struct list only(const struct list *from, bool crash) {
  struct list l = {.mem = from->mem};
  for (size_t i = 0; i < from->all.count; i++)
    if (from->all.at[i].crash == crash) vec_push(l.mem, &l.all, from->all.at[i]);
  return l;
}

static void check_dpor(struct list *all) {
  struct explore_counts counts;
  struct list l = explored(all->mem, &(struct explore_options){.strategy = &strategies[EXPLORE_DPOR]}, NULL, &counts);
  struct list whole = only(all, false), mine = only(&l, false);
  CHECK(counts.complete);
  CHECKF(distinct(&mine, by_trace) == mine.all.count || counts.schedules < l.all.count /* it began anew */,
         "%zu runs of %zu traces", mine.all.count, distinct(&mine, by_trace));
  CHECKF(same(mine, whole, by_trace), "%zu traces instead of %zu", mine.all.count, distinct(&whole, by_trace));
  CHECK(same(mine, whole, by_history));
  whole = only(all, true);
  mine = only(&l, true);
  CHECKF(same(mine, whole, by_cause), "%zu findings instead of %zu", distinct(&mine, by_cause),
         distinct(&whole, by_cause));
  redundant += counts.cut;
  runs += counts.schedules;
}

/* Is there one with the same results, and no fewer operations in order? */
static bool has_stricter(const struct list *l, const struct seen *s) {
  for (size_t i = 0; i < l->all.count; i++) {
    const struct seen *o = &l->all.at[i];
    bool stricter = o->results == s->results;
    for (unsigned k = 0; stricter && k < MOCK_THREADS * OPS; k++) stricter = !(s->before[k] & ~o->before[k]);
    if (stricter) return true;
  }
  return false;
}

static void compare_orders(const struct list *all, const struct list *l, const struct explore_counts *counts) {
  struct list whole = only(all, false), mine = only(l, false);
  CHECK(counts->complete);
  CHECKF(same(mine, whole, by_met), "%zu traces instead of %zu", distinct(&mine, by_met), distinct(&whole, by_met));
  CHECKF(counts->schedules - counts->orders == distinct(&mine, by_met) + only(l, true).all.count,
         "%llu runs of %zu traces", (unsigned long long)(counts->schedules - counts->orders), distinct(&mine, by_met));
  for (size_t i = 0; i < whole.all.count; i++) CHECK(has_stricter(&mine, &whole.all.at[i]));
  struct list both = copy(&whole, -1, 0);
  for (size_t i = 0; i < mine.all.count; i++) vec_push(both.mem, &both.all, mine.all.at[i]);
  CHECK(same(both, whole, by_history)); /* there is no other */
  whole = only(all, true);
  mine = only(l, true);
  CHECKF(same(mine, whole, by_met_cause), "%zu findings instead of %zu", distinct(&mine, by_met_cause),
         distinct(&whole, by_met_cause));
}

/* One schedule of each trace without calls and returns, and those for the other orders of these. */
static void check_orders(struct list *all) {
  struct explore_counts counts;
  struct explore_options o = {.strategy = &strategies[EXPLORE_DPOR], .orders = true};
  struct list l = explored(all->mem, &o, NULL, &counts);
  compare_orders(all, &l, &counts);
  redundant += counts.cut;
  runs += counts.schedules;
  ordered += counts.orders;
}

static void check_orders_on(const char *what, unsigned features, unsigned length) {
  runs = redundant = ordered = 0;
  each_program(number_of_programs(100), features + 23 + seed_given(), features | MOCK_WITH_CALLS, length, check_orders);
  fprintf(stderr, "%s: %llu runs, %llu of them for other orders, %llu redundant\n", what, (unsigned long long)runs,
          (unsigned long long)ordered, (unsigned long long)redundant);
  CHECK(ordered > 0);
}

TEST(explore_orders) { each_feature(check_orders_on); }

/* Threads that do the same, exchanged. */

static uint64_t permuted(uint64_t ops, const unsigned *to) {
  uint64_t out = 0;
  for (; ops; ops &= ops - 1) {
    unsigned op = (unsigned)__builtin_ctzll(ops);
    out |= (uint64_t)1 << (to[op / OPS] * OPS + op % OPS);
  }
  return out;
}

/* Is `o` as `s` is with its threads renamed, and no fewer operations in order? */
static bool is_stricter_as(const struct seen *o, const struct seen *s, const unsigned *to) {
  if (o->found != s->found) return false;
  for (unsigned k = 0; k < MOCK_THREADS * OPS; k++) {
    unsigned n = to[k / OPS] * OPS + k % OPS;
    if (o->happened[n] != s->happened[k] || o->result[n] != s->result[k]) return false;
    if (permuted(s->before[k], to) & ~o->before[n]) return false;
  }
  return true;
}

static bool has_renamed(const struct list *l, const struct seen *s, unsigned *to, unsigned thread) {
  if (thread == MOCK_THREADS) {
    for (size_t i = 0; i < l->all.count; i++)
      if (is_stricter_as(&l->all.at[i], s, to)) return true;
    return false;
  }
  for (unsigned t = 0; t < MOCK_THREADS; t++) {
    bool taken = false;
    for (unsigned u = 0; u < thread; u++) taken |= to[u] == t;
    bool alike =
        t == thread || (t < used->threads && thread < used->threads && mock_like(used, t) == mock_like(used, thread));
    to[thread] = t;
    if (!taken && alike && has_renamed(l, s, to, thread + 1)) return true;
  }
  return false;
}

static uint64_t exchanged;
static void check_alike(struct list *all) {
  struct explore_counts counts, whole;
  struct explore_options o = {.strategy = &strategies[EXPLORE_DPOR], .orders = true};
  unsigned to[MOCK_THREADS], kinds = 0, mine = 0;
  explored(all->mem, &o, NULL, &whole);
  o.alike = true;
  struct list l = explored(all->mem, &o, NULL, &counts);
  CHECK(counts.complete);
  for (size_t i = 0; i < l.all.count; i++) mine |= 1u << l.all.at[i].found;
  for (size_t i = 0; i < all->all.count; i++) {
    const struct seen *s = &all->all.at[i];
    kinds |= 1u << s->found;
    CHECKF(s->crash || has_renamed(&l, s, to, 0), "a history is missed: %zu runs", l.all.count);
  }
  CHECKF(kinds == mine, "found %x instead of %x", mine, kinds);
  struct list both = copy(all, -1, 0);
  for (size_t i = 0; i < l.all.count; i++) vec_push(both.mem, &both.all, l.all.at[i]);
  CHECK(same(both, *all, by_history)); /* there is no other */
  exchanged += counts.schedules - counts.orders;
  runs += whole.schedules - whole.orders;
}

TEST(explore_alike) {
  static const unsigned features[] = {MOCK_WITH_CALLS,
                                      MOCK_WITH_CALLS | MOCK_WITH_LOCKS,
                                      MOCK_WITH_CALLS | MOCK_WITH_FINDINGS | MOCK_WITH_LOCKS,
                                      MOCK_WITH_CALLS | MOCK_WITH_BLOCKS | MOCK_WITH_YIELDS,
                                      MOCK_WITH_CALLS | MOCK_WITH_PARTS,
                                      MOCK_WITH_CALLS | MOCK_WITH_SPINS};
  for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
    exchanged = runs = 0;
    each_program(number_of_programs(60), 31 + i + seed_given(), features[i] | MOCK_ALIKE, 4, check_alike);
    fprintf(stderr, "%llu traces instead of %llu\n", (unsigned long long)exchanged, (unsigned long long)runs);
    CHECK(exchanged < runs);
  }
}

static void check_dpor_on(const char *what, unsigned features, unsigned length) {
  runs = redundant = 0;
  each_program(number_of_programs(250), features + 7 + seed_given(), features, length, check_dpor);
  fprintf(stderr, "%s: %llu runs, %llu redundant\n", what, (unsigned long long)runs, (unsigned long long)redundant);
}

TEST(explore_dpor) {
  each_feature(check_dpor_on);
  for (unsigned i = 1; i < 20; i++)
    each_program(number_of_programs(20), i + seed_given(), i * 77 % (2 * MOCK_WITH_PARTS), 4, check_dpor);
}

/* A search divided among workers: together they do what one does, and nothing twice. */
static struct list divided(struct list *all, const struct explore_options *o, bool taken, struct explore_counts *sum) {
  struct list l = {.mem = all->mem};
  _Atomic uint64_t next = 0;
  struct share share = {.workers = 3, .next = taken ? &next : NULL};
  *sum = (struct explore_counts){.complete = true};
  if (o->cache) share.states = hashes_open(1 << 20), share.traces = hashes_open(1 << 20);
  for (; share.worker < share.workers; share.worker++) {
    struct explore_counts counts;
    struct list part = explored(all->mem, o, &share, &counts);
    for (size_t i = 0; i < part.all.count; i++) vec_push(l.mem, &l.all, part.all.at[i]);
    sum->schedules += counts.schedules;
    sum->orders += counts.orders;
    sum->traces += counts.traces;
    sum->complete &= counts.complete;
  }
  hashes_close(share.states);
  hashes_close(share.traces);
  return l;
}

static void check_divided(struct list *all) {
  struct explore_counts counts;
  struct list whole = only(all, false),
              l = divided(all, &(struct explore_options){.strategy = &strategies[EXPLORE_ALL]}, false, &counts);
  CHECK(counts.complete && l.all.count == all->all.count && same(l, *all, by_schedule));
  struct explore_options o = {.strategy = &strategies[EXPLORE_PREEMPTIONS], .bound = 2};
  struct list within = copy(all, BOUND_PREEMPTIONS, 2);
  l = divided(all, &o, false, &counts);
  CHECK(l.all.count == within.all.count && same(l, within, by_schedule));
  struct explore_options delays = {.strategy = &strategies[EXPLORE_DELAYS], .bound = 4, .skip = true};
  struct list delayed = copy(all, BOUND_DELAYS, 4);
  l = divided(all, &delays, false, &counts);
  CHECK(counts.schedules == delayed.all.count && same(l, delayed, by_trace) && same(l, delayed, by_history) &&
        same(l, delayed, by_cause));
  o.cache = true;
  l = divided(all, &o, false, &counts);
  CHECK(same(l, within, by_trace) && counts.traces == distinct(&within, by_trace));
  for (int taken = 0; taken < 2; taken++) {
    l = divided(all, &(struct explore_options){.strategy = &strategies[EXPLORE_DPOR]}, taken, &counts);
    l = only(&l, false);
    CHECK(counts.complete);
    CHECKF(distinct(&l, by_trace) == l.all.count, "%zu runs of %zu traces", l.all.count, distinct(&l, by_trace));
    CHECKF(same(l, whole, by_trace), "%zu traces instead of %zu", l.all.count, distinct(&whole, by_trace));
    struct explore_options ordered_too = {.strategy = &strategies[EXPLORE_DPOR], .orders = true};
    l = divided(all, &ordered_too, taken, &counts);
    compare_orders(all, &l, &counts);
  }
}

TEST(explore_divided) {
  each_program(number_of_programs(150), 5 + seed_given(), MOCK_WITH_ALL, 4, check_divided);
  each_program(number_of_programs(50), 9 + seed_given(), MOCK_WITH_PARTS, 4, check_divided);
}

/* What spins can go on after any write, in the runtime: then loops go round more or less often, but the histories are
 * the same. */
static void check_any_write(struct list *all) {
  struct explore_counts counts;
  struct list l = explored(all->mem, &(struct explore_options){.strategy = &strategies[EXPLORE_DPOR]}, NULL, &counts);
  struct list whole = only(all, false), mine = only(&l, false);
  CHECK(counts.complete && same(mine, whole, by_history));
}

TEST(explore_spinning) {
  any_write = true;
  each_program(number_of_programs(250), 6 + seed_given(), MOCK_WITH_SPINS | MOCK_WITH_CALLS, 3, check_any_write);
}

/* Random schedules: made of the seed and the number alone. */
static unsigned different;
static void check_random(struct list *all) {
  for (int pct = 0; pct < 2; pct++) {
    struct explore_options o = {
        .strategy = &strategies[pct ? EXPLORE_PCT : EXPLORE_UNIFORM], .depth = 3, .seed = 5, .runs_most = 40};
    struct explore_counts counts;
    struct list l = explored(all->mem, &o, NULL, &counts), again = explored(all->mem, &o, NULL, &counts);
    CHECK(l.all.count == again.all.count);
    for (size_t i = 0; i < l.all.count; i++) CHECK(l.all.at[i].schedule == again.all.at[i].schedule);
    struct list shared = divided(all, &o, false, &counts);
    CHECK(shared.all.count == l.all.count && same(shared, l, by_schedule));
    struct list both = copy(all, -1, 0);
    for (size_t i = 0; i < l.all.count; i++) vec_push(both.mem, &both.all, l.all.at[i]);
    CHECK(same(both, *all, by_schedule)); /* all of them are schedules */
    o.seed = 6;
    again = explored(all->mem, &o, NULL, &counts);
    different += !same(l, again, by_schedule);
  }
}

TEST(explore_random) {
  unsigned programs = number_of_programs(200);
  each_program(programs, 8, MOCK_WITH_ALL, 4, check_random);
  CHECK(2 * different > programs);
}

/* Both kinds of sets of hashes against a row of all that was added. */
static struct hash hash_number(uint64_t i) { return (struct hash){hash_mix(i), hash_mix(~i)}; }
static void check_set(struct hashes *set, unsigned room) {
  int numbers[5000];
  unsigned added = 0, refused = 0;
  CHECK(set);
  for (unsigned i = 0; i < 5000; i++) numbers[i] = HASH_NEW;
  for (uint64_t k = 0; k < 40000; k++) {
    unsigned i = (unsigned)(hash_mix(k + 77) % 5000), number = (unsigned)(hash_mix(k * k) % 300);
    int was = hashes_add(set, hash_number(i), number);
    if (number > HASH_NUMBER_MOST) number = HASH_NUMBER_MOST;
    if (was == HASH_FULL) {
      CHECK(numbers[i] == HASH_NEW && added >= room);
      refused++;
      continue;
    }
    CHECKF(was == numbers[i], "%d instead of %d", was, numbers[i]);
    added += was == HASH_NEW;
    if (was == HASH_NEW || (int)number < was) numbers[i] = (int)number;
    CHECK(hashes_count(set) == added);
  }
  CHECK(room == UINT32_MAX ? !refused : refused > 0);
  hashes_close(set);
}

TEST(explore_sets_of_hashes) {
  check_set(hashes_open_own(1 << 20), UINT32_MAX);
  check_set(hashes_open(1 << 20), UINT32_MAX);
  check_set(hashes_open_own(1 << 14), 800);
  check_set(hashes_open_own(1), 200);
}
