/* Objects that threads wait on once.
 *
 * Latch: a number, k at first. count-down(n) takes n off, and stops at 0 (as Java's CountDownLatch; std::latch forbids
 * more). wait can happen only at 0. The state is the number, 8 bytes.
 *
 * Once: what the first call or set gives stays (pthread_once, std::call_once, OnceLock, consensus). call(x) returns the
 * value that stays, set(x) whether it was this one. The state is empty, or the value. */
#include "spec/common.h"

enum { COUNT_DOWN, WAIT, TRY_WAIT, COUNT };

static const struct spec_op latch_ops[] = {
    {"count-down countdown arrive", 0, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_INT},
    {"wait await", 0, 0, RESULT_NONE, PURE_ALWAYS, V_NONE, ARG_ANY},
    {"try-wait is-open done ready", 0, 0, RESULT_BOOL, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
    {"count get-count", 0, 0, RESULT_INT, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
};

static void latch_init(const struct spec *s, struct outcomes *out) {
  int64_t count = s->k;
  memcpy(outcomes_add(out, V_NONE, 8), &count, 8);
}

static void latch_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  int64_t count;
  memcpy(&count, state.at, 8);
  value result = V_NONE;
  if (op->method == TRY_WAIT) result = count ? V_FALSE : V_TRUE;
  if (op->method == COUNT) result = value_of_small((int32_t)count);
  if (!result_matches(op, result)) return;
  if (op->method != COUNT_DOWN) {
    if (op->method != WAIT || !count) outcome_same(out, state, result);
    return;
  }
  int64_t n = op->arg[0] == V_NONE ? 1 : value_integer(s->values, op->arg[0]);
  if (n < 0) return;
  count = n < count ? count - n : 0;
  memcpy(outcomes_add(out, result, 8), &count, 8);
}

static void latch_print(const struct spec *s, struct state state, struct text *out) {
  (void)s;
  int64_t count;
  memcpy(&count, state.at, 8);
  text_printf(out, "count %lld", (long long)count);
}

const struct spec spec_latch = {.name = "latch",
                                .aliases = "count-down-latch countdown-latch",
                                .summary = "k at first; count-down(n) takes off n (1 if not given) down to 0; wait "
                                           "waits for 0",
                                .param = "the count at first",
                                .k = 1,
                                .ops = latch_ops,
                                .op_count = 4,
                                .family = FAMILY_LATCH,
                                .init = latch_init,
                                .step = latch_step,
                                .print = latch_print};

enum { CALL, SET, GET };

static const struct spec_op once_ops[] = {
    /* Who decides has its own argument for a result: a completion with that value says so, and is no mere echo. */
    {"call call-once get-or-init init-once propose decide", 1, 1, RESULT_OLD, PURE_NEVER, V_NONE, ARG_ANY},
    {"set try-set", 1, 1, RESULT_BOOL, PURE_IF_FALSE, V_UNKNOWN, ARG_ANY},
    {"get read", 0, 0, RESULT_CONTENT, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
};

static void once_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  (void)s;
  uint32_t n;
  const uint32_t *w = state_words(state, &n);
  value stays = n ? w[0] : op->method == GET ? (value)V_NIL : op->arg[0];
  value result = op->method != SET ? stays : n ? V_FALSE : V_TRUE;
  if (!result_matches(op, result)) return;
  if (n || op->method == GET)
    outcome_same(out, state, result);
  else
    *add_words(out, result, 1) = stays;
}

static void once_print(const struct spec *s, struct state state, struct text *out) {
  if (!state.size) {
    text_add(out, "not yet");
    return;
  }
  text_add(out, "value ");
  value_print(s->values, *(const uint32_t *)state.at, out);
}

const struct spec spec_once = {.name = "once",
                               .aliases = "once-cell once-lock consensus",
                               .summary = "the first call(x) or set(x) decides the value: call returns it, set whether "
                                          "it was this one, get the value or nil",
                               .ops = once_ops,
                               .op_count = 3,
                               .family = FAMILY_ONCE,
                               .init = init_empty,
                               .step = once_step,
                               .print = once_print};
