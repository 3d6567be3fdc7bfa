/* Treiber's stack with its actions: what a step may do that other threads see, for asif prove. Its linearization points are marked. See
 * treiber_stack_points.c.
 *
 * The popped node keeps its value; of its next no more is said. PRECISE says that it keeps its next too: true, and more than is needed. */
#include "treiber_stack_points.c"

ASIF_ACTION(push, "top: t, A => top: n, n{val: e, next: t}, <e> . A")
#ifdef PRECISE
ASIF_ACTION(pop, "top: t, t{val: e, next: n}, <e> . A => top: n, t{val: e, next: n}, A")
#else
ASIF_ACTION(pop, "top: t, t{val: e, next: n}, <e> . A => top: n, t{val: e}, A")
#endif
