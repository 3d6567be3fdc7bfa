/* Floating point as x86-64 computes it with SSE: IEEE 754 binary32 and binary64, rounded to the nearest after every
 * operation, in the operands' own format (FLT_EVAL_METHOD is 0) and without fused operations.
 *
 * A number is its bits, of a float in the lower 32. Where a result is a NaN, its bits are those that SSE gives: those
 * of the first operand that is one, made quiet, otherwise the negative quiet NaN. */
#ifndef ASIF_FRONT_FLOATING_H
#define ASIF_FRONT_FLOATING_H

#include "front/int128.h"

double floating_value(unsigned bits, uint64_t a);
/* bits: 32 or 64, of the operands. A comparison gives 0 or 1. */
uint64_t floating_binary(enum operator, unsigned bits, uint64_t a, uint64_t b);
uint64_t floating_negated(unsigned bits, uint64_t a);
bool floating_is_nan(unsigned bits, uint64_t a);
bool floating_is_infinite(unsigned bits, uint64_t a);
/* from one format to the other */
uint64_t floating_convert(unsigned from, unsigned to, uint64_t a);
uint64_t floating_of_integer(unsigned bits, uint128 n, bool is_signed);
/* The integer without its fraction, as one of so many bits; false: the type has no such value. */
bool floating_to_integer(unsigned bits, uint64_t a, unsigned to_bits, bool is_signed, uint128 *out);

/* Functions of <math.h> whose results IEEE 754 says exactly. */
enum floating_function { FLOATING_ABS, FLOATING_SQRT, FLOATING_FLOOR, FLOATING_CEIL, FLOATING_TRUNC };
uint64_t floating_function(enum floating_function, unsigned bits, uint64_t a);

#endif
