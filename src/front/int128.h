/* Arithmetic on __int128, as C has it: what constant expressions and the machine share. */
#ifndef ASIF_FRONT_INT128_H
#define ASIF_FRONT_INT128_H

#include "front/ast.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

enum int128_result { INT128_FINE, INT128_OVERFLOW, INT128_DIVISION, INT128_SHIFT };

static inline uint128 int128_of(int64_t low, int64_t high) { return (uint128)(uint64_t)high << 64 | (uint64_t)low; }
static inline int64_t int128_low(uint128 n) { return (int64_t)(uint64_t)n; }
static inline int64_t int128_high(uint128 n) { return (int64_t)(uint64_t)(n >> 64); }
/* A number of the type: a signed one has its sign in all upper bits. */
static inline uint128 int128_extended(int64_t n, bool is_signed) { return is_signed ? (uint128)n : (uint64_t)n; }

/* a op b; a comparison gives 0 or 1, a shift takes b as a signed number. */
enum int128_result int128_binary(enum operator, bool is_signed, uint128 a, uint128 b, uint128 *out);
enum int128_result int128_unary(enum operator, bool is_signed, uint128 a, uint128 *out); /* OP_NEG, OP_INVERT */

#endif
