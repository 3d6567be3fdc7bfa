/* Why a history is not linearizable: the smallest wrong part, and a sentence. */
#ifndef ASIF_CHECK_EXPLAIN_H
#define ASIF_CHECK_EXPLAIN_H

#include "check/split.h"

/* Fills r->core, freed, culprit, start, reason from a violated decision. The results are owned by mem. */
void explain_violation(struct mem *, const struct history *, const struct parts *, const struct decision *,
                       uint32_t violated, const struct check_options *, struct limits *, struct check_result *r);

#endif
