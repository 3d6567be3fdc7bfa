/* Exploring: what all strategies have in common. See explore.h. */
#include "test/explore.h"

enum { POLL_EVERY = 64 };
#define SET_BYTES ((size_t)1 << 30) /* reserved, and used as needed */

/* Takes one of the schedules that may still be counted. False: there is none left. It is taken once a run has turned
 * out to be one more schedule: nobody holds what another might still need, so the limit is exact whatever the number of
 * processes. */
static bool take_schedule(struct explorer *e) {
  uint64_t left = *e->share.left;
  while (left && !atomic_compare_exchange_weak(e->share.left, &left, left - 1)) continue;
  if (left) return true;
  if (e->limits) e->limits->reached = LIMIT_SCHEDULES;
  e->stopped = true;
  return false;
}

const struct run *explorer_try(struct explorer *e, const struct plan *plan) {
  if (++e->polls % POLL_EVERY == 0 && e->limits && limits_poll(e->limits)) e->stopped = true;
  if (e->stopped) return NULL;
  if (e->share.choices) {
    size_t shown = plan->count < CHOICES_SHOWN ? plan->count : CHOICES_SHOWN;
    for (size_t i = plan->after ? plan->same : 0; i < shown; i++) e->share.choices[i] = plan->choices[i];
    atomic_store_explicit(e->share.choice_count, (uint32_t)shown, memory_order_relaxed);
  }
  return e->execute(e->client, plan, e->problem);
}

const struct run *explorer_run(struct explorer *e, const struct plan *plan) {
  const struct run *run = explorer_try(e, plan);
  if (!run && !e->stopped) e->stopped = e->failed = true;
  return run;
}

static void count_trace(struct explorer *e, const struct run *run, bool traced) {
  if (!traced) trace_follow(&e->trace, run->steps, run->count, 0);
  if (hashes_add(e->share.traces, trace_hash(&e->trace), 0) == HASH_NEW) e->counts->traces++;
}

/* Have the runs taken as many steps as they may? A count, so that the same exploration ends at the same run. */
static void look_at_steps(struct explorer *e) {
  if (!e->options.steps_most || e->stopped) return;
  const struct explore_counts *c = e->counts;
  if (c->steps + c->schedules + c->cut < e->options.steps_most) return; /* a run may end before its first step */
  e->stopped = e->counts->spent = true;
}

static void count_run(struct explorer *e, const struct run *run, bool traced) {
  if (run->end == RUN_CUT || run->end == RUN_CANNOT) {
    e->counts->cut++;
    return;
  }
  if (e->share.left && !take_schedule(e)) return;
  if (run->end == RUN_LONG) e->long_run = true;
  e->counts->schedules++;
  if (e->share.traces) count_trace(e, run, traced);
  if (e->visit(e->context, run) == VISIT_STOP) e->stopped = true;
}

void explorer_visit(struct explorer *e, const struct run *run, bool traced) {
  e->counts->steps += run->count;
  count_run(e, run, traced);
  look_at_steps(e);
}

void explorer_skip(struct explorer *e) {
  e->counts->schedules++;
  e->counts->skipped++;
  look_at_steps(e);
}

/* What is to be shared and is not given is one's own. */
static bool open_sets(struct explorer *e) {
  const struct explore_options *o = &e->options;
  bool caching = o->cache && o->strategy->may_cache, counting = caching || o->count_traces;
  size_t bytes = e->limits && e->limits->bytes ? e->limits->bytes / 4 : SET_BYTES;
  if (!counting)
    e->share.traces = NULL;
  else if (!e->share.traces)
    e->share.traces = e->own_traces = hashes_open_own(bytes);
  if (!caching)
    e->share.states = NULL;
  else if (!e->share.states)
    e->share.states = e->own_states = hashes_open_own(2 * bytes);
  bool orders = o->orders && !o->weak && o->strategy == &strategies[EXPLORE_DPOR] && orders_possible(e->client);
  if (orders) e->orders = orders_open(e->mem, bytes);
  return (e->share.traces || !counting) && (e->share.states || !caching) && (e->orders || !orders);
}

bool explore_with(executor *execute, const struct client *client, const struct explore_options *options,
                  const struct share *share, struct limits *limits, enum visit (*visit)(void *, const struct run *),
                  void *context, struct explore_counts *counts, struct problem *problem) {
  struct mem own;
  struct explorer e = {.mem = &own,
                       .execute = execute,
                       .client = client,
                       .options = *options,
                       .limits = limits,
                       .visit = visit,
                       .context = context,
                       .counts = counts,
                       .problem = problem};
  e.share = share ? *share : (struct share){.workers = 1};
  *counts = (struct explore_counts){0};
  mem_open(&own, limits);
  if (!MEM_GUARD(&own)) {
    if (!open_sets(&e)) {
      problem_of(problem, PROBLEM_SYSTEM, "no memory for the set of happens-before traces");
      e.failed = true;
    } else {
      trace_open(&e.trace, &own, client->threads);
      e.options.strategy->explore(&e);
    }
  } else {
    counts->complete = false; /* limits->reached says why */
  }
  if (e.orders) orders_close(e.orders);
  mem_close(&own);
  hashes_close(e.own_states);
  hashes_close(e.own_traces);
  return !e.failed;
}

bool explore(const struct client *client, const struct explore_options *options, const struct share *share,
             struct limits *limits, enum visit (*visit)(void *, const struct run *), void *context,
             struct explore_counts *counts, struct problem *problem) {
  return explore_with(run_execute, client, options, share, limits, visit, context, counts, problem);
}
