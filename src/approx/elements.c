/* The element monitor: its events. See elements.h. */
#include "approx/elements.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

/* For bags, whatever is inside may leave; a specification that allows everything that priority queues and producers'
 * orders do. */
#define BAG "semiqueue(1000000000)"

/* A weak container is decided as the exact one of which the removals that may find nothing at any time, and did, are
 * left out; a drain is then an ordinary removal. */
static const struct shape shapes[] = {
    {FAMILY_QUEUE, false, false, NULL, 1, 1, ORDER_QUEUE, true, NULL},
    {FAMILY_QUEUE, true, false, "queue", 1, 1, ORDER_QUEUE, true, NULL},
    {FAMILY_QUEUE, false, true, "queue", 1, 1, ORDER_QUEUE, false,
     "whether the queue was full, or held too many values, is not looked at: --grammar bounded-queue counts them"},
    {FAMILY_QUEUE, true, true, "queue", 1, 1, ORDER_QUEUE, false,
     "whether the queue held too many values is not looked at"},
    {FAMILY_STACK, false, false, NULL, 1, 1, ORDER_STACK, true, NULL},
    {FAMILY_STACK, true, false, "stack", 1, 1, ORDER_STACK, true, NULL},
    {FAMILY_STACK, false, true, "stack", 1, 1, ORDER_STACK, false,
     "whether the stack was full, or held too many values, is not looked at"},
    {FAMILY_DEQUE, false, false, NULL, 2, 2, ORDER_DEQUE, true, NULL},
    {FAMILY_SEMIQUEUE, false, false, NULL, 1, 1, ORDER_OTHER, false, NULL},
    {FAMILY_K_FIFO, false, false, NULL, 1, 1, ORDER_OTHER, false, NULL},
    {FAMILY_PRODUCER_FIFO, false, false, BAG, 1, 1, ORDER_NONE, false,
     "the order in which values come out is not looked at, only whether they were put in, and empty results"},
    {FAMILY_PRODUCER_FIFO, true, false, BAG, 1, 1, ORDER_NONE, false,
     "the order in which values come out is not looked at, only whether they were put in, and empty results of drain"},
    {FAMILY_BAG, false, false, NULL, 1, 1, ORDER_NONE, false, NULL},
    {FAMILY_BAG, true, false, BAG, 1, 1, ORDER_NONE, false, NULL},
    {FAMILY_PRIORITY_QUEUE, false, false, BAG, 1, 1, ORDER_NONE, false,
     "priorities are not looked at, only whether values were put in, and empty results"},
    {FAMILY_PRIORITY_QUEUE, false, true, BAG, 1, 1, ORDER_NONE, false,
     "neither priorities nor whether the queue was full are looked at, only whether values were put in, and empty "
     "results: --grammar bounded-priority-queue counts them"},
};

const struct shape *shape_of(const struct spec *s) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (shapes[i].family == s->family && shapes[i].weak == s->weak && shapes[i].bounded == s->bounded)
      return &shapes[i];
  return NULL;
}

/* Values in flight. Four neighbours lie side by side: values are often numbers in a row. */

static inline uint32_t item_home(const struct items *t, value v) {
  return (uint32_t)((uint64_t)(v >> 3) * 0x9e3779b97f4a7c15u >> t->shift) << 2 | (v >> 1 & 3);
}

/* Where it is, or would be. */
static inline struct item *item_place(const struct items *t, value v) {
  struct item *x = &t->at[item_home(t, v)], *end = t->at + t->room;
  while (x->kind != ITEM_NONE && x->v != v)
    if (++x == end) x = t->at;
  return x;
}

static inline struct item *item_find(const struct items *t, value v) {
  struct item *x = item_place(t, v);
  return x->kind == ITEM_NONE ? NULL : x;
}

static void items_resize(struct mem *m, struct items *t, uint32_t room) {
  struct items old = *t;
  t->at = mem_zero(m, room, sizeof *t->at);
  t->room = room;
  t->shift = 64 - (unsigned)__builtin_ctz(room / 4);
  for (uint32_t i = 0; i < old.room; i++) {
    if (old.at[i].kind == ITEM_NONE) continue;
    *item_place(t, old.at[i].v) = old.at[i];
  }
  mem_free(m, old.at);
}

static inline void item_remove(struct items *t, struct item *x) {
  uint32_t hole = (uint32_t)(x - t->at), mask = t->room - 1;
  for (uint32_t at = (hole + 1) & mask; t->at[at].kind != ITEM_NONE; at = (at + 1) & mask) {
    uint32_t home = item_home(t, t->at[at].v);
    if (((at - home) & mask) < ((at - hole) & mask)) continue; /* its home is after the hole */
    t->at[hole] = t->at[at];
    hole = at;
  }
  t->at[hole].kind = ITEM_NONE;
  t->count--;
}

/* Values that are not followed, for want of room: how many there are, by hash, plus 1 where there ever were any. */

static inline uint32_t *other_of(struct elements *e, value v) { return &e->others[hash_mix(v) % OTHERS]; }

static void other_add(struct elements *e, value v) {
  if (!e->others) e->others = mem_zero(e->m.mem, OTHERS, sizeof *e->others);
  uint32_t *o = other_of(e, v);
  *o += *o ? 1 : 2;
}

static void other_remove(struct elements *e, value v) {
  uint32_t *o = other_of(e, v);
  if (*o > 1) --*o;
}

/* Intervals and classes. */

static bool within(const struct elements *e, unsigned a, unsigned b) {
  return e->from[a] >= e->from[b] && e->to[a] <= e->to[b];
}

/* Does an element of class a make those of class b redundant? */
static bool class_covers(const struct elements *e, unsigned a, unsigned b) {
  unsigned a_push_side, a_push, a_pop_side, a_pop, b_push_side, b_push, b_pop_side, b_pop;
  class_parts(e, a, &a_push_side, &a_push, &a_pop_side, &a_pop);
  class_parts(e, b, &b_push_side, &b_push, &b_pop_side, &b_pop);
  return a_push_side == b_push_side && a_pop_side == b_pop_side && within(e, a_push, b_push) && within(e, a_pop, b_pop);
}

static void live_add_wide(const struct elements *e, struct live *l, unsigned class) {
  unsigned kept = 0;
  for (unsigned i = 0; i < l->count; i++)
    if (class_covers(e, l->at[i], class)) return;
  for (unsigned i = 0; i < l->count; i++)
    if (!class_covers(e, class, l->at[i])) l->at[kept++] = l->at[i];
  l->count = kept;
  if (kept < LIVE_MOST) l->at[l->count++] = (uint16_t) class; /* else without it: the others are a history, too */
}

static inline void live_add_narrow(const struct elements *e, struct live *l, unsigned class) {
  if (l->bits & e->narrower[class]) return;
  l->bits = (l->bits & ~e->wider[class]) | (uint64_t)1 << class;
}

void live_add(const struct elements *e, struct live *l, unsigned class) {
  if (!e->matters[class]) return;
  if (e->narrow)
    live_add_narrow(e, l, class);
  else
    live_add_wide(e, l, class);
}

static inline void add_popped(struct elements *e, struct live *l, unsigned class, value v) {
  if (!e->matters[class]) return;
  live_add(e, l, class);
  e->example[class] = v;
}

static unsigned half_class(const struct elements *e, const struct half *h) {
  unsigned push = e->interval[relative(e, h->push_from)][e->k];
  return class_of(e, h->push_side, push, h->pop_side, e->interval[relative(e, h->pop_from)][relative(e, h->pop_to)]);
}

/* An element that is popped, but whose push is open, has a push that lasts until now: it does not shift as the others
 * do. */
static void find_halfway(struct elements *e) {
  e->halfway.bits = e->halfway.count = 0;
  for (size_t i = 0; i < e->halves.count && e->halves_used; i++) {
    struct half *h = &e->halves.at[i];
    if (!h->used) continue;
    unsigned class = half_class(e, h);
    add_popped(e, &e->halfway, class, h->v);
    if (h->retired && !e->matters[class]) { /* nor will it ever */
      if (!h->apart) item_remove(&e->items, item_find(&e->items, h->v));
      h->used = false;
      e->halves_used--;
    }
  }
}

static void shift_counts(const struct elements *e, uint32_t *count) {
  /* The interval shifted to comes before, so nothing is shifted twice. */
  for (unsigned i = 1; i < e->intervals; i++) {
    uint32_t c = count[i];
    count[i] = 0;
    count[e->shifted[i]] += c;
  }
}

/* The same for k = 2: [0,0] [0,1] [0,2] [1,1] [1,2] [2,2]. */
static inline void shift_two(uint32_t *count) {
  count[0] += count[1] + count[3];
  count[1] = count[2] + count[4];
  count[3] = count[5];
  count[2] = count[4] = count[5] = 0;
}

static void shift_wide(struct elements *e) {
  struct live *l = &e->popped;
  uint16_t was[LIVE_MOST];
  unsigned count = l->count;
  memcpy(was, l->at, count * sizeof *was);
  /* A class that another is shifted to is shifted itself: its example has moved on once it is done. */
  for (unsigned i = 1; i < count; i++)
    for (unsigned j = i; j && was[j - 1] > was[j]; j--) {
      uint16_t swap = was[j];
      was[j] = was[j - 1];
      was[j - 1] = swap;
    }
  l->count = 0;
  for (unsigned i = 0; i < count; i++) {
    unsigned to = e->class_shifted[was[i]];
    if (to != NO_CLASS) add_popped(e, l, to, e->example[was[i]]);
  }
}

static inline void shift_narrow(struct elements *e) {
  uint64_t rest = e->popped.bits;
  for (e->popped.bits = 0; rest; rest &= rest - 1) {
    unsigned class = (unsigned)__builtin_ctzll(rest), to = e->class_shifted[class];
    if (to == NO_CLASS) continue;
    live_add_narrow(e, &e->popped, to);
    e->example[to] = e->example[class];
  }
}

static uint64_t shift_intervals(const struct elements *e, uint64_t bits) {
  uint64_t to = 0;
  for (; bits; bits &= bits - 1) {
    unsigned i = e->shifted[__builtin_ctzll(bits)];
    if (e->from[i]) to |= (uint64_t)1 << i; /* at the very beginning nothing is inside */
  }
  return to;
}

/* Lemma 6.8: a call after a return begins a new interval. */
static inline void begin_interval(struct elements *e, bool narrow) {
  if (!e->returned) return;
  e->returned = false;
  e->n++;
  if (narrow)
    shift_narrow(e);
  else
    shift_wide(e);
  for (unsigned s = 0; s < (narrow ? 1 : e->shape->pushes); s++) {
    if (narrow && e->k == NARROW_K)
      shift_two(e->inside[s]);
    else
      shift_counts(e, e->inside[s]);
  }
  for (unsigned s = 0; s < (narrow ? 1 : e->shape->pops); s++) {
    if (__builtin_expect(e->empty[s] != 0, 0)) e->empty[s] = shift_intervals(e, e->empty[s]);
    uint32_t *p = e->pending[s];
    if (!e->k) continue;
    p[0] += p[1];
    for (unsigned i = 1; i < e->k; i++) p[i] = p[i + 1];
    p[e->k] = 0;
  }
  if (__builtin_expect(e->halves_used != 0, 0)) find_halfway(e);
}

/* Pushes. */

static uint32_t half_new(struct elements *e, const struct half *h) {
  size_t i = 0;
  while (i < e->halves.count && e->halves.at[i].used) i++;
  if (i == e->halves.count) vec_push(e->m.mem, &e->halves, *h);
  e->halves.at[i] = *h;
  e->halves_used++;
  return (uint32_t)i;
}

static void half_end(struct elements *e, uint32_t i) {
  e->halves.at[i].used = false;
  e->halves_used--;
  find_halfway(e);
}

/* The value is in flight several times: which pop took which is not known. Without it the others are still a history of
 * the specification (data independence), so it leaves the classes and is only counted. */
static struct many *make_many(struct elements *e, struct item *x) {
  struct many many = {.v = x->v, .called = 1};
  if (x->kind == ITEM_MANY) return &e->manys.at[x->which];
  if (x->kind == ITEM_PUSHING)
    many.open = 1;
  else
    e->inside[x->side][inside_interval(e, x)]--;
  uint32_t at = e->manys_free;
  if (at) {
    e->manys_free = e->manys.at[--at].next;
    e->manys.at[at] = many;
  } else {
    at = (uint32_t)e->manys.count;
    vec_push(e->m.mem, &e->manys, many);
  }
  x->kind = ITEM_MANY;
  x->which = at & ((1u << 27) - 1);
  return &e->manys.at[at];
}

/* As many pops as pushes, and no push open: none is inside. */
static void many_balance(struct elements *e, struct item *x) {
  struct many *many = &e->manys.at[x->which];
  if (many->called > SAME_MOST) many->blind = true;
  if (many->blind && many->popped <= many->called) {
    many->called -= many->popped;
    many->popped = 0;
  }
  if (many->open || many->popped < many->called) return;
  many->next = e->manys_free;
  e->manys_free = x->which + 1;
  item_remove(&e->items, x);
}

static inline void begin_push(struct elements *e, struct item *x, const struct open *o, unsigned side) {
  *x = (struct item){.v = o->v, .kind = ITEM_PUSHING, .side = side & 1, .when = o->start};
  x->which = (unsigned)(o - e->slots.at) & ((1u << 27) - 1);
}

static void push_again(struct elements *e, struct item *x, const struct open *o, unsigned side) {
  if (x->kind == ITEM_HALF) { /* its pop has returned: what is pushed now is something else */
    struct half *h = &e->halves.at[x->which];
    h->apart = true;
    if (!h->retired) e->slots.at[h->slot].half = x->which + 1;
    begin_push(e, x, o, side);
    return;
  }
  struct many *many = make_many(e, x);
  many->called++;
  many->open++;
  many_balance(e, x);
}

static inline void push_called(struct elements *e, struct open *o, unsigned side) {
  struct item *x = item_place(&e->items, o->v);
  if (__builtin_expect(x->kind != ITEM_NONE, 0)) {
    push_again(e, x, o, side);
    return;
  }
  if (__builtin_expect(e->items.count >= FOLLOWED_MOST || (e->others && *other_of(e, o->v) > 1), 0)) {
    o->other = true;
    other_add(e, o->v);
    return;
  }
  if (__builtin_expect(e->items.count >= e->items.room / 2, 0)) {
    items_resize(e->m.mem, &e->items, e->items.room * 2);
    x = item_place(&e->items, o->v);
  }
  e->items.count++;
  begin_push(e, x, o, side);
}

static void half_returned(struct elements *e, uint32_t half) {
  const struct half *h = &e->halves.at[half];
  add_popped(e, &e->popped, half_class(e, h), h->v);
  if (!h->apart) item_remove(&e->items, item_find(&e->items, h->v));
  half_end(e, half);
}

static bool is_wrong(struct elements *e, enum wrong_kind kind, value v, const struct open *o) {
  if (e->wrong) return false;
  e->wrong = kind;
  e->wrong_value = v;
  if (o)
    e->wrong_pop = (struct half){
        .v = v, .pop_side = (uint8_t)(o->method - e->shape->pushes), .pop_from = o->start, .pop_to = e->n};
  return false;
}

/* Popped, though it was not pushed. */
static void half_dropped(struct elements *e, uint32_t half) {
  struct half h = e->halves.at[half];
  if (!h.apart) item_remove(&e->items, item_find(&e->items, h.v));
  half_end(e, half);
  is_wrong(e, WRONG_UNKNOWN, h.v, NULL);
  e->wrong_pop = h;
}

static inline void push_returned(struct elements *e, const struct open *o) {
  if (__builtin_expect(o->other, 0)) return;
  if (__builtin_expect(o->half, 0)) {
    half_returned(e, o->half - 1);
    return;
  }
  struct item *x = item_find(&e->items, o->v);
  assert(x);
  if (__builtin_expect(x->kind == ITEM_PUSHING, 1)) {
    uint64_t lasted = e->n - x->when;
    x->kind = ITEM_INSIDE;
    x->when = e->n << 4 | (lasted < 15 ? lasted : 15);
    e->inside[x->side][inside_interval(e, x)]++;
  } else if (x->kind == ITEM_HALF) {
    half_returned(e, x->which);
  } else if (x->kind == ITEM_MANY) {
    e->manys.at[x->which].open--;
    many_balance(e, x);
  }
}

/* Pops. */

static bool too_many(struct elements *e, const struct many *many) {
  if (!e->wrong) e->wrong_many = *many; /* what is called after a drop that showed it does not help */
  return is_wrong(e, WRONG_MANY, many->v, NULL);
}

static bool pop_seldom(struct elements *e, struct item *x, value v, const struct open *o) {
  if (!x) {
    if (!e->others || !*other_of(e, v)) return is_wrong(e, WRONG_UNKNOWN, v, o);
    other_remove(e, v);
    return judge(e);
  }
  if (x->kind == ITEM_HALF) return is_wrong(e, WRONG_TWICE, v, o);
  if (x->kind == ITEM_PUSHING) {
    struct half h = {.v = v,
                     .push_side = x->side,
                     .pop_side = (uint8_t)(o->method - e->shape->pushes),
                     .used = true,
                     .retired = x->retired,
                     .slot = x->which,
                     .push_from = x->when,
                     .pop_from = o->start,
                     .pop_to = e->n};
    x->kind = ITEM_HALF;
    x->which = half_new(e, &h) & ((1u << 27) - 1);
    find_halfway(e);
    return judge(e);
  }
  struct many *many = &e->manys.at[x->which];
  if (++many->popped > many->called && !many->blind) return too_many(e, many);
  many_balance(e, x);
  return judge(e);
}

static inline bool pop_returned(struct elements *e, const struct open *o, value result, bool narrow) {
  unsigned side = narrow ? 0 : o->method - e->shape->pushes, from = relative(e, o->start);
  if (result == V_UNKNOWN) return true; /* it may have taken anything: as if pending for ever */
  e->pending[side][from]--;
  e->pendings--;
  if (__builtin_expect(result == V_EMPTY, 0)) {
    if (!o->loose && from) e->empty[side] |= (uint64_t)1 << e->interval[from][e->k];
    return judge(e);
  }
  struct item *x = item_find(&e->items, result);
  if (__builtin_expect(!x || x->kind != ITEM_INSIDE, 0)) return pop_seldom(e, x, result, o);
  unsigned push = inside_interval(e, x), pop = e->interval[from][e->k];
  e->inside[narrow ? 0 : x->side][push]--;
  e->gone[e->gone_next++ % GONE] = (struct gone){result, x->side, (uint8_t)side, x->when, o->start, e->n};
  unsigned class = narrow ? push * e->intervals + pop : class_of(e, x->side, push, side, pop);
  if (e->matters[class]) {
    if (narrow)
      live_add_narrow(e, &e->popped, class);
    else
      live_add_wide(e, &e->popped, class);
    e->example[class] = result;
  }
  item_remove(&e->items, x);
  return judge(e);
}

/* Events. */

static struct open *more_slots(struct elements *e, uint32_t slot) {
  assert(slot < 1u << 27); /* item.which */
  vec_reserve(e->m.mem, &e->slots, (size_t)slot + 1);
  memset(e->slots.at + e->slots.count, 0, (slot + 1 - e->slots.count) * sizeof *e->slots.at);
  e->slots.count = (size_t)slot + 1;
  return &e->slots.at[slot];
}

static inline void on_call(struct elements *e, uint32_t slot, uint16_t method, value v, bool narrow) {
  bool loose = method == e->loose;
  if (__builtin_expect(method == e->exact, 0)) method = e->loose; /* one kind of removals, in the exact container */
  begin_interval(e, narrow);
  struct open *o = __builtin_expect(slot < e->slots.count, 1) ? &e->slots.at[slot] : more_slots(e, slot);
  *o = (struct open){.start = e->n, .v = v, .method = (uint8_t)method, .loose = loose};
  if (method < (narrow ? 1 : e->shape->pushes)) {
    push_called(e, o, method);
  } else {
    e->pending[narrow ? 0 : method - e->shape->pushes][e->k]++;
    e->pendings++;
  }
}

static void push_dropped(struct elements *e, const struct open *o) {
  struct item *x = item_find(&e->items, o->v);
  if (o->other) {
    other_remove(e, o->v);
  } else if (o->half || x->kind == ITEM_HALF) {
    half_dropped(e, o->half ? o->half - 1 : x->which);
  } else if (x->kind == ITEM_PUSHING) {
    item_remove(&e->items, x);
  } else {
    struct many *many = &e->manys.at[x->which];
    many->called--;
    many->open--;
    if (many->popped > many->called && !many->blind)
      too_many(e, many);
    else
      many_balance(e, x);
  }
}

static void push_retired(struct elements *e, const struct open *o) {
  if (o->other) return;
  struct item *x = item_find(&e->items, o->v);
  if (!o->half) x->retired = 1;
  if (!o->half && x->kind != ITEM_HALF) return;
  e->halves.at[o->half ? o->half - 1 : x->which].retired = true;
  find_halfway(e);
}

/* What returns from a push can always be put in last, and says nothing new (as long as pushes are possible always). Of
 * pops, there may be fewer now that can have taken something. */
static inline bool on_return(struct elements *e, uint32_t slot, value result, bool narrow) {
  const struct open *o = &e->slots.at[slot];
  e->returned = true;
  if (o->method >= (narrow ? 1 : e->shape->pushes)) return pop_returned(e, o, result, narrow) && !e->wrong;
  if (result == V_FULL)
    push_dropped(e, o); /* nothing was pushed */
  else if (result == V_UNKNOWN && e->m.spec.ops[o->method].result == RESULT_NONE_FULL)
    push_retired(e, o);
  else
    push_returned(e, o);
  if (__builtin_expect(e->fewer, 0)) {
    e->fewer = false;
    judge(e);
  }
  return !e->wrong;
}

static void narrow_call(struct monitor *m, uint32_t slot, uint16_t method, const value arg[OP_ARGS]) {
  on_call((struct elements *)m, slot, method, arg[0], true);
}
static bool narrow_return(struct monitor *m, uint32_t slot, value result) {
  return on_return((struct elements *)m, slot, result, true);
}
static void wide_call(struct monitor *m, uint32_t slot, uint16_t method, const value arg[OP_ARGS]) {
  on_call((struct elements *)m, slot, method, arg[0], false);
}
static bool wide_return(struct monitor *m, uint32_t slot, value result) {
  return on_return((struct elements *)m, slot, result, false);
}

static void elements_drop(struct monitor *m, uint32_t slot) {
  struct elements *e = (struct elements *)m;
  const struct open *o = &e->slots.at[slot];
  if (o->method < e->shape->pushes) {
    push_dropped(e, o);
  } else {
    e->pending[o->method - e->shape->pushes][relative(e, o->start)]--;
    e->pendings--;
    e->fewer = true;
  }
}

static void elements_retire(struct monitor *m, uint32_t slot) {
  struct elements *e = (struct elements *)m;
  const struct open *o = &e->slots.at[slot];
  if (o->method < e->shape->pushes) push_retired(e, o); /* a pop stays among the pending ones */
}

static size_t elements_bytes(const struct monitor *m) {
  const struct elements *e = (const struct elements *)m;
  return sizeof *e + e->items.room * sizeof *e->items.at + e->slots.room * sizeof *e->slots.at +
         e->halves.room * sizeof *e->halves.at + e->manys.room * sizeof *e->manys.at +
         (e->others ? OTHERS * sizeof *e->others : 0) +
         e->classes * (sizeof *e->example + sizeof *e->class_shifted + sizeof *e->matters) + judge_bytes(e);
}

static void elements_reset(struct monitor *m) {
  struct elements *e = (struct elements *)m;
  memset(e->items.at, 0, e->items.room * sizeof *e->items.at);
  memset(e->inside, 0, sizeof e->inside);
  memset(e->pending, 0, sizeof e->pending);
  memset(e->empty, 0, sizeof e->empty);
  if (e->others) memset(e->others, 0, OTHERS * sizeof *e->others);
  e->items.count = e->pendings = e->halves_used = e->gone_next = e->manys_free = 0;
  e->slots.count = e->halves.count = e->manys.count = 0;
  e->popped.bits = e->popped.count = e->halfway.bits = e->halfway.count = 0;
  e->n = e->k;
  e->fine = 0;
  e->returned = e->fewer = false;
  e->wrong = WRONG_NOTHING;
}

static uint64_t elements_held(const struct monitor *m) {
  const struct elements *e = (const struct elements *)m;
  return e->items.count;
}

/* Making one. */

static void elements_blind(const struct monitor *m, struct text *t) {
  const struct elements *e = (const struct elements *)m;
  if (e->shape->blind) text_printf(t, "%s\n", e->shape->blind);
}

static const struct monitor_type narrow_type = {.name = "elements",
                                                .call = narrow_call,
                                                .ret = narrow_return,
                                                .drop = elements_drop,
                                                .retire = elements_retire,
                                                .show = elements_show,
                                                .bytes = elements_bytes,
                                                .held = elements_held,
                                                .blind = elements_blind,
                                                .reset = elements_reset};
static const struct monitor_type wide_type = {.name = "elements",
                                              .call = wide_call,
                                              .ret = wide_return,
                                              .drop = elements_drop,
                                              .retire = elements_retire,
                                              .show = elements_show,
                                              .bytes = elements_bytes,
                                              .held = elements_held,
                                              .blind = elements_blind,
                                              .reset = elements_reset};

/* Which popped classes matter. Push and pop at the very beginning, one just after the other, are always possible; in a
 * stack, at the same end of a deque, and in a bag they are at any other time, too. */
static bool class_matters(const struct elements *e, unsigned push_side, unsigned push, unsigned pop_side,
                          unsigned pop) {
  if (!e->from[push] && !e->from[pop]) return false;
  if (e->to[push] < e->from[pop] || e->to[pop] < e->from[push]) return true;
  switch (e->shape->order) {
  case ORDER_STACK:
  case ORDER_NONE: return false;
  case ORDER_DEQUE: return push_side != pop_side;
  default: return true;
  }
}

static void fill_tables(struct elements *e) {
  unsigned k = e->k;
  for (unsigned i = 0; i <= k; i++)
    for (unsigned j = i; j <= k; j++) {
      unsigned at = approx_interval(k, i, j);
      e->interval[i][j] = (uint8_t)at;
      e->from[at] = (uint8_t)i;
      e->to[at] = (uint8_t)j;
      e->shifted[at] = (uint8_t)approx_interval(k, i ? i - 1 : 0, j ? j - 1 : 0);
      if (j == k) continue; /* what is pushed now and not popped can be pushed last of all */
      /* In a queue it is best pushed as late as it can be; in a stack what is below it matters, too. */
      bool late = e->shape->order == ORDER_QUEUE || e->shape->order == ORDER_NONE;
      e->kept_bit[e->kept_count] = (uint8_t)(late ? approx_interval(k, j, j) : at);
      e->kept[e->kept_count++] = (uint8_t)at;
    }
  for (unsigned i = 0; i < e->intervals; i++)
    for (unsigned j = 0; j < e->intervals; j++)
      if (i != j && within(e, i, j)) e->around[i] |= (uint64_t)1 << j;
  for (unsigned c = 0; c < e->classes; c++) {
    unsigned push_side, push, pop_side, pop;
    class_parts(e, c, &push_side, &push, &pop_side, &pop);
    e->matters[c] = class_matters(e, push_side, push, pop_side, pop);
    unsigned to = class_of(e, push_side, e->shifted[push], pop_side, e->shifted[pop]);
    e->class_shifted[c] =
        class_matters(e, push_side, e->shifted[push], pop_side, e->shifted[pop]) ? (uint16_t)to : NO_CLASS;
    for (unsigned d = 0; e->narrow && d < e->classes; d++) {
      if (class_covers(e, c, d)) e->wider[c] |= (uint64_t)1 << d;
      if (class_covers(e, d, c)) e->narrower[c] |= (uint64_t)1 << d;
    }
  }
}

struct monitor *monitor_of_elements(struct mem *m, const struct spec *spec, unsigned k, struct problem *problem) {
  const struct shape *shape = shape_of(spec);
  assert(shape && k <= APPROX_K_MOST);
  struct elements *e = mem_zero(m, 1, sizeof *e);
  e->shape = shape;
  e->loose = spec->weak ? spec->loose : UINT16_MAX;
  e->exact = spec->weak ? spec->exact : UINT16_MAX;
  e->k = k;
  e->n = k;
  e->intervals = APPROX_INTERVALS(k);
  e->classes = shape->pushes * shape->pops * e->intervals * e->intervals;
  e->narrow = k <= NARROW_K && shape->pushes == 1 && shape->pops == 1;
  e->m = (struct monitor){.type = e->narrow ? &narrow_type : &wide_type, .mem = m, .spec = *spec, .k = k};
  if (!shape->judge)
    e->judge = *spec;
  else if (!spec_named(shape->judge, &e->judge, problem))
    return NULL;
  e->example = mem_zero(m, e->classes, sizeof *e->example);
  e->class_shifted = mem_zero(m, e->classes, sizeof *e->class_shifted);
  e->matters = mem_zero(m, e->classes, sizeof *e->matters);
  fill_tables(e);
  items_resize(m, &e->items, ITEMS_LEAST);
  judge_open(e);
  return &e->m;
}
