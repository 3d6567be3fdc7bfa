/* What the subjects share: values to write, plans of violations, sizes of containers, and stepping by the
 * specification. */
#include "generate/subject.h"

#include <string.h>

/* Values. */

value generate_value(struct generator *g) {
  return value_of_small((int32_t)(g->options->values ? 1 + random_below(g, g->options->values) : ++g->fresh));
}

/* A permutation of the numbers below 2^bits: odd multiples and folding down are both reversible. */
static uint32_t scatter(uint32_t x, uint32_t bits) {
  uint32_t mask = (1u << bits) - 1;
  for (int round = 0; round < 2; round++) {
    x = (x * 0x9e3779b1u) & mask;
    x ^= x >> (bits / 2 + 1);
  }
  return x;
}

value generate_unordered(struct generator *g) {
  return g->options->values ? generate_value(g) : value_of_small((int32_t)scatter(++g->fresh, g->bits));
}

value generate_unheard(struct generator *g) {
  return value_of_small((int32_t)((1u << g->bits) + g->options->values + ++g->unheard));
}

uint16_t generate_method(const struct generator *g, const char *name) {
  int m = spec_op_find(g->spec, name, strlen(name));
  return m < 0 ? 0 : (uint16_t)m;
}

/* Plans. */

void generate_plan(struct generator *g, uint16_t method, value arg0, value arg1, value result) {
  struct planned p = {.op = {.method = method, .arg = {arg0, arg1, V_NONE}, .result = result}};
  vec_push(g->mem, &g->plan, p);
}

struct planned *generate_planned(struct generator *g) {
  return &g->plan.at[g->plan.count - 1];
}

/* Sizes. */

uint32_t generate_size(const struct generator *g) {
  if (g->options->size) return g->options->size;
  uint32_t n = g->options->operations / 16;
  return n < 3 ? 3 : n > 200 ? 200 : n;
}

bool tide_insert(struct generator *g, struct tide *t, uint32_t count) {
  uint32_t empty = g->options->empty > 100 ? 100 : g->options->empty;
  if (!t->turn) {
    uint32_t high = t->size * 10 + random_below(g, t->size * 20 + 1);
    t->low = empty == 100 || (!t->low && empty && t->turn == 0 && t->size && count >= t->size / 2);
    t->turn = t->low ? (empty == 100 ? UINT32_MAX : 1 + high * empty / (100 - empty)) : high;
  }
  if (t->low) {
    if (count <= 3) t->turn--; /* time counts once it is nearly empty */
    return random_below(g, count + 2) == 0;
  }
  t->turn--;
  return random_below(g, 2 * t->size) >= count;
}

/* Stepping. */

void stepper_open(struct generator *g, struct stepper *s) {
  outcomes_open(&s->out, g->mem);
  outcomes_open(&s->now, g->mem);
  g->spec->init(g->spec, &s->now);
}

bool stepper_apply(struct generator *g, struct stepper *s, const struct op *o, value *result) {
  outcomes_clear(&s->out);
  g->spec->step(g->spec, outcomes_state(&s->now, 0), o, &s->out);
  if (!s->out.list.count) return false;
  size_t pick = s->out.list.count > 1 ? random_below(g, (uint32_t)s->out.list.count) : 0;
  struct state next = outcomes_state(&s->out, pick);
  *result = s->out.list.at[pick].result;
  outcomes_clear(&s->now);
  void *to = outcomes_add(&s->now, V_NONE, next.size);
  if (next.size) memcpy(to, next.at, next.size);
  return true;
}

uint32_t stepper_size(const struct stepper *s) { return s->now.list.at[0].size; }
