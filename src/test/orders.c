/* The histories of a happens-before trace: in which orders its calls and returns may come.
 *
 * The order of a call and a return of another thread matters to the history and to nothing else. So a search (dpor.c)
 * need not run the code to try both: it takes one schedule of each trace of accesses, and from what must come before
 * what in it follows every history that a schedule with this trace can have. These are made here, each as a schedule,
 * and the run that it leads to: the same steps with the same results. But only those that were not seen, of which there
 * are few.
 *
 * Of two histories with the same results, one of which has all operations in order that the other has, only that one is
 * needed: if it is linearizable the other is. So a return comes as early as it can, and a call only when some return
 * cannot come without it. What remains to be chosen is which return that is.
 *
 * What is remembered of a trace is what its histories follow from: what must come before each call and each return, and
 * the results. */
#include "test/explore.h"

#include <string.h>

#include "base/hash.h"

enum { PLACES = 2 * ORDERS_MOST };

/* A step with which an operation is called, or returns: of call c it has the number 2 c, or 2 c + 1; if that is the
 * same step, 2 c. */
struct place {
  uint32_t event;
  uint64_t before; /* the places that must come before it */
};

/* What follows from the moments of threads up to one. */
struct made {
  size_t step;
  uint64_t calls, returns;
  struct hash results, trace;
};

struct orders {
  struct mem *mem;
  struct hashes *traces, *histories; /* seen */
  struct place places[PLACES];
  uint64_t calls, returns; /* places */
  uint64_t of_thread[FIBERS_MOST];
  struct made made[PLACES]; /* of the last run's moments, in their order */
  size_t made_count;
  struct hash results;
  const struct trace *trace;
  const uint32_t *clocks;
  size_t stride;
  uint8_t order[PLACES]; /* places */
  unsigned taken;        /* of these */
  VEC(struct choice) choices;
  VEC(bool) chosen;     /* events */
  VEC(uint32_t) events; /* as they are chosen */
  struct hash wanted;
  struct run run;           /* the one given, and then what follows from it */
  VEC(struct moment) given; /* its moments */
  VEC(struct moment) moments;
  VEC(struct step) steps;
  VEC(uint32_t) at; /* of an event: which step it is now */
  orders_user *use;
  void *self;
};

static inline uint64_t bit(unsigned place) { return (uint64_t)1 << place; }

static inline struct hash add(struct hash sum, uint64_t a, uint64_t b) {
  uint64_t h = hash_mix(a * 0x9e3779b97f4a7c15u ^ hash_mix(b + 1));
  return (struct hash){sum.low + h, sum.high + hash_mix(h ^ b * 0xff51afd7ed558ccdu)};
}

struct orders *orders_open(struct mem *mem, size_t bytes) {
  struct orders *o = mem_zero(mem, 1, sizeof *o);
  o->mem = mem;
  o->traces = hashes_open_own(bytes);
  o->histories = hashes_open_own(bytes);
  if (o->traces && o->histories) return o;
  orders_close(o);
  return NULL;
}

void orders_close(struct orders *o) {
  hashes_close(o->traces);
  hashes_close(o->histories);
}

bool orders_possible(const struct client *c) { return client_calls(c) <= ORDERS_MOST; }

static uint64_t result_key(const struct moment *m) { return (uint64_t)m->call << 1 | m->is_return; }

/* What followed the threads' moments, of which there are so many. */
static struct hash add_after(struct hash h, const struct run *r, size_t threads) {
  uint64_t last = 0;
  for (size_t i = threads; i < r->moment_count; i++)
    h = add(h, last = hash_mix(last + r->moments[i].is_return + 1), (uint64_t)r->moments[i].result);
  return (struct hash){h.low + r->found, h.high + r->forsaken};
}

/* What returned, and what followed the threads: the same for all histories of a trace. */
static struct hash results_of(const struct run *r) {
  struct hash h = {0, 0};
  size_t i = 0;
  for (; i < r->moment_count && r->moments[i].fiber < r->client->threads; i++)
    h = add(h, result_key(&r->moments[i]), (uint64_t)r->moments[i].result);
  return add_after(h, r, i);
}

/* A history is the results, and what has returned before each call. */
static struct hash with_call(struct hash h, uint32_t call, uint64_t returned) {
  return add(h, call + ((uint64_t)1 << 32), returned);
}

static struct hash history_of(const struct run *r) {
  struct hash h = results_of(r);
  uint64_t returned = 0;
  for (size_t i = 0; i < r->moment_count; i++) {
    const struct moment *m = &r->moments[i];
    if (m->fiber >= r->client->threads) continue;
    if (m->is_return)
      returned |= bit(m->call);
    else
      h = with_call(h, m->call, returned);
  }
  return h;
}

/* The order as it stands. */
static struct hash history_of_order(const struct orders *o) {
  struct hash h = o->results;
  uint64_t returned = 0;
  for (unsigned i = 0; i < o->taken; i++) {
    unsigned p = o->order[i];
    if (o->calls & bit(p)) h = with_call(h, p / 2, returned);
    if (o->returns & bit(p)) returned |= bit(p / 2);
  }
  return h;
}

static uint64_t places_up_to(uint32_t calls) { return calls == ORDERS_MOST ? UINT64_MAX : bit(2 * calls) - 1; }

/* What must come before a place: of each thread, what the clock of the place's event has. */
static uint64_t find_before(const struct orders *o, const struct client *c, const struct place *place) {
  const uint32_t *clock = o->clocks + place->event * o->stride;
  uint64_t before = 0;
  for (unsigned t = 0; t < c->threads; t++)
    for (uint64_t of = (o->calls | o->returns) & o->of_thread[t]; of && o->places[__builtin_ctzll(of)].event < clock[t];
         of &= of - 1)
      before |= of & -of;
  return before;
}

static void make_moment(struct orders *o, const struct client *c, const struct moment *m, struct made *to) {
  unsigned p = 2 * m->call;
  if (m->is_return && o->places[p].event != m->step) p++;
  *(m->is_return ? &o->returns : &o->calls) |= bit(p);
  o->places[p].event = m->step;
  uint64_t before = find_before(o, c, &o->places[p]);
  o->places[p].before = before & ~bit(p);
  to->trace = add(to->trace, p + ((uint64_t)m->is_return << 32), before);
  to->results = add(to->results, result_key(m), (uint64_t)m->result);
  to->step = m->step;
  to->calls = o->calls;
  to->returns = o->returns;
}

/* The places of a run, what must come before each, and the results; gives a hash of all that. What follows from moments
 * before step `same` is known. */
static struct hash read_run(struct orders *o, const struct run *r, size_t same) {
  const struct client *c = r->client;
  while (o->made_count && o->made[o->made_count - 1].step >= same) o->made_count--;
  for (unsigned t = 0; t < c->threads && !o->made_count; t++)
    o->of_thread[t] = c->first[t] == c->first[t + 1] ? 0 : places_up_to(c->first[t + 1]) & ~places_up_to(c->first[t]);
  struct made last = {0};
  if (o->made_count) last = o->made[o->made_count - 1];
  o->calls = last.calls;
  o->returns = last.returns;
  size_t i = o->made_count;
  for (; i < r->moment_count && r->moments[i].fiber < c->threads; i++) {
    make_moment(o, c, &r->moments[i], &last);
    o->made[o->made_count++] = last;
  }
  o->results = add_after(last.results, r, i);
  return (struct hash){o->results.low + last.trace.low, o->results.high + last.trace.high};
}

/* Making schedules. */

static void choose(struct orders *o, size_t event) {
  const struct step *s = &o->trace->events.at[event].step;
  vec_push(o->mem, &o->choices, ((struct choice){s->fiber, s->block}));
  vec_push(o->mem, &o->events, (uint32_t)event);
  o->chosen.at[event] = true;
}

/* All steps, so that those of the places come in this order. */
static void make_schedule(struct orders *o) {
  size_t count = o->trace->events.count;
  vec_reserve(o->mem, &o->chosen, count + 1);
  memset(o->chosen.at, 0, count * sizeof *o->chosen.at);
  o->choices.count = o->events.count = 0;
  for (unsigned i = 0; i < o->taken; i++) {
    uint32_t event = o->places[o->order[i]].event;
    const uint32_t *clock = o->clocks + event * o->stride;
    for (size_t k = 0; k <= event; k++) /* itself is the last of them */
      if (!o->chosen.at[k] && clock[o->trace->events.at[k].step.fiber] > k) choose(o, k);
  }
  for (size_t k = 0; k < count; k++)
    if (!o->chosen.at[k]) choose(o, k);
}

static void take(struct orders *o, uint64_t places) { /* as they come in the run */
  while (places) {
    unsigned first = (unsigned)__builtin_ctzll(places);
    for (uint64_t rest = places; rest; rest &= rest - 1) {
      unsigned p = (unsigned)__builtin_ctzll(rest);
      if (o->places[p].event < o->places[first].event) first = p;
    }
    o->order[o->taken++] = (uint8_t)first;
    places &= ~bit(first);
  }
}

/* Every return that can come now. */
static uint64_t take_returns(struct orders *o, uint64_t done) {
  for (bool more = true; more;) {
    more = false;
    for (uint64_t rest = o->returns & ~o->calls & ~done; rest; rest &= rest - 1) {
      unsigned p = (unsigned)__builtin_ctzll(rest);
      if (o->places[p].before & ~done) continue;
      take(o, bit(p));
      done |= bit(p);
      more = true;
    }
  }
  return done;
}

/* The calls that must come before the return, and are not done; its own, if that is the same step, included. All: not
 * before another return. */
static uint64_t needed(const struct orders *o, unsigned p, uint64_t done) {
  uint64_t need = o->places[p].before & ~done;
  return need & o->returns ? UINT64_MAX : need | (o->calls & bit(p));
}

static bool is_least(const struct orders *o, unsigned p, uint64_t done) {
  uint64_t need = needed(o, p, done);
  if (need == UINT64_MAX) return false;
  for (uint64_t rest = o->returns & ~done & ~bit(p); rest; rest &= rest - 1) {
    unsigned q = (unsigned)__builtin_ctzll(rest);
    uint64_t other = needed(o, q, done);
    if (!(other & ~need) && (other != need || q < p)) return false;
  }
  return true;
}

static void keep_run(struct orders *o, const struct run *r) {
  o->run = *r;
  vec_reserve(o->mem, &o->given, r->moment_count);
  for (size_t i = 0; i < r->moment_count; i++) o->given.at[i] = r->moments[i];
}

const struct run *orders_run(struct orders *o) {
  size_t count = o->events.count, moments = o->run.moment_count, done = 0;
  vec_reserve(o->mem, &o->steps, count + 1);
  vec_reserve(o->mem, &o->at, count + 1);
  vec_reserve(o->mem, &o->moments, moments);
  for (size_t i = 0; i < count; i++) {
    o->steps.at[i] = o->trace->events.at[o->events.at[i]].step;
    o->steps.at[i].before = i ? o->steps.at[i - 1].fiber : 0;
    o->at.at[o->events.at[i]] = (uint32_t)i;
  }
  for (; done < moments; done++) { /* those of a step stay in their order, and those after all steps at the end */
    struct moment m = o->given.at[done];
    size_t i = done;
    if (m.fiber < o->run.client->threads) m.step = o->at.at[m.step];
    for (; i && m.fiber < o->run.client->threads && o->moments.at[i - 1].step > m.step; i--)
      o->moments.at[i] = o->moments.at[i - 1];
    o->moments.at[i] = m;
  }
  o->run.steps = o->steps.at;
  o->run.moments = o->moments.at;
  o->run.number = o->run.same_moments = o->run.spun = 0;
  if (count) o->run.current = o->steps.at[count - 1].fiber;
  return &o->run;
}

static bool use_order(struct orders *o) {
  struct hash history = history_of_order(o);
  if (hashes_add(o->histories, history, 0) >= 0) return true;
  make_schedule(o);
  o->wanted = history;
  return o->use(o->self, o->choices.at, o->choices.count);
}

static bool go_on(struct orders *o, uint64_t done) {
  done = take_returns(o, done);
  uint64_t left = o->returns & ~done;
  unsigned taken = o->taken;
  if (!left) {
    take(o, o->calls & ~done);
    return use_order(o);
  }
  for (uint64_t rest = left; rest; rest &= rest - 1) {
    unsigned p = (unsigned)__builtin_ctzll(rest);
    if (!is_least(o, p, done)) continue;
    uint64_t need = needed(o, p, done) & ~bit(p);
    o->taken = taken;
    take(o, need);
    take(o, bit(p));
    if (!go_on(o, done | need | bit(p))) return false;
  }
  return true;
}

bool orders_each(struct orders *o, const struct run *r, const struct trace *trace, const uint32_t *clocks,
                 size_t stride, size_t same, orders_user *use, void *self) {
  o->trace = trace;
  o->clocks = clocks;
  o->stride = stride;
  o->use = use;
  o->self = self;
  if (hashes_add(o->traces, read_run(o, r, same), 0) >= 0) return true;
  hashes_add(o->histories, history_of(r), 0);
  keep_run(o, r);
  o->taken = 0;
  return go_on(o, 0);
}

bool orders_met(const struct orders *o, const struct run *r) {
  struct hash h = history_of(r);
  return h.low == o->wanted.low && h.high == o->wanted.high;
}
