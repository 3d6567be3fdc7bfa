/* See elements_small.h. */
#include "approx/elements_small.h"

#include "check/part.h"

enum { BYTES_MOST = 32 << 20 };

/* The events: in each interval first the calls, then the returns. Operations come by call. */
static void number_events(const struct small *s, struct op *ops, uint8_t *to, struct part *p) {
  for (unsigned t = 0; t <= s->k; t++) {
    for (unsigned i = 0; i < s->count; i++) {
      if (s->from[i] != t) continue;
      ops[p->count] = s->ops[i];
      ops[p->count].call = p->events++;
      to[p->count++] = s->to[i];
    }
    for (unsigned i = 0; i < p->count; i++)
      if (to[i] == t) ops[i].ret = p->events++;
  }
}

static enum verdict decide_small(const struct part *p, struct mem *m) {
  const struct monitor *fast = monitor_for(p->spec);
  const char *why_not;
  decider *const deciders[] = {fast ? fast->decide : pairs_part, pairs_part, search_part};
  for (size_t i = 0; i < sizeof deciders / sizeof *deciders; i++) {
    struct decision d = {.verdict = VERDICT_UNKNOWN, .culprit = UINT32_MAX};
    if (deciders[i](p, m, &d, &why_not) == APPLIES) return d.verdict;
  }
  return VERDICT_UNKNOWN;
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
    struct part p = {.spec = s->spec, .values = s->spec->values, .ops = ops};
    number_events(s, ops, to, &p);
    holds = decide_small(&p, &m) != VERDICT_VIOLATED;
  }
  mem_close(&m);
  return holds;
}
