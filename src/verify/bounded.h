/* A system whose clients keep the specification's state within a bound (ASIF_BOUND), for what is decided without a
 * specification: the set (traces.h) after the events so far is a part of the state, and a call the client does not make
 * there WAITS. */
#ifndef ASIF_VERIFY_BOUNDED_H
#define ASIF_VERIFY_BOUNDED_H

#include "verify/system.h"
#include "verify/traces.h"

/* Owned by mem. Threads keep their places: it packs only with from NULL. A move after which the events are no trace has
 * FAULT_RANGE: there the clients do not know what they may call. Paths of it are paths of the system within. */
struct system *bounded_new(struct mem *, struct system *within, const struct traces *);
/* Was there a call that was not made? */
bool bounded_refused(const struct system *);

#endif
