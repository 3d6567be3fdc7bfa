/* Model checking by enumeration: every execution of an object's clients, a move at a time, with no reduction of any
 * kind; every history they give is decided by the checker of recorded histories. The reference for `asif verify` on
 * small objects. */
#ifndef ASIF_TESTS_BRUTE_VERIFY_H
#define ASIF_TESTS_BRUTE_VERIFY_H

#include "verify/verify.h"

struct brute_kinds {
  bool trace, deadlock;
  bool stuck;      /* from a state on no operation returns, though one is open */
  uint32_t faults; /* bit f: enum fault f can happen */
};

/* A client that makes just these calls: thread t those with the numbers calls[first[t]] .. calls[first[t + 1] - 1], in
 * this order. */
struct brute_client {
  const uint16_t *calls;
  const uint32_t *first;
};

/* How executions with a history end. */
enum brute_end {
  END_WHOLE = 1,
  END_WAITING = 2
}; /* everything has returned; nothing happens any more, for locks or in loops */

struct brute_node;

struct brute {
  struct mem *mem;
  struct subject *subject;
  const struct brute_client *client; /* NULL: any calls of the subject's */
  bool past;                         /* goes on where the history is wrong */
  bool whole;                        /* nothing was left out: all of the following is so */
  bool limited;                      /* an execution comes to what the machine does not model */
  struct brute_kinds kinds;
  uint32_t level; /* moves before the first state from which some execution goes wrong, or that is a deadlock */
  size_t pairs, nodes, histories; /* of state and history; prefixes of histories; histories that no other continues */
  char wrong[200];                /* the checkers or the spec sets disagree among themselves; or "" */
  /* private */
  VEC(struct brute_node) tree;
};

/* The most pairs to look at, and the most histories to decide. */
void brute_explore(struct brute *, struct mem *, struct subject *, size_t pairs_most, size_t histories_most);
/* The same, also what follows when a history is wrong; histories are not decided. */
void brute_explore_past(struct brute *, struct mem *, struct subject *, size_t pairs_most);
/* Every execution of one client, also what follows when its history is wrong; histories are not decided. */
void brute_enumerate(struct brute *, struct mem *, struct subject *, const struct brute_client *, size_t pairs_most);
/* Of these, the histories: numbers up to `nodes`. The one with exactly these events, or UINT32_MAX; its events, how
 * executions end with it (enum brute_end), and whether the spec sets say it is linearizable. */
uint32_t brute_find(const struct brute *, const struct event *, size_t count);
size_t brute_events(const struct brute *, uint32_t node, struct event *, size_t most);
unsigned brute_ends(const struct brute *, uint32_t node);
bool brute_holds(const struct brute *, uint32_t node);
struct history *brute_history(struct mem *, const struct brute *, uint32_t node); /* not bound */
/* Is there an execution with exactly these events in the beginning? */
bool brute_has(const struct brute *, const struct event *, size_t count);

static inline bool brute_violated(const struct brute *b) {
  return b->kinds.trace || b->kinds.deadlock || b->kinds.faults || b->kinds.stuck;
}

#endif
