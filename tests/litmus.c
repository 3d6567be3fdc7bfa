/* Consistent executions of litmus programs, by brute force. Events are added one at a time, the leftmost thread that
 * can go on first. A read chooses its source among all steps that may write its location, those not made yet too: then
 * its thread waits for that step. A write tries every position in modification order. So each execution whose program
 * order and reads-from have no cycle (all models forbid one) is reached in exactly one way. Whether one is consistent
 * is computed from the axioms, on relations that are matrices of bits. */
#include "litmus.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

/* ---- Relations ---- */

enum { EVENTS = LITMUS_LOCATIONS + LITMUS_THREADS * LITMUS_STEPS * 2 };
_Static_assert(EVENTS <= 64, "a row is a word");

/* row[a] has the bit b: a is related to b. */
struct relation {
  uint64_t row[EVENTS];
};

static uint64_t bit(unsigned i) { return (uint64_t)1 << i; }
static bool related(const struct relation *r, unsigned a, unsigned b) { return r->row[a] >> b & 1; }
static void relate(struct relation *r, unsigned a, unsigned b) { r->row[a] |= bit(b); }

static struct relation join(unsigned n, struct relation a, const struct relation *b) {
  for (unsigned i = 0; i < n; i++) a.row[i] |= b->row[i];
  return a;
}
/* a;b */
static struct relation compose(unsigned n, const struct relation *a, const struct relation *b) {
  struct relation r = {{0}};
  for (unsigned i = 0; i < n; i++)
    for (uint64_t row = a->row[i]; row; row &= row - 1) r.row[i] |= b->row[__builtin_ctzll(row)];
  return r;
}
/* r⁺ */
static struct relation closure(unsigned n, struct relation r) {
  for (unsigned k = 0; k < n; k++)
    for (unsigned i = 0; i < n; i++)
      if (related(&r, i, k)) r.row[i] |= r.row[k];
  return r;
}
/* r? */
static struct relation maybe(unsigned n, struct relation r) {
  for (unsigned i = 0; i < n; i++) relate(&r, i, i);
  return r;
}
/* [from];r;[to] */
static struct relation between(unsigned n, uint64_t from, struct relation r, uint64_t to) {
  for (unsigned i = 0; i < n; i++) r.row[i] = from >> i & 1 ? r.row[i] & to : 0;
  return r;
}
/* [set] */
static struct relation identity(unsigned n, uint64_t set) {
  struct relation r = {{0}};
  for (unsigned i = 0; i < n; i++) r.row[i] = set & bit(i);
  return r;
}
static bool irreflexive(unsigned n, const struct relation *r) {
  for (unsigned i = 0; i < n; i++)
    if (related(r, i, i)) return false;
  return true;
}
static bool acyclic(unsigned n, struct relation r) {
  r = closure(n, r);
  return irreflexive(n, &r);
}

/* ---- Executions ---- */

/* A read-modify-write that wrote is two events, its write directly after its read. */
struct event {
  int8_t thread; /* -1: an initial write */
  uint8_t index; /* in the canonical form; both events of a read-modify-write have the same */
  uint8_t step, location;
  bool reads, writes, fence;
  bool locked;    /* a read-modify-write instruction, even if it only read */
  uint8_t order;  /* enum litmus_order; not of initial writes */
  uint8_t source; /* the event it reads from */
  int16_t value;  /* read or written */
};
struct graph {
  unsigned count;
  struct event events[EVENTS];
  unsigned writes[LITMUS_LOCATIONS]; /* in modification order, the initial one first */
  uint8_t order[LITMUS_LOCATIONS][EVENTS];
};

static bool acquires(unsigned order) { return order == LITMUS_ACQ || order == LITMUS_AR || order == LITMUS_SC; }
static bool releases(unsigned order) { return order == LITMUS_REL || order == LITMUS_AR || order == LITMUS_SC; }

static void add_initial(struct graph *g, const struct litmus_program *p) {
  memset(g, 0, sizeof *g);
  for (unsigned l = 0; l < p->locations; l++) {
    g->events[g->count] = (struct event){.thread = -1, .location = (uint8_t)l, .writes = true};
    g->order[l][g->writes[l]++] = (uint8_t)g->count++;
  }
}

/* The relations that all models have. */
struct basics {
  struct relation po, rf, mo, rb, rmw;
  uint64_t reads, writes, fences;
  uint64_t at[LITMUS_LOCATIONS]; /* reads and writes of each location */
};
static void basics_of(const struct graph *g, struct basics *b) {
  memset(b, 0, sizeof *b);
  for (unsigned i = 0; i < g->count; i++) {
    const struct event *e = &g->events[i];
    for (unsigned j = 0; j < g->count; j++) {
      const struct event *f = &g->events[j];
      if (f->thread >= 0 && (e->thread < 0 || (e->thread == f->thread && i < j))) relate(&b->po, i, j);
    }
    if (e->reads) b->reads |= bit(i), relate(&b->rf, e->source, i);
    if (e->writes) b->writes |= bit(i);
    if (e->locked && e->writes) relate(&b->rmw, i - 1, i);
    if (e->fence) b->fences |= bit(i);
    if (!e->fence) b->at[e->location] |= bit(i);
  }
  for (unsigned l = 0; l < LITMUS_LOCATIONS; l++)
    for (unsigned i = 0; i < g->writes[l]; i++)
      for (unsigned j = i + 1; j < g->writes[l]; j++) relate(&b->mo, g->order[l][i], g->order[l][j]);
  for (unsigned i = 0; i < g->count; i++)
    if (g->events[i].reads) b->rb.row[i] = b->mo.row[g->events[i].source];
}

/* The write of a read-modify-write directly follows in modification order what its read reads from. */
static bool atomic(const struct graph *g) {
  for (unsigned l = 0; l < LITMUS_LOCATIONS; l++)
    for (unsigned k = 1; k < g->writes[l]; k++) {
      unsigned i = g->order[l][k];
      if (g->events[i].locked && g->events[i - 1].source != g->order[l][k - 1]) return false;
    }
  return true;
}
static struct relation same_location(const struct graph *g, const struct basics *b, struct relation r) {
  for (unsigned i = 0; i < g->count; i++) r.row[i] &= g->events[i].fence ? 0 : b->at[g->events[i].location];
  return r;
}

static bool consistent_sc(const struct graph *g, const struct basics *b) {
  unsigned n = g->count;
  return acyclic(n, join(n, join(n, join(n, b->po, &b->rf), &b->mo), &b->rb));
}

static bool consistent_tso(const struct graph *g, const struct basics *b) {
  unsigned n = g->count;
  struct relation local = same_location(g, b, b->po);
  if (!acyclic(n, join(n, join(n, join(n, local, &b->rf), &b->mo), &b->rb))) return false;
  uint64_t full = 0, nothing = 0; /* what orders all before it with all after it, and fences that do not */
  for (unsigned i = 0; i < n; i++) {
    const struct event *e = &g->events[i];
    if (e->locked || (e->thread >= 0 && e->order == LITMUS_SC && (e->fence || e->writes))) full |= bit(i);
    if (e->fence && e->order != LITMUS_SC) nothing |= bit(i);
  }
  struct relation global = {{0}}, external = {{0}};
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++) {
      const struct event *e = &g->events[i], *f = &g->events[j];
      if (related(&b->rf, i, j) && e->thread != f->thread) relate(&external, i, j);
      if (!related(&b->po, i, j) || (nothing & (bit(i) | bit(j)))) continue;
      bool fenced = e->thread < 0 || (full & (bit(i) | bit(j)));
      for (unsigned k = 0; k < n; k++) fenced |= full >> k & 1 && related(&b->po, i, k) && related(&b->po, k, j);
      if (fenced || !(e->writes && f->reads)) relate(&global, i, j);
    }
  return acyclic(n, join(n, join(n, join(n, global, &external), &b->mo), &b->rb));
}

bool litmus_c11_sequences;

static bool consistent_c11(const struct graph *g, const struct basics *b) {
  unsigned n = g->count;
  uint64_t all = n == 64 ? ~(uint64_t)0 : bit(n) - 1, release = 0, acquire = 0, sc = 0;
  for (unsigned i = 0; i < n; i++) {
    const struct event *e = &g->events[i];
    if (e->thread < 0) continue;
    if ((e->fence || e->writes) && releases(e->order)) release |= bit(i);
    if ((e->fence || e->reads) && acquires(e->order)) acquire |= bit(i);
    if (e->order == LITMUS_SC) sc |= bit(i);
  }
  if (!acyclic(n, join(n, b->po, &b->rf))) return false;
  /* rs = (rf;rmw)* */
  struct relation rs = compose(n, &b->rf, &b->rmw);
  rs = maybe(n, closure(n, rs));
  if (litmus_c11_sequences) { /* rs = ([W];po|loc;[W])?;(rf;rmw)* */
    struct relation own = maybe(n, between(n, b->writes, same_location(g, b, b->po), b->writes));
    rs = compose(n, &own, &rs);
  }
  /* sw = [release];([F];po)?;rs;rf;(po;[F])?;[acquire] */
  struct relation released = between(n, release & b->fences, b->po, b->writes),
                  taken = identity(n, release & b->writes);
  struct relation acquired = between(n, b->reads, b->po, acquire & b->fences), got = identity(n, acquire & b->reads);
  released = join(n, released, &taken);
  acquired = join(n, acquired, &got);
  struct relation sw = compose(n, &released, &rs);
  sw = compose(n, &sw, &b->rf);
  sw = compose(n, &sw, &acquired);
  struct relation hb = closure(n, join(n, b->po, &sw));
  struct relation eco = closure(n, join(n, join(n, b->rf, &b->mo), &b->rb)), eco_or = maybe(n, eco);
  struct relation back = compose(n, &hb, &eco_or);
  if (!irreflexive(n, &back)) return false;
  /* scb = po ∪ po;hb;po ∪ hb|loc ∪ mo ∪ rb */
  struct relation scb = compose(n, &b->po, &hb);
  scb = compose(n, &scb, &b->po);
  struct relation local = same_location(g, b, hb);
  scb = join(n, join(n, join(n, join(n, scb, &b->po), &local), &b->mo), &b->rb);
  /* psc = ([SC] ∪ [Fsc];hb?);scb;([SC] ∪ hb?;[Fsc]) ∪ [Fsc];(hb ∪ hb;eco;hb);[Fsc] */
  struct relation hb_or = maybe(n, hb), self = identity(n, sc);
  struct relation left = between(n, sc & b->fences, hb_or, all), right = between(n, all, hb_or, sc & b->fences);
  left = join(n, left, &self);
  right = join(n, right, &self);
  struct relation psc = compose(n, &left, &scb);
  psc = compose(n, &psc, &right);
  struct relation fences = compose(n, &hb, &eco);
  fences = compose(n, &fences, &hb);
  fences = between(n, sc & b->fences, join(n, fences, &hb), sc & b->fences);
  return acyclic(n, join(n, psc, &fences));
}

static bool consistent(const struct graph *g, enum memory_model model) {
  if (!atomic(g)) return false;
  struct basics b;
  basics_of(g, &b);
  return model == MEMORY_SC    ? consistent_sc(g, &b)
         : model == MEMORY_TSO ? consistent_tso(g, &b)
                               : consistent_c11(g, &b);
}

/* ---- Enumeration ---- */

enum made { NOT_YET, WROTE, DID_NOT_WRITE };
enum { NOBODY = 255, INITIAL = 254 };
struct state {
  struct graph graph;
  uint8_t next[LITMUS_THREADS];
  int16_t last[LITMUS_THREADS]; /* what each thread read last */
  /* The source that a thread's next step has chosen: INITIAL or a thread, and then its step. */
  uint8_t from[LITMUS_THREADS], from_step[LITMUS_THREADS];
  uint8_t made[LITMUS_THREADS][LITMUS_STEPS];  /* enum made */
  uint8_t event[LITMUS_THREADS][LITMUS_STEPS]; /* of a step that wrote */
};
struct search {
  const struct litmus_program *program;
  enum memory_model model;
  bool whole; /* consistency is asked at the end only */
  struct litmus_executions found;
  size_t capacity;
};

static bool step_reads(const struct litmus_step *s) { return s->kind != LITMUS_STORE && s->kind != LITMUS_FENCE; }
static bool step_writes(const struct litmus_step *s) { return s->kind != LITMUS_LOAD && s->kind != LITMUS_FENCE; }

static bool skips(const struct litmus_step *s, int last) {
  return (s->condition == LITMUS_IF && last != s->condition_value) ||
         (s->condition == LITMUS_UNLESS && last == s->condition_value);
}

static void canonical(const struct graph *g, struct litmus_execution *x) {
  memset(x, 0, sizeof *x);
  for (unsigned i = 0; i < g->count; i++) {
    const struct event *e = &g->events[i];
    if (e->thread < 0) continue;
    struct litmus_event *c = &x->events[e->thread][e->index];
    x->count[e->thread] = (uint8_t)(e->index + 1);
    c->step = e->step;
    c->location = e->location;
    if (e->fence) c->kind = LITMUS_BARRIER;
    if (e->reads) {
      const struct event *from = &g->events[e->source];
      c->kind = LITMUS_READ;
      c->read = e->value;
      if (from->thread >= 0) c->from = (uint8_t)(from->thread + 1), c->from_index = from->index;
    }
    if (e->writes) {
      c->kind = c->kind == LITMUS_READ ? LITMUS_UPDATE : LITMUS_WRITE;
      c->written = e->value;
      while (g->order[e->location][c->position] != i) c->position++;
    }
  }
}

static void explore(struct search *, const struct state *);

/* The thread's next step, from the source that it has chosen, and all that follows. */
static void make_step(struct search *search, struct state *s, unsigned t, const struct litmus_step *step) {
  struct graph *g = &s->graph;
  struct event e = {.thread = (int8_t)t,
                    .step = s->next[t],
                    .location = step->location,
                    .fence = step->kind == LITMUS_FENCE,
                    .locked = step_reads(step) && step_writes(step),
                    .order = step->order};
  for (unsigned i = 0; i < g->count; i++)
    if (g->events[i].thread == (int)t) e.index = (uint8_t)(g->events[i].index + 1);
  bool writes = step_writes(step);
  int written = step->of_read ? s->last[t] : step->value;
  if (step_reads(step)) {
    struct event *read = &g->events[g->count++];
    *read = e;
    read->reads = true;
    read->source = s->from[t] == INITIAL ? g->order[e.location][0] : s->event[s->from[t]][s->from_step[t]];
    s->last[t] = read->value = g->events[read->source].value;
    if (step->kind == LITMUS_ADD) written += read->value;
    if (step->kind == LITMUS_COMPARE && read->value != step->expected) writes = false, read->order = step->failure;
  }
  if (e.fence) g->events[g->count++] = e;
  s->made[t][e.step] = writes ? WROTE : DID_NOT_WRITE;
  s->event[t][e.step] = (uint8_t)g->count;
  s->next[t]++;
  s->from[t] = NOBODY;
  if (!writes) {
    if (search->whole || consistent(g, search->model)) explore(search, s);
    return;
  }
  unsigned id = g->count++, before = g->writes[e.location]++;
  e.writes = true;
  e.value = (int16_t)written;
  g->events[id] = e;
  uint8_t *order = g->order[e.location];
  for (unsigned at = before; at >= 1; at--) { /* from the end to the front */
    if (at < before) order[at + 1] = order[at];
    order[at] = (uint8_t)id;
    if (search->whole || consistent(g, search->model)) explore(search, s);
  }
}

static void record(struct search *search, const struct graph *g) {
  if (search->whole && !consistent(g, search->model)) return;
  struct litmus_executions *found = &search->found;
  if (found->count == search->capacity) {
    search->capacity = search->capacity ? search->capacity * 2 : 64;
    found->at = realloc(found->at, search->capacity * sizeof *found->at);
    CHECK(found->at);
  }
  canonical(g, &found->at[found->count++]);
}

static void explore(struct search *search, const struct state *s) {
  const struct litmus_program *p = search->program;
  bool ended = true;
  unsigned t;
  for (t = 0; t < p->threads; t++) {
    if (s->next[t] == p->length[t]) continue;
    ended = false;
    bool waits = s->from[t] < LITMUS_THREADS && s->made[s->from[t]][s->from_step[t]] == NOT_YET;
    if (!waits) break;
  }
  if (ended) record(search, &s->graph);
  if (t == p->threads) return; /* all have ended, or each waits for another */

  const struct litmus_step *step = &p->steps[t][s->next[t]];
  struct state next = *s;
  if (skips(step, s->last[t])) {
    next.made[t][s->next[t]] = DID_NOT_WRITE;
    next.next[t]++;
    explore(search, &next);
    return;
  }
  if (!step_reads(step) || s->from[t] == INITIAL) {
    make_step(search, &next, t, step);
    return;
  }
  if (s->from[t] != NOBODY) {
    if (s->made[s->from[t]][s->from_step[t]] == WROTE) make_step(search, &next, t, step);
    return;
  }
  next.from[t] = INITIAL;
  explore(search, &next);
  for (unsigned u = 0; u < p->threads; u++)
    for (unsigned i = 0; i < (u == t ? s->next[t] : p->length[u]); i++) {
      const struct litmus_step *source = &p->steps[u][i];
      if (!step_writes(source) || source->location != step->location || s->made[u][i] == DID_NOT_WRITE) continue;
      next.from[t] = (uint8_t)u;
      next.from_step[t] = (uint8_t)i;
      explore(search, &next);
    }
}

int litmus_compare(const void *a, const void *b) { return memcmp(a, b, sizeof(struct litmus_execution)); }

static struct litmus_executions enumerate(const struct litmus_program *p, enum memory_model model, bool whole) {
  struct search search = {.program = p, .model = model, .whole = whole};
  struct state first = {.next = {0}};
  memset(first.from, NOBODY, sizeof first.from);
  add_initial(&first.graph, p);
  explore(&search, &first);
  if (search.found.count) qsort(search.found.at, search.found.count, sizeof *search.found.at, litmus_compare);
  return search.found;
}
struct litmus_executions litmus_executions(const struct litmus_program *p, enum memory_model model) {
  return enumerate(p, model, false);
}
struct litmus_executions litmus_executions_whole(const struct litmus_program *p, enum memory_model model) {
  return enumerate(p, model, true);
}
void litmus_free(struct litmus_executions *all) {
  free(all->at);
  *all = (struct litmus_executions){NULL, 0};
}

/* ---- One execution ---- */

/* What the thread does is what its steps do with the values read. */
static bool follows_program(const struct litmus_program *p, const struct litmus_execution *x, unsigned t) {
  int last = 0;
  unsigned made = 0;
  for (unsigned i = 0; i < p->length[t]; i++) {
    const struct litmus_step *s = &p->steps[t][i];
    if (skips(s, last)) continue;
    if (made == x->count[t]) return false;
    const struct litmus_event *e = &x->events[t][made++];
    bool reads = step_reads(s), writes = step_writes(s) && (s->kind != LITMUS_COMPARE || e->read == s->expected);
    unsigned kind = s->kind == LITMUS_FENCE ? LITMUS_BARRIER
                    : !writes               ? LITMUS_READ
                    : reads                 ? LITMUS_UPDATE
                                            : LITMUS_WRITE;
    int written = s->of_read ? last : s->kind == LITMUS_ADD ? e->read + s->value : s->value;
    if (e->kind != kind || e->step != i || e->location != s->location || (writes && e->written != written))
      return false;
    if (reads) last = e->read;
  }
  return made == x->count[t];
}

bool litmus_allows(const struct litmus_program *p, const struct litmus_execution *x, enum memory_model model) {
  struct graph g;
  uint8_t written[LITMUS_THREADS][LITMUS_STEPS] = {{0}}; /* by which event; 0: by none */
  add_initial(&g, p);
  for (unsigned t = 0; t < p->threads; t++) {
    if (!follows_program(p, x, t)) return false;
    for (unsigned i = 0; i < x->count[t]; i++) {
      const struct litmus_event *c = &x->events[t][i];
      const struct litmus_step *s = &p->steps[t][c->step];
      struct event e = {.thread = (int8_t)t,
                        .index = (uint8_t)i,
                        .step = c->step,
                        .location = c->location,
                        .fence = s->kind == LITMUS_FENCE,
                        .locked = step_reads(s) && step_writes(s),
                        .order = s->order};
      if (e.fence) g.events[g.count++] = e;
      if (step_reads(s)) {
        struct event *read = &g.events[g.count++];
        *read = e;
        read->reads = true;
        read->value = c->read;
        if (e.locked && c->kind == LITMUS_READ) read->order = s->failure;
      }
      if (c->kind != LITMUS_WRITE && c->kind != LITMUS_UPDATE) continue;
      g.writes[e.location]++;
      e.writes = true;
      e.value = c->written;
      written[t][i] = (uint8_t)g.count;
      g.events[g.count++] = e;
    }
  }
  for (unsigned i = p->locations; i < g.count; i++) {
    struct event *e = &g.events[i];
    const struct litmus_event *c = &x->events[e->thread][e->index];
    if (e->reads && c->from) {
      if (c->from > p->threads || c->from_index >= x->count[c->from - 1]) return false;
      e->source = written[c->from - 1][c->from_index];
      if (!e->source) return false;
    } else if (e->reads)
      e->source = g.order[e->location][0];
    const struct event *from = &g.events[e->source];
    if (e->reads && (from->location != e->location || from->value != e->value)) return false;
    if (!e->writes) continue;
    uint8_t *place = &g.order[e->location][c->position];
    if (!c->position || c->position >= g.writes[e->location] || *place) return false;
    *place = (uint8_t)i;
  }
  return consistent(&g, model);
}

void litmus_outcome(const struct litmus_program *p, const struct litmus_execution *x, struct litmus_outcome *o) {
  uint8_t newest[LITMUS_LOCATIONS] = {0};
  memset(o, 0, sizeof *o);
  for (unsigned t = 0; t < p->threads; t++)
    for (unsigned i = 0; i < x->count[t]; i++) {
      const struct litmus_event *e = &x->events[t][i];
      if (e->kind == LITMUS_READ || e->kind == LITMUS_UPDATE) o->read[t][o->count[t]++] = e->read;
      if (e->position > newest[e->location]) newest[e->location] = e->position, o->final[e->location] = e->written;
    }
}
static int compare_outcomes(const void *a, const void *b) { return memcmp(a, b, sizeof(struct litmus_outcome)); }
struct litmus_outcomes litmus_outcomes(const struct litmus_program *p, const struct litmus_executions *all) {
  struct litmus_outcomes o = {calloc(all->count + 1, sizeof *o.at), 0};
  CHECK(o.at);
  for (size_t i = 0; i < all->count; i++) litmus_outcome(p, &all->at[i], &o.at[i]);
  qsort(o.at, all->count, sizeof *o.at, compare_outcomes);
  for (size_t i = 0; i < all->count; i++)
    if (!i || compare_outcomes(&o.at[i], &o.at[o.count - 1])) o.at[o.count++] = o.at[i];
  return o;
}
