/* Is a short history linearizable? Asked for hundreds of thousands of histories of a few calls each, where
 * check_history takes most of its time to begin and to end.
 *
 * Wing and Gong 1993, section 4: an operation that no other one has to come before is linearized, and then the next.
 * What the specification does with a call in a state is asked once, and its states are numbers. Where an attempt
 * failed, the same operations and the same state need not be tried again. */
#include <string.h>

#include "base/hash.h"
#include "test/test.h"

struct known_state {
  uint32_t offset, size; /* in bytes */
};
struct known_call {
  uint16_t method;
  uint32_t process;
  value arg[OP_ARGS];
};
struct known_step { /* what a call with a result does in a state */
  uint32_t state, call;
  value result;
  uint32_t first, count; /* of `next` */
};
struct tried {
  uint64_t done;
  uint32_t state, round;
};

struct linear {
  struct mem *mem;
  const struct object *object;
  struct spec spec;
  struct values *values;
  VEC(unsigned char) bytes;
  VEC(struct known_state) states;
  uint32_t *state_table; /* number + 1 */
  size_t state_mask;
  VEC(struct known_call) calls;
  VEC(struct known_step) steps;
  uint32_t *step_table;
  size_t step_mask;
  VEC(uint32_t) next;
  VEC(uint32_t) initial;
  struct outcomes outcomes;
  VEC(unsigned char) copy; /* of a state being asked about: outcomes may move */
  /* The history being decided. */
  struct {
    uint64_t before; /* operations that returned before it was called */
    uint32_t call;
    value result;
    bool pending;
  } ops[LINEAR_MOST];
  unsigned count;
  uint64_t returned;          /* all of these must be linearized */
  uint8_t order[LINEAR_MOST]; /* that were, so far */
  struct tried *tried;
  size_t tried_mask, tried_count;
  uint32_t round;
  /* The client's calls, as known ones. */
  const struct client *client;
  VEC(uint32_t) of_client;
};

static uint64_t hash_step(uint32_t state, uint32_t call, value result) {
  return hash_mix(((uint64_t)state << 32 | call) * 0x9e3779b97f4a7c15u ^ result);
}

static uint32_t *new_table(struct mem *m, uint32_t *old, size_t *mask, size_t room) {
  mem_free(m, old);
  *mask = room - 1;
  return mem_zero(m, room, sizeof *old);
}

/* States. */

static uint64_t hash_state(const struct linear *l, const struct known_state *s) {
  return hash_bytes(l->bytes.at + s->offset, s->size);
}

static void grow_states(struct linear *l) {
  l->state_table = new_table(l->mem, l->state_table, &l->state_mask, (l->state_mask + 1) * 2);
  for (uint32_t i = 0; i < l->states.count; i++) {
    size_t at = hash_state(l, &l->states.at[i]) & l->state_mask;
    while (l->state_table[at]) at = (at + 1) & l->state_mask;
    l->state_table[at] = i + 1;
  }
}

static uint32_t number_of(struct linear *l, struct state s) {
  size_t at = hash_bytes(s.at, s.size) & l->state_mask;
  for (; l->state_table[at]; at = (at + 1) & l->state_mask) {
    const struct known_state *k = &l->states.at[l->state_table[at] - 1];
    if (k->size == s.size && (!s.size || !memcmp(l->bytes.at + k->offset, s.at, s.size))) return l->state_table[at] - 1;
  }
  struct known_state k = {(uint32_t)l->bytes.count, s.size};
  vec_reserve(l->mem, &l->bytes, l->bytes.count + s.size + 1);
  if (s.size) memcpy(l->bytes.at + l->bytes.count, s.at, s.size);
  l->bytes.count += s.size;
  vec_push(l->mem, &l->states, k);
  l->state_table[at] = (uint32_t)l->states.count;
  if (l->states.count * 2 > l->state_mask) grow_states(l);
  return (uint32_t)l->states.count - 1;
}

/* Steps. */

static void grow_steps(struct linear *l) {
  l->step_table = new_table(l->mem, l->step_table, &l->step_mask, (l->step_mask + 1) * 2);
  for (uint32_t i = 0; i < l->steps.count; i++) {
    const struct known_step *s = &l->steps.at[i];
    size_t at = hash_step(s->state, s->call, s->result) & l->step_mask;
    while (l->step_table[at]) at = (at + 1) & l->step_mask;
    l->step_table[at] = i + 1;
  }
}

/* Asks the specification. */
static struct known_step ask(struct linear *l, uint32_t state, uint32_t call, value result) {
  const struct known_call *c = &l->calls.at[call];
  const struct known_state *s = &l->states.at[state];
  struct op op = {
      .method = c->method, .process = c->process, .result = result, .ret = result == V_UNKNOWN ? NO_RETURN : 0};
  memcpy(op.arg, c->arg, sizeof op.arg);
  vec_reserve(l->mem, &l->copy, s->size + 8);
  if (s->size) memcpy(l->copy.at, l->bytes.at + s->offset, s->size);
  outcomes_clear(&l->outcomes);
  l->spec.step(&l->spec, (struct state){l->copy.at, s->size}, &op, &l->outcomes);
  struct known_step k = {state, call, result, (uint32_t)l->next.count, 0};
  for (size_t i = 0; i < l->outcomes.list.count; i++) {
    uint32_t to = number_of(l, outcomes_state(&l->outcomes, i));
    vec_push(l->mem, &l->next, to);
    k.count++;
  }
  return k;
}

static struct known_step step(struct linear *l, uint32_t state, uint32_t call, value result) {
  size_t at = hash_step(state, call, result) & l->step_mask;
  for (; l->step_table[at]; at = (at + 1) & l->step_mask) {
    const struct known_step *k = &l->steps.at[l->step_table[at] - 1];
    if (k->state == state && k->call == call && k->result == result) return *k;
  }
  struct known_step k = ask(l, state, call, result);
  vec_push(l->mem, &l->steps, k);
  l->step_table[at] = (uint32_t)l->steps.count;
  if (l->steps.count * 2 > l->step_mask) grow_steps(l);
  return k;
}

/* The history. */

static uint32_t number_of_call(struct linear *l, const struct call *c, uint32_t process) {
  const struct object_op *op = &l->object->ops[c->op];
  struct known_call k = {.method = (uint16_t)op->method, .process = l->spec.by_process ? process : 0};
  for (unsigned a = 0; a < OP_ARGS; a++) k.arg[a] = a < op->arg_count ? value_int(l->values, c->arg[a]) : V_NONE;
  for (uint32_t i = 0; i < l->calls.count; i++) {
    const struct known_call *o = &l->calls.at[i];
    if (o->method == k.method && o->process == k.process && !memcmp(o->arg, k.arg, sizeof k.arg)) return i;
  }
  vec_push(l->mem, &l->calls, k);
  return (uint32_t)l->calls.count - 1;
}

static void know_client(struct linear *l, const struct client *c) {
  l->client = c;
  l->of_client.count = 0;
  for (unsigned t = 0; t < c->threads; t++)
    for (uint32_t i = c->first[t]; i < c->first[t + 1]; i++) {
      uint32_t call = number_of_call(l, &c->calls[i], t);
      vec_push(l->mem, &l->of_client, call);
    }
  for (uint32_t i = 0; l->object->drains && i <= c->first[c->threads]; i++) {
    uint32_t call = number_of_call(l, run_call(c, c->first[c->threads] + i), c->threads);
    vec_push(l->mem, &l->of_client, call);
  }
}

/* Calls of the client are numbered, and so are the operations: those not called are not there. */
static void read_run(struct linear *l, const struct run *r) {
  uint64_t returned = 0;
  uint8_t number[LINEAR_MOST];
  l->count = 0;
  for (size_t i = 0; i < r->moment_count; i++) {
    const struct moment *m = &r->moments[i];
    if (!m->is_return) {
      number[m->call] = (uint8_t)l->count;
      l->ops[l->count].before = returned;
      l->ops[l->count].call = l->of_client.at[m->call];
      l->ops[l->count].result = V_UNKNOWN;
      l->ops[l->count++].pending = true;
      continue;
    }
    unsigned n = number[m->call];
    l->ops[n].pending = false;
    l->ops[n].result = object_result(&l->spec, &l->object->ops[run_call(r->client, m->call)->op], l->values, m->result);
    returned |= (uint64_t)1 << n;
  }
  l->returned = returned;
}

static void grow_tried(struct linear *l) {
  struct tried *old = l->tried;
  size_t room = l->tried_mask + 1;
  l->tried_mask = room * 2 - 1;
  l->tried = mem_zero(l->mem, room * 2, sizeof *l->tried);
  for (size_t i = 0; i < room; i++) {
    if (old[i].round != l->round) continue;
    size_t at = hash_mix(old[i].done ^ (uint64_t)old[i].state << 40) & l->tried_mask;
    while (l->tried[at].round == l->round) at = (at + 1) & l->tried_mask;
    l->tried[at] = old[i];
  }
  mem_free(l->mem, old);
}

/* True if it was tried before. */
static bool try_once(struct linear *l, uint64_t done, uint32_t state) {
  size_t at = hash_mix(done ^ (uint64_t)state << 40) & l->tried_mask;
  for (; l->tried[at].round == l->round; at = (at + 1) & l->tried_mask)
    if (l->tried[at].done == done && l->tried[at].state == state) return true;
  l->tried[at] = (struct tried){done, state, l->round};
  if (++l->tried_count * 2 > l->tried_mask) grow_tried(l);
  return false;
}

static bool linearize(struct linear *l, uint64_t done, uint32_t state) {
  if ((l->returned & ~done) == 0) return true;
  if (try_once(l, done, state)) return false;
  for (unsigned i = 0; i < l->count; i++) {
    if (done >> i & 1 || l->ops[i].before & ~done) continue;
    struct known_step k = step(l, state, l->ops[i].call, l->ops[i].result);
    l->order[__builtin_popcountll(done)] = (uint8_t)i;
    for (uint32_t n = 0; n < k.count; n++)
      if (linearize(l, done | (uint64_t)1 << i, l->next.at[k.first + n])) return true;
  }
  return false;
}

bool linear_can(const struct object *o, const struct run *r) {
  uint32_t calls = r->client->first[r->client->threads];
  return (o->drains ? 2 * calls + 1 : calls) <= LINEAR_MOST;
}

void linear_forget(struct linear *l) { l->client = NULL; }

static void read_history(struct linear *l, const struct run *r) {
  if (r->client != l->client) know_client(l, r->client);
  read_run(l, r);
}

static bool decide(struct linear *l) {
  l->tried_count = 0;
  if (!++l->round) {
    memset(l->tried, 0, (l->tried_mask + 1) * sizeof *l->tried);
    l->round = 1;
  }
  for (size_t i = 0; i < l->initial.count; i++)
    if (linearize(l, 0, l->initial.at[i])) return true;
  return false;
}

bool linear_holds(struct linear *l, const struct run *r) {
  read_history(l, r);
  return decide(l);
}

bool linear_order(struct linear *l, const struct run *r, const uint64_t *before, uint8_t *order, unsigned *count) {
  read_history(l, r);
  for (unsigned i = 0; i < l->count; i++) l->ops[i].before = before[i];
  if (!decide(l)) return false;
  memcpy(order, l->order, sizeof l->order);
  uint64_t done = 0;
  for (*count = 0; l->returned & ~done; (*count)++) done |= (uint64_t)1 << order[*count];
  return true;
}

uint64_t linear_put_by(const struct linear *l, unsigned n) {
  const struct spec_container *c = l->spec.container;
  const struct known_call *taking = &l->calls.at[l->ops[n].call];
  struct op op = {.method = taking->method, .result = l->ops[n].result};
  uint64_t by = 0;
  if (!c || l->ops[n].pending || !spec_op_in(c->takes, op.method) || op_finds_nothing(&l->spec, &op)) return 0;
  for (unsigned i = 0; i < l->count; i++) {
    const struct known_call *call = &l->calls.at[l->ops[i].call];
    if (spec_op_in(c->puts, call->method) && call->arg[0] == op.result) by |= (uint64_t)1 << i;
  }
  return by;
}

struct linear *linear_new(struct mem *m, const struct object *o, const struct spec *spec) {
  struct linear *l = mem_zero(m, 1, sizeof *l);
  l->mem = m;
  l->object = o;
  l->spec = *spec;
  l->spec.values = l->values = values_new(m);
  l->state_table = new_table(m, NULL, &l->state_mask, 256);
  l->step_table = new_table(m, NULL, &l->step_mask, 1024);
  l->tried_mask = 255;
  l->tried = mem_zero(m, l->tried_mask + 1, sizeof *l->tried);
  outcomes_open(&l->outcomes, m);
  l->spec.init(&l->spec, &l->outcomes);
  for (size_t i = 0; i < l->outcomes.list.count; i++) {
    uint32_t state = number_of(l, outcomes_state(&l->outcomes, i));
    vec_push(m, &l->initial, state);
  }
  return l;
}
