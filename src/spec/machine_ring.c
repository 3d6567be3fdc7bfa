/* Machines of queues, stacks and deques: a ring buffer that doubles. Deques use both ends, queues and stacks one each.
 */
#include "spec/common.h"

struct ring {
  struct mem *mem;
  uint32_t *at;
  uint32_t mask;         /* room - 1, room a power of two */
  uint32_t first, count; /* the values are at[(first + i) & mask], i < count */
  uint32_t most;         /* capacity, UINT32_MAX for none */
};

void *machine_ring_new(const struct spec *s, struct mem *m) {
  struct ring *r = mem_zero(m, 1, sizeof *r);
  r->mem = m;
  r->mask = 63;
  r->at = mem_alloc(m, 64 * sizeof *r->at);
  r->most = s->param ? s->k : UINT32_MAX;
  return r;
}

static void grow(struct ring *r) {
  uint32_t room = r->mask + 1;
  uint32_t *to = mem_alloc(r->mem, (size_t)room * 2 * sizeof *to);
  for (uint32_t i = 0; i < room; i++) to[i] = r->at[(r->first + i) & r->mask];
  mem_free(r->mem, r->at);
  r->at = to;
  r->first = 0;
  r->mask = room * 2 - 1;
}

/* Puts the value at an end, or says full; does the result agree? */
static bool put(struct ring *r, const struct op *o, bool front) {
  if (r->count >= r->most) return o->result == V_FULL || o->result == V_UNKNOWN;
  if (o->result != V_NONE && o->result != V_UNKNOWN) return false;
  if (r->count > r->mask) grow(r);
  if (front) {
    r->first = (r->first - 1) & r->mask;
    r->at[r->first] = o->arg[0];
  } else {
    r->at[(r->first + r->count) & r->mask] = o->arg[0];
  }
  r->count++;
  return true;
}

static bool take(struct ring *r, const struct op *o, bool front) {
  if (!r->count) return o->result == V_EMPTY || o->result == V_UNKNOWN;
  value v = r->at[(front ? r->first : r->first + r->count - 1) & r->mask];
  if (o->result != v && o->result != V_UNKNOWN) return false;
  if (front) r->first = (r->first + 1) & r->mask;
  r->count--;
  return true;
}

/* Operations are numbered as in queue.c and stack.c: 0 puts, 1 takes. */
bool machine_queue_apply(void *machine, const struct op *o) {
  return o->method ? take(machine, o, true) : put(machine, o, false);
}

bool machine_stack_apply(void *machine, const struct op *o) {
  return o->method ? take(machine, o, false) : put(machine, o, false);
}

/* As in deque.c: push front, push back, pop front, pop back. */
bool machine_deque_apply(void *machine, const struct op *o) {
  return o->method >= 2 ? take(machine, o, o->method == 2) : put(machine, o, o->method == 0);
}
