/* A stack with elimination: where a push and a pop get into each other's way at the top, they meet elsewhere, and both are done.
 *
 * D. Hendler, N. Shavit and L. Yerushalmi, A Scalable Lock-Free Stack Algorithm (2004). In the paper either side may wait for the
 * other; here it is the push that waits, for a moment, in one of `slots` slots. Linearizable; any number of threads.
 *
 * progress   lock-free
 * memory     a node for each value, freed through hazard pointers
 * time       constant while nobody else is there; many threads get in each other's way less than with Treiber's stack */
#ifndef ASIF_OBJECTS_ELIMINATION_STACK_H
#define ASIF_OBJECTS_ELIMINATION_STACK_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hazard; /* hazard.h */
struct elimination_stack;

struct elimination_stack *elimination_stack_create(struct hazard *, unsigned slots); /* NULL if there is no memory */
void elimination_stack_destroy(struct elimination_stack *);          /* NULL, or nobody uses it any more; values in it are gone */
bool elimination_stack_push(struct elimination_stack *, long value); /* false: there is no memory, and nothing happened */
bool elimination_stack_pop(struct elimination_stack *, long *value); /* false: it was empty */

#ifdef __cplusplus
}
#endif
#endif
