/* The search on the papers' models: the counts of states that the papers give, or that renaming threads leaves of them;
 * and every reduction agrees on what holds. */
#include <string.h>

#include "models.h"
#include "test.h"
#include "verify/search.h"

struct run {
  struct mem mem;
  struct limits limits;
  struct model *model;
  struct search_result result;
};

static void open_run(struct run *r) {
  memset(r, 0, sizeof *r);
  limits_start(&r->limits, 0, 0);
  mem_open(&r->mem, &r->limits);
}

static void run(struct run *r, enum reduce reduce, unsigned jobs, bool depth_first) {
  struct problem problem = {.text = ""};
  struct search_options options = {.reduce = reduce, .jobs = jobs, .depth_first = depth_first};
  struct traces traces = specsets_traces(r->model->sets);
  CHECKF(search(&r->mem, &r->model->system, &traces, &options, &r->limits, &r->result, &problem), "%s", problem.text);
}

/* States as the papers' tool counts them: in 2013 terminal ones twice, in 2009 one more. */
static uint64_t counted(const struct run *r) {
  return r->result.states + (r->model->paper == PAPER_2013 ? r->result.terminal : 1);
}

static void expect(struct run *r, enum reduce reduce, uint64_t states) {
  run(r, reduce, 1, false);
  CHECKF(r->result.verdict == VERDICT_HOLDS, "%s: violated", r->model->spec.name);
  CHECKF(counted(r) == states, "%s of %u, %u threads: %llu states, not %llu", r->model->spec.name, r->model->size,
         r->model->system.threads, (unsigned long long)counted(r), (unsigned long long)states);
}

static void expect_register(unsigned values, unsigned threads, enum paper paper, enum reduce reduce, uint64_t states) {
  struct run r;
  open_run(&r);
  r.model = model_register(&r.mem, values, threads, paper);
  expect(&r, reduce, states);
  mem_close(&r.mem);
}

static void expect_counter(unsigned size, unsigned threads, enum paper paper, enum reduce reduce, uint64_t states) {
  struct run r;
  open_run(&r);
  r.model = model_counter(&r.mem, size, threads, paper);
  expect(&r, reduce, states);
  mem_close(&r.mem);
}

static void expect_points(unsigned size, unsigned threads, enum reduce reduce, uint64_t states) {
  struct run r;
  open_run(&r);
  r.model = model_points(&r.mem, size, threads);
  expect(&r, reduce, states);
  mem_close(&r.mem);
}

TEST(verify_models_2013) {
  expect_register(4, 3, PAPER_2013, REDUCE_NONE, 9338);
  expect_register(3, 4, PAPER_2013, REDUCE_NONE, 52381);
  expect_register(4, 4, PAPER_2013, REDUCE_NONE, 186316);
  expect_counter(4, 3, PAPER_2013, REDUCE_NONE, 3674);
  expect_counter(4, 4, PAPER_2013, REDUCE_NONE, 124558);
}

TEST(verify_models_points) {
  expect_points(4, 3, REDUCE_NONE, 535);
  expect_points(4, 4, REDUCE_NONE, 9165);
}

TEST(verify_models_2009) {
  expect_register(4, 2, PAPER_2009, REDUCE_NONE, 50893);
  expect_register(5, 2, PAPER_2009, REDUCE_NONE, 349333);
  expect_counter(12, 2, PAPER_2009, REDUCE_NONE, 540769);
}

TEST(verify_models_orbits) {
  expect_counter(4, 3, PAPER_2013, REDUCE_SYM, 666);
  expect_register(4, 3, PAPER_2013, REDUCE_SYM, 4923);
}

/* Counts of true orbits, found by trying every permutation. */
TEST(verify_models_more_orbits) {
  expect_counter(4, 4, PAPER_2013, REDUCE_SYM, 5824);
  expect_register(3, 4, PAPER_2013, REDUCE_SYM, 10562);
  expect_points(4, 3, REDUCE_SYM, 114);
  expect_points(4, 4, REDUCE_SYM, 536);
}

/* Every way to search. */

static const struct way {
  const char *name;
  enum reduce reduce;
} ways[] = {{"none", REDUCE_NONE}, {"best", REDUCE_BEST}, {"sym1", REDUCE_SYM1}, {"sym", REDUCE_SYM},
            {"por", REDUCE_POR},   {"both", REDUCE_BOTH}, {"tau", REDUCE_TAU}};
enum { WAYS = sizeof ways / sizeof *ways };

static struct model *some_model(struct mem *m, unsigned which) {
  switch (which) {
  case 0: return model_register(m, 3, 3, PAPER_2013);
  case 1: return model_register(m, 3, 2, PAPER_2009);
  case 2: return model_counter(m, 4, 3, PAPER_2013);
  case 3: return model_counter(m, 2, 2, PAPER_2009);
  case 4: return model_points(m, 4, 4);
  case 5: return model_queue(m, 2, 3, true);
  case 6: return model_queue(m, 2, 3, false);
  default: return NULL;
  }
}
enum { WRONG_QUEUE = 6 };

/* The path is an execution from the start, and its last move the first that the specification does not follow. */
static void check_path(struct run *r) {
  struct system *system = &r->model->system;
  struct specsets *sets = r->model->sets;
  void *from = mem_zero(&r->mem, 1, system->work), *to = mem_zero(&r->mem, 1, system->work);
  uint32_t set = specset_initial(sets);
  CHECK(r->result.path_count);
  system->start(system, from);
  for (size_t i = 0; i < r->result.path_count; i++) {
    struct path_move *p = &r->result.path[i];
    struct choices choices = p->choices;
    struct move move;
    choices.depth = 0;
    CHECK(set && system->move(system, from, p->thread, &choices, to, &move) == MOVED);
    CHECK(move.event_count == p->move.event_count);
    for (unsigned e = 0; e < move.event_count; e++) set = specset_step(sets, set, move.events[e]);
    memcpy(from, to, system->work);
  }
  CHECK(!set);
}

TEST(verify_models_ways) {
  for (unsigned which = 0;; which++) {
    uint64_t plain = 0;
    for (unsigned w = 0; w < WAYS; w++)
      for (unsigned deep = 0; deep < 2; deep++) {
        struct run r;
        open_run(&r);
        if (!(r.model = some_model(&r.mem, which))) return;
        run(&r, ways[w].reduce, 1, deep);
        bool holds = r.result.verdict == VERDICT_HOLDS;
        CHECKF(holds == (which != WRONG_QUEUE), "model %u, %s: %s", which, ways[w].name, holds ? "holds" : "violated");
        if (!holds) check_path(&r);
        if (holds && !w) {
          CHECK(!deep || plain == r.result.states);
          plain = r.result.states;
        }
        if (holds) CHECKF(r.result.states <= plain, "model %u, %s", which, ways[w].name);
        mem_close(&r.mem);
      }
  }
}

/* Several workers store the same states as one. */
TEST(verify_models_threads) {
  static const enum reduce these[] = {REDUCE_NONE, REDUCE_SYM, REDUCE_BEST};
  for (unsigned which = 0;; which++) {
    for (unsigned w = 0; w < sizeof these / sizeof *these; w++) {
      uint64_t states = 0;
      for (unsigned jobs = 1; jobs <= 3; jobs++) {
        struct run r;
        open_run(&r);
        if (!(r.model = some_model(&r.mem, which))) return;
        run(&r, these[w], jobs, false);
        CHECK((r.result.verdict == VERDICT_HOLDS) == (which != WRONG_QUEUE));
        if (which == WRONG_QUEUE)
          check_path(&r);
        else if (jobs > 1 && these[w] != REDUCE_BEST)
          CHECKF(r.result.states == states, "model %u: %llu states, %llu with one", which,
                 (unsigned long long)r.result.states, (unsigned long long)states);
        states = r.result.states;
        mem_close(&r.mem);
      }
    }
  }
}
