/* Model checking by enumeration: every execution of an object's clients, a move at a time, with no reduction of any kind; every
 * history they give is decided by the checker of recorded histories. The reference for `asif verify` on small objects. */
#ifndef ASIF_TESTS_BRUTE_VERIFY_H
#define ASIF_TESTS_BRUTE_VERIFY_H

#include "verify/verify.h"

struct brute_kinds {
  bool trace, deadlock;
  uint32_t faults; /* bit f: enum fault f can happen */
};

struct brute_node;

struct brute {
  struct mem *mem;
  struct subject *subject;
  bool whole;      /* nothing was left out: all of the following is so */
  bool limited;    /* an execution comes to what the machine does not model */
  struct brute_kinds kinds;
  uint32_t level;  /* moves before the first state from which some execution goes wrong, or that is a deadlock */
  size_t pairs, nodes, histories; /* of state and history; prefixes of histories; histories that no other continues */
  char wrong[200]; /* the checkers or the spec sets disagree among themselves; or "" */
  /* private */
  VEC(struct brute_node) tree;
};

/* The most pairs to look at, and the most histories to decide. */
void brute_explore(struct brute *, struct mem *, struct subject *, size_t pairs_most, size_t histories_most);
/* Is there an execution with exactly these events in the beginning? */
bool brute_has(const struct brute *, const struct event *, size_t count);

static inline bool brute_violated(const struct brute *b) { return b->kinds.trace || b->kinds.deadlock || b->kinds.faults; }

#endif
