/* Calls of builtins that only compute: __builtin_ctz and others, __builtin_add_overflow, abs. */
#include "front/lower.h"

struct value lower_bits(struct lowering *l, const struct expr *e) {
  reg a = value_reg(l, lower_value(l, e->args[0]), e->place), d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_BITS, e->place);
  in->op = e->order;
  in->a = a;
  in->d = d;
  in->scalar = scalar_of(e->args[0]->type);
  in->text = e->a->decl->name;
  return value_in(d);
}

static struct value binary(struct lowering *l, enum operator op, const struct type *t, struct value a, struct value b,
                           const struct expr *e) {
  return value_binary(l, op, t, a, b, e->place);
}

/* Whether the sum or difference of two 64-bit numbers of one type, with its lowest 64 bits in r, does not fit. */
static struct value overflows(struct lowering *l, const struct expr *e, const struct type *t, struct value a,
                              struct value b, struct value r) {
  if (!t->is_signed && e->op == OP_ADD) return binary(l, OP_LT, t, r, a, e);
  if (!t->is_signed && e->op == OP_SUB) return binary(l, OP_LT, t, a, b, e);
  /* the signs of the operands agree (differ, of a difference), and that of the result is another */
  struct value x = binary(l, OP_XOR, t, a, e->op == OP_ADD ? r : b, e);
  struct value y = binary(l, OP_XOR, t, e->op == OP_ADD ? b : a, r, e);
  return binary(l, OP_LT, t, binary(l, OP_AND, t, x, y, e), value_number(0), e);
}

/* Small numbers are computed as long, which holds every result. */
static struct value small_overflow(struct lowering *l, const struct expr *e, const struct type *to, struct value a,
                                   struct value b, struct value *r) {
  const struct type *wide = TYPE_OF(LONG);
  a = value_convert(l, a, e->args[0]->type, wide, e->place);
  b = value_convert(l, b, e->args[1]->type, wide, e->place);
  struct value whole = binary(l, e->op, wide, a, b, e);
  *r = value_convert(l, whole, wide, to, e->place);
  return binary(l, OP_NE, wide, whole, value_convert(l, *r, to, wide, e->place), e);
}

/* Unsigned arithmetic wraps around as hardware does. */
static struct value long_overflow(struct lowering *l, const struct expr *e, const struct type *to, struct value a,
                                  struct value b, struct value *r) {
  const struct type *u = TYPE_OF(ULONG);
  struct value low = binary(l, e->op, u, value_convert(l, a, to, u, e->place), value_convert(l, b, to, u, e->place), e);
  *r = value_convert(l, low, u, to, e->place);
  return overflows(l, e, to, a, b, *r);
}

/* Of numbers of at most 64 bits, the result fits an __int128, of unsigned ones without a sign. */
static struct value wide_overflow(struct lowering *l, const struct expr *e, const struct type *to, struct value a,
                                  struct value b, struct value *r) {
  const struct type *x = e->args[0]->type, *y = e->args[1]->type;
  bool is_signed = x->is_signed || y->is_signed || e->op == OP_SUB;
  const struct type *wide = is_signed ? TYPE_OF(INT128) : TYPE_OF(UINT128);
  struct value whole =
      binary(l, e->op, wide, value_convert(l, a, x, wide, e->place), value_convert(l, b, y, wide, e->place), e);
  *r = value_convert(l, whole, wide, to, e->place);
  return binary(l, OP_NE, wide, whole, value_convert(l, *r, to, wide, e->place), e);
}

struct value lower_overflow(struct lowering *l, const struct expr *e) {
  const struct type *to = e->args[2]->type->of->plain, *x = e->args[0]->type, *y = e->args[1]->type;
  struct value a = lower_value(l, e->args[0]), b = lower_value(l, e->args[1]), r, overflow;
  if (a.kind == VALUE_REG) a = value_in(value_copy(l, a, 1, e->place));
  if (b.kind == VALUE_REG) b = value_in(value_copy(l, b, 1, e->place));
  struct lvalue at = lvalue_pointed(l, e->args[2], to, NULL);
  if (to->bits <= 32 && x->bits <= 32 && y->bits <= 32)
    overflow = small_overflow(l, e, to, a, b, &r);
  else if (to->bits > 64 || x->bits > 64 || y->bits > 64)
    lower_outside(l, e->place, "%s of an '__int128'", e->a->decl->name);
  else if (e->op != OP_MUL && to->bits == x->bits && to->bits == y->bits && to->is_signed == x->is_signed &&
           to->is_signed == y->is_signed)
    overflow = long_overflow(l, e, to, a, b, &r);
  else
    overflow = wide_overflow(l, e, to, a, b, &r);
  if (overflow.kind == VALUE_REG) overflow = value_in(value_copy(l, overflow, 1, e->place));
  if (r.kind == VALUE_REG) r = value_in(value_copy(l, r, 1, e->place));
  value_store(l, &at, r, e->place);
  return overflow;
}

struct value lower_abs(struct lowering *l, const struct expr *e) {
  const struct type *t = e->args[0]->type;
  uint32_t positive = label_new(l);
  reg r = value_copy(l, lower_value(l, e->args[0]), 1, e->place);
  struct value negative = value_binary(l, OP_LT, t, value_in(r), value_number(0), e->place);
  emit_branch(l, value_reg(l, negative, e->place), false, positive, e->place);
  value_assign(l, r, 1, value_unary(l, OP_NEG, t, value_in(r), e->place), e->place);
  label_place(l, positive);
  return value_in(r);
}
