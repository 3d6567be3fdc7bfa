/* Deciding a part by the quickest means that apply: see decide.c. */
#ifndef ASIF_CHECK_DECIDE_H
#define ASIF_CHECK_DECIDE_H

#include "check/part.h"
#include "check/search.h"

/* By what: conditions, monitors, pairs of values and the search; without pairs, for parts that are small; or by the
 * search alone. */
enum decide_by { BY_ANYTHING, BY_LITTLE, BY_SEARCH };

/* Decides from a start (NULL: the initial states), giving up (VERDICT_UNKNOWN) beyond about `most` configurations; 0
 * for no bound. */
void decide_quickly(const struct part *, struct mem *, const struct start *, enum decide_by, uint64_t most,
                    struct decision *);
void decision_clear(struct decision *);
/* Objects that are one value, with few values (cell_values.c): by a narrow search, and one value at a time. The second
 * is true if the part is wrong for one of them, and fills in the decision. */
enum applies cells_bounded(const struct part *, struct mem *, uint64_t most, struct decision *);
bool cell_wrong_by_value(const struct part *, struct mem *, uint64_t most, struct decision *);
enum applies pairs_bounded(const struct part *, struct mem *, uint64_t most, struct decision *);

#endif
