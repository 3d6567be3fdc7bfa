/* Arithmetic on words, as C has it: signed integers overflow, unsigned ones wrap around, pointers stay within their
 * objects.
 *
 * Unsigned integers of 64 bits are kept as the signed number with the same bits. Arithmetic on pointers as numbers is
 * in address.c. */
#include "verify/machine_parts.h"

static enum fault put(struct wides *t, int64_t v, word *out) {
  *out = word_of_number(t, v);
  return *out == WORD_UNINITIALISED ? FAULT_RANGE : FAULT_NONE;
}

int64_t arith_low(struct scalar s, int64_t v) {
  if (s.bits >= 64) return v;
  uint64_t mask = (UINT64_C(1) << s.bits) - 1, low = (uint64_t)v & mask;
  return s.is_signed && low >> (s.bits - 1) ? (int64_t)(low | ~mask) : (int64_t)low;
}

/* The number with the low bits of v. */
static enum fault wrap(struct wides *t, struct scalar s, int64_t v, word *out) { return put(t, arith_low(s, v), out); }

/* The number v, which must fit a signed type; others wrap. */
static enum fault fit(struct wides *t, struct scalar s, int64_t v, word *out) {
  int64_t low = arith_low(s, v);
  return s.is_signed && low != v ? FAULT_OVERFLOW : put(t, low, out);
}

enum fault arith_cast(struct wides *t, struct scalar s, word a, word *out) {
  if (word_is_unset(a)) {
    if (a == WORD_UNINITIALISED || s.bits != 8) return unset_fault(a);
    *out = a; /* a byte that is only copied */
    return FAULT_NONE;
  }
  if (s.bits == 1) {
    if (word_is_pointer(a) && (word_kind(a) == WORD_BYTE || word_is_term(a))) return FAULT_ADDRESS;
    *out = a != 0;
    return FAULT_NONE;
  }
  if (word_is_pointer(a)) {
    if (word_kind(a) == WORD_RAISED && s.bits <= 16) return wrap(t, s, word_tag(a), out);
    if (s.bits < 64 && word_kind(a) != WORD_BYTE) return FAULT_ADDRESS;
    *out = a;
    return FAULT_NONE;
  }
  if (s.pointer) {
    *out = a;
    return FAULT_NONE;
  }
  return wrap(t, s, number_of_word(t, a), out);
}

enum fault arith_unary(struct wides *t, unsigned op, struct scalar s, word a, word *out) {
  if (word_is_unset(a)) return unset_fault(a);
  if (op == OP_NOT) {
    if (word_is_pointer(a) && (word_kind(a) == WORD_BYTE || word_is_term(a))) return FAULT_ADDRESS;
    *out = !a;
    return FAULT_NONE;
  }
  if (word_is_pointer(a)) return FAULT_ADDRESS;
  int64_t n = number_of_word(t, a);
  switch (op) {
  case OP_NEG:
    if (s.is_signed && n == INT64_MIN) return FAULT_OVERFLOW;
    return fit(t, s, (int64_t)(0 - (uint64_t)n), out);
  case OP_INVERT: return wrap(t, s, ~n, out);
  default: *out = a; return FAULT_NONE;
  }
}

static enum fault shift(struct wides *t, unsigned op, struct scalar s, int64_t a, int64_t b, word *out) {
  if (b < 0 || b >= s.bits) return FAULT_SHIFT;
  if (op == OP_SHL) {
    int64_t v = (int64_t)((uint64_t)a << b);
    if (!s.is_signed) return wrap(t, s, v, out);
    if (a < 0) return FAULT_SHIFT; /* C11 6.5.7p4 */
    return v < 0 || v >> b != a ? FAULT_OVERFLOW : fit(t, s, v, out);
  }
  return put(t, s.is_signed ? a >> b : (int64_t)((uint64_t)a >> b), out);
}

static enum fault divide(struct wides *t, unsigned op, struct scalar s, int64_t a, int64_t b, word *out) {
  if (!b) return FAULT_DIVISION;
  if (!s.is_signed) return put(t, (int64_t)(op == OP_DIV ? (uint64_t)a / (uint64_t)b : (uint64_t)a % (uint64_t)b), out);
  if (b == -1 && (a == INT64_MIN || arith_low(s, -a) != -a)) return FAULT_OVERFLOW; /* INT_MIN / -1, INT_MIN % -1 */
  return put(t, op == OP_DIV ? a / b : a % b, out);
}

/* + - * */
static enum fault combine(struct wides *t, unsigned op, struct scalar s, int64_t a, int64_t b, word *out) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  int64_t v;
  if (!s.is_signed) return wrap(t, s, (int64_t)(op == OP_ADD ? x + y : op == OP_SUB ? x - y : x * y), out);
  bool over = op == OP_ADD   ? __builtin_add_overflow(a, b, &v)
              : op == OP_SUB ? __builtin_sub_overflow(a, b, &v)
                             : __builtin_mul_overflow(a, b, &v);
  return over ? FAULT_OVERFLOW : fit(t, s, v, out);
}

static bool less(struct scalar s, int64_t a, int64_t b) { return s.is_signed ? a < b : (uint64_t)a < (uint64_t)b; }

static enum fault numbers(struct wides *t, unsigned op, struct scalar s, int64_t a, int64_t b, word *out) {
  switch (op) {
  case OP_ADD:
  case OP_SUB:
  case OP_MUL: return combine(t, op, s, a, b, out);
  case OP_DIV:
  case OP_MOD: return divide(t, op, s, a, b, out);
  case OP_SHL:
  case OP_SHR: return shift(t, op, s, a, b, out);
  case OP_AND: return put(t, a & b, out);
  case OP_OR: return put(t, a | b, out);
  case OP_XOR: return put(t, a ^ b, out);
  case OP_EQ: *out = a == b; return FAULT_NONE;
  case OP_NE: *out = a != b; return FAULT_NONE;
  case OP_LT: *out = less(s, a, b); return FAULT_NONE;
  case OP_LE: *out = !less(s, b, a); return FAULT_NONE;
  case OP_GT: *out = less(s, b, a); return FAULT_NONE;
  case OP_GE: *out = !less(s, a, b); return FAULT_NONE;
  default: return FAULT_POINTER;
  }
}

enum fault arith_numbers(struct wides *t, unsigned op, struct scalar s, word a, word b, word *out) {
  if (word_is_small(a) && word_is_small(b)) return numbers(t, op, s, a, b, out);
  if (word_is_unset(a)) return unset_fault(a);
  if (word_is_unset(b)) return unset_fault(b);
  return numbers(t, op, s, number_of_word(t, a), number_of_word(t, b), out);
}

enum fault arith_offset(word at, int64_t cells, uint32_t most, word *out) {
  if (word_is_unset(at)) return unset_fault(at);
  if (!word_is_pointer(at)) {
    if (cells == 0) {
      *out = at;
      return FAULT_NONE;
    }
    return at >= 0 && at <= 7 ? FAULT_NULL : FAULT_POINTER;
  }
  if (!word_is_address(at)) return not_address(at);
  int64_t cell = (int64_t)word_cell(at) + cells;
  if (cell < 0 || cell > 0x1fffff || (uint64_t)cell > most) return FAULT_BOUNDS;
  *out = word_pointer(word_object(at), (uint32_t)cell) | (word)word_mark(at);
  return FAULT_NONE;
}
