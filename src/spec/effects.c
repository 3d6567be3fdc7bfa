/* Effects run on contents that are known: the state is the values inside, of a sequence in their order, of a multiset
 * in that of their bits. */
#include "spec/effects.h"

#include "spec/common.h"

struct matching {
  const struct effect *e;
  const struct op *op;
  struct state state;
  struct outcomes *out;
  size_t from;                    /* outcomes of this step begin here */
  value bound[EFFECT_NAMES_MOST]; /* V_NONE: not known yet */
  VEC(value) rest;                /* where what is left of a multiset is written */
};

static value term_value(const struct matching *m, const struct effect_term *t) {
  return t->kind == EFFECT_NAME ? m->bound[t->name] : value_of_small((int32_t)t->number);
}

/* Is this item that value? A name that has none is it from now on. */
static bool is_item(struct matching *m, const struct effect_term *t, value v) {
  value is = term_value(m, t);
  if (is == V_NONE) m->bound[t->name] = v;
  return is == V_NONE || is == v;
}

static value result_of(const struct matching *m) {
  switch (m->e->result) {
  case RETURNS_VALUE: return term_value(m, &m->e->value);
  case RETURNS_EMPTY: return V_EMPTY;
  case RETURNS_TRUE: return V_TRUE;
  case RETURNS_FALSE: return V_FALSE;
  default: return V_NONE;
  }
}

static void sort(uint32_t *words, uint32_t count) {
  for (uint32_t i = 1; i < count; i++)
    for (uint32_t k = i; k && words[k - 1] > words[k]; k--) {
      uint32_t w = words[k];
      words[k] = words[k - 1];
      words[k - 1] = w;
    }
}

/* All of `before` is found, and the rest is what is left: afterwards is this. */
static void add_outcome(struct matching *m, const value *rest, uint32_t count, bool sequence) {
  const struct effect_contents *c = &m->e->after;
  value result = result_of(m);
  if (m->e->has_absent)
    for (uint32_t i = 0; i < count; i++)
      if (rest[i] == term_value(m, &m->e->absent)) return;
  if (!result_matches(m->op, result)) return;
  uint32_t kept = c->has_rest ? count : 0, *to = add_words(m->out, result, kept + c->first + c->last), *at = to;
  for (unsigned i = 0; i < c->first; i++) *at++ = term_value(m, &c->item[i]);
  copy_words(at, rest, kept);
  at += kept;
  for (unsigned i = 0; i < c->last; i++) *at++ = term_value(m, &c->item[c->first + i]);
  if (!sequence) sort(to, (uint32_t)(at - to));
  outcomes_distinct(m->out, m->from);
}

static void match_sequence(struct matching *m) {
  const struct effect_contents *c = &m->e->before;
  uint32_t n;
  const uint32_t *items = state_words(m->state, &n);
  if (c->first + c->last > n || (!c->has_rest && c->first + c->last != n)) return;
  for (unsigned i = 0; i < c->first; i++)
    if (!is_item(m, &c->item[i], items[i])) return;
  for (unsigned i = 0; i < c->last; i++)
    if (!is_item(m, &c->item[c->first + i], items[n - c->last + i])) return;
  add_outcome(m, items + c->first, n - c->first - c->last, true);
}

/* Item i of the pattern may be any of those that are left. */
static void match_multiset(struct matching *m, unsigned i, const value *left, uint32_t count) {
  const struct effect_contents *c = &m->e->before;
  if (i == c->first) {
    if (c->has_rest || !count) add_outcome(m, left, count, false);
    return;
  }
  for (uint32_t k = 0; k < count; k++) {
    if (k && left[k] == left[k - 1]) continue;
    value was[EFFECT_NAMES_MOST];
    memcpy(was, m->bound, sizeof was);
    if (is_item(m, &c->item[i], left[k])) {
      value *without = m->rest.at + m->rest.count;
      m->rest.count += count - 1;
      copy_words(without, left, k);
      copy_words(without + k, left + k + 1, count - k - 1);
      match_multiset(m, i + 1, without, count - 1);
      m->rest.count -= count - 1;
    }
    memcpy(m->bound, was, sizeof was);
  }
}

static void effects_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  const struct effects *all = s->user;
  struct matching m = {.op = op, .state = state, .out = out, .from = out->list.count};
  uint32_t n;
  const uint32_t *items = state_words(state, &n);
  if (!all->sequence) vec_reserve(out->mem, &m.rest, (size_t)(n + 1) * (EFFECT_ITEMS_MOST + 1));
  for (size_t i = 0; i < all->list.count; i++) {
    m.e = &all->list.at[i];
    if (m.e->op != op->method) continue;
    for (unsigned k = 0; k < EFFECT_NAMES_MOST; k++) m.bound[k] = k < m.e->args ? op->arg[k] : V_NONE;
    if (all->sequence)
      match_sequence(&m);
    else
      match_multiset(&m, 0, items, n);
  }
  vec_free(out->mem, &m.rest);
}

static void effects_print(const struct spec *s, struct state state, struct text *out) {
  print_values(s, state, 0, 1, ((const struct effects *)s->user)->sequence ? "[]" : "{}", out);
}

/* What is known of an operation by its result alone. */
static uint8_t pure_of(const struct effects *x, unsigned op) {
  bool always = true, if_false = true, if_empty = true;
  for (size_t i = 0; i < x->list.count; i++) {
    const struct effect *e = &x->list.at[i];
    if (e->op != op || e->pure) continue;
    always = false;
    if_false &= e->result == RETURNS_TRUE;
    if_empty &= e->result == RETURNS_VALUE;
  }
  return always ? PURE_ALWAYS : if_false ? PURE_IF_FALSE : if_empty ? PURE_IF_EMPTY : PURE_NEVER;
}

void effects_spec(struct mem *m, const struct effects *x, struct spec *out) {
  struct spec_op *ops = mem_zero(m, x->ops.count, sizeof *ops);
  for (size_t i = 0; i < x->ops.count; i++) {
    const struct effect_op *o = &x->ops.at[i];
    ops[i] = (struct spec_op){.names = o->name,
                              .args = (uint8_t)o->args,
                              .args_most = (uint8_t)o->args,
                              .result = o->silent  ? RESULT_NONE
                                        : o->truth ? RESULT_BOOL
                                                   : RESULT_VALUE,
                              .pure = pure_of(x, (unsigned)i),
                              .echo = o->silent ? V_NONE : V_UNKNOWN};
  }
  *out = (struct spec){.name = x->name,
                       .aliases = "",
                       .summary = "given by its effects",
                       .ops = ops,
                       .op_count = (unsigned)x->ops.count,
                       .user = (void *)x,
                       .init = init_empty,
                       .step = effects_step,
                       .print = effects_print,
                       .elements = elements_words};
}
