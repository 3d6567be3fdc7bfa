/* Interval orders, by their definitions: see order.h. */
#include "approx/order.h"

#include <assert.h>
#include <string.h>

/* The order as a matrix: before[a * count + b] iff a is before b. */
static bool *matrix_of(struct mem *m, const struct interval_order *o) {
  bool *before = mem_zero(m, (size_t)o->count * o->count + 1, sizeof *before);
  for (size_t a = 0; a < o->count; a++)
    for (size_t b = 0; b < o->count; b++) before[a * o->count + b] = o->to[a] < o->from[b];
  return before;
}

/* Lemma 6.2: from the pasts. They are linearly ordered by inclusion (Lemma 6.1), so a past is as good as its size, and
 * they are numbered 0, 1, ..., length by size. An operation begins with its own past: i is the number of pasts strictly
 * inside it. (The printed i, the number of pasts *of operations before o*, is less where nothing before o has one of
 * those pasts: a long operation may be alone in having it.) It ends with the last past that it is not in: j =
 * |{past(o') : not o < o'}| - 1. */
static void canonical_of(struct mem *m, const bool *before, struct interval_order *o) {
  uint32_t n = o->count;
  uint32_t *past = mem_zero(m, (size_t)n + 1, sizeof *past);     /* sizes, an operation each */
  uint32_t *number = mem_zero(m, (size_t)n + 1, sizeof *number); /* of the past of a size */
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) past[b] += before[a * n + b];
  for (uint32_t b = 0; b < n; b++) number[past[b]] = 1;
  uint32_t pasts = 0;
  for (uint32_t size = 0; size < n; size++) {
    uint32_t there = number[size];
    number[size] = pasts;
    pasts += there;
  }
  for (size_t a = 0; a < n; a++) {
    o->from[a] = o->to[a] = number[past[a]];
    for (size_t b = 0; b < n; b++)
      if (!before[a * n + b] && number[past[b]] > o->to[a]) o->to[a] = number[past[b]];
  }
  o->length = pasts ? pasts - 1 : 0;
  mem_free(m, past);
  mem_free(m, number);
}

void order_canonical(struct mem *m, struct interval_order *o) {
  bool *before = matrix_of(m, o);
  canonical_of(m, before, o);
  mem_free(m, before);
}

static void open_order(struct mem *m, uint32_t count, struct interval_order *o) {
  *o = (struct interval_order){.count = count};
  o->from = mem_zero(m, (size_t)count + 1, sizeof *o->from);
  o->to = mem_zero(m, (size_t)count + 1, sizeof *o->to);
}

void order_of(struct mem *m, const struct history *h, struct interval_order *o) {
  open_order(m, (uint32_t)h->ops.count, o);
  for (size_t i = 0; i < h->ops.count; i++) {
    o->from[i] = h->ops.at[i].call;
    o->to[i] = h->ops.at[i].ret; /* NO_RETURN is after everything */
  }
  order_canonical(m, o);
}

void order_approx(struct mem *m, const struct interval_order *o, uint32_t k, struct interval_order *out) {
  bool *before = matrix_of(m, o);
  for (size_t a = 0; a < o->count; a++)
    for (size_t b = 0; b < o->count; b++) before[a * o->count + b] &= (uint64_t)o->length < (uint64_t)k + o->from[b];
  open_order(m, o->count, out);
  canonical_of(m, before, out);
  mem_free(m, before);
}

struct weaker {
  const struct history *h1, *h2;
  const struct interval_order *o1, *o2;
  uint32_t *g; /* O2 -> O1 */
  bool *taken; /* of O1 */
};

/* f1(g(o)) << f2(o): the same, or pending in the weaker one. */
static bool labels_fit(const struct op *a, const struct op *b) {
  if (a->method != b->method || a->object != b->object || memcmp(a->arg, b->arg, sizeof a->arg)) return false;
  return op_pending(a) || (!op_pending(b) && a->result == b->result);
}

static bool orders_fit(const struct weaker *w, uint32_t o, uint32_t as) {
  for (uint32_t p = 0; p < o; p++) {
    uint32_t q = w->g[p];
    if (w->o1->to[q] < w->o1->from[as] && !(w->o2->to[p] < w->o2->from[o])) return false;
    if (w->o1->to[as] < w->o1->from[q] && !(w->o2->to[o] < w->o2->from[p])) return false;
  }
  return true;
}

/* Finds a place in O1 for operation o of O2 and all after it; its own index first, as what was weakened has its
 * operations in place. */
static bool match_from(struct weaker *w, uint32_t o) {
  uint32_t n = w->o1->count;
  if (o == w->o2->count) {
    for (uint32_t i = 0; i < n; i++)
      if (!w->taken[i] && !op_pending(&w->h1->ops.at[i])) return false;
    return true;
  }
  for (uint32_t t = 0; t < n; t++) {
    uint32_t as = (o + t) % n;
    if (w->taken[as] || !labels_fit(&w->h1->ops.at[as], &w->h2->ops.at[o]) || !orders_fit(w, o, as)) continue;
    w->taken[as] = true;
    w->g[o] = as;
    if (match_from(w, o + 1)) return true;
    w->taken[as] = false;
  }
  return false;
}

bool order_weaker(struct mem *m, const struct history *h1, const struct interval_order *o1, const struct history *h2,
                  const struct interval_order *o2) {
  struct weaker w = {.h1 = h1, .h2 = h2, .o1 = o1, .o2 = o2};
  if (o2->count > o1->count) return false; /* no injection */
  w.g = mem_zero(m, (size_t)o2->count + 1, sizeof *w.g);
  w.taken = mem_zero(m, (size_t)o1->count + 1, sizeof *w.taken);
  bool weaker = match_from(&w, 0);
  mem_free(m, w.g);
  mem_free(m, w.taken);
  return weaker;
}

/* A process for the operation of h that no earlier one of it overlaps: its own, or a new one. */
static uint32_t process_of(const struct history *h, const struct interval_order *o, struct history *r, size_t i) {
  const char *name = names_at(h->processes, h->ops.at[i].process);
  for (size_t j = 0; j < i; j++) {
    if (h->ops.at[j].process != h->ops.at[i].process || o->to[j] < o->from[i] || o->to[i] < o->from[j]) continue;
    struct text t;
    text_open(&t, r->mem);
    text_printf(&t, "%s.%zu", name, i);
    return names_intern(r->processes, text_string(&t), t.count);
  }
  return h->ops.at[i].process;
}

struct history *order_history(struct mem *m, const struct history *h, const struct interval_order *o) {
  assert(o->count == h->ops.count);
  struct history *r = history_new(m, h->source);
  for (uint32_t p = 0; p < names_count(h->processes); p++) {
    const char *name = names_at(h->processes, p);
    names_intern(r->processes, name, strlen(name));
  }
  r->values = h->values;
  r->objects = h->objects;
  r->methods = h->methods;
  r->object_type = h->object_type;
  r->echoes = h->echoes;
  for (size_t i = 0; i < h->ops.count; i++) {
    const struct op *x = &h->ops.at[i];
    int64_t end = op_pending(x) ? INT64_MAX : 2 * (int64_t)o->to[i] + 1;
    history_interval(r, process_of(h, o, r, i), x->object, x->method, x->arg, OP_ARGS, x->result,
                     2 * (int64_t)o->from[i], end, x->line);
  }
  history_finish(r);
  return r;
}
