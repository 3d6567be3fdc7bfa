/* What repairs a violation under a weak memory model: the smallest set of sites whose orders are to be stronger, or
 * where a fence is to be put in, found by trying.
 *
 * Stronger orders never allow more. So if the client is wrong with all of them seq_cst and fences everywhere, nothing
 * here repairs it; and an execution that is wrong with some set is wrong with every set that allows it. Sets are tried
 * by size, then by cost: a release or acquire first, then seq_cst, then fences. Most are refuted by running again the
 * executions that were wrong before (which takes microseconds); one that is left is tried by exploring the client
 * whole, which either is good or gives one more execution. At the end all clients are explored: if another is wrong
 * with the set, that one has to be repaired too. Fences of the set that is found are made as weak as they may be. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/sites.h"

enum { COST_MOST = 5, WRONG_MOST = 256, FAILING_MOST = 8, POLL = 64 };
#define MODEL_SECONDS 2.0

struct choice_of {
  struct site_change change;
  unsigned cost;
};

/* A place in the sequence of all sets. */
struct walk {
  unsigned size, cost, at[FIX_MOST];
  bool begun, over;
};

struct fixing {
  struct trying *trying;
  struct mem *mem, *scratch;
  struct fix *fix;
  VEC(struct choice_of) ways;
  size_t sites;                     /* so many have theirs */
  struct finding wrong[WRONG_MOST]; /* executions that any set has to forbid */
  size_t wrong_count;
  const struct client *failing[FAILING_MOST]; /* clients that have to become right: the finding's first */
  size_t failing_count;
  struct walk *shared;
  bool open;   /* of some set it is not known */
  bool hidden; /* there are sites that cannot be told */
};

/* --- what may be done at a site --- */

static void may(struct fixing *k, size_t site, enum site_part part, int order, unsigned cost) {
  struct site_change c = {(uint32_t)site, part, order};
  vec_push(k->mem, &k->ways, ((struct choice_of){c, cost}));
}

/* The stronger orders, each with what it costs. */
static void may_order(struct fixing *k, size_t n, enum site_part part, int now, bool reads, bool writes) {
  bool acquires = now != __ATOMIC_RELAXED && now != __ATOMIC_RELEASE;
  bool releases = now == __ATOMIC_RELEASE || now == __ATOMIC_ACQ_REL || now == __ATOMIC_SEQ_CST;
  if (now == __ATOMIC_SEQ_CST) return;
  if (reads && !acquires) may(k, n, part, releases ? __ATOMIC_ACQ_REL : __ATOMIC_ACQUIRE, 1);
  if (writes && !releases) may(k, n, part, acquires ? __ATOMIC_ACQ_REL : __ATOMIC_RELEASE, 1);
  if (reads && writes && !acquires && !releases) may(k, n, part, __ATOMIC_ACQ_REL, 2);
  may(k, n, part, __ATOMIC_SEQ_CST, 3);
}

/* A fence after a store and before a load is what is most often missing. */
static void may_do(struct fixing *k, size_t n, const struct site *s) {
  bool reads = s->kind != SITE_STORE, writes = s->kind != SITE_LOAD;
  bool told = s->line && !path_is_of_language(s->file);
  k->hidden |= !told || s->varies;
  if (!told) return;
  if (!s->varies) may_order(k, n, PART_ORDER, s->order, reads, writes);
  if (s->kind == SITE_FENCE) return;
  if (!s->varies && s->fails) may_order(k, n, PART_FAILED, s->failed, true, false);
  may(k, n, PART_AFTER, __ATOMIC_SEQ_CST, writes ? COST_MOST - 1 : COST_MOST);
  may(k, n, PART_BEFORE, __ATOMIC_SEQ_CST, writes ? COST_MOST : COST_MOST - 1);
}

static bool fits(const struct fixing *k, const struct walk *w) {
  unsigned cost = 0;
  for (unsigned i = 0; i < w->size; i++) {
    const struct site_change *c = &k->ways.at[w->at[i]].change;
    cost += k->ways.at[w->at[i]].cost;
    for (unsigned n = 0; n < i; n++) {
      const struct site_change *o = &k->ways.at[w->at[n]].change;
      bool two_orders = (o->part == PART_ORDER && c->part == PART_FAILED);
      if (o->site == c->site && !two_orders) return false;
    }
  }
  return cost == w->cost;
}

/* The next set; over: there is none. */
static bool step_walk(const struct fixing *k, struct walk *w) {
  size_t count = k->ways.count;
  if (!w->begun) {
    w->begun = true;
    for (unsigned i = 0; i < w->size; i++) w->at[i] = i;
    return w->size <= count;
  }
  unsigned i = w->size;
  while (i-- > 0) {
    if (++w->at[i] + (w->size - 1 - i) >= count) continue;
    for (unsigned n = i + 1; n < w->size; n++) w->at[n] = w->at[n - 1] + 1;
    return true;
  }
  return false;
}
static void walk_next(const struct fixing *k, struct walk *w) {
  for (;;) {
    if (step_walk(k, w)) {
      if (fits(k, w)) return;
      continue;
    }
    w->begun = false;
    if (++w->cost <= w->size * COST_MOST) continue;
    if (++w->size > FIX_MOST || w->size > k->ways.count) {
      w->over = true;
      return;
    }
    w->cost = w->size;
  }
}

static size_t changes_of(const struct fixing *k, const struct walk *w, struct site_change *to) {
  for (unsigned i = 0; i < w->size; i++) to[i] = k->ways.at[w->at[i]].change;
  return w->size;
}

/* --- executions that were wrong, with a set --- */

static bool still_wrong(struct fixing *k, struct mem *m, const struct finding *f, const struct run_options *how) {
  struct plan plan = {.choices = f->choices, .count = f->count};
  struct problem why;
  run_orders(how->changes, how->change_count, how->sites);
  const struct run *r = run_execute(&f->client, &plan, &why);
  if (!r || r->end != RUN_WHOLE || r->found == FOUND_UNSUPPORTED) return false;
  return judge_run(judge_new(m, k->trying->object, NULL), r, &why) == JUDGED_WRONG;
}

/* Goes on to the next set with which none of the executions is known to be wrong. */
static void filter(struct fixing *k) {
  const struct trying *t = k->trying;
  struct run_options how = t->search->run;
  struct problem why;
  size_t order[WRONG_MOST];
  struct limits own = t->limits;
  if (!run_open(t->image, t->object->run_ops, t->object->op_count, t->object->init, &how, &why)) return;
  for (size_t i = 0; i < k->wrong_count; i++) order[i] = k->wrong_count - 1 - i; /* the newest first */
  for (unsigned polls = 0; !k->shared->over; walk_next(k, k->shared)) {
    struct site_change changes[FIX_CHANGES];
    size_t i = 0, count = changes_of(k, k->shared, changes);
    if (polls++ % POLL == POLL - 1 && limits_poll(&own)) return;
    sites_run_options(t->sites, k->scratch, changes, count, &how);
    while (i < k->wrong_count && !still_wrong(k, k->scratch, &k->wrong[order[i]], &how)) i++;
    mem_close(k->scratch);
    if (i == k->wrong_count) return;
    size_t refutes = order[i];
    memmove(order + 1, order, i * sizeof *order);
    order[0] = refutes;
  }
}

/* In a process of its own: the code may do anything to it. Where it dies, the set it was at is left. */
static void filter_apart(struct fixing *k) {
  fflush(stdout);
  fflush(stderr);
  pid_t parent = getpid(), pid = fork();
  int status;
  if (pid < 0) return;
  if (!pid) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) filter(k);
    _exit(0);
  }
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (limits_poll(&k->trying->limits)) {
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      return;
    }
    usleep(500);
  }
}

static void keep_wrong(struct fixing *k, const struct finding *f) {
  if (k->wrong_count == WRONG_MOST || f->died) return;
  struct finding *to = &k->wrong[k->wrong_count++];
  *to = (struct finding){.found = f->found, .count = f->count};
  client_copy(k->mem, &f->client, &to->client);
  to->choices = mem_alloc(k->mem, (f->count + 1) * sizeof *to->choices);
  memcpy(to->choices, f->choices, f->count * sizeof *f->choices);
}

/* --- trials --- */

static enum trial try_client(struct fixing *k, struct mem *m, const struct client *c, const struct site_change *changes,
                             size_t count, struct searched *out) {
  struct client_source one = *k->trying->clients;
  one.one = c;
  one.list = NULL;
  return sites_try(k->trying, m, &one, changes, count, 1, out);
}

/* Of a client, with all there is; it may come to sites that no other did. */
static enum trial try_strongest(struct fixing *k, const struct client *c) {
  for (;;) {
    struct mem *m = mem_child(k->mem);
    struct searched out;
    VEC(struct site_change) all = {NULL, 0, 0};
    size_t sites = k->trying->sites->at.count;
    for (uint32_t i = 0; i < sites; i++)
      for (int part = PART_ORDER; part <= PART_AFTER; part++)
        vec_push(m, &all, ((struct site_change){i, (enum site_part)part, __ATOMIC_SEQ_CST}));
    enum trial trial = try_client(k, m, c, all.at, all.count, &out);
    mem_close(m);
    if (trial == TRIAL_OPEN || k->trying->sites->at.count == sites) return trial;
  }
}

/* Sites that were not known before. */
static void add_ways(struct fixing *k) {
  for (; k->sites < k->trying->sites->at.count; k->sites++) may_do(k, k->sites, &k->trying->sites->at.at[k->sites]);
}

static void take_set(struct fixing *k, const struct site_change *changes, size_t count, uint64_t executions) {
  k->fix->outcome = FIX_FOUND;
  k->fix->count = count;
  memcpy(k->fix->changes, changes, count * sizeof *changes);
  k->fix->executions = executions;
  k->fix->whole = 0;
}

/* All clients with the set, by which those that failed are right. True: it is the answer, as far as that goes. */
static bool try_all(struct fixing *k, const struct site_change *changes, size_t count) {
  struct mem *m = mem_child(k->mem);
  struct searched out;
  struct fix *f = k->fix;
  const struct client_source *all = k->trying->clients;
  bool done = true;
  if (all->one) return mem_close(m), true;
  switch (sites_try(k->trying, m, all, changes, count, k->trying->search->jobs, &out)) {
  case TRIAL_GOOD:
    f->clients = out.clients;
    f->whole = out.histories;
    f->still = FOUND_NOTHING;
    break;
  case TRIAL_OPEN: f->no_time = true; break;
  case TRIAL_BAD: {
    struct client *c = mem_zero(k->mem, 1, sizeof *c);
    client_copy(k->mem, &out.finding.client, c);
    f->still = out.finding.found;
    f->other = *c;
    keep_wrong(k, &out.finding);
    if (k->failing_count == FAILING_MOST || try_strongest(k, c) != TRIAL_GOOD) break;
    k->failing[k->failing_count++] = c;
    add_ways(k);
    done = false;
  }
  }
  mem_close(m);
  return done;
}

/* True if the clients that failed are right with the set; then the executions of the first. */
static bool try_failing(struct fixing *k, const struct site_change *changes, size_t count, uint64_t *executions) {
  bool good = true;
  for (size_t i = k->failing_count; i-- > 0 && good;) { /* the newest first */
    struct mem *m = mem_child(k->mem);
    struct searched out = {.histories = 0};
    enum trial trial = try_client(k, m, k->failing[i], changes, count, &out);
    if (trial == TRIAL_BAD) keep_wrong(k, &out.finding);
    good = trial == TRIAL_GOOD;
    k->open |= trial == TRIAL_OPEN;
    *executions = out.histories;
    mem_close(m);
  }
  return good;
}

/* The fences of the set that was found are seq_cst: do weaker ones do, for all that are right with it? */
static void weaken_fences(struct fixing *k) {
  static const int orders[] = {__ATOMIC_RELEASE, __ATOMIC_ACQUIRE, __ATOMIC_ACQ_REL};
  struct fix *f = k->fix, found = *f;
  struct site_change changes[FIX_CHANGES];
  size_t count = f->count;
  uint64_t executions;
  if (!k->trying->clients->one && !f->whole) return;
  memcpy(changes, f->changes, count * sizeof *changes);
  for (size_t i = 0; i < count; i++) {
    if (changes[i].part != PART_BEFORE && changes[i].part != PART_AFTER) continue;
    int weaker = 0;
    for (size_t n = 0; n < sizeof orders / sizeof *orders && !weaker; n++) {
      changes[i].order = orders[n];
      if (!try_failing(k, changes, count, &executions)) continue;
      take_set(k, changes, count, executions);
      if (try_all(k, changes, count) && (f->whole || k->trying->clients->one)) weaker = orders[n];
    }
    if (weaker)
      found = *f;
    else
      *f = found;
    changes[i].order = weaker ? weaker : __ATOMIC_SEQ_CST;
  }
}

static void walk_sets(struct fixing *k) {
  struct walk *w = k->shared;
  *w = (struct walk){.size = 1, .cost = 1, .over = !k->ways.count};
  if (w->over) return;
  for (walk_next(k, w); !w->over; walk_next(k, w)) {
    uint64_t executions = 0;
    filter_apart(k);
    if (w->over || limits_poll(&k->trying->limits)) return;
    struct site_change changes[FIX_CHANGES];
    size_t count = changes_of(k, w, changes);
    if (!try_failing(k, changes, count, &executions)) continue;
    bool first = k->fix->outcome != FIX_FOUND;
    bool more = k->failing_count > 1; /* this one repairs another client, too */
    if (first || more) take_set(k, changes, count, executions);
    size_t ways = k->ways.count;
    if (try_all(k, changes, count)) {
      weaken_fences(k);
      return;
    }
    if (k->ways.count > ways) *w = (struct walk){.size = 1, .cost = 1}; /* once more, with the new ones */
  }
}

/* --- larger sets --- */

typedef VEC(struct site_change) change_list;

static bool try_list(struct fixing *k, const change_list *l) {
  uint64_t executions;
  return try_failing(k, l->at, l->count, &executions);
}

/* Leaves out what may be left out: many at once first, so many of the first ones. */
static void leave_out(struct fixing *k, struct mem *m, size_t first, change_list *l) {
  for (size_t chunk = first; chunk; chunk = chunk > 1 ? (chunk + 1) / 2 : 0)
    for (size_t i = 0; i < l->count && !limits_poll(&k->trying->limits);) {
      change_list less = {NULL, 0, 0};
      for (size_t n = 0; n < l->count; n++)
        if (n < i || n >= i + chunk) vec_push(m, &less, l->at[n]);
      if (try_list(k, &less))
        *l = less;
      else
        i += chunk;
    }
}

/* The weakest orders that do. */
static void weaken_orders(struct fixing *k, change_list *l) {
  for (size_t i = 0; i < l->count; i++) {
    struct site_change *c = &l->at[i];
    for (size_t n = 0; n < k->ways.count && c->order == __ATOMIC_SEQ_CST; n++) {
      const struct site_change *o = &k->ways.at[n].change; /* of a site and a part: the cheapest first */
      if (o->site != c->site || o->part != c->part || o->order == __ATOMIC_SEQ_CST) continue;
      c->order = o->order;
      if (limits_poll(&k->trying->limits) || !try_list(k, l)) c->order = __ATOMIC_SEQ_CST;
    }
  }
}

/* All that may be done, but what may be left out; `orders`: of orders rather than of fences. */
static void irreducible(struct fixing *k, struct mem *m, bool orders, change_list *l) {
  size_t first = 0;
  *l = (change_list){NULL, 0, 0};
  for (int second = 0; second < 2; second++)
    for (size_t i = 0; i < k->ways.count; i++) {
      const struct site_change *c = &k->ways.at[i].change;
      bool fence = c->part == PART_BEFORE || c->part == PART_AFTER;
      if (c->order != __ATOMIC_SEQ_CST || (fence != orders) != second) continue;
      vec_push(m, l, *c);
      first += !second;
    }
  if (!try_list(k, l)) l->count = 0;
  leave_out(k, m, first ? first : l->count, l);
  weaken_orders(k, l);
}

/* Where no small set does: a set of which nothing can be left out, for the clients that failed, and then for all. */
static void larger_set(struct fixing *k) {
  struct fix *f = k->fix, before = *f;
  uint64_t executions;
  bool done = false, one = k->trying->clients->one != NULL;
  for (int round = 0; round < FAILING_MOST && !done; round++) {
    struct mem *m = mem_child(k->mem);
    change_list lists[2], *l;
    for (int i = 0; i < 2; i++) irreducible(k, m, i, &lists[i]);
    l = !lists[0].count || (lists[1].count && lists[1].count <= lists[0].count) ? &lists[1] : &lists[0];
    bool fits = l->count && l->count <= FIX_CHANGES && !limits_poll(&k->trying->limits) &&
                try_failing(k, l->at, l->count, &executions);
    if (fits) take_set(k, l->at, l->count, executions);
    done = !fits || try_all(k, l->at, l->count);
    mem_close(m);
    if (!fits) break;
  }
  f->larger = f->outcome == FIX_FOUND && (one || f->whole);
  if (f->larger)
    weaken_fences(k);
  else
    *f = before;
}

/* --- other models --- */

static struct model_tried try_model(struct fixing *k, const struct client *c, enum memory_model model) {
  struct model_tried tried = {.model = model};
  struct search_options o = sites_options(k->trying, 1);
  struct client_source one = *k->trying->clients;
  struct limits limits;
  struct searched out;
  struct problem why;
  struct mem *m = mem_child(k->mem);
  double left = k->trying->limits.seconds - limits_elapsed(&k->trying->limits);
  limits_start(&limits, left < MODEL_SECONDS ? left > 0 ? left : 0.01 : MODEL_SECONDS, 0);
  limits.interrupted = k->trying->limits.interrupted;
  one.one = c;
  one.list = NULL;
  o.run.memory = model;
  tried.trial = TRIAL_OPEN;
  bool good = search_clients(m, k->trying->image, &one, &o, &limits, &out, &why);
  if (good && out.shares_stacks && !o.run.stacks) {
    o.run.stacks = true;
    good = search_clients(m, k->trying->image, &one, &o, &limits, &out, &why);
  }
  if (good) {
    k->trying->cpu_seconds += out.cpu_seconds;
    tried.found = out.verdict == VERDICT_VIOLATED ? out.finding.found : FOUND_NOTHING;
    tried.runs = out.schedules;
    tried.trial = out.verdict == VERDICT_VIOLATED                ? TRIAL_BAD
                  : out.verdict == VERDICT_HOLDS && out.complete ? TRIAL_GOOD
                                                                 : TRIAL_OPEN;
  }
  mem_close(m);
  return tried;
}

/* In the order of the source. */
static bool comes_before(const struct sites *s, const struct site_change *a, const struct site_change *b) {
  const struct site *x = &s->at.at[a->site], *y = &s->at.at[b->site];
  int files = strcmp(x->file, y->file);
  if (files) return files < 0;
  if (x->line != y->line) return x->line < y->line;
  return x->column < y->column;
}
static void sort_changes(const struct sites *s, struct fix *f) {
  for (size_t i = 1; i < f->count; i++)
    for (size_t n = i; n && comes_before(s, &f->changes[n], &f->changes[n - 1]); n--) {
      struct site_change swap = f->changes[n];
      f->changes[n] = f->changes[n - 1];
      f->changes[n - 1] = swap;
    }
}

void fix_find(struct trying *t, const struct finding *f, struct fix *fix) {
  struct fixing *k = mem_zero(t->mem, 1, sizeof *k);
  struct searched out;
  double began = clock_seconds();
  *fix = (struct fix){.outcome = FIX_NO_TIME};
  *k = (struct fixing){.trying = t, .mem = t->mem, .scratch = mem_child(t->mem), .fix = fix};
  k->failing[k->failing_count++] = &f->client;
  k->shared = share_memory(sizeof *k->shared);
  if (!k->shared) return;
  for (int m = MEMORY_SC; m <= MEMORY_C11; m++)
    if ((enum memory_model)m != t->search->run.memory)
      fix->models[fix->model_count++] = try_model(k, &f->client, (enum memory_model)m);
  keep_wrong(k, f);
  try_client(k, t->mem, &f->client, NULL, 0, &out); /* to see the sites */
  enum trial strongest = try_strongest(k, &f->client);
  add_ways(k);
  if (strongest == TRIAL_BAD)
    fix->outcome = FIX_NEVER;
  else if (strongest == TRIAL_GOOD)
    walk_sets(k);
  bool whole = fix->outcome == FIX_FOUND && (fix->whole || t->clients->one);
  if (strongest == TRIAL_GOOD && !whole && (k->shared->over || fix->still)) larger_set(k);
  if (fix->outcome == FIX_NO_TIME && k->shared->over && !k->open) fix->outcome = k->hidden ? FIX_HIDDEN : FIX_NONE;
  fix->no_time |= limits_poll(&t->limits);
  sort_changes(t->sites, fix);
  fix->seconds = clock_seconds() - began;
  munmap(k->shared, sizeof *k->shared);
}
