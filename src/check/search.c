/* The general search: exact for any specification.
 *
 * Wing and Gong's search (section 4) tries orders depth first over the whole history. This one walks the events once
 * and keeps the set of configurations the object may be in (configs.h), linearizing an operation only when its return
 * forces something: just in time (Lowe). A wrong history costs what a right one does: the set becomes empty at
 * the first return that cannot be. What keeps the set small:
 *   - bit sets are over the open operations, never over the history;
 *   - an operation that leaves the state as it is linearizes as soon as it can;
 *   - an operation that could have linearized without changing what followed becomes optional: one that loops on the
 *     present state, or one that can always happen, just before another that overwrites everything;
 *   - pending operations that need no choice are settled before (pending.h), of the others it is counted how many of a
 *     kind linearized (kinds.h), and those that never change the state are dropped;
 *   - in an object that is one value a pending operation linearizes only just before one that observes what it set;
 *   - in an object that is one value, the values nobody will read or compare with any more are one and the same;
 *   - of operations that differ only in when they return, the first to return linearizes first;
 *   - dominated configurations are dropped.
 * Where the set grows all the same, a narrow one is tried first, then wider ones: a linearization found is a
 * linearization; only if nothing was left out is an empty set a violation. */
#include "check/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "check/configs.h"
#include "check/kinds.h"
#include "check/pending.h"

enum { FORGET_AT = 128 << 10 }; /* so that what is in use stays in the processor's cache */

/* Of a narrow search that keeps the best: how many times its width is looked at; what a pending operation weighs. */
enum { RANKED = 4, USED = 2 };

#define NO_STATE UINT32_MAX

struct slot {
  uint32_t op, class;
  uint32_t ret;
  uint32_t to; /* the state it always leads to, if there is one and it was met; else NO_STATE */
  uint32_t at; /* reads a value: the only state it can happen in; else NO_STATE */
  uint32_t
      until; /* sets a value: the last return of an operation that observes it; NO_RETURN if that does not matter */
  uint16_t method;
  bool pure;
  bool open;
};

struct node { /* an entry of the log of linearized operations: a tree shared by the configurations */
  uint32_t parent;
  uint32_t entry; /* (operation << 1) | it was optional here */
};

struct observed {
  value value;
  uint32_t until; /* the last return of an operation that observes it */
};

struct search {
  struct mem *mem;
  const struct spec *spec;
  struct states *states;
  const struct part *part;

  struct slot *slots;
  uint32_t slot_count, slot_room, words;
  uint64_t *earlier;                    /* a slot: those of the same class that return earlier, `words` each */
  uint64_t *open;                       /* the open slots ... */
  uint64_t *pure, *always, *overwrites; /* ... and of those the ones whose operation is so (spec.h); always: not pure */
  uint32_t *slot_of;                    /* operation -> slot */
  struct kinds kinds;                   /* of the pending operations */
  const uint32_t *ends;                 /* the events after which they matter no more (pending.h); or NULL */
  op_list events;                       /* of the part: see part_events */
  uint32_t slot_of_room;

  struct observed *observed; /* one-value objects: until when each value is read or compared with; key V_NONE: free */
  uint32_t observed_mask;
  bool one_value;      /* the object is one value, and dead_op sets it */
  bool merges;         /* unobserved values are merged */
  uint32_t event;      /* the present one */
  uint32_t furthest;   /* the last one that it has come to, at any width */
  struct op dead_op;   /* sets the value to one that nobody observes */
  uint32_t dead_state; /* which leads there, once met */

  struct configs now, after, seen; /* before this event; after it; met while linearizing what this return forces */
  bool sets_open;
  struct config *scratch;
  VEC(uint32_t) marks; /* log entries of the configuration being made */

  VEC(uint8_t) placed;
  VEC(struct node) log; /* node 0 is the root */
  op_list settled;      /* log entries common to all configurations */
  size_t collect_at;    /* log size that calls for a collection */

  const struct known_order *known; /* by `then` */
  uint32_t known_count;

  size_t forget_at; /* bytes of states that call for forgetting */

  bool once;  /* at one width only */
  bool ranks; /* if not all are kept, it is the best ones */
  VEC(uint64_t) ranked;
  uint32_t first_width;          /* what is tried first */
  uint32_t width;                /* most configurations kept; 0: all */
  bool left_out;                 /* some were not kept */
  uint64_t configurations, most; /* so far; when to give up, 0: never */
  uint64_t each;                 /* so many more may be for each event of those it has come to */
  uint64_t large;                /* states_large when it began: large states count as more configurations */
  const struct start *start;     /* instead of the initial states, or NULL */
  uint32_t steps;                /* since the limits were polled */
};

struct search *search_new(struct mem *m, const struct spec *spec) {
  struct search *s = mem_zero(m, 1, sizeof *s);
  s->mem = m;
  s->spec = spec;
  s->states = states_new(m, spec);
  s->forget_at = FORGET_AT;
  s->first_width = 256;
  return s;
}

/* The log. */

static uint32_t log_add(struct search *s, uint32_t parent, uint32_t entry) {
  vec_push(s->mem, &s->log, ((struct node){parent, entry}));
  return (uint32_t)s->log.count - 1;
}

/* Keeps the nodes the current configurations need; what they all share moves to `settled`. */
static void log_collect(struct search *s) {
  uint32_t n = (uint32_t)s->log.count;
  uint32_t *moved = mem_zero(s->mem, n, sizeof *moved); /* 1 if live, later the new place */
  uint32_t *children = mem_zero(s->mem, n, sizeof *children);
  uint8_t *tip = mem_zero(s->mem, n, 1);
  for (uint32_t i = 0; i < s->now.count; i++) {
    const struct config *c = configs_at(&s->now, i);
    if (c->dropped) continue;
    tip[c->node] = 1;
    for (uint32_t x = c->node; x && !moved[x]; x = s->log.at[x].parent) {
      moved[x] = 1;
      children[s->log.at[x].parent]++;
    }
  }
  uint32_t shared = 0, live = 1;
  for (uint32_t x = 1; x < n; x++) {
    if (!moved[x]) continue;
    struct node y = s->log.at[x];
    if (y.parent == shared && children[shared] == 1 && !tip[shared]) {
      vec_push(s->mem, &s->settled, y.entry);
      shared = x;
      moved[x] = 0;
      continue;
    }
    moved[x] = live;
    s->log.at[live++] = (struct node){y.parent == shared || !y.parent ? 0 : moved[y.parent], y.entry};
  }
  moved[shared] = 0;
  s->log.count = live;
  for (uint32_t i = 0; i < s->now.count; i++) {
    struct config *c = configs_at(&s->now, i);
    if (!c->dropped) c->node = moved[c->node];
  }
  s->collect_at = live * 2 > 1 << 16 ? live * 2 : 1 << 16;
  mem_free(s->mem, children);
  mem_free(s->mem, moved);
  mem_free(s->mem, tip);
}

/* Values that nobody observes. */

static struct observed *observed_at(const struct search *s, value v) {
  uint32_t i = (uint32_t)hash_mix(v) & s->observed_mask;
  while (s->observed[i].value != v && s->observed[i].value != V_NONE) i = (i + 1) & s->observed_mask;
  return &s->observed[i];
}

static void observe(struct search *s, value v, uint32_t until) {
  if (v == V_NONE || v == V_UNKNOWN) return;
  struct observed *o = observed_at(s, v);
  if (o->value == V_NONE) *o = (struct observed){v, until};
  if (until > o->until) o->until = until;
}

/* When each value is observed for the last time. */
static void observe_part(struct search *s, const struct part *p) {
  const struct spec_cell *cell = s->spec->cell;
  mem_free(s->mem, s->observed);
  s->observed = NULL;
  s->dead_state = NO_STATE;
  s->merges = s->one_value = false;
  if (!cell) return;
  for (uint32_t i = 0; i < p->count; i++)
    if (cell[p->ops[i].method].sets == CELL_MIXES) return;
  for (s->observed_mask = 15; s->observed_mask < p->count * 2u;) s->observed_mask = s->observed_mask * 2 + 1;
  s->observed = mem_alloc(s->mem, ((size_t)s->observed_mask + 1) * sizeof *s->observed);
  for (uint32_t i = 0; i <= s->observed_mask; i++) s->observed[i].value = V_NONE;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    uint32_t until = op_pending(o) && s->ends ? s->ends[i] : o->ret;
    if (cell[o->method].compares >= 0) observe(s, o->arg[cell[o->method].compares], until);
    if (cell[o->method].sets == -1 && !op_pending(o)) observe(s, o->result, o->ret);
  }
  for (uint32_t i = 0; i < p->count; i++) /* an operation that overwrites, to make the one unobserved state with */
    if (cell[p->ops[i].method].sets >= 0 && spec_op_in(s->spec->overwrites, p->ops[i].method)) {
      s->dead_op = p->ops[i];
      s->dead_op.arg[cell[p->ops[i].method].sets] = V_UNKNOWN;
      s->merges = s->one_value = true;
      return;
    }
}

/* The state that stands for all whose value nobody will observe; from any other. */
static uint32_t dead_state(struct search *s, uint32_t state) {
  if (s->dead_state == NO_STATE)
    s->dead_state = states_step(s->states, state, states_class(s->states, &s->dead_op)).at[0];
  return s->dead_state;
}

/* What is known of an open operation beforehand. In an object that is one value a read can happen only in the state
 * that setting the value it read leads to. */
static void slot_know(struct search *s, uint32_t k) {
  struct slot *t = &s->slots[k];
  const struct op *o = &s->part->ops[t->op];
  t->class = states_class(s->states, o);
  t->to = t->at = NO_STATE;
  t->until = NO_RETURN;
  if (!s->one_value) return;
  const struct spec_cell *cell = &s->spec->cell[o->method];
  if (cell->sets == -1 && cell->compares == -1 && s->spec->ops[o->method].pure == PURE_ALWAYS &&
      o->result != V_UNKNOWN && s->now.count) {
    struct op set = s->dead_op;
    set.arg[s->spec->cell[set.method].sets] = o->result;
    t->at = states_step(s->states, configs_at(&s->now, 0)->state, states_class(s->states, &set)).at[0];
  }
  if (cell->sets >= 0 && s->merges) {
    const struct observed *x = observed_at(s, o->arg[cell->sets]);
    t->until = x->value != V_NONE ? x->until : 0;
  }
}

/* Of a kind: which argument is what it sets the value to, where nobody observes that; else -1. */
static int sets_unobserved(void *self, const struct op *o) {
  const struct search *s = self;
  int sets = s->one_value ? s->spec->cell[o->method].sets : -1;
  return sets >= 0 && observed_at(s, o->arg[sets])->value == V_NONE ? sets : -1;
}

/* What is known of an open kind beforehand. */
static void kind_know(struct search *s, struct kind *x) {
  x->class = states_class(s->states, &x->op);
  x->to = NO_STATE;
  x->until = NO_RETURN;
  if (s->one_value && s->merges && s->spec->cell[x->op.method].sets >= 0) {
    const struct observed *o = observed_at(s, x->op.arg[s->spec->cell[x->op.method].sets]);
    x->until = o->value != V_NONE ? o->until : 0;
  }
  memset(x->rivals, 0, s->words * sizeof *x->rivals);
  for (uint32_t k = 0; k < s->slot_count; k++)
    if (s->slots[k].open && s->slots[k].class == x->class) bit_set(x->rivals, k);
}

static void begin_counting(struct search *s, uint64_t most, uint64_t each) {
  s->configurations = 0;
  s->most = most;
  s->each = each;
  s->furthest = 0;
  s->large = states_large(s->states);
}
static inline bool is_too_much(const struct search *s) {
  uint64_t work = s->configurations + (states_large(s->states) - s->large);
  return s->most && work > s->most + s->each * s->furthest;
}

/* Where an open operation leads to from a state. */
static inline struct successors slot_step(struct search *s, uint32_t state, uint32_t k) {
  struct slot *t = &s->slots[k];
  if (t->to != NO_STATE) return (struct successors){&t->to, 1};
  struct successors x = states_step(s->states, state, t->class);
  if (x.count == 1 && spec_op_in(s->spec->overwrites, t->method)) t->to = x.at[0];
  return x;
}

/* Where the next operation of a kind leads to. If the states themselves are wanted, it is that operation's own. */
static inline struct successors kind_step(struct search *s, uint32_t state, struct kind *x, uint32_t op) {
  if (s->one_value && !s->merges) return states_step(s->states, state, states_class(s->states, &s->part->ops[op]));
  if (x->to != NO_STATE) return (struct successors){&x->to, 1};
  struct successors to = states_step(s->states, state, x->class);
  if (to.count == 1 && spec_op_in(s->spec->overwrites, x->op.method)) x->to = to.at[0];
  return to;
}

/* Forgets the states no configuration holds, once there are many: containers meet a new state at every step. */
static void forget(struct search *s) {
  uint32_t *keep = mem_alloc(s->mem, ((size_t)s->now.count + 1) * sizeof *keep), count = 0;
  for (uint32_t i = 0; i < s->now.count; i++) {
    struct config *c = configs_at(&s->now, i);
    if (c->dropped) continue;
    keep[count] = c->state; /* equal ones are kept once, under one number */
    count++;
  }
  states_forget(s->states, keep, count);
  configs_clear(&s->after);
  for (uint32_t i = 0, k = 0; i < s->now.count; i++) {
    const struct config *c = configs_at(&s->now, i);
    if (c->dropped) continue;
    memcpy(s->scratch, c, s->now.stride); /* those of `now` stay as they are: its index is by state */
    s->scratch->state = keep[k++];
    configs_add(&s->after, s->scratch);
  }
  struct configs swap = s->now;
  s->now = s->after;
  s->after = swap;
  s->dead_state = NO_STATE;
  for (uint32_t k = 0; k < s->slot_count; k++)
    if (s->slots[k].open) slot_know(s, k);
  for (uint32_t k = 0; k < s->kinds.open_count; k++) kind_know(s, &s->kinds.at[s->kinds.open[k]]);
  s->forget_at = states_bytes(s->states) * 4 > FORGET_AT ? states_bytes(s->states) * 4 : FORGET_AT;
  mem_free(s->mem, keep);
}

/* Slots. */

static void slot_open(struct search *s, uint32_t op) {
  const struct op *o = &s->part->ops[op];
  uint32_t k = 0;
  while (k < s->slot_count && s->slots[k].open) k++;
  if (k == s->slot_count) s->slot_count++;
  assert(s->slot_count <= s->slot_room);
  s->slots[k] = (struct slot){.op = op, .ret = o->ret, .method = o->method, .pure = op_pure(s->spec, o), .open = true};
  slot_know(s, k);
  s->slot_of[op] = k;
  bit_set(s->open, k);
  if (s->slots[k].pure)
    bit_set(s->pure, k);
  else if (spec_op_in(s->spec->always, o->method))
    bit_set(s->always, k);
  if (spec_op_in(s->spec->overwrites, o->method)) bit_set(s->overwrites, k);
  uint64_t *mine = s->earlier + (size_t)k * s->words;
  memset(mine, 0, s->words * sizeof *mine);
  for (uint32_t i = 0; i < s->slot_count; i++) {
    if (i == k || !s->slots[i].open || s->slots[i].class != s->slots[k].class) continue;
    if (s->slots[i].ret <= o->ret)
      bit_set(mine, i);
    else
      bit_set(s->earlier + (size_t)i * s->words, k);
  }
  for (uint32_t i = 0; i < s->kinds.open_count; i++)
    if (s->kinds.at[s->kinds.open[i]].class == s->slots[k].class) bit_set(s->kinds.at[s->kinds.open[i]].rivals, k);
}

static void slot_close(struct search *s, uint32_t k) {
  s->slots[k].open = false;
  bit_clear(s->open, k);
  bit_clear(s->pure, k);
  bit_clear(s->always, k);
  bit_clear(s->overwrites, k);
  for (uint32_t i = 0; i < s->slot_count; i++) bit_clear(s->earlier + (size_t)i * s->words, k);
  for (uint32_t i = 0; i < s->kinds.open_count; i++) bit_clear(s->kinds.at[s->kinds.open[i]].rivals, k);
  while (s->slot_count && !s->slots[s->slot_count - 1].open) s->slot_count--;
}

static inline bool loops(struct successors x, uint32_t state) {
  for (uint32_t i = 0; i < x.count; i++)
    if (x.at[i] == state) return true;
  return false;
}

/* Lets a due operation linearize in the present state if that changes nothing. */
static inline void settle(struct search *s, struct config *c, uint32_t k) {
  if (s->slots[k].at != NO_STATE) {
    if (s->slots[k].at != c->state) return;
    bit_set(c->bits, k);
    vec_push(s->mem, &s->marks, s->slots[k].op << 1);
    return;
  }
  struct successors x = slot_step(s, c->state, k);
  if (!x.count) return;
  if (s->slots[k].pure) {
    bit_set(c->bits, k);
    vec_push(s->mem, &s->marks, s->slots[k].op << 1);
  } else if (loops(x, c->state)) {
    bit_set(c->bits + s->words, k);
    vec_push(s->mem, &s->marks, s->slots[k].op << 1 | 1);
  }
}

static void log_marks(struct search *s, struct config *c) {
  for (size_t i = 0; i < s->marks.count; i++) c->node = log_add(s, c->node, s->marks.at[i]);
}

/* The configuration in s->scratch after an operation has linearized there that leads to `state`; its log entries in
 * s->marks. */
static void arrive(struct search *s, uint32_t op, uint32_t state) {
  struct config *x = s->scratch;
  uint16_t method = s->part->ops[op].method;
  bool overwrites = spec_op_in(s->spec->overwrites, method);
  s->marks.count = 0;
  x->state = state;
  for (uint32_t w = 0; overwrites && w < s->words; w++) {
    uint64_t due = s->always[w] & ~x->bits[w] & ~x->bits[s->words + w];
    x->bits[s->words + w] |= due;
    for (; due; due &= due - 1)
      vec_push(s->mem, &s->marks, s->slots[w * 64 + (uint32_t)__builtin_ctzll(due)].op << 1 | 1);
  }
  vec_push(s->mem, &s->marks, op << 1);
  size_t settled = s->marks.count;
  for (uint32_t w = 0; w < s->words; w++)
    for (uint64_t due = s->open[w] & ~x->bits[w] & ~x->bits[s->words + w]; due; due &= due - 1)
      settle(s, x, w * 64 + (uint32_t)__builtin_ctzll(due));
  x->owes = s->marks.count == settled && s->one_value && op_pending(&s->part->ops[op]);
  x->idle = s->marks.count == settled && spec_op_in(s->spec->always, method);
}

/* After slot k linearizes in c. */
static void linearize(struct search *s, const struct config *c, uint32_t k, uint32_t state) {
  memcpy(s->scratch, c, s->now.stride);
  bit_set(s->scratch->bits, k);
  bit_clear(s->scratch->bits + s->words, k);
  arrive(s, s->slots[k].op, state);
}

static inline uint64_t *numbers_of(const struct search *s, struct config *c) { return c->bits + 2 * s->words; }

/* Is there an operation of the same class that may as well linearize before slot k? See configs.h and the file's top.
 */
static inline bool another_first(const struct search *s, const struct config *c, uint32_t k) {
  bool optional = bit_get(c->bits + s->words, k);
  const uint64_t *earlier = s->earlier + (size_t)k * s->words;
  for (uint32_t w = 0; w < s->words; w++)
    if (earlier[w] & ~c->bits[w] & (optional ? ~(uint64_t)0 : ~c->bits[s->words + w])) return true;
  return false;
}

/* Must another operation that has not linearized come before slot k? */
static bool too_early(const struct search *s, const struct config *c, uint32_t k) {
  uint32_t op = s->slots[k].op, low = 0, high = s->known_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (s->known[middle].then < op)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < s->known_count && s->known[low].then == op; low++) {
    const struct op *first = &s->part->ops[s->known[low].first];
    if (first->call > s->event) return true;
    if (first->ret >= s->event && !bit_get(c->bits, s->slot_of[s->known[low].first])) return true;
  }
  return false;
}

static void keep_after(struct search *s, const struct config *c, uint32_t ret) {
  struct config *x = s->scratch;
  if (c != x) memcpy(x, c, s->now.stride);
  bit_clear(x->bits, ret);
  bit_clear(x->bits + s->words, ret);
  x->idle = 0;
  uint32_t i = configs_add(&s->after, x);
  if (i == UINT32_MAX) return;
  s->configurations++;
  log_marks(s, configs_at(&s->after, i));
}

/* Adds s->scratch to `seen`, and to `after` if slot `ret` may return in it. */
static void keep_seen(struct search *s, uint32_t ret) {
  uint32_t to = configs_add(&s->seen, s->scratch);
  if (to == UINT32_MAX) return;
  s->configurations++;
  log_marks(s, configs_at(&s->seen, to));
  s->marks.count = 0;
  const struct config *c = configs_at(&s->seen, to);
  if (!c->owes && (bit_get(c->bits, ret) || bit_get(c->bits + s->words, ret))) keep_after(s, c, ret);
}

/* Lets pending operations linearize in configuration i of `seen`.
 *
 * In an object that is one value, take a linearization in which a pending operation p takes effect, and what comes next
 * in it. If that overwrites the value, or there is nothing next, p may as well be left out. If it is an operation that
 * is called later, p may as well be put off until then. So p is tried only where something that is open observes the
 * value at once: reads and the like are settled in passing, otherwise the configuration owes a cas. */
static void force_pending(struct search *s, uint32_t i, uint32_t ret) {
  for (uint32_t n = 0; n < s->kinds.open_count; n++) {
    struct kind *x = &s->kinds.at[s->kinds.open[n]];
    struct config *c = configs_at(&s->seen, i);
    bool overwrites = spec_op_in(s->spec->overwrites, x->op.method), another = false;
    if ((c->idle || c->owes) && overwrites) continue;
    uint32_t used = kind_number(&s->kinds, x, numbers_of(s, c));
    if (used == x->called) continue;
    for (uint32_t w = 0; w < s->words; w++) another |= (x->rivals[w] & ~c->bits[w]) != 0;
    if (another) continue; /* it may as well be first */
    uint32_t op = s->kinds.ops[x->first + used];
    struct successors to = kind_step(s, c->state, x, op);
    for (uint32_t k = 0; k < to.count; k++) {
      c = configs_at(&s->seen, i); /* seen may have moved */
      if (to.at[k] == c->state && !overwrites) continue;
      memcpy(s->scratch, c, s->now.stride);
      kind_more(x, numbers_of(s, s->scratch));
      arrive(s, op, x->until < s->event ? dead_state(s, to.at[k]) : to.at[k]);
      keep_seen(s, ret);
    }
  }
}

/* How much a configuration has used up, and how much it has left to do. */
static uint32_t rank_of(struct search *s, struct config *c) {
  uint32_t rank = 0;
  for (uint32_t w = 0; w < s->words; w++)
    rank += (uint32_t)__builtin_popcountll(s->open[w] & ~c->bits[w] & ~c->bits[s->words + w]);
  for (uint32_t n = 0; n < s->kinds.open_count; n++)
    rank += USED * kind_number(&s->kinds, &s->kinds.at[s->kinds.open[n]], numbers_of(s, c));
  return rank;
}

static int by_number(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Leaves the best `width` of `after`. */
static void keep_best(struct search *s) {
  s->ranked.count = 0;
  for (uint32_t i = 0; i < s->after.count; i++)
    if (!configs_at(&s->after, i)->dropped)
      vec_push(s->mem, &s->ranked, (uint64_t)rank_of(s, configs_at(&s->after, i)) << 32 | i);
  qsort(s->ranked.at, s->ranked.count, sizeof *s->ranked.at, by_number);
  configs_clear(&s->seen);
  for (uint32_t i = 0; i < s->width; i++) configs_add(&s->seen, configs_at(&s->after, (uint32_t)s->ranked.at[i]));
  struct configs swap = s->after;
  s->after = s->seen;
  s->seen = swap;
  s->left_out = true;
}

/* Lets slot `ret`, which is about to return, linearize at last, after whatever can linearize before it: from the
 * configurations of `seen`, into `after`. One where it is optional is good as it is, too. */
static void force(struct search *s, uint32_t ret) {
  for (uint32_t i = 0; i < s->seen.count; i++) {
    if (configs_at(&s->seen, i)->dropped || bit_get(configs_at(&s->seen, i)->bits, ret)) continue;
    if ((s->width && (s->after.live >= (s->ranks ? RANKED * s->width : s->width) ||
                      (s->ranks && i >= RANKED * RANKED * s->width))) ||
        is_too_much(s)) {
      s->left_out = true;
      return;
    }
    if (++s->steps >= 256) {
      s->steps = 0;
      mem_poll(s->mem);
    }
    /* Pure ones would have linearized, if they could. Overwriting what was just written leads nowhere that overwriting
     * what was there before does not. */
    bool idle = configs_at(&s->seen, i)->idle || configs_at(&s->seen, i)->owes;
    for (uint32_t w = 0; w < s->words; w++)
      for (uint64_t can = s->open[w] & ~s->pure[w] & ~(idle ? s->overwrites[w] : 0) & ~configs_at(&s->seen, i)->bits[w];
           can; can &= can - 1) {
        uint32_t k = w * 64 + (uint32_t)__builtin_ctzll(can);
        const struct config *c = configs_at(&s->seen, i);
        if (another_first(s, c, k) || (s->known_count && too_early(s, c, k))) continue;
        struct successors x = slot_step(s, c->state, k);
        for (uint32_t n = 0; n < x.count; n++) {
          c = configs_at(&s->seen, i); /* seen may have moved */
          if (x.at[n] == c->state && bit_get(c->bits + s->words, k) && !bit_get(s->overwrites, k))
            continue; /* optional already: nothing gained */
          linearize(s, c, k, s->slots[k].until < s->event ? dead_state(s, x.at[n]) : x.at[n]);
          if (k == ret) {
            keep_after(s, s->scratch, ret);
            continue;
          }
          keep_seen(s, ret);
        }
      }
    if (s->kinds.open_count) force_pending(s, i, ret);
  }
}

void search_narrow(struct search *s, uint32_t width) { s->first_width = width; }

void search_know(struct search *s, const struct known_order *known, uint32_t count) {
  s->known = known;
  s->known_count = count;
}

/* Events. */

static void call_pending(struct search *s, uint32_t op) {
  if (op_pure(s->spec, &s->part->ops[op])) return; /* constrains nothing */
  if (kinds_call(&s->kinds, op)) kind_know(s, &s->kinds.at[s->kinds.of_op[op]]);
}

/* Kinds whose operations can no longer take effect: it makes no difference any more how many did. */
static void end_kinds(struct search *s) {
  for (uint32_t which; (which = kinds_end(&s->kinds, s->event)) != UINT32_MAX;) {
    configs_clear(&s->after);
    for (uint32_t i = 0; i < s->now.count; i++) {
      if (configs_at(&s->now, i)->dropped) continue;
      memcpy(s->scratch, configs_at(&s->now, i), s->now.stride);
      kind_forget(&s->kinds, &s->kinds.at[which], numbers_of(s, s->scratch));
      configs_add(&s->after, s->scratch);
    }
    struct configs swap = s->now;
    s->now = s->after;
    s->after = swap;
  }
}

static void on_call(struct search *s, uint32_t op) {
  if (op_pending(&s->part->ops[op])) {
    call_pending(s, op);
    return;
  }
  slot_open(s, op);
  uint32_t k = s->slot_of[op];
  for (uint32_t i = 0; i < s->now.count; i++) {
    struct config *c = configs_at(&s->now, i);
    if (c->dropped) continue;
    s->marks.count = 0;
    settle(s, c, k);
    log_marks(s, configs_at(&s->now, i));
  }
}

/* False if no configuration is left. */
static bool on_return(struct search *s, uint32_t op) {
  uint32_t k = s->slot_of[op], done = 0;
  assert(s->slots[k].open && s->slots[k].op == op && s->now.live);
  for (uint32_t i = 0; i < s->now.count; i++) {
    const struct config *c = configs_at(&s->now, i);
    if (!c->dropped) done += bit_get(c->bits, k);
  }
  if (done == s->now.live) { /* done in all: they stay as different as they were */
    for (uint32_t i = 0; i < s->now.count; i++) bit_clear(configs_at(&s->now, i)->bits, k);
    slot_close(s, k);
    return true;
  }
  configs_clear(&s->after);
  configs_clear(&s->seen);
  s->marks.count = 0;
  for (uint32_t i = 0; i < s->now.count; i++) {
    const struct config *c = configs_at(&s->now, i);
    if (c->dropped) continue;
    if (bit_get(c->bits, k) || bit_get(c->bits + s->words, k)) keep_after(s, c, k);
    if (!bit_get(c->bits, k)) configs_add(&s->seen, c);
  }
  force(s, k);
  slot_close(s, k);
  if (s->ranks && s->width && s->after.live > s->width) keep_best(s);
  struct configs swap = s->now;
  s->now = s->after;
  s->after = swap;
  return s->now.live > 0;
}

/* The linearization that ends in the first configuration left. An operation that was optional somewhere and never
 * linearized elsewhere does so where it was optional; a pending one then never takes effect. */
static void read_order(struct search *s, struct decision *d) {
  uint32_t tip = 0;
  for (uint32_t i = 0; i < s->now.count; i++)
    if (!configs_at(&s->now, i)->dropped) {
      tip = configs_at(&s->now, i)->node;
      break;
    }
  size_t from = s->settled.count;
  for (uint32_t x = tip; x; x = s->log.at[x].parent) vec_push(s->mem, &s->settled, s->log.at[x].entry);
  for (size_t a = from, b = s->settled.count; a + 1 < b; a++) {
    uint32_t swap = s->settled.at[a];
    s->settled.at[a] = s->settled.at[--b];
    s->settled.at[b] = swap;
  }
  s->placed.count = 0; /* an operation each: 1, linearizes for certain; 2, emitted */
  vec_reserve(s->mem, &s->placed, (size_t)s->part->count + 1);
  uint8_t *placed = memset(s->placed.at, 0, (size_t)s->part->count + 1);
  for (size_t i = 0; i < s->settled.count; i++)
    if (!(s->settled.at[i] & 1)) placed[s->settled.at[i] >> 1] = 1;
  /* A history may have hundreds of thousands of small parts: their orders are cut from one piece. */
  d->order.room = (size_t)s->part->count + 1;
  d->order.at = mem_piece(s->mem, d->order.room * sizeof *d->order.at);
  d->order.count = 0;
  for (size_t i = 0; i < s->settled.count; i++) {
    uint32_t op = s->settled.at[i] >> 1;
    if ((s->settled.at[i] & 1) ? placed[op] : placed[op] == 2) continue;
    placed[op] = 2;
    d->order.at[d->order.count++] = op;
  }
}

static void prepare(struct search *s, const struct part *p, const uint32_t *events) {
  uint32_t open = 0, most = 1;
  for (uint32_t e = 0; e < p->events; e++) {
    if (op_pending(&p->ops[events[e] >> 1])) continue;
    open += events[e] & 1 ? -1u : 1u;
    if (open > most) most = open;
  }
  uint32_t words = (most + 63) / 64;
  s->part = p;
  observe_part(s, p);
  if (s->kinds.count) mem_free(s->mem, s->kinds.at[0].rivals);
  kinds_free(&s->kinds, s->mem);
  kinds_build(&s->kinds, s->mem, p, s->ends, sets_unobserved, s);
  uint64_t *rivals = s->kinds.count ? mem_alloc(s->mem, (size_t)s->kinds.count * words * sizeof *rivals) : NULL;
  for (uint32_t i = 0; i < s->kinds.count; i++) s->kinds.at[i].rivals = rivals + (size_t)i * words;
  if (!s->sets_open || words != s->words || most > s->slot_room || s->kinds.words != s->now.counts ||
      s->kinds.highest != s->now.highest) {
    if (s->sets_open) {
      configs_close(&s->now);
      configs_close(&s->after);
      configs_close(&s->seen);
      mem_free(s->mem, s->slots);
      mem_free(s->mem, s->earlier);
      mem_free(s->mem, s->open);
      mem_free(s->mem, s->scratch);
    }
    s->words = words;
    s->slot_room = words * 64;
    configs_open(&s->now, s->mem, words, s->kinds.words, s->kinds.highest);
    configs_open(&s->after, s->mem, words, s->kinds.words, s->kinds.highest);
    configs_open(&s->seen, s->mem, words, s->kinds.words, s->kinds.highest);
    s->slots = mem_zero(s->mem, s->slot_room, sizeof *s->slots);
    s->earlier = mem_zero(s->mem, (size_t)s->slot_room * words, sizeof *s->earlier);
    s->open = mem_zero(s->mem, (size_t)words * 4, sizeof *s->open);
    s->pure = s->open + words;
    s->always = s->pure + words;
    s->overwrites = s->always + words;
    s->scratch = mem_zero(s->mem, 1, s->now.stride);
    s->sets_open = true;
  }
  if (p->count > s->slot_of_room) {
    mem_free(s->mem, s->slot_of);
    s->slot_of_room = p->count + p->count / 2;
    s->slot_of = mem_zero(s->mem, s->slot_of_room, sizeof *s->slot_of);
  }
}

/* The part's events, in memory that is kept for the next part. */
static uint32_t *events_of(struct search *s, const struct part *p) {
  s->events.count = 0;
  vec_reserve(s->mem, &s->events, (size_t)p->events + 1);
  part_events_into(p, s->events.at);
  return s->events.at;
}

static void begin(struct search *s, const uint32_t *events) {
  s->left_out = false;
  s->slot_count = 0;
  kinds_reset(&s->kinds);
  memset(s->open, 0, 4 * s->words * sizeof *s->open);
  s->log.count = 0;
  s->settled.count = 0;
  s->collect_at = 1 << 16;
  log_add(s, 0, 0);
  configs_clear(&s->now);
  memset(s->scratch, 0, s->now.stride);
  if (!s->start) {
    struct successors initial = states_initial(s->states);
    for (uint32_t i = 0; i < initial.count; i++) {
      s->scratch->state = initial.at[i];
      configs_add(&s->now, s->scratch);
    }
    return;
  }
  for (uint32_t e = 0; e < s->start->under_way; e++) {
    if (op_pending(&s->part->ops[events[e] >> 1]))
      call_pending(s, events[e] >> 1);
    else
      slot_open(s, events[e] >> 1);
  }
  for (uint32_t i = 0; i < s->start->count; i++) {
    memset(s->scratch, 0, s->now.stride);
    s->scratch->state = states_intern(s->states, s->start->states[i]);
    for (uint32_t k = 0; k < s->start->under_way; k++) {
      uint8_t status = s->start->status[(size_t)i * s->start->under_way + k];
      const struct op *o = &s->part->ops[k];
      if (op_pending(o)) {
        if (status == STATUS_DONE && !op_pure(s->spec, o))
          kind_more(&s->kinds.at[s->kinds.of_op[k]], numbers_of(s, s->scratch));
        continue;
      }
      if (status == STATUS_DONE) bit_set(s->scratch->bits, s->slot_of[k]);
      if (status == STATUS_OPTIONAL) bit_set(s->scratch->bits + s->words, s->slot_of[k]);
    }
    configs_add(&s->now, s->scratch);
  }
}

/* One walk over the events before `end`, with the given width. */
static void walk(struct search *s, const uint32_t *events, uint32_t end, uint32_t width, struct decision *d) {
  s->width = width;
  begin(s, events);
  d->verdict = VERDICT_HOLDS;
  for (uint32_t e = s->start ? s->start->under_way : 0; e < end; e++) {
    uint32_t op = events[e] >> 1;
    s->event = e;
    if (s->furthest < e) s->furthest = e;
    if (s->kinds.ending) end_kinds(s);
    if (!(events[e] & 1)) {
      on_call(s, op);
    } else if (!on_return(s, op)) {
      d->verdict = s->left_out ? VERDICT_UNKNOWN : VERDICT_VIOLATED;
      d->culprit = op;
      return;
    }
    if (is_too_much(s)) {
      d->verdict = VERDICT_UNKNOWN;
      return;
    }
    if (d->reached < e) d->reached = e;
    if (s->log.count > s->collect_at) log_collect(s);
    if (states_bytes(s->states) > s->forget_at) forget(s);
    if (++s->steps >= 256) {
      s->steps = 0;
      mem_poll(s->mem);
    }
  }
}

/* Numbers of the settled part, as the part's. */
static void as_before(const struct settled *x, const struct part *p, struct decision *d) {
  for (size_t i = 0; i < d->order.count; i++) d->order.at[i] = x->from[d->order.at[i]];
  if (d->reached) d->reached = x->event[d->reached];
  if (d->verdict != VERDICT_VIOLATED) return;
  uint32_t event = x->event[x->part.ops[d->culprit].ret]; /* where it has returned for certain, that is an observer's */
  for (d->culprit = 0; p->ops[d->culprit].ret != event;) d->culprit++;
}

/* Orders are told of the part's operations. */
static struct known_order *known_as_settled(struct search *s, const struct settled *x) {
  struct known_order *known = mem_alloc(s->mem, ((size_t)s->known_count + 1) * sizeof *known);
  for (uint32_t i = 0; i < s->known_count; i++)
    known[i] = (struct known_order){x->to[s->known[i].first], x->to[s->known[i].then]};
  return known;
}

static void search_within(struct search *s, const struct part *p, const struct start *start, uint64_t most,
                          uint64_t each, struct decision *d) {
  struct settled settled;
  bool settles = !start && pending_settle(p, s->mem, &settled);
  const struct part *whole = p;
  const struct known_order *known = s->known;
  if (settles) {
    p = &settled.part;
    if (s->known_count) s->known = known_as_settled(s, &settled);
  }
  s->ends = settles ? settled.ends : NULL;
  uint32_t *events = events_of(s, p);
  prepare(s, p, events);
  begin_counting(s, most, each);
  s->start = start;
  uint32_t width = s->first_width;
  do {
    walk(s, events, p->events, width, d);
    width = width >= 1u << 18 ? 0 : width * 16;
  } while (d->verdict == VERDICT_UNKNOWN && !s->once && !is_too_much(s));
  d->configurations += s->configurations;
  if (d->verdict == VERDICT_HOLDS) read_order(s, d);
  if (settles) {
    as_before(&settled, whole, d);
    if (s->known != known) mem_free(s->mem, (void *)(uintptr_t)s->known);
    s->known = known;
    settled_free(&settled, s->mem);
  }
  if (d->verdict != VERDICT_VIOLATED) return;
  d->prefix = true;
  for (uint32_t i = 0; i < whole->count && whole->ops[i].call < whole->ops[d->culprit].ret; i++)
    vec_push(s->mem, &d->core, i);
}

void search_once(struct search *s, const struct part *p, uint32_t width, uint64_t most, struct decision *d) {
  uint32_t first_width = s->first_width;
  s->first_width = width;
  s->once = s->ranks = true;
  search_within(s, p, NULL, most, 0, d);
  s->once = s->ranks = false;
  s->first_width = first_width;
}

void search_bounded(struct search *s, const struct part *p, const struct start *start, uint64_t most,
                    struct decision *d) {
  search_within(s, p, start, most, 0, d);
}

void search_paced(struct search *s, const struct part *p, uint64_t least, uint64_t each, struct decision *d) {
  search_within(s, p, NULL, least, each, d);
}

void search_run(struct search *s, const struct part *p, struct decision *d) { search_bounded(s, p, NULL, 0, d); }

/* Of an operation of the settled part, after a walk. */
static enum status status_of(struct search *s, struct config *c, uint32_t op) {
  const struct op *o = &s->part->ops[op];
  if (!op_pending(o)) {
    uint32_t k = s->slot_of[op];
    if (k >= s->slot_count || !s->slots[k].open || s->slots[k].op != op) return STATUS_DONE; /* it has returned */
    return bit_get(c->bits, k) ? STATUS_DONE : bit_get(c->bits + s->words, k) ? STATUS_OPTIONAL : STATUS_DUE;
  }
  const struct kind *x = &s->kinds.at[s->kinds.of_op[op]];
  uint32_t number = x->open ? kind_number(&s->kinds, x, numbers_of(s, c)) : 0;
  for (uint32_t i = 0; i < number; i++)
    if (s->kinds.ops[x->first + i] == op) return STATUS_DONE;
  return STATUS_OPTIONAL;
}

/* Under way at an event: called before, and not returned. Those that are pending and pure count for nothing. */
static bool is_under_way(const struct spec *spec, const struct op *o, uint32_t event) {
  return o->call < event && (op_pending(o) ? !op_pure(spec, o) : o->ret >= event);
}

bool search_capture(struct search *s, const struct part *p, uint32_t event, uint64_t most, struct mem *m,
                    struct start *out) {
  struct settled settled;
  const struct part *whole = p;
  uint32_t end = event, under_way = 0;
  bool settles = pending_settle(p, s->mem, &settled);
  if (settles) {
    p = &settled.part;
    for (end = 0; end < p->events && settled.event[end] < event;) end++;
  }
  s->ends = settles ? settled.ends : NULL;
  uint32_t *events = events_of(s, p);
  prepare(s, p, events);
  s->merges = false; /* the states themselves are wanted */
  begin_counting(s, most, 0);
  s->start = NULL;
  struct decision d = {0};
  walk(s, events, end, 0, &d);
  if (d.verdict != VERDICT_HOLDS) {
    if (settles) settled_free(&settled, s->mem);
    return false;
  }
  for (uint32_t op = 0; op < whole->count; op++) under_way += is_under_way(s->spec, &whole->ops[op], event);
  *out = (struct start){.under_way = under_way,
                        .states = mem_alloc(m, (s->now.live + 1) * sizeof *out->states),
                        .status = mem_zero(m, (size_t)s->now.live * under_way + 1, 1)};
  for (uint32_t i = 0; i < s->now.count; i++) {
    struct config *c = configs_at(&s->now, i);
    if (c->dropped) continue;
    struct state x = states_at(s->states, c->state);
    void *copy = mem_alloc(m, x.size + 1);
    if (x.size) memcpy(copy, x.at, x.size);
    out->states[out->count] = (struct state){copy, x.size};
    /* By call, as the part that begins here has them. */
    uint32_t at = 0;
    for (uint32_t op = 0; op < whole->count && whole->ops[op].call < event; op++) {
      if (!is_under_way(s->spec, &whole->ops[op], event)) continue;
      uint32_t own = settles ? settled.to[op] : op;
      out->status[(size_t)out->count * under_way + at++] = own == UINT32_MAX ? STATUS_OPTIONAL : status_of(s, c, own);
    }
    out->count++;
  }
  if (settles) settled_free(&settled, s->mem);
  return true;
}

enum applies search_part(const struct part *p, struct mem *m, struct decision *d, const char **why_not) {
  (void)why_not;
  search_run(search_new(m, p->spec), p, d);
  return APPLIES;
}
