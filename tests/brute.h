/* The definition of linearizability, tried out: every subset of pending operations, every order, every outcome. The
 * reference for all deciders; shares only spec steps with them. */
#ifndef ASIF_TESTS_BRUTE_H
#define ASIF_TESTS_BRUTE_H

#include "history/history.h"
#include "spec/spec.h"

/* precedes[i * count + j]: operation i returned before j was called. NULL: by event numbers. */
bool brute_linearizable(const struct history *, const struct spec *, const bool *precedes);

/* The operation at whose return the history so far, with what is open then pending and its result unknown, is not
 * linearizable for the first time; UINT32_MAX if there is none. */
uint32_t brute_culprit(const struct history *, const struct spec *);

/* A small random history of a specification: pending and unobserved operations, repeated values, empties, ties (when
 * `times`, given as intervals with times), nondeterminism; right by construction in part, then disturbed. */
struct random_options {
  int most_ops;
  bool distinct; /* values */
  bool times;
  bool odd;         /* results of kinds an operation never has: true, full, a text */
  bool pending;     /* many operations that never return */
  bool crowd;       /* and they are of processes of their own, so that any number may be open */
  uint32_t without; /* operations that it has none of, a bit each */
};
struct history *random_history(struct mem *, struct spec *, uint64_t *seed, const struct random_options *,
                               bool **precedes);
uint64_t random_next(uint64_t *seed);
void history_dump(const struct history *, const struct spec *);

#endif
