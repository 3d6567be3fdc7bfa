/* The element monitor against the exact checker: on A_k of every prefix of random histories. */
#include <string.h>
#include <time.h>

#include "approx/monitor.h"
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
static void random_execution(struct mem *m, const struct spec *spec, uint64_t *seed, const struct options *o, struct execution *x) {
  struct outcomes now, next;
  outcomes_open(&now, m);
  outcomes_open(&next, m);
  spec->init(spec, &now);
  unsigned threads = 1 + (unsigned)below(seed, o->threads), open[8], free_slot = 0, wrong = (unsigned)below(seed, 3) ? 0 : 4;
  unsigned wish = 2 + (unsigned)below(seed, o->ops - 1), pushes = spec->op_count / 2, hurry = 1 + (unsigned)below(seed, 6);
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
      *op = (struct op){.process = i, .result = V_UNKNOWN, .method = (uint16_t)((push ? 0 : pushes) + below(seed, pushes))};
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
static struct history *prefix_of(struct mem *m, const struct spec *spec, const struct execution *x, unsigned events, bool dropped) {
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

/* Is A_k of the prefix one of the specification's? Dropped operations count for the intervals, as they did while they were there. */
static bool approx_exact(struct mem *m, const struct spec *spec, const struct execution *x, unsigned events, unsigned k) {
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

static void confirm(struct mem *m, struct monitor *monitor, const struct spec *spec, const struct execution *x, unsigned i, unsigned k) {
  struct violation v;
  struct problem problem;
  bool confirmed = monitor_violation(m, monitor, &v, &problem);
  if (!confirmed) dump(spec, x, i + 1, k);
  CHECKF(confirmed, "%s", problem.text);
  CHECK(v.said[0] && v.result.verdict == VERDICT_VIOLATED && v.history->ops.count);
  CHECK(v.events <= i + 1 && v.k == k);
}

struct tally {
  unsigned violations, missed;
};

/* One execution, all its prefixes: with distinct values the monitor's verdict is that on A_k; otherwise it is never wrong. */
static void compare(const struct spec *named, uint64_t *seed, const struct options *o, unsigned k, bool is_exact, struct tally *tally) {
  struct mem m;
  struct problem problem;
  struct execution x;
  struct spec spec = *named;
  mem_open(&m, NULL);
  spec.values = values_new(&m);
  random_execution(&m, &spec, seed, o, &x);
  struct monitor *monitor = monitor_new(&m, &spec, k, &problem);
  CHECKF(monitor, "%s", problem.text);
  bool good = true;
  for (unsigned i = 0; i < x.events && good; i++) {
    good = feed(monitor, &x, i);
    if (x.at[i].kind != RETURN) continue;
    bool right = is_exact ? approx_exact(&m, &spec, &x, i + 1, k) : good || !exact(&m, prefix_of(&m, &spec, &x, i + 1, false), &spec);
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

static void against_exact(const char *name, bool is_exact, unsigned fewer, unsigned most_ops) {
  struct spec spec;
  struct problem problem;
  struct tally tally = {0};
  CHECK(spec_named(name, &spec, &problem));
  uint64_t seed = 1;
  unsigned count = histories(fewer);
  for (unsigned i = 0; i < count; i++) {
    struct options o = {.ops = below(&seed, 3) ? most_ops : 6, .threads = below(&seed, 5) ? 4 : 8, .drops = !below(&seed, 4)};
    if (!below(&seed, 4)) o.values = 1 + (unsigned)below(&seed, 3);
    unsigned k = (unsigned)below(&seed, below(&seed, 5) ? 4 : APPROX_K_MOST + 1);
    compare(&spec, &seed, &o, k, is_exact && !o.values, &tally);
  }
  CHECKF(tally.violations > count / 100, "%u violations", tally.violations);
}

TEST(approx_elements_queue) { against_exact("queue", true, 3000, 12); }
TEST(approx_elements_stack) { against_exact("stack", true, 3000, 12); }
TEST(approx_elements_weak_queue) { against_exact("weak-queue", true, 1500, 12); }
TEST(approx_elements_weak_stack) { against_exact("weak-stack", true, 1500, 12); }
TEST(approx_elements_deque) { against_exact("deque", true, 1500, 9); }
TEST(approx_elements_bounded_queue) { against_exact("bounded-queue(2)", false, 1500, 10); }
TEST(approx_elements_semiqueue) { against_exact("semiqueue", false, 1500, 10); }
TEST(approx_elements_k_fifo) { against_exact("k-fifo", false, 1500, 10); }
TEST(approx_elements_producer_fifo) { against_exact("producer-fifo", false, 1500, 10); }
TEST(approx_elements_priority_queue) { against_exact("priority-queue", false, 1500, 10); }
TEST(approx_elements_max_priority_queue) { against_exact("max-priority-queue", false, 1500, 10); }
TEST(approx_elements_bounded_priority_queue) { against_exact("bounded-priority-queue(2)", false, 1500, 10); }
