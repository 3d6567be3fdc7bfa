/* The element monitor against the exact checker: on A_k of every prefix of random histories. */
#include <string.h>
#include <time.h>

#include "approx/elements.h"
#include "approx/order.h"
#include "brute.h"
#include "check/check.h"
#include "test.h"

/* A random execution: events of operations that are called, return, are dropped, or retire. */
enum kind { CALL, RETURN, DROP, RETIRE };
struct event {
  enum kind kind;
  uint32_t op;
};
struct execution {
  struct op ops[24];
  uint32_t slot[24];
  unsigned count, events;
  struct event at[60];
};

struct options {
  unsigned ops, threads, values; /* values 0: each is pushed once */
  bool drops;
};

static uint64_t below(uint64_t *seed, uint64_t n) { return random_next(seed) % n; }

/* Mostly a value that no pop has returned: then the order is wrong, if anything is. */
static value wrong_result(uint64_t *seed, const struct execution *x, unsigned pushes) {
  if (!below(seed, 4)) return V_EMPTY;
  unsigned from = (unsigned)below(seed, x->count);
  for (unsigned i = 0; i < x->count; i++) {
    const struct op *o = &x->ops[(from + i) % x->count];
    bool taken = false;
    for (unsigned j = 0; j < x->count; j++) taken |= x->ops[j].method >= pushes && x->ops[j].result == o->arg[0];
    if (o->method < pushes && (!taken || !below(seed, 10))) return o->arg[0];
  }
  return value_of_small(below(seed, 2) ? 0 : 1);
}

/* Operations take effect at a moment between call and return, on the specification; then some results are changed. */
static void random_execution(struct mem *m, const struct spec *spec, uint64_t *seed, const struct options *o,
                             struct execution *x) {
  struct outcomes now, next;
  outcomes_open(&now, m);
  outcomes_open(&next, m);
  spec->init(spec, &now);
  unsigned threads = 1 + (unsigned)below(seed, o->threads), open[8], free_slot = 0,
           wrong = (unsigned)below(seed, 3) ? 0 : 4;
  unsigned wish = 2 + (unsigned)below(seed, o->ops - 1), pushes = spec->op_count / 2,
           hurry = 1 + (unsigned)below(seed, 6);
  bool effected[24] = {0};
  size_t state = 0;
  int fresh = 1;
  unsigned inside = 0;
  memset(x, 0, sizeof *x);
  for (unsigned t = 0; t < threads; t++) open[t] = UINT32_MAX;
  uint32_t slots[8];
  for (unsigned t = 0; t < threads; t++) slots[t] = free_slot++;
  unsigned idle = 0;
  while (idle < 200 && x->events < 58) {
    unsigned t = (unsigned)below(seed, threads);
    if (open[t] == UINT32_MAX) {
      if (x->count == wish) {
        idle++;
        continue;
      }
      unsigned i = x->count++;
      struct op *op = &x->ops[i];
      bool push = below(seed, 100) < (inside > 3 ? 40 : 55);
      *op = (struct op){
          .process = i, .result = V_UNKNOWN, .method = (uint16_t)((push ? 0 : pushes) + below(seed, pushes))};
      if (!push && spec->weak && below(seed, 2)) op->method = spec->exact;
      for (int a = 0; a < OP_ARGS; a++) op->arg[a] = V_NONE;
      if (push) op->arg[0] = value_of_small(o->values ? 1 + (int)below(seed, o->values) : fresh++);
      x->slot[i] = slots[t];
      x->at[x->events++] = (struct event){CALL, i};
      open[t] = i;
      continue;
    }
    unsigned i = open[t];
    if (!effected[i]) {
      if (below(seed, hurry)) continue;
      effected[i] = true;
      outcomes_clear(&next);
      spec->step(spec, outcomes_state(&now, state), &x->ops[i], &next);
      if (!next.list.count) continue;
      state = below(seed, next.list.count);
      x->ops[i].result = next.list.at[state].result;
      inside += x->ops[i].method < pushes;
      struct outcomes swap = now;
      now = next;
      next = swap;
      continue;
    }
    if (below(seed, hurry)) continue;
    open[t] = UINT32_MAX;
    if (x->ops[i].result == V_UNKNOWN || !below(seed, 15)) {
      x->at[x->events++] = (struct event){RETIRE, i};
      slots[t] = free_slot++;
      x->ops[i].result = V_UNKNOWN;
    } else if (o->drops && !below(seed, 10)) {
      x->at[x->events++] = (struct event){DROP, i};
    } else {
      bool pop = x->ops[i].method >= pushes;
      if (pop && wrong && !below(seed, wrong)) x->ops[i].result = wrong_result(seed, x, pushes);
      x->at[x->events++] = (struct event){RETURN, i};
    }
  }
}

/* The prefix up to an event as a history. Dropped operations are left in as pending when `dropped`, else taken out. */
static struct history *prefix_of(struct mem *m, const struct spec *spec, const struct execution *x, unsigned events,
                                 bool dropped) {
  struct history *h = history_new(m, "prefix");
  h->values = (struct values *)spec->values;
  names_intern(h->objects, "x", 1);
  for (unsigned i = 0; i < x->count; i++) {
    char name[8];
    names_intern(h->processes, name, (size_t)snprintf(name, sizeof name, "%u", i));
  }
  for (unsigned i = 0; i < spec->op_count; i++) {
    size_t len;
    const char *name = spec_op_name(spec, i, &len);
    names_intern(h->methods, name, len);
  }
  bool out[24] = {0};
  for (unsigned i = 0; i < events; i++) out[x->at[i].op] |= !dropped && x->at[i].kind == DROP;
  for (unsigned i = 0; i < events; i++) {
    uint32_t op = x->at[i].op;
    const struct op *o = &x->ops[op];
    if (out[op]) continue;
    if (x->at[i].kind == CALL) CHECK(!history_call(h, op, 0, o->method, o->arg, OP_ARGS, op));
    if (x->at[i].kind == RETURN) CHECK(!history_return(h, op, 0, o->result));
  }
  history_finish(h);
  return h;
}

static bool exact(struct mem *m, const struct history *h, const struct spec *spec) {
  struct limits limits;
  struct check_result r;
  struct problem problem;
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1};
  limits_start(&limits, 0, 0);
  CHECKF(check_history(m, h, spec, &options, &limits, &r, &problem), "%s", problem.text);
  CHECK(r.verdict != VERDICT_UNKNOWN);
  return r.verdict == VERDICT_HOLDS;
}

/* Is A_k of the prefix one of the specification's? Dropped operations count for the intervals, as they did while they
 * were there. */
static bool approx_exact(struct mem *m, const struct spec *spec, const struct execution *x, unsigned events,
                         unsigned k) {
  struct history *h = prefix_of(m, spec, x, events, true), *weak;
  struct interval_order whole, order;
  order_of(m, h, &whole);
  order_approx(m, &whole, k, &order);
  bool out[24] = {0};
  for (unsigned i = 0; i < events; i++) out[x->at[i].op] |= x->at[i].kind == DROP;
  weak = order_history(m, h, &order);
  uint32_t kept[24];
  size_t count = 0;
  for (size_t i = 0; i < weak->ops.count; i++)
    if (!out[weak->ops.at[i].line]) kept[count++] = (uint32_t)i;
  return exact(m, history_restrict(weak, m, kept, count), spec);
}

static void dump(const struct spec *spec, const struct execution *x, unsigned events, unsigned k) {
  struct mem m;
  mem_open(&m, NULL);
  struct text t;
  text_open(&t, &m);
  for (unsigned i = 0; i < events; i++) {
    static const char *const words[] = {"call", "return", "drop", "retire"};
    const struct op *o = &x->ops[x->at[i].op];
    text_printf(&t, "  %-6s %u ", words[x->at[i].kind], x->at[i].op);
    size_t len;
    const char *name = spec_op_name(spec, o->method, &len);
    text_bytes(&t, name, len);
    text_char(&t, ' ');
    value_print(spec->values, x->at[i].kind == CALL ? o->arg[0] : o->result, &t);
    text_char(&t, '\n');
  }
  fprintf(stderr, "%s, k = %u:\n%s", spec->name, k, text_string(&t));
  mem_close(&m);
}

/* Feeds an event; false where the monitor says violated. */
static bool feed(struct monitor *m, const struct execution *x, unsigned i) {
  uint32_t op = x->at[i].op;
  switch (x->at[i].kind) {
  case CALL: monitor_call(m, x->slot[op], x->ops[op].method, x->ops[op].arg); break;
  case RETURN: return monitor_return(m, x->slot[op], x->ops[op].result);
  case DROP: monitor_drop(m, x->slot[op]); break;
  case RETIRE: monitor_retire(m, x->slot[op]); break;
  }
  return true;
}

static void confirm(struct mem *m, struct monitor *monitor, const struct spec *spec, const struct execution *x,
                    unsigned i, unsigned k) {
  struct violation v;
  struct problem problem;
  bool confirmed = monitor_violation(m, monitor, &v, &problem);
  if (!confirmed) dump(spec, x, i + 1, k);
  CHECKF(confirmed, "%s", problem.text);
  CHECK(v.said[0] && v.result.verdict == VERDICT_VIOLATED && v.history->ops.count);
  CHECK(v.events <= i + 1 && v.k == k);
}

struct tally {
  unsigned violations;
};

/* A monitor, new or used. */
static struct monitor *monitor_of(struct mem *m, const struct spec *spec, unsigned k, struct monitor **used) {
  struct problem problem;
  if (!used) {
    struct monitor *new = monitor_new(m, spec, k, &problem);
    CHECKF(new, "%s", problem.text);
    return new;
  }
  if (!used[k]) used[k] = monitor_of(m, spec, k, NULL);
  CHECK(monitor_reset(used[k], spec->values));
  CHECK(!used[k]->events);
  return used[k];
}

/* One execution, all its prefixes: with distinct values the monitor's verdict is that on A_k; otherwise it is never
 * wrong. */
static void compare(const struct spec *named, uint64_t *seed, const struct options *o, unsigned k, bool is_exact,
                    struct tally *tally, struct mem *kept, struct monitor **used) {
  struct mem m;
  struct execution x;
  struct spec spec = *named;
  mem_open(&m, NULL);
  spec.values = values_new(&m);
  random_execution(&m, &spec, seed, o, &x);
  struct monitor *monitor = monitor_of(used ? kept : &m, &spec, k, used);
  bool good = true;
  for (unsigned i = 0; i < x.events && good; i++) {
    good = feed(monitor, &x, i);
    if (x.at[i].kind != RETURN) continue;
    bool right = is_exact ? approx_exact(&m, &spec, &x, i + 1, k)
                          : good || !exact(&m, prefix_of(&m, &spec, &x, i + 1, false), &spec);
    if (is_exact ? right != good : !right) {
      dump(&spec, &x, i + 1, k);
      fprintf(stderr, "the monitor says %s\n", good ? "no violation" : "violated");
    }
    CHECK(is_exact ? right == good : right);
    if (good) continue;
    tally->violations++;
    CHECK(!exact(&m, prefix_of(&m, &spec, &x, i + 1, false), &spec));
    confirm(&m, monitor, &spec, &x, i, k);
  }
  mem_close(&m);
}

static unsigned histories(unsigned fewer) {
  const char *set = getenv("ASIF_TEST_HISTORIES");
  return set ? (unsigned)atoi(set) : fewer;
}

static void against_exact(const char *name, unsigned fewer, unsigned most_ops) {
  struct spec spec;
  struct problem problem;
  struct tally tally = {0};
  struct mem kept;
  struct monitor *used[APPROX_K_MOST + 1] = {NULL};
  mem_open(&kept, NULL);
  CHECK(spec_named(name, &spec, &problem));
  uint64_t seed = 1;
  unsigned count = histories(fewer);
  for (unsigned i = 0; i < count; i++) {
    struct options o = {
        .ops = below(&seed, 3) ? most_ops : 6, .threads = below(&seed, 5) ? 4 : 8, .drops = !below(&seed, 4)};
    if (!below(&seed, 4)) o.values = 1 + (unsigned)below(&seed, 3);
    unsigned k = (unsigned)below(&seed, below(&seed, 5) ? 4 : APPROX_K_MOST + 1);
    compare(&spec, &seed, &o, k, shape_of(&spec)->exact && !o.values, &tally, &kept, below(&seed, 2) ? used : NULL);
  }
  mem_close(&kept);
  CHECKF(tally.violations > count / 100, "%u violations", tally.violations);
}

TEST(approx_elements_queue) { against_exact("queue", 3000, 12); }
TEST(approx_elements_stack) { against_exact("stack", 3000, 12); }
TEST(approx_elements_weak_queue) { against_exact("weak-queue", 1500, 12); }
TEST(approx_elements_weak_stack) { against_exact("weak-stack", 1500, 12); }
TEST(approx_elements_weak_bag) { against_exact("weak-bag", 1500, 10); }
TEST(approx_elements_weak_bounded_queue) { against_exact("weak-bounded-queue(2)", 1500, 10); }
TEST(approx_elements_weak_producer_fifo) { against_exact("weak-producer-fifo", 1500, 10); }
TEST(approx_elements_deque) { against_exact("deque", 1500, 9); }
TEST(approx_elements_bounded_queue) { against_exact("bounded-queue(2)", 1500, 10); }
TEST(approx_elements_semiqueue) { against_exact("semiqueue", 1500, 10); }
TEST(approx_elements_k_fifo) { against_exact("k-fifo", 1500, 10); }
TEST(approx_elements_producer_fifo) { against_exact("producer-fifo", 1500, 10); }
TEST(approx_elements_priority_queue) { against_exact("priority-queue", 1500, 10); }
TEST(approx_elements_max_priority_queue) { against_exact("max-priority-queue", 1500, 10); }
TEST(approx_elements_bounded_priority_queue) { against_exact("bounded-priority-queue(2)", 1500, 10); }

/* The event of the first violation, or one past the last. */
static unsigned first_violation(const struct spec *named, const struct execution *x, unsigned k) {
  struct mem m;
  struct problem problem;
  struct spec spec = *named;
  mem_open(&m, NULL);
  spec.values = values_new(&m);
  struct monitor *monitor = monitor_new(&m, &spec, k, &problem);
  CHECKF(monitor, "%s", problem.text);
  unsigned i = 0;
  while (i < x->events && feed(monitor, x, i)) i++;
  mem_close(&m);
  return i;
}

/* A_0, A_1, ... see more and more; and with k at least the length, all there is. */
static void grows_with_k(const char *name, unsigned values, unsigned fewer) {
  struct spec spec;
  struct problem problem;
  CHECK(spec_named(name, &spec, &problem));
  uint64_t seed = 7;
  for (unsigned i = 0; i < histories(fewer); i++) {
    struct mem m;
    struct execution x;
    mem_open(&m, NULL);
    spec.values = values_new(&m);
    random_execution(&m, &spec, &seed, &(struct options){.ops = 9, .threads = 4, .values = values}, &x);
    unsigned seen = UINT32_MAX;
    for (unsigned k = 0; k <= APPROX_K_MOST; k++) {
      unsigned now = first_violation(&spec, &x, k);
      if (now > seen) dump(&spec, &x, x.events, k);
      CHECKF(now <= seen, "seen at event %u with k = %u, but not with %u", seen, k - 1, k);
      seen = now;
    }
    struct interval_order order;
    for (unsigned e = 0; !values && e < x.events && e <= seen; e++) {
      struct history *h = prefix_of(&m, &spec, &x, e + 1, false);
      order_of(&m, h, &order);
      if (order.length > APPROX_K_MOST || x.at[e].kind != RETURN) continue;
      CHECK(exact(&m, h, &spec) == (e < seen));
    }
    mem_close(&m);
  }
}

TEST(approx_elements_grows_queue) { grows_with_k("queue", 0, 500); }
TEST(approx_elements_grows_stack) { grows_with_k("stack", 0, 500); }
TEST(approx_elements_grows_deque) { grows_with_k("deque", 0, 300); }
TEST(approx_elements_grows_repeated) { grows_with_k("queue", 2, 500); }

/* By hand. Events are written "c1 push 5", "r1 5": the slot, the operation, the value or e for empty. */
static const char *said_of(struct mem *m, const char *name, unsigned k, const char *events) {
  struct spec spec;
  struct problem problem;
  struct violation v;
  CHECK(spec_named(name, &spec, &problem));
  spec.values = values_new(m);
  struct monitor *monitor = monitor_new(m, &spec, k, &problem);
  CHECK(monitor);
  bool good = true;
  for (const char *at = events; *at && good;) {
    char what, word[12] = "";
    unsigned slot;
    int len;
    CHECKF(sscanf(at, " %c%u%n", &what, &slot, &len) == 2, "%s", at);
    at += len;
    if (what == 'c') {
      value arg[OP_ARGS] = {V_NONE, V_NONE, V_NONE};
      int v2;
      CHECK(sscanf(at, " %11[a-z-]%n", word, &len) == 1);
      at += len;
      int op = spec_op_find(&spec, word, strlen(word));
      CHECK(op >= 0);
      if (spec.ops[op].args) {
        CHECK(sscanf(at, "%d%n", &v2, &len) == 1);
        at += len;
        arg[0] = value_of_small(v2);
      }
      monitor_call(monitor, slot, (uint16_t)op, arg);
    } else if (what == 'r') {
      int result;
      value r = V_NONE;
      if (sscanf(at, "%d%n", &result, &len) == 1) {
        r = value_of_small(result);
        at += len;
      } else if (!strncmp(at, " e", 2)) {
        r = V_EMPTY;
        at += 2;
      }
      good = monitor_return(monitor, slot, r);
    } else if (what == 'd') {
      monitor_drop(monitor, slot);
    } else {
      monitor_retire(monitor, slot);
    }
    while (*at == ' ' || *at == ',') at++;
  }
  if (good) return "";
  CHECKF(monitor_violation(m, monitor, &v, &problem), "%s", problem.text);
  return v.said;
}

TEST(approx_elements_sentences) {
  static const struct {
    const char *spec;
    unsigned k;
    const char *events, *said;
  } cases[] = {
      {"queue", 0, "c1 pop, r1 7",
       "7 was taken out, but was never put in, or had been taken out already: deq -> 7 in [0,0]"},
      {"stack", 0, "c1 push 7, r1, c1 pop, r1 7, c1 pop, r1 7",
       "7 was put in once and taken out twice: push(7) in [0,0], pop -> 7 in [0,0], pop -> 7 in [0,0]"},
      {"stack", 2, "c1 push 7, r1, c1 pop, r1 7, c1 pop, r1 7",
       "7 was put in once and taken out twice: push(7) in [0,0], pop -> 7 in [1,1], pop -> 7 in [2,2]"},
      {"queue", 1, "c1 enq 7, c2 deq, r2 7, c2 deq, r2 7",
       "7 was put in once and taken out twice: enq(7) in [0,1] (open), deq -> 7 in [0,0], deq -> 7 in [1,1]"},
      {"queue", 0, "c1 enq 7, c2 enq 7, c3 deq, c4 deq, c5 deq, r3 7, r4 7, r5 7",
       "7 was put in 2 times and taken out 3 times"},
      {"queue", 0, "c1 enq 7, c3 deq, r3 7, d1, c4 enq 7, r4",
       "7 was taken out, but was never put in, or had been taken out already: deq -> 7 in [0,0]"},
      {"queue", 1, "c1 enq 3, r1, c1 deq, r1 e",
       "empty was returned although 3 was inside the whole time: enq(3) in [0,0], deq -> empty in [1,1]"},
      {"queue", 1, "c1 enq 3, r1, c1 deq, c2 deq, r1 e", ""},
      {"queue", 1, "c1 enq 3, r1, c1 enq 4, r1, c1 deq, c2 deq, r1 e",
       "empty was returned although at each moment one of 3 or 4 was inside: enq(3) in [0,0], enq(4) in [0,0], deq -> "
       "empty in [1,1]; "
       "and what a removal that is pending may have taken does not help"},
      {"weak-queue", 1, "c1 enq 3, r1, c1 deq, r1 e", ""},
      {"queue", 2, "c1 enq 1, r1, c1 enq 2, r1, c1 deq, r1 2",
       "1 was put in before 2, which was taken out, and never left: enq(2) in [1,1], deq -> 2 in [2,2], enq(1) in "
       "[0,0]"},
      {"queue", 3, "c1 enq 1, r1, c1 enq 2, r1, c3 deq, c1 deq, r1 2, c1 deq, r1 e", ""},
      {"queue", 3, "c1 enq 1, r1, c1 enq 2, r1, c3 deq, c1 deq, r1 2, c1 deq, r3 e",
       "1 was put in before 2, which was taken out, and never left: enq(2) in [1,1], deq -> 2 in [2,2], enq(1) in "
       "[0,0]; "
       "and what a removal that is pending may have taken does not help"},
      {"queue", 2, "c1 enq 1, r1, c1 enq 2, r1, c1 deq, c2 deq, r1 2, c1 enq 3, r1, r2 3",
       "1 was put in before 3, which was taken out, and never left: enq(3) in [2,2], deq -> 3 in [1,2], enq(1) in "
       "[0,0]"},
      {"stack", 3, "c1 push 1, r1, c1 push 2, r1, c1 pop, r1 1",
       "1 was taken out from under 2: push(1) in [0,0], pop -> 1 in [2,2], push(2) in [1,1]"},
      {"deque", 3, "c1 push-back 1, r1, c1 push-back 2, r1, c1 pop-front, r1 2",
       "1 and 2 were not taken out in an order that is allowed: push-back(2) in [1,1], pop-front -> 2 in [2,2], "
       "push-back(1) in [0,0]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct mem m;
    mem_open(&m, NULL);
    const char *said = said_of(&m, cases[i].spec, cases[i].k, cases[i].events);
    CHECKF(!strcmp(said, cases[i].said), "case %zu: %s", i, said);
    mem_close(&m);
  }
}

/* Example 7.1 (Figure 5): an empty pop during which n elements take turns. The families of Figure 4 see it for n = 1
 * only; the complete monitor for every n, with k = n. */
TEST(approx_elements_example_7_1) {
  for (int n = 1; n <= 6; n++)
    for (unsigned k = 0; k <= APPROX_K_MOST; k++) {
      struct mem m;
      struct text t;
      mem_open(&m, NULL);
      text_open(&t, &m);
      text_add(&t, "c1 push 1, r1, c9 pop, ");
      for (int i = 2; i <= n + 1; i++) {
        if (i <= n) text_printf(&t, "c1 push %d, ", i);
        if (i > 2) text_printf(&t, "c2 pop, ");
        if (i <= n) text_printf(&t, "r1, ");
        if (i > 2) text_printf(&t, "r2 %d, ", i - 2);
      }
      text_printf(&t, "r9 e");
      for (int s = 0; s < 2; s++) {
        const char *said = said_of(&m, s ? "stack" : "queue", k, text_string(&t));
        bool early = s && n > 1; /* in a stack the elements' order is wrong already */
        CHECKF(early ? k < 3 || said[0] : !!said[0] == (k >= (unsigned)n), "n = %d, k = %u, %s: %s", n, k,
               s ? "stack" : "queue", said);
        if (!early && said[0]) CHECK(!strncmp(said, "empty was returned although", 27));
      }
      mem_close(&m);
    }
}

/* Long executions, without end in principle: threads with a state each. */
struct run {
  struct monitor *monitor;
  uint64_t seed;
  VEC(uint32_t) inside; /* a ring for a queue */
  uint64_t head, tail, pushed;
  bool stack;
  uint8_t state[8];
  bool pop[8];
  value v[8];
};
enum { RING = 1 << 18 };

static void run_step(struct run *r, uint64_t depth) {
  static const value none[OP_ARGS] = {V_NONE, V_NONE, V_NONE};
  uint64_t dice = random_next(&r->seed);
  unsigned t = dice & 7;
  uint64_t size = r->tail - r->head;
  switch (r->state[t]) {
  case 0:
    r->pop[t] = (dice >> 8) % 100 >= (size < depth ? 55 : 45);
    r->v[t] = value_of_small((int)(++r->pushed % VALUE_SMALL_MAX));
    monitor_call(r->monitor, t, r->pop[t], r->pop[t] ? none : (const value[OP_ARGS]){r->v[t], V_NONE, V_NONE});
    break;
  case 1:
    if (!r->pop[t])
      r->inside.at[r->tail++ % RING] = r->v[t];
    else
      r->v[t] = !size ? V_EMPTY : r->inside.at[(r->stack ? --r->tail : r->head++) % RING];
    break;
  default: CHECK(monitor_return(r->monitor, t, r->pop[t] ? r->v[t] : V_NONE));
  }
  r->state[t] = (uint8_t)((r->state[t] + 1) % 3);
}

/* Memory is that of what is inside, not of what there was: 10 M operations. */
static void long_run(const char *name, uint64_t depth, size_t most) {
  struct mem m;
  struct problem problem;
  struct spec spec;
  struct run r = {.seed = 5, .stack = !strcmp(name, "stack")};
  mem_open(&m, NULL);
  CHECK(spec_named(name, &spec, &problem));
  spec.values = values_new(&m);
  r.monitor = monitor_new(&m, &spec, 2, &problem);
  vec_reserve(&m, &r.inside, RING);
  for (uint64_t i = 0; i < depth; i++) {
    value v[OP_ARGS] = {value_of_small((int)++r.pushed), V_NONE, V_NONE};
    r.inside.at[r.tail++ % RING] = v[0];
    monitor_call(r.monitor, 0, 0, v);
    CHECK(monitor_return(r.monitor, 0, V_NONE));
  }
  for (uint64_t i = 0; i < 30000000; i++) run_step(&r, depth);
  CHECK(r.monitor->events > 19999000);
  size_t bytes = r.monitor->type->bytes(r.monitor);
  CHECKF(bytes < most, "%zu bytes", bytes);
  mem_close(&m);
}
TEST(approx_elements_long_queue) { long_run("queue", 10, 600000); }
TEST(approx_elements_long_stack) { long_run("stack", 10, 600000); }
TEST(approx_elements_long_deep) { long_run("queue", 100000, 5000000); }

/* More values inside than are followed: no false alarm, and those that are followed still are. */
TEST(approx_elements_many_inside) {
  struct mem m;
  struct problem problem;
  struct spec spec;
  enum { MANY = 1500000 };
  mem_open(&m, NULL);
  CHECK(spec_named("queue", &spec, &problem));
  spec.values = values_new(&m);
  struct monitor *monitor = monitor_new(&m, &spec, 2, &problem);
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < MANY; i++) {
      monitor_call(monitor, 0, 0, (value[OP_ARGS]){value_of_small(i), V_NONE, V_NONE});
      CHECK(monitor_return(monitor, 0, V_NONE));
    }
    for (int i = 0; i < MANY; i++) {
      monitor_call(monitor, 0, 1, (value[OP_ARGS]){V_NONE, V_NONE, V_NONE});
      CHECK(monitor_return(monitor, 0, turn ? V_EMPTY : value_of_small(i)) == !turn);
      if (turn) break;
    }
  }
  struct violation v;
  CHECKF(monitor_violation(&m, monitor, &v, &problem), "%s", problem.text);
  CHECK(monitor->type->bytes(monitor) < 40000000);
  mem_close(&m);
}

/* One value pushed again and again: counted, as long as it can be shown. */
TEST(approx_elements_one_value) {
  for (int n = 1; n <= 1000; n *= 10) {
    struct mem m;
    struct problem problem;
    struct spec spec;
    struct violation v;
    mem_open(&m, NULL);
    CHECK(spec_named("stack", &spec, &problem));
    spec.values = values_new(&m);
    struct monitor *monitor = monitor_new(&m, &spec, 2, &problem);
    const value five[OP_ARGS] = {value_of_small(5), V_NONE, V_NONE}, none[OP_ARGS] = {V_NONE, V_NONE, V_NONE};
    monitor_call(monitor, 2, 0, five); /* stays open */
    for (int i = 0; i < n; i++) {
      monitor_call(monitor, 1, 0, five);
      CHECK(monitor_return(monitor, 1, V_NONE));
    }
    for (int i = 0; i <= n; i++) {
      monitor_call(monitor, 1, 1, none);
      CHECK(monitor_return(monitor, 1, five[0]));
    }
    monitor_call(monitor, 1, 1, none);
    CHECK(monitor_return(monitor, 1, five[0]) == (n == 1000));
    if (n < 1000) {
      CHECKF(monitor_violation(&m, monitor, &v, &problem), "%s", problem.text);
      CHECK(v.history->ops.count == 2 * (size_t)n + 3);
    }
    mem_close(&m);
  }
}

/* No false alarm: long executions that are linearizable by construction, with all that can happen in them. */
enum { LANES = 24 };
struct lane {
  uint8_t state; /* 0 idle, 1 called, 2 has taken effect */
  uint32_t slot;
  struct op op;
};

static void no_false_alarm(const char *name, unsigned k, uint64_t seed, unsigned steps) {
  struct mem m;
  struct problem problem;
  struct spec spec;
  struct lane lanes[LANES] = {{0}};
  struct outcomes now, next;
  mem_open(&m, NULL);
  CHECK(spec_named(name, &spec, &problem));
  spec.values = values_new(&m);
  struct monitor *monitor = monitor_new(&m, &spec, k, &problem);
  outcomes_open(&now, &m);
  outcomes_open(&next, &m);
  spec.init(&spec, &now);
  size_t at = 0;
  int fresh = 1;
  uint32_t slots = LANES;
  unsigned pushes = spec.op_count / 2, few = (unsigned)below(&seed, 3), lazy = 1 + (unsigned)below(&seed, 4),
           most = 1 + (unsigned)below(&seed, LANES);
  for (unsigned i = 0; i < LANES; i++) lanes[i].slot = i;
  for (unsigned i = 0; i < steps; i++) {
    struct lane *l = &lanes[below(&seed, most)];
    if (l->state && below(&seed, lazy)) continue;
    if (l->state == 0) {
      uint32_t inside = spec.elements(&spec, outcomes_state(&now, at));
      bool push = below(&seed, 100) < (inside > 12 ? 25 : below(&seed, 20) ? 52 : 20);
      l->op = (struct op){
          .result = V_UNKNOWN, .process = l->slot, .method = (uint16_t)((push ? 0 : pushes) + below(&seed, pushes))};
      for (int a = 0; a < OP_ARGS; a++) l->op.arg[a] = V_NONE;
      bool again = few && (few > 1 || !below(&seed, 8)); /* no value twice, a few, or many */
      if (push) l->op.arg[0] = value_of_small(again ? -1 - (int)below(&seed, few > 1 ? 20 : 5) : fresh++);
      monitor_call(monitor, l->slot, l->op.method, l->op.arg);
      l->state = 1;
    } else if (l->state == 1) {
      outcomes_clear(&next);
      spec.step(&spec, outcomes_state(&now, at), &l->op, &next);
      if (!next.list.count) continue;
      at = below(&seed, next.list.count);
      l->op.result = next.list.at[at].result;
      struct outcomes swap = now;
      now = next;
      next = swap;
      l->state = 2;
      if (below(&seed, 500)) continue;
      monitor_retire(monitor, l->slot); /* as good as done, but nobody will know */
      l->slot = slots++;
      l->state = 0;
    } else {
      bool good = monitor_return(monitor, l->slot, below(&seed, 100) ? l->op.result : V_UNKNOWN);
      struct violation v;
      if (!good) monitor_violation(&m, monitor, &v, &problem);
      CHECKF(good, "%s, k = %u: %s", name, k, v.said);
      l->state = 0;
    }
    if (l->state == 1 && !below(&seed, 300)) {
      monitor_drop(monitor, l->slot);
      l->state = 0;
    }
  }
  mem_close(&m);
}

TEST(approx_elements_no_false_alarm) {
  static const char *const names[] = {"queue",
                                      "stack",
                                      "weak-queue",
                                      "weak-stack",
                                      "deque",
                                      "bounded-queue(3)",
                                      "semiqueue",
                                      "k-fifo",
                                      "producer-fifo",
                                      "priority-queue",
                                      "max-priority-queue",
                                      "bounded-priority-queue(3)"};
  const char *set = getenv("ASIF_TEST_HISTORIES");
  unsigned steps = set ? (unsigned)atoi(set) : 5000;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (unsigned k = 0; k <= 4; k++)
      for (uint64_t seed = 0; seed < 3; seed++)
        no_false_alarm(names[i], k == 4 ? APPROX_K_MOST : k, seed * 100 + k, steps);
}

TEST(approx_elements_refused) {
  struct mem m;
  struct problem problem;
  struct spec spec;
  mem_open(&m, NULL);
  CHECK(spec_named("queue", &spec, &problem));
  spec.values = values_new(&m);
  CHECK(monitor_exists(&spec) && !monitor_new(&m, &spec, 9, &problem));
  CHECKF(!strcmp(problem.text, "k is 9, but approximations go up to k = 8"), "%s", problem.text);
  CHECK(spec_named("map", &spec, &problem));
  CHECK(!monitor_exists(&spec) && !monitor_new(&m, &spec, 2, &problem));
  CHECKF(strstr(problem.text, "no monitor of the specification 'map', but of") && strstr(problem.text, ", deque, "),
         "%s", problem.text);
  mem_close(&m);
}
