/* Sets and multisets. Operations on different values do not meet, so both are keyed by the value.
 *
 * A set's state is its members, sorted by their bits; a multiset's is pairs of member and how often, sorted alike. */
#include "spec/common.h"

enum { ADD, REMOVE, CONTAINS, COUNT };

#define REMOVE_NAMES   "remove delete del rem erase discard take"
#define CONTAINS_NAMES "contains has member find lookup search exists"

static const struct spec_op set_ops[] = {
    {"add insert put", 1, 1, RESULT_BOOL, PURE_IF_FALSE, V_UNKNOWN, ARG_ANY},
    {REMOVE_NAMES, 1, 1, RESULT_BOOL, PURE_IF_FALSE, V_UNKNOWN, ARG_ANY},
    {CONTAINS_NAMES, 1, 1, RESULT_BOOL, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
};

/* The first position, a stride apart, whose word is not less than x. */
static uint32_t place(const uint32_t *words, uint32_t n, uint32_t stride, value x) {
  uint32_t low = 0, high = n / stride;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (words[middle * stride] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low * stride;
}

static void set_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  (void)s;
  uint32_t n;
  const uint32_t *items = state_words(state, &n);
  uint32_t at = place(items, n, 1, op->arg[0]);
  bool inside = at < n && items[at] == op->arg[0];
  value result = (op->method == ADD) != inside ? V_TRUE : V_FALSE;
  if (!result_matches(op, result)) return;
  if (op->method == CONTAINS || result == V_FALSE)
    outcome_same(out, state, result);
  else if (op->method == ADD)
    *outcome_insert(out, state, result, at, 1) = op->arg[0];
  else
    outcome_remove(out, state, result, at, 1);
}

static void set_print(const struct spec *s, struct state state, struct text *out) {
  print_values(s, state, 0, 1, "{}", out);
}

const struct spec spec_set = {
    .name = "set",
    .aliases = "hash-set unique-set",
    .summary = "add and remove return whether they changed the set, contains whether the value is inside",
    .ops = set_ops,
    .op_count = 3,
    .family = FAMILY_SET,
    .keyed = true,
    .data_independent = true,
    .init = init_empty,
    .step = set_step,
    .print = set_print,
    .elements = elements_words,
    .machine_new = machine_table_new,
    .machine_apply = machine_set_apply};

static const struct spec_op multiset_ops[] = {
    {"add insert put", 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {REMOVE_NAMES, 1, 1, RESULT_BOOL, PURE_IF_FALSE, V_UNKNOWN, ARG_ANY},
    {CONTAINS_NAMES, 1, 1, RESULT_BOOL, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
    {"count multiplicity occurrences", 1, 1, RESULT_INT, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
};

static void multiset_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  (void)s;
  uint32_t n;
  const uint32_t *items = state_words(state, &n);
  uint32_t at = place(items, n, 2, op->arg[0]);
  uint32_t count = at < n && items[at] == op->arg[0] ? items[at + 1] : 0;
  value result = op->method == ADD     ? V_NONE
                 : op->method == COUNT ? value_of_small((int32_t)count)
                 : count               ? V_TRUE
                                       : V_FALSE;
  if (!result_matches(op, result)) return;
  if (op->method == ADD && !count) {
    uint32_t *pair = outcome_insert(out, state, result, at, 2);
    pair[0] = op->arg[0];
    pair[1] = 1;
  } else if (op->method == ADD) {
    outcome_remove(out, state, result, n, 0)[at + 1]++;
  } else if (op->method == REMOVE && count == 1) {
    outcome_remove(out, state, result, at, 2);
  } else if (op->method == REMOVE && count) {
    outcome_remove(out, state, result, n, 0)[at + 1]--;
  } else {
    outcome_same(out, state, result);
  }
}

static void multiset_print(const struct spec *s, struct state state, struct text *out) {
  uint32_t n;
  const uint32_t *items = state_words(state, &n);
  text_char(out, '{');
  for (uint32_t i = 0; i < n; i += 2)
    for (uint32_t c = 0; c < items[i + 1]; c++) {
      if (i || c) text_char(out, ' ');
      value_print(s->values, items[i], out);
    }
  text_char(out, '}');
}

static uint32_t multiset_elements(const struct spec *s, struct state state) {
  (void)s;
  uint32_t n, all = 0;
  const uint32_t *items = state_words(state, &n);
  for (uint32_t i = 0; i < n; i += 2) all += items[i + 1];
  return all;
}

const struct spec spec_multiset = {.name = "multiset",
                                   .aliases = "mset",
                                   .summary = "add, remove (returns whether there was one), contains, count",
                                   .ops = multiset_ops,
                                   .op_count = 4,
                                   .family = FAMILY_MULTISET,
                                   .keyed = true,
                                   .data_independent = true,
                                   .always = 1u << ADD,
                                   .init = init_empty,
                                   .step = multiset_step,
                                   .print = multiset_print,
                                   .elements = multiset_elements,
                                   .machine_new = machine_table_new,
                                   .machine_apply = machine_multiset_apply};
