/* The lazy set without looking, once it has the locks, whether the two nodes are still in the list and next to each other.
 *
 * Expected: leak or not linearizable. */
#define NOT_VALIDATED
#include "../lazy_set.c"
