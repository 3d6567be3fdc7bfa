/* Shrinking: see shrink.h. Given is what had happened by the first fault (fault.h), so the fault stays where it is: any
 * part of it that is wrong is so at that return. In order:
 *   drop_values    whole values are gone, where that keeps a right history right (delta debugging over values)
 *   cut_before     what came long before is replaced by the configurations it may have led to
 *   drop_pure      reads and the like are gone
 *   free_ops       the rest is freed, one at a time */
#include "check/shrink.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "check/items.h"

enum { TRY_MOST = 40000, CAPTURE_MOST = 4000000 };

enum fate { KEPT, FREE, GONE };

struct shrink {
  struct mem *mem, *attempt; /* attempt: of one still_wrong */
  const struct part *part;
  uint8_t *fate; /* an operation each */
  double until;
  bool minimal;
  struct start start;
  uint32_t from;
  uint32_t culprit;
  const struct fault *fault; /* the whole part is its prefix; or NULL */
};

static bool late(struct shrink *s) {
  if (clock_seconds() < s->until) return false;
  s->minimal = false;
  return true;
}

struct moment {
  uint32_t when, what; /* event; (operation << 1) | is_return */
};

static int by_moment(const void *a, const void *b) {
  const struct moment *x = a, *y = b;
  if (x->when != y->when) return x->when < y->when ? -1 : 1;
  return x->what < y->what ? -1 : x->what > y->what;
}

/* The part that is left: the kept operations, and the free ones as pending from the beginning. `from_op` gives each its
 * operation of the whole part. */
static struct part build(struct shrink *s, struct mem *m, uint32_t **from_op) {
  const struct part *p = s->part;
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->count; i++) n += s->fate[i] != GONE;
  struct op *ops = mem_alloc(m, ((size_t)n + 1) * sizeof *ops);
  uint32_t *from = mem_alloc(m, ((size_t)n + 1) * sizeof *from);
  struct moment *moments = mem_alloc(m, ((size_t)n * 2 + 1) * sizeof *moments);
  uint32_t events = 0, k = 0;
  /* Operations by call, and free ones first of all; those under way at the start keep their places before the others.
   */
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < p->count; i++) {
      if (s->fate[i] == GONE) continue;
      bool first = s->part->ops[i].call < s->from || (s->fate[i] == FREE && !s->start.count);
      if (first != !round) continue;
      ops[k] = s->part->ops[i];
      from[k] = i;
      moments[events++] = (struct moment){first ? 0 : s->fate[i] == FREE ? 1 : s->part->ops[i].call + 2, k << 1};
      if (s->fate[i] == KEPT && !op_pending(&s->part->ops[i]))
        moments[events++] = (struct moment){s->part->ops[i].ret + 2, k << 1 | 1};
      if (s->fate[i] == FREE) ops[k].ret = NO_RETURN;
      k++;
    }
  qsort(moments, events, sizeof *moments, by_moment);
  for (uint32_t e = 0; e < events; e++)
    *(moments[e].what & 1 ? &ops[moments[e].what >> 1].ret : &ops[moments[e].what >> 1].call) = e;
  /* By call again. */
  struct op *sorted = mem_alloc(m, ((size_t)n + 1) * sizeof *sorted);
  uint32_t *sorted_from = mem_alloc(m, ((size_t)n + 1) * sizeof *sorted_from), at = 0;
  for (uint32_t e = 0; e < events; e++) {
    if (moments[e].what & 1) continue;
    sorted[at] = ops[moments[e].what >> 1];
    sorted_from[at++] = from[moments[e].what >> 1];
  }
  if (from_op) *from_op = sorted_from;
  return (struct part){p->spec, p->values, sorted, n, events, NULL, NULL, 0, true};
}

/* Is what is left still wrong? "Too much to tell" is no. */
static bool still_wrong(struct shrink *s) {
  struct mem *m = s->attempt;
  uint32_t *from = NULL;
  struct part p = build(s, m, &from);
  struct decision d;
  struct start start = s->start;
  if (start.count) { /* a free operation that was under way is no longer due */
    start.status = mem_alloc(m, (size_t)start.count * start.under_way + 1);
    memcpy(start.status, s->start.status, (size_t)start.count * start.under_way);
    for (uint32_t i = 0; i < start.count; i++)
      for (uint32_t k = 0; k < start.under_way; k++)
        if (s->fate[from[k]] == FREE && start.status[i * start.under_way + k] == STATUS_DUE)
          start.status[i * start.under_way + k] = STATUS_OPTIONAL;
  }
  decide_quickly(&p, m, start.count ? &start : NULL, BY_LITTLE, TRY_MOST, &d);
  if (d.verdict == VERDICT_UNKNOWN) s->minimal = false;
  mem_close(m);
  return d.verdict == VERDICT_VIOLATED;
}

/* Values, grouped where an operation is on two of them: a group is left out as a whole. */
struct grouped {
  value value;
  uint32_t group; /* of `values`, the first of its group; then the group's number, by first call */
};

struct groups {
  struct grouped *values; /* by value */
  uint32_t count, groups;
};

static int by_grouped(const void *a, const void *b) {
  const struct grouped *x = a, *y = b;
  return x->value < y->value ? -1 : x->value > y->value;
}

static struct grouped *grouped(const struct groups *g, value v) {
  struct grouped key = {v, 0};
  return bsearch(&key, g->values, g->count, sizeof key, by_grouped);
}

static uint32_t group_root(const struct groups *g, uint32_t i) {
  while (g->values[i].group != i) i = g->values[i].group = g->values[g->values[i].group].group;
  return i;
}

/* The values of the operations that are kept; false if they cannot be left out. */
static bool find_groups(struct shrink *s, struct groups *g) {
  const struct part *p = s->part;
  value on[2];
  *g = (struct groups){.values = mem_alloc(s->mem, (2 * (size_t)p->count + 1) * sizeof *g->values)};
  if (!spec_independent(p->spec)) return false;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    /* One that makes a value of the one there needs the others also where it is free. */
    if (s->fate[i] == FREE && p->spec->cell && p->spec->cell[o->method].sets == CELL_MIXES) return false;
    if (s->fate[i] != KEPT) continue;
    int n = op_values(p->spec, o, on);
    if (n == ON_ANY ? !op_pending(o) || op_ties(p->spec, o) : !op_pending(o) && op_ties(p->spec, o)) return false;
    for (int k = 0; k < n; k++) g->values[g->count++].value = on[k];
  }
  if (!g->count) return false;
  qsort(g->values, g->count, sizeof *g->values, by_grouped);
  uint32_t distinct = 0;
  for (uint32_t i = 0; i < g->count; i++)
    if (!i || g->values[i].value != g->values[i - 1].value) g->values[distinct++] = g->values[i];
  g->count = distinct;
  for (uint32_t i = 0; i < g->count; i++) g->values[i].group = i;
  for (uint32_t i = 0; i < p->count; i++) {
    if (s->fate[i] != KEPT || op_values(p->spec, &p->ops[i], on) != 2) continue;
    uint32_t a = group_root(g, (uint32_t)(grouped(g, on[0]) - g->values));
    g->values[a].group = group_root(g, (uint32_t)(grouped(g, on[1]) - g->values));
  }
  return true;
}

/* The group of each operation, numbered by first call, so that it is the earlier ones that are dropped first; NEVER for
 * an operation that is on no known value. */
static uint32_t *number_groups(struct shrink *s, struct groups *g) {
  const struct part *p = s->part;
  uint32_t *number = mem_alloc(s->mem, ((size_t)g->count + 1) * sizeof *number);
  uint32_t *group_of = mem_alloc(s->mem, ((size_t)p->count + 1) * sizeof *group_of);
  memset(number, 0xff, ((size_t)g->count + 1) * sizeof *number);
  for (uint32_t i = 0; i < p->count; i++) {
    value on[2];
    group_of[i] = NEVER;
    if (s->fate[i] != KEPT || op_values(p->spec, &p->ops[i], on) <= 0) continue;
    uint32_t root = group_root(g, (uint32_t)(grouped(g, on[0]) - g->values));
    if (number[root] == NEVER) number[root] = g->groups++;
    group_of[i] = number[root];
  }
  mem_free(s->mem, number);
  return group_of;
}

/* Delta debugging: drops chunks of groups, ever smaller ones, while it stays wrong. */
static void drop_values(struct shrink *s) {
  const struct part *p = s->part;
  struct groups g;
  if (!find_groups(s, &g)) return;
  uint32_t *group_of = number_groups(s, &g);
  uint32_t *left = mem_alloc(s->mem, ((size_t)g.groups + 1) * sizeof *left), count = g.groups;
  uint8_t *before = mem_alloc(s->mem, (size_t)p->count + 1), *dropped = mem_zero(s->mem, (size_t)g.groups + 1, 1);
  uint32_t blamed = s->culprit == UINT32_MAX ? NEVER : group_of[s->culprit];
  count = 0;
  for (uint32_t i = 0; i < g.groups; i++) /* the culprit's stays */
    if (i != blamed) left[count++] = i;
  for (uint32_t chunk = (count + 1) / 2; count && chunk;) {
    bool any = false;
    for (uint32_t from = 0; from < count; from += chunk) {
      if (late(s)) return;
      uint32_t to = from + chunk < count ? from + chunk : count;
      if (to - from == g.groups) continue;
      memcpy(before, s->fate, p->count);
      for (uint32_t i = from; i < to; i++) dropped[left[i]] = 1;
      for (uint32_t i = 0; i < p->count; i++)
        if (s->fate[i] == KEPT && group_of[i] != NEVER && dropped[group_of[i]]) s->fate[i] = GONE;
      if (still_wrong(s)) {
        any = true;
        continue;
      }
      memcpy(s->fate, before, p->count);
      for (uint32_t i = from; i < to; i++) dropped[left[i]] = 0;
    }
    uint32_t kept_groups = 0;
    for (uint32_t i = 0; i < count; i++)
      if (!dropped[left[i]]) left[kept_groups++] = left[i];
    count = kept_groups;
    if (chunk > count)
      chunk = count;
    else if (!any || chunk > 1)
      chunk = chunk == 1 && !any ? 0 : (chunk + 1) / 2;
  }
  mem_free(s->mem, group_of);
  mem_free(s->mem, left);
  mem_free(s->mem, before);
  mem_free(s->mem, dropped);
}

static uint32_t kept(const struct shrink *s) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->part->count; i++) n += s->fate[i] == KEPT;
  return n;
}

/* The configurations the operations from an event on begin in. */
static bool capture(struct shrink *s, uint32_t best, struct start *start) {
  const struct part *p = s->part;
  uint32_t *from_op = NULL;
  struct mem *m = mem_child(s->mem);
  struct part whole = build(s, m, &from_op); /* only kept ones: events shift with what is gone */
  uint32_t event = 0;
  for (uint32_t i = 0; i < whole.count; i++) {
    if (p->ops[from_op[i]].call < best && whole.ops[i].call >= event) event = whole.ops[i].call + 1;
    if (!op_pending(&whole.ops[i]) && s->part->ops[from_op[i]].ret < best && whole.ops[i].ret >= event)
      event = whole.ops[i].ret + 1;
  }
  bool good = search_capture(search_new(m, p->spec), &whole, event, CAPTURE_MOST, s->mem, start);
  mem_close(m);
  return good;
}

/* Leaves about NEAR operations before the fault, and the configurations they begin in. */
static void cut_before(struct shrink *s, uint32_t fault) {
  const struct part *p = s->part;
  uint32_t left = kept(s);
  if (left <= NEAR) return;
  bool known = s->fault && s->fault->start.count && left == p->count;
  uint32_t best = known ? s->fault->from : part_quiet_before(p, s->mem, fault, s->fate);
  struct start start;
  if (known) {
    start = s->fault->start;
  } else if (!capture(s, best, &start)) {
    s->minimal = false;
    return;
  }
  /* Operations that are pending and pure were never opened: they are gone anyway. */
  uint8_t *before = mem_alloc(s->mem, (size_t)p->count + 1);
  memcpy(before, s->fate, p->count);
  for (uint32_t i = 0; i < p->count; i++) {
    if (s->fate[i] != KEPT) continue;
    bool over = s->part->ops[i].ret < best && !op_pending(&s->part->ops[i]);
    if (over || (p->ops[i].call < best && op_pending(&s->part->ops[i]) && op_pure(p->spec, &s->part->ops[i])))
      s->fate[i] = GONE;
  }
  s->start = start;
  s->from = best;
  if (still_wrong(s)) return;
  memcpy(s->fate, before, p->count);
  memset(&s->start, 0, sizeof s->start);
  s->from = 0;
  s->minimal = false;
}

static bool under_way(const struct shrink *s, uint32_t i) { return s->start.count && s->part->ops[i].call < s->from; }

/* Reads and the like may be left out, the pending ones at no loss. Where there are start configurations those that
 * were under way stay in their places there, free. */
static void drop_pure(struct shrink *s) {
  const struct part *p = s->part;
  for (uint32_t i = p->count; i-- > 0 && !late(s);) {
    if (s->fate[i] != KEPT || i == s->culprit || !op_pure(p->spec, &s->part->ops[i])) continue;
    s->fate[i] = under_way(s, i) ? FREE : GONE;
    if (!still_wrong(s)) s->fate[i] = KEPT;
  }
}

/* Frees the operations one at a time, until no more can be: the ones long before the fault first. */
static void free_ops(struct shrink *s) {
  const struct part *p = s->part;
  if (kept(s) > 4 * NEAR) {
    s->minimal = false;
    return;
  }
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < p->count; i++) {
      if (s->fate[i] != KEPT || i == s->culprit) continue;
      if (late(s)) return;
      uint8_t to = op_pure(p->spec, &s->part->ops[i]) && !under_way(s, i) ? GONE : FREE;
      s->fate[i] = to;
      if (still_wrong(s))
        again = true;
      else
        s->fate[i] = KEPT;
    }
  }
}

/* A cas that failed ties all values together, and an operation whose result was not seen may be on any: without them
 * values may be dropped. */
static void drop_ties(struct shrink *s) {
  const struct part *p = s->part;
  uint8_t *before = mem_alloc(s->mem, (size_t)p->count + 1);
  memcpy(before, s->fate, p->count);
  bool any = false;
  for (uint32_t i = 0; i < p->count && spec_independent(p->spec); i++) {
    const struct op *o = &p->ops[i];
    value on[2];
    if (i == s->culprit) continue;
    if (op_pure(p->spec, o) ? op_ties(p->spec, o) : !op_pending(o) && op_values(p->spec, o, on) == ON_ANY) {
      s->fate[i] = op_pure(p->spec, o) ? GONE : FREE;
      any = true;
    }
  }
  if (any && !still_wrong(s)) memcpy(s->fate, before, p->count);
  mem_free(s->mem, before);
}

/* Is the culprit needed only because it returned what it did, whenever it happened? */
static bool wrong_by_return(struct shrink *s, size_t core) {
  if (s->culprit == UINT32_MAX || s->fate[s->culprit] != KEPT || core < 2) return false;
  bool minimal = s->minimal;
  s->fate[s->culprit] = FREE;
  bool wrong = still_wrong(s);
  s->fate[s->culprit] = KEPT;
  s->minimal = minimal;
  return wrong;
}

/* Shrinks a part that has nothing in it but what may matter. */
static void shrink_all(const struct part *p, uint32_t culprit, const struct fault *whole, struct mem *m, double seconds,
                       struct shrunk *out) {
  struct shrink s = {
      .mem = m, .part = p, .until = clock_seconds() + seconds, .minimal = true, .culprit = culprit, .fault = whole};
  s.attempt = mem_child(m);
  s.fate = mem_zero(m, (size_t)p->count + 1, 1); /* KEPT */
  drop_ties(&s);
  s.minimal = true; /* what was too much to tell is another matter now */
  drop_values(&s);
  if (culprit != UINT32_MAX) cut_before(&s, p->ops[culprit].ret);
  drop_pure(&s);
  free_ops(&s);
  *out = (struct shrunk){.start = s.start, .from = s.from, .culprit = culprit, .minimal = s.minimal};
  for (uint32_t i = 0; i < p->count; i++) {
    if (s.fate[i] == KEPT) vec_push(m, &out->core, i);
    if (s.fate[i] == FREE) vec_push(m, &out->free, i);
  }
  out->by_return = wrong_by_return(&s, out->core.count);
}

/* If the fault could not be told exactly, what was shrunk may be wrong earlier: at the last return of the core. */
static void blame_core(const struct part *p, struct shrunk *s) {
  uint32_t last = UINT32_MAX;
  for (size_t i = 0; i < s->core.count; i++) {
    uint32_t op = s->core.at[i];
    if (op == s->culprit) return;
    if (!op_pending(&p->ops[op]) && (last == UINT32_MAX || p->ops[op].ret > p->ops[last].ret)) last = op;
  }
  s->culprit = last;
}

/* What was open at the fault has the results it has in `from`: in the whole part, the ones it had later. What is wrong
 * stays so with these, and what such operations did to other values need no longer be shown: Enq(1), Enq(2), Deq() -> 2
 * instead of those with all that open dequeues might have taken. */
static void results_as_in(const struct part *from, struct part *sub, const op_list *list) {
  struct op *ops = (struct op *)sub->ops; /* part_restrict has just made them */
  for (uint32_t i = 0; i < sub->count; i++)
    if (op_pending(&ops[i])) ops[i].result = from->ops[list->at[i]].result;
}

/* Is it wrong already before the culprit returns? */
static bool wrong_before(struct part *sub, uint32_t culprit, struct mem *m) {
  struct op *o = (struct op *)&sub->ops[culprit], returned = *o;
  struct shrink s = {.mem = m, .attempt = mem_child(m), .part = sub};
  s.fate = mem_zero(m, (size_t)sub->count + 1, 1); /* KEPT */
  o->ret = NO_RETURN;
  o->result = V_UNKNOWN;
  bool wrong = still_wrong(&s);
  *o = returned;
  return wrong;
}

enum { KNOW_MOST = 200 }; /* operations: monitors do not know what open operations return, only the search does */

/* The decision's core is mostly far smaller than the part: it is taken out first, with what is on no known value and
 * might help it, a pending removal, and the answer put into the part's terms. */
void shrink_part(const struct part *part, const struct fault *f, struct mem *m, double seconds, struct shrunk *out) {
  const struct part *p = &f->prefix;
  op_list list = {0};
  value on[2];
  for (size_t i = 0; i < f->decision.core.count; i++) vec_push(m, &list, f->decision.core.at[i]);
  uint32_t pending = 2 * p->count - p->events; /* each has one event less */
  for (uint32_t i = p->count; i-- > 0 && pending;) {
    if (!op_pending(&p->ops[i])) continue;
    pending--;
    if (op_values(p->spec, &p->ops[i], on) <= 0 && !op_pure(p->spec, &p->ops[i])) vec_push(m, &list, i);
  }
  core_sort(&list);
  struct part whole = *p;
  whole.global = whole.global_event = NULL;
  struct part sub = part_restrict(&whole, m, list.at, list.count);
  uint32_t culprit = UINT32_MAX;
  for (uint32_t i = 0; i < sub.count; i++)
    if (f->exact && list.at[i] == f->culprit) culprit = i;
  bool forgets = list.count > KNOW_MOST;
  if (!forgets) results_as_in(part, &sub, &list);
  if (!forgets && culprit != UINT32_MAX && wrong_before(&sub, culprit, m)) { /* then they are another fault */
    results_as_in(p, &sub, &list);
    forgets = true;
  }
  shrink_all(&sub, culprit, sub.count == p->count ? f : NULL, m, seconds, out);
  for (size_t i = 0; i < out->core.count; i++) out->core.at[i] = list.at[out->core.at[i]];
  for (size_t i = 0; i < out->free.count; i++) out->free.at[i] = list.at[out->free.at[i]];
  out->culprit = f->culprit;
  out->forgets = forgets;
  if (f->culprit != UINT32_MAX && !f->exact) blame_core(p, out);
  out->from = out->start.count ? sub.global_event[out->from] : 0;
  assert(out->core.count); /* what nothing must happen in is linearizable */
}
