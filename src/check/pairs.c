/* Containers without a monitor: what two values at a time tell.
 *
 * In a data-independent object the operations on any two values form a history of their own, right if the whole is. It
 * has a handful of operations and is decided at once. Where two insertions overlap it is decided twice, once with each
 * first: if only one way works, every linearization of the whole goes that way; if none does, the two values are a
 * violation. A search for the whole that knows these orders seldom guesses wrong. Where it still cannot tell, small
 * groups of values inserted one after the other are looked at in the same way: three or more may be wrong where no two
 * are. */
#include <stdlib.h>
#include <string.h>

#include "check/decide.h"
#include "check/items.h"

enum { GROUP_MOST = 6, PAIR_MOST = 2000, DIVE_MOST = 400000, WINDOW = 6, WINDOW_MOST = 20000 };

struct by_value {
  value value;
  uint32_t op;
};

struct group {          /* the operations on one value */
  uint32_t from, count; /* in `list` */
  uint32_t put;         /* the first insertion */
  uint32_t puts;
};

struct pairs {
  struct mem *mem, *attempt;
  const struct part *part;
  struct by_value *list;
  VEC(struct group) groups; /* by the insertions' calls */
  VEC(struct known_order) known;
};

static int by_value(const void *a, const void *b) {
  const struct by_value *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return x->op < y->op ? -1 : x->op > y->op;
}

static int by_put(const void *a, const void *b) {
  const struct group *x = a, *y = b;
  return x->put < y->put ? -1 : x->put > y->put;
}

static int by_then(const void *a, const void *b) {
  const struct known_order *x = a, *y = b;
  if (x->then != y->then) return x->then < y->then ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

/* The values' groups; false where the method does not fit: a result not observed, a value with many operations. */
static bool find_groups(struct pairs *x) {
  const struct part *p = x->part;
  uint32_t n = 0;
  x->list = mem_alloc(x->mem, ((size_t)p->count + 1) * sizeof *x->list);
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    value on[2];
    if (op_pure(p->spec, o)) continue;
    int count = op_values(p->spec, o, on);
    if (count == ON_ANY && !op_pending(o)) return false;
    if (count == 1) x->list[n++] = (struct by_value){on[0], i};
  }
  qsort(x->list, n, sizeof *x->list, by_value);
  for (uint32_t i = 0, k; i < n; i = k) {
    for (k = i; k < n && x->list[k].value == x->list[i].value; k++) {}
    if (k - i > GROUP_MOST) return false;
    struct group g = {i, k - i, UINT32_MAX, 0};
    for (uint32_t j = i; j < k; j++)
      if (p->ops[x->list[j].op].arg[0] != V_NONE && !g.puts++) g.put = x->list[j].op;
    if (g.put == UINT32_MAX) g.put = x->list[i].op; /* removed, never inserted: wrong by itself */
    vec_push(x->mem, &x->groups, g);
  }
  if (x->groups.count) qsort(x->groups.at, x->groups.count, sizeof *x->groups.at, by_put);
  return true;
}

/* The operations on some values, with the pending ones that may be on any, as a part. */
static struct part project(struct pairs *x, const struct group *groups, size_t count, op_list *ops) {
  const struct part *p = x->part;
  value on[2];
  ops->count = 0;
  for (size_t g = 0; g < count; g++)
    for (uint32_t i = 0; i < groups[g].count; i++) vec_push(x->mem, ops, x->list[groups[g].from + i].op);
  for (uint32_t i = 0; i < p->count; i++)
    if (op_pending(&p->ops[i]) && op_values(p->spec, &p->ops[i], on) != 1 && !op_pure(p->spec, &p->ops[i]))
      vec_push(x->mem, ops, i);
  core_sort(ops);
  return part_restrict(p, x->attempt, ops->at, ops->count);
}

static enum verdict decide(struct pairs *x, const struct part *p, uint64_t most) {
  struct decision d = {.verdict = VERDICT_UNKNOWN, .culprit = UINT32_MAX};
  search_bounded(search_new(x->attempt, p->spec), p, NULL, most, &d);
  return d.verdict;
}

static void say_violated(struct pairs *x, const op_list *ops, struct decision *d) {
  d->verdict = VERDICT_VIOLATED;
  d->culprit = UINT32_MAX; /* a search that gave up may have left one */
  d->core.count = 0;
  for (size_t i = 0; i < ops->count; i++) vec_push(x->mem, &d->core, ops->at[i]);
}

/* Two values whose insertions overlap: in which orders can they go in? False if in none. */
static bool try_pair(struct pairs *x, const struct group *a, const struct group *b, op_list *ops, struct decision *d) {
  struct group both[2] = {*a, *b};
  struct part p = project(x, both, 2, ops);
  uint32_t first = 0, then = 0;
  for (size_t i = 0; i < ops->count; i++) {
    if (ops->at[i] == a->put) first = (uint32_t)i;
    if (ops->at[i] == b->put) then = (uint32_t)i;
  }
  bool can[2] = {true, true};
  for (int way = 0; way < 2; way++) {
    struct known_order order = way ? (struct known_order){then, first} : (struct known_order){first, then};
    struct decision one = {.verdict = VERDICT_UNKNOWN, .culprit = UINT32_MAX};
    struct search *s = search_new(x->attempt, p.spec);
    search_know(s, &order, 1);
    search_bounded(s, &p, NULL, PAIR_MOST, &one);
    can[way] = one.verdict != VERDICT_VIOLATED;
  }
  mem_close(x->attempt);
  if (!can[0] && !can[1]) {
    say_violated(x, ops, d);
    return false;
  }
  if (!can[1]) vec_push(x->mem, &x->known, ((struct known_order){a->put, b->put}));
  if (!can[0]) vec_push(x->mem, &x->known, ((struct known_order){b->put, a->put}));
  return true;
}

/* Of a value inserted twice it is not told which insertion came first: the search takes equal operations in one order.
 */
static bool one_put(const struct pairs *x, const struct group *g) {
  return g->puts == 1 && !op_pending(&x->part->ops[g->put]);
}

/* All overlapping pairs; false if one is a violation. */
static bool try_pairs(struct pairs *x, struct decision *d) {
  const struct part *p = x->part;
  op_list ops = {0};
  for (size_t i = 0; i < x->groups.count; i++) {
    const struct group *a = &x->groups.at[i];
    if (!one_put(x, a)) continue;
    for (size_t k = i + 1; k < x->groups.count && p->ops[x->groups.at[k].put].call < p->ops[a->put].ret; k++) {
      if (!one_put(x, &x->groups.at[k])) continue;
      mem_poll(x->mem);
      if (!try_pair(x, a, &x->groups.at[k], &ops, d)) return false;
    }
  }
  if (x->known.count) qsort(x->known.at, x->known.count, sizeof *x->known.at, by_then);
  return true;
}

/* A search that knows orders which come of later events says wrong before it shows: the core is everything. */
static enum applies searched(struct pairs *x, struct decision *d) {
  if (d->verdict != VERDICT_VIOLATED) return APPLIES;
  d->culprit = UINT32_MAX;
  d->prefix = false;
  d->core.count = 0;
  for (uint32_t i = 0; i < x->part->count; i++) vec_push(x->mem, &d->core, i);
  return APPLIES;
}

/* Values inserted one after the other, a few at a time; false if some are a violation. */
static bool try_windows(struct pairs *x, struct decision *d) {
  op_list ops = {0};
  for (size_t i = 0; i < x->groups.count; i += WINDOW / 2) {
    size_t n = x->groups.count - i < WINDOW ? x->groups.count - i : WINDOW;
    mem_poll(x->mem);
    struct part p = project(x, &x->groups.at[i], n, &ops);
    enum verdict v = decide(x, &p, WINDOW_MOST);
    mem_close(x->attempt);
    if (v != VERDICT_VIOLATED) continue;
    say_violated(x, &ops, d);
    return false;
  }
  return true;
}

enum applies pairs_bounded(const struct part *p, struct mem *m, uint64_t most, struct decision *d) {
  struct pairs x = {.mem = m, .attempt = mem_child(m), .part = p};
  if (!p->spec->data_independent || p->spec->keyed || !find_groups(&x)) return APPLIES_NOT;
  if (!try_pairs(&x, d)) return APPLIES;
  struct search *s = search_new(m, p->spec);
  search_know(s, x.known.at, (uint32_t)x.known.count);
  search_narrow(s, 2);
  search_bounded(s, p, NULL, most && most < DIVE_MOST ? most : DIVE_MOST, d);
  if (d->verdict != VERDICT_UNKNOWN) return searched(&x, d);
  if (!try_windows(&x, d)) return APPLIES;
  *d = (struct decision){.verdict = VERDICT_UNKNOWN, .culprit = UINT32_MAX, .configurations = d->configurations};
  search_bounded(s, p, NULL, most, d);
  return searched(&x, d);
}
