/* The flow of registers through code: what each instruction reads and writes, and where a register is live. */
#ifndef ASIF_FRONT_FLOW_H
#define ASIF_FRONT_FLOW_H

#include "front/program.h"

struct span {
  reg first;
  uint16_t count;
};
/* How many spans. The expected value of I_CAS is read, and may be written. */
unsigned inst_reads(const struct inst *, struct span[3]);
unsigned inst_writes(const struct inst *, struct span[2]);
static inline bool inst_jumps(const struct inst *in) { return in->code == I_JUMP || in->code == I_BRANCH; }
static inline bool inst_ends(const struct inst *in) {
  return in->code == I_JUMP || in->code == I_TRAP || in->code == I_RETURN;
}

/* Code from `begin` up to `end`, whose jumps stay within it. Instructions are counted from 0 here. */
struct flow {
  struct mem *mem;
  const struct inst *code;
  uint32_t count, regs;
  uint32_t base;               /* the number that jumps give the first one */
  uint32_t *pred_first, *pred; /* who comes before each */
  uint32_t *use_first, *use;   /* who reads each register */
  struct span (*writes)[2];    /* what each writes; spans without registers behind it */
  uint32_t *in, *out;          /* stamp: the register is live before, after */
  uint32_t stamp;
  uint32_t *seen, walk; /* those that the walk for one register has been to */
  uint32_t low, high;   /* of this stamp: from where to where it is live, 2i before instruction i and 2i + 1 after */
  uint32_t *stack;
};
void flow_open(struct flow *, struct mem *, const struct inst *code, uint32_t count, uint32_t base, uint32_t regs);
void flow_close(struct flow *);
/* A new stamp; then any number of registers, whose live places get it. */
static inline void flow_begin(struct flow *f) {
  f->stamp++;
  f->low = UINT32_MAX;
  f->high = 0;
}
void flow_add(struct flow *, reg);
static inline bool flow_in(const struct flow *f, uint32_t i) { return f->in[i] == f->stamp; }
static inline bool flow_out(const struct flow *f, uint32_t i) { return f->out[i] == f->stamp; }

/* Every number of a register in it becomes to[number]. */
void inst_rename(struct inst *, const reg *to);

/* Fills live and registers of a program whose code is there. */
void program_liveness(struct program *);

#endif
