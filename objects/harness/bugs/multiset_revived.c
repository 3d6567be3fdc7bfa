/* A multiset whose add counts up from 0 a node that is being unlinked.
 *
 * Expected: not linearizable. */
#define REVIVES
#include "../multiset.c"
