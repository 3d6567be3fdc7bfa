/* Stacks: last in, first out; one whose pop may say empty when it is not, and one that holds at most k values.
 *
 * The state is the values inside, bottom first. */
#include "spec/common.h"

enum { PUSH, POP, DRAIN };

#define PUSH_NAMES "push add put insert enq enqueue offer send push-front add-first"
#define POP_NAMES  "pop remove take poll get deq dequeue recv pop-front remove-first try-pop"

static const struct spec_op stack_ops[] = {
    {PUSH_NAMES, 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {POP_NAMES, 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
};

static const struct spec_container pushed = {1u << PUSH, 1u << POP, "pushed", "popped"};

static void stack_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  (void)s;
  uint32_t n;
  const uint32_t *items = state_words(state, &n);
  if (op->method == PUSH) {
    if (result_matches(op, V_NONE)) *outcome_insert(out, state, V_NONE, n, 1) = op->arg[0];
  } else if (!n) {
    if (result_matches(op, V_EMPTY)) outcome_same(out, state, V_EMPTY);
  } else if (result_matches(op, items[n - 1])) {
    outcome_remove(out, state, items[n - 1], n - 1, 1);
  }
}

static void stack_print(const struct spec *s, struct state state, struct text *out) {
  print_values(s, state, 0, 1, "[]", out);
}

const struct spec spec_stack = {.name = "stack",
                                .aliases = "lifo",
                                .summary = "last in, first out; pop of an empty stack returns empty",
                                .ops = stack_ops,
                                .op_count = 2,
                                .family = FAMILY_STACK,
                                .container = &pushed,
                                .data_independent = true,
                                .always = 1u << PUSH,
                                .init = init_empty,
                                .step = stack_step,
                                .print = stack_print,
                                .elements = elements_words,
                                .machine_new = machine_ring_new,
                                .machine_apply = machine_stack_apply};

/* Weak. A drain is a pop that returns empty only where nothing is inside. */

static const struct spec_op weak_ops[] = {
    {PUSH_NAMES, 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {POP_NAMES, 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
    {"drain drain-pop", 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
};
static const struct spec_container drained = {1u << PUSH, 1u << POP | 1u << DRAIN, "pushed", "popped"};

static void weak_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  stack_step(s, state, op, out);
  if (op->method == POP && state.size && result_matches(op, V_EMPTY)) outcome_same(out, state, V_EMPTY);
}

const struct spec spec_weak_stack = {.name = "weak-stack",
                                     .aliases = "spurious-stack",
                                     .summary = "last in, first out, but pop may return empty at any time",
                                     .ops = weak_ops,
                                     .op_count = 3,
                                     .family = FAMILY_STACK,
                                     .container = &drained,
                                     .weak = true,
                                     .loose = POP,
                                     .exact = DRAIN,
                                     .data_independent = true,
                                     .always = 1u << PUSH,
                                     .init = init_empty,
                                     .step = weak_step,
                                     .print = stack_print,
                                     .elements = elements_words};

/* Bounded: with k values inside it is full, and a push then changes nothing and returns full. */

static const struct spec_op bounded_ops[] = {
    {PUSH_NAMES, 1, 1, RESULT_NONE_FULL, PURE_IF_FULL, V_NONE, ARG_ANY},
    {POP_NAMES, 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
};

static void bounded_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  if (op->method == POP || state.size / 4 < s->k)
    stack_step(s, state, op, out);
  else if (result_matches(op, V_FULL))
    outcome_same(out, state, V_FULL);
}

const struct spec spec_bounded_stack = {
    .name = "bounded-stack",
    .aliases = "bounded-lifo bstack",
    .summary = "last in, first out, at most k values inside; push returns full where there is no room",
    .param = "capacity",
    .k = 4,
    .ops = bounded_ops,
    .op_count = 2,
    .family = FAMILY_STACK,
    .container = &pushed,
    .bounded = true,
    .init = init_empty,
    .step = bounded_step,
    .print = stack_print,
    .elements = elements_words,
    .machine_new = machine_ring_new,
    .machine_apply = machine_stack_apply};
