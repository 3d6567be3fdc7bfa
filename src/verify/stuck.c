/* Deadlock: no thread can move, and one waits for a lock.
 *
 * Where calls happen with the operation's first access (machine.h) a thread that would call an operation and then wait
 * has not called it yet, and may have other things to do. But it may call all the same, and be stuck. So there is a
 * deadlock if every thread that is within an operation waits, and of the others each makes a call that waits, or is
 * kept from every call (ASIF_BOUND) by those that did. But where the specification has all of them wait, as `acquire`
 * of a lock that is held, they wait as they should. */
#include <string.h>

#include "verify/explore.h"

enum { CALLS_MOST = 64 }; /* that a thread would make, and wait for a signal */

/* What a thread between operations may do. */
struct chance {
  uint8_t thread;
  bool waits, locked; /* once called */
  struct event call;
};

struct chances {
  struct worker *w;
  VEC(struct chance) list;
  bool idle[THREADS_MOST]; /* makes none of its calls */
  bool locked;             /* one within an operation waits for a lock */
};

bool waits_always(struct system *system, const void *from, unsigned thread, const struct choices *choices,
                  const struct move *move, void *to) {
  unsigned settled = move->settled;
  struct choices other = *choices;
  struct move made;
  other.made = (uint8_t)settled;
  do {
    other.depth = 0;
    if (system->move(system, from, thread, &other, to, &made) != WAITS) return false;
  } while (choices_next(&other) && other.made > settled);
  return true;
}

static bool may_call(const struct chances *k, uint32_t set, const struct chance *c) {
  const struct traces *traces = &k->w->traces;
  return traces->may_call(traces->self, set, c->thread, c->call.call);
}

bool is_owed(const struct worker *w, uint32_t set) {
  const struct traces *traces = &w->traces;
  return !traces->owes || traces->owes(traces->self, set);
}

/* Threads from `thread` on make calls, or none, so that all are stuck. */
static bool settle(struct chances *k, unsigned thread, uint32_t set, bool locked) {
  const struct traces *traces = &k->w->traces;
  bool any = false;
  if (thread == k->w->system->threads) {
    for (size_t i = 0; i < k->list.count; i++)
      if (k->idle[k->list.at[i].thread] && may_call(k, set, &k->list.at[i])) return false;
    return locked && is_owed(k->w, set);
  }
  for (size_t i = 0; i < k->list.count; i++) {
    const struct chance *c = &k->list.at[i];
    if (c->thread != thread) continue;
    any = true;
    if (!c->waits || !may_call(k, set, c)) continue;
    k->idle[thread] = false;
    if (settle(k, thread + 1, traces->step(traces->self, set, c->call), locked || c->locked)) return true;
  }
  k->idle[thread] = any;
  return settle(k, thread + 1, set, locked);
}

static void add_chance(struct chances *k, unsigned thread, bool waits, const struct move *move) {
  struct chance c = {
      .thread = (uint8_t)thread, .waits = waits, .locked = waits && move->locked, .call = move->events[0]};
  vec_push(&k->w->mem, &k->list, c);
}

/* The thread's chances; false if it is within an operation and can go on. */
static bool look_at(struct chances *k, unsigned thread) {
  struct worker *w = k->w;
  struct choices choices;
  struct move move;
  choices_begin(&choices);
  do {
    move.begun = false;
    enum moved moved = w->system->move(w->system, w->from, thread, &choices, w->to, &move);
    if (moved == STOPPED) break;
    bool calls = move.event_count && move.events[0].kind == EVENT_CALL;
    if (!calls && moved != WAITS) return false;
    if (!calls)
      k->locked |= move.locked;
    else if (moved != WAITS || (move.begun && waits_always(w->system, w->from, thread, &choices, &move, w->to)))
      add_chance(k, thread, moved == WAITS, &move);
  } while (choices_next_in(&w->mem, &choices));
  return true;
}

/* A thread that would call and wait is not stored as one that does. Where operations under way can return by themselves
 * it does not matter: it may wait until then. Where they cannot, they may need what that thread would otherwise have
 * called, and none returns. */

enum { ALONE_MOST = 256 }; /* moves */

/* Does the thread's operation return if the thread goes on alone? */
static bool returns_alone(struct worker *w, unsigned thread) {
  struct system *system = w->system;
  void *states[] = {mem_alloc(&w->mem, system->work), mem_alloc(&w->mem, system->work)};
  const void *at = w->from;
  bool returns = false, moved = true;
  for (unsigned count = 0; count < ALONE_MOST && moved && !returns; count++) {
    struct choices choices;
    struct move move;
    void *next = states[count % 2];
    choices_begin(&choices);
    moved = system->move(system, at, thread, &choices, next, &move) == MOVED;
    returns = moved && has_return(move.events, move.event_count);
    at = next;
  }
  mem_free(&w->mem, states[0]);
  mem_free(&w->mem, states[1]);
  return returns;
}

bool may_stall(struct worker *w) {
  const struct traces *traces = &w->traces;
  bool waits = false, inside[THREADS_MOST] = {false};
  for (unsigned t = 0; t < w->system->threads; t++) {
    struct choices choices;
    struct move move;
    choices_begin(&choices);
    do {
      move.begun = false;
      enum moved moved = w->system->move(w->system, w->from, t, &choices, w->to, &move);
      bool calls = move.event_count && move.events[0].kind == EVENT_CALL;
      if (moved == MOVED) inside[t] |= !calls;
      if (waits || moved != WAITS || !calls || !move.begun || !move.locked) continue;
      waits = traces->may_call(traces->self, w->set, t, move.events[0].call) &&
              is_owed(w, traces->step(traces->self, w->set, move.events[0])) &&
              waits_always(w->system, w->from, t, &choices, &move, w->to);
    } while (choices_next_in(&w->mem, &choices));
  }
  for (unsigned t = 0; t < w->system->threads && waits; t++) waits = !inside[t] || !returns_alone(w, t);
  return waits;
}

/* A thread that has not called has a way for each call that it would make, and wait for a signal; the last is to make
 * none. The ways of all threads together are numbered, the first thread's fastest. */

struct way {
  unsigned count;
  struct event call[CALLS_MOST]; /* stuck_asked.more: there are others */
};

struct ways {
  struct way of[THREADS_MOST];
  bool parked; /* one within an operation waits for a signal */
};

/* False if a thread can move. */
static bool find_ways(struct worker *w, struct ways *ways, struct stuck_asked *asked) {
  for (unsigned t = 0; t < w->system->threads; t++) {
    struct choices choices;
    struct move move;
    uint32_t next;
    choices_begin(&choices);
    do {
      move.begun = false;
      enum moved moved = w->system->move(w->system, w->from, t, &choices, w->to, &move);
      if (moved == FAULTED || (moved == MOVED && follow(w, &move, w->set, &next))) return false;
      if (moved != WAITS || !move.parked) continue;
      bool calls = move.event_count && move.events[0].kind == EVENT_CALL;
      ways->parked |= !calls;
      if (!calls || !move.begun) continue;
      struct way *way = &ways->of[t];
      bool known = false;
      for (unsigned i = 0; i < way->count; i++) known |= way->call[i].call == move.events[0].call;
      if (known) continue;
      if (way->count < CALLS_MOST)
        way->call[way->count++] = move.events[0];
      else
        asked->more = true;
    } while (choices_next_in(&w->mem, &choices));
  }
  return true;
}

/* The threads call as the way with that number says; false if they may not, or nobody waits then. `number` is left at
 * what is beyond the last way: 0 if it is one of them. */
static bool take_way(const struct worker *w, const struct ways *ways, uint64_t *number, struct stuck_asked *asked) {
  const struct traces *traces = &w->traces;
  uint32_t set = w->set;
  bool may = true;
  asked->parked = ways->parked;
  memset(asked->calls, 0, sizeof asked->calls);
  for (unsigned t = 0; t < w->system->threads; t++) {
    const struct way *way = &ways->of[t];
    unsigned i = (unsigned)(*number % (way->count + 1));
    *number /= way->count + 1;
    if (i == way->count || !may) continue;
    may = traces->may_call(traces->self, set, t, way->call[i].call);
    if (!may) continue;
    set = traces->step(traces->self, set, way->call[i]);
    asked->calls[t] = way->call[i].call + 1;
    asked->parked = true;
  }
  asked->owed = is_owed(w, set);
  return may && asked->parked;
}

bool is_asleep(struct worker *w, struct stuck_asked *asked) {
  struct ways ways = {.parked = false};
  asked->parked = false;
  if (!find_ways(w, &ways, asked)) return false;
  for (;;) {
    uint64_t rest = asked->way++;
    bool asleep = take_way(w, &ways, &rest, asked);
    if (rest) return asked->parked = false;
    if (asleep) return true;
  }
}

bool is_stuck(struct worker *w) {
  struct chances k = {.w = w};
  bool may = true;
  for (unsigned t = 0; t < w->system->threads && may; t++) may = look_at(&k, t);
  bool stuck = may && settle(&k, 0, w->set, k.locked);
  vec_free(&w->mem, &k.list);
  return stuck;
}
