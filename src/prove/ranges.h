/* Ranges of numbers, of which those of the registers follow from the program alone (ranges.c). */
#ifndef ASIF_PROVE_RANGES_H
#define ASIF_PROVE_RANGES_H

#include "prove/prover.h"

__extension__ typedef __int128 wide; /* holds the product of any two signed numbers of 64 bits */

struct range {
  wide low, high; /* both inside */
};

static inline struct range range_of_type(struct scalar s) {
  if (s.bits == 1) return (struct range){0, 1};
  wide half = (wide)1 << (s.bits - 1);
  return s.is_signed ? (struct range){-half, half - 1} : (struct range){0, 2 * half - 1};
}

static inline bool within(struct range r, struct range in) { return in.low <= r.low && r.high <= in.high; }
static inline wide least(wide a, wide b) { return a < b ? a : b; }
static inline wide most(wide a, wide b) { return a > b ? a : b; }
static inline struct range overlap(struct range a, struct range b) {
  return (struct range){most(a.low, b.low), least(a.high, b.high)};
}

#define ANYTHING ((struct range){INT64_MIN, INT64_MAX})

static inline bool is_comparison(unsigned op) { return op >= OP_EQ && op <= OP_GE; }

#endif
