/* See elements_small.h. */
#include "approx/elements_small.h"

#include "check/check.h"

enum { BYTES_MOST = 32 << 20 };

/* The events: in each interval first the calls, then the returns. Operations come by call. */
static unsigned number_events(const struct small *s, struct op *ops, uint8_t *to, uint32_t *events) {
  unsigned count = 0;
  for (unsigned t = 0; t <= s->k; t++) {
    for (unsigned i = 0; i < s->count; i++) {
      if (s->from[i] != t) continue;
      ops[count] = s->ops[i];
      ops[count].call = (*events)++;
      to[count++] = s->to[i];
    }
    for (unsigned i = 0; i < count; i++)
      if (to[i] == t) ops[i].ret = (*events)++;
  }
  return count;
}

bool small_holds(const struct small *s) {
  struct mem m;
  struct limits limits;
  limits_start(&limits, 0, BYTES_MOST);
  mem_open(&m, &limits);
  volatile bool holds = true;
  if (!MEM_GUARD(&m)) {
    struct op *ops = mem_alloc(&m, (s->count + 1) * sizeof *ops);
    uint8_t *to = mem_alloc(&m, s->count + 1);
    uint32_t events = 0;
    unsigned count = number_events(s, ops, to, &events);
    holds = check_ops(&m, s->spec, ops, count, events) != VERDICT_VIOLATED;
  }
  mem_close(&m);
  return holds;
}
