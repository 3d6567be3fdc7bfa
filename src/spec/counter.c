/* A counter: an integer that starts at 0, is added to, and read.
 *
 * The state is a 64-bit integer; sums wrap around as the machine's do. */
#include "spec/common.h"

enum { READ, INC, DEC, FETCH_ADD, ADD_FETCH };

static const struct spec_op counter_ops[] = {
    {"read get load value", 0, 0, RESULT_INT, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
    {"inc increment add plus up", 0, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_INT},
    {"dec decrement sub subtract minus down", 0, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_INT},
    {"fetch-add fetch-and-add get-and-add faa fetch-inc fetch-and-increment get-and-increment", 0, 1, RESULT_INT,
     PURE_NEVER, V_UNKNOWN, ARG_INT},
    {"add-fetch add-and-fetch add-and-get inc-fetch increment-and-get next", 0, 1, RESULT_INT, PURE_NEVER, V_UNKNOWN,
     ARG_INT},
};

static int64_t argument(const struct spec *s, const struct op *op) {
  return op->arg[0] == V_NONE ? 1 : value_integer(s->values, op->arg[0]);
}

static void counter_init(const struct spec *s, struct outcomes *out) {
  (void)s;
  memset(outcomes_add(out, V_NONE, 8), 0, 8);
}

/* Adds the outcome `next` if the operation may return `result`. A large result that no operation of the history
 * has is in no table of values: it stays unknown. */
static void outcome(const struct spec *s, const struct op *op, int64_t next, int64_t result, struct outcomes *out) {
  value r = result >= VALUE_SMALL_MIN && result <= VALUE_SMALL_MAX ? value_of_small((int32_t)result) : V_UNKNOWN;
  if (op->result != V_UNKNOWN) {
    if (value_kind(s->values, op->result) != VALUE_INT || value_integer(s->values, op->result) != result) return;
    r = op->result;
  }
  memcpy(outcomes_add(out, r, 8), &next, 8);
}

static void counter_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  int64_t now, next;
  memcpy(&now, state.at, 8);
  if (op->method == READ) {
    outcome(s, op, now, now, out);
    return;
  }
  uint64_t n = (uint64_t)argument(s, op);
  next = (int64_t)(op->method == DEC ? (uint64_t)now - n : (uint64_t)now + n);
  switch (op->method) {
  case FETCH_ADD: outcome(s, op, next, now, out); return;
  case ADD_FETCH: outcome(s, op, next, next, out); return;
  default:
    if (result_matches(op, V_NONE)) memcpy(outcomes_add(out, V_NONE, 8), &next, 8);
  }
}

static void counter_print(const struct spec *s, struct state state, struct text *out) {
  (void)s;
  int64_t now;
  memcpy(&now, state.at, 8);
  text_printf(out, "count %lld", (long long)now);
}

/* How far it is from 0, either way. */
static uint32_t counter_elements(const struct spec *s, struct state state) {
  (void)s;
  int64_t now;
  memcpy(&now, state.at, 8);
  uint64_t far = now < 0 ? -(uint64_t)now : (uint64_t)now;
  return far < UINT32_MAX ? (uint32_t)far : UINT32_MAX;
}

const struct spec spec_counter = {
    .name = "counter",
    .aliases = "atomic-counter fetch-add-counter",
    .summary = "an integer, 0 at first; inc and dec by n (1 if not given), read, fetch-add (returns the old value)",
    .ops = counter_ops,
    .op_count = 5,
    .family = FAMILY_COUNTER,
    .always = 1u << INC | 1u << DEC,
    .init = counter_init,
    .step = counter_step,
    .print = counter_print,
    .elements = counter_elements,
    .machine_new = machine_cell_new,
    .machine_apply = machine_counter_apply};
