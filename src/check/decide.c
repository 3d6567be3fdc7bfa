/* Deciding a part by the quickest means that apply, within a bound; and which monitor a specification has. */
#include "check/decide.h"

#include <assert.h>

#include "check/search.h"

static const struct monitor monitors[FAMILIES] = {
    [FAMILY_QUEUE] = {fast_queue, match_queue_part, "queue", false},
    [FAMILY_STACK] = {fast_stack, NULL, "stack", false},
    [FAMILY_PRIORITY_QUEUE] = {fast_priority_queue, NULL, "priority-queue", false},
    [FAMILY_REGISTER] = {fast_register, NULL, "register", false},
    [FAMILY_SET] = {search_part, NULL, "set", false},
    [FAMILY_MULTISET] = {search_part, NULL, "multiset", false},
};
/* A key of a map that is only put and got, a cas-register that nobody compares. */
static const struct monitor cell = {fast_register, NULL, "register", true};
static const struct monitor weak_queue = {fast_queue, NULL, "queue", false};

const struct monitor *monitor_for(const struct spec *s) {
  assert(s->family < FAMILIES);
  if (s->cell && spec_compares(s)) return &cell;
  if (s->bounded || !monitors[s->family].decide) return NULL;
  return s->family == FAMILY_QUEUE && s->weak ? &weak_queue : &monitors[s->family];
}

/* Monitors know nothing of what a pending operation would return. */
static bool knows_the_future(const struct part *p) {
  for (uint32_t i = 0; i < p->count; i++)
    if (op_pending(&p->ops[i]) && p->ops[i].result != V_UNKNOWN && p->ops[i].result != V_NONE) return true;
  return false;
}

void decision_clear(struct decision *d) { *d = (struct decision){.verdict = VERDICT_UNKNOWN, .culprit = UINT32_MAX}; }

static bool decided(decider *decide, const struct part *p, struct mem *m, struct decision *d) {
  const char *why_not;
  decision_clear(d);
  return decide(p, m, d, &why_not) == APPLIES;
}

void decide_quickly(const struct part *p, struct mem *m, const struct start *start, enum decide_by by, uint64_t most,
                    struct decision *d) {
  if (by != BY_SEARCH && !start) {
    const struct monitor *monitor = monitor_for(p->spec);
    if (monitor && monitor->decide != search_part && !knows_the_future(p)) {
      if (decided(monitor->decide, p, m, d)) return;
      if (monitor->repeated && decided(conditions_part, p, m, d)) return;
      if (monitor->repeated && decided(monitor->repeated, p, m, d)) return;
    }
    if (decided(conditions_part, p, m, d)) return;
    if (cells_bounded(p, m, most, d) == APPLIES) return;
    decision_clear(d);
    if (by == BY_ANYTHING && pairs_bounded(p, m, most, d) == APPLIES) return;
  }
  decision_clear(d);
  search_bounded(search_new(m, p->spec), p, start, most, d);
}

enum verdict check_ops(struct mem *m, const struct spec *spec, const struct op *ops, uint32_t count, uint32_t events) {
  struct part p = {.spec = spec, .values = spec->values, .ops = ops, .count = count, .events = events};
  struct decision d;
  decide_quickly(&p, m, NULL, BY_ANYTHING, 0, &d);
  return d.verdict;
}
