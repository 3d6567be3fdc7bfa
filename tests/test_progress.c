/* Progress conditions: systems written by hand with known answers; random systems against reachability by hand. */
#include <string.h>

#include "random_system.h"
#include "test.h"
#include "toys.h"
#include "verify/live.h"

static struct mem memory;
static struct limits limits;

/* The run is a violation of the condition by its definition alone. */
static bool is_confirmed(struct system *s, enum progress p, const struct liveness_result *r, struct problem *why) {
  struct live_asked asked = {.progress = p};
  return live_confirm(&memory, s, &asked, &toy_names, r->stem, r->stem_count + r->loop_count, r->loop_count, NULL, why);
}

static struct liveness_result check(struct system *s, enum progress p) {
  struct liveness_result r;
  struct problem why = {.text = ""};
  CHECKF(progress_check(&memory, s, p, &toy_names, &limits, &r, &why), "%s", why.text);
  if (r.verdict == VERDICT_VIOLATED && r.fault == FAULT_NONE) CHECKF(is_confirmed(s, p, &r, &why), "%s", why.text);
  return r;
}

static void open_memory(void) {
  limits_start(&limits, 0, 0);
  mem_open(&memory, NULL);
}

/* Which conditions a toy meets: a letter for each that holds, of d(eadlock) o(bstruction) l(ock) w(ait). */
static void expect(toy_step *step, unsigned threads, unsigned operations, const char *holds) {
  struct toy toy;
  toy_make(&toy, step, threads, operations);
  open_memory();
  for (int p = 0; p < 4; p++) {
    struct liveness_result r = check(&toy.system, (enum progress)p);
    struct problem why;
    enum verdict expected = strchr(holds, "dolw"[p]) ? VERDICT_HOLDS : VERDICT_VIOLATED;
    CHECKF(r.verdict == expected, "%s, %u threads: verdict %d, %s", progress_name((enum progress)p), threads, r.verdict,
           r.reason);
    CHECK((r.verdict == VERDICT_VIOLATED) == (r.reason[0] != 0));
    if (r.verdict != VERDICT_VIOLATED) continue;
    printf("%s: %s (%zu moves, then %zu for ever; %llu states)\n", progress_name((enum progress)p), r.reason,
           r.stem_count, r.loop_count, (unsigned long long)r.states);
    CHECK(r.stuck >= 0 && r.waits == !r.loop_count);
    run_replay(&toy.system, &r, NULL, NULL);
    for (int q = 0; q < 4; q++) /* no run violates what holds */
      if (strchr(holds, "dolw"[q])) CHECK(!is_confirmed(&toy.system, (enum progress)q, &r, &why) && why.text[0]);
  }
  mem_close(&memory);
}

TEST(progress_of_locks) {
  expect(toy_spin_lock, 2, 0, "d");
  expect(toy_spin_lock, 3, 0, "d");
  expect(toy_spin_lock, 2, 1, "d");
  expect(toy_mutex, 3, 0, "d");
  expect(toy_mutex, 1, 0, "dolw");
  expect(toy_ticket_lock, 3, 0, "d");
  expect(toy_two_locks, 2, 0, "");
  expect(toy_two_spin_locks, 2, 0, "");
  expect(toy_two_locks, 2, 1, "");
}

TEST(progress_of_lock_free_objects) {
  expect(toy_cas_counter, 2, 0, "dol");
  expect(toy_cas_counter, 3, 0, "dol");
  expect(toy_cas_counter, 1, 0, "dolw");
  expect(toy_cas_counter, 2, 3, "dolw"); /* who stops cannot overtake for ever */
  expect(toy_reader, 3, 0, "dolw");
  expect(toy_owner, 2, 0, "o");
  expect(toy_owner, 1, 0, "dolw");
  expect(toy_register, 3, 0, "dolw");
}

TEST(progress_of_a_stack) {
  expect(toy_stack, 2, 0, "dol");
  expect(toy_stack, 1, 0, "dolw");
}

/* The sentences. */
static void expect_reason(toy_step *step, enum progress p, const char *reason) {
  struct toy toy;
  toy_make(&toy, step, 2, 0);
  open_memory();
  struct liveness_result r = check(&toy.system, p);
  CHECKF(!strcmp(r.reason, reason), "%s", r.reason);
  mem_close(&memory);
}

TEST(progress_reasons) {
  expect_reason(toy_two_locks, PROGRESS_DEADLOCK_FREE,
                "no thread can move, though thread A is in first(1), thread B is in first(1)");
  expect_reason(
      toy_two_spin_locks, PROGRESS_DEADLOCK_FREE,
      "under a fair scheduler no operation returns: thread A is in first(1), thread B is in first(1) for ever");
  expect_reason(toy_mutex, PROGRESS_LOCK_FREE,
                "thread B is in first(1) and waits, for ever if the others have stopped");
  expect_reason(toy_spin_lock, PROGRESS_LOCK_FREE, "thread B is in first(1) for ever, and no operation returns");
  expect_reason(toy_spin_lock, PROGRESS_OBSTRUCTION_FREE, "thread A is in first(1) for ever, though it runs alone");
  expect_reason(toy_cas_counter, PROGRESS_WAIT_FREE, "thread A is in first(1) for ever while others return");
}

TEST(progress_faults_and_limits) {
  struct toy toy;
  open_memory();
  toy_make(&toy, toy_fault, 2, 0);
  struct liveness_result r = check(&toy.system, PROGRESS_LOCK_FREE);
  CHECK(r.verdict == VERDICT_VIOLATED && r.fault == FAULT_NULL && r.stem_count == 3 && !r.loop_count && r.stuck == -1);
  CHECK(r.stem[2].move.fault == FAULT_NULL && r.stem[2].thread == r.stem[0].thread);
  toy_make(&toy, toy_fault, 2, 1);
  r = check(&toy.system, PROGRESS_LOCK_FREE);
  CHECK(r.verdict == VERDICT_UNKNOWN && r.fault == FAULT_RANGE && r.reason[0]);
  toy_make(&toy, toy_endless, 2, 0);
  limits_start(&limits, 0, 4 << 20);
  r = check(&toy.system, PROGRESS_WAIT_FREE);
  CHECK(r.verdict == VERDICT_UNKNOWN && r.limit == LIMIT_MEMORY && r.states > 1000);
  CHECKF(strstr(r.reason, "the memory limit was reached") && strstr(r.reason, " states"), "%s", r.reason);
  limits_start(&limits, 0.05, 0);
  r = check(&toy.system, PROGRESS_DEADLOCK_FREE);
  CHECK(r.verdict == VERDICT_UNKNOWN && r.limit == LIMIT_TIME && r.states > 100);
  CHECK(atomic_load(&limits.used) == 0);
  mem_close(&memory);
}

/* A violation is found in a graph without end, where there is one. */
TEST(progress_of_endless_systems) {
  struct toy toy;
  open_memory();
  toy_make(&toy, toy_beside, 2, 0);
  for (int p = 0; p < 4; p++) {
    limits_start(&limits, 0, 16 << 20);
    struct liveness_result r = check(&toy.system, (enum progress)p);
    CHECK(r.verdict == (p == PROGRESS_DEADLOCK_FREE ? VERDICT_UNKNOWN : VERDICT_VIOLATED));
    if (r.verdict == VERDICT_VIOLATED) CHECK(r.stuck == 1 && r.stem_count == 1 && r.loop_count == 1);
  }
  mem_close(&memory);
}

/* Random systems: what the definitions say, by transitive closure. */

enum which { ALL_MOVES, NO_RETURNS, NOT_ITS_RETURN, ITS_OWN };

static bool has_return(const struct random_edge *e, int thread) {
  for (unsigned i = 0; i < e->event_count; i++)
    if (e->events[i].kind == EVENT_RETURN && (thread < 0 || e->events[i].thread == thread)) return true;
  return false;
}

static bool in(const struct random_edge *e, unsigned mover, enum which w, int thread) {
  switch (w) {
  case ALL_MOVES: return true;
  case NO_RETURNS: return !has_return(e, -1);
  case NOT_ITS_RETURN: return !has_return(e, thread);
  default: return (int)mover == thread && !has_return(e, thread);
  }
}

typedef bool closure[RANDOM_STATES][RANDOM_STATES];

/* Which states reach which, by one move or more. */
static void close_moves(const struct random_system *r, enum which w, int thread, closure reach) {
  memset(reach, 0, sizeof(closure));
  for (unsigned s = 0; s < r->states; s++)
    for (unsigned t = 0; t < r->system.threads; t++)
      for (unsigned k = 0; k < r->moves[s][t].count; k++)
        if (in(&r->moves[s][t].edges[k], t, w, thread)) reach[s][r->moves[s][t].edges[k].to] = true;
  for (unsigned k = 0; k < r->states; k++)
    for (unsigned i = 0; i < r->states; i++)
      for (unsigned j = 0; j < r->states; j++)
        if (reach[i][k] && reach[k][j]) reach[i][j] = true;
}

static bool reachable(closure reach, unsigned s) { return !s || reach[0][s]; }

/* A loop of these moves in which the thread moves inside an operation. */
static bool has_loop(const struct random_system *r, closure from_start, enum which w, int thread) {
  closure reach;
  close_moves(r, w, thread, reach);
  for (unsigned s = 0; s < r->states; s++)
    for (unsigned k = 0; k < r->moves[s][thread].count; k++) {
      const struct random_edge *e = &r->moves[s][thread].edges[k];
      if (r->open[s][thread] != RANDOM_CLOSED && reachable(from_start, s) && in(e, (unsigned)thread, w, thread) &&
          (e->to == s || reach[e->to][s]))
        return true;
    }
  return false;
}

/* Is an operation open in the states that reach s and are reached from it, of a thread that is not held in all of them?
 */
static bool is_open(const struct random_system *r, closure reach, unsigned s) {
  for (unsigned t = 0; t < r->system.threads; t++)
    for (unsigned u = 0; u < r->states; u++)
      if (r->open[s][t] != RANDOM_CLOSED && (u == s || (reach[s][u] && reach[u][s])) && !random_held(r, u, t))
        return true;
  return false;
}

/* A state from which operations stay open for ever under a fair scheduler. */
static bool livelock(const struct random_system *r, closure reach, unsigned s) {
  if (!is_open(r, reach, s) || !reach[s][s]) return false;
  for (unsigned t = 0; t < r->system.threads; t++) {
    bool fair = false;
    for (unsigned u = 0; u < r->states; u++) {
      if (u != s && (!reach[s][u] || !reach[u][s])) continue;
      if (!r->moves[u][t].count) fair = true;
      for (unsigned k = 0; k < r->moves[u][t].count; k++) {
        const struct random_edge *e = &r->moves[u][t].edges[k];
        if (!has_return(e, -1) && (e->to == s || reach[e->to][s])) fair = true;
      }
    }
    if (!fair) return false;
  }
  return true;
}

static bool waits_inside(const struct random_system *r, unsigned s, bool all) {
  bool found = false, moves = false;
  for (unsigned t = 0; t < r->system.threads; t++) {
    if (r->moves[s][t].count)
      moves = true;
    else if (r->moves[s][t].without == WAITS && r->open[s][t] != RANDOM_CLOSED && r->moves[s][t].locked)
      found = true;
  }
  return found && (!all || !moves);
}

static bool naive(const struct random_system *r, enum progress p) {
  closure from_start, without;
  close_moves(r, ALL_MOVES, -1, from_start);
  close_moves(r, NO_RETURNS, -1, without);
  for (unsigned s = 0; s < r->states; s++) {
    if (!reachable(from_start, s)) continue;
    if (waits_inside(r, s, p == PROGRESS_DEADLOCK_FREE)) return false;
    if (p == PROGRESS_DEADLOCK_FREE && livelock(r, without, s)) return false;
  }
  enum which w = p == PROGRESS_LOCK_FREE ? NO_RETURNS : p == PROGRESS_WAIT_FREE ? NOT_ITS_RETURN : ITS_OWN;
  for (unsigned t = 0; t < r->system.threads && p != PROGRESS_DEADLOCK_FREE; t++)
    if (has_loop(r, from_start, w, (int)t)) return false;
  return true;
}

/* A run that is said to violate a condition does. */
static void confirm(struct random_system *s, enum progress p, const struct liveness_result *r) {
  uint8_t states[RUN_MOST];
  run_replay(&s->system, r, states, NULL);
  unsigned at = states[r->stem_count], movers = 0;
  CHECK(r->stuck >= 0 && s->open[at][r->stuck] != RANDOM_CLOSED);
  if (!r->loop_count) {
    CHECK(r->waits && s->moves[at][r->stuck].without == WAITS && !s->moves[at][r->stuck].count);
    CHECK(p != PROGRESS_DEADLOCK_FREE || waits_inside(s, at, true));
    return;
  }
  for (size_t i = 0; i < r->loop_count; i++) {
    const struct path_move *m = &r->loop[i];
    movers |= 1u << m->thread;
    for (unsigned k = 0; k < m->move.event_count; k++)
      CHECK(m->move.events[k].kind != EVENT_RETURN ||
            (p == PROGRESS_WAIT_FREE && m->move.events[k].thread != r->stuck));
  }
  if (p == PROGRESS_DEADLOCK_FREE) {
    CHECK(run_fair(s, states + r->stem_count, r->loop, r->loop_count, FAIR_WEAK));
    CHECK(!(run_held(s, states + r->stem_count, r->loop_count) >> r->stuck & 1));
  } else {
    CHECK(movers >> r->stuck & 1);
  }
  CHECK(p != PROGRESS_OBSTRUCTION_FREE || movers == 1u << r->stuck);
}

TEST(progress_of_random_systems) {
  unsigned tally[4][2] = {{0}};
  uint64_t seed = 7;
  for (unsigned i = 0; i < (getenv("ASIF_LONG") ? 500000u : 20000u); i++) {
    struct random_system s;
    bool holds[4];
    random_system_make(&s, &seed, 2 + i % (RANDOM_STATES - 1), 1 + i % 3);
    open_memory();
    for (int p = 0; p < 4; p++) {
      struct liveness_result r = check(&s.system, (enum progress)p);
      holds[p] = r.verdict == VERDICT_HOLDS;
      CHECKF(holds[p] == naive(&s, (enum progress)p), "system %u, %s: %s", i, progress_name((enum progress)p),
             r.reason);
      if (!holds[p]) confirm(&s, (enum progress)p, &r);
      tally[p][holds[p]]++;
    }
    CHECK(!holds[PROGRESS_WAIT_FREE] || holds[PROGRESS_LOCK_FREE]);
    CHECK(!holds[PROGRESS_LOCK_FREE] || holds[PROGRESS_OBSTRUCTION_FREE]);
    CHECK(!holds[PROGRESS_LOCK_FREE] || holds[PROGRESS_DEADLOCK_FREE] || random_conditions(&s));
    mem_close(&memory);
  }
  for (int p = 0; p < 4; p++)
    printf("%s: %u hold, %u do not\n", progress_name((enum progress)p), tally[p][1], tally[p][0]);
  for (int p = 0; p < 4; p++) CHECK(tally[p][0] > 300 && tally[p][1] > 300);
}
