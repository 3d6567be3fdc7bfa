/* All clients, each explored, and every run judged, until something is wrong.
 *
 * The code runs in processes forked from this one. Each enumerates the clients for itself, and explores those whose
 * turn it takes, in their order; where there is one client only, its schedules are divided. Of several findings the one
 * in the smallest client is the answer, so those at larger ones stop when there is one. What they have reached is on a
 * board that all share.
 *
 * The code may do anything to the process it runs in: kill it, overwrite what is Asif's, or hang where no signal is
 * heard. So the process that waits for the others ends them itself when the time is over; and one that died is taken as
 * having crashed if a fresh process that runs the same schedule dies as well. */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "test/coverage.h"
#include "test/explore.h"

enum { SMALL_CALLS = 8, BOUND_MOST = 64 }; /* calls of a client up to which DPOR is the default */
enum { WORKERS_MOST = 64, SAID_MOST = 600, CHOICES_KEPT = 1 << 16, FINDINGS_MOST = 256 };
#define GRACE    0.3 /* seconds that a process has to end by itself */
#define PATIENCE 5.0 /* seconds for a schedule to end a process once more */

enum { AGAIN_MOST = 4 << 20 }; /* schedules for finding the first finding */
enum { SKIPS_POLL = 1024 };
enum { WAITED_MOST = 3 }; /* runs that wait in the kernel, after which there is no sense in more of them */
enum { EXIT_ALIVE = 77 }; /* how a process ends that did not die */

enum outcome_of_worker { WORKER_RUNS, WORKER_THROUGH, WORKER_FOUND, WORKER_LIMIT, WORKER_FAILED };

/* A finding as processes share it. */
struct kept {
  enum found found;
  bool died;
  char said[SAID_MOST];
  uint64_t client, key, results;
  size_t count;
  struct choice choices[CHOICES_KEPT];
};

/* A run that is kept for nothing but its place among others. */
struct kept_run {
  uint64_t client;
  size_t count;
  struct choice choices[CHOICES_KEPT];
};

/* What one process has reached. */
struct worker {
  _Atomic int outcome;
  enum limit limit;
  _Atomic uint64_t schedules, cut, redundant, halted, orders, skipped, steps, traces, done, refused, waiting;
  _Atomic uint64_t at; /* the client it is at */
  bool incomplete, long_runs, shares_stacks, reads_freed, wide, weaker, beyond;
  struct races_seen seen;
  unsigned bound;
  double cpu;
  long peak_kb;
  struct problem failed;          /* why it failed */
  char unsupported[SAID_MOST];    /* what could not be run; "": nothing */
  uintptr_t unsupported_pc;       /* and where; 0: not known */
  struct kept_run unsupported_in; /* the first such run */
  bool too_many;
  unsigned found_count;
  struct kept found[FINDINGS_MOST];
  bool leaks; /* there is a leak, which counts only where the code deletes what it allocates: */
  struct kept leak;
  _Atomic uint32_t shown_count; /* what it is running */
  struct choice shown[CHOICES_SHOWN];
};

struct board {
  _Atomic uint64_t next;  /* client */
  _Atomic uint64_t found; /* the first client with a finding; UINT64_MAX: none */
  _Atomic uint64_t part;  /* of one that is divided */
  struct client_total total;
  _Atomic uint64_t schedules_left; /* of search_options.schedules_most */
  _Atomic uint64_t deleted;        /* the first client in a run of which something was deleted; UINT64_MAX: none */
  _Atomic uint64_t leaked;         /* ... in a run of which something leaked, while nothing had been */
  _Atomic uint64_t again; /* ... a run of which shows that all is to be done again: with stacks, blocks or another
                           * memory (struct run) */
  volatile sig_atomic_t interrupted;
  struct worker workers[];
};

struct searching {
  struct mem *mem;
  struct image *image;
  const struct object *object;
  struct client_source source;
  struct clients *clients; /* of this process */
  const struct search_options *options;
  struct limits *limits;
  struct searched *out;
  struct problem *why;
  struct board *board;
  size_t board_size;
  struct hashes *histories, *states, *traces; /* states, traces: where one client is divided */
  unsigned jobs;
  bool divided;
  pid_t pids[WORKERS_MOST];
  /* In a worker. */
  unsigned number;
  struct worker *me;
  struct judge *judge;
  struct limits own;
  struct problem judging;
  uint64_t client;                     /* the one it is at, or wants next */
  bool counted;                        /* a run of it was judged */
  const struct explore_counts *counts; /* of it, so far */
  uint64_t schedules;                  /* of the clients before it */
};

/* A worker. */

/* Where histories are wrong there is no place: those of the same operations are taken as one. */
uint64_t finding_key(const struct run *r, const struct object *o) {
  const struct found_place *at;
  size_t count = r->found ? run_found_places(&at) : 0;
  uint64_t key = hash_mix(r->found), ops = 0, places = 0;
  for (size_t i = 0; i < count; i++) places += hash_mix(at[i].pc); /* in any order */
  if (!r->found)
    for (uint32_t i = 0; i < r->client->first[r->client->threads]; i++)
      ops |= (uint64_t)1 << o->ops[r->client->calls[i].op].method % 64;
  return hash_mix(key ^ places ^ ops);
}

uint64_t finding_key_again(struct image *image, const struct object *o, const struct run_options *how,
                           const struct finding *f) {
  struct plan plan = {.choices = f->choices, .count = f->count};
  struct problem why;
  if (!run_open(image, o->run_ops, o->op_count, o->init, how, &why)) return 0;
  const struct run *r = run_execute(&f->client, &plan, &why);
  return r ? finding_key(r, o) : 0;
}

static uint64_t results_of(const struct run *r) {
  uint64_t h = r->found;
  for (size_t i = 0; i < r->moment_count; i++) {
    const struct moment *m = &r->moments[i];
    h = hash_mix(h ^ ((uint64_t)m->call << 1 | m->is_return));
    h = hash_mix(h ^ (uint64_t)m->result);
  }
  return h;
}

bool finding_repeats(struct image *image, const struct object *o, const struct run_options *how,
                     const struct finding *f, struct problem *why) {
  struct plan plan = {.choices = f->choices, .count = f->count};
  if (!run_open(image, o->run_ops, o->op_count, o->init, how, why)) return false;
  for (int i = 0; i < 2; i++) { /* the first may depend on what was before it, too */
    const struct run *r = run_execute(&f->client, &plan, why);
    if (!r) return false;
    if (r->count == f->count && results_of(r) == f->results) continue;
    problem_of(why, PROBLEM_UNSUPPORTED,
               "something wrong was seen, but the same schedule run again gives another history: the code depends on "
               "what is no part of it, such as a file, the time, a random number or another process");
    return false;
  }
  return true;
}

static void announce(_Atomic uint64_t *least, uint64_t client) {
  uint64_t first = *least;
  while (client < first && !atomic_compare_exchange_weak(least, &first, client)) {}
}

static size_t keep_choices(const struct run *r, struct choice *choices) {
  size_t count = r->count < CHOICES_KEPT ? r->count : CHOICES_KEPT;
  for (size_t i = 0; i < count; i++) choices[i] = (struct choice){r->steps[i].fiber, r->steps[i].block};
  return count;
}

static void keep_run(const struct searching *k, const struct run *r, uint64_t key, struct kept *f) {
  f->found = r->found ? r->found : judge_found(k->judge); /* a leak is kept before the run is judged */
  f->died = false;
  snprintf(f->said, sizeof f->said, "%s", judge_said(k->judge, r));
  f->client = k->client;
  f->key = key;
  f->results = results_of(r);
  f->count = keep_choices(r, f->choices);
}

static void keep_finding(struct searching *k, const struct run *r) {
  struct worker *w = k->me;
  uint64_t key = finding_key(r, k->object);
  for (unsigned i = 0; i < w->found_count; i++)
    if (w->found[i].key == key) return;
  if (w->found_count == FINDINGS_MOST) {
    w->too_many = true;
    return;
  }
  keep_run(k, r, key, &w->found[w->found_count++]);
  if (k->options->keep_going) return;
  announce(&k->board->found, k->client);
  w->outcome = WORKER_FOUND;
}

/* Leaks of code that has `delete` in it: they count only where some run deletes anything, since destructors and what
 * is done when a constructor throws have it too, in code that never frees. That is known, at the latest, when this
 * client and the first with a run that deletes have been explored: so whatever is found up to then comes before. */
static uint64_t leak_known(const struct board *b) {
  uint64_t deleted = b->deleted, leaked = b->leaked;
  return deleted > leaked ? deleted : leaked;
}
static void keep_leak(struct searching *k, const struct run *r) {
  if (k->me->leaks) return;
  k->me->leaks = true;
  keep_run(k, r, finding_key(r, k->object), &k->me->leak);
  announce(&k->board->leaked, k->client);
}

/* Is there a finding in a smaller client than the one that is worked at? */
static __attribute__((noinline)) bool is_overtaken_by_any(const struct searching *k, uint64_t client) {
  uint64_t found = atomic_load_explicit(&k->board->found, memory_order_relaxed);
  if (atomic_load_explicit(&k->board->again, memory_order_relaxed) <= client) return true;
  if (k->options->keep_going) return false;
  if (k->options->leaks_if_deleted && leak_known(k->board) < client) return true;
  return k->divided ? found != UINT64_MAX : found < client;
}
/* Mostly there is nothing yet. */
static inline bool is_overtaken(const struct searching *k, uint64_t client) {
  uint64_t all = atomic_load_explicit(&k->board->found, memory_order_relaxed) &
                 atomic_load_explicit(&k->board->again, memory_order_relaxed);
  return (all != UINT64_MAX || k->options->leaks_if_deleted) && is_overtaken_by_any(k, client);
}
static bool overtaken(const struct searching *k) { return is_overtaken(k, k->client); }

/* Of the runs with something that cannot be run, the first of the first client is told, whichever process had it. */
static int compare_runs(const struct kept_run *a, const struct kept_run *b) {
  if (a->client != b->client) return a->client < b->client ? -1 : 1;
  size_t count = a->count < b->count ? a->count : b->count;
  for (size_t i = 0; i < count; i++) {
    if (a->choices[i].fiber != b->choices[i].fiber) return a->choices[i].fiber < b->choices[i].fiber ? -1 : 1;
    if (a->choices[i].block != b->choices[i].block) return a->choices[i].block < b->choices[i].block ? -1 : 1;
  }
  return (a->count > b->count) - (a->count < b->count);
}
static void keep_unsupported(struct searching *k, const struct run *r) {
  struct worker *w = k->me;
  struct kept_run in;
  const struct found_place *at;
  in.client = k->client;
  in.count = keep_choices(r, in.choices);
  if (w->unsupported[0] && compare_runs(&w->unsupported_in, &in) <= 0) return;
  w->unsupported_in.client = in.client;
  w->unsupported_in.count = in.count;
  memcpy(w->unsupported_in.choices, in.choices, in.count * sizeof *in.choices);
  w->unsupported_pc = run_found_places(&at) ? at[0].pc : 0;
  snprintf(w->unsupported, sizeof w->unsupported, "%s", r->said);
}

/* What a run says about more than itself: of most there is nothing. */
static inline bool says_more(const struct searching *k, const struct run *r) {
  return r->end == RUN_LONG || r->shares_stacks | r->reads_freed | r->wide | r->forgiven | r->volatiles | r->beyond ||
         (r->weaker && !k->me->weaker);
}
/* What memory is to be: is it another than in this search? */
static void note_memory(struct searching *k, bool weaker, bool beyond) {
  k->me->weaker |= weaker;
  k->me->beyond |= beyond;
  bool again = k->options->run.memory == MEMORY_SC ? weaker : beyond;
  if (again && k->options->memory_open) announce(&k->board->again, k->client);
}

/* A run that cannot be judged: nor can the client's others. Where memory is sequentially consistent it may be. */
static enum visit keep_unjudged(struct searching *k) {
  if (k->options->run.memory != MEMORY_SC) note_memory(k, false, true);
  snprintf(k->me->unsupported, sizeof k->me->unsupported, "%.500s", k->judging.text);
  if (k->options->tasks) k->options->tasks[k->client].cannot = true;
  k->me->outcome = WORKER_THROUGH;
  return VISIT_STOP;
}

static __attribute__((noinline)) void note_run(struct searching *k, const struct run *r) {
  k->me->long_runs |= r->end == RUN_LONG;
  k->me->shares_stacks |= r->shares_stacks;
  if (r->shares_stacks && k->options->run.races) announce(&k->board->again, k->client);
  if (r->reads_freed) announce(&k->board->again, k->client);
  note_memory(k, r->weaker, r->beyond);
  k->me->wide |= r->wide;
  k->me->seen.volatiles |= r->volatiles;
  k->me->seen.incomplete |= r->forgiven;
}

static enum visit visit(void *self, const struct run *r) {
  struct searching *k = self;
  k->counted = true;
  atomic_store_explicit(&k->me->schedules, k->schedules + k->counts->schedules, memory_order_relaxed);
  if (says_more(k, r)) note_run(k, r);
  if (r->found == FOUND_UNSUPPORTED) { /* it says nothing about the object */
    keep_unsupported(k, r);
    if (k->options->tasks) k->options->tasks[k->client].cannot = true;
    if (r->waited >= WAITED_MOST) k->me->outcome = WORKER_THROUGH;
    return overtaken(k) || k->me->outcome != WORKER_RUNS ? VISIT_STOP : VISIT_ON;
  }
  struct run whole;
  if (k->options->leaks_if_deleted && run_deleted()) announce(&k->board->deleted, k->client);
  if (k->options->leaks_if_deleted && r->found == FOUND_LEAK) {
    keep_leak(k, r);
    whole = *r;
    whole.found = FOUND_NOTHING;
    r = &whole;
  }
  switch (judge_run(k->judge, r, &k->judging)) {
  case JUDGED_GOOD: return overtaken(k) ? VISIT_STOP : VISIT_ON;
  case JUDGED_WRONG: keep_finding(k, r); return k->options->keep_going ? VISIT_ON : VISIT_STOP;
  default:
    if (k->judging.kind == PROBLEM_UNSUPPORTED) return keep_unjudged(k);
    k->me->failed = k->judging;
    k->me->outcome = WORKER_FAILED;
    return VISIT_STOP;
  }
}

/* May threads that make the same calls be exchanged? A specification of the user's may tell processes apart. */
static bool may_exchange(const struct object *o) {
  return !o->knows_thread && !(o->spec.by_process && (o->spec.user || o->self));
}

struct explore_options explore_automatic(const struct search_options *options, const struct object *object,
                                         const struct client *c) {
  struct explore_options o = options->explore;
  o.weak = options->run.memory != MEMORY_SC;
  o.alike = may_exchange(object);
  if (!options->automatic) return o;
  bool small = client_calls(c) <= SMALL_CALLS;
  o.strategy = &strategies[small ? EXPLORE_DPOR : EXPLORE_DELAYS];
  o.bound = BOUND_MOST;
  return o;
}

/* The races that the runs of this process had and did not report. */
static void add_forgiven(struct races_seen *seen, const struct forgiven_race *r) {
  for (size_t i = 0; i < seen->count; i++)
    if (!memcmp(seen->forgiven[i].pc, r->pc, sizeof r->pc)) return;
  if (seen->count < FORGIVEN_MOST) seen->forgiven[seen->count++] = *r;
}
void races_add(struct races_seen *to, const struct races_seen *more) {
  to->volatiles |= more->volatiles;
  to->incomplete |= more->incomplete;
  for (size_t i = 0; i < more->count; i++) add_forgiven(to, &more->forgiven[i]);
  if (more->volatile_race[0]) memcpy(to->volatile_race, more->volatile_race, sizeof to->volatile_race);
}
static void see_races(struct races_seen *seen) {
  const struct forgiven_race *r;
  size_t count = run_forgiven(&r);
  for (size_t i = 0; i < count; i++) add_forgiven(seen, &r[i]);
  run_volatile_race(seen->volatile_race);
}

static void note_task(struct search_task *t, const struct explore_counts *c, bool counted) {
  t->done = true;
  t->refused = !counted;
  t->spent = c->spent;
  t->complete = c->complete;
  t->bound = c->bound;
  t->steps = c->steps;
}

/* Explores a client. False if there is an end to it all. */
static bool explore_client(struct searching *k, const struct client *c) {
  struct search_task *task = k->options->tasks ? &k->options->tasks[k->client] : NULL;
  struct explore_options o = task ? task->how : explore_automatic(k->options, k->object, c);
  struct explore_counts counts = {0};
  struct problem why;
  struct worker *w = k->me;
  struct share share = {.workers = 1, .choices = w->shown, .choice_count = &w->shown_count};
  if (k->options->schedules_most) share.left = &k->board->schedules_left;
  judge_forget(k->judge);
  run_cover_as((uint32_t)k->client);
  if (k->divided) {
    share.worker = k->number;
    share.workers = k->jobs;
    share.next = &k->board->part;
    share.states = k->states;
    share.traces = k->traces;
  }
  k->schedules = w->schedules;
  k->counts = &counts;
  k->counted = false;
  if (!explore(c, &o, &share, &k->own, visit, k, &counts, &why)) {
    if (why.kind == PROBLEM_UNSUPPORTED) {
      snprintf(w->unsupported, sizeof w->unsupported, "%.500s", why.text);
      if (task) task->cannot = true;
      w->outcome = WORKER_THROUGH;
    } else if (why.kind == PROBLEM_SYSTEM) {
      w->limit = LIMIT_NO_MEMORY;
      w->outcome = WORKER_LIMIT;
    } else {
      problem_internal(&w->failed, "%.500s", why.text);
      w->outcome = WORKER_FAILED;
    }
  }
  w->schedules = k->schedules + counts.schedules;
  w->cut += counts.cut;
  w->redundant += counts.redundant;
  w->halted += counts.halted;
  w->orders += counts.orders;
  w->skipped += counts.skipped;
  w->steps += counts.steps;
  w->traces += counts.traces;
  w->waiting = judge_waiting(k->judge);
  see_races(&w->seen);
  w->reads_freed |= run_reads_freed(); /* in a run that was given up, too */
  if (w->reads_freed) announce(&k->board->again, k->client);
  note_memory(k, run_weaker(), false);
  if (w->outcome != WORKER_RUNS || overtaken(k)) return false;
  if (limits_poll(&k->own)) {
    w->limit = (enum limit)k->own.reached;
    w->outcome = WORKER_LIMIT;
    return false;
  }
  w->done++;
  w->refused += !k->counted;
  if (task) note_task(task, &counts, k->counted);
  if (!counts.complete) {
    if (!w->incomplete || counts.bound < w->bound) w->bound = counts.bound;
    w->incomplete = true;
  }
  return true;
}

/* Explores the clients whose turn this process has taken. */
static bool take_client(void *self, uint64_t number, const struct client *c) {
  struct searching *k = self;
  assert(number <= k->client);
  if (number < k->client) return number % SKIPS_POLL || (!overtaken(k) && !limits_poll(&k->own));
  k->me->at = number;
  if (overtaken(k) || !explore_client(k, c) || k->divided) return false;
  k->client = atomic_fetch_add(&k->board->next, 1);
  return true;
}

static void explore_clients(struct searching *k) {
  k->client = k->divided ? 0 : atomic_fetch_add(&k->board->next, 1);
  uint64_t made = clients_each(k->clients, take_client, k);
  if (k->me->outcome != WORKER_RUNS) return;
  k->me->outcome = WORKER_THROUGH;
  if (overtaken(k) || k->divided) return;
  if (limits_poll(&k->own)) {
    k->me->limit = (enum limit)k->own.reached;
    k->me->outcome = WORKER_LIMIT;
    return;
  }
  assert(!k->board->total.all || k->board->total.all == made);
  k->board->total.all = made;
}

static void work(struct searching *k) {
  struct mem m;
  struct problem why;
  k->me = &k->board->workers[k->number];
  limits_start(&k->own, k->limits->seconds, k->limits->bytes / k->jobs);
  k->own.started = k->limits->started;
  k->own.interrupted = &k->board->interrupted;
  mem_open(&m, &k->own);
  if (MEM_GUARD(&m)) {
    k->me->limit = (enum limit)k->own.reached;
    k->me->outcome = WORKER_LIMIT;
    return;
  }
  spec_user_forked();
  if (!run_open(k->image, k->object->run_ops, k->object->op_count, k->object->init, &k->options->run, &why)) {
    snprintf(k->me->unsupported, sizeof k->me->unsupported, "%.500s", why.text);
    k->me->outcome = WORKER_THROUGH;
    return;
  }
  if (k->options->coverage) coverage_watch(k->options->coverage);
  k->judge = judge_new(&m, k->object, k->histories);
  if (k->options->approx) judge_approx(k->judge, k->options->k);
  if ((k->clients = clients_open(&m, &k->source, &why))) {
    explore_clients(k);
  } else {
    k->me->failed = why;
    k->me->outcome = WORKER_FAILED;
  }
  mem_close(&m);
}

static void work_and_count(struct searching *k) {
  work(k);
  k->me->cpu = clock_cpu_seconds();
  k->me->peak_kb = peak_rss_kb();
}

/* The process that has them work. */

static void sum_up(struct searching *k) {
  struct searched *s = k->out;
  s->schedules = s->cut = s->redundant = s->halted = s->orders = s->skipped = s->steps = s->traces = s->done =
      s->refused = s->waiting = 0;
  s->complete = true;
  s->long_runs = s->shares_stacks = s->reads_freed = s->wide = s->weaker = s->beyond = false;
  s->seen = (struct races_seen){0};
  s->cpu_seconds = 0;
  s->peak_kb = 0;
  for (unsigned i = 0; i < k->jobs; i++) {
    const struct worker *w = &k->board->workers[i];
    s->schedules += w->schedules;
    s->cut += w->cut;
    s->redundant += w->redundant;
    s->halted += w->halted;
    s->orders += w->orders;
    s->skipped += w->skipped;
    s->steps += w->steps;
    s->traces += w->traces;
    s->done += w->done;
    s->refused += w->refused;
    s->waiting += w->waiting;
    s->long_runs |= w->long_runs;
    s->shares_stacks |= w->shares_stacks;
    s->reads_freed |= w->reads_freed;
    s->weaker |= w->weaker;
    s->beyond |= w->beyond;
    races_add(&s->seen, &w->seen);
    s->wide |= w->wide;
    s->cpu_seconds += w->cpu;
    s->peak_kb += w->peak_kb;
    if (!w->incomplete) continue;
    if (s->complete || w->bound < s->bound) s->bound = w->bound;
    s->complete = false;
  }
  s->uncounted = !k->board->total.all;
  uint64_t seen = k->board->next > k->board->total.seen ? k->board->next : k->board->total.seen;
  s->clients = s->uncounted ? seen : k->board->total.all;
  if (k->divided) s->done = s->done == k->jobs;
  if (k->divided && s->refused < k->jobs) s->refused = 0;
  if (s->refused > s->clients) s->refused = s->clients;
  s->histories = k->options->approx ? 0 : hashes_count(k->histories); /* a monitor need not tell them apart */
}

/* Processes that have not ended. */
struct waiting {
  unsigned count; /* started */
  bool ended[WORKERS_MOST];
  bool stopped[WORKERS_MOST]; /* by this one: it is no wonder that they died */
  int status[WORKERS_MOST];
  double over, late; /* since when is it to be over, and are some to be; 0: not yet */
};

static void end_worker(struct searching *k, struct waiting *w, unsigned i, enum outcome_of_worker outcome,
                       enum limit limit) {
  struct worker *worker = &k->board->workers[i];
  if (w->ended[i] || w->stopped[i]) return;
  kill(k->pids[i], SIGKILL);
  w->stopped[i] = true;
  if (worker->outcome != WORKER_RUNS) return;
  worker->limit = limit;
  worker->outcome = outcome;
}

/* Those that do not hear that it is over. */
static void end_deaf(struct searching *k, struct waiting *w) {
  double now = clock_seconds();
  bool late = k->limits->seconds > 0 && limits_elapsed(k->limits) >= k->limits->seconds;
  enum limit limit = late                                                ? LIMIT_TIME
                     : k->limits->interrupted && *k->limits->interrupted ? LIMIT_INTERRUPT
                                                                         : LIMIT_NONE;
  if (limit == LIMIT_INTERRUPT || (late && k->limits->interrupted && *k->limits->interrupted))
    k->board->interrupted = 1;
  if (limit && !w->over) w->over = now;
  for (unsigned i = 0; limit && now > w->over + GRACE && i < w->count; i++) end_worker(k, w, i, WORKER_LIMIT, limit);
  if (k->board->found == UINT64_MAX) return;
  if (!w->late) w->late = now;
  for (unsigned i = 0; now > w->late + 4 * GRACE && i < w->count; i++)
    if (is_overtaken(k, k->board->workers[i].at)) end_worker(k, w, i, WORKER_THROUGH, LIMIT_NONE);
}

/* Waits until all have ended: then nobody has the other end of the pipe. */
static void wait_for_end(struct searching *k, struct waiting *w, int pipe_end) {
  struct pollfd fd = {.fd = pipe_end, .events = POLLIN};
  for (unsigned left = w->count; left;) {
    bool over = poll(&fd, 1, 50) > 0;
    for (unsigned i = 0; i < w->count; i++) {
      if (w->ended[i]) continue;
      if (!w->stopped[i] && waitpid(k->pids[i], &w->status[i], over ? 0 : WNOHANG) != k->pids[i]) continue;
      w->ended[i] = true; /* those that are made to end are not waited for: giving their memory back takes time */
      left--;
      if (!w->stopped[i] && k->board->workers[i].outcome == WORKER_RUNS)
        announce(&k->board->found, k->board->workers[i].at);
    }
    end_deaf(k, w);
    if (!k->options->progress || !left) continue;
    sum_up(k);
    k->options->progress(k->options->progress_self, k->out);
  }
}

/* By a signal that no mistake in the code raises: by whoever ran out of memory or patience. What the code sends itself
 * by kill or raise is seen there. */
bool killed_from_outside(int status) {
  static const int mistakes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
  if (!WIFSIGNALED(status)) return false;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    if (mistakes[i] == WTERMSIG(status)) return false;
  return true;
}

bool ended_by_machine(int status) {
  return (WIFEXITED(status) && WEXITSTATUS(status) == RUN_NO_MEMORY) || killed_from_outside(status);
}

/* "SIGSEGV, Segmentation fault" */
static char *how_ended(struct mem *m, int status) {
  static const struct {
    int number;
    const char *name;
  } signals[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},  {SIGILL, "SIGILL"},
                 {SIGABRT, "SIGABRT"}, {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}};
  struct text t;
  text_open(&t, m);
  if (!WIFSIGNALED(status)) {
    text_printf(&t, "it ended with status %d", WEXITSTATUS(status));
    return t.at;
  }
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (signals[i].number == WTERMSIG(status)) text_printf(&t, "%s, ", signals[i].name);
  text_add(&t, strsignal(WTERMSIG(status)));
  return t.at;
}

/* Gives whether the process died; one that takes too long did not. */
static bool wait_for_death(pid_t pid, const struct limits *limits, int *status) {
  double until = clock_seconds() + PATIENCE;
  while (waitpid(pid, status, WNOHANG) == 0) {
    if (clock_seconds() > until || (limits->interrupted && *limits->interrupted)) {
      kill(pid, SIGKILL);
      waitpid(pid, status, 0);
      return false;
    }
    usleep(500);
  }
  return !(WIFEXITED(*status) && WEXITSTATUS(*status) == EXIT_ALIVE);
}

bool finding_dies(struct mem *m, struct image *image, const struct object *o, const struct run_options *how,
                  const struct limits *limits, struct finding *f) {
  int status = 0;
  fflush(stdout);
  fflush(stderr);
  pid_t parent = getpid(), pid = fork();
  if (pid < 0) return false;
  if (!pid) {
    struct plan plan = {.choices = f->choices, .count = f->count};
    struct problem why;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && run_open(image, o->run_ops, o->op_count, o->init, how, &why))
      run_execute(&f->client, &plan, &why);
    _exit(EXIT_ALIVE);
  }
  if (!wait_for_death(pid, limits, &status) || ended_by_machine(status)) return false;
  struct text t;
  text_open(&t, m);
  text_printf(&t, "the process that ran the client died: %s", how_ended(m, status));
  f->said = t.at;
  f->found = FOUND_CRASH;
  f->key = hash_mix(FOUND_CRASH ^ (uint64_t)status << 32);
  f->died = true;
  return true;
}

/* One that died took what it ran with it: the code killed it, or wrote over memory that is not its own. */
static bool died(struct searching *k, unsigned number, int status) {
  struct worker *w = &k->board->workers[number];
  struct finding again = {.choices = w->shown, .count = w->shown_count};
  struct text t;
  if (k->options->tasks) k->options->tasks[w->at].cannot = true;
  bool known = w->shown_count < CHOICES_SHOWN && clients_find(k->clients, w->at, k->mem, &again.client);
  text_open(&t, k->mem);
  if (ended_by_machine(status)) {
    if (WIFEXITED(status))
      snprintf(w->unsupported, sizeof w->unsupported, "a process that ran the code had no memory left");
    else
      snprintf(w->unsupported, sizeof w->unsupported,
               "a process that ran the code was killed from outside (%.100s): for lack of memory, or by a limit?",
               how_ended(k->mem, status));
    w->outcome = WORKER_THROUGH;
    return true;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == RUN_BROKEN) {
    if (known) client_print(k->object, &again.client, &t);
    snprintf(w->unsupported, sizeof w->unsupported,
             "Asif's own memory was broken while it ran %.300s: the code has written over memory that is not its own",
             text_string(&t));
    w->outcome = WORKER_THROUGH;
    return true;
  }
  if (known) client_print(k->object, &again.client, &t);
  if (!known || !finding_dies(k->mem, k->image, k->object, &k->options->run, k->limits, &again)) {
    snprintf(
        w->unsupported, sizeof w->unsupported,
        "the process that ran %.300s died (%.100s), and does not do so again: the code may have written over memory "
        "that is not its own, or depend on something outside of it",
        text_string(&t), how_ended(k->mem, status));
    w->outcome = WORKER_THROUGH;
    return true;
  }
  struct kept *f = &w->found[w->found_count < FINDINGS_MOST ? w->found_count++ : FINDINGS_MOST - 1];
  f->found = again.found;
  f->died = true;
  snprintf(f->said, sizeof f->said, "%s", again.said);
  f->client = w->at;
  f->key = again.key;
  f->count = again.count;
  memcpy(f->choices, again.choices, f->count * sizeof *f->choices);
  w->outcome = WORKER_FOUND;
  return true;
}

static bool start(struct searching *k) {
  struct waiting w = {0};
  int ends[2];
  fflush(stdout);
  fflush(stderr);
  pid_t counting =
      counting_start(&k->source, &k->board->total); /* before there is a pipe, the end of which it would keep open */
  if (pipe(ends)) {
    counting_end(counting);
    return problem_of(k->why, PROBLEM_SYSTEM, "no pipe can be made: %s", strerror(errno)), false;
  }
  for (; w.count < k->jobs; w.count++) {
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) break;
    if (!pid) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      signal(SIGINT, SIG_IGN); /* whoever started it says when it is to end */
      signal(SIGTERM, SIG_IGN);
      signal(SIGHUP, SIG_IGN);
      signal(SIGQUIT, SIG_IGN);
      close(ends[0]);
      k->number = w.count;
      work_and_count(k);
      _exit(0);
    }
    k->pids[w.count] = pid;
  }
  close(ends[1]);
  bool good = w.count == k->jobs;
  if (!good) {
    problem_set(k->why, "no process can be made: %s", strerror(errno));
    k->board->interrupted = 1;
  }
  wait_for_end(k, &w, ends[0]);
  close(ends[0]);
  counting_end(counting);
  for (unsigned i = 0; good && i < w.count; i++)
    if (!w.stopped[i] && k->board->workers[i].outcome == WORKER_RUNS) good = died(k, i, w.status[i]);
  return good;
}

static void copy_finding(struct searching *k, const struct kept *w, struct finding *f) {
  assert(w->count <= CHOICES_KEPT);
  *f = (struct finding){.found = w->found, .key = w->key, .results = w->results, .died = w->died, .count = w->count};
  f->said = mem_string(k->mem, w->said, strlen(w->said));
  clients_find(k->clients, w->client, k->mem, &f->client);
  f->choices = mem_alloc(k->mem, (w->count + 1) * sizeof *f->choices);
  memcpy(f->choices, w->choices, w->count * sizeof *f->choices);
}

static void take_finding(struct searching *k, const struct kept *w, struct finding *f) {
  k->out->verdict = VERDICT_VIOLATED;
  copy_finding(k, w, f);
}

static int by_client(const void *a, const void *b) {
  const struct kept *x = *(const struct kept *const *)a, *y = *(const struct kept *const *)b;
  if (x->client != y->client) return x->client < y->client ? -1 : 1;
  return (x > y) - (x < y); /* of one client, which one process explored: in the order found */
}

/* The leak in the smallest client. */
static const struct kept *first_leak(const struct searching *k) {
  const struct kept *leak = NULL;
  for (unsigned i = 0; i < k->jobs; i++) {
    const struct worker *w = &k->board->workers[i];
    if (w->leaks && (!leak || w->leak.client < leak->client)) leak = &w->leak;
  }
  return leak;
}

/* A leak that did not count may do so in another search with the same code. */
static void keep_for_later(struct searching *k) {
  const struct kept *leak = first_leak(k);
  k->out->deleted = k->board->deleted != UINT64_MAX;
  k->out->leaks = leak != NULL;
  if (leak) copy_finding(k, leak, &k->out->leak);
}

/* Where threads share stacks, or read addresses of freed blocks that nobody was thought to have, or memory is to be
 * another, everything is done again, from the client on in which that was seen. */
static bool is_final(const struct searching *k, const struct kept *f) {
  return k->board->again == UINT64_MAX || (f->client < k->board->again && !k->options->keep_going);
}

/* Each mistake once, in the smallest client it was found in. */
static void take_findings(struct searching *k) {
  VEC(const struct kept *) all = {NULL, 0, 0};
  for (unsigned i = 0; i < k->jobs; i++)
    for (unsigned n = 0; n < k->board->workers[i].found_count; n++)
      if (is_final(k, &k->board->workers[i].found[n])) vec_push(k->mem, &all, &k->board->workers[i].found[n]);
  const struct kept *leak = k->board->deleted != UINT64_MAX ? first_leak(k) : NULL; /* else it does not count */
  if (leak && !is_final(k, leak)) leak = NULL;
  bool before = leak && !k->options->keep_going && all.count;
  for (size_t i = 0; i < all.count && before; i++) before = leak_known(k->board) < all.at[i]->client;
  if (before) all.count = 0;
  if (leak && (before || k->options->keep_going || !all.count)) vec_push(k->mem, &all, leak);
  if (!all.count) return;
  qsort(all.at, all.count, sizeof *all.at, by_client);
  take_finding(k, all.at[0], &k->out->finding);
  if (!k->options->keep_going) return;
  k->out->others = mem_alloc(k->mem, all.count * sizeof *k->out->others);
  for (size_t i = 1; i < all.count; i++) {
    bool known = false;
    for (size_t n = 0; n < i; n++) known |= all.at[n]->key == all.at[i]->key;
    if (!known) take_finding(k, all.at[i], &k->out->others[k->out->other_count++]);
  }
}

/* A violation counts most, then what went wrong, then limits. */
static bool conclude(struct searching *k) {
  const struct worker *unsupported = NULL;
  sum_up(k);
  for (unsigned i = 0; i < k->jobs; i++) {
    const struct worker *w = &k->board->workers[i];
    if (w->outcome == WORKER_FAILED) return *k->why = w->failed, false;
    k->out->too_many |= w->too_many;
    if (w->unsupported[0] && (!unsupported || compare_runs(&w->unsupported_in, &unsupported->unsupported_in) < 0))
      unsupported = w;
    if (w->outcome != WORKER_LIMIT) continue;
    k->out->verdict = VERDICT_UNKNOWN;
    if (!k->out->limit || w->limit == LIMIT_INTERRUPT) k->out->limit = w->limit;
  }
  if (unsupported) {
    k->out->unsupported = mem_string(k->mem, unsupported->unsupported, strlen(unsupported->unsupported));
    k->out->unsupported_pc = unsupported->unsupported_pc;
    k->out->verdict = VERDICT_UNKNOWN;
  }
  take_findings(k);
  if (k->options->leaks_if_deleted) keep_for_later(k);
  return true;
}

void *share_memory(size_t bytes) {
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? NULL : at;
}

static bool open_board(struct searching *k, uint64_t count) {
  k->board_size = sizeof *k->board + k->jobs * sizeof *k->board->workers;
  k->board = share_memory(k->board_size);
  k->histories = k->options->histories ? k->options->histories : judge_set();
  size_t bytes = k->limits->bytes ? k->limits->bytes / 4 : (size_t)1 << 30;
  if (k->divided) {
    k->states = hashes_open(2 * bytes);
    k->traces = hashes_open(bytes);
  }
  bool good = k->board && k->histories && (!k->divided || (k->states && k->traces));
  if (!good) return problem_of(k->why, PROBLEM_SYSTEM, "no memory for what processes share"), false;
  k->board->found = k->board->deleted = k->board->leaked = k->board->again = UINT64_MAX;
  k->board->schedules_left = k->options->schedules_most;
  k->board->total.seen = count;
  k->board->total.all = count < CLIENTS_COUNTED ? count : 0;
  return true;
}

static void close_board(struct searching *k) {
  if (k->board) munmap(k->board, k->board_size);
  if (k->source.memory) munmap(k->source.memory, sizeof *k->source.memory);
  if (k->histories != k->options->histories) hashes_close(k->histories);
  hashes_close(k->states);
  hashes_close(k->traces);
}

static bool search(struct searching *k) {
  if (!(k->clients = clients_open(k->mem, &k->source, k->why))) return false;
  uint64_t count = k->source.list ? k->source.count : clients_count(k->clients, CLIENTS_COUNTED);
  if (count == 1 && !k->source.list) {
    k->divided = k->jobs > 1 && !k->options->keep_going; /* which of several findings were first is known of one */
    if (!k->divided) k->jobs = 1;
  } else if (count < k->jobs) {
    k->jobs = (unsigned)count;
  }
  return open_board(k, count) && start(k) && conclude(k);
}

/* The processes that divide a client race to the first finding. So that the same one is told whatever their number, the
 * client is explored once more by one process: up to the first finding in its order. Where that takes too long, the
 * finding there is stays. */
static void find_first(struct mem *m, struct image *image, const struct client_source *source,
                       const struct search_options *options, struct limits *limits, struct searched *out) {
  struct search_options one = *options;
  struct searched first;
  struct problem why;
  assert(!options->keep_going && !out->other_count);
  one.jobs = 1;
  one.progress = NULL;
  one.coverage = NULL;
  if (!one.schedules_most || one.schedules_most > AGAIN_MOST) one.schedules_most = AGAIN_MOST;
  if (out->finding.found == FOUND_LEAK) one.leaks_if_deleted = false; /* it counts, and there is nothing else */
  if (!search_clients(m, image, source, &one, limits, &first, &why) || first.verdict != VERDICT_VIOLATED) return;
  first.cpu_seconds += out->cpu_seconds;
  if (out->peak_kb > first.peak_kb) first.peak_kb = out->peak_kb;
  *out = first;
}

bool search_clients(struct mem *m, struct image *image, const struct client_source *source,
                    const struct search_options *options, struct limits *limits, struct searched *out,
                    struct problem *why) {
  struct searching *k = mem_zero(m, 1, sizeof *k);
  *k = (struct searching){.mem = m,
                          .image = image,
                          .object = source->object,
                          .source = *source,
                          .options = options,
                          .limits = limits,
                          .out = out,
                          .why = why,
                          .jobs = options->jobs < WORKERS_MOST ? options->jobs : WORKERS_MOST};
  *out = (struct searched){.verdict = VERDICT_HOLDS, .complete = true};
  k->source.memory = source->list ? NULL : share_memory(sizeof *k->source.memory);
  bool good = search(k), divided = k->divided;
  close_board(k);
  if (good && divided && out->verdict == VERDICT_VIOLATED) find_first(m, image, source, options, limits, out);
  return good;
}
