/* An order of the operations so far that the specification allows, kept event by event: as long as there is one nothing
 * is violated, and no system need be solved. Processes are forgotten: all is done by one.
 *
 * Of the order only its end is kept, the state it leads to, and which of the open operations it has. An operation that
 * returns is put at the end if it is not in it; after one or two of the open ones, where that helps. Where it does not,
 * the order is lost, and looked for anew among what A_k still tells (witness_find). That it was lost says nothing. */
#ifndef ASIF_APPROX_GRAMMAR_WITNESS_H
#define ASIF_APPROX_GRAMMAR_WITNESS_H

#include "approx/monitor.h"

struct witness;
struct witness *witness_new(struct mem *, const struct spec *);
void witness_call(struct witness *, uint32_t slot, const struct op *, uint64_t interval);
bool witness_return(struct witness *, uint32_t slot, value result); /* false: lost */
void witness_drop(struct witness *, uint32_t slot);
void witness_retire(struct witness *, uint32_t slot);
bool witness_at_start(
    const struct witness *); /* there is an order, without open operations, and it ends in the initial state */

/* Operations that have returned, with their intervals. Open ones are known; `forgotten` intervals are no longer told
 * from the first. */
struct witness_op {
  struct op op;
  unsigned from, to;
  uint32_t count;
};
bool witness_find(struct witness *, const struct witness_op *, size_t count, uint64_t forgotten);

#endif
