/* One schedule of each happens-before trace: dynamic partial order reduction with source sets and sleep sets.
 *
 * P. A. Abdulla, S. Aronis, B. Jonsson, K. Sagonas, Optimal Dynamic Partial Order Reduction (2014), algorithm 1; for
 * threads that wait, C. Flanagan and P. Godefroid, Dynamic Partial-Order Reduction for Model Checking Software (2005).
 *
 * After a run its races are looked for: two steps i < j of two threads that are dependent, with nothing between them
 * that orders them. A run in which j comes first begins, after the steps before i, with one of the *initials* of v,
 * which is what happened after i and not because of it, and then j. One of these must be tried there. A thread that was
 * tried sleeps there afterwards: as long as only steps that do not conflict with its step are taken, to wake it leads
 * to a trace that was before.
 *
 * - Whether a step writes, returns, or takes which of how many blocks is known when it was taken. Dependence is that of
 * the steps as they were taken, which is what the order of the steps before them makes of them; so a failed
 * compare-and-exchange is a read, and an ASIF_ATOMIC block is what it accessed. A sleeping thread's step is as it was
 * taken, too: what was taken since does not conflict with it, and so does not change it.
 * - So a step that sleeps may conflict with others that it does not conflict with as it is taken after a race: what
 * comes between it and them is not seen in that run, and everything is tried.
 * - A thread may wait for a lock: then what gave up the lock, which could not have come later, is no race, and what
 * took it before is one, though the giving up is in between; so all steps that took it are looked at. The same for
 * threads that still wait when a run ends.
 * - A run that ends with a finding while others could go on shows nothing of what they would have done: all of them are
 * tried before its last step.
 * - Workers divide a search by its first steps, all of which are tried, but for the sleeping: so no trace comes twice.
 * - That accesses of a word are of different parts of it may be learned in the middle: then the search begins anew. One
 * that is divided goes on: what was taken to be dependent and is not was tried in both orders.
 * - Whether an operation returned before another was called matters to histories alone. So calls and returns do not
 * conflict: one schedule of each trace without them is explored, and what histories others have follows (orders.c).
 * That it does is seen where some of them are run.
 * - Of threads that make the same calls, and have read the same so far, it does not matter which one goes on:
 * exchanging what they do from there on gives the same trace, but for their names. So one of them waits for the one
 * before it to take the same step, until it has read something else than that one, or written. Its step comes after the
 * other's then, as if that enabled it. Two threads have read the same if it was the same write: then their reads stand
 * in the same order to all others. This is so of traces without calls and returns only. Code that looks at the numbers
 * of addresses, such as that of a local variable, may tell its threads apart: some runs are made once more with threads
 * exchanged, and if one is not the same the search begins anew without this. One that is divided makes random runs for
 * that before; if it is seen later it is not complete. Under a weak memory model the step that follows may read an
 * older write than the other's did, by its alternatives; if that write was there before the other's step, the two could
 * as well have read each what the other has: then that, the older one first, is explored instead.
 * - Which of the freed blocks is allocated is explored in full; to sleep is a matter of thread and block.
 * - Under a weak memory model a step that reads or writes has *alternatives*: which write it reads, or comes after
 * (run/weak.c). They are explored as the blocks of an allocation are, and tell steps apart by the name of that write.
 * One that leaves out writes which were made before the step is the same as the step made before these, if it could
 * have been: if no other steps order it after them. That is another trace, where it is explored; here it is *idle*.
 * So a stale read is explored only where no order of the steps explains it.
 * - A thread may halt, since an execution in which it has read less comes to the same (run/pure.c). That depends on
 * what it has read alone, as to end does; and so it is one that ends. */
#include "run/graph.h"
#include "test/explore.h"

#include <string.h>

enum { PARTS_EACH = 64 };       /* for each worker, at least */
enum { EXCHANGES_BEFORE = 32 }; /* random runs that are looked at before a search that is divided */
/* Where threads halt (run/pure.c): runs before it is first looked whether to begin anew with what was learned, and the
 * part of the runs in which that must have been of use; how often at most; random runs before that; and of several that
 * divide a search, runs to learn from. */
enum {
  LEARNS_FIRST = 64,
  LEARNS_PART = 16,
  LEARNS_MOST = 12,
  LEARNS_AT_RANDOM = 1000,
  LEARNS_STEPS = 1 << 16,
  LEARNS_ALONE = 4096
};
/* Of the orders of calls and returns, one in so many is run. */
enum { ORDERS_MADE = 64 };
/* To learn takes time: after so many runs it is done in one of so many. */
enum { LEARNS_ALWAYS = 4096, LEARNS_EVERY = 8 };

/* The state before a step. */
struct frame {
  uint64_t enabled, backtrack; /* fibers: to be tried */
  uint64_t sleeping;           /* fibers of the sleepers, those that were tried included */
  uint64_t parted;             /* fibers that are no longer like the one before them */
  uint64_t idle;               /* alternatives of the step taken that are not to be explored; beyond 63: none is */
  size_t sleepers;             /* the first of this state's; they go on to the next frame's */
  struct choice choice;
  bool may_write; /* the step taken, with an alternative that does not come before other writes instead */
};
struct dpor {
  struct explorer *e;
  VEC(struct frame) frames;
  VEC(struct step) sleepers; /* their steps, as they were taken; one a block that could be allocated */
  VEC(struct choice) choices;
  VEC(uint32_t) clocks; /* `stride` an event: of each fiber the last event before or at it, counted from 1 */
  VEC(uint32_t) latest; /* of an event: the last before it that happens before it, counted from 1; 0: none */
  VEC(uint32_t) candidates;
  VEC(uint32_t) numbers; /* where threads are alike, of an event: which of its fiber's it is, from 1 on */
  VEC(uint32_t) own;     /* the same as clocks, without the order of threads that are alike */
  size_t stride;
  uint64_t learned;            /* steps, of runs that were only to learn */
  uint64_t alike;              /* threads that are like one before them */
  size_t counted;              /* steps of this run in `taken`; SIZE_MAX: they are another search's */
  uint32_t taken[FIBERS_MOST]; /* by each fiber */
  uint8_t like[FIBERS_MOST];   /* 1 + the last thread before this one that makes the same calls; 0: none */
  size_t unchanged;            /* steps that are as when `orders` was last given a run */
  uint64_t after;              /* the number of the last run; 0: others were made since */
  struct orders *orders;       /* NULL: calls and returns conflict, and all their orders are explored */
  bool other; /* an order of them did not give the history that it should have, or threads that were taken to be alike
               * are not: the search begins anew without, and one that is divided is not complete */
  bool waits; /* the run whose orders are tried has a finding */
  uint64_t ordered; /* orders so far */
  bool blocked;     /* all who could go on sleep */
  bool weak;        /* steps have alternatives that are not blocks */
  /* Divided among workers: parts are numbered as they come. */
  size_t top; /* steps of which every choice is tried, by all workers; what follows is a part; 0: not divided */
  uint64_t part, mine;    /* the next part; the next that is this worker's */
  bool met, skipped, has; /* of the last run: it came to a part, which is another's; has: `mine` is known */
};

static inline uint64_t bit(unsigned fiber) { return (uint64_t)1 << fiber; }
static inline uint32_t *clock_of(struct dpor *d, size_t event) { return d->clocks.at + event * d->stride; }
static inline bool before(struct dpor *d, size_t i, const uint32_t *clock) {
  return clock[d->e->trace.events.at[i].step.fiber] > i;
}

static inline bool conflict(const struct dpor *d, const struct step *a, const struct step *b) {
  return d->e->trace.apart ? steps_meet(a, b) : steps_conflict(a, b);
}

static bool is_access(const struct step *s) { return s->kind <= POINT_UPDATE; }

/* Threads that are alike. */

static void find_alike(struct dpor *d) {
  const struct client *c = d->e->client;
  for (unsigned t = 1; t < c->threads; t++)
    for (unsigned u = t; u-- > 0 && !d->like[t];)
      if (threads_alike(c, u, t)) d->like[t] = (uint8_t)(u + 1), d->alike |= bit(t);
}

/* Is this run the same with these threads exchanged? */
static bool can_exchange(struct dpor *d, const struct run *run) {
  uint8_t to[FIBERS_MOST];
  if (d->e->execute != run_execute || run->end != RUN_WHOLE || run->found) return true;
  for (unsigned f = 0; f < FIBERS_MOST; f++) to[f] = (uint8_t)f;
  for (unsigned t = 0; t < d->e->client->threads; t++) { /* each in the place of the next, the last of the first */
    if (!d->like[t]) continue;
    uint8_t place = to[t];
    to[t] = to[d->like[t] - 1];
    to[d->like[t] - 1] = place;
  }
  d->after = 0;
  return run_exchanged(d->e->client, to);
}

/* Runs that are looked at: the 1st, 4th, 16th and so on. */
static bool is_sampled(uint64_t run) { return !(run & (run - 1)) && __builtin_ctzll(run) % 2 == 0; }

/* How many of the first steps each fiber has taken; mostly one more than the last time. */
static void count_taken(struct dpor *d, const struct step *steps, size_t count) {
  if (count < d->counted) {
    d->counted = 0;
    memset(d->taken, 0, sizeof d->taken);
  }
  vec_reserve(d->e->mem, &d->numbers, count);
  for (; d->counted < count; d->counted++) d->numbers.at[d->counted] = ++d->taken[steps[d->counted].fiber];
}
/* The next run is as the last one up to there. */
static void uncount_taken(struct dpor *d, size_t same) {
  if (d->counted == SIZE_MAX) return;
  for (; d->counted > same; d->counted--) d->taken[d->e->trace.events.at[d->counted - 1].step.fiber]--;
}
/* Which of the steps is the fiber's so many'th; `count`: it has not come to that. */
static size_t find_step(const struct step *steps, size_t count, unsigned fiber, size_t number) {
  size_t i = 0;
  for (; i < count; i++)
    if (steps[i].fiber == fiber && !--number) break;
  return i;
}

/* Has nobody but its thread touched what the step accesses, in the steps up to it? */
static bool is_private(const struct step *steps, size_t count, const struct step *own) {
  for (size_t i = 0; i < count; i++)
    if (steps[i].fiber != own->fiber && steps_meet(&steps[i], own)) return false;
  return true;
}

/* Are they the same, of two threads that were alike up to there? They read the same write of the same place, or each
 * accesses what is its own: that has another address, and else is the same. */
static bool same_for_both(const struct dpor *d, const struct step *steps, size_t one, size_t other) {
  const struct step *a = &steps[one], *b = &steps[other];
  unsigned flags = STEP_CALLS | STEP_RETURNS | STEP_WROTE | STEP_WAITS;
  bool writes_offered = d->weak && is_access(a); /* the blocks are writes */
  if (a->kind != b->kind || a->size != b->size) return false;
  if (!writes_offered && (a->block != b->block || a->blocks != b->blocks)) return false;
  if ((a->flags ^ b->flags) & flags) return false;
  if (a->kind == POINT_CALL) return true;
  if (a->kind <= POINT_UPDATE && a->address != b->address)
    return is_private(steps, other, a) && is_private(steps, other, b);
  bool reads =
      a->kind == POINT_READ || ((a->kind == POINT_UPDATE || a->kind == POINT_ALLOC) && !(a->flags & STEP_WROTE));
  if (a->kind == POINT_BLOCK) reads = a->place && a->place == b->place && !(a->flags & STEP_WROTE);
  if (!reads || a->address != b->address) return false;
  if (writes_offered) return a->place == b->place;
  for (size_t i = one + 1; i < other; i++)
    if (steps[i].fiber != b->fiber && steps_meet(&steps[i], b)) return false;
  return true;
}

/* Before step i, with those before it counted: who has parted from the thread that it is like, given who had before the
 * last step. */
static uint64_t part(const struct dpor *d, const struct step *steps, size_t i, uint64_t parted) {
  unsigned fiber = steps[i - 1].fiber;
  if (!((d->alike & ~parted) >> fiber & 1)) return parted;
  size_t first = find_step(steps, i - 1, d->like[fiber] - 1u, d->taken[fiber]);
  return first < i - 1 && same_for_both(d, steps, first, i - 1) ? parted : parted | bit(fiber);
}

/* Those who have to let the thread that they are like go first. */
static uint64_t held(const struct dpor *d, const struct run *run, uint64_t parted) {
  uint64_t fibers = 0;
  for (uint64_t rest = run->enabled & d->alike & ~parted; rest; rest &= rest - 1) {
    unsigned f = (unsigned)__builtin_ctzll(rest);
    if (!(run->enabled >> (d->like[f] - 1u) & 1)) continue;
    if (d->taken[f] == d->taken[d->like[f] - 1u]) fibers |= bit(f);
  }
  return fibers;
}

/* Running. */

/* Who sleeps after the step: those whose steps do not conflict with it. One that has alternatives may sleep as to some
 * of them. */
static void fall_asleep(struct dpor *d, const struct frame *from, const struct step *step, struct frame *to) {
  uint64_t woken = bit(step->fiber);
  for (size_t i = from->sleepers, end = d->sleepers.count; i < end; i++) {
    struct step s = d->sleepers.at[i];
    if (s.fiber == step->fiber || conflict(d, &s, step)) {
      woken |= bit(s.fiber);
      continue;
    }
    vec_push(d->e->mem, &d->sleepers, s);
  }
  to->sleeping = from->sleeping & ~woken;
}

/* The next block, from this one on, as to which the fiber does not sleep in the last state. */
static unsigned next_block(const struct dpor *d, const struct frame *f, unsigned fiber, unsigned block) {
  for (size_t i = f->sleepers; i < d->sleepers.count; i++)
    if (d->sleepers.at[i].fiber == fiber && d->sleepers.at[i].block == block) block++, i = f->sleepers - 1;
  return block;
}

/* Alternatives. */

/* Is the earlier step ordered before the later one, whatever they access? By its thread, or since one creates the
 * other's thread; who joins a thread is taken to come after all that were created. */
static bool ordered_by_threads(const struct dpor *d, const struct step *earlier, const struct step *later) {
  if (earlier->fiber == later->fiber) return true;
  if (earlier->kind == POINT_START && earlier->place == later->fiber) return true;
  return later->kind == POINT_JOIN && earlier->fiber >= d->e->client->threads;
}

/* Is the earlier step the one that a thread which has not parted must let the other take first? */
static bool ordered_alike(const struct dpor *d, const struct step *steps, size_t earlier, size_t later) {
  unsigned fiber = steps[later].fiber;
  return (d->alike & ~d->frames.at[later].parted) >> fiber & 1 && steps[earlier].fiber == d->like[fiber] - 1u &&
         d->numbers.at[earlier] == d->numbers.at[later];
}

/* Could the last step, with this alternative, be made before one of those that it then leaves out? So it could if that
 * one is ordered before it by these alone. What orders the others is looked for backwards. */
enum earlier { EARLIER_THAN_NONE, EARLIER_THAN_READS, EARLIER_THAN_WRITE };
static enum earlier could_be_earlier(const struct dpor *d, const struct run *run, unsigned block) {
  enum { MOST = 256 };
  uint32_t out[MOST];
  struct step now = run->steps[run->count - 1];
  size_t count = run_overtaken(block, out, MOST), last = run->count - 1, first = last, left = count;
  bool writes = false;
  if (!count || count == MOST || last >= 64 * MOST) return EARLIER_THAN_NONE;
  uint64_t after[MOST] = {0}, is_out[MOST] = {0}; /* steps that others than those left out order before it */
  for (size_t k = 0; k < count; k++) {
    if (out[k] < first) first = out[k];
    is_out[out[k] / 64] |= (uint64_t)1 << out[k] % 64;
  }
  if (run_offered_write(block)) now.flags |= STEP_WROTE;
  for (size_t i = last; left && i-- > first;) {
    const struct step *s = &run->steps[i];
    bool leaves = is_out[i / 64] >> i % 64 & 1;
    bool ordered = ordered_by_threads(d, s, &now) || (!leaves && conflict(d, s, &now));
    if (d->alike && !ordered) ordered = ordered_alike(d, run->steps, i, last);
    for (size_t k = last; !ordered && k-- > i + 1;)
      if (after[k / 64] >> k % 64 & 1)
        ordered = ordered_by_threads(d, s, &run->steps[k]) || conflict(d, s, &run->steps[k]) ||
                  (d->alike && ordered_alike(d, run->steps, i, k));
    if (!ordered) {
      writes |= leaves && (s->kind == POINT_WRITE || s->flags & STEP_WROTE);
      continue;
    }
    after[i / 64] |= (uint64_t)1 << i % 64;
    left -= leaves;
  }
  return !left ? EARLIER_THAN_NONE : writes ? EARLIER_THAN_WRITE : EARLIER_THAN_READS;
}

/* The alternative sleeps: the thread was tried with this write in a state before. */
static bool alternative_sleeps(const struct dpor *d, const struct frame *f, unsigned fiber, unsigned block) {
  uint64_t name = run_offered(block);
  for (size_t i = f->sleepers; i < d->sleepers.count; i++) {
    const struct step *s = &d->sleepers.at[i];
    if (s->fiber == fiber && is_access(s) && s->place == name && !!(s->flags & STEP_WROTE) == run_offered_write(block))
      return true;
  }
  return false;
}

/* The step of the thread that it is like which this one, of a thread that has not parted, comes after; or the number of
 * steps. */
static size_t step_before_alike(struct dpor *d, const struct run *run, const struct frame *f) {
  size_t last = run->count - 1;
  unsigned fiber = f->choice.fiber;
  if (!d->alike) return last;
  count_taken(d, run->steps, last);
  vec_reserve(d->e->mem, &d->numbers, last + 1);
  d->numbers.at[last] = d->taken[fiber] + 1;
  if (!((d->alike & ~f->parted) >> fiber & 1)) return last;
  return find_step(run->steps, last, d->like[fiber] - 1u, d->taken[fiber] + 1);
}

static int choose_alternative(struct dpor *d, const struct run *run, struct frame *f, unsigned blocks) {
  unsigned choice = blocks;
  size_t first = step_before_alike(d, run, f);
  f->idle = 0;
  f->may_write = false;
  for (unsigned b = 0; b < blocks; b++) {
    enum earlier earlier = b && b < 64 ? could_be_earlier(d, run, b) : EARLIER_THAN_NONE;
    bool idle = earlier;
    f->may_write |= earlier != EARLIER_THAN_WRITE && run_offered_write(b);
    if (!idle) idle = first < run->count - 1 && run_is_older(b, first);
    if (!idle) idle = alternative_sleeps(d, f, f->choice.fiber, b) || !run_possible(b);
    if (idle && b < 64) f->idle |= (uint64_t)1 << b;
    if (!idle && choice == blocks) choice = b;
  }
  return (int)(choice < blocks ? choice : 0);
}

static int choose_block(void *context, const struct run *run, unsigned blocks) {
  struct dpor *d = context;
  struct frame *f = &d->frames.at[run->count - 1];
  if (run_offers()) {
    f->choice.block = (uint8_t)choose_alternative(d, run, f, blocks);
    explorer_show(d->e, run->count - 1, f->choice);
    return f->choice.block;
  }
  unsigned block = next_block(d, f, f->choice.fiber, 0);
  f->choice.block = (uint8_t)(block < blocks ? block : 0);
  explorer_show(d->e, run->count - 1, f->choice);
  return f->choice.block;
}

/* Comes to the next part: is it this worker's? */
static bool is_mine(struct dpor *d) {
  const struct share *share = &d->e->share;
  uint64_t part = d->part++;
  d->met = true;
  if (!share->next) return part % share->workers == share->worker;
  if (!d->has) d->mine = atomic_fetch_add(share->next, 1);
  d->has = d->mine != part;
  return !d->has;
}

static int choose(void *context, const struct run *run, struct choice *choice) {
  struct dpor *d = context;
  size_t i = run->count;
  if (d->top && i == d->top && !is_mine(d)) {
    d->skipped = true;
    return CHOOSE_STOP;
  }
  vec_reserve(d->e->mem, &d->frames, i + 1);
  struct frame *f = &d->frames.at[i]; /* made where it stays: copies of what was just written are slow */
  f->enabled = run->enabled;
  f->sleeping = f->parted = 0;
  f->sleepers = d->sleepers.count;
  if (i) fall_asleep(d, &f[-1], &run->steps[i - 1], f);
  if (d->alike) {
    count_taken(d, run->steps, i);
    if (i) f->parted = part(d, run->steps, i, f[-1].parted);
    f->enabled &= ~held(d, run, f->parted);
  }
  uint64_t awake = f->enabled & ~f->sleeping;
  if (!awake) {
    d->blocked = true;
    d->sleepers.count = f->sleepers;
    return CHOOSE_STOP;
  }
  unsigned fiber = step_default(run->steps, i, run->current, awake);
  *choice = f->choice = (struct choice){(uint8_t)fiber, 0};
  f->backtrack = i < d->top ? f->enabled : bit(fiber);
  d->frames.count = i + 1;
  explorer_show(d->e, i, (struct choice){(uint8_t)fiber, 0});
  return 0;
}

/* Races. */

static bool gives_up(const struct step *s) { return s->kind == POINT_UNLOCK || s->kind == POINT_WAKE; }

/* Could they conflict, if the first comes earlier than it did? It is the same access then, but may write, lock what it
 * failed to lock, return, take another block, or free one that may be allocated again. An ASIF_ATOMIC block may access
 * anything. */
static bool may_conflict(const struct dpor *d, const struct step *first, const struct step *other) {
  struct step s = *first;
  if (s.kind == POINT_BLOCK) s.place = 0;
  if (s.kind == POINT_UPDATE || s.kind == POINT_ALLOC || s.kind == POINT_FREE) s.flags |= STEP_WROTE;
  s.flags = (uint8_t)((s.flags | STEP_RETURNS) & ~STEP_FAILED);
  bool accesses = other->address || other->kind == POINT_BLOCK;
  return (s.kind == POINT_ALLOC && accesses) || conflict(d, &s, other);
}

/* Does the thread sleep before step i, and its step was another then: one that returned, say, which it does not now? */
static bool sleeps_as_another(const struct dpor *d, size_t i, const struct step *now) {
  unsigned flags = STEP_WROTE | (d->orders ? 0 : STEP_CALLS | STEP_RETURNS);
  size_t end = i + 1 < d->frames.count ? d->frames.at[i + 1].sleepers : d->sleepers.count;
  for (size_t k = d->frames.at[i].sleepers; k < end; k++) {
    const struct step *s = &d->sleepers.at[k];
    if (s->fiber != now->fiber) continue;
    if ((s->flags ^ now->flags) & flags || (s->kind == POINT_BLOCK && s->place != now->place)) return true;
  }
  return false;
}

/* Steps i < j race: what must be tried before step i so that j comes first. clock: of j, with i. */
static void race(struct dpor *d, size_t i, size_t j, const uint32_t *clock) {
  const struct event *events = d->e->trace.events.at;
  struct frame *f = &d->frames.at[i];
  unsigned fiber = events[j].step.fiber, first = FIBERS_MOST;
  uint64_t initials = 0;
  bool alone = true;
  for (size_t k = i + 1; k < j; k++) {
    if (before(d, i, clock_of(d, k))) continue;
    if (first == FIBERS_MOST) first = events[k].step.fiber;
    if (d->latest.at[k] <= i) initials |= bit(events[k].step.fiber);
    if (alone) alone = !before(d, k, clock) && !may_conflict(d, &events[j].step, &events[k].step);
  }
  if (alone) initials |= bit(first = fiber);
  if (initials & f->backtrack) return;
  if (alone && f->sleeping >> fiber & 1 && sleeps_as_another(d, i, &events[j].step)) f->backtrack |= f->enabled;
  if (initials & f->sleeping) return;
  uint64_t can = initials & f->enabled;
  if (can)
    f->backtrack |= can >> first & 1 ? bit(first) : can & -can;
  else if (!gives_up(&events[i].step))
    f->backtrack |= f->enabled; /* they wait for what anybody may do */
}

static void candidate(struct dpor *d, uint32_t event) {
  size_t i = d->candidates.count;
  vec_push(d->e->mem, &d->candidates, event);
  for (; i && d->candidates.at[i - 1] < event; i--) d->candidates.at[i] = d->candidates.at[i - 1];
  d->candidates.at[i] = event;
}

/* Clocks are a multiple of LANE long, and gone through LANE at a time. */
enum { LANE = 4 };
typedef uint32_t lane __attribute__((vector_size(4 * LANE), aligned(4), may_alias));

static inline void clock_copy(const struct dpor *d, uint32_t *to, const uint32_t *from) {
  for (size_t f = 0; f < d->stride; f += LANE) *(lane *)(to + f) = *(const lane *)(from + f);
}
static inline void clock_clear(const struct dpor *d, uint32_t *to) {
  for (size_t f = 0; f < d->stride; f += LANE) *(lane *)(to + f) = (lane){0};
}
static inline void join_to(const struct dpor *d, uint32_t *clock, const uint32_t *other) {
  for (size_t f = 0; f < d->stride; f += LANE) {
    lane a = *(lane *)(clock + f), b = *(const lane *)(other + f), more = (lane)(b > a);
    *(lane *)(clock + f) = (b & more) | (a & ~more);
  }
}
static void join(struct dpor *d, uint32_t *clock, size_t event) { join_to(d, clock, clock_of(d, event)); }

/* The touches an event's touch conflicts with, the latest first, up to a write, which comes after all before it. */
static void look_back(struct dpor *d, const struct touch *t, const uint32_t *own) {
  const struct trace *trace = &d->e->trace;
  for (uint32_t at = t->before; at; at = trace->touches.at[at].before) {
    const struct touch *o = &trace->touches.at[at];
    if (modes_conflict(t->modes, o->modes) && !before(d, o->event, own)) candidate(d, o->event);
    if (o->modes & MODE_WRITE) return;
  }
}

/* Of a step that had to wait for a lock: all that took it. */
static void look_back_further(struct dpor *d, size_t j, const uint32_t *own) {
  const struct trace *trace = &d->e->trace;
  const struct event *v = &trace->events.at[j];
  for (size_t k = v->touches; k < trace->touches.count; k++)
    for (uint32_t at = trace->touches.at[k].before; at; at = trace->touches.at[at].before) {
      const struct touch *o = &trace->touches.at[at];
      if (!modes_conflict(trace->touches.at[k].modes, o->modes) || before(d, o->event, own)) continue;
      if (!(trace->events.at[o->event].step.flags & STEP_OPENS) || o->modes & (MODE_CALL | MODE_RETURN))
        race(d, o->event, j, clock_of(d, j));
    }
}

/* Of a compare-and-exchange that failed, and would have written if it had read something older: what that conflicts
 * with and this does not. Where it would have to come before a write that it left out, that is a race already. */
static void look_back_as_write(struct dpor *d, size_t j, const uint32_t *own) {
  const struct trace *trace = &d->e->trace;
  uint32_t clock[FIBERS_MOST];
  for (size_t k = trace->events.at[j].touches; k < trace->touches.count; k++)
    for (uint32_t at = trace->touches.at[k].before; at; at = trace->touches.at[at].before) {
      const struct touch *o = &trace->touches.at[at];
      if (o->modes & MODE_WRITE) break;
      if (before(d, o->event, own)) continue;
      clock_copy(d, clock, clock_of(d, j));
      join_to(d, clock, clock_of(d, o->event));
      race(d, o->event, j, clock);
    }
}

/* Of a thread that has not parted from the one it is like: that one's step with the same number comes first. 0: none.
 */
static uint32_t step_alike(const struct dpor *d, size_t j) {
  const struct event *v = &d->e->trace.events.at[j];
  unsigned fiber = v->step.fiber;
  if (j >= d->frames.count || !((d->alike & ~d->frames.at[j].parted) >> fiber & 1)) return 0;
  uint32_t at = d->e->trace.last[d->like[fiber] - 1u];
  while (at && d->numbers.at[at - 1] > d->numbers.at[j]) at = d->e->trace.events.at[at - 1].previous;
  return at && d->numbers.at[at - 1] == d->numbers.at[j] ? at : 0;
}

/* What really happens before it, for the histories. */
static void analyse_own(struct dpor *d, size_t j, uint32_t from) {
  const struct trace *trace = &d->e->trace;
  const struct event *v = &trace->events.at[j];
  vec_reserve(d->e->mem, &d->own, (j + 1) * d->stride);
  uint32_t *clock = d->own.at + j * d->stride;
  clock_clear(d, clock);
  if (from) clock_copy(d, clock, d->own.at + (from - 1) * d->stride);
  if (v->step.kind == POINT_JOIN && v->child >= 0 && trace->last[v->child])
    join_to(d, clock, d->own.at + (trace->last[v->child] - 1) * d->stride);
  for (size_t k = v->touches; k < trace->touches.count; k++)
    for (uint32_t at = trace->touches.at[k].before; at; at = trace->touches.at[at].before) {
      const struct touch *o = &trace->touches.at[at];
      if (modes_conflict(trace->touches.at[k].modes, o->modes)) join_to(d, clock, d->own.at + o->event * d->stride);
      if (o->modes & MODE_WRITE) break;
    }
  clock[v->step.fiber] = (uint32_t)j + 1;
}

/* The event j, the trace's last: what happens before it, and its races. */
static void analyse(struct dpor *d, size_t j) {
  const struct trace *trace = &d->e->trace;
  const struct event *v = &trace->events.at[j];
  vec_reserve(d->e->mem, &d->clocks, (j + 1) * d->stride);
  vec_reserve(d->e->mem, &d->latest, j + 1);
  uint32_t *clock = clock_of(d, j), own[FIBERS_MOST], *latest = &d->latest.at[j];
  clock_clear(d, clock);
  uint32_t from = v->previous ? v->previous : trace->started_by[v->step.fiber];
  if (from) clock_copy(d, clock, clock_of(d, from - 1));
  *latest = from;
  if (v->step.kind == POINT_JOIN && v->child >= 0 && trace->last[v->child]) {
    join(d, clock, trace->last[v->child] - 1);
    if (trace->last[v->child] > *latest) *latest = trace->last[v->child];
  }
  if (d->alike) {
    vec_reserve(d->e->mem, &d->numbers, j + 1);
    d->numbers.at[j] = 1 + (v->previous ? d->numbers.at[v->previous - 1] : 0);
    uint32_t first = step_alike(d, j);
    if (first) join(d, clock, first - 1);
    if (first > *latest) *latest = first;
    if (d->orders) analyse_own(d, j, from);
  }
  clock_copy(d, own, clock);
  bool waits = v->step.flags & STEP_WAITS;
  d->candidates.count = 0;
  for (size_t k = v->touches; k < trace->touches.count; k++) look_back(d, &trace->touches.at[k], own);
  for (size_t k = 0; k < d->candidates.count; k++) {
    uint32_t i = d->candidates.at[k];
    if (before(d, i, clock)) continue;
    if (i + 1 > *latest) *latest = i + 1;
    join(d, clock, i);
    if (!waits) race(d, i, j, clock);
  }
  if (waits) look_back_further(d, j, own);
  bool failed = d->weak && v->step.kind == POINT_UPDATE && !(v->step.flags & STEP_WROTE);
  if (failed && v->step.blocks && j < d->frames.count && d->frames.at[j].may_write) look_back_as_write(d, j, own);
  clock[v->step.fiber] = (uint32_t)j + 1;
}

/* Threads that still wait for a lock. */
static void analyse_waiting(struct dpor *d, const struct run *run) {
  size_t count = d->e->trace.events.count;
  for (uint64_t rest = run->alive; rest; rest &= rest - 1) {
    unsigned f = (unsigned)__builtin_ctzll(rest);
    if (!(run->pending[f].flags & STEP_WAITS)) continue;
    trace_add(&d->e->trace, &run->pending[f]);
    analyse(d, count);
    trace_cut(&d->e->trace, count);
  }
}

static void analyse_run(struct dpor *d, const struct run *run, size_t same) {
  struct trace *trace = &d->e->trace;
  if (run->fibers > d->stride) {
    d->stride = FIBERS_MOST;
    same = 0;
  }
  for (size_t j = same; j < run->count; j++) {
    if (trace_follow(trace, run->steps, j + 1, j) < j) { /* dependence is another now */
      trace_follow(trace, run->steps, 1, j = 0);
      d->unchanged = 0;
    }
    analyse(d, j);
  }
  bool found = run->found && run->enabled;
  if (run->count && (found || run->end == RUN_CANNOT || run->end == RUN_LONG)) {
    struct frame *f = &d->frames.at[run->count - 1];
    f->backtrack |= f->enabled;
  }
  if (run->alive && !d->skipped) analyse_waiting(d, run);
}

/* Searching. */

/* The next alternative, or block, of a step that was taken; step->blocks: there is none. */
static unsigned next_alternative(const struct dpor *d, const struct frame *f, const struct step *taken) {
  unsigned block = taken->block + 1u;
  if (!is_access(taken)) return next_block(d, f, taken->fiber, taken->block);
  while (block < taken->blocks && block < 64 && f->idle >> block & 1) block++;
  return block;
}

/* The next choice of the last state that has one: a plan of so many steps. 0: there is none. */
static size_t next_plan(struct dpor *d) {
  for (; d->frames.count; d->frames.count--) {
    size_t i = d->frames.count - 1;
    struct frame *f = &d->frames.at[i];
    const struct step *taken = &d->e->trace.events.at[i].step;
    vec_push(d->e->mem, &d->sleepers, *taken);
    unsigned block = taken->blocks ? next_alternative(d, f, taken) : 0;
    if (block < taken->blocks) {
      f->choice.block = (uint8_t)block;
      return i + 1;
    }
    f->sleeping |= bit(f->choice.fiber);
    uint64_t rest = f->backtrack & ~f->sleeping;
    if (rest) {
      unsigned fiber = (unsigned)__builtin_ctzll(rest);
      f->choice = (struct choice){(uint8_t)fiber, d->weak ? CHOICE_OPEN : (uint8_t)next_block(d, f, fiber, 0)};
      return i + 1;
    }
    d->sleepers.count = f->sleepers;
  }
  return 0;
}

/* So many steps that there are enough parts to be divided. */
static size_t steps_to_divide(const struct explorer *e) {
  if (e->share.workers <= 1) return 0;
  size_t steps = 1, threads = e->client->threads > 1 ? e->client->threads : 2;
  for (size_t parts = threads; parts < PARTS_EACH * e->share.workers; parts *= threads) steps++;
  return steps;
}

/* A run that ended before it came to a part is one. */
static bool counts(struct dpor *d, const struct run *run) {
  if (!d->top || run->count > d->top) return true;
  return !d->skipped && (d->met || is_mine(d));
}

/* A schedule for another order of calls and returns. What its run comes to is known, but for how it waits; some are
 * made all the same, to see that it is so. */
static bool use_order(void *self, const struct choice *choices, size_t count) {
  struct dpor *d = self;
  const struct run *run;
  if (d->waits || d->ordered++ % ORDERS_MADE == 0) {
    d->after = 0;
    run = explorer_try(d->e, &(struct plan){.choices = choices, .count = count});
  } else {
    run = orders_run(d->orders);
  }
  if (!run && d->e->stopped) return false;
  if (!run || !orders_met(d->orders, run)) {
    d->other = true;
    return false;
  }
  d->e->counts->orders++;
  explorer_visit(d->e, run, true);
  return !d->e->stopped;
}

/* Did it end with its threads, or because they wait? */
static bool has_histories(const struct run *r) {
  return r->end == RUN_WHOLE &&
         (!r->found || r->found == FOUND_DEADLOCK || r->found == FOUND_LIVELOCK || r->found == FOUND_LEAK);
}

/* The run counts, and so do the other histories of its trace. */
static void visit(struct dpor *d, const struct run *run) {
  if (run->end == RUN_CUT) *(d->blocked ? &d->e->counts->redundant : &d->e->counts->halted) += 1;
  explorer_visit(d->e, run, true);
  if (!d->orders || d->e->stopped || !has_histories(run)) return;
  size_t same = d->unchanged;
  d->unchanged = run->count;
  d->waits = run->found != FOUND_NOTHING;
  orders_each(d->orders, run, &d->e->trace, d->alike ? d->own.at : d->clocks.at, d->stride, same, use_order, d);
}

/* The plan of the next run: the choices of the frames, so many. What is known of the last run it has from there. */
static void make_plan(struct dpor *d, struct plan *plan, size_t count) {
  size_t same = count - 1 < plan->count ? count - 1 : plan->count;
  vec_reserve(d->e->mem, &d->choices, count);
  size_t known = same && same == plan->count ? same - 1 : same; /* the last one may have been open */
  for (size_t i = known; i < count; i++) d->choices.at[i] = d->frames.at[i].choice;
  d->choices.count = plan->count = count;
  plan->choices = d->choices.at;
  plan->after = d->after;
  plan->same = same;
  if (count - 1 < d->unchanged) d->unchanged = count - 1;
  uncount_taken(d, count - 1);
}

/* Searches from the beginning; false: it is to begin anew. most: runs after which it may stop, if that was only to
 * learn; 0: none. */
static bool search(struct dpor *d, bool learns, uint64_t most) {
  struct explorer *e = d->e;
  struct plan plan = {.choose = choose, .choose_block = choose_block, .context = d};
  uint64_t look = LEARNS_FIRST, learned = 0;
  d->counted = SIZE_MAX;
  d->unchanged = d->choices.count = 0;
  for (uint64_t runs = 1;; runs++) {
    bool learning = learns && (runs <= LEARNS_ALWAYS || runs % LEARNS_EVERY == 0);
    run_pure_learns(learning);
    learned += learning;
    d->blocked = d->met = d->skipped = false;
    const struct run *run = explorer_run(e, &plan);
    if (!run) return true;
    d->after = run->number;
    analyse_run(d, run, plan.count ? plan.count - 1 : 0);
    if (e->trace.finer && !d->top) return false;
    if (!most && counts(d, run)) visit(d, run);
    if (e->stopped) return true;
    if (d->alike && is_sampled(runs) && !can_exchange(d, run)) {
      if (!d->top) return d->alike = 0, false;
      d->other = true;
    }
    if (d->other && !d->top) {
      d->orders = NULL;
      d->other = e->trace.apart = false;
      d->alike = 0;
      return false;
    }
    if (run_pure_learned()->anew) return false;
    if (learns && !d->top && runs == look) {
      if (run_pure_learned()->useful > learned / LEARNS_PART) return false;
      look *= 4;
    }
    d->learned += most ? run->count : 0;
    size_t next = runs == most || d->learned > LEARNS_STEPS ? 0 : next_plan(d);
    if (!next) break;
    make_plan(d, &plan, next);
  }
  e->counts->complete = !e->long_run && !d->other;
  return true;
}

/* Random schedules show many ways that a search which goes depth first comes to late. */
struct learning {
  struct explorer *e;
  uint64_t random;
};
static int choose_at_random(void *context, const struct run *run, struct choice *choice) {
  struct learning *l = context;
  uint64_t rest = run->enabled;
  l->random = l->random * 6364136223846793005u + 1442695040888963407u;
  unsigned skip = (unsigned)(l->random >> 33) % (unsigned)__builtin_popcountll(rest);
  for (; skip; skip--) rest &= rest - 1;
  *choice = (struct choice){(uint8_t)__builtin_ctzll(rest), 0};
  explorer_show(l->e, run->count, *choice);
  return 0;
}

static void learn_at_random(struct explorer *e) {
  struct learning l = {e, 1};
  struct plan plan = {.choose = choose_at_random, .context = &l};
  run_pure_learns(true);
  uint64_t steps = 0;
  for (int i = 0; i < LEARNS_AT_RANDOM && steps < LEARNS_STEPS; i++) {
    const struct run *run = explorer_run(e, &plan);
    if (!run) return;
    steps += run->count;
  }
}

/* Several that divide a search all make the same runs, so that they come to the same. */
static void look_for_others(struct dpor *d) {
  struct learning l = {d->e, 1};
  struct plan plan = {.choose = choose_at_random, .context = &l};
  for (int i = 0; i < EXCHANGES_BEFORE && d->alike; i++) {
    const struct run *run = explorer_run(d->e, &plan);
    if (!run) return;
    if (!can_exchange(d, run)) d->alike = 0;
  }
}

static void begin_anew(struct dpor *d) {
  struct explorer *e = d->e;
  d->frames.count = d->sleepers.count = 0;
  trace_cut(&e->trace, 0);
  e->trace.finer = false;
  if (e->share.left) atomic_fetch_add(e->share.left, e->counts->schedules);
  *e->counts = (struct explore_counts){.traces = e->counts->traces}; /* these are remembered */
}

/* Several that divide a search cannot begin anew: each learns first, by itself. */
static void learn_alone(struct dpor *d) {
  size_t top = d->top;
  d->top = 0;
  for (int i = 0;
       i < LEARNS_MOST && d->learned <= LEARNS_STEPS && run_pure(true, 0, true) && !search(d, true, LEARNS_ALONE);
       i++) {
    begin_anew(d);
    learn_at_random(d->e);
  }
  begin_anew(d);
  d->learned = 0;
  d->top = top;
}

void explore_dpor(struct explorer *e) {
  struct dpor d = {.e = e,
                   .stride = (e->client->threads + LANE - 1u) / LANE * LANE,
                   .top = steps_to_divide(e),
                   .orders = e->orders,
                   .weak = e->options.weak};
  e->trace.apart = d.orders || d.weak;
  e->trace.unhashed = !e->share.traces;
  if (e->options.alike && (d.orders || d.weak)) find_alike(&d);
  if (d.alike && d.top) look_for_others(&d);
  bool halts = e->options.block && e->execute == run_execute && run_pure(true, d.top, d.top > 0);
  if (halts && d.top) learn_alone(&d);
  for (int i = 0; !e->stopped; i++) {
    if (halts) run_pure(true, d.top, d.top > 0);
    if (search(&d, halts && i < LEARNS_MOST, 0)) break;
    begin_anew(&d);
    if (halts) learn_at_random(e);
  }
  if (halts) run_pure(false, 0, false);
  if (!e->share.traces) e->counts->traces = e->counts->schedules - e->counts->orders;
}
