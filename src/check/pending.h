/* Operations that never returned, where what they did needs no choice: see pending.c. */
#ifndef ASIF_CHECK_PENDING_H
#define ASIF_CHECK_PENDING_H

#include "check/part.h"

/* A part that is linearizable iff the one it was made of is: pending operations that nobody can have observed are left
 * out, and those that certainly took effect have returned. Its operations and events have numbers of their own. */
struct settled {
  struct part part;
  uint32_t *from;  /* its operations as the other part's */
  uint32_t *to;    /* the other part's as its own; UINT32_MAX: left out */
  uint32_t *event; /* its events as the other part's: of a return that was added, the event before which it is */
  uint32_t *ends;  /* of its operations: the event after which a pending one can no longer take effect, or NO_RETURN */
};

/* False if there is nothing to settle. */
bool pending_settle(const struct part *, struct mem *, struct settled *);
void settled_free(struct settled *, struct mem *);

#endif
