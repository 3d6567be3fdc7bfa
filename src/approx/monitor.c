/* Monitors: which one a specification has, and the confirmation of what they say. */
#include <string.h>

#include "approx/elements.h"
#include "approx/grammar.h"

bool monitor_exists(const struct spec *spec) { return shape_of(spec) || grammar_exists(spec); }

bool monitor_complete(const struct spec *spec) {
  const struct shape *shape = shape_of(spec);
  return shape && shape->exact;
}

struct monitor *monitor_new(struct mem *m, const struct spec *spec, unsigned k, struct problem *problem) {
  if (k > APPROX_K_MOST) {
    problem_set(problem, "k is %u, but approximations go up to k = %d", k, APPROX_K_MOST);
    return NULL;
  }
  if (shape_of(spec)) return monitor_of_elements(m, spec, k, problem);
  if (grammar_exists(spec)) return monitor_of_bundled_grammar(m, spec, k, problem);
  char list[400] = "";
  size_t used = 0;
  for (size_t i = 0; specs[i]; i++) {
    if (!monitor_exists(specs[i]) || used >= sizeof list) continue;
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", specs[i]->name);
  }
  problem_set(
      problem,
      "there is no monitor of the specification '%.60s', but of %s; for others give a formula or a grammar of your own",
      spec->name, list);
  return NULL;
}

void monitor_blind(const struct monitor *m, struct text *t) {
  if (m->type->blind) m->type->blind(m, t);
}

bool monitor_reset(struct monitor *m, const struct values *values) {
  if (!m->type->reset) return false;
  m->spec.values = values;
  m->events = 0;
  m->violated = false;
  m->type->reset(m);
  return true;
}

/* Showing. */

void monitor_show_as(struct monitor *m, uint32_t process, uint16_t method, const value arg[OP_ARGS], value result,
                     bool pending, unsigned from, unsigned to) {
  char name[16];
  int len = snprintf(name, sizeof name, "%u", process);
  uint32_t p = names_intern(m->shown->processes, name, (size_t)len);
  history_interval(m->shown, p, 0, method, arg, OP_ARGS, pending ? V_UNKNOWN : result, 2 * (int64_t)from,
                   pending ? INT64_MAX : 2 * (int64_t)to + 1, 0);
}

void monitor_show(struct monitor *m, uint16_t method, const value arg[OP_ARGS], value result, bool pending,
                  unsigned from, unsigned to) {
  monitor_show_as(m, (uint32_t)m->shown->ops.count + 1, method, arg, result, pending, from, to);
}

struct history *monitor_history(struct mem *m, const struct spec *spec) {
  struct history *h = history_new(m, "monitor");
  h->values = (struct values *)spec->values; /* those of the events; nothing is added to them */
  names_intern(h->objects, "x", 1);          /* as readers of formats without objects have it: evidence wants a name */
  for (unsigned i = 0; i < spec->op_count; i++) {
    size_t len;
    const char *name = spec_op_name(spec, i, &len);
    names_intern(h->methods, name, len);
  }
  return h;
}

bool monitor_confirm(struct mem *m, const struct history *h, const struct spec *spec, struct check_result *r,
                     struct problem *problem) {
  struct limits none;
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1, .explain = true};
  limits_start(&none, 0, 0);
  if (!check_history(m, h, spec, &options, m->limits ? m->limits : &none, r, problem)) {
    r->verdict = VERDICT_UNKNOWN;
    return false;
  }
  if (r->verdict == VERDICT_VIOLATED) return true;
  if (r->verdict == VERDICT_HOLDS)
    problem_internal(problem, "a monitor said 'violated', but the exact checker accepts the operations shown");
  else
    problem_set(problem,
                "a monitor said 'violated', but a limit was reached before the exact checker had decided the %zu "
                "operations shown",
                h->ops.count);
  return false;
}

/* All belongs to the core, but pending operations that do not help at any time: where who did what is made up, fewer
 * operations say nothing. An unlock alone is wrong only as long as nobody says that its process had the lock. */
void monitor_show_all(struct mem *m, const struct history *h, struct check_result *r) {
  uint32_t *core = mem_alloc(m, (h->ops.count + 1) * sizeof *core);
  bool *helpless = mem_zero(m, h->ops.count + 1, sizeof *helpless);
  size_t freed = 0;
  for (size_t i = 0; i < r->freed_count; i++) {
    helpless[r->freed[i]] = op_pending(&h->ops.at[r->freed[i]]);
    if (helpless[r->freed[i]]) r->freed[freed++] = r->freed[i];
  }
  r->freed_count = freed;
  r->core_count = 0;
  for (uint32_t i = 0; i < h->ops.count; i++)
    if (!helpless[i]) core[r->core_count++] = i;
  r->core = core;
  r->context_count = 0;
  r->core_to = NO_RETURN;
  r->core_forgets = r->minimal = false;
}

static bool show_and_confirm(struct mem *m, struct monitor *monitor, struct violation *v, struct problem *problem) {
  struct text said;
  text_open(&said, m);
  *v = (struct violation){.k = monitor->k, .events = monitor->events};
  monitor->shown = monitor_history(m, &monitor->spec);
  monitor->type->show(monitor, &said);
  v->history = monitor->shown;
  monitor->shown = NULL;
  history_finish(v->history);
  struct spec spec = monitor->spec;
  spec.processes = v->history->processes;
  v->said = mem_string(m, text_string(&said), said.count);
  v->counted = monitor->type->counts;
  if (!monitor_confirm(m, v->history, &spec, &v->result, problem)) return false;
  if (v->counted) monitor_show_all(m, v->history, &v->result);
  return true;
}

bool monitor_violation(struct mem *m, struct monitor *monitor, struct violation *v, struct problem *problem) {
  do
    if (show_and_confirm(m, monitor, v, problem)) return true;
  while (v->result.verdict == VERDICT_HOLDS && monitor->type->more && monitor->type->more(monitor));
  if (v->result.verdict == VERDICT_HOLDS && monitor->type->blame) v->blamed = monitor->type->blame(monitor, problem);
  return false;
}
