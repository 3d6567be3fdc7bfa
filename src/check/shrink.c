/* Shrinking: see shrink.h. In order:
 *   cut_after      what was called after the fault is gone; what returned after it is pending
 *   drop_values    whole values are gone, where the object is data-independent (delta debugging over values)
 *   cut_after_first   as cut_after, at the first return that cannot be now
 *   cut_before     what came long before is replaced by the configurations it may have led to
 *   drop_pure      reads and the like are gone
 *   free_ops       the rest is freed, one at a time */
#include "check/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "check/items.h"

enum { WINDOW = 48, TRY_MOST = 40000, CAPTURE_MOST = 4000000 };

enum fate { KEPT, FREE, GONE };

struct shrink {
  struct mem *mem, *attempt; /* attempt: of one still_wrong */
  const struct part *part;
  struct op *ops; /* the part's, with what returned after the fault pending */
  uint8_t *fate;  /* an operation each */
  double until;
  bool minimal;
  struct start start;
  uint32_t from;
  uint32_t culprit;
  bool forgets; /* and what they return then, too */
  uint32_t end; /* what is called after this event is gone, what returns after it pending */
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
      bool first = s->ops[i].call < s->from || (s->fate[i] == FREE && !s->start.count);
      if (first != !round) continue;
      ops[k] = s->ops[i];
      from[k] = i;
      moments[events++] = (struct moment){first ? 0 : s->fate[i] == FREE ? 1 : s->ops[i].call + 2, k << 1};
      if (s->fate[i] == KEPT && !op_pending(&s->ops[i]))
        moments[events++] = (struct moment){s->ops[i].ret + 2, k << 1 | 1};
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
  return (struct part){p->spec, p->values, sorted, n, events, NULL, NULL};
}

/* Searches what is left, from its start. */
static void search_left(struct shrink *s, const struct part *p, const uint32_t *from, uint64_t most,
                        struct decision *d) {
  struct mem *m = s->attempt;
  *d = (struct decision){.verdict = VERDICT_UNKNOWN, .culprit = UINT32_MAX};
  struct start start = s->start;
  if (start.count) { /* a free operation that was under way is no longer due */
    start.status = mem_alloc(m, (size_t)start.count * start.under_way + 1);
    memcpy(start.status, s->start.status, (size_t)start.count * start.under_way);
    for (uint32_t i = 0; i < start.count; i++)
      for (uint32_t k = 0; k < start.under_way; k++)
        if (s->fate[from[k]] == FREE && start.status[i * start.under_way + k] == STATUS_DUE)
          start.status[i * start.under_way + k] = STATUS_OPTIONAL;
  }
  search_bounded(search_new(m, p->spec), p, start.count ? &start : NULL, most, d);
}

/* Is what is left still wrong? "Too much to tell" is no. */
static bool still_wrong(struct shrink *s) {
  struct mem *m = s->attempt;
  uint32_t *from = NULL;
  struct part p = build(s, m, &from);
  struct decision d = {.verdict = VERDICT_UNKNOWN, .culprit = UINT32_MAX};
  const char *why_not;
  const struct monitor *monitor = monitor_for(p.spec);
  enum applies applies = APPLIES_NOT;
  bool any_free = false;
  for (uint32_t i = 0; i < s->part->count && !any_free; i++) any_free = s->fate[i] == FREE;
  for (uint32_t i = 0; i < p.count && !any_free;
       i++) /* monitors know nothing of what a pending operation would return */
    any_free = op_pending(&p.ops[i]) && p.ops[i].result != V_UNKNOWN && p.ops[i].result != V_NONE;
  if (!any_free && !s->start.count && monitor && monitor->decide != search_part) {
    applies = monitor->decide(&p, m, &d, &why_not);
    if (applies == APPLIES_NOT && monitor->repeated) {
      d = (struct decision){.verdict = VERDICT_UNKNOWN, .culprit = UINT32_MAX};
      applies = monitor->repeated(&p, m, &d, &why_not);
    }
  }
  if (applies == APPLIES_NOT) search_left(s, &p, from, TRY_MOST, &d);
  bool wrong = d.verdict == VERDICT_VIOLATED;
  if (d.verdict == VERDICT_UNKNOWN) s->minimal = false;
  if (wrong && d.culprit != UINT32_MAX) s->culprit = from[d.culprit];
  mem_close(m);
  return wrong;
}

/* The value an operation is on, in a data-independent object; V_NONE if on none. */
static value value_of(const struct op *o) {
  if (o->arg[0] != V_NONE) return o->arg[0];
  return value_is_small(o->result) || o->result > V_UNKNOWN ? o->result : V_NONE;
}

static void begin(struct shrink *s) {
  memset(s->fate, KEPT, s->part->count);
  memcpy(s->ops, s->part->ops, s->part->count * sizeof *s->ops);
}

static void forget_result(struct shrink *s, uint32_t i) {
  struct op *o = &s->ops[i];
  if (op_pending(o) && o->result != V_NONE && !op_pure(s->part->spec, o)) o->result = V_UNKNOWN;
}

/* What was called after the fault cannot have caused it, and what returned after it need not have happened by then. */
static void cut_at(struct shrink *s, uint32_t end) {
  if (end < s->end) s->end = end;
  for (uint32_t i = 0; i < s->part->count; i++) {
    if (s->ops[i].call > s->end) s->fate[i] = GONE;
    if (s->ops[i].ret > s->end) s->ops[i].ret = NO_RETURN;
    if (s->forgets) forget_result(s, i);
  }
}

static void cut_after(struct shrink *s, const struct decision *d) {
  const struct part *p = s->part;
  const struct monitor *monitor = monitor_for(p->spec);
  begin(s);
  if (d->culprit != UINT32_MAX) {
    cut_at(s, p->ops[d->culprit].ret);
    if (monitor &&
        monitor->decide != search_part) { /* forget what they returned later: monitors are faster than searches */
      for (uint32_t i = 0; i < p->count; i++) forget_result(s, i);
      if ((s->forgets = still_wrong(s))) return;
      for (uint32_t i = 0; i < p->count; i++) s->ops[i].result = p->ops[i].result;
    }
    if (d->prefix || still_wrong(s)) return; /* a search is sure of it */
    s->end = NO_RETURN;
    begin(s); /* a monitor may name a culprit that is not the first to be wrong: as it was, then */
  }
}

static int by_word(const void *a, const void *b) {
  value x = *(const value *)a, y = *(const value *)b;
  return x < y ? -1 : x > y;
}

/* Delta debugging: drops chunks of values, ever smaller ones, while it stays wrong. */
static void drop_values(struct shrink *s) {
  const struct part *p = s->part;
  if (!p->spec->data_independent) return;
  value *values = mem_alloc(s->mem, ((size_t)p->count + 1) * sizeof *values);
  size_t n = 0, distinct = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    if (s->fate[i] != KEPT) continue;
    if (!op_pending(&s->ops[i]) && s->ops[i].result == V_UNKNOWN) return; /* it may be on any value */
    if (value_of(&s->ops[i]) != V_NONE) values[n++] = value_of(&s->ops[i]);
  }
  qsort(values, n, sizeof *values, by_word);
  for (size_t i = 0; i < n; i++)
    if (!i || values[i] != values[i - 1]) values[distinct++] = values[i];
  uint8_t *before = mem_alloc(s->mem, (size_t)p->count + 1);
  uint8_t *dropped = mem_zero(s->mem, distinct + 1, 1);
  size_t chunk = (distinct + 1) / 2;
  while (distinct > 1 && chunk) {
    bool any = false;
    for (size_t from = 0; from < distinct; from += chunk) {
      if (late(s)) return;
      size_t to = from + chunk < distinct ? from + chunk : distinct;
      if (to - from == distinct) continue;
      memcpy(before, s->fate, p->count);
      for (uint32_t i = 0; i < p->count; i++) {
        value v = value_of(&s->ops[i]);
        if (s->fate[i] == KEPT && v != V_NONE && bsearch(&v, values + from, to - from, sizeof *values, by_word))
          s->fate[i] = GONE;
      }
      if (still_wrong(s)) {
        memset(dropped + from, 1, to - from);
        any = true;
      } else {
        memcpy(s->fate, before, p->count);
      }
    }
    size_t left = 0;
    for (size_t i = 0; i < distinct; i++)
      if (!dropped[i]) values[left++] = values[i];
    memset(dropped, 0, left);
    distinct = left;
    if (chunk > distinct)
      chunk = distinct;
    else if (!any || chunk > 1)
      chunk = chunk == 1 && !any ? 0 : (chunk + 1) / 2;
  }
  mem_free(s->mem, values);
  mem_free(s->mem, before);
  mem_free(s->mem, dropped);
}

/* With few operations left the first return that cannot be is soon found: what comes after it is cut off. */
static void cut_after_first(struct shrink *s) {
  struct decision d;
  uint32_t *from = NULL;
  struct part p = build(s, s->attempt, &from);
  s->culprit = UINT32_MAX;
  search_left(s, &p, from, p.count <= 4 * WINDOW ? TRY_MOST : 1, &d);
  if (d.verdict == VERDICT_VIOLATED) {
    s->culprit = from[d.culprit];
    cut_at(s, s->ops[s->culprit].ret);
  }
  mem_close(s->attempt);
}

static uint32_t kept(const struct shrink *s) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->part->count; i++) n += s->fate[i] == KEPT;
  return n;
}

/* Leaves about WINDOW operations before the fault, and the configurations they begin in. */
static void cut_before(struct shrink *s, uint32_t fault) {
  const struct part *p = s->part;
  if (kept(s) <= WINDOW) return;
  uint32_t most = 0, from = 0;
  /* The event with WINDOW operations returning after it; a moment with little under way is better. */
  uint32_t *rets = mem_zero(s->mem, (size_t)p->events + 1, sizeof *rets);
  for (uint32_t i = 0; i < p->count; i++)
    if (s->fate[i] == KEPT && p->ops[i].ret <= fault && !op_pending(&p->ops[i])) rets[p->ops[i].ret] = 1;
  for (from = fault; from > 0 && most < WINDOW; from--) most += rets[from];
  int32_t under_way = 0, least = INT32_MAX;
  uint32_t best = from;
  int8_t *change = mem_zero(s->mem, (size_t)p->events + 1, 1);
  for (uint32_t i = 0; i < p->count; i++) {
    if (s->fate[i] != KEPT) continue;
    change[p->ops[i].call] = 1;
    if (!op_pending(&s->ops[i])) change[s->ops[i].ret] = -1;
  }
  for (uint32_t e = 0; e < fault; e++) {
    if (e >= from && under_way < least && e + WINDOW / 4 < fault) least = under_way, best = e;
    under_way += change[e];
  }
  mem_free(s->mem, rets);
  mem_free(s->mem, change);
  uint32_t *from_op = NULL;
  struct mem *m = mem_child(s->mem);
  struct part whole = build(s, m, &from_op); /* only kept ones: events shift with what is gone */
  uint32_t event = 0;
  for (uint32_t i = 0; i < whole.count; i++) {
    if (p->ops[from_op[i]].call < best && whole.ops[i].call >= event) event = whole.ops[i].call + 1;
    if (!op_pending(&whole.ops[i]) && s->ops[from_op[i]].ret < best && whole.ops[i].ret >= event)
      event = whole.ops[i].ret + 1;
  }
  struct start start;
  if (!search_capture(search_new(m, p->spec), &whole, event, CAPTURE_MOST, s->mem, &start)) {
    mem_close(m);
    s->minimal = false;
    return;
  }
  /* Operations that are pending and pure were never opened: they are gone anyway. */
  uint8_t *before = mem_alloc(s->mem, (size_t)p->count + 1);
  memcpy(before, s->fate, p->count);
  for (uint32_t i = 0; i < p->count; i++) {
    if (s->fate[i] != KEPT) continue;
    bool over = s->ops[i].ret < best && !op_pending(&s->ops[i]);
    if (over || (p->ops[i].call < best && op_pending(&s->ops[i]) && op_pure(p->spec, &s->ops[i]))) s->fate[i] = GONE;
  }
  s->start = start;
  s->from = best;
  mem_close(m);
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
    if (s->fate[i] != KEPT || i == s->culprit || !op_pure(p->spec, &s->ops[i])) continue;
    s->fate[i] = under_way(s, i) ? FREE : GONE;
    if (!still_wrong(s)) s->fate[i] = KEPT;
  }
}

/* Frees the operations one at a time, until no more can be: the ones long before the fault first. */
static void free_ops(struct shrink *s) {
  const struct part *p = s->part;
  if (kept(s) > 4 * WINDOW) {
    s->minimal = false;
    return;
  }
  for (bool again = true; again;) {
    again = false;
    for (uint32_t i = 0; i < p->count; i++) {
      if (s->fate[i] != KEPT) continue;
      if (late(s)) return;
      uint8_t to = op_pure(p->spec, &s->ops[i]) && !under_way(s, i) ? GONE : FREE;
      s->fate[i] = to;
      if (still_wrong(s))
        again = true;
      else
        s->fate[i] = KEPT;
    }
  }
}

/* Shrinks a part that has nothing in it but what may matter. */
static void shrink_all(const struct part *p, const struct decision *d, struct mem *m, double seconds,
                       struct shrunk *out) {
  struct shrink s = {.mem = m,
                     .part = p,
                     .until = clock_seconds() + seconds,
                     .minimal = true,
                     .culprit = d->culprit,
                     .end = NO_RETURN};
  s.attempt = mem_child(m);
  s.ops = mem_alloc(m, ((size_t)p->count + 1) * sizeof *s.ops);
  memcpy(s.ops, p->ops, p->count * sizeof *s.ops);
  s.fate = mem_zero(m, (size_t)p->count + 1, 1);
  cut_after(&s, d);
  s.minimal = true; /* what was too much to tell is another matter now */
  drop_values(&s);
  cut_after_first(&s);
  if (s.culprit == UINT32_MAX) s.culprit = d->culprit;
  if (s.culprit != UINT32_MAX) cut_before(&s, p->ops[s.culprit].ret);
  drop_pure(&s);
  free_ops(&s);
  cut_after_first(&s);
  *out = (struct shrunk){
      .start = s.start, .from = s.from, .end = s.end, .forgets = s.forgets, .culprit = s.culprit, .minimal = s.minimal};
  for (uint32_t i = 0; i < p->count; i++) {
    if (s.fate[i] == KEPT) vec_push(m, &out->core, i);
    if (s.fate[i] == FREE) vec_push(m, &out->free, i);
  }
}

/* The decision's core is mostly far smaller than the part: it is taken out first, with what is on no known value and
 * might help it, a pending removal, and the answer put into the part's terms. */
void shrink_part(const struct part *p, const struct decision *d, struct mem *m, double seconds, struct shrunk *out) {
  op_list list = {0};
  for (size_t i = 0; i < d->core.count; i++) vec_push(m, &list, d->core.at[i]);
  uint32_t pending = 2 * p->count - p->events; /* each has one event less */
  for (uint32_t i = p->count; i-- > 0 && pending;) {
    pending -= op_pending(&p->ops[i]);
    if (op_pending(&p->ops[i]) && value_of(&p->ops[i]) == V_NONE && !op_pure(p->spec, &p->ops[i]))
      vec_push(m, &list, i);
  }
  core_sort(&list);
  struct part whole = *p;
  whole.global = whole.global_event = NULL;
  struct part sub = part_restrict(&whole, m, list.at, list.count);
  struct decision inner = {.verdict = VERDICT_VIOLATED, .culprit = UINT32_MAX, .prefix = d->prefix};
  for (uint32_t i = 0; i < sub.count; i++) {
    vec_push(m, &inner.core, i);
    if (list.at[i] == d->culprit) inner.culprit = i;
  }
  shrink_all(&sub, &inner, m, seconds, out);
  for (size_t i = 0; i < out->core.count; i++) out->core.at[i] = list.at[out->core.at[i]];
  for (size_t i = 0; i < out->free.count; i++) out->free.at[i] = list.at[out->free.at[i]];
  if (out->culprit != UINT32_MAX) out->culprit = list.at[out->culprit];
  if (out->end != NO_RETURN) out->end = sub.global_event[out->end];
  out->from = out->start.count ? sub.global_event[out->from] : 0;
}
