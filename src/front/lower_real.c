/* Arithmetic on numbers that are not computed with as words: __int128, whose lower and upper 64 bits are two registers,
 * and floating point. Each operation is one instruction (program.h). */
#include "front/floating.h"
#include "front/lower.h"

static bool is_comparison(enum operator op) { return op >= OP_EQ && op <= OP_GE; }

static struct inst *emit(struct lowering *l, enum code code, unsigned op, const struct type *t, struct place at) {
  bool floating = code == I_FLOATING || (code == I_CONVERT && op != CONVERT_EXTEND);
  if (floating && l->unit->floating_flag)
    lower_outside(l, at, "floating point with %.100s, unless -ffp-contract=off keeps operations apart,",
                  l->unit->floating_flag);
  struct inst *in = emit_inst(l, code, at);
  in->op = (uint8_t)op;
  in->scalar = scalar_of(t);
  return in;
}

/* __int128. */

/* low may be used elsewhere too. */
static struct value pair_of(struct lowering *l, struct value low, struct value high, struct place at) {
  reg r = reg_new(l, 2, ""), from = low.kind == VALUE_NUMBER ? NO_REG : value_reg(l, low, at);
  if (from == NO_REG) {
    value_assign(l, r, 1, low, at);
  } else {
    struct inst *in = emit_inst(l, I_MOVE, at);
    in->a = from;
    in->d = r;
  }
  value_assign(l, (reg)(r + 1), 1, high, at);
  return value_in(r);
}

static struct value half(struct value pair) { return value_in(pair.r); }

/* An integer or a pointer as an __int128. */
static struct value extended(struct lowering *l, struct value v, const struct type *from, struct place at) {
  bool is_signed = from->kind == TYPE_INT && from->is_signed;
  if (v.kind == VALUE_NUMBER) return pair_of(l, v, value_number(is_signed && v.imm < 0 ? -1 : 0), at);
  if (!is_signed) return pair_of(l, v, value_number(0), at);
  reg a = value_reg(l, v, at), d = reg_new(l, 2, "");
  struct inst *in = emit(l, I_CONVERT, CONVERT_EXTEND, from, at);
  in->a = a;
  in->d = d;
  return value_in(d);
}

static struct value whole_binary(struct lowering *l, enum operator op, const struct type *t, struct value a,
                                 struct value b, struct place at) {
  reg x = value_reg(l, a, at), y = value_reg(l, b, at), d = reg_new(l, is_comparison(op) ? 1 : 2, "");
  struct inst *in = emit(l, I_INT128, op, t, at);
  in->a = x;
  in->b = y;
  in->d = d;
  return value_in(d);
}

static struct value is_not_zero(struct lowering *l, struct value v, const struct type *t, struct place at) {
  return whole_binary(l, OP_NE, t, v, pair_of(l, value_number(0), value_number(0), at), at);
}

/* Floating point. */

static struct value floating_binary_of(struct lowering *l, enum operator op, const struct type *t, struct value a,
                                       struct value b, struct place at) {
  reg x = value_reg(l, a, at), y = value_reg(l, b, at), d = reg_new(l, 1, "");
  struct inst *in = emit(l, I_FLOATING, op, t, at);
  in->a = x;
  in->b = y;
  in->d = d;
  return value_in(d);
}

/* From or to a number that is floating, or both. `format`: of the one that is; of both, that of the source. */
static struct value converted(struct lowering *l, unsigned op, const struct type *t, const struct type *format,
                              struct value v, uint32_t cells, struct place at) {
  reg a = value_reg(l, v, at), d = reg_new(l, cells, "");
  struct inst *in = emit(l, I_CONVERT, op, t, at);
  in->a = a;
  in->d = d;
  in->imm = 8 * (int64_t)format->size;
  return value_in(d);
}

static struct value floating_convert_to(struct lowering *l, struct value v, const struct type *from,
                                        const struct type *to, struct place at) {
  if (from->kind != TYPE_FLOAT) return converted(l, CONVERT_TO_FLOATING, from, to, v, 1, at);
  if (to->kind == TYPE_FLOAT) return converted(l, CONVERT_FLOATING, to, from, v, 1, at);
  if (to->kind == TYPE_BOOL) return floating_binary_of(l, OP_NE, from, v, value_number(0), at);
  return converted(l, CONVERT_FROM_FLOATING, to, from, v, to->cells, at);
}

/* All of them. */

struct value real_convert(struct lowering *l, struct value v, const struct type *from, const struct type *to,
                          struct place at) {
  if (from->kind == TYPE_FLOAT && to->kind == TYPE_FLOAT && from->size == to->size) return v;
  if (from->kind == TYPE_FLOAT || to->kind == TYPE_FLOAT) return floating_convert_to(l, v, from, to, at);
  if (!type_is_int128(from)) return extended(l, v, from, at);
  if (type_is_int128(to)) return v;
  if (to->kind == TYPE_BOOL) return is_not_zero(l, v, from, at);
  return value_convert(l, half(v), TYPE_OF(UINTPTR), to, at);
}

struct value real_binary(struct lowering *l, enum operator op, const struct type *t, struct value a, struct value b,
                         struct place at) {
  return type_is_int128(t) ? whole_binary(l, op, t, a, b, at) : floating_binary_of(l, op, t, a, b, at);
}

struct value real_unary(struct lowering *l, enum operator op, const struct type *t, struct value a, struct place at) {
  reg x = value_reg(l, a, at), d = reg_new(l, t->cells, "");
  struct inst *in = emit(l, type_is_int128(t) ? I_INT128 : I_FLOATING, op, t, at);
  in->a = x;
  in->d = d;
  return value_in(d);
}

struct value lower_math(struct lowering *l, const struct expr *e) {
  static const char *const names[] = {[FLOATING_ABS] = "fabs",
                                      [FLOATING_SQRT] = "sqrt",
                                      [FLOATING_FLOOR] = "floor",
                                      [FLOATING_CEIL] = "ceil",
                                      [FLOATING_TRUNC] = "trunc"};
  const char *name = e->a->decl->name;
  if (!strncmp(name, "__builtin_", 10)) name += 10;
  unsigned which = 0;
  while (which < FLOATING_TRUNC && strncmp(name, names[which], strlen(names[which])) != 0) which++;
  struct value v = converted(l, CONVERT_FUNCTION, e->type, e->type, lower_value(l, e->args[0]), 1, e->place);
  struct inst *in = &l->code.at[l->code.count - 1];
  in->bytes = which;
  in->text = name;
  return v;
}
