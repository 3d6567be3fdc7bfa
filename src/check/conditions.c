/* Conditions that every linearization needs, looked at before any search: one sweep over the events, whatever the
 * number of operations under way and however often a value is repeated.
 *
 * In a container, at the return of an operation:
 *   - as many removals have returned a value as its insertions that were called can account for;
 *   - a removal that returned empty: of the insertions that had returned when it was called, no more than there are
 *     removals, other than those that found nothing, to have taken them out;
 *   - of a bounded one: no more are certainly inside than there is room for, and where an insertion returned full, as
 *     many may have been inside as make it full.
 * In an object that is one value: what was read, or found by a cas, had been written or was there at first.
 *
 * All are about what had happened by that return, so that what comes later cannot excuse it. */
#include <assert.h>

#include "base/hash.h"
#include "check/part.h"

struct tally {
  value key; /* V_UNKNOWN: free */
  uint32_t puts, takes;
};

struct sweep {
  const struct part *part;
  struct mem *mem;
  struct tally *slots;
  uint32_t mask, used;
  uint32_t put_called, put_ret;   /* insertions but those that returned full by now; those that returned and inserted */
  uint32_t take_called, take_ret; /* removals but those that returned empty by now; those that returned a value */
  uint32_t *at_call;              /* put_ret (of a removal) or take_ret (of an insertion) when it was called */
};

static void grow(struct sweep *s) {
  struct tally *old = s->slots;
  uint32_t mask = s->mask;
  s->mask = old ? mask * 2 + 1 : 15;
  s->slots = mem_alloc(s->mem, ((size_t)s->mask + 1) * sizeof *s->slots);
  for (uint32_t i = 0; i <= s->mask; i++) s->slots[i] = (struct tally){.key = V_UNKNOWN};
  for (uint32_t i = 0; old && i <= mask; i++) {
    if (old[i].key == V_UNKNOWN) continue;
    uint32_t k = (uint32_t)hash_mix(old[i].key) & s->mask;
    while (s->slots[k].key != V_UNKNOWN) k = (k + 1) & s->mask;
    s->slots[k] = old[i];
  }
  mem_free(s->mem, old);
}

/* The tally of a value; valid until the next is asked for. */
static struct tally *tally(struct sweep *s, value v) {
  if (s->used * 2 > s->mask) grow(s);
  uint32_t i = (uint32_t)hash_mix(v) & s->mask;
  while (s->slots[i].key != v && s->slots[i].key != V_UNKNOWN) i = (i + 1) & s->mask;
  s->used += s->slots[i].key != v;
  s->slots[i].key = v;
  return &s->slots[i];
}

static void open_sweep(struct sweep *s, const struct part *p, struct mem *m) {
  *s = (struct sweep){.part = p, .mem = m};
  grow(s);
  s->at_call = mem_alloc(m, ((size_t)p->count + 1) * sizeof *s->at_call);
}

static void close_sweep(struct sweep *s) {
  mem_free(s->mem, s->slots);
  mem_free(s->mem, s->at_call);
}

/* The operations called by then: all, or those on one value in an object where the others can be left out. */
static void violated(struct sweep *s, uint32_t op, bool on_value, value v, struct decision *d) {
  const struct part *p = s->part;
  value on[2];
  bool all = !on_value || !p->spec->data_independent;
  d->verdict = VERDICT_VIOLATED;
  d->culprit = op;
  d->hint = p->spec->cell != NULL;
  assert(!d->core.count);
  for (uint32_t i = 0; i < p->count && !all; i++) /* one whose value was not seen may be on any */
    all = !op_pending(&p->ops[i]) && op_values(p->spec, &p->ops[i], on) == ON_ANY;
  for (uint32_t i = 0; i < p->count && (all || p->ops[i].call < p->ops[op].ret); i++) {
    int n = all ? ON_ANY : op_values(p->spec, &p->ops[i], on);
    if (n == ON_ANY || (n == 1 && on[0] == v)) vec_push(s->mem, &d->core, i);
  }
}

/* True if the return is possible as far as these conditions go. */
static bool put_returned(struct sweep *s, uint32_t i, struct decision *d) {
  const struct part *p = s->part;
  const struct op *o = &p->ops[i];
  if (o->result == V_FULL) {
    s->put_called--;
    if (!p->spec->bounded || p->spec->weak || s->put_called - (int64_t)s->at_call[i] >= (int64_t)p->spec->k)
      return true;
    violated(s, i, false, V_NONE, d);
    return false;
  }
  if (o->result != V_NONE) return true;
  s->put_ret++;
  if (!p->spec->bounded || (int64_t)s->put_ret - s->take_called <= (int64_t)p->spec->k) return true;
  violated(s, i, false, V_NONE, d);
  return false;
}

static bool take_returned(struct sweep *s, uint32_t i, struct decision *d) {
  const struct part *p = s->part;
  const struct op *o = &p->ops[i];
  if (o->result == V_UNKNOWN) return true;
  if (op_finds_nothing(p->spec, o)) {
    s->take_called--;
    if (p->spec->weak || o->result != V_EMPTY || s->at_call[i] <= s->take_called) return true;
    violated(s, i, false, V_NONE, d);
    return false;
  }
  s->take_ret++;
  struct tally *t = tally(s, o->result);
  if (++t->takes <= (uint64_t)t->puts * spec_times(p->spec)) return true;
  violated(s, i, true, o->result, d);
  return false;
}

static void sweep_container(struct sweep *s, const uint32_t *events, struct decision *d) {
  const struct spec_container *c = s->part->spec->container;
  for (uint32_t e = 0; e < s->part->events; e++) {
    uint32_t i = events[e] >> 1;
    const struct op *o = &s->part->ops[i];
    bool put = spec_op_in(c->puts, o->method);
    if (!(e & 1023)) mem_poll(s->mem);
    if (!put && !spec_op_in(c->takes, o->method)) continue;
    if (!(events[e] & 1)) {
      s->at_call[i] = put ? s->take_ret : s->put_ret;
      ++*(put ? &s->put_called : &s->take_called);
      if (put) tally(s, o->arg[0])->puts++;
      continue;
    }
    if (put && o->result == V_FULL) tally(s, o->arg[0])->puts--;
    if (!(put ? put_returned(s, i, d) : take_returned(s, i, d))) return;
  }
}

/* What may be in the cell is counted as `puts`. */
static void sweep_cell(struct sweep *s, const uint32_t *events, struct decision *d) {
  const struct spec *spec = s->part->spec;
  value on[2];
  tally(s, spec->family == FAMILY_REGISTER ? spec_initial(spec) : (value)V_NIL)->puts++;
  for (uint32_t e = 0; e < s->part->events; e++) {
    uint32_t i = events[e] >> 1;
    const struct op *o = &s->part->ops[i];
    const struct spec_cell *c = &spec->cell[o->method];
    bool sets = c->sets != -1;
    int n = op_values(spec, o, on);
    if (!(e & 1023)) mem_poll(s->mem);
    if (n == ON_ANY) continue;
    if (!(events[e] & 1)) {
      if (sets && (c->compares < 0 || o->result != V_FALSE)) tally(s, on[n - 1])->puts++;
      continue;
    }
    /* A read's result, or what a cas that succeeded found, which is the first of its two. */
    if (sets && (c->compares < 0 || o->result != V_TRUE)) continue;
    if (tally(s, on[0])->puts) continue;
    violated(s, i, true, on[0], d);
    return;
  }
}

enum applies conditions_part(const struct part *p, struct mem *m, struct decision *d, const char **why_not) {
  const struct spec *spec = p->spec;
  (void)why_not;
  if (!spec->container && !spec->cell) return APPLIES_NOT;
  for (uint32_t i = 0; i < p->count && spec->cell; i++)
    if (spec->cell[p->ops[i].method].sets == CELL_MIXES) return APPLIES_NOT; /* it makes values nobody wrote */
  struct sweep s;
  uint32_t *events = part_events(p, m);
  open_sweep(&s, p, m);
  if (spec->container)
    sweep_container(&s, events, d);
  else
    sweep_cell(&s, events, d);
  close_sweep(&s);
  mem_free(m, events);
  return d->verdict == VERDICT_VIOLATED ? APPLIES : APPLIES_NOT;
}
