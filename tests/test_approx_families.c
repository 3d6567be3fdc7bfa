/* The families of Figure 4 against the exact checker; the cut-offs of Theorem 4, Example 7.1, the complete families of
 * section 7.2. ASIF_TEST_HISTORIES sets how many random histories. */
#include <string.h>
#include <unistd.h>

#include "approx/formula.h"
#include "approx/monitor.h"
#include "approx/order.h"
#include "brute.h"
#include "check/check.h"
#include "formulas.h"
#include "generate/generate.h"
#include "test.h"

static bool exact(struct mem *m, const struct history *h, const struct spec *spec) {
  struct check_options options = {METHOD_AUTO, 1, false};
  struct check_result r;
  struct problem why;
  struct limits limits;
  limits_start(&limits, 0, 0);
  CHECKF(check_history(m, h, spec, &options, &limits, &r, &why), "%s", why.text);
  return r.verdict == VERDICT_HOLDS;
}

static struct monitor *family_monitor(struct mem *m, const struct spec *spec, unsigned k) {
  struct problem why;
  struct monitor *x = monitor_of_formula(m, spec, k, spec->name, &why);
  CHECKF(x, "%s", why.text);
  return x;
}

/* Feeds a history to a monitor; false if it says violated. Slots are processes. */
static bool feed(struct mem *m, struct monitor *x, const struct history *h) {
  uint32_t *events = history_events(h, m);
  for (uint32_t e = 0; e < h->events; e++) {
    const struct op *o = &h->ops.at[events[e] >> 1];
    if (!(events[e] & 1))
      monitor_call(x, o->process, o->method, o->arg);
    else if (!monitor_return(x, o->process, o->result))
      return false;
  }
  return true;
}

/* Never a violation where the exact checker accepts; every violation is confirmed. Caught: of those not linearizable,
 * how many at each k. */
static void families_are_sound(const char *name) {
  const volatile long count = histories(2000);
  volatile long good = 0, bad = 0;
  volatile long caught[5] = {0};
  for (volatile long i = 0; i < count; i++) {
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    uint64_t seed = (uint64_t)i * 6364136223846793005u + 1442695040888963407u;
    struct spec spec = spec_of(&m, name);
    bool *precedes;
    struct random_options options = {.most_ops = i % 4 ? 8 : 14, .distinct = i % 3 != 0, .times = i % 5 == 0};
    struct history *h = random_history(&m, &spec, &seed, &options, &precedes);
    bool holds = exact(&m, h, &spec);
    uint64_t earliest = UINT64_MAX; /* the event of the violation at the k before */
    *(holds ? &good : &bad) += 1;
    for (unsigned k = 0; k < 5; k++) {
      struct monitor *x = family_monitor(&m, &spec, k);
      bool accepts = feed(&m, x, h);
      /* More is seen with a greater k, if values are distinct: else what is forgotten sooner may hide something. */
      if (options.distinct && earliest != UINT64_MAX && (accepts || x->events > earliest)) {
        history_dump(h, &spec);
        fprintf(stderr, "%s: history %ld: what is seen at k = %u is not seen at %u\n", name, i, k - 1, k);
        test_fail(__FILE__, __LINE__, "less is seen with a greater k");
      }
      if (accepts) continue;
      caught[k]++;
      earliest = x->events;
      struct violation v;
      struct problem why;
      bool confirmed = monitor_violation(&m, x, &v, &why);
      if (holds || !confirmed || !*v.said) {
        history_dump(h, &spec);
        fprintf(stderr, "%s: history %ld, k = %u: %s; %s\n", name, i, k, holds ? "is linearizable" : "",
                confirmed ? v.said : why.text);
        test_fail(__FILE__, __LINE__, "a false alarm");
      }
    }
    mem_close(&m);
  }
  fprintf(stderr, "%s: %ld linearizable, %ld not; caught at k = 0..4: %ld %ld %ld %ld %ld\n", name, good, bad,
          caught[0], caught[1], caught[2], caught[3], caught[4]);
  CHECK(good > count / 10 && bad > count / 10 && caught[0] > 0 && caught[2] > caught[0] && caught[4] > bad / 2);
}
TEST(approx_family_queue_is_sound) { families_are_sound("queue"); }
TEST(approx_family_stack_is_sound) { families_are_sound("stack"); }

/* Theorem 5: on complete histories of length at most k, with distinct values, the complete family says what the exact
 * checker says. */
static void complete_family(const char *name, unsigned k, unsigned most, const volatile long count) {
  struct mem all;
  mem_open(&all, NULL);
  if (MEM_GUARD(&all)) abort();
  struct spec base = spec_of(&all, name);
  struct text t;
  text_open(&t, &all);
  family_complete(&all, &base, k, most, &t);
  prints_as_itself(&all, text_string(&t));
  volatile long good = 0, bad = 0, longest = 0;
  for (volatile long i = 0; i < count; i++) {
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    uint64_t seed = (uint64_t)i * 48271 + 7;
    struct spec spec = spec_of(&m, name);
    bool *precedes;
    struct random_options options = {.most_ops = i % 4 ? 8 : 14, .distinct = true, .times = false};
    struct history *h = random_history(&m, &spec, &seed, &options, &precedes);
    uint32_t ops[64], n = 0;
    for (uint32_t o = 0; o < h->ops.count; o++)
      if (h->ops.at[o].result != V_UNKNOWN) ops[n++] = o;
    struct interval_order o, a;
    h = history_restrict(h, &m, ops, n);
    order_of(&m, h, &o);
    order_approx(&m, &o, k, &a);
    h = order_history(&m, h, &a);
    bool holds = exact(&m, h, &spec);
    struct formula *f = bound(&m, text_string(&t), &spec);
    struct formula_eval *e = formula_eval_new(&m, f, &spec, count_history(&m, h, k, h->events));
    bool says = formula_violated(e) < 0;
    if (says != holds) history_dump(h, &spec);
    CHECKF(says == holds, "%s, k = %u, history %ld: the exact checker %s\n", name, k, i, holds ? "accepts" : "rejects");
    *(holds ? &good : &bad) += 1;
    longest += a.length == k;
    mem_close(&m);
  }
  fprintf(stderr, "%s, k = %u: %ld linearizable, %ld not, %ld of length k\n%s", name, k, good, bad, longest,
          text_string(&t));
  CHECK(good > count / 20 && bad > count / 20 && longest > count / 2);
  mem_close(&all);
}
TEST(approx_complete_families_0) {
  complete_family("queue", 0, 3, histories(2000));
  complete_family("stack", 0, 3, histories(2000));
}
TEST(approx_complete_family_queue_1) { complete_family("queue", 1, 4, histories(2000)); }
TEST(approx_complete_family_stack_1) { complete_family("stack", 1, 4, histories(2000)); }
TEST(approx_complete_family_queue_2) { complete_family("queue", 2, 3, histories(2000)); }
TEST(approx_complete_family_stack_2) { complete_family("stack", 2, 3, histories(2000)); }

/* Theorem 4: what a family says of a history, it says of a weaker one whose length is the cut-off: the one that keeps
 * only the order across that many cuts. Which violations of the bundled formula are which family: */
static const struct {
  unsigned violation, cutoff_queue, cutoff_stack;
  const char *name;
} families[] = {{0, 0, 0, "rv, too often"}, {1, 1, 1, "rv, too early"}, {2, 2, 2, "ev"},
                {3, 2, 2, "ev, pending"},   {4, 2, 3, "fv, lv"},        {5, 2, 3, "fv, lv, pending"}};

/* The order that is left when only what lies on different sides of one of the cuts (bit c: between c and c + 1) is
 * ordered. */
static void cut_order(struct mem *m, const struct interval_order *o, uint32_t cuts, struct interval_order *out) {
  *out = (struct interval_order){.count = o->count};
  out->from = mem_alloc(m, (o->count + 1) * sizeof *out->from);
  out->to = mem_alloc(m, (o->count + 1) * sizeof *out->to);
  for (uint32_t i = 0; i < o->count; i++) {
    out->from[i] = (uint32_t)__builtin_popcount(cuts & ((1u << o->from[i]) - 1));
    out->to[i] = (uint32_t)__builtin_popcount(cuts & ((1u << o->to[i]) - 1));
  }
  order_canonical(m, out);
}

static bool family_true(struct mem *m, const struct formula *f, const struct spec *spec, const struct history *h,
                        unsigned k, unsigned violation) {
  return formula_true(formula_eval_new(m, f, spec, count_history(m, h, k, h->events)), violation);
}

static bool cut_off(struct mem *m, const struct formula *f, const struct spec *spec, const struct history *h,
                    const struct interval_order *o, unsigned violation, unsigned cutoff) {
  for (uint32_t cuts = 0; cuts < 1u << o->length; cuts++) {
    if ((unsigned)__builtin_popcount(cuts) > cutoff) continue;
    struct interval_order weaker;
    cut_order(m, o, cuts, &weaker);
    CHECK(weaker.length <= cutoff);
    if (!family_true(m, f, spec, order_history(m, h, &weaker), cutoff, violation)) continue;
    CHECK(order_weaker(m, h, &weaker, h, o));
    return true;
  }
  return false;
}

static void cutoffs(const char *name) {
  volatile long seen[6] = {0};
  for (volatile long i = 0; i < histories(6000); i++) {
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    uint64_t seed = (uint64_t)i * 25214903917u + 11;
    struct spec spec = spec_of(&m, name);
    bool *precedes;
    struct random_options options = {.most_ops = i % 2 ? 8 : 12, .distinct = i % 4 != 0, .times = false};
    struct history *h = random_history(&m, &spec, &seed, &options, &precedes);
    uint32_t ops[64], n = 0;
    for (uint32_t o = 0; o < h->ops.count; o++)
      if (op_pending(&h->ops.at[o]) || h->ops.at[o].result != V_UNKNOWN) ops[n++] = o;
    h = history_restrict(h, &m, ops, n);
    struct interval_order o;
    order_of(&m, h, &o);
    struct formula *f = bound(&m, family_named(name), &spec);
    for (unsigned v = 0; o.length <= APPROX_K_MOST && v < 6; v++) {
      if (!family_true(&m, f, &spec, h, o.length, v)) continue;
      seen[v]++;
      unsigned cutoff = *name == 'q' ? families[v].cutoff_queue : families[v].cutoff_stack;
      if (!cut_off(&m, f, &spec, h, &o, v, cutoff)) {
        history_dump(h, &spec);
        fprintf(stderr, "%s: %s\n", name, families[v].name);
        test_fail(__FILE__, __LINE__, "a weaker history of the cut-off's length should have shown it");
      }
    }
    mem_close(&m);
  }
  for (int v = 0; v < 6; v++) CHECKF(seen[v] > histories(6000) / 400, "%s: %ld", families[v].name, seen[v]);
}
TEST(approx_theorem_4_cutoffs_queue) { cutoffs("queue"); }
TEST(approx_theorem_4_cutoffs_stack) { cutoffs("stack"); }

/* And no less: these need their cut-offs. */
struct timed {
  const char *op; /* "+1", "-1", "-e" */
  int start, end;
};

static struct history *timed_history(struct mem *m, const struct spec *spec, const struct timed *ops, size_t count) {
  struct history *h = history_new(m, "test");
  names_intern(h->objects, "x", 1);
  h->values = (struct values *)spec->values;
  for (uint32_t i = 0; i < count; i++) {
    char name[16];
    names_intern(h->processes, name, (size_t)snprintf(name, sizeof name, "P%u", i));
    value v = ops[i].op[1] == 'e' ? V_EMPTY : value_of_small(atoi(ops[i].op + 1));
    bool push = ops[i].op[0] == '+';
    value arg[OP_ARGS] = {push ? v : V_NONE, V_NONE, V_NONE};
    CHECK(!history_interval(h, i, 0, !push, arg, OP_ARGS, push ? V_NONE : v, ops[i].start,
                            ops[i].end ? ops[i].end : INT64_MAX, 0));
  }
  history_finish(h);
  return h;
}

/* The least k at which the family's monitor says violated, or -1. */
static int least_k(struct mem *m, const struct spec *spec, const struct history *h, const char *said) {
  struct violation v;
  struct problem why;
  for (unsigned k = 0; k <= APPROX_K_MOST; k++) {
    struct monitor *x = family_monitor(m, spec, k);
    if (feed(m, x, h)) continue;
    CHECKF(monitor_violation(m, x, &v, &why), "%s", why.text);
    if (said) CHECKF(!strcmp(v.said, said), "%s", v.said);
    CHECK(v.result.verdict == VERDICT_VIOLATED && v.k == k && !v.blamed);
    return (int)k;
  }
  return -1;
}

TEST(approx_families_by_hand) {
  static const struct {
    const char *spec;
    struct timed ops[8];
    int k;
    const char *said;
  } cases[] = {
      {"queue", {{"-1", 0, 1}}, 0, "1 was removed more often than it was put in"},
      {"queue", {{"+1", 0, 1}, {"-1", 0, 1}, {"-1", 0, 1}}, 0, "1 was removed more often than it was put in"},
      {"queue",
       {{"-1", 0, 1}, {"+1", 2, 3}},
       0,
       "1 was removed more often than it was put in"},   /* at the first return already */
      {"queue", {{"-1", 1, 1}, {"+1", 1, 3}}, -1, NULL}, /* a pop within its push is no violation */
      {"queue", {{"+2", 0, 9}, {"-1", 0, 1}, {"+1", 0, 0}}, -1, NULL},
      {"queue", {{"+1", 0, 1}, {"-e", 2, 3}}, 1, "empty was returned while 1 was inside"},
      {"queue", {{"+1", 0, 1}, {"-e", 2, 3}, {"-9", 2, 0}}, -1, NULL}, /* the pending pop has taken it */
      {"queue", {{"+1", 0, 1}, {"-e", 2, 3}, {"-9", 4, 0}}, 1, NULL},  /* it came too late */
      {"queue",
       {{"+1", 0, 1}, {"+2", 0, 1}, {"-9", 1, 0}, {"-e", 2, 3}},
       1,
       "empty was returned while more values were inside than pending operations can have removed"},
      {"queue", {{"+1", 0, 1}, {"-e", 2, 4}, {"-1", 3, 5}}, -1, NULL},
      {"queue", {{"+1", 0, 1}, {"-e", 2, 3}, {"-1", 2, 5}, {"-9", 2, 0}}, -1, NULL},
      {"queue", {{"+1", 0, 1}, {"+2", 2, 3}, {"-2", 4, 5}}, 2, "2 was removed before 1, which had been put in first"},
      {"queue", {{"+1", 0, 1}, {"+2", 2, 3}, {"-2", 2, 5}}, 1, "2 was removed before 1, which had been put in first"},
      {"queue", {{"+1", 0, 1}, {"+2", 2, 3}, {"-2", 4, 5}, {"-9", 0, 0}}, -1, NULL},
      {"queue", {{"+1", 0, 1}, {"+2", 0, 3}, {"-2", 4, 5}, {"-1", 6, 7}}, -1, NULL}, /* the pushes overlap */
      {"queue", {{"+1", 0, 1}, {"+2", 2, 3}, {"-2", 4, 7}, {"-1", 6, 7}}, -1, NULL}, /* the pops overlap */
      {"queue",
       {{"+1", 0, 1}, {"+2", 2, 0}, {"-2", 4, 5}},
       1,
       "2 was removed before 1, which had been put in first"},         /* a pending push */
      {"queue", {{"+1", 2, 3}, {"+2", 0, 0}, {"-2", 4, 5}}, -1, NULL}, /* pending since before */
      {"stack", {{"+1", 0, 1}, {"+2", 2, 3}, {"-1", 4, 5}}, 2, "1 was removed from below 2"},
      {"stack", {{"+1", 0, 1}, {"+2", 2, 3}, {"-1", 4, 5}, {"-9", 4, 0}}, -1, NULL},
      {"stack", {{"+1", 0, 1}, {"+2", 2, 3}, {"-1", 4, 5}, {"-2", 4, 7}}, -1, NULL},
      {"stack",
       {{"+1", 0, 1}, {"+2", 2, 3}, {"-1", 4, 5}, {"-9", 6, 0}, {"+1", 9, 0}},
       2,
       "1 was removed from below 2"},
      {"stack",
       {{"+1", 0, 1}, {"+2", 2, 3}, {"-1", 4, 5}, {"+1", 2, 0}},
       -1,
       NULL}, /* a pending push of the same value, above */
      {"stack",
       {{"+1", 0, 1}, {"+2", 2, 3}, {"+3", 2, 3}, {"-9", 2, 0}, {"-1", 4, 5}},
       2,
       "1 was removed from below more values than pending operations can have removed"},
  };
  for (volatile size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    struct spec spec = spec_of(&m, cases[i].spec);
    size_t n = 0;
    while (n < 8 && cases[i].ops[n].op) n++;
    struct history *h = timed_history(&m, &spec, cases[i].ops, n);
    int k = least_k(&m, &spec, h, cases[i].said);
    CHECKF(k == cases[i].k && exact(&m, h, &spec) == (k < 0), "case %zu: k = %d", i, k);
    mem_close(&m);
  }
}

/* Example 7.1, Figure 5: n values, each pushed before the last is popped, span a pop that returns empty. */
static struct history *figure_5(struct mem *m, const struct spec *spec, int n) {
  struct timed ops[32];
  static char names[32][2][16];
  size_t count = 0;
  int t = 2;
  ops[count++] = (struct timed){"+1", 0, 1};
  struct timed *empty = &ops[count++];
  *empty = (struct timed){"-e", t, 0};
  for (int i = 1; i < n; i++, t += 4) {
    snprintf(names[i][0], sizeof names[i][0], "+%d", i + 1);
    snprintf(names[i][1], sizeof names[i][1], "-%d", i);
    ops[count++] = (struct timed){names[i][0], t, t + 1};
    ops[count++] = (struct timed){names[i][1], t + 2, t + 3};
  }
  empty->end = t + 1;
  snprintf(names[0][0], 4, "-%d", n);
  ops[count++] = (struct timed){names[0][0], t + 2, t + 3};
  return timed_history(m, spec, ops, count);
}

TEST(approx_example_7_1) {
  for (volatile int n = 1; n <= 4; n++) {
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    struct spec spec = spec_of(&m, "queue");
    struct history *h = figure_5(&m, &spec, n);
    struct interval_order o;
    order_of(&m, h, &o);
    CHECK(o.length == (n == 1 ? 2 : 2 * (unsigned)n - 1) && !exact(&m, h, &spec));
    int k = least_k(&m, &spec, h, NULL);
    if (n == 1)
      CHECKF(k == 1, "n = 1 is seen at k = %d", k); /* when empty is returned, before the pop */
    else
      CHECKF(k < 0, "n = %d is seen at k = %d", n, k);
    /* The monitor that is complete for intervals up to k sees all of them. */
    struct problem why;
    struct monitor *x = monitor_new(&m, &spec, o.length, &why);
    CHECKF(x, "%s", why.text);
    CHECKF(!feed(&m, x, h), "n = %d is not seen by the complete monitor at k = %u", n, o.length);
    mem_close(&m);
  }
}

/* Values that are gone are forgotten: memory is that of the values in flight, however long it takes. */
TEST(approx_formula_monitor_memory) {
  static const char *const names[] = {"queue", "stack"};
  for (volatile int i = 0; i < 2; i++) {
    size_t bytes[2];
    for (volatile int longer = 0; longer < 2; longer++) {
      struct mem m;
      mem_open(&m, NULL);
      if (MEM_GUARD(&m)) abort();
      struct spec spec = spec_of(&m, names[i]);
      struct generate_options options = {
          .spec = &spec, .operations = longer ? 40000 : 10000, .threads = 4, .seed = 5, .size = 6, .empty = 20};
      struct problem why;
      struct history *h = generate_history(&m, &options, &why);
      CHECKF(h && spec_bind(&spec, h, &why), "%s", why.text);
      struct monitor *x = family_monitor(&m, &spec, 2);
      CHECK(feed(&m, x, h));
      bytes[longer] = x->type->bytes(x);
      mem_close(&m);
    }
    CHECKF(bytes[1] < 2 * bytes[0] && bytes[1] < 200 << 10, "%s: %zu bytes after 10000 operations, %zu after 40000",
           names[i], bytes[0], bytes[1]);
  }
}

/* Operations that are dropped did not happen; those that are retired stay pending, and their slots are used again. */
TEST(approx_families_with_dropped_and_retired_operations) {
  volatile long good = 0, violated = 0, dropped = 0;
  for (volatile long i = 0; i < histories(2000); i++) {
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    uint64_t seed = (uint64_t)i * 69069 + 5;
    struct spec spec = spec_of(&m, i % 2 ? "queue" : "stack");
    bool *precedes;
    struct random_options options = {.most_ops = 10, .distinct = i % 3 != 0, .times = false};
    struct history *h = random_history(&m, &spec, &seed, &options, &precedes);
    uint32_t kept[64], count = 0;
    bool fate[64] = {0};
    for (uint32_t o = 0; o < h->ops.count; o++) {
      fate[o] = op_pending(&h->ops.at[o]) && random_next(&seed) % 3;
      if (!fate[o]) kept[count++] = o;
      dropped += fate[o];
    }
    bool holds = exact(&m, history_restrict(h, &m, kept, count), &spec);
    uint32_t *events = history_events(h, &m);
    for (unsigned k = 0; k < 4; k++) {
      struct monitor *x = family_monitor(&m, &spec, k);
      uint32_t slots[64], unused[64], free_slots = 0;
      for (uint32_t s = 64; s-- > 0;) unused[free_slots++] = s;
      bool accepts = true;
      for (uint32_t e = 0; e < h->events && accepts; e++) {
        uint32_t op = events[e] >> 1;
        const struct op *o = &h->ops.at[op];
        if (events[e] & 1) {
          accepts = monitor_return(x, slots[op], o->result);
          unused[free_slots++] = slots[op];
          continue;
        }
        slots[op] = unused[--free_slots];
        monitor_call(x, slots[op], o->method, o->arg);
        if (!op_pending(o) || (!fate[op] && random_next(&seed) % 2)) continue;
        (fate[op] ? monitor_drop : monitor_retire)(x, slots[op]);
        unused[free_slots++] = slots[op];
      }
      if (accepts) continue;
      violated++;
      struct violation v;
      struct problem why;
      CHECKF(!holds && monitor_violation(&m, x, &v, &why), "history %ld, k = %u", i, k);
    }
    good += holds;
    mem_close(&m);
  }
  CHECKF(good > 100 && violated > 100 && dropped > 100, "%ld, %ld, %ld", good, violated, dropped);
}
