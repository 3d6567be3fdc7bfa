/* The search on the papers' models: the counts of states that the papers give, or that renaming threads leaves of them; and every
 * reduction agrees on what holds. */
#include <string.h>

#include "models.h"
#include "test.h"
#include "verify/search.h"

enum { MOST_THREADS = 5 };

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
  struct problem problem = {""};
  struct search_options options = {.reduce = reduce, .jobs = jobs, .depth_first = depth_first};
  CHECKF(search(&r->mem, &r->model->system, r->model->sets, &options, &r->limits, &r->result, &problem), "%s", problem.text);
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
