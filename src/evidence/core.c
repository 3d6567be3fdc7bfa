/* Re-validating a violation.
 *
 * Two things are checked. That nothing that could matter was left out: every operation on the same object (and key) is
 * in the core, or may help it at any time (free), or was called after the fault, or leaves every state as it is, or is
 * on values the core does not touch, in a data-independent object. And that what is left has no legal order: plain
 * enumeration with a memo of what was tried, over sets of operations done and the state they led to.
 * Where the core begins in the middle, from states the search found, the history up to the fault is walked once more,
 * by forward simulation without any reduction. Either may be too large to tell. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "evidence/evidence.h"

enum { OPS_MOST = 63, NODES_MOST = 300000, SIMULATED_MOST = 100000 };

struct problem_part { /* the operations to order */
  const struct spec *spec;
  struct op ops[OPS_MOST];
  uint64_t before[OPS_MOST]; /* those that must come before each */
  uint64_t twins[OPS_MOST];  /* those that do the same and may as well come before it */
  uint64_t must;             /* those that returned */
  uint32_t count;
};

/* Memo: (set, state) pairs tried without success, exactly. */
struct tried {
  struct mem *mem;
  struct entry {
    uint64_t set;
    uint32_t size;
    uint32_t hash;
    uint64_t *state;
  } * slots;
  uint32_t mask, count;
};

static uint32_t tried_hash(uint64_t set, struct state s) {
  return (uint32_t)(hash_mix(set) ^ hash_bytes(s.at, s.size));
}

/* True if it was there; else it is now. */
static bool tried_add(struct tried *t, uint64_t set, struct state s) {
  uint32_t hash = tried_hash(set, s), i = hash & t->mask;
  for (; t->slots[i].state; i = (i + 1) & t->mask)
    if (t->slots[i].hash == hash && t->slots[i].set == set && t->slots[i].size == s.size &&
        (!s.size || !memcmp(t->slots[i].state, s.at, s.size)))
      return true;
  uint64_t *copy = mem_piece(t->mem, s.size + 1);
  if (s.size) memcpy(copy, s.at, s.size);
  t->slots[i] = (struct entry){set, s.size, hash, copy};
  if (++t->count * 2 > t->mask) {
    struct entry *old = t->slots;
    uint32_t mask = t->mask;
    t->mask = mask * 2 + 1;
    t->slots = mem_zero(t->mem, (size_t)t->mask + 1, sizeof *t->slots);
    for (uint32_t k = 0; k <= mask; k++) {
      if (!old[k].state) continue;
      for (i = old[k].hash & t->mask; t->slots[i].state;) i = (i + 1) & t->mask;
      t->slots[i] = old[k];
    }
    mem_free(t->mem, old);
  }
  return false;
}

static void tried_open(struct tried *t, struct mem *m) {
  *t = (struct tried){.mem = m, .mask = 255};
  t->slots = mem_zero(m, t->mask + 1, sizeof *t->slots);
}

/* VIOLATED: no order from here; UNKNOWN: too many tries. */
static enum verdict enumerate(const struct problem_part *p, struct tried *t, uint64_t done, struct state state) {
  if (!(p->must & ~done)) return VERDICT_HOLDS;
  if (tried_add(t, done, state)) return VERDICT_VIOLATED;
  if (t->count > NODES_MOST) return VERDICT_UNKNOWN;
  if (!(t->count & 255)) mem_poll(t->mem);
  for (uint32_t i = 0; i < p->count; i++) {
    if (done >> i & 1 || ((p->before[i] | p->twins[i]) & ~done)) continue;
    struct outcomes out;
    outcomes_open(&out, t->mem);
    p->spec->step(p->spec, state, &p->ops[i], &out);
    for (size_t k = 0; k < out.list.count; k++) {
      enum verdict v = enumerate(p, t, done | (uint64_t)1 << i, outcomes_state(&out, k));
      if (v != VERDICT_VIOLATED) return v;
    }
    vec_free(t->mem, &out.bytes);
    vec_free(t->mem, &out.list);
  }
  return VERDICT_VIOLATED;
}

static enum verdict no_order(struct mem *m, const struct problem_part *p) {
  struct outcomes initial;
  struct tried t;
  outcomes_open(&initial, m);
  tried_open(&t, m);
  p->spec->init(p->spec, &initial);
  for (size_t i = 0; i < initial.list.count; i++) {
    enum verdict v = enumerate(p, &t, 0, outcomes_state(&initial, i));
    if (v != VERDICT_VIOLATED) return v;
  }
  return VERDICT_VIOLATED;
}

static bool same_part(const struct spec *spec, const struct op *a, const struct op *b) {
  return a->object == b->object && (!spec->keyed || a->arg[0] == b->arg[0]);
}

/* The operation as it stands when the core ends: what returns later has not returned, and nobody knows with what. */
static struct op op_then(const struct history *h, const struct check_result *r, uint32_t i) {
  struct op o = h->ops.at[i];
  if (o.ret > r->core_to) {
    o.ret = NO_RETURN;
    if (r->core_forgets) o.result = V_UNKNOWN;
  }
  return o;
}

static bool listed(const uint32_t *list, size_t count, uint32_t i) {
  for (size_t k = 0; k < count; k++)
    if (list[k] == i) return true;
  return false;
}

/* The operations to order must be of one object and key, and each there once: else they are not from the history. */
static bool well_chosen(const struct history *h, const struct spec *spec, const struct check_result *r,
                        struct problem *why) {
  size_t count = r->core_count + r->freed_count;
  for (size_t i = 0; i < count; i++) {
    uint32_t op = i < r->core_count ? r->core[i] : r->freed[i - r->core_count];
    bool twice = i < r->core_count ? listed(r->core, i, op)
                                   : listed(r->core, r->core_count, op) || listed(r->freed, i - r->core_count, op);
    if (twice) return problem_set(why, "the violation does not stand: operation %u is there twice", op), false;
    if (!same_part(spec, &h->ops.at[r->core[0]], &h->ops.at[op]))
      return problem_set(why, "the violation does not stand: operations %u and %u are of different objects", r->core[0],
                         op),
             false;
  }
  return true;
}

static int by_value(const void *a, const void *b) {
  value x = *(const value *)a, y = *(const value *)b;
  return x < y ? -1 : x > y;
}

/* Is there an operation that was left out and might matter? Without all operations on some values a right history stays
 * right (spec.h), and with operations on them that may never happen it does too: so it is the values of the operations
 * that must happen that count. One that must happen but whose value was not seen may be on any. */
static bool left_out(struct mem *m, const struct history *h, const struct spec *spec, const struct check_result *r,
                     uint32_t *which) {
  const struct op *first = &h->ops.at[r->core[0]];
  value *values = mem_alloc(m, (2 * r->core_count + 2) * sizeof *values), on[2];
  size_t n = 0;
  bool any = !spec_independent(spec);
  for (size_t k = 0; k < r->core_count + r->freed_count && !any; k++) {
    struct op o = op_then(h, r, k < r->core_count ? r->core[k] : r->freed[k - r->core_count]);
    any = spec->cell && spec->cell[o.method].sets == CELL_MIXES;
    if (any || op_pending(&o) || k >= r->core_count) continue;
    int count = op_values(spec, &o, on);
    any = count == ON_ANY || op_ties(spec, &o);
    for (int i = 0; i < count; i++) values[n++] = on[i];
  }
  qsort(values, n, sizeof *values, by_value);
  uint8_t *in = mem_zero(m, h->ops.count + 1, 1);
  for (size_t k = 0; k < r->core_count; k++) in[r->core[k]] = 1;
  for (size_t k = 0; k < r->freed_count; k++) in[r->freed[k]] = 1;
  for (size_t i = 0; i < h->ops.count && h->ops.at[i].call <= r->core_to; i++) {
    struct op o = op_then(h, r, (uint32_t)i);
    if (!(i & 1023)) mem_poll(m);
    if (in[i] || !same_part(spec, first, &o) || op_pure(spec, &o)) continue;
    int count = op_values(spec, &o, on);
    bool touches = any || count <= 0; /* 0: no result it can have */
    for (int k = 0; k < count && !touches; k++) touches = bsearch(&on[k], values, n, sizeof *values, by_value) != NULL;
    if (!touches) continue;
    *which = (uint32_t)i;
    return true;
  }
  return false;
}

static bool alike(const struct spec *spec, const struct op *a, const struct op *b) {
  return a->method == b->method && a->result == b->result && !memcmp(a->arg, b->arg, sizeof a->arg) &&
         (!spec->by_process || a->process == b->process);
}

/* Of two operations that do the same, the one that fewer must precede and that must precede more may go first: in any
 * legal order that has them the other way round, they can be exchanged. So that has to be tried only one way round. Not
 * where the other one must happen and this one need not. */
static void find_twins(struct problem_part *p) {
  uint64_t after[OPS_MOST] = {0};
  for (uint32_t i = 0; i < p->count; i++)
    for (uint32_t k = 0; k < p->count; k++)
      if (p->before[i] >> k & 1) after[k] |= (uint64_t)1 << i;
  for (uint32_t i = 0; i < p->count; i++)
    for (uint32_t k = 0; k < p->count; k++) {
      if (i == k || !alike(p->spec, &p->ops[i], &p->ops[k])) continue;
      if ((p->must >> i & 1) && !(p->must >> k & 1)) continue;
      if ((p->before[k] & ~p->before[i]) || (after[i] & ~after[k])) continue;
      bool same = p->before[k] == p->before[i] && after[i] == after[k] && (p->must >> i & 1) == (p->must >> k & 1);
      if (!same || k < i) p->twins[i] |= (uint64_t)1 << k;
    }
}

static bool build(const struct history *h, const struct spec *spec, const struct check_result *r,
                  struct problem_part *p) {
  memset(p, 0, sizeof *p);
  p->spec = spec;
  if (r->core_count + r->freed_count > OPS_MOST) return false;
  for (size_t i = 0; i < r->core_count + r->freed_count; i++) {
    bool core = i < r->core_count;
    struct op o = op_then(h, r, core ? r->core[i] : r->freed[i - r->core_count]);
    if (!core) {
      o.call = 0;
      o.ret = NO_RETURN;
    }
    if (!op_pending(&o)) p->must |= (uint64_t)1 << i;
    for (size_t k = 0; k < p->count; k++) {
      if (p->ops[k].ret < o.call) p->before[i] |= (uint64_t)1 << k;
      if (o.ret < p->ops[k].call) p->before[k] |= (uint64_t)1 << i;
    }
    assert(core || op_pending(&o)); /* a free one need not happen */
    p->ops[p->count++] = o;
  }
  find_twins(p);
  return true;
}

/* Forward simulation: after each event, the states with the sets of open operations that have linearized. */
static enum verdict simulate(struct mem *m, const struct history *h, const struct spec *spec,
                             const struct check_result *r) {
  const struct op *first = &h->ops.at[r->core[0]];
  struct set {
    VEC(struct config {
      uint64_t done;
      struct state state;
    })
    list;
    struct tried have;
  } now, next, swap;
  memset(&now, 0, sizeof now);
  uint32_t slot_of[64];
  uint64_t open = 0;
  uint32_t *events = history_events(h, m);
  struct outcomes out;
  outcomes_open(&out, m);
  spec->init(spec, &out);
  tried_open(&now.have, m);
  for (size_t i = 0; i < out.list.count; i++) {
    struct state x = outcomes_state(&out, i);
    void *copy = mem_piece(m, x.size + 1);
    if (x.size) memcpy(copy, x.at, x.size);
    vec_push(m, &now.list, ((struct config){0, {copy, x.size}}));
  }
  uint64_t total = 0;
  for (uint32_t e = 0; e <= r->core_to && e < h->events; e++) {
    uint32_t op = events[e] >> 1;
    const struct op *o = &h->ops.at[op];
    if (!(e & 255)) mem_poll(m);
    if (!same_part(spec, first, o)) continue;
    if (!(events[e] & 1)) {
      if (!~open) return VERDICT_UNKNOWN;
      uint32_t s = (uint32_t)__builtin_ctzll(~open);
      open |= (uint64_t)1 << s;
      slot_of[s] = op;
      continue;
    }
    uint32_t ret = 0;
    while (!(open >> ret & 1) || slot_of[ret] != op) ret++;
    memset(&next, 0, sizeof next);
    tried_open(&next.have, m);
    struct tried seen;
    tried_open(&seen, m);
    for (size_t i = 0; i < now.list.count; i++) { /* now.list grows: everything reachable from it by linearizing */
      struct config c = now.list.at[i];
      if (c.done >> ret & 1) {
        uint64_t done = c.done & ~((uint64_t)1 << ret);
        if (!tried_add(&next.have, done, c.state)) vec_push(m, &next.list, ((struct config){done, c.state}));
        continue;
      }
      for (uint64_t can = open & ~c.done; can; can &= can - 1) {
        uint32_t s = (uint32_t)__builtin_ctzll(can);
        outcomes_clear(&out);
        struct op open_one = op_then(h, r, slot_of[s]);
        spec->step(spec, c.state, &open_one, &out);
        for (size_t k = 0; k < out.list.count; k++) {
          struct state x = outcomes_state(&out, k);
          uint64_t done = c.done | (uint64_t)1 << s;
          if (tried_add(&seen, done, x)) continue;
          if (++total > SIMULATED_MOST) return VERDICT_UNKNOWN;
          void *copy = mem_piece(m, x.size + 1);
          if (x.size) memcpy(copy, x.at, x.size);
          vec_push(m, &now.list, ((struct config){done, {copy, x.size}}));
        }
      }
    }
    open &= ~((uint64_t)1 << ret);
    swap = now;
    now = next;
    vec_free(m, &swap.list);
    mem_free(m, swap.have.slots);
    mem_free(m, seen.slots);
    if (!now.list.count) return VERDICT_VIOLATED;
  }
  return VERDICT_HOLDS;
}

enum verdict evidence_check_core(struct mem *m, const struct history *h, const struct spec *spec,
                                 const struct check_result *r, struct problem *why) {
  uint32_t which;
  enum verdict v;
  assert(r->core_count);
  if (r->start_count || r->core_count + r->freed_count > OPS_MOST) {
    v = simulate(m, h, spec, r);
  } else if (!well_chosen(h, spec, r, why)) {
    return VERDICT_HOLDS;
  } else if (left_out(m, h, spec, r, &which)) {
    problem_set(why, "the violation does not stand: operation %u was left out of it and might matter", which);
    return VERDICT_HOLDS;
  } else {
    struct problem_part *p = mem_alloc(m, sizeof *p);
    build(h, spec, r, p);
    v = no_order(m, p);
  }
  if (v == VERDICT_HOLDS) problem_set(why, "the violation does not stand: its operations have a legal order");
  return v;
}
