/* The counting representation of a history's approximation A_k, kept on line (Bouajjani et al. 2015, section 6.2,
 * Algorithm 1).
 *
 * For each label (an operation with its arguments and its result, or pending) and each interval [i, j] with 0 <= i <= j
 * <= k: how many operations there are with this label and interval. A call or return is an increment, or a decrement
 * and an increment; a call after a return begins a new interval, and then all intervals shift down by one (Lemma 6.8).
 * Shifting is put off until a label is looked at: an event costs O(1) for a fixed k, however many labels there are. */
#ifndef ASIF_APPROX_COUNT_H
#define ASIF_APPROX_COUNT_H

#include "base/mem.h"
#include "history/history.h"

enum { APPROX_K_MOST = 8 };
/* Intervals [i, j] up to k, in a row: [0,0] [0,1] ... [0,k] [1,1] ... [k,k]. */
#define APPROX_INTERVALS(k) (((k) + 1) * ((k) + 2) / 2)
static inline unsigned approx_interval(unsigned k, unsigned i, unsigned j) { return i * (2 * k + 3 - i) / 2 + (j - i); }

struct approx_label {
  uint16_t method; /* of the specification's operations */
  bool pending;    /* called, not returned; result is V_UNKNOWN */
  value arg[OP_ARGS];
  value result;
};

struct counting;
struct counting *counting_new(struct mem *, unsigned k);
/* slot: a number of the caller's for the open operation, small; it is free again after the return. */
void counting_call(struct counting *, uint32_t slot, uint16_t method, const value arg[OP_ARGS]);
uint32_t counting_return(struct counting *, uint32_t slot, value result); /* the number of its label now */
/* It did not happen after all. An interval that began with it alone is still told apart: what is known is weaker than
 * A_k, never more. */
void counting_drop(struct counting *, uint32_t slot);
void counting_retire(struct counting *, uint32_t slot); /* pending for ever; the slot is free again */
/* Forgets a label that is complete and has nothing but [0,0]: for specifications that need it no more. */
void counting_forget(struct counting *, uint32_t label);

unsigned counting_k(const struct counting *);
uint64_t counting_length(const struct counting *); /* n: the length of the history so far */
/* Labels that occur (count > 0 in some interval) are numbered; a number lives until the label is forgotten, that of a
 * pending one until none is pending. */
uint32_t counting_labels(const struct counting *); /* one more than the largest number in use */
bool counting_occurs(const struct counting *, uint32_t label);
struct approx_label counting_label(const struct counting *, uint32_t label);
int64_t counting_find(const struct counting *, const struct approx_label *); /* its number, or -1 */
/* #(label, i, j): all APPROX_INTERVALS(k) of a label, shifted as they should be; valid until the next event. */
const uint64_t *counting_at(struct counting *, uint32_t label);
size_t counting_bytes(const struct counting *); /* memory it holds, for tests */

#endif
