/* Random schedules: the uniform walk, and PCT: Burckhardt, Kothari, Musuvathi and Nagarakatte, A Randomized Scheduler
 * with Probabilistic Guarantees of Finding Bugs (2010). A run is made of the seed and its number alone.
 *
 * PCT: threads have random priorities, and the one with the highest that can take a step does. At D - 1 steps chosen at
 * random among as many as the default schedule has, the thread about to go gets a priority below all the first ones,
 * lower each time. One that gives way goes below all others, else it would wait for ever for those it does not let go.
 *
 * Under a weak memory model (run/graph.h) the uniform walk has every second access take the newest write, and every
 * other one any. PCT makes each of the D - 1 changes one of priorities or of memory: then the next access that has a
 * choice takes any write. All others take the newest one, or, in every second run, the oldest one that they may read:
 * what threads learn of each other is then what was chosen at random. That is the idea of Gao, Chakraborty and Ozkan,
 * Probabilistic Concurrency Testing for Weak Memory Programs (2023). A thread does not read the same old write twice in
 * a row, else it would wait for ever in a loop. */
#include "run/graph.h"
#include "test/explore.h"

#include <string.h>

#include "base/hash.h"

enum { DEPTH_MOST = 64 };

struct walk {
  struct explorer *e;
  uint64_t random;
  bool pct;
  size_t length; /* of the default schedule */
  size_t changes[DEPTH_MOST];
  unsigned change_count, changed;
  uint64_t known; /* the fibers that have a priority */
  int64_t priority[FIBERS_MOST], lowest;
  bool stale;       /* PCT, of weak memory: who reads takes the oldest write; */
  unsigned due;     /* ... so many accesses take any; */
  struct old_read { /* ... what each fiber has read last, where that was an old write */
    uintptr_t address;
    uint64_t name;
  } last[FIBERS_MOST];
};

static uint64_t draw(struct walk *w, uint64_t n) {
  w->random += 0x9e3779b97f4a7c15u;
  return hash_mix(hash_mix(w->random)) % n;
}

static unsigned nth(uint64_t mask, unsigned n) {
  while (n--) mask &= mask - 1;
  return (unsigned)__builtin_ctzll(mask);
}

static unsigned highest(struct walk *w, uint64_t enabled) {
  unsigned best = FIBERS_MOST;
  for (uint64_t rest = enabled; rest; rest &= rest - 1) {
    unsigned f = (unsigned)__builtin_ctzll(rest);
    if (!(w->known >> f & 1)) {
      w->known |= (uint64_t)1 << f;
      w->priority[f] = (int64_t)draw(w, (uint64_t)1 << 40);
    }
    if (best == FIBERS_MOST || w->priority[f] > w->priority[best]) best = f;
  }
  return best;
}

static unsigned by_priority(struct walk *w, const struct run *run) {
  size_t i = run->count;
  if (i && run->steps[i - 1].flags & STEP_YIELDED) w->priority[run->current] = --w->lowest;
  while (w->changed < w->change_count && w->changes[w->changed] <= i) {
    w->changed++;
    if (w->e->options.weak && draw(w, 2))
      w->due++;
    else
      w->priority[highest(w, run->enabled)] = --w->lowest;
  }
  return highest(w, run->enabled);
}

static int choose(void *context, const struct run *run, struct choice *choice) {
  struct walk *w = context;
  if (w->pct)
    choice->fiber = (uint8_t)by_priority(w, run);
  else
    choice->fiber = (uint8_t)nth(run->enabled, (unsigned)draw(w, (uint64_t)__builtin_popcountll(run->enabled)));
  explorer_show(w->e, run->count, *choice);
  return 0;
}

/* Any of the alternatives that are possible, from this one on; `blocks`: there is none. */
static unsigned any_alternative(struct walk *w, unsigned from, unsigned blocks) {
  unsigned possible = 0, block;
  for (block = from; block < blocks; block++) possible += run_possible(block);
  if (!possible) return blocks;
  unsigned left = (unsigned)draw(w, possible);
  for (block = from; !run_possible(block) || left--; block++) continue;
  return block;
}

/* The oldest write that can be read; 0: the newest one, or the last is that once more. */
static unsigned oldest_alternative(struct walk *w, const struct step *now, unsigned blocks) {
  struct old_read *last = &w->last[now->fiber];
  unsigned block = blocks - 1;
  while (block && (run_offered_write(block) || !run_possible(block))) block--;
  struct old_read read = {now->address, run_offered(block)};
  bool again = read.address == last->address && read.name == last->name;
  *last = block && !again ? read : (struct old_read){0, 0};
  return again ? 0 : block;
}

static unsigned choose_alternative(struct walk *w, const struct step *now, unsigned blocks) {
  if (!w->pct) {
    unsigned block = draw(w, 2) ? any_alternative(w, 1, blocks) : 0;
    return block < blocks ? block : 0;
  }
  if (!w->due) return w->stale && !run_offered_write(0) ? oldest_alternative(w, now, blocks) : 0;
  w->due--;
  return any_alternative(w, 0, blocks);
}

static int choose_block(void *context, const struct run *run, unsigned blocks) {
  struct walk *w = context;
  const struct step *now = &run->steps[run->count - 1];
  unsigned block = run_offers() ? choose_alternative(w, now, blocks) : (unsigned)draw(w, blocks);
  explorer_show(w->e, run->count - 1, (struct choice){(uint8_t)run->current, (uint8_t)block});
  return (int)block;
}

static void start(struct walk *w, uint64_t number) {
  w->random = hash_mix(w->e->options.seed) + hash_mix(number * 2 + 1);
  w->known = 0;
  w->lowest = 0;
  w->changed = 0;
  w->due = 0;
  if (!w->pct) return;
  w->stale = w->e->options.weak && draw(w, 2);
  memset(w->last, 0, sizeof w->last);
  unsigned depth = w->e->options.depth;
  w->change_count = depth > DEPTH_MOST ? DEPTH_MOST : depth ? depth - 1 : 0;
  for (unsigned i = 0; i < w->change_count; i++) {
    size_t at = (size_t)draw(w, w->length ? w->length : 1), k = i;
    for (; k && w->changes[k - 1] > at; k--) w->changes[k] = w->changes[k - 1];
    w->changes[k] = at;
  }
}

static void explore_random(struct explorer *e, bool pct) {
  struct walk w = {.e = e, .pct = pct};
  struct plan plan = {0};
  const struct run *run = explorer_run(e, &plan);
  if (!run) return;
  w.length = run->count;
  plan = (struct plan){.choose = choose, .choose_block = choose_block, .context = &w};
  for (uint64_t number = e->share.worker; !e->options.runs_most || number < e->options.runs_most;
       number += e->share.workers) {
    start(&w, number);
    if (!(run = explorer_run(e, &plan))) return;
    explorer_visit(e, run, false);
    if (e->stopped) return;
  }
}

void explore_pct(struct explorer *e) { explore_random(e, true); }
void explore_uniform(struct explorer *e) { explore_random(e, false); }
