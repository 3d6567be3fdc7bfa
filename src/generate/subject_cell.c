/* Registers, with and without compare-and-set, maps of them, and counters. */
#include <string.h>

#include "generate/subject.h"

struct cells {
  value *at; /* a register is a map with one key and no argument for it */
  uint32_t keys, values;
  bool keyed;
  uint16_t read, write, cas, delete;
};

static void open_cells(struct generator *g, uint32_t keys, bool keyed) {
  struct cells *c = g->state = mem_zero(g->mem, 1, sizeof *c);
  c->keys = keys;
  c->keyed = keyed;
  c->read = generate_method(g, keyed ? "get" : "read");
  c->write = generate_method(g, keyed ? "put" : "write");
  c->cas = generate_method(g, "cas");
  c->delete = generate_method(g, "delete");
  c->at = mem_alloc(g->mem, keys * sizeof *c->at);
  for (uint32_t i = 0; i < keys; i++) c->at[i] = V_NIL;
  if (keyed) return;
  struct outcomes initial; /* register(0) begins as 0: ask the specification */
  outcomes_open(&initial, g->mem);
  g->spec->init(g->spec, &initial);
  struct op read = {.method = c->read, .arg = {V_NONE, V_NONE, V_NONE}, .result = V_UNKNOWN};
  struct outcomes out;
  outcomes_open(&out, g->mem);
  g->spec->step(g->spec, outcomes_state(&initial, 0), &read, &out);
  c->at[0] = out.list.at[0].result;
  vec_free(g->mem, &initial.bytes), vec_free(g->mem, &initial.list);
  vec_free(g->mem, &out.bytes), vec_free(g->mem, &out.list);
}

static void open_register(struct generator *g) { open_cells(g, 1, false); }
static void open_map(struct generator *g) { open_cells(g, g->options->keys ? g->options->keys : 10, true); }

/* A key's argument and cell. */
static value key_value(uint32_t k) { return value_of_small((int32_t)k + 1); }

static void set_args(const struct cells *c, struct op *o, uint32_t key, value a, value b) {
  int i = 0;
  if (c->keyed) o->arg[i++] = key_value(key);
  o->arg[i++] = a;
  o->arg[i++] = b;
}

static bool choose_register(struct generator *g, uint32_t thread, struct op *o) {
  (void)thread;
  struct cells *c = g->state;
  bool write = random_below(g, 2);
  o->method = write ? c->write : c->read;
  if (write) set_args(c, o, 0, generate_value(g), V_NONE);
  return true;
}

/* What a cas expects: most often what is there. */
static void choose_cas(struct generator *g, struct cells *c, struct op *o, uint32_t key) {
  value expected = random_below(g, 3) ? c->at[key] : generate_value(g);
  o->method = c->cas;
  set_args(c, o, key, expected, generate_value(g));
}

static bool choose_cas_register(struct generator *g, uint32_t thread, struct op *o) {
  struct cells *c = g->state;
  if (random_below(g, 3)) return choose_register(g, thread, o);
  choose_cas(g, c, o, 0);
  return true;
}

static bool choose_map(struct generator *g, uint32_t thread, struct op *o) {
  (void)thread;
  struct cells *c = g->state;
  uint32_t key = random_below(g, c->keys), what = random_below(g, 20);
  if (what >= 18) {
    choose_cas(g, c, o, key);
    return true;
  }
  o->method = what < 9 ? c->read : what < 17 ? c->write : c->delete;
  set_args(c, o, key, o->method == c->write ? generate_value(g) : (value)V_NONE, V_NONE);
  return true;
}

static bool apply(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  struct cells *c = g->state;
  value *cell = c->keyed ? &c->at[value_small(o->arg[0]) - 1] : c->at;
  const value *arg = o->arg + c->keyed;
  *result = V_NONE;
  if (o->method == c->read) {
    *result = *cell;
  } else if (o->method == c->write) {
    *cell = *arg;
  } else if (o->method == c->cas) {
    *result = *cell == arg[0] ? V_TRUE : V_FALSE;
    if (*result == V_TRUE) *cell = arg[1];
  } else {
    *cell = V_NIL;
  }
  return true;
}

static const struct bad_kind cell_kinds[] = {
    {"stale", "a read returns a value that was overwritten before it began"},
    {"phantom", "a read returns a value that was never written"},
    {"lost", "a read returns what was there before, as if a write had not happened"},
    {NULL, NULL},
};
static const struct bad_kind cas_kinds[] = {
    {"stale", "a read returns a value that was overwritten before it began"},
    {"phantom", "a read returns a value that was never written"},
    {"lost", "a read returns what was there before, as if a write had not happened"},
    {"cas", "a compare-and-set succeeds on a value that was never written"},
    {NULL, NULL},
};

static void planned(struct generator *g, uint16_t method, uint32_t key, value a, value b, value result) {
  struct cells *c = g->state;
  struct op o = {.arg = {V_NONE, V_NONE, V_NONE}};
  set_args(c, &o, key, a, b);
  generate_plan(g, method, o.arg[0], o.arg[1], result);
  generate_planned(g)->op.arg[2] = o.arg[2];
}

static void plan(struct generator *g, const char *kind) {
  struct cells *c = g->state;
  uint32_t key = random_below(g, c->keys);
  value old = generate_unheard(g), new = generate_unheard(g);
  if (!strcmp(kind, "stale")) {
    planned(g, c->write, key, old, V_NONE, V_NONE);
    planned(g, c->write, key, new, V_NONE, V_NONE);
    planned(g, c->read, key, V_NONE, V_NONE, old);
  } else if (!strcmp(kind, "lost")) { /* two reads of the old value with a write of another in between */
    planned(g, c->write, key, old, V_NONE, V_NONE);
    planned(g, c->read, key, V_NONE, V_NONE, old);
    planned(g, c->write, key, new, V_NONE, V_NONE);
    planned(g, c->read, key, V_NONE, V_NONE, old);
  } else if (!strcmp(kind, "phantom")) {
    planned(g, c->read, key, V_NONE, V_NONE, old);
  } else {
    planned(g, c->cas, key, old, new, V_TRUE);
  }
}

/* Counters. */

struct counter {
  int64_t now;
  uint16_t read, inc, dec, fetch_add;
};
enum { MOST = 3 }; /* added at once */

static void open_counter(struct generator *g) {
  struct counter *c = g->state = mem_zero(g->mem, 1, sizeof *c);
  c->read = generate_method(g, "read");
  c->inc = generate_method(g, "inc");
  c->dec = generate_method(g, "dec");
  c->fetch_add = generate_method(g, "fetch-add");
}

static bool choose_counter(struct generator *g, uint32_t thread, struct op *o) {
  (void)thread;
  struct counter *c = g->state;
  o->method = (uint16_t)random_below(g, g->spec->op_count);
  if (o->method == c->read && random_below(g, 2)) o->method = c->inc;
  if (o->method != c->read && random_below(g, 2)) o->arg[0] = value_of_small(1 + (int32_t)random_below(g, MOST));
  return true;
}

static bool apply_counter(struct generator *g, uint32_t thread, const struct op *o, value *result) {
  (void)thread;
  struct counter *c = g->state;
  int64_t n = o->arg[0] == V_NONE ? 1 : value_small(o->arg[0]), old = c->now;
  *result = V_NONE;
  if (o->method == c->read)
    *result = value_int(g->history->values, old);
  else
    c->now += o->method == c->dec ? -n : n;
  if (o->method == c->fetch_add)
    *result = value_int(g->history->values, old);
  else if (o->method != c->read && o->method != c->inc && o->method != c->dec)
    *result = value_int(g->history->values, c->now);
  return true;
}

static const struct bad_kind counter_kinds[] = {
    {"wrong", "a read returns more than pending operations could have added since the read before it"},
    {NULL, NULL},
};

static void plan_counter(struct generator *g, const char *kind) {
  (void)kind;
  struct counter *c = g->state;
  g->alone = true;
  generate_plan(g, c->read, V_NONE, V_NONE, V_UNKNOWN);
  generate_planned(g)->real = true;
  generate_plan(g, c->read, V_NONE, V_NONE, V_UNKNOWN);
  generate_planned(g)->late = true;
}

static void adapt_counter(struct generator *g, struct planned *p) {
  struct counter *c = g->state;
  p->op.result = value_int(g->history->values, c->now + 1 + (int64_t)MOST * g->options->pending);
}

const struct subject subject_register = {.families = 1u << FAMILY_REGISTER,
                                         .kinds = cell_kinds,
                                         .open = open_register,
                                         .choose = choose_register,
                                         .apply = apply,
                                         .plan = plan};
const struct subject subject_cas_register = {.families = 1u << FAMILY_REGISTER,
                                             .variant = VARIANT_CAS,
                                             .kinds = cas_kinds,
                                             .open = open_register,
                                             .choose = choose_cas_register,
                                             .apply = apply,
                                             .plan = plan};
const struct subject subject_map = {.families = 1u << FAMILY_MAP,
                                    .kinds = cas_kinds,
                                    .open = open_map,
                                    .choose = choose_map,
                                    .apply = apply,
                                    .plan = plan};
const struct subject subject_counter = {.families = 1u << FAMILY_COUNTER,
                                        .kinds = counter_kinds,
                                        .open = open_counter,
                                        .choose = choose_counter,
                                        .apply = apply_counter,
                                        .plan = plan_counter,
                                        .adapt = adapt_counter};
