/* Whether a client may be made: what its calls can do one at a time, by the specification.
 *
 * Two things rule a client out. With a bound, no order of the calls may bring more elements inside than that. With an
 * object whose operations depend on who calls them (locks), no thread may do what is allowed nowhere, such as releasing
 * what it has not acquired: the object could only be blamed for what the client did. */
#include <string.h>

#include "base/hash.h"
#include "test/clients.h"

int compare_call(const struct call *a, const struct call *b) {
  if (a->op != b->op) return a->op < b->op ? -1 : 1;
  for (int i = 0; i < CALL_ARGS; i++)
    if (a->arg[i] != b->arg[i]) return a->arg[i] < b->arg[i] ? -1 : 1;
  return 0;
}

static struct op step_of(const struct spec *spec, const struct object *o, const struct call *call, unsigned thread) {
  const struct object_op *op = &o->ops[call->op];
  int method = spec_op_find(spec, op->run.name, strlen(op->run.name));
  struct op step = {.method = (uint16_t)method, .process = thread, .result = V_UNKNOWN, .ret = NO_RETURN};
  for (unsigned a = 0; a < OP_ARGS; a++)
    step.arg[a] = a < op->arg_count ? value_int((struct values *)spec->values, call->arg[a]) : V_NONE;
  return step;
}

/* Threads alone. */

/* A thread that could not make its calls with nobody else around misuses the object. With others around a try may fail,
 * and then what follows must be right too. */
static bool can_alone(struct mem *scratch, const struct spec *spec, const struct object *o, const struct client *c,
                      unsigned thread, uint32_t at, struct state state) {
  if (at == c->first[thread + 1]) return true;
  struct outcomes out;
  struct op step = step_of(spec, o, &c->calls[at], thread);
  if (c->threads > 1 && spec->ops[step.method].pure == PURE_IF_FALSE &&
      !can_alone(scratch, spec, o, c, thread, at + 1, state))
    return false;
  outcomes_open(&out, scratch);
  spec->step(spec, state, &step, &out);
  for (size_t i = 0; i < out.list.count; i++)
    if (can_alone(scratch, spec, o, c, thread, at + 1, outcomes_state(&out, i))) return true;
  return false;
}

bool client_misuses(struct mem *scratch, const struct object *o, const struct client *c) {
  if (o->self || !o->spec.by_process) return false;
  struct spec spec = o->spec;
  struct outcomes out;
  spec.values = values_new(scratch);
  outcomes_open(&out, scratch);
  spec.init(&spec, &out);
  for (unsigned t = 0; t < c->threads; t++)
    if (!out.list.count || !can_alone(scratch, &spec, o, c, t, c->first[t], outcomes_state(&out, 0))) return true;
  return false;
}

/* Every order of the calls. */

enum { MISUSES_MOST = 200000 }; /* states: a client written by hand may have any number */

struct walk {
  struct mem *mem;
  const struct object *object;
  const struct client *client;
  struct spec spec;
  bool (*ends)(struct walk *, struct state); /* what is looked for */
  uint32_t *at;                              /* of each thread: its next call */
  uint32_t found;                            /* the call looked for */
  size_t most;                               /* states that are looked at, before the walk is given up; 0: all */
  VEC(struct state) seen; /* states of the specification with `at` before them: what has been looked at */
  uint32_t *table;        /* of them: index + 1 */
  size_t table_mask;
};

static void grow_table(struct walk *w) {
  mem_free(w->mem, w->table);
  w->table_mask = w->table_mask ? w->table_mask * 2 + 1 : 255;
  w->table = mem_zero(w->mem, w->table_mask + 1, sizeof *w->table);
  for (size_t i = 0; i < w->seen.count; i++) {
    size_t at = hash_bytes(w->seen.at[i].at, w->seen.at[i].size) & w->table_mask;
    while (w->table[at]) at = (at + 1) & w->table_mask;
    w->table[at] = (uint32_t)i + 1;
  }
}

static bool seen_before(struct walk *w, struct state s) {
  size_t positions = w->client->threads * sizeof *w->at, size = positions + s.size;
  if (w->seen.count * 2 >= w->table_mask) grow_table(w);
  char *copy = mem_piece(w->mem, size + 1);
  memcpy(copy, w->at, positions);
  if (s.size) memcpy(copy + positions, s.at, s.size);
  size_t at = hash_bytes(copy, size) & w->table_mask;
  for (; w->table[at]; at = (at + 1) & w->table_mask) {
    const struct state *known = &w->seen.at[w->table[at] - 1];
    if (known->size == size && !memcmp(known->at, copy, size)) return true;
  }
  vec_push(w->mem, &w->seen, ((struct state){copy, (uint32_t)size}));
  w->table[at] = (uint32_t)w->seen.count;
  return false;
}

/* True if a thread before t has the same calls left: whichever goes on, it comes to the same. */
static bool same_left(const struct walk *w, unsigned t) {
  const struct client *c = w->client;
  uint32_t at = w->at[t], left = c->first[t + 1] - at;
  for (unsigned u = 0; !w->spec.by_process && u < t; u++) {
    uint32_t other = w->at[u], i = 0;
    if (c->first[u + 1] - other != left) continue;
    while (i < left && !compare_call(&c->calls[other + i], &c->calls[at + i])) i++;
    if (i == left) return true;
  }
  return false;
}

static bool walk_from(struct walk *w, struct state state) {
  mem_poll(w->mem);
  if (w->ends(w, state)) return true;
  if (seen_before(w, state) || (w->most && w->seen.count > w->most)) return false;
  for (unsigned t = 0; t < w->client->threads; t++) {
    if (w->at[t] == w->client->first[t + 1] || same_left(w, t)) continue;
    struct op step = step_of(&w->spec, w->object, &w->client->calls[w->at[t]], t);
    struct outcomes out;
    outcomes_open(&out, w->mem);
    w->spec.step(&w->spec, state, &step, &out);
    w->at[t]++;
    bool ended = false;
    for (size_t i = 0; i < out.list.count && !ended; i++) ended = walk_from(w, outcomes_state(&out, i));
    w->at[t]--;
    mem_free(w->mem, out.bytes.at);
    mem_free(w->mem, out.list.at);
    if (ended) return true;
  }
  return false;
}

/* True if some order of the calls comes to a state that is looked for. */
static bool walk(struct walk *w) {
  const struct client *c = w->client;
  struct outcomes initial;
  w->spec.values = values_new(w->mem);
  w->at = mem_piece(w->mem, c->threads * sizeof *w->at);
  memcpy(w->at, c->first, c->threads * sizeof *w->at);
  outcomes_open(&initial, w->mem);
  w->spec.init(&w->spec, &initial);
  for (size_t i = 0; i < initial.list.count; i++)
    if (walk_from(w, outcomes_state(&initial, i))) return true;
  return false;
}

static bool has_too_many(struct walk *w, struct state state) {
  return w->spec.elements(&w->spec, state) > (uint32_t)w->object->bound;
}

bool client_exceeds_bound(struct mem *scratch, const struct object *o, const struct client *c) {
  struct walk w = {.mem = scratch, .object = o, .client = c, .spec = o->bounded, .ends = has_too_many};
  return walk(&w);
}

/* True if a thread's next call is possible neither with what the thread holds nor with nothing held. A thread that
 * waits for itself makes a call that would be possible with nothing held, and is not a misuse. */
static bool has_misuse(struct walk *w, struct state state) {
  const struct client *c = w->client;
  for (unsigned t = 0; t < c->threads; t++) {
    if (w->at[t] == c->first[t + 1]) continue;
    struct op step = step_of(&w->spec, w->object, &c->calls[w->at[t]], t);
    struct outcomes own, out;
    outcomes_open(&own, w->mem);
    outcomes_open(&out, w->mem);
    w->spec.alone(&w->spec, state, t, &own);
    w->spec.init(&w->spec, &own);
    for (size_t i = 0; i < own.list.count; i++) w->spec.step(&w->spec, outcomes_state(&own, i), &step, &out);
    bool possible = out.list.count;
    mem_free(w->mem, own.bytes.at);
    mem_free(w->mem, own.list.at);
    mem_free(w->mem, out.bytes.at);
    mem_free(w->mem, out.list.at);
    if (possible) continue;
    w->found = w->at[t];
    return true;
  }
  return false;
}

bool client_finds_misuse(struct mem *m, const struct object *o, const struct client *c, uint32_t *call) {
  if (o->self || !o->spec.alone) return false;
  struct walk w = {.mem = m, .object = o, .client = c, .spec = o->spec, .ends = has_misuse, .most = MISUSES_MOST};
  bool found = walk(&w);
  *call = w.found;
  return found;
}
