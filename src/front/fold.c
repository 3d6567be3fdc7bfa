/* Constants: a node whose operands are numbers becomes the number, when it is made. What C leaves undefined (division
 * by zero, overflow, wide shifts) stays a node. */
#include "front/front.h"

int64_t fold_wrap(int64_t value, const struct type *t) {
  if (t->kind == TYPE_BOOL) return value != 0;
  if (t->bits >= 64) return value;
  uint64_t mask = ((uint64_t)1 << t->bits) - 1, low = (uint64_t)value & mask;
  if (t->is_signed && low >> (t->bits - 1)) low |= ~mask;
  return (int64_t)low;
}

static bool is_number(const struct expr *e) {
  return e && e->kind == E_NUMBER && type_is_integer(e->type) && e->type->bits <= 64;
}

static struct expr *becomes(struct expr *e, int64_t value) {
  *e = (struct expr){.kind = E_NUMBER, .place = e->place, .type = e->type, .value = fold_wrap(value, e->type)};
  return e;
}

static bool fits(int64_t value, const struct type *t) { return fold_wrap(value, t) == value; }

static bool add_signed(int64_t a, int64_t b, enum operator op, int64_t *to) {
  if (op == OP_ADD) return !__builtin_add_overflow(a, b, to);
  if (op == OP_SUB) return !__builtin_sub_overflow(a, b, to);
  return !__builtin_mul_overflow(a, b, to);
}

static int64_t add_unsigned(uint64_t a, uint64_t b, enum operator op) {
  return (int64_t)(op == OP_ADD ? a + b : op == OP_SUB ? a - b : a * b);
}

static bool divide(const struct type *t, int64_t a, int64_t b, enum operator op, int64_t *to) {
  if (!b || (t->is_signed && b == -1 && !fits(-(uint64_t)a, t)) || (t->is_signed && b == -1 && a == INT64_MIN))
    return false;
  if (t->is_signed)
    *to = op == OP_DIV ? a / b : a % b;
  else
    *to = (int64_t)(op == OP_DIV ? (uint64_t)a / (uint64_t)b : (uint64_t)a % (uint64_t)b);
  return true;
}

static bool shift(const struct type *t, int64_t a, int64_t by, enum operator op, int64_t *to) {
  if (by < 0 || by >= t->bits) return false;
  if (op == OP_SHL) {
    *to = (int64_t)((uint64_t)a << by);
    return !t->is_signed || (a >= 0 && fits(*to, t) && *to >> by == a);
  }
  *to = t->is_signed ? a >> by : (int64_t)((uint64_t)a >> by);
  return true;
}

static int64_t compare(const struct type *t, int64_t a, int64_t b, enum operator op) {
  bool less = t->is_signed ? a < b : (uint64_t)a < (uint64_t)b, equal = a == b;
  switch (op) {
  case OP_EQ: return equal;
  case OP_NE: return !equal;
  case OP_LT: return less;
  case OP_LE: return less || equal;
  case OP_GT: return !less && !equal;
  default: return !less;
  }
}

static bool arithmetic(enum operator op, const struct type *t, int64_t a, int64_t b, int64_t *to) {
  switch (op) {
  case OP_ADD:
  case OP_SUB:
  case OP_MUL:
    if (t->is_signed) return add_signed(a, b, op, to) && fits(*to, t);
    *to = add_unsigned((uint64_t)a, (uint64_t)b, op);
    return true;
  case OP_DIV:
  case OP_MOD: return divide(t, a, b, op, to);
  case OP_SHL:
  case OP_SHR: return shift(t, a, b, op, to);
  case OP_AND: *to = a & b; return true;
  case OP_OR: *to = a | b; return true;
  case OP_XOR: *to = a ^ b; return true;
  default: *to = compare(t, a, b, op); return true;
  }
}

static struct expr *fold_unary(struct expr *e) {
  int64_t a = e->a->value;
  switch (e->op) {
  case OP_NEG:
    if (e->type->is_signed && (a == INT64_MIN || !fits(-a, e->type))) return e;
    return becomes(e, (int64_t) - (uint64_t)a);
  case OP_INVERT: return becomes(e, ~a);
  case OP_NOT: return becomes(e, !a);
  default: return becomes(e, a);
  }
}

static struct expr *fold_logical(struct expr *e) {
  if (!is_number(e->a)) return e;
  bool a = e->a->value != 0;
  if (e->op == OP_AND_AND && !a) return becomes(e, 0);
  if (e->op == OP_OR_OR && a) return becomes(e, 1);
  return is_number(e->b) ? becomes(e, e->b->value != 0) : e;
}

/* Of what is floating, and integers made of that or of an __int128. */
static struct expr *fold_other(struct expr *e) {
  struct constant c;
  if (type_is_int128(e->type) || !constant_number(e, &c)) return e;
  if (type_is_integer(e->type)) return becomes(e, (int64_t)c.low);
  *e = (struct expr){.kind = E_NUMBER, .place = e->place, .type = e->type, .value = (int64_t)c.low};
  return e;
}

static bool is_other(const struct expr *e) { return e && !type_is_word(e->type); }

struct expr *fold(struct expr *e) {
  int64_t value;
  if (is_other(e) || (e->kind != E_CONDITION && (is_other(e->a) || is_other(e->b)))) return fold_other(e);
  switch (e->kind) {
  case E_UNARY: return is_number(e->a) ? fold_unary(e) : e;
  case E_BINARY:
    if (!is_number(e->a) || !is_number(e->b) || !arithmetic(e->op, e->a->type, e->a->value, e->b->value, &value))
      return e;
    return becomes(e, value);
  case E_LOGICAL: return fold_logical(e);
  case E_CONDITION: {
    if (!is_number(e->a)) return e;
    const struct expr *chosen = e->a->value ? e->b : e->c;
    return is_number(chosen) && type_is_integer(e->type) ? becomes(e, chosen->value) : e;
  }
  case E_CAST: return is_number(e->a) && type_is_integer(e->type) ? becomes(e, e->a->value) : e;
  default: return e;
  }
}

bool bits_of(enum bits op, uint64_t value, unsigned bits, uint64_t *to) {
  if (bits < 64) value &= ((uint64_t)1 << bits) - 1;
  unsigned n = 0;
  switch (op) {
  case BITS_CTZ:
  case BITS_FFS:
    while (n < bits && !(value >> n & 1)) n++;
    if (op == BITS_CTZ && n == bits) return false;
    *to = op == BITS_CTZ ? n : n == bits ? 0 : n + 1;
    return true;
  case BITS_CLZ:
    while (n < bits && !(value >> (bits - 1 - n) & 1)) n++;
    *to = n;
    return n < bits;
  case BITS_CLRSB:
    while (n + 1 < bits && (value >> (bits - 2 - n) & 1) == value >> (bits - 1)) n++;
    *to = n;
    return true;
  case BITS_POPCOUNT:
  case BITS_PARITY:
    for (unsigned i = 0; i < bits; i++) n += value >> i & 1;
    *to = op == BITS_PARITY ? n & 1 : n;
    return true;
  case BITS_SWAP:
    *to = 0;
    for (unsigned i = 0; i < bits; i += 8) *to |= (value >> i & 255) << (bits - 8 - i);
    return true;
  }
  return false;
}
