/* Priority queue with distinct values, in time n log n.
 *
 * A value may leave when nothing that goes before it is inside. Take the values in the order the queue prefers. Those
 * before v are certainly inside in some gaps; in every other gap they can all be out at once (what lies left of such
 * a gap can have left by then, what lies right can come after). So the history is right iff each taken v has a gap for
 * its removal in which no value before it is certainly inside, and each `empty` a gap in which no value at all is.
 *
 * The gaps that the values so far leave uncovered are kept as a set (gaps.h): each gap leaves it once.
 * Letting each value leave at its earliest such gap never keeps it inside where nothing before it was: so the gaps
 * covered stay the same, and the choices fit together into a linearization.
 *
 * Pending removals: as for the stack. */
#include <stdlib.h>
#include <string.h>

#include "check/gaps.h"
#include "check/items.h"

struct ranked {  /* an item in the order of the values, with what is asked of it, so that memory is walked in order */
  uint32_t rank; /* from the value's bits, for sorting */
  uint32_t item;
  uint32_t put_ret, take_call, take_ret, take; /* the item's */
};

/* Sorts by rank: bytes from the lowest, as many as the ranks need. */
static void sort_ranked(struct mem *m, struct ranked *list, uint32_t n, uint32_t most) {
  struct ranked *other = mem_alloc(m, ((size_t)n + 1) * sizeof *other), *from = list, *to = other;
  for (int shift = 0; shift < 32 && (shift == 0 || most >> shift); shift += 11) {
    uint32_t start[2049] = {0};
    for (uint32_t i = 0; i < n; i++) start[(from[i].rank >> shift & 2047) + 1]++;
    for (int b = 0; b < 2048; b++) start[b + 1] += start[b];
    for (uint32_t i = 0; i < n; i++) to[start[from[i].rank >> shift & 2047]++] = from[i];
    struct ranked *swap = from;
    from = to;
    to = swap;
  }
  if (from != list) memcpy(list, from, n * sizeof *list);
  mem_free(m, other);
}

struct context {
  const struct values *values;
  const struct part *part;
  const struct items *items;
};

static int by_value(const void *a, const void *b, void *context) {
  const struct context *c = context;
  const struct ranked *x = a, *y = b;
  return value_compare(c->values, c->part->ops[c->items->at[x->item].put].arg[0],
                       c->part->ops[c->items->at[y->item].put].arg[0]);
}

/* The items in the order of their values, or backwards where the largest goes first. */
static struct ranked *rank_items(const struct part *p, struct mem *m, const struct items *t) {
  struct ranked *list = mem_alloc(m, ((size_t)t->count + 1) * sizeof *list);
  bool small = true;
  uint32_t most = 0;
  for (uint32_t i = 0; i < t->count; i++) {
    value v = p->ops[t->at[i].put].arg[0];
    small &= value_is_small(v);
    const struct item *it = &t->at[i];
    list[i] =
        (struct ranked){(uint32_t)value_small(v) + 1073741824u, i, it->put_ret, it->take_call, it->take_ret, it->take};
    if (small && list[i].rank > most) most = list[i].rank;
  }
  if (small && most) {
    uint32_t least = most;
    for (uint32_t i = 0; i < t->count; i++)
      if (list[i].rank < least) least = list[i].rank;
    for (uint32_t i = 0; i < t->count; i++) list[i].rank -= least;
    sort_ranked(m, list, t->count, most - least);
  } else {
    struct context c = {p->values, p, t};
    qsort_r(list, t->count, sizeof *list, by_value, &c);
  }
  if (p->spec->greatest_first)
    for (uint32_t i = 0, j = t->count; i + 1 < j; i++) {
      struct ranked swap = list[i];
      list[i] = list[--j];
      list[j] = swap;
    }
  return list;
}

/* Adds to the core what keeps gaps [from, to] covered by items before `rank` in the list. */
static void add_cover(struct mem *m, const struct items *t, const struct ranked *list, uint32_t rank, uint32_t from,
                      uint32_t to, op_list *core) {
  struct items before = *t;
  before.at = mem_alloc(m, ((size_t)rank + 1) * sizeof *before.at);
  before.count = 0;
  for (uint32_t i = 0; i < rank; i++) {
    if (list[i].put_ret <= to && list[i].take_call > from) before.at[before.count++] = t->at[list[i].item];
  }
  items_cover(m, &before, from, to, core);
  mem_free(m, before.at);
}

/* In a gap: removals in the order of the values, each just after its own insertion if that is in the same gap; then the
 * empties; then insertions. The items of a gap are in a list, made from the last value to the first; the gaps are
 * walked in order, and their items were inserted about then, so memory is walked in order too. */
static void emit(const struct part *p, struct mem *m, const struct items *t, const struct ranked *list,
                 const uint32_t *leave, const uint32_t *empty_gap, struct decision *d) {
  size_t gaps = (size_t)p->events + 1, bytes = gaps * sizeof(uint32_t);
  uint32_t *leaves = memset(mem_alloc(m, bytes), 0xff, bytes), *enters = memset(mem_alloc(m, bytes), 0xff, bytes);
  uint32_t *next_leave = mem_alloc(m, ((size_t)t->count + 1) * sizeof *next_leave);
  uint32_t *next_enter = mem_alloc(m, ((size_t)t->count + 1) * sizeof *next_enter);
  uint32_t *empties = memset(mem_alloc(m, bytes), 0xff, bytes);
  uint32_t *next_empty = mem_alloc(m, ((size_t)t->empty_count + 1) * sizeof *next_empty);
  for (uint32_t i = t->count; i-- > 0;) {
    uint32_t x = list[i].item, last = list[i].put_ret == NEVER ? p->events : list[i].put_ret - 1;
    if (leave[i] < p->events) {
      next_leave[x] = leaves[leave[i]];
      leaves[leave[i]] = x;
    }
    next_enter[x] = NEVER - 1; /* inserted where it is removed */
    if (last >= leave[i]) continue;
    next_enter[x] = enters[last];
    enters[last] = x;
  }
  for (uint32_t i = t->empty_count; i-- > 0;) {
    next_empty[i] = empties[empty_gap[i]];
    empties[empty_gap[i]] = i;
  }
  vec_reserve(m, &d->order, (size_t)p->count + 1);
  for (size_t g = 0; g < gaps; g++) {
    for (uint32_t x = leaves[g]; x != NEVER; x = next_leave[x]) {
      if (next_enter[x] == NEVER - 1) vec_push(m, &d->order, t->at[x].put);
      vec_push(m, &d->order, t->at[x].take);
    }
    for (uint32_t i = empties[g]; i != NEVER; i = next_empty[i]) vec_push(m, &d->order, t->empty[i]);
    for (uint32_t x = enters[g]; x != NEVER; x = next_enter[x]) vec_push(m, &d->order, t->at[x].put);
  }
  mem_free(m, leaves);
  mem_free(m, enters);
  mem_free(m, next_leave);
  mem_free(m, next_enter);
  mem_free(m, empties);
  mem_free(m, next_empty);
}

enum { AHEAD = 16 }; /* items, of which the gaps are asked for: values are in no order of time */

static void decide(const struct part *p, struct mem *m, const struct items *t, const uint32_t *events,
                   struct decision *d) {
  (void)events;
  d->core.count = d->order.count = 0;
  d->verdict = VERDICT_HOLDS;
  struct ranked *list = rank_items(p, m, t);
  struct gaps uncovered;
  gaps_open(&uncovered, m, p->events + 1); /* the last is after everything, and never covered */
  uint32_t *leave = mem_alloc(m, ((size_t)t->count + 1) * sizeof *leave);
  uint32_t *empty_gap = mem_alloc(m, ((size_t)t->empty_count + 1) * sizeof *empty_gap);
  for (uint32_t i = 0; i < t->count; i++) {
    const struct ranked *it = &list[i];
    if (i + AHEAD < t->count) gaps_fetch(&uncovered, it[AHEAD].take_call, it[AHEAD].put_ret);
    leave[i] = p->events;
    if (it->take != NEVER) {
      uint32_t gap = gaps_next(&uncovered, it->take_call);
      if (gap >= it->take_ret && it->take_ret != NEVER) {
        d->verdict = VERDICT_VIOLATED;
        d->culprit = it->take;
        core_add_item(m, &d->core, &t->at[it->item]);
        add_cover(m, t, list, i, it->take_call, it->take_ret - 1, &d->core);
        break;
      }
      leave[i] = gap;
    }
    uint32_t until = it->take_call == NEVER ? p->events : it->take_call;
    if (it->put_ret < until) gaps_remove(&uncovered, it->put_ret, until);
  }
  for (uint32_t i = 0; i < t->empty_count && d->verdict == VERDICT_HOLDS; i++) {
    const struct op *o = &p->ops[t->empty[i]];
    empty_gap[i] = gaps_next(&uncovered, o->call);
    if (empty_gap[i] < o->ret) continue;
    d->verdict = VERDICT_VIOLATED;
    d->culprit = t->empty[i];
    vec_push(m, &d->core, t->empty[i]);
    add_cover(m, t, list, t->count, o->call, o->ret - 1, &d->core);
  }
  core_sort(&d->core);
  if (d->verdict == VERDICT_HOLDS && !p->verdict_only) emit(p, m, t, list, leave, empty_gap, d);
  mem_free(m, list);
  gaps_close(&uncovered, m);
  mem_free(m, leave);
  mem_free(m, empty_gap);
}

enum applies fast_priority_queue(const struct part *p, struct mem *m, struct decision *d, const char **why_not) {
  struct items t;
  if (items_build(p, m, &t, d, why_not) == APPLIES_NOT) return APPLIES_NOT;
  if (d->verdict == VERDICT_VIOLATED) return APPLIES;
  return items_match_pending(p, m, &t, NULL, decide, d, why_not);
}
