/* Races without clocks (run/order.c) against the clocks, on random programs: tests/run/order.c. The programs are run
 * under the same schedules twice, once as they always are and once with the clocks from the beginning; each schedule
 * changes the one before at one step, so most runs begin at a state kept on the way. Both must find the same.
 * ASIF_TEST_OBJECTS sets how many programs. */
#include <stdlib.h>
#include <string.h>

#include "images.h"
#include "run/runtime.h"
#include "test.h"

#if defined(__SANITIZE_THREAD__)
#define RUNS() test_skip("the thread sanitizer does not know of the fibers")
#else
#define RUNS() ((void)0)
#endif

enum { THREADS = 3, CALLS = 2, SCHEDULES = 60, STEPS = 200, SIGNATURE = 3 | 1 << 2 | 1 << 4 /* long act(long) */ };

struct outcome {
  struct choice choices[STEPS]; /* the plan */
  size_t planned, count;        /* steps that were taken */
  enum found found;
  char said[200];
  bool simple; /* it was decided without clocks */
};
static struct outcome outcomes[SCHEDULES];

static uint64_t state;
static uint64_t draw(void) {
  state += 0x9e3779b97f4a7c15u;
  uint64_t x = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static const struct run *run_planned(const struct client *client, struct outcome *o) {
  struct problem why = {.text = ""};
  const struct run *r = run_execute(client, &(struct plan){.choices = o->choices, .count = o->planned}, &why);
  CHECKF(r, "%s", why.text);
  return r;
}

/* The run before with another's step somewhere, where there is one. */
static void change(const struct run *r, struct outcome *o) {
  for (int tries = 0; tries < 20; tries++) {
    size_t at = r->count ? draw() % r->count : 0;
    uint64_t others = r->count ? r->steps[at].enabled & ~((uint64_t)1 << r->steps[at].fiber) : 0;
    if (!others || at >= STEPS) continue;
    for (uint64_t skip = draw() % THREADS; skip && others & (others - 1); skip--) others &= others - 1;
    for (size_t i = 0; i < at; i++) o->choices[i] = (struct choice){r->steps[i].fiber, r->steps[i].block};
    o->choices[at] = (struct choice){(uint8_t)__builtin_ctzll(others), 0};
    o->planned = at + 1;
    return;
  }
  o->planned = 0;
}

static void run_all(const struct client *client) {
  for (int i = 0; i < SCHEDULES; i++) {
    struct outcome *o = &outcomes[i];
    if (!i) o->planned = 0;
    if (!order_simple) { /* the run before has set up the clocks, for good */
      kept_forget();
      races_open(true, STEPS);
    }
    const struct run *r = run_planned(client, o);
    o->count = r->count;
    o->found = r->found;
    o->simple = order_simple;
    snprintf(o->said, sizeof o->said, "%s", r->said);
    if (i + 1 < SCHEDULES) change(r, &outcomes[i + 1]);
  }
}

static void compare_all(const struct client *client, long *races, long *simple) {
  kept_forget();
  races_open(false, STEPS);
  for (int i = 0; i < SCHEDULES; i++) {
    struct outcome *o = &outcomes[i];
    const struct run *r = run_planned(client, o);
    CHECKF(r->found == o->found && r->count == o->count,
           "run %d of %#lx ...: %s without clocks after %zu steps, %s with them after %zu", i,
           (unsigned long)client->calls[0].arg[0], found_name(o->found), o->count, found_name(r->found), r->count);
    CHECKF(!strcmp(r->said, o->said), "run %d: \"%s\" and \"%s\"", i, o->said, r->said);
    *races += r->found == FOUND_RACE;
    *simple += o->simple;
  }
  kept_forget();
}

TEST(order_is_that_of_the_clocks) {
  RUNS();
  struct mem m;
  mem_open(&m, NULL);
  struct image *image = image_of(&m, "tests/run/order.c", "");
  const char *set = getenv("ASIF_TEST_OBJECTS"), *more = getenv("ASIF_LONG");
  long programs = set && atol(set) > 0 ? atol(set) : 2000, races = 0, simple = 0;
  if (more && *more) programs *= 20;
  struct image_op act = {.name = "act", .written = "act", .signature = SIGNATURE};
  void *function = image_symbol(image, "act");
  CHECK(function);
  memcpy(&act.function, &function, sizeof act.function);
  struct problem why = {.text = ""};
  CHECKF(run_open(image, &act, 1, NULL, &(struct run_options){.races = true, .steps_most = STEPS}, &why), "%s",
         why.text);
  CHECK(order_simple);
  uint64_t resumed = run_resumed(), least = 0;
#ifndef __SANITIZE_ADDRESS__
  least = (uint64_t)programs * SCHEDULES / 2;
#endif
  for (long n = 0; n < programs; n++) {
    uint32_t first[THREADS + 1];
    struct call calls[THREADS * CALLS] = {0};
    state = (uint64_t)n * 0x632be59bd9b4e019u;
    for (unsigned t = 0; t <= THREADS; t++) first[t] = t * CALLS;
    for (unsigned c = 0; c < THREADS * CALLS; c++) calls[c].arg[0] = (long)(draw() >> 16);
    struct client client = {.threads = THREADS, .first = first, .calls = calls};
    races_open(true, STEPS);
    run_all(&client);
    compare_all(&client, &races, &simple);
  }
  long runs = programs * SCHEDULES;
  CHECKF(races > runs / 10 && races < runs - runs / 10, "%ld races in %ld runs", races, runs);
  CHECKF(simple > runs / 10, "%ld of %ld runs were decided without clocks", simple, runs);
  CHECKF(run_resumed() - resumed >= least, "%lu runs began at a state", (unsigned long)(run_resumed() - resumed));
  mem_close(&m);
}
