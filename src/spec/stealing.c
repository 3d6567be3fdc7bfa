/* Work-stealing deques: the owner pushes and pops at one end, thieves steal at the other (Chase and Lev 2005). A steal
 * that loses a race may give up: it returns abort (V_FALSE of a RESULT_VALUE_ABORT), at any time, and changes nothing.
 * Where an implementation does not tell that from empty, it is the weak one: a steal may return empty at any time. A
 * pop returns empty exactly where nothing is inside, in both.
 *
 * Who calls what is the client's business (ASIF_ROLE); here any process may call any operation. The state is the
 * values inside, oldest first. */
#include "spec/common.h"

enum { PUSH, POP, STEAL, DRAIN };

static const struct spec_op stealing_ops[] = {
    {"push push-bottom push-back put add", 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"pop pop-bottom pop-back take", 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
    {"steal pop-top pop-front", 0, 0, RESULT_VALUE_ABORT, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
    {"drain", 0, 0, RESULT_VALUE_ABORT, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY}, /* of the weak one: an exact steal */
};

static const struct spec_container pushed = {1u << PUSH, 1u << POP | 1u << STEAL, "pushed", "taken"};
static const struct spec_container drained = {1u << PUSH, 1u << POP | 1u << STEAL | 1u << DRAIN, "pushed", "taken"};

static void stealing_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  uint32_t n;
  const uint32_t *items = state_words(state, &n);
  if (op->method == PUSH) {
    if (result_matches(op, V_NONE)) *outcome_insert(out, state, V_NONE, n, 1) = op->arg[0];
    return;
  }
  if (op->method != POP && result_matches(op, V_FALSE)) outcome_same(out, state, V_FALSE);
  if ((!n || (s->weak && op->method == STEAL)) && result_matches(op, V_EMPTY)) outcome_same(out, state, V_EMPTY);
  if (!n) return;
  uint32_t at = op->method == POP ? n - 1 : 0;
  if (result_matches(op, items[at])) outcome_remove(out, state, items[at], at, 1);
}

static void stealing_print(const struct spec *s, struct state state, struct text *out) {
  print_values(s, state, 0, 1, "[]", out);
}

const struct spec spec_work_stealing_deque = {
    .name = "work-stealing-deque",
    .aliases = "chase-lev work-stealing-queue",
    .summary = "push and pop at one end, steal at the other; a steal may return abort at any time",
    .ops = stealing_ops,
    .op_count = 3,
    .family = FAMILY_WORK_STEALING,
    .container = &pushed,
    .data_independent = true,
    .always = 1u << PUSH,
    .init = init_empty,
    .step = stealing_step,
    .print = stealing_print,
    .elements = elements_words};

const struct spec spec_weak_work_stealing_deque = {
    .name = "weak-work-stealing-deque",
    .aliases = "weak-work-stealing-queue",
    .summary = "push and pop at one end, steal at the other; a steal may return abort or empty at any time",
    .ops = stealing_ops,
    .op_count = 4,
    .family = FAMILY_WORK_STEALING,
    .container = &drained,
    .weak = true,
    .loose = STEAL,
    .exact = DRAIN,
    .data_independent = true,
    .always = 1u << PUSH,
    .init = init_empty,
    .step = stealing_step,
    .print = stealing_print,
    .elements = elements_words};
