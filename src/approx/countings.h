/* Countings: A_k of histories as the states of an automaton (Bouajjani et al. 2015, sections 6.2 and 9.3).
 *
 * A counting is what the approximation A_k knows of a history (Algorithm 1): of each label, an operation with its
 * result, how often it occurs in each interval [i, j] with 0 <= i <= j <= k; in which interval the open operation of
 * each process began; and whether the last event was a return. The order of operations within an interval is forgotten,
 * and so is all that was longer ago than k intervals. Countings are interned: a number each. 0 is what follows a return
 * after which the counting is not the specification's: A_k of the history is a violation, hence the history is one.
 *
 * That is decided exactly, for any specification: is there an order of the counted operations that keeps that of the
 * intervals and that the specification allows? Once for each counting. Histories are short, or of a collection: else
 * countings grow with them. */
#ifndef ASIF_APPROX_COUNTINGS_H
#define ASIF_APPROX_COUNTINGS_H

#include "base/mem.h"
#include "spec/spec.h"

enum { COUNTINGS_K_MOST = 100, COUNTINGS_PROCESSES_MOST = 64, COUNTING_IDLE = 0 };

struct countings;
/* process: less than `processes`; it is the specification's. Everything is owned by mem. */
struct countings *countings_new(struct mem *, const struct spec *, unsigned processes, unsigned k);
/* The number of a call by the process: operation and arguments. The same gives the same; never 0. */
uint16_t countings_label(struct countings *, const struct op *call, unsigned process);
uint32_t countings_initial(const struct countings *);
/* After the event; not memoised. A call never leads to 0. */
uint32_t countings_call(struct countings *, uint32_t counting, unsigned process, uint16_t label);
uint32_t countings_return(struct countings *, uint32_t counting, unsigned process, value result);
/* The most elements the specification may have then, pending operations done or not. */
uint32_t countings_elements(struct countings *, uint32_t counting);
uint32_t countings_count(const struct countings *);

/* Renaming processes: the new counting's process i is the old one's from[i]. */
uint32_t countings_renamed(struct countings *, uint32_t counting, const uint8_t *from);
/* A hash of what is known of each process, in which the names of processes have no part. */
void countings_signatures(struct countings *, uint32_t counting, uint64_t *signatures);

/* Are countings finitely many however many operations there are? So it is of collections, where what was put in and
 * taken out again in the interval [0, 0] is forgotten. */
bool countings_finite(const struct spec *);

#endif
