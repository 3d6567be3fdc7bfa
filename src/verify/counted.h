/* Counting representations in the place of spec sets (`asif verify --approx K`): Bouajjani et al. 2015, section 9.3.
 *
 * Where a spec set holds what the specification may have done so far, a counting holds what the approximation A_k knows of the history so
 * far (Algorithm 1): of each label, an operation with its result, how often it occurs in each interval [i, j] with 0 <= i <= j <= k; in
 * which interval the open operation of each thread began; and whether the last event was a return. The order of operations within an
 * interval is forgotten, and so is all that was longer ago than k intervals. Countings are interned: a number each. 0 is what follows a
 * return after which the counting is not the specification's: A_k of the history is a violation, hence the history is one.
 *
 * That is decided exactly, for any specification: is there an order of the counted operations that keeps that of the intervals and that
 * the specification allows? Once for each counting. */
#ifndef ASIF_VERIFY_COUNTED_H
#define ASIF_VERIFY_COUNTED_H

#include "verify/traces.h"

enum { COUNTED_K_MOST = 100 };

struct counted;
/* The calls are those numbered by `calls`. bound: calls that might take the specification's state beyond this many elements, as far as A_k
 * knows, are not made; -1 for none. */
struct counted *counted_new(struct mem *, const struct spec *, struct specsets *calls, unsigned threads, unsigned k, int64_t bound);
struct traces counted_traces(struct counted *);
/* As specsets_blurred. */
bool counted_blurred(struct counted *);
/* Are countings finitely many however many operations there are? So it is of collections, where what was put in and taken out again in
 * the interval [0, 0] is forgotten. */
bool counted_forgets(const struct spec *);

#endif
