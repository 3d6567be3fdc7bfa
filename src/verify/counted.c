/* Countings: see counted.h.
 *
 * As with spec sets, every answer is in a memo that any number of threads may read; what is not there yet is computed by one thread at
 * a time, under a lock. */
#include "verify/counted.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "verify/counted_parts.h"

/* What is asked beside events, in the same memo. */
enum question { ALIKE = EVENT_LIN + 1, MAY_CALL, ELEMENTS };

struct counted {
  struct counted_shared *shared;
  struct mem *mem; /* where running out of memory goes */
  VEC(const uint8_t *) ranks; /* of each counting asked for: this view's own */
};

/* Labels. */

static uint16_t label_of(struct counted_shared *s, struct counted_label l) {
  uint64_t a = (uint64_t)l.call << 32 | l.done;
  uint32_t found;
  if (memo_find(&s->label_memo, a, l.process, &found)) return (uint16_t)found;
  if (s->labels.count == UINT16_MAX) mem_too_much(s->mem);
  vec_push(s->mem, &s->labels, l);
  found = (uint32_t)s->labels.count - 1;
  memo_add(&s->label_memo, s->mem, a, l.process, found);
  return (uint16_t)found;
}

static const struct op *call_of(const struct counted_shared *s, const struct counted_entry *e) {
  return &status_at(&s->lin, s->labels.at[e->label].call)->op;
}

static value result_of_entry(const struct counted_shared *s, const struct counted_entry *e) {
  return status_at(&s->lin, s->labels.at[e->label].done)->op.result;
}

/* Reading and making countings. */

static int by_label(const void *a, const void *b) {
  const struct counted_entry *x = a, *y = b;
  if (x->label != y->label) return x->label < y->label ? -1 : 1;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

/* Sorted, the counts of equal labels and intervals added up, without those that are 0. */
static void tidy(struct counting_state *c) {
  size_t to = 0;
  if (c->entries.count > 1) qsort(c->entries.at, c->entries.count, sizeof *c->entries.at, by_label);
  for (size_t i = 0; i < c->entries.count; i++) {
    struct counted_entry e = c->entries.at[i];
    if (!e.count) continue;
    if (to && !by_label(&c->entries.at[to - 1], &e))
      c->entries.at[to - 1].count = (uint16_t)(c->entries.at[to - 1].count + e.count);
    else
      c->entries.at[to++] = e;
  }
  c->entries.count = to;
}

/* Three words a thread and entry. */
static uint32_t intern(struct counted_shared *s) {
  struct counting_state *c = &s->now;
  tidy(c);
  s->packed.count = 0;
  vec_push(s->mem, &s->packed, (uint16_t)(c->length << 1 | c->returned));
  for (unsigned t = 0; t < s->threads; t++) {
    vec_push(s->mem, &s->packed, c->open[t]);
    vec_push(s->mem, &s->packed, c->open[t] == IDLE ? 0 : c->from[t]);
  }
  for (size_t i = 0; i < c->entries.count; i++) {
    const struct counted_entry *e = &c->entries.at[i];
    vec_push(s->mem, &s->packed, e->label);
    vec_push(s->mem, &s->packed, (uint16_t)(e->from << 8 | e->to));
    vec_push(s->mem, &s->packed, e->count);
  }
  return byte_table_number(&s->table, s->packed.at, s->packed.count * sizeof *s->packed.at);
}

static void unpack(struct counted_shared *s, uint32_t set) {
  struct counting_state *c = &s->now;
  const struct interned_bytes *x = &s->table.list.at[set];
  size_t count = x->size / sizeof(uint16_t), i = 0;
  vec_reserve(s->mem, &s->packed, count);
  memcpy(s->packed.at, x->at, x->size);
  const uint16_t *w = s->packed.at;
  c->length = (uint8_t)(w[0] >> 1);
  c->returned = w[0] & 1;
  for (i = 1; i < 1 + 2 * s->threads; i += 2) {
    c->open[i / 2] = w[i];
    c->from[i / 2] = (uint8_t)w[i + 1];
  }
  c->entries.count = 0;
  for (; i < count; i += 3) {
    struct counted_entry e = {.label = w[i], .count = w[i + 2], .from = (uint8_t)(w[i + 1] >> 8), .to = (uint8_t)w[i + 1]};
    vec_push(s->mem, &c->entries, e);
  }
}

/* Forgetting what makes no difference to a decision, now or later. Intervals only ever move towards [0, 0], so what is there stays. */

static bool old(const struct counted_entry *e) { return e->from == 0 && e->to == 0; }

bool counted_forgets(const struct spec *spec) {
  static const char *const collections[] = {"queue",    "stack",  "weak-queue",     "weak-stack",
                                            "semiqueue", "k-fifo", "priority-queue", "max-priority-queue"};
  for (size_t i = 0; i < sizeof collections / sizeof *collections; i++)
    if (!strcmp(spec->name, collections[i])) return true;
  return false;
}

/* Can it happen in every initial state? */
static bool happens_first(struct counted_shared *s, const struct counted_entry *e) {
  struct successors initial = states_initial(s->lin.states);
  const struct counted_label *l = &s->labels.at[e->label];
  for (uint32_t i = 0; i < initial.count; i++) {
    uint32_t count;
    bool can = false;
    const struct lin_outcome *x = linearize_one(&s->lin, initial.at[i], l->call, l->process, &count);
    for (uint32_t k = 0; k < count; k++) can |= x[k].status == l->done;
    if (!can) return false;
  }
  return true;
}

/* An operation in [0, 0] that changes nothing and can happen first may come before all others; and where it comes in an order, the order
 * is as good without it. */
static void forget_pure(struct counted_shared *s) {
  for (size_t i = 0; i < s->now.entries.count; i++) {
    struct counted_entry *e = &s->now.entries.at[i];
    struct op op = *call_of(s, e);
    op.result = result_of_entry(s, e);
    if (old(e) && op_pure(s->lin.spec, &op) && happens_first(s, e)) e->count = 0;
  }
}

/* A value put in and taken out in [0, 0] may come and go before all else. The other way about: in an order, let the put p be taken by
 * another pop than q, and q take another put r of the same value. q ends in [0, 0], so r began there: r may come where p was, for that pop,
 * and then q and the place r had can be left out, as a value that came and went can be. */
static void forget_pairs(struct counted_shared *s) {
  enum { PUT, TAKE };
  struct counted_entry *entries = s->now.entries.at;
  for (size_t i = 0; i < s->now.entries.count; i++) {
    struct counted_entry *put = &entries[i];
    if (!old(put) || call_of(s, put)->method != PUT) continue;
    for (size_t k = 0; k < s->now.entries.count; k++) {
      struct counted_entry *take = &entries[k];
      if (!old(take) || call_of(s, take)->method != TAKE || result_of_entry(s, take) != call_of(s, put)->arg[0]) continue;
      uint16_t both = put->count < take->count ? put->count : take->count;
      put->count = (uint16_t)(put->count - both);
      take->count = (uint16_t)(take->count - both);
    }
  }
}

static void forget(struct counted_shared *s) {
  tidy(&s->now);
  forget_pure(s);
  if (s->forgets) forget_pairs(s);
  tidy(&s->now);
}

/* Events: Algorithm 1. */

static uint8_t shifted(uint8_t interval) { return interval ? interval - 1 : 0; }

static void shift(struct counted_shared *s) {
  struct counting_state *c = &s->now;
  for (unsigned t = 0; t < s->threads; t++) c->from[t] = shifted(c->from[t]);
  for (size_t i = 0; i < c->entries.count; i++) {
    c->entries.at[i].from = shifted(c->entries.at[i].from);
    c->entries.at[i].to = shifted(c->entries.at[i].to);
  }
}

/* A call never makes a violation: a pending operation need not take part, and shifting only takes order away. */
static uint32_t after_call(struct counted_shared *s, uint32_t set, unsigned thread, uint16_t call) {
  struct op op = specset_op(s->calls, call);
  uint16_t open = status_open(&s->lin, &op);
  struct counting_state *c = &s->now;
  unpack(s, set);
  if (c->returned && c->length == s->k) {
    shift(s);
    forget(s);
  } else if (c->returned) {
    c->length++;
  }
  c->returned = false;
  c->open[thread] = open;
  c->from[thread] = c->length;
  return intern(s);
}

static uint32_t after_return(struct counted_shared *s, uint32_t set, unsigned thread, value result) {
  uint16_t done = status_done(&s->lin, result);
  struct counting_state *c = &s->now;
  unpack(s, set);
  struct counted_label label = {c->open[thread], done, s->lin.spec->by_process ? (uint8_t)thread : 0};
  struct counted_entry e = {.label = label_of(s, label), .count = 1, .from = c->from[thread], .to = c->length};
  vec_push(s->mem, &c->entries, e);
  c->open[thread] = IDLE;
  c->returned = true;
  forget(s);
  decider_take(&s->decider, c, s->labels.at, s->threads);
  return decider_allowed(&s->decider) ? intern(s) : 0;
}

/* Other questions. */

/* Renamed in s->now: thread i is the old one's permutation >> 4i & 15. */
static void rename_threads(struct counted_shared *s, uint32_t set, uint64_t permutation) {
  struct counting_state *c = &s->now;
  uint16_t open[THREADS_MOST];
  uint8_t from[THREADS_MOST], name[THREADS_MOST] = {0};
  unpack(s, set);
  for (unsigned t = 0; t < s->threads; t++) {
    unsigned was = permutation >> t * 4 & 15;
    open[t] = c->open[was];
    from[t] = c->from[was];
    name[was] = (uint8_t)t;
  }
  memcpy(c->open, open, s->threads * sizeof *open);
  memcpy(c->from, from, s->threads);
  if (!s->lin.spec->by_process) return;
  for (size_t i = 0; i < c->entries.count; i++) {
    struct counted_label l = s->labels.at[c->entries.at[i].label];
    l.process = name[l.process];
    c->entries.at[i].label = label_of(s, l);
  }
}

static uint64_t as_they_are(const struct counted_shared *s) {
  return 0xfedcba9876543210u & (s->threads == 16 ? UINT64_MAX : ((uint64_t)1 << s->threads * 4) - 1);
}

static bool exchangeable(struct counted_shared *s, uint32_t set, unsigned i, unsigned j) {
  uint64_t x = (uint64_t)(i ^ j);
  rename_threads(s, set, as_they_are(s) ^ x << i * 4 ^ x << j * 4);
  return intern(s) == set;
}

/* What a thread has open, and where labels name threads what it has done, in no order. */
static uint64_t signature(const struct counted_shared *s, unsigned thread) {
  const struct counting_state *c = &s->now;
  uint64_t sum = 0;
  for (size_t i = 0; s->lin.spec->by_process && i < c->entries.count; i++) {
    const struct counted_entry *e = &c->entries.at[i];
    const struct counted_label *l = &s->labels.at[e->label];
    uint64_t interval = (uint64_t)e->from << 8 | e->to;
    if (l->process == thread) sum += hash_mix(hash_mix((uint64_t)l->call << 32 | l->done) ^ (interval << 16 | e->count));
  }
  return c->open[thread] == IDLE ? sum : sum ^ hash_mix((uint64_t)c->open[thread] << 8 | (uint64_t)c->from[thread] | 1u << 30);
}

static const uint8_t *ranks_of(struct counted_shared *s, uint32_t set) {
  uint8_t *rank = mem_piece(s->mem, THREADS_MOST);
  uint64_t sum[THREADS_MOST];
  memset(rank, 0, THREADS_MOST);
  unpack(s, set);
  for (unsigned i = 0; i < s->threads; i++) sum[i] = signature(s, i);
  for (unsigned i = 0; i < s->threads; i++)
    for (unsigned j = 0; j < s->threads; j++) rank[i] = (uint8_t)(rank[i] + (sum[j] < sum[i]));
  return rank;
}

static uint32_t known(struct counted_shared *, unsigned question, uint32_t set, uint32_t x, unsigned thread);

static bool may_call(struct counted_shared *s, uint32_t set, uint32_t call, unsigned thread) {
  uint32_t after = known(s, EVENT_CALL, set, call, thread), most = known(s, ELEMENTS, after, 0, 0);
  return most <= s->bound || most <= known(s, ELEMENTS, set, 0, 0);
}

static uint32_t most_elements(struct counted_shared *s, uint32_t set) {
  unpack(s, set);
  decider_take(&s->decider, &s->now, s->labels.at, s->threads);
  return decider_most_elements(&s->decider);
}

/* Asking. */

static uint32_t compute(struct counted_shared *s, unsigned question, uint32_t set, uint32_t x, unsigned thread) {
  switch (question) {
  case EVENT_CALL: return after_call(s, set, thread, (uint16_t)x);
  case EVENT_RETURN: return after_return(s, set, thread, x);
  case ALIKE: return exchangeable(s, set, thread, x);
  case MAY_CALL: return may_call(s, set, x, thread);
  default: return most_elements(s, set);
  }
}

static inline bool answered(const struct counted_shared *s, unsigned question, uint32_t set, uint32_t x, unsigned thread,
                            uint32_t *answer) {
  return memo_find(&s->answers, (uint64_t)set << 32 | x, question << 8 | thread, answer);
}

static uint32_t known(struct counted_shared *s, unsigned question, uint32_t set, uint32_t x, unsigned thread) {
  uint32_t answer;
  if (answered(s, question, set, x, thread, &answer)) return answer;
  answer = compute(s, question, set, x, thread);
  memo_add(&s->answers, s->mem, (uint64_t)set << 32 | x, question << 8 | thread, answer);
  return answer;
}

/* Where memory runs out the view's owner hears of it, with the lock given back. */
#define LOCKED(v) \
  do { \
    pthread_mutex_lock(&(v)->shared->lock); \
    if (MEM_GUARD((v)->shared->mem)) give_up(v); \
  } while (0)

static void unlock(struct counted *v) { pthread_mutex_unlock(&v->shared->lock); }

static _Noreturn void give_up(struct counted *v) {
  unlock(v);
  mem_escape(v->mem);
}

static __attribute__((noinline)) uint32_t find_out(struct counted *v, unsigned question, uint32_t set, uint32_t x, unsigned thread) {
  LOCKED(v);
  uint32_t answer = known(v->shared, question, set, x, thread);
  unlock(v);
  return answer;
}

static inline uint32_t ask(struct counted *v, unsigned question, uint32_t set, uint32_t x, unsigned thread) {
  uint32_t answer;
  return answered(v->shared, question, set, x, thread, &answer) ? answer : find_out(v, question, set, x, thread);
}

static uint32_t initial(void *self) { return ((struct counted *)self)->shared->initial; }

static uint32_t step(void *self, uint32_t set, struct event e) {
  if (!set || (e.kind != EVENT_CALL && e.kind != EVENT_RETURN)) return set;
  return ask(self, e.kind, set, e.kind == EVENT_CALL ? e.call : e.result, e.thread);
}

static bool client_calls(void *self, uint32_t set, unsigned thread, uint16_t call) {
  const struct counted_shared *s = ((struct counted *)self)->shared;
  return s->bound < 0 || !s->lin.spec->elements || !set || ask(self, MAY_CALL, set, call, thread);
}

static uint32_t count(void *self) {
  struct counted *v = self;
  pthread_mutex_lock(&v->shared->lock);
  uint32_t n = (uint32_t)v->shared->table.list.count;
  unlock(v);
  return n;
}

static void *share(void *self, struct mem *mem) {
  struct counted *v = mem_zero(mem, 1, sizeof *v);
  v->shared = ((struct counted *)self)->shared;
  v->mem = mem;
  return v;
}

static __attribute__((noinline)) uint32_t find_renamed(struct counted *v, uint32_t set, uint64_t permutation) {
  uint32_t answer;
  LOCKED(v);
  if (!memo_find(&v->shared->renamed, permutation, set, &answer)) {
    rename_threads(v->shared, set, permutation);
    answer = intern(v->shared);
    memo_add(&v->shared->renamed, v->shared->mem, permutation, set, answer);
  }
  unlock(v);
  return answer;
}

static uint32_t permute(void *self, uint32_t set, const uint8_t *from) {
  struct counted *v = self;
  uint64_t permutation = 0;
  uint32_t answer;
  for (unsigned t = 0; t < v->shared->threads; t++) permutation |= (uint64_t)from[t] << t * 4;
  if (!set || permutation == as_they_are(v->shared)) return set;
  return memo_find(&v->shared->renamed, permutation, set, &answer) ? answer : find_renamed(v, set, permutation);
}

static __attribute__((noinline)) const uint8_t *find_ranks(struct counted *v, uint32_t set) {
  LOCKED(v);
  const uint8_t *rank = ranks_of(v->shared, set);
  unlock(v);
  return rank;
}

static const uint8_t *ranks(void *self, uint32_t set) {
  struct counted *v = self;
  while (v->ranks.count <= set) vec_push(v->mem, &v->ranks, NULL);
  if (!v->ranks.at[set]) v->ranks.at[set] = find_ranks(v, set);
  return v->ranks.at[set];
}

static bool alike(void *self, uint32_t set, unsigned i, unsigned j) {
  return i == j || ask(self, ALIKE, set, i < j ? j : i, i < j ? i : j);
}

struct traces counted_traces(struct counted *v) {
  return (struct traces){.self = v, .initial = initial, .step = step, .may_call = client_calls, .count = count, .share = share,
                         .symmetric = specsets_symmetric(v->shared->calls), .permute = permute, .ranks = ranks, .alike = alike};
}

/* Making them. */

struct counted *counted_new(struct mem *m, const struct spec *spec, struct specsets *calls, unsigned threads, unsigned k, int64_t bound) {
  struct mem *own = mem_child(m);
  struct counted_shared *s = mem_zero(own, 1, sizeof *s);
  pthread_mutex_init(&s->lock, NULL);
  s->mem = own;
  s->calls = calls;
  s->threads = threads;
  s->k = k;
  s->bound = bound;
  s->forgets = counted_forgets(spec);
  memo_open(&s->answers, own);
  memo_open(&s->renamed, own);
  memo_open(&s->label_memo, own);
  linearizer_open(&s->lin, own, spec, threads);
  decider_open(&s->decider, own, &s->lin, k);
  byte_table_open(&s->table, own);
  byte_table_number(&s->table, NULL, 0); /* the violation */
  s->initial = intern(s);
  own->parent = NULL; /* closed with m, but its failures are caught under the lock and passed on from there */
  struct counted first = {.shared = s};
  return share(&first, m);
}

bool counted_blurred(struct counted *v) {
  pthread_mutex_lock(&v->shared->lock);
  bool blurred = v->shared->lin.unknown_result;
  unlock(v);
  return blurred;
}
