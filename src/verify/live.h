/* Liveness of an object in C: its operations as formulas call them, the system that progress is decided on, and the
 * answer. Subjects are those of verify_options.live. */
#ifndef ASIF_VERIFY_LIVE_H
#define ASIF_VERIFY_LIVE_H

#include "verify/progress.h"
#include "verify/verify.h"

/* What is asked (verify_options.live): a formula, or else a progress condition. */
struct live_asked {
  const char *formula; /* or NULL */
  enum fairness fairness;
  enum progress progress;
};

/* The subject's machine, in which calls are moves of their own, so that who waits has called; clients keep within the
 * bound, if there is one. */
struct system *live_system(struct subject *);

/* Operations by the name of the C function, or by the specification's names. Values: numbers, and true false nil empty
 * full ok. */
struct ltl_names live_names(struct subject *);

/* Decides, and makes a violation again from the start, as a schedule (live_answer.c). False with the problem: a formula
 * that cannot be read, an internal error. */
bool live_verify(struct subject *, struct limits *, struct verified *, struct problem *);

/* Is this a run that violates what is asked (live_confirm.c)? Its moves are made again and judged by the definitions of
 * progress.h alone: the last `loop` of them are repeated for ever. False with the reason why not. *bad, unless NULL:
 * after so many of the moves a formula is false whatever follows; SIZE_MAX. */
bool live_confirm(struct mem *, struct system *, const struct live_asked *, const struct ltl_names *,
                  const struct path_move *, size_t count, size_t loop, size_t *bad, struct problem *why);

const char *fairness_name(enum fairness); /* "weak" */

#endif
