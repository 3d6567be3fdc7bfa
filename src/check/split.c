/* Splitting: see split.h. One pass over the operations finds each one's part, one over the events numbers them anew. */
#include "check/split.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

struct group { /* an object, or a key of one */
  uint32_t object;
  value key;
  uint32_t number; /* + 1; 0: free */
};

/* The usual case: one object, and keys that are small integers, which index an array. False if it is another. */
static bool group_directly(const struct history *h, struct mem *m, uint32_t *group_of, uint32_t *count) {
  uint32_t most = 0, limit = (uint32_t)h->ops.count * 2 + 1024;
  for (size_t i = 0; i < h->ops.count; i++) {
    value key = h->ops.at[i].arg[0];
    if (!value_is_small(key) || key >> 1 >= limit || h->ops.at[i].object != h->ops.at[0].object) return false;
    if (key >> 1 > most) most = key >> 1;
  }
  uint32_t *group = mem_zero(m, (size_t)most + 1, sizeof *group); /* + 1 */
  *count = 0;
  for (size_t i = 0; i < h->ops.count; i++) {
    uint32_t *g = &group[h->ops.at[i].arg[0] >> 1];
    if (!*g) *g = ++*count;
    group_of[i] = *g - 1;
  }
  mem_free(m, group);
  return true;
}

/* The part of each operation, and how many there are. */
static uint32_t group_ops(const struct history *h, bool by_key, struct mem *m, uint32_t *group_of) {
  uint32_t mask = 255, count = 0;
  if (by_key && group_directly(h, m, group_of, &count)) return count;
  struct group *slots = mem_zero(m, (size_t)mask + 1, sizeof *slots);
  for (size_t i = 0; i < h->ops.count; i++) {
    uint32_t object = h->ops.at[i].object;
    value key = by_key ? h->ops.at[i].arg[0] : V_NONE;
    uint32_t s = (uint32_t)hash_mix((uint64_t)object << 32 | key) & mask;
    while (slots[s].number && (slots[s].object != object || slots[s].key != key)) s = (s + 1) & mask;
    if (!slots[s].number) {
      slots[s] = (struct group){object, key, ++count};
      if (count * 2 > mask) {
        struct group *old = slots, found = slots[s];
        slots = mem_zero(m, ((size_t)mask + 1) * 2, sizeof *slots);
        for (uint32_t k = 0; k <= mask; k++) {
          if (!old[k].number) continue;
          uint32_t t = (uint32_t)hash_mix((uint64_t)old[k].object << 32 | old[k].key) & (mask * 2 + 1);
          while (slots[t].number) t = (t + 1) & (mask * 2 + 1);
          slots[t] = old[k];
        }
        mem_free(m, old);
        mask = mask * 2 + 1;
        group_of[i] = found.number - 1;
        continue;
      }
    }
    group_of[i] = slots[s].number - 1;
  }
  mem_free(m, slots);
  return count;
}

static void whole(const struct history *h, const struct spec *spec, struct mem *m, struct parts *out) {
  out->at = mem_alloc(m, sizeof *out->at);
  out->at[0] = (struct part){spec, h->values, h->ops.at, (uint32_t)h->ops.count, h->events, NULL, NULL, 0, false};
  out->count = 1;
}

void split_history(const struct history *h, const struct spec *spec, struct mem *m, struct parts *out) {
  size_t n = h->ops.count;
  bool objects = false;
  memset(out, 0, sizeof *out);
  for (size_t i = 1; i < n && !objects; i++) objects = h->ops.at[i].object != h->ops.at[0].object;
  if (!n || (!objects && !spec->keyed)) {
    whole(h, spec, m, out);
    return;
  }
  uint32_t *group_of = mem_alloc(m, (n + 1) * sizeof *group_of);
  uint32_t count = group_ops(h, spec->keyed, m, group_of);
  out->by_object = objects;
  out->by_key = spec->keyed && count > 1;
  if (count == 1 && !spec->keyed) {
    mem_free(m, group_of);
    whole(h, spec, m, out);
    return;
  }
  /* Each part's operations and events are consecutive in these. */
  struct op *ops = mem_alloc(m, (n + 1) * sizeof *ops);
  uint32_t *global = mem_alloc(m, (n + 1) * sizeof *global);
  uint32_t *global_event = mem_alloc(m, ((size_t)h->events + 1) * sizeof *global_event);
  uint32_t *place = mem_alloc(m, (n + 1) * sizeof *place);
  out->at = mem_zero(m, (size_t)count + 1, sizeof *out->at);
  out->count = count;
  for (size_t i = 0; i < n; i++) {
    out->at[group_of[i]].count++;
    out->at[group_of[i]].events += 1 + !op_pending(&h->ops.at[i]);
  }
  uint32_t next_op = 0, next_event = 0;
  for (uint32_t g = 0; g < count; g++) {
    struct part *p = &out->at[g];
    p->spec = spec;
    p->values = h->values;
    p->ops = ops + next_op;
    p->global = global + next_op;
    p->global_event = global_event + next_event;
    next_op += p->count;
    next_event += p->events;
    p->count = p->events = 0;
  }
  for (size_t i = 0; i < n; i++) {
    struct part *p = &out->at[group_of[i]];
    uint32_t k = (uint32_t)(p->ops - ops) + p->count++;
    ops[k] = h->ops.at[i];
    if (spec->keyed)
      ops[k].arg[0] = value_of_small(0); /* one key is as good as another: states are shared between parts */
    global[k] = (uint32_t)i;
    place[i] = k;
  }
  uint32_t *events = history_events(h, m);
  for (uint32_t e = 0; e < h->events; e++) {
    uint32_t i = events[e] >> 1;
    struct part *p = &out->at[group_of[i]];
    global_event[(p->global_event - global_event) + p->events] = e;
    *(events[e] & 1 ? &ops[place[i]].ret : &ops[place[i]].call) = p->events++;
  }
  assert(next_op == n && next_event == h->events);
  mem_free(m, events);
  mem_free(m, group_of);
  mem_free(m, place);
}
