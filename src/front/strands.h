/* Strands: the code of operands whose order C leaves open, each by itself, to be joined. */
#ifndef ASIF_FRONT_STRANDS_H
#define ASIF_FRONT_STRANDS_H

#include "front/lower.h"

enum { OPERANDS_MOST = 8 }; /* that are evaluated in every order */

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
  bool checked;  /* in one order, if they conflict (lower_checked.c) */
  unsigned count;
  struct strand *strand;
};

/* Nobody else runs between two accesses. */
static inline bool is_alone(const struct lowering *l) { return l->alone || l->atomic; }

/* Takes the code from `begin` on out of the operation's. `whole`: all of it is one part. */
struct strand strand_cut(struct ordering *, size_t begin, bool whole);
/* The code of all of them, in every order that can be told apart. */
void strands_join(struct ordering *);
/* What an instruction does with the registers before `base`: REG_..., CELLS_...; gives how many spans. */
unsigned strand_inst_uses(const struct inst *, uint32_t base, struct span spans[6], uint8_t how[6]);
enum { REG_READ = 1, REG_WRITTEN = 2, CELLS_READ = 4, CELLS_WRITTEN = 8 };
uint8_t strand_against(uint8_t how); /* uses of another strand that conflict with this one */
/* Adds one of the strand's instructions; label: where it goes, if it jumps. */
void strand_copy(struct ordering *, const struct strand *, uint32_t inst, uint32_t label);

/* lower_checked.c: in one order, and checked at run time. */
bool checked_may(struct lowering *, struct place); /* may these operands be? */
void checked_join(struct ordering *);

#endif
