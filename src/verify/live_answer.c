/* The answer about liveness: what was decided on the state graph, made again and told as any other execution (tell.c).
 */
#include <string.h>

#include "verify/bounded.h"
#include "verify/live.h"

const char *fairness_name(enum fairness f) {
  static const char *const names[] = {"none", "weak", "strong"};
  return names[f];
}

static bool decide_once(struct subject *s, struct limits *limits, struct liveness_result *r, struct verified *out,
                        struct problem *why) {
  const struct live_asked *asked = s->options->live;
  struct system *system = live_system(s);
  struct ltl_names names = live_names(s);
  bool good = asked->formula ? ltl_check(s->mem, system, asked->formula, asked->fairness, &names, limits, r, why)
                             : progress_check(s->mem, system, asked->progress, &names, limits, r, why);
  if (!good) return false;
  out->search.refused = system != s->machine && bounded_refused(system);
  if (r->verdict != VERDICT_VIOLATED || r->fault != FAULT_NONE) return true;
  struct problem said;
  size_t bad;
  if (live_confirm(s->mem, system, asked, &names, r->stem, r->stem_count + r->loop_count, r->loop_count, &bad, &said)) {
    out->bad_prefix = bad == SIZE_MAX ? 0 : bad;
    return true;
  }
  problem_internal(why, "the run that was found is no violation: %s", said.text);
  return false;
}

/* And again without forgetting if something that was forgotten is needed. */
static bool decide(struct subject *s, struct limits *limits, struct liveness_result *r, struct verified *out,
                   struct problem *why) {
  if (!decide_once(s, limits, r, out, why)) return false;
  if (r->fault != FAULT_FORGOTTEN) return true;
  subject_remember(s);
  return decide_once(s, limits, r, out, why);
}

static const char *kind_of(struct subject *s, const struct live_asked *asked) {
  struct text t;
  if (asked->formula) return "formula";
  text_open(&t, s->mem);
  text_printf(&t, "not %s", progress_name(asked->progress));
  return t.at;
}

/* An operation that nothing was seen of: what holds holds without it. */
static void note_unseen(struct subject *s, const struct liveness_result *r, struct verified *out) {
  for (uint32_t op = 0; r->calls && op < s->program->op_count; op++) {
    unsigned seen = 0;
    for (unsigned t = 0; t < s->threads; t++)
      for (unsigned i = 0; i < s->client[t].call_count; i++) {
        const struct client_call *c = &s->client[t].calls[i];
        if (c->op == op && c->number < r->calls_count) seen |= r->calls[c->number];
      }
    if (!(seen & CALL_MADE))
      note(s, out, "%s is never called in any execution: nothing is said of it", s->program->ops[op].function);
    else if (!(seen & CALL_RETURNED) && r->verdict == VERDICT_HOLDS)
      note(s, out, "no call of %s ever returns: what it requires (asif_require) never holds, so it never really runs",
           s->program->ops[op].function);
  }
}

static void note_clients(struct subject *s, const struct liveness_result *r, struct verified *out) {
  if (*r->note) note(s, out, "%s", r->note);
  note_unseen(s, r, out);
  if (s->options->weak_fails && uses_weak(s->program))
    note(s, out,
         "with --weak, atomic_compare_exchange_weak may fail without a reason for ever: a loop may be nothing but such "
         "failures, which no machine makes for ever; without --weak they are left out");
  if (s->options->ops != OPS_FOREVER && r->verdict == VERDICT_HOLDS)
    note(s, out,
         "clients that stop after %u operation%s cannot overtake another for ever: with --ops forever it may not hold",
         s->options->ops, s->options->ops == 1 ? "" : "s");
  note_assumptions(s, out);
}

/* Where a formula is false whatever follows, what follows is not told. The history stays whole, for the evidence. */
static bool explain_prefix(struct subject *s, const struct liveness_result *r, struct verified *out,
                           struct problem *why) {
  struct history *whole = out->history;
  struct text t;
  text_open(&t, s->mem);
  text_printf(&t, "it is false of every execution that begins like this: nothing after step %zu matters",
              out->bad_prefix);
  out->reason = t.at;
  out->search.violation = VIOLATION_TRACE;
  bool good = explain_path(s, r->stem, out->bad_prefix, out, why);
  out->history = whole;
  return good;
}

static bool explain(struct subject *s, const struct liveness_result *r, struct verified *out, struct problem *why) {
  out->search.violation = r->fault != FAULT_NONE ? VIOLATION_FAULT : r->waits ? VIOLATION_DEADLOCK : VIOLATION_TRACE;
  if (!explain_path(s, r->stem, r->stem_count + r->loop_count, out, why)) {
    struct problem said = *why;
    problem_internal(why, "%s", said.text);
    return false;
  }
  if (r->fault != FAULT_NONE)
    explain_fault(s, out, &r->stem[r->stem_count - 1].move);
  else
    out->kind = kind_of(s, s->options->live);
  if (out->bad_prefix && r->fault == FAULT_NONE) return explain_prefix(s, r, out, why);
  return true;
}

bool live_verify(struct subject *s, struct limits *limits, struct verified *out, struct problem *why) {
  struct liveness_result r;
  if (start_fails(s, out)) return true;
  if (!decide(s, limits, &r, out, why)) return false;
  const char *user = spec_user_fault(&s->spec);
  if (user) {
    problem_set(why, "%s", user);
    return false;
  }
  struct search_result *search = &out->search;
  search->verdict = r.verdict;
  search->limit = r.limit;
  search->states = r.states;
  search->transitions = r.transitions;
  if (*r.reason) out->reason = mem_string(s->mem, r.reason, strlen(r.reason));
  note_clients(s, &r, out);
  if (r.verdict != VERDICT_VIOLATED) return true;
  search->path = r.stem;
  search->path_count = r.stem_count + r.loop_count;
  out->loop_count = r.loop_count;
  return explain(s, &r, out, why);
}
