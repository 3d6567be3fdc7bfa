/* Numbering the events of intervals: see intervals.h. */
#include "history/intervals.h"

#include <stdlib.h>
#include <string.h>

/* Radix: a comparison sort would take longer than reading. */
void sort_moments(struct mem *m, struct moment *at, size_t n) {
  size_t i;
  for (i = 1; i < n && at[i - 1].time <= at[i].time; i++) {}
  if (i >= n) return;
  int64_t least = at[0].time, most = at[0].time;
  for (i = 1; i < n; i++) {
    if (at[i].time < least) least = at[i].time;
    if (at[i].time > most) most = at[i].time;
  }
  uint64_t range = (uint64_t)most - (uint64_t)least;
  struct moment *from = at, *spare = mem_alloc(m, n * sizeof *spare), *to = spare;
  enum { BITS = 11, BUCKETS = 1 << BITS };
  size_t *start = mem_alloc(m, BUCKETS * sizeof *start);
  for (int shift = 0; shift < 64 && range >> shift; shift += BITS) {
    memset(start, 0, BUCKETS * sizeof *start);
    for (i = 0; i < n; i++) start[((uint64_t)from[i].time - (uint64_t)least) >> shift & (BUCKETS - 1)]++;
    size_t sum = 0;
    for (int b = 0; b < BUCKETS; b++) {
      size_t count = start[b];
      start[b] = sum;
      sum += count;
    }
    for (i = 0; i < n; i++) to[start[((uint64_t)from[i].time - (uint64_t)least) >> shift & (BUCKETS - 1)]++] = from[i];
    struct moment *swap = from;
    from = to;
    to = swap;
  }
  if (from != at) memcpy(at, from, n * sizeof *at);
  mem_free(m, start);
  mem_free(m, spare);
}

uint32_t number_events(struct mem *m, struct op *ops, struct moment *calls, size_t n, struct moment *returns,
                       size_t k) {
  sort_moments(m, calls, n);
  sort_moments(m, returns, k);
  size_t c = 0, r = 0;
  uint32_t e = 0;
  while (c < n || r < k) {
    if (c < n && (r == k || calls[c].time <= returns[r].time))
      ops[calls[c++].op].call = e++;
    else
      ops[returns[r++].op].ret = e++;
  }
  return e;
}

/* --- what touches --- */

struct intervals {
  struct mem *mem;
  struct op *ops;
  size_t count;
  uint32_t processes;
  const int64_t *call, *ret; /* an operation each */
  const uint32_t *rank;      /* of turns; NULL: they are taken in the order of the calls */
  uint32_t *turn_of;         /* where asked for: see history_turns */
  struct moment *calls;      /* by time; of one process at one time, in the order it made them */
  struct moment *returns;    /* by time */
  size_t returned;           /* how many */
  uint32_t *before;       /* an operation each: one more than that of its process that ends where it begins; 0: none */
  uint8_t *followed;      /* an operation each: it is `before` of another */
  VEC(struct turn) turns; /* of one moment */
  uint32_t *key;          /* an operation each: what turns are sorted by */
  uint32_t events;
  bool touches, tied;
};

/* A process returns from `from` and calls `to`. */
struct turn {
  uint32_t from, to, key, number;
};

static int by_return(const void *a, const void *b, void *times) {
  const struct moment *x = a, *y = b;
  const int64_t *ret = times;
  if (ret[x->op] != ret[y->op]) return ret[x->op] < ret[y->op] ? -1 : 1;
  return x->op < y->op ? -1 : x->op > y->op;
}

/* Of operations that a process begins at one time, those that end then come first. */
static void sort_calls(struct intervals *v) {
  sort_moments(v->mem, v->calls, v->count);
  for (size_t from = 0, to; from < v->count; from = to) {
    for (to = from + 1; to < v->count && v->calls[to].time == v->calls[from].time;) to++;
    if (to - from > 1) qsort_r(v->calls + from, to - from, sizeof *v->calls, by_return, (void *)(uintptr_t)v->ret);
  }
}

static void find_touching(struct intervals *v) {
  uint32_t *last = mem_zero(v->mem, (size_t)v->processes + 1, sizeof *last); /* operation + 1 */
  for (size_t i = 0; i < v->count; i++) {
    uint32_t op = v->calls[i].op, *l = &last[v->ops[op].process];
    if (*l && !op_pending(&v->ops[*l - 1]) && v->ret[*l - 1] == v->calls[i].time) {
      v->before[op] = *l;
      v->followed[*l - 1] = 1;
      v->touches = true;
    }
    *l = op + 1;
  }
  mem_free(v->mem, last);
}

static int by_key(const void *a, const void *b) {
  const struct turn *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

/* Of one process the turns stay in their order: a key is not less than that of the turn before it. */
static void sort_turns(struct intervals *v, int64_t now) {
  for (size_t i = 0; i < v->turns.count; i++) {
    struct turn *t = &v->turns.at[i];
    uint32_t earlier = v->call[t->from] == now ? v->before[t->from] : 0;
    t->key = v->rank[t->from];
    if (earlier && v->key[earlier - 1] > t->key) t->key = v->key[earlier - 1];
    v->key[t->from] = t->key;
    t->number = (uint32_t)i;
  }
  qsort(v->turns.at, v->turns.count, sizeof *v->turns.at, by_key);
}

/* Numbers the events of one moment: calls [c, c_end) and returns [r, r_end). */
static void number_moment(struct intervals *v, size_t c, size_t c_end, size_t r, size_t r_end) {
  bool several = false;
  v->turns.count = 0;
  for (size_t i = c; i < c_end; i++) {
    uint32_t op = v->calls[i].op, from = v->before[op];
    if (!from) {
      v->ops[op].call = v->events++;
      continue;
    }
    several |= v->turns.count && v->ops[v->turns.at[0].to].process != v->ops[op].process;
    vec_push(v->mem, &v->turns, ((struct turn){.from = from - 1, .to = op}));
  }
  v->tied |= several;
  if (several && v->rank) sort_turns(v, v->calls[c].time);
  for (size_t i = 0; i < v->turns.count; i++) {
    const struct turn *t = &v->turns.at[i];
    bool loose = several && v->rank && t->key == UINT32_MAX;
    if (several && v->turn_of) v->turn_of[t->to] = t->from;
    v->followed[t->from] = !loose;
    if (!loose) v->ops[t->from].ret = v->events++;
    v->ops[t->to].call = v->events++;
  }
  for (size_t i = r; i < r_end; i++)
    if (!v->followed[v->returns[i].op]) v->ops[v->returns[i].op].ret = v->events++;
}

static void number_moments(struct intervals *v) {
  for (size_t c = 0, r = 0; c < v->count || r < v->returned;) {
    int64_t now = r == v->returned || (c < v->count && v->calls[c].time <= v->returns[r].time) ? v->calls[c].time
                                                                                               : v->returns[r].time;
    size_t c_end = c, r_end = r;
    while (c_end < v->count && v->calls[c_end].time == now) c_end++;
    while (r_end < v->returned && v->returns[r_end].time == now) r_end++;
    number_moment(v, c, c_end, r, r_end);
    c = c_end;
    r = r_end;
  }
}

/* Numbers the events of h->ops. */
static void number(struct history *h, const int64_t *call, const int64_t *ret, const uint32_t *rank,
                   uint32_t *turn_of) {
  struct mem *m = h->mem;
  size_t n = h->ops.count;
  struct intervals v = {
      .mem = m, .ops = h->ops.at, .count = n, .call = call, .ret = ret, .rank = rank, .turn_of = turn_of};
  v.processes = names_count(h->processes);
  v.calls = mem_alloc(m, (n + 1) * sizeof *v.calls);
  v.returns = mem_alloc(m, (n + 1) * sizeof *v.returns);
  for (size_t i = 0; i < n; i++) {
    v.calls[i] = (struct moment){call[i], (uint32_t)i};
    if (!op_pending(&v.ops[i])) v.returns[v.returned++] = (struct moment){ret[i], (uint32_t)i};
  }
  if (h->in_turn) {
    v.before = mem_zero(m, n + 1, sizeof *v.before);
    v.followed = mem_zero(m, n + 1, sizeof *v.followed);
    sort_calls(&v);
    find_touching(&v);
  }
  if (v.touches) {
    v.key = rank ? mem_zero(m, n + 1, sizeof *v.key) : NULL;
    sort_moments(m, v.returns, v.returned);
    number_moments(&v);
  } else {
    v.events = number_events(m, v.ops, v.calls, n, v.returns, v.returned);
  }
  h->events = v.events;
  h->touches = v.touches;
  h->tied = v.tied;
  mem_free(m, v.calls);
  mem_free(m, v.returns);
  mem_free(m, v.before);
  mem_free(m, v.followed);
  mem_free(m, v.key);
  vec_free(m, &v.turns);
}

void number_intervals(struct history *h, const int64_t *call, const int64_t *ret) { number(h, call, ret, NULL, NULL); }

struct history *history_by_rank(const struct history *h, struct mem *m, const uint32_t *rank, uint32_t **origin) {
  size_t n = h->ops.count, k = 0;
  struct history from = *h, *to = mem_alloc(m, sizeof *to);
  uint32_t *was = mem_alloc(m, (n + 1) * sizeof *was);
  from.mem = m;
  from.ops.at = mem_alloc(m, (n + 1) * sizeof *from.ops.at);
  memcpy(from.ops.at, h->ops.at, n * sizeof *from.ops.at);
  number(&from, h->call_time, h->ret_time, rank, NULL);
  *to = from;
  to->ops.at = mem_alloc(m, (n + 1) * sizeof *to->ops.at);
  to->ops.room = n + 1;
  to->call_time = mem_alloc(m, (n + 1) * sizeof *to->call_time);
  to->ret_time = mem_alloc(m, (n + 1) * sizeof *to->ret_time);
  uint32_t *events = history_events(&from, m);
  for (uint32_t e = 0; e < from.events; e++) { /* by call again */
    uint32_t op = events[e] >> 1;
    if (events[e] & 1) continue;
    to->ops.at[k] = from.ops.at[op];
    to->call_time[k] = h->call_time[op];
    to->ret_time[k] = h->ret_time[op];
    was[k++] = op;
  }
  mem_free(m, events);
  mem_free(m, from.ops.at);
  if (origin)
    *origin = was;
  else
    mem_free(m, was);
  return to;
}

static uint32_t *nothing(struct mem *m, size_t n) {
  uint32_t *all = mem_alloc(m, (n + 1) * sizeof *all);
  memset(all, 0xff, (n + 1) * sizeof *all);
  return all;
}

struct history *history_loose(const struct history *h, struct mem *m) {
  return history_by_rank(h, m, nothing(m, h->ops.count), NULL);
}

uint32_t *history_turns(const struct history *h, struct mem *m) {
  struct history again = *h;
  uint32_t *turn_of = nothing(m, h->ops.count);
  again.mem = m;
  again.ops.at = mem_alloc(m, (h->ops.count + 1) * sizeof *again.ops.at);
  memcpy(again.ops.at, h->ops.at, h->ops.count * sizeof *again.ops.at);
  number(&again, h->call_time, h->ret_time, NULL, turn_of);
  mem_free(m, again.ops.at);
  return turn_of;
}

bool history_overlap(const struct history *h, struct mem *m, uint32_t *earlier, uint32_t *later) {
  uint32_t *last = mem_zero(m, (size_t)names_count(h->processes) + 1, sizeof *last); /* operation + 1 */
  bool overlap = false;
  for (size_t i = 0; i < h->ops.count && !overlap; i++) {
    uint32_t *l = &last[h->ops.at[i].process];
    overlap = *l && h->ret_time[*l - 1] > h->call_time[i];
    *earlier = *l - 1;
    *later = (uint32_t)i;
    *l = (uint32_t)i + 1;
  }
  mem_free(m, last);
  return overlap;
}
