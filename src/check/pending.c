/* Pending operations that need no choice.
 *
 * An operation that never returned may have taken effect at any time after its call, or never, so each one doubles what
 * a search keeps apart. Of most of them the rest of the history tells which it was. Each rule keeps a part linearizable
 * iff it was:
 *
 *   - It happened. A value that was read (or found by a cas, or taken out of a container) comes from somewhere. If one
 *     operation alone sets (puts in) the value, and the object did not begin with it, that operation is before the
 *     observation in every linearization, and so before its return: the operation is given a return there, which no
 *     linearization notices.
 *   - It does not matter. In an object that is one value, where nothing compares: take a linearization in which a
 *     pending write of a value that no read returned takes effect. No read whose result was seen is between it and the
 *     next write, for it would have returned that value. Without the write the reads elsewhere return what they did,
 *     and so this is a linearization, too. In a container without bound, where every result was seen: take one in which
 *     a value is put in by a pending operation, and no removal that returned took that value. It stays inside, or is
 *     taken out by pending removals. Without it and them, fewer values are inside at every moment and all others in the
 *     same order: what was taken next may be taken next, and what was empty is so.
 *   - It is too late. A cas(a, b) takes effect only while the value is a. All operations that set a have returned by
 *     some moment; once an operation that was called after that, and certainly sets another value, has returned, the
 *     value is a no more. If it is called later still it never takes effect.
 *
 * What the rules leave is for the search to choose, which counts the operations of a kind (search.c). */
#include "check/pending.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "spec/map.h"

#define NONE UINT32_MAX

struct told { /* of a value */
  value value;
  uint32_t sources;  /* operations that may set it or put it in, and the beginning */
  uint32_t source;   /* the last one met */
  uint32_t returned; /* when the last of them has returned; NO_RETURN if one never did */
  uint32_t observed; /* the first return of an operation that certainly found it; NO_RETURN: none */
  bool compared;     /* some operation compares with it, or found it */
};

struct settling {
  struct mem *mem;
  const struct part *part;
  const struct spec_cell *cell; /* of an object that is one value */
  struct told *told;
  uint32_t mask;
  uint32_t *ret;     /* of an operation: its return, or the event before which it is given one */
  uint8_t *left_out; /* a byte an operation */
  uint32_t *sure;    /* by operation: the first return among those called from it on that set a value for certain */
  op_list pending;
  bool changed;
};

static struct told *told(struct settling *s, value v) {
  uint32_t i = (uint32_t)hash_mix(v) & s->mask;
  while (s->told[i].value != v && s->told[i].value != V_UNKNOWN) i = (i + 1) & s->mask;
  if (s->told[i].value == V_UNKNOWN) s->told[i] = (struct told){.value = v, .source = NONE, .observed = NO_RETURN};
  return &s->told[i];
}

/* What an operation does with the one value. */
struct effect {
  value sets, finds; /* V_NONE: nothing; V_UNKNOWN: nobody knows */
  bool compares;     /* `finds` is compared with */
};

static value content(const struct spec *s, value v) {
  return s->family == FAMILY_MAP && (v == V_NONE || v == V_EMPTY) ? (value)V_NIL : v; /* as map.c has it */
}

static struct effect effect_of(const struct settling *s, const struct op *o) {
  const struct spec *spec = s->part->spec;
  const struct spec_cell *c = &s->cell[o->method];
  struct effect e = {.sets = V_NONE, .finds = V_NONE};
  if (c->sets >= 0) e.sets = content(spec, o->arg[c->sets]);
  if (c->sets == CELL_CLEARS) e.sets = V_NIL;
  if (c->compares >= 0) {
    e.finds = content(spec, o->arg[c->compares]);
    e.compares = true;
    if (o->result == V_FALSE) e.sets = V_NONE;
  } else if (c->sets == -1) {
    e.finds = op_pending(o) ? V_NONE : o->result;
  }
  return e;
}

static bool may_settle_cell(const struct part *p) {
  const struct spec *spec = p->spec;
  if (spec->family == FAMILY_MAP && spec->k != MAP_PLAIN) return false;
  for (uint32_t i = 0; i < p->count; i++)
    if (spec->cell[p->ops[i].method].sets == CELL_MIXES) return false;
  return true;
}

static void earlier(uint32_t *at, uint32_t event) {
  if (event < *at) *at = event;
}

static void later(uint32_t *at, uint32_t event) {
  if (event > *at) *at = event;
}

/* Of a cell: who sets and finds each value. */
static void tell_cell(struct settling *s) {
  const struct part *p = s->part;
  told(s, p->spec->family == FAMILY_REGISTER ? spec_initial(p->spec) : (value)V_NIL)->sources++;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    struct effect e = effect_of(s, o);
    if (e.sets != V_NONE) {
      struct told *t = told(s, e.sets);
      t->sources++;
      t->source = i;
    }
    if (e.finds == V_NONE || e.finds == V_UNKNOWN) continue;
    struct told *t = told(s, e.finds);
    t->compared = true;
    if (!op_pending(o) && (!e.compares || o->result == V_TRUE)) earlier(&t->observed, o->ret);
  }
}

/* It happened: the only source of a value that was found. */
static void complete(struct settling *s, uint32_t i, value v) {
  struct told *t = told(s, v);
  if (t->sources != 1 || t->observed == NO_RETURN || s->part->ops[i].call >= t->observed) return;
  s->ret[i] = t->observed;
  s->changed = true;
}

static void complete_cell(struct settling *s) {
  for (size_t k = 0; k < s->pending.count; k++) {
    uint32_t i = s->pending.at[k];
    const struct op *o = &s->part->ops[i];
    if (s->ret[i] != NO_RETURN || o->result != V_UNKNOWN) continue;
    struct effect e = effect_of(s, o);
    if (e.sets == V_NONE || e.sets == V_UNKNOWN) continue;
    complete(s, i, e.sets);
    if (s->ret[i] != NO_RETURN && e.compares) earlier(&told(s, e.finds)->observed, s->ret[i]);
  }
}

/* When the value can be `v` no more; NO_RETURN: nobody knows. */
static uint32_t over(const struct settling *s, const struct told *t) {
  if (t->returned == NO_RETURN) return NO_RETURN;
  uint32_t low = 0, high = s->part->count; /* the first operation that was called after all sources had returned */
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (s->part->ops[middle].call < t->returned)
      low = middle + 1;
    else
      high = middle;
  }
  return s->sure[low];
}

/* Too late: the value it compares with is over. */
static void end_compares(struct settling *s, uint32_t *ends) {
  const struct part *p = s->part;
  s->sure = mem_alloc(s->mem, ((size_t)p->count + 1) * sizeof *s->sure);
  s->sure[p->count] = NO_RETURN;
  for (uint32_t i = p->count; i-- > 0;) {
    struct effect e = effect_of(s, &p->ops[i]);
    bool certain = s->ret[i] != NO_RETURN && e.sets != V_NONE &&
                   (!e.compares || p->ops[i].result == V_TRUE || op_pending(&p->ops[i]));
    s->sure[i] = s->sure[i + 1];
    if (certain) earlier(&s->sure[i], s->ret[i]);
    if (e.sets != V_NONE) later(&told(s, e.sets)->returned, s->ret[i]);
  }
  for (size_t k = 0; k < s->pending.count; k++) {
    uint32_t i = s->pending.at[k];
    struct effect e = effect_of(s, &p->ops[i]);
    if (!e.compares || s->ret[i] != NO_RETURN) continue;
    ends[i] = over(s, told(s, e.finds));
    if (ends[i] > p->ops[i].call) continue;
    s->left_out[i] = 1;
    s->changed = true;
  }
  mem_free(s->mem, s->sure);
}

/* It does not matter: nothing compares, and no read returned the value. */
static void leave_out_writes(struct settling *s) {
  const struct part *p = s->part;
  for (uint32_t i = 0; i < p->count; i++)
    if (!s->left_out[i] && s->cell[p->ops[i].method].compares >= 0) return;
  for (size_t k = 0; k < s->pending.count; k++) {
    uint32_t i = s->pending.at[k];
    struct effect e = effect_of(s, &p->ops[i]);
    if (e.sets == V_NONE || s->ret[i] != NO_RETURN || told(s, e.sets)->compared) continue;
    s->left_out[i] = 1;
    s->changed = true;
  }
}

static void settle_cell(struct settling *s, uint32_t *ends) {
  tell_cell(s);
  for (bool again = true; again;) { /* a cas that happened found something */
    bool before = s->changed;
    s->changed = false;
    complete_cell(s);
    again = s->changed;
    s->changed |= before;
  }
  end_compares(s, ends);
  leave_out_writes(s);
}

/* Of a container. */
static void settle_container(struct settling *s) {
  const struct part *p = s->part;
  const struct spec_container *c = p->spec->container;
  bool seen = true;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    if (spec_op_in(c->puts, o->method)) {
      struct told *t = told(s, o->arg[0]);
      t->sources++;
      t->source = i;
    } else if (!spec_op_in(c->takes, o->method)) {
      return;
    } else if (!op_pending(o) && o->result == V_UNKNOWN) {
      seen = false;
    } else if (o->result != V_UNKNOWN && !op_finds_nothing(p->spec, o)) {
      struct told *t = told(s, o->result);
      t->compared = true;
      earlier(&t->observed, o->ret);
    }
  }
  for (size_t k = 0; k < s->pending.count; k++) {
    uint32_t i = s->pending.at[k];
    const struct op *o = &p->ops[i];
    if (!spec_op_in(c->puts, o->method) || o->result != V_UNKNOWN) continue;
    complete(s, i, o->arg[0]);
    if (s->ret[i] != NO_RETURN || !seen || p->spec->bounded || told(s, o->arg[0])->compared) continue;
    s->left_out[i] = 1;
    s->changed = true;
  }
}

/* What is left, numbered anew: an added return comes just before the event it is given. */
static void build(struct settling *s, const uint32_t *ends, struct settled *out) {
  const struct part *p = s->part;
  struct mem *m = s->mem;
  uint32_t *events = part_events(p, m), *moved = mem_alloc(m, ((size_t)p->events + 1) * sizeof *moved);
  uint32_t *added = mem_zero(m, (size_t)p->events + 2, sizeof *added); /* returns before an event: where in `returns` */
  uint32_t *returns = mem_alloc(m, (s->pending.count + 1) * sizeof *returns);
  struct op *ops = mem_alloc(m, ((size_t)p->count + 1) * sizeof *ops);
  uint32_t count = 0, at = 0;
  *out = (struct settled){.from = mem_alloc(m, ((size_t)p->count + 1) * sizeof *out->from),
                          .to = mem_alloc(m, ((size_t)p->count + 1) * sizeof *out->to),
                          .event = mem_alloc(m, ((size_t)p->events + s->pending.count + 1) * sizeof *out->event),
                          .ends = mem_alloc(m, ((size_t)p->count + 1) * sizeof *out->ends)};
  for (size_t k = 0; k < s->pending.count; k++) {
    uint32_t i = s->pending.at[k];
    if (s->ret[i] != NO_RETURN) added[s->ret[i] + 1]++;
  }
  for (uint32_t e = 0; e < p->events; e++) added[e + 1] += added[e];
  for (size_t k = 0; k < s->pending.count; k++) {
    uint32_t i = s->pending.at[k];
    if (s->ret[i] != NO_RETURN) returns[added[s->ret[i]]++] = i;
  }
  for (uint32_t i = 0; i < p->count; i++) {
    out->to[i] = s->left_out[i] ? NONE : count;
    if (s->left_out[i]) continue;
    ops[count] = p->ops[i];
    out->from[count++] = i;
  }
  for (uint32_t e = 0, k = 0; e < p->events; e++) {
    for (; k < added[e]; k++) { /* by now the place after the last one before e */
      struct op *o = &ops[out->to[returns[k]]];
      out->event[at] = e;
      o->ret = at++;
      o->result = p->spec->ops[o->method].result == RESULT_BOOL ? V_TRUE : V_NONE;
    }
    moved[e] = at;
    uint32_t i = out->to[events[e] >> 1];
    if (i == NONE) continue;
    out->event[at] = e;
    *(events[e] & 1 ? &ops[i].ret : &ops[i].call) = at++;
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t end = ends ? ends[out->from[i]] : NO_RETURN;
    out->ends[i] = end == NO_RETURN ? NO_RETURN : moved[end];
  }
  out->part = *p;
  out->part.ops = ops;
  out->part.count = count;
  out->part.events = at;
  out->part.global = out->part.global_event = NULL;
  mem_free(m, events);
  mem_free(m, moved);
  mem_free(m, added);
  mem_free(m, returns);
}

static bool may_settle(const struct part *p) {
  if (p->events == 2 * p->count) return false; /* all returned */
  for (uint32_t i = 0; i < p->count; i++)
    for (int a = 0; a < OP_ARGS; a++)
      if (p->ops[i].arg[a] == V_UNKNOWN) return false;
  return p->spec->container || (p->spec->cell && may_settle_cell(p));
}

bool pending_settle(const struct part *p, struct mem *m, struct settled *out) {
  const struct spec *spec = p->spec;
  if (!may_settle(p)) return false;
  struct settling s = {.mem = m, .part = p, .cell = spec->cell};
  for (s.mask = 15; s.mask < p->count * 4u + 4;) s.mask = s.mask * 2 + 1;
  s.told = mem_alloc(m, ((size_t)s.mask + 1) * sizeof *s.told);
  for (uint32_t i = 0; i <= s.mask; i++) s.told[i].value = V_UNKNOWN;
  s.ret = mem_alloc(m, ((size_t)p->count + 1) * sizeof *s.ret);
  s.left_out = mem_zero(m, (size_t)p->count + 1, 1);
  uint32_t *ends = mem_alloc(m, ((size_t)p->count + 1) * sizeof *ends);
  for (uint32_t i = 0; i < p->count; i++) {
    ends[i] = NO_RETURN;
    s.ret[i] = p->ops[i].ret;
    if (op_pending(&p->ops[i])) vec_push(m, &s.pending, i);
  }
  if (spec->cell)
    settle_cell(&s, ends);
  else
    settle_container(&s);
  for (uint32_t i = 0; i < p->count; i++) s.changed |= ends[i] != NO_RETURN;
  if (s.changed) build(&s, ends, out);
  mem_free(m, ends);
  mem_free(m, s.told);
  mem_free(m, s.ret);
  mem_free(m, s.left_out);
  vec_free(m, &s.pending);
  return s.changed;
}

void settled_free(struct settled *s, struct mem *m) {
  mem_free(m, (void *)(uintptr_t)s->part.ops);
  mem_free(m, s->from);
  mem_free(m, s->to);
  mem_free(m, s->event);
  mem_free(m, s->ends);
}
