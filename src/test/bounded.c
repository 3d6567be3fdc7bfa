/* All schedules within a bound, bound after bound; and every schedule there is, which is the same with nothing to pay
 * for.
 *
 * A run is given some choices, and from then on takes the default ones, which cost nothing. Every other choice is a
 * *deviation* and has a cost: the runs are a tree, a child being its parent with one more deviation, after the parent's
 * last. At the bound n those are executed that cost exactly n, so each is executed once, the cheap ones first. For this
 * the tree is kept; if it gets too large, the runs that were not kept are executed again to see their children, and not
 * counted.
 *
 *   delays       Emmi, Qadeer and Rakamaric, Delay-Bounded Scheduling (2011), the bound of Bouajjani et al. 2015
 * section 9: the default scheduler goes on with a thread while it can and then takes the next in cyclic order; each
 * delay skips one it would take, so the k-th alternative costs k preemptions  Musuvathi and Qadeer, Iterative Context
 * Bounding (2007): to switch from a thread that could go on costs one; where it cannot, or gave way, every choice is
 * free rounds       the threads take turns in their order, each as many steps as it likes; to go to an earlier one
 * starts a new round, which costs one, the first too. There is no other way on where no later one can go on, so such a
 * run ends with the bound and goes on with the next. Bouajjani et al. section 9.3
 *
 * To take another than the first free block costs one delay or preemption; among rounds it is free. So it is, under a
 * weak memory model, to read another write than the newest, or to place one before others.
 *
 * Caching: a state is known by its happens-before trace (and for what costs, by the thread that ran last). As the
 * bounds are gone through in order, who comes first comes with the lowest cost, and everything that follows is found
 * from there. */
#include "test/alike.h"

#include "base/hash.h"

#define KEPT_BYTES ((size_t)512 << 20) /* of the tree, without a memory limit; with one: a quarter of it */
enum { DIVIDED_DEPTH = 2, RECENT = 256 };

struct node {
  struct node *children, *next; /* in the order they are gone through: later steps first */
  uint32_t from, count;         /* the steps from its last deviation on; that is step `from`, but of the root's */
  struct choice choice;         /* the deviation */
  bool root;
  struct taken *kept; /* NULL: at `offset` of search.stack */
  size_t offset;
};
struct search {
  struct explorer *e;
  bool all, delays, preemptions, rounds, cache;
  unsigned level; /* the bound that is being worked on */
  bool keep, beyond,
      open; /* keep: nodes are needed for the next; beyond: there are dearer runs; open: of the last run */
  size_t kept_most;
  VEC(struct choice) choices;
  VEC(struct taken) stack;
  VEC(uint64_t) masks;
  uint16_t recent[RECENT]; /* of masks: the one last used with this hash */
  uint64_t after;          /* the number of the last run; 0: none yet */
  size_t changed;          /* the first of the choices that may be another than in its plan */
  unsigned depth;          /* deviations of the run */
  size_t same;             /* steps of the run that the trace has */
  bool skip;               /* schedules that are alike, */
  struct alike alike;
  const struct expansion *inside; /* the node whose children are gone through; NULL: none */
  bool anew;                      /* it has turned out that it must not skip any: all begins again */
  const struct run *ran;          /* the last run since this was set to NULL */
};

static inline bool is_over(const struct search *s) { return s->e->stopped || s->anew; }

/* What it costs that this fiber takes a step, the `place`-th of those who can, from the default one on. */
static unsigned cost_of(const struct search *s, size_t step, unsigned before, bool yielded, uint64_t enabled,
                        unsigned fiber, unsigned place) {
  if (s->delays) return place;
  if (!step || s->all) return 0;
  if (s->preemptions) return fiber != before && !yielded && enabled >> before & 1;
  return fiber < before || (fiber == before && yielded);
}

static unsigned block_cost(const struct search *s, unsigned block) { return block && (s->delays || s->preemptions); }

/* Choosing, where the run is watched: caching, rounds. */

/* Was the state seen before? */
static bool seen(struct search *s, const struct run *run) {
  trace_follow(&s->e->trace, run->steps, run->count, s->same);
  s->same = run->count;
  struct hash h = trace_hash(&s->e->trace);
  if (!s->all) h.high += hash_mix(run->current + 1);
  int number = hashes_add(s->e->share.states, h, s->level);
  /* What every worker executes for itself must not be given up because another did. */
  if (s->e->share.workers > 1 && s->depth < DIVIDED_DEPTH) return false;
  return number >= 0 && (unsigned)number <= s->level;
}

static int choose(void *context, const struct run *run, struct choice *choice) {
  struct search *s = context;
  size_t i = run->count;
  if (s->cache && i && seen(s, run)) return CHOOSE_STOP;
  unsigned fiber = step_default(run->steps, i, run->current, run->enabled);
  bool yielded = i && run->steps[i - 1].flags & STEP_YIELDED;
  if (s->rounds && cost_of(s, i, run->current, yielded, run->enabled, fiber, 0)) {
    s->open = true;
    return CHOOSE_STOP;
  }
  choice->fiber = (uint8_t)fiber;
  return 0;
}

/* The tree. */

static uint16_t add_mask(struct search *s, uint64_t enabled) {
  for (size_t i = s->masks.count; i-- > 0;)
    if (s->masks.at[i] == enabled) return (uint16_t)i;
  if (s->masks.count > UINT16_MAX) mem_too_much(s->e->mem);
  vec_push(s->e->mem, &s->masks, enabled);
  return (uint16_t)(s->masks.count - 1);
}

static inline uint16_t mask_of(struct search *s, uint64_t enabled) {
  uint16_t *recent = &s->recent[enabled * 0x9e3779b97f4a7c15u >> 56];
  if (*recent >= s->masks.count || s->masks.at[*recent] != enabled) *recent = add_mask(s, enabled);
  return *recent;
}

static struct taken *room_for(struct search *s, struct node *n) {
  n->kept = NULL;
  if (s->keep && (s->cache || s->e->mem->used < s->kept_most))
    return n->kept = mem_piece(s->e->mem, (n->count + 1) * sizeof *n->kept);
  n->offset = s->stack.count;
  vec_reserve(s->e->mem, &s->stack, n->offset + n->count + 1);
  s->stack.count += n->count;
  return s->stack.at + n->offset;
}

static inline const struct taken *taken_at(const struct search *s, const struct node *n) {
  return n->kept ? n->kept : s->stack.at + n->offset;
}

/* Remembers what the children of a run need. */
static void record(struct search *s, const struct run *run, size_t from, struct node *n) {
  n->from = (uint32_t)from;
  n->count = (uint32_t)(run->count - from) + s->open;
  struct taken *t = room_for(s, n); /* fiber NOBODY: the run ended here with its rounds */
  for (size_t i = from; i < run->count; i++) {
    const struct step *step = &run->steps[i];
    bool yielded = i && run->steps[i - 1].flags & STEP_YIELDED;
    struct mark mark = s->skip ? alike_mark(&s->alike, step) : (struct mark){ANYTHING, 0};
    *t++ = (struct taken){step->fiber, step->block, step->blocks, yielded, mask_of(s, step->enabled), mark};
  }
  if (s->open)
    *t = (struct taken){
        NOBODY,       0, 0, run->count && run->steps[run->count - 1].flags & STEP_YIELDED, mask_of(s, run->enabled),
        {ANYTHING, 0}};
}

/* Of a run whose children all cost more: are there any? */
static void look_beyond(struct search *s, const struct run *run, size_t from, bool root) {
  for (size_t i = from; i < run->count && !s->beyond; i++) {
    uint64_t enabled = run->steps[i].enabled;
    s->beyond = run->steps[i].blocks > 1 || ((i > from || root) && enabled & (enabled - 1));
  }
}

static const struct run *execute(struct search *s, size_t count) {
  struct plan plan = {.choices = s->choices.at,
                      .count = count,
                      .context = s,
                      .after = s->after,
                      .same = s->changed < count ? s->changed : count};
  if (s->cache || s->rounds) plan.choose = choose;
  s->open = false;
  s->same = 0;
  s->changed = count;
  const struct run *run = explorer_run(s->e, &plan);
  s->after = run ? run->number : 0;
  if (run && run->shares_stacks && s->skip) s->anew = true;
  return s->ran = run;
}

static inline void set_choice(struct search *s, size_t step, struct choice c) {
  s->choices.at[step] = c;
  if (step < s->changed) s->changed = step;
}

/* Which worker a subtree is done by. */
static bool is_mine(const struct search *s, uint64_t path, unsigned depth) {
  const struct share *share = &s->e->share;
  if (share->workers <= 1 || depth > DIVIDED_DEPTH) return true;
  return hash_mix(path) % share->workers == share->worker;
}

static void expand(struct search *, struct node *, unsigned left, unsigned depth, uint64_t path);

/* Executes a run, for the first time if nothing is left: else again, to see its children. They may cost what is left.
 */
static void visit(struct search *s, size_t step, unsigned left, unsigned depth, uint64_t path, struct node *n) {
  s->depth = depth;
  const struct run *run = execute(s, n->root ? 0 : step + 1);
  if (!run) return;
  bool childless = s->delays && !left; /* at this bound */
  if (!childless || s->keep) record(s, run, step, n);
  if (childless && !s->beyond) look_beyond(s, run, step, n->root);
  if (!left && is_mine(s, path, depth)) explorer_visit(s->e, run, false);
  if (!childless && !is_over(s)) expand(s, n, left, depth, path);
}

/* The child with this deviation: known from an earlier bound, or new. */
static struct node **child(struct search *s, struct node **slot, size_t step, struct choice c, unsigned left,
                           unsigned depth, uint64_t path) {
  struct node *n = *slot;
  bool known = n && n->from == step && n->choice.fiber == c.fiber && n->choice.block == c.block;
  if (depth <= DIVIDED_DEPTH) path = hash_mix(path + (step << 16 | (unsigned)c.fiber << 8 | c.block) + 1);
  if (depth == DIVIDED_DEPTH && !is_mine(s, path, depth)) return slot;
  set_choice(s, step, c);
  if (known) {
    expand(s, n, left, depth, path);
    return &n->next;
  }
  size_t top = s->stack.count;
  struct node own = {.choice = c};
  visit(s, step, left, depth, path, &own);
  s->stack.count = top;
  if (!own.kept) return slot;
  n = mem_piece(s->e->mem, sizeof *n);
  *n = own;
  n->next = *slot;
  *slot = n;
  return &n->next;
}

/* The same; short where its own children all cost more and need not be known: nothing is kept of it. */
static inline struct node **deviate(struct search *s, struct node **slot, size_t step, struct choice c, unsigned left,
                                    unsigned depth, uint64_t path) {
  bool known = *slot && (*slot)->from == step && (*slot)->choice.fiber == c.fiber && (*slot)->choice.block == c.block;
  if (left || !s->delays || s->keep || known || depth <= DIVIDED_DEPTH)
    return child(s, slot, step, c, left, depth, path);
  set_choice(s, step, c);
  s->depth = depth;
  const struct run *run = execute(s, step + 1);
  if (!run) return slot;
  if (!s->beyond) look_beyond(s, run, step, false);
  explorer_visit(s->e, run, false);
  return slot;
}

/* Everybody else's step at a step, the cheaper ones first. */
static struct node **others(struct search *s, struct expansion *x, struct node **slot, const struct now *at,
                            unsigned left, unsigned depth, uint64_t path) {
  struct taken now = at->taken;
  size_t step = at->step;
  uint64_t enabled = s->masks.at[now.mask];
  if (!(enabled & (enabled - 1)) && now.fiber != NOBODY) return slot;
  unsigned before = step ? s->choices.at[step - 1].fiber : 0, first = (before + now.yielded) % FIBERS_MOST, place = 0;
  uint64_t rest = first ? enabled >> first | enabled << (FIBERS_MOST - first) : enabled;
  for (; rest && !is_over(s); rest &= rest - 1, place++) {
    unsigned f = (first + (unsigned)__builtin_ctzll(rest)) % FIBERS_MOST;
    if (f == now.fiber) continue;
    unsigned cost = cost_of(s, step, before, now.yielded, enabled, f, place);
    bool leaf = x->tracks && cost == left;
    if (leaf && alike_known(&s->alike, x, at, (uint8_t)f, &s->beyond)) {
      explorer_skip(s->e);
      continue;
    }
    s->ran = NULL;
    if (x->tracks && cost < left) alike_next(x, at, (uint8_t)f);
    if (cost <= left)
      slot = deviate(s, slot, step, (struct choice){(uint8_t)f, 0}, left - cost, depth + 1, path);
    else
      s->beyond = true;
    if (leaf && s->ran && alike_is_asked(x, at)) alike_remember(&s->alike, x, at, (uint8_t)f, s->ran);
    if (cost > left && s->delays) break;
  }
  x->next.delayed = NOBODY;
  return slot;
}

static struct node **blocks(struct search *s, struct node **slot, size_t step, struct taken now, unsigned left,
                            unsigned depth, uint64_t path) {
  for (unsigned b = 1; b < now.blocks && !now.block && !is_over(s); b++) {
    unsigned cost = block_cost(s, b);
    if (cost > left)
      s->beyond = true;
    else
      slot = deviate(s, slot, step, (struct choice){now.fiber, (uint8_t)b}, left - cost, depth + 1, path);
  }
  return slot;
}

/* Goes through the children that cost no more than what is left, later steps first: so the choices before a step are
 * the node's own when it is the step's turn. */
static void expand(struct search *s, struct node *n, unsigned left, unsigned depth, uint64_t path) {
  struct node **slot = &n->children;
  struct expansion x;
  bool tracks = s->skip && left && (s->e->share.workers <= 1 || depth >= DIVIDED_DEPTH);
  alike_begin(&s->alike, &x, tracks, s->inside, taken_at(s, n), n->from, n->count);
  s->inside = &x;
  vec_reserve(s->e->mem, &s->choices, n->from + n->count);
  const struct taken *t = taken_at(s, n);
  for (size_t i = 0; i < n->count; i++) set_choice(s, n->from + i, (struct choice){t[i].fiber, t[i].block});
  struct now now = {.asked = false};
  for (size_t i = n->count; i-- > 0 && !is_over(s);) {
    t = taken_at(s, n);
    now.step = n->from + i;
    now.taken = t[i];
    now.later = now.asked;
    now.asked = x.tracks && i > !n->root && alike_may_be(t[i - 1], t[i]);
    if (now.asked) now.before = t[i - 1].mark;
    if (now.taken.blocks > 1) slot = blocks(s, slot, now.step, now.taken, left, depth, path);
    if (i || n->root) slot = others(s, &x, slot, &now, left, depth, path);
  }
  alike_end(&s->alike, &x);
  s->inside = x.above;
}

/* Bound after bound. */
static void search_levels(struct search *s, unsigned most, unsigned first_round) {
  struct explorer *e = s->e;
  struct node root = {.root = true};
  for (s->level = 0; s->level <= most; s->level++) {
    s->keep = s->level < most;
    s->beyond = false;
    s->stack.count = 0;
    s->inside = NULL;
    if (s->skip) alike_level(&s->alike, s->level);
    if (root.kept)
      expand(s, &root, s->level, 0, 0);
    else
      visit(s, 0, s->level, 0, 0, &root);
    if (is_over(s)) return;
    e->counts->bound = s->level + first_round;
    if (!s->beyond) break;
  }
  e->counts->complete = !s->beyond && !e->long_run;
}

/* kind: what costs. */
static void explore_bounded(struct explorer *e, struct search kind) {
  const struct explore_options *o = &e->options;
  struct search s = kind;
  s.e = e;
  s.cache = o->cache;
  s.alike.mem = e->mem;
  s.skip = s.delays && o->skip && !s.cache;
  s.kept_most = e->limits && e->limits->bytes ? e->limits->bytes / 4 : KEPT_BYTES;
  unsigned most = s.all ? 0 : o->bound, first_round = s.rounds; /* which costs what it costs anyway */
  if (most) most -= first_round;
  vec_reserve(e->mem, &s.choices, 256);
  search_levels(&s, most, first_round);
  if (!s.anew || e->stopped) return;
  s.anew = s.skip = false;
  *e->counts = (struct explore_counts){.traces = e->counts->traces}; /* these are remembered */
  search_levels(&s, most, first_round);
}

void explore_delays(struct explorer *e) { explore_bounded(e, (struct search){.delays = true}); }
void explore_preemptions(struct explorer *e) { explore_bounded(e, (struct search){.preemptions = true}); }
void explore_rounds(struct explorer *e) { explore_bounded(e, (struct search){.rounds = true}); }
void explore_all_schedules(struct explorer *e) { explore_bounded(e, (struct search){.all = true}); }
