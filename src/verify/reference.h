/* Another concurrent object as the specification: its histories, determinised on the fly (Bouajjani et al. 2015,
 * sections 3 and 4).
 *
 * One library refines another, for every program that uses it, iff its histories are among the other's. A set is the
 * set of states the reference may be in after a history, closed under its invisible moves: nothing is asked of it but
 * to have the same calls and results in some execution. It need not be atomic, nor its operations ever return.
 *
 * In the reference a call does nothing but happen, whenever the thread is idle, and a return too, once there is a
 * result. So an execution is still one with a call made earlier, or a return later: its histories are closed under
 * that, and it suffices that the object's own histories are looked at with late calls and early returns
 * (machine_options.fuse_events): all others come from these. */
#ifndef ASIF_VERIFY_REFERENCE_H
#define ASIF_VERIFY_REFERENCE_H

#include "verify/machine.h"
#include "verify/traces.h"

struct reference;

/* What the reference is made of. */
struct reference_parts {
  const struct program *program;
  const struct client_call *calls; /* of each number in events: an operation of the reference, and arguments */
  unsigned call_count;
  unsigned threads;
  bool type_stable, weak_fails, malloc_fails, forget; /* as in machine_options */
  machine_result *result;                             /* of its operations, as the events have it */
  void *result_self;
};

/* Owned by mem. */
struct reference *reference_new(struct mem *, const struct reference_parts *);
struct traces reference_traces(struct reference *);
/* Undefined behaviour, or a failed assertion, of the reference itself in some execution with a history met: from then
 * on every set is empty, which shows nothing. */
bool reference_fault(struct reference *, struct move *);

/* Does the reference have this history? By a search of its own for this one: no sets, and nothing that is forgotten. */
bool reference_has(struct mem *, const struct reference_parts *, const struct event *, size_t count);

#endif
