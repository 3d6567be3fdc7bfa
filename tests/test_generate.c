/* Generated histories: well formed, as many operations as asked for, the same for the same seed; the good ones hold and
 * every kind of violation is one, for every specification. */
#include <string.h>

#include "check/check.h"
#include "generate/generate.h"
#include "test.h"

static struct mem m;

static void open_mem(void) {
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) test_fail(__FILE__, __LINE__, "memory");
}

static struct history *generate(const struct generate_options *o) {
  struct problem p;
  struct history *h = generate_history(&m, o, &p);
  CHECKF(h, "%s: %s", o->spec->name, p.text);
  return h;
}

static struct generate_options options_for(const struct spec *s, uint32_t n, uint32_t threads, uint64_t seed) {
  return (struct generate_options){.spec = s, .operations = n, .threads = threads, .seed = seed, .empty = 20};
}

static uint32_t pending_count(const struct history *h) {
  uint32_t n = 0;
  for (size_t i = 0; i < h->ops.count; i++) n += op_pending(&h->ops.at[i]);
  return n;
}

/* Calls in order, one operation at a time a process, results where it returned, the events numbered without gaps. */
static void check_form(const struct history *h, const struct spec *s) {
  uint32_t *events = history_events(h, &m);
  uint32_t processes = names_count(h->processes);
  bool *busy = mem_zero(&m, processes, sizeof *busy);
  for (uint32_t e = 0; e < h->events; e++) {
    const struct op *o = &h->ops.at[events[e] >> 1];
    bool returns = events[e] & 1;
    CHECK((returns ? o->ret : o->call) == e);
    CHECK(o->process < processes && busy[o->process] == returns);
    CHECK(o->method < s->op_count);
    CHECK(!returns || o->result != V_UNKNOWN);
    busy[o->process] = !returns;
  }
}

static bool same(const struct history *a, const struct history *b) {
  bool equal = a->ops.count == b->ops.count;
  for (size_t i = 0; equal && i < a->ops.count; i++) { /* not what is between their members */
    const struct op *x = &a->ops.at[i], *y = &b->ops.at[i];
    equal = x->method == y->method && !memcmp(x, y, offsetof(struct op, method));
  }
  return equal;
}

TEST(generate_form) {
  open_mem();
  for (int i = 0; specs[i]; i++)
    for (uint32_t threads = 1; threads <= 9; threads += 4) {
      struct generate_options o = options_for(specs[i], 500, threads, 7);
      o.pending = 5;
      struct history *h = generate(&o);
      CHECKF(h->ops.count == 500, "%s: %zu", specs[i]->name, h->ops.count);
      CHECKF(pending_count(h) == 5, "%s: %u pending", specs[i]->name, pending_count(h));
      check_form(h, specs[i]);
    }
  mem_close(&m);
}

TEST(generate_seeds) {
  open_mem();
  for (int i = 0; specs[i]; i++) {
    struct generate_options o = options_for(specs[i], 200, 4, 1);
    struct history *a = generate(&o), *b = generate(&o);
    CHECKF(same(a, b), "%s", specs[i]->name);
    o.seed = 2;
    CHECKF(!same(a, generate(&o)), "%s", specs[i]->name);
  }
  mem_close(&m);
}

/* The same on every machine: the first operations of a queue with seed 1, written down. */
TEST(generate_everywhere_the_same) {
  open_mem();
  struct spec queue;
  struct problem p;
  CHECK(spec_named("queue", &queue, &p));
  struct generate_options o = options_for(&queue, 1000, 4, 1);
  struct history *h = generate(&o);
  uint64_t sum = 0;
  for (size_t i = 0; i < h->ops.count; i++) {
    const struct op *q = &h->ops.at[i];
    uint64_t fields[] = {q->call, q->ret, q->process, q->method, q->arg[0], q->result};
    for (size_t k = 0; k < 6; k++) sum = sum * 1000003 + fields[k];
  }
  CHECKF(sum == 17026208530080100601u, "the sum is %lluu", (unsigned long long)sum);
  mem_close(&m);
}

/* By default no value is written twice; with --values they are among those. */
TEST(generate_values) {
  open_mem();
  static const char *const names[] = {"queue", "stack", "priority-queue", "max-priority-queue", "deque", "register"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct spec s;
    struct problem p;
    CHECK(spec_named(names[i], &s, &p));
    struct generate_options o = options_for(&s, 3000, 8, 3);
    struct history *h = generate(&o);
    bool *seen = mem_zero(&m, 1u << 16, sizeof *seen);
    for (size_t k = 0; k < h->ops.count; k++) {
      value v = h->ops.at[k].arg[0];
      if (v == V_NONE) continue;
      CHECKF(value_small(v) >= 0 && value_small(v) < 1 << 16 && !seen[value_small(v)], "%s %d", names[i],
             value_small(v));
      seen[value_small(v)] = true;
    }
    o.values = 4;
    h = generate(&o);
    for (size_t k = 0; k < h->ops.count; k++) {
      value v = h->ops.at[k].arg[0];
      CHECK(v == V_NONE || (value_small(v) >= 1 && value_small(v) <= 4));
    }
  }
  mem_close(&m);
}

TEST(generate_empties) {
  open_mem();
  struct spec s;
  struct problem p;
  CHECK(spec_named("queue", &s, &p));
  uint32_t found[2] = {0};
  for (int k = 0; k < 2; k++) {
    struct generate_options o = options_for(&s, 20000, 4, 3);
    o.empty = k ? 50 : 0;
    struct history *h = generate(&o);
    for (size_t i = 0; i < h->ops.count; i++) found[k] += h->ops.at[i].result == V_EMPTY;
  }
  CHECKF(found[0] < 20 && found[1] > 500, "%u %u", found[0], found[1]);
  mem_close(&m);
}

TEST(generate_refuses) {
  open_mem();
  struct spec s;
  struct problem p;
  CHECK(spec_named("queue", &s, &p));
  struct generate_options o = options_for(&s, 5, 2, 1);
  o.pending = 6;
  CHECK(!generate_history(&m, &o, &p) && strstr(p.text, "pending"));
  o.pending = 0;
  o.bad = "nonsense";
  CHECK(!generate_history(&m, &o, &p) && strstr(p.text, "reorder"));
  o.bad = "reorder";
  o.operations = 3;
  CHECK(!generate_history(&m, &o, &p) && strstr(p.text, "4 operations"));
  mem_close(&m);
}

static enum verdict decide_with(const struct generate_options *o, int jobs) {
  struct limits limits;
  limits_start(&limits, 10, (size_t)2 << 30);
  struct mem own;
  mem_open(&own, &limits);
  if (MEM_GUARD(&own)) test_fail(__FILE__, __LINE__, "memory");
  struct problem p;
  struct spec s = *o->spec;
  struct history *h = generate_history(&own, o, &p);
  CHECKF(h, "%s: %s", s.name, p.text);
  CHECKF(spec_bind(&s, h, &p), "%s", p.text);
  struct check_options how = {.method = METHOD_AUTO, .jobs = jobs};
  struct check_result r;
  CHECKF(check_history(&own, h, &s, &how, &limits, &r, &p), "%s: %s", s.name, p.text);
  enum verdict v = r.verdict;
  mem_close(&own);
  return v;
}

static enum verdict decide(const struct generate_options *o) { return decide_with(o, 1); }

static void expect(const struct generate_options *o, enum verdict want, bool may_give_up) {
  enum verdict v = decide(o);
  CHECKF(v == want || (may_give_up && v == VERDICT_UNKNOWN), "%s, %u operations, seed %llu, %s: %s", o->spec->name,
         o->operations, (unsigned long long)o->seed, o->bad ? o->bad : "good",
         v == VERDICT_HOLDS      ? "holds"
         : v == VERDICT_VIOLATED ? "is violated"
                                 : "could not be decided");
}

/* Every specification, with and without repeated values, keys and pending operations, over several seeds. */
static void decide_all(uint64_t seeds, uint32_t n) {
  for (int i = 0; specs[i]; i++)
    for (uint64_t seed = 1; seed <= seeds; seed++) {
      struct generate_options o = options_for(specs[i], n, 1 + (uint32_t)seed % 4, seed);
      o.values = seed % 3 ? 0 : 3;
      o.keys = seed % 2 ? 3 : 0;
      o.pending = seed % 5 ? 0 : 2;
      expect(&o, VERDICT_HOLDS, n > 100);
      const struct bad_kind *kinds = generate_kinds(specs[i]);
      CHECKF(kinds[0].name, "%s has no kind of violation", specs[i]->name);
      for (int k = 0; kinds[k].name; k++) {
        o.bad = kinds[k].name;
        expect(&o, VERDICT_VIOLATED, n > 100);
      }
    }
}

TEST(generate_verdicts) {
  bool longer = getenv("ASIF_LONG");
  decide_all(longer ? 200 : 10, 30);
  if (longer) decide_all(10, 200);
}

/* Several threads decide the parts of one history: what is keyed is split by key. */
TEST(generate_verdicts_threads) {
  static const char *const names[] = {"map", "set", "multiset"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct spec s;
    struct problem p;
    CHECK(spec_named(names[i], &s, &p));
    for (uint64_t seed = 1; seed <= 4; seed++) {
      struct generate_options o = options_for(&s, 3000, 6, seed);
      o.keys = 12;
      o.pending = seed % 2 ? 4 : 0;
      CHECKF(decide_with(&o, 4) == VERDICT_HOLDS, "%s seed %d", names[i], (int)seed);
      o.bad = "any";
      CHECKF(decide_with(&o, 4) == VERDICT_VIOLATED, "%s seed %d", names[i], (int)seed);
    }
  }
}
