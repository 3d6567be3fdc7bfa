/* Kinds of pending operations: see kinds.h. */
#include "check/kinds.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct keyed {
  struct op op;
  uint32_t number;
  bool by_process;
};

static int by_kind(const struct keyed *x, const struct keyed *y) {
  if (x->op.method != y->op.method) return x->op.method < y->op.method ? -1 : 1;
  for (int i = 0; i < OP_ARGS; i++)
    if (x->op.arg[i] != y->op.arg[i]) return x->op.arg[i] < y->op.arg[i] ? -1 : 1;
  if (x->op.result != y->op.result) return x->op.result < y->op.result ? -1 : 1;
  if (x->by_process && x->op.process != y->op.process) return x->op.process < y->op.process ? -1 : 1;
  return 0;
}

static int by_kind_and_call(const void *a, const void *b) {
  const struct keyed *x = a, *y = b;
  int order = by_kind(x, y);
  return order ? order : x->number < y->number ? -1 : x->number > y->number;
}

struct ending {
  uint32_t end, kind;
};

static int by_end(const void *a, const void *b) {
  const struct ending *x = a, *y = b;
  if (x->end != y->end) return x->end < y->end ? -1 : 1;
  return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* How many are open at once, at most. */
static uint32_t most_open(const struct kinds *k, struct mem *m, const struct part *p) {
  if (!k->ending) return k->count;
  int32_t *change = mem_zero(m, (size_t)p->events + 2, sizeof *change), now = 0, most = 0;
  for (uint32_t i = 0; i < k->count; i++) {
    change[p->ops[k->ops[k->at[i].first]].call]++;
    if (k->at[i].end != NO_RETURN) change[k->at[i].end + 1]--;
  }
  for (uint32_t e = 0; e < p->events; e++) {
    now += change[e];
    if (now > most) most = now;
  }
  mem_free(m, change);
  return (uint32_t)most;
}

static void place_numbers(struct kinds *k, struct mem *m, const struct part *p) {
  uint32_t most = 1, open;
  for (uint32_t i = 0; i < k->count; i++)
    if (k->at[i].count > most) most = k->at[i].count;
  for (k->bits = 2; most >> (k->bits - 1);) k->bits++; /* the highest stays 0 */
  k->per_word = 64 / k->bits;
  open = most_open(k, m, p);
  k->words = (open + k->per_word - 1) / k->per_word;
  for (uint32_t i = 0; i < k->per_word; i++) k->highest |= (uint64_t)1 << (i * k->bits + k->bits - 1);
  k->free_fields = mem_alloc(m, ((size_t)k->words * k->per_word + 1) * sizeof *k->free_fields);
}

void kinds_build(struct kinds *k, struct mem *m, const struct part *p, const uint32_t *ends,
                 unobserved_argument *unobserved, void *self) {
  *k = (struct kinds){.count = 0};
  uint32_t pending = 2 * p->count - p->events, n = 0; /* each has one event less */
  if (!pending) return;
  struct keyed *list = mem_alloc(m, ((size_t)pending + 1) * sizeof *list);
  for (uint32_t i = 0; i < p->count; i++) {
    if (!op_pending(&p->ops[i]) || op_pure(p->spec, &p->ops[i])) continue;
    struct keyed *x = &list[n++];
    *x = (struct keyed){p->ops[i], i, p->spec->by_process};
    int a = unobserved(self, &x->op);
    if (a >= 0) x->op.arg[a] = V_UNKNOWN;
  }
  qsort(list, n, sizeof *list, by_kind_and_call);
  k->at = mem_zero(m, (size_t)n + 1, sizeof *k->at);
  k->ops = mem_alloc(m, ((size_t)n + 1) * sizeof *k->ops);
  k->open = mem_alloc(m, ((size_t)n + 1) * sizeof *k->open);
  k->by_end = mem_alloc(m, ((size_t)n + 1) * sizeof *k->by_end);
  k->of_op = mem_alloc(m, ((size_t)p->count + 1) * sizeof *k->of_op);
  memset(k->of_op, 0xff, ((size_t)p->count + 1) * sizeof *k->of_op);
  for (uint32_t i = 0; i < n; i++) {
    if (!i || by_kind(&list[i - 1], &list[i])) k->at[k->count++] = (struct kind){.op = list[i].op, .first = i};
    struct kind *x = &k->at[k->count - 1];
    uint32_t end = ends ? ends[list[i].number] : NO_RETURN;
    k->ops[i] = list[i].number;
    k->of_op[list[i].number] = k->count - 1;
    x->count++;
    if (end > x->end) x->end = end;
  }
  mem_free(m, list);
  struct ending *endings = mem_alloc(m, ((size_t)k->count + 1) * sizeof *endings);
  for (uint32_t i = 0; i < k->count; i++)
    if (k->at[i].end != NO_RETURN) endings[k->ending++] = (struct ending){k->at[i].end, i};
  qsort(endings, k->ending, sizeof *endings, by_end);
  for (uint32_t i = 0; i < k->ending; i++) k->by_end[i] = endings[i].kind;
  mem_free(m, endings);
  place_numbers(k, m, p);
}

void kinds_free(struct kinds *k, struct mem *m) {
  mem_free(m, k->at);
  mem_free(m, k->ops);
  mem_free(m, k->of_op);
  mem_free(m, k->open);
  mem_free(m, k->by_end);
  mem_free(m, k->free_fields);
  *k = (struct kinds){.count = 0};
}

void kinds_reset(struct kinds *k) {
  k->open_count = k->next_end = 0;
  for (uint32_t i = 0; i < k->count; i++) k->at[i].called = 0, k->at[i].open = false;
  k->free_count = k->words * k->per_word;
  for (uint32_t i = 0; i < k->free_count; i++) k->free_fields[i] = k->free_count - 1 - i;
}

bool kinds_call(struct kinds *k, uint32_t op) {
  struct kind *x = &k->at[k->of_op[op]];
  x->called++;
  if (x->open) return false;
  assert(k->free_count);
  uint32_t field = k->free_fields[--k->free_count];
  x->word = field / k->per_word;
  x->shift = field % k->per_word * k->bits;
  x->open = true;
  k->open[k->open_count++] = k->of_op[op];
  return true;
}

uint32_t kinds_end(struct kinds *k, uint32_t event) {
  while (k->next_end < k->ending && k->at[k->by_end[k->next_end]].end < event) {
    uint32_t which = k->by_end[k->next_end++], i = 0;
    struct kind *x = &k->at[which];
    if (!x->open) continue;
    while (k->open[i] != which) i++;
    k->open[i] = k->open[--k->open_count];
    k->free_fields[k->free_count++] = x->word * k->per_word + x->shift / k->bits;
    x->open = false;
    return which;
  }
  return UINT32_MAX;
}
