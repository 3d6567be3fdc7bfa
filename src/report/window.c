/* Which operations a large picture holds.
 *
 * A history of a million operations is not drawn whole. Around each operation of the violation the same number of
 * neighbours is kept, as many as fit; the operations that are running where such a part begins belong to it too. */
#include <stdlib.h>

#include "report/parts.h"

enum { RUNNING_MOST = 2000 };

static size_t ranges_of(struct range *out, const uint32_t *anchors, size_t count, size_t radius, size_t total,
                        size_t *operations) {
  size_t n = 0;
  *operations = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t from = (uint32_t)(anchors[i] > radius ? anchors[i] - radius : 0);
    uint32_t to = (uint32_t)(anchors[i] + radius + 1 < total ? anchors[i] + radius + 1 : total);
    if (n && from <= out[n - 1].to)
      out[n - 1].to = to > out[n - 1].to ? to : out[n - 1].to;
    else
      out[n++] = (struct range){from, to};
  }
  for (size_t i = 0; i < n; i++) *operations += out[i].to - out[i].from;
  return n;
}

/* The largest radius around the anchors that keeps at most `most` operations. */
static void around(struct window *w, struct mem *m, const uint32_t *anchors, size_t count, size_t total, size_t most) {
  size_t low = 0, high = total, operations;
  w->ranges = mem_alloc(m, (count + 1) * sizeof *w->ranges);
  while (low < high) {
    size_t middle = low + (high - low + 1) / 2;
    ranges_of(w->ranges, anchors, count, middle, total, &operations);
    if (operations <= most)
      low = middle;
    else
      high = middle - 1;
  }
  w->range_count = ranges_of(w->ranges, anchors, count, low, total, &operations);
}

/* The operation that is called at or after an event. */
static uint32_t op_at(const struct history *h, uint32_t event) {
  size_t low = 0, high = h->ops.count - 1;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (h->ops.at[middle].call < event)
      low = middle + 1;
    else
      high = middle;
  }
  return (uint32_t)low;
}

static void choose(struct window *w, struct mem *m, const struct report *r, size_t most) {
  const struct check_result *c = r->result;
  size_t total = r->history->ops.count;
  if (total <= most || c->verdict == VERDICT_HOLDS || (c->verdict == VERDICT_VIOLATED && !c->core_count)) {
    w->ranges = mem_alloc(m, sizeof *w->ranges);
    w->ranges[0] = (struct range){0, (uint32_t)(total < most ? total : most)};
    w->range_count = 1;
  } else if (c->verdict == VERDICT_VIOLATED) {
    size_t count = c->core_count, first = 0;
    if (count > most / 2) {
      for (first = 0; first < count && c->core[first] != c->culprit; first++) {}
      first = first == count ? 0 : first;
      count = most / 2;
      first = first > count ? first - count + 1 : 0;
    }
    around(w, m, c->core + first, count, total, most);
  } else {
    uint32_t stopped = op_at(r->history, c->reached);
    around(w, m, &stopped, 1, total, most);
  }
}

void window_make(struct window *w, struct mem *m, const struct report *r, size_t most) {
  *w = (struct window){0};
  choose(w, m, r, most);
  const struct op *ops = r->history->ops.at;
  VEC(uint32_t) kept = {0};
  size_t running = 0, i = 0;
  for (size_t k = 0; k < w->range_count; k++) {
    uint32_t begin = ops[w->ranges[k].from].call;
    for (; i < w->ranges[k].from; i++)
      if (ops[i].ret > begin && running++ < RUNNING_MOST) vec_push(m, &kept, (uint32_t)i);
    for (; i < w->ranges[k].to; i++) vec_push(m, &kept, (uint32_t)i);
  }
  w->ops = kept.at;
  w->count = kept.count;
}
