/* The first fault: the earliest return by which a part is wrong. See fault.c. */
#ifndef ASIF_CHECK_FAULT_H
#define ASIF_CHECK_FAULT_H

#include "check/decide.h"
#include "check/split.h"

struct fault {
  struct part prefix;       /* what had happened by that return: what was open then is pending, its result unknown */
  struct decision decision; /* on the prefix: violated */
  uint32_t culprit;         /* the operation that returned; UINT32_MAX if that could not be told */
  bool exact;               /* the prefixes before it are known to be right */
  bool unsure;              /* not, or of another part it is not known whether it is wrong before */
  struct start start;       /* count > 0: the prefix goes on from one of these configurations, before event `from` */
  uint32_t from;
};

/* Of a part that was decided to be wrong. Everything is owned by mem, or is the part's. */
void find_fault(const struct part *, const struct decision *, enum decide_by, struct mem *, struct fault *);
/* Of a history, given the first part that is known to be wrong: the part whose fault is the first, and that fault.
 * Others may not have been decided (VERDICT_UNKNOWN). */
uint32_t find_first_fault(const struct parts *, const struct decision *, uint32_t violated, enum decide_by,
                          struct mem *, struct fault *);

#endif
