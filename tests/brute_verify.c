/* Enumeration (brute_verify.h): breadth first over pairs of a state and the history that led there. Histories are a
 * tree of events: a history is a node, and decided where no other continues it, since whatever begins a linearizable
 * history is one. */
#include "brute_verify.h"

#include <string.h>

#include "base/hash.h"

struct brute_node {
  uint32_t parent, child, sibling;
  struct event event;
  uint32_t set;
  uint32_t events; /* how many */
  uint8_t decided; /* 1: linearizable, 2: not */
  uint8_t ends;
};

struct pair {
  uint32_t state, node, level;
};

struct quiet_move {
  uint32_t from, to; /* pairs */
};

struct table {
  uint32_t *slots;
  size_t mask;
};

struct packed {
  unsigned char *at;
  size_t size;
  uint64_t hash;
};

/* How a pair was reached first. */
struct reached {
  uint32_t from;
  struct path_move by;
};

struct explorer {
  struct brute *out;
  struct mem *mem;
  struct system *system;
  VEC(struct packed) states;
  VEC(struct pair) pairs;
  struct table state_table, pair_table;
  unsigned char *bytes;
  void *from, *to;
  struct pair here;
  uint32_t at;                   /* its number */
  unsigned moved, locked, spoke; /* moves; those that wait for a lock; moves with events or a fault */
  /* Of one client: moves that leave the history as it is, and of each pair whether it comes to an end or to another
   * history. */
  VEC(struct quiet_move) quiet;
  VEC(bool) goes_on;
  /* Of any: all moves, how each pair was reached, and whether a return can be reached from it. */
  VEC(struct quiet_move) moves;
  VEC(struct reached) reached;
  VEC(bool) returns;
  struct path_move by; /* the move being made */
  bool returned;
};

static void table_open(struct table *t, struct mem *mem, size_t most) {
  size_t size = 64;
  while (size < 2 * most) size *= 2;
  t->mask = size - 1;
  t->slots = mem_zero(mem, size, sizeof *t->slots);
}

static uint32_t state_number(struct explorer *x, const void *work) {
  size_t size = x->system->pack(x->system, work, NULL, x->bytes, NULL);
  uint64_t hash = hash_bytes(x->bytes, size);
  size_t i = hash & x->state_table.mask;
  for (; x->state_table.slots[i]; i = (i + 1) & x->state_table.mask) {
    const struct packed *p = &x->states.at[x->state_table.slots[i] - 1];
    if (p->hash == hash && p->size == size && !memcmp(p->at, x->bytes, size)) return x->state_table.slots[i] - 1;
  }
  struct packed p = {mem_piece(x->mem, size), size, hash};
  memcpy(p.at, x->bytes, size);
  vec_push(x->mem, &x->states, p);
  x->state_table.slots[i] = (uint32_t)x->states.count;
  return (uint32_t)x->states.count - 1;
}

static uint32_t add_pair(struct explorer *x, struct pair new) {
  size_t i = hash_mix((uint64_t) new.state << 32 | new.node) & x->pair_table.mask;
  for (; x->pair_table.slots[i]; i = (i + 1) & x->pair_table.mask) {
    const struct pair *p = &x->pairs.at[x->pair_table.slots[i] - 1];
    if (p->state == new.state && p->node == new.node) return x->pair_table.slots[i] - 1;
  }
  vec_push(x->mem, &x->pairs, new);
  x->pair_table.slots[i] = (uint32_t)x->pairs.count;
  return (uint32_t)x->pairs.count - 1;
}

/* Histories. */

static bool same_event(struct event a, struct event b) {
  if (a.kind != b.kind || a.thread != b.thread) return false;
  return a.kind == EVENT_CALL ? a.call == b.call : a.result == b.result;
}

static uint32_t find_child(const struct brute *b, uint32_t node, struct event e) {
  uint32_t c = b->tree.at[node].child;
  while (c && !same_event(b->tree.at[c].event, e)) c = b->tree.at[c].sibling;
  return c;
}

static uint32_t add_child(struct brute *b, uint32_t node, struct event e) {
  uint32_t c = find_child(b, node, e);
  if (c) return c;
  struct brute_node new = {
      .parent = node, .event = e, .sibling = b->tree.at[node].child, .events = b->tree.at[node].events + 1};
  if (b->tree.at[node].set) new.set = specset_step(b->subject->sets, b->tree.at[node].set, e);
  c = (uint32_t)b->tree.count;
  vec_push(b->mem, &b->tree, new);
  b->tree.at[node].child = c;
  return c;
}

uint32_t brute_find(const struct brute *b, const struct event *events, size_t count) {
  uint32_t node = 0;
  for (size_t i = 0; i < count; i++) {
    node = find_child(b, node, events[i]);
    if (!node) return UINT32_MAX;
  }
  return node;
}

bool brute_has(const struct brute *b, const struct event *events, size_t count) {
  return brute_find(b, events, count) != UINT32_MAX;
}

size_t brute_events(const struct brute *b, uint32_t node, struct event *events, size_t most) {
  size_t count = b->tree.at[node].events;
  if (count > most) return 0;
  for (size_t i = count; i-- > 0; node = b->tree.at[node].parent) events[i] = b->tree.at[node].event;
  return count;
}

unsigned brute_ends(const struct brute *b, uint32_t node) { return b->tree.at[node].ends; }
bool brute_holds(const struct brute *b, uint32_t node) { return b->tree.at[node].set; }

/* Which call of the client has this number. */
static const struct client_call *call_of(const struct subject *s, struct event e) {
  const struct client_thread *c = &s->client[e.thread];
  for (unsigned i = 0; i < c->call_count; i++)
    if (c->calls[i].number == e.call) return &c->calls[i];
  return NULL;
}

static void add_event(struct history *h, const struct subject *s, struct event e) {
  if (e.kind == EVENT_RETURN) {
    history_return(h, e.thread, 0, e.result);
    return;
  }
  const struct client_call *call = call_of(s, e);
  const struct program_op *op = &s->program->ops[call->op];
  value args[3];
  size_t len;
  for (unsigned i = 0; i < op->params; i++) args[i] = value_int(h->values, call->args[i]);
  const char *name = spec_op_name(&s->spec, (unsigned)s->spec_op[call->op], &len);
  history_call(h, e.thread, 0, names_intern(h->methods, name, len), args, op->params, 0);
}

struct history *brute_history(struct mem *mem, const struct brute *b, uint32_t node) {
  const struct subject *s = b->subject;
  struct history *h = history_new(mem, "enumerated");
  VEC(struct event) events = {0};
  h->values = s->values; /* results are of that table */
  names_intern(h->objects, "x", 1);
  for (unsigned t = 0; t < s->threads; t++) names_intern(h->processes, &"ABCDEFGH"[t], 1);
  for (; node; node = b->tree.at[node].parent) vec_push(mem, &events, b->tree.at[node].event);
  while (events.count) add_event(h, s, events.at[--events.count]);
  history_finish(h);
  return h;
}

/* The checker's word on a history. */
static bool decide(struct brute *b, uint32_t node, enum method method, struct limits *limits) {
  struct mem *mem = mem_child(b->mem);
  struct problem why = {.text = ""};
  struct check_result result;
  struct check_options options = {.method = method, .jobs = 1};
  struct spec spec = b->subject->spec;
  struct history *h = brute_history(mem, b, node);
  if (!spec_bind(&spec, h, &why) || !check_history(mem, h, &spec, &options, limits, &result, &why))
    snprintf(b->wrong, sizeof b->wrong, "a history cannot be checked: %.150s", why.text);
  mem_close(mem);
  return result.verdict == VERDICT_HOLDS;
}

static void is_wrong(struct brute *b, const char *what) { snprintf(b->wrong, sizeof b->wrong, "%s", what); }

static bool linearizable(struct brute *b, uint32_t node, struct limits *limits) {
  struct brute_node *n = &b->tree.at[node];
  if (n->decided) return n->decided == 1;
  bool by_wing_gong = decide(b, node, METHOD_WING_GONG, limits);
  if (by_wing_gong != decide(b, node, METHOD_AUTO, limits)) is_wrong(b, "two methods decide a history differently");
  if (by_wing_gong != (n->set != 0)) is_wrong(b, "the spec sets and the checker decide a history differently");
  n->decided = by_wing_gong ? 1 : 2;
  return by_wing_gong;
}

static void decide_all(struct brute *b, size_t most) {
  struct limits limits;
  limits_start(&limits, 0, 0);
  for (uint32_t i = 0; i < b->tree.count; i++) b->histories += !b->tree.at[i].child;
  if (b->histories > most) {
    b->whole = false;
    return;
  }
  for (uint32_t i = 0; i < b->tree.count && !*b->wrong; i++) {
    if (b->tree.at[i].child || linearizable(b, i, &limits)) continue;
    b->kinds.trace = true;
    if (!linearizable(b, b->tree.at[i].parent, &limits)) is_wrong(b, "the spec sets notice a history too late");
  }
}

/* Executions. */

static void note_wrong(struct explorer *x) {
  if (x->out->level == UINT32_MAX) x->out->level = x->here.level;
}

static bool may_call(const struct brute *b, uint32_t node, struct event e) {
  const struct brute_client *c = b->client;
  if (!c) return specset_may_call(b->subject->sets, b->tree.at[node].set, e.thread, e.call);
  uint32_t next = c->first[e.thread];
  for (; node; node = b->tree.at[node].parent)
    next += b->tree.at[node].event.kind == EVENT_CALL && b->tree.at[node].event.thread == e.thread;
  return next < c->first[e.thread + 1] && c->calls[next] == e.call;
}

/* The history after a move; false if the client does not make it. */
static bool follow_events(struct explorer *x, const struct move *move, uint32_t *node) {
  struct brute *b = x->out;
  *node = x->here.node;
  for (unsigned i = 0; i < move->event_count; i++) {
    struct event e = move->events[i];
    if (!b->tree.at[*node].set && !b->client && !b->past) return true;
    if (e.kind == EVENT_CALL && !may_call(b, *node, e)) return false;
    *node = add_child(b, *node, e);
  }
  return true;
}

/* One that waits has not moved, but a call that the client would not make does not wait either. */
static bool may_wait(const struct explorer *x, const struct move *move) {
  return !move->event_count || may_call(x->out, x->here.node, move->events[0]);
}

static void expand_move(struct explorer *x, enum moved moved, const struct move *move) {
  struct brute *b = x->out;
  uint32_t node;
  if (moved == WAITS && may_wait(x, move)) x->locked += move->locked;
  if (moved == WAITS || moved == STOPPED || !follow_events(x, move, &node)) return;
  if (moved == FAULTED) {
    x->moved++;
    x->spoke++;
    b->kinds.faults |= 1u << move->fault;
    b->limited |= move->fault == FAULT_RANGE;
    note_wrong(x);
  } else {
    x->moved++;
    if (!b->tree.at[node].set) note_wrong(x);
    if (b->tree.at[node].set || b->client || b->past) {
      uint32_t to = add_pair(x, (struct pair){state_number(x, x->to), node, x->here.level + 1});
      x->by.move = *move;
      for (unsigned i = 0; i < move->event_count; i++) x->returned |= move->events[i].kind == EVENT_RETURN;
      if (!b->client) vec_push(x->mem, &x->moves, ((struct quiet_move){x->at, to}));
      if (!b->client && to == x->reached.count) vec_push(x->mem, &x->reached, ((struct reached){x->at, x->by}));
      if (b->client && node == x->here.node) vec_push(x->mem, &x->quiet, ((struct quiet_move){x->at, to}));
      x->spoke += node != x->here.node;
    }
  }
}

static void expand(struct explorer *x) {
  const struct packed *p = &x->states.at[x->here.state];
  x->moved = x->locked = x->spoke = 0;
  x->returned = false;
  x->system->unpack(x->system, p->at, p->size, x->from);
  for (unsigned t = 0; t < x->system->threads; t++) {
    struct choices choices;
    struct move move;
    choices_begin(&choices);
    do {
      enum moved moved = x->system->move(x->system, x->from, t, &choices, x->to, &move);
      x->by = (struct path_move){.thread = (uint8_t)t, .choices = choices};
      expand_move(x, moved, &move);
    } while (choices_next(&choices));
  }
  if (x->moved || !x->locked) return;
  x->out->kinds.deadlock = true;
  note_wrong(x);
}

static value plain_result(void *self, const struct program_op *op, word w) { return result_value(self, op, w); }

/* Every shared access is a move, and so is every call and every return. */
static struct system *plain_machine(struct mem *mem, struct subject *s) {
  struct machine_options options = {.steps = STEPS_SHARED,
                                    .ops = s->options->ops,
                                    .type_stable = s->unit->harness.type_stable,
                                    .weak_fails = s->options->weak_fails,
                                    .malloc_fails = s->options->malloc_fails};
  return machine_new(mem, s->program, s->client, s->threads, &options, plain_result, s);
}

/* Pairs that go on for ever, or not at all, with no event to come: their histories are as they remain. A pair without
 * moves that waits for no lock has done everything, or asif_require has refused to go on: that is no waiting. */
static void note_ends(struct explorer *x) {
  struct brute *b = x->out;
  uint32_t calls = b->client->first[b->subject->threads];
  for (bool more = true; more;) {
    more = false;
    for (size_t i = x->quiet.count; i-- > 0;) {
      struct quiet_move q = x->quiet.at[i];
      if (x->goes_on.at[q.from] || !x->goes_on.at[q.to]) continue;
      x->goes_on.at[q.from] = more = true;
    }
  }
  for (size_t i = 0; i < x->pairs.count; i++) {
    struct brute_node *n = &b->tree.at[x->pairs.at[i].node];
    if (n->events == 2 * calls) n->ends |= END_WHOLE;
    if (!x->goes_on.at[i]) n->ends |= END_WAITING;
  }
}

static void close_returns(struct explorer *x) {
  for (bool more = true; more;) {
    more = false;
    for (size_t i = x->moves.count; i-- > 0;) {
      struct quiet_move m = x->moves.at[i];
      if (x->returns.at[m.from] || !x->returns.at[m.to]) continue;
      x->returns.at[m.from] = more = true;
    }
  }
}

/* Pairs from which no return can be reached: is one stuck, whatever other threads might call? */
static bool any_stuck(struct explorer *x) {
  struct brute *b = x->out;
  VEC(struct path_move) path = {0};
  close_returns(x);
  for (size_t i = x->pairs.count; i-- > 0;) {
    uint32_t set = b->tree.at[x->pairs.at[i].node].set;
    if (x->returns.at[i] || !specset_owes(b->subject->sets, set)) continue;
    path.count = 0;
    for (uint32_t at = (uint32_t)i; at; at = x->reached.at[at].from) vec_push(x->mem, &path, x->reached.at[at].by);
    for (size_t k = 0; k < path.count / 2; k++) {
      struct path_move m = path.at[k];
      path.at[k] = path.at[path.count - 1 - k];
      path.at[path.count - 1 - k] = m;
    }
    struct stuck_asked asked = {.states = UINT64_MAX, .owed = true};
    enum verdict v = subject_stuck(b->subject, path.at, path.count, &asked);
    if (v == VERDICT_VIOLATED) return true;
    if (v == VERDICT_UNKNOWN) return b->limited = true, false;
    x->returns.at[i] = true;
    close_returns(x);
  }
  return false;
}

static void explore(struct brute *b, size_t pairs_most) {
  struct mem *mem = b->mem;
  struct subject *s = b->subject;
  struct explorer x = {.out = b, .mem = mem, .system = plain_machine(mem, s)};
  struct brute_node root = {.set = specset_initial(s->sets)};
  vec_push(mem, &b->tree, root);
  table_open(&x.state_table, mem, pairs_most);
  table_open(&x.pair_table, mem, pairs_most);
  x.bytes = mem_alloc(mem, x.system->packed_most);
  x.from = mem_zero(mem, 1, x.system->work);
  x.to = mem_zero(mem, 1, x.system->work);
  x.system->start(x.system, x.to);
  struct move start;
  if (machine_start_fault(x.system, &start)) {
    b->kinds.faults = 1u << start.fault;
    b->level = 0;
    return;
  }
  add_pair(&x, (struct pair){state_number(&x, x.to), 0, 0});
  vec_push(mem, &x.reached, ((struct reached){0}));
  for (size_t i = 0; i < x.pairs.count && b->whole; i++) {
    x.here = x.pairs.at[i];
    x.at = (uint32_t)i;
    expand(&x);
    bool goes_on = x.spoke || (!x.moved && !x.locked);
    if (b->client)
      vec_push(mem, &x.goes_on, goes_on);
    else
      vec_push(mem, &x.returns, x.returned || (!x.moved && !x.locked));
    b->whole = x.pairs.count + 64 < pairs_most;
  }
  b->pairs = x.pairs.count;
  b->nodes = b->tree.count;
  if (b->client && b->whole) note_ends(&x);
  if (!b->client && !b->past && b->whole && !b->limited) b->kinds.stuck = any_stuck(&x);
}

void brute_explore(struct brute *b, struct mem *mem, struct subject *s, size_t pairs_most, size_t histories_most) {
  *b = (struct brute){.mem = mem, .subject = s, .whole = true, .level = UINT32_MAX};
  explore(b, pairs_most);
  if (b->whole) decide_all(b, histories_most);
}

void brute_explore_past(struct brute *b, struct mem *mem, struct subject *s, size_t pairs_most) {
  *b = (struct brute){.mem = mem, .subject = s, .past = true, .whole = true, .level = UINT32_MAX};
  explore(b, pairs_most);
}

void brute_enumerate(struct brute *b, struct mem *mem, struct subject *s, const struct brute_client *client,
                     size_t pairs_most) {
  *b = (struct brute){.mem = mem, .subject = s, .client = client, .whole = true, .level = UINT32_MAX};
  explore(b, pairs_most);
}
