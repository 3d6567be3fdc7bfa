/* The culprit of histories of some hundred operations, long ones among them: the first return whose prefix is wrong, as
 * deciding one prefix after the other finds it. On small histories brute force says it (test_check.c). */
#include <string.h>

#include "check/check.h"
#include "generate/generate.h"
#include "test.h"

static uint32_t below(uint64_t *seed, uint32_t most) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*seed >> 33) % most;
}

/* Some operations return much later. */
static void stretch(struct history *h, struct mem *m, uint64_t *seed) {
  uint32_t *events = history_events(h, m);
  for (int n = 0; n < 4; n++) {
    uint32_t at = below(seed, h->events), to = at + 20 + below(seed, 260);
    if (!(events[at] & 1)) continue;
    if (to >= h->events) to = h->events - 1;
    uint32_t event = events[at];
    memmove(events + at, events + at + 1, (to - at) * sizeof *events);
    events[to] = event;
  }
  for (uint32_t e = 0; e < h->events; e++)
    *(events[e] & 1 ? &h->ops.at[events[e] >> 1].ret : &h->ops.at[events[e] >> 1].call) = e;
}

/* What one operation returned, another returns. */
static void corrupt(struct history *h, uint64_t *seed) {
  for (uint32_t n = 1 + below(seed, 6); n;) {
    struct op *a = &h->ops.at[below(seed, (uint32_t)h->ops.count)],
              *b = &h->ops.at[below(seed, (uint32_t)h->ops.count)];
    if (op_pending(a) || op_pending(b) || a->method != b->method) continue;
    a->result = b->result;
    n--;
  }
}

static enum verdict decide_prefix(struct mem *m, const struct history *h, const struct spec *spec, uint32_t event) {
  struct op *ops = mem_alloc(m, h->ops.count * sizeof *ops);
  uint32_t count = 0;
  for (; count < h->ops.count && h->ops.at[count].call <= event; count++) {
    ops[count] = h->ops.at[count];
    if (ops[count].ret > event) ops[count].ret = NO_RETURN, ops[count].result = V_UNKNOWN;
  }
  return check_ops(m, spec, ops, count, event + 1);
}

/* The operation whose return makes it wrong; UINT32_MAX if none does. */
static uint32_t first_fault(struct mem *m, const struct history *h, const struct spec *spec) {
  uint32_t *events = history_events(h, m), low = 0, high = h->events; /* prefixes that end before low are right */
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    enum verdict v = decide_prefix(m, h, spec, middle);
    CHECK(v != VERDICT_UNKNOWN);
    if (v == VERDICT_VIOLATED)
      high = middle;
    else
      low = middle + 1;
  }
  return low < h->events ? events[low] >> 1 : UINT32_MAX;
}

static void compare(const char *name, uint32_t operations, uint32_t values, bool stretched) {
  static const enum method methods[] = {METHOD_AUTO, METHOD_SEARCH};
  const char *n = getenv("ASIF_TEST_HISTORIES");
  unsigned wrong = 0, unsure = 0, count = n ? (unsigned)atol(n) / 200 : 60;
  for (unsigned i = 0; i < count; i++) {
    struct mem m;
    struct spec spec;
    struct problem why;
    uint64_t seed = i * 7919u + 3;
    mem_open(&m, NULL);
    CHECKF(spec_named(name, &spec, &why), "%s", why.text);
    struct generate_options options = {.spec = &spec,
                                       .operations = operations,
                                       .threads = stretched ? 5 : 3,
                                       .seed = i,
                                       .values = values,
                                       .pending = i % 3,
                                       .keys = 1};
    struct history *h = generate_history(&m, &options, &why);
    CHECKF(h, "%s", why.text);
    CHECKF(spec_bind(&spec, h, &why), "%s", why.text);
    if (stretched) stretch(h, &m, &seed);
    corrupt(h, &seed);
    uint32_t want = first_fault(&m, h, &spec);
    wrong += want != UINT32_MAX;
    for (int k = 0; k < 2; k++) {
      struct limits limits;
      struct check_options asked = {methods[k], 1, true};
      struct check_result r;
      limits_start(&limits, 0, 0);
      CHECKF(check_history(&m, h, &spec, &asked, &limits, &r, &why), "%s: %u: %s", name, i, why.text);
      CHECKF((r.verdict == VERDICT_VIOLATED) == (want != UINT32_MAX), "%s: history %u is %d", name, i, (int)r.verdict);
      if (want == UINT32_MAX) continue;
      CHECKF(r.culprit != UINT32_MAX && h->ops.at[r.culprit].ret >= h->ops.at[want].ret &&
                 (r.culprit == want || r.unsure),
             "%s: history %u: the culprit is operation %d, not %d", name, i, (int)r.culprit, (int)want);
      unsure += r.unsure;
    }
    mem_close(&m);
  }
  CHECKF(unsure <= count / 4, "%s: of %u of %u it is not sure", name, unsure, count);
  CHECKF(wrong > count / 4, "%s: only %u of %u are wrong", name, wrong, count);
}

TEST(fault_first_cas_register) { compare("cas-register", 260, 4, true); }
TEST(fault_first_map) { compare("map", 260, 4, true); }
TEST(fault_first_register) { compare("register", 260, 0, true); }
TEST(fault_first_priority_queue) { compare("priority-queue", 260, 0, true); }
TEST(fault_first_deque) { compare("deque", 130, 0, false); }
TEST(fault_first_queue) { compare("queue", 130, 0, false); }
TEST(fault_first_stack) { compare("stack", 130, 0, false); }
