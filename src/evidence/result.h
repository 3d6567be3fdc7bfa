/* A verdict on a history, and what it rests on: what src/check finds, src/evidence re-validates and src/report prints.
 */
#ifndef ASIF_EVIDENCE_RESULT_H
#define ASIF_EVIDENCE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verdict { VERDICT_HOLDS, VERDICT_VIOLATED, VERDICT_UNKNOWN };

struct check_result {
  enum verdict verdict;
  char *method; /* what ran: "fast queue monitor", "search, split by key into 10 parts" */
  char *reason; /* one sentence: why not linearizable; which limit and how far; empty when it holds */
  /* holds: operations in the order of a linearization, with the gap each takes effect in. Pending operations that
   * did not take effect are absent. */
  uint32_t *order, *gap;
  size_t order_count;
  /* violated: the smallest sub-history that is not linearizable, 1-minimal in operations (indices, by call). */
  uint32_t *core;
  size_t core_count;
  /* and the operations that may help it at any time, or never, and still do not (check/shrink.h). */
  uint32_t *freed;
  size_t freed_count;
  /* Others on the core's values, for the reader: a few of those that do not help. */
  uint32_t *context;
  size_t context_count;
  /* The core stands on its own (start_count == 0), or only after what came before it: then these are the states the
   * object may be in when the core begins, in words, and core_from is the event where it begins. */
  char **start;
  size_t start_count;
  uint32_t core_from;
  uint32_t
      core_to; /* the core is wrong by this event, without any later one; NO_RETURN if it takes the whole history */
  bool core_forgets; /* what operations returned after that event plays no part either */
  bool minimal; /* core is 1-minimal: with any one of it free as well there is a linearization; false if a limit stopped
                 * the minimising */
  bool by_return;   /* of the culprit that is not so: it is in the core for what it returned, whenever it happened */
  bool confirmed;   /* the core was re-validated; false if there are too many orders to try (evidence/core.c) */
  uint32_t culprit; /* the operation at whose return it became impossible, or UINT32_MAX */
  bool unsure;      /* at an earlier return it may have been impossible already */
  uint64_t configurations; /* explored */
  size_t parts;            /* independent parts decided */
  uint32_t reached;        /* unknown: events decided before the limit */
};

#endif
