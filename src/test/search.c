/* Clients one after the other, each explored, and every run judged, until something is wrong. */
#include <string.h>

#include "test/test.h"

enum { SMALL_CALLS = 8, BOUND_MOST = 64 }; /* calls of a client up to which DPOR is the default */

struct searching {
  struct mem *mem;
  const struct object *object;
  const struct search_options *options;
  struct limits *limits;
  struct judge *judge;
  struct searched *out;
  struct problem *why;
  struct problem judging; /* what went wrong in judging */
  bool failed, counted;   /* counted: a run of this client was judged */
  double told;
};

static void keep_finding(struct searching *k, const struct run *r) {
  struct finding *f = &k->out->finding;
  f->found = r->found ? r->found : FOUND_HISTORY;
  f->said = mem_string(k->mem, r->said ? r->said : "", strlen(r->said ? r->said : ""));
  client_copy(k->mem, r->client, &f->client);
  f->count = r->count;
  f->choices = mem_alloc(k->mem, (r->count + 1) * sizeof *f->choices);
  for (size_t i = 0; i < r->count; i++) f->choices[i] = (struct choice){r->steps[i].fiber, r->steps[i].block};
}

static enum visit visit(void *self, const struct run *r) {
  struct searching *k = self;
  k->counted |= r->end != RUN_CANNOT;
  k->out->long_runs |= r->end == RUN_LONG;
  switch (judge_run(k->judge, r, &k->judging)) {
  case JUDGED_GOOD: return VISIT_ON;
  case JUDGED_WRONG:
    keep_finding(k, r);
    k->out->verdict = VERDICT_VIOLATED;
    return VISIT_STOP;
  default: k->failed = true; return VISIT_STOP;
  }
}

static void tell(struct searching *k, bool now) {
  if (!k->options->progress) return;
  double seconds = limits_elapsed(k->limits);
  if (!now && seconds - k->told < 0.1) return;
  k->told = seconds;
  k->out->histories = judge_histories(k->judge);
  k->options->progress(k->options->progress_self, k->out);
}

static struct explore_options options_for(const struct searching *k, const struct client *c) {
  struct explore_options o = k->options->explore;
  if (!k->options->automatic) return o;
  bool small = client_calls(c) <= SMALL_CALLS;
  o.strategy = small ? EXPLORE_DPOR : EXPLORE_BOUNDED;
  o.bound_by = BOUND_DELAYS;
  o.bound = BOUND_MOST;
  o.cache = true;
  return o;
}

static bool explore_client(struct searching *k, const struct client *c) {
  struct explore_counts counts = {0};
  struct explore_options o = options_for(k, c);
  struct searched *s = k->out;
  k->counted = false;
  bool good = explore(c, &o, NULL, k->limits, visit, k, &counts, k->why);
  s->schedules += counts.schedules;
  s->cut += counts.cut;
  s->steps += counts.steps;
  s->traces += counts.traces;
  s->histories = judge_histories(k->judge);
  s->waiting = judge_waiting(k->judge);
  if (k->failed) *k->why = k->judging;
  if (!good || k->failed) return false;
  if (s->verdict == VERDICT_VIOLATED || limits_poll(k->limits)) return true;
  s->done++;
  s->refused += !k->counted;
  if (!counts.complete) {
    s->bound = s->complete || counts.bound < s->bound ? counts.bound : s->bound;
    s->complete = false;
  }
  return true;
}

bool search_clients(struct mem *m, struct image *image, const struct object *o, const struct clients *clients, const struct search_options *options,
            struct limits *limits, struct searched *out, struct problem *why) {
  struct searching k = {.mem = m, .object = o, .options = options, .limits = limits, .out = out, .why = why};
  *out = (struct searched){.verdict = VERDICT_HOLDS, .clients = clients->count, .complete = true};
  if (!run_open(image, o->run_ops, o->op_count, o->init, &options->run, why)) return false;
  k.judge = judge_new(m, o);
  for (size_t i = 0; i < clients->count && out->verdict == VERDICT_HOLDS; i++) {
    if (!explore_client(&k, &clients->at[i])) return false;
    tell(&k, i + 1 == clients->count);
    if (out->verdict == VERDICT_HOLDS && limits_poll(limits)) {
      out->verdict = VERDICT_UNKNOWN;
      out->limit = (enum limit)limits->reached;
    }
  }
  return true;
}
