/* A scalable non-zero indicator (Ellen, Lev, Luchangco and Moir): arrivals and departures, and whether there are more
 * of the former. The state is the surplus. A departure needs one to depart: elsewhere it cannot happen. */
#include "spec/common.h"

enum { ARRIVE, DEPART, QUERY };

static const struct spec_op snzi_ops[] = {
    {"arrive", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"depart", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"query is-non-zero non-zero read", 0, 0, RESULT_BOOL, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
};

static void snzi_init(const struct spec *s, struct outcomes *out) {
  (void)s;
  *add_words(out, V_NONE, 1) = 0;
}

static void snzi_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  (void)s;
  uint32_t surplus = *(const uint32_t *)state.at;
  value result = op->method == QUERY ? surplus ? V_TRUE : V_FALSE : V_NONE;
  if (!result_matches(op, result) || (op->method == DEPART && !surplus)) return;
  *add_words(out, result, 1) = op->method == ARRIVE ? surplus + 1 : op->method == DEPART ? surplus - 1 : surplus;
}

static void snzi_print(const struct spec *s, struct state state, struct text *out) {
  (void)s;
  text_printf(out, "surplus %u", *(const uint32_t *)state.at);
}

static uint32_t snzi_elements(const struct spec *s, struct state state) {
  (void)s;
  return *(const uint32_t *)state.at;
}

const struct spec spec_snzi = {.name = "snzi",
                               .aliases = "non-zero-indicator",
                               .summary = "arrive, depart, and query: have more arrived than departed?",
                               .ops = snzi_ops,
                               .op_count = 3,
                               .family = FAMILY_SNZI,
                               .always = 1u << ARRIVE,
                               .init = snzi_init,
                               .step = snzi_step,
                               .print = snzi_print,
                               .elements = snzi_elements};
