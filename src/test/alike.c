/* Schedules alike: see alike.h. */
#include "test/alike.h"

#include "base/hash.h"

enum {
  ALIKE_STEPS = 500
}; /* in longer runs a thread may have to give way for having gone on so long: then a step more or less matters */
enum { TABLE_MOST = 13 }; /* a table of leaves has two to the power of so many */

/* Footprints. */

static inline uint8_t word_bit(struct words *w, uintptr_t address) {
  uintptr_t word = address >> 3;
  unsigned place = (unsigned)(word * 0x9e3779b97f4a7c15u >> 56);
  if (w->at[place] == word) return w->bit[place];
  if (w->at[place] || w->count == WORDS) return (uint8_t)(place % WORDS); /* its place is taken */
  w->at[place] = word;
  return w->bit[place] = (uint8_t)w->count++;
}

static inline struct mark mark_of(struct words *w, const struct step *s) {
  unsigned history = (s->flags & (STEP_CALLS | STEP_RETURNS)) * (CALLS / STEP_CALLS);
  unsigned others = s->flags & ~(unsigned)(STEP_CALLS | STEP_RETURNS | STEP_WROTE);
  if (s->kind == POINT_CALL && !others) return (struct mark){(uint8_t)history, 0};
  if ((s->kind | others) > POINT_UPDATE) return (struct mark){s->flags & STEP_SPINS ? ANYTHING | SPINS : ANYTHING, 0};
  if ((s->address & 7) + s->size > 8 || run_in_stack(s->address)) return (struct mark){ANYTHING, 0};
  bool writes = s->kind == POINT_WRITE || s->flags & STEP_WROTE;
  return (struct mark){(uint8_t)(history | TOUCHES | (writes ? WRITES : 0)), word_bit(w, s->address)};
}
_Static_assert(CALLS / STEP_CALLS == RETURNS / STEP_RETURNS, "the flags are moved together");

struct mark alike_mark(struct alike *a, const struct step *s) {
  return mark_of(&a->words, s);
}

static inline uint64_t flag(unsigned mark_flag) { return (uint64_t)mark_flag << FLAGS_SHIFT; }

static inline void footprint_add(struct footprint *f, struct mark m) {
  f->touched |= (uint64_t)(m.flags & TOUCHES) << m.word | flag(m.flags & (CALLS | RETURNS | ANYTHING));
  f->written |= (uint64_t)(m.flags / WRITES & 1) << m.word;
}

static inline void footprint_join(struct footprint *f, struct footprint other) {
  f->touched |= other.touched;
  f->written |= other.written;
}

static const struct footprint everything = {(uint64_t)ANYTHING << FLAGS_SHIFT, 0};

/* What a step must not be moved over. */
static inline struct footprint avoided_by(struct mark m) {
  uint64_t bit = (uint64_t)(m.flags & TOUCHES) << m.word;
  return (struct footprint){flag(ANYTHING | (m.flags & CALLS ? RETURNS : 0) | (m.flags & RETURNS ? CALLS : 0)) |
                                (m.flags & WRITES ? bit : 0),
                            bit};
}
static inline bool meets(struct footprint f, struct footprint avoided) {
  return ((f.touched & avoided.touched) | (f.written & avoided.written)) != 0;
}

/* Could the step as well be after those of the footprint? */
static inline bool commutes(struct mark m, struct footprint f) {
  return !(m.flags & ANYTHING) && !meets(f, avoided_by(m));
}

/* What is remembered. */

void alike_level(struct alike *a, unsigned level) {
  unsigned power = 6 + 2 * level < TABLE_MOST ? 6 + 2 * level : TABLE_MOST;
  size_t size = (size_t)1 << power;
  if (size - 1 == a->leaves_mask) return;
  mem_free(a->mem, a->leaves);
  a->leaves = mem_zero(a->mem, size, sizeof *a->leaves); /* nodes count from 1: all places are free */
  a->leaves_mask = size - 1;
}

/* A delay in 21 bits. */
static inline uint64_t delay_bits(size_t step, unsigned fiber, unsigned delayed) {
  return (uint64_t)step << 12 | fiber << 6 | delayed;
}
enum { DELAY_BITS = 21 };
_Static_assert(FIBERS_MOST <= 64 && ALIKE_STEPS + 1 < 512 && DELAY_BITS * (DELAYS + 1) <= 64,
               "the delays of a leaf in a word");

static inline struct family family_of(uint64_t node, uint64_t delays) {
  return (struct family){node, delays, (size_t)hash_mix(node ^ delays)};
}

static inline struct known_leaf *place_of(const struct alike *a, const struct family *f, size_t step, unsigned fiber) {
  return &a->leaves[(f->place + step + 64 * fiber) & a->leaves_mask];
}

static inline const struct leaf *recall(const struct alike *a, const struct family *f, size_t step, unsigned fiber,
                                        unsigned delayed) {
  const struct known_leaf *k = place_of(a, f, step, fiber);
  return k->node == f->node && k->delays == (f->delays | delay_bits(step, fiber, delayed)) ? &k->leaf : NULL;
}

static inline void add_leaf(struct alike *a, struct expansion *x, const struct now *now, uint8_t fiber,
                            const struct leaf *l) {
  x->previous = *l;
  x->previous_step = now->step;
  x->previous_fiber = fiber;
  if (now->step < x->asked)
    *place_of(a, &x->own, now->step, fiber) =
        (struct known_leaf){x->own.node, x->own.delays | delay_bits(now->step, fiber, now->taken.fiber), *l};
}

/* Nodes. */

/* Is the delayed fiber known to have gone on before this step of the node's run? */
static inline bool has_gone_on(const struct delay *d, size_t step) { return d->goes_on < step; }

/* The step of a schedule that has the delay a step later which does what this step does. */
static inline size_t step_there(const struct delay *d, size_t step) { return has_gone_on(d, step) ? step : step + 1; }

/* What its leaves are remembered under, and those of the nodes that have one of its delays a step later. */
static void name_families(struct expansion *x) {
  const struct delay *d = x->delays;
  uint64_t node = x->above->number, before = 0;
  if (x->delay_count > 1) {
    node = x->above->above->number;
    before = delay_bits(d[1].step, d[1].fiber, d[1].delayed) << 2 * DELAY_BITS;
    uint64_t moved = delay_bits(d[1].step + 1, d[1].fiber, d[1].delayed) << 2 * DELAY_BITS;
    x->moved[1] =
        family_of(node, moved | delay_bits(step_there(&d[1], d[0].step), d[0].fiber, d[0].delayed) << DELAY_BITS);
  }
  x->own = family_of(node, before | delay_bits(d[0].step, d[0].fiber, d[0].delayed) << DELAY_BITS);
  x->moved[0] = family_of(node, before | delay_bits(d[0].step + 1, d[0].fiber, d[0].delayed) << DELAY_BITS);
}

/* Does it matter for the leaves at a step where this delay is? */
static inline bool is_open(const struct delay *d, size_t step) { return step < d->later || step < d->asked; }

/* What was touched before a step, since this delay, if it matters. */
static inline struct footprint touched_before(const struct alike *a, const struct expansion *x, unsigned j,
                                              size_t step) {
  return is_open(&x->delays[j], step) ? a->touched.at[x->touched + step - x->from].since[j] : everything;
}

/* Goes through the node's run, as long as there may be leaves that the delay makes alike. `since`: what was touched
 * before, since the delay. */
static void follow_delay(struct delay *d, struct footprint since, struct touched *touched, unsigned j,
                         const struct taken *t, uint32_t from, uint32_t count) {
  bool gone = has_gone_on(d, from), later = d->later > from, asked = d->asked > from;
  struct footprint by_later = avoided_by(d->between), by_asked = avoided_by(d->earlier);
  if (!gone) d->goes_on = from + count;
  for (uint32_t k = 0; k < count; k++) {
    if (later && meets(since, by_later)) later = false, d->later = from + k;
    if (asked && meets(since, by_asked)) asked = false, d->asked = from + k;
    if (!later && !asked) return;
    touched[k].since[j] = since;
    if (t[k].mark.flags & SPINS) since = everything;
    if (gone) continue;
    gone = t[k].fiber == d->delayed;
    if (gone)
      d->goes_on = from + k;
    else
      footprint_add(&since, t[k].mark);
  }
}

void alike_begin(struct alike *a, struct expansion *x, bool tracks, const struct expansion *above,
                 const struct taken *t, uint32_t from, uint32_t count) {
  x->tracks = tracks;
  x->asked = 0;
  x->number = ++a->nodes;
  x->above = above;
  x->from = from;
  x->delay_count = 0;
  x->previous_fiber = x->next.delayed = NOBODY;
  x->touched = a->touched.count;
  if (!x->tracks || from + count > ALIKE_STEPS || !above || !above->tracks || above->next.delayed == NOBODY) return;
  x->delays[x->delay_count++] = above->next;
  for (unsigned j = 0; j < above->delay_count && x->delay_count < DELAYS; j++)
    x->delays[x->delay_count++] = above->delays[j];
  vec_reserve(a->mem, &a->touched, x->touched + count);
  a->touched.count += count;
  for (unsigned j = 0; j < x->delay_count; j++) {
    struct footprint since = {0};
    if (j) since = touched_before(a, above, j - 1, from);
    follow_delay(&x->delays[j], since, a->touched.at + x->touched, j, t, from, count);
    if (x->asked < x->delays[j].asked) x->asked = x->delays[j].asked;
  }
  name_families(x);
}

/* Leaves. */

/* Is there the like with a delay before the last a step later? Then what is touched is the same but for the step
 * between, which is moved over all that may be moved over it: these commute anyhow. */
static inline bool is_moved(const struct alike *a, const struct expansion *x, unsigned moved, const struct now *now,
                            uint8_t fiber, struct leaf *l) {
  const struct delay *m = &x->delays[moved];
  size_t step = now->step;
  if (step >= m->later) return false;
  const struct leaf *there = recall(a, &x->moved[moved], step_there(m, step), fiber, now->taken.fiber);
  if (!there || !commutes(m->between, there->before.since[moved])) return false;
  *l = *there;
  for (unsigned j = 0; j < x->delay_count; j++) {
    const struct delay *d = &x->delays[j];
    struct footprint *since = &l->before.since[j];
    if (has_gone_on(d, step))
      *since = touched_before(a, x, j, step);
    else if (j > moved && d->delayed == m->delayed)
      footprint_join(since, there->before.since[moved]); /* there it went on with that step */
  }
  return true;
}

bool alike_known(struct alike *a, struct expansion *x, const struct now *now, uint8_t fiber, bool *beyond) {
  size_t step = now->step;
  struct leaf l;
  if (now->later && x->previous_fiber == fiber && x->previous_step == step + 1 &&
      commutes(now->taken.mark, x->previous.last)) {
    l = x->previous; /* the last delay is one step later */
    for (unsigned j = 0; j < x->delay_count; j++) {
      const struct delay *d = &x->delays[j];
      if (has_gone_on(d, step))
        l.before.since[j] = touched_before(a, x, j, step);
      else if (d->delayed == now->taken.fiber)
        footprint_join(&l.before.since[j], l.last);
    }
    return add_leaf(a, x, now, fiber, &l), true;
  }
  for (unsigned j = 0; j < x->delay_count; j++) {
    const struct delay *d = &x->delays[j];
    if (!is_moved(a, x, j, now, fiber, &l)) continue;
    if (!has_gone_on(d, step) && fiber == d->delayed)
      *beyond = true; /* it takes the step between too, and could be delayed then */
    return add_leaf(a, x, now, fiber, &l), true;
  }
  return false;
}

/* From a delay of a leaf that was run until the delayed fiber goes on. Nobody asks for more than whether that fiber's
 * step before commutes with what others do: what does not, does not with anything. */
struct stretch {
  uint64_t fiber;            /* its bit; 0: it is over */
  struct footprint avoided;  /* by the step before */
  struct footprint *touched; /* the answer */
};

/* What ends one of them: a fiber's step, or what is avoided. */
struct ends {
  uint64_t fibers;
  struct footprint avoided;
};
static inline struct ends ends_of(const struct stretch *stretches, unsigned count) {
  struct ends e = {0};
  for (const struct stretch *w = stretches; w < stretches + count; w++) {
    if (!w->fiber) continue;
    e.fibers |= w->fiber;
    footprint_join(&e.avoided, w->avoided);
  }
  return e;
}

static void end_stretches(struct stretch *stretches, unsigned count, uint64_t fiber, struct footprint now,
                          struct footprint since) {
  for (struct stretch *w = stretches; w < stretches + count; w++) {
    if (w->fiber == fiber)
      footprint_join(w->touched, since);
    else if (w->fiber && meets(now, w->avoided))
      *w->touched = everything;
    else
      continue;
    w->fiber = 0;
  }
}

static void follow_run(struct alike *a, const struct run *run, size_t step, struct stretch *stretches, unsigned count) {
  struct footprint since = {0};
  struct ends ends = ends_of(stretches, count);
  for (size_t i = step; i < run->count && ends.fibers; i++) {
    struct footprint now = {0};
    uint64_t fiber = (uint64_t)1 << run->steps[i].fiber;
    footprint_add(&now, mark_of(&a->words, &run->steps[i]));
    if (fiber & ends.fibers || meets(now, ends.avoided)) {
      end_stretches(stretches, count, fiber, now, since);
      ends = ends_of(stretches, count);
    }
    footprint_join(&since, now);
  }
  for (struct stretch *w = stretches; w < stretches + count; w++)
    if (w->fiber) *w->touched = everything;
}

void alike_remember(struct alike *a, struct expansion *x, const struct now *now, uint8_t fiber, const struct run *run) {
  if (run->end != RUN_WHOLE || run->found != FOUND_NOTHING || run->count > ALIKE_STEPS || run->spun > now->step) return;
  struct leaf l = {.last = everything};
  struct stretch stretches[DELAYS + 1];
  unsigned count = 0;
  if (now->asked) {
    l.last = (struct footprint){0};
    stretches[count++] = (struct stretch){(uint64_t)1 << now->taken.fiber, avoided_by(now->before), &l.last};
  }
  for (unsigned j = 0; j < x->delay_count; j++) {
    const struct delay *d = &x->delays[j];
    struct footprint *since = &l.before.since[j];
    bool asked = now->step < d->asked;
    *since = asked ? touched_before(a, x, j, now->step) : everything;
    if (asked && !has_gone_on(d, now->step))
      stretches[count++] = (struct stretch){(uint64_t)1 << d->delayed, avoided_by(d->earlier), since};
  }
  if (count) follow_run(a, run, now->step, stretches, count);
  add_leaf(a, x, now, fiber, &l);
}
