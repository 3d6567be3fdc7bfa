/* Registers: one cell that is read and written; the second also compared and set.
 *
 * The state is one value. It starts as nil, or as the parameter: register(0) starts as 0. A plain register is
 * data-independent: without the writes of a value its reads have gone too. With cas it is not: a cas names two
 * values, and the one it leaves behind may not be the one taken out. */
#include "spec/common.h"

enum { READ, WRITE, CAS };

static const struct spec_op register_ops[] = {
    {"read get load r", 0, 0, RESULT_CONTENT, PURE_ALWAYS, V_UNKNOWN, ARG_ANY},
    {"write put set store w", 1, 1, RESULT_NONE, PURE_NEVER, V_NONE, ARG_ANY},
    {"cas compare-and-set compare-and-swap compare-exchange test-and-set", 2, 2, RESULT_BOOL, PURE_IF_FALSE, V_TRUE,
     ARG_ANY},
};
static const struct spec_cell register_cells[] = {[READ] = {-1, -1}, [WRITE] = {0, -1}, [CAS] = {1, 0}};

static void register_init(const struct spec *s, struct outcomes *out) { *add_words(out, V_NONE, 1) = spec_initial(s); }

static void register_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  (void)s;
  value now = *(const value *)state.at;
  switch (op->method) {
  case READ:
    if (result_matches(op, now)) outcome_same(out, state, now);
    return;
  case WRITE:
    if (result_matches(op, V_NONE)) *add_words(out, V_NONE, 1) = op->arg[0];
    return;
  default:
    if (now != op->arg[0]) {
      if (result_matches(op, V_FALSE)) outcome_same(out, state, V_FALSE);
    } else if (result_matches(op, V_TRUE)) {
      *add_words(out, V_TRUE, 1) = op->arg[1];
    }
  }
}

static void register_print(const struct spec *s, struct state state, struct text *out) {
  text_add(out, "value ");
  value_print(s->values, *(const value *)state.at, out);
}

const struct spec spec_register = {.name = "register",
                                   .aliases = "rw-register variable",
                                   .summary = "one value, read and written",
                                   .param = "initial value, nil if not given",
                                   .k = SPEC_NIL,
                                   .ops = register_ops,
                                   .op_count = 2,
                                   .family = FAMILY_REGISTER,
                                   .data_independent = true,
                                   .always = 1u << WRITE,
                                   .overwrites = 1u << WRITE,
                                   .cell = register_cells,
                                   .init = register_init,
                                   .step = register_step,
                                   .print = register_print,
                                   .machine_new = machine_cell_new,
                                   .machine_apply = machine_register_apply};

const struct spec spec_cas_register = {
    .name = "cas-register",
    .aliases = "casregister cas",
    .summary = "one value, read, written, and compared and set: cas(old, new) is true and sets it where it is old",
    .param = "initial value, nil if not given",
    .k = SPEC_NIL,
    .ops = register_ops,
    .op_count = 3,
    .family = FAMILY_REGISTER,
    .always = 1u << WRITE,
    .overwrites = 1u << WRITE,
    .cell = register_cells,
    .init = register_init,
    .step = register_step,
    .print = register_print,
    .machine_new = machine_cell_new,
    .machine_apply = machine_register_apply};
