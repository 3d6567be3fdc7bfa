/* Bags, or pools: a removal takes any value that is inside. The strict one returns empty exactly where nothing is
 * inside; the weak one at any time.
 *
 * The state is the values inside, sorted by their bits: order says nothing. */
#include "spec/common.h"

enum { PUT, TAKE, DRAIN };

static const struct spec_op bag_ops[] = {
    {"put add insert push enq enqueue offer give release free", 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"take try-take get remove pop deq dequeue poll acquire alloc", 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN,
     ARG_ANY},
    {"drain", 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY}, /* of the weak one: an exact take */
};

static const struct spec_container held = {1u << PUT, 1u << TAKE, "put in", "taken"};
static const struct spec_container drained = {1u << PUT, 1u << TAKE | 1u << DRAIN, "put in", "taken"};

static void bag_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  uint32_t n;
  const uint32_t *items = state_words(state, &n);
  if (op->method == PUT) {
    if (!result_matches(op, V_NONE)) return;
    uint32_t at = n;
    while (at && items[at - 1] > op->arg[0]) at--;
    *outcome_insert(out, state, V_NONE, at, 1) = op->arg[0];
    return;
  }
  if ((!n || (s->weak && op->method == TAKE)) && result_matches(op, V_EMPTY)) outcome_same(out, state, V_EMPTY);
  for (uint32_t i = 0; i < n; i++)
    if (result_matches(op, items[i]) && (!i || items[i] != items[i - 1])) outcome_remove(out, state, items[i], i, 1);
}

static void bag_print(const struct spec *s, struct state state, struct text *out) {
  print_values(s, state, 0, 1, "{}", out);
}

const struct spec spec_bag = {.name = "bag",
                              .aliases = "pool object-pool unordered-queue",
                              .summary = "take returns any value inside; empty where there is none",
                              .ops = bag_ops,
                              .op_count = 2,
                              .family = FAMILY_BAG,
                              .container = &held,
                              .data_independent = true,
                              .always = 1u << PUT,
                              .init = init_empty,
                              .step = bag_step,
                              .print = bag_print,
                              .elements = elements_words};

const struct spec spec_weak_bag = {.name = "weak-bag",
                                   .aliases = "weak-pool",
                                   .summary = "take returns any value inside, or empty at any time",
                                   .ops = bag_ops,
                                   .op_count = 3,
                                   .family = FAMILY_BAG,
                                   .container = &drained,
                                   .weak = true,
                                   .loose = TAKE,
                                   .exact = DRAIN,
                                   .data_independent = true,
                                   .always = 1u << PUT,
                                   .init = init_empty,
                                   .step = bag_step,
                                   .print = bag_print,
                                   .elements = elements_words};
