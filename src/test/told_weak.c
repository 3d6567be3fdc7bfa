/* What is told of a run under a weak memory model: the memory order of each access, and, where one could not have done
 * so under sequential consistency, what it missed and why it may. Rows are in the order in which the run made them, so
 * a load is *stale* if the value is older than that of a row above, and a store is *early* if it comes before one of
 * a row above in the modification order.
 *
 * Why it may: the missed store is not ordered before the access. Two reasons have a better sentence. A thread that has
 * read something that comes after the store has not synchronised with it (message passing). Or each of two threads
 * stores, then misses what the other has stored (store buffering). */
#include "run/graph.h"
#include "test/tell.h"
#include "test/told.h"

enum { MISSED_MOST = 3 };

static const char *order_word(unsigned order) {
  static const char *const words[] = {
      [__ATOMIC_RELAXED] = "relaxed", [__ATOMIC_CONSUME] = "consume", [__ATOMIC_ACQUIRE] = "acquire",
      [__ATOMIC_RELEASE] = "release", [__ATOMIC_ACQ_REL] = "acq_rel", [__ATOMIC_SEQ_CST] = "seq_cst"};
  return order < sizeof words / sizeof *words ? words[order] : NULL;
}
static bool acquires(unsigned order) {
  return order == __ATOMIC_CONSUME || order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL ||
         order == __ATOMIC_SEQ_CST;
}
static bool releases(unsigned order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* True if the slot is this access's own, or its fence's. */
static bool has_slot(const struct graph *g, const struct access *a) {
  if (!g || a->slot >= g->count || !a->atomic) return false;
  const struct graph_slot *s = &g->slots[a->slot];
  if (a->kind == TOLD_FENCE) return s->kind == SLOT_FENCE && s->fiber == a->fiber;
  bool access = a->kind == POINT_READ || a->kind == POINT_WRITE || a->kind == POINT_UPDATE;
  return access && s->kind <= SLOT_WRITE && s->fiber == a->fiber && s->step == a->step &&
         g->places[s->place].address == a->address;
}

const char *told_order(const struct access *a) {
  const struct graph *g = run_graph();
  return has_slot(g, a) ? order_word(g->slots[a->slot].order) : NULL;
}

/* The access that a slot is of; of an update, either of its slots. */
static const struct told_access *access_of(const struct telling *k, const struct graph *g, uint32_t slot) {
  if (g->slots[slot].kind == SLOT_READ && g->slots[slot].update) slot++;
  for (size_t i = 0; i < k->accesses.count; i++)
    if (k->accesses.at[i].access.slot == slot && has_slot(g, &k->accesses.at[i].access)) return &k->accesses.at[i];
  return NULL;
}

static void say_step(struct saying *s, const struct graph *g, uint32_t slot) {
  char words[40];
  snprintf(words, sizeof words, "step %u", (unsigned)g->slots[slot].step + 1);
  say(s, words);
}

/* "&block 1, stored in step 6 (B at hazard.c:14)" */
static void say_store(struct telling *k, const struct graph *g, uint32_t message, struct saying *s) {
  uint32_t slot = g->messages[message].slot;
  const struct told_access *a = access_of(k, g, slot);
  if (a && a->wrote) {
    put_value(k, a, true, false, &s->plain);
    put_value(k, a, true, true, &s->shown);
    say(s, ", stored in ");
  }
  say_step(s, g, slot);
  say(s, " (");
  say(s, k->schedule->threads.at[g->slots[slot].fiber]);
  if (a && a->place != SIZE_MAX) {
    say_place(&s->plain, &k->plain_places[a->place]);
    say_place(&s->shown, told_place_of(k, a->place, &a->trail));
  }
  say(s, ")");
}

/* The stores above this row that come after the message in the modification order, the first ones first. */
static unsigned missed_by(const struct graph *g, uint32_t message, uint32_t slot, uint32_t missed[MISSED_MOST]) {
  unsigned count = 0;
  for (uint32_t m = g->messages[message].newer; m != GRAPH_NONE; m = g->messages[m].newer) {
    if (g->messages[m].slot == GRAPH_NONE || g->messages[m].slot >= slot) continue;
    if (count < MISSED_MOST) missed[count] = m;
    count++;
  }
  return count;
}

static void say_missed(struct telling *k, const struct graph *g, const uint32_t *missed, unsigned count,
                       struct saying *s) {
  unsigned told = count < MISSED_MOST ? count : MISSED_MOST;
  for (unsigned i = 0; i < told; i++) {
    say(s, !i ? "" : i + 1 == count ? " and " : ", ");
    say_store(k, g, missed[i], s);
  }
  if (told < count) say(s, " and later ones");
}

/* --- why --- */

/* A fence of the fiber's between two of its slots: one that is seq_cst, or another that does. */
static bool fence_between(const struct graph *g, uint32_t from, uint32_t to, bool (*does)(unsigned order)) {
  for (uint32_t i = g->slots[to].before; i != GRAPH_NONE && i > from; i = g->slots[i].before)
    if (g->slots[i].kind == SLOT_FENCE && (does ? does(g->slots[i].order) : g->slots[i].sc)) return true;
  return false;
}
static bool barrier_between(const struct graph *g, uint32_t from, uint32_t to) {
  if (g->slots[from].barrier || g->slots[to].barrier) return true;
  for (uint32_t i = g->slots[to].before; i != GRAPH_NONE && i > from; i = g->slots[i].before)
    if (g->slots[i].barrier) return true;
  return false;
}

/* The access's thread has read what the storing thread wrote after the store, without synchronising. */
static bool say_unsynchronised(const struct graph *g, uint32_t stored, uint32_t slot, struct saying *s) {
  unsigned me = g->slots[slot].fiber, other = g->slots[stored].fiber;
  for (uint32_t i = g->slots[slot].before; i != GRAPH_NONE; i = g->slots[i].before) {
    const struct graph_slot *read = &g->slots[i];
    uint32_t from = read->kind == SLOT_READ ? g->messages[read->message].slot : GRAPH_NONE;
    if (from == GRAPH_NONE || g->slots[from].fiber != other || from <= stored || me == other) continue;
    bool released = releases(g->slots[from].order) || fence_between(g, stored, from, releases);
    bool acquired = acquires(read->order) || fence_between(g, i, slot, acquires);
    if (released && acquired) continue;
    say_step(s, g, i);
    say(s, " reads from ");
    say_step(s, g, from);
    say(s, ", which comes after it, but does not synchronise with it: ");
    if (!released) {
      say_step(s, g, from);
      say(s, " is ");
      say(s, order_word(g->slots[from].order));
      say(s, acquired ? ", not release" : ", not release, and ");
    }
    if (!acquired) {
      say_step(s, g, i);
      say(s, " is ");
      say(s, order_word(read->order));
      say(s, ", not acquire");
    }
    return true;
  }
  return false;
}

/* Store buffering is forbidden as well where all four accesses are seq_cst: said if that is more than half done. */
static void say_stronger(const struct graph *g, const uint32_t slots[4], struct saying *s) {
  uint32_t weaker[4];
  unsigned count = 0;
  for (unsigned i = 0; i < 4; i++)
    if (!g->slots[slots[i]].sc) weaker[count++] = slots[i];
  if (!count || count > 2) return;
  say(s, "; so does seq_cst for ");
  say_step(s, g, weaker[0]);
  if (count == 1) return;
  say(s, " and ");
  say_step(s, g, weaker[1]);
}

/* After the missed store its thread missed what the access's thread had stored before. */
static bool say_buffering(const struct telling *k, const struct graph *g, uint32_t stored, uint32_t slot,
                          struct saying *s) {
  bool tso = g->model == MEMORY_TSO;
  for (uint32_t i = g->slots[stored].next; i != GRAPH_NONE; i = g->slots[i].next) {
    const struct graph_slot *read = &g->slots[i];
    if (read->kind != SLOT_READ || read->place == g->slots[stored].place) continue;
    for (uint32_t own = g->slots[slot].before; own != GRAPH_NONE; own = g->slots[own].before) {
      if (g->slots[own].kind != SLOT_WRITE || g->slots[own].place != read->place) continue;
      if (g->messages[g->slots[own].message].position <= g->messages[read->message].position) continue;
      bool there = tso ? barrier_between(g, stored, i) : fence_between(g, stored, i, NULL);
      bool here = tso ? barrier_between(g, own, slot) : fence_between(g, own, slot, NULL);
      say(s, "store buffering: ");
      say_step(s, g, i);
      say(s, " of ");
      say(s, k->schedule->threads.at[read->fiber]);
      say(s, " reads what was there before ");
      say_step(s, g, own);
      say(s, " of ");
      say(s, k->schedule->threads.at[g->slots[slot].fiber]);
      if (there && here) return true;
      say(s, "; a seq_cst fence between ");
      if (!there) {
        say_step(s, g, stored);
        say(s, " and ");
        say_step(s, g, i);
      }
      if (!there && !here) say(s, " and one between ");
      if (!here) {
        say_step(s, g, own);
        say(s, " and ");
        say_step(s, g, slot);
      }
      say(s, !there && !here ? " forbid it" : " forbids it");
      if (!tso) say_stronger(g, (const uint32_t[]){stored, i, own, slot}, s);
      return true;
    }
  }
  return false;
}

static void say_why(struct telling *k, const struct graph *g, uint32_t stored, uint32_t slot, struct saying *s) {
  const char *const *threads = k->schedule->threads.at;
  say(s, "allowed: ");
  if (g->slots[slot].kind == SLOT_READ && say_buffering(k, g, stored, slot, s)) return;
  if (g->model == MEMORY_TSO) {
    say(s, "the store of ");
    say_step(s, g, stored);
    say(s, " may still be in the store buffer of ");
    say(s, threads[g->slots[stored].fiber]);
    return;
  }
  if (say_unsynchronised(g, stored, slot, s)) return;
  say(s, "nothing that ");
  say(s, threads[g->slots[slot].fiber]);
  say(s, " has read orders ");
  say_step(s, g, stored);
  say(s, " before this ");
  say(s, g->slots[slot].kind == SLOT_READ ? "load" : "store");
}

void tell_weak(struct telling *k, uint32_t step, const struct told_access *a, struct saying *s) {
  const struct graph *g = run_graph();
  uint32_t missed[MISSED_MOST];
  if (!has_slot(g, &a->access) || a->access.kind == TOLD_FENCE) return;
  uint32_t slot = a->access.slot;
  struct told_slot here = {slot, (uint32_t)k->schedule->lines.count - 1};
  vec_push(k->mem, &k->slots, here);
  const struct graph_slot *it = &g->slots[slot];
  const struct graph_message *m = &g->messages[it->message];
  unsigned count = missed_by(g, it->message, slot, missed);
  if (!count) return;
  if (it->kind == SLOT_WRITE) {
    say(s, "early: in the modification order before ");
  } else {
    say(s, "stale: ");
    if (m->slot == GRAPH_NONE) {
      say(s, "the initial value");
    } else {
      say(s, "the value of ");
      say_step(s, g, m->slot);
    }
    say(s, "; missed ");
  }
  say_missed(k, g, missed, count, s);
  told_line(k, step, it->fiber, SCHEDULE_NOTE, SIZE_MAX, NULL, s);
  say_why(k, g, g->messages[missed[0]].slot, slot, s);
  told_line(k, step, it->fiber, SCHEDULE_NOTE, SIZE_MAX, NULL, s);
}

/* --- the graph --- */

static const struct told_slot *line_of(const struct telling *k, const struct graph *g, uint32_t message) {
  uint32_t slot = message == GRAPH_NONE ? GRAPH_NONE : g->messages[message].slot;
  for (size_t i = 0; slot != GRAPH_NONE && i < k->slots.count; i++)
    if (k->slots.at[i].slot == slot) return &k->slots.at[i];
  return NULL;
}

static void add_edge(struct telling *k, const struct told_slot *from, const struct told_slot *to,
                     enum schedule_edge_kind kind) {
  if (!from || !to) return;
  struct schedule_edge e = {from->line, to->line, (uint8_t)kind};
  vec_push(k->mem, &k->schedule->edges, e);
}

void tell_edges(struct telling *k) {
  const struct graph *g = run_graph();
  uint32_t missed[MISSED_MOST];
  for (size_t i = 0; i < k->slots.count; i++) {
    const struct told_slot *to = &k->slots.at[i];
    const struct graph_slot *s = &g->slots[to->slot];
    const struct graph_message *m = &g->messages[s->message];
    if (s->kind == SLOT_WRITE) {
      if (s->update) add_edge(k, line_of(k, g, m->older), to, EDGE_READS);
      add_edge(k, line_of(k, g, m->older), to, EDGE_MODIFIES);
      continue;
    }
    add_edge(k, line_of(k, g, s->message), to, EDGE_READS);
    if (missed_by(g, s->message, to->slot, missed)) add_edge(k, to, line_of(k, g, missed[0]), EDGE_MISSES);
  }
}
