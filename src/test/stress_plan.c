/* Which calls a round makes, and in what shape. Races need overlap, and no one shape of a round overlaps best: few
 * threads and many, more threads than cores, calls at once after all have met and calls with little pauses, threads
 * that stay on their core and threads that move. Every round has another. */
#include <string.h>
#include <unistd.h>

#include "test/stress.h"

static unsigned cores(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > STRESS_THREADS / 2 ? STRESS_THREADS / 2 : (unsigned)n;
}

/* Where no role is for all the threads that are left, there are no more threads than roles say. */
static unsigned roles_most(const struct object *o) {
  long sum = 0;
  for (unsigned i = 0; i < o->role_count; i++) {
    if (o->roles[i].threads < 0) return STRESS_THREADS;
    sum += o->roles[i].threads;
  }
  return !o->role_count || sum > STRESS_THREADS ? STRESS_THREADS : (unsigned)sum;
}

unsigned stress_threads_most(const struct stress_options *p, const struct object *o) {
  unsigned asked = p->calls ? p->calls->threads : p->threads ? p->threads : 2 * cores() > 4 ? 2 * cores() : 4;
  unsigned most = p->calls ? STRESS_THREADS : roles_most(o);
  return asked < most ? asked : most;
}

/* What each of so many threads may call: roles, as many of each as there are, in random order. */
static void deal_roles(struct stress_plan *p, unsigned threads, uint64_t *may) {
  const struct object *o = p->object;
  unsigned count = 0, most = stress_threads_most(p->options, o);
  uint64_t all = o->op_count >= 64 ? UINT64_MAX : ((uint64_t)1 << o->op_count) - 1, rest = o->role_count ? 0 : all;
  uint64_t hand[STRESS_THREADS];
  for (unsigned i = 0; i < o->role_count; i++) {
    if (o->roles[i].threads < 0) rest = o->roles[i].ops;
    for (long n = 0; n < o->roles[i].threads && count < most; n++) hand[count++] = o->roles[i].ops;
  }
  while (count < most) hand[count++] = rest;
  for (unsigned i = 0; i < threads; i++) {
    unsigned k = i + stress_below(&p->random, count - i);
    may[i] = hand[k];
    hand[k] = hand[i];
  }
}

static unsigned random_op(struct stress_plan *p, uint64_t may) {
  unsigned n = stress_below(&p->random, (uint32_t)__builtin_popcountll(may));
  while (n--) may &= may - 1;
  return (unsigned)__builtin_ctzll(may);
}

/* Random ones; in some rounds each the next one instead: equal values hide in which order they went in. */
static void random_args(struct stress_plan *p, unsigned op, long *arg) {
  const struct object_op *o = &p->object->ops[op];
  for (unsigned i = 0; i < CALL_ARGS; i++) {
    uint64_t span = (uint64_t)o->in[i].high - (uint64_t)o->in[i].low + 1, r;
    if (i >= o->arg_count) {
      arg[i] = 0;
      continue;
    }
    r = p->in_turn ? p->turn++ : stress_random(&p->random);
    arg[i] = (long)((uint64_t)o->in[i].low + (span ? r % span : r));
  }
}

/* Those of the operations that some object may keep waiting: they take out what others must first bring in. */
static uint64_t takers(const struct stress_area *a) {
  uint64_t t = 0;
  for (uint32_t i = 0; i < a->ops; i++)
    if (a->op[i].takes) t |= (uint64_t)1 << i;
  return t;
}

static uint64_t bringers(const struct stress_area *a) {
  uint64_t b = 0;
  for (uint32_t i = 0; i < a->ops; i++)
    if (a->op[i].grows > 0) b |= (uint64_t)1 << i;
  return b;
}

/* --- calls that are allowed ---
 *
 * Where it matters who calls (locks: only the holder releases) a thread's calls are those that it could make alone, and
 * it ends where it began, so that no other waits for it in vain. A try that returns false is followed by what could be
 * called without it: by that which the thread would do once it has given back what it has not got. */

struct alone {
  struct mem *mem;
  struct spec spec;
  struct outcomes from, to, start;
  size_t at;
};

static void alone_open(struct alone *w, struct mem *m, const struct object *o) {
  w->mem = m;
  w->spec = o->spec;
  w->spec.values = values_new(m);
  w->at = 0;
  outcomes_open(&w->from, m);
  outcomes_open(&w->to, m);
  outcomes_open(&w->start, m);
  w->spec.init(&w->spec, &w->from);
  w->spec.init(&w->spec, &w->start);
}

static bool same_state(struct state a, struct state b) { return a.size == b.size && !memcmp(a.at, b.at, a.size); }

/* Makes the call, if it can be made; home: only if that leads to the beginning. */
static bool alone_call(struct alone *w, const struct object *o, const struct stress_call *c, uint32_t thread,
                       bool home) {
  struct op op = {.method = (uint16_t)o->ops[c->op].method,
                  .process = thread,
                  .result = V_UNKNOWN,
                  .arg = {V_NONE, V_NONE, V_NONE}};
  for (unsigned k = 0; k < o->ops[c->op].arg_count; k++)
    op.arg[k] = value_int((struct values *)w->spec.values, c->arg[k]);
  outcomes_clear(&w->to);
  w->spec.step(&w->spec, outcomes_state(&w->from, w->at), &op, &w->to);
  if (!w->to.list.count || (home && !same_state(outcomes_state(&w->to, 0), outcomes_state(&w->start, 0)))) return false;
  struct outcomes swap = w->from;
  w->from = w->to, w->to = swap, w->at = 0;
  return true;
}

static bool alone_home(const struct alone *w) {
  return same_state(outcomes_state(&w->from, w->at), outcomes_state(&w->start, 0));
}

static struct state copy_state(struct mem *m, struct state s) {
  void *at = mem_alloc(m, s.size + 1);
  if (s.size) memcpy(at, s.at, s.size);
  return (struct state){at, s.size};
}

/* before: the states in which the calls were made, and the last one. */
static void plan_skips(const struct object *o, struct stress_call *c, const struct state *before, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (o->spec.ops[o->ops[c[i].op].method].pure != PURE_IF_FALSE) continue;
    uint32_t next = i + 1;
    while (next < n && !same_state(before[i], before[next])) next++;
    c[i].skips = next - i - 1;
  }
}

static void plan_allowed(struct stress_plan *p, struct stress_area *a, uint32_t thread, uint64_t may, uint32_t count) {
  struct mem *m = mem_child(p->mem);
  struct stress_call *c = stress_calls(a, thread);
  struct alone w;
  uint32_t n = 0;
  struct state *before = mem_zero(m, 2 * (size_t)count + 2, sizeof *before);
  alone_open(&w, m, p->object);
  for (uint32_t tries = 0; tries < 20 * count && w.start.list.count; tries++) {
    if (n >= count && (alone_home(&w) || n >= 2 * count)) break;
    c[n] = (struct stress_call){.op = (uint16_t)random_op(p, may)};
    random_args(p, c[n].op, c[n].arg);
    struct state now = outcomes_state(&w.from, w.at);
    before[n] = copy_state(m, now);
    n += alone_call(&w, p->object, &c[n], thread, n >= count);
  }
  plan_skips(p->object, c, before, n);
  a->thread[thread].planned = n;
  mem_close(m);
}

/* Calls of a thread; where they are to be fed, of one that at any time has brought in as much as it takes. */
static void plan_thread(struct stress_plan *p, struct stress_area *a, uint32_t thread, uint64_t may, uint32_t count) {
  struct stress_call *c = stress_calls(a, thread);
  uint64_t take = p->fed ? takers(a) : 0, bring = p->fed ? bringers(a) & ~take : 0;
  int64_t brought = 0;
  uint32_t n = 0;
  if (p->object->spec.by_process) {
    plan_allowed(p, a, thread, may, count);
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    uint64_t now = may & ~(brought > 0 ? 0 : take) & ~(brought < a->thread[thread].room_inside ? 0 : bring);
    if (!now) continue; /* it does nothing but take */
    unsigned op = random_op(p, now);
    brought += a->op[op].grows > 0 ? 1 : take >> op & 1 ? -1 : 0;
    c[n] = (struct stress_call){.op = (uint16_t)op};
    random_args(p, op, c[n++].arg);
  }
  a->thread[thread].planned = n;
}

/* --- rounds in which nobody waits for ever ---
 *
 * Two ways: a thread never takes more than it has brought before; or some threads only bring, and the others together
 * take no more than those bring in all: then others often wait, which is when an object is near empty. */

static void plan_takers(struct stress_plan *p, struct stress_area *a, const uint64_t *may, uint32_t count) {
  uint64_t take = takers(a);
  int64_t left = 0;
  for (uint32_t t = 0; t < a->threads; t++)
    for (uint32_t i = 0; i < a->thread[t].planned; i++) {
      unsigned op = stress_calls(a, t)[i].op;
      left += a->op[op].grows > 0 ? 1 : take >> op & 1 ? -1 : 0;
    }
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t t = 0; t < a->threads; t++) {
      uint64_t now = may[t] & ~(left > 0 ? 0 : take) & ~(p->options->bound < 0 ? 0 : bringers(a) & ~take);
      if (a->thread[t].planned != i || !now) continue; /* planned already, or nothing is left for it */
      struct stress_call *c = &stress_calls(a, t)[i];
      *c = (struct stress_call){.op = (uint16_t)random_op(p, now)};
      random_args(p, c->op, c->arg);
      left -= take >> c->op & 1;
      a->thread[t].planned++;
    }
}

static void plan_fed(struct stress_plan *p, struct stress_area *a, const uint64_t *may, uint32_t count) {
  uint64_t take = takers(a), bring = bringers(a);
  bool each = p->options->bound >= 0 || stress_below(&p->random, 3) == 0;
  uint32_t feeder = stress_below(&p->random, a->threads);
  for (uint32_t t = 0; t < a->threads; t++) {
    bool feeds = (t == feeder || stress_below(&p->random, 3) == 0) && (may[t] & bring & ~take);
    if (each || feeds)
      plan_thread(p, a, t, each ? may[t] : may[t] & ~take, count);
    else
      a->thread[t].planned = 0;
  }
  plan_takers(p, a, may, count);
}

static void deal_room(struct stress_plan *p, struct stress_area *a) {
  long bound = p->options->bound;
  for (uint32_t t = 0; t < a->threads; t++) {
    a->thread[t].skip = 0;
    a->thread[t].room_inside = bound < 0 ? INT32_MAX / 2 : (int32_t)(bound / a->threads);
    atomic_store(&a->thread[t].begun, 0);
    atomic_store(&a->thread[t].done, 0);
  }
  for (long rest = bound < 0 ? 0 : bound % a->threads; rest; rest--)
    a->thread[stress_below(&p->random, a->threads)].room_inside++;
}

static void shape(struct stress_plan *p, struct stress_area *a) {
  uint64_t *r = &p->random;
  static const uint32_t often[] = {1, 2, 3, 5, 10, UINT32_MAX}, longest[] = {0, 0, 20, 100, 400, 2000};
  static const uint32_t chances[] = {3, 8, 20, 50, 200};
  uint32_t meet = often[stress_below(r, 6)], pause = longest[stress_below(r, 6)];
  bool yields = stress_below(r, 4) == 0;
  for (uint32_t t = 0; t < a->threads; t++)
    for (uint32_t i = 0; i < a->thread[t].planned; i++) {
      struct stress_call *c = &stress_calls(a, t)[i];
      c->together = !p->fed && !a->lasts && i && i % meet == 0;
      c->yields = yields && stress_below(r, 4) == 0;
      c->pause = pause ? stress_below(r, pause) : 0;
    }
  uint32_t pins = stress_below(r, 10);
  a->pin = pins < 6 ? STRESS_FREE : pins < 9 ? STRESS_SPREAD : STRESS_ONE_CORE;
  a->chance = p->perturbed ? chances[stress_below(r, 5)] : 0;
  a->seed = stress_random(r);
}

static void begin(struct stress_area *a, unsigned threads, enum stress_kind kind) {
  a->kind = kind;
  a->threads = threads;
  a->room = STRESS_CALLS_MOST;
  a->lasts = 0;
  a->failed[0] = 0;
  atomic_store(&a->arrived, 0);
  atomic_store(&a->sleepers, 0);
  atomic_store(&a->began, 0);
  atomic_store(&a->ended, 0);
  atomic_store(&a->over, false);
}

void stress_plan_random(struct stress_plan *p, struct stress_area *a) {
  static const uint32_t lengths[STRESS_LENGTHS] = {2, 3, 5, 8, 15, 30, 60, 200};
  const struct stress_options *o = p->options;
  unsigned most = stress_threads_most(o, p->object);
  uint64_t may[STRESS_THREADS];
  begin(a, o->threads || most <= 2 || stress_below(&p->random, 3) ? most : 2 + stress_below(&p->random, most - 1),
        STRESS_RECORD);
  if (o->time > 0) a->lasts = (int64_t)(o->time * 1e9);
  p->in_turn = stress_below(&p->random, 2);
  p->turn = stress_random(&p->random) & 0xffff;
  unsigned longest = p->perturbed && p->longest > 5 ? 5 : p->longest;
  uint32_t count = a->lasts ? a->room / 2 : o->ops ? o->ops : lengths[stress_below(&p->random, longest + 1)];
  deal_roles(p, a->threads, may);
  deal_room(p, a);
  if (p->fed && !p->object->spec.by_process)
    plan_fed(p, a, may, count);
  else
    for (uint32_t t = 0; t < a->threads; t++) plan_thread(p, a, t, may[t], count);
  shape(p, a);
  /* All meet equally often, or some would wait for ever. */
  uint32_t fewest = UINT32_MAX;
  for (uint32_t t = 0; t < a->threads; t++)
    if (a->thread[t].planned < fewest) fewest = a->thread[t].planned;
  for (uint32_t t = 0; t < a->threads; t++)
    for (uint32_t i = fewest; i < a->thread[t].planned; i++) stress_calls(a, t)[i].together = false;
}

void stress_plan_given(struct stress_plan *p, struct stress_area *a) {
  const struct client *c = p->options->calls;
  begin(a, c->threads, STRESS_RECORD);
  deal_room(p, a);
  for (uint32_t t = 0; t < a->threads; t++) {
    a->thread[t].planned = c->first[t + 1] - c->first[t];
    for (uint32_t i = 0; i < a->thread[t].planned; i++) {
      const struct call *call = &c->calls[c->first[t] + i];
      stress_calls(a, t)[i] = (struct stress_call){.op = (uint16_t)call->op};
      memcpy(stress_calls(a, t)[i].arg, call->arg, sizeof call->arg);
    }
  }
  shape(p, a);
  for (uint32_t t = 0; t < a->threads; t++)
    for (uint32_t i = 0; i < a->thread[t].planned; i++) stress_calls(a, t)[i].together = false;
}

void stress_plan_measure(struct stress_plan *p, struct stress_area *a, unsigned threads, enum stress_kind kind,
                         double seconds) {
  uint64_t may[STRESS_THREADS];
  begin(a, threads, kind);
  a->lasts = (int64_t)(seconds * 1e9);
  a->pin = STRESS_FREE;
  a->chance = 0;
  deal_roles(p, threads, may);
  deal_room(p, a);
  for (uint32_t t = 0; t < threads; t++) {
    plan_thread(p, a, t, may[t], 1000); /* fed: what a thread takes it has brought */
    memset(a->thread[t].calls, 0, sizeof a->thread[t].calls);
    memset(a->latency[t], 0, a->ops * sizeof a->latency[t][0]);
  }
}

/* --- how operations change what is inside --- */

static enum stress_result kind_of(value result) {
  return result == V_FALSE   ? STRESS_FALSE
         : result == V_EMPTY ? STRESS_EMPTY
         : result == V_FULL  ? STRESS_FULL
                             : STRESS_OTHER;
}

enum { WALK = 2000, UNSEEN = -128, INSIDE_MOST = 12 };

static void walk(struct stress_plan *p, struct mem *m, struct stress_op *ops) {
  const struct object *o = p->object;
  const struct spec *s = &o->spec;
  struct values *values = values_new(m);
  struct spec bound = *s;
  struct outcomes from, to;
  bound.values = values;
  outcomes_open(&from, m);
  outcomes_open(&to, m);
  s->init(&bound, &from);
  size_t at = 0;
  for (unsigned n = 0; n < WALK && from.list.count; n++) {
    unsigned i = stress_below(&p->random, o->op_count);
    long arg[CALL_ARGS];
    random_args(p, i, arg);
    struct op op = {.method = (uint16_t)o->ops[i].method, .result = V_UNKNOWN, .arg = {V_NONE, V_NONE, V_NONE}};
    for (unsigned k = 0; k < o->ops[i].arg_count; k++) op.arg[k] = value_int(values, arg[k]);
    outcomes_clear(&to);
    s->step(&bound, outcomes_state(&from, at), &op, &to);
    uint32_t before = s->elements(&bound, outcomes_state(&from, at));
    for (size_t k = 0; k < to.list.count; k++) {
      int change = (int)s->elements(&bound, outcomes_state(&to, k)) - (int)before;
      int8_t *known = &ops[i].change[kind_of(to.list.at[k].result)];
      if (change > *known) *known = (int8_t)(change > 100 ? 100 : change);
      ops[i].takes |= change < 0;
    }
    if (!to.list.count) continue;
    struct outcomes swap = from;
    size_t next = stress_below(&p->random, (uint32_t)to.list.count);
    if (s->elements(&bound, outcomes_state(&to, next)) > INSIDE_MOST) continue;
    from = to, to = swap, at = next;
  }
}

void stress_changes(struct mem *m, const struct object *o, struct stress_op *ops) {
  struct stress_plan p = {.mem = m, .object = o, .random = 1};
  for (unsigned i = 0; i < o->op_count; i++) memset(ops[i].change, o->spec.elements ? UNSEEN : 0, sizeof ops[i].change);
  if (o->spec.elements && !o->self) walk(&p, m, ops);
  for (unsigned i = 0; i < o->op_count; i++) {
    struct stress_op *op = &ops[i];
    const struct spec_op *spec_op = &o->spec.ops[o->ops[i].method];
    int most = UNSEEN;
    for (unsigned r = 0; r < STRESS_RESULTS; r++) most = op->change[r] > most ? op->change[r] : most;
    if (most == UNSEEN) most = 0;
    for (unsigned r = 0; r < STRESS_RESULTS; r++)
      if (op->change[r] == UNSEEN) op->change[r] = (int8_t)most; /* a result that was not seen: the worst is assumed */
    if (spec_op->result == RESULT_NONE_FULL) op->change[STRESS_FALSE] = op->change[STRESS_FULL];
    op->grows = (int8_t)(most > 0 ? most : 0);
    op->truth = spec_op->result == RESULT_BOOL;
  }
}
