/* The search (search.h): Algorithms 4.1, 4.2 and 4.3 of Liu et al. 2013, breadth or depth first, on several cores.
 *
 *   state -> its threads' moves -> spec set after their events -> threads in order (symmetry) -> packed -> new?
 *
 * A state that was expanded lately, with another set, has the same moves to the same states: of these only the sets are
 * found (recent.h).
 *
 * With several workers each owns a part of the states, by their hash: it alone stores and expands them. What a worker
 * finds that is another's goes into a box for it; boxes are emptied in turns, between barriers, so nothing is locked.
 * Breadth first the turns keep to the levels, and the first violation met is at the least depth. */
#include <string.h>

#include "base/hash.h"
#include "verify/checkpoint.h"

enum { TURN = 4096 /* states a worker expands between barriers */, POLL = 256 };

const char *reduce_name(enum reduce r) {
  static const char *const names[] = {
      [REDUCE_BEST] = "best", [REDUCE_NONE] = "none", [REDUCE_SYM1] = "sym1", [REDUCE_SYM] = "sym",
      [REDUCE_POR] = "por",   [REDUCE_BOTH] = "both", [REDUCE_TAU] = "tau"};
  return names[r];
}

static bool symmetric(enum reduce r) {
  return r == REDUCE_BEST || r == REDUCE_SYM1 || r == REDUCE_SYM || r == REDUCE_BOTH;
}

/* Where the specification tells threads apart, so does the search. */
static enum reduce without_symmetry(enum reduce r) {
  return r == REDUCE_BOTH ? REDUCE_POR : symmetric(r) ? REDUCE_NONE : r;
}

static const uint8_t *find_ranks(void *self, uint32_t set) {
  struct worker *w = self;
  w->ranked = true;
  return w->traces.ranks(w->traces.self, set);
}

/* The pair as its representative: Rep1 (Algorithm 4.2) orders threads by what they do, Rep2 (4.3) those that do the
 * same by their parts in the spec set, which is what trying every permutation that fits would find. */
uint32_t make_pair(struct worker *w, const void *work, uint32_t *set, uint8_t *from) {
  struct system *system = w->system;
  w->ranked = false;
  if (!symmetric(w->all->options.reduce)) {
    for (unsigned t = 0; t < system->threads; t++) from[t] = (uint8_t)t;
    return (uint32_t)system->pack(system, work, NULL, w->packed, NULL);
  }
  struct ranks ranks = {find_ranks, w, *set};
  if (w->traces.expect && system->threads == 2) w->traces.expect(w->traces.self, *set);
  size_t size = system->pack(system, work, w->all->options.reduce == REDUCE_SYM1 ? NULL : &ranks, w->packed, from);
  bool moved = false;
  for (unsigned t = 0; t < system->threads; t++) moved |= from[t] != t;
  if (moved) *set = w->traces.permute(w->traces.self, *set, from);
  return (uint32_t)size;
}

enum violation violation_of(enum fault f) {
  return f == FAULT_POINTS      ? VIOLATION_POINTS
         : f == FAULT_FORGOTTEN ? VIOLATION_FORGOTTEN
         : f == FAULT_UNORDERED ? VIOLATION_UNORDERED
         : f == FAULT_ROOM      ? VIOLATION_ROOM
         : f == FAULT_TRACKS    ? VIOLATION_TRACKS
         : f == FAULT_NUMBERS   ? VIOLATION_NUMBERS
                                : VIOLATION_FAULT;
}

void wrong(struct worker *w, enum violation v) {
  struct explore *x = w->all;
  pthread_mutex_lock(&x->lock);
  if (x->violation == VIOLATION_NONE) {
    x->violation = v;
    x->wrong_ref = w->ref;
  }
  pthread_mutex_unlock(&x->lock);
  atomic_store(&x->stop, true);
}

/* Of two pairs with the same state the one with the smaller set has every violation the other has: a trace that is none
 * after the larger is none after the smaller. So a pair is not needed if there is one whose set is within its own
 * (antichains of pairs). */
static bool covers(void *self, uint32_t there, uint32_t set) {
  const struct worker *w = self;
  return w->traces.within(w->traces.self, there, set);
}

/* The same will be asked soon. */
static void expect_set(const struct worker *w, uint32_t there, uint32_t set) {
  if (there != set && w->all->antichain && w->traces.expect_within) w->traces.expect_within(w->traces.self, there, set);
}

void keep(struct worker *w, const unsigned char *packed, uint32_t size, uint32_t set, uint64_t hash, uint32_t parent) {
  uint32_t ref;
  bool is_new = store_add(&w->store, hash, packed, size, set, parent, w->all->antichain ? covers : NULL, w, &ref);
  if (w->returns.asked) returns_met(w, parent, ref, is_new);
  if (is_new && w->all->options.depth_first) vec_push(&w->mem, &w->stack, ref);
}

uint32_t find_stored(struct worker *owner, const unsigned char *packed, uint32_t size, uint32_t set, uint64_t hash) {
  return store_find(&owner->store, hash, packed, size, set, owner->all->antichain ? covers : NULL, owner);
}

static void admit(struct worker *w) {
  const struct waiting *e = &w->waiting[w->admitted % WAITING];
  keep(w, e->packed, e->size, e->set, e->hash, e->parent);
  w->admitted++;
}

static void admit_all(struct worker *w) {
  while (w->admitted < w->waited) admit(w);
}

/* A third of the way through the ring the table's entry has arrived, and tells which record will be compared; after two
 * thirds that has, and tells where its state is. */
static void await(struct worker *w, const unsigned char *packed, uint32_t size, uint32_t set, uint64_t hash) {
  if (size > WAITING_SIZE) {
    keep(w, packed, size, set, hash, w->ref);
    return;
  }
  if (w->waited - w->admitted == WAITING) admit(w);
  struct waiting *e = &w->waiting[w->waited++ % WAITING];
  e->hash = hash;
  e->parent = w->ref;
  e->set = set;
  e->size = size;
  e->likely = REF_NONE;
  memcpy(e->packed, packed, size);
  store_expect(&w->store, hash);
  uint64_t waits = w->waited - w->admitted;
  if (waits > WAITING / 3) {
    e = &w->waiting[(w->waited - WAITING / 3) % WAITING];
    e->likely = store_expect_record(&w->store, e->hash);
  }
  if (waits > WAITING * 2 / 3) {
    e = &w->waiting[(w->waited - WAITING * 2 / 3) % WAITING];
    if (e->likely != REF_NONE) expect_set(w, store_expect_body(&w->store, e->likely), e->set);
  }
}

static void post(struct worker *w, unsigned to, const unsigned char *packed, uint32_t size, uint32_t set,
                 uint64_t hash) {
  struct bytes *box = &w->outbox[to];
  size_t need = POSTED + size;
  vec_reserve(&w->mem, &box->at, box->at.count + need);
  unsigned char *p = box->at.at + box->at.count;
  memcpy(p, &hash, 8);
  memcpy(p + 8, &w->ref, 4);
  memcpy(p + 12, &set, 4);
  memcpy(p + 16, &size, 4);
  memcpy(p + POSTED, packed, size);
  box->at.count += need;
}

/* A pair found: to its owner with it. */
static void hand_over(struct worker *w, const unsigned char *packed, uint32_t size, uint32_t set, uint64_t hash) {
  unsigned owner = owner_of(w->all, hash);
  if (w->returns.asking)
    returns_ask(w, packed, size, set, hash);
  else if (owner == w->index)
    await(w, packed, size, set, hash);
  else
    post(w, owner, packed, size, set, hash);
}

/* The state just packed is the first in which memory is lost. */
static void lose(struct worker *w) {
  if (w->lost != REF_NONE || w->returns.asking) return;
  w->lost = w->ref;
  if (w->all->options.first_lost) wrong(w, VIOLATION_LEAK);
}

void reached(struct worker *w, const void *work, uint32_t set) {
  uint8_t from[THREADS_MOST];
  uint32_t size = make_pair(w, work, &set, from);
  if (w->system->lost) lose(w);
  hand_over(w, w->packed, size, set, hash_bytes(w->packed, size));
}

/* The same by a move that may be kept. */
static void reached_by(struct worker *w, const struct move *move, unsigned turn, uint32_t set) {
  uint8_t from[THREADS_MOST];
  uint32_t size = make_pair(w, w->to, &set, from);
  uint64_t hash = hash_bytes(w->packed, size);
  if (w->system->lost) lose(w);
  if (w->ranked)
    recent_add_again(w->recent, move, turn);
  else
    recent_add(w->recent, move, turn, w->packed, size, hash, from);
  hand_over(w, w->packed, size, set, hash);
}

static uint32_t after_event(const struct traces *traces, uint32_t set, struct event e) {
  if (e.kind == EVENT_CALL && traces->call) return traces->call(traces->self, set, e);
  if (e.kind == EVENT_CALL && !traces->may_call(traces->self, set, e.thread, e.call)) return CALL_REFUSED;
  return traces->step(traces->self, set, e);
}

static bool follow_events(struct worker *w, const struct event *events, unsigned count, uint32_t set, uint32_t *next) {
  const struct traces *traces = &w->traces;
  for (unsigned i = 0; i < count && set; i++) {
    set = after_event(traces, set, events[i]);
    if (set == CALL_REFUSED) {
      w->refused = true;
      return false;
    }
    if (events[i].kind == EVENT_CALL) w->called[events[i].call / 8] |= (uint8_t)(1 << events[i].call % 8);
  }
  *next = set;
  return true;
}

bool follow(struct worker *w, const struct move *move, uint32_t set, uint32_t *next) {
  return follow_events(w, move->events, move->event_count, set, next);
}

/* Every move of the thread; what became of it. */
struct moves {
  unsigned made, waits, locked, parked;
  bool inside; /* one was within an operation */
};

/* A move that is made: the set after it. False if it is not, since the client would not call. */
static inline bool count_move(struct worker *w, const struct event *events, unsigned count, struct moves *seen,
                              uint32_t *next) {
  if (!follow_events(w, events, count, w->set, next)) return false;
  seen->made++;
  seen->inside |= !count || events[0].kind != EVENT_CALL;
  w->returned |= has_return(events, count);
  w->transitions++;
  return true;
}

static void expand_thread(struct worker *w, unsigned thread, struct moves *seen) {
  struct choices choices;
  struct move move;
  uint32_t next;
  choices_begin(&choices);
  for (unsigned turn = 0; !turn || choices_next_in(&w->mem, &choices); turn++) {
    enum moved moved = w->system->move(w->system, w->from, thread, &choices, w->to, &move);
    if (moved == FAULTED) {
      if (move.fault == FAULT_LIMIT) mem_poll(&w->mem);
      if (w->recent) recent_give_up(w->recent);
      if (!follow(w, &move, w->set, &next)) continue; /* a call the client would not make */
      wrong(w, violation_of(move.fault));
      return;
    }
    if (moved == WAITS) {
      seen->waits++;
      seen->locked += move.locked;
      seen->parked += move.parked;
      if (w->recent) recent_add_wait(w->recent, move.locked, move.parked);
    }
    if (moved != MOVED) continue;
    if (!count_move(w, move.events, move.event_count, seen, &next)) {
      if (w->recent) recent_add_again(w->recent, &move, turn); /* with another set it may be made */
      continue;
    }
    if (!next) {
      wrong(w, VIOLATION_TRACE);
      return;
    }
    if (w->recent)
      reached_by(w, &move, turn, next);
    else
      reached(w, w->to, next);
  }
}

/* The threads before this one that have exactly the same to do, a bit each. */
static uint16_t same_before(const struct worker *w, unsigned thread) {
  const struct system *system = w->system;
  unsigned same = 0;
  if (w->all->options.reduce != REDUCE_BEST || !system->same) return 0;
  for (unsigned t = 0; t < thread; t++)
    if (system->group[t] == system->group[thread] && system->same(w->system, w->from, t, thread)) same |= 1u << t;
  return (uint16_t)same;
}

/* Has one of them the same part in the set, too? Then its moves give the same states, renamed. */
static bool repeats(struct worker *w, unsigned thread, uint16_t same) {
  for (unsigned t = 0; same >> t; t++)
    if ((same >> t & 1) && w->traces.alike(w->traces.self, w->set, t, thread)) return true;
  return false;
}

static bool stopped(const struct worker *w) { return atomic_load_explicit(&w->all->stop, memory_order_relaxed); }

static void expand_threads(struct worker *w, struct moves *seen) {
  for (unsigned t = 0; t < w->system->threads && !stopped(w); t++) {
    uint16_t same = same_before(w, t);
    bool repeated = repeats(w, t, same);
    if (w->recent) recent_add_thread(w->recent, same, !repeated);
    if (!repeated) expand_thread(w, t, seen);
  }
}

/* The reduction of the 2009 paper (Figures 3 and 4): a thread whose only move is invisible and touches nothing that
 * others can see, or is a return, may go first, alone, if that leads to a state not met before. */
static bool expand_first(struct worker *w) {
  for (unsigned t = 0; t < w->system->threads; t++) {
    struct choices choices;
    struct move move;
    uint32_t next;
    uint8_t from[THREADS_MOST];
    choices_begin(&choices);
    enum moved moved = w->system->move(w->system, w->from, t, &choices, w->to, &move);
    if (moved != MOVED || choices.made || move.access_count || move.touches_all) continue;
    if (move.event_count > 1 || (move.event_count && move.events[0].kind != EVENT_RETURN)) continue;
    if (!follow(w, &move, w->set, &next)) continue;
    w->transitions++;
    w->returned |= has_return(move.events, move.event_count);
    if (!next) {
      wrong(w, VIOLATION_TRACE);
      return true;
    }
    uint32_t size = make_pair(w, w->to, &next, from);
    uint64_t hash = hash_bytes(w->packed, size);
    if (store_has(&w->store, hash, w->packed, size, next)) continue;
    keep(w, w->packed, size, next, hash, w->ref);
    return true;
  }
  return false;
}

/* The state being expanded in `from`, at the latest now. */
static void unpack_taken(struct worker *w) {
  if (w->unpacked) return;
  struct record_view v = store_at(&w->store, w->taken);
  w->system->unpack(w->system, v.at, v.size, w->from);
  w->unpacked = true;
}

/* Makes the move that the thread's choices led to in this turn. */
static void make_again(struct worker *w, unsigned thread, unsigned turn, uint32_t next) {
  struct choices choices;
  struct move move;
  unpack_taken(w);
  choices_begin(&choices);
  for (unsigned i = 0; i < turn; i++) {
    w->system->move(w->system, w->from, thread, &choices, w->to, &move);
    choices_next_in(&w->mem, &choices);
  }
  w->system->move(w->system, w->from, thread, &choices, w->to, &move);
  reached(w, w->to, next);
}

/* A move that is kept. */
static void repeat_move(struct worker *w, unsigned thread, const struct recent_view *v, struct moves *seen) {
  uint32_t next;
  if (!count_move(w, v->events, v->move->event_count, seen, &next)) return;
  if (!next) {
    wrong(w, VIOLATION_TRACE);
    return;
  }
  if (!v->move->size) {
    make_again(w, thread, v->move->turn, next);
    return;
  }
  if (!v->move->ordered) next = w->traces.permute(w->traces.self, next, v->from);
  hand_over(w, v->packed, v->move->size, next, v->move->hash);
}

/* The state was expanded lately. */
static void expand_recent(struct worker *w, struct moves *seen) {
  for (unsigned t = 0; t < w->system->threads && !stopped(w); t++) {
    const struct recent_thread *thread = recent_thread(w->recent);
    bool repeated = repeats(w, t, thread->same);
    for (unsigned i = 0; i < thread->move_count; i++) {
      struct recent_view v = recent_next(w->recent);
      if (!repeated && !stopped(w)) repeat_move(w, t, &v, seen);
    }
    if (repeated) continue;
    seen->waits += thread->waits;
    seen->locked += thread->locked;
    seen->parked += thread->parked;
    if (thread->known) continue;
    unpack_taken(w);
    expand_thread(w, t, seen);
  }
}

static void make_moves(struct worker *w, uint32_t ref) {
  struct explore *x = w->all;
  struct moves seen = {0};
  uint32_t state = store_first(&w->store, ref, &w->set);
  w->ref = global_ref(x, w->index, ref);
  w->unpacked = false;
  if (w->recent && recent_find(w->recent, state)) {
    expand_recent(w, &seen);
  } else {
    unpack_taken(w);
    if (w->cartesian) {
      cartesian_expand(w);
      return;
    }
    if (x->options.reduce == REDUCE_TAU && expand_first(w)) return;
    if (w->recent) recent_begin(w->recent, state);
    expand_threads(w, &seen);
    if (w->recent && !stopped(w)) recent_end(w->recent);
  }
  if (!seen.made && !seen.waits) w->terminal++;
  w->ended = !seen.made && !seen.locked && !seen.parked;
  if (w->returns.asked && !w->stalls && seen.locked && seen.inside) {
    unpack_taken(w);
    w->stalls = may_stall(w);
  }
  if (!seen.locked || seen.inside || !x->options.deadlocks || atomic_load(&x->stop)) return;
  unpack_taken(w);
  if (is_stuck(w)) wrong(w, VIOLATION_DEADLOCK);
}

static uint64_t states_stored(const struct explore *x) {
  uint64_t states = 0;
  for (unsigned i = 0; i < x->jobs; i++) states += x->workers[i].store.count;
  return states;
}

static void expand(struct worker *w, uint32_t ref) {
  w->returned = w->ended = false;
  make_moves(w, ref);
  if (w->returns.asked && (w->returned || w->ended)) returns_mark(w, ref);
}

void expand_again(struct worker *w, struct record_view v, uint32_t ref) {
  struct recent *recent = w->recent;
  struct moves seen = {0};
  uint64_t transitions = w->transitions, terminal = w->terminal;
  w->ref = ref;
  w->set = v.set;
  w->recent = NULL;
  w->system->unpack(w->system, v.at, v.size, w->from);
  w->unpacked = true;
  if (w->cartesian)
    cartesian_expand(w);
  else
    expand_threads(w, &seen);
  w->recent = recent;
  w->transitions = transitions;
  w->terminal = terminal;
}

/* Looked at before each state is expanded: alone, a worker stops at the same one every time. */
static void count_states(struct worker *w) {
  struct explore *x = w->all;
  if (states_stored(x) < x->limits->states) return;
  limits_reach(x->limits, LIMIT_STATES);
  mem_poll(&w->mem);
}

/* Progress, limits. */
static void look_up(struct worker *w) {
  struct explore *x = w->all;
  mem_poll(&w->mem);
  if (w->index || !x->options.progress) return;
  double now = clock_seconds();
  if (now - x->told < 0.25) return;
  x->told = now;
  uint64_t transitions = 0, bytes = 0;
  for (unsigned i = 0; i < x->jobs; i++) {
    transitions += x->workers[i].transitions;
    bytes += x->workers[i].store.bytes;
  }
  x->options.progress(x->options.progress_self, states_stored(x), transitions, x->depth, bytes);
}

/* The next state to expand, or REF_NONE if there is none for now. */
static uint32_t take(struct worker *w) {
  if (w->all->options.depth_first) return w->stack.count ? w->stack.at[--w->stack.count] : REF_NONE;
  if (w->next >= w->level_end) return REF_NONE; /* past it, if the next level begins with a new chunk of the store */
  uint32_t ref = store_settle(&w->store, w->next);
  w->next = store_after(&w->store, ref);
  if (w->next >= w->level_end) return ref;
  uint32_t set, first = store_first(&w->store, w->next, &set);
  if (first != w->next) store_expect_at(&w->store, first);
  if (w->recent) recent_expect(w->recent, first);
  if (w->traces.expect) w->traces.expect(w->traces.self, set);
  return ref;
}

static void begin_level(struct worker *w) { w->level_end = w->store.end; }

/* At a level's end: what was found meanwhile is the next one. */
static bool next_level(struct worker *w) {
  if (w->all->options.depth_first) return w->stack.count != 0;
  begin_level(w);
  return w->next < w->level_end;
}

static void take_turn(struct worker *w, unsigned most) {
  struct explore *x = w->all;
  uint32_t ref;
  if (x->options.most && w->store.count >= x->options.most) {
    x->unfinished = true;
    atomic_store(&x->stop, true);
  }
  for (unsigned i = 0; i < most && !atomic_load_explicit(&x->stop, memory_order_relaxed); i++) {
    if ((ref = take(w)) == REF_NONE) break;
    w->taken = ref;
    w->transitions_before = w->transitions;
    w->terminal_before = w->terminal;
    if (i % POLL == 0) look_up(w);
    if (x->limits->states) count_states(w);
    expand(w, ref);
    if (x->options.depth_first) admit_all(w);
    if (!atomic_load_explicit(&x->stop, memory_order_relaxed)) w->taken = REF_NONE;
  }
  admit_all(w);
}

static void empty_boxes(struct worker *w) {
  struct explore *x = w->all;
  for (unsigned i = 0; i < x->jobs; i++) {
    if (i == w->index) continue;
    struct bytes *box = &x->workers[i].outbox[w->index];
    for (size_t at = 0; at < box->at.count;) {
      uint64_t hash;
      uint32_t parent, set, size;
      memcpy(&hash, box->at.at + at, 8);
      memcpy(&parent, box->at.at + at + 8, 4);
      memcpy(&set, box->at.at + at + 12, 4);
      memcpy(&size, box->at.at + at + 16, 4);
      keep(w, box->at.at + at + POSTED, size, set, hash, parent);
      at += POSTED + size;
    }
  }
}

static void search_alone(struct worker *w) {
  struct explore *x = w->all;
  while (!atomic_load(&x->stop)) {
    take_turn(w, TURN);
    if (x->options.depth_first ? w->stack.count : w->next < w->level_end) continue;
    if (!next_level(w)) return;
    x->depth++;
  }
}

static bool anything_left(const struct explore *x, bool level) {
  for (unsigned i = 0; i < x->jobs; i++) {
    const struct worker *w = &x->workers[i];
    bool left = w->next < w->level_end || (!level && w->level_end < w->store.end);
    if (x->options.depth_first ? w->stack.count != 0 : left) return true;
  }
  return false;
}

/* One of several. A turn: expand; all wait; empty the boxes; all wait. */
static void *search_together(void *arg) {
  struct worker *w = arg;
  struct explore *x = w->all;
  if (MEM_GUARD(&w->mem)) {
    atomic_store(&x->stop, true);
    for (; w->phase < 3; w->phase++) pthread_barrier_wait(&x->barrier);
    return NULL;
  }
  for (;;) {
    w->phase = 0;
    take_turn(w, TURN);
    w->phase = 1;
    pthread_barrier_wait(&x->barrier);
    empty_boxes(w);
    w->phase = 2;
    pthread_barrier_wait(&x->barrier);
    bool stop = atomic_load(&x->stop); /* then what is in the boxes may not have been taken out */
    for (unsigned i = 0; i < x->jobs && !stop; i++) w->outbox[i].at.count = 0;
    bool level = anything_left(x, true), left = anything_left(x, false);
    w->phase = 3;
    pthread_barrier_wait(&x->barrier);
    if (stop || !left) return NULL;
    if (!level && !x->options.depth_first) {
      begin_level(w);
      if (!w->index) x->depth++;
    }
  }
}

static void open_worker(struct explore *x, unsigned i, struct system *system, const struct traces *traces) {
  struct worker *w = &x->workers[i];
  w->all = x;
  w->index = i;
  w->taken = w->lost = REF_NONE;
  w->returns = (struct returns){.asked = x->returns, .parent = REF_NONE, .last = REF_NONE};
  w->system = i ? system->copy(&w->mem, system) : system;
  w->system->limits = x->limits;
  w->traces = *traces;
  w->traces.self = traces->share(traces->self, &w->mem);
  store_open(&w->store, &w->mem);
  w->store.most >>= x->ref_bits;
  w->from = mem_zero(&w->mem, 1, system->work);
  w->to = mem_zero(&w->mem, 1, system->work);
  w->packed = mem_alloc(&w->mem, system->packed_most);
  w->waiting = mem_zero(&w->mem, WAITING, sizeof *w->waiting);
  w->called = mem_zero(&w->mem, CALLS_BYTES, 1);
  w->outbox = mem_zero(&w->mem, x->jobs, sizeof *w->outbox);
  if (x->options.reduce == REDUCE_POR || x->options.reduce == REDUCE_BOTH)
    w->cartesian = cartesian_new(&w->mem, w->system);
  else if (x->options.reduce != REDUCE_TAU && !x->options.anew)
    w->recent = recent_new(&w->mem, system->threads);
}

/* The first state goes to its owner. */
static void open_search(struct explore *x) {
  struct worker *w = &x->workers[0];
  uint8_t from[THREADS_MOST];
  w->system->start(w->system, w->to);
  uint32_t set = w->traces.initial(w->traces.self), size = make_pair(w, w->to, &set, from);
  uint64_t hash = hash_bytes(w->packed, size);
  struct worker *owner = &x->workers[owner_of(x, hash)];
  keep(owner, w->packed, size, set, hash, REF_NONE);
  owner->level_end = owner->store.end;
}

static void run_workers(struct explore *x) {
  pthread_barrier_init(&x->barrier, NULL, x->jobs);
  for (unsigned i = 1; i < x->jobs; i++) pthread_create(&x->workers[i].thread, NULL, search_together, &x->workers[i]);
  search_together(&x->workers[0]);
  for (unsigned i = 1; i < x->jobs; i++) pthread_join(x->workers[i].thread, NULL);
  pthread_barrier_destroy(&x->barrier);
}

static void sum_up(const struct explore *x, struct search_result *r) {
  for (unsigned i = 0; i < x->jobs; i++) {
    const struct worker *w = &x->workers[i];
    r->states += w->store.count;
    r->transitions += w->transitions;
    r->terminal += w->terminal;
    r->bytes += w->store.bytes;
    r->refused |= w->refused;
    for (unsigned k = 0; k < CALLS_BYTES; k += 8) { /* eight at once: of small searches it is seen */
      uint64_t all, these;
      memcpy(&all, r->called + k, 8);
      memcpy(&these, w->called + k, 8);
      all |= these;
      memcpy(r->called + k, &all, 8);
    }
  }
  r->depth = x->depth;
  r->spec_sets = x->workers[0].traces.count(x->workers[0].traces.self);
  r->violation = x->violation;
  r->limit = (enum limit)x->limits->reached;
  r->unfinished = x->unfinished && !x->violation && !r->limit;
  r->verdict = x->violation ? VERDICT_VIOLATED : r->limit || r->unfinished ? VERDICT_UNKNOWN : VERDICT_HOLDS;
  r->about =
      (x->jobs > 1 && x->antichain) || (r->verdict == VERDICT_UNKNOWN && (x->jobs > 1 || r->limit != LIMIT_STATES));
}

static bool any_stalls(const struct explore *x) {
  bool any = false;
  for (unsigned i = 0; i < x->jobs; i++) any |= x->workers[i].stalls;
  return any;
}

/* Nothing is wrong with what was reached: can operations return from everywhere? A limit reached meanwhile leaves the
 * rest as it was decided. */
static void look_for_returns(struct explore *x, struct search_result *r) {
  if (r->verdict != VERDICT_HOLDS) return;
  if (x->options.reduce == REDUCE_TAU && x->options.deadlocks && x->workers[0].traces.owes)
    r->returns_undecided = "--reduce tau looks for deadlocks only";
  if (!x->returns) return;
  volatile unsigned guarded = 0;
  for (; guarded < x->jobs; guarded++)
    if (MEM_GUARD(&x->workers[guarded].mem)) {
      r->returns_undecided = "a limit was reached";
      r->limit = (enum limit)x->limits->reached;
      x->violation = VIOLATION_NONE;
      r->path = NULL;
      r->path_count = 0;
      return;
    }
  x->wrong_ref = returns_missing(x, r);
  r->stalls = x->wrong_ref == REF_NONE && any_stalls(x);
  if (x->wrong_ref == REF_NONE) return;
  r->violation = x->violation;
  r->verdict = VERDICT_VIOLATED;
}

/* Nothing else is wrong: is memory lost? After a limit the execution is not made. */
static void look_for_lost(struct explore *x, struct search_result *r) {
  for (unsigned i = 0; i < x->jobs; i++) {
    if (x->workers[i].lost == REF_NONE) continue;
    r->loses = true;
    if (r->verdict != VERDICT_HOLDS) return;
    x->wrong_ref = x->workers[i].lost;
    r->violation = x->violation = VIOLATION_LEAK;
    r->verdict = VERDICT_VIOLATED;
  }
}

/* What was reached is kept, if that is wanted. */
static void leave_checkpoint(const struct explore *x, struct search_result *r) {
  const struct search_options *o = &x->options;
  if (!o->checkpoint || !x->ready || r->verdict != VERDICT_UNKNOWN || r->unfinished || !x->workers[0].traces.save)
    return;
  if (o->checkpoint_after > 0 && (r->limit != LIMIT_INTERRUPT || limits_elapsed(x->limits) < o->checkpoint_after))
    return;
  if (checkpoint_save(x, &r->checkpoint_problem)) r->checkpoint = o->checkpoint;
}

bool search(struct mem *mem, struct system *system, struct traces *traces, const struct search_options *options,
            struct limits *limits, struct search_result *result, struct problem *why) {
  struct explore x = {
      .options = *options, .limits = limits, .jobs = options->jobs > 1 && system->copy ? options->jobs : 1};
  volatile bool good = true;
  memset(result, 0, sizeof *result);
  x.antichain = options->reduce == REDUCE_BEST && traces->within;
  if (!traces->symmetric) x.options.reduce = without_symmetry(options->reduce);
  if (options->reduce == REDUCE_TAU) x.jobs = 1; /* its condition on cycles looks at all states met */
  x.returns = options->deadlocks && traces->owes && options->reduce != REDUCE_TAU;
  while (1u << x.ref_bits < x.jobs) x.ref_bits++;
  pthread_mutex_init(&x.lock, NULL);
  x.workers = mem_zero(mem, x.jobs, sizeof *x.workers);
  for (unsigned i = 0; i < x.jobs; i++) mem_open(&x.workers[i].mem, limits);
  volatile unsigned opened = 0;
  if (!MEM_GUARD(&x.workers[0].mem)) {
    while (opened < x.jobs) {
      if (opened && MEM_GUARD(&x.workers[opened].mem)) mem_escape(&x.workers[0].mem);
      open_worker(&x, opened, system, traces);
      opened++;
    }
    if (!options->resume)
      open_search(&x);
    else
      good = checkpoint_load(&x, why);
    x.ready = good;
    if (good && x.jobs > 1)
      run_workers(&x);
    else if (good)
      search_alone(&x.workers[0]);
  }
  system->limits = NULL; /* what is made again later is made to its end */
  if (opened == x.jobs)
    sum_up(&x, result);
  else
    result->verdict = VERDICT_UNKNOWN, result->limit = (enum limit)limits->reached;
  if (opened == x.jobs && good) look_for_returns(&x, result), look_for_lost(&x, result);
  leave_checkpoint(&x, result);
  if (result->violation && !violation_is_none(result->violation)) good = find_path(mem, &x, result, why);
  for (unsigned i = 0; i < x.jobs; i++) mem_close(&x.workers[i].mem);
  pthread_mutex_destroy(&x.lock);
  return good;
}
