/* The first fault of a wrong part: the earliest return such that what had happened by then is not linearizable already,
 * whatever the operations open at that moment go on to return.
 *
 * Prefixes of a linearizable history are linearizable, so the returns whose prefix is wrong are the last ones, and the
 * first of them is found by bisection. Deciders name a candidate: the search the first return that cannot be given what
 * the open operations returned later, which is no later than the fault; a monitor a few operations that are wrong by
 * themselves, whose own fault is found first. Mostly it is the fault, and the prefix that ends at the return before it
 * is right: two decisions.
 *
 * A search over a long part is not made again for each prefix: the configurations a little before the candidate are
 * captured once, with the results of what had returned by then, and prefixes go on from these. */
#include "check/fault.h"

#include <assert.h>
#include <string.h>

#include "check/items.h"

enum {
  TRY_LEAST = 300000, /* configurations in which a prefix is decided */
  LONG = 20000,       /* operations of a prefix that is decided by monitors, and by a short search */
  TRY_LONG = 30000,   /* configurations of that, and of a search for an earlier fault, which may take more (TRY_EACH) */
  GUESSES = 2000000,  /* operations looked at for what pending removals may have taken */
  GUESS_LEAST = 4,    /* tries */
  WORK_LEAST = 400000, /* operations of all prefixes that are decided: three times the part's, and so many more */
  NEAR_LEAST = 100,    /* operations of a prefix that is decided from near its end */
  TRY_EACH = 16,       /* configurations in which a prefix is decided, an event */
  PENDING_FEW = 32,
};

struct bisection {
  const struct part *part;
  enum decide_by by;
  uint64_t most;
  uint64_t work, work_most; /* operations of the prefixes that were decided, and may be: deciding stays near-linear */
  uint32_t *returns;        /* events, increasing */
  uint32_t count;
  uint32_t good;                       /* returns below this one have right prefixes; or it could not be told */
  uint32_t bad;                        /* this one's is wrong; `count`: none was decided to be */
  struct mem *mem, *attempt, *bad_mem; /* bad_mem: of `found` */
  struct fault found;                  /* prefix.ops == NULL: the prefix is to be made yet */
  /* captured for prefixes that end before the event `until`, when something returns that was under way at `from` and
   * whose result was not known */
  struct start start;
  uint32_t from, until;
  op_list under_way; /* at `from`: what the start tells of */
};

/* How many operations were called by an event. */
static uint32_t called_by(const struct part *p, uint32_t event) {
  uint32_t low = 0, high = p->count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (p->ops[middle].call <= event)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* What had happened by an event, as a part. Its operations and events are numbered as the part's. */
static struct part part_before(const struct part *p, struct mem *m, uint32_t event) {
  uint32_t count = called_by(p, event), open = 2 * count - (event + 1); /* each has one event less */
  struct op *ops = mem_alloc(m, ((size_t)count + 1) * sizeof *ops);
  memcpy(ops, p->ops, count * sizeof *ops);
  for (uint32_t i = count; i-- > 0 && open;)
    if (ops[i].ret > event) ops[i].ret = NO_RETURN, ops[i].result = V_UNKNOWN, open--;
  struct part prefix = *p;
  prefix.ops = ops;
  prefix.count = count;
  prefix.events = event + 1;
  return prefix;
}

/* A search may blame an earlier return, because it knows what was returned later: then all of the prefix counts. */
static void widen_core(const struct part *p, struct mem *m, struct decision *d) {
  if (!d->prefix) return;
  d->core.count = 0;
  for (uint32_t i = 0; i < p->count; i++) vec_push(m, &d->core, i);
}

/* The prefix that ends at a return is wrong, as decided in b->attempt. */
static void found_wrong(struct bisection *b, uint32_t which, struct part prefix, struct decision d) {
  struct mem *swap = b->bad_mem;
  b->bad = which;
  b->found.prefix = prefix;
  b->found.decision = d;
  b->bad_mem = b->attempt;
  b->attempt = swap;
  mem_close(swap);
}

/* May so many more operations be decided? */
static bool affords(struct bisection *b, uint32_t count) {
  b->work += count;
  return b->work <= b->work_most;
}

/* Decides a prefix, a long one without trying everything. */
static void decide_prefix(struct bisection *b, struct part *prefix, struct decision *d) {
  bool is_long = prefix->count > LONG;
  prefix->verdict_only = true;
  uint64_t guesses = GUESSES / ((uint64_t)prefix->count + 1);
  prefix->guesses = guesses < GUESS_LEAST ? GUESS_LEAST : guesses < 200 ? (uint32_t)guesses : 200;
  decide_quickly(prefix, b->attempt, NULL, is_long && b->by == BY_ANYTHING ? BY_LITTLE : b->by,
                 is_long ? TRY_LONG : b->most, d);
}

/* Captures the configurations a little before a return, with the results that were known when it happened. */
static void start_near(struct bisection *b, uint32_t which) {
  const struct part *p = b->part;
  uint32_t event = b->returns[which];
  if (called_by(p, event) < NEAR_LEAST) return;
  struct part prefix = part_before(p, b->attempt, event);
  b->from = part_quiet_before(&prefix, b->attempt, event, NULL);
  b->until = NO_RETURN;
  for (uint32_t i = 0; i < p->count && p->ops[i].call < b->from; i++) {
    const struct op *o = &p->ops[i];
    if (o->ret > event && !op_pending(o) && o->ret < b->until) b->until = o->ret;
    /* what is pending and pure the search never opens */
    if (o->ret >= b->from && !(prefix.ops[i].ret == NO_RETURN && op_pure(p->spec, &prefix.ops[i])))
      vec_push(b->mem, &b->under_way, i);
  }
  if (!search_capture(search_new(b->attempt, p->spec), &prefix, b->from, b->most, b->mem, &b->start) ||
      b->start.under_way != b->under_way.count)
    b->start.count = 0;
  mem_close(b->attempt);
}

/* Is it after the configurations that were captured, and before something that is known to be wrong? */
static bool is_near(const struct bisection *b, uint32_t event) {
  return b->start.count && event > b->from && event < b->until;
}

/* Decides the prefix that ends at an event from what was captured before it. */
static void decide_near(struct bisection *b, uint32_t event, struct decision *d) {
  struct mem *m = b->attempt;
  op_list list = {0};
  for (size_t i = 0; i < b->under_way.count; i++) vec_push(m, &list, b->under_way.at[i]);
  for (uint32_t i = b->from ? called_by(b->part, b->from - 1) : 0; i < called_by(b->part, event); i++)
    vec_push(m, &list, i);
  struct part whole = *b->part;
  whole.global = whole.global_event = NULL;
  struct part sub = part_restrict(&whole, m, list.at, list.count);
  uint32_t events = 0;
  while (events < sub.events && sub.global_event[events] <= event) events++;
  struct part prefix = part_before(&sub, m, events - 1);
  search_bounded(search_new(m, prefix.spec), &prefix, &b->start, b->most, d);
  d->culprit = UINT32_MAX; /* it was numbered as the rest alone is */
}

/* Decides the prefix that ends at a return. */
static enum verdict try_return(struct bisection *b, uint32_t which) {
  struct part prefix = {.ops = NULL};
  struct decision d;
  uint32_t event = b->returns[which];
  decision_clear(&d);
  if (is_near(b, event)) {
    decide_near(b, event, &d);
    if (d.verdict == VERDICT_VIOLATED) prefix = part_before(b->part, b->attempt, event);
  } else if (affords(b, called_by(b->part, event))) {
    prefix = part_before(b->part, b->attempt, event);
    decide_prefix(b, &prefix, &d);
  }
  if (d.verdict == VERDICT_VIOLATED) {
    widen_core(&prefix, b->attempt, &d);
    found_wrong(b, which, prefix, d);
  } else if (which >= b->good) {
    b->good = which + 1;
    b->found.exact = b->found.exact && d.verdict == VERDICT_HOLDS;
  }
  mem_close(b->attempt);
  return d.verdict;
}

static uint32_t index_of(const struct bisection *b, uint32_t event) {
  uint32_t low = 0, high = b->count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (b->returns[middle] < event)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The last return that may be the first fault of the core alone, which is mostly far smaller than the part. */
static uint32_t fault_of_core(struct bisection *b, const struct decision *d) {
  const struct part *p = b->part;
  op_list list = {0};
  for (size_t i = 0; i < d->core.count; i++) vec_push(b->attempt, &list, d->core.at[i]);
  core_sort(&list);
  struct part whole = *p, sub;
  whole.global = whole.global_event = NULL;
  sub = part_restrict(&whole, b->attempt, list.at, list.count);
  struct decision all = {.verdict = VERDICT_VIOLATED, .culprit = UINT32_MAX};
  for (uint32_t i = 0; i < sub.count; i++) vec_push(b->attempt, &all.core, i);
  uint32_t event = p->events - 1;
  if (sub.events > sub.count) { /* something returned */
    struct fault inner;
    find_fault(&sub, &all, b->by, b->attempt, &inner);
    if (inner.culprit != UINT32_MAX) event = p->ops[list.at[inner.culprit]].ret;
  }
  mem_close(b->attempt);
  return index_of(b, event);
}

/* Where it may be: the culprit of a search, or the fault of the core alone. */
static uint32_t candidate(struct bisection *b, const struct decision *d) {
  if (d->culprit != UINT32_MAX && (d->prefix || d->hint)) return index_of(b, b->part->ops[d->culprit].ret);
  if (!d->core.count || d->core.count > b->part->count / 2) return b->count - 1;
  uint32_t at = fault_of_core(b, d);
  return at < b->count ? at : b->count - 1;
}

/* Is the prefix that ends at a return wrong because of these operations alone? They are all there is on their values,
 * so that every other value may be left out; what is open at that moment and on a value not known yet may be on theirs,
 * and stays. If so, the prefix is what was found. */
static bool wrong_by_core(struct bisection *b, const op_list *core, uint32_t which) {
  const struct part *p = b->part;
  uint32_t event = b->returns[which], called = called_by(p, event), open = 2 * called - (event + 1);
  struct mem *m = b->attempt;
  op_list list = {0};
  for (size_t i = 0; i < core->count; i++)
    if (core->at[i] < called) vec_push(m, &list, core->at[i]);
  for (uint32_t i = called; i-- > 0 && open;) {
    value on[2];
    struct op o = p->ops[i];
    if (o.ret <= event) continue;
    open--;
    o.ret = NO_RETURN;
    o.result = V_UNKNOWN;
    if (op_values(p->spec, &o, on) == ON_ANY && !op_pure(p->spec, &o)) vec_push(m, &list, i);
  }
  core_sort(&list);
  struct part whole = *p;
  whole.global = whole.global_event = NULL;
  struct part sub = part_restrict(&whole, m, list.at, list.count);
  uint32_t events = 0;
  while (events < sub.events && sub.global_event[events] <= event) events++;
  struct decision d;
  decision_clear(&d);
  if (events) {
    struct part prefix = part_before(&sub, m, events - 1);
    decide_quickly(&prefix, m, NULL, b->by, b->most, &d);
    if (d.verdict == VERDICT_VIOLATED) widen_core(&prefix, m, &d);
  }
  if (d.verdict != VERDICT_VIOLATED) {
    mem_close(m);
    return false;
  }
  for (size_t i = 0; i < d.core.count; i++) d.core.at[i] = list.at[d.core.at[i]];
  d.culprit = UINT32_MAX;
  d.prefix = false;
  found_wrong(b, which, (struct part){.ops = NULL}, d);
  return true;
}

/* Brings `bad` down to where the core makes the prefix wrong. It has been brought down if true. */
static bool narrow(struct bisection *b, const struct decision *d) {
  if (!d->closed || b->by == BY_SEARCH || d->core.count > b->part->count / 2) return false;
  uint32_t bad = b->bad;
  op_list core = {0};
  struct mem *m = mem_child(b->mem);
  for (size_t i = 0; i < d->core.count; i++) vec_push(m, &core, d->core.at[i]);
  core_sort(&core);
  uint32_t good = fault_of_core(b, d), at = good;
  if (good < b->good) good = at = b->good;
  for (uint32_t step = 1; at < bad && !wrong_by_core(b, &core, at); step *= 2) {
    good = at + 1;
    at = at + step < bad ? at + step : bad;
  }
  while (good < b->bad && b->bad < bad) {
    uint32_t middle = good + (b->bad - good) / 2;
    if (!wrong_by_core(b, &core, middle)) good = middle + 1;
  }
  mem_close(m);
  return b->bad < bad;
}

enum { NARROW_MOST = 4 };

/* From where the bisection stands: ever further back, and then by halves. */
static void halve(struct bisection *b) {
  for (uint32_t step = 2; b->good < b->bad; step *= 2)
    if (try_return(b, b->bad - b->good > step ? b->bad - step : b->good) != VERDICT_VIOLATED) break;
  while (b->good < b->bad) try_return(b, b->good + (b->bad - b->good) / 2);
}

/* Some prefix was too much to decide. A search through what comes before the fault that was found is one pass: it
 * shows that nothing is wrong there, or names a candidate, near which prefixes cost little. */
static void bisect_by_search(struct bisection *b) {
  if (!b->bad || b->bad == b->count) return;
  uint32_t last = b->bad - 1, event = b->returns[last];
  struct part prefix = part_before(b->part, b->attempt, event);
  struct decision d;
  decision_clear(&d);
  search_paced(search_new(b->attempt, prefix.spec), &prefix, TRY_LONG, TRY_EACH, &d);
  if (d.verdict == VERDICT_HOLDS) b->found.exact = true;
  if (d.verdict != VERDICT_VIOLATED || !d.prefix || d.culprit == UINT32_MAX) {
    mem_close(b->attempt);
    return;
  }
  uint32_t at = index_of(b, prefix.ops[d.culprit].ret);
  widen_core(&prefix, b->attempt, &d);
  found_wrong(b, last, prefix, d);
  b->found.exact = true;
  b->good = at;
  b->start.count = 0;
  b->under_way.count = 0;
  uint64_t most = TRY_LEAST + TRY_EACH * ((uint64_t)event + 1);
  if (b->most < most) b->most = most;
  start_near(b, at);
  for (uint32_t step = 1; at < b->bad && try_return(b, at) != VERDICT_VIOLATED; step *= 2)
    at = at + step < b->bad ? at + step : b->bad;
  halve(b);
}

static void bisect(struct bisection *b, const struct decision *d) {
  if (!narrow(b, d)) {
    uint32_t at = candidate(b, d);
    if (d->prefix) { /* the search knows what follows: earlier prefixes are right */
      if (b->good < at) b->good = at;
    }
    if (d->prefix || d->hint) start_near(b, at);
    if (at < b->good) at = b->good;
    for (uint32_t step = 1; try_return(b, at) != VERDICT_VIOLATED && at + 1 < b->count; step *= 2)
      at = at + step < b->count ? at + step : b->count - 1;
    if (b->bad == b->count) return;
  }
  /* Mostly the one before is right; if not, it is for another reason. */
  for (int i = 0; i < NARROW_MOST && b->bad > b->good; i++) {
    if (try_return(b, b->bad - 1) != VERDICT_VIOLATED) break;
    struct decision again = b->found.decision;
    if (!narrow(b, &again)) break;
  }
  halve(b); /* it is near, else */
  if (!b->found.exact) bisect_by_search(b);
}

/* The operations of a prefix that are on the values of one of them, whose others may be left out; all there are if that
 * cannot be done. */
static op_list around(const struct part *prefix, struct mem *m, uint32_t which) {
  op_list list = {0};
  value its[2], on[2];
  const struct op *o = &prefix->ops[which];
  int count = op_values(prefix->spec, o, its);
  bool apart = !spec_independent(prefix->spec) || (count >= 0 && count < 2 && !op_ties(prefix->spec, o));
  for (uint32_t i = 0; count == 1 && apart && i < prefix->count; i++) {
    int n = op_values(prefix->spec, &prefix->ops[i], on);
    if (n <= 0 || (on[0] != *its && (n == 1 || on[1] != *its))) continue;
    vec_push(m, &list, i);
    apart = !spec_independent(prefix->spec) || (n == 1 && !op_ties(prefix->spec, &prefix->ops[i]));
  }
  for (uint32_t i = 0; !apart && i < prefix->count; i++) vec_push(m, &list, i);
  vec_push(m, &list, which);
  return list;
}

/* The culprit belongs to what is shown. A monitor may have named operations that are wrong without it, now that it has
 * returned: those it may have excused before. */
static void blame_culprit(struct mem *m, struct fault *f) {
  const op_list *core = &f->decision.core;
  for (size_t i = 0; i < core->count; i++)
    if (core->at[i] == f->culprit) return;
  op_list with = around(&f->prefix, m, f->culprit);
  for (size_t i = 0; i < core->count; i++) vec_push(m, &with, core->at[i]);
  core_sort(&with);
  f->decision.core = with;
}

void find_fault(const struct part *p, const struct decision *d, enum decide_by by, struct mem *m, struct fault *out) {
  assert(d->verdict == VERDICT_VIOLATED);
  struct bisection b = {.part = p,
                        .by = by,
                        .mem = m,
                        .most = 2 * d->configurations + TRY_LEAST,
                        .work_most = 3 * (uint64_t)p->count + WORK_LEAST};
  /* What was found without a search of the whole may be captured by one, where few operations are pending. */
  if (d->hint && 2 * p->count - p->events < PENDING_FEW) b.most += TRY_EACH * (uint64_t)p->events;
  uint32_t *events = part_events(p, m);
  b.returns = mem_alloc(m, ((size_t)p->events + 1) * sizeof *b.returns);
  for (uint32_t e = 0; e < p->events; e++)
    if (events[e] & 1) b.returns[b.count++] = e;
  b.bad = b.count;
  b.good = index_of(&b, d->right);
  b.attempt = mem_child(m);
  b.bad_mem = mem_child(m);
  b.found.prefix = *p;
  b.found.decision = *d;
  b.found.exact = true;
  assert(b.count); /* what never returned is not wrong */
  bisect(&b, d);
  if (!b.found.prefix.ops) b.found.prefix = part_before(p, m, b.returns[b.bad]);
  *out = b.found;
  out->exact = out->exact && b.bad < b.count;
  if (b.bad < b.count && is_near(&b, b.returns[b.bad])) {
    out->start = b.start;
    out->from = b.from;
  }
  out->unsure = !out->exact;
  out->culprit = b.bad < b.count ? events[b.returns[b.bad]] >> 1 : UINT32_MAX;
  if (out->exact) blame_culprit(m, out);
  mem_free(m, events);
  mem_free(m, b.returns);
}

/* How many of a part's events are before one of the history. */
static uint32_t events_before(const struct part *p, uint32_t event) {
  uint32_t low = 0, high = p->events;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (global_event(p, middle) < event)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The event by which a part is wrong. */
static uint32_t fault_event(const struct part *p, const struct fault *f) {
  return global_event(p, f->culprit == UINT32_MAX ? p->events - 1 : f->prefix.events - 1);
}

uint32_t find_first_fault(const struct parts *parts, const struct decision *decisions, uint32_t violated,
                          enum decide_by by, struct mem *m, struct fault *out) {
  uint32_t which = violated;
  struct mem *attempt = mem_child(m), *kept = mem_child(m);
  struct search *search = NULL; /* its states serve all keys */
  bool unsure = false;
  find_fault(&parts->at[violated], &decisions[violated], by, m, out);
  for (uint32_t i = 0; i < parts->count; i++) {
    const struct part *p = &parts->at[i];
    if (i == violated || decisions[i].verdict == VERDICT_HOLDS) continue;
    uint32_t events = events_before(p, fault_event(&parts->at[which], out));
    if (!events) continue;
    struct part prefix = part_before(p, attempt, events - 1);
    struct decision d;
    decision_clear(&d);
    if (p->spec->keyed) {
      if (!search) search = search_new(m, p->spec);
      search_bounded(search, &prefix, NULL, TRY_LEAST + TRY_EACH * (uint64_t)events, &d);
    } else {
      decide_quickly(&prefix, attempt, NULL, by, TRY_LEAST + TRY_EACH * (uint64_t)events, &d);
    }
    unsure |= d.verdict == VERDICT_UNKNOWN;
    if (d.verdict == VERDICT_VIOLATED) {
      struct mem *swap = kept;
      find_fault(&prefix, &d, by, attempt, out);
      which = i;
      kept = attempt; /* of the fault found */
      attempt = swap;
    }
    mem_close(attempt);
  }
  out->unsure |= unsure;
  return which;
}
