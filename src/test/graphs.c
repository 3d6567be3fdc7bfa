/* Linearizability under weak memory.
 *
 * The order in which events happened to be run says nothing: another that is just as good may have another order of
 * calls and returns. What a client can see is which operations it has ordered itself: by its threads, and by whatever
 * else it does between operations, which is taken to be able to synchronise. So an execution is right if for every set
 * H of edges from the return of an operation to the call of another, such that the execution with H as synchronisation
 * is still one that the model allows, some legal order of the operations extends po and H and explains all results. (A
 * relaxed register is linearizable, then, as it should be; a queue whose `put` returns while its store is still in a
 * buffer is not.)
 *
 * Sets H are not enumerated: an order that explains the results is found, and then *killed* by an edge that contradicts
 * it, if the model allows that; then the next order, until none is left, or none can be killed. These are the hints of
 * Golovin, Kokologiannakis and Vafeiadis, RELINCHE: Automatically Checking Linearizability under Relaxed Memory
 * Consistency (2025). */
#include "test/graphs.h"

#include <string.h>

#include "base/hash.h"

struct killing {
  struct mem *mem;
  struct linear *linear;
  const struct run *run;
  uint32_t call[LINEAR_MOST]; /* of operations: the client's */
  uint8_t fiber[LINEAR_MOST];
  unsigned count;
  struct graph_operations operations;
  bool never[LINEAR_MOST][LINEAR_MOST]; /* the edge is not allowed, even alone */
  struct graph_pair edges[LINEAR_MOST * LINEAR_MOST];
  size_t edge_count;
  VEC(uint64_t) tried; /* hashes of the orders that were asked for */
};

static void read_operations(struct killing *k, uint64_t *before) {
  const struct run *r = k->run;
  const struct graph *g = run_graph();
  struct graph_operations *o = &k->operations;
  unsigned threads = r->client->threads;
  for (size_t moment = 0; moment < r->moment_count; moment++) {
    const struct moment *m = &r->moments[moment];
    if (m->is_return) continue;
    unsigned n = k->count++;
    k->call[n] = m->call;
    k->fiber[n] = m->fiber;
    o->called[n] = o->returned[n] = GRAPH_NONE;
    before[n] = 0;
    for (unsigned i = 0; i < n; i++) /* operations of a thread, and those that drain come last */
      if (k->fiber[i] == m->fiber || m->fiber == threads) before[n] |= (uint64_t)1 << i;
  }
  for (uint32_t s = 0; s < g->count; s++)
    for (unsigned n = 0; g->slots[s].kind >= SLOT_CALL && n < k->count; n++) {
      if (g->slots[s].message != k->call[n] || g->slots[s].fiber != k->fiber[n]) continue;
      if (g->slots[s].kind == SLOT_CALL) o->called[n] = s;
      if (g->slots[s].kind == SLOT_RETURN) o->returned[n] = s;
    }
  o->count = k->count;
  graph_operations(o);
}

static bool tried_before(struct killing *k, const uint64_t *before) {
  uint64_t h = 1;
  for (unsigned i = 0; i < k->count; i++) h = hash_mix(h ^ before[i]);
  for (size_t i = 0; i < k->tried.count; i++)
    if (k->tried.at[i] == h) return true;
  vec_push(k->mem, &k->tried, h);
  return false;
}

/* With operation a before b. */
static void add_before(const struct killing *k, uint64_t *to, const uint64_t *from, unsigned a, unsigned b) {
  uint64_t more = from[a] | (uint64_t)1 << a;
  for (unsigned i = 0; i < k->count; i++) to[i] = i == b || from[i] >> b & 1 ? from[i] | more : from[i];
}

/* True: no order is left. */
static bool kill_orders(struct killing *k, const uint64_t *before) {
  const struct graph_operations *o = &k->operations;
  uint8_t order[LINEAR_MOST];
  unsigned count;
  if (!linear_order(k->linear, k->run, before, order, &count)) return true;
  for (unsigned late = 1; late < count; late++)
    for (unsigned early = late; early-- > 0;) {
      unsigned a = order[late], b = order[early];
      uint64_t more[LINEAR_MOST];
      if (o->returned[a] == GRAPH_NONE || o->called[b] == GRAPH_NONE || before[a] >> b & 1 || k->never[a][b]) continue;
      add_before(k, more, before, a, b);
      if (tried_before(k, more)) continue;
      size_t at = k->edge_count++;
      k->edges[at] = (struct graph_pair){(uint8_t)a, (uint8_t)b};
      if (!graph_allows(o, &k->edges[at], 1))
        k->never[a][b] = true;
      else if ((!at || graph_allows(o, k->edges, k->edge_count)) && kill_orders(k, more))
        return true;
      k->edge_count = at;
    }
  return false;
}

static void say_operation(struct text *t, const struct killing *k, const struct object *o, unsigned n) {
  const struct call *call = run_call(k->run->client, k->call[n]);
  text_printf(t, "%c's %s(", 'A' + k->fiber[n], o->ops[call->op].run.name);
  for (unsigned a = 0; a < o->ops[call->op].arg_count; a++) text_printf(t, "%s%ld", a ? ", " : "", call->arg[a]);
  text_char(t, ')');
}

static const char *say(const struct killing *k, const struct object *o) {
  struct text t;
  text_open(&t, k->mem);
  text_add(&t, "no order of the operations explains their results");
  for (size_t e = 0; e < k->edge_count; e++) {
    text_add(&t, !e ? ", where " : e + 1 == k->edge_count ? " and " : ", ");
    say_operation(&t, k, o, k->edges[e].from);
    text_add(&t, " has returned before ");
    say_operation(&t, k, o, k->edges[e].to);
  }
  if (k->edge_count) text_add(&t, k->edge_count > 1 ? " are called" : " is called");
  return text_string(&t);
}

static struct killing *begin(struct mem *m, struct linear *l, const struct run *r, uint64_t *before) {
  struct killing *k = mem_zero(m, 1, sizeof *k);
  k->mem = m;
  k->linear = l;
  k->run = r;
  read_operations(k, before);
  return k;
}

/* What the answer depends on, where nothing but coherence forbids edges; but for the results. */
static struct hash hash_of(const struct killing *k) {
  const struct graph_operations *o = &k->operations;
  struct hash h = {k->count, k->count};
  for (unsigned a = 0; a < o->count; a++)
    for (unsigned b = 0; b < o->count; b++) {
      uint64_t pair =
          (uint64_t)k->call[a] << 36 | (uint64_t)k->fiber[a] << 28 | (uint64_t)(uint8_t)k->call[b] << 8 | k->fiber[b];
      uint64_t bits = (o->happens[a] >> b & 1) | (o->causes[a] >> b & 1) << 1 | (o->forbids[a] >> b & 1) << 2;
      if (a == b) bits |= (o->returned[a] == GRAPH_NONE ? 8u : 0u) | (o->called[a] == GRAPH_NONE ? 16u : 0u);
      uint64_t one = hash_mix(pair ^ bits << 58);
      h.low += one;
      h.high += hash_mix(one ^ 0x9e3779b97f4a7c15u);
    }
  return h;
}

/* The first operation that takes out a value whose put nothing orders before its return; `count`: there is none. */
static unsigned first_unpublished(const struct killing *k) {
  for (unsigned n = 0; n < k->count; n++) {
    uint64_t by = linear_put_by(k->linear, n);
    bool published = !by;
    for (unsigned i = 0; i < k->count; i++)
      if (by >> i & 1 && (k->fiber[i] == k->fiber[n] || k->operations.happens[i] >> n & 1)) published = true;
    if (!published) return n;
  }
  return k->count;
}

static const char *say_unpublished(const struct killing *k, const struct object *o, unsigned n) {
  struct text t;
  unsigned by = (unsigned)__builtin_ctzll(linear_put_by(k->linear, n));
  text_open(&t, k->mem);
  say_operation(&t, k, o, by);
  text_add(&t, " does not happen before ");
  say_operation(&t, k, o, n);
  text_printf(&t,
              " returns its value: no release of %c reaches an acquire of %c, so if the value is a pointer, say, what "
              "%c wrote there before may not be seen (--published no: values are only values)",
              'A' + k->fiber[by], 'A' + k->fiber[n], 'A' + k->fiber[by]);
  return text_string(&t);
}

enum found graph_linearizable(struct mem *m, struct linear *l, const struct object *o, const struct run *r,
                              const struct known_orders *known, const char **said) {
  uint64_t before[LINEAR_MOST];
  struct killing *k = begin(m, l, r, before);
  if (known->explained && !k->operations.axioms) {
    struct hash h = hash_of(k);
    h.low = hash_mix(h.low ^ known->results.low);
    h.high = hash_mix(h.high ^ known->results.high);
    if (hashes_add(known->explained, h, 0) >= 0) return FOUND_NOTHING;
  }
  if (kill_orders(k, before)) return *said = say(k, o), FOUND_ORDERS;
  bool asked = !o->plain_values && run_graph()->model == MEMORY_C11; /* x86 publishes with every store */
  unsigned n = asked ? first_unpublished(k) : k->count;
  if (n == k->count) return FOUND_NOTHING;
  *said = say_unpublished(k, o, n);
  return FOUND_UNPUBLISHED;
}

bool graph_some_order(struct mem *m, struct linear *l, const struct run *r, uint32_t *order, size_t *count) {
  uint64_t before[LINEAR_MOST];
  uint8_t found[LINEAR_MOST];
  unsigned n;
  begin(m, l, r, before);
  if (!linear_order(l, r, before, found, &n)) return false;
  for (unsigned i = 0; i < n; i++) order[i] = found[i];
  *count = n;
  return true;
}
