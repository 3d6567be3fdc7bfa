/* Strands: the code of operands whose order C leaves open, each by itself, to be joined. */
#ifndef ASIF_FRONT_STRANDS_H
#define ASIF_FRONT_STRANDS_H

#include "front/lower.h"

enum { OPERANDS_MOST = 8 };

struct strand {
  struct inst *code; /* jumps have the instruction they go to, counted from 0 */
  uint32_t *call;    /* of each instruction: the call it is in, 0 for none */
  uint8_t *part;     /* of each: does it conflict with what another strand does? */
  uint32_t count;
  uint8_t *uses; /* a register that was there before: what the strand does with it */
  bool shared, writes;
};

struct ordering {
  struct lowering *l;
  struct place place;
  uint32_t base; /* registers that were there before */
  unsigned count;
  struct strand strand[OPERANDS_MOST];
};

/* Nobody else runs between two accesses. */
static inline bool is_alone(const struct lowering *l) { return l->alone || l->atomic; }

/* Takes the code from `begin` on out of the operation's. `whole`: all of it is one part. */
struct strand strand_cut(struct ordering *, size_t begin, bool whole);
/* The code of all of them, in every order that can be told apart. */
void strands_join(struct ordering *);

#endif
