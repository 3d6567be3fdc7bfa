/* Memory orders that ask for less than sequential consistency: where the program has them, and what is said of them. */
#include "front/program.h"

const char *order_name(unsigned order) {
  static const char *const names[] = {"relaxed", "consume", "acquire",           "release",
                                      "acq_rel", "seq_cst", "order in variable", "plain"};
  return names[order];
}

static bool is_less(unsigned order) { return order != ORDER_SEQ_CST && order != ORDER_PLAIN; }

bool program_weak(const struct program *p, const struct inst **first) {
  for (uint32_t pc = 1; pc < p->code_count; pc++) {
    const struct inst *in = &p->code[pc];
    bool access = in->code >= I_LOAD && in->code <= I_FETCH && !(in->flags & (FLAG_LOCAL | FLAG_CONSTANT));
    bool fence = in->code == I_FENCE && !in->op;
    if (!(access && (is_less(in->order) || is_less(in->order_failure))) && !(fence && is_less(in->order))) continue;
    *first = in;
    return true;
  }
  return false;
}

bool program_weak_note(const struct program *p, struct text *t) {
  const struct inst *in;
  if (!program_weak(p, &in)) return false;
  text_add(t, "memory is taken as sequentially consistent, though ");
  place_print(p->unit, in->place, t);
  unsigned order = is_less(in->order) ? in->order : in->order_failure;
  if (order == ORDER_VARIABLE)
    text_add(t, " has its memory order in a variable");
  else
    text_printf(t, " asks for %s only", order_name(order));
  return true;
}
