/* Countings in the place of spec sets (`asif verify --approx K`): Bouajjani et al. 2015, section 9.3.
 *
 * Where a spec set holds what the specification may have done so far, a counting holds what A_k knows of the history so
 * far (approx/countings.h). */
#ifndef ASIF_VERIFY_COUNTED_H
#define ASIF_VERIFY_COUNTED_H

#include "approx/countings.h"
#include "verify/traces.h"

struct counted;
/* The calls are those numbered by `calls`. bound: calls that might take the specification's state beyond this many
 * elements, as far as A_k knows, are not made; -1 for none. */
struct counted *counted_new(struct mem *, const struct spec *, struct specsets *calls, unsigned threads, unsigned k,
                            int64_t bound);
struct traces counted_traces(struct counted *);

#endif
