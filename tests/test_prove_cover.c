/* Every state of a concrete execution is described by a view of each thread: random executions of objects that are
 * proved. */
#include <string.h>

#include "concrete.h"
#include "test.h"

static uint32_t next_random(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*seed >> 33);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { WALKS = 5 };
#else
enum { WALKS = 40 };
#endif

static void check_cover(struct prover *p, const struct concrete *c, const char *name, uint64_t seed) {
  if (c->fault) concrete_print(p, c, stderr);
  CHECKF(!c->fault, "%s is proved, but execution %llu %s", name, (unsigned long long)seed, c->fault);
  for (unsigned t = 0; t < CONCRETE_THREADS; t++) {
    bool covered = concrete_covered(p, c, t);
    if (!covered) concrete_print(p, c, stderr);
    CHECKF(covered, "%s: no view describes this state of execution %llu for thread %u", name, (unsigned long long)seed,
           t);
  }
}

static void walk(struct prover *p, const char *name, uint64_t seed) {
  struct concrete c;
  uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
  unsigned left[CONCRETE_THREADS], threads = 2 + next_random(&random) % (CONCRETE_THREADS - 1), stuck = 0;
  unsigned burst = 1 + next_random(&random) % 6; /* steps without a change of thread, more or less */
  for (unsigned t = 0; t < CONCRETE_THREADS; t++) left[t] = t < threads ? 4 : 0;
  concrete_start(p, &c);
  check_cover(p, &c, name, seed);
  for (unsigned t = 0; stuck < 40;) {
    if (next_random(&random) % burst == 0) t = next_random(&random) % threads;
    bool moved;
    if (c.thread[t].pc)
      moved = concrete_step(p, &c, t, next_random(&random));
    else if (!left[t])
      moved = false;
    else {
      uint16_t op = (uint16_t)(next_random(&random) % p->program->op_count);
      left[t]--;
      moved = concrete_call(p, &c, t, op, 1 + next_random(&random) % 3, next_random(&random));
    }
    if (moved)
      check_cover(p, &c, name, seed), stuck = 0;
    else
      t = next_random(&random) % threads, stuck++;
  }
}

static void cover(const char *name, enum prove_level level, enum prove_points points) {
  struct limits limits;
  struct mem m;
  struct proved d;
  struct problem why;
  char path[200];
  snprintf(path, sizeof path, "objects/%s.c", name);
  limits_start(&limits, 0, 0);
  mem_open(&m, &limits);
  CHECK(prove(&m, &(struct prove_options){.path = path, .level = level, .points = points}, &d, &why));
  CHECKF(d.verdict == VERDICT_HOLDS, "%s is not proved: %s", name, d.failure.said);
  for (uint64_t seed = 0; seed < (getenv("ASIF_LONG") ? 4000 : WALKS); seed++) walk(d.prover, name, seed);
  mem_close(&m);
}

static void cover_levels(const char *name) {
  cover(name, LEVEL_FULL, POINTS_FOUND);
  cover(name, LEVEL_MS, POINTS_FOUND);
}

TEST(prove_cover_treiber_stack) { cover_levels("treiber_stack"); }
TEST(prove_cover_dcas_stack) { cover_levels("dcas_stack"); }
TEST(prove_cover_ms_queue) { cover_levels("ms_queue"); }
TEST(prove_cover_doherty_queue) { cover_levels("doherty_queue"); }
TEST(prove_cover_two_lock_queue) { cover_levels("two_lock_queue"); }
TEST(prove_cover_lock_coupling_set) { cover_levels("lock_coupling_set"); }
TEST(prove_cover_marked) { cover("treiber_stack_points", LEVEL_FULL, POINTS_MARKED); }
