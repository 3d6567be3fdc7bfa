/* Random systems of a few states: see random_system.h. */
#include "random_system.h"

#include <string.h>

#include "base/hash.h"
#include "test.h"

unsigned random_below(uint64_t *seed, unsigned n) { return (unsigned)(hash_mix(*seed += 0x9e3779b97f4a7c15u) % n); }

static void start(struct system *s, void *work) {
  (void)s;
  *(uint8_t *)work = 0;
}

static enum moved move(struct system *s, const void *from, unsigned thread, struct choices *c, void *to,
                       struct move *m) {
  const struct random_system *r = (const struct random_system *)s;
  unsigned state = *(const uint8_t *)from;
  m->locked = r->moves[state][thread].locked;
  if (!r->moves[state][thread].count) return r->moves[state][thread].without;
  const struct random_edge *e = &r->moves[state][thread].edges[choose(c, r->moves[state][thread].count)];
  for (unsigned i = 0; i < e->event_count; i++) {
    m->events[i] = e->events[i];
    if (e->events[i].kind == EVENT_RETURN) m->events[i].call = 0;
  }
  m->event_count = e->event_count;
  *(uint8_t *)to = e->to;
  return MOVED;
}

static size_t pack(struct system *s, const void *work, const struct ranks *ranks, unsigned char *out, uint8_t *from) {
  (void)s, (void)ranks, (void)from;
  *out = *(const uint8_t *)work;
  return 1;
}

static void unpack(struct system *s, const unsigned char *packed, size_t size, void *work) {
  (void)s, (void)size;
  *(uint8_t *)work = *packed;
}

static void add_call(struct random_edge *e, unsigned thread, unsigned call) {
  e->events[e->event_count++] = (struct event){.kind = EVENT_CALL, .thread = (uint8_t)thread, .call = (uint16_t)call};
}

static void add_return(struct random_edge *e, unsigned thread, unsigned call, uint64_t *seed) {
  e->events[e->event_count++] = (struct event){.kind = EVENT_RETURN,
                                               .thread = (uint8_t)thread,
                                               .call = (uint16_t)call,
                                               .result = value_of_small((int)random_below(seed, 2))};
}

/* Events that lead from a thread's one open call to another. */
static void make_events(struct random_edge *e, unsigned thread, unsigned from, unsigned to, uint64_t *seed) {
  e->event_count = 0;
  if (from == to && random_below(seed, 4)) return;
  if (from != RANDOM_CLOSED) add_return(e, thread, from, seed);
  if (from == to && from == RANDOM_CLOSED) {
    add_call(e, thread, random_below(seed, 3));
    add_return(e, thread, e->events[0].call, seed);
  }
  if (to != RANDOM_CLOSED) add_call(e, thread, to);
}

/* Could a move of the thread lead from one state to the other: are the others' open calls the same? */
static bool may_lead(const struct random_system *r, unsigned from, unsigned to, unsigned thread) {
  for (unsigned t = 0; t < r->system.threads; t++)
    if (t != thread && r->open[from][t] != r->open[to][t]) return false;
  return true;
}

/* LIVELY: inside operations threads can move. RESTLESS: the first thread always can. CONDITIONS: threads wait for
 * conditions. */
enum temper { ANY, LIVELY, RESTLESS, CONDITIONS, TEMPERS };

static void make_moves(struct random_system *r, unsigned s, unsigned t, enum temper temper, uint64_t *seed) {
  unsigned want = random_below(seed, 6);
  if (!want && (temper == LIVELY ? r->open[s][t] != RANDOM_CLOSED : temper == RESTLESS && !t)) want = 1;
  r->moves[s][t].without = r->open[s][t] == RANDOM_CLOSED && random_below(seed, 2) ? STOPPED : WAITS;
  r->moves[s][t].locked = temper != CONDITIONS || random_below(seed, 2);
  want = want < 1 ? 0 : want < 4 ? 1 : 2;
  while (r->moves[s][t].count < want) {
    unsigned to = random_below(seed, r->states);
    if (!may_lead(r, s, to, t)) continue;
    struct random_edge *e = &r->moves[s][t].edges[r->moves[s][t].count++];
    e->to = (uint8_t)to;
    make_events(e, t, r->open[s][t], r->open[to][t], seed);
  }
}

static void prepare(struct random_system *r, unsigned states, unsigned threads) {
  memset(r, 0, sizeof *r);
  r->system = (struct system){
      .threads = threads, .work = 1, .packed_most = 1, .start = start, .move = move, .pack = pack, .unpack = unpack};
  r->states = states;
  memset(r->open, RANDOM_CLOSED, sizeof r->open);
}

void random_system_make(struct random_system *r, uint64_t *seed, unsigned states, unsigned threads) {
  enum temper temper = (enum temper)random_below(seed, TEMPERS);
  prepare(r, states, threads);
  for (unsigned s = 1; s < states; s++)
    for (unsigned t = 0; t < threads; t++)
      if (random_below(seed, 2)) r->open[s][t] = (uint8_t)random_below(seed, random_below(seed, 4) ? 1 : 3);
  for (unsigned s = 0; s < states; s++)
    for (unsigned t = 0; t < threads; t++) make_moves(r, s, t, temper, seed);
}

void random_line_make(struct random_system *r, uint64_t *seed, unsigned states) {
  prepare(r, states, 2);
  unsigned back = random_below(seed, states + 1), movers[RANDOM_STATES];
  for (unsigned s = 0; s < states; s++) {
    movers[s] = random_below(seed, 2);
    if (s) memcpy(r->open[s], r->open[s - 1], sizeof r->open[s]);
    if (s) r->open[s][movers[s - 1]] = random_below(seed, 2) ? RANDOM_CLOSED : (uint8_t)random_below(seed, 3);
    for (unsigned t = 0; t < 2; t++) r->moves[s][t].without = STOPPED;
  }
  for (unsigned s = 0; s < states; s++) {
    unsigned to = s + 1 < states ? s + 1 : back, t = movers[s];
    if (to == states || !may_lead(r, s, to, t)) continue;
    struct random_edge *e = &r->moves[s][t].edges[r->moves[s][t].count++];
    e->to = (uint8_t)to;
    make_events(e, t, r->open[s][t], r->open[to][t], seed);
  }
}

static const struct random_edge *edge_of(const struct random_system *r, unsigned state, const struct path_move *m) {
  return &r->moves[state][m->thread].edges[r->moves[state][m->thread].count > 1 ? m->choices.taken[0] : 0];
}

void run_replay(struct system *s, const struct liveness_result *r, uint8_t *states, const struct random_edge **edges) {
  size_t count = r->stem_count + r->loop_count;
  unsigned char *work = calloc(3, s->work), *next = work + s->work, *home = next + s->work;
  unsigned char *packed = calloc(2, s->packed_most), *packed_home = packed + s->packed_most;
  CHECK(count < RUN_MOST);
  s->start(s, work);
  for (size_t i = 0; i <= count; i++) {
    if (i == r->stem_count) memcpy(home, work, s->work);
    if (states) states[i] = *work;
    if (i == count) break;
    const struct path_move *p = i < r->stem_count ? &r->stem[i] : &r->loop[i - r->stem_count];
    struct choices c = p->choices;
    struct move m = {0};
    c.depth = 0;
    CHECK(s->move(s, work, p->thread, &c, next, &m) == MOVED && m.event_count == p->move.event_count);
    CHECK(!memcmp(m.events, p->move.events, m.event_count * sizeof *m.events));
    if (edges) edges[i] = edge_of((struct random_system *)s, *work, p);
    memcpy(work, next, s->work);
  }
  size_t size = s->pack(s, work, NULL, packed, NULL);
  CHECK(s->pack(s, home, NULL, packed_home, NULL) == size && !memcmp(packed, packed_home, size));
  free(work);
  free(packed);
}

bool random_held(const struct random_system *r, unsigned s, unsigned t) {
  return !r->moves[s][t].count && r->moves[s][t].without == WAITS && !r->moves[s][t].locked &&
         r->open[s][t] != RANDOM_CLOSED;
}

bool random_conditions(const struct random_system *r) {
  for (unsigned s = 0; s < r->states; s++)
    for (unsigned t = 0; t < r->system.threads; t++)
      if (random_held(r, s, t)) return true;
  return false;
}

bool run_fair(const struct random_system *r, const uint8_t *states, const struct path_move *moves, size_t count,
              enum fairness f) {
  for (unsigned t = 0; t < r->system.threads; t++) {
    bool always = count > 0, sometimes = false, moved = f == FAIR_NONE;
    for (size_t i = 0; i < count; i++) {
      bool can = r->moves[states[i]][t].count > 0;
      always = always && can;
      sometimes = sometimes || can;
      if (moves[i].thread == t) moved = true;
    }
    if (!moved && (f == FAIR_WEAK ? always : sometimes)) return false;
  }
  return true;
}

unsigned run_held(const struct random_system *r, const uint8_t *states, size_t count) {
  unsigned held = 0;
  for (unsigned t = 0; t < r->system.threads; t++) {
    bool all = random_held(r, states[0], t);
    for (size_t i = 1; i < count; i++) all = all && random_held(r, states[i], t);
    if (all) held |= 1u << t;
  }
  return held;
}
