/* Why a history is not linearizable: the smallest wrong part of it (shrink.c), put into the history's terms, and a
 * sentence in the object's own (reason.c). */
#include "check/explain.h"

#include <string.h>

#include "check/fault.h"
#include "check/reason.h"
#include "check/shrink.h"

static uint32_t *to_global(struct mem *mem, const struct part *p, const op_list *ops) {
  uint32_t *list = mem_alloc(mem, (ops->count + 1) * sizeof *list);
  for (size_t i = 0; i < ops->count; i++) list[i] = p->global ? p->global[ops->at[i]] : ops->at[i];
  return list;
}

/* Parts by key have all the same key (split.c); the states of keyed specifications begin with it. */
static struct state with_key(struct mem *mem, const struct spec *spec, struct state s, value key) {
  if (!spec->keyed || s.size < sizeof key) return s;
  char *copy = mem_alloc(mem, s.size);
  memcpy(copy, s.at, s.size);
  memcpy(copy, &key, sizeof key);
  return (struct state){copy, s.size};
}

/* The distinct states a core may begin in, in words. */
static void name_start(struct mem *mem, const struct spec *spec, const struct start *start, value key,
                       struct check_result *r) {
  r->start = mem_zero(mem, (size_t)start->count + 1, sizeof *r->start);
  for (uint32_t i = 0; i < start->count; i++) {
    struct text t;
    text_open(&t, mem);
    spec->print(spec, with_key(mem, spec, start->states[i], key), &t);
    bool have = false;
    for (size_t k = 0; k < r->start_count && !have; k++) have = !strcmp(r->start[k], text_string(&t));
    if (!have) r->start[r->start_count++] = mem_string(mem, text_string(&t), t.count);
    mem_free(mem, t.at);
  }
}

static bool shares_value(const struct spec *spec, const struct op *a, const struct op *b) {
  value x[2], y[2];
  int n = op_values(spec, a, x), k = op_values(spec, b, y);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++)
      if (x[i] == y[j]) return true;
  return false;
}

/* A few operations on the core's values that are not in it: Enq(5), of a 5 that was dequeued twice. */
static void find_context(struct mem *mem, const struct part *p, const struct shrunk *s, struct check_result *r) {
  enum { MOST = 6, LOOK_MOST = 1000000 };
  r->context = mem_alloc(mem, MOST * sizeof *r->context);
  if (!spec_independent(p->spec) || s->start.count || s->core.count * p->count > LOOK_MOST) return;
  uint32_t end = s->culprit == UINT32_MAX ? NO_RETURN : p->ops[s->culprit].ret;
  for (uint32_t i = 0; i < p->count && r->context_count < MOST && p->ops[i].call < end; i++) {
    bool shares = false, in = false;
    if (op_pure(p->spec, &p->ops[i])) continue;
    for (size_t k = 0; k < s->core.count; k++) {
      in |= s->core.at[k] == i;
      shares |= shares_value(p->spec, &p->ops[s->core.at[k]], &p->ops[i]);
    }
    if (shares && !in) r->context[r->context_count++] = p->global ? p->global[i] : i;
  }
}

static uint32_t global_op(const struct part *p, uint32_t op) {
  return op == UINT32_MAX || !p->global ? op : p->global[op];
}

static void explain(struct mem *mem, struct mem *scratch, const struct history *h, const struct part *p,
                    const struct fault *f, double seconds, struct check_result *r) {
  struct shrunk s;
  shrink_part(p, f, scratch, seconds, &s);
  r->core = to_global(mem, p, &s.core);
  r->freed = to_global(mem, p, &s.free);
  r->core_count = s.core.count;
  r->freed_count = s.free.count;
  r->culprit = global_op(p, s.culprit);
  r->minimal = s.minimal;
  r->by_return = s.by_return;
  r->core_forgets = s.forgets;
  find_context(mem, p, &s, r);
  if (s.start.count) {
    name_start(mem, p->spec, &s.start, h->ops.at[r->core[0]].arg[0], r);
    r->core_from = global_event(p, s.from);
  }
  struct text t;
  text_open(&t, mem);
  reason_print(h, p->spec, r, &t);
  r->reason = mem_string(mem, text_string(&t), t.count);
}

/* The first fault, and what is wrong by then. */
static void blame(struct mem *mem, const struct part *p, const struct fault *f, struct check_result *r) {
  uint32_t last = f->prefix.events - 1; /* the fault's return, if it is known; else the part's last event */
  r->culprit = global_op(p, f->culprit);
  r->core = to_global(mem, p, &f->decision.core);
  r->core_count = f->decision.core.count;
  r->core_to = global_event(p, last);
  r->core_forgets = true;
  r->unsure = f->unsure;
}

/* A limit reached on the way leaves the result as it was. */
static void explain_within(struct mem *mem, const struct history *h, const struct parts *parts,
                           const struct decision *decisions, uint32_t violated, const struct check_options *options,
                           struct limits *limits, struct check_result *r) {
  struct mem scratch;
  mem_open(&scratch, limits);
  if (!MEM_GUARD(&scratch)) {
    struct fault f;
    bool searched = options->method == METHOD_SEARCH || options->method == METHOD_WING_GONG;
    const struct part *p =
        &parts->at[find_first_fault(parts, decisions, violated, searched ? BY_SEARCH : BY_ANYTHING, &scratch, &f)];
    blame(mem, p, &f, r);
    double gone = limits_elapsed(limits), left = limits->seconds > 0 ? limits->seconds - gone : 1e9;
    if (options->explain) explain(mem, &scratch, h, p, &f, 1 + gone < left / 2 ? 1 + gone : left / 2, r);
  }
  mem_close(&scratch);
}

void explain_violation(struct mem *mem, const struct history *h, const struct parts *parts,
                       const struct decision *decisions, uint32_t violated, const struct check_options *options,
                       struct limits *limits, struct check_result *r) {
  const struct part *p = &parts->at[violated];
  const struct decision *d = &decisions[violated];
  r->culprit = UINT32_MAX;
  r->core = to_global(mem, p, &d->core);
  r->core_count = d->core.count;
  r->core_to = d->prefix ? global_event(p, p->ops[d->culprit].ret) : NO_RETURN;
  explain_within(mem, h, parts, decisions, violated, options, limits, r);
  if (*r->reason) return;
  /* Not explained, or a limit was reached: the verdict stands all the same. */
  struct text t;
  text_open(&t, mem);
  if (r->culprit != UINT32_MAX) {
    op_print(p->spec, h, &h->ops.at[r->culprit], &t);
    text_add(&t, " cannot be given a place among the operations before its return");
  } else {
    text_add(&t, "no order of the operations gives the results they had");
  }
  r->reason = mem_string(mem, text_string(&t), t.count);
}
