/* Priority queues: deq takes the least value (or the greatest), in the order of value_compare: integers by size,
 * texts by bytes. The bounded one holds at most k, and insert returns full where there is no room.
 *
 * The state is the values inside, sorted by that order, the next to leave first. */
#include "spec/common.h"

enum { INSERT, DEQ };

#define INSERT_NAMES "insert enq enqueue push add offer put send"
#define REMOVE_NAMES "deq dequeue pop poll take remove get recv delete-min del-min extract-min remove-min pop-min min"
#define REMOVE_MAX_NAMES \
  "deq dequeue pop poll take remove get recv delete-max del-max extract-max remove-max pop-max max"

static const struct spec_op min_ops[] = {
    {INSERT_NAMES, 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {REMOVE_NAMES, 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
};
static const struct spec_op max_ops[] = {
    {INSERT_NAMES, 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {REMOVE_MAX_NAMES, 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
};
static const struct spec_op bounded_ops[] = {
    {INSERT_NAMES, 1, 1, RESULT_NONE_FULL, PURE_IF_FULL, V_NONE, ARG_ANY},
    {REMOVE_NAMES, 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
};

static const struct spec_container inserted = {1u << INSERT, 1u << DEQ, "inserted", "removed"};

/* Where x goes: before the first value that leaves after it. */
static uint32_t place(const struct spec *s, const uint32_t *items, uint32_t n, value x, int sign) {
  uint32_t low = 0, high = n;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (sign * value_compare(s->values, items[middle], x) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out, int sign) {
  uint32_t n;
  const uint32_t *items = state_words(state, &n);
  if (op->method == INSERT) {
    if (s->param && n >= s->k) {
      if (result_matches(op, V_FULL)) outcome_same(out, state, V_FULL);
    } else if (result_matches(op, V_NONE)) {
      *outcome_insert(out, state, V_NONE, place(s, items, n, op->arg[0], sign), 1) = op->arg[0];
    }
  } else if (!n) {
    if (result_matches(op, V_EMPTY)) outcome_same(out, state, V_EMPTY);
  } else if (result_matches(op, items[0])) {
    outcome_remove(out, state, items[0], 0, 1);
  }
}

static void min_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  step(s, state, op, out, 1);
}

static void max_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  step(s, state, op, out, -1);
}

static void pqueue_print(const struct spec *s, struct state state, struct text *out) {
  print_values(s, state, 0, 1, "[]", out);
}

const struct spec spec_priority_queue = {.name = "priority-queue",
                                         .aliases = "pqueue pq min-priority-queue heap min-heap",
                                         .summary = "deq takes the least value inside, or returns empty",
                                         .ops = min_ops,
                                         .op_count = 2,
                                         .family = FAMILY_PRIORITY_QUEUE,
                                         .container = &inserted,
                                         .data_independent = true,
                                         .always = 1u << INSERT,
                                         .init = init_empty,
                                         .step = min_step,
                                         .print = pqueue_print,
                                         .elements = elements_words,
                                         .machine_new = machine_heap_new,
                                         .machine_apply = machine_heap_apply};

const struct spec spec_max_priority_queue = {.name = "max-priority-queue",
                                             .aliases = "max-pqueue max-pq max-heap",
                                             .summary = "deq takes the greatest value inside, or returns empty",
                                             .ops = max_ops,
                                             .op_count = 2,
                                             .family = FAMILY_PRIORITY_QUEUE,
                                             .container = &inserted,
                                             .greatest_first = true,
                                             .data_independent = true,
                                             .always = 1u << INSERT,
                                             .init = init_empty,
                                             .step = max_step,
                                             .print = pqueue_print,
                                             .elements = elements_words,
                                             .machine_new = machine_heap_new,
                                             .machine_apply = machine_heap_apply};

const struct spec spec_bounded_priority_queue = {
    .name = "bounded-priority-queue",
    .aliases = "bounded-pqueue bounded-pq",
    .summary = "deq takes the least value; at most k inside, insert returns full where there is no room",
    .param = "capacity",
    .k = 4,
    .ops = bounded_ops,
    .op_count = 2,
    .family = FAMILY_PRIORITY_QUEUE,
    .container = &inserted,
    .bounded = true,
    .init = init_empty,
    .step = min_step,
    .print = pqueue_print,
    .elements = elements_words,
    .machine_new = machine_heap_new,
    .machine_apply = machine_heap_apply};
