/* FIFO queues: unbounded (Wing and Gong, figure 1), bounded, and those whose deq may say empty when it is not.
 *
 * The state is the values inside, oldest first. A deq that waits on an empty queue, as the paper's does, is a deq
 * that never returns empty. */
#include "spec/common.h"

enum { ENQ, DEQ, DRAIN };

#define ENQ_NAMES "enq enqueue push add offer put send insert write produce append push-back add-last"
#define DEQ_NAMES "deq dequeue pop poll take get recv receive remove read consume pop-front remove-first try-deq"

static const struct spec_op queue_ops[] = {
    {ENQ_NAMES, 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {DEQ_NAMES, 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
};

#define DRAIN_OP \
  { "drain drain-deq", 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY }
static const struct spec_op weak_ops[] = {
    {ENQ_NAMES, 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {DEQ_NAMES, 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
    DRAIN_OP,
};
static const struct spec_container drained = {1u << ENQ, 1u << DEQ | 1u << DRAIN, "enqueued", "dequeued"};
static const struct spec_container enqueued = {1u << ENQ, 1u << DEQ, "enqueued", "dequeued"};

static void deq(struct state state, const struct op *op, struct outcomes *out) {
  uint32_t n;
  const uint32_t *items = state_words(state, &n);
  if (!n) {
    if (result_matches(op, V_EMPTY)) outcome_same(out, state, V_EMPTY);
  } else if (result_matches(op, items[0])) {
    outcome_remove(out, state, items[0], 0, 1);
  }
}

static void enq(struct state state, const struct op *op, struct outcomes *out) {
  if (result_matches(op, V_NONE)) *outcome_insert(out, state, V_NONE, state.size / 4, 1) = op->arg[0];
}

static void queue_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  (void)s;
  if (op->method == ENQ)
    enq(state, op, out);
  else
    deq(state, op, out);
}

static void queue_print(const struct spec *s, struct state state, struct text *out) {
  print_values(s, state, 0, 1, "[]", out);
}

const struct spec spec_queue = {.name = "queue",
                                .aliases = "fifo fifo-queue",
                                .summary = "first in, first out; deq of an empty queue returns empty",
                                .ops = queue_ops,
                                .op_count = 2,
                                .family = FAMILY_QUEUE,
                                .container = &enqueued,
                                .data_independent = true,
                                .always = 1u << ENQ,
                                .init = init_empty,
                                .step = queue_step,
                                .print = queue_print,
                                .elements = elements_words,
                                .machine_new = machine_ring_new,
                                .machine_apply = machine_queue_apply};

/* Weak: a deq may return empty at any time. A drain is a deq that does so only where nothing is inside: what a thread
 * finds when all others have ended. */

static void weak_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  queue_step(s, state, op, out);
  if (op->method == DEQ && state.size && result_matches(op, V_EMPTY)) outcome_same(out, state, V_EMPTY);
}

const struct spec spec_weak_queue = {.name = "weak-queue",
                                     .aliases = "spurious-queue",
                                     .summary = "first in, first out, but deq may return empty at any time",
                                     .ops = weak_ops,
                                     .op_count = 3,
                                     .family = FAMILY_QUEUE,
                                     .container = &drained,
                                     .weak = true,
                                     .loose = DEQ,
                                     .exact = DRAIN,
                                     .data_independent = true,
                                     .always = 1u << ENQ,
                                     .init = init_empty,
                                     .step = weak_step,
                                     .print = queue_print,
                                     .elements = elements_words};

/* Bounded: with k values inside it is full, and an enq then changes nothing and returns full. Taking out the
 * operations on one value would leave fulls that are not, so it is not data-independent. */

static const struct spec_op bounded_ops[] = {
    {ENQ_NAMES, 1, 1, RESULT_NONE_FULL, PURE_IF_FULL, V_NONE, ARG_ANY},
    {DEQ_NAMES, 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
};

static void bounded_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  if (op->method == DEQ)
    deq(state, op, out);
  else if (state.size / 4 < s->k)
    enq(state, op, out);
  else if (result_matches(op, V_FULL))
    outcome_same(out, state, V_FULL);
}

const struct spec spec_bounded_queue = {
    .name = "bounded-queue",
    .aliases = "bqueue bounded-fifo ring-buffer",
    .summary = "first in, first out, at most k values inside; enq returns full where there is no room",
    .param = "capacity",
    .k = 4,
    .ops = bounded_ops,
    .op_count = 2,
    .family = FAMILY_QUEUE,
    .container = &enqueued,
    .bounded = true,
    .init = init_empty,
    .step = bounded_step,
    .print = queue_print,
    .elements = elements_words,
    .machine_new = machine_ring_new,
    .machine_apply = machine_queue_apply};

/* Weak and bounded, as rings whose slots are claimed before they are filled: enq may return full and deq empty at any
 * time, since a claimed slot is in the way of both. More than k are never inside. What a full and an empty say depends
 * on nothing, so values can be taken out. */

static const struct spec_op weak_bounded_ops[] = {
    {ENQ_NAMES, 1, 1, RESULT_NONE_FULL, PURE_IF_FULL, V_NONE, ARG_ANY},
    {DEQ_NAMES, 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
    DRAIN_OP,
};

static void weak_bounded_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  if (op->method != ENQ) {
    weak_step(s, state, op, out);
    return;
  }
  if (state.size / 4 < s->k) enq(state, op, out);
  if (result_matches(op, V_FULL)) outcome_same(out, state, V_FULL);
}

const struct spec spec_weak_bounded_queue = {
    .name = "weak-bounded-queue",
    .aliases = "weak-ring-buffer weak-bqueue spurious-bounded-queue",
    .summary = "first in, first out, at most k values inside; enq may return full and deq empty at any time",
    .param = "capacity",
    .k = 4,
    .ops = weak_bounded_ops,
    .op_count = 3,
    .family = FAMILY_QUEUE,
    .container = &drained,
    .weak = true,
    .loose = DEQ,
    .exact = DRAIN,
    .bounded = true,
    .data_independent = true,
    .init = init_empty,
    .step = weak_bounded_step,
    .print = queue_print,
    .elements = elements_words};
