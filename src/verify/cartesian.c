/* Cartesian partial order reduction: Algorithms 4.4, 4.5 and A.1 of Liu et al. 2013 (after Gueta et al. 2007).
 *
 * From a state each thread runs alone for as long as what it does is invisible and independent of what the others do
 * from there: its path. Two threads' paths may depend on each other in their last moves only. The successors are the
 * ends of the paths. A path that comes back to a state of its own is infinite and leads nowhere. */
#include <string.h>

#include "verify/explore.h"

/* What a move touches. */
struct touch {
  struct access accesses[ACCESSES_MOST];
  unsigned count;
  bool all;
};

struct path {
  struct touch touches[PATH_MOST]; /* a move each; the last is of lastAction */
  unsigned count;
  bool extendable, infinite, ends_here; /* ends_here: its successors were already handed out */
  void *state;                          /* lastState */
  uint32_t set;
  unsigned char *packed[PATH_MOST + 1]; /* the states on it */
  size_t sizes[PATH_MOST + 1];
};

struct cartesian {
  struct path *paths; /* a thread each: CV */
  void *next;
  unsigned char *packed;
  struct mem *mem;
};

struct cartesian *cartesian_new(struct mem *mem, const struct system *system) {
  struct cartesian *c = mem_zero(mem, 1, sizeof *c);
  c->mem = mem;
  c->paths = mem_zero(mem, system->threads, sizeof *c->paths);
  for (unsigned t = 0; t < system->threads; t++) {
    c->paths[t].state = mem_zero(mem, 1, system->work);
    for (unsigned i = 0; i <= PATH_MOST; i++) c->paths[t].packed[i] = NULL;
  }
  c->next = mem_zero(mem, 1, system->work);
  c->packed = mem_alloc(mem, system->packed_most);
  return c;
}

static void touch_join(struct touch *t, const struct move *move) {
  t->all |= move->touches_all || t->count + move->access_count > ACCESSES_MOST;
  for (unsigned i = 0; i < move->access_count && t->count < ACCESSES_MOST; i++)
    t->accesses[t->count++] = move->accesses[i];
}

/* Definition 7: both touch the same, and one of them writes. */
static bool dependent(const struct touch *a, const struct touch *b) {
  if ((a->all && (b->count || b->all)) || (b->all && (a->count || a->all))) return true;
  for (unsigned i = 0; i < a->count; i++)
    for (unsigned j = 0; j < b->count; j++)
      if (a->accesses[i].object == b->accesses[j].object && a->accesses[i].cell == b->accesses[j].cell &&
          (a->accesses[i].write || b->accesses[j].write))
        return true;
  return false;
}

/* Keeps the state the path has come to; true if it was there before. */
static bool on_path(struct worker *w, struct path *p) {
  struct cartesian *c = w->cartesian;
  size_t size = w->system->pack(w->system, p->state, NULL, c->packed, NULL);
  for (unsigned i = 0; i < p->count; i++)
    if (p->sizes[i] == size && !memcmp(p->packed[i], c->packed, size)) return true;
  p->packed[p->count] = mem_resize(c->mem, p->packed[p->count], size);
  memcpy(p->packed[p->count], c->packed, size);
  p->sizes[p->count] = size;
  return false;
}

/* The first move of a thread. A thread with several (which call; a choice) has them all as ends of paths of length one;
 * one that waits has none, but what it waits for counts as its last move. */
static void first_moves(struct worker *w, unsigned t, unsigned *made, unsigned *locked, unsigned *waits,
                        unsigned *parked) {
  struct path *p = &w->cartesian->paths[t];
  struct choices choices;
  struct move move;
  unsigned visible = 0, alternatives = 0;
  choices_begin(&choices);
  p->count = 1;
  p->touches[0] = (struct touch){.count = 0};
  p->infinite = false;
  p->ends_here = true;
  memcpy(p->state, w->from, w->system->work);
  p->count = 0;
  on_path(w, p);
  p->count = 1;
  do {
    enum moved moved = w->system->move(w->system, w->from, t, &choices, w->cartesian->next, &move);
    uint32_t next;
    if (moved == STOPPED) break;
    touch_join(&p->touches[0], &move);
    if (moved == WAITS) {
      ++*waits;
      *locked += move.locked;
      *parked += move.parked;
      continue;
    }
    if (moved == FAULTED && move.fault == FAULT_LIMIT) mem_poll(&w->mem);
    if (!follow(w, &move, w->set, &next)) continue;
    if (moved == FAULTED) {
      wrong(w, violation_of(move.fault));
      return;
    }
    ++*made;
    w->transitions++;
    w->returned |= has_return(move.events, move.event_count);
    if (!next) {
      wrong(w, VIOLATION_TRACE);
      return;
    }
    alternatives++;
    visible += move.event_count;
    p->set = next;
    if (choices.made || visible) {
      reached(w, w->cartesian->next, next);
    } else { /* the only one, and invisible: the path may go on */
      memcpy(p->state, w->cartesian->next, w->system->work);
      p->ends_here = false;
    }
  } while (choices_next_in(&w->mem, &choices));
  p->extendable = alternatives == 1 && !p->ends_here;
  if (p->extendable && on_path(w, p)) { /* it led nowhere */
    p->infinite = true;
    p->extendable = false;
  }
}

/* Lines 12 to 29: one more move for the path of thread i. */
static void extend(struct worker *w, unsigned i) {
  struct path *paths = w->cartesian->paths, *p = &paths[i];
  unsigned threads = w->system->threads;
  struct choices choices;
  struct move move;
  struct touch touch = {.count = 0};
  uint32_t next;
  p->extendable = false;
  if (p->count == PATH_MOST) return;
  choices_begin(&choices);
  enum moved moved = w->system->move(w->system, p->state, i, &choices, w->cartesian->next, &move);
  if (moved != MOVED || choices.made) return; /* it waits, is done, fails or has a choice: that is for another time */
  touch_join(&touch, &move);
  for (unsigned j = 0; j < threads; j++)
    for (unsigned k = 0; j != i && k + 1 < paths[j].count; k++)
      if (dependent(&touch, &paths[j].touches[k])) return;
  if (!follow(w, &move, p->set, &next)) return;
  w->transitions++;
  w->returned |= has_return(move.events, move.event_count);
  bool again = true;
  for (unsigned j = 0; j < threads; j++)
    if (j != i && paths[j].count && dependent(&touch, &paths[j].touches[paths[j].count - 1]))
      again = paths[j].extendable = false;
  p->touches[p->count++] = touch;
  memcpy(p->state, w->cartesian->next, w->system->work);
  p->set = next;
  if (!next) {
    wrong(w, VIOLATION_TRACE);
    return;
  }
  if (move.event_count) again = false;
  if (on_path(w, p)) {
    p->infinite = again;
    again = false;
  }
  p->extendable = again;
}

void cartesian_expand(struct worker *w) {
  struct explore *x = w->all;
  struct path *paths = w->cartesian->paths;
  unsigned threads = w->system->threads, made = 0, locked = 0, waits = 0, parked = 0;
  for (unsigned t = 0; t < threads; t++) {
    first_moves(w, t, &made, &locked, &waits, &parked);
    if (atomic_load(&x->stop)) return;
  }
  if (!made && !waits) w->terminal++;
  w->ended = !made && !locked && !parked;
  if (!made && locked && x->options.deadlocks && is_owed(w, w->set)) wrong(w, VIOLATION_DEADLOCK);
  for (unsigned i = 0; i < threads; i++)
    for (unsigned j = i + 1; j < threads; j++)
      if (dependent(&paths[i].touches[0], &paths[j].touches[0])) paths[i].extendable = paths[j].extendable = false;
  for (bool any = true; any;) {
    any = false;
    for (unsigned i = 0; i < threads; i++) {
      if (!paths[i].extendable) continue;
      extend(w, i);
      any = true;
      if (atomic_load(&x->stop)) return;
    }
  }
  for (unsigned t = 0; t < threads; t++)
    if (!paths[t].ends_here && !paths[t].infinite) reached(w, paths[t].state, paths[t].set);
}
