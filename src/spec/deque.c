/* A queue with two ends. The state is the values inside, front first. */
#include "spec/common.h"

enum { PUSH_FRONT, PUSH_BACK, POP_FRONT, POP_BACK };

static const struct spec_op deque_ops[] = {
    {"push-front push-left push-first add-first add-front add-left offer-first enq-front enq-left lpush insert-front",
     1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"push-back push-right push-last add-last add-back add-right offer-last enq-back enq-right rpush insert-back push "
     "enq",
     1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"pop-front pop-left pop-first remove-first remove-front remove-left poll-first take-first deq-front deq-left lpop "
     "steal deq",
     0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
    {"pop-back pop-right pop-last remove-last remove-back remove-right poll-last take-last deq-back deq-right rpop pop",
     0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
};

static const struct spec_container pushed = {1u << PUSH_FRONT | 1u << PUSH_BACK, 1u << POP_FRONT | 1u << POP_BACK,
                                             "pushed", "popped"};

static void deque_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  (void)s;
  uint32_t n;
  const uint32_t *items = state_words(state, &n);
  bool front = op->method == PUSH_FRONT || op->method == POP_FRONT;
  if (op->method == PUSH_FRONT || op->method == PUSH_BACK) {
    if (result_matches(op, V_NONE)) *outcome_insert(out, state, V_NONE, front ? 0 : n, 1) = op->arg[0];
  } else if (!n) {
    if (result_matches(op, V_EMPTY)) outcome_same(out, state, V_EMPTY);
  } else {
    uint32_t at = front ? 0 : n - 1;
    if (result_matches(op, items[at])) outcome_remove(out, state, items[at], at, 1);
  }
}

static void deque_print(const struct spec *s, struct state state, struct text *out) {
  print_values(s, state, 0, 1, "[]", out);
}

const struct spec spec_deque = {.name = "deque",
                                .aliases = "double-ended-queue",
                                .summary =
                                    "values put in and taken out at both ends; a pop returns empty where there is none",
                                .ops = deque_ops,
                                .op_count = 4,
                                .family = FAMILY_DEQUE,
                                .container = &pushed,
                                .data_independent = true,
                                .always = 1u << PUSH_FRONT | 1u << PUSH_BACK,
                                .init = init_empty,
                                .step = deque_step,
                                .print = deque_print,
                                .elements = elements_words,
                                .machine_new = machine_ring_new,
                                .machine_apply = machine_deque_apply};
