/* A finding made smaller, so that a person can read it: a smaller client first, then the fewest interruptions, then the
 * fewest steps. What is found must stay of the same kind. Everything is tried in a fixed order: the same finding
 * shrinks to the same. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "test/tell.h"

enum { RUNS_CLIENT = 3000, RUNS_PREEMPTIONS = 100000 }; /* of a search for a smaller one */
enum { STEPS_RUN = 32 };                                /* a run costs as much as so many steps, beside its own */

/* Whose steps in turn. */
struct segment {
  uint8_t fiber;
  uint32_t steps;
};
typedef VEC(struct segment) segments;

struct shrinking {
  struct mem *mem, *scratch;
  const struct object *object;
  struct finding *finding;
  double until;               /* a time limit of the user's; 0: none */
  uint64_t steps, steps_most; /* of all runs: a count, so that shrinking does not depend on the machine */
  const volatile sig_atomic_t *interrupted;
  struct problem *why;
  bool failed; /* an internal error: the problem says which */
  uint64_t runs_most;
  const struct explore_counts *counts; /* of a search: */
  uint64_t counted;                    /* those of its steps that are in `steps` */
  bool found;
  /* of a run that follows segments: */
  const segments *follow;
  size_t at;
  uint32_t taken;
  const uint8_t *blocks[FIBERS_MOST]; /* what each fiber's allocations took, in turn */
  uint32_t block_count[FIBERS_MOST], block_at[FIBERS_MOST];
};

static bool over(const struct shrinking *k) {
  return k->failed || *k->interrupted || k->steps >= k->steps_most || (k->until > 0 && clock_seconds() >= k->until);
}

/* A single run, counted. */
static const struct run *execute(struct shrinking *k, const struct client *c, const struct plan *plan,
                                 struct problem *why) {
  const struct run *r = run_execute(c, plan, why);
  k->steps += STEPS_RUN + (r ? r->count : 0);
  return r;
}

/* Is it the same that is wrong? The finding is not changed by looking: judging may run the code itself, so that what
 * the run was has to be kept before. */
static bool same(struct shrinking *k, const struct run *r, struct finding *kept) {
  enum found found = k->finding->found;
  if (r->end != RUN_WHOLE || r->found != (found_by_judge(found) ? FOUND_NOTHING : found)) return false;
  *kept = (struct finding){.found = found, .client = *r->client};
  finding_keep(k->scratch, kept, r);
  struct judge *j = judge_new(k->scratch, k->object, NULL);
  enum judged judged = judge_run(j, r, k->why);
  k->failed |= judged == JUDGED_NOT;
  if (judged != JUDGED_WRONG || judge_found(j) != found) return false;
  kept->said = mem_string(k->scratch, judge_said(j, r), strlen(judge_said(j, r)));
  return true;
}

static void accept(struct shrinking *k, const struct finding *f) {
  struct finding *to = k->finding;
  assert(f->found == to->found && client_calls(&f->client) <= client_calls(&to->client));
  to->said = mem_string(k->mem, f->said, strlen(f->said));
  client_copy(k->mem, &f->client, &to->client);
  to->count = f->count;
  to->choices = mem_alloc(k->mem, (f->count + 1) * sizeof *to->choices);
  memcpy(to->choices, f->choices, f->count * sizeof *f->choices);
}

/* --- looking for it in a smaller client, or with fewer interruptions --- */

static enum visit visit(void *self, const struct run *r) {
  struct shrinking *k = self;
  struct finding kept;
  if (same(k, r, &kept)) {
    k->found = true;
    accept(k, &kept);
  }
  mem_close(k->scratch);
  uint64_t runs = k->counts->schedules + k->counts->cut, steps = k->counts->steps + STEPS_RUN * runs;
  assert(steps >= k->counted);
  k->steps += steps - k->counted;
  k->counted = steps;
  return k->found || k->counts->schedules >= k->runs_most || over(k) ? VISIT_STOP : VISIT_ON;
}

static bool look(struct shrinking *k, const struct client *c, int strategy, unsigned bound, uint64_t runs) {
  struct explore_options o = {.strategy = &strategies[strategy], .bound = bound, .cache = true};
  struct explore_counts counts = {0};
  struct limits limits;
  limits_start(&limits, 0, 0);
  k->found = false;
  k->counts = &counts;
  k->counted = 0;
  k->runs_most = runs;
  if (!explore(c, &o, NULL, &limits, visit, k, &counts, k->why)) k->failed = true;
  return k->found && !k->failed;
}

/* The client without the calls from one to another of a thread; threads that have none left are not there. */
static void without_calls(struct mem *m, const struct client *c, uint32_t from, uint32_t end, struct client *to) {
  uint32_t n = 0;
  to->threads = 0;
  to->first = mem_alloc(m, (c->threads + 1) * sizeof *to->first);
  to->calls = mem_alloc(m, (c->first[c->threads] + 1) * sizeof *to->calls);
  for (unsigned t = 0; t < c->threads; t++) {
    uint32_t begin = n;
    for (uint32_t i = c->first[t]; i < c->first[t + 1]; i++)
      if (i < from || i >= end) to->calls[n++] = c->calls[i];
    if (n > begin) to->first[to->threads++] = begin;
  }
  to->first[to->threads] = n;
  assert(n + (end - from) == c->first[c->threads] && to->threads <= c->threads);
}

/* Where the code asks which thread it is, the others must keep their numbers. */
static bool keeps_numbers(const struct shrinking *k, const struct client *c, uint32_t from, uint32_t end) {
  if (!k->object->asks_thread) return true;
  for (unsigned t = 0; t + 1 < c->threads; t++)
    if (from <= c->first[t] && c->first[t + 1] <= end) return false;
  return true;
}

static bool looks_without(struct shrinking *k, uint32_t from, uint32_t end) {
  const struct client *c = &k->finding->client;
  struct client less;
  if (over(k) || client_calls(c) <= end - from || !keeps_numbers(k, c, from, end)) return false;
  without_calls(k->mem, c, from, end, &less);
  bool allowed = client_allowed(k->scratch, k->object, &less);
  mem_close(k->scratch);
  return allowed && look(k, &less, EXPLORE_DELAYS, 4, RUNS_CLIENT);
}

/* Whole threads first, then calls, the later ones first: what comes early often only prepares. */
static void fewer_calls(struct shrinking *k) {
  for (unsigned t = k->finding->client.threads; t-- > 0;)
    looks_without(k, k->finding->client.first[t], k->finding->client.first[t + 1]);
  bool less = true;
  while (less && !over(k)) {
    less = false;
    for (uint32_t i = (uint32_t)client_calls(&k->finding->client); i-- > 0;) less |= looks_without(k, i, i + 1);
  }
}

static void smaller_arguments(struct shrinking *k) {
  for (uint32_t i = 0; i < client_calls(&k->finding->client); i++)
    for (unsigned a = 0; a < CALL_ARGS && !over(k); a++) {
      const struct call *call = &k->finding->client.calls[i];
      const struct object_op *op = &k->object->ops[call->op];
      if (a >= op->arg_count) continue;
      for (long v = op->in[a].low; v < call->arg[a] && v < op->in[a].low + 3 && !over(k); v++) {
        struct client c;
        client_copy(k->mem, &k->finding->client, &c);
        c.calls[i].arg[a] = v;
        if (look(k, &c, EXPLORE_DELAYS, 4, RUNS_CLIENT)) break;
      }
    }
}

/* --- following segments: where a step is not possible, the next segment's turn comes --- */

static int choose(void *self, const struct run *r, struct choice *c) {
  struct shrinking *k = self;
  const segments *s = k->follow;
  while (k->at < s->count && (k->taken >= s->at[k->at].steps || !(r->enabled >> s->at[k->at].fiber & 1)))
    k->at++, k->taken = 0;
  c->block = 0;
  if (k->at < s->count) {
    c->fiber = s->at[k->at].fiber;
    k->taken++;
  } else {
    c->fiber = (uint8_t)step_default(r->steps, r->count, r->current, r->enabled);
  }
  return 0;
}

static int choose_block(void *self, const struct run *r, unsigned blocks) {
  struct shrinking *k = self;
  unsigned f = r->steps[r->count - 1].fiber;
  unsigned b = k->block_at[f] < k->block_count[f] ? k->blocks[f][k->block_at[f]++] : 0;
  return (int)(b < blocks ? b : 0);
}

/* Interruptions: another's turn though the one before could have gone on. */
static unsigned interruptions(const struct run *r) {
  unsigned n = 0;
  for (size_t i = 1; i < r->count; i++)
    n += r->steps[i].fiber != r->steps[i - 1].fiber && r->steps[i].enabled >> r->steps[i - 1].fiber & 1 &&
         !(r->steps[i - 1].flags & STEP_YIELDED);
  return n;
}

static unsigned switches(const struct run *r) {
  unsigned n = 0;
  for (size_t i = 1; i < r->count; i++) n += r->steps[i].fiber != r->steps[i - 1].fiber;
  return n;
}

/* How hard it is to read: each change of threads has to be followed, more so where the one before could have gone on.
 */
static size_t size_of(const struct run *r) { return 5 * (size_t)switches(r) + 2 * interruptions(r) + r->count; }

/* The finding run as it is, to know its size; false if it is not the same any more. */
static bool measure(struct shrinking *k, size_t *size) {
  struct plan plan = {.choices = k->finding->choices, .count = k->finding->count};
  const struct run *r = execute(k, &k->finding->client, &plan, k->why);
  k->failed |= !r;
  if (r) *size = size_of(r);
  return r != NULL;
}

static void segments_of(struct shrinking *k, segments *s) {
  const struct finding *f = k->finding;
  s->count = 0;
  for (size_t i = 0; i < f->count; i++) {
    if (!s->count || s->at[s->count - 1].fiber != f->choices[i].fiber) {
      struct segment one = {f->choices[i].fiber, 0};
      vec_push(k->mem, s, one);
    }
    s->at[s->count - 1].steps++;
  }
}

/* What allocations took: known where it is not the default. */
static void blocks_of(struct shrinking *k) {
  const struct finding *f = k->finding;
  struct plan plan = {.choices = f->choices, .count = f->count};
  const struct run *r = execute(k, &f->client, &plan, k->why);
  memset(k->block_count, 0, sizeof k->block_count);
  if (!r) {
    k->failed = true;
    return;
  }
  for (unsigned fiber = 0; fiber < FIBERS_MOST; fiber++) {
    uint8_t *list = mem_alloc(k->mem, r->count + 1);
    for (size_t i = 0; i < r->count; i++)
      if (r->steps[i].fiber == fiber && r->steps[i].blocks > 1) list[k->block_count[fiber]++] = r->steps[i].block;
    k->blocks[fiber] = list;
    if (fiber >= r->fibers) break;
  }
}

/* Runs the segments; if that is the same finding, and smaller, it is the finding from now on. */
static bool try(struct shrinking *k, const segments *s, size_t *size) {
  struct plan plan = {.choose = choose, .choose_block = choose_block, .context = k};
  struct finding kept;
  k->follow = s;
  k->at = 0;
  k->taken = 0;
  memset(k->block_at, 0, sizeof k->block_at);
  const struct run *r = execute(k, &k->finding->client, &plan, k->why);
  if (!r) return k->failed = true, false;
  size_t now = size_of(r);
  bool good = now < *size && same(k, r, &kept);
  if (good) {
    accept(k, &kept);
    *size = now;
  }
  mem_close(k->scratch);
  return good;
}

/* One change of the segments after the other. True if one made it smaller. */
static bool change(struct shrinking *k, const segments *from, size_t *size) {
  segments s = {NULL, 0, 0};
  vec_reserve(k->mem, &s, from->count + 1);
  for (size_t i = 0; i < from->count && !over(k); i++) {
    uint32_t steps = from->at[i].steps;
    uint32_t to[] = {0, steps / 4, steps / 2, steps - (steps > 3 ? 3 : 1), steps - (steps > 2 ? 2 : 1), steps - 1};
    for (size_t n = 0; n < sizeof to / sizeof *to; n++) { /* fewer steps at once; the others come later */
      if (n && to[n] <= to[n - 1]) continue;
      s.count = from->count;
      memcpy(s.at, from->at, from->count * sizeof *s.at);
      s.at[i].steps = to[n];
      if (try(k, &s, size)) return true;
    }
    if (i + 1 >= from->count) continue;
    memcpy(s.at, from->at, from->count * sizeof *s.at); /* the next one first */
    s.count = from->count;
    s.at[i] = from->at[i + 1];
    s.at[i + 1] = from->at[i];
    if (try(k, &s, size)) return true;
    for (size_t n = i + 2; n < from->count; n++) { /* all the steps up to its next turn at once */
      if (from->at[n].fiber != from->at[i].fiber) continue;
      memcpy(s.at, from->at, from->count * sizeof *s.at);
      s.at[i].steps += s.at[n].steps;
      s.at[n].steps = 0;
      if (try(k, &s, size)) return true;
      break;
    }
  }
  return false;
}

/* Blocks that were given again, where a fresh one or the last freed would do. */
static void plainer_blocks(struct shrinking *k) {
  for (size_t i = 0; i < k->finding->count && !over(k); i++) {
    struct finding kept;
    if (!k->finding->choices[i].block) continue;
    struct choice *c = mem_alloc(k->scratch, (k->finding->count + 1) * sizeof *c);
    memcpy(c, k->finding->choices, k->finding->count * sizeof *c);
    c[i].block = 0;
    struct plan plan = {.choices = c, .count = k->finding->count};
    struct problem not_possible;
    const struct run *r = execute(k, &k->finding->client, &plan, &not_possible); /* then it is not */
    if (r && r->count <= k->finding->count && same(k, r, &kept)) accept(k, &kept);
    mem_close(k->scratch);
  }
}

/* As small as single changes make it. */
static bool settle(struct shrinking *k, size_t *size) {
  segments s = {NULL, 0, 0};
  plainer_blocks(k);
  if (k->failed || !measure(k, size)) return false;
  blocks_of(k);
  do segments_of(k, &s);
  while (!over(k) && change(k, &s, size));
  return !k->failed;
}

/* From the one that was found, and from one with the fewest interruptions there are: the one that is easier to read. */
static void simpler_schedule(struct shrinking *k) {
  struct finding first, *f = k->finding;
  size_t size, other;
  if (!settle(k, &size)) return;
  first = *f;
  struct plan plan = {.choices = f->choices, .count = f->count};
  const struct run *r = execute(k, &f->client, &plan, k->why);
  unsigned most = r ? interruptions(r) : 0;
  if (!r) k->failed = true;
  if (over(k) || !most || !look(k, &f->client, EXPLORE_PREEMPTIONS, most - 1, RUNS_PREEMPTIONS)) return;
  if (settle(k, &other) && other >= size) *f = first;
}

/* --- threads that make the same calls: the first to go is the first of them --- */

static bool make_same_calls(const struct client *c, unsigned a, unsigned b) {
  uint32_t count = c->first[a + 1] - c->first[a];
  if (c->first[b + 1] - c->first[b] != count) return false;
  for (uint32_t i = 0; i < count; i++) {
    const struct call *x = &c->calls[c->first[a] + i], *y = &c->calls[c->first[b] + i];
    if (x->op != y->op || memcmp(x->arg, y->arg, sizeof x->arg)) return false;
  }
  return true;
}

static size_t first_step(const struct finding *f, unsigned thread) {
  size_t i = 0;
  while (i < f->count && f->choices[i].fiber != thread) i++;
  return i;
}

static void exchange(struct shrinking *k, unsigned a, unsigned b) {
  struct finding *f = k->finding, kept;
  struct choice *choices = mem_alloc(k->scratch, (f->count + 1) * sizeof *choices);
  memcpy(choices, f->choices, f->count * sizeof *choices);
  for (size_t i = 0; i < f->count; i++)
    if (choices[i].fiber == a || choices[i].fiber == b) choices[i].fiber = (uint8_t)(choices[i].fiber == a ? b : a);
  struct plan plan = {.choices = choices, .count = f->count};
  struct problem why;
  const struct run *r = execute(k, &f->client, &plan, &why);
  if (r && r->count == f->count && same(k, r, &kept)) accept(k, &kept);
  mem_close(k->scratch);
}

static void name_in_order(struct shrinking *k) {
  const struct client *c = &k->finding->client;
  for (unsigned a = 0; a < c->threads && !k->object->asks_thread; a++)
    for (unsigned b = a + 1; b < c->threads && !over(k); b++)
      if (make_same_calls(c, a, b) && first_step(k->finding, b) < first_step(k->finding, a)) exchange(k, a, b);
}

bool finding_shrink(struct mem *m, struct image *image, const struct object *o, const struct run_options *how,
                    const struct shrink_limits *limits, struct finding *f, struct problem *why) {
  struct shrinking k = {.mem = m,
                        .scratch = mem_child(m),
                        .object = o,
                        .finding = f,
                        .until = limits->seconds > 0 ? clock_seconds() + limits->seconds : 0,
                        .steps_most = limits->steps,
                        .interrupted = limits->interrupted,
                        .why = why};
  if (!run_open(image, o->run_ops, o->op_count, o->init, how, why)) return false;
  assert(f->found && !f->died);
  fewer_calls(&k);
  smaller_arguments(&k);
  if (!k.failed) simpler_schedule(&k);
  if (!k.failed) name_in_order(&k);
  mem_close(k.scratch);
  return !k.failed;
}
