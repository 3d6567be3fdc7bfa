/* The stack with a double compare-and-exchange, with its points marked and its actions for asif prove. The popped node leaves the shared
 * memory, since it is freed. See dcas_stack.c. */
#define POINTS
#include "dcas_stack.c"

ASIF_ACTION(push, "top: t, A => top: n, n{val: e, next: t}, <e> . A")
ASIF_ACTION(pop, "top: t, t{val: e, next: n}, <e> . A => top: n, A")
