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
  if (live_confirm(s->mem, system, asked, &names, r->stem, r->stem_count + r->loop_count, r->loop_count, &said))
    return true;
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

static void note_clients(struct subject *s, const struct liveness_result *r, struct verified *out) {
  if (*r->note) note(s, out, "%s", r->note);
  if (s->options->ops != OPS_FOREVER && r->verdict == VERDICT_HOLDS)
    note(s, out,
         "clients that stop after %u operation%s cannot overtake another for ever: with --ops forever it may not hold",
         s->options->ops, s->options->ops == 1 ? "" : "s");
  note_assumptions(s, out);
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
