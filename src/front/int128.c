/* Arithmetic on __int128 (int128.h). Only operations that every compiler's run-time library has are used. */
#include "front/int128.h"

#define INT128_SIGN ((uint128)1 << 127)

static bool negative(uint128 n) { return n >> 127; }
static uint128 magnitude(uint128 n) { return negative(n) ? 0 - n : n; }

static enum int128_result multiply(bool is_signed, uint128 a, uint128 b, uint128 *out) {
  *out = a * b;
  if (!is_signed) return INT128_FINE;
  uint128 x = magnitude(a), y = magnitude(b), most = negative(a) == negative(b) ? INT128_SIGN - 1 : INT128_SIGN;
  return x && y > most / x ? INT128_OVERFLOW : INT128_FINE;
}

static enum int128_result divide(enum operator op, bool is_signed, uint128 a, uint128 b, uint128 *out) {
  if (!b) return INT128_DIVISION;
  if (!is_signed) {
    *out = op == OP_DIV ? a / b : a % b;
    return INT128_FINE;
  }
  if (a == INT128_SIGN && b == (uint128)-1) return INT128_OVERFLOW;
  *out = (uint128)(op == OP_DIV ? (int128)a / (int128)b : (int128)a % (int128)b);
  return INT128_FINE;
}

static enum int128_result shift(enum operator op, bool is_signed, uint128 a, uint128 b, uint128 *out) {
  if (b >= 128) return INT128_SHIFT;
  if (op == OP_SHR) {
    *out = is_signed ? (uint128)((int128)a >> (int)b) : a >> (int)b;
    return INT128_FINE;
  }
  *out = a << (int)b;
  if (!is_signed) return INT128_FINE;
  if (negative(a)) return INT128_SHIFT; /* C11 6.5.7p4 */
  return negative(*out) || *out >> (int)b != a ? INT128_OVERFLOW : INT128_FINE;
}

static bool less(bool is_signed, uint128 a, uint128 b) { return is_signed ? (int128)a < (int128)b : a < b; }

enum int128_result int128_binary(enum operator op, bool is_signed, uint128 a, uint128 b, uint128 *out) {
  switch (op) {
  case OP_ADD:
    *out = a + b;
    return is_signed && negative(a) == negative(b) && negative(a) != negative(*out) ? INT128_OVERFLOW : INT128_FINE;
  case OP_SUB:
    *out = a - b;
    return is_signed && negative(a) != negative(b) && negative(a) != negative(*out) ? INT128_OVERFLOW : INT128_FINE;
  case OP_MUL: return multiply(is_signed, a, b, out);
  case OP_DIV:
  case OP_MOD: return divide(op, is_signed, a, b, out);
  case OP_SHL:
  case OP_SHR: return shift(op, is_signed, a, b, out);
  case OP_AND: *out = a & b; return INT128_FINE;
  case OP_OR: *out = a | b; return INT128_FINE;
  case OP_XOR: *out = a ^ b; return INT128_FINE;
  case OP_EQ: *out = a == b; return INT128_FINE;
  case OP_NE: *out = a != b; return INT128_FINE;
  case OP_LT: *out = less(is_signed, a, b); return INT128_FINE;
  case OP_LE: *out = !less(is_signed, b, a); return INT128_FINE;
  case OP_GT: *out = less(is_signed, b, a); return INT128_FINE;
  default: *out = !less(is_signed, a, b); return INT128_FINE;
  }
}

enum int128_result int128_unary(enum operator op, bool is_signed, uint128 a, uint128 *out) {
  *out = op == OP_NEG ? 0 - a : ~a;
  return op == OP_NEG && is_signed && a == INT128_SIGN ? INT128_OVERFLOW : INT128_FINE;
}
