/* Concrete executions of the programs that prove reads, with the same steps, and which of the prover's views describe a
 * state.
 *
 * Memory is objects that are freed and used again; each thread has registers; the specification's state goes along as a
 * ghost: at the prover's linearization points it changes. If the prover is right every state of every execution is
 * described by a view of each thread. */
#ifndef ASIF_TESTS_CONCRETE_H
#define ASIF_TESTS_CONCRETE_H

#include "prove/prover.h"

enum { CONCRETE_THREADS = 3, CONCRETE_OBJECTS = 48, CONCRETE_ITEMS = 32 };

struct concrete_object {
  bool used;
  int8_t owner; /* the thread's whose it is alone; -1: shared */
  uint8_t layout;
  word cell[CELLS_EACH];
};

struct concrete_thread {
  uint32_t pc; /* 0: between operations */
  uint16_t op;
  uint8_t may_return;
  bool linearized;
  word reg[REGS_MOST], arg, status;
};

struct concrete {
  struct concrete_object object[CONCRETE_OBJECTS];
  struct concrete_thread thread[CONCRETE_THREADS];
  word root[ROOTS_MOST];
  word item[CONCRETE_ITEMS]; /* the specification's state */
  unsigned items;
  const char *fault; /* what went wrong, or NULL */
};

void concrete_start(struct prover *, struct concrete *);
/* False: the thread cannot go on here (it waits); the state is as it was then. */
bool concrete_call(struct prover *, struct concrete *, unsigned thread, uint16_t op, word arg, uint32_t luck);
bool concrete_step(struct prover *, struct concrete *, unsigned thread, uint32_t luck);
/* Is the state as the view says, for this thread? */
bool concrete_matches(const struct prover *, const struct concrete *, unsigned thread, const struct view *);
bool concrete_covered(const struct prover *, const struct concrete *, unsigned thread); /* by any view */
void concrete_print(const struct prover *, const struct concrete *, FILE *);

#endif
