/* Parts: see part.h. */
#include "check/part.h"

#include <assert.h>
#include <string.h>

void part_events_into(const struct part *p, uint32_t *events) {
  for (uint32_t i = 0; i < p->count; i++) {
    events[p->ops[i].call] = i << 1;
    if (!op_pending(&p->ops[i])) events[p->ops[i].ret] = i << 1 | 1;
  }
}

uint32_t *part_events(const struct part *p, struct mem *m) {
  uint32_t *events = mem_alloc(m, ((size_t)p->events + 1) * sizeof *events);
  part_events_into(p, events);
  return events;
}

bool order_gaps(const struct part *p, const uint32_t *order, size_t count, uint32_t *gap) {
  uint32_t now = 0;
  for (size_t i = 0; i < count; i++) {
    const struct op *o = &p->ops[order[i]];
    if (o->call > now) now = o->call;
    if (now >= o->ret) return false;
    gap[i] = now;
  }
  return true;
}

struct part part_restrict(const struct part *p, struct mem *m, const uint32_t *ops, size_t count) {
  struct op *copy = mem_alloc(m, (count + 1) * sizeof *copy);
  uint32_t *global = mem_alloc(m, (count + 1) * sizeof *global);
  uint32_t *global_event = mem_alloc(m, (count * 2 + 1) * sizeof *global_event);
  /* Merge the calls, which come in order, with the returns, sorted by a heap of those that are open. */
  struct open {
    uint32_t ret, op;
  } *heap = mem_alloc(m, (count + 2) * sizeof *heap);
  size_t open = 0;
  uint32_t events = 0;
  for (size_t i = 0; i <= count; i++) {
    assert(!i || i == count || ops[i - 1] < ops[i]);
    uint32_t call = i < count ? p->ops[ops[i]].call : NO_RETURN;
    while (open && heap[1].ret < call) {
      global_event[events] = p->global_event ? p->global_event[heap[1].ret] : heap[1].ret;
      copy[heap[1].op].ret = events++;
      struct open x = heap[open--];
      size_t at = 1, child;
      for (; (child = at * 2) <= open; at = child) {
        if (child < open && heap[child + 1].ret < heap[child].ret) child++;
        if (heap[child].ret >= x.ret) break;
        heap[at] = heap[child];
      }
      heap[at] = x;
    }
    if (i == count) break;
    copy[i] = p->ops[ops[i]];
    global[i] = p->global ? p->global[ops[i]] : ops[i];
    global_event[events] = p->global_event ? p->global_event[call] : call;
    copy[i].call = events++;
    if (op_pending(&copy[i])) continue;
    size_t at = ++open;
    for (; at > 1 && heap[at / 2].ret > copy[i].ret; at /= 2) heap[at] = heap[at / 2];
    heap[at] = (struct open){copy[i].ret, (uint32_t)i};
  }
  mem_free(m, heap);
  assert(!open && events <= 2 * count);
  return (struct part){p->spec, p->values, copy, (uint32_t)count, events, global, global_event, 0, p->verdict_only};
}

uint32_t part_quiet_before(const struct part *p, struct mem *m, uint32_t event, const uint8_t *left_out) {
  int8_t *change = mem_zero(m, (size_t)p->events + 1, 1); /* of how many are under way */
  for (uint32_t i = 0; i < p->count; i++) {
    if (left_out && left_out[i]) continue;
    change[p->ops[i].call] = 1;
    if (!op_pending(&p->ops[i])) change[p->ops[i].ret] = -1;
  }
  uint32_t from = event, returned = 0;
  for (; from > 0 && returned < NEAR; from--) returned += change[from] < 0;
  int32_t under_way = 0, least = INT32_MAX;
  uint32_t best = from;
  for (uint32_t e = 0; e < event; e++) {
    if (e >= from && under_way < least && e + NEAR / 4 < event) least = under_way, best = e;
    under_way += change[e];
  }
  mem_free(m, change);
  return best;
}
