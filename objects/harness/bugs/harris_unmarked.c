/* Harris and Michael's set that takes a node for present without looking at its mark.
 *
 * Expected: not linearizable. */
#define NO_MARK_CHECK
#include "../harris_michael_set.c"
