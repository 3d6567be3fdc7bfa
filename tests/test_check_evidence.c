/* Re-validating a linearization: of many objects in time linear in the history, and within the limits. */
#include <string.h>

#include "check/check.h"
#include "evidence/evidence.h"
#include "test.h"

enum { OBJECTS = 40000 };

/* Each object is put one value into and gives it back, all in a row. */
static struct history *many_objects(struct mem *m) {
  struct history *h = history_new(m, "many");
  names_intern(h->processes, "A", 1);
  for (uint32_t i = 0; i < OBJECTS; i++) {
    char name[16];
    uint32_t object = names_intern(h->objects, name, (size_t)snprintf(name, sizeof name, "q%u", i));
    value v = value_of_small((int32_t)i), none[OP_ARGS] = {V_NONE, V_NONE, V_NONE}, one[OP_ARGS] = {v, V_NONE, V_NONE};
    history_interval(h, 0, object, 0, one, OP_ARGS, V_NONE, 4 * (int64_t)i, 4 * (int64_t)i + 1, 0);
    history_interval(h, 0, object, 1, none, OP_ARGS, v, 4 * (int64_t)i + 2, 4 * (int64_t)i + 3, 0);
  }
  history_finish(h);
  return h;
}

/* 1: it stands; 0: it does not; -1: a limit was reached. */
static int revalidate(const char *name, const volatile sig_atomic_t *interrupted, bool wrong) {
  struct mem m;
  struct limits limits;
  struct spec spec;
  struct problem why = {.text = ""};
  volatile int answer = -1;
  limits_start(&limits, 0, 0);
  mem_open(&m, &limits);
  CHECKF(spec_named(name, &spec, &why), "%s", why.text);
  struct history *h = many_objects(&m);
  spec.values = h->values;
  uint32_t *order = mem_alloc(&m, h->ops.count * sizeof *order), *gap = mem_alloc(&m, h->ops.count * sizeof *gap);
  for (uint32_t i = 0; i < h->ops.count; i++) order[i] = i, gap[i] = h->ops.at[i].call;
  if (wrong) h->ops.at[2 * OBJECTS - 1].result = V_EMPTY;
  limits.interrupted = interrupted;
  if (!MEM_GUARD(&m)) answer = evidence_check_order(&m, h, &spec, order, gap, h->ops.count, &why);
  mem_close(&m);
  return answer;
}

TEST(check_evidence_of_many_objects_is_linear) {
  CHECK(revalidate("queue", NULL, false) == 1);     /* by its machine */
  CHECK(revalidate("semiqueue", NULL, false) == 1); /* by its steps */
  CHECK(revalidate("queue", NULL, true) == 0);
  CHECK(revalidate("semiqueue", NULL, true) == 0);
}

TEST(check_evidence_keeps_to_the_limits) {
  static const volatile sig_atomic_t now = SIGTERM;
  CHECK(revalidate("queue", &now, false) == -1);
  CHECK(revalidate("semiqueue", &now, false) == -1);
}

/* Fetch-and-adds one after the other, by two processes in turn, whose results begin with `first`. */
static struct history *adds(struct mem *m, int32_t first, unsigned count) {
  struct history *h = history_new(m, "adds");
  names_intern(h->processes, "A", 1);
  names_intern(h->processes, "B", 1);
  names_intern(h->objects, "c", 1);
  uint32_t method = names_intern(h->methods, "fetch-add", 9);
  value none[OP_ARGS] = {V_NONE, V_NONE, V_NONE};
  for (unsigned i = 0; i < count; i++)
    history_interval(h, i % 2, 0, method, none, OP_ARGS, value_of_small(first + (int32_t)i), 2 * (int64_t)i,
                     2 * (int64_t)i + 1, 0);
  history_finish(h);
  return h;
}

/* Whenever memory runs out on the way, the operations that are said to be wrong are. */
TEST(check_evidence_stands_where_a_limit_was_reached) {
  unsigned violated = 0, unexplained = 0;
  for (size_t bytes = 1000; bytes < 300000; bytes += 500) {
    struct mem m, own;
    struct limits limits;
    struct spec spec;
    struct check_result r;
    struct problem why = {.text = ""};
    mem_open(&own, NULL);
    CHECKF(spec_named("counter", &spec, &why), "%s", why.text);
    struct history *h = adds(&own, 1, 8);
    CHECKF(spec_bind(&spec, h, &why), "%s", why.text);
    limits_start(&limits, 0, bytes);
    mem_open(&m, &limits);
    struct check_options options = {.method = METHOD_AUTO, .jobs = 1, .explain = true};
    CHECKF(check_history(&m, h, &spec, &options, &limits, &r, &why), "%zu bytes: %s", bytes, why.text);
    CHECK(r.verdict != VERDICT_HOLDS);
    if (r.verdict == VERDICT_VIOLATED) {
      violated++;
      unexplained += !r.confirmed;
      CHECKF(evidence_check_core(&own, h, &spec, &r, &why) == VERDICT_VIOLATED, "%zu bytes: %s", bytes, why.text);
    }
    mem_close(&m);
    mem_close(&own);
  }
  CHECK(violated && unexplained);
}
