/* Machine of priority queues: a binary heap. Small integers are compared as numbers, others by value_compare. */
#include "spec/common.h"

struct heap {
  struct mem *mem;
  const struct values *values;
  VEC(value) items; /* each no later than its children 2i+1 and 2i+2 */
  size_t most;
  bool greatest; /* greatest first */
};

void *machine_heap_new(const struct spec *s, struct mem *m) {
  struct heap *h = mem_zero(m, 1, sizeof *h);
  h->mem = m;
  h->values = s->values;
  h->most = s->param ? s->k : SIZE_MAX;
  h->greatest = s->step == spec_max_priority_queue.step;
  return h;
}

static bool before(const struct heap *h, value a, value b) {
  int c = value_is_small(a) && value_is_small(b) ? (value_small(a) > value_small(b)) - (value_small(a) < value_small(b))
                                                 : value_compare(h->values, a, b);
  return h->greatest ? c > 0 : c < 0;
}

static void insert(struct heap *h, value v) {
  vec_push(h->mem, &h->items, v);
  size_t i = h->items.count - 1;
  for (size_t up; i && before(h, v, h->items.at[up = (i - 1) / 2]); i = up) h->items.at[i] = h->items.at[up];
  h->items.at[i] = v;
}

static void remove_first(struct heap *h) {
  size_t n = --h->items.count, i = 0;
  value v = h->items.at[n], *at = h->items.at;
  for (size_t child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && before(h, at[child + 1], at[child])) child++;
    if (!before(h, at[child], v)) break;
    at[i] = at[child];
  }
  if (n) at[i] = v;
}

bool machine_heap_apply(void *machine, const struct op *o) {
  struct heap *h = machine;
  bool unknown = o->result == V_UNKNOWN;
  if (o->method == 0) {
    if (h->items.count >= h->most) return unknown || o->result == V_FULL;
    if (!unknown && o->result != V_NONE) return false;
    insert(h, o->arg[0]);
    return true;
  }
  if (!h->items.count) return unknown || o->result == V_EMPTY;
  if (!unknown && o->result != h->items.at[0]) return false;
  remove_first(h);
  return true;
}
