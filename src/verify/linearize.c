/* Configurations and linearizing: see linearize.h. */
#include "verify/linearize.h"

#include <string.h>

#include "base/hash.h"

enum { POLL_EVERY = 1024 };

void linearizer_open(struct linearizer *l, struct mem *m, const struct spec *spec, unsigned threads) {
  memset(l, 0, sizeof *l);
  l->mem = m;
  l->spec = spec;
  l->threads = threads;
  l->bytes = sizeof(uint32_t) + threads * sizeof(uint16_t);
  l->states = states_new(m, spec);
  memo_open(&l->status_memo, m);
  memo_open(&l->steps, m);
  outcomes_open(&l->scratch, m);
  l->found.mask = 255;
  l->found.slots = mem_zero(m, l->found.mask + 1, sizeof *l->found.slots);
}

/* Statuses. */

static uint16_t add_status(struct linearizer *l, struct status s) {
  if (l->statuses.count == STATUSES_MOST) mem_too_much(l->mem);
  vec_push(l->mem, &l->statuses, s);
  return (uint16_t)l->statuses.count;
}

uint16_t status_open(struct linearizer *l, const struct op *call) {
  for (size_t i = 0; i < l->statuses.count; i++) {
    const struct status *s = &l->statuses.at[i];
    if (!s->done && s->op.method == call->method && !memcmp(s->op.arg, call->arg, sizeof call->arg))
      return (uint16_t)(i + 1);
  }
  struct status s = {.done = false, .op = {.method = call->method, .ret = NO_RETURN, .result = V_UNKNOWN}};
  memcpy(s.op.arg, call->arg, sizeof s.op.arg);
  return add_status(l, s);
}

uint16_t status_done(struct linearizer *l, value result) {
  uint32_t found;
  if (memo_find(&l->status_memo, result, 0, &found)) return (uint16_t)found;
  uint16_t s = add_status(l, (struct status){.done = true, .op = {.result = result}});
  memo_add(&l->status_memo, l->mem, result, 0, s);
  return s;
}

/* Steps. */

static uint32_t outcome_list(struct linearizer *l, uint32_t state, uint16_t call, unsigned process) {
  struct op op = status_at(l, call)->op;
  op.process = process;
  outcomes_clear(&l->scratch);
  l->spec->step(l->spec, states_at(l->states, state), &op, &l->scratch);
  size_t first = l->outcomes.count;
  for (size_t i = 0; i < l->scratch.list.count; i++) {
    value result = l->scratch.list.at[i].result;
    if (result == V_UNKNOWN) l->unknown_result = true;
    struct lin_outcome x = {states_intern(l->states, outcomes_state(&l->scratch, i)), status_done(l, result)};
    vec_push(l->mem, &l->outcomes, x);
  }
  vec_push(l->mem, &l->lists, (uint64_t)first << 32 | (l->outcomes.count - first));
  return (uint32_t)l->lists.count - 1;
}

const struct lin_outcome *linearize_one(struct linearizer *l, uint32_t state, uint16_t call, unsigned thread,
                                        uint32_t *count) {
  uint32_t list;
  unsigned process = l->spec->by_process ? thread : 0;
  uint64_t a = (uint64_t)state << 32 | call;
  if (!memo_find(&l->steps, a, process, &list)) {
    list = outcome_list(l, state, call, process);
    memo_add(&l->steps, l->mem, a, process, list);
  }
  *count = (uint32_t)l->lists.at[list];
  return *count ? l->outcomes.at + (l->lists.at[list] >> 32) : NULL;
}

/* The configurations found, as a hash table. */

/* Few in a large table are taken out one by one: each is somewhere after the place it hashes to. */
static void found_clear(struct linearizer *l) {
  struct configs_found *f = &l->found;
  if (f->list.count * 16 > f->mask) {
    memset(f->slots, 0, ((size_t)f->mask + 1) * sizeof *f->slots);
  } else {
    for (size_t k = 0; k < f->list.count; k++) {
      uint32_t i = (uint32_t)hash_bytes(&f->list.at[k], l->bytes) & f->mask;
      while (f->slots[i] != k + 1) i = (i + 1) & f->mask;
      f->slots[i] = 0;
    }
  }
  f->list.count = f->led_to.count = 0;
}

static uint32_t *place_of(const struct linearizer *l, const struct config *c) {
  const struct configs_found *f = &l->found;
  uint32_t i = (uint32_t)hash_bytes(c, l->bytes) & f->mask;
  while (f->slots[i] && memcmp(&f->list.at[f->slots[i] - 1], c, l->bytes)) i = (i + 1) & f->mask;
  return &f->slots[i];
}

static void found_grow(struct linearizer *l) {
  struct configs_found *f = &l->found;
  uint32_t *larger = mem_zero(l->mem, ((size_t)f->mask + 1) * 2, sizeof *larger);
  mem_free(l->mem, f->slots);
  f->slots = larger;
  f->mask = f->mask * 2 + 1;
  for (size_t i = 0; i < f->list.count; i++) *place_of(l, &f->list.at[i]) = (uint32_t)i + 1;
}

static void found_add(struct linearizer *l, const struct config *c, bool led_to) {
  struct configs_found *f = &l->found;
  uint32_t *slot = place_of(l, c);
  if (*slot) {
    f->led_to.at[*slot - 1] |= led_to;
    return;
  }
  vec_push(l->mem, &f->list, *c);
  vec_push(l->mem, &f->led_to, led_to);
  *slot = (uint32_t)f->list.count;
  if (f->list.count * 2 > f->mask) found_grow(l);
}

/* What linearizing one thread's operation leads to. */
static void expand(struct linearizer *l, const struct config *c, unsigned who, unsigned thread, uint16_t done) {
  uint32_t count;
  const struct lin_outcome *x = linearize_one(l, c->state, c->status[who], who, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (who == thread && x[i].status != done) continue;
    struct config next = *c;
    next.state = x[i].state;
    next.status[who] = x[i].status;
    found_add(l, &next, thread < l->threads && c->status[thread] == done);
  }
}

void linearize(struct linearizer *l, const struct config *from, size_t count, unsigned thread, uint16_t done) {
  found_clear(l);
  for (size_t i = 0; i < count; i++) {
    bool can = thread >= l->threads || from[i].status[thread] == done || is_open(l, from[i].status[thread]);
    if (can) found_add(l, &from[i], false);
  }
  for (size_t i = 0; i < l->found.list.count; i++) {
    if (i % POLL_EVERY == POLL_EVERY - 1) mem_poll(l->mem);
    struct config c = l->found.list.at[i];
    for (unsigned who = 0; who < l->threads; who++)
      if (is_open(l, c.status[who])) expand(l, &c, who, thread, done);
  }
}

/* The operations that have linearized in `to` and not yet in `from` are tried in every order that gives them the
 * results they have there. */
bool linearize_to(struct linearizer *l, const struct config *from, const struct config *to) {
  bool any = false;
  for (unsigned t = 0; t < l->threads; t++) {
    if (from->status[t] == to->status[t]) continue;
    if (!is_open(l, from->status[t]) || to->status[t] == IDLE || is_open(l, to->status[t])) return false;
    any = true;
  }
  if (!any) return from->state == to->state;
  for (unsigned t = 0; t < l->threads; t++) {
    if (from->status[t] == to->status[t]) continue;
    uint32_t count;
    linearize_one(l, from->state, from->status[t], t, &count);
    for (uint32_t i = 0; i < count; i++) {
      struct lin_outcome x = linearize_one(l, from->state, from->status[t], t, &count)[i]; /* may have moved since */
      if (x.status != to->status[t]) continue;
      struct config next = *from;
      next.state = x.state;
      next.status[t] = x.status;
      if (linearize_to(l, &next, to)) return true;
    }
  }
  return false;
}
