/* A small interpreter of lowered programs, of one thread and without any cleverness: what the machine is compared with.
 */
#ifndef ASIF_TESTS_SEQUENTIAL_H
#define ASIF_TESTS_SEQUENTIAL_H

#include "front/program.h"

struct box {
  word *cells;
  uint32_t count;
  bool gone, local;
};
struct run {
  struct mem *mem;
  const struct program *p;
  word r[1000];
  VEC(struct box) boxes;
  const char *wrong;
  uint32_t at, steps;
  word result;
  uint32_t thread, chosen;
};

/* With all globals as they begin. */
void sequential_open(struct run *, struct mem *, const struct program *);
/* One call after the other; `wrong` says what went wrong in it, or is NULL. */
word run_op(struct run *, const struct program_op *, word a, word b);
word run_from(struct run *, uint32_t entry);

#endif
