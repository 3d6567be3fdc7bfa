/* asif verify --progress and --ltl: what is asked, and the facts for reports. */
#include "cmd/verify_live.h"

#include <string.h>

/* What is only for linearizability, or shows a history: infinite executions have a schedule alone. */
static const char *const not_for_liveness[] = {"against",    "points", "approx", "reduce", "search", "no-deadlock",
                                               "checkpoint", "resume", "dump",   "svg",    "history"};

static bool go_together(const struct args *a, const char *progress, const char *formula) {
  if (progress && formula) return usage_error(a, "--progress and --ltl exclude each other"), false;
  for (size_t i = 0; i < sizeof not_for_liveness / sizeof *not_for_liveness; i++)
    if (arg_value(a, not_for_liveness[i]))
      return usage_error(a, "--%s and --%s exclude each other", progress ? "progress" : "ltl", not_for_liveness[i]),
             false;
  if (progress && arg_value(a, "fair"))
    return usage_error(a, "--fair is for --ltl: each progress condition says which executions it is about"), false;
  return true;
}

bool live_options(const struct args *a, struct live_asked *asked, struct verify_options *o) {
  const char *progress = arg_value(a, "progress"), *fair = arg_value(a, "fair");
  asked->formula = arg_value(a, "ltl");
  if (!progress && !asked->formula) return !fair || (usage_error(a, "--fair is for --ltl"), false);
  if (!go_together(a, progress, asked->formula)) return false;
  while (progress && strcmp(progress_name(asked->progress), progress))
    asked->progress++; /* one of them: the option's choices */
  while (fair && strcmp(fairness_name(asked->fairness), fair)) asked->fairness++;
  if (!arg_value(a, "ops")) o->ops = OPS_FOREVER;
  o->live = asked;
  return true;
}

void live_facts(const struct live_asked *asked, const struct verified *v, struct endless *e) {
  const struct schedule *s = &v->schedule;
  size_t stem = v->search.path_count - v->loop_count;
  *e = (struct endless){.progress = asked->formula ? NULL : progress_name(asked->progress), .formula = asked->formula};
  if (asked->formula && asked->fairness != FAIR_NONE) e->fairness = fairness_name(asked->fairness);
  while (e->loop < s->lines.count && (!v->loop_count || v->bad_prefix || s->lines.at[e->loop].step <= stem)) e->loop++;
}
