/* Memory of C11 (views.c): accesses, fences, locks, and objects that come and go. */
#include "verify/views.h"

static enum ended no_room(struct run *run, const struct inst *in) {
  return step_fault(run, in, FAULT_RANGE, WEAK_FULL);
}

/* Before the tables are used: what has a number in them keeps it until the move ends. */
static void make_room(struct run *run) {
  const struct views *v = views_of(run->machine, run->state);
  if (v->places > PLACES_MOST / 2 || v->messages > MESSAGES_MOST / 2 || v->marks > MARKS_MOST / 2)
    views_drop_unreachable(run->machine, run->state);
}

/* Room for a place and two messages. */
static bool has_room(const struct machine *m, const struct machine_state *s) {
  const struct views *v = views_of(m, s);
  return v->places < PLACES_MOST && v->messages + 2 <= MESSAGES_MOST;
}

/* What is needed of locations is found when it is first needed, and the search then made again: few are accessed both
 * plainly and otherwise. */
enum {
  SEEN_LOAD = 1,
  SEEN_STORE = 2, /* plain */
  SEEN_ATOMIC = 4,
  SEEN_ATOMIC_STORE = 8,
  SEEN_BLOCK = 16, /* within ASIF_ATOMIC */
  SEEN_BLOCK_STORE = 32,
  TRACKS_LOADS = 64,
  TRACKS_ATOMICS = 128,
  TRACKS_USES = 256 /* of the object's first cell */
};

uint16_t *weak_tracks(struct mem *mem, const struct program *p, bool all) {
  size_t cells = 1;
  for (uint32_t i = 0; i < p->layout_count; i++) cells += p->layouts[i].count + 1;
  uint16_t *tracks = mem_zero(mem, cells, sizeof *tracks);
  for (size_t i = 0; all && i < cells; i++) tracks[i] = TRACKS_LOADS | TRACKS_ATOMICS | TRACKS_USES;
  return tracks;
}

static uint16_t *tracks_of(const struct machine *m, const struct object *o, uint32_t cell) {
  uint32_t count = m->program->layouts[o->layout].count;
  return &m->options.tracks[m->tracks_first[o->layout] + (count ? cell % count : 0)];
}

static unsigned note_seen(const struct machine *m, const struct object *o, uint32_t cell, unsigned bits) {
  uint16_t *at = tracks_of(m, o, cell);
  unsigned there = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  if ((there & bits) == bits) return there;
  return __atomic_or_fetch(at, (uint16_t)bits, __ATOMIC_SEQ_CST);
}

/* Something happened before that was not marked. */
static enum ended search_again(struct run *run, const struct inst *in, const struct object *o, uint32_t cell,
                               unsigned bits) {
  note_seen(run->machine, o, cell, bits);
  return step_fault(run, in, FAULT_TRACKS, NULL);
}

static const char *kind_told(enum mark_kind kind) {
  static const char *const told[] = {"the allocation of the object",
                                     "a plain store",
                                     "a plain load",
                                     "an atomic store",
                                     "an atomic load",
                                     "an access"};
  return told[kind];
}

/* A data race with something that this thread does not come after. */
static enum ended race(struct run *run, const struct inst *in, const char *what, unsigned thread,
                       const struct inst *by) {
  struct machine *m = run->machine;
  struct text t;
  text_open(&t, m->mem);
  text_printf(&t, "nothing orders it after %s by %c", what, 'A' + (int)thread);
  if (by) text_add(&t, " at "), place_print(m->program->unit, by->place, &t);
  return step_fault(run, in, FAULT_CONCURRENT, text_string(&t));
}

/* Does the thread come after all marks of this kind? */
static enum ended after_marks(struct run *run, const struct inst *in, enum mark_kind kind, uint32_t object,
                              uint32_t cell) {
  struct views *v = views_of(run->machine, run->state);
  uint64_t has = cur_of(v, run->thread)->marks;
  for (unsigned i = 0; i < v->marks; i++) {
    const struct mark *k = &v->mark[i];
    if (k->kind != kind || k->object != object || k->cell != cell || has >> i & 1) continue;
    return race(run, in, kind_told(kind), k->thread, k->by);
  }
  return GO_ON;
}

static enum ended after_birth(struct run *run, const struct inst *in, uint32_t object) {
  return after_marks(run, in, MARK_BORN, object, 0);
}

static enum ended mark_access(struct run *run, const struct inst *in, enum mark_kind kind, uint32_t object,
                              uint32_t cell) {
  return views_set_mark(run->machine, run->state, kind, object, cell, run->thread, in) ? GO_ON : no_room(run, in);
}

static enum ended mark_use(struct run *run, const struct inst *in, uint32_t object) {
  const struct object *o = &state_objects(run->machine, run->state)[object];
  if (!(note_seen(run->machine, o, 0, 0) & TRACKS_USES)) return GO_ON;
  return mark_access(run, in, MARK_USE, object, 0);
}

/* What is the thread's own until now, and was written by it, is a part of what it releases. */
static bool capture(const struct machine *m, struct machine_state *s, unsigned thread) {
  bool good = true;
  for (uint32_t i = m->globals + 1; i < s->objects; i++) {
    struct object *o = &state_objects(m, s)[i];
    if (!weak_is_own(o, thread) || (o->life == LIFE_LOCAL && !m->stores_places)) continue;
    good &= views_set_mark(m, s, MARK_BORN, i, 0, thread, NULL);
    o->life = o->life == LIFE_FRESH ? LIFE_HEAP : LIFE_KNOWN;
  }
  return good;
}

void views_publish(const struct machine *m, struct machine_state *s, uint32_t object, uint8_t owner) {
  uint8_t life = state_objects(m, s)[object].life;
  if (life == LIFE_FRESH || life == LIFE_LOCAL) views_set_mark(m, s, MARK_BORN, object, 0, owner, NULL);
}

/* Plain accesses: of a location that is accessed without a race all threads that may read it see one value. */

static enum ended plain_cell(struct run *run, const struct inst *in, uint32_t object, uint32_t cell, unsigned i,
                             word *w) {
  struct machine *m = run->machine;
  const struct object *o = &state_objects(m, run->state)[object];
  struct views *v = views_of(m, run->state);
  bool stores = in->code == I_STORE;
  unsigned seen = note_seen(m, o, cell, stores ? SEEN_STORE : SEEN_LOAD), missing = 0;
  if ((stores ? seen & SEEN_LOAD : seen & (SEEN_STORE | SEEN_ATOMIC_STORE | SEEN_BLOCK_STORE))) missing |= TRACKS_LOADS;
  if (seen & (SEEN_ATOMIC | SEEN_BLOCK)) missing |= TRACKS_ATOMICS;
  if (missing & ~seen) return search_again(run, in, o, cell, missing);
  enum ended bad = after_marks(run, in, MARK_STORE, object, cell);
  if (bad == GO_ON) bad = after_marks(run, in, MARK_ATOMIC_STORE, object, cell);
  if (bad == GO_ON && stores) bad = after_marks(run, in, MARK_LOAD, object, cell);
  if (bad == GO_ON && stores) bad = after_marks(run, in, MARK_ATOMIC_LOAD, object, cell);
  if (bad != GO_ON) return bad;
  int place = views_find_place(v, object, cell);
  if (place >= 0 && cur_of(v, run->thread)->rank[place] < last_of(v, (unsigned)place)) {
    const struct message *last = message_of(v, (unsigned)place, last_of(v, (unsigned)place));
    return race(run, in, "an atomic store", last->thread, last->by);
  }
  word *at = &state_cells(m, run->state)[o->first + cell];
  if (!stores) {
    bad = weak_load(run, in, i, *at, w);
    return bad == GO_ON && (seen & TRACKS_LOADS) ? mark_access(run, in, MARK_LOAD, object, cell) : bad;
  }
  if (place >= 0) views_drop_place(m, v, (unsigned)place);
  if (!step_publish(run, o, *w)) return step_fault(run, in, FAULT_FORGOTTEN, NULL);
  *at = weak_store(run, object, cell, *w);
  views_drop_marks(m, v, MARK_LOAD, object, cell);
  views_drop_marks(m, v, MARK_ATOMIC_LOAD, object, cell);
  views_drop_marks(m, v, MARK_ATOMIC_STORE, object, cell);
  views_drop_marks(m, v, MARK_STORE, object, cell); /* which was another thread's, perhaps */
  return mark_access(run, in, MARK_STORE, object, cell);
}

static enum ended plain_access(struct run *run, const struct inst *in, word at) {
  word before[COUNT_MOST];
  enum ended bad = GO_ON;
  for (unsigned i = 0; i < in->count && bad == GO_ON; i++) {
    word *w = in->code == I_STORE ? &run->r[in->b + i] : &before[i];
    bad = plain_cell(run, in, word_object(at), word_cell(at) + i, i, w);
  }
  if (bad != GO_ON) return bad;
  if (in->code == I_LOAD) memcpy(run->r + in->d, before, in->count * sizeof *before);
  if (run->machine->tracer)
    step_trace(run, in, at, false, in->code == I_LOAD ? before : NULL, in->code == I_STORE ? run->r + in->b : NULL,
               NULL, in->count);
  return GO_ON;
}

/* Atomic accesses. */

/* seq_cst fences and accesses are ordered as they run. That is C11's order unless one comes before another in program
 * order and reads-from and does not happen before it: then C11 may have them the other way round. Asked before an
 * access and after its read: what it reads may be a path, and may be what C11 would not have it read. */
static void check_sc(struct run *run) {
  struct machine *m = run->machine;
  const struct view *cur = cur_of(views_of(m, run->state), run->thread);
  for (unsigned t = 0; m->counts_sc && t < m->system.threads; t++)
    if (t != run->thread && cur->after[t] > cur->fences[t] && m->options.reordered)
      __atomic_store_n(m->options.reordered, true, __ATOMIC_RELAXED);
}

static void count_sc(struct run *run) {
  struct views *v = views_of(run->machine, run->state);
  struct view *cur = cur_of(v, run->thread);
  if (!run->machine->counts_sc) return;
  check_sc(run);
  if (cur->fences[run->thread] == UINT8_MAX)
    v->full = true;
  else
    cur->after[run->thread] = ++cur->fences[run->thread];
  join(v, acq_of(v, run->thread), cur);
}

/* A seq_cst fence. What fences share is what was seen; it orders no plain accesses. */
static bool fence_all(struct run *run) {
  struct views *v = views_of(run->machine, run->state);
  struct view *cur = cur_of(v, run->thread), *fences = &v->view[VIEW_FENCES];
  if (!capture(run->machine, run->state, run->thread)) return false;
  join(v, cur, acq_of(v, run->thread));
  join_ranks(v, cur, fences);
  join_ranks(v, cur, &v->view[VIEW_SC_STORES]);
  join_ranks(v, fences, cur);
  count_sc(run);
  *acq_of(v, run->thread) = *cur;
  *rel_of(v, run->thread) = *cur;
  return true;
}

enum ended views_fence(struct run *run, const struct inst *in) {
  struct views *v = views_of(run->machine, run->state);
  unsigned order = weak_order(in);
  if (!run->op || in->op || order == ORDER_RELAXED) return GO_ON;
  make_room(run);
  if (order == ORDER_VARIABLE) return step_fault(run, in, FAULT_RANGE, "a memory order in a variable");
  if (order == ORDER_SEQ_CST) {
    if (!fence_all(run)) return no_room(run, in);
    if (run->machine->tracer) step_trace(run, in, word_pointer(0, 0), false, NULL, NULL, NULL, 0);
    return GO_ON;
  }
  if (order_acquires(order)) join(v, cur_of(v, run->thread), acq_of(v, run->thread));
  if (order_releases(order)) {
    if (!capture(run->machine, run->state, run->thread)) return no_room(run, in);
    *rel_of(v, run->thread) = *cur_of(v, run->thread);
  }
  return GO_ON;
}

/* One atomic access under way. */
struct atomic {
  uint32_t object, cell;
  int place;       /* -1: there is one message, which all threads have seen */
  bool stores, sc; /* sc: seq_cst, and ordered as they run */
  unsigned rank;   /* of the message that is read, and of the one that is made */
};

static word value_at(const struct run *run, const struct atomic *a, unsigned rank) {
  struct views *v = views_of(run->machine, run->state);
  const struct object *o = &state_objects(run->machine, run->state)[a->object];
  if (a->place < 0 || rank == last_of(v, (unsigned)a->place))
    return state_cells(run->machine, run->state)[o->first + a->cell];
  return message_of(v, (unsigned)a->place, rank)->value;
}

/* How many messages were stored after it. */
static unsigned newer_than(const struct run *run, const struct atomic *a, unsigned rank) {
  return a->place < 0 ? 0 : last_of(views_of(run->machine, run->state), (unsigned)a->place) - rank;
}

static void note_told(struct run *run, const struct atomic *a, unsigned newer) {
  struct machine *m = run->machine;
  if (!m->tracer) return;
  const struct views *v = views_of(m, run->state);
  const struct message *k = a->place < 0 ? NULL : message_of((struct views *)v, (unsigned)a->place, a->rank);
  m->told = (struct told_source){.by = k ? k->by : NULL, .thread = k ? k->thread : 0, .newer = newer};
  if (!newer) return;
  k = message_of((struct views *)v, (unsigned)a->place, last_of(v, (unsigned)a->place));
  m->told.newest = k->by;
  m->told.newest_thread = k->thread;
}

/* The thread reads the message. */
static void read_message(struct run *run, const struct atomic *a, unsigned order) {
  struct views *v = views_of(run->machine, run->state);
  if (a->place < 0) return;
  struct view *cur = cur_of(v, run->thread), *acq = acq_of(v, run->thread);
  const struct view *from = &message_of(v, (unsigned)a->place, a->rank)->view;
  if (a->rank > cur->rank[a->place]) cur->rank[a->place] = (uint8_t)a->rank;
  join_counts(cur->after, from->after);
  join(v, acq, from);
  if (order_acquires(order)) join(v, cur, from);
  join(v, acq, cur);
}

/* A new message of this rank. */
static enum ended write_message(struct run *run, const struct inst *in, struct atomic *a, word w, unsigned rank,
                                unsigned order, const struct view *read) {
  struct machine *m = run->machine;
  struct views *v = views_of(m, run->state);
  struct object *o = &state_objects(m, run->state)[a->object];
  enum ended bad = after_marks(run, in, MARK_LOAD, a->object, a->cell);
  if (bad != GO_ON) return bad;
  if (!step_publish(run, o, w)) return step_fault(run, in, FAULT_FORGOTTEN, NULL);
  if (order_releases(order) && !capture(m, run->state, run->thread)) return no_room(run, in);
  struct view before = {0}; /* insert_message moves ranks of views in the tables, and this one is not */
  if (read) before = *read;
  w = weak_store(run, a->object, a->cell, w);
  struct message *k = views_insert_message(m, v, (unsigned)a->place, rank);
  uint8_t *moved = &before.rank[a->place];
  if (*moved >= rank) ++*moved;
  struct view *cur = cur_of(v, run->thread);
  cur->rank[a->place] = (uint8_t)rank;
  acq_of(v, run->thread)->rank[a->place] =
      (uint8_t)(acq_of(v, run->thread)->rank[a->place] > rank ? acq_of(v, run->thread)->rank[a->place] : rank);
  k->value = w;
  k->by = in;
  k->thread = (uint8_t)run->thread;
  k->attached = read != NULL;
  k->view = order_releases(order) ? *cur : *rel_of(v, run->thread);
  if (read) join(v, &k->view, &before);
  join_counts(k->view.after, cur->after);
  k->view.rank[a->place] = (uint8_t)rank;
  if (rank == last_of(v, (unsigned)a->place)) state_cells(m, run->state)[o->first + a->cell] = w;
  return GO_ON;
}

/* A seq_cst access reads no message before the last seq_cst store to the location, or before one that a seq_cst fence
 * comes after, and a store goes behind these. */
static unsigned least_rank(const struct run *run, const struct atomic *a, bool sc) {
  struct views *v = views_of(run->machine, run->state);
  unsigned least = cur_of(v, run->thread)->rank[a->place];
  for (unsigned i = VIEW_FENCES; sc && i <= VIEW_SC_STORES; i++)
    if (v->view[i].rank[a->place] > least) least = v->view[i].rank[a->place];
  return least;
}

/* The message that the thread made is the last seq_cst store. */
static void note_sc_store(struct run *run, const struct atomic *a) {
  struct views *v = views_of(run->machine, run->state);
  uint8_t *last = &v->view[VIEW_SC_STORES].rank[a->place], own = cur_of(v, run->thread)->rank[a->place];
  if (a->sc && own > *last) *last = own;
}

/* The messages a load may read, or a read-modify-write: newest first. */
static unsigned readable(const struct run *run, const struct atomic *a, bool updates, uint8_t *ranks) {
  struct views *v = views_of(run->machine, run->state);
  unsigned n = 0;
  ranks[0] = 0;
  if (a->place < 0) return 1;
  unsigned least = least_rank(run, a, a->sc), last = last_of(v, (unsigned)a->place);
  for (unsigned k = last + 1; k-- > least;)
    if (!updates || k == last || !message_of(v, (unsigned)a->place, k + 1)->attached) ranks[n++] = (uint8_t)k;
  return n;
}

/* Where a store may go: the ranks it may have, last first. */
static unsigned writable(const struct run *run, const struct atomic *a, uint8_t *ranks) {
  struct views *v = views_of(run->machine, run->state);
  unsigned n = 0, least = least_rank(run, a, a->sc) + 1u, count = v->place[a->place].count;
  for (unsigned k = count + 1; k-- > least;)
    if (k == count || !message_of(v, (unsigned)a->place, k)->attached) ranks[n++] = (uint8_t)k;
  return n;
}

static enum ended open_place(struct run *run, const struct inst *in, struct atomic *a) {
  if (a->place >= 0) return has_room(run->machine, run->state) ? GO_ON : no_room(run, in);
  if (!has_room(run->machine, run->state)) return no_room(run, in);
  a->place = (int)views_add_place(run->machine, run->state, a->object, a->cell);
  return GO_ON;
}

static enum ended load_atomically(struct run *run, const struct inst *in, struct atomic *a, word at, unsigned order) {
  uint8_t ranks[MESSAGES_MOST];
  unsigned which;
  enum ended bad = step_choose_one(run, in, readable(run, a, false, ranks), &which);
  if (bad != GO_ON) return bad;
  a->rank = ranks[which];
  word w;
  bad = weak_load(run, in, 0, value_at(run, a, a->rank), &w);
  if (bad != GO_ON) return bad;
  run->r[in->d] = w;
  note_told(run, a, newer_than(run, a, a->rank));
  read_message(run, a, order);
  if (a->sc) count_sc(run);
  if (run->machine->tracer) step_trace(run, in, at, false, &w, NULL, NULL, 1);
  return GO_ON;
}

static enum ended store_atomically(struct run *run, const struct inst *in, struct atomic *a, word at, unsigned order) {
  uint8_t ranks[MESSAGES_MOST];
  unsigned which;
  enum ended bad = open_place(run, in, a);
  if (bad == GO_ON) bad = step_choose_one(run, in, writable(run, a, ranks), &which);
  if (bad == GO_ON && a->sc) count_sc(run);
  if (bad == GO_ON) bad = write_message(run, in, a, run->r[in->b], ranks[which], order, NULL);
  if (bad != GO_ON) return bad;
  note_sc_store(run, a);
  if (run->machine->tracer) {
    run->machine->told = (struct told_source){.newer = newer_than(run, a, ranks[which])};
    step_trace(run, in, at, false, NULL, run->r + in->b, NULL, 1);
  }
  return GO_ON;
}

/* An exchange, or an operation on what was there. */
static enum ended update_atomically(struct run *run, const struct inst *in, struct atomic *a, word at, unsigned order) {
  uint8_t ranks[MESSAGES_MOST];
  unsigned which;
  enum ended bad = open_place(run, in, a);
  if (bad == GO_ON) bad = step_choose_one(run, in, readable(run, a, true, ranks), &which);
  if (bad != GO_ON) return bad;
  a->rank = ranks[which];
  word before, now = run->r[in->b];
  bad = weak_load(run, in, 0, value_at(run, a, a->rank), &before);
  if (bad == GO_ON && in->code == I_FETCH) bad = step_fetch(run, in, before, &now);
  if (bad != GO_ON) return bad;
  note_told(run, a, newer_than(run, a, a->rank));
  read_message(run, a, order);
  if (a->sc) count_sc(run);
  struct view read = message_of(views_of(run->machine, run->state), (unsigned)a->place, a->rank)->view;
  bad = write_message(run, in, a, now, a->rank + 1, order, &read);
  if (bad != GO_ON) return bad;
  note_sc_store(run, a);
  run->r[in->d] = before;
  if (run->machine->tracer) step_trace(run, in, at, false, &before, &now, NULL, 1);
  return GO_ON;
}

/* Each message that may be read, and whether it is exchanged then. */
static enum ended exchanges(struct run *run, const struct inst *in, const struct atomic *a, bool fails_sc,
                            uint8_t *ranks, bool *exchanged, unsigned *count) {
  struct views *v = views_of(run->machine, run->state);
  struct atomic any = *a;
  any.sc = false;
  uint8_t all[MESSAGES_MOST];
  unsigned n = readable(run, &any, false, all), last = last_of(v, (unsigned)a->place);
  unsigned least = least_rank(run, a, a->sc), least_failing = least_rank(run, a, fails_sc);
  bool weakly = (in->flags & FLAG_WEAK) && run->machine->options.weak_fails;
  *count = 0;
  for (unsigned i = 0; i < n; i++) {
    word before;
    bool equal, free = all[i] == last || !message_of(v, (unsigned)a->place, all[i] + 1u)->attached;
    enum ended bad = weak_load(run, in, 0, value_at(run, a, all[i]), &before);
    if (bad == GO_ON) bad = step_equal(run, in, before, run->r[in->c], &equal);
    if (bad != GO_ON) return bad;
    if (equal && free && all[i] >= least) ranks[*count] = all[i], exchanged[(*count)++] = true;
    if ((!equal || weakly) && all[i] >= least_failing) ranks[*count] = all[i], exchanged[(*count)++] = false;
  }
  return GO_ON;
}

static enum ended exchange_if(struct run *run, const struct inst *in, struct atomic *a, word at, unsigned order) {
  uint8_t ranks[2 * MESSAGES_MOST];
  bool exchanged[2 * MESSAGES_MOST];
  unsigned which, count;
  unsigned failing = in->order_failure == ORDER_PLAIN     ? order
                     : in->order_failure == ORDER_CONSUME ? ORDER_ACQUIRE
                                                          : in->order_failure;
  bool fails_sc = failing == ORDER_SEQ_CST && !run->machine->options.sc_as_acq_rel;
  enum ended bad = open_place(run, in, a);
  if (bad == GO_ON) bad = exchanges(run, in, a, fails_sc, ranks, exchanged, &count);
  if (bad == GO_ON) bad = step_choose_one(run, in, count, &which);
  if (bad != GO_ON) return bad;
  a->rank = ranks[which];
  word before, expected = run->r[in->c];
  bad = weak_load(run, in, 0, value_at(run, a, a->rank), &before);
  if (bad != GO_ON) return bad;
  a->stores = exchanged[which];
  if (!a->stores) a->sc = fails_sc;
  note_told(run, a, newer_than(run, a, a->rank));
  read_message(run, a, a->stores ? order : failing);
  if (a->sc) count_sc(run);
  if (a->stores) {
    struct view read = message_of(views_of(run->machine, run->state), (unsigned)a->place, a->rank)->view;
    bad = write_message(run, in, a, run->r[in->b], a->rank + 1, order, &read);
    if (bad != GO_ON) return bad;
    note_sc_store(run, a);
  } else {
    run->r[in->c] = before;
  }
  run->r[in->d] = a->stores;
  if (run->machine->tracer) step_trace(run, in, at, false, &before, a->stores ? run->r + in->b : NULL, &expected, 1);
  return GO_ON;
}

/* Within ASIF_ATOMIC: the newest message is read, its store is synchronised with, and a store takes its place. */
static enum ended block_access(struct run *run, const struct inst *in, word at) {
  struct machine *m = run->machine;
  struct views *v = views_of(m, run->state);
  struct object *o = &state_objects(m, run->state)[word_object(at)];
  bool stores = in->code != I_LOAD;
  enum ended bad = GO_ON;
  for (unsigned i = 0; i < in->count; i++) {
    struct atomic a = {.object = word_object(at), .cell = word_cell(at) + i};
    unsigned seen = note_seen(m, o, a.cell, stores ? SEEN_BLOCK | SEEN_BLOCK_STORE : SEEN_BLOCK);
    if ((seen & SEEN_BLOCK_STORE) && (seen & SEEN_ATOMIC))
      return step_fault(run, in, FAULT_RANGE,
                        "with weak memory, what is written within ASIF_ATOMIC and accessed atomically outside of it");
    unsigned missing = seen & (SEEN_LOAD | SEEN_STORE) ? TRACKS_ATOMICS | (stores ? TRACKS_LOADS : 0) : 0;
    if (missing & ~seen) return search_again(run, in, o, a.cell, missing);
    bad = after_marks(run, in, MARK_STORE, a.object, a.cell);
    if (bad == GO_ON && stores) bad = after_marks(run, in, MARK_LOAD, a.object, a.cell);
    if (bad != GO_ON) return bad;
    a.place = views_find_place(v, a.object, a.cell);
    if (a.place >= 0) a.rank = last_of(v, (unsigned)a.place);
    read_message(run, &a, ORDER_ACQ_REL);
    if (seen & TRACKS_ATOMICS)
      bad = mark_access(run, in, stores ? MARK_ATOMIC_STORE : MARK_ATOMIC_LOAD, a.object, a.cell);
    if (bad != GO_ON) return bad;
    if (!stores) continue;
    if (!capture(m, run->state, run->thread)) return no_room(run, in);
    if (a.place < 0) bad = open_place(run, in, &a);
    if (bad != GO_ON) return bad;
    a.rank = last_of(v, (unsigned)a.place);
    join(v, &message_of(v, (unsigned)a.place, a.rank)->view, cur_of(v, run->thread));
  }
  return step_directly(run, in, at);
}

static enum ended atomic_access(struct run *run, const struct inst *in, word at) {
  struct machine *m = run->machine;
  struct object *o = &state_objects(m, run->state)[word_object(at)];
  struct atomic a = {.object = word_object(at), .cell = word_cell(at), .stores = in->code != I_LOAD};
  unsigned order = weak_order(in);
  if (in->count > 1) return step_fault(run, in, FAULT_RANGE, "with weak memory, an atomic access to several words");
  if (order == ORDER_VARIABLE || in->order_failure == ORDER_VARIABLE)
    return step_fault(run, in, FAULT_RANGE, "a memory order in a variable");
  unsigned seen = note_seen(m, o, a.cell, a.stores ? SEEN_ATOMIC | SEEN_ATOMIC_STORE : SEEN_ATOMIC), missing = 0;
  if (seen & SEEN_BLOCK_STORE)
    return step_fault(run, in, FAULT_RANGE,
                      "with weak memory, what is written within ASIF_ATOMIC and accessed atomically outside of it");
  if (seen & (SEEN_LOAD | SEEN_STORE)) missing |= TRACKS_ATOMICS;
  if (a.stores && (seen & SEEN_LOAD)) missing |= TRACKS_LOADS;
  if (missing & ~seen) return search_again(run, in, o, a.cell, missing);
  enum ended bad = after_marks(run, in, MARK_STORE, a.object, a.cell);
  if (bad != GO_ON) return bad;
  a.sc = order == ORDER_SEQ_CST && !m->options.sc_as_acq_rel;
  if (a.sc || in->order_failure == ORDER_SEQ_CST) check_sc(run);
  a.place = views_find_place(views_of(m, run->state), a.object, a.cell);
  switch (in->code) {
  case I_LOAD: bad = load_atomically(run, in, &a, at, order); break;
  case I_STORE: bad = store_atomically(run, in, &a, at, order); break;
  case I_CAS: bad = exchange_if(run, in, &a, at, order); break;
  default: bad = update_atomically(run, in, &a, at, order); break;
  }
  if (bad != GO_ON) return bad;
  if (seen & TRACKS_ATOMICS)
    bad = mark_access(run, in, a.stores ? MARK_ATOMIC_STORE : MARK_ATOMIC_LOAD, a.object, a.cell);
  return bad;
}

enum ended views_access(struct run *run, const struct inst *in, word at) {
  uint32_t object = word_object(at);
  make_room(run);
  enum ended bad = after_birth(run, in, object);
  if (bad == GO_ON) bad = mark_use(run, in, object);
  if (bad != GO_ON) return bad;
  if (run->atomic) return block_access(run, in, at);
  return weak_is_atomic(run, in) ? atomic_access(run, in, at) : plain_access(run, in, at);
}

/* Mutexes: locking one reads what was last unlocked. */

enum ended views_before_lock(struct run *run, const struct inst *in, word at) {
  const struct object *o = &state_objects(run->machine, run->state)[word_object(at)];
  if (!run->op || weak_is_own(o, run->thread)) return GO_ON;
  make_room(run);
  enum ended bad = after_birth(run, in, word_object(at));
  if (bad == GO_ON) bad = mark_use(run, in, word_object(at));
  if (bad == GO_ON) bad = after_marks(run, in, MARK_STORE, word_object(at), word_cell(at));
  if (bad == GO_ON && (in->code == I_UNLOCK || in->code == I_DESTROY) && !has_room(run->machine, run->state))
    bad = no_room(run, in);
  return bad;
}

void views_lock(struct run *run, const struct inst *in, word at) {
  struct machine *m = run->machine;
  struct views *v = views_of(m, run->state);
  if (!run->op || weak_is_own(&state_objects(m, run->state)[word_object(at)], run->thread)) return;
  struct atomic a = {.object = word_object(at), .cell = word_cell(at)};
  a.place = views_find_place(v, a.object, a.cell);
  if (in->code == I_LOCK || in->code == I_TRYLOCK) {
    read_message(run, &a, ORDER_ACQUIRE);
    return;
  }
  capture(m, run->state, run->thread);
  if (a.place < 0) a.place = (int)views_add_place(m, run->state, a.object, a.cell);
  join(v, &message_of(v, (unsigned)a.place, 0)->view, cur_of(v, run->thread));
}

/* What has returned is before what is called later. */

void views_call(struct run *run) {
  struct views *v = views_of(run->machine, run->state);
  join(v, cur_of(v, run->thread), &v->view[VIEW_RETURNED]);
  join(v, acq_of(v, run->thread), &v->view[VIEW_RETURNED]);
}

void views_return(struct run *run) {
  struct views *v = views_of(run->machine, run->state);
  capture(run->machine, run->state, run->thread);
  join(v, &v->view[VIEW_RETURNED], cur_of(v, run->thread));
}

/* Objects that come and go. */

static void forget_object(const struct machine *m, struct views *v, uint32_t object) {
  for (unsigned i = v->places; i-- > 0;)
    if (v->place[i].object == object) views_drop_place(m, v, i);
  for (unsigned i = v->marks; i-- > 0;)
    if (v->mark[i].object == object) views_drop_mark(m, v, i);
}

enum ended views_allocated(struct run *run, const struct inst *in, uint32_t object, bool again) {
  struct machine *m = run->machine;
  struct views *v = views_of(m, run->state);
  if (!run->op || !again) return GO_ON;
  make_room(run);
  int freed = views_find_place(v, object, CELL_FREED);
  if (freed >= 0) {
    struct view from = message_of(v, (unsigned)freed, 0)->view;
    join(v, cur_of(v, run->thread), &from);
    join(v, acq_of(v, run->thread), &from);
  }
  forget_object(m, v, object);
  return views_set_mark(m, run->state, MARK_BORN, object, 0, run->thread, in) ? GO_ON : no_room(run, in);
}

/* free, and the end of a variable's life, come after all accesses. */
enum ended views_freed(struct run *run, const struct inst *in, uint32_t object) {
  struct machine *m = run->machine;
  struct views *v = views_of(m, run->state);
  const struct object *o = &state_objects(m, run->state)[object];
  bool own = weak_is_own(o, run->thread);
  if (!run->op) return GO_ON;
  make_room(run);
  if (!own && !(note_seen(m, o, 0, 0) & TRACKS_USES)) return search_again(run, in, o, 0, TRACKS_USES);
  enum ended bad = after_birth(run, in, object);
  if (bad == GO_ON) bad = after_marks(run, in, MARK_USE, object, 0);
  if (bad != GO_ON) return bad;
  forget_object(m, v, object);
  if (in->flags & FLAG_LOCAL) return GO_ON;
  if (!has_room(m, run->state) || !capture(m, run->state, run->thread)) return no_room(run, in);
  unsigned place = views_add_place(m, run->state, object, CELL_FREED);
  message_of(v, place, 0)->view = *cur_of(v, run->thread);
  return GO_ON;
}
