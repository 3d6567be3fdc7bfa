/* Spec sets in a checkpoint: values, statuses, states and sets, all of which come back with the numbers they had. What
 * was computed from them is computed again. */
#include <string.h>

#include "verify/saved.h"
#include "verify/specset_parts.h"

static void save_values(struct saving *out, const struct values *values) {
  size_t count = values_count(values);
  save_number(out, count);
  for (size_t i = V_UNKNOWN / 2 + 1; i < count; i++) {
    value v = (value)i << 1 | 1;
    bool number = value_kind(values, v) == VALUE_INT;
    save_number(out, number);
    save_number(out, number ? (uint64_t)value_integer(values, v) : 0);
  }
}

/* The table is the subject's own, where what was not yet met is added. */
static void load_values(struct loading *in, struct values *values) {
  uint64_t count = load_number(in);
  for (uint64_t i = V_UNKNOWN / 2 + 1; i < count && load_good(in); i++) {
    bool number = load_number(in) != 0;
    int64_t n = (int64_t)load_number(in);
    value v = (value)(i << 1 | 1);
    if (load_good(in) && (number ? value_int(values, n) != v : i >= values_count(values))) load_fail(in);
  }
}

static void save_statuses(struct saving *out, const struct linearizer *l) {
  save_number(out, l->unknown_result);
  save_number(out, l->statuses.count);
  for (size_t i = 0; i < l->statuses.count; i++) {
    const struct status *s = &l->statuses.at[i];
    save_number(out, s->done);
    save_number(out, s->op.method);
    save_number(out, s->op.result);
    for (unsigned a = 0; a < OP_ARGS; a++) save_number(out, s->op.arg[a]);
  }
}

static void load_statuses(struct loading *in, struct linearizer *l) {
  l->unknown_result |= load_number(in) != 0;
  uint64_t count = load_number(in);
  for (uint64_t i = 1; i <= count && load_good(in); i++) {
    bool done = load_number(in) != 0;
    struct op op = {.method = (uint16_t)load_number(in)};
    op.result = (value)load_number(in);
    for (unsigned a = 0; a < OP_ARGS; a++) op.arg[a] = (value)load_number(in);
    if (!load_good(in)) return;
    if ((!done && op.method >= l->spec->op_count) || (done ? status_done(l, op.result) : status_open(l, &op)) != i)
      load_fail(in);
  }
}

static void save_states(struct saving *out, const struct states *states) {
  uint32_t count = states_count(states);
  save_number(out, count);
  for (uint32_t i = 0; i < count; i++) save_block(out, states_at(states, i).at, states_at(states, i).size);
}

static void load_states(struct loading *in, struct shared *s) {
  enum { MOST = 1 << 20 };
  uint64_t *room = mem_alloc(s->mem, MOST);
  uint64_t count = load_number(in);
  for (uint64_t i = 0; i < count && load_good(in); i++) {
    uint32_t size = load_block(in, room, MOST);
    if (load_good(in) && states_intern(s->lin.states, (struct state){room, size}) != i) load_fail(in);
  }
  mem_free(s->mem, room);
}

void sets_save(struct shared *s, struct saving *out) {
  save_values(out, s->lin.spec->values);
  save_statuses(out, &s->lin);
  save_states(out, s->lin.states);
  save_number(out, s->count);
  for (uint32_t set = 1; set < s->count; set++) {
    const struct set *x = set_at(s, set);
    save_number(out, x->count);
    for (uint32_t i = 0; i < x->count; i++) {
      struct config c = {0};
      memcpy(&c, x->configs + i * s->lin.bytes, s->lin.bytes);
      save_number(out, c.state);
      for (unsigned t = 0; t < s->threads; t++) save_number(out, c.status[t]);
    }
  }
}

static void load_config(struct loading *in, struct shared *s) {
  struct config c = {.state = (uint32_t)load_number(in)};
  bool good = c.state < states_count(s->lin.states);
  for (unsigned t = 0; t < s->threads; t++) {
    c.status[t] = (uint16_t)load_number(in);
    good &= c.status[t] <= s->lin.statuses.count;
  }
  if (good)
    vec_push(s->mem, &s->made, c);
  else
    load_fail(in);
}

bool sets_load(struct shared *s, struct loading *in) {
  s->closed = 0;
  load_values(in, (struct values *)s->lin.spec->values);
  load_statuses(in, &s->lin);
  load_states(in, s);
  uint64_t count = load_number(in);
  for (uint64_t set = 1; set < count && load_good(in); set++) {
    uint64_t configs = load_number(in);
    s->made.count = 0;
    for (uint64_t i = 0; i < configs && load_good(in); i++) load_config(in, s);
    if (load_good(in) && sets_intern(s) != set) load_fail(in);
  }
  return load_good(in);
}
