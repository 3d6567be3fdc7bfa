/* The search that is the default: after any time what is most likely wrong has been looked for.
 *
 * Small clients are explored in full; others, which are larger, under few delays and preemptions. Both go on by turns,
 * in *rounds*. A round is a list of clients, each with how it is explored and for how many steps at most, and
 * search_clients works through it: so the clients of a round are explored by several processes, and the finding that
 * comes first in the list is the answer. What a round consists of depends on what was counted in those before it, never
 * on the time: the same command makes the same rounds, on every machine and whatever the number of processes, and finds
 * the same, unless the time ends it before.
 *
 * A small client that takes more steps than it may is put off, to begin anew in a later round with many times as many:
 * this way one that would take for ever stops nobody.
 *
 * Larger clients come in packs. Each has many that are explored with one schedule or few, some with more or at random,
 * and a few thoroughly; from pack to pack they get larger. Those that executed something that no client had executed
 * before are extended (coverage.c). */
#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "test/coverage.h"
#include "test/explore.h"
#include "test/larger.h"

enum {
  FRESH_MOST = 256,     /* small clients of a round that were never explored; */
  AGAIN_MOST = 8,       /* ... and that were put off, besides; */
  AGAIN_ALONE = 16,     /* ... and if there are no fresh ones */
  SHORT_CALLS = 3,      /* of a small client that comes before all larger ones, the first time */
  SMALL_STEPS = 50000,  /* steps of a small client, the first time; */
  SMALL_GROWS = 16,     /* ... and so many times as many whenever it is put off */
  SHARE = 2,            /* larger clients have one step for so many of the small ones', */
  PACKS_MOST = 6,       /* ... in so many packs of a round at most */
  PACKS_LEAST = 4,      /* packs that are tried in any case; */
  PACKS_UNREACHED = 10, /* ... where there is code that no client has executed */
  LARGER_CALLS = 20,    /* of a larger client; linear.c decides histories up to 24 operations */
  WEAK_CALLS = 12,      /* ... of several threads under a weak memory model, where judging takes longer (graphs.c) */
  LARGER_OPS = 16,      /* ... of one thread */
  MORE_THREADS = 2,     /* ... more threads than the small ones have */
  SEEDS_MOST = 256,
  TASKS_MOST = 4096,
  KNOWN_BYTES = 64 << 20 /* of the set of larger clients, at most */
};

struct small {
  struct larger one;
  unsigned level; /* how often it was put off */
};
struct planned {
  bool larger, told; /* told: it has executed something new */
  bool alone;        /* a larger client of one thread */
  size_t at;         /* of anytime.small or anytime.round */
  struct explore_options how;
};
struct anytime {
  struct mem *mem;  /* without limits: reaching one is no reason to lose what there is */
  struct mem *kept; /* for what is in `out` */
  struct image *image;
  const struct client_source *source;
  const struct search_options *options;
  struct limits *limits;
  struct searched *out;
  struct problem *why;
  bool goes_on;
  /* Small ones. */
  struct clients *clients;
  struct client_memory *memory;
  struct client_total *total;
  VEC(struct small) small; /* that are not done */
  uint64_t made;           /* of all */
  bool all_made;
  uint64_t done, small_steps;
  /* Larger ones. */
  struct clients *larger; /* NULL: there are none */
  uint64_t drawn, larger_steps;
  unsigned packs;
  VEC(struct larger) seeds; /* that have executed something new */
  struct hashes *known;     /* those made; NULL: no memory for that */
  /* The round. */
  struct mem of_round;
  VEC(struct larger) round;
  VEC(struct planned) planned;
  VEC(struct client) list;
  struct search_task *tasks; /* shared */
  struct hashes *histories;
  VEC(struct finding) found;
};

/* Small clients. */

static void copy_with_kinds(struct mem *m, const struct client *c, const unsigned *kind, struct larger *to) {
  client_copy(m, c, &to->client);
  to->kind = mem_piece(m, (c->threads + 1) * sizeof *to->kind);
  memcpy(to->kind, kind, c->threads * sizeof *to->kind);
}

struct taking {
  struct anytime *a;
  uint64_t from;
  size_t left;
};
static bool take_small(void *self, uint64_t number, const struct client *c) {
  struct taking *t = self;
  if (number < t->from) return true;
  if (!t->left) return false;
  struct small s = {.level = 0};
  copy_with_kinds(t->a->mem, c, t->a->clients->kind, &s.one);
  vec_push(t->a->mem, &t->a->small, s);
  t->left--;
  t->a->made++;
  return true;
}

/* Makes those that come next; gives how many. */
static size_t make_fresh(struct anytime *a) {
  struct taking t = {.a = a, .from = a->made, .left = FRESH_MOST};
  if (a->all_made) return 0;
  clients_each(a->clients, take_small, &t);
  a->all_made = t.left > 0;
  if (a->all_made) a->total->all = a->made;
  return FRESH_MOST - t.left;
}

static struct explore_options small_how(const struct anytime *a, const struct small *s) {
  struct explore_options o = explore_automatic(a->options, a->source->object, &s->one.client);
  o.steps_most = SMALL_STEPS;
  for (unsigned i = 0; i < s->level && o.steps_most < UINT64_MAX / SMALL_GROWS; i++) o.steps_most *= SMALL_GROWS;
  return o;
}

static void plan_small(struct anytime *a, size_t index) {
  vec_push(a->mem, &a->planned, ((struct planned){.at = index, .how = small_how(a, &a->small.at[index])}));
}

/* Those that were never explored, and of the others some that were put off least often. */
static void plan_all_small(struct anytime *a) {
  size_t put_off = a->small.count, fresh = make_fresh(a), again = 0;
  unsigned level = UINT32_MAX;
  for (size_t i = 0; i < put_off; i++)
    if (a->small.at[i].level < level) level = a->small.at[i].level;
  size_t most = fresh ? AGAIN_MOST : level < 2 ? AGAIN_ALONE : AGAIN_ALONE / 4;
  for (size_t i = 0; i < put_off && again < most; i++)
    if (a->small.at[i].level == level) plan_small(a, i), again++;
  for (size_t i = put_off; i < a->small.count; i++) plan_small(a, i);
}

/* Larger clients. */

/* Is it another than those before? */
static bool is_new(struct anytime *a, const struct client *c) {
  uint64_t h = hash_bytes(c->first, (c->threads + 1) * sizeof *c->first);
  for (uint32_t i = 0; i < client_calls(c); i++) {
    h = hash_mix(h ^ c->calls[i].op);
    for (int n = 0; n < CALL_ARGS; n++) h = hash_mix(h ^ (uint64_t)c->calls[i].arg[n]);
  }
  return !a->known || hashes_add(a->known, (struct hash){h, hash_mix(h)}, 0) < 0;
}

/* The parts of a pack: so many clients of a size, explored so far. The sizes grow with the number of the pack. */
struct part {
  unsigned clients;
  struct larger_size size;
  unsigned strategy, bound, depth;
  uint64_t steps;
  bool extends; /* half of them are made of those that have executed something new */
};

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* Under a weak memory model what drains the object at the end counts too: as many calls and one more. */
static unsigned calls_most(const struct anytime *a, bool alone) {
  bool weak = a->options->run.memory != MEMORY_SC;
  if (weak && a->source->object->drains) return (LINEAR_MOST - 1) / 2;
  return weak && !alone ? WEAK_CALLS : LARGER_CALLS;
}

enum { PARTS = 5 };
static void parts_of(const struct anytime *a, unsigned pack, struct part parts[PARTS]) {
  unsigned alone = calls_most(a, true), several = calls_most(a, false);
  unsigned threads = a->larger->threads, few = least(threads, 3);
  unsigned longest = least(6 + 2 * pack, LARGER_OPS), longer = least(4 + pack / 2, LARGER_OPS / 2);
  parts[0] = (struct part){.clients = 256, /* one schedule each, or few */
                           .size = {1, 1, longest, alone},
                           .strategy = EXPLORE_DELAYS,
                           .bound = 0,
                           .steps = 20000,
                           .extends = true};
  parts[1] = (struct part){.clients = 64,
                           .size = {pack % 2 ? threads : few, least(2, threads), longer + 2, several},
                           .strategy = EXPLORE_DELAYS,
                           .bound = 1,
                           .steps = 20000,
                           .extends = true};
  parts[2] = (struct part){.clients = 6,
                           .size = {pack % 2 ? threads : few, least(2, threads), longer, least(12, several)},
                           .strategy = pack % 2 ? EXPLORE_PREEMPTIONS : EXPLORE_DELAYS,
                           .bound = 2,
                           .steps = 150000,
                           .extends = true};
  parts[3] = (struct part){.clients = 10,
                           .size = {threads, least(2, threads), 4, 8},
                           .strategy = EXPLORE_DPOR,
                           .steps = (uint64_t)300000 << least(pack / 4, 6)};
  /* Nodes that come back while another thread still has them (ABA) take three or four preemptions of clients of many
   * calls, which is too much for bounds, but one in some hundred random schedules has them. */
  parts[4] = (struct part){.clients = 32,
                           .size = {few, least(2, threads), longer + 2, least(14, several)},
                           .strategy = EXPLORE_PCT,
                           .depth = 3 + pack % 3,
                           .steps = 40000,
                           .extends = true};
}

/* Every other time one of the last: what they executed is furthest from what others do. */
static const struct larger *choose_seed(const struct anytime *a, uint64_t random) {
  enum { LAST = 8 };
  size_t count = a->seeds.count, among = random & 1 && count > LAST ? LAST : count;
  return &a->seeds.at[count - 1 - (random >> 1) % among];
}

static bool draw_larger(struct anytime *a, const struct part *p, bool extends, struct larger *l) {
  enum { DRAWS = 16 };
  for (int i = 0; i < DRAWS; i++) {
    uint64_t number = a->drawn++;
    const struct larger *seed = extends ? choose_seed(a, hash_mix(number)) : NULL;
    bool made = seed ? larger_extend(a->larger, &a->of_round, number, &p->size, seed, l)
                     : larger_make(a->larger, &a->of_round, number, &p->size, a->source->size, l);
    if (made && is_new(a, &l->client)) return true;
  }
  return false;
}

static void plan_larger(struct anytime *a, const struct part *p, bool extends) {
  struct larger l;
  if (!draw_larger(a, p, extends && a->seeds.count, &l)) return;
  struct explore_options how = explore_automatic(a->options, a->source->object, &l.client);
  bool alone = l.client.threads == 1;
  /* One thread has few schedules, if it has more than one at all: nothing is drawn at random for it. */
  how.strategy = &strategies[alone && p->strategy == EXPLORE_PCT ? EXPLORE_DPOR : p->strategy];
  how.bound = p->bound;
  how.depth = p->depth;
  how.runs_most = 0;
  how.seed = a->drawn;
  how.steps_most = p->steps;
  vec_push(a->mem, &a->planned, ((struct planned){.larger = true, .alone = alone, .at = a->round.count, .how = how}));
  vec_push(a->mem, &a->round, l);
}

/* The parts by turns, each in proportion to its clients: if the time ends in the middle, something of each was tried.
 */
static void plan_pack(struct anytime *a) {
  struct part parts[PARTS];
  unsigned planned[PARTS] = {0};
  parts_of(a, a->packs++, parts);
  for (;;) {
    int next = 0;
    for (int n = 1; n < PARTS; n++)
      if (planned[n] * parts[next].clients < planned[next] * parts[n].clients) next = n;
    if (planned[next] == parts[next].clients) return;
    unsigned i = planned[next]++;
    plan_larger(a, &parts[next], parts[next].extends && i % 2);
  }
}

/* Each pack as soon as its turn comes. */
static unsigned packs_due(const struct anytime *a) {
  if (!a->larger) return 0;
  if (!a->packs || !a->planned.count) return 1;
  uint64_t each = a->larger_steps / a->packs + 1, wanted = (a->small_steps / SHARE + each) / each;
  return wanted <= a->packs
             ? 0
             : least((unsigned)(wanted - a->packs < PACKS_MOST ? wanted - a->packs : PACKS_MOST), PACKS_MOST);
}

/* The shortest small clients first: what is wrong with them is easiest to understand, and they take little. Then larger
 * clients of one thread: all of them take less than one of several threads. Then the two kinds, by turns. */
static void merge(struct anytime *a, size_t small) {
  size_t count = a->planned.count, first = 0, rest = 0, left = 0;
  struct planned *merged = mem_alloc(a->mem, (count + 1) * sizeof *merged), *all = a->planned.at, *others = all + small;
  for (size_t i = 0; i < small; i++) {
    const struct small *s = &a->small.at[all[i].at];
    if (!s->level && client_calls(&s->one.client) <= SHORT_CALLS)
      merged[first++] = all[i];
    else
      all[rest++] = all[i];
  }
  for (size_t i = 0; i < count - small; i++)
    if (others[i].alone)
      merged[first++] = others[i];
    else
      others[left++] = others[i];
  for (size_t s = 0, l = 0; s < rest || l < left;) {
    bool takes_small = l == left || (s < rest && s * left <= l * rest);
    merged[first + s + l] = takes_small ? all[s] : others[l];
    *(takes_small ? &s : &l) += 1;
  }
  memcpy(all, merged, count * sizeof *merged);
  mem_free(a->mem, merged);
}

/* What the next round is; false: there is nothing left. */
static bool plan_round(struct anytime *a) {
  a->planned.count = a->list.count = a->round.count = 0;
  mem_close(&a->of_round);
  mem_open(&a->of_round, NULL);
  plan_all_small(a);
  size_t small = a->planned.count;
  for (unsigned n = packs_due(a); n; n--) plan_pack(a);
  if (a->planned.count > TASKS_MOST) a->planned.count = TASKS_MOST;
  merge(a, small < a->planned.count ? small : a->planned.count);
  memset(a->tasks, 0, TASKS_MOST * sizeof *a->tasks);
  for (size_t i = 0; i < a->planned.count; i++) {
    const struct planned *p = &a->planned.at[i];
    a->tasks[i].how = p->how;
    vec_push(a->mem, &a->list, p->larger ? a->round.at[p->at].client : a->small.at[p->at].one.client);
  }
  return a->planned.count > 0;
}

/* What came of a round. */

static void add_larger(struct anytime *a, const struct client *c, const struct search_task *t) {
  struct larger_tried *l = &a->out->larger;
  a->out->refused += t->refused;
  l->clients++;
  l->complete += t->complete;
  bool bounded = !t->complete && t->how.strategy->unit[0] && t->bound;
  if (bounded && (!l->bounded || t->bound < l->bound)) l->bound = t->bound;
  l->bounded += bounded;
  if (c->threads > l->threads) l->threads = c->threads;
  if (client_calls(c) > l->calls) l->calls = (unsigned)client_calls(c);
  for (unsigned i = 0; i < c->threads; i++)
    if (c->first[i + 1] - c->first[i] > l->ops) l->ops = c->first[i + 1] - c->first[i];
}

static void add_small(struct anytime *a, struct small *s, const struct search_task *t) {
  if (t->spent) {
    s->level++;
    return;
  }
  s->level = UINT32_MAX; /* done */
  a->done++;
  a->out->refused += t->refused;
  if (t->complete) return;
  if (a->out->complete || t->bound < a->out->bound) a->out->bound = t->bound;
  a->out->complete = false;
}

/* What executes something new is extended, whatever its size. */
static void see_news(void *self, uint32_t number) {
  struct anytime *a = self;
  if (number >= a->planned.count || a->seeds.count == SEEDS_MOST) return;
  struct planned *p = &a->planned.at[number];
  if (p->told) return; /* by another place that it executed */
  p->told = true;
  const struct larger *from = p->larger ? &a->round.at[p->at] : &a->small.at[p->at].one;
  struct larger l;
  copy_with_kinds(a->mem, &from->client, from->kind, &l);
  vec_push(a->mem, &a->seeds, l);
}

static void add_round(struct anytime *a) {
  size_t kept = 0;
  if (a->options->coverage) coverage_news(a->options->coverage, see_news, a);
  for (size_t i = 0; i < a->planned.count; i++) {
    const struct search_task *t = &a->tasks[i];
    const struct planned *p = &a->planned.at[i];
    if (!t->done) continue;
    *(p->larger ? &a->larger_steps : &a->small_steps) += t->steps;
    if (p->larger)
      add_larger(a, &a->list.at[i], t);
    else
      add_small(a, &a->small.at[p->at], t);
  }
  for (size_t i = 0; i < a->small.count; i++)
    if (a->small.at[i].level != UINT32_MAX) a->small.at[kept++] = a->small.at[i];
  a->small.count = kept;
}

/* Adds up what was counted. */
static void add_counts(struct searched *to, const struct searched *s) {
  to->schedules += s->schedules;
  to->cut += s->cut;
  to->skipped += s->skipped;
  to->redundant += s->redundant;
  to->halted += s->halted;
  to->orders += s->orders;
  to->steps += s->steps;
  to->traces += s->traces;
  to->waiting += s->waiting;
  to->histories = s->histories; /* of all: they have one set */
  to->cpu_seconds += s->cpu_seconds;
  if (s->peak_kb > to->peak_kb) to->peak_kb = s->peak_kb;
  to->long_runs |= s->long_runs;
  to->shares_stacks |= s->shares_stacks;
  to->reads_freed |= s->reads_freed;
  to->weaker |= s->weaker;
  to->beyond |= s->beyond;
  to->wide |= s->wide;
  to->too_many |= s->too_many;
  to->deleted |= s->deleted;
  races_add(&to->seen, &s->seen);
}

/* All rounds. */

/* What could not be run matters to the verdict if it was in a small client, or nobody knows where. */
static void take_unsupported(struct anytime *a, const struct searched *s) {
  bool any = false, small = false;
  for (size_t i = 0; i < a->planned.count; i++) {
    any |= a->tasks[i].cannot;
    small |= a->tasks[i].cannot && !a->planned.at[i].larger;
  }
  if (any && !small) {
    if (!a->out->larger.unsupported) a->out->larger.unsupported = s->unsupported;
  } else if (!a->out->unsupported) {
    a->out->unsupported = s->unsupported;
    a->out->unsupported_pc = s->unsupported_pc;
  }
}

/* A leak counts once something has been deleted, in whichever round. */
static void take_leak(struct anytime *a, struct searched *s) {
  if (s->leaks && !a->out->leaks) {
    a->out->leaks = true;
    a->out->leak = s->leak;
  }
  if (!a->out->deleted || !a->out->leaks || s->verdict == VERDICT_VIOLATED) return;
  s->verdict = VERDICT_VIOLATED;
  s->finding = a->out->leak;
}

static void add_finding(struct anytime *a, const struct finding *f) {
  for (size_t i = 0; i < a->found.count; i++)
    if (a->found.at[i].key == f->key) return;
  vec_push(a->kept, &a->found, *f);
}

static void take_findings(struct anytime *a, const struct searched *s) {
  if (s->verdict != VERDICT_VIOLATED) return;
  add_finding(a, &s->finding);
  for (size_t i = 0; i < s->other_count; i++) add_finding(a, &s->others[i]);
}

static void show(void *self, const struct searched *s) {
  const struct anytime *a = self;
  struct searched sum = *a->out;
  add_counts(&sum, s);
  sum.uncounted = !a->total->all;
  sum.clients = sum.uncounted ? a->total->seen : a->total->all;
  sum.done = a->done;
  a->options->progress(a->options->progress_self, &sum);
}

enum go { GO_ON, GO_END, GO_FAIL };
static enum go run_round(struct anytime *a) {
  struct searched s;
  struct search_options o = *a->options;
  struct client_source source = {.object = a->source->object, .list = a->list.at, .count = a->list.count};
  o.tasks = a->tasks;
  o.histories = a->histories;
  o.leaks_if_deleted &= !a->out->deleted;
  if (o.progress) o.progress = show, o.progress_self = a;
  if (o.schedules_most) {
    uint64_t taken = a->out->schedules - a->out->skipped;
    if (taken >= o.schedules_most) return a->out->limit = LIMIT_SCHEDULES, GO_END;
    o.schedules_most -= taken;
  }
  if (!search_clients(a->kept, a->image, &source, &o, a->limits, &s, a->why)) return GO_FAIL;
  bool all = true;
  for (size_t i = 0; i < a->planned.count; i++) all &= a->tasks[i].done;
  add_counts(a->out, &s);
  add_round(a);
  if (s.unsupported) take_unsupported(a, &s);
  if (a->options->leaks_if_deleted) take_leak(a, &s);
  take_findings(a, &s);
  a->out->limit = s.limit;
  bool again = !a->found.count &&
               ((a->out->shares_stacks && o.run.races && !o.run.stacks) || (a->out->reads_freed && !o.run.reuse_all) ||
                (o.memory_open && (o.run.memory ? a->out->beyond : a->out->weaker)));
  /* then all begins anew */
  return s.limit || again || (a->found.count && !o.keep_going) || (!all && !a->found.count) ? GO_END : GO_ON;
}

static bool small_done(const struct anytime *a) { return a->all_made && !a->small.count; }

static bool is_enough(const struct anytime *a) {
  const struct coverage *c = a->options->coverage;
  if (!small_done(a)) return false;
  if (!a->larger) return true;
  if (a->goes_on) return false;
  return a->packs >= (!c || !coverage_known(c) || coverage_full(c) ? PACKS_LEAST : PACKS_UNREACHED);
}

/* "one(), two() and 3 more" */
static const char *left_words(const struct anytime *a) {
  enum { LEFT_MOST = 8 };
  struct text t;
  text_open(&t, a->kept);
  for (size_t i = 0; i < a->small.count && i < LEFT_MOST; i++) {
    if (i) text_add(&t, ", ");
    client_print(a->source->object, &a->small.at[i].one.client, &t);
  }
  if (a->small.count > LEFT_MOST) text_printf(&t, " and %zu more", a->small.count - LEFT_MOST);
  return text_string(&t);
}

static void conclude(struct anytime *a) {
  struct searched *s = a->out;
  if (a->source->object->tests && a->small.count) s->left = left_words(a);
  s->uncounted = !a->total->all;
  s->clients = s->uncounted ? a->total->seen : a->total->all;
  s->done = a->done;
  if (s->clients < s->done) s->clients = s->done;
  if (small_done(a) && s->limit != LIMIT_INTERRUPT) s->limit = LIMIT_NONE; /* only larger ones were left */
  if (!small_done(a) && !s->limit && !s->unsupported) { /* a process that ran a larger one has ended, and the round */
    s->unsupported = s->larger.unsupported;
    s->larger.unsupported = NULL;
  }
  s->verdict = !small_done(a) || s->limit || s->unsupported ? VERDICT_UNKNOWN : VERDICT_HOLDS;
  if (!a->found.count) return;
  s->verdict = VERDICT_VIOLATED;
  size_t least_one = 0;
  for (size_t i = 1; i < a->found.count; i++)
    if (client_calls(&a->found.at[i].client) < client_calls(&a->found.at[least_one].client)) least_one = i;
  struct finding first = a->found.at[0];
  a->found.at[0] = a->found.at[least_one];
  a->found.at[least_one] = first;
  s->finding = a->found.at[0];
  s->others = a->found.at + 1;
  s->other_count = a->found.count - 1;
}

/* The clients that larger ones are drawn like: with more threads, where threads are not told apart by their numbers and
 * the roles allow more. */
static void open_larger(struct anytime *a) {
  const struct object *o = a->source->object;
  struct client_source s = {.object = o, .size = {a->source->size.threads, LARGER_OPS}};
  struct problem none;
  if (o->tests) return;
  bool more = !o->asks_thread && !o->role_count;
  for (unsigned r = 0; r < o->role_count; r++) more |= !o->asks_thread && o->roles[r].threads == ASIF_REST;
  if (more) s.size.threads += MORE_THREADS;
  if (s.size.threads > LARGER_CALLS) return;
  a->larger = clients_open(a->mem, &s, &none);
}

static bool search(struct anytime *a) {
  a->memory = share_memory(sizeof *a->memory);
  a->total = share_memory(sizeof *a->total);
  a->tasks = share_memory(TASKS_MOST * sizeof *a->tasks);
  a->histories = judge_set();
  if (!a->total || !a->tasks || !a->histories)
    return problem_of(a->why, PROBLEM_SYSTEM, "no memory for what processes share"), false;
  struct client_source source = *a->source;
  source.memory = a->memory;
  if (!(a->clients = clients_open(a->mem, &source, a->why))) return false;
  uint64_t count = clients_count(a->clients, CLIENTS_COUNTED);
  a->total->seen = count;
  a->total->all = count < CLIENTS_COUNTED ? count : 0;
  pid_t counting = counting_start(&source, a->total);
  open_larger(a);
  enum go go = GO_ON;
  while (go == GO_ON && !is_enough(a) && plan_round(a)) go = run_round(a);
  counting_end(counting);
  if (go != GO_FAIL) conclude(a);
  return go != GO_FAIL;
}

static void close_shared(struct anytime *a) {
  if (a->memory) munmap(a->memory, sizeof *a->memory);
  if (a->total) munmap(a->total, sizeof *a->total);
  if (a->tasks) munmap(a->tasks, TASKS_MOST * sizeof *a->tasks);
  hashes_close(a->histories);
}

bool search_anytime(struct mem *m, struct image *image, const struct client_source *source,
                    const struct search_options *options, bool goes_on, struct limits *limits, struct searched *out,
                    struct problem *why) {
  struct mem own;
  mem_open(&own, NULL);
  struct anytime a = {.mem = &own,
                      .kept = m,
                      .image = image,
                      .source = source,
                      .options = options,
                      .limits = limits,
                      .out = out,
                      .why = why,
                      .goes_on = goes_on};
  *out = (struct searched){.verdict = VERDICT_HOLDS, .complete = true};
  mem_open(&a.of_round, NULL);
  a.known = hashes_open_own(KNOWN_BYTES);
  bool good = search(&a);
  if (a.known) hashes_close(a.known);
  close_shared(&a);
  mem_close(&a.of_round);
  mem_close(&own);
  return good;
}
