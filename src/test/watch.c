/* --monitor approx:K: a run's calls and returns are followed as A_k knows them, in the place of checking its history.
 *
 * Of collections whose clients push every value once, by the monitor of elements (approx/monitor.h), from the first
 * moment to the last: what it does at a moment hardly depends on how many there were. Of all others by countings
 * (approx/countings.h). There a run begins like the one before it: only from where it differs on are its moments
 * followed, and each by looking up what it leads to, once that is known. */
#include <string.h>

#include "approx/countings.h"
#include "approx/monitor.h"
#include "base/hash.h"
#include "test/test.h"

enum { REMEMBERED = 256 }; /* moments of the run before */

struct known {
  uint32_t from, who; /* who: thread, whether it returns, and of a call which */
  long result;
  uint32_t to; /* + 1; 0: a free place */
};

/* Clients with as many threads have the same countings. */
struct team {
  struct countings *countings;
  struct known *table;
  size_t mask, count;
};

struct watch {
  struct mem *mem;
  const struct object *object;
  struct spec spec;
  struct values *values;
  unsigned k;
  struct monitor *monitor;            /* of elements; NULL: the specification has none that is complete */
  bool by_elements;                   /* the client is followed by it */
  struct team teams[FIBERS_MOST + 1]; /* by threads */
  const struct client *client;        /* the one followed, and */
  VEC(uint16_t) labels;               /* of each of its calls */
  uint32_t after[REMEMBERED];         /* the countings after each moment of the run before */
  size_t last_count;
  uint64_t last_number;
};

struct watch *watch_new(struct mem *m, const struct object *o, const struct spec *spec, unsigned k) {
  struct watch *w = mem_zero(m, 1, sizeof *w);
  w->mem = m;
  w->object = o;
  w->spec = *spec;
  w->spec.values = w->values = values_new(m);
  w->k = k;
  struct problem why;
  if (monitor_complete(spec)) w->monitor = monitor_new(m, &w->spec, k, &why);
  return w;
}

/* Elements. */

static bool values_once(const struct watch *w, const struct client *c) {
  uint32_t count = c->first[c->threads];
  for (uint32_t i = 0; i < count; i++) {
    if (!w->object->ops[c->calls[i].op].arg_count) continue;
    for (uint32_t k = 0; k < i; k++)
      if (w->object->ops[c->calls[k].op].arg_count && c->calls[k].arg[0] == c->calls[i].arg[0]) return false;
  }
  return true;
}

static bool follow_elements(struct watch *w, const struct run *r) {
  monitor_reset(w->monitor, w->values);
  for (size_t i = 0; i < r->moment_count; i++) {
    const struct moment *m = &r->moments[i];
    const struct call *call = run_call(r->client, m->call);
    const struct object_op *op = &w->object->ops[call->op];
    if (m->is_return) {
      if (!monitor_return(w->monitor, m->fiber, object_result(&w->spec, op, w->values, m->result))) return false;
      continue;
    }
    value arg[OP_ARGS] = {op->arg_count ? value_int(w->values, call->arg[0]) : V_NONE, V_NONE, V_NONE};
    monitor_call(w->monitor, m->fiber, (uint16_t)op->method, arg);
  }
  return true;
}

/* Countings. */

static struct team *team_of(struct watch *w, unsigned threads) {
  struct team *t = &w->teams[threads];
  if (t->countings) return t;
  t->mask = 1023;
  t->table = mem_zero(w->mem, t->mask + 1, sizeof *t->table);
  t->countings = countings_new(w->mem, &w->spec, threads + w->object->drains, w->k);
  return t;
}

static void know_labels(struct watch *w, struct team *t, const struct client *c) {
  w->last_count = 0;
  w->labels.count = 0;
  for (unsigned thread = 0; thread < c->threads; thread++) {
    for (uint32_t i = c->first[thread]; i < c->first[thread + 1]; i++) {
      const struct object_op *o = &w->object->ops[c->calls[i].op];
      struct op op = {.method = (uint16_t)o->method};
      for (unsigned a = 0; a < OP_ARGS; a++)
        op.arg[a] = a < o->arg_count ? value_int(w->values, c->calls[i].arg[a]) : V_NONE;
      uint16_t label = countings_label(t->countings, &op, thread);
      vec_push(w->mem, &w->labels, label);
    }
  }
  for (uint32_t i = 0; w->object->drains && i <= c->first[c->threads]; i++) {
    uint32_t call = c->first[c->threads] + i;
    struct op op = {.method = (uint16_t)w->object->ops[run_call(c, call)->op].method, .arg = {V_NONE, V_NONE, V_NONE}};
    uint16_t label = countings_label(t->countings, &op, c->threads);
    vec_push(w->mem, &w->labels, label);
  }
}

static size_t place_of(const struct team *t, uint32_t from, uint32_t who, long result) {
  size_t i = hash_mix(((uint64_t)from << 32 | who) ^ (uint64_t)result * 0x9e3779b97f4a7c15u) & t->mask;
  while (t->table[i].to && (t->table[i].from != from || t->table[i].who != who || t->table[i].result != result))
    i = (i + 1) & t->mask;
  return i;
}

static void grow(struct watch *w, struct team *t) {
  struct known *old = t->table;
  size_t room = t->mask + 1;
  t->table = mem_zero(w->mem, room * 2, sizeof *t->table);
  t->mask = room * 2 - 1;
  for (size_t i = 0; i < room; i++)
    if (old[i].to) t->table[place_of(t, old[i].from, old[i].who, old[i].result)] = old[i];
  mem_free(w->mem, old);
}

static uint32_t find_out(struct watch *w, struct team *t, uint32_t from, const struct moment *m) {
  if (!m->is_return) return countings_call(t->countings, from, m->fiber, w->labels.at[m->call]);
  const struct object_op *op = &w->object->ops[run_call(w->client, m->call)->op];
  return countings_return(t->countings, from, m->fiber, object_result(&w->spec, op, w->values, m->result));
}

static uint32_t follow(struct watch *w, struct team *t, uint32_t from, const struct moment *m) {
  uint32_t who = (uint32_t)m->fiber << 17 | (uint32_t)m->is_return << 16 | (m->is_return ? 0 : w->labels.at[m->call]);
  long result = m->is_return ? m->result : 0;
  struct known *k = &t->table[place_of(t, from, who, result)];
  if (k->to) return k->to - 1;
  uint32_t to = find_out(w, t, from, m);
  *k = (struct known){from, who, result, to + 1};
  if (++t->count * 2 > t->mask) grow(w, t);
  return to;
}

static void know_client(struct watch *w, const struct client *c) {
  w->client = c;
  w->last_count = 0; /* moments are told apart by the client's calls */
  w->by_elements = w->monitor && values_once(w, c);
  if (!w->by_elements) know_labels(w, team_of(w, c->threads), c);
}

void watch_forget(struct watch *w) { w->client = NULL; }

bool watch_holds(struct watch *w, const struct run *r) {
  if (r->client != w->client) know_client(w, r->client);
  if (w->by_elements) return follow_elements(w, r);
  struct team *t = team_of(w, r->client->threads);
  size_t i = r->number != w->last_number + 1 ? 0 : r->same_moments < w->last_count ? r->same_moments : w->last_count;
  if (i > r->moment_count) i = r->moment_count;
  uint32_t now = i ? w->after[i - 1] : countings_initial(t->countings);
  for (; i < r->moment_count && now; i++) {
    now = follow(w, t, now, &r->moments[i]);
    if (i < REMEMBERED) w->after[i] = now;
  }
  w->last_count = i < REMEMBERED ? i : REMEMBERED;
  w->last_number = r->number;
  return now != 0;
}
