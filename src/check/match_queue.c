/* Queue with repeated values: a search for the matching of dequeues to enqueues.
 *
 * Which dequeue took which enqueue's value is all that repeated values leave open: once it is known the values might as
 * well be distinct, and the queue monitor decides. So the contents of the queue are kept as a set of enqueues whose
 * order is not chosen: an enqueue may be taken next if no other one still inside returned before it was called. Walking
 * the events, a dequeue takes its value only when its return forces it to. Then
 *   - of the enqueues of a value that may be taken next, the one that returned first is taken: it stands in the way of
 *     more, and the others may still be taken next for ever after;
 *   - other dequeues go before it only if what they take stands in the way: otherwise they can go later.
 * What is left to try is the order of overlapping dequeues, and what pending dequeues took.
 *
 * A dequeue that returned empty is settled as soon as nothing is certainly inside, and before an enqueue returns it is
 * tried to have everything taken out by dequeues under way. */
#include <string.h>

#include "base/hash.h"
#include "check/items.h"

struct enqueue {
  value value;
  uint32_t call, ret, op;
};

struct taken { /* a tree of who took what */
  uint32_t parent, dequeue, enqueue;
};

/* A configuration: which enqueues were taken, all below `base` and those listed; which open dequeues are done. */
struct config {
  uint32_t base;
  uint32_t spent; /* pending dequeues used */
  uint32_t node;
  uint32_t listed;
  uint64_t done;   /* by slot */
  uint32_t list[]; /* increasing, all above base */
};

struct set {
  VEC(uint64_t) words; /* the configurations, one after the other */
  VEC(size_t) at;      /* where each begins */
  uint32_t *slots, mask;
};

struct match {
  struct mem *mem;
  const struct part *part;
  struct enqueue *enq;
  uint32_t enq_count, called; /* enqueues called so far: enq[0 .. called-1] */
  uint32_t now;               /* the present event */
  uint32_t slot_op[64];       /* open dequeues; UINT32_MAX: free */
  uint64_t empties;           /* slots of those that returned empty */
  uint64_t open;
  uint32_t *slot_of;
  op_list pending; /* pending dequeues called so far */
  struct set cur, next, seen;
  VEC(struct taken) log;
  uint64_t configurations;
  struct config *scratch;
  size_t scratch_room;
};

enum { MOST = 200000 }; /* configurations at one event before giving up */

static struct config *config_at(const struct set *s, size_t i) {
  return (struct config *)(void *)(s->words.at + s->at.at[i]);
}
static size_t config_words(uint32_t listed) { return (sizeof(struct config) + listed * sizeof(uint32_t) + 7) / 8; }

static bool config_equal(const struct config *a, const struct config *b) {
  return a->base == b->base && a->spent == b->spent && a->done == b->done && a->listed == b->listed &&
         (!a->listed || !memcmp(a->list, b->list, a->listed * sizeof *a->list));
}

static uint32_t config_hash(const struct config *c) {
  uint64_t h = hash_mix(c->done + c->base * 0x9e3779b97f4a7c15u + c->spent);
  return (uint32_t)hash_mix(h ^ (c->listed ? hash_bytes(c->list, c->listed * sizeof *c->list) : 1));
}

static void set_clear(struct match *m, struct set *s) {
  s->words.count = s->at.count = 0;
  if (!s->slots) {
    s->mask = 63;
    s->slots = mem_alloc(m->mem, (s->mask + 1) * sizeof *s->slots);
  }
  memset(s->slots, 0, ((size_t)s->mask + 1) * sizeof *s->slots);
}

/* Adds a copy unless it is there. */
static bool set_add(struct match *m, struct set *s, const struct config *c) {
  uint32_t i = config_hash(c) & s->mask;
  for (; s->slots[i]; i = (i + 1) & s->mask)
    if (config_equal(config_at(s, s->slots[i] - 1), c)) return false;
  size_t words = config_words(c->listed), at = s->words.count;
  vec_reserve(m->mem, &s->words, at + words);
  memcpy(s->words.at + at, c, sizeof *c + c->listed * sizeof *c->list);
  s->words.count = at + words;
  vec_push(m->mem, &s->at, at);
  s->slots[i] = (uint32_t)s->at.count;
  if (!(++m->configurations & 1023)) mem_poll(m->mem);
  if (s->at.count * 2 > s->mask) {
    mem_free(m->mem, s->slots);
    s->mask = s->mask * 2 + 1;
    s->slots = mem_zero(m->mem, (size_t)s->mask + 1, sizeof *s->slots);
    for (size_t k = 0; k < s->at.count; k++) {
      for (i = config_hash(config_at(s, k)) & s->mask; s->slots[i];) i = (i + 1) & s->mask;
      s->slots[i] = (uint32_t)k + 1;
    }
  }
  return true;
}

/* Walks the enqueues called and not taken, by call. */
struct inside {
  const struct config *config;
  uint32_t at, list;
};

static uint32_t inside_next(const struct match *m, struct inside *x) {
  const struct config *c = x->config;
  for (; x->at < m->called; x->at++) {
    while (x->list < c->listed && c->list[x->list] < x->at) x->list++;
    if (x->list < c->listed && c->list[x->list] == x->at) continue;
    return x->at++;
  }
  return UINT32_MAX;
}

/* The earliest return of an enqueue still inside: those called before it may be taken next. */
static uint32_t earliest_return(const struct match *m, const struct config *c) {
  struct inside x = {c, c->base, 0};
  uint32_t least = NO_RETURN;
  for (uint32_t j; (j = inside_next(m, &x)) != UINT32_MAX && m->enq[j].call < least;)
    if (m->enq[j].ret < least) least = m->enq[j].ret;
  return least;
}

/* Of the enqueues of a value that may be taken next, the one that returned first. */
static uint32_t next_of_value(const struct match *m, const struct config *c, uint32_t least, value v) {
  struct inside x = {c, c->base, 0};
  uint32_t best = UINT32_MAX;
  for (uint32_t j; (j = inside_next(m, &x)) != UINT32_MAX && m->enq[j].call < least;)
    if (m->enq[j].value == v && (best == UINT32_MAX || m->enq[j].ret < m->enq[best].ret)) best = j;
  return best;
}

/* m->scratch becomes c with enqueue j taken by `dequeue`. Empties are settled if nothing is certainly inside now. */
static struct config *take(struct match *m, const struct config *c, uint32_t j, uint32_t dequeue) {
  size_t need = config_words(c->listed + 1) * 8;
  if (need > m->scratch_room) {
    m->scratch_room = need * 2;
    m->scratch = mem_resize(m->mem, m->scratch, m->scratch_room);
  }
  struct config *x = m->scratch;
  memcpy(x, c, sizeof *c);
  uint32_t n = 0, i = 0;
  for (; i < c->listed && c->list[i] < j; i++) x->list[n++] = c->list[i];
  x->list[n++] = j;
  for (; i < c->listed; i++) x->list[n++] = c->list[i];
  uint32_t gone = 0;
  while (gone < n && x->list[gone] == x->base) gone++, x->base++;
  if (gone) memmove(x->list, x->list + gone, (n - gone) * sizeof *x->list);
  x->listed = n - gone;
  vec_push(m->mem, &m->log, ((struct taken){c->node, dequeue, m->enq[j].op}));
  x->node = (uint32_t)m->log.count - 1;
  return x;
}

static void settle_empties(const struct match *m, struct config *c) {
  if ((m->empties & ~c->done) && earliest_return(m, c) >= m->now) c->done |= m->empties;
}

/* From c, the configurations with one more enqueue taken, by an open dequeue or a pending one, into `seen`. Only
 * enqueues that returned before `before` are worth taking. */
static void take_more(struct match *m, size_t i, uint32_t before, uint32_t but) {
  uint32_t least = earliest_return(m, config_at(&m->seen, i));
  for (uint64_t can = m->open & ~m->empties & ~config_at(&m->seen, i)->done; can; can &= can - 1) {
    uint32_t slot = (uint32_t)__builtin_ctzll(can), op = m->slot_op[slot];
    if (slot == but) continue;
    const struct config *c = config_at(&m->seen, i);
    uint32_t j = next_of_value(m, c, least, m->part->ops[op].result);
    if (j == UINT32_MAX || m->enq[j].ret >= before) continue;
    struct config *x = take(m, c, j, op);
    x->done |= (uint64_t)1 << slot;
    settle_empties(m, x);
    set_add(m, &m->seen, x);
  }
  if (config_at(&m->seen, i)->spent >= m->pending.count) return;
  for (struct inside x = {config_at(&m->seen, i), config_at(&m->seen, i)->base, 0};;) {
    x.config = config_at(&m->seen, i);
    uint32_t j = inside_next(m, &x);
    if (j == UINT32_MAX || m->enq[j].call >= least) return;
    if (m->enq[j].ret >= before || next_of_value(m, x.config, least, m->enq[j].value) != j) continue;
    struct config *y = take(m, x.config, j, m->pending.at[x.config->spent]);
    y->spent++;
    settle_empties(m, y);
    set_add(m, &m->seen, y);
  }
}

static void start_seen(struct match *m, const struct config *c) {
  set_clear(m, &m->seen);
  set_add(m, &m->seen, c);
}

/* The dequeue in `slot` returns a value: from c, every way it can have taken it. */
static void force_value(struct match *m, const struct config *c, uint32_t slot) {
  value v = m->part->ops[m->slot_op[slot]].result;
  start_seen(m, c);
  for (size_t i = 0; i < m->seen.at.count; i++) {
    const struct config *x = config_at(&m->seen, i);
    uint32_t least = earliest_return(m, x), j = next_of_value(m, x, least, v);
    uint32_t target = 0; /* the last call of an enqueue of v that is worth waiting for */
    struct inside in = {x, x->base, 0};
    for (uint32_t k; (k = inside_next(m, &in)) != UINT32_MAX;)
      if (m->enq[k].value == v && (j == UINT32_MAX || m->enq[k].ret < m->enq[j].ret)) target = m->enq[k].call;
    if (target) take_more(m, i, target, slot);
    if (j == UINT32_MAX) continue;
    struct config *y = take(m, config_at(&m->seen, i), j, m->slot_op[slot]);
    y->done &= ~((uint64_t)1 << slot);
    settle_empties(m, y);
    set_add(m, &m->next, y);
  }
}

/* From c, every way to have taken all that is certainly inside, so that the open empties are settled. */
static void force_empty(struct match *m, const struct config *c, uint32_t clear) {
  start_seen(m, c);
  for (size_t i = 0; i < m->seen.at.count; i++) {
    const struct config *x = config_at(&m->seen, i);
    if ((x->done & m->empties) == m->empties) {
      size_t bytes = config_words(x->listed) * 8;
      if (bytes > m->scratch_room) m->scratch = mem_resize(m->mem, m->scratch, m->scratch_room = bytes * 2);
      memcpy(m->scratch, x, bytes);
      if (clear < 64) m->scratch->done &= ~((uint64_t)1 << clear);
      set_add(m, &m->next, m->scratch);
      continue;
    }
    take_more(m, i, m->now, 64);
  }
}

static void swap_sets(struct match *m) {
  struct set swap = m->cur;
  m->cur = m->next;
  m->next = swap;
}

/* One event; false if no configuration is left. */
static bool on_event(struct match *m, uint32_t op, bool ret, int put) {
  const struct op *o = &m->part->ops[op];
  if (!ret) {
    if (o->method == put) {
      m->called++;
    } else if (op_pending(o)) {
      vec_push(m->mem, &m->pending, op);
    } else {
      uint32_t slot = (uint32_t)__builtin_ctzll(~m->open);
      m->slot_op[slot] = op;
      m->slot_of[op] = slot;
      m->open |= (uint64_t)1 << slot;
      if (o->result == V_EMPTY) {
        m->empties |= (uint64_t)1 << slot;
        for (size_t i = 0; i < m->cur.at.count; i++) settle_empties(m, config_at(&m->cur, i));
      }
    }
    return true;
  }
  if (o->method == put) {
    if (!m->empties) return true;
    set_clear(m, &m->next);
    for (size_t i = 0; i < m->cur.at.count; i++) {
      set_add(m, &m->next, config_at(&m->cur, i));
      if (m->empties & ~config_at(&m->cur, i)->done) force_empty(m, config_at(&m->cur, i), 64);
    }
    swap_sets(m);
    return true;
  }
  uint32_t slot = m->slot_of[op];
  uint64_t bit = (uint64_t)1 << slot;
  set_clear(m, &m->next);
  for (size_t i = 0; i < m->cur.at.count; i++) {
    struct config *c = config_at(&m->cur, i);
    if (c->done & bit) {
      c->done &= ~bit;
      set_add(m, &m->next, c);
    } else if (o->result == V_EMPTY) {
      force_empty(m, c, slot);
    } else {
      force_value(m, c, slot);
    }
  }
  m->open &= ~bit;
  m->empties &= ~bit;
  swap_sets(m);
  return m->cur.at.count > 0;
}

/* The matching as distinct values: the queue monitor finds the order. */
static enum applies order_matched(struct match *m, struct decision *d, const char **why_not) {
  const struct part *p = m->part;
  struct op *ops = mem_alloc(m->mem, ((size_t)p->count + 1) * sizeof *ops);
  memcpy(ops, p->ops, p->count * sizeof *ops);
  for (uint32_t i = 0; i < m->enq_count; i++) ops[m->enq[i].op].arg[0] = value_of_small((int32_t)m->enq[i].op);
  for (uint32_t x = config_at(&m->cur, 0)->node; x; x = m->log.at[x].parent)
    if (!op_pending(&ops[m->log.at[x].dequeue]))
      ops[m->log.at[x].dequeue].result = value_of_small((int32_t)m->log.at[x].enqueue);
  struct part distinct = *p;
  distinct.ops = ops;
  if (fast_queue(&distinct, m->mem, d, why_not) == APPLIES && d->verdict == VERDICT_HOLDS) return APPLIES;
  *d = (struct decision){.verdict = VERDICT_UNKNOWN, .culprit = UINT32_MAX};
  return APPLIES_NOT;
}

enum applies match_queue_part(const struct part *p, struct mem *mem, struct decision *d, const char **why_not) {
  int put = put_of(p->spec), take_method = take_of(p->spec);
  struct match *m = mem_zero(mem, 1, sizeof *m);
  m->mem = mem;
  m->part = p;
  m->enq = mem_alloc(mem, ((size_t)p->count + 1) * sizeof *m->enq);
  m->slot_of = mem_alloc(mem, ((size_t)p->count + 1) * sizeof *m->slot_of);
  uint32_t open = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    if (o->method == put) m->enq[m->enq_count++] = (struct enqueue){o->arg[0], o->call, o->ret, i};
    if ((o->method != put && o->method != take_method) ||
        (o->method == take_method && !op_pending(o) && o->result == V_UNKNOWN)) {
      *why_not = "a result that was not observed";
      return APPLIES_NOT;
    }
  }
  uint32_t *events = part_events(p, mem), most = 0, polls = 0;
  for (uint32_t e = 0; e < p->events; e++) {
    const struct op *o = &p->ops[events[e] >> 1];
    if (o->method == put || op_pending(o)) continue;
    open += events[e] & 1 ? -1u : 1u;
    if (open > most) most = open;
  }
  if (most > 63) {
    *why_not = "more than 63 dequeues under way at once";
    return APPLIES_NOT;
  }
  vec_push(mem, &m->log, ((struct taken){0, 0, 0}));
  set_clear(m, &m->cur);
  set_clear(m, &m->next);
  m->scratch_room = 256;
  m->scratch = mem_zero(mem, 1, m->scratch_room);
  set_add(m, &m->cur, m->scratch);
  for (uint32_t e = 0; e < p->events; e++) {
    m->now = e;
    bool left = on_event(m, events[e] >> 1, events[e] & 1, put);
    d->configurations = m->configurations;
    d->reached = e;
    if (!left) {
      d->verdict = VERDICT_VIOLATED;
      d->culprit = events[e] >> 1;
      d->prefix = true;
      for (uint32_t i = 0; i < p->count && p->ops[i].call < e; i++) vec_push(mem, &d->core, i);
      return APPLIES;
    }
    if (m->cur.at.count > MOST) {
      *why_not = "too many ways to match removals with insertions";
      return APPLIES_NOT;
    }
    if (!(++polls & 63)) mem_poll(mem);
  }
  return order_matched(m, d, why_not);
}
