/* Arrays whose number of elements is not constant (parse_length.c). In memory such an array is as many of what it is
 * made of in the end as the product of its lengths. */
#include "front/lower.h"

enum { LENGTH_MOST = 1 << 20 };

const struct type *length_element(const struct type *t) {
  while (t->variable) t = t->of;
  return t;
}

static struct value length_of(struct lowering *l, const struct type *t, struct place at) {
  if (!t->length) return value_number(t->count);
  struct expr name = {.kind = E_NAME, .decl = t->length, .type = TYPE_OF(LONG), .place = at, .lvalue = true};
  return lower_value(l, &name);
}

/* n of the type, in elements of the type that it is made of in the end. */
struct value length_scaled(struct lowering *l, struct value n, const struct type *t, struct place at) {
  for (; t->variable; t = t->of) n = value_binary(l, OP_MUL, TYPE_OF(LONG), n, length_of(l, t, at), at);
  return n;
}

struct value length_elements(struct lowering *l, const struct type *t, struct place at) {
  return length_scaled(l, value_number(1), t, at);
}

/* The number was just evaluated. */
void length_check(struct lowering *l, reg length, struct place at) {
  uint32_t more = label_new(l), fine = label_new(l);
  struct value least = value_binary(l, OP_GE, TYPE_OF(LONG), value_in(length), value_number(1), at);
  emit_branch(l, value_reg(l, least, at), true, more, at);
  emit_trap(l, at, "an array of no elements, or fewer")->imm = TRAP_UNDEFINED;
  label_place(l, more);
  struct value most = value_binary(l, OP_LE, TYPE_OF(LONG), value_in(length), value_number(LENGTH_MOST), at);
  emit_branch(l, value_reg(l, most, at), true, fine, at);
  emit_trap(l, at, "an array of more than %d elements", LENGTH_MOST)->imm = TRAP_LIMIT;
  label_place(l, fine);
}

/* past: it may be the one past the end. */
void length_check_index(struct lowering *l, struct value index, const struct type *array, bool past, struct place at) {
  uint32_t fine = label_new(l);
  struct value inside = value_binary(l, past ? OP_LE : OP_LT, TYPE_OF(ULONG), index, length_of(l, array, at), at);
  emit_branch(l, value_reg(l, inside, at), true, fine, at);
  emit_trap(l, at, "an index outside an array")->imm = TRAP_UNDEFINED;
  label_place(l, fine);
}
