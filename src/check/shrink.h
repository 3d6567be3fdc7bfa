/* The smallest wrong part of a part.
 *
 * A sub-history can be wrong only because something was left out of it: Deq() -> 7 without its Enq(7). So an operation
 * is never just left out unless that is sure to keep a right history right: gone   it cannot matter: it was called
 * after the fault, or leaves every state as it is, or is on values the others do not touch, in a data-independent
 * object; free   it may take effect at any time, or never: forgotten but for that. What remains, the *core*, cannot be
 * linearized whatever the others did and whenever. It is 1-minimal: freeing any one more operation makes it
 * linearizable. The culprit alone may be there for its return only: what it returned, at any time, leaves no order. */
#ifndef ASIF_CHECK_SHRINK_H
#define ASIF_CHECK_SHRINK_H

#include "check/fault.h"

struct shrunk {
  op_list core, free; /* operations of the part, by call */
  struct start start; /* count > 0: the core begins in one of these configurations, before event `from` */
  uint32_t from;
  uint32_t culprit;
  bool minimal;
  bool by_return; /* with the culprit free there is no order either: before its return it might have returned another */
  bool forgets;   /* what was open at the fault and returned later plays no part; else what it returned then does */
};

/* Shrinks what had happened by the fault of a part. `seconds` is how long it may take, about. */
void shrink_part(const struct part *, const struct fault *, struct mem *, double seconds, struct shrunk *);

#endif
