/* A pop that neither frees its node nor retires it.
 *
 * Expected: leak. */
#define FORGETS_TO_RETIRE
#include "../treiber_stack.c"
