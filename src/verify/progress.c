/* Progress conditions (Herlihy and Shavit 2011, On the Nature of Progress), decided as loops of the reachable state
 * graph: what each is, and why the checks are exact, is in progress.h. */
#include "verify/progress.h"

#include <string.h>

#include "verify/liveness.h"

const char *progress_name(enum progress p) {
  static const char *const names[] = {"deadlock-free", "obstruction-free", "lock-free", "wait-free"};
  return names[p];
}

static void say(struct liveness *l, const char *before, uint32_t node, uint16_t threads, const char *after) {
  struct text t;
  text_open(&t, l->part);
  text_add(&t, before);
  liveness_print_threads(l, node, threads, &t);
  text_add(&t, after);
  snprintf(l->result->reason, sizeof l->result->reason, "%s", text_string(&t));
}

/* Violated: some threads wait in a node inside operations. */
static bool waiting(struct liveness *l, uint32_t node, uint16_t threads) {
  if (!liveness_violated_in(l, node)) return false;
  l->result->stuck = first_thread(threads);
  l->result->waits = true;
  if (l->progress == PROGRESS_DEADLOCK_FREE)
    say(l, "no thread can move, though ", node, threads, "");
  else
    say(l, "", node, (uint16_t)(1u << l->result->stuck), " and waits, for ever if the others have stopped");
  return true;
}

/* A state that is itself a violation; UINT32_MAX if there is none. *threads: those that wait inside operations. */
static uint32_t find_waiting(const struct liveness *l, uint16_t *threads) {
  const struct graph *g = &l->graph;
  for (uint32_t i = 0; i < g->expanded; i++) {
    *threads = g->waits.at[i] & g->open.at[i];
    if (*threads && (l->progress != PROGRESS_DEADLOCK_FREE || !g->enabled.at[i])) return i;
  }
  return UINT32_MAX;
}

/* Which edges a loop may have, that is to be found for a thread (-1: for all together). */
static bool *kept(struct liveness *l, int thread) {
  const struct graph *g = &l->graph;
  bool *keep = mem_zero(l->part, g->labels.count + 1, sizeof *keep);
  for (size_t i = 0; i < g->labels.count; i++) {
    const struct graph_label *label = &g->labels.at[i];
    keep[i] = !label_has(label, EVENT_RETURN, thread) &&
              (l->progress != PROGRESS_OBSTRUCTION_FREE || label->thread == thread);
  }
  return keep;
}

/* The threads whose moves inside operations make a loop a violation, by node. */
static uint16_t *interest(struct liveness *l, int thread) {
  struct graph *g = &l->graph;
  if (thread < 0) return g->open.at;
  uint16_t *in = mem_alloc(l->part, g->expanded * sizeof *in);
  for (uint32_t i = 0; i < g->expanded; i++) in[i] = g->open.at[i] & (uint16_t)(1u << thread);
  return in;
}

static void say_loop(struct liveness *l, const struct lasso *loop, uint16_t threads) {
  bool returns = false;
  for (size_t i = 0; i < loop->loop.count; i++)
    if (label_has(&l->graph.labels.at[loop->loop.at[i].label], EVENT_RETURN, -1)) returns = true;
  switch (l->progress) {
  case PROGRESS_DEADLOCK_FREE:
    say(l, "under a fair scheduler no operation returns: ", loop->from, l->graph.open.at[loop->from], " for ever");
    break;
  case PROGRESS_OBSTRUCTION_FREE: say(l, "", loop->from, threads, " for ever, though it runs alone"); break;
  case PROGRESS_LOCK_FREE: say(l, "", loop->from, threads, " for ever, and no operation returns"); break;
  case PROGRESS_WAIT_FREE:
    say(l, "", loop->from, threads, returns ? " for ever while others return" : " for ever, and no operation returns");
  }
}

/* Violated: threads move for ever. */
static bool looping(struct liveness *l, const struct lasso *loop, uint16_t may) {
  uint16_t movers = 0, held = UINT16_MAX;
  for (size_t i = 0; i < loop->loop.count; i++) {
    movers |= (uint16_t)(1u << l->graph.labels.at[loop->loop.at[i].label].thread);
    held &= l->graph.held.at[loop->loop.at[i].to];
  }
  may &= (uint16_t)~held;
  if (movers & may) may &= movers;
  if (!liveness_violated(l, &loop->stem, &loop->loop)) return false;
  l->result->stuck = first_thread(may);
  say_loop(l, loop, may);
  return true;
}

/* Looks for a loop that is a violation, for a thread (-1: for all together). */
static bool find_loop(struct liveness *l, int thread) {
  struct question q = liveness_question(l);
  struct lasso found;
  bool *keep = kept(l, thread);
  uint16_t *in = interest(l, thread);
  q.keep = keep;
  q.interest = in;
  q.held = l->graph.held.at;
  if (l->progress == PROGRESS_DEADLOCK_FREE) {
    q.fairness = FAIR_WEAK;
    q.idle = true;
  }
  lasso_find(l->part, &q, &found);
  bool good = !found.found || looping(l, &found, in[found.from]);
  mem_free(l->part, keep);
  if (thread >= 0) mem_free(l->part, in);
  return good;
}

/* Threads of one group do the same: what the first of them cannot the others cannot. */
static bool first_of_group(const struct system *s, unsigned thread) {
  for (unsigned t = 0; t < thread && s->group; t++)
    if (s->group[t] == s->group[thread]) return false;
  return true;
}

static bool decide(struct liveness *l) {
  uint16_t threads;
  uint32_t node = find_waiting(l, &threads);
  if (node != UINT32_MAX) return waiting(l, node, threads);
  bool together = l->progress == PROGRESS_DEADLOCK_FREE || l->progress == PROGRESS_LOCK_FREE;
  if (together) return find_loop(l, -1);
  for (unsigned t = 0; t < l->system->threads && l->result->verdict == VERDICT_HOLDS; t++)
    if (first_of_group(l->system, t) && !find_loop(l, (int)t)) return false;
  return true;
}

bool progress_check(struct mem *m, struct system *system, enum progress progress, const struct ltl_names *names,
                    struct limits *limits, struct liveness_result *result, struct problem *problem) {
  struct liveness l = {
      .mem = m, .system = system, .names = names, .limits = limits, .result = result, .problem = problem};
  l.progress = progress;
  return liveness_decide(&l, NULL, decide);
}
