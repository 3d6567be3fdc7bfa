/* --monitor approx:K of asif test (src/test/watch.c): random runs, against the definition of A_k and the exact checker.
 */
#include <string.h>

#include "approx/order.h"
#include "base/hash.h"
#include "test.h"
#include "test/test.h"

enum { CALLS_MOST = 7, MOMENTS_MOST = 2 * CALLS_MOST, K_MOST = 3 };

static uint64_t seed;
static unsigned draw(unsigned n) {
  seed += 0x9e3779b97f4a7c15u;
  return (unsigned)(hash_mix(seed) % n);
}

struct trial {
  struct object object;
  struct object_op ops[2];
  struct client client;
  uint32_t first[CALLS_MOST + 1];
  struct call calls[CALLS_MOST];
  struct moment moments[MOMENTS_MOST];
  struct run run;
};

static void open_object(struct trial *t, const char *spec) {
  struct problem why = {.text = ""};
  t->object = (struct object){.file = "x", .spec_name = spec, .ops = t->ops, .op_count = 2};
  CHECKF(spec_named(spec, &t->object.spec, &why), "%s", why.text);
  t->ops[0] = (struct object_op){.method = 0, .arg_count = 1};
  t->ops[1] = (struct object_op){.run = {.signature = 3}, .method = 1};
}

/* One call a thread; values once each, or not. */
static void make_client(struct trial *t, bool once) {
  unsigned count = 3 + draw(CALLS_MOST - 2);
  t->client = (struct client){.threads = count, .first = t->first, .calls = t->calls};
  for (unsigned i = 0; i < count; i++) {
    unsigned op = draw(2);
    t->first[i] = i;
    t->calls[i] = (struct call){.op = op, .arg = {op ? 0 : once ? (long)i + 1 : 1 + (long)draw(2)}};
  }
  t->first[count] = count;
}

/* Something that was pushed, most often; or nothing. */
static long result_of(const struct trial *t, uint32_t call, uint64_t called) {
  long values[CALLS_MOST];
  unsigned n = 0;
  if (t->calls[call].op == 0) return 0;
  for (unsigned i = 0; i < t->client.threads; i++)
    if (t->calls[i].op == 0 && (called >> i & 1 || !draw(20))) values[n++] = t->calls[i].arg[0];
  return n && draw(6) ? values[draw(n)] : ASIF_EMPTY;
}

/* The first moments may be those of the run before. */
static void make_run(struct trial *t, bool again) {
  uint64_t called = 0, returned = 0, number = t->run.number;
  size_t same = again && t->run.moment_count ? draw((unsigned)t->run.moment_count) : 0, n = 0;
  for (; n < same; n++) *(t->moments[n].is_return ? &returned : &called) |= (uint64_t)1 << t->moments[n].call;
  while (n < 2 * t->client.threads && draw(30)) {
    uint32_t call = draw(t->client.threads);
    if (returned >> call & 1) continue;
    bool is_return = called >> call & 1;
    t->moments[n++] = (struct moment){.call = call,
                                      .fiber = (uint8_t)call,
                                      .is_return = is_return,
                                      .result = is_return ? result_of(t, call, called) : 0};
    *(is_return ? &returned : &called) |= (uint64_t)1 << call;
  }
  t->run = (struct run){
      .client = &t->client, .moments = t->moments, .moment_count = n, .number = number + 1, .same_moments = same};
}

/* A_k of the history so far, exactly decided. */
static bool allowed(const struct trial *t, size_t moments, unsigned k) {
  struct mem m;
  struct spec spec = t->object.spec;
  struct interval_order exact, approx;
  struct limits limits;
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1};
  struct check_result result;
  struct problem why = {.text = ""};
  struct run run = t->run;
  run.moment_count = moments;
  mem_open(&m, NULL);
  limits_start(&limits, 0, 0);
  struct history *h = judge_history(&m, &t->object, &spec, &run);
  order_of(&m, h, &exact);
  order_approx(&m, &exact, k, &approx);
  CHECKF(check_history(&m, order_history(&m, h, &approx), &spec, &options, &limits, &result, &why), "%s", why.text);
  mem_close(&m);
  return result.verdict == VERDICT_HOLDS;
}

static bool expected(const struct trial *t, unsigned k) {
  for (size_t i = 1; i <= t->run.moment_count; i++)
    if (t->moments[i - 1].is_return && !allowed(t, i, k)) return false;
  return true;
}

static void compare(const char *spec, bool once) {
  const char *n = getenv("ASIF_TEST_HISTORIES");
  unsigned runs = n ? (unsigned)strtoul(n, NULL, 10) / 40 : 1500, wrong = 0;
  for (unsigned k = 0; k <= K_MOST; k++) {
    struct trial *t = calloc(1, sizeof *t);
    struct mem m;
    CHECK(t);
    mem_open(&m, NULL);
    open_object(t, spec);
    struct watch *w = watch_new(&m, &t->object, &t->object.spec, k);
    for (unsigned i = 0; i < runs; i++) {
      bool again = i % 8;
      if (!again) { /* another client has another address in the engine: here a new watch */
        make_client(t, once);
        mem_close(&m);
        mem_open(&m, NULL);
        w = watch_new(&m, &t->object, &t->object.spec, k);
      }
      make_run(t, again);
      bool holds = watch_holds(w, &t->run), right = expected(t, k);
      CHECKF(holds == right, "%s at k = %u, run %u: %s", spec, k, i, right ? "a false alarm" : "a violation is missed");
      wrong += !holds;
    }
    mem_close(&m);
    free(t);
  }
  CHECKF(wrong > runs / 4 && wrong < runs * (K_MOST + 1) - runs / 4, "%u", wrong);
}

TEST(watch_queue) { compare("queue", true); }
TEST(watch_stack) { compare("stack", true); }
TEST(watch_queue_twice) { compare("queue", false); }
TEST(watch_stack_twice) { compare("stack", false); }
TEST(watch_semiqueue) { compare("semiqueue(2)", true); }
