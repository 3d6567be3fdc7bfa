/* Relaxed queues: the orders a queue may keep when it keeps less than first in, first out. A deq returns empty exactly
 * where nothing is inside.
 *
 *   semiqueue(k)         deq takes one of the k oldest (Wing and Gong, section 7).
 *   k-fifo(k)            the same, and nothing is overtaken more than k-1 times: with at most k-1 younger values taken
 *                        before it, no value waits for ever. A semiqueue's oldest value may be passed over for ever.
 *   stuttering-queue(j)  first in, first out, but the oldest may be returned up to j times before it is gone (section
 * 8). producer-fifo        values put in by one process leave in their order; those of different processes in any.
 *                        weak-producer-fifo: the same, but a deq may return empty at any time.
 *
 * The paper's figures need reading with care. Its `del` would take the youngest of several equal values, even one
 * beyond the first k; here the chosen one is taken. Its stuttering Deq says nothing where count = j; its text and
 * Lemma 4.1 do: an item is returned at most j times, so a deq leaves it there only if that was not the j-th.
 *
 * All are data-independent: taking values out leaves the others no further from the front, and overtaken less. */
#include "spec/common.h"

enum { ENQ, DEQ, DRAIN };

static const struct spec_op queue_ops[] = {
    {"enq enqueue push add offer put send insert write produce", 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"deq dequeue pop poll take get recv receive remove read consume", 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN,
     ARG_ANY},
};

/* Of a weak one: a drain is a deq that returns empty only where nothing is inside. */
static const struct spec_op weak_ops[] = {
    {"enq enqueue push add offer put send insert write produce", 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"deq dequeue pop poll take get recv receive remove read consume", 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN,
     ARG_ANY},
    {"drain drain-deq", 0, 0, RESULT_VALUE, PURE_IF_EMPTY, V_UNKNOWN, ARG_ANY},
};
static const struct spec_container drained = {1u << ENQ, 1u << DEQ | 1u << DRAIN, "enqueued", "dequeued"};

static const struct spec_container enqueued = {1u << ENQ, 1u << DEQ, "enqueued", "dequeued"};

static void deq_empty(struct state state, const struct op *op, struct outcomes *out) {
  if (result_matches(op, V_EMPTY)) outcome_same(out, state, V_EMPTY);
}

/* Semiqueue. A value that has come among the k oldest stays there until it is taken, and among those order says
 * nothing any more. So the state is the k oldest, sorted by their bits, and then the others, oldest first. */

static void semiqueue_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  uint32_t n;
  const uint32_t *items = state_words(state, &n);
  uint32_t oldest = n < s->k ? n : s->k;
  if (op->method == ENQ) {
    if (!result_matches(op, V_NONE)) return;
    uint32_t at = n;
    if (n < s->k)
      while (at && items[at - 1] > op->arg[0]) at--;
    *outcome_insert(out, state, V_NONE, at, 1) = op->arg[0];
    return;
  }
  if (!n) deq_empty(state, op, out);
  for (uint32_t i = 0; i < oldest; i++) {
    if (!result_matches(op, items[i]) || (i && items[i] == items[i - 1])) continue;
    uint32_t *to = outcome_remove(out, state, items[i], i, 1);
    if (n == oldest) continue;
    uint32_t next = items[oldest], at = oldest - 1; /* the next one becomes one of the k oldest */
    for (; at && to[at - 1] > next; at--) to[at] = to[at - 1];
    to[at] = next;
  }
}

static void semiqueue_print(const struct spec *s, struct state state, struct text *out) {
  uint32_t n, oldest;
  const uint32_t *items = state_words(state, &n);
  oldest = n < s->k ? n : s->k;
  print_values(s, (struct state){items, oldest * 4}, 0, 1, "{}", out);
  if (n == oldest) return;
  text_char(out, ' ');
  print_values(s, (struct state){items + oldest, (n - oldest) * 4}, 0, 1, "[]", out);
}

const struct spec spec_semiqueue = {.name = "semiqueue",
                                    .aliases = "semi-queue",
                                    .summary = "deq takes one of the k oldest values",
                                    .param = "how many of the oldest",
                                    .k = 2,
                                    .ops = queue_ops,
                                    .op_count = 2,
                                    .family = FAMILY_SEMIQUEUE,
                                    .container = &enqueued,
                                    .data_independent = true,
                                    .always = 1u << ENQ,
                                    .init = init_empty,
                                    .step = semiqueue_step,
                                    .print = semiqueue_print,
                                    .elements = elements_words};

/* k-FIFO. The state is pairs of value and how often it was overtaken, oldest first. */

static void k_fifo_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  uint32_t n;
  const uint32_t *pairs = state_words(state, &n);
  if (op->method == ENQ) {
    if (!result_matches(op, V_NONE)) return;
    uint32_t *pair = outcome_insert(out, state, V_NONE, n, 2);
    pair[0] = op->arg[0];
    pair[1] = 0;
    return;
  }
  if (!n) deq_empty(state, op, out);
  size_t from = out->list.count;
  for (uint32_t i = 0; i < n && i / 2 < s->k; i += 2) {
    if (i && pairs[i - 1] + 1 >= s->k) return; /* the value before may not be overtaken again */
    if (!result_matches(op, pairs[i])) continue;
    uint32_t *to = outcome_remove(out, state, pairs[i], i, 2);
    for (uint32_t j = 1; j < i; j += 2) to[j]++;
    outcomes_distinct(out, from);
  }
}

static void k_fifo_print(const struct spec *s, struct state state, struct text *out) {
  uint32_t n;
  const uint32_t *pairs = state_words(state, &n);
  text_char(out, '[');
  for (uint32_t i = 0; i < n; i += 2) {
    if (i) text_char(out, ' ');
    value_print(s->values, pairs[i], out);
    if (pairs[i + 1]) text_printf(out, "(overtaken %u)", pairs[i + 1]);
  }
  text_char(out, ']');
}

static uint32_t k_fifo_elements(const struct spec *s, struct state state) { return elements_words(s, state) / 2; }

const struct spec spec_k_fifo = {.name = "k-fifo",
                                 .aliases = "k-queue k-fifo-queue",
                                 .summary =
                                     "deq takes one of the k oldest values, and none is overtaken more than k-1 times",
                                 .param = "how many of the oldest",
                                 .k = 2,
                                 .ops = queue_ops,
                                 .op_count = 2,
                                 .family = FAMILY_K_FIFO,
                                 .container = &enqueued,
                                 .data_independent = true,
                                 .always = 1u << ENQ,
                                 .init = init_empty,
                                 .step = k_fifo_step,
                                 .print = k_fifo_print,
                                 .elements = k_fifo_elements};

/* Stuttering queue. The state is how often the oldest was returned, then the values, oldest first. */

static void stuttering_init(const struct spec *s, struct outcomes *out) {
  (void)s;
  *add_words(out, V_NONE, 1) = 0;
}

static void stuttering_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  uint32_t n;
  const uint32_t *w = state_words(state, &n);
  if (op->method == ENQ) {
    if (result_matches(op, V_NONE)) *outcome_insert(out, state, V_NONE, n, 1) = op->arg[0];
  } else if (n == 1) {
    deq_empty(state, op, out);
  } else if (result_matches(op, w[1])) {
    outcome_remove(out, state, w[1], 1, 1)[0] = 0;
    if (w[0] + 1 < s->k) outcome_remove(out, state, w[1], n, 0)[0]++;
  }
}

static void stuttering_print(const struct spec *s, struct state state, struct text *out) {
  print_values(s, state, 1, 1, "[]", out);
  uint32_t times = *(const uint32_t *)state.at;
  if (times) text_printf(out, ", the first returned %u time%s", times, times == 1 ? "" : "s");
}

static uint32_t stuttering_elements(const struct spec *s, struct state state) { return elements_words(s, state) - 1; }

const struct spec spec_stuttering_queue = {
    .name = "stuttering-queue",
    .aliases = "stuttering stutter-queue",
    .summary = "first in, first out, but the oldest value may be returned up to j times",
    .param = "how often a value may be returned",
    .k = 2,
    .ops = queue_ops,
    .op_count = 2,
    .family = FAMILY_STUTTERING_QUEUE,
    .container = &enqueued,
    .data_independent = true,
    .always = 1u << ENQ,
    .init = stuttering_init,
    .step = stuttering_step,
    .print = stuttering_print,
    .elements = stuttering_elements};

/* Producer FIFO. The state is pairs of process and value, by process, and then oldest first. */

static void producer_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  uint32_t n;
  const uint32_t *pairs = state_words(state, &n);
  if (op->method == ENQ) {
    if (!result_matches(op, V_NONE)) return;
    uint32_t at = 0;
    while (at < n && pairs[at] <= op->process) at += 2;
    uint32_t *pair = outcome_insert(out, state, V_NONE, at, 2);
    pair[0] = op->process;
    pair[1] = op->arg[0];
    return;
  }
  if (!n || (s->weak && op->method == DEQ)) deq_empty(state, op, out);
  for (uint32_t i = 0; i < n; i += 2)
    if ((!i || pairs[i - 2] != pairs[i]) && result_matches(op, pairs[i + 1]))
      outcome_remove(out, state, pairs[i + 1], i, 2);
}

static void producer_print(const struct spec *s, struct state state, struct text *out) {
  uint32_t n;
  const uint32_t *pairs = state_words(state, &n);
  text_char(out, '[');
  for (uint32_t i = 0; i < n; i += 2) {
    if (i) text_add(out, pairs[i] == pairs[i - 2] ? " " : " | ");
    value_print(s->values, pairs[i + 1], out);
  }
  text_char(out, ']');
}

static uint32_t producer_elements(const struct spec *s, struct state state) { return elements_words(s, state) / 2; }

static void producer_rename(const struct spec *s, struct state state, const uint8_t *name, struct outcomes *out) {
  (void)s;
  uint32_t n, filled = 0;
  const uint32_t *pairs = state_words(state, &n);
  uint32_t *to = add_words(out, V_NONE, n);
  for (uint32_t i = 0; i < n; i += 2) {
    uint32_t at = filled, process = name[pairs[i]];
    for (; at && to[at - 2] > process; at -= 2) memcpy(to + at, to + at - 2, 8);
    to[at] = process;
    to[at + 1] = pairs[i + 1];
    filled += 2;
  }
}

const struct spec spec_producer_fifo = {
    .name = "producer-fifo",
    .aliases = "per-producer-fifo producer-queue",
    .summary =
        "values put in by one process leave in the order it put them in; those of different processes in any order",
    .ops = queue_ops,
    .op_count = 2,
    .family = FAMILY_PRODUCER_FIFO,
    .container = &enqueued,
    .data_independent = true,
    .by_process = true,
    .always = 1u << ENQ,
    .init = init_empty,
    .step = producer_step,
    .print = producer_print,
    .elements = producer_elements,
    .rename = producer_rename};

/* The same, where a deq that looked at every producer's values one after the other may have missed some. */
const struct spec spec_weak_producer_fifo = {
    .name = "weak-producer-fifo",
    .aliases = "weak-per-producer-fifo weak-producer-queue",
    .summary = "values put in by one process leave in the order it put them in, others in any; deq may return empty at "
               "any time",
    .ops = weak_ops,
    .op_count = 3,
    .family = FAMILY_PRODUCER_FIFO,
    .container = &drained,
    .weak = true,
    .loose = DEQ,
    .exact = DRAIN,
    .data_independent = true,
    .by_process = true,
    .always = 1u << ENQ,
    .init = init_empty,
    .step = producer_step,
    .print = producer_print,
    .elements = producer_elements,
    .rename = producer_rename};
