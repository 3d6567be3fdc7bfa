/* Building items from a part: see items.h. */
#include "check/items.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Which item each removal took. Small non-negative integers, the usual case, are dealt out by their high bits, so that
 * a table of the low ones stays in the processor's cache, and the answers by the removal's, so that they are put where
 * they belong in order; in one large table nearly every access would be a miss. Anything else goes through a hash. */
enum { DEAL_BITS = 16 };
#define DEALT(x) ((x) >> DEAL_BITS)

struct dealt {
  uint32_t key; /* the value >> 1; of an answer, the removal */
  uint32_t of;  /* item << 1, or removal << 1 | 1; of an answer, item + 1 */
};

struct index {
  uint32_t cap;        /* of the values that are dealt out */
  uint32_t most;       /* one more than the largest of those inserted */
  uint32_t *next;      /* the place for the next of each hand */
  struct dealt *cards; /* by hand, and by call within it */
  uint32_t *place;     /* the same for the answers: removals by number */
  uint32_t places;
  struct {
    value key;
    uint32_t item;
  } * slots; /* key V_NONE: free */
  uint32_t mask;
};

static inline bool is_dealt(const struct index *x, value v) { return value_is_small(v) && v >> 1 < x->cap; }

/* The place for a value's item + 1, made if `make`; NULL if absent. */
static uint32_t *slot_at(struct index *x, value v, bool make) {
  assert(v != V_NONE || !make); /* a removal that returned no value (Ok()) took none that was inserted */
  if (v == V_NONE) return NULL;
  uint32_t s = (uint32_t)hash_mix(v) & x->mask;
  while (x->slots[s].key != V_NONE && x->slots[s].key != v) s = (s + 1) & x->mask;
  if (x->slots[s].key == v) return &x->slots[s].item;
  if (!make) return NULL;
  x->slots[s].key = v;
  x->slots[s].item = 0;
  return &x->slots[s].item;
}

/* Everything is counted first, then dealt. */
static void index_open(struct index *x, struct mem *m, const struct part *p) {
  memset(x, 0, sizeof *x);
  uint64_t cap = (uint64_t)p->count * 4 + 1024;
  x->cap = cap < 1u << 31 ? (uint32_t)cap : 1u << 31;
  x->next = mem_zero(m, (size_t)DEALT(x->cap) + 2, sizeof *x->next);
  x->places = DEALT(p->count) + 1;
  x->place = mem_zero(m, (size_t)x->places + 1, sizeof *x->place);
}

static inline void index_count(struct index *x, value v) { x->next[DEALT(v >> 1) + 1]++; }

static inline void index_deal(struct index *x, value v, uint32_t of) {
  x->cards[x->next[DEALT(v >> 1)]++] = (struct dealt){v >> 1, of};
}

static void index_counted(struct index *x, struct mem *m, uint32_t others) {
  uint32_t hands = DEALT(x->cap) + 1;
  for (uint32_t i = 0; i < hands; i++) x->next[i + 1] += x->next[i];
  for (uint32_t i = 0; i < x->places; i++) x->place[i + 1] += x->place[i];
  x->cards = mem_alloc(m, ((size_t)x->next[hands] + 1) * sizeof *x->cards);
  for (x->mask = 15; x->mask < others * 2u;) x->mask = x->mask * 2 + 1;
  x->slots = mem_alloc(m, ((size_t)x->mask + 1) * sizeof *x->slots);
  for (uint32_t i = 0; i <= x->mask; i++) x->slots[i].key = V_NONE;
}

/* Once all are dealt: of_op of each removal whose value was inserted. False if a value was inserted twice. */
static bool index_match(struct index *x, struct mem *m, uint32_t *of_op) {
  uint32_t low = (1u << DEAL_BITS) - 1,
           *table = mem_alloc(m, (size_t)(x->most < low ? x->most + 1 : low + 1) * sizeof *table);
  uint32_t takes = x->place[x->places];
  struct dealt *answers = mem_zero(m, (size_t)takes + 1, sizeof *answers);
  bool once = true;
  for (uint32_t hand = 0, from = 0; once && x->most && hand <= DEALT(x->most - 1); from = x->next[hand++]) {
    memset(table, 0, (size_t)(x->most < low ? x->most + 1 : low + 1) * sizeof *table);
    for (uint32_t i = from; i < x->next[hand]; i++) {
      if (x->cards[i].of & 1) continue;
      uint32_t *at = &table[x->cards[i].key & low];
      once &= !*at;
      *at = (x->cards[i].of >> 1) + 1;
    }
    for (uint32_t i = from; i < x->next[hand]; i++) {
      const struct dealt *c = &x->cards[i];
      if (!(c->of & 1) || c->key >= x->most || !table[c->key & low]) continue;
      answers[x->place[DEALT(c->of >> 1)]++] = (struct dealt){c->of >> 1, table[c->key & low]};
    }
  }
  for (uint32_t i = 0; i < takes; i++)
    if (answers[i].of) of_op[answers[i].key] = answers[i].of - 1;
  mem_free(m, answers);
  mem_free(m, table);
  return once;
}

static void index_close(struct index *x, struct mem *m) {
  mem_free(m, x->next);
  mem_free(m, x->place);
  mem_free(m, x->cards);
  mem_free(m, x->slots);
}

void item_tighten(struct item *t) {
  if (t->take_ret < t->put_ret) t->put_ret = t->take_ret;
  if (t->take_call != NEVER && t->take_call < t->put_call) t->take_call = t->put_call;
}

void core_add_item(struct mem *m, op_list *core, const struct item *t) {
  vec_push(m, core, t->put);
  if (t->take != NEVER) vec_push(m, core, t->take);
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

void core_sort(op_list *core) {
  if (!core->count) return;
  qsort(core->at, core->count, sizeof *core->at, by_number);
  size_t n = 1;
  for (size_t i = 1; i < core->count; i++)
    if (core->at[i] != core->at[n - 1]) core->at[n++] = core->at[i];
  core->count = n;
}

/* Wrong because of the operations on the value this one took, whatever the pending takes took. */
static enum applies violated(const struct part *p, struct mem *m, struct decision *d, uint32_t take) {
  const struct op *c = &p->ops[take];
  d->verdict = VERDICT_VIOLATED; /* it may show at another's return: no culprit */
  d->closed = true;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    if (o->method == c->method ? o->result == c->result || op_pending(o) : o->arg[0] == c->result)
      vec_push(m, &d->core, i);
  }
  return APPLIES;
}

struct by_ret {
  uint32_t ret, item;
};

static int by_ret(const void *a, const void *b) {
  const struct by_ret *x = a, *y = b;
  return x->ret < y->ret ? -1 : x->ret > y->ret;
}

static void find_stuck(struct items *t, struct mem *m) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->count; i++) n += t->at[i].take == NEVER;
  struct by_ret *list = mem_alloc(m, ((size_t)n + 1) * sizeof *list);
  n = 0;
  for (uint32_t i = 0; i < t->count; i++)
    if (t->at[i].take == NEVER) list[n++] = (struct by_ret){t->at[i].put_ret, i};
  qsort(list, n, sizeof *list, by_ret);
  t->stuck = mem_alloc(m, ((size_t)n + 1) * sizeof *t->stuck);
  for (uint32_t i = 0; i < n; i++) t->stuck[i] = list[i].item;
  t->stuck_count = n;
  mem_free(m, list);
}

/* A pending put whose value nobody took might as well not have happened: such items are dropped. */
static void drop_idle_puts(const struct part *p, struct items *t) {
  uint32_t kept = 0, dropped = 0;
  for (uint32_t i = 0; i < t->count; i++) {
    if (t->at[i].take == NEVER && op_pending(&p->ops[t->at[i].put])) {
      t->of_op[t->at[i].put] = NEVER;
      dropped++;
      continue;
    }
    if (dropped) {
      t->of_op[t->at[i].put] = kept;
      if (t->at[i].take != NEVER) t->of_op[t->at[i].take] = kept;
    }
    t->at[kept++] = t->at[i];
  }
  t->count = kept;
}

enum applies items_build(const struct part *p, struct mem *m, struct items *t, struct decision *d,
                         const char **why_not) {
  memset(t, 0, sizeof *t);
  struct index x;
  int put = put_of(p->spec), take = take_of(p->spec);
  bool weak = p->spec->weak, twice = false;
  index_open(&x, m, p);
  uint32_t puts = 0, empties = 0, pending = 0, others = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    if (o->method == put) {
      puts++;
      if (o->result != V_NONE && o->result != V_UNKNOWN) {
        *why_not = "an insertion that did not insert";
        return APPLIES_NOT;
      }
      if (is_dealt(&x, o->arg[0])) {
        index_count(&x, o->arg[0]);
        if (o->arg[0] >> 1 >= x.most) x.most = (o->arg[0] >> 1) + 1;
      } else {
        others++;
      }
    } else if (o->method != take) {
      *why_not = "operations other than insertion and removal";
      return APPLIES_NOT;
    } else if (op_pending(o)) {
      pending++;
    } else if (o->result == V_EMPTY) {
      empties++;
    } else if (o->result == V_UNKNOWN) {
      *why_not = "a result that was not observed";
      return APPLIES_NOT;
    } else if (is_dealt(&x, o->result)) {
      index_count(&x, o->result);
      x.place[DEALT(i) + 1]++;
    }
  }
  index_counted(&x, m, others);
  t->at = mem_alloc(m, ((size_t)puts + 1) * sizeof *t->at);
  t->of_op = mem_alloc(m, ((size_t)p->count + 1) * sizeof *t->of_op);
  t->empty = mem_alloc(m, ((size_t)empties + 1) * sizeof *t->empty);
  t->pending = mem_alloc(m, ((size_t)pending + 1) * sizeof *t->pending);
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    t->of_op[i] = NEVER;
    if (o->method != put) {
      if (!op_pending(o) && o->result != V_EMPTY && is_dealt(&x, o->result)) index_deal(&x, o->result, i << 1 | 1);
      continue;
    }
    t->at[t->count] = (struct item){o->call, o->ret, NEVER, NEVER, i, NEVER};
    t->of_op[i] = t->count;
    if (is_dealt(&x, o->arg[0])) {
      index_deal(&x, o->arg[0], t->count++ << 1);
    } else {
      uint32_t *at = slot_at(&x, o->arg[0], true);
      twice |= *at != 0;
      *at = ++t->count;
    }
  }
  if (!index_match(&x, m, t->of_op) || twice) {
    *why_not = "a value that is inserted more than once";
    return APPLIES_NOT;
  }
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    if (o->method != take) continue;
    if (op_pending(o)) {
      t->pending[t->pending_count++] = i;
      continue;
    }
    if (o->result == V_EMPTY) {
      if (weak)
        vec_push(m, &t->loose, i);
      else
        t->empty[t->empty_count++] = i;
      continue;
    }
    if (!is_dealt(&x, o->result)) {
      const uint32_t *at = slot_at(&x, o->result, false);
      t->of_op[i] = at ? *at - 1 : NEVER;
    }
    if (t->of_op[i] == NEVER) return violated(p, m, d, i);
    struct item *it = &t->at[t->of_op[i]];
    if (it->take != NEVER || o->ret < it->put_call) return violated(p, m, d, i);
    it->take = i;
    it->take_call = o->call;
    it->take_ret = o->ret;
    item_tighten(it);
  }
  index_close(&x, m);
  drop_idle_puts(p, t);
  find_stuck(t, m);
  return APPLIES;
}

void items_add_loose(const struct part *p, struct mem *m, const struct items *t, op_list *order) {
  if (!t->loose.count) return;
  op_list merged = {0};
  vec_reserve(m, &merged, order->count + t->loose.count);
  uint32_t gap = 0;
  size_t k = 0;
  for (size_t i = 0; i < order->count; i++) {
    if (p->ops[order->at[i]].call > gap) gap = p->ops[order->at[i]].call;
    for (; k < t->loose.count && p->ops[t->loose.at[k]].call < gap; k++) vec_push(m, &merged, t->loose.at[k]);
    vec_push(m, &merged, order->at[i]);
  }
  for (; k < t->loose.count; k++) vec_push(m, &merged, t->loose.at[k]);
  vec_free(m, order);
  *order = merged;
}

/* Greedy interval cover: of the items inside at the first uncovered gap, the one that stays longest. */
void items_cover(struct mem *m, const struct items *t, uint32_t from, uint32_t to, op_list *core) {
  while (from <= to) {
    const struct item *best = NULL;
    for (uint32_t i = 0; i < t->count; i++)
      if (t->at[i].put_ret <= from && t->at[i].take_call > from && (!best || t->at[i].take_call > best->take_call))
        best = &t->at[i];
    if (!best) return;
    core_add_item(m, core, best);
    if (best->take_call == NEVER) return;
    from = best->take_call;
  }
}

/* Pending takes. */

struct given {
  uint32_t put, take; /* operations */
};

struct matching {
  const struct part *part;
  struct mem *mem;
  struct items *items;
  const uint32_t *events;
  items_decider *decide;
  uint8_t *used;           /* a pending take each */
  op_list wrong;           /* everything that was wrong in some try */
  uint32_t tries;          /* left */
  VEC(struct given) given; /* the takes of now; of the try that held, at the end */
};

static void give_take(struct matching *x, uint32_t item, uint32_t which) {
  struct item *it = &x->items->at[item];
  x->used[which] = 1;
  it->take = x->items->pending[which];
  it->take_call = x->part->ops[it->take].call;
  item_tighten(it);
  x->items->of_op[it->take] = item;
  vec_push(x->mem, &x->given, ((struct given){it->put, it->take}));
}

static uint32_t pending_index(const struct items *t, uint32_t op) {
  uint32_t k = 0;
  while (t->pending[k] != op) k++;
  return k;
}

/* The last one given. */
static void take_back(struct matching *x) {
  struct given g = x->given.at[--x->given.count];
  struct item *it = &x->items->at[x->items->of_op[g.put]];
  x->items->of_op[g.take] = NEVER;
  it->take = it->take_call = NEVER;
  x->used[pending_index(x->items, g.take)] = 0;
}

static void take_back_to(struct matching *x, size_t count) {
  while (x->given.count > count) take_back(x);
}

static uint32_t place_in(const op_list *ops, uint32_t op) { /* NEVER: not there */
  size_t low = 0, high = ops->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (ops->at[middle] < op)
      low = middle + 1;
    else
      high = middle;
  }
  return low < ops->count && ops->at[low] == op ? (uint32_t)low : NEVER;
}

static void match_pending(struct matching *, struct decision *);

enum { ALONE_LEAST = 8, ALONE_TRIES = 200 };

/* Decides a wrong part alone, with the pending takes and what they were given, where it is far smaller than the whole:
 * wrong whatever else those took, it is wrong in the whole; and what they took if it is right is what to try in the
 * whole. UNKNOWN if that did not tell. */
static enum verdict match_alone(struct matching *x, const op_list *core, op_list *ops, struct matching *alone) {
  struct mem *m = x->mem;
  if (core->count > x->part->count / ALONE_LEAST) return VERDICT_UNKNOWN;
  for (size_t i = 0; i < core->count; i++) vec_push(m, ops, core->at[i]);
  for (uint32_t k = 0; k < x->items->pending_count; k++) vec_push(m, ops, x->items->pending[k]);
  core_sort(ops);
  struct part whole = *x->part, *part = mem_alloc(m, sizeof *part);
  struct items *items = mem_alloc(m, sizeof *items);
  struct decision d = {.verdict = VERDICT_UNKNOWN};
  const char *why_not;
  whole.global = whole.global_event = NULL;
  *part = part_restrict(&whole, m, ops->at, ops->count);
  part->verdict_only = true;
  if (items_build(part, m, items, &d, &why_not) == APPLIES_NOT || d.verdict == VERDICT_VIOLATED) return VERDICT_UNKNOWN;
  *alone = (struct matching){.part = part,
                             .mem = m,
                             .items = items,
                             .events = part_events(part, m),
                             .decide = x->decide,
                             .used = mem_zero(m, (size_t)items->pending_count + 1, 1),
                             .tries = ALONE_TRIES};
  for (size_t i = 0; i < x->given.count; i++) {
    uint32_t put = place_in(ops, x->given.at[i].put), take = place_in(ops, x->given.at[i].take);
    if (put == NEVER)
      alone->used[pending_index(items, take)] = 1;
    else
      give_take(alone, items->of_op[put], pending_index(items, take));
  }
  match_pending(alone, &d);
  return d.verdict;
}

static void give_as_alone(struct matching *x, const struct matching *alone, const op_list *ops) {
  for (size_t i = 0; i < alone->given.count; i++) {
    uint32_t item = x->items->of_op[ops->at[alone->given.at[i].put]];
    if (x->items->at[item].take == NEVER) give_take(x, item, pending_index(x->items, ops->at[alone->given.at[i].take]));
  }
}

static void add_wrong(struct matching *x, const struct matching *alone, const op_list *ops) {
  for (size_t i = 0; i < alone->wrong.count; i++) vec_push(x->mem, &x->wrong, ops->at[alone->wrong.at[i]]);
}

/* Tries in the whole what pending takes took in the wrong part alone. */
static void match_as_alone(struct matching *x, const struct matching *alone, const op_list *ops, struct decision *d) {
  size_t had = x->given.count;
  give_as_alone(x, alone, ops);
  match_pending(x, d);
  if (d->verdict != VERDICT_HOLDS) take_back_to(x, had);
}

/* Depth first over which stuck item of the wrong part gets which pending take. Whatever is wrong stays so unless one of
 * the wrong part's own items changes. UNKNOWN: out of tries. */
static void match_pending(struct matching *x, struct decision *d) {
  if (!x->tries--) {
    x->tries = 0;
    d->verdict = VERDICT_UNKNOWN;
    return;
  }
  x->decide(x->part, x->mem, x->items, x->events, d);
  if (d->verdict != VERDICT_VIOLATED) return;
  op_list wrong = {0}, ops = {0};
  for (size_t i = 0; i < d->core.count; i++) {
    uint32_t item = x->items->of_op[d->core.at[i]];
    if (item != NEVER && x->items->at[item].put == d->core.at[i] && x->items->at[item].take == NEVER)
      vec_push(x->mem, &wrong, item);
  }
  for (size_t i = 0; i < d->core.count; i++) vec_push(x->mem, &x->wrong, d->core.at[i]);
  if (!wrong.count || !x->items->pending_count) return;
  uint32_t culprit = d->culprit; /* the violation to report is the first one, without any pending take */
  struct matching alone;
  enum verdict by_itself = match_alone(x, &d->core, &ops, &alone);
  if (by_itself == VERDICT_VIOLATED) {
    add_wrong(x, &alone, &ops);
    vec_free(x->mem, &wrong);
    return;
  }
  bool unknown = false;
  if (by_itself == VERDICT_HOLDS) match_as_alone(x, &alone, &ops, d);
  for (size_t i = 0; i < wrong.count && d->verdict != VERDICT_HOLDS; i++)
    for (uint32_t k = 0; k < x->items->pending_count && d->verdict != VERDICT_HOLDS; k++) {
      if (x->used[k]) continue;
      give_take(x, wrong.at[i], k);
      match_pending(x, d);
      unknown |= d->verdict == VERDICT_UNKNOWN;
      if (d->verdict != VERDICT_HOLDS) take_back(x);
    }
  vec_free(x->mem, &wrong);
  if (d->verdict == VERDICT_HOLDS) return;
  d->culprit = culprit;
  d->verdict = unknown ? VERDICT_UNKNOWN : VERDICT_VIOLATED;
}

enum { TAIL_EVENTS = 1000 };

/* What pending takes took is mostly to be seen at the end. So the items that are inside or were touched there are
 * decided alone first, and what the takes got there is given them to begin with. False if that was wrong already. */
static bool match_tail(struct matching *x) {
  const struct items *t = x->items;
  uint32_t from = x->part->events - TAIL_EVENTS;
  op_list tail = {0}, ops = {0};
  struct matching alone;
  if (!t->pending_count || x->part->events < 10 * TAIL_EVENTS || t->stuck_count > TAIL_EVENTS) return true;
  for (uint32_t i = 0; i < t->count; i++)
    if (t->at[i].take == NEVER || t->at[i].take_ret >= from) core_add_item(x->mem, &tail, &t->at[i]);
  enum verdict v = match_alone(x, &tail, &ops, &alone);
  if (v == VERDICT_HOLDS) give_as_alone(x, &alone, &ops);
  if (v == VERDICT_VIOLATED) add_wrong(x, &alone, &ops);
  if (v == VERDICT_UNKNOWN) x->tries = 1; /* what was too much there is too much here */
  return v != VERDICT_VIOLATED;
}

enum applies items_match_pending(const struct part *p, struct mem *m, struct items *t, const uint32_t *events,
                                 items_decider *decide, struct decision *d, const char **why_not) {
  struct matching x = {.part = p,
                       .mem = m,
                       .items = t,
                       .events = events,
                       .decide = decide,
                       .used = mem_zero(m, (size_t)t->pending_count + 1, 1),
                       .tries = p->guesses ? p->guesses : 200};
  if (!match_tail(&x)) {
    d->verdict = VERDICT_VIOLATED;
  } else if (x.given.count) { /* a guess: where it does not help, nothing is proved */
    match_pending(&x, d);
    if (d->verdict != VERDICT_HOLDS) {
      take_back_to(&x, 0);
      x.wrong.count = 0;
      match_pending(&x, d);
    }
  } else {
    match_pending(&x, d);
  }
  mem_free(m, x.used);
  d->core.count = 0;
  d->closed = d->verdict == VERDICT_VIOLATED;
  if (d->verdict == VERDICT_VIOLATED) { /* wrong whichever values the pending takes took */
    for (size_t i = 0; i < x.wrong.count; i++) vec_push(m, &d->core, x.wrong.at[i]);
    for (uint32_t k = 0; k < t->pending_count; k++) vec_push(m, &d->core, t->pending[k]);
    core_sort(&d->core);
    if (t->pending_count) d->culprit = UINT32_MAX; /* by its return a pending take might still have helped */
  }
  vec_free(m, &x.wrong);
  if (d->verdict != VERDICT_UNKNOWN) return APPLIES;
  *why_not = "pending removals with too many values they may have taken";
  return APPLIES_NOT;
}
