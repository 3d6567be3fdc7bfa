/* Floating point (floating.h): each operation is made on its own by the processor that this runs on, which has the same
 * formats; only which NaN it is, which processors differ in, is said here. */
#include "front/floating.h"

#include <math.h>
#include <string.h>

double floating_value(unsigned bits, uint64_t a) {
  uint32_t half = (uint32_t)a;
  float narrow;
  double value;
  memcpy(&narrow, &half, sizeof narrow);
  memcpy(&value, &a, sizeof value);
  return bits == 32 ? (double)narrow : value;
}

static uint64_t bits_of_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t sign_of(unsigned bits) { return UINT64_C(1) << (bits - 1); }
static uint64_t quiet_of(unsigned bits) { return bits == 32 ? UINT64_C(1) << 22 : UINT64_C(1) << 51; }
static uint64_t infinity_of(unsigned bits) { return bits == 32 ? 0x7f800000 : UINT64_C(0x7ff) << 52; }

bool floating_is_nan(unsigned bits, uint64_t a) { return (a & ~sign_of(bits)) > infinity_of(bits); }

bool floating_is_infinite(unsigned bits, uint64_t a) { return (a & ~sign_of(bits)) == infinity_of(bits); }

/* What an operation without a NaN gives. */
static uint64_t with_nan(unsigned bits, uint64_t result) {
  return floating_is_nan(bits, result) ? sign_of(bits) | infinity_of(bits) | quiet_of(bits) : result;
}

static uint64_t compute_double(enum operator op, double a, double b) {
  return bits_of_double(op == OP_ADD ? a + b : op == OP_SUB ? a - b : op == OP_MUL ? a * b : a / b);
}

static uint64_t compute_float(enum operator op, float a, float b) {
  return bits_of_float(op == OP_ADD ? a + b : op == OP_SUB ? a - b : op == OP_MUL ? a * b : a / b);
}

static bool compare(enum operator op, double a, double b) {
  switch (op) {
  case OP_EQ: return a == b;
  case OP_NE: return a != b;
  case OP_LT: return a < b;
  case OP_LE: return a <= b;
  case OP_GT: return a > b;
  default: return a >= b;
  }
}

uint64_t floating_binary(enum operator op, unsigned bits, uint64_t a, uint64_t b) {
  if (op >= OP_EQ && op <= OP_GE) return compare(op, floating_value(bits, a), floating_value(bits, b));
  if (floating_is_nan(bits, a)) return a | quiet_of(bits);
  if (floating_is_nan(bits, b)) return b | quiet_of(bits);
  double x = floating_value(bits, a), y = floating_value(bits, b);
  return with_nan(bits, bits == 32 ? compute_float(op, (float)x, (float)y) : compute_double(op, x, y));
}

uint64_t floating_negated(unsigned bits, uint64_t a) { return a ^ sign_of(bits); }

uint64_t floating_convert(unsigned from, unsigned to, uint64_t a) {
  if (from == to) return a;
  if (floating_is_nan(from, a)) { /* the upper bits of what it says stay */
    uint64_t sign = a & sign_of(from) ? sign_of(to) : 0, said = a & (quiet_of(from) * 2 - 1);
    said = to == 64 ? said << 29 : said >> 29;
    return sign | infinity_of(to) | quiet_of(to) | said;
  }
  double value = floating_value(from, a);
  return to == 32 ? bits_of_float((float)value) : bits_of_double(value);
}

uint64_t floating_of_integer(unsigned bits, uint128 n, bool is_signed) {
  if (bits == 32) return bits_of_float(is_signed ? (float)(int128)n : (float)n);
  return bits_of_double(is_signed ? (double)(int128)n : (double)n);
}

bool floating_to_integer(unsigned bits, uint64_t a, unsigned to_bits, bool is_signed, uint128 *out) {
  if (floating_is_nan(bits, a)) return false;
  double whole = trunc(floating_value(bits, a)), end = ldexp(1, (int)to_bits - is_signed);
  if (whole >= end || (is_signed ? whole < -end : whole < 0)) return false;
  *out = whole < 0 ? (uint128)(int128)whole : (uint128)whole;
  return true;
}

uint64_t floating_function(enum floating_function f, unsigned bits, uint64_t a) {
  double x = floating_value(bits, a);
  if (f == FLOATING_ABS) return a & ~sign_of(bits);
  if (floating_is_nan(bits, a)) return a | quiet_of(bits);
  if (f == FLOATING_SQRT) return with_nan(bits, bits == 32 ? bits_of_float(sqrtf((float)x)) : bits_of_double(sqrt(x)));
  double to = f == FLOATING_FLOOR ? floor(x) : f == FLOATING_CEIL ? ceil(x) : trunc(x);
  return bits == 32 ? bits_of_float((float)to) : bits_of_double(to);
}
