/* From history to verdict: split, decide each part, put the answers together, explain, re-validate.
 *
 *   split_history        by object and by key
 *   decide_parts         each part by the chosen method, on several threads
 *   assemble / explain   the linearization of the whole, or the smallest wrong part of it
 *   evidence_check_*     code that shares nothing with the deciders looks at the result once more */
#include "check/check.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check/decide.h"
#include "check/explain.h"
#include "check/split.h"
#include "evidence/evidence.h"

/* What ran, for the answer's `method`. */
enum ran { RAN_FAST, RAN_CONDITIONS, RAN_MATCH, RAN_PAIRS, RAN_SEARCH, RAN_WING_GONG, RANS };

struct work { /* shared by the threads of one check */
  const struct check_options *options;
  const struct parts *parts;
  struct decision *decisions; /* a part each */
  struct limits *limits;
  const struct monitor *monitor;
  bool briefly;         /* the first time: what takes long is left for the second */
  atomic_uint next;     /* part to decide next */
  atomic_uint violated; /* the first part known to be wrong: later ones need no answer */
  atomic_uint ran[RANS];
  _Atomic(const char *) why_not; /* why a monitor did not apply */
  atomic_bool unknown;
  struct worker *workers;
  int started;
};

struct worker {
  struct work *work;
  struct mem mem; /* owns its parts' orders */
  struct search *search;
  pthread_t thread;
};

enum { BRIEF = 20000, BRIEF_EACH = 4 }; /* configurations of a part that is decided briefly, and more for each event */

/* Runs a decider; false, with the decision as it was, where it does not apply. Counted while it runs: it may not come
 * back. */
static bool ran(struct work *k, enum ran which, decider *decide, const struct part *p, struct mem *m,
                struct decision *d, const char **why_not) {
  atomic_fetch_add(&k->ran[which], 1);
  if (decide(p, m, d, why_not) == APPLIES) return true;
  atomic_fetch_sub(&k->ran[which], 1);
  decision_clear(d);
  return false;
}

static void search(struct worker *w, const struct part *p, uint64_t most, struct decision *d) {
  if (!w->search) w->search = search_new(&w->mem, p->spec);
  if (most)
    search_bounded(w->search, p, NULL, most, d);
  else
    search_run(w->search, p, d);
}

/* Decides one part. With --method fast a part the monitor does not fit is a failure. */
static bool decide_part(struct worker *w, const struct part *p, struct decision *d) {
  struct work *k = w->work;
  const char *why_not = NULL;
  uint64_t most = k->briefly ? BRIEF + BRIEF_EACH * (uint64_t)p->events : 0;
  decision_clear(d);
  if (k->options->method == METHOD_WING_GONG) { return ran(k, RAN_WING_GONG, wing_gong_part, p, &w->mem, d, &why_not); }
  if (k->monitor && k->options->method != METHOD_SEARCH) {
    if (k->monitor->decide == search_part) { /* exact on one key: no monitor needed beyond the splitting */
      search(w, p, most, d);
      atomic_fetch_add_explicit(&k->ran[RAN_FAST], 1, memory_order_relaxed);
      return true;
    }
    if (ran(k, RAN_FAST, k->monitor->decide, p, &w->mem, d, &why_not)) return true;
    atomic_store(&k->why_not, why_not);
    if (k->options->method == METHOD_FAST) return false;
    if (k->monitor->repeated && ran(k, RAN_CONDITIONS, conditions_part, p, &w->mem, d, &why_not)) return true;
    if (k->monitor->repeated && ran(k, RAN_MATCH, k->monitor->repeated, p, &w->mem, d, &why_not)) return true;
  } else if (k->options->method == METHOD_FAST) {
    return false;
  }
  if (k->options->method == METHOD_AUTO) {
    if (ran(k, RAN_CONDITIONS, conditions_part, p, &w->mem, d, &why_not)) return true;
    atomic_fetch_add(&k->ran[RAN_SEARCH], 1);
    if (cells_bounded(p, &w->mem, most, d) == APPLIES) return true;
    atomic_fetch_sub(&k->ran[RAN_SEARCH], 1);
    atomic_fetch_add(&k->ran[RAN_PAIRS], 1);
    if (pairs_bounded(p, &w->mem, most, d) == APPLIES) return true;
    atomic_fetch_sub(&k->ran[RAN_PAIRS], 1);
    decision_clear(d);
  }
  atomic_fetch_add(&k->ran[RAN_SEARCH], 1);
  search(w, p, most, d);
  return true;
}

static void *run_worker(void *arg) {
  struct worker *w = arg;
  struct work *k = w->work;
  volatile unsigned part = 0;
  if (MEM_GUARD(&w->mem)) { /* a limit was reached */
    atomic_store(&k->unknown, true);
    k->decisions[part].verdict = VERDICT_UNKNOWN;
    return NULL;
  }
  while ((part = atomic_fetch_add(&k->next, 1)) < k->parts->count) {
    if (part > atomic_load_explicit(&k->violated, memory_order_relaxed) ||
        atomic_load_explicit(&k->unknown, memory_order_relaxed))
      break;
    struct decision *d = &k->decisions[part];
    if (!k->briefly && d->verdict != VERDICT_UNKNOWN) continue;
    if (!decide_part(w, &k->parts->at[part], d)) {
      atomic_store(&k->unknown, true);
      break;
    }
    if (d->verdict == VERDICT_VIOLATED) {
      unsigned first = atomic_load(&k->violated);
      while (part < first && !atomic_compare_exchange_weak(&k->violated, &first, part)) {}
    }
  }
  return NULL;
}

static void run_workers(struct work *k, int jobs) {
  int started = 1;
  atomic_store(&k->next, 0);
  while (started < jobs && !pthread_create(&k->workers[started].thread, NULL, run_worker, &k->workers[started]))
    started++;
  run_worker(&k->workers[0]);
  for (int i = 1; i < started; i++) pthread_join(k->workers[i].thread, NULL);
}

/* Runs the workers; the caller closes their memory. Of several parts a hard one does not keep a wrong one from being
 * found: each is tried briefly first. */
static void decide_parts(struct work *k, struct mem *m, int jobs) {
  if ((uint32_t)jobs > k->parts->count) jobs = (int)k->parts->count;
  if (jobs < 1) jobs = 1;
  k->workers = mem_zero(m, (size_t)jobs, sizeof *k->workers);
  for (k->started = 0; k->started < jobs; k->started++) {
    k->workers[k->started].work = k;
    mem_open(&k->workers[k->started].mem, k->limits);
  }
  k->briefly = k->parts->count > 1 && k->options->method != METHOD_WING_GONG;
  if (k->briefly) {
    run_workers(k, jobs);
    k->briefly = false;
    if (atomic_load(&k->unknown) || atomic_load(&k->violated) < k->parts->count) return;
  }
  run_workers(k, jobs);
}

/* The parts' orders in one: by gap, and within a gap as each part has them. */
static bool assemble(const struct history *h, const struct parts *parts, const struct decision *decisions,
                     struct mem *m, struct check_result *r) {
  size_t total = 0;
  for (uint32_t i = 0; i < parts->count; i++) total += decisions[i].order.count;
  r->order_count = total;
  r->order = mem_alloc(m, (total + 1) * sizeof *r->order);
  r->gap = mem_alloc(m, (total + 1) * sizeof *r->gap);
  if (parts->count == 1 && !parts->at[0].global) {
    if (total) memcpy(r->order, decisions[0].order.at, total * sizeof *r->order);
    return order_gaps(&parts->at[0], r->order, total, r->gap);
  }
  uint32_t *start = mem_zero(m, (size_t)h->events + 2, sizeof *start);
  uint32_t *gap = mem_alloc(m, (total + 1) * sizeof *gap);
  size_t at = 0;
  for (uint32_t i = 0; i < parts->count; i++) {
    const struct part *p = &parts->at[i];
    if (!order_gaps(p, decisions[i].order.at, decisions[i].order.count, gap + at)) return false;
    for (size_t k = 0; k < decisions[i].order.count; k++, at++) {
      gap[at] = p->global_event[gap[at]];
      start[gap[at] + 1]++;
    }
  }
  for (uint32_t g = 0; g < h->events; g++) start[g + 1] += start[g];
  at = 0;
  for (uint32_t i = 0; i < parts->count; i++)
    for (size_t k = 0; k < decisions[i].order.count; k++, at++) {
      uint32_t to = start[gap[at]]++;
      r->order[to] = parts->at[i].global[decisions[i].order.at[k]];
      r->gap[to] = gap[at];
    }
  mem_free(m, start);
  mem_free(m, gap);
  return true;
}

static void name_method(struct work *k, struct mem *m, struct check_result *r) {
  struct text t;
  text_open(&t, m);
  const char *why_not = atomic_load(&k->why_not);
  if (k->ran[RAN_FAST]) text_printf(&t, "fast %s monitor", k->monitor->name);
  if (k->ran[RAN_CONDITIONS]) text_printf(&t, "%scounting", t.count ? ", " : "");
  if (k->ran[RAN_MATCH]) text_printf(&t, "%squeue matching search", t.count ? ", " : "");
  if (k->ran[RAN_PAIRS]) text_printf(&t, "%ssearch guided by pairs of values", t.count ? ", " : "");
  if (k->ran[RAN_SEARCH]) text_printf(&t, "%ssearch", t.count ? ", " : "");
  if (k->ran[RAN_WING_GONG]) text_printf(&t, "Wing and Gong's search");
  if (k->parts->count > 1)
    text_printf(&t, " on %u parts (%s%s%s)", k->parts->count, k->parts->by_object ? "by object" : "",
                k->parts->by_object && k->parts->by_key ? " and " : "", k->parts->by_key ? "by key" : "");
  if (why_not && k->options->method == METHOD_AUTO && !k->monitor->partly)
    text_printf(&t, "; not the fast monitor, because of %s", why_not);
  r->method = mem_string(m, text_string(&t), t.count);
  r->parts = k->parts->count;
}

static void say_unknown(struct work *k, const struct history *h, struct mem *m, struct check_result *r) {
  struct text t;
  text_open(&t, m);
  uint32_t decided = 0, events = 0;
  for (uint32_t i = 0; i < k->parts->count; i++) {
    const struct decision *d = &k->decisions[i];
    decided += d->verdict == VERDICT_HOLDS && d->order.count;
    events += d->verdict == VERDICT_HOLDS ? k->parts->at[i].events : d->reached;
  }
  r->reached = events;
  text_printf(&t, "%s after %.1f s", limit_told((enum limit)k->limits->reached), limits_elapsed(k->limits));
  if (k->parts->count > 1) text_printf(&t, ", with %u of %u parts decided", decided, k->parts->count);
  if (events) text_printf(&t, ": %u of %u events are linearizable", events, h->events);
  r->reason = mem_string(m, text_string(&t), t.count);
}

/* Decides, given the parts; false with the problem for what is no verdict. */
static bool decide(struct mem *mem, const struct history *h, const struct spec *spec, struct work *k,
                   struct mem *scratch, struct check_result *r, struct problem *why) {
  volatile bool good = true;
  if (!MEM_GUARD(scratch)) {
    struct parts *parts = mem_zero(scratch, 1, sizeof *parts);
    split_history(h, spec, scratch, parts);
    k->parts = parts;
    k->decisions = mem_zero(scratch, (size_t)parts->count + 1, sizeof *k->decisions);
    for (uint32_t i = 0; i < parts->count; i++) k->decisions[i].verdict = VERDICT_UNKNOWN;
    decide_parts(k, scratch, k->options->jobs);
    name_method(k, mem, r);
    for (uint32_t i = 0; i < parts->count; i++) r->configurations += k->decisions[i].configurations;
    unsigned violated = atomic_load(&k->violated);
    if (violated < parts->count) {
      r->verdict = VERDICT_VIOLATED;
      explain_violation(mem, h, parts, k->decisions, violated, k->options, k->limits, r);
    } else if (atomic_load(&k->unknown)) {
      r->verdict = VERDICT_UNKNOWN;
      const char *why_not = atomic_load(&k->why_not);
      if (k->options->method == METHOD_FAST && !k->limits->reached) {
        problem_set(why,
                    k->monitor
                        ? "the fast monitor does not apply to a history with %s; leave out --method fast for a search"
                        : "there is no fast monitor for the specification %s; leave out --method fast for a search",
                    k->monitor ? why_not : spec->name);
        good = false;
      } else {
        say_unknown(k, h, mem, r);
      }
    } else {
      r->verdict = VERDICT_HOLDS;
      if (!assemble(h, parts, k->decisions, mem, r)) {
        problem_internal(why, "the linearization found breaks real time");
        good = false;
      }
    }
  } else {
    r->verdict = VERDICT_UNKNOWN;
    r->method = mem_string(mem, "none", 4);
    struct text t;
    text_open(&t, mem);
    text_printf(&t, "%s after %.1f s", limit_told((enum limit)k->limits->reached), limits_elapsed(k->limits));
    r->reason = mem_string(mem, text_string(&t), t.count);
  }
  return good;
}

/* The verdict's evidence, looked at once more. False with the problem if it does not stand. */
static bool revalidate(const struct history *h, const struct spec *spec, struct limits *limits, struct check_result *r,
                       struct problem *why) {
  struct mem m;
  struct problem broken = {.text = ""};
  volatile bool good = true;
  mem_open(&m, limits);
  if (MEM_GUARD(&m)) {
    if (r->verdict == VERDICT_VIOLATED) { /* decided, and not confirmed */
      mem_close(&m);
      return true;
    }
    r->verdict = VERDICT_UNKNOWN;
    r->reason = "a limit was reached while the evidence was re-validated";
  } else if (r->verdict == VERDICT_HOLDS) {
    good = evidence_check_order(&m, h, spec, r->order, r->gap, r->order_count, &broken);
  } else if (r->core_count) {
    enum verdict again = evidence_check_core(&m, h, spec, r, &broken);
    r->confirmed = again == VERDICT_VIOLATED;
    good = again != VERDICT_HOLDS;
  }
  mem_close(&m);
  if (!good) problem_internal(why, "%.500s", broken.text);
  return good;
}

bool check_history(struct mem *mem, const struct history *h, const struct spec *spec,
                   const struct check_options *options, struct limits *limits, struct check_result *r,
                   struct problem *why) {
  memset(r, 0, sizeof *r);
  r->culprit = UINT32_MAX;
  r->reason = r->method = "";
  struct mem scratch;
  struct check_options own = *options;
  if (spec->user) own.jobs = 1; /* the user's code runs on one thread at a time */
  mem_open(&scratch, limits);
  struct work k = {.options = &own, .limits = limits, .monitor = monitor_for(spec)};
  atomic_init(&k.violated, UINT32_MAX);

  /* A limit may be reached by the results themselves: then there are none, and nothing else is left behind. */
  struct mem_outer outer;
  mem_keep_guard(mem, &outer);
  volatile bool good = true;
  if (!MEM_GUARD(mem)) {
    good = decide(mem, h, spec, &k, &scratch, r, why);
  } else {
    memset(r, 0, sizeof *r);
    r->verdict = VERDICT_UNKNOWN;
    r->culprit = UINT32_MAX;
    r->method = "none";
    r->reason = "a limit was reached while the answer was put together";
  }
  mem_restore_guard(mem, &outer);
  for (int i = 0; i < k.started; i++) mem_close(&k.workers[i].mem);
  mem_close(&scratch);
  if (!good || r->verdict == VERDICT_UNKNOWN) return good;
  assert(r->verdict == VERDICT_HOLDS || r->core_count);
  assert(r->culprit == UINT32_MAX || h->ops.at[r->culprit].ret <= r->core_to);
  if (spec_user_fault(spec)) return problem_set(why, "%s", spec_user_fault(spec)), false;
  return revalidate(h, spec, limits, r, why);
}
