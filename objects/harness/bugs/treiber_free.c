/* Treiber's stack with free in the place of hazard_retire: Figure 1 of Bouajjani et al., Tractable Refinement Checking for
 * Concurrent Objects (2015), as real C. A pop reads a node that another has freed; or, without that, the node comes back through
 * malloc, and the exchange does not notice (ABA).
 *
 * Expected: use after free or data race. */
#define FREES_AT_ONCE
#include "../treiber_stack.c"
