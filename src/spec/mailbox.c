/* A mailbox (Aguilera, Gafni and Lamport): one process delivers, another checks whether there is a letter and, if the
 * check said so, removes one. The state is how many letters there are, and whether the last check said so and no
 * letter was removed since: a remove without that cannot happen. */
#include "spec/common.h"

enum { DELIVER, CHECK_MAIL, REMOVE };

static const struct spec_op mailbox_ops[] = {
    {"deliver", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"check", 0, 0, RESULT_BOOL, PURE_NEVER, V_UNKNOWN, ARG_ANY},
    {"remove", 0, 0, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
};

static void mailbox_init(const struct spec *s, struct outcomes *out) {
  (void)s;
  memset(add_words(out, V_NONE, 2), 0, 8);
}

static void mailbox_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  (void)s;
  const uint32_t *w = state.at;
  uint32_t letters = w[0], checked = w[1];
  value result = V_NONE;
  switch (op->method) {
  case DELIVER: letters++; break;
  case CHECK_MAIL:
    checked = letters > 0;
    result = checked ? V_TRUE : V_FALSE;
    break;
  default:
    if (!checked) return;
    letters--, checked = 0;
  }
  if (!result_matches(op, result)) return;
  uint32_t *to = add_words(out, result, 2);
  to[0] = letters;
  to[1] = checked;
}

static void mailbox_print(const struct spec *s, struct state state, struct text *out) {
  (void)s;
  const uint32_t *w = state.at;
  text_printf(out, "%u letter%s%s", w[0], w[0] == 1 ? "" : "s", w[1] ? ", seen by a check" : "");
}

static uint32_t mailbox_elements(const struct spec *s, struct state state) {
  (void)s;
  return *(const uint32_t *)state.at;
}

const struct spec spec_mailbox = {.name = "mailbox",
                                  .aliases = "",
                                  .summary =
                                      "deliver, check (is there a letter?), and remove after a check that was true",
                                  .ops = mailbox_ops,
                                  .op_count = 3,
                                  .family = FAMILY_MAILBOX,
                                  .always = 1u << DELIVER,
                                  .init = mailbox_init,
                                  .step = mailbox_step,
                                  .print = mailbox_print,
                                  .elements = mailbox_elements};
