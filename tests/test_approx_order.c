/* Interval orders against their definitions (Bouajjani et al. 2015, sections 4 and 6), on random histories: pending
 * operations, repeated labels, ties. ASIF_TEST_HISTORIES sets how many. */
#include <string.h>

#include "approx/count.h"
#include "approx/order.h"
#include "brute.h"
#include "check/check.h"
#include "test.h"

static long histories(void) {
  const char *n = getenv("ASIF_TEST_HISTORIES");
  return n ? atol(n) : 6000;
}

static struct spec spec_of(const char *name) {
  struct spec spec;
  struct problem why;
  CHECKF(spec_named(name, &spec, &why), "%s", why.text);
  return spec;
}

/* Calls f with many histories. */
static void each_history(long count, void (*f)(struct mem *, struct history *, struct spec *)) {
  static const char *const names[] = {"queue", "stack", "register", "lock", "map", "semiqueue(2)"};
  for (volatile long i = 0; i < count; i++) {
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    uint64_t seed = (uint64_t)i * 7919 + 5;
    struct spec spec = spec_of(names[i % 6]);
    bool *precedes;
    struct random_options options = {.most_ops = i % 4 ? 8 : 12, .distinct = i % 2, .times = i % 3 == 0};
    f(&m, random_history(&m, &spec, &seed, &options, &precedes), &spec);
    mem_close(&m);
  }
}

static bool before(const struct history *h, size_t a, size_t b) { return h->ops.at[a].ret < h->ops.at[b].call; }
static bool order_before(const struct interval_order *o, size_t a, size_t b) { return o->to[a] < o->from[b]; }

static uint32_t past_of(const struct history *h, size_t o) {
  uint32_t past = 0;
  for (size_t p = 0; p < h->ops.count; p++) past |= (uint32_t)before(h, p, o) << p;
  return past;
}

/* How many different pasts the operations have that are chosen. */
static uint32_t count_pasts(const struct history *h, uint32_t chosen) {
  uint32_t count = 0;
  for (size_t a = 0; a < h->ops.count; a++) {
    if (!(chosen >> a & 1)) continue;
    bool again = false;
    for (size_t b = 0; b < a; b++) again |= chosen >> b & 1 && past_of(h, b) == past_of(h, a);
    count += !again;
  }
  return count;
}

static void is_interval_order(struct mem *m, struct history *h, struct spec *spec) {
  (void)m, (void)spec;
  size_t n = h->ops.count;
  for (size_t a = 0; a < n; a++)
    for (size_t c = 0; c < n; c++)
      for (size_t b = 0; before(h, a, c) && b < n; b++)
        for (size_t d = 0; d < n; d++)
          if (before(h, b, d)) CHECK(before(h, a, d) || before(h, b, c));
}
TEST(approx_lemma_4_1_histories_are_interval_orders) { each_history(histories(), is_interval_order); }

static void pasts_are_ordered(struct mem *m, struct history *h, struct spec *spec) {
  (void)m, (void)spec;
  for (size_t a = 0; a < h->ops.count; a++)
    for (size_t b = 0; b < a; b++) {
      uint32_t p = past_of(h, a), q = past_of(h, b);
      CHECK((p & q) == p || (p & q) == q);
    }
}
TEST(approx_lemma_6_1_pasts_are_linearly_ordered) { each_history(histories(), pasts_are_ordered); }

static void is_canonical(struct mem *m, struct history *h, struct spec *spec) {
  (void)spec;
  struct interval_order o;
  order_of(m, h, &o);
  uint32_t n = (uint32_t)h->ops.count, all = (1u << n) - 1;
  CHECK(o.count == n && o.length == (n ? count_pasts(h, all) - 1 : 0));
  for (uint32_t a = 0; a < n; a++) {
    uint32_t smaller = 0, not_after = 0;
    for (uint32_t b = 0; b < n; b++) {
      uint32_t p = past_of(h, a), q = past_of(h, b);
      smaller |= (uint32_t)((p & q) == q && p != q) << b;
      not_after |= (uint32_t)!before(h, a, b) << b;
    }
    CHECK(o.from[a] == count_pasts(h, smaller) && o.to[a] == count_pasts(h, not_after) - 1);
    CHECK(o.from[a] <= o.to[a] && o.to[a] <= o.length);
    if (op_pending(&h->ops.at[a])) CHECK(o.to[a] == o.length);
    for (uint32_t b = 0; b < n; b++) CHECK(order_before(&o, a, b) == before(h, a, b));
  }
  struct interval_order again = o; /* is its own canonical representation */
  again.from = mem_alloc(m, (n + 1) * sizeof *again.from);
  again.to = mem_alloc(m, (n + 1) * sizeof *again.to);
  for (uint32_t a = 0; a < n; a++) again.from[a] = o.from[a] * 3 + 1, again.to[a] = o.to[a] * 3 + 2;
  order_canonical(m, &again);
  CHECK(again.length == o.length && !memcmp(again.from, o.from, n * sizeof *o.from) &&
        !memcmp(again.to, o.to, n * sizeof *o.to));
}
TEST(approx_lemma_6_2_canonical_representation) { each_history(histories(), is_canonical); }

/* The lower bound as printed, |{past(o') : o' < o}|, does not represent the order where only a long operation has some
 * past. */
TEST(approx_lemma_6_2_as_printed_is_too_low) {
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  struct history *h = history_new(&m, "test");
  enum { A, D, B, C };
  static const struct { int64_t start, end; } at[] = {[A] = {0, 1}, [D] = {0, 3}, [B] = {2, 9}, [C] = {4, 5}};
  for (uint32_t i = 0; i < 4; i++) {
    names_intern(h->processes, &"ADBC"[i], 1);
    value none[OP_ARGS] = {V_NONE, V_NONE, V_NONE};
    CHECK(!history_interval(h, i, 0, 0, none, OP_ARGS, V_NONE, at[i].start, at[i].end, 0));
  }
  history_finish(h);
  struct interval_order o;
  order_of(&m, h, &o);
  uint32_t as_printed = count_pasts(h, past_of(h, C));
  CHECK(before(h, D, C) && o.to[D] == 1 && as_printed == 1 && o.from[C] == 2 && o.length == 2);
  mem_close(&m);
}

static void is_approximation(struct mem *m, struct history *h, struct spec *spec) {
  (void)spec;
  struct interval_order o, weaker, last = {0};
  order_of(m, h, &o);
  for (uint32_t k = 0; k <= 5; k++) {
    order_approx(m, &o, k, &weaker);
    CHECK(weaker.length == (o.length < k ? o.length : k));
    uint32_t by = o.length > k ? o.length - k : 0;
    for (uint32_t a = 0; a < o.count; a++) { /* Lemma 6.5 */
      CHECK(weaker.from[a] == (o.from[a] > by ? o.from[a] - by : 0));
      CHECK(weaker.to[a] == (o.to[a] > by ? o.to[a] - by : 0));
    }
    CHECK(order_weaker(m, h, &weaker, h, &o));
    if (k) CHECK(order_weaker(m, h, &last, h, &weaker));
    if (o.length <= k) CHECK(order_weaker(m, h, &o, h, &weaker));
    last = weaker;
  }
}
TEST(approx_lemma_6_5_and_strength) { each_history(histories(), is_approximation); }

/* The history of the first events. */
static struct history *prefix(struct mem *m, const struct history *h, uint32_t events) {
  struct history *p = mem_alloc(m, sizeof *p);
  *p = *h;
  memset(&p->ops, 0, sizeof p->ops);
  for (size_t i = 0; i < h->ops.count && h->ops.at[i].call < events; i++) {
    struct op o = h->ops.at[i];
    if (o.ret >= events && o.ret != NO_RETURN) o.ret = NO_RETURN, o.result = V_UNKNOWN;
    vec_push(m, &p->ops, o);
  }
  p->events = events;
  return p;
}

/* Lemma 6.6, for k > 0. (Of A_0 there is no order at all, and a call must not bring any.) */
static void extends_events(struct mem *m, struct history *h, struct spec *spec) {
  (void)spec;
  uint32_t *events = history_events(h, m);
  for (uint32_t e = 0; e < h->events; e++) {
    struct history *old = prefix(m, h, e), *new = prefix(m, h, e + 1);
    struct interval_order o, p;
    order_of(m, old, &o);
    order_of(m, new, &p);
    bool call = !(events[e] & 1);
    for (uint32_t k = 1; k <= 3; k++) {
      struct interval_order a, b;
      order_approx(m, &o, o.length < p.length ? k - 1 : k, &a);
      order_approx(m, &p, k, &b);
      for (uint32_t x = 0; x < p.count; x++)
        for (uint32_t y = 0; y < p.count; y++) {
          bool added = call && y == p.count - 1;
          bool want =
              added ? x != y && !op_pending(&old->ops.at[x]) : (!call || x != p.count - 1) && order_before(&a, x, y);
          CHECK(order_before(&b, x, y) == want);
        }
    }
  }
}
TEST(approx_lemma_6_6_extension) { each_history(histories() / 10, extends_events); }

/* Pi of an order: a row of APPROX_INTERVALS(k) an operation, in which pending ones reach to k. */
static void count_intervals(const struct history *h, const struct interval_order *o, unsigned k, uint32_t op,
                            int *counts) {
  memset(counts, 0, APPROX_INTERVALS(k) * sizeof *counts);
  for (uint32_t a = 0; a < o->count; a++) {
    const struct op *x = &h->ops.at[a], *y = &h->ops.at[op];
    if (x->method != y->method || op_pending(x) != op_pending(y) || x->result != y->result ||
        memcmp(x->arg, y->arg, sizeof x->arg))
      continue;
    counts[approx_interval(k, o->from[a], op_pending(x) ? k : o->to[a])]++;
  }
}

/* The shift as it is printed. */
static int shifted(const int *pi, unsigned k, bool pending, unsigned i, unsigned j) {
  if (pending)
    return j < k ? 0 : (i < k ? pi[approx_interval(k, i + 1, k)] : 0) + (i == 0 ? pi[approx_interval(k, i, k)] : 0);
  return (i < k && j < k ? pi[approx_interval(k, i + 1, j + 1)] : 0) +
         (i == 0 && j < k ? pi[approx_interval(k, i, j + 1)] : 0) +
         (i == 0 && j == 0 ? pi[approx_interval(k, i, j)] : 0);
}

static void shifts(struct mem *m, struct history *h, struct spec *spec) {
  (void)spec;
  struct interval_order o, a;
  order_of(m, h, &o);
  unsigned k = o.length;
  if (!k || k > 8) return;
  order_approx(m, &o, k - 1, &a);
  for (uint32_t op = 0; op < o.count; op++) {
    int old[APPROX_INTERVALS(8)], new[APPROX_INTERVALS(8)];
    count_intervals(h, &o, k, op, old);
    count_intervals(h, &a, k, op, new);
    for (unsigned i = 0; i <= k; i++)
      for (unsigned j = i; j <= k; j++)
        CHECK(shifted(old, k, op_pending(&h->ops.at[op]), i, j) == new[approx_interval(k, i, j)]);
  }
}
TEST(approx_lemma_6_8_shifting) { each_history(histories(), shifts); }

/* Lemma 6.7: an event is an increment, or a decrement and an increment. */
static void counts_events(struct mem *m, struct history *h, struct spec *spec) {
  (void)spec;
  uint32_t *events = history_events(h, m);
  for (uint32_t e = 0; e < h->events; e++) {
    struct history *old = prefix(m, h, e), *new = prefix(m, h, e + 1);
    struct interval_order o, p;
    order_of(m, old, &o);
    order_of(m, new, &p);
    unsigned k = p.length;
    if (k > 8) return;
    uint32_t moved = events[e] >> 1;
    for (uint32_t a = 0; a < o.count; a++) {
      if (a == moved) continue;
      CHECK(o.from[a] == p.from[a] && (op_pending(&old->ops.at[a]) ? p.to[a] == k : p.to[a] == o.to[a]));
    }
    CHECK(p.to[moved] == k && (events[e] & 1 ? p.from[moved] == o.from[moved] : p.from[moved] == k));
  }
}
TEST(approx_lemma_6_7_counting) { each_history(histories() / 4, counts_events); }

/* Figure 2: Treiber's stack with the ABA bug. */
static struct history *figure_2(struct mem *m, struct spec *spec, bool weaker) {
  static const struct {
    const char *method;
    int arg, result;
    int64_t start, end;
  } ops[] = {{"push", 1, 0, 0, 1}, {"pop", 0, 3, 2, 7},  {"pop", 0, 1, 2, 3},
             {"push", 2, 0, 4, 5}, {"push", 3, 0, 6, 7}, {"pop", 0, -1, 8, 9}};
  struct history *h = history_new(m, "figure 2");
  names_intern(h->objects, "x", 1);
  *spec = spec_of("stack");
  spec->values = h->values;
  for (uint32_t i = 0; i < 7; i++) {
    bool extra = i == 6; /* of Figure 2(c) */
    if (extra && !weaker) break;
    bool pending = weaker && (extra || i == 1);
    const char *method = extra ? "pop" : ops[i].method;
    value arg[OP_ARGS] = {!extra && ops[i].arg ? value_of_small(ops[i].arg) : V_NONE, V_NONE, V_NONE};
    value result = extra || !ops[i].result ? V_NONE : ops[i].result < 0 ? V_EMPTY : value_of_small(ops[i].result);
    /* (c): everything but the last pop overlaps. */
    int64_t start = weaker ? (i == 5) * 2 : ops[i].start, end = weaker ? start + 1 : ops[i].end;
    names_intern(h->processes, &"ABCDEFG"[i], 1);
    CHECK(!history_interval(h, i, 0, (uint32_t)spec_op_find(spec, method, strlen(method)), arg, OP_ARGS, result, start,
                            pending ? INT64_MAX : end, 0));
  }
  history_finish(h);
  return h;
}

TEST(approx_figure_2) {
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  struct spec spec;
  struct history *h = figure_2(&m, &spec, false), *c = figure_2(&m, &spec, true);
  struct interval_order o, w;
  order_of(&m, h, &o);
  CHECK(o.length == 4);                                                         /* Example 6.2 */
  static const uint32_t from[] = {0, 1, 1, 2, 3, 4}, to[] = {0, 3, 1, 2, 3, 4}; /* Example 6.3 */
  CHECK(!memcmp(o.from, from, sizeof from) && !memcmp(o.to, to, sizeof to));
  order_of(&m, c, &w);
  CHECK(w.length == 1);
  CHECK(order_weaker(&m, c, &w, h, &o) && !order_weaker(&m, h, &o, c, &w)); /* Example 4.3 */
  /* The two pending pops of (c) may have taken 2 and 3: with pending operations counted it is no violation. */
  CHECK(!brute_linearizable(h, &spec, NULL) && brute_linearizable(c, &spec, NULL));
  mem_close(&m);
}

static void is_weaker_history(struct mem *m, struct history *h, struct spec *spec) {
  struct interval_order o, a, again;
  order_of(m, h, &o);
  struct check_options options = {METHOD_AUTO, 1, false};
  struct check_result r;
  struct problem why;
  struct limits limits;
  limits_start(&limits, 0, 0);
  CHECKF(check_history(m, h, spec, &options, &limits, &r, &why), "%s", why.text);
  bool holds = r.verdict == VERDICT_HOLDS;
  for (uint32_t k = 0; k <= 4; k++) {
    order_approx(m, &o, k, &a);
    struct history *w = order_history(m, h, &a);
    order_of(m, w, &again);
    CHECK(again.length == a.length && order_weaker(m, w, &again, h, &a) && order_weaker(m, h, &a, w, &again));
    for (size_t i = 0; i < w->ops.count; i++)
      for (size_t j = 0; j < i; j++)
        CHECK(w->ops.at[i].process != w->ops.at[j].process || before(w, i, j) || before(w, j, i));
    if (spec->by_process) continue; /* whose operation it is has changed */
    CHECKF(check_history(m, w, spec, &options, &limits, &r, &why), "%s", why.text);
    if (holds) CHECK(r.verdict == VERDICT_HOLDS);
    if (!holds && k >= o.length) CHECK(r.verdict == VERDICT_VIOLATED);
  }
}
TEST(approx_lemma_4_2_weaker_histories_are_linearizable_too) { each_history(histories(), is_weaker_history); }

/* Definition 4.2 on its own: what is weaker and what is not. */
TEST(approx_weaker_by_definition) {
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  struct spec spec = spec_of("queue");
  /* Operations: enq(1) or deq -> 1; times; whether pending. */
  static const struct {
    const char *one, *two;
    bool weaker;
  } cases[] = {
      {"e02 d46", "e02 d46", true},
      {"e05 d46", "e02 d46", true},
      {"e02 d46", "e05 d46", false}, /* order may go, not come */
      {"e02 p46", "e02 d46", true},
      {"e02 d46", "e02 p46", false},
      {"e02 p46", "e02", true}, /* pending: completed, or left out */
      {"e02 d46", "e02", false},
      {"e02", "e02 d46", false},
      {"e02 e46", "e46 e02", true}, /* labels, not places */
      {"d02 e46", "e02 d46", false},
      {"", "", true},
      {"p02", "", true},
      {"", "p02", false},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct history *h[2];
    struct interval_order o[2];
    for (int side = 0; side < 2; side++) {
      h[side] = history_new(&m, "test");
      const char *s = side ? cases[c].two : cases[c].one;
      for (uint32_t i = 0; *s; i++, s += s[3] ? 4 : 3) {
        value arg[OP_ARGS] = {*s == 'e' ? value_of_small(1) : V_NONE, V_NONE, V_NONE};
        int method = spec_op_find(&spec, *s == 'e' ? "enq" : "deq", 3);
        CHECK(!history_interval(h[side], i, 0, (uint32_t)method, arg, OP_ARGS, *s == 'e' ? V_NONE : value_of_small(1),
                                s[1], *s == 'p' ? INT64_MAX : s[2], 0));
      }
      history_finish(h[side]);
      order_of(&m, h[side], &o[side]);
    }
    CHECKF(order_weaker(&m, h[0], &o[0], h[1], &o[1]) == cases[c].weaker, "%s, %s", cases[c].one, cases[c].two);
  }
  mem_close(&m);
}
