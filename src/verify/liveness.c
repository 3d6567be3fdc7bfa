/* What deciding progress conditions and formulas have in common: see liveness.h. */
#include "verify/liveness.h"

#include <string.h>

static void unknown(struct liveness *l) {
  struct liveness_result *r = l->result;
  *r = (struct liveness_result){
      .verdict = VERDICT_UNKNOWN, .stuck = -1, .product = r->product, .automaton = r->automaton};
  r->states = l->graph.count;
  r->transitions = l->graph.edges.count;
  r->limit = (enum limit)l->limits->reached;
  snprintf(r->reason, sizeof r->reason, "%s after %.1f s, with %llu states and %llu moves", limit_told(r->limit),
           limits_elapsed(l->limits), (unsigned long long)r->states, (unsigned long long)r->transitions);
}

static bool faulted(struct liveness *l) {
  struct liveness_result *r = l->result;
  r->fault = l->graph.fault.move.fault;
  if (r->fault == FAULT_FORGOTTEN) { /* perhaps no execution has it */
    r->verdict = VERDICT_UNKNOWN;
    return true;
  }
  if (!liveness_violated_in(l, l->graph.fault_node)) return false;
  r->stem_count++;
  if (r->fault == FAULT_RANGE) r->verdict = VERDICT_UNKNOWN;
  const char *text = l->graph.fault.move.text;
  snprintf(r->reason, sizeof r->reason, "a move of thread %c %s%s%.200s", 'A' + l->graph.fault.thread,
           r->fault == FAULT_RANGE ? "goes beyond what is modelled" : "faults, so nothing was decided about progress",
           text ? ": " : "", text ? text : "");
  return true;
}

/* Which calls are made, and return, in some run. */
static void note_calls(struct liveness *l) {
  const struct graph *g = &l->graph;
  struct liveness_result *r = l->result;
  for (size_t i = 0; i < g->labels.count; i++)
    for (unsigned k = 0; k < g->labels.at[i].count; k++)
      if (g->labels.at[i].events[k].call >= r->calls_count) r->calls_count = g->labels.at[i].events[k].call + 1u;
  r->calls = mem_zero(l->mem, r->calls_count + 1, 1);
  for (size_t i = 0; i < g->labels.count; i++)
    for (unsigned k = 0; k < g->labels.at[i].count; k++) {
      const struct event *e = &g->labels.at[i].events[k];
      r->calls[e->call] |= e->kind == EVENT_RETURN ? CALL_RETURNED : CALL_MADE;
    }
}

enum { FIRST_PART = 1 << 15, PARTS_GROW = 8 };

static bool in_parts(struct liveness *l, liveness_step *prepare, liveness_step *decide) {
  bool good = !prepare || prepare(l);
  uint32_t size = FIRST_PART;
  l->part = mem_child(&l->scratch);
  graph_open(&l->graph, &l->scratch, l->system);
  while (good && l->result->verdict == VERDICT_HOLDS) {
    graph_extend(&l->graph, size);
    l->result->states = l->graph.count;
    l->result->transitions = l->graph.edges.count;
    if (l->graph.fault_node != UINT32_MAX) return faulted(l);
    good = decide(l);
    if (graph_complete(&l->graph)) {
      note_calls(l);
      break;
    }
    mem_close(l->part);
    size = size < UINT32_MAX / PARTS_GROW ? size * PARTS_GROW : UINT32_MAX;
  }
  return good;
}

/* A limit reached in scratch. */
static bool guarded(struct liveness *l, liveness_step *prepare, liveness_step *decide) {
  volatile bool good = true;
  if (MEM_GUARD(&l->scratch))
    unknown(l);
  else
    good = in_parts(l, prepare, decide);
  return good;
}

bool liveness_decide(struct liveness *l, liveness_step *prepare, liveness_step *decide) {
  struct mem_outer outer;
  volatile bool good = true;
  *l->result = (struct liveness_result){.verdict = VERDICT_HOLDS, .stuck = -1};
  mem_open(&l->scratch, l->limits);
  mem_keep_guard(l->mem, &outer);
  if (MEM_GUARD(l->mem)) /* a limit reached by the result itself */
    unknown(l);
  else
    good = guarded(l, prepare, decide);
  mem_restore_guard(l->mem, &outer);
  mem_close(&l->scratch);
  return good;
}

struct question liveness_question(struct liveness *l) {
  struct graph *g = &l->graph;
  uint8_t *thread = mem_alloc(l->part, g->labels.count + 1);
  for (size_t i = 0; i < g->labels.count; i++) thread[i] = g->labels.at[i].thread;
  return (struct question){.count = g->expanded,
                           .first = g->first.at,
                           .edges = g->edges.at,
                           .parent = g->parent.at,
                           .thread = thread,
                           .enabled = g->enabled.at};
}

bool liveness_violated(struct liveness *l, const struct edges *stem, const struct edges *loop) {
  struct liveness_result *r = l->result;
  struct edges all = {0};
  vec_reserve(l->part, &all, stem->count + loop->count + 1);
  for (size_t i = 0; i < stem->count; i++) all.at[all.count++] = stem->at[i];
  for (size_t i = 0; i < loop->count; i++) all.at[all.count++] = loop->at[i];
  r->stem = graph_path(&l->graph, l->mem, all.at, all.count, l->graph.fault_node != UINT32_MAX);
  if (!r->stem) {
    problem_internal(l->problem, "a run that was found does not replay");
    return false;
  }
  r->verdict = VERDICT_VIOLATED;
  r->stem_count = stem->count;
  r->loop = r->stem + stem->count;
  r->loop_count = loop->count;
  return true;
}

bool liveness_violated_in(struct liveness *l, uint32_t node) {
  struct question q = liveness_question(l);
  struct edges stem = {0}, none = {0};
  lasso_stem(l->part, &q, node, &stem);
  return liveness_violated(l, &stem, &none);
}

void liveness_print_threads(struct liveness *l, uint32_t node, uint16_t threads, struct text *out) {
  const char *between = "";
  for (unsigned t = 0; t < l->system->threads; t++) {
    if (!(threads >> t & 1)) continue;
    text_printf(out, "%sthread %c", between, 'A' + (int)t);
    between = ", ";
    uint16_t call = graph_call(&l->graph, node, t);
    if (call == NOT_OPEN) continue;
    text_add(out, " is in ");
    if (l->names)
      l->names->print_call(l->names->self, call, out);
    else
      text_add(out, "an operation");
  }
}
