/* Arithmetic on words, as C has it: signed integers overflow, unsigned ones wrap around, pointers stay within their
 * objects.
 *
 * Unsigned integers of 64 bits are kept as the signed number with the same bits, so that ~(uintptr_t)1 and (size_t)-1
 * are small; those between 2^61 and 2^64 - 2^61 are outside what is modelled (FAULT_RANGE).
 *
 * The number of an address is not modelled: of a pointer as a number the three low bits are known, as far as its
 * alignment says that they are zero (machine.c), and whether two are equal. All other arithmetic on it, which is
 * ordinary C, is FAULT_ADDRESS: beyond what is modelled, and not the program's fault. */
#include "verify/machine_parts.h"

/* The number with the low bits of v. */
static enum fault wrap(struct scalar s, word v, word *out) {
  if (s.bits == 64) {
    if (v > WORD_MOST || v < WORD_LEAST) return FAULT_RANGE;
    *out = v;
    return FAULT_NONE;
  }
  uint64_t mask = (UINT64_C(1) << s.bits) - 1, low = (uint64_t)v & mask;
  *out = s.is_signed && low >> (s.bits - 1) ? (word)(low | ~mask) : (word)low;
  return FAULT_NONE;
}

/* The number v, which must fit a signed type; others wrap. */
static enum fault fit(struct scalar s, word v, word *out) {
  enum fault why = wrap(s, v, out);
  return why ? why : s.is_signed && *out != v ? FAULT_OVERFLOW : FAULT_NONE;
}

enum fault arith_cast(struct scalar s, word a, word *out) {
  if (a == WORD_UNINITIALISED) return FAULT_UNINITIALISED;
  if (s.bits == 1) {
    *out = a != 0;
    return FAULT_NONE;
  }
  if (word_is_pointer(a)) {
    if (!s.pointer && !s.holds_pointer) return FAULT_ADDRESS;
    *out = a;
    return FAULT_NONE;
  }
  if (s.pointer) {
    *out = a;
    return FAULT_NONE;
  }
  return wrap(s, a, out);
}

enum fault arith_unary(unsigned op, struct scalar s, word a, word *out) {
  if (a == WORD_UNINITIALISED) return FAULT_UNINITIALISED;
  if (op == OP_NOT) {
    *out = !a;
    return FAULT_NONE;
  }
  if (word_is_pointer(a)) return FAULT_ADDRESS;
  switch (op) {
  case OP_NEG: return fit(s, -a, out);
  case OP_INVERT: return wrap(s, ~a, out);
  default: *out = a; return FAULT_NONE;
  }
}

/* The marks of a pointer: & | ^ + - with small numbers. */
static enum fault mark(unsigned op, word a, word b, word *out) {
  word base = a & ~(word)7, m = a & 7;
  switch (op) {
  case OP_AND:
    if ((b & ~(word)7) == 0) /* only the mark remains */
      *out = m & b;
    else if ((b | 7) == -1) /* ... or the pointer */
      *out = base | (m & b);
    else
      return FAULT_ADDRESS;
    return FAULT_NONE;
  case OP_OR: m |= b; break;
  case OP_XOR: m ^= b; break;
  case OP_ADD: m += b; break;
  case OP_SUB: m -= b; break;
  default: return FAULT_ADDRESS;
  }
  if (m < 0 || m > 7) return FAULT_ADDRESS;
  *out = base | m;
  return FAULT_NONE;
}

/* Null, marked or not, is below every address. */
static enum fault compare_null(unsigned op, word a, word b, word *out) {
  word x = word_is_pointer(a), y = word_is_pointer(b);
  *out = op == OP_LT ? x < y : op == OP_LE ? x <= y : op == OP_GT ? x > y : x >= y;
  return FAULT_NONE;
}

static bool is_null(word w) { return w >= 0 && w <= 7; }

static enum fault compare_pointers(unsigned op, struct scalar s, word a, word b, word *out) {
  if (op == OP_EQ || op == OP_NE) {
    if ((a ^ b) == WORD_PAST && word_is_pointer(a)) return FAULT_ADDRESS; /* what is past an array, and what is there */
    *out = (a == b) == (op == OP_EQ);
    return FAULT_NONE;
  }
  if (!s.is_signed && (is_null(a) || is_null(b))) return compare_null(op, a, b, out);
  if (!word_is_pointer(a) || !word_is_pointer(b) || word_object(a) != word_object(b)) return FAULT_ADDRESS;
  a &= ~WORD_PAST;
  b &= ~WORD_PAST;
  *out = op == OP_LT ? a < b : op == OP_LE ? a <= b : op == OP_GT ? a > b : a >= b;
  return FAULT_NONE;
}

static enum fault shift(unsigned op, struct scalar s, word a, word b, word *out) {
  if (b < 0 || b >= s.bits) return FAULT_SHIFT;
  if (op == OP_SHL) {
    if (s.is_signed && a < 0) return FAULT_SHIFT; /* C11 6.5.7p4 */
    if (a && (b > 61 || a > WORD_MOST >> b || a < -(WORD_MOST >> b)))
      return s.bits == 64 || !s.is_signed ? FAULT_RANGE : FAULT_OVERFLOW;
    return fit(s, (word)((uint64_t)a << b), out);
  }
  if (s.is_signed || a >= 0) {
    *out = a >> b;
    return FAULT_NONE;
  }
  return wrap(s, (word)((uint64_t)a >> b), out);
}

static bool less(struct scalar s, word a, word b) { return s.is_signed ? a < b : (uint64_t)a < (uint64_t)b; }

static enum fault numbers(unsigned op, struct scalar s, word a, word b, word *out) {
  word v;
  switch (op) {
  case OP_ADD: return fit(s, a + b, out);
  case OP_SUB: return fit(s, a - b, out);
  case OP_MUL: return __builtin_mul_overflow(a, b, &v) ? (s.is_signed ? FAULT_OVERFLOW : FAULT_RANGE) : fit(s, v, out);
  case OP_DIV:
  case OP_MOD:
    if (!b) return FAULT_DIVISION;
    if (s.is_signed && b == -1 && op == OP_MOD && fit(s, -a, out)) return FAULT_OVERFLOW; /* INT_MIN % -1 */
    if (s.is_signed || (a >= 0 && b >= 0)) return fit(s, op == OP_DIV ? a / b : a % b, out);
    return wrap(s, (word)(op == OP_DIV ? (uint64_t)a / (uint64_t)b : (uint64_t)a % (uint64_t)b), out);
  case OP_SHL:
  case OP_SHR: return shift(op, s, a, b, out);
  case OP_AND: *out = a & b; return FAULT_NONE;
  case OP_OR: *out = a | b; return FAULT_NONE;
  case OP_XOR: *out = a ^ b; return FAULT_NONE;
  case OP_EQ: *out = a == b; return FAULT_NONE;
  case OP_NE: *out = a != b; return FAULT_NONE;
  case OP_LT: *out = less(s, a, b); return FAULT_NONE;
  case OP_LE: *out = !less(s, b, a); return FAULT_NONE;
  case OP_GT: *out = less(s, b, a); return FAULT_NONE;
  case OP_GE: *out = !less(s, a, b); return FAULT_NONE;
  default: return FAULT_POINTER;
  }
}

enum fault arith_binary(unsigned op, struct scalar s, word a, word b, word *out) {
  if (a == WORD_UNINITIALISED || b == WORD_UNINITIALISED) return FAULT_UNINITIALISED;
  bool p = word_is_pointer(a), q = word_is_pointer(b);
  if (!p && !q) return numbers(op, s, a, b, out);
  if (op >= OP_EQ && op <= OP_GE) return compare_pointers(op, s, a, b, out);
  if (p && !q) return mark(op, a, b, out);
  if (q && !p && op != OP_SUB) return mark(op, b, a, out);
  return FAULT_ADDRESS;
}

enum fault arith_wrap(unsigned op, struct scalar s, word a, word b, word *out) {
  enum fault why = arith_binary(op, s, a, b, out);
  if (why != FAULT_OVERFLOW) return why;
  struct scalar u = s;
  u.is_signed = false;
  why = arith_binary(op, u, a, b, out);
  return why ? why : wrap(s, *out, out);
}

enum fault arith_offset(word at, int64_t cells, uint32_t most, word *out) {
  if (at == WORD_UNINITIALISED) return FAULT_UNINITIALISED;
  if (!word_is_pointer(at)) {
    if (cells == 0) {
      *out = at;
      return FAULT_NONE;
    }
    return at >= 0 && at <= 7 ? FAULT_NULL : FAULT_POINTER;
  }
  int64_t cell = (int64_t)word_cell(at) + cells;
  if (cell < 0 || cell > 0x1fffff || (uint64_t)cell > most) return FAULT_BOUNDS;
  *out = word_pointer(word_object(at), (uint32_t)cell) | (word)word_mark(at);
  return FAULT_NONE;
}

enum fault arith_differ(word a, word b, int64_t size, word *out) {
  if (a == WORD_UNINITIALISED || b == WORD_UNINITIALISED) return FAULT_UNINITIALISED;
  if (!word_is_pointer(a) || !word_is_pointer(b) || word_object(a) != word_object(b)) {
    if (a == b) {
      *out = 0;
      return FAULT_NONE;
    }
    return FAULT_POINTER;
  }
  int64_t x = word_cell(a & ~WORD_PAST), y = word_cell(b & ~WORD_PAST);
  *out = (x - y) / (size ? size : 1);
  return FAULT_NONE;
}
