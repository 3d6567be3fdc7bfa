/* Algorithm 1 against the definition of A_k, at every prefix of random histories. ASIF_TEST_HISTORIES sets how many. */
#include <string.h>

#include "approx/count.h"
#include "approx/order.h"
#include "brute.h"
#include "test.h"

static long histories(void) {
  const char *n = getenv("ASIF_TEST_HISTORIES");
  return n ? atol(n) : 6000;
}

enum { K = 5, FATE_NONE = 0, FATE_DROPPED, FATE_RETIRED };

/* What the counting has been told so far, as a history. Dropped operations are in it, pending: they keep their interval
 * apart. */
struct told {
  struct history history;
  uint8_t fate[64];
};

static bool same(const struct op *a, const struct approx_label *l) {
  return a->method == l->method && op_pending(a) == l->pending && (l->pending || a->result == l->result) &&
         !memcmp(a->arg, l->arg, sizeof a->arg);
}

static void compare(struct mem *m, struct counting *c, const struct told *t) {
  const struct history *h = &t->history;
  unsigned k = counting_k(c);
  struct interval_order o, a;
  order_of(m, h, &o);
  order_approx(m, &o, k, &a);
  CHECK(counting_length(c) == o.length);
  uint64_t here = 0, there = 0;
  for (size_t i = 0; i < h->ops.count; i++) here += t->fate[i] != FATE_DROPPED;
  for (uint32_t l = 0; l < counting_labels(c); l++) {
    if (!counting_occurs(c, l)) continue;
    struct approx_label label = counting_label(c, l);
    CHECK(counting_find(c, &label) == (int64_t)l);
    uint64_t want[APPROX_INTERVALS(APPROX_K_MOST)] = {0}, sum = 0;
    for (size_t i = 0; i < h->ops.count; i++)
      if (t->fate[i] != FATE_DROPPED && same(&h->ops.at[i], &label))
        want[approx_interval(k, a.from[i], label.pending ? k : a.to[i])]++;
    const uint64_t *got = counting_at(c, l);
    for (unsigned i = 0; i < APPROX_INTERVALS(k); i++) {
      CHECK(got[i] == want[i]);
      sum += got[i];
    }
    CHECK(sum > 0);
    there += sum;
  }
  CHECK(here == there);
}

/* Some operations that never return are dropped or retired instead of left open; their slots are used again. */
static void run(struct mem *m, const struct history *h, unsigned k, uint64_t *seed, bool drops) {
  struct counting *c = counting_new(m, k);
  struct told t = {.history = *h};
  memset(&t.history.ops, 0, sizeof t.history.ops);
  uint32_t *events = history_events(h, m), slot[64], unused[64], count = 0;
  for (uint32_t s = 64; s-- > 0;) unused[count++] = s;
  bool every = random_next(seed) & 1; /* look at every prefix, or let the shifts add up */
  for (uint32_t e = 0; e < h->events; e++) {
    uint32_t op = events[e] >> 1;
    struct op o = h->ops.at[op];
    if (!(events[e] & 1)) {
      slot[op] = unused[--count];
      counting_call(c, slot[op], o.method, o.arg);
      o.ret = NO_RETURN;
      o.result = V_UNKNOWN;
      vec_push(m, &t.history.ops, o);
    } else {
      counting_return(c, slot[op], o.result);
      unused[count++] = slot[op];
      t.history.ops.at[op] = o;
    }
    for (uint32_t p = 0; p < t.history.ops.count; p++) {
      if (!op_pending(&h->ops.at[p]) || t.fate[p] || random_next(seed) % 4) continue;
      t.fate[p] = drops && random_next(seed) & 1 ? FATE_DROPPED : FATE_RETIRED;
      (t.fate[p] == FATE_DROPPED ? counting_drop : counting_retire)(c, slot[p]);
      unused[count++] = slot[p];
    }
    if (every || e + 1 == h->events) compare(m, c, &t);
  }
}

static void run_all(bool drops) {
  static const char *const names[] = {"queue", "stack", "register", "lock", "map"};
  long count = histories();
  for (volatile long i = 0; i < count; i++) {
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    uint64_t seed = (uint64_t)i * 104729 + 3;
    struct spec spec;
    struct problem why;
    CHECKF(spec_named(names[i % 5], &spec, &why), "%s", why.text);
    bool *precedes;
    struct random_options options = {.most_ops = i % 4 ? 8 : 14, .distinct = i % 2, .times = i % 3 == 0};
    struct history *h = random_history(&m, &spec, &seed, &options, &precedes);
    for (unsigned k = 0; k < K; k++) run(&m, h, k, &seed, drops);
    if (i % 16 == 0) run(&m, h, APPROX_K_MOST, &seed, drops);
    mem_close(&m);
  }
}
TEST(approx_algorithm_1_counts_a_k_at_every_prefix) { run_all(false); }
TEST(approx_algorithm_1_with_operations_that_did_not_happen) { run_all(true); }

/* What is known after a drop is weaker than A_k of the history without the operation. */
TEST(approx_dropped_operations_only_weaken) {
  for (volatile long i = 0; i < histories(); i++) {
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    uint64_t seed = (uint64_t)i * 31 + 1;
    struct spec spec;
    struct problem why;
    CHECK(spec_named("queue", &spec, &why));
    bool *precedes;
    struct random_options options = {.most_ops = 9, .distinct = i % 2, .times = false};
    struct history *h = random_history(&m, &spec, &seed, &options, &precedes);
    struct interval_order whole, part, approx_whole, approx_part, kept = {0};
    uint32_t ops[64], count = 0;
    for (uint32_t o = 0; o < h->ops.count; o++)
      if (!op_pending(&h->ops.at[o]) || random_next(&seed) & 1) ops[count++] = o;
    struct history *without = history_restrict(h, &m, ops, count);
    order_of(&m, h, &whole);
    order_of(&m, without, &part);
    for (uint32_t k = 0; k < K; k++) {
      order_approx(&m, &whole, k, &approx_whole);
      order_approx(&m, &part, k, &approx_part);
      kept.count = count;
      kept.from = mem_alloc(&m, 65 * sizeof *kept.from);
      kept.to = mem_alloc(&m, 65 * sizeof *kept.to);
      for (uint32_t o = 0; o < count; o++)
        kept.from[o] = approx_whole.from[ops[o]], kept.to[o] = approx_whole.to[ops[o]];
      CHECK(order_weaker(&m, without, &kept, without, &approx_part));
    }
    mem_close(&m);
  }
}

/* O(|labels| k^2 + width) memory, however long it takes (Theorem 3). */
TEST(approx_counting_memory) {
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  enum { SLOTS = 16, VALUES = 10, EVENTS = 400000 };
  for (unsigned k = 0; k <= 4; k++) {
    struct counting *c = counting_new(&m, k);
    bool open[SLOTS] = {0};
    uint64_t seed = k + 1, pending = 0, sum = 0;
    size_t early = 0;
    for (int e = 0; e < EVENTS; e++) {
      uint32_t s = (uint32_t)(random_next(&seed) % SLOTS);
      value arg[OP_ARGS] = {value_of_small((int32_t)(random_next(&seed) % VALUES)), V_NONE, V_NONE};
      if (open[s])
        counting_return(c, s, V_NONE);
      else
        counting_call(c, s, (uint16_t)(s & 1), arg);
      open[s] = !open[s];
      if (e == EVENTS / 10) early = counting_bytes(c);
    }
    /* 2 operations of 10 values, complete and pending. */
    size_t labels = 2 * VALUES * 2, most = 2048 + labels * 2 * (64 + APPROX_INTERVALS(k) * 8) + SLOTS * 2 * 16;
    CHECKF(counting_bytes(c) == early && early <= most, "%zu, then %zu; at most %zu", early, counting_bytes(c), most);
    for (int s = 0; s < SLOTS; s++) pending += open[s];
    for (uint32_t l = 0; l < counting_labels(c); l++)
      for (unsigned i = 0; counting_occurs(c, l) && i < APPROX_INTERVALS(k); i++) sum += counting_at(c, l)[i];
    CHECK(sum == (EVENTS - pending) / 2 + pending);
  }
  mem_close(&m);
}

/* With every value used once and forgotten when it is old, memory is that of the values in flight. */
TEST(approx_counting_forgets) {
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  struct counting *c = counting_new(&m, 2);
  size_t most = 0;
  for (int32_t v = 0; v < 200000; v++) {
    value arg[OP_ARGS] = {value_of_small(v), V_NONE, V_NONE};
    counting_call(c, 0, 0, arg);
    counting_return(c, 0, V_NONE);
    if (v < 100) continue;
    struct approx_label old = {.method = 0, .arg = {value_of_small(v - 100), V_NONE, V_NONE}, .result = V_NONE};
    int64_t n = counting_find(c, &old);
    CHECK(n >= 0 && counting_at(c, (uint32_t)n)[0] == 1);
    counting_forget(c, (uint32_t)n);
    CHECK(counting_find(c, &old) < 0);
    if (counting_bytes(c) > most) most = counting_bytes(c);
  }
  CHECKF(counting_labels(c) <= 102 && most < 64 << 10, "%u labels, %zu bytes", counting_labels(c), most);
  mem_close(&m);
}
