/* A hazard pointer that is published without looking again whether the node is still at the top: it may have been freed before.
 *
 * Expected: use after free or data race. */
#define PUBLISHES_LATE
#include "../treiber_stack.c"
