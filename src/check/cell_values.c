/* An object that is one value, with few values and many operations under way: a narrow search, and one value at a time.
 *
 * Where few values are written again and again there are mostly many linearizations, and a search that keeps a few
 * configurations finds one. Where there is none, not all of the configurations can be looked at. But to see whether the
 * value is x, no more need be known of the others than that they are others: replace them all by one, o. Take a
 * linearization of the part. After each of its operations the value is x or it is not, so that with o for every other
 * value it is one of
 *   - reads and writes of x and of o, and cas that succeed, with x and o in their places;
 *   - cas(x, .) that failed: the value is o;
 *   - cas(o, .) that failed, or whose result nobody knows: one that fails says only that the value is not a certain
 *     other one, which is left out; one that may succeed may make o an x, or not, so it becomes one that never
 *     returned.
 * So if this much simpler part is not linearizable for some x, neither is the whole. */
#include <stdlib.h>

#include "check/decide.h"
#include "check/items.h"
#include "spec/map.h"

enum { VALUES_MOST = 64, NARROW = 16, NARROW_MOST = 256, EACH = 64, RARE = 8 };

struct one_value {
  const struct part *part;
  struct mem *mem, *attempt;
  value values[VALUES_MOST];
  uint32_t uses[VALUES_MOST]; /* how many operations have it */
  uint32_t count;
};

static value initial(const struct spec *s) { return s->family == FAMILY_REGISTER ? spec_initial(s) : (value)V_NIL; }

/* An operation's values: what it sets, and what it finds; V_NONE. */
static value plain(const struct spec *s, value v) {
  return s->family == FAMILY_MAP && (v == V_NONE || v == V_EMPTY) ? (value)V_NIL : v; /* as map.c has it */
}

static bool add_value(struct one_value *x, value v) {
  uint32_t i = 0;
  while (i < x->count && x->values[i] != v) i++;
  if (i == VALUES_MOST) return false;
  if (i == x->count) {
    x->values[x->count] = v;
    x->uses[x->count++] = 0;
  }
  x->uses[i]++;
  return true;
}

/* False if there are too many, or they cannot be told apart. */
static bool find_values(struct one_value *x) {
  const struct part *p = x->part;
  const struct spec *s = p->spec;
  if (s->family == FAMILY_MAP && s->k != MAP_PLAIN) return false;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    const struct spec_cell *c = &s->cell[o->method];
    for (int a = 0; a < OP_ARGS; a++)
      if (o->arg[a] == V_UNKNOWN) return false;
    if (c->sets == CELL_MIXES) return false;
    if (c->sets >= 0 && !add_value(x, plain(s, o->arg[c->sets]))) return false;
    if (c->sets == CELL_CLEARS && !add_value(x, V_NIL)) return false;
    if (c->compares >= 0 && !add_value(x, plain(s, o->arg[c->compares]))) return false;
    if (c->sets == -1 && c->compares == -1 && !op_pending(o) && o->result != V_UNKNOWN && !add_value(x, o->result))
      return false;
  }
  return true;
}

/* What an operation is to one who sees only whether the value is x; false if nothing. */
static bool as_seen(const struct spec *s, struct op *o, value x, value other) {
  const struct spec_cell *c = &s->cell[o->method];
  bool sets_x = c->sets >= 0 && plain(s, o->arg[c->sets]) == x;
  if (c->sets >= 0) o->arg[c->sets] = sets_x ? x : other;
  if (c->compares == -1) {
    if (c->sets != -1) return true;
    if (op_pending(o) || o->result == V_UNKNOWN) return false;
    o->result = o->result == x ? x : other;
    return true;
  }
  bool finds_x = plain(s, o->arg[c->compares]) == x;
  o->arg[c->compares] = finds_x ? x : other;
  if (o->result == V_TRUE && !op_pending(o)) return true;
  if (o->result == V_FALSE) return finds_x && !op_pending(o);
  if (finds_x) return !sets_x;
  o->ret = NO_RETURN;
  o->result = V_UNKNOWN;
  return sets_x;
}

/* Decides what is seen of one value; true if it is wrong. */
static bool wrong_for(struct one_value *all, value x, uint64_t most, struct decision *d) {
  const struct part *p = all->part;
  struct mem *m = all->attempt;
  value other = initial(p->spec);
  if (other == x) other = x == value_of_small(0) ? value_of_small(1) : value_of_small(0);
  struct op *ops = mem_alloc(m, ((size_t)p->count + 1) * sizeof *ops);
  op_list list = {0};
  vec_reserve(m, &list, (size_t)p->count + 1);
  for (uint32_t i = 0; i < p->count; i++) {
    ops[i] = p->ops[i];
    if (as_seen(p->spec, &ops[i], x, other)) vec_push(m, &list, i);
  }
  struct part seen = *p, sub;
  struct decision own;
  seen.ops = ops;
  seen.global = seen.global_event = NULL;
  sub = part_restrict(&seen, m, list.at, list.count);
  sub.verdict_only = true;
  decision_clear(&own);
  search_bounded(search_new(m, p->spec), &sub, NULL, most, &own);
  d->configurations += own.configurations;
  if (own.verdict == VERDICT_VIOLATED) {
    d->verdict = VERDICT_VIOLATED;
    d->culprit = list.at[own.culprit];
    d->hint = true;
    for (uint32_t i = 0; i < p->count; i++) vec_push(all->mem, &d->core, i); /* later results may have told */
  }
  mem_close(m);
  return own.verdict == VERDICT_VIOLATED;
}

/* By how many operations have them: those of few leave least to search. */
static void sort_values(struct one_value *x) {
  for (uint32_t n = 0; n < x->count; n++) {
    uint32_t least = n;
    for (uint32_t i = n + 1; i < x->count; i++)
      if (x->uses[i] < x->uses[least]) least = i;
    value v = x->values[least];
    uint32_t uses = x->uses[least];
    x->values[least] = x->values[n];
    x->uses[least] = x->uses[n];
    x->values[n] = v;
    x->uses[n] = uses;
  }
}

bool cell_wrong_by_value(const struct part *p, struct mem *m, uint64_t most, struct decision *d) {
  struct one_value x = {.part = p, .mem = m};
  if (!p->spec->cell || !find_values(&x)) return false;
  x.attempt = mem_child(m);
  for (uint32_t i = 0; i < x.count; i++)
    if (wrong_for(&x, x.values[i], most, d)) return true;
  return false;
}

enum applies cells_bounded(const struct part *p, struct mem *m, uint64_t most, struct decision *d) {
  struct one_value x = {.part = p, .mem = m};
  if (!p->spec->cell || !find_values(&x)) return APPLIES_NOT;
  struct search *s = search_new(m, p->spec);
  uint64_t most_each = most ? most : EACH * (uint64_t)p->events;
  uint32_t tried = 0;
  x.attempt = mem_child(m);
  sort_values(&x);
  decision_clear(d);
  for (; tried < x.count && tried < RARE && x.uses[tried] <= RARE; tried++)
    if (wrong_for(&x, x.values[tried], most_each, d)) return APPLIES;
  for (uint32_t width = NARROW; width <= NARROW_MOST; width *= 4) {
    uint64_t each = EACH * (uint64_t)p->events * width;
    decision_clear(d);
    search_once(s, p, width, most && most < each ? most : each, d);
    if (d->verdict != VERDICT_UNKNOWN) return APPLIES;
    decision_clear(d);
    for (; tried < x.count; tried++)
      if (wrong_for(&x, x.values[tried], most_each, d)) return APPLIES;
  }
  decision_clear(d);
  return APPLIES_NOT;
}
