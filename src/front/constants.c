/* Constant expressions of any arithmetic type. Those of integers that are no __int128 are one node already (fold.c). */
#include "front/floating.h"
#include "front/front.h"

static uint128 whole(const struct constant *c) { return int128_of((int64_t)c->low, (int64_t)c->high); }

static bool put(struct constant *to, uint128 n) {
  *to = (struct constant){(uint64_t)n, (uint64_t)(n >> 64)};
  return true;
}

static bool put_integer(struct constant *to, uint128 n, const struct type *t) {
  if (t->kind == TYPE_BOOL) return put(to, n != 0);
  if (type_is_int128(t)) return put(to, n);
  return put(to, int128_extended(fold_wrap(int128_low(n), t), t->is_signed));
}

/* No NaN: which one it is may depend on who computes it. */
static bool put_floating(struct constant *to, uint64_t bits, const struct type *t) {
  return put(to, bits) && !floating_is_nan(8 * t->size, bits);
}

static bool converted(const struct constant *c, const struct type *from, const struct type *to, struct constant *out) {
  uint128 n;
  if (type_is_integer(from) && type_is_integer(to)) return put_integer(out, whole(c), to);
  if (type_is_integer(from)) {
    uint64_t bits = floating_of_integer(8 * to->size, whole(c), from->is_signed);
    return !floating_is_infinite(8 * to->size, bits) && put_floating(out, bits, to);
  }
  if (type_is_floating(to)) return put_floating(out, floating_convert(8 * from->size, 8 * to->size, c->low), to);
  if (to->kind == TYPE_BOOL) return put(out, floating_binary(OP_NE, 8 * from->size, c->low, 0));
  return floating_to_integer(8 * from->size, c->low, to->bits, to->is_signed, &n) && put_integer(out, n, to);
}

static bool binary(const struct expr *e, struct constant *out) {
  const struct type *t = e->a->type;
  struct constant a, b;
  uint128 n;
  if (!constant_number(e->a, &a) || !constant_number(e->b, &b)) return false;
  if (type_is_floating(t)) {
    n = floating_binary(e->op, 8 * t->size, a.low, b.low);
    return type_is_floating(e->type) ? put_floating(out, (uint64_t)n, e->type) : put(out, n);
  }
  return type_is_int128(t) && int128_binary(e->op, t->is_signed, whole(&a), whole(&b), &n) == INT128_FINE &&
         put(out, n);
}

static bool unary(const struct expr *e, struct constant *out) {
  struct constant a;
  uint128 n;
  if (!constant_number(e->a, &a)) return false;
  if (e->op == OP_PLUS) return put(out, whole(&a));
  if (type_is_floating(e->type))
    return e->op == OP_NEG && put_floating(out, floating_negated(8 * e->type->size, a.low), e->type);
  return type_is_int128(e->type) && int128_unary(e->op, e->type->is_signed, whole(&a), &n) == INT128_FINE &&
         put(out, n);
}

bool constant_number(const struct expr *e, struct constant *out) {
  struct constant a;
  if (!type_is_number(e->type)) return false;
  switch (e->kind) {
  case E_NUMBER:
    return type_is_floating(e->type) ? put(out, (uint64_t)e->value)
                                     : put(out, int128_extended(e->value, e->type->is_signed));
  case E_CAST:
    return type_is_number(e->a->type) && constant_number(e->a, &a) && converted(&a, e->a->type, e->type, out);
  case E_UNARY: return unary(e, out);
  case E_BINARY: return binary(e, out);
  case E_CONDITION: return e->a->kind == E_NUMBER && constant_number(e->a->value ? e->b : e->c, out);
  default: return false;
  }
}
